// Many values that the lanes of a warp share, used where lanes are together and where they are apart.
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

enum { SUMS = 48, STEPS = 9, THREADS = 96, BLOCKS = 3 };


template <typename T> __global__ void polynomials(const T *table, T *out, int n, int steps)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	T sums[SUMS];
#pragma unroll
	for (int k = 0; k < SUMS; k++)
		sums[k] = T(k);
	for (int step = 0; step < steps; step++) {
		T x = table[step];
#pragma unroll
		for (int k = 0; k < SUMS; k++)
			sums[k] = sums[k] * x + sums[(k + 1) % SUMS];
		if (step == 4)
			__syncthreads();
	}
	T own = T(0);
	if (i % 3 == 0) { // lanes are apart here
#pragma unroll
		for (int k = 0; k < SUMS; k += 2)
			own += sums[k] * T(i % 5);
	} else if (i % 3 == 1) {
		for (int round = 0; round < i % 7; round++) // and leave at different times
#pragma unroll
			for (int k = 1; k < SUMS; k += 2)
				own += sums[k] - T(round);
	}
#pragma unroll
	for (int k = 0; k < SUMS; k++)
		own += sums[k];
	out[i] = own;
}

template <typename T> T expected(const T *table, int i, int steps)
{
	T sums[SUMS];
	for (int k = 0; k < SUMS; k++)
		sums[k] = T(k);
	for (int step = 0; step < steps; step++)
		for (int k = 0; k < SUMS; k++)
			sums[k] = sums[k] * table[step] + sums[(k + 1) % SUMS];
	T own = T(0);
	if (i % 3 == 0)
		for (int k = 0; k < SUMS; k += 2)
			own += sums[k] * T(i % 5);
	else if (i % 3 == 1)
		for (int round = 0; round < i % 7; round++)
			for (int k = 1; k < SUMS; k += 2)
				own += sums[k] - T(round);
	for (int k = 0; k < SUMS; k++)
		own += sums[k];
	return own;
}

template <typename T> bool run(const char *name, T scale)
{
	int n = THREADS * BLOCKS - 11;
	std::vector<T> table(STEPS), out(n);
	for (int step = 0; step < STEPS; step++)
		table[step] = T(step % 4) * scale;
	T *device_table, *device_out;
	cudaMalloc(&device_table, STEPS * sizeof(T));
	cudaMalloc(&device_out, n * sizeof(T));
	cudaMemcpy(device_table, table.data(), STEPS * sizeof(T), cudaMemcpyHostToDevice);
	polynomials<<<BLOCKS, THREADS>>>(device_table, device_out, n, STEPS);
	cudaMemcpy(out.data(), device_out, n * sizeof(T), cudaMemcpyDeviceToHost);
	if (cudaGetLastError() != cudaSuccess)
		return false;
	for (int i = 0; i < n; i++) {
		T want = expected(table.data(), i, STEPS);
		if (!(std::fabs(double(out[i]) - double(want)) <= 1e-5 * std::fabs(double(want)))) {
			printf("%s: thread %d has %g instead of %g\n", name, i, double(out[i]), double(want));
			return false;
		}
	}
	cudaFree(device_table);
	cudaFree(device_out);
	return true;
}

int main()
{
	bool good = run<float>("float", 0.5f) & run<double>("double", 0.5) & run<int>("int", 1) & run<long long>("long", 1);
	puts(good ? "PASSED" : "FAILED");
	return !good;
}
