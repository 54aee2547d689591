// cuRAND's generators of the host: memory of either side, seeds, what follows what, distributions.
#include <cmath>
#include <cstdio>
#include <curand.h>
#include <curand_kernel.h>
#include <vector>

const size_t N = 2000;

static bool fits(const std::vector<double> &x, double mean, double variance)
{
	double sum = 0, squares = 0;
	for (double value : x) {
		sum += value;
		squares += (value - mean) * (value - mean);
	}
	return fabs(sum / x.size() - mean) < 5 * sqrt(variance / x.size()) && fabs(squares / x.size() / variance - 1) < 0.1;
}

template <class T, class F>
std::vector<double> drawn(F generate)
{
	T *on_device;
	std::vector<T> numbers(N);
	cudaMalloc(&on_device, N * sizeof(T));
	if (generate(on_device) != CURAND_STATUS_SUCCESS)
		return std::vector<double>(1);
	cudaMemcpy(numbers.data(), on_device, N * sizeof(T), cudaMemcpyDeviceToHost);
	cudaFree(on_device);
	return std::vector<double>(numbers.begin(), numbers.end());
}

// Number n of all is number n / 4096 of sequence n mod 4096: whatever the calls that make them are, and where they begin.
template <class State> __global__ void at(unsigned *out, unsigned long long n)
{
	State state;
	curand_init(77ull, (n + threadIdx.x) % 4096, (n + threadIdx.x) / 4096, &state);
	out[threadIdx.x] = curand(&state);
}

template <class State> static bool in_order(curandRngType_t type)
{
	const unsigned before = 4000, count = 9;
	curandGenerator_t gen;
	unsigned *numbers, *expected, got[2 * count], want[2 * count];
	cudaMalloc(&numbers, 100 * sizeof *numbers);
	cudaMalloc(&expected, sizeof want);
	bool right = curandCreateGenerator(&gen, type) == CURAND_STATUS_SUCCESS;
	right &= curandSetPseudoRandomGeneratorSeed(gen, 77ull) == CURAND_STATUS_SUCCESS;
	right &= curandSetGeneratorOffset(gen, before) == CURAND_STATUS_SUCCESS;
	right &= curandGenerateSeeds(gen) == CURAND_STATUS_SUCCESS; // ahead of the numbers, which stay as they are
	right &= curandGenerate(gen, numbers, 90) == CURAND_STATUS_SUCCESS;
	right &= curandGenerate(gen, numbers, count) == CURAND_STATUS_SUCCESS; // beyond the last sequence
	cudaMemcpy(got, numbers, sizeof got / 2, cudaMemcpyDeviceToHost);
	right &= curandSetGeneratorOffset(gen, 10 * 4096 + 5) == CURAND_STATUS_SUCCESS;
	right &= curandGenerate(gen, numbers, count) == CURAND_STATUS_SUCCESS;
	cudaMemcpy(got + count, numbers, sizeof got / 2, cudaMemcpyDeviceToHost);
	at<State><<<1, count>>>(expected, before + 90);
	at<State><<<1, count>>>(expected + count, 10 * 4096 + 5);
	cudaMemcpy(want, expected, sizeof want, cudaMemcpyDeviceToHost);
	for (unsigned i = 0; i < 2 * count; i++)
		right &= got[i] == want[i];
	return right && curandDestroyGenerator(gen) == CURAND_STATUS_SUCCESS;
}

int main()
{
	printf("order %d %d %d\n", in_order<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_DEFAULT),
	       in_order<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A),
	       in_order<curandStatePhilox4_32_10_t>(CURAND_RNG_PSEUDO_MT19937));
	curandGenerator_t gen, other;
	bool right = curandCreateGenerator(&gen, CURAND_RNG_PSEUDO_DEFAULT) == CURAND_STATUS_SUCCESS;
	curandSetPseudoRandomGeneratorSeed(gen, 1234ull);
	auto uniform = [&](float *x) { return curandGenerateUniform(gen, x, N); };
	std::vector<double> first = drawn<float>(uniform), second = drawn<float>(uniform);
	right &= first != second && fits(first, 0.5, 1 / 12.0) && fits(second, 0.5, 1 / 12.0);
	for (double x : first)
		right &= x > 0 && x <= 1;
	curandSetPseudoRandomGeneratorSeed(gen, 1234ull);
	right &= drawn<float>(uniform) == first && drawn<float>(uniform) == second;
	curandSetPseudoRandomGeneratorSeed(gen, 1235ull);
	right &= drawn<float>(uniform) != first;
	printf("uniform %d\n", right);
	right = fits(drawn<double>([&](double *x) { return curandGenerateUniformDouble(gen, x, N); }), 0.5, 1 / 12.0);
	right &= fits(drawn<float>([&](float *x) { return curandGenerateNormal(gen, x, N, 2, 3); }), 2, 9);
	right &= fits(drawn<double>([&](double *x) { return curandGenerateNormalDouble(gen, x, N, -2, 1); }), -2, 1);
	right &= fits(drawn<unsigned>([&](unsigned *x) { return curandGenerate(gen, x, N); }), 2147483647.5,
		      0x1p64 / 12);
	right &= fits(drawn<unsigned>([&](unsigned *x) { return curandGeneratePoisson(gen, x, N, 20); }), 20, 20);
	std::vector<double> grown =
		drawn<float>([&](float *x) { return curandGenerateLogNormal(gen, x, N, 1, 0.5f); });
	for (double &x : grown)
		x = log(x);
	printf("shapes %d\n", right && fits(grown, 1, 0.25));
	std::vector<float> here(N);
	right = curandCreateGeneratorHost(&other, CURAND_RNG_PSEUDO_MT19937) == CURAND_STATUS_SUCCESS;
	right &= curandGenerateUniform(other, here.data(), N) == CURAND_STATUS_SUCCESS;
	right &= fits(std::vector<double>(here.begin(), here.end()), 0.5, 1 / 12.0);
	right &= curandDestroyGenerator(gen) == CURAND_STATUS_SUCCESS;
	right &= curandDestroyGenerator(other) == CURAND_STATUS_SUCCESS;
	right &= curandCreateGenerator(&gen, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_TYPE_ERROR;
	printf("host %d\n", right);
}
