/*
 * The heap at a fixed place (store.h). Each area is a range of reserved addresses, filled from its low end. Its own
 * state is at its beginning, so that a copy of the area is a copy of the allocator, too. A block has its size before
 * it; freed ones are kept by size, four sizes for each power of two, and used again by those that want that size. Large
 * ones give their pages back meanwhile. In the lasting area nothing is used again.
 *
 * Cost: O(1) an allocation.
 */
#include "lib/store.h"
#include "lib/bits.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define UNPOISON(address, bytes) ASAN_UNPOISON_MEMORY_REGION(address, bytes)
#endif
#endif
#ifndef UNPOISON
#define UNPOISON(address, bytes) ((void)(address), (void)(bytes))
#endif

#define ALL_BYTES UINT64_C(0x20000000000)
#define LEAST 32u	       /* bytes of a block */
#define ALIGNMENT 16u	       /* of a block, as malloc's */
#define LARGE (1u << 16)       /* bytes; freed blocks from here on give their pages back */
#define STEPS 4u	       /* sizes for each power of two */
#define SIZES (64u * STEPS)
#define HUGE_PAGE ((size_t)1 << 21)

/* At the beginning of an area. */
struct area {
	uint64_t fill;	   /* bytes handed out, this among them */
	void *free[SIZES]; /* by size: the first freed block, in which the next one stands */
};

/* Before a block. */
struct head {
	uint64_t room; /* bytes of the block */
	uint64_t unused;
};

static const uint64_t area_begin[HD_STORE_AREAS + 1] = {
	[HD_STORE_LASTING] = 0,
	[HD_STORE_STATE] = UINT64_C(0x1000000000),   /* 64 GiB */
	[HD_STORE_CONTENT] = UINT64_C(0x8000000000), /* 448 GiB */
	[HD_STORE_AREAS] = ALL_BYTES,
};
_Static_assert(sizeof(struct area) <= HD_STORE_PAGE, "an area's own state is one page");

/* malloc has no argument that could name a heap, so that this is the process's and the thread's. */
static bool is_open;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local enum hd_store_area here;

static struct area *area_of(enum hd_store_area area)
{
	return (struct area *)(void *)hd_store_low(area);
}

uint8_t *hd_store_low(enum hd_store_area area)
{
	return (uint8_t *)(uintptr_t)(HD_STORE_BASE + area_begin[area]);
}

uint8_t *hd_store_high(enum hd_store_area area)
{
	return hd_store_low(area) + hd_align_up(area_of(area)->fill, HD_STORE_PAGE);
}

