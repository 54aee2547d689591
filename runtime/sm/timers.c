/*
 * The timing wheel of an SM: everything whose cycle is known when it starts (fixed-latency results, branch targets,
 * instruction cache fills). A bucket a cycle for the next HD_WHEEL_BUCKETS cycles; a timer beyond the horizon goes
 * round once more. Timers of a cycle fire in the order in which they were started. The pool is set aside at start,
 * nothing is allocated while a grid runs.
 *
 * Cost: adding and firing a timer are O(1); finding the next one looks at no more than nine words.
 */
#include <assert.h>

#include "heddle/config.h"
#include "runtime/sm/bulk.h"
#include "runtime/sm/control.h"
#include "runtime/sm/inflight.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/results.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/scoreboard.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/timers.h"
#include "runtime/sm/two_level.h"

#define MASK (HD_WHEEL_BUCKETS - 1)
#define WORDS (HD_WHEEL_BUCKETS / 64)

/* Enough for every load under way, whose result may have to wait for a port, and those of issue: when they run out,
 * issue stalls as without a free collector. */
uint32_t hd_sm_timers(const struct hd_config *config)
{
	return (uint32_t)(config->schedulers * 1024 + config->max_warps * HD_WARP_INFLIGHT);
}

/* An empty one is left as it is, so that short grids cost no more than what they do. */
void hd_wheel_clear(struct hd_wheel *wheel, uint32_t timers)
{
	if (wheel->free_count == timers)
		return;
	memset(wheel->occupied, 0, sizeof(wheel->occupied));
	memset(wheel->head, 0xff, sizeof(wheel->head));
	wheel->free = HD_TIMER_NONE;
	wheel->fresh = 0;
	wheel->free_count = (uint16_t)timers;
	wheel->next = HD_NEVER;
}

void hd_wheel_init(struct hd_wheel *wheel, uint32_t timers, struct hd_arena *arena)
{
	assert(timers < HD_TIMER_NONE);
	wheel->pool = HD_ARENA_NEW_SPARSE(arena, struct hd_timer, timers);
	hd_wheel_clear(wheel, timers);
}

static void wheel_link(struct hd_wheel *wheel, uint16_t id, uint64_t now)
{
	struct hd_timer *timer = &wheel->pool[id];
	uint64_t cycle = timer->cycle - now < HD_WHEEL_BUCKETS ? timer->cycle : now + MASK;
	uint32_t bucket = cycle & MASK;
	timer->next = wheel->head[bucket];
	wheel->head[bucket] = id;
	wheel->occupied[bucket / 64] |= UINT64_C(1) << bucket % 64;
	if (cycle < wheel->next)
		wheel->next = cycle;
}

struct hd_timer *hd_wheel_add(struct hd_wheel *wheel, uint64_t now, uint64_t cycle)
{
	assert(wheel->free_count && cycle > now);
	uint16_t id = wheel->free == HD_TIMER_NONE ? wheel->fresh++ : wheel->free;
	struct hd_timer *timer = &wheel->pool[id];
	if (id == wheel->free)
		wheel->free = timer->next;
	wheel->free_count--;
	timer->cycle = cycle;
	wheel_link(wheel, id, now);
	return timer;
}

/* The first occupied bucket after that of `now`, as a cycle. */
static uint64_t wheel_following(const struct hd_wheel *wheel, uint64_t now)
{
	uint32_t start = (now + 1) & MASK, word = start / 64;
	uint64_t bits = wheel->occupied[word] & ~UINT64_C(0) << start % 64;
	for (uint32_t i = 0; i <= WORDS; i++) {
		if (bits) {
			uint32_t bucket = word * 64 + (uint32_t)__builtin_ctzll(bits);
			return now + 1 + ((bucket - start) & MASK);
		}
		word = (word + 1) % WORDS;
		bits = wheel->occupied[word];
	}
	return HD_NEVER;
}

static void timer_fire(struct hd_sm *sm, const struct hd_timer *timer, uint64_t now)
{
	struct hd_warp *warp = &sm->warps[timer->warp];
	switch (timer->kind) {
	case HD_TIMER_RESULT:
		if (sm->results.used)
			hd_results_take_ports(sm, warp, now, timer->which);
		hd_sm_result(sm, warp, timer->inst, timer->lanes, timer->which, now);
		break;
	case HD_TIMER_WRITTEN: hd_sm_written(sm, warp, timer->inst, now); break;
	case HD_TIMER_WAKE:
		if (warp->next_issue == now) /* else it has been brought back since, and waits for longer */
			hd_warp_evaluate(sm, warp);
		break;
	case HD_TIMER_ACTIVE: hd_scheduler_activated(sm, warp, now); break;
	case HD_TIMER_ACCESS: hd_sm_late_access(sm, warp, timer->which, now); break;
	case HD_TIMER_RANGE: hd_sm_range_written(sm, warp, timer->inst, now); break;
	case HD_TIMER_READ: hd_control_read(sm, warp, timer->inst, now); break;
	case HD_TIMER_DRAINED:
		if (warp->state >= HD_WARP_DONE && warp->wake_at == now)
			hd_warp_finish(sm, warp, now);
		break;
	case HD_TIMER_SYNC: hd_mbarrier_alarm(sm, warp, now); break;
	case HD_TIMER_BULK: hd_bulk_cycle(sm, now); break;
	case HD_TIMER_DISPATCH: hd_sm_dispatched(sm, warp, timer->which, now); break;
	default: break;
	}
}

/* A bucket has its last timer first; they fire in the order in which they came. On the way what firing touches is
 * fetched: with many SMs it is not in the host's cache. */
static uint16_t reversed(const struct hd_sm *sm, uint16_t id)
{
	const struct hd_wheel *wheel = &sm->wheel;
	uint16_t first = HD_TIMER_NONE;
	while (id != HD_TIMER_NONE) {
		struct hd_timer *timer = &wheel->pool[id];
		uint16_t next = timer->next;
		timer->next = first;
		__builtin_prefetch(&sm->warps[timer->warp].pending);
		__builtin_prefetch(timer->inst);
		__builtin_prefetch(sm->scheduling.schedulers[sm->scheduling.scheduler_of[timer->warp]].regfile->ports);
		first = id;
		id = next;
	}
	return first;
}

/* Whether some of them are of results. */
static bool has_results(const struct hd_wheel *wheel, uint16_t id)
{
	while (id != HD_TIMER_NONE && wheel->pool[id].kind != HD_TIMER_RESULT)
		id = wheel->pool[id].next;
	return id != HD_TIMER_NONE;
}

void hd_sm_fire(struct hd_sm *sm, uint64_t now)
{
	struct hd_wheel *wheel = &sm->wheel;
	assert(wheel->next == now);
	uint32_t bucket = now & MASK;
	uint16_t id = reversed(sm, wheel->head[bucket]);
	wheel->head[bucket] = HD_TIMER_NONE;
	wheel->occupied[bucket / 64] &= ~(UINT64_C(1) << bucket % 64);
	wheel->next = wheel_following(wheel, now);
	sm->results.ordered = sm->results.used && has_results(wheel, id);
	while (id != HD_TIMER_NONE) {
		struct hd_timer *timer = &wheel->pool[id];
		uint16_t next = timer->next;
		if (timer->cycle > now) { /* beyond the horizon when it was added */
			wheel_link(wheel, id, now);
		} else {
			timer->next = wheel->free; /* another may be started in its place as soon as it has been read */
			wheel->free = id;
			wheel->free_count++;
			timer_fire(sm, timer, now);
		}
		id = next;
	}
	sm->results.ordered = false;
}
