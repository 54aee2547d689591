/*
 * What travels between L1, crossbars and L2: one packet for the wanted sectors of one line, and the bounded queue of
 * packets that units meet through.
 */
#ifndef HD_RUNTIME_MEMORY_PACKET_H
#define HD_RUNTIME_MEMORY_PACKET_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/arena.h"

struct hd_config;

#define HD_NONE UINT32_MAX

enum hd_packet_kind {
	HD_PACKET_READ,
	HD_PACKET_WRITE,     /* acknowledged */
	HD_PACKET_WRITEBACK, /* of a dirty victim: not acknowledged */
	HD_PACKET_ATOMIC,    /* answered with data */
	HD_PACKET_REDUCTION, /* acknowledged */
	HD_PACKET_FILL,	     /* a read that ends in L2: acknowledged */
	HD_PACKET_DATA,	     /* reply */
	HD_PACKET_ACK	     /* reply */
};

enum {
	HD_PACKET_MISSED = 1, /* reply: L2 did not have all of it */
	HD_PACKET_LINE = 2,   /* of a transfer */
	HD_PACKET_LOW = 4,    /* others go first */
	HD_PACKET_BULK = 8,   /* with HD_PACKET_LINE: of a copy in bulk */
	HD_PACKET_WIDE = 16,  /* aligned bytes that a miss reads from DRAM: 64 */
	HD_PACKET_WIDER = 32  /* all of the line */
};

enum { HD_WIDE_BYTES = 64 };

/* Lines and cycles have 48 bits; beside them lie those of the cycle in which the request left its SM. */
struct hd_packet {
	uint64_t line : 48; /* address / line size */
	uint64_t sent_low : 16;
	uint64_t ready : 48; /* core cycle from which the receiver may take it */
	uint64_t sent_high : 16;
	uint32_t tag;	 /* the sender's; comes back in the reply */
	uint16_t sm;	 /* that sent it or gets it */
	uint16_t slice;	 /* of the L2 */
	uint8_t kind;	 /* enum hd_packet_kind */
	uint8_t sectors; /* of the line, one bit each */
	uint8_t full;	 /* writes: of these, those written in every byte */
	uint8_t service; /* atomics: cycles of the L2's unit */
	uint8_t flits;	 /* header included */
	uint8_t grid;	 /* that caused it */
	uint8_t flags;	 /* HD_PACKET_* */
};

/* Bits of a mask of sectors; processors that a build must run on need not have an instruction for that. */
static inline uint32_t hd_sector_count(uint8_t sectors)
{
#define HD_COUNTS_4(n) n, (n) + 1, (n) + 1, (n) + 2
#define HD_COUNTS_16(n) HD_COUNTS_4(n), HD_COUNTS_4((n) + 1), HD_COUNTS_4((n) + 1), HD_COUNTS_4((n) + 2)
#define HD_COUNTS_64(n) HD_COUNTS_16(n), HD_COUNTS_16((n) + 1), HD_COUNTS_16((n) + 1), HD_COUNTS_16((n) + 2)
	static const uint8_t counts[256] = {HD_COUNTS_64(0), HD_COUNTS_64(1), HD_COUNTS_64(1), HD_COUNTS_64(2)};
#undef HD_COUNTS_64
#undef HD_COUNTS_16
#undef HD_COUNTS_4
	return counts[sectors];
}

static inline void hd_packet_stamp(struct hd_packet *packet, uint64_t now)
{
	packet->sent_low = now & 0xffff;
	packet->sent_high = now >> 16 & 0xffff;
}

static inline bool hd_packet_is_low(const struct hd_packet *packet)
{
	return __builtin_expect(packet->flags & HD_PACKET_LOW, 0);
}

/* Cycles from when the request left its SM; below 2^32. */
static inline uint32_t hd_packet_age(const struct hd_packet *reply, uint64_t now)
{
	return (uint32_t)now - ((uint32_t)reply->sent_high << 16 | (uint32_t)reply->sent_low);
}

/* A ring of packets in the order of arrival; a full one stalls its writer. */
struct hd_packets {
	struct hd_packet *ring;
	uint32_t mask, capacity, head, tail;
};

static inline uint32_t hd_power_above(uint32_t value)
{
	uint32_t power = 1;
	while (power < value)
		power *= 2;
	return power;
}

