/*
 * cuRAND's generators of the host (-lcurand). A generator has 4,096 sequences, whose states stay in device memory: number n
 * of all that it makes is number n / 4096 of sequence n mod 4096. For XORWOW and MRG32k3a that is NVIDIA's legacy ordering.
 * Other types have Philox's numbers. A sequence is seeded when it is first used, since a jump there is long.
 */
#pragma GCC visibility push(default)
#include <curand.h>
#pragma GCC visibility pop

#include <heddle_random.h>
#include <heddle_random_shapes.h>
#include <new>

#include "runtime/math/common/launch.cuh"

namespace {

enum { SEQUENCES = 4096, THREADS = 128 };

template <class State>
__global__ void __launch_bounds__(THREADS)
	seed_states(State *states, unsigned from, unsigned to, unsigned long long seed, unsigned long long offset)
{
	unsigned i = from + blockIdx.x * THREADS + threadIdx.x, sequence = (unsigned)((offset + i) % SEQUENCES);
	if (i < to)
		curand_init(seed, sequence, (offset + SEQUENCES - 1 - sequence) / SEQUENCES, &states[sequence]);
}

/* `first`: the sequence of the first number. */
template <class State, class Shape>
__global__ void __launch_bounds__(THREADS)
	fill(typename Shape::type *out, size_t count, State *states, unsigned first, Shape shape)
{
	unsigned sequence = blockIdx.x * THREADS + threadIdx.x;
	size_t i = (sequence + SEQUENCES - first) % SEQUENCES;
	if (i >= count)
		return;
	State state = states[sequence];
	for (; i < count; i += SEQUENCES)
		out[i] = shape(&state);
	states[sequence] = state;
}

/* What a number is made by. */
struct bits {
	typedef unsigned int type;
	template <class State> __device__ type operator()(State *state) const
	{
		return curand(state);
	}
};
struct uniform {
	typedef float type;
	template <class State> __device__ type operator()(State *state) const
	{
		return curand_uniform(state);
	}
};
struct uniform_double {
	typedef double type;
	template <class State> __device__ type operator()(State *state) const
	{
		return curand_uniform_double(state);
	}
};
struct normal {
	typedef float type;
	float mean, deviation;
	bool exponential;
	template <class State> __device__ type operator()(State *state) const
	{
		float x = mean + deviation * curand_normal(state);
		return exponential ? expf(x) : x;
	}
};
struct normal_double {
	typedef double type;
	double mean, deviation;
	bool exponential;
	template <class State> __device__ type operator()(State *state) const
	{
		double x = mean + deviation * curand_normal_double(state);
		return exponential ? exp(x) : x;
	}
};
struct poisson {
	typedef unsigned int type;
	double lambda;
	template <class State> __device__ type operator()(State *state) const
	{
		return curand_poisson(state, lambda);
	}
};

} // namespace

struct curandGenerator_st {
	curandRngType_t type;
	bool on_host; /* results are host memory */
	unsigned long long seed = 0, offset = 0;
	unsigned long long made = 0; /* numbers since the offset was set */
	unsigned seeded = 0;	     /* sequences that have a state, from that of the first number on */
	void *states = nullptr;
	cudaStream_t stream = nullptr;
};

/* The sequences that a call of so many numbers reaches. */
template <class State> static curandStatus_t seed(curandGenerator_t generator, size_t count)
{
	unsigned long long last = generator->made + count;
	unsigned to = last < SEQUENCES ? (unsigned)last : SEQUENCES;
	if (!generator->states && cudaMalloc(&generator->states, SEQUENCES * sizeof(State)) != cudaSuccess)
		return CURAND_STATUS_ALLOCATION_FAILED;
	if (to <= generator->seeded)
		return CURAND_STATUS_SUCCESS;
	unsigned from = generator->seeded;
	seed_states<State><<<(to - from + THREADS - 1) / THREADS, THREADS, 0, generator->stream>>>(
		static_cast<State *>(generator->states), from, to, generator->seed, generator->offset);
	generator->seeded = to;
	return CURAND_STATUS_SUCCESS;
}

template <class State, class Shape>
static curandStatus_t generate_with(curandGenerator_t generator, typename Shape::type *out, size_t count, Shape shape)
{
	typename Shape::type *to = out;
	hd_math::begin_call();
	curandStatus_t status = seed<State>(generator, count);
	if (status != CURAND_STATUS_SUCCESS)
		return status;
	if (generator->on_host && cudaMalloc((void **)&to, count * sizeof *out) != cudaSuccess)
		return CURAND_STATUS_ALLOCATION_FAILED;
	unsigned first = (unsigned)((generator->offset + generator->made) % SEQUENCES);
	fill<<<SEQUENCES / THREADS, THREADS, 0, generator->stream>>>(to, count, static_cast<State *>(generator->states), first,
								     shape);
	generator->made += count;
	cudaError_t error = hd_math::error_of_call();
	if (generator->on_host) {
		if (error == cudaSuccess)
			error = cudaStreamSynchronize(generator->stream);
		if (error == cudaSuccess)
			error = cudaMemcpy(out, to, count * sizeof *out, cudaMemcpyDeviceToHost);
		cudaFree(to);
	}
	return error == cudaSuccess ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

template <class Shape>
static curandStatus_t generate(curandGenerator_t generator, typename Shape::type *out, size_t count, Shape shape)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	if (count == 0)
		return CURAND_STATUS_SUCCESS;
	switch (generator->type) {
	case CURAND_RNG_PSEUDO_DEFAULT:
	case CURAND_RNG_PSEUDO_XORWOW: return generate_with<curandStateXORWOW_t>(generator, out, count, shape);
	case CURAND_RNG_PSEUDO_MRG32K3A: return generate_with<curandStateMRG32k3a_t>(generator, out, count, shape);
	default: return generate_with<curandStatePhilox4_32_10_t>(generator, out, count, shape);
	}
}

