/*
 * Out of SSA form. Every PHI is isolated by a fresh register that its predecessors write
 * in a parallel copy and its block reads in another, which is right on every graph without
 * splitting edges (the lost-copy and swap problems cannot arise); only critical edges out
 * of loops are split, so that their copies run once. PAIR becomes a parallel copy into the
 * words of its result. Copies are then coalesced, the most frequent first, where the live
 * intervals of the two classes do not meet, also of single words into words of pairs and
 * quads; what remains is put into sequence. Constants and undefined values are made in
 * place instead of copied.
 *
 * Needs SSA machine IR; leaves registers with several and partial definitions, COPYs of
 * one word. Near linear: sorting, and merging of short segment lists.
 * Boissinot et al., "Revisiting Out-of-SSA Translation", CGO 2009, method I and algorithm 1.
 */
#include <assert.h>

#include "heddle/opcodes.h"
#include "passes/graph/graph.h"
#include "passes/regalloc/out_of_ssa.h"

#define NONE UINT32_MAX

/* ---- PHI and PAIR to parallel copies ---- */

static bool is_constant(const struct hd_minst *inst)
{
	return inst->op == HD_OP_UNDEF || (inst->op == HD_OP_MOV && inst->dst.words == 1 &&
					   (inst->xkind == HD_X_IMM_B || inst->xkind == HD_X_CONST_B));
}

static void collect_constants(struct hd_out_of_ssa *ssa)
{
	struct hd_mfunc *func = ssa->func;
	ssa->defs = HD_ARENA_NEW(&ssa->arena, struct hd_minst, func->vregs.len + 1);
	for (uint32_t i = 0; i < func->vregs.len; i++)
		ssa->defs[i].op = 0xffff;
	for (uint32_t b = 0; b < func->blocks.len; b++) {
		struct hd_mblock *block = &func->blocks.data[b];
		for (uint32_t i = 0; i < block->insts.len; i++) {
			const struct hd_minst *inst = &block->insts.data[i];
			uint32_t id = inst->dst.words ? inst->dst.id : inst->pdst;
			if (is_constant(inst) && hd_mreg_is_virtual(id))
				ssa->defs[id - HD_MREG_VIRTUAL] = *inst;
		}
	}
}

/* One parallel copy under construction; constants follow it as instructions of their own. */
struct bundle {
	HD_VEC(struct hd_mreg) moves;
	HD_VEC(struct hd_minst) constants;
};

static void bundle_constant(struct bundle *bundle, const struct hd_minst *def, struct hd_mreg dst, bool pred)
{
	struct hd_minst inst = *def;
	if (pred)
		inst.pdst = dst.id;
	else
		inst.dst = dst;
	hd_vec_push(&bundle->constants, inst);
}

static void bundle_move(struct hd_out_of_ssa *ssa, struct bundle *bundle, struct hd_mreg dst, struct hd_mreg src)
{
	uint32_t index = hd_mreg_is_virtual(src.id) ? src.id - HD_MREG_VIRTUAL : NONE;
	if (index != NONE && ssa->defs[index].op != 0xffff) {
		bundle_constant(bundle, &ssa->defs[index], dst, hd_mreg_is_pred(ssa->func, dst.id));
		return;
	}
	hd_vec_push(&bundle->moves, dst);
	hd_vec_push(&bundle->moves, src);
}

typedef HD_VEC(struct hd_minst) hd_insts;

static void bundle_emit(struct hd_out_of_ssa *ssa, struct bundle *bundle, hd_insts *out, const struct hd_minst *like)
{
	assert(bundle->moves.len <= UINT16_MAX);
	if (bundle->moves.len) {
		struct hd_minst inst = hd_minst_make(HD_OP_PARCOPY, 0);
		inst.extra = hd_mfunc_extras(ssa->func, bundle->moves.data, bundle->moves.len);
		inst.extra_count = (uint16_t)bundle->moves.len;
		inst.loc = like->loc;
		inst.ir = like->ir;
		hd_vec_push(out, inst);
	}
	for (uint32_t i = 0; i < bundle->constants.len; i++)
		hd_vec_push(out, bundle->constants.data[i]);
	hd_vec_release(&bundle->moves);
	hd_vec_release(&bundle->constants);
}

