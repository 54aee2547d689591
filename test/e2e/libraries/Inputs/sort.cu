// Thrust as packaged, what most programs take of it: vectors, a sort and a reduction.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <vector>

int main()
{
	const int count = 5000;
	thrust::host_vector<int> h(count);
	unsigned state = 1;
	for (int &value : h)
		value = (int)((state = state * 1664525u + 1013904223u) >> 8) - (1 << 22);
	std::vector<int> expected(h.begin(), h.end());
	thrust::device_vector<int> d = h;
	thrust::sort(d.begin(), d.end());
	std::sort(expected.begin(), expected.end());
	h = d;
	bool sorted = std::equal(expected.begin(), expected.end(), h.begin());
	int sum = thrust::reduce(d.begin(), d.end());
	bool added = sum == std::accumulate(expected.begin(), expected.end(), 0);
	printf("sort: %s\n", sorted && added ? "PASSED" : "FAILED");
}
