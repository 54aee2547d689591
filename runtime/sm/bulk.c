/*
 * The unit that copies in bulk. Instructions put copies into its queue; it takes one every tma_issue cycles, and
 * tma_latency cycles later begins to make requests of it: one a row of a box, or a line's worth of bytes side by side,
 * at most a line each, one every tma_row cycles, past L1. A tensor's map takes tma_map_latency when the unit has not
 * seen it lately, and a box tma_tensor_latency in any case. At most tma_requests are under way. Answers go to shared
 * memory, a line in a cycle of its port, behind what the load/store unit has it do; when the last has been written the
 * barrier is told. A store reads shared memory as it makes its requests.
 *
 * Bytes for several blocks of a cluster are read once, and are in all of them tma_multicast cycles later. What goes to
 * another SM takes effect there by that SM's own clock: it is on its way for longer than a window of cycles
 * (runtime/gpu/clusters.c).
 *
 * Groups are the warp's, as those of other asynchronous copies are (copies.c): of lanes that diverge each waits for as
 * many as it asked for or more. A warp has ended when its copies have.
 *
 * While copies to shared memory are in flight, issue slots that were used or lost to the result of an instruction count
 * as hidden: the difference of the SM's slots between the first copy's issue and the last one's end.
 *
 * Luo et al., arXiv 2501.12084 (an H800): a chase by copies of 16 bytes takes 366 cycles, by loads 264; the difference
 * is tma_latency and the barrier's wake. FlashGPU-Sim (an H200): 32 cycles between copies, 99 more to several blocks.
 *
 * Cost: O(1) a request and answer; O(bytes) a copy where it lands.
 */
#include "runtime/sm/bulk.h"

#include <assert.h>

#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "runtime/exec/bulk.h"
#include "runtime/sm/issue.h"
#include "runtime/sm/mbarrier.h"
#include "runtime/sm/scheduler.h"
#include "runtime/sm/sm.h"

enum { TICKS = 256, /* of a cycle */ MAPS = 32 };

/* Groups of a warp: those from `oldest` on are under way, from `oldest_read` on shared memory is still being read. */
struct groups {
	uint8_t open, oldest, oldest_read;
	uint16_t left[HD_COPY_GROUPS], reads[HD_COPY_GROUPS];
};

struct parked {
	const struct hd_dinst *inst;
	uint64_t since;
};

/* A copy lands in the block of a rank, or is acknowledged. */
struct event {
	uint64_t cycle;
	struct hd_bulk *bulk;
	uint32_t rank; /* ACKNOWLEDGED */
};
#define ACKNOWLEDGED UINT32_MAX

/* What the SM does while copies to shared memory are in flight: how well they are hidden. */
struct flights {
	uint32_t count;	     /* of them */
	uint64_t since;	     /* cycle from which there has been one */
	uint64_t lost, idle; /* slots lost to waits, and without a warp, before that */
};

/* Barriers of a block that copies have told of bytes. */
enum { MOST_BARRIERS = 32 };
struct told {
	uint64_t block; /* hd_cta.start_age + 1 */
	uint32_t count, at[MOST_BARRIERS];
};

struct hd_bulk_unit {
	struct hd_bulk *first, *last; /* whose requests are to be made, in order */
	uint32_t queued;
	uint64_t next;		     /* cycle from which the next copy is taken */
	uint64_t free;		     /* tick from which the next request is made */
	uint32_t in_flight;	     /* requests */
	uint32_t waiting;	     /* warps */
	uint64_t timer;		     /* the next that is set; HD_NEVER */
	HD_VEC(struct event) events; /* the next one last */
	HD_VEC(struct hd_bulk_sent) sent;
	uint32_t sent_first; /* that nobody has taken */
	uint64_t maps[MAPS];
	uint32_t map_next;
	struct flights flights;
	struct told *told;     /* by the block's place */
	struct groups *groups; /* by hd_warp.id */
	struct parked *parked;
	uint64_t issue, latency, map_latency, tensor_latency, multicast, way; /* cycles */
	uint64_t row;							      /* ticks */
	uint32_t most, room;   /* requests in flight, copies in the queue */
	uint32_t line, sector; /* bytes */
};

