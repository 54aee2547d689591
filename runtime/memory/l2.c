/*
 * L2 slice: write-back, write-allocate, sectored. One sector is served a cycle of the L2 clock, one that is written in
 * part in l2_partial_busy, an atomic for as many cycles as lanes hit one word; the answer leaves l2_latency core cycles
 * later. A sector that is written in every byte is not fetched; one written in part is, unless l2_partial_writes keeps
 * its bytes. Missing sectors take an MSHR each, later requests merge. The head of the queue waits when it finds no
 * MSHR, merge, way, room for the answer or room in the channel, and those behind it with it. With l2_fetch a read also
 * asks for the neighbours of a missing sector; nobody waits for them.
 *
 * Requests of low priority have queues of their own, to be served in and for their replies, which are looked at when
 * the others' are empty or, of replies, not ready.
 *
 * A reply carries all sectors of its request and is sent when the last one is there.
 *
 * Needs both crossbars, a DRAM channel and the address map. Cost: O(1) a request, plus the line's waiters for merges
 * and fills; nothing in cycles without work.
 */
#include "runtime/memory/l2.h"

#include <string.h>

#include "heddle/config.h"
#include "runtime/memory/l2_lines.h"

/* Keeps large MSHR files times large merge limits affordable. */
enum { MAX_WAITERS = 8192 };

void hd_l2_init(struct hd_l2_slice *slice, uint32_t index, const struct hd_config *config,
		const struct hd_address_map *map, struct hd_packet_pool *low, struct hd_counters *counters,
		struct hd_arena *arena)
{
	*slice = (struct hd_l2_slice){.index = index, .map = map, .grids = counters, .counters = counters};
	slice->pool = low;
	slice->channel = index / map->slices_per_channel;
	slice->clock = hd_clock_of(config->core_mhz, config->l2_mhz);
	slice->mshrs = (uint32_t)config->l2_mshrs;
	slice->merges = (uint32_t)config->l2_mshr_merges;
	slice->latency = (uint32_t)config->l2_latency;
	slice->flits = hd_flits_of(config);
	slice->sector_bytes = (uint32_t)config->sector;
	uint32_t sets = (uint32_t)(config->l2_slice_bytes / (config->l2_line * config->l2_ways));
	hd_tags_init(&slice->tags, sets ? sets : 1, (uint32_t)config->l2_ways, arena);
	slice->owners = HD_ARENA_NEW(arena, uint32_t, (sets ? sets : 1) * config->l2_ways);
	slice->dirty = HD_ARENA_NEW(arena, uint16_t, sets ? sets : 1);
	slice->dirty_ways = (uint32_t)(config->l2_dirty_ways ? config->l2_dirty_ways : config->l2_ways);
	slice->line_sectors = (uint32_t)(config->l2_line / config->sector);
	slice->fetch_sectors = config->l2_fetch > config->sector ? (uint32_t)(config->l2_fetch / config->sector) : 1;
	slice->partial_busy = (uint32_t)config->l2_partial_busy;
	slice->keeps_parts = config->l2_partial_writes == HD_PARTIAL_KEPT;
	hd_packets_init(&slice->in, (uint32_t)config->l2_queue, arena);
	/* What the pipeline holds, and all that one fill may answer. */
	hd_packets_init(&slice->out, slice->latency + 8 * slice->merges + (uint32_t)config->l2_queue, arena);
	hd_packets_init(&slice->low_out, slice->out.capacity, arena);
	hd_packets_narrow(&slice->out);
	hd_packets_narrow(&slice->low_out);
	uint32_t fills = hd_power_above(slice->mshrs + 8);
	slice->fills = HD_ARENA_NEW(arena, struct hd_dram_fill, fills);
	slice->fill_mask = fills - 1;
	uint32_t waiters = slice->mshrs * slice->merges < MAX_WAITERS ? slice->mshrs * slice->merges : MAX_WAITERS;
	slice->waiters = HD_ARENA_NEW_SPARSE(arena, struct hd_l2_waiter, waiters);
	hd_pool_init(&slice->waiter_pool, waiters);
}

