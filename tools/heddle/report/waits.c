/*
 * Blame for lost issue slots. The statistics charge a slot to the instruction that waits; here the backward slice finds
 * what it waits for. Of the instructions whose results it reads, only those count whose results come the way that the
 * stall reason says: from memory, from shared memory or a shuffle, or from an arithmetic unit. Where none is left, the
 * instruction waits to overwrite a register. What a wait names by no register (copies, products of warpgroups, barriers
 * in shared memory, accesses before a fence) is found by pending.c.
 *
 * Cost: that of the slice (flow.h) or of pending.c for each instruction and reason.
 */
#include "tools/heddle/report/waits.h"

#include "heddle/opcodes.h"
#include "heddle/stats.h"
#include "tools/heddle/report/pending.h"

/* How the result of an instruction comes, as the scoreboard tells data_memory, data_shared and data_alu apart. */
static unsigned reason_of_result(const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	if (info->pipe != HD_PIPE_LSU)
		return info->effects & HD_FX_CALL ? HD_STALL_COUNT : HD_STALL_data_alu;
	return info->space == HD_AT_SHARED || hd_inst_lat(inst) == HD_LAT_SHFL ? HD_STALL_data_shared
									       : HD_STALL_data_memory;
}

/* The result of a call may have come in any way. */
static bool can_cause(const struct hd_function *function, uint32_t producer, unsigned reason)
{
	if (producer == FLOW_CALLER)
		return true;
	unsigned comes = reason_of_result(&function->insts[producer]);
	return comes == reason || comes == HD_STALL_COUNT;
}

static uint32_t keep_causes(const struct hd_function *function, uint32_t *list, uint32_t count, unsigned reason)
{
	uint32_t kept = 0, calls = 0;
	for (uint32_t i = 0; i < count; i++)
		if (can_cause(function, list[i], reason))
			list[kept++] = list[i];
	/* Where an instruction of the function can be the cause, a call or the caller is none. */
	for (uint32_t i = 0; i < kept; i++)
		calls += list[i] == FLOW_CALLER || reason_of_result(&function->insts[list[i]]) == HD_STALL_COUNT;
	if (calls == kept)
		return kept;
	count = kept;
	kept = 0;
	for (uint32_t i = 0; i < count; i++)
		if (list[i] != FLOW_CALLER && reason_of_result(&function->insts[list[i]]) != HD_STALL_COUNT)
			list[kept++] = list[i];
	return kept;
}

static uint32_t *find_causes(const struct flow *flow, const struct hd_function *function, uint32_t index,
			     unsigned reason, struct hd_arena *arena, uint32_t *count)
{
	uint32_t *list = flow_producers(flow, index, FLOW_VALUE, arena, count);
	*count = keep_causes(function, list, *count, reason);
	if (*count && (*count > 1 || list[0] != FLOW_CALLER))
		return list;
	uint32_t others, *overwritten = flow_producers(flow, index, FLOW_ORDER, arena, &others);
	others = keep_causes(function, overwritten, others, reason);
	if (others) {
		*count = others;
		return overwritten;
	}
	return *count ? list : pending_find(flow, function, index, reason, arena, count);
}

static void add_row(json_t *rows, uint32_t index, unsigned reason, uint64_t slots, const uint32_t *cause)
{
	json_t *row = json_pack("[i,i,I]", (int)index, (int)reason, (json_int_t)slots);
	json_array_append_new(row,
			      !cause ? json_null() : json_integer(*cause == FLOW_CALLER ? -1 : (json_int_t)*cause));
	json_array_append_new(rows, row);
}

static uint64_t weight_of(const uint64_t *issued, uint32_t cause)
{
	return cause == FLOW_CALLER || !issued ? 1 : issued[cause];
}

void waits_add(json_t *rows, const struct flow *flow, const struct hd_function *function, uint32_t index,
	       unsigned reason, uint64_t slots, const uint64_t *issued, struct hd_arena *arena)
{
	bool data = reason == HD_STALL_data_memory || reason == HD_STALL_data_shared || reason == HD_STALL_data_alu;
	uint32_t count, *causes = data ? find_causes(flow, function, index, reason, arena, &count)
				       : pending_find(flow, function, index, reason, arena, &count);
	uint64_t all = 0, given = 0, so_far = 0;
	for (uint32_t i = 0; i < count; i++)
		all += weight_of(issued, causes[i]);
	if (!all) {
		issued = NULL;
		all = count;
	}
	if (!count)
		add_row(rows, index, reason, slots, NULL);
	for (uint32_t i = 0; i < count; i++) {
		so_far += weight_of(issued, causes[i]);
		uint64_t upto = (uint64_t)((long double)slots * (long double)so_far / (long double)all);
		if (i == count - 1)
			upto = slots;
		if (upto > given)
			add_row(rows, index, reason, upto - given, &causes[i]);
		given = upto > given ? upto : given;
	}
}
