/*
 * Makes values again where they are read, in place of keeping them in registers, where registers are short. LLVM takes
 * addresses out of a loop; they live through all of it, beside its sums. Registers are short in two cases:
 *
 *   - The function has a limit, and more words are live than that. What does not fit is spilled.
 *   - Nobody has set a limit, and with fewer registers an SM would hold more warps.
 *
 * A value is made again in front of its reads, once for those near each other in a block, by one or two instructions
 * of arithmetic. These read constants, and registers that live as long in any case. The values that are read least
 * often go first, until no block is crowded. What a branch reads is not made again.
 *
 * Copies of the code are allocated, to see what becomes of it. Under a limit some numbers of values are tried, and the
 * code that costs least is kept, if it spills less than before. Without a limit all are made again, if an SM then holds
 * more warps; else a limit is set that the words live at once could do with, if that costs little. Switch:
 * without=remade-values.
 *
 * Why the value is the same: it and what it is made of have one definition each, whole and without a guard. Each
 * definition dominates the next one, and the last dominates the reads. So whenever a read is executed, in a loop as
 * well, the registers hold what the value was made of when its definition was executed last.
 *
 * Needs machine IR out of SSA, before it is scheduled. Costs a look at the operands; liveness where that does not show
 * that registers are enough. Where they are short, it costs a few rounds of liveness, for each value that may be made
 * again a look at the crowded blocks, and two to six trials.
 */
#include "heddle/opcodes.h"
#include "passes/mir/register_budgets.h"
#include "passes/mir/trial.h"
#include "passes/opt/dag.h"
#include "passes/opt/shortage.h"

#define CHEAP_CYCLES 6u	  /* latency up to which an instruction is made again */
#define DEEP 2u		  /* instructions of one value */
#define ROUNDS 4u
#define TRIES 5 /* of so many numbers of values */
#define MANY 4u		  /* words that one more in registers has to free */
#define NEAR 24u	  /* instructions between two reads that share one computation */
#define DEAR 4.0	  /* instructions made again for one run of the crowded blocks; more cost more than a spill */
#define MOST_BITS (1u << 26) /* values times crowded blocks; where there are more, nothing is made again */

struct candidate {
	uint32_t vreg;
	double cost; /* instructions for a word that is free, each as often as it is executed */
};

struct remaker {
	struct hd_mfunc *func;
	struct hd_arena arena;
	struct hd_live live;
	uint32_t *owner;	  /* by word: its virtual register */
	struct hd_mplace *def;	  /* by virtual register; HD_NO_BLOCK: not the only one, or of a part */
	struct hd_below *tree;	  /* of dominators, by block */
	int32_t most;		  /* words live at once */
	int32_t *excess;	  /* by block: words live at once less those that there may be */
	HD_VEC(uint32_t) crowded; /* blocks with more than there may be */
	uint64_t *crowds;	  /* by virtual register, `row` words: bits for crowded blocks that it is live into */
	uint32_t row;
	bool *chosen, *kept; /* by virtual register: is made again; is read where another one is */
	bool *longer;	     /* by virtual register: lives longer, for many that are made of it */
	double *reads;	     /* by virtual register: how often blocks that read it are executed */
	HD_VEC(struct candidate) candidates;
	HD_VEC(struct hd_minst) made;
	struct hd_minst *maker;	 /* by virtual register: its only definition, as blocks are rewritten */
	uint32_t *again, *until; /* by virtual register: what stands for it in the block, and up to where */
	uint32_t at;		 /* the instruction */
	uint32_t vregs;		 /* before the round */
	uint32_t block;
};

/* ---- values */

static const struct hd_minst *def_of(const struct remaker *r, uint32_t vreg)
{
	struct hd_mplace place = r->def[vreg];
	return place.block == HD_NO_BLOCK ? NULL : &r->func->blocks.data[place.block].insts.data[place.inst];
}

