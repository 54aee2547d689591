/*
 * Runs of the interactive page: figures, policies' own counters with their meaning, launches, samples over time, and
 * where issue slots went, by instruction, with what each lost slot waited for.
 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/opcodes.h"
#include "heddle/policy.h"
#include "heddle/stats.h"
#include "lib/metadata/json.h"
#include "tools/heddle/report/explore.h"
#include "tools/heddle/report/flow.h"
#include "tools/heddle/report/waits.h"
#include "tools/heddle/run/figures.h"
#include "tools/heddle/run/slots.h"
#include "tools/heddle/source_line.h"

/* Launches of one run that are listed; points of one series. */
enum { MOST_LAUNCHES = 2000, MOST_POINTS = 600 };

static json_t *get(const json_t *object, const char *key)
{
	return json_object_get(object, key);
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(get(object, key));
	return text ? text : "";
}

static void copy(json_t *to, const json_t *from, const char *key)
{
	if (get(from, key))
		json_object_set(to, key, get(from, key));
}

/* ------------------------------------------------------------------ policies' counters */

static const struct hd_policy_count *find_count(const struct hd_policy_count *row, const char *name)
{
	for (; row && row->name; row++)
		if (fnmatch(row->name, name, 0) == 0)
			return row;
	return NULL;
}

static void add_counts_of(json_t *array, const struct hd_policy *policy, const json_t *values)
{
	const struct hd_policy_hooks *hooks = policy->hooks;
	const char *name;
	json_t *value;
	json_object_foreach((json_t *)values, name, value)
	{
		const struct hd_policy_count *row = hooks ? find_count(hooks->counts, name) : NULL;
		if (!row && hooks)
			row = find_count(hooks->observation.reported, name);
		if (json_is_number(value))
			json_array_append_new(array,
					      json_pack("{s:s,s:o,s:s,s:s,s:f}", "policy", policy->name, "name",
							hd_json_text(name), "unit", row ? row->unit : "", "help",
							row ? row->help : "", "value", json_number_value(value)));
	}
}

static json_t *counts_json(const json_t *total)
{
	json_t *array = json_array();
	for (const struct hd_policy *policy = hd_policies; policy->name; policy++)
		if (json_is_object(get(total, policy->name)))
			add_counts_of(array, policy, get(total, policy->name));
	return array;
}

/* ------------------------------------------------------------------ launches and samples */

/* A series with at most MOST_POINTS points, each the sum of `step` intervals; a rate (`mean`) is their mean. */
static json_t *thinned(const json_t *series, size_t step, bool mean)
{
	json_t *array = json_array();
	size_t count = json_array_size(series);
	for (size_t i = 0; i < count; i += step) {
		double sum = 0;
		size_t in = i + step < count ? step : count - i;
		for (size_t j = i; j < i + in; j++)
			sum += json_number_value(json_array_get(series, j));
		json_array_append_new(array, json_real(mean ? sum / (double)in : sum));
	}
	return array;
}

/* The cycles of each point: the last interval is what the launch had left of it. */
static json_t *point_cycles(size_t points, size_t step, double interval, double launch)
{
	json_t *array = json_array();
	for (size_t i = 0; i < points; i += step) {
		double end = (double)(i + step) * interval, from = (double)i * interval;
		end = end > launch && launch > from ? launch : end;
		json_array_append_new(array, json_real(end - from));
	}
	return array;
}

static json_t *samples_json(const json_t *samples, double cycles)
{
	static const char *const counters[] = {"warp_instructions", "resident_warp_cycles",
					       "active_sm_cycles",  "l1d_accesses",
					       "l1d_hits",	    "l1d_sectors",
					       "l2_accesses",	    "l2_hits",
					       "dram_reads",	    "dram_writes",
					       "load_requests",	    "load_latency"};
	static const char *const rates[] = {"total", "dynamic"};
	size_t points = json_array_size(get(samples, "warp_instructions"));
	size_t step = points > MOST_POINTS ? (points + MOST_POINTS - 1) / MOST_POINTS : 1;
	double interval = json_number_value(get(samples, "interval"));
	json_t *object = json_pack("{s:f}", "interval", interval * (double)step), *watts = json_object();
	json_object_set_new(object, "cycles", point_cycles(points, step, interval, cycles));
	for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
		if (get(samples, counters[i]))
			json_object_set_new(object, counters[i], thinned(get(samples, counters[i]), step, false));
	for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
		json_object_set_new(watts, rates[i], thinned(get(get(samples, "watts"), rates[i]), step, true));
	json_object_set_new(object, "watts", watts);
	return object;
}

