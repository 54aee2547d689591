/*
 * Singular values by one-sided Jacobi rotations, for matrices of some hundred rows: one block turns pairs of columns, a warp
 * for each pair, until all are orthogonal. Their lengths are the singular values, and they themselves U times these; the
 * rotations' product is V. Columns of U that no singular value gives are orthogonalised unit vectors. Work: a copy of the
 * matrix, V, a number for each row.
 */
#pragma once

#include "runtime/math/cusolver/eigen.cuh"

namespace hd_solver {

enum { WARP = 32 };

/* conj(x) y of columns, by a warp. */
template <class T> __device__ T product_of_columns(int m, const T *x, const T *y)
{
	T sum{};
	for (int i = threadIdx.x % WARP; i < m; i += WARP)
		sum = multiply_add(conj(x[i]), y[i], sum);
	return sum_of_warp(sum);
}

/*
 * Makes two columns orthogonal, by a warp. Returns whether they were not: the cosine was above `nothing`. Of columns below
 * `least` squared, nothing is left.
 */
template <class T> __device__ bool turn_columns(int m, int n, T *G, T *V, int p, int q, real_of<T> nothing,
				     real_of<T> least)
{
	using R = real_of<T>;
	T *x = G + (int64_t)p * m, *y = G + (int64_t)q * m, beside = product_of_columns(m, x, y);
	R a = real(product_of_columns(m, x, x)), d = real(product_of_columns(m, y, y));
	R size = traits<T>::complex ? hypot(real(beside), imag(beside)) : fabs(real(beside));
	if (!(size > nothing * sqrt(a) * sqrt(d)) || !(fmin(a, d) > least))
		return false;
	turn<T> turn = turn_by(a, d, beside, size);
	__syncwarp();
	for (int i = threadIdx.x % WARP; i < m; i += WARP)
		rotate(turn, conj(turn.phase), &x[i], &y[i]);
	for (int i = threadIdx.x % WARP; i < n && V; i += WARP)
		rotate(turn, conj(turn.phase), &V[i + (int64_t)p * n], &V[i + (int64_t)q * n]);
	return true;
}

/* Columns `first` to `columns` of U, orthogonal to all before. `dots`: as many numbers as U has columns. */
template <class T> __device__ void complete_columns(int m, T *U, int ldu, int first, int columns, T *dots)
{
	using R = real_of<T>;
	int unit = 0;
	for (int k = first; k < columns; k++) {
		T *x = U + (int64_t)k * ldu;
		R length = 0;
		/* Some unit vector has so much outside: what all of them have is at least one. */
		for (; length < R(0.5) / m && unit < m; unit++) {
			__syncthreads();
			for (int i = threadIdx.x; i < m; i += THREADS)
				x[i] = make<T>(i == unit);
			/* Twice is enough. */
			for (int pass = 0; pass < 2; pass++) {
				__syncthreads();
				for (int c = threadIdx.x / WARP; c < k; c += THREADS / WARP) {
					T dot = product_of_columns(m, U + (int64_t)c * ldu, x);
					if (threadIdx.x % WARP == 0)
						dots[c] = dot;
				}
				__syncthreads();
				for (int i = threadIdx.x; i < m; i += THREADS)
					for (int c = 0; c < k; c++)
						x[i] = multiply_add(-dots[c], U[i + (int64_t)c * ldu], x[i]);
			}
			R own = 0;
			for (int i = threadIdx.x; i < m; i += THREADS)
				own += abs_squared(x[i]);
			length = sum_of_block(own);
		}
		__syncthreads();
		for (int i = threadIdx.x; i < m; i += THREADS)
			x[i] = (1 / sqrt(length)) * x[i];
		__syncthreads();
	}
}

/* The sweeps, and what U' A V has beside the diagonal. `dots`: the columns' squares. */
template <class T>
__device__ void tell_rest(int m, int n, const T *G, const T *dots, real_of<T> scale, int sweeps, const rotations &how)
{
	real_of<T> own = 0;
	for (int64_t e = threadIdx.x / WARP; e < (int64_t)n * n; e += THREADS / WARP) {
		int p = (int)(e % n), q = (int)(e / n);
		if (p == q || !(real(dots[p]) > 0))
			continue;
		T beside = product_of_columns(m, G + (int64_t)p * m, G + (int64_t)q * m);
		if (threadIdx.x % WARP == 0)
			own += abs_squared(beside) / real(dots[p]);
	}
	own = sum_of_block(own);
	if (threadIdx.x == 0) {
		*how.sweeps = sweeps;
		*how.left = (double)scale * sqrt((double)own);
	}
}

/* A block for each matrix. U, V: null if not wanted; U, whose rows are neighbours, gets `columns`. */
template <class T>
__global__ void __launch_bounds__(THREADS)
	svd_kernel(int m, int n, laid_out<T> from, real_of<T> *values, laid_out<T> to_u, int columns, laid_out<T> to_v,
		   T *work, int64_t step, rotations how, int *info)
{
	using R = real_of<T>;
	__shared__ int turned, null;
	T *G = work + blockIdx.x * step, *V = G + (int64_t)m * n, *dots = V + (int64_t)n * n;
	from.move_to(blockIdx.x);
	to_u.move_to(blockIdx.x);
	to_v.move_to(blockIdx.x);
	values += blockIdx.x * (int64_t)n;
	info += blockIdx.x;
	T *U = to_u.data;
	int ldu = (int)to_u.columns;
	int pairs = (n + 1) / 2, rounds = n + (n & 1) - 1;
	int64_t all = (int64_t)m * n;
	R own = 0, squares = 0;
	for (int64_t e = threadIdx.x; e < all; e += THREADS)
		own = fmax(own, largest_part(from.get(e % m, e / m)));
	R largest = most_of_block(own), scale = scale_of(largest), by = 1 / scale;
	if (isinf(largest)) {
		spoil(values, n, how, info);
		for (int64_t e = threadIdx.x; e < (int64_t)m * columns && U; e += THREADS)
			to_u.set(e % m, e / m, make<T>(NAN));
		for (int64_t e = threadIdx.x; e < (int64_t)n * n && to_v.data; e += THREADS)
			to_v.set(e % n, e / n, make<T>(NAN));
		return;
	}
	for (int64_t e = threadIdx.x; e < all; e += THREADS) {
		G[e] = by * from.get(e % m, e / m);
		squares += abs_squared(G[e]);
	}
	for (int64_t e = threadIdx.x; e < (int64_t)n * n && to_v.data; e += THREADS)
		V[e] = make<T>(e % n == e / n);
	R least = sum_of_block(squares) * 16 * epsilon_of<R> * epsilon_of<R>;
	bool done = false;
	R nothing = fmax(epsilon_of<R> * sqrt((R)m), (R)how.tolerance);
	int sweep = 0;
	for (; sweep < how.most_sweeps && !done; sweep++) {
		if (threadIdx.x == 0)
			turned = 0;
		__syncthreads();
		for (int round = 0; round < rounds; round++) {
			for (int k = threadIdx.x / WARP; k < pairs; k += THREADS / WARP) {
				int p, q;
				pair_of(round, k, n, &p, &q);
				if (p >= 0 && turn_columns(m, n, G, to_v.data ? V : nullptr, p, q, nothing, least) && threadIdx.x % WARP == 0)
					atomicOr(&turned, 1);
			}
			__syncthreads();
		}
		done = !turned;
		__syncthreads();
	}
	if (threadIdx.x == 0) {
		*info = done ? 0 : how.unsettled;
		null = 0;
	}
	__syncthreads();
	for (int j = threadIdx.x / WARP; j < n; j += THREADS / WARP) {
		T square = product_of_columns(m, G + (int64_t)j * m, G + (int64_t)j * m);
		if (threadIdx.x % WARP == 0)
			dots[j] = square;
	}
	__syncthreads();
	if (how.sweeps)
		tell_rest(m, n, G, dots, scale, sweep, how);
	/* Each value's place is the number of larger ones, and of equal ones before it. */
	for (int j = threadIdx.x / WARP; j < n; j += THREADS / WARP) {
		R square = real(dots[j]), length = sqrt(square);
		int place = 0, lane = threadIdx.x % WARP;
		/* Columns of nothing are the last ones, sorted or not, and are orthogonalised there. */
		for (int k = 0; k < n; k++)
			place += !how.sorted && square > least ? k < j && real(dots[k]) > least : real(dots[k]) > square || (real(dots[k]) == square && k < j);
		if (lane == 0) {
			values[place] = scale * length;
			if (!(square > least))
				atomicAdd(&null, 1);
		}
		for (int i = lane; i < n && to_v.data; i += WARP)
			to_v.set(i, place, V[i + (int64_t)j * n]);
		for (int i = lane; i < m && U && square > least; i += WARP)
			to_u.set(i, place, (1 / length) * G[i + (int64_t)j * m]);
	}
	__syncthreads();
	if (U)
		complete_columns(m, U, ldu, n - null, columns, dots);
}

template <class T> inline int64_t svd_elements(int64_t m, int64_t n)
{
	return m * n + n * n + m;
}

template <class T> cusolverStatus_t gesvd_buffer(cusolverDnHandle_t handle, int m, int n, int *size)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(n >= 0 && m >= n && size);
	return tell_size(svd_elements<T>(m, n), size);
}

