/*
 * Transfers: contexts that a policy moves between an SM and memory (preemption, lightweight switching: Lin, chapters 2
 * and 3). Traffic in time only; what moves is the policy's to keep.
 *
 * A transfer takes no issue slots and passes L1 by. It moves whole sectors, a line a cycle at most, and at most
 * `transfer_lines` lines of an SM's transfers are under way at a time. Those of one priority begin in the order in
 * which they were asked for. Lines that are written are not fetched by L2.
 */
#ifndef HD_RUNTIME_SM_TRANSFER_H
#define HD_RUNTIME_SM_TRANSFER_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"

struct hd_grid;
struct hd_policy_handle;
struct hd_sm;
struct hd_warp;

#define HD_MAX_TRANSFERS 256 /* of an SM, waiting or under way */
/* Physical addresses from here on are nobody's: device and local memory lie below. Up to 2^47 bytes. */
#define HD_TRANSFER_PHYSICAL (UINT64_C(1) << 47)

enum hd_direction { HD_TRANSFER_OUT, HD_TRANSFER_IN }; /* to memory; from it */

struct hd_transfer {
	uint64_t address; /* physical; a multiple of the sector */
	uint32_t bytes;	  /* whole sectors move; 0: registers alone, into or out of a line of another transfer */
	enum hd_direction direction;
	/* Gives way to the program's requests at banks and shared memory, on its way out of the SM, in L2 and DRAM; not
	 * to those behind it in a crossbar. */
	bool low;
	/* Whose context it is: a grid that runs, and does not end before the transfer has. */
	const struct hd_grid *grid;
	/* Registers that move, a bit each: read from or written to their banks, one a cycle, in proportion to the lines
	 * (compressed contexts have fewer of these). They are where they are of this warp until `moved`. NULL: none. */
	const struct hd_warp *warp;
	uint64_t registers[4];
	bool shared; /* it is shared memory that moves: a cycle of that for each line */
	/* Called in the SM's part, each may be NULL. moved: all has been read from the SM (OUT) and its place there is
	 * free. done: all has been acknowledged (OUT) or written (IN). */
	const struct hd_policy_handle *self;
	uint64_t arg;
	void (*moved)(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now);
	void (*done)(const struct hd_policy_handle *self, struct hd_sm *sm, uint64_t arg, uint64_t now);
};

struct hd_transfers {
	uint32_t count; /* waiting or under way */
	struct hd_transfer_lists *lists;
};

/* Begins in the next cycle at the earliest. The transfer is copied. For hooks of the SM, and of the GPU. False:
 * HD_MAX_TRANSFERS are there. */
bool hd_sm_transfer(struct hd_sm *sm, const struct hd_transfer *transfer);

/* ---- for the SM */
void hd_transfers_init(struct hd_sm *sm, struct hd_arena *arena);
/* Forgets them: nobody is told. */
void hd_transfers_clear(struct hd_sm *sm);
/* Their part of a cycle, after the schedulers'. */
void hd_transfers_cycle(struct hd_sm *sm, uint64_t now);

#endif
