/*
 * Functional device memory: one host range, reserved once and committed page by page as it is
 * touched, and the sorted allocations in it. Simulated addresses begin at 32 TiB, so that null
 * and small integers are never addresses; host = simulated address + constant. The constant is 0 where the
 * host's range can lie at the same address, which it nearly always can: then managed memory is
 * device memory that host and device name alike.
 *
 * An allocation's size is exact: the bytes between it and the next one (at least 256) belong to
 * nobody, so every overrun is seen. Look-up is a binary search; allocation is first fit over the
 * free ranges; memory that is released reads as zero when it is allocated again.
 */
#include <sys/mman.h>

#include "runtime/exec/exec.h"

#define GRAIN 256u    /* alignment and size unit of what an allocation occupies */
#define RED_ZONE 256u /* after each allocation */

struct range {
	uint64_t low, high; /* what may be accessed */
	uint64_t end;	    /* of the space that it occupies, red zone included */
};
struct gap {
	uint64_t low, high;
};

struct hd_devmem {
	uint8_t *host; /* of HD_DEVICE_BASE */
	uint64_t bytes, epoch;
	HD_VEC(struct range) ranges; /* by address */
	HD_VEC(struct gap) gaps;     /* by address, never adjacent */
	uint64_t free_bytes;
};

static uint64_t round_up(uint64_t value, uint64_t unit)
{
	return (value + unit - 1) & ~(unit - 1);
}

static void *reserve(void *where, uint64_t bytes, int flags)
{
	return mmap(where, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
}

struct hd_devmem *hd_devmem_new(uint64_t bytes)
{
	bytes = round_up(bytes, 4096);
	void *host = reserve((void *)HD_DEVICE_BASE, bytes, MAP_FIXED_NOREPLACE);
	if (host == MAP_FAILED)
		host = reserve(NULL, bytes, 0);
	if (host == MAP_FAILED)
		return NULL;
	struct hd_devmem *memory = hd_xcalloc(1, sizeof(*memory));
	*memory = (struct hd_devmem){.host = host, .bytes = bytes, .epoch = 1, .free_bytes = bytes};
	hd_vec_push(&memory->gaps, (struct gap){HD_DEVICE_BASE, HD_DEVICE_BASE + bytes});
	return memory;
}

void hd_devmem_free(struct hd_devmem *memory)
{
	if (!memory)
		return;
	munmap(memory->host, memory->bytes);
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

#define INSERT(vec, index, ...)                                                 \
	do {                                                                    \
		uint32_t insert_at_ = (index);                                  \
		hd_vec_push((vec), __VA_ARGS__);                                \
		memmove((vec)->data + insert_at_ + 1, (vec)->data + insert_at_, \
			((vec)->len - 1 - insert_at_) * sizeof(*(vec)->data));  \
		(vec)->data[insert_at_] = __VA_ARGS__;                          \
	} while (0)
#define REMOVE(vec, index)                                                  \
	do {                                                                \
		memmove((vec)->data + (index), (vec)->data + (index) + 1,   \
			((vec)->len - 1 - (index)) * sizeof(*(vec)->data)); \
		(vec)->len--;                                               \
	} while (0)

/* Takes [low, end) out of gap `index`, which contains it. */
static void occupy(struct hd_devmem *memory, uint32_t index, uint64_t low, uint64_t end)
{
	struct gap gap = memory->gaps.data[index];
	REMOVE(&memory->gaps, index);
	if (end < gap.high)
		INSERT(&memory->gaps, index, ((struct gap){end, gap.high}));
	if (gap.low < low)
		INSERT(&memory->gaps, index, ((struct gap){gap.low, low}));
	memory->free_bytes -= end - low;
}

int hd_devmem_alloc(struct hd_devmem *memory, uint64_t bytes, uint64_t align, uint64_t *address)
{
	if (align < GRAIN)
		align = GRAIN;
	if (bytes > memory->bytes || align > memory->bytes)
		return HD_SIM_NO_MEMORY;
	uint64_t needed = round_up(bytes ? bytes : 1, GRAIN) + RED_ZONE;
	for (uint32_t i = 0; i < memory->gaps.len; i++) {
		uint64_t low = round_up(memory->gaps.data[i].low, align), high = memory->gaps.data[i].high;
		if (low > high || high - low < needed)
			continue;
		occupy(memory, i, low, low + needed);
		INSERT(&memory->ranges, range_after(memory, low), ((struct range){low, low + bytes, low + needed}));
		memory->epoch++;
		*address = low;
		return HD_SIM_OK;
	}
	return HD_SIM_NO_MEMORY;
}

/* Gives [low, high) back to the free ranges, joined with its neighbours. */
static void vacate(struct hd_devmem *memory, uint64_t low, uint64_t high)
{
	uint32_t index = gap_after(memory, low);
	memory->free_bytes += high - low;
	if (index < memory->gaps.len && memory->gaps.data[index].low == high) {
		high = memory->gaps.data[index].high;
		REMOVE(&memory->gaps, index);
	}
	if (index > 0 && memory->gaps.data[index - 1].high == low)
		memory->gaps.data[index - 1].high = high;
	else
		INSERT(&memory->gaps, index, ((struct gap){low, high}));
}

/* Zero, and whole pages given back to the host. */
static void decommit(struct hd_devmem *memory, uint64_t low, uint64_t high)
{
	uint8_t *host = memory->host;
	low -= HD_DEVICE_BASE; /* itself a multiple of the page */
	high -= HD_DEVICE_BASE;
	uint64_t first = round_up(low, 4096), last = high & ~UINT64_C(4095);
	if (first >= last) {
		memset(host + low, 0, high - low);
		return;
	}
	memset(host + low, 0, first - low);
	memset(host + last, 0, high - last);
	if (madvise(host + first, last - first, MADV_DONTNEED) != 0)
		memset(host + first, 0, last - first);
}

int hd_devmem_release(struct hd_devmem *memory, uint64_t address)
{
	uint32_t index = range_after(memory, address);
	if (!index || memory->ranges.data[index - 1].low != address)
		return HD_SIM_BAD_ADDRESS;
	struct range range = memory->ranges.data[index - 1];
	REMOVE(&memory->ranges, index - 1);
	decommit(memory, range.low, range.high);
	vacate(memory, range.low, range.end);
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
	return memory->host + (address - HD_DEVICE_BASE);
}

uint64_t hd_devmem_free_bytes(const struct hd_devmem *memory)
{
	return memory->free_bytes;
}

uint64_t hd_devmem_epoch(const struct hd_devmem *memory)
{
	return memory->epoch;
}

uintptr_t hd_devmem_host(const struct hd_devmem *memory)
{
	return (uintptr_t)memory->host - HD_DEVICE_BASE;
}
