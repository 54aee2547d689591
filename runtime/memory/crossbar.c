/*
 * Crossbar with input queueing: one FIFO an input, so a head that waits for a busy output holds up what is behind it,
 * which is what limits uniform traffic to 58.6 % of the ports' bandwidth for many ports (2 - sqrt 2). Each free output
 * takes, once a cycle, one of the heads that want it, round robin; the packet then holds input and output for one
 * cycle a flit. Queues are bounded in flits; a full output queue blocks its output.
 *
 * Needs a clock and a counter. Cost: events only. A wheel holds when inputs get a new head and outputs come free, so a
 * cycle costs its grants, not its ports, and idle cycles cost nothing.
 *
 * With a queue for each output at each input (virtual output queues, as iSLIP's: McKeown 1999) no packet waits for
 * another one's output: each free output takes, once a cycle and in turns, the first input that has a packet for it and
 * is not sending. The queues of an input share its room.
 *
 * Packets of low priority (HD_PACKET_LOW: transfers that yield to the program's accesses) are overtaken by the others
 * in each queue, inputs' and outputs', and an output takes one only if no input has another one for it; they have half
 * of a queue's room at most. One that is under way is not broken off. They wait as long as there are others: what must
 * not wait for ever is no transfer of low priority.
 *
 * Room that is taken back is seen a cycle later at outputs and a traversal later at inputs (credits travel), and a
 * packet pushed at `now` is seen from now + 1. So nothing depends on who ticks first in a cycle, and senders or
 * receivers whose cycles are less than that ahead can work at the same time as the crossbar: ends of a port belong to
 * one side each, which sees the other's as they were when the two met last.
 */
#include "runtime/memory/crossbar.h"
#include "runtime/memory/crossbar_wheel.h"

#include <string.h>

#include "heddle/stats.h"

enum { BLOCKED = 1, BLOCKED_LOW }; /* hd_crossbar.blocked */

/* ---- ports */

struct hd_packet *hd_port_front_of_two(struct hd_port *port, uint64_t now)
{
	struct hd_packet *packet;
	for (; (packet = hd_port_head(port)) && hd_packet_is_low(packet) && packet->ready <= now; port->head++)
		port->low[port->low_tail++ & port->mask] = *packet;
	if (port->low_head == port->low_tail || (packet && packet->ready <= now))
		return packet;
	return &port->low[port->low_head & port->mask];
}

/* ---- construction */

static void init_sorted(struct hd_crossbar *x, uint32_t in_flits, struct hd_arena *arena)
{
	x->sorted = HD_ARENA_NEW(arena, struct hd_sorted, x->inputs);
	for (uint32_t i = 0; i < x->inputs; i++)
		hd_sorted_init(&x->sorted[i], x->outputs, in_flits, arena);
}

