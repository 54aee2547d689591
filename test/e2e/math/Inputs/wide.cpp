// A product of more columns than 65,535 tiles of 64 have: doubles of each row of B.
#include <cublas_v2.h>
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>

int main()
{
	int n = 65535 * 64 + 3, differ = 0;
	std::vector<double> b(n), c(n);
	for (int i = 0; i < n; i++)
		b[i] = i % 1000;
	double two = 2, one = 1, zero = 0, *a, *from, *to;
	cudaMalloc(&a, sizeof two);
	cudaMalloc(&from, n * sizeof(double));
	cudaMalloc(&to, n * sizeof(double));
	cudaMemcpy(a, &two, sizeof two, cudaMemcpyHostToDevice);
	cudaMemcpy(from, b.data(), n * sizeof(double), cudaMemcpyHostToDevice);
	cublasHandle_t handle;
	cublasCreate(&handle);
	if (cublasDgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, n, 1, &one, a, 1, from, 1, &zero, to, 1) != CUBLAS_STATUS_SUCCESS)
		return 1;
	cudaMemcpy(c.data(), to, n * sizeof(double), cudaMemcpyDeviceToHost);
	for (int i = 0; i < n; i++)
		differ += c[i] != 2 * b[i];
	printf("%d of %d differ\n", differ, n);
	return differ != 0;
}
