/*
 * Where issue slots went: each slot of each scheduler, with the one reason that it has (stalls.def), counted at the
 * instruction at which it was used or lost. In the statistics that is
 *
 *   "slots": {"instructions": [{"function": "_Z1kPf", "pc": 48, "text": "FADD R2, R2, R3", "file": "k.cu", "line": 7,
 *                               "stalls": {"issued": 640, "data_memory": 12000}, "access": {"threads": 20480}}, ...],
 *             "kernels": {"_Z1kPf": "k(float*)"}, "nowhere": {"idle": 90}}
 *
 * with the instructions that have any, in the order of the code; `kernels` has the names, as launches have them, of
 * those functions that are kernels. Which one it is, of those that the schedulers' warps
 * are at, is for scheduler.c to say. `nowhere` has the slots without a warp to blame, and those of modules that have
 * been unloaded. The sums over both are the counters `stalls` of the total. Instructions without a line have no `file`;
 * those of linear versions have `"linear": true`; `access` is that of traffic.c.
 *
 * Needs schedulers to look again whenever a warp's state changes, which scheduler.c sees to. Sums over all launches,
 * the same for any number of host threads. Cost: nothing when off; 8 bytes
 * an instruction and reason when on, a search among the scheduler's warps for each visit that issues nothing, and one
 * addition.
 */
#include "runtime/watch/blame.h"

#include "heddle/figures.h"
#include "runtime/exec/exec.h"
#include "runtime/sm/sm.h"
#include "runtime/watch/traffic.h"

struct blame {
	uint64_t *slots; /* [1 + instruction][enum hd_stall] */
	uint32_t count;	 /* of instructions */
	uint32_t *at;	 /* [SM][scheduler]: the instruction that its slots count at; HD_PC_NONE */
};

/* Of a warp: the last instruction that it has issued from its place; HD_PC_NONE before the first. */
static uint32_t *issued_pc(const struct hd_watcher_handle *self, const struct hd_warp *warp)
{
	return HD_WATCHER_OF(self, warp, warp);
}

static uint32_t *place_of(const struct blame *blame, const struct hd_sm *sm, uint32_t scheduler)
{
	return &blame->at[sm->id * HD_MAX_SCHEDULERS + scheduler];
}

/* Row 0 is that of slots without an instruction, pc + 1 an instruction's. */
static uint64_t *row_of(const struct blame *blame, uint32_t pc)
{
	uint32_t row = pc < blame->count ? pc + 1 : 0;
	return blame->slots + (size_t)row * HD_STALL_COUNT;
}

/* Makes room for all code that is loaded. */
static void grid_begin(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_grid *grid)
{
	struct blame *blame = self->state;
	uint32_t count = gpu->program.code.len;
	size_t before = blame->slots ? ((size_t)blame->count + 1) * HD_STALL_COUNT : 0;
	size_t after = ((size_t)count + 1) * HD_STALL_COUNT;
	(void)grid;
	if (after <= before)
		return;
	blame->slots = hd_xrealloc(blame->slots, sizeof(*blame->slots) * after);
	memset(blame->slots + before, 0, sizeof(*blame->slots) * (after - before));
	blame->count = count;
}

static void scheduled(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp)
{
	(void)sm;
	*issued_pc(self, warp) = HD_PC_NONE;
}

/* What a policy puts before the instruction counts as its own. */
static void picked(const struct hd_watcher_handle *self, const struct hd_sm *sm, uint32_t scheduler,
		   const struct hd_warp *warp, bool second)
{
	*issued_pc(self, warp) = warp->pc;
	if (!second)
		*place_of(self->state, sm, scheduler) = warp->pc;
}

/* At what the warp would issue next; where that waits for something that it has issued itself (a branch, a barrier, a
 * fence), at this. */
static void lost(const struct hd_watcher_handle *self, const struct hd_sm *sm, uint32_t scheduler,
		 const struct hd_warp *warp, uint32_t reason)
{
	bool own = reason == HD_STALL_control || reason == HD_STALL_barrier || reason == HD_STALL_fence ||
		   reason == HD_STALL_async || reason == HD_STALL_tensor || reason == HD_STALL_bulk ||
		   reason == HD_STALL_registers;
	uint32_t *at = place_of(self->state, sm, scheduler);
	*at = warp ? warp->pc : HD_PC_NONE;
	if (warp && own && *issued_pc(self, warp) != HD_PC_NONE)
		*at = *issued_pc(self, warp);
}

