// What CUDA's headers declare for the host, too: each function has its type and its value there. The values are those of
// nvcc 13.0's host code; zeros, infinities and what is no number as CUDA's Math API has them.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

static int failures;
#define EXPECT(condition) (condition) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #condition))
#define NEAR(call, value) EXPECT(units(call, value) <= 8)

static long long ordered(double x)
{
	long long bits;
	memcpy(&bits, &x, sizeof bits);
	return bits < 0 ? -(bits & 0x7fffffffffffffff) : bits;
}
static long long units(double a, double b)
{
	return llabs(ordered(a) - ordered(b));
}

#define ONE(X) X(acos) X(asin) X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(cospi) X(erf) X(erfc) \
	X(erfcinv) X(erfcx) X(erfinv) X(exp) X(exp10) X(exp2) X(expm1) X(fabs) X(floor) X(j0) X(j1) X(lgamma) X(log) \
	X(log10) X(log1p) X(log2) X(logb) X(nearbyint) X(normcdf) X(normcdfinv) X(rcbrt) X(rint) X(round) X(rsqrt) \
	X(sin) X(sinh) X(sinpi) X(sqrt) X(tan) X(tanh) X(tgamma) X(trunc) X(y0) X(y1)
#define TWO(X) X(atan2) X(copysign) X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(nextafter) X(pow) X(remainder)
#define WORDS(X) X(umin, unsigned) X(umax, unsigned) X(llmin, long long) X(llmax, long long) X(ullmin, unsigned long long) \
	X(ullmax, unsigned long long)
