// Digests and ciphers: SHA-256 unrolled, ChaCha20 in registers, AES with tables made at compile time in constant and
// shared memory, CRC by tables and by bits, all on unaligned messages of every length. Known answers, and the host's
// own.
#include "common.h"
#include <string>

typedef unsigned char u8;
typedef unsigned int u32;

__host__ __device__ constexpr u32 right(u32 x, int n)
{
	return x >> n | x << (32 - n);
}
__host__ __device__ inline u32 big_endian(const u8 *p)
{
	u32 w;
	memcpy(&w, p, 4);
#ifdef __CUDA_ARCH__
	return __byte_perm(w, 0, 0x0123);
#else
	return __builtin_bswap32(w);
#endif
}

// The first bits of the roots of primes, by Newton's steps on whole numbers.
struct Constants {
	u32 k[64], h[8];
};
constexpr unsigned long long root(unsigned long long n, int degree)
{ /* floor of the root of n * 2^(32 * degree), n small */
	unsigned long long low = 0, high = 1ull << 36;
	while (low < high) {
		unsigned long long middle = (low + high + 1) / 2;
		unsigned __int128 p = (unsigned __int128)middle * middle;
		bool below;
		if (degree == 2) {
			below = p <= (unsigned __int128)n << 64;
		} else { /* p * middle <= n << 96, with 108 bits on both sides */
			below = p * middle <= (unsigned __int128)n << 96;
		}
		if (below)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}
constexpr Constants constants()
{
	Constants c = {};
	int count = 0;
	for (unsigned n = 2; count < 64; n++) {
		bool prime = true;
		for (unsigned d = 2; d * d <= n; d++)
			prime &= n % d != 0;
		if (!prime)
			continue;
		c.k[count] = (u32)root(n, 3);
		if (count < 8)
			c.h[count] = (u32)root(n, 2);
		count++;
	}
	return c;
}
__device__ constexpr Constants device_sha = constants();
static constexpr Constants host_sha = constants();

__host__ __device__ void sha_block(u32 *h, const u8 *block)
{
#ifdef __CUDA_ARCH__
	const u32 *k = device_sha.k;
#else
	const u32 *k = host_sha.k;
#endif
	u32 w[16], v[8];
#pragma unroll
	for (int i = 0; i < 16; i++)
		w[i] = big_endian(block + 4 * i);
#pragma unroll
	for (int i = 0; i < 8; i++)
		v[i] = h[i];
#pragma unroll
	for (int i = 0; i < 64; i++) {
		u32 s1 = right(v[4], 6) ^ right(v[4], 11) ^ right(v[4], 25), choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
		u32 t1 = v[7] + s1 + choice + k[i] + w[i % 16];
		u32 s0 = right(v[0], 2) ^ right(v[0], 13) ^ right(v[0], 22),
		    most = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
		v[7] = v[6], v[6] = v[5], v[5] = v[4], v[4] = v[3] + t1;
		v[3] = v[2], v[2] = v[1], v[1] = v[0], v[0] = t1 + s0 + most;
		u32 a = w[(i + 1) % 16], b = w[(i + 14) % 16];
		w[i % 16] += (right(a, 7) ^ right(a, 18) ^ a >> 3) + w[(i + 9) % 16] +
			     (right(b, 17) ^ right(b, 19) ^ b >> 10);
	}
#pragma unroll
	for (int i = 0; i < 8; i++)
		h[i] += v[i];
}
__host__ __device__ void sha256(const u8 *text, u32 length, u32 *h)
{
#ifdef __CUDA_ARCH__
	memcpy(h, device_sha.h, 32);
#else
	memcpy(h, host_sha.h, 32);
#endif
	u8 last[128] = {};
	u32 whole = length / 64 * 64, rest = length - whole, blocks = rest + 9 > 64 ? 2 : 1;
	for (u32 at = 0; at < whole; at += 64)
		sha_block(h, text + at);
	memcpy(last, text + whole, rest);
	last[rest] = 0x80;
	for (int i = 0; i < 4; i++)
		last[64 * blocks - 1 - i] = (u8)(length * 8 >> 8 * i);
	for (u32 b = 0; b < blocks; b++)
		sha_block(h, last + 64 * b);
}

__host__ __device__ inline void quarter(u32 &a, u32 &b, u32 &c, u32 &d)
{
	a += b, d = right(d ^ a, 16);
	c += d, b = right(b ^ c, 20);
	a += b, d = right(d ^ a, 24);
	c += d, b = right(b ^ c, 25);
}
__host__ __device__ void chacha(const u32 *key, u32 counter, const u32 *nonce, u32 *out)
{
	u32 x[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, start[16];
	for (int i = 0; i < 8; i++)
		x[4 + i] = key[i];
	x[12] = counter;
	for (int i = 0; i < 3; i++)
		x[13 + i] = nonce[i];
	memcpy(start, x, sizeof x);
	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 4; i++)
			quarter(x[i], x[4 + i], x[8 + i], x[12 + i]);
		for (int i = 0; i < 4; i++)
			quarter(x[i], x[4 + (i + 1) % 4], x[8 + (i + 2) % 4], x[12 + (i + 3) % 4]);
	}
	for (int i = 0; i < 16; i++)
		out[i] = x[i] + start[i];
}

