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
/* At `at`, where there is room. */
#define ADD(at, text) (memcpy((at), (text), sizeof(text) - 1), (at) + sizeof(text) - 1)

static struct hd_timeline_word word_of(uint32_t number)
{
	static const char pairs[] = "0001020304050607080910111213141516171819202122232425262728293031323334353637383940"
				    "4142434445464748495051525354555657585960616263646566676869707172737475767778798081"
				    "82838485868788899091929394959697989900";
	struct hd_timeline_word word;
	char digits[10 + sizeof word.bytes], *at = digits + 10;
	while (number >= 100) {
		at -= 2;
		memcpy(at, pairs + 2 * (number % 100), 2);
		number /= 100;
	}
	if (number >= 10)
		at -= 2, memcpy(at, pairs + 2 * number, 2);
	else
		*--at = (char)('0' + number);
	word.length = (uint32_t)(digits + 10 - at);
	memcpy(word.bytes, at, sizeof word.bytes);
	return word;
}

static inline char *add_word(char *at, const struct hd_timeline_word *word)
{
	memcpy(at, word->bytes, sizeof word->bytes);
	return at + word->length;
}

static inline char *add_number(char *at, uint32_t number)
{
	const struct hd_timeline_word word = word_of(number);
	return add_word(at, &word);
}

enum { MOST_LINES = 256 }; /* bytes of lines that are made where they are written */

static inline char *begin_lines(struct hd_timeline_output *out)
{
	if (out->length + MOST_LINES > sizeof out->bytes)
		hd_timeline_flush(out);
	return out->bytes + out->length;
}

static inline void end_lines(struct hd_timeline_output *out, const char *at)
{
	out->length = (size_t)(at - out->bytes);
}

/* What of a row depends on its instruction alone. */
struct known {
	char *text; /* "\t0\t0010 IADD3 R0, R1, R2\nL\t"; NULL: not made yet */
	uint32_t length;
	struct hd_timeline_place place;
	const char *function;
	uint8_t *reads, *writes; /* registers */
	uint32_t read_count, write_count;
};

/* A warp slot of an SM, while rows are passed in the order of issue. */
struct slot {
	uint32_t writers[256]; /* the last row that wrote a register; NONE */
	/* "\t1\tSM 0 warp 1, function, 32 lanes\nS\t", and for what it is */
	char *text;
	uint32_t length, lanes;
	const char *function;
	struct hd_timeline_place place;
};

struct writing {
	const struct hd_gpu *gpu;
	struct known *known; /* by pc */
	struct hd_timeline_output *out;
};

static uint8_t *registers_of(const struct hd_regset *set, uint32_t *count)
{
	uint8_t *list = hd_xmalloc(256);
	HD_REGSET_FOREACH (set, reg)
		list[(*count)++] = (uint8_t)reg;
	return hd_xrealloc(list, *count + 1);
}

static struct known *known_of(struct writing *w, uint32_t pc)
{
	struct known *known = &w->known[pc];
	char text[256];
	if (known->text)
		return known;
	const struct hd_inst *inst = &w->gpu->program.code.data[pc].inst;
	const struct hd_pfunction *function = &w->gpu->program.functions.data[w->gpu->program.code.data[pc].function];
	struct hd_strbuf line = {0};
	struct hd_regset reads = {0}, writes = {0};
	hd_timeline_text(w->gpu, pc, text, sizeof text);
	hd_strbuf_printf(&line, "\t0\t%04x %s\nL\t", (pc - function->first) * HD_INST_BYTES, text);
	known->length = (uint32_t)line.len;
	known->text = hd_strbuf_detach(&line);
	known->function = function->name;
	hd_inst_reads(inst, &reads);
	hd_inst_writes(inst, &writes);
	known->reads = registers_of(&reads, &known->read_count);
	known->writes = registers_of(&writes, &known->write_count);
	return known;
}

