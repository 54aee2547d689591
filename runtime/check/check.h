/*
 * --check: mistakes of the program that no access check sees, found while it runs (include/heddle/checks.def). What is
 * found is kept with both places and a count, and told at the end of the launch; the program goes on.
 *
 * - race: two accesses to a byte of shared memory, one of them a write, by threads of a block that nothing orders
 *   (race.c, clocks.c); race-global: the same of global memory, of all blocks (race.c, global.c)
 * - init: bits out of memory that nothing has written, or out of a shuffle from a lane that does not take part, decide
 *   something (init.c; lanes.c, texels.c, values.c, stack.c, fresh.c)
 * - sync: barriers under divergence, operations among lanes without some of those that they name (sync.c)
 * - memory: an access outside of its variable, or of the heap's blocks (bounds.c); leak: blocks that are left
 *
 * A watcher of the run (watcher.c, core/watch.h); without it a launch costs what it did. State is kept by SM and slot,
 * and made when a slot is first used. init and race-global follow what passes between blocks through global memory, and
 * see the SMs' instructions in their order. What the others look at is a block's own: SMs go through windows of cycles
 * on several host threads, and what each finds is kept with it until the window ends (hd_check_collect).
 */
#ifndef HD_RUNTIME_CHECK_CHECK_H
#define HD_RUNTIME_CHECK_CHECK_H

#include "runtime/exec/exec.h"

struct hd_check;

/* From now on the GPU is watched. */
void hd_check_start(struct hd_gpu *gpu, uint32_t kinds);
/* What watches the GPU; NULL: nothing does. */
struct hd_check *hd_check_of(const struct hd_gpu *gpu);
struct hd_check *hd_check_new(struct hd_gpu *gpu, uint32_t kinds);
void hd_check_free(struct hd_check *check);

/* ---- what it is told */

/* A block begins, its warps are there. */
void hd_check_block(struct hd_check *check, const struct hd_cta *cta);
/* It is another struct, on another SM, from now on; and so is a warp of it, which was number `id` of `from`. */
void hd_check_moved(struct hd_check *check, const struct hd_cta *from, const struct hd_cta *to);
void hd_check_warp_moved(struct hd_check *check, const struct hd_sm *from, uint32_t id, const struct hd_warp *warp);
/* Before the lanes in exec->mask execute an instruction: exec->warp is where it is. */
void hd_check_step(struct hd_check *check, struct hd_exec *exec, const struct hd_dinst *inst);
/* An operation among lanes that one comes to whom its mask does not name, or that those of `missing` will never come
 * to. */
void hd_check_stranger(struct hd_check *check, const struct hd_exec *exec, uint32_t lane);
void hd_check_missing(struct hd_check *check, const struct hd_exec *exec, uint32_t lane, uint32_t missing);
/* Some of those that are at such an operation wait for others from now on. */
void hd_check_waits(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lanes);
/* Lanes of several paths are all at an operation among lanes: `inst` by lane. */
void hd_check_met(struct hd_check *check, const struct hd_warp *warp, const struct hd_inst *const *inst,
		  uint32_t lanes);
/* A warp arrives at a barrier of its block, with the lanes of `mask`; and the warps that it waits for have. */
void hd_check_arrive(struct hd_check *check, const struct hd_warp *warp, uint32_t id);
/* Lanes that waited at a barrier in shared memory go on. */
void hd_check_woken(struct hd_check *check, const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lanes);
struct hd_bulk;
/* Copies in bulk begin; one is about to land in the block of a rank. */
void hd_check_bulk_begins(struct hd_check *check, struct hd_exec *exec, const struct hd_bulk *bulk);
void hd_check_bulk_lands(struct hd_check *check, struct hd_exec *exec, const struct hd_bulk *bulk, uint32_t rank);
void hd_check_release(struct hd_check *check, const struct hd_cta *cta, uint32_t id);
/* The last lane of a warp has ended. */
void hd_check_warp_done(struct hd_check *check, const struct hd_warp *warp);
/* The host has allocated memory, which holds nothing yet; has written it, or may from now on; has copied it. */
void hd_check_allocated(struct hd_check *check, uint64_t address, uint64_t bytes);
void hd_check_written(struct hd_check *check, uint64_t address, uint64_t bytes);
void hd_check_copied(struct hd_check *check, uint64_t to, uint64_t from, uint64_t bytes);
/* The host has copied it to itself. */
void hd_check_read(struct hd_check *check, uint64_t address, uint64_t bytes);
/* malloc on the device has returned a block, free has taken one. */
void hd_check_malloc(struct hd_check *check, const struct hd_exec *exec, uint32_t lane, uint64_t address,
		     uint64_t bytes);
void hd_check_freed(struct hd_check *check, const struct hd_exec *exec, uint64_t address);
/* The block of the heap at or next to an address, with what free would say of it; NULL: there is none. */
struct hd_heap_block;
const struct hd_heap_block *hd_check_heap_block(const struct hd_check *check, uint64_t address);
/* A window of cycles has ended: what SMs found in it before cycle `end` counts, in the order of cycles and SMs. */
void hd_check_collect(struct hd_check *check, uint64_t end);
/* The program is over: blocks that are left are reported. */
void hd_check_end(struct hd_check *check);
/* The launch is over: what it showed for the first time is reported. */
void hd_check_report(struct hd_check *check);

/* Places at which something was found, in all launches. */
uint32_t hd_check_places(const struct hd_check *check);
/* One line about all launches. */
void hd_check_summary(const struct hd_check *check, char *text, size_t size);

#endif
