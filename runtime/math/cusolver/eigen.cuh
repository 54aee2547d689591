/*
 * Eigenvalues of symmetric and Hermitian matrices by Jacobi's rotations, for matrices of some hundred rows: one block turns
 * pairs of rows and columns, of which each round has every row once, until what is beside the diagonal is as small as
 * roundings. Work: the whole matrix, the vectors, and a rotation for each pair.
 */
#pragma once

#include "runtime/math/cusolver/solver.cuh"

namespace hd_solver {

enum { MOST_SWEEPS = 30 };

template <class T> struct turn {
	real_of<T> c, s;
	T phase; /* of the element beside the diagonal */
};

template <class R> constexpr R epsilon_of = sizeof(R) == 4 ? R(1.1920929e-7) : R(2.220446049250313e-16);
template <class R> constexpr R smallest_of = sizeof(R) == 4 ? R(1.17549435e-38) : R(2.2250738585072014e-308);

/* The pair of a round: players of a tournament, of whom the last stays. Of an odd number, one has no partner (p < 0). */
__device__ inline void pair_of(int round, int number, int n, int *p, int *q)
{
	int players = n + (n & 1), others = players - 1;
	int a = number ? (round + number) % others : others, b = (round + others - number) % others;
	*p = a < b ? a : b;
	*q = a < b ? b : a;
	if (*q >= n)
		*p = -1;
}

/* For the diagonal's a and d and what is beside it, whose size is not zero. */
template <class T> __device__ turn<T> turn_by(real_of<T> a, real_of<T> d, T beside, real_of<T> size)
{
	using R = real_of<T>;
	R theta = (d - a) / (2 * size);
	R t = (theta >= 0 ? R(1) : R(-1)) / (fabs(theta) + sqrt(1 + theta * theta));
	R c = 1 / sqrt(1 + t * t);
	return turn<T>{c, t * c, beside / size};
}

template <class T> __device__ turn<T> turn_of(const T *A, int n, int p, int q)
{
	using R = real_of<T>;
	T beside = A[p + (int64_t)q * n];
	R size = traits<T>::complex ? hypot(real(beside), imag(beside)) : fabs(real(beside));
	R a = real(A[p + (int64_t)p * n]), d = real(A[q + (int64_t)q * n]);
	/* Far below a rounding of the diagonal, or so small that the phase would be no unit. */
	if (size <= epsilon_of<R> / 1024 * (fabs(a) + fabs(d)) || size < smallest_of<R> / epsilon_of<R>)
		return turn<T>{1, 0, make<T>(1)};
	return turn_by(a, d, beside, size);
}

/* x and y become c x - s phase y and s x + c phase y. */
template <class T> __device__ void rotate(const turn<T> &turn, T phase, T *x, T *y)
{
	T a = *x, b = phase * *y;
	*x = turn.c * a - turn.s * b;
	*y = turn.s * a + turn.c * b;
}

/* How an iteration ends, and what a program asks for afterwards; an info of syevj or gesvdj. */
struct rotations {
	double tolerance = 0; /* what may be left, by the size of the matrix; 0: as small as roundings */
	int most_sweeps = MOST_SWEEPS, unsettled = 1; /* what the routine's info is where a tolerance was not reached */
	bool sorted = true;
	double *left = nullptr; /* on the device, of the last call: what is left beside the diagonal, and the sweeps */
	int *sweeps = nullptr;
};

/* The infos of a batch, and what is told of the last call, as if nothing had been to be done. */
inline void begin_infos(cusolverDnHandle_t handle, const rotations &how, int *info, int batch)
{
	cudaMemsetAsync(info, 0, batch * sizeof *info, handle->stream);
	if (how.sweeps)
		cudaMemsetAsync(how.left, 0, sizeof *how.left + sizeof *how.sweeps, handle->stream);
}

/* The answer to a matrix with a NaN or an infinity. */
template <class R> __device__ void spoil(R *values, int n, const rotations &how, int *info)
{
	for (int i = threadIdx.x; i < n; i += THREADS)
		values[i] = NAN;
	if (threadIdx.x == 0)
		*info = how.unsettled;
	if (threadIdx.x == 0 && how.sweeps)
		*how.left = NAN;
}

/* The sum of squares beside the diagonal, for all threads. */
template <class T> __device__ real_of<T> squares_beside(const T *A, int n)
{
	real_of<T> own = 0;
	for (int64_t e = threadIdx.x; e < (int64_t)n * n; e += THREADS)
		own += e % n == e / n ? real_of<T>(0) : abs_squared(A[e]);
	return sum_of_block(own);
}

/* A block for each matrix of a batch, with `work` numbers of its own. */
template <class T>
__global__ void __launch_bounds__(THREADS)
	eigen_kernel(int n, bool upper, bool vectors, T *to, int lda, real_of<T> *values, T *work, int64_t step,
		     rotations how, int *info)
{
	using R = real_of<T>;
	to += blockIdx.x * (int64_t)lda * n;
	values += blockIdx.x * (int64_t)n;
	info += blockIdx.x;
	T *A = work + blockIdx.x * step, *V = A + (int64_t)n * n;
	auto *turns = reinterpret_cast<turn<T> *>(V + (int64_t)n * n);
	int64_t all = (int64_t)n * n;
	int pairs = (n + 1) / 2, rounds = n + (n & 1) - 1;
	R own = 0, squares = 0;
	for (int64_t e = threadIdx.x; e < all; e += THREADS) {
		int i = (int)(e % n), j = (int)(e / n);
		bool stored = upper ? i <= j : i >= j;
		T value = stored ? to[i + (int64_t)j * lda] : conj(to[j + (int64_t)i * lda]);
		A[e] = i == j ? make<T>(real(value)) : value;
		V[e] = make<T>(i == j);
		own = fmax(own, largest_part(A[e]));
	}
	R largest = most_of_block(own), scale = scale_of(largest), by = 1 / scale;
	if (isinf(largest)) {
		spoil(values, n, how, info);
		for (int64_t e = threadIdx.x; e < all && vectors; e += THREADS)
			to[e % n + e / n * lda] = make<T>(NAN);
		return;
	}
	for (int64_t e = threadIdx.x; e < all; e += THREADS) {
		A[e] = by * A[e];
		squares += abs_squared(A[e]);
	}
	/* Rotations leave so much of roundings themselves. */
	R all_squares = sum_of_block(squares), enough = all_squares * epsilon_of<R> * epsilon_of<R> * n;
	if ((R)(how.tolerance * how.tolerance) * all_squares > enough)
		enough = (R)(how.tolerance * how.tolerance) * all_squares;
	R beside = squares_beside(A, n);
	int sweep = 0;
	for (; sweep < how.most_sweeps && beside > enough; sweep++) {
		for (int round = 0; round < rounds; round++) {
			int p, q;
			for (int k = threadIdx.x; k < pairs; k += THREADS) {
				pair_of(round, k, n, &p, &q);
				if (p >= 0)
					turns[k] = turn_of(A, n, p, q);
			}
			__syncthreads();
			for (int64_t e = threadIdx.x; e < (int64_t)pairs * n; e += THREADS) {
				int k = (int)(e / n), i = (int)(e % n);
				pair_of(round, k, n, &p, &q);
				if (p < 0)
					continue;
				rotate(turns[k], conj(turns[k].phase), &A[i + (int64_t)p * n], &A[i + (int64_t)q * n]);
				if (vectors)
					rotate(turns[k], conj(turns[k].phase), &V[i + (int64_t)p * n], &V[i + (int64_t)q * n]);
			}
			__syncthreads();
			for (int64_t e = threadIdx.x; e < (int64_t)pairs * n; e += THREADS) {
				int k = (int)(e % pairs), j = (int)(e / pairs);
				pair_of(round, k, n, &p, &q);
				if (p >= 0)
					rotate(turns[k], turns[k].phase, &A[p + (int64_t)j * n], &A[q + (int64_t)j * n]);
			}
			__syncthreads();
		}
		beside = squares_beside(A, n);
	}
	if (threadIdx.x == 0)
		*info = beside <= enough ? 0 : how.unsettled;
	if (threadIdx.x == 0 && how.sweeps) {
		*how.sweeps = sweep;
		*how.left = (double)scale * sqrt((double)beside);
	}
	/* Each value's place is the number of smaller ones, and of equal ones before it. */
	for (int i = threadIdx.x; i < n; i += THREADS) {
		R value = real(A[i + (int64_t)i * n]);
		int place = 0;
		for (int j = 0; j < n && how.sorted; j++) {
			R other = real(A[j + (int64_t)j * n]);
			place += other < value || (other == value && j < i);
		}
		place = how.sorted ? place : i;
		values[place] = scale * value;
		for (int row = 0; row < n && vectors; row++)
			to[row + (int64_t)place * lda] = V[row + (int64_t)i * n];
	}
}

template <class T> inline int64_t eigen_elements(int64_t n)
{
	return 2 * n * n + (n + 2) * ((int64_t)sizeof(turn<T>) / (int64_t)sizeof(T)) + 2;
}

template <class T>
cusolverStatus_t syevd_buffer(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, int lda, int *size)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && size);
	return tell_size(eigen_elements<T>(n), size);
}

