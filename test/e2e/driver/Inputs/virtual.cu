// Addresses and memory that a program joins itself: what kernels, copies and questions see of them, and what is
// refused.
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#define MIB (size_t(1) << 20)
static int failures;
#define CHECK(what) \
	do { \
		if (!(what)) { \
			printf("line %d: %s\n", __LINE__, #what); \
			failures++; \
		} \
	} while (0)
#define GOOD(call) CHECK((call) == CUDA_SUCCESS)
#define INVALID(call) CHECK((call) == CUDA_ERROR_INVALID_VALUE)

__global__ void fill(unsigned *to, unsigned count, unsigned first)
{
	unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < count)
		to[i] = first + i;
}

static size_t free_bytes()
{
	size_t free_now, total;
	GOOD(cuMemGetInfo(&free_now, &total));
	return free_now;
}

static unsigned word(CUdeviceptr at)
{
	unsigned value = 0;
	GOOD(cuMemcpyDtoH(&value, at, sizeof value));
	return value;
}

static void grow(const CUmemAllocationProp &prop, const CUmemAccessDesc &access)
{
	CUdeviceptr pool, again, other;
	CUmemGenericAllocationHandle first, second;
	size_t before = free_bytes();
	// More addresses than the card has memory.
	GOOD(cuMemAddressReserve(&pool, 65536 * MIB, 0, 0, 0));
	GOOD(cuMemAddressReserve(&again, 2 * MIB, 8 * MIB, 0, 0));
	CHECK(again % (8 * MIB) == 0 && again >= pool + 65536 * MIB);
	CHECK(free_bytes() == before);
	GOOD(cuMemCreate(&first, 2 * MIB, &prop, 0));
	GOOD(cuMemCreate(&second, 4 * MIB, &prop, 0));
	CHECK(free_bytes() == before - 6 * MIB);

	// A pool that grows: a kernel and copies cross from one piece of memory to the next.
	GOOD(cuMemMap(pool, 2 * MIB, 0, first, 0));
	GOOD(cuMemSetAccess(pool, 2 * MIB, &access, 1));
	GOOD(cuMemMap(pool + 2 * MIB, 4 * MIB, 0, second, 0));
	CHECK(cuMemcpyDtoH(&before, pool + 2 * MIB, 4) == CUDA_ERROR_INVALID_VALUE); // not open yet
	GOOD(cuMemSetAccess(pool + 2 * MIB, 4 * MIB, &access, 1));
	GOOD(cuMemsetD32(pool, 7, 6 * MIB / 4));
	unsigned *edge = reinterpret_cast<unsigned *>(pool + 2 * MIB) - 64;
	fill<<<1, 128>>>(edge, 128, 1000);
	unsigned words[130];
	GOOD(cuMemcpyDtoH(words, CUdeviceptr(edge - 1), sizeof words));
	for (int i = 0; i < 130; i++)
		CHECK(words[i] == (i == 0 || i == 129 ? 7u : 999u + i));

	// The second piece under another address, too.
	GOOD(cuMemAddressReserve(&other, 4 * MIB, 0, 0, 0));
	GOOD(cuMemMap(other, 4 * MIB, 0, second, 0));
	GOOD(cuMemSetAccess(other, 4 * MIB, &access, 1));
	CHECK(word(other) == 1064 && word(other + 4 * MIB - 4) == 7);
	fill<<<1, 1>>>(reinterpret_cast<unsigned *>(other), 1, 5);
	CHECK(word(pool + 2 * MIB) == 5);

	// What is not one whole mapping after the other, and what is taken.
	INVALID(cuMemMap(pool + 4 * MIB, 2 * MIB, 0, first, 0));
	INVALID(cuMemMap(pool + 6 * MIB, 4 * MIB, 0, first, 0));
	INVALID(cuMemMap(pool + 6 * MIB, 2 * MIB, 4096, first, 0));
	INVALID(cuMemMap(again + 2 * MIB, 2 * MIB, 0, first, 0));
	INVALID(cuMemUnmap(pool, 4 * MIB));
	INVALID(cuMemUnmap(pool + 4 * MIB, 2 * MIB));
	INVALID(cuMemSetAccess(pool, 8 * MIB, &access, 1));
	INVALID(cuMemAddressFree(other, 4 * MIB));
	INVALID(cuMemAddressFree(pool, 2 * MIB));
	INVALID(cuMemFree(pool));

	unsigned long long flags = 99;
	GOOD(cuMemGetAccess(&flags, &access.location, pool + 3 * MIB));
	CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
	INVALID(cuMemGetAccess(&flags, &access.location, pool + 6 * MIB));
	CUmemorytype type;
	GOOD(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pool));
	CHECK(type == CU_MEMORYTYPE_DEVICE);
	CUdeviceptr base = 0;
	size_t size = 0;
	GOOD(cuMemGetAddressRange(&base, &size, pool + 3 * MIB)); // one mapping, though the device has both as one range
	CHECK(base == pool + 2 * MIB && size == 4 * MIB);
	GOOD(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, pool));
	CHECK(size == 2 * MIB);
	GOOD(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, pool));
	CHECK(size == CU_MEM_HANDLE_TYPE_NONE);

	// Memory lives while a mapping has it, and can be had from there.
	GOOD(cuMemRelease(second));
	INVALID(cuMemMap(again, 2 * MIB, 0, second, 0));
	GOOD(cuMemUnmap(pool + 2 * MIB, 4 * MIB));
	CHECK(word(other) == 5 && free_bytes() == before - 6 * MIB);
	GOOD(cuMemRetainAllocationHandle(&second, reinterpret_cast<void *>(other + MIB)));
	GOOD(cuMemMap(pool + 4 * MIB, 4 * MIB, 0, second, 0)); // a hole before it
	GOOD(cuMemSetAccess(pool + 4 * MIB, 4 * MIB, &access, 1));
	CHECK(word(pool + 4 * MIB) == 5 && word(pool + 2 * MIB - 4) == 1063);
	CHECK(cuMemcpyDtoH(words, pool + 2 * MIB - 4, 8) == CUDA_ERROR_INVALID_VALUE);

	GOOD(cuMemUnmap(pool, 2 * MIB));
	GOOD(cuMemUnmap(pool + 4 * MIB, 4 * MIB));
	GOOD(cuMemUnmap(other, 4 * MIB));
	GOOD(cuMemRelease(first));
	CHECK(free_bytes() == before - 4 * MIB);
	GOOD(cuMemRelease(second));
	INVALID(cuMemRelease(second));
	CHECK(free_bytes() == before);
	GOOD(cuMemAddressFree(pool, 65536 * MIB));
	GOOD(cuMemAddressFree(again, 2 * MIB));
	GOOD(cuMemAddressFree(other, 4 * MIB));
	INVALID(cuMemAddressFree(other, 4 * MIB));
}

