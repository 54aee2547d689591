/*
 * Rewrites the code for registers that found no place. A register is first split into one
 * piece for each block and stretch between calls, loaded at its first use there and stored
 * after each definition; a piece that finds no place again is split at each instruction.
 * Values that one instruction makes from nothing (constants, parameters, thread indices,
 * frame addresses) are rematerialised instead of loaded. Copies to and from spilled registers
 * become the load or store itself. Predicates go to a general register: SEL after the
 * definition, ISETP before the use.
 *
 * Needs the intervals and pieces of the round. One pass over the code.
 */
#include <assert.h>

#include "heddle/opcodes.h"
#include "passes/regalloc/regalloc.h"

typedef HD_VEC(struct hd_minst) hd_insts;

struct child {
	uint32_t stretch; /* + 1; of the current block-level piece */
	uint32_t reg;	  /* its id */
	uint8_t loaded;	  /* bit per word that the piece holds */
};

struct tiny {
	struct hd_mreg whole; /* operand before */
	struct hd_mreg piece; /* operand now */
	bool is_def;
};

struct spiller {
	struct hd_regalloc *allocator;
	struct hd_mfunc *func;
	bool *chosen;	/* by virtual register */
	bool *by_block; /* split by block, not by instruction */
	struct child *children;
	uint32_t *carrier;	    /* spilled predicates: the general register that carries them */
	uint32_t original;	    /* registers before this pass */
	uint32_t stretch;	    /* counts blocks and calls */
	HD_VEC(struct tiny) tinies; /* of the current instruction */
	hd_insts before, after;
	hd_insts out, tail;
	const struct hd_minst *inst;
};

static bool is_chosen(const struct spiller *spiller, uint32_t id)
{
	return hd_mreg_is_virtual(id) && id - HD_MREG_VIRTUAL < spiller->original &&
	       spiller->chosen[id - HD_MREG_VIRTUAL];
}

static struct hd_piece *piece_of(struct spiller *spiller, uint32_t id)
{
	return hd_regalloc_piece(spiller->allocator, id - HD_MREG_VIRTUAL);
}

static void inherit(struct spiller *spiller, uint32_t child, uint32_t parent, unsigned sub, enum hd_split split)
{
	struct hd_piece from = *piece_of(spiller, parent);
	struct hd_piece *to = piece_of(spiller, child);
	*to = from;
	to->split = split;
	to->slot_word = from.slot_word + sub;
	to->remat = HD_NO_REG;
}

/* ---- memory ---- */

static uint16_t size_mod(unsigned words)
{
	return HD_MOD(SIZE, words == 4 ? HD_SIZE_128 : words == 2 ? HD_SIZE_64 : HD_SIZE_32);
}

struct hd_minst hd_regalloc_access_slot(struct hd_regalloc *allocator, bool load, const struct hd_piece *piece,
					unsigned sub, struct hd_mreg reg)
{
	struct hd_minst inst = hd_minst_make(load ? HD_OP_LDL : HD_OP_STL, size_mod(reg.words));
	inst.role = load ? HD_ROLE_SPILL_LOAD : HD_ROLE_SPILL_STORE;
	inst.a = (struct hd_mreg){hd_mfunc_frame_base(allocator->func), 0, 1};
	inst.xkind = HD_X_OTHER;
	inst.ref_kind = HD_MREF_FRAME;
	inst.ref = piece->slot;
	inst.x = 4 * (piece->slot_word + sub);
	if (load)
		inst.dst = reg;
	else
		inst.c = reg;
	return inst;
}

static struct hd_minst access_slot(struct spiller *spiller, bool load, const struct hd_piece *piece, unsigned sub,
				   struct hd_mreg reg)
{
	struct hd_minst inst = hd_regalloc_access_slot(spiller->allocator, load, piece, sub, reg);
	inst.loc = spiller->inst->loc;
	inst.ir = spiller->inst->ir;
	return inst;
}

/* What makes word `word` of a register again. */
static struct hd_minst remake(struct spiller *spiller, uint32_t id, unsigned word, struct hd_mreg dst)
{
	struct hd_minst inst = spiller->allocator->remats.data[piece_of(spiller, id)->remat + word];
	inst.dst = dst;
	inst.tag = 0;
	return inst;
}

static bool is_remade(struct spiller *spiller, uint32_t id)
{
	return piece_of(spiller, id)->remat != HD_NO_REG;
}

