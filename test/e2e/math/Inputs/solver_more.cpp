// cuSOLVER's batches, Jacobi's rotations with their infos, and functions with types as arguments.
#include <cusolverDn.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

static void demand(bool right, const char *what, int line)
{
	if (!right) {
		printf("line %d: wrong: %s\n", line, what);
		exit(1);
	}
}
#define DEMAND(x) demand(x, #x, __LINE__)
#define OK(x) demand((x) == CUSOLVER_STATUS_SUCCESS, #x, __LINE__)

static std::mt19937 random_bits(3);
static double number() { return (int)(random_bits() % 2001 - 1000) / 1000.0; }
static cusolverDnHandle_t handle;

template <class T> struct device {
	T *data = nullptr;
	size_t count;
	device(const std::vector<T> &from) : count(from.size())
	{
		DEMAND(cudaMalloc((void **)&data, count * sizeof(T) + 16) == cudaSuccess);
		cudaMemcpy(data, from.data(), count * sizeof(T), cudaMemcpyHostToDevice);
	}
	explicit device(size_t count) : device(std::vector<T>(count)) {}
	~device() { cudaFree(data); }
	std::vector<T> get() const
	{
		std::vector<T> to(count);
		DEMAND(cudaMemcpy(to.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost) == cudaSuccess);
		return to;
	}
};

static cusolverEigMode_t mode = CUSOLVER_EIG_MODE_VECTOR;
static int missing; // elements of the work that a call is not told of

