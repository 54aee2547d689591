/*
 * The network between the SMs of a GPC. Each SM sends dsm_bytes a cycle, requests and answers together, in slots of 32
 * bytes; what it sends arrives dsm_latency cycles later, and nothing on the way is a bottleneck: measurements of rings
 * of up to 16 SMs have each SM send as if it were alone. A load's request takes a slot for each line of shared memory;
 * answers, stores and atomics one for each sector, and dsm_header bytes a line; an acknowledgement none. An answer
 * leaves shared_latency cycles after its request has arrived. What is told to a barrier takes dsm_arrive_latency more.
 * A store takes dsm_store_latency more, so that loads and atomics of its SM may have to wait for it where they have a
 * line in common. An arrival at a barrier is a release: it leaves behind the accesses that its grid has issued in the
 * SM before, which may still be in the load/store unit's queue, and is there after all that the SM has stored.
 *
 * SMs note what they send while they work through a window of cycles. The network does these cycles behind them, in the
 * order of cycles: it takes longer than a window to get from one SM to another, so that the cycles that come out are
 * the same.
 *
 * Cost: O(log n) a line of an access, of n under way; O(s), of s stores that its SM has under way, where one of these
 * is to be there later.
 */
#include "runtime/memory/dsm.h"

#include <assert.h>

#include "heddle/config.h"
#include "runtime/memory/lsu.h"

/* A part of an access leaves, or arrives. */
struct event {
	uint64_t cycle;
	uint64_t order; /* of those of one cycle */
	struct hd_dsm_access *access;
	uint32_t part;
	bool arrives;
};

struct hd_dsm {
	uint64_t latency, access;    /* one way; of shared memory */
	uint64_t told;		     /* until a barrier has heard of it */
	uint64_t store;		     /* until a store is seen */
	uint64_t *stored;	     /* by SM: cycle in which the last of what it has stored elsewhere is there */
	uint64_t slot, header;	     /* ticks of a slot, and of what is sent with data */
	uint64_t *free;		     /* by SM: tick from which it may send */
	struct hd_dsm_access **slow; /* by SM: the first of the stores of which a part is under way */
	HD_VEC(struct event) heap;
	uint64_t sequence;
};
enum { TICKS = 256 }; /* of a cycle */

struct hd_dsm *hd_dsm_new(const struct hd_config *config, struct hd_arena *arena)
{
	struct hd_dsm *dsm = HD_ARENA_NEW(arena, struct hd_dsm, 1);
	dsm->latency = config->dsm_latency;
	dsm->access = config->shared_latency;
	dsm->told = config->dsm_arrive_latency;
	dsm->store = config->dsm_store_latency;
	dsm->slot = (uint64_t)(HD_DSM_SECTOR * TICKS / config->dsm_bytes + 0.5);
	dsm->header = (uint64_t)(config->dsm_header * TICKS / config->dsm_bytes + 0.5);
	dsm->free = HD_ARENA_NEW(arena, uint64_t, config->sm_count);
	dsm->stored = HD_ARENA_NEW(arena, uint64_t, config->sm_count);
	dsm->slow = HD_ARENA_NEW(arena, struct hd_dsm_access *, config->sm_count);
	return dsm;
}

void hd_dsm_release(struct hd_dsm *dsm)
{
	hd_vec_release(&dsm->heap);
}

uint64_t hd_dsm_lead(const struct hd_config *config)
{
	return config->dsm_latency;
}

/* ---- of an SM */

struct hd_dsm_port *hd_dsm_port_new(struct hd_arena *arena)
{
	return HD_ARENA_NEW(arena, struct hd_dsm_port, 1);
}

void hd_dsm_port_release(struct hd_dsm_port *port)
{
	for (uint32_t i = 0; i < port->all.len; i++)
		free(port->all.data[i]);
	hd_vec_release(&port->all);
	hd_vec_release(&port->unused);
	hd_vec_release(&port->out);
	hd_vec_release(&port->held);
}

static struct hd_dsm_access *take_access(struct hd_dsm_port *port)
{
	if (port->unused.len)
		return port->all.data[hd_vec_pop(&port->unused)];
	struct hd_dsm_access *access = hd_xcalloc(1, sizeof *access);
	access->number = port->all.len;
	hd_vec_push(&port->all, access);
	return access;
}

static void add_part(struct hd_dsm_access *access, uint64_t address)
{
	uint64_t line = address / HD_DSM_LINE;
	uint32_t part = 0;
	while (part < access->count && access->line[part] != line)
		part++;
	if (part == access->count) {
		access->line[access->count] = line;
		access->sectors[access->count++] = 0;
	}
	access->sectors[part] |= (uint8_t)(1u << address % HD_DSM_LINE / HD_DSM_SECTOR);
}

