/*
 * The slots of split live ranges: each definition of a register that is loaded somewhere is
 * stored behind it. Then liveness over registers and shadows (split.h) tells which stores no
 * load reads, which loads came too early, and which rematerialised values need not be
 * made where they were. Shadows become frame objects, copies from and to them loads and
 * stores.
 *
 * Cost: liveness, twice when loads went.
 */
#include "passes/regalloc/split.h"

#define SWEEPS 3u

struct slots {
	struct hd_regalloc *allocator;
	struct hd_mfunc *func;
	const struct hd_splits *splits;
	HD_VEC(struct hd_minst) out, after;
	const struct hd_minst *inst;
	const struct hd_live *live;
	bool *alive; /* by word */
	bool dropped_load;
};

static uint32_t origin_of(const struct slots *s, uint32_t id)
{
	uint32_t vreg = id - HD_MREG_VIRTUAL;
	return vreg < s->splits->original ? vreg : s->splits->origin.data[vreg - s->splits->original];
}

static bool is_spill(const struct hd_minst *inst, enum hd_role role)
{
	return inst->op == HD_OP_COPY && inst->role == role;
}

/* ---- stores ---- */

/* A load into the register whose shadow it reads. */
static bool is_own_load(const struct slots *s, const struct hd_minst *inst)
{
	return is_spill(inst, HD_ROLE_SPILL_LOAD) && origin_of(s, inst->b.id) == origin_of(s, inst->dst.id) &&
	       inst->b.sub == inst->dst.sub;
}

static void store_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct slots *s = context;
	if (!is_def || !hd_mreg_is_virtual(reg->id))
		return;
	uint32_t origin = origin_of(s, reg->id);
	if (s->splits->shadow[origin] == HD_NO_REG)
		return;
	struct hd_minst store = hd_minst_make(HD_OP_COPY, 0);
	store.role = HD_ROLE_SPILL_STORE;
	store.dst = (struct hd_mreg){s->splits->shadow[origin], reg->sub, reg->words};
	store.b = *reg;
	store.loc = s->inst->loc;
	store.ir = s->inst->ir;
	hd_vec_push(&s->after, store);
}

static void store_block(struct slots *s, struct hd_mblock *block)
{
	hd_vec_clear(&s->out);
	for (uint32_t i = 0; i < block->insts.len; i++) {
		struct hd_minst *inst = &block->insts.data[i];
		s->inst = inst;
		hd_vec_clear(&s->after);
		if (inst->op != HD_OP_UNDEF && !is_own_load(s, inst))
			hd_minst_visit(s->func, inst, store_def, s);
		hd_vec_push(&s->out, *inst);
		for (uint32_t k = 0; k < s->after.len; k++)
			hd_vec_push(&s->out, s->after.data[k]);
	}
	hd_mblock_assign(block, s->out.data, s->out.len);
}

/* ---- what is not needed ---- */

static bool is_optional(const struct slots *s, const struct hd_minst *inst)
{
	if (inst->op >= HD_OP_MIR_COUNT || !inst->dst.words || !hd_mreg_is_virtual(inst->dst.id))
		return false;
	if (is_spill(inst, HD_ROLE_SPILL_STORE) || is_own_load(s, inst))
		return true;
	return s->allocator->pieces.data[origin_of(s, inst->dst.id)].remat != HD_NO_REG;
}

static bool is_dead(const struct slots *s, struct hd_mreg reg)
{
	uint32_t word = hd_live_word(s->live, reg);
	for (uint32_t i = 0; i < reg.words; i++)
		if (s->alive[word + i])
			return false;
	return true;
}

static void set_alive(struct slots *s, const struct hd_mreg *reg, bool alive)
{
	for (uint32_t i = 0; hd_mreg_is_virtual(reg->id) && i < reg->words; i++)
		s->alive[hd_live_word(s->live, *reg) + i] = alive;
}

static void end_life(void *context, struct hd_mreg *reg, bool is_def)
{
	if (is_def)
		set_alive(context, reg, false);
}

