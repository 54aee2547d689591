/*
 * Virtual memory management of the driver API: addresses that a program reserves (cuMemAddressReserve), memory without
 * an address (cuMemCreate), and what joins them (cuMemMap, cuMemSetAccess).
 *
 * Such memory is a file in the host's memory, which is mapped where the program wants it. The device reaches it under
 * the host's address (hd_sim_adopt), so that two mappings of one memory are the same bytes. Mappings that follow one
 * another and are open to the device are one range to it: a copy may cross them.
 *
 * Cost: O(reservations + mappings) a call; O(log n) to find shared memory, O(n) to insert or remove it.
 */
#include "runtime/cudart/virtual.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/bits.h"
#include "runtime/cudart/driver.h"
#include "runtime/cudart/handles.h"

/* Linux, AddressSanitizer and ThreadSanitizer put nothing here by themselves, so that addresses are the same in every
 * run. The program may have put something here: a reservation goes round it. */
#define LOWEST UINT64_C(0x280000000000)
#define HIGHEST UINT64_C(0x300000000000)
/* Sizes are multiples of this, as on cards since Pascal. */
#define GRANULE (UINT64_C(2) << 20)
#define PAGE UINT64_C(4096) /* of the host */

/* Memory without an address. It is there while the program or a mapping holds it. */
struct hd_physical {
	uint64_t bytes;
	int file;
	bool imported; /* the bytes are another's */
	uint32_t held; /* by the program */
	uint32_t maps;
	CUmemAllocationProp prop;
	/* What is shared: which file it is, whatever the descriptor. */
	dev_t device;
	ino_t inode;
};

bool hd_cudart_is_virtual(uint64_t address)
{
	return address >= LOWEST && address < HIGHEST;
}

/* ---- memory */

static struct hd_physical *physical_of(CUmemGenericAllocationHandle handle)
{
	const void *pointer = (const void *)(uintptr_t)handle;
	return hd_handle_lives(pointer, HD_HANDLE_PHYSICAL) ? (struct hd_physical *)(uintptr_t)handle : NULL;
}