static struct hd_bulk_unit *unit_of(struct hd_sm *sm)
{
	const struct hd_config *config = sm->gpu->config;
	if (sm->bulk)
		return sm->bulk;
	struct hd_bulk_unit *unit = HD_ARENA_NEW(&sm->arena, struct hd_bulk_unit, 1);
	unit->timer = HD_NEVER;
	unit->told = HD_ARENA_NEW_SPARSE(&sm->arena, struct told, sm->cta_count);
	unit->groups = HD_ARENA_NEW(&sm->arena, struct groups, sm->warp_count);
	unit->parked = HD_ARENA_NEW(&sm->arena, struct parked, sm->warp_count);
	unit->issue = config->tma_issue;
	unit->latency = config->tma_latency;
	unit->map_latency = config->tma_map_latency;
	unit->tensor_latency = config->tma_tensor_latency;
	unit->multicast = config->tma_multicast;
	unit->way = config->dsm_latency;
	unit->row = (uint64_t)(config->tma_row * TICKS + 0.5);
	unit->most = (uint32_t)config->tma_requests;
	unit->room = (uint32_t)config->tma_queue;
	unit->line = (uint32_t)config->l1_line;
	unit->sector = (uint32_t)config->sector;
	hd_lsu_open_bulk(sm->lsu, unit->most, &sm->arena);
	sm->bulk = unit;
	return unit;
}

void hd_bulk_release(struct hd_sm *sm)
{
	hd_bulks_release(sm->exec);
	if (!sm->bulk)
		return;
	hd_vec_release(&sm->bulk->events);
	hd_vec_release(&sm->bulk->sent);
}

void hd_bulk_clear(struct hd_sm *sm)
{
	struct hd_bulk_unit *unit = sm->bulk;
	if (!unit)
		return;
	hd_bulks_forget(sm->exec);
	hd_lsu_forget_bulk(sm->lsu);
	hd_vec_clear(&unit->events);
	hd_vec_clear(&unit->sent);
	unit->first = unit->last = NULL;
	unit->queued = unit->in_flight = unit->waiting = unit->sent_first = unit->map_next = 0;
	unit->timer = HD_NEVER;
	memset(unit->maps, 0, sizeof unit->maps);
	memset(unit->groups, 0, sm->warp_count * sizeof *unit->groups);
	unit->flights.count = 0;
	for (uint32_t i = 0; i < sm->cta_count; i++)
		unit->told[i].block = 0;
}

/* ---- how copies to shared memory are hidden */

/* Slots with one of these reasons, before this cycle. */
static uint64_t slots_lost(const struct hd_sm *sm, uint32_t reasons, uint64_t now)
{
	uint64_t slots = 0;
	for (uint32_t left = reasons; left; left &= left - 1)
		slots += sm->scheduling.stalls[__builtin_ctz(left)];
	for (uint32_t i = 0; i < sm->scheduling.count; i++) {
		const struct hd_scheduler *scheduler = &sm->scheduling.schedulers[i];
		if (reasons >> scheduler->reason & 1 && now > scheduler->charged)
			slots += now - scheduler->charged;
	}
	return slots;
}

/* Nothing that a warp of the scheduler has issued keeps it: it waits for others. */
static const uint32_t waits = 1u << HD_STALL_fence | 1u << HD_STALL_barrier | 1u << HD_STALL_async |
			      1u << HD_STALL_bulk | 1u << HD_STALL_registers | 1u << HD_STALL_suspended;

static void take_off(struct hd_sm *sm, struct hd_bulk *bulk, uint64_t now)
{
	struct flights *flights = &sm->bulk->flights;
	bulk->began = now;
	if (bulk->kind != HD_BULK_G2S || flights->count++)
		return;
	flights->since = now;
	flights->lost = slots_lost(sm, waits, now);
	flights->idle = slots_lost(sm, 1u << HD_STALL_idle, now);
}

/* What a co-run's end has settled of the slots is not known here: those since then count. */
static uint64_t since(uint64_t before, uint64_t now, uint64_t most)
{
	uint64_t slots = now < before ? now : now - before;
	return slots < most ? slots : most;
}