/* ---- answers */

/* Where the reply to a request goes. */
static struct hd_packets *out_of(struct hd_l2_slice *slice, const struct hd_packet *packet)
{
	return packet->flags & HD_PACKET_LOW ? &slice->low_out : &slice->out;
}

static inline void answer(struct hd_l2_slice *slice, const struct hd_packet *reply, uint64_t served)
{
	struct hd_packet *place = hd_packets_add_wide(out_of(slice, reply));
	*place = *reply;
	place->ready = served + slice->latency;
}

/* The same with the reply to a request. */
static inline void answer_to(struct hd_l2_slice *slice, const struct hd_packet *request, uint64_t served)
{
	struct hd_packet reply = hd_l2_reply_to(slice, request);
	answer(slice, &reply, served);
}

/* ---- misses */

static bool can_merge(const struct hd_l2_slice *slice, const struct hd_tag *tag, uint8_t sectors)
{
	for (uint32_t left = sectors; left; left &= left - 1) {
		uint32_t count = 0;
		for (uint32_t i = tag->waiters; i != HD_NONE; i = slice->waiters[i].next)
			count += (slice->waiters[i].sectors & left & -left) != 0;
		if (count >= slice->merges)
			return false;
	}
	return true;
}

static bool have_mshrs(const struct hd_l2_slice *slice, uint8_t sectors)
{
	/* A line of more sectors than there are MSHRs goes alone. */
	return !slice->mshrs_used || slice->mshrs_used + hd_sector_count(sectors) <= slice->mshrs;
}

static void wait_for(struct hd_l2_slice *slice, struct hd_tag *tag, const struct hd_packet *request, uint8_t sectors)
{
	uint32_t index = HD_POOL_TAKE(&slice->waiter_pool, slice->waiters), *link = &tag->waiters;
	struct hd_l2_waiter *waiter = &slice->waiters[index];
	waiter->reply = *request;
	hd_l2_turn(slice, &waiter->reply);
	waiter->reply.flags |= HD_PACKET_MISSED;
	waiter->next = HD_NONE;
	waiter->sectors = sectors;
	waiter->service = hd_l2_is_atomic(request) ? request->service : 0;
	while (*link != HD_NONE)
		link = &slice->waiters[*link].next;
	*link = index;
}

/* Whether the line's sectors `fetch` can be asked for: a way (in *victim when the line is not there), MSHRs, room in
 * the channel for them and for a dirty victim. */
static inline __attribute__((always_inline)) bool can_fetch(const struct hd_l2_slice *slice, uint64_t line,
							    uint32_t index, uint8_t fetch, const struct hd_dram *dram,
							    uint32_t *victim)
{
	if (fetch && (!have_mshrs(slice, fetch) || !hd_dram_room(dram, HD_DRAM_READ)))
		return false;
	if (index != HD_NONE)
		return true;
	*victim = hd_tags_victim(&slice->tags, line);
	return *victim != HD_NONE && (!slice->tags.tags[*victim].dirty || hd_dram_room(dram, HD_DRAM_WRITE));
}

static void fetch_sectors(struct hd_l2_slice *slice, uint64_t now, struct hd_tag *tag, uint8_t sectors,
			  struct hd_dram *dram)
{
	tag->pending |= sectors;
	slice->mshrs_used += hd_sector_count(sectors);
	(slice->serves_low ? hd_dram_push_low : hd_dram_push)(dram, now, HD_DRAM_READ, slice->index, tag->line, sectors,
							      (uint32_t)(tag - slice->tags.tags), slice->grid);
}

/* ---- service */