static curandStatus_t create(curandGenerator_t *generator, curandRngType_t type, bool on_host)
{
	bool known = type == CURAND_RNG_PSEUDO_DEFAULT || type == CURAND_RNG_PSEUDO_XORWOW ||
		     type == CURAND_RNG_PSEUDO_MRG32K3A || type == CURAND_RNG_PSEUDO_MTGP32 ||
		     type == CURAND_RNG_PSEUDO_MT19937 || type == CURAND_RNG_PSEUDO_PHILOX4_32_10;
	if (!generator || !known)
		return CURAND_STATUS_TYPE_ERROR;
	*generator = new (std::nothrow) curandGenerator_st{type, on_host};
	return *generator ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

static void begin_again(curandGenerator_t generator)
{
	generator->made = 0;
	generator->seeded = 0;
}

extern "C" {

curandStatus_t curandCreateGenerator(curandGenerator_t *generator, curandRngType_t type)
{
	return create(generator, type, false);
}

curandStatus_t curandCreateGeneratorHost(curandGenerator_t *generator, curandRngType_t type)
{
	return create(generator, type, true);
}

curandStatus_t curandDestroyGenerator(curandGenerator_t generator)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	cudaFree(generator->states);
	delete generator;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version)
{
	if (!version)
		return CURAND_STATUS_OUT_OF_RANGE;
	*version = CURAND_VERSION;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
	static const int parts[] = {CURAND_VER_MAJOR, CURAND_VER_MINOR, CURAND_VER_PATCH};
	if (!value || type < MAJOR_VERSION || type > PATCH_LEVEL)
		return CURAND_STATUS_OUT_OF_RANGE;
	*value = parts[type];
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t generator, cudaStream_t stream)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	generator->stream = stream;
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t generator, unsigned long long seed)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	generator->seed = seed;
	begin_again(generator);
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOffset(curandGenerator_t generator, unsigned long long offset)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	generator->offset = offset;
	begin_again(generator);
	return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t generator, curandOrdering_t order)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	return order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC ? CURAND_STATUS_SUCCESS
											      : CURAND_STATUS_OUT_OF_RANGE;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t generator, unsigned int)
{
	return generator ? CURAND_STATUS_TYPE_ERROR : CURAND_STATUS_NOT_INITIALIZED;
}

/* All of them, ahead of the first number. */
curandStatus_t curandGenerateSeeds(curandGenerator_t generator)
{
	if (!generator)
		return CURAND_STATUS_NOT_INITIALIZED;
	switch (generator->type) {
	case CURAND_RNG_PSEUDO_DEFAULT:
	case CURAND_RNG_PSEUDO_XORWOW: return seed<curandStateXORWOW_t>(generator, SEQUENCES);
	case CURAND_RNG_PSEUDO_MRG32K3A: return seed<curandStateMRG32k3a_t>(generator, SEQUENCES);
	default: return seed<curandStatePhilox4_32_10_t>(generator, SEQUENCES);
	}
}

curandStatus_t curandGenerate(curandGenerator_t generator, unsigned int *out, size_t count)
{
	return generate(generator, out, count, bits{});
}

curandStatus_t curandGenerateUniform(curandGenerator_t generator, float *out, size_t count)
{
	return generate(generator, out, count, uniform{});
}

curandStatus_t curandGenerateUniformDouble(curandGenerator_t generator, double *out, size_t count)
{
	return generate(generator, out, count, uniform_double{});
}

/* Pseudorandom normal numbers are made in pairs. */
#define HD_RAND_PAIRS(generator, count)                                                                                \
	do {                                                                                                           \
		if ((generator) && (count) % 2)                                                                        \
			return CURAND_STATUS_LENGTH_NOT_MULTIPLE;                                                      \
	} while (0)

curandStatus_t curandGenerateNormal(curandGenerator_t generator, float *out, size_t count, float mean, float deviation)
{
	HD_RAND_PAIRS(generator, count);
	return generate(generator, out, count, normal{mean, deviation, false});
}

curandStatus_t curandGenerateNormalDouble(curandGenerator_t generator, double *out, size_t count, double mean,
					  double deviation)
{
	HD_RAND_PAIRS(generator, count);
	return generate(generator, out, count, normal_double{mean, deviation, false});
}

curandStatus_t curandGenerateLogNormal(curandGenerator_t generator, float *out, size_t count, float mean,
				       float deviation)
{
	HD_RAND_PAIRS(generator, count);
	return generate(generator, out, count, normal{mean, deviation, true});
}

curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t generator, double *out, size_t count, double mean,
					     double deviation)
{
	HD_RAND_PAIRS(generator, count);
	return generate(generator, out, count, normal_double{mean, deviation, true});
}

curandStatus_t curandGeneratePoisson(curandGenerator_t generator, unsigned int *out, size_t count, double lambda)
{
	if (!(lambda > 0))
		return CURAND_STATUS_OUT_OF_RANGE;
	return generate(generator, out, count, poisson{lambda});
}

} // extern "C"
