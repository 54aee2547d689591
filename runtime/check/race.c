/*
 * --check=race: of two accesses to a byte of shared memory, of threads of a block, and race-global: of global memory,
 * one of them a write, one must be before the other (clocks.c). Two strong accesses (atomics, volatile) do not race,
 * and neither do two writes of the same value, which programs use for flags; as in compute-sanitizer's racecheck, to
 * which these are no more than information, and a volatile write is like any other.
 *
 * What a thread has read and then gives to a compare-and-swap of the same word is no race (guess.c).
 *
 * What an asynchronous copy writes is there when the thread has waited for the copy's group: before that it is ordered
 * with nothing behind the copy, not with its own thread either; then it counts as written at the wait. Groups are the
 * warp's, as in hardware, so that a wait of some of its lanes counts for all.
 *
 * Blocks of a cluster that access each other's shared memory are ordered by the cluster's barrier, and by barriers and
 * flags in shared memory, whosever it is. What st.async sends counts as written by its thread, which tells the barrier;
 * so what orders other accesses of this thread orders it, too, and some races are not found.
 *
 * Of each word those accesses are kept that can still race with a later one (kept.c). For each access one race is told;
 * so the first race of a word is always found, further ones behind it mostly.
 */
#include "heddle/opcodes.h"
#include "lib/swizzle.h"
#include "runtime/check/state.h"
#include "runtime/exec/bulk.h"
#include "runtime/exec/devmem.h"

struct now {
	struct hd_check *check;
	const struct hd_exec *exec;
	const struct hd_clocks *clocks;
	struct hd_kept_access access; /* lanes: one */
	uint32_t lane;
	uint64_t address, word; /* word: that is looked at, address / 4 */
	uint32_t bytes;		/* of all of the access */
	uint32_t data[4];	/* of a copy */
	const struct hd_copies_check *copies;
	const struct hd_block_check *block; /* with an agent */
	bool proxy;			    /* the agent reads */
	uint8_t space;
};

static bool is_agent(const struct now *now, const struct hd_kept_access *kept)
{
	return now->space == HD_MEM_SHARED && kept->warp == now->clocks->warps - 1;
}

static bool is_under_way(const struct now *now, const struct hd_kept_access *kept)
{
	return kept->group > now->copies[kept->warp].waited;
}

/* Of groups that were waited for long ago it is no longer known: they count as ordered. */
static uint32_t when_of(const struct now *now, const struct hd_kept_access *kept)
{
	const struct hd_copies_check *copies = &now->copies[kept->warp];
	if (!kept->group || is_agent(now, kept))
		return kept->when;
	return copies->waited - kept->group < HD_COPY_GROUPS ? copies->when[kept->group % HD_COPY_GROUPS] : 0;
}

/* The lanes of an access that was kept which nothing orders with this one. */
static uint32_t unordered_lanes(const struct now *now, const struct hd_kept_access *kept)
{
	uint32_t lanes = 0;
	if (kept->block != now->access.block && now->space == HD_MEM_SHARED) /* of another one of the cluster */
		return hd_check_cluster_ordered(now->check, now->exec->warp->cta, now->access.warp, kept->block,
						kept->warp, kept->when)
			       ? 0
			       : kept->lanes;
	if (kept->block != now->access.block) /* of another block, in global memory */
		return hd_global_ordered(now->check, now->exec->warp, kept->block, kept->warp, kept->when)
			       ? 0
			       : kept->lanes;
	if (is_under_way(now, kept))
		return kept->lanes;
	uint32_t when = when_of(now, kept), warp = now->access.warp;
	if (is_agent(now, kept) && kept->warp == warp) /* two copies: the later one's thread has to know of the other */
		return now->clocks->known[warp * now->clocks->all + now->clocks->own + warp] >= when ? 0 : kept->lanes;
	if (kept->warp != warp) /* what orders it orders all its lanes */
		return hd_clocks_ordered(now->clocks, warp, now->lane, kept->warp, 0, when) ? 0 : kept->lanes;
	HD_FOR_LANES (lane, kept->lanes)
		if (!hd_clocks_ordered(now->clocks, warp, now->lane, warp, lane, when))
			lanes |= 1u << lane;
	return lanes;
}

static uint32_t byte_mask(uint8_t bytes)
{
	uint32_t mask = 0;
	for (uint32_t i = 0; i < 4; i++)
		mask |= bytes >> i & 1 ? 0xffu << 8 * i : 0;
	return mask;
}

static bool conflict(const struct hd_kept_access *a, const struct hd_kept_access *b)
{
	uint8_t both = a->bytes & b->bytes;
	if (!both || !(a->write || b->write) || (a->strong && b->strong))
		return false;
	return !(a->write && b->write) || a->atomic || b->atomic || (a->value ^ b->value) & byte_mask(both);
}

