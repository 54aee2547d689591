/*
 * The heap that malloc and free of the device use (heap.c).
 */
#ifndef HD_RUNTIME_EXEC_HEAP_H
#define HD_RUNTIME_EXEC_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct hd_gpu;

/* 0 when there is no room; false for what is no allocation. */
uint64_t hd_heap_malloc(struct hd_gpu *gpu, uint64_t bytes);
bool hd_heap_free(struct hd_gpu *gpu, uint64_t address);
/* Is it a block that was freed, and not returned again since? */
bool hd_heap_was_freed(struct hd_gpu *gpu, uint64_t address);

#endif