static struct hd_mreg fresh(struct hd_mfunc *func, uint32_t like)
{
	if (hd_mreg_is_pred(func, like))
		return (struct hd_mreg){hd_mfunc_pred(func), 0, 1};
	return hd_mfunc_vreg(func, hd_mreg_words(func, like));
}

static uint32_t phi_count(const struct hd_mblock *block)
{
	uint32_t count = 0;
	while (count < block->insts.len && block->insts.data[count].op == HD_OP_PHI)
		count++;
	return count;
}

/* The copies that predecessor `index` of a block makes for its PHIs are added to `bundles` of the predecessor. */
static void isolate_phis(struct hd_out_of_ssa *ssa, uint32_t id, struct bundle *bundles)
{
	struct hd_mfunc *func = ssa->func;
	uint32_t count = phi_count(&func->blocks.data[id]);
	if (!count)
		return;
	struct bundle entry = {0};
	struct hd_minst like = func->blocks.data[id].insts.data[0];
	for (uint32_t i = 0; i < count; i++) {
		struct hd_minst phi = func->blocks.data[id].insts.data[i];
		struct hd_mreg dst = phi.dst.words ? phi.dst : (struct hd_mreg){phi.pdst, 0, 1};
		struct hd_mreg carrier = fresh(func, dst.id);
		for (uint32_t p = 0; p < phi.extra_count; p++) {
			uint32_t pred = func->blocks.data[id].preds.data[p];
			bundle_move(ssa, &bundles[pred], carrier, func->extras.data[phi.extra + p]);
		}
		hd_vec_push(&entry.moves, dst);
		hd_vec_push(&entry.moves, carrier);
	}
	hd_insts insts = {0};
	struct hd_mblock *block = &func->blocks.data[id];
	bundle_emit(ssa, &entry, &insts, &like);
	for (uint32_t i = count; i < block->insts.len; i++)
		hd_vec_push(&insts, block->insts.data[i]);
	hd_vec_release(&block->insts);
	memcpy(&block->insts, &insts, sizeof(insts));
}

static void insert_before_terminator(struct hd_out_of_ssa *ssa, uint32_t id, struct bundle *bundle)
{
	struct hd_mblock *block = &ssa->func->blocks.data[id];
	if (!bundle->moves.len && !bundle->constants.len)
		return;
	uint32_t at = hd_mblock_end(block);
	hd_insts insts = {0};
	hd_vec_reserve(&insts, block->insts.len + 1 + bundle->constants.len);
	for (uint32_t i = 0; i < at; i++)
		hd_vec_push(&insts, block->insts.data[i]);
	bundle_emit(ssa, bundle, &insts, &block->insts.data[at]);
	for (uint32_t i = at; i < block->insts.len; i++)
		hd_vec_push(&insts, block->insts.data[i]);
	hd_vec_release(&block->insts);
	memcpy(&block->insts, &insts, sizeof(insts));
}

static void expand_pair(struct hd_out_of_ssa *ssa, hd_insts *out, const struct hd_minst *pair)
{
	struct bundle bundle = {0};
	uint8_t sub = 0;
	for (uint32_t i = 0; i < pair->extra_count; i++) {
		struct hd_mreg src = ssa->func->extras.data[pair->extra + i];
		bundle_move(ssa, &bundle, (struct hd_mreg){pair->dst.id, sub, src.words}, src);
		sub = (uint8_t)(sub + src.words);
	}
	bundle_emit(ssa, &bundle, out, pair);
}

static void expand_copy(struct hd_out_of_ssa *ssa, hd_insts *out, const struct hd_minst *copy)
{
	struct bundle bundle = {0};
	bool pred = copy->pdst != HD_MREG_PT;
	struct hd_mreg dst = pred ? (struct hd_mreg){copy->pdst, 0, 1} : copy->dst;
	struct hd_mreg src = pred ? (struct hd_mreg){copy->psrc, 0, 1} : copy->b;
	bundle_move(ssa, &bundle, dst, src);
	bundle_emit(ssa, &bundle, out, copy);
}