struct noted {
	struct remaker *r;
	struct hd_mplace place;
	uint8_t *count;
};

static void note_def(void *context, struct hd_mreg *reg, bool is_def)
{
	struct noted *noted = context;
	if (!is_def || !hd_mreg_is_virtual(reg->id))
		return;
	uint32_t vreg = reg->id - HD_MREG_VIRTUAL;
	const struct hd_mfunc *func = noted->r->func;
	bool whole = reg->words == func->vregs.data[vreg].words && !reg->sub && !hd_mreg_is_range(func, vreg);
	noted->r->def[vreg] = whole && !noted->count[vreg] ? noted->place : (struct hd_mplace){HD_NO_BLOCK, 0};
	noted->count[vreg] = 1;
}

/* Where each register is written, of those with one write. */
static void find_defs(struct remaker *r)
{
	struct noted noted = {.r = r};
	noted.count = HD_ARENA_NEW(&r->arena, uint8_t, r->vregs + 1);
	r->def = HD_ARENA_NEW(&r->arena, struct hd_mplace, r->vregs + 1);
	for (uint32_t i = 0; i < r->vregs; i++)
		r->def[i] = (struct hd_mplace){HD_NO_BLOCK, 0};
	for (uint32_t id = 0; id < r->func->blocks.len; id++)
		for (uint32_t i = 0; i < r->func->blocks.data[id].insts.len; i++) {
			noted.place = (struct hd_mplace){id, i};
			hd_minst_visit(r->func, &r->func->blocks.data[id].insts.data[i], note_def, &noted);
		}
}

static bool is_cheap(const struct hd_minst *inst)
{
	return inst && inst->op < HD_OP_LIMIT && !hd_opinfo[inst->op].effects && inst->role == HD_ROLE_PLAIN &&
	       !inst->extra_count && !inst->linear && !hd_x_is_uniform(inst->xkind) && inst->guard == HD_MREG_PT &&
	       inst->pdst == HD_MREG_PT && inst->psrc == HD_MREG_PT && inst->psrc2 == HD_MREG_PT && inst->dst.words &&
	       inst->dst.words <= 2 && hd_minst_latency(inst) <= CHEAP_CYCLES;
}

static const uint64_t *crowd_of(const struct remaker *r, uint32_t vreg)
{
	return r->crowds + (size_t)vreg * r->row;
}

/* Whether it lives into one of the crowded blocks, by its number there. */
static bool is_live_into(const struct remaker *r, uint32_t crowded, uint32_t vreg)
{
	return crowd_of(r, vreg)[crowded / 64] >> crowded % 64 & 1;
}

static void find_crowds(struct remaker *r)
{
	r->row = hd_bitset_words(r->crowded.len);
	r->crowds = HD_ARENA_NEW(&r->arena, uint64_t, (size_t)r->vregs * r->row + 1);
	for (uint32_t i = 0; i < r->crowded.len; i++) {
		uint32_t block = r->crowded.data[i];
		for (uint32_t at = r->live.in_start[block]; at < r->live.in_start[block + 1]; at++)
			r->crowds[(size_t)r->owner[r->live.in[at]] * r->row + i / 64] |= UINT64_C(1) << i % 64;
	}
}

/* The operand of an instruction that is made again, 0 to 2. */
static struct hd_mreg operand(const struct hd_minst *inst, unsigned i)
{
	return i == 0 ? inst->a : i == 1 ? inst->b : inst->c;
}

static bool dominates(const struct remaker *r, uint32_t vreg, struct hd_mplace place)
{
	struct hd_mplace def = r->def[vreg];
	return def.block == place.block ? def.inst < place.inst : hd_is_below(r->tree, def.block, place.block);
}

/* Whether `vreg` can be read wherever `of` is live into a crowded block. */
static bool lives_as_long(const struct remaker *r, uint32_t vreg, uint32_t of)
{
	const uint64_t *has = crowd_of(r, vreg), *needs = crowd_of(r, of);
	bool all = true;
	for (uint32_t i = 0; i < r->row; i++)
		all &= !(needs[i] & ~has[i]);
	return all || r->longer[vreg];
}

