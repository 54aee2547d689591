/*
 * nvcuda::wmma::experimental: factors of 4 bits (8 by 8 by 32) and of one bit (8 by 8 by 128), a by rows and b by
 * columns, sums of 32 bits; sm_75 and later, the and of bits from sm_80 on. Each lane has 32 bits of a factor, those of
 * mma.sync's m8n8k32 and m8n8k128: line lane / 4, the lane % 4-th word of it; and two numbers of the sum. Part of mma.h.
 */
#ifndef HEDDLE_MMA_NARROW_H
#define HEDDLE_MMA_NARROW_H

namespace nvcuda
{
namespace wmma
{

namespace experimental
{
namespace precision
{
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

namespace details
{

template <> struct has_shape<int, 8, 8, 32> {
	static constexpr bool value = true;
};
template <> struct has_shape<int, 8, 8, 128> {
	static constexpr bool value = true;
};

/* A word of a factor, as a number of type Word; Each: elements in it. */
template <class _T, class _Word, int _Each> class narrow_factor
{
      public:
	typedef _T element_type;
	typedef _Word storage_element_type;
	static constexpr int num_elements = _Each;
	static constexpr int num_storage_elements = 1;
	_Word x[1];
};

template <class _Fragment> __device__ __forceinline__ void load_narrow(_Fragment &f, const void *from, unsigned int ldm)
{
	unsigned int own = lane();
	size_t line = (size_t)(own / 4) * (ldm / _Fragment::num_elements); /* in words */
	__syncwarp();
	f.x[0] = ((const typename _Fragment::storage_element_type *)from)[line + own % 4];
}

__device__ __forceinline__ size_t narrow_offset(int i, unsigned int ldm, layout_t layout)
{
	unsigned int row = lane() / 4, column = lane() % 4 * 2 + (unsigned int)i;
	return layout == mem_row_major ? (size_t)row * ldm + column : (size_t)column * ldm + row;
}

} // namespace details

template <>
class fragment<matrix_a, 8, 8, 32, experimental::precision::u4, row_major>
    : public details::narrow_factor<experimental::precision::u4, unsigned int, 8>
{
};
template <>
class fragment<matrix_b, 8, 8, 32, experimental::precision::u4, col_major>
    : public details::narrow_factor<experimental::precision::u4, unsigned int, 8>
{
};
template <>
class fragment<matrix_a, 8, 8, 32, experimental::precision::s4, row_major>
    : public details::narrow_factor<experimental::precision::s4, int, 8>
{
};
template <>
class fragment<matrix_b, 8, 8, 32, experimental::precision::s4, col_major>
    : public details::narrow_factor<experimental::precision::s4, int, 8>
{
};
template <>
class fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major>
    : public details::narrow_factor<experimental::precision::b1, unsigned int, 32>
{
};
template <>
class fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major>
    : public details::narrow_factor<experimental::precision::b1, unsigned int, 32>
{
};

#define HD_NARROW_LOAD(use, k, type, layout)                                                                            \
	template <class _V>                                                                                             \
	__device__ __forceinline__ void load_matrix_sync(                                                               \
		fragment<use, 8, 8, k, experimental::precision::type, layout> &f, const _V *from, unsigned int ldm)     \
	{                                                                                                               \
		details::load_narrow(f, from, ldm);                                                                     \
	}
HD_NARROW_LOAD(matrix_a, 32, u4, row_major)
HD_NARROW_LOAD(matrix_b, 32, u4, col_major)
HD_NARROW_LOAD(matrix_a, 32, s4, row_major)
HD_NARROW_LOAD(matrix_b, 32, s4, col_major)
HD_NARROW_LOAD(matrix_a, 128, b1, row_major)
HD_NARROW_LOAD(matrix_b, 128, b1, col_major)
#undef HD_NARROW_LOAD

template <int _K>
__device__ __forceinline__ void load_matrix_sync(fragment<accumulator, 8, 8, _K, int> &f, const int *from,
						 unsigned int ldm, layout_t layout)
{
	__syncwarp();
	f.x[0] = from[details::narrow_offset(0, ldm, layout)];
	f.x[1] = from[details::narrow_offset(1, ldm, layout)];
}
template <int _K>
__device__ __forceinline__ void store_matrix_sync(int *to, const fragment<accumulator, 8, 8, _K, int> &f,
						  unsigned int ldm, layout_t layout)
{
	__syncwarp();
	to[details::narrow_offset(0, ldm, layout)] = f.x[0];
	to[details::narrow_offset(1, ldm, layout)] = f.x[1];
}

#define HD_NARROW_MMA(shape, limit, type, behind)                                                                \
	asm volatile("mma.sync.aligned." shape ".row.col" limit ".s32." type "." type ".s32" behind              \
		     " {%0,%1}, {%2}, {%3}, {%0,%1};"                                                            \
		     : "+r"(sum[0]), "+r"(sum[1])                                                                \
		     : "r"(a.x[0]), "r"(b.x[0]))
#define HD_NARROW_PRODUCT(type)                                                                                   \
	__device__ __forceinline__ void mma_sync(                                                                 \
		fragment<accumulator, 8, 8, 32, int> &d,                                                          \
		const fragment<matrix_a, 8, 8, 32, experimental::precision::type, row_major> &a,                  \
		const fragment<matrix_b, 8, 8, 32, experimental::precision::type, col_major> &b,                  \
		const fragment<accumulator, 8, 8, 32, int> &c, bool saturates = false)                            \
	{                                                                                                         \
		int sum[] = {c.x[0], c.x[1]};                                                                     \
		if (saturates)                                                                                    \
			HD_NARROW_MMA("m8n8k32", ".satfinite", #type, "");                                        \
		else                                                                                              \
			HD_NARROW_MMA("m8n8k32", "", #type, "");                                                  \
		d.x[0] = sum[0];                                                                                  \
		d.x[1] = sum[1];                                                                                  \
	}
HD_NARROW_PRODUCT(u4)
HD_NARROW_PRODUCT(s4)
#undef HD_NARROW_PRODUCT

/* d = c + the number of ones in a xor b, or in a and b. */
__device__ __forceinline__ void bmma_sync(
	fragment<accumulator, 8, 8, 128, int> &d,
	const fragment<matrix_a, 8, 8, 128, experimental::precision::b1, row_major> &a,
	const fragment<matrix_b, 8, 8, 128, experimental::precision::b1, col_major> &b,
	const fragment<accumulator, 8, 8, 128, int> &c, experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
	experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC)
{
	int sum[] = {c.x[0], c.x[1]};
	if (op == experimental::bmmaBitOpXOR)
		HD_NARROW_MMA("m8n8k128", "", "b1", ".xor.popc");
	else
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
		HD_NARROW_MMA("m8n8k128", "", "b1", ".and.popc");
#else
		__trap();
#endif
	d.x[0] = sum[0];
	d.x[1] = sum[1];
}
#undef HD_NARROW_MMA

} // namespace wmma
} // namespace nvcuda

#endif