/* Fills `reg`, which stands for words [sub, sub + reg.words) of `whole`. */
static void load_part(struct spiller *spiller, hd_insts *out, uint32_t whole, unsigned sub, struct hd_mreg reg)
{
	if (!is_remade(spiller, whole)) {
		hd_vec_push(out, access_slot(spiller, true, piece_of(spiller, whole), sub, reg));
		return;
	}
	for (uint8_t i = 0; i < reg.words; i++)
		hd_vec_push(out, remake(spiller, whole, sub + i, (struct hd_mreg){reg.id, (uint8_t)(reg.sub + i), 1}));
}

static void load_words(struct spiller *spiller, uint32_t whole, uint32_t child, unsigned missing)
{
	unsigned words = hd_mreg_words(spiller->func, child);
	for (unsigned width = words; width; width /= 2) {
		unsigned ones = (1u << width) - 1;
		for (unsigned sub = 0; sub < words; sub += width) {
			if ((missing >> sub & ones) != ones)
				continue;
			missing &= ~(ones << sub);
			load_part(spiller, &spiller->before, whole, sub,
				  (struct hd_mreg){child, (uint8_t)sub, (uint8_t)width});
		}
	}
}

/* ---- operands ---- */

static struct child *child_of(struct spiller *spiller, uint32_t id)
{
	struct child *child = &spiller->children[id - HD_MREG_VIRTUAL];
	if (child->stretch != spiller->stretch + 1) {
		*child = (struct child){.stretch = spiller->stretch + 1};
		child->reg = hd_mfunc_vreg(spiller->func, hd_mreg_words(spiller->func, id)).id;
		inherit(spiller, child->reg, id, 0, HD_SPLIT_BLOCK);
	}
	return child;
}

static unsigned mask_of(struct hd_mreg reg)
{
	return ((1u << reg.words) - 1) << reg.sub;
}

static bool find_tiny(struct spiller *spiller, struct hd_mreg *reg, bool is_def)
{
	for (uint32_t i = 0; i < spiller->tinies.len; i++) {
		const struct tiny *tiny = &spiller->tinies.data[i];
		if (tiny->is_def == is_def && tiny->whole.id == reg->id && tiny->whole.sub == reg->sub &&
		    tiny->whole.words == reg->words) {
			*reg = tiny->piece;
			return true;
		}
	}
	return false;
}

static struct hd_mreg new_tiny(struct spiller *spiller, struct hd_mreg whole, bool is_def)
{
	struct hd_mreg piece = {0, 0, whole.words};
	piece.id = hd_mreg_is_pred(spiller->func, whole.id) ? hd_mfunc_pred(spiller->func)
							    : hd_mfunc_vreg(spiller->func, whole.words).id;
	inherit(spiller, piece.id, whole.id, whole.sub, HD_SPLIT_TINY);
	hd_vec_push(&spiller->tinies, (struct tiny){whole, piece, is_def});
	return piece;
}

static void use_pred(struct spiller *spiller, struct hd_mreg *reg)
{
	uint32_t carrier = spiller->carrier[reg->id - HD_MREG_VIRTUAL];
	struct hd_minst test = hd_minst_make(HD_OP_ISETP, HD_MOD(CMP, HD_CMP_NE));
	*reg = new_tiny(spiller, *reg, false);
	test.pdst = reg->id;
	test.a = (struct hd_mreg){carrier, 0, 1};
	test.b = HD_MREG_RZ;
	test.loc = spiller->inst->loc;
	hd_vec_push(&spiller->before, test);
}

static void define_pred(struct spiller *spiller, struct hd_mreg *reg)
{
	uint32_t carrier = spiller->carrier[reg->id - HD_MREG_VIRTUAL];
	struct hd_minst keep = hd_minst_make(HD_OP_SEL, 0);
	*reg = new_tiny(spiller, *reg, true);
	keep.dst = (struct hd_mreg){carrier, 0, 1};
	keep.a = HD_MREG_RZ;
	keep.xkind = HD_X_IMM_B;
	keep.x = 1;
	keep.psrc = reg->id;
	keep.psrc_not = true;
	keep.loc = spiller->inst->loc;
	hd_vec_push(&spiller->after, keep);
}

