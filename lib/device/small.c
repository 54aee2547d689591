/*
 * Numbers of eight bits, for conversions of PTX: E4M3 (bias 7, no infinity) and E5M2 (bias 15). To nearest, ties to
 * even; what is too large becomes the largest. NaNs are the caller's. Exact the other way.
 */
#include <stdint.h>

/* fraction, bias: of the type; largest: its code. */
static inline uint32_t narrowed(float x, uint32_t fraction, int32_t bias, uint32_t largest)
{
	uint32_t bits = __builtin_bit_cast(uint32_t, x), size = bits & 0x7fffffff, cut = 23 - fraction;
	int32_t exponent = (int32_t)(size >> 23) - 127 + bias;
	uint32_t whole = exponent > 0 ? (uint32_t)exponent << 23 | (size & 0x7fffff) : (size & 0x7fffff) | 0x800000;
	if (exponent <= 0)
		cut += (uint32_t)(1 - exponent);
	uint32_t code = cut > 25 ? 0 : (whole + (1u << (cut - 1)) - 1 + (whole >> cut & 1)) >> cut;
	return (code > largest ? largest : code) | (bits >> 24 & 0x80);
}

uint32_t __heddle_to_e4m3_32(float x)
{
	return narrowed(x, 3, 7, 0x7e);
}

uint32_t __heddle_to_e5m2_32(float x)
{
	return narrowed(x, 2, 15, 0x7b);
}

/* The code's exponent and fraction are those of a float but for the bias; a product corrects it, and denormals, too. */
static inline float widened(uint32_t code, uint32_t fraction, float scale, uint32_t nan)
{
	uint32_t size = code & 0x7f, sign = (code & 0x80) << 24;
	float x = __builtin_bit_cast(float, size << (23 - fraction)) * scale;
	uint32_t bits = size >= nan ? 0x7fffffff : __builtin_bit_cast(uint32_t, x);
	return __builtin_bit_cast(float, bits | sign);
}

float __heddle_from_e4m3_32(uint32_t code)
{
	return widened(code, 3, 0x1p120f, 0x7f);
}

float __heddle_from_e5m2_32(uint32_t code)
{
	return (code & 0x7f) == 0x7c ? (code & 0x80 ? -__builtin_inff() : __builtin_inff())
				     : widened(code, 2, 0x1p112f, 0x7d);
}
