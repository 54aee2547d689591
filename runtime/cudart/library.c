/*
 * Libraries of both APIs, which are modules here, and functions of the driver API by their names.
 */
#include <dlfcn.h>
#include <string.h>

#include "runtime/cudart/driver.h"

/* ------------------------------------------------------------ the driver API */

CUresult cuLibraryLoadData(CUlibrary *library, const void *code, CUjit_option *jitOptions, void **jitOptionsValues,
			   unsigned int numJitOptions, CUlibraryOption *libraryOptions, void **libraryOptionValues,
			   unsigned int numLibraryOptions)
{
	if (numJitOptions && (!jitOptions || !jitOptionsValues))
		return CUDA_ERROR_INVALID_VALUE;
	(void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
	return hd_driver_load((CUmodule *)library, code);
}

CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *fileName, CUjit_option *jitOptions,
			       void **jitOptionsValues, unsigned int numJitOptions, CUlibraryOption *libraryOptions,
			       void **libraryOptionValues, unsigned int numLibraryOptions)
{
	if (numJitOptions && (!jitOptions || !jitOptionsValues))
		return CUDA_ERROR_INVALID_VALUE;
	(void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
	return hd_driver_load_file((CUmodule *)library, fileName);
}

CUresult cuLibraryUnload(CUlibrary library)
{
	return cuModuleUnload((CUmodule)library);
}

CUresult cuLibraryGetModule(CUmodule *pMod, CUlibrary library)
{
	HD_CUDART(cudart);
	if (!pMod)
		return CUDA_ERROR_INVALID_VALUE;
	if (!hd_driver_is_module(cudart, (CUmodule)library))
		return CUDA_ERROR_INVALID_HANDLE;
	*pMod = (CUmodule)library;
	return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel *pKernel, CUlibrary library, const char *name)
{
	return cuModuleGetFunction((CUfunction *)pKernel, (CUmodule)library, name);
}

CUresult cuLibraryGetKernelCount(unsigned int *count, CUlibrary lib)
{
	return cuModuleGetFunctionCount(count, (CUmodule)lib);
}

CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned int numKernels, CUlibrary lib)
{
	return cuModuleEnumerateFunctions((CUfunction *)kernels, numKernels, (CUmodule)lib);
}

CUresult cuLibraryGetGlobal(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
	return cuModuleGetGlobal(dptr, bytes, (CUmodule)library, name);
}

