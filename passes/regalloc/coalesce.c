/*
 * Copy coalescing on the way out of SSA form: the registers of a parallel move become one
 * class, the most frequent move first, where the live intervals of the classes do not meet
 * word by word. Two sides with the same value may: at the end of a block, where moves and constants have made both of
 * one (one for a loop's next turn, one for its exit), and everywhere where each has one definition. A class
 * lies inside a wider one at an aligned word, so single words are computed in the pair or quad that they end in. Needs
 * parallel copies; near linear: sorting, and insertion of the shorter segment list into the longer one.
 */
#include "heddle/opcodes.h"
#include "passes/regalloc/out_of_ssa.h"

static uint32_t find(struct hd_out_of_ssa *ssa, uint32_t reg, uint32_t *offset)
{
	uint32_t root = reg, total = 0;
	while (ssa->parent[root] != root) {
		total += ssa->offset[root];
		root = ssa->parent[root];
	}
	*offset = total;
	while (ssa->parent[reg] != root) { /* compress the path */
		uint32_t next = ssa->parent[reg], step = ssa->offset[reg];
		ssa->parent[reg] = root;
		ssa->offset[reg] = (uint8_t)total;
		total -= step;
		reg = next;
	}
	return root;
}

/* The first segment that ends after `position`. */
static uint32_t seek(const hd_segments *list, uint32_t position)
{
	uint32_t at;
	HD_BISECT(at, 0, list->len, list->data[at].end <= position);
	return at;
}

static bool lives_over(const struct hd_out_of_ssa *ssa, uint32_t word, uint32_t start, uint32_t end)
{
	const struct hd_live_intervals *intervals = &ssa->intervals;
	uint32_t at, last = intervals->segment_start[word + 1];
	HD_BISECT(at, intervals->segment_start[word], last, intervals->segments[at].end < end);
	return at < last && intervals->segments[at].start <= start;
}

/* Where two classes may overlap: word `i` of a move's sides. */
struct overlap {
	struct hd_out_of_ssa *ssa;
	const struct hd_affinity *affinity;
	bool carried;		   /* the move carries this word of the class */
	uint32_t dst, src;	   /* its words */
	uint32_t root[2], word[2]; /* of the two classes: what meets */
};

/* ---- the ends of blocks ---- */

#define MANY_HOLDINGS 64u /* in front of one block's end: more are not compared */

static void note_holding(struct hd_out_of_ssa *ssa, struct hd_mreg reg, uint32_t kind, uint32_t a, uint32_t b)
{
	if (hd_mreg_is_virtual(reg.id))
		hd_vec_push(&ssa->holdings, (struct hd_holding){reg, {kind, a, b}});
}

static void note_moves(struct hd_out_of_ssa *ssa, const struct hd_minst *inst)
{
	for (uint32_t k = 0; k < inst->extra_count; k += 2) {
		const struct hd_mreg *move = &ssa->func->extras.data[inst->extra + k];
		uint32_t part = move[1].sub * 8u + move[1].words;
		note_holding(ssa, move[0], HD_OP_PARCOPY, move[1].id, part);
		note_holding(ssa, move[1], HD_OP_PARCOPY, move[1].id, part);
	}
}

/* Whether the instruction is one that out_of_ssa.c puts in front of a block's end; what it leaves in registers. */
static bool note_held(struct hd_out_of_ssa *ssa, const struct hd_minst *inst)
{
	if (inst->op == HD_OP_PARCOPY)
		note_moves(ssa, inst);
	else if (inst->op == HD_OP_MOV && inst->dst.words == 1 && inst->xkind != HD_X_NONE)
		note_holding(ssa, inst->dst, HD_OP_MOV + 0x10000u * inst->ref_kind + 0x1000000u * inst->xkind, inst->x,
			     inst->ref);
	else
		return false;
	return true;
}

