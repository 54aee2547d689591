/*
 * What <mma.h> is made of: which element of a matrix each lane has, and products by mma.sync.
 *
 * From sm_75 on a product is one of a left factor, 16 lines of which a tile has, and a right one, 8 lines: lines are
 * rows of a or columns of b. The sum of 16 by 16 has two right tiles, that of 32 by 8 two left ones; 8 by 32 is computed
 * transposed, with b as the left factor. Before, each of a warp's four quads and the one 16 lanes above have 8 lines of
 * each factor, all of k, and 8 by 8 of the sum.
 */
#ifndef HEDDLE_CUDA_MMA_H
#define HEDDLE_CUDA_MMA_H

#ifdef __CUDA_ARCH__
#define HD_ARCH __CUDA_ARCH__
#else
#define HD_ARCH 0
#endif
#define HD_HERE __device__ __forceinline__

namespace nvcuda
{
namespace wmma
{
namespace details
{

HD_HERE unsigned int lane()
{
	return __nvvm_read_ptx_sreg_laneid();
}

/* ---- words of 32 bits in the elements of a fragment */

template <class _T> HD_HERE unsigned int word_of(const _T *x, int index)
{
	unsigned int word;
	__builtin_memcpy(&word, (const char *)x + 4 * index, 4);
	return word;
}
template <class _T> HD_HERE void set_word(_T *x, int index, unsigned int word)
{
	__builtin_memcpy((char *)x + 4 * index, &word, 4);
}

/* ---- instructions: of halves, of bfloat numbers, of tf32 */

#define HD_IN2(x, i) "r"(word_of(x, (i))), "r"(word_of(x, (i) + 1))
#define HD_IN4(x, i) HD_IN2(x, i), HD_IN2(x, (i) + 2)

#define HD_VOLTA_SINGLE(rows, columns)                                                                                \
	asm volatile("mma.sync.aligned.m8n8k4." rows "." columns ".f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, "       \
		     "{%8,%9}, {%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};"                                                 \
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) \
		     : HD_IN2(a, 2 * set), HD_IN2(b, 2 * set))
#define HD_VOLTA_HALF(rows, columns)                                                                       \
	asm volatile("mma.sync.aligned.m8n8k4." rows "." columns ".f16.f16.f16.f16 {%0,%1,%2,%3}, {%4,%5}, " \
		     "{%6,%7}, {%0,%1,%2,%3};"                                                             \
		     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                      \
		     : HD_IN2(a, 2 * set), HD_IN2(b, 2 * set))
#define HD_VOLTA(kind)                                  \
	do {                                            \
		if (a_row && b_row)                     \
			HD_VOLTA_##kind("row", "row");  \
		else if (a_row)                         \
			HD_VOLTA_##kind("row", "col");  \
		else if (b_row)                         \
			HD_VOLTA_##kind("col", "row");  \
		else                                    \
			HD_VOLTA_##kind("col", "col");  \
	} while (0)

HD_HERE void volta(float *d, const __half *a, const __half *b, int set, bool a_row, bool b_row)
{
	HD_VOLTA(SINGLE);
}
HD_HERE void volta(unsigned int *d, const __half *a, const __half *b, int set, bool a_row, bool b_row)
{
	HD_VOLTA(HALF);
}

/* A tile of 16 by 8: `a` and `b` are words from the left and right tile's first. */
#define HD_SINGLE_8(type, a, b)                                                                               \
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32." type "." type                                    \
		     ".f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"                                      \
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                         \
		     : HD_IN2(left, a), "r"(word_of(right, b)))
#define HD_SINGLE_16(shape, type)                                                                             \
	asm volatile("mma.sync.aligned." shape ".row.col.f32." type "." type                                  \
		     ".f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"                             \
		     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                         \
		     : HD_IN4(left, a), HD_IN2(right, b))

HD_HERE void tile(float *d, const __half *left, int a, const __half *right, int b)
{
#if HD_ARCH >= 800
	HD_SINGLE_16("m16n8k16", "f16");
#else
	HD_SINGLE_8("f16", a, b);
	HD_SINGLE_8("f16", a + 2, b + 1);
#endif
}
HD_HERE void tile(unsigned int *d, const __half *left, int a, const __half *right, int b)
{
#if HD_ARCH >= 800
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
		     : "+r"(d[0]), "+r"(d[1])
		     : HD_IN4(left, a), HD_IN2(right, b));
#else
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
		     : "+r"(d[0]), "+r"(d[1])
		     : HD_IN2(left, a), "r"(word_of(right, b)));
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
		     : "+r"(d[0]), "+r"(d[1])
		     : HD_IN2(left, a + 2), "r"(word_of(right, b + 1)));
