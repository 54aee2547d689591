/*
 * L1 data cache. Loads allocate on a miss, and each missing sector takes an MSHR until it is filled; later loads of the
 * sector merge into it. Global stores write through and do not allocate (with l1_write = back they do as local ones);
 * local stores allocate and stay until they are victims, and a sector written in part is fetched. With l1_write =
 * allocate, as the public simulator has it, all stores go through and allocate, and a sector written in part is fetched
 * when it is read. Atomics, and loads with .cg or .cv (volatile), go past the cache to L2; they too hold MSHRs while
 * under way.
 *
 * With l1_spills = hit, register spills and fills always hit and touch no tag (the ALL-HIT of cars-hpca24 VI-A).
 *
 * What goes to L2 is translated first (tlb.c), where the machine has it so; a packet that waits for that holds up those
 * behind it.
 *
 * Needs tags.c, tlb.c and packets; no cycle of its own: the load/store unit calls it. Cost: O(1) an access, plus the
 * waiters of the line for merges and fills. An access that cannot be done changes nothing, counters included.
 */
#include "runtime/memory/l1.h"

#include "heddle/config.h"
#include "heddle/machine.h"

/* Tags of packets: index of the line's tag, or with this bit that of the waiter of an access past the cache; of stores
 * the ticket. */
#define PAST_CACHE UINT32_C(0x80000000)
/* More than warps can have under way; keeps large MSHR files times large merge limits affordable. */
enum { MAX_WAITERS = 8192 };

void hd_l1_init(struct hd_l1 *l1, uint32_t sm, const struct hd_config *config, struct hd_counters *counters,
		struct hd_arena *arena)
{
	*l1 = (struct hd_l1){.sm = (uint16_t)sm, .grids = counters, .counters = counters, .finished = HD_NONE};
	l1->mshrs = (uint32_t)config->l1_mshrs;
	l1->merges = (uint32_t)config->l1_mshr_merges;
	l1->store_buffer = (uint32_t)config->l1_store_buffer;
	l1->latency = (uint32_t)config->l1_latency;
	l1->flits = hd_flits_of(config);
	l1->sector_bytes = (uint32_t)config->sector;
	l1->line_shift = (uint32_t)__builtin_ctzll(config->l1_line);
	l1->write = (uint8_t)config->l1_write;
	l1->spills_hit = config->l1_spills != 0;
	uint32_t sets = (uint32_t)(config->l1_bytes / (config->l1_line * config->l1_ways));
	l1->enabled = sets > 0;
	hd_tags_init(&l1->tags, sets ? sets : 1, sets ? (uint32_t)config->l1_ways : 1, arena);
	/* By default what the pipeline holds when the crossbar takes one packet a cycle, and one instruction's burst.
	 */
	l1->capacity = config->l1_miss_queue ? (uint32_t)config->l1_miss_queue : l1->latency + 32;
	l1->kept = (uint32_t)config->l1_mshrs_kept;
	l1->out = HD_ARENA_NEW(arena, struct hd_packets, HD_MEM_GRIDS);
	hd_l1_prepare(l1, 0, arena);
	hd_tlb_init(&l1->tlb, config, arena);
	hd_l1_set_sharers(l1, 1);
	uint32_t waiters = l1->mshrs * l1->merges < MAX_WAITERS ? l1->mshrs * l1->merges : MAX_WAITERS;
	l1->waiters = HD_ARENA_NEW_SPARSE(arena, struct hd_l1_waiter, waiters);
	hd_pool_init(&l1->waiter_pool, waiters);
}

void hd_l1_prepare(struct hd_l1 *l1, uint32_t grid, struct hd_arena *arena)
{
	if (!l1->out[grid].ring)
		hd_packets_init(&l1->out[grid], l1->capacity, arena);
}

/* Two packets at least: a victim goes with the miss that takes its place. */
void hd_l1_set_sharers(struct hd_l1 *l1, uint32_t grids)
{
	l1->sharers = grids ? grids : 1;
	l1->share = l1->capacity / l1->sharers > 2 ? l1->capacity / l1->sharers : 2;
}

/* ---- packets and waiters */

/* As L2 answers (l2.c). */
static uint32_t flits_of_answer(const struct hd_l1 *l1, uint8_t kind, uint8_t sectors)
{
	bool data = kind == HD_PACKET_READ || kind == HD_PACKET_ATOMIC;
	uint32_t bytes = data ? hd_sector_count(sectors) * l1->sector_bytes : 0;
	return kind == HD_PACKET_WRITEBACK ? 0 : hd_packet_flits(bytes, l1->flits);
}