#define X(n) static double (*const n##_double)(double) = n; static float (*const n##_float)(float) = n, \
	(*const n##_f)(float) = n##f;
ONE(X)
#undef X
#define X(n) static double (*const n##_double)(double, double) = n; static float (*const n##_float)(float, float) = n, \
	(*const n##_f)(float, float) = n##f;
TWO(X)
#undef X
#define X(n, type) static type (*const n##_word)(type, type) = n;
WORDS(X)
#undef X

/* One body on both sides. */
struct all {
	__host__ __device__ static double sum(double d, float f, unsigned u, long long l)
	{
		double s = 0, c = 0, more;
		float g, h;
#define X(name) s += name(d) + name(f) + name##f(f);
		ONE(X)
#undef X
#define X(name) s += name(d, d) + name(f, f) + name##f(f, f);
		TWO(X)
#undef X
		s += acosh(1 + d) + acosh(1 + f) + acoshf(1 + f);
		sincos(d, &c, &more);
		s += c - more;
		sincospi(d, &c, &more);
		s += c - more;
		sincosf(f, &g, &h);
		s += g - h;
		sincospif(f, &g, &h);
		s += g - h;
		sincos(f, &g, &h);
		sincospi(f, &g, &h);
		s += jn(2, d) + jn(2, f) + yn(2, d) + yn(2, f) + fma(d, d, d) + fma(f, f, f);
		return s + words(u, l);
	}
	__host__ __device__ static double words(unsigned u, long long l)
	{
		double s = umin(u, 5) + umax(u, 5) + llmin(l, -3) + llmax(l, -3) + ullmin(u, 1ull << 40) +
			   ullmax(u, 1ull << 40) + min(u, 7) + max(-l, l);
		return s + sinpif(u) + (__nv_bswap16(0x1234) == 0x3412) + (__nv_bswap32(0x12345678) == 0x78563412) +
		       (__nv_bswap64(0x0102030405060708) == 0x0807060504030201);
	}
};
__global__ void on_the_device(double *out)
{
	*out = all::words(9, -7);
}

static int play(std::function<int()> f)
{
	return f();
}

int main()
{
	NEAR(erfcinv(4.9406564584124654e-324), 27.213293210812946);
	NEAR(erfcinv(1e-100), 15.065574702592647);
	NEAR(erfcinv(0.001), 2.3267537655135242);
	NEAR(erfcinv(0.5), 0.47693627620446988);
	NEAR(erfcinv(1.5), -0.47693627620446988);
	NEAR(erfcinv(1.9999), -2.7510639057120803);
	NEAR(erfinv(0.5), 0.47693627620446988);
	NEAR(erfinv(-0.29999999999999999), -0.27246271472675437);
	NEAR(erfinv(0.75), 0.81341984759761865);
	NEAR(erfcx(-26.0), 7.6577249314905682e+293);
	NEAR(erfcx(-3.0), 16205.988853999586);
	NEAR(erfcx(0.10000000000000001), 0.89645697996912654);
	NEAR(erfcx(9.0), 0.062307724037774681);
	NEAR(erfcx(10.0), 0.056140992743822594);
	NEAR(normcdf(-38.0), 2.8854283510039645e-316);
	NEAR(normcdf(-8.0), 6.2209605742717839e-16);
	NEAR(normcdf(-3.0), 0.0013498980316300946);
	NEAR(normcdf(1.3), 0.9031995154143897);
	NEAR(normcdfinv(9.9999999999999998e-17), -8.2220822161304365);
	NEAR(rcbrt(-27.0), -0.33333333333333331);
	NEAR(rcbrt(1e-300), 1e+100);
	NEAR(rsqrt(4.9406564584124654e-324), 4.4989137945431964e+161);
	NEAR(rsqrt(3.0), 0.57735026918962584);
	NEAR(sinpi(-1.5), 1);
	NEAR(sinpi(0.25), 0.70710678118654757);
	NEAR(sinpi(-0.29999999999999999), -0.80901699437494745);
	NEAR(cospi(1.0), -1);
	NEAR(cospi(0.75), -0.70710678118654757);
	NEAR(exp10(-0.5), 0.31622776601683794);
	NEAR(exp10(3.0), 1000.0000000000001);
	EXPECT(erfcinv(0.0) == INFINITY && erfcinv(2.0) == -INFINITY && erfcinv(1.0) == 0);
	EXPECT(std::isnan(erfcinv(-1e-9)) && std::isnan(erfcinv(2.1)) && std::isnan(erfcinv(NAN)));
	EXPECT(erfinv(1.0) == INFINITY && erfinv(-1.0) == -INFINITY && std::isnan(erfinv(1.5)) && std::isnan(erfinv(NAN)));
	EXPECT(erfinv(0.0) == 0 && std::signbit(erfinv(-0.0)) && erfinv(1e-300) > 8.8e-301);
	EXPECT(normcdfinv(0.0) == -INFINITY && normcdfinv(1.0) == INFINITY && std::isnan(normcdfinv(1.1)));
	EXPECT(erfcx(-27.0) == INFINITY && erfcx(INFINITY) == 0 && erfcx(0.0) == 1 && std::isnan(erfcx(NAN)));
	EXPECT(normcdf(-INFINITY) == 0 && normcdf(INFINITY) == 1 && normcdf(0.0) == 0.5);
	EXPECT(sinpi(1.0) == 0 && !std::signbit(sinpi(1.0)) && std::signbit(sinpi(-1.0)) && cospi(0.5) == 0);
	EXPECT(!std::signbit(cospi(0.5)) && !std::signbit(cospi(-1.5)) && std::isnan(sinpi(INFINITY)) && std::isnan(cospi(-INFINITY)));
	EXPECT(normcdfinvf(0.25f) == -0.674489737f && erfcxf(2) == 0.255395681f && erfcinvf(1e-30f) == 8.14861584f);
	EXPECT(umin(3u, -1) == 3 && umax(3u, -1) == 0xffffffff && llmin(-1, 1) == -1 && ullmax(-1, 1) == ~0ull);
	EXPECT(play([]() -> int { return min(rand(), rand()) >= 0; }));
	EXPECT(make_double4_16a(1, 2, 3, 4).w == 4 && alignof(ulonglong4_32a) == 32 && make_long4_32a(1, 2, 3, 4).z == 3);
	double *out, device;
	EXPECT(std::isfinite(all::sum(0.625, 0.625f, 9, -7)));
	cudaMalloc(&out, sizeof device);
	on_the_device<<<1, 1>>>(out);
	cudaMemcpy(&device, out, sizeof device, cudaMemcpyDeviceToHost);
	EXPECT(device == all::words(9, -7) && device == 1099511627806);
	printf("host-math: %s\n", failures ? "FAILED" : "PASSED");
	return failures != 0;
}
