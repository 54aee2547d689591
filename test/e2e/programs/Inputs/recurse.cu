// Recursion: quicksort on the thread's own stack with comparators by pointer, Ackermann, the towers of Hanoi, n queens,
// permutations, mutual recursion through a table, an expression parser by descent. The host runs the same functions.
#include "common.h"

typedef bool (*Less)(int, int);
__host__ __device__ bool upwards(int a, int b)
{
	return a < b;
}
__host__ __device__ bool by_digit(int a, int b)
{
	return a % 10 != b % 10 ? a % 10 < b % 10 : a > b;
}
__host__ __device__ bool odd_first(int a, int b)
{
	return (a & 1) != (b & 1) ? (a & 1) > (b & 1) : a < b;
}

__host__ __device__ int quicksort(int *a, int n, Less less)
{
	if (n < 2)
		return 1;
	int pivot = a[n / 2], i = 0, j = n - 1;
	while (i <= j) {
		while (less(a[i], pivot))
			i++;
		while (less(pivot, a[j]))
			j--;
		if (i <= j) {
			int t = a[i];
			a[i++] = a[j];
			a[j--] = t;
		}
	}
	int left = quicksort(a, j + 1, less), right = quicksort(a + i, n - i, less);
	return 1 + (left > right ? left : right);
}

__host__ __device__ unsigned ackermann(unsigned m, unsigned n)
{
	if (m == 0)
		return n + 1;
	return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

struct Towers {
	unsigned char peg[3][8];
	unsigned char height[3];
	unsigned moves, trace;
};
__host__ __device__ void hanoi(Towers *t, int n, int from, int to)
{
	if (!n)
		return;
	hanoi(t, n - 1, from, 3 - from - to);
	unsigned char disk = t->peg[from][--t->height[from]];
	t->peg[to][t->height[to]++] = disk;
	t->moves++;
	t->trace = t->trace * 31 + disk * 9 + from * 3 + to;
	hanoi(t, n - 1, 3 - from - to, to);
}

__host__ __device__ int queens(int n, unsigned columns, unsigned left, unsigned right)
{
	unsigned all = (1u << n) - 1, free = all & ~(columns | left | right);
	int count = columns == all;
	while (free) {
		unsigned bit = free & -free;
		free ^= bit;
		count += queens(n, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
	return count;
}

// By value, so that each level has its own.
struct Word {
	char letters[7];
	unsigned char length;
};
__host__ __device__ unsigned permutations(Word w, int fixed)
{
	unsigned sum = 0;
	if (fixed == w.length) {
		for (int i = 0; i < w.length; i++)
			sum = sum * 7 + (unsigned)w.letters[i];
		return sum ^ sum >> 5;
	}
	for (int i = fixed; i < w.length; i++) {
		Word next = w;
		char t = next.letters[fixed];
		next.letters[fixed] = next.letters[i];
		next.letters[i] = t;
		sum = sum * 3 + permutations(next, fixed + 1);
	}
	return sum;
}

typedef unsigned (*Hop)(unsigned, int);
__host__ __device__ unsigned hop_a(unsigned x, int left);
__host__ __device__ unsigned hop_b(unsigned x, int left);
__host__ __device__ unsigned hop_c(unsigned x, int left);
__host__ __device__ unsigned hop(unsigned x, int left)
{
	static const Hop hops[] = {hop_a, hop_b, hop_c};
	return left <= 0 ? x : hops[x % 3](x, left);
}
__host__ __device__ unsigned hop_a(unsigned x, int left)
{
	unsigned saved = x * 5;
	return hop(x * 3 + 1, left - 1) + saved;
}
__host__ __device__ unsigned hop_b(unsigned x, int left)
{
	return hop(x >> 1, left - 2) ^ hop(x + 7, left - 3);
}
__host__ __device__ unsigned hop_c(unsigned x, int left)
{
	return left & 1 ? hop_a(x, left - 1) : hop_b(x ^ 0x55, left);
}

// sum := product {+|- product}; product := factor {*|/|% factor}; factor := number | -factor | (sum) | letter
struct Parser {
	const char *at;
	const int *letters;
	int depth, deepest;
	__host__ __device__ long long sum()
	{
		long long v = product();
		while (*at == '+' || *at == '-')
			v = *at++ == '+' ? v + product() : v - product();
		return v;
	}
	__host__ __device__ long long product()
	{
		long long v = factor();
		for (;;) {
			char op = *at;
			if (op != '*' && op != '/' && op != '%')
				return v;
			at++;
			long long w = factor();
			v = op == '*' ? v * w : w == 0 ? 0 : op == '/' ? v / w : v % w;
		}
	}
	__host__ __device__ long long factor()
	{
		long long v = 0;
		if (*at == '(') {
			at++;
			if (++depth > deepest)
				deepest = depth;
			v = sum();
			depth--;
			at += *at == ')';
			return v;
		}
		if (*at == '-')
			return at++, -factor();
		if (*at >= 'a' && *at <= 'h')
			return letters[*at++ - 'a'];
		while (*at >= '0' && *at <= '9')
			v = v * 10 + (*at++ - '0');
		return v;
	}
};

struct Results {
	int sorted[24], depth, queens, deepest;
	unsigned ackermann, permutations, hops;
	long long value;
	Towers towers;
};

__host__ __device__ void all(int i, const char *expression, Results *out)
{
	static const Less orders[] = {upwards, by_digit, odd_first};
	unsigned seed = (unsigned)i * 77 + 1;
	int letters[8], n = 8 + i % 17;
	for (int k = 0; k < n; k++)
		out->sorted[k] = (int)((seed = seed * 69069 + 5) >> 22);
	for (int k = 0; k < 8; k++)
		letters[k] = i * k - 9;
	out->depth = quicksort(out->sorted, n, orders[i % 3]);
	out->ackermann = ackermann(i % 3, 2 + i % 2);
	for (int k = 0; k < 4 + i % 3; k++)
		out->towers.peg[0][out->towers.height[0]++] = (unsigned char)(9 - k);
	hanoi(&out->towers, 4 + i % 3, 0, 1 + i % 2);
	out->queens = queens(4 + i % 3, 0, 0, 0);
	Word w = {{'h', 'e', 'd', 'd', 'l', 'e'}, (unsigned char)(3 + i % 3)};
	out->permutations = permutations(w, i % 2);
	out->hops = hop(seed, 9 + i % 5);
	Parser parser = {expression, letters, 0, 0};
	out->value = parser.sum();
	out->deepest = parser.deepest;
}
__global__ void device(const char (*expressions)[48], Results *out)
{
	all(threadIdx.x, expressions[threadIdx.x % 5], out + threadIdx.x);
}

int main()
{
	static const char *const texts[] = {"1+2*3-(4-5)*6", "((((a))))*-b+--c", "(a+b)*(c-d)%7/(e+1)",
					    "9000000000*b/(h-h)", "-(1-(2-(3-(4-(5-f*g)))))"};
	char(*expressions)[48] = shared_array<char[48]>(5);
	Results *got = shared_array<Results>(40);
	for (int i = 0; i < 5; i++)
		strcpy(expressions[i], texts[i]);
	device<<<1, 40>>>(expressions, got);
	finish_kernel();
	for (int i = 0; i < 40; i++) {
		Results want;
		memset((void *)&want, 0, sizeof want);
		all(i, texts[i % 5], &want);
		expect_same(got + i, &want, 1, "results of thread");
	}
	puts("PASSED");
}
