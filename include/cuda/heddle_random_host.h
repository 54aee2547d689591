/*
 * cuRAND's generators of the host without a toolkit (curand.h). Thread t of a launch has sequence t, and takes every
 * 4,096th number of the result; a call goes on where the one before it ended.
 */
#ifndef HEDDLE_RANDOM_HOST_H
#define HEDDLE_RANDOM_HOST_H

#include "heddle_random.h"
#include "heddle_random_shapes.h"

struct curandGenerator_st {
	bool on_host; /* results are host memory */
	unsigned long long seed, offset;
	cudaStream_t stream;
};

/* What a number is made by. */
struct hd_random_bits {
	typedef unsigned int type;
	__device__ type operator()(curandStatePhilox4_32_10_t *state) const { return curand(state); }
};
struct hd_random_uniform {
	typedef float type;
	__device__ type operator()(curandStatePhilox4_32_10_t *state) const { return curand_uniform(state); }
};
struct hd_random_uniform_double {
	typedef double type;
	__device__ type operator()(curandStatePhilox4_32_10_t *state) const { return curand_uniform_double(state); }
};
struct hd_random_normal {
	typedef float type;
	float mean, deviation;
	bool exponential;
	__device__ type operator()(curandStatePhilox4_32_10_t *state) const
	{
		float x = mean + deviation * curand_normal(state);
		return exponential ? expf(x) : x;
	}
};
struct hd_random_normal_double {
	typedef double type;
	double mean, deviation;
	bool exponential;
	__device__ type operator()(curandStatePhilox4_32_10_t *state) const
	{
		double x = mean + deviation * curand_normal_double(state);
		return exponential ? exp(x) : x;
	}
};
struct hd_random_poisson {
	typedef unsigned int type;
	double lambda;
	__device__ type operator()(curandStatePhilox4_32_10_t *state) const { return curand_poisson(state, lambda); }
};

template <class Shape>
__global__ void hd_random_fill(typename Shape::type *out, size_t count, unsigned long long seed,
			       unsigned long long offset, Shape shape)
{
	curandStatePhilox4_32_10_t state;
	size_t thread = blockIdx.x * blockDim.x + threadIdx.x;
	curand_init(seed, thread, offset, &state);
	for (size_t i = thread; i < count; i += gridDim.x * blockDim.x)
		out[i] = shape(&state);
}

template <class Shape>
static inline curandStatus_t hd_random_generate(curandGenerator_t generator, typename Shape::type *out, size_t count,
						Shape shape)
{
	const unsigned threads = 128, blocks = 32;
	const size_t words = 64; /* that a number may take, but for rare ones of rejection methods */
	size_t bytes = count * sizeof *out;
	typename Shape::type *to = out;
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (count == 0)
		return CURAND_STATUS_SUCCESS;
	if (generator->on_host && cudaMalloc((void **)&to, bytes) != cudaSuccess)
		return CURAND_STATUS_ALLOCATION_FAILED;
	size_t needed = (count + threads - 1) / threads;
	unsigned launched = needed < blocks ? (unsigned)needed : blocks;
	hd_random_fill<<<launched, threads, 0, generator->stream>>>(to, count, generator->seed, generator->offset,
								    shape);
	generator->offset += (count / (launched * threads) + 1) * words;
	cudaError_t error = cudaGetLastError();
	if (generator->on_host) {
		if (error == cudaSuccess)
			error = cudaStreamSynchronize(generator->stream);
		if (error == cudaSuccess)
			error = cudaMemcpy(out, to, bytes, cudaMemcpyDeviceToHost);
		cudaFree(to);
	}
	return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

static inline curandStatus_t hd_random_create(curandGenerator_t *generator, curandRngType_t type, bool on_host)
{
	if (!generator || type >= CURAND_RNG_QUASI_DEFAULT)
		return CURAND_STATUS_TYPE_ERROR;
	*generator = new curandGenerator_st{on_host, 0, 0, 0};
	return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
	return hd_random_create(generator, type, false);
}
static inline curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
	return hd_random_create(generator, type, true);
}
static inline curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
	delete generator;
	return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
static inline curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	generator->seed = seed;
	generator->offset = 0;
	return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	generator->offset = offset;
	return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	generator->stream = stream;
	return CURAND_STATUS_SUCCESS;
}
static inline curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t)
{
	return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
static inline curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
	return generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_NOT_INITIALIZED;
}
static inline curandStatus_t curandGetVersion(int *version)
{
	*version = CURAND_VERSION;
	return CURAND_STATUS_SUCCESS;
}

static inline curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *out, size_t count)
{
	return hd_random_generate(generator, out, count, hd_random_bits{});
}
static inline curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out, size_t count)
{
	return hd_random_generate(generator, out, count, hd_random_uniform{});
}
static inline curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *out, size_t count)
{
	return hd_random_generate(generator, out, count, hd_random_uniform_double{});
}
static inline curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out, size_t count, float mean,
						  float deviation)
{
	return hd_random_generate(generator, out, count, hd_random_normal{mean, deviation, false});
}
static inline curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *out, size_t count,
							double mean, double deviation)
{
	return hd_random_generate(generator, out, count, hd_random_normal_double{mean, deviation, false});
}
static inline curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t count, float mean,
						     float deviation)
{
	return hd_random_generate(generator, out, count, hd_random_normal{mean, deviation, true});
}
static inline curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *out, size_t count,
							   double mean, double deviation)
{
	return hd_random_generate(generator, out, count, hd_random_normal_double{mean, deviation, true});
}
static inline curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *out, size_t count,
						   double lambda)
{
	return hd_random_generate(generator, out, count, hd_random_poisson{lambda});
}

#endif
