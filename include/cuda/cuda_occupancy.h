/*
 * Occupancy by formula, from a device's properties and a kernel's attributes alone: CUDA's <cuda_occupancy.h>.
 * What the simulated GPU answers (cudaOccupancyMaxActiveBlocksPerMultiprocessor) follows the same rules
 * (lib/occupancy.c). Nothing here calls the runtime, so that it serves devices that are not there, too.
 *
 * Not modelled: partitioned global caching (Maxwell), and virtual resources.
 */
#ifndef __CUDA_OCCUPANCY_H__
#define __CUDA_OCCUPANCY_H__

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#ifndef __OCC_INLINE
#define __OCC_INLINE inline
#endif

typedef enum cudaOccError_enum {
	CUDA_OCC_SUCCESS = 0,
	CUDA_OCC_ERROR_INVALID_INPUT = 1,
	CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2, /* a compute capability below 5.0 */
} cudaOccError;

typedef enum cudaOccPartitionedGCConfig_enum {
	PARTITIONED_GC_OFF,
	PARTITIONED_GC_ON,
	PARTITIONED_GC_ON_STRICT,
} cudaOccPartitionedGCConfig;

typedef enum cudaOccFuncShmemConfig_enum {
	FUNC_SHMEM_LIMIT_DEFAULT, /* a block has at most sharedMemPerBlock */
	FUNC_SHMEM_LIMIT_OPTIN,   /* or what the kernel asked for, up to sharedMemPerBlockOptin */
} cudaOccFuncShmemConfig;

typedef enum cudaOccCacheConfig_enum {
	CACHE_PREFER_NONE,
	CACHE_PREFER_SHARED,
	CACHE_PREFER_L1,
	CACHE_PREFER_EQUAL,
} cudaOccCacheConfig;

/* A percentage of the largest shared memory, or one of these. */
typedef enum cudaOccCarveoutConfig_enum {
	SHAREDMEM_CARVEOUT_DEFAULT = -1,
	SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
	SHAREDMEM_CARVEOUT_MAX_L1 = 0,
	SHAREDMEM_CARVEOUT_HALF = 50,
} cudaOccCarveoutConfig;

/* Bits of limitingFactors: each limit that allows no more blocks than there are. */
typedef enum cudaOccLimitingFactor_enum {
	OCC_LIMIT_WARPS = 0x01,
	OCC_LIMIT_REGISTERS = 0x02,
	OCC_LIMIT_SHARED_MEMORY = 0x04,
	OCC_LIMIT_BLOCKS = 0x08,
	OCC_LIMIT_BARRIERS = 0x10,
	OCC_LIMIT_VIRTUAL_RESOURCES = 0x20,
} cudaOccLimitingFactor;

/* Of a device; sizes are in bytes. Made of a cudaDeviceProp, too. */
typedef struct cudaOccDeviceProp {
	int computeMajor;
	int computeMinor;
	int maxThreadsPerBlock;
	int maxThreadsPerMultiprocessor;
	int regsPerBlock;
	int regsPerMultiprocessor;
	int warpSize;
	size_t sharedMemPerBlock;
	size_t sharedMemPerMultiprocessor;
	int numSms;
	size_t sharedMemPerBlockOptin;
	size_t reservedSharedMemPerBlock;
#ifdef __cplusplus
	template <typename _DeviceProp>
	__OCC_INLINE cudaOccDeviceProp(const _DeviceProp &props)
		: computeMajor(props.major), computeMinor(props.minor), maxThreadsPerBlock(props.maxThreadsPerBlock),
		  maxThreadsPerMultiprocessor(props.maxThreadsPerMultiProcessor), regsPerBlock(props.regsPerBlock),
		  regsPerMultiprocessor(props.regsPerMultiprocessor), warpSize(props.warpSize),
		  sharedMemPerBlock(props.sharedMemPerBlock),
		  sharedMemPerMultiprocessor(props.sharedMemPerMultiprocessor), numSms(props.multiProcessorCount),
		  sharedMemPerBlockOptin(props.sharedMemPerBlockOptin),
		  reservedSharedMemPerBlock(props.reservedSharedMemPerBlock)
	{
	}
	__OCC_INLINE cudaOccDeviceProp()
		: computeMajor(0), computeMinor(0), maxThreadsPerBlock(0), maxThreadsPerMultiprocessor(0),
		  regsPerBlock(0), regsPerMultiprocessor(0), warpSize(0), sharedMemPerBlock(0),
		  sharedMemPerMultiprocessor(0), numSms(0), sharedMemPerBlockOptin(0), reservedSharedMemPerBlock(0)
	{
	}
#endif
} cudaOccDeviceProp;

