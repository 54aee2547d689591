/*
 * Results of fixed latency without events. The cycle in which one is written is known at issue, and most are written
 * before anything asks for them. Where nobody is told of results (no policy, no watcher of them) they stand in a ring a
 * scheduler, and are taken from there when a warp of that scheduler is looked at, or something else comes to its write
 * ports. A warp that waits for one has a timer for its cycle.
 *
 * Only results that are there for others in a cycle that does not depend on write ports: those of arithmetic where
 * `operands = modern` (modern.c). They take ports nevertheless, in the order of their cycles and of issue, since
 * results of memory wait for these. So the ring keeps those of a cycle until all that is written then has come.
 *
 * The scoreboard may say of a register that it waits for a result which has been written: a warp whose next instruction
 * meets that looks into the ring. Where readers have results later than others (forward.c), by the pipeline, it is kept
 * up with each instruction, because results that overlap share their ends there.
 *
 * A result that one of the next instructions wants has a timer as elsewhere: the warp would need one for itself.
 *
 * Statistics are those of a timer for each result. Several grids at once get timers, because which of two warps that
 * end in one cycle ends first shows in whose the cycles of the SM are; two-level scheduling, because the order of
 * events in a cycle is that in which warps stand in line.
 *
 * Cost: O(1) for each result; a look at the scheduler's ring, at most 32, for each wait.
 */
#include "runtime/sm/results.h"

#include "heddle/config.h"
#include "runtime/core/watch.h"
#include "runtime/sm/forward.h"
#include "runtime/sm/operands.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"

#define MASK (HD_RESULTS - 1)

void hd_results_init(struct hd_sm *sm, struct hd_arena *arena)
{
	sm->results.of = HD_ARENA_NEW(arena, struct hd_result_ring, sm->scheduling.count);
	hd_results_drop(sm);
}

void hd_results_drop(struct hd_sm *sm)
{
	for (uint32_t i = 0; i < sm->scheduling.count; i++) {
		struct hd_result_ring *ring = &sm->results.of[i];
		ring->head = ring->told = ring->tail;
		ring->ports = sm->scheduling.schedulers[i].regfile->ports + sm->gpu->shape.writes_at;
		sm->results.next[i] = HD_NEVER;
	}
}

void hd_results_begin(struct hd_sm *sm)
{
	const struct hd_gpu *gpu = sm->gpu;
	const struct hd_bank_shape *shape = &gpu->shape;
	bool own_ports = shape->writes_at && shape->write_ports == 1 && shape->mask;
	hd_results_drop(sm);
	sm->results.behind = !sm->forwarding.cross_cycles;
	sm->results.used = shape->modern && own_ports && shape->parts > 1 && !sm->by_control && !gpu->policy_count &&
			   sm->scheduling.rule != HD_SCHED_TWO_LEVEL && !hd_watcher_has(gpu, HD_WATCH_BIT(written));
}

static inline bool is_due(const struct hd_result_ring *ring, uint32_t at, uint64_t end)
{
	return at != ring->tail && ring->cycle[at & MASK] < end;
}

/* The scoreboard learns of one. */
static inline void tell(struct hd_sm *sm, const struct hd_result_ring *ring, uint32_t at)
{
	const struct hd_dinst *inst = ring->inst[at];
	struct hd_warp *warp = &sm->warps[ring->warp[at]];
	if (__builtin_expect(!inst->writes.bits[4] && sm->results.behind, 1)) { /* registers alone, one or a pair */
		uint64_t bits = (UINT64_C(1) << inst->write_count) - 1;
		warp->pending.bits[inst->inst.dst / 64] &= ~(bits << inst->inst.dst % 64);
		return;
	}
	hd_hazard_remove(&warp->pending, &inst->writes);
	if (sm->forwarding.used)
		hd_forward_written(sm, warp, inst, ring->cycle[at]);
}

static inline void take_ports(const struct hd_bank_shape *shape, uint64_t *ports, const struct hd_dinst *inst,
			      uint64_t cycle)
{
	for (uint32_t reg = inst->inst.dst, end = reg + inst->write_count; reg != end; reg++) {
		uint64_t *port = &ports[reg & shape->mask];
		*port = hd_later(*port, cycle * HD_TICKS) + shape->busy;
	}
}

/* All are of one grid. */
static void count(struct hd_sm *sm, struct hd_result_ring *ring, uint32_t told, uint32_t writes)
{
	const struct hd_warp *warp = &sm->warps[ring->warp[(told - 1) & MASK]];
	sm->issue.written += told - ring->told;
	hd_sm_counters(sm, warp)->bank_writes += writes;
	ring->told = told;
}

