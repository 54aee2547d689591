/*
 * Inner products as tensor cores compute them; see dot.c for the rule.
 */
#ifndef HD_RUNTIME_EXEC_DOT_H
#define HD_RUNTIME_EXEC_DOT_H

#include <stdbool.h>
#include <stdint.h>

enum hd_factor { HD_DOT_F16, HD_DOT_BF16, HD_DOT_TF32, HD_DOT_E4M3, HD_DOT_E5M2 };

struct hd_dot_rule {
	uint8_t factor, other; /* enum hd_factor: of a and of b */
	uint8_t group;	       /* products that are added at a time */
	uint8_t fraction;      /* bits behind the largest summand's leading one that summands are cut to */
	uint8_t kept;	       /* fraction bits of a result in single precision */
	bool half;	       /* the accumulator is half precision */
};
enum { HD_DOT_GROUP = 8 /* the most on cards before Hopper */, HD_DOT_SINGLE = 23 };
/* Volta, Turing, Ampere, Hopper (dot.c). */
#define HD_DOT_VOLTA(half) ((struct hd_dot_rule){HD_DOT_F16, HD_DOT_F16, 4, 23, HD_DOT_SINGLE, (half)})
#define HD_DOT_TURING(factor, half) ((struct hd_dot_rule){(factor), (factor), 8, 24, HD_DOT_SINGLE, (half)})
#define HD_DOT_TF32_AMPERE ((struct hd_dot_rule){HD_DOT_TF32, HD_DOT_TF32, 4, 24, HD_DOT_SINGLE, false})
#define HD_DOT_HOPPER(factor, depth, half) \
	((struct hd_dot_rule){(factor), (factor), (depth), 25, HD_DOT_SINGLE, (half)})
#define HD_DOT_HOPPER_BYTES(a, b, half) ((struct hd_dot_rule){(a), (b), 32, 13, 13, (half)})

/* A number taken apart: significand * 2^exponent, where the significand is an integer. */
struct hd_dot_number {
	int32_t significand;
	int16_t exponent; /* of the leading one of a normal number, not of the integer */
	bool special;	  /* infinite or no number */
};
/* The number in the low 16 or 8 bits, or of tf32 in all 32, of which the low 13 do not count. */
struct hd_dot_number hd_dot_number(enum hd_factor factor, uint32_t bits);

/* c + the sum of a[i] * b[i] for i < count, a multiple of the rule's group; `c` and the result are bits of the
 * accumulator's format. */
uint32_t hd_dot(const struct hd_dot_rule *rule, const struct hd_dot_number *a, const struct hd_dot_number *b,
		unsigned count, uint32_t c);

/* sum * 2^unit in the accumulator's format. */
uint32_t hd_dot_round(const struct hd_dot_rule *rule, int64_t sum, int unit);

/* Bits of a factor's fraction. */
static inline int hd_dot_fraction(enum hd_factor factor)
{
	static const uint8_t bits[] = {
		[HD_DOT_F16] = 10, [HD_DOT_BF16] = 7, [HD_DOT_TF32] = 10, [HD_DOT_E4M3] = 3, [HD_DOT_E5M2] = 2};
	return bits[factor];
}

/* Element `index` of a word of elements of so many bits. */
static inline uint32_t hd_dot_element(uint32_t word, unsigned index, unsigned bits)
{
	return bits == 32 ? word : word >> index * bits & ((1u << bits) - 1);
}

#endif
