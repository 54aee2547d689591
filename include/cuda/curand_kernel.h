/*
 * cuRAND on the device: NVIDIA's where a toolkit's headers are in the search path (-I $CUDA_HOME/include), of which one
 * has to come first (curand_mtgp32_kernel.h); else our own of its generators and distributions (heddle_random.h).
 */
#ifndef HEDDLE_CURAND_KERNEL_H
#define HEDDLE_CURAND_KERNEL_H

#if __has_include_next(<curand_kernel.h>)
#include "curand_mtgp32_kernel.h"

#include_next <curand_kernel.h>
#else
#include "curand.h"
#include "heddle_random.h"
#include "heddle_random_shapes.h"
#endif

#endif