#endif
}
HD_HERE void tile(float *d, const __nv_bfloat16 *left, int a, const __nv_bfloat16 *right, int b)
{
	HD_SINGLE_16("m16n8k16", "bf16");
}
HD_HERE void tile(float *d, const float *left, int a, const float *right, int b)
{
	HD_SINGLE_16("m16n8k8", "tf32");
}

/* Bytes: sm_75 has 8 lines of the left factor at a time. */
#if HD_ARCH >= 800
#define HD_BYTES(limit, type)                                                                                       \
	asm volatile("mma.sync.aligned.m16n8k16.row.col" limit ".s32." type "." type                                \
		     ".s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"                                            \
		     : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])                                               \
		     : HD_IN2(left, a), "r"(word_of(right, b)))
#else
#define HD_BYTES_8(limit, type, i)                                                             \
	asm volatile("mma.sync.aligned.m8n8k16.row.col" limit ".s32." type "." type            \
		     ".s32 {%0,%1}, {%2}, {%3}, {%0,%1};"                                      \
		     : "+r"(d[2 * i]), "+r"(d[2 * i + 1])                                      \
		     : "r"(word_of(left, a + i)), "r"(word_of(right, b)))
#define HD_BYTES(limit, type)               \
	do {                                \
		HD_BYTES_8(limit, type, 0); \
		HD_BYTES_8(limit, type, 1); \
	} while (0)
#endif
HD_HERE void tile(int *d, const signed char *left, int a, const signed char *right, int b, bool saturates)
{
	if (saturates)
		HD_BYTES(".satfinite", "s8");
	else
		HD_BYTES("", "s8");
}
HD_HERE void tile(int *d, const unsigned char *left, int a, const unsigned char *right, int b, bool saturates)
{
	if (saturates)
		HD_BYTES(".satfinite", "u8");
	else
		HD_BYTES("", "u8");
}

/* ---- where elements are */

/* Whether the product is computed as that of two halves of a warp's quads. */
template <class _T> struct on_volta {
	static constexpr bool value = HD_ARCH < 750 && __is_same(_T, __half);
};
template <int _M, int _N> struct shape {
	static constexpr bool transposed = _M == 8 && _N == 32;
	static constexpr bool two_left = _M != _N;
};

/* Whether memory has the elements of a line together. */
template <class _Use, class _Layout> struct along {
	static constexpr bool value = __is_same(_Use, matrix_a) == __is_same(_Layout, row_major);
};

/* The first of the 8 lines that a quad has of a factor, and of the sum's rows and columns. */
template <int _M, int _N> HD_HERE unsigned int volta_rows()
{
	unsigned int quad = lane() / 4 % 4;
	return _M == 8 ? 0 : _M == 32 ? 8 * quad : 8 * (quad & 1);
}
template <int _M, int _N> HD_HERE unsigned int volta_columns()
{
	unsigned int quad = lane() / 4 % 4;
	return _N == 8 ? 0 : _N == 32 ? 8 * quad : 8 * (quad >> 1);
}

/* Element i of the sum. Volta has halves elsewhere than single-precision numbers; `halves` says which. */
template <int _M, int _N> HD_HERE void volta_spot(int i, bool halves, unsigned int *row, unsigned int *column)
{
	unsigned int own = lane(), below = own / 16 * 4;
	*row = volta_rows<_M, _N>() + below + (halves ? own % 4 : (own & 1) + ((unsigned int)i & 2));
	*column = volta_columns<_M, _N>() +
		  (halves ? (unsigned int)i : ((unsigned int)i & 4) + (own & 2) + ((unsigned int)i & 1));
}
template <int _M, int _N> HD_HERE void spot(int i, unsigned int *row, unsigned int *column)
{
	unsigned int tile = (unsigned int)i / 4, in = (unsigned int)i % 4;
	unsigned int left = lane() / 4 + in / 2 * 8 + (shape<_M, _N>::two_left ? 16 * tile : 0);
	unsigned int right = lane() % 4 * 2 + in % 2 + (shape<_M, _N>::two_left ? 0 : 8 * tile);
	*row = shape<_M, _N>::transposed ? right : left;
	*column = shape<_M, _N>::transposed ? left : right;
}
/* Half and single sums of half factors are placed by them; those of other factors have no Volta. */
template <int _M, int _N, class _T> HD_HERE size_t sum_offset(int i, unsigned int ldm, bool by_rows)
{
	unsigned int row, column;
	if (HD_ARCH < 750 && (__is_same(_T, __half) || __is_same(_T, float)))
		volta_spot<_M, _N>(i, __is_same(_T, __half), &row, &column);
	else
		spot<_M, _N>(i, &row, &column);
	return by_rows ? (size_t)row * ldm + column : (size_t)column * ldm + row;
}

