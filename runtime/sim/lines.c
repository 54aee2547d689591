/*
 * Statistics as records, for programs that may end anywhere: a line when something is known, in this order. Fields of a
 * line are parted by tabs, which JSON has in no other place. FIGURES are no JSON.
 *
 *   {"head": {producer, gpu, policy, config, total, places}}        the GPU is there; `total` has every key, and zeros
 *   {"start": "kernel"}                                             a launch begins
 *   {"launch": {...}}  FIGURES  {policies, sampling, host}          it is done; the last field is of all so far, so
 * that a reader needs that of the last launch only
 *   {"rest": true}  FIGURES                                         what no launch has counted
 *   {"corun": {figures}}                                            a co-run is over
 *   {"end": {host, verified, profile, slots}}                       the program ended in good order
 *
 * A launch has some 160 figures, most of them zero, and a program may have many launches. Their names stand in the head
 * alone: the first `places` numbers of `total`, those of objects in it included, are places 0, 1, 2, ..., and FIGURES
 * are pairs "place:value" without zeros, with blanks in between. A real number is the integer with the same 64 bits, so
 * that a reader, who adds them up, has the very number. In a launch a null under "figures" stands where they belong.
 * `host` is [microseconds, bytes].
 *
 * Cost: O(figures) a launch. jansson makes the text of the other keys when one of them has changed since the kernel's
 * last launch, and always where policies are chosen, whose figures are real numbers.
 */
#include <jansson.h>
#include <string.h>

#include "lib/strbuf.h"
#include "runtime/checkpoint/checkpoint.h"
#include "runtime/corun/recorder.h"
#include "runtime/exec/fault.h"
#include "runtime/gpu/figures.h"
#include "runtime/sampling/sampling.h"
#include "runtime/sim/report.h"
#include "runtime/sm/energy.h"

/* All digits of a number. */
#define ALL_DIGITS 17
/* Bytes: another launch's grid and stream may have some more digits. */
#define MORE_DIGITS 32

/* ------------------------------------------------------------ pieces of a line */

/* Writes the number before `end`, and returns where it begins. */
static char *integer_before(char *end, int64_t value)
{
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;
	do
		*--end = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--end = '-';
	return end;
}

static void put_integer(struct hd_strbuf *line, int64_t value)
{
	char text[24], *end = text + sizeof text, *at = integer_before(end, value);
	hd_strbuf_append_bytes(line, at, (size_t)(end - at));
}

static void put_text(struct hd_strbuf *line, const char *text)
{
	hd_strbuf_append_bytes(line, text, strlen(text));
}

/* Takes the value, which is NULL for a string that is not UTF-8. */
static void put_json(struct hd_strbuf *line, const char *key, json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(ALL_DIGITS));
	put_text(line, key);
	put_text(line, text ? text : "null");
	free(text);
	json_decref(value);
}

struct figures {
	struct hd_strbuf *line; /* NULL: they are only counted */
	uint32_t places;
	bool several;
};

static void put_count(void *context, const char *group, const char *key, uint64_t value)
{
	struct figures *figures = context;
	(void)group, (void)key;
	if (!figures->line)
		return;
	char text[48], *end = text + sizeof text, *at = integer_before(end, (int64_t)value);
	*--at = ':';
	at = integer_before(at, figures->places - 1);
	if (figures->several)
		*--at = ' ';
	hd_strbuf_append_bytes(figures->line, at, (size_t)(end - at));
	figures->several = true;
}

static void put_real(void *context, const char *group, const char *key, double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof bits);
	put_count(context, group, key, bits);
}

/* How many places there are. */
static uint32_t put_figures(struct hd_strbuf *line, const struct hd_gpu *gpu, const struct hd_stats *stats,
			    const struct hd_power *power, double policies)
{
	struct figures figures = {line, 0, false};
	const struct hd_figure_sink sink = {put_count, put_real, &figures, &figures.places};
	hd_figures_each(gpu, stats, power, policies, &sink);
	return figures.places;
}

