/*
 * cuda::ptx: what the functions take beside addresses and values (heddle_ptx.h).
 */
#ifndef HEDDLE_PTX_TAGS_H
#define HEDDLE_PTX_TAGS_H

#include <stddef.h>
#include <stdint.h>

#include "host_defines.h"

#define HD_PTX __device__ static __forceinline__

namespace cuda
{
namespace ptx
{

#define HD_PTX_TAG(name)             \
	struct name##_t {            \
	};                           \
	static constexpr name##_t name \
	{                            \
	}
HD_PTX_TAG(space_global);
HD_PTX_TAG(space_shared);
HD_PTX_TAG(space_cluster);
HD_PTX_TAG(sem_acq_rel);
HD_PTX_TAG(sem_acquire);
HD_PTX_TAG(sem_relaxed);
HD_PTX_TAG(sem_release);
HD_PTX_TAG(sem_sc);
HD_PTX_TAG(scope_cta);
HD_PTX_TAG(scope_cluster);
HD_PTX_TAG(scope_gpu);
HD_PTX_TAG(scope_sys);
HD_PTX_TAG(op_add);
HD_PTX_TAG(op_min);
HD_PTX_TAG(op_max);
HD_PTX_TAG(op_inc);
HD_PTX_TAG(op_dec);
HD_PTX_TAG(op_and_op);
HD_PTX_TAG(op_or_op);
HD_PTX_TAG(op_xor_op);
#undef HD_PTX_TAG
template <int _N>
struct n32_t {
	static constexpr int value = _N;
};

HD_PTX uint32_t __hd_shared(const void *at)
{
	return (uint32_t)__cvta_generic_to_shared(at);
}
HD_PTX uint64_t __hd_global(const void *at)
{
	return (uint64_t)__cvta_generic_to_global(at);
}
} // namespace ptx
} // namespace cuda

#endif