/* Writes and write-backs. Sectors that are not wholly written are fetched, if at all; nobody waits for them. */
static bool serve_write(struct hd_l2_slice *slice, uint64_t now, const struct hd_packet *request, struct hd_dram *dram)
{
	uint64_t line = hd_address_in_slice(slice->map, request->line);
	uint32_t index = hd_tags_find(&slice->tags, line), victim = HD_NONE;
	struct hd_tag *tag = index == HD_NONE ? NULL : &slice->tags.tags[index];
	uint8_t there = tag ? tag->valid | tag->pending : 0, hits = tag ? tag->valid & request->sectors : 0;
	uint8_t whole = slice->keeps_parts ? request->sectors & (uint8_t)~(tag ? tag->pending : 0) : request->full;
	uint8_t fetch = request->sectors & (uint8_t)~(whole | there);
	hd_l2_limit_dirty(slice, now, line, tag, dram);
	if (!can_fetch(slice, line, index, fetch, dram, &victim))
		return false;
	hd_l2_count(slice, request->sectors, hits);
	if (tag)
		hd_tags_touch(&slice->tags, index);
	else
		tag = hd_l2_allocate(slice, now, line, victim, dram);
	if (fetch)
		fetch_sectors(slice, now, tag, fetch, dram);
	tag->valid |= whole | request->full;
	hd_l2_make_dirty(slice, tag, request->sectors);
	if (request->kind == HD_PACKET_WRITE)
		answer_to(slice, request, now);
	return true;
}

/* Reads and atomics, which need their sectors. *cycles: of service. */
static bool serve_read(struct hd_l2_slice *slice, uint64_t now, const struct hd_packet *request, struct hd_dram *dram,
		       uint32_t *cycles)
{
	uint64_t line = hd_address_in_slice(slice->map, request->line);
	uint32_t index = hd_tags_find(&slice->tags, line), victim = HD_NONE;
	struct hd_tag *tag = index == HD_NONE ? NULL : &slice->tags.tags[index];
	uint8_t hits = tag ? tag->valid & request->sectors : 0, wait = request->sectors & (uint8_t)~hits;
	uint8_t merge = tag ? wait & tag->pending : 0, fetch = wait & (uint8_t)~merge;
	bool atomic = hd_l2_is_atomic(request);
	if (fetch && hd_l2_together(slice, request) > 1)
		fetch = hd_l2_widen(slice, request, fetch) & (uint8_t)~(tag ? tag->valid | tag->pending : 0);
	if (atomic)
		hd_l2_limit_dirty(slice, now, line, tag, dram);
	if (wait && (hd_pool_is_empty(&slice->waiter_pool) || (merge && !can_merge(slice, tag, merge)) ||
		     !can_fetch(slice, line, index, fetch, dram, &victim))) {
		slice->lacks_room = fetch && !atomic && !slice->serves_low && !hd_dram_room(dram, HD_DRAM_READ);
		return false;
	}
	hd_l2_count(slice, request->sectors, hits);
	if (tag)
		hd_tags_touch(&slice->tags, index);
	else
		tag = hd_l2_allocate(slice, now, line, victim, dram);
	if (atomic)
		hd_l2_make_dirty(slice, tag, request->sectors);
	if (fetch)
		fetch_sectors(slice, now, tag, fetch, dram);
	if (wait) {
		wait_for(slice, tag, request, wait);
		return true;
	}
	if (atomic && request->service > *cycles)
		*cycles = request->service;
	answer_to(slice, request, now + (atomic ? *cycles - 1 : 0));
	return true;
}

/* The head of the queue, or of that of low priority, in own cycle `cycle`. Returns whether it was served. */
static bool serve(struct hd_l2_slice *slice, bool low, uint64_t now, uint64_t cycle, struct hd_dram *dram)
{
	const struct hd_packet *request = low ? &slice->pool->packets[slice->low.first] : hd_packets_front(&slice->in);
	uint32_t cycles = hd_l2_cycles(slice, request);
	bool write = hd_l2_is_write(request);
	slice->grid = request->grid;
	slice->serves_low = low;
	slice->counters = &slice->grids[request->grid];
	if (!hd_packets_room(out_of(slice, request)) ||
	    !(write ? serve_write(slice, now, request, dram) : serve_read(slice, now, request, dram, &cycles)))
		return false;
	slice->busy = cycle + cycles;
	if (low) {
		hd_packet_list_pop(&slice->low, slice->pool);
	} else {
		hd_packets_pop(&slice->in);
		slice->lacks_room = false;
	}
	return true;
}

