// cuSOLVER beside the distribution's LAPACK: factorisations are unique up to rounding, eigenvectors are checked by what they
// are. solver TYPE SIZE...
#include "compare.h"
#include <cusolverDn.h>

static cusolverDnHandle_t handle;
static void ok(const char *what, cusolverStatus_t status)
{
	if (status != CUSOLVER_STATUS_SUCCESS) {
		failures++;
		printf("%s: status %d\n", what, status);
	}
}

extern "C" {
#define DECLARE(l) void l##potrf_(...), l##potrs_(...), l##getrf_(...), l##getrs_(...), l##geqrf_(...);
DECLARE(s) DECLARE(d) DECLARE(c) DECLARE(z)
void sormqr_(...), dormqr_(...), cunmqr_(...), zunmqr_(...), sorgqr_(...), dorgqr_(...), cungqr_(...), zungqr_(...);
void ssyev_(...), dsyev_(...), cheev_(...), zheev_(...), sherk_(...);
}

static float2 adjoint(float2 x) { return {x.x, -x.y}; }
static double2 adjoint(double2 x) { return {x.x, -x.y}; }
static float adjoint(float x) { return x; }
static double adjoint(double x) { return x; }
static std::complex<double> value(float x) { return x; }
static std::complex<double> value(double x) { return x; }
static std::complex<double> value(float2 x) { return {x.x, x.y}; }
static std::complex<double> value(double2 x) { return {x.x, x.y}; }
template <class T> void make_real(T &x) { x = parts<T>::make(value(x).real(), 0); }

template <class T> struct memory {
	T *data;
	explicit memory(int n) { cudaMalloc((void **)&data, n * sizeof(T)); }
	~memory() { cudaFree(data); }
};
static int information(const memory<int> &info)
{
	int got = -1;
	cudaMemcpy(&got, info.data, sizeof got, cudaMemcpyDeviceToHost);
	return got;
}

