// cuRAND's generators: the numbers are NVIDIA's, with a toolkit's headers and without. Means and variances.
#include <cstdio>
#include <cuda_runtime.h>
#include <curand_kernel.h>

__device__ unsigned mixed(unsigned sum, unsigned number)
{
	return (sum ^ number) * 16777619u;
}

template <class State>
__device__ unsigned draws(State state, unsigned sum)
{
	for (int i = 0; i < 6; i++)
		sum = mixed(sum, curand(&state));
	sum = mixed(sum, __float_as_uint(curand_uniform(&state)));
	return mixed(sum, (unsigned)__double_as_longlong(curand_uniform_double(&state)));
}

template <class State>
__global__ void numbers(unsigned *out)
{
	const unsigned long long seeds[] = {0, 1, 1234567890123}, jumps[] = {0, 1, 6, 4097, 1ull << 63};
	unsigned sum = 0;
	State state;
	for (unsigned long long seed : seeds) {
		curand_init(seed, 0, 0, &state);
		for (unsigned long long jump : jumps) {
			skipahead_sequence(jump, &state);
			sum = draws(state, sum);
			skipahead(jump + 3, &state);
			sum = draws(state, sum);
		}
	}
	*out = sum;
}
__global__ void fours(unsigned *out)
{
	curandStatePhilox4_32_10_t state;
	unsigned sum = 0;
	for (int offset = 0; offset < 5; offset++) {
		curand_init(5, 1ull << 40, 0xfffffffffffffff0ull + offset, &state);
		for (int i = 0; i < 3; i++) {
			uint4 four = curand4(&state);
			sum = mixed(mixed(mixed(mixed(sum, four.x), four.y), four.z), four.w);
			sum = mixed(sum, __float_as_uint(curand_uniform4(&state).w));
		}
		sum = mixed(sum, curand(&state));
	}
	*out = sum;
}

// Of `count` draws: sums and sums of squares.
template <class State>
__global__ void shapes(double *sums, int count)
{
	State state;
	curand_init(7, blockIdx.x * blockDim.x + threadIdx.x, 0, &state);
	double sum[6][2] = {};
	for (int i = 0; i < count; i++) {
		double drawn[6] = {curand_normal(&state),
				   curand_normal_double(&state),
				   log((double)curand_log_normal(&state, 1.5f, 0.5f)),
				   curand_normal2(&state).y,
				   (double)curand_poisson(&state, 3),
				   (double)curand_poisson(&state, 100)};
		for (int shape = 0; shape < 6; shape++) {
			sum[shape][0] += drawn[shape];
			sum[shape][1] += drawn[shape] * drawn[shape];
		}
	}
	for (int i = 0; i < 12; i++)
		atomicAdd(&sums[i], sum[i / 2][i % 2]);
}

template <class State>
unsigned numbers_of(unsigned *word)
{
	numbers<State><<<1, 1>>>(word);
	cudaDeviceSynchronize();
	return *word;
}

template <class State>
void shapes_of(const char *name, double *sums)
{
	const int threads = 256, count = 24;
	const double n = threads * count;
	const double means[6] = {0, 0, 1.5, 0, 3, 100}, variances[6] = {1, 1, 0.25, 1, 3, 100};
	bool right = true;
	for (int i = 0; i < 12; i++)
		sums[i] = 0;
	shapes<State><<<threads / 64, 64>>>(sums, count);
	right &= cudaDeviceSynchronize() == cudaSuccess;
	for (int i = 0; i < 6; i++) {
		double mean = sums[2 * i] / n, variance = sums[2 * i + 1] / n - mean * mean;
		right &= fabs(mean - means[i]) < 4 * sqrt(variances[i] / n);
		right &= fabs(variance / variances[i] - 1) < 0.1;
	}
	printf("%s: %s\n", name, right ? "right" : "wrong");
}

int main()
{
	unsigned *word;
	double *sums;
	cudaMallocManaged(&word, sizeof *word);
	cudaMallocManaged(&sums, 12 * sizeof *sums);
	printf("xorwow %08x\n", numbers_of<curandState>(word));
	printf("philox %08x\n", numbers_of<curandStatePhilox4_32_10_t>(word));
	printf("mrg %08x\n", numbers_of<curandStateMRG32k3a>(word));
	fours<<<1, 1>>>(word);
	cudaDeviceSynchronize();
	printf("fours %08x\n", *word);
	shapes_of<curandState_t>("xorwow's shapes", sums);
	shapes_of<curandStatePhilox4_32_10_t>("philox's shapes", sums);
	shapes_of<curandStateMRG32k3a_t>("mrg's shapes", sums);
}
