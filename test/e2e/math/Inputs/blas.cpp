// cuBLAS beside the distribution's BLAS: all routines of three levels, four types, operations, sides and triangles, odd
// sizes, leading dimensions larger than needed, increments. blas LEVEL TYPE SIZE...: SIZE are sizes of matrices and vectors.
#include "compare.h"
#include <cublas_v2.h>

static cublasHandle_t handle;
static void ok(const char *what, cublasStatus_t status)
{
	if (status != CUBLAS_STATUS_SUCCESS) {
		failures++;
		printf("%s: %s\n", what, cublasGetStatusName(status));
	}
}
static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static const cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasDiagType_t diags[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};
static const cublasSideMode_t sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};
static char letter(cublasOperation_t o) { return "NTC"[o]; }
static char letter(cublasFillMode_t f) { return "LU"[f]; }
static char letter(cublasDiagType_t d) { return "NU"[d]; }
static char letter(cublasSideMode_t s) { return "LR"[s]; }

/* A number where a std::complex<double> may lie: no place for a double2 of the compiler's. */
template <class T> static const T *at_eight(const T &value)
{
	alignas(16) static char bytes[8 + sizeof(T)];
	memcpy(bytes + 8, &value, sizeof value);
	return reinterpret_cast<const T *>(bytes + 8);
}

extern "C" {
#define DECLARE(l, R)                                                                                                  \
	void l##axpy_(...), l##scal_(...), l##copy_(...), l##swap_(...), l##gemv_(...), l##gbmv_(...), l##trmv_(...),  \
		l##trsv_(...), l##tbmv_(...), l##tbsv_(...), l##tpmv_(...), l##tpsv_(...), l##gemm_(...),              \
		l##symm_(...), l##syrk_(...), l##syr2k_(...), l##trmm_(...), l##trsm_(...), l##syr_(...),              \
		l##symv_(...);                                                                                         \
	int i##l##amax_(...);
DECLARE(s, float) DECLARE(d, double) DECLARE(c, float) DECLARE(z, double)
float sdot_(...), snrm2_(...), sasum_(...), scnrm2_(...), scasum_(...);
double ddot_(...), dnrm2_(...), dasum_(...), dznrm2_(...), dzasum_(...);
void srot_(...), drot_(...), csrot_(...), zdrot_(...), srotm_(...), drotm_(...), csscal_(...), zdscal_(...);
void sger_(...), dger_(...), cgeru_(...), cgerc_(...), zgeru_(...), zgerc_(...);
void ssyr2_(...), dsyr2_(...), cher2_(...), zher2_(...), cher_(...), zher_(...), sspr_(...), dspr_(...), chpr_(...),
	zhpr_(...), sspr2_(...), dspr2_(...), chpr2_(...), zhpr2_(...);
void ssbmv_(...), dsbmv_(...), chbmv_(...), zhbmv_(...), sspmv_(...), dspmv_(...), chpmv_(...), zhpmv_(...),
	chemv_(...), zhemv_(...);
void chemm_(...), zhemm_(...), cherk_(...), zherk_(...), cher2k_(...), zher2k_(...);
}

static size_t reach(int n, int increment) { return n ? 1 + (size_t)(n - 1) * std::abs(increment) : 1; }

// ---- level 1

