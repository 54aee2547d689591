// Text search: byte loads, Horspool's tables in shared memory, bit-parallel matching with errors, packed records,
// words taken from unaligned bytes. Each thread takes its own share; the host does the same one by one.
#include "common.h"
#include <string>
#include <vector>

struct __attribute__((packed)) Record {
	unsigned char kind;
	unsigned short length;
	unsigned int offset;
	unsigned long long hash;
	signed char delta[3];
	float score;
};
static_assert(sizeof(Record) == 22, "packed");

__host__ __device__ inline unsigned char lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c | 0x20 : c;
}

// FNV-1a over bytes, eight at a time where they can be had.
__host__ __device__ unsigned long long hash_of(const unsigned char *p, unsigned n)
{
	unsigned long long h = 0xcbf29ce484222325;
	for (; n >= 8; n -= 8, p += 8) {
		unsigned long long word;
		memcpy(&word, p, 8);
		for (int i = 0; i < 8; i++, word >>= 8)
			h = (h ^ (word & 0xff)) * 0x100000001b3;
	}
	while (n--)
		h = (h ^ *p++) * 0x100000001b3;
	return h;
}

// Horspool, ignoring case; marks the places where the pattern begins.
__global__ void horspool(const char *text, int n, const char *pattern, int m, unsigned char *found)
{
	__shared__ unsigned char skip[256];
	__shared__ char wanted[32];
	for (int c = threadIdx.x; c < 256; c += blockDim.x)
		skip[c] = (unsigned char)m;
	__syncthreads();
	if (threadIdx.x == 0)
		for (int i = 0; i + 1 < m; i++)
			skip[lower(pattern[i])] = (unsigned char)(m - 1 - i);
	if ((int)threadIdx.x < m)
		wanted[threadIdx.x] = (char)lower(pattern[threadIdx.x]);
	__syncthreads();
	int threads = gridDim.x * blockDim.x, id = blockIdx.x * blockDim.x + threadIdx.x;
	int share = (n + threads - 1) / threads, at = id * share, end = min(at + share, n - m + 1);
	while (at < end) {
		int k = m - 1;
		while (k >= 0 && (char)lower(text[at + k]) == wanted[k])
			k--;
		if (k < 0)
			found[at] = 1;
		at += skip[lower(text[at + m - 1])];
	}
}

// The least number of edits (at most 3) of the pattern within each window of text, by Wu and Manber's bit vectors.
template <int ERRORS>
__host__ __device__ int least_edits(const char *text, int n, const char *pattern, int m)
{
	unsigned long long state[ERRORS + 1], accept = 1ull << (m - 1);
	for (int e = 0; e <= ERRORS; e++)
		state[e] = (1ull << e) - 1;
	int best = ERRORS + 1;
	for (int i = 0; i < n; i++) {
		unsigned long long match = 0, before = 0;
		for (int k = 0; k < m; k++)
			match |= (unsigned long long)(pattern[k] == text[i]) << k;
		for (int e = 0; e <= ERRORS; e++) {
			unsigned long long old = state[e];
			state[e] = ((old << 1) | 1) & match;
			if (e)
				state[e] |= before | before << 1 | state[e - 1] << 1 | 1;
			before = old;
			if (e < best && state[e] & accept)
				best = e;
		}
	}
	return best;
}
__global__ void approximate(const char *text, int n, int window, const char *pattern, int m, int *edits)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i * window < n)
		edits[i] = least_edits<3>(text + i * window, min(window, n - i * window), pattern, m);
}

// Records one after the other, at odd addresses, from the ends of words.
__host__ __device__ void describe(const char *text, const int *ends, int i, Record *out)
{
	int begin = i ? ends[i - 1] + 1 : 0, length = ends[i] - begin;
	const unsigned char *word = (const unsigned char *)text + begin;
	Record r = {};
	r.kind = (unsigned char)(length > 4 ? 'L' : length ? 'S' : 'E');
	r.length = (unsigned short)length;
	r.offset = (unsigned)begin;
	r.hash = hash_of(word, (unsigned)length);
	for (int k = 0; k < 3; k++)
		r.delta[k] = (signed char)(k < length ? word[k] - 'm' : -128);
	r.score = (float)length / 8 - r.delta[0];
	*out = r;
	out->hash ^= (unsigned long long)out->offset << 7;
	out->length += out->kind == 'L' ? 256 : 0;
}
__global__ void index_words(const char *text, const int *ends, int words, Record *records)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < words)
		describe(text, ends, i, records + i);
}

int main()
{
	std::string source;
	static const char *const parts[] = {"needle",	"NeedLe",  "noodle", "need", "le ",
					    "haystack", "nee dle", "a",	     "",     "kneedles"};
	unsigned seed = 11;
	while (source.size() < 3000) {
		seed = seed * 1103515245 + 12345;
		source += std::string(parts[(seed >> 16) % 10]) + " ";
	}
	int n = (int)source.size();
	char *text = shared_array<char>(n + 1), *pattern = shared_array<char>(16);
	memcpy(text, source.c_str(), n + 1);
	strcpy(pattern, "needle");
	unsigned char *found = shared_array<unsigned char>(n);
	horspool<<<3, 64>>>(text, n, pattern, 6, found);
	int *edits = shared_array<int>(n / 24 + 1);
	approximate<<<3, 64>>>(text, n, 24, pattern, 6, edits);
	std::vector<int> list;
	for (int i = 0; i < n; i++)
		if (text[i] == ' ')
			list.push_back(i);
	int words = (int)list.size();
	int *ends = shared_array<int>(words);
	memcpy(ends, list.data(), words * sizeof(int));
	char *raw = shared_array<char>(words * sizeof(Record) + 1);
	Record *records = (Record *)(raw + 1);
	index_words<<<(words + 95) / 96, 96>>>(text, ends, words, records);
	finish_kernel();
	for (int i = 0; i + 6 <= n; i++) {
		bool here = true;
		for (int k = 0; k < 6; k++)
			here &= lower(text[i + k]) == (unsigned char)pattern[k];
		expect(found[i] == here, "horspool", i);
	}
	for (int i = 0; i * 24 < n; i++)
		expect(edits[i] == least_edits<3>(text + i * 24, n - i * 24 < 24 ? n - i * 24 : 24, pattern, 6),
		       "edits", i);
	for (int i = 0; i < words; i++) {
		Record want;
		describe(text, ends, i, &want);
		expect(!memcmp(&want, raw + 1 + i * sizeof(Record), sizeof want), "record", i);
	}
	puts("PASSED");
}
