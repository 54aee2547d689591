/*
 * Parks values that are the same in all lanes in uniform registers, where registers are short: R2UR behind each
 * definition, and the uniform register itself as an operand where the instruction takes one, else a MOV in front of it.
 * That costs an instruction here and there; a spilled register costs a store and loads. Registers are short
 *
 *   - where more are live than the function may have; or
 *   - where nobody has set a limit, an SM would hold few warps, and parking makes them more.
 *
 * Whole live ranges are parked, the cheapest first for the crowded instructions that they leave. A uniform register is
 * written only where all lanes are together (uniform.c), so that ranges that do not meet in the code may share one.
 *
 * Needs machine IR out of SSA, scheduled. Costs a pass of the analysis where registers are short, nothing elsewhere;
 * then blocks and parked registers times candidates. Switch: without=park
 */
#include <math.h>

#include "passes/lower/track.h"
#include "passes/lower/uniform.h"

/* As ptxas 13 is seen to do it on sm_75 and sm_80, with 64 to 200 sums that the lanes share. */
#define FEW_WARPS 24u	 /* of an SM, with as many or fewer it pays */
#define ENOUGH_WARPS 40u /* more are not worth the instructions */
#define SLACK 1u	 /* registers that aligned pairs leave unused */
#define MOST_ADDED 3.0	 /* instructions, each as often as the hottest that names the value: a spill costs no more */

struct candidate {
	bool possible;	/* uniform, and nothing but ordinary operands name it */
	uint32_t place; /* first uniform register, + 1; 0: not parked */
	uint32_t touch; /* newest of its touches, + 1 */
};

/* An instruction that names a register. */
struct touch {
	double frequency;
	uint32_t position; /* at which it would be in registers though it is parked */
	uint32_t next;
	uint8_t words; /* of it; added instructions */
	bool folds;    /* unless the instruction takes another uniform operand */
	bool made;     /* a definition by UMOV */
};

struct parking {
	struct hd_mfunc *func;
	struct hd_arena arena;
	struct hd_live_intervals intervals;
	struct candidate *candidates; /* by virtual register */
	HD_VEC(uint32_t) possible;
	struct hd_track tracks[HD_MAX_UREGS];
	HD_VEC(struct touch) touches;
	int32_t *pressure; /* by position: words live */
	uint32_t *crowded; /* by position: of those before it, how many have too many */
	uint32_t positions;
	bool *taken; /* by instruction: it has a uniform operand */
	/* while operands are noted, and while the code is rewritten */
	struct hd_minst *inst;
	double frequency;
	uint32_t index; /* of the instruction in the linear order */
	HD_VEC(struct hd_minst) out, after;
};

static bool is_general(const struct hd_mfunc *func, uint32_t id)
{
	return hd_mreg_is_virtual(id) && !hd_mreg_is_pred(func, id);
}

static struct candidate *candidate_of(const struct parking *p, struct hd_mreg reg)
{
	return reg.words && is_general(p->func, reg.id) ? &p->candidates[reg.id - HD_MREG_VIRTUAL] : NULL;
}

/* ---- operands */

static bool takes_uniform(const struct hd_minst *inst, enum hd_slot slot)
{
	if (inst->op >= HD_OP_COUNT || inst->xkind != HD_X_NONE || inst->ref_kind != HD_MREF_NONE || inst->linear)
		return false;
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	bool slot_is_x = info->srcx == HD_XBC || info->srcx == (slot == HD_SLOT_B ? HD_XB : HD_XC);
	return slot_is_x && info->pipe != HD_PIPE_BRU && !(info->effects & HD_FX_WRITE_PREDS) &&
	       hd_op_width((enum hd_op)inst->op, inst->mods, slot) == 1;
}

/* Whether a and b may change places, with their modifiers. */
static bool commutes(const struct hd_minst *inst)
{
	switch (inst->op) {
	case HD_OP_IADD3:
	case HD_OP_IMAD:
	case HD_OP_IMAD_WIDE:
	case HD_OP_IMAD_HI:
	case HD_OP_IMNMX:
	case HD_OP_FADD:
	case HD_OP_FMUL:
	case HD_OP_FFMA:
		return true;
	default:
		return false;
	}
}

static uint8_t swapped(uint8_t mods)
{
	return (uint8_t)((mods & ~(HD_NEG_A | HD_NEG_B | HD_ABS_A | HD_ABS_B)) | (mods & HD_NEG_A ? HD_NEG_B : 0) |
			 (mods & HD_NEG_B ? HD_NEG_A : 0) | (mods & HD_ABS_A ? HD_ABS_B : 0) |
			 (mods & HD_ABS_B ? HD_ABS_A : 0));
}

