// Fourier transforms in double2 and float2: Stockham's in shared memory of dynamic size with radices 2, 4 and 3,
// templates that recurse over the length, twiddles by sincospi; Bluestein's for lengths that are prime. Against the
// definition in long double on the host.
#include "common.h"
#include <cmath>

template <typename T>
struct Complex;
template <>
struct Complex<float> {
	typedef float2 type;
};
template <>
struct Complex<double> {
	typedef double2 type;
};
template <typename C>
__device__ C operator*(C a, C b)
{
	return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
__device__ inline double2 operator+(double2 a, double2 b)
{
	return make_double2(a.x + b.x, a.y + b.y);
}
__device__ inline float2 operator+(float2 a, float2 b)
{
	return make_float2(a.x + b.x, a.y + b.y);
}
__device__ inline double2 operator-(double2 a, double2 b)
{
	return make_double2(a.x - b.x, a.y - b.y);
}
__device__ inline float2 operator-(float2 a, float2 b)
{
	return make_float2(a.x - b.x, a.y - b.y);
}
__device__ inline double2 turn(double part)
{
	double2 r;
	sincospi(-2 * part, &r.y, &r.x);
	return r;
}
__device__ inline float2 turn(float part)
{
	float2 r;
	sincospif(-2 * part, &r.y, &r.x);
	return r;
}

// In registers, by halves: the length is known where it is compiled.
template <typename T, int N>
struct Butterfly {
	typedef typename Complex<T>::type C;
	static __device__ __forceinline__ void run(C *v)
	{
		C even[N / 2], odd[N / 2];
#pragma unroll
		for (int i = 0; i < N / 2; i++)
			even[i] = v[2 * i], odd[i] = v[2 * i + 1];
		Butterfly<T, N / 2>::run(even);
		Butterfly<T, N / 2>::run(odd);
#pragma unroll
		for (int i = 0; i < N / 2; i++) {
			C t = odd[i] * turn(T(i) / N);
			v[i] = even[i] + t;
			v[i + N / 2] = even[i] - t;
		}
	}
};
template <typename T>
struct Butterfly<T, 1> {
	static __device__ __forceinline__ void run(typename Complex<T>::type *)
	{
	}
};
template <typename T>
struct Butterfly<T, 3> {
	typedef typename Complex<T>::type C;
	static __device__ __forceinline__ void run(C *v)
	{
		const T s = T(0.8660254037844386467637);
		C sum = v[1] + v[2], difference = v[1] - v[2], middle = {v[0].x - sum.x / 2, v[0].y - sum.y / 2};
		v[0] = v[0] + sum;
		v[1] = {middle.x + s * difference.y, middle.y - s * difference.x};
		v[2] = {middle.x - s * difference.y, middle.y + s * difference.x};
	}
};

template <typename T, int R>
__device__ void stage(typename Complex<T>::type *from, typename Complex<T>::type *to, int n, int done)
{
	for (int i = threadIdx.x; i < n / R; i += blockDim.x) {
		typename Complex<T>::type v[R];
		int k = i % done;
		for (int r = 0; r < R; r++)
			v[r] = from[i + r * (n / R)] * turn(T(r * k) / T(done * R));
		Butterfly<T, R>::run(v);
		for (int r = 0; r < R; r++)
			to[(i - k) * R + k + r * done] = v[r];
	}
	__syncthreads();
}

// A block a transform; radices from the host as a string, one character each.
struct Plan {
	char radices[15];
	unsigned char stages;
};
template <typename T>
__global__ void transform(const typename Complex<T>::type *in, typename Complex<T>::type *out, int n, Plan plan)
{
	typedef typename Complex<T>::type C;
	extern __shared__ __align__(16) unsigned char raw[];
	C *a = (C *)raw, *b = a + n;
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		a[i] = in[blockIdx.x * n + i];
	__syncthreads();
	int done = 1;
	for (int s = 0; s < plan.stages; s++) {
		switch (plan.radices[s]) {
		case '2':
			stage<T, 2>(a, b, n, done);
			done *= 2;
			break;
		case '3':
			stage<T, 3>(a, b, n, done);
			done *= 3;
			break;
		case '4':
			stage<T, 4>(a, b, n, done);
			done *= 4;
			break;
		case '8':
			stage<T, 8>(a, b, n, done);
			done *= 8;
			break;
		default:
			__trap();
		}
		C *swap = a;
		a = b;
		b = swap;
	}
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		out[blockIdx.x * n + i] = a[i];
}

// Bluestein: a chirp, a convolution done as it is defined, a chirp.
__global__ void prime(const double2 *in, double2 *out, int n)
{
	extern __shared__ double2 chirped[];
	for (int i = threadIdx.x; i < n; i += blockDim.x)
		chirped[i] = in[i] * turn((double)(i * i % (2 * n)) / (2 * n));
	__syncthreads();
	for (int k = threadIdx.x; k < n; k += blockDim.x) {
		double2 sum = {0, 0};
		for (int i = 0; i < n; i++) {
			double2 c = turn((double)((k - i) * (k - i) % (2 * n)) / (2 * n));
			sum = sum + chirped[i] * make_double2(c.x, -c.y);
		}
		out[k] = sum * turn((double)(k * k % (2 * n)) / (2 * n));
	}
}

template <typename C>
static void check(const C *in, const C *out, int n, double bound, const char *what)
{
	for (int k = 0; k < n; k++) {
		long double x = 0, y = 0;
		for (int i = 0; i < n; i++) {
			long double a = -2 * 3.14159265358979323846264338L * ((long long)i * k % n) / n;
			x += in[i].x * cosl(a) - in[i].y * sinl(a);
			y += in[i].x * sinl(a) + in[i].y * cosl(a);
		}
		expect(fabsl(x - out[k].x) < bound && fabsl(y - out[k].y) < bound, what, k);
	}
}

template <typename T>
static void run(const char *radices, int n, double bound)
{
	typedef typename Complex<T>::type C;
	C *in = shared_array<C>(2 * n), *out = shared_array<C>(2 * n);
	Plan plan = {};
	strcpy(plan.radices, radices);
	plan.stages = (unsigned char)strlen(radices);
	for (int i = 0; i < 2 * n; i++)
		in[i] = {T((i * 73 % 101) / 50.0 - 1), T((i * i % 59) / 30.0 - 1)};
	transform<T><<<2, 64, 2 * n * sizeof(C)>>>(in, out, n, plan);
	finish_kernel();
	check(in, out, n, bound, radices);
	check(in + n, out + n, n, bound, radices);
}

int main()
{
	run<double>("4438", 384, 1e-11);
	run<float>("22822", 128, 1e-3);
	run<double>("33", 9, 1e-13);
	double2 *in = shared_array<double2>(97), *out = shared_array<double2>(97);
	for (int i = 0; i < 97; i++)
		in[i] = {i % 11 - 5.0, i % 3 * 0.5};
	prime<<<1, 96, 97 * sizeof(double2)>>>(in, out, 97);
	finish_kernel();
	check(in, out, 97, 1e-10, "prime");
	puts("PASSED");
}
