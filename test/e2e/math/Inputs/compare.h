// Vectors and matrices that the host and the device both have, random, and their comparison. FORTRAN(f)(a, ...) calls a
// routine of BLAS or LAPACK: what is no pointer is passed by its address.
#pragma once
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <limits>
#include <vector>

static int failures, compared;
static unsigned long long seed = 1;

inline double uniform()
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (double)(seed >> 11) / (1ull << 52) - 1;
}

template <class T> struct parts {
	using real = T;
	static const bool complex = false;
	static T random() { return (T)uniform(); }
	static double distance(T a, T b) { return std::isnan(a) && std::isnan(b) ? 0 : std::fabs((double)a - (double)b); }
	static T make(double re, double) { return (T)re; }
	static void add(T &a, double x) { a += (T)x; }
	static double size(T a) { return std::fabs((double)a); }
};
#define COMPLEX(T, R)                                                                                                  \
	template <> struct parts<T> {                                                                                  \
		using real = R;                                                                                        \
		static const bool complex = true;                                                                      \
		static T random() { R x = (R)uniform(); return T{x, (R)uniform()}; }                                    \
		static double distance(T a, T b)                                                                       \
		{                                                                                                      \
			return parts<R>::distance(a.x, b.x) + parts<R>::distance(a.y, b.y);                            \
		}                                                                                                      \
		static T make(double re, double im) { return T{(R)re, (R)im}; }                                        \
		static void add(T &a, double x) { a.x += (R)x; }                                                       \
		static double size(T a) { return std::fabs((double)a.x) + std::fabs((double)a.y); }                    \
	};
COMPLEX(float2, float)
COMPLEX(double2, double)

template <class T> struct both {
	std::vector<T> host;
	T *device;
	explicit both(size_t n) : host(n ? n : 1)
	{
		for (T &x : host)
			x = parts<T>::random();
		cudaMalloc((void **)&device, host.size() * sizeof(T));
		send();
	}
	both(const both &) = delete;
	~both() { cudaFree(device); }
	void send() { cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice); }
	void get() { cudaMemcpy(host.data(), device, host.size() * sizeof(T), cudaMemcpyDeviceToHost); }
	T *data() { return host.data(); }
	// A heavy diagonal, so that systems are well conditioned.
	void dominate(int n, int ld, double by)
	{
		for (int i = 0; i < n; i++)
			parts<T>::add(host[i + (size_t)i * ld], by);
		send();
	}
};

inline void report(const char *what, double error, double allowed)
{
	compared++;
	if (error <= allowed)
		return;
	failures++;
	if (failures < 20)
		printf("%s: error %g, allowed %g\n", what, error, allowed);
}

// Every element, also those between the columns, that nobody is to write. `steps`: roundings of an element.
template <class T> void compare(const char *what, both<T> &x, double steps)
{
	std::vector<T> got(x.host.size());
	cudaError_t error = cudaMemcpy(got.data(), x.device, got.size() * sizeof(T), cudaMemcpyDeviceToHost);
	if (error != cudaSuccess) {
		printf("%s: %s\n", what, cudaGetErrorString(error));
		exit(1);
	}
	double worst = 0, largest = 1;
	for (size_t i = 0; i < got.size(); i++) {
		double distance = parts<T>::distance(got[i], x.host[i]);
		worst = distance <= worst ? worst : distance;
		largest = std::fmax(largest, parts<T>::size(x.host[i]));
	}
	report(what, worst, steps * largest * std::numeric_limits<typename parts<T>::real>::epsilon());
}

template <class T> void compare_value(const char *what, T got, T want, double steps)
{
	report(what, parts<T>::distance(got, want),
	       steps * std::fmax(1, parts<T>::size(want)) * std::numeric_limits<typename parts<T>::real>::epsilon());
}

template <class T> const void *by_address(const T &x) { return &x; }
template <class T> const void *by_address(T *const &x) { return x; }
#define FORTRAN(f)                                                                                                     \
	[](const auto &...arguments) {                                                                                 \
		return f(by_address(arguments)...);                                                                    \
	}

inline int finish(const char *name)
{
	printf("%s: %d comparisons, %d failures: %s\n", name, compared, failures, failures ? "FAILED" : "PASSED");
	return failures != 0;
}
