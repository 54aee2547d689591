/*
 * One direction of the crossbar between SMs and L2 slices: input-queued, with head-of-line blocking or with a queue for
 * each output.
 */
#ifndef HD_RUNTIME_MEMORY_CROSSBAR_H
#define HD_RUNTIME_MEMORY_CROSSBAR_H

#include <stdio.h>

#include "runtime/memory/clock.h"
#include "runtime/memory/port.h"
#include "runtime/memory/sorted.h"

#define HD_CROSSBAR_AHEAD 24 /* own cycles that ports may be used for before the crossbar does them */

struct hd_crossbar {
	const char *name;
	struct hd_clock clock;
	uint32_t inputs, outputs, in_words, out_words, latency;
	bool by_slice; /* the output is the packet's slice; else its SM */
	bool senders_apart, receivers_apart;
	bool fetches; /* what ports look at is fetched for many together */
	struct hd_port *in, *out;
	/* Ports that a sender or receiver that is apart used since the last hd_crossbar_take; NULL: they are not. */
	uint8_t *posted, *popped;
	bool *armed;		 /* input: requests an output or has an event to come */
	bool *starved;		 /* input: its sender found no room */
	bool *busy;		 /* output: a packet passes */
	uint8_t *blocked;	 /* and its queue is full, for all packets or only for those of low priority */
	uint32_t *pointer;	 /* output: the input with priority */
	uint32_t *request_count; /* output */
	uint64_t *requests;	 /* output x in_words: inputs whose head wants it */
	uint64_t *low_requests;	 /* of these, those for a packet of low priority; how many in all */
	uint32_t low_count;
	uint64_t *put_off;		/* outputs that only such packets want, until the others are served */
	uint32_t *asked;		/* input, in the order of arrival: the output that it asks for, HD_NONE */
	uint64_t *sends_until;		/* and the own cycle until which it sends */
	uint64_t *ready;		/* outputs to arbitrate in this cycle */
	uint16_t *listed;		/* ports, for a moment */
	struct hd_sorted *sorted;	/* input; NULL: in the order of arrival. With it: */
	uint64_t *sends;		/* inputs that send (else none) */
	uint64_t *closed;		/* outputs that are busy or blocked */
	uint64_t *wheel_in, *wheel_out; /* events of the next 63 cycles, a set of ports for each */
	uint64_t occupied;		/* slots of the wheel with events */
	uint64_t cycle;			/* the last done, in the crossbar's own clock */
	uint32_t packets;		/* at ports, as far as the crossbar has been told */
	uint64_t next;			/* core cycle of the next event, HD_NEVER */
	uint64_t *arrived;		/* outputs that were sent a packet: the owner reads and clears */
	uint64_t *freed;		/* inputs that a packet left: likewise, through hd_crossbar_freed */
	uint64_t *flits;		/* counter of the first grid, in its struct hd_counters */
};

struct hd_crossbar_shape {
	const char *name;
	uint32_t inputs, outputs;
	bool by_slice;
	bool by_output;		      /* inputs have a queue for each output */
	uint32_t latency;	      /* own cycles from push to arrival of a one-flit packet, at least 1 */
	uint32_t in_flits, out_flits; /* queues */
	struct hd_clock clock;
	uint64_t *flits; /* counter that is bumped for grid 0; one struct hd_counters further on for the next */
	/* They work beside hd_crossbar_tick, in other host threads: each side learns in hd_crossbar_take and _give what
	 * the other has done. Else at once. */
	bool senders_apart, receivers_apart;
	bool fetches; /* there is more than the host's caches hold */
};

void hd_crossbar_init(struct hd_crossbar *x, const struct hd_crossbar_shape *shape, struct hd_arena *arena);
/* Of the sender of `input`: whether it has found room. */
static inline bool hd_crossbar_note_room(struct hd_crossbar *x, uint32_t input, bool room)
{
	if (x->starved[input] == room) /* else it is left alone: other threads have its neighbours */
		x->starved[input] = !room;
	return room;
}
/* Whether a packet of so many flits can be pushed now. If not, `freed` tells of later room. */
static inline bool hd_crossbar_room(struct hd_crossbar *x, uint32_t input, uint32_t flits, uint64_t now)
{
	return hd_crossbar_note_room(x, input, hd_port_room(&x->in[input], flits, now));
}
/* The same for one of low priority: these have half of the room at most, so that others always find some. */
bool hd_crossbar_low_room(struct hd_crossbar *x, uint32_t input, uint32_t flits, uint64_t now);
/* The core cycle at which more room is known to come; HD_NEVER: ask again after `freed`. */
static inline uint64_t hd_crossbar_room_at(const struct hd_crossbar *x, uint32_t input)
{
	const struct hd_port *port = &x->in[input];
	return port->released == port->known ? HD_NEVER : port->ring[port->released & port->mask].ready;
}
/* Where sender and receiver are not apart from the crossbar, it takes notice of what one has pushed or popped. */
void hd_crossbar_see_posted(struct hd_crossbar *x, uint32_t input);
void hd_crossbar_see_popped(struct hd_crossbar *x, uint32_t output);
/* These two touch only the one port where the side is apart, so that different ports may be used from different threads
 * between ticks; else they may move `next` forward. */
static inline void hd_crossbar_push(struct hd_crossbar *x, uint32_t input, const struct hd_packet *packet, uint64_t now)
{
	hd_port_push(&x->in[input], packet, now + 1, x->senders_apart);
	if (!x->senders_apart)
		hd_crossbar_see_posted(x, input);
	else if (!x->posted[input])
		x->posted[input] = 1;
}
/* The oldest packet at an output, or NULL; it may be taken from its ready cycle on. Of those that may be taken at `now`
 * the oldest that is not of low priority, if there is one. */
static inline const struct hd_packet *hd_crossbar_front(struct hd_crossbar *x, uint32_t output, uint64_t now)
{
	return hd_port_front(&x->out[output], now);
}
/* The latest packet sent to an output that has some. */
static inline const struct hd_packet *hd_crossbar_back(const struct hd_crossbar *x, uint32_t output)
{
	const struct hd_port *port = &x->out[output];
	return &port->ring[(port->tail - 1) & port->mask];
}
/* Takes the one that hd_crossbar_front gives. */
static inline void hd_crossbar_pop(struct hd_crossbar *x, uint32_t output, uint64_t now)
{
	hd_port_pop(&x->out[output], now, now + 1, x->receivers_apart);
	if (!x->receivers_apart)
		hd_crossbar_see_popped(x, output);
	else if (!x->popped[output])
		x->popped[output] = 1;
}
/* Takes notice of what senders and receivers did that are apart. */
void hd_crossbar_take(struct hd_crossbar *x);
/* Of one of them that is apart. */
void hd_crossbar_take_input(struct hd_crossbar *x, uint32_t input);
void hd_crossbar_take_output(struct hd_crossbar *x, uint32_t output);
/* Shows those that are apart what the crossbar did. */
void hd_crossbar_give(struct hd_crossbar *x);
/* Of the 64 inputs from 64 * word on: starved ones that will have room. Each is told of once. */
uint64_t hd_crossbar_freed(struct hd_crossbar *x, uint32_t word);
/* All events up to and including core cycle `now`; sets `next`. */
void hd_crossbar_tick(struct hd_crossbar *x, uint64_t now);
bool hd_crossbar_idle(const struct hd_crossbar *x);
void hd_crossbar_dump(const struct hd_crossbar *x, FILE *out);

#endif
