/*
 * What a policy says of registers, blocks and their places on an SM (struct hd_policy_hooks, allocation).
 *
 * Hooks of several policies: `admit` passes the number through them in order, `reserve` adds up, of `quota` the least
 * counts, of `launch_without` the union.
 */
#ifndef HEDDLE_POLICY_ALLOCATION_H
#define HEDDLE_POLICY_ALLOCATION_H

#include <stdint.h>

struct hd_cta;
struct hd_grid;
struct hd_policy_handle;
struct hd_sm;
struct hd_warp;

/* Resources of a warp or block in an SM that it may lack for a time (runtime/sm/context.h). */
enum { HD_PART_SLOT = 1, HD_PART_REGISTERS = 2, HD_PART_SHARED = 4, HD_PART_STACK = 8 };

struct hd_policy_allocation {
	/* Called when a grid gets its turn on an SM. `registers` is the baseline's allocation per thread. Returns the
	 * registers to reserve per thread. If not even one block fits, a block is launched anyway; the policy must
	 * then hold warps. */
	uint32_t (*admit)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid,
			  uint32_t registers);
	/* Called when a grid gets its turn on an SM. Returns the warp registers that it needs there in addition to
	 * those of its warps, until it ends. Occupancy counts them. hd_range_row gives their values, initially
	 * zero. */
	uint32_t (*reserve)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid);
	/* Called when an SM has room for a block. Returns the current maximum number of blocks of the grid on the SM.
	 * Must call hd_sm_request_dispatch when that number rises. Without this hook, a grid waits until all blocks of
	 * earlier grids are placed (docs/architecture.md, Grids). May read the state of all SMs. */
	uint32_t (*quota)(const struct hd_policy_handle *self, const struct hd_sm *sm, const struct hd_grid *grid);
	/* Called when the SM cannot hold another complete block. Returns the HD_PART_* resources the block may start
	 * without; it starts only if every missing resource is among them. 0: it waits. Warps without a slot have
	 * registers unless HD_PART_REGISTERS is among them; the oldest ones get slots as these become free, unless
	 * they are held. */
	uint32_t (*launch_without)(const struct hd_policy_handle *self, struct hd_sm *sm, const struct hd_grid *grid);
	/* Called when a block has its places, before its warps start. */
	void (*cta_launch)(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
	/* Called when the last warp of a block has ended; its places are free afterwards. */
	void (*cta_retire)(const struct hd_policy_handle *self, struct hd_sm *sm, struct hd_cta *cta);
	/* Called when a warp has ended; its place is free afterwards. Not called for warps of a block that is
	 * killed. */
	void (*warp_done)(const struct hd_policy_handle *self, struct hd_warp *warp, uint64_t now);
};

#endif
