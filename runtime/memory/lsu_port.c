/*
 * The load/store unit's port to the crossbars: replies come in, one a cycle, and packets that wait in the miss queues
 * of the grids (l1.c) go out as long as the crossbar's input has room, those of each grid in their order, grids in
 * turns. A policy may choose among the first ones that are ready, or let none go in this cycle.
 *
 * Needs the L1 and the crossbars. Cost: O(grids with packets that wait) a packet.
 */
#include "heddle/config.h"
#include "runtime/memory/lsu.h"

/* ---- lines of transfers */

void hd_lsu_init_lines(struct hd_lsu *lsu, const struct hd_config *config, struct hd_arena *arena)
{
	uint32_t slots = hd_power_above((uint32_t)config->transfer_lines);
	lsu->lines_most = (uint32_t)config->transfer_lines;
	for (uint32_t i = 0; i < 2; i++)
		hd_packets_init(&lsu->lines[i], lsu->lines_most, arena);
	lsu->lines_done = HD_ARENA_NEW(arena, uint32_t, slots);
	lsu->done_mask = slots - 1;
	lsu->flits = hd_flits_of(config);
	lsu->sector_bytes = (uint32_t)config->sector;
}

/* Those that are done and not taken yet count: nobody has looked at what they brought. */
bool hd_lsu_line_room(const struct hd_lsu *lsu)
{
	uint32_t mine = lsu->lines_under_way - lsu->bulk_under_way;
	return mine + (lsu->done_end - lsu->done_first) < lsu->lines_most;
}

void hd_lsu_send_line(struct hd_lsu *lsu, uint64_t ready, const struct hd_line *line)
{
	assert(hd_lsu_line_room(lsu) && line->sectors);
	uint32_t bytes = line->write ? hd_sector_count(line->sectors) * lsu->sector_bytes : 0;
	struct hd_packet packet = {.line = line->line, .ready = ready, .tag = line->tag, .sm = (uint16_t)lsu->sm};
	packet.kind = line->write ? HD_PACKET_WRITE : HD_PACKET_READ;
	packet.sectors = line->sectors;
	packet.full = line->write ? line->sectors : 0;
	packet.flits = hd_packet_flits(bytes, lsu->flits);
	packet.grid = line->grid;
	packet.flags = (uint8_t)(HD_PACKET_LINE | (line->low ? HD_PACKET_LOW : 0));
	hd_packets_push(&lsu->lines[line->low], &packet);
	lsu->lines_under_way++;
	lsu->pending[line->grid]++;
}

/* ---- of copies in bulk */

enum { BULK_QUEUE = 16 };

void hd_lsu_open_bulk(struct hd_lsu *lsu, uint32_t most, struct hd_arena *arena)
{
	uint32_t slots = hd_power_above(most);
	if (lsu->bulk_done)
		return;
	hd_packets_init(&lsu->lines[HD_LSU_BULK], BULK_QUEUE, arena);
	lsu->bulk_done = HD_ARENA_NEW(arena, uint32_t, slots);
	lsu->bulk_mask = slots - 1;
}

bool hd_lsu_bulk_room(const struct hd_lsu *lsu)
{
	return hd_packets_room(&lsu->lines[HD_LSU_BULK]);
}

bool hd_lsu_bulk_early(const struct hd_lsu *lsu)
{
	return hd_packets_room(&lsu->lines[HD_LSU_BULK]) > BULK_QUEUE / 2 && !lsu->l1.tlb.near.count;
}

