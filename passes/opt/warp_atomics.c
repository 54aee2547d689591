/*
 * One atomic for the lanes of a warp that have one address, as ptxas 13 makes it of integers (docs/model.md, Code):
 *
 *   sum of one operand        the lanes are counted, the last of them adds the count times the operand; a lane's old
 *                             value is the last one's and the operand for each lane below
 *   other operands, no result the last lane has all combined by REDUX (sm_80); before, a full warp exchanges them by
 *                             five shuffles and lane 0 has the result, other lanes do as before
 *   sum of these, with result a full warp adds up the lanes below by five shuffles, lane 31 has the sum
 *
 * The operation is a sum, the least, the greatest, AND, OR or XOR of 32 bits, or a sum of one operand of 64 bits.
 * Increments of shared memory without a result stay single from sm_80 on: ptxas has an instruction for them. So does
 * what only threads of one threadIdx.x do (hd_is_for_one_index): a warp has one of them where a block has 32 or more in
 * a row.
 *
 * Who executes the atomic is who executes the vote in front of it, since nothing between makes lanes part or join
 * (HD_MEMBERS_HERE). The address has to be the same in all of them: selection says so (enum of HD_ALIKE_).
 * Switch: without=warp-atomics.
 *
 * Needs registers without PHIs, before they are ordered and allocated. Linear.
 */
#include "heddle/opcodes.h"
#include "passes/mir/divergence.h"

#define LAST_LANE 31u
enum { LUT_AND = 0xf0 & 0xcc, LUT_OR = 0xf0 | 0xcc, LUT_XOR = 0xf0 ^ 0xcc }; /* of a and b */

/* What is known of a register: its definitions, and the number that the last one of each word is. */
struct known {
	uint8_t defs[2];
	bool constant[2];
	uint32_t number[2];
	bool read;
};

/* What the present stretch of a block has in registers: who is there. words 0: not yet. */
struct here {
	struct hd_mreg lanes, count, last, lane, below;
	uint32_t is_last; /* HD_MREG_PT: not yet */
};

struct aggregator {
	struct hd_mfunc *func;
	struct known *known; /* by virtual register */
	uint32_t vregs;	     /* before this step */
	HD_VEC(struct hd_minst) made;
	struct here here;
	struct hd_minst from; /* the atomic */
	uint32_t site;	      /* the last one of its IR instruction that has been given; 0: there are no more */
	bool together, changed;
};

static const struct here nobody = {.is_last = HD_MREG_PT};

/* ---- constants */

static void note_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	struct aggregator *a = context;
	if (!hd_mreg_is_virtual(reg->id))
		return;
	struct known *known = &a->known[reg->id - HD_MREG_VIRTUAL];
	for (unsigned i = reg->sub; is_def && i < reg->sub + reg->words && i < 2; i++)
		known->defs[i] += known->defs[i] < 2;
}

static bool is_number(const struct hd_minst *inst)
{
	return (inst->op == HD_OP_COPY || inst->op == HD_OP_MOV) && inst->guard == HD_MREG_PT && inst->dst.words == 1 &&
	       hd_mreg_is_virtual(inst->dst.id) && inst->ref_kind == HD_MREF_NONE &&
	       (inst->xkind == HD_X_IMM_B || (inst->b.words && inst->b.id == HD_RZ));
}

static void note_numbers(struct aggregator *a)
{
	for (uint32_t id = 0; id < a->func->blocks.len; id++)
		for (uint32_t i = 0; i < a->func->blocks.data[id].insts.len; i++) {
			struct hd_minst *inst = &a->func->blocks.data[id].insts.data[i];
			hd_minst_visit(a->func, inst, note_operand, a);
			if (!is_number(inst) || inst->dst.sub > 1)
				continue;
			struct known *known = &a->known[inst->dst.id - HD_MREG_VIRTUAL];
			known->constant[inst->dst.sub] = true;
			known->number[inst->dst.sub] = inst->xkind == HD_X_IMM_B ? inst->x : 0;
		}
}

