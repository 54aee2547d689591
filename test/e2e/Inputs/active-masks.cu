// __activemask(), alone and behind an atomic operation that each lane makes for itself.
__global__ void active(unsigned *out)
{
	if (threadIdx.x & 1)
		out[threadIdx.x] = __activemask();
}

__global__ void behind(unsigned *out, unsigned *counts)
{
	if (atomicAdd(&counts[threadIdx.x], 1u) & 1)
		out[threadIdx.x] = __activemask();
}