/* Of a copy the thread that began it, where that is one of the block's. */
static uint32_t thread_of(const struct now *now, const struct hd_kept_access *kept, uint32_t lane)
{
	return is_agent(now, kept) ? kept->group - 1 : kept->warp * HD_WARP_LANES + lane;
}

static const char *words_for(const struct now *now, const struct hd_kept_access *kept, bool proxy)
{
	if (proxy)
		return "wrote there, and no proxy fence (fence.proxy.async) is between that and the copy";
	if (is_agent(now, kept))
		return kept->write ? "has a copy in bulk there, which nothing has waited for"
				   : "has a copy in bulk that reads there, which it has not waited for";
	return is_under_way(now, kept) ? "has a copy there under way, which it has not waited for" : NULL;
}

static void found(const struct now *now, const struct hd_kept_access *kept, uint32_t lane, bool proxy)
{
	struct hd_finding finding = {
		.kind = !now->access.write ? HD_FOUND_READ_AFTER_WRITE
			: kept->write	   ? HD_FOUND_WRITE_AFTER_WRITE
					   : HD_FOUND_WRITE_AFTER_READ,
		.pc = now->access.pc,
		.other_pc = kept->pc,
		.other = thread_of(now, kept, lane),
		.bytes = now->bytes,
		.space = now->space,
		.address = now->address,
		.other_block = kept->block == now->access.block ? 0 : kept->block + 1,
		.what = words_for(now, kept, proxy),
	};
	const struct hd_kept_access *read = now->access.write ? kept : &now->access;
	const struct hd_kept_access *other = now->access.write ? &now->access : kept;
	uint32_t reader = read == kept ? lane : now->lane;
	const struct hd_guess guess = {.word = now->word,
				       .space = now->space,
				       .block = read->block,
				       .thread = read->warp * HD_WARP_LANES + reader};
	hd_finding_place(&finding, now->exec->warp, now->lane);
	const struct hd_cta *cta = now->exec->warp->cta;
	if (read->write || read->strong || !other->atomic || !hd_guess_hold(now->check, cta, &finding, &guess))
		hd_check_found_by(now->check, cta->sm, &finding);
}

/* Would all that races with what was kept race with the new one, if that is behind it? */
static bool is_weaker(const struct hd_kept_access *kept, const struct hd_kept_access *access)
{
	return !(kept->bytes & ~access->bytes) && (access->write || !kept->write) && (!access->strong || kept->strong);
}

/* The same instruction of the warp, with nothing in between that orders lanes. */
static bool is_same(const struct hd_kept_access *kept, const struct hd_kept_access *access)
{
	return kept->pc == access->pc && kept->when == access->when && kept->warp == access->warp &&
	       kept->block == access->block;
}

/* Compares with what was kept of a list; what the new one takes the place of leaves it. */
static void compare(const struct now *now, struct hd_kept_list *list, uint32_t from, uint32_t to, bool *told)
{
	const struct hd_kept_access *access = &now->access;
	struct hd_kept_access *data = hd_kept_data(list);
	bool leaves = false;
	for (uint32_t i = from; i < to; i++) {
		struct hd_kept_access *kept = &data[i];
		bool conflicts = !*told && conflict(kept, access), weaker = is_weaker(kept, access);
		/* An atomic operation is behind the strong ones that it sees: who counts to the end may begin anew. */
		bool seen = access->atomic && kept->strong && !(kept->bytes & ~access->bytes);
		if (!conflicts && !seen && is_same(kept, access)) /* of other lanes */
			continue;
		uint32_t loose = conflicts || weaker ? unordered_lanes(now, kept) : kept->lanes;
		if (conflicts && loose) {
			found(now, kept, (uint32_t)__builtin_ctz(loose), false);
			*told = true;
		}
		if (now->proxy && conflicts && !loose &&
		    !hd_check_is_proxied(now->block, now->exec->warp->index, kept->warp, kept->when)) {
			found(now, kept, (uint32_t)__builtin_ctz(kept->lanes), true);
			*told = true;
		}
		if (weaker || seen)
			kept->lanes = seen ? 0 : loose;
		leaves |= !kept->lanes;
	}
	if (leaves)
		hd_kept_tidy(list, from, to);
}

static void visit_word(const struct now *now, struct hd_word_check *word, struct hd_kept_room *room)
{
	bool told = false;
	uint32_t from = 0, to = word->reads.len;
	if (!now->access.write)
		hd_kept_of_warp(&word->reads, now->access.block, now->access.warp, &from, &to);
	compare(now, &word->reads, from, to, &told);
	compare(now, &word->writes, 0, word->writes.len, &told);
	hd_kept_add(now->access.write ? &word->writes : &word->reads, &now->access, room);
}

