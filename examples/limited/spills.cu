/*
 * spills: kernels whose threads hold more values than an SM has registers for, so that the compiler spills. Blocks have
 * 256 threads, of which an SM is to hold BLOCKS: a thread then has 64, 48, 40 or 32 registers (BLOCKS of 4, 5, 6, 8; sm_70).
 *   lu    factors a matrix of 7 x 7 in registers
 *   su3   multiplies three complex matrices of 3 x 3, as lattice programs do
 *   taps  sums 40 neighbours of each of many places, with weights that stay in registers
 */
#include "../grids/grids.h"

#ifndef BLOCKS
#define BLOCKS 8
#endif
#define THREADS 256
#define ORDER 7
#define CELLS (ORDER * ORDER)
#define COLORS 3
#define LINK (2 * COLORS * COLORS)
#define TAPS 40

/* In place; the lower factor has ones on its diagonal. */
BOTH void factor(float *a)
{
#pragma unroll
	for (int k = 0; k < ORDER; k++) {
		float inverse = 1.0f / a[k * ORDER + k];
#pragma unroll
		for (int i = k + 1; i < ORDER; i++) {
			a[i * ORDER + k] *= inverse;
#pragma unroll
			for (int j = k + 1; j < ORDER; j++)
				a[i * ORDER + j] = fmaf(-a[i * ORDER + k], a[k * ORDER + j], a[i * ORDER + j]);
		}
	}
}

/* c = a times b; complex numbers, a real part before its imaginary one. */
BOTH void product(float *c, const float *a, const float *b)
{
#pragma unroll
	for (int i = 0; i < COLORS; i++) {
#pragma unroll
		for (int j = 0; j < COLORS; j++) {
			float re = 0, im = 0;
#pragma unroll
			for (int k = 0; k < COLORS; k++) {
				const float *x = a + 2 * (i * COLORS + k), *y = b + 2 * (k * COLORS + j);
				re = fmaf(x[0], y[0], fmaf(-x[1], y[1], re));
				im = fmaf(x[0], y[1], fmaf(x[1], y[0], im));
			}
			c[2 * (i * COLORS + j)] = re;
			c[2 * (i * COLORS + j) + 1] = im;
		}
	}
}

/* Value k of thread i is at [k * n + i]. */
template <int COUNT> BOTH void load(float *values, const float *from, int n, int i)
{
#pragma unroll
	for (int k = 0; k < COUNT; k++)
		values[k] = from[(size_t)k * n + i];
}

template <int COUNT> BOTH void store(float *to, const float *values, int n, int i)
{
#pragma unroll
	for (int k = 0; k < COUNT; k++)
		to[(size_t)k * n + i] = values[k];
}

BOTH void lu_of(const float *in, float *out, int n, int rounds, int i)
{
	float a[CELLS];
	load<CELLS>(a, in, n, i);
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int k = 0; k < ORDER; k++)
			a[k * ORDER + k] = fabsf(a[k * ORDER + k]) + 16;
		factor(a);
	}
	store<CELLS>(out, a, n, i);
}

BOTH void su3_of(const float *in, float *out, int n, int rounds, int i)
{
	float a[LINK], b[LINK], c[LINK];
	load<LINK>(a, in, n, i);
	load<LINK>(b, in + (size_t)LINK * n, n, i);
	for (int r = 0; r < rounds; r++) {
		product(c, a, b);
		product(a, c, b);
#pragma unroll
		for (int k = 0; k < LINK; k++)
			a[k] *= 0.125f;
	}
	store<LINK>(out, a, n, i);
}

BOTH void taps_of(const float *in, float *out, int n, int rounds, int i)
{
	float weight[TAPS];
	load<TAPS>(weight, in, n, i);
	for (int r = 0; r < rounds; r++) {
		float sum = 0;
#pragma unroll
		for (int k = 0; k < TAPS; k++)
			sum = fmaf(weight[k], in[(i + r + k) % n], sum);
		out[(size_t)r * n + i] = sum;
	}
}

#define KERNEL(name)                                                                                             \
	__global__ void __launch_bounds__(THREADS, BLOCKS) name(const float *in, float *out, int n, int rounds) \
	{                                                                                                        \
		name##_of(in, out, n, rounds, blockIdx.x *THREADS + threadIdx.x);                                \
	}
KERNEL(lu)
KERNEL(su3)
KERNEL(taps)

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*kernel)(const float *in, float *out, int n, int rounds);
		void (*host)(const float *in, float *out, int n, int rounds, int i);
		int in, out; /* values of a thread; out 0: one for each round */
	} kinds[] = {{"lu", lu, lu_of, CELLS, CELLS}, {"su3", su3, su3_of, 2 * LINK, LINK}, {"taps", taps, taps_of, TAPS, 0}};
	Arguments arguments = {argc, argv, "spills [kind [blocks [rounds]]]   (kinds 1 to 3: lu, su3, taps; default 1 16 4)"};
	int kind = size_argument(arguments, 1, 1, 3) - 1, blocks = size_argument(arguments, 2, 16, 65536);
	int rounds = size_argument(arguments, 3, 4, 65536), n = blocks * THREADS;
	size_t values = (size_t)kinds[kind].in * n, results = (size_t)(kinds[kind].out ? kinds[kind].out : rounds) * n;
	float *in = random_floats(values, 1), *expected = host_array<float>(results), *out = device_array<float>(results);

	kinds[kind].kernel<<<blocks, THREADS>>>(device_copy(in, values), out, n, rounds);
	CHECK_LAUNCH();
	for (int i = 0; i < n; i++)
		kinds[kind].host(in, expected, n, rounds, i);
	Verdict verdict = {"spills", 0};
	compare(&verdict, kinds[kind].name, out, expected, results);
	return conclude(verdict, "%s, %d blocks", kinds[kind].name, blocks);
}
