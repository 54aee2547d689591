/*
 * The ideal machines of Figure 4 (r2d2-isca23, 2.2) as counters: how many thread instructions each would not execute.
 * Only computations count: what neither reads memory (constant banks apart) nor has an effect beside its result.
 *
 *   WP  all active lanes have the same operands: one thread instruction does for the warp
 *   TB  another warp of the block executed the same instruction on the same operands and lanes before
 *   LN  the result is a linear combination of built-in indices with coefficients that are the same for the whole grid.
 *       Its thread-index part is computed once, by the first block; its block-index part once a block, by one thread; a
 *       value without either once a grid. The sum of both parts is each thread's own: whoever first reads it for what
 * is not linear makes one addition (Figure 1 b, its last row), which in R2D2 the load/store unit does
 *
 * LN follows values through registers, lane by lane, by the operations of Figure 6 and what they become in machine
 * code; any computation on grid-uniform operands gives a uniform value. Values that pass through memory are not
 * followed.
 *
 * Beside that each warp instruction is told by what it works on, for what a linear version leaves and why: what comes
 * from memory or other lanes, or indices and launch constants alone, and these by whether the result is linear.
 *
 * Cost: nothing when off; O(operands) an instruction and 16 bytes of each different one of a block when on.
 */
#include "runtime/verify/redundancy.h"
#include "heddle/opcodes.h"

#include "lib/hash.h"
#include "runtime/exec/exec.h"
#include "runtime/sm/sm.h"

/* Lanes whose value is linear, and of these, which depend on a thread or a block index; lanes whose value depends on
 * memory or on other lanes, which is never linear. */
struct form {
	uint32_t linear, thread, block, data;
};
static const struct form uniform = {UINT32_MAX, 0, 0, 0}, unknown = {0, 0, 0, 0}, loaded = {0, 0, 0, UINT32_MAX},
			 linear_register = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0};

struct warp_forms {
	uint64_t start; /* hd_warp.age + 1 of the warp that they are of */
	struct form regs[256], preds[8], uregs[HD_MAX_UREGS];
	uint32_t summed[256]; /* lanes that have made the sum of the register's parts */
	uint32_t writer[256]; /* pc + 1 of the instruction that wrote the register last */
};

/* What a warp instruction works on: the counters ideal_*_warps. */
enum work { MEMORY, FLOW, DATA, COUNTER, UNIFORM, INDEX, PREDICATE, SELECT, NONLINEAR };

/* The instructions that a block has executed: an open hash table. */
struct seen {
	uint64_t hash;
	uint64_t warp; /* + 1; 0: free */
};
struct block_seen {
	uint64_t start; /* of the block's first warp */
	struct seen *entries;
	uint64_t used, capacity; /* a power of two */
};
enum { FIRST_ENTRIES = 1024, MOST_ENTRIES = 1 << 24 };

/* Of an SM, which some host thread goes through: what it has made, and what is known of the instruction that is about
 * to execute. */
struct of_sm {
	HD_VEC(struct warp_forms *) warps;
	HD_VEC(struct block_seen *) blocks;
	bool counts, same, repeated;
	uint32_t sums; /* additions of parts, by one thread each */
	struct form result;
	enum work work;
	uint32_t writer; /* pc + 1 */
};

static struct warp_forms *forms_of(const struct hd_watcher_handle *self, struct of_sm *now, struct hd_warp *warp)
{
	struct warp_forms **slot = HD_WATCHER_OF(self, warp, warp), *forms = *slot;
	if (!forms) {
		*slot = forms = hd_xcalloc(1, sizeof(*forms));
		hd_vec_push(&now->warps, forms);
	}
	if (forms->start == warp->age + 1)
		return forms;
	forms->start = warp->age + 1;
	for (unsigned i = 0; i < 256; i++)
		forms->regs[i] = uniform; /* registers begin as zero; RZ stays so */
	memset(forms->summed, 0, sizeof(forms->summed));
	memset(forms->writer, 0, sizeof(forms->writer));
	for (unsigned i = 0; i < 8; i++)
		forms->preds[i] = uniform;
	for (unsigned i = 0; i < HD_MAX_UREGS; i++)
		forms->uregs[i] = uniform;
	return forms;
}

static struct block_seen *seen_of(const struct hd_watcher_handle *self, struct of_sm *now, struct hd_cta *cta)
{
	struct block_seen **slot = HD_WATCHER_OF(self, cta, cta), *seen = *slot;
	if (!seen) {
		*slot = seen = hd_xcalloc(1, sizeof(*seen));
		hd_vec_push(&now->blocks, seen);
	}
	uint64_t start = cta->start_age + 1;
	if (seen->start == start)
		return seen;
	seen->start = start;
	seen->used = 0;
	if (!seen->entries) {
		seen->capacity = FIRST_ENTRIES;
		seen->entries = hd_xcalloc(seen->capacity, sizeof(*seen->entries));
	}
	memset(seen->entries, 0, seen->capacity * sizeof(*seen->entries));
	return seen;
}

