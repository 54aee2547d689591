/*
 * Splitting live ranges, instruction by instruction: which words are in registers, which
 * register leaves for another, and the loads (split.c has the whole).
 */
#include "passes/regalloc/split.h"

/* ---- what is in registers ---- */

static bool is_value(const struct hd_splitter *s, const struct hd_mreg *reg)
{
	return hd_mreg_is_virtual(reg->id) && reg->id - HD_MREG_VIRTUAL < s->splits.original &&
	       hd_split_is_value(s->func, reg->id - HD_MREG_VIRTUAL);
}

static unsigned mask_of(const struct hd_mreg *reg)
{
	return ((1u << reg->words) - 1) << reg->sub;
}

void hd_split_hold(struct hd_splitter *s, struct hd_split_part part)
{
	struct hd_split_held *held = &s->held[part.vreg];
	if (!held->mask) {
		*held = (struct hd_split_held){.web = part.web, .place = s->holders.len, .keep = held->keep};
		hd_vec_push(&s->holders, part.vreg);
	}
	s->words += hd_split_words(part.mask & ~(unsigned)held->mask);
	held->mask |= part.mask;
}

static void hold(struct hd_splitter *s, uint32_t vreg, unsigned mask)
{
	uint32_t web = s->held[vreg].mask ? s->held[vreg].web : hd_split_web_new(s, vreg);
	hd_split_hold(s, (struct hd_split_part){vreg, web, (uint8_t)mask});
}

struct renaming {
	uint32_t from, to;
	bool is_def;
};

static void rename_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	const struct renaming *renaming = context;
	if (reg->id == renaming->from && is_def == renaming->is_def)
		reg->id = renaming->to;
}

void hd_split_close(struct hd_splitter *s, uint32_t vreg)
{
	const struct hd_split_held *held = &s->held[vreg];
	struct renaming renaming = {HD_MREG_VIRTUAL + vreg, HD_SPLIT_WEB + held->web, false};
	for (uint32_t at = held->touches; at; at = s->touches.data[at - 1].next) {
		renaming.is_def = s->touches.data[at - 1].is_def;
		hd_minst_visit(s->func, &s->out.data[s->touches.data[at - 1].inst], rename_operand, &renaming);
	}
}

static void release(struct hd_splitter *s, uint32_t vreg, unsigned mask)
{
	struct hd_split_held *held = &s->held[vreg];
	s->words -= hd_split_words(mask & held->mask);
	held->mask &= (uint8_t)~mask;
	if (held->mask)
		return;
	uint32_t last = hd_vec_pop(&s->holders);
	if (last != vreg) {
		s->holders.data[held->place] = last;
		s->held[last].place = held->place;
	}
	hd_split_close(s, vreg);
}

static void touch(struct hd_splitter *s, uint32_t vreg, uint32_t inst, bool is_def)
{
	hd_vec_push(&s->touches, (struct hd_split_touch){inst, s->held[vreg].touches, is_def});
	s->held[vreg].touches = s->touches.len;
}

/* ---- who leaves ---- */

static uint32_t distance_of(const struct hd_splitter *s, uint32_t vreg)
{
	uint32_t nearest = HD_NEVER;
	for (uint32_t i = 0; i < 4; i++)
		if (s->held[vreg].mask >> i & 1 && s->next[s->live->base[vreg] + i] < nearest)
			nearest = s->next[s->live->base[vreg] + i];
	return nearest;
}

static bool is_remade(const struct hd_splitter *s, uint32_t vreg)
{
	return s->allocator->pieces.data[vreg].remat != HD_NO_REG;
}

static uint32_t furthest(const struct hd_splitter *s)
{
	uint32_t best = HD_NO_REG, most = 0;
	for (uint32_t i = 0; i < s->holders.len; i++) {
		uint32_t vreg = s->holders.data[i];
		if (s->held[vreg].keep == s->epoch)
			continue;
		uint32_t distance = distance_of(s, vreg);
		if (best == HD_NO_REG || distance > most || (distance == most && vreg < best)) {
			best = vreg;
			most = distance;
		}
	}
	return best;
}

void hd_split_make_room(struct hd_splitter *s, uint32_t position)
{
	while ((int32_t)s->words > s->room[position]) {
		uint32_t vreg = furthest(s);
		if (vreg == HD_NO_REG)
			return; /* left to spill.c */
		release(s, vreg, s->held[vreg].mask);
	}
}

/* ---- loads ---- */

static uint32_t shadow_of(struct hd_splitter *s, uint32_t vreg)
{
	if (s->splits.shadow[vreg] == HD_NO_REG)
		s->splits.shadow[vreg] = hd_split_new_piece(s, vreg);
	return s->splits.shadow[vreg];
}

