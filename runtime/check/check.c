/*
 * --check: the engine's hooks, and the state of blocks and warps. See check.h.
 */
#include "runtime/check/check.h"
#include "heddle/config.h"
#include "heddle/mbarrier.h"
#include "heddle/opcodes.h"

#include <stddef.h>
#include <sys/mman.h>

#include "runtime/check/init.h"
#include "runtime/check/state.h"
#include "runtime/core/cluster.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/linear.h"
#include "runtime/exec/sync.h"
#include "runtime/sm/limits.h"
#include "runtime/sm/sm.h"

static bool looks_for(const struct hd_check *check, uint32_t kind)
{
	return check->kinds & kind;
}

struct hd_check *hd_check_new(struct hd_gpu *gpu, uint32_t kinds)
{
	struct hd_check *check = hd_xcalloc(1, sizeof(*check));
	uint64_t sms = gpu->sm_count;
	check->gpu = gpu;
	check->kinds = kinds;
	check->room.most = HD_MOST_KEPT;
	check->sms = hd_xcalloc(sms, sizeof(*check->sms));
	check->warps = hd_xcalloc(sms * HD_MAX_CONTEXTS, sizeof(struct hd_warp_check *));
	check->blocks = hd_xcalloc(sms * HD_MAX_CONTEXTS, sizeof(struct hd_block_check *));
	if (kinds & HD_CHECK_INIT) {
		uint64_t bytes = gpu->config->dram_bytes / 8 + 1;
		check->fresh.bits =
			mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (check->fresh.bits == MAP_FAILED)
			check->fresh.bits = NULL;
		check->fresh_bytes = check->fresh.bits ? gpu->config->dram_bytes : 0;
	}
	return check;
}

static void release_words(struct hd_check *check, struct hd_block_check *block)
{
	for (uint32_t i = 0; i < block->word_count; i++)
		hd_kept_release(&block->words[i], &block->room);
	free(block->words);
	check->room.dropped += block->room.dropped;
	block->room = (struct hd_kept_room){.most = HD_MOST_KEPT_SHARED};
}

static void release_cluster(struct hd_block_check *block)
{
	free(block->cluster.arrived);
	free(block->cluster.departs);
	block->cluster = (struct hd_cluster_check){.arrived = NULL};
}

static void begin_cluster(struct hd_block_check *block, const struct hd_cta *cta)
{
	release_cluster(block);
	if (!cta->cluster)
		return;
	block->cluster.arrived = hd_xcalloc(cta->warp_count, sizeof(uint32_t));
	block->cluster.departs = hd_xcalloc(cta->warp_count, sizeof(bool));
}

static void free_block(struct hd_check *check, struct hd_block_check *block)
{
	if (!block)
		return;
	hd_clocks_release(&block->clocks);
	release_words(check, block);
	free(block->copies);
	free(block->bulk_groups);
	free(block->proxied);
	release_cluster(block);
	hd_global_forget_block(block);
	free(block->fresh.bits);
	hd_map_release(&block->fresh.partial);
	free(block);
}

static void free_warp(const struct hd_check *check, struct hd_warp_check *warp)
{
	if (!warp)
		return;
	hd_global_forget_warp(warp);
	if (looks_for(check, HD_CHECK_INIT))
		hd_values_release(&warp->values);
	free(warp);
}

void hd_check_free(struct hd_check *check)
{
	if (!check)
		return;
	const struct hd_config *config = check->gpu->config;
	for (uint64_t i = 0; i < config->sm_count * HD_MAX_CONTEXTS; i++)
		free_warp(check, check->warps[i]);
	for (uint64_t i = 0; i < config->sm_count * HD_MAX_CONTEXTS; i++)
		free_block(check, check->blocks[i]);
	if (check->fresh.bits)
		munmap(check->fresh.bits, config->dram_bytes / 8 + 1);
	hd_map_release(&check->fresh.partial);
	hd_handed_release(check);
	free(check->warps);
	free(check->blocks);
	for (uint32_t i = 0; i < check->gpu->sm_count; i++) {
		hd_vec_release(&check->sms[i].guesses);
		hd_vec_release(&check->sms[i].noted);
		for (uint32_t k = 0; k < check->sms[i].bulks.len; k++)
			hd_vec_release(&check->sms[i].bulks.data[k].known);
		hd_vec_release(&check->sms[i].bulks);
	}
	free(check->sms);
	hd_vec_release(&check->findings);
	hd_hash_set_release(&check->places);
	hd_vec_release(&check->heap);
	hd_global_release(check);
	free(check);
}