/* ---- loading factors */

template <class _Use, class _Layout> HD_HERE size_t factor_offset(unsigned int line, unsigned int k, unsigned int ldm)
{
	return along<_Use, _Layout>::value ? (size_t)line * ldm + k : (size_t)k * ldm + line;
}

template <class _Use, int _M, int _N, int _K, class _Layout>
HD_HERE void load_volta(fragment<_Use, _M, _N, _K, __half, _Layout> &f, const __half *from, unsigned int ldm)
{
	unsigned int line = __is_same(_Use, matrix_a) ? volta_rows<_M, _N>() : volta_columns<_M, _N>();
	unsigned int in_quad = lane() % 4;
	line += lane() / 16 * 4;
	if (along<_Use, _Layout>::value) {
		const uint4 *words = (const uint4 *)(from + factor_offset<_Use, _Layout>(line + in_quad, 0, ldm));
		__builtin_memcpy(f.x, &words[0], 16);
		__builtin_memcpy(f.x + 8, &words[1], 16);
		return;
	}
#pragma unroll
	for (unsigned int set = 0; set < 4; set++)
		__builtin_memcpy(f.x + 4 * set,
				 (const uint2 *)(from + factor_offset<_Use, _Layout>(line, 4 * set + in_quad, ldm)), 8);
}

HD_HERE unsigned int transposed_word(unsigned int word)
{
	unsigned int out;
	asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(word));
	return out;
}

/* The word of elements `k` (a multiple of 4 words), ..., of `line` and the seven behind it. */
template <class _Use, class _Layout, class _T>
HD_HERE unsigned int factor_word(const _T *from, unsigned int line, unsigned int k, unsigned int ldm)
{
	constexpr unsigned int each = 4 / sizeof(_T);
	unsigned int quad = lane() / 4, in_quad = lane() % 4, word = 0;
	if (along<_Use, _Layout>::value || each == 1)
		return *(const unsigned int *)(from +
					       factor_offset<_Use, _Layout>(line + quad, k + in_quad * each, ldm));
	if (each == 2)
		return transposed_word(*(const unsigned int *)(from + factor_offset<_Use, _Layout>(line + in_quad * 2,
												 k + quad, ldm)));
#pragma unroll
	for (unsigned int i = 0; i < each; i++) {
		const _T *at = from + factor_offset<_Use, _Layout>(line + quad, k + in_quad * each + i, ldm);
		word |= (unsigned int)*(const unsigned char *)at << 8 * i;
	}
	return word;
}

template <class _Use, int _M, int _N, int _K, class _T, class _Layout, class _V>
HD_HERE void load_tiles(fragment<_Use, _M, _N, _K, _T, _Layout> &f, const _V *from, unsigned int ldm)
{
	constexpr bool left = __is_same(_Use, matrix_a) != shape<_M, _N>::transposed;
	constexpr int lines = __is_same(_Use, matrix_a) ? _M : _N, each = 4 / sizeof(_V), blocks = _K / (4 * each);
	constexpr int words = lines / 8 * blocks, of_tile = left ? 2 * blocks : blocks;
#pragma unroll
	for (int i = 0; i < (int)(sizeof(f.x) / 4); i++) {
		if (i >= words) { /* halves are there twice, or four times */
			set_word(f.x, i, word_of(f.x, i % words));
			continue;
		}
		int tile = i / of_tile, in = i % of_tile;
		int line = left ? 16 * tile + 8 * (in % 2) : 8 * tile, block = left ? in / 2 : in;
		set_word(f.x, i,
			 factor_word<_Use, _Layout>(from, (unsigned int)line, (unsigned int)(block * 4 * each), ldm));
	}
}