static json_t *launch_json(const json_t *launch)
{
	static const char *const keys[] = {"kernel",	  "grid",    "block",  "dynamic_shared", "resident_ctas",
					   "limiter",	  "cycles",  "stream", "launch_cycles",	 "warp_instructions",
					   "start_cycle", "sampling"};
	json_t *object = json_object();
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		copy(object, launch, keys[i]);
	if (get(launch, "samples"))
		json_object_set_new(object, "samples",
				    samples_json(get(launch, "samples"), json_number_value(get(launch, "cycles"))));
	return object;
}

static json_t *launches_json(const json_t *launches)
{
	json_t *array = json_array();
	for (size_t i = 0; i < json_array_size(launches) && i < MOST_LAUNCHES; i++)
		json_array_append_new(array, launch_json(json_array_get(launches, i)));
	return array;
}

/* ------------------------------------------------------------------ slots */

static void add_to(json_t *sums, const char *key, double value)
{
	json_object_set_new(sums, key, json_real(json_number_value(get(sums, key)) + value));
}

/* Of each kernel the sums over its launches, with `stalls` as those of a total, and `beside` where one ran beside
 * others. */
static json_t *kernels_json(const json_t *stats)
{
	static const char *const counters[] = {"l1d_sectors", "l2_accesses",	  "dram_reads",
					       "dram_writes", "active_sm_cycles", "resident_warp_cycles"};
	json_t *kernels = figure_kernels(stats), *launch, *count;
	const char *name;
	size_t at;
	json_array_foreach(get(stats, "launches"), at, launch)
	{
		json_t *kernel = get(kernels, text_of(launch, "kernel")), *stalls = get(kernel, "stalls");
		if (!kernel) /* its name is no text */
			continue;
		if (!stalls) {
			stalls = json_object();
			json_object_set_new(kernel, "stalls", stalls);
		}
		json_object_foreach(get(launch, "stalls"), name, count) add_to(stalls, name, json_number_value(count));
		for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
			add_to(kernel, counters[i], json_number_value(get(launch, counters[i])));
		if (json_is_true(get(launch, "shared")))
			json_object_set_new(kernel, "beside", json_true());
	}
	return kernels;
}

static json_t *by_reason(const json_t *stalls)
{
	json_t *array = json_array();
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		json_array_append_new(array, json_integer(json_integer_value(get(stalls, hd_stall_name[i]))));
	return array;
}

/* Only those that are not zero: [reason, count, ...]. */
static json_t *pairs(const json_t *stalls)
{
	json_t *array = json_array();
	for (unsigned i = 0; i < HD_STALL_COUNT; i++) {
		json_int_t count = json_integer_value(get(stalls, hd_stall_name[i]));
		if (!count)
			continue;
		json_array_append_new(array, json_integer(i));
		json_array_append_new(array, json_integer(count));
	}
	return array;
}

/* Of one function. */
struct place {
	json_t *at, *place, *stalls, *access, *kernels;
	const json_t **rows; /* by instruction: the row of the statistics, or NULL */
};

/* By kernel, where the statistics have that; or null. */
static json_t *pairs_by_kernel(const json_t *kernels)
{
	json_t *object = kernels ? json_object() : json_null(), *stalls;
	const char *name;
	json_object_foreach((json_t *)kernels, name, stalls) json_object_set_new(object, name, pairs(stalls));
	return object;
}

static bool is_lost(unsigned reason)
{
	return reason != HD_STALL_issued && reason != HD_STALL_idle;
}

/* "FUNCTION+0xPC" or "FUNCTION+0xPC, linear", if the inputs have its code. */
static bool find_holder(const struct explore *explore, const char *name, uint32_t *function, uint32_t *index)
{
	const char *plus = strrchr(name, '+');
	char *symbol = plus ? hd_xstrndup(name, (size_t)(plus - name)) : NULL, *end = NULL;
	*function = symbol ? explore_function_named(explore, symbol, strstr(plus, ", linear") != NULL) : UINT32_MAX;
	free(symbol);
	if (*function == UINT32_MAX)
		return false;
	*index = (uint32_t)(strtoul(plus + 1, &end, 16) / HD_INST_BYTES);
	return end != plus + 1 && *index < explore->functions.data[*function].listing.function->inst_count;
}

/* Slots lost for a unit go to those that had it, as counted, and the others stay with the instruction that waited. */
static void add_unit_waits(const struct explore *explore, json_t *rows, uint32_t function, uint32_t index,
			   json_int_t slots, const json_t *holders)
{
	const char *name;
	json_t *count;
	json_object_foreach((json_t *)holders, name, count)
	{
		uint32_t of, at;
		json_int_t held = json_integer_value(count);
		if (held <= 0 || held > slots || !find_holder(explore, name, &of, &at))
			continue;
		json_t *row = json_pack("[i,i,I,i]", (int)index, HD_STALL_unit, held, (int)at);
		if (of != function)
			json_array_append_new(row, json_integer(of));
		json_array_append_new(rows, row);
		slots -= held;
	}
	if (slots)
		json_array_append_new(rows, json_pack("[i,i,I,n]", (int)index, HD_STALL_unit, slots));
}

