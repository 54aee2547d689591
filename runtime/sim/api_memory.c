/*
 * The simulator's interface (heddle/sim.h), functional half: modules, kernels, symbols and
 * device memory. Launches and statistics are the timing core's.
 */
#include <errno.h>
#include <string.h>

#include "heddle/config.h"
#include "lib/store.h"
#include "runtime/check/check.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/corun/recorder.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/load.h"
#include "runtime/memory/memory.h"
#include "runtime/sim/sim_private.h"
#include "runtime/watch/timeline.h"

/* ---- modules */

static void free_module(struct hd_module *module)
{
	hd_arena_release(&module->arena);
	free(module);
}

static int place(struct hd_gpu *gpu, struct hd_module *module, const struct hd_placement *placed)
{
	for (uint32_t i = 0; i < module->object.symbol_count; i++) {
		const struct hd_symbol *symbol = &module->object.symbols[i];
		if (!symbol->managed || !symbol->defined || strcmp(symbol->name, placed->name) != 0)
			continue;
		if (hd_devmem_adopt(gpu->devmem, placed->host, symbol->size))
			return hd_gpu_refuse(
				gpu, HD_SIM_NO_MEMORY,
				"%s: managed variable %s at %p is outside the addresses that the device can reach",
				module->name, symbol->name, placed->host);
		module->placed[i] = (uintptr_t)placed->host;
	}
	return HD_SIM_OK;
}

static int place_all(struct hd_gpu *gpu, struct hd_module *module, const struct hd_placement *placed, uint32_t count)
{
	int status = HD_SIM_OK;
	if (count)
		module->placed = HD_ARENA_NEW(&module->arena, uint64_t, module->object.symbol_count + 1);
	for (uint32_t i = 0; i < count && !status; i++)
		status = place(gpu, module, &placed[i]);
	for (uint32_t i = 0; status && i < module->object.symbol_count; i++)
		if (module->placed[i])
			hd_devmem_drop(gpu->devmem, (void *)(uintptr_t)module->placed[i]);
	return status;
}

static int load(struct hd_sim *sim, const uint8_t *bytes, size_t size, const char *name,
		const struct hd_placement *placed, uint32_t count, const struct hd_sim_place *at,
		struct hd_module **module)
{
	struct hd_gpu *gpu = &sim->gpu;
	struct hd_diag quiet = {0}, *diag = gpu->options.diag ? gpu->options.diag : &quiet;
	int error = hd_sim_wait_all(sim); /* code moves */
	if (error)
		return error;
	HD_STORE_SCOPE(HD_STORE_LASTING);
	struct hd_module *loaded = hd_xcalloc(1, sizeof(*loaded));
	loaded->gpu = gpu;
	hd_arena_init(&loaded->arena);
	loaded->name = hd_arena_strdup(&loaded->arena, name ? name : "object");
	if (hd_object_open(bytes, size, loaded->name, &loaded->arena, &loaded->object, diag) != 0) {
		/* The reader has reported why. */
		snprintf(gpu->error_text, sizeof(gpu->error_text), "%s: not a kernel object that can be loaded",
			 loaded->name);
		free_module(loaded);
		return HD_SIM_BAD_OBJECT;
	}
	int status = hd_checkpoint_load(gpu, loaded, bytes, size, placed, count);
	if (!status)
		status = place_all(gpu, loaded, placed, count);
	loaded->at = at;
	if (!status)
		status = hd_program_load(gpu, loaded);
	loaded->at = NULL;
	if (status) {
		free_module(loaded);
		return status;
	}
	loaded->next = gpu->modules;
	gpu->modules = loaded;
	*module = loaded;
	if (sim->recorder)
		hd_recorder_load(sim->recorder, loaded, bytes, size, count > 0);
	return HD_SIM_OK;
}

