// Corners of C++ that few kernels reach, one function each, the same on both sides: over-aligned objects in recursion,
// bit-fields of every kind, odd switches, loops entered in the middle, volatile, unions of vectors, long chains of
// short circuits, shifts and casts between widths, strings, signed characters, designated states, references to members
// and arrays.
#include "common.h"
#include <array>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

typedef uint64_t u64;
typedef uint32_t u32;
#define BOTH __host__ __device__
#define APART __host__ __device__ __noinline__

BOTH inline u64 mixed(u64 h, u64 v)
{
	h ^= v + 0x9e3779b97f4a7c15 + (h << 6) + (h >> 2);
	return h * 0xff51afd7ed558ccd;
}

// Over-aligned objects in frames of a depth that is not known.
struct alignas(64) Wide {
	u32 v[20];
	char tail;
};
APART u64 aligned(u64 x, int depth)
{
	Wide a, *list[2] = {&a, nullptr};
	alignas(32) unsigned char bytes[40];
	for (int i = 0; i < 20; i++)
		a.v[i] = (u32)(x >> i) * (u32)(i + depth);
	for (int i = 0; i < 40; i++)
		bytes[i] = (unsigned char)(x >> (i & 31));
	Wide b = *list[0];
	b.v[x % 20] ^= 77;
	u64 below = depth ? aligned(x * 3 + 1, depth - 1) : 5;
	return mixed(below, (u64)a.v[x % 20] + b.v[(x + 1) % 20] + bytes[x % 40]) + ((uintptr_t)&a % 64) +
	       ((uintptr_t)bytes % 32);
}

struct Bits {
	int64_t a : 47;
	uint64_t b : 17;
	unsigned char c : 3;
	signed char d : 5;
	unsigned : 0;
	bool e : 1;
	int f : 31;
	volatile unsigned g : 9;
	enum Kind : unsigned short { ONE = 1, LARGE = 500 } h : 10;
};
APART u64 fields(u64 x)
{
	Bits s = {};
	s.a = (int64_t)x;
	s.b = x >> 3;
	s.c = x >> 9;
	s.d = (signed char)(x >> 11);
	s.e = x & 4;
	s.f = (int)(x >> 20);
	s.g = x >> 40;
	s.h = x & 1 ? Bits::LARGE : Bits::ONE;
	s.a -= s.d;
	s.b += s.c--;
	s.d <<= 1;
	s.f /= 3;
	s.g = s.g * 5 + s.g;
	Bits t = s;
	t.e = !t.e;
	return mixed(mixed((u64)t.a, t.b), mixed((u64)(t.c * 64 + t.d), (u64)t.f * 2 + t.e)) + t.g + t.h;
}

// Cases that are far apart, negative, ranges, of 64 bits and of a type that is narrow.
APART u64 cases(u64 x)
{
	u64 r = 0;
	switch ((int)x) {
	case INT32_MIN:
		r = 1;
		break;
	case -100 ... - 90:
		r = 2;
		break;
	case -1:
		r = 3;
		[[fallthrough]];
	case 0:
		r += 4;
		break;
	case INT32_MAX:
		r = 5;
	}
	switch ((int64_t)x >> 3) {
	case INT64_MIN >> 3:
		r += 10;
		break;
	case 1ll << 40:
		r += 20;
		break;
	case -(1ll << 40)... - (1ll << 39):
		r += 30;
		break;
	default:
		r += x & 7;
	}
	switch ((signed char)x) {
	case -128:
		r *= 3;
		break;
	case 'a' ... 'f':
		r *= 5;
		break;
	case 127:
	case -127:
		return ~r;
	}
	switch (x & 1 ? x % 5 == 2 : x % 3 == 1) {
	case true:
		r ^= 0xf0f0;
	}
	return r;
}

