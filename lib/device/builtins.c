/*
 * Operations that take more than one machine instruction: integer division, correctly rounded division and square root,
 * remainders, 128-bit division. Lowering calls them by name; builtins.h lists them.
 *
 * The machine has no dividers. As on the hardware modelled, everything starts from an approximate reciprocal or
 * reciprocal square root and is made exact with fused multiply-adds (floating point) or multiplication and a
 * remainder test (integers). So nothing here may use /, % or a square root on anything but constants.
 *
 * Integer division by zero gives all ones for quotient and remainder, as NVIDIA's code does; floating point is IEEE
 * 754 with denormals, rounding to nearest even. Approximations are taken to be good to a relative 2^-22 (float) and
 * 2^-18 (double). test/unit/test_builtins.c compiles this file for the host with worse ones.
 */
#include "builtins.h"

#if defined(__NVPTX__)
#include "device.h"
#define rcp_approx(a) __nvvm_rcp_approx_ftz_f(a)
#define rsqrt_approx(a) __nvvm_rsqrt_approx_ftz_f(a)
#define rcp_approx_d(a) __nvvm_rcp_approx_ftz_d(a)
#define rsqrt_approx_d(a) hd_rsqrt_approx_d(a)
#define mulhi32(a, b) __nvvm_mulhi_ui(a, b)
#define mulhi64(a, b) __nvvm_mulhi_ull(a, b)
#endif

#define HD_HELPER __attribute__((noinline, nothrow))
#define HD_CORE static inline __attribute__((always_inline))

typedef uint32_t u32;
typedef uint64_t u64;
typedef hd_u128 u128;
typedef hd_s128 s128;

union word {
	u32 bits;
	float value;
};
union word_d {
	u64 bits;
	double value;
};
HD_CORE float as_float(u32 bits)
{
	return (union word){.bits = bits}.value;
}
HD_CORE double as_double(u64 bits)
{
	return (union word_d){.bits = bits}.value;
}
HD_CORE u32 bits_of(float a)
{
	return (union word){.value = a}.bits;
}
HD_CORE u64 bits_of_d(double a)
{
	return (union word_d){.value = a}.bits;
}

/* ---- 32-bit integers ---- */

#ifndef mulhi32
HD_CORE u32 mulhi32(u32 a, u32 b)
{
	return (u32)((u64)a * b >> 32);
}
#endif

/*
 * An underestimate of 2^32/d for d > 0, good to a few units for small d: the float reciprocal less a few ulps, then
 * one Newton step in fixed point, z + z (2^32 - d z) / 2^32.
 */
HD_CORE u32 reciprocal32(u32 d)
{
	float scaled = rcp_approx((float)d) * as_float(0x4f7ffffa); /* 2^32 less 6 ulps */
	u32 z = (u32)__builtin_fminf(scaled, as_float(0x4f7fffff)); /* for d = 0: an infinity has no conversion */
	return z + mulhi32(z, 0u - d * z);
}

/* n mod d, and the quotient through `q`, with z = reciprocal32(d): the estimate is at most 2 short. */
HD_CORE u32 divide32(u32 n, u32 d, u32 z, u32 *q)
{
	u32 estimate = mulhi32(n, z), rest = n - estimate * d;
	if (rest >= d)
		rest -= d, estimate++;
	if (rest >= d)
		rest -= d, estimate++;
	*q = estimate;
	return rest;
}

HD_HELPER u32 __heddle_udiv32(u32 n, u32 d)
{
	u32 q;
	divide32(n, d, reciprocal32(d), &q);
	return d ? q : ~0u;
}
HD_HELPER u32 __heddle_umod32(u32 n, u32 d)
{
	u32 q, rest = divide32(n, d, reciprocal32(d), &q);
	return d ? rest : ~0u;
}

HD_CORE u32 magnitude32(int32_t a)
{
	return a < 0 ? 0u - (u32)a : (u32)a;
}
HD_CORE u64 magnitude64(int64_t a)
{
	return a < 0 ? 0ull - (u64)a : (u64)a;
}

