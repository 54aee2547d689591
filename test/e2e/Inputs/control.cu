// A bit of everything that control bits have to cover: loads, stores and atomics of all memories, shuffles, special
// functions, double precision, division (a helper's call), a recursive call, divergence, a barrier that votes.
#include <cstdio>

__device__ __noinline__ int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

__constant__ int table[8] = {3, 1, 4, 1, 5, 9, 2, 6};

__global__ void mixed(const int *ints, int *sums, float *floats, double *doubles, int n)
{
	__shared__ int shared[128];
	int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
	shared[t] = i < n ? ints[i] : 0;
	__syncthreads();
	int sum = shared[127 - t];
	for (int k = 16; k; k /= 2)
		sum += __shfl_xor_sync(0xffffffffu, sum, k);
	if (t % 3 == 0)
		sum += fib(t % 7);
	else if (t % 3 == 1)
		sum -= table[sum & 7];
	__syncthreads();
	atomicAdd(&shared[sum & 127], t);
	int votes = __syncthreads_count(sum & 1);
	if (i < n) {
		float f = floats[i];
		double d = doubles[i];
		for (int k = 0; k < sum % 5 + 3; k++) {
			f = sqrtf(f * f + 1.0f) + __sinf(f);
			d = d / (1.0 + f) + k;
		}
		floats[i] = f;
		doubles[i] = d;
		atomicAdd(&sums[(i * 7) % n], shared[t] + votes + n / (1 + (sum & 15)));
	}
}

int main()
{
	const int n = 1000;
	int *ints, *sums;
	float *floats;
	double *doubles;
	cudaMallocManaged(&ints, n * sizeof *ints);
	cudaMallocManaged(&sums, n * sizeof *sums);
	cudaMallocManaged(&floats, n * sizeof *floats);
	cudaMallocManaged(&doubles, n * sizeof *doubles);
	for (int i = 0; i < n; i++) {
		sums[i] = 0;
		ints[i] = i * 37 % 101;
		floats[i] = 0.25f * (i % 11);
		doubles[i] = 1.0 / (1 + i);
	}
	mixed<<<8, 128>>>(ints, sums, floats, doubles, n);
	if (cudaDeviceSynchronize())
		return 1;
	long long all = 0;
	double f = 0, d = 0;
	for (int i = 0; i < n; i++) {
		all += (long long)sums[i] * (i % 13);
		f += floats[i];
		d += doubles[i];
	}
	printf("%lld %.6f %.9f\n", all, f, d);
	return 0;
}