inline bool is_job(signed char job)
{
	return job == 'A' || job == 'S' || job == 'O' || job == 'N';
}

/* As NVIDIA's: of as many rows as columns at least. */
template <class T>
cusolverStatus_t gesvd(cusolverDnHandle_t handle, signed char jobu, signed char jobvt, int m, int n, T *A, int lda,
		       real_of<T> *S, T *U, int ldu, T *VT, int ldvt, T *work, int size, int *info)
{
	HD_SOLVER_HANDLE(handle);
	bool in_place = jobu == 'O', u = jobu != 'N', vt = jobvt != 'N', vt_in_place = jobvt == 'O';
	HD_SOLVER_VALID(is_job(jobu) && is_job(jobvt) && !(in_place && vt_in_place) && m >= n && is_matrix(m, n, lda) && info &&
			has_room(size, svd_elements<T>(m, n)));
	HD_SOLVER_VALID((!u || in_place || is_matrix(m, n, ldu)) && (!vt || vt_in_place || is_matrix(n, n, ldvt)));
	cudaMemsetAsync(info, 0, sizeof *info, handle->stream);
	if (m == 0)
		return CUSOLVER_STATUS_SUCCESS;
	laid_out<T> from{A, 1, lda, 0, false}, to_u{!u ? nullptr : in_place ? A : U, 1, in_place ? lda : ldu, 0, false};
	laid_out<T> to_v{!vt ? nullptr : vt_in_place ? A : VT, vt_in_place ? lda : ldvt, 1, 0, true};
	svd_kernel<T><<<1, THREADS, 0, handle->stream>>>(m, n, from, S, to_u, jobu == 'A' ? m : n, to_v, work, 0, rotations(),
							 info);
	return finished(CUBLAS_STATUS_SUCCESS);
}

} // namespace hd_solver

