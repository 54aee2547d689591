/*
 * The functions that CUDA adds to the C library, on the host: to some units in the last place, as on the device, not to
 * the device's bits. Floats are computed as doubles.
 */
#ifndef HEDDLE_HOST_MATH_H
#define HEDDLE_HOST_MATH_H

#define HD_HOST __host__ static inline

/* What the C library declares itself, under the condition with which its math.h does: 1 of these functions' doubles and floats. */
#define HD_LIBC_PI 0
#define HD_LIBC_RSQRT 0
#if defined __GLIBC_USE && defined __GLIBC_PREREQ
#if __GLIBC_USE(IEC_60559_FUNCS_EXT_C23)
#undef HD_LIBC_PI
#undef HD_LIBC_RSQRT
#define HD_LIBC_PI __GLIBC_PREREQ(2, 41)
#define HD_LIBC_RSQRT __GLIBC_PREREQ(2, 42)
#endif
#endif

#if !HD_LIBC_RSQRT
HD_HOST double rsqrt(double a)
{
	return 1.0 / ::sqrt(a);
}
HD_HOST float rsqrtf(float a)
{
	return (float)::rsqrt((double)a);
}
#endif
HD_HOST double rcbrt(double a)
{
	return 1.0 / ::cbrt(a);
}
HD_HOST double fdivide(double a, double b)
{
	return a / b;
}
HD_HOST float fdividef(float a, float b)
{
	return a / b;
}

/* sin and cos of pi a: a less its multiple of 1/2 is exact, and so are the zeros. */
HD_HOST void sincospi(double a, double *s, double *c)
{
	if (__builtin_isinf(a) || a != a) {
		*s = *c = a - a;
		return;
	}
	double turn = ::fmod(a, 2.0), quarters = ::rint(2 * turn);
	double angle = M_PI * (turn - quarters / 2), sine = ::sin(angle), cosine = ::cos(angle);
	int quarter = (int)quarters & 3;
	*s = quarter & 1 ? cosine : sine;
	*c = (quarter & 1 ? sine : cosine) + 0.0;
	if (quarter & 2)
		*s = -*s;
	if (quarter == 1 || quarter == 2)
		*c = 0.0 - *c;
	if (*s == 0)
		*s = ::copysign(0.0, a);
}
#if !HD_LIBC_PI
HD_HOST double sinpi(double a)
{
	double s, c;
	sincospi(a, &s, &c);
	return s;
}
HD_HOST float sinpif(float a)
{
	return (float)::sinpi((double)a);
}
HD_HOST double cospi(double a)
{
	double s, c;
	sincospi(a, &s, &c);
	return c;
}
HD_HOST float cospif(float a)
{
	return (float)::cospi((double)a);
}
#endif

/* exp(a * a) erfc(a); far out 1 / (a sqrt(pi)) (1 - 1/(2 a^2) + 1*3/(2 a^2)^2 - ...). */
HD_HOST double erfcx(double a)
{
	if (a < 10) {
		double square = a * a, rest = ::fma(a, a, -square), power = ::exp(square);
		return (__builtin_isinf(power) ? power : power + power * rest) * ::erfc(a);
	}
	double step = 0.5 / (a * a), sum = 1;
	for (int k = 12; k > 0; k--)
		sum = 1 - (2 * k - 1) * step * sum;
	return 0.56418958354775628695 / a * sum;
}

/* 0.5 erfc(-a / sqrt(2)), with what the argument's rounding changes. */
HD_HOST double normcdf(double a)
{
	double t = -a * M_SQRT1_2, rest = ::fma(-a, M_SQRT1_2, -t) + a * 4.8336466567264567e-17, half = 0.5 * ::erfc(t);
	if (!(half > 0 && half < 1))
		return half;
	return half - M_2_SQRTPI / 2 * ::exp(-t * t) * rest;
}

/* The y with erfc(y) = z, for 0 < z <= 1/2: y^2 is about -log z - log(-pi log z) / 2; then steps of Halley's, or of
 * Newton's for the logarithms where erfc is denormal. */
