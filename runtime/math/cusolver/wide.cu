/*
 * cuSOLVER's functions with types as arguments and sizes of 64 bits: those of one type do the work. A size that is no
 * int is an invalid value. And the infos of Jacobi's rotations.
 */
#include <new>

#include "runtime/math/cusolver/svd.cuh"

struct cusolverDnParams {};

namespace hd_solver {

/* Functions of one type, by one name for four. */
#define HD_SOLVER_TYPED(L, SY, T, R)                                                                                   \
	inline cusolverStatus_t potrf_size(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,     \
					   int *size)                                                                  \
	{                                                                                                              \
		return cusolverDn##L##potrf_bufferSize(handle, uplo, n, A, lda, size);                                 \
	}                                                                                                              \
	inline cusolverStatus_t potrf_of(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, T *A, int lda,       \
					 T *work, int size, int *info)                                                 \
	{                                                                                                              \
		return cusolverDn##L##potrf(handle, uplo, n, A, lda, work, size, info);                                \
	}                                                                                                              \
	inline cusolverStatus_t potrs_of(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, int nrhs,            \
					 const T *A, int lda, T *B, int ldb, int *info)                                \
	{                                                                                                              \
		return cusolverDn##L##potrs(handle, uplo, n, nrhs, A, lda, B, ldb, info);                              \
	}                                                                                                              \
	inline cusolverStatus_t getrf_of(cusolverDnHandle_t handle, int m, int n, T *A, int lda, int *pivots,          \
					 int *info)                                                                    \
	{                                                                                                              \
		return cusolverDn##L##getrf(handle, m, n, A, lda, nullptr, pivots, info);                              \
	}                                                                                                              \
	inline cusolverStatus_t getrs_of(cusolverDnHandle_t handle, cublasOperation_t trans, int n, int nrhs,          \
					 const T *A, int lda, const int *pivots, T *B, int ldb, int *info)             \
	{                                                                                                              \
		return cusolverDn##L##getrs(handle, trans, n, nrhs, A, lda, pivots, B, ldb, info);                     \
	}                                                                                                              \
	inline cusolverStatus_t geqrf_size(cusolverDnHandle_t handle, int m, int n, T *A, int lda, int *size)          \
	{                                                                                                              \
		return cusolverDn##L##geqrf_bufferSize(handle, m, n, A, lda, size);                                    \
	}                                                                                                              \
	inline cusolverStatus_t geqrf_of(cusolverDnHandle_t handle, int m, int n, T *A, int lda, T *taus, T *work,     \
					 int size, int *info)                                                          \
	{                                                                                                              \
		return cusolverDn##L##geqrf(handle, m, n, A, lda, taus, work, size, info);                             \
	}                                                                                                              \
	inline cusolverStatus_t syevd_size(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,   \
					   int n, T *A, int lda, R *values, int *size)                                 \
	{                                                                                                              \
		return cusolverDn##L##SY##evd_bufferSize(handle, jobz, uplo, n, A, lda, values, size);                 \
	}                                                                                                              \
	inline cusolverStatus_t syevd_of(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo,     \
					 int n, T *A, int lda, R *values, T *work, int size, int *info)                \
	{                                                                                                              \
		return cusolverDn##L##SY##evd(handle, jobz, uplo, n, A, lda, values, work, size, info);                \
	}                                                                                                              \
	inline cusolverStatus_t gesvd_size(cusolverDnHandle_t handle, const T *, int m, int n, int *size)              \
	{                                                                                                              \
		return cusolverDn##L##gesvd_bufferSize(handle, m, n, size);                                            \
	}                                                                                                              \
	inline cusolverStatus_t gesvd_of(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, \
					 T *A, int lda, R *S, T *U, int ldu, T *VT, int ldvt, T *work, int size,       \
					 int *info)                                                                    \
	{                                                                                                              \
		return cusolverDn##L##gesvd(handle, jobu, jobvt, m, n, A, lda, S, U, ldu, VT, ldvt, work, size,        \
					    nullptr, info);                                                            \
	}