static void find_next(struct hd_sm *sm, uint32_t index)
{
	const struct hd_result_ring *ring = &sm->results.of[index];
	sm->results.next[index] = ring->told == ring->tail ? HD_NEVER : ring->cycle[ring->told & MASK];
}

/* Writes those that are due before cycle `end`, or in it and were issued before `order` (NULL: none of that cycle). */
static inline __attribute__((always_inline)) void write_before(struct hd_sm *sm, uint32_t index, uint64_t end,
							       const uint32_t *order)
{
	struct hd_result_ring *ring = &sm->results.of[index];
	const struct hd_bank_shape *shape = &sm->gpu->shape;
	uint32_t head = ring->head, told = ring->told, writes = 0;
	for (; head != ring->tail; head++) {
		uint32_t at = head & MASK;
		uint64_t cycle = ring->cycle[at];
		if (cycle > end || (cycle == end && (!order || (int32_t)(*order - ring->order[at]) <= 0)))
			break;
		if (head == told) {
			told++;
			writes += ring->inst[at]->write_count;
			tell(sm, ring, at);
		}
		take_ports(shape, ring->ports, ring->inst[at], cycle);
	}
	ring->head = head;
	if (told != ring->told)
		count(sm, ring, told, writes);
}

static __attribute__((noinline)) bool make_room(struct hd_sm *sm, uint32_t index)
{
	const struct hd_result_ring *ring = &sm->results.of[index];
	write_before(sm, index, sm->now, NULL);
	find_next(sm, index);
	return ring->tail - ring->head < HD_RESULTS;
}

bool hd_results_take(struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst, uint64_t at)
{
	uint32_t index = sm->scheduling.scheduler_of[warp->id], i;
	struct hd_result_ring *ring = &sm->results.of[index];
	if (sm->gpu->running != 1 || (ring->tail - ring->head == HD_RESULTS && !make_room(sm, index)))
		return false;
	for (i = ring->tail++; i != ring->told && ring->cycle[(i - 1) & MASK] > at; i--) {
		ring->cycle[i & MASK] = ring->cycle[(i - 1) & MASK];
		ring->inst[i & MASK] = ring->inst[(i - 1) & MASK];
		ring->order[i & MASK] = ring->order[(i - 1) & MASK];
		ring->warp[i & MASK] = ring->warp[(i - 1) & MASK];
	}
	ring->cycle[i & MASK] = at;
	ring->inst[i & MASK] = inst;
	ring->order[i & MASK] = sm->issue.issued;
	ring->warp[i & MASK] = (uint8_t)warp->id;
	sm->results.next[index] = hd_earlier(sm->results.next[index], at);
	return true;
}

/* Ports of what is written in this cycle are taken later. */
static __attribute__((noinline)) void tell_ahead(struct hd_sm *sm, uint32_t index)
{
	struct hd_result_ring *ring = &sm->results.of[index];
	uint32_t told = ring->told, writes = 0;
	for (; is_due(ring, told, sm->now + 1); told++) {
		writes += ring->inst[told & MASK]->write_count;
		tell(sm, ring, told & MASK);
	}
	if (told != ring->told)
		count(sm, ring, told, writes);
}

void hd_results_tell(struct hd_sm *sm, const struct hd_warp *warp)
{
	uint32_t index = sm->scheduling.scheduler_of[warp->id];
	if (__builtin_expect(sm->results.ordered, 0))
		tell_ahead(sm, index);
	else
		write_before(sm, index, sm->now + 1, NULL);
	find_next(sm, index);
}

static __attribute__((noinline)) void write_first(struct hd_sm *sm, uint32_t index, uint64_t now, uint32_t order)
{
	write_before(sm, index, now, &order);
	find_next(sm, index);
}

void hd_results_take_ports(struct hd_sm *sm, const struct hd_warp *warp, uint64_t now, uint32_t order)
{
	uint32_t index = sm->scheduling.scheduler_of[warp->id];
	const struct hd_result_ring *ring = &sm->results.of[index];
	if (is_due(ring, ring->head, now + 1))
		write_first(sm, index, now, order);
}

void hd_results_count(struct hd_sm *sm, uint64_t now)
{
	for (uint32_t i = 0; sm->results.used && i < sm->scheduling.count; i++) {
		write_before(sm, i, now, NULL);
		find_next(sm, i);
	}
}

uint64_t hd_results_last(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_hazard *hazards)
{
	const struct hd_result_ring *ring = &sm->results.of[sm->scheduling.scheduler_of[warp->id]];
	for (uint32_t i = ring->tail; i != ring->told; i--) {
		uint32_t at = (i - 1) & MASK;
		if (ring->warp[at] == warp->id && (!hazards || hd_hazards_meet(&ring->inst[at]->writes, hazards)))
			return ring->cycle[at];
	}
	return 0;
}
