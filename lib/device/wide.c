/*
 * More helpers that lowering calls by name (builtins.h): conversions between floating point and 128 bits, exponents,
 * and operations across the warp that the machine has no instruction for. Part of builtins.bc. Bit manipulation only:
 * nothing here needs another helper.
 */
#include "builtins.h"
#include "device.h"

#define HD_HELPER __attribute__((noinline, nothrow))

typedef uint32_t u32;
typedef uint64_t u64;
typedef hd_u128 u128;
typedef hd_s128 s128;

static inline u64 bits_of_d(double a)
{
	u64 bits;
	__builtin_memcpy(&bits, &a, sizeof bits);
	return bits;
}
static inline double as_double(u64 bits)
{
	double a;
	__builtin_memcpy(&a, &bits, sizeof a);
	return a;
}
static inline float as_float(u32 bits)
{
	float a;
	__builtin_memcpy(&a, &bits, sizeof a);
	return a;
}

/* ---- products that do not fit ---- */

static inline u32 product_overflows(u128 a, u128 b)
{
	u64 ah = (u64)(a >> 64), al = (u64)a, bh = (u64)(b >> 64), bl = (u64)b;
	if (ah && bh)
		return 1;
	u128 cross = (u128)(ah | bh) * (ah ? bl : al), low = (u128)al * bl;
	return (u32)(((cross >> 64) | ((cross + (low >> 64)) >> 64)) != 0);
}

HD_HELPER u32 __heddle_umulo128(u128 a, u128 b)
{
	return product_overflows(a, b);
}

/* Part of its caller, as the division of signed numbers (builtins.c). */
HD_HELPER u32 __heddle_smulo128(s128 a, s128 b)
{
	u128 x = a < 0 ? -(u128)a : (u128)a, y = b < 0 ? -(u128)b : (u128)b, product = x * y;
	u128 most = ((u128)1 << 127) - ((a < 0) == (b < 0));
	return __heddle_umulo128(x, y) || product > most;
}

/* ---- 128 bits and floating point ---- */

static inline u128 magnitude_of(double a)
{
	u64 bits = bits_of_d(a) & ~(UINT64_C(1) << 63);
	int exponent = (int)(bits >> 52) - 1075;
	u128 significand = (bits & 0xfffffffffffff) | UINT64_C(1) << 52;
	if (exponent < -63)
		return 0;
	if (exponent > 75)
		return ~(u128)0;
	return exponent < 0 ? significand >> -exponent : significand << exponent;
}

HD_HELPER u128 __heddle_f64_to_u128(double a)
{
	return a > 0 ? magnitude_of(a) : 0;
}

HD_HELPER s128 __heddle_f64_to_s128(double a)
{
	u128 size = magnitude_of(a), top = (u128)1 << 127;
	if (a != a)
		return 0;
	if (a < 0)
		return (s128)(size > top ? top : -size);
	return (s128)(size >= top ? top - 1 : size);
}

/* The leading 64 bits with a sticky last bit, and how far they were moved: one rounding is left to do. */
static inline u64 leading(u128 a, int *exponent)
{
	u64 high = (u64)(a >> 64);
	int shift = high ? 64 - __builtin_clzll(high) : 0;
	*exponent = shift;
	return (u64)(a >> shift) | (shift && (a & (((u128)1 << shift) - 1)) != 0);
}

/* Ties to even of `kept` significant bits out of 64, normalised. */
static inline u64 rounded(u64 top, int kept)
{
	u64 lost = top << kept, value = top >> (64 - kept), tie = UINT64_C(1) << 63;
	return value + (lost > tie || (lost == tie && (value & 1)));
}

HD_HELPER double __heddle_u128_to_f64(u128 a)
{
	int exponent, zeros;
	u64 top = leading(a, &exponent);
	if (!top)
		return 0;
	zeros = __builtin_clzll(top);
	/* The significand's implicit one adds 1 to the exponent, and so does a carry out of it. */
	return as_double(((u64)(1022 + 63 - zeros + exponent) << 52) + rounded(top << zeros, 53));
}

HD_HELPER float __heddle_u128_to_f32(u128 a)
{
	int exponent, zeros;
	u64 top = leading(a, &exponent);
	if (!top)
		return 0;
	zeros = __builtin_clzll(top);
	return as_float(((u32)(126 + 63 - zeros + exponent) << 23) + (u32)rounded(top << zeros, 24));
}

HD_HELPER double __heddle_s128_to_f64(s128 a)
{
	double size = __heddle_u128_to_f64(a < 0 ? -(u128)a : (u128)a);
	return a < 0 ? -size : size;
}

HD_HELPER float __heddle_s128_to_f32(s128 a)
{
	float size = __heddle_u128_to_f32(a < 0 ? -(u128)a : (u128)a);
	return a < 0 ? -size : size;
}

/* ---- exponents ---- */

/* In steps that stay normal until the last, which rounds. */
HD_HELPER double __heddle_ldexp64(double a, int n)
{
	if (n > 1023) {
		a *= 0x1p1023;
		n -= 1023;
		if (n > 1023) {
			a *= 0x1p1023;
			n = n - 1023 > 1023 ? 1023 : n - 1023;
		}
	} else if (n < -1022) {
		a *= 0x1p-969; /* 2^-1022 2^53: the significand is not cut before the end */
		n += 969;
		if (n < -1022) {
			a *= 0x1p-969;
			n = n + 969 < -1022 ? -1022 : n + 969;
		}
	}
	return a * as_double((u64)(1023 + n) << 52);
}

