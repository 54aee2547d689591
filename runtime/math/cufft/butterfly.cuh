/*
 * Discrete Fourier transforms of 2 to 8 numbers in registers, forward (exp(-2 pi i / R)). Odd ones pair the terms r and
 * R - r: their sum goes with the cosine, their difference with the sine.
 */
#pragma once

#include "runtime/math/common/scalar.cuh"

namespace hd_fft {

using namespace hd_math;

/* a times -i. */
template <class C> __device__ inline C turn(C a)
{
	return C{a.y, -a.x};
}

template <class C> __device__ inline C times(C a, C w)
{
	C result;
	result.x = multiply_add(-a.y, w.y, a.x * w.x);
	result.y = multiply_add(a.y, w.x, a.x * w.y);
	return result;
}

template <class C> __device__ inline void pair(C &a, C &b)
{
	C sum = a + b;
	b = a - b;
	a = sum;
}

template <int R> struct angles;
template <> struct angles<3> {
	static constexpr double cosine[] = {-0.5}, sine[] = {0.86602540378443864676};
};
template <> struct angles<5> {
	static constexpr double cosine[] = {0.30901699437494742410, -0.80901699437494742410},
				sine[] = {0.95105651629515357212, 0.58778525229247312917};
};
template <> struct angles<7> {
	static constexpr double cosine[] = {0.62348980185873353053, -0.22252093395631440429, -0.90096886790241912624},
				sine[] = {0.78183148246802980871, 0.97492791218182360702, 0.43388373911755812048};
};

/* cos(2 pi k / R) and the sine of that, for every k. */
template <int R> __host__ __device__ constexpr double cosine(int k)
{
	k %= R;
	return k == 0 ? 1 : angles<R>::cosine[(2 * k < R ? k : R - k) - 1];
}

template <int R> __host__ __device__ constexpr double sine(int k)
{
	k %= R;
	return k == 0 ? 0 : 2 * k < R ? angles<R>::sine[k - 1] : -angles<R>::sine[R - k - 1];
}

template <int R, class C> __device__ inline void transform_odd(C (&v)[R])
{
	using real = real_of<C>;
	C sums[R / 2], differences[R / 2], first = v[0];
#pragma unroll
	for (int r = 1; r <= R / 2; r++) {
		sums[r - 1] = v[r] + v[R - r];
		differences[r - 1] = v[r] - v[R - r];
		first = first + sums[r - 1];
	}
#pragma unroll
	for (int k = 1; k <= R / 2; k++) {
		C even = v[0], odd = C{};
#pragma unroll
		for (int r = 1; r <= R / 2; r++) {
			real c = (real)cosine<R>(k * r), s = (real)sine<R>(k * r);
			even.x = multiply_add(c, sums[r - 1].x, even.x);
			even.y = multiply_add(c, sums[r - 1].y, even.y);
			odd.x = multiply_add(s, differences[r - 1].x, odd.x);
			odd.y = multiply_add(s, differences[r - 1].y, odd.y);
		}
		odd = turn(odd);
		/* v[0] is still read by the next k, and the others are not. */
		v[k] = even + odd;
		v[R - k] = even - odd;
	}
	v[0] = first;
}

template <class C> __device__ inline void transform(C (&v)[2])
{
	pair(v[0], v[1]);
}

template <class C> __device__ inline void transform(C (&v)[3])
{
	transform_odd<3>(v);
}

template <class C> __device__ inline void transform(C (&v)[5])
{
	transform_odd<5>(v);
}

template <class C> __device__ inline void transform(C (&v)[7])
{
	transform_odd<7>(v);
}

template <class C> __device__ inline void transform(C (&v)[4])
{
	pair(v[0], v[2]);
	pair(v[1], v[3]);
	v[3] = turn(v[3]);
	pair(v[0], v[1]);
	pair(v[2], v[3]);
	C second = v[1];
	v[1] = v[2];
	v[2] = second;
}

template <class C> __device__ inline void transform(C (&v)[8])
{
	const real_of<C> half = (real_of<C>)0.70710678118654752440;
	C even[4] = {v[0], v[2], v[4], v[6]}, odd[4] = {v[1], v[3], v[5], v[7]};
	transform(even);
	transform(odd);
	odd[1] = C{(odd[1].x + odd[1].y) * half, (odd[1].y - odd[1].x) * half};
	odd[2] = turn(odd[2]);
	odd[3] = C{(odd[3].y - odd[3].x) * half, (-odd[3].x - odd[3].y) * half};
#pragma unroll
	for (int k = 0; k < 4; k++) {
		v[k] = even[k] + odd[k];
		v[k + 4] = even[k] - odd[k];
	}
}

} // namespace hd_fft
