// Random numbers: Philox with __umulhi, PCG with 128-bit products, xorwow, a lagged Fibonacci generator in local
// memory; Monte Carlo sums of integers, which the host repeats to the bit, and of floats, to their mean.
#include "common.h"
#include <cmath>

#ifdef __CUDA_ARCH__
#define HIGH32(a, b) __umulhi(a, b)
#define HIGH64(a, b) __umul64hi(a, b)
#else
#define HIGH32(a, b) (unsigned)((unsigned long long)(a) * (b) >> 32)
#define HIGH64(a, b) (unsigned long long)((unsigned __int128)(a) * (b) >> 64)
#endif

__host__ __device__ uint4 philox(uint4 counter, uint2 key)
{
#pragma unroll 1
	for (int round = 0; round < 10; round++) {
		unsigned h0 = HIGH32(0xD2511F53u, counter.x), l0 = 0xD2511F53u * counter.x;
		unsigned h1 = HIGH32(0xCD9E8D57u, counter.z), l1 = 0xCD9E8D57u * counter.z;
		counter = make_uint4(h1 ^ counter.y ^ key.x, l1, h0 ^ counter.w ^ key.y, l0);
		key.x += 0x9E3779B9u;
		key.y += 0xBB67AE85u;
	}
	return counter;
}

struct Pcg {
	unsigned __int128 state;
	__host__ __device__ unsigned long long next()
	{
		const unsigned __int128 multiplier =
			(unsigned __int128)2549297995355413924u << 64 | 4865540595714422341u;
		state = state * multiplier + 0x5851f42d4c957f2du;
		unsigned long long x = (unsigned long long)(state >> 64) ^ (unsigned long long)state;
		unsigned turn = (unsigned)(state >> 122);
		return x >> turn | x << (-turn & 63);
	}
	// Below a bound, without bias.
	__host__ __device__ unsigned long long below(unsigned long long bound)
	{
		for (;;) {
			unsigned long long x = next(), low = x * bound;
			if (low >= -bound % bound)
				return HIGH64(x, bound);
		}
	}
	__host__ __device__ void skip(unsigned long long steps)
	{
		const unsigned __int128 multiplier =
			(unsigned __int128)2549297995355413924u << 64 | 4865540595714422341u;
		unsigned __int128 a = 1, c = 0, m = multiplier, p = 0x5851f42d4c957f2du;
		for (; steps; steps >>= 1) {
			if (steps & 1)
				a *= m, c = c * m + p;
			p = (m + 1) * p;
			m *= m;
		}
		state = a * state + c;
	}
};

struct Xorwow {
	unsigned v[5], d;
	__host__ __device__ unsigned operator()()
	{
		unsigned t = v[0] ^ v[0] >> 2;
		v[0] = v[1], v[1] = v[2], v[2] = v[3], v[3] = v[4];
		v[4] = (v[4] ^ v[4] << 4) ^ (t ^ t << 1);
		d += 362437;
		return d + v[4];
	}
};

// x[n] = x[n-24] - x[n-55] - carry, in a ring of local memory.
struct Lagged {
	unsigned ring[55];
	int at;
	bool carry;
	__host__ __device__ explicit Lagged(unsigned seed) : at(0), carry(false)
	{
		for (int i = 0; i < 55; i++)
			ring[i] = seed = seed * 69069u + 1234567u;
	}
	__host__ __device__ unsigned next()
	{
		unsigned a = ring[(at + 31) % 55], b = ring[at], x = a - b - carry;
		carry = a < b || (a == b && carry);
		ring[at] = x;
		at = at == 54 ? 0 : at + 1;
		return x;
	}
};

struct Result {
	uint4 words;
	unsigned long long below, skipped, inside;
	unsigned wow, lagged;
	long long walk;
	unsigned shuffled;
};

__host__ __device__ Result draw(unsigned i)
{
	Result r = {};
	r.words = philox(make_uint4(i, ~i, 7, i * i), make_uint2(i ^ 0x5555, 99));
	Pcg a = {(unsigned __int128)i << 70 | i * 77u};
	for (int k = 0; k < 40; k++) {
		r.below += a.below((3ull << 62) + i);
		r.walk += (long long)a.below(2001) - 1000;
	}
	Pcg b = {12345};
	b.skip((unsigned long long)i << 40 | 1001);
	r.skipped = b.next();
	Xorwow w = {{i, 2, 3, 4, 5}, 6};
	for (int k = 0; k < 100; k++) {
		unsigned x = w(), y = w();
		r.inside += (unsigned long long)x * x / 2 + (unsigned long long)y * y / 2 < 1ull << 63;
		r.wow ^= x * (y | 1);
	}
	Lagged lagged(i);
	unsigned char deck[52];
	for (int k = 0; k < 120; k++)
		r.lagged = r.lagged * 3 + lagged.next();
	for (int k = 0; k < 52; k++)
		deck[k] = (unsigned char)k;
	for (int k = 51; k > 0; k--) {
		int j = (int)(lagged.next() % (unsigned)(k + 1));
		unsigned char t = deck[k];
		deck[k] = deck[j];
		deck[j] = t;
	}
	for (int k = 0; k < 52; k++)
		r.shuffled = r.shuffled * 53 + deck[k];
	return r;
}

__global__ void generate(Result *out, int n, double *mean, unsigned long long *inside)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= (unsigned)n)
		return;
	out[i] = draw(i);
	atomicAdd(inside, out[i].inside);
	/* Box and Muller: two normal numbers, their square and product */
	float u = (out[i].words.x >> 8) * 0x1p-24f + 0x1p-25f, v = (out[i].words.y >> 8) * 0x1p-24f, s, c;
	sincosf(6.2831853f * v, &s, &c);
	float radius = sqrtf(-2 * logf(u));
	atomicAdd(mean, (double)(radius * s) * (radius * s) + (radius * c) * (radius * c));
}

int main()
{
	const int n = 150;
	Result *got = shared_array<Result>(n);
	double *mean = shared_array<double>(1), wanted = 0;
	unsigned long long *inside = shared_array<unsigned long long>(1), count = 0;
	generate<<<3, 64>>>(got, n, mean, inside);
	finish_kernel();
	for (int i = 0; i < n; i++) {
		Result want = draw((unsigned)i);
		expect(!memcmp(&want.words, &got[i].words, 16), "philox", i);
		expect(want.below == got[i].below && want.walk == got[i].walk && want.skipped == got[i].skipped, "pcg",
		       i);
		expect(want.wow == got[i].wow && want.inside == got[i].inside, "xorwow", i);
		expect(want.lagged == got[i].lagged && want.shuffled == got[i].shuffled, "lagged", i);
		count += want.inside;
		wanted += -2 * log((want.words.x >> 8) * 0x1p-24 + 0x1p-25);
	}
	expect(count == *inside, "inside", (long long)*inside);
	expect(fabs(*mean / wanted - 1) < 1e-5, "mean", -1);
	puts("PASSED");
}
