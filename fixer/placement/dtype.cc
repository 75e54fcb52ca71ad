// To be written.
#include "fixer/placement/place.h"