void hd_crossbar_init(struct hd_crossbar *x, const struct hd_crossbar_shape *shape, struct hd_arena *arena)
{
	*x = (struct hd_crossbar){.name = shape->name, .clock = shape->clock, .inputs = shape->inputs};
	x->outputs = shape->outputs;
	x->by_slice = shape->by_slice;
	x->fetches = shape->fetches && shape->by_output;
	x->senders_apart = shape->senders_apart;
	x->receivers_apart = shape->receivers_apart;
	x->latency = shape->latency;
	x->flits = shape->flits;
	x->in_words = (x->inputs + 63) / 64;
	x->out_words = (x->outputs + 63) / 64;
	x->in = HD_ARENA_NEW(arena, struct hd_port, x->inputs);
	x->out = HD_ARENA_NEW(arena, struct hd_port, x->outputs);
	for (uint32_t i = 0; i < x->inputs; i++)
		hd_port_init(&x->in[i], shape->in_flits, arena);
	for (uint32_t o = 0; o < x->outputs; o++)
		hd_port_init(&x->out[o], shape->out_flits, arena);
	/* In whole words: collection reads eight ports at once. */
	x->posted = x->senders_apart ? HD_ARENA_NEW(arena, uint8_t, x->in_words * 64) : NULL;
	x->popped = x->receivers_apart ? HD_ARENA_NEW(arena, uint8_t, x->out_words * 64) : NULL;
	x->sends = HD_ARENA_NEW(arena, uint64_t, x->in_words);
	x->armed = HD_ARENA_NEW(arena, bool, x->inputs);
	x->starved = HD_ARENA_NEW(arena, bool, x->inputs);
	x->busy = HD_ARENA_NEW(arena, bool, x->outputs);
	x->blocked = HD_ARENA_NEW(arena, uint8_t, x->outputs);
	x->pointer = HD_ARENA_NEW(arena, uint32_t, x->outputs);
	x->request_count = HD_ARENA_NEW(arena, uint32_t, x->outputs);
	x->requests = HD_ARENA_NEW(arena, uint64_t, (size_t)x->outputs * x->in_words);
	x->low_requests = HD_ARENA_NEW(arena, uint64_t, (size_t)x->outputs * x->in_words);
	x->closed = HD_ARENA_NEW(arena, uint64_t, x->out_words);
	x->put_off = HD_ARENA_NEW(arena, uint64_t, x->out_words);
	x->asked = HD_ARENA_NEW(arena, uint32_t, x->inputs);
	for (uint32_t i = 0; i < x->inputs; i++)
		x->asked[i] = HD_NONE;
	x->sends_until = HD_ARENA_NEW(arena, uint64_t, x->inputs);
	x->ready = HD_ARENA_NEW(arena, uint64_t, x->out_words);
	x->listed = HD_ARENA_NEW(arena, uint16_t, x->inputs > x->outputs ? x->inputs : x->outputs);
	x->wheel_in = HD_ARENA_NEW(arena, uint64_t, (size_t)HD_CROSSBAR_WHEEL * x->in_words);
	x->wheel_out = HD_ARENA_NEW(arena, uint64_t, (size_t)HD_CROSSBAR_WHEEL * x->out_words);
	x->arrived = HD_ARENA_NEW(arena, uint64_t, x->out_words);
	x->freed = HD_ARENA_NEW(arena, uint64_t, x->in_words);
	if (shape->by_output)
		init_sorted(x, shape->in_flits, arena);
	x->next = HD_NEVER;
}

/* ---- the wheel */

/* From outside a tick: in the first cycle from core cycle `ready` on. */
static void schedule_from(struct hd_crossbar *x, uint64_t *wheel, uint32_t words, uint32_t port, uint64_t ready)
{
	uint64_t cycle = hd_clock_at(&x->clock, ready - 1) + 1;
	/* Ports are used for some cycles between two ticks, in any order. */
	if (!x->occupied && x->cycle + HD_CROSSBAR_WHEEL / 2 < cycle)
		x->cycle = cycle - HD_CROSSBAR_WHEEL / 2;
	hd_crossbar_schedule(x, wheel, words, port, cycle);
	x->next = hd_earlier(x->next, hd_clock_edge(&x->clock, cycle));
}

/* ---- senders and receivers */

bool hd_crossbar_low_room(struct hd_crossbar *x, uint32_t input, uint32_t flits, uint64_t now)
{
	return hd_crossbar_note_room(x, input, hd_port_low_room(&x->in[input], flits, now));
}

static void collect_posted(struct hd_crossbar *x, uint32_t input)
{
	struct hd_port *port = &x->in[input];
	port->sent = port->tail;
	if (x->armed[input] || !hd_port_head(port))
		return;
	x->armed[input] = true;
	schedule_from(x, x->wheel_in, x->in_words, input, hd_port_head(port)->ready);
}

/* A blocked output of which something was taken. */
static void await_room(struct hd_crossbar *x, uint32_t output)
{
	const struct hd_port *port = &x->out[output];
	x->blocked[output] = 0;
	x->busy[output] = true; /* until that event */
	schedule_from(x, x->wheel_out, x->out_words, output, port->ring[port->released & port->mask].ready);
}

static void collect_popped(struct hd_crossbar *x, uint32_t output)
{
	x->out[output].known = x->out[output].taken;
	if (x->blocked[output])
		await_room(x, output);
}

void hd_crossbar_see_posted(struct hd_crossbar *x, uint32_t input)
{
	x->packets++;
	collect_posted(x, input);
}

void hd_crossbar_see_popped(struct hd_crossbar *x, uint32_t output)
{
	x->packets--;
	collect_popped(x, output);
}

