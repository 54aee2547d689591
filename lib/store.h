/*
 * A heap at a place of its own: under the same addresses in every process, so that what lies in it, pointers among
 * them, can be written to a file and go on in another process (runtime/checkpoint/checkpoint.h). It is there when a
 * process opens it, and until then all memory is malloc's.
 *
 * Who allocates says nothing about it: a thread enters an area, and what it allocates from then on lies there.
 * libheddle-cudart.so has malloc, free and their kin ask here first (runtime/cudart/allocate.c).
 */
#ifndef HD_LIB_STORE_H
#define HD_LIB_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hd_store_area {
	HD_STORE_OUTSIDE, /* malloc's */
	HD_STORE_LASTING, /* what is allocated has an address that depends on the allocations here before it alone:
			    nothing is used again */
	HD_STORE_STATE,	  /* anything else */
	HD_STORE_CONTENT, /* whole pages of what programs compute with, no pointers of ours among them (hd_pages_new) */
	HD_STORE_AREAS
};

/* Reserves the addresses; 0, or -1 with errno set: they are not free. For the rest of the process. */
int hd_store_open(void);
/* The calling thread's area from now on; the one before. HD_STORE_OUTSIDE while there is no heap. */
enum hd_store_area hd_store_enter(enum hd_store_area area);
/* In `area` until the end of the block. */
#define HD_STORE_SCOPE(area)                                                                 \
	__attribute__((cleanup(hd_store_leave), unused)) enum hd_store_area hd_store_before_ = \
		hd_store_enter(area)
void hd_store_leave(const enum hd_store_area *before);
/* Where the calling thread is. */
enum hd_store_area hd_store_here(void);

/* Zeroed memory in the calling thread's area, which is not outside; `align`: a power of two. NULL: there is no more. */
void *hd_store_alloc(size_t bytes, size_t align);
void hd_store_free(void *memory);
/* Bytes that fit where hd_store_alloc has put something. */
size_t hd_store_room(const void *memory);

/* Zeroed pages of which those that nobody touches cost nothing, also outside of the heap; NULL: there are none. */
void *hd_pages_new(size_t bytes);
void hd_pages_free(void *memory, size_t bytes);

/* For who writes and reads it: an area's first byte, and the one behind all that was ever handed out, a multiple of
 * the page. */
uint8_t *hd_store_low(enum hd_store_area area);
uint8_t *hd_store_high(enum hd_store_area area);
/* Makes an area all zero, as if nothing had been handed out. */
int hd_store_clear(enum hd_store_area area);
/* Under AddressSanitizer: all that was handed out may be read and written from now on. */
void hd_store_unpoison(enum hd_store_area area);

#ifndef HD_STORE_BASE /* builds for ThreadSanitizer define it (Makefile) */
#define HD_STORE_BASE UINT64_C(0x180000000000)
#endif
#define HD_STORE_PAGE ((size_t)4096)

static inline bool hd_store_has(const void *memory)
{
	return (uint64_t)(uintptr_t)memory - HD_STORE_BASE < UINT64_C(0x20000000000); /* all areas: 2 TiB */
}

#endif