/* ---- fills */

/* Answers those who now have all their sectors. */
static void wake_waiters(struct hd_l2_slice *slice, uint64_t now, struct hd_tag *tag, uint8_t sectors)
{
	uint32_t *link = &tag->waiters;
	while (*link != HD_NONE) {
		uint32_t index = *link;
		struct hd_l2_waiter *waiter = &slice->waiters[index];
		waiter->sectors &= (uint8_t)~sectors;
		if (waiter->sectors) {
			link = &waiter->next;
			continue;
		}
		if (waiter->service)
			slice->busy = hd_later(slice->busy, hd_clock_at(&slice->clock, now)) + waiter->service;
		answer(slice, &waiter->reply, now + waiter->service);
		*link = waiter->next;
		HD_POOL_GIVE(&slice->waiter_pool, slice->waiters, index);
	}
}

static bool take_fill(struct hd_l2_slice *slice, uint64_t now)
{
	const struct hd_dram_fill *fill = &slice->fills[slice->fill_head & slice->fill_mask];
	struct hd_tag *tag = &slice->tags.tags[fill->tag];
	uint32_t waiting = 0, low = 0;
	for (uint32_t i = tag->waiters; i != HD_NONE; i = slice->waiters[i].next)
		*(slice->waiters[i].reply.flags & HD_PACKET_LOW ? &low : &waiting) += 1;
	if (hd_packets_room(&slice->out) < waiting || hd_packets_room(&slice->low_out) < low)
		return false;
	tag->pending &= (uint8_t)~fill->sectors;
	tag->valid |= fill->sectors;
	slice->mshrs_used -= hd_sector_count(fill->sectors);
	wake_waiters(slice, now, tag, fill->sectors);
	slice->fill_head++;
	slice->stalled = slice->low_stalled = slice->lacks_room = false;
	return true;
}

/* Those that are due, as far as there is room for answers. Returns when the next one is due; one that waits for room
 * is looked at in each tick. */
static uint64_t take_fills(struct hd_l2_slice *slice, uint64_t now)
{
	while (slice->fill_head != slice->fill_tail) {
		uint64_t ready = slice->fills[slice->fill_head & slice->fill_mask].ready;
		if (ready > now)
			return ready;
		if (!take_fill(slice, now))
			return HD_NEVER;
	}
	return HD_NEVER;
}

/* ---- a cycle */

/* Sends replies of low priority that are ready, as far as there is room. Returns the cycle of the next one, or of more
 * room. */
static uint64_t send_low(struct hd_l2_slice *slice, uint64_t now, struct hd_crossbar *down)
{
	for (const struct hd_packet *reply; (reply = hd_packets_front(&slice->low_out));) {
		if (reply->ready > now)
			return reply->ready;
		if (!hd_crossbar_low_room(down, slice->index, reply->flits, now))
			return hd_crossbar_room_at(down, slice->index);
		hd_crossbar_push(down, slice->index, reply, now);
		hd_packets_pop(&slice->low_out);
		slice->stalled = slice->low_stalled = false;
	}
	return HD_NEVER;
}

/* As above: the others. */
static inline uint64_t send_ordinary(struct hd_l2_slice *slice, uint64_t now, struct hd_crossbar *down)
{
	struct hd_packets *queue = &slice->out;
	while (queue->head != queue->tail) {
		const struct hd_packet *reply = hd_packets_head(queue);
		if (reply->ready > now)
			return reply->ready;
		if (!hd_crossbar_room(down, slice->index, reply->flits, now))
			return hd_crossbar_room_at(down, slice->index);
		hd_crossbar_push(down, slice->index, reply, now);
		hd_packets_pop(queue);
		slice->stalled = slice->low_stalled = false;
	}
	return HD_NEVER;
}

