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
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/machine/regset.h"
#include "lib/strbuf.h"
#include "runtime/gpu/gpu.h"
#include "runtime/watch/timeline_events.h"

#define NONE UINT32_MAX
enum { MOST_NAME = 256 }; /* bytes of a function's name */

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

/* The last row of a warp, from `at` on back, with this instruction that has no result yet; NONE. */
static uint32_t find_open(const struct rows *rows, uint32_t at, const uint32_t *before, uint32_t first, uint32_t pc)
{
	for (unsigned tries = 0; at != NONE && tries < 256; tries++, at = before[at - first])
		if (rows->list.data[at].pc == pc && !rows->list.data[at].result)
			return at;
	return NONE;
}

/* `last` by warp, `before` by row of the SM: the rows of one warp, latest first. */
static void add_sm(struct rows *rows, const struct hd_timeline_sm *sm, uint32_t id)
{
	uint32_t *last = hd_xcalloc(sm->warps + 1, sizeof(*last));
	uint32_t *before = hd_xcalloc(sm->events.len + 1, sizeof(*before)), first = rows->list.len;
	for (uint32_t i = 0; i < sm->warps; i++)
		last[i] = NONE;
	for (uint32_t i = 0; i < sm->events.len; i++) {
		const struct hd_timeline_event *event = &sm->events.data[i];
		uint32_t previous = last[event->warp];
		if (event->kind == HD_TIMELINE_ISSUE) {
			uint64_t ready = previous == NONE ? event->cycle : rows->list.data[previous].issue + 1;
			if (previous != NONE && !rows->list.data[previous].end)
				rows->list.data[previous].end = event->cycle;
			last[event->warp] = rows->list.len;
			before[rows->list.len - first] = previous;
			hd_vec_push(&rows->list, (struct row){.ready = ready,
							      .issue = event->cycle,
							      .pc = event->pc,
							      .lanes = event->value,
							      .sm = id,
							      .warp = event->warp});
			continue;
		}
		uint32_t at = find_open(rows, last[event->warp], before, first, event->pc);
		if (at == NONE)
			continue;
		struct row *row = &rows->list.data[at];
		if (event->kind == HD_TIMELINE_ACCESS) {
			/* Told when it issues; the load/store unit gets it in the next cycle at the earliest. */
			row->access = event->cycle > row->issue ? event->cycle : row->issue + 1;
		} else {
			row->result = true;
			row->end = event->cycle > row->issue ? event->cycle : row->issue + 1;
		}
	}
	free(before);
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

#define PUT(out, text) hd_timeline_put((out), (text), sizeof(text) - 1)

static struct hd_timeline_word word_of(uint32_t number)
{
	struct hd_timeline_word word;
	char digits[10], *at = digits + sizeof digits;
	do {
		*--at = (char)('0' + number % 10);
		number /= 10;
	} while (number);
	word.length = (uint32_t)(digits + sizeof digits - at);
	for (uint32_t i = 0; i < word.length; i++)
		word.bytes[i] = at[i];
	return word;
}

static void put_number(struct hd_timeline_output *out, uint64_t number)
{
	char digits[24];
	if (number <= UINT32_MAX) {
		struct hd_timeline_word word = word_of((uint32_t)number);
		hd_timeline_put_word(out, &word);
	} else {
		hd_timeline_put(out, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number));
	}
}

/* What of a row depends on its instruction alone. */
struct known {
	char *text; /* "0010 IADD3 R0, R1, R2"; NULL: not made yet */
	size_t length;
	const char *function;
	size_t function_length;
	struct hd_regset reads, writes;
};

struct writing {
	const struct hd_gpu *gpu;
	struct known *known; /* by pc */
	struct hd_timeline_output *out;
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
	known->length = line.len;
	known->text = hd_strbuf_detach(&line);
	known->function = function->name;
	known->function_length = strnlen(function->name, MOST_NAME);
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

static void write_arrows(struct writing *w, const struct row *row, uint32_t index, const struct hd_timeline_word *name,
			 struct writers *writers)
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
		PUT(w->out, "W\t");
		hd_timeline_put_word(w->out, name);
		PUT(w->out, "\t");
		put_number(w->out, writer);
		PUT(w->out, "\t0\n");
	}
	HD_REGSET_FOREACH (&known->writes, reg)
		writers->of[reg] = index;
}

