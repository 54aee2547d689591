/*
 * All results of a plan in one place: a database of SQLite (docs/sweep.md has its tables), comma-separated values, JSON
 * lines. Each is written beside its place and renamed when it is whole.
 */
#ifndef HD_TOOLS_HEDDLE_SWEEP_GATHER_H
#define HD_TOOLS_HEDDLE_SWEEP_GATHER_H

#include <jansson.h>

#include "tools/heddle/sweep/sweep.h"

struct gather_options {
	const char *database, *csv, *lines; /* paths; NULL: none */
};

/* The exit status; 1 when runs are missing or have failed. */
int sweep_gather(struct sweep *sweep, const struct gather_options *options);

/* One run with what there is of it. */
struct gathered {
	uint32_t id; /* its place in the plan */
	const struct sweep_run *run;
	enum store_state state;
	const json_t *document;			 /* NULL: no result */
	const json_t *host, *statistics, *total; /* of it */
	const char *cause;			 /* why it failed; NULL otherwise */
};

/* Numbers of a run's `total` that have columns: counters and lost slots, in the order of their tables. */
struct gather_column {
	const char *name;   /* of the column: "cycles", "stall_idle" */
	const char *object; /* within `total`; NULL: in itself */
	const char *key;
	const char *type; /* of SQLite */
};
extern const struct gather_column gather_columns[];
extern const uint32_t gather_column_count;
/* NULL: the run has none. */
const json_t *gather_value(const struct gathered *gathered, const struct gather_column *column);

/* database.c */
struct database;
/* NULL with the error reported. */
struct database *database_open(struct sweep *sweep, const char *path);
/* What is wrong comes out in the end. */
void database_add(struct database *database, const struct gathered *gathered);
/* Makes it whole and frees it. 0, or -1 with the error reported. */
int database_close(struct database *database);

/* tables.c */
struct table;
struct table *table_open(struct sweep *sweep, const char *path, bool csv);
void table_add(struct table *table, const struct gathered *gathered);
int table_close(struct table *table);

#endif