/* Whether more files may be open from now on, where there were too many of them: each memory is one. */
static bool more_files(void)
{
	struct rlimit limit;
	if (errno != EMFILE || getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max)
		return false;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

static int duplicate(int file)
{
	int copy = fcntl(file, F_DUPFD_CLOEXEC, 0);
	return copy < 0 && more_files() ? fcntl(file, F_DUPFD_CLOEXEC, 0) : copy;
}

/* Where the memory of this file is among what is shared, or would be. */
static uint32_t place_among_shareable(const struct hd_virtual *virtual, dev_t device, ino_t inode)
{
	uint32_t at;
	HD_BISECT(at, 0, virtual->shareable.len,
		  virtual->shareable.data[at]->inode < inode || (virtual->shareable.data[at]->inode == inode &&
								 virtual->shareable.data[at]->device < device));
	return at;
}

/* Memory of the file that is known already, and its place; NULL. */
static struct hd_physical *known_memory(const struct hd_virtual *virtual, dev_t device, ino_t inode, uint32_t *at)
{
	*at = place_among_shareable(virtual, device, inode);
	struct hd_physical *memory = *at < virtual->shareable.len ? virtual->shareable.data[*at] : NULL;
	return memory && memory->inode == inode && memory->device == device ? memory : NULL;
}

static CUmemGenericAllocationHandle add_physical(struct hd_virtual *virtual, uint64_t bytes, int file, bool imported,
						 const CUmemAllocationProp *prop)
{
	struct stat status;
	struct hd_physical *memory = hd_xcalloc(1, sizeof *memory);
	*memory = (struct hd_physical){.bytes = bytes, .file = file, .imported = imported, .held = 1, .prop = *prop};
	if (prop->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE && fstat(file, &status) == 0) {
		memory->device = status.st_dev;
		memory->inode = status.st_ino;
		hd_vec_insert(&virtual->shareable, place_among_shareable(virtual, memory->device, memory->inode),
			      memory);
	}
	hd_handle_add(memory, HD_HANDLE_PHYSICAL);
	return (uintptr_t)memory;
}

/* One more holder in the program, for whom the handle is there again where it was given back. */
static CUmemGenericAllocationHandle hold(struct hd_physical *memory)
{
	if (!memory->held++)
		hd_handle_add(memory, HD_HANDLE_PHYSICAL);
	return (uintptr_t)memory;
}

/* Frees it unless the program or a mapping holds it. */
static void drop_physical(struct hd_cudart *cudart, struct hd_physical *memory)
{
	struct hd_virtual *virtual = &cudart->virtual;
	uint32_t at;
	if (memory->held || memory->maps)
		return;
	if (known_memory(virtual, memory->device, memory->inode, &at) == memory)
		hd_vec_remove(&virtual->shareable, at);
	if (memory->imported)
		close(memory->file);
	else
		hd_sim_free_pages(cudart->sim, memory->bytes, memory->file);
	free(memory);
}

static cudaError_t check_location(const CUmemLocation *location)
{
	if (location->type != CU_MEM_LOCATION_TYPE_DEVICE)
		return location->type > CU_MEM_LOCATION_TYPE_DEVICE &&
				       location->type <= CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT
			       ? cudaErrorNotSupported
			       : cudaErrorInvalidValue;
	return location->id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

/* What a program may share is a file descriptor, or nothing. */
static cudaError_t check_prop(const CUmemAllocationProp *prop)
{
	if (!prop || prop->type != CU_MEM_ALLOCATION_TYPE_PINNED)
		return cudaErrorInvalidValue;
	if (prop->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE &&
	    prop->requestedHandleTypes != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return cudaErrorNotSupported;
	return check_location(&prop->location);
}

static cudaError_t granularity_of(size_t *granularity, const CUmemAllocationProp *prop,
				  CUmemAllocationGranularity_flags option)
{
	cudaError_t error = granularity && option <= CU_MEM_ALLOC_GRANULARITY_RECOMMENDED ? check_prop(prop)
											  : cudaErrorInvalidValue;
	if (error == cudaSuccess)
		*granularity = GRANULE;
	return error;
}

CUresult cuMemGetAllocationGranularity(size_t *granularity, const CUmemAllocationProp *prop,
				       CUmemAllocationGranularity_flags option)
{
	HD_DRIVER(granularity_of(granularity, prop, option));
}

static cudaError_t create(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
			  unsigned long long flags)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start_beside(cudart));
	if (!handle || !size || size % GRANULE || flags)
		return cudaErrorInvalidValue;
	HD_TRY(check_prop(prop));
	int file, status = hd_sim_malloc_pages(cudart->sim, size, &file);
	if (status && more_files())
		status = hd_sim_malloc_pages(cudart->sim, size, &file);
	if (status)
		return hd_cudart_sim_error(cudart, status);
	*handle = add_physical(&cudart->virtual, size, file, false, prop);
	return cudaSuccess;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *handle, size_t size, const CUmemAllocationProp *prop,
		     unsigned long long flags)
{
	HD_DRIVER(create(handle, size, prop, flags));
}

static cudaError_t release(CUmemGenericAllocationHandle handle)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	struct hd_physical *memory = physical_of(handle);
	if (!memory)
		return cudaErrorInvalidValue;
	if (!--memory->held)
		hd_handle_drop(memory);
	drop_physical(cudart, memory);
	return cudaSuccess;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle)
{
	HD_DRIVER(release(handle));
}

static cudaError_t properties_of(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
	HD_CUDART(cudart);
	(void)cudart;
	const struct hd_physical *memory = physical_of(handle);
	if (!prop || !memory)
		return cudaErrorInvalidValue;
	*prop = memory->prop;
	return cudaSuccess;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *prop, CUmemGenericAllocationHandle handle)
{
	HD_DRIVER(properties_of(prop, handle));
}

static cudaError_t export_memory(void *shareable, CUmemGenericAllocationHandle handle, CUmemAllocationHandleType type,
				 unsigned long long flags)
{
	HD_CUDART(cudart);
	(void)cudart;
	const struct hd_physical *memory = physical_of(handle);
	if (!shareable || !memory || flags || type == CU_MEM_HANDLE_TYPE_NONE ||
	    type != memory->prop.requestedHandleTypes)
		return cudaErrorInvalidValue;
	int file = duplicate(memory->file);
	if (file < 0)
		return cudaErrorOperatingSystem;
	memcpy(shareable, &file, sizeof file);
	return cudaSuccess;
}

