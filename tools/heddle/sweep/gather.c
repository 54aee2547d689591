/*
 * Reads the results of a plan once, in its order, and hands each to what is written: see gather.h. Takes the time of
 * parsing the results; memory is that of one of them.
 */
#include "tools/heddle/sweep/gather.h"

#include <stdio.h>
#include <stdlib.h>

#include "tools/heddle/cmd.h"

const struct gather_column gather_columns[] = {
#define HD_COUNTER(name, unit, help) {#name, NULL, #name, "INTEGER"},
#include "heddle/counters.def"
#undef HD_COUNTER
#define HD_STALL(name, nsight, help) {"stall_" #name, "stalls", #name, "INTEGER"},
#include "heddle/stalls.def"
#undef HD_STALL
	{"energy_joules", NULL, "energy_joules", "REAL"},
};
const uint32_t gather_column_count = sizeof gather_columns / sizeof *gather_columns;

const json_t *gather_value(const struct gathered *gathered, const struct gather_column *column)
{
	const json_t *object = gathered->total;
	if (column->object)
		object = json_object_get(object, column->object);
	return json_object_get(object, column->key);
}

struct outputs {
	struct database *database;
	struct table *csv, *lines;
};

static void add(const struct outputs *outputs, const struct gathered *gathered)
{
	if (outputs->database)
		database_add(outputs->database, gathered);
	if (outputs->csv)
		table_add(outputs->csv, gathered);
	if (outputs->lines)
		table_add(outputs->lines, gathered);
}

static json_t *read_document(struct sweep *sweep, const struct sweep_run *run)
{
	size_t size = 0;
	char *text = *run->key ? store_text(&sweep->store, run->key, &size) : NULL;
	json_t *document = text ? json_loadb(text, size, 0, NULL) : NULL;
	free(text);
	return document;
}

/* What there is of one run. Whether it is done. */
static bool gather_run(struct sweep *sweep, const struct outputs *outputs, uint32_t id)
{
	const struct sweep_run *run = &sweep->runs.runs.data[id];
	json_t *document = read_document(sweep, run);
	char *cause = document && !run->check ? NULL : sweep_cause(sweep, run);
	if (cause) { /* what it printed is wrong */
		json_decref(document);
		document = NULL;
	}
	struct gathered gathered = {.id = id, .run = run, .document = document, .cause = cause};
	gathered.state = document ? STORE_DONE : sweep_state(sweep, run);
	gathered.host = json_object_get(document, "host");
	gathered.statistics = json_object_get(document, "statistics");
	gathered.total = json_object_get(gathered.statistics, "total");
	add(outputs, &gathered);
	json_decref(document);
	free(cause);
	return document;
}

static int open_outputs(struct sweep *sweep, const struct gather_options *options, struct outputs *outputs)
{
	*outputs = (struct outputs){0};
	if (options->database && !(outputs->database = database_open(sweep, options->database)))
		return -1;
	if (options->csv && !(outputs->csv = table_open(sweep, options->csv, true)))
		return -1;
	if (options->lines && !(outputs->lines = table_open(sweep, options->lines, false)))
		return -1;
	return 0;
}

static int close_outputs(struct outputs *outputs)
{
	int status = 0;
	if (outputs->database)
		status |= database_close(outputs->database);
	if (outputs->csv)
		status |= table_close(outputs->csv);
	if (outputs->lines)
		status |= table_close(outputs->lines);
	return status;
}

int sweep_gather(struct sweep *sweep, const struct gather_options *options)
{
	struct outputs outputs;
	uint32_t done = 0, count = sweep->runs.runs.len;
	int status = open_outputs(sweep, options, &outputs);
	for (uint32_t i = 0; !status && i < count; i++)
		done += gather_run(sweep, &outputs, i);
	if (close_outputs(&outputs) || status)
		return CMD_ERROR;
	if (!sweep->quiet)
		printf("%u of %u runs have results\n", done, count);
	return done == count ? CMD_OK : CMD_FINDING;
}