struct gesvdjInfo : hd_solver::rotations {};

namespace hd_solver {

template <class T>
cusolverStatus_t gesvdj_buffer(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int m, int n, int lda, int *size,
			       gesvdjInfo_t params, int batch)
{
	HD_SOLVER_HANDLE(handle);
	HD_SOLVER_VALID(is_mode(jobz) && is_matrix(m, n, lda) && size && params && batch >= 0);
	return tell_size(m >= n ? svd_elements<T>(m, n) : svd_elements<T>(n, m), size, batch);
}

/* Of a matrix with more columns than rows, the adjoint is turned: its U is V. */
template <class T>
cusolverStatus_t gesvdj(cusolverDnHandle_t handle, cusolverEigMode_t jobz, int econ, int m, int n, T *A, int lda,
			real_of<T> *S, T *U, int ldu, T *V, int ldv, T *work, int size, int *info, gesvdjInfo_t params,
			int batch, bool single)
{
	HD_SOLVER_HANDLE(handle);
	bool vectors = jobz == CUSOLVER_EIG_MODE_VECTOR, turned = m < n;
	int least = turned ? m : n, most = turned ? n : m, columns = econ ? least : most;
	int64_t elements = svd_elements<T>(most, least);
	HD_SOLVER_VALID(is_mode(jobz) && is_matrix(m, n, lda) && info && params && batch >= 0 &&
			has_room(size, elements, batch));
	HD_SOLVER_VALID(!vectors || (is_matrix(m, m, ldu) && is_matrix(n, n, ldv)));
	rotations how = *params;
	how.unsettled = least + 1;
	how.sorted = single || how.sorted;
	if (!single)
		how.sweeps = nullptr;
	begin_infos(handle, how, info, batch);
	if (least == 0 || batch == 0)
		return CUSOLVER_STATUS_SUCCESS;
	laid_out<T> from{A, turned ? lda : 1, turned ? 1 : lda, (int64_t)lda * n, turned};
	laid_out<T> to_u{vectors ? U : nullptr, 1, ldu, (int64_t)ldu * m, false};
	laid_out<T> to_v{vectors ? V : nullptr, 1, ldv, (int64_t)ldv * n, false};
	svd_kernel<T><<<(unsigned)batch, THREADS, 0, handle->stream>>>(most, least, from, S, turned ? to_v : to_u, columns,
								       turned ? to_u : to_v, work, elements, how, info);
	return finished(CUBLAS_STATUS_SUCCESS);
}

} // namespace hd_solver
