// A launch in a header.
template <class T>
__global__ void fill(T *x, T value)
{
	x[threadIdx.x] = value;
}

inline void fill_ints(int *x, int value)
{
	fill<int> << <1, 32>>
		> (x, value);
}

// An aligned variable of a header.
inline __device__ float first_of(const float *x)
{
	__shared__ alignas(16) float staged[4];
	staged[0] = x[0];
	return staged[0];
}