/* Of a kernel; sizes are in bytes. Made of a cudaFuncAttributes, too. */
typedef struct cudaOccFuncAttributes {
	int maxThreadsPerBlock; /* INT_MAX: the device's limit alone */
	int numRegs;
	size_t sharedSizeBytes;
	cudaOccPartitionedGCConfig partitionedGCConfig;
	cudaOccFuncShmemConfig shmemLimitConfig;
	size_t maxDynamicSharedSizeBytes;
	int numBlockBarriers;
	int virtualResourceCount;
#ifdef __cplusplus
	template <typename _FuncAttributes>
	__OCC_INLINE cudaOccFuncAttributes(const _FuncAttributes &attr)
		: maxThreadsPerBlock(attr.maxThreadsPerBlock), numRegs(attr.numRegs),
		  sharedSizeBytes(attr.sharedSizeBytes), partitionedGCConfig(PARTITIONED_GC_OFF),
		  shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
		  maxDynamicSharedSizeBytes(attr.maxDynamicSharedSizeBytes), numBlockBarriers(1),
		  virtualResourceCount(0)
	{
	}
	__OCC_INLINE cudaOccFuncAttributes()
		: maxThreadsPerBlock(0), numRegs(0), sharedSizeBytes(0), partitionedGCConfig(PARTITIONED_GC_OFF),
		  shmemLimitConfig(FUNC_SHMEM_LIMIT_DEFAULT), maxDynamicSharedSizeBytes(0), numBlockBarriers(0),
		  virtualResourceCount(0)
	{
	}
#endif
} cudaOccFuncAttributes;

typedef struct cudaOccDeviceState {
	cudaOccCacheConfig cacheConfig;
	int carveoutConfig;
#ifdef __cplusplus
	__OCC_INLINE cudaOccDeviceState() : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT)
	{
	}
#endif
} cudaOccDeviceState;

typedef struct cudaOccResult {
	int activeBlocksPerMultiprocessor;
	unsigned int limitingFactors; /* cudaOccLimitingFactor */
	int blockLimitRegs;           /* blocks that each resource allows alone; INT_MAX: any number */
	int blockLimitSharedMem;
	int blockLimitWarps;
	int blockLimitBlocks;
	int blockLimitBarriers;
	int blockLimitVirtual;
	int allocatedRegistersPerBlock; /* with the rounding of the allocation */
	size_t allocatedSharedMemPerBlock;
	cudaOccPartitionedGCConfig partitionedGCConfig;
} cudaOccResult;

/* ------------------------------------------------------------ what a compute capability says */

struct heddle_occ_rules {
	size_t shared_unit;     /* bytes in which shared memory is given out */
	int register_unit;      /* registers in which a warp gets them */
	int parts;              /* of an SM, each with its share of the registers */
	int registers_a_thread; /* at most */
	int blocks;             /* of an SM, at most */
	int barriers;           /* of an SM, as blocks count them */
};

static __OCC_INLINE cudaOccError heddle_occ_rules_of(struct heddle_occ_rules *rules,
						     const cudaOccDeviceProp *properties)
{
	int capability = 10 * properties->computeMajor + properties->computeMinor;
	if (capability < 50)
		return CUDA_OCC_ERROR_UNKNOWN_DEVICE;
	rules->shared_unit = capability < 80 ? 256 : 128;
	rules->register_unit = 256;
	rules->parts = capability == 60 ? 2 : 4;
	rules->registers_a_thread = 255;
	bool small = capability == 86 || capability == 87, less = capability == 89 || capability == 101 ||
							       capability == 110 || properties->computeMajor == 12;
	rules->blocks = small || capability == 75 ? 16 : less ? 24 : 32;
	rules->barriers = small || less ? rules->blocks : 2 * rules->blocks;
	return CUDA_OCC_SUCCESS;
}