static struct hd_block_check **block_slot(const struct hd_check *check, const struct hd_cta *cta)
{
	const struct hd_sm *sm = cta->sm;
	return &check->blocks[sm->id * HD_MAX_CONTEXTS + (uint64_t)(cta - sm->ctas)];
}

struct hd_block_check *hd_check_block_of(const struct hd_check *check, const struct hd_cta *cta)
{
	return *block_slot(check, cta);
}

struct hd_warp_check *hd_check_warp(struct hd_check *check, const struct hd_warp *warp)
{
	struct hd_warp_check **slot = &check->warps[warp->cta->sm->id * HD_MAX_CONTEXTS + warp->id];
	if (!*slot) /* what follows registers is most of it */
		*slot = hd_xcalloc(1, looks_for(check, HD_CHECK_INIT) ? sizeof(**slot)
								      : offsetof(struct hd_warp_check, values));
	return *slot;
}

void hd_check_block(struct hd_check *check, const struct hd_cta *cta)
{
	struct hd_block_check **slot = block_slot(check, cta);
	uint32_t bytes = cta->grid->shared_bytes, words = (bytes + 3) / 4;
	if (!*slot)
		*slot = hd_xcalloc(1, sizeof(**slot));
	struct hd_block_check *block = *slot;
	block->shared_bytes = bytes;
	uint32_t clocks = cta->warp_count + 1; /* with the agent's */
	hd_clocks_begin(&block->clocks, clocks, words, cta->rank, cta->cluster ? cta->cluster->size : 1);
	begin_cluster(block, cta);
	hd_global_forget_block(block);
	release_words(check, block);
	block->word_count = looks_for(check, HD_CHECK_RACE) ? words : 0;
	block->words = hd_xcalloc(block->word_count + 1, sizeof(*block->words));
	block->copies = hd_xrealloc(block->copies, clocks * sizeof(*block->copies));
	for (uint32_t i = 0; i < clocks; i++)
		block->copies[i] = (struct hd_copies_check){.open = 1};
	block->copies[cta->warp_count].waited = UINT32_MAX; /* the agent's are told of where they are done */
	free(block->bulk_groups);
	free(block->proxied);
	block->bulk_groups = hd_xcalloc(cta->warp_count, sizeof(*block->bulk_groups));
	block->proxied = hd_xcalloc((size_t)clocks * clocks, sizeof(*block->proxied));
	block->fresh.bits = hd_xrealloc(block->fresh.bits, bytes / 8 + 1);
	memset(block->fresh.bits, 0xff, bytes / 8 + 1);
	hd_map_clear(&block->fresh.partial);
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		struct hd_warp_check *warp = hd_check_warp(check, cta->warps[i]);
		warp->sync = (struct hd_sync_check){0};
		hd_global_forget_warp(warp);
		if (looks_for(check, HD_CHECK_INIT))
			hd_values_begin(&warp->values, cta->grid->local_bytes);
	}
}

void hd_check_moved(struct hd_check *check, const struct hd_cta *from, const struct hd_cta *to)
{
	struct hd_block_check **old = block_slot(check, from), **new = block_slot(check, to), *block = *old;
	*old = *new;
	*new = block;
	hd_guess_moved(check, from, to);
}

void hd_check_warp_moved(struct hd_check *check, const struct hd_sm *from, uint32_t id, const struct hd_warp *warp)
{
	struct hd_warp_check **old = &check->warps[from->id * HD_MAX_CONTEXTS + id];
	struct hd_warp_check **new = &check->warps[warp->cta->sm->id * HD_MAX_CONTEXTS + warp->id], *state = *old;
	*old = *new;
	*new = state;
}

