/*
 * Divisions of doubles to nearest, for the files of builtins.bc: part of a function, not a call of another helper, which
 * would need a stack for what is live there. Needs rcp_approx_d and HD_CORE.
 */
#ifndef HEDDLE_RUNTIME_DEVICE_QUOTIENT_H
#define HEDDLE_RUNTIME_DEVICE_QUOTIENT_H

/* The approximation has 20 bits: e + e^2 triples them, and one more step rounds. */
HD_CORE double reciprocal_d(double b)
{
	double y = rcp_approx_d(b), e = __builtin_fma(-b, y, 1.0);
	y = __builtin_fma(y, __builtin_fma(e, e, e), y);
	return __builtin_fma(y, __builtin_fma(-b, y, 1.0), y);
}

/* From y = 1/b to nearest; rests have to be normal. */
HD_CORE double quotient_d(double a, double b, double y)
{
	double q = a * y;
	q = __builtin_fma(__builtin_fma(-b, q, a), y, q);
	return __builtin_fma(__builtin_fma(-b, q, a), y, q);
}

/* p / d of significands in [1, 2) or [1, 4): what reciprocal_d does not round correctly is a significand of all ones. */
HD_CORE double significands_quotient_d(double p, double d)
{
	return quotient_d(p, d, d == 0x1.fffffffffffffp0 ? 0x1.0000000000001p-1 : reciprocal_d(d));
}

#endif
