// Divisions and roots of all kinds, in loops, under divergence and in a function: the results are the host's, bit by bit.
#include <cmath>
#include <cstdio>
#include <cstring>

struct results {
	float f;
	double d;
	long long s;
	unsigned long long u;
};

__host__ __device__ __noinline__ double mean(double a, double b, long long n)
{
	return (a + b) / n;
}

__host__ __device__ results compute(int t, float x, double y, long long l, int n)
{
	results r = {0, 0, 0, 0};
	for (int i = 1; i <= n; i++) {
		float f = x * t - 3;
		double d = y * t - 5;
		r.f += f / (i - 4.0f * (t & 1)) + sqrtf(f + 3);
		if (t % 3 == 0)
			r.d += d / (y - i) + sqrt(d + 5);
		else
			r.d -= fmod(d, i) / mean(y, d, i);
		r.s += (l - t) / (i - n - 1) + (l + t) % (t + 1);
		r.u += (unsigned long long)l * i / (unsigned)(t + 7);
		if (y / x < i) // the same for all threads
			r.u++;
	}
	return r;
}

__global__ void kernel(results *out, float x, double y, long long l, int n)
{
	out[threadIdx.x] = compute(threadIdx.x, x, y, l, n);
}

int main()
{
	enum { THREADS = 96, TURNS = 5 };
	results *out, expected;
	int wrong = 0;
	cudaMallocManaged(&out, THREADS * sizeof *out);
	kernel<<<1, THREADS>>>(out, 1e-40f, 2.75, 123456789012345ll, TURNS);
	wrong += cudaDeviceSynchronize() != cudaSuccess;
	for (int t = 0; t < THREADS; t++) {
		expected = compute(t, 1e-40f, 2.75, 123456789012345ll, TURNS);
		wrong += memcmp(&out[t], &expected, sizeof expected) != 0;
	}
	printf("helpers: %s\n", wrong ? "FAILED" : "PASSED");
	return wrong != 0;
}
