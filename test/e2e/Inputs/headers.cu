// Overloads and intrinsics of CUDA C++ that the project's headers define: float forms of the C library's functions,
// loads and stores with cache operators, addresses of one space as numbers, 16-bit compare-and-swap. Host and device
// must agree.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include <common_functions.h>
#include <crt/device_functions.h>
#include <crt/sm_80_rt.h>
#include <cuComplex.h>
#include <cuda_surface_types.h>
#include <cuda_texture_types.h>
#include <device_double_functions.h>
#include <sm_35_atomic_functions.h>
#include <sm_61_intrinsics.h>
#include <sm_61_intrinsics.hpp>
#include <vector_functions.hpp>

#define CHECK(call)                                                                                    \
	do {                                                                                           \
		cudaError_t error = (call);                                                            \
		if (error != cudaSuccess) {                                                            \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
			exit(1);                                                                       \
		}                                                                                      \
	} while (0)

enum { FUNCTIONS = 36, POINTS = 8, THREADS = 64 };

template <typename T>
__host__ __device__ int apply(T x, T y, double *out)
{
	int n = 0, quotient;

	out[n++] = std::acosh(x + 1);
	out[n++] = std::asinh(x);
	out[n++] = std::atanh(x / 100);
	out[n++] = std::cbrt(x);
	out[n++] = erf(x);
	out[n++] = std::erfc(x);
	out[n++] = std::exp2(x);
	out[n++] = std::expm1(x);
	out[n++] = std::lgamma(x + 1);
	out[n++] = std::log1p(x);
	out[n++] = log2(x + 1);
	out[n++] = std::logb(x + 1);
	out[n++] = std::nearbyint(x);
	out[n++] = rint(x);
	out[n++] = round(x);
	out[n++] = std::round(-x);
	out[n++] = std::tgamma(x + 1);
	out[n++] = trunc(x);
	out[n++] = std::ilogb(x + 1);
	out[n++] = (double)std::lrint(x);
	out[n++] = (double)lround(x);
	out[n++] = (double)std::llrint(x);
	out[n++] = (double)std::llround(x);
	out[n++] = copysign(x, -y);
	out[n++] = std::fdim(x, y);
	out[n++] = fmax(x, y);
	out[n++] = std::fmin(x, y);
	out[n++] = std::hypot(x, y);
	out[n++] = std::nextafter(x, y);
	out[n++] = std::remainder(x, y);
	out[n++] = std::fma(x, y, x);
	out[n++] = std::remquo(x, y, &quotient);
	out[n++] = quotient & 7;
	out[n++] = std::scalbn(x, 3);
	out[n++] = std::scalbln(x, -3L);
	out[n++] = std::isnan(nan("")) ? 1 : 0;
	return n;
}

template <typename T>
__global__ void functions(double *out)
{
	apply<T>((T)(threadIdx.x * 0.75 + 0.125), (T)1.5, out + threadIdx.x * FUNCTIONS);
}

__global__ void cache(int *a, float4 *b, unsigned char *c, short2 *d, double2 *e, long long *f)
{
	int i = threadIdx.x;
	float4 v = __ldcs(b + i);
	short2 s = __ldca(d + i);
	double2 w = __ldlu(e + i);

	__stcg(a + i, __ldcg(a + i) + 1);
	__stcs(b + i, make_float4(v.w, v.z, v.y, v.x));
	__stwt(c + i, (unsigned char)(__ldcv(c + i) + 250));
	__stwb(d + i, make_short2(s.y, (short)-s.x));
	__stcs(e + i, make_double2(w.y + 1, w.x));
	__stcg(f + i, __ldcg(f + i) * 3);
}

__global__ void spaces(unsigned short *words, int *out)
{
	__shared__ int box[THREADS];
	int i = threadIdx.x;

	box[i] = i * 3;
	__syncthreads();
	size_t shared = __cvta_generic_to_shared(&box[(i + 1) % THREADS]);
	out[i] = *(int *)__cvta_shared_to_generic(shared) + (__cvta_generic_to_global(out) == (size_t)out ? 1000 : 0);

	unsigned short seen = words[0], old;
	while ((old = atomicCAS(&words[0], seen, (unsigned short)(seen + 3))) != seen)
		seen = old;
}

