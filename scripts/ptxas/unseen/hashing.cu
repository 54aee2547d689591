/* Hashing, checksums and ciphers. Held out: not looked at while the compiler is tuned. */
static __device__ unsigned turn(unsigned x, int by)
{
	return x << by | x >> (32 - by);
}

#define QUARTER(a, b, c, d) a += b, d = turn(d ^ a, 16), c += d, b = turn(b ^ c, 12), a += b, d = turn(d ^ a, 8), c += d, b = turn(b ^ c, 7)

extern "C" __global__ void chacha(const unsigned *key, unsigned *out, unsigned nonce, int blocks)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= blocks)
		return;
	unsigned s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
	for (int k = 0; k < 8; k++)
		s[4 + k] = key[k];
	s[12] = i, s[13] = nonce, s[14] = 0, s[15] = 0;
	for (int k = 0; k < 16; k++)
		x[k] = s[k];
	for (int r = 0; r < 10; r++) {
		QUARTER(x[0], x[4], x[8], x[12]), QUARTER(x[1], x[5], x[9], x[13]), QUARTER(x[2], x[6], x[10], x[14]), QUARTER(x[3], x[7], x[11], x[15]);
		QUARTER(x[0], x[5], x[10], x[15]), QUARTER(x[1], x[6], x[11], x[12]), QUARTER(x[2], x[7], x[8], x[13]), QUARTER(x[3], x[4], x[9], x[14]);
	}
	for (int k = 0; k < 16; k++)
		out[i * 16 + k] = x[k] + s[k];
}

extern "C" __global__ void siphash(const unsigned long long *data, unsigned long long *out, int n, unsigned long long k0, unsigned long long k1)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned long long v0 = k0 ^ 0x736f6d6570736575ull, v1 = k1 ^ 0x646f72616e646f6dull, v2 = k0 ^ 0x6c7967656e657261ull, v3 = k1 ^ 0x7465646279746573ull;
	v3 ^= data[i];
	for (int r = 0; r < 6; r++) {
		v0 += v1, v1 = v1 << 13 | v1 >> 51, v1 ^= v0, v0 = v0 << 32 | v0 >> 32, v2 += v3, v3 = v3 << 16 | v3 >> 48, v3 ^= v2;
		v0 += v3, v3 = v3 << 21 | v3 >> 43, v3 ^= v0, v2 += v1, v1 = v1 << 17 | v1 >> 47, v1 ^= v2, v2 = v2 << 32 | v2 >> 32;
		if (r == 1)
			v0 ^= data[i], v2 ^= 0xff;
	}
	out[i] = v0 ^ v1 ^ v2 ^ v3;
}

extern "C" __global__ void cuckoo_find(const unsigned *key, unsigned *value, int n, const uint2 *table, int buckets)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned k = key[i];
	uint2 a = table[(k * 0x9e3779b1u >> 7) % buckets], b = table[(k * 0x85ebca77u >> 9) % buckets];
	value[i] = a.x == k ? a.y : b.x == k ? b.y : ~0u;
}

extern "C" __global__ void rolling_chunks(const unsigned char *data, int n, int window, unsigned mask, unsigned char *cut)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i + window > n)
		return;
	unsigned hash = 0;
	for (int k = 0; k < window; k++)
		hash = turn(hash, 1) ^ data[i + k] * 0x01000193u;
	cut[i] = (hash & mask) == 0;
}