static void note_tail(struct hd_out_of_ssa *ssa, uint32_t id)
{
	const struct hd_mblock *block = &ssa->func->blocks.data[id];
	uint32_t first = ssa->intervals.first[id], end = hd_mblock_end(block), at = end;
	struct hd_tail tail = {.first = ssa->holdings.len, .end = 2 * (first + block->insts.len)};
	while (at > 0 && ssa->holdings.len - tail.first < MANY_HOLDINGS && note_held(ssa, &block->insts.data[at - 1]))
		at--;
	tail.count = ssa->holdings.len - tail.first;
	tail.start = 2 * (first + at) + 1;
	if (tail.count)
		hd_vec_push(&ssa->tails, tail);
}

static int compare_tails(const void *left, const void *right)
{
	const struct hd_tail *a = left, *b = right;
	return a->start < b->start ? -1 : a->start > b->start;
}

static void collect_tails(struct hd_out_of_ssa *ssa)
{
	if (!hd_switch_is_on(ssa->func->without, HD_SWITCH_COALESCED_TAILS))
		return;
	for (uint32_t id = 0; id < ssa->func->blocks.len; id++)
		note_tail(ssa, id);
	if (ssa->tails.len)
		qsort(ssa->tails.data, ssa->tails.len, sizeof(struct hd_tail), compare_tails);
}

/* What occupies the class's word from `start` to `end`, of what is held in the tail, and which of its words that is;
 * NULL: not known. */
static const struct hd_holding *occupant(const struct overlap *overlap, unsigned side, const struct hd_tail *tail,
					 struct hd_segment over, uint32_t *word)
{
	struct hd_out_of_ssa *ssa = overlap->ssa;
	for (uint32_t i = tail->first; i < tail->first + tail->count; i++) {
		const struct hd_holding *holding = &ssa->holdings.data[i];
		uint32_t offset, root = find(ssa, holding->reg.id - HD_MREG_VIRTUAL, &offset);
		*word = overlap->word[side] - offset - holding->reg.sub;
		if (root == overlap->root[side] && *word < holding->reg.words &&
		    lives_over(ssa, hd_live_word(&ssa->intervals.live, holding->reg) + *word, over.start, over.end))
			return holding;
	}
	return NULL;
}

static bool hold_the_same(const struct overlap *overlap, struct hd_segment over)
{
	const struct hd_out_of_ssa *ssa = overlap->ssa;
	uint32_t at, left, right;
	HD_BISECT(at, 0, ssa->tails.len, ssa->tails.data[at].end <= over.start);
	if (at == ssa->tails.len || ssa->tails.data[at].start > over.start || ssa->tails.data[at].end < over.end)
		return false;
	const struct hd_tail *tail = &ssa->tails.data[at];
	const struct hd_holding *a = occupant(overlap, 0, tail, over, &left);
	const struct hd_holding *b = a ? occupant(overlap, 1, tail, over, &right) : NULL;
	return b && left == right && !memcmp(a->value, b->value, sizeof(a->value));
}

static bool is_allowed(const struct overlap *overlap, struct hd_segment over)
{
	/* The move says nothing about words of the class that it does not carry. */
	if (overlap->carried && overlap->affinity->equal &&
	    lives_over(overlap->ssa, overlap->dst, over.start, over.end) &&
	    lives_over(overlap->ssa, overlap->src, over.start, over.end))
		return true;
	return hold_the_same(overlap, over);
}

static bool segments_meet(const hd_segments *a, const hd_segments *b, const struct overlap *overlap)
{
	if (a->len > b->len)
		return segments_meet(b, a, overlap);
	for (uint32_t i = 0; i < a->len; i++) {
		struct hd_segment segment = a->data[i];
		for (uint32_t at = seek(b, segment.start); at < b->len && b->data[at].start < segment.end; at++) {
			struct hd_segment other = b->data[at];
			struct hd_segment over = {other.start > segment.start ? other.start : segment.start,
						  other.end < segment.end ? other.end : segment.end};
			if (!is_allowed(overlap, over))
				return true;
		}
	}
	return false;
}