struct Aes {
	u8 box[256];
	u32 mixed[256]; /* the box's byte times 2, 1, 1, 3 */
};
constexpr u8 twice(u8 x)
{
	return (u8)(x << 1 ^ (x & 0x80 ? 0x1b : 0));
}
constexpr Aes tables()
{
	Aes t = {};
	u8 p = 1, q = 1;
	do { /* q is the inverse of p */
		p = (u8)(p ^ twice(p));
		q ^= (u8)(q << 1), q ^= (u8)(q << 2), q ^= (u8)(q << 4);
		q = (u8)(q & 0x80 ? q ^ 0x09 : q);
		u8 turned = q;
		u8 sum = q;
		for (int i = 0; i < 4; i++)
			turned = (u8)(turned << 1 | turned >> 7), sum ^= turned;
		t.box[p] = sum ^ 0x63;
	} while (p != 1);
	t.box[0] = 0x63;
	for (int i = 0; i < 256; i++) {
		u8 s = t.box[i];
		t.mixed[i] = (u32)twice(s) | (u32)s << 8 | (u32)s << 16 | (u32)(u8)(twice(s) ^ s) << 24;
	}
	return t;
}
__constant__ constexpr Aes device_aes = tables();
static constexpr Aes host_aes = tables();

// One block with a key of 128 bits; columns are little-endian words. `mixed` may lie anywhere.
__host__ __device__ void encrypt(const u8 *box, const u32 *mixed, const u8 *key, const u8 *in, u8 *out)
{
	u32 k[4], s[4], t[4];
	memcpy(k, key, 16);
	memcpy(s, in, 16);
	u8 round_constant = 1;
	for (int i = 0; i < 4; i++)
		s[i] ^= k[i];
	for (int round = 1; round <= 10; round++) {
		u32 turned = k[3] >> 8 | k[3] << 24;
		k[0] ^= box[turned & 255] | (u32)box[turned >> 8 & 255] << 8 | (u32)box[turned >> 16 & 255] << 16 |
			(u32)box[turned >> 24] << 24;
		k[0] ^= round_constant;
		round_constant = (u8)(round_constant << 1 ^ (round_constant & 0x80 ? 0x1b : 0));
		for (int i = 1; i < 4; i++)
			k[i] ^= k[i - 1];
		for (int i = 0; i < 4; i++) {
			u32 b[4] = {s[i] & 255, s[(i + 1) & 3] >> 8 & 255, s[(i + 2) & 3] >> 16 & 255,
				    s[(i + 3) & 3] >> 24};
			if (round < 10)
				t[i] = mixed[b[0]] ^ right(mixed[b[1]], 24) ^ right(mixed[b[2]], 16) ^
				       right(mixed[b[3]], 8);
			else
				t[i] = box[b[0]] | (u32)box[b[1]] << 8 | (u32)box[b[2]] << 16 | (u32)box[b[3]] << 24;
			t[i] ^= k[i];
		}
		for (int i = 0; i < 4; i++)
			s[i] = t[i];
	}
	memcpy(out, s, 16);
}

__host__ __device__ u32 crc32(const u8 *p, u32 n)
{
	u32 crc = ~0u;
	while (n--) {
		crc ^= *p++;
		for (int i = 0; i < 8; i++)
			crc = crc >> 1 ^ (0xedb88320 & (0u - (crc & 1)));
	}
	return ~crc;
}

struct Result {
	u32 digest[8], stream[16], crc;
	u8 block[16];
};
__host__ __device__ void work(const u8 *text, u32 length, const u8 *box, const u32 *mixed, Result *r)
{
	u32 key[8], nonce[3] = {length, 7, 9};
	sha256(text, length, r->digest);
	memcpy(key, r->digest, 32);
	chacha(key, length, nonce, r->stream);
	encrypt(box, mixed, (const u8 *)r->stream, (const u8 *)r->digest, r->block);
	r->crc = crc32(text, length);
}

__global__ void all(const u8 *text, int n, Result *out)
{
	__shared__ u32 mixed[256];
	for (int i = threadIdx.x; i < 256; i += blockDim.x)
		mixed[i] = device_aes.mixed[i];
	__syncthreads();
	u32 i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < (u32)n)
		work(text + i, i * 5 % 131, device_aes.box, i & 1 ? mixed : device_aes.mixed, out + i);
}

int main()
{
	const int n = 140;
	u8 *text = shared_array<u8>(512);
	for (int i = 0; i < 512; i++)
		text[i] = (u8)(i * i * 7 + i / 3);
	Result *got = shared_array<Result>(n);
	all<<<2, 96>>>(text, n, got);
	finish_kernel();
	for (int i = 0; i < n; i++) {
		Result want;
		memset(&want, 0, sizeof want);
		work(text + i, (u32)i * 5 % 131, host_aes.box, host_aes.mixed, &want);
		expect_same(got + i, &want, 1, "message");
	}
	/* FIPS 180-4, RFC 8439 and FIPS 197 */
	u32 h[8], key[8], nonce[3] = {0x09000000, 0x4a000000, 0}, stream[16];
	sha256((const u8 *)"abc", 3, h);
	expect(h[0] == 0xba7816bf && h[7] == 0xf20015ad, "abc", h[0]);
	for (u32 i = 0; i < 8; i++)
		key[i] = 0x03020100 + i * 0x04040404;
	chacha(key, 1, nonce, stream);
	expect(stream[0] == 0xe4e7f110 && stream[15] == 0x4e3c50a2, "chacha", stream[0]);
	u8 k[16], block[16], out[16];
	for (int i = 0; i < 16; i++)
		k[i] = (u8)i, block[i] = (u8)(i * 17);
	encrypt(host_aes.box, host_aes.mixed, k, block, out);
	expect(out[0] == 0x69 && out[1] == 0xc4 && out[15] == 0x5a, "aes", out[0]);
	expect(crc32((const u8 *)"123456789", 9) == 0xcbf43926, "crc", 0);
	puts("PASSED");
}