static void come_down(struct hd_sm *sm, const struct hd_bulk *bulk, uint64_t now)
{
	struct flights *flights = &sm->bulk->flights;
	struct hd_counters *counters = &sm->counted[bulk->grid];
	if (bulk->kind != HD_BULK_G2S)
		return;
	counters->tma_flight_cycles += now - bulk->began;
	if (--flights->count)
		return;
	uint64_t cycles = now - flights->since, slots = cycles * sm->scheduling.count;
	slots -= since(flights->idle, slots_lost(sm, 1u << HD_STALL_idle, now), slots);
	counters->tma_busy_cycles += cycles;
	counters->tma_busy_slots += slots;
	counters->tma_hidden_slots += slots - since(flights->lost, slots_lost(sm, waits, now), slots);
}

static void count_barrier(struct hd_sm *sm, const struct hd_bulk *bulk, const struct hd_cta *cta)
{
	struct told *told = &sm->bulk->told[cta - sm->ctas];
	if (told->block != cta->start_age + 1)
		*told = (struct told){.block = cta->start_age + 1};
	for (uint32_t i = 0; i < told->count; i++)
		if (told->at[i] == bulk->barrier)
			return;
	if (told->count == MOST_BARRIERS)
		return;
	told->at[told->count++] = bulk->barrier;
	sm->counted[bulk->grid].tma_barriers++;
}

/* ---- groups and waits */

static uint8_t pending(const struct groups *groups, bool reads)
{
	return (uint8_t)(groups->open - (reads ? groups->oldest_read : groups->oldest));
}

static void retire(struct groups *groups)
{
	while (pending(groups, true) && !groups->reads[groups->oldest_read % HD_COPY_GROUPS])
		groups->oldest_read++;
	while (pending(groups, false) && !groups->left[groups->oldest % HD_COPY_GROUPS])
		groups->oldest++;
}

/* Whether the warp has to wait at the instruction, that it has issued. */
static bool holds(const struct hd_bulk_unit *unit, const struct hd_warp *warp, const struct hd_inst *inst)
{
	const struct groups *groups = &unit->groups[warp->id];
	switch (inst->op) {
	case HD_OP_UTMACMDFLUSH: return pending(groups, false) == HD_COPY_GROUPS - 1;
	case HD_OP_UTMAWAIT: return pending(groups, hd_mod_get(inst->mods, HD_MOD_READS)) > inst->x;
	default: return unit->queued >= unit->room;
	}
}

static void commit(struct hd_bulk_unit *unit, const struct hd_warp *warp)
{
	struct groups *groups = &unit->groups[warp->id];
	groups->open++;
	retire(groups);
}

static void go_on(struct hd_sm *sm, struct hd_warp *warp, uint64_t now)
{
	struct hd_bulk_unit *unit = sm->bulk;
	const struct parked *parked = &unit->parked[warp->id];
	warp->bulk_wait = false;
	unit->waiting--;
	hd_sm_counters(sm, warp)->tma_wait_cycles += now - parked->since;
	if (parked->inst->inst.op == HD_OP_UTMACMDFLUSH)
		commit(unit, warp);
	hd_warp_continue(sm, warp, now, now + 1, HD_STALL_bulk);
}

static void wake(struct hd_sm *sm, uint64_t now)
{
	const struct hd_bulk_unit *unit = sm->bulk;
	for (uint32_t id = 0; id < sm->warp_count && unit->waiting; id++) {
		struct hd_warp *warp = &sm->warps[id];
		if (warp->bulk_wait && !holds(unit, warp, &unit->parked[id].inst->inst))
			go_on(sm, warp, now);
	}
}

const struct hd_dinst *hd_bulk_awaited(const struct hd_sm *sm, const struct hd_warp *warp)
{
	return sm->bulk->parked[warp->id].inst;
}

void hd_bulk_forget(struct hd_sm *sm, struct hd_warp *warp)
{
	if (sm->bulk)
		sm->bulk->waiting -= warp->bulk_wait;
	warp->bulk_wait = false;
}

/* ---- copies come */