template <class _Use, int _M, int _N, int _K, class _T, class _Layout, class _V>
HD_HERE void load_factor(fragment<_Use, _M, _N, _K, _T, _Layout> &f, const _V *from, unsigned int ldm)
{
	load_tiles(f, from, ldm);
}
template <class _Use, int _M, int _N, int _K, class _Layout>
HD_HERE void load_factor(fragment<_Use, _M, _N, _K, __half, _Layout> &f, const __half *from, unsigned int ldm)
{
	if (on_volta<__half>::value)
		load_volta(f, from, ldm);
	else
		load_tiles(f, from, ldm);
}
template <class _Use, int _M, int _N, int _K, class _Layout>
HD_HERE void load_factor(fragment<_Use, _M, _N, _K, double, _Layout> &f, const double *from, unsigned int ldm)
{
	f.x[0] = from[factor_offset<_Use, _Layout>(lane() / 4, lane() % 4, ldm)];
}

/* ---- products */

/* The accumulator of another type: on Volta elements are in other lanes then, of the same quad. */
HD_HERE void widen(float *to, const __half *from)
{
	unsigned int own = lane();
#pragma unroll
	for (int i = 0; i < 8; i++) {
		if (HD_ARCH >= 750) {
			to[i] = __half2float(from[i]);
			continue;
		}
		int source = (int)((own & ~3u) | (own & 1) | ((unsigned int)i & 2)), base = (i & 4) | (i & 1);
		float low = __shfl_sync(0xffffffffu, __half2float(from[base]), source);
		float high = __shfl_sync(0xffffffffu, __half2float(from[base + 2]), source);
		to[i] = own & 2 ? high : low;
	}
}
HD_HERE void narrow(__half *to, const float *from)
{
	unsigned int own = lane();
#pragma unroll
	for (int i = 0; i < 8; i++) {
		if (HD_ARCH >= 750) {
			to[i] = __float2half(from[i]);
			continue;
		}
		int source = (int)((own & ~3u) | (own & 1) | ((unsigned int)i & 2)), base = (i & 4) | (i & 1);
		float low = __shfl_sync(0xffffffffu, from[base], source);
		float high = __shfl_sync(0xffffffffu, from[base + 2], source);
		to[i] = __float2half(own & 2 ? high : low);
	}
}

/* d += a * b, the sum as words: of single precision, or of two halves each. */
template <int _M, int _N, int _K, class _Sum, class _F, class _LayoutA, class _LayoutB>
HD_HERE void add_product(_Sum *d, const fragment<matrix_a, _M, _N, _K, _F, _LayoutA> &a,
			 const fragment<matrix_b, _M, _N, _K, _F, _LayoutB> &b)
{
	typedef typename storage<_F>::type _V;
	constexpr bool two = shape<_M, _N>::two_left;
	constexpr int blocks = _K * (int)sizeof(_V) / 16, of_sum = __is_same(_Sum, float) ? 4 : 2;
	const _V *left = shape<_M, _N>::transposed ? b.x : a.x, *right = shape<_M, _N>::transposed ? a.x : b.x;
#pragma unroll
	for (int t = 0; t < 2; t++)
		tile(d + of_sum * t, left, two ? 2 * blocks * t : 0, right, two ? 0 : blocks * t);
}
template <int _M, int _N, int _K, class _Sum, class _LayoutA, class _LayoutB>
HD_HERE void add_halves(_Sum *d, const fragment<matrix_a, _M, _N, _K, __half, _LayoutA> &a,
			const fragment<matrix_b, _M, _N, _K, __half, _LayoutB> &b)
{
	if (!on_volta<__half>::value) {
		add_product(d, a, b);
		return;
	}
#pragma unroll
	for (int set = 0; set < 4; set++)
		volta(d, a.x, b.x, set, __is_same(_LayoutA, row_major), __is_same(_LayoutB, row_major));
}

