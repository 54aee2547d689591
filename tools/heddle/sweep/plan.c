/*
 * Reads plans: see plan.h. A line is a section, a key with values, or, when it begins with a blank, more values of the
 * key above. Errors do not stop the reading, so that one run shows them all.
 */
#include "tools/heddle/sweep/plan.h"

#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "lib/text.h"
#include "tools/heddle/sweep/values.h"

static const char *const kind_names[PLAN_KINDS] = {"sweep",    "variables",	"axes",	  "workloads",
						   "workload", "configuration", "exclude"};
static const char *const sweep_keys[] = {"out", "root", "time", "memory", "jobs", "threads", "baseline"};
static const char *const axis_keys[] = {"gpu", "policy", "seed", "options", "share", "compile"};
static const char *const table_keys[] = {"table", "sizes", "class"};
static const char *const workload_keys[] = {"program", "source", "arguments", "check", "beside"};
static const char *const configuration_keys[] = {"workload"};
static const char *const exclude_keys[] = {"workload", "configuration", "arguments"};
static const char *const configuration_names[] = {
#define HD_CONFIG_INT(key, value, min, max, unit, help) #key,
#define HD_CONFIG_REAL(key, value, min, max, unit, help) #key,
#define HD_CONFIG_ENUM(key, value, names, help) #key,
#include "heddle/config.def"
#undef HD_CONFIG_INT
#undef HD_CONFIG_REAL
#undef HD_CONFIG_ENUM
};
#define COUNT(array) (unsigned)(sizeof(array) / sizeof *(array))

struct reading {
	struct plan *plan;
	struct hd_diag *diag;
	uint32_t line;
	struct plan_section *section; /* NULL: none yet, or one that is wrong */
	struct plan_list *list;	      /* that a line of more values goes on with */
	uint32_t outside;	      /* keys before the first section */
};