static void put_host(struct hd_strbuf *line, const char *key)
{
	struct hd_host host = hd_report_host();
	put_text(line, key);
	put_text(line, "[");
	put_integer(line, (int64_t)host.microseconds);
	put_text(line, ",");
	put_integer(line, (int64_t)host.peak_bytes);
	put_text(line, "]");
}

/* ------------------------------------------------------------ lines as they go out */

static bool writes(const struct hd_gpu *gpu)
{
	return gpu->options.record != NULL;
}

static void write_text(const struct hd_sim *sim, const char *text)
{
	const struct hd_sim_options *options = &sim->gpu.options;
	options->record(options->record_context, text);
	hd_checkpoint_record(&sim->gpu, text);
}

static void write_line(const struct hd_sim *sim, struct hd_strbuf *line)
{
	write_text(sim, hd_strbuf_text(line));
	hd_strbuf_release(line);
}

static void write_record(const struct hd_sim *sim, const char *start, json_t *value)
{
	struct hd_strbuf line = {0};
	put_json(&line, start, value);
	put_text(&line, "}");
	write_line(sim, &line);
}

/* ------------------------------------------------------------ what launches of a kernel have in common */

/* In the module's arena. */
struct hd_kept_lines {
	const char *start; /* the whole record */
	/* What the record of a launch begins with, up to its figures: of the last of these launches. */
	char *launch;
	size_t room;
	uint32_t grid[3], block[3], dynamic_shared, resident_ctas;
	uint64_t stream;
	const char *limiter;
};

static struct hd_kept_lines *kept_of(const struct hd_kernel *of)
{
	struct hd_module *module = of->module;
	struct hd_kernel *kernel = &module->kernels[of - module->kernels];
	if (kernel->kept)
		return kernel->kept;
	struct hd_strbuf line = {0};
	put_json(&line, "{\"start\":", json_string(hd_kernel_title(kernel)));
	put_text(&line, "}");
	kernel->kept = HD_ARENA_NEW(&module->arena, struct hd_kept_lines, 1);
	kernel->kept->start = hd_arena_strdup(&module->arena, hd_strbuf_text(&line));
	hd_strbuf_release(&line);
	return kernel->kept;
}

/* Nothing that was counted, and no cycle, stands before the figures. */
static bool has_common_line(const struct hd_gpu *gpu, const struct hd_launch_record *record)
{
	return !gpu->policy_count && !record->partial && !record->sampling && !record->sampler.interval &&
	       !record->stats.shared;
}

static bool is_kept(const struct hd_kept_lines *kept, const struct hd_launch_stats *stats)
{
	return kept->launch && !memcmp(kept->grid, stats->grid, sizeof kept->grid) &&
	       !memcmp(kept->block, stats->block, sizeof kept->block) &&
	       kept->dynamic_shared == stats->dynamic_shared && kept->resident_ctas == stats->resident_ctas &&
	       kept->stream == stats->stream && kept->limiter == stats->limiter;
}

static void keep(struct hd_kept_lines *kept, struct hd_arena *arena, const struct hd_launch_stats *stats,
		 const struct hd_strbuf *line)
{
	if (kept->room <= line->len) {
		kept->room = line->len + MORE_DIGITS;
		kept->launch = HD_ARENA_NEW(arena, char, kept->room);
	}
	memcpy(kept->launch, hd_strbuf_text(line), line->len + 1);
	memcpy(kept->grid, stats->grid, sizeof kept->grid);
	memcpy(kept->block, stats->block, sizeof kept->block);
	kept->dynamic_shared = stats->dynamic_shared;
	kept->resident_ctas = stats->resident_ctas;
	kept->stream = stats->stream;
	kept->limiter = stats->limiter;
}

static void put_launch(struct hd_strbuf *line, const struct hd_gpu *gpu, const struct hd_kernel *kernel,
		       const struct hd_launch_record *record)
{
	struct hd_kept_lines *kept = kept_of(kernel);
	bool common = has_common_line(gpu, record);
	if (common && is_kept(kept, &record->stats)) {
		put_text(line, kept->launch);
		return;
	}
	put_json(line, "{\"launch\":", hd_report_launch(gpu, record, false));
	put_text(line, "}\t");
	if (common)
		keep(kept, &kernel->module->arena, &record->stats, line);
}