/* Those of low priority only when no other one waits. */
static uint64_t send_both(struct hd_l2_slice *slice, uint64_t now, struct hd_crossbar *down)
{
	uint64_t next = send_ordinary(slice, now, down);
	const struct hd_packet *low = hd_packets_front(&slice->low_out), *other;
	if (low->ready > now)
		return hd_earlier(next, low->ready);
	other = hd_packets_front(&slice->out);
	if (other && other->ready <= now)
		return hd_earlier(next, hd_crossbar_room_at(down, slice->index));
	return hd_earlier(next, send_low(slice, now, down));
}

static inline uint64_t send_replies(struct hd_l2_slice *slice, uint64_t now, struct hd_crossbar *down)
{
	return __builtin_expect(slice->low_out.head != slice->low_out.tail, 0) ? send_both(slice, now, down)
									       : send_ordinary(slice, now, down);
}

/* Whether the head of a queue can be served, and which: that of low priority when the other one is empty. */
static inline bool has_next(const struct hd_l2_slice *slice, bool *low)
{
	*low = slice->in.head == slice->in.tail;
	return !*low ? !slice->stalled : __builtin_expect(slice->low.first != 0, 0) && !slice->low_stalled;
}

/* Those that have come. Returns the cycle of the next one; HD_NEVER: it waits for room in its queue, or there is none.
 */
static uint64_t take_requests(struct hd_l2_slice *slice, uint64_t now, struct hd_crossbar *up)
{
	for (;;) {
		const struct hd_packet *request = hd_crossbar_front(up, slice->index, now);
		bool low = request && hd_packet_is_low(request);
		if (!request || (!low && !hd_packets_room(&slice->in)))
			return HD_NEVER;
		if (request->ready > now)
			return request->ready;
		if (low)
			hd_packet_list_push(&slice->low, slice->pool, request);
		else
			hd_packets_push(&slice->in, request);
		hd_crossbar_pop(up, slice->index, now);
	}
}

/* What waits, in the own cycles that end with core cycle `now`. */
static void serve_queues(struct hd_l2_slice *slice, uint64_t now, uint64_t *coming, struct hd_crossbar *up,
			 struct hd_dram *dram)
{
	uint64_t last = hd_clock_at(&slice->clock, now);
	if (slice->busy > last)
		return;
	uint64_t before = now ? hd_clock_at(&slice->clock, now - 1) : 0;
	for (bool low; has_next(slice, &low);) {
		uint64_t cycle = hd_later(slice->busy, before + 1);
		if (cycle > last)
			break;
		/* One that lacked room in the channel is not looked up again before there is some. */
		bool lacks = slice->lacks_room && !low && !hd_dram_room(dram, HD_DRAM_READ);
		bool stalls = lacks || !serve(slice, low, now, cycle, dram);
		*(low ? &slice->low_stalled : &slice->stalled) = stalls;
		dram->awaited |= stalls;
		if (*coming == HD_NEVER && hd_crossbar_front(up, slice->index, now))
			*coming = take_requests(slice, now, up);
	}
}

/* When the first of the replies may leave. */
static uint64_t departure(const struct hd_l2_slice *slice, const struct hd_packets *out, uint64_t now,
			  const struct hd_crossbar *down)
{
	const struct hd_packet *reply = hd_packets_front(out);
	if (!reply)
		return HD_NEVER;
	return reply->ready > now ? reply->ready : hd_crossbar_room_at(down, slice->index);
}

