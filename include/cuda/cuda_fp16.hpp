/* CUDA's second part of cuda_fp16.h, which CUTLASS includes by name; all of it is there. */
#ifndef __CUDA_FP16_HPP__
#define __CUDA_FP16_HPP__

#include "cuda_fp16.h"

#endif
