/*
 * A product of matrices in single precision by a ring of stages: one warp has copies bring tiles of the two factors, the
 * others multiply what is there. A stage is filled again when all consumers have arrived at its second barrier.
 * pipeline [N [STAGES]]: of N x N, a multiple of 32; 1 to 4 stages
 */
#include "bulk.cuh"

enum { SIDE = 32, DEPTH = 32, CONSUMERS = 128, THREADS = CONSUMERS + 32, MOST = 4, EACH = SIDE * SIDE / CONSUMERS };

struct stage {
	alignas(1024) float a[SIDE][DEPTH]; /* rows of the result by depth */
	alignas(1024) float b[DEPTH][SIDE];
};

__device__ void produce(const CUtensorMap &a, const CUtensorMap &b, stage *ring, barrier *full, barrier *empty, int turns, int stages)
{
	for (int turn = 0; turn < turns; turn++) {
		int s = turn % stages;
		empty[s].wait((turn / stages & 1) ^ 1); /* at once in the first round */
		full[s].expect(sizeof(stage));
		load_box(ring[s].a, a, turn * DEPTH, blockIdx.y * SIDE, full[s]);
		load_box(ring[s].b, b, blockIdx.x * SIDE, turn * DEPTH, full[s]);
	}
}

__device__ void consume(const stage *ring, barrier *full, barrier *empty, int turns, int stages, float sums[EACH])
{
	int row = threadIdx.x / SIDE, column = threadIdx.x % SIDE;
	for (int turn = 0; turn < turns; turn++) {
		int s = turn % stages;
		full[s].wait(turn / stages & 1);
		for (int i = 0; i < EACH; i++)
			for (int k = 0; k < DEPTH; k++)
				sums[i] += ring[s].a[row + i * (CONSUMERS / SIDE)][k] * ring[s].b[k][column];
		empty[s].arrive();
	}
}

__global__ void __launch_bounds__(THREADS) multiply(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *c, int n, int stages)
{
	extern __shared__ __align__(1024) unsigned char memory[];
	stage *ring = (stage *)memory;
	__shared__ barrier full[MOST], empty[MOST];
	if (threadIdx.x == 0) {
		for (int s = 0; s < stages; s++) {
			full[s].init(1);
			empty[s].init(CONSUMERS);
		}
		publish_barriers();
	}
	__syncthreads();
	if (threadIdx.x >= CONSUMERS) {
		if (threadIdx.x == CONSUMERS)
			produce(a, b, ring, full, empty, n / DEPTH, stages);
		return;
	}
	float sums[EACH] = {};
	consume(ring, full, empty, n / DEPTH, stages, sums);
	for (int i = 0; i < EACH; i++)
		c[(size_t)(blockIdx.y * SIDE + threadIdx.x / SIDE + i * (CONSUMERS / SIDE)) * n + blockIdx.x * SIDE + threadIdx.x % SIDE] = sums[i];
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 128, stages = argc > 2 ? atoi(argv[2]) : 3, wrong = 0;
	if (n < SIDE || n % SIDE || stages < 1 || stages > MOST) {
		fprintf(stderr, "pipeline: expected a multiple of %d, and 1 to %d stages\n", SIDE, MOST);
		return 2;
	}
	float *a, *b, *c;
	cudaMallocManaged(&a, (size_t)n * n * sizeof *a);
	cudaMallocManaged(&b, (size_t)n * n * sizeof *b);
	cudaMallocManaged(&c, (size_t)n * n * sizeof *c);
	for (int i = 0; i < n * n; i++) {
		a[i] = (float)(i * 5 % 13);
		b[i] = (float)(i * 3 % 11);
	}
	int bytes = stages * (int)sizeof(stage);
	cudaFuncSetAttribute(multiply, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
	multiply<<<dim3(n / SIDE, n / SIDE), THREADS, bytes>>>(matrix_map(a, n, n, n, DEPTH, SIDE), matrix_map(b, n, n, n, SIDE, DEPTH), c, n, stages);
	cudaError_t error = cudaGetLastError();
	if (error == cudaSuccess)
		error = cudaDeviceSynchronize();
	for (int y = 0; y < n; y++)
		for (int x = 0; x < n; x++) {
			float sum = 0;
			for (int k = 0; k < n; k++)
				sum += a[(size_t)y * n + k] * b[(size_t)k * n + x];
			wrong += c[(size_t)y * n + x] != sum;
		}
	printf("product of %d x %d in %d stages: %s\n", n, n, stages, error ? cudaGetErrorString(error) : wrong ? "FAILED" : "PASSED");
	return error || wrong;
}
