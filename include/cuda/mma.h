/*
 * nvcuda::wmma: matrices spread over a warp, and products of them on tensor cores: half from sm_70 on, bytes from sm_75,
 * bfloat, tf32 and double precision from sm_80. Products are mma.sync's, so that what is multiplied in which order is
 * that instruction's; a matrix is loaded and stored by ordinary accesses. Numbers of 4 bits and
 * bits are in heddle_mma_narrow.h.
 *
 * Which lane has which element CUDA leaves open. Here it is what mma.sync of the processor takes: m8n8k4 before sm_75, of
 * which each quarter of a warp has an eighth of the sum's rows or columns, m16n8k8 and m16n8k16 from there on. As with
 * CUDA a fragment of half factors has 16 elements, some of them twice. In heddle_mma.h are these tables.
 */
#ifndef __CUDA_MMA_H__
#define __CUDA_MMA_H__

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda
{
namespace wmma
{

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision
{
struct tf32;
} // namespace precision

namespace details
{
/* Shapes that a type of factors is multiplied in, and of accumulators. */
template <class _T, int _M, int _N, int _K> struct has_shape {
	static constexpr bool value = _K == 16 && _M * _N == 256 && (_M == 16 || _M == 32 || _M == 8);
};
template <int _M, int _N, int _K> struct has_shape<precision::tf32, _M, _N, _K> {
	static constexpr bool value = _M == 16 && _N == 16 && _K == 8;
};
template <int _M, int _N, int _K> struct has_shape<double, _M, _N, _K> {
	static constexpr bool value = _M == 8 && _N == 8 && _K == 4;
};
template <int _M, int _N, int _K> struct has_shape<float, _M, _N, _K> {
	static constexpr bool value = (_M * _N == 256 && _K == 16) || (_M == 16 && _N == 16 && _K == 8);
};

template <class _Use, class _T> struct has_type {
	static constexpr bool value = __is_same(_T, __half) || __is_same(_T, __nv_bfloat16) ||
				      __is_same(_T, signed char) || __is_same(_T, unsigned char) ||
				      __is_same(_T, precision::tf32) || __is_same(_T, double);
};
template <class _T> struct has_type<accumulator, _T> {
	static constexpr bool value =
		__is_same(_T, __half) || __is_same(_T, float) || __is_same(_T, int) || __is_same(_T, double);
};

template <class _T> struct storage {
	typedef _T type;
};
template <> struct storage<precision::tf32> {
	typedef float type;
};

template <class _Use, int _M, int _N, int _K> struct extent;
template <int _M, int _N, int _K> struct extent<matrix_a, _M, _N, _K> {
	static constexpr int rows = _M, columns = _K;
};
template <int _M, int _N, int _K> struct extent<matrix_b, _M, _N, _K> {
	static constexpr int rows = _K, columns = _N;
};
template <int _M, int _N, int _K> struct extent<accumulator, _M, _N, _K> {
	static constexpr int rows = _M, columns = _N;
};
} // namespace details

template <class _Use, int _M, int _N, int _K, class _T, class _Layout = void> class fragment
{
	static_assert(details::has_shape<_T, _M, _N, _K>::value && details::has_type<_Use, _T>::value,
		      "no matrices of this shape and type are multiplied");
	typedef details::extent<_Use, _M, _N, _K> size;
	static constexpr bool twice = __is_same(_T, __half) && !__is_same(_Use, accumulator);

      public:
	typedef typename details::storage<_T>::type element_type;
	typedef element_type storage_element_type;
	static constexpr int num_elements = twice ? 16 : size::rows * size::columns / 32;
	static constexpr int num_storage_elements = num_elements;
	alignas(num_elements * sizeof(element_type) >= 16 ? 16 : num_elements * sizeof(element_type))
		element_type x[num_elements];
};

} // namespace wmma
} // namespace nvcuda

#include "heddle_mma.h"

namespace nvcuda
{
namespace wmma
{

#define HD_HERE __device__ __forceinline__

template <class _Use, int _M, int _N, int _K, class _T, class _Layout, class _V>
HD_HERE void fill_fragment(fragment<_Use, _M, _N, _K, _T, _Layout> &f, const _V &v)
{
#pragma unroll
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = v;
}

template <class _Use, int _M, int _N, int _K, class _T, class _Layout, class _V>
HD_HERE void load_matrix_sync(fragment<_Use, _M, _N, _K, _T, _Layout> &f, const _V *from, unsigned int ldm)
{
	static_assert(__is_same(_Layout, row_major) || __is_same(_Layout, col_major),
		      "an accumulator's layout is an argument");
	__syncwarp();
	details::load_factor(f, from, ldm);
}
template <int _M, int _N, int _K, class _T>
HD_HERE void load_matrix_sync(fragment<accumulator, _M, _N, _K, _T> &f, const _T *from, unsigned int ldm,
			      layout_t layout)
{
	__syncwarp();
#pragma unroll
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = from[details::sum_offset<_M, _N, _T>(i, ldm, layout == mem_row_major)];
}
template <int _M, int _N, int _K, class _T>
HD_HERE void store_matrix_sync(_T *to, const fragment<accumulator, _M, _N, _K, _T> &f, unsigned int ldm,
			       layout_t layout)
{
	__syncwarp(); /* it waits for all lanes and then stores: who reads that has a __syncwarp of his own behind it */
#pragma unroll
	for (int i = 0; i < f.num_elements; i++)
		to[details::sum_offset<_M, _N, _T>(i, ldm, layout == mem_row_major)] = f.x[i];
}

/* d = a * b + c */
template <int _M, int _N, int _K, class _F, class _LayoutA, class _LayoutB, class _D, class _C>
HD_HERE void mma_sync(fragment<accumulator, _M, _N, _K, _D> &d, const fragment<matrix_a, _M, _N, _K, _F, _LayoutA> &a,
		      const fragment<matrix_b, _M, _N, _K, _F, _LayoutB> &b,
		      const fragment<accumulator, _M, _N, _K, _C> &c)
{
	details::multiply(d, a, b, c);
}
/* Of bytes: what does not fit wraps, or saturates. */
template <int _M, int _N, int _K, class _F, class _LayoutA, class _LayoutB>
HD_HERE void mma_sync(fragment<accumulator, _M, _N, _K, int> &d, const fragment<matrix_a, _M, _N, _K, _F, _LayoutA> &a,
		      const fragment<matrix_b, _M, _N, _K, _F, _LayoutB> &b,
		      const fragment<accumulator, _M, _N, _K, int> &c, bool saturates = false)
{
	details::multiply_bytes(d, a, b, c, saturates);
}

/* Ten bits of fraction, the nearest. */
HD_HERE float __float_to_tf32(float v)
{
	unsigned int bits = __float_as_uint(v);
	return (bits & 0x7f800000u) == 0x7f800000u ? v : __uint_as_float((bits + 0x1000u) & 0xffffe000u);
}

} // namespace wmma
} // namespace nvcuda

#undef HD_HERE

#include "heddle_mma_narrow.h"

#endif