/* Bytes of shared memory that an SM has: the smallest of the sizes it can be set to that holds the carveout. */
static __OCC_INLINE size_t heddle_occ_shared(const cudaOccDeviceProp *properties, const cudaOccDeviceState *state)
{
	static const int volta[] = {0, 8, 16, 32, 64, 96}, turing[] = {32, 64},
			 ampere[] = {0, 8, 16, 32, 64, 100, 132, 164, 196, 228};
	size_t most = properties->sharedMemPerMultiprocessor;
	int capability = 10 * properties->computeMajor + properties->computeMinor;
	if (capability < 70 || state->carveoutConfig < 0 || state->carveoutConfig >= 100)
		return most;
	const int *sizes = capability < 75 ? volta : capability < 80 ? turing : ampere;
	unsigned int count = capability < 75 ? sizeof volta / sizeof *volta :
			     capability < 80 ? sizeof turing / sizeof *turing :
					       sizeof ampere / sizeof *ampere;
	size_t wanted = most * (size_t)state->carveoutConfig / 100;
	for (unsigned int i = 0; i < count; i++)
		if ((size_t)sizes[i] << 10 >= wanted)
			return (size_t)sizes[i] << 10 < most ? (size_t)sizes[i] << 10 : most;
	return most;
}

static __OCC_INLINE size_t heddle_occ_round_up(size_t value, size_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static __OCC_INLINE int heddle_occ_least(int a, int b)
{
	return a < b ? a : b;
}

static __OCC_INLINE cudaOccError heddle_occ_check(const cudaOccDeviceProp *properties,
						  const cudaOccFuncAttributes *attributes,
						  const cudaOccDeviceState *state)
{
	if (!properties || !attributes || !state || properties->maxThreadsPerBlock <= 0 ||
	    properties->maxThreadsPerMultiprocessor <= 0 || properties->regsPerBlock <= 0 ||
	    properties->regsPerMultiprocessor <= 0 || properties->warpSize <= 0 ||
	    properties->sharedMemPerBlock == 0 || properties->sharedMemPerMultiprocessor == 0 ||
	    properties->numSms <= 0 || attributes->maxThreadsPerBlock <= 0 || attributes->numRegs < 0 ||
	    attributes->numBlockBarriers < 0 || (unsigned int)state->cacheConfig > CACHE_PREFER_EQUAL ||
	    state->carveoutConfig < SHAREDMEM_CARVEOUT_DEFAULT ||
	    state->carveoutConfig > SHAREDMEM_CARVEOUT_MAX_SHARED)
		return CUDA_OCC_ERROR_INVALID_INPUT;
	return CUDA_OCC_SUCCESS;
}

/* Bytes that a block of the kernel may have in all. */
static __OCC_INLINE size_t heddle_occ_block_shared(const cudaOccDeviceProp *properties,
						   const cudaOccFuncAttributes *attributes)
{
	size_t asked = attributes->sharedSizeBytes + attributes->maxDynamicSharedSizeBytes;
	if (attributes->shmemLimitConfig != FUNC_SHMEM_LIMIT_OPTIN || properties->computeMajor < 7 ||
	    asked <= properties->sharedMemPerBlock)
		return properties->sharedMemPerBlock;
	return asked < properties->sharedMemPerBlockOptin ? asked : properties->sharedMemPerBlockOptin;
}

/* ------------------------------------------------------------ the calculator */

static __OCC_INLINE cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(
	cudaOccResult *result, const cudaOccDeviceProp *properties, const cudaOccFuncAttributes *attributes,
	const cudaOccDeviceState *state, int blockSize, size_t dynamicSmemSize)
{
	struct heddle_occ_rules rules;
	cudaOccError error = heddle_occ_check(properties, attributes, state);
	if (error != CUDA_OCC_SUCCESS)
		return error;
	if (!result || blockSize <= 0)
		return CUDA_OCC_ERROR_INVALID_INPUT;
	error = heddle_occ_rules_of(&rules, properties);
	if (error != CUDA_OCC_SUCCESS)
		return error;

	int warps = (blockSize + properties->warpSize - 1) / properties->warpSize;
	bool too_many = blockSize > heddle_occ_least(properties->maxThreadsPerBlock, attributes->maxThreadsPerBlock);
	result->blockLimitWarps =
		too_many ? 0 : properties->maxThreadsPerMultiprocessor / properties->warpSize / warps;
	result->blockLimitBlocks = rules.blocks;
	result->blockLimitVirtual = INT_MAX;
	result->partitionedGCConfig = PARTITIONED_GC_OFF;

	/* A warp's registers lie in one part of the file; whether a block fits at all counts warps by whole rounds. */
	int warp_registers = (int)heddle_occ_round_up((size_t)attributes->numRegs * (size_t)properties->warpSize,
						      (size_t)rules.register_unit);
	size_t refused_by =
		(size_t)warp_registers * heddle_occ_round_up((size_t)warps, (size_t)rules.parts);
	if (attributes->numRegs > rules.registers_a_thread || refused_by > (size_t)properties->regsPerBlock)
		result->blockLimitRegs = 0;
	else if (!warp_registers)
		result->blockLimitRegs = INT_MAX;
	else
		result->blockLimitRegs =
			properties->regsPerMultiprocessor / rules.parts / warp_registers * rules.parts / warps;
	result->allocatedRegistersPerBlock = warp_registers * warps;

	size_t shared = attributes->sharedSizeBytes + dynamicSmemSize;
	size_t given = heddle_occ_round_up(shared + properties->reservedSharedMemPerBlock, rules.shared_unit);
	size_t room = heddle_occ_shared(properties, state);
	if (room < given) /* a launch takes the next size that holds a block, whatever was preferred */
		room = properties->sharedMemPerMultiprocessor;
	result->blockLimitSharedMem = shared > heddle_occ_block_shared(properties, attributes) ? 0 :
				      given                                                     ? (int)(room / given) :
												  INT_MAX;
	result->allocatedSharedMemPerBlock = given;
	result->blockLimitBarriers =
		attributes->numBlockBarriers ? rules.barriers / attributes->numBlockBarriers : INT_MAX;

	const int limits[] = {result->blockLimitWarps, result->blockLimitRegs, result->blockLimitSharedMem,
			      result->blockLimitBlocks, result->blockLimitBarriers};
	const unsigned int factors[] = {OCC_LIMIT_WARPS, OCC_LIMIT_REGISTERS, OCC_LIMIT_SHARED_MEMORY, OCC_LIMIT_BLOCKS,
					OCC_LIMIT_BARRIERS};
	result->activeBlocksPerMultiprocessor = INT_MAX;
	result->limitingFactors = 0;
	for (int i = 0; i < 5; i++)
		result->activeBlocksPerMultiprocessor =
			heddle_occ_least(result->activeBlocksPerMultiprocessor, limits[i]);
	for (int i = 0; i < 5; i++)
		if (limits[i] == result->activeBlocksPerMultiprocessor)
			result->limitingFactors |= factors[i];
	return CUDA_OCC_SUCCESS;
}

/*
 * Each block's part of an SM's shared memory, without what the kernel has of its own, in bytes. As with CUDA what is
 * reserved for blocks is not taken off, so that as many as asked for may not fit with so much.
 */
static __OCC_INLINE cudaOccError cudaOccAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize,
								     const cudaOccDeviceProp *properties,
								     const cudaOccFuncAttributes *attributes,
								     const cudaOccDeviceState *state, int numBlocks,
								     int blockSize)
{
	cudaOccResult result;
	struct heddle_occ_rules rules;
	cudaOccError error =
		cudaOccMaxActiveBlocksPerMultiprocessor(&result, properties, attributes, state, blockSize, 0);
	if (error != CUDA_OCC_SUCCESS)
		return error;
	if (!dynamicSmemSize || numBlocks <= 0 || numBlocks > result.activeBlocksPerMultiprocessor)
		return CUDA_OCC_ERROR_INVALID_INPUT;
	heddle_occ_rules_of(&rules, properties);
	size_t each = heddle_occ_shared(properties, state) / (size_t)numBlocks / rules.shared_unit * rules.shared_unit;
	size_t most = heddle_occ_block_shared(properties, attributes);
	each = (each < most ? each : most) - attributes->sharedSizeBytes;
	*dynamicSmemSize =
		each < attributes->maxDynamicSharedSizeBytes ? each : attributes->maxDynamicSharedSizeBytes;
	return CUDA_OCC_SUCCESS;
}

