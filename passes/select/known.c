/*
 * Special functions of constants, which ptxas 13 computes, too: those whose operand and result are normal numbers,
 * zeros or infinities, but for tanh and the logarithm of zero. Results are MUFU's, since both come from
 * lib/machine/mufu.h. Constant work.
 */
#include <math.h>
#include <string.h>

#include "lib/machine/mufu.h"
#include "passes/select/select.h"

/* The vectors of mufu.h: one number. */
typedef uint32_t hd_u32s __attribute__((ext_vector_type(1)));
typedef int32_t hd_s32s __attribute__((ext_vector_type(1)));
typedef uint64_t hd_u64s __attribute__((ext_vector_type(1)));
typedef int64_t hd_s64s __attribute__((ext_vector_type(1)));
typedef float hd_f32s __attribute__((ext_vector_type(1)));
typedef double hd_f64s __attribute__((ext_vector_type(1)));

static float of_bits(uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

static bool is_plain(float value)
{
	return isnormal(value) || value == 0 || isinf(value);
}

static float flushed(float value, bool ftz)
{
	return ftz && fpclassify(value) == FP_SUBNORMAL ? copysignf(0, value) : value;
}

/* 1 / 2 pi times the angle, rounded to zero as FMUL.RZ does it. */
static float turns_of(float angle, bool ftz)
{
	double exact = (double)angle * (double)of_bits(HD_SEL_TURN); /* 48 bits */
	float rounded = (float)exact;
	if (fabs((double)rounded) > fabs(exact))
		rounded = nextafterf(rounded, 0);
	return flushed(rounded, ftz);
}

#define RETURN_RESULT(FUNCTION)                       \
	do {                                          \
		FUNCTION(value_, x);                  \
		HD_MUFU_ROUND(bits_, value_, false);  \
		return of_bits(bits_[0]);             \
	} while (0)

/* A denormal result stays one, with .FTZ as well: it is not plain. */
static float compute(enum hd_mufu function, float operand, bool ftz)
{
	bool wave = function == HD_MUFU_SIN || function == HD_MUFU_COS;
	hd_f64s x = (double)(wave ? turns_of(operand, ftz) : operand);
	switch (function) {
	case HD_MUFU_RCP: RETURN_RESULT(HD_MUFU_RCP_OF);
	case HD_MUFU_RSQ: RETURN_RESULT(HD_MUFU_RSQ_OF);
	case HD_MUFU_SQRT: RETURN_RESULT(HD_MUFU_SQRT_OF);
	case HD_MUFU_EX2: RETURN_RESULT(HD_MUFU_EX2_OF);
	case HD_MUFU_LG2: RETURN_RESULT(HD_MUFU_LG2_OF);
	case HD_MUFU_SIN: RETURN_RESULT(HD_MUFU_SIN_OF);
	case HD_MUFU_COS: RETURN_RESULT(HD_MUFU_COS_OF);
	default: return NAN;
	}
}

bool hd_sel_known_special(enum hd_mufu function, struct hd_opnd operand, bool ftz, uint32_t *bits)
{
	bool zero = operand.kind == HD_OPND_REG && operand.reg.id == HD_RZ;
	if (!zero && (operand.kind != HD_OPND_IMM || operand.ref_kind))
		return false;
	float x = of_bits(zero ? 0 : operand.x);
	x = operand.abs ? fabsf(x) : x;
	x = operand.neg ? -x : x;
	x = flushed(x, ftz);
	if (!is_plain(x) || (function == HD_MUFU_LG2 && x == 0))
		return false;
	float result = compute(function, x, ftz);
	if (!is_plain(result))
		return false;
	memcpy(bits, &result, sizeof result);
	return true;
}
