// Placeholder translation unit until the first function of machine.h is needed.
#include "probes/machine.h"
