/*
 * What timelines keep: launches, blocks, and of the warps that the filter lets through each issue, access and result,
 * and what schedulers did with their slots. Each SM has lists of its own, so that windows of several host threads give
 * the same; the writers put them in order.
 *
 * Cost: nothing when off; 24 bytes an event, of which an SM keeps at most MOST_EVENTS, and as many of the host's
 * copies.
 */
#include "runtime/watch/timeline.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "heddle/config.h"
#include "heddle/stats.h"
#include "lib/arena.h"
#include "runtime/exec/bulk.h"
#include "runtime/exec/fault.h"
#include "runtime/gpu/gpu.h"
#include "runtime/sm/sm.h"
#include "runtime/watch/timeline_events.h"

enum { MOST_EVENTS = 16 << 20 }; /* an SM's; the host's copies */

struct filter {
	uint64_t from, to;
	uint32_t first_sm, last_sm, first_warp, last_warp;
	char *kernel; /* NULL: all */
};

struct recorder {
	struct hd_timeline timeline;
	struct hd_timeline_options options;
	struct filter filter;
	struct hd_diag *diag;
	bool written;
};

/* ------------------------------------------------------------ the filter */

/* "A<between>B", "A" for one number; A or B may be left out where `open`. */
static bool parse_range(const char *text, char between, bool open, uint64_t *from, uint64_t *to)
{
	char *end;
	errno = 0;
	if (*text != between)
		*from = *to = strtoull(text, &end, 10);
	else
		end = (char *)text;
	if ((end == text && !open) || errno || *text == '-')
		return false;
	if (!*end)
		return !open && end != text;
	if (*end != between)
		return false;
	text = end + 1;
	if (!*text && open) {
		*to = UINT64_MAX;
		return true;
	}
	*to = strtoull(text, &end, 10);
	return end != text && !*end && *text != '-' && !errno && *from <= *to;
}

static bool parse_part(struct filter *filter, const char *part)
{
	uint64_t from = 0, to = 0;
	if (!strncmp(part, "cycles=", 7)) {
		bool right = parse_range(part + 7, ':', true, &from, &to) && from < to;
		filter->from = from;
		filter->to = to;
		return right;
	}
	bool sm = !strncmp(part, "sm=", 3);
	if (!sm && strncmp(part, "warp=", 5) != 0)
		return false;
	if (!parse_range(part + (sm ? 3 : 5), '-', false, &from, &to) || to > UINT32_MAX)
		return false;
	*(sm ? &filter->first_sm : &filter->first_warp) = (uint32_t)from;
	*(sm ? &filter->last_sm : &filter->last_warp) = (uint32_t)to;
	return true;
}

static int parse_filter(struct filter *filter, const char *text, struct hd_diag *diag)
{
	*filter = (struct filter){.to = UINT64_MAX, .last_sm = UINT32_MAX, .last_warp = UINT32_MAX};
	while (text && *text) {
		if (!strncmp(text, "kernel=", 7)) {
			filter->kernel = strdup(text + 7);
			if (!filter->kernel)
				hd_out_of_memory(strlen(text));
			return 0;
		}
		size_t length = strcspn(text, ",");
		char *part = strndup(text, length);
		if (!part)
			hd_out_of_memory(length);
		bool right = parse_part(filter, part);
		if (!right)
			hd_error(diag, HD_NOWHERE,
				 "--timeline-only '%s': expected cycles=FROM:TO, sm=FIRST-LAST, warp=FIRST-LAST or "
				 "kernel=PATTERN",
				 part);
		free(part);
		if (!right)
			return -1;
		text += length + (text[length] == ',');
	}
	return 0;
}

/* Of a grid: whether its kernel is wanted. */
static bool *wanted_of(const struct hd_watcher_handle *self, const struct hd_grid *grid)
{
	return HD_WATCHER_OF(self, grid, grid);
}

static bool wants_cycle(const struct recorder *recorder, uint64_t cycle)
{
	return cycle >= recorder->filter.from && cycle < recorder->filter.to;
}

