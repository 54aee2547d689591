/* What few kernels have together: a helper, doubles, a frame of dynamic size, calls of unknown functions, spills, bytes of a
 * stage that only the launch knows. */
__global__ void mixed(const double *in, double *out, long divisor)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	out[i] = in[i] * 3 + i / divisor;
}

__global__ void unknown(int *out, int (*chosen)(int))
{
	out[threadIdx.x] = chosen(threadIdx.x);
}

__device__ __noinline__ int dynamic(int n)
{
	int *words = (int *)__builtin_alloca(n * sizeof(int));
	for (int i = 0; i < n; i++)
		words[i] = i * n;
	return words[n / 2];
}

__global__ void frames(int *out, int n)
{
	out[threadIdx.x] = dynamic(n);
}

__global__ void spills(const float *in, float *out)
{
	float v[24];
#pragma unroll
	for (int i = 0; i < 24; i++)
		v[i] = in[i * 32 + threadIdx.x];
	__syncthreads();
#pragma unroll
	for (int i = 0; i < 24; i++)
		out[i * 32 + threadIdx.x] = v[i] * v[(i + 5) % 24];
}

__global__ void stages(unsigned bytes)
{
	__shared__ unsigned long long barrier;
	unsigned at = (unsigned)__cvta_generic_to_shared(&barrier);
	if (threadIdx.x == 0)
		asm volatile("mbarrier.init.shared.b64 [%0], 1;\n"
			     "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at), "r"(bytes) : "memory");
}
