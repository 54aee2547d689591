/*
 * Accesses to memory as the executor says what they are and the memory system times them: spaces, kinds, how the lanes'
 * addresses lie, and where local memory is in the physical address space.
 */
#ifndef HD_RUNTIME_CORE_ADDRESS_H
#define HD_RUNTIME_CORE_ADDRESS_H

#include <stdint.h>

/* REMOTE: shared memory of another block of the cluster. */
enum hd_mem_space { HD_MEM_GLOBAL, HD_MEM_LOCAL, HD_MEM_SHARED, HD_MEM_REMOTE, HD_MEM_SPACES };
enum hd_mem_kind { HD_MEM_LOAD, HD_MEM_STORE, HD_MEM_ATOMIC, HD_MEM_REDUCTION };
/* How the lanes' addresses lie, where that is known: a word each, lane n's n words behind lane 0's, of lanes that are
 * not active, too; all active ones the same. */
enum hd_mem_pattern { HD_MEM_SCATTERED, HD_MEM_CONSECUTIVE, HD_MEM_UNIFORM };
enum hd_mem_class { HD_CLASS_GLOBAL, HD_CLASS_SPILL_FILL, HD_CLASS_OTHER_LOCAL };

/* Where local memory lies in the physical address space of caches and DRAM: above all device memory. */
#define HD_LOCAL_PHYSICAL (UINT64_C(1) << 46)
#define HD_LOCAL_PHYSICAL_GRID (UINT64_C(1) << 40) /* of each grid that runs */

/* A place in the shared memory of an SM, for the network between SMs. */
#define HD_REMOTE_SM_SHIFT 32
static inline uint64_t hd_remote_address(uint32_t sm, uint32_t offset)
{
	return (uint64_t)sm << HD_REMOTE_SM_SHIFT | offset;
}

/*
 * Physical address of byte `offset` of lane `lane` of the warp whose local memory starts at `base`: consecutive words
 * of one lane are 128 bytes apart, so that the same offset over a warp is one line. Wide accesses touch several words;
 * the coalescer expands them for HD_MEM_LOCAL.
 */
static inline uint64_t hd_local_address(uint64_t base, uint32_t lane, uint32_t offset)
{
	return base + (uint64_t)(offset / 4) * 128 + lane * 4 + offset % 4;
}

#endif