CUresult cuMemExportToShareableHandle(void *shareableHandle, CUmemGenericAllocationHandle handle,
				      CUmemAllocationHandleType handleType, unsigned long long flags)
{
	HD_DRIVER(export_memory(shareableHandle, handle, handleType, flags));
}

/* Whether the file is memory of this kind, of this process or another one that runs under the simulator: nobody can
 * change its size, and it can be written. */
static bool is_memory(int file, const struct stat *status)
{
	return fcntl(file, F_GET_SEALS) == HD_SIM_PAGES_SEALS && (fcntl(file, F_GETFL) & O_ACCMODE) == O_RDWR &&
	       status->st_size > 0 && (uint64_t)status->st_size % GRANULE == 0;
}

static cudaError_t import_memory(CUmemGenericAllocationHandle *handle, void *shareable, CUmemAllocationHandleType type)
{
	static const CUmemAllocationProp prop = {.type = CU_MEM_ALLOCATION_TYPE_PINNED,
						 .requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
						 .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE}};
	struct stat status;
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start_beside(cudart));
	if (!handle || type == CU_MEM_HANDLE_TYPE_NONE)
		return cudaErrorInvalidValue;
	if (type != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
		return cudaErrorNotSupported;
	int theirs = (int)(uintptr_t)shareable;
	if (fstat(theirs, &status) || !is_memory(theirs, &status))
		return cudaErrorInvalidValue;
	uint32_t at;
	struct hd_physical *known = known_memory(&cudart->virtual, status.st_dev, status.st_ino, &at);
	if (known) {
		*handle = hold(known);
		return cudaSuccess;
	}
	int file = duplicate(theirs);
	if (file < 0)
		return cudaErrorOperatingSystem;
	*handle = add_physical(&cudart->virtual, (uint64_t)status.st_size, file, true, &prop);
	return cudaSuccess;
}

CUresult cuMemImportFromShareableHandle(CUmemGenericAllocationHandle *handle, void *osHandle,
					CUmemAllocationHandleType shHandleType)
{
	HD_DRIVER(import_memory(handle, osHandle, shHandleType));
}

/* ---- addresses */

/* Nothing can be read or written there any more; whether that worked. Where not, errno is EEXIST for addresses that are
 * taken. */
static bool close_addresses(uint64_t low, uint64_t bytes, int where)
{
	void *at = (void *)(uintptr_t)low;
	void *got = mmap(at, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | where, -1, 0);
	if (got != at && got != MAP_FAILED) { /* a kernel that knows nothing of MAP_FIXED_NOREPLACE */
		munmap(got, bytes);
		errno = EEXIST;
	}
	return got == at;
}

/* The first free addresses from `low` on; their place among the reservations. False: there are none. */
static bool find_free(const struct hd_virtual *virtual, uint64_t *low, uint64_t bytes, uint64_t align, uint32_t *index)
{
	uint64_t at = hd_align_up(*low, align);
	uint32_t i = 0;
	for (; i < virtual->reserved.len; i++) {
		const struct hd_reserved *other = &virtual->reserved.data[i];
		if (at < other->low && bytes <= other->low - at)
			break;
		if (at < other->high)
			at = hd_align_up(other->high, align);
	}
	*low = at;
	*index = i;
	return at >= LOWEST && at < HIGHEST && bytes <= HIGHEST - at;
}

/* Takes the first free addresses from `low` on. Where the program has put something of its own, it goes on behind, in
 * ever larger steps: not every hole is found, but the end is near. */
static bool take_free(const struct hd_virtual *virtual, uint64_t *low, uint64_t bytes, uint64_t align, uint32_t *index)
{
	for (uint64_t step = align; find_free(virtual, low, bytes, align, index); step *= 2) {
		if (close_addresses(*low, bytes, MAP_FIXED_NOREPLACE))
			return true;
		if (errno != EEXIST)
			return false;
		*low += step;
	}
	return false;
}