/* A stage of a row begins. */
static void write_stage(struct hd_timeline_output *out, const struct hd_timeline_word *name, char stage)
{
	char end[] = "\t0\t?\n";
	end[3] = stage;
	PUT(out, "S\t");
	hd_timeline_put_word(out, name);
	hd_timeline_put(out, end, sizeof(end) - 1);
}

static void write_begin(struct writing *w, const struct row *row, const struct hd_timeline_word *name)
{
	const struct known *known = known_of(w, row->pc);
	struct hd_timeline_output *out = w->out;
	PUT(out, "I\t");
	hd_timeline_put_word(out, name);
	PUT(out, "\t");
	hd_timeline_put_word(out, name);
	PUT(out, "\t");
	put_number(out, row->warp);
	PUT(out, "\nL\t");
	hd_timeline_put_word(out, name);
	PUT(out, "\t0\t");
	hd_timeline_put(out, known->text, known->length);
	PUT(out, "\nL\t");
	hd_timeline_put_word(out, name);
	PUT(out, "\t1\tSM ");
	put_number(out, row->sm);
	PUT(out, " warp ");
	put_number(out, row->warp);
	PUT(out, ", ");
	hd_timeline_put(out, known->function, known->function_length);
	PUT(out, ", ");
	put_number(out, (uint64_t)__builtin_popcount(row->lanes));
	PUT(out, " lanes\n");
	write_stage(out, name, 'W');
}

static void write_line(struct writing *w, const struct rows *rows, const struct line *line, struct writers *writers)
{
	const struct row *row = &rows->list.data[line->row];
	const struct hd_timeline_word name = word_of(line->row);
	switch ((enum step)line->step) {
	case STEP_BEGIN: write_begin(w, row, &name); break;
	case STEP_ISSUE:
		write_stage(w->out, &name, 'X');
		write_arrows(w, row, line->row, &name, writers);
		break;
	case STEP_ACCESS: write_stage(w->out, &name, 'M'); break;
	case STEP_END:
		PUT(w->out, "R\t");
		hd_timeline_put_word(w->out, &name);
		PUT(w->out, "\t");
		hd_timeline_put_word(w->out, &name);
		PUT(w->out, "\t0\n");
		break;
	}
}

static void write_lines(struct writing *w, const struct rows *rows, const struct hd_timeline *timeline)
{
	uint64_t now = rows->lines.len ? rows->lines.data[0].cycle : 0;
	/* A table of writers for each warp slot of each SM that has any. */
	size_t *first = hd_xcalloc(timeline->sm_count + 1, sizeof(*first));
	for (uint32_t sm = 0; sm < timeline->sm_count; sm++)
		first[sm + 1] = first[sm] + timeline->sms[sm].warps;
	struct writers *writers = hd_xmalloc(sizeof(*writers) * (first[timeline->sm_count] + 1));
	memset(writers, 0xff, sizeof(*writers) * first[timeline->sm_count]);
	PUT(w->out, "Kanata\t0004\nC=\t");
	put_number(w->out, now);
	PUT(w->out, "\n");
	for (uint32_t i = 0; i < rows->lines.len; i++) {
		const struct line *line = &rows->lines.data[i];
		const struct row *row = &rows->list.data[line->row];
		if (line->cycle > now) {
			PUT(w->out, "C\t");
			put_number(w->out, line->cycle - now);
			PUT(w->out, "\n");
		}
		now = line->cycle;
		write_line(w, rows, line, &writers[first[row->sm] + row->warp]);
	}
	free(writers);
	free(first);
}

void hd_timeline_write_kanata(const struct hd_gpu *gpu, const struct hd_timeline *timeline,
			      struct hd_timeline_output *out)
{
	struct rows rows = {0};
	struct writing *w = hd_xcalloc(1, sizeof(*w));
	w->gpu = gpu;
	w->known = hd_xcalloc(gpu->program.code.len + 1, sizeof(*w->known));
	w->out = out;
	for (uint32_t sm = 0; sm < timeline->sm_count; sm++)
		add_sm(&rows, &timeline->sms[sm], sm);
	for (uint32_t i = 0; i < rows.list.len; i++)
		add_lines(&rows, i);
	sort_lines(&rows);
	write_lines(w, &rows, timeline);
	for (uint32_t i = 0; i < gpu->program.code.len; i++)
		free(w->known[i].text);
	free(w->known);
	free(w);
	hd_vec_release(&rows.list);
	hd_vec_release(&rows.lines);
}
