/*
 * The prelude of every CUDA translation unit: heddle-cc passes `-include heddle_cuda.h`, so that a source that includes
 * nothing compiles, as it does under nvcc. It declares the CUDA language's types, built-in variables and device
 * functions with clang 19's own resource headers and no NVIDIA software.
 *
 * The order matters: each resource header relies on what stands above it. The host half sees the device functions
 * too (they are only type-checked there), which is why __CUDA_ARCH__ is set while they are read.
 */
#ifndef HEDDLE_CUDA_H
#define HEDDLE_CUDA_H

#if !defined(__CUDA__) || !defined(__clang__)
#error "heddle_cuda.h is for CUDA sources compiled by clang; host files include cuda_runtime.h"
#endif

/* clang-format off */

#include <__clang_cuda_math_forward_declares.h>

/* libstdc++ keeps __float128 out of sight when it sees __CUDACC__; programs test it too. */
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 5
#define __CUDACC_VER_BUILD__ 82
#ifndef __NVCC__
#define __NVCC__ 1
#endif

/* CUDA 12.5 has no floats of 6 and 4 bits. A newer toolkit's headers of them stand on its own cuda_fp8.h, not on ours;
 * libcu++ takes them in where it finds them, unless it is told not to. */
#define CCCL_DISABLE_NVFP6_SUPPORT
#define CCCL_DISABLE_NVFP4_SUPPORT

#include <assert.h>
#include <cmath>
#include <cstdlib>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cuda.h"
#include "host_defines.h"

#include "cuda_runtime_api.h"
#include "vector_functions.h"
#include "vector_types.h"

#pragma push_macro("__CUDA_ARCH__")
#ifndef __CUDA_ARCH__
#define __CUDA_ARCH__ 700
#endif

#include <__clang_cuda_builtin_vars.h>
#include <__clang_cuda_libdevice_declares.h>

/*
 * clang's __trap is inline assembly; heddle_cuda_device.h has it as the trap intrinsic. What lanes do together is in
 * heddle_cuda_warp.h, for lanes without a value; clang 19 also hands the operands of __reduce_* on in the wrong order.
 */
#define __trap __hd_asm_trap
#define __all __hd_clang_all
#define __any __hd_clang_any
#define __ballot __hd_clang_ballot
#define __syncthreads_and __hd_clang_syncthreads_and
#define __syncthreads_count __hd_clang_syncthreads_count
#define __syncthreads_or __hd_clang_syncthreads_or
#include <__clang_cuda_device_functions.h>
#undef __trap
#undef __all
#undef __any
#undef __ballot
#undef __syncthreads_and
#undef __syncthreads_count
#undef __syncthreads_or
#include <__clang_cuda_math.h>

#include "heddle_cuda_device.h"

#include <__clang_cuda_cmath.h>
/* Funnel shifts too are inline assembly there and plain C++ here. */
#define __funnelshift_l __hd_asm_funnelshift_l
#define __funnelshift_lc __hd_asm_funnelshift_lc
#define __funnelshift_r __hd_asm_funnelshift_r
#define __funnelshift_rc __hd_asm_funnelshift_rc
#define __shfl __hd_clang_shfl
#define __shfl_up __hd_clang_shfl_up
#define __shfl_down __hd_clang_shfl_down
#define __shfl_xor __hd_clang_shfl_xor
#define __shfl_sync __hd_clang_shfl_sync
#define __shfl_up_sync __hd_clang_shfl_up_sync
#define __shfl_down_sync __hd_clang_shfl_down_sync
#define __shfl_xor_sync __hd_clang_shfl_xor_sync
#define __all_sync __hd_clang_all_sync
#define __any_sync __hd_clang_any_sync
#define __ballot_sync __hd_clang_ballot_sync
#define __uni_sync __hd_clang_uni_sync
#define __reduce_add_sync __hd_clang_reduce_add_sync
#define __reduce_and_sync __hd_clang_reduce_and_sync
#define __reduce_max_sync __hd_clang_reduce_max_sync
#define __reduce_min_sync __hd_clang_reduce_min_sync
#define __reduce_or_sync __hd_clang_reduce_or_sync
#define __reduce_xor_sync __hd_clang_reduce_xor_sync
#define __ldcg __hd_clang_ldcg
#define __ldcs __hd_clang_ldcs
#define __ldcv __hd_clang_ldcv
#define __stwt __hd_clang_stwt
#include <__clang_cuda_intrinsics.h>
#undef __ldcg
#undef __ldcs
#undef __ldcv
#undef __stwt
#undef __funnelshift_l
#undef __funnelshift_lc
#undef __funnelshift_r
#undef __funnelshift_rc
#undef __shfl
#undef __shfl_up
#undef __shfl_down
#undef __shfl_xor
#undef __shfl_sync
#undef __shfl_up_sync
#undef __shfl_down_sync
#undef __shfl_xor_sync
#undef __all_sync
#undef __any_sync
#undef __ballot_sync
#undef __uni_sync
#undef __reduce_add_sync
#undef __reduce_and_sync
#undef __reduce_max_sync
#undef __reduce_min_sync
#undef __reduce_or_sync
#undef __reduce_xor_sync

#include <__clang_cuda_complex_builtins.h>

#include "device_atomic_functions.h"
#include "heddle_cuda_cache.h"
#include "heddle_cuda_dpx.h"
#include "heddle_cuda_errors.h"
#include "math_functions.h"

#pragma pop_macro("__CUDA_ARCH__")

#include "heddle_cuda_cluster.h"
#include "heddle_cuda_warp.h"

/* clang's wrapper of <new> adds the device's operator new and delete once malloc and free exist there. */
#include <new>

#include "cuda_runtime.h"

/* clang-format on */

#endif
