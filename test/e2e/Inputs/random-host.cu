// cuRAND's generators of the host: memory of either side, seeds, what follows what, distributions.
#include <cmath>
#include <cstdio>
#include <curand.h>
#include <vector>

const size_t N = 10000;

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

int main()
{
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