static void begin_life(void *context, struct hd_mreg *reg, bool is_def)
{
	if (!is_def)
		set_alive(context, reg, true);
}

static void sweep_block(struct slots *s, uint32_t id)
{
	struct hd_mblock *block = &s->func->blocks.data[id];
	uint32_t kept = block->insts.len;
	for (uint32_t i = s->live->out_start[id]; i < s->live->out_start[id + 1]; i++)
		s->alive[s->live->out[i]] = true;
	for (uint32_t i = block->insts.len; i-- > 0;) {
		struct hd_minst *inst = &block->insts.data[i];
		if (is_optional(s, inst) && is_dead(s, inst->dst)) {
			s->dropped_load |= inst->role == HD_ROLE_SPILL_LOAD;
			continue;
		}
		hd_minst_visit(s->func, inst, end_life, s);
		hd_minst_visit(s->func, inst, begin_life, s);
		block->insts.data[--kept] = *inst;
	}
	for (uint32_t i = s->live->in_start[id]; i < s->live->in_start[id + 1]; i++)
		s->alive[s->live->in[i]] = false;
	hd_vec_remove_some(&block->insts, 0, kept);
}

static void sweep(struct slots *s)
{
	struct hd_arena arena;
	struct hd_live live;
	hd_arena_init(&arena);
	hd_live_compute(s->func, &arena, &live);
	s->live = &live;
	s->alive = HD_ARENA_NEW(&arena, bool, live.words + 1);
	s->dropped_load = false;
	for (uint32_t id = 0; id < s->func->blocks.len; id++)
		sweep_block(s, id);
	hd_arena_release(&arena);
}

/* ---- slots ---- */

static struct hd_piece *slot_of(struct slots *s, uint32_t origin)
{
	struct hd_piece *piece = hd_regalloc_piece(s->allocator, origin);
	unsigned words = s->func->vregs.data[origin].words;
	if (piece->slot == HD_NO_REG) {
		piece->slot = hd_mfunc_frame(s->func, 4 * words, 4 * words, HD_FRAME_SPILL);
		piece->slot_word = 0;
	}
	return piece;
}

static void place_access(struct slots *s, struct hd_minst *inst)
{
	bool load = is_spill(inst, HD_ROLE_SPILL_LOAD);
	if (!load && !is_spill(inst, HD_ROLE_SPILL_STORE))
		return;
	struct hd_mreg shadow = load ? inst->b : inst->dst;
	struct hd_minst access = hd_regalloc_access_slot(s->allocator, load, slot_of(s, origin_of(s, shadow.id)),
							 shadow.sub, load ? inst->dst : inst->b);
	access.loc = inst->loc;
	access.ir = inst->ir;
	access.tag = inst->tag;
	*inst = access;
}

static void place_accesses(struct slots *s)
{
	for (uint32_t id = 0; id < s->func->blocks.len; id++)
		for (uint32_t i = 0; i < s->func->blocks.data[id].insts.len; i++)
			place_access(s, &s->func->blocks.data[id].insts.data[i]);
	for (uint32_t i = 0; i < s->splits->origin.len; i++) {
		struct hd_piece origin = *hd_regalloc_piece(s->allocator, s->splits->origin.data[i]);
		origin.remat = HD_NO_REG;
		*hd_regalloc_piece(s->allocator, s->splits->original + i) = origin;
	}
}

void hd_splits_store(struct hd_regalloc *allocator, const struct hd_splits *splits)
{
	struct slots s = {.allocator = allocator, .func = allocator->func, .splits = splits};
	for (uint32_t id = 0; id < s.func->blocks.len; id++)
		store_block(&s, &s.func->blocks.data[id]);
	s.dropped_load = true;
	for (uint32_t i = 0; s.dropped_load && i < SWEEPS; i++)
		sweep(&s);
	place_accesses(&s);
	hd_vec_release(&s.out);
	hd_vec_release(&s.after);
}