/* Finds the first flag that is set from that of *port on, a byte a port, 32 at once. */
static inline bool next_flag(const uint8_t *flags, uint32_t ports, uint32_t *port)
{
	uint64_t words[4];
	for (uint32_t first = *port & ~31u; first < ports; first += 32) {
		memcpy(words, flags + first, sizeof(words));
		if (!(words[0] | words[1] | words[2] | words[3]))
			continue;
		uint32_t i = 0;
		while (!words[i])
			i++;
		*port = first + 8 * i + (uint32_t)__builtin_ctzll(words[i]) / 8;
		return true;
	}
	return false;
}

void hd_crossbar_take_input(struct hd_crossbar *x, uint32_t input)
{
	if (!x->posted[input])
		return;
	x->posted[input] = 0;
	x->packets += x->in[input].tail - x->in[input].sent;
	collect_posted(x, input);
}

void hd_crossbar_take_output(struct hd_crossbar *x, uint32_t output)
{
	if (!x->popped[output])
		return;
	x->popped[output] = 0;
	x->packets -= x->out[output].taken - x->out[output].known;
	collect_popped(x, output);
}

void hd_crossbar_take(struct hd_crossbar *x)
{
	for (uint32_t i = 0; x->senders_apart && next_flag(x->posted, x->inputs, &i);)
		hd_crossbar_take_input(x, i);
	for (uint32_t o = 0; x->receivers_apart && next_flag(x->popped, x->outputs, &o);)
		hd_crossbar_take_output(x, o);
}

void hd_crossbar_give(struct hd_crossbar *x)
{
	for (uint32_t word = 0; x->senders_apart && word < x->in_words; word++)
		for (uint64_t left = x->freed[word]; left; left &= left - 1) {
			struct hd_port *port = &x->in[word * 64 + (uint32_t)__builtin_ctzll(left)];
			port->known = port->taken;
		}
	for (uint32_t word = 0; x->receivers_apart && word < x->out_words; word++)
		for (uint64_t left = x->arrived[word]; left; left &= left - 1) {
			struct hd_port *port = &x->out[word * 64 + (uint32_t)__builtin_ctzll(left)];
			port->sent = port->tail;
		}
}

uint64_t hd_crossbar_freed(struct hd_crossbar *x, uint32_t word)
{
	uint64_t starved = 0;
	for (uint64_t left = x->freed[word]; left; left &= left - 1)
		if (x->starved[word * 64 + (uint32_t)__builtin_ctzll(left)])
			starved |= left & -left;
	x->freed[word] = 0;
	return starved;
}

/* ---- a cycle */

/* Says of a request whether it is for a packet of low priority. */
static void set_low(struct hd_crossbar *x, uint32_t input, uint32_t output, bool low)
{
	uint64_t *word = &x->low_requests[(size_t)output * x->in_words + input / 64], bit = UINT64_C(1) << input % 64;
	if (!!(*word & bit) == low)
		return;
	*word ^= bit;
	x->low_count += low ? 1 : UINT32_MAX;
}

static void add_request(struct hd_crossbar *x, uint32_t input, uint32_t output)
{
	x->requests[(size_t)output * x->in_words + input / 64] |= UINT64_C(1) << input % 64;
	x->request_count[output]++;
}

static void remove_request(struct hd_crossbar *x, uint32_t input, uint32_t output)
{
	x->requests[(size_t)output * x->in_words + input / 64] &= ~(UINT64_C(1) << input % 64);
	x->request_count[output]--;
	if (x->low_count)
		set_low(x, input, output, false);
}

static uint32_t output_of(const struct hd_crossbar *x, const struct hd_packet *packet)
{
	return x->by_slice ? packet->slice : packet->sm;
}

/* A packet is wanted there that has more room than those of low priority. */
static void unblock(struct hd_crossbar *x, uint32_t output)
{
	if (x->blocked[output] != BLOCKED_LOW)
		return;
	x->blocked[output] = 0;
	x->closed[output / 64] &= ~(UINT64_C(1) << output % 64);
}

