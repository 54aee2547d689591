/* As older toolkits have it. */
#include "texture_types.h"