HD_HELPER int32_t __heddle_sdiv32(int32_t n, int32_t d)
{
	u32 m = magnitude32(d), q;
	divide32(magnitude32(n), m, reciprocal32(m), &q);
	return d ? (int32_t)((n ^ d) < 0 ? 0u - q : q) : -1;
}
HD_HELPER int32_t __heddle_smod32(int32_t n, int32_t d)
{
	u32 m = magnitude32(d), q, rest = divide32(magnitude32(n), m, reciprocal32(m), &q);
	return d ? (int32_t)(n < 0 ? 0u - rest : rest) : -1;
}

/* ---- 64-bit integers ---- */

#ifndef mulhi64
HD_CORE u64 mulhi64(u64 a, u64 b)
{
	u64 a0 = (u32)a, a1 = a >> 32, b0 = (u32)b, b1 = b >> 32;
	u64 low = a0 * b0, cross = a1 * b0 + (low >> 32), cross2 = a0 * b1 + (u32)cross;
	return a1 * b1 + (cross >> 32) + (cross2 >> 32);
}
#endif

/* As reciprocal32, for 2^64/d: the exponent field takes the factor 2^64, and two steps are needed. */
HD_CORE u64 reciprocal64(u64 d)
{
	u32 estimate = bits_of(rcp_approx((float)d));
	u64 z = (u64)as_float(estimate + (64u << 23) - 6);
	z += mulhi64(z, 0ull - d * z);
	return z + mulhi64(z, 0ull - d * z);
}

HD_CORE u64 divide64(u64 n, u64 d, u64 z, u64 *q)
{
	u64 estimate = mulhi64(n, z), rest = n - estimate * d;
	if (rest >= d)
		rest -= d, estimate++;
	if (rest >= d)
		rest -= d, estimate++;
	*q = estimate;
	return rest;
}

/* Operands that fit 32 bits are the common case, and a quarter of the work. */
HD_CORE u64 divide64_any(u64 n, u64 d, u64 *q)
{
	if ((n | d) >> 32)
		return divide64(n, d, reciprocal64(d), q);
	u32 narrow, rest = divide32((u32)n, (u32)d, reciprocal32((u32)d), &narrow);
	*q = narrow;
	return rest;
}

HD_HELPER u64 __heddle_udiv64(u64 n, u64 d)
{
	u64 q;
	divide64_any(n, d, &q);
	return d ? q : ~0ull;
}
HD_HELPER u64 __heddle_umod64(u64 n, u64 d)
{
	u64 q, rest = divide64_any(n, d, &q);
	return d ? rest : ~0ull;
}
HD_HELPER int64_t __heddle_sdiv64(int64_t n, int64_t d)
{
	u64 q;
	divide64_any(magnitude64(n), magnitude64(d), &q);
	return d ? (int64_t)((n ^ d) < 0 ? 0ull - q : q) : -1;
}
HD_HELPER int64_t __heddle_smod64(int64_t n, int64_t d)
{
	u64 q, rest = divide64_any(magnitude64(n), magnitude64(d), &q);
	return d ? (int64_t)(n < 0 ? 0ull - rest : rest) : -1;
}

/* ---- 128-bit integers: one bit a step, from the first bit that can be set; in words of 32, which need no pairs ---- */

struct wide {
	u64 low, high;
};

HD_CORE struct wide wide_of(u128 a)
{
	return (struct wide){(u64)a, (u64)(a >> 64)};
}
HD_CORE u128 wide_value(struct wide a)
{
	return (u128)a.high << 64 | a.low;
}
/*
 * One bit of a quotient: q = 2 q + (n >= d), n less d in that case, d / 2. Returns whether a bit left q. On the device in
 * carries and under a mask, with two registers beside the twelve: helpers have 15.
 */
