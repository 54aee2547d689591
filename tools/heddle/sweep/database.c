/*
 * The database of a plan's results: see gather.h. One transaction of prepared statements into a new file, without a
 * journal: a file that is not whole never has the database's name. Tables and views are in docs/sweep.md.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/version.h"
#include "lib/strbuf.h"
#include "tools/heddle/sweep/gather.h"

enum insertion {
	INSERT_RUN,
	INSERT_COORDINATE,
	INSERT_COUNTERS,
	INSERT_FIGURE,
	INSERT_KERNEL,
	INSERT_BASE,
	INSERT_CONFIG,
	INSERT_CHANGE,
	INSERTIONS
};

/* What a run is compared with: names that the baseline has a value for. */
struct baseline {
	const char *names[16], *values[16];
	uint32_t count;
};

struct database {
	struct sweep *sweep;
	struct hd_arena arena;
	const char *path, *temporary;
	sqlite3 *db;
	sqlite3_stmt *insert[INSERTIONS];
	struct baseline baseline;
	bool *config_done; /* of runs.configs */
	json_t *bases;	   /* of each GPU: its number and its first configuration */
	bool wrong;
};

static const char schema[] =
	"CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
	"CREATE TABLE runs (id INTEGER PRIMARY KEY, key TEXT, state TEXT, cause TEXT, workload TEXT, configuration "
	"TEXT,"
	" arguments TEXT, compile TEXT, gpu TEXT, policy TEXT, design TEXT, options TEXT, config INTEGER, seconds REAL,"
	" cpu_seconds REAL, peak_bytes INTEGER, point INTEGER, is_baseline INTEGER);"
	"CREATE TABLE coordinates (run INTEGER, name TEXT, value TEXT, others INTEGER, PRIMARY KEY (run, name))"
	" WITHOUT ROWID;"
	"CREATE TABLE figures (run INTEGER, design TEXT, name TEXT, value REAL, PRIMARY KEY (run, design, name))"
	" WITHOUT ROWID;"
	"CREATE TABLE kernels (run INTEGER, kernel TEXT, launches INTEGER, cycles INTEGER, warp_instructions INTEGER,"
	" PRIMARY KEY (run, kernel)) WITHOUT ROWID;"
	"CREATE TABLE bases (base INTEGER, name TEXT, value, PRIMARY KEY (base, name)) WITHOUT ROWID;"
	"CREATE TABLE configs (config INTEGER PRIMARY KEY, base INTEGER);"
	"CREATE TABLE changes (config INTEGER, name TEXT, value, PRIMARY KEY (config, name)) WITHOUT ROWID;";

static const char views[] =
	"CREATE INDEX runs_point ON runs (point) WHERE is_baseline;"
	"CREATE VIEW config_values AS SELECT c.config, b.name, iif(h.config IS NULL, b.value, h.value) AS value"
	" FROM configs c JOIN bases b ON b.base = c.base LEFT JOIN changes h ON h.config = c.config AND h.name = "
	"b.name;"
	"CREATE VIEW results AS SELECT * FROM runs JOIN counters ON counters.run = runs.id;"
	"CREATE VIEW speedup AS SELECT r.id AS run, r.workload, r.configuration, r.arguments, r.gpu, r.policy,"
	" b.id AS baseline, 1.0 * bc.cycles / rc.cycles AS speedup, bc.energy_joules / rc.energy_joules AS efficiency"
	" FROM runs r JOIN runs b ON b.point = r.point AND b.is_baseline"
	" JOIN counters rc ON rc.run = r.id JOIN counters bc ON bc.run = b.id;"
	"CREATE VIEW best AS SELECT c.name, c.value, r.id AS run, r.workload, r.configuration, r.arguments, r.gpu,"
	" r.policy, min(k.cycles) AS cycles, count(*) AS among FROM coordinates c JOIN runs r ON r.id = c.run"
	" JOIN counters k ON k.run = r.id GROUP BY c.name, c.others HAVING count(*) > 1;"
	"CREATE VIEW best_parameter AS SELECT r.design, r.policy, r.id AS run, r.workload, r.configuration, "
	"r.arguments,"
	" r.gpu, min(k.cycles) AS cycles, count(*) AS among FROM coordinates c JOIN runs r ON r.id = c.run"
	" JOIN counters k ON k.run = r.id WHERE c.name = 'policy' GROUP BY c.others, r.design HAVING count(*) > 1;";

/* ------------------------------------------------------------ statements */

static void check(struct database *d, int status)
{
	if (status == SQLITE_OK || status == SQLITE_DONE || d->wrong)
		return;
	d->wrong = true;
	hd_error(d->sweep->diag, HD_NOWHERE, "%s: %s", d->path, sqlite3_errmsg(d->db));
}