static json_t *waits_of(struct explore *explore, uint32_t function, const struct place *place)
{
	const struct hd_function *code = explore->functions.data[function].listing.function;
	uint64_t *issued = hd_xcalloc(code->inst_count + 1, sizeof(*issued));
	json_t *rows = json_array();
	for (uint32_t i = 0; i < code->inst_count && code->inst_count <= MOST_SLICED; i++)
		issued[i] = (uint64_t)json_integer_value(get(get(place->rows[i], "stalls"), "issued"));
	for (uint32_t i = 0; i < code->inst_count && code->inst_count <= MOST_SLICED; i++) {
		const json_t *stalls = get(place->rows[i], "stalls");
		for (unsigned reason = 0; reason < HD_STALL_COUNT; reason++) {
			struct hd_arena arena;
			json_int_t slots = json_integer_value(get(stalls, hd_stall_name[reason]));
			if (!slots || !is_lost(reason))
				continue;
			if (reason == HD_STALL_unit) {
				add_unit_waits(explore, rows, function, i, slots, get(place->rows[i], "holders"));
				continue;
			}
			hd_arena_init(&arena);
			waits_add(rows, explore_flow(explore, function), code, i, reason, (uint64_t)slots, issued,
				  &arena);
			hd_arena_release(&arena);
		}
	}
	free(issued);
	return rows;
}

/* The row's function and instruction, if the inputs have its code. */
static bool find_place(const struct explore *explore, const json_t *row, uint32_t *function, uint32_t *index)
{
	*function = explore_function_named(explore, text_of(row, "function"), json_is_true(get(row, "linear")));
	if (*function == UINT32_MAX)
		return false;
	*index = (uint32_t)(json_integer_value(get(row, "pc")) / HD_INST_BYTES);
	return *index < explore->functions.data[*function].listing.function->inst_count;
}

/* The number of the row's place among `names`. */
static json_t *place_number(const json_t *row, json_t *names, json_t *numbers)
{
	struct hd_strbuf place = {0};
	run_slots_place(row, &place);
	if (!get(numbers, hd_strbuf_text(&place))) {
		json_object_set_new(numbers, hd_strbuf_text(&place), json_integer((json_int_t)json_array_size(names)));
		json_array_append_new(names, hd_json_text(hd_strbuf_text(&place)));
	}
	json_t *number = json_incref(get(numbers, hd_strbuf_text(&place)));
	hd_strbuf_release(&place);
	return number;
}

static void add_code(struct explore *explore, json_t *object, const json_t *instructions)
{
	uint32_t count = explore->functions.len, function, index;
	struct place *places = hd_xcalloc(count + 1, sizeof(*places));
	json_t *code = json_array(), *waits = json_array(), *rest = json_array(), *names = json_array();
	json_t *numbers = json_object(); /* of names */
	for (uint32_t i = 0; i < count; i++)
		places[i].rows = hd_xcalloc(explore->functions.data[i].listing.function->inst_count + 1,
					    sizeof(*places[i].rows));
	for (size_t i = 0; i < json_array_size(instructions); i++) {
		const json_t *row = json_array_get(instructions, i);
		if (!find_place(explore, row, &function, &index)) {
			json_array_append(rest, (json_t *)row);
			continue;
		}
		struct place *place = &places[function];
		if (!place->at)
			*place = (struct place){json_array(), json_array(), json_array(),
						json_array(), json_array(), place->rows};
		place->rows[index] = row;
		json_array_append_new(place->at, json_integer(index));
		json_array_append_new(place->place, place_number(row, names, numbers));
		json_array_append_new(place->stalls, pairs(get(row, "stalls")));
		json_array_append_new(place->kernels, pairs_by_kernel(get(row, "kernels")));
		json_array_append_new(place->access,
				      get(row, "access") ? json_incref(get(row, "access")) : json_null());
	}
	for (uint32_t i = 0; i < count; i++) {
		if (places[i].at) {
			json_array_append_new(code, json_pack("{s:i,s:o,s:o,s:o,s:o,s:o}", "function", (int)i, "at",
							      places[i].at, "place", places[i].place, "stalls",
							      places[i].stalls, "access", places[i].access, "kernels",
							      places[i].kernels));
			json_array_append_new(waits, json_pack("{s:i,s:o}", "function", (int)i, "rows",
							       waits_of(explore, i, &places[i])));
		}
		free(places[i].rows);
	}
	free(places);
	json_decref(numbers);
	json_object_set_new(object, "places", names);
	json_object_set_new(object, "code", code);
	json_object_set_new(object, "waits", waits);
	json_object_set_new(object, "elsewhere", rest); /* code that is not among the inputs */
}

