/*
 * Copy coalescing on the way out of SSA form: the registers of a parallel move become one
 * class, the most frequent move first, where the live intervals of the classes do not meet
 * word by word. A class lies inside a wider one at an aligned word, so single words are
 * computed in the pair or quad that they end in. Needs parallel copies; near linear:
 * sorting, and insertion of the shorter segment list into the longer one.
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
	uint32_t low = 0, high = list->len;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (list->data[middle].end > position)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

static bool segments_meet(const hd_segments *a, const hd_segments *b)
{
	if (a->len > b->len)
		return segments_meet(b, a);
	for (uint32_t i = 0; i < a->len; i++) {
		uint32_t at = seek(b, a->data[i].start);
		if (at < b->len && b->data[at].start < a->data[i].end)
			return true;
	}
	return false;
}

static void insert_segment(hd_segments *list, struct hd_segment segment)
{
	uint32_t at = seek(list, segment.start);
	hd_vec_push(list, segment);
	memmove(&list->data[at + 1], &list->data[at], (list->len - 1 - at) * sizeof(segment));
	list->data[at] = segment;
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
static bool merge_classes(struct hd_leave *leave, uint32_t whole, uint32_t part, uint32_t at)
{
	uint32_t width = leave->func->vregs.data[part].words, room = leave->func->vregs.data[whole].words;
	width = width ? width : 1;
	room = room ? room : 1;
	if (at % width || at + width > room)
		return false;
	hd_segments *to = &leave->segments[leave->intervals.live.base[whole] + at];
	hd_segments *from = &leave->segments[leave->intervals.live.base[part]];
	for (uint32_t i = 0; i < width; i++)
		if (segments_meet(&to[i], &from[i]))
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
	if (dst_offset >= src_offset && merge_classes(leave, dst, src, dst_offset - src_offset))
		return;
	if (src_offset >= dst_offset)
		merge_classes(leave, src, dst, src_offset - dst_offset);
}

static int compare_affinities(const void *left, const void *right)
{
	const struct hd_affinity *a = left, *b = right;
	if (a->frequency != b->frequency)
		return a->frequency < b->frequency ? 1 : -1;
	return a->index < b->index ? -1 : a->index > b->index;
}

static void collect_affinities(struct hd_leave *leave)
{
	struct hd_mfunc *func = leave->func;
	for (uint32_t b = 0; b < func->blocks.len; b++) {
		const struct hd_mblock *block = &func->blocks.data[b];
		for (uint32_t i = 0; i < block->insts.len; i++) {
			const struct hd_minst *inst = &block->insts.data[i];
			for (uint32_t k = 0; inst->op == HD_OP_PARCOPY && k < inst->extra_count; k += 2) {
				const struct hd_mreg *move = &func->extras.data[inst->extra + k];
				if (hd_mreg_is_virtual(move[1].id))
					hd_vec_push(&leave->affinities,
						    (struct hd_affinity){block->frequency, leave->affinities.len,
									 move[0], move[1]});
			}
		}
	}
	if (leave->affinities.len)
		qsort(leave->affinities.data, leave->affinities.len, sizeof(struct hd_affinity), compare_affinities);
}

static void build_classes(struct hd_leave *leave)
{
	struct hd_mfunc *func = leave->func;
	hd_live_intervals_compute(func, &leave->arena, &leave->intervals);
	const struct hd_live_intervals *intervals = &leave->intervals;
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
