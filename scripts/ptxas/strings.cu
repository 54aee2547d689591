/* String matching. */
extern "C" __global__ void naive_search(const char *text, int n, const char *pattern, int m, int *found)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i + m > n)
		return;
	int k = 0;
	while (k < m && text[i + k] == pattern[k])
		k++;
	found[i] = k == m;
}

extern "C" __global__ void automaton(const unsigned char *text, int n, int chunk, const short *next, const short *accepts, int *count)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, begin = t * chunk, end = min(begin + chunk, n), state = 0, hits = 0;
	for (int i = begin; i < end; i++) {
		state = next[state * 256 + text[i]];
		hits += accepts[state];
	}
	if (hits)
		atomicAdd(count, hits);
}

extern "C" __global__ void rabin_karp(const unsigned char *text, int n, int m, unsigned wanted, unsigned power, int chunk, int *out)
{
	int begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
	if (begin + m > n)
		return;
	unsigned hash = 0;
	for (int i = 0; i < m; i++)
		hash = hash * 257 + text[begin + i];
	int best = -1;
	for (int i = begin; i < begin + chunk && i + m <= n; i++) {
		if (hash == wanted)
			best = i;
		hash = (hash - text[i] * power) * 257 + text[i + m];
	}
	if (best >= 0)
		atomicMax(out, best);
}

extern "C" __global__ void shift_or(const unsigned char *text, int n, int chunk, const unsigned *masks, int m, unsigned *matches)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, begin = t * chunk;
	unsigned state = ~0u, count = 0;
	for (int i = begin; i < min(begin + chunk + m - 1, n); i++) {
		state = state << 1 | masks[text[i]];
		count += !(state >> (m - 1) & 1);
	}
	matches[t] = count;
}

extern "C" __global__ void word_count(const char *text, int n, unsigned *words, unsigned *lines)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	bool starts = false, line = false;
	if (i < n) {
		char c = text[i], before = i ? text[i - 1] : ' ';
		starts = c > ' ' && before <= ' ';
		line = c == '\n';
	}
	unsigned w = __popc(__ballot_sync(0xffffffff, starts)), l = __popc(__ballot_sync(0xffffffff, line));
	if (threadIdx.x % 32 == 0) {
		atomicAdd(words, w);
		atomicAdd(lines, l);
	}
}

extern "C" __global__ void upper_case(unsigned *text, int words)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= words)
		return;
	unsigned x = text[i], out = 0;
	for (int b = 0; b < 32; b += 8) {
		unsigned c = x >> b & 0xff;
		if (c >= 'a' && c <= 'z')
			c -= 32;
		out |= c << b;
	}
	text[i] = out;
}

extern "C" __global__ void kmer_codes(const char *dna, int n, int k, unsigned long long *codes)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i + k > n)
		return;
	unsigned long long forward = 0, reverse = 0;
	for (int j = 0; j < k; j++) {
		unsigned long long b = dna[i + j] >> 1 & 3;
		forward = forward << 2 | b;
		reverse |= (b ^ 2) << 2 * j;
	}
	codes[i] = min(forward, reverse);
}

extern "C" __global__ void parse_numbers(const char *text, const int *start, int count, long long *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= count)
		return;
	const char *p = text + start[i];
	bool negative = *p == '-';
	p += negative;
	long long value = 0;
	while (*p >= '0' && *p <= '9')
		value = value * 10 + (*p++ - '0');
	out[i] = negative ? -value : value;
}
