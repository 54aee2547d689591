/*
 * nbody: all-pairs gravity, a few leapfrog steps, one body a thread. The work goes through a chain of functions that
 * are not inlined, three deep: acceleration -> pull -> inverse_cube. Values live across each call are what the
 * register-stack designs save.
 *
 * The host computes in double. A step of the device's adds n terms in float, which errs by about sqrt(n) x 2^-24 of
 * their absolute sum, and each term by 3 x 2^-22 for the reciprocal square root's approximation: 3e-6 at the default
 * size. Close encounters magnify that from step to step; the tolerance of 1e-4 of the largest velocity leaves room.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 64
#define SOFTENING 0.01f
#define STEP 0.01f
#define TOLERANCE 1e-4

#define CHECK(call) check((call), #call, __LINE__)
static void check(cudaError_t error, const char *call, int line)
{
	if (error == cudaSuccess)
		return;
	fprintf(stderr, "nbody.cu:%d: %s: %s\n", line, call, cudaGetErrorString(error));
	exit(1);
}

static const char usage[] = "usage: nbody [bodies [steps]]   (default 1280 bodies, 2 steps)\n";

/* The i-th argument as a number from 1 to `most`, or `fallback` where it is left out. */
static int size_argument(int argc, char **argv, int i, int fallback, long most)
{
	if (argc <= i)
		return fallback;
	char *end;
	long value = strtol(argv[i], &end, 10);
	if (*argv[i] != '\0' && *end == '\0' && value >= 1 && value <= most)
		return (int)value;
	bool help = strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0;
	fputs(usage, help ? stdout : stderr);
	exit(help ? 0 : 2);
}

/* r2 to the power -3/2. */
__device__ __noinline__ float inverse_cube(float r2)
{
	float inverse = rsqrtf(r2);
	return inverse * inverse * inverse;
}

/* What a body of mass `mass` at distance (dx, dy, dz) adds to the acceleration. */
__device__ __noinline__ float3 pull(float dx, float dy, float dz, float mass)
{
	float scale = mass * inverse_cube(dx * dx + dy * dy + dz * dz + SOFTENING);
	return make_float3(dx * scale, dy * scale, dz * scale);
}

__device__ __noinline__ float3 acceleration(const float4 *bodies, int n, float x, float y, float z)
{
	float3 sum = make_float3(0, 0, 0);
	for (int j = 0; j < n; j++) {
		float4 body = bodies[j];
		float3 one = pull(body.x - x, body.y - y, body.z - z, body.w);
		sum = make_float3(sum.x + one.x, sum.y + one.y, sum.z + one.z);
	}
	return sum;
}

__global__ void step(const float4 *bodies, float4 *moved, float3 *velocity, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	float4 at = bodies[i];
	float3 v = velocity[i], a = acceleration(bodies, n, at.x, at.y, at.z);
	v = make_float3(v.x + a.x * STEP, v.y + a.y * STEP, v.z + a.z * STEP);
	velocity[i] = v;
	moved[i] = make_float4(at.x + v.x * STEP, at.y + v.y * STEP, at.z + v.z * STEP, at.w);
}

/* The same steps in double; x holds n positions with the mass as fourth component. */
static void simulate_on_host(double (*x)[4], double (*v)[3], int n, int steps)
{
	for (int s = 0; s < steps; s++) {
		for (int i = 0; i < n; i++) {
			double a[3] = {0, 0, 0};
			for (int j = 0; j < n; j++) {
				double d[3] = {x[j][0] - x[i][0], x[j][1] - x[i][1], x[j][2] - x[i][2]};
				double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2] + SOFTENING;
				for (int k = 0; k < 3; k++)
					a[k] += d[k] * x[j][3] / (r2 * sqrt(r2));
			}
			for (int k = 0; k < 3; k++)
				v[i][k] += a[k] * STEP;
		}
		for (int i = 0; i < n; i++)
			for (int k = 0; k < 3; k++)
				x[i][k] += v[i][k] * STEP;
	}
}

static float random_unit(unsigned int *seed)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (float)(*seed >> 8) / (1 << 24);
}

int main(int argc, char **argv)
{
	int n = size_argument(argc, argv, 1, 1280, 1 << 20);
	int steps = size_argument(argc, argv, 2, 2, 1000000);
	float4 *bodies = (float4 *)malloc(n * sizeof *bodies);
	float3 *velocity = (float3 *)calloc(n, sizeof *velocity);
	double(*x)[4] = (double(*)[4])malloc(n * sizeof *x), (*v)[3] = (double(*)[3])calloc(n, sizeof *v);
	if (!bodies || !velocity || !x || !v)
		return fputs("nbody: out of memory\n", stderr), 1;
	unsigned int seed = 3;
	for (int i = 0; i < n; i++) {
		float *body = &bodies[i].x;
		for (int k = 0; k < 4; k++)
			x[i][k] = body[k] = random_unit(&seed) + (k == 3 ? 0.5f : -0.5f);
	}

	float4 *dbodies[2];
	float3 *dvelocity;
	CHECK(cudaMalloc(&dbodies[0], n * sizeof *bodies));
	CHECK(cudaMalloc(&dbodies[1], n * sizeof *bodies));
	CHECK(cudaMalloc(&dvelocity, n * sizeof *velocity));
	CHECK(cudaMemcpy(dbodies[0], bodies, n * sizeof *bodies, cudaMemcpyHostToDevice));
	CHECK(cudaMemcpy(dvelocity, velocity, n * sizeof *velocity, cudaMemcpyHostToDevice));
	for (int s = 0; s < steps; s++) {
		step<<<(n + BLOCK - 1) / BLOCK, BLOCK>>>(dbodies[s % 2], dbodies[(s + 1) % 2], dvelocity, n);
		CHECK(cudaGetLastError());
	}
	CHECK(cudaMemcpy(velocity, dvelocity, n * sizeof *velocity, cudaMemcpyDeviceToHost));

	simulate_on_host(x, v, n, steps);
	double largest = 0, worst = 0;
	for (int i = 0; i < n; i++) {
		const float *got = &velocity[i].x;
		for (int k = 0; k < 3; k++) {
			double error = fabs(got[k] - v[i][k]);
			largest = fmax(largest, fabs(v[i][k]));
			if (!(error <= worst))
				worst = error; /* keeps a NaN */
		}
	}
	bool right = worst <= TOLERANCE * largest;
	printf("nbody: %s (%d bodies, %d steps, largest velocity %.3g, error %.2g of it, tolerance %.0g)\n",
	       right ? "PASSED" : "FAILED", n, steps, largest, worst / largest, TOLERANCE);

	CHECK(cudaFree(dbodies[0]));
	CHECK(cudaFree(dbodies[1]));
	CHECK(cudaFree(dvelocity));
	free(bodies);
	free(velocity);
	free(x);
	free(v);
	return !right;
}