/* Packets that have become visible go to the queues of their outputs. Asks for those if the input does not send. */
static void request_all(struct hd_crossbar *x, uint32_t input, uint64_t cycle, uint64_t now)
{
	struct hd_sorted *sorted = &x->sorted[input];
	struct hd_port *port = &x->in[input];
	const struct hd_packet *packet;
	for (; (packet = hd_port_head(port)) && packet->ready <= now; port->head++) {
		uint32_t output = output_of(x, packet);
		if (!hd_sorted_front(sorted, output)) {
			sorted->wants[output / 64] |= UINT64_C(1) << output % 64;
			add_request(x, input, output);
		}
		hd_sorted_push(sorted, output, packet);
		if (!hd_packet_is_low(packet))
			unblock(x, output);
		if (x->low_count || hd_packet_is_low(packet))
			set_low(x, input, output, hd_packet_is_low(hd_sorted_front(sorted, output)));
	}
	x->armed[input] = packet != NULL;
	if (packet)
		hd_crossbar_schedule(x, x->wheel_in, x->in_words, input, cycle + 1);
	if (sorted->sends_until > cycle) {
		hd_crossbar_schedule(x, x->wheel_in, x->in_words, input, sorted->sends_until);
		return;
	}
	x->sends[input / 64] &= ~(UINT64_C(1) << input % 64);
	for (uint32_t w = 0; w < x->out_words; w++)
		x->ready[w] |= sorted->wants[w] & ~x->closed[w];
}

/* A head of low priority may be overtaken: the input looks again when something has come. */
static void await_others(struct hd_crossbar *x, uint32_t input, uint64_t cycle)
{
	x->armed[input] = hd_port_head(&x->in[input]) != NULL;
	if (x->armed[input])
		hd_crossbar_schedule(x, x->wheel_in, x->in_words, input, cycle + 1);
}

static void request_first(struct hd_crossbar *x, uint32_t input, const struct hd_packet *head, uint64_t cycle)
{
	uint32_t output = output_of(x, head);
	if (hd_packet_is_low(head))
		await_others(x, input, cycle);
	if (x->asked[input] != HD_NONE) {
		if (hd_packet_is_low(head))
			return; /* it has asked already */
		remove_request(x, input, x->asked[input]);
	}
	x->asked[input] = output;
	add_request(x, input, output);
	if (hd_packet_is_low(head))
		set_low(x, input, output, true);
	else
		unblock(x, output);
	if (!x->busy[output] && !x->blocked[output])
		x->ready[output / 64] |= UINT64_C(1) << output % 64;
}

static void request(struct hd_crossbar *x, uint32_t input, uint64_t cycle, uint64_t now)
{
	if (x->sorted) {
		request_all(x, input, cycle, now);
		return;
	}
	if (x->sends_until[input] > cycle)
		return; /* it looks then */
	const struct hd_packet *head = hd_port_front(&x->in[input], now);
	if (!head)
		x->armed[input] = false;
	else if (head->ready > now)
		hd_crossbar_schedule(x, x->wheel_in, x->in_words, input, cycle + 1);
	else
		request_first(x, input, head, cycle);
}

/* Of 64 inputs that want the output those that do not send, without those of low priority unless `low`. */
static inline uint64_t candidates(const struct hd_crossbar *x, uint32_t output, uint32_t word, bool low)
{
	size_t at = (size_t)output * x->in_words + word;
	uint64_t bits = x->requests[at] & ~x->sends[word];
	return low ? bits : bits & ~x->low_requests[at];
}

/* As below, for at most 128 inputs. */
static inline uint32_t choose_of_two(const struct hd_crossbar *x, uint32_t output, uint32_t from, bool low)
{
	uint64_t first = candidates(x, output, 0, low), second = x->in_words > 1 ? candidates(x, output, 1, low) : 0;
	if (!(first | second))
		return HD_NONE;
	uint64_t mask = UINT64_MAX << from % 64, behind = from < 64 ? first & mask : 0;
	if (behind)
		return (uint32_t)__builtin_ctzll(behind);
	behind = from < 64 ? second : second & mask;
	if (behind || !first)
		return 64 + (uint32_t)__builtin_ctzll(behind ? behind : second);
	return (uint32_t)__builtin_ctzll(first);
}