/* Whether what `from` reads is there while `of` lives in crowded blocks, or made again itself: `room` instructions at
 * most. `keep`: what is read is kept. */
static bool can_read(struct remaker *r, uint32_t from, uint32_t of, unsigned *room, bool keep)
{
	const struct hd_minst *inst = def_of(r, from);
	if (!is_cheap(inst) || !*room)
		return false;
	--*room;
	for (unsigned i = 0; i < 3; i++) {
		struct hd_mreg reg = operand(inst, i);
		if (!reg.words || reg.id == HD_RZ || reg.id == hd_mfunc_frame_base(r->func))
			continue;
		uint32_t vreg = reg.id - HD_MREG_VIRTUAL;
		if (!hd_mreg_is_virtual(reg.id) || !def_of(r, vreg) || !dominates(r, vreg, r->def[from]))
			return false;
		if (!r->chosen[vreg] && lives_as_long(r, vreg, of))
			r->kept[vreg] |= keep;
		else if (!can_read(r, vreg, of, room, keep))
			return false;
	}
	return true;
}

/* ---- pressure */

struct pressing {
	struct remaker *r;
	bool *live;
	int32_t now, most;
	bool is_def; /* looked at */
};

static void press(void *context, struct hd_mreg *reg, bool is_def)
{
	struct pressing *p = context;
	if (is_def != p->is_def || !hd_mreg_is_virtual(reg->id) || hd_mreg_is_pred(p->r->func, reg->id))
		return;
	uint32_t word = hd_live_word(&p->r->live, *reg);
	for (uint32_t end = word + reg->words; word < end; word++) {
		p->now += is_def ? -(int32_t)p->live[word] : !p->live[word];
		p->live[word] = !is_def;
	}
}

static bool is_pred_word(const struct remaker *r, uint32_t word)
{
	return !r->func->vregs.data[r->owner[word]].words;
}

static int32_t most_live(struct remaker *r, struct pressing *p, uint32_t id)
{
	struct hd_mblock *block = &r->func->blocks.data[id];
	p->now = 0;
	for (uint32_t i = r->live.out_start[id]; i < r->live.out_start[id + 1]; i++) {
		p->live[r->live.out[i]] = true;
		p->now += !is_pred_word(r, r->live.out[i]);
	}
	p->most = p->now;
	for (uint32_t i = block->insts.len; i-- > 0;) {
		p->is_def = true;
		hd_minst_visit(r->func, &block->insts.data[i], press, p);
		p->is_def = false;
		hd_minst_visit(r->func, &block->insts.data[i], press, p);
		p->most = p->now > p->most ? p->now : p->most;
	}
	for (uint32_t i = r->live.in_start[id]; i < r->live.in_start[id + 1]; i++)
		p->live[r->live.in[i]] = false;
	return p->most;
}

/* The most words that are live at once in each block go to `excess`; the greatest of them. */
static int32_t find_pressure(struct remaker *r)
{
	struct pressing p = {.r = r};
	int32_t most = 0;
	r->vregs = r->func->vregs.len;
	hd_live_compute(r->func, &r->arena, &r->live);
	p.live = HD_ARENA_NEW(&r->arena, bool, r->live.words + 1);
	r->owner = HD_ARENA_NEW(&r->arena, uint32_t, r->live.words + 1);
	for (uint32_t vreg = 0; vreg < r->vregs; vreg++)
		for (uint32_t word = r->live.base[vreg]; word < r->live.base[vreg + 1]; word++)
			r->owner[word] = vreg;
	for (uint32_t id = 0; id < r->func->blocks.len; id++) {
		r->excess[id] = most_live(r, &p, id);
		most = r->excess[id] > most ? r->excess[id] : most;
	}
	return most;
}