static void swap_sources(struct hd_minst *inst)
{
	struct hd_mreg a = inst->a;
	inst->a = inst->b;
	inst->b = a;
	inst->srcmods = swapped(inst->srcmods);
}

/* The slot in which the instruction could read the register from a uniform one, after swapping if it is `a`;
 * HD_SLOT_DST: none, or it reads it more than once. */
static enum hd_slot slot_for(const struct hd_minst *inst, uint32_t id)
{
	bool in_a = inst->a.words && inst->a.id == id, in_b = inst->b.words && inst->b.id == id,
	     in_c = inst->c.words && inst->c.id == id;
	if (in_a + in_b + in_c != 1)
		return HD_SLOT_DST;
	if (inst->op == HD_OP_COPY)
		return HD_SLOT_B;
	enum hd_slot slot = in_c ? HD_SLOT_C : HD_SLOT_B;
	if (!takes_uniform(inst, slot) || (in_a && (!commutes(inst) || inst->b.words != 1)))
		return HD_SLOT_DST;
	return slot;
}

/* ---- candidates */

static void refuse(void *context, struct hd_mreg *reg, bool is_def)
{
	const struct parking *p = context;
	struct candidate *candidate = candidate_of(p, *reg);
	(void)is_def;
	if (candidate)
		candidate->possible = false;
}

/* A word from no register: UMOV makes it in place of MOV. */
static bool is_made(const struct hd_minst *inst)
{
	return inst->op == HD_OP_MOV && !inst->b.words && inst->dst.words == 1 && hd_x_in_b(inst->xkind);
}

static void note_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	struct parking *p = context;
	struct candidate *candidate = candidate_of(p, *reg);
	if (!candidate)
		return;
	struct touch touch = {p->frequency, 2 * p->index + is_def, candidate->touch, reg->words, false, false};
	touch.folds = !is_def && slot_for(p->inst, reg->id) != HD_SLOT_DST;
	touch.made = is_def && is_made(p->inst);
	hd_vec_push(&p->touches, touch);
	candidate->touch = p->touches.len;
}

static void note_inst(struct parking *p, struct hd_minst *inst)
{
	bool plain = inst->op == HD_OP_COPY || (inst->op < HD_OP_COUNT && !inst->extra_count && !inst->linear);
	p->inst = inst;
	hd_minst_visit(p->func, inst, plain && inst->guard == HD_MREG_PT ? note_operand : refuse, p);
}

static bool is_uniform(const struct parking *p, const struct hd_mir_uniformity *known, uint32_t vreg)
{
	const struct hd_live *live = &p->intervals.live;
	for (uint32_t word = live->base[vreg]; word < live->base[vreg + 1]; word++)
		if (hd_bitset_has(&known->divergent, word))
			return false;
	return p->func->vregs.data[vreg].words > 0;
}

static bool find_candidates(struct parking *p)
{
	struct hd_mfunc *func = p->func;
	struct hd_mir_uniformity known;
	if (!hd_mfunc_uniformity(func, &p->intervals.live, &p->arena, &known))
		return false;
	p->candidates = HD_ARENA_NEW(&p->arena, struct candidate, func->vregs.len + 1);
	for (uint32_t vreg = 0; vreg < func->vregs.len; vreg++)
		p->candidates[vreg].possible = is_uniform(p, &known, vreg);
	for (uint32_t i = 0; i < p->intervals.order_count; i++) {
		struct hd_mblock *block = &func->blocks.data[p->intervals.order[i]];
		p->frequency = block->frequency;
		p->index = p->intervals.first[p->intervals.order[i]];
		for (uint32_t k = 0; k < block->insts.len; k++, p->index++)
			note_inst(p, &block->insts.data[k]);
	}
	for (uint32_t vreg = 0; vreg < func->vregs.len; vreg++)
		if (p->candidates[vreg].possible)
			hd_vec_push(&p->possible, vreg);
	return p->possible.len != 0;
}

/* ---- pressure */

static void spread(int32_t *change, struct hd_segment segment, int32_t by)
{
	change[segment.start] += by;
	change[segment.end] -= by;
}