/* A managed variable is placed by the program that has it, which a library is not. */
CUresult cuLibraryGetManaged(CUdeviceptr *dptr, size_t *bytes, CUlibrary library, const char *name)
{
	HD_CUDART(cudart);
	if (!name || !*name || (!dptr && !bytes))
		return CUDA_ERROR_INVALID_VALUE;
	return hd_driver_is_module(cudart, (CUmodule)library) ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuKernelGetFunction(CUfunction *pFunc, CUkernel kernel)
{
	HD_CUDART(cudart);
	if (!pFunc || !hd_cudart_kernel(cudart, kernel))
		return pFunc ? CUDA_ERROR_INVALID_HANDLE : CUDA_ERROR_INVALID_VALUE;
	*pFunc = (CUfunction)kernel;
	return CUDA_SUCCESS;
}

CUresult cuKernelGetLibrary(CUlibrary *pLib, CUkernel kernel)
{
	return cuFuncGetModule((CUmodule *)pLib, (CUfunction)kernel);
}

CUresult cuKernelGetName(const char **name, CUkernel hfunc)
{
	return cuFuncGetName(name, (CUfunction)hfunc);
}

CUresult cuKernelGetAttribute(int *pi, CUfunction_attribute attrib, CUkernel kernel, CUdevice dev)
{
	return dev ? CUDA_ERROR_INVALID_DEVICE : cuFuncGetAttribute(pi, attrib, (CUfunction)kernel);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attrib, int val, CUkernel kernel, CUdevice dev)
{
	return dev ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetAttribute((CUfunction)kernel, attrib, val);
}

CUresult cuKernelSetCacheConfig(CUkernel kernel, CUfunc_cache config, CUdevice dev)
{
	return dev ? CUDA_ERROR_INVALID_DEVICE : cuFuncSetCacheConfig((CUfunction)kernel, config);
}

CUresult cuKernelGetParamInfo(CUkernel kernel, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
	return cuFuncGetParamInfo((CUfunction)kernel, paramIndex, paramOffset, paramSize);
}

/* ------------------------------------------------------------ the runtime API */

/* The numbers of both APIs agree where the driver's functions above come from. */
static cudaError_t of_driver(CUresult result)
{
	return hd_cudart_return(result == CUDA_ERROR_NOT_FOUND ? cudaErrorSymbolNotFound : (cudaError_t)result);
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *code, enum cudaJitOption *jitOptions,
				void **jitOptionsValues, unsigned int numJitOptions,
				enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
				unsigned int numLibraryOptions)
{
	if (numJitOptions && (!jitOptions || !jitOptionsValues))
		return hd_cudart_return(cudaErrorInvalidValue);
	(void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
	return of_driver(hd_driver_load((CUmodule *)library, code));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *fileName, enum cudaJitOption *jitOptions,
				    void **jitOptionsValues, unsigned int numJitOptions,
				    enum cudaLibraryOption *libraryOptions, void **libraryOptionValues,
				    unsigned int numLibraryOptions)
{
	if (numJitOptions && (!jitOptions || !jitOptionsValues))
		return hd_cudart_return(cudaErrorInvalidValue);
	(void)libraryOptions, (void)libraryOptionValues, (void)numLibraryOptions;
	return of_driver(hd_driver_load_file((CUmodule *)library, fileName));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library)
{
	return of_driver(cuLibraryUnload(library));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *pKernel, cudaLibrary_t library, const char *name)
{
	return of_driver(cuLibraryGetKernel(pKernel, library, name));
}

cudaError_t cudaLibraryGetKernelCount(unsigned int *count, cudaLibrary_t lib)
{
	return of_driver(cuLibraryGetKernelCount(count, lib));
}

cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned int numKernels, cudaLibrary_t lib)
{
	return of_driver(cuLibraryEnumerateKernels(kernels, numKernels, lib));
}

cudaError_t cudaLibraryGetGlobal(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name)
{
	CUdeviceptr address = 0;
	cudaError_t error = of_driver(cuLibraryGetGlobal(&address, bytes, library, name));
	if (error == cudaSuccess && dptr)
		*dptr = (void *)(uintptr_t)address;
	return error;
}

cudaError_t cudaLibraryGetManaged(void **dptr, size_t *bytes, cudaLibrary_t library, const char *name)
{
	return of_driver(cuLibraryGetManaged((CUdeviceptr *)(void *)dptr, bytes, library, name));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, enum cudaFuncAttribute attr, int value, int device)
{
	return device ? hd_cudart_return(cudaErrorInvalidDevice) : cudaFuncSetAttribute(kernel, attr, value);
}

/* ------------------------------------------------------------ functions by name */

/* What this library exports under a name of the driver API; NULL. */
static void *find(const char *symbol)
{
	Dl_info self;
	if (strncmp(symbol, "cu", 2) != 0 || !strncmp(symbol, "cuda", 4) ||
	    !dladdr(__extension__(void *) cuInit, &self))
		return NULL;
	void *library = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	void *function = library ? dlsym(library, symbol) : NULL;
	if (library)
		dlclose(library); /* it stays: this is it */
	return function;
}

CUresult cuGetProcAddress(const char *symbol, void **pfn, int cudaVersion, cuuint64_t flags,
			  CUdriverProcAddressQueryResult *symbolStatus)
{
	if (!symbol || !pfn || flags > CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM)
		return CUDA_ERROR_INVALID_VALUE;
	*pfn = cudaVersion ? find(symbol) : NULL;
	if (symbolStatus)
		*symbolStatus = *pfn ? CU_GET_PROC_ADDRESS_SUCCESS : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
	return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **funcPtr, unsigned int cudaVersion,
					     unsigned long long flags,
					     enum cudaDriverEntryPointQueryResult *driverStatus)
{
	return of_driver(cuGetProcAddress(symbol, funcPtr, (int)cudaVersion, flags,
					  (CUdriverProcAddressQueryResult *)driverStatus));
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **funcPtr, unsigned long long flags,
				    enum cudaDriverEntryPointQueryResult *driverStatus)
{
	return cudaGetDriverEntryPointByVersion(symbol, funcPtr, CUDART_VERSION, flags, driverStatus);
}

CUresult cuGetExportTable(const void **ppExportTable, const CUuuid *pExportTableId)
{
	(void)pExportTableId;
	if (ppExportTable)
		*ppExportTable = NULL;
	return ppExportTable ? CUDA_ERROR_NOT_SUPPORTED : CUDA_ERROR_INVALID_VALUE;
}

cudaError_t cudaGetExportTable(const void **ppExportTable, const cudaUUID_t *pExportTableId)
{
	return of_driver(cuGetExportTable(ppExportTable, pExportTableId));
}
