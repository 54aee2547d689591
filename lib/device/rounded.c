/*
 * Double division and square root with a rounding mode: the result to nearest on significands in [1, 4), whose exact
 * remainder says on which side the true value is; then one rounding of an integer significand, denormals included.
 * Part of builtins.bc.
 */
#include "builtins.h"

#define HD_HELPER __attribute__((noinline, nothrow))
#define HD_CORE static inline __attribute__((always_inline))

typedef uint64_t u64;
#include "device.h"
#define rcp_approx_d(a) __nvvm_rcp_approx_ftz_d(a)
#include "quotient.h"

enum mode { TO_ZERO, DOWN, UP };

#define SIGN (UINT64_C(1) << 63)
#define INFINITY_BITS UINT64_C(0x7ff0000000000000)
#define FRACTION UINT64_C(0x000fffffffffffff)

HD_CORE u64 bits_of(double a)
{
	u64 bits;
	__builtin_memcpy(&bits, &a, sizeof bits);
	return bits;
}
HD_CORE double as_double(u64 bits)
{
	double a;
	__builtin_memcpy(&a, &bits, sizeof a);
	return a;
}

/* The significand of a positive finite number in [1, 2), and its exponent. */
HD_CORE double significand(u64 bits, int *exponent)
{
	u64 fraction = bits & FRACTION;
	*exponent = (int)(bits >> 52) - 1023;
	if (*exponent == -1023) {
		int shift = __builtin_clzll(fraction) - 11;
		fraction = fraction << shift & FRACTION;
		*exponent = -1022 - shift;
	}
	return as_double(fraction | UINT64_C(0x3ff0000000000000));
}

/* value 2^exponent, where the exact value is `value` plus something of the sign of `rest`. */
HD_CORE double rounded(double value, double rest, int exponent, u64 sign, enum mode mode)
{
	u64 bits = bits_of(value) - (rest < 0), inexact = rest != 0; /* now towards zero */
	int field = (int)(bits >> 52) + exponent;
	u64 whole = (bits & FRACTION) | (FRACTION + 1);
	int up = mode == UP ? !sign : mode == DOWN ? sign != 0 : 0;
	if (field >= 0x7ff)
		return as_double(sign | (up ? INFINITY_BITS : INFINITY_BITS - 1));
	if (field <= 0) { /* denormal: fewer bits */
		int shift = 1 - field;
		u64 kept = shift > 53 ? 0 : whole >> shift;
		inexact |= shift > 53 || kept << shift != whole;
		whole = kept;
		field = 0;
	} else {
		whole = (whole & FRACTION) | (u64)field << 52;
	}
	return as_double(sign | (whole + (inexact && up)));
}

HD_CORE double divided(double a, double b, enum mode mode)
{
	u64 x = bits_of(a) & ~SIGN, y = bits_of(b) & ~SIGN, sign = (bits_of(a) ^ bits_of(b)) & SIGN;
	int ex, ey;
	if (x >= INFINITY_BITS || y >= INFINITY_BITS || !x || !y)
		return a / b; /* exact or no number */
	double p = significand(x, &ex), d = significand(y, &ey), q = significands_quotient_d(p, d);
	return rounded(q, __builtin_fma(-q, d, p), ex - ey, sign, mode);
}

HD_CORE double root(double a, enum mode mode)
{
	u64 x = bits_of(a);
	int exponent;
	if (x & SIGN && x << 1 && x << 1 <= INFINITY_BITS << 1) /* below zero: a NaN with a sign, as cards have it */
		return as_double(SIGN | INFINITY_BITS | INFINITY_BITS >> 1);
	if (x & SIGN || x >= INFINITY_BITS || !x)
		return __builtin_sqrt(a);
	double p = significand(x, &exponent);
	if (exponent & 1) {
		p *= 2;
		exponent--;
	}
	double r = __builtin_sqrt(p);
	return rounded(r, __builtin_fma(-r, r, p), exponent / 2, 0, mode);
}

HD_HELPER double __heddle_fdiv64_rz(double a, double b)
{
	return divided(a, b, TO_ZERO);
}
HD_HELPER double __heddle_fdiv64_rm(double a, double b)
{
	return divided(a, b, DOWN);
}
HD_HELPER double __heddle_fdiv64_rp(double a, double b)
{
	return divided(a, b, UP);
}
HD_HELPER double __heddle_sqrt64_rz(double a)
{
	return root(a, TO_ZERO);
}
HD_HELPER double __heddle_sqrt64_rm(double a)
{
	return root(a, DOWN);
}
HD_HELPER double __heddle_sqrt64_rp(double a)
{
	return root(a, UP);
}
