/*
 * Load/store unit of one SM: a bounded queue of memory instructions, served in order by one front. Shared memory takes
 * an instruction for as many cycles as its worst bank has conflicts; global and local ones are coalesced, and their
 * line accesses go to the L1's tag banks, l1_ports a cycle and bank, each bank in order; together they move at most
 * l1_width bytes a cycle and port, so that a load of a whole line has a cycle to itself. An instruction is complete
 * when its last line access is. A load whose bytes go to shared memory then waits until that can take them, in passes
 * as a store of them would, which come before the instructions in the queue.
 *
 * Of several grids on the SM each has a queue of its own and an equal part of the places. The front takes the
 * instruction that was issued first; one that L1 cannot serve makes way for those of other grids.
 *
 * Needs an L1 (l1.c), the coalescer and the crossbars (lsu_port.c). Cost: a tick looks at the heads of three queues; an
 * instruction costs its lanes once and its line accesses once. When nothing can proceed the unit sleeps until a reply
 * comes or a packet leaves, so stalls cost nothing.
 */
#include <string.h>

#include "runtime/memory/lsu.h"

#include "heddle/config.h"

/* Instructions under way in the memory, more than the warps of an SM have registers to wait with; stores count. */
enum { INFLIGHT = 1024 };

uint32_t hd_lsu_capacity(const struct hd_config *config)
{
	return (uint32_t)(config->memory_queue ? config->memory_queue * config->schedulers : config->lsu_queue);
}

struct hd_lsu *hd_lsu_new(struct hd_memory *memory, uint32_t sm, const struct hd_config *config,
			  struct hd_counters *counters, struct hd_arena *arena)
{
	struct hd_lsu *lsu = HD_ARENA_NEW(arena, struct hd_lsu, 1);
	lsu->memory = memory;
	lsu->sm = sm;
	lsu->grids = lsu->counters = counters;
	hd_coalescer_init(&lsu->coalescer, config);
	hd_l1_init(&lsu->l1, sm, config, counters, arena);
	lsu->banks = (uint32_t)config->l1_banks;
	lsu->ports = (uint32_t)config->l1_ports;
	lsu->sectors =
		(uint32_t)(config->l1_width > config->sector ? config->l1_width / config->sector : 1) * lsu->ports;
	lsu->shared_banks = (uint32_t)config->shared_banks;
	lsu->shared_pairs = config->shared_pairs;
	lsu->shared_width = (uint32_t)config->shared_width;
	lsu->interval = (uint32_t)config->lsu_interval;
	lsu->atomic_latency = (uint32_t)config->atomic_latency;
	lsu->shared_latency = (uint32_t)config->shared_latency;
	lsu->l1_latency = (uint32_t)config->l1_latency;
	lsu->copy_latency = (uint32_t)config->copy_latency;
	lsu->l1_bytes = config->l1_bytes;
	lsu->l1_ways = config->l1_ways;
	lsu->unified = config->l1_unified && config->l1_bytes;
	assert(lsu->banks <= HD_LSU_BANKS);
	/* Due ones that wait in the pipelines, one a cycle, those that replies finish, and stores to other SMs. */
	uint32_t under_way = lsu->l1_latency + lsu->shared_latency + 2 * (uint32_t)config->dsm_latency;
	hd_completions_init(&lsu->completions, INFLIGHT + under_way + 256, arena);
	hd_completions_init(&lsu->copies, INFLIGHT, arena);
	lsu->group_count = HD_MEM_GROUPS;
	lsu->pending_stores = HD_ARENA_NEW(arena, uint32_t, lsu->group_count);
	lsu->capacity = lsu->share = hd_lsu_capacity(config);
	lsu->tells_taken = config->memory_queue != 0;
	lsu->inflight = HD_ARENA_NEW_SPARSE(arena, struct hd_lsu_inflight, INFLIGHT);
	hd_pool_init(&lsu->inflight_pool, INFLIGHT);
	hd_lsu_prepare(lsu, 0, arena);
	hd_lsu_init_lines(lsu, config, arena);
	return lsu;
}

void hd_lsu_prepare(struct hd_lsu *lsu, uint32_t grid, struct hd_arena *arena)
{
	if (lsu->fronts[grid])
		return;
	struct hd_lsu_front *front = HD_ARENA_NEW(arena, struct hd_lsu_front, 1);
	uint32_t slots = hd_power_above(lsu->capacity);
	front->queue = HD_ARENA_NEW(arena, struct hd_lsu_waiting, slots);
	front->mask = slots - 1;
	front->accesses = HD_ARENA_NEW_SPARSE(arena, struct hd_access, lsu->capacity * HD_MAX_ACCESSES);
	front->places = HD_ARENA_NEW(arena, uint16_t, lsu->capacity);
	for (uint32_t i = 0; i < lsu->capacity; i++)
		front->places[front->places_free++] = (uint16_t)(lsu->capacity - 1 - i);
	memset(front->bank_first, HD_LSU_LIST_END, sizeof(front->bank_first));
	front->given_out = HD_ARENA_NEW(arena, struct hd_access, HD_MAX_ACCESSES);
	front->current = HD_NONE;
	front->stalled_since = HD_NEVER;
	lsu->fronts[grid] = front;
	hd_l1_prepare(&lsu->l1, grid, arena);
}