/* ------------------------------------------------------------ the best block size */

/*
 * The block size, in whole warps or the limit itself, with which most threads are resident, the largest of several;
 * and the grid that fills the device with it. `dynamic`: bytes of dynamic shared memory of a block of that size.
 */
static __OCC_INLINE cudaOccError heddle_occ_best(int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
						 const cudaOccFuncAttributes *attributes,
						 const cudaOccDeviceState *state,
						 size_t (*dynamic)(int size, const void *context), const void *context)
{
	cudaOccError error = heddle_occ_check(properties, attributes, state);
	if (error != CUDA_OCC_SUCCESS)
		return error;
	if (!minGridSize || !blockSize)
		return CUDA_OCC_ERROR_INVALID_INPUT;
	int most = heddle_occ_least(properties->maxThreadsPerBlock, attributes->maxThreadsPerBlock);
	int unit = properties->warpSize, blocks = 0;
	*blockSize = 0;
	for (int size = (most + unit - 1) / unit * unit; size > 0; size -= unit) {
		int tried = heddle_occ_least(size, most);
		cudaOccResult result;
		error = cudaOccMaxActiveBlocksPerMultiprocessor(&result, properties, attributes, state, tried,
								dynamic(tried, context));
		if (error != CUDA_OCC_SUCCESS)
			return error;
		if (result.activeBlocksPerMultiprocessor * tried > blocks * *blockSize) {
			blocks = result.activeBlocksPerMultiprocessor;
			*blockSize = tried;
		}
	}
	*minGridSize = blocks * properties->numSms;
	return CUDA_OCC_SUCCESS;
}