/* When a packet may go: after the cache's latency, and when its address is translated. Local memory's physical address
 * is known. */
static uint64_t ready_at(struct hd_l1 *l1, uint64_t now, uint64_t line)
{
	uint64_t address = line << l1->line_shift;
	return address >= HD_LOCAL_PHYSICAL ? now + l1->latency
					    : hd_tlb_ready(&l1->tlb, address, now + l1->latency, l1->counters);
}

static struct hd_packet *send(struct hd_l1 *l1, uint64_t now, uint8_t kind, uint64_t line, uint8_t sectors,
			      uint32_t tag, const struct hd_access *access)
{
	struct hd_packet *packet = hd_packets_add(&l1->out[l1->grid]);
	uint32_t bytes = kind != HD_PACKET_READ ? hd_sector_count(sectors) * l1->sector_bytes : 0;
	*packet = (struct hd_packet){.line = line, .ready = ready_at(l1, now, line), .tag = tag, .sm = l1->sm};
	packet->kind = kind;
	packet->sectors = sectors;
	packet->grid = l1->grid;
	packet->full = access ? access->full : sectors; /* of what is written */
	packet->service = access ? access->service : 0;
	packet->flits = hd_packet_flits(bytes, l1->flits);
	l1->counters->icnt_flits_asked += flits_of_answer(l1, kind, sectors);
	l1->waiting |= UINT32_C(1) << l1->grid;
	return packet;
}

static uint32_t add_waiter(struct hd_l1 *l1, uint32_t ticket, uint8_t sectors)
{
	uint32_t index = HD_POOL_TAKE(&l1->waiter_pool, l1->waiters);
	assert(ticket <= UINT16_MAX);
	l1->waiters[index] = (struct hd_l1_waiter){HD_NONE, (uint16_t)ticket, sectors};
	return index;
}

/* At the end, so that accesses to a line finish in their order. */
static void append_waiter(struct hd_l1 *l1, struct hd_tag *tag, uint32_t ticket, uint8_t sectors)
{
	uint32_t *link = &tag->waiters;
	while (*link != HD_NONE)
		link = &l1->waiters[*link].next;
	*link = add_waiter(l1, ticket, sectors);
}

static bool can_merge(const struct hd_l1 *l1, const struct hd_tag *tag, uint8_t sectors)
{
	for (uint32_t left = sectors; left; left &= left - 1) {
		uint32_t count = 0;
		for (uint32_t i = tag->waiters; i != HD_NONE; i = l1->waiters[i].next)
			count += (l1->waiters[i].sectors & left & -left) != 0;
		if (count >= l1->merges)
			return false;
	}
	return true;
}

static bool have_mshrs(struct hd_l1 *l1, uint8_t sectors)
{
	uint8_t count = (uint8_t)hd_sector_count(sectors);
	bool have = hd_l1_has_mshrs(l1, l1->grid, count);
	if (!have)
		l1->lacks.mshrs = count;
	return have;
}

/* Room for `count` packets. */
static bool have_room(struct hd_l1 *l1, uint8_t count)
{
	bool have = hd_l1_room(l1, l1->grid) >= count;
	if (!have)
		l1->lacks.packets = count;
	return have;
}

static void take_mshrs(struct hd_l1 *l1, uint8_t sectors)
{
	l1->mshrs_used += hd_sector_count(sectors);
	l1->used[l1->grid] += hd_sector_count(sectors);
}

static void count_access(struct hd_l1 *l1, const struct hd_l1_request *request, const struct hd_access *access,
			 uint64_t *outcome)
{
	struct hd_counters *counters = l1->counters;
	counters->l1d_accesses++;
	counters->l1d_sectors += hd_sector_count(access->sectors);
	if (request->space != HD_MEM_LOCAL) {
		counters->l1d_global++;
	} else if (request->class == HD_CLASS_SPILL_FILL) {
		counters->l1d_spill_fill++;
		counters->l1d_spill_fill_misses += outcome == &counters->l1d_misses;
	} else {
		counters->l1d_other_local++;
	}
	++*outcome;
}

/* ---- lines */