// Mappings come, go, open and close at random; after each step a copy has to find just what is open, also across the end of
// one and the beginning of the next.
static void at_random(const CUmemAllocationProp &prop, CUmemAccessDesc access)
{
	enum { PIECES = 12, STEPS = 400, UNMAPPED = 0, CLOSED, OPEN };
	CUdeviceptr pool;
	CUmemGenericAllocationHandle memory[PIECES];
	int states[PIECES + 1] = {};
	unsigned seed = 1;
	auto draw = [&seed](unsigned below) { return (seed = seed * 1664525 + 1013904223) / 65536 % below; };
	GOOD(cuMemAddressReserve(&pool, PIECES * 2 * MIB, 0, 0, 0));
	for (auto &one : memory)
		GOOD(cuMemCreate(&one, 2 * MIB, &prop, 0));
	for (int step = 0; step < STEPS; step++) {
		unsigned from = draw(PIECES), count = 1 + draw(PIECES - from), what = draw(3), all = 0;
		for (unsigned i = from; i < from + count; i++)
			all += states[i] != UNMAPPED;
		CUdeviceptr at = pool + from * 2 * MIB;
		if (what == 0) {
			if (states[from] == UNMAPPED) {
				GOOD(cuMemMap(at, 2 * MIB, 0, memory[from], 0));
				states[from] = CLOSED;
			}
		} else if (what == 1) {
			access.flags = draw(3) ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_NONE;
			CHECK((cuMemSetAccess(at, count * 2 * MIB, &access, 1) == CUDA_SUCCESS) == (all == count));
			for (unsigned i = from; all == count && i < from + count; i++)
				states[i] = access.flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE ? OPEN : CLOSED;
		} else if (count < 4) {
			CHECK((cuMemUnmap(at, count * 2 * MIB) == CUDA_SUCCESS) == (all == count));
			for (unsigned i = from; all == count && i < from + count; i++)
				states[i] = UNMAPPED;
		}
		for (unsigned i = 0; i < PIECES; i++) {
			unsigned long long eight;
			CUdeviceptr end = pool + (i + 1) * 2 * MIB;
			CHECK((cuMemcpyDtoH(&eight, end - 8, 8) == CUDA_SUCCESS) == (states[i] == OPEN));
			CHECK((cuMemcpyDtoH(&eight, end - 4, 8) == CUDA_SUCCESS) == (states[i] == OPEN && states[i + 1] == OPEN));
		}
	}
	for (unsigned i = 0; i < PIECES; i++) {
		if (states[i] != UNMAPPED)
			GOOD(cuMemUnmap(pool + i * 2 * MIB, 2 * MIB));
		GOOD(cuMemRelease(memory[i]));
	}
	GOOD(cuMemAddressFree(pool, PIECES * 2 * MIB));
}