static bool is_among(const char *name, const char *const *names, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

bool plan_is_configuration(const char *name)
{
	return strchr(name, '.') || is_among(name, configuration_names, COUNT(configuration_names));
}

static void unknown(struct hd_diag *diag, struct hd_loc loc, const char *what, const char *name,
		    const char *const *names, unsigned count)
{
	char *near = hd_nearest_names(name, names, count);
	hd_error(diag, loc, "unknown %s '%s'%s%s%s", what, name, *near ? "; did you mean " : "", near,
		 *near ? "?" : "");
	free(near);
}

/* ------------------------------------------------------------ sections */

static const char *strip(struct hd_arena *arena, const char *text, size_t length)
{
	while (length && isspace((unsigned char)*text))
		text++, length--;
	while (length && isspace((unsigned char)text[length - 1]))
		length--;
	return hd_arena_printf(arena, "%.*s", (int)length, text);
}

static int kind_of(const char *word)
{
	for (int kind = 0; kind < PLAN_KINDS; kind++)
		if (!strcmp(word, kind_names[kind]))
			return kind;
	return -1;
}

static bool has_name(enum plan_kind kind)
{
	return kind == PLAN_WORKLOAD || kind == PLAN_CONFIGURATION;
}

static struct plan_section *same_section(const struct plan *plan, enum plan_kind kind, const char *name)
{
	for (uint32_t i = 0; i < plan->sections.len; i++)
		if (plan->sections.data[i].kind == kind && !strcmp(plan->sections.data[i].name, name))
			return &plan->sections.data[i];
	return NULL;
}

static void read_section(struct reading *reading, const char *text)
{
	struct plan *plan = reading->plan;
	struct hd_loc loc = plan_loc(plan, reading->line);
	size_t length = strcspn(text, "]"), word = strcspn(text, " \t]");
	reading->section = NULL;
	reading->list = NULL;
	if (text[length] != ']' || text[length + 1]) {
		hd_error(reading->diag, loc, "expected a section as one line, [NAME]");
		return;
	}
	const char *kind_text = hd_arena_printf(&plan->arena, "%.*s", (int)word, text);
	const char *name = strip(&plan->arena, text + word, length - word);
	int kind = kind_of(kind_text);
	if (kind < 0)
		unknown(reading->diag, loc, "section", kind_text, kind_names, PLAN_KINDS);
	else if (!has_name(kind) && *name)
		hd_error(reading->diag, loc, "[%s] takes no name", kind_text);
	else if (has_name(kind) && !*name)
		hd_error(reading->diag, loc, "[%s NAME] needs a name", kind_text);
	else if (kind != PLAN_EXCLUDE && same_section(plan, kind, name))
		hd_error(reading->diag, loc, "duplicate [%.*s], first in line %u", (int)length, text,
			 same_section(plan, kind, name)->line);
	else {
		hd_vec_push_in(&plan->sections, &plan->arena, (struct plan_section){kind, name, reading->line, {0}});
		reading->section = &hd_vec_last(&plan->sections);
	}
}

/* ------------------------------------------------------------ keys */

/* Appends to a list of names for messages and look-ups. */
struct names {
	HD_VEC(const char *) all;
};

static void add_names(struct names *names, const char *const *list, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		hd_vec_push(&names->all, list[i]);
}

/* What may stand in a section; variables may stand before or after [variables], so keys are checked at the end. */
static void names_of(const struct plan *plan, const struct plan_section *section, struct names *names)
{
	const struct plan_section *variables = plan_section_of(plan, PLAN_VARIABLES);
	if (section->kind == PLAN_SWEEP)
		add_names(names, sweep_keys, COUNT(sweep_keys));
	if (section->kind == PLAN_WORKLOADS)
		add_names(names, table_keys, COUNT(table_keys));
	if (section->kind == PLAN_WORKLOAD)
		add_names(names, workload_keys, COUNT(workload_keys));
	if (section->kind == PLAN_CONFIGURATION)
		add_names(names, configuration_keys, COUNT(configuration_keys));
	if (section->kind == PLAN_EXCLUDE)
		add_names(names, exclude_keys, COUNT(exclude_keys));
	if (section->kind == PLAN_SWEEP || section->kind == PLAN_WORKLOADS)
		return;
	add_names(names, axis_keys, COUNT(axis_keys));
	add_names(names, configuration_names, COUNT(configuration_names));
	for (uint32_t i = 0; variables && i < variables->lists.len; i++)
		hd_vec_push(&names->all, variables->lists.data[i].key);
}

static bool is_size(const struct plan_section *section, const char *key)
{
	return section->kind == PLAN_WORKLOAD && !strncmp(key, "arguments.", 10) && key[10];
}

static void check_section(const struct plan *plan, const struct plan_section *section, struct hd_diag *diag)
{
	struct names names = {0};
	names_of(plan, section, &names);
	for (uint32_t i = 0; i < section->lists.len; i++) {
		const struct plan_list *list = &section->lists.data[i];
		bool of_policy = section->kind != PLAN_SWEEP && strchr(list->key, '.') &&
				 strncmp(list->key, "arguments.", 10) != 0;
		if (!is_among(list->key, names.all.data, names.all.len) && !is_size(section, list->key) && !of_policy)
			unknown(diag, plan_loc(plan, list->line), "key", list->key, names.all.data, names.all.len);
	}
	hd_vec_release(&names.all);
}

static void check_variable(const struct plan *plan, const struct plan_list *list, struct hd_diag *diag)
{
	bool good = isalpha((unsigned char)*list->key);
	for (const char *at = list->key; *at; at++)
		good = good && (isalnum((unsigned char)*at) || *at == '_');
	bool taken = is_among(list->key, axis_keys, COUNT(axis_keys)) || plan_is_configuration(list->key) ||
		     is_among(list->key, workload_keys, COUNT(workload_keys)) ||
		     is_among(list->key, exclude_keys, COUNT(exclude_keys));
	if (!good)
		hd_error(diag, plan_loc(plan, list->line),
			 "a variable's name may have letters, digits and _, unlike '%s'", list->key);
	else if (taken)
		hd_error(diag, plan_loc(plan, list->line), "'%s' is a key and cannot be a variable", list->key);
}

static void check_keys(const struct plan *plan, struct hd_diag *diag)
{
	for (uint32_t i = 0; i < plan->sections.len; i++) {
		const struct plan_section *section = &plan->sections.data[i];
		if (section->kind != PLAN_VARIABLES)
			check_section(plan, section, diag);
		for (uint32_t j = 0; section->kind == PLAN_VARIABLES && j < section->lists.len; j++)
			check_variable(plan, &section->lists.data[j], diag);
	}
}

static void read_values(struct reading *reading, const char *text)
{
	const char *wrong = values_add(reading->list, text, reading->line, &reading->plan->arena);
	if (wrong)
		hd_error(reading->diag, plan_loc(reading->plan, reading->line), "%s", wrong);
}

static void read_key(struct reading *reading, const char *text)
{
	struct plan *plan = reading->plan;
	struct hd_loc loc = plan_loc(plan, reading->line);
	const char *equals = strchr(text, '=');
	reading->list = NULL;
	if (!equals) {
		hd_error(reading->diag, loc, "expected a [section] or a 'key = value, ...' line");
		return;
	}
	if (!reading->section) {
		if (!plan->sections.len && !reading->outside++)
			hd_error(reading->diag, loc, "a key outside of a [section]");
		return;
	}
	const char *key = strip(&plan->arena, text, (size_t)(equals - text));
	if (plan_find(reading->section, key)) {
		hd_error(reading->diag, loc, "duplicate %s, first in line %u", key,
			 plan_find(reading->section, key)->line);
		return;
	}
	hd_vec_push_in(&reading->section->lists, &plan->arena, (struct plan_list){key, reading->line, {0}});
	reading->list = &hd_vec_last(&reading->section->lists);
	read_values(reading, equals + 1);
}

/* ------------------------------------------------------------ lines */

/* Without a comment, which begins with a ; or # at the line's beginning or a ; after a blank, and not in quotes. */
static const char *without_comment(struct hd_arena *arena, const char *line, size_t length)
{
	bool quoted = false;
	for (size_t i = 0; i < length; i++) {
		if (line[i] == '"')
			quoted = !quoted;
		bool begins = !i || isspace((unsigned char)line[i - 1]);
		if (!quoted && begins && (line[i] == ';' || (line[i] == '#' && !i)))
			length = i;
	}
	while (length && isspace((unsigned char)line[length - 1]))
		length--;
	return hd_arena_printf(arena, "%.*s", (int)length, line);
}

/* "key =" with its values on the lines below has no empty value before these. */
static void drop_empty(struct plan_list *list, uint32_t line)
{
	if (list->values.len == 1 && !*list->values.data[0].text && list->values.data[0].line < line)
		hd_vec_clear(&list->values);
}

static void read_line(struct reading *reading, const char *text)
{
	if (!*text)
		return;
	if (*text == '[')
		read_section(reading, text + 1);
	else if (!isspace((unsigned char)*text))
		read_key(reading, text);
	else if (reading->list) {
		drop_empty(reading->list, reading->line);
		read_values(reading, text);
	} else if (reading->section)
		hd_error(reading->diag, plan_loc(reading->plan, reading->line),
			 "a line that begins with a blank continues the values of a key, but no key precedes it");
}

int plan_read(struct plan *plan, const char *path, struct hd_diag *diag)
{
	char *text = NULL;
	size_t size = 0;
	unsigned before = diag->errors;
	*plan = (struct plan){0};
	hd_arena_init(&plan->arena);
	plan->path = hd_arena_strdup(&plan->arena, path);
	if (hd_text_read(path, &text, &size, diag))
		return -1;
	struct reading reading = {.plan = plan, .diag = diag};
	for (const char *line = text + (strncmp(text, "\xef\xbb\xbf", 3) ? 0 : 3); line < text + size;) {
		size_t length = strcspn(line, "\n");
		reading.line++;
		read_line(&reading, without_comment(&plan->arena, line, length));
		line += length + 1;
	}
	free(text);
	check_keys(plan, diag);
	if (diag->errors == before)
		plan_add_workloads(plan, diag);
	return diag->errors == before ? 0 : -1;
}

void plan_release(struct plan *plan)
{
	hd_arena_release(&plan->arena);
}

/* ------------------------------------------------------------ looking up */

const struct plan_list *plan_find(const struct plan_section *section, const char *key)
{
	for (uint32_t i = 0; section && i < section->lists.len; i++)
		if (!strcmp(section->lists.data[i].key, key))
			return &section->lists.data[i];
	return NULL;
}

const struct plan_section *plan_section_of(const struct plan *plan, enum plan_kind kind)
{
	return same_section(plan, kind, "");
}

const struct plan_section *plan_workload(const struct plan *plan, const char *name)
{
	return same_section(plan, PLAN_WORKLOAD, name);
}

const char *plan_root(struct plan *plan)
{
	const char *root = plan_setting(plan, "root", ".");
	const char *folder = dirname(hd_arena_strdup(&plan->arena, plan->path));
	return *root == '/' ? root : hd_arena_printf(&plan->arena, "%s/%s", folder, root);
}

const char *plan_path(struct plan *plan, const char *path)
{
	return *path == '/' ? path : hd_arena_printf(&plan->arena, "%s/%s", plan_root(plan), path);
}

int plan_define(struct plan *plan, const char *assignment, struct hd_diag *diag)
{
	const char *equals = strchr(assignment, '=');
	const struct plan_section *variables = plan_section_of(plan, PLAN_VARIABLES);
	if (!equals)
		return hd_error(diag, HD_NOWHERE, "--define: expected NAME=VALUE, not '%s'", assignment);
	const char *name = strip(&plan->arena, assignment, (size_t)(equals - assignment));
	struct plan_list *list = (struct plan_list *)plan_find(variables, name);
	if (!list)
		return hd_error(diag, HD_NOWHERE, "--define: %s has no variable '%s'", plan->path, name);
	hd_vec_clear(&list->values);
	const char *wrong = values_add(list, equals + 1, list->line, &plan->arena);
	return wrong ? hd_error(diag, HD_NOWHERE, "--define %s: %s", assignment, wrong) : 0;
}

const char *plan_setting(const struct plan *plan, const char *key, const char *otherwise)
{
	const struct plan_list *list = plan_find(plan_section_of(plan, PLAN_SWEEP), key);
	return list && list->values.len ? list->values.data[0].text : otherwise;
}

bool plan_bytes(const char *text, uint64_t *bytes)
{
	static const char units[] = "kMGT";
	char *end;
	errno = 0;
	uint64_t value = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end == 'K' ? 'k' : *end) : NULL;
	unsigned shift = unit ? 10 * (unsigned)(unit - units + 1) : 0;
	*bytes = value << shift;
	return isdigit((unsigned char)*text) && !errno && (!*end || (unit && !end[1])) && *bytes >> shift == value;
}