template <int _M, int _N, int _K, class _F, class _LayoutA, class _LayoutB>
HD_HERE void
multiply(fragment<accumulator, _M, _N, _K, float> &d, const fragment<matrix_a, _M, _N, _K, _F, _LayoutA> &a,
	 const fragment<matrix_b, _M, _N, _K, _F, _LayoutB> &b, const fragment<accumulator, _M, _N, _K, float> &c)
{
	fragment<accumulator, _M, _N, _K, float> sum = c;
	add_product(sum.x, a, b);
	d = sum;
}
template <int _M, int _N, int _K, class _LayoutA, class _LayoutB>
HD_HERE void
multiply(fragment<accumulator, _M, _N, _K, float> &d, const fragment<matrix_a, _M, _N, _K, __half, _LayoutA> &a,
	 const fragment<matrix_b, _M, _N, _K, __half, _LayoutB> &b, const fragment<accumulator, _M, _N, _K, float> &c)
{
	fragment<accumulator, _M, _N, _K, float> sum = c;
	add_halves(sum.x, a, b);
	d = sum;
}
template <int _M, int _N, int _K, class _LayoutA, class _LayoutB>
HD_HERE void
multiply(fragment<accumulator, _M, _N, _K, float> &d, const fragment<matrix_a, _M, _N, _K, __half, _LayoutA> &a,
	 const fragment<matrix_b, _M, _N, _K, __half, _LayoutB> &b, const fragment<accumulator, _M, _N, _K, __half> &c)
{
	fragment<accumulator, _M, _N, _K, float> sum;
	widen(sum.x, c.x);
	add_halves(sum.x, a, b);
	d = sum;
}
template <int _M, int _N, int _K, class _LayoutA, class _LayoutB>
HD_HERE void
multiply(fragment<accumulator, _M, _N, _K, __half> &d, const fragment<matrix_a, _M, _N, _K, __half, _LayoutA> &a,
	 const fragment<matrix_b, _M, _N, _K, __half, _LayoutB> &b, const fragment<accumulator, _M, _N, _K, __half> &c)
{
	unsigned int sum[4];
#pragma unroll
	for (int i = 0; i < 4; i++)
		sum[i] = word_of(c.x, i);
	add_halves(sum, a, b);
#pragma unroll
	for (int i = 0; i < 4; i++)
		set_word(d.x, i, sum[i]);
}
/* Single precision is rounded to half at the end. */
template <int _M, int _N, int _K, class _LayoutA, class _LayoutB>
HD_HERE void
multiply(fragment<accumulator, _M, _N, _K, __half> &d, const fragment<matrix_a, _M, _N, _K, __half, _LayoutA> &a,
	 const fragment<matrix_b, _M, _N, _K, __half, _LayoutB> &b, const fragment<accumulator, _M, _N, _K, float> &c)
{
	fragment<accumulator, _M, _N, _K, float> sum = c;
	add_halves(sum.x, a, b);
	narrow(d.x, sum.x);
}
template <int _M, int _N, int _K, class _LayoutA, class _LayoutB>
HD_HERE void
multiply(fragment<accumulator, _M, _N, _K, double> &d, const fragment<matrix_a, _M, _N, _K, double, _LayoutA> &a,
	 const fragment<matrix_b, _M, _N, _K, double, _LayoutB> &b, const fragment<accumulator, _M, _N, _K, double> &c)
{
	double sum[] = {c.x[0], c.x[1]};
	asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
		     : "+d"(sum[0]), "+d"(sum[1])
		     : "d"(a.x[0]), "d"(b.x[0]));
	d.x[0] = sum[0];
	d.x[1] = sum[1];
}

template <int _M, int _N, int _K, class _F, class _LayoutA, class _LayoutB>
HD_HERE void multiply_bytes(fragment<accumulator, _M, _N, _K, int> &d,
			    const fragment<matrix_a, _M, _N, _K, _F, _LayoutA> &a,
			    const fragment<matrix_b, _M, _N, _K, _F, _LayoutB> &b,
			    const fragment<accumulator, _M, _N, _K, int> &c, bool saturates)
{
	constexpr bool two = shape<_M, _N>::two_left;
	const _F *left = shape<_M, _N>::transposed ? b.x : a.x, *right = shape<_M, _N>::transposed ? a.x : b.x;
	fragment<accumulator, _M, _N, _K, int> sum = c;
#pragma unroll
	for (int t = 0; t < 2; t++)
		tile(sum.x + 4 * t, left, two ? 2 * t : 0, right, two ? 0 : t, saturates);
	d = sum;
}

} // namespace details
} // namespace wmma
} // namespace nvcuda

#undef HD_VOLTA_SINGLE
#undef HD_VOLTA_HALF
#undef HD_VOLTA
#undef HD_SINGLE_8
#undef HD_SINGLE_16
#undef HD_BYTES
#undef HD_BYTES_8
#undef HD_IN2
#undef HD_IN4
#undef HD_HERE
#undef HD_ARCH
#endif
