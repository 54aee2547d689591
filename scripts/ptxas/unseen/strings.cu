/* String matching. Held out: not looked at while the compiler is tuned. */
extern "C" __global__ void horspool(const unsigned char *text, int n, const unsigned char *pattern, int m, const int *skip, int chunk, int *found)
{
	int begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk, end = min(begin + chunk, n - m + 1), hits = 0;
	for (int i = begin; i < end;) {
		int k = m - 1;
		while (k >= 0 && text[i + k] == pattern[k])
			k--;
		hits += k < 0;
		i += skip[text[i + m - 1]];
	}
	found[blockIdx.x * blockDim.x + threadIdx.x] = hits;
}

extern "C" __global__ void hamming(const unsigned long long *a, const unsigned long long *b, int n, int words, int *out)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n)
		return;
	int distance = 0;
	for (int w = 0; w < words; w++)
		distance += __popcll(a[i * words + w] ^ b[w]);
	out[i] = distance;
}

extern "C" __global__ void bit_parallel_distance(const unsigned char *text, int n, int chunk, const unsigned long long *peq, int m, int limit, int *out)
{
	int t = blockIdx.x * blockDim.x + threadIdx.x, score = m, best = m;
	unsigned long long pv = ~0ull, mv = 0, top = 1ull << (m - 1);
	for (int i = t * chunk; i < min((t + 1) * chunk, n); i++) {
		unsigned long long eq = peq[text[i]], xv = eq | mv, xh = (((eq & pv) + pv) ^ pv) | eq;
		unsigned long long ph = mv | ~(xh | pv), mh = pv & xh;
		score += (ph & top ? 1 : 0) - (mh & top ? 1 : 0);
		ph = ph << 1 | 1;
		pv = mh << 1 | ~(xv | ph);
		mv = ph & xv;
		best = min(best, score);
	}
	out[t] = best <= limit ? best : -1;
}

extern "C" __global__ void utf8_lengths(const unsigned char *text, int n, unsigned *codepoints)
{
	int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
	unsigned count = 0;
	for (int k = 0; k < 4; k++)
		if (i + k < n)
			count += (text[i + k] & 0xc0) != 0x80;
	for (int o = 16; o; o >>= 1)
		count += __shfl_xor_sync(0xffffffff, count, o);
	if (threadIdx.x % 32 == 0)
		atomicAdd(codepoints, count);
}
