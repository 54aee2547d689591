/* CUDA's second part of cuda_bf16.h, which CUTLASS includes by name; all of it is there. */
#ifndef __CUDA_BF16_HPP__
#define __CUDA_BF16_HPP__

#include "cuda_bf16.h"

#endif