/* Queues of several grids are together larger than one alone: a share may shrink while its places are taken, to a half,
 * a third and so on of all places, which make four times as many for 32 grids and leave some. */
void hd_lsu_prepare_lines(struct hd_lsu *lsu, uint32_t kept, struct hd_arena *arena)
{
	uint32_t count = kept + 5 * lsu->capacity + HD_MEM_GRIDS;
	if (lsu->kept)
		return;
	assert(count < UINT16_MAX);
	lsu->kept = HD_ARENA_NEW(arena, struct hd_lsu_lines, count + 1);
	lsu->kept_count = count;
	hd_lsu_forget_lines(lsu);
}

void hd_lsu_forget_lines(struct hd_lsu *lsu)
{
	for (uint32_t i = 1; i <= lsu->kept_count; i++)
		lsu->kept[i].next_free = (uint16_t)(i < lsu->kept_count ? i + 1 : 0);
	lsu->free_kept = lsu->kept_count ? 1 : 0;
}

uint16_t hd_lsu_keep_lines(struct hd_lsu *lsu, const uint64_t *address, uint32_t count, uint32_t bytes,
			   uint32_t *sectors)
{
	uint16_t number = lsu->free_kept;
	struct hd_lsu_lines *lines = &lsu->kept[number];
	assert(number);
	lsu->free_kept = lines->next_free;
	lines->count = (uint16_t)hd_coalesce_runs(&lsu->coalescer, address, count, bytes ? bytes : 1, lines->line);
	*sectors = 0;
	for (uint32_t i = 0; i < lines->count; i++)
		*sectors += hd_sector_count((uint8_t)lines->line[i]);
	return number;
}

void hd_lsu_release_lines(struct hd_lsu *lsu, uint16_t number)
{
	lsu->kept[number].next_free = lsu->free_kept;
	lsu->free_kept = number;
}

void hd_lsu_set_sharers(struct hd_lsu *lsu, uint32_t grids)
{
	lsu->share = grids > 1 ? lsu->capacity / grids : lsu->capacity;
	lsu->share += !lsu->share;
	hd_l1_set_sharers(&lsu->l1, grids);
	lsu->freed = true;
}

void hd_lsu_set_watch(struct hd_lsu *lsu, const struct hd_lsu_watch *watch)
{
	lsu->watch = *watch;
}

void hd_lsu_set_shared(struct hd_lsu *lsu, uint32_t bytes)
{
	if (!lsu->unified)
		return;
	uint64_t left = lsu->l1_bytes > bytes ? lsu->l1_bytes - bytes : 0, ways = left * lsu->l1_ways / lsu->l1_bytes;
	hd_l1_set_ways(&lsu->l1, ways ? (uint32_t)ways : 1);
}

/* ---- instructions come and go */

bool hd_lsu_can_accept(const struct hd_lsu *lsu, uint32_t grid, uint32_t reserved)
{
	const struct hd_lsu_front *front = lsu->fronts[grid];
	return front->end - front->first + reserved < lsu->share;
}

const void *hd_lsu_holder(const struct hd_lsu *lsu, uint32_t grid, uint64_t now, uint64_t *until)
{
	const struct hd_lsu_front *front = lsu->fronts[grid];
	bool taken = front->current == HD_NONE && lsu->front_free > now;
	*until = taken ? lsu->front_free : HD_NEVER;
	if (taken)
		return lsu->holder;
	return front->first == front->end ? NULL : hd_lsu_head(front)->origin;
}

uint32_t hd_lsu_taken(struct hd_lsu *lsu)
{
	return lsu->taken_count ? lsu->taken[--lsu->taken_count] : HD_MEM_NO_PLACE;
}

/* Cycles of a shared instruction: those of its conflicts, or what its words need of the data path. Lanes that read one
 * word count once when it is the same for all, and pairs once where the machine serves them so. */
