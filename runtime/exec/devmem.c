/*
 * Functional device memory: one host range, reserved once and committed page by page as it is
 * touched, and the sorted allocations in it. Simulated addresses begin at 32 TiB, so that null
 * and small integers are never addresses; host = simulated address + constant.
 *
 * The same pages are also reserved under their simulated addresses, where that range is free, which it nearly always
 * is. There the host's program may touch only what it shares with the device (hd_devmem_share: managed and pinned
 * memory, which host and device then name alike); elsewhere it faults, as it does on hardware.
 *
 * An allocation's size is exact: the bytes between it and the next one (at least 256) belong to
 * nobody, so every overrun is seen. Look-up is a binary search; allocation is first fit over the
 * free ranges; memory that is released reads as zero when it is allocated again.
 *
 * None of this is part of a checkpoint's image (runtime/checkpoint/checkpoint.c): the host has its hands in it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/bits.h"
#include "lib/store.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"

#define GRAIN 256u    /* alignment and size unit of what an allocation occupies */
#define RED_ZONE 256u /* after each allocation */
#define PAGE UINT64_C(4096)
#define FREED_KEPT 4096 /* allocations of which it is known that they were freed */

struct range {
	uint64_t low, high; /* what may be accessed */
	uint64_t end;	    /* of the space that it occupies, red zone included */
	bool adopted;	    /* the host's own memory */
};
struct gap {
	uint64_t low, high;
};
struct pages {
	uint64_t low, high;
	uint64_t owner; /* the allocation */
};

struct hd_devmem {
	uint64_t base; /* the lowest address */
	uint8_t *host; /* of the base, for the simulator */
	int file;      /* its pages, which are also at the base itself; -1: they are not */
	uint64_t bytes, epoch;
	HD_VEC(struct range) ranges; /* by address */
	HD_VEC(struct gap) gaps;     /* by address, never adjacent */
	uint64_t free_bytes;
	HD_VEC(struct pages) shared; /* that the program may touch, in the order of sharing */
	HD_VEC(struct gap) freed;    /* the last allocations that were, as a ring */
	uint32_t freed_next;
};

static uint8_t *map(void *where, uint64_t bytes, int protection, int flags, int file)
{
	uint8_t *host = mmap(where, bytes, protection, flags | MAP_NORESERVE, file, 0);
	return host == MAP_FAILED ? NULL : host;
}

/* A file of so many bytes in memory that has no name; -1: there is none to be had, errno says why. */
static int open_pages(uint64_t bytes)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_FSIZE, &limit))
		return -1;
	if (limit.rlim_cur < bytes) {
		errno = EFBIG; /* growing it would end the process */
		return -1;
	}
	int file = memfd_create("heddle-device-memory", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (file >= 0 && ftruncate(file, (off_t)bytes)) {
		int why = errno;
		close(file);
		errno = why;
		return -1;
	}
	return file;
}

/* Reserves the range under its simulated addresses, out of the program's reach. */
static bool map_twice(struct hd_devmem *memory)
{
	void *base = (void *)memory->base;
	memory->file = open_pages(memory->bytes);
	if (memory->file < 0)
		return false;
	memory->host = map(NULL, memory->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, memory->file);
	uint8_t *reserved =
		memory->host ? map(base, memory->bytes, PROT_NONE, MAP_SHARED | MAP_FIXED_NOREPLACE, memory->file)
			     : NULL;
	if (reserved == base)
		return true;
	if (reserved)
		munmap(reserved, memory->bytes);
	if (memory->host)
		munmap(memory->host, memory->bytes);
	memory->host = NULL;
	close(memory->file);
	memory->file = -1;
	return false;
}

struct hd_devmem *hd_devmem_new(uint64_t bytes)
{
	return hd_devmem_new_at(HD_DEVICE_BASE, bytes);
}