// One type: its numbers on the host, NVIDIA's name of them, the real type, and the calls.
#define TYPE(NAME, L, SY, H, N, R_, DATA, REAL_DATA)                                                                           \
	struct NAME {                                                                                                          \
		typedef H T;                                                                                                   \
		typedef R_ R;                                                                                                  \
		static const cudaDataType data = DATA, real = REAL_DATA;                                                       \
		template <class... A> static cusolverStatus_t potrf_batch(cublasFillMode_t u, int n, H **a, A... rest)         \
		{ return cusolverDn##L##potrfBatched(handle, u, n, (N **)a, rest...); }                                        \
		static cusolverStatus_t potrs_batch(cublasFillMode_t u, int n, int k, H **a, int lda, H **b, int ldb, int *i, int c) \
		{ return cusolverDn##L##potrsBatched(handle, u, n, k, (N **)a, lda, (N **)b, ldb, i, c); }                     \
		static cusolverStatus_t syevj(cublasFillMode_t u, int n, H *a, int lda, R *w, int *i, syevjInfo_t p, int count) \
		{                                                                                                              \
			int size;                                                                                              \
			OK(count ? cusolverDn##L##SY##evjBatched_bufferSize(handle, mode, u, n, (N *)a, lda, w, &size, p, count) \
				 : cusolverDn##L##SY##evj_bufferSize(handle, mode, u, n, (N *)a, lda, w, &size, p)); \
			device<H> work(size);                                                                                  \
			return count ? cusolverDn##L##SY##evjBatched(handle, mode, u, n, (N *)a, lda, w, (N *)work.data, size - missing, i, p, count) \
				     : cusolverDn##L##SY##evj(handle, mode, u, n, (N *)a, lda, w, (N *)work.data, size - missing, i, p); \
		}                                                                                                              \
		static cusolverStatus_t gesvdj(int econ, int m, int n, H *a, int lda, R *s, H *u, int ldu, H *v, int ldv, int *i, gesvdjInfo_t p, int count) \
		{                                                                                                              \
			int size;                                                                                              \
			OK(count ? cusolverDn##L##gesvdjBatched_bufferSize(handle, mode, m, n, (N *)a, lda, s, (N *)u, ldu, (N *)v, ldv, &size, p, count) \
				 : cusolverDn##L##gesvdj_bufferSize(handle, mode, econ, m, n, (N *)a, lda, s, (N *)u, ldu, (N *)v, ldv, &size, p)); \
			device<H> work(size);                                                                                  \
			return count ? cusolverDn##L##gesvdjBatched(handle, mode, m, n, (N *)a, lda, s, (N *)u, ldu, (N *)v, ldv, (N *)work.data, size - missing, i, p, count) \
				     : cusolverDn##L##gesvdj(handle, mode, econ, m, n, (N *)a, lda, s, (N *)u, ldu, (N *)v, ldv, (N *)work.data, size - missing, i, p); \
		}                                                                                                              \
		static cusolverStatus_t geqrf(int m, int n, H *a, int lda, H *tau, int *i)                                     \
		{                                                                                                              \
			int size;                                                                                              \
			OK(cusolverDn##L##geqrf_bufferSize(handle, m, n, (N *)a, lda, &size));                                 \
			device<H> work(size);                                                                                  \
			return cusolverDn##L##geqrf(handle, m, n, (N *)a, lda, (N *)tau, (N *)work.data, size, i);             \
		}                                                                                                              \
	};
TYPE(doubles, D, sy, double, double, double, CUDA_R_64F, CUDA_R_64F)
TYPE(singles, S, sy, float, float, float, CUDA_R_32F, CUDA_R_32F)
TYPE(complexes, C, he, std::complex<float>, cuComplex, float, CUDA_C_32F, CUDA_R_32F)
TYPE(wide_complexes, Z, he, std::complex<double>, cuDoubleComplex, double, CUDA_C_64F, CUDA_R_64F)

template <class T> struct value { static T random() { return (T)number(); } };
template <class T> struct value<std::complex<T>> {
	static std::complex<T> random() { return std::complex<T>((T)number(), (T)number()); }
};
static float adjoint(float x) { return x; }
static double adjoint(double x) { return x; }
template <class T> static std::complex<T> adjoint(std::complex<T> x) { return std::conj(x); }

// A Hermitian matrix, both halves; `heavy` on its diagonal.
template <class T> static std::vector<T> symmetric(int n, int lda, double heavy)
{
	std::vector<T> a((size_t)lda * n);
	for (int j = 0; j < n; j++)
		for (int i = 0; i <= j; i++) {
			T x = value<T>::random();
			a[i + j * lda] = i == j ? T(std::real(x) + heavy) : x;
			a[j + i * lda] = i == j ? a[i + j * lda] : adjoint(x);
		}
	return a;
}

// The largest element of A X - B D, or A X - B where there is no D.
template <class T, class R>
static double difference(int m, int n, int k, const T *a, int lda, const T *x, int ldx, const T *b, int ldb, const R *d)
{
	double worst = 0;
	for (int j = 0; j < n; j++)
		for (int i = 0; i < m; i++) {
			T sum = d ? -b[i + j * ldb] * (T)d[j] : -b[i + j * ldb];
			for (int l = 0; l < k; l++)
				sum += a[i + l * lda] * x[l + j * ldx];
			worst = std::max(worst, (double)std::abs(sum));
		}
	return worst;
}

// How far columns are from orthogonal ones.
template <class T> static double skew(int m, int n, const T *q, int ld)
{
	double worst = 0;
	for (int j = 0; j < n; j++)
		for (int i = 0; i < n; i++) {
			T sum = T(i == j ? -1 : 0);
			for (int l = 0; l < m; l++)
				sum += adjoint(q[l + i * ld]) * q[l + j * ld];
			worst = std::max(worst, (double)std::abs(sum));
		}
	return worst;
}

template <class S> static void check_batch(cublasFillMode_t fill, double bound)
{
	typedef typename S::T T;
	int n = 7, lda = 9, count = 5;
	std::vector<T> all, sides;
	std::vector<T *> where, where_sides;
	for (int k = 0; k < count; k++) {
		auto a = symmetric<T>(n, lda, k == 3 ? -1 : 9);
		if (k == 3)
			a[0] = T(4); // the second pivot is not positive
		all.insert(all.end(), a.begin(), a.end());
		for (int i = 0; i < n; i++)
			sides.push_back(value<T>::random());
	}
	device<T> a(all), b(sides);
	device<int> info(count);
	for (int k = 0; k < count; k++) {
		where.push_back(a.data + (size_t)k * lda * n);
		where_sides.push_back(b.data + (size_t)k * n);
	}
	device<T *> pointers(where), side_pointers(where_sides);
	OK(S::potrf_batch(fill, n, pointers.data, lda, info.data, count));
	DEMAND((info.get() == std::vector<int>{0, 0, 0, 2, 0}));
	OK(S::potrs_batch(fill, n, 1, pointers.data, lda, side_pointers.data, n, info.data, count));
	DEMAND(S::potrs_batch(fill, n, 2, pointers.data, lda, side_pointers.data, n, info.data, count) == CUSOLVER_STATUS_NOT_SUPPORTED);
	auto x = b.get();
	for (int k = 0; k < count; k++)
		DEMAND(k == 3 || (difference<T, double>(n, 1, n, &all[(size_t)k * lda * n], lda, &x[k * n], n, &sides[k * n], n, nullptr) < bound));
}

template <class S> static void check_eigen(cublasFillMode_t fill, int n, double bound)
{
	typedef typename S::T T;
	typedef typename S::R R;
	int lda = n + 1, count = 3, sweeps = 0;
	double rest = -1;
	syevjInfo_t how;
	OK(cusolverDnCreateSyevjInfo(&how));
	std::vector<T> all;
	for (int k = 0; k < count; k++) {
		auto a = symmetric<T>(n, lda, 0);
		all.insert(all.end(), a.begin(), a.end());
	}
	device<T> one(std::vector<T>(all.begin(), all.begin() + lda * n)), a(all);
	device<R> w1(n), w((size_t)n * count);
	device<int> info(count);
	OK(S::syevj(fill, n, one.data, lda, w1.data, info.data, how, 0));
	OK(cusolverDnXsyevjGetSweeps(handle, how, &sweeps));
	OK(cusolverDnXsyevjGetResidual(handle, how, &rest));
	DEMAND(info.get()[0] == 0 && sweeps > 1 && rest >= 0 && rest < bound);
	auto v = one.get();
	auto values = w1.get();
	DEMAND(std::is_sorted(values.begin(), values.end()));
	DEMAND((difference<T, R>(n, n, n, all.data(), lda, v.data(), lda, v.data(), lda, values.data()) < bound));
	DEMAND(skew(n, n, v.data(), lda) < bound);
	OK(cusolverDnXsyevjSetSortEig(how, 0));
	OK(S::syevj(fill, n, a.data, lda, w.data, info.data, how, count));
	auto vs = a.get();
	auto all_values = w.get();
	for (int k = 0; k < count; k++)
		DEMAND((difference<T, R>(n, n, n, &all[(size_t)k * lda * n], lda, &vs[(size_t)k * lda * n], lda, &vs[(size_t)k * lda * n], lda, &all_values[k * n]) < bound));
	DEMAND(!std::is_sorted(all_values.begin(), all_values.begin() + n));
	std::sort(all_values.begin(), all_values.begin() + n);
	for (int i = 0; i < n; i++)
		DEMAND(std::abs(all_values[i] - values[i]) < bound);
	// One sweep is not enough; a tolerance of a tenth needs fewer sweeps.
	OK(cusolverDnXsyevjSetMaxSweeps(how, 1));
	device<T> again(std::vector<T>(all.begin(), all.begin() + lda * n)), rough(std::vector<T>(all.begin(), all.begin() + lda * n));
	OK(S::syevj(fill, n, again.data, lda, w1.data, info.data, how, 0));
	DEMAND(info.get()[0] == n + 1);
	int fewer = 99;
	OK(cusolverDnXsyevjSetMaxSweeps(how, 15));
	OK(cusolverDnXsyevjSetTolerance(how, 0.1));
	OK(S::syevj(fill, n, rough.data, lda, w1.data, info.data, how, 0));
	OK(cusolverDnXsyevjGetSweeps(handle, how, &fewer));
	DEMAND(info.get()[0] == 0 && fewer < sweeps);
	OK(cusolverDnDestroySyevjInfo(how));
}

template <class S> static void check_singular(int m, int n, int econ, double bound)
{
	typedef typename S::T T;
	typedef typename S::R R;
	int lda = m + 2, ldu = m + 1, ldv = n + 3, least = std::min(m, n), sweeps = 0, count = 2;
	int u_columns = econ ? least : m, v_columns = econ ? least : n;
	double rest = -1;
	gesvdjInfo_t how;
	std::vector<T> all;
	OK(cusolverDnCreateGesvdjInfo(&how));
	for (int i = 0; i < lda * n * count; i++)
		all.push_back(value<T>::random());
	for (int batch : {0, count}) {
		if (batch && econ)
			continue;
		device<T> a(all), u((size_t)ldu * m * count), v((size_t)ldv * n * count);
		device<R> s((size_t)least * count);
		device<int> info(count);
		OK(S::gesvdj(econ, m, n, a.data, lda, s.data, u.data, ldu, v.data, ldv, info.data, how, batch));
		if (!batch) {
			OK(cusolverDnXgesvdjGetSweeps(handle, how, &sweeps));
			OK(cusolverDnXgesvdjGetResidual(handle, how, &rest));
			DEMAND((sweeps > 1 || least == 1) && rest >= 0 && rest < bound);
		}
		auto us = u.get(), vs = v.get();
		auto values = s.get();
		for (int k = 0; k < std::max(batch, 1); k++) {
			T *uk = &us[(size_t)k * ldu * m], *vk = &vs[(size_t)k * ldv * n];
			R *sk = &values[k * least];
			DEMAND(info.get()[k] == 0);
			DEMAND(std::is_sorted(sk, sk + least, [](R a, R b) { return a > b; }));
			DEMAND(skew(m, u_columns, uk, ldu) < bound && skew(n, v_columns, vk, ldv) < bound);
			DEMAND((difference<T, R>(m, least, n, &all[(size_t)k * lda * n], lda, vk, ldv, uk, ldu, sk) < bound));
		}
	}
	OK(cusolverDnDestroyGesvdjInfo(how));
}

template <class S> static void check_typed(double bound)
{
	typedef typename S::T T;
	typedef typename S::R R;
	int n = 40, lda = 41, least = 5;
	size_t bytes, host_bytes;
	cusolverDnParams_t params;
	OK(cusolverDnCreateParams(&params));
	OK(cusolverDnSetAdvOptions(params, CUSOLVERDN_GETRF, CUSOLVER_ALG_0));
	auto a = symmetric<T>(n, lda, 50), b = a;
	b.resize((size_t)lda * 2);
	device<int> info(1);
	auto solved = [&](const device<T> &x) {
		auto got = x.get();
		return info.get()[0] == 0 && difference<T, R>(n, 2, n, a.data(), lda, got.data(), lda, b.data(), lda, nullptr) < bound;
	};
	{
		device<T> f(a), x(b);
		OK(cusolverDnXpotrf_bufferSize(handle, params, CUBLAS_FILL_MODE_LOWER, n, S::data, f.data, lda, S::data, &bytes, &host_bytes));
		device<char> work(bytes);
		OK(cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_LOWER, n, S::data, f.data, lda, S::data, work.data, bytes, nullptr, host_bytes, info.data));
		OK(cusolverDnXpotrs(handle, params, CUBLAS_FILL_MODE_LOWER, n, 2, S::data, f.data, lda, S::data, x.data, lda, info.data));
		DEMAND(solved(x));
		DEMAND(cusolverDnXpotrf(handle, params, CUBLAS_FILL_MODE_LOWER, (int64_t)1 << 32, S::data, f.data, (int64_t)1 << 32, S::data, work.data, bytes, nullptr, 0, info.data) == CUSOLVER_STATUS_INVALID_VALUE);
		DEMAND(cusolverDnXpotrf_bufferSize(handle, params, CUBLAS_FILL_MODE_LOWER, n, CUDA_R_16F, f.data, lda, CUDA_R_16F, &bytes, &host_bytes) == CUSOLVER_STATUS_NOT_SUPPORTED);
	}
	for (bool pivoting : {true, false}) {
		device<T> f(a), x(b);
		device<int64_t> pivots(n);
		int64_t *to = pivoting ? pivots.data : nullptr;
		OK(cusolverDnXgetrf_bufferSize(handle, params, n, n, S::data, f.data, lda, S::data, &bytes, &host_bytes));
		device<char> work(bytes);
		OK(cusolverDnXgetrf(handle, params, n, n, S::data, f.data, lda, to, S::data, work.data, bytes, nullptr, host_bytes, info.data));
		OK(cusolverDnXgetrs(handle, params, CUBLAS_OP_N, n, 2, S::data, f.data, lda, to, S::data, x.data, lda, info.data));
		DEMAND(solved(x));
		DEMAND(!pivoting || (pivots.get()[0] >= 1 && pivots.get()[n - 1] == n));
	}
	{ // the columns' lengths are R's
		device<T> f(a), tau(least);
		OK(cusolverDnXgeqrf_bufferSize(handle, params, n, least, S::data, f.data, lda, S::data, tau.data, S::data, &bytes, &host_bytes));
		device<char> work(bytes);
		OK(cusolverDnXgeqrf(handle, params, n, least, S::data, f.data, lda, S::data, tau.data, S::data, work.data, bytes, nullptr, host_bytes, info.data));
		auto r = f.get();
		double length = 0, of_r = 0;
		for (int i = 0; i < n; i++)
			length += std::norm(a[i + 4 * lda]);
		for (int i = 0; i <= 4; i++)
			of_r += std::norm(r[i + 4 * lda]);
		DEMAND(std::abs(length - of_r) < bound * length);
	}
	int small = 9;
	auto c = symmetric<T>(small, small, 0);
	device<R> w(small), s(small);
	{
		device<T> v(c);
		OK(cusolverDnXsyevd_bufferSize(handle, params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, small, S::data, v.data, small, S::real, w.data, S::data, &bytes, &host_bytes));
		device<char> work(bytes);
		OK(cusolverDnXsyevd(handle, params, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_UPPER, small, S::data, v.data, small, S::real, w.data, S::data, work.data, bytes, nullptr, host_bytes, info.data));
		auto got = v.get();
		DEMAND((difference<T, R>(small, small, small, c.data(), small, got.data(), small, got.data(), small, w.get().data()) < bound));
	}
	{
		device<T> from(c), u(small * small), vt(small * small);
		OK(cusolverDnXgesvd_bufferSize(handle, params, 'A', 'A', small, small, S::data, from.data, small, S::real, s.data, S::data, u.data, small, S::data, vt.data, small, S::data, &bytes, &host_bytes));
		device<char> work(bytes);
		OK(cusolverDnXgesvd(handle, params, 'A', 'A', small, small, S::data, from.data, small, S::real, s.data, S::data, u.data, small, S::data, vt.data, small, S::data, work.data, bytes, nullptr, host_bytes, info.data));
	}
	auto values = w.get(), singular = s.get();
	for (R &x : values)
		x = std::abs(x);
	std::sort(values.begin(), values.end(), [](R x, R y) { return x > y; });
	for (int i = 0; i < small; i++)
		DEMAND(std::abs(values[i] - singular[i]) < bound);
	OK(cusolverDnDestroyParams(params));
}

// Xsyevd, Xgesvd (with as many rows as columns at least) and Xgeqrf.
template <class S, class T, class R> static cusolverStatus_t typed_eigen(int n, T *a, int lda, R *w, int *info)
{
	size_t bytes, host_bytes;
	OK(cusolverDnXsyevd_bufferSize(handle, nullptr, mode, CUBLAS_FILL_MODE_LOWER, n, S::data, a, lda, S::real, w, S::data, &bytes, &host_bytes));
	device<char> work(bytes);
	return cusolverDnXsyevd(handle, nullptr, mode, CUBLAS_FILL_MODE_LOWER, n, S::data, a, lda, S::real, w, S::data, work.data, bytes - missing * sizeof(T), nullptr, 0, info);
}
template <class S, class T, class R>
static cusolverStatus_t typed_singular(int m, int n, T *a, int lda, R *s, T *u, int ldu, T *vt, int ldvt, int *info)
{
	size_t bytes, host_bytes;
	OK(cusolverDnXgesvd_bufferSize(handle, nullptr, 'A', 'A', m, n, S::data, a, lda, S::real, s, S::data, u, ldu, S::data, vt, ldvt, S::data, &bytes, &host_bytes));
	device<char> work(bytes);
	return cusolverDnXgesvd(handle, nullptr, 'A', 'A', m, n, S::data, a, lda, S::real, s, S::data, u, ldu, S::data, vt, ldvt, S::data, work.data, bytes - missing * sizeof(T), nullptr, 0, info);
}

template <class T> static std::vector<T> adjoint(int n, const std::vector<T> &a)
{
	std::vector<T> to(a.size());
	for (int i = 0; i < n; i++)
		for (int j = 0; j < n; j++)
			to[i + j * n] = adjoint(a[j + i * n]);
	return to;
}

static float times(double by, float x) { return (float)(by * x); }
static double times(double by, double x) { return by * x; }
template <class T> static std::complex<T> times(double by, std::complex<T> x)
{
	return std::complex<T>(times(by, x.real()), times(by, x.imag()));
}
template <class T> static std::vector<T> times(double by, std::vector<T> a)
{
	for (T &x : a)
		x = times(by, x);
	return a;
}

// Matrices whose squares overflow or vanish have the vectors of ordinary ones, and values by so much larger.
template <class S> static void check_scales(const std::vector<double> &scales, double bound)
{
	typedef typename S::T T;
	typedef typename S::R R;
	int n = 8, m = 11;
	std::vector<T> a(n * n), b;
	for (int i = 0; i < n * n; i++)
		a[i] = T(1) / T(1 + i % n + i / n); // Hilbert's
	for (int i = 0; i < m * n; i++)
		b.push_back(value<T>::random());
	device<int> info(1);
	device<T> tau(n);
	syevjInfo_t how;
	gesvdjInfo_t singular;
	OK(cusolverDnCreateSyevjInfo(&how));
	OK(cusolverDnCreateGesvdjInfo(&singular));
	double plain_rest = 0, rest = 0;
	std::vector<T> plain_r;
	for (double scale : scales) {
		for (bool jacobi : {true, false}) {
			device<T> v(times(scale, a));
			device<R> w(n);
			OK(jacobi ? S::syevj(CUBLAS_FILL_MODE_LOWER, n, v.data, n, w.data, info.data, how, 0) : typed_eigen<S>(n, v.data, n, w.data, info.data));
			auto values = times(1 / scale, w.get());
			auto vectors = v.get();
			DEMAND(info.get()[0] == 0 && skew(n, n, vectors.data(), n) < bound);
			DEMAND((difference<T, R>(n, n, n, a.data(), n, vectors.data(), n, vectors.data(), n, values.data()) < bound));
			DEMAND(std::abs(values[n - 1] - 1.6959390) < bound + 1e-7);
			OK(cusolverDnXsyevjGetResidual(handle, how, &rest));
			DEMAND(rest <= bound * scale);
		}
		// Nothing is done: what is left is all beside the diagonal.
		OK(cusolverDnXsyevjSetMaxSweeps(how, 0));
		device<T> v(times(scale, a));
		device<R> w(n), s(n);
		OK(S::syevj(CUBLAS_FILL_MODE_LOWER, n, v.data, n, w.data, info.data, how, 0));
		OK(cusolverDnXsyevjGetResidual(handle, how, &rest));
		for (int i = 0; i < n * n; i++)
			plain_rest += scale == scales[0] && i % n != i / n ? std::norm(a[i]) : 0;
		DEMAND(info.get()[0] == n + 1 && std::abs(rest / scale / std::sqrt(plain_rest) - 1) < bound);
		OK(cusolverDnXsyevjSetMaxSweeps(how, 30));

		for (bool jacobi : {true, false}) {
			device<T> from(times(scale, b)), u(m * m), right(n * n);
			OK(jacobi ? S::gesvdj(0, m, n, from.data, m, s.data, u.data, m, right.data, n, info.data, singular, 0)
				  : typed_singular<S>(m, n, from.data, m, s.data, u.data, m, right.data, n, info.data));
			auto us = u.get(), vs = jacobi ? right.get() : adjoint(n, right.get());
			auto values = times(1 / scale, s.get());
			DEMAND(info.get()[0] == 0 && skew(m, m, us.data(), m) < bound && skew(n, n, vs.data(), n) < bound);
			DEMAND((difference<T, R>(m, n, n, b.data(), m, vs.data(), n, us.data(), m, values.data()) < bound));
		}
		device<T> qr(times(scale, b));
		OK(S::geqrf(m, n, qr.data, m, tau.data, info.data));
		auto r = qr.get(); // R and the reflections
		for (int j = 0; j < n; j++)
			for (int i = 0; i <= j; i++)
				r[i + j * m] = times(1 / scale, r[i + j * m]);
		plain_r = scale == scales[0] ? r : plain_r;
		for (int i = 0; i < m * n; i++)
			DEMAND(std::abs(r[i] - plain_r[i]) < bound);
	}
	// What is no number makes no number, and ends.
	for (double odd : {(double)NAN, HUGE_VAL, -HUGE_VAL})
		for (bool jacobi : {true, false}) {
			auto c = a, d = b;
			c[3 + 2 * n] = d[3 + 2 * m] = T((R)odd);
			device<T> v(c), from(d), u(m * m), right(n * n);
			device<R> w(n), s(n);
			OK(jacobi ? S::syevj(CUBLAS_FILL_MODE_LOWER, n, v.data, n, w.data, info.data, how, 0) : typed_eigen<S>(n, v.data, n, w.data, info.data));
			auto values = w.get();
			DEMAND(info.get()[0] > 0 && std::isnan(values[0]) && std::isnan(values[n - 1]) && v.get()[5] != v.get()[5]);
			OK(jacobi ? S::gesvdj(0, m, n, from.data, m, s.data, u.data, m, right.data, n, info.data, singular, 0)
				  : typed_singular<S>(m, n, from.data, m, s.data, u.data, m, right.data, n, info.data));
			values = s.get();
			DEMAND(info.get()[0] > 0 && std::isnan(values[0]) && std::isnan(values[n - 1]) && u.get()[5] != u.get()[5]);
		}
	OK(cusolverDnDestroySyevjInfo(how));
	OK(cusolverDnDestroyGesvdjInfo(singular));
}

// No vectors, nothing to do, too little work, modes that there are not.
template <class S> static void check_edges(double bound)
{
	typedef typename S::T T;
	typedef typename S::R R;
	int n = 6, m = 9, sweeps = -1, size;
	double rest = -1;
	syevjInfo_t how;
	gesvdjInfo_t singular;
	OK(cusolverDnCreateSyevjInfo(&how));
	OK(cusolverDnCreateGesvdjInfo(&singular));
	auto told = [&](int want) { // the sweeps of both, and what is left where there were none
		int s = -1, t = -1;
		double r = -1, q = -1;
		OK(cusolverDnXsyevjGetSweeps(handle, how, &s));
		OK(cusolverDnXgesvdjGetSweeps(handle, singular, &t));
		OK(cusolverDnXsyevjGetResidual(handle, how, &r));
		OK(cusolverDnXgesvdjGetResidual(handle, singular, &q));
		return want ? s >= want && t >= want : s == 0 && t == 0 && r == 0 && q == 0;
	};
	DEMAND(told(0));
	auto a = symmetric<T>(n, n, 0);
	std::vector<T> b, none(m * m, T(7));
	for (int i = 0; i < m * n; i++)
		b.push_back(value<T>::random());
	device<int> info(std::vector<int>(2, 9));
	device<R> w(n), plain_w(n), s(n), plain_s(n);
	device<T> u(none), v(none);
	auto eigen = [&](R *values) {
		device<T> copy(a);
		return S::syevj(CUBLAS_FILL_MODE_LOWER, n, copy.data, std::max(n, 1), values, info.data, how, 0);
	};
	auto values = [&](R *to) {
		device<T> copy(b);
		return S::gesvdj(0, m, n, copy.data, std::max(m, 1), to, u.data, std::max(m, 1), v.data, std::max(n, 1), info.data, singular, 0);
	};
	mode = CUSOLVER_EIG_MODE_NOVECTOR;
	OK(eigen(w.data));
	DEMAND(info.get()[0] == 0);
	OK(values(s.data));
	DEMAND(info.get()[0] == 0 && u.get() == none && v.get() == none);
	device<R> typed_w(n);
	device<T> typed(a);
	OK((typed_eigen<S>(n, typed.data, n, typed_w.data, info.data)));
	mode = CUSOLVER_EIG_MODE_VECTOR;
	OK(eigen(plain_w.data));
	OK(values(plain_s.data));
	for (int i = 0; i < n; i++) {
		DEMAND(std::abs(w.get()[i] - plain_w.get()[i]) < bound && std::abs(s.get()[i] - plain_s.get()[i]) < bound);
		DEMAND(std::abs(typed_w.get()[i] - plain_w.get()[i]) < bound);
	}
	DEMAND(told(2));
	// Without elements, the infos are of this call, and not of the one before.
	int before = n, rows = m;
	n = 0;
	OK(eigen(w.data));
	DEMAND(info.get()[0] == 0);
	OK(values(s.data));
	DEMAND(told(0));
	n = before;
	OK(values(s.data));
	m = 0;
	OK(values(s.data));
	DEMAND(told(0) && w.get()[0] != 0);
	m = rows;
	// Too little work.
	missing = 1;
	device<T> from(a), wide(b);
	DEMAND(eigen(w.data) == CUSOLVER_STATUS_INVALID_VALUE && values(s.data) == CUSOLVER_STATUS_INVALID_VALUE);
	DEMAND((typed_eigen<S>(n, from.data, n, w.data, info.data) == CUSOLVER_STATUS_INVALID_VALUE));
	DEMAND((typed_singular<S>(m, n, wide.data, m, s.data, u.data, m, v.data, n, info.data) == CUSOLVER_STATUS_INVALID_VALUE));
	for (int count : {2, 1})
		DEMAND(S::syevj(CUBLAS_FILL_MODE_LOWER, n, from.data, n, w.data, info.data, how, count) == CUSOLVER_STATUS_INVALID_VALUE &&
		       S::gesvdj(0, m, n, wide.data, m, s.data, u.data, m, v.data, n, info.data, singular, count) == CUSOLVER_STATUS_INVALID_VALUE);
	missing = 0;
	OK(cusolverDnDestroySyevjInfo(how));
	OK(cusolverDnDestroyGesvdjInfo(singular));
}

static void check_arguments()
{
	int size = 7;
	size_t bytes, host_bytes;
	device<double> a(4), w(4), work(999);
	device<int> info(1);
	syevjInfo_t how;
	gesvdjInfo_t singular;
	OK(cusolverDnCreateSyevjInfo(&how));
	OK(cusolverDnCreateGesvdjInfo(&singular));
	auto lower = CUBLAS_FILL_MODE_LOWER;
	auto vector = CUSOLVER_EIG_MODE_VECTOR, odd = (cusolverEigMode_t)77;
	const auto invalid = CUSOLVER_STATUS_INVALID_VALUE;
	DEMAND(cusolverDnDsyevd_bufferSize(handle, odd, lower, 2, a.data, 2, w.data, &size) == invalid);
	DEMAND(cusolverDnDsyevd(handle, odd, lower, 2, a.data, 2, w.data, work.data, 999, info.data) == invalid);
	DEMAND(cusolverDnDsyevj_bufferSize(handle, odd, lower, 2, a.data, 2, w.data, &size, how) == invalid);
	DEMAND(cusolverDnDsyevj(handle, odd, lower, 2, a.data, 2, w.data, work.data, 999, info.data, how) == invalid);
	DEMAND(cusolverDnDsyevjBatched_bufferSize(handle, odd, lower, 2, a.data, 2, w.data, &size, how, 1) == invalid);
	DEMAND(cusolverDnDsyevjBatched(handle, odd, lower, 2, a.data, 2, w.data, work.data, 999, info.data, how, 1) == invalid);
	DEMAND(cusolverDnDgesvdj_bufferSize(handle, odd, 0, 2, 2, a.data, 2, w.data, a.data, 2, a.data, 2, &size, singular) == invalid);
	DEMAND(cusolverDnDgesvdj(handle, odd, 0, 2, 2, a.data, 2, w.data, a.data, 2, a.data, 2, work.data, 999, info.data, singular) == invalid);
	DEMAND(cusolverDnDgesvdjBatched_bufferSize(handle, odd, 2, 2, a.data, 2, w.data, a.data, 2, a.data, 2, &size, singular, 1) == invalid);
	DEMAND(cusolverDnDgesvdjBatched(handle, odd, 2, 2, a.data, 2, w.data, a.data, 2, a.data, 2, work.data, 999, info.data, singular, 1) == invalid);
	DEMAND(cusolverDnXsyevd_bufferSize(handle, nullptr, odd, lower, 2, CUDA_R_64F, a.data, 2, CUDA_R_64F, w.data, CUDA_R_64F, &bytes, &host_bytes) == invalid);
	DEMAND(cusolverDnXsyevd(handle, nullptr, odd, lower, 2, CUDA_R_64F, a.data, 2, CUDA_R_64F, w.data, CUDA_R_64F, work.data, 999, nullptr, 0, info.data) == invalid);
	DEMAND(cusolverDnDormqr_bufferSize(handle, (cublasSideMode_t)7, CUBLAS_OP_N, 2, 2, 2, a.data, 2, w.data, a.data, 2, &size) == invalid);
	DEMAND(cusolverDnDormqr_bufferSize(handle, CUBLAS_SIDE_LEFT, (cublasOperation_t)7, 2, 2, 2, a.data, 2, w.data, a.data, 2, &size) == invalid);
	// A batch of no matrices needs nothing; that of many, more than an int, also where it is more than 63 bits.
	OK(cusolverDnDsyevjBatched_bufferSize(handle, vector, lower, 2, a.data, 2, w.data, &size, how, 0));
	DEMAND(size == 0);
	OK(cusolverDnDsyevjBatched(handle, vector, lower, 2, a.data, 2, w.data, nullptr, 0, info.data, how, 0));
	OK(cusolverDnDgesvdjBatched(handle, vector, 2, 2, a.data, 2, w.data, a.data, 2, a.data, 2, nullptr, 0, info.data, singular, 0));
	DEMAND(cusolverDnDsyevjBatched_bufferSize(handle, vector, lower, 2000, a.data, 2000, w.data, &size, how, 1000) == invalid);
	DEMAND(cusolverDnDgesvdjBatched_bufferSize(handle, vector, INT_MAX, 2, a.data, INT_MAX, w.data, a.data, INT_MAX, a.data, 2, &size, singular, INT_MAX) == invalid);
	OK(cusolverDnDestroySyevjInfo(how));
	OK(cusolverDnDestroyGesvdjInfo(singular));
}

// Matrices of rank 2, zero columns among them, and of none, sorted and not; the last columns of U and V have no value.
template <class S> static void check_deficient(int m, int n, double bound)
{
	typedef typename S::T T;
	typedef typename S::R R;
	int least = std::min(m, n), count = 3;
	std::vector<T> all;
	for (int k = 0; k < count; k++) {
		T left[2][16], right[2][16];
		for (int i = 0; i < 16; i++)
			for (int r = 0; r < 2; r++)
				left[r][i] = value<T>::random(), right[r][i] = k == 2 || i == 1 ? T() : value<T>::random();
		for (int j = 0; j < n; j++)
			for (int i = 0; i < m; i++)
				all.push_back(left[0][i] * right[0][j] + left[1][i] * right[1][j] * T(k ? 1 : 40));
	}
	for (bool sorted : {true, false}) {
		gesvdjInfo_t how;
		OK(cusolverDnCreateGesvdjInfo(&how));
		OK(cusolverDnXgesvdjSetSortEig(how, sorted));
		device<T> a(all), u(m * m * count), v(n * n * count);
		device<R> s(least * count);
		device<int> info(count);
		OK(S::gesvdj(0, m, n, a.data, m, s.data, u.data, m, v.data, n, info.data, how, count));
		auto us = u.get(), vs = v.get();
		auto values = s.get();
		for (int k = 0; k < count; k++) {
			R *sk = &values[k * least];
			DEMAND(info.get()[k] == 0);
			DEMAND(skew(m, m, &us[k * m * m], m) < bound && skew(n, n, &vs[k * n * n], n) < bound);
			DEMAND((difference<T, R>(m, least, n, &all[k * m * n], m, &vs[k * n * n], n, &us[k * m * m], m, sk) < bound));
			for (int i = 0; i < least; i++)
				DEMAND((i >= 2 || k == 2) ? sk[i] < bound : sk[i] > 0.01);
			DEMAND(!sorted || std::is_sorted(sk, sk + least, [](R x, R y) { return x > y; }));
		}
		OK(cusolverDnDestroyGesvdjInfo(how));
	}
}

// Full ranks, unsorted: some batch has its values in another order.
template <class S> static void check_unsorted(double bound)
{
	typedef typename S::T T;
	typedef typename S::R R;
	int m = 7, n = 5, count = 3, steps = 0;
	std::vector<T> all;
	for (int i = 0; i < m * n * count; i++)
		all.push_back(value<T>::random() * T(1 + i / m % n));
	std::vector<R> values[2];
	for (bool sorted : {true, false}) {
		gesvdjInfo_t how;
		OK(cusolverDnCreateGesvdjInfo(&how));
		OK(cusolverDnXgesvdjSetSortEig(how, sorted));
		device<T> a(all), u(m * m * count), v(n * n * count);
		device<R> s(n * count);
		device<int> info(count);
		OK(S::gesvdj(0, m, n, a.data, m, s.data, u.data, m, v.data, n, info.data, how, count));
		auto us = u.get(), vs = v.get();
		values[sorted] = s.get();
		for (int k = 0; k < count; k++) {
			R *sk = &values[sorted][k * n];
			DEMAND(skew(m, m, &us[k * m * m], m) < bound && skew(n, n, &vs[k * n * n], n) < bound);
			DEMAND((difference<T, R>(m, n, n, &all[k * m * n], m, &vs[k * n * n], n, &us[k * m * m], m, sk) < bound));
			steps += !std::is_sorted(sk, sk + n, [](R x, R y) { return x > y; });
			std::sort(sk, sk + n);
		}
		DEMAND(sorted ? steps == 0 : steps > 0);
		OK(cusolverDnDestroyGesvdjInfo(how));
	}
	for (int i = 0; i < n * count; i++)
		DEMAND(std::abs(values[0][i] - values[1][i]) < bound);
}

// Xpotrf of the upper half; Xgetrf and Xgesvd of matrices that are not square.
template <class S> static void check_shapes(double bound)
{
	typedef typename S::T T;
	typedef typename S::R R;
	int n = 40, lda = 42;
	size_t bytes, host_bytes;
	device<int> info(1);
	auto a = symmetric<T>(n, lda, 50), b = a;
	b.resize((size_t)lda * 2);
	device<T> f(a), x(b);
	OK(cusolverDnXpotrf_bufferSize(handle, nullptr, CUBLAS_FILL_MODE_UPPER, n, S::data, f.data, lda, S::data, &bytes, &host_bytes));
	device<char> room(bytes);
	OK(cusolverDnXpotrf(handle, nullptr, CUBLAS_FILL_MODE_UPPER, n, S::data, f.data, lda, S::data, room.data, bytes, nullptr, 0, info.data));
	OK(cusolverDnXpotrs(handle, nullptr, CUBLAS_FILL_MODE_UPPER, n, 2, S::data, f.data, lda, S::data, x.data, lda, info.data));
	auto solved = x.get(), factor = f.get();
	DEMAND(info.get()[0] == 0 && factor[1] == a[1] && factor[lda] != a[lda]);
	DEMAND((difference<T, R>(n, 2, n, a.data(), lda, solved.data(), lda, b.data(), lda, nullptr) < bound));

	for (int m : {9, 37})
		for (int k : {37, 9}) {
			int least = std::min(m, k), ld = m + 1;
			std::vector<T> from, l((size_t)m * least), u((size_t)least * k);
			for (int i = 0; i < ld * k; i++)
				from.push_back(value<T>::random());
			device<T> lu(from);
			device<int64_t> pivots(least);
			OK(cusolverDnXgetrf_bufferSize(handle, nullptr, m, k, S::data, lu.data, ld, S::data, &bytes, &host_bytes));
			device<char> work(bytes);
			DEMAND(cusolverDnXgetrf(handle, nullptr, m, k, S::data, lu.data, ld, pivots.data, S::data, work.data, least * sizeof(int) - 1, nullptr, 0, info.data) == CUSOLVER_STATUS_INVALID_VALUE);
			OK(cusolverDnXgetrf(handle, nullptr, m, k, S::data, lu.data, ld, pivots.data, S::data, work.data, bytes, nullptr, 0, info.data));
			auto got = lu.get();
			auto rows = pivots.get();
			for (int i = 0; i < m; i++)
				for (int j = 0; j < least; j++)
					l[i + j * m] = i > j ? got[i + j * ld] : T(i == j);
			for (int i = 0; i < least; i++)
				for (int j = 0; j < k; j++)
					u[i + j * least] = i <= j ? got[i + j * ld] : T();
			auto exchanged = from;
			for (int i = 0; i < least; i++)
				for (int j = 0; j < k && rows[i] - 1 != i; j++)
					std::swap(exchanged[i + j * ld], exchanged[rows[i] - 1 + j * ld]);
			DEMAND(info.get()[0] == 0);
			DEMAND((difference<T, R>(m, k, least, l.data(), m, u.data(), least, exchanged.data(), ld, nullptr) < 10 * bound));
		}

	int m = 10, k = 6;
	std::vector<T> from;
	for (int i = 0; i < m * k; i++)
		from.push_back(value<T>::random());
	device<T> c(from), u(m * m), vt(k * k);
	device<R> s(k);
	OK((typed_singular<S>(m, k, c.data, m, s.data, u.data, m, vt.data, k, info.data)));
	auto us = u.get(), v = adjoint(k, vt.get());
	auto values = s.get();
	DEMAND(info.get()[0] == 0 && std::is_sorted(values.begin(), values.end(), [](R x, R y) { return x > y; }));
	DEMAND(skew(m, m, us.data(), m) < bound && skew(k, k, v.data(), k) < bound);
	DEMAND((difference<T, R>(m, k, k, from.data(), m, v.data(), k, us.data(), m, values.data()) < bound));
	DEMAND(cusolverDnXgesvd_bufferSize(handle, nullptr, 'A', 'A', k, m, S::data, c.data, k, S::real, s.data, S::data, u.data, k, S::data, vt.data, m, S::data, &bytes, &host_bytes) == CUSOLVER_STATUS_INVALID_VALUE);
}

template <class S> static void check(double bound)
{
	check_batch<S>(CUBLAS_FILL_MODE_LOWER, bound);
	check_batch<S>(CUBLAS_FILL_MODE_UPPER, bound);
	check_eigen<S>(CUBLAS_FILL_MODE_UPPER, 11, bound);
	check_singular<S>(9, 5, 0, bound);
	check_singular<S>(4, 7, 0, bound);
	check_singular<S>(4, 7, 1, bound);
	check_typed<S>(bound);
}

int main()
{
	OK(cusolverDnCreate(&handle));
	check<doubles>(1e-12);
	check<complexes>(1e-4);
	check_batch<singles>(CUBLAS_FILL_MODE_UPPER, 1e-5);
	check_eigen<singles>(CUBLAS_FILL_MODE_LOWER, 8, 1e-4);
	check_singular<wide_complexes>(6, 8, 0, 1e-12);
	check_typed<wide_complexes>(1e-12);
	check_scales<singles>({1, 1e20, 1e-24, 1e30, 1e-30, 1e-37, 8e37}, 2e-5);
	check_scales<singles>({1, 1e-39}, 2e-3); // subnormal numbers hold so much
	check_scales<doubles>({1, 1e200, 1e-200, 1e-307}, 1e-13);
	check_scales<complexes>({1, 1e30, 1e-30}, 2e-5);
	check_scales<wide_complexes>({1, 1e200, 1e-200}, 1e-13);
	check_edges<doubles>(1e-12);
	check_edges<complexes>(1e-5);
	check_arguments();
	check_deficient<doubles>(9, 5, 1e-12);
	check_deficient<doubles>(5, 8, 1e-12);
	check_deficient<complexes>(6, 6, 1e-4);
	check_unsorted<doubles>(1e-12);
	check_unsorted<complexes>(1e-4);
	check_shapes<doubles>(1e-12);
	check_shapes<complexes>(1e-4);
	OK(cusolverDnDestroy(handle));
	printf("solver: PASSED\n");
}
