/*
 * Memory of the simulated device for the parts of the runtime API. Each returns what the API function is to return;
 * none notes it as the thread's last error. Device pointers are the simulator's addresses.
 */
#ifndef HD_RUNTIME_CUDART_MEMORY_H
#define HD_RUNTIME_CUDART_MEMORY_H

#include "runtime/cudart/context.h"

/* Device memory, uninitialised; *pointer is NULL for no bytes. Starts the simulator. */
cudaError_t hd_cudart_alloc(struct hd_cudart *cudart, void **pointer, size_t size);
/* The same for rows of `width` bytes, whose distance is left in *pitch. */
cudaError_t hd_cudart_alloc_rows(struct hd_cudart *cudart, void **pointer, size_t *pitch, size_t width, size_t rows);
/* NULL is nothing to free. */
cudaError_t hd_cudart_free(struct hd_cudart *cudart, void *pointer);
/* The same for memory of a graph, which a launch has allocated (graph_memory.c). */
cudaError_t hd_graph_memory_free(struct hd_cudart *cudart, const void *pointer);
/* Whether an address is in memory of a graph, which may be there or not. */
bool hd_graph_memory_has(const struct hd_cudart *cudart, uintptr_t address);
/* The memory of host and device that holds an address, or NULL; the simulator runs. */
const struct hd_shared_memory *hd_cudart_shared(struct hd_cudart *cudart, const void *address);
/* The attributes of the default pool. */
void hd_cudart_reset_pool(struct hd_cudart *cudart);
/* An allocation is gone. */
void hd_cudart_forget_advice(struct hd_cudart *cudart, uint64_t owner);
cudaError_t hd_cudart_set(struct hd_cudart *cudart, void *pointer, int value, size_t count);
/* `count` elements of 1, 2 or 4 bytes. */
cudaError_t hd_cudart_set_elements(struct hd_cudart *cudart, void *pointer, uint32_t value, unsigned bytes,
				   size_t count);
/* Bytes from the first to the last of rows so far apart; false: no address space has so many. */
bool hd_cudart_rows_bytes(size_t pitch, size_t width, size_t height, size_t *bytes);
/* What is known of a memset or a copy before it is done: which memory there is. The simulator runs. */
cudaError_t hd_cudart_check_set(const struct hd_cudart *cudart, const void *pointer, size_t count);
cudaError_t hd_cudart_check_ends(struct hd_cudart *cudart, const void *to, size_t to_bytes, const void *from,
				 size_t from_bytes, enum cudaMemcpyKind kind);
/* Where `count` bytes of a device variable are, from `offset` on. */
cudaError_t hd_cudart_symbol_range(struct hd_cudart *cudart, const void *symbol, size_t count, size_t offset,
				   void **pointer);
/* Between host and device as `kind` tells, or the addresses do (cudaMemcpyDefault). */
cudaError_t hd_cudart_copy(struct hd_cudart *cudart, void *to, const void *from, size_t count,
			   enum cudaMemcpyKind kind);

#endif