/* Whether the word of the operand is a number. */
static bool has_number(const struct aggregator *a, struct hd_mreg reg, unsigned word, uint32_t *number)
{
	*number = 0;
	if (reg.id == HD_RZ)
		return true;
	uint32_t vreg = reg.id - HD_MREG_VIRTUAL, at = reg.sub + word;
	if (!hd_mreg_is_virtual(reg.id) || vreg >= a->vregs || at > 1 || a->known[vreg].defs[at] != 1 ||
	    !a->known[vreg].constant[at])
		return false;
	*number = a->known[vreg].number[at];
	return true;
}

/* ---- instructions */

/* In the upper half of the IR instruction's parts, which selection leaves. */
static void begin_sites(struct aggregator *a)
{
	uint32_t part = a->from.site % HD_SITE_PARTS;
	a->site = a->from.site && part < HD_SITE_PARTS / 2 ? a->from.site + HD_SITE_PARTS / 2 : 0;
}

static uint32_t next_site(struct aggregator *a)
{
	if (a->site)
		a->site = (a->site + 1) % HD_SITE_PARTS ? a->site + 1 : 0;
	return a->site;
}

static struct hd_minst *push(struct aggregator *a, unsigned op, uint16_t mods, struct hd_mreg dst)
{
	struct hd_minst inst = hd_minst_make(op, mods);
	inst.dst = dst;
	inst.loc = a->from.loc;
	inst.ir = a->from.ir;
	if (hd_minst_effects(&inst))
		inst.site = next_site(a);
	hd_vec_push(&a->made, inst);
	return &a->made.data[a->made.len - 1];
}

static struct hd_mreg fresh(struct aggregator *a, unsigned words)
{
	return hd_mfunc_vreg(a->func, words);
}

static struct hd_mreg word_of(struct hd_mreg reg, unsigned word)
{
	return reg.id == HD_RZ ? HD_MREG_RZ : (struct hd_mreg){reg.id, (uint8_t)(reg.sub + word), 1};
}

static void set_number(struct hd_minst *inst, uint32_t number)
{
	inst->xkind = HD_X_IMM_B;
	inst->x = number;
}

static struct hd_mreg special(struct aggregator *a, unsigned sr)
{
	struct hd_mreg dst = fresh(a, 1);
	push(a, HD_OP_S2R, HD_MOD(SR, sr), dst);
	return dst;
}

static struct hd_mreg unary(struct aggregator *a, unsigned op, struct hd_mreg b)
{
	struct hd_mreg dst = fresh(a, 1);
	push(a, op, 0, dst)->b = b;
	return dst;
}

static struct hd_minst *compare(struct aggregator *a, unsigned cmp, struct hd_mreg x, uint32_t *result)
{
	struct hd_minst *inst = push(a, HD_OP_ISETP, HD_MOD(CMP, cmp), HD_MREG_NONE);
	inst->a = x;
	inst->pdst = *result = hd_mfunc_pred(a->func);
	return inst;
}

/* `lane` NULL: by the number `by`. */
static struct hd_minst *shuffle(struct aggregator *a, struct hd_mreg dst, unsigned mode, struct hd_mreg value,
				const struct hd_mreg *lane, uint32_t by, uint32_t inside)
{
	uint32_t clamp = mode == HD_SHFL_UP ? 0 : LAST_LANE;
	struct hd_minst *inst = push(a, HD_OP_SHFL,
				     (uint16_t)(HD_MOD(SHFLMODE, mode) | HD_MOD(BIMM, !lane) | HD_MOD(CIMM, 1) |
						HD_MOD(MEMBERS, HD_MEMBERS_HERE)),
				     dst);
	inst->a = value;
	inst->b = lane ? *lane : HD_MREG_NONE;
	inst->x = by | clamp << 8;
	inst->xkind = HD_X_OTHER;
	inst->pdst = inside;
	return inst;
}

/* The atomic with another operand, under a predicate. A result, which only the lanes of the predicate get, takes the
 * operand's place, so that each lane has something that a shuffle may read. */
static void push_atomic(struct aggregator *a, struct hd_mreg operand, uint32_t guard)
{
	struct hd_minst inst = a->from;
	inst.b = operand;
	inst.guard = guard;
	inst.alike = 0;
	inst.role = guard != HD_MREG_PT ? HD_ROLE_WARP_ATOMIC : HD_ROLE_PLAIN;
	if (guard != HD_MREG_PT && hd_minst_has_result(&inst))
		inst.dst = operand;
	hd_vec_push(&a->made, inst);
}

