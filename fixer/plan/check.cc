#include "fixer/plan/check.h"
