/*
 * The device helpers of lib/device/builtins.c, compiled for the host with approximations that are worse than the
 * machine's, against the host's own operators. Bit for bit, NaNs aside: division and square root are correctly rounded
 * on both sides, and the rest is exact.
 */
#include "harness.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Inputs for each operation; a soak run is built with a larger number. */
#ifndef ROUNDS
#define ROUNDS 400000
#endif

static uint64_t random_state;

static uint64_t random64(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15u; /* splitmix64 */
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return z ^ z >> 31;
}

/* An error of up to 2^-bits, either way. */
static double blur(double exact, int bits)
{
	double unit = (double)(int64_t)random64() * 0x1p-63;
	return exact + exact * ldexp(unit, -bits);
}
static float flushed(double a)
{
	float f = (float)a;
	return fabsf(f) < 0x1p-126f ? copysignf(0, f) : f;
}
static float rcp_approx(float a)
{
	return flushed(blur(1.0 / (double)flushed(a), 22));
}
static float rsqrt_approx(float a)
{
	return flushed(blur(1.0 / sqrt((double)flushed(a)), 22));
}
/* From and to the high word, as the machine has it. */
static double high_word(double a)
{
	uint64_t bits;
	memcpy(&bits, &a, sizeof bits);
	bits &= ~(uint64_t)0xffffffffu;
	memcpy(&a, &bits, sizeof a);
	return fabs(a) < 0x1p-1022 ? copysign(0, a) : a;
}
static double rcp_approx_d(double a)
{
	return high_word(blur(1.0 / high_word(a), 19));
}
static double rsqrt_approx_d(double a)
{
	return high_word(blur(1.0 / sqrt(high_word(a)), 19));
}

#include "lib/device/builtins.c"

/* Integers of any length, with runs of ones and zeros and values beside powers of two among them. */
static uint64_t pattern64(int width)
{
	uint64_t r = random64(), value = random64() >> (64 - width);
	int length = (int)(r % (unsigned)width);
	switch (r >> 32 & 7) {
	case 0: value = (uint64_t)1 << length; break;
	case 1: value = ((uint64_t)1 << length) - 1; break;
	case 2: value = 0 - ((uint64_t)1 << length); break;
	case 3: value = ((uint64_t)1 << length) + (r >> 40 & 3); break;
	case 4: value = r >> 40 & 15; break;
	case 5: break;
	default: value >>= length; break;
	}
	return width == 64 ? value : value & (((uint64_t)1 << width) - 1);
}

static u128 pattern128(void)
{
	u128 value = (u128)pattern64(64) << 64 | pattern64(64);
	return value >> (random64() % 128);
}

static double double_of(uint64_t bits)
{
	double d;
	memcpy(&d, &bits, sizeof d);
	return d;
}
static uint64_t bits_of_double(double d)
{
	uint64_t bits;
	memcpy(&bits, &d, sizeof bits);
	return d == d ? bits : 0x7ff8000000000000u; /* NaNs are alike */
}
static float float_of(uint32_t bits)
{
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}
static uint32_t bits_of_float(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return f == f ? bits : 0x7fffffffu;
}

/* Floats: all bit patterns, small integers, runs of ones in the significand, near the ends of the range. */
static float pattern_float(void)
{
	uint64_t r = random64();
	uint32_t bits = (uint32_t)r;
	switch (r >> 32 & 7) {
	case 0: return (float)((int)(r >> 40 & 63) - 32);
	case 1: return float_of(bits & 0xff800000u);
	case 2: return float_of(bits | (0x7fffffu >> (r >> 40) % 24));
	case 3: return float_of((bits & 0x807fffffu) | 0x3f800000u);
	case 4: return float_of(bits & 0x80ffffffu);
	case 5: return float_of(bits | 0x7f000000u);
	default: return float_of(bits);
	}
}
static double pattern_double(void)
{
	uint64_t bits = random64(), r = random64();
	switch (r & 7) {
	case 0: return (double)((int)(r >> 40 & 63) - 32);
	case 1: return double_of(bits & 0xfff0000000000000u);
	case 2: return double_of(bits | (0xfffffffffffffu >> (r >> 40) % 53));
	case 3: return double_of((bits & 0x800fffffffffffffu) | 0x3ff0000000000000u);
	case 4: return double_of(bits & 0x801fffffffffffffu);
	case 5: return double_of(bits | 0x7fe0000000000000u);
	default: return double_of(bits);
	}
}

