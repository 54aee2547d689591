/*
 * The memory system with memory = reserved: no unit looks at its queues in each cycle. When a packet comes to the head
 * of its SM's queue (with icnt_inputs = by_output: to the queue), the crossbar's ports are reserved for it from the
 * first cycle in which both are free and its slice has room; the slice and its DRAM channel settle at once when its
 * answer may leave (l2_reserved.c, dram_reserved.c), and the ports of the way back are reserved from then on. Nothing
 * that was settled changes afterwards.
 *
 * Load/store units see what they see in the exact mode: ports with room that comes back a traversal after a packet
 * has left, and answers from a traversal after their grant on. So windows, host threads and cycles without work are as
 * there.
 *
 * What is lost: arbitration among packets that wait (the first to come is first served, with later ones in the gaps),
 * room for answers in front of the way back, and priorities; those of low priority are served like others.
 *
 * Needs the ports of both crossbars. Cost: a look at the input and an event for each packet, another
 * event for one that waits for its ports.
 */
#include "runtime/memory/reserved.h"

#include "heddle/config.h"
#include "runtime/memory/crossbar_wheel.h"
#include "runtime/memory/dram_reserved.h"
#include "runtime/memory/l2_reserved.h"
#include "runtime/memory/slots.h"
#include "runtime/memory/system.h"
#include "runtime/memory/wheel.h"

/* What is due: the room of a packet that waited for its slice comes back to its SM; an answer leaves its slice; a line
 * that nobody waits for is there, or writes of a channel may go. */
enum what { ROOM, LEAVES, QUIET, WRITES };

enum { PER_SLICE = 1024 /* packets under way in the memory, for each slice; more wait in the SMs' queues */ };

enum { TOGETHER = 8 /* packets of an SM whose outputs take turns */ };

/* Own cycles until an input looks again, at most, so that the crossbar's wheel has room for what ports are used ahead.
 */
enum { FURTHEST = HD_CROSSBAR_WHEEL / 2 };
static_assert(FURTHEST + HD_CROSSBAR_AHEAD < HD_CROSSBAR_WHEEL, "the wheel reaches");

struct hd_reserved {
	struct hd_wheel wheel;
	/* Of own cycles of the crossbars: up from SMs to slices, down from slices to SMs. */
	struct hd_slots *up_out, *down_in, *down_out; /* up_out: with single input queues */
	uint64_t *sends_until; /* of each SM: own cycle; the next of its packets waits for that */
	bool *writes_due;      /* of each channel: WRITES are in the wheel */
	bool by_output;
};

static struct hd_slots *new_slots(uint32_t count, struct hd_arena *arena)
{
	return HD_ARENA_NEW(arena, struct hd_slots, count);
}

struct hd_reserved *hd_reserved_new(struct hd_memory *memory, const struct hd_config *config, struct hd_arena *arena)
{
	struct hd_reserved *reserved = HD_ARENA_NEW(arena, struct hd_reserved, 1);
	uint32_t sms = memory->sm_count, slices = memory->slice_count;
	hd_wheel_init(&reserved->wheel, slices * PER_SLICE + memory->channel_count, arena);
	reserved->by_output = config->icnt_inputs == HD_ICNT_INPUTS_BY_OUTPUT;
	reserved->up_out = reserved->by_output ? NULL : new_slots(slices, arena);
	reserved->down_in = new_slots(slices, arena);
	reserved->down_out = new_slots(sms, arena);
	reserved->sends_until = HD_ARENA_NEW(arena, uint64_t, sms);
	reserved->writes_due = HD_ARENA_NEW(arena, bool, memory->channel_count);
	for (uint32_t i = 0; i < slices; i++)
		memory->slices[i].reserved =
			hd_l2_reserved_new(&memory->slices[i], (uint32_t)(config->l2_line / config->sector),
					   (uint32_t)config->l2_queue, memory->up.out[i].capacity, arena);
	return reserved;
}

