/*
 * Timelines for Konata: version 4 of its text format. Each instruction of a warp is a row with the stages
 *
 *     W  it is the warp's next, and waits        X  it has issued
 *     M  its access is in the memory system
 *
 * and ends when its last result is written, or, without a result, when the next instruction of the warp issues. An
 * arrow leads from the instruction that wrote a register last to each that reads it. The thread of a row is its warp
 * slot, and numbers of rows are in the order of issue.
 *
 * Cost: a sort of all events.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/machine/regset.h"
#include "runtime/gpu/gpu.h"
#include "runtime/watch/timeline_events.h"

#define NONE UINT32_MAX
enum { MOST_WARPS = UINT16_MAX + 1 };

struct row {
	uint64_t ready, issue, access, end; /* access 0: none; end 0: not known yet */
	uint32_t pc, lanes, sm;
	uint16_t warp;
	bool result; /* one has been written */
};

enum step { STEP_BEGIN, STEP_ISSUE, STEP_ACCESS, STEP_END };
struct line {
	uint64_t cycle;
	uint32_t row;
	uint8_t step;
};

struct rows {
	HD_VEC(struct row) list;
	HD_VEC(struct line) lines;
};

/* ------------------------------------------------------------ rows */

/* The last row of a warp with this instruction that has no result yet; NONE. */
static uint32_t find_open(const struct rows *rows, const uint32_t *last, const uint32_t *before, uint32_t warp,
			  uint32_t pc)
{
	uint32_t at = last[warp];
	for (unsigned tries = 0; at != NONE && tries < 256; tries++, at = before[at])
		if (rows->list.data[at].pc == pc && !rows->list.data[at].result)
			return at;
	return NONE;
}

/* `last` by warp, `before` by row: the rows of one warp, latest first. */
static void add_sm(struct rows *rows, const struct hd_timeline_sm *sm, uint32_t id)
{
	uint32_t *last = malloc(sizeof(*last) * MOST_WARPS);
	HD_VEC(uint32_t) before = {0};
	for (uint32_t i = 0; last && i < MOST_WARPS; i++)
		last[i] = NONE;
	for (uint32_t i = 0; i < rows->list.len; i++)
		hd_vec_push(&before, NONE);
	for (uint32_t i = 0; last && i < sm->events.len; i++) {
		const struct hd_timeline_event *event = &sm->events.data[i];
		uint32_t previous = last[event->warp];
		if (event->kind == HD_TIMELINE_ISSUE) {
			uint64_t ready = previous == NONE ? event->cycle : rows->list.data[previous].issue + 1;
			if (previous != NONE && !rows->list.data[previous].end)
				rows->list.data[previous].end = event->cycle;
			last[event->warp] = rows->list.len;
			hd_vec_push(&before, previous);
			hd_vec_push(&rows->list, (struct row){.ready = ready,
							      .issue = event->cycle,
							      .pc = event->pc,
							      .lanes = event->value,
							      .sm = id,
							      .warp = event->warp});
			continue;
		}
		uint32_t at = find_open(rows, last, before.data, event->warp, event->pc);
		if (at == NONE)
			continue;
		struct row *row = &rows->list.data[at];
		if (event->kind == HD_TIMELINE_ACCESS) {
			row->access = event->cycle;
		} else {
			row->result = true;
			row->end = event->cycle > row->issue ? event->cycle : row->issue + 1;
		}
	}
	hd_vec_release(&before);
	free(last);
}

/* ------------------------------------------------------------ lines */

static int by_cycle(const void *left, const void *right)
{
	const struct line *a = left, *b = right;
	if (a->cycle != b->cycle)
		return a->cycle > b->cycle ? 1 : -1;
	if (a->row != b->row)
		return a->row > b->row ? 1 : -1;
	return (int)a->step - (int)b->step;
}

static void add_lines(struct rows *rows, uint32_t index)
{
	struct row *row = &rows->list.data[index];
	if (row->end <= row->issue)
		row->end = row->issue + 1;
	hd_vec_push(&rows->lines, (struct line){row->ready, index, STEP_BEGIN});
	hd_vec_push(&rows->lines, (struct line){row->issue, index, STEP_ISSUE});
	if (row->access && row->access > row->issue && row->access < row->end)
		hd_vec_push(&rows->lines, (struct line){row->access, index, STEP_ACCESS});
	hd_vec_push(&rows->lines, (struct line){row->end, index, STEP_END});
}