/* ---- instructions */

/* The window of a generic address; *address becomes the offset there. */
static uint8_t resolve(unsigned space, uint64_t *address)
{
	if (space == HD_AT_SHARED || space == HD_AT_LOCAL) {
		*address = (uint32_t)*address;
		return space == HD_AT_SHARED ? HD_MEM_SHARED : HD_MEM_LOCAL;
	}
	if (space == HD_AT_GENERIC && *address - HD_SHARED_WINDOW < HD_SHARED_WINDOW_BYTES) {
		*address -= HD_SHARED_WINDOW;
		return HD_MEM_SHARED;
	}
	if (space == HD_AT_GENERIC && *address - HD_LOCAL_WINDOW < HD_LOCAL_WINDOW_BYTES) {
		*address -= HD_LOCAL_WINDOW;
		return HD_MEM_LOCAL;
	}
	return HD_MEM_GLOBAL;
}

/* Whose shared memory each lane accesses; *address becomes the offset there. */
static const struct hd_cta *owner_of(const struct hd_cta *cta, uint8_t space, uint64_t *address)
{
	const struct hd_cluster *cluster = cta->cluster;
	uint32_t rank = hd_rank_of_code(cluster, cta->rank, (uint32_t)*address >> HD_RANK_SHIFT);
	if (space != HD_MEM_SHARED || rank >= cluster->size || cluster->ended >> rank & 1)
		return cta;
	*address &= HD_RANK_OFFSET;
	return cluster->ctas[rank];
}

static void find_accesses(const struct hd_exec *exec, const struct hd_dinst *inst, struct hd_accesses *accesses)
{
	unsigned space = hd_opinfo[inst->inst.op].space;
	bool pair = space == HD_AT_GLOBAL || space == HD_AT_GENERIC;
	const struct hd_cta *cta = exec->warp->cta;
	accesses->in_cluster = cta->cluster != NULL;
	if (inst->effects & HD_FX_ASYNC) { /* where it writes */
		HD_FOR_LANES (lane, exec->mask) {
			accesses->space[lane] = HD_MEM_SHARED;
			accesses->address[lane] = hd_row(exec->warp, inst->inst.b)[lane];
			accesses->owner[lane] = cta;
		}
		return;
	}
	HD_FOR_LANES (lane, exec->mask & hd_op_address_lanes(inst->inst.op, inst->inst.mods)) {
		uint64_t address =
			pair ? hd_lane_pair(exec->warp, inst->inst.a, lane) : hd_row(exec->warp, inst->inst.a)[lane];
		address += (uint64_t)(int64_t)(int32_t)inst->inst.x;
		accesses->space[lane] = resolve(space, &address);
		if (accesses->in_cluster)
			accesses->owner[lane] = owner_of(cta, accesses->space[lane], &address);
		else if (accesses->space[lane] == HD_MEM_SHARED && address >> HD_RANK_SHIFT == HD_RANK_FIRST)
			address &= HD_RANK_OFFSET; /* the own block's by its rank, in a launch without clusters */
		accesses->address[lane] = address;
	}
}

/* What is looked at of an instruction with a linear operand is the same on registers; NULL: it will fault. What is in
 * these always means something: it is made of launch constants, indices and loop counters. */
static const struct hd_dinst *direct_of(struct hd_check *check, struct hd_exec *exec, const struct hd_dinst *inst)
{
	const struct hd_dinst *direct = hd_exec_linear_sum(exec, inst);
	const struct hd_linear *linear = exec->gpu->program.functions.data[inst->function].linear;
	if (looks_for(check, HD_CHECK_INIT)) {
		struct hd_values *values = &hd_check_warp(check, exec->warp)->values;
		struct hd_value_row *pair = &values->regs[hd_linear_scratch(linear)];
		pair[0].lanes = pair[1].lanes = 0;
	}
	return direct;
}

