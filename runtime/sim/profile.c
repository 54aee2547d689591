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
 * Cost: one test of a pointer for each warp instruction when off; 24 bytes an instruction and three additions when on.
 */
#include "runtime/sim/profile.h"
#include "heddle/opcodes.h"

#include "runtime/core/effect.h"
#include "runtime/core/gpu.h"

void hd_profile_prepare(struct hd_gpu *gpu)
{
	uint32_t count = gpu->program.code.len;
	if (!gpu->options.profile || count <= gpu->profile_count)
		return;
	gpu->profile = hd_xrealloc(gpu->profile, sizeof(*gpu->profile) * count);
	memset(gpu->profile + gpu->profile_count, 0, sizeof(*gpu->profile) * (count - gpu->profile_count));
	gpu->profile_count = count;
}

void hd_profile_release(struct hd_gpu *gpu)
{
	free(gpu->profile);
	gpu->profile = NULL;
	gpu->profile_count = 0;
}

static void add(uint64_t *counter, uint64_t more)
{
	if (more)
		__atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

void hd_profile_count(struct hd_gpu *gpu, const struct hd_dinst *inst, const struct hd_effect *effect)
{
	struct hd_profile_count *count = &gpu->profile[inst - gpu->program.code.data];
	bool taken = effect->mask != 0;
	add(&count->executed, 1);
	if (inst->inst.op != HD_OP_BRA || inst->inst.guard == HD_PT)
		return;
	add(&count->taken, taken);
	add(&count->fell_through, !taken || effect->diverged);
}

static json_t *branches_json(const struct hd_gpu *gpu, const struct hd_pfunction *function)
{
	json_t *array = json_array();
	for (uint32_t i = 0; i < function->count; i++) {
		const struct hd_profile_count *count = &gpu->profile[function->first + i];
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

static json_t *function_json(const struct hd_gpu *gpu, const struct hd_pfunction *function)
{
	json_t *object = json_object(), *executed = json_array();
	for (uint32_t i = 0; i < function->count; i++)
		json_array_append_new(executed, json_integer((json_int_t)gpu->profile[function->first + i].executed));
	json_object_set_new(object, "name", json_string(function->name));
	json_object_set_new(object, "executed", executed);
	json_object_set_new(object, "branches", branches_json(gpu, function));
	return object;
}

json_t *hd_profile_json(const struct hd_gpu *gpu)
{
	json_t *object = json_object(), *functions = json_array();
	for (uint32_t f = 0; f < gpu->program.functions.len; f++) {
		const struct hd_pfunction *function = &gpu->program.functions.data[f];
		bool known = function->module && function->first + function->count <= gpu->profile_count;
		if (known && function->count && gpu->profile[function->first].executed)
			json_array_append_new(functions, function_json(gpu, function));
	}
	json_object_set_new(object, "functions", functions);
	return object;
}
