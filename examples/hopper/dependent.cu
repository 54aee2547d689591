/*
 * Layers of a network for one input, y = max(W x, 0), a kernel each. A kernel's weights do not depend on the kernel before
 * it, its input does. Launched with programmatic stream serialization, a kernel begins while the one before it runs: it
 * reads its weights into registers, waits for the end of that kernel (griddepcontrol.wait) and only then reads its input.
 * Each block lets the next kernel begin at once. Without the attribute, launch and weights of every layer come after the
 * end of the layer before.
 * dependent [LAYERS [SIDE [EARLY]]]; EARLY 0: without the attribute
 */
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { WARPS = 8, PER_LANE = 16, MOST = 32 * PER_LANE }; /* a row is at most as long as a warp's registers hold */

__global__ void __launch_bounds__(WARPS * 32) layer(const float *weights, const float *__restrict__ x, float *y, int side)
{
	int row = blockIdx.x * WARPS + threadIdx.x / 32, lane = threadIdx.x % 32;
	float own[PER_LANE], input[PER_LANE], sum = 0;
	cudaTriggerProgrammaticLaunchCompletion();
#pragma unroll
	for (int i = 0; i < PER_LANE; i++) {
		int column = 32 * i + lane;
		own[i] = row < side && column < side ? weights[(size_t)row * side + column] : 0;
	}
	cudaGridDependencySynchronize();
#pragma unroll
	for (int i = 0; i < PER_LANE; i++)
		input[i] = 32 * i + lane < side ? x[32 * i + lane] : 0;
#pragma unroll
	for (int i = 0; i < PER_LANE; i++)
		sum += own[i] * input[i];
	for (int apart = 16; apart; apart /= 2)
		sum += __shfl_xor_sync(~0u, sum, apart);
	if (!lane && row < side)
		y[row] = sum > 0 ? sum : 0;
}

int main(int argc, char **argv)
{
	int layers = argc > 1 ? atoi(argv[1]) : 8, side = argc > 2 ? atoi(argv[2]) : 512, early = argc > 3 ? atoi(argv[3]) : 1;
	if (layers < 1 || layers > 20 || side < 1 || side > MOST) {
		fprintf(stderr, "dependent: expected at most 20 layers, and a side of at most %d\n", MOST);
		return 2;
	}
	size_t words = (size_t)side * side;
	float *weights, *values;
	cudaStream_t stream;
	cudaEvent_t from, to;
	std::vector<float> now(side), next(side);
	cudaMallocManaged(&weights, layers * words * sizeof *weights);
	cudaMallocManaged(&values, (layers + 1) * (size_t)side * sizeof *values);
	/* Each value is two minus one of the layer before: whole numbers below 2^24, exact in any order. */
	for (int l = 0; l < layers; l++)
		for (int row = 0; row < side; row++) {
			float *own = weights + l * words + (size_t)row * side;
			for (int i = 0; i < side; i++)
				own[i] = 0;
			own[(row * 5 + l) % side] += 1;
			own[(row * 3 + 7) % side] += 1;
			own[(row + 11) % side] -= 1;
		}
	for (int i = 0; i < side; i++)
		values[i] = now[i] = (float)(i % 3);
	cudaStreamCreate(&stream);
	cudaEventCreate(&from);
	cudaEventCreate(&to);
	cudaLaunchAttribute attribute = {};
	attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
	attribute.val.programmaticStreamSerializationAllowed = early;
	cudaLaunchConfig_t config = {};
	config.gridDim = (side + WARPS - 1) / WARPS;
	config.blockDim = WARPS * 32;
	config.stream = stream;
	config.attrs = &attribute;
	config.numAttrs = 1;
	cudaError_t error = cudaEventRecord(from, stream);
	for (int l = 0; l < layers && error == cudaSuccess; l++)
		error = cudaLaunchKernelEx(&config, layer, (const float *)weights + l * words, (const float *)values + l * side,
					   values + (l + 1) * side, side);
	float milliseconds = 0;
	cudaEventRecord(to, stream);
	if (error == cudaSuccess)
		error = cudaStreamSynchronize(stream);
	cudaEventElapsedTime(&milliseconds, from, to);
	int wrong = 0;
	for (int l = 0; l < layers && error == cudaSuccess; l++) {
		for (int row = 0; row < side; row++) {
			float sum = 0;
			for (int i = 0; i < side; i++)
				sum += weights[l * words + (size_t)row * side + i] * now[i];
			next[row] = sum > 0 ? sum : 0;
			wrong += values[(l + 1) * side + row] != next[row];
		}
		now = next;
	}
	printf("%d layers of %d, %s: %.2f us, %d values are wrong, %s\n", layers, side, early ? "early" : "one after the other",
	       milliseconds * 1e3, wrong, cudaGetErrorString(error));
	return wrong || error != cudaSuccess;
}