/* The registers that a block has where warps hand them on: the most of its places. */
static int32_t budget_of(const struct hd_mfunc *func, const uint32_t *budgets, uint32_t id)
{
	const struct hd_mblock *block = &func->blocks.data[id];
	uint32_t budget = budgets[id], most = budget;
	for (uint32_t i = 0; i < block->insts.len; i++) {
		budget = hd_budget_behind(&block->insts.data[i], budget);
		most = budget > most ? budget : most;
	}
	return (int32_t)hd_budget_cap(func, most) - 1;
}

static void find_crowded(struct remaker *r, int32_t target)
{
	uint32_t *budgets = hd_budgets_at_entry(r->func, &r->arena);
	hd_vec_clear(&r->crowded);
	for (uint32_t id = 0; id < r->func->blocks.len; id++) {
		int32_t room = budgets ? budget_of(r->func, budgets, id) : target;
		r->excess[id] -= room < target ? room : target;
		if (r->excess[id] > 0)
			hd_vec_push(&r->crowded, id);
	}
}

/* ---- choice */

struct reading {
	struct remaker *r;
	uint32_t *stamp;
};

static void note_read(void *context, struct hd_mreg *reg, bool is_def)
{
	struct reading *reading = context;
	if (is_def || !hd_mreg_is_virtual(reg->id))
		return;
	uint32_t vreg = reg->id - HD_MREG_VIRTUAL, block = reading->r->block;
	struct hd_mplace *def = &reading->r->def[vreg];
	if (def->block == HD_NO_BLOCK)
		return;
	if (hd_minst_is_terminator(&reading->r->func->blocks.data[block].insts.data[reading->r->at]))
		reading->r->kept[vreg] = true; /* nothing stands in front of it that might be made there */
	if (!dominates(reading->r, vreg, (struct hd_mplace){block, reading->r->at}))
		def->block = HD_NO_BLOCK; /* undefined on some path */
	else if (def->block != block && reading->stamp[vreg] != block + 1)
		reading->r->reads[vreg] += reading->r->func->blocks.data[block].frequency;
	reading->stamp[vreg] = block + 1;
}

static void find_reads(struct remaker *r)
{
	struct reading reading = {r, HD_ARENA_NEW(&r->arena, uint32_t, r->vregs + 1)};
	r->reads = HD_ARENA_NEW(&r->arena, double, r->vregs + 1);
	for (r->block = 0; r->block < r->func->blocks.len; r->block++)
		for (r->at = 0; r->at < r->func->blocks.data[r->block].insts.len; r->at++)
			hd_minst_visit(r->func, &r->func->blocks.data[r->block].insts.data[r->at], note_read, &reading);
}

/* Counts the words that would be free of `of`, if what `from` reads lived as long. */
static void count_sources(struct remaker *r, uint32_t from, uint32_t of, uint32_t *words, unsigned room)
{
	const struct hd_minst *inst = def_of(r, from);
	for (unsigned i = 0; room && is_cheap(inst) && i < 3; i++) {
		uint32_t vreg = operand(inst, i).id - HD_MREG_VIRTUAL;
		if (!operand(inst, i).words || !hd_mreg_is_virtual(operand(inst, i).id) || lives_as_long(r, vreg, of))
			continue;
		words[vreg] += r->func->vregs.data[of].words;
		count_sources(r, vreg, of, words, room - 1);
	}
}

static bool is_in_crowd(const struct remaker *r, uint32_t vreg)
{
	uint64_t any = 0;
	for (uint32_t i = 0; i < r->row; i++)
		any |= crowd_of(r, vreg)[i];
	return any != 0;
}

