/*
 * Accesses by instruction, in the statistics as "access" beside its stalls (blame.c), without zeros:
 *
 *     threads              lanes that executed it, over all issues
 *     requests             warps that accessed global or local memory
 *     sectors              32-byte sectors that their lanes touched
 *     ideal_sectors        that the same bytes need if they lie next to each other
 *     shared_requests      warps that accessed shared memory
 *     shared_cycles        cycles that this took, bank conflicts included
 *     ideal_shared_cycles  without conflicts
 *     branches, diverged   warps that came to a conditional branch, and those whose lanes went different ways
 *
 * A sector that several lanes touch counts once, also among the ideal ones: these are never more than the sectors.
 *
 * Cost: nothing when off; a second coalescing of each access when on.
 */
#include "runtime/watch/traffic.h"

#include "heddle/config.h"
#include "runtime/core/effect.h"
#include "runtime/memory/coalescer.h"
#include "runtime/sm/sm.h"

#define ACCESS_LIST(X)                                                                                        \
	X(threads)                                                                                            \
	X(requests)                                                                                           \
	X(sectors)                                                                                            \
	X(ideal_sectors)                                                                                      \
	X(shared_requests)                                                                                    \
	X(shared_cycles)                                                                                      \
	X(ideal_shared_cycles)                                                                                \
	X(branches)                                                                                           \
	X(diverged)

struct counts {
#define X(name) uint64_t name;
	ACCESS_LIST(X)
#undef X
};

struct traffic {
	struct counts *counts; /* of each instruction of the program */
	uint32_t count;
	struct hd_coalescer coalescer;
	uint32_t sector, shared_width; /* bytes */
};

/* Makes room for all code that is loaded. */
static void grid_begin(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_grid *grid)
{
	struct traffic *traffic = self->state;
	uint32_t count = gpu->program.code.len;
	(void)grid;
	if (count <= traffic->count)
		return;
	traffic->counts = hd_xrealloc(traffic->counts, sizeof(*traffic->counts) * count);
	memset(traffic->counts + traffic->count, 0, sizeof(*traffic->counts) * (count - traffic->count));
	traffic->count = count;
}

static uint64_t least(uint64_t bytes, uint32_t unit, uint64_t took)
{
	uint64_t need = (bytes + unit - 1) / unit;
	return need < took ? need : took;
}

static void count_request(const struct traffic *traffic, const struct hd_sm *sm, const struct hd_dinst *inst,
			  const struct hd_effect *effect, struct counts *more)
{
	struct hd_mem_request request = {.space = effect->space,
					 .kind = inst->effects & HD_FX_LOAD ? HD_MEM_LOAD : HD_MEM_STORE,
					 .bytes = inst->access_bytes,
					 .pattern = effect->pattern,
					 .mask = effect->mask};
	uint64_t bytes = (uint64_t)__builtin_popcount(effect->mask) * inst->access_bytes;
	memcpy(request.address, effect->address, sizeof(request.address));
	if (effect->space == HD_MEM_SHARED) {
		more->shared_requests = 1;
		more->shared_cycles = hd_lsu_shared_cycles(sm->lsu, &request);
		more->ideal_shared_cycles = least(bytes, traffic->shared_width, more->shared_cycles);
	} else if (effect->space != HD_MEM_REMOTE) {
		struct hd_access lines[HD_MAX_ACCESSES];
		more->requests = 1;
		for (uint32_t i = hd_coalesce(&traffic->coalescer, &request, lines); i-- > 0;)
			more->sectors += (uint64_t)__builtin_popcount(lines[i].sectors);
		more->ideal_sectors = least(bytes, traffic->sector, more->sectors);
	}
}

static void execute_after(const struct hd_watcher_handle *self, struct hd_sm *sm, struct hd_warp *warp,
			  const struct hd_dinst *inst, uint32_t pc, const struct hd_effect *effect)
{
	const struct traffic *traffic = self->state;
	struct counts more = {.threads = (uint64_t)__builtin_popcount(hd_effect_lanes(effect))};
	bool texture = hd_opinfo[inst->inst.op].space == HD_AT_TEXTURE;
	(void)warp;
	if (pc >= traffic->count || effect->event == HD_EVENT_FAULT)
		return;
	if (effect->event == HD_EVENT_MEMORY && effect->mask && !texture)
		count_request(traffic, sm, inst, effect, &more);
	more.branches = inst->effects & HD_FX_BRANCH && inst->inst.guard != HD_PT;
	more.diverged = more.branches && effect->diverged;
#define X(name)                                                                                               \
	if (more.name)                                                                                        \
		__atomic_fetch_add(&traffic->counts[pc].name, more.name, __ATOMIC_RELAXED);
	ACCESS_LIST(X)
#undef X
}

static const struct hd_watcher traffic_watcher = {.name = "traffic",
						  .all_code = true,
						  .grid_begin = grid_begin,
						  .execute_after = execute_after};

void hd_traffic_start(struct hd_gpu *gpu)
{
	struct traffic *traffic = HD_ARENA_NEW(&gpu->arena, struct traffic, 1);
	hd_coalescer_init(&traffic->coalescer, gpu->config);
	traffic->sector = gpu->config->sector;
	traffic->shared_width = gpu->config->shared_width;
	hd_watcher_add(gpu, &traffic_watcher, traffic);
}

void hd_traffic_end(struct hd_gpu *gpu)
{
	struct traffic *traffic = hd_watcher_state(gpu, &traffic_watcher);
	if (traffic)
		free(traffic->counts);
}

json_t *hd_traffic_json(const struct hd_gpu *gpu, uint32_t pc)
{
	const struct traffic *traffic = hd_watcher_state(gpu, &traffic_watcher);
	if (!traffic || pc >= traffic->count || !traffic->counts[pc].threads)
		return NULL;
	json_t *object = json_object();
#define X(name)                                                                                               \
	if (traffic->counts[pc].name)                                                                        \
		json_object_set_new(object, #name, json_integer((json_int_t)traffic->counts[pc].name));
	ACCESS_LIST(X)
#undef X
	return object;
}