/* Cycles until the unit has the map. */
static uint64_t map_cycles(struct hd_bulk_unit *unit, const struct hd_bulk *bulk)
{
	if (!bulk->map_address)
		return 0;
	for (uint32_t i = 0; i < MAPS; i++)
		if (unit->maps[i] == bulk->map_address)
			return unit->tensor_latency;
	unit->maps[unit->map_next++ % MAPS] = bulk->map_address;
	return unit->tensor_latency + unit->map_latency;
}

static void count(struct hd_counters *counters, const struct hd_bulk *bulk)
{
	uint64_t present = 0;
	for (uint32_t i = 0; i < bulk->runs.len; i++)
		present += bulk->runs.data[i].bytes;
	++*(bulk->kind == HD_BULK_S2G ? &counters->tma_stores : &counters->tma_loads);
	counters->tma_bytes += bulk->bytes;
	if (bulk->map_address)
		counters->tma_outside_bytes += bulk->bytes - present;
	counters->multicast_bytes +=
		(uint64_t)bulk->bytes * (bulk->ranks ? (unsigned)__builtin_popcount(bulk->ranks) - 1 : 0);
}

static void add(struct hd_sm *sm, struct hd_warp *warp, struct hd_bulk *bulk, uint64_t now)
{
	struct hd_bulk_unit *unit = sm->bulk;
	struct groups *groups = &unit->groups[warp->id];
	uint64_t taken = hd_later(now, unit->next);
	unit->next = taken + unit->issue;
	bulk->ready = taken + unit->latency + map_cycles(unit, bulk);
	bulk->grid = sm->grid_of[warp->id];
	bulk->group = groups->open;
	take_off(sm, bulk, now);
	warp->outstanding++;
	warp->bulks++;
	if (bulk->kind == HD_BULK_S2G) {
		groups->left[bulk->group % HD_COPY_GROUPS]++;
		groups->reads[bulk->group % HD_COPY_GROUPS]++;
	}
	if (hd_bulk_is_remote(bulk))
		__atomic_fetch_add(&bulk->cta->cluster->under_way, 1, __ATOMIC_RELAXED);
	count(&sm->counted[bulk->grid], bulk);
	*(unit->last ? &unit->last->link : &unit->first) = bulk;
	unit->last = bulk;
	unit->queued++;
}

/* ---- its next cycle */

static void set_timer(struct hd_sm *sm, uint64_t now, uint64_t at)
{
	struct hd_bulk_unit *unit = sm->bulk;
	at = at > now ? at : now + 1;
	if (at >= unit->timer)
		return;
	struct hd_timer *timer = hd_wheel_add(&sm->wheel, now, at);
	timer->kind = HD_TIMER_BULK;
	timer->warp = 0;
	unit->timer = at;
}

void hd_bulk_timers_gone(struct hd_sm *sm, uint64_t now)
{
	struct hd_bulk_unit *unit = sm->bulk;
	unit->timer = HD_NEVER;
	if (unit->events.len)
		set_timer(sm, now, hd_vec_last(&unit->events).cycle);
}

static void add_event(struct hd_bulk_unit *unit, uint64_t cycle, struct hd_bulk *bulk, uint32_t rank)
{
	struct event event = {cycle, bulk, rank};
	hd_vec_push(&unit->events, event);
	uint32_t at = unit->events.len - 1;
	for (; at && unit->events.data[at - 1].cycle <= cycle; at--)
		unit->events.data[at] = unit->events.data[at - 1];
	unit->events.data[at] = event;
}

/* ---- ends */

static void finish(struct hd_sm *sm, struct hd_bulk *bulk, uint64_t now)
{
	struct hd_warp *warp = bulk->warp;
	struct groups *groups = &sm->bulk->groups[warp->id];
	if (hd_bulk_is_remote(bulk))
		__atomic_fetch_sub(&bulk->cta->cluster->under_way, 1, __ATOMIC_RELAXED);
	if (bulk->kind == HD_BULK_S2G) {
		groups->left[bulk->group % HD_COPY_GROUPS]--;
		retire(groups);
	}
	come_down(sm, bulk, now);
	assert(warp->outstanding);
	warp->outstanding--;
	warp->bulks--;
	hd_bulk_drop(bulk);
	if (warp->state >= HD_WARP_DONE)
		hd_warp_finish(sm, warp, now);
}