/* What brings words [sub, sub + dst.words) of a register to `dst`. */
static struct hd_minst load_of(struct hd_splitter *s, uint32_t vreg, unsigned sub, struct hd_mreg dst)
{
	struct hd_minst inst;
	if (is_remade(s, vreg)) {
		inst = s->allocator->remats.data[s->allocator->pieces.data[vreg].remat + sub];
		inst.tag = 0;
	} else {
		inst = hd_minst_make(HD_OP_COPY, 0);
		inst.role = HD_ROLE_SPILL_LOAD;
		inst.b = (struct hd_mreg){shadow_of(s, vreg), (uint8_t)sub, dst.words};
	}
	inst.dst = dst;
	return inst;
}

/* Loads of the `missing` words of a register, called `name`. */
static void push_loads(struct hd_splitter *s, hd_split_code *out, uint32_t vreg, uint32_t name, unsigned missing,
		       const struct hd_minst *at)
{
	unsigned words = s->func->vregs.data[vreg].words;
	for (unsigned width = is_remade(s, vreg) ? 1 : words; width; width /= 2) {
		unsigned ones = (1u << width) - 1;
		for (unsigned sub = 0; sub < words; sub += width) {
			if ((missing >> sub & ones) != ones)
				continue;
			missing &= ~(ones << sub);
			struct hd_mreg dst = {name, (uint8_t)sub, (uint8_t)width};
			struct hd_minst load = load_of(s, vreg, sub, dst);
			load.loc = at->loc;
			load.ir = is_remade(s, vreg) ? load.ir : at->ir;
			hd_vec_push(out, load);
		}
	}
}

void hd_split_load(struct hd_splitter *s, uint32_t vreg, unsigned missing, const struct hd_minst *at)
{
	uint32_t first = s->out.len;
	push_loads(s, &s->out, vreg, HD_MREG_VIRTUAL + vreg, missing, at);
	hold(s, vreg, missing);
	for (uint32_t i = first; i < s->out.len; i++)
		touch(s, vreg, i, true);
}

void hd_split_load_late(struct hd_splitter *s, uint32_t id, struct hd_split_part missing)
{
	struct hd_mblock *block = &s->func->blocks.data[id];
	uint32_t end = hd_mblock_end(block), tail = block->insts.len - end;
	hd_split_code loads = {0};
	push_loads(s, &loads, missing.vreg, HD_SPLIT_WEB + missing.web, missing.mask,
		   &block->insts.data[tail ? end : end - 1]);
	for (uint32_t i = 0; i < loads.len; i++)
		hd_vec_push(&block->insts, loads.data[i]);
	struct hd_minst *place = &block->insts.data[end];
	memmove(place + loads.len, place, tail * sizeof(*place));
	memcpy(place, loads.data, loads.len * sizeof(*place));
	hd_vec_release(&loads);
}

/* ---- instructions ---- */

struct visit {
	struct hd_splitter *s;
	struct hd_minst *inst;
};

static void need_read(void *context, struct hd_mreg *reg, bool is_def)
{
	const struct visit *visit = context;
	struct hd_splitter *s = visit->s;
	if (is_def || !is_value(s, reg))
		return;
	uint32_t vreg = reg->id - HD_MREG_VIRTUAL;
	unsigned missing = mask_of(reg) & ~(unsigned)s->held[vreg].mask;
	s->held[vreg].keep = s->epoch;
	if (missing)
		hd_split_load(s, vreg, missing, visit->inst);
}

static void touch_read(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_splitter *s = context;
	if (!is_def && is_value(s, reg))
		touch(s, reg->id - HD_MREG_VIRTUAL, s->out.len - 1, false);
}

static void take_next(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_splitter *s = context;
	(void)is_def;
	if (!is_value(s, reg))
		return;
	uint32_t word = hd_live_word(s->live, *reg);
	for (uint32_t i = 0; i < reg->words; i++)
		s->next[word + i] = s->nexts.data[s->cursor++];
}

/* Words that nothing reads any more. */
static void note_dead(struct hd_splitter *s, const struct hd_mreg *reg)
{
	uint32_t vreg = reg->id - HD_MREG_VIRTUAL;
	unsigned dead = 0;
	for (uint32_t i = 0; i < reg->words; i++)
		dead |= (unsigned)(s->next[s->live->base[vreg] + reg->sub + i] == HD_NEVER) << (reg->sub + i);
	if (dead)
		hd_vec_push(&s->dead, (struct hd_split_part){vreg, 0, (uint8_t)dead});
}

/* Not while operands are visited: what leaves is renamed. */
static void drop_dead(struct hd_splitter *s)
{
	for (uint32_t i = 0; i < s->dead.len; i++)
		if (s->held[s->dead.data[i].vreg].mask & s->dead.data[i].mask)
			release(s, s->dead.data[i].vreg, s->dead.data[i].mask);
	hd_vec_clear(&s->dead);
}