static inline void hd_packets_init(struct hd_packets *queue, uint32_t capacity, struct hd_arena *arena)
{
	uint32_t slots = hd_power_above(capacity);
	*queue = (struct hd_packets){HD_ARENA_NEW(arena, struct hd_packet, slots), slots - 1, capacity, 0, 0};
}

static inline uint32_t hd_packets_count(const struct hd_packets *queue)
{
	return queue->tail - queue->head;
}

static inline uint32_t hd_packets_room(const struct hd_packets *queue)
{
	return queue->capacity - (queue->tail - queue->head);
}

/* A place behind the others, for the caller to fill. */
static inline struct hd_packet *hd_packets_add(struct hd_packets *queue)
{
	assert(hd_packets_room(queue));
	return &queue->ring[queue->tail++ & queue->mask];
}

/* Of a queue that can hold many packets and seldom does, as much is used as there ever were packets: else it turns in
 * more memory than the host's caches hold. Before the first one. */
static inline void hd_packets_narrow(struct hd_packets *queue)
{
	enum { FEW = 16 };
	queue->mask = queue->mask < FEW ? queue->mask : FEW - 1;
}

/* As hd_packets_add, of such a queue. Where all places that are used are taken, twice as many are. */
static inline struct hd_packet *hd_packets_add_wide(struct hd_packets *queue)
{
	uint32_t used = queue->mask + 1;
	if (__builtin_expect(hd_packets_count(queue) == used, 0)) {
		for (uint32_t i = queue->head; i != queue->tail; i++)
			if (i & used)
				queue->ring[i & (2 * used - 1)] = queue->ring[i & queue->mask];
		queue->mask = 2 * used - 1;
	}
	return hd_packets_add(queue);
}

static inline void hd_packets_push(struct hd_packets *queue, const struct hd_packet *packet)
{
	*hd_packets_add(queue) = *packet;
}

/* The oldest, or NULL. */
static inline const struct hd_packet *hd_packets_front(const struct hd_packets *queue)
{
	return queue->head == queue->tail ? NULL : &queue->ring[queue->head & queue->mask];
}

/* The same for its owner; there is one. */
static inline struct hd_packet *hd_packets_head(struct hd_packets *queue)
{
	return &queue->ring[queue->head & queue->mask];
}

static inline void hd_packets_pop(struct hd_packets *queue)
{
	assert(queue->head != queue->tail);
	queue->head++;
}

/* Packets of queues that are lists in one pool: for what comes seldom, and then may all wait in one of them. Numbers of
 * packets count from 1; 0: none. */
struct hd_packet_pool {
	struct hd_packet *packets;
	uint32_t *next;
	uint32_t used, free; /* packets that have been taken; of these, given back: the first */
	uint32_t capacity;
};

struct hd_packet_list {
	uint32_t first, last;
};

static inline void hd_packet_pool_init(struct hd_packet_pool *pool, uint32_t capacity, struct hd_arena *arena)
{
	*pool = (struct hd_packet_pool){.packets = HD_ARENA_NEW_SPARSE(arena, struct hd_packet, capacity + 1)};
	pool->next = HD_ARENA_NEW_SPARSE(arena, uint32_t, capacity + 1);
	pool->capacity = capacity;
}

static inline void hd_packet_list_push(struct hd_packet_list *list, struct hd_packet_pool *pool,
				       const struct hd_packet *packet)
{
	uint32_t number = pool->free ? pool->free : ++pool->used;
	assert(number <= pool->capacity);
	pool->free = pool->free ? pool->next[number] : 0;
	pool->packets[number] = *packet;
	pool->next[number] = 0;
	*(list->first ? &pool->next[list->last] : &list->first) = number;
	list->last = number;
}

/* There is one. */
static inline void hd_packet_list_pop(struct hd_packet_list *list, struct hd_packet_pool *pool)
{
	uint32_t number = list->first;
	list->first = pool->next[number];
	pool->next[number] = pool->free;
	pool->free = number;
}

/* What packets are cut into, in bytes. */
struct hd_flits {
	uint32_t header, size; /* header and address; a flit */
};

/* With icnt_header = 0 header and address have a flit of their own; else the data share it. */
struct hd_flits hd_flits_of(const struct hd_config *config);

static inline uint8_t hd_packet_flits(uint32_t data_bytes, struct hd_flits flits)
{
	return (uint8_t)((flits.header + data_bytes + flits.size - 1) / flits.size);
}

#endif