static cudaError_t reserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr, unsigned long long flags)
{
	HD_CUDART(cudart);
	struct hd_virtual *virtual = &cudart->virtual;
	uint32_t index;
	HD_TRY(hd_cudart_start_beside(cudart));
	if (!ptr || !size || size % PAGE || flags || alignment & (alignment - 1))
		return cudaErrorInvalidValue;
	uint64_t align = alignment > GRANULE ? alignment : GRANULE;
	/* What the program would like is a hint. */
	uint64_t low = addr;
	bool found = addr && take_free(virtual, &low, size, align, &index);
	if (!found) {
		low = LOWEST;
		found = take_free(virtual, &low, size, align, &index);
	}
	if (!found)
		return cudaErrorMemoryAllocation;
	hd_vec_insert(&virtual->reserved, index, (struct hd_reserved){low, low + size});
	*ptr = low;
	return cudaSuccess;
}

CUresult cuMemAddressReserve(CUdeviceptr *ptr, size_t size, size_t alignment, CUdeviceptr addr,
			     unsigned long long flags)
{
	HD_DRIVER(reserve(ptr, size, alignment, addr, flags));
}

/* Index of the first mapping that ends behind the address. */
static uint32_t mapped_from(const struct hd_virtual *virtual, uint64_t address)
{
	uint32_t at;
	HD_BISECT(at, 0, virtual->mapped.len, virtual->mapped.data[at].high <= address);
	return at;
}

/* The reservation that holds all of [low, low + bytes); NULL. */
static const struct hd_reserved *reservation_of(const struct hd_virtual *virtual, uint64_t low, uint64_t bytes)
{
	for (uint32_t i = 0; i < virtual->reserved.len; i++) {
		const struct hd_reserved *reserved = &virtual->reserved.data[i];
		if (low >= reserved->low && low < reserved->high && bytes <= reserved->high - low)
			return reserved;
	}
	return NULL;
}

static cudaError_t free_addresses(CUdeviceptr ptr, size_t size)
{
	HD_CUDART(cudart);
	struct hd_virtual *virtual = &cudart->virtual;
	HD_TRY(hd_cudart_start(cudart));
	const struct hd_reserved *reserved = reservation_of(virtual, ptr, size);
	uint32_t first = mapped_from(virtual, ptr);
	if (!reserved || reserved->low != ptr || reserved->high - ptr != size ||
	    (first < virtual->mapped.len && virtual->mapped.data[first].low < ptr + size))
		return cudaErrorInvalidValue;
	uint32_t index = (uint32_t)(reserved - virtual->reserved.data);
	if (munmap((void *)(uintptr_t)ptr, size))
		return cudaErrorMemoryAllocation; /* the host has as many ranges as it can */
	hd_vec_remove(&virtual->reserved, index);
	return cudaSuccess;
}

CUresult cuMemAddressFree(CUdeviceptr ptr, size_t size)
{
	HD_DRIVER(free_addresses(ptr, size));
}

/* ---- mappings */

/* Whether a mapping and the one before it are parts of one run. */
static bool goes_on(const struct hd_virtual *virtual, uint32_t index)
{
	const struct hd_mapped *mapped = &virtual->mapped.data[index];
	return index && mapped->open && mapped[-1].open && mapped->low == mapped[-1].high;
}

/*
 * Gives the device each run of open mappings that has a byte in [low, high) or touches it, or takes it back. What
 * changes there is done between the two, since hd_sim_drop knows a run by its start; other runs stay as they are.
 */
static int for_each_run(struct hd_cudart *cudart, bool give, uint64_t low, uint64_t high)
{
	const struct hd_virtual *virtual = &cudart->virtual;
	uint32_t begin = low ? mapped_from(virtual, low - 1) : 0;
	int status = 0;
	while (begin < virtual->mapped.len && goes_on(virtual, begin))
		begin--;
	for (uint32_t i = begin, end; i < virtual->mapped.len && virtual->mapped.data[i].low <= high; i = end) {
		const struct hd_mapped *first = &virtual->mapped.data[i];
		end = i + 1;
		if (!first->open)
			continue;
		while (end < virtual->mapped.len && goes_on(virtual, end))
			end++;
		void *host = (void *)(uintptr_t)first->low;
		int now = give ? hd_sim_adopt(cudart->sim, host, virtual->mapped.data[end - 1].high - first->low)
			       : hd_sim_drop(cudart->sim, host);
		status = status ? status : now;
	}
	return status;
}

