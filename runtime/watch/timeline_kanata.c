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
 * Cost: linear in the events. What depends on the instruction alone, its text and registers, is made once for each.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/machine/regset.h"
#include "lib/strbuf.h"
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

enum { DIGIT_BITS = 11, DIGITS = 1 << DIGIT_BITS };

/* By cycle. Lines of one cycle stay in their order: by row, and of a row by step. */
static void sort_lines(struct rows *rows)
{
	uint32_t count = rows->lines.len;
	struct line *from = rows->lines.data, *to = hd_xcalloc(count + 1, sizeof(*to)), *other = to;
	uint64_t least = UINT64_MAX, most = 0;
	for (uint32_t i = 0; i < count; i++) {
		least = from[i].cycle < least ? from[i].cycle : least;
		most = from[i].cycle > most ? from[i].cycle : most;
	}
	for (unsigned shift = 0; count && shift < 64 && (most - least) >> shift; shift += DIGIT_BITS) {
		uint32_t starts[DIGITS + 1] = {0};
		for (uint32_t i = 0; i < count; i++)
			starts[((from[i].cycle - least) >> shift & (DIGITS - 1)) + 1]++;
		for (unsigned digit = 0; digit < DIGITS; digit++)
			starts[digit + 1] += starts[digit];
		for (uint32_t i = 0; i < count; i++)
			to[starts[(from[i].cycle - least) >> shift & (DIGITS - 1)]++] = from[i];
		struct line *sorted = to;
		to = from;
		from = sorted;
	}
	if (from == other && count)
		memcpy(rows->lines.data, other, count * sizeof(*other));
	free(other);
}

/* ------------------------------------------------------------ text */

/* Text on its way to the file. */
struct output {
	FILE *file;
	size_t length;
	char bytes[1 << 16];
};

static void flush(struct output *out)
{
	fwrite(out->bytes, 1, out->length, out->file);
	out->length = 0;
}

static void put(struct output *out, const char *text, size_t length)
{
	if (out->length + length > sizeof(out->bytes))
		flush(out);
	if (length > sizeof(out->bytes)) {
		fwrite(text, 1, length, out->file);
		return;
	}
	memcpy(out->bytes + out->length, text, length);
	out->length += length;
}

#define PUT(out, text) put((out), (text), sizeof(text) - 1)

static void put_number(struct output *out, uint64_t number)
{
	char digits[20], *at = digits + sizeof(digits);
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	put(out, at, (size_t)(digits + sizeof(digits) - at));
}

/* What of a row depends on its instruction alone. */
struct known {
	char *text; /* "0010 IADD3 R0, R1, R2"; NULL: not made yet */
	const char *function;
	struct hd_regset reads, writes;
};

struct writing {
	const struct hd_gpu *gpu;
	struct known *known; /* by pc */
	struct output out;
};

