/*
 * Parsing of `--trace` and the lines of the streams:
 *
 *   1042 issue sm 0 warp 5 cta 3.1 in saxpy pc 0x0120 ffffffff  FFMA R4, R5, R6, R4
 *
 * that is: cycle, stream, SM, warp slot, CTA and warp in it, function, byte offset in it, detail, instruction.
 *
 * Lines are in the order of cycles: in a cycle those of the dispatcher, then those of each SM. In a window SMs are
 * ahead of each other, so each keeps its lines until it ends.
 */
#include "runtime/watch/trace.h"

#include <inttypes.h>
#include <stdarg.h>
#include <unistd.h>

#include "runtime/gpu/gpu.h"
#include "runtime/sm/sm.h"

static const char *const stream_names[HD_TRACE_COUNT] = {
#define X(name, help) #name,
	HD_TRACE_LIST(X)
#undef X
};

static int unknown_stream(const char *name, size_t length, struct hd_diag *diag)
{
	char wanted[64];
	snprintf(wanted, sizeof wanted, "%.*s", (int)length, name);
	char *near = hd_nearest_names(wanted, stream_names, HD_TRACE_COUNT);
	hd_error(diag, HD_NOWHERE, "unknown trace stream '%s'%s%s%s", wanted, *near ? "; did you mean " : "", near,
		 *near ? "?" : "");
	free(near);
	return -1;
}

static int parse_stream(struct hd_trace *trace, const char *name, size_t length, struct hd_diag *diag)
{
	for (uint32_t i = 0; i < HD_TRACE_COUNT; i++) {
		if (strlen(stream_names[i]) == length && !strncmp(stream_names[i], name, length)) {
			trace->streams |= 1u << i;
			return 0;
		}
	}
	return unknown_stream(name, length, diag);
}

/* "1000:1200", "1000:" or ":1200"; the end is exclusive. */
static int parse_window(struct hd_trace *trace, const char *text, struct hd_diag *diag)
{
	char *end;
	trace->from = strtoull(text, &end, 10);
	if (*end != ':')
		return hd_error(diag, HD_NOWHERE, "trace window '%s': expected FROM:TO in cycles", text);
	const char *to = end + 1;
	trace->to = *to ? strtoull(to, &end, 10) : HD_NEVER;
	if (*to && *end)
		return hd_error(diag, HD_NOWHERE, "trace window '%s': expected FROM:TO in cycles", text);
	if (trace->to <= trace->from)
		return hd_error(diag, HD_NOWHERE, "trace window '%s' is empty", text);
	return 0;
}

int hd_trace_parse(struct hd_trace *trace, const char *text, struct hd_diag *diag)
{
	*trace = (struct hd_trace){.to = HD_NEVER};
	if (!text || !*text)
		return 0;
	for (const char *name = text;;) {
		size_t length = strcspn(name, ",@");
		if (parse_stream(trace, name, length, diag))
			return -1;
		if (name[length] == '@')
			return parse_window(trace, name + length + 1, diag);
		if (!name[length])
			return 0;
		name += length + 1;
	}
}

/* ---- lines */

/* Lines of an SM, or of the dispatcher, in a window: each behind its cycle and length. */
struct lines {
	char *bytes;
	size_t used, room, printed;
};
struct line {
	uint64_t cycle, length; /* of the text that follows, in whole words */
};

/* Of a GPU: options, and what windows have to say. */
struct tracer {
	struct hd_trace options;
	struct lines *lines; /* the dispatcher's, which comes first in a cycle, and by SM */
	uint32_t count;
	bool open;  /* lines are wanted */
	FILE *file; /* takes them */
};

static void *grow(struct lines *lines, size_t bytes)
{
	if (lines->used + bytes > lines->room) {
		lines->room = 2 * (lines->used + bytes);
		lines->bytes = hd_xrealloc(lines->bytes, lines->room);
	}
	return lines->bytes + lines->used;
}

/* At once, or at the end of the window. */
static __attribute__((format(printf, 5, 6))) void print(const struct hd_watcher_handle *self, const struct hd_sm *sm,
							bool by_dispatcher, uint64_t cycle, const char *format, ...)
{
	struct tracer *tracer = self->state;
	struct lines *lines = &tracer->lines[by_dispatcher ? 0 : 1 + sm->id];
	va_list values, again;
	va_start(values, format);
	if (!hd_gpu_in_window(sm->gpu)) {
		vfprintf(tracer->file, format, values);
		va_end(values);
		return;
	}
	va_copy(again, values);
	size_t length = (size_t)vsnprintf(NULL, 0, format, values) + 1;
	size_t whole = sizeof(struct line) + (length + 7) / 8 * 8;
	struct line *line = grow(lines, whole);
	*line = (struct line){cycle, whole - sizeof(*line)};
	vsnprintf((char *)(line + 1), length, format, again);
	lines->used += whole;
	va_end(again);
	va_end(values);
}

static const struct line *next_line(const struct lines *lines)
{
	return lines->printed < lines->used ? (const void *)(lines->bytes + lines->printed) : NULL;
}

/* Prints the lines of a cycle, and returns the next cycle that has some. */
static uint64_t print_cycle(struct tracer *tracer, uint64_t cycle)
{
	uint64_t next = HD_NEVER;
	for (uint32_t i = 0; i < tracer->count; i++) {
		struct lines *lines = &tracer->lines[i];
		const struct line *line;
		for (; (line = next_line(lines)) && line->cycle <= cycle;
		     lines->printed += sizeof(*line) + line->length)
			fputs((const char *)(line + 1), tracer->file);
		next = line && line->cycle < next ? line->cycle : next;
	}
	return next;
}