/* ---- who is there */

static struct hd_mreg lanes_here(struct aggregator *a)
{
	if (!a->here.lanes.words) {
		a->here.lanes = fresh(a, 1);
		push(a, HD_OP_VOTE, HD_MOD(VOTEMODE, HD_VOTE_ANY) | HD_MOD(MEMBERS, HD_MEMBERS_HERE), a->here.lanes);
	}
	return a->here.lanes;
}

static struct hd_mreg lane_of(struct aggregator *a)
{
	if (!a->here.lane.words)
		a->here.lane = special(a, HD_SR_LANEID);
	return a->here.lane;
}

static struct hd_mreg last_here(struct aggregator *a)
{
	struct hd_mreg lanes = lanes_here(a);
	if (!a->here.last.words)
		a->here.last = unary(a, HD_OP_FLO, lanes);
	return a->here.last;
}

static uint32_t is_last(struct aggregator *a)
{
	struct hd_mreg lane = lane_of(a), last = last_here(a);
	if (a->here.is_last == HD_MREG_PT)
		compare(a, HD_CMP_EQ, lane, &a->here.is_last)->b = last;
	return a->here.is_last;
}

static struct hd_mreg count_here(struct aggregator *a)
{
	struct hd_mreg lanes = lanes_here(a);
	if (!a->here.count.words)
		a->here.count = unary(a, HD_OP_POPC, lanes);
	return a->here.count;
}

static struct hd_mreg count_below(struct aggregator *a)
{
	if (!a->here.below.words) {
		struct hd_mreg mask = special(a, HD_SR_LANEMASK_LT), some = fresh(a, 1);
		struct hd_minst *and = push(a, HD_OP_LOP3, HD_MOD(LUT, LUT_AND), some);
		and->a = mask;
		and->b = lanes_here(a);
		and->c = HD_MREG_RZ;
		a->here.below = unary(a, HD_OP_POPC, some);
	}
	return a->here.below;
}

/* ---- sums of one operand */

/* dst = count * operand + summand, of a word or two; dst may be the summand. */
static void multiply_add(struct aggregator *a, struct hd_mreg dst, struct hd_mreg count, struct hd_mreg summand)
{
	struct hd_mreg by = a->from.b;
	uint32_t low, high;
	bool wide = dst.words == 2, fixed = has_number(a, by, 0, &low);
	if (!wide && fixed && low == 1) {
		struct hd_minst *add = push(a, HD_OP_IADD3, 0, dst);
		add->a = count;
		add->b = summand;
		add->c = HD_MREG_RZ;
		return;
	}
	struct hd_minst *product = push(a, wide ? HD_OP_IMAD_WIDE : HD_OP_IMAD, 0, dst);
	product->a = count;
	product->c = summand;
	if (fixed && low)
		set_number(product, low);
	else
		product->b = word_of(by, 0);
	if (!wide || (has_number(a, by, 1, &high) && !high))
		return;
	struct hd_minst *upper = push(a, HD_OP_IMAD, 0, word_of(dst, 1));
	upper->a = count;
	upper->b = word_of(by, 1);
	upper->c = word_of(dst, 1);
}

/* In registers of its own where the atomic has a result. */
static struct hd_mreg times_count(struct aggregator *a)
{
	uint8_t words = a->from.b.words;
	struct hd_mreg count = count_here(a), rz = {HD_RZ, 0, words};
	uint32_t low;
	if (words == 1 && has_number(a, a->from.b, 0, &low) && low == 1) {
		a->here.count.words = hd_minst_has_result(&a->from) ? 0 : 1;
		return count;
	}
	struct hd_mreg product = fresh(a, words);
	multiply_add(a, product, count, rz);
	return product;
}

static void add_count(struct aggregator *a)
{
	struct hd_mreg operand = times_count(a), dst = a->from.dst;
	push_atomic(a, operand, is_last(a));
	if (!hd_minst_has_result(&a->from))
		return;
	struct hd_mreg below = count_below(a), first = fresh(a, dst.words), last = last_here(a);
	for (unsigned word = 0; word < dst.words; word++)
		shuffle(a, word_of(first, word), HD_SHFL_IDX, word_of(operand, word), &last, 0, HD_MREG_PT);
	/* Of two words the operand is read behind the first one of the result. */
	bool shared = dst.words == 2 && dst.id == a->from.b.id;
	multiply_add(a, shared ? first : dst, below, first);
	if (shared)
		push(a, HD_OP_COPY, 0, dst)->b = first;
}

