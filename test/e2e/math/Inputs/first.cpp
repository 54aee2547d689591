// cuBLAS from a program without kernels of its own: y = 2 x + y, and a product whose elements are known.
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <vector>

static const int rows = 70, columns = 33, steps = 50;

int main()
{
	cublasHandle_t handle;
	std::vector<float> a(rows * steps), b(steps * columns), c(rows * columns, 100);
	for (int i = 0; i < rows; i++)
		for (int k = 0; k < steps; k++)
			a[i + k * rows] = i + k;
	for (int k = 0; k < steps; k++)
		for (int j = 0; j < columns; j++)
			b[k + j * steps] = k - j;
	float *A, *B, *C, two = 2, half = 0.5f;
	cudaMalloc(&A, a.size() * sizeof(float));
	cudaMalloc(&B, b.size() * sizeof(float));
	cudaMalloc(&C, c.size() * sizeof(float));
	int status = cublasCreate(&handle);
	status |= cublasSetMatrix(rows, steps, sizeof(float), a.data(), rows, A, rows);
	status |= cublasSetVector(b.size(), sizeof(float), b.data(), 1, B, 1);
	status |= cublasSetMatrix(rows, columns, sizeof(float), c.data(), rows, C, rows);
	// B is 2 A + B in its first 100 elements, and back.
	status |= cublasSaxpy(handle, 100, &two, A, 1, B, 1);
	float once;
	status |= cublasGetVector(1, sizeof once, B + 3, steps, &once, 2);
	two = -2;
	status |= cublasSaxpy(handle, 100, &two, A, 1, B, 1);
	two = 2;
	status |= cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, steps, &two, A, rows, B, steps, &half, C, rows);
	status |= cublasGetMatrix(rows, columns, sizeof(float), C, rows, c.data(), rows);
	status |= cublasDestroy(handle);
	// The sum over k of (i + k)(k - j), twice, and half of what was there: all are whole numbers that floats hold.
	int wrong = once != b[3] + 2 * a[3];
	for (int i = 0; i < rows; i++)
		for (int j = 0; j < columns; j++) {
			long sum = 0;
			for (int k = 0; k < steps; k++)
				sum += (i + k) * (k - j);
			wrong += c[i + j * rows] != 2.f * sum + 50;
		}
	printf("first: %s\n", status == 0 && wrong == 0 ? "PASSED" : "FAILED");
}