HD_SOLVER_TYPED(S, sy, float, float)
HD_SOLVER_TYPED(D, sy, double, double)
HD_SOLVER_TYPED(C, he, cuComplex, float)
HD_SOLVER_TYPED(Z, he, cuDoubleComplex, double)
#undef HD_SOLVER_TYPED

/* Calls `routine` with a value of the element type. */
template <class Routine> cusolverStatus_t with_type(cudaDataType type, cudaDataType computed, Routine routine)
{
	HD_SOLVER_CHECK(type == computed, CUSOLVER_STATUS_NOT_SUPPORTED);
	switch (type) {
	case CUDA_R_32F: return routine(float());
	case CUDA_R_64F: return routine(double());
	case CUDA_C_32F: return routine(cuComplex());
	case CUDA_C_64F: return routine(cuDoubleComplex());
	default: return CUSOLVER_STATUS_NOT_SUPPORTED;
	}
}

template <class... N> bool are_ints(N... sizes)
{
	return ((sizes >= INT_MIN && sizes <= INT_MAX) && ...);
}

static cudaDataType real_type(cudaDataType type)
{
	return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : type;
}

/* What a program is told of bytes, where a routine counts elements. */
template <class T> cusolverStatus_t tell_bytes(cusolverStatus_t status, int elements, size_t *on_device, size_t *on_host)
{
	if (status != CUSOLVER_STATUS_SUCCESS)
		return status;
	*on_device = (size_t)elements * sizeof(T);
	*on_host = 0;
	return status;
}

template <class T> int elements_in(size_t bytes)
{
	return bytes / sizeof(T) < (size_t)INT_MAX ? (int)(bytes / sizeof(T)) : INT_MAX;
}

template <class To, class From> __global__ void __launch_bounds__(THREADS) convert(int n, const From *from, To *to)
{
	int i = blockIdx.x * THREADS + threadIdx.x;
	if (i < n)
		to[i] = (To)from[i];
}

template <class To, class From> void convert_pivots(cusolverDnHandle_t handle, int n, const From *from, To *to)
{
	if (n > 0)
		convert<<<(unsigned)divide_up(n, THREADS), THREADS, 0, handle->stream>>>(n, from, to);
}

template <class Info> cusolverStatus_t create(Info **info)
{
	HD_SOLVER_VALID(info);
	Info *made = new (std::nothrow) Info;
	if (!made || cudaMalloc((void **)&made->left, sizeof(double) + sizeof(int)) != cudaSuccess) {
		delete made;
		return CUSOLVER_STATUS_ALLOC_FAILED;
	}
	cudaMemset(made->left, 0, sizeof(double) + sizeof(int));
	made->sweeps = reinterpret_cast<int *>(made->left + 1);
	*info = made;
	return CUSOLVER_STATUS_SUCCESS;
}

template <class Info> cusolverStatus_t destroy(Info *info)
{
	HD_SOLVER_VALID(info);
	cudaFree(info->left);
	delete info;
	return CUSOLVER_STATUS_SUCCESS;
}

template <class T> cusolverStatus_t tell(cusolverDnHandle_t handle, const T *from, T *to)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(from && to);
	bool good = cudaMemcpyAsync(to, from, sizeof *to, cudaMemcpyDeviceToHost, handle->stream) == cudaSuccess &&
		    cudaStreamSynchronize(handle->stream) == cudaSuccess;
	return good ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_INTERNAL_ERROR;
}

} // namespace hd_solver

using namespace hd_solver;

