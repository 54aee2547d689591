/*
 * scale: what simulations cost as they grow (make bench-scale): LAUNCHES launches, spread over STREAMS streams, of BLOCKS blocks of
 * THREADS threads that do TURNS turns of a load that L2 has and eight multiply-adds.
 */
#include <cstdio>
#include <cstdlib>
#include <vector>

#define WORDS (1 << 16)

__global__ void turns(const float *words, float *out, int count)
{
	unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
	float sum = 0, x = thread & 7;
	for (int turn = 0; turn < count; turn++) {
		float word = words[(thread + turn * 1024) % WORDS];
#pragma unroll
		for (int i = 0; i < 8; i++)
			sum = sum * 0.5f + x * word;
	}
	out[thread % WORDS] = sum;
}

int main(int argc, char **argv)
{
	int numbers[] = {80, 256, 32, 1, 1};
	for (int i = 1; i < argc && i <= 5; i++)
		numbers[i - 1] = atoi(argv[i]);
	auto [blocks, threads, count, stream_count, launches] = numbers;
	float *words, *out;
	if (blocks < 1 || threads < 1 || threads > 1024 || count < 1 || stream_count < 1 || launches < 1)
		return fputs("usage: scale [blocks [threads [turns [streams [launches]]]]]\n", stderr), 2;
	if (cudaMalloc(&words, WORDS * sizeof *words) || cudaMalloc(&out, WORDS * sizeof *out) ||
	    cudaMemset(words, 0, WORDS * sizeof *words))
		return fputs("scale: no memory\n", stderr), 1;
	std::vector<cudaStream_t> streams(stream_count);
	for (cudaStream_t &stream : streams)
		if (cudaStreamCreate(&stream))
			return fputs("scale: no stream\n", stderr), 1;
	for (int i = 0; i < launches; i++)
		turns<<<blocks, threads, 0, streams[i % stream_count]>>>(words, out, count);
	float first;
	if (cudaDeviceSynchronize() || cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost) || first != 0)
		return fprintf(stderr, "scale: %s\n", cudaGetErrorString(cudaGetLastError())), 1;
	puts("scale: PASSED");
	return 0;
}
