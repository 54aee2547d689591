/*
 * --check as a watcher of the run (core/watch.h): which events go to which of its parts.
 */
#include "runtime/check/check.h"
#include "runtime/check/state.h"
#include "runtime/core/gpu.h"
#include "runtime/sm/sm.h"

static void block_begin(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_cta *cta,
			uint64_t now)
{
	(void)sm;
	(void)now;
	hd_check_block(self->state, cta);
}

static void block_moved(const struct hd_watcher_handle *self, const struct hd_cta *from, const struct hd_cta *to)
{
	hd_check_moved(self->state, from, to);
}

static void warp_moved(const struct hd_watcher_handle *self, const struct hd_sm *from, uint32_t id,
		       struct hd_warp *warp)
{
	hd_check_warp_moved(self->state, from, id, warp);
}

static void warp_done(const struct hd_watcher_handle *self, const struct hd_warp *warp)
{
	hd_check_warp_done(self->state, warp);
}

static void step_before(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_dinst *inst)
{
	hd_check_step(self->state, exec, inst);
}

static void barrier_arrive(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp,
			   const struct hd_dinst *inst, uint32_t id)
{
	(void)sm;
	(void)inst;
	hd_check_arrive(self->state, warp, id);
}

static void barrier_release(const struct hd_watcher_handle *self, const struct hd_cta *cta, uint32_t id)
{
	hd_check_release(self->state, cta, id);
}

static void stranger(const struct hd_watcher_handle *self, const struct hd_exec *exec, uint32_t lane)
{
	hd_check_stranger(self->state, exec, lane);
}

static void missing(const struct hd_watcher_handle *self, const struct hd_exec *exec, uint32_t lane, uint32_t lanes)
{
	hd_check_missing(self->state, exec, lane, lanes);
}

static void waits(const struct hd_watcher_handle *self, const struct hd_exec *exec, const struct hd_dinst *inst,
		  uint32_t lanes)
{
	hd_check_waits(self->state, exec, inst, lanes);
}

static void met(const struct hd_watcher_handle *self, const struct hd_warp *warp, const struct hd_inst *const *inst,
		uint32_t lanes)
{
	hd_check_met(self->state, warp, inst, lanes);
}

static void heap_malloc(const struct hd_watcher_handle *self, const struct hd_exec *exec, uint32_t lane,
			uint64_t address, uint64_t bytes)
{
	hd_check_malloc(self->state, exec, lane, address, bytes);
}

static void heap_free(const struct hd_watcher_handle *self, const struct hd_exec *exec, uint64_t address)
{
	hd_check_freed(self->state, exec, address);
}

static void wait_result(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_warp *warp,
			const struct hd_dinst *inst, uint32_t mask, uint32_t over)
{
	(void)gpu;
	(void)mask;
	hd_check_woken(self->state, warp, inst, over);
}

static void window_end(const struct hd_watcher_handle *self, struct hd_gpu *gpu, uint64_t end)
{
	hd_check_collect(self->state, end);
	if (gpu->error)
		hd_guess_void(self->state, end);
}

static void bulk_begins(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_bulk *bulk)
{
	hd_check_bulk_begins(self->state, exec, bulk);
}

static void bulk_lands(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_bulk *bulk,
		       uint32_t rank)
{
	hd_check_bulk_lands(self->state, exec, bulk, rank);
}

static const struct hd_watcher check_watcher = {
	.name = "check",
	.in_order = true,
	.all_code = true,
	.one_grid = true,
	.block_begin = block_begin,
	.block_moved = block_moved,
	.warp_moved = warp_moved,
	.warp_done = warp_done,
	.step_before = step_before,
	.barrier_arrive = barrier_arrive,
	.barrier_release = barrier_release,
	.wait_result = wait_result,
	.bulk_begins = bulk_begins,
	.bulk_lands = bulk_lands,
	.stranger = stranger,
	.missing = missing,
	.waits = waits,
	.met = met,
	.heap_malloc = heap_malloc,
	.heap_free = heap_free,
	.window_end = window_end,
};

/* What these follow passes between blocks through global memory. */
enum { STEPWISE = HD_CHECK_INIT | HD_CHECK_RACE_GLOBAL };

void hd_check_start(struct hd_gpu *gpu, uint32_t kinds)
{
	hd_watcher_add(gpu, &check_watcher, hd_check_new(gpu, kinds));
	gpu->stepwise |= (kinds & STEPWISE) != 0;
}

struct hd_check *hd_check_of(const struct hd_gpu *gpu)
{
	return hd_watcher_state(gpu, &check_watcher);
}