static void use_operand(struct spiller *spiller, struct hd_mreg *reg)
{
	if (find_tiny(spiller, reg, false))
		return;
	if (hd_mreg_is_pred(spiller->func, reg->id)) {
		use_pred(spiller, reg);
	} else if (spiller->by_block[reg->id - HD_MREG_VIRTUAL]) {
		struct child *child = child_of(spiller, reg->id);
		unsigned missing = mask_of(*reg) & ~(unsigned)child->loaded;
		if (missing)
			load_words(spiller, reg->id, child->reg, missing);
		child->loaded |= (uint8_t)missing;
		reg->id = child->reg;
	} else {
		struct hd_mreg whole = *reg;
		*reg = new_tiny(spiller, whole, false);
		load_part(spiller, &spiller->before, whole.id, whole.sub, *reg);
	}
}

static void define_operand(struct spiller *spiller, struct hd_mreg *reg)
{
	struct hd_mreg whole = *reg;
	if (hd_mreg_is_pred(spiller->func, reg->id)) {
		define_pred(spiller, reg);
		return;
	}
	struct hd_piece piece = *piece_of(spiller, whole.id);
	if (spiller->by_block[whole.id - HD_MREG_VIRTUAL]) {
		struct child *child = child_of(spiller, whole.id);
		child->loaded |= (uint8_t)mask_of(whole);
		reg->id = child->reg;
	} else if (!hd_minst_keeps(spiller->inst) || !find_tiny(spiller, reg, false)) {
		*reg = new_tiny(spiller, whole, true); /* not where lanes keep what was read into one */
	}
	hd_vec_push(&spiller->after, access_slot(spiller, false, &piece, whole.sub, *reg));
}

static void rewrite_use(void *context, struct hd_mreg *reg, bool is_def)
{
	struct spiller *spiller = context;
	if (!is_def && is_chosen(spiller, reg->id))
		use_operand(spiller, reg);
}

static void rewrite_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct spiller *spiller = context;
	if (is_def && is_chosen(spiller, reg->id))
		define_operand(spiller, reg);
}

/* ---- instructions ---- */

/* A load or store between a piece and its own slot: goes, since the pieces made from it have their own. */
static bool is_own_access(struct spiller *spiller, const struct hd_minst *inst)
{
	struct hd_mreg reg = inst->op == HD_OP_LDL ? inst->dst : inst->c;
	bool access = inst->role == HD_ROLE_SPILL_LOAD || inst->role == HD_ROLE_SPILL_STORE;
	return access && is_chosen(spiller, reg.id) && piece_of(spiller, reg.id)->slot == inst->ref;
}

/* Definitions of values that are rematerialised, and of undefined ones, are no longer needed. */
static bool is_dropped_def(struct spiller *spiller, const struct hd_minst *inst)
{
	uint32_t id = inst->dst.words ? inst->dst.id : inst->pdst;
	if (!is_chosen(spiller, id))
		return false;
	return inst->op == HD_OP_UNDEF || (!hd_mreg_is_pred(spiller->func, id) && is_remade(spiller, id));
}

static bool holds(struct spiller *spiller, struct hd_mreg reg)
{
	const struct child *child = &spiller->children[reg.id - HD_MREG_VIRTUAL];
	return spiller->by_block[reg.id - HD_MREG_VIRTUAL] && child->stretch == spiller->stretch + 1 &&
	       !(mask_of(reg) & ~(unsigned)child->loaded);
}

/* A copy from a spilled register is its load, a copy to one its store. */
static bool fold_copy(struct spiller *spiller, const struct hd_minst *copy)
{
	if (copy->op != HD_OP_COPY || !copy->dst.words)
		return false;
	bool from = is_chosen(spiller, copy->b.id) && !holds(spiller, copy->b), to = is_chosen(spiller, copy->dst.id);
	struct hd_minst inst;
	if (to && !is_chosen(spiller, copy->b.id)) {
		inst = access_slot(spiller, false, piece_of(spiller, copy->dst.id), copy->dst.sub, copy->b);
		spiller->children[copy->dst.id - HD_MREG_VIRTUAL].loaded &= (uint8_t)~mask_of(copy->dst);
	} else if (from && !to && (copy->b.words == 1 || !is_remade(spiller, copy->b.id))) {
		struct hd_piece piece = *piece_of(spiller, copy->b.id);
		inst = is_remade(spiller, copy->b.id) ? remake(spiller, copy->b.id, copy->b.sub, copy->dst)
						      : access_slot(spiller, true, &piece, copy->b.sub, copy->dst);
	} else {
		return false;
	}
	inst.tag = copy->tag;
	hd_vec_push(&spiller->out, inst);
	return true;
}