uint64_t hd_lsu_send_bulk(struct hd_lsu *lsu, uint64_t ready, const struct hd_bulk_line *line)
{
	static const uint8_t kinds[] = {[HD_BULK_LINE_READ] = HD_PACKET_READ,
					[HD_BULK_LINE_WRITE] = HD_PACKET_WRITE,
					[HD_BULK_LINE_REDUCE] = HD_PACKET_REDUCTION,
					[HD_BULK_LINE_FILL] = HD_PACKET_FILL};
	static const uint8_t wide[] = {0, HD_PACKET_WIDE, HD_PACKET_WIDER, HD_PACKET_WIDER};
	bool data = line->what == HD_BULK_LINE_WRITE || line->what == HD_BULK_LINE_REDUCE;
	uint32_t sectors = hd_sector_count(line->sectors);
	struct hd_packet packet = {.line = line->line, .tag = line->tag, .sm = (uint16_t)lsu->sm};
	packet.ready = hd_l1_translate(&lsu->l1, line->line, ready, &lsu->grids[line->grid]);
	packet.kind = kinds[line->what];
	packet.sectors = line->sectors;
	packet.full = line->what == HD_BULK_LINE_WRITE ? line->full : 0;
	packet.service = line->what == HD_BULK_LINE_REDUCE ? (uint8_t)sectors : 0;
	packet.flits = hd_packet_flits(data ? sectors * lsu->sector_bytes : 0, lsu->flits);
	packet.grid = line->grid;
	packet.flags = HD_PACKET_LINE | HD_PACKET_BULK | wide[line->promotion];
	hd_packets_push(&lsu->lines[HD_LSU_BULK], &packet);
	lsu->lines_under_way++;
	lsu->bulk_under_way++;
	lsu->pending[line->grid]++;
	return packet.ready;
}

bool hd_lsu_has_bulk_done(const struct hd_lsu *lsu)
{
	return lsu->bulk_first != lsu->bulk_end;
}

bool hd_lsu_bulk_done(struct hd_lsu *lsu, uint32_t *tag)
{
	if (!hd_lsu_has_bulk_done(lsu))
		return false;
	*tag = lsu->bulk_done[lsu->bulk_first++ & lsu->bulk_mask];
	return true;
}

void hd_lsu_forget_bulk(struct hd_lsu *lsu)
{
	lsu->bulk_first = lsu->bulk_end;
}

/* ---- replies to lines */

static void line_done(struct hd_lsu *lsu, const struct hd_packet *reply)
{
	struct hd_counters *counters = &lsu->grids[reply->grid];
	if (reply->flags & HD_PACKET_BULK) {
		lsu->bulk_done[lsu->bulk_end++ & lsu->bulk_mask] = reply->tag;
		lsu->bulk_under_way--;
		lsu->lines_under_way--;
		lsu->pending[reply->grid]--;
		return;
	}
	counters->transfer_flits += reply->flits;
	if (reply->flags & HD_PACKET_MISSED)
		counters->transfer_misses += hd_sector_count(reply->sectors);
	lsu->lines_done[lsu->done_end++ & lsu->done_mask] = reply->tag;
	lsu->lines_under_way--;
	lsu->pending[reply->grid]--;
}

bool hd_lsu_has_lines_done(const struct hd_lsu *lsu)
{
	return lsu->done_first != lsu->done_end;
}

bool hd_lsu_line_done(struct hd_lsu *lsu, uint32_t *tag)
{
	if (!hd_lsu_has_lines_done(lsu))
		return false;
	*tag = lsu->lines_done[lsu->done_first++ & lsu->done_mask];
	return true;
}

/* ---- replies */

/* What L2's unit takes beside a read of L2; it does not hold up other answers. */
static uint32_t more_for(const struct hd_lsu *lsu, uint32_t ticket)
{
	return lsu->inflight[ticket].kind == HD_MEM_ATOMIC ? lsu->atomic_latency : 0;
}

static void count_reply(struct hd_lsu *lsu, const struct hd_packet *reply, uint64_t now)
{
	struct hd_counters *counters = &lsu->grids[reply->grid];
	bool missed = reply->flags & HD_PACKET_MISSED;
	if (reply->kind != HD_PACKET_DATA)
		return;
	++*(missed ? &counters->l2_miss_replies : &counters->l2_hit_replies);
	*(missed ? &counters->l2_miss_latency : &counters->l2_hit_latency) += hd_packet_age(reply, now);
}

