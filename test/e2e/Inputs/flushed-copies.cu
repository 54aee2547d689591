// Blocks that copy tiles in bulk and may be killed and run again at any time: sums of rows, and a tensor's tiles moved.
#include <cstdio>
#include <cuda.h>
#include <cuda_runtime.h>
enum { TILE = 128, TILES = 8, BLOCKS = 24 };

__device__ unsigned at(const void *p)
{
	return (unsigned)__cvta_generic_to_shared(p);
}
__device__ void wait(void *bar, unsigned parity)
{
	asm volatile("{\n.reg .pred p;\nAGAIN:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p bra AGAIN;\n}" ::"r"(at(bar)), "r"(parity) : "memory");
}
__device__ void init(void *bar)
{
	if (!threadIdx.x)
		asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\nfence.proxy.async;" ::"r"(at(bar)) : "memory");
	__syncthreads();
}
__device__ void expect(void *bar)
{
	asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at(bar)), "n"(TILE * 4) : "memory");
}

__global__ void sums(const float *in, float *__restrict__ out)
{
	__shared__ alignas(128) float tile[2][TILE];
	__shared__ unsigned long long bar[2];
	init(&bar[0]);
	init(&bar[1]);
	float sum = 0;
	for (unsigned i = 0; i <= TILES; i++) {
		if (i < TILES && !threadIdx.x) {
			const float *from = in + (blockIdx.x * TILES + i) * TILE;
			expect(&bar[i % 2]);
			asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(at(tile[i % 2])), "l"(from), "n"(TILE * 4), "r"(at(&bar[i % 2])) : "memory");
		}
		if (!i)
			continue;
		wait(&bar[(i - 1) % 2], (i - 1) / 2 & 1);
		sum += tile[(i - 1) % 2][threadIdx.x];
		__syncthreads();
	}
	out[blockIdx.x * TILE + threadIdx.x] = sum;
}

__global__ void boxes(const __grid_constant__ CUtensorMap map, float *__restrict__ out)
{
	__shared__ alignas(128) float tile[TILE];
	__shared__ unsigned long long bar;
	init(&bar);
	float sum = 0;
	for (unsigned i = 0; i < TILES; i++) {
		if (!threadIdx.x) {
			expect(&bar);
			asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(at(tile)), "l"(&map), "r"(0), "r"(blockIdx.x * TILES + i), "r"(at(&bar)) : "memory");
		}
		wait(&bar, i & 1);
		sum += tile[threadIdx.x];
		__syncthreads();
	}
	out[blockIdx.x * TILE + threadIdx.x] = sum;
}

int main()
{
	float *in, *out;
	cudaMallocManaged(&in, BLOCKS * TILES * TILE * 4);
	cudaMallocManaged(&out, 2 * BLOCKS * TILE * 4);
	for (unsigned i = 0; i < BLOCKS * TILES * TILE; i++)
		in[i] = i % 1000;
	CUtensorMap map;
	cuuint64_t dims[] = {TILE, BLOCKS * TILES}, strides[] = {TILE * 4};
	cuuint32_t box[] = {TILE, 1}, ones[] = {1, 1};
	cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, dims, strides, box, ones, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
	sums<<<BLOCKS, TILE>>>(in, out);
	boxes<<<BLOCKS, TILE>>>(map, out + BLOCKS * TILE);
	cudaError_t error = cudaDeviceSynchronize();
	unsigned wrong = 0;
	for (unsigned i = 0; i < BLOCKS * TILE; i++) {
		float sum = 0;
		for (unsigned j = 0; j < TILES; j++)
			sum += in[(i / TILE * TILES + j) * TILE + i % TILE];
		wrong += (out[i] != sum) + (out[BLOCKS * TILE + i] != sum);
	}
	printf("copies of blocks that are killed: %u wrong, %s\n", wrong, cudaGetErrorName(error));
	return wrong != 0;
}
