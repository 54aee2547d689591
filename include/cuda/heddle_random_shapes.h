/*
 * cuRAND's distributions on the device where no toolkit's headers are at hand (heddle_random.h): uniform numbers, normal
 * ones by Box and Muller's method and logarithmic ones as cuRAND has them; numbers of Poisson's distribution by
 * methods of their own.
 */
#ifndef HEDDLE_RANDOM_SHAPES_H
#define HEDDLE_RANDOM_SHAPES_H

/* ------------------------------------------------------------------ uniform: 0 is not among them, 1 is */

HD_RANDOM float hd_random_unit(unsigned int x)
{
	return x * 0x1p-32f + 0x1p-33f;
}
HD_RANDOM double hd_random_unit_double(unsigned int x, unsigned int y)
{
	return ((unsigned long long)x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54;
}

template <class _State>
HD_RANDOM float curand_uniform(_State *state)
{
	return hd_random_unit(curand(state));
}
HD_RANDOM float curand_uniform(curandStateMRG32k3a_t *state)
{
	return (float)(curand_MRG32k3a(state) * (1 / (double)HD_MRG_1));
}
template <class _State>
HD_RANDOM double curand_uniform_double(_State *state)
{
	unsigned int x = curand(state);
	return hd_random_unit_double(x, curand(state));
}
HD_RANDOM double curand_uniform_double(curandStatePhilox4_32_10_t *state)
{
	return curand(state) * 0x1p-32 + 0x1p-32;
}
HD_RANDOM double curand_uniform_double(curandStateMRG32k3a_t *state)
{
	return curand_MRG32k3a(state) * (1 / (double)HD_MRG_1);
}
HD_RANDOM float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
	uint4 x = curand4(state);
	return make_float4(hd_random_unit(x.x), hd_random_unit(x.y), hd_random_unit(x.z), hd_random_unit(x.w));
}
HD_RANDOM double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
	uint4 x = curand4(state);
	return make_double2(hd_random_unit_double(x.x, x.y), hd_random_unit_double(x.z, x.w));
}
HD_RANDOM double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state)
{
	double2 x = curand_uniform2_double(state), y = curand_uniform2_double(state);
	return make_double4(x.x, x.y, y.x, y.y);
}

/* ------------------------------------------------------------------ normal */

HD_RANDOM float2 hd_random_pair(unsigned int x, unsigned int y)
{
	const float tau = 6.2831855f;
	float2 result;
	float radius = sqrtf(-2.0f * logf(hd_random_unit(x)));
	__sincosf(y * (0x1p-32f * tau) + 0x1p-33f * tau, &result.x, &result.y);
	return make_float2(result.x * radius, result.y * radius);
}
HD_RANDOM double2 hd_random_pair_double(double u, double v)
{
	double2 result;
	double radius = sqrt(-2.0 * log(u));
	sincospi(2 * v, &result.x, &result.y);
	return make_double2(result.x * radius, result.y * radius);
}

template <class _State>
HD_RANDOM float2 curand_normal2(_State *state)
{
	unsigned int x = curand(state);
	return hd_random_pair(x, curand(state));
}
HD_RANDOM float2 curand_normal2(curandStateMRG32k3a_t *state)
{
	float2 result;
	float u = curand_uniform(state), v = curand_uniform(state) * 6.2831855f, radius = sqrtf(-2.0f * logf(u));
	__sincosf(v, &result.x, &result.y);
	return make_float2(result.x * radius, result.y * radius);
}
template <class _State>
HD_RANDOM double2 curand_normal2_double(_State *state)
{
	double u = curand_uniform_double(state);
	return hd_random_pair_double(u, curand_uniform_double(state));
}
HD_RANDOM double2 curand_normal2_double(curandStatePhilox4_32_10_t *state)
{
	double2 u = curand_uniform2_double(state);
	return hd_random_pair_double(u.x, u.y);
}
HD_RANDOM float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
	uint4 x = curand4(state);
	float2 a = hd_random_pair(x.x, x.y), b = hd_random_pair(x.z, x.w);
	return make_float4(a.x, a.y, b.x, b.y);
}
HD_RANDOM double4 curand_normal4_double(curandStatePhilox4_32_10_t *state)
{
	double2 a = curand_normal2_double(state), b = curand_normal2_double(state);
	return make_double4(a.x, a.y, b.x, b.y);
}

