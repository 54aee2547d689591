/*
 * Bump allocator over a list of chunks that double in size. An allocation is a
 * pointer increment; releasing costs one free() a chunk.
 *
 * Large chunks are whole huge pages, if the host gives some: the state of a
 * simulated GPU is tens of megabytes, visited in small pieces, which is more
 * than the host's translation buffers reach with small pages. Tables of which
 * most runs touch a part have chunks of small pages.
 *
 * Under AddressSanitizer what was not handed out is poisoned, so that writing
 * past an allocation is found although its neighbour is in the same chunk.
 */
#include "lib/arena.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/store.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HD_ARENA_POISON 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define HD_ARENA_POISON 1
#endif

#ifdef HD_ARENA_POISON
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#define ASAN_UNPOISON_MEMORY_REGION(address, bytes) ((void)(address), (void)(bytes))
#endif

enum {
	ALIGNMENT = 16,
	FIRST_CHUNK = 4096,	 /* bytes; many arenas hold one small function */
	LARGEST_CHUNK = 1 << 22, /* bytes; growth stops doubling here */
	ALONE = 1 << 20,	 /* bytes; requests beyond that may get a chunk of their own */
	SPARSE_CHUNK = 1 << 20,	 /* bytes */
	HUGE_PAGE = 1 << 21,	 /* bytes, on most hosts; of chunks from this size on */
	REDZONE = 16,		 /* bytes between allocations under AddressSanitizer */
};

struct hd_arena_chunk {
	struct hd_arena_chunk *next;
	size_t size, fill; /* bytes of data, and how many of them are taken */
	bool mapped;	   /* from the host's memory, not from malloc */
	_Alignas(ALIGNMENT) unsigned char data[];
};

static int exit_status = -1; /* negative: abort */

void hd_out_of_memory_status(int status)
{
	exit_status = status;
}

enum { MOST_CLEANERS = 4 };
static void (*clean_first[MOST_CLEANERS])(void);

void hd_out_of_memory_first(void (*clean)(void))
{
	uint32_t at = 0;
	while (clean_first[at] && clean_first[at] != clean)
		if (++at == MOST_CLEANERS)
			abort();
	clean_first[at] = clean;
}

_Noreturn void hd_out_of_memory(size_t bytes)
{
	if (bytes)
		fprintf(stderr, "heddle: out of memory: cannot allocate %zu bytes\n", bytes);
	else
		fputs("heddle: out of memory\n", stderr);
	/* Handlers of exit() would allocate in their turn, and half of an output would be flushed. */
	for (uint32_t i = 0; exit_status >= 0 && i < MOST_CLEANERS && clean_first[i]; i++)
		clean_first[i]();
	if (exit_status >= 0)
		_exit(exit_status);
	abort();
}

void *hd_xmalloc(size_t bytes)
{
	void *memory = malloc(bytes ? bytes : 1);
	if (!memory)
		hd_out_of_memory(bytes);
	return memory;
}

void *hd_xcalloc(size_t count, size_t bytes)
{
	void *memory = calloc(count ? count : 1, bytes ? bytes : 1);
	if (!memory)
		hd_out_of_memory(bytes && count > SIZE_MAX / bytes ? SIZE_MAX : count * bytes);
	return memory;
}

void *hd_xrealloc(void *old, size_t bytes)
{
	void *memory = realloc(old, bytes ? bytes : 1);
	if (!memory)
		hd_out_of_memory(bytes);
	return memory;
}

char *hd_xstrndup(const char *text, size_t most)
{
	size_t length = strnlen(text, most);
	char *copy = memcpy(hd_xmalloc(length + 1), text, length);
	copy[length] = '\0';
	return copy;
}

char *hd_xstrdup(const char *text)
{
	size_t bytes = strlen(text) + 1;
	return memcpy(hd_xmalloc(bytes), text, bytes);
}

void hd_arena_init(struct hd_arena *arena)
{
	*arena = (struct hd_arena){0};
}

static void release_chunks(struct hd_arena_chunk *chunk)
{
	while (chunk) {
		struct hd_arena_chunk *next = chunk->next;
		ASAN_UNPOISON_MEMORY_REGION(chunk->data, chunk->size);
		if (chunk->mapped)
			munmap(chunk, sizeof(*chunk) + chunk->size);
		else
			free(chunk);
		chunk = next;
	}
}

void hd_arena_release(struct hd_arena *arena)
{
	release_chunks(arena->head);
	release_chunks(arena->sparse);
	hd_arena_init(arena);
}