static void window_end(const struct hd_watcher_handle *self, struct hd_gpu *gpu, uint64_t end)
{
	struct tracer *tracer = self->state;
	for (uint64_t cycle = 0; cycle < end;)
		cycle = print_cycle(tracer, cycle);
	for (uint32_t i = 0; i < tracer->count; i++)
		tracer->lines[i].used = tracer->lines[i].printed = 0;
	if (!tracer->open)
		hd_watcher_sleep(gpu, &gpu->watchers[self - gpu->watchers], true);
}

static void trace_inst(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp,
		       const struct hd_dinst *inst, enum hd_trace_stream stream, uint64_t detail)
{
	char text[160];
	const struct hd_program *program = &sm->gpu->program;
	const struct hd_pfunction *function = &program->functions.data[inst->function];
	uint64_t pc = (uint64_t)(inst - program->code.data) - function->first;
	hd_inst_format(&inst->inst, text, sizeof text);
	print(self, sm, false, sm->now,
	      "%" PRIu64 " %s sm %u warp %u cta %u.%u in %s pc 0x%04" PRIx64 " %" PRIx64 "  %s\n", sm->now,
	      stream_names[stream], sm->id, warp->id, warp->cta->linear, warp->index, function->name,
	      pc * HD_INST_BYTES, detail, text);
}

static void trace_cta(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_cta *cta,
		      const char *what, bool by_dispatcher, uint64_t now)
{
	print(self, sm, by_dispatcher, now, "%" PRIu64 " cta sm %u cta %u %s\n", now, sm->id, cta->linear, what);
}

static bool wants(const struct hd_watcher_handle *self, enum hd_trace_stream stream)
{
	const struct tracer *tracer = self->state;
	return tracer->open && tracer->options.streams >> stream & 1;
}

static void issue(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp,
		  const struct hd_dinst *inst)
{
	if (wants(self, HD_TRACE_issue))
		trace_inst(self, sm, warp, inst, HD_TRACE_issue, warp->active);
}

static void written(const struct hd_watcher_handle *self, const struct hd_sm *sm, struct hd_warp *warp,
		    const struct hd_dinst *inst)
{
	if (wants(self, HD_TRACE_writeback))
		trace_inst(self, sm, warp, inst, HD_TRACE_writeback, 0);
}

static void enters_lsu(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp,
		       const struct hd_dinst *inst, uint64_t address)
{
	if (wants(self, HD_TRACE_lsu))
		trace_inst(self, sm, warp, inst, HD_TRACE_lsu, address);
}

static void barrier_arrive(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp,
			   const struct hd_dinst *inst, uint32_t id)
{
	if (wants(self, HD_TRACE_barrier))
		trace_inst(self, sm, warp, inst, HD_TRACE_barrier, id);
}

static void block_begin(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_cta *cta,
			uint64_t now)
{
	if (wants(self, HD_TRACE_cta))
		trace_cta(self, sm, cta, "launched", true, now);
}

static void block_end(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_cta *cta,
		      uint64_t now)
{
	if (wants(self, HD_TRACE_cta))
		trace_cta(self, sm, cta, "retired", false, now);
}

static void block_arrived(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_cta *cta,
			  uint64_t now)
{
	if (wants(self, HD_TRACE_cta))
		trace_cta(self, sm, cta, "moved here", true, now);
}

/* Opens and closes the trace; what a window has to say is still told at its end. */
static void look(const struct hd_watcher_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	struct tracer *tracer = self->state;
	const struct hd_trace *trace = &tracer->options;
	struct hd_watcher_handle *handle = &gpu->watchers[self - gpu->watchers];
	tracer->open = now >= trace->from && now < trace->to;
	if (tracer->open || !hd_gpu_in_window(gpu))
		hd_watcher_sleep(gpu, handle, !tracer->open);
	if (now < trace->to)
		hd_watcher_wants(gpu, handle, tracer->open ? trace->to : trace->from);
}

static const struct hd_watcher trace_watcher = {
	.name = "trace",
	.all_code = true,
	.issue = issue,
	.written = written,
	.access = enters_lsu,
	.barrier_arrive = barrier_arrive,
	.block_begin = block_begin,
	.block_end = block_end,
	.block_arrived = block_arrived,
	.look = look,
	.window_end = window_end,
};

void hd_trace_start(struct hd_gpu *gpu, const struct hd_trace *trace)
{
	if (!trace->streams)
		return;
	struct tracer *tracer = HD_ARENA_NEW(&gpu->arena, struct tracer, 1);
	tracer->options = *trace;
	tracer->file = trace->fd ? fdopen(dup(trace->fd), "a") : stderr;
	if (!tracer->file)
		tracer->file = stderr;
	if (tracer->file != stderr)
		setvbuf(tracer->file, NULL, _IOLBF, 0); /* no line is lost, however the program ends */
	tracer->count = 1 + (uint32_t)gpu->sm_count;
	tracer->lines = HD_ARENA_NEW(&gpu->arena, struct lines, tracer->count);
	struct hd_watcher_handle *self = hd_watcher_add(gpu, &trace_watcher, tracer);
	hd_watcher_sleep(gpu, self, true);
	hd_watcher_wants(gpu, self, 0);
}

void hd_trace_stop(struct hd_gpu *gpu)
{
	struct tracer *tracer = hd_watcher_state(gpu, &trace_watcher);
	for (uint32_t i = 0; tracer && i < tracer->count; i++)
		free(tracer->lines[i].bytes);
	if (tracer && tracer->file != stderr)
		fclose(tracer->file);
}