/* The slot's text for rows of this function with these lanes. */
static void say(struct slot *slot, const struct row *row, const char *function)
{
	struct hd_strbuf line = {0};
	if (slot->text && slot->function == function && slot->lanes == row->lanes)
		return;
	free(slot->text);
	hd_strbuf_printf(&line, "\t1\tSM %u warp %u, %.*s, %d lanes\nS\t", row->sm, row->warp, MOST_NAME, function,
			 __builtin_popcount(row->lanes));
	slot->length = (uint32_t)line.len;
	slot->text = hd_strbuf_detach(&line);
	slot->function = function;
	slot->lanes = row->lanes;
	slot->place.known = false;
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

/* A stage of a row begins. */
static void write_stage(struct hd_timeline_output *out, const struct hd_timeline_word *name, char stage)
{
	char *at = add_word(ADD(begin_lines(out), "S\t"), name);
	at = ADD(at, "\t0\t?\n");
	at[-2] = stage;
	end_lines(out, at);
}

static void write_issue(struct writing *w, const struct row *row, uint32_t index, const struct hd_timeline_word *name,
			struct slot *slot)
{
	const struct known *known = known_of(w, row->pc);
	uint32_t told[16], count = 0;
	write_stage(w->out, name, 'X');
	for (uint32_t r = 0; r < known->read_count; r++) {
		uint32_t writer = slot->writers[known->reads[r]];
		bool is_told = writer == NONE || count == sizeof told / sizeof *told;
		for (uint32_t i = 0; i < count; i++)
			is_told |= told[i] == writer;
		if (is_told)
			continue;
		told[count++] = writer;
		char *at = add_word(ADD(begin_lines(w->out), "W\t"), name);
		at = add_number(ADD(at, "\t"), writer);
		end_lines(w->out, ADD(at, "\t0\n"));
	}
	for (uint32_t r = 0; r < known->write_count; r++)
		slot->writers[known->writes[r]] = index;
}

static void write_begin(struct writing *w, const struct row *row, const struct hd_timeline_word *name,
			struct slot *slot)
{
	struct known *known = known_of(w, row->pc);
	struct hd_timeline_output *out = w->out;
	char *at = add_word(ADD(begin_lines(out), "I\t"), name);
	at = add_word(ADD(at, "\t"), name);
	at = add_number(ADD(at, "\t"), row->warp);
	end_lines(out, add_word(ADD(at, "\nL\t"), name));
	hd_timeline_put_again(out, known->text, known->length, &known->place);
	end_lines(out, add_word(begin_lines(out), name));
	say(slot, row, known->function);
	hd_timeline_put_again(out, slot->text, slot->length, &slot->place);
	at = add_word(begin_lines(out), name);
	end_lines(out, ADD(at, "\t0\tW\n"));
}

static void write_line(struct writing *w, const struct rows *rows, const struct line *line, struct slot *slot)
{
	const struct row *row = &rows->list.data[line->row];
	const struct hd_timeline_word name = word_of(line->row);
	char *at;
	switch ((enum step)line->step) {
	case STEP_BEGIN: write_begin(w, row, &name, slot); break;
	case STEP_ISSUE: write_issue(w, row, line->row, &name, slot); break;
	case STEP_ACCESS: write_stage(w->out, &name, 'M'); break;
	case STEP_END:
		at = add_word(ADD(begin_lines(w->out), "R\t"), &name);
		at = add_word(ADD(at, "\t"), &name);
		end_lines(w->out, ADD(at, "\t0\n"));
		break;
	}
}

static void put_cycles(struct hd_timeline_output *out, uint64_t cycles)
{
	char digits[24];
	hd_timeline_put(out, digits, (size_t)snprintf(digits, sizeof digits, "%" PRIu64, cycles));
}

static void write_lines(struct writing *w, const struct rows *rows, const struct hd_timeline *timeline)
{
	uint64_t now = rows->lines.len ? rows->lines.data[0].cycle : 0;
	/* For each warp slot of each SM that has any. */
	size_t *first = hd_xcalloc(timeline->sm_count + 1, sizeof(*first));
	for (uint32_t sm = 0; sm < timeline->sm_count; sm++)
		first[sm + 1] = first[sm] + timeline->sms[sm].warps;
	struct slot *slots = hd_xcalloc(first[timeline->sm_count] + 1, sizeof(*slots));
	for (size_t i = 0; i < first[timeline->sm_count]; i++)
		memset(slots[i].writers, 0xff, sizeof slots[i].writers);
	PUT(w->out, "Kanata\t0004\nC=\t");
	put_cycles(w->out, now);
	PUT(w->out, "\n");
	for (uint32_t i = 0; i < rows->lines.len; i++) {
		const struct line *line = &rows->lines.data[i];
		const struct row *row = &rows->list.data[line->row];
		if (line->cycle > now) {
			PUT(w->out, "C\t");
			put_cycles(w->out, line->cycle - now);
			PUT(w->out, "\n");
		}
		now = line->cycle;
		write_line(w, rows, line, &slots[first[row->sm] + row->warp]);
	}
	for (size_t i = 0; i < first[timeline->sm_count]; i++)
		free(slots[i].text);
	free(slots);
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
	for (uint32_t i = 0; i < gpu->program.code.len; i++) {
		free(w->known[i].text);
		free(w->known[i].reads);
		free(w->known[i].writes);
	}
	free(w->known);
	free(w);
	hd_vec_release(&rows.list);
	hd_vec_release(&rows.lines);
}
