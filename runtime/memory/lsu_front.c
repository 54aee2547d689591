/*
 * The front of the load/store unit: serves the first instruction of each queue, and what a unit does in a cycle.
 *
 * Shared memory takes an instruction for as many cycles as its worst bank has conflicts. The line accesses of global
 * and local ones go to the L1's tag banks, each bank in order. What L1 cannot serve waits until a reply has come, a
 * packet has gone or an instruction under way has ended; that is remembered as long as the front has others to serve.
 * What lacks room for packets or MSHRs is not looked up before there are enough.
 *
 * Needs an L1 (l1.c) and the port (lsu_port.c). Cost: a tick does what there is; an instruction costs its line accesses
 * once.
 */
#include "runtime/memory/lsu.h"

/* ---- the front */

static void next_instruction(struct hd_lsu *lsu, struct hd_lsu_front *front, uint32_t grid, uint64_t free)
{
	lsu->holder = hd_lsu_head(front)->origin;
	front->first++;
	front->current = HD_NONE;
	if (front->first == front->end)
		lsu->filled &= ~(UINT32_C(1) << grid);
	lsu->front_free = free;
}

/* The queue of its scheduler has a place again. */
static void take(struct hd_lsu *lsu, const struct hd_lsu_waiting *head)
{
	if (lsu->tells_taken)
		lsu->taken[lsu->taken_count++] = head->place;
}

static void serve_shared(struct hd_lsu *lsu, struct hd_lsu_front *front, uint64_t now,
			 const struct hd_lsu_waiting *head)
{
	uint32_t cycles = head->count;
	take(lsu, head);
	lsu->counters->shared_accesses++;
	lsu->counters->shared_cycles += cycles;
	hd_lsu_complete(lsu, head->token, now + lsu->shared_latency + cycles - 1);
	next_instruction(lsu, front, head->grid, now + (cycles > lsu->interval ? cycles : lsu->interval));
}

/* A line of another SM's shared memory a cycle goes to the network (dsm.c). */
static void serve_remote(struct hd_lsu *lsu, struct hd_lsu_front *front, uint64_t now,
			 const struct hd_lsu_waiting *head)
{
	struct hd_dsm_access *access = lsu->port->all.data[head->accesses];
	uint32_t cycles = head->count;
	take(lsu, head);
	lsu->inflight_count++;
	lsu->counters->dsm_requests += cycles;
	for (uint32_t part = 0; part < access->count; part++)
		lsu->counters->dsm_bytes += HD_DSM_SECTOR * (uint64_t)__builtin_popcount(access->sectors[part]);
	hd_dsm_leave(lsu->port, access, now + 1);
	next_instruction(lsu, front, head->grid, now + (cycles > lsu->interval ? cycles : lsu->interval));
}

static void append_to_bank(const struct hd_lsu *lsu, struct hd_lsu_front *front, uint32_t index)
{
	uint32_t bank = (uint32_t)(front->head[index].line % lsu->banks);
	front->head[index].next = HD_LSU_LIST_END;
	if (front->bank_first[bank] == HD_LSU_LIST_END)
		front->bank_first[bank] = (uint8_t)index;
	else
		front->head[front->bank_last[bank]].next = (uint8_t)index;
	front->bank_last[bank] = (uint8_t)index;
	front->banks_left |= 1u << bank;
}

/* The next ones of the head's line accesses that are kept apart. */
static void give_lines(struct hd_lsu *lsu, struct hd_lsu_front *front, const struct hd_lsu_waiting *head)
{
	const uint64_t *line = lsu->kept[head->lines].line + front->given;
	uint32_t left = head->count - front->given, count = left < HD_MAX_ACCESSES ? left : HD_MAX_ACCESSES;
	front->head = front->given_out;
	for (uint32_t i = 0; i < count; i++) {
		front->head[i] = (struct hd_access){.line = line[i] >> 8, .sectors = (uint8_t)line[i]};
		append_to_bank(lsu, front, i);
	}
	front->given += count;
}

/* Whether all line accesses of the head have been done. */
static bool is_through(struct hd_lsu *lsu, struct hd_lsu_front *front, const struct hd_lsu_waiting *head)
{
	if (front->banks_left)
		return false;
	if (!head->lines)
		return true;
	if (front->given < head->count) {
		give_lines(lsu, front, head);
		return false;
	}
	hd_lsu_release_lines(lsu, head->lines);
	return true;
}