HD_CORE u32 divide_step(u32 n[4], u32 d[4], u32 q[4])
{
#if defined(__NVPTX__)
	u32 out, mask;
	__asm__("sub.cc.u32 %0, %2, %6;\n\t"
		"subc.cc.u32 %0, %3, %7;\n\t"
		"subc.cc.u32 %0, %4, %8;\n\t"
		"subc.cc.u32 %0, %5, %9;\n\t"
		"subc.u32 %1, 0, 0;\n\t"
		"not.b32 %1, %1;\n\t"
		"and.b32 %0, %6, %1;\n\t"
		"sub.cc.u32 %2, %2, %0;\n\t"
		"and.b32 %0, %7, %1;\n\t"
		"subc.cc.u32 %3, %3, %0;\n\t"
		"and.b32 %0, %8, %1;\n\t"
		"subc.cc.u32 %4, %4, %0;\n\t"
		"and.b32 %0, %9, %1;\n\t"
		"subc.u32 %5, %5, %0;\n\t"
		"shf.r.clamp.b32 %6, %6, %7, 1;\n\t"
		"shf.r.clamp.b32 %7, %7, %8, 1;\n\t"
		"shf.r.clamp.b32 %8, %8, %9, 1;\n\t"
		"shr.u32 %9, %9, 1;\n\t"
		"add.cc.u32 %10, %10, %10;\n\t"
		"addc.cc.u32 %11, %11, %11;\n\t"
		"addc.cc.u32 %12, %12, %12;\n\t"
		"addc.cc.u32 %13, %13, %13;\n\t"
		"addc.u32 %0, 0, 0;\n\t"
		"sub.u32 %10, %10, %1;"
		: "=&r"(out), "=&r"(mask), "+r"(n[0]), "+r"(n[1]), "+r"(n[2]), "+r"(n[3]), "+r"(d[0]), "+r"(d[1]),
		  "+r"(d[2]), "+r"(d[3]), "+r"(q[0]), "+r"(q[1]), "+r"(q[2]), "+r"(q[3]));
	return out;
#else
	u32 out = q[3] >> 31;
	u128 left = n[0], part = d[0];
	for (int i = 1; i < 4; i++) {
		left |= (u128)n[i] << 32 * i;
		part |= (u128)d[i] << 32 * i;
	}
	u32 fits = left >= part;
	left -= fits ? part : 0;
	part >>= 1;
	for (int i = 3; i >= 0; i--)
		q[i] = q[i] << 1 | (i ? q[i - 1] >> 31 : fits);
	for (int i = 0; i < 4; i++) {
		n[i] = (u32)(left >> 32 * i);
		d[i] = (u32)(part >> 32 * i);
	}
	return out;
#endif
}

/* The upper word of high:low shifted left by less than 32. */
HD_CORE u32 funnel(u32 high, u32 low, u32 by)
{
#if defined(__NVPTX__)
	__asm__("shf.l.clamp.b32 %0, %1, %0, %2;" : "+r"(high) : "r"(low), "r"(by));
	return high;
#else
	return (u32)(((u64)high << 32 | low) << by >> 32);
#endif
}

/* a <<= by, in words: pairs of registers would have to be aligned. */
HD_CORE void shift_words(u32 a[4], u32 by)
{
	for (int words = 2; words; words--)
		if (by & 32u * (u32)words)
			for (int i = 3; i >= 0; i--)
				a[i] = i >= words ? a[i - words] : 0;
	a[3] = funnel(a[3], a[2], by & 31);
	a[2] = funnel(a[2], a[1], by & 31);
	a[1] = funnel(a[1], a[0], by & 31);
	a[0] <<= by & 31;
}

HD_CORE u32 zeros_of(const u32 a[4])
{
	u32 out = 0, top = a[3];
	for (int i = 2; i >= 0; i--)
		if (!top) {
			out += 32;
			top = a[i];
		}
	return top ? out + (u32)__builtin_clz(top) : 128;
}