#define SAME(got, want, ...) \
	if ((got) != (want)) \
	ck_abort_msg(__VA_ARGS__)

START_TEST(integers_32)
{
	for (long i = 0; i < ROUNDS; i++) {
		uint32_t n = (uint32_t)pattern64(32), d = (uint32_t)pattern64(32);
		if (!d)
			continue;
		SAME(__heddle_udiv32(n, d), n / d, "%u / %u", n, d);
		SAME(__heddle_umod32(n, d), n % d, "%u %% %u", n, d);
		int32_t sn = (int32_t)n, sd = (int32_t)d;
		int64_t wide = (int64_t)sn; /* INT_MIN / -1 wraps */
		SAME(__heddle_sdiv32(sn, sd), (int32_t)(uint32_t)(wide / sd), "%d / %d", sn, sd);
		SAME(__heddle_smod32(sn, sd), (int32_t)(wide % sd), "%d %% %d", sn, sd);
	}
}
END_TEST

START_TEST(integers_64)
{
	for (long i = 0; i < ROUNDS; i++) {
		uint64_t n = pattern64(64), d = pattern64(64);
		if (!d)
			continue;
		SAME(__heddle_udiv64(n, d), n / d, "%#lx / %#lx", (long)n, (long)d);
		SAME(__heddle_umod64(n, d), n % d, "%#lx %% %#lx", (long)n, (long)d);
		s128 sn = (int64_t)n, sd = (int64_t)d;
		SAME(__heddle_sdiv64((int64_t)n, (int64_t)d), (int64_t)(uint64_t)(sn / sd), "%ld / %ld", (long)n,
		     (long)d);
		SAME(__heddle_smod64((int64_t)n, (int64_t)d), (int64_t)(sn % sd), "%ld %% %ld", (long)n, (long)d);
	}
}
END_TEST

START_TEST(integers_128)
{
	for (long i = 0; i < ROUNDS / 8; i++) {
		u128 n = pattern128(), d = pattern128();
		if (!d)
			continue;
		SAME(__heddle_udiv128(n, d), n / d, "unsigned quotient %ld", i);
		SAME(__heddle_umod128(n, d), n % d, "unsigned remainder %ld", i);
		s128 sn = (s128)n, sd = (s128)d;
		if (sd == -1)
			continue;
		SAME(__heddle_sdiv128(sn, sd), sn / sd, "signed quotient %ld", i);
		SAME(__heddle_smod128(sn, sd), sn % sd, "signed remainder %ld", i);
	}
}
END_TEST

START_TEST(division_by_zero)
{
	ck_assert(__heddle_udiv32(5, 0) == UINT32_MAX && __heddle_umod32(5, 0) == UINT32_MAX);
	ck_assert(__heddle_sdiv32(-5, 0) == -1 && __heddle_smod32(5, 0) == -1);
	ck_assert(__heddle_udiv64(5, 0) == UINT64_MAX && __heddle_umod64((uint64_t)5 << 40, 0) == UINT64_MAX);
	ck_assert(__heddle_sdiv64(5, 0) == -1 && __heddle_smod64(INT64_MIN, 0) == -1);
	ck_assert(~__heddle_udiv128(5, 0) == 0 && ~__heddle_umod128(5, 0) == 0);
	ck_assert(__heddle_sdiv128(5, 0) == -1 && __heddle_smod128(-5, 0) == -1);
}
END_TEST