/* For whom a dirty line leaves: local memory is that of one grid. Of global memory the one that needs its way. */
static uint8_t writer_of(const struct hd_l1 *l1, uint64_t line)
{
	uint64_t address = line << l1->line_shift;
	if (address < HD_LOCAL_PHYSICAL)
		return l1->grid;
	return (uint8_t)((address - HD_LOCAL_PHYSICAL) / HD_LOCAL_PHYSICAL_GRID % HD_MEM_GRIDS);
}

/* Gives a victim's way to the line; a dirty victim is sent to L2. The caller has checked for room of two packets. */
static struct hd_tag *allocate(struct hd_l1 *l1, uint64_t now, uint32_t victim, uint64_t line)
{
	struct hd_tag *tag = &l1->tags.tags[victim];
	if (tag->dirty) {
		uint8_t writer = writer_of(l1, tag->line);
		l1->grids[writer].l1d_writebacks += hd_sector_count(tag->dirty);
		send(l1, now, HD_PACKET_WRITEBACK, tag->line, tag->dirty, 0, NULL)->grid = writer;
	}
	hd_tags_replace(&l1->tags, victim, line);
	return tag;
}

/* Asks L2 for sectors of an allocated line. */
static void fetch(struct hd_l1 *l1, uint64_t now, struct hd_tag *tag, uint8_t sectors)
{
	tag->pending |= sectors;
	take_mshrs(l1, sectors);
	send(l1, now, HD_PACKET_READ, tag->line, sectors, (uint32_t)(tag - l1->tags.tags), NULL);
}

static enum hd_l1_result load_present(struct hd_l1 *l1, uint64_t now, const struct hd_l1_request *request,
				      const struct hd_access *access, uint32_t index)
{
	struct hd_tag *tag = &l1->tags.tags[index];
	uint8_t wait = access->sectors & (uint8_t)~tag->valid, merge = wait & tag->pending;
	uint8_t miss = wait & (uint8_t)~tag->pending;
	if (!wait) {
		count_access(l1, request, access, &l1->counters->l1d_hits);
		hd_tags_touch(&l1->tags, index);
		return HD_L1_DONE;
	}
	if (hd_pool_is_empty(&l1->waiter_pool) || !can_merge(l1, tag, merge))
		return HD_L1_STALL;
	if (miss && (!have_mshrs(l1, miss) || !have_room(l1, 1)))
		return HD_L1_STALL;
	if (miss)
		fetch(l1, now, tag, miss);
	append_waiter(l1, tag, request->ticket, wait);
	count_access(l1, request, access, miss ? &l1->counters->l1d_misses : &l1->counters->l1d_pending_hits);
	hd_tags_touch(&l1->tags, index);
	return HD_L1_WAIT;
}

static enum hd_l1_result load(struct hd_l1 *l1, uint64_t now, const struct hd_l1_request *request,
			      const struct hd_access *access)
{
	uint32_t index = hd_tags_find(&l1->tags, access->line);
	if (index != HD_NONE)
		return load_present(l1, now, request, access, index);
	if (!have_mshrs(l1, access->sectors) || !have_room(l1, 2) || hd_pool_is_empty(&l1->waiter_pool))
		return HD_L1_STALL;
	uint32_t victim = hd_tags_victim(&l1->tags, access->line);
	if (victim == HD_NONE)
		return HD_L1_STALL;
	struct hd_tag *tag = allocate(l1, now, victim, access->line);
	fetch(l1, now, tag, access->sectors);
	tag->waiters = add_waiter(l1, request->ticket, access->sectors);
	count_access(l1, request, access, &l1->counters->l1d_misses);
	return HD_L1_WAIT;
}

/* Loads past the cache and atomics. An atomic makes what L1 holds of its sectors stale. */
static enum hd_l1_result pass(struct hd_l1 *l1, uint64_t now, const struct hd_l1_request *request,
			      const struct hd_access *access)
{
	if (!have_mshrs(l1, access->sectors) || !have_room(l1, 2) || hd_pool_is_empty(&l1->waiter_pool))
		return HD_L1_STALL;
	uint32_t index = hd_tags_find(&l1->tags, access->line);
	struct hd_tag *tag = index == HD_NONE ? NULL : &l1->tags.tags[index];
	uint8_t dirty = tag ? tag->dirty & tag->valid & access->sectors : 0;
	if (dirty) {
		l1->counters->l1d_writebacks += hd_sector_count(dirty);
		send(l1, now, HD_PACKET_WRITEBACK, access->line, dirty, 0, NULL);
		tag->dirty &= (uint8_t)~dirty;
	}
	if (tag && request->kind != HD_MEM_LOAD)
		tag->valid &= (uint8_t)~access->sectors;
	uint32_t waiter = add_waiter(l1, request->ticket, access->sectors);
	take_mshrs(l1, access->sectors);
	uint8_t kind = request->kind == HD_MEM_LOAD	? HD_PACKET_READ
		       : request->kind == HD_MEM_ATOMIC ? HD_PACKET_ATOMIC
							: HD_PACKET_REDUCTION;
	send(l1, now, kind, access->line, access->sectors, PAST_CACHE | waiter, access);
	count_access(l1, request, access, &l1->counters->l1d_misses);
	return HD_L1_WAIT;
}