/* The first own cycles, from `from` on, in which a port is free for a packet's flits; returns the last of them. */
static inline __attribute__((always_inline)) uint64_t take_flits(struct hd_slots *port, uint32_t flits, uint64_t now,
								 uint64_t from)
{
	hd_slots_move(port, now);
	return hd_slots_fill(port, flits, from);
}

static void count_flits(const struct hd_crossbar *x, const struct hd_packet *packet)
{
	x->flits[packet->grid * (sizeof(struct hd_counters) / sizeof(uint64_t))] += packet->flits;
}

/* When the last flit of a packet that was granted in an own cycle is there. */
static uint64_t arrival_of(const struct hd_crossbar *x, uint64_t cycle, uint32_t flits)
{
	return hd_clock_edge(&x->clock, cycle + x->latency + flits - 2);
}

/* ---- up */

/* The room of a packet that leaves in an own cycle comes back to its SM. */
static void give_room(struct hd_crossbar *up, const struct hd_packet *packet, uint64_t cycle)
{
	hd_port_release(&up->in[packet->sm], packet->flits, hd_packet_is_low(packet),
			hd_clock_edge(&up->clock, cycle + up->latency), up->senders_apart);
	up->freed[packet->sm / 64] |= UINT64_C(1) << packet->sm % 64;
}

/* Writes of a channel that wait for a time without reads. */
static void expect_writes(struct hd_memory *memory, uint32_t channel, uint64_t now)
{
	struct hd_reserved *reserved = memory->reserved;
	uint64_t due = hd_dram_reserved_due(&memory->channels[channel]);
	if (due == HD_NEVER || reserved->writes_due[channel])
		return;
	reserved->writes_due[channel] = true;
	/* Behind the command of a read that was still to come. */
	hd_wheel_add(&reserved->wheel, now, due, WRITES, &(struct hd_packet){.slice = (uint16_t)channel});
}

/* A request that has been served: when its answer goes back, or that it is done, stands in the wheel. */
static void settle(struct hd_memory *memory, uint32_t number, bool answered, uint64_t cycle, uint64_t now)
{
	struct hd_reserved *reserved = memory->reserved;
	struct hd_wheel_entry *entry = &reserved->wheel.entries[number];
	struct hd_packet *packet = &entry->packet;
	struct hd_crossbar *down = &memory->down;
	entry->what = answered ? LEAVES : QUIET;
	entry->cycle = packet->ready;
	if (answered) {
		uint64_t from = hd_clock_at(&down->clock, packet->ready) + 1;
		uint64_t last = hd_later(take_flits(&reserved->down_in[packet->slice], packet->flits, cycle, from),
					 take_flits(&reserved->down_out[packet->sm], packet->flits, cycle, from));
		count_flits(down, packet);
		entry->cycle = hd_clock_edge(&down->clock, last + 1 - packet->flits);
	}
	entry->cycle = hd_later(entry->cycle, now + 1);
	hd_wheel_put(&reserved->wheel, now, number);
}

/* The own cycle in which a packet of an SM goes: when its input is free, there is room from `from` on and, with single
 * input queues, its output is free. With a queue for each output none waits for another one's, and those that meet at a
 * slice do so in its queue. */
static uint64_t grant_up(struct hd_reserved *reserved, const struct hd_packet *packet, uint64_t cycle, uint64_t from)
{
	uint64_t *sends_until = &reserved->sends_until[packet->sm], granted = hd_later(cycle, *sends_until);
	if (reserved->by_output) {
		*sends_until = granted + packet->flits;
		return hd_later(granted, from);
	}
	struct hd_slots *out = &reserved->up_out[packet->slice];
	granted = take_flits(out, packet->flits, cycle, hd_later(granted, from)) + 1 - packet->flits;
	*sends_until = granted + packet->flits;
	return granted;
}