// What one part of a program hands to another by a file descriptor is the same memory.
static void share(CUmemAllocationProp prop, const CUmemAccessDesc &access)
{
	CUmemGenericAllocationHandle mine, theirs;
	CUmemAllocationProp told;
	CUdeviceptr at;
	int file = -1;
	size_t before = free_bytes(), types = 0;
	prop.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
	GOOD(cuMemCreate(&mine, 2 * MIB, &prop, 0));
	GOOD(cuMemExportToShareableHandle(&file, mine, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	GOOD(cuMemImportFromShareableHandle(&theirs, reinterpret_cast<void *>(size_t(file)),
					    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	close(file);
	GOOD(cuMemGetAllocationPropertiesFromHandle(&told, theirs));
	CHECK(told.type == CU_MEM_ALLOCATION_TYPE_PINNED && told.location.id == 0);
	GOOD(cuMemAddressReserve(&at, 4 * MIB, 0, 0, 0));
	GOOD(cuMemMap(at, 2 * MIB, 0, mine, 0));
	GOOD(cuMemMap(at + 2 * MIB, 2 * MIB, 0, theirs, 0));
	GOOD(cuMemSetAccess(at, 4 * MIB, &access, 1));
	GOOD(cuMemsetD32(at, 42, 1));
	CHECK(word(at + 2 * MIB) == 42);
	GOOD(cuPointerGetAttribute(&types, CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES, at));
	CHECK(types == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
	GOOD(cuMemUnmap(at, 4 * MIB));
	GOOD(cuMemAddressFree(at, 4 * MIB));
	// The second holder keeps the memory.
	GOOD(cuMemRelease(mine));
	CHECK(free_bytes() == before - 2 * MIB);
	GOOD(cuMemRelease(theirs));
	CHECK(free_bytes() == before);
	INVALID(cuMemRelease(theirs));

	// A file that is no such memory: its size may change.
	file = memfd_create("other", MFD_ALLOW_SEALING);
	CHECK(file >= 0 && ftruncate(file, 2 * MIB) == 0);
	INVALID(cuMemImportFromShareableHandle(&theirs, reinterpret_cast<void *>(size_t(file)),
					       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
	close(file);
}

// More pieces than the process may have files open at first; and the host's own reason where there are no more.
static void many(const CUmemAllocationProp &prop)
{
	enum { COUNT = 100 };
	static CUmemGenericAllocationHandle handles[COUNT];
	CUmemGenericAllocationHandle none;
	struct rlimit before, now;
	getrlimit(RLIMIT_NOFILE, &before);
	now = before;
	now.rlim_cur = 50;
	setrlimit(RLIMIT_NOFILE, &now);
	for (int i = 0; i < COUNT; i++)
		GOOD(cuMemCreate(&handles[i], 2 * MIB, &prop, 0));
	now.rlim_cur = now.rlim_max = 50;
	setrlimit(RLIMIT_NOFILE, &now);
	CHECK(cuMemCreate(&none, 2 * MIB, &prop, 0) == CUDA_ERROR_OUT_OF_MEMORY);
	for (int i = 0; i < COUNT; i++)
		GOOD(cuMemRelease(handles[i]));
	GOOD(cuMemCreate(&none, 2 * MIB, &prop, 0));
	GOOD(cuMemRelease(none));
}

// The program's own page where a reservation would go: it is put behind, also where it was a hint.
static void go_round()
{
	CUdeviceptr first, second;
	GOOD(cuMemAddressReserve(&first, 8 * MIB, 0, 0, 0));
	GOOD(cuMemAddressFree(first, 8 * MIB));
	void *mine = reinterpret_cast<void *>(first + 4 * MIB);
	CHECK(mmap(mine, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == mine);
	GOOD(cuMemAddressReserve(&second, 8 * MIB, 0, 0, 0));
	CHECK(second > first + 4 * MIB);
	GOOD(cuMemAddressFree(second, 8 * MIB));
	GOOD(cuMemAddressReserve(&second, 8 * MIB, 0, first + 2 * MIB, 0));
	CHECK(second > first + 4 * MIB);
	GOOD(cuMemAddressFree(second, 8 * MIB));
	munmap(mine, 4096);
}

static void refuse(CUmemAllocationProp prop, CUmemAccessDesc access)
{
	CUmemGenericAllocationHandle handle;
	CUdeviceptr at;
	int can = 0;
	GOOD(cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0));
	static_assert(CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED == CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, "its older name");
	CHECK(can == 1);
	CHECK(cuMemCreate(&handle, free_bytes() / MIB * MIB + 2 * MIB, &prop, 0) == CUDA_ERROR_OUT_OF_MEMORY);
	INVALID(cuMemCreate(&handle, MIB, &prop, 0));
	INVALID(cuMemCreate(&handle, 2 * MIB, &prop, 1));
	INVALID(cuMemAddressReserve(&at, 0, 0, 0, 0));
	INVALID(cuMemAddressReserve(&at, 2 * MIB, 3, 0, 0));
	GOOD(cuMemCreate(&handle, 2 * MIB, &prop, 0));
	int file;
	INVALID(cuMemExportToShareableHandle(&file, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
	GOOD(cuMemAddressReserve(&at, 2 * MIB, 0, 0, 0));
	GOOD(cuMemMap(at, 2 * MIB, 0, handle, 0));
	access.location.id = 1;
	CHECK(cuMemSetAccess(at, 2 * MIB, &access, 1) == CUDA_ERROR_INVALID_DEVICE);
	GOOD(cuMemUnmap(at, 2 * MIB));
	GOOD(cuMemRelease(handle));
	prop.location.type = CU_MEM_LOCATION_TYPE_HOST;
	CHECK(cuMemCreate(&handle, 2 * MIB, &prop, 0) == CUDA_ERROR_NOT_SUPPORTED);
	// Where nothing is mapped, a kernel faults.
	fill<<<1, 1>>>(reinterpret_cast<unsigned *>(at), 1, 5);
	CHECK(cuCtxSynchronize() == CUDA_ERROR_ILLEGAL_ADDRESS);
}

int main()
{
	CUmemAllocationProp prop;
	CUmemAccessDesc access;
	size_t granularity = 0;
	cudaFree(nullptr);
	memset(&prop, 0, sizeof prop);
	prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
	prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
	access.location = prop.location;
	access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
	GOOD(cuMemGetAllocationGranularity(&granularity, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
	CHECK(granularity == 2 * MIB);
	grow(prop, access);
	share(prop, access);
	go_round();
	at_random(prop, access);
	many(prop);
	refuse(prop, access);
	puts(failures ? "FAILED" : "PASSED");
	return failures != 0;
}
