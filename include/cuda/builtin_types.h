/* The built-in types of CUDA C++: vector types, dim3 and the runtime API's types. */
#ifndef __BUILTIN_TYPES_H__
#define __BUILTIN_TYPES_H__

#include "driver_types.h"
#include "vector_types.h"

#endif
