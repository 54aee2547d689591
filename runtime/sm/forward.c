/*
 * Readers that have a result later than others, as the stall counts of Turing's and Ampere's compilers say: what the
 * multiply-add pipeline has computed reaches the integer and logic pipeline `lat_cross` cycles after its own next
 * instruction, and the other way round; what half precision has computed reaches both, and is reached by them,
 * `lat_cross_half` cycles later; a predicate guards `lat_guard` cycles after it can be read as data.
 *
 * Results of one pipeline are kept by even and odd cycles. Where both ways take two cycles at most, which is what there
 * is, each reader waits for what it reads; with more, results whose ways overlap share the later end.
 *
 * Cost: O(1) for each result and each instruction, where the configuration has any.
 */
#include "runtime/sm/forward.h"
#include "heddle/config.h"
#include "runtime/core/cycle.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/sm.h"

#define PREDICATES 0x7fu

void hd_forwarding_init(struct hd_forwarding *forwarding, const struct hd_config *config)
{
	uint64_t most = config->lat_cross > config->lat_cross_half ? config->lat_cross : config->lat_cross_half;
	forwarding->cross_cycles = (uint32_t)most;
	forwarding->guard_cycles = (uint32_t)config->lat_guard;
	forwarding->used = config->core != HD_CORE_MODERN && (most || config->lat_guard);
}

static uint64_t crossing(const struct hd_config *config, uint32_t from, uint32_t to)
{
	if (from == to)
		return 0;
	return from == HD_PIPELINE_HALF || to == HD_PIPELINE_HALF ? config->lat_cross_half : config->lat_cross;
}

static void cross(struct hd_forward *forward, const struct hd_dinst *inst, uint64_t now, uint64_t cycles)
{
	uint32_t of = now & 1;
	struct hd_hazard *fresh = &forward->fresh[inst->pipeline][of].results;
	if (forward->fresh[inst->pipeline][of].at + cycles <= now)
		memset(fresh, 0, sizeof(*fresh));
	hd_hazard_add(fresh, &inst->writes);
	forward->fresh[inst->pipeline][of].at = now;
}

static void wait_until(struct hd_warp *warp, uint64_t until)
{
	warp->forward_until = hd_later(warp->forward_until, until);
}

void hd_forward_written(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	uint64_t left = inst->writes.bits[4] & PREDICATES, guards = now + sm->forwarding.guard_cycles;
	if (inst->pipeline && sm->forwarding.cross_cycles) {
		cross(&warp->forward, inst, now, sm->forwarding.cross_cycles);
		wait_until(warp, now + sm->forwarding.cross_cycles);
	}
	if (left)
		wait_until(warp, guards);
	for (; left; left &= left - 1)
		warp->forward.guards[__builtin_ctzll(left)] = guards;
}

/* The cycle from which an instruction has what it reads. */
static uint64_t forwarded(const struct hd_config *config, const struct hd_forward *forward, const struct hd_dinst *inst)
{
	uint64_t from = forward->guards[inst->inst.guard & 7u];
	for (uint32_t of = HD_PIPELINE_ALU; of < HD_PIPELINES && inst->pipeline; of++)
		for (uint32_t i = 0; i < 2; i++) {
			uint64_t until = forward->fresh[of][i].at + crossing(config, of, inst->pipeline);
			if (until > from && hd_hazards_meet(&inst->hazards, &forward->fresh[of][i].results))
				from = until;
		}
	return from;
}

bool hd_forward_wait(struct hd_sm *sm, struct hd_warp *warp)
{
	uint64_t from = forwarded(sm->gpu->config, &warp->forward, sm->next[warp->id]);
	if (from <= sm->now)
		return false;
	hd_warp_wake_at(sm, warp, sm->now, from, HD_STALL_data_alu);
	return true;
}
