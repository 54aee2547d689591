/*
 * Copies in the widest pieces that both ends and the size allow, by one thread or by a group: done at once, or, from global
 * to shared memory and of words at least, left to be waited for (heddle_async_copy.h).
 */
#ifndef HEDDLE_SCOPE_COPY_H
#define HEDDLE_SCOPE_COPY_H

#include <stddef.h>

#include "heddle_async_copy.h"
#include "host_defines.h"
#include "vector_types.h"

/* A toolkit's libcu++ has the same type. */
#if __has_include(<cuda/__barrier/aligned_size.h>)
#include <cuda/__barrier/aligned_size.h>
#elif __has_include(<cuda/std/version>)
#include <cuda/barrier>
#else
#define HD_SCOPE_SIZES
#endif

namespace cuda
{

#ifdef HD_SCOPE_SIZES
template <size_t _Alignment> struct aligned_size_t {
	static_assert(_Alignment && !(_Alignment & (_Alignment - 1)), "an alignment is a power of two");
	static constexpr size_t align = _Alignment;
	size_t value;
	__host__ __device__ constexpr explicit aligned_size_t(size_t bytes) : value(bytes)
	{
	}
	__host__ __device__ constexpr operator size_t() const
	{
		return value;
	}
};
/* What memcpy_async says: whether there was anything to wait for. */
enum async_contract_fulfillment { none, async };
#undef HD_SCOPE_SIZES
#endif
__host__ __device__ inline size_t __hd_bytes(size_t bytes)
{
	return bytes;
}

template <class _Piece>
__host__ __device__ inline void __hd_copy_pieces(void *to, const void *from, size_t bytes, size_t rank, size_t step)
{
	for (size_t i = rank; i < bytes / sizeof(_Piece); i += step)
		((_Piece *)to)[i] = ((const _Piece *)from)[i];
}
/* The share of thread `rank` of `step` threads. */
__host__ __device__ inline void __hd_copy_part(void *to, const void *from, size_t bytes, size_t rank, size_t step)
{
	size_t ends = (size_t)to | (size_t)from | bytes;
	if (ends % 16 == 0)
		__hd_copy_pieces<uint4>(to, from, bytes, rank, step);
	else if (ends % 8 == 0)
		__hd_copy_pieces<uint2>(to, from, bytes, rank, step);
	else if (ends % 4 == 0)
		__hd_copy_pieces<unsigned int>(to, from, bytes, rank, step);
	else
		__hd_copy_pieces<char>(to, from, bytes, rank, step);
}

template <size_t _Size>
__device__ inline void __hd_copy_pieces_later(void *to, const void *from, size_t bytes, size_t rank, size_t step)
{
	for (size_t i = rank; i < bytes / _Size; i += step)
		__hd_copy_later((char *)to + i * _Size, (const char *)from + i * _Size, _Size, _Size);
}
/* The same, without a wait where there can be one. Returns whether anything is left to be waited for. */
__device__ inline bool __hd_copy_part_later(void *to, const void *from, size_t bytes, size_t rank, size_t step)
{
	size_t ends = (size_t)to | (size_t)from | bytes;
	if (!HEDDLE_COPIES_ARE_ASYNC || !__nvvm_isspacep_shared(to) || !__nvvm_isspacep_global(from) || ends % 4 != 0) {
		__hd_copy_part(to, from, bytes, rank, step);
		return false;
	}
	if (ends % 16 == 0)
		__hd_copy_pieces_later<16>(to, from, bytes, rank, step);
	else if (ends % 8 == 0)
		__hd_copy_pieces_later<8>(to, from, bytes, rank, step);
	else
		__hd_copy_pieces_later<4>(to, from, bytes, rank, step);
	return true;
}

} // namespace cuda

#endif
