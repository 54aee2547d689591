/*
 * malloc and its kin, as everything in libheddle-cudart.so calls them (--wrap in the Makefile; the program's own calls
 * and those of other libraries are none of ours): from the heap at a fixed place where the thread is inside it
 * (lib/store.h), and of blocks there. Else the host's.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/store.h"

/* Weak, for programs that link these objects without --wrap, as unit tests do; nothing calls these there. */
__attribute__((weak)) void *__real_malloc(size_t bytes);
__attribute__((weak)) void *__real_calloc(size_t count, size_t bytes);
__attribute__((weak)) void *__real_realloc(void *old, size_t bytes);
__attribute__((weak)) void *__real_aligned_alloc(size_t align, size_t bytes);
__attribute__((weak)) void __real_free(void *memory);

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
void *__wrap_aligned_alloc(size_t align, size_t bytes);
void __wrap_free(void *memory);

static bool is_outside(void)
{
	return hd_store_here() == HD_STORE_OUTSIDE;
}

void *__wrap_malloc(size_t bytes)
{
	return is_outside() ? __real_malloc(bytes) : hd_store_alloc(bytes, 1);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
	size_t all;
	if (is_outside())
		return __real_calloc(count, bytes);
	return __builtin_mul_overflow(count, bytes, &all) ? NULL : hd_store_alloc(all, 1);
}

void *__wrap_aligned_alloc(size_t align, size_t bytes)
{
	return is_outside() ? __real_aligned_alloc(align, bytes) : hd_store_alloc(bytes, align);
}

void __wrap_free(void *memory)
{
	if (hd_store_has(memory))
		hd_store_free(memory);
	else
		__real_free(memory);
}

/* What is outside stays there. */
void *__wrap_realloc(void *old, size_t bytes)
{
	if (!old)
		return __wrap_malloc(bytes);
	if (!hd_store_has(old))
		return __real_realloc(old, bytes);
	size_t room = hd_store_room(old);
	if (bytes <= room && bytes > room / 2)
		return old;
	void *new = __wrap_malloc(bytes);
	if (new)
		memcpy(new, old, bytes < room ? bytes : room);
	if (new)
		hd_store_free(old);
	return new;
}
