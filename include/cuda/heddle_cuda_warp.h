/*
 * What the lanes of a warp, or the threads of a block, do together: shuffles, votes, reductions, and barriers that
 * count. As in clang's own headers, whose definitions heddle_cuda.h hides, but a lane may bring an undefined value, as
 * nvcc has it: what is shuffled from one lane is often set there only. Also where clang marks parameters as never
 * undefined.
 */
#ifndef HEDDLE_CUDA_WARP_H
#define HEDDLE_CUDA_WARP_H

/* `bits`: what the builtin has in its last operand beside the width, which bounds the lanes of a part of the warp. */
#define HD_SHUFFLES(name, builtin, Lane, bits)                         \
	HD_SHUFFLE(name, int, int, builtin##_i32, Lane, bits)          \
	HD_SHUFFLE(name, unsigned int, int, builtin##_i32, Lane, bits) \
	HD_SHUFFLE(name, float, float, builtin##_f32, Lane, bits)      \
	HD_SHUFFLE_PAIR(name, long long, Lane)                         \
	HD_SHUFFLE_PAIR(name, unsigned long long, Lane)                \
	HD_SHUFFLE_PAIR(name, long, Lane)                              \
	HD_SHUFFLE_PAIR(name, unsigned long, Lane)                     \
	HD_SHUFFLE_PAIR(name, double, Lane)
#define HD_SHUFFLE(name, type, Word, builtin, Lane, bits)                                                         \
	__device__ static inline type name(HD_MASK_IS HD_MAYBE_UNDEF type value, Lane lane, int width = warpSize) \
	{                                                                                                         \
		return (type)builtin(HD_MASK(Word) value, lane, ((warpSize - width) << 8) | (bits));              \
	}
#define HD_SHUFFLE_PAIR(name, type, Lane)                                                                         \
	__device__ static inline type name(HD_MASK_IS HD_MAYBE_UNDEF type value, Lane lane, int width = warpSize) \
	{                                                                                                         \
		unsigned long long both = __builtin_bit_cast(unsigned long long, value);                          \
		unsigned int low = name(HD_MASK(unsigned int) both, lane, width);                                 \
		unsigned int high = name(HD_MASK(unsigned int)(both >> 32), lane, width);                         \
		return __builtin_bit_cast(type, (unsigned long long)high << 32 | low);                            \
	}
#define HD_MASK_IS unsigned int mask,
#define HD_MASK(type) mask, (type)
HD_SHUFFLES(__shfl_sync, __nvvm_shfl_sync_idx, int, 0x1f)
HD_SHUFFLES(__shfl_up_sync, __nvvm_shfl_sync_up, unsigned int, 0) /* bounded by the first lane */
HD_SHUFFLES(__shfl_down_sync, __nvvm_shfl_sync_down, unsigned int, 0x1f)
HD_SHUFFLES(__shfl_xor_sync, __nvvm_shfl_sync_bfly, int, 0x1f)
#undef HD_MASK_IS
#undef HD_MASK
#define HD_MASK_IS
#define HD_MASK(type) (type)
HD_SHUFFLES(__shfl, __nvvm_shfl_idx, int, 0x1f)
HD_SHUFFLES(__shfl_up, __nvvm_shfl_up, unsigned int, 0)
HD_SHUFFLES(__shfl_down, __nvvm_shfl_down, unsigned int, 0x1f)
HD_SHUFFLES(__shfl_xor, __nvvm_shfl_bfly, int, 0x1f)
#undef HD_MASK_IS
#undef HD_MASK
#undef HD_SHUFFLES
#undef HD_SHUFFLE
#undef HD_SHUFFLE_PAIR

#define HD_VOTE(result, name, builtin)                                                               \
	__device__ static inline result name##_sync(unsigned int mask, HD_MAYBE_UNDEF int predicate) \
	{                                                                                            \
		return __nvvm_vote_##builtin##_sync(mask, predicate);                                \
	}                                                                                            \
	__device__ static inline result name(HD_MAYBE_UNDEF int predicate)                           \
	{                                                                                            \
		return __nvvm_vote_##builtin(predicate);                                             \
	}
HD_VOTE(int, __all, all)
HD_VOTE(int, __any, any)
HD_VOTE(unsigned int, __ballot, ballot)
#undef HD_VOTE
__device__ static inline int __uni_sync(unsigned int mask, HD_MAYBE_UNDEF int predicate)
{
	return __nvvm_vote_uni_sync(mask, predicate);
}

#define HD_COUNTING_BARRIER(name, builtin)                              \
	__device__ static inline int name(HD_MAYBE_UNDEF int predicate) \
	{                                                               \
		return __nvvm_bar0_##builtin(predicate);                \
	}
HD_COUNTING_BARRIER(__syncthreads_and, and)
HD_COUNTING_BARRIER(__syncthreads_or, or)
HD_COUNTING_BARRIER(__syncthreads_count, popc)
#undef HD_COUNTING_BARRIER

/* Where a processor has none, programs have functions of these names. */
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define HD_REDUCE(type, name, builtin)                                                   \
	__device__ static inline type name(unsigned int mask, HD_MAYBE_UNDEF type value) \
	{                                                                                \
		return (type)__nvvm_redux_sync_##builtin((int)value, (int)mask);         \
	}
HD_REDUCE(unsigned int, __reduce_add_sync, add)
HD_REDUCE(int, __reduce_add_sync, add)
HD_REDUCE(unsigned int, __reduce_min_sync, umin)
HD_REDUCE(int, __reduce_min_sync, min)
HD_REDUCE(unsigned int, __reduce_max_sync, umax)
HD_REDUCE(int, __reduce_max_sync, max)
HD_REDUCE(unsigned int, __reduce_and_sync, and)
HD_REDUCE(unsigned int, __reduce_or_sync, or)
HD_REDUCE(unsigned int, __reduce_xor_sync, xor)
#undef HD_REDUCE
#endif

#endif