HD_HOST double __hd_erfc_inverse(double z)
{
	double log = ::log(z), y = ::sqrt(-log - 0.5 * ::log(-log * M_PI + 1e-300));
	if (!(y > 0.4))
		y = 0.4;
	for (int i = 0; i < 5; i++) {
		double ratio = z < 1e-290 ? (::log(erfcx(y)) - y * y - log) * erfcx(y) / M_2_SQRTPI
					  : (::erfc(y) - z) / (M_2_SQRTPI * ::exp(-y * y));
		y += z < 1e-290 ? ratio : ratio / (1 - y * ratio);
	}
	return y;
}
HD_HOST double erfinv(double a)
{
	double size = ::fabs(a);
	if (!(size < 1))
		return size == 1 ? ::copysign(__builtin_inf(), a) : __builtin_nan("");
	if (size > 0.5)
		return ::copysign(__hd_erfc_inverse(1 - size), a);
	double y = a / M_2_SQRTPI;
	for (int i = 0; i < 4 && ::fabs(a) > 1e-10; i++) {
		double ratio = (::erf(y) - a) / (M_2_SQRTPI * ::exp(-y * y));
		y -= ratio / (1 + y * ratio);
	}
	return y;
}
HD_HOST double erfcinv(double a)
{
	if (!(a > 0 && a < 2))
		return a == 0 ? __builtin_inf() : a == 2 ? -__builtin_inf() : __builtin_nan("");
	return a <= 0.5 ? __hd_erfc_inverse(a) : erfinv(1 - a);
}
HD_HOST double normcdfinv(double a)
{
	return -M_SQRT2 * erfcinv(2 * a);
}

/* name##f, and name for floats. */
#define HD_FLOAT(name)                            \
	HD_HOST float name##f(float a)            \
	{                                         \
		return (float)::name((double)a);  \
	}                                         \
	HD_HOST float name(float a)               \
	{                                         \
		return name##f(a);                \
	}
HD_FLOAT(rcbrt)
HD_FLOAT(erfcx)
HD_FLOAT(normcdf)
HD_FLOAT(erfinv)
HD_FLOAT(erfcinv)
HD_FLOAT(normcdfinv)
#undef HD_FLOAT

HD_HOST void sincospif(float a, float *s, float *c)
{
	*s = sinpif(a);
	*c = cospif(a);
}
HD_HOST void sincospi(float a, float *s, float *c)
{
	sincospif(a, s, c);
}
HD_HOST void sincos(float a, float *s, float *c)
{
	::sincosf(a, s, c);
}

/* These are there for floats under other names. */
#define HD_FLOAT_NAME(name)                              \
	HD_HOST float name(float a)                  \
	{                                            \
		return ::name##f(a);                 \
	}
HD_FLOAT_NAME(rsqrt)
HD_FLOAT_NAME(sinpi)
HD_FLOAT_NAME(cospi)
HD_FLOAT_NAME(exp10)
HD_FLOAT_NAME(j0)
HD_FLOAT_NAME(j1)
HD_FLOAT_NAME(y0)
HD_FLOAT_NAME(y1)
#undef HD_FLOAT_NAME
HD_HOST float jn(int n, float a)
{
	return ::jnf(n, a);
}
HD_HOST float yn(int n, float a)
{
	return ::ynf(n, a);
}

#define HD_LEAST_AND_MOST(prefix, type)                     \
	HD_HOST type prefix##min(const type a, const type b) \
	{                                                   \
		return b < a ? b : a;                       \
	}                                                   \
	HD_HOST type prefix##max(const type a, const type b) \
	{                                                   \
		return a < b ? b : a;                       \
	}
HD_LEAST_AND_MOST(u, unsigned int)
HD_LEAST_AND_MOST(ll, long long)
HD_LEAST_AND_MOST(ull, unsigned long long)
#undef HD_LEAST_AND_MOST

#undef HD_HOST
#undef HD_LIBC_PI
#undef HD_LIBC_RSQRT

#endif
