/* thrust without a toolkit: complex numbers. */
#ifndef HEDDLE_THRUST_COMPLEX_H
#define HEDDLE_THRUST_COMPLEX_H

#include "base.h"

#include <cmath>
#include <complex>
#include <iostream>

namespace thrust
{

template <class T>
struct alignas(2 * sizeof(T)) complex {
	typedef T value_type;
	T re, im;
	HD_BOTH complex(const T &real = T(), const T &imaginary = T()) : re(real), im(imaginary) {}
	template <class U>
	HD_BOTH complex(const complex<U> &z) : re((T)z.re), im((T)z.im)
	{
	}
	complex(const std::complex<T> &z) : re(z.real()), im(z.imag()) {}
	operator std::complex<T>() const { return std::complex<T>(re, im); }
	HD_BOTH T real() const { return re; }
	HD_BOTH T imag() const { return im; }
	HD_BOTH void real(T x) { re = x; }
	HD_BOTH void imag(T x) { im = x; }
	HD_BOTH complex &operator+=(const complex &z) { return *this = *this + z; }
	HD_BOTH complex &operator-=(const complex &z) { return *this = *this - z; }
	HD_BOTH complex &operator*=(const complex &z) { return *this = *this * z; }
	HD_BOTH complex &operator/=(const complex &z) { return *this = *this / z; }
	HD_BOTH friend complex operator+(const complex &a) { return a; }
	HD_BOTH friend complex operator-(const complex &a) { return complex(-a.re, -a.im); }
	HD_BOTH friend complex operator+(const complex &a, const complex &b)
	{
		return complex(a.re + b.re, a.im + b.im);
	}
	HD_BOTH friend complex operator-(const complex &a, const complex &b)
	{
		return complex(a.re - b.re, a.im - b.im);
	}
	HD_BOTH friend complex operator*(const complex &a, const complex &b)
	{
		return complex(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
	}
	/* R. L. Smith's method, which does not overflow in between. */
	HD_BOTH friend complex operator/(const complex &a, const complex &b)
	{
		bool wide = (b.re < 0 ? -b.re : b.re) >= (b.im < 0 ? -b.im : b.im);
		T ratio = wide ? b.im / b.re : b.re / b.im, scale = wide ? b.re + b.im * ratio : b.re * ratio + b.im;
		return wide ? complex((a.re + a.im * ratio) / scale, (a.im - a.re * ratio) / scale)
			    : complex((a.re * ratio + a.im) / scale, (a.im * ratio - a.re) / scale);
	}
	HD_BOTH friend bool operator==(const complex &a, const complex &b) { return a.re == b.re && a.im == b.im; }
	HD_BOTH friend bool operator!=(const complex &a, const complex &b) { return !(a == b); }
	friend std::ostream &operator<<(std::ostream &out, const complex &z)
	{
		return out << '(' << z.re << ',' << z.im << ')';
	}
};

template <class T>
HD_BOTH T norm(const complex<T> &z)
{
	return z.re * z.re + z.im * z.im;
}
template <class T>
HD_BOTH T abs(const complex<T> &z)
{
	return ::hypot(z.re, z.im);
}
template <class T>
HD_BOTH T arg(const complex<T> &z)
{
	return ::atan2(z.im, z.re);
}
template <class T>
HD_BOTH complex<T> conj(const complex<T> &z)
{
	return complex<T>(z.re, -z.im);
}
template <class T>
HD_BOTH complex<T> polar(const T &length, const T &angle = T())
{
	return complex<T>(length * ::cos(angle), length * ::sin(angle));
}
template <class T>
HD_BOTH complex<T> exp(const complex<T> &z)
{
	return polar((T)::exp(z.re), z.im);
}
template <class T>
HD_BOTH complex<T> log(const complex<T> &z)
{
	return complex<T>(::log(abs(z)), arg(z));
}
template <class T>
HD_BOTH complex<T> sqrt(const complex<T> &z)
{
	return polar((T)::sqrt(abs(z)), arg(z) / 2);
}
template <class T>
HD_BOTH complex<T> pow(const complex<T> &z, const T &power)
{
	return exp(complex<T>(power) * log(z));
}
template <class T>
HD_BOTH complex<T> pow(const complex<T> &z, const complex<T> &power)
{
	return exp(power * log(z));
}

} // namespace thrust

#endif
