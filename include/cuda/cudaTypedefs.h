/*
 * Types of the driver API's functions, for programs that look these up by name (cuGetProcAddress,
 * cudaGetDriverEntryPoint): PFN_cuInit is a pointer to cuInit, PFN_cuInit_v2000 the same in its form since CUDA 2.0.
 */
#ifndef CUDATYPEDEFS_H
#define CUDATYPEDEFS_H

#include "cuda.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HD_PFN_SAME(name, version) typedef __typeof__(&name) PFN_##name##_v##version;
#define HD_PFN(name, version) HD_PFN_SAME(name, version) typedef PFN_##name##_v##version PFN_##name;
#include "heddle_driver_typedefs.def"
#undef HD_PFN
#undef HD_PFN_SAME

#ifdef __cplusplus
}
#endif

#endif
