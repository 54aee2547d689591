// Kernels of metamorphic.py.

// A warp with one access in flight: each address comes from the value before it, in global memory and then in shared
// memory.
extern "C" __global__ void chain(const int *from, int *to, int turns)
{
	__shared__ volatile int tile[64];
	int at = 0;
	tile[threadIdx.x] = threadIdx.x;
	tile[threadIdx.x + 32] = 1;
	for (int i = 0; i < turns; i++) {
		at = from[at & 4095] * 5 + i;
		at += tile[at & 63];
	}
	to[threadIdx.x] = at;
}

// Blocks that work for different times, without memory. Which block works how long is a permutation: odd * block + add.
extern "C" __global__ void turns(int *to, int odd, int add)
{
	int mine = (blockIdx.x * odd + add) % gridDim.x, sum = threadIdx.x;
	for (int i = 0; i < 50 * mine; i++)
		sum = sum * 3 ^ i;
	to[mine * blockDim.x + threadIdx.x] = sum;
}

// Arithmetic, shared and global memory, a barrier, diverging branches.
template <bool EXTRA>
__device__ void body(const int *from, int *to, int n)
{
	__shared__ int tile[128];
	int i = blockIdx.x * blockDim.x + threadIdx.x, sum = from[i];
	tile[threadIdx.x] = sum;
	__syncthreads();
	for (int j = 0; j < n; j++) {
		sum = sum * 3 + tile[(threadIdx.x + j) & 127];
		if (sum & 4)
			sum ^= from[(i * 17 + j * 64) & 4095];
	}
	if (EXTRA) { // nobody reads it
		int dead;
		asm volatile("mov.u32 %0, %%clock;" : "=r"(dead));
	}
	to[i] = sum;
}

extern "C" __global__ void mix(const int *from, int *to, int n)
{
	body<false>(from, to, n);
}

extern "C" __global__ void mix_dead(const int *from, int *to, int n)
{
	body<true>(from, to, n);
}