/* ---- operands */

static bool is_computation(const struct hd_dinst *inst)
{
	if (inst->inst.op == HD_OP_LDC)
		return true;
	return inst->pipe != HD_PIPE_BRU &&
	       !(inst->effects & (HD_FX_LOAD | HD_FX_STORE | HD_FX_SIDE | HD_FX_CONVERGENT));
}

struct operands {
	uint32_t mask;
	uint64_t hash;
	bool same;
};

static void add_row(struct operands *operands, const uint32_t *row)
{
	uint32_t first = row[__builtin_ctz(operands->mask)];
	HD_FOR_LANES (lane, operands->mask) {
		operands->same &= row[lane] == first;
		operands->hash = hd_hash_mix(operands->hash, row[lane]);
	}
}

static void add_lanes(struct operands *operands, uint32_t lanes)
{
	lanes &= operands->mask;
	operands->same &= !lanes || lanes == operands->mask;
	operands->hash = hd_hash_mix(operands->hash, lanes);
}

static void add_special(struct operands *operands, const struct hd_warp *warp, unsigned sr)
{
	static const uint32_t lane_ids[HD_WARP_LANES] = {0,  1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10,
							 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
							 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
	if (sr >= HD_SR_TID_X && sr <= HD_SR_TID_Z)
		add_row(operands, warp->tid[sr - HD_SR_TID_X]);
	else if (sr == HD_SR_LANEID || (sr >= HD_SR_LANEMASK_EQ && sr <= HD_SR_LANEMASK_GE))
		add_row(operands, lane_ids);
	else if (sr == HD_SR_WARPID)
		operands->hash = hd_hash_mix(operands->hash, warp->index);
}

static struct operands read_operands(const struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask)
{
	struct operands operands = {mask, hd_hash_mix(warp->pc + UINT64_C(1), mask), true};
	for (unsigned i = 0; i < inst->read_count; i++)
		add_row(&operands, hd_row(warp, inst->read_regs[i]));
	if (hd_x_is_uniform(inst->inst.xkind))
		operands.hash = hd_hash_mix(operands.hash, warp->uregs[inst->inst.x]);
	for (unsigned i = 0; i < hd_opinfo[inst->inst.op].psrc; i++)
		add_lanes(&operands, hd_pred(warp, i ? inst->inst.psrc2 : inst->inst.psrc));
	for (unsigned i = 0; inst->effects & HD_FX_READ_PREDS && i < HD_MAX_PREDS; i++)
		add_lanes(&operands, warp->preds[i]);
	if (inst->inst.op == HD_OP_S2R)
		add_special(&operands, warp, hd_mod_get(inst->inst.mods, HD_MOD_SR));
	return operands;
}

/* ---- TB */

/* No struct hd_hash_set: the whole hash stands for the instruction, and is all there is to compare. */
static struct seen *find_seen(const struct block_seen *table, uint64_t hash)
{
	uint64_t at = hash & (table->capacity - 1);
	while (table->entries[at].warp && table->entries[at].hash != hash)
		at = (at + 1) & (table->capacity - 1);
	return &table->entries[at];
}

static void grow_seen(struct block_seen *table)
{
	struct block_seen larger = {.capacity = 2 * table->capacity};
	larger.entries = hd_xcalloc(larger.capacity, sizeof(*larger.entries));
	for (uint64_t i = 0; i < table->capacity; i++)
		if (table->entries[i].warp)
			*find_seen(&larger, table->entries[i].hash) = table->entries[i];
	free(table->entries);
	table->entries = larger.entries;
	table->capacity = larger.capacity;
}

/* Whether another warp of the block was first; beyond 2^24 different instructions of a block the rest count as new. */
static bool repeats(const struct hd_watcher_handle *self, struct of_sm *now, struct hd_warp *warp, uint64_t hash)
{
	struct block_seen *table = seen_of(self, now, warp->cta);
	struct seen *entry = find_seen(table, hash);
	if (entry->warp)
		return entry->warp != warp->index + 1;
	if (table->used >= MOST_ENTRIES)
		return false;
	*entry = (struct seen){hash, warp->index + 1};
	if (++table->used * 2 > table->capacity)
		grow_seen(table);
	return false;
}

/* ---- LN */

static struct form both(struct form a, struct form b)
{
	return (struct form){a.linear & b.linear, a.thread | b.thread, a.block | b.block, a.data | b.data};
}

static uint32_t uniform_lanes(struct form form)
{
	return form.linear & ~form.thread & ~form.block;
}

static struct form if_uniform(struct form form)
{
	return (struct form){uniform_lanes(form), 0, 0, form.data};
}

static struct form operand_form(const struct warp_forms *forms, const struct hd_inst *inst, enum hd_slot slot)
{
	unsigned reg = slot == HD_SLOT_A ? inst->a : slot == HD_SLOT_B ? inst->b : inst->c;
	struct form form = uniform;
	if (slot == HD_SLOT_B ? inst->xkind == HD_X_UNIFORM_B : slot == HD_SLOT_C && inst->xkind == HD_X_UNIFORM_C)
		return forms->uregs[inst->x];
	if (hd_lr_takes(inst->linear, slot)) /* the field is no register's */
		return hd_lr_kind(inst->linear) == HD_LR_SUM ? linear_register : uniform;
	if (hd_lr_kind(inst->linear) == HD_LR_OFFSET && hd_lr_slot(inst->linear) == slot)
		form = linear_register;
	for (unsigned i = 0; reg != HD_RZ && i < hd_op_width(inst->op, inst->mods, slot); i++)
		form = both(form, forms->regs[(uint8_t)(reg + i)]);
	return form;
}

static struct form predicate_form(const struct warp_forms *forms, const struct hd_inst *inst)
{
	struct form form = uniform;
	if (hd_opinfo[inst->op].psrc > 0)
		form = both(form, forms->preds[inst->psrc & 7]);
	if (hd_opinfo[inst->op].psrc > 1)
		form = both(form, forms->preds[inst->psrc2 & 7]);
	for (unsigned i = 0; hd_opinfo[inst->op].effects & HD_FX_READ_PREDS && i < HD_MAX_PREDS; i++)
		form = both(form, forms->preds[i]);
	return form;
}

static struct form special_form(unsigned sr)
{
	if (sr >= HD_SR_TID_X && sr <= HD_SR_TID_Z)
		return (struct form){UINT32_MAX, UINT32_MAX, 0, 0};
	if (sr >= HD_SR_CTAID_X && sr <= HD_SR_CTAID_Z)
		return (struct form){UINT32_MAX, 0, UINT32_MAX, 0};
	return sr == HD_SR_NWARPID || sr == HD_SR_NSMID || sr == HD_SR_GRIDID ? uniform : unknown;
}

/* x * y: one of them must be uniform. */
static struct form product(struct form x, struct form y)
{
	struct form form = both(x, y);
	form.linear &= uniform_lanes(x) | uniform_lanes(y);
	return form;
}

static bool is_sign_word(const struct hd_inst *inst)
{
	return inst->xkind == HD_X_IMM_B && inst->x == 31 && hd_mod_get(inst->mods, HD_MOD_SIGN);
}

static struct form operands_form(const struct warp_forms *forms, const struct hd_inst *inst)
{
	return both(both(operand_form(forms, inst, HD_SLOT_A), operand_form(forms, inst, HD_SLOT_B)),
		    both(operand_form(forms, inst, HD_SLOT_C), predicate_form(forms, inst)));
}

/* The result's form by Figure 6; carries have their sum's. */
static struct form result_form(const struct warp_forms *forms, const struct hd_inst *inst)
{
	struct form a = operand_form(forms, inst, HD_SLOT_A), b = operand_form(forms, inst, HD_SLOT_B),
		    c = operand_form(forms, inst, HD_SLOT_C), sum = operands_form(forms, inst);
	switch (inst->op) {
	case HD_OP_S2R: return special_form(hd_mod_get(inst->mods, HD_MOD_SR));
	case HD_OP_MOV:
	case HD_OP_IADD3:
	case HD_OP_LEA:
	case HD_OP_LEA_HI: return sum;
	case HD_OP_IMAD:
	case HD_OP_IMAD_WIDE: return both(product(a, b), c);
	case HD_OP_SHL:
	case HD_OP_SHF_L:
	case HD_OP_SGXT: /* an extension, Figure 6's cvt */ sum.linear &= uniform_lanes(b); return sum;
	case HD_OP_SHR: /* the high word of a sign extension */ return is_sign_word(inst) ? sum : if_uniform(sum);
	default: return if_uniform(sum);
	}
}

static void merge(struct form *to, struct form from, uint32_t mask)
{
	to->linear = (to->linear & ~mask) | (from.linear & mask);
	to->thread = (to->thread & ~mask) | (from.thread & mask);
	to->block = (to->block & ~mask) | (from.block & mask);
	to->data = (to->data & ~mask) | (from.data & mask);
}

/* Of a value that is the first lane's in all lanes. */
static struct form of_warp(struct form form, uint32_t mask)
{
	uint32_t first = mask & -mask;
	if (!(form.linear & first) || form.thread & first)
		return form.data & first ? loaded : unknown;
	return (struct form){UINT32_MAX, 0, form.block & first ? UINT32_MAX : 0, 0};
}

static void write_forms(struct warp_forms *forms, const struct hd_dinst *inst, struct form form, uint32_t mask,
			uint32_t writer)
{
	HD_FOR_HAZARD_REGS(reg, &inst->writes)
	{
		merge(&forms->regs[reg], form, mask);
		forms->summed[reg] &= ~mask;
		forms->writer[reg] = writer;
	}
	for (unsigned i = 0; i < HD_MAX_PREDS; i++)
		if (inst->writes.bits[4] >> i & 1)
			merge(&forms->preds[i], form, mask);
	if (hd_opinfo[inst->inst.op].dst == HD_W_U && mask)
		forms->uregs[inst->inst.dst] = of_warp(operand_form(forms, &inst->inst, HD_SLOT_B), mask);
}

/* In lanes where the instruction is not linear, its operands with parts of both kinds that are read so for the first
 * time. */
static uint32_t sums_read(struct warp_forms *forms, const struct hd_inst *inst, struct form result, uint32_t mask)
{
	const uint8_t regs[] = {inst->a, inst->b, inst->c};
	uint32_t count = 0;
	for (unsigned i = 0; i < 3; i++) {
		struct form form = operand_form(forms, inst, HD_SLOT_A + i);
		if (regs[i] == HD_RZ || (hd_lr_kind(inst->linear) && hd_lr_slot(inst->linear) == HD_SLOT_A + i))
			continue;
		uint32_t lanes =
			form.linear & form.thread & form.block & mask & ~result.linear & ~forms->summed[regs[i]];
		count += (uint32_t)__builtin_popcount(lanes);
		for (unsigned w = 0; w < hd_op_width(inst->op, inst->mods, HD_SLOT_A + i); w++)
			forms->summed[(uint8_t)(regs[i] + w)] |= lanes;
	}
	return count;
}

/* Lanes that the linear machine still executes: see the head of the file. */
static uint32_t kept_lanes(const struct hd_warp *warp, struct form form, uint32_t mask)
{
	bool first_block = warp->cta->linear == 0, first_warp = warp->index == 0;
	uint32_t linear = form.linear & mask, kept = mask & ~linear;
	uint32_t thread = linear & form.thread, block = linear & form.block, neither = linear & ~thread & ~block;
	if (first_block)
		kept |= thread;
	if (first_warp)
		kept |= block & -block;
	if (first_block && first_warp)
		kept |= neither & -neither;
	return kept;
}

/* ---- what instructions work on */

/* What it reads is what it wrote itself: a loop's counter, from the second round on. */
static bool counts_up(const struct warp_forms *forms, const struct hd_dinst *inst, uint32_t writer)
{
	for (unsigned i = 0; i < inst->read_count; i++) {
		unsigned reg = inst->read_regs[i];
		if (reg < 256 && forms->writer[reg] == writer && inst->writes.bits[reg / 64] >> reg % 64 & 1)
			return true;
	}
	return false;
}

static bool writes_predicates_only(const struct hd_dinst *inst)
{
	const uint64_t *bits = inst->writes.bits;
	return bits[4] && !(bits[0] | bits[1] | bits[2] | bits[3]);
}

static enum work linear_work(const struct warp_forms *forms, const struct hd_dinst *inst, struct form result,
			     uint32_t mask, uint32_t writer)
{
	if (counts_up(forms, inst, writer))
		return COUNTER;
	return (result.thread | result.block) & mask ? INDEX : UNIFORM;
}

/* In the lanes `mask`, with a result of that form. */
static enum work work_of(const struct warp_forms *forms, const struct hd_dinst *inst, struct form result, uint32_t mask,
			 uint32_t writer)
{
	bool loads_constant = inst->inst.op == HD_OP_LDC;
	if (inst->effects & (HD_FX_LOAD | HD_FX_STORE | HD_FX_ATOMIC) && !loads_constant)
		return MEMORY;
	if (!mask || inst->pipe == HD_PIPE_BRU || inst->effects & HD_FX_SIDE)
		return FLOW;
	bool from_lanes = inst->effects & HD_FX_CONVERGENT && hd_opinfo[inst->inst.op].dst != HD_W_U;
	if (operands_form(forms, &inst->inst).data & mask || from_lanes)
		return DATA;
	if (writes_predicates_only(inst))
		return PREDICATE;
	if (!(mask & ~result.linear))
		return linear_work(forms, inst, result, mask, writer);
	return inst->inst.op == HD_OP_SEL || inst->inst.op == HD_OP_IMNMX ? SELECT : NONLINEAR;
}

static void count_work(struct hd_counters *counters, enum work work)
{
	uint64_t *const of[] = {
		[MEMORY] = &counters->ideal_memory_warps,	[FLOW] = &counters->ideal_flow_warps,
		[DATA] = &counters->ideal_data_warps,		[COUNTER] = &counters->ideal_counter_warps,
		[UNIFORM] = &counters->ideal_uniform_warps,	[INDEX] = &counters->ideal_index_warps,
		[PREDICATE] = &counters->ideal_predicate_warps, [SELECT] = &counters->ideal_select_warps,
		[NONLINEAR] = &counters->ideal_nonlinear_warps,
	};
	(*of[work])++;
}

/* ---- the events */

static struct of_sm *sm_of(const struct hd_watcher_handle *self, const struct hd_sm *sm)
{
	return (struct of_sm *)self->state + sm->id;
}

static void execute_before(const struct hd_watcher_handle *self, struct hd_sm *sm, struct hd_warp *warp,
			   const struct hd_dinst *inst)
{
	struct of_sm *now = sm_of(self, sm);
	uint32_t mask = warp->active & hd_pred(warp, inst->inst.guard);
	struct warp_forms *forms = forms_of(self, now, warp);
	now->counts = mask && is_computation(inst);
	now->result = loaded;
	now->sums = 0;
	if (now->counts) {
		struct operands operands = read_operands(warp, inst, mask);
		now->same = operands.same;
		now->repeated = repeats(self, now, warp, operands.hash);
		now->result = result_form(forms, &inst->inst);
	}
	now->work = work_of(forms, inst, now->result, mask, warp->pc + 1);
	now->writer = warp->pc + 1;
	if (mask && warp->cta->linear) /* the first block executes all that has a thread-index part */
		now->sums = sums_read(forms, &inst->inst, now->result, mask);
}

static void execute_after(const struct hd_watcher_handle *self, struct hd_sm *sm, struct hd_warp *warp,
			  const struct hd_dinst *inst, uint32_t pc, const struct hd_effect *effect)
{
	struct of_sm *now = sm_of(self, sm);
	(void)pc;
	struct hd_counters *counters = hd_sm_counters(sm, warp);
	uint32_t mask = hd_effect_lanes(effect), lanes = (uint32_t)__builtin_popcount(mask);
	write_forms(forms_of(self, now, warp), inst, now->result, mask, now->writer);
	counters->ideal_ln_threads -= now->sums;
	if (!warp->stream)
		count_work(counters, now->work);
	if (!now->counts)
		return;
	uint32_t kept = kept_lanes(warp, now->result, mask);
	counters->ideal_computations += lanes;
	counters->ideal_wp_threads += now->same ? lanes - 1 : 0;
	counters->ideal_tb_threads += now->repeated ? lanes : 0;
	counters->ideal_tb_warps += now->repeated;
	counters->ideal_ln_threads += lanes - (uint32_t)__builtin_popcount(kept);
	counters->ideal_ln_warps += !kept;
}

static const struct hd_watcher redundancy_watcher = {
	.name = "ideal",
	.warp_bytes = sizeof(struct warp_forms *),
	.cta_bytes = sizeof(struct block_seen *),
	.all_code = true,
	.one_grid = true,
	.execute_before = execute_before,
	.execute_after = execute_after,
};

void hd_redundancy_start(struct hd_gpu *gpu)
{
	hd_watcher_add(gpu, &redundancy_watcher, hd_xcalloc(gpu->sm_count, sizeof(struct of_sm)));
}

static void release(struct of_sm *of)
{
	for (uint32_t i = 0; i < of->warps.len; i++)
		free(of->warps.data[i]);
	for (uint32_t i = 0; i < of->blocks.len; i++) {
		free(of->blocks.data[i]->entries);
		free(of->blocks.data[i]);
	}
	hd_vec_release(&of->warps);
	hd_vec_release(&of->blocks);
}

void hd_redundancy_end(struct hd_gpu *gpu)
{
	struct of_sm *sms = hd_watcher_state(gpu, &redundancy_watcher);
	for (uint32_t i = 0; sms && i < gpu->sm_count; i++)
		release(&sms[i]);
	free(sms);
}