struct hd_devmem *hd_devmem_new_at(uint64_t base, uint64_t bytes)
{
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	struct hd_devmem *memory = hd_xcalloc(1, sizeof(*memory));
	bytes = hd_align_up(bytes, PAGE);
	*memory = (struct hd_devmem){.base = base, .file = -1, .bytes = bytes, .epoch = 1, .free_bytes = bytes};
	int private = MAP_PRIVATE | MAP_ANONYMOUS;
	if (!map_twice(memory))
		memory->host =
			map((void *)memory->base, bytes, PROT_READ | PROT_WRITE, private | MAP_FIXED_NOREPLACE, -1);
	if (!memory->host)
		memory->host = map(NULL, bytes, PROT_READ | PROT_WRITE, private, -1);
	if (!memory->host) {
		free(memory);
		return NULL;
	}
	hd_vec_push(&memory->gaps, (struct gap){memory->base, memory->base + bytes});
	return memory;
}

bool hd_devmem_spans(const struct hd_devmem *memory, uint64_t address)
{
	return address >= memory->base && address - memory->base < memory->bytes;
}

void hd_devmem_free(struct hd_devmem *memory)
{
	if (!memory)
		return;
	munmap(memory->host, memory->bytes);
	if (memory->file >= 0) {
		munmap((void *)memory->base, memory->bytes);
		close(memory->file);
	}
	hd_vec_release(&memory->shared);
	hd_vec_release(&memory->freed);
	hd_vec_release(&memory->ranges);
	hd_vec_release(&memory->gaps);
	free(memory);
}

/* Index of the first range that begins after the address. */
static uint32_t range_after(const struct hd_devmem *memory, uint64_t address)
{
	uint32_t after;
	HD_BISECT(after, 0, memory->ranges.len, memory->ranges.data[after].low <= address);
	return after;
}

static uint32_t gap_after(const struct hd_devmem *memory, uint64_t address)
{
	uint32_t after;
	HD_BISECT(after, 0, memory->gaps.len, memory->gaps.data[after].low <= address);
	return after;
}

/* Takes [low, end) out of gap `index`, which contains it. */
static void occupy(struct hd_devmem *memory, uint32_t index, uint64_t low, uint64_t end)
{
	struct gap gap = memory->gaps.data[index];
	hd_vec_remove(&memory->gaps, index);
	if (end < gap.high)
		hd_vec_insert(&memory->gaps, index, ((struct gap){end, gap.high}));
	if (gap.low < low)
		hd_vec_insert(&memory->gaps, index, ((struct gap){gap.low, low}));
	memory->free_bytes -= end - low;
}

int hd_devmem_alloc(struct hd_devmem *memory, uint64_t bytes, uint64_t align, uint64_t *address)
{
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	if (align < GRAIN)
		align = GRAIN;
	if (bytes > memory->bytes || align > memory->bytes)
		return HD_SIM_NO_MEMORY;
	uint64_t needed = hd_align_up(bytes ? bytes : 1, GRAIN) + RED_ZONE;
	if (needed > memory->free_bytes)
		return HD_SIM_NO_MEMORY; /* the gaps may be larger: what was taken without an address is in none */
	for (uint32_t i = 0; i < memory->gaps.len; i++) {
		uint64_t low = hd_align_up(memory->gaps.data[i].low, align), high = memory->gaps.data[i].high;
		if (low > high || high - low < needed)
			continue;
		occupy(memory, i, low, low + needed);
		hd_vec_insert(&memory->ranges, range_after(memory, low),
			      ((struct range){low, low + bytes, low + needed, false}));
		memory->epoch++;
		*address = low;
		return HD_SIM_OK;
	}
	return HD_SIM_NO_MEMORY;
}

int hd_devmem_place(struct hd_devmem *memory, uint64_t address, uint64_t bytes)
{
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	uint32_t after = gap_after(memory, address);
	uint64_t end = address + hd_align_up(bytes ? bytes : 1, GRAIN) + RED_ZONE;
	if (!after || address % GRAIN || end < address || bytes > memory->bytes ||
	    memory->gaps.data[after - 1].high < end || end - address > memory->free_bytes)
		return HD_SIM_NO_MEMORY;
	occupy(memory, after - 1, address, end);
	hd_vec_insert(&memory->ranges, range_after(memory, address),
		      ((struct range){address, address + bytes, end, false}));
	memory->epoch++;
	return HD_SIM_OK;
}

bool hd_devmem_range(const struct hd_devmem *memory, uint32_t index, uint64_t *low, uint64_t *high, bool *adopted)
{
	if (index >= memory->ranges.len)
		return false;
	*low = memory->ranges.data[index].low;
	*high = memory->ranges.data[index].high;
	*adopted = memory->ranges.data[index].adopted;
	return true;
}

