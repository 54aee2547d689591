/*
 * The designs that R2D2 is compared with (r2d2-isca23, 5), as optimistically as the paper models them: an instruction
 * that a warp need not issue takes no slot, no fetch and no register access, and its result is there at once; that of a
 * load after a hit's latency. None works across blocks.
 *
 *   dac      results that are consecutive affine values over the warps of a block are one warp instruction: operands
 *            are affine in the lane, and so much further on for each warp, and the operation keeps that (Figure 6's).
 *            Loads bring no such values
 *   darsie   another warp of the block has issued the instruction with the same operands and lanes. Loads, too, unless
 *            the block has stored, or met at a barrier, since
 *   darsie-scalar  and what is issued on operands that are the same in all lanes goes to a scalar pipeline: one lane's
 *            energy, which is counted here and not taken off the energy of the run
 *
 * Beside them `scalar`, the scalar path of the paper's baseline (2.2): nothing is skipped; what works on constants
 * alone takes the energy of one lane.
 *
 * The warp that reaches an instruction first issues it. What a block has issued is in a table of its SM; when another
 * entry has taken the place of one, its instruction is issued again.
 *
 * Needs to see operands before issue (`elide`). Cost: O(operands * 32) an instruction.
 */
#include <string.h>

#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "lib/hash.h"
#include "runtime/exec/exec.h"
#include "runtime/sm/policy_space.h"
#include "runtime/sm/sm.h"

enum { ENTRIES = 8192 /* of an SM; a power of two */, ROWS = 12 };
enum kind { DAC, DARSIE, DARSIE_SCALAR };

/* An instruction that a warp of a block has issued. */
struct entry {
	uint64_t key;	/* 0: none */
	uint32_t first; /* index of that warp */
	uint32_t second, row_count;
	uint32_t bases[ROWS], second_bases[ROWS]; /* dac: of the operands, of the first two warps */
};

/* What takes the energy of one lane: instructions, and registers that they read and write. */
struct scalar_counts {
	uint64_t instructions, reads, writes;
};

struct skip_sm {
	struct scalar_counts scalar;
	struct entry entries[ENTRIES];
};
struct skip_cta {
	uint64_t epoch; /* what was loaded in an earlier one may have changed */
};
struct skip_warp {
	uint64_t count; /* instructions that it came to: warps that go the same way agree on it */
};

/* What an instruction is about to read. */
struct reads {
	uint64_t hash;	 /* of all but register rows */
	uint64_t values; /* and of those */
	uint32_t mask, count;
	bool affine, uniform;
	uint32_t bases[ROWS], strides[ROWS];
};

static enum kind kind_of(const struct hd_policy_handle *self)
{
	const char *name = self->policy->name;
	return !strcmp(name, "dac") ? DAC : !strcmp(name, "darsie") ? DARSIE : DARSIE_SCALAR;
}

/* ---- operands */

static void add_row(struct reads *reads, const uint32_t *row)
{
	uint32_t first = (uint32_t)__builtin_ctz(reads->mask), base = row[first], stride = 0;
	bool stride_known = false;
	HD_FOR_LANES (lane, reads->mask) {
		reads->values = hd_hash_mix(reads->values, row[lane]);
		if (lane == first + 1 && !stride_known) {
			stride = row[lane] - base;
			stride_known = true;
		}
		reads->affine &= row[lane] == base + stride * (lane - first);
		reads->uniform &= row[lane] == base;
	}
	if (reads->count == ROWS) {
		reads->affine = reads->uniform = false;
		return;
	}
	reads->bases[reads->count] = base - stride * first;
	reads->strides[reads->count++] = stride;
}

static void add_lanes(struct reads *reads, uint32_t lanes)
{
	lanes &= reads->mask;
	reads->uniform &= !lanes || lanes == reads->mask;
	reads->affine &= !lanes || lanes == reads->mask;
	reads->hash = hd_hash_mix(reads->hash, lanes);
}

static void add_special(struct reads *reads, const struct hd_warp *warp, unsigned sr)
{
	uint32_t lanes[HD_WARP_LANES];
	for (uint32_t i = 0; i < HD_WARP_LANES; i++)
		lanes[i] = i;
	if (sr >= HD_SR_TID_X && sr <= HD_SR_TID_Z)
		add_row(reads, warp->tid[sr - HD_SR_TID_X]);
	else if (sr == HD_SR_LANEID || (sr >= HD_SR_LANEMASK_EQ && sr <= HD_SR_LANEMASK_GE))
		add_row(reads, lanes);
	else if (sr == HD_SR_WARPID)
		reads->hash = hd_hash_mix(reads->hash, warp->index);
}