/* A product of a warpgroup adds to the register that it writes. */
static bool is_tied(const struct hd_minst *inst)
{
	return inst->op == HD_OP_WGMMA && inst->c.words && inst->c.id != HD_RZ;
}

static void expand_tied(struct hd_out_of_ssa *ssa, hd_insts *out, const struct hd_minst *inst)
{
	struct bundle bundle = {0};
	struct hd_minst tied = *inst;
	hd_vec_push(&bundle.moves, inst->dst);
	hd_vec_push(&bundle.moves, inst->c);
	bundle_emit(ssa, &bundle, out, inst);
	tied.c = inst->dst;
	hd_vec_push(out, tied);
}

static bool is_virtual_copy(const struct hd_minst *inst)
{
	if (inst->op != HD_OP_COPY || inst->psrc_not)
		return false;
	if (inst->pdst != HD_MREG_PT)
		return hd_mreg_is_virtual(inst->pdst) && (hd_mreg_is_virtual(inst->psrc) || inst->psrc == HD_MREG_PT);
	return hd_mreg_is_virtual(inst->dst.id) && (hd_mreg_is_virtual(inst->b.id) || inst->b.id == HD_RZ);
}

/* COPYs that name physical registers stay, a word at a time. */
static void split_fixed_copy(hd_insts *out, const struct hd_minst *copy)
{
	for (uint8_t i = 0; i < copy->dst.words; i++) {
		struct hd_minst word = *copy;
		word.dst = (struct hd_mreg){copy->dst.id, (uint8_t)(copy->dst.sub + i), 1};
		if (copy->b.id != HD_RZ)
			word.b = (struct hd_mreg){copy->b.id, (uint8_t)(copy->b.sub + i), 1};
		hd_vec_push(out, word);
	}
}

static void expand_block(struct hd_out_of_ssa *ssa, uint32_t id)
{
	struct hd_mblock *block = &ssa->func->blocks.data[id];
	bool any = false;
	for (uint32_t i = 0; i < block->insts.len; i++)
		any |= block->insts.data[i].op == HD_OP_PAIR || block->insts.data[i].op == HD_OP_COPY ||
		       is_tied(&block->insts.data[i]);
	if (!any)
		return;
	hd_insts insts = {0};
	for (uint32_t i = 0; i < block->insts.len; i++) {
		const struct hd_minst *inst = &block->insts.data[i];
		if (inst->op == HD_OP_PAIR)
			expand_pair(ssa, &insts, inst);
		else if (is_tied(inst))
			expand_tied(ssa, &insts, inst);
		else if (is_virtual_copy(inst))
			expand_copy(ssa, &insts, inst);
		else if (inst->op == HD_OP_COPY && inst->dst.words > 1)
			split_fixed_copy(&insts, inst);
		else
			hd_vec_push(&insts, *inst);
	}
	hd_vec_release(&block->insts);
	memcpy(&block->insts, &insts, sizeof(insts));
}

static void replace_id(uint32_t *ids, uint32_t count, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < count; i++)
		if (ids[i] == from)
			ids[i] = to;
}

/* Of a jump through a table: the entries that name `to` name `middle`, which is reached as often as it has entries. */
static void retarget_table(struct hd_mfunc *func, uint32_t from, uint32_t to, uint32_t middle)
{
	const struct hd_minst *jump = &hd_vec_last(&func->blocks.data[from].insts);
	uint32_t entries = 0;
	if (jump->op != HD_OP_BRX)
		return;
	const struct hd_mtable *table = &func->tables.data[jump->ref];
	for (uint32_t i = 0; i < table->count; i++)
		entries += table->blocks[i] == to;
	replace_id(table->blocks, table->count, to, middle);
	func->blocks.data[middle].frequency = func->blocks.data[from].frequency * entries / table->count;
	hd_vec_last(&func->blocks.data[middle].insts).loc = jump->loc;
}

/* The innermost loop around `loop`, itself included, that has the block; HD_NO_NODE: none. */
static uint32_t loop_with(const struct hd_loops *loops, uint32_t loop, uint32_t block)
{
	uint32_t of = loops->loop_of[block];
	while (loop != HD_NO_NODE) {
		for (uint32_t inner = of; inner != HD_NO_NODE; inner = loops->loops[inner].parent)
			if (inner == loop)
				return loop;
		loop = loops->loops[loop].parent;
	}
	return HD_NO_NODE;
}