static bool wants_sm(const struct recorder *recorder, const struct hd_sm *sm)
{
	return sm->id >= recorder->filter.first_sm && sm->id <= recorder->filter.last_sm;
}

static bool wants(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp)
{
	const struct recorder *recorder = self->state;
	if (!wants_cycle(recorder, sm->now) || !wants_sm(recorder, sm) || warp->id < recorder->filter.first_warp ||
	    warp->id > recorder->filter.last_warp || !warp->cta)
		return false;
	const bool *wanted = wanted_of(self, warp->cta->grid);
	return wanted && *wanted;
}

/* ------------------------------------------------------------ events */

static void keep(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp,
		 const struct hd_dinst *inst, enum hd_timeline_kind kind, uint32_t value)
{
	struct recorder *recorder = self->state;
	struct hd_timeline_sm *of = &recorder->timeline.sms[sm->id];
	if (!wants(self, sm, warp))
		return;
	if (of->events.len == MOST_EVENTS) {
		__atomic_fetch_add(&recorder->timeline.left_out, 1, __ATOMIC_RELAXED);
		return;
	}
	of->warps = warp->id >= of->warps ? warp->id + 1u : of->warps;
	hd_vec_push(&of->events, (struct hd_timeline_event){.cycle = sm->now,
							    .pc = (uint32_t)(inst - sm->gpu->program.code.data),
							    .value = value,
							    .warp = (uint16_t)warp->id,
							    .kind = (uint8_t)kind});
}

static void issue(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp,
		  const struct hd_dinst *inst)
{
	keep(self, sm, warp, inst, HD_TIMELINE_ISSUE, warp->active);
}

static void enters_memory(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp,
			  const struct hd_dinst *inst, uint64_t address)
{
	(void)address;
	keep(self, sm, warp, inst, HD_TIMELINE_ACCESS, 0);
}

/* Instructions that a policy has put in are not of the program. */
static void written(const struct hd_watcher_handle *self, const struct hd_sm *sm, struct hd_warp *warp,
		    const struct hd_dinst *inst)
{
	const struct hd_dinst *first = sm->gpu->program.code.data;
	if (inst >= first && inst < first + sm->gpu->program.code.len)
		keep(self, sm, warp, inst, HD_TIMELINE_WRITTEN, 0);
}

static void slots(const struct hd_watcher_handle *self, const struct hd_sm *sm, uint32_t scheduler, uint32_t reason,
		  uint64_t from, uint64_t count)
{
	struct recorder *recorder = self->state;
	struct hd_timeline_sm *of = &recorder->timeline.sms[sm->id];
	if (!count || !wants_sm(recorder, sm) || !wants_cycle(recorder, from))
		return;
	if (of->slots.len == MOST_EVENTS) {
		__atomic_fetch_add(&recorder->timeline.left_out, 1, __ATOMIC_RELAXED);
		return;
	}
	hd_vec_push(&of->slots, (struct hd_timeline_slots){.cycle = from,
							   .count = count,
							   .scheduler = (uint8_t)scheduler,
							   .reason = (uint8_t)reason});
}

static void end_block(struct hd_timeline_sm *sm, const struct hd_cta *cta, uint64_t now)
{
	for (uint32_t i = sm->blocks.len; i-- > 0;)
		if (sm->blocks.data[i].cta == cta) {
			sm->blocks.data[i].cta = NULL;
			sm->blocks.data[i].end = now;
			return;
		}
}

static void block_begin(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_cta *cta,
			uint64_t now)
{
	struct recorder *recorder = self->state;
	end_block(&recorder->timeline.sms[sm->id], cta, now); /* one that was there when it ended unseen */
	hd_vec_push(&recorder->timeline.sms[sm->id].blocks, (struct hd_timeline_block){.begin = now,
										       .end = HD_NEVER,
										       .grid = cta->grid->id,
										       .linear = cta->linear,
										       .warps = cta->warp_count,
										       .cta = cta});
}

static void block_end(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_cta *cta,
		      uint64_t now)
{
	struct recorder *recorder = self->state;
	end_block(&recorder->timeline.sms[sm->id], cta, now);
}