static struct reads read_operands(const struct hd_warp *warp, const struct hd_dinst *inst)
{
	uint32_t mask = warp->active & hd_pred(warp, inst->inst.guard);
	struct reads reads = {.mask = mask, .affine = true, .uniform = true};
	reads.hash = hd_hash_mix(hd_hash_mix(warp->pc + UINT64_C(1), mask), warp->cta->start_age);
	if (!mask)
		return reads;
	for (unsigned i = 0; i < inst->read_count; i++)
		add_row(&reads, hd_row(warp, inst->read_regs[i]));
	if (hd_x_is_uniform(inst->inst.xkind))
		reads.hash = hd_hash_mix(reads.hash, warp->uregs[inst->inst.x]);
	for (unsigned i = 0; i < hd_opinfo[inst->inst.op].psrc; i++)
		add_lanes(&reads, hd_pred(warp, i ? inst->inst.psrc2 : inst->inst.psrc));
	for (unsigned i = 0; inst->effects & HD_FX_READ_PREDS && i < HD_MAX_PREDS; i++)
		add_lanes(&reads, warp->preds[i]);
	if (inst->inst.op == HD_OP_S2R)
		add_special(&reads, warp, hd_mod_get(inst->inst.mods, HD_MOD_SR));
	reads.values = hd_hash_mix(reads.values, reads.hash);
	return reads;
}

static struct entry *place_of(struct skip_sm *state, uint64_t key)
{
	return &state->entries[(key ^ key >> 32) & (ENTRIES - 1)];
}

/* ---- darsie */

static bool is_load(const struct hd_dinst *inst)
{
	return inst->inst.op != HD_OP_LDC && inst->effects & HD_FX_LOAD;
}

static bool is_redundant(struct skip_sm *state, const struct hd_warp *warp, const struct hd_dinst *inst,
			 const struct reads *reads, uint64_t epoch)
{
	uint64_t key = hd_hash_mix(reads->values, is_load(inst) ? epoch + 1 : 0) | 1;
	struct entry *entry = place_of(state, key);
	if (entry->key == key)
		return entry->first != warp->index;
	*entry = (struct entry){.key = key, .first = warp->index};
	return false;
}

/* ---- dac */

/* Operations of Figure 6 in machine code: affine operands give an affine result. */
static bool keeps_affinity(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_S2R:
	case HD_OP_MOV:
	case HD_OP_IADD3:
	case HD_OP_LEA:
	case HD_OP_LEA_HI:
	case HD_OP_IMAD:
	case HD_OP_IMAD_WIDE:
	case HD_OP_SHL:
	case HD_OP_SHF_L: return true;
	default: return false;
	}
}

static bool is_product(const struct hd_inst *inst)
{
	return inst->op == HD_OP_IMAD || inst->op == HD_OP_IMAD_WIDE;
}

/* In all lanes of the warps. What is no register is part of the key. */
static bool is_same(const struct hd_dinst *inst, const struct entry *entry, const struct reads *reads, uint8_t reg)
{
	for (uint32_t i = 0; i < inst->read_count && i < reads->count; i++)
		if (inst->read_regs[i] == reg)
			return !reads->strides[i] && reads->bases[i] == entry->bases[i];
	return true;
}

/* Of a product, one factor at least is the same everywhere. */
static bool factors_agree(const struct hd_dinst *inst, const struct entry *entry, const struct reads *reads)
{
	return !is_product(&inst->inst) || is_same(inst, entry, reads, inst->inst.a) ||
	       is_same(inst, entry, reads, inst->inst.b);
}

/* What is shifted by other amounts from thread to thread is not affine. */
static bool amount_agrees(const struct hd_dinst *inst, const struct entry *entry, const struct reads *reads)
{
	bool shifts = inst->inst.op == HD_OP_SHL || inst->inst.op == HD_OP_SHF_L;
	return !shifts || is_same(inst, entry, reads, inst->inst.b);
}

/* Operands go on as they did from the first warp to the second. */
static bool goes_on(struct entry *entry, const struct hd_warp *warp, const struct reads *reads, bool any_step)
{
	bool has_second = entry->second != entry->first;
	for (uint32_t i = 0; i < reads->count; i++) {
		uint32_t step = reads->bases[i] - entry->bases[i];
		if (!any_step && step)
			return false;
		if (has_second && step * (entry->second - entry->first) !=
					  (entry->second_bases[i] - entry->bases[i]) * (warp->index - entry->first))
			return false;
	}
	if (!has_second) {
		entry->second = warp->index;
		memcpy(entry->second_bases, reads->bases, sizeof entry->second_bases);
	}
	return true;
}

static bool is_consecutive(struct skip_sm *state, const struct hd_warp *warp, const struct hd_dinst *inst,
			   const struct reads *reads, uint64_t position)
{
	uint64_t key = hd_hash_mix(reads->hash, position);
	bool keeps = keeps_affinity(&inst->inst);
	if (is_load(inst) || !reads->affine || (!keeps && !reads->uniform))
		return false;
	for (uint32_t i = 0; i < reads->count; i++)
		key = hd_hash_mix(key, reads->strides[i]);
	key |= 1;
	struct entry *entry = place_of(state, key);
	if (entry->key == key && entry->row_count == reads->count)
		return entry->first != warp->index && factors_agree(inst, entry, reads) &&
		       amount_agrees(inst, entry, reads) && goes_on(entry, warp, reads, keeps);
	*entry = (struct entry){.key = key, .first = warp->index, .second = warp->index, .row_count = reads->count};
	memcpy(entry->bases, reads->bases, sizeof entry->bases);
	return false;
}

