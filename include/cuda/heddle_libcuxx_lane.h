/*
 * Around <cuda/std/barrier> of libcu++ before 2.0 (Ubuntu 24.04 has it as a package, toolkits up to CUDA 12.1 their own), which
 * asks for a lane with "%laneid" where assembly with operands says "%%laneid". nvcc takes that, clang refuses it. This
 * statement is the only one there that is not volatile. No include guard: the first time begins it, the second one ends it.
 */
#ifndef HEDDLE_LIBCUXX_LANE
#define HEDDLE_LIBCUXX_LANE
#include <cuda/std/atomic>
#include <cuda/std/chrono>
#include <cuda/std/cstddef>
#pragma push_macro("asm")
#if defined(_LIBCUDACXX_CUDA_API_VERSION) && _LIBCUDACXX_CUDA_API_VERSION < 2000000
#define asm(...) asm("mov.u32 %0, %%laneid;" : "=r"(__laneid))
#endif
#else
#undef HEDDLE_LIBCUXX_LANE
#pragma pop_macro("asm")
#endif