// Into the middle of a loop, as in Duff's device, and out of two at once.
APART u64 entered(u64 x)
{
	u32 count = (u32)(x % 23) + 1, n = (count + 7) / 8;
	u64 sum = 0, v = x;
	switch (count % 8) {
	case 0:
		do {
			sum = mixed(sum, v++);
		case 7:
			sum = mixed(sum, v++ ^ 1);
		case 6:
			sum = mixed(sum, v++);
		case 5:
			sum += v++;
		case 4:
			sum = mixed(sum, v++);
		case 3:
			sum ^= v++;
		case 2:
			sum = mixed(sum, v++);
		case 1:
			sum -= v++;
		} while (--n > 0);
	}
	for (int i = 0; i < 9; i++)
		for (int j = i;; j++) {
			sum += (u64)i * j;
			if ((sum >> (j & 31)) % 11 == 3)
				goto done;
			if (j > i + 4)
				break;
		}
done:
	return sum;
}

union Pun {
	uint4 q;
	double2 d;
	u64 w[2];
	unsigned char b[16];
	struct {
		float x;
		short y[2];
		u64 z : 40;
	} s;
};
APART u64 puns(u64 x)
{
	Pun p = {}, *volatile hidden = &p;
	p.q = make_uint4((u32)x, (u32)(x >> 32), 7, 9);
	hidden->b[x % 16] ^= 0x5a;
	p.s.y[x & 1] = (short)(p.s.y[~x & 1] * 3);
	p.s.z += 11;
	Pun c = *hidden;
	return mixed(mixed(c.w[0], c.w[1]), (u64)(c.s.x == c.s.x ? c.s.y[0] : c.b[3]) + p.q.w);
}

APART u64 shifts(u64 x)
{
	int8_t a = (int8_t)x;
	uint16_t b = (uint16_t)(x >> 8);
	int16_t c = (int16_t)(x >> 24);
	__int128 d = (__int128)(int64_t)x << (x & 63);
	unsigned s = (unsigned)(x >> 58);
	u64 r = (u64)(a << 3) + (u64)(b >> (s & 15)) + (u64)(c >> (s & 15)) + (u64)((uint8_t)a >> 2);
	r = mixed(r, (u64)(d >> (s + 1)) ^ (u64)((unsigned __int128)d >> (127 - s)));
	r += (u64)(int)(char)(x >> 16) + (u64)(unsigned char)(x >> 16) + (u64)(a / (b | 1)) + (u64)(c % (a | 1));
	bool carry = __builtin_add_overflow((int)x, (int)(x >> 32), &c);
	return r * 2 + carry + (u64)c;
}

// Text: lengths, searches, numbers in any base, in tables of pointers.
APART int length(const char *s)
{
	const char *p = s;
	while (*p)
		p++;
	return (int)(p - s);
}
APART u64 texts(u64 x)
{
	static constexpr const char *words[][2] = {{"zero", "null"},
						   {"one", "eins"},
						   {"", "zwei\0hidden"},
						   {"thr\xe9\x80", u8"drei\u00fc"}};
	const char *w = words[x & 3][x >> 2 & 1];
	char digits[66], *p = digits + 65;
	unsigned base = (unsigned)(x >> 5) % 35 + 2;
	u64 v = x, r = (u64)length(w);
	*p = 0;
	do
		*--p = "0123456789abcdefghijklmnopqrstuvwxyz"[v % base];
	while (v /= base);
	for (const char *c = p; *c; c++)
		r = mixed(r, (u64)*c);
	for (int i = 0; w[i]; i++)
		r = mixed(r, (u64)(w[i] < 0 ? -w[i] : w[i] * 3)); /* char is signed on both sides */
	return r + (u64)length(p) + sizeof("abc") + (u64) __FUNCTION__[0];
}