int hd_sim_load(struct hd_sim *sim, const uint8_t *bytes, size_t size, const char *name, struct hd_module **module)
{
	return load(sim, bytes, size, name, NULL, 0, NULL, module);
}

int hd_sim_load_placed(struct hd_sim *sim, const uint8_t *bytes, size_t size, const char *name,
		       const struct hd_placement *placed, uint32_t count, struct hd_module **module)
{
	return load(sim, bytes, size, name, placed, count, NULL, module);
}

int hd_sim_load_at(struct hd_sim *sim, const uint8_t *bytes, size_t size, const char *name,
		   const struct hd_sim_place *place, struct hd_module **module)
{
	return load(sim, bytes, size, name, NULL, 0, place, module);
}

void hd_sim_unload(struct hd_sim *sim, struct hd_module *module)
{
	struct hd_gpu *gpu = &sim->gpu;
	if (!module)
		return;
	hd_sim_wait_all(sim);
	for (struct hd_module **link = &gpu->modules; *link; link = &(*link)->next)
		if (*link == module) {
			*link = module->next;
			break;
		}
	hd_program_unload(gpu, module);
	free_module(module);
}

const char *hd_sim_target(const struct hd_module *module)
{
	return module->object.metadata.target;
}

struct hd_kernel *hd_sim_kernel(struct hd_module *module, const char *name)
{
	HD_STORE_SCOPE(HD_STORE_LASTING);
	return hd_program_kernel(module, name);
}

struct hd_kernel *hd_sim_kernel_at(struct hd_module *module, uint32_t index)
{
	return index < module->kernel_count ? hd_sim_kernel(module, hd_kernel_name(&module->kernels[index])) : NULL;
}

const char *hd_kernel_target(const struct hd_kernel *kernel)
{
	return hd_sim_target(kernel->module);
}

const struct hd_meta_function *hd_kernel_metadata(const struct hd_kernel *kernel)
{
	return kernel->meta;
}

int hd_sim_symbol(struct hd_module *module, const char *name, uint64_t *address, uint64_t *size)
{
	int status = hd_program_symbol(module, name, address, size);
	if (status)
		snprintf(module->gpu->error_text, sizeof(module->gpu->error_text), "%s: no device variable %s",
			 module->name, name);
	return status;
}

/* ---- device memory */

static void say_no_room(struct hd_sim *sim, uint64_t bytes)
{
	snprintf(sim->gpu.error_text, sizeof(sim->gpu.error_text),
		 "no room for %llu bytes of device memory, %llu are free", (unsigned long long)bytes,
		 (unsigned long long)hd_devmem_free_bytes(sim->gpu.devmem));
}

int hd_sim_malloc(struct hd_sim *sim, uint64_t bytes, uint64_t *address)
{
	int status = hd_devmem_alloc(sim->gpu.devmem, bytes, 256, address);
	if (status)
		say_no_room(sim, bytes);
	else if (hd_check_of(&sim->gpu))
		hd_check_allocated(hd_check_of(&sim->gpu), *address, bytes);
	return status;
}

int hd_sim_malloc_pages(struct hd_sim *sim, uint64_t bytes, int *file)
{
	*file = hd_devmem_take(sim->gpu.devmem, bytes);
	if (*file >= 0)
		return HD_SIM_OK;
	int why = errno;
	if (why == ENOMEM)
		say_no_room(sim, bytes);
	else
		snprintf(sim->gpu.error_text, sizeof(sim->gpu.error_text),
			 "the host has no file for %llu bytes of device memory: %s", (unsigned long long)bytes,
			 strerror(why));
	errno = why;
	return HD_SIM_NO_MEMORY;
}

void hd_sim_free_pages(struct hd_sim *sim, uint64_t bytes, int file)
{
	hd_devmem_give(sim->gpu.devmem, bytes, file);
}

