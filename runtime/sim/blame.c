/*
 * Where issue slots went: each slot of each scheduler, with the one reason that it has (stalls.def), counted at the
 * instruction at which it was used or lost. In the statistics that is
 *
 *   "slots": {"instructions": [{"function": "_Z1kPf", "pc": 48, "text": "FADD R2, R2, R3", "file": "k.cu", "line": 7,
 *                               "stalls": {"issued": 640, "data_memory": 12000}}, ...],
 *             "nowhere": {"idle": 90}}
 *
 * with the instructions that have any, in the order of the code. Which one it is, of those that the schedulers' warps
 * are at, is for scheduler.c to say. `nowhere` has the slots without a warp to blame, and those of modules that have
 * been unloaded. The sums over both are the counters `stalls` of the total. Instructions without a line have no `file`.
 *
 * Needs schedulers to look again whenever a warp's state changes, which scheduler.c sees to. Sums over all launches,
 * the same for any number of host threads. Cost: one test of a pointer for each visit of a scheduler when off; 8 bytes
 * an instruction and reason when on, a search among the scheduler's warps for each visit that issues nothing, and one
 * addition.
 */
#include "runtime/sim/blame.h"

#include "runtime/exec/exec.h"
#include "runtime/sm/sm.h"

/* Row 0 is HD_BLAME_NOWHERE's, pc + 1 an instruction's. */
static uint64_t *row_of(const struct hd_gpu *gpu, uint32_t pc)
{
	uint32_t row = pc < gpu->blame_count ? pc + 1 : 0;
	return gpu->blame + (size_t)row * HD_STALL_COUNT;
}

void hd_blame_prepare(struct hd_gpu *gpu)
{
	uint32_t count = gpu->program.code.len;
	size_t before = gpu->blame ? ((size_t)gpu->blame_count + 1) * HD_STALL_COUNT : 0;
	size_t after = ((size_t)count + 1) * HD_STALL_COUNT;
	if (!gpu->options.blame || after <= before)
		return;
	gpu->blame = hd_xrealloc(gpu->blame, sizeof(*gpu->blame) * after);
	memset(gpu->blame + before, 0, sizeof(*gpu->blame) * (after - before));
	gpu->blame_count = count;
}

void hd_blame_release(struct hd_gpu *gpu)
{
	free(gpu->blame);
	gpu->blame = NULL;
	gpu->blame_count = 0;
}

void hd_blame_add(const struct hd_gpu *gpu, uint32_t pc, uint32_t reason, uint64_t slots)
{
	if (slots)
		__atomic_fetch_add(&row_of(gpu, pc)[reason], slots, __ATOMIC_RELAXED);
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

static json_t *instruction_json(const struct hd_gpu *gpu, const struct hd_pfunction *function, uint32_t pc)
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
	json_object_set_new(object, "stalls", stalls_json(row_of(gpu, pc)));
	return object;
}

json_t *hd_blame_json(const struct hd_gpu *gpu)
{
	uint64_t nowhere[HD_STALL_COUNT] = {0};
	json_t *object = json_object(), *instructions = json_array();
	for (uint32_t i = 0; i < HD_STALL_COUNT && gpu->blame; i++)
		nowhere[i] = gpu->blame[i];
	for (uint32_t pc = 0; pc < gpu->blame_count; pc++) {
		const uint64_t *row = row_of(gpu, pc);
		if (is_empty(row))
			continue;
		const struct hd_pfunction *function = &gpu->program.functions.data[gpu->program.code.data[pc].function];
		if (function->module)
			json_array_append_new(instructions, instruction_json(gpu, function, pc));
		for (uint32_t i = 0; i < HD_STALL_COUNT && !function->module; i++)
			nowhere[i] += row[i];
	}
	json_object_set_new(object, "instructions", instructions);
	json_object_set_new(object, "nowhere", stalls_json(nowhere));
	return object;
}