/* Gives the head's line accesses to the banks. */
static void start(struct hd_lsu *lsu, struct hd_lsu_front *front, uint64_t now, const struct hd_lsu_waiting *head)
{
	uint32_t index = HD_POOL_TAKE(&lsu->inflight_pool, lsu->inflight);
	struct hd_lsu_inflight *entry = &lsu->inflight[index];
	take(lsu, head);
	lsu->inflight_count++;
	*entry = (struct hd_lsu_inflight){.issued = head->issued,
					  .origin = head->origin,
					  .token = head->token,
					  .group = head->group,
					  .copy = head->copy};
	entry->kind = head->kind;
	entry->grid = head->grid;
	entry->remaining = head->count ? head->count : 1;
	front->part = (struct hd_l1_request){index,	  head->space, head->kind,  head->class,
					     head->cache, head->grid,  head->bypass};
	front->current = index;
	front->begun = now;
	front->head = front->accesses + head->accesses;
	front->given = 0;
	if (head->lines)
		give_lines(lsu, front, head);
	for (uint32_t i = 0; i < head->count && !head->lines; i++)
		append_to_bank(lsu, front, i);
	if (!head->count) /* a fetch that touches nothing takes as long as a hit */
		hd_lsu_access_done(lsu, index, head->lines ? now + lsu->l1_latency : now);
}

/* An access wider than the data path goes alone. */
static bool have_room(const struct hd_lsu *lsu, const struct hd_access *access)
{
	return lsu->room == lsu->sectors || hd_sector_count(access->sectors) <= lsu->room;
}

static void tell_miss(struct hd_lsu *lsu, uint32_t index, uint64_t now)
{
	struct hd_lsu_inflight *entry = &lsu->inflight[index];
	if (entry->missed || entry->token == UINT32_MAX || hd_lsu_is_store(entry->kind))
		return;
	entry->missed = true;
	lsu->watch.miss(lsu->watch.context, entry->token, now);
}

/* A load that merges into a miss passes through L1 as a hit does, however soon the miss's data come. */
static void wait_for_l1(struct hd_lsu *lsu, uint32_t index, uint64_t now)
{
	struct hd_lsu_inflight *entry = &lsu->inflight[index];
	if (!hd_lsu_is_store(entry->kind))
		entry->due = hd_later(entry->due, now + lsu->l1_latency);
}

/* Returns whether any line access was done; sets `waits` when one is left that only lacks a port. */
static bool serve_bank(struct hd_lsu *lsu, struct hd_lsu_front *front, uint64_t now, uint32_t bank, bool *waits)
{
	bool moved = false, stalls = false;
	for (uint32_t port = 0; port < lsu->ports && front->bank_first[bank] != HD_LSU_LIST_END; port++) {
		const struct hd_access *access = &front->head[front->bank_first[bank]];
		uint32_t sectors = hd_sector_count(access->sectors);
		if (!have_room(lsu, access))
			break;
		stalls = hd_l1_still_lacks(&lsu->l1, front->part.grid, front->bank_lacks[bank]);
		if (stalls)
			break;
		enum hd_l1_result result = hd_l1_access(&lsu->l1, now, &front->part, access);
		stalls = result == HD_L1_STALL;
		front->bank_lacks[bank] = (struct hd_l1_lacks){0, 0};
		if (stalls && lsu->l1.sharers == 1)
			front->bank_lacks[bank] = lsu->l1.lacks;
		if (stalls)
			break;
		lsu->room -= sectors < lsu->room ? sectors : lsu->room;
		front->bank_first[bank] = access->next;
		if (result == HD_L1_WAIT)
			wait_for_l1(lsu, front->current, now);
		if (result == HD_L1_DONE)
			hd_lsu_access_done(lsu, front->current, now + lsu->l1_latency);
		else if (__builtin_expect(lsu->watch.miss != NULL, 0))
			tell_miss(lsu, front->current, now);
		moved = true;
	}
	if (front->bank_first[bank] == HD_LSU_LIST_END)
		front->banks_left &= ~(1u << bank);
	else
		*waits |= !stalls;
	return moved;
}

/* The room for packets that the first accesses of all banks wait for, at least; 0: one of them lacks something else. */
static uint8_t lacking_packets(const struct hd_lsu_front *front)
{
	uint8_t least = UINT8_MAX;
	for (uint32_t left = front->banks_left; left; left &= left - 1) {
		uint8_t packets = front->bank_lacks[__builtin_ctz(left)].packets;
		least = packets < least ? packets : least;
	}
	return front->banks_left ? least : 0;
}