extern "C" {

#define HD_CUSOLVER_INFO(Name, name)                                                                                   \
	cusolverStatus_t cusolverDnCreate##Name##Info(name##Info_t *info)                                              \
	{                                                                                                              \
		return create(info);                                                                                   \
	}                                                                                                              \
	cusolverStatus_t cusolverDnDestroy##Name##Info(name##Info_t info)                                              \
	{                                                                                                              \
		return destroy(info);                                                                                  \
	}                                                                                                              \
	cusolverStatus_t cusolverDnX##name##SetTolerance(name##Info_t info, double tolerance)                          \
	{                                                                                                              \
		HD_SOLVER_VALID(info && tolerance >= 0);                                                               \
		info->tolerance = tolerance;                                                                           \
		return CUSOLVER_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	cusolverStatus_t cusolverDnX##name##SetMaxSweeps(name##Info_t info, int max_sweeps)                            \
	{                                                                                                              \
		HD_SOLVER_VALID(info && max_sweeps >= 0);                                                              \
		info->most_sweeps = max_sweeps;                                                                        \
		return CUSOLVER_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	cusolverStatus_t cusolverDnX##name##SetSortEig(name##Info_t info, int sort_eig)                                \
	{                                                                                                              \
		HD_SOLVER_VALID(info);                                                                                 \
		info->sorted = sort_eig != 0;                                                                          \
		return CUSOLVER_STATUS_SUCCESS;                                                                        \
	}                                                                                                              \
	cusolverStatus_t cusolverDnX##name##GetResidual(cusolverDnHandle_t handle, name##Info_t info,                  \
							double *residual)                                              \
	{                                                                                                              \
		return tell(handle, info ? info->left : nullptr, residual);                                            \
	}                                                                                                              \
	cusolverStatus_t cusolverDnX##name##GetSweeps(cusolverDnHandle_t handle, name##Info_t info,                    \
						      int *executed_sweeps)                                            \
	{                                                                                                              \
		return tell(handle, info ? info->sweeps : nullptr, executed_sweeps);                                   \
	}
HD_CUSOLVER_INFO(Syevj, syevj)
HD_CUSOLVER_INFO(Gesvdj, gesvdj)

cusolverStatus_t cusolverDnCreateParams(cusolverDnParams_t *params)
{
	HD_SOLVER_VALID(params);
	*params = new (std::nothrow) cusolverDnParams;
	return *params ? CUSOLVER_STATUS_SUCCESS : CUSOLVER_STATUS_ALLOC_FAILED;
}

cusolverStatus_t cusolverDnDestroyParams(cusolverDnParams_t params)
{
	HD_SOLVER_VALID(params);
	delete params;
	return CUSOLVER_STATUS_SUCCESS;
}

/* There is one algorithm of each. */
cusolverStatus_t cusolverDnSetAdvOptions(cusolverDnParams_t params, cusolverDnFunction_t function, cusolverAlgMode_t algo)
{
	HD_SOLVER_VALID(params && (function == CUSOLVERDN_GETRF || function == CUSOLVERDN_POTRF) && algo >= CUSOLVER_ALG_0 &&
			algo <= CUSOLVER_ALG_2);
	return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnXpotrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n,
					     cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType computeType,
					     size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(n, lda) && workspaceInBytesOnDevice && workspaceInBytesOnHost);
	return with_type(dataTypeA, computeType, [&](auto type) {
		using T = decltype(type);
		int size = 0;
		auto status = potrf_size(handle, uplo, (int)n, (T *)A, (int)lda, &size);
		return tell_bytes<T>(status, size, workspaceInBytesOnDevice, workspaceInBytesOnHost);
	});
}

cusolverStatus_t cusolverDnXpotrf(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n,
				  cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType computeType,
				  void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *, size_t, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(n, lda));
	return with_type(dataTypeA, computeType, [&](auto type) {
		using T = decltype(type);
		return potrf_of(handle, uplo, (int)n, (T *)A, (int)lda, (T *)bufferOnDevice,
				elements_in<T>(workspaceInBytesOnDevice), info);
	});
}

cusolverStatus_t cusolverDnXpotrs(cusolverDnHandle_t handle, cusolverDnParams_t, cublasFillMode_t uplo, int64_t n,
				  int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeB,
				  void *B, int64_t ldb, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(n, nrhs, lda, ldb));
	return with_type(dataTypeA, dataTypeB, [&](auto type) {
		using T = decltype(type);
		return potrs_of(handle, uplo, (int)n, (int)nrhs, (const T *)A, (int)lda, (T *)B, (int)ldb, info);
	});
}

/* Pivots, as ints. */
cusolverStatus_t cusolverDnXgetrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n,
					     cudaDataType dataTypeA, const void *, int64_t lda, cudaDataType computeType,
					     size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(m, n, lda) && is_matrix((int)m, (int)n, (int)lda) && workspaceInBytesOnDevice &&
			workspaceInBytesOnHost);
	return with_type(dataTypeA, computeType, [&](auto) {
		int pivots = (int)(m < n ? m : n);
		return tell_bytes<int>(CUSOLVER_STATUS_SUCCESS, pivots ? pivots : 1, workspaceInBytesOnDevice,
				       workspaceInBytesOnHost);
	});
}