/* A __syncwarp orders those that name each other: lanes of two tiles come to it together, with a mask each. */
static void order_lanes(struct hd_clocks *clocks, const struct hd_exec *exec, const struct hd_dinst *inst)
{
	for (uint32_t left = exec->mask, group; left; left &= ~group) {
		uint32_t first = (uint32_t)__builtin_ctz(left);
		uint32_t named = hd_meeting_mask(exec->warp, &inst->inst, first);
		group = 1u << first;
		HD_FOR_LANES (lane, left & named)
			if (hd_meeting_mask(exec->warp, &inst->inst, lane) == named)
				group |= 1u << lane;
		hd_clocks_warpsync(clocks, exec->warp->index, group);
	}
}

/* And what they knew, of their blocks' copies in bulk among others. */
static void learn_known(uint32_t *to, const struct hd_clocks *theirs)
{
	const uint32_t *from = theirs->barriers + (size_t)HD_CHECK_CLUSTER * theirs->all;
	for (uint32_t i = 0; i < theirs->all; i++)
		to[i] = to[i] > from[i] ? to[i] : from[i];
}

/* The warp knows what all threads of the cluster did before they arrived: what they did since may count as well. */
static void depart_cluster(struct hd_check *check, const struct hd_warp *warp)
{
	const struct hd_cta *cta = warp->cta;
	struct hd_block_check *block = hd_check_block_of(check, cta);
	uint32_t warps = cta->warp_count, size = cta->cluster->size;
	uint32_t *to = block->clocks.known + (size_t)warp->index * block->clocks.all;
	block->cluster.departs[warp->index] = false;
	hd_clocks_depart(&block->clocks, warp->index, HD_CHECK_CLUSTER);
	for (uint32_t rank = 0; rank < size; rank++) {
		const struct hd_block_check *theirs = hd_check_block_of(check, cta->cluster->ctas[rank]);
		for (uint32_t other = 0; other < warps; other++) {
			uint32_t ended = theirs->clocks.ended[theirs->clocks.own + other];
			uint32_t arrived = theirs->cluster.arrived[other],
				 *known = &to[rank * block->clocks.warps + other];
			arrived = ended > arrived ? ended : arrived;
			*known = *known > arrived ? *known : arrived;
		}
		learn_known(to, &theirs->clocks);
		if (looks_for(check, HD_CHECK_RACE_GLOBAL))
			hd_global_cluster_learn(check, warp, theirs);
	}
}

static void meet_cluster(struct hd_check *check, const struct hd_warp *warp, const struct hd_dinst *inst)
{
	struct hd_block_check *block = hd_check_block_of(check, warp->cta);
	if (inst->inst.op == HD_OP_CGABAR_WAIT) {
		block->cluster.departs[warp->index] = true;
		return;
	}
	if (looks_for(check, HD_CHECK_RACE_GLOBAL))
		hd_global_cluster_arrive(check, warp);
	block->cluster.arrived[warp->index] = block->clocks.now[warp->index];
	hd_clocks_arrive(&block->clocks, warp->index, HD_CHECK_CLUSTER);
}

bool hd_check_cluster_ordered(const struct hd_check *check, const struct hd_cta *cta, uint32_t warp, uint32_t block,
			      uint32_t other, uint32_t when)
{
	const struct hd_cluster *cluster = cta->cluster;
	const struct hd_clocks *clocks = &hd_check_block_of(check, cta)->clocks;
	for (uint32_t rank = 0; cluster && rank < cluster->size; rank++)
		if (cluster->ctas[rank]->linear == block)
			return clocks->known[warp * clocks->all + rank * clocks->warps + other] >= when;
	return true; /* of a block that is no more */
}

