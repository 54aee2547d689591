// Launches with their angles apart; comments and strings with << < and >> > ( in them are left alone.
#include "apart.h"
#include <iostream>
#include <vector>
#define UNIT " ints"

__global__ void add(int *x, int count)
{
	register int i = threadIdx.x; // as in C++14
	if (i < count)
		x[i] += 1;
}

// Attributes of C++ behind CUDA's words; __shared__ alignas(16) in a comment stays.
#define TILE __shared__ alignas(64)
__device__ alignas(16) int offsets[3] = {1, 2, 3};
static __constant__ alignas(32)int steps[2] = {4, 5};
static const char *quoted = "__shared__ alignas(16) [[maybe_unused]]";

template <class T, int N>
__global__ void places(size_t *x)
{
	__shared__ char first;
	__shared__ alignas(16) alignas(T) char pair[3]; auto late = "%d"UNIT;
	__shared__ alignas(alignof(T) /* ) */ * 2)
		T row[N];
	static __shared__ [[gnu::aligned(128)]] short moved;
	__shared__ [[maybe_unused]] char unused;
	TILE char tile[2];
	first = pair[2] = *late; const char *word; int one = threads_and_lane(word);
	row[0] = moved = tile[1] = 1;
	x[0] = ((size_t)pair % 16) + ((size_t)row % (2 * alignof(T))) + ((size_t)&moved % 128) + ((size_t)tile % 64);
	x[1] = (size_t)offsets % 16 + (size_t)steps % 32;
	x[2] = offsets[2] + steps[1] + first - pair[2] + (word[1] == 'l' ? one : 0);
}

template <class T>
struct Box;
template <class T>
std::ostream &operator<<(std::ostream &out, const Box<T> &box);
template <class T>
struct Box {
	T value;
	friend std::ostream &operator<< <T>(std::ostream &out, const Box &box);
};
template <class T>
std::ostream &operator<<(std::ostream &out, const Box<T> &box)
{
	return out << '<' << box.value << ">> > (";
}

int main()
{
	int *x, host[32], n = 32;
	uint32_t shift = 1;
	const char *text = R"(k << <1, 1>> > ())";
	std::vector<std::vector<int> > nested;
	char narrow[] = {n};
	cudaMalloc(&x, sizeof host);
	fill_ints(x, 3);
	add < << dim3(n >> 5, (1 << 3) >> 3), 32 >> > (x, n);
	add<< <1, n >> shift >>> (x, n);
	add<<<{1, 1}, /* threads */ {32u, 1}>>>(x, n);
	add << < dim3{2}, { 32u } >> > (x, n);
	cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
	assert(narrow[0] == 32);
	size_t *remainders, kept[3];
	cudaMalloc(&remainders, sizeof kept);
	places<double, 3> << <1, 1>> > (remainders);
	cudaMemcpy(kept, remainders, sizeof kept, cudaMemcpyDeviceToHost);
	assert(kept[0] == 0 && kept[1] == 0 && kept[2] == 9);
	assert(quoted[11] == 'a' && strlen(quoted) == 39);
	bool right = host[15] == 7 && host[16] == 6 && !strcmp(text, "k << <1, 1>> > ()") && nested.empty();
	printf("%d"UNIT"\n", n);
	std::cout << Box<int>{n} << (right ? " PASSED" : " FAILED") << std::endl;
}