/* What many are made of, as the thread's index, lives as long as they do now. */
static void find_longer(struct remaker *r)
{
	uint32_t *words = HD_ARENA_NEW(&r->arena, uint32_t, r->vregs + 1);
	for (uint32_t vreg = 0; vreg < r->vregs; vreg++)
		if (is_in_crowd(r, vreg) && is_cheap(def_of(r, vreg)))
			count_sources(r, vreg, vreg, words, DEEP);
	for (uint32_t vreg = 0; vreg < r->vregs; vreg++) {
		r->longer[vreg] = def_of(r, vreg) && words[vreg] >= MANY * r->func->vregs.data[vreg].words;
		for (uint32_t i = 0; r->longer[vreg] && words[vreg] && i < r->crowded.len; i++)
			if (!is_live_into(r, i, vreg))
				r->excess[r->crowded.data[i]] += r->func->vregs.data[vreg].words;
		r->longer[vreg] &= words[vreg] > 0;
		r->kept[vreg] |= r->longer[vreg];
	}
}

static int compare_costs(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;
	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return a->vreg < b->vreg ? -1 : a->vreg > b->vreg;
}

static void find_candidates(struct remaker *r)
{
	hd_vec_clear(&r->candidates);
	for (uint32_t vreg = 0; vreg < r->vregs; vreg++) {
		unsigned room = DEEP;
		if (!is_in_crowd(r, vreg) || !is_cheap(def_of(r, vreg)) || !can_read(r, vreg, vreg, &room, false))
			continue;
		double cost = r->reads[vreg] * (DEEP - room) / r->func->vregs.data[vreg].words;
		hd_vec_push(&r->candidates, (struct candidate){vreg, cost});
	}
	if (r->candidates.len)
		qsort(r->candidates.data, r->candidates.len, sizeof(struct candidate), compare_costs);
}

/* Chooses a value that lives through a block with too many, and takes it out of all. Made again in a loop for a block
 * that is rarely executed, it would cost more than it gives. */
static bool choose(struct remaker *r, struct candidate candidate)
{
	uint32_t vreg = candidate.vreg;
	unsigned room = DEEP;
	double helped = 0;
	for (uint32_t i = 0; i < r->crowded.len; i++)
		if (r->excess[r->crowded.data[i]] > 0 && is_live_into(r, i, vreg))
			helped += r->func->blocks.data[r->crowded.data[i]].frequency;
	if (!(helped > 0) || candidate.cost > DEAR * helped || r->kept[vreg] || !can_read(r, vreg, vreg, &room, false))
		return false;
	room = DEEP;
	(void)can_read(r, vreg, vreg, &room, true);
	r->chosen[vreg] = true;
	for (uint32_t i = 0; i < r->crowded.len; i++)
		if (is_live_into(r, i, vreg))
			r->excess[r->crowded.data[i]] -= r->func->vregs.data[vreg].words;
	return true;
}

static bool choose_all(struct remaker *r)
{
	bool any = false;
	r->chosen = HD_ARENA_NEW(&r->arena, bool, r->vregs + 1);
	r->kept = HD_ARENA_NEW(&r->arena, bool, r->vregs + 1);
	r->longer = HD_ARENA_NEW(&r->arena, bool, r->vregs + 1);
	if ((uint64_t)r->vregs * r->crowded.len > MOST_BITS)
		return false;
	find_crowds(r);
	find_defs(r);
	find_reads(r);
	find_longer(r);
	find_candidates(r);
	for (uint32_t i = 0; i < r->candidates.len; i++)
		any |= choose(r, r->candidates.data[i]);
	return any;
}

/* ---- code */

/* In front of the instruction, and at its place in the source; what it reads is made first. */
static uint32_t make(struct remaker *r, uint32_t vreg, uint32_t of)
{
	struct hd_minst inst = r->maker[vreg];
	inst.loc = r->func->blocks.data[r->block].insts.data[r->at].loc;
	struct hd_mreg *operands[] = {&inst.a, &inst.b, &inst.c};
	for (unsigned i = 0; i < 3; i++) {
		struct hd_mreg *reg = operands[i];
		if (!reg->words || !hd_mreg_is_virtual(reg->id))
			continue;
		uint32_t from = reg->id - HD_MREG_VIRTUAL;
		if (r->chosen[from] || !lives_as_long(r, from, of))
			reg->id = make(r, from, of);
	}
	inst.dst.id = hd_mfunc_vreg(r->func, inst.dst.words).id;
	hd_vec_push(&r->made, inst);
	return inst.dst.id;
}

