/*
 * --check and copies in bulk. What they do to shared memory is done by an agent of the block, one more warp among its
 * clocks: it knows what the thread knew that began the copy, and who learns of the copy learns of the agent. So
 * - what a copy brings is the agent's write when it lands, which its barrier releases: a thread that reads before it
 * has waited there races with it, and so does one that may still have read what was there before;
 * - a copy out of shared memory is the agent's read when it begins, until the thread has waited for its group: a write
 *   before that races with it.
 * Copies go by another way to shared memory than threads (the async proxy): what a thread has stored is there for them
 * behind a fence of its own, or of the thread that begins the copy.
 *
 * Two copies race when the thread that began the later one did not know of the earlier one's end: by its barrier, or by
 * the wait for its group. The agent has one clock for all copies of the block, so that who knows of a copy knows of
 * those that landed before it, too, and some races are not found.
 *
 * Bytes that come are written, whether they were in memory or are fill; so are those that a copy stores.
 */
#include "runtime/exec/bulk.h"

#include "heddle/opcodes.h"
#include "runtime/check/state.h"
#include "runtime/core/gpu.h"
#include "runtime/sm/sm.h"

static uint32_t agent_of(const struct hd_block_check *block)
{
	return block->clocks.warps - 1;
}

/* ---- what is known when a copy begins */

static struct hd_bulk_check *known_of(struct hd_check *check, const struct hd_bulk *bulk)
{
	struct hd_sm_check *sm = &check->sms[bulk->cta->sm->id];
	while (sm->bulks.len <= bulk->number)
		hd_vec_push(&sm->bulks, (struct hd_bulk_check){0});
	return &sm->bulks.data[bulk->number];
}

static void keep_known(struct hd_check *check, const struct hd_bulk *bulk, struct hd_block_check *block)
{
	struct hd_clocks *clocks = &block->clocks;
	struct hd_bulk_check *kept = known_of(check, bulk);
	uint32_t warp = bulk->warp->index;
	hd_vec_clear(&kept->known);
	for (uint32_t other = 0; other < clocks->all; other++)
		hd_vec_push(&kept->known, clocks->known[(size_t)warp * clocks->all + other]);
	kept->known.data[clocks->own + warp] = clocks->now[warp]++;
}

/* The agent is the thread that began the copy, as it was then. */
static void become(struct hd_check *check, const struct hd_bulk *bulk, struct hd_block_check *block)
{
	const struct hd_bulk_check *kept = known_of(check, bulk);
	uint32_t agent = agent_of(block), all = block->clocks.all;
	if (kept->known.len == all)
		memcpy(block->clocks.known + (size_t)agent * all, kept->known.data, all * sizeof(uint32_t));
}

/* ---- begins */

static void reads(struct hd_check *check, const struct hd_exec *exec, const struct hd_bulk *bulk)
{
	struct hd_block_check *block = hd_check_block_of(check, bulk->cta);
	uint32_t from = hd_row(exec->warp, hd_next_reg(bulk->inst->inst.a, 2))[bulk->lane] & HD_RANK_OFFSET;
	become(check, bulk, block);
	struct hd_bulk_access access = {.bulk = bulk, .first = from, .bytes = bulk->bytes, .lane = bulk->lane};
	access.when = ++block->clocks.now[agent_of(block)];
	access.compares = true;
	access.keeps = bulk->kind == HD_BULK_S2G;
	hd_check_race_bulk(check, exec, block, &access);
	block->bulk_groups[bulk->warp->index].when[0] = access.when;
}

void hd_check_bulk_begins(struct hd_check *check, struct hd_exec *exec, const struct hd_bulk *bulk)
{
	struct hd_block_check *block = hd_check_block_of(check, bulk->cta);
	keep_known(check, bulk, block);
	if (check->kinds & HD_CHECK_RACE && (bulk->kind == HD_BULK_S2G || bulk->kind == HD_BULK_S2S))
		reads(check, exec, bulk);
	for (uint32_t i = 0; bulk->kind == HD_BULK_S2G && i < bulk->runs.len; i++)
		hd_check_written(check, bulk->runs.data[i].address, bulk->runs.data[i].bytes);
}

/* ---- lands */

void hd_check_bulk_lands(struct hd_check *check, struct hd_exec *exec, const struct hd_bulk *bulk, uint32_t rank)
{
	const struct hd_cta *cta = hd_bulk_target(bulk, rank);
	struct hd_block_check *block = hd_check_block_of(check, cta);
	uint32_t agent = agent_of(block), room = cta->grid->shared_bytes;
	struct hd_bulk_access access = {
		.bulk = bulk, .first = bulk->shared, .bytes = bulk->bytes, .lane = bulk->lane, .write = true};
	if (bulk->shared > room || bulk->bytes > room - bulk->shared) /* it will fault */
		return;
	become(check, bulk, block);
	access.when = ++block->clocks.now[agent];
	access.compares = true;
	access.keeps = true;
	if (check->kinds & HD_CHECK_RACE)
		hd_check_race_bulk(check, exec, block, &access);
	if (check->kinds & HD_CHECK_INIT)
		hd_fresh_set(&block->fresh, bulk->shared, bulk->bytes, false);
	hd_clocks_strong(&block->clocks, &block->clocks, agent, 0, bulk->barrier / 4, HD_SEM_RELEASE, false, true);
}

/* ---- groups and fences */

void hd_check_bulk_step(struct hd_check *check, const struct hd_exec *exec, const struct hd_dinst *inst)
{
	const struct hd_warp *warp = exec->warp;
	struct hd_block_check *block = hd_check_block_of(check, warp->cta);
	struct hd_clocks *clocks = &block->clocks;
	struct hd_bulk_groups_check *groups = &block->bulk_groups[warp->index];
	uint32_t warps = clocks->warps, agent = agent_of(block);
	uint32_t *known = clocks->known + (size_t)warp->index * clocks->all + clocks->own;
	uint32_t *proxied = block->proxied + (size_t)warp->index * warps;
	switch (inst->inst.op) {
	case HD_OP_FENCE_VIEW_ASYNC:
		memcpy(proxied, known, warps * sizeof *known);
		proxied[warp->index] = clocks->now[warp->index]++;
		break;
	case HD_OP_UTMACMDFLUSH: groups->when[1 + groups->ended++ % HD_COPY_GROUPS] = groups->when[0]; break;
	case HD_OP_UTMAWAIT:
		if (inst->inst.x < groups->ended) {
			uint32_t when = groups->when[1 + (groups->ended - 1 - inst->inst.x) % HD_COPY_GROUPS];
			known[agent] = known[agent] > when ? known[agent] : when;
		}
		break;
	default: break;
	}
}

bool hd_check_is_proxied(const struct hd_block_check *block, uint32_t reader, uint32_t writer, uint32_t when)
{
	uint32_t warps = block->clocks.warps;
	return writer == agent_of(block) || block->proxied[(size_t)writer * warps + writer] >= when ||
	       block->proxied[(size_t)reader * warps + writer] >= when;
}