/* The last writer of each register of each warp, while rows are passed in the order of issue. */
struct writers {
	uint32_t of[256];
};

static void write_arrows(const struct hd_gpu *gpu, const struct row *row, uint32_t index, struct writers *writers,
			 FILE *out)
{
	const struct hd_inst *inst = &gpu->program.code.data[row->pc].inst;
	struct hd_regset reads, writes;
	uint32_t told[16], count = 0;
	hd_inst_reads(inst, &reads);
	hd_inst_writes(inst, &writes);
	HD_REGSET_FOREACH (&reads, reg) {
		uint32_t writer = writers->of[reg];
		bool known = writer == NONE || count == sizeof told / sizeof *told;
		for (uint32_t i = 0; i < count; i++)
			known |= told[i] == writer;
		if (known)
			continue;
		told[count++] = writer;
		fprintf(out, "W\t%u\t%u\t0\n", index, writer);
	}
	HD_REGSET_FOREACH (&writes, reg)
		writers->of[reg] = index;
}

static void write_begin(const struct hd_gpu *gpu, const struct row *row, uint32_t index, FILE *out)
{
	char text[256];
	const struct hd_pfunction *function = &gpu->program.functions.data[gpu->program.code.data[row->pc].function];
	hd_timeline_text(gpu, row->pc, text, sizeof text);
	fprintf(out, "I\t%u\t%u\t%u\nL\t%u\t0\t%04x %s\nL\t%u\t1\tSM %u warp %u, %s, %d lanes\nS\t%u\t0\tW\n", index,
		index, row->warp, index, (row->pc - function->first) * HD_INST_BYTES, text, index, row->sm, row->warp,
		function->name, __builtin_popcount(row->lanes), index);
}

static void write_line(const struct hd_gpu *gpu, const struct rows *rows, const struct line *line,
		       struct writers *writers, FILE *out)
{
	const struct row *row = &rows->list.data[line->row];
	switch ((enum step)line->step) {
	case STEP_BEGIN: write_begin(gpu, row, line->row, out); break;
	case STEP_ISSUE:
		fprintf(out, "S\t%u\t0\tX\n", line->row);
		write_arrows(gpu, row, line->row, writers, out);
		break;
	case STEP_ACCESS: fprintf(out, "S\t%u\t0\tM\n", line->row); break;
	case STEP_END: fprintf(out, "R\t%u\t%u\t0\n", line->row, line->row); break;
	}
}

void hd_timeline_write_kanata(const struct hd_gpu *gpu, const struct hd_timeline *timeline, FILE *out)
{
	struct rows rows = {0};
	uint64_t now = 0;
	for (uint32_t sm = 0; sm < timeline->sm_count; sm++)
		add_sm(&rows, &timeline->sms[sm], sm);
	for (uint32_t i = 0; i < rows.list.len; i++)
		add_lines(&rows, i);
	if (rows.lines.len)
		qsort(rows.lines.data, rows.lines.len, sizeof(*rows.lines.data), by_cycle);
	/* A table of writers for each warp slot of each SM that has any. */
	uint32_t slots = 0;
	for (uint32_t i = 0; i < rows.list.len; i++)
		slots = rows.list.data[i].warp >= slots ? rows.list.data[i].warp + 1u : slots;
	size_t tables = (size_t)slots * timeline->sm_count;
	struct writers *writers = hd_xcalloc(tables + 1, sizeof(*writers));
	memset(writers, 0xff, sizeof(*writers) * (tables + 1));
	now = rows.lines.len ? rows.lines.data[0].cycle : 0;
	fprintf(out, "Kanata\t0004\nC=\t%" PRIu64 "\n", now);
	for (uint32_t i = 0; i < rows.lines.len; i++) {
		const struct line *line = &rows.lines.data[i];
		const struct row *row = &rows.list.data[line->row];
		if (line->cycle > now)
			fprintf(out, "C\t%" PRIu64 "\n", line->cycle - now);
		now = line->cycle;
		write_line(gpu, &rows, line, &writers[(size_t)row->sm * slots + row->warp], out);
	}
	free(writers);
	hd_vec_release(&rows.list);
	hd_vec_release(&rows.lines);
}
