// cuBLAS's interface of before 2011.
#include <cstdio>
#include <cublas.h>

int main()
{
	const float a[] = {1, 2, 3, 4, 5, 6}, ones[] = {1, 1, 1};
	float *A, *B, c[4] = {10, 10, 10, 10};
	int wrong = cublasInit() != CUBLAS_STATUS_SUCCESS || cublasAlloc(6, sizeof(float), (void **)&A) != CUBLAS_STATUS_SUCCESS;
	wrong += cublasAlloc(6, sizeof(float), (void **)&B) != CUBLAS_STATUS_SUCCESS;
	cublasSetMatrix(2, 3, sizeof(float), a, 2, A, 2);
	cublasSetVector(4, sizeof(float), c, 1, B, 1);
	// 2 A A^T + B: A's rows are 1 3 5 and 2 4 6.
	cublasSgemm('n', 'T', 2, 2, 3, 2.0f, A, 2, A, 2, 1.0f, B, 2);
	cublasGetMatrix(2, 2, sizeof(float), B, 2, c, 2);
	wrong += c[0] != 80 || c[1] != 98 || c[2] != 98 || c[3] != 122;
	cublasSetVector(3, sizeof(float), ones, 1, B, 1);
	wrong += cublasSdot(3, A, 2, B, 1) != 9 || cublasIsamax(6, A, 1) != 6 || cublasGetError() != CUBLAS_STATUS_SUCCESS;
	// A triangle of A's first columns, 1 and 2 4, times a vector, in place.
	cublasStrmm('L', 'L', 'N', 'N', 2, 1, 1.0f, A, 2, B, 2);
	cublasGetVector(2, sizeof(float), B, 1, c, 1);
	wrong += c[0] != 1 || c[1] != 6;
	cublasSgemv('n', -1, 2, 1, A, 2, B, 1, 0, B, 1);
	wrong += cublasGetError() != CUBLAS_STATUS_INVALID_VALUE || cublasGetError() != CUBLAS_STATUS_SUCCESS;
	cublasFree(A);
	wrong += cublasFree(B) != CUBLAS_STATUS_SUCCESS || cublasShutdown() != CUBLAS_STATUS_SUCCESS;
	printf("old: %s\n", wrong ? "FAILED" : "PASSED");
}
