/*
 * NVIDIA's cuRAND on the device, where a toolkit's headers are in the search path (-I $CUDA_HOME/include); one of them
 * has to come first (curand_mtgp32_kernel.h).
 */
#ifndef HEDDLE_CURAND_KERNEL_H
#define HEDDLE_CURAND_KERNEL_H

#if !__has_include_next(<curand_kernel.h>)
#error "curand_kernel.h is a part of NVIDIA's cuRAND: name the headers of a CUDA toolkit, -I $CUDA_HOME/include"
#endif

#include "curand_mtgp32_kernel.h"

#include_next <curand_kernel.h>

#endif