__host__ __device__ static void complexes(const __grid_constant__ int i, double *out)
{
	cuFloatComplex a = make_cuComplex(i + 1, i - 2), b = make_cuFloatComplex(3, -i);
	cuDoubleComplex d = cuComplexFloatToDouble(cuCmulf(a, cuConjf(b)));
	cuDoubleComplex huge = make_cuDoubleComplex(1e300, -1e300), large = make_cuDoubleComplex(1e299, 2e299 * i);
	cuDoubleComplex q = cuCdiv(cuCfma(d, d, huge), large);
	cuFloatComplex s = cuCsubf(cuCaddf(cuCdivf(a, b), b), a);

	out[0] = d.x;
	out[1] = d.y;
	out[2] = cuCreal(q);
	out[3] = cuCimag(q);
	out[4] = s.x;
	out[5] = cuCabsf(s) + cuCabs(cuComplexFloatToDouble(cuComplexDoubleToFloat(d)));
}

__global__ void complexKernel(double *out)
{
	complexes(threadIdx.x, out + threadIdx.x * 6);
}

static int compareComplex()
{
	double want[6], *got;
	int failures = 0;

	CHECK(cudaMallocManaged(&got, POINTS * sizeof want));
	complexKernel<<<1, POINTS>>>(got);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < POINTS; i++) {
		complexes(i, want);
		for (int f = 0; f < 6; f++)
			if (!(std::fabs(got[i * 6 + f] - want[f]) <= 1e-6 * std::fabs(want[f]) + 1e-6)) {
				printf("complex %d at %d: %.17g, host %.17g\n", f, i, got[i * 6 + f], want[f]);
				failures++;
			}
	}
	CHECK(cudaFree(got));
	return failures;
}

template <typename T>
static int compare(double bound)
{
	static double want[POINTS * FUNCTIONS];
	double *got;
	int failures = 0;

	CHECK(cudaMallocManaged(&got, sizeof want));
	functions<T><<<1, POINTS>>>(got);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < POINTS; i++) {
		if (apply<T>((T)(i * 0.75 + 0.125), (T)1.5, want + i * FUNCTIONS) != FUNCTIONS)
			failures++;
		for (int f = i * FUNCTIONS; f < (i + 1) * FUNCTIONS; f++)
			if (!(std::fabs(got[f] - want[f]) <= bound * std::fabs(want[f]))) {
				printf("function %d at %d: %.17g, host %.17g\n", f % FUNCTIONS, i, got[f], want[f]);
				failures++;
			}
	}
	CHECK(cudaFree(got));
	return failures;
}

int main()
{
	int failures = compare<float>(1e-6) + compare<double>(1e-14) + compareComplex();
	int *a, *out;
	float4 *b;
	unsigned char *c;
	short2 *d;
	double2 *e;
	long long *f;
	unsigned short *words;

	CHECK(cudaMallocManaged(&a, THREADS * sizeof *a));
	CHECK(cudaMallocManaged(&b, THREADS * sizeof *b));
	CHECK(cudaMallocManaged(&c, THREADS * sizeof *c));
	CHECK(cudaMallocManaged(&d, THREADS * sizeof *d));
	CHECK(cudaMallocManaged(&e, THREADS * sizeof *e));
	CHECK(cudaMallocManaged(&f, THREADS * sizeof *f));
	CHECK(cudaMallocManaged(&out, THREADS * sizeof *out));
	CHECK(cudaMallocManaged(&words, 4));
	for (int i = 0; i < THREADS; i++) {
		a[i] = i;
		b[i] = make_float4(i, i + 1, i + 2, i + 3);
		c[i] = (unsigned char)i;
		d[i] = make_short2((short)i, (short)-i);
		e[i] = make_double2(i, i + 0.5);
		f[i] = -1234567890123LL * i;
	}
	words[0] = 65500;
	words[1] = 77;
	cache<<<1, THREADS>>>(a, b, c, d, e, f);
	spaces<<<1, THREADS>>>(words, out);
	CHECK(cudaDeviceSynchronize());
	for (int i = 0; i < THREADS; i++)
		if (a[i] != i + 1 || b[i].x != i + 3 || b[i].w != i || c[i] != (unsigned char)(i + 250) ||
		    d[i].x != -i || d[i].y != -i || e[i].x != i + 1.5 || e[i].y != i ||
		    f[i] != -3 * 1234567890123LL * i || out[i] != 1000 + (i + 1) % THREADS * 3) {
			printf("element %d is wrong\n", i);
			failures++;
		}
	if (words[0] != (unsigned short)(65500 + 3 * THREADS) || words[1] != 77) {
		printf("words: %u %u\n", words[0], words[1]);
		failures++;
	}
	printf("headers: %s\n", failures ? "FAILED" : "PASSED");
	return failures != 0;
}