/* ---- the hooks */

static uint64_t result_at(const struct hd_config *config, const struct hd_dinst *inst, uint64_t now)
{
	if (!is_load(inst))
		return now;
	return now + (inst->inst.op == HD_OP_LDS ? config->shared_latency : config->l1_latency);
}

/* It is issued: on one lane if it is the scalar pipeline's. */
static void count_scalar(struct skip_sm *state, const struct hd_dinst *inst, const struct reads *reads)
{
	if (!reads->uniform || is_load(inst) || !reads->mask)
		return;
	state->scalar.instructions++;
	state->scalar.reads += inst->read_count;
	state->scalar.writes += inst->write_count;
}

static bool elide(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst, bool known,
		  uint64_t now, uint64_t *at)
{
	struct hd_sm *sm = warp->cta->sm;
	struct skip_sm *state = hd_policy_sm(self, sm);
	struct skip_cta *block = hd_policy_cta(self, warp->cta);
	struct skip_warp *own = hd_policy_warp(self, warp);
	if (inst->effects & HD_FX_CONVERGENT)
		return false;
	if (!known)
		return true;
	enum kind kind = kind_of(self);
	struct reads reads = read_operands(warp, inst);
	uint64_t position = own->count++;
	bool skipped = reads.mask && (kind == DAC ? is_consecutive(state, warp, inst, &reads, position)
						  : is_redundant(state, warp, inst, &reads, block->epoch));
	if (!skipped && kind == DARSIE_SCALAR)
		count_scalar(state, inst, &reads);
	*at = result_at(sm->gpu->config, inst, now);
	return skipped;
}

/* Its operands are constants and immediates, and it computes. */
static bool is_of_constants(const struct hd_dinst *inst)
{
	const uint16_t others = HD_FX_LOAD | HD_FX_STORE | HD_FX_ATOMIC | HD_FX_FENCE | HD_FX_BARRIER |
				HD_FX_CONVERGENT | HD_FX_READ_PREDS;
	return inst->write_count && !inst->read_count && !(inst->effects & others) &&
	       !hd_x_is_uniform(inst->inst.xkind) && !hd_opinfo[inst->inst.op].psrc && inst->inst.op != HD_OP_S2R;
}

static void issued_scalar(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			  const struct hd_effect *effect, uint64_t now)
{
	struct scalar_counts *counts = hd_policy_sm(self, warp->cta->sm);
	(void)now;
	if (!hd_effect_lanes(effect) || !is_of_constants(inst))
		return;
	counts->instructions++;
	counts->writes += inst->write_count;
}

/* Behind it, the block's memory may hold something else: it stores, or waits for what others do. */
static bool ends_epoch(const struct hd_dinst *inst)
{
	if (inst->effects & (HD_FX_CALL | HD_FX_RET | HD_FX_EXIT))
		return false;
	return inst->effects & (HD_FX_STORE | HD_FX_ATOMIC | HD_FX_FENCE | HD_FX_BARRIER | HD_FX_ASYNC | HD_FX_SIDE);
}

static void issued(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		   const struct hd_effect *effect, uint64_t now)
{
	(void)effect, (void)now;
	if (ends_epoch(inst))
		((struct skip_cta *)hd_policy_cta(self, warp->cta))->epoch++;
}

static const struct hd_policy_count reported[] = {
	{"scalar_instructions", "instructions", "warp instructions whose operands are equal in all lanes"},
	{"scalar_saves_joules", "J", "energy that executing these once per warp would save"},
	{0},
};

static void report_scalar(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
			  void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	const struct hd_config *config = gpu->config;
	double count = 0, picojoules = 0;
	if (gpu->grid)
		return;
	for (uint32_t i = 0; i < config->sm_count; i++) {
		const struct scalar_counts *counts = hd_policy_sm(self, gpu->sms[i]); /* skip_sm's first member */
		count += (double)counts->instructions;
		picojoules += (double)counts->instructions * config->pj_int +
			      (double)counts->reads * config->pj_reg_read +
			      (double)counts->writes * config->pj_reg_write;
	}
	add(context, "scalar_instructions", count, "instructions");
	add(context, "scalar_saves_joules", 1e-12 * picojoules * (HD_WARP_LANES - 1) / HD_WARP_LANES, "J");
}

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	if (kind_of(self) == DARSIE_SCALAR)
		report_scalar(self, gpu, add, context);
}

const struct hd_policy_hooks hd_hooks_skip = {
	.sm_bytes = sizeof(struct skip_sm),
	.cta_bytes = sizeof(struct skip_cta),
	.warp_bytes = sizeof(struct skip_warp),
	.issue.elide = elide,
	.issue.issued = issued,
	.observation.report = report,
	.observation.reported = reported,
};

const struct hd_policy_hooks hd_hooks_scalar = {
	.several_grids = true,
	.sm_bytes = sizeof(struct scalar_counts),
	.issue.issued = issued_scalar,
	.observation.report = report_scalar,
	.observation.reported = reported,
};
