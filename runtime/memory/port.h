/*
 * A port of a crossbar: a queue of packets that is bounded in flits, with two ends for sides that may work at the same
 * time, each of which sees the other's as it was when the two met last.
 *
 * A place whose packet was taken keeps its room until its release cycle. Packets of low priority (HD_PACKET_LOW) have
 * half of the room at most, and those that have come are overtaken by the others.
 */
#ifndef HD_RUNTIME_MEMORY_PORT_H
#define HD_RUNTIME_MEMORY_PORT_H

#include "runtime/memory/packet.h"

/* The release cycle of a place is kept in `ready`. Packets up to `head` are taken, or sorted by output and not all of
 * them taken yet. Those of low priority that others have overtaken wait in `low`, in their order. */
struct hd_port {
	struct hd_packet *ring, *low;
	uint32_t mask, capacity;
	uint32_t tail, known, released; /* the sender's; known: of `taken` */
	uint32_t used, used_low;	/* flits, for the sender; of these, of low priority */
	uint32_t head, taken, sent;	/* the receiver's; sent: of `tail` */
	uint32_t low_head, low_tail;	/* the receiver's, in `low` */
};

static inline void hd_port_init(struct hd_port *port, uint32_t capacity, struct hd_arena *arena)
{
	uint32_t slots = hd_power_above(capacity);
	*port = (struct hd_port){.ring = HD_ARENA_NEW(arena, struct hd_packet, slots), .mask = slots - 1};
	port->low = HD_ARENA_NEW_SPARSE(arena, struct hd_packet, slots);
	port->capacity = capacity;
}

/* Takes back the room whose release cycle has come. */
static inline void hd_port_reclaim(struct hd_port *port, uint64_t now)
{
	for (; port->released != port->known && port->ring[port->released & port->mask].ready <= now;
	     port->released++) {
		const struct hd_packet *place = &port->ring[port->released & port->mask];
		port->used -= place->flits;
		port->used_low -= hd_packet_is_low(place) ? place->flits : 0;
	}
}

/* Room is taken back only when there seems to be none. */
static inline bool hd_port_room(struct hd_port *port, uint32_t flits, uint64_t now)
{
	if (port->used + flits <= port->capacity)
		return true;
	hd_port_reclaim(port, now);
	/* A packet larger than the queue passes through an empty one. */
	return port->used + flits <= port->capacity || !port->used;
}

static inline bool hd_port_low_room(struct hd_port *port, uint32_t flits, uint64_t now)
{
	hd_port_reclaim(port, now);
	return hd_port_room(port, flits, now) && (port->used_low + flits <= port->capacity / 2 || !port->used_low);
}

static inline void hd_port_push(struct hd_port *port, const struct hd_packet *packet, uint64_t ready, bool apart)
{
	struct hd_packet *slot = &port->ring[port->tail++ & port->mask];
	*slot = *packet;
	slot->ready = ready;
	port->used += packet->flits;
	port->used_low += hd_packet_is_low(packet) ? packet->flits : 0;
	if (!apart)
		port->sent = port->tail;
}

/* The oldest that has not been looked at. */
static inline struct hd_packet *hd_port_head(const struct hd_port *port)
{
	return port->head == port->sent ? NULL : &port->ring[port->head & port->mask];
}

/* Its slow case: packets of low priority are about, which step aside when they have come. */
struct hd_packet *hd_port_front_of_two(struct hd_port *port, uint64_t now);

static inline struct hd_packet *hd_port_front(struct hd_port *port, uint64_t now)
{
	struct hd_packet *packet = hd_port_head(port);
	if (port->low_head == port->low_tail && !(packet && hd_packet_is_low(packet)))
		return packet;
	return hd_port_front_of_two(port, now);
}

/* A packet was taken: its room comes back. Places are given back in this order, whosever they were. */
static inline void hd_port_release(struct hd_port *port, uint32_t flits, bool low, uint64_t release, bool apart)
{
	struct hd_packet *place = &port->ring[port->taken++ & port->mask];
	place->flits = (uint8_t)flits;
	place->flags = low ? HD_PACKET_LOW : 0;
	place->ready = release;
	if (!apart)
		port->known = port->taken;
}

static inline void hd_port_pop(struct hd_port *port, uint64_t now, uint64_t release, bool apart)
{
	const struct hd_packet *packet = hd_port_front(port, now);
	bool low = hd_packet_is_low(packet);
	uint32_t flits = packet->flits;
	if (low)
		port->low_head++;
	else
		port->head++;
	hd_port_release(port, flits, low, release, apart);
}

#endif
