/*
 * Parsing of `--trace` and the lines of the streams:
 *
 *   1042 issue sm 0 warp 5 cta 3.1 in saxpy pc 0x0120 ffffffff  FFMA R4, R5, R6, R4
 *
 * that is: cycle, stream, SM, warp slot, CTA and warp in it, function, byte offset in it, detail, instruction.
 */
#include "runtime/watch/trace.h"

#include <inttypes.h>

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

static void trace_inst(const struct hd_sm *sm, const struct hd_warp *warp, const struct hd_dinst *inst,
		       enum hd_trace_stream stream, uint64_t detail)
{
	char text[160];
	const struct hd_program *program = &sm->gpu->program;
	const struct hd_pfunction *function = &program->functions.data[inst->function];
	uint64_t pc = (uint64_t)(inst - program->code.data) - function->first;
	hd_inst_format(&inst->inst, text, sizeof text);
	fprintf(stderr, "%" PRIu64 " %s sm %u warp %u cta %u.%u in %s pc 0x%04" PRIx64 " %" PRIx64 "  %s\n", sm->now,
		stream_names[stream], sm->id, warp->id, warp->cta->linear, warp->index, function->name,
		pc * HD_INST_BYTES, detail, text);
}

static void trace_cta(const struct hd_sm *sm, const struct hd_cta *cta, const char *what, uint64_t now)
{
	fprintf(stderr, "%" PRIu64 " cta sm %u cta %u %s\n", now, sm->id, cta->linear, what);
}

static bool wants(const struct hd_watcher_handle *self, enum hd_trace_stream stream)
{
	return ((const struct hd_trace *)self->state)->streams >> stream & 1;
}

static void issue(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp,
		  const struct hd_dinst *inst)
{
	if (wants(self, HD_TRACE_issue))
		trace_inst(sm, warp, inst, HD_TRACE_issue, warp->active);
}

static void written(const struct hd_watcher_handle *self, const struct hd_sm *sm, struct hd_warp *warp,
		    const struct hd_dinst *inst)
{
	if (wants(self, HD_TRACE_writeback))
		trace_inst(sm, warp, inst, HD_TRACE_writeback, 0);
}

static void enters_lsu(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp,
		       const struct hd_dinst *inst, uint64_t address)
{
	if (wants(self, HD_TRACE_lsu))
		trace_inst(sm, warp, inst, HD_TRACE_lsu, address);
}

static void barrier_arrive(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp,
			   const struct hd_dinst *inst, uint32_t id)
{
	if (wants(self, HD_TRACE_barrier))
		trace_inst(sm, warp, inst, HD_TRACE_barrier, id);
}

static void block_begin(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_cta *cta,
			uint64_t now)
{
	if (wants(self, HD_TRACE_cta))
		trace_cta(sm, cta, "launched", now);
}

static void block_end(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_cta *cta,
		      uint64_t now)
{
	if (wants(self, HD_TRACE_cta))
		trace_cta(sm, cta, "retired", now);
}

static void block_arrived(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_cta *cta,
			  uint64_t now)
{
	if (wants(self, HD_TRACE_cta))
		trace_cta(sm, cta, "moved here", now);
}

/* Opens and closes the window. */
static void look(const struct hd_watcher_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	const struct hd_trace *trace = self->state;
	struct hd_watcher_handle *handle = &gpu->watchers[self - gpu->watchers];
	bool open = now >= trace->from && now < trace->to;
	hd_watcher_sleep(gpu, handle, !open);
	if (now < trace->to)
		hd_watcher_wants(gpu, handle, open ? trace->to : trace->from);
}

static const struct hd_watcher trace_watcher = {
	.name = "trace",
	.stepwise = true,
	.all_code = true,
	.issue = issue,
	.written = written,
	.access = enters_lsu,
	.barrier_arrive = barrier_arrive,
	.block_begin = block_begin,
	.block_end = block_end,
	.block_arrived = block_arrived,
	.look = look,
};

void hd_trace_start(struct hd_gpu *gpu, const struct hd_trace *trace)
{
	if (!trace->streams)
		return;
	struct hd_trace *state = HD_ARENA_NEW(&gpu->arena, struct hd_trace, 1);
	*state = *trace;
	struct hd_watcher_handle *self = hd_watcher_add(gpu, &trace_watcher, state);
	hd_watcher_sleep(gpu, self, true);
	hd_watcher_wants(gpu, self, 0);
}
