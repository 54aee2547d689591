// cuBLAS's factorisations in batches beside LAPACK's, and level 1 with types as arguments beside sums of the host.
// batched TYPE SIZE...: three matrices of each size, the second one without a first pivot and the third one singular.
#include "compare.h"
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static cublasHandle_t handle;
static void ok(const char *what, cublasStatus_t status, cublasStatus_t wanted = CUBLAS_STATUS_SUCCESS)
{
	if (status != wanted) {
		failures++;
		printf("%s: %s\n", what, cublasGetStatusName(status));
	}
}

extern "C" {
#define DECLARE(l) void l##getrf_(...), l##getrs_(...), l##getri_(...), l##geqrf_(...), l##gels_(...);
DECLARE(s) DECLARE(d) DECLARE(c) DECLARE(z)
}

enum { COUNT = 3 };

// The matrices lie one after the other; their addresses are on the device.
template <class T> struct batch {
	both<T> all;
	size_t each;
	T **array;
	explicit batch(size_t each) : all(each * COUNT), each(each)
	{
		T *places[COUNT];
		for (int i = 0; i < COUNT; i++)
			places[i] = all.device + i * each;
		cudaMalloc((void **)&array, sizeof places);
		cudaMemcpy(array, places, sizeof places, cudaMemcpyHostToDevice);
	}
	~batch() { cudaFree(array); }
	T *host(int i) { return all.data() + i * each; }
};

static std::vector<int> read(const int *from, size_t n)
{
	std::vector<int> to(n);
	cudaMemcpy(to.data(), from, n * sizeof(int), cudaMemcpyDeviceToHost);
	return to;
}