/* The first of them at or after the pointer, cyclically; HD_NONE. */
static inline uint32_t choose(const struct hd_crossbar *x, uint32_t output, bool low)
{
	uint32_t from = x->pointer[output], word = from / 64;
	if (x->in_words <= 2)
		return choose_of_two(x, output, from, low);
	uint64_t bits = candidates(x, output, word, low) & UINT64_MAX << from % 64;
	for (uint32_t tried = 0; !bits && tried < x->in_words; tried++) {
		word = word + 1 == x->in_words ? 0 : word + 1;
		bits = candidates(x, output, word, low);
	}
	return bits ? word * 64 + (uint32_t)__builtin_ctzll(bits) : HD_NONE;
}

static inline const struct hd_packet *packet_for(struct hd_crossbar *x, uint32_t input, uint32_t output, uint64_t now)
{
	const struct hd_sorted *sorted = x->sorted ? &x->sorted[input] : NULL;
	return sorted ? hd_sorted_front(sorted, output) : hd_port_front(&x->in[input], now);
}

static inline bool wants_any(const struct hd_crossbar *x, const struct hd_sorted *sorted)
{
	uint64_t any = sorted->wants[0];
	for (uint32_t w = 1; w < x->out_words; w++)
		any |= sorted->wants[w];
	return any;
}

/* The input's packet for the output, which has so many flits, leaves, and its room comes back at `release`. The input
 * looks for the next one when it has sent; with nothing left, when something comes. */
static inline void leave_first(struct hd_crossbar *x, uint32_t input, uint32_t output, uint64_t cycle, uint64_t now,
			       uint64_t release, uint32_t flits)
{
	x->sends_until[input] = cycle + flits;
	x->armed[input] = true; /* until then */
	x->asked[input] = HD_NONE;
	hd_port_pop(&x->in[input], now, release, x->senders_apart);
	remove_request(x, input, output);
	hd_crossbar_schedule(x, x->wheel_in, x->in_words, input, x->sends_until[input]);
}

/* The same with queues by output. */
static inline void leave_sorted(struct hd_crossbar *x, uint32_t input, uint32_t output, uint64_t cycle,
				uint64_t release, uint32_t flits, bool low)
{
	struct hd_sorted *sorted = &x->sorted[input];
	hd_port_release(&x->in[input], flits, low, release, x->senders_apart);
	sorted->sends_until = cycle + flits;
	hd_sorted_pop(sorted, output);
	const struct hd_packet *next = hd_sorted_front(sorted, output);
	if (!next) {
		sorted->wants[output / 64] &= ~(UINT64_C(1) << output % 64);
		remove_request(x, input, output);
	} else if (hd_packet_is_low(next)) {
		set_low(x, input, output, true);
	}
	x->sends[input / 64] |= UINT64_C(1) << input % 64;
	if (wants_any(x, sorted))
		hd_crossbar_schedule(x, x->wheel_in, x->in_words, input, sorted->sends_until);
}

/* No input has something for the output but what is of low priority: after all outputs that others want. */
static void put_off(struct hd_crossbar *x, uint32_t output)
{
	x->put_off[output / 64] |= UINT64_C(1) << output % 64;
}

/* Apart from its caller, which most often needs none of its registers. */
static __attribute__((noinline)) void grant(struct hd_crossbar *x, uint32_t input, uint32_t output, uint64_t cycle,
					    uint64_t now)
{
	const struct hd_packet *packet = packet_for(x, input, output, now);
	uint32_t flits = packet->flits, packet_grid = packet->grid;
	struct hd_port *to = &x->out[output];
	if (x->sorted)
		x->closed[output / 64] |= UINT64_C(1) << output % 64;
	bool low_packet = hd_packet_is_low(packet);
	if (!(low_packet ? hd_port_low_room(to, flits, now) : hd_port_room(to, flits, now))) {
		/* It asks again when the receiver's next pop makes room, which may be known already. */
		x->blocked[output] = low_packet ? BLOCKED_LOW : BLOCKED;
		if (to->released != to->known)
			await_room(x, output);
		return;
	}
	hd_port_push(to, packet, hd_clock_edge(&x->clock, cycle + x->latency + flits - 2), x->receivers_apart);
	uint64_t release = hd_clock_edge(&x->clock, cycle + x->latency);
	if (x->sorted)
		leave_sorted(x, input, output, cycle, release, flits, low_packet);
	else
		leave_first(x, input, output, cycle, now, release, flits);
	x->pointer[output] = input + 1 == x->inputs ? 0 : input + 1;
	x->busy[output] = true;
	x->flits[packet_grid * (sizeof(struct hd_counters) / sizeof(uint64_t))] += flits;
	hd_crossbar_schedule(x, x->wheel_out, x->out_words, output, cycle + flits);
	x->arrived[output / 64] |= UINT64_C(1) << output % 64;
	x->freed[input / 64] |= UINT64_C(1) << input % 64;
}