static struct hd_dsm_access *make_access(struct hd_dsm_port *port, uint32_t sm, const struct hd_mem_request *request,
					 uint64_t now)
{
	struct hd_dsm_access *access = take_access(port);
	access->what = request->remote;
	access->issued = now;
	access->arrived = access->done = access->there = 0;
	access->form = request->tells ? HD_DSM_TELLS : HD_DSM_ACCESS;
	access->order = port->entered;
	access->sm = sm;
	access->token = request->token;
	access->group = request->group;
	access->grid = request->grid;
	access->kind = request->kind;
	access->count = access->under_way = 0;
	for (uint32_t left = request->mask; left; left &= left - 1)
		add_part(access, request->address[__builtin_ctz(left)]);
	access->left = access->count;
	return access;
}

uint32_t hd_dsm_add(struct hd_dsm_port *port, uint32_t sm, const struct hd_mem_request *request, uint64_t now)
{
	struct hd_dsm_access *access = make_access(port, sm, request, now);
	port->entered++;
	port->queued[access->grid]++;
	return access->number;
}

static void send_out(struct hd_dsm_port *port, struct hd_dsm_access *access, uint64_t cycle)
{
	access->leaves = cycle;
	hd_vec_push(&port->out, access);
}

/* One that the operations held up have waited for is gone. */
static void let_go(struct hd_dsm_port *port, const struct hd_dsm_access *gone, uint64_t cycle)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < port->held.len; i++) {
		struct hd_dsm_access *held = port->held.data[i];
		held->waits -= held->grid == gone->grid && gone->order < held->order;
		if (held->waits)
			port->held.data[kept++] = held;
		else
			send_out(port, held, hd_later(held->leaves, cycle));
	}
	port->held.len = kept;
}

void hd_dsm_leave(struct hd_dsm_port *port, struct hd_dsm_access *access, uint64_t cycle)
{
	port->queued[access->grid]--;
	send_out(port, access, cycle);
	if (__builtin_expect(port->held.len, 0))
		let_go(port, access, cycle);
}

void hd_dsm_sync(struct hd_dsm_port *port, uint32_t sm, const struct hd_mem_request *request, uint64_t leaves)
{
	struct hd_dsm_access *access = make_access(port, sm, request, leaves);
	access->form = HD_DSM_SYNC;
	access->leaves = leaves;
	access->waits = port->queued[access->grid];
	if (access->waits)
		hd_vec_push(&port->held, access);
	else
		send_out(port, access, leaves);
}

void hd_dsm_forget(struct hd_dsm_port *port, struct hd_dsm_access *access)
{
	hd_vec_push(&port->unused, access->number);
}

/* ---- under way */

static bool is_before(const struct event *a, const struct event *b)
{
	return a->cycle != b->cycle ? a->cycle < b->cycle : a->order < b->order;
}

static void add_event(struct hd_dsm *dsm, struct event event)
{
	hd_vec_push(&dsm->heap, event);
	uint32_t at = dsm->heap.len - 1;
	struct event *heap = dsm->heap.data;
	for (; at && is_before(&event, &heap[(at - 1) / 2]); at = (at - 1) / 2)
		heap[at] = heap[(at - 1) / 2];
	heap[at] = event;
}