static void land(struct hd_sm *sm, struct hd_bulk *bulk, uint32_t rank, uint64_t now)
{
	bool mine = !hd_bulk_is_remote(bulk);
	sm->exec->now = now;
	/* A killed block has lost its shared memory; without clusters, which policies that kill refuse, it is the
	 * target. */
	if (!bulk->cta->killed)
		count_barrier(sm, bulk, hd_bulk_target(bulk, rank));
	if (!bulk->cta->killed && hd_bulk_land(sm->exec, bulk, rank))
		hd_mbarrier_look(sm, hd_bulk_target(bulk, rank), now, now);
	if (mine)
		finish(sm, bulk, now);
}

static void do_events(struct hd_sm *sm, uint64_t now)
{
	struct hd_bulk_unit *unit = sm->bulk;
	while (unit->events.len && hd_vec_last(&unit->events).cycle <= now && !sm->gpu->error) {
		struct event event = hd_vec_pop(&unit->events);
		if (event.rank == ACKNOWLEDGED)
			finish(sm, event.bulk, now);
		else
			land(sm, event.bulk, event.rank, now);
	}
}

/* All bytes are there at `at`: each block gets them. */
static void spread(struct hd_sm *sm, struct hd_bulk *bulk, uint64_t at)
{
	struct hd_bulk_unit *unit = sm->bulk;
	bool sends = bulk->kind == HD_BULK_S2S, remote = hd_bulk_is_remote(bulk);
	at += hd_mod_get(bulk->inst->inst.mods, HD_MOD_CAST) && bulk->kind == HD_BULK_G2S ? unit->multicast : 0;
	if (remote && bulk->kind == HD_BULK_G2S && at < sm->now + unit->way)
		at = sm->now + unit->way; /* a window is no longer */
	for (uint32_t left = bulk->ranks; left; left &= left - 1) {
		uint32_t rank = (uint32_t)__builtin_ctz(left);
		if (rank == bulk->cta->rank)
			add_event(unit, at, bulk, rank);
		else
			hd_vec_push(&unit->sent, (struct hd_bulk_sent){at, bulk, rank});
	}
	if (remote && !sends)
		add_event(unit, at + unit->way, bulk, ACKNOWLEDGED);
}

/* Nothing is to be awaited from memory. */
static void complete(struct hd_sm *sm, struct hd_bulk *bulk, uint64_t now)
{
	if (bulk->kind == HD_BULK_G2S || bulk->kind == HD_BULK_S2S)
		spread(sm, bulk, hd_later(bulk->ready, now));
	else
		finish(sm, bulk, now);
}

/* Whether a copy is complete by it, or requests waited for it. */
static bool take_answers(struct hd_sm *sm, uint64_t now)
{
	struct hd_bulk_unit *unit = sm->bulk;
	bool frees = unit->in_flight >= unit->most;
	uint32_t tag;
	while (hd_lsu_bulk_done(sm->lsu, &tag)) {
		struct hd_bulk *bulk = sm->exec->bulks->all.data[tag];
		unit->in_flight--;
		bulk->left--;
		if (bulk->kind == HD_BULK_G2S)
			bulk->ready = hd_later(bulk->ready, hd_lsu_bulk_shared(sm->lsu, now, bulk->grid));
		if (bulk->requested && !bulk->left) {
			complete(sm, bulk, now);
			frees = true;
		}
	}
	return frees;
}

/* ---- requests */

static uint8_t sectors_of(uint32_t first, uint32_t end)
{
	return first < end ? (uint8_t)((1u << end) - (1u << first)) : 0;
}

/* Bytes of a line, as sectors: touched, and written in every byte. */
static void find_sectors(const struct hd_bulk_unit *unit, struct hd_bulk_line *line, uint64_t address, uint32_t bytes)
{
	uint32_t first = (uint32_t)(address % unit->line), end = first + bytes;
	line->line = address / unit->line;
	line->sectors = sectors_of(first / unit->sector, (end + unit->sector - 1) / unit->sector);
	line->full = sectors_of((first + unit->sector - 1) / unit->sector, end / unit->sector);
}