#ifndef HD_ARENA_POISON
/* `total` bytes, a multiple of huge pages and aligned as they are; NULL: the host has none left. */
static void *map_huge(size_t total)
{
	uint8_t *all = mmap(NULL, total + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return NULL;
	size_t before = -(uintptr_t)all % HUGE_PAGE;
	if (before)
		munmap(all, before);
	munmap(all + before + total, HUGE_PAGE - before);
	madvise(all + before, total, MADV_HUGEPAGE);
	return all + before;
}
#endif

/* Leak checkers look for pointers in what malloc has given alone. */
static struct hd_arena_chunk *new_chunk(size_t size)
{
	struct hd_arena_chunk *chunk = NULL;
#ifndef HD_ARENA_POISON
	size_t total = (sizeof(*chunk) + size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1);
	if (size >= HUGE_PAGE && total > size && hd_store_here() == HD_STORE_OUTSIDE && (chunk = map_huge(total))) {
		chunk->mapped = true;
		chunk->size = total - sizeof(*chunk);
		return chunk;
	}
#endif
	chunk = hd_xcalloc(1, sizeof(*chunk) + size);
	chunk->size = size;
	return chunk;
}

static struct hd_arena_chunk *new_sparse_chunk(size_t size)
{
#ifndef HD_ARENA_POISON
	size_t total = sizeof(struct hd_arena_chunk) + size;
	void *all = hd_store_here() == HD_STORE_OUTSIDE
			    ? mmap(NULL, total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
			    : MAP_FAILED;
	if (all != MAP_FAILED) {
		struct hd_arena_chunk *chunk = all;
		madvise(all, total, MADV_NOHUGEPAGE);
		chunk->mapped = true;
		chunk->size = size;
		return chunk;
	}
#endif
	struct hd_arena_chunk *chunk = hd_xcalloc(1, sizeof(*chunk) + size);
	chunk->size = size;
	return chunk;
}

/* Puts a chunk with room for at least `bytes` at the head. */
static struct hd_arena_chunk *add_chunk(struct hd_arena *arena, size_t bytes)
{
	size_t size = arena->head ? arena->head->size * 2 : FIRST_CHUNK;
	if (size > LARGEST_CHUNK)
		size = LARGEST_CHUNK;
	if (size < bytes)
		size = bytes;
	struct hd_arena_chunk *chunk = new_chunk(size);
	ASAN_POISON_MEMORY_REGION(chunk->data, chunk->size);
	/* A chunk made for one large request is full at once: keep filling the one we had. */
	if (arena->head && size == bytes && size > ALONE) {
		chunk->next = arena->head->next;
		arena->head->next = chunk;
	} else {
		chunk->next = arena->head;
		arena->head = chunk;
	}
	return chunk;
}

/* The bytes that an allocation takes of a chunk. */
static size_t taken_by(size_t bytes)
{
	size_t take = bytes ? bytes : 1;
#ifdef HD_ARENA_POISON
	take += REDZONE;
#endif
	if (bytes > SIZE_MAX - REDZONE - ALIGNMENT - sizeof(struct hd_arena_chunk))
		hd_out_of_memory(bytes);
	return (take + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static void *take_from(struct hd_arena *arena, struct hd_arena_chunk *chunk, size_t bytes, size_t take)
{
	void *memory = chunk->data + chunk->fill;
	chunk->fill += take;
	arena->used += bytes;
	ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
	return memory;
}

void *hd_arena_alloc(struct hd_arena *arena, size_t bytes)
{
	size_t take = taken_by(bytes);
	struct hd_arena_chunk *chunk = arena->head;
	if (!chunk || chunk->size - chunk->fill < take)
		chunk = add_chunk(arena, take);
	return take_from(arena, chunk, bytes, take);
}

void *hd_arena_alloc_sparse(struct hd_arena *arena, size_t bytes)
{
	size_t take = taken_by(bytes);
	struct hd_arena_chunk *chunk = arena->sparse;
	if (!chunk || chunk->size - chunk->fill < take) {
		chunk = new_sparse_chunk(take > SPARSE_CHUNK ? take : SPARSE_CHUNK);
		ASAN_POISON_MEMORY_REGION(chunk->data, chunk->size);
		chunk->next = arena->sparse;
		arena->sparse = chunk;
	}
	return take_from(arena, chunk, bytes, take);
}

char *hd_arena_strdup(struct hd_arena *arena, const char *text)
{
	size_t bytes = strlen(text) + 1;
	return memcpy(hd_arena_alloc(arena, bytes), text, bytes);
}

char *hd_arena_printf(struct hd_arena *arena, const char *format, ...)
{
	va_list args, measure;
	va_start(args, format);
	va_copy(measure, args);
	int len = vsnprintf(NULL, 0, format, measure);
	va_end(measure);
	char *text = hd_arena_alloc(arena, len < 0 ? 1 : (size_t)len + 1);
	if (len > 0)
		vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}