static uint32_t stored_word(const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane, uint32_t word)
{
	return hd_row(exec->warp, hd_next_reg(inst->inst.c, word))[lane];
}

static struct hd_word_check *word_of(const struct now *now, struct hd_block_check *block)
{
	return now->space == HD_MEM_SHARED ? &block->words[now->word] : hd_global_word(now->check, 4 * now->word);
}

static void forget_guess(const struct now *now, struct hd_block_check *block)
{
	const struct hd_guess guess = {.word = now->word,
				       .space = now->space,
				       .block = now->access.block,
				       .thread = now->access.warp * HD_WARP_LANES + now->lane};
	hd_guess_swapped(now->check, now->exec->warp->cta, word_of(now, block), &guess);
}

static void visit_lane(struct now *now, const struct hd_dinst *inst, struct hd_block_check *block)
{
	bool atomic = inst->effects & HD_FX_ATOMIC;
	for (uint32_t done = 0; done < now->bytes;) {
		uint64_t at = now->address + done;
		uint32_t shift = (uint32_t)(at & 3), left = now->bytes - done;
		uint32_t count = left < 4 - shift ? left : 4 - shift;
		if (now->space == HD_MEM_SHARED && at + count > block->shared_bytes) /* it will fault */
			return;
		now->access.bytes = (uint8_t)(((1u << count) - 1) << shift);
		now->access.value = 0;
		if (now->access.group)
			now->access.value = now->data[done / 4];
		else if (now->access.write && !atomic)
			now->access.value = stored_word(now->exec, inst, now->lane, done / 4) << 8 * shift;
		now->word = at / 4;
		visit_word(now, word_of(now, block), now->space == HD_MEM_SHARED ? &block->room : &now->check->room);
		if (atomic && hd_mod_get(inst->inst.mods, HD_MOD_ATOMOP) == HD_ATOM_CAS)
			forget_guess(now, block);
		done += count;
	}
}

/* What the copy of a lane writes. */
static void copied_words(struct now *now, const struct hd_dinst *inst)
{
	uint64_t address;
	uint32_t bytes;
	hd_exec_copy_source(now->exec, inst, now->lane, &address, &bytes);
	const uint8_t *from = bytes ? hd_devmem_at(now->exec->gpu->devmem, address, bytes) : NULL;
	memset(now->data, 0, sizeof(now->data));
	if (from)
		memcpy(now->data, from, bytes);
}

void hd_check_race_bulk(struct hd_check *check, const struct hd_exec *exec, struct hd_block_check *block,
			const struct hd_bulk_access *bulk)
{
	uint32_t agent = block->clocks.warps - 1;
	bool own = hd_check_block_of(check, bulk->bulk->cta) == block;
	struct now now = {.check = check,
			  .exec = exec,
			  .clocks = &block->clocks,
			  .lane = bulk->lane,
			  .address = bulk->first,
			  .bytes = bulk->bytes,
			  .copies = block->copies,
			  .block = block,
			  .proxy = !bulk->write,
			  .space = HD_MEM_SHARED};
	now.access =
		(struct hd_kept_access){.pc = bulk->bulk->pc,
					.when = bulk->when,
					.group = 1 + (own ? bulk->bulk->warp->index * HD_WARP_LANES + bulk->lane : 0),
					.block = exec->warp->cta->linear,
					.lanes = 1,
					.warp = (uint8_t)agent,
					.bytes = 0xf,
					.write = bulk->write};
	now.access.strong = now.access.atomic = bulk->write && bulk->bulk->reduces;
	for (uint32_t done = 0; done < bulk->bytes; done += 4) {
		uint32_t at = hd_swizzle(bulk->first + done, bulk->bulk->map_address ? bulk->bulk->map.swizzle : 0);
		if (at / 4 >= block->word_count)
			continue;
		struct hd_word_check *word = &block->words[at / 4];
		bool told = false;
		now.word = at / 4;
		if (bulk->write)
			memcpy(&now.access.value, bulk->bulk->data.data + done, sizeof now.access.value);
		if (bulk->compares && bulk->write)
			compare(&now, &word->reads, 0, word->reads.len, &told);
		if (bulk->compares)
			compare(&now, &word->writes, 0, word->writes.len, &told);
		if (bulk->keeps)
			hd_kept_add(bulk->write ? &word->writes : &word->reads, &now.access, &block->room);
	}
}

void hd_check_copies(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst)
{
	const struct hd_warp *warp = exec->warp;
	struct hd_block_check *block = hd_check_block_of(check, warp->cta);
	struct hd_copies_check *copies = &block->copies[warp->index];
	if (inst->inst.op == HD_OP_LDGDEPBAR)
		copies->open++;
	/* Who waits for the barrier waits for the copies; later ones of the open group pass for some of these. */
	while (inst->inst.op == HD_OP_ARRIVES && copies->waited < copies->open)
		copies->when[++copies->waited % HD_COPY_GROUPS] = block->clocks.now[warp->index];
	while (inst->inst.op == HD_OP_DEPBAR && copies->waited + 1 + inst->inst.x < copies->open)
		copies->when[++copies->waited % HD_COPY_GROUPS] = block->clocks.now[warp->index];
}