/* ---- operands that differ */

static void combine(struct aggregator *a, struct hd_mreg dst, struct hd_mreg x, struct hd_mreg y)
{
	unsigned op = hd_mod_get(a->from.mods, HD_MOD_ATOMOP), type = hd_mod_get(a->from.mods, HD_MOD_DTYPE);
	struct hd_minst *inst;
	switch (op) {
	case HD_ATOM_ADD: inst = push(a, HD_OP_IADD3, 0, dst); break;
	case HD_ATOM_MIN:
	case HD_ATOM_MAX:
		inst = push(a, HD_OP_IMNMX,
			    (uint16_t)(HD_MOD(MINMAX, op == HD_ATOM_MIN ? HD_MIN : HD_MAX) |
				       HD_MOD(SIGN, type == HD_S32 ? HD_SIGNED : HD_UNSIGNED)),
			    dst);
		break;
	case HD_ATOM_AND: inst = push(a, HD_OP_LOP3, HD_MOD(LUT, LUT_AND), dst); break;
	case HD_ATOM_OR: inst = push(a, HD_OP_LOP3, HD_MOD(LUT, LUT_OR), dst); break;
	default: inst = push(a, HD_OP_LOP3, HD_MOD(LUT, LUT_XOR), dst); break;
	}
	inst->a = x;
	inst->b = y;
	if (inst->op != HD_OP_IMNMX)
		inst->c = HD_MREG_RZ;
}

/* By REDUX. */
static void reduce(struct aggregator *a)
{
	unsigned op = hd_mod_get(a->from.mods, HD_MOD_ATOMOP), type = hd_mod_get(a->from.mods, HD_MOD_DTYPE);
	struct hd_mreg all = fresh(a, 1);
	uint32_t last = is_last(a);
	struct hd_minst *inst = push(a, HD_OP_REDUX, (uint16_t)(HD_MOD(ATOMOP, op) | HD_MOD(DTYPE, type)), all);
	inst->a = a->from.b;
	inst->role = HD_ROLE_WARP_ATOMIC;
	push_atomic(a, all, last);
}

/* By shuffles, in a full warp: lane 0 has the result. `alike`: all have the operand. */
static void exchange(struct aggregator *a, bool alike)
{
	struct hd_mreg all = a->from.b;
	uint32_t is_first;
	for (uint32_t by = 1; !alike && by <= LAST_LANE; by *= 2) {
		struct hd_mreg other = fresh(a, 1), both = fresh(a, 1);
		struct hd_minst *inst = shuffle(a, other, HD_SHFL_BFLY, all, NULL, by, HD_MREG_PT);
		inst->role = by == 1 ? HD_ROLE_WARP_ATOMIC : HD_ROLE_PLAIN;
		combine(a, both, all, other);
		all = both;
	}
	if (alike && hd_mod_get(a->from.mods, HD_MOD_ATOMOP) == HD_ATOM_XOR)
		all = HD_MREG_RZ; /* an even number of them */
	compare(a, HD_CMP_EQ, lane_of(a), &is_first)->b = HD_MREG_RZ;
	push_atomic(a, all, is_first);
}