static void request(struct hd_sm *sm, struct hd_bulk *bulk, uint64_t now)
{
	struct hd_bulk_unit *unit = sm->bulk;
	const struct hd_bulk_run *run = &bulk->runs.data[bulk->run];
	uint64_t address = run->address + bulk->sent;
	uint32_t room = unit->line - (uint32_t)(address % unit->line), left = run->bytes - bulk->sent;
	uint32_t bytes = left < room ? left : room;
	struct hd_bulk_line line = {.tag = bulk->number, .grid = bulk->grid};
	line.promotion = bulk->map_address ? bulk->map.promotion : 0;
	bool stores = bulk->kind == HD_BULK_S2G;
	find_sectors(unit, &line, address, bytes);
	line.what = bulk->kind == HD_BULK_PF ? HD_BULK_LINE_FILL
		    : !stores		     ? HD_BULK_LINE_READ
		    : bulk->reduces	     ? HD_BULK_LINE_REDUCE
					     : HD_BULK_LINE_WRITE;
	uint64_t ready = stores ? hd_lsu_bulk_shared(sm->lsu, now, bulk->grid) : now + 1;
	ready = hd_lsu_send_bulk(sm->lsu, ready, &line);
	sm->due.lsu = hd_earlier(sm->due.lsu, ready);
	sm->counted[bulk->grid].tma_requests++;
	unit->in_flight++;
	bulk->left++;
	bulk->sent += bytes;
	if (bulk->sent == run->bytes) {
		bulk->sent = 0;
		bulk->run++;
	}
}

/* Of a copy to another block: a line of shared memory is read. */
static void read_line(struct hd_sm *sm, struct hd_bulk *bulk, uint64_t now)
{
	bulk->ready = hd_lsu_bulk_shared(sm->lsu, now, bulk->grid);
	bulk->sent += sm->bulk->line;
}

static bool has_more(const struct hd_bulk *bulk)
{
	return bulk->kind == HD_BULK_S2S ? bulk->sent < bulk->bytes : bulk->run < bulk->runs.len;
}

/* All requests of the first copy are made. */
static void leave_queue(struct hd_sm *sm, struct hd_bulk *bulk, uint64_t now)
{
	struct hd_bulk_unit *unit = sm->bulk;
	unit->first = bulk->link;
	if (!unit->first)
		unit->last = NULL;
	unit->queued--;
	bulk->requested = true;
	if (bulk->kind == HD_BULK_S2G) {
		struct groups *groups = &unit->groups[bulk->warp->id];
		groups->reads[bulk->group % HD_COPY_GROUPS]--;
		retire(groups);
	}
	if (!bulk->left)
		complete(sm, bulk, now);
}

static bool is_last_request(const struct hd_bulk_unit *unit, const struct hd_bulk *bulk)
{
	const struct hd_bulk_run *run = &bulk->runs.data[bulk->run];
	uint64_t address = run->address + bulk->sent;
	return bulk->run + 1 == bulk->runs.len &&
	       run->bytes - bulk->sent <= unit->line - (uint32_t)(address % unit->line);
}

/* Requests of the next cycles that read lines: when each is made, and that it has room then, is known. They leave the
 * load/store unit when they are ready, as if they were made then. The last one is made in its cycle, in which the copy
 * leaves the queue. */
static void make_early(struct hd_sm *sm, struct hd_bulk *bulk, uint64_t now)
{
	struct hd_bulk_unit *unit = sm->bulk;
	if (bulk->kind == HD_BULK_S2S || bulk->kind == HD_BULK_S2G)
		return;
	while (unit->in_flight < unit->most && hd_lsu_bulk_early(sm->lsu) && !is_last_request(unit, bulk)) {
		uint64_t at = hd_later(now, unit->free / TICKS);
		unit->free = hd_later(unit->free, at * TICKS) + unit->row;
		request(sm, bulk, at);
	}
}