/* Gives the device the runs as they are now, with which a call ends. */
static cudaError_t give_runs(struct hd_cudart *cudart, uint64_t low, uint64_t size)
{
	int status = for_each_run(cudart, true, low, low + size);
	return status ? hd_cudart_sim_error(cudart, status) : cudaSuccess;
}

static cudaError_t map(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
		       unsigned long long flags)
{
	HD_CUDART(cudart);
	struct hd_virtual *virtual = &cudart->virtual;
	HD_TRY(hd_cudart_start_beside(cudart));
	struct hd_physical *memory = physical_of(handle);
	if (!memory || !size || ptr % GRANULE || size % GRANULE || offset || flags || size > memory->bytes ||
	    !reservation_of(virtual, ptr, size))
		return cudaErrorInvalidValue;
	uint32_t index = mapped_from(virtual, ptr);
	if (index < virtual->mapped.len && virtual->mapped.data[index].low < ptr + size)
		return cudaErrorInvalidValue;
	if (mmap((void *)(uintptr_t)ptr, size, PROT_NONE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, memory->file, 0) ==
	    MAP_FAILED)
		return cudaErrorMemoryAllocation;
	hd_vec_insert(&virtual->mapped, index, (struct hd_mapped){ptr, ptr + size, memory, false});
	memory->maps++;
	return cudaSuccess;
}

CUresult cuMemMap(CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
		  unsigned long long flags)
{
	HD_DRIVER(map(ptr, size, offset, handle, flags));
}

/* The mappings that are exactly [ptr, ptr + size), from *first up to *end. False: there is a hole, or half of one. */
static bool whole_mappings(const struct hd_virtual *virtual, uint64_t ptr, uint64_t size, uint32_t *first,
			   uint32_t *end)
{
	uint64_t at = ptr, high;
	uint32_t i = *first = mapped_from(virtual, ptr);
	if (!size || __builtin_add_overflow(ptr, size, &high))
		return false;
	for (; at < high; i++) {
		if (i == virtual->mapped.len || virtual->mapped.data[i].low != at)
			return false;
		at = virtual->mapped.data[i].high;
	}
	*end = i;
	return at == high;
}

static cudaError_t unmap(CUdeviceptr ptr, size_t size)
{
	HD_CUDART(cudart);
	struct hd_virtual *virtual = &cudart->virtual;
	uint32_t first, end;
	HD_TRY(hd_cudart_start(cudart));
	if (!whole_mappings(virtual, ptr, size, &first, &end))
		return cudaErrorInvalidValue;
	for_each_run(cudart, false, ptr, ptr + size);
	if (!close_addresses(ptr, size, MAP_FIXED)) {
		give_runs(cudart, ptr, size);
		return cudaErrorMemoryAllocation;
	}
	for (uint32_t i = first; i < end; i++) {
		virtual->mapped.data[i].memory->maps--;
		drop_physical(cudart, virtual->mapped.data[i].memory);
	}
	hd_vec_remove_some(&virtual->mapped, first, end - first);
	return give_runs(cudart, ptr, size);
}

CUresult cuMemUnmap(CUdeviceptr ptr, size_t size)
{
	HD_DRIVER(unmap(ptr, size));
}