/* Most outputs that an input asks for when it has sent find that the first of them has taken it: they wait until it has
 * sent again. */
static inline __attribute__((always_inline)) void try_grant(struct hd_crossbar *x, uint32_t output, uint64_t cycle,
							    uint64_t now, bool low)
{
	uint32_t input = choose(x, output, low || !x->low_count);
	if (input != HD_NONE)
		grant(x, input, output, cycle, now);
	else if (!low && x->low_count)
		put_off(x, output);
}

/* Outputs that were found ready, from one that is another one in each cycle: with input queues by output they compete
 * for the inputs. */
static void grant_all(struct hd_crossbar *x, uint64_t cycle, uint64_t now)
{
	uint32_t first = x->sorted ? (uint32_t)(cycle % x->outputs) : 0;
	for (uint32_t i = 0; i <= x->out_words; i++) {
		uint32_t w = (first / 64 + i) % x->out_words;
		uint64_t before = (UINT64_C(1) << first % 64) - 1, mask = UINT64_MAX;
		if (i == 0 || i == x->out_words)
			mask = i ? before : ~before;
		uint64_t bits = x->ready[w] & mask;
		x->ready[w] &= ~mask;
		for (; bits; bits &= bits - 1)
			try_grant(x, w * 64 + (uint32_t)__builtin_ctzll(bits), cycle, now, false);
	}
	for (uint32_t w = 0; x->low_count && w < x->out_words; w++) {
		uint64_t bits = x->put_off[w];
		x->put_off[w] = 0;
		for (; bits; bits &= bits - 1)
			try_grant(x, w * 64 + (uint32_t)__builtin_ctzll(bits), cycle, now, true);
	}
}

/* ---- the host's cache */

enum { WORTH_FETCHING = 64 }; /* packets in the crossbar */

/* The ports of a set, in a list. */
static uint32_t list_ports(const uint64_t *words, uint32_t count, uint16_t *ports)
{
	uint32_t len = 0;
	for (uint32_t w = 0; w < count; w++)
		for (uint64_t left = words[w]; left; left &= left - 1)
			ports[len++] = (uint16_t)(w * 64 + (uint32_t)__builtin_ctzll(left));
	return len;
}

/* Each packet is in a place that nobody has looked at for some cycles, and leads to others. What the inputs of a cycle
 * look at is fetched for all of them together, step by step. */
static __attribute__((noinline)) void fetch_inputs(struct hd_crossbar *x, const uint64_t *inputs)
{
	uint32_t count = list_ports(inputs, x->in_words, x->listed);
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_port *port = &x->in[x->listed[i]];
		__builtin_prefetch(&port->ring[port->head & port->mask]);
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_packet *packet = hd_port_head(&x->in[x->listed[i]]);
		const struct hd_sorted *sorted = &x->sorted[x->listed[i]];
		if (!packet)
			continue;
		__builtin_prefetch(&sorted->lists[output_of(x, packet)]);
		__builtin_prefetch(&sorted->packets[sorted->free]);
	}
}

/* The same of those that outputs will take, as it seems before one has. */
static __attribute__((noinline)) void fetch_chosen(struct hd_crossbar *x)
{
	uint32_t count = list_ports(x->ready, x->out_words, x->listed);
	for (uint32_t i = 0; i < count; i++) {
		const struct hd_port *to = &x->out[x->listed[i]];
		uint32_t input = choose(x, x->listed[i], true);
		if (input != HD_NONE)
			__builtin_prefetch(&x->sorted[input].lists[x->listed[i]]);
		__builtin_prefetch(&to->ring[to->tail & to->mask]);
	}
}