/* Under policies: it ends on the one SM, and begins on the other. */
static void block_moved(const struct hd_watcher_handle *self, const struct hd_cta *from, const struct hd_cta *to)
{
	struct recorder *recorder = self->state;
	const struct hd_sm *sm = from->sm;
	if (!sm || !to->sm)
		return;
	end_block(&recorder->timeline.sms[sm->id], from, sm->now);
	block_begin(self, to->sm, to, sm->now);
}

static void grid_start(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_grid *grid)
{
	struct recorder *recorder = self->state;
	const char *name = hd_kernel_title(grid->kernel);
	struct hd_timeline_grid kept = {grid->id, gpu->now, HD_NEVER, grid->stream, {0}, {0}, strdup(name)};
	if (!kept.name)
		hd_out_of_memory(strlen(name));
	const char *pattern = recorder->filter.kernel;
	memcpy(kept.grid, grid->grid, sizeof kept.grid);
	memcpy(kept.block, grid->block, sizeof kept.block);
	*wanted_of(self, grid) = !pattern || fnmatch(pattern, name, 0) == 0 || strstr(name, pattern);
	hd_vec_push(&recorder->timeline.grids, kept);
}

static void grid_end(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_grid *grid)
{
	struct recorder *recorder = self->state;
	for (uint32_t i = recorder->timeline.grids.len; i-- > 0;)
		if (recorder->timeline.grids.data[i].id == grid->id) {
			recorder->timeline.grids.data[i].end = gpu->now;
			return;
		}
}

/* ------------------------------------------------------------ policies and copies */

static void keep_note(struct recorder *recorder, uint32_t sm, struct hd_timeline_note note)
{
	struct hd_timeline_sm *of = &recorder->timeline.sms[sm];
	if (of->notes.len < MOST_EVENTS)
		hd_vec_push(&of->notes, note);
	else
		__atomic_fetch_add(&recorder->timeline.left_out, 1, __ATOMIC_RELAXED);
}

/* Whether the grid's quota on the SM is another one than it was. */
static bool changes_quota(struct hd_timeline_sm *of, uint64_t grid, uint64_t value)
{
	struct hd_timeline_note *last = NULL;
	for (uint32_t i = of->quotas.len; i-- > 0 && !last;)
		if (of->quotas.data[i].grid == grid)
			last = &of->quotas.data[i];
	if (last && last->value == value)
		return false;
	if (last)
		last->value = value;
	else
		hd_vec_push(&of->quotas, (struct hd_timeline_note){.grid = grid, .value = value});
	return true;
}

static void noted(const struct hd_watcher_handle *self, const struct hd_sm *sm, enum hd_note note,
		  const struct hd_grid *grid, const struct hd_cta *cta, const struct hd_warp *warp, uint64_t value,
		  uint64_t now)
{
	struct recorder *recorder = self->state;
	if (note == HD_NOTE_QUOTA && !changes_quota(&recorder->timeline.sms[sm->id], grid->id, value))
		return;
	if (note == HD_NOTE_BLOCK_KILLED)
		end_block(&recorder->timeline.sms[sm->id], cta, now);
	keep_note(recorder, sm->id,
		  (struct hd_timeline_note){.cycle = now,
					    .value = value,
					    .grid = grid->id,
					    .block = cta ? cta->linear : UINT32_MAX,
					    .warp = warp ? warp->index : UINT32_MAX,
					    .kind = (uint8_t)note});
}

/* Copies to other blocks of a cluster land elsewhere, too; where they began counts. */
static void bulk_begins(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_bulk *bulk)
{
	keep_note(self->state, exec->sm,
		  (struct hd_timeline_note){.cycle = exec->now,
					    .value = bulk->bytes,
					    .grid = bulk->cta->grid->id,
					    .bulk = bulk,
					    .block = bulk->cta->linear,
					    .warp = bulk->warp->index,
					    .kind = HD_TIMELINE_BULK_BEGINS,
					    .lands = bulk->kind == HD_BULK_G2S || bulk->kind == HD_BULK_S2S});
}

