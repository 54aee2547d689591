// What the programs share: managed arrays, launches that have to succeed, and the comparison with the host's results.
#ifndef COMMON_H
#define COMMON_H
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define OK(call)                                                                              \
	do {                                                                                  \
		cudaError_t error = (call);                                                   \
		if (error != cudaSuccess) {                                                   \
			printf("%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
			exit(1);                                                              \
		}                                                                             \
	} while (0)

// Zeroed memory that host and device share.
template <typename T>
T *shared_array(size_t count)
{
	T *array;
	OK(cudaMallocManaged(&array, count * sizeof(T)));
	memset((void *)array, 0, count * sizeof(T));
	return array;
}

inline void finish_kernel()
{
	OK(cudaGetLastError());
	OK(cudaDeviceSynchronize());
}

inline void expect(bool holds, const char *what, long long at)
{
	if (!holds) {
		printf("FAILED: %s at %lld\n", what, at);
		exit(1);
	}
}

// The same bytes on both sides, element by element.
template <typename T>
void expect_same(const T *got, const T *want, size_t count, const char *what)
{
	for (size_t i = 0; i < count; i++)
		expect(!memcmp(&got[i], &want[i], sizeof(T)), what, (long long)i);
}
#endif