int hd_sim_malloc_at(struct hd_sim *sim, uint64_t address, uint64_t bytes)
{
	int status = hd_devmem_place(sim->gpu.devmem, address, bytes);
	if (status)
		snprintf(sim->gpu.error_text, sizeof(sim->gpu.error_text),
			 "%llu bytes of device memory at 0x%llx are taken, or not there", (unsigned long long)bytes,
			 (unsigned long long)address);
	return status;
}

static bool belongs_to_module(const struct hd_gpu *gpu, uint64_t address)
{
	if (address == gpu->heap_address)
		return true;
	for (const struct hd_module *module = gpu->modules; module; module = module->next)
		if (address == module->data_address || address == module->rodata_address ||
		    address == module->bss_address)
			return true;
	return false;
}

int hd_sim_free_memory(struct hd_sim *sim, uint64_t address)
{
	int status = HD_SIM_BAD_ADDRESS;
	if (address && !belongs_to_module(&sim->gpu, address))
		status = hd_devmem_release(sim->gpu.devmem, address);
	if (status)
		snprintf(sim->gpu.error_text, sizeof(sim->gpu.error_text), "0x%llx is not the address of an allocation",
			 (unsigned long long)address);
	return status;
}

void hd_sim_reset_memory(struct hd_sim *sim)
{
	struct hd_gpu *gpu = &sim->gpu;
	uint64_t low, high, heap = gpu->heap_address;
	bool adopted;
	gpu->heap_address = 0;
	if (heap)
		hd_devmem_release(gpu->devmem, heap);
	for (uint32_t i = 0; hd_devmem_range(gpu->devmem, i, &low, &high, &adopted);)
		if (adopted || belongs_to_module(gpu, low) || hd_devmem_release(gpu->devmem, low))
			i++;
	for (struct hd_module *module = gpu->modules; module; module = module->next)
		hd_program_restore_data(gpu, module);
}

int hd_sim_hide_memory(struct hd_sim *sim, uint64_t address)
{
	return hd_devmem_hide(sim->gpu.devmem, address);
}

void hd_sim_show_memory(struct hd_sim *sim, uint64_t address, uint64_t bytes)
{
	hd_devmem_show(sim->gpu.devmem, address, bytes);
	if (hd_check_of(&sim->gpu))
		hd_check_allocated(hd_check_of(&sim->gpu), address, bytes);
}

/* Host memory of a range that must lie in one allocation, or NULL with the error text set. */
static void *checked(struct hd_sim *sim, uint64_t address, uint64_t bytes, const char *what)
{
	void *host = hd_devmem_at(sim->gpu.devmem, address, bytes);
	if (!host)
		snprintf(sim->gpu.error_text, sizeof(sim->gpu.error_text),
			 "%s of %llu bytes at 0x%llx is not inside one device allocation", what,
			 (unsigned long long)bytes, (unsigned long long)address);
	return host;
}

int hd_sim_write(struct hd_sim *sim, uint64_t address, const void *from, uint64_t bytes)
{
	void *to = bytes ? checked(sim, address, bytes, "copy to device") : NULL;
	if (to)
		memcpy(to, from, bytes);
	if (to)
		hd_timeline_copied(&sim->gpu, HD_COPY_TO_DEVICE, bytes);
	if (to && sim->gpu.config->l2_keeps_copies)
		hd_memory_copied(sim->gpu.memory, address, bytes);
	if (to && hd_check_of(&sim->gpu))
		hd_check_written(hd_check_of(&sim->gpu), address, bytes);
	return to || !bytes ? HD_SIM_OK : HD_SIM_BAD_ADDRESS;
}

int hd_sim_read(struct hd_sim *sim, uint64_t address, void *to, uint64_t bytes)
{
	const void *from = bytes ? checked(sim, address, bytes, "copy from device") : NULL;
	if (from)
		memcpy(to, from, bytes);
	if (from)
		hd_timeline_copied(&sim->gpu, HD_COPY_FROM_DEVICE, bytes);
	if (from && hd_check_of(&sim->gpu))
		hd_check_read(hd_check_of(&sim->gpu), address, bytes);
	return from || !bytes ? HD_SIM_OK : HD_SIM_BAD_ADDRESS;
}

