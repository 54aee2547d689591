/*
 * What the programs of nvvm.py need: operands out of the inputs, results as bits, and, on the host, each operation as
 * PTX defines it. Half precision and bfloat are worked out in double: sums that it does not hold exactly are rounded to
 * odd first, so that the rounding to the format is the only one.
 */
#ifndef NVVM_H
#define NVVM_H

#include "cover.h"

typedef _Float16 f16;
typedef __bf16 bf16;
typedef f16 f16x2 __attribute__((ext_vector_type(2)));
typedef bf16 bf16x2 __attribute__((ext_vector_type(2)));

/* ---- operands: mixed, so that one intrinsic meets small and large numbers of both signs, NaNs and denormals */

static inline u64 word(const u64 *in, unsigned at)
{
	return in[at % INPUTS] >> (at / 4 % 3 * 11);
}
static inline float float_of(const u64 *in, unsigned at)
{
	u64 bits = word(in, at);
	return at & 1 ? as_f32(bits) : (float)(s32)bits / (1 << (at % 7 * 5));
}
static inline double double_of(const u64 *in, unsigned at)
{
	u64 bits = in[at % INPUTS];
	return at & 1 ? as_f64(bits) : (double)(s64)bits / (double)(1ull << (at % 13 * 5));
}
static inline f16 f16_of(const u64 *in, unsigned at)
{
	u16 bits = (u16)word(in, at);
	f16 x;
	__builtin_memcpy(&x, &bits, 2);
	return x;
}
static inline bf16 bf16_of(const u64 *in, unsigned at)
{
	u16 bits = (u16)(at & 2 ? (word(in, at) & 0x9fff) | 0x3800 : word(in, at));
	bf16 x;
	__builtin_memcpy(&x, &bits, 2);
	return x;
}
static inline f16x2 f16x2_of(const u64 *in, unsigned at)
{
	return (f16x2){f16_of(in, at), f16_of(in, at + 5)};
}
static inline bf16x2 bf16x2_of(const u64 *in, unsigned at)
{
	return (bf16x2){bf16_of(in, at), bf16_of(in, at + 5)};
}
#define INTEGER(T)                                                   \
	static inline T T##_of(const u64 *in, unsigned at)           \
	{                                                            \
		return (T)(at & 1 ? word(in, at) : in[at % INPUTS]); \
	}                                                            \
	static inline u64 T##_bits(T x)                              \
	{                                                            \
		return (u64)x;                                       \
	}
INTEGER(u16)
INTEGER(s16)
INTEGER(u32)
INTEGER(s32)
INTEGER(u64)
INTEGER(s64)

/* ---- results: NaNs count as one */

static inline u64 float_bits(float x)
{
	return f32_bits(x);
}
static inline u64 double_bits(double x)
{
	return f64_bits(x);
}
static inline u64 f16_bits(f16 x)
{
	u16 bits;
	__builtin_memcpy(&bits, &x, 2);
	return (bits & 0x7fff) > 0x7c00 ? 0x7fff : bits;
}
static inline u64 bf16_bits(bf16 x)
{
	u16 bits;
	__builtin_memcpy(&bits, &x, 2);
	return (bits & 0x7fff) > 0x7f80 ? 0x7fff : bits;
}
static inline u64 f16x2_bits(f16x2 x)
{
	return f16_bits(x[0]) | f16_bits(x[1]) << 16;
}
static inline u64 bf16x2_bits(bf16x2 x)
{
	return bf16_bits(x[0]) | bf16_bits(x[1]) << 16;
}

#ifndef __NVPTX__
#include <fenv.h>
#include <math.h>

