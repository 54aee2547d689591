/*
 * What the context of a warp takes in memory (gpu-multiprogramming-lin, 2.3.2, 2.3.3, 2.4.1 and 2.4.2): the registers
 * that its mask names, by the patterns that their values have when they are saved.
 *
 * Groups of min(32, blockDim.x) neighbouring threads are analysed at a time. A register is uniform if it is in all of
 * its warp's groups, else strided if it has a constant stride in all of them, else random. Lanes without a thread count
 * with what they hold, zero, as in the drawing of the detector, which has no mask.
 *
 * By block, which the paper decides against (2.3.3), a register whose bases go on from group to group through all warps
 * is kept once for the block, where these are at one barrier that is a preemption point.
 *
 * Cost: O(32) a register that is saved, twice that by block.
 */
#include "heddle/figures.h"
#include "runtime/policy/preempt/preempt.h"

#include <string.h>

#define NONE UINT32_MAX

uint32_t preempt_group(uint32_t block_x)
{
	bool divides = block_x >= 8 && (HD_WARP_LANES % block_x == 0 || block_x % HD_WARP_LANES == 0);
	return divides && block_x < HD_WARP_LANES ? block_x : HD_WARP_LANES;
}

enum preempt_pattern preempt_pattern_of(const uint32_t values[HD_WARP_LANES], uint32_t group)
{
	bool uniform = true;
	for (uint32_t first = 0; first < HD_WARP_LANES; first += group) {
		uint32_t stride = values[first + 1] - values[first];
		uniform &= stride == 0;
		for (uint32_t lane = first + 1; lane < first + group; lane++)
			if (values[lane] - values[lane - 1] != stride)
				return PREEMPT_RANDOM;
	}
	return uniform ? PREEMPT_UNIFORM : PREEMPT_STRIDED;
}

uint32_t preempt_pattern_bytes(enum preempt_pattern pattern, uint32_t group)
{
	uint32_t groups = HD_WARP_LANES / group;
	static const uint32_t words[PREEMPT_PATTERNS] = {[PREEMPT_UNIFORM] = 1, [PREEMPT_STRIDED] = 2};
	return pattern == PREEMPT_RANDOM ? HD_ROW_BYTES : 4 * groups * words[pattern];
}

/* Whether the list goes up by `step`, modulo 2^32. */
static bool steps_by(const uint32_t *list, uint32_t count, uint32_t step)
{
	for (uint32_t i = 1; i < count; i++)
		if (list[i] - list[i - 1] != step)
			return false;
	return true;
}

uint32_t preempt_block_bytes(const uint32_t *bases, const uint32_t *strides, uint32_t entries, uint32_t group)
{
	if (!steps_by(strides, entries, 0) || !steps_by(bases, entries, strides[0] * group))
		return UINT32_MAX;
	return strides[0] ? 8 : 4;
}

struct hd_registers preempt_mask_registers(const struct hd_registers *live, uint32_t count)
{
	struct hd_registers saved = *live;
	bool high = saved.bits[0] >> PREEMPT_MASK_BITS || saved.bits[1] || saved.bits[2] || saved.bits[3];
	for (uint32_t reg = PREEMPT_MASK_BITS; high && reg < count; reg++)
		saved.bits[reg / 64] |= UINT64_C(1) << reg % 64;
	return saved;
}

static struct hd_registers first_registers(uint32_t count)
{
	struct hd_registers all = {{0}};
	for (uint32_t reg = 0; reg < count; reg++)
		all.bits[reg / 64] |= UINT64_C(1) << reg % 64;
	return all;
}

/* The live registers where the warp is; NULL: nothing is known of them. */
static const struct hd_meta_registers *live_where(const struct hd_sm *sm, const struct hd_warp *warp, bool divergent)
{
	const struct hd_pfunction *function;
	const struct hd_dinst *inst = hd_warp_at(sm, warp);
	uint32_t pc = (uint32_t)(inst - sm->gpu->program.code.data);
	const struct hd_code_facts *facts = hd_facts_at(sm->gpu, pc, &function);
	if (!facts || warp->reordered)
		return NULL;
	if (facts->point != NONE) {
		const struct hd_meta_point *point = &function->said->points[facts->point];
		return divergent ? &point->live_divergent : &point->live;
	}
	return facts->barrier != NONE && !divergent ? &function->said->barriers[facts->barrier].live : NULL;
}

static uint32_t count_registers(const struct hd_registers *registers)
{
	uint32_t count = 0;
	for (uint32_t word = 0; word < 4; word++)
		count += (uint32_t)__builtin_popcountll(registers->bits[word]);
	return count;
}

static void compress(const struct hd_warp *warp, struct preempt_context *context)
{
	uint32_t group = preempt_group(warp->cta->grid->block[0]);
	context->bytes = PREEMPT_VECTOR_BYTES;
	for (uint32_t word = 0; word < 4; word++)
		for (uint64_t left = context->registers.bits[word]; left; left &= left - 1) {
			uint32_t reg = 64 * word + (uint32_t)__builtin_ctzll(left);
			enum preempt_pattern pattern = preempt_pattern_of(warp->regs[reg], group);
			context->patterns[pattern]++;
			context->bytes += preempt_pattern_bytes(pattern, group);
		}
}