static void note_stall(struct hd_lsu *lsu, struct hd_lsu_front *front, uint32_t grid, uint64_t now, bool moved)
{
	front->lacks_packets = moved ? 0 : lacking_packets(front);
	if (!moved && front->stalled_since == HD_NEVER) {
		front->stalled_since = now;
		lsu->stalled |= UINT32_C(1) << grid;
	}
	if (moved && front->stalled_since != HD_NEVER) {
		lsu->counters->l1d_stall_cycles += now - front->stalled_since;
		front->stalled_since = HD_NEVER;
		lsu->stalled &= ~(UINT32_C(1) << grid);
	}
}

/* Serves a grid's first instruction, whose operands are there. False: L1 cannot. */
static bool serve_grid(struct hd_lsu *lsu, uint32_t grid, uint64_t now)
{
	struct hd_lsu_front *front = lsu->fronts[grid];
	const struct hd_lsu_waiting *head = hd_lsu_head(front);
	lsu->counters = &lsu->grids[grid];
	if (head->space >= HD_MEM_SHARED) {
		if (head->space == HD_MEM_SHARED)
			serve_shared(lsu, front, now, head);
		else
			serve_remote(lsu, front, now, head);
		return true;
	}
	bool moved = false, waits = false;
	if (front->current == HD_NONE && !hd_pool_is_empty(&lsu->inflight_pool)) {
		start(lsu, front, now, head);
		moved = !front->banks_left;
	}
	lsu->room = lsu->sectors;
	if (front->current != HD_NONE)
		for (uint32_t left = front->banks_left; left; left &= left - 1)
			moved |= serve_bank(lsu, front, now, (uint32_t)__builtin_ctz(left), &waits);
	lsu->counters->l1d_port_stalls += waits;
	note_stall(lsu, front, grid, now, moved);
	if (front->current == HD_NONE || !is_through(lsu, front, head))
		return moved;
	if (!head->lines)
		front->places[front->places_free++] = (uint16_t)(head->accesses / HD_MAX_ACCESSES);
	next_instruction(lsu, front, grid, hd_later(now + 1, front->begun + lsu->interval));
	return moved;
}

/* A first instruction that stalls as long as there is no more room for packets than there is. */
static inline bool is_stuck(const struct hd_lsu *lsu, uint32_t grid)
{
	return lsu->stalled >> grid & 1 && lsu->l1.sharers == 1 &&
	       hd_l1_room(&lsu->l1, grid) < lsu->fronts[grid]->lacks_packets;
}

/* Of these grids that whose first instruction was issued first. */
static uint32_t oldest_of(const struct hd_lsu *lsu, uint32_t grids)
{
	uint32_t oldest = (uint32_t)__builtin_ctz(grids);
	for (grids &= grids - 1; grids; grids &= grids - 1) {
		uint32_t grid = (uint32_t)__builtin_ctz(grids);
		if (hd_lsu_head(lsu->fronts[grid])->issued < hd_lsu_head(lsu->fronts[oldest])->issued)
			oldest = grid;
	}
	return oldest;
}

/* What others have taken of shared memory until now. */
static inline void settle_claims(struct hd_lsu *lsu, uint64_t now)
{
	while (__builtin_expect(lsu->settled != lsu->claimed, 0)) {
		const struct hd_lsu_claim *claim = &lsu->claims[lsu->settled % HD_LSU_CLAIMS];
		if (claim->from > now && lsu->claimed - lsu->settled < HD_LSU_CLAIMS)
			return;
		lsu->front_free = hd_later(lsu->front_free, claim->from) + claim->cycles;
		lsu->holder = claim->origin;
		lsu->settled++;
	}
}

void hd_lsu_claim_shared(struct hd_lsu *lsu, uint64_t now, uint64_t from, uint32_t cycles, uint32_t grid,
			 const void *origin)
{
	settle_claims(lsu, now);
	lsu->claims[lsu->claimed++ % HD_LSU_CLAIMS] = (struct hd_lsu_claim){from, origin, cycles};
	lsu->grids[grid].shared_cycles += cycles;
	lsu->grids[grid].wgmma_shared_cycles += cycles;
}

/* Grids whose first instruction is to be looked at. */
static inline uint32_t to_serve(const struct hd_lsu *lsu)
{
	return lsu->filled & ~(lsu->stalled & ~lsu->woken);
}

static void serve_front(struct hd_lsu *lsu, uint64_t now)
{
	uint32_t left = to_serve(lsu);
	settle_claims(lsu, now);
	if (lsu->front_free > now)
		return;
	while (left) {
		uint32_t grid = oldest_of(lsu, left);
		left &= ~(UINT32_C(1) << grid);
		lsu->woken &= ~(UINT32_C(1) << grid);
		if (is_stuck(lsu, grid))
			continue;
		if (hd_lsu_head(lsu->fronts[grid])->ready <= now && serve_grid(lsu, grid, now))
			return;
	}
}

