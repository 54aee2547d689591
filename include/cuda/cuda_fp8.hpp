/* CUDA's second part of cuda_fp8.h, which CUTLASS includes by name; all of it is there. */
#ifndef __CUDA_FP8_HPP__
#define __CUDA_FP8_HPP__

#include "cuda_fp8.h"

#endif