/* What the warp does to a word of shared memory, of any block of the cluster, as a release or an acquire. */
static void order_at(struct hd_check *check, const struct hd_warp *warp, uint32_t lane, uint64_t address, bool waits)
{
	const struct hd_cta *cta = warp->cta, *owner = cta->cluster ? owner_of(cta, HD_MEM_SHARED, &address) : cta;
	struct hd_block_check *block = hd_check_block_of(check, cta), *theirs = hd_check_block_of(check, owner);
	address &= HD_RANK_OFFSET;
	if (address < theirs->shared_bytes)
		hd_clocks_strong(&block->clocks, &theirs->clocks, warp->index, lane, (uint32_t)address / 4,
				 waits ? HD_SEM_ACQUIRE : HD_SEM_RELEASE, waits, !waits);
}

/* Of a lane at a wait: whether its phase is over. */
static bool is_over(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lane)
{
	uint32_t address, parity;
	uint64_t word = hd_sync_word(warp, inst, lane, &address, &parity);
	return hd_mbarrier_is_one(word) && hd_mbarrier_is_over(word, parity);
}

/*
 * Barriers in shared memory: an arrival is a release, a wait that finds its phase over an acquire, as of accesses to
 * its word. What has come to the barrier for later phases is taken over, too, so that some races are not found. What an
 * arrival at another block's barrier orders is ordered from its issue on.
 */
static void order_at_barrier(struct hd_check *check, const struct hd_warp *warp, const struct hd_dinst *inst,
			     uint32_t lanes)
{
	bool waits = inst->inst.op == HD_OP_SYNCS_WAIT;
	HD_FOR_LANES (lane, lanes)
		if (!waits || is_over(warp, inst, lane))
			order_at(check, warp, lane, hd_row(warp, inst->inst.a)[lane] + inst->inst.x, waits);
}

/* STAS and REDAS tell a barrier. */
static void tell_barrier(struct hd_check *check, const struct hd_warp *warp, const struct hd_dinst *inst,
			 uint32_t lanes)
{
	unsigned barrier = inst->inst.op == HD_OP_STAS ? inst->inst.b : inst->inst.c;
	HD_FOR_LANES (lane, lanes)
		order_at(check, warp, lane, hd_row(warp, barrier)[lane], false);
}

void hd_check_woken(struct hd_check *check, const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t lanes)
{
	order_at_barrier(check, warp, inst, lanes);
}

void hd_check_step(struct hd_check *check, struct hd_exec *exec, const struct hd_dinst *inst)
{
	struct hd_accesses accesses;
	const struct hd_cluster_check *cluster = &hd_check_block_of(check, exec->warp->cta)->cluster;
	if (cluster->departs && cluster->departs[exec->warp->index])
		depart_cluster(check, exec->warp);
	if (inst->inst.linear && !(inst = direct_of(check, exec, inst)))
		return;
	if (inst->inst.op == HD_OP_VOTE && HD_MODIFIER(MEMBERS) == HD_MEMBERS_HERE)
		hd_check_warp(check, exec->warp)->here = exec->mask;
	unsigned space = hd_opinfo[inst->inst.op].space;
	bool memory = space && space != HD_AT_CONST && space != HD_AT_TEXTURE;
	if (memory && exec->mask) {
		find_accesses(exec, inst, &accesses);
		if (space != HD_AT_LOCAL)
			hd_check_bounds(check, exec, inst, &accesses);
		if (looks_for(check, HD_CHECK_RACE | HD_CHECK_RACE_GLOBAL) && space != HD_AT_LOCAL)
			hd_check_race(check, exec, inst, &accesses);
	}
	if (looks_for(check, HD_CHECK_INIT))
		hd_check_init(check, exec, inst, memory && exec->mask ? &accesses : NULL);
	if (!exec->mask)
		return;
	if (inst->inst.op == HD_OP_LDGDEPBAR || inst->inst.op == HD_OP_DEPBAR || inst->inst.op == HD_OP_ARRIVES)
		hd_check_copies(check, exec, inst);
	if (inst->inst.op == HD_OP_SYNCS || inst->inst.op == HD_OP_SYNCS_WAIT || inst->inst.op == HD_OP_ARRIVES)
		order_at_barrier(check, exec->warp, inst, exec->mask);
	if (inst->inst.op == HD_OP_STAS || inst->inst.op == HD_OP_REDAS)
		tell_barrier(check, exec->warp, inst, exec->mask);
	if (inst->inst.op >= HD_OP_UTMACMDFLUSH && inst->inst.op <= HD_OP_FENCE_VIEW_ASYNC)
		hd_check_bulk_step(check, exec, inst);
	if (looks_for(check, HD_CHECK_SYNC))
		hd_check_sync(check, exec, inst);
	struct hd_clocks *clocks = &hd_check_block_of(check, exec->warp->cta)->clocks;
	if (inst->inst.op == HD_OP_WARPSYNC)
		order_lanes(clocks, exec, inst);
	else if (cluster->departs && (inst->inst.op == HD_OP_CGABAR_ARV || inst->inst.op == HD_OP_CGABAR_WAIT))
		meet_cluster(check, exec->warp, inst);
	else if (inst->effects & HD_FX_FENCE) {
		if (looks_for(check, HD_CHECK_RACE_GLOBAL) && hd_mod_get(inst->inst.mods, HD_MOD_SCOPE) != HD_SCOPE_CTA)
			hd_global_fence(check, exec->warp);
		hd_clocks_fence(clocks, exec->warp->index);
	}
}

