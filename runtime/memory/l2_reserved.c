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

/* A sector under way: when it is there, and how many requests wait for it. */
struct late {
	uint64_t at : 48;
	uint64_t requests : 16;
};

/* What leaves a place at a cycle: MSHRs with a fill, flits of the crossbar's queue. */
struct leaving {
	uint64_t cycle;
	uint32_t count;
};

struct ring {
	struct leaving *entries;
	uint32_t mask, head, tail, used; /* used: the sum of the counts */
};

struct hd_l2_reserved {
	struct late *late; /* as tags, of each sector */
	uint32_t line_sectors;
	struct ring mshrs, flits;
	uint64_t *served; /* cycles in which the last requests were served: as many as the slice's queue holds */
	uint32_t queue, next_served;
	uint32_t room;
	uint64_t entered; /* the last request has entered that queue */
};

static void init_ring(struct ring *ring, uint32_t capacity, struct hd_arena *arena)
{
	uint32_t slots = hd_power_above(capacity);
	ring->entries = HD_ARENA_NEW_SPARSE(arena, struct leaving, slots);
	ring->mask = slots - 1;
}

struct hd_l2_reserved *hd_l2_reserved_new(const struct hd_l2_slice *slice, uint32_t line_sectors, uint32_t queue,
					  uint32_t room, struct hd_arena *arena)
{
	struct hd_l2_reserved *reserved = HD_ARENA_NEW(arena, struct hd_l2_reserved, 1);
	reserved->line_sectors = line_sectors;
	reserved->late = HD_ARENA_NEW_SPARSE(arena, struct late,
					     (size_t)slice->tags.set_count * slice->tags.ways * line_sectors);
	/* One more: a line of more sectors than there are MSHRs goes alone. */
	init_ring(&reserved->mshrs, slice->mshrs + 1, arena);
	init_ring(&reserved->flits, room + 1, arena);
	reserved->served = HD_ARENA_NEW(arena, uint64_t, queue);
	reserved->queue = queue;
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

uint64_t hd_l2_reserved_room(struct hd_l2_slice *slice, uint32_t flits, uint64_t now)
{
	return room_at(&slice->reserved->flits, flits, slice->reserved->room, now);
}

/* A request that arrives at a cycle leaves the crossbar's queue when the slice's has a place, in a later cycle. */
static void enter(struct hd_l2_reserved *reserved, uint32_t flits, uint64_t arrival, uint64_t served)
{
	uint64_t *place = &reserved->served[reserved->next_served];
	reserved->entered = hd_later(reserved->entered, hd_later(arrival, *place));
	add(&reserved->flits, reserved->entered + 1, flits);
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

static struct late *late_of(const struct hd_l2_slice *slice, uint32_t index)
{
	return &slice->reserved->late[(size_t)index * slice->reserved->line_sectors];
}

/* Of these sectors those that are under way. */
static uint8_t pending_of(const struct late *late, uint8_t sectors, uint64_t now)
{
	uint8_t pending = 0;
	for (uint32_t left = sectors; left; left &= left - 1)
		if (late[__builtin_ctz(left)].at > now)
			pending |= (uint8_t)(left & -left);
	return pending;
}

static void look(const struct hd_l2_slice *slice, const struct hd_packet *request, bool write, struct found *found)
{
	found->hits = found->merge = 0;
	if (found->index != HD_NONE) {
		uint8_t valid = request->sectors & slice->tags.tags[found->index].valid;
		found->merge = pending_of(late_of(slice, found->index), valid, found->now);
		found->hits = valid & (uint8_t)~found->merge;
	}
	found->fetch = request->sectors & (uint8_t)~(found->hits | found->merge);
	if (write) {
		found->fetch &= (uint8_t)~request->full;
		found->merge = 0;
	}
}

/* When it can be served: later than at found->now, where something is missing. */
static uint64_t can_serve(struct hd_l2_slice *slice, const struct found *found, struct hd_dram *dram)
{
	struct hd_l2_reserved *reserved = slice->reserved;
	uint64_t now = found->now;
	for (uint32_t left = found->merge; left; left &= left - 1) {
		const struct late *late = &late_of(slice, found->index)[__builtin_ctz(left)];
		if (late->requests >= slice->merges)
			now = hd_later(now, late->at);
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
	struct late *late = late_of(slice, found->victim);
	for (uint32_t i = 0; i < slice->reserved->line_sectors; i++)
		late[i] = (struct late){0, 0};
	return hd_l2_allocate(slice, found->now, found->line, found->victim, dram);
}

/* Asks for what the line lacks and nobody has asked for. */
static void fetch(struct hd_l2_slice *slice, const struct found *found, struct hd_tag *tag, struct hd_dram *dram)
{
	struct late *late = late_of(slice, (uint32_t)(tag - slice->tags.tags));
	uint64_t there = hd_dram_reserved_read(dram, found->now, slice->index, tag->line, found->fetch, slice->grid);
	add(&slice->reserved->mshrs, there, hd_sector_count(found->fetch));
	for (uint32_t left = found->fetch; left; left &= left - 1)
		late[__builtin_ctz(left)] = (struct late){there & 0xffffffffffff, 0};
	tag->valid |= found->fetch;
}

/* Returns when all sectors that the request lacks are there. */
static uint64_t await_sectors(struct hd_l2_slice *slice, const struct found *found, struct hd_tag *tag,
			      struct hd_dram *dram)
{
	struct late *late = late_of(slice, (uint32_t)(tag - slice->tags.tags));
	uint64_t there = found->now;
	if (found->fetch)
		fetch(slice, found, tag, dram);
	for (uint32_t left = found->merge | found->fetch; left; left &= left - 1) {
		struct late *sector = &late[__builtin_ctz(left)];
		sector->requests++;
		there = hd_later(there, sector->at);
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

static uint64_t write(struct hd_l2_slice *slice, const struct hd_packet *request, const struct found *found,
		      struct hd_dram *dram)
{
	struct hd_tag *tag = found->index == HD_NONE ? NULL : &slice->tags.tags[found->index];
	uint64_t done = found->now;
	limit_dirty(slice, found, tag, dram);
	tag = own_line(slice, found, dram);
	if (found->fetch)
		done = await_sectors(slice, found, tag, dram);
	tag->valid |= request->full;
	for (uint32_t left = request->full; left; left &= left - 1)
		late_of(slice, (uint32_t)(tag - slice->tags.tags))[__builtin_ctz(left)] = (struct late){0, 0};
	hd_l2_make_dirty(slice, tag, request->sectors);
	be_busy(slice, found->now, hd_sector_count(request->sectors));
	return done;
}

static uint64_t read(struct hd_l2_slice *slice, const struct hd_packet *request, const struct found *found,
		     struct hd_dram *dram)
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
		done = await_sectors(slice, found, tag, dram) + service;
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
	bool writes = packet->kind == HD_PACKET_WRITE || packet->kind == HD_PACKET_WRITEBACK;
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
	uint64_t done = (writes ? write : read)(slice, packet, &found, dram);
	if (answered)
		*packet = hd_l2_reply_to(slice, packet);
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
