/*
 * nvcuda::wmma: matrices spread over a warp, and products of them. The model has no tensor cores: a product is computed
 * by ordinary multiply-adds on values that lanes exchange, in the accumulator's precision (half accumulators: in single,
 * rounded at the end), so that results are right and times are not those of tensor cores. Sub-byte types are not there.
 * Element e of a matrix, by rows, is x[e / 32] of lane e % 32; CUDA leaves that open.
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
#define HD_HERE __device__ __forceinline__

/* Shapes that a type of factors is multiplied in. */
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

HD_HERE unsigned int lane()
{
	unsigned int out;
	asm volatile("mov.u32 %0, %%laneid;" : "=r"(out));
	return out;
}

/* What products are summed up in, and a factor as such. */
template <class T> struct sum {
	typedef float type;
};
template <> struct sum<int> {
	typedef int type;
};
template <> struct sum<double> {
	typedef double type;
};
HD_HERE float wide(__half v)
{
	return __half2float(v);
}
HD_HERE float wide(__nv_bfloat16 v)
{
	return __bfloat162float(v);
}
HD_HERE float wide(float v)
{
	return v;
}
HD_HERE double wide(double v)
{
	return v;
}
HD_HERE int wide(int v)
{
	return v;
}
HD_HERE int wide(signed char v)
{
	return v;
}
HD_HERE int wide(unsigned char v)
{
	return v;
}
HD_HERE float fused(float a, float b, float c)
{
	return fmaf(a, b, c);
}
HD_HERE double fused(double a, double b, double c)
{
	return fma(a, b, c);
}
HD_HERE int fused(int a, int b, int c)
{
	return a * b + c;
}
HD_HERE void narrow(__half *to, float v)
{
	*to = __float2half(v);
}
HD_HERE void narrow(float *to, float v)
{
	*to = v;
}
HD_HERE void narrow(double *to, double v)
{
	*to = v;
}
HD_HERE void narrow(int *to, int v)
{
	*to = v;
}
} // namespace details

template <class Use, int M, int N, int K, class T, class Layout = void> class fragment
{
	static_assert(details::has_shape<T, M, N, K>::value || (sizeof(Use *) && __is_same(Use, accumulator)),
		      "no matrices of this shape and type are multiplied");
	typedef details::extent<Use, M, N, K> size;

      public:
	typedef typename details::storage<T>::type element_type;
	typedef element_type storage_element_type;
	static constexpr int num_elements = size::rows * size::columns / 32;
	static constexpr int num_storage_elements = num_elements;
	element_type x[num_elements];
};

namespace details
{
/* Where element `slot` of this lane is in memory. */
template <class Use, int M, int N, int K> HD_HERE size_t place(int slot, unsigned int ldm, bool by_rows)
{
	unsigned int e = (unsigned int)slot * 32 + lane(), columns = extent<Use, M, N, K>::columns;
	unsigned int row = e / columns, column = e % columns;
	return by_rows ? (size_t)row * ldm + column : (size_t)column * ldm + row;
}

/* Element e of a matrix, which every lane has another of; all slots from `first` to `last` are asked for. */
template <class F> HD_HERE typename sum<decltype(wide(F().x[0]))>::type element(const F &f, unsigned int e, int first,
										  int last)
{
	typename sum<decltype(wide(F().x[0]))>::type out = __shfl_sync(0xffffffffu, wide(f.x[first]), (int)(e % 32));
	for (int slot = first + 1; slot <= last; slot++) {
		auto other = __shfl_sync(0xffffffffu, wide(f.x[slot]), (int)(e % 32));
		out = (int)(e / 32) == slot ? other : out;
	}
	return out;
}
} // namespace details

template <class Use, int M, int N, int K, class T, class Layout, class V>
HD_HERE void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &v)
{
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = v;
}

template <class Use, int M, int N, int K, class T, class Layout, class V>
HD_HERE void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f, const V *from, unsigned int ldm)
{
	__syncwarp();
#pragma unroll
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = from[details::place<Use, M, N, K>(i, ldm, __is_same(Layout, row_major))];
}
template <int M, int N, int K, class T>
HD_HERE void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *from, unsigned int ldm, layout_t layout)
{
	__syncwarp();
#pragma unroll
	for (int i = 0; i < f.num_elements; i++)
		f.x[i] = from[details::place<accumulator, M, N, K>(i, ldm, layout == mem_row_major)];
}
template <int M, int N, int K, class T>
HD_HERE void store_matrix_sync(T *to, const fragment<accumulator, M, N, K, T> &f, unsigned int ldm, layout_t layout)
{
#pragma unroll
	for (int i = 0; i < f.num_elements; i++)
		to[details::place<accumulator, M, N, K>(i, ldm, layout == mem_row_major)] = f.x[i];
	__syncwarp();
}

/* d = a * b + c */
template <int M, int N, int K, class F, class LayoutA, class LayoutB, class D, class C>
HD_HERE void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, F, LayoutA> &a,
		      const fragment<matrix_b, M, N, K, F, LayoutB> &b, const fragment<accumulator, M, N, K, C> &c,
		      bool = false)
{
	fragment<accumulator, M, N, K, D> out;
#pragma unroll
	for (int i = 0; i < out.num_elements; i++) {
		unsigned int e = (unsigned int)i * 32 + details::lane(), row = e / N, column = e % N;
		typename details::sum<decltype(details::wide(c.x[0]))>::type total = details::wide(c.x[i]);
		int first_row = i * 32 / N, last_row = (i * 32 + 31) / N;
#pragma unroll
		for (int k = 0; k < K; k++)
			total = details::fused(details::element(a, row * K + (unsigned int)k, (first_row * K + k) / 32,
								(last_row * K + k) / 32),
					       details::element(b, (unsigned int)k * N + column, k * N / 32,
								(k * N + N - 1) / 32),
					       total);
		details::narrow(&out.x[i], total);
	}
	d = out;
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
#endif