/* `keep`: what is written stays in L1, too, in a line of its own if there is none. */
static enum hd_l1_result store_through(struct hd_l1 *l1, uint64_t now, const struct hd_l1_request *request,
				       const struct hd_access *access, bool keep)
{
	if ((l1->store_buffer && l1->stores >= l1->store_buffer) || !have_room(l1, 1))
		return HD_L1_STALL;
	uint32_t index = l1->enabled ? hd_tags_find(&l1->tags, access->line) : HD_NONE;
	bool hit = index != HD_NONE && !(access->sectors & ~l1->tags.tags[index].valid);
	if (index != HD_NONE) {
		hd_tags_touch(&l1->tags, index);
	} else if (keep) {
		index = hd_tags_victim(&l1->tags, access->line);
		if (index == HD_NONE)
			return HD_L1_STALL;
		hd_tags_replace(&l1->tags, index, access->line);
	}
	if (keep)
		l1->tags.tags[index].valid |= access->full;
	l1->stores++;
	send(l1, now, HD_PACKET_WRITE, access->line, access->sectors, request->ticket, access);
	count_access(l1, request, access, hit ? &l1->counters->l1d_hits : &l1->counters->l1d_misses);
	return HD_L1_WAIT;
}

static enum hd_l1_result store_back(struct hd_l1 *l1, uint64_t now, const struct hd_l1_request *request,
				    const struct hd_access *access)
{
	uint32_t index = hd_tags_find(&l1->tags, access->line), victim = HD_NONE;
	struct hd_tag *tag = index == HD_NONE ? NULL : &l1->tags.tags[index];
	uint8_t part = access->sectors & (uint8_t)~access->full;
	uint8_t missing = tag ? part & (uint8_t)~(tag->valid | tag->pending) : part;
	bool hit = tag && !(access->sectors & ~tag->valid);
	if (!tag)
		victim = hd_tags_victim(&l1->tags, access->line);
	if (!have_mshrs(l1, missing) || !have_room(l1, 2) || (!tag && victim == HD_NONE))
		return HD_L1_STALL;
	if (tag)
		hd_tags_touch(&l1->tags, index);
	else
		tag = allocate(l1, now, victim, access->line);
	if (missing)
		fetch(l1, now, tag, missing);
	tag->valid |= access->full;
	tag->dirty |= access->sectors;
	count_access(l1, request, access, hit ? &l1->counters->l1d_hits : &l1->counters->l1d_misses);
	return HD_L1_DONE;
}

enum hd_l1_result hd_l1_access(struct hd_l1 *l1, uint64_t now, const struct hd_l1_request *request,
			       const struct hd_access *access)
{
	bool local = request->space == HD_MEM_LOCAL;
	l1->grid = request->grid;
	l1->counters = &l1->grids[request->grid];
	l1->lacks = (struct hd_l1_lacks){0, 0};
	if (l1->spills_hit && local && request->class == HD_CLASS_SPILL_FILL) {
		count_access(l1, request, access, &l1->counters->l1d_hits);
		return HD_L1_DONE;
	}
	bool past = request->bypass;
	if (request->kind == HD_MEM_STORE) {
		bool keep = l1->enabled && !past, all = l1->write == HD_L1_WRITE_ALLOCATE;
		if (keep && !all && (local || l1->write == HD_L1_WRITE_BACK))
			return store_back(l1, now, request, access);
		return store_through(l1, now, request, access, keep && all);
	}
	bool uncached = past || (!local && (request->cache == HD_CACHE_CG || request->cache == HD_CACHE_CV));
	if (request->kind != HD_MEM_LOAD || uncached || !l1->enabled)
		return pass(l1, now, request, access);
	return load(l1, now, request, access);
}