/* A block on the edge, at `depth`. */
static void split_edge(struct hd_mfunc *func, uint32_t from, uint32_t to, uint32_t depth)
{
	uint32_t middle = hd_mfunc_block(func);
	struct hd_mblock *source = &func->blocks.data[from], *target = &func->blocks.data[to];
	struct hd_mblock *block = &func->blocks.data[middle];
	struct hd_minst jump = hd_minst_make(HD_OP_BRA, 0);
	block->frequency = target->frequency;
	if (depth < target->loop_depth) /* the target is another loop's header, which runs on each of its rounds too */
		block->frequency =
			(source->frequency < target->frequency ? source : target)->frequency / HD_LOOP_ROUNDS;
	block->loop_depth = depth;
	jump.ref_kind = HD_MREF_BLOCK;
	jump.ref = to;
	jump.uniform = true;
	for (uint32_t i = 0; i < source->insts.len; i++) {
		struct hd_minst *inst = &source->insts.data[i];
		if (inst->ref_kind != HD_MREF_BLOCK || inst->ref != to)
			continue;
		inst->ref = middle;
		jump.loc = inst->loc;
	}
	hd_vec_push(&block->insts, jump);
	hd_vec_push(&block->preds, from);
	hd_vec_push(&block->succs, to);
	replace_id(source->succs.data, source->succs.len, to, middle);
	replace_id(target->preds.data, target->preds.len, from, middle);
	retarget_table(func, from, to, middle);
}

/* Copies for PHIs in front of a branch are made on all of its edges: those out of a loop, where they would be made on
 * each round, and those of a jump through a table, one of many, have a block of their own. */
static bool wants_block(const struct hd_mfunc *func, const struct hd_loops *loops, uint32_t from, uint32_t to)
{
	const struct hd_mblock *source = &func->blocks.data[from];
	if (source->succs.len < 2)
		return false;
	if (hd_vec_last(&source->insts).op == HD_OP_BRX)
		return hd_switch_is_on(func->without, HD_SWITCH_CASE_EDGES);
	bool exits = loop_with(loops, loops->loop_of[from], to) != loops->loop_of[from];
	return exits && hd_vec_last(&source->insts).op == HD_OP_BRA;
}

static uint32_t depth_of(const struct hd_loops *loops, uint32_t loop)
{
	return loop == HD_NO_NODE ? 0 : loops->loops[loop].depth;
}

static void split_edges(struct hd_out_of_ssa *ssa)
{
	struct hd_mfunc *func = ssa->func;
	uint32_t count = func->blocks.len;
	struct hd_graph graph;
	struct hd_loops loops;
	hd_mfunc_graph(func, &ssa->arena, &graph);
	hd_graph_loops(&graph, hd_graph_dominators(&graph, &ssa->arena), &ssa->arena, &loops);
	for (uint32_t to = 0; to < count; to++) {
		uint32_t preds = func->blocks.data[to].preds.len;
		for (uint32_t i = 0; i < preds && preds > 1 && phi_count(&func->blocks.data[to]); i++) {
			uint32_t from = func->blocks.data[to].preds.data[i];
			if (wants_block(func, &loops, from, to))
				split_edge(func, from, to,
					   depth_of(&loops, loop_with(&loops, loops.loop_of[from], to)));
		}
	}
}

static void make_parallel_copies(struct hd_out_of_ssa *ssa)
{
	struct hd_mfunc *func = ssa->func;
	split_edges(ssa);
	collect_constants(ssa);
	struct bundle *bundles = HD_ARENA_NEW(&ssa->arena, struct bundle, func->blocks.len);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		expand_block(ssa, id);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		isolate_phis(ssa, id, bundles);
	for (uint32_t id = 0; id < func->blocks.len; id++)
		insert_before_terminator(ssa, id, &bundles[id]);
}

/* ---- dead constants ---- */

static void count_use(void *context, struct hd_mreg *reg, bool is_def)
{
	uint32_t *uses = context;
	if (!is_def && hd_mreg_is_virtual(reg->id))
		uses[reg->id - HD_MREG_VIRTUAL]++;
}