static uint32_t scope_of(const struct hd_dinst *inst)
{
	if (inst->effects & HD_FX_ATOMIC)
		return hd_mod_get(inst->inst.mods, HD_MOD_SCOPE8);
	return hd_mod_get(inst->inst.mods, HD_MOD_SCOPE);
}

/* What a strong access orders; `owner`: of the shared memory. */
static void order(const struct now *now, struct hd_block_check *owner, uint32_t sem, uint32_t scope, bool reads,
		  bool writes)
{
	const struct hd_warp *warp = now->exec->warp;
	struct hd_clocks *clocks = &hd_check_block_of(now->check, warp->cta)->clocks;
	bool shared = now->space == HD_MEM_SHARED;
	if (now->check->kinds & HD_CHECK_RACE_GLOBAL && !shared)
		hd_global_strong(now->check, warp, now->address, sem, scope, reads, writes);
	else if (now->check->kinds & HD_CHECK_RACE_GLOBAL && reads)
		hd_global_shared_strong(now->check, warp);
	hd_clocks_strong(clocks, &owner->clocks, warp->index, now->lane,
			 shared ? (uint32_t)now->address / 4 : UINT32_MAX, sem, reads, writes);
}

/* An asynchronous copy reads global memory. */
static void read_sources(struct now *now, const struct hd_dinst *inst, struct hd_block_check *block)
{
	HD_FOR_LANES (lane, now->exec->mask) {
		now->lane = lane;
		now->space = HD_MEM_GLOBAL;
		hd_exec_copy_source(now->exec, inst, lane, &now->address, &now->bytes);
		now->access.lanes = 1u << lane;
		now->access.group = 0;
		now->access.write = false;
		visit_lane(now, inst, block);
	}
}

/* For whom the lanes access memory: of an atomic operation that one makes for the lanes of a warp, all of these. */
static uint32_t accessing(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst)
{
	uint32_t lanes = exec->mask & hd_op_address_lanes(inst->inst.op, inst->inst.mods);
	if (inst->inst.role != HD_ROLE_WARP_ATOMIC || !lanes)
		return lanes;
	uint32_t here = hd_check_warp(check, exec->warp)->here;
	return here & lanes ? here : lanes;
}

void hd_check_race(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst,
		   const struct hd_accesses *accesses)
{
	const struct hd_warp *warp = exec->warp;
	struct hd_block_check *block = hd_check_block_of(check, warp->cta);
	bool copies = inst->effects & HD_FX_ASYNC;
	bool reads = inst->effects & HD_FX_LOAD && !copies, writes = inst->effects & HD_FX_STORE || copies;
	bool atomic = inst->effects & HD_FX_ATOMIC;
	uint32_t sem = HD_MODIFIER(SEM), scope = scope_of(inst);
	bool strong = atomic || sem != HD_SEM_WEAK;
	struct now now = {.check = check, .exec = exec, .clocks = &block->clocks, .bytes = inst->access_bytes};
	now.copies = block->copies;
	HD_FOR_LANES (lane, accessing(check, exec, inst)) {
		uint32_t by = exec->mask >> lane & 1 ? lane : (uint32_t)__builtin_ctz(exec->mask);
		bool shared = accesses->space[by] == HD_MEM_SHARED;
		struct hd_block_check *owner =
			accesses->in_cluster ? hd_check_block_of(check, accesses->owner[by]) : block;
		now.lane = lane;
		now.space = accesses->space[by];
		now.address = accesses->address[by];
		now.access = (struct hd_kept_access){.pc = warp->pc,
						     .when = block->clocks.now[warp->index],
						     .group = copies ? block->copies[warp->index].open : 0,
						     .block = warp->cta->linear,
						     .lanes = 1u << lane,
						     .warp = (uint8_t)warp->index,
						     .write = writes,
						     .strong = strong,
						     .atomic = atomic};
		if (copies)
			copied_words(&now, inst);
		if (shared ? check->kinds & HD_CHECK_RACE
			   : check->kinds & HD_CHECK_RACE_GLOBAL && now.space == HD_MEM_GLOBAL)
			visit_lane(&now, inst, shared ? owner : block);
		if (strong && now.space != HD_MEM_LOCAL && (!shared || now.address < owner->shared_bytes))
			order(&now, shared ? owner : block, sem, scope, reads, writes);
	}
	if (copies && check->kinds & HD_CHECK_RACE_GLOBAL)
		read_sources(&now, inst, block);
}