#define BATCHED(L, l, T)                                                                                               \
	static void factorise_##l(int n)                                                                               \
	{                                                                                                              \
		int lda = n + 2, ldb = n + 1, nrhs = 3, status = 7, *pivots, *infos, size = 64 * n;                     \
		std::vector<int> p(n), host_infos;                                                                     \
		std::vector<T> work(size);                                                                             \
		cudaMalloc((void **)&pivots, COUNT * n * sizeof(int));                                                 \
		cudaMalloc((void **)&infos, COUNT * sizeof(int));                                                      \
		for (char trans : {'N', 'T', 'C'}) {                                                                   \
			cublasOperation_t operation = trans == 'N' ? CUBLAS_OP_N : trans == 'T' ? CUBLAS_OP_T : CUBLAS_OP_C; \
			batch<T> a((size_t)lda * n), b((size_t)ldb * nrhs), c((size_t)ldb * n), d((size_t)ldb * n);    \
			for (int i = 0; i < n; i++)                                                                    \
				for (int k = 0; k < COUNT; k++)                                                        \
					parts<T>::add(a.host(k)[i + (size_t)i * lda], k ? 2 : 2 * n);                  \
			a.host(1)[0] = parts<T>::make(n == 1, 0);                                                      \
			a.all.send();                                                                                  \
			for (int k = 0; k < COUNT; k++)                                                                \
				for (int j = 0; j < n; j++)                                                            \
					memcpy(d.host(k) + (size_t)j * ldb, a.host(k) + (size_t)j * lda, n * sizeof(T)); \
			d.all.send();                                                                                  \
			if (trans == 'N' && n <= 32)                                                                   \
				ok("matinv", cublas##L##matinvBatched(handle, n, d.array, ldb, c.array, ldb, infos, COUNT)); \
			both<T> inverses(c.all.host.size());                                                           \
			cudaMemcpy(inverses.device, c.all.device, c.all.host.size() * sizeof(T), cudaMemcpyDeviceToDevice); \
			ok("getrf", cublas##L##getrfBatched(handle, n, a.array, lda, pivots, infos, COUNT));           \
			host_infos = read(pivots, COUNT * n);                                                          \
			for (int k = 0; k < COUNT; k++) {                                                              \
				FORTRAN(l##getrf_)(n, n, a.host(k), lda, p.data(), &status);                           \
				for (int i = 0; i < n; i++)                                                            \
					report("pivot", p[i] != host_infos[k * n + i], 0);                             \
				report("info", status != read(infos, COUNT)[k], 0);                                    \
			}                                                                                              \
			compare("getrf", a.all, 50 + 20.0 * n);                                                        \
			a.all.send();                                                                                  \
			ok("getrs", cublas##L##getrsBatched(handle, operation, n, nrhs, a.array, lda, pivots, b.array, ldb, &status, COUNT)); \
			report("info", status, 0);                                                                     \
			ok("getri", cublas##L##getriBatched(handle, n, a.array, lda, pivots, c.array, ldb, infos, COUNT)); \
			for (int k = 0; k < COUNT; k++) {                                                              \
				int *own = host_infos.data() + k * n;                                                  \
				FORTRAN(l##getrs_)(trans, n, nrhs, a.host(k), lda, own, b.host(k), ldb, &status);      \
				FORTRAN(l##getri_)(n, a.host(k), lda, own, work.data(), size, &status);                \
				report("info", read(infos, COUNT)[k], 0);                                              \
				for (int j = 0; j < n; j++)                                                            \
					memcpy(c.host(k) + (size_t)j * ldb, a.host(k) + (size_t)j * lda, n * sizeof(T)); \
			}                                                                                              \
			compare("getrs", b.all, 200.0 + 200 * n);                                                      \
			compare("getri", c.all, 200.0 + 200 * n);                                                      \
			if (trans == 'N' && n <= 32) {                                                                 \
				inverses.host = c.all.host;                                                            \
				compare("matinv", inverses, 200.0 + 200 * n);                                          \
			}                                                                                              \
		}                                                                                                      \
		for (int m : {n, n + 7}) {                                                                             \
			int ldm = m + 1;                                                                               \
			batch<T> a((size_t)ldm * n), b((size_t)ldm * nrhs), taus(n), again((size_t)ldm * n);           \
			for (int k = 0; k < COUNT; k++)                                                                \
				for (int i = 0; i < n; i++)                                                            \
					parts<T>::add(a.host(k)[i + (size_t)i * ldm], 2);                              \
			a.all.send();                                                                                  \
			again.all.host = a.all.host;                                                                   \
			again.all.send();                                                                              \
			ok("geqrf", cublas##L##geqrfBatched(handle, m, n, a.array, ldm, taus.array, &status, COUNT));  \
			ok("gels", cublas##L##gelsBatched(handle, CUBLAS_OP_N, m, n, nrhs, again.array, ldm, b.array, ldm, &status, infos, COUNT)); \
			for (int k = 0; k < COUNT; k++) {                                                              \
				FORTRAN(l##geqrf_)(m, n, a.host(k), ldm, taus.host(k), work.data(), size, &status);    \
				FORTRAN(l##gels_)('N', m, n, nrhs, again.host(k), ldm, b.host(k), ldm, work.data(), size, &status); \
				report("info", read(infos, COUNT)[k], 0);                                              \
			}                                                                                              \
			compare("geqrf", a.all, 50 + 20.0 * m);                                                        \
			compare("taus", taus.all, 50 + 20.0 * m);                                                      \
			compare("Q R", again.all, 50 + 20.0 * m);                                                      \
			compare("gels", b.all, 200.0 + 200 * m);                                                       \
		}                                                                                                      \
		batch<T> none((size_t)lda * n);                                                                        \
		cudaMemset(none.all.device, 0, none.all.host.size() * sizeof(T));                                      \
		ok("getrf", cublas##L##getrfBatched(handle, n, none.array, lda, nullptr, infos, COUNT));               \
		ok("getri", cublas##L##getriBatched(handle, n, none.array, lda, nullptr, none.array, lda, infos + 1, 1)); \
		host_infos = read(infos, COUNT);                                                                       \
		for (int info : host_infos)                                                                            \
			report("singular", info != 1, 0);                                                              \
		ok("getrs", cublas##L##getrsBatched(handle, CUBLAS_OP_N, n, 1, none.array, n - 1, pivots, none.array, n, &status, 1), CUBLAS_STATUS_INVALID_VALUE); \
		report("argument", status != -5, 0);                                                                   \
		cudaFree(pivots);                                                                                      \
		cudaFree(infos);                                                                                       \
	}
BATCHED(S, s, float)
BATCHED(D, d, double)
BATCHED(C, c, cuComplex)
BATCHED(Z, z, cuDoubleComplex)

// Small whole numbers, so that sums are exact in single precision.
template <class E> static void halves(cudaDataType type, int n)
{
	int incx = 2, incy = -1;
	std::vector<E> x(2 * n), y(n);
	for (int i = 0; i < n; i++) {
		x[2 * i] = E((float)(i % 7 - 3));
		x[2 * i + 1] = E(9.0f);
		y[i] = E((float)(i % 5 - 1));
	}
	auto at_x = [&](int i) { return (float)x[2 * i]; };
	auto at_y = [&](int i) { return (float)y[n - 1 - i]; };
	E *dx, *dy, result, c = E(0.5f), s = E(2.0f);
	cudaMalloc((void **)&dx, x.size() * sizeof(E));
	cudaMalloc((void **)&dy, y.size() * sizeof(E));
	cudaMemcpy(dx, x.data(), x.size() * sizeof(E), cudaMemcpyHostToDevice);
	cudaMemcpy(dy, y.data(), y.size() * sizeof(E), cudaMemcpyHostToDevice);
	float dot = 0, squares = 0, alpha = 3, beta = 0.5f;
	for (int i = 0; i < n; i++) {
		dot += at_x(i) * at_y(i);
		squares += at_x(i) * at_x(i);
	}
	ok("dot", cublasDotEx(handle, n, dx, type, incx, dy, type, incy, &result, type, CUDA_R_32F));
	report("dot", (float)result != (float)E(dot), 0);
	ok("dotc", cublasDotcEx(handle, 0, dx, type, incx, dy, type, incy, &result, type, CUDA_R_32F));
	report("dotc", (float)result != 0, 0);
	ok("nrm2", cublasNrm2Ex(handle, n, dx, type, incx, &result, type, CUDA_R_32F));
	report("nrm2", std::fabs((float)result - std::sqrt(squares)), std::sqrt(squares) / 128);
	ok("axpy", cublasAxpyEx(handle, n, &alpha, CUDA_R_32F, dx, type, incx, dy, type, incy, CUDA_R_32F));
	ok("scal", cublasScalEx(handle, n, &beta, CUDA_R_32F, dx, type, incx, CUDA_R_32F));
	for (int i = 0; i < n; i++) {
		y[n - 1 - i] = E(at_y(i) + 3 * at_x(i));
		x[2 * i] = E(at_x(i) / 2);
	}
	ok("rot", cublasRotEx(handle, n, dx, type, incx, dy, type, incy, &c, &s, type, CUDA_R_32F));
	for (int i = 0; i < n; i++) {
		float a = at_x(i), b = at_y(i);
		x[2 * i] = E(0.5f * a + 2 * b);
		y[n - 1 - i] = E(0.5f * b - 2 * a);
	}
	std::vector<E> got_x(x.size()), got_y(y.size());
	cudaMemcpy(got_x.data(), dx, x.size() * sizeof(E), cudaMemcpyDeviceToHost);
	cudaMemcpy(got_y.data(), dy, y.size() * sizeof(E), cudaMemcpyDeviceToHost);
	report("vectors", memcmp(got_x.data(), x.data(), x.size() * sizeof(E)) || memcmp(got_y.data(), y.data(), y.size() * sizeof(E)), 0);
	cudaFree(dx);
	cudaFree(dy);
}

// Types that have routines of their own.
static void others()
{
	std::vector<double2> x = {{1, 2}, {0, -1}}, y = {{3, 0}, {0, 5}};
	both<double2> a(2), b(2);
	a.host = x;
	b.host = y;
	a.send();
	b.send();
	double2 result = {}, alpha = {0, 1};
	double norm = 0;
	const auto z = CUDA_C_64F;
	ok("dot", cublasDotEx(handle, 2, a.device, z, 1, b.device, z, 1, &result, z, z));
	report("dot", result.x != 8 || result.y != 6, 0);
	ok("dotc", cublasDotcEx_64(handle, 2, a.device, z, 1, b.device, z, 1, &result, z, z));
	report("dotc", result.x != -2 || result.y != -6, 0);
	ok("nrm2", cublasNrm2Ex(handle, 2, b.device, z, 1, &norm, CUDA_R_64F, CUDA_R_64F));
	report("nrm2", std::fabs(norm - std::sqrt(34.0)), 1e-15 * 8);
	ok("scal", cublasScalEx(handle, 2, &alpha, z, a.device, z, 1, z));
	ok("axpy", cublasAxpyEx(handle, 2, &alpha, z, a.device, z, 1, b.device, z, 1, z));
	a.get();
	b.get();
	report("scal", a.host[0].x != -2 || a.host[0].y != 1 || a.host[1].x != 1 || a.host[1].y != 0, 0);
	report("axpy", b.host[0].x != 2 || b.host[0].y != -2 || b.host[1].x != 0 || b.host[1].y != 6, 0);
	ok("mixed", cublasDotEx(handle, 2, a.device, z, 1, b.device, CUDA_R_64F, 1, &result, z, z), CUBLAS_STATUS_NOT_SUPPORTED);
}

// Without elements no array is read, and the numbers of what is wrong are written; without arrays nothing is launched.
static void edges()
{
	int argument = 7, *infos;
	batch<double> one(1);
	cudaMalloc((void **)&infos, COUNT * sizeof(int));
	auto zeros = [&](const char *what, cublasStatus_t status) {
		ok(what, status);
		for (int info : read(infos, COUNT))
			report(what, info != 0, 0);
		cudaMemset(infos, 1, COUNT * sizeof(int));
	};
	cudaMemset(infos, 1, COUNT * sizeof(int));
	zeros("getrf 0", cublasDgetrfBatched(handle, 0, nullptr, 1, nullptr, infos, COUNT));
	zeros("getri 0", cublasDgetriBatched(handle, 0, nullptr, 1, nullptr, nullptr, 1, infos, COUNT));
	zeros("matinv 0", cublasDmatinvBatched(handle, 0, nullptr, 1, nullptr, 1, infos, COUNT));
	zeros("gels 0", cublasDgelsBatched(handle, CUBLAS_OP_N, 2, 0, 1, nullptr, 2, nullptr, 2, &argument, infos, COUNT));
	zeros("gels, 0 sides", cublasDgelsBatched(handle, CUBLAS_OP_N, 1, 1, 0, one.array, 1, nullptr, 1, &argument, infos, COUNT));
	auto wrong = [&](const char *what, cublasStatus_t status, int which) {
		ok(what, status, CUBLAS_STATUS_INVALID_VALUE);
		report(what, argument != -which, 0);
	};
	wrong("getrs A", cublasDgetrsBatched(handle, CUBLAS_OP_N, 1, 1, nullptr, 1, nullptr, one.array, 1, &argument, COUNT), 4);
	wrong("getrs B", cublasDgetrsBatched(handle, CUBLAS_OP_N, 1, 1, one.array, 1, nullptr, nullptr, 1, &argument, COUNT), 7);
	wrong("geqrf A", cublasDgeqrfBatched(handle, 1, 1, nullptr, 1, one.array, &argument, COUNT), 3);
	wrong("geqrf taus", cublasDgeqrfBatched(handle, 1, 1, one.array, 1, nullptr, &argument, COUNT), 5);
	wrong("gels A", cublasDgelsBatched(handle, CUBLAS_OP_N, 1, 1, 1, nullptr, 1, one.array, 1, &argument, nullptr, COUNT), 5);
	wrong("gels C", cublasDgelsBatched(handle, CUBLAS_OP_N, 1, 1, 1, one.array, 1, nullptr, 1, &argument, nullptr, COUNT), 7);
	cudaFree(infos);

	// conj([i]) x = 1
	batch<double2> a(1), b(1);
	for (int k = 0; k < COUNT; k++) {
		*a.host(k) = {0, 1};
		*b.host(k) = {1, 0};
	}
	a.all.send();
	b.all.send();
	ok("conjugate", cublasZgetrsBatched(handle, CUBLAS_OP_CONJG, 1, 1, a.array, 1, nullptr, b.array, 1, &argument, COUNT));
	for (int k = 0; k < COUNT; k++)
		*b.host(k) = {0, 1};
	compare("conjugate", b.all, 0);
}

// Norms and reflections of numbers whose squares overflow or vanish are those of ordinary ones, by so much larger. Of
// subnormal numbers, so much is right as they hold.
#define SCALES(L, P, T, R)                                                                                             \
	static void scales_##L(std::initializer_list<double> all, double bound)                                        \
	{                                                                                                              \
		const int m = 9, n = 5, count = 300;                                                  \
		batch<T> plain(m * n), taus(n);                                                                        \
		both<T> x(count);                                                                                      \
		std::vector<T> from = plain.all.host, vector = x.host;                                                 \
		int status = 1;                                                                                        \
		R norm = 0, plain_norm = 0;                                                                            \
		ok("geqrf", cublas##L##geqrfBatched(handle, m, n, plain.array, m, taus.array, &status, COUNT));        \
		ok("nrm2", cublas##P##nrm2(handle, count, x.device, 1, &plain_norm));                                  \
		plain.all.get();                                                                                       \
		taus.all.get();                                                                                        \
		for (double scale : all) {                                                                             \
			batch<T> a(m * n), own(n);                                                                     \
			for (size_t i = 0; i < from.size(); i++)                                                       \
				a.all.host[i] = scaled(from[i], scale);                                                \
			for (int i = 0; i < count; i++)                                                                \
				x.host[i] = scaled(vector[i], scale);                                                  \
			a.all.send();                                                                                  \
			x.send();                                                                                      \
			ok("geqrf", cublas##L##geqrfBatched(handle, m, n, a.array, m, own.array, &status, COUNT));     \
			ok("nrm2", cublas##P##nrm2(handle, count, x.device, 1, &norm));                                \
			report("norm", std::fabs(norm / scale / plain_norm - 1), bound);                               \
			a.all.get();                                                                                   \
			own.all.get();                                                                                 \
			for (size_t i = 0; i < from.size(); i++) {                                                     \
				bool upper = (int)(i % m) <= (int)(i / m % n);                                         \
				T got = upper ? scaled(a.all.host[i], 1 / scale) : a.all.host[i];                      \
				double distance = parts<T>::distance(got, plain.all.host[i]);                          \
				report(upper ? "scaled R" : "scaled Q", distance == distance ? distance : HUGE_VAL, 20 * bound); \
			}                                                                                              \
			for (int i = 0; i < n * COUNT; i++)                                                            \
				report("scaled tau", parts<T>::distance(own.all.host[i], taus.all.host[i]), 20 * bound); \
		}                                                                                                      \
		report("status", status, 0);                                                            \
	}
static float scaled(float x, double by) { return (float)(x * by); }
static double scaled(double x, double by) { return x * by; }
static float2 scaled(float2 x, double by) { return {(float)(x.x * by), (float)(x.y * by)}; }
static double2 scaled(double2 x, double by) { return {x.x * by, x.y * by}; }
SCALES(S, S, float, float)
SCALES(D, D, double, double)
SCALES(C, Sc, cuComplex, float)
SCALES(Z, Dz, cuDoubleComplex, double)

int main(int argc, char **argv)
{
	ok("create", cublasCreate(&handle));
	for (int i = 2; i < argc; i++) {
		int n = atoi(argv[i]);
		switch (argv[1][0]) {
		case 's': factorise_s(n); break;
		case 'd': factorise_d(n); break;
		case 'c': factorise_c(n); break;
		case 'z': factorise_z(n); break;
		case 'r':
			scales_S({1e30, 1e-30, 1e37}, 1e-5), scales_S({1e-39}, 1e-3), scales_D({1e200, 1e-200, 1e307}, 1e-14);
			scales_C({1e30, 1e-30, 1e37}, 1e-5), scales_C({1e-39}, 1e-3), scales_Z({1e200, 1e-200, 1e-307}, 1e-14);
			break;
		default: halves<__half>(CUDA_R_16F, n), halves<__nv_bfloat16>(CUDA_R_16BF, n), others(), edges();
		}
	}
	ok("destroy", cublasDestroy(handle));
	return finish("batched");
}