/* Of several entries the last one counts. Memory that kernels may only read is not there. */
static cudaError_t read_access(const CUmemAccessDesc *desc, size_t count, bool *open)
{
	enum { MOST = 64 }; /* more than there are places for memory: no table stands behind such a number */
	if (!desc || !count || count > MOST)
		return cudaErrorInvalidValue;
	for (size_t i = 0; i < count; i++) {
		cudaError_t error = check_location(&desc[i].location);
		if (error != cudaSuccess)
			return error;
		if (desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READ)
			return cudaErrorNotSupported;
		if (desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_NONE &&
		    desc[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
			return cudaErrorInvalidValue;
		*open = desc[i].flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	}
	return cudaSuccess;
}

static bool protect(uint64_t low, uint64_t high, bool open)
{
	return mprotect((void *)(uintptr_t)low, high - low, open ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
}

static cudaError_t set_access(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
	HD_CUDART(cudart);
	struct hd_virtual *virtual = &cudart->virtual;
	uint32_t first, end;
	bool open;
	HD_TRY(hd_cudart_start(cudart));
	HD_TRY(read_access(desc, count, &open));
	if (!whole_mappings(virtual, ptr, size, &first, &end))
		return cudaErrorInvalidValue;
	for_each_run(cudart, false, ptr, ptr + size);
	bool done = protect(ptr, ptr + size, open);
	for (uint32_t i = first; i < end; i++) {
		struct hd_mapped *mapped = &virtual->mapped.data[i];
		if (done)
			mapped->open = open;
		else /* some of it may have changed */
			protect(mapped->low, mapped->high, mapped->open);
	}
	cudaError_t error = give_runs(cudart, ptr, size);
	return done ? error : cudaErrorMemoryAllocation;
}

CUresult cuMemSetAccess(CUdeviceptr ptr, size_t size, const CUmemAccessDesc *desc, size_t count)
{
	HD_DRIVER(set_access(ptr, size, desc, count));
}

static const struct hd_mapped *mapping_at(const struct hd_cudart *cudart, uint64_t address)
{
	const struct hd_virtual *virtual = &cudart->virtual;
	uint32_t at = mapped_from(virtual, address);
	return at < virtual->mapped.len && virtual->mapped.data[at].low <= address ? &virtual->mapped.data[at] : NULL;
}

bool hd_cudart_mapping(const struct hd_cudart *cudart, uint64_t address, uint64_t *low, uint64_t *high)
{
	const struct hd_mapped *mapping = mapping_at(cudart, address);
	if (!mapping)
		return false;
	*low = mapping->low;
	*high = mapping->high;
	return true;
}

uint64_t hd_cudart_handle_types(const struct hd_cudart *cudart, uint64_t address)
{
	const struct hd_mapped *mapping = mapping_at(cudart, address);
	return mapping ? (uint64_t)mapping->memory->prop.requestedHandleTypes : 0;
}

static cudaError_t access_of(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
	HD_CUDART(cudart);
	const struct hd_mapped *mapping = mapping_at(cudart, ptr);
	if (!flags || !location || !mapping)
		return cudaErrorInvalidValue;
	HD_TRY(check_location(location));
	*flags = mapping->open ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
	return cudaSuccess;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr ptr)
{
	HD_DRIVER(access_of(flags, location, ptr));
}

static cudaError_t retain(CUmemGenericAllocationHandle *handle, const void *addr)
{
	HD_CUDART(cudart);
	const struct hd_mapped *mapping = mapping_at(cudart, (uintptr_t)addr);
	if (!handle || !mapping)
		return cudaErrorInvalidValue;
	*handle = hold(mapping->memory);
	return cudaSuccess;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *handle, void *addr)
{
	HD_DRIVER(retain(handle, addr));
}

/* What the program holds and has not mapped goes with the process. */
void hd_cudart_release_virtual(struct hd_cudart *cudart)
{
	struct hd_virtual *virtual = &cudart->virtual;
	if (cudart->sim)
		for_each_run(cudart, false, 0, UINT64_MAX);
	for (uint32_t i = 0; cudart->sim && i < virtual->mapped.len; i++) {
		virtual->mapped.data[i].memory->maps--;
		drop_physical(cudart, virtual->mapped.data[i].memory);
	}
	for (uint32_t i = 0; i < virtual->reserved.len; i++)
		munmap((void *)(uintptr_t)virtual->reserved.data[i].low,
		       virtual->reserved.data[i].high - virtual->reserved.data[i].low);
	hd_vec_release(&virtual->mapped);
	hd_vec_release(&virtual->reserved);
	hd_vec_release(&virtual->shareable);
}

void hd_cudart_reset_virtual(struct hd_cudart *cudart)
{
	struct hd_handles list;
	hd_cudart_release_virtual(cudart);
	hd_handles_of(HD_HANDLE_PHYSICAL, &list);
	for (uint32_t i = 0; i < list.all.len; i++) {
		struct hd_physical *memory = (struct hd_physical *)(uintptr_t)list.all.data[i];
		hd_handle_drop(memory);
		memory->held = 0;
		drop_physical(cudart, memory);
	}
	hd_vec_release(&list.all);
}
