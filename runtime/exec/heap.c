/*
 * The heap of device malloc and free: blocks of 16 << class bytes in one device allocation, with
 * a free list for each class, kept in the heap itself. Constant time. What a kernel overwrites
 * in its own heap stays inside the heap: links are checked before they are followed.
 */
#include "runtime/exec/heap.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"

#define DEFAULT_HEAP_BYTES (UINT64_C(8) << 20)
#define CLASSES 40
#define BLOCK_USED 0x55534544u /* "DESU" */
#define BLOCK_FREE 0x45455246u /* "FREE" */

struct heap {
	uint64_t bytes, fresh;	     /* offsets from `fresh` on were never handed out */
	uint64_t free_list[CLASSES]; /* offset of the first free block, 0 none */
};
struct block {
	uint32_t state, class;
	uint64_t next; /* offset, while free */
};

static struct heap *open_heap(struct hd_gpu *gpu)
{
	if (gpu->heap_address)
		return hd_devmem_at(gpu->devmem, gpu->heap_address, sizeof(struct heap));
	uint64_t bytes = gpu->options.heap_bytes ? gpu->options.heap_bytes : DEFAULT_HEAP_BYTES;
	if (bytes < 4096 || hd_devmem_alloc(gpu->devmem, bytes, 256, &gpu->heap_address) != 0)
		return NULL;
	struct heap *heap = hd_devmem_at(gpu->devmem, gpu->heap_address, bytes);
	*heap = (struct heap){.bytes = bytes, .fresh = (sizeof(*heap) + 15) & ~UINT64_C(15)};
	return heap;
}

static struct block *block_at(struct heap *heap, uint64_t offset)
{
	if (offset % 16 || offset < sizeof(*heap) || offset > heap->bytes - sizeof(struct block))
		return NULL;
	return (struct block *)((uint8_t *)heap + offset);
}

static uint64_t take_block(struct heap *heap, unsigned class)
{
	uint64_t offset = heap->free_list[class], size = UINT64_C(16) << class;
	struct block *block = offset ? block_at(heap, offset) : NULL;
	if (block && block->state == BLOCK_FREE && block->class == class) {
		heap->free_list[class] = block->next;
		return offset;
	}
	if (heap->fresh > heap->bytes || size > heap->bytes - heap->fresh)
		return 0;
	offset = heap->fresh;
	heap->fresh += size;
	return offset;
}

uint64_t hd_heap_malloc(struct hd_gpu *gpu, uint64_t bytes)
{
	struct heap *heap = open_heap(gpu);
	if (!heap || !bytes || bytes > heap->bytes)
		return 0;
	unsigned class = 1; /* a header and at least 16 bytes */
	while ((UINT64_C(16) << class) < bytes + sizeof(struct block))
		class ++;
	uint64_t offset = take_block(heap, class);
	if (!offset)
		return 0;
	*block_at(heap, offset) = (struct block){.state = BLOCK_USED, .class = class};
	return gpu->heap_address + offset + sizeof(struct block);
}

bool hd_heap_was_freed(struct hd_gpu *gpu, uint64_t address)
{
	struct heap *heap = gpu->heap_address ? open_heap(gpu) : NULL;
	struct block *block = heap ? block_at(heap, address - gpu->heap_address - sizeof(struct block)) : NULL;
	return block && block->state == BLOCK_FREE && block->class < CLASSES;
}

bool hd_heap_free(struct hd_gpu *gpu, uint64_t address)
{
	if (!address)
		return true;
	struct heap *heap = gpu->heap_address ? open_heap(gpu) : NULL;
	uint64_t offset = address - gpu->heap_address - sizeof(struct block);
	struct block *block = heap ? block_at(heap, offset) : NULL;
	if (!block || block->state != BLOCK_USED || block->class >= CLASSES)
		return false;
	*block = (struct block){.state = BLOCK_FREE, .class = block->class, .next = heap->free_list[block->class]};
	heap->free_list[block->class] = offset;
	return true;
}