uint64_t hd_l2_tick(struct hd_l2_slice *slice, uint64_t now, struct hd_crossbar *up, struct hd_crossbar *down,
		    struct hd_dram *dram)
{
	uint64_t leaving = send_replies(slice, now, down), next = HD_NEVER, coming = HD_NEVER;
	uint32_t answered = slice->out.tail + slice->low_out.tail;
	bool low;
	if (slice->fill_head != slice->fill_tail)
		next = take_fills(slice, now);
	if (hd_crossbar_front(up, slice->index, now))
		coming = take_requests(slice, now, up);
	if (has_next(slice, &low)) {
		serve_queues(slice, now, &coming, up, dram);
		if (has_next(slice, &low))
			next = hd_earlier(next, hd_clock_edge(&slice->clock, slice->busy));
	}
	if (slice->out.tail + slice->low_out.tail != answered)
		leaving = hd_earlier(departure(slice, &slice->out, now, down),
				     departure(slice, &slice->low_out, now, down));
	return hd_later(hd_earlier(next, hd_earlier(leaving, coming)), now + 1);
}

/* ---- the host's cache */

void hd_l2_prefetch(const struct hd_l2_slice *slice, const struct hd_crossbar *up)
{
	hd_tags_prefetch(&slice->tags, hd_address_in_slice(slice->map, hd_crossbar_back(up, slice->index)->line));
}

/* What it may serve in this cycle; NULL. */
static const struct hd_packet *coming_request(const struct hd_l2_slice *slice, const struct hd_crossbar *up,
					      uint64_t now)
{
	const struct hd_packet *request = hd_packets_front(&slice->in);
	if (!request)
		request = hd_port_head(&up->out[slice->index]);
	return request && request->ready <= now ? request : NULL;
}

void hd_l2_fetch_queues(const struct hd_l2_slice *slice, const struct hd_crossbar *up)
{
	const struct hd_port *port = &up->out[slice->index];
	__builtin_prefetch(&port->ring[port->head & port->mask]);
	__builtin_prefetch(&slice->in.ring[slice->in.head & slice->in.mask]);
	__builtin_prefetch(&slice->out.ring[slice->out.head & slice->out.mask]);
}

void hd_l2_fetch_set(const struct hd_l2_slice *slice, const struct hd_crossbar *up, uint64_t now)
{
	const struct hd_packet *request = coming_request(slice, up, now);
	if (request)
		hd_tags_fetch_set(&slice->tags, hd_address_in_slice(slice->map, request->line));
}

void hd_l2_fetch_tag(const struct hd_l2_slice *slice, const struct hd_crossbar *up, uint64_t now)
{
	const struct hd_packet *request = coming_request(slice, up, now);
	if (request)
		hd_tags_fetch_tag(&slice->tags, hd_address_in_slice(slice->map, request->line));
}

/* ---- state */

void hd_l2_forget(struct hd_l2_slice *slice)
{
	hd_tags_flush(&slice->tags);
	memset(slice->dirty, 0, slice->tags.set_count * sizeof *slice->dirty);
}

bool hd_l2_idle(const struct hd_l2_slice *slice)
{
	return !hd_packets_count(&slice->in) && !slice->low.first && !hd_packets_count(&slice->out) &&
	       !hd_packets_count(&slice->low_out) && !slice->mshrs_used;
}

void hd_l2_dump(const struct hd_l2_slice *slice, FILE *out)
{
	if (hd_l2_idle(slice))
		return;
	const struct hd_packet *head = hd_packets_front(&slice->in);
	uint32_t low = 0;
	for (uint32_t i = slice->low.first; i; i = slice->pool->next[i])
		low++;
	fprintf(out, "l2 slice %u: %u requests, %u replies, %u of %u MSHRs, %u fills, busy to %llu%s\n", slice->index,
		hd_packets_count(&slice->in) + low, hd_packets_count(&slice->out) + hd_packets_count(&slice->low_out),
		slice->mshrs_used, slice->mshrs, slice->fill_tail - slice->fill_head, (unsigned long long)slice->busy,
		slice->stalled ? ", stalled" : "");
	if (head)
		fprintf(out, "  head: kind %u line %#llx sectors %#x from SM %u\n", head->kind,
			(unsigned long long)head->line, head->sectors, head->sm);
}