/* ---- the whole */

/* Many cycles only free an output that nobody wants. */
static bool has_ready(const struct hd_crossbar *x)
{
	uint64_t ready = 0;
	for (uint32_t w = 0; w < x->out_words; w++)
		ready |= x->ready[w];
	return ready;
}

static void cycle(struct hd_crossbar *x, uint64_t cycle)
{
	uint64_t slot = cycle % HD_CROSSBAR_WHEEL, now = hd_clock_edge(&x->clock, cycle);
	x->cycle = cycle;
	x->occupied &= ~(UINT64_C(1) << slot);
	if (x->fetches && x->packets >= WORTH_FETCHING)
		fetch_inputs(x, &x->wheel_in[slot * x->in_words]);
	for (uint32_t w = 0; w < x->in_words; w++) {
		uint64_t bits = x->wheel_in[slot * x->in_words + w];
		x->wheel_in[slot * x->in_words + w] = 0;
		for (; bits; bits &= bits - 1)
			request(x, w * 64 + (uint32_t)__builtin_ctzll(bits), cycle, now);
	}
	for (uint32_t w = 0; w < x->out_words; w++) {
		uint64_t bits = x->wheel_out[slot * x->out_words + w];
		x->wheel_out[slot * x->out_words + w] = 0;
		for (; bits; bits &= bits - 1) {
			uint32_t output = w * 64 + (uint32_t)__builtin_ctzll(bits);
			x->busy[output] = false;
			if (x->sorted)
				x->closed[w] &= ~(bits & -bits);
			if (x->request_count[output])
				x->ready[w] |= bits & -bits;
		}
	}
	if (!has_ready(x))
		return;
	if (x->fetches && x->packets >= WORTH_FETCHING)
		fetch_chosen(x);
	grant_all(x, cycle, now);
}

void hd_crossbar_tick(struct hd_crossbar *x, uint64_t now)
{
	uint64_t limit = hd_clock_at(&x->clock, now);
	uint64_t event = 0;
	while (x->occupied && (event = hd_crossbar_next_event(x)) <= limit)
		cycle(x, event);
	x->next = x->occupied ? hd_clock_edge(&x->clock, event) : HD_NEVER;
}

/* ---- state */

bool hd_crossbar_idle(const struct hd_crossbar *x)
{
	uint32_t port = 0, taken = 0;
	if (x->senders_apart && next_flag(x->posted, x->inputs, &port))
		return false;
	for (port = 0; x->receivers_apart && x->packets && port < x->outputs; port++)
		taken += x->out[port].taken - x->out[port].known;
	return x->packets == taken;
}

static const struct hd_packet *dump_head(const struct hd_crossbar *x, uint32_t input)
{
	uint32_t output = 0;
	while (!hd_sorted_front(&x->sorted[input], output))
		output++;
	return hd_sorted_front(&x->sorted[input], output);
}

static void dump_port(const struct hd_crossbar *x, const char *what, uint32_t index, const struct hd_port *port,
		      FILE *out)
{
	const struct hd_packet *head = hd_port_head(port);
	if (port->taken == port->tail)
		return;
	if (port->low_head != port->low_tail)
		head = &port->low[port->low_head & port->mask];
	else if (port->taken != port->head) /* sorted: the first of one of the outputs */
		head = dump_head(x, index);
	fprintf(out, "  %s %s %u: %u packets, %u of %u flits, head kind %u line %#llx ready %llu%s\n", x->name, what,
		index, port->tail - port->taken, port->used, port->capacity, head->kind, (unsigned long long)head->line,
		(unsigned long long)head->ready, what[0] == 'o' && x->blocked[index] ? ", blocked" : "");
}

void hd_crossbar_dump(const struct hd_crossbar *x, FILE *out)
{
	fprintf(out, "crossbar %s: cycle %llu\n", x->name, (unsigned long long)x->cycle);
	for (uint32_t i = 0; i < x->inputs; i++)
		dump_port(x, "in", i, &x->in[i], out);
	for (uint32_t o = 0; o < x->outputs; o++)
		dump_port(x, "out", o, &x->out[o], out);
}