static void find_pressure(struct parking *p)
{
	const struct hd_live_intervals *intervals = &p->intervals;
	memset(p->pressure, 0, p->positions * sizeof(*p->pressure));
	for (uint32_t vreg = 0; vreg < p->func->vregs.len; vreg++) {
		if (!p->func->vregs.data[vreg].words)
			continue;
		uint32_t first = intervals->segment_start[intervals->live.base[vreg]];
		for (uint32_t s = first; s < intervals->segment_start[intervals->live.base[vreg + 1]]; s++)
			spread(p->pressure, intervals->segments[s], 1);
	}
	for (uint32_t i = 0; i < intervals->fixed.len; i++)
		if (intervals->fixed.data[i].reg < HD_RZ)
			spread(p->pressure, intervals->fixed.data[i].segment, 1);
	for (uint32_t at = 1; at < p->positions; at++)
		p->pressure[at] += p->pressure[at - 1];
}

static uint32_t most_live(const struct parking *p)
{
	int32_t most = 0;
	for (uint32_t at = 0; at < p->positions; at++)
		most = p->pressure[at] > most ? p->pressure[at] : most;
	return (uint32_t)most;
}

/* Whether any place has more than `limit`. */
static bool count_crowded(struct parking *p, uint32_t limit)
{
	p->crowded[0] = 0;
	for (uint32_t at = 0; at < p->positions; at++)
		p->crowded[at + 1] = p->crowded[at] + (p->pressure[at] > (int32_t)limit);
	return p->crowded[p->positions];
}

/* Whether the touch keeps words in registers for a moment. */
static bool is_held(const struct parking *p, const struct touch *touch)
{
	return !touch->made && !(touch->folds && !p->taken[touch->position / 2]);
}

/* Words times crowded places that parking it would relieve; and the instructions that it adds, by frequency. */
static uint32_t relief(const struct parking *p, uint32_t vreg, double *cost)
{
	const struct hd_live_intervals *intervals = &p->intervals;
	uint32_t places = 0, first = intervals->segment_start[intervals->live.base[vreg]];
	double hottest = 0;
	for (uint32_t s = first; s < intervals->segment_start[intervals->live.base[vreg + 1]]; s++)
		places += p->crowded[intervals->segments[s].end] - p->crowded[intervals->segments[s].start];
	*cost = 0;
	for (uint32_t t = p->candidates[vreg].touch; t && places; t = p->touches.data[t - 1].next) {
		const struct touch *touch = &p->touches.data[t - 1];
		hottest = fmax(hottest, touch->frequency);
		if (!is_held(p, touch))
			continue;
		uint32_t held = touch->words * (p->crowded[touch->position + 1] - p->crowded[touch->position]);
		places -= held < places ? held : places;
		*cost += touch->frequency * touch->words;
	}
	return *cost > MOST_ADDED * hottest && p->func->uniform != HD_UNIFORM_ALWAYS ? 0 : places;
}

/* ---- choice */

/* The first uniform register from which on there is room for all its words, + 1; 0: there is none. */
static uint32_t find_place(const struct parking *p, uint32_t vreg)
{
	const struct hd_live_intervals *intervals = &p->intervals;
	uint32_t words = p->func->vregs.data[vreg].words, run = 0;
	for (uint32_t reg = 0; reg < HD_MAX_UREGS; reg++) {
		uint32_t word = intervals->live.base[vreg] + run, first = intervals->segment_start[word];
		if (hd_track_is_free(&p->tracks[reg], intervals->segments + first,
				     intervals->segment_start[word + 1] - first)) {
			if (++run == words)
				return reg + 2 - words;
		} else {
			reg -= run; /* from the next one on */
			run = 0;
		}
	}
	return 0;
}

static void park(struct parking *p, uint32_t vreg, uint32_t place)
{
	const struct hd_live_intervals *intervals = &p->intervals;
	struct candidate *candidate = &p->candidates[vreg];
	candidate->place = place;
	for (uint32_t i = 0; i < p->func->vregs.data[vreg].words; i++) {
		uint32_t word = intervals->live.base[vreg] + i, first = intervals->segment_start[word];
		hd_track_claim(&p->tracks[place - 1 + i], intervals->segments + first,
			       intervals->segment_start[word + 1] - first, vreg);
		for (uint32_t s = first; s < intervals->segment_start[word + 1]; s++)
			for (uint32_t at = intervals->segments[s].start; at < intervals->segments[s].end; at++)
				p->pressure[at]--;
	}
	for (uint32_t t = candidate->touch; t; t = p->touches.data[t - 1].next) {
		const struct touch *touch = &p->touches.data[t - 1];
		if (is_held(p, touch))
			p->pressure[touch->position] += touch->words;
		p->taken[touch->position / 2] |= touch->folds;
	}
}

