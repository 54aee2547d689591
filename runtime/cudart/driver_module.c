/*
 * Modules and kernels of the driver API. A module is a kernel object; of PTX and of other compilers' binaries it is
 * said that they are none. Modules stay loaded when they are unloaded: the statistics name their kernels until the end.
 */
#include "runtime/cudart/driver.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/work.h"

struct CUmod_st {
	struct hd_module *module;
	bool gone;
};

/* ------------------------------------------------------------ loading */

enum image { IMAGE_OURS, IMAGE_PTX, IMAGE_OTHER_BINARY, IMAGE_UNKNOWN };

/* By what it begins with: 64 bytes are read only of an ELF file, which has as many. */
static enum image image_kind(const uint8_t *bytes, size_t size)
{
	static const uint8_t fatbin[] = {0x50, 0xed, 0x55, 0xba};
	if (size >= 64 && !memcmp(bytes, "\177ELF", 4))
		return hd_object_declared_size(bytes) ? IMAGE_OURS : IMAGE_OTHER_BINARY;
	if (size >= 4 && !memcmp(bytes, fatbin, 4))
		return IMAGE_OTHER_BINARY;
	size_t at = 0;
	while (at < size && isspace(bytes[at]))
		at++;
	if (at + 2 <= size && (!memcmp(bytes + at, "//", 2) || (bytes[at] == '.' && isalpha(bytes[at + 1]))))
		return IMAGE_PTX;
	return IMAGE_UNKNOWN;
}

CUresult hd_driver_refuse(struct hd_cudart *cudart, const uint8_t *bytes, size_t size, const char *name)
{
	switch (image_kind(bytes, size)) {
	case IMAGE_PTX:
		hd_error(&cudart->diag, HD_NOWHERE,
			 "%s is PTX, which Heddle does not compile at run time (load a kernel object: heddle-cc -keep "
			 "leaves NAME.hdo)",
			 name);
		return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
	case IMAGE_OTHER_BINARY:
		hd_error(&cudart->diag, HD_NOWHERE,
			 "%s is a GPU binary of another compiler or another version of Heddle (load a kernel object: "
			 "heddle-cc -keep leaves NAME.hdo)",
			 name);
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	case IMAGE_UNKNOWN: return CUDA_ERROR_INVALID_IMAGE;
	default: return CUDA_SUCCESS;
	}
}

static CUresult load(struct hd_cudart *cudart, CUmodule *module, const uint8_t *bytes, size_t size, const char *name)
{
	struct hd_module *loaded;
	CUresult result = hd_driver_refuse(cudart, bytes, size, name);
	if (result != CUDA_SUCCESS)
		return result;
	size_t declared = hd_object_declared_size(bytes);
	if (declared > size || hd_sim_load(cudart->sim, bytes, declared, name, &loaded))
		return CUDA_ERROR_INVALID_IMAGE;
	*module = hd_xcalloc(1, sizeof **module);
	(*module)->module = loaded;
	hd_vec_push(&cudart->modules, *module);
	return CUDA_SUCCESS;
}

CUresult hd_driver_load_file(CUmodule *module, const char *path)
{
	HD_CUDART(cudart);
	uint8_t *bytes;
	size_t size;
	if (!module || !path || !*path)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = hd_driver_end(hd_cudart_start(cudart));
	if (result != CUDA_SUCCESS)
		return result;
	if (access(path, R_OK) || hd_read_file(path, &bytes, &size, &cudart->diag))
		return CUDA_ERROR_FILE_NOT_FOUND;
	result = load(cudart, module, bytes, size, path);
	free(bytes);
	return result;
}

/* The size of an image in memory is in its header, or where its text ends. */
CUresult hd_driver_load(CUmodule *module, const void *image)
{
	HD_CUDART(cudart);
	if (!module || !image)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = hd_driver_end(hd_cudart_start(cudart));
	if (result != CUDA_SUCCESS)
		return result;
	const uint8_t *bytes = image;
	if (!memcmp(bytes, "\xb1\x43\x62\x46", 4)) /* a wrapper, as clang embeds it: version, then the data's address */
		memcpy(&bytes, bytes + 8, sizeof bytes);
	bool elf = !memcmp(bytes, "\177ELF", 4);
	size_t size = elf ? hd_object_declared_size(bytes) : strnlen((const char *)bytes, 4096);
	return load(cudart, module, bytes, elf && size < 64 ? 64 : size < 4 ? 4 : size, "the module's image");
}

CUresult cuModuleLoad(CUmodule *module, const char *fname)
{
	CUresult result = hd_driver_begin();
	return result == CUDA_SUCCESS ? hd_driver_load_file(module, fname) : result;
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
	CUresult result = hd_driver_begin();
	return result == CUDA_SUCCESS ? hd_driver_load(module, image) : result;
}

CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options,
			    void **optionValues)
{
	if (numOptions && (!options || !optionValues))
		return CUDA_ERROR_INVALID_VALUE;
	for (unsigned i = 0; i < numOptions; i++) {
		bool log = options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER;
		if (log && optionValues[i])
			*(char *)optionValues[i] = '\0';
	}
	return cuModuleLoadData(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
	return cuModuleLoadData(module, fatCubin);
}

bool hd_driver_is_module(const struct hd_cudart *cudart, CUmodule module)
{
	for (uint32_t i = 0; module && i < cudart->modules.len; i++)
		if (cudart->modules.data[i] == module)
			return !module->gone;
	return false;
}

CUresult cuModuleUnload(CUmodule hmod)
{
	HD_CUDART(cudart);
	if (!hd_driver_is_module(cudart, hmod))
		return CUDA_ERROR_INVALID_HANDLE;
	hmod->gone = true;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
	HD_CUDART(cudart);
	if (!hfunc || !name || !*name)
		return CUDA_ERROR_INVALID_VALUE;
	if (!hd_driver_is_module(cudart, hmod))
		return CUDA_ERROR_INVALID_HANDLE;
	struct hd_kernel *kernel = hd_sim_kernel(hmod->module, name);
	if (!kernel || !hd_kernel_metadata(kernel))
		return CUDA_ERROR_NOT_FOUND;
	*hfunc = (CUfunction)kernel;
	hd_cudart_add_handle(cudart, kernel);
	return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
	HD_CUDART(cudart);
	uint64_t address, size;
	if (!name || !*name || (!dptr && !bytes))
		return CUDA_ERROR_INVALID_VALUE;
	if (!hd_driver_is_module(cudart, hmod))
		return CUDA_ERROR_INVALID_HANDLE;
	if (hd_sim_symbol(hmod->module, name, &address, &size))
		return CUDA_ERROR_NOT_FOUND;
	if (dptr)
		*dptr = address;
	if (bytes)
		*bytes = size;
	return CUDA_SUCCESS;
}

CUresult cuModuleGetFunctionCount(unsigned int *count, CUmodule mod)
{
	HD_CUDART(cudart);
	if (!count)
		return CUDA_ERROR_INVALID_VALUE;
	if (!hd_driver_is_module(cudart, mod))
		return CUDA_ERROR_INVALID_HANDLE;
	for (*count = 0; hd_sim_kernel_at(mod->module, *count);)
		++*count;
	return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned int numFunctions, CUmodule mod)
{
	HD_CUDART(cudart);
	struct hd_kernel *kernel;
	if (!functions && numFunctions)
		return CUDA_ERROR_INVALID_VALUE;
	if (!hd_driver_is_module(cudart, mod))
		return CUDA_ERROR_INVALID_HANDLE;
	for (unsigned i = 0; i < numFunctions && (kernel = hd_sim_kernel_at(mod->module, i)); i++) {
		hd_cudart_add_handle(cudart, kernel);
		functions[i] = (CUfunction)kernel;
	}
	return CUDA_SUCCESS;
}

/* ------------------------------------------------------------ kernels */

CUresult cuFuncGetName(const char **name, CUfunction hfunc)
{
	HD_CUDART(cudart);
	struct hd_kernel *kernel = hd_cudart_kernel(cudart, hfunc);
	if (!name || !kernel)
		return CUDA_ERROR_INVALID_VALUE;
	*name = hd_kernel_name(kernel);
	return CUDA_SUCCESS;
}

CUresult cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
	HD_CUDART(cudart);
	struct hd_kernel *kernel = hd_cudart_kernel(cudart, hfunc);
	if (!hmod || !kernel)
		return CUDA_ERROR_INVALID_VALUE;
	for (uint32_t i = 0; i < cudart->modules.len; i++)
		if (hd_sim_kernel(cudart->modules.data[i]->module, hd_kernel_name(kernel)) == kernel) {
			*hmod = cudart->modules.data[i];
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_NOT_FOUND;
}

CUresult cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
	struct cudaFuncAttributes all;
	CUresult result = hd_driver_begin();
	if (result == CUDA_SUCCESS)
		result = hd_driver_end(cudaFuncGetAttributes(&all, hfunc));
	if (result != CUDA_SUCCESS)
		return result;
	const int values[] = {
		[CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK] = all.maxThreadsPerBlock,
		[CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES] = (int)all.sharedSizeBytes,
		[CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES] = (int)all.constSizeBytes,
		[CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES] = (int)all.localSizeBytes,
		[CU_FUNC_ATTRIBUTE_NUM_REGS] = all.numRegs,
		[CU_FUNC_ATTRIBUTE_PTX_VERSION] = all.ptxVersion,
		[CU_FUNC_ATTRIBUTE_BINARY_VERSION] = all.binaryVersion,
		[CU_FUNC_ATTRIBUTE_CACHE_MODE_CA] = all.cacheModeCA,
		[CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES] = all.maxDynamicSharedSizeBytes,
		[CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT] = all.preferredShmemCarveout,
		[CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET] = all.clusterDimMustBeSet,
		[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] = all.requiredClusterWidth,
		[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT] = all.requiredClusterHeight,
		[CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH] = all.requiredClusterDepth,
		[CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED] = all.nonPortableClusterSizeAllowed,
		[CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE] = all.clusterSchedulingPolicyPreference,
	};
	if (!pi || (unsigned)attrib >= CU_FUNC_ATTRIBUTE_MAX)
		return CUDA_ERROR_INVALID_VALUE;
	*pi = values[attrib];
	return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
	HD_DRIVER(cudaFuncSetAttribute(hfunc, (enum cudaFuncAttribute)attrib, value));
}