/* Adds the parts of a segment that the list does not have. */
static void insert_segment(hd_segments *list, struct hd_segment segment)
{
	while (segment.start < segment.end) {
		uint32_t at = seek(list, segment.start);
		struct hd_segment part = segment;
		if (at < list->len && list->data[at].start < segment.end) {
			part.end = list->data[at].start;
			segment.start = list->data[at].end;
		} else {
			segment.start = segment.end;
		}
		if (part.start < part.end)
			hd_vec_insert(list, seek(list, part.start), part);
	}
}

static void merge_segments(hd_segments *to, hd_segments *from)
{
	if (to->len < from->len) {
		hd_segments swap = *to;
		*to = *from;
		*from = swap;
	}
	for (uint32_t i = 0; i < from->len; i++)
		insert_segment(to, from->data[i]);
	hd_vec_release(from);
}

/* Puts class `part` at word `at` of class `whole` if nothing meets. */
static bool merge_classes(struct hd_out_of_ssa *ssa, uint32_t whole, uint32_t part, uint32_t at,
			  const struct hd_affinity *affinity)
{
	uint32_t width = ssa->func->vregs.data[part].words, room = ssa->func->vregs.data[whole].words;
	width = width ? width : 1;
	room = room ? room : 1;
	if (at % hd_register_alignment(width) || at + width > room)
		return false;
	hd_segments *to = &ssa->segments[ssa->intervals.live.base[whole] + at];
	hd_segments *from = &ssa->segments[ssa->intervals.live.base[part]];
	struct overlap overlap = {ssa, affinity, width == affinity->dst.words, .root = {whole, part}};
	overlap.dst = hd_live_word(&ssa->intervals.live, affinity->dst);
	overlap.src = hd_live_word(&ssa->intervals.live, affinity->src);
	for (uint32_t i = 0; i < width; i++, overlap.dst++, overlap.src++) {
		overlap.word[0] = at + i;
		overlap.word[1] = i;
		if (segments_meet(&to[i], &from[i], &overlap))
			return false;
	}
	for (uint32_t i = 0; i < width; i++)
		merge_segments(&to[i], &from[i]);
	ssa->parent[part] = whole;
	ssa->offset[part] = (uint8_t)at;
	return true;
}

static void coalesce(struct hd_out_of_ssa *ssa, const struct hd_affinity *affinity)
{
	uint32_t dst_offset, src_offset;
	uint32_t dst = find(ssa, affinity->dst.id - HD_MREG_VIRTUAL, &dst_offset);
	uint32_t src = find(ssa, affinity->src.id - HD_MREG_VIRTUAL, &src_offset);
	if (dst == src)
		return;
	dst_offset += affinity->dst.sub;
	src_offset += affinity->src.sub;
	if (dst_offset >= src_offset && merge_classes(ssa, dst, src, dst_offset - src_offset, affinity))
		return;
	if (src_offset >= dst_offset)
		merge_classes(ssa, src, dst, src_offset - dst_offset, affinity);
}