/* A packet of an SM, in an own cycle. */
static void send_up(struct hd_memory *memory, const struct hd_packet *sent, uint64_t cycle, uint64_t now)
{
	struct hd_reserved *reserved = memory->reserved;
	struct hd_crossbar *up = &memory->up;
	uint32_t number = hd_wheel_new(&reserved->wheel), slice = sent->slice, flits = sent->flits;
	uint32_t channel = memory->slices[slice].channel;
	struct hd_packet *packet = &reserved->wheel.entries[number].packet;
	*packet = *sent;
	uint64_t room = hd_l2_reserved_room(&memory->slices[slice], flits, now);
	uint64_t from = room > now ? hd_later(cycle, hd_clock_at(&up->clock, room - 1) + 1) : cycle;
	uint64_t granted = grant_up(reserved, packet, cycle, from);
	count_flits(up, packet);
	if (room > now && granted > cycle) /* packets behind it may go before it */
		hd_wheel_add(&reserved->wheel, now, hd_clock_edge(&up->clock, granted), ROOM, packet);
	else
		give_room(up, packet, granted);
	bool answered = hd_l2_reserved_serve(&memory->slices[slice], packet, arrival_of(up, granted, flits),
					     &memory->channels[channel]);
	settle(memory, number, answered, cycle, now);
	expect_writes(memory, channel, now);
}

/* With a queue for each output, of the first packets that have come that one goes first whose output has its turn first
 * in the own cycle in which the input is free, as the exact mode's outputs take turns. */
static void order(struct hd_port *port, uint32_t outputs, uint64_t cycle, uint64_t now)
{
	uint32_t turn = (uint32_t)(cycle % outputs), best = port->head, least = UINT32_MAX;
	for (uint32_t at = port->head; at != port->sent && at - port->head < TOGETHER; at++) {
		const struct hd_packet *packet = &port->ring[at & port->mask];
		if (packet->ready > now || hd_packet_is_low(packet))
			break;
		uint32_t wait = packet->slice - turn + (packet->slice < turn ? outputs : 0);
		if (wait < least) {
			best = at;
			least = wait;
		}
	}
	if (best == port->head)
		return;
	struct hd_packet first = port->ring[best & port->mask];
	port->ring[best & port->mask] = port->ring[port->head & port->mask];
	port->ring[port->head & port->mask] = first;
}

/* Packets of an SM that have come when its input is free. Returns the own cycle of the next look; 0: when something
 * comes. */
static uint64_t visit_input(struct hd_memory *memory, uint32_t sm, uint64_t cycle, uint64_t now)
{
	struct hd_reserved *reserved = memory->reserved;
	struct hd_port *port = &memory->up.in[sm];
	uint64_t *sends_until = &reserved->sends_until[sm];
	const struct hd_packet *packet;
	bool by_output = reserved->by_output;
	if (*sends_until > cycle)
		return *sends_until;
	while ((packet = hd_port_front(port, now))) {
		if (packet->ready > now || !hd_wheel_has_room(&reserved->wheel, 2))
			return hd_later(cycle + 1, *sends_until);
		if (!by_output && *sends_until > cycle)
			return *sends_until;
		if (by_output && port->sent - port->head > 1 && !hd_packet_is_low(packet)) {
			order(port, memory->up.outputs, hd_later(cycle, *sends_until), now);
			packet = hd_port_front(port, now);
		}
		if (hd_packet_is_low(packet))
			port->low_head++;
		else
			port->head++;
		memory->up.packets--;
		send_up(memory, packet, cycle, now);
	}
	return 0;
}

/* Inputs that have events in an own cycle, from the one whose turn it is on. */
static void visit_inputs(struct hd_memory *memory, uint64_t cycle)
{
	struct hd_crossbar *up = &memory->up;
	uint64_t slot = cycle % HD_CROSSBAR_WHEEL, now = hd_clock_edge(&up->clock, cycle);
	uint32_t first = (uint32_t)(cycle % up->inputs);
	up->cycle = cycle;
	up->occupied &= ~(UINT64_C(1) << slot);
	for (uint32_t i = 0; i <= up->in_words; i++) {
		uint32_t w = (first / 64 + i) % up->in_words;
		uint64_t before = (UINT64_C(1) << first % 64) - 1, mask = UINT64_MAX;
		if (i == 0 || i == up->in_words)
			mask = i ? before : ~before;
		uint64_t *bits = &up->wheel_in[slot * up->in_words + w], left = *bits & mask;
		for (*bits &= ~mask; left; left &= left - 1) {
			uint32_t sm = w * 64 + (uint32_t)__builtin_ctzll(left);
			uint64_t next = hd_earlier(visit_input(memory, sm, cycle, now), cycle + FURTHEST);
			up->armed[sm] = next != 0;
			if (next)
				hd_crossbar_schedule(up, up->wheel_in, up->in_words, sm, next);
		}
	}
}