static const int rounding[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

/* Evaluates with the machine's rounding; x, y and z are volatile so that nothing moves across. */
#define IN_MODE(T, mode, ...)                \
	{                                    \
		fesetround(rounding[mode]);  \
		volatile T r_ = __VA_ARGS__; \
		fesetround(FE_TONEAREST);    \
		return r_;                   \
	}

static float flush(float x)
{
	return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x;
}
static u32 bits_of_f(float x)
{
	u32 bits;
	__builtin_memcpy(&bits, &x, 4);
	return bits;
}
static u64 bits_of_d(double x)
{
	u64 bits;
	__builtin_memcpy(&bits, &x, 8);
	return bits;
}

/* ---- single precision with denormals as zero */

static float in_mode(char op, float a, float b, float c, int mode)
{
	volatile float x = flush(a), y = flush(b), z = flush(c);
	IN_MODE(float, mode,
		op == '+'   ? x + y
		: op == '*' ? x * y
		: op == '/' ? x / y
		: op == 's' ? __builtin_sqrtf(x)
			    : __builtin_fmaf(x, y, z))
}
#define directed_add(a, b, mode) flush(in_mode('+', a, b, 0, mode))
#define directed_mul(a, b, mode) flush(in_mode('*', a, b, 0, mode))
#define directed_div(a, b, mode) flush(in_mode('/', a, b, 0, mode))
#define directed_rcp(a, mode) flush(in_mode('/', 1, a, 0, mode))
#define directed_sqrt(a, mode) flush(in_mode('s', a, 0, 0, mode))
#define directed_fma(a, b, c, mode) flush(in_mode('f', a, b, c, mode))
static float saturated(float x)
{
	return x > 1 ? 1 : x > 0 ? x : 0;
}

/* ---- half precision and bfloat: values as doubles, bits from the number of fraction bits and the least exponent */

struct format {
	int fraction, least, bias;
};
static const struct format half_format = {10, -14, 15}, brain_format = {7, -126, 127};

static double value_f16(f16 x)
{
	return (double)x;
}
static double value_bf16(bf16 x)
{
	u16 bits;
	__builtin_memcpy(&bits, &x, 2);
	return (double)as_f32((u64)bits << 16);
}
static double value_float(float x)
{
	return (double)x;
}

static u16 packed(double x, struct format f, int to_zero)
{
	u16 sign = (u16)(signbit(x) ? 0x8000 : 0), infinity = (u16)((2 * f.bias + 1) << f.fraction);
	double size = fabs(x), units;
	int exponent;
	if (x != x)
		return 0x7fff;
	if (isinf(x) || x == 0)
		return sign | (x == 0 ? 0 : infinity);
	frexp(size, &exponent); /* size < 2^exponent */
	exponent = exponent - 1 < f.least ? f.least : exponent - 1;
	units = ldexp(size, f.fraction - exponent);
	u32 whole = (u32)(to_zero ? floor(units) : nearbyint(units));
	u32 bits = whole + (u32)((exponent - f.least) << f.fraction); /* the hidden bit counts the exponent up */
	if (bits >= infinity)
		return sign | (u16)(to_zero ? infinity - 1 : infinity);
	return sign | (u16)bits;
}
static f16 half_of(u16 bits)
{
	f16 x;
	__builtin_memcpy(&x, &bits, 2);
	return x;
}
static bf16 brain_of(u16 bits)
{
	bf16 x;
	__builtin_memcpy(&x, &bits, 2);
	return x;
}

/* a * b + c rounded to odd; the product of two such numbers is exact. */
static double fused_odd(double a, double b, double c)
{
	double p = a * b, s = p + c, t = s - p, error = (p - (s - t)) + (c - t);
	u64 bits = bits_of_d(s);
	if (s != s || isinf(s) || error == 0 || bits & 1)
		return s;
	return as_f64(bits + ((error > 0) == (s > 0) ? 1 : -1));
}
static double flushed(double x, struct format f, int ftz)
{
	return ftz && fabs(x) < ldexp(1, f.least) ? copysign(0, x) : x;
}
static u16 fused(double a, double b, double c, struct format f, double (*value)(u16), int ftz, int relu, int sat)
{
	double r = fused_odd(flushed(a, f, ftz), flushed(b, f, ftz), flushed(c, f, ftz));
	r = flushed(value(packed(r, f, 0)), f, ftz);
	r = relu && r <= 0 ? 0 : sat ? (r > 1 ? 1 : r > 0 ? r : 0) : r;
	return packed(r, f, 0);
}
static double half_value(u16 bits)
{
	return (double)half_of(bits);
}
static double brain_value(u16 bits)
{
	return (double)as_f32((u64)bits << 16);
}
static f16 fused_f16(f16 a, f16 b, f16 c, int ftz, int relu, int sat)
{
	return half_of(fused(value_f16(a), value_f16(b), value_f16(c), half_format, half_value, ftz, relu, sat));
}
static bf16 fused_bf16(bf16 a, bf16 b, bf16 c, int ftz, int relu, int sat)
{
	return brain_of(fused(value_bf16(a), value_bf16(b), value_bf16(c), brain_format, brain_value, ftz, relu, sat));
}

/* The rules of min and max: NaNs give way, or not; -0 is below +0; the sign by xor, sizes compared. */
static double extreme(double a, double b, int sign, int max, int nan, int xorsign)
{
	double r;
	if (xorsign)
		a = fabs(a), b = fabs(b);
	if ((a != a && b != b) || (nan && (a != a || b != b)))
		return NAN;
	r = a != a ? b : b != b ? a : a == b ? (signbit(a) == max ? b : a) : (a > b) == max ? a : b;
	return xorsign ? (sign ? -r : r) : r;
}
static int top(u16 bits)
{
	return bits >> 15;
}
static f16 extreme_f16(f16 a, f16 b, int max, int ftz, int nan, int xorsign)
{
	u16 x, y;
	__builtin_memcpy(&x, &a, 2);
	__builtin_memcpy(&y, &b, 2);
	double r = extreme(flushed(value_f16(a), half_format, ftz), flushed(value_f16(b), half_format, ftz),
			   top(x) != top(y), max, nan, xorsign);
	return half_of(packed(r, half_format, 0));
}
static bf16 extreme_bf16(bf16 a, bf16 b, int max, int ftz, int nan, int xorsign)
{
	u16 x, y;
	__builtin_memcpy(&x, &a, 2);
	__builtin_memcpy(&y, &b, 2);
	double r = extreme(flushed(value_bf16(a), brain_format, ftz), flushed(value_bf16(b), brain_format, ftz),
			   top(x) != top(y), max, nan, xorsign);
	return brain_of(packed(r, brain_format, 0));
}
static float extreme_f(float a, float b, int max, int ftz, int nan, int xorsign)
{
	return (float)extreme(ftz ? flush(a) : a, ftz ? flush(b) : b, signbit(a) != signbit(b), max, nan, xorsign);
}
static double extreme_d(double a, double b, int max, int ftz, int nan, int xorsign)
{
	(void)ftz;
	return extreme(a, b, 0, max, nan, xorsign);
}
#define PAIR2(name)                                                                                        \
	static f16x2 name##_f16x2(f16x2 a, f16x2 b, int p, int q, int r, int s)                            \
	{                                                                                                  \
		return (f16x2){name##_f16(a[0], b[0], p, q, r, s), name##_f16(a[1], b[1], p, q, r, s)};    \
	}                                                                                                  \
	static bf16x2 name##_bf16x2(bf16x2 a, bf16x2 b, int p, int q, int r, int s)                        \
	{                                                                                                  \
		return (bf16x2){name##_bf16(a[0], b[0], p, q, r, s), name##_bf16(a[1], b[1], p, q, r, s)}; \
	}
PAIR2(extreme)
static f16x2 fused_f16x2(f16x2 a, f16x2 b, f16x2 c, int ftz, int relu, int sat)
{
	return (f16x2){fused_f16(a[0], b[0], c[0], ftz, relu, sat), fused_f16(a[1], b[1], c[1], ftz, relu, sat)};
}
static bf16x2 fused_bf16x2(bf16x2 a, bf16x2 b, bf16x2 c, int ftz, int relu, int sat)
{
	return (bf16x2){fused_bf16(a[0], b[0], c[0], ftz, relu, sat), fused_bf16(a[1], b[1], c[1], ftz, relu, sat)};
}
static bf16 with_sign(bf16 a, u16 keep, u16 flip)
{
	u16 bits;
	__builtin_memcpy(&bits, &a, 2);
	return brain_of((bits & keep) ^ flip);
}
#define abs_bf16(a) with_sign(a, 0x7fff, 0)
#define neg_bf16(a) with_sign(a, 0xffff, 0x8000)
#define abs_bf16x2(a)                          \
	(bf16x2)                               \
	{                                      \
		abs_bf16(a[0]), abs_bf16(a[1]) \
	}
#define neg_bf16x2(a)                          \
	(bf16x2)                               \
	{                                      \
		neg_bf16(a[0]), neg_bf16(a[1]) \
	}

/* ---- conversions */

/* To an integer of `bits`, kept in its range; NaN: 0, or the highest bit where one side has 64 bits. */
static s64 whole(double x, int mode, int bits, int is_signed, int wide)
{
	volatile double value = x, r;
	fesetround(rounding[mode]);
	r = rint(value);
	fesetround(FE_TONEAREST);
	double end = ldexp(1, bits - is_signed), begin = is_signed ? -end : 0;
	u64 high = is_signed ? (~UINT64_C(0) >> (65 - bits)) : ~UINT64_C(0) >> (64 - bits);
	if (x != x)
		return wide || bits == 64 ? (s64)(UINT64_C(1) << (bits - 1)) : 0;
	if (r >= end)
		return (s64)high;
	if (r <= begin)
		return is_signed ? (s64)(~UINT64_C(0) << (bits - 1)) : 0;
	return is_signed ? (s64)r : (s64)(u64)r;
}
/* From an integer: x87's format holds all of 64 bits. */
#define REAL(T, x, mode)                     \
	({                                   \
		volatile long double v_ = x; \
		fesetround(rounding[mode]);  \
		volatile T r_ = (T)v_;       \
		fesetround(FE_TONEAREST);    \
		r_;                          \
	})
#define real_f(x, mode) REAL(float, x, mode)
#define real_d(x, mode) REAL(double, x, mode)
static float narrow_in(double a, int mode)
{
	volatile double x = a;
	IN_MODE(float, mode, (float)x)
}
static float narrow(double a, int mode, int ftz)
{
	float r = narrow_in(a, mode);
	return ftz ? flush(r) : r;
}
static u16 half_bits(double x, int to_zero, int relu)
{
	return packed(relu && x <= 0 ? 0 : x, half_format, to_zero);
}
static bf16 brain(float x, int mode, int relu)
{
	return brain_of(packed(relu && x <= 0 ? 0 : x, brain_format, mode == 1));
}
static f16x2 pair_f16(float a, float b, int mode, int relu)
{
	return (f16x2){half_of(half_bits(b, mode == 1, relu)), half_of(half_bits(a, mode == 1, relu))};
}
static bf16x2 pair_bf16(float a, float b, int mode, int relu)
{
	return (bf16x2){brain(b, mode, relu), brain(a, mode, relu)};
}

/* ---- integers */

static u32 low24(u32 x, int is_signed)
{
	return is_signed ? (u32)((s32)(x << 8) >> 8) : x & 0xffffff;
}
static u32 bytes_product(u32 a, u32 b, u32 c, int a_signed, int b_signed)
{
	for (int i = 0; i < 32; i += 8)
		c += (u32)(a_signed ? (s8)(a >> i) : (u8)(a >> i)) * (u32)(b_signed ? (s8)(b >> i) : (u8)(b >> i));
	return c;
}
static u32 permuted(u32 a, u32 b, u32 selector)
{
	u64 all = (u64)b << 32 | a;
	u32 r = 0;
	for (int i = 0; i < 4; i++) {
		u32 pick = selector >> 4 * i & 15, byte = (u32)(all >> 8 * (pick & 7)) & 255;
		r |= (pick & 8 ? (byte & 0x80 ? 255u : 0) : byte) << 8 * i;
	}
	return r;
}
#endif
#endif
