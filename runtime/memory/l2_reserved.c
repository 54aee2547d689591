/*
 * An L2 slice without a cycle of its own. It does with tags, dirty lines and counters what l2.c does, in the order in
 * which requests come. A request is served when those before it have been, and there are MSHRs, a merge and room in the
 * channel; a line keeps when its sectors under way are going to be there, so that nobody waits in a list.
 *
 * The queue in front of the slice is what the crossbar's output holds until the slice's own queue takes it; when that
 * is follows from when requests are served.
 *
 * Not kept: room for answers behind the slice, and that a line with sectors under way is never a victim. Requests of
 * low priority are served like others.
 *
 * Needs a DRAM channel that reserves, too, and the address map. Cost: O(1) a request.
 */
#include "runtime/memory/l2_reserved.h"

#include "runtime/memory/dram_reserved.h"
#include "runtime/memory/l2_lines.h"

/* A sector under way: when it is there (48 bits), and below that how many requests wait for it. */
enum { REQUEST_BITS = 16 };

/* MSHRs that are free again from a cycle on. */
struct leaving {
	uint64_t cycle;
	uint32_t count;
};

struct ring {
	struct leaving *entries;
	uint32_t mask, head, tail,
		used; /* used: the sum of the counts; of those that are past, too, until they are looked at */
};

struct hd_l2_reserved {
	uint64_t *late; /* as tags, of each sector; only of those that late_sectors names */
	uint32_t line_sectors;
	struct ring mshrs;
	uint64_t *served; /* cycles in which the last requests were served: as many as the slice's queue holds */
	uint32_t queue, next_served;
	uint64_t
		*left; /* from when on the last flits are not in the crossbar's queue any more: as many as that holds */
	uint32_t room, next_left;
	uint64_t entered; /* the last request has entered the slice's queue */
};

struct hd_l2_reserved *hd_l2_reserved_new(const struct hd_l2_slice *slice, uint32_t line_sectors, uint32_t queue,
					  uint32_t room, struct hd_arena *arena)
{
	struct hd_l2_reserved *reserved = HD_ARENA_NEW(arena, struct hd_l2_reserved, 1);
	reserved->line_sectors = line_sectors;
	reserved->late =
		HD_ARENA_NEW_SPARSE(arena, uint64_t, (size_t)slice->tags.set_count * slice->tags.ways * line_sectors);
	/* One more: a line of more sectors than there are MSHRs goes alone. */
	uint32_t slots = hd_power_above(slice->mshrs + 1);
	reserved->mshrs.entries = HD_ARENA_NEW_SPARSE(arena, struct leaving, slots);
	reserved->mshrs.mask = slots - 1;
	reserved->served = HD_ARENA_NEW(arena, uint64_t, queue);
	reserved->queue = queue;
	reserved->left = HD_ARENA_NEW(arena, uint64_t, room);
	reserved->room = room;
	return reserved;
}

/* ---- what is in use */

static void forget_past(struct ring *ring, uint64_t now)
{
	while (ring->head != ring->tail && ring->entries[ring->head & ring->mask].cycle <= now)
		ring->used -= ring->entries[ring->head++ & ring->mask].count;
}

/* The first cycle, `now` or later, in which `count` more are at most `limit`; or none is in use. */
static uint64_t room_at(struct ring *ring, uint32_t count, uint32_t limit, uint64_t now)
{
	if (ring->used + count <= limit)
		return now;
	forget_past(ring, now);
	while (ring->used && ring->used + count > limit) {
		now = hd_later(now, ring->entries[ring->head & ring->mask].cycle);
		forget_past(ring, now);
	}
	return now;
}

/* In the order of their cycles; most come in it. */
static void add(struct ring *ring, uint64_t cycle, uint32_t count)
{
	uint32_t at = ring->tail++;
	for (; at != ring->head && ring->entries[(at - 1) & ring->mask].cycle > cycle; at--)
		ring->entries[at & ring->mask] = ring->entries[(at - 1) & ring->mask];
	ring->entries[at & ring->mask] = (struct leaving){cycle, count};
	ring->used += count;
	assert(ring->tail - ring->head <= ring->mask + 1);
}

/* Flits leave in their order: the last of those whose places are taken says when. */
uint64_t hd_l2_reserved_room(const struct hd_l2_slice *slice, uint32_t flits, uint64_t now)
{
	const struct hd_l2_reserved *reserved = slice->reserved;
	uint32_t last = reserved->next_left + (flits < reserved->room ? flits : reserved->room) - 1;
	return hd_later(now, reserved->left[last < reserved->room ? last : last - reserved->room]);
}

/* A request that arrives at a cycle leaves the crossbar's queue when the slice's has a place, in a later cycle. */
static void enter(struct hd_l2_reserved *reserved, uint32_t flits, uint64_t arrival, uint64_t served)
{
	uint64_t *place = &reserved->served[reserved->next_served];
	reserved->entered = hd_later(reserved->entered, hd_later(arrival, *place));
	for (uint32_t i = 0; i < flits; i++) {
		reserved->left[reserved->next_left] = reserved->entered + 1;
		reserved->next_left = reserved->next_left + 1 == reserved->room ? 0 : reserved->next_left + 1;
	}
	*place = served;
	reserved->next_served = reserved->next_served + 1 == reserved->queue ? 0 : reserved->next_served + 1;
}

