// To be written.
#include "fixer/model/model.h"
