// To be written.
#include "fixer/plan/fix.h"