int hd_sim_set(struct hd_sim *sim, uint64_t address, uint8_t value, uint64_t bytes)
{
	void *to = bytes ? checked(sim, address, bytes, "memset") : NULL;
	if (to)
		memset(to, value, bytes);
	if (to)
		hd_timeline_copied(&sim->gpu, HD_COPY_SET, bytes);
	if (to && hd_check_of(&sim->gpu))
		hd_check_written(hd_check_of(&sim->gpu), address, bytes);
	return to || !bytes ? HD_SIM_OK : HD_SIM_BAD_ADDRESS;
}

int hd_sim_copy(struct hd_sim *sim, uint64_t to, uint64_t from, uint64_t bytes)
{
	if (!bytes)
		return HD_SIM_OK;
	void *target = checked(sim, to, bytes, "copy to device");
	const void *source = target ? checked(sim, from, bytes, "copy from device") : NULL;
	if (!source)
		return HD_SIM_BAD_ADDRESS;
	memmove(target, source, bytes);
	hd_timeline_copied(&sim->gpu, HD_COPY_ON_DEVICE, bytes);
	if (hd_check_of(&sim->gpu))
		hd_check_copied(hd_check_of(&sim->gpu), to, from, bytes);
	return HD_SIM_OK;
}

int hd_sim_adopt(struct hd_sim *sim, void *host, uint64_t bytes)
{
	return hd_devmem_adopt(sim->gpu.devmem, host, bytes);
}

int hd_sim_drop(struct hd_sim *sim, void *host)
{
	return hd_devmem_drop(sim->gpu.devmem, host);
}

bool hd_sim_allocation(const struct hd_sim *sim, uint64_t address, uint64_t *low, uint64_t *high)
{
	return hd_devmem_find(sim->gpu.devmem, address, low, high);
}

bool hd_sim_owns(const struct hd_sim *sim, uint64_t address)
{
	uint64_t low, high;
	return hd_sim_allocation(sim, address, &low, &high);
}

void *hd_sim_host_pointer(struct hd_sim *sim, uint64_t address, uint64_t bytes)
{
	void *host = hd_devmem_share(sim->gpu.devmem, address, bytes);
	if (host && hd_check_of(&sim->gpu))
		hd_check_written(hd_check_of(&sim->gpu), address, bytes); /* from now on nobody tells */
	return host;
}

bool hd_sim_is_host_visible(const struct hd_sim *sim, uint64_t address)
{
	return hd_devmem_is_shared(sim->gpu.devmem, address);
}

bool hd_sim_is_device(const struct hd_sim *sim, uint64_t address)
{
	const struct hd_sim_options *options = &sim->gpu.options;
	return address >= options->device_base && address - options->device_base < options->device_bytes;
}

bool hd_sim_describe_address(const struct hd_sim *sim, uint64_t address, char *text, size_t size)
{
	uint64_t low, high;
	if (!hd_sim_is_device(sim, address))
		return false;
	if (hd_devmem_find(sim->gpu.devmem, address, &low, &high))
		snprintf(text, size, "byte %llu of the %llu bytes of device memory allocated at 0x%llx",
			 (unsigned long long)(address - low), (unsigned long long)(high - low),
			 (unsigned long long)low);
	else if (hd_devmem_was_freed(sim->gpu.devmem, address, &low, &high))
		snprintf(text, size, "device memory that was freed (%llu bytes at 0x%llx)",
			 (unsigned long long)(high - low), (unsigned long long)low);
	else
		snprintf(text, size, "device memory that is not allocated");
	return true;
}

uint64_t hd_sim_free_bytes(const struct hd_sim *sim)
{
	return hd_devmem_free_bytes(sim->gpu.devmem);
}