CUresult cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
	HD_DRIVER(cudaFuncSetCacheConfig(hfunc, (enum cudaFuncCache)config));
}

CUresult cuFuncSetSharedMemConfig(CUfunction hfunc, CUsharedconfig config)
{
	HD_DRIVER(cudaFuncSetSharedMemConfig(hfunc, (enum cudaSharedMemConfig)config));
}

static cudaError_t launch(CUfunction function, dim3 grid, dim3 block, unsigned shared, CUstream stream, void **args,
			  void **extra, bool cooperative)
{
	HD_CUDART(cudart);
	const struct cudaKernelNodeParams params = {function, grid, block, shared, args, extra};
	const struct hd_launch_how how = {.cooperative = cooperative};
	cudaGraphNode_t node;
	HD_TRY(hd_cudart_start_beside(cudart));
	if (!hd_cudart_kernel(cudart, function))
		return cudaErrorInvalidResourceHandle;
	if (!hd_handle_lives(stream, HD_HANDLE_STREAM))
		return cudaErrorInvalidResourceHandle;
	HD_TRY(hd_cudart_capture(cudart, stream, cudaGraphNodeTypeKernel, &node));
	if (node)
		return hd_cudart_deferred(cudart, stream, node, hd_graph_set_kernel(cudart, node, &params, &how));
	/* A node of no graph holds the arguments, in whichever of the two forms they come. */
	cudaGraph_t graph = hd_graph_new();
	node = hd_graph_add(graph, cudaGraphNodeTypeKernel, NULL, 0);
	cudaError_t error = hd_graph_set_kernel(cudart, node, &params, &how);
	if (error == cudaSuccess)
		error = hd_cudart_run(cudart, node->u.kernel.kernel, grid, block, shared, &how, node->u.kernel.params);
	hd_graph_free(graph);
	return error;
}

CUresult cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
			unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
			unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra)
{
	HD_DRIVER(launch(f, (dim3){gridDimX, gridDimY, gridDimZ}, (dim3){blockDimX, blockDimY, blockDimZ},
			 sharedMemBytes, hStream, kernelParams, extra, false));
}

CUresult cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
				   unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
				   unsigned int sharedMemBytes, CUstream hStream, void **kernelParams)
{
	HD_DRIVER(launch(f, (dim3){gridDimX, gridDimY, gridDimZ}, (dim3){blockDimX, blockDimY, blockDimZ},
			 sharedMemBytes, hStream, kernelParams, NULL, true));
}

CUresult cuLaunchHostFunc(CUstream hStream, CUhostFn fn, void *userData)
{
	HD_DRIVER(cudaLaunchHostFunc(hStream, fn, userData));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize,
						     size_t dynamicSMemSize)
{
	HD_DRIVER(cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize, dynamicSMemSize));
}

/* The block size, a multiple of the warp size, that keeps the most threads resident, and the grid that fills the GPU.
 */
CUresult cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
					  CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
					  int blockSizeLimit)
{
	int most, sms, best = 0;
	if (!minGridSize || !blockSize || blockSizeLimit < 0)
		return CUDA_ERROR_INVALID_VALUE;
	CUresult result = cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, func);
	if (result == CUDA_SUCCESS)
		result = cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 0);
	if (result == CUDA_SUCCESS && blockSizeLimit > 0 && blockSizeLimit < most)
		most = blockSizeLimit;
	for (int size = most - most % 32; result == CUDA_SUCCESS && size > 0; size -= 32) {
		int blocks = 0;
		size_t shared = blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(size) : dynamicSMemSize;
		result = cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, func, size, shared);
		if (blocks * size > best) {
			best = blocks * size;
			*blockSize = size;
			*minGridSize = blocks * sms;
		}
	}
	return result == CUDA_SUCCESS && !best ? CUDA_ERROR_INVALID_VALUE : result;
}