static void end_read(void *context, struct hd_mreg *reg, bool is_def)
{
	if (!is_def && is_value(context, reg))
		note_dead(context, reg);
}

static void begin_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_splitter *s = context;
	if (!is_def || !is_value(s, reg))
		return;
	uint32_t vreg = reg->id - HD_MREG_VIRTUAL;
	hold(s, vreg, mask_of(reg));
	s->held[vreg].keep = s->epoch;
	touch(s, vreg, s->out.len - 1, true);
}

static void end_def(void *context, struct hd_mreg *reg, bool is_def)
{
	if (is_def && is_value(context, reg))
		note_dead(context, reg);
}

/* A copy of what is in no register, and is not read again, is its load. */
static void load_copied(struct hd_splitter *s, struct hd_minst *inst)
{
	if (inst->op != HD_OP_COPY || !inst->dst.words || !is_value(s, &inst->b) || !is_value(s, &inst->dst))
		return;
	uint32_t vreg = inst->b.id - HD_MREG_VIRTUAL;
	uint32_t nexts = s->next_start.data[s->next_start.len - 1 - s->index];
	for (uint32_t i = 0; i < inst->b.words; i++)
		if (s->held[vreg].mask >> (inst->b.sub + i) & 1 || s->nexts.data[nexts + i] != HD_NEVER)
			return;
	if (inst->b.words > 1 && is_remade(s, vreg))
		return;
	struct hd_minst load = load_of(s, vreg, inst->b.sub, inst->dst);
	load.loc = inst->loc;
	load.ir = inst->ir;
	load.tag = inst->tag;
	*inst = load;
}

void hd_split_need(struct hd_splitter *s, struct hd_minst *inst)
{
	hd_minst_visit(s->func, inst, need_read, &(struct visit){s, inst});
}

/* `original`: the instruction before it became a load. */
void hd_split_read(struct hd_splitter *s, struct hd_minst *inst, struct hd_minst *original)
{
	hd_vec_push(&s->out, *inst);
	hd_minst_visit(s->func, inst, touch_read, s);
	s->cursor = s->next_start.data[s->next_start.len - 1 - s->index];
	hd_minst_visit(s->func, original, take_next, s);
	hd_minst_visit(s->func, inst, end_read, s);
	drop_dead(s);
}

void hd_split_inst(struct hd_splitter *s, struct hd_minst *inst)
{
	struct hd_minst original = *inst;
	uint32_t position = hd_split_position(s, s->index);
	load_copied(s, inst);
	s->epoch++;
	hd_split_need(s, inst);
	hd_split_make_room(s, position);
	hd_split_read(s, inst, &original);
	s->epoch++;
	hd_minst_visit(s->func, inst, begin_def, s);
	hd_split_make_room(s, position + 1);
	hd_minst_visit(s->func, inst, end_def, s);
	drop_dead(s);
}

/* ---- the next reads ---- */

static void note_next(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_splitter *s = context;
	(void)is_def;
	if (!is_value(s, reg))
		return;
	uint32_t word = hd_live_word(s->live, *reg);
	for (uint32_t i = 0; i < reg->words; i++)
		hd_vec_push(&s->nexts, s->next[word + i]);
}

static void pass_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_splitter *s = context;
	for (uint32_t i = 0; is_def && is_value(s, reg) && i < reg->words; i++)
		s->next[hd_live_word(s->live, *reg) + i] = HD_NEVER;
}

static void pass_read(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_splitter *s = context;
	for (uint32_t i = 0; !is_def && is_value(s, reg) && i < reg->words; i++)
		s->next[hd_live_word(s->live, *reg) + i] = s->index;
}

/* Goes back over the block and notes, for each operand, the next read after it. */
void hd_split_find_nexts(struct hd_splitter *s)
{
	struct hd_mblock *block = &s->func->blocks.data[s->block];
	for (uint32_t i = s->live->out_start[s->block]; i < s->live->out_start[s->block + 1]; i++) {
		uint32_t beyond = s->uses.at_out[i];
		s->next[s->live->out[i]] = beyond == HD_NEVER ? HD_NEVER - 1 : beyond + block->insts.len;
	}
	hd_vec_clear(&s->nexts);
	hd_vec_clear(&s->next_start);
	for (s->index = block->insts.len; s->index-- > 0;) {
		struct hd_minst *inst = &block->insts.data[s->index];
		hd_vec_push(&s->next_start, s->nexts.len);
		hd_minst_visit(s->func, inst, note_next, s);
		hd_minst_visit(s->func, inst, pass_def, s);
		hd_minst_visit(s->func, inst, pass_read, s);
	}
}