/* What copies have brought, into shared memory. */
static void write_copies(struct hd_lsu *lsu, uint64_t now)
{
	settle_claims(lsu, now);
	while (lsu->front_free <= now && hd_completions_next(&lsu->copies) <= now) {
		uint32_t index = hd_completions_take(&lsu->copies).token;
		const struct hd_lsu_inflight *entry = &lsu->inflight[index];
		struct hd_counters *counters = &lsu->grids[entry->grid];
		counters->shared_accesses++;
		counters->shared_cycles += entry->copy;
		counters->copy_shared_cycles += entry->copy;
		lsu->front_free = now + entry->copy;
		lsu->holder = entry->origin;
		hd_lsu_end(lsu, index, lsu->front_free);
	}
}

bool hd_lsu_take_shared(struct hd_lsu *lsu, uint64_t now, uint32_t grid)
{
	settle_claims(lsu, now);
	if (lsu->front_free > now)
		return false;
	hd_lsu_use_shared(lsu, now, grid);
	return true;
}

/* The next cycle of shared memory that nobody has. */
static uint64_t use_cycle(struct hd_lsu *lsu, uint64_t now, uint32_t grid)
{
	settle_claims(lsu, now);
	lsu->front_free = hd_later(lsu->front_free, now) + 1;
	lsu->holder = NULL;
	lsu->grids[grid].shared_cycles++;
	return lsu->front_free;
}

uint64_t hd_lsu_use_shared(struct hd_lsu *lsu, uint64_t now, uint32_t grid)
{
	lsu->grids[grid].transfer_shared_cycles++;
	return use_cycle(lsu, now, grid);
}

uint64_t hd_lsu_bulk_shared(struct hd_lsu *lsu, uint64_t now, uint32_t grid)
{
	lsu->grids[grid].tma_shared_cycles++;
	return use_cycle(lsu, now, grid);
}

/* ---- a cycle */

static const struct hd_packet *first_reply(const struct hd_lsu *lsu, uint64_t now)
{
	return hd_crossbar_front(&lsu->memory->down, lsu->sm, now);
}

/* Packets of grids or of transfers wait to go. */
static bool has_packets(const struct hd_lsu *lsu)
{
	return lsu->l1.waiting || lsu->lines_under_way;
}

static uint64_t next_cycle(const struct hd_lsu *lsu, uint64_t now)
{
	const struct hd_packet *reply = first_reply(lsu, now);
	uint64_t next = reply ? hd_later(reply->ready, lsu->next_reply) : HD_NEVER;
	if (has_packets(lsu))
		next = hd_earlier(next, hd_lsu_departure(lsu, now));
	if (lsu->copies.count)
		next = hd_earlier(next, hd_later(hd_completions_next(&lsu->copies), lsu->front_free));
	for (uint32_t left = to_serve(lsu); left; left &= left - 1) {
		const struct hd_lsu_waiting *head = hd_lsu_head(lsu->fronts[__builtin_ctz(left)]);
		next = hd_earlier(next, hd_later(head->ready, lsu->front_free));
	}
	return next > now ? next : now + 1;
}

uint64_t hd_lsu_due(const struct hd_lsu *lsu, uint64_t now)
{
	const struct hd_packet *reply = first_reply(lsu, now);
	uint64_t next = reply ? hd_later(reply->ready, lsu->next_reply) : HD_NEVER;
	if (reply)
		hd_l1_prefetch(&lsu->l1, reply);
	if (has_packets(lsu))
		next = hd_earlier(next, hd_lsu_departure(lsu, now));
	return hd_later(next, now);
}

uint64_t hd_lsu_tick(struct hd_lsu *lsu, uint64_t now)
{
	const struct hd_packet *reply = first_reply(lsu, now);
	bool moved = lsu->freed;
	lsu->taken_count = 0;
	lsu->freed = lsu->refused = false;
	if (reply)
		moved |= hd_lsu_take_reply(lsu, reply, now);
	if (has_packets(lsu))
		moved |= hd_lsu_send_packets(lsu, now);
	if (moved)
		hd_lsu_wake(lsu);
	if (lsu->copies.count)
		write_copies(lsu, now);
	if (lsu->filled)
		serve_front(lsu, now);
	return next_cycle(lsu, now);
}