/* One of a pair; the other is kept for the next call of the same distribution. */
enum { HD_RANDOM_NORMAL = 1, HD_RANDOM_LOG_NORMAL = 2 };
template <class _State>
HD_RANDOM float curand_normal(_State *state)
{
	if (state->boxmuller_flag == HD_RANDOM_NORMAL) {
		state->boxmuller_flag = 0;
		return state->boxmuller_extra;
	}
	float2 pair = curand_normal2(state);
	state->boxmuller_extra = pair.y;
	state->boxmuller_flag = HD_RANDOM_NORMAL;
	return pair.x;
}
template <class _State>
HD_RANDOM double curand_normal_double(_State *state)
{
	if (state->boxmuller_flag_double == HD_RANDOM_NORMAL) {
		state->boxmuller_flag_double = 0;
		return state->boxmuller_extra_double;
	}
	double2 pair = curand_normal2_double(state);
	state->boxmuller_extra_double = pair.y;
	state->boxmuller_flag_double = HD_RANDOM_NORMAL;
	return pair.x;
}

template <class _State>
HD_RANDOM float curand_log_normal(_State *state, float mean, float deviation)
{
	if (state->boxmuller_flag == HD_RANDOM_LOG_NORMAL) {
		state->boxmuller_flag = 0;
		return state->boxmuller_extra;
	}
	float2 pair = curand_normal2(state);
	state->boxmuller_extra = expf(mean + deviation * pair.y);
	state->boxmuller_flag = HD_RANDOM_LOG_NORMAL;
	return expf(mean + deviation * pair.x);
}
template <class _State>
HD_RANDOM double curand_log_normal_double(_State *state, double mean, double deviation)
{
	if (state->boxmuller_flag_double == HD_RANDOM_LOG_NORMAL) {
		state->boxmuller_flag_double = 0;
		return state->boxmuller_extra_double;
	}
	double2 pair = curand_normal2_double(state);
	state->boxmuller_extra_double = exp(mean + deviation * pair.y);
	state->boxmuller_flag_double = HD_RANDOM_LOG_NORMAL;
	return exp(mean + deviation * pair.x);
}
template <class _State>
HD_RANDOM float2 curand_log_normal2(_State *state, float mean, float deviation)
{
	float2 pair = curand_normal2(state);
	return make_float2(expf(mean + deviation * pair.x), expf(mean + deviation * pair.y));
}
HD_RANDOM float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float deviation)
{
	float2 a = curand_log_normal2(state, mean, deviation), b = curand_log_normal2(state, mean, deviation);
	return make_float4(a.x, a.y, b.x, b.y);
}

/* ------------------------------------------------------------------ Poisson */

/* Counts factors until the product falls below exp(-lambda): for small lambda (D. E. Knuth, TAOCP 3.4.1). */
template <class _State>
HD_RANDOM unsigned int hd_random_poisson_few(_State *state, double lambda)
{
	unsigned int count = 0;
	double product = curand_uniform_double(state), limit = exp(-lambda);
	for (; product > limit; count++)
		product *= curand_uniform_double(state);
	return count;
}

/* Transformed rejection: W. Hormann, The transformed rejection method for generating Poisson random variables, 1993. */
template <class _State>
HD_RANDOM unsigned int hd_random_poisson_many(_State *state, double lambda)
{
	double b = 0.931 + 2.53 * sqrt(lambda), a = -0.059 + 0.02483 * b, scale = 1.1239 + 1.1328 / (b - 3.4);
	double right = 0.9277 - 3.6224 / (b - 2);
	for (;;) {
		double u = curand_uniform_double(state) - 0.5, v = curand_uniform_double(state);
		double us = 0.5 - fabs(u), k = floor((2 * a / us + b) * u + lambda + 0.43);
		if (us >= 0.07 && v <= right)
			return (unsigned int)k;
		if (k < 0 || (us < 0.013 && v > us))
			continue;
		if (log(v) + log(scale) - log(a / (us * us) + b) <= k * log(lambda) - lambda - lgamma(k + 1))
			return (unsigned int)k;
	}
}

template <class _State>
HD_RANDOM unsigned int curand_poisson(_State *state, double lambda)
{
	return lambda < 16 ? hd_random_poisson_few(state, lambda) : hd_random_poisson_many(state, lambda);
}
HD_RANDOM uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double lambda)
{
	unsigned int x = curand_poisson(state, lambda), y = curand_poisson(state, lambda);
	unsigned int z = curand_poisson(state, lambda);
	return make_uint4(x, y, z, curand_poisson(state, lambda));
}

#endif