/* Gives [low, high) back to the free ranges, joined with its neighbours. */
static void vacate(struct hd_devmem *memory, uint64_t low, uint64_t high)
{
	uint32_t index = gap_after(memory, low);
	memory->free_bytes += high - low;
	if (index < memory->gaps.len && memory->gaps.data[index].low == high) {
		high = memory->gaps.data[index].high;
		hd_vec_remove(&memory->gaps, index);
	}
	if (index > 0 && memory->gaps.data[index - 1].high == low)
		memory->gaps.data[index - 1].high = high;
	else
		hd_vec_insert(&memory->gaps, index, ((struct gap){low, high}));
}

/* Zero, and whole pages given back to the host. */
static void decommit(struct hd_devmem *memory, uint64_t low, uint64_t high)
{
	uint8_t *host = memory->host;
	low -= memory->base; /* itself a multiple of the page */
	high -= memory->base;
	uint64_t first = hd_align_up(low, PAGE), last = high & ~(PAGE - 1);
	if (first >= last) {
		memset(host + low, 0, high - low);
		return;
	}
	memset(host + low, 0, first - low);
	memset(host + last, 0, high - last);
	if (madvise(host + first, last - first, memory->file < 0 ? MADV_DONTNEED : MADV_REMOVE) != 0)
		memset(host + first, 0, last - first);
}

/* ---- without an address */

int hd_devmem_take(struct hd_devmem *memory, uint64_t bytes)
{
	int file = -1;
	if (bytes > memory->free_bytes)
		errno = ENOMEM;
	else
		file = open_pages(bytes);
	if (file < 0)
		return -1;
	fcntl(file, F_ADD_SEALS, HD_SIM_PAGES_SEALS); /* by which others know it; it cannot fail for a new file */
	memory->free_bytes -= bytes;
	return file;
}

void hd_devmem_give(struct hd_devmem *memory, uint64_t bytes, int file)
{
	close(file);
	memory->free_bytes += bytes;
}

/* ---- what the program shares */

static bool set_protection(uint64_t low, uint64_t high, int protection)
{
	return mprotect((void *)low, high - low, protection) == 0;
}

static bool covers(const struct pages *pages, uint64_t low, uint64_t high)
{
	return pages->low <= low && high <= pages->high;
}

void *hd_devmem_share(struct hd_devmem *memory, uint64_t address, uint64_t bytes)
{
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	void *host = hd_devmem_at(memory, address, bytes);
	uint64_t low = address & ~(PAGE - 1), high = hd_align_up(address + bytes, PAGE);
	if (!host || memory->file < 0 || host == (void *)address)
		return host;
	struct pages new = {low, high, memory->ranges.data[range_after(memory, address) - 1].low};
	for (uint32_t i = 0; i < memory->shared.len; i++)
		if (memory->shared.data[i].owner == new.owner && covers(&memory->shared.data[i], low, high))
			return (void *)address;
	if (high == low)
		return (void *)address;
	if (!set_protection(low, high, PROT_READ | PROT_WRITE))
		return NULL;
	hd_vec_push(&memory->shared, new);
	return (void *)address;
}

bool hd_devmem_is_shared(const struct hd_devmem *memory, uint64_t address)
{
	uint64_t low, high;
	if (memory->file < 0)
		return (uint64_t)memory->host == memory->base;
	if (!hd_devmem_find(memory, address, &low, &high))
		return false;
	if (memory->ranges.data[range_after(memory, address) - 1].adopted)
		return true;
	for (uint32_t i = 0; i < memory->shared.len; i++)
		if (memory->shared.data[i].owner == low && covers(&memory->shared.data[i], address, address + 1))
			return true;
	return false;
}

/* The pages of an allocation that ends. Such of them as others share with it stay theirs. */
static void unshare(struct hd_devmem *memory, uint64_t owner)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < memory->shared.len; i++) {
		struct pages pages = memory->shared.data[i];
		if (pages.owner == owner)
			set_protection(pages.low, pages.high, PROT_NONE);
		else
			memory->shared.data[kept++] = pages;
	}
	if (kept == memory->shared.len)
		return;
	memory->shared.len = kept;
	for (uint32_t i = 0; i < kept; i++)
		set_protection(memory->shared.data[i].low, memory->shared.data[i].high, PROT_READ | PROT_WRITE);
}