uint32_t hd_lsu_shared_cycles(const struct hd_lsu *lsu, const struct hd_mem_request *request)
{
	bool pairs = lsu->shared_pairs && hd_shared_pairs(request);
	uint32_t cycles = hd_shared_cycles(request, lsu->shared_banks, pairs);
	uint32_t lanes = request->pattern == HD_MEM_UNIFORM ? 1 : (uint32_t)__builtin_popcount(request->mask) >> pairs;
	uint32_t moved = (lanes * request->bytes + lsu->shared_width - 1) / lsu->shared_width;
	return moved > cycles ? moved : cycles;
}

/* Fills in the slot's line accesses or cycles. */
static void coalesce(struct hd_lsu *lsu, struct hd_lsu_front *front, struct hd_lsu_waiting *slot,
		     const struct hd_mem_request *request)
{
	if (request->space == HD_MEM_SHARED) {
		slot->count = (uint16_t)hd_lsu_shared_cycles(lsu, request);
		return;
	}
	if (request->space == HD_MEM_REMOTE) {
		slot->accesses = hd_dsm_add(lsu->port, lsu->sm, request, slot->issued);
		slot->count = lsu->port->all.data[slot->accesses]->count;
		return;
	}
	if (request->lines) {
		slot->lines = request->lines;
		slot->count = lsu->kept[request->lines].count;
		return;
	}
	/* The place that was given back last, which is in the host's cache. */
	slot->accesses = front->places[--front->places_free] * (uint32_t)HD_MAX_ACCESSES;
	struct hd_access *accesses = front->accesses + slot->accesses;
	slot->count = (uint16_t)hd_coalesce(&lsu->coalescer, request, accesses);
	if (slot->count)
		hd_tags_prefetch(&lsu->l1.tags, accesses->line);
}

/* The slot of one that can be taken from cycle `ready` on: behind those before it, and that under way. With memory
 * queues others may have been given to address units that are busy; there are few. */
static struct hd_lsu_waiting *place_in_queue(const struct hd_lsu *lsu, const struct hd_lsu_front *front, uint64_t ready)
{
	uint32_t at = front->end, first = front->first + (front->current != HD_NONE);
	for (; lsu->tells_taken && at != first && front->queue[(at - 1) & front->mask].ready > ready; at--)
		front->queue[at & front->mask] = front->queue[(at - 1) & front->mask];
	return &front->queue[at & front->mask];
}

void hd_lsu_issue(struct hd_lsu *lsu, uint64_t now, uint64_t ready, const struct hd_mem_request *request)
{
	struct hd_lsu_front *front = lsu->fronts[request->grid];
	assert(front->end - front->first < lsu->capacity && request->group < lsu->group_count);
	struct hd_lsu_waiting *slot = place_in_queue(lsu, front, hd_later(ready, now + 1));
	*slot = (struct hd_lsu_waiting){.issued = now, .ready = hd_later(ready, now + 1), .token = request->token};
	slot->origin = request->origin;
	slot->group = request->group;
	slot->place = request->place;
	slot->space = request->space;
	slot->kind = request->kind;
	slot->class = request->class;
	slot->cache = request->cache;
	slot->grid = request->grid;
	slot->bypass = request->bypass;
	slot->copy = request->copy;
	if (request->space != HD_MEM_SHARED)
		lsu->pending[request->grid]++;
	coalesce(lsu, front, slot, request);
	front->end++;
	lsu->filled |= UINT32_C(1) << request->grid;
	if (hd_lsu_is_store(request->kind) && request->space != HD_MEM_SHARED)
		lsu->pending_stores[request->group]++;
}

void hd_lsu_end(struct hd_lsu *lsu, uint32_t index, uint64_t cycle)
{
	struct hd_lsu_inflight *entry = &lsu->inflight[index];
	lsu->pending[entry->grid]--;
	if (hd_lsu_is_store(entry->kind)) {
		lsu->pending_stores[entry->group]--;
	} else {
		lsu->grids[entry->grid].load_requests++;
		lsu->grids[entry->grid].load_latency += cycle - entry->issued;
	}
	hd_lsu_complete(lsu, entry->token, cycle);
	if (hd_pool_is_empty(&lsu->inflight_pool)) /* copies and hits end without a reply */
		hd_lsu_wake(lsu);
	HD_POOL_GIVE(&lsu->inflight_pool, lsu->inflight, index);
	lsu->inflight_count--;
}

void hd_lsu_access_done(struct hd_lsu *lsu, uint32_t index, uint64_t cycle)
{
	struct hd_lsu_inflight *entry = &lsu->inflight[index];
	entry->due = hd_later(entry->due, cycle);
	if (--entry->remaining)
		return;
	if (entry->copy)
		hd_completions_add(&lsu->copies, entry->due + lsu->copy_latency, index);
	else
		hd_lsu_end(lsu, index, entry->due);
}