/* Of arguments that the caller has checked. */
template <class T>
cusolverStatus_t eigen(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, int lda,
		       real_of<T> *values, T *work, const rotations &how, int *info, int batch)
{
	begin_infos(handle, how, info, batch);
	if (n == 0 || batch == 0)
		return CUSOLVER_STATUS_SUCCESS;
	eigen_kernel<<<(unsigned)batch, THREADS, 0, handle->stream>>>(n, uplo == CUBLAS_FILL_MODE_UPPER,
								      jobz == CUSOLVER_EIG_MODE_VECTOR, A, lda, values,
								      work, eigen_elements<T>(n), how, info);
	return finished(CUBLAS_STATUS_SUCCESS);
}

template <class T>
cusolverStatus_t syevd(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, int lda,
		       real_of<T> *values, T *work, int size, int *info)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && info &&
			has_room(size, eigen_elements<T>(n)));
	return eigen(handle, jobz, uplo, n, A, lda, values, work, rotations(), info, 1);
}

} // namespace hd_solver

struct syevjInfo : hd_solver::rotations {};

namespace hd_solver {

template <class T>
cusolverStatus_t syevj_buffer(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, int lda,
			      int *size, syevjInfo_t params, int batch)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && size && params && batch >= 0);
	return tell_size(eigen_elements<T>(n), size, batch);
}

/* What is left and the sweeps are those of a single matrix: NVIDIA's tells neither of a batch. */
template <class T>
cusolverStatus_t syevj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, cublasFillMode_t uplo, int n, T *A, int lda,
		       real_of<T> *values, T *work, int size, int *info, syevjInfo_t params, int batch, bool single)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_mode(jobz) && is_fill(uplo) && is_matrix(n, n, lda) && info && params && batch >= 0 &&
			has_room(size, eigen_elements<T>(n), batch));
	rotations how = *params;
	how.unsettled = n + 1;
	how.sorted = single || how.sorted;
	if (!single)
		how.sweeps = nullptr;
	return eigen(handle, jobz, uplo, n, A, lda, values, work, how, info, batch);
}

} // namespace hd_solver