static void move_all(hd_insts *to, hd_insts *from)
{
	for (uint32_t i = 0; i < from->len; i++)
		hd_vec_push(to, from->data[i]);
	hd_vec_clear(from);
}

static void rewrite_inst(struct spiller *spiller, struct hd_minst *inst)
{
	spiller->inst = inst;
	if (is_own_access(spiller, inst) || is_dropped_def(spiller, inst) || fold_copy(spiller, inst))
		return;
	hd_vec_clear(&spiller->tinies);
	hd_minst_visit(spiller->func, inst, rewrite_use, spiller);
	if (inst->op < HD_OP_LIMIT && hd_opinfo[inst->op].effects & HD_FX_CALL)
		spiller->stretch++; /* pieces end at calls */
	hd_minst_visit(spiller->func, inst, rewrite_def, spiller);
	move_all(&spiller->out, &spiller->before);
	hd_vec_push(hd_minst_is_terminator(inst) ? &spiller->tail : &spiller->out, *inst);
	move_all(&spiller->out, &spiller->after);
}

static void rewrite_block(struct spiller *spiller, uint32_t id)
{
	struct hd_mblock *block = &spiller->func->blocks.data[id];
	spiller->stretch++;
	for (uint32_t i = 0; i < block->insts.len; i++)
		rewrite_inst(spiller, &block->insts.data[i]);
	move_all(&spiller->out, &spiller->tail);
	hd_mblock_assign(block, spiller->out.data, spiller->out.len);
	hd_vec_clear(&spiller->out);
}

/* ---- set-up ---- */

static bool is_local(const struct hd_regalloc *allocator, uint32_t vreg)
{
	uint32_t word = allocator->intervals.live.base[vreg], block = UINT32_MAX;
	for (uint32_t i = 0; i < hd_regalloc_words(allocator, vreg); i++) {
		const struct hd_segment *segments;
		uint32_t count = hd_regalloc_segments(allocator, word + i, &segments);
		if (!count)
			continue;
		uint32_t first = hd_live_intervals_block(&allocator->intervals, segments[0].start);
		uint32_t last = hd_live_intervals_block(&allocator->intervals, segments[count - 1].end - 1);
		if (first != last || (block != UINT32_MAX && first != block))
			return false;
		block = first;
	}
	return true;
}

static void choose(struct spiller *spiller, uint32_t vreg)
{
	struct hd_regalloc *allocator = spiller->allocator;
	struct hd_piece *piece = hd_regalloc_piece(allocator, vreg);
	unsigned words = spiller->func->vregs.data[vreg].words;
	spiller->chosen[vreg] = true;
	if (!words) {
		spiller->carrier[vreg] = hd_mfunc_vreg(spiller->func, 1).id;
		return;
	}
	bool whole = piece->split == HD_SPLIT_WHOLE && allocator->round < 8;
	spiller->by_block[vreg] = whole && (!is_local(allocator, vreg) || allocator->crosses[vreg]);
	if (piece->remat == HD_NO_REG && piece->slot == HD_NO_REG) {
		piece->slot = hd_mfunc_frame(spiller->func, 4 * words, 4 * words, HD_FRAME_SPILL);
		piece->slot_word = 0;
	}
}

void hd_regalloc_spill(struct hd_regalloc *allocator, const uint32_t *spilled, uint32_t count)
{
	struct hd_mfunc *func = allocator->func;
	struct spiller spiller = {.allocator = allocator, .func = func, .original = func->vregs.len};
	spiller.chosen = HD_ARENA_NEW(&allocator->arena, bool, func->vregs.len);
	spiller.by_block = HD_ARENA_NEW(&allocator->arena, bool, func->vregs.len);
	spiller.children = HD_ARENA_NEW(&allocator->arena, struct child, func->vregs.len);
	spiller.carrier = HD_ARENA_NEW(&allocator->arena, uint32_t, func->vregs.len);
	for (uint32_t i = 0; i < count; i++)
		choose(&spiller, spilled[i]);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		rewrite_block(&spiller, id);
	hd_vec_release(&spiller.tinies);
	hd_vec_release(&spiller.before);
	hd_vec_release(&spiller.after);
	hd_vec_release(&spiller.out);
	hd_vec_release(&spiller.tail);
}