/* ---- releasing */

static void note_freed(struct hd_devmem *memory, uint64_t low, uint64_t high)
{
	if (memory->freed.len < FREED_KEPT)
		hd_vec_push(&memory->freed, (struct gap){low, high});
	else
		memory->freed.data[memory->freed_next++ % FREED_KEPT] = (struct gap){low, high};
}

bool hd_devmem_was_freed(const struct hd_devmem *memory, uint64_t address, uint64_t *low, uint64_t *high)
{
	for (uint32_t i = 0; i < memory->freed.len; i++) {
		/* the last one first */
		uint32_t at = (memory->freed_next + memory->freed.len - 1 - i) % memory->freed.len;
		if (address < memory->freed.data[at].low || address >= memory->freed.data[at].high)
			continue;
		*low = memory->freed.data[at].low;
		*high = memory->freed.data[at].high;
		return true;
	}
	return false;
}

static int remove_range(struct hd_devmem *memory, uint64_t address, struct range *range)
{
	uint32_t index = range_after(memory, address);
	if (!index || memory->ranges.data[index - 1].low != address || memory->ranges.data[index - 1].adopted)
		return HD_SIM_BAD_ADDRESS;
	*range = memory->ranges.data[index - 1];
	hd_vec_remove(&memory->ranges, index - 1);
	unshare(memory, range->low);
	note_freed(memory, range->low, range->high);
	decommit(memory, range->low, range->high);
	memory->epoch++;
	return HD_SIM_OK;
}

int hd_devmem_release(struct hd_devmem *memory, uint64_t address)
{
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	struct range range;
	int status = remove_range(memory, address, &range);
	if (status == HD_SIM_OK)
		vacate(memory, range.low, range.end);
	return status;
}

int hd_devmem_hide(struct hd_devmem *memory, uint64_t address)
{
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	struct range range;
	return remove_range(memory, address, &range);
}

void hd_devmem_show(struct hd_devmem *memory, uint64_t address, uint64_t bytes)
{
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	uint64_t end = address + hd_align_up(bytes ? bytes : 1, GRAIN) + RED_ZONE;
	hd_vec_insert(&memory->ranges, range_after(memory, address),
		      ((struct range){address, address + bytes, end, false}));
	memory->epoch++;
}

static bool overlap(uint64_t low, uint64_t high, uint64_t other_low, uint64_t other_high)
{
	return low < other_high && other_low < high;
}

int hd_devmem_adopt(struct hd_devmem *memory, void *host, uint64_t bytes)
{
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	uint64_t low = (uintptr_t)host, high = low + bytes;
	uint32_t index = range_after(memory, low);
	if (!bytes || high < low || overlap(low, high, memory->base, memory->base + memory->bytes) ||
	    overlap(low, high, HD_SHARED_WINDOW, HD_SHARED_WINDOW + HD_SHARED_WINDOW_BYTES) ||
	    overlap(low, high, HD_LOCAL_WINDOW, HD_LOCAL_WINDOW + HD_LOCAL_WINDOW_BYTES) ||
	    overlap(low, high, HD_CODE_WINDOW, HD_CODE_WINDOW + (UINT64_C(1) << 36)) ||
	    (index && memory->ranges.data[index - 1].end > low) ||
	    (index < memory->ranges.len && memory->ranges.data[index].low < high))
		return HD_SIM_NO_MEMORY;
	hd_vec_insert(&memory->ranges, index, ((struct range){low, high, high, true}));
	memory->epoch++;
	return HD_SIM_OK;
}

int hd_devmem_drop(struct hd_devmem *memory, void *host)
{
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	uint32_t index = range_after(memory, (uintptr_t)host);
	if (!index || memory->ranges.data[index - 1].low != (uintptr_t)host || !memory->ranges.data[index - 1].adopted)
		return HD_SIM_BAD_ADDRESS;
	hd_vec_remove(&memory->ranges, index - 1);
	memory->epoch++;
	return HD_SIM_OK;
}

bool hd_devmem_find(const struct hd_devmem *memory, uint64_t address, uint64_t *low, uint64_t *high)
{
	uint32_t index = range_after(memory, address);
	if (!index || address >= memory->ranges.data[index - 1].high)
		return false;
	*low = memory->ranges.data[index - 1].low;
	*high = memory->ranges.data[index - 1].high;
	return true;
}