static int compare_affinities(const void *left, const void *right)
{
	const struct hd_affinity *a = left, *b = right;
	if (a->frequency != b->frequency)
		return a->frequency < b->frequency ? 1 : -1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static bool is_written_once(const struct hd_out_of_ssa *ssa, struct hd_mreg reg)
{
	uint32_t word = hd_live_word(&ssa->intervals.live, reg);
	bool once = true;
	for (uint32_t i = 0; i < reg.words; i++)
		once &= ssa->written[word + i] == 1;
	return once && hd_switch_is_on(ssa->func->without, HD_SWITCH_COALESCED_EQUALS);
}

static void collect_moves(struct hd_out_of_ssa *ssa, uint32_t id, uint32_t i)
{
	struct hd_mfunc *func = ssa->func;
	const struct hd_mblock *block = &func->blocks.data[id];
	const struct hd_minst *inst = &block->insts.data[i];
	for (uint32_t k = 0; k < inst->extra_count; k += 2) {
		const struct hd_mreg *move = &func->extras.data[inst->extra + k];
		if (!hd_mreg_is_virtual(move[1].id))
			continue;
		struct hd_affinity affinity = {block->frequency, ssa->affinities.len, move[0], move[1], false};
		affinity.equal = hd_mreg_is_virtual(move[0].id) && is_written_once(ssa, move[0]) &&
				 is_written_once(ssa, move[1]);
		hd_vec_push(&ssa->affinities, affinity);
	}
}

static void collect_affinities(struct hd_out_of_ssa *ssa)
{
	struct hd_mfunc *func = ssa->func;
	for (uint32_t b = 0; b < func->blocks.len; b++)
		for (uint32_t i = 0; i < func->blocks.data[b].insts.len; i++)
			if (func->blocks.data[b].insts.data[i].op == HD_OP_PARCOPY)
				collect_moves(ssa, b, i);
	if (ssa->affinities.len)
		qsort(ssa->affinities.data, ssa->affinities.len, sizeof(struct hd_affinity), compare_affinities);
}

static void count_writes(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_out_of_ssa *ssa = context;
	if (!is_def || !hd_mreg_is_virtual(reg->id))
		return;
	uint32_t word = hd_live_word(&ssa->intervals.live, *reg);
	for (uint32_t i = 0; i < reg->words; i++)
		ssa->written[word + i] += ssa->written[word + i] < 2;
}

static void build_classes(struct hd_out_of_ssa *ssa)
{
	struct hd_mfunc *func = ssa->func;
	hd_live_intervals_compute(func, &ssa->arena, &ssa->intervals);
	const struct hd_live_intervals *intervals = &ssa->intervals;
	ssa->written = HD_ARENA_NEW(&ssa->arena, uint8_t, intervals->live.words + 1);
	for (uint32_t b = 0; b < func->blocks.len; b++)
		for (uint32_t i = 0; i < func->blocks.data[b].insts.len; i++)
			hd_minst_visit(func, &func->blocks.data[b].insts.data[i], count_writes, ssa);
	ssa->parent = HD_ARENA_NEW(&ssa->arena, uint32_t, func->vregs.len + 1);
	ssa->offset = HD_ARENA_NEW(&ssa->arena, uint8_t, func->vregs.len + 1);
	ssa->segments = HD_ARENA_NEW(&ssa->arena, hd_segments, intervals->live.words + 1);
	for (uint32_t i = 0; i < func->vregs.len; i++)
		ssa->parent[i] = i;
	for (uint32_t word = 0; word < intervals->live.words; word++)
		for (uint32_t i = intervals->segment_start[word]; i < intervals->segment_start[word + 1]; i++)
			hd_vec_push(&ssa->segments[word], intervals->segments[i]);
}

static void rename_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_out_of_ssa *ssa = context;
	(void)is_def;
	if (!hd_mreg_is_virtual(reg->id))
		return;
	uint32_t offset, root = find(ssa, reg->id - HD_MREG_VIRTUAL, &offset);
	reg->id = HD_MREG_VIRTUAL + root;
	reg->sub = (uint8_t)(reg->sub + offset);
}

static void rename_all(struct hd_out_of_ssa *ssa)
{
	struct hd_mfunc *func = ssa->func;
	for (uint32_t b = 0; b < func->blocks.len; b++)
		for (uint32_t i = 0; i < func->blocks.data[b].insts.len; i++)
			hd_minst_visit(func, &func->blocks.data[b].insts.data[i], rename_operand, ssa);
}

void hd_out_of_ssa_coalesce(struct hd_out_of_ssa *ssa)
{
	build_classes(ssa);
	collect_affinities(ssa);
	collect_tails(ssa);
	for (uint32_t i = 0; i < ssa->affinities.len; i++)
		coalesce(ssa, &ssa->affinities.data[i]);
	rename_all(ssa);
}