// References, arrays by reference, structured bindings, members by pointer, conversions, comma and conditional lvalues.
struct Base {
	int first;
	BOTH explicit operator bool() const
	{
		return first & 1;
	}
	BOTH int operator[](int i) const
	{
		return (int)((unsigned)first + (unsigned)i);
	}
	BOTH Base operator++(int)
	{
		Base old = *this;
		first = (int)((unsigned)first + 3);
		return old;
	}
};
struct Derived : Base {
	long long second[3];
	BOTH long long &at(int i)
	{
		return second[i];
	}
	BOTH operator long long() const
	{
		return (long long)((u64)second[0] - (u64)second[2]);
	}
};
template <typename T, size_t N>
BOTH T total(const T (&a)[N])
{
	std::make_unsigned_t<T> sum = N;
	for (const T &v : a)
		sum += (std::make_unsigned_t<T>)v;
	return (T)sum;
}
APART u64 members(u64 x)
{
	Derived d = {{(int)x}, {(long long)x, 2, (long long)(x >> 7)}};
	long long &ref = x & 8 ? d.at(1) : d.at(2), Derived::*none = nullptr;
	int Base::*first = &Base::first;
	ref = (long long)((u64)ref + (u64)d++.first);
	(x & 16 ? d.second[0] : ref) ^= 0x55;
	auto [p, q] = std::make_pair(d.*first, d[4]);
	std::array<short, 5> list = {1, -2, (short)x};
	std::tuple<char, u64, float> t = {'c', x, 2.5f};
	int grid[3][4] = {{1, 2}, {}, {5, 6, 7, (int)x}};
	(void)none;
	u64 r = (u64)total(d.second) + (u64)p * 3 + (u64)q + (u64)(long long)d + (d ? 100 : 200) + (u64)list[x % 5];
	for (auto &row : grid)
		r = mixed(r, (u64)total(row));
	return r + std::get<1>(t) + (u64)std::get<2>(t) + sizeof(t);
}

// What is evaluated, and how often.
struct Counter {
	int *count;
	BOTH bool operator()(bool v) const
	{
		return ++*count, v;
	}
};
APART u64 lazily(u64 x)
{
	int count = 0;
	Counter c = {&count};
	bool a = x & 1, b = x & 2, d = x & 4, e = x & 8;
	bool r = (c(a) && c(b)) || (c(d) && !c(e)) ? c(a != e) || c(b) : !(c(d) || (c(e) && c(a)));
	int n = a ? b ? d ? 1 : 2 : e ? 3 : 4 : d && e ? 5 : 6;
	u64 k = x;
	while (k && (k & 1 || (k >>= 1, c(true))) && !(c(k % 7 == 0) && k > 9))
		k = k * 5 / 8;
	return (u64)count * 1000 + (u64)n * 10 + r + mixed(k, 3);
}

// Kept where everyone can see it.
APART u64 volatiles(u64 x)
{
	volatile u64 v = x;
	volatile unsigned char bytes[9] = {};
	volatile struct {
		short a;
		double d;
	} s = {};
	for (int i = 0; i < 9; i++)
		bytes[(i * 4) % 9] = (unsigned char)(v >> i * 7);
	v = v + 1;
	s.a = (short)v;
	s.d = s.a * 0.5;
	u64 sum = v;
	for (int i = 0; i < 9; i++)
		sum = sum * 3 + bytes[i];
	return sum + (u64)(int64_t)s.d;
}

// Types at compile time, recursion of templates, folding, limits.
template <unsigned N>
struct Fibonacci {
	static constexpr u64 value = Fibonacci<N - 1>::value + Fibonacci<N - 2>::value;
};
template <>
struct Fibonacci<0> {
	static constexpr u64 value = 0;
};
template <>
struct Fibonacci<1> {
	static constexpr u64 value = 1;
};
template <typename T>
BOTH u64 extremes(u64 x)
{
	T low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max(), v = (T)x;
	if constexpr (std::is_signed<T>::value)
		return (u64)(v == low ? high : (T)(v < 0 ? -v : v)) + sizeof(T);
	else
		return (u64)(T)(high - v) ^ (u64)low;
}
template <typename... Ts>
BOTH u64 all_extremes(u64 x)
{
	return (extremes<Ts>(x) ^ ...);
}
APART u64 templates(u64 x)
{
	return all_extremes<int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, char, bool>(x) +
	       Fibonacci<70>::value + Fibonacci<30>::value % (x | 1);
}

