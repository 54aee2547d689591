/*
 * Special functions of constants, which ptxas 13 computes, too: those whose operand and result are normal numbers,
 * zeros or infinities, but for tanh and what is no number. Results are MUFU's (runtime/exec/exec_mufu.c) on every host:
 * a function that IEEE 754 does not fix is computed in double precision, and left to MUFU where an error in the last
 * places could round it to another number. Constant work.
 */
#include <math.h>
#include <string.h>

#include "passes/select/select.h"

#define UNCERTAIN 0x1p-46 /* relative error of both computations, with room */
#define MOST_TURNS 0x1p20 /* beyond them little is left of an angle */

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

/* 1 / 2 pi times the angle, rounded to zero as FMUL.RZ does it. */
static double turns_of(float angle)
{
	double exact = (double)angle * (double)of_bits(HD_SEL_TURN); /* 48 bits */
	float rounded = (float)exact;
	if (fabs((double)rounded) > fabs(exact))
		rounded = nextafterf(rounded, 0);
	return (double)rounded;
}

/* sin or cos of 2 pi t; NaN: not known. */
static double wave(enum hd_mufu function, float angle)
{
	double turns = turns_of(angle), pi = 3.14159265358979323846;
	if (!(fabs(turns) < MOST_TURNS))
		return (double)NAN;
	if (turns == 0)
		return function == HD_MUFU_SIN ? turns : 1;
	turns -= rint(turns);
	return function == HD_MUFU_SIN ? sin(2 * pi * turns) : cos(2 * pi * turns);
}

static double compute(enum hd_mufu function, float x)
{
	switch (function) {
	case HD_MUFU_RCP: return 1.0 / (double)x;
	case HD_MUFU_RSQ: return 1.0 / sqrt((double)x);
	case HD_MUFU_SQRT: return sqrt((double)x);
	case HD_MUFU_EX2: return exp2((double)x);
	case HD_MUFU_LG2: return x == 0 ? (double)NAN : log2((double)x);
	case HD_MUFU_SIN:
	case HD_MUFU_COS: return wave(function, x);
	default: return (double)NAN;
	}
}

static bool is_fixed(enum hd_mufu function)
{
	return function == HD_MUFU_RCP || function == HD_MUFU_RSQ || function == HD_MUFU_SQRT;
}

bool hd_sel_known_special(enum hd_mufu function, struct hd_opnd operand, bool ftz, uint32_t *bits)
{
	bool zero = operand.kind == HD_OPND_REG && operand.reg.id == HD_RZ;
	if (!zero && (operand.kind != HD_OPND_IMM || operand.ref_kind))
		return false;
	float x = of_bits(zero ? 0 : operand.x);
	x = operand.abs ? fabsf(x) : x;
	x = operand.neg ? -x : x;
	if (ftz && fpclassify(x) == FP_SUBNORMAL)
		x = copysignf(0, x);
	double value = is_plain(x) ? compute(function, x) : (double)NAN;
	float result = (float)value;
	if (isnan(value) || !is_plain(result))
		return false;
	if (!is_fixed(function) &&
	    ((float)(value * (1 + UNCERTAIN)) != result || (float)(value * (1 - UNCERTAIN)) != result))
		return false;
	memcpy(bits, &result, sizeof result);
	return true;
}