/* The least cost for each crowded place, of those for which there is room. */
static bool park_best(struct parking *p)
{
	uint32_t best = 0, place = 0;
	double least = INFINITY;
	for (uint32_t i = 0; i < p->possible.len; i++) {
		uint32_t vreg = p->possible.data[i];
		double cost = 0;
		uint32_t relieved = p->candidates[vreg].place ? 0 : relief(p, vreg, &cost);
		if (!relieved || cost / relieved >= least)
			continue;
		uint32_t room = find_place(p, vreg);
		if (!room)
			continue;
		best = vreg;
		place = room;
		least = cost / relieved;
	}
	if (place)
		park(p, best, place);
	return place;
}

/* Parks until no more than `limit` words are live anywhere, or nothing is left to park: whether it sufficed. */
static bool park_down_to(struct parking *p, uint32_t limit)
{
	while (count_crowded(p, limit))
		if (!park_best(p))
			return false;
	return true;
}

static uint32_t warps_with(const struct hd_mfunc *func, uint32_t registers)
{
	uint32_t each = (registers + 7) & ~7u, most = func->sm_threads / HD_WARP_LANES;
	uint32_t warps = HD_SM_REGISTERS / HD_WARP_LANES / each & ~3u;
	return warps < most ? warps : most;
}

/* Takes back what has been parked. */
static void forget(struct parking *p)
{
	for (uint32_t reg = 0; reg < HD_MAX_UREGS; reg++)
		hd_vec_clear(&p->tracks[reg].claims);
	for (uint32_t i = 0; i < p->possible.len; i++)
		p->candidates[p->possible.data[i]].place = 0;
	memset(p->taken, 0, p->intervals.inst_count * sizeof(*p->taken));
	find_pressure(p);
}

/* For the most warps that parking gets an SM to hold, if they are a third more; so ptxas does when it is given no
 * limit and few warps would fit. */
static bool park_for_warps(struct parking *p, uint32_t most)
{
	struct hd_mfunc *func = p->func;
	uint32_t reserved = func->abi->reserved_registers, now = warps_with(func, most + reserved);
	for (uint32_t warps = ENOUGH_WARPS; 3 * warps >= 4 * now; warps -= 4) {
		uint32_t registers = HD_SM_REGISTERS / HD_WARP_LANES / warps & ~7u;
		if (warps_with(func, registers) < warps)
			continue;
		if (park_down_to(p, registers - reserved - SLACK)) {
			func->max_registers = registers;
			return true;
		}
		forget(p);
	}
	return false;
}

static bool has_few_warps(const struct hd_mfunc *func, uint32_t most)
{
	return func->max_registers == HD_MAX_REGS &&
	       warps_with(func, most + func->abi->reserved_registers) <= FEW_WARPS;
}

static bool choose(struct parking *p)
{
	uint32_t most = most_live(p), cap = hd_mfunc_cap(p->func);
	if (p->func->uniform == HD_UNIFORM_ALWAYS)
		park_down_to(p, 0);
	else if (most > cap)
		park_down_to(p, cap - SLACK);
	else
		return park_for_warps(p, most);
	return true;
}

static bool is_short(const struct parking *p)
{
	uint32_t most = most_live(p);
	return p->func->uniform == HD_UNIFORM_ALWAYS || most > hd_mfunc_cap(p->func) || has_few_warps(p->func, most);
}

/* ---- rewriting */

static bool is_parked(const struct parking *p, struct hd_mreg reg)
{
	const struct candidate *candidate = candidate_of(p, reg);
	return candidate && candidate->place;
}

static uint32_t uniform_register(const struct parking *p, struct hd_mreg reg)
{
	return p->candidates[reg.id - HD_MREG_VIRTUAL].place - 1 + reg.sub;
}

static void read_from(struct parking *p, struct hd_minst *inst, struct hd_mreg reg, enum hd_slot slot)
{
	inst->x = uniform_register(p, reg);
	inst->xkind = slot == HD_SLOT_B ? HD_X_UNIFORM_B : HD_X_UNIFORM_C;
	if (inst->op == HD_OP_COPY)
		inst->op = HD_OP_MOV;
	*(slot == HD_SLOT_B ? &inst->b : &inst->c) = HD_MREG_NONE;
}

