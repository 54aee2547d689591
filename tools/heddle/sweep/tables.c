/*
 * Results as comma-separated values (RFC 4180), a row a run with a column for each coordinate and counter, or as JSON
 * lines: see gather.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"
#include "lib/metadata/json.h"
#include "tools/heddle/sweep/gather.h"

struct table {
	struct sweep *sweep;
	bool csv;
	struct hd_output output;
	HD_VEC(const char *) names; /* of coordinates, as they come in the plan */
};

static const char *const states[] = {"missing", "done", "damaged", "failed"};
static const char *const costs[] = {"seconds", "cpu_seconds", "peak_bytes"};

static void add_name(struct table *table, const char *name)
{
	for (uint32_t i = 0; i < table->names.len; i++)
		if (!strcmp(table->names.data[i], name))
			return;
	hd_vec_push(&table->names, name);
}

static void print_cell(FILE *to, const char *text)
{
	bool quoted = strpbrk(text, ",\"\n");
	if (quoted)
		fputc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', to);
		fputc(*text, to);
	}
	if (quoted)
		fputc('"', to);
}

static void print_number(FILE *to, const json_t *value)
{
	fputc(',', to);
	if (json_is_integer(value))
		fprintf(to, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	else if (json_is_real(value))
		fprintf(to, "%.15g", json_real_value(value));
}

static void print_head(struct table *table)
{
	const struct sweep_runs *runs = &table->sweep->runs;
	FILE *to = table->output.to;
	for (uint32_t i = 0; i < runs->runs.len; i++)
		for (uint32_t j = 0; j < runs->runs.data[i].count; j++)
			add_name(table, runs->runs.data[i].coordinates[j].name);
	fputs("id,key,state", to);
	for (uint32_t i = 0; i < table->names.len; i++) {
		fputc(',', to);
		print_cell(to, table->names.data[i]);
	}
	for (unsigned i = 0; i < sizeof costs / sizeof *costs; i++)
		fprintf(to, ",%s", costs[i]);
	for (uint32_t i = 0; i < gather_column_count; i++)
		fprintf(to, ",%s", gather_columns[i].name);
	fputc('\n', to);
}

struct table *table_open(struct sweep *sweep, const char *path, bool csv)
{
	struct table *table = hd_xcalloc(1, sizeof(*table));
	table->sweep = sweep;
	table->csv = csv;
	if (hd_output_open(&table->output, path, sweep->diag)) {
		free(table);
		return NULL;
	}
	if (csv)
		print_head(table);
	return table;
}

static void add_row(const struct table *table, const struct gathered *g)
{
	FILE *to = table->output.to;
	fprintf(to, "%u,%s,%s", g->id, g->run->key, states[g->state]);
	for (uint32_t i = 0; i < table->names.len; i++) {
		fputc(',', to);
		print_cell(to, run_value(g->run, table->names.data[i]));
	}
	for (unsigned i = 0; i < sizeof costs / sizeof *costs; i++)
		print_number(to, json_object_get(g->host, costs[i]));
	for (uint32_t i = 0; i < gather_column_count; i++)
		print_number(to, gather_value(g, &gather_columns[i]));
	fputc('\n', to);
}

static void add_line(const struct table *table, const struct gathered *g)
{
	json_t *line = json_object(), *coordinates = json_object();
	for (uint32_t i = 0; i < g->run->count; i++)
		json_object_set_new(coordinates, g->run->coordinates[i].name,
				    hd_json_text(g->run->coordinates[i].value));
	json_object_set_new(line, "id", json_integer(g->id));
	json_object_set_new(line, "key", json_string(g->run->key));
	json_object_set_new(line, "state", json_string(states[g->state]));
	if (g->cause)
		json_object_set_new(line, "cause", hd_json_text(g->cause));
	json_object_set_new(line, "coordinates", coordinates);
	if (g->document) {
		json_object_set(line, "host", (json_t *)g->host);
		json_object_set(line, "total", (json_t *)g->total);
	}
	json_dumpf(line, table->output.to, JSON_COMPACT | JSON_PRESERVE_ORDER);
	fputc('\n', table->output.to);
	json_decref(line);
}

void table_add(struct table *table, const struct gathered *g)
{
	if (table->csv)
		add_row(table, g);
	else
		add_line(table, g);
}

int table_close(struct table *table)
{
	int status = hd_output_close(&table->output, table->sweep->diag);
	hd_vec_release(&table->names);
	free(table);
	return status;
}
