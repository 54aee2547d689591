/*
 * Functional execution: half precision, two numbers of 16 bits in a register, f16 or bf16.
 *
 * Sums and products are those of single precision, rounded: it has more than twice the precision of either format and
 * two bits, so that the second rounding changes nothing (Figueroa 1995); where the result is denormal, both roundings
 * are exact but the last. A fused multiply-add has its product exactly and its sum with an error in double precision
 * (Knuth's two-sum), and goes to single precision rounded to odd, which the second rounding cannot mistake for a tie
 * (Boldo and Melquiond 2008). A NaN result is 0x7fff. Denormals are kept unless .FTZ replaces them, operands and
 * result, by zeros of their sign; .SAT makes of a NaN 0.
 *
 * Expects the default floating-point environment on entry. Cost: some tens of operations a lane.
 */
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"

#define NAN16 0x7fffu
#define SIGN16 0x8000u
#define INFINITY32 0x7f800000u

HD_INLINE float float_of(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

HD_INLINE uint32_t bits_of(float value)
{
	uint32_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

/* What an instruction does with each number. */
struct half {
	bool brain, flush, saturate;
	uint32_t exponent; /* bits of a number's exponent */
};

static struct half half_of(const struct hd_dinst *inst)
{
	bool brain = HD_MODIFIER(DTYPE) == HD_BF16;
	return (struct half){.brain = brain,
			     .flush = HD_MODIFIER(FTZ),
			     .saturate = HD_MODIFIER(SAT),
			     .exponent = brain ? 0x7f80 : 0x7c00};
}

HD_INLINE uint32_t flushed(struct half half, uint32_t bits)
{
	return half.flush && !(bits & half.exponent) ? bits & SIGN16 : bits;
}

/* Exact. The exponent of an f16 is moved by a product with 2^112, which makes normal numbers of denormal ones. */
HD_INLINE float widened(struct half half, uint32_t bits)
{
	bits = flushed(half, bits & 0xffff);
	if (half.brain)
		return float_of(bits << 16);
	uint32_t magnitude = bits_of(float_of((bits & ~SIGN16) << 13) * 0x1p112f);
	if ((bits & half.exponent) == half.exponent)
		magnitude |= INFINITY32;
	return float_of(magnitude | (bits & SIGN16) << 16);
}

HD_INLINE uint32_t to_brain(uint32_t bits)
{
	return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/* Rounded to nearest even: denormal results by a sum whose last place is theirs. */
HD_INLINE uint32_t to_f16(uint32_t bits)
{
	uint32_t sign = bits >> 16 & SIGN16, magnitude = bits & 0x7fffffffu;
	const uint32_t least = 113u << 23, denormal = 126u << 23, too_large = 143u << 23;
	if (magnitude >= too_large)
		return sign | 0x7c00;
	if (magnitude < least)
		return sign | (bits_of(float_of(magnitude) + float_of(denormal)) - denormal);
	return sign | (magnitude - (112u << 23) + 0xfff + (magnitude >> 13 & 1)) >> 13;
}

HD_INLINE uint32_t narrowed(struct half half, float value)
{
	if (value != value)
		return half.saturate ? 0 : NAN16;
	if (half.saturate)
		value = value > 0 ? value < 1 ? value : 1 : 0;
	uint32_t bits = bits_of(value);
	return flushed(half, half.brain ? to_brain(bits) : to_f16(bits));
}

/* a * b + c to single precision, towards the odd one of the two that it lies between. */
HD_INLINE float fused(float a, float b, float c)
{
	double product = (double)a * b, sum = product + c, part = sum - product;
	double error = (product - (sum - part)) + (c - part);
	float near = (float)sum;
	bool exact = (double)near == sum;
	if (sum - sum != 0 || (exact && error == 0))
		return near;
	bool beyond = exact ? (error < 0) != (sum < 0) : __builtin_fabs((double)near) > __builtin_fabs(sum);
	return float_of((bits_of(near) - beyond) | 1);
}

enum operation { SUM, PRODUCT, FUSED };

HD_INLINE uint32_t computed(enum operation operation, struct half half, uint32_t a, uint32_t b, uint32_t c)
{
	float x = widened(half, a), y = widened(half, b);
	if (operation == FUSED)
		return narrowed(half, fused(x, y, widened(half, c)));
	return narrowed(half, operation == SUM ? x + y : x * y);
}

HD_INLINE void pairs(struct hd_exec *exec, const struct hd_dinst *inst, enum operation operation)
{
	const uint32_t *a = hd_row(exec->warp, inst->inst.a), *b = hd_row(exec->warp, inst->inst.b);
	const uint32_t *c = operation == FUSED ? hd_row(exec->warp, inst->inst.c) : a;
	uint32_t *to = hd_dst_row(exec->warp, inst->inst.dst), signs = inst->inst.srcmods;
	uint32_t sign_a = signs & HD_NEG_A ? 0x80008000u : 0, sign_b = signs & HD_NEG_B ? 0x80008000u : 0;
	uint32_t sign_c = signs & HD_NEG_C ? 0x80008000u : 0;
	struct half half = half_of(inst);
	HD_FOR_LANES (lane, exec->mask) {
		uint32_t x = a[lane] ^ sign_a, y = b[lane] ^ sign_b, z = c[lane] ^ sign_c;
		uint32_t low = computed(operation, half, x, y, z);
		to[lane] = low | computed(operation, half, x >> 16, y >> 16, z >> 16) << 16;
	}
}

HD_EXEC_PLAIN(op_hadd2)
{
	pairs(exec, inst, SUM);
}

HD_EXEC_PLAIN(op_hmul2)
{
	pairs(exec, inst, PRODUCT);
}

HD_EXEC_PLAIN(op_hfma2)
{
	pairs(exec, inst, FUSED);
}

/* To single precision: exact, and a NaN is 0x7fffffff. */
HD_EXEC_PLAIN(op_hadd2_f32)
{
	const uint32_t *b = hd_row(exec->warp, inst->inst.b);
	uint32_t *to = hd_dst_row(exec->warp, inst->inst.dst), shift = HD_MODIFIER(UPPER) ? 16 : 0;
	struct half half = {.exponent = 0x7c00};
	HD_FOR_LANES (lane, exec->mask) {
		float value = widened(half, b[lane] >> shift);
		to[lane] = value != value ? 0x7fffffffu : bits_of(value);
	}
}

const struct hd_exec_clones *hd_exec_half_find(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_HADD2: return &op_hadd2;
	case HD_OP_HMUL2: return &op_hmul2;
	case HD_OP_HFMA2: return &op_hfma2;
	case HD_OP_HADD2_F32: return &op_hadd2_f32;
	default: return NULL;
	}
}
