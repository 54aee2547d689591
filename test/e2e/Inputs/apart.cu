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
	cudaMemcpy(host, x, sizeof host, cudaMemcpyDeviceToHost);
	assert(narrow[0] == 32);
	bool right = host[15] == 5 && host[16] == 4 && !strcmp(text, "k << <1, 1>> > ()") && nested.empty();
	printf("%d"UNIT"\n", n);
	std::cout << Box<int>{n} << (right ? " PASSED" : " FAILED") << std::endl;
}