cusolverStatus_t cusolverDnXgetrf(cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n,
				  cudaDataType dataTypeA, void *A, int64_t lda, int64_t *ipiv, cudaDataType computeType,
				  void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *, size_t, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(m, n, lda));
	int count = (int)(m < n ? m : n), *pivots = ipiv ? static_cast<int *>(bufferOnDevice) : nullptr;
	HD_SOLVER_VALID(!ipiv || count <= 0 || (pivots && workspaceInBytesOnDevice >= count * sizeof *pivots));
	return with_type(dataTypeA, computeType, [&](auto type) {
		using T = decltype(type);
		auto status = getrf_of(handle, (int)m, (int)n, (T *)A, (int)lda, pivots, info);
		if (status == CUSOLVER_STATUS_SUCCESS && pivots)
			convert_pivots(handle, count, pivots, ipiv);
		return status == CUSOLVER_STATUS_SUCCESS ? finished(CUBLAS_STATUS_SUCCESS) : status;
	});
}

cusolverStatus_t cusolverDnXgetrs(cusolverDnHandle_t handle, cusolverDnParams_t, cublasOperation_t trans, int64_t n,
				  int64_t nrhs, cudaDataType dataTypeA, const void *A, int64_t lda, const int64_t *ipiv,
				  cudaDataType dataTypeB, void *B, int64_t ldb, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(n, nrhs, lda, ldb) && n >= 0);
	int *pivots = nullptr;
	if (ipiv && n && cudaMallocAsync((void **)&pivots, n * sizeof *pivots, handle->stream) != cudaSuccess)
		return CUSOLVER_STATUS_ALLOC_FAILED;
	if (pivots)
		convert_pivots(handle, (int)n, ipiv, pivots);
	auto status = with_type(dataTypeA, dataTypeB, [&](auto type) {
		using T = decltype(type);
		return getrs_of(handle, trans, (int)n, (int)nrhs, (const T *)A, (int)lda, pivots, (T *)B, (int)ldb, info);
	});
	if (pivots)
		cudaFreeAsync(pivots, handle->stream);
	return status;
}

cusolverStatus_t cusolverDnXgeqrf_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n,
					     cudaDataType dataTypeA, const void *A, int64_t lda, cudaDataType dataTypeTau,
					     const void *, cudaDataType computeType, size_t *workspaceInBytesOnDevice,
					     size_t *workspaceInBytesOnHost)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(m, n, lda) && workspaceInBytesOnDevice && workspaceInBytesOnHost);
	HD_SOLVER_CHECK(dataTypeTau == dataTypeA, CUSOLVER_STATUS_NOT_SUPPORTED);
	return with_type(dataTypeA, computeType, [&](auto type) {
		using T = decltype(type);
		int size = 0;
		auto status = geqrf_size(handle, (int)m, (int)n, (T *)A, (int)lda, &size);
		return tell_bytes<T>(status, size, workspaceInBytesOnDevice, workspaceInBytesOnHost);
	});
}

cusolverStatus_t cusolverDnXgeqrf(cusolverDnHandle_t handle, cusolverDnParams_t, int64_t m, int64_t n,
				  cudaDataType dataTypeA, void *A, int64_t lda, cudaDataType dataTypeTau, void *tau,
				  cudaDataType computeType, void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *,
				  size_t, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(m, n, lda));
	HD_SOLVER_CHECK(dataTypeTau == dataTypeA, CUSOLVER_STATUS_NOT_SUPPORTED);
	return with_type(dataTypeA, computeType, [&](auto type) {
		using T = decltype(type);
		return geqrf_of(handle, (int)m, (int)n, (T *)A, (int)lda, (T *)tau, (T *)bufferOnDevice,
				elements_in<T>(workspaceInBytesOnDevice), info);
	});
}