#define SOLVER(L, l, OR, SY, EV, T, R, ADJOINT)                                                                        \
	static void solve_##l(int n)                                                                                   \
	{                                                                                                              \
		int lda = n + 2, ldb = n + 3, nrhs = 3, size = 0, result = 0;                                          \
		memory<int> info(1);                                                                                   \
		for (char u : {'L', 'U'}) {                                                                            \
			cublasFillMode_t fill = u == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;            \
			both<T> a((size_t)lda * n), b((size_t)ldb * nrhs);                                             \
			a.dominate(n, lda, 2 * n);                                                                     \
			for (int i = 0; i < n; i++)                                                                    \
				make_real(a.host[i + (size_t)i * lda]);                                                \
			a.send();                                                                                      \
			ok("size", cusolverDn##L##potrf_bufferSize(handle, fill, n, a.device, lda, &size));            \
			memory<T> work(size);                                                                          \
			ok("potrf", cusolverDn##L##potrf(handle, fill, n, a.device, lda, work.data, size, info.data)); \
			FORTRAN(l##potrf_)(u, n, a.data(), lda, &result);                                              \
			compare("potrf", a, 32 + 4.0 * n);                                                             \
			report("info", information(info) != result, 0);                                                \
			ok("potrs", cusolverDn##L##potrs(handle, fill, n, nrhs, a.device, lda, b.device, ldb, info.data)); \
			FORTRAN(l##potrs_)(u, n, nrhs, a.data(), lda, b.data(), ldb, &result);                         \
			compare("potrs", b, 32 + 4.0 * n);                                                             \
			if (n > 1) {                                                                                   \
				both<T> wrong((size_t)lda * n);                                                        \
				wrong.dominate(n, lda, 2 * n);                                                         \
				wrong.host[n / 2 + (size_t)(n / 2) * lda] = parts<T>::make(-1, 0);                     \
				wrong.send();                                                                          \
				cusolverDn##L##potrf(handle, fill, n, wrong.device, lda, work.data, size, info.data);  \
				report("not positive", information(info) != n / 2 + 1, 0);                             \
			}                                                                                              \
		}                                                                                                      \
		for (int m : {n, n + 9, n > 9 ? n - 9 : 1}) {                                                          \
			int ldm = m + 1, least = m < n ? m : n;                                                        \
			both<T> a((size_t)ldm * n);                                                                    \
			std::vector<int> pivots(least + 1), got(least + 1);                                            \
			memory<int> device_pivots(least + 1);                                                          \
			ok("size", cusolverDn##L##getrf_bufferSize(handle, m, n, a.device, ldm, &size));               \
			memory<T> work(size);                                                                          \
			ok("getrf", cusolverDn##L##getrf(handle, m, n, a.device, ldm, work.data, device_pivots.data, info.data)); \
			FORTRAN(l##getrf_)(m, n, a.data(), ldm, pivots.data(), &result);                               \
			compare("getrf", a, 256 + 64.0 * n);                                                           \
			report("info", information(info) != result, 0);                                                \
			cudaMemcpy(got.data(), device_pivots.data, least * sizeof(int), cudaMemcpyDeviceToHost);       \
			for (int i = 0; i < least; i++)                                                                \
				report("pivot", got[i] != pivots[i], 0);                                               \
			if (m != n)                                                                                    \
				continue;                                                                              \
			for (cublasOperation_t o : {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C}) {                          \
				both<T> heavy((size_t)ldm * n), b((size_t)ldb * nrhs);                                 \
				heavy.dominate(n, ldm, 2 * n);                                                         \
				char t = "NTC"[o];                                                                     \
				cusolverDn##L##getrf(handle, n, n, heavy.device, ldm, work.data, device_pivots.data, info.data); \
				FORTRAN(l##getrf_)(n, n, heavy.data(), ldm, pivots.data(), &result);                   \
				ok("getrs", cusolverDn##L##getrs(handle, o, n, nrhs, heavy.device, ldm, device_pivots.data, \
								 b.device, ldb, info.data));                           \
				FORTRAN(l##getrs_)(t, n, nrhs, heavy.data(), ldm, pivots.data(), b.data(), ldb, &result); \
				compare("getrs", b, 64 + 8.0 * n);                                                     \
			}                                                                                              \
		}                                                                                                      \
		for (int m : {n, n + 9, n > 9 ? n - 9 : 1}) {                                                          \
			int ldm = m + 1, least = m < n ? m : n;                                                        \
			both<T> a((size_t)ldm * n), tau(least);                                                        \
			std::vector<T> host_work(64 * (m + n + 12));                                                   \
			int host_size = (int)host_work.size();                                                         \
			ok("size", cusolverDn##L##geqrf_bufferSize(handle, m, n, a.device, ldm, &size));               \
			memory<T> work(size);                                                                          \
			ok("geqrf", cusolverDn##L##geqrf(handle, m, n, a.device, ldm, tau.device, work.data, size, info.data)); \
			FORTRAN(l##geqrf_)(m, n, a.data(), ldm, tau.data(), host_work.data(), host_size, &result);     \
			compare("geqrf", a, 256 + 16.0 * (m + n));                                                     \
			compare("tau", tau, 256 + 16.0 * (m + n));                                                     \
			a.send(), tau.send();                                                                          \
			for (char e : {'L', 'R'})                                                                      \
				for (cublasOperation_t o : {CUBLAS_OP_N, ADJOINT}) {                                   \
					cublasSideMode_t side = e == 'L' ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;       \
					int rows = e == 'L' ? m : 5, columns = e == 'L' ? 5 : m, ldc = rows + 1;       \
					char t = "NTC"[o];                                                             \
					both<T> c((size_t)ldc * columns);                                              \
					ok("size", cusolverDn##L##OR##mqr_bufferSize(handle, side, o, rows, columns, least, \
										     a.device, ldm, tau.device, c.device, ldc, &size)); \
					memory<T> more(size);                                                          \
					ok("ormqr", cusolverDn##L##OR##mqr(handle, side, o, rows, columns, least, a.device, ldm, \
									   tau.device, c.device, ldc, more.data, size, info.data)); \
					FORTRAN(l##OR##mqr_)(e, t, rows, columns, least, a.data(), ldm, tau.data(), c.data(), ldc, \
							     host_work.data(), host_size, &result);            \
					compare("ormqr", c, 64 + 8.0 * m);                                             \
				}                                                                                      \
			if (m < n)                                                                                     \
				continue;                                                                              \
			ok("size", cusolverDn##L##OR##gqr_bufferSize(handle, m, n, least, a.device, ldm, tau.device, &size)); \
			memory<T> more(size);                                                                          \
			ok("orgqr", cusolverDn##L##OR##gqr(handle, m, n, least, a.device, ldm, tau.device, more.data, size, info.data)); \
			FORTRAN(l##OR##gqr_)(m, n, least, a.data(), ldm, tau.data(), host_work.data(), host_size, &result); \
			compare("orgqr", a, 64 + 8.0 * m);                                                             \
		}                                                                                                      \
		for (char u : {'L', 'U'}) {                                                                            \
			cublasFillMode_t fill = u == 'L' ? CUBLAS_FILL_MODE_LOWER : CUBLAS_FILL_MODE_UPPER;            \
			both<T> a((size_t)lda * n);                                                                    \
			both<R> w(n);                                                                                  \
			std::vector<T> host_work(64 * n), full((size_t)n * n);                                         \
			std::vector<R> more(3 * n + 1);                                                                \
			int host_size = (int)host_work.size();                                                         \
			for (int i = 0; i < n; i++)                                                                    \
				make_real(a.host[i + (size_t)i * lda]);                                                \
			for (int j = 0; j < n; j++)                                                                    \
				for (int i = 0; i < n; i++)                                                            \
					full[i + (size_t)j * n] = (u == 'L') == (i >= j) || i == j ? a.host[i + (size_t)j * lda] \
											   : adjoint(a.host[j + (size_t)i * lda]); \
			a.send();                                                                                      \
			ok("size", cusolverDn##L##SY##evd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, fill, n, a.device, lda, \
								     w.device, &size));                                \
			memory<T> work(size);                                                                          \
			ok("syevd", cusolverDn##L##SY##evd(handle, CUSOLVER_EIG_MODE_VECTOR, fill, n, a.device, lda, w.device, \
							   work.data, size, info.data));                               \
			char jobz = 'N';                                                                               \
			EV;                                                                                            \
			compare("eigenvalues", w, 64 + 4.0 * n);                                                       \
			report("info", information(info), 0);                                                          \
			a.get();                                                                                       \
			double worst = 0, skew = 0;                                                                    \
			for (int j = 0; j < n; j++)                                                                    \
				for (int i = 0; i < n; i++) {                                                          \
					std::complex<double> sum = 0, dot = 0;                                         \
					for (int k = 0; k < n; k++) {                                                  \
						sum += value(full[i + (size_t)k * n]) * value(a.host[k + (size_t)j * lda]); \
						dot += value(adjoint(a.host[k + (size_t)i * lda])) * value(a.host[k + (size_t)j * lda]); \
					}                                                                              \
					worst = std::fmax(worst, std::abs(sum - (double)w.host[j] * value(a.host[i + (size_t)j * lda]))); \
					skew = std::fmax(skew, std::abs(dot - (i == j ? 1.0 : 0.0)));                  \
				}                                                                                      \
			double eps = std::numeric_limits<R>::epsilon();                                                \
			report("eigenvectors", worst, eps * (64 + 16.0 * n));                                          \
			report("orthogonal", skew, eps * (64 + 8.0 * n));                                              \
		}                                                                                                      \
	}
SOLVER(S, s, or, sy, FORTRAN(ssyev_)(jobz, u, n, a.data(), lda, w.data(), host_work.data(), host_size, &result), float, float, CUBLAS_OP_T)
SOLVER(D, d, or, sy, FORTRAN(dsyev_)(jobz, u, n, a.data(), lda, w.data(), host_work.data(), host_size, &result), double, double, CUBLAS_OP_T)
SOLVER(C, c, un, he, FORTRAN(cheev_)(jobz, u, n, a.data(), lda, w.data(), host_work.data(), host_size, more.data(), &result), cuComplex, float, CUBLAS_OP_C)
SOLVER(Z, z, un, he, FORTRAN(zheev_)(jobz, u, n, a.data(), lda, w.data(), host_work.data(), host_size, more.data(), &result), cuDoubleComplex, double, CUBLAS_OP_C)

int main(int argc, char **argv)
{
	ok("create", cusolverDnCreate(&handle));
	for (int i = 2; i < argc; i++)
		switch (argv[1][0]) {
		case 's': solve_s(atoi(argv[i])); break;
		case 'd': solve_d(atoi(argv[i])); break;
		case 'c': solve_c(atoi(argv[i])); break;
		case 'z': solve_z(atoi(argv[i])); break;
		}
	ok("destroy", cusolverDnDestroy(handle));
	return finish(argv[1]);
}
