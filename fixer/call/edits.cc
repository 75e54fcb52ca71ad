// To be written.
#include "fixer/call/python.h"