static void float_division(float a, float b)
{
	volatile float want = a / b;
	SAME(bits_of_float(__heddle_fdiv32(a, b)), bits_of_float(want), "%a / %a is %a, not %a", a, b, want,
	     __heddle_fdiv32(a, b));
}

START_TEST(floats_division)
{
	for (long i = 0; i < ROUNDS; i++) {
		float a = pattern_float(), b = pattern_float();
		float_division(a, b);
		float_division(1.0f, b);
		/* A quotient as near as can be to halfway between two floats: from the product of b and such a
		 * midpoint. */
		double midpoint = (double)(random64() >> 39 | 1) * 0x1p-24;
		float_division((float)(midpoint * b), b);
		SAME(bits_of_float(__heddle_rcp32(b)), bits_of_float(1.0f / b), "1 / %a", b);
	}
}
END_TEST

static void double_division(double a, double b)
{
	volatile double want = a / b;
	SAME(bits_of_double(__heddle_fdiv64(a, b)), bits_of_double(want), "%a / %a is %a, not %a", a, b, want,
	     __heddle_fdiv64(a, b));
}

START_TEST(doubles_division)
{
	for (long i = 0; i < ROUNDS; i++) {
		double a = pattern_double(), b = pattern_double();
		double_division(a, b);
		double_division(1.0, b);
		long double midpoint = (long double)(random64() >> 10 | 1) * 0x1p-53L;
		double_division((double)(midpoint * (long double)b), b);
		SAME(bits_of_double(__heddle_rcp64(b)), bits_of_double(1.0 / b), "1 / %a", b);
	}
}
END_TEST

START_TEST(square_roots)
{
	for (long i = 0; i < ROUNDS; i++) {
		float f = pattern_float();
		double d = pattern_double();
		SAME(bits_of_float(__heddle_sqrt32(f)), bits_of_float(sqrtf(f)), "sqrt(%a) float", f);
		SAME(bits_of_double(__heddle_sqrt64(d)), bits_of_double(sqrt(d)), "sqrt(%a)", d);
		/* beside the squares of midpoints, where the root is hard to round */
		double midpoint = (double)(random64() >> 39 | 1);
		f = (float)(midpoint * midpoint);
		SAME(bits_of_float(__heddle_sqrt32(f)), bits_of_float(sqrtf(f)), "sqrt(%a) float", f);
		long double long_midpoint = (long double)(random64() >> 10 | 1);
		d = (double)(long_midpoint * long_midpoint);
		SAME(bits_of_double(__heddle_sqrt64(d)), bits_of_double(sqrt(d)), "sqrt(%a)", d);
	}
	/* every float significand, for both parities of the exponent */
	for (uint32_t m = 0; m < 1u << 24; m += ROUNDS < 1000000 ? 37 : 1) {
		float f = float_of(0x3f800000u + m);
		SAME(bits_of_float(__heddle_sqrt32(f)), bits_of_float(sqrtf(f)), "sqrt(%a) float", f);
	}
}
END_TEST

START_TEST(remainders)
{
	for (long i = 0; i < ROUNDS / 4; i++) {
		float a = pattern_float(), b = pattern_float();
		SAME(bits_of_float(__heddle_frem32(a, b)), bits_of_float(fmodf(a, b)), "fmodf(%a, %a)", a, b);
		double c = pattern_double(), d = pattern_double();
		SAME(bits_of_double(__heddle_frem64(c, d)), bits_of_double(fmod(c, d)), "fmod(%a, %a)", c, d);
	}
}
END_TEST

Suite *hd_suite(void)
{
	random_state = 1;
	return hd_suite_of("builtins",
			   (const TTest *const[]){integers_32, integers_64, integers_128, division_by_zero,
						  floats_division, doubles_division, square_roots, remainders, NULL});
}
