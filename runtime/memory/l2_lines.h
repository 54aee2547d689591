/*
 * What slices of L2 do with lines, beside the time that it takes.
 */
#ifndef HD_RUNTIME_MEMORY_L2_LINES_H
#define HD_RUNTIME_MEMORY_L2_LINES_H

#include "runtime/memory/l2.h"

static inline bool hd_l2_is_atomic(const struct hd_packet *request)
{
	return request->kind == HD_PACKET_ATOMIC || request->kind == HD_PACKET_REDUCTION;
}

static inline bool hd_l2_is_write(const struct hd_packet *request)
{
	return request->kind == HD_PACKET_WRITE || request->kind == HD_PACKET_WRITEBACK;
}

/* Cycles of service, less what atomics take. */
static inline uint32_t hd_l2_cycles(const struct hd_l2_slice *slice, const struct hd_packet *request)
{
	uint8_t part = hd_l2_is_write(request) ? request->sectors & (uint8_t)~request->full : 0;
	return hd_sector_count(request->sectors) + (part ? hd_sector_count(part) * (slice->partial_busy - 1) : 0);
}

/* Sectors that a read's miss brings together. */
static inline uint32_t hd_l2_together(const struct hd_l2_slice *slice, const struct hd_packet *request)
{
	uint32_t own = slice->fetch_sectors, asked = slice->line_sectors;
	if (__builtin_expect(!(request->flags & (HD_PACKET_WIDE | HD_PACKET_WIDER)), 1))
		return own;
	if (!(request->flags & HD_PACKET_WIDER) && HD_WIDE_BYTES / slice->sector_bytes < asked)
		asked = HD_WIDE_BYTES / slice->sector_bytes;
	return asked > own ? asked : own;
}

/* What a read asks DRAM for where these sectors are missing: they and their neighbours. */
static inline uint8_t hd_l2_widen(const struct hd_l2_slice *slice, const struct hd_packet *request, uint8_t missing)
{
	uint32_t together = hd_l2_together(slice, request), wide = 0;
	for (uint32_t left = missing; left; left &= left - 1)
		wide |= ((1u << together) - 1) << ((uint32_t)__builtin_ctz(left) & ~(together - 1));
	return (uint8_t)wide;
}

/* Makes the reply of a request. */
static inline void hd_l2_turn(const struct hd_l2_slice *slice, struct hd_packet *packet)
{
	bool data = packet->kind == HD_PACKET_READ || packet->kind == HD_PACKET_ATOMIC;
	uint32_t bytes = data ? hd_sector_count(packet->sectors) * slice->sector_bytes : 0;
	packet->kind = data ? HD_PACKET_DATA : HD_PACKET_ACK;
	packet->flits = hd_packet_flits(bytes, slice->flits);
}

static inline struct hd_packet hd_l2_reply_to(const struct hd_l2_slice *slice, const struct hd_packet *request)
{
	struct hd_packet reply = *request;
	hd_l2_turn(slice, &reply);
	return reply;
}

/* Sectors that were served, for the grid whose request it was. */
static inline void hd_l2_count(struct hd_l2_slice *slice, uint8_t sectors, uint8_t hits)
{
	uint32_t all = hd_sector_count(sectors), hit = hits ? hd_sector_count(hits) : 0;
	slice->counters->l2_accesses += all;
	slice->counters->l2_hits += hit;
	slice->counters->l2_misses += all - hit;
}

/* Sectors of the line become dirty. */
void hd_l2_make_dirty(struct hd_l2_slice *slice, struct hd_tag *tag, uint8_t sectors);
/* Gives the line the way of `victim`, which is written back where it is dirty. */
struct hd_tag *hd_l2_allocate(struct hd_l2_slice *slice, uint64_t now, uint64_t line, uint32_t victim,
			      struct hd_dram *dram);
/* A line becomes dirty that is not so yet (NULL: one that is not there): of those of its set that are, the oldest are
 * cleaned where there are too many, as long as the channel has room; nothing waits for that. */
void hd_l2_limit_dirty(struct hd_l2_slice *slice, uint64_t now, uint64_t line, const struct hd_tag *tag,
		       struct hd_dram *dram);
/* Sectors of the line are there from now on. A dirty line that has to give way is not written to DRAM. */
void hd_l2_keep(struct hd_l2_slice *slice, uint64_t line, uint8_t sectors);
/* The same, and they are dirty. */
void hd_l2_keep_dirty(struct hd_l2_slice *slice, uint64_t line, uint8_t sectors);

#endif
