// cuSOLVER's batches, Jacobi's rotations with their infos, and functions with types as arguments.
#include <cusolverDn.h>

#include <algorithm>
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
			OK(count ? cusolverDn##L##SY##evjBatched_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, u, n, (N *)a, lda, w, &size, p, count) \
				 : cusolverDn##L##SY##evj_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, u, n, (N *)a, lda, w, &size, p)); \
			device<H> work(size);                                                                                  \
			return count ? cusolverDn##L##SY##evjBatched(handle, CUSOLVER_EIG_MODE_VECTOR, u, n, (N *)a, lda, w, (N *)work.data, size, i, p, count) \
				     : cusolverDn##L##SY##evj(handle, CUSOLVER_EIG_MODE_VECTOR, u, n, (N *)a, lda, w, (N *)work.data, size, i, p); \
		}                                                                                                              \
		static cusolverStatus_t gesvdj(int econ, int m, int n, H *a, int lda, R *s, H *u, int ldu, H *v, int ldv, int *i, gesvdjInfo_t p, int count) \
		{                                                                                                              \
			int size;                                                                                              \
			OK(count ? cusolverDn##L##gesvdjBatched_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, m, n, (N *)a, lda, s, (N *)u, ldu, (N *)v, ldv, &size, p, count) \
				 : cusolverDn##L##gesvdj_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, econ, m, n, (N *)a, lda, s, (N *)u, ldu, (N *)v, ldv, &size, p)); \
			device<H> work(size);                                                                                  \
			return count ? cusolverDn##L##gesvdjBatched(handle, CUSOLVER_EIG_MODE_VECTOR, m, n, (N *)a, lda, s, (N *)u, ldu, (N *)v, ldv, (N *)work.data, size, i, p, count) \
				     : cusolverDn##L##gesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, econ, m, n, (N *)a, lda, s, (N *)u, ldu, (N *)v, ldv, (N *)work.data, size, i, p); \
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
	OK(cusolverDnDestroy(handle));
	printf("solver: PASSED\n");
}
