// cuSOLVER's gesvd: values beside LAPACK's, U and V by what they are: orthogonal, and factors of the matrix. svd SIZE...: of so
// many columns, with more rows; also of a rank below the number of columns, and of nothing but zeros.
#include "compare.h"
#include <cusolverDn.h>

extern "C" void sgesvd_(...), dgesvd_(...), cgesvd_(...), zgesvd_(...);

static std::complex<double> value(float x) { return x; }
static std::complex<double> value(double x) { return x; }
static std::complex<double> value(float2 x) { return {x.x, x.y}; }
static std::complex<double> value(double2 x) { return {x.x, x.y}; }

// The largest distance of U^H U (of rows: U U^H) from one.
template <class T> static double skew(const std::vector<T> &u, int length, int count, int ld, bool rows)
{
	double worst = 0;
	for (int i = 0; i < count; i++)
		for (int j = 0; j < count; j++) {
			std::complex<double> sum = 0;
			for (int k = 0; k < length; k++)
				sum += std::conj(value(u[rows ? i + k * ld : k + i * ld])) * value(u[rows ? j + k * ld : k + j * ld]);
			worst = std::fmax(worst, std::abs(sum - (i == j ? 1.0 : 0.0)));
		}
	return worst;
}

#define SVD(L, l, T, R, MORE)                                                                                          \
	static void svd_##l(cusolverDnHandle_t handle, int m, int n, int rank, char ju, char jv)                       \
	{                                                                                                              \
		int lda = m + 1, ldu = m + 2, ldv = n + 1, size = 0, result = 0, info = 9, *device_info;               \
		int host_size = 64 * (m + n), columns = ju == 'A' ? m : n;                                             \
		both<T> a((size_t)lda * n), u((size_t)ldu * m), v((size_t)ldv * n), work(64 * (m + n));                \
		both<R> s(n), more(5 * n);                                                                             \
		for (int j = rank; j < n; j++)                                                                         \
			for (int i = 0; i < m; i++)                                                                    \
				a.host[i + j * lda] = rank ? a.host[i + j % rank * lda] : T{};                         \
		a.send();                                                                                              \
		std::vector<T> first = a.host;                                                                         \
		cudaMalloc((void **)&device_info, sizeof info);                                                        \
		report("size", cusolverDn##L##gesvd_bufferSize(handle, m, n, &size), 0);                               \
		both<T> memory(size);                                                                                  \
		report("gesvd", cusolverDn##L##gesvd(handle, ju, jv, m, n, a.device, lda, s.device, u.device, ldu, v.device, ldv, \
						     memory.device, size, nullptr, device_info), 0);                   \
		cudaMemcpy(&info, device_info, sizeof info, cudaMemcpyDeviceToHost);                                   \
		report("info", info, 0);                                                                               \
		FORTRAN(l##gesvd_)('N', 'N', m, n, a.data(), lda, s.data(), u.data(), ldu, v.data(), ldv, work.data(), host_size, \
				   MORE &result);                                                                      \
		compare("singular values", s, 64 + 8.0 * m);                                                           \
		s.get(), u.get(), v.get(), a.get();                                                                    \
		const std::vector<T> &left = ju == 'O' ? a.host : u.host, &right = jv == 'O' ? a.host : v.host;         \
		double eps = std::numeric_limits<R>::epsilon() * (64 + 16.0 * m), worst = 0;                           \
		int left_ld = ju == 'O' ? lda : ldu, right_ld = jv == 'O' ? lda : ldv;                                 \
		if (ju != 'N')                                                                                         \
			report("U", skew(left, m, columns, left_ld, false), eps);                                      \
		if (jv != 'N')                                                                                         \
			report("V", skew(right, n, n, right_ld, true), eps);                                           \
		for (int i = 0; i < m && ju != 'N' && jv != 'N'; i++)                                                  \
			for (int j = 0; j < n; j++) {                                                                  \
				std::complex<double> sum = 0;                                                          \
				for (int k = 0; k < n; k++)                                                            \
					sum += value(left[i + k * left_ld]) * (double)s.host[k] * value(right[k + j * right_ld]); \
				worst = std::fmax(worst, std::abs(sum - value(first[i + j * lda])));                   \
			}                                                                                              \
		report("U S V", worst, eps * (1 + (double)s.host[0]));                                                 \
		cudaFree(device_info);                                                                                 \
	}
SVD(S, s, float, float, )
SVD(D, d, double, double, )
#define COMMA ,
SVD(C, c, cuComplex, float, more.data() COMMA)
SVD(Z, z, cuDoubleComplex, double, more.data() COMMA)

int main(int argc, char **argv)
{
	cusolverDnHandle_t handle;
	report("create", cusolverDnCreate(&handle), 0);
	for (int i = 1; i < argc; i++) {
		int n = atoi(argv[i]);
		svd_s(handle, n, n, n, 'S', 'S');
		svd_s(handle, n + 5, n, n, 'A', 'A');
		svd_s(handle, n + 2, n, (n + 1) / 2, 'A', 'A');
		svd_d(handle, n + 3, n, n, 'O', 'A');
		svd_d(handle, n + 1, n, (n + 1) / 2, 'S', 'O');
		svd_d(handle, n + 1, n, 0, 'A', 'S');
		svd_c(handle, n + 4, n, n, 'A', 'S');
		svd_c(handle, n + 4, n, n, 'N', 'N');
		svd_z(handle, n + 1, n, n, 'S', 'A');
		svd_z(handle, n + 9, n, (n + 1) / 2, 'A', 'A');
	}
	int size;
	report("large", cusolverDnSgesvd_bufferSize(handle, 32768, 32768, &size) != CUSOLVER_STATUS_INVALID_VALUE, 0);
	report("large", cusolverDnDorgqr_bufferSize(handle, 65536, 65536, 65536, nullptr, 65536, nullptr, &size) != CUSOLVER_STATUS_INVALID_VALUE, 0);
	report("large", cusolverDnDsyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, 65536, nullptr, 65536, nullptr, &size) != CUSOLVER_STATUS_INVALID_VALUE, 0);
	report("wide", cusolverDnSgesvd_bufferSize(handle, 3, 4, &size) != CUSOLVER_STATUS_INVALID_VALUE, 0);
	report("destroy", cusolverDnDestroy(handle), 0);
	return finish("svd");
}