static void drop_dead_constants(struct hd_out_of_ssa *ssa)
{
	struct hd_mfunc *func = ssa->func;
	uint32_t *uses = HD_ARENA_NEW(&ssa->arena, uint32_t, func->vregs.len + 1);
	for (uint32_t b = 0; b < func->blocks.len; b++)
		for (uint32_t i = 0; i < func->blocks.data[b].insts.len; i++)
			hd_minst_visit(func, &func->blocks.data[b].insts.data[i], count_use, uses);
	for (uint32_t b = 0; b < func->blocks.len; b++) {
		struct hd_mblock *block = &func->blocks.data[b];
		uint32_t kept = 0;
		for (uint32_t i = 0; i < block->insts.len; i++) {
			const struct hd_minst *inst = &block->insts.data[i];
			uint32_t id = inst->dst.words ? inst->dst.id : inst->pdst;
			bool dead = is_constant(inst) && hd_mreg_is_virtual(id) && !uses[id - HD_MREG_VIRTUAL];
			if (!dead)
				block->insts.data[kept++] = *inst;
		}
		block->insts.len = kept;
	}
}

/* ---- parallel copies to sequences ---- */

struct sequence {
	struct hd_out_of_ssa *ssa;
	hd_insts *out;
	const struct hd_minst *like;
	HD_VEC(uint32_t) todo, ready; /* destination words */
	HD_VEC(struct hd_mreg) names; /* operand of each word in play, parallel to `words` */
	HD_VEC(struct hd_mreg) late;  /* destinations that get RZ or PT, and that source */
};

static void emit_copy(struct sequence *seq, struct hd_mreg dst, struct hd_mreg src)
{
	struct hd_minst copy = hd_minst_make(HD_OP_COPY, 0);
	copy.loc = seq->like->loc;
	copy.ir = seq->like->ir;
	if (hd_mreg_is_pred(seq->ssa->func, dst.id)) {
		copy.pdst = dst.id;
		copy.psrc = src.id;
	} else {
		copy.dst = dst;
		copy.b = src;
	}
	hd_vec_push(seq->out, copy);
}

/* Operands by index in seq->names; ssa->loc[...] maps a word to its index while the copy is being put in order. */
static uint32_t name_of(struct sequence *seq, struct hd_mreg reg)
{
	struct hd_out_of_ssa *ssa = seq->ssa;
	uint32_t word = hd_live_word(&ssa->intervals.live, reg);
	if (ssa->loc[word] == NONE) {
		ssa->loc[word] = seq->names.len;
		hd_vec_push(&seq->names, reg);
	}
	return ssa->loc[word];
}

static void add_moves(struct sequence *seq, uint32_t *pred)
{
	struct hd_mfunc *func = seq->ssa->func;
	for (uint32_t k = 0; k < seq->like->extra_count; k += 2) {
		const struct hd_mreg *move = &func->extras.data[seq->like->extra + k];
		for (uint8_t i = 0; i < move[0].words; i++) {
			struct hd_mreg dst = {move[0].id, (uint8_t)(move[0].sub + i), 1};
			struct hd_mreg src = {move[1].id, (uint8_t)(move[1].sub + i), 1};
			if (!hd_mreg_is_virtual(src.id)) {
				src.sub = 0;
				hd_vec_push(&seq->late, dst);
				hd_vec_push(&seq->late, src);
			} else if (dst.id != src.id || dst.sub != src.sub) {
				uint32_t to = name_of(seq, dst), from = name_of(seq, src);
				pred[to] = from;
				hd_vec_push(&seq->todo, to);
			}
		}
	}
}

static void drain_ready(struct sequence *seq, const uint32_t *pred, struct hd_mreg *where, bool *moved, bool *done)
{
	while (seq->ready.len) {
		uint32_t dst = hd_vec_pop(&seq->ready), src = pred[dst];
		emit_copy(seq, seq->names.data[dst], where[src]);
		done[dst] = true;
		if (!moved[src] && pred[src] != NONE) {
			moved[src] = true;
			where[src] = seq->names.data[dst];
			hd_vec_push(&seq->ready, src);
		}
	}
}

