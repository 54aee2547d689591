/*
 * The unified on-chip space of an SM (gpu-multiprogramming-lin, 3.6.5): register file, shared memory and, where it
 * holds contexts, L1 as one row of units of 128 bytes, the registers first, with a bit for each that is taken.
 *
 * Places are contiguous. Registers of warps that are there and shared memory of blocks are found from the lowest unit
 * of their part on, contexts of what is away from the highest unit of a part down, so that contexts, all of one size,
 * and blocks, all of one size, leave no gaps between them that neither can use.
 */
#ifndef HD_RUNTIME_POLICY_DUET_SPACE_H
#define HD_RUNTIME_POLICY_DUET_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#define DUET_UNIT_BYTES 128
#define DUET_MOST_UNITS 4096 /* addresses of 12 bits */
#define DUET_MOST_WARPS 128  /* that an SM knows */
#define DUET_MOST_BLOCKS 32
#define DUET_NOWHERE UINT32_MAX

/* The parts of the space. */
enum duet_part { DUET_REGISTERS, DUET_SHARED, DUET_L1, DUET_PARTS };

struct duet_space {
	uint32_t units[DUET_PARTS];
	uint32_t kept[DUET_PARTS]; /* the lowest of these, where no contexts go */
	uint32_t taken;		   /* units */
	uint64_t map[DUET_MOST_UNITS / 64];
};

/* Units of each part, together at most DUET_MOST_UNITS; false: more, nothing is done. */
bool duet_space_init(struct duet_space *space, uint32_t registers, uint32_t shared, uint32_t l1);
/* L1 holds contexts from now on: so many units of it, with the others at most DUET_MOST_UNITS. */
void duet_space_add_l1(struct duet_space *space, uint32_t units);
/* No contexts go to the lowest `units` of the part from now on: what takes all of these finds them free. */
void duet_space_keep(struct duet_space *space, enum duet_part part, uint32_t units);
/* The first place of `units` in the part, from below; DUET_NOWHERE: there is none. None units: a place of nothing. */
uint32_t duet_space_take(struct duet_space *space, enum duet_part part, uint32_t units);
/* The same from the top of L1, and where that has none from the top of `part`: for a context. */
uint32_t duet_space_take_context(struct duet_space *space, enum duet_part part, uint32_t units);
/* Gives such a place back; all of its units are taken. */
void duet_space_give(struct duet_space *space, uint32_t address, uint32_t units);
/* Whether the bit map has as many bits as units were taken and not given back. */
bool duet_space_agrees(const struct duet_space *space);
/* Whether registers at this address are in the register file, and shared memory in its own: what each warp that issues
 * is asked. */
static inline bool duet_present(const struct duet_space *space, uint32_t address)
{
	return address < space->units[DUET_REGISTERS];
}
static inline bool duet_shared_present(const struct duet_space *space, uint32_t address)
{
	return address - space->units[DUET_REGISTERS] <= space->units[DUET_SHARED];
}

/* Bits of the structures of an SM (Table 3.4): `units` of the map, and entries of the tables and queues of the paper.
 */
uint32_t duet_storage_bits(uint32_t units);
/* Those of Virtual Thread: the states of its blocks, and which warp each of `slots` has (3.6.8). */
uint32_t duet_slots_storage_bits(uint32_t slots);

#endif
