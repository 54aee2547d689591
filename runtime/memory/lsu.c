/*
 * Load/store unit of one SM: a bounded queue of memory instructions, served in order by one front. Shared memory takes
 * an instruction for as many cycles as its worst bank has conflicts; global and local ones are coalesced, and their
 * line accesses go to the L1's tag banks, l1_ports a cycle and bank, each bank in order; together they move at most
 * l1_width bytes a cycle and port, so that a load of a whole line has a cycle to itself. An instruction is complete
 * when its last line access is.
 *
 * Needs an L1 (l1.c), the coalescer and the crossbars. Cost: a tick looks at the heads of three queues; an instruction
 * costs its lanes once and its line accesses once. When nothing can proceed the unit sleeps until a reply comes or a
 * packet leaves, so stalls cost nothing.
 */
#include <string.h>

#include "runtime/memory/completions.h"
#include "runtime/memory/l1.h"
#include "runtime/memory/system.h"

/* Instructions under way in the memory, more than the warps of an SM have registers to wait with; stores count. */
enum { INFLIGHT = 1024, MAX_BANKS = 32, LIST_END = 255 };

/* A queued instruction, coalesced when it came. */
struct waiting {
	uint64_t issued, ready;
	uint32_t token;
	uint32_t accesses; /* where its line accesses begin */
	uint16_t count;	   /* of them; of shared instructions the cycles */
	uint16_t group;
	uint8_t space, kind, class, cache, grid, bypass;
};

/* A global or local instruction from its first line access on. */
struct inflight {
	uint64_t issued, due;
	uint32_t token, next;
	uint32_t remaining; /* line accesses */
	uint16_t group;
	uint8_t kind, grid;
	bool missed; /* told */
};

struct hd_lsu {
	struct hd_memory *memory;
	uint32_t sm;
	struct hd_lsu_watch watch;
	struct hd_counters *grids;    /* of each grid, */
	struct hd_counters *counters; /* and of the one at the front */
	struct hd_coalescer coalescer;
	struct hd_l1 l1;
	struct hd_completions completions;
	uint32_t *pending_stores; /* by group */
	uint32_t group_count;
	uint32_t pending[HD_MEM_GRIDS]; /* global and local requests of each grid */
	/* instructions */
	struct waiting *queue;
	uint32_t queue_mask, queue_capacity, queue_head, queue_tail;
	struct hd_access *accesses; /* of queued instructions, each contiguous, in a ring */
	uint32_t accesses_size, accesses_tail;
	struct inflight *inflight;
	uint32_t free_inflight, inflight_count;
	/* the front */
	struct hd_access *head; /* accesses of the instruction under way, in a list a bank */
	uint8_t bank_first[MAX_BANKS], bank_last[MAX_BANKS];
	uint32_t banks_left; /* banks with accesses to do */
	uint32_t room;	     /* sectors that this cycle can still move */
	uint32_t current;    /* inflight index of the head, or HD_NONE before it starts */
	struct hd_l1_request part;
	uint64_t front_free;	/* first cycle of the next instruction */
	uint64_t stalled_since; /* HD_NEVER */
	uint64_t next_reply;	/* first cycle in which a reply can be taken: one a cycle */
	/* configuration */
	uint32_t banks, ports, sectors, shared_banks, shared_latency, l1_latency;
	uint64_t l1_bytes, l1_ways;
	bool unified;
};