void preempt_context_of(const struct hd_sm *sm, const struct hd_warp *warp, enum preempt_saving saving,
			struct preempt_context *context)
{
	const struct hd_grid *grid = warp->cta->grid;
	uint32_t count = grid->registers < grid->register_rows ? grid->registers : grid->register_rows;
	const struct hd_meta_registers *live = NULL;
	memset(context, 0, sizeof(*context));
	context->divergent = warp->active != warp->live;
	if (saving != PREEMPT_OCCUPIED)
		live = live_where(sm, warp, context->divergent);
	context->registers = first_registers(count);
	if (live) {
		struct hd_registers registers;
		memcpy(registers.bits, live->regs, sizeof(registers.bits));
		context->registers = preempt_mask_registers(&registers, count);
	}
	context->count = count_registers(&context->registers);
	if (saving >= PREEMPT_COMPRESSED) {
		compress(warp, context);
	} else {
		context->patterns[PREEMPT_RANDOM] = context->count;
		context->bytes = context->count * HD_ROW_BYTES;
	}
	context->patterns[PREEMPT_DEAD] = count > context->count ? count - context->count : 0;
}

/* ---- by block */

/* All warps wait at, or before, one barrier that is a point, with all of their lanes: bar.pp. */
static bool is_at_one_barrier(const struct hd_sm *sm, const struct hd_cta *cta,
			      struct preempt_context *const contexts[PREEMPT_BLOCK_WARPS])
{
	const struct hd_dinst *first = NULL;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		const struct hd_warp *warp = hd_cta_warp(cta, i);
		if (!warp || !contexts[i] || contexts[i]->divergent)
			return false;
		const struct hd_dinst *at = hd_warp_at(sm, warp);
		first = first ? first : at;
		if (at != first || !(at->stops & PREEMPT_POINT) || at->stops & PREEMPT_PP)
			return false;
	}
	return first != NULL;
}

/* The bytes of a register that all warps save, once for the block; UINT32_MAX: each has its own. */
static uint32_t bytes_in_block(const struct hd_cta *cta, uint32_t reg, uint32_t group)
{
	uint32_t bases[PREEMPT_BLOCK_WARPS * (HD_WARP_LANES / 8)], strides[PREEMPT_BLOCK_WARPS * (HD_WARP_LANES / 8)];
	uint32_t entries = 0;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		const uint32_t *values = hd_cta_warp(cta, i)->regs[reg];
		if (preempt_pattern_of(values, group) == PREEMPT_RANDOM)
			return NONE;
		for (uint32_t first = 0; first < HD_WARP_LANES; first += group, entries++) {
			bases[entries] = values[first];
			strides[entries] = values[first + 1] - values[first];
		}
	}
	return preempt_block_bytes(bases, strides, entries, group);
}

/* The block has a vector of its own, and a warp one only where some registers are not the block's. */
void preempt_compress_block(const struct hd_sm *sm, const struct hd_cta *cta,
			    struct preempt_context *contexts[PREEMPT_BLOCK_WARPS])
{
	if (cta->warp_count < 2 || !is_at_one_barrier(sm, cta, contexts))
		return;
	uint32_t group = preempt_group(cta->grid->block[0]), kept = 0, bytes = 0;
	for (uint32_t reg = 0; reg < contexts[0]->count + contexts[0]->patterns[PREEMPT_DEAD]; reg++) {
		if (!(contexts[0]->registers.bits[reg / 64] >> reg % 64 & 1))
			continue;
		uint32_t own = bytes_in_block(cta, reg, group);
		if (own == NONE)
			continue;
		kept++;
		bytes += own;
		for (uint32_t i = 0; i < cta->warp_count; i++)
			contexts[i]->bytes -=
				preempt_pattern_bytes(preempt_pattern_of(hd_cta_warp(cta, i)->regs[reg], group), group);
	}
	if (!kept)
		return;
	for (uint32_t i = 0; i < cta->warp_count; i++) {
		contexts[i]->by_block = kept;
		if (contexts[i]->count == kept)
			contexts[i]->bytes -= PREEMPT_VECTOR_BYTES;
	}
	contexts[0]->bytes += bytes + PREEMPT_VECTOR_BYTES;
}

uint32_t preempt_own_bytes(const struct hd_warp *warp)
{
	uint32_t entries = (uint32_t)warp->stack.len;
	uint32_t deeper = entries > PREEMPT_STACK_ENTRIES ? entries - PREEMPT_STACK_ENTRIES : 0;
	uint32_t uniform = warp->cta->grid->linear ? (uint32_t)sizeof(warp->uregs) : 0; /* who else has them */
	return (uint32_t)sizeof(warp->preds) + uniform + deeper * 12;
}