static void make_requests(struct hd_sm *sm, uint64_t now)
{
	struct hd_bulk_unit *unit = sm->bulk;
	for (struct hd_bulk *bulk; (bulk = unit->first) && bulk->ready <= now;) {
		if (!has_more(bulk)) {
			leave_queue(sm, bulk, now);
			continue;
		}
		if (unit->free >= (now + 1) * TICKS || unit->in_flight >= unit->most || !hd_lsu_bulk_room(sm->lsu))
			return;
		unit->free = hd_later(unit->free, now * TICKS) + unit->row;
		if (bulk->kind == HD_BULK_S2S)
			read_line(sm, bulk, now);
		else
			request(sm, bulk, now);
		if (has_more(bulk))
			make_early(sm, bulk, now);
		else
			leave_queue(sm, bulk, now);
	}
}

/* HD_NEVER: when an answer comes. */
static uint64_t next_request(const struct hd_sm *sm, uint64_t now)
{
	const struct hd_bulk_unit *unit = sm->bulk;
	if (!unit->first)
		return HD_NEVER;
	if (unit->first->ready > now)
		return unit->first->ready;
	if (unit->in_flight >= unit->most)
		return HD_NEVER;
	return hd_lsu_bulk_room(sm->lsu) ? unit->free / TICKS : now + 1;
}

void hd_bulk_fetch(const struct hd_bulk_unit *unit)
{
	__builtin_prefetch(&unit->first);
	__builtin_prefetch(&unit->events);
	__builtin_prefetch(&unit->row);
}

void hd_bulk_cycle(struct hd_sm *sm, uint64_t now)
{
	struct hd_bulk_unit *unit = sm->bulk;
	if (!take_answers(sm, now) && unit->timer > now)
		return;
	if (unit->timer <= now)
		unit->timer = HD_NEVER;
	make_requests(sm, now);
	do_events(sm, now);
	wake(sm, now);
	uint64_t next = next_request(sm, now);
	if (unit->events.len)
		next = hd_earlier(next, hd_vec_last(&unit->events).cycle);
	if (next != HD_NEVER)
		set_timer(sm, now, next);
}

/* ---- instructions */

void hd_bulk_issue(struct hd_sm *sm, struct hd_warp *warp, const struct hd_dinst *inst, uint64_t now)
{
	struct hd_bulk_unit *unit = unit_of(sm);
	struct hd_bulk *next;
	for (struct hd_bulk *bulk = sm->effect.bulk; bulk; bulk = next) {
		next = bulk->next;
		add(sm, warp, bulk, now);
	}
	if (unit->first)
		set_timer(sm, now, unit->first->ready);
	if (sm->effect.mask && holds(unit, warp, &inst->inst)) {
		unit->parked[warp->id] = (struct parked){inst, now};
		unit->waiting++;
		warp->bulk_wait = true;
		hd_warp_set_wait(sm, warp, HD_STALL_bulk);
		return;
	}
	if (inst->inst.op == HD_OP_UTMACMDFLUSH && sm->effect.mask)
		commit(unit, warp);
	hd_warp_continue(sm, warp, now, now + 1, HD_STALL_control);
}

/* ---- between SMs */

bool hd_bulk_take_sent(struct hd_sm *sm, struct hd_bulk_sent *sent)
{
	struct hd_bulk_unit *unit = sm->bulk;
	if (!unit || unit->sent_first == unit->sent.len) {
		if (unit)
			unit->sent_first = unit->sent.len = 0;
		return false;
	}
	*sent = unit->sent.data[unit->sent_first++];
	return true;
}

uint32_t hd_bulk_sent_bytes(const struct hd_bulk *bulk)
{
	return bulk->kind == HD_BULK_S2S ? bulk->bytes : 0;
}

void hd_bulk_deliver(struct hd_sm *sm, const struct hd_bulk_sent *sent, uint64_t now)
{
	struct hd_bulk_unit *unit = unit_of(sm);
	add_event(unit, sent->cycle, sent->bulk, sent->rank);
	set_timer(sm, now, sent->cycle);
}

void hd_bulk_acknowledge(struct hd_sm *sm, struct hd_bulk *bulk, uint64_t cycle, uint64_t now)
{
	add_event(sm->bulk, cycle + sm->bulk->way, bulk, ACKNOWLEDGED);
	set_timer(sm, now, cycle + sm->bulk->way);
}