bool hd_lsu_take_reply(struct hd_lsu *lsu, const struct hd_packet *reply, uint64_t now)
{
	struct hd_crossbar *down = &lsu->memory->down;
	uint32_t ticket;
	if (reply->ready > now || lsu->next_reply > now) {
		hd_l1_prefetch(&lsu->l1, reply);
		return false;
	}
	if (__builtin_expect(reply->flags & HD_PACKET_LINE, 0)) {
		line_done(lsu, reply);
	} else {
		count_reply(lsu, reply, now);
		ticket = hd_l1_reply(&lsu->l1, reply);
		if (ticket != HD_NONE)
			hd_lsu_access_done(lsu, ticket, now);
		while (hd_l1_finished(&lsu->l1, &ticket))
			hd_lsu_access_done(lsu, ticket, now + more_for(lsu, ticket));
	}
	if (__builtin_expect(lsu->watch.reply != NULL, 0))
		lsu->watch.reply(lsu->watch.context, reply, now);
	hd_crossbar_pop(down, lsu->sm, now);
	lsu->next_reply = now + 1;
	return true;
}

/* ---- packets go out */

static bool has_ready(const struct hd_packets *queue, uint64_t now)
{
	const struct hd_packet *front = hd_packets_front(queue);
	return front && front->ready <= now;
}

/* Grids whose first packet is ready, a bit each. */
static uint32_t ready_grids(const struct hd_lsu *lsu, uint64_t now)
{
	uint32_t ready = 0;
	for (uint32_t left = lsu->l1.waiting; left; left &= left - 1)
		if (has_ready(&lsu->l1.out[__builtin_ctz(left)], now))
			ready |= left & -left;
	return ready;
}

/* The first of them at or after the one whose turn it is, cyclically. */
static uint32_t next_in_turn(const struct hd_lsu *lsu, uint32_t grids)
{
	uint32_t after = grids & UINT32_MAX << lsu->turn;
	return (uint32_t)__builtin_ctz(after ? after : grids);
}

/* The one that the policy wants, HD_NONE: none now. It sees them in their turns. */
static uint32_t ask_policy(struct hd_lsu *lsu, uint32_t grids, uint64_t now)
{
	const struct hd_packet *heads[HD_MEM_GRIDS];
	uint32_t count = 0, order[HD_MEM_GRIDS];
	for (uint32_t i = 0; i < HD_MEM_GRIDS; i++) {
		uint32_t grid = (lsu->turn + i) % HD_MEM_GRIDS;
		if (!(grids >> grid & 1))
			continue;
		heads[count] = hd_packets_front(&lsu->l1.out[grid]);
		order[count++] = grid;
	}
	uint32_t chosen = lsu->watch.send(lsu->watch.context, heads, count, now);
	assert(chosen == HD_NONE || chosen < count);
	lsu->refused = chosen == HD_NONE;
	return chosen == HD_NONE ? HD_NONE : order[chosen];
}

static uint8_t most_flits(const struct hd_lsu *lsu, uint32_t grids)
{
	uint8_t most = 0;
	for (; grids; grids &= grids - 1) {
		uint8_t flits = hd_packets_front(&lsu->l1.out[__builtin_ctz(grids)])->flits;
		most = flits > most ? flits : most;
	}
	return most;
}

static void send(struct hd_lsu *lsu, struct hd_packet *front, uint64_t now)
{
	front->slice = (uint16_t)hd_address_slice(&lsu->memory->map, front->line);
	hd_packet_stamp(front, now);
	hd_crossbar_push(&lsu->memory->up, lsu->sm, front, now);
}

static bool send_line(struct hd_lsu *lsu, uint32_t which, uint64_t now)
{
	struct hd_packet *front = hd_packets_head(&lsu->lines[which]);
	struct hd_crossbar *up = &lsu->memory->up;
	if (!(which == HD_LSU_LOW ? hd_crossbar_low_room : hd_crossbar_room)(up, lsu->sm, front->flits, now))
		return false;
	if (which != HD_LSU_BULK)
		lsu->grids[front->grid].transfer_flits += front->flits;
	send(lsu, front, now);
	hd_packets_pop(&lsu->lines[which]);
	lsu->line_next = false;
	return true;
}