/* ---- service */

/* How a request finds its line. */
struct found {
	uint64_t now; /* in which it is served */
	uint64_t line;
	uint32_t index, victim;
	uint8_t hits, merge, fetch; /* sectors */
};

static uint64_t *late_of(const struct hd_l2_slice *slice, uint32_t index)
{
	return &slice->reserved->late[(size_t)index * slice->reserved->line_sectors];
}

/* Sectors of a line that have been under way: nobody waits in lists, so that the tag's place for one, which is HD_NONE
 * where another line comes, holds the others. */
static uint8_t late_sectors(const struct hd_tag *tag)
{
	return (uint8_t)~tag->waiters;
}

static void set_late(struct hd_tag *tag, uint8_t sectors)
{
	tag->waiters = ~(uint32_t)sectors;
}

/* Of these sectors those that are under way. */
static uint8_t pending_of(const struct hd_l2_slice *slice, uint32_t index, uint8_t sectors, uint64_t now)
{
	uint8_t pending = 0;
	const uint64_t *at = late_of(slice, index);
	for (uint32_t left = sectors & late_sectors(&slice->tags.tags[index]); left; left &= left - 1)
		if (at[__builtin_ctz(left)] >> REQUEST_BITS > now)
			pending |= (uint8_t)(left & -left);
	return pending;
}

static void look(const struct hd_l2_slice *slice, const struct hd_packet *request, bool write, struct found *found)
{
	found->hits = found->merge = 0;
	if (found->index != HD_NONE) {
		uint8_t valid = request->sectors & slice->tags.tags[found->index].valid;
		found->merge = pending_of(slice, found->index, valid, found->now);
		found->hits = valid & (uint8_t)~found->merge;
	}
	found->fetch = request->sectors & (uint8_t)~(found->hits | found->merge);
	if (!write && found->fetch && hd_l2_together(slice, request) > 1) {
		uint8_t there = found->index == HD_NONE ? 0 : slice->tags.tags[found->index].valid;
		found->fetch = hd_l2_widen(slice, request, found->fetch) & (uint8_t)~there;
	}
	if (write) {
		found->fetch &= slice->keeps_parts ? 0 : (uint8_t)~request->full;
		found->merge = 0;
	}
}

/* When it can be served: later than at found->now, where something is missing. */
static uint64_t can_serve(struct hd_l2_slice *slice, const struct found *found, struct hd_dram *dram)
{
	struct hd_l2_reserved *reserved = slice->reserved;
	uint64_t now = found->now;
	for (uint32_t left = found->merge; left; left &= left - 1) {
		uint64_t late = late_of(slice, found->index)[__builtin_ctz(left)];
		if (late % (1 << REQUEST_BITS) >= slice->merges)
			now = hd_later(now, late >> REQUEST_BITS);
	}
	if (now > found->now)
		return now;
	if (found->fetch) {
		now = room_at(&reserved->mshrs, hd_sector_count(found->fetch), slice->mshrs, now);
		now = hd_dram_reserved_room(dram, HD_DRAM_READ, now);
	}
	if (found->index == HD_NONE && slice->tags.tags[found->victim].dirty)
		now = hd_dram_reserved_room(dram, HD_DRAM_WRITE, now);
	return now;
}

static struct hd_tag *own_line(struct hd_l2_slice *slice, const struct found *found, struct hd_dram *dram)
{
	if (found->index != HD_NONE) {
		hd_tags_touch(&slice->tags, found->index);
		return &slice->tags.tags[found->index];
	}
	return hd_l2_allocate(slice, found->now, found->line, found->victim, dram);
}

/* Asks for what the line lacks and nobody has asked for. */
static void fetch(struct hd_l2_slice *slice, const struct found *found, struct hd_tag *tag, struct hd_dram *dram)
{
	uint64_t *late = late_of(slice, (uint32_t)(tag - slice->tags.tags));
	uint64_t there = hd_dram_reserved_read(dram, found->now, slice->index, tag->line, found->fetch, slice->grid);
	add(&slice->reserved->mshrs, there, hd_sector_count(found->fetch));
	for (uint32_t left = found->fetch; left; left &= left - 1)
		late[__builtin_ctz(left)] = there << REQUEST_BITS;
	set_late(tag, late_sectors(tag) | found->fetch);
	tag->valid |= found->fetch;
}

/* Returns when all sectors that are missing are there. `answered`: those that the request waits for, as one of as many
 * as may; not the neighbours that come with them, nor what a write lacks. */