static void bulk_lands(const struct hd_watcher_handle *self, struct hd_exec *exec, const struct hd_bulk *bulk,
		       uint32_t rank)
{
	const struct hd_cta *cta = hd_bulk_target(bulk, rank);
	keep_note(self->state, exec->sm,
		  (struct hd_timeline_note){.cycle = exec->now,
					    .value = bulk->bytes,
					    .grid = cta->grid->id,
					    .bulk = bulk,
					    .block = cta->linear,
					    .warp = UINT32_MAX,
					    .kind = HD_TIMELINE_BULK_LANDS});
}

/* ------------------------------------------------------------ start and end */

#define COARSE                                                                                                         \
	.grid_bytes = sizeof(bool), .block_begin = block_begin, .block_end = block_end, .block_moved = block_moved,    \
	.noted = noted, .bulk_begins = bulk_begins, .bulk_lands = bulk_lands, .grid_start = grid_start,                \
	.grid_end = grid_end
#define WARPS .all_code = true, .issue = issue, .access = enters_memory, .written = written

static const struct hd_watcher coarse = {.name = "timeline", COARSE};
/* What schedulers do is shown by Perfetto alone. */
static const struct hd_watcher of_warps = {.name = "timeline of warps", COARSE, WARPS};
static const struct hd_watcher fine = {.name = "timeline of instructions", COARSE, WARPS, .slots = slots};

int hd_timeline_check(const char *text, struct hd_diag *diag)
{
	struct filter filter;
	int status = parse_filter(&filter, text, diag);
	free(filter.kernel);
	return status;
}

void hd_timeline_start(struct hd_gpu *gpu, const struct hd_timeline_options *options, struct hd_diag *diag)
{
	struct filter filter;
	if ((!options->perfetto && !options->kanata) || parse_filter(&filter, options->filter, diag) != 0)
		return;
	struct recorder *recorder = HD_ARENA_NEW(&gpu->arena, struct recorder, 1);
	recorder->options = *options;
	recorder->filter = filter;
	recorder->diag = diag;
	if (options->kanata && !options->filter)
		recorder->filter.last_sm = 0;
	struct hd_timeline *timeline = &recorder->timeline;
	timeline->sm_count = (uint32_t)gpu->sm_count;
	timeline->name = options->name;
	timeline->schedulers = (uint32_t)gpu->config->schedulers;
	timeline->instructions = options->filter || options->kanata;
	timeline->sms = HD_ARENA_NEW(&gpu->arena, struct hd_timeline_sm, timeline->sm_count);
	hd_watcher_add(gpu, !timeline->instructions ? &coarse : options->perfetto ? &fine : &of_warps, recorder);
}

static struct recorder *recorder_of(const struct hd_gpu *gpu)
{
	static const struct hd_watcher *const watchers[] = {&fine, &of_warps, &coarse};
	struct recorder *recorder = NULL;
	for (unsigned i = 0; i < sizeof watchers / sizeof *watchers && !recorder; i++)
		recorder = hd_watcher_state(gpu, watchers[i]);
	return recorder;
}

void hd_timeline_copied(struct hd_gpu *gpu, enum hd_timeline_copy kind, uint64_t bytes)
{
	struct recorder *recorder = recorder_of(gpu);
	if (!recorder || recorder->written || !bytes)
		return;
	if (recorder->timeline.copies.len < MOST_EVENTS)
		hd_vec_push(&recorder->timeline.copies, (struct hd_timeline_copied){gpu->now, bytes, (uint8_t)kind});
	else
		recorder->timeline.left_out++;
}

void hd_timeline_text(const struct hd_gpu *gpu, uint32_t pc, char *text, size_t size)
{
	hd_inst_format(&gpu->program.code.data[pc].inst, text, size);
}

/* zstd's level: files are large and regular, and written once. */
enum { FAST = -3 };