// Floats: compares that are not orders, signed zeros, conversions at the edges, sums kept apart by volatile.
APART u64 reals(u64 x)
{
	float f = (float)(int32_t)x / 3, g = -f, zero = x & 1 ? -0.0f : 0.0f;
	double d = (double)(int64_t)x, nan = zero / (zero + 0 * d);
	volatile float one = 1.0f / 3;
	u64 r = (u64)(f < g) + 2 * (u64) !(nan < 1) + 4 * (u64)(nan != nan) + 8 * (u64)(1 / zero < 0) +
		16 * (u64)(zero == -zero);
	float h;
	u32 bits;
	h = one * 3;
	memcpy(&bits, &h, 4);
	r = mixed(r, bits);
	r += (u64)(int64_t)(d / 16) + (u64)(float)(u32)x + (u64)(int)(f / 1024) + (u64)(double)(x >> 12);
	return r + (d > 0 ? (u64)d >> 3 : 1);
}

typedef u64 (*Corner)(u64);
BOTH u64 aligned_some(u64 x)
{
	return aligned(x, (int)(x % 4));
}

enum { FUNCTIONS = 12 };
BOTH u64 corner(int which, u64 x)
{
	switch (which) {
	case 0:
		return aligned_some(x);
	case 1:
		return fields(x);
	case 2:
		return cases(x);
	case 3:
		return entered(x);
	case 4:
		return puns(x);
	case 5:
		return shifts(x);
	case 6:
		return texts(x);
	case 7:
		return members(x);
	case 8:
		return lazily(x);
	case 9:
		return volatiles(x);
	case 10:
		return templates(x);
	default:
		return reals(x);
	}
}
__global__ void directly(const u64 *in, u64 *out)
{
	for (int k = 0; k < FUNCTIONS; k++)
		out[threadIdx.x * FUNCTIONS + k] = corner(k, in[threadIdx.x]);
}
__device__ Corner const table[FUNCTIONS] = {aligned_some, fields,  cases,  entered,   puns,	 shifts,
					    texts,	  members, lazily, volatiles, templates, reals};
// Each lane another function at a time.
__global__ void by_pointer(const u64 *in, u64 *out)
{
	for (int k = 0; k < FUNCTIONS; k++) {
		int which = (threadIdx.x + k) % FUNCTIONS;
		out[threadIdx.x * FUNCTIONS + which] ^= table[which](in[threadIdx.x]) + 1;
	}
}

int main()
{
	static const u64 chosen[] = {0,	 1,	     ~0ull,	    1ull << 63, 0x80000000, 0x7fffffff, 0xffffff9c,
				     97, 1ull << 43, -(5ull << 41), 127,	0x81,	    0xff80};
	const int n = 64, most = (int)(sizeof chosen / sizeof *chosen);
	u64 *in = shared_array<u64>(n), *out = shared_array<u64>(n * FUNCTIONS), seed = 7;
	for (int i = 0; i < n; i++)
		in[i] = i < most ? chosen[i] : (seed = mixed(seed, (u64)i));
	directly<<<1, n>>>(in, out);
	finish_kernel();
	for (int i = 0; i < n * FUNCTIONS; i++)
		expect(out[i] == corner(i % FUNCTIONS, in[i / FUNCTIONS]), "corner", i);
	by_pointer<<<1, n>>>(in, out);
	finish_kernel();
	for (int i = 0; i < n * FUNCTIONS; i++) {
		u64 want = corner(i % FUNCTIONS, in[i / FUNCTIONS]);
		expect(out[i] == (want ^ (want + 1)), "by pointer", i);
	}
	puts("PASSED");
}
