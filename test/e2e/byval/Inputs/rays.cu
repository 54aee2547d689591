#include "rays.h"

#include <stdio.h>
#include <string.h>

enum { RAYS = 128, SPHERES = 4, SHAPES = 16 };

struct scene { sphere all[SPHERES]; vec3 light; };

static __host__ __device__ float trace(scene s, int i)
{
	ray r = {{(float)(i % 8), (float)(i / 8), 1}, {(float)(i & 1), 1, (float)(i & 3)}};
	hit best = {0, {0, 0, 0}, {0, 0, 0}, -1};

	for (int k = 0; k < SPHERES; k++)
		best = meet(r, s.all[k], k, best);
	return shade(best, s.light, r);
}

static __host__ __device__ int shapes(list given, int i, int *seen)
{
	odd o = {(char)i, (short)(3 * i), (char)-i};
	wide w = {(double)i, i + 1.0f, i + 2, -(long long)i << 33}, v = {2.0 * i, 3.0f, i, 1ll << 40};
	quad q = {{(float)i, 1, 2, 3}}, p = {{4, 5, 6, (float)-i}};
	large l, m;
	huge h;
	mixed x;
	picker call = choose(i);
	list t;

	for (int k = 0; k < 20; k++)
		l.v[k] = k * i, m.v[k] = k - i;
	for (int k = 0; k < 40; k++)
		h.v[k] = k ^ i;
	for (int k = 0; k < 4; k++)
		x.raw[k] = i * 1000003 + k;
	given.v[3] = i;
	t = turned(given, l);
	seen[0] = small(o, {1, (char)i, 3}, empty(), i);
	seen[1] = (int)(middle(i, w, v, 5) >> 7);
	seen[2] = (int)aligned(i, q, 7, p);
	seen[3] = pick(given, i) + pick(t, i);
	seen[4] = change(given, i, 9) + given.v[i % 6];
	seen[5] = through(given, i);
	seen[6] = big(l, i) + l.v[i % 20];
	seen[7] = two_big(l, m, i);
	seen[8] = very_big(h, i) + h.v[i % 40];
	seen[9] = raws(x, i);
	seen[10] = fall(given, i % 9);
	seen[11] = late(i, 1, 2, 3, 4, 5, given, i);
	seen[12] = call(given, i) + choose(i + 1)(t, i);
	seen[13] = big(l, 19 - i % 20) + very_big(h, 39);
	seen[14] = t.v[0] + t.v[5] * 3;
	seen[15] = given.v[3] + l.v[3] + o.a;
	return 0;
}

__global__ void rays(scene s, float *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	out[i] = trace(s, i);
}

__global__ void arguments(list given, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;

	shapes(given, i, out + i * SHAPES);
}

int main()
{
	scene s = {{{{1, 2, 3}, 9}, {{4, 4, 4}, 7}, {{6, 12, 2}, 8}, {{0, 9, 5}, 6}}, {1, 2, -1}};
	list given = {{5, 6, 7, 8, 9, 10}};
	static float picture[RAYS];
	static int found[RAYS * SHAPES];
	float *pixels;
	int *words, wrong = 0, expected[SHAPES], hits = 0;

	cudaMalloc((void **)&pixels, sizeof(picture));
	cudaMalloc((void **)&words, sizeof(found));
	rays<<<RAYS / 64, 64>>>(s, pixels);
	arguments<<<RAYS / 64, 64>>>(given, words);
	if (cudaMemcpy(picture, pixels, sizeof(picture), cudaMemcpyDeviceToHost) != cudaSuccess ||
	    cudaMemcpy(found, words, sizeof(found), cudaMemcpyDeviceToHost) != cudaSuccess)
		return 1;
	for (int i = 0; i < RAYS; i++) {
		wrong += picture[i] != trace(s, i);
		hits += picture[i] != (i & 1);
		shapes(given, i, expected);
		for (int k = 0; k < SHAPES; k++)
			if (found[i * SHAPES + k] != expected[k] && wrong++ < 10)
				printf("thread %d, shape %d: %d, not %d\n", i, k, found[i * SHAPES + k], expected[k]);
	}
	printf("by value: %s\n", wrong || hits < RAYS / 4 ? "FAILED" : "PASSED");
	return wrong != 0;
}