/* ---- replies */

static void finish(struct hd_l1 *l1, uint32_t index)
{
	uint32_t *link = &l1->finished;
	while (*link != HD_NONE)
		link = &l1->waiters[*link].next;
	*link = index;
	l1->waiters[index].next = HD_NONE;
}

static void fill(struct hd_l1 *l1, struct hd_tag *tag, uint8_t sectors)
{
	tag->pending &= (uint8_t)~sectors;
	tag->valid |= sectors;
	uint32_t *link = &tag->waiters;
	while (*link != HD_NONE) {
		uint32_t index = *link;
		struct hd_l1_waiter *waiter = &l1->waiters[index];
		waiter->sectors &= (uint8_t)~sectors;
		if (waiter->sectors) {
			link = &waiter->next;
		} else {
			*link = waiter->next;
			finish(l1, index);
		}
	}
}

uint32_t hd_l1_reply(struct hd_l1 *l1, const struct hd_packet *reply)
{
	if (reply->kind == HD_PACKET_ACK && !(reply->tag & PAST_CACHE)) {
		assert(l1->stores);
		l1->stores--;
		return reply->tag;
	}
	uint32_t sectors = hd_sector_count(reply->sectors);
	assert(l1->mshrs_used >= sectors);
	l1->mshrs_used -= sectors;
	l1->used[reply->grid] -= sectors;
	if (reply->tag & PAST_CACHE)
		finish(l1, reply->tag & ~PAST_CACHE);
	else
		fill(l1, &l1->tags.tags[reply->tag], reply->sectors);
	return HD_NONE;
}

void hd_l1_prefetch(const struct hd_l1 *l1, const struct hd_packet *reply)
{
	if (reply->kind == HD_PACKET_DATA && !(reply->tag & PAST_CACHE))
		__builtin_prefetch(&l1->tags.tags[reply->tag]);
}

bool hd_l1_finished(struct hd_l1 *l1, uint32_t *ticket)
{
	uint32_t index = l1->finished;
	if (index == HD_NONE)
		return false;
	struct hd_l1_waiter *waiter = &l1->waiters[index];
	*ticket = waiter->ticket;
	l1->finished = waiter->next;
	HD_POOL_GIVE(&l1->waiter_pool, l1->waiters, index);
	return true;
}

/* ---- the whole */

void hd_l1_set_ways(struct hd_l1 *l1, uint32_t ways)
{
	l1->counters->l1d_writebacks += hd_tags_set_limit(&l1->tags, ways);
}

void hd_l1_flush(struct hd_l1 *l1)
{
	l1->counters->l1d_writebacks += hd_tags_flush(&l1->tags);
}

void hd_l1_flush_local(struct hd_l1 *l1, uint32_t grid)
{
	uint64_t from = (HD_LOCAL_PHYSICAL + grid * HD_LOCAL_PHYSICAL_GRID) >> l1->line_shift;
	uint64_t to = from + (HD_LOCAL_PHYSICAL_GRID >> l1->line_shift);
	l1->grids[grid].l1d_writebacks += hd_tags_flush_range(&l1->tags, from, to);
}

void hd_l1_invalidate_global(struct hd_l1 *l1)
{
	hd_tags_forget_clean(&l1->tags, HD_LOCAL_PHYSICAL >> l1->line_shift);
}

bool hd_l1_idle(const struct hd_l1 *l1)
{
	return !l1->mshrs_used && !l1->waiting;
}

void hd_l1_dump(const struct hd_l1 *l1, FILE *out)
{
	uint32_t packets = 0;
	for (uint32_t left = l1->waiting; left; left &= left - 1)
		packets += hd_packets_count(&l1->out[__builtin_ctz(left)]);
	fprintf(out, "  l1: %u lines, %u of %u ways, %u of %u MSHRs, %u packets to send\n", l1->tags.used,
		l1->tags.limit, l1->tags.ways, l1->mshrs_used, l1->mshrs, packets);
	for (uint32_t i = 0; i < l1->tags.set_count * l1->tags.ways; i++) {
		const struct hd_tag *tag = &l1->tags.tags[i];
		if (tag->pending)
			fprintf(out, "    line %#llx waits for sectors %#x\n", (unsigned long long)tag->line,
				tag->pending);
	}
}
