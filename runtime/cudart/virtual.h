/* Addresses that a program reserves, and memory that it maps there: see virtual.c. With the context held. */
#ifndef HD_RUNTIME_CUDART_VIRTUAL_H
#define HD_RUNTIME_CUDART_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/vec.h"

struct hd_cudart;
struct hd_physical;

struct hd_reserved {
	uint64_t low, high;
};
struct hd_mapped {
	uint64_t low, high;
	struct hd_physical *memory;
	bool open; /* to the device */
};
/* The first two by address, without overlaps. */
struct hd_virtual {
	HD_VEC(struct hd_reserved) reserved;
	HD_VEC(struct hd_mapped) mapped;
	HD_VEC(struct hd_physical *) shareable; /* memory with a file of its own, or of another process, by file */
};

/* Whether the address is one of those that a program can reserve. */
bool hd_cudart_is_virtual(uint64_t address);
/* The bounds of the mapping that contains the address. False: there is none. */
bool hd_cudart_mapping(const struct hd_cudart *cudart, uint64_t address, uint64_t *low, uint64_t *high);
/* By which kinds of handles what is mapped at the address may be shared, of enum CUmemAllocationHandleType; 0: by none,
 * or nothing is mapped there. */
uint64_t hd_cudart_handle_types(const struct hd_cudart *cudart, uint64_t address);
/* Unmaps and frees all of it, and the handles with it. */
void hd_cudart_reset_virtual(struct hd_cudart *cudart);
/* At the end of the process. */
void hd_cudart_release_virtual(struct hd_cudart *cudart);

#endif
