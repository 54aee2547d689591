/*
 * Bump allocator. One arena for each function in the passes and for each run in
 * the simulator: everything is freed at once, nothing is freed alone.
 */
#ifndef HD_LIB_ARENA_H
#define HD_LIB_ARENA_H

#include <stddef.h>
#include <stdint.h>

#include "lib/api.h"

struct hd_arena_chunk;

struct hd_arena {
	struct hd_arena_chunk *head, *sparse;
	size_t used; /* bytes handed out since init, for statistics */
};

void hd_arena_init(struct hd_arena *arena);
void hd_arena_release(struct hd_arena *arena);

/* Zeroed memory aligned to 16 bytes, owned by the arena. Aborts when the host is out of memory. */
HD_API void *hd_arena_alloc(struct hd_arena *arena, size_t bytes);
/* The same, for a table of which most runs touch the beginning: only what is touched takes memory of the host, in small
 * pages. */
HD_API void *hd_arena_alloc_sparse(struct hd_arena *arena, size_t bytes);
HD_API char *hd_arena_strdup(struct hd_arena *arena, const char *text);
HD_API char *hd_arena_printf(struct hd_arena *arena, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define HD_ARENA_NEW(arena, type, count) \
	((type *)hd_arena_alloc((arena), sizeof(type) * (size_t)(count)))

#define HD_ARENA_NEW_SPARSE(arena, type, count) \
	((type *)hd_arena_alloc_sparse((arena), sizeof(type) * (size_t)(count)))

/* What follows the message where the host is out of memory: the process ends with this status, without a further word
 * and without what it has not written yet. Tools call this first; libraries do not, and their processes abort. */
HD_API void hd_out_of_memory_status(int status);
/* What is called before, too, where hd_out_of_memory_status was: it allocates nothing. */
HD_API void hd_out_of_memory_first(void (*clean)(void));
/* Ends the process so, when that many bytes were not to be had; 0: nobody knows how many. */
HD_API _Noreturn void hd_out_of_memory(size_t bytes);
/* malloc family that aborts with a message instead of returning NULL. */
HD_API void *hd_xmalloc(size_t bytes);
HD_API void *hd_xcalloc(size_t count, size_t bytes);
HD_API void *hd_xrealloc(void *old, size_t bytes);
HD_API char *hd_xstrndup(const char *text, size_t most);
HD_API char *hd_xstrdup(const char *text);

#endif