struct hd_lsu *hd_lsu_new(struct hd_memory *memory, uint32_t sm, const struct hd_config *config,
			  struct hd_counters *counters, struct hd_arena *arena)
{
	struct hd_lsu *lsu = HD_ARENA_NEW(arena, struct hd_lsu, 1);
	uint32_t slots = hd_power_above((uint32_t)config->lsu_queue);
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
	lsu->shared_latency = (uint32_t)config->shared_latency;
	lsu->l1_latency = (uint32_t)config->l1_latency;
	lsu->l1_bytes = config->l1_bytes;
	lsu->l1_ways = config->l1_ways;
	lsu->unified = config->l1_unified && config->l1_bytes;
	assert(lsu->banks <= MAX_BANKS);
	/* Due ones that wait in the pipelines, one a cycle, and those that replies finish. */
	hd_completions_init(&lsu->completions, INFLIGHT + lsu->l1_latency + lsu->shared_latency + 256, arena);
	lsu->group_count = HD_MEM_GROUPS;
	lsu->pending_stores = HD_ARENA_NEW(arena, uint32_t, lsu->group_count);
	lsu->queue = HD_ARENA_NEW(arena, struct waiting, slots);
	lsu->queue_mask = slots - 1;
	lsu->queue_capacity = (uint32_t)config->lsu_queue;
	/* Two instructions more than the queue: at the end of the ring the rest is skipped when the largest does not
	 * fit. */
	lsu->accesses_size = (lsu->queue_capacity + 2) * HD_MAX_ACCESSES;
	lsu->accesses = HD_ARENA_NEW(arena, struct hd_access, lsu->accesses_size);
	lsu->inflight = HD_ARENA_NEW(arena, struct inflight, INFLIGHT);
	for (uint32_t i = 0; i < INFLIGHT; i++)
		lsu->inflight[i].next = i + 1 < INFLIGHT ? i + 1 : HD_NONE;
	memset(lsu->bank_first, LIST_END, sizeof(lsu->bank_first));
	lsu->current = HD_NONE;
	lsu->stalled_since = HD_NEVER;
	return lsu;
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

bool hd_lsu_can_accept(const struct hd_lsu *lsu, uint32_t reserved)
{
	return lsu->queue_tail - lsu->queue_head + reserved < lsu->queue_capacity;
}

static bool is_store(uint8_t kind)
{
	return kind == HD_MEM_STORE || kind == HD_MEM_REDUCTION;
}

/* Fills in the slot's line accesses or cycles. */
static void coalesce(struct hd_lsu *lsu, struct waiting *slot, const struct hd_mem_request *request)
{
	if (request->space == HD_MEM_SHARED) {
		slot->count = (uint16_t)hd_shared_cycles(request, lsu->shared_banks);
		return;
	}
	/* An empty queue starts again at the beginning, which keeps the used part in the host's cache. */
	if (lsu->queue_head == lsu->queue_tail || lsu->accesses_tail + HD_MAX_ACCESSES > lsu->accesses_size)
		lsu->accesses_tail = 0;
	struct hd_access *accesses = lsu->accesses + lsu->accesses_tail;
	slot->accesses = lsu->accesses_tail;
	slot->count = (uint16_t)hd_coalesce(&lsu->coalescer, request, accesses);
	lsu->accesses_tail += slot->count;
	if (slot->count)
		hd_tags_prefetch(&lsu->l1.tags, accesses->line);
}

void hd_lsu_issue(struct hd_lsu *lsu, uint64_t now, uint64_t ready, const struct hd_mem_request *request)
{
	assert(hd_lsu_can_accept(lsu, 0) && request->group < lsu->group_count);
	struct waiting *slot = &lsu->queue[lsu->queue_tail & lsu->queue_mask];
	*slot = (struct waiting){.issued = now, .ready = hd_max64(ready, now + 1), .token = request->token};
	slot->group = request->group;
	slot->space = request->space;
	slot->kind = request->kind;
	slot->class = request->class;
	slot->cache = request->cache;
	slot->grid = request->grid;
	slot->bypass = request->bypass;
	if (request->space != HD_MEM_SHARED)
		lsu->pending[request->grid]++;
	coalesce(lsu, slot, request);
	lsu->queue_tail++;
	if (is_store(request->kind) && request->space != HD_MEM_SHARED)
		lsu->pending_stores[request->group]++;
}

static void complete(struct hd_lsu *lsu, uint32_t token, uint64_t cycle)
{
	if (token != UINT32_MAX)
		hd_completions_add(&lsu->completions, cycle, token);
}

/* One line access of an instruction is done, with data at `cycle`. */
static void access_done(struct hd_lsu *lsu, uint32_t index, uint64_t cycle)
{
	struct inflight *entry = &lsu->inflight[index];
	entry->due = hd_max64(entry->due, cycle);
	if (--entry->remaining)
		return;
	lsu->pending[entry->grid]--;
	if (is_store(entry->kind)) {
		lsu->pending_stores[entry->group]--;
	} else {
		lsu->grids[entry->grid].load_requests++;
		lsu->grids[entry->grid].load_latency += entry->due - entry->issued;
	}
	complete(lsu, entry->token, entry->due);
	entry->next = lsu->free_inflight;
	lsu->free_inflight = index;
	lsu->inflight_count--;
}

uint32_t hd_lsu_completions(struct hd_lsu *lsu, uint64_t now, struct hd_mem_completion *out, uint32_t capacity)
{
	uint32_t count = 0;
	while (count < capacity && hd_completions_next(&lsu->completions) <= now) {
		struct hd_due due = hd_completions_take(&lsu->completions);
		out[count++] = (struct hd_mem_completion){due.token, due.cycle};
	}
	return count;
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

/* ---- the front */

static void next_instruction(struct hd_lsu *lsu, uint64_t free)
{
	lsu->queue_head++;
	lsu->current = HD_NONE;
	lsu->front_free = free;
}

static void serve_shared(struct hd_lsu *lsu, uint64_t now, const struct waiting *head)
{
	uint32_t cycles = head->count;
	lsu->counters->shared_accesses++;
	lsu->counters->shared_cycles += cycles;
	complete(lsu, head->token, now + lsu->shared_latency + cycles - 1);
	next_instruction(lsu, now + cycles);
}

static void append_to_bank(struct hd_lsu *lsu, uint32_t index)
{
	uint32_t bank = (uint32_t)(lsu->head[index].line % lsu->banks);
	lsu->head[index].next = LIST_END;
	if (lsu->bank_first[bank] == LIST_END)
		lsu->bank_first[bank] = (uint8_t)index;
	else
		lsu->head[lsu->bank_last[bank]].next = (uint8_t)index;
	lsu->bank_last[bank] = (uint8_t)index;
	lsu->banks_left |= 1u << bank;
}

/* Gives the head's line accesses to the banks. */
static void start(struct hd_lsu *lsu, uint64_t now, const struct waiting *head)
{
	uint32_t index = lsu->free_inflight;
	struct inflight *entry = &lsu->inflight[index];
	lsu->free_inflight = entry->next;
	lsu->inflight_count++;
	*entry = (struct inflight){.issued = head->issued, .token = head->token, .group = head->group};
	entry->kind = head->kind;
	entry->grid = head->grid;
	entry->remaining = head->count ? head->count : 1;
	lsu->part = (struct hd_l1_request){index,	head->space, head->kind,  head->class,
					   head->cache, head->grid,  head->bypass};
	lsu->current = index;
	lsu->head = lsu->accesses + head->accesses;
	for (uint32_t i = 0; i < head->count; i++)
		append_to_bank(lsu, i);
	if (!head->count)
		access_done(lsu, index, now);
}

/* An access wider than the data path goes alone. */
static bool have_room(const struct hd_lsu *lsu, const struct hd_access *access)
{
	return lsu->room == lsu->sectors || (uint32_t)__builtin_popcount(access->sectors) <= lsu->room;
}

static void tell_miss(struct hd_lsu *lsu, uint64_t now)
{
	struct inflight *entry = &lsu->inflight[lsu->current];
	if (entry->missed || entry->token == UINT32_MAX || is_store(entry->kind))
		return;
	entry->missed = true;
	lsu->watch.miss(lsu->watch.context, entry->token, now);
}

/* Returns whether any line access was done; sets `waits` when one is left that only lacks a port. */
static bool serve_bank(struct hd_lsu *lsu, uint64_t now, uint32_t bank, bool *waits)
{
	bool moved = false, stalls = false;
	for (uint32_t port = 0; port < lsu->ports && lsu->bank_first[bank] != LIST_END; port++) {
		const struct hd_access *access = &lsu->head[lsu->bank_first[bank]];
		uint32_t sectors = (uint32_t)__builtin_popcount(access->sectors);
		if (!have_room(lsu, access))
			break;
		enum hd_l1_result result = hd_l1_access(&lsu->l1, now, &lsu->part, access);
		stalls = result == HD_L1_STALL;
		if (stalls)
			break;
		lsu->room -= sectors < lsu->room ? sectors : lsu->room;
		lsu->bank_first[bank] = access->next;
		if (result == HD_L1_DONE)
			access_done(lsu, lsu->current, now + lsu->l1_latency);
		else if (__builtin_expect(lsu->watch.miss != NULL, 0))
			tell_miss(lsu, now);
		moved = true;
	}
	if (lsu->bank_first[bank] == LIST_END)
		lsu->banks_left &= ~(1u << bank);
	else
		*waits |= !stalls;
	return moved;
}

static void note_stall(struct hd_lsu *lsu, uint64_t now, bool moved)
{
	if (!moved && lsu->stalled_since == HD_NEVER)
		lsu->stalled_since = now;
	if (moved && lsu->stalled_since != HD_NEVER) {
		lsu->counters->l1d_stall_cycles += now - lsu->stalled_since;
		lsu->stalled_since = HD_NEVER;
	}
}

static void serve_front(struct hd_lsu *lsu, uint64_t now)
{
	if (lsu->queue_head == lsu->queue_tail)
		return;
	const struct waiting *head = &lsu->queue[lsu->queue_head & lsu->queue_mask];
	if (head->ready > now || lsu->front_free > now)
		return;
	lsu->counters = &lsu->grids[head->grid];
	if (head->space == HD_MEM_SHARED) {
		serve_shared(lsu, now, head);
		return;
	}
	bool moved = false, waits = false;
	if (lsu->current == HD_NONE && lsu->free_inflight != HD_NONE) {
		start(lsu, now, head);
		moved = !lsu->banks_left;
	}
	lsu->room = lsu->sectors;
	if (lsu->current != HD_NONE)
		for (uint32_t left = lsu->banks_left; left; left &= left - 1)
			moved |= serve_bank(lsu, now, (uint32_t)__builtin_ctz(left), &waits);
	lsu->counters->l1d_port_stalls += waits;
	note_stall(lsu, now, moved);
	if (lsu->current != HD_NONE && !lsu->banks_left)
		next_instruction(lsu, now + 1);
}

/* ---- a cycle */

static bool take_reply(struct hd_lsu *lsu, uint64_t now)
{
	struct hd_crossbar *down = &lsu->memory->down;
	const struct hd_packet *reply = hd_crossbar_front(down, lsu->sm);
	uint32_t ticket;
	if (!reply || reply->ready > now || lsu->next_reply > now) {
		if (reply)
			hd_l1_prefetch(&lsu->l1, reply);
		return false;
	}
	ticket = hd_l1_reply(&lsu->l1, reply);
	if (ticket != HD_NONE)
		access_done(lsu, ticket, now);
	while (hd_l1_finished(&lsu->l1, &ticket))
		access_done(lsu, ticket, now);
	hd_crossbar_pop(down, lsu->sm, now);
	lsu->next_reply = now + 1;
	return true;
}

static bool send_packets(struct hd_lsu *lsu, uint64_t now)
{
	struct hd_crossbar *up = &lsu->memory->up;
	const struct hd_packet *front;
	bool sent = false;
	while ((front = hd_packets_front(&lsu->l1.out)) && front->ready <= now &&
	       hd_crossbar_room(up, lsu->sm, front->flits, now)) {
		struct hd_packet packet = *front;
		packet.slice = (uint16_t)hd_address_slice(&lsu->memory->map, packet.line);
		hd_crossbar_push(up, lsu->sm, &packet, now);
		hd_packets_pop(&lsu->l1.out);
		sent = true;
	}
	return sent;
}

static uint64_t next_cycle(const struct hd_lsu *lsu, uint64_t now)
{
	const struct hd_packet *reply = hd_crossbar_front(&lsu->memory->down, lsu->sm);
	const struct hd_packet *packet = hd_packets_front(&lsu->l1.out);
	uint64_t next = HD_NEVER;
	if (reply)
		next = hd_max64(reply->ready, lsu->next_reply);
	if (packet)
		next = hd_min64(next,
				packet->ready > now ? packet->ready : hd_crossbar_room_at(&lsu->memory->up, lsu->sm));
	if (lsu->queue_head != lsu->queue_tail && lsu->stalled_since == HD_NEVER) {
		const struct waiting *head = &lsu->queue[lsu->queue_head & lsu->queue_mask];
		next = hd_min64(next, hd_max64(head->ready, lsu->front_free));
	}
	return next > now ? next : now + 1;
}

uint64_t hd_lsu_tick(struct hd_lsu *lsu, uint64_t now)
{
	bool moved = take_reply(lsu, now);
	moved |= send_packets(lsu, now);
	if (moved || lsu->stalled_since == HD_NEVER)
		serve_front(lsu, now);
	return next_cycle(lsu, now);
}

/* ---- the whole */

bool hd_lsu_idle(const struct hd_lsu *lsu)
{
	return lsu->queue_head == lsu->queue_tail && !lsu->inflight_count && !lsu->completions.count &&
	       hd_l1_idle(&lsu->l1);
}

void hd_lsu_flush(struct hd_lsu *lsu)
{
	hd_l1_flush(&lsu->l1);
}

void hd_lsu_dump(const struct hd_lsu *lsu, FILE *out)
{
	fprintf(out, "load/store unit of SM %u: %u of %u queued, %u under way, %u completions due from %lld%s\n",
		lsu->sm, lsu->queue_tail - lsu->queue_head, lsu->queue_capacity, lsu->inflight_count,
		lsu->completions.count, (long long)hd_completions_next(&lsu->completions),
		lsu->stalled_since == HD_NEVER ? "" : ", stalled");
	if (lsu->queue_head != lsu->queue_tail) {
		const struct waiting *head = &lsu->queue[lsu->queue_head & lsu->queue_mask];
		fprintf(out, "  head: token %u space %u kind %u, %u line accesses, issued %llu, ready %llu\n",
			head->token, head->space, head->kind, head->count, (unsigned long long)head->issued,
			(unsigned long long)head->ready);
	}
	hd_l1_dump(&lsu->l1, out);
}