/* The same with results: lane 31 has the sum, each other one those of the lanes below. */
static void scan(struct aggregator *a)
{
	struct hd_mreg sum = fresh(a, 1), below = fresh(a, 1), dst = a->from.dst;
	uint32_t is_end, inside;
	push(a, HD_OP_COPY, 0, sum)->b = a->from.b;
	for (uint32_t by = 1; by <= LAST_LANE; by *= 2) {
		struct hd_mreg other = fresh(a, 1);
		inside = hd_mfunc_pred(a->func);
		struct hd_minst *inst = shuffle(a, other, HD_SHFL_UP, sum, NULL, by, inside);
		inst->role = by == 1 ? HD_ROLE_WARP_ATOMIC : HD_ROLE_PLAIN;
		struct hd_minst *add = push(a, HD_OP_IADD3, 0, sum);
		add->a = sum;
		add->b = other;
		add->c = HD_MREG_RZ;
		add->guard = inside;
	}
	set_number(compare(a, HD_CMP_EQ, lane_of(a), &is_end), LAST_LANE);
	inside = hd_mfunc_pred(a->func);
	shuffle(a, below, HD_SHFL_UP, sum, NULL, 1, inside);
	push_atomic(a, sum, is_end);
	shuffle(a, dst, HD_SHFL_IDX, sum, NULL, LAST_LANE, HD_MREG_PT);
	struct hd_minst *add = push(a, HD_OP_IADD3, 0, dst);
	add->a = dst;
	add->b = below;
	add->c = HD_MREG_RZ;
	add->guard = inside;
}

/* ---- blocks */

static void branch(struct aggregator *a, uint32_t to, uint32_t guard)
{
	struct hd_minst *inst = push(a, HD_OP_BRA, 0, HD_MREG_NONE);
	inst->xkind = HD_X_OTHER;
	inst->ref_kind = HD_MREF_BLOCK;
	inst->ref = to;
	inst->guard = guard;
	inst->uniform = true;
}

static uint32_t block_like(struct aggregator *a, uint32_t id, double share)
{
	uint32_t made = hd_mfunc_block(a->func);
	struct hd_mblock *block = &a->func->blocks.data[made], *old = &a->func->blocks.data[id];
	block->frequency = old->frequency * share;
	block->loop_depth = old->loop_depth;
	return made;
}

static void fill(struct aggregator *a, uint32_t id)
{
	hd_mblock_assign(&a->func->blocks.data[id], a->made.data, a->made.len);
	hd_vec_clear(&a->made);
}

/* Full warps go one way, others another; the rest of the block, from `next` on, becomes a block of its own. */
static void part(struct aggregator *a, uint32_t id, uint32_t next, bool alike)
{
	uint32_t full = block_like(a, id, 1), others = block_like(a, id, 0), rest = block_like(a, id, 1), is_full;
	struct hd_mblock *block = &a->func->blocks.data[id];
	hd_mblock_assign(&a->func->blocks.data[rest], block->insts.data + next, block->insts.len - next);
	set_number(compare(a, HD_CMP_EQ, lanes_here(a), &is_full), UINT32_MAX);
	branch(a, full, is_full);
	branch(a, others, HD_MREG_PT);
	fill(a, id);
	a->here = nobody;
	if (hd_minst_has_result(&a->from))
		scan(a);
	else
		exchange(a, alike);
	branch(a, rest, HD_MREG_PT);
	fill(a, full);
	a->from.site = next_site(a);
	push_atomic(a, a->from.b, HD_MREG_PT);
	branch(a, rest, HD_MREG_PT);
	fill(a, others);
	a->here = nobody;
}

/* ---- what becomes of an atomic */

enum form { SINGLE, COUNT, REDUCE, PART };

static bool is_shared_increment(const struct aggregator *a, const struct hd_minst *inst)
{
	uint32_t number;
	return inst->op == HD_OP_ATOMS && a->func->capability >= 80 && has_number(a, inst->b, 0, &number) &&
	       number == 1;
}

static enum form form_of(const struct aggregator *a, const struct hd_minst *inst, bool *alike)
{
	unsigned address = HD_ALIKE_ADDRESS | (a->together ? HD_ALIKE_ADDRESS_TOGETHER : 0);
	unsigned operand = HD_ALIKE_OPERAND | (a->together ? HD_ALIKE_OPERAND_TOGETHER : 0);
	if (!(inst->alike & address) || inst->guard != HD_MREG_PT)
		return SINGLE;
	unsigned op = hd_mod_get(inst->mods, HD_MOD_ATOMOP), type = hd_mod_get(inst->mods, HD_MOD_DTYPE);
	bool used = hd_minst_has_result(inst), wide = type == HD_U64 || type == HD_S64, one;
	*alike = inst->alike & operand;
	one = *alike && op == HD_ATOM_ADD;
	if (type != HD_U32 && type != HD_S32 && !(wide && one))
		return SINGLE;
	switch (op) {
	case HD_ATOM_ADD:
		if (one)
			return !used && !wide && is_shared_increment(a, inst) ? SINGLE : COUNT;
		if (used)
			return PART;
		break;
	case HD_ATOM_MIN:
	case HD_ATOM_MAX:
	case HD_ATOM_AND:
	case HD_ATOM_OR:
	case HD_ATOM_XOR:
		if (used)
			return SINGLE;
		break;
	default: return SINGLE;
	}
	return a->func->capability >= 80 ? REDUCE : PART;
}

