/*
 * Copy coalescing on the way out of SSA form: the registers of a parallel move become one
 * class, the most frequent move first, where the live intervals of the classes do not meet
 * word by word. Two sides with the same value may: behind a move at the end of a block where both live on (one into
 * a loop's next turn, one out of it), and everywhere where each has one definition. A class lies inside a wider one at an aligned
 * word, so single words are computed in the pair or quad that they end in. Needs parallel copies; near linear: sorting,
 * and insertion of the shorter segment list into the longer one.
 */
#include "passes/lower/leave_ssa.h"

static uint32_t find(struct hd_leave *leave, uint32_t reg, uint32_t *offset)
{
	uint32_t root = reg, total = 0;
	while (leave->parent[root] != root) {
		total += leave->offset[root];
		root = leave->parent[root];
	}
	*offset = total;
	while (leave->parent[reg] != root) { /* compress the path */
		uint32_t next = leave->parent[reg], step = leave->offset[reg];
		leave->parent[reg] = root;
		leave->offset[reg] = (uint8_t)total;
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

static bool lives_over(const struct hd_leave *leave, uint32_t word, uint32_t start, uint32_t end)
{
	const struct hd_live_intervals *intervals = &leave->intervals;
	uint32_t at, last = intervals->segment_start[word + 1];
	HD_BISECT(at, intervals->segment_start[word], last, intervals->segments[at].end < end);
	return at < last && intervals->segments[at].start <= start;
}

/* Where two classes may overlap: word `i` of a move's sides. */
struct meeting {
	const struct hd_leave *leave;
	const struct hd_affinity *affinity;
	bool carried; /* the move carries this word of the class */
	uint32_t dst, src; /* its words */
};

static bool is_allowed(const struct meeting *meeting, uint32_t start, uint32_t end)
{
	struct hd_segment same = meeting->affinity->same;
	if (!meeting->carried)
		return false; /* the move says nothing about words of the class that it does not carry */
	if (start >= same.start && end <= same.end)
		return true;
	return meeting->affinity->equal && lives_over(meeting->leave, meeting->dst, start, end) &&
	       lives_over(meeting->leave, meeting->src, start, end);
}

static bool segments_meet(const hd_segments *a, const hd_segments *b, const struct meeting *meeting)
{
	if (a->len > b->len)
		return segments_meet(b, a, meeting);
	for (uint32_t i = 0; i < a->len; i++) {
		struct hd_segment segment = a->data[i];
		for (uint32_t at = seek(b, segment.start); at < b->len && b->data[at].start < segment.end; at++) {
			struct hd_segment other = b->data[at];
			uint32_t start = other.start > segment.start ? other.start : segment.start;
			uint32_t end = other.end < segment.end ? other.end : segment.end;
			if (!is_allowed(meeting, start, end))
				return true;
		}
	}
	return false;
}

static void insert_disjoint(hd_segments *list, struct hd_segment segment)
{
	uint32_t at = seek(list, segment.start);
	hd_vec_push(list, segment);
	memmove(&list->data[at + 1], &list->data[at], (list->len - 1 - at) * sizeof(segment));
	list->data[at] = segment;
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
			insert_disjoint(list, part);
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
static bool merge_classes(struct hd_leave *leave, uint32_t whole, uint32_t part, uint32_t at,
			  const struct hd_affinity *affinity)
{
	uint32_t width = leave->func->vregs.data[part].words, room = leave->func->vregs.data[whole].words;
	width = width ? width : 1;
	room = room ? room : 1;
	if (at % width || at + width > room)
		return false;
	hd_segments *to = &leave->segments[leave->intervals.live.base[whole] + at];
	hd_segments *from = &leave->segments[leave->intervals.live.base[part]];
	struct meeting meeting = {leave, affinity, width == affinity->dst.words, 0, 0};
	meeting.dst = hd_live_word(&leave->intervals.live, affinity->dst);
	meeting.src = hd_live_word(&leave->intervals.live, affinity->src);
	for (uint32_t i = 0; i < width; i++, meeting.dst++, meeting.src++)
		if (segments_meet(&to[i], &from[i], &meeting))
			return false;
	for (uint32_t i = 0; i < width; i++)
		merge_segments(&to[i], &from[i]);
	leave->parent[part] = whole;
	leave->offset[part] = (uint8_t)at;
	return true;
}

static void coalesce(struct hd_leave *leave, const struct hd_affinity *affinity)
{
	uint32_t dst_offset, src_offset;
	uint32_t dst = find(leave, affinity->dst.id - HD_MREG_VIRTUAL, &dst_offset);
	uint32_t src = find(leave, affinity->src.id - HD_MREG_VIRTUAL, &src_offset);
	if (dst == src)
		return;
	dst_offset += affinity->dst.sub;
	src_offset += affinity->src.sub;
	if (dst_offset >= src_offset && merge_classes(leave, dst, src, dst_offset - src_offset, affinity))
		return;
	if (src_offset >= dst_offset)
		merge_classes(leave, src, dst, src_offset - dst_offset, affinity);
}

static int compare_affinities(const void *left, const void *right)
{
	const struct hd_affinity *a = left, *b = right;
	if (a->frequency != b->frequency)
		return a->frequency < b->frequency ? 1 : -1;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Whether all words of `reg` live from `start` to `end`. */
static bool is_live_over(const struct hd_leave *leave, struct hd_mreg reg, uint32_t start, uint32_t end)
{
	const struct hd_live_intervals *intervals = &leave->intervals;
	uint32_t word = hd_live_word(&intervals->live, reg);
	for (uint32_t i = 0; i < reg.words; i++, word++) {
		bool found = false;
		for (uint32_t s = intervals->segment_start[word]; s < intervals->segment_start[word + 1]; s++)
			found |= intervals->segments[s].start <= start && intervals->segments[s].end >= end;
		if (!found)
			return false;
	}
	return true;
}

/* The stretch behind instruction i, where only branches follow it, if both sides of the move live through it. */
static struct hd_segment same_value(const struct hd_leave *leave, uint32_t id, uint32_t i, const struct hd_mreg *move)
{
	const struct hd_mblock *block = &leave->func->blocks.data[id];
	uint32_t first = leave->intervals.first[id];
	struct hd_segment same = {2 * (first + i) + 1, 2 * (first + block->insts.len)};
	for (uint32_t k = i + 1; k < block->insts.len; k++)
		if (block->insts.data[k].op >= HD_OP_COUNT ||
		    !(hd_opinfo[block->insts.data[k].op].effects & HD_FX_BRANCH))
			return (struct hd_segment){0};
	if (block->succs.len < 2 || hd_list_has(leave->func->without, "join") ||
	    !is_live_over(leave, move[0], same.start, same.end) || !is_live_over(leave, move[1], same.start, same.end))
		return (struct hd_segment){0};
	return same;
}

static bool is_written_once(const struct hd_leave *leave, struct hd_mreg reg)
{
	uint32_t word = hd_live_word(&leave->intervals.live, reg);
	bool once = true;
	for (uint32_t i = 0; i < reg.words; i++)
		once &= leave->written[word + i] == 1;
	return once && !hd_list_has(leave->func->without, "same");
}

static void collect_moves(struct hd_leave *leave, uint32_t id, uint32_t i)
{
	struct hd_mfunc *func = leave->func;
	const struct hd_mblock *block = &func->blocks.data[id];
	const struct hd_minst *inst = &block->insts.data[i];
	for (uint32_t k = 0; k < inst->extra_count; k += 2) {
		const struct hd_mreg *move = &func->extras.data[inst->extra + k];
		if (!hd_mreg_is_virtual(move[1].id))
			continue;
		struct hd_affinity affinity = {block->frequency, leave->affinities.len, move[0], move[1], {0}, false};
		if (hd_mreg_is_virtual(move[0].id)) {
			affinity.same = same_value(leave, id, i, move);
			affinity.equal = is_written_once(leave, move[0]) && is_written_once(leave, move[1]);
		}
		hd_vec_push(&leave->affinities, affinity);
	}
}

static void collect_affinities(struct hd_leave *leave)
{
	struct hd_mfunc *func = leave->func;
	for (uint32_t b = 0; b < func->blocks.len; b++)
		for (uint32_t i = 0; i < func->blocks.data[b].insts.len; i++)
			if (func->blocks.data[b].insts.data[i].op == HD_OP_PARCOPY)
				collect_moves(leave, b, i);
	if (leave->affinities.len)
		qsort(leave->affinities.data, leave->affinities.len, sizeof(struct hd_affinity), compare_affinities);
}

static void count_writes(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_leave *leave = context;
	if (!is_def || !hd_mreg_is_virtual(reg->id))
		return;
	uint32_t word = hd_live_word(&leave->intervals.live, *reg);
	for (uint32_t i = 0; i < reg->words; i++)
		leave->written[word + i] += leave->written[word + i] < 2;
}

static void build_classes(struct hd_leave *leave)
{
	struct hd_mfunc *func = leave->func;
	hd_live_intervals_compute(func, &leave->arena, &leave->intervals);
	const struct hd_live_intervals *intervals = &leave->intervals;
	leave->written = HD_ARENA_NEW(&leave->arena, uint8_t, intervals->live.words + 1);
	for (uint32_t b = 0; b < func->blocks.len; b++)
		for (uint32_t i = 0; i < func->blocks.data[b].insts.len; i++)
			hd_minst_visit(func, &func->blocks.data[b].insts.data[i], count_writes, leave);
	leave->parent = HD_ARENA_NEW(&leave->arena, uint32_t, func->vregs.len + 1);
	leave->offset = HD_ARENA_NEW(&leave->arena, uint8_t, func->vregs.len + 1);
	leave->segments = HD_ARENA_NEW(&leave->arena, hd_segments, intervals->live.words + 1);
	for (uint32_t i = 0; i < func->vregs.len; i++)
		leave->parent[i] = i;
	for (uint32_t word = 0; word < intervals->live.words; word++)
		for (uint32_t i = intervals->segment_start[word]; i < intervals->segment_start[word + 1]; i++)
			hd_vec_push(&leave->segments[word], intervals->segments[i]);
}

static void rename_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	struct hd_leave *leave = context;
	(void)is_def;
	if (!hd_mreg_is_virtual(reg->id))
		return;
	uint32_t offset, root = find(leave, reg->id - HD_MREG_VIRTUAL, &offset);
	reg->id = HD_MREG_VIRTUAL + root;
	reg->sub = (uint8_t)(reg->sub + offset);
}

static void rename_all(struct hd_leave *leave)
{
	struct hd_mfunc *func = leave->func;
	for (uint32_t b = 0; b < func->blocks.len; b++)
		for (uint32_t i = 0; i < func->blocks.data[b].insts.len; i++)
			hd_minst_visit(func, &func->blocks.data[b].insts.data[i], rename_operand, leave);
}

void hd_leave_coalesce(struct hd_leave *leave)
{
	build_classes(leave);
	collect_affinities(leave);
	for (uint32_t i = 0; i < leave->affinities.len; i++)
		coalesce(leave, &leave->affinities.data[i]);
	rename_all(leave);
}