static void make_read(void *context, struct hd_mreg *reg, bool is_def)
{
	struct remaker *r = context;
	uint32_t vreg = reg->id - HD_MREG_VIRTUAL;
	if (is_def || !hd_mreg_is_virtual(reg->id) || vreg >= r->vregs || !r->chosen[vreg] ||
	    r->def[vreg].block == r->block)
		return;
	if (!r->again[vreg] || r->until[vreg] < r->at)
		r->again[vreg] = make(r, vreg, vreg);
	r->until[vreg] = r->at + NEAR;
	reg->id = r->again[vreg];
}

static void rewrite_block(struct remaker *r)
{
	struct hd_mblock *block = &r->func->blocks.data[r->block];
	uint32_t count = block->insts.len;
	hd_vec_clear(&r->made);
	memset(r->again, 0, r->vregs * sizeof(*r->again));
	for (r->at = 0; r->at < count; r->at++) {
		struct hd_minst inst = block->insts.data[r->at];
		if (!hd_minst_is_terminator(&inst))
			hd_minst_visit(r->func, &inst, make_read, r);
		hd_vec_push(&r->made, inst);
	}
	if (r->made.len != count)
		hd_mblock_assign(block, r->made.data, r->made.len);
}

static void rewrite(struct remaker *r)
{
	r->again = HD_ARENA_NEW(&r->arena, uint32_t, r->vregs + 1);
	r->until = HD_ARENA_NEW(&r->arena, uint32_t, r->vregs + 1);
	r->maker = HD_ARENA_NEW(&r->arena, struct hd_minst, r->vregs + 1);
	for (uint32_t vreg = 0; vreg < r->vregs; vreg++)
		if (def_of(r, vreg))
			r->maker[vreg] = *def_of(r, vreg);
	for (r->block = 0; r->block < r->func->blocks.len; r->block++)
		rewrite_block(r);
}

static void count_read(void *context, struct hd_mreg *reg, bool is_def)
{
	uint32_t *reads = context;
	if (!is_def && hd_mreg_is_virtual(reg->id))
		reads[reg->id - HD_MREG_VIRTUAL]++;
}

/* What nothing reads any more, and then what only that read. */
static void drop_unread(struct remaker *r)
{
	uint32_t *reads = HD_ARENA_NEW(&r->arena, uint32_t, r->func->vregs.len + 1);
	for (unsigned round = 0; round < DEEP; round++) {
		memset(reads, 0, r->func->vregs.len * sizeof(*reads));
		for (uint32_t id = 0; id < r->func->blocks.len; id++)
			for (uint32_t i = 0; i < r->func->blocks.data[id].insts.len; i++)
				hd_minst_visit(r->func, &r->func->blocks.data[id].insts.data[i], count_read, reads);
		for (uint32_t id = 0; id < r->func->blocks.len; id++) {
			struct hd_mblock *block = &r->func->blocks.data[id];
			uint32_t kept = 0;
			for (uint32_t i = 0; i < block->insts.len; i++) {
				struct hd_minst inst = block->insts.data[i];
				if (!is_cheap(&inst) || !hd_mreg_is_virtual(inst.dst.id) ||
				    reads[inst.dst.id - HD_MREG_VIRTUAL])
					block->insts.data[kept++] = inst;
			}
			block->insts.len = kept;
		}
	}
}

/* ---- the step */

static void find_tree(struct remaker *r)
{
	struct hd_graph graph;
	hd_mfunc_graph(r->func, &r->arena, &graph);
	r->tree = hd_dominator_walk(hd_graph_dominators(&graph, &r->arena), graph.nodes, &r->arena);
}

