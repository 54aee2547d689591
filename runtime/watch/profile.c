/*
 * Counts of each instruction's executions by warps and of the edges that warps took at branches, for
 * compilers (pass parameter profile=, malekeh's expected reuse distances). In the statistics they are
 *
 *   "profile": {"functions": [{"name": "_Z1kPf", "executed": [640, 640, ...],
 *                              "branches": [{"pc": 48, "taken": 620, "fell_through": 20}, ...]}]}
 *
 * for the functions that ran: `executed` has a number for each instruction; `branches` are the conditional ones, and
 * where a warp diverges it counts as taken and as fallen through. Sums over all launches, the same for any order.
 *
 * Cost: nothing when off; 24 bytes an instruction and three additions when on.
 */
#include "runtime/watch/profile.h"
#include "heddle/opcodes.h"

#include "runtime/core/effect.h"
#include "runtime/core/gpu.h"

struct count {
	uint64_t executed;	      /* warp instructions */
	uint64_t taken, fell_through; /* conditional branches: warps with a lane that did */
};

struct profile {
	struct count *counts; /* of each instruction of the program */
	uint32_t count;
};

static void add(uint64_t *counter, uint64_t more)
{
	if (more)
		__atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

static void issued(const struct hd_watcher_handle *self, struct hd_gpu *gpu, const struct hd_dinst *inst,
		   const struct hd_effect *effect)
{
	const struct profile *profile = self->state;
	struct count *count = &profile->counts[inst - gpu->program.code.data];
	bool taken = effect->mask != 0;
	add(&count->executed, 1);
	if (inst->inst.op != HD_OP_BRA || inst->inst.guard == HD_PT)
		return;
	add(&count->taken, taken);
	add(&count->fell_through, !taken || effect->diverged);
}

/* Makes room for all code that is loaded. */
static void grid_begin(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_grid *grid)
{
	struct profile *profile = self->state;
	uint32_t count = gpu->program.code.len;
	(void)grid;
	if (count <= profile->count)
		return;
	profile->counts = hd_xrealloc(profile->counts, sizeof(*profile->counts) * count);
	memset(profile->counts + profile->count, 0, sizeof(*profile->counts) * (count - profile->count));
	profile->count = count;
}

static const struct hd_watcher profile_watcher = {.name = "profile",
						  .all_code = true,
						  .grid_begin = grid_begin,
						  .issued = issued};

void hd_profile_start(struct hd_gpu *gpu)
{
	hd_watcher_add(gpu, &profile_watcher, HD_ARENA_NEW(&gpu->arena, struct profile, 1));
}

void hd_profile_end(struct hd_gpu *gpu)
{
	struct profile *profile = hd_watcher_state(gpu, &profile_watcher);
	if (profile)
		free(profile->counts);
}

static json_t *branches_json(const struct profile *profile, const struct hd_pfunction *function)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < function->count; i++) {
		const struct count *count = &profile->counts[function->first + i];
		if (!count->taken && !count->fell_through)
			continue;
		json_t *branch = json_object();
		json_object_set_new(branch, "pc", json_integer(i * HD_INST_BYTES));
		json_object_set_new(branch, "taken", json_integer((json_int_t)count->taken));
		json_object_set_new(branch, "fell_through", json_integer((json_int_t)count->fell_through));
		json_array_append_new(array, branch);
	}
	return array;
}

static json_t *function_json(const struct profile *profile, const struct hd_pfunction *function)
{
	json_t *object = json_object(), *executed = json_array();
	for (uint32_t i = 0; i < function->count; i++)
		json_array_append_new(executed,
				      json_integer((json_int_t)profile->counts[function->first + i].executed));
	json_object_set_new(object, "name", json_string(function->name));
	json_object_set_new(object, "executed", executed);
	json_object_set_new(object, "branches", branches_json(profile, function));
	return object;
}

json_t *hd_profile_json(const struct hd_gpu *gpu)
{
	const struct profile *profile = hd_watcher_state(gpu, &profile_watcher);
	json_t *object = json_object(), *functions = json_array();
	for (uint32_t f = 0; f < gpu->program.functions.len; f++) {
		const struct hd_pfunction *function = &gpu->program.functions.data[f];
		bool known = function->module && function->first + function->count <= profile->count;
		if (known && function->count && profile->counts[function->first].executed)
			json_array_append_new(functions, function_json(profile, function));
	}
	json_object_set_new(object, "functions", functions);
	return object;
}