HD_HELPER float __heddle_ldexpf(float a, int n)
{
	/* A double has room for every float's exponent and then some. */
	int bounded = n > 400 ? 400 : n < -400 ? -400 : n;
	return (float)((double)a * as_double((u64)(1023 + bounded) << 52));
}

HD_HELPER double __heddle_frexp64(double a)
{
	u64 bits = bits_of_d(a), field = bits >> 52 & 0x7ff;
	if (a == 0 || field == 0x7ff)
		return a;
	if (!field)
		bits = bits_of_d(a * 0x1p64);
	return as_double((bits & 0x800fffffffffffff) | UINT64_C(1022) << 52);
}

HD_HELPER int __heddle_exponent64(double a)
{
	u64 field = bits_of_d(a) >> 52 & 0x7ff;
	if (a == 0 || field == 0x7ff)
		return 0;
	return field ? (int)field - 1022 : (int)(bits_of_d(a * 0x1p64) >> 52 & 0x7ff) - 1022 - 64;
}

HD_HELPER float __heddle_frexpf(float a)
{
	return (float)__heddle_frexp64((double)a);
}

HD_HELPER int __heddle_exponentf(float a)
{
	return __heddle_exponent64((double)a);
}

/* By squaring; a negative power is the reciprocal of the positive one. */
HD_HELPER double __heddle_powi64(double a, int n)
{
	double out = n & 1 ? a : 1;
	for (u32 left = (n < 0 ? 0u - (u32)n : (u32)n) >> 1; left; left >>= 1) {
		a *= a;
		if (left & 1)
			out *= a;
	}
	return n < 0 ? __heddle_fdiv64(1, out) : out;
}

HD_HELPER float __heddle_powif(float a, int n)
{
	float out = n & 1 ? a : 1;
	for (u32 left = (n < 0 ? 0u - (u32)n : (u32)n) >> 1; left; left >>= 1) {
		a *= a;
		if (left & 1)
			out *= a;
	}
	return n < 0 ? __heddle_fdiv32(1, out) : out;
}

/* ---- across the warp ---- */

#if defined(__NVPTX__)
/* PTX fns: from bit `base` upwards for offset > 0, downwards for offset < 0; 0 asks for the bit itself. */
HD_HELPER u32 __heddle_fns(u32 mask, u32 base, int32_t offset)
{
	int32_t at = (int32_t)(base & 31), step = offset < 0 ? -1 : 1;
	u32 left = offset < 0 ? 0u - (u32)offset : (u32)offset;
	if (base > 31)
		return 0xffffffff;
	if (!offset)
		return mask >> at & 1 ? (u32)at : 0xffffffff;
	for (; at >= 0 && at < 32; at += step)
		if (mask >> at & 1 && --left == 0)
			return (u32)at;
	return 0xffffffff;
}

/* The members' values one after another: lanes need not be neighbours. Those that have ended are gone. */
#define HD_AMONG_LANES HD_HELPER __attribute__((convergent)) /* or LLVM may move a call under a branch */
#define HD_REDUX(name, first, join)                                                                       \
	HD_AMONG_LANES u32 __heddle_redux_##name(u32 value, u32 mask)                                          \
	{                                                                                                 \
		u32 out = first;                                                                          \
		for (u32 left = __nvvm_vote_ballot_sync(mask, 1); left; left &= left - 1) {               \
			u32 x = (u32)__nvvm_shfl_sync_idx_i32(mask, (int)value, __builtin_ctz(left), 31); \
			out = join;                                                                       \
		}                                                                                         \
		return out;                                                                               \
	}
HD_REDUX(add, 0, out + x)
HD_REDUX(min, 0x7fffffff, (int32_t)x < (int32_t)out ? x : out)
HD_REDUX(max, 0x80000000u, (int32_t)x > (int32_t)out ? x : out)
HD_REDUX(umin, 0xffffffff, x < out ? x : out)
HD_REDUX(umax, 0, x > out ? x : out)
HD_REDUX(and, 0xffffffff, out &x)
HD_REDUX(or, 0, out | x)
HD_REDUX(xor, 0, out ^ x)
#endif

/* 1/sqrt(a): Newton steps from the approximation. */
HD_HELPER double __heddle_rsqrt64(double a)
{
	double scale = 1;
	if (a < 0x1p-1022) { /* the approximation takes denormals for zero */
		if (!(a > 0))
			return a < 0 ? -__builtin_nan("") : __builtin_copysign(__builtin_inf(), a);
		a *= 0x1p108;
		scale = 0x1p54;
	}
	double y = hd_rsqrt_approx_d(a);
	if (!(a < __builtin_inf()))
		return y; /* 0 or NaN */
	for (int i = 0; i < 3; i++) {
		double e = __builtin_fma(-a * y, y, 1);
		y = __builtin_fma(0.5 * e, y, y);
	}
	return y * scale;
}
