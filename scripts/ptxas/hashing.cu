/* Hashing, checksums and ciphers. */
static __device__ unsigned rotate(unsigned x, int by)
{
	return x << by | x >> (32 - by);
}

extern "C" __global__ void fnv(const unsigned char *data, const int *start, int count, unsigned *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	unsigned hash = 2166136261u;
	for (int k = start[i]; k < start[i + 1]; k++)
		hash = (hash ^ data[k]) * 16777619u;
	out[i] = hash;
}

extern "C" __global__ void murmur(const unsigned *key, unsigned *out, int n, unsigned seed)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned h = seed;
	for (int k = 0; k < 4; k++) {
		unsigned w = key[4 * i + k] * 0xcc9e2d51u;
		h ^= rotate(w, 15) * 0x1b873593u;
		h = rotate(h, 13) * 5 + 0xe6546b64u;
	}
	h ^= 16;
	h = (h ^ h >> 16) * 0x85ebca6bu;
	h = (h ^ h >> 13) * 0xc2b2ae35u;
	out[i] = h ^ h >> 16;
}

extern "C" __global__ void crc32(const unsigned char *data, int chunk, int n, const unsigned *table, unsigned *out)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned crc = ~0u;
	for (int i = t * chunk; i < min((t + 1) * chunk, n); i++)
		crc = table[(crc ^ data[i]) & 0xff] ^ crc >> 8;
	out[t] = ~crc;
}

extern "C" __global__ void adler(const unsigned char *data, int chunk, unsigned *out)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x;
	unsigned a = 1, b = 0;
	for (int i = 0; i < chunk; i++) {
		a = (a + data[t * chunk + i]) % 65521;
		b = (b + a) % 65521;
	}
	out[t] = b << 16 | a;
}

extern "C" __global__ void sha256(const unsigned *message, unsigned *digest, const unsigned *k, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned w[16], s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	for (int t = 0; t < 16; t++)
		w[t] = message[i * 16 + t];
	for (int t = 0; t < 64; t++) {
		unsigned word = w[t & 15];
		unsigned s1 = rotate(s[4], 26) ^ rotate(s[4], 21) ^ rotate(s[4], 7), ch = (s[4] & s[5]) ^ (~s[4] & s[6]);
		unsigned t1 = s[7] + s1 + ch + k[t] + word;
		unsigned s0 = rotate(s[0], 30) ^ rotate(s[0], 19) ^ rotate(s[0], 10), maj = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
		unsigned a = w[t + 1 & 15], b = w[t + 14 & 15];
		w[t & 15] = word + (rotate(a, 25) ^ rotate(a, 14) ^ a >> 3) + w[t + 9 & 15] + (rotate(b, 15) ^ rotate(b, 13) ^ b >> 10);
		for (int j = 7; j > 0; j--)
			s[j] = s[j - 1];
		s[4] += t1;
		s[0] = t1 + s0 + maj;
	}
	for (int j = 0; j < 8; j++)
		digest[i * 8 + j] += s[j];
}

extern "C" __global__ void insert_linear(const unsigned *key, const unsigned *value, int n, unsigned long long *table, unsigned mask)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned long long entry = (unsigned long long)key[i] << 32 | value[i];
	unsigned at = key[i] * 2654435761u & mask;
	for (;;) {
		unsigned long long old = atomicCAS(&table[at], ~0ull, entry);
		if (old == ~0ull || old >> 32 == key[i])
			break;
		at = (at + 1) & mask;
	}
}

extern "C" __global__ void find_linear(const unsigned *key, unsigned *value, int n, const unsigned long long *table, unsigned mask)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned at = key[i] * 2654435761u & mask, found = ~0u;
	for (unsigned long long e = table[at]; e != ~0ull; e = table[at]) {
		if (e >> 32 == key[i]) {
			found = (unsigned)e;
			break;
		}
		at = (at + 1) & mask;
	}
	value[i] = found;
}

extern "C" __global__ void xtea(uint2 *data, int n, uint4 key)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned k[4] = {key.x, key.y, key.z, key.w}, sum = 0;
	uint2 v = data[i];
	for (int r = 0; r < 32; r++) {
		v.x += ((v.y << 4 ^ v.y >> 5) + v.y) ^ (sum + k[sum & 3]);
		sum += 0x9e3779b9u;
		v.y += ((v.x << 4 ^ v.x >> 5) + v.x) ^ (sum + k[sum >> 11 & 3]);
	}
	data[i] = v;
}

extern "C" __global__ void bloom_insert(const unsigned long long *key, int n, unsigned *filter, unsigned bits, int hashes)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	unsigned a = (unsigned)key[i] * 0x9e3779b1u, b = (unsigned)(key[i] >> 32) * 0x85ebca77u | 1;
	for (int h = 0; h < hashes; h++, a += b) {
		unsigned at = a % bits;
		atomicOr(&filter[at >> 5], 1u << (at & 31));
	}
}
