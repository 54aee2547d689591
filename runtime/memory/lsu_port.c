/*
 * The load/store unit's port to the crossbars: replies come in, one a cycle, and packets that wait in the miss queues
 * of the grids (l1.c) go out as long as the crossbar's input has room, those of each grid in their order, grids in
 * turns. A policy may choose among the first ones that are ready, or let none go in this cycle.
 *
 * Needs the L1 and the crossbars. Cost: O(grids with packets that wait) a packet.
 */
#include "runtime/memory/lsu.h"

bool hd_lsu_take_reply(struct hd_lsu *lsu, uint64_t now)
{
	struct hd_crossbar *down = &lsu->memory->down;
	const struct hd_packet *reply = hd_crossbar_front(down, lsu->sm);
	uint32_t ticket;
	if (!reply || reply->ready > now || lsu->next_reply > now) {
		if (reply)
			hd_l1_prefetch(&lsu->l1, reply);
		return false;
	}
	ticket = hd_l1_reply(&lsu->l1, reply);
	if (ticket != HD_NONE)
		hd_lsu_access_done(lsu, ticket, now);
	while (hd_l1_finished(&lsu->l1, &ticket))
		hd_lsu_access_done(lsu, ticket, now);
	if (__builtin_expect(lsu->watch.reply != NULL, 0))
		lsu->watch.reply(lsu->watch.context, reply, now);
	hd_crossbar_pop(down, lsu->sm, now);
	lsu->next_reply = now + 1;
	return true;
}

/* ---- packets go out */

/* Grids whose first packet is ready, a bit each. */
static uint32_t ready_grids(const struct hd_lsu *lsu, uint64_t now)
{
	uint32_t ready = 0;
	for (uint32_t left = lsu->l1.waiting; left; left &= left - 1) {
		const struct hd_packet *front = hd_packets_front(&lsu->l1.out[__builtin_ctz(left)]);
		if (front->ready <= now)
			ready |= left & -left;
	}
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

static void send(struct hd_lsu *lsu, uint32_t grid, uint64_t now)
{
	struct hd_packet packet = *hd_packets_front(&lsu->l1.out[grid]);
	packet.slice = (uint16_t)hd_address_slice(&lsu->memory->map, packet.line);
	hd_packet_stamp(&packet, now);
	hd_crossbar_push(&lsu->memory->up, lsu->sm, &packet, now);
	hd_l1_sent(&lsu->l1, grid);
	lsu->turn = (grid + 1) % HD_MEM_GRIDS;
}

bool hd_lsu_send_packets(struct hd_lsu *lsu, uint64_t now)
{
	bool sent = false;
	lsu->refused = false;
	for (uint32_t ready; (ready = ready_grids(lsu, now)); sent = true) {
		uint32_t grid = next_in_turn(lsu, ready);
		uint8_t flits = hd_packets_front(&lsu->l1.out[grid])->flits;
		if (__builtin_expect(lsu->watch.send != NULL, 0))
			flits = most_flits(lsu, ready);
		if (!hd_crossbar_room(&lsu->memory->up, lsu->sm, flits, now))
			break;
		if (__builtin_expect(lsu->watch.send != NULL, 0) && (grid = ask_policy(lsu, ready, now)) == HD_NONE)
			break;
		send(lsu, grid, now);
	}
	return sent;
}

uint64_t hd_lsu_port_next(const struct hd_lsu *lsu, uint64_t now)
{
	const struct hd_packet *reply = hd_crossbar_front(&lsu->memory->down, lsu->sm);
	uint64_t next = lsu->refused ? now + 1 : HD_NEVER;
	if (reply)
		next = hd_min64(next, hd_max64(reply->ready, lsu->next_reply));
	for (uint32_t left = lsu->l1.waiting; left; left &= left - 1) {
		const struct hd_packet *packet = hd_packets_front(&lsu->l1.out[__builtin_ctz(left)]);
		next = hd_min64(next,
				packet->ready > now ? packet->ready : hd_crossbar_room_at(&lsu->memory->up, lsu->sm));
	}
	return next;
}