static inline __attribute__((always_inline)) uint64_t await_sectors(struct hd_l2_slice *slice,
								    const struct found *found, uint8_t answered,
								    struct hd_tag *tag, struct hd_dram *dram)
{
	uint64_t *late = late_of(slice, (uint32_t)(tag - slice->tags.tags)), there = found->now;
	if (found->fetch)
		fetch(slice, found, tag, dram);
	for (uint32_t left = found->merge | found->fetch; left; left &= left - 1) {
		uint64_t *sector = &late[__builtin_ctz(left)];
		there = hd_later(there, *sector >> REQUEST_BITS);
		*sector += (answered & left & -left) != 0;
	}
	return there;
}

/* As far as the channel has room then. */
static void limit_dirty(struct hd_l2_slice *slice, const struct found *found, const struct hd_tag *tag,
			struct hd_dram *dram)
{
	if (slice->dirty_ways < slice->tags.ways)
		hd_dram_reserved_room(dram, HD_DRAM_WRITE, found->now);
	hd_l2_limit_dirty(slice, found->now, found->line, tag, dram);
}

/* In whole cycles of the slice. */
static void be_busy(struct hd_l2_slice *slice, uint64_t now, uint32_t cycles)
{
	slice->busy = hd_clock_at(&slice->clock, now) + cycles;
}

static __attribute__((noinline)) uint64_t write(struct hd_l2_slice *slice, const struct hd_packet *request,
						const struct found *found, struct hd_dram *dram)
{
	struct hd_tag *tag = found->index == HD_NONE ? NULL : &slice->tags.tags[found->index];
	uint64_t done = found->now;
	limit_dirty(slice, found, tag, dram);
	tag = own_line(slice, found, dram);
	if (found->fetch)
		done = await_sectors(slice, found, 0, tag, dram);
	tag->valid |= slice->keeps_parts ? request->sectors : request->full;
	set_late(tag, late_sectors(tag) & (uint8_t)~request->full);
	hd_l2_make_dirty(slice, tag, request->sectors);
	be_busy(slice, found->now, hd_l2_cycles(slice, request));
	return done;
}

static inline __attribute__((always_inline)) uint64_t read(struct hd_l2_slice *slice, const struct hd_packet *request,
							   const struct found *found, struct hd_dram *dram)
{
	bool atomic = hd_l2_is_atomic(request), waits = found->merge || found->fetch;
	uint32_t sectors = hd_sector_count(request->sectors), service = atomic ? request->service : 0;
	uint64_t done = found->now;
	struct hd_tag *tag = found->index == HD_NONE ? NULL : &slice->tags.tags[found->index];
	if (atomic)
		limit_dirty(slice, found, tag, dram);
	tag = own_line(slice, found, dram);
	if (atomic)
		hd_l2_make_dirty(slice, tag, request->sectors);
	if (waits) {
		done = await_sectors(slice, found, request->sectors, tag, dram) + service;
		be_busy(slice, found->now, sectors + service);
	} else {
		uint32_t cycles = service > sectors ? service : sectors;
		done += atomic ? cycles - 1 : 0;
		be_busy(slice, found->now, cycles);
	}
	return done;
}

/* The first cycle, `arrival` or later, in which the slice's clock comes to the request. */
static uint64_t first_cycle(const struct hd_l2_slice *slice, uint64_t arrival)
{
	uint64_t before = arrival ? hd_clock_at(&slice->clock, arrival - 1) : 0;
	return hd_later(arrival, hd_clock_edge(&slice->clock, hd_later(slice->busy, before + 1)));
}

bool hd_l2_reserved_serve(struct hd_l2_slice *slice, struct hd_packet *packet, uint64_t arrival, struct hd_dram *dram)
{
	bool writes = hd_l2_is_write(packet);
	bool answered = packet->kind != HD_PACKET_WRITEBACK;
	struct found found = {.now = first_cycle(slice, arrival),
			      .line = hd_address_in_slice(slice->map, packet->line)};
	found.index = hd_tags_find(&slice->tags, found.line);
	if (found.index == HD_NONE)
		found.victim = hd_tags_victim(&slice->tags, found.line);
	slice->grid = packet->grid;
	slice->counters = &slice->grids[packet->grid];
	for (uint64_t later = found.now;; found.now = later) {
		look(slice, packet, writes, &found);
		later = can_serve(slice, &found, dram);
		if (later == found.now)
			break;
	}
	enter(slice->reserved, packet->flits, arrival, found.now);
	hd_l2_count(slice, packet->sectors, found.hits);
	uint64_t done = writes ? write(slice, packet, &found, dram) : read(slice, packet, &found, dram);
	if (answered)
		hd_l2_turn(slice, packet);
	if (!writes && (found.merge || found.fetch))
		packet->flags |= HD_PACKET_MISSED;
	packet->ready = (writes && answered ? found.now : done) + (answered ? slice->latency : 0);
	return answered;
}

void hd_l2_reserved_dump(const struct hd_l2_slice *slice, uint64_t now, FILE *out)
{
	uint64_t busy = hd_clock_edge(&slice->clock, slice->busy);
	if (busy > now || slice->reserved->mshrs.used)
		fprintf(out, "l2 slice %u: busy to cycle %llu, at most %u of %u MSHRs in use\n", slice->index,
			(unsigned long long)busy, slice->reserved->mshrs.used, slice->mshrs);
}
