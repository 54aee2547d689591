/*
 * DPX: sums, minima and maxima of two or three numbers for dynamic programming, as functions of both sides. `relu`
 * bounds a result by 0 from below. s16x2 and u16x2 are two numbers in a word, each by itself; sums wrap around.
 * Of a tie, the flags of __vib* say that the first operand is the result.
 */
#ifndef HEDDLE_CUDA_DPX_H
#define HEDDLE_CUDA_DPX_H

#define HD_BOTH __host__ __device__ static inline

template <class _T> HD_BOTH _T __hd_least(_T a, _T b)
{
	return b < a ? b : a;
}
template <class _T> HD_BOTH _T __hd_most(_T a, _T b)
{
	return a < b ? b : a;
}
/* Two numbers of type H to a word. */
template <class _H> struct __hd_halves {
	_H low, high;
	__host__ __device__ __hd_halves(unsigned int word) : low((_H)(word & 0xffff)), high((_H)(word >> 16))
	{
	}
	__host__ __device__ __hd_halves(_H l, _H h) : low(l), high(h)
	{
	}
	__host__ __device__ unsigned int word() const
	{
		return (unsigned int)(unsigned short)high << 16 | (unsigned short)low;
	}
};

/* One row a function on whole words: its name, type and parameters, and the result in terms of a, b, c. */
#define HD_WORD(name, type, expression)                              \
	HD_BOTH type name(const type a, const type b)                \
	{                                                            \
		return expression;                                   \
	}
#define HD_WORD3(name, type, expression)                             \
	HD_BOTH type name(const type a, const type b, const type c)  \
	{                                                            \
		return expression;                                   \
	}
/* A sum that wraps around. */
#define HD_SUM(type, x, y) ((type)((unsigned int)(x) + (unsigned int)(y)))

#define HD_WORDS(suffix, type)                                                                        \
	HD_WORD3(__vimax3_##suffix, type, __hd_most(__hd_most(a, b), c))                              \
	HD_WORD3(__vimin3_##suffix, type, __hd_least(__hd_least(a, b), c))                            \
	HD_WORD3(__viaddmax_##suffix, type, __hd_most(HD_SUM(type, a, b), c))                         \
	HD_WORD3(__viaddmin_##suffix, type, __hd_least(HD_SUM(type, a, b), c))                        \
	HD_BOTH type __vibmax_##suffix(const type a, const type b, bool *const first)                 \
	{                                                                                             \
		*first = a >= b;                                                                      \
		return *first ? a : b;                                                                \
	}                                                                                             \
	HD_BOTH type __vibmin_##suffix(const type a, const type b, bool *const first)                 \
	{                                                                                             \
		*first = a <= b;                                                                      \
		return *first ? a : b;                                                                \
	}
HD_WORDS(s32, int)
HD_WORDS(u32, unsigned int)
HD_WORD(__vimax_s32_relu, int, __hd_most(__hd_most(a, b), 0))
HD_WORD(__vimin_s32_relu, int, __hd_most(__hd_least(a, b), 0))
HD_WORD3(__vimax3_s32_relu, int, __hd_most(__vimax3_s32(a, b, c), 0))
HD_WORD3(__vimin3_s32_relu, int, __hd_most(__vimin3_s32(a, b, c), 0))
HD_WORD3(__viaddmax_s32_relu, int, __hd_most(__viaddmax_s32(a, b, c), 0))
HD_WORD3(__viaddmin_s32_relu, int, __hd_most(__viaddmin_s32(a, b, c), 0))
#undef HD_WORDS
#undef HD_WORD
#undef HD_WORD3

/* The same of two halves, whose result is `expression` of x, y, z, numbers of type H. */
template <class _H, class _F> HD_BOTH unsigned int __hd_by_halves(_F f, unsigned int a, unsigned int b, unsigned int c)
{
	__hd_halves<_H> x(a), y(b), z(c);
	return __hd_halves<_H>(f(x.low, y.low, z.low), f(x.high, y.high, z.high)).word();
}
#define HD_PAIR3(name, H, expression)                                                                            \
	struct __hd_of##name {                                                                                   \
		__host__ __device__ H operator()(H x, H y, H z) const                                            \
		{                                                                                                \
			(void)z;                                                                                 \
			return expression;                                                                       \
		}                                                                                                \
	};                                                                                                       \
	HD_BOTH unsigned int name(const unsigned int a, const unsigned int b, const unsigned int c)              \
	{                                                                                                        \
		return __hd_by_halves<H>(__hd_of##name(), a, b, c);                                              \
	}
#define HD_PAIR2(name, H, expression)                                                                            \
	struct __hd_of##name {                                                                                   \
		__host__ __device__ H operator()(H x, H y, H) const                                              \
		{                                                                                                \
			return expression;                                                                       \
		}                                                                                                \
	};                                                                                                       \
	HD_BOTH unsigned int name(const unsigned int a, const unsigned int b)                                    \
	{                                                                                                        \
		return __hd_by_halves<H>(__hd_of##name(), a, b, 0u);                                             \
	}
#define HD_PAIRS(suffix, H)                                                                                      \
	HD_PAIR3(__vimax3_##suffix, H, __hd_most(__hd_most(x, y), z))                                            \
	HD_PAIR3(__vimin3_##suffix, H, __hd_least(__hd_least(x, y), z))                                          \
	HD_PAIR3(__viaddmax_##suffix, H, __hd_most((H)(x + y), z))                                               \
	HD_PAIR3(__viaddmin_##suffix, H, __hd_least((H)(x + y), z))                                              \
	HD_BOTH unsigned int __vibmax_##suffix(const unsigned int a, const unsigned int b, bool *const high,     \
					       bool *const low)                                                  \
	{                                                                                                        \
		__hd_halves<H> x(a), y(b);                                                                       \
		*high = x.high >= y.high;                                                                        \
		*low = x.low >= y.low;                                                                           \
		return __hd_halves<H>(*low ? x.low : y.low, *high ? x.high : y.high).word();                     \
	}                                                                                                        \
	HD_BOTH unsigned int __vibmin_##suffix(const unsigned int a, const unsigned int b, bool *const high,     \
					       bool *const low)                                                  \
	{                                                                                                        \
		__hd_halves<H> x(a), y(b);                                                                       \
		*high = x.high <= y.high;                                                                        \
		*low = x.low <= y.low;                                                                           \
		return __hd_halves<H>(*low ? x.low : y.low, *high ? x.high : y.high).word();                     \
	}
HD_PAIRS(s16x2, short)
HD_PAIRS(u16x2, unsigned short)
HD_PAIR2(__vimax_s16x2_relu, short, __hd_most(__hd_most(x, y), (short)0))
HD_PAIR2(__vimin_s16x2_relu, short, __hd_most(__hd_least(x, y), (short)0))
HD_PAIR3(__vimax3_s16x2_relu, short, __hd_most(__hd_most(__hd_most(x, y), z), (short)0))
HD_PAIR3(__vimin3_s16x2_relu, short, __hd_most(__hd_least(__hd_least(x, y), z), (short)0))
HD_PAIR3(__viaddmax_s16x2_relu, short, __hd_most(__hd_most((short)(x + y), z), (short)0))
HD_PAIR3(__viaddmin_s16x2_relu, short, __hd_most(__hd_least((short)(x + y), z), (short)0))

#undef HD_PAIRS
#undef HD_PAIR2
#undef HD_PAIR3
#undef HD_SUM
#undef HD_BOTH
#endif
