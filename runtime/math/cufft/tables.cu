/*
 * Tables of plans: roots of unity and chirps, computed by the host in long double and rounded once, but for the chirp's
 * transform, which is a transform in double.
 */
#include <cmath>
#include <complex>

#include "runtime/math/cufft/plan.cuh"

namespace hd_fft {

using number = std::complex<double>;

/* exp(-2 pi i k / n): the angle is brought into an eighth of a turn, where it is exact to the last place. */
static number root(int64_t k, int64_t n)
{
	const long double pi = 3.141592653589793238462643383279502884L;
	k %= n;
	int64_t eighth = 8 * k / n;
	int64_t quarter = (eighth + 1) / 2; /* of a turn, nearest */
	long double angle = 2 * pi * (long double)(4 * k - quarter * n) / (4 * (long double)n);
	long double c = cosl(angle), s = sinl(angle);
	switch (quarter & 3) {
	case 0: return number((double)c, (double)-s);
	case 1: return number((double)-s, (double)-c);
	case 2: return number((double)-c, (double)s);
	default: return number((double)s, (double)c);
	}
}

int64_t chirp_length(int64_t n)
{
	int64_t length = 2;
	while (length < 2 * n - 1)
		length *= 2;
	return length;
}

int64_t low_count(int64_t n)
{
	int64_t count = 1;
	while (count * count < n)
		count *= 2;
	return count;
}

/* exp(-pi i k^2 / n) */
static number chirp(int64_t k, int64_t n)
{
	return root((int64_t)((unsigned __int128)k * k % (2 * n)), 2 * n);
}

static void transform_host(std::vector<number> &x)
{
	size_t n = x.size();
	for (size_t i = 1, j = 0; i < n; i++) {
		size_t bit = n >> 1;
		for (; j & bit; bit >>= 1)
			j ^= bit;
		j ^= bit;
		if (i < j)
			std::swap(x[i], x[j]);
	}
	std::vector<number> roots(n / 2 + 1);
	for (size_t k = 0; k < roots.size(); k++)
		roots[k] = root((int64_t)k, (int64_t)n);
	for (size_t half = 1; half < n; half *= 2)
		for (size_t first = 0; first < n; first += 2 * half)
			for (size_t k = 0; k < half; k++) {
				number a = x[first + k], w = roots[k * (n / (2 * half))], b = x[first + half + k];
				b = number(b.real() * w.real() - b.imag() * w.imag(),
					   b.real() * w.imag() + b.imag() * w.real());
				x[first + k] = a + b;
				x[first + half + k] = a - b;
			}
}

static std::vector<number> values_of(char kind, int64_t n)
{
	std::vector<number> values;
	int64_t low = low_count(n), length = chirp_length(n);
	switch (kind) {
	case 'r':
		for (int64_t k = 0; k < n; k++)
			values.push_back(root(k, n));
		break;
	case 'l':
		for (int64_t k = 0; k < low; k++)
			values.push_back(root(k, n));
		break;
	case 'h':
		for (int64_t k = 0; k * low < n; k++)
			values.push_back(root(k * low, n));
		break;
	case 'c':
		for (int64_t k = 0; k < n; k++)
			values.push_back(chirp(k, n));
		break;
	case 't': /* of the conjugate chirp, around 0, and over its length for the way back */
		values.resize((size_t)length);
		for (int64_t k = 0; k < n; k++)
			values[(size_t)k] = values[(size_t)((length - k) % length)] =
				std::conj(chirp(k, n)) / (double)length;
		transform_host(values);
		break;
	}
	return values;
}

template <class C> static bool upload(table &table, const std::vector<number> &values)
{
	std::vector<C> rounded(values.size());
	for (size_t i = 0; i < values.size(); i++)
		rounded[i] = C{(real_of<C>)values[i].real(), (real_of<C>)values[i].imag()};
	return cudaMalloc(&table.data, values.size() * sizeof(C)) == cudaSuccess &&
	       cudaMemcpy(table.data, rounded.data(), values.size() * sizeof(C), cudaMemcpyHostToDevice) == cudaSuccess;
}

const void *table_of(plan &plan, char kind, int64_t n)
{
	std::unique_ptr<table> &table = plan.tables[{kind, n}];
	if (!table) {
		table.reset(new struct table);
		std::vector<number> values = values_of(kind, n);
		if (!(plan.is_double() ? upload<double2>(*table, values) : upload<float2>(*table, values)))
			table.reset();
	}
	return table ? table->data : nullptr;
}

} // namespace hd_fft