static void up_cycles(struct hd_memory *memory, uint64_t now)
{
	struct hd_crossbar *up = &memory->up;
	uint64_t limit = hd_clock_at(&up->clock, now), event = 0;
	while (up->occupied && (event = hd_crossbar_next_event(up)) <= limit)
		visit_inputs(memory, event);
	up->next = up->occupied ? hd_clock_edge(&up->clock, event) : HD_NEVER;
}

/* ---- down */

/* To the SM's port. It takes one a cycle, so that there is room soon if there is none. */
static void leave(struct hd_memory *memory, uint32_t number, uint64_t now)
{
	struct hd_wheel *wheel = &memory->reserved->wheel;
	struct hd_wheel_entry *entry = &wheel->entries[number];
	const struct hd_packet *answer = &entry->packet;
	struct hd_crossbar *down = &memory->down;
	struct hd_port *port = &down->out[answer->sm];
	if (!hd_port_room(port, answer->flits, now)) {
		entry->cycle = now + 1;
		hd_wheel_put(wheel, now, number);
		return;
	}
	uint64_t cycle = hd_clock_at(&down->clock, now);
	hd_port_push(port, answer, arrival_of(down, cycle, answer->flits), down->receivers_apart);
	down->packets++;
	down->arrived[answer->sm / 64] |= UINT64_C(1) << answer->sm % 64;
	hd_wheel_give(wheel, number);
}

/* ---- a cycle */

static void write_waiting(struct hd_memory *memory, uint32_t channel, uint64_t now)
{
	memory->reserved->writes_due[channel] = false;
	hd_dram_reserved_tick(&memory->channels[channel], now);
	expect_writes(memory, channel, now);
}

static void do_due(struct hd_memory *memory, uint32_t number, uint64_t now)
{
	struct hd_wheel *wheel = &memory->reserved->wheel;
	const struct hd_wheel_entry *entry = &wheel->entries[number];
	uint32_t what = entry->what, channel = entry->packet.slice;
	if (what == LEAVES) {
		leave(memory, number, now);
		return;
	}
	if (what == ROOM)
		give_room(&memory->up, &entry->packet, hd_clock_at(&memory->up.clock, now));
	hd_wheel_give(wheel, number);
	if (what == WRITES)
		write_waiting(memory, channel, now);
}

void hd_reserved_step(struct hd_memory *memory, uint64_t now)
{
	for (uint32_t number; (number = hd_wheel_take(&memory->reserved->wheel, now));)
		do_due(memory, number, now);
	up_cycles(memory, now);
	memory->next = hd_reserved_next(memory, now);
}

uint64_t hd_reserved_next(const struct hd_memory *memory, uint64_t now)
{
	return hd_earlier(memory->up.next, hd_wheel_next(&memory->reserved->wheel, now));
}

void hd_reserved_dump(const struct hd_memory *memory, FILE *out)
{
	const struct hd_wheel *wheel = &memory->reserved->wheel;
	fprintf(out, "memory, reserved: %u of %u packets and rooms under way\n", wheel->taken, wheel->capacity);
	for (uint32_t i = 0; i < memory->slice_count; i++)
		hd_l2_reserved_dump(&memory->slices[i], memory->last, out);
	for (uint32_t i = 0; i < memory->channel_count; i++)
		hd_dram_reserved_dump(&memory->channels[i], i, out);
}