/* Behind these others may be there, or fewer. */
static bool changes_lanes(const struct hd_minst *inst)
{
	unsigned effects = hd_minst_effects(inst);
	return effects & (HD_FX_CONVERGENT | HD_FX_SIDE | HD_FX_CALL | HD_FX_BARRIER) &&
	       !hd_op_is_here(inst->op, inst->mods);
}

static void rewrite_block(struct aggregator *a, uint32_t id)
{
	bool any = false;
	for (uint32_t i = 0; i < a->func->blocks.data[id].insts.len && !any; i++)
		any = a->func->blocks.data[id].insts.data[i].alike;
	if (!any)
		return;
	a->here = nobody;
	for (uint32_t i = 0; i < a->func->blocks.data[id].insts.len; i++) {
		bool alike = false;
		a->from = a->func->blocks.data[id].insts.data[i];
		begin_sites(a);
		enum form form = a->from.alike ? form_of(a, &a->from, &alike) : SINGLE;
		a->changed |= form != SINGLE;
		switch (form) {
		case SINGLE: hd_vec_push(&a->made, a->from); break;
		case COUNT: add_count(a); break;
		case REDUCE: reduce(a); break;
		case PART: part(a, id, i + 1, alike); return;
		}
		if (changes_lanes(&a->from))
			a->here = nobody;
	}
	fill(a, id);
}

static void note_read(void *context, struct hd_mreg *reg, bool is_def)
{
	struct aggregator *a = context;
	if (!is_def && hd_mreg_is_virtual(reg->id) && reg->id - HD_MREG_VIRTUAL < a->vregs)
		a->known[reg->id - HD_MREG_VIRTUAL].read = true;
}

/* Numbers that are now in the instructions that read them. */
static void drop_unread(struct aggregator *a)
{
	for (uint32_t id = 0; id < a->func->blocks.len; id++)
		for (uint32_t i = 0; i < a->func->blocks.data[id].insts.len; i++)
			hd_minst_visit(a->func, &a->func->blocks.data[id].insts.data[i], note_read, a);
	for (uint32_t id = 0; id < a->func->blocks.len; id++) {
		struct hd_mblock *block = &a->func->blocks.data[id];
		uint32_t kept = 0;
		for (uint32_t i = 0; i < block->insts.len; i++) {
			struct hd_minst inst = block->insts.data[i];
			if (!is_number(&inst) || inst.dst.id - HD_MREG_VIRTUAL >= a->vregs ||
			    a->known[inst.dst.id - HD_MREG_VIRTUAL].read)
				block->insts.data[kept++] = inst;
		}
		block->insts.len = kept;
	}
}

static bool has_any(const struct hd_mfunc *func)
{
	for (uint32_t id = 0; id < func->blocks.len; id++)
		for (uint32_t i = 0; i < func->blocks.data[id].insts.len; i++)
			if (func->blocks.data[id].insts.data[i].alike)
				return true;
	return false;
}

int hd_warp_atomics_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct aggregator a = {.func = func, .vregs = func->vregs.len};
	struct hd_arena arena;
	(void)diag;
	if (!hd_switch_is_on(func->without, HD_SWITCH_WARP_ATOMICS) || !has_any(func))
		return 0;
	hd_arena_init(&arena);
	a.known = HD_ARENA_NEW(&arena, struct known, a.vregs + 1);
	a.together = hd_mfunc_stays_together(func);
	note_numbers(&a);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		rewrite_block(&a, id);
	if (a.changed) {
		hd_mfunc_rebuild_edges(func);
		drop_unread(&a);
	}
	hd_vec_release(&a.made);
	hd_arena_release(&arena);
	return 0;
}