bool hd_devmem_nearest(const struct hd_devmem *memory, uint64_t address, uint64_t *low, uint64_t *high)
{
	if (!memory->ranges.len)
		return false;
	uint32_t after = range_after(memory, address), best = after ? after - 1 : 0;
	if (after && after < memory->ranges.len) {
		uint64_t end = memory->ranges.data[after - 1].high;
		uint64_t past = address > end ? address - end : 0;
		if (memory->ranges.data[after].low - address < past)
			best = after;
	}
	*low = memory->ranges.data[best].low;
	*high = memory->ranges.data[best].high;
	return true;
}

void *hd_devmem_at(const struct hd_devmem *memory, uint64_t address, uint64_t bytes)
{
	uint32_t index = range_after(memory, address);
	if (!index)
		return NULL;
	const struct range *range = &memory->ranges.data[index - 1];
	if (address > range->high || bytes > range->high - address)
		return NULL;
	return range->adopted ? (void *)address : memory->host + (address - memory->base);
}

void *hd_devmem_beside(const struct hd_devmem *memory, uint64_t address, uint64_t bytes)
{
	uint64_t low, high;
	if (address < memory->base || address - memory->base > memory->bytes - bytes ||
	    !hd_devmem_nearest(memory, address, &low, &high) || address < low / HD_DEVICE_PAGE * HD_DEVICE_PAGE ||
	    address + bytes > hd_align_up(high, HD_DEVICE_PAGE))
		return NULL;
	return memory->host + (address - memory->base);
}

uint64_t hd_devmem_free_bytes(const struct hd_devmem *memory)
{
	return memory->free_bytes;
}

uint64_t hd_devmem_epoch(const struct hd_devmem *memory)
{
	return memory->epoch;
}

void hd_devmem_forget(struct hd_devmem *memory, uint64_t epoch)
{
	memory->epoch = (epoch > memory->epoch ? epoch : memory->epoch) + 1;
}

/* ---- all of it */

static void visit_pages(const uint8_t *host, uint64_t low, uint64_t high, hd_devmem_visitor *visit, void *context)
{
	for (; low < high; low += PAGE, host += PAGE)
		visit(context, low, host, (uint32_t)(high - low < PAGE ? high - low : PAGE));
}

/* Pages that nobody has touched are holes in the file. */
static void visit_file(const struct hd_devmem *memory, hd_devmem_visitor *visit, void *context)
{
	off_t at = 0, end;
	while ((at = lseek(memory->file, at, SEEK_DATA)) >= 0 && (end = lseek(memory->file, at, SEEK_HOLE)) > at) {
		uint64_t low = (uint64_t)at & ~(PAGE - 1), high = hd_align_up((uint64_t)end, PAGE);
		visit_pages(memory->host + low, memory->base + low, memory->base + high, visit, context);
		at = (off_t)high;
	}
}

void hd_devmem_visit(const struct hd_devmem *memory, hd_devmem_visitor *visit, void *context)
{
	uint64_t done = 0;
	if (memory->file >= 0)
		visit_file(memory, visit, context);
	for (uint32_t i = 0; i < memory->ranges.len; i++) {
		const struct range *range = &memory->ranges.data[i];
		uint64_t low = range->low & ~(PAGE - 1), high = hd_align_up(range->high, PAGE);
		if (range->adopted) {
			visit_pages((const uint8_t *)range->low, range->low, range->high, visit, context);
		} else if (memory->file < 0) {
			low = low > done ? low : done;
			visit_pages(memory->host + (low - memory->base), low, high, visit, context);
			done = high;
		}
	}
}

void *hd_devmem_page(const struct hd_devmem *memory, uint64_t address, uint64_t bytes)
{
	uint64_t offset = address - memory->base;
	if (offset < memory->bytes)
		return bytes <= memory->bytes - offset ? memory->host + offset : NULL;
	return hd_devmem_at(memory, address, bytes);
}

uintptr_t hd_devmem_host(const struct hd_devmem *memory, uint64_t address)
{
	return address - memory->base < memory->bytes ? (uintptr_t)memory->host - memory->base : 0;
}