uint32_t hd_lsu_completions(struct hd_lsu *lsu, uint64_t now, struct hd_mem_completion *out, uint32_t capacity)
{
	uint32_t count = 0;
	while (count < capacity && hd_completions_next(&lsu->completions) <= now) {
		struct hd_due due = hd_completions_take(&lsu->completions);
		if (__builtin_expect(due.token & HD_LSU_ACKNOWLEDGED, 0)) {
			lsu->pending_stores[due.token & ~HD_LSU_ACKNOWLEDGED]--;
			continue;
		}
		out[count++] = (struct hd_mem_completion){due.token, due.cycle};
	}
	return count;
}

void hd_lsu_open_port(struct hd_lsu *lsu, struct hd_arena *arena)
{
	if (!lsu->port)
		lsu->port = hd_dsm_port_new(arena);
}

struct hd_dsm_port *hd_lsu_port(const struct hd_lsu *lsu)
{
	return lsu->port;
}

void hd_lsu_remote_done(struct hd_lsu *lsu, struct hd_dsm_access *access)
{
	lsu->pending[access->grid]--;
	lsu->inflight_count--;
	if (hd_lsu_is_store(access->kind)) {
		hd_completions_add(&lsu->completions, access->done, HD_LSU_ACKNOWLEDGED | access->group);
	} else {
		lsu->grids[access->grid].load_requests++;
		lsu->grids[access->grid].load_latency += access->done - access->issued;
		hd_lsu_complete(lsu, access->token, access->done);
	}
	hd_dsm_forget(lsu->port, access);
}

uint64_t hd_lsu_next_completion(const struct hd_lsu *lsu)
{
	return hd_completions_next(&lsu->completions);
}

uint32_t hd_lsu_pending_stores(const struct hd_lsu *lsu, uint32_t group)
{
	return lsu->pending_stores[group];
}

uint32_t hd_lsu_pending(const struct hd_lsu *lsu, uint32_t grid)
{
	return lsu->pending[grid];
}

uint32_t hd_lsu_packets(const struct hd_lsu *lsu, uint32_t grid)
{
	return hd_packets_count(&lsu->l1.out[grid]);
}

/* ---- the whole */

void hd_lsu_fetch(const struct hd_lsu *lsu)
{
	__builtin_prefetch(&lsu->memory);
	__builtin_prefetch(&lsu->l1.waiting);
	__builtin_prefetch(&lsu->filled);
	__builtin_prefetch(&lsu->next_reply);
	__builtin_prefetch(&lsu->lines[HD_LSU_BULK]);
	__builtin_prefetch(&lsu->bulk_done);
	__builtin_prefetch(&lsu->memory->down.out[lsu->sm]);
}

bool hd_lsu_idle(const struct hd_lsu *lsu)
{
	return !lsu->filled && !lsu->inflight_count && !lsu->completions.count && !lsu->lines_under_way &&
	       hd_l1_idle(&lsu->l1);
}

void hd_lsu_flush(struct hd_lsu *lsu)
{
	hd_l1_flush(&lsu->l1);
}

void hd_lsu_flush_local(struct hd_lsu *lsu, uint32_t grid)
{
	hd_l1_flush_local(&lsu->l1, grid);
}

void hd_lsu_invalidate_global(struct hd_lsu *lsu)
{
	hd_l1_invalidate_global(&lsu->l1);
}

static void dump_front(const struct hd_lsu *lsu, uint32_t grid, FILE *out)
{
	const struct hd_lsu_front *front = lsu->fronts[grid];
	const struct hd_lsu_waiting *head = hd_lsu_head(front);
	fprintf(out, "  grid %u: %u of %u queued%s\n", grid, front->end - front->first, lsu->share,
		front->stalled_since == HD_NEVER ? "" : ", stalled");
	fprintf(out, "  head: token %u space %u kind %u, %u line accesses, issued %llu, ready %llu\n", head->token,
		head->space, head->kind, head->count, (unsigned long long)head->issued,
		(unsigned long long)head->ready);
}

void hd_lsu_dump(const struct hd_lsu *lsu, FILE *out)
{
	fprintf(out, "load/store unit of SM %u: %u under way, %u completions due from %lld\n", lsu->sm,
		lsu->inflight_count, lsu->completions.count, (long long)hd_completions_next(&lsu->completions));
	for (uint32_t left = lsu->filled; left; left &= left - 1)
		dump_front(lsu, (uint32_t)__builtin_ctz(left), out);
	if (lsu->lines_under_way)
		fprintf(out, "  transfers: %u of %u lines under way, %u to go\n", lsu->lines_under_way, lsu->lines_most,
			hd_packets_count(&lsu->lines[0]) + hd_packets_count(&lsu->lines[1]));
	hd_l1_dump(&lsu->l1, out);
}
