/*
 * Null beside addresses of shared and local memory, which begin at 0: the first variable there is not null, and null that a
 * condition chose instead of it stays null when it is stored, compared and read again.
 */
#include <cstdio>

__device__ int *volatile kept;

__global__ void shared(const int *zero, int *out)
{
	__shared__ int first;
	first = 7;
	int *at = &first;
	out[0] = at != nullptr;
	int *none = *zero == 0 ? nullptr : at, *some = *zero == 1 ? nullptr : at;
	kept = none;
	out[1] = kept == nullptr;
	out[2] = none == nullptr;
	out[3] = some ? *some : -1;
	kept = some;
	out[4] = kept ? *kept : -2;
}

__device__ __noinline__ void number(int **at, int count)
{
	for (int i = 0; i < count; i++)
		if (at[i])
			*at[i] = i + 1;
}

__global__ void local(const int *zero, int *out)
{
	int pair[2] = {5, 6};
	int *at[] = {*zero ? &pair[0] : nullptr, &pair[0], *zero ? nullptr : &pair[1]};
	number(at, 3);
	int *none = *zero ? &pair[0] : nullptr;
	kept = none;
	out[5] = none == nullptr;
	out[6] = kept == nullptr;
	out[7] = pair[0] * 10 + pair[1];
}

int main()
{
	int *out;
	cudaMallocManaged(&out, 9 * sizeof(int));
	out[8] = 0;
	shared<<<1, 1>>>(out + 8, out);
	local<<<1, 1>>>(out + 8, out);
	if (cudaDeviceSynchronize() != cudaSuccess)
		return 1;
	for (int i = 0; i < 8; i++)
		printf("%d%c", out[i], i < 7 ? ' ' : '\n');
}