static void execute(struct database *d, const char *statement)
{
	check(d, sqlite3_exec(d->db, statement, NULL, NULL, NULL));
}

static void bind_text(struct database *d, enum insertion which, int at, const char *text)
{
	if (text)
		check(d, sqlite3_bind_text(d->insert[which], at, text, -1, SQLITE_STATIC));
}

static void bind_number(struct database *d, enum insertion which, int at, int64_t value)
{
	check(d, sqlite3_bind_int64(d->insert[which], at, value));
}

static void bind_value(struct database *d, enum insertion which, int at, const json_t *value)
{
	if (json_is_integer(value))
		bind_number(d, which, at, json_integer_value(value));
	else if (json_is_real(value))
		check(d, sqlite3_bind_double(d->insert[which], at, json_real_value(value)));
	else if (json_is_string(value))
		bind_text(d, which, at, json_string_value(value));
}

static void insert(struct database *d, enum insertion which)
{
	check(d, sqlite3_step(d->insert[which]));
	sqlite3_reset(d->insert[which]);
	sqlite3_clear_bindings(d->insert[which]);
}

/* "INSERT INTO table VALUES (?, ...)", `words` before its name. */
static void prepare(struct database *d, enum insertion which, const char *table, uint32_t columns)
{
	struct hd_strbuf text = {0};
	hd_strbuf_printf(&text, "INSERT INTO %s VALUES (?", table);
	for (uint32_t i = 1; i < columns; i++)
		hd_strbuf_append(&text, ", ?");
	hd_strbuf_append(&text, ")");
	check(d, sqlite3_prepare_v2(d->db, hd_strbuf_text(&text), -1, &d->insert[which], NULL));
	hd_strbuf_release(&text);
}