/* n / d and the rest, all ones for d = 0. No register counts the steps, but a bit that leaves the quotient at the end. */
HD_CORE struct wide divide128(struct wide n, struct wide d, struct wide *rest)
{
	u32 left[4] = {(u32)n.low, (u32)(n.low >> 32), (u32)n.high, (u32)(n.high >> 32)},
	    part[4] = {(u32)d.low, (u32)(d.low >> 32), (u32)d.high, (u32)(d.high >> 32)}, q[4];
	int step = (int)zeros_of(part) - (int)zeros_of(left);
	if (!(part[0] | part[1] | part[2] | part[3])) {
		left[0] = left[1] = left[2] = left[3] = ~0u;
		step = 127;
	}
	for (int i = 0; i < 4; i++)
		q[i] = 0;
	if (step >= 0) {
		shift_words(part, (u32)step);
		for (int i = 0; i < 4; i++)
			q[i] = (127 - step) / 32 == i ? 1u << (127 - step) % 32 : 0;
		while (!divide_step(left, part, q))
			;
	}
	*rest = (struct wide){left[0] | (u64)left[1] << 32, left[2] | (u64)left[3] << 32};
	return (struct wide){q[0] | (u64)q[1] << 32, q[2] | (u64)q[3] << 32};
}

HD_CORE struct wide wide_negate(struct wide a)
{
	return (struct wide){0 - a.low, ~a.high + (a.low == 0)};
}
HD_CORE struct wide wide_magnitude(struct wide a)
{
	return (int64_t)a.high < 0 ? wide_negate(a) : a;
}

HD_HELPER u128 __heddle_udiv128(u128 n, u128 d)
{
	struct wide rest;
	u64 q;
	if (!((n | d) >> 64) && d) {
		divide64((u64)n, (u64)d, reciprocal64((u64)d), &q);
		return q;
	}
	return wide_value(divide128(wide_of(n), wide_of(d), &rest));
}
HD_HELPER u128 __heddle_umod128(u128 n, u128 d)
{
	struct wide rest;
	u64 q;
	if (!((n | d) >> 64) && d)
		return divide64((u64)n, (u64)d, reciprocal64((u64)d), &q);
	divide128(wide_of(n), wide_of(d), &rest);
	return wide_value(rest);
}
/* Part of their callers (passes/legalize/builtins.c): a sign beside three quads would need a stack. */
HD_HELPER s128 __heddle_sdiv128(s128 n, s128 d)
{
	struct wide a = wide_of((u128)n), b = wide_of((u128)d);
	struct wide q = wide_of(__heddle_udiv128(wide_value(wide_magnitude(a)), wide_value(wide_magnitude(b))));
	return (s128)wide_value((int64_t)(a.high ^ b.high) < 0 && d ? wide_negate(q) : q);
}
HD_HELPER s128 __heddle_smod128(s128 n, s128 d)
{
	struct wide a = wide_of((u128)n), b = wide_of((u128)d);
	struct wide rest = wide_of(__heddle_umod128(wide_value(wide_magnitude(a)), wide_value(wide_magnitude(b))));
	return (s128)wide_value((int64_t)a.high < 0 && d ? wide_negate(rest) : rest);
}

/* ---- float ---- */

#define SIGN 0x80000000u
#define INFINITY_BITS 0x7f800000u
#define NAN_BITS 0x7fffffffu
#define MANTISSA 0x007fffffu

HD_CORE int exponent_field(u32 bits)
{
	return (int)(bits >> 23 & 0xff);
}

/*
 * 1/b to nearest: two Newton steps, of which the second starts within an ulp and rounds correctly, unless b's
 * significand is all ones (Markstein, IBM J. Res. Dev. 34:1, 1990); 1/b then lies beside the middle of two floats.
 */
HD_CORE float reciprocal(float b)
{
	float y = rcp_approx(b);
	y = __builtin_fmaf(y, __builtin_fmaf(-b, y, 1.0f), y);
	return __builtin_fmaf(y, __builtin_fmaf(-b, y, 1.0f), y);
}