static struct event take_event(struct hd_dsm *dsm)
{
	struct event *heap = dsm->heap.data, first = heap[0], last = hd_vec_pop(&dsm->heap);
	uint32_t at = 0;
	for (uint32_t child = 1; child < dsm->heap.len; child = 2 * at + 1) {
		if (child + 1 < dsm->heap.len && is_before(&heap[child + 1], &heap[child]))
			child++;
		if (!is_before(&heap[child], &last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	if (dsm->heap.len)
		heap[at] = last;
	return first;
}

/* Of one cycle what arrives comes first, then by SM; an SM's own in its order. */
static uint64_t order_of(struct hd_dsm *dsm, bool arrives, uint32_t sm)
{
	return (uint64_t)!arrives << 63 | (uint64_t)sm << 48 | (dsm->sequence++ & 0xffffffffffffu);
}

static void add_part_event(struct hd_dsm *dsm, struct hd_dsm_access *access, uint32_t part, uint64_t cycle,
			   bool arrives)
{
	add_event(dsm, (struct event){cycle, order_of(dsm, arrives, access->sm), access, part, arrives});
}

void hd_dsm_take(struct hd_dsm *dsm, struct hd_dsm_port *port)
{
	for (uint32_t i = 0; i < port->out.len; i++) {
		struct hd_dsm_access *access = port->out.data[i];
		for (uint32_t part = 0; part < access->count; part++)
			add_part_event(dsm, access, part, access->leaves, false);
	}
	hd_vec_clear(&port->out);
}

/* The cycle in which what takes so many ticks, and an SM sends from `cycle` on, is at the other end. */
static uint64_t send(struct hd_dsm *dsm, uint32_t sm, uint64_t cycle, uint64_t ticks)
{
	uint64_t from = hd_later(dsm->free[sm], cycle * TICKS);
	dsm->free[sm] = from + ticks;
	return (dsm->free[sm] + TICKS - 1) / TICKS + dsm->latency;
}

uint64_t hd_dsm_send(struct hd_dsm *dsm, uint32_t sm, uint64_t cycle, uint32_t bytes)
{
	return send(dsm, sm, cycle, (bytes + HD_DSM_SECTOR - 1) / HD_DSM_SECTOR * dsm->slot);
}

static uint64_t ticks_of(const struct hd_dsm *dsm, const struct hd_dsm_access *access, uint32_t part)
{
	return dsm->header + (uint64_t)__builtin_popcount(access->sectors[part]) * dsm->slot;
}

static bool is_slow(const struct hd_dsm_access *access)
{
	return access->form == HD_DSM_ACCESS && access->kind == HD_MEM_STORE;
}

static bool has_line(const struct hd_dsm_access *access, uint64_t line)
{
	uint32_t part = 0;
	while (part < access->count && access->line[part] != line)
		part++;
	return part < access->count;
}

/* A part of a store has left. */
static void begin_slow(struct hd_dsm *dsm, struct hd_dsm_access *access)
{
	struct hd_dsm_access **first = &dsm->slow[access->sm];
	if (access->under_way++)
		return;
	access->slow_before = NULL;
	access->slow_behind = *first;
	if (*first)
		(*first)->slow_before = access;
	*first = access;
}

/* It has arrived. */
static void end_slow(struct hd_dsm *dsm, struct hd_dsm_access *access)
{
	if (--access->under_way)
		return;
	if (access->slow_behind)
		access->slow_behind->slow_before = access->slow_before;
	if (access->slow_before)
		access->slow_before->slow_behind = access->slow_behind;
	else
		dsm->slow[access->sm] = access->slow_behind;
}

/* Not before what its SM has stored in the line, all of which has left. */
static uint64_t behind_stores(const struct hd_dsm *dsm, const struct hd_dsm_access *access, uint32_t part,
			      uint64_t there)
{
	if (is_slow(access) || dsm->stored[access->sm] <= there)
		return there;
	uint64_t last = there;
	for (const struct hd_dsm_access *store = dsm->slow[access->sm]; store; store = store->slow_behind)
		if (store->there > last && has_line(store, access->line[part]))
			last = store->there;
	return last;
}

static void leave(struct hd_dsm *dsm, struct hd_dsm_access *access, uint32_t part, uint64_t cycle)
{
	uint64_t ticks = access->kind == HD_MEM_LOAD ? dsm->slot : ticks_of(dsm, access, part);
	uint64_t there = send(dsm, access->sm, cycle, ticks) + (access->form == HD_DSM_ACCESS ? 0 : dsm->told);
	there = behind_stores(dsm, access, part, there + (is_slow(access) ? dsm->store : 0));
	access->there = hd_later(access->there, there);
	if (is_slow(access))
		begin_slow(dsm, access);
	if (access->form == HD_DSM_SYNC)
		there = hd_later(there, dsm->stored[access->sm]);
	else if (access->kind != HD_MEM_LOAD)
		dsm->stored[access->sm] = hd_later(there, dsm->stored[access->sm]);
	add_part_event(dsm, access, part, there, true);
}

static void answer(struct hd_dsm *dsm, struct hd_dsm_access *access, uint32_t part, uint64_t cycle)
{
	uint32_t owner = (uint32_t)(access->line[part] * HD_DSM_LINE >> HD_REMOTE_SM_SHIFT);
	uint64_t there = hd_lsu_is_store(access->kind)
				 ? cycle + dsm->latency
				 : send(dsm, owner, cycle + dsm->access, ticks_of(dsm, access, part));
	access->arrived = hd_later(access->arrived, cycle);
	access->done = hd_later(access->done, there);
	access->left--;
}

struct hd_dsm_access *hd_dsm_next(struct hd_dsm *dsm, uint64_t until)
{
	while (dsm->heap.len && dsm->heap.data[0].cycle < until) {
		struct event event = take_event(dsm);
		if (!event.arrives) {
			leave(dsm, event.access, event.part, event.cycle);
			continue;
		}
		if (is_slow(event.access))
			end_slow(dsm, event.access);
		answer(dsm, event.access, event.part, event.cycle);
		if (!event.access->left)
			return event.access;
	}
	return NULL;
}

uint64_t hd_dsm_due(const struct hd_dsm *dsm)
{
	return dsm->heap.len ? dsm->heap.data[0].cycle : HD_NEVER;
}
