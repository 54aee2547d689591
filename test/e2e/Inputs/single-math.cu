// Functions of float beside the host's functions of double: within CUDA's bound over numbers of all exponents, and the
// values that C gives zeros, infinities, the ends of each range and what is no number, with their signs.
// Prints for each function the worst distance in units of the last place.
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime.h>

static double host_rcbrt(double x) { return 1 / cbrt(x); }
static double host_rsqrt(double x) { return 1 / sqrt(x); }
static double host_normcdf(double x) { return erfc(-x * 0.70710678118654752440) / 2; }
/* Its series for large arguments, where the product would be infinity times zero. */
static double host_erfcx(double x)
{
	return x > 20 ? (1 - 1 / (2 * x * x) + 3 / (4 * x * x * x * x)) / (x * 1.7724538509055160273)
		      : (double)(expl((long double)x * x) * erfcl(x));
}

/* X(function, CUDA's bound, the host's function) */
#define ALL(X) X(tanhf, 2, tanh) X(coshf, 2, cosh) X(sinhf, 3, sinh) X(atanf, 2, atan) X(asinf, 2, asin) X(acosf, 2, acos) \
	X(cbrtf, 1, cbrt) X(rcbrtf, 1, host_rcbrt) X(logf, 1, log) X(log2f, 1, log2) X(log10f, 2, log10) X(log1pf, 1, log1p) \
	X(asinhf, 3, asinh) X(acoshf, 4, acosh) X(atanhf, 3, atanh) X(erff, 2, erf) X(erfcf, 4, erfc) X(normcdff, 5, host_normcdf) \
	X(erfcxf, 4, host_erfcx) X(roundf, 0, round) X(sinf, 2, sin) X(cosf, 2, cos) X(tanf, 4, tan) \
	X(rsqrtf, 2, host_rsqrt) X(sqrtf, 0, sqrt) X(exp2f, 2, exp2) X(expf, 1, exp) X(exp10f, 2, exp10)

#define X(name, bound, host) \
	extern "C" __global__ void k_##name(const float *in, float *out) { int i = blockIdx.x * blockDim.x + threadIdx.x; out[i] = name(in[i]); }
ALL(X)
#undef X

extern "C" __global__ void k_powf(const float *in, float *out, float b)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = powf(in[i], b);
}

/* CUDA counts from the correctly rounded result. */
static double distance(float got, double exact)
{
	float wanted = (float)exact;
	int exponent;
	if (std::isnan(got) || std::isnan(exact))
		return std::isnan(got) && std::isnan(exact) ? 0 : INFINITY;
	if (std::isinf(got) || std::isinf(wanted) || wanted == 0)
		return got == wanted && std::signbit(got) == std::signbit(wanted) ? 0 : wanted == 0 && got != 0 ? fabs(got) * 0x1p149 : INFINITY;
	frexp(wanted, &exponent);
	return ldexp(fabs((double)got - wanted), -(exponent - 24 < -149 ? -149 : exponent - 24));
}

static const float ends[] = {0.0f, -0.0f, 1, -1, 0.5f, -0.5f, 2, -2, INFINITY, -INFINITY, NAN, 1e-45f, -1e-45f, 0x1p-126f, -0x1p-126f,
	3.4028235e38f, -3.4028235e38f, 0x1p127f, -0x1p127f, 0x1.fffffep-1f, 0x1.000002p0f, 10.05f, -10.05f, 14.4f, -14.4f, 88.7f, 89.4f, -9.3f, -9.4f,
	105614.99f, 105615.0f, -105615.02f, 1.57079637f, 3.14159274f, 1e5f};

static const int count = 8192;
static float in[count], out[count];
static int failures;

static void judge(const char *name, double bound, double (*host)(double, double), double b)
{
	double worst = 0;
	int at = 0;
	for (int i = 0; i < count; i++) {
		double here = distance(out[i], host((double)in[i], b));
		at = here > worst ? i : at;
		worst = fmax(here, worst);
	}
	failures += worst > bound;
	printf("%s: %g of %g%s at %a: %a\n", name, worst, bound, worst > bound ? " WRONG" : "", in[at], out[at]);
}

int main()
{
	const int given = sizeof ends / sizeof *ends;
	for (int i = 0; i < count; i++) {
		unsigned bits = (unsigned)i * 0x80007u;
		memcpy(&in[i], &bits, sizeof bits);
	}
	memcpy(in, ends, sizeof ends);
	for (int i = given; i < given + 1024; i++) /* where the functions of few numbers are not one constant */
		in[i] = (float)(i - given - 512) / 200;
	float *a, *b;
	cudaMalloc(&a, sizeof in);
	cudaMalloc(&b, sizeof out);
	cudaMemcpy(a, in, sizeof in, cudaMemcpyHostToDevice);
#define X(name, bound, host)                                                                    \
	k_##name<<<count / 128, 128>>>(a, b);                                                       \
	cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);                                     \
	judge(#name, bound, [](double x, double) { return (double)host(x); }, 0);
	ALL(X)
	const float powers[] = {0.0f, -0.0f, 1, -1, 2, -2, 3, -3, 0.5f, -0.5f, 1e-3f, 16777216, 16777215, 8388607.5f, -1e30f, INFINITY, -INFINITY, NAN};
	for (float power : powers) {
		k_powf<<<count / 128, 128>>>(a, b, power);
		cudaMemcpy(out, b, sizeof out, cudaMemcpyDeviceToHost);
		judge("powf", 4, pow, power);
	}
	printf("%d functions wrong\n", failures);
	return failures != 0;
}