/* Without policies always the same. */
static void put_policies(struct hd_strbuf *line, struct hd_sim *sim)
{
	struct hd_gpu *gpu = &sim->gpu;
	if (sim->no_policies) {
		put_text(line, sim->no_policies);
		return;
	}
	json_t *policies = json_object();
	size_t before = line->len;
	hd_report_policies(policies, gpu);
	put_json(line, "\t{\"policies\":", policies);
	if (!gpu->policy_count)
		sim->no_policies = hd_arena_strdup(&gpu->arena, hd_strbuf_text(line) + before);
}

/* ------------------------------------------------------------ records */

void hd_record_head(const struct hd_sim *sim)
{
	static const struct hd_stats nothing;
	const struct hd_gpu *gpu = &sim->gpu;
	struct hd_power power;
	if (!writes(gpu))
		return;
	json_t *head = hd_stats_head(sim), *total = json_object();
	hd_power_compute(&power, &nothing.counters, gpu->config);
	hd_figures_json(total, gpu, &nothing, &power, 0);
	hd_report_policies(total, gpu);
	json_object_set_new(head, "total", total);
	json_object_set_new(head, "places", json_integer(put_figures(NULL, gpu, &nothing, &power, 0)));
	write_record(sim, "{\"head\":", head);
}

void hd_record_start(const struct hd_sim *sim, const struct hd_kernel *kernel)
{
	if (writes(&sim->gpu))
		write_text(sim, kept_of(kernel)->start);
}

/* Numbers below zero are what was counted more than once, such as cycles. */
void hd_record_rest(const struct hd_sim *sim)
{
	const struct hd_gpu *gpu = &sim->gpu;
	struct hd_strbuf line = {0};
	if (!writes(gpu))
		return;
	struct hd_stats rest = sim->now;
	hd_stats_subtract(&rest, &sim->before);
	struct hd_power power;
	hd_power_compute(&power, &rest.counters, gpu->config);
	hd_power_subtract(&power, &sim->power);
	hd_stats_subtract(&rest, &sim->counted);
	put_text(&line, "{\"rest\":true}\t");
	put_figures(&line, gpu, &rest, &power, 0);
	write_line(sim, &line);
}

void hd_record_launch(struct hd_sim *sim, const struct hd_kernel *kernel, const struct hd_launch_record *record)
{
	const struct hd_gpu *gpu = &sim->gpu;
	struct hd_strbuf *line = &sim->line;
	if (!writes(gpu))
		return;
	line->len = 0;
	put_launch(line, gpu, kernel, record);
	put_figures(line, gpu, &record->stats.stats, &record->power, hd_energy_joules(gpu, record->spent));
	put_policies(line, sim);
	if (gpu->sampling)
		put_json(line, ",\"sampling\":", hd_sampling_json(gpu->sampling));
	put_host(line, ",\"host\":");
	put_text(line, "}");
	write_text(sim, hd_strbuf_text(line));
}

void hd_record_corun(struct hd_sim *sim, json_t *object)
{
	if (writes(&sim->gpu)) {
		write_record(sim, "{\"corun\":", object);
		return;
	}
	if (sim->gpu.options.unrecorded) {
		json_decref(object);
		return;
	}
	if (!sim->coruns)
		sim->coruns = json_array();
	json_array_append_new(sim->coruns, object);
}

void hd_sim_record_end(const struct hd_sim *sim)
{
	if (sim->recorder)
		hd_recorder_finish(sim->recorder);
	if (!writes(&sim->gpu))
		return;
	json_t *object = json_object();
	struct hd_host host = hd_report_host();
	json_object_set_new(object, "host",
			    json_pack("[I,I]", (json_int_t)host.microseconds, (json_int_t)host.peak_bytes));
	hd_report_coverage(object, &sim->gpu);
	write_record(sim, "{\"end\":", object);
}