/* Makes values again until `target` words live at most, or no more can be. Whether there were any. */
static bool make_all(struct remaker *r, int32_t target)
{
	bool any = false;
	r->most = find_pressure(r);
	for (unsigned round = 0; round < ROUNDS; round++) {
		find_crowded(r, target);
		if (!r->crowded.len || !choose_all(r))
			break;
		rewrite(r);
		drop_unread(r);
		r->most = find_pressure(r);
		any = true;
	}
	return any;
}

/* Instructions that are executed, a spilled word for some. */
static double cost_of(const struct hd_trial *trial)
{
	return trial->others + DEAR * trial->spilled;
}

static bool is_better(const struct hd_trial *now, const struct hd_trial *best)
{
	if (!now->fits || !best->fits)
		return now->fits && !best->fits;
	return now->spilled < best->spilled && cost_of(now) < cost_of(best);
}

/*
 * Under a limit. More is live in the order in which instructions stand than in the scheduler's, so that fewer values
 * may be enough: as many words as there are too many of are made again, half of them, and so on, whatever costs least.
 * Where fewer are found than were asked for, so many are asked for next. A trial is an allocation: there is none where
 * no value can be made again.
 */
static void make_cheapest(struct remaker *r, const struct hd_kept *kept, int32_t target, int32_t most)
{
	struct hd_trial best, now;
	int32_t chosen = 0, freed = most - target;
	bool any = make_all(r, target);
	hd_mfunc_restore(r->func, kept);
	if (!any)
		return;
	best = hd_mfunc_try(r->func);
	for (int32_t i = 0; i < TRIES && freed > 0 && (!best.fits || best.spilled > 0); i++) {
		int32_t tried = most - freed;
		hd_mfunc_restore(r->func, kept);
		if (!make_all(r, tried))
			break;
		now = hd_mfunc_try(r->func);
		if (is_better(&now, &best)) {
			best = now;
			chosen = tried;
		}
		freed = most - r->most < freed ? most - r->most : freed / 2;
	}
	hd_mfunc_restore(r->func, kept);
	if (chosen)
		(void)make_all(r, chosen);
}

/* Without one: as many as let an SM hold more warps, or none. Whether there were any. */
static bool make_warps(struct remaker *r, const struct hd_kept *kept, int32_t target)
{
	struct hd_trial before, now = {0};
	bool better = make_all(r, target) && r->most <= target;
	if (better)
		now = hd_mfunc_try(r->func);
	hd_mfunc_restore(r->func, kept);
	if (!better)
		return false;
	before = hd_mfunc_try(r->func);
	better = now.fits && now.spilled <= before.spilled &&
		 hd_mfunc_occupancy_step(r->func, now.registers) < hd_mfunc_occupancy_step(r->func, before.registers);
	return better && make_all(r, target);
}

static void remake(struct remaker *r)
{
	int32_t most = find_pressure(r), target;
	struct hd_kept kept;
	bool must;
	if (!(target = hd_shortage_target(r->func, most, &must)))
		return;
	find_tree(r);
	hd_mfunc_keep(r->func, &r->arena, &kept);
	if (must)
		make_cheapest(r, &kept, target, most);
	else if (!make_warps(r, &kept, target))
		hd_shortage_limit(r->func, most);
}

int hd_remade_values_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct remaker r = {.func = func};
	(void)diag;
	if (!hd_switch_is_on(func->without, HD_SWITCH_REMADE_VALUES))
		return 0;
	hd_arena_init(&r.arena);
	r.excess = HD_ARENA_NEW(&r.arena, int32_t, func->blocks.len);
	if (hd_shortage_may_be(func, &r.arena))
		remake(&r);
	hd_vec_release(&r.crowded);
	hd_vec_release(&r.candidates);
	hd_vec_release(&r.made);
	hd_arena_release(&r.arena);
	return 0;
}