static const struct known *known_of(struct writing *w, uint32_t pc)
{
	struct known *known = &w->known[pc];
	char text[256];
	if (known->text)
		return known;
	const struct hd_pfunction *function = &w->gpu->program.functions.data[w->gpu->program.code.data[pc].function];
	struct hd_strbuf line = {0};
	hd_timeline_text(w->gpu, pc, text, sizeof text);
	hd_strbuf_printf(&line, "%04x %s", (pc - function->first) * HD_INST_BYTES, text);
	known->text = hd_strbuf_detach(&line);
	known->function = function->name;
	hd_inst_reads(&w->gpu->program.code.data[pc].inst, &known->reads);
	hd_inst_writes(&w->gpu->program.code.data[pc].inst, &known->writes);
	return known;
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

static void write_arrows(struct writing *w, const struct row *row, uint32_t index, struct writers *writers)
{
	const struct known *known = known_of(w, row->pc);
	uint32_t told[16], count = 0;
	HD_REGSET_FOREACH (&known->reads, reg) {
		uint32_t writer = writers->of[reg];
		bool is_told = writer == NONE || count == sizeof told / sizeof *told;
		for (uint32_t i = 0; i < count; i++)
			is_told |= told[i] == writer;
		if (is_told)
			continue;
		told[count++] = writer;
		PUT(&w->out, "W\t");
		put_number(&w->out, index);
		PUT(&w->out, "\t");
		put_number(&w->out, writer);
		PUT(&w->out, "\t0\n");
	}
	HD_REGSET_FOREACH (&known->writes, reg)
		writers->of[reg] = index;
}

/* A stage of a row begins. */
static void write_stage(struct output *out, uint32_t index, char stage)
{
	char end[] = "\t0\t?\n";
	end[3] = stage;
	PUT(out, "S\t");
	put_number(out, index);
	put(out, end, sizeof(end) - 1);
}

static void write_begin(struct writing *w, const struct row *row, uint32_t index)
{
	const struct known *known = known_of(w, row->pc);
	struct output *out = &w->out;
	PUT(out, "I\t");
	put_number(out, index);
	PUT(out, "\t");
	put_number(out, index);
	PUT(out, "\t");
	put_number(out, row->warp);
	PUT(out, "\nL\t");
	put_number(out, index);
	PUT(out, "\t0\t");
	put(out, known->text, strlen(known->text));
	PUT(out, "\nL\t");
	put_number(out, index);
	PUT(out, "\t1\tSM ");
	put_number(out, row->sm);
	PUT(out, " warp ");
	put_number(out, row->warp);
	PUT(out, ", ");
	put(out, known->function, strlen(known->function));
	PUT(out, ", ");
	put_number(out, (uint64_t)__builtin_popcount(row->lanes));
	PUT(out, " lanes\n");
	write_stage(out, index, 'W');
}

static void write_line(struct writing *w, const struct rows *rows, const struct line *line, struct writers *writers)
{
	const struct row *row = &rows->list.data[line->row];
	switch ((enum step)line->step) {
	case STEP_BEGIN: write_begin(w, row, line->row); break;
	case STEP_ISSUE:
		write_stage(&w->out, line->row, 'X');
		write_arrows(w, row, line->row, writers);
		break;
	case STEP_ACCESS: write_stage(&w->out, line->row, 'M'); break;
	case STEP_END:
		PUT(&w->out, "R\t");
		put_number(&w->out, line->row);
		PUT(&w->out, "\t");
		put_number(&w->out, line->row);
		PUT(&w->out, "\t0\n");
		break;
	}
}

static void write_lines(struct writing *w, const struct rows *rows, uint32_t sm_count)
{
	uint64_t now = rows->lines.len ? rows->lines.data[0].cycle : 0;
	/* A table of writers for each warp slot of each SM that has any. */
	uint32_t slots = 0;
	for (uint32_t i = 0; i < rows->list.len; i++)
		slots = rows->list.data[i].warp >= slots ? rows->list.data[i].warp + 1u : slots;
	size_t tables = (size_t)slots * sm_count;
	struct writers *writers = hd_xcalloc(tables + 1, sizeof(*writers));
	memset(writers, 0xff, sizeof(*writers) * (tables + 1));
	PUT(&w->out, "Kanata\t0004\nC=\t");
	put_number(&w->out, now);
	PUT(&w->out, "\n");
	for (uint32_t i = 0; i < rows->lines.len; i++) {
		const struct line *line = &rows->lines.data[i];
		const struct row *row = &rows->list.data[line->row];
		if (line->cycle > now) {
			PUT(&w->out, "C\t");
			put_number(&w->out, line->cycle - now);
			PUT(&w->out, "\n");
		}
		now = line->cycle;
		write_line(w, rows, line, &writers[(size_t)row->sm * slots + row->warp]);
	}
	flush(&w->out);
	free(writers);
}

void hd_timeline_write_kanata(const struct hd_gpu *gpu, const struct hd_timeline *timeline, FILE *out)
{
	struct rows rows = {0};
	struct writing *w = hd_xcalloc(1, sizeof(*w));
	w->gpu = gpu;
	w->known = hd_xcalloc(gpu->program.code.len + 1, sizeof(*w->known));
	w->out.file = out;
	for (uint32_t sm = 0; sm < timeline->sm_count; sm++)
		add_sm(&rows, &timeline->sms[sm], sm);
	for (uint32_t i = 0; i < rows.list.len; i++)
		add_lines(&rows, i);
	sort_lines(&rows);
	write_lines(w, &rows, timeline->sm_count);
	for (uint32_t i = 0; i < gpu->program.code.len; i++)
		free(w->known[i].text);
	free(w->known);
	free(w);
	hd_vec_release(&rows.list);
	hd_vec_release(&rows.lines);
}
