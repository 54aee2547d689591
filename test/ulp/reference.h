/*
 * What libm has not in long double: half-turn trigonometry, scaled, inverse and Bessel functions. Bessel functions
 * below 8 are summed in quadruple precision, whose error stays far below a double's ULP at their zeros, too.
 */
#ifndef HEDDLE_TEST_ULP_REFERENCE_H
#define HEDDLE_TEST_ULP_REFERENCE_H

#include <math.h>

typedef long double real;
static const real pi = 3.141592653589793238462643383279502884L;

static real sinpil_(real x)
{
	x = remainderl(x, 2); /* exact */
	if (fabsl(x) > 0.5L)
		x = copysignl(1 - fabsl(x), x);
	return fabsl(x) > 0.25L ? copysignl(cosl(pi * (0.5L - fabsl(x))), x) : sinl(pi * x);
}
static real cospil_(real x)
{
	return sinpil_(0.5L - fabsl(remainderl(x, 2)));
}

/* exp(x^2) erfc(x); x^2 in two parts, and the continued fraction where erfc is small. */
static real erfcxl_(real x)
{
	if (x < 10) {
		real high = (real)(float)x, low = (x - high) * (x + high);
		return expl(high * high) * expl(low) * erfcl(x);
	}
	real f = x;
	for (int k = 60; k > 0; k--)
		f = x + k / 2.0L / f;
	return 1 / (sqrtl(pi) * f);
}

/* x >= 0 with erfc(x) = y, or with erf(x) = y where that is the smaller one: bisection, then Newton. */
static real inverse_of(real (*function)(real), real y, int sign)
{
	real low = 0, high = 120;
	for (int i = 0; i < 40; i++) {
		real middle = (low + high) / 2;
		if ((function(middle) - y) * sign < 0)
			low = middle;
		else
			high = middle;
	}
	real x = low;
	for (int i = 0; i < 4 && x > 0; i++)
		x -= (function(x) - y) * sign * sqrtl(pi) / 2 * expl(x * x);
	return y > 0 ? x : sign > 0 ? 0 : INFINITY;
}
static real erfinvl_(real y)
{
	real size = fabsl(y), x;
	if (size < 1e-6L) /* two terms of the series at 0 */
		x = sqrtl(pi) / 2 * size * (1 + pi / 12 * size * size);
	else
		x = size < 0.5L ? inverse_of(erfl, size, 1) : inverse_of(erfcl, 1 - size, -1);
	return copysignl(x, y);
}
static real erfcinvl_(real y)
{
	return y < 0.5L ? inverse_of(erfcl, y, -1) : y > 1.5L ? -inverse_of(erfcl, 2 - y, -1) : erfinvl_(1 - y);
}

typedef __float128 quad;

/* log x: libm's, and a step of Newton with exp's series. */
static quad log_quad(quad x)
{
	quad y = (quad)logl((real)x), term = 1, sum = 1, part = y / 1024;
	for (int k = 1; k < 30; k++)
		sum += term = term * part / k;
	for (int k = 0; k < 10; k++)
		sum *= sum;
	return y + (x - sum) / x;
}

/* Ascending series of J0 and J1. */
static quad j_quad(int order, quad x)
{
	quad square = x * x / 4, term = order ? x / 2 : 1, sum = term;
	for (int k = 1; k < 60; k++)
		sum += term = -term * square / (quad)(k * (k + order));
	return sum;
}
static real jl_(int order, real x)
{
	return (real)j_quad(order, x);
}

/* (2/pi) (log(x/2) + gamma) J(x), and the series with harmonic numbers. */
static real yl_(int order, real x)
{
	const quad pi_quad = (quad)3.141592653589793238512809L - (quad)5.016557612668332023557327e-20L;
	const quad euler = (quad)0.5772156649015328606163074L - (quad)9.795267621599925471069397e-21L;
	quad square = (quad)x * x / 4, harmonic = 0, term = order ? (quad)x / 2 : 1, sum = 0;
	if (!(x > 0))
		return x == 0 ? -INFINITY : NAN;
	if (order)
		sum = -term / 2;
	for (int k = 1; k < 60; k++) {
		term = -term * square / (quad)(k * (k + order));
		harmonic += (quad)1 / k;
		sum -= order ? term * (harmonic + (quad)1 / (2 * (k + 1))) : term * harmonic;
	}
	quad value = (log_quad((quad)x / 2) + euler) * j_quad(order, x) + sum;
	return (real)((2 * value - (order ? 2 / (quad)x : 0)) / pi_quad);
}

/* All terms have one sign. */
static real il_(int order, real x)
{
	real square = x * x / 4, term = order ? x / 2 : 1, sum = term;
	for (int k = 1; k < 400; k++)
		sum += term = term * square / ((real)k * (k + order));
	return sum;
}

static real fmal_(real a, real b, real c)
{
	return (real)((quad)a * b + c);
}
static real remquol_(real a, real b, int i)
{
	int quotient;
	real rest = remquol(a, b, &quotient);
	return i & 1 ? (quotient & 7) : rest;
}
static real frexpl_(real a, int i)
{
	int exponent;
	real part = frexpl(a, &exponent);
	return i & 1 ? exponent : part;
}

#endif
