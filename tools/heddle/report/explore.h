/*
 * The data of the interactive page: what runs cost, joined with the machine code and the source.
 */
#ifndef HD_TOOLS_HEDDLE_REPORT_EXPLORE_H
#define HD_TOOLS_HEDDLE_REPORT_EXPLORE_H

#include "lib/object/listing.h"
#include "tools/heddle/report/report.h"

/*
 * A new reference. `pc`s of code are instruction indices, reasons are indices in "reasons".
 *
 *     {"title", "reasons": [{name, nsight, help}],
 *      "runs": [{name, policy, gpu, file, config, total, counts: [{policy, name, unit, help, value}], kernels,
 * launches, places: ["FILE:LINE" as the statistics have it], texts: {place: text}, flop: {single, double, half, tensor}
 * or null without counts by instruction, nowhere: [count by reason] or null, code: [{function, at: [pc], place: [index
 * in "places"], stalls: [[reason, count, ...]], access:
 * [{...} or null], kernels: [null or {name: [reason, count, ...]}]}], waits: [{function, rows: waits.h; where
 * something of another function has the unit, with that function behind it}], lines: [row
 * of the statistics]}], "functions": [{name, demangled, kernel, linear, module, file, line, meta, code: {text, file,
 * line, role, live, next, callee, from, control, stream, inlined: [index in "calls", or -1]}}], "matches": [{a, b:
 * runs, a < b, files: as lines.h has it}], "matched": of how many runs, "files": [{name, parts:
 * [{from, lines}]}], "calls": [{callee, file, line, outer: index or -1}] that were inlined}
 */
json_t *explore_json(struct report *report, const char *title);

/* ------------------------------------------------------------------ its parts: explore_code.c, explore_runs.c */

/* Instructions of a function whose producers are looked for. */
enum { MOST_SLICED = 4096 };

struct explore_function {
	const struct cmd_unit *unit;
	struct hd_listing listing;
	const struct flow *flow; /* NULL until explore_flow */
};
struct explore_file {
	const char *name; /* as shown */
	const char *text; /* NULL: not found */
	size_t bytes;
	uint32_t line_count;
	bool *wanted; /* lines to show, from 1 on */
	uint32_t wanted_count;
};

/* An object whose inlined calls are in "calls", from `first` on. */
struct explore_calls {
	const struct hd_object *object;
	uint32_t first;
};

struct explore {
	struct report *report;
	struct hd_arena *arena;
	HD_VEC(struct explore_function) functions;
	HD_VEC(struct explore_file) files;
	HD_VEC(struct explore_calls) inlined;
	json_t *calls;	/* of all objects */
	json_t *index;	/* of functions, by name: those with this name, of different objects */
	json_t *chosen; /* by name, which of these the run at hand has run (explore_choose) */
};

void explore_find_functions(struct explore *explore);
/* Several objects may have functions of one name: takes for each name, until the next call, the one whose code and
 * lines are those of the rows, `instructions` of a run's statistics. */
void explore_choose(struct explore *explore, const json_t *rows);
/* By symbol; UINT32_MAX: it is not there. */
uint32_t explore_function_named(const struct explore *explore, const char *name, bool linear);
struct flow;
const struct flow *explore_flow(struct explore *explore, uint32_t function);
json_t *explore_functions_json(struct explore *explore);
json_t *explore_files_json(struct explore *explore);
json_t *explore_run_json(struct explore *explore, const struct report_run *run);

#endif
