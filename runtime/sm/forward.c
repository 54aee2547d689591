/*
 * Readers that have a result later than others, as the stall counts of Turing's and Ampere's compilers say: what the
 * multiply-add pipeline has computed reaches the integer and logic pipeline `lat_cross` cycles after its own next
 * instruction, and the other way round; a predicate guards `lat_guard` cycles after it can be read as data.
 *
 * Results of one pipeline that come while earlier ones are still on their way to the other share the later end: with
 * lat_cross = 1, which is what there is, these are those of one cycle.
 *
 * Cost: O(1) for each result and each instruction, where the configuration has either.
 */
#include "runtime/sm/sm.h"

#define PREDICATES 0x7fu

static void cross(struct hd_forward *forward, const struct hd_dinst *inst, uint64_t now, uint64_t until)
{
	struct hd_hazard *fresh = &forward->fresh[inst->pipeline];
	if (forward->until[inst->pipeline] <= now)
		memset(fresh, 0, sizeof(*fresh));
	hd_hazard_add(fresh, &inst->writes);
	forward->until[inst->pipeline] = until;
}

void hd_forward_written(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	const struct hd_config *config = &sm->gpu->config;
	if (inst->pipeline && config->lat_cross)
		cross(&warp->forward, inst, now, now + config->lat_cross);
	for (uint64_t left = inst->writes.bits[4] & PREDICATES; left; left &= left - 1)
		warp->forward.guards[__builtin_ctzll(left)] = now + config->lat_guard;
}

/* The cycle from which an instruction has what it reads. */
static uint64_t forwarded(const struct hd_forward *forward, const struct hd_dinst *inst)
{
	uint64_t from = forward->guards[inst->inst.guard & 7u];
	if (!inst->pipeline)
		return from;
	uint32_t other = HD_PIPELINES - inst->pipeline;
	bool hit = hd_hazards_meet(&inst->hazards, &forward->fresh[other]);
	return hit && forward->until[other] > from ? forward->until[other] : from;
}

bool hd_forward_wait(struct hd_sm *sm, struct hd_warp *warp)
{
	uint64_t from = forwarded(&warp->forward, sm->next[warp->id]);
	if (from <= sm->now)
		return false;
	hd_warp_wake_at(sm, warp, sm->now, from, HD_STALL_data_alu);
	return true;
}