int hd_store_open(void)
{
	if (is_open)
		return 0;
	void *base = (void *)(uintptr_t)HD_STORE_BASE;
	void *memory = mmap(base, ALL_BYTES, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (memory == MAP_FAILED)
		return -1;
	if (memory != base) { /* a kernel that does not know MAP_FIXED_NOREPLACE */
		munmap(memory, ALL_BYTES);
		errno = EEXIST;
		return -1;
	}
	for (enum hd_store_area area = HD_STORE_LASTING; area < HD_STORE_AREAS; area++) {
		area_of(area)->fill = HD_STORE_PAGE;
		if (area != HD_STORE_CONTENT)
			madvise(hd_store_low(area), area_begin[area + 1] - area_begin[area], MADV_HUGEPAGE);
	}
	is_open = true;
	return 0;
}

enum hd_store_area hd_store_enter(enum hd_store_area area)
{
	enum hd_store_area before = here;
	here = is_open ? area : HD_STORE_OUTSIDE;
	return before;
}

void hd_store_leave(const enum hd_store_area *before)
{
	here = *before;
}

enum hd_store_area hd_store_here(void)
{
	return here;
}

/* ---- sizes */

/* The size that `bytes` get, and its number. */
static uint64_t size_for(uint64_t bytes, uint32_t *number)
{
	uint64_t want = bytes < LEAST ? LEAST : bytes;
	uint32_t power = 63 - (uint32_t)__builtin_clzll(want);
	uint64_t step = (UINT64_C(1) << power) / STEPS, size = hd_align_up(want, step);
	uint32_t last = 63 - (uint32_t)__builtin_clzll(size);
	*number = last * STEPS + (uint32_t)((size - (UINT64_C(1) << last)) / ((UINT64_C(1) << last) / STEPS));
	return size;
}

/* ---- blocks */

static struct head *head_of(const void *memory)
{
	return (struct head *)(uintptr_t)memory - 1;
}

static enum hd_store_area area_around(const void *memory)
{
	uint64_t at = (uintptr_t)memory - HD_STORE_BASE;
	return at >= area_begin[HD_STORE_CONTENT] ? HD_STORE_CONTENT
	       : at >= area_begin[HD_STORE_STATE] ? HD_STORE_STATE
						  : HD_STORE_LASTING;
}

/* `bytes` from the area's end on, behind what alignment leaves; NULL: it is full. */
static void *take_new(enum hd_store_area kind, uint64_t bytes, uint64_t align, uint64_t before)
{
	struct area *area = area_of(kind);
	uint64_t at = hd_align_up(area->fill + before, align);
	if (bytes > area_begin[kind + 1] - area_begin[kind] || at + bytes > area_begin[kind + 1] - area_begin[kind])
		return NULL;
	area->fill = at + bytes;
	return hd_store_low(kind) + at;
}

void *hd_store_alloc(size_t bytes, size_t align)
{
	uint32_t number;
	enum hd_store_area kind = here == HD_STORE_LASTING ? HD_STORE_LASTING : HD_STORE_STATE;
	if (bytes > ALL_BYTES)
		return NULL;
	if (align < ALIGNMENT)
		align = ALIGNMENT;
	uint64_t size = size_for(bytes, &number);
	pthread_mutex_lock(&lock);
	void **freed = &area_of(kind)->free[number], *memory = NULL;
	bool used = *freed && !((uintptr_t)*freed & (align - 1));
	if (used) {
		memory = *freed;
		memcpy(freed, memory, sizeof(void *));
	} else if ((memory = take_new(kind, size, align, sizeof(struct head)))) {
		*head_of(memory) = (struct head){.room = size};
	}
	pthread_mutex_unlock(&lock);
	return used ? memset(memory, 0, size) : memory;
}

size_t hd_store_room(const void *memory)
{
	return head_of(memory)->room;
}

static void give_pages_back(uint8_t *low, uint8_t *high)
{
	uintptr_t first = hd_align_up((uintptr_t)low, HD_STORE_PAGE), last = (uintptr_t)high & ~(HD_STORE_PAGE - 1);
	if (first < last)
		madvise((void *)first, last - first, MADV_DONTNEED);
}

void hd_store_free(void *memory)
{
	uint32_t number;
	enum hd_store_area kind = area_around(memory);
	uint64_t room = head_of(memory)->room;
	if (kind == HD_STORE_LASTING)
		return;
	size_for(room, &number);
	UNPOISON(memory, room);
	if (room >= LARGE)
		give_pages_back(memory, (uint8_t *)memory + room);
	pthread_mutex_lock(&lock);
	void **freed = &area_of(kind)->free[number];
	memcpy(memory, freed, sizeof(void *));
	*freed = memory;
	pthread_mutex_unlock(&lock);
}

/* ---- pages */

void *hd_pages_new(size_t bytes)
{
	if (here == HD_STORE_OUTSIDE) {
		void *pages =
			mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		return pages == MAP_FAILED ? NULL : pages;
	}
	pthread_mutex_lock(&lock);
	void *pages = take_new(HD_STORE_CONTENT, hd_align_up(bytes, HD_STORE_PAGE), HD_STORE_PAGE, 0);
	pthread_mutex_unlock(&lock);
	return pages;
}

/* Addresses there are enough; those of the heap are not used again. */
void hd_pages_free(void *memory, size_t bytes)
{
	if (hd_store_has(memory))
		madvise(memory, hd_align_up(bytes, HD_STORE_PAGE), MADV_DONTNEED);
	else
		munmap(memory, bytes);
}

/* ---- all of it */

int hd_store_clear(enum hd_store_area area)
{
	hd_store_unpoison(area);
	return madvise(hd_store_low(area), (size_t)(hd_store_high(area) - hd_store_low(area)), MADV_DONTNEED);
}

void hd_store_unpoison(enum hd_store_area area)
{
	UNPOISON(hd_store_low(area), (size_t)(hd_store_high(area) - hd_store_low(area)));
}
