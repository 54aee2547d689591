// Two versions of a program: with -DNEW some kernels cost more, some less, one has another signature, one is new.
namespace flow {

#ifdef NEW
constexpr int width = 24;
#else
constexpr int width = 2;
#endif

__device__ __noinline__ float deepest(const float *in, int n)
{
	volatile float kept[width];
	for (int i = 0; i < width; i++)
		kept[i] = in[i * n];
	float sum = 0;
	for (int i = 0; i < width; i++)
		sum += kept[i] * kept[(i * 7 + n) % width];
	return sum;
}

__device__ __noinline__ float middle(const float *in, int n)
{
	return deepest(in, n) + 1;
}

template <typename T> __global__ void advance(T *out, const T *in, int n)
{
	out[threadIdx.x] = middle(in, n);
}

template __global__ void advance<float>(float *out, const float *in, int n);

} // namespace flow

__global__ void smaller(float *out)
{
#ifdef NEW
	__shared__ float tile[64];
#else
	__shared__ float tile[4096];
#endif
	tile[threadIdx.x] = out[threadIdx.x];
	__syncthreads();
	out[threadIdx.x] = tile[63 - threadIdx.x];
}

#ifdef NEW
__global__ void shifted(float *out, int by)
{
	out[threadIdx.x + by] = flow::middle(out, by);
}

__global__ void added(float *out)
{
	*out = 1;
}
#else
__global__ void shifted(float *out)
{
	out[threadIdx.x] = flow::middle(out, 0);
}

__global__ void dropped(float *out)
{
	*out = 2;
}
#endif

__global__ void same(float *out, const float *in)
{
	out[threadIdx.x] = in[threadIdx.x] * 2;
}

int main()
{
	float *memory;
	cudaMalloc(&memory, 1 << 20);
	flow::advance<float><<<1, 128>>>(memory, memory, 1);
	smaller<<<1, 64>>>(memory);
	same<<<1, 64>>>(memory, memory);
	return cudaDeviceSynchronize() != cudaSuccess;
}
