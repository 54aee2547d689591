/*
 * [workloads]: a table of programs with their sizes and classes, as examples/workloads.txt is one. Each row that is
 * wanted becomes a [workload NAME] of the plan; one that the plan has itself takes the row's place.
 *
 * A line: name; source, seen from the table's folder: a file, or the folder of a program's modules; sizes of the tests;
 * sizes by default; sizes for figures; class; what it stands for. Sizes are separated by commas.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/strbuf.h"
#include "lib/text.h"
#include "tools/heddle/sweep/plan.h"

#define BLANKS " \t\r"

enum column { NAME, SOURCE, TESTS, DEFAULT, FIGURES, CLASS, COLUMNS };
static const char *const size_names[] = {"tests", "default", "figures"};

struct table {
	struct plan *plan;
	struct hd_diag *diag;
	const struct plan_section *section; /* [workloads] */
	const struct plan_list *classes;    /* NULL: all */
	const char *path;
	const char *folder; /* of sources, as the plan's root sees it */
	const char *given;  /* which size `arguments` has */
	uint32_t line, rows;
};

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_source(const struct dirent *entry)
{
	size_t length = strlen(entry->d_name);
	return length > 3 && !strcmp(entry->d_name + length - 3, ".cu");
}

/* The modules of a folder, linked as device code; "" where it has none. */
static const char *modules(struct table *table, const char *path, const char *folder)
{
	struct hd_arena *arena = &table->plan->arena;
	struct dirent **entries = NULL;
	int count = scandir(path, &entries, is_source, by_name);
	const char *words = count > 1 ? "-rdc=true" : "";
	for (int i = 0; i < count; i++) {
		words = hd_arena_printf(arena, "%s%s%s/%s", words, *words ? " " : "", folder, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return words;
}

static const char *source_of(struct table *table, const char *source)
{
	struct hd_arena *arena = &table->plan->arena;
	const char *place = hd_arena_printf(arena, "%s/%s", table->folder, source);
	const char *path = plan_path(table->plan, place);
	struct stat status;
	if (stat(path, &status))
		return "";
	return S_ISDIR(status.st_mode) ? modules(table, path, place) : place;
}

static void add_list(struct table *table, struct plan_section *section, const char *key, const char *value)
{
	struct hd_arena *arena = &table->plan->arena;
	struct plan_list list = {.key = hd_arena_strdup(arena, key), .line = table->section->line};
	hd_vec_push_in(&list.values, arena, (struct plan_value){value, table->section->line});
	hd_vec_push_in(&section->lists, arena, list);
}

/* "1,2" as a command line. */
static const char *arguments_of(struct table *table, const char *sizes)
{
	char *text = hd_arena_strdup(&table->plan->arena, sizes);
	for (char *at = text; *at; at++)
		*at = *at == ',' ? ' ' : *at;
	return text;
}

static bool is_wanted(const struct table *table, const char *class)
{
	for (uint32_t i = 0; table->classes && i < table->classes->values.len; i++)
		if (!strcmp(table->classes->values.data[i].text, class))
			return true;
	return !table->classes;
}

static void add_row(struct table *table, char *const columns[COLUMNS])
{
	struct plan *plan = table->plan;
	struct plan_section section = {PLAN_WORKLOAD, columns[NAME], table->section->line, {0}};
	const char *source = source_of(table, columns[SOURCE]);
	if (!*source) {
		hd_error(table->diag, (struct hd_loc){table->path, table->line, 0},
			 "%s: no such source, or no .cu in it", columns[SOURCE]);
		return;
	}
	add_list(table, &section, "source", source);
	for (unsigned i = 0; i < 3; i++) {
		const char *arguments = arguments_of(table, columns[TESTS + i]);
		add_list(table, &section, hd_arena_printf(&plan->arena, "arguments.%s", size_names[i]), arguments);
		if (!strcmp(table->given, size_names[i]))
			add_list(table, &section, "arguments", arguments);
	}
	hd_vec_push_in(&plan->sections, &plan->arena, section);
	table->rows++;
}

static void read_row(struct table *table, char *line)
{
	char *columns[COLUMNS], *rest = NULL;
	unsigned count = 0;
	for (char *word = strtok_r(line, BLANKS, &rest); word && count < COLUMNS; word = strtok_r(NULL, BLANKS, &rest))
		columns[count++] = word;
	if (!count || *columns[NAME] == '#')
		return;
	if (count < COLUMNS)
		hd_error(table->diag, (struct hd_loc){table->path, table->line, 0},
			 "expected a row of name, source, three columns of sizes, class, and what it stands for");
	else if (is_wanted(table, columns[CLASS]) && !plan_workload(table->plan, columns[NAME]))
		add_row(table, columns);
}

static void read_rows(struct table *table, const char *rows)
{
	char *text = hd_arena_strdup(&table->plan->arena, rows), *next;
	for (char *line = text; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		table->line++;
		read_row(table, line);
	}
}

static const char *one_value(struct table *table, const char *key)
{
	const struct plan_list *list = plan_find(table->section, key);
	if (list && list->values.len == 1)
		return list->values.data[0].text;
	if (list || !strcmp(key, "table"))
		hd_error(table->diag, plan_loc(table->plan, list ? list->line : table->section->line),
			 "[workloads]: %s takes one value", key);
	return NULL;
}

static bool check_size(const struct table *table)
{
	for (unsigned i = 0; i < 3; i++)
		if (!strcmp(table->given, size_names[i]))
			return true;
	hd_error(table->diag, plan_loc(table->plan, plan_find(table->section, "sizes")->line),
		 "sizes is tests, default or figures, not '%s'", table->given);
	return false;
}

void plan_add_workloads(struct plan *plan, struct hd_diag *diag)
{
	struct table table = {.plan = plan, .diag = diag, .section = plan_section_of(plan, PLAN_WORKLOADS)};
	unsigned before = diag->errors;
	char *text;
	size_t size;
	if (!table.section)
		return;
	const struct plan_section section = *table.section; /* sections move when rows come */
	table.section = &section;
	const char *place = one_value(&table, "table");
	table.given = one_value(&table, "sizes");
	table.given = table.given ? table.given : "default";
	table.classes = plan_find(&section, "class");
	if (diag->errors != before || !check_size(&table))
		return;
	const char *slash = strrchr(place, '/');
	table.folder = slash ? hd_arena_printf(&plan->arena, "%.*s", (int)(slash - place), place) : ".";
	table.path = plan_path(plan, place);
	if (hd_text_read(table.path, &text, &size, diag))
		return;
	read_rows(&table, text);
	free(text);
	if (!table.rows && diag->errors == before)
		hd_error(diag, plan_loc(plan, section.line), "%s lists no such workload", table.path);
}
