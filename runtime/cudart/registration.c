/*
 * What clang's generated constructors call: kernel objects, kernels and variables of each
 * translation unit. Nothing is loaded here; the simulator starts on the first call that needs it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"
#include "runtime/cudart/context.h"

/* Layout of the wrapper in .nvFatBinSegment (ground facts of clang's CUDA support). */
#define HD_FATBIN_MAGIC 0x466243b1u
struct fatbin_wrapper {
	uint32_t magic, version;
	const uint8_t *data;
	void *unused;
};

void **__cudaRegisterFatBinary(void *fatCubin)
{
	HD_CUDART(cudart);
	const struct fatbin_wrapper *wrapper = fatCubin;
	struct hd_binary *binary = hd_xcalloc(1, sizeof *binary);
	hd_vec_push(&cudart->binaries, binary);
	binary->failed = true;
	if (wrapper->magic != HD_FATBIN_MAGIC)
		hd_error(&cudart->diag, HD_NOWHERE, "the program registers a GPU binary of unknown form (magic 0x%x)",
			 wrapper->magic);
	else if (!(binary->size = hd_object_declared_size(wrapper->data)))
		hd_error(&cudart->diag, HD_NOWHERE,
			 "the program's GPU binary is not a Heddle kernel object (build it with heddle-cc)");
	else
		binary->failed = false;
	binary->bytes = wrapper->data;
	hd_arena_init(&binary->arena);
	if (!binary->failed && hd_object_has_managed(binary->bytes)) {
		binary->object = hd_arena_alloc(&binary->arena, sizeof *binary->object);
		binary->failed = hd_object_open(binary->bytes, binary->size, "embedded kernel object", &binary->arena,
						binary->object, &cudart->diag) != 0;
	}
	return (void **)binary;
}

void __cudaRegisterFatBinaryEnd(void **fatCubinHandle)
{
	(void)fatCubinHandle;
}

void __cudaUnregisterFatBinary(void **fatCubinHandle)
{
	HD_CUDART(cudart);
	struct hd_binary *binary = (struct hd_binary *)fatCubinHandle;
	/* Its bytes may go with the shared library that is being closed; statistics at exit still need the module. */
	binary->gone = !binary->module;
	binary->closed = true;
	(void)cudart;
}

/*
 * A managed variable is the host's shadow itself, which the program may read before it calls the runtime: it gets its
 * initial value as soon as it is registered.
 */
static bool begin_managed(const struct hd_binary *binary, char *shadow, const char *name)
{
	const struct hd_object *object = binary->failed ? NULL : binary->object;
	for (uint32_t i = 0; object && i < object->symbol_count; i++) {
		const struct hd_symbol *symbol = &object->symbols[i];
		if (!symbol->managed || !symbol->defined || strcmp(symbol->name, name) != 0)
			continue;
		if (symbol->bss)
			memset(shadow, 0, symbol->size);
		else
			memcpy(shadow, object->data + symbol->section_offset, symbol->size);
		return true;
	}
	return false;
}

void hd_cudart_restore_managed(struct hd_cudart *cudart)
{
	for (uint32_t i = 0; i < cudart->variables.all.len; i++) {
		const struct hd_registered *entry = cudart->variables.all.data[i];
		if (entry->managed && !entry->binary->closed)
			begin_managed(entry->binary, (char *)(uintptr_t)entry->host, entry->name);
	}
}

static struct hd_registered *find(const struct hd_registry *registry, const void *host)
{
	const struct hd_map_entry *id = hd_map_get(&registry->ids, host);
	return id ? registry->all.data[id->start] : NULL;
}

static struct hd_registered *add(struct hd_registry *registry, const void *host, const char *name, void **handle)
{
	struct hd_registered *entry = find(registry, host);
	if (entry) {
		free(entry->name);
	} else {
		entry = hd_xcalloc(1, sizeof *entry);
		entry->host = host;
		hd_map_put(&registry->ids, host, registry->all.len, 0);
		hd_vec_push(&registry->all, entry);
	}
	entry->name = hd_xstrdup(name);
	entry->binary = (struct hd_binary *)handle;
	entry->kernel = NULL;
	return entry;
}

void __cudaRegisterFunction(void **fatCubinHandle, const char *hostFun, char *deviceFun, const char *deviceName,
			    int threadLimit, void *tid, void *bid, void *bDim, void *gDim, int *wSize)
{
	HD_CUDART(cudart);
	(void)deviceFun, (void)threadLimit, (void)tid, (void)bid, (void)bDim, (void)gDim, (void)wSize;
	add(&cudart->functions, hostFun, deviceName, fatCubinHandle);
}

void __cudaRegisterVar(void **fatCubinHandle, char *hostVar, char *deviceAddress, const char *deviceName, int ext,
		       size_t size, int constant, int global)
{
	HD_CUDART(cudart);
	(void)deviceAddress, (void)ext, (void)size, (void)constant, (void)global;
	add(&cudart->variables, hostVar, deviceName, fatCubinHandle)->managed =
		begin_managed((const struct hd_binary *)fatCubinHandle, hostVar, deviceName);
}

void __cudaRegisterManagedVar(void **fatCubinHandle, char *pointerVar, char *initialValue, const char *deviceName,
			      size_t size, unsigned int align)
{
	HD_CUDART(cudart);
	(void)initialValue, (void)size, (void)align;
	add(&cudart->variables, pointerVar, deviceName, fatCubinHandle);
	struct hd_managed managed = {(void **)(void *)pointerVar, hd_xstrdup(deviceName),
				     (struct hd_binary *)fatCubinHandle};
	*managed.pointer = NULL;
	hd_vec_push(&cudart->managed, managed);
	/* The program may read the variable before it calls the runtime, so this cannot wait. */
	hd_cudart_start(cudart);
}

struct hd_registered *hd_cudart_function(struct hd_cudart *cudart, const void *host)
{
	for (uint32_t i = 0; i < cudart->handles.len; i++)
		if (cudart->handles.data[i]->host == host)
			return cudart->handles.data[i];
	struct hd_registered *entry = find(&cudart->functions, host);
	if (!entry || !entry->binary->module)
		return NULL;
	if (!entry->kernel)
		entry->kernel = hd_sim_kernel(entry->binary->module, entry->name);
	return entry->kernel ? entry : NULL;
}

void hd_cudart_add_handle(struct hd_cudart *cudart, struct hd_kernel *kernel)
{
	for (uint32_t i = 0; i < cudart->handles.len; i++)
		if (cudart->handles.data[i]->kernel == kernel)
			return;
	struct hd_registered *entry = hd_xcalloc(1, sizeof *entry);
	entry->host = kernel;
	entry->kernel = kernel;
	hd_vec_push(&cudart->handles, entry);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	struct hd_kernel *kernel = functionPtr ? hd_cudart_kernel(cudart, symbolPtr) : NULL;
	if (!kernel)
		return hd_cudart_return(functionPtr ? cudaErrorInvalidDeviceFunction : cudaErrorInvalidValue);
	hd_cudart_add_handle(cudart, kernel);
	*functionPtr = (cudaFunction_t)kernel;
	return cudaSuccess;
}

cudaError_t hd_cudart_variable(struct hd_cudart *cudart, const void *host, uint64_t *address, uint64_t *size)
{
	struct hd_registered *entry = find(&cudart->variables, host);
	if (!entry || !entry->binary->module || hd_sim_symbol(entry->binary->module, entry->name, address, size))
		return cudaErrorInvalidSymbol;
	return cudaSuccess;
}