/*
 * a/b to nearest from y = 1/b to nearest: a first correction brings the quotient within an ulp, a second rounds it
 * correctly (Markstein's theorem again). Needs all rests a - b q to be normal, and so exact.
 */
HD_CORE float quotient(float a, float b, float y)
{
	float q = a * y;
	q = __builtin_fmaf(__builtin_fmaf(-b, q, a), y, q);
	return __builtin_fmaf(__builtin_fmaf(-b, q, a), y, q);
}

/* The significand of a positive finite number as a float in [1, 2), and its exponent. */
HD_CORE float normalized(float a, int *exponent)
{
	int lift = a < 0x1p-126f ? 24 : 0;
	u32 bits = bits_of(lift ? a * 0x1p24f : a);
	*exponent = exponent_field(bits) - 127 - lift;
	return as_float((bits & MANTISSA) | 0x3f800000);
}

/*
 * q 2^exponent with one rounding, for positive q that was rounded to nearest with an error of the sign of `rest`. A
 * denormal result keeps fewer bits of q: where those lost are half of a unit, `rest` tells on which side the exact
 * value is.
 */
HD_CORE u32 scaled(float q, float rest, int exponent)
{
	int field = exponent + exponent_field(bits_of(q));
	if (field >= 255)
		return INFINITY_BITS;
	if (field > 0)
		return bits_of(q) + ((u32)exponent << 23);
	int shift = field < -24 ? 25 : 1 - field;
	u32 mantissa = (bits_of(q) & MANTISSA) | (MANTISSA + 1);
	u32 kept = mantissa >> shift, lost = mantissa << (32 - shift);
	return kept + (lost > SIGN - (rest > 0 || (rest == 0 && (kept & 1))));
}

static __attribute__((noinline)) float divide_slow(float a, float b)
{
	float x = __builtin_fabsf(a), y = __builtin_fabsf(b), infinity = as_float(INFINITY_BITS);
	u32 sign = (bits_of(a) ^ bits_of(b)) & SIGN;
	if (x == 0 && y > 0) /* the one case that programs have in plenty */
		return as_float(sign);
	if (__builtin_isunordered(a, b))
		return a + b;
	if (x == infinity || y == 0)
		return as_float(y == infinity || x == 0 ? NAN_BITS : sign | INFINITY_BITS);
	if (y == infinity)
		return as_float(sign);
	int ex, ey;
	float p = normalized(x, &ex), d = normalized(y, &ey);
	float q = quotient(p, d, d == 0x1.fffffep0f ? 0x1.000002p-1f : reciprocal(d));
	return as_float(sign | scaled(q, __builtin_fmaf(-d, q, p), ex - ey));
}

HD_HELPER float __heddle_fdiv32(float a, float b)
{
	float q = quotient(a, b, reciprocal(b));
	/* The rest has 48 bits from a's first; 1/b and the quotient must be normal (no NaN holds these); b is not all
	 * ones. */
	if (__builtin_fabsf(a) >= 0x1p-101f && __builtin_fabsf(b) < 0x1p125f && __builtin_fabsf(q) >= 0x1p-125f &&
	    (~bits_of(b) & MANTISSA))
		return q;
	return divide_slow(a, b);
}
HD_HELPER float __heddle_rcp32(float a)
{
	return __heddle_fdiv32(1.0f, a);
}

/* The root to nearest of a number whose rest of 2^-24 a is normal. */
HD_CORE float root(float a)
{
	float y = rsqrt_approx(a), g = a * y, h = 0.5f * y;
	float e = __builtin_fmaf(-g, h, 0.5f);
	g = __builtin_fmaf(g, e, g);
	h = __builtin_fmaf(h, e, h);
	g = __builtin_fmaf(__builtin_fmaf(-g, g, a), h, g);
	return __builtin_fmaf(__builtin_fmaf(-g, g, a), h, g);
}

