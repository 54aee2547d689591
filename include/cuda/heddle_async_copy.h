/*
 * Copies from global to shared memory that a thread waits for later: cp.async from sm_80 on, where the last `size - copied`
 * bytes become zeros; loads and stores before that, which leave nothing to wait for.
 */
#ifndef HEDDLE_ASYNC_COPY_H
#define HEDDLE_ASYNC_COPY_H

#include <stddef.h>

#include "host_defines.h"
#include "vector_types.h"

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define HEDDLE_COPIES_ARE_ASYNC 1
#else
#define HEDDLE_COPIES_ARE_ASYNC 0
#endif

/* Their instructions have the place of the call. */
#define HEDDLE_NO_PLACE __attribute__((nodebug))

/* `size` is 4, 8 or 16; both ends are aligned to it. */
__device__ static __forceinline__ HEDDLE_NO_PLACE void __hd_copy_later(void *to, const void *from, size_t size, size_t copied)
{
#if HEDDLE_COPIES_ARE_ASYNC
	unsigned int place = (unsigned int)__cvta_generic_to_shared(to), bytes = (unsigned int)copied;
	size_t source = __cvta_generic_to_global(from);
	if (size == 16)
		asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(source), "r"(bytes)
			     : "memory");
	else if (size == 8)
		asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(place), "l"(source), "r"(bytes)
			     : "memory");
	else
		asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(place), "l"(source), "r"(bytes)
			     : "memory");
#else
	if (copied == size && size == 16)
		*(uint4 *)to = *(const uint4 *)from;
	else if (copied == size && size == 8)
		*(uint2 *)to = *(const uint2 *)from;
	else if (copied == size && size == 4)
		*(unsigned int *)to = *(const unsigned int *)from;
	else
		for (size_t i = 0; i < size; i++)
			((char *)to)[i] = i < copied ? ((const char *)from)[i] : (char)0;
#endif
}

/* Ends a group of the thread's copies. */
__device__ static __forceinline__ HEDDLE_NO_PLACE void __hd_copies_commit()
{
#if HEDDLE_COPIES_ARE_ASYNC
	asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

/* Until at most so many groups are left. The instruction names a number: of more than eight, eight are. */
__device__ static __forceinline__ HEDDLE_NO_PLACE void __hd_copies_wait_prior(size_t groups)
{
#if HEDDLE_COPIES_ARE_ASYNC
	switch (groups) {
	case 0: asm volatile("cp.async.wait_group 0;" ::: "memory"); break;
	case 1: asm volatile("cp.async.wait_group 1;" ::: "memory"); break;
	case 2: asm volatile("cp.async.wait_group 2;" ::: "memory"); break;
	case 3: asm volatile("cp.async.wait_group 3;" ::: "memory"); break;
	case 4: asm volatile("cp.async.wait_group 4;" ::: "memory"); break;
	case 5: asm volatile("cp.async.wait_group 5;" ::: "memory"); break;
	case 6: asm volatile("cp.async.wait_group 6;" ::: "memory"); break;
	case 7: asm volatile("cp.async.wait_group 7;" ::: "memory"); break;
	default: asm volatile("cp.async.wait_group 8;" ::: "memory"); break;
	}
#else
	(void)groups;
#endif
}

#endif