static void order_moves(struct sequence *seq)
{
	struct hd_out_of_ssa *ssa = seq->ssa;
	struct hd_arena scratch;
	hd_arena_init(&scratch);
	uint32_t limit = seq->like->extra_count * 4u + 1;
	uint32_t *pred = HD_ARENA_NEW(&scratch, uint32_t, limit);
	struct hd_mreg *where = HD_ARENA_NEW(&scratch, struct hd_mreg, limit);
	bool *moved = HD_ARENA_NEW(&scratch, bool, limit), *done = HD_ARENA_NEW(&scratch, bool, limit);
	bool *read = HD_ARENA_NEW(&scratch, bool, limit);
	for (uint32_t i = 0; i < limit; i++)
		pred[i] = NONE;
	add_moves(seq, pred);
	for (uint32_t i = 0; i < seq->names.len; i++)
		where[i] = seq->names.data[i];
	for (uint32_t i = 0; i < seq->todo.len; i++)
		read[pred[seq->todo.data[i]]] = true;
	for (uint32_t i = 0; i < seq->todo.len; i++)
		if (!read[seq->todo.data[i]])
			hd_vec_push(&seq->ready, seq->todo.data[i]);
	drain_ready(seq, pred, where, moved, done);
	while (seq->todo.len) {
		uint32_t dst = hd_vec_pop(&seq->todo);
		if (done[dst])
			continue;
		struct hd_mreg spare = fresh(ssa->func, seq->names.data[dst].id); /* a cycle */
		spare.words = 1;
		emit_copy(seq, spare, where[dst]);
		where[dst] = spare;
		moved[dst] = true;
		hd_vec_push(&seq->ready, dst);
		drain_ready(seq, pred, where, moved, done);
	}
	for (uint32_t i = 0; i < seq->names.len; i++)
		ssa->loc[hd_live_word(&ssa->intervals.live, seq->names.data[i])] = NONE;
	hd_arena_release(&scratch);
}

static void sequence_one(struct hd_out_of_ssa *ssa, hd_insts *out, const struct hd_minst *parcopy)
{
	struct sequence seq = {.ssa = ssa, .out = out, .like = parcopy};
	order_moves(&seq);
	for (uint32_t i = 0; i < seq.late.len; i += 2)
		emit_copy(&seq, seq.late.data[i], seq.late.data[i + 1]);
	hd_vec_release(&seq.todo);
	hd_vec_release(&seq.ready);
	hd_vec_release(&seq.names);
	hd_vec_release(&seq.late);
}

static void sequence_block(struct hd_out_of_ssa *ssa, uint32_t id)
{
	struct hd_mblock *block = &ssa->func->blocks.data[id];
	hd_insts insts = {0};
	for (uint32_t i = 0; i < block->insts.len; i++) {
		if (block->insts.data[i].op == HD_OP_PARCOPY)
			sequence_one(ssa, &insts, &block->insts.data[i]);
		else
			hd_vec_push(&insts, block->insts.data[i]);
	}
	hd_vec_release(&block->insts);
	memcpy(&block->insts, &insts, sizeof(insts));
}

static void sequence_all(struct hd_out_of_ssa *ssa)
{
	ssa->loc = HD_ARENA_NEW(&ssa->arena, uint32_t, ssa->intervals.live.words + 1);
	for (uint32_t i = 0; i < ssa->intervals.live.words; i++)
		ssa->loc[i] = NONE;
	for (uint32_t id = 0; id < ssa->func->blocks.len; id++)
		sequence_block(ssa, id);
}

int hd_out_of_ssa_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct hd_out_of_ssa ssa = {.func = func};
	(void)diag;
	hd_arena_init(&ssa.arena);
	make_parallel_copies(&ssa);
	drop_dead_constants(&ssa);
	hd_out_of_ssa_coalesce(&ssa);
	sequence_all(&ssa);
	for (uint32_t word = 0; word < ssa.intervals.live.words; word++)
		hd_vec_release(&ssa.segments[word]);
	hd_vec_release(&ssa.affinities);
	hd_vec_release(&ssa.holdings);
	hd_vec_release(&ssa.tails);
	hd_live_intervals_release(&ssa.intervals);
	hd_arena_release(&ssa.arena);
	return 0;
}
