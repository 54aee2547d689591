/* As older toolkits have it. */
#include "surface_types.h"