static void slots(const struct hd_watcher_handle *self, const struct hd_sm *sm, uint32_t scheduler, uint32_t reason,
		  uint64_t from, uint64_t count)
{
	(void)from;
	uint32_t pc = *place_of(self->state, sm, scheduler);
	if (count)
		__atomic_fetch_add(&row_of(self->state, pc)[reason], count, __ATOMIC_RELAXED);
}

static const struct hd_watcher blame_watcher = {.name = "blame",
						.warp_bytes = sizeof(uint32_t),
						.all_code = true,
						.grid_begin = grid_begin,
						.scheduled = scheduled,
						.picked = picked,
						.lost = lost,
						.slots = slots};

void hd_blame_start(struct hd_gpu *gpu)
{
	struct blame *blame = HD_ARENA_NEW(&gpu->arena, struct blame, 1);
	size_t schedulers = gpu->sm_count * HD_MAX_SCHEDULERS;
	blame->at = HD_ARENA_NEW(&gpu->arena, uint32_t, schedulers);
	for (size_t i = 0; i < schedulers; i++)
		blame->at[i] = HD_PC_NONE;
	hd_watcher_add(gpu, &blame_watcher, blame);
	hd_traffic_start(gpu);
}

void hd_blame_end(struct hd_gpu *gpu)
{
	struct blame *blame = hd_watcher_state(gpu, &blame_watcher);
	if (blame)
		free(blame->slots);
	hd_traffic_end(gpu);
}

static bool is_empty(const uint64_t *row)
{
	uint64_t any = 0;
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		any |= row[i];
	return !any;
}

static json_t *stalls_json(const uint64_t *row)
{
	json_t *object = json_object();
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		if (row[i])
			json_object_set_new(object, hd_stall_name[i], json_integer((json_int_t)row[i]));
	return object;
}

static json_t *instruction_json(const struct hd_gpu *gpu, const struct hd_pfunction *function, uint32_t pc,
				const uint64_t *row)
{
	char text[256];
	struct hd_loc place = hd_place_of(gpu, pc);
	json_t *object = json_object();
	hd_inst_format(&gpu->program.code.data[pc].inst, text, sizeof text);
	json_object_set_new(object, "function", json_string(function->name));
	json_object_set_new(object, "pc", json_integer((json_int_t)(pc - function->first) * HD_INST_BYTES));
	json_object_set_new(object, "text", json_string(text));
	if (place.file) {
		json_object_set_new(object, "file", json_string(place.file));
		json_object_set_new(object, "line", json_integer(place.line));
	}
	if (function->linear)
		json_object_set_new(object, "linear", json_true());
	json_object_set_new(object, "stalls", stalls_json(row));
	json_t *access = hd_traffic_json(gpu, pc);
	if (access)
		json_object_set_new(object, "access", access);
	return object;
}

json_t *hd_blame_json(const struct hd_gpu *gpu)
{
	const struct blame *blame = hd_watcher_state(gpu, &blame_watcher);
	uint64_t nowhere[HD_STALL_COUNT] = {0};
	json_t *object = json_object(), *instructions = json_array(), *kernels = json_object();
	for (uint32_t i = 0; i < HD_STALL_COUNT && blame->slots; i++)
		nowhere[i] = blame->slots[i];
	for (uint32_t pc = 0; pc < blame->count; pc++) {
		const uint64_t *row = row_of(blame, pc);
		if (is_empty(row))
			continue;
		const struct hd_pfunction *function = &gpu->program.functions.data[gpu->program.code.data[pc].function];
		if (function->module)
			json_array_append_new(instructions, instruction_json(gpu, function, pc, row));
		if (function->module && function->said && function->said->kernel && function->said->demangled)
			json_object_set_new(kernels, function->name, json_string(function->said->demangled));
		for (uint32_t i = 0; i < HD_STALL_COUNT && !function->module; i++)
			nowhere[i] += row[i];
	}
	json_object_set_new(object, "instructions", instructions);
	json_object_set_new(object, "kernels", kernels);
	json_object_set_new(object, "nowhere", stalls_json(nowhere));
	return object;
}
