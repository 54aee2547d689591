// Kernels with too few registers, whose spills are in shared memory where there is room: in blocks of three dimensions beside a
// variable of theirs, on request by a pragma, beside nearly all static shared memory, and not where functions are called, by
// recursion too, or where a launch brings shared memory. Values are the host's, in integers.
#include <cstdio>
#define N 40
#define CHECK(call) do { if ((call) != cudaSuccess) { printf("%s: %s\n", #call, cudaGetErrorString(cudaGetLastError())); return 1; } } while (0)
#ifdef PRAGMA
#define IN_SHARED asm volatile(".pragma \"enable_smem_spilling\";")
#else
#define IN_SHARED
#endif
#define BOUNDS __launch_bounds__(256, 8)

__host__ __device__ inline unsigned mix(const unsigned *in, int rounds, int index)
{
	unsigned v[N], sum = 0;
#pragma unroll
	for (int i = 0; i < N; i++)
		v[i] = in[(index + i) % 64];
	for (int r = 0; r < rounds; r++) {
#pragma unroll
		for (int i = 0; i < N; i++)
			v[i] = v[i] * 5 + v[(i + 1) % N];
	}
#pragma unroll
	for (int i = 0; i < N; i++)
		sum += v[i] * (i + 1);
	return sum;
}

__device__ __noinline__ unsigned depth(unsigned n)
{
	return n < 2 ? n : 1 + depth(n / 2);
}

__device__ int thread()
{
	return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__global__ void BOUNDS plain(const unsigned *in, unsigned *out, int rounds)
{
	IN_SHARED;
	__shared__ unsigned last[3];
	if (thread() < 3)
		last[thread()] = rounds;
	__syncthreads();
	out[blockIdx.x * blockDim.x * blockDim.y * blockDim.z + thread()] = mix(in, last[thread() % 3], thread());
}

__global__ void BOUNDS full(const unsigned *in, unsigned *out, int rounds)
{
	IN_SHARED;
	__shared__ unsigned all[2816]; // 11,264 bytes: one word of each thread is left of 12,288
	for (int i = thread(); i < 2816; i += 256)
		all[i] = i;
	__syncthreads();
	out[thread()] = mix(in, rounds, thread()) + all[2815 - thread()];
}

__global__ void BOUNDS calls(const unsigned *in, unsigned *out, int rounds)
{
	IN_SHARED;
	out[thread()] = mix(in, rounds, thread()) + depth(thread());
}

__global__ void BOUNDS brings(const unsigned *in, unsigned *out, int rounds)
{
	IN_SHARED;
	extern __shared__ unsigned more[];
	more[thread()] = thread();
	__syncthreads();
	out[thread()] = mix(in, rounds, thread()) + more[255 - thread()];
}

static unsigned depth_of(unsigned n)
{
	return n < 2 ? n : 1 + depth_of(n / 2);
}

static int check(const char *name, const unsigned *in, const unsigned *out, int kind)
{
	for (int i = 0; i < 256 && (kind || i < 240); i++) {
		unsigned more = kind == 1 ? 2815 - i : kind == 2 ? depth_of(i) : kind == 3 ? 255 - i : 0;
		if (out[i] != mix(in, 3, i) + more) {
			printf("%s: %d is %u\n", name, i, out[i]);
			return 1;
		}
	}
	printf("%s: right\n", name);
	return 0;
}

int main()
{
	unsigned *in, *out;
	CHECK(cudaMallocManaged(&in, 64 * 4));
	CHECK(cudaMallocManaged(&out, 256 * 4));
	for (int i = 0; i < 64; i++)
		in[i] = i * 2654435761u;
	plain<<<1, dim3(5, 6, 8)>>>(in, out, 3);
	CHECK(cudaDeviceSynchronize());
	int wrong = check("plain", in, out, 0);
	full<<<1, 256>>>(in, out, 3);
	CHECK(cudaDeviceSynchronize());
	wrong |= check("full", in, out, 1);
	calls<<<1, 256>>>(in, out, 3);
	CHECK(cudaDeviceSynchronize());
	wrong |= check("calls", in, out, 2);
	brings<<<1, 256, 1024>>>(in, out, 3);
	CHECK(cudaDeviceSynchronize());
	wrong |= check("brings", in, out, 3);
	/* 49,152 bytes is what a launch may have; full takes 12,288 with its spills. */
	full<<<1, 256, 36864>>>(in, out, 3);
	printf("36864: %s\n", cudaGetErrorName(cudaGetLastError()));
	full<<<1, 256, 36868>>>(in, out, 3);
	printf("36868: %s\n", cudaGetErrorName(cudaGetLastError()));
	return wrong;
}