static void make_tables(struct database *d)
{
	struct hd_strbuf text = {0};
	hd_strbuf_append(&text, "CREATE TABLE counters (run INTEGER PRIMARY KEY");
	for (uint32_t i = 0; i < gather_column_count; i++)
		hd_strbuf_printf(&text, ", %s %s", gather_columns[i].name, gather_columns[i].type);
	hd_strbuf_append(&text, ")");
	execute(d, schema);
	execute(d, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
	prepare(d, INSERT_RUN, "runs", 18);
	prepare(d, INSERT_COORDINATE, "coordinates", 4);
	prepare(d, INSERT_COUNTERS, "counters", 1 + gather_column_count);
	prepare(d, INSERT_FIGURE, "figures", 4);
	prepare(d, INSERT_KERNEL, "kernels", 5);
	prepare(d, INSERT_BASE, "bases", 3);
	prepare(d, INSERT_CONFIG, "configs", 2);
	prepare(d, INSERT_CHANGE, "changes", 3);
}

/* ------------------------------------------------------------ opening */

/* `baseline = NAME=VALUE, ...` of [sweep], or the policy baseline. */
static int read_baseline(struct database *d)
{
	const struct plan *plan = &d->sweep->plan;
	const struct plan_list *list = plan_find(plan_section_of(plan, PLAN_SWEEP), "baseline");
	struct baseline *baseline = &d->baseline;
	if (!list)
		*baseline = (struct baseline){{"policy"}, {"baseline"}, 1};
	for (uint32_t i = 0; list && i < list->values.len && i < sizeof baseline->names / sizeof *baseline->names;
	     i++) {
		const char *text = list->values.data[i].text, *equals = strchr(text, '=');
		if (!equals)
			return hd_error(d->sweep->diag, plan_loc(plan, list->values.data[i].line),
					"baseline needs NAME=VALUE, not '%s'", text);
		baseline->names[i] = hd_arena_printf(&d->arena, "%.*s", (int)(equals - text), text);
		baseline->values[i] = equals + 1;
		baseline->count++;
	}
	return 0;
}

static void add_meta(struct database *d, const char *name, const char *value)
{
	char *text = sqlite3_mprintf("INSERT INTO meta VALUES (%Q, %Q)", name, value);
	execute(d, text);
	sqlite3_free(text);
}

static void free_database(struct database *d)
{
	for (unsigned i = 0; i < INSERTIONS; i++)
		sqlite3_finalize(d->insert[i]);
	sqlite3_close(d->db);
	json_decref(d->bases);
	free(d->config_done);
	hd_arena_release(&d->arena);
	free(d);
}

struct database *database_open(struct sweep *sweep, const char *path)
{
	struct database *d = hd_xcalloc(1, sizeof(*d));
	hd_arena_init(&d->arena);
	d->sweep = sweep;
	d->path = path;
	d->temporary = hd_arena_printf(&d->arena, "%s.tmp%ld", path, (long)getpid());
	d->bases = json_object();
	d->config_done = hd_xcalloc(sweep->runs.configs.len + 1, sizeof(bool));
	if (read_baseline(d)) {
		free_database(d);
		return NULL;
	}
	unlink(d->temporary);
	check(d, sqlite3_open_v2(d->temporary, &d->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL));
	execute(d, "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; BEGIN");
	make_tables(d);
	add_meta(d, "schema", "1");
	add_meta(d, "heddle", HD_VERSION);
	add_meta(d, "plan", sweep->plan.path);
	if (!d->wrong)
		return d;
	unlink(d->temporary);
	free_database(d);
	return NULL;
}

/* ------------------------------------------------------------ rows */

static bool is_baseline(const struct database *d, const struct sweep_run *run)
{
	for (uint32_t i = 0; i < d->baseline.count; i++)
		if (strcmp(run_value(run, d->baseline.names[i]), d->baseline.values[i]) != 0)
			return false;
	return true;
}

/* "swl+all-hit" of "swl:4+all-hit". */
static void design_of(const char *policy, char *design, size_t size)
{
	size_t length = 0;
	for (bool parameter = false; *policy && length + 1 < size; policy++) {
		parameter = (parameter || *policy == ':') && *policy != '+';
		if (!parameter)
			design[length++] = *policy;
	}
	design[length] = '\0';
}

static void add_run(struct database *d, const struct gathered *g)
{
	static const char *const states[] = {"missing", "done", "damaged", "failed"};
	static const char *const names[] = {"workload", "configuration", "arguments", "compile", "gpu", "policy"};
	char design[256];
	int at = 5;
	design_of(run_value(g->run, "policy"), design, sizeof design);
	bind_number(d, INSERT_RUN, 1, g->id);
	bind_text(d, INSERT_RUN, 2, g->run->key);
	bind_text(d, INSERT_RUN, 3, states[g->state]);
	bind_text(d, INSERT_RUN, 4, g->cause);
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		bind_text(d, INSERT_RUN, at++, run_value(g->run, names[i]));
	bind_text(d, INSERT_RUN, at++, design);
	bind_text(d, INSERT_RUN, at++, run_value(g->run, "options"));
	bind_number(d, INSERT_RUN, at++, g->run->config);
	bind_value(d, INSERT_RUN, at++, json_object_get(g->host, "seconds"));
	bind_value(d, INSERT_RUN, at++, json_object_get(g->host, "cpu_seconds"));
	bind_value(d, INSERT_RUN, at++, json_object_get(g->host, "peak_bytes"));
	bind_number(d, INSERT_RUN, at++, (int64_t)run_others(g->run, d->baseline.names, d->baseline.count));
	bind_number(d, INSERT_RUN, at++, is_baseline(d, g->run));
	insert(d, INSERT_RUN);
}

static void add_coordinates(struct database *d, const struct gathered *g)
{
	for (uint32_t i = 0; i < g->run->count; i++) {
		const struct coordinate *c = &g->run->coordinates[i];
		bind_number(d, INSERT_COORDINATE, 1, g->id);
		bind_text(d, INSERT_COORDINATE, 2, c->name);
		bind_text(d, INSERT_COORDINATE, 3, c->value);
		bind_number(d, INSERT_COORDINATE, 4, (int64_t)run_others(g->run, &c->name, 1));
		insert(d, INSERT_COORDINATE);
	}
}

static void add_counters(struct database *d, const struct gathered *g)
{
	bind_number(d, INSERT_COUNTERS, 1, g->id);
	for (uint32_t i = 0; i < gather_column_count; i++)
		bind_value(d, INSERT_COUNTERS, 2 + (int)i, gather_value(g, &gather_columns[i]));
	insert(d, INSERT_COUNTERS);
}

/* What a design counts is an object of its name in the total. */
static void add_figures(struct database *d, const struct gathered *g)
{
	const char *design, *name;
	json_t *object, *value;
	json_object_foreach((json_t *)g->total, design, object)
	{
		bool common = !strcmp(design, "stalls") || !strcmp(design, "l1d");
		json_object_foreach(common ? NULL : object, name, value)
		{
			if (!json_is_number(value))
				continue;
			bind_number(d, INSERT_FIGURE, 1, g->id);
			bind_text(d, INSERT_FIGURE, 2, design);
			bind_text(d, INSERT_FIGURE, 3, name);
			check(d, sqlite3_bind_double(d->insert[INSERT_FIGURE], 4, json_number_value(value)));
			insert(d, INSERT_FIGURE);
		}
	}
}

static json_int_t sum_of(json_t *sums, const char *key, json_int_t more)
{
	json_int_t sum = json_integer_value(json_object_get(sums, key)) + more;
	json_object_set_new(sums, key, json_integer(sum));
	return sum;
}

static void add_kernels(struct database *d, const struct gathered *g)
{
	static const char *const counted[] = {"launches", "cycles", "warp_instructions"};
	json_t *kernels = json_object(), *launch, *sums;
	const char *name;
	size_t index;
	json_array_foreach(json_object_get(g->statistics, "launches"), index, launch)
	{
		const char *kernel = json_string_value(json_object_get(launch, "kernel"));
		if (!kernel)
			continue;
		if (!json_object_get(kernels, kernel))
			json_object_set_new(kernels, kernel, json_object());
		sums = json_object_get(kernels, kernel);
		sum_of(sums, counted[0], 1);
		for (unsigned i = 1; i < 3; i++)
			sum_of(sums, counted[i], json_integer_value(json_object_get(launch, counted[i])));
	}
	json_object_foreach(kernels, name, sums)
	{
		bind_number(d, INSERT_KERNEL, 1, g->id);
		bind_text(d, INSERT_KERNEL, 2, name);
		for (int i = 0; i < 3; i++)
			bind_value(d, INSERT_KERNEL, 3 + i, json_object_get(sums, counted[i]));
		insert(d, INSERT_KERNEL);
	}
	json_decref(kernels);
}

/* The first configuration of each GPU is whole, and of others there is what differs: sweeps have many that are alike.
 */
static json_t *base_of(struct database *d, const char *gpu, json_t *config, json_int_t *number)
{
	json_t *base = json_object_get(d->bases, gpu), *value;
	const char *name;
	*number = json_integer_value(json_object_get(base, "number"));
	if (base)
		return json_object_get(base, "config");
	*number = (json_int_t)json_object_size(d->bases);
	json_object_set_new(d->bases, gpu, json_pack("{s:I,s:O}", "number", *number, "config", config));
	json_object_foreach(config, name, value)
	{
		bind_number(d, INSERT_BASE, 1, *number);
		bind_text(d, INSERT_BASE, 2, name);
		bind_value(d, INSERT_BASE, 3, value);
		insert(d, INSERT_BASE);
	}
	return config;
}

static void add_config(struct database *d, const struct gathered *g)
{
	json_t *config = json_object_get(g->statistics, "config"), *value;
	const char *name;
	json_int_t number;
	if (d->config_done[g->run->config] || !config)
		return;
	d->config_done[g->run->config] = true;
	json_t *base = base_of(d, run_value(g->run, "gpu"), config, &number);
	bind_number(d, INSERT_CONFIG, 1, g->run->config);
	bind_number(d, INSERT_CONFIG, 2, number);
	insert(d, INSERT_CONFIG);
	json_object_foreach(config, name, value)
	{
		if (json_equal(value, json_object_get(base, name)))
			continue;
		bind_number(d, INSERT_CHANGE, 1, g->run->config);
		bind_text(d, INSERT_CHANGE, 2, name);
		bind_value(d, INSERT_CHANGE, 3, value);
		insert(d, INSERT_CHANGE);
	}
}

void database_add(struct database *d, const struct gathered *g)
{
	if (d->wrong)
		return;
	add_run(d, g);
	add_coordinates(d, g);
	if (!g->document)
		return;
	add_counters(d, g);
	add_figures(d, g);
	add_kernels(d, g);
	add_config(d, g);
}

/* ------------------------------------------------------------ the end */

static int publish(struct database *d)
{
	int fd = open(d->temporary, O_RDONLY | O_CLOEXEC);
	bool synced = fd >= 0 && !fsync(fd);
	if (fd >= 0)
		close(fd);
	if (synced && !rename(d->temporary, d->path))
		return 0;
	unlink(d->temporary);
	return hd_error(d->sweep->diag, HD_NOWHERE, "cannot write %s", d->path);
}

int database_close(struct database *d)
{
	int status = -1;
	execute(d, views);
	execute(d, "COMMIT");
	for (unsigned i = 0; i < INSERTIONS; i++)
		sqlite3_finalize(d->insert[i]);
	memset(d->insert, 0, sizeof d->insert);
	check(d, sqlite3_close(d->db));
	d->db = NULL;
	if (d->wrong)
		unlink(d->temporary);
	else
		status = publish(d);
	free_database(d);
	return status;
}