cusolverStatus_t cusolverDnXsyevd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, cusolverEigMode_t jobz,
					     cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, const void *A,
					     int64_t lda, cudaDataType dataTypeW, const void *W, cudaDataType computeType,
					     size_t *workspaceInBytesOnDevice, size_t *workspaceInBytesOnHost)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(n, lda) && workspaceInBytesOnDevice && workspaceInBytesOnHost);
	HD_SOLVER_CHECK(dataTypeW == real_type(dataTypeA), CUSOLVER_STATUS_NOT_SUPPORTED);
	return with_type(dataTypeA, computeType, [&](auto type) {
		using T = decltype(type);
		int size = 0;
		auto status = syevd_size(handle, jobz, uplo, (int)n, (T *)A, (int)lda, (real_of<T> *)W, &size);
		return tell_bytes<T>(status, size, workspaceInBytesOnDevice, workspaceInBytesOnHost);
	});
}

cusolverStatus_t cusolverDnXsyevd(cusolverDnHandle_t handle, cusolverDnParams_t, cusolverEigMode_t jobz,
				  cublasFillMode_t uplo, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
				  cudaDataType dataTypeW, void *W, cudaDataType computeType, void *bufferOnDevice,
				  size_t workspaceInBytesOnDevice, void *, size_t, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(n, lda));
	HD_SOLVER_CHECK(dataTypeW == real_type(dataTypeA), CUSOLVER_STATUS_NOT_SUPPORTED);
	return with_type(dataTypeA, computeType, [&](auto type) {
		using T = decltype(type);
		return syevd_of(handle, jobz, uplo, (int)n, (T *)A, (int)lda, (real_of<T> *)W, (T *)bufferOnDevice,
				elements_in<T>(workspaceInBytesOnDevice), info);
	});
}

cusolverStatus_t cusolverDnXgesvd_bufferSize(cusolverDnHandle_t handle, cusolverDnParams_t, signed char, signed char,
					     int64_t m, int64_t n, cudaDataType dataTypeA, const void *A, int64_t,
					     cudaDataType dataTypeS, const void *, cudaDataType dataTypeU, const void *,
					     int64_t, cudaDataType dataTypeVT, const void *, int64_t,
					     cudaDataType computeType, size_t *workspaceInBytesOnDevice,
					     size_t *workspaceInBytesOnHost)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(m, n) && workspaceInBytesOnDevice && workspaceInBytesOnHost);
	HD_SOLVER_CHECK(dataTypeS == real_type(dataTypeA) && dataTypeU == dataTypeA && dataTypeVT == dataTypeA,
			CUSOLVER_STATUS_NOT_SUPPORTED);
	return with_type(dataTypeA, computeType, [&](auto type) {
		using T = decltype(type);
		int size = 0;
		auto status = gesvd_size(handle, (const T *)A, (int)m, (int)n, &size);
		return tell_bytes<T>(status, size, workspaceInBytesOnDevice, workspaceInBytesOnHost);
	});
}

cusolverStatus_t cusolverDnXgesvd(cusolverDnHandle_t handle, cusolverDnParams_t, signed char jobu, signed char jobvt,
				  int64_t m, int64_t n, cudaDataType dataTypeA, void *A, int64_t lda,
				  cudaDataType dataTypeS, void *S, cudaDataType dataTypeU, void *U, int64_t ldu,
				  cudaDataType dataTypeVT, void *VT, int64_t ldvt, cudaDataType computeType,
				  void *bufferOnDevice, size_t workspaceInBytesOnDevice, void *, size_t, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(are_ints(m, n, lda, ldu, ldvt));
	HD_SOLVER_CHECK(dataTypeS == real_type(dataTypeA) && dataTypeU == dataTypeA && dataTypeVT == dataTypeA,
			CUSOLVER_STATUS_NOT_SUPPORTED);
	return with_type(dataTypeA, computeType, [&](auto type) {
		using T = decltype(type);
		return gesvd_of(handle, jobu, jobvt, (int)m, (int)n, (T *)A, (int)lda, (real_of<T> *)S, (T *)U, (int)ldu,
				(T *)VT, (int)ldvt, (T *)bufferOnDevice, elements_in<T>(workspaceInBytesOnDevice), info);
	});
}

} // extern "C"