/* By place, what the source says there. */
static json_t *texts_json(const json_t *sources)
{
	json_t *texts = json_object(), *source, *text;
	const char *file, *number;
	json_object_foreach((json_t *)sources, file, source)
	{
		json_object_foreach(get(source, "lines"), number, text)
		{
			struct hd_strbuf place = {0}, shown = {0};
			if (!json_is_string(text))
				continue;
			hd_strbuf_printf(&place, "%s:%s", file, number);
			source_line_show(&shown, json_string_value(text), SOURCE_LINE_MOST);
			json_object_set_new(texts, hd_strbuf_text(&place), hd_json_text(hd_strbuf_text(&shown)));
			hd_strbuf_release(&place);
			hd_strbuf_release(&shown);
		}
	}
	return texts;
}

/* ------------------------------------------------------------------ floating-point operations */

enum flop { FLOP_SINGLE, FLOP_DOUBLE, FLOP_HALF, FLOP_KINDS };

/* Of one thread; a multiply-add is two, and a register of halves holds two. */
static unsigned flops_of(unsigned op, enum flop *kind)
{
	switch (op) {
	case HD_OP_FADD:
	case HD_OP_FMUL: return *kind = FLOP_SINGLE, 1;
	case HD_OP_FFMA: return *kind = FLOP_SINGLE, 2;
	case HD_OP_DADD:
	case HD_OP_DMUL: return *kind = FLOP_DOUBLE, 1;
	case HD_OP_DFMA: return *kind = FLOP_DOUBLE, 2;
	case HD_OP_HADD2:
	case HD_OP_HMUL2: return *kind = FLOP_HALF, 2;
	case HD_OP_HFMA2: return *kind = FLOP_HALF, 4;
	default: return 0;
	}
}

/* Null: the run did not count by instruction, or no instruction that it counted is among the inputs. `unknown` gets how
 * many are not. */
static json_t *flop_json(const struct explore *explore, const json_t *instructions, const json_t *total,
			 size_t *unknown)
{
	uint64_t count[FLOP_KINDS] = {0};
	uint32_t function, index;
	enum flop kind = FLOP_SINGLE;
	*unknown = 0;
	for (size_t i = 0; i < json_array_size(instructions); i++) {
		const json_t *row = json_array_get(instructions, i);
		if (!find_place(explore, row, &function, &index)) {
			++*unknown;
			continue;
		}
		unsigned each = flops_of(explore->functions.data[function].listing.function->insts[index].op, &kind);
		count[kind] += each * (uint64_t)json_integer_value(get(get(row, "access"), "threads"));
	}
	if (*unknown == json_array_size(instructions))
		return json_null();
	return json_pack("{s:I,s:I,s:I,s:I}", "single", (json_int_t)count[FLOP_SINGLE], "double",
			 (json_int_t)count[FLOP_DOUBLE], "half", (json_int_t)count[FLOP_HALF], "tensor",
			 2 * json_integer_value(get(total, "tensor_products")));
}

/* ------------------------------------------------------------------ a run */

json_t *explore_run_json(struct explore *explore, const struct report_run *run)
{
	const json_t *slots = get(run->stats, "slots"), *total = get(run->stats, "total");
	json_t *object = json_object();
	size_t unknown;
	json_object_set_new(object, "policy", hd_json_text(text_of(run->stats, "policy")));
	json_object_set_new(object, "gpu", hd_json_text(text_of(run->stats, "gpu")));
	json_object_set_new(object, "file", hd_json_text(run->path));
	copy(object, run->stats, "config");
	json_object_set(object, "total", (json_t *)total);
	json_object_set_new(object, "counts", counts_json(total));
	json_object_set_new(object, "kernels", kernels_json(run->stats));
	json_object_set_new(object, "launches", launches_json(get(run->stats, "launches")));
	json_object_set_new(object, "launch_count",
			    json_integer((json_int_t)json_array_size(get(run->stats, "launches"))));
	json_object_set_new(object, "nowhere", get(slots, "nowhere") ? by_reason(get(slots, "nowhere")) : json_null());
	explore_choose(explore, get(slots, "instructions"));
	add_code(explore, object, get(slots, "instructions"));
	json_object_set_new(object, "flop", flop_json(explore, get(slots, "instructions"), total, &unknown));
	json_object_set_new(object, "flop_unknown", json_integer((json_int_t)unknown));
	json_object_set_new(object, "texts", texts_json(get(slots, "sources")));
	copy(object, slots, "lines");
	json_object_set_new(object, "symbols",
			    get(slots, "kernels") ? json_incref(get(slots, "kernels")) : json_object());
	return object;
}