void hd_check_arrive(struct hd_check *check, const struct hd_warp *warp, uint32_t id)
{
	hd_clocks_arrive(&hd_check_block_of(check, warp->cta)->clocks, warp->index, id);
	if (looks_for(check, HD_CHECK_RACE_GLOBAL))
		hd_global_arrive(check, warp, id);
}

void hd_check_release(struct hd_check *check, const struct hd_cta *cta, uint32_t id)
{
	struct hd_block_check *block = hd_check_block_of(check, cta);
	struct hd_clocks *clocks = &block->clocks;
	for (uint32_t warp = 0; warp < cta->warp_count; warp++)
		if (cta->barriers[id].waiting[warp / 64] >> warp % 64 & 1) {
			hd_clocks_depart(clocks, warp, id);
			if (looks_for(check, HD_CHECK_RACE_GLOBAL))
				hd_global_depart(check, cta->warps[warp], id);
		}
	hd_global_released(block, id);
	memset(clocks->barriers + (size_t)id * clocks->all, 0, clocks->all * sizeof(uint32_t));
}

void hd_check_warp_done(struct hd_check *check, const struct hd_warp *warp)
{
	hd_clocks_end(&hd_check_block_of(check, warp->cta)->clocks, warp->index);
}

/* ---- the host */

static bool is_followed(const struct hd_check *check, uint64_t address, uint64_t bytes)
{
	uint64_t at = address - HD_DEVICE_BASE;
	return at < check->fresh_bytes && bytes <= check->fresh_bytes - at;
}

static void mark(struct hd_check *check, uint64_t address, uint64_t bytes, bool fresh)
{
	if (is_followed(check, address, bytes))
		hd_fresh_set(&check->fresh, address - HD_DEVICE_BASE, bytes, fresh);
}

void hd_check_allocated(struct hd_check *check, uint64_t address, uint64_t bytes)
{
	mark(check, address, bytes, true);
	hd_handed_forget(check, address - HD_DEVICE_BASE, bytes);
}

void hd_check_written(struct hd_check *check, uint64_t address, uint64_t bytes)
{
	mark(check, address, bytes, false);
}

/* Memory of the host's that the device reaches is not followed. */
void hd_check_copied(struct hd_check *check, uint64_t to, uint64_t from, uint64_t bytes)
{
	bool downwards = to > from, source = is_followed(check, from, bytes);
	if (!is_followed(check, to, bytes)) {
		hd_check_read(check, from, bytes);
		return;
	}
	for (uint64_t i = 0; i < bytes; i++) {
		uint64_t byte = downwards ? bytes - 1 - i : i;
		uint32_t mask = source ? hd_fresh_mask(&check->fresh, from - HD_DEVICE_BASE + byte, 1) : 0;
		hd_fresh_put(&check->fresh, to - HD_DEVICE_BASE + byte, 1, mask);
	}
}