/* Zero, small and denormal numbers, negative ones, infinity and NaN. */
static __attribute__((noinline)) float root_slow(float a)
{
	if (a < 0)
		return as_float(NAN_BITS);
	if (a == 0 || a != a || a == as_float(INFINITY_BITS))
		return a + a; /* of a NaN the one that the hardware makes */
	return root(a * 0x1p64f) * 0x1p-32f;
}

HD_HELPER float __heddle_sqrt32(float a)
{
	return a >= 0x1p-100f && a < as_float(INFINITY_BITS) ? root(a) : root_slow(a);
}

/*
 * The remainder of C's fmod: significands as integers, the exponent difference shifted in eight bits at a time, so
 * that one reciprocal serves all steps.
 */
HD_HELPER float __heddle_frem32(float a, float b)
{
	u32 x = bits_of(a) & ~SIGN, y = bits_of(b) & ~SIGN, sign = bits_of(a) & SIGN;
	if (x > INFINITY_BITS || y > INFINITY_BITS)
		return a + b;
	if (x == INFINITY_BITS || y == 0)
		return as_float(NAN_BITS);
	if (x < y)
		return a;
	int ex = exponent_field(x), ey = exponent_field(y);
	u32 m = x & MANTISSA, d = y & MANTISSA;
	if (ex)
		m |= MANTISSA + 1;
	else
		ex = 1;
	if (ey)
		d |= MANTISSA + 1;
	else
		ey = 1;

	u32 z = reciprocal32(d), q;
	m = divide32(m, d, z, &q);
	for (int left = ex - ey; left > 0; left -= 8)
		m = divide32(m << (left < 8 ? left : 8), d, z, &q);
	if (m == 0)
		return as_float(sign);
	int shift = __builtin_clz(m) - 8; /* back to an implicit 1 where the exponent allows */
	if (shift >= ey)
		return as_float(sign | m << (ey - 1));
	return as_float(sign | ((u32)(ey - shift) << 23) | (m << shift & MANTISSA));
}

/* ---- double: the same steps ---- */

#define SIGN_D 0x8000000000000000ull
#define INFINITY_BITS_D 0x7ff0000000000000ull
#define NAN_BITS_D 0x7ff8000000000000ull
#define MANTISSA_D 0x000fffffffffffffull

#include "quotient.h"

HD_CORE int exponent_field_d(u64 bits)
{
	return (int)(bits >> 52 & 0x7ff);
}

HD_CORE double normalized_d(double a, int *exponent)
{
	int lift = a < 0x1p-1022 ? 54 : 0;
	u64 bits = bits_of_d(lift ? a * 0x1p54 : a);
	*exponent = exponent_field_d(bits) - 1023 - lift;
	return as_double((bits & MANTISSA_D) | 0x3ff0000000000000ull);
}

HD_CORE u64 scaled_d(double q, double rest, int exponent)
{
	int field = exponent + exponent_field_d(bits_of_d(q));
	if (field >= 2047)
		return INFINITY_BITS_D;
	if (field > 0)
		return bits_of_d(q) + ((u64)(u32)exponent << 52);
	int shift = field < -53 ? 54 : 1 - field;
	u64 mantissa = (bits_of_d(q) & MANTISSA_D) | (MANTISSA_D + 1);
	u64 kept = mantissa >> shift, lost = mantissa << (64 - shift);
	return kept + (lost > SIGN_D - (rest > 0 || (rest == 0 && (kept & 1))));
}

static __attribute__((noinline)) double divide_slow_d(double a, double b)
{
	double x = __builtin_fabs(a), y = __builtin_fabs(b), infinity = as_double(INFINITY_BITS_D);
	u64 sign = (bits_of_d(a) ^ bits_of_d(b)) & SIGN_D;
	if (x == 0 && y > 0)
		return as_double(sign);
	if (__builtin_isunordered(a, b))
		return a + b;
	if (x == infinity || y == 0)
		return as_double(y == infinity || x == 0 ? NAN_BITS_D : sign | INFINITY_BITS_D);
	if (y == infinity)
		return as_double(sign);
	int ex, ey;
	double p = normalized_d(x, &ex), d = normalized_d(y, &ey);
	double q = significands_quotient_d(p, d);
	return as_double(sign | scaled_d(q, __builtin_fma(-d, q, p), ex - ey));
}

