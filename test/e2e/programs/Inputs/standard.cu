// The standard library's own on the device: complex numbers, optional, variant, string_view, arrays and algorithms that
// are constexpr; arrays of objects with constructors by new and delete, static variables of functions.
#include "common.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

struct Tracked {
	int *alive;
	int value = 5;
	__host__ __device__ Tracked() : alive(nullptr)
	{
	}
	__host__ __device__ ~Tracked()
	{
		if (alive)
			--*alive;
	}
};

template <typename T>
__host__ __device__ std::complex<T> quadratic(T a, T b, T c)
{
	std::complex<T> d = std::sqrt(std::complex<T>(b * b - 4 * a * c)), root = (-b + d) / (T(2) * a);
	root += std::conj(root) * std::complex<T>(0, 1) - std::polar(T(2), T(0.5));
	return root * std::exp(std::complex<T>(T(0.1), b / 10)) / std::complex<T>(3, -4);
}

typedef std::variant<int, double, std::pair<short, char>> Value;
__host__ __device__ Value value_of(int t)
{
	return t % 3 == 1 ? Value(t * 1.5) : t % 3 == 2 ? Value(std::in_place_index<2>, (short)t, 'x') : Value(t);
}
__host__ __device__ double measured(const Value &v)
{
	if (const int *i = std::get_if<int>(&v))
		return *i * 2;
	if (const double *d = std::get_if<double>(&v))
		return *d / 4;
	auto p = std::get_if<2>(&v);
	return p->first * 100 + p->second;
}
__host__ __device__ std::optional<int> digit(char c)
{
	return c >= '0' && c <= '9' ? std::optional<int>(c - '0') : std::nullopt;
}
__host__ __device__ int words(std::string_view text)
{
	int n = 0, sum = 0;
	while (!text.empty()) {
		size_t at = text.find(' ');
		std::string_view word(text.data(), at < text.size() ? at : text.size());
		n += !word.empty() && word.back() != '!';
		sum += digit(word.empty() ? ' ' : word.front()).value_or(-1) + (word == "seven" ? 700 : 0);
		text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
	}
	return n * 10000 + sum;
}
__host__ __device__ int arranged(int seed)
{
	std::array<int, 7> a = {seed, 3, seed * seed % 11, -2, 8, seed % 5, 1};
	for (size_t i = 0; i < a.size(); i++) /* by hand: sorting is constexpr in C++20 only */
		for (size_t j = i + 1; j < a.size(); j++)
			if (std::max(a[i], a[j]) == a[i] && a[i] != a[j]) {
				int t = a[i];
				a[i] = a[j];
				a[j] = t;
			}
	auto [low, high] = std::minmax(a[1], a[5]);
	return std::clamp(a[3], low, high) * 1000 + a.front() * 10 + a.back();
}

__device__ int visits(int lane)
{
	static int all = 40; /* one for the program */
	static __shared__ int here;
	if (lane == 0)
		here = 3;
	__syncwarp();
	return atomicAdd(&all, 0) + here;
}

__global__ void run(double *out, std::complex<float> *roots, std::complex<double> *wide, int *alive)
{
	int t = threadIdx.x;
	roots[t] = quadratic<float>(1, t % 5, t);
	wide[t] = quadratic<double>(2, t - 7, t % 3);
	out[t] = measured(value_of(t));
	constexpr std::string_view texts[] = {"one 2 three 44!", "", "seven  8", "no"};
	out[t] += words(texts[t % 4]) + arranged(t);

	int n = t % 5 + 1;
	Tracked *list = new Tracked[n];
	for (int i = 0; i < n; i++)
		list[i].alive = alive + t, alive[t] += list[i].value;
	delete[] list;
	long double wider = t; /* a double here */
	out[t] += (double)(wider / 8) + visits(t);
}

int main()
{
	const int n = 32;
	double *out = shared_array<double>(n);
	auto *roots = shared_array<std::complex<float>>(n);
	auto *wide = shared_array<std::complex<double>>(n);
	int *alive = shared_array<int>(n);
	run<<<1, n>>>(out, roots, wide, alive);
	finish_kernel();
	static constexpr std::string_view texts[] = {"one 2 three 44!", "", "seven  8", "no"};
	for (int t = 0; t < n; t++) {
		double want = measured(value_of(t)) + words(texts[t % 4]) + arranged(t) + t / 8.0 + 43;
		expect(out[t] == want, "values", t);
		expect(alive[t] == 4 * (t % 5 + 1), "objects", t);
		expect(std::abs(roots[t] - quadratic<float>(1, t % 5, t)) < 1e-5f, "float roots", t);
		expect(std::abs(wide[t] - quadratic<double>(2, t - 7, t % 3)) < 1e-13, "double roots", t);
	}
	puts("PASSED");
}
