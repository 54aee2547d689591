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
template <class T, int M, int N, int K> struct has_shape {
	static constexpr bool value = K == 16 && M * N == 256 && (M == 16 || M == 32 || M == 8);
};
template <int M, int N, int K> struct has_shape<precision::tf32, M, N, K> {
	static constexpr bool value = M == 16 && N == 16 && K == 8;
};
template <int M, int N, int K> struct has_shape<double, M, N, K> {
	static constexpr bool value = M == 8 && N == 8 && K == 4;
};
template <int M, int N, int K> struct has_shape<float, M, N, K> {
	static constexpr bool value = (M * N == 256 && K == 16) || (M == 16 && N == 16 && K == 8);
};

template <class Use, class T> struct has_type {
	static constexpr bool value = __is_same(T, __half) || __is_same(T, __nv_bfloat16) || __is_same(T, signed char) ||
				      __is_same(T, unsigned char) || __is_same(T, precision::tf32) ||
				      __is_same(T, double);
};
template <class T> struct has_type<accumulator, T> {
	static constexpr bool value =
		__is_same(T, __half) || __is_same(T, float) || __is_same(T, int) || __is_same(T, double);
};

template <class T> struct storage {
	typedef T type;
};
template <> struct storage<precision::tf32> {
	typedef float type;
};

template <class Use, int M, int N, int K> struct extent;
template <int M, int N, int K> struct extent<matrix_a, M, N, K> {
	static constexpr int rows = M, columns = K;
};
template <int M, int N, int K> struct extent<matrix_b, M, N, K> {
	static constexpr int rows = K, columns = N;
};
template <int M, int N, int K> struct extent<accumulator, M, N, K> {
	static constexpr int rows = M, columns = N;
};
} // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment
{
	static_assert(details::has_shape<T, M, N, K>::value && details::has_type<Use, T>::value,
		      "no matrices of this shape and type are multiplied");
	typedef details::extent<Use, M, N, K> size;
	static constexpr bool twice = __is_same(T, __half) && !__is_same(Use, accumulator);

      public:
	typedef typename details::storage<T>::type element_type;
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

template <class Use, int M, int N, int K, class T, class Layout, class V>
HD_HERE void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &v)
{
#pragma unroll
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = v;
}

template <class Use, int M, int N, int K, class T, class Layout, class V>
HD_HERE void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f, const V *from, unsigned int ldm)
{
	static_assert(__is_same(Layout, row_major) || __is_same(Layout, col_major), "an accumulator's layout is an argument");
	__syncwarp();
	details::load_factor(f, from, ldm);
}
template <int M, int N, int K, class T>
HD_HERE void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *from, unsigned int ldm, layout_t layout)
{
	__syncwarp();
#pragma unroll
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = from[details::sum_offset<M, N, T>(i, ldm, layout == mem_row_major)];
}
template <int M, int N, int K, class T>
HD_HERE void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &f, unsigned int ldm, layout_t layout)
{
	__syncwarp(); /* it waits for all lanes and then stores: who reads that has a __syncwarp of his own behind it */
#pragma unroll
	for (int i = 0; i < f.num_elements; i++)
		to[details::sum_offset<M, N, T>(i, ldm, layout == mem_row_major)] = f.x[i];
}

/* d = a * b + c */
template <int M, int N, int K, class F, class LayoutA, class LayoutB, class D, class C>
HD_HERE void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, F, LayoutA> &a,
		      const fragment<matrix_b, M, N, K, F, LayoutB> &b, const fragment<accumulator, M, N, K, C> &c)
{
	details::multiply(d, a, b, c);
}
/* Of bytes: what does not fit wraps, or saturates. */
template <int M, int N, int K, class F, class LayoutA, class LayoutB>
HD_HERE void mma_sync(fragment<accumulator, M, N, K, int> &d, const fragment<matrix_a, M, N, K, F, LayoutA> &a,
		      const fragment<matrix_b, M, N, K, F, LayoutB> &b, const fragment<accumulator, M, N, K, int> &c,
		      bool saturates = false)
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