/* Hands over what zstd has made of the bytes so far; at the end, of all. */
static void compress(struct hd_timeline_output *out, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = {out->bytes, out->length, 0};
	char packed[1 << 15];
	size_t left = 1;
	while (!out->failed && (in.pos < in.size || (end == ZSTD_e_end && left))) {
		ZSTD_outBuffer to = {packed, sizeof packed, 0};
		left = ZSTD_compressStream2(out->zstd, &to, &in, end);
		out->failed |= ZSTD_isError(left) || fwrite(packed, 1, to.pos, out->file) != to.pos;
	}
}

void hd_timeline_flush(struct hd_timeline_output *out)
{
	if (out->pack)
		out->failed |= !hd_pack_block(out->pack, out->bytes, out->length, false, out->file);
	else if (out->zstd)
		compress(out, ZSTD_e_continue);
	else
		out->failed |= fwrite(out->bytes, 1, out->length, out->file) != out->length;
	out->length = 0;
}

/* Compressed by zstd if its name ends in .zst. The file is there when all of it is. */
static int write_file(const struct recorder *recorder, const struct hd_gpu *gpu, const char *path,
		      void (*write)(const struct hd_gpu *gpu, const struct hd_timeline *timeline,
				    struct hd_timeline_output *out))
{
	struct hd_timeline_output *out = hd_xcalloc(1, sizeof(*out));
	struct hd_output file;
	const char *dot = strrchr(path, '.');
	if (hd_output_open(&file, path, recorder->diag) != 0) {
		free(out);
		return -1;
	}
	out->file = file.to;
	bool packed = dot && !strcmp(dot, ".zst");
	if (packed && write == hd_timeline_write_kanata) {
		out->pack = hd_pack_new();
	} else if (packed) {
		out->zstd = ZSTD_createCCtx();
		out->failed =
			!out->zstd || ZSTD_isError(ZSTD_CCtx_setParameter(out->zstd, ZSTD_c_compressionLevel, FAST));
	}
	if (!out->failed)
		write(gpu, &recorder->timeline, out);
	if (!out->failed && out->pack)
		out->failed |= !hd_pack_block(out->pack, out->bytes, out->length, true, out->file);
	else if (!out->failed && out->zstd)
		compress(out, ZSTD_e_end);
	else if (!out->failed)
		hd_timeline_flush(out);
	ZSTD_freeCCtx(out->zstd);
	hd_pack_free(out->pack);
	int status;
	if (out->failed) {
		status = hd_error(recorder->diag, HD_NOWHERE, "%s: cannot write", path);
		hd_output_abandon(&file);
	} else {
		status = hd_output_close(&file, recorder->diag);
	}
	free(out);
	return status;
}

static void release(struct hd_timeline *timeline)
{
	for (uint32_t i = 0; i < timeline->sm_count; i++) {
		hd_vec_release(&timeline->sms[i].events);
		hd_vec_release(&timeline->sms[i].slots);
		hd_vec_release(&timeline->sms[i].blocks);
		hd_vec_release(&timeline->sms[i].notes);
		hd_vec_release(&timeline->sms[i].quotas);
	}
	for (uint32_t i = 0; i < timeline->grids.len; i++)
		free(timeline->grids.data[i].name);
	hd_vec_release(&timeline->grids);
	hd_vec_release(&timeline->copies);
}

int hd_timeline_end(struct hd_gpu *gpu)
{
	struct recorder *recorder = recorder_of(gpu);
	int status = 0;
	if (!recorder || recorder->written)
		return 0;
	recorder->written = true;
	if (recorder->timeline.left_out)
		hd_warning(recorder->diag, HD_NOWHERE,
			   "timeline: %" PRIu64 " events are left out: an SM keeps %u (use --timeline-only), and so "
			   "many copies are kept",
			   recorder->timeline.left_out, (unsigned)MOST_EVENTS);
	if (recorder->options.perfetto &&
	    write_file(recorder, gpu, recorder->options.perfetto, hd_timeline_write_perfetto))
		status = -1;
	if (recorder->options.kanata && write_file(recorder, gpu, recorder->options.kanata, hd_timeline_write_kanata))
		status = -1;
	release(&recorder->timeline);
	free(recorder->filter.kernel);
	return status;
}