/* One operand comes straight from its uniform register if the instruction takes it so. */
static void fold(struct parking *p, struct hd_minst *inst)
{
	const struct hd_mreg operands[] = {inst->b, inst->c, inst->a};
	for (unsigned i = 0; i < 3; i++) {
		enum hd_slot slot = is_parked(p, operands[i]) ? slot_for(inst, operands[i].id) : HD_SLOT_DST;
		if (slot == HD_SLOT_DST)
			continue;
		if (i == 2)
			swap_sources(inst);
		read_from(p, inst, operands[i], slot);
		return;
	}
}

static struct hd_minst transfer(const struct parking *p, unsigned op)
{
	struct hd_minst inst = hd_minst_make(op, 0);
	inst.loc = p->inst->loc;
	inst.ir = p->inst->ir;
	return inst;
}

static void rewrite_use(void *context, struct hd_mreg *reg, bool is_def)
{
	struct parking *p = context;
	if (is_def || !is_parked(p, *reg))
		return;
	struct hd_mreg whole = *reg, copy = hd_mfunc_vreg(p->func, whole.words);
	for (uint8_t i = 0; i < whole.words; i++) {
		struct hd_minst move = transfer(p, HD_OP_MOV);
		move.dst = (struct hd_mreg){copy.id, i, 1};
		move.xkind = HD_X_UNIFORM_B;
		move.x = uniform_register(p, whole) + i;
		hd_vec_push(&p->out, move);
	}
	*reg = copy;
}

static void rewrite_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct parking *p = context;
	if (!is_def || !is_parked(p, *reg))
		return;
	struct hd_mreg whole = *reg, copy = hd_mfunc_vreg(p->func, whole.words);
	for (uint8_t i = 0; i < whole.words; i++) {
		struct hd_minst keep = transfer(p, HD_OP_R2UR);
		keep.b = (struct hd_mreg){copy.id, i, 1};
		keep.uniform_dst = (uint8_t)(uniform_register(p, whole) + i);
		hd_vec_push(&p->after, keep);
	}
	*reg = copy;
}

static void make(struct parking *p, struct hd_minst *inst)
{
	inst->op = HD_OP_UMOV;
	inst->uniform_dst = (uint8_t)uniform_register(p, inst->dst);
	inst->dst = HD_MREG_NONE;
}

static void rewrite_block(struct parking *p, struct hd_mblock *block)
{
	for (uint32_t i = 0; i < block->insts.len; i++) {
		p->inst = &block->insts.data[i];
		fold(p, p->inst);
		if (is_made(p->inst) && is_parked(p, p->inst->dst))
			make(p, p->inst);
		hd_minst_visit(p->func, p->inst, rewrite_use, p);
		hd_minst_visit(p->func, p->inst, rewrite_def, p);
		hd_vec_push(&p->out, *p->inst);
		for (uint32_t k = 0; k < p->after.len; k++)
			hd_vec_push(&p->out, p->after.data[k]);
		hd_vec_clear(&p->after);
	}
	hd_mblock_assign(block, p->out.data, p->out.len);
	hd_vec_clear(&p->out);
}

static void release(struct parking *p)
{
	for (uint32_t reg = 0; reg < HD_MAX_UREGS; reg++)
		hd_vec_release(&p->tracks[reg].claims);
	hd_live_intervals_release(&p->intervals);
	hd_vec_release(&p->possible);
	hd_vec_release(&p->touches);
	hd_vec_release(&p->out);
	hd_vec_release(&p->after);
	hd_arena_release(&p->arena);
}

void hd_mfunc_park(struct hd_mfunc *func)
{
	struct parking p = {.func = func};
	if (!func->kernel || func->stream || func->uniform == HD_UNIFORM_NEVER || hd_list_has(func->without, "park"))
		return;
	hd_arena_init(&p.arena);
	hd_live_intervals_compute(func, &p.arena, &p.intervals);
	p.positions = 2 * p.intervals.inst_count + 3;
	p.pressure = HD_ARENA_NEW(&p.arena, int32_t, p.positions);
	p.taken = HD_ARENA_NEW(&p.arena, bool, p.intervals.inst_count + 1);
	find_pressure(&p);
	p.crowded = HD_ARENA_NEW(&p.arena, uint32_t, p.positions + 1);
	if (is_short(&p) && find_candidates(&p) && choose(&p))
		for (uint32_t i = 0; i < p.intervals.order_count; i++)
			rewrite_block(&p, &func->blocks.data[p.intervals.order[i]]);
	release(&p);
}