#define LEVEL1(L, l, T, R, P, p)                                                                                       \
	static void level1_##l(int n, int incx, int incy)                                                              \
	{                                                                                                              \
		both<T> x(reach(n, incx)), y(reach(n, incy));                                                          \
		T alpha = parts<T>::make(0.75, -0.5);                                                                  \
		ok("axpy", cublas##L##axpy(handle, n, at_eight(alpha), x.device, incx, y.device, incy));                 \
		FORTRAN(l##axpy_)(n, alpha, x.data(), incx, y.data(), incy);                                           \
		compare("axpy", y, 4);                                                                                 \
		ok("swap", cublas##L##swap(handle, n, x.device, incx, y.device, incy));                                \
		FORTRAN(l##swap_)(n, x.data(), incx, y.data(), incy);                                                  \
		compare("swap", y, 4);                                                                                 \
		ok("scal", cublas##L##scal(handle, n, &alpha, x.device, incx));                                        \
		FORTRAN(l##scal_)(n, alpha, x.data(), incx);                                                           \
		compare("scal", x, 8);                                                                                 \
		R norm = -1, want = FORTRAN(p##nrm2_)(n, x.data(), incx);                                              \
		ok("nrm2", cublas##P##nrm2(handle, n, x.device, incx, &norm));                                         \
		compare_value("nrm2", norm, want, 8 + 0.1 * n);                                                        \
		want = FORTRAN(p##asum_)(n, x.data(), incx);                                                           \
		ok("asum", cublas##P##asum(handle, n, x.device, incx, &norm));                                         \
		compare_value("asum", norm, want, 8 + n);                                                              \
		int index = -1, first = FORTRAN(i##l##amax_)(n, x.data(), incx), smallest = 0;                         \
		ok("amax", cublasI##l##amax(handle, n, x.device, incx, &index));                                       \
		report("amax", index != first, 0);                                                                     \
		for (int i = 1; i <= n && incx > 0; i++)                                                               \
			if (!smallest || parts<T>::size(x.host[(size_t)(i - 1) * incx]) <                              \
						 parts<T>::size(x.host[(size_t)(smallest - 1) * incx]))        \
				smallest = i;                                                                          \
		ok("amin", cublasI##l##amin(handle, n, x.device, incx, &index));                                       \
		report("amin", index != smallest, 0);                                                                  \
		ok("copy", cublas##L##copy(handle, n, x.device, incx, y.device, incy));                                \
		FORTRAN(l##copy_)(n, x.data(), incx, y.data(), incy);                                                  \
		compare("copy", y, 8);                                                                                 \
	}
LEVEL1(S, s, float, float, S, s)
LEVEL1(D, d, double, double, D, d)
LEVEL1(C, c, cuComplex, float, Sc, sc)
LEVEL1(Z, z, cuDoubleComplex, double, Dz, dz)

#define REAL1(L, l, T)                                                                                                 \
	static void more1_##l(int n, int incx, int incy)                                                               \
	{                                                                                                              \
		both<T> x(reach(n, incx)), y(reach(n, incy));                                                          \
		T c = 0.6, s = 0.8, dot = -1, want = FORTRAN(l##dot_)(n, x.data(), incx, y.data(), incy);              \
		ok("dot", cublas##L##dot(handle, n, x.device, incx, y.device, incy, &dot));                            \
		compare_value("dot", dot, want, 8 + n);                                                                \
		ok("rot", cublas##L##rot(handle, n, x.device, incx, y.device, incy, &c, &s));                          \
		FORTRAN(l##rot_)(n, x.data(), incx, y.data(), incy, c, s);                                             \
		compare("rot", x, 8);                                                                                  \
		for (int flag = -2; flag < 2; flag++) {                                                                \
			T h[] = {(T)flag, 0.5, -0.25, 0.75, 1.5}, *param = h;                                          \
			ok("rotm", cublas##L##rotm(handle, n, x.device, incx, y.device, incy, h));                     \
			FORTRAN(l##rotm_)(n, x.data(), incx, y.data(), incy, param);                                   \
			compare("rotm x", x, 16);                                                                      \
			compare("rotm y", y, 16);                                                                      \
		}                                                                                                      \
	}
REAL1(S, s, float)
REAL1(D, d, double)

#define COMPLEX1(L, l, T, R, P, p, Q, q)                                                                               \
	static void more1_##l(int n, int incx, int incy)                                                               \
	{                                                                                                              \
		both<T> x(reach(n, incx)), y(reach(n, incy));                                                          \
		R c = 0.6, s = 0.8;                                                                                    \
		for (int conjugate = 0; conjugate < 2; conjugate++) {                                                  \
			T dot = {-1, -1}, want = {0, 0};                                                               \
			for (int i = 0; i < n; i++) {                                                                  \
				T a = x.host[incx < 0 ? (size_t)(i - n + 1) * incx : (size_t)i * incx];                \
				T b = y.host[incy < 0 ? (size_t)(i - n + 1) * incy : (size_t)i * incy];                \
				a.y = conjugate ? -a.y : a.y;                                                          \
				want.x += a.x * b.x - a.y * b.y;                                                       \
				want.y += a.x * b.y + a.y * b.x;                                                       \
			}                                                                                              \
			auto f = conjugate ? cublas##L##dotc : cublas##L##dotu;                                        \
			ok("dot", f(handle, n, x.device, incx, y.device, incy, &dot));                                 \
			compare_value("dot", dot, want, 16 + n);                                                       \
		}                                                                                                      \
		ok("rot", cublas##P##rot(handle, n, x.device, incx, y.device, incy, &c, &s));                          \
		FORTRAN(q##rot_)(n, x.data(), incx, y.data(), incy, c, s);                                             \
		compare("rot", y, 8);                                                                                  \
		ok("scal", cublas##P##scal(handle, n, &c, x.device, incx));                                            \
		FORTRAN(q##scal_)(n, c, x.data(), incx);                                                               \
		compare("real scal", x, 8);                                                                            \
	}
COMPLEX1(C, c, cuComplex, float, Cs, cs, Cs, cs)
COMPLEX1(Z, z, cuDoubleComplex, double, Zd, zd, Zd, zd)

// ---- level 2

static size_t packed_size(int n) { return (size_t)n * (n + 1) / 2; }

#define LEVEL2(L, l, T, R, H, SB, SP, HER)                                                                             \
	static void level2_##l(int m, int n, int incx, int incy)                                                       \
	{                                                                                                              \
		int lda = m + 3, kl = m / 3, ku = n / 4, band = kl + ku + 2, k = n / 3;                                \
		T alpha = parts<T>::make(0.75, -0.5), beta = parts<T>::make(-0.25, 0.5);                               \
		for (cublasOperation_t o : operations) {                                                               \
			char t = letter(o);                                                                            \
			int rows = o ? n : m, columns = o ? m : n;                                                     \
			both<T> a((size_t)lda * n), b((size_t)band * n), x(reach(columns, incx)), y(reach(rows, incy)); \
			ok("gemv", cublas##L##gemv(handle, o, m, n, &alpha, a.device, lda, x.device, incx, &beta,      \
						   y.device, incy));                                                   \
			FORTRAN(l##gemv_)(t, m, n, alpha, a.data(), lda, x.data(), incx, beta, y.data(), incy);        \
			compare("gemv", y, 16 + columns);                                                              \
			ok("gbmv", cublas##L##gbmv(handle, o, m, n, kl, ku, &alpha, b.device, band, x.device, incx,    \
						   &beta, y.device, incy));                                            \
			FORTRAN(l##gbmv_)(t, m, n, kl, ku, alpha, b.data(), band, x.data(), incx, beta, y.data(), incy); \
			compare("gbmv", y, 32 + columns);                                                              \
		}                                                                                                      \
		lda = n + 1;                                                                                           \
		for (cublasFillMode_t f : fills) {                                                                     \
			char u = letter(f);                                                                            \
			both<T> a((size_t)lda * n), b((size_t)(k + 2) * n), p(packed_size(n)), x(reach(n, incx)),      \
				y(reach(n, incy));                                                                     \
			int ldb = k + 2, bands = f == CUBLAS_FILL_MODE_UPPER ? k : 0;                                  \
			a.dominate(n, lda, 2 * n);                                                                     \
			for (int j = 0; j < n; j++) {                                                                  \
				parts<T>::add(b.host[bands + (size_t)j * ldb], 2 * n);                                 \
				parts<T>::add(p.host[u == 'U' ? (size_t)j * (j + 3) / 2                                \
							      : (size_t)(2 * n - j + 1) * j / 2],                      \
					      2 * n);                                                                  \
			}                                                                                              \
			b.send();                                                                                      \
			p.send();                                                                                      \
			for (cublasOperation_t o : operations)                                                         \
				for (cublasDiagType_t d : diags) {                                                     \
					char t = letter(o), g = letter(d);                                             \
					both<T> v(reach(n, incx));                                                     \
					double steps = 64 + 8.0 * n;                                                   \
					if (d == CUBLAS_DIAG_NON_UNIT || n < 8) {                                      \
						ok("trsv", cublas##L##trsv(handle, f, o, d, n, a.device, lda, v.device, incx)); \
						FORTRAN(l##trsv_)(u, t, g, n, a.data(), lda, v.data(), incx);          \
						compare("trsv", v, steps);                                             \
						ok("tbsv", cublas##L##tbsv(handle, f, o, d, n, k, b.device, ldb, v.device, incx)); \
						FORTRAN(l##tbsv_)(u, t, g, n, k, b.data(), ldb, v.data(), incx);       \
						compare("tbsv", v, steps);                                             \
						ok("tpsv", cublas##L##tpsv(handle, f, o, d, n, p.device, v.device, incx)); \
						FORTRAN(l##tpsv_)(u, t, g, n, p.data(), v.data(), incx);               \
						compare("tpsv", v, steps);                                             \
					}                                                                              \
					ok("trmv", cublas##L##trmv(handle, f, o, d, n, a.device, lda, v.device, incx)); \
					FORTRAN(l##trmv_)(u, t, g, n, a.data(), lda, v.data(), incx);                  \
					compare("trmv", v, steps);                                                     \
					ok("tbmv", cublas##L##tbmv(handle, f, o, d, n, k, b.device, ldb, v.device, incx)); \
					FORTRAN(l##tbmv_)(u, t, g, n, k, b.data(), ldb, v.data(), incx);               \
					compare("tbmv", v, steps);                                                     \
					ok("tpmv", cublas##L##tpmv(handle, f, o, d, n, p.device, v.device, incx));     \
					FORTRAN(l##tpmv_)(u, t, g, n, p.data(), v.data(), incx);                       \
					compare("tpmv", v, steps);                                                     \
				}                                                                                      \
			ok("symv", cublas##L##symv(handle, f, n, &alpha, a.device, lda, x.device, incx, &beta, y.device, incy)); \
			FORTRAN(l##symv_)(u, n, alpha, a.data(), lda, x.data(), incx, beta, y.data(), incy);           \
			compare("symv", y, 16 + n);                                                                    \
			ok("sbmv", cublas##L##SB##mv(handle, f, n, k, &alpha, b.device, ldb, x.device, incx, &beta,    \
						     y.device, incy));                                                 \
			FORTRAN(l##SB##mv_)(u, n, k, alpha, b.data(), ldb, x.data(), incx, beta, y.data(), incy);      \
			compare("sbmv", y, 32 + n);                                                                    \
			ok("spmv", cublas##L##SP##mv(handle, f, n, &alpha, p.device, x.device, incx, &beta, y.device, incy)); \
			FORTRAN(l##SP##mv_)(u, n, alpha, p.data(), x.data(), incx, beta, y.data(), incy);              \
			compare("spmv", y, 64 + n);                                                                    \
			y.send();                                                                                      \
			ok("syr", cublas##L##syr(handle, f, n, &alpha, x.device, incx, a.device, lda));                \
			FORTRAN(l##syr_)(u, n, alpha, x.data(), incx, a.data(), lda);                                  \
			compare("syr", a, 16);                                                                         \
			ok("syr2", cublas##L##HER##2(handle, f, n, &alpha, x.device, incx, y.device, incy, a.device, lda)); \
			FORTRAN(l##HER##2_)(u, n, alpha, x.data(), incx, y.data(), incy, a.data(), lda);               \
			compare("syr2", a, 32);                                                                        \
			R r = -0.5;                                                                                    \
			ok("spr", cublas##L##SP##r(handle, f, n, &r, x.device, incx, p.device));                       \
			FORTRAN(l##SP##r_)(u, n, r, x.data(), incx, p.data());                                         \
			compare("spr", p, 16);                                                                         \
			ok("spr2", cublas##L##SP##r2(handle, f, n, &alpha, x.device, incx, y.device, incy, p.device)); \
			FORTRAN(l##SP##r2_)(u, n, alpha, x.data(), incx, y.data(), incy, p.data());                    \
			compare("spr2", p, 32);                                                                        \
		}                                                                                                      \
	}
LEVEL2(S, s, float, float, , sb, sp, syr)
LEVEL2(D, d, double, double, , sb, sp, syr)
LEVEL2(C, c, cuComplex, float, he, hb, hp, her)
LEVEL2(Z, z, cuDoubleComplex, double, he, hb, hp, her)

#define GER(F, f, T)                                                                                                   \
	{                                                                                                              \
		both<T> a((size_t)(m + 2) * n), x(reach(m, incx)), y(reach(n, incy));                                  \
		T alpha = parts<T>::make(0.75, -0.5);                                                                  \
		int lda = m + 2;                                                                                       \
		ok("ger", cublas##F(handle, m, n, &alpha, x.device, incx, y.device, incy, a.device, lda));             \
		FORTRAN(f##_)(m, n, alpha, x.data(), incx, y.data(), incy, a.data(), lda);                             \
		compare("ger", a, 8);                                                                                  \
	}
static void more2_s(int m, int n, int incx, int incy) GER(Sger, sger, float)
static void more2_d(int m, int n, int incx, int incy) GER(Dger, dger, double)
#define HERMITIAN2(L, l, T, R)                                                                                         \
	static void more2_##l(int m, int n, int incx, int incy)                                                        \
	{                                                                                                              \
		GER(L##geru, l##geru, T)                                                                               \
		GER(L##gerc, l##gerc, T)                                                                               \
		int lda = n + 2;                                                                                       \
		T alpha = parts<T>::make(0.75, -0.5), beta = parts<T>::make(-0.25, 0.5);                               \
		R r = 0.5;                                                                                             \
		for (cublasFillMode_t f : fills) {                                                                     \
			char u = letter(f);                                                                            \
			both<T> a((size_t)lda * n), x(reach(n, incx)), y(reach(n, incy));                              \
			ok("hemv", cublas##L##hemv(handle, f, n, &alpha, a.device, lda, x.device, incx, &beta,         \
						   y.device, incy));                                                   \
			FORTRAN(l##hemv_)(u, n, alpha, a.data(), lda, x.data(), incx, beta, y.data(), incy);           \
			compare("hemv", y, 16 + n);                                                                    \
			ok("her", cublas##L##her(handle, f, n, &r, x.device, incx, a.device, lda));                    \
			FORTRAN(l##her_)(u, n, r, x.data(), incx, a.data(), lda);                                      \
			compare("her", a, 8);                                                                          \
		}                                                                                                      \
	}
HERMITIAN2(C, c, cuComplex, float)
HERMITIAN2(Z, z, cuDoubleComplex, double)

// ---- level 3

#define LEVEL3(L, l, T, R)                                                                                             \
	static void level3_##l(int m, int n, int k)                                                                    \
	{                                                                                                              \
		T alpha = parts<T>::make(0.75, -0.5), beta = parts<T>::make(-0.25, 0.5), one = parts<T>::make(1, 0);   \
		int ldc = m + 2, lds = n + 1;                                                                          \
		for (cublasOperation_t o : operations)                                                                 \
			for (cublasOperation_t q : operations) {                                                       \
				char t = letter(o), w = letter(q);                                                     \
				int lda = (o ? k : m) + 1, ldb = (q ? n : k) + 3;                                      \
				both<T> a((size_t)lda * (o ? m : k)), b((size_t)ldb * (q ? k : n)), c((size_t)ldc * n); \
				ok("gemm", cublas##L##gemm(handle, o, q, m, n, k, &alpha, a.device, lda, b.device, ldb, \
							   &beta, c.device, ldc));                                     \
				FORTRAN(l##gemm_)(t, w, m, n, k, alpha, a.data(), lda, b.data(), ldb, beta, c.data(), ldc); \
				compare("gemm", c, 16 + k);                                                            \
			}                                                                                              \
		for (cublasFillMode_t f : fills) {                                                                     \
			char u = letter(f);                                                                            \
			for (cublasSideMode_t s : sides) {                                                             \
				char e = letter(s);                                                                    \
				int size = s == CUBLAS_SIDE_LEFT ? m : n, lda = size + 1, ldb = m + 3;                 \
				both<T> a((size_t)lda * size), b((size_t)ldb * n), c((size_t)ldc * n);                 \
				ok("symm", cublas##L##symm(handle, s, f, m, n, &alpha, a.device, lda, b.device, ldb,   \
							   &beta, c.device, ldc));                                     \
				FORTRAN(l##symm_)(e, u, m, n, alpha, a.data(), lda, b.data(), ldb, beta, c.data(), ldc); \
				compare("symm", c, 16 + size);                                                         \
				a.dominate(size, lda, 2 * size);                                                       \
				for (cublasOperation_t o : operations)                                                 \
					for (cublasDiagType_t d : diags) {                                             \
						char t = letter(o), g = letter(d);                                     \
						if (d == CUBLAS_DIAG_NON_UNIT || size < 8) {                           \
							ok("trsm", cublas##L##trsm(handle, s, f, o, d, m, n, &alpha, a.device, \
										   lda, b.device, ldb));               \
							FORTRAN(l##trsm_)(e, u, t, g, m, n, alpha, a.data(), lda, b.data(), ldb); \
							compare("trsm", b, 64 + 8.0 * size);                           \
						}                                                                      \
						ok("trmm", cublas##L##trmm(handle, s, f, o, d, m, n, &alpha, a.device, lda, \
									   b.device, ldb, b.device, ldb));             \
						FORTRAN(l##trmm_)(e, u, t, g, m, n, alpha, a.data(), lda, b.data(), ldb); \
						compare("trmm", b, 64 + 8.0 * size);                                   \
					}                                                                              \
			}                                                                                              \
			for (cublasOperation_t o : {CUBLAS_OP_N, CUBLAS_OP_T}) {                                       \
				char t = letter(o);                                                                    \
				int lda = (o ? k : n) + 1;                                                             \
				both<T> a((size_t)lda * (o ? n : k)), b((size_t)lda * (o ? n : k)), c((size_t)lds * n); \
				ok("syrk", cublas##L##syrk(handle, f, o, n, k, &alpha, a.device, lda, &beta, c.device, lds)); \
				FORTRAN(l##syrk_)(u, t, n, k, alpha, a.data(), lda, beta, c.data(), lds);              \
				compare("syrk", c, 16 + k);                                                            \
				ok("syr2k", cublas##L##syr2k(handle, f, o, n, k, &alpha, a.device, lda, b.device, lda, \
							     &beta, c.device, lds));                                   \
				FORTRAN(l##syr2k_)(u, t, n, k, alpha, a.data(), lda, b.data(), lda, beta, c.data(), lds); \
				compare("syr2k", c, 32 + 2 * k);                                                       \
			}                                                                                              \
		}                                                                                                      \
		/* geam: a transpose, twice, and the sum with itself. */                                               \
		both<T> a((size_t)ldc * n), b((size_t)lds * m);                                                        \
		T none = parts<T>::make(0, 0);                                                                         \
		ok("geam", cublas##L##geam(handle, CUBLAS_OP_T, CUBLAS_OP_N, n, m, &one, a.device, ldc, &none,         \
					   b.device, lds, b.device, lds));                                             \
		ok("geam", cublas##L##geam(handle, CUBLAS_OP_N, CUBLAS_OP_T, m, n, &one, a.device, ldc, &one,          \
					   b.device, lds, a.device, ldc));                                             \
		for (int j = 0; j < n; j++)                                                                            \
			for (int i = 0; i < m; i++) {                                                                  \
				both<T> *to = &a;                                                                      \
				b.host[j + (size_t)i * lds] = to->host[i + (size_t)j * ldc];                           \
				typename parts<T>::real *x = (typename parts<T>::real *)&to->host[i + (size_t)j * ldc]; \
				for (unsigned part = 0; part < sizeof(T) / sizeof *x; part++)                          \
					x[part] *= 2;                                                                  \
			}                                                                                              \
		compare("geam", b, 0);                                                                                 \
		compare("geam", a, 1);                                                                                 \
		/* dgmm: by ones and a two. */                                                                         \
		both<T> x(n);                                                                                          \
		for (T &v : x.host)                                                                                    \
			v = one;                                                                                       \
		x.host[n - 1] = parts<T>::make(2, 0);                                                                  \
		x.send();                                                                                              \
		ok("dgmm", cublas##L##dgmm(handle, CUBLAS_SIDE_RIGHT, m, n, a.device, ldc, x.device, 1, a.device, ldc)); \
		for (int i = 0; i < m; i++) {                                                                          \
			typename parts<T>::real *v = (typename parts<T>::real *)&a.host[i + (size_t)(n - 1) * ldc];    \
			for (unsigned part = 0; part < sizeof(T) / sizeof *v; part++)                                  \
				v[part] *= 2;                                                                          \
		}                                                                                                      \
		compare("dgmm", a, 0);                                                                                 \
	}
LEVEL3(S, s, float, float)
LEVEL3(D, d, double, double)
LEVEL3(C, c, cuComplex, float)
LEVEL3(Z, z, cuDoubleComplex, double)

static void more3_s(int, int, int) {}
static void more3_d(int, int, int) {}
#define HERMITIAN3(L, l, T, R)                                                                                         \
	static void more3_##l(int m, int n, int k)                                                                     \
	{                                                                                                              \
		T alpha = parts<T>::make(0.75, -0.5), beta = parts<T>::make(-0.25, 0.5);                               \
		R x = 0.5, y = -0.75;                                                                                  \
		int ldc = m + 2, lds = n + 1;                                                                          \
		for (cublasFillMode_t f : fills) {                                                                     \
			char u = letter(f);                                                                            \
			for (cublasSideMode_t s : sides) {                                                             \
				char e = letter(s);                                                                    \
				int size = s == CUBLAS_SIDE_LEFT ? m : n, lda = size + 1, ldb = m + 3;                 \
				both<T> a((size_t)lda * size), b((size_t)ldb * n), c((size_t)ldc * n);                 \
				ok("hemm", cublas##L##hemm(handle, s, f, m, n, &alpha, a.device, lda, b.device, ldb,   \
							   &beta, c.device, ldc));                                     \
				FORTRAN(l##hemm_)(e, u, m, n, alpha, a.data(), lda, b.data(), ldb, beta, c.data(), ldc); \
				compare("hemm", c, 16 + size);                                                         \
			}                                                                                              \
			for (cublasOperation_t o : {CUBLAS_OP_N, CUBLAS_OP_C}) {                                       \
				char t = letter(o);                                                                    \
				int lda = (o ? k : n) + 1;                                                             \
				both<T> a((size_t)lda * (o ? n : k)), b((size_t)lda * (o ? n : k)), c((size_t)lds * n); \
				ok("herk", cublas##L##herk(handle, f, o, n, k, &x, a.device, lda, &y, c.device, lds)); \
				FORTRAN(l##herk_)(u, t, n, k, x, a.data(), lda, y, c.data(), lds);                     \
				compare("herk", c, 16 + k);                                                            \
				ok("her2k", cublas##L##her2k(handle, f, o, n, k, &alpha, a.device, lda, b.device, lda, \
							     &y, c.device, lds));                                      \
				FORTRAN(l##her2k_)(u, t, n, k, alpha, a.data(), lda, b.data(), lda, y, c.data(), lds); \
				compare("her2k", c, 32 + 2 * k);                                                       \
			}                                                                                              \
		}                                                                                                      \
	}
HERMITIAN3(C, c, cuComplex, float)
HERMITIAN3(Z, z, cuDoubleComplex, double)

#define RUN(l)                                                                                                         \
	if (level == 1)                                                                                                \
		for (auto &by : {std::pair<int, int>{1, 1}, {2, -3}, {3, 1}}) {                                        \
			level1_##l(size, by.first, by.second);                                                         \
			more1_##l(size, by.first, by.second);                                                          \
		}                                                                                                      \
	else if (level == 2)                                                                                           \
		for (auto &by : {std::pair<int, int>{1, 2}, {-2, 1}}) {                                                \
			level2_##l(size, size + 5, by.first, by.second);                                               \
			more2_##l(size + 3, size, by.first, by.second);                                                \
		}                                                                                                      \
	else {                                                                                                         \
		level3_##l(size, size + 7, size / 2 + 3);                                                              \
		more3_##l(size, size + 7, size / 2 + 3);                                                               \
	}

/* Two streams at a time share nothing of the handle's; a factor of zero does not look at the matrix. */
static void apart()
{
	const int n = 40000;
	std::vector<float> ones(n, 1);
	both<float> x(n), b(12);
	float *results, sums[2], zero = 0;
	cudaStream_t streams[2];
	cudaMalloc((void **)&results, sizeof sums);
	cudaMemcpy(x.device, ones.data(), n * sizeof(float), cudaMemcpyHostToDevice);
	cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE);
	for (cudaStream_t &stream : streams)
		cudaStreamCreate(&stream);
	for (int turn = 0; turn < 4; turn++) {
		for (int i = 0; i < 2; i++) {
			cublasSetStream(handle, streams[i]);
			ok("dot", cublasSdot(handle, n - 1000 * i, x.device, 1, x.device, 1, results + i));
		}
		cudaDeviceSynchronize();
		cudaMemcpy(sums, results, sizeof sums, cudaMemcpyDeviceToHost);
		for (int i = 0; i < 2; i++)
			compare_value("dot beside another one", sums[i], (float)(n - 1000 * i), 0);
	}
	cublasSetStream(handle, nullptr);
	cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST);
	for (float &value : b.host)
		value = 0;
	ok("trsm by zero", cublasStrsm(handle, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_UPPER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT, 4,
				       3, &zero, nullptr, 4, b.device, 4));
	compare("trsm by zero", b, 0);
	for (cudaStream_t stream : streams)
		cudaStreamDestroy(stream);
	cudaFree(results);
}

int main(int argc, char **argv)
{
	int level = atoi(argv[1]);
	void *none;
	/* An error of the program's own, which it does not fetch: it is no error of the library's. */
	cudaMalloc(&none, (size_t)1 << 60);
	ok("create", cublasCreate(&handle));
	if (level == 0)
		apart();
	for (int i = 3; i < argc; i++) {
		int size = atoi(argv[i]);
		switch (argv[2][0]) {
		case 's': RUN(s) break;
		case 'd': RUN(d) break;
		case 'c': RUN(c) break;
		case 'z': RUN(z) break;
		}
	}
	ok("destroy", cublasDestroy(handle));
	return finish(argv[1]);
}
