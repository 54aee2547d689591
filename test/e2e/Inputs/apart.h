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
