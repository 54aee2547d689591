/* See memory_rig.h. */
#include "memory_rig.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/machine.h"

void rig_init(struct rig *rig, uint32_t tokens)
{
	memset(rig, 0, sizeof(*rig));
	hd_config_defaults(&rig->config);
	rig->tokens = tokens;
}

void rig_build(struct rig *rig)
{
	uint32_t sms = (uint32_t)rig->config.sm_count;
	hd_arena_init(&rig->arena);
	rig->memory = hd_memory_new(&rig->config, &rig->arena);
	rig->lsus = HD_ARENA_NEW(&rig->arena, struct hd_lsu *, sms);
	rig->counters = hd_arena_alloc(&rig->arena, sms * sizeof *rig->counters);
	rig->done = HD_ARENA_NEW(&rig->arena, uint64_t, rig->tokens + 1);
	for (uint32_t sm = 0; sm < sms; sm++) {
		rig->lsus[sm] = hd_lsu_new(rig->memory, sm, &rig->config, rig->counters[sm], &rig->arena);
		rig->lsu_next[sm] = UINT64_MAX;
	}
	rig->memory_next = UINT64_MAX;
	rig->now = 1000;
}

void rig_release(struct rig *rig)
{
	hd_arena_release(&rig->arena);
}

void rig_issue(struct rig *rig, uint32_t sm, const struct hd_mem_request *request)
{
	hd_lsu_prepare(rig->lsus[sm], request->grid, &rig->arena);
	hd_lsu_issue(rig->lsus[sm], rig->now, rig->now + 1, request);
	if (rig->lsu_next[sm] > rig->now + 1)
		rig->lsu_next[sm] = rig->now + 1;
	rig->outstanding += request->token != UINT32_MAX;
}

static void take_completions(struct rig *rig, uint32_t sm)
{
	struct hd_mem_completion done[8];
	uint32_t count;
	while ((count = hd_lsu_completions(rig->lsus[sm], rig->now, done, 8)))
		for (uint32_t i = 0; i < count; i++) {
			rig->done[done[i].token] = done[i].cycle;
			rig->outstanding--;
		}
}

static uint64_t visit_sm(struct rig *rig, uint32_t sm)
{
	uint64_t next = UINT64_MAX, due;
	if (rig->every_cycle || rig->lsu_next[sm] <= rig->now) {
		rig->lsu_next[sm] = hd_lsu_tick(rig->lsus[sm], rig->now);
		rig->memory_next = rig->memory_next < rig->now + 1 ? rig->memory_next : rig->now + 1;
	}
	take_completions(rig, sm);
	if (rig->feed)
		next = rig->feed(rig, sm, rig->context);
	rig->feeding |= next != UINT64_MAX;
	due = hd_lsu_next_completion(rig->lsus[sm]);
	next = next < due ? next : due;
	return next < rig->lsu_next[sm] ? next : rig->lsu_next[sm];
}

/* A part ends and another begins. */
static void meet(struct rig *rig)
{
	uint64_t woken[RIG_MAX_SMS / 64] = {0};
	if (!rig->memory_first)
		hd_memory_advance(rig->memory, rig->now - rig->beside);
	hd_memory_give(rig->memory, woken);
	rig->memory_next = hd_memory_take(rig->memory);
	if (rig->memory_first)
		hd_memory_advance(rig->memory, rig->now);
}

/* Returns the next cycle with work, UINT64_MAX for none. */
static uint64_t visit(struct rig *rig)
{
	uint64_t woken[RIG_MAX_SMS / 64] = {0}, next;
	if (rig->beside) {
		if (rig->now % rig->beside == 0)
			meet(rig);
	} else if (rig->every_cycle || rig->memory_next <= rig->now) {
		rig->memory_next = hd_memory_tick(rig->memory, rig->now, woken);
		for (uint32_t sm = 0; sm < rig->config.sm_count; sm++)
			if (woken[sm / 64] >> sm % 64 & 1)
				rig->lsu_next[sm] = rig->now;
	}
	next = UINT64_MAX;
	rig->feeding = false;
	for (uint32_t sm = 0; sm < rig->config.sm_count; sm++) {
		uint64_t wish = visit_sm(rig, sm);
		next = next < wish ? next : wish;
	}
	rig->visits++;
	return next < rig->memory_next ? next : rig->memory_next;
}

static void fail(const struct rig *rig)
{
	fprintf(stderr, "no end at cycle %llu\n", (unsigned long long)rig->now);
	hd_memory_dump(rig->memory, stderr);
	for (uint32_t sm = 0; sm < rig->config.sm_count; sm++)
		if (!hd_lsu_idle(rig->lsus[sm]))
			hd_lsu_dump(rig->lsus[sm], stderr);
	abort();
}

static bool idle(const struct rig *rig)
{
	for (uint32_t sm = 0; sm < rig->config.sm_count; sm++)
		if (!hd_lsu_idle(rig->lsus[sm]))
			return false;
	return hd_memory_idle(rig->memory);
}

void rig_run(struct rig *rig)
{
	uint64_t limit = rig->visits + 10000000;
	for (;;) {
		uint64_t next = visit(rig);
		if ((next == UINT64_MAX || rig->every_cycle) && !rig->feeding && idle(rig))
			return;
		if (next == UINT64_MAX || rig->visits > limit)
			fail(rig);
		rig->now = rig->every_cycle ? rig->now + 1 : next;
	}
}

uint64_t rig_latency(struct rig *rig, const struct hd_mem_request *request)
{
	uint64_t first = rig->now + 1;
	rig_issue(rig, 0, request);
	rig_run(rig);
	return rig->done[request->token] - first;
}

struct hd_stats rig_total(const struct rig *rig)
{
	struct hd_stats total = {0};
	for (uint32_t grid = 0; grid < HD_MEM_GRIDS; grid++) {
		hd_counters_add(&total.counters, hd_memory_counters(rig->memory, grid));
		for (uint32_t sm = 0; sm < rig->config.sm_count; sm++)
			hd_counters_add(&total.counters, &rig->counters[sm][grid]);
	}
	return total;
}

struct hd_mem_request rig_load(uint32_t token, uint64_t base, uint64_t stride, uint32_t bytes)
{
	struct hd_mem_request request = {.token = token, .space = HD_MEM_GLOBAL, .kind = HD_MEM_LOAD};
	request.bytes = (uint8_t)bytes;
	request.mask = UINT32_MAX;
	for (uint32_t lane = 0; lane < 32; lane++)
		request.address[lane] = base + lane * stride;
	return request;
}