/* The high word's size as a float: orders doubles that are far apart, and those from 2^1017 up are no number. */
HD_CORE float magnitude_high(double a)
{
	return __builtin_fabsf(as_float((u32)(bits_of_d(a) >> 32)));
}

HD_HELPER double __heddle_fdiv64(double a, double b)
{
	double q = quotient_d(a, b, reciprocal_d(b));
	/* As for float; of b's significand only the low word is looked at. */
	if (magnitude_high(a) >= as_float(56u << 20) && magnitude_high(b) < as_float(2032u << 20) &&
	    magnitude_high(q) >= as_float(8u << 20) && ~(u32)bits_of_d(b))
		return q;
	return divide_slow_d(a, b);
}
HD_HELPER double __heddle_rcp64(double a)
{
	return __heddle_fdiv64(1.0, a);
}

HD_HELPER double __heddle_sqrt64(double a)
{
	double scale = 1;
	if (!(a >= 0x1p-960)) {
		if (a == 0 || a != a)
			return a;
		if (a < 0) /* with a sign, as cards have it */
			return -as_double(NAN_BITS_D);
		a *= 0x1p256;
		scale = 0x1p-128;
	}
	if (a == as_double(INFINITY_BITS_D))
		return a;
	double y = rsqrt_approx_d(a), e = __builtin_fma(-(y * y), a, 1.0);
	y = __builtin_fma(__builtin_fma(e, 0.375, 0.5), e * y, y);
	double g = a * y, h = 0.5 * y;
	e = __builtin_fma(-g, h, 0.5);
	g = __builtin_fma(g, e, g);
	h = __builtin_fma(h, e, h);
	g = __builtin_fma(__builtin_fma(-g, g, a), h, g);
	g = __builtin_fma(__builtin_fma(-g, g, a), h, g);
	return g * scale;
}

/* Eleven bits a step: what 64 bits leave above a significand of 53. */
HD_HELPER double __heddle_frem64(double a, double b)
{
	u64 x = bits_of_d(a) & ~SIGN_D, y = bits_of_d(b) & ~SIGN_D, sign = bits_of_d(a) & SIGN_D;
	if (x > INFINITY_BITS_D || y > INFINITY_BITS_D)
		return a + b;
	if (x == INFINITY_BITS_D || y == 0)
		return as_double(NAN_BITS_D);
	if (x < y)
		return a;
	int ex = exponent_field_d(x), ey = exponent_field_d(y);
	u64 m = x & MANTISSA_D, d = y & MANTISSA_D;
	if (ex)
		m |= MANTISSA_D + 1;
	else
		ex = 1;
	if (ey)
		d |= MANTISSA_D + 1;
	else
		ey = 1;

	u64 z = reciprocal64(d), q;
	u32 end = (u32)(sign >> 32) | (u32)ey; /* what is needed behind the loop, in a register */
	m = divide64(m, d, z, &q);
	for (int left = ex - ey; left > 0; left -= 11)
		m = divide64(m << (left < 11 ? left : 11), d, z, &q);
	__asm__("" : "+r"(end)); /* one that LLVM does not take apart again */
	sign = (u64)end << 32 & SIGN_D;
	ey = (int)(end & 0x7ff);
	if (m == 0)
		return as_double(sign);
	int shift = __builtin_clzll(m) - 11;
	if (shift >= ey)
		return as_double(sign | m << (ey - 1));
	return as_double(sign | ((u64)(ey - shift) << 52) | (m << shift & MANTISSA_D));
}
