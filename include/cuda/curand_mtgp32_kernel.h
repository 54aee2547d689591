/*
 * A part of NVIDIA's cuRAND, by itself: for the host it declares blockDim and threadIdx again, with the types that nvcc
 * gives them and clang does not.
 */
#ifndef HEDDLE_CURAND_MTGP32_KERNEL_H
#define HEDDLE_CURAND_MTGP32_KERNEL_H

#if !__has_include_next(<curand_mtgp32_kernel.h>)
#error "curand_mtgp32_kernel.h is a part of NVIDIA's cuRAND: name the headers of a CUDA toolkit, -I $CUDA_HOME/include"
#endif

#pragma push_macro("dim3")
#pragma push_macro("uint3")
#define dim3 __cuda_builtin_blockDim_t
#define uint3 __cuda_builtin_threadIdx_t
#include_next <curand_mtgp32_kernel.h>
#pragma pop_macro("uint3")
#pragma pop_macro("dim3")

#endif