struct heddle_occ_dynamic {
	size_t (*of)(int size); /* NULL: the same for all */
	size_t same;
};

static __OCC_INLINE size_t heddle_occ_dynamic_of(int size, const void *context)
{
	const struct heddle_occ_dynamic *dynamic = (const struct heddle_occ_dynamic *)context;
	return dynamic->of ? dynamic->of(size) : dynamic->same;
}

static __OCC_INLINE cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
	int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties, const cudaOccFuncAttributes *attributes,
	const cudaOccDeviceState *state, size_t (*blockSizeToDynamicSMemSize)(int), size_t dynamicSMemSize)
{
	const struct heddle_occ_dynamic dynamic = {blockSizeToDynamicSMemSize, dynamicSMemSize};
	return heddle_occ_best(minGridSize, blockSize, properties, attributes, state, heddle_occ_dynamic_of, &dynamic);
}

#ifdef __cplusplus
namespace
{

__OCC_INLINE cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize,
								const cudaOccDeviceProp *properties,
								const cudaOccFuncAttributes *attributes,
								const cudaOccDeviceState *state,
								size_t dynamicSMemSize = 0)
{
	return cudaOccMaxPotentialOccupancyBlockSize(minGridSize, blockSize, properties, attributes, state, 0,
						     dynamicSMemSize);
}

template <typename _UnaryFunction>
size_t heddle_occ_called(int size, const void *function)
{
	return (*static_cast<const _UnaryFunction *>(function))(size);
}

/* The function may be anything that a size can be given to. */
template <typename _UnaryFunction>
__OCC_INLINE cudaOccError cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(int *minGridSize, int *blockSize,
									    const cudaOccDeviceProp *properties,
									    const cudaOccFuncAttributes *attributes,
									    const cudaOccDeviceState *state,
									    _UnaryFunction blockSizeToDynamicSMemSize)
{
	return heddle_occ_best(minGridSize, blockSize, properties, attributes, state,
			       heddle_occ_called<_UnaryFunction>, &blockSizeToDynamicSMemSize);
}

} // namespace
#endif

#endif