/* A packet of one of these grids. */
static bool send_request(struct hd_lsu *lsu, uint32_t ready, uint64_t now)
{
	uint32_t grid = next_in_turn(lsu, ready);
	uint8_t flits = hd_packets_front(&lsu->l1.out[grid])->flits;
	if (__builtin_expect(lsu->watch.send != NULL, 0))
		flits = most_flits(lsu, ready);
	if (!hd_crossbar_room(&lsu->memory->up, lsu->sm, flits, now))
		return false;
	if (__builtin_expect(lsu->watch.send != NULL, 0) && (grid = ask_policy(lsu, ready, now)) == HD_NONE)
		return false;
	send(lsu, hd_packets_head(&lsu->l1.out[grid]), now);
	hd_l1_sent(&lsu->l1, grid);
	lsu->turn = (grid + 1) % HD_MEM_GRIDS;
	lsu->line_next = true;
	return true;
}

/* Requests of the program and lines by turns, transfers before copies in bulk; lines of low priority when there is
 * neither. */
static bool send_one(struct hd_lsu *lsu, uint64_t now)
{
	uint32_t ready = lsu->refused ? 0 : ready_grids(lsu, now);
	bool lines = __builtin_expect(lsu->lines_under_way != 0, 0), moved = lines && has_ready(&lsu->lines[0], now),
	     line = moved || (lsu->bulk_under_way && has_ready(&lsu->lines[HD_LSU_BULK], now));
	if (ready && !(line && lsu->line_next))
		return send_request(lsu, ready, now) || (lsu->refused && send_one(lsu, now));
	if (line)
		return send_line(lsu, moved ? HD_LSU_ORDINARY : HD_LSU_BULK, now);
	return lines && has_ready(&lsu->lines[HD_LSU_LOW], now) && send_line(lsu, HD_LSU_LOW, now);
}

/* Those of the only grid that has some, where nobody chooses among them. */
static bool send_plainly(struct hd_lsu *lsu, uint64_t now)
{
	uint32_t grid = (uint32_t)__builtin_ctz(lsu->l1.waiting);
	struct hd_packets *queue = &lsu->l1.out[grid];
	struct hd_packet *front = hd_packets_head(queue);
	if (front->ready > now || !hd_crossbar_room(&lsu->memory->up, lsu->sm, front->flits, now))
		return false;
	do {
		send(lsu, front, now);
		hd_packets_pop(queue);
		front = hd_packets_head(queue);
	} while (hd_packets_count(queue) && front->ready <= now &&
		 hd_crossbar_room(&lsu->memory->up, lsu->sm, front->flits, now));
	if (!hd_packets_count(queue))
		lsu->l1.waiting = 0;
	lsu->turn = (grid + 1) % HD_MEM_GRIDS;
	lsu->line_next = true;
	return true;
}

bool hd_lsu_send_packets(struct hd_lsu *lsu, uint64_t now)
{
	bool sent = false;
	if (__builtin_expect(!lsu->lines_under_way && !(lsu->l1.waiting & (lsu->l1.waiting - 1)) && !lsu->watch.send,
			     1))
		return send_plainly(lsu, now);
	while (send_one(lsu, now))
		sent = true;
	return sent;
}

uint64_t hd_lsu_departure_of_all(const struct hd_lsu *lsu, uint64_t now)
{
	uint64_t next = lsu->refused ? now + 1 : HD_NEVER;
	for (uint32_t left = lsu->l1.waiting; left; left &= left - 1)
		next = hd_earlier(next, hd_lsu_departure_from(lsu, &lsu->l1.out[__builtin_ctz(left)], now));
	for (uint32_t i = 0; lsu->lines_under_way && i < HD_LSU_LINES; i++)
		next = hd_earlier(next, hd_lsu_departure_from(lsu, &lsu->lines[i], now));
	return next;
}
