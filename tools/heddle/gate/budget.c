/*
 * Reads budgets (see budget.h): inih splits the lines, section headers are read here, since patterns may be longer than
 * inih's names and hold brackets. Errors do not stop the reading, so that one run shows them all (of lines without `=`,
 * the first).
 */
#include "tools/heddle/gate/budget.h"
#include "lib/arena.h"
#include "lib/ini.h"

#include <errno.h>
#include <ini.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* inih cuts names off at this many characters, and lines at a length that it states when it asks for one. */
enum { INI_NAME_LIMIT = 49 };

struct reading {
	struct gate_budget *budget;
	struct hd_diag *diag;
	struct hd_ini lines;
	int section; /* -1: none yet, or a wrong one */
	bool wrong;  /* the header was reported, what follows it is not looked at */
};

static struct hd_loc here(const struct reading *reading)
{
	return reading->lines.loc;
}

/* ------------------------------------------------------------------ sections */

static char *trim(char *text)
{
	text += strspn(text, " \t\r");
	size_t len = strlen(text);
	while (len && strchr(" \t\r", text[len - 1]))
		len--;
	text[len] = '\0';
	return text;
}

static bool comment_or_end(const char *text)
{
	text += strspn(text, " \t\r");
	return !*text || *text == ';' || *text == '#';
}

/* Splits `[kind "pattern"]`; *pattern is NULL without one. False when it is no such header. */
static bool split_header(char *text, char **kind, char **pattern)
{
	char *quote = strchr(text, '"'), *end = NULL;
	*pattern = NULL;
	if (quote) {
		/* The pattern ends with the last quote that closes the header. */
		for (char *at = strchr(quote + 1, '"'); at && !end; at = strchr(at + 1, '"')) {
			char *bracket = at + 1 + strspn(at + 1, " \t");
			if (*bracket == ']' && comment_or_end(bracket + 1))
				end = at;
		}
		if (!end)
			return false;
		*end = '\0';
		*pattern = quote + 1;
		*quote = '\0';
	} else {
		end = strchr(text, ']');
		if (!end || !comment_or_end(end + 1))
			return false;
		*end = '\0';
		size_t word = strcspn(text + 1, " \t");
		if (text[1 + word]) {
			text[1 + word] = '\0';
			*pattern = trim(text + 2 + word);
		}
	}
	*kind = trim(text + 1);
	return true;
}

static void begin_section(struct reading *reading, char *text)
{
	static const char *const kinds[] = {"defaults", "kernel", "function", "baseline"};
	char *kind, *pattern;
	reading->section = -1;
	reading->wrong = true;
	if (!split_header(text, &kind, &pattern)) {
		hd_error(reading->diag, here(reading),
			 "expected [defaults], [kernel \"PATTERN\"], [function \"PATTERN\"] or [baseline]");
		return;
	}
	unsigned i = 0;
	while (i < 4 && strcmp(kinds[i], kind) != 0)
		i++;
	if (i == 4) {
		char *near = hd_nearest_names(kind, kinds, 4);
		hd_error(reading->diag, here(reading), "unknown section '%s'; %s %s", kind,
			 *near ? "did you mean" : "known:", *near ? near : "defaults, kernel, function and baseline");
		free(near);
		return;
	}
	bool wants = i == GATE_SECTION_KERNEL || i == GATE_SECTION_FUNCTION;
	if (wants != (pattern && pattern[0])) {
		hd_error(reading->diag, here(reading),
			 wants ? "[%s] needs a pattern: [%s \"name*\"]" : "[%s] takes no pattern", kind, kind);
		return;
	}
	struct gate_budget *budget = reading->budget;
	reading->wrong = false;
	reading->section = (int)budget->sections.len;
	hd_vec_push(&budget->sections,
		    (struct gate_section){.kind = (enum gate_section_kind)i,
					  .pattern = wants ? hd_arena_strdup(budget->arena, pattern) : NULL,
					  .path = reading->lines.loc.file,
					  .line = reading->lines.loc.line});
}

/* ------------------------------------------------------------------ lines */

/* inih's reader. Headers become "[s]", which inih takes as one. */
static char *next_line(char *to, int room, void *context)
{
	struct reading *reading = context;
	size_t length;
	const char *line = room < 8 ? NULL : hd_ini_next(&reading->lines, &length);
	if (!line)
		return NULL;
	if (length && line[0] == '[') {
		char *header = hd_xstrndup(line, length);
		begin_section(reading, header);
		free(header);
		strcpy(to, "[s]");
		return to;
	}
	hd_ini_give(&reading->lines, line, length, to, room);
	return to;
}

static int parse_count(struct reading *reading, const char *text, const char *what, uint32_t *value)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || number > UINT32_MAX)
		return hd_error(reading->diag, here(reading), "'%s' is not %s", text, what);
	*value = (uint32_t)number;
	return 0;
}

/* "256" or "16x16" or "8x8x8" */
static int parse_block(struct reading *reading, const char *text, uint32_t *threads)
{
	uint64_t product = 1;
	const char *at = text;
	for (unsigned i = 0; i < 3; i++) {
		char *end;
		unsigned long long side = *at >= '0' && *at <= '9' ? strtoull(at, &end, 10) : 0;
		if (!side || side > 65536)
			break;
		product *= side;
		if (!*end && product <= 65536) {
			*threads = (uint32_t)product;
			return 0;
		}
		if (*end != 'x')
			break;
		at = end + 1;
	}
	return hd_error(reading->diag, here(reading), "'%s' is not a block size (expected, for example, 256 or 16x16)",
			text);
}

static void set_blocks(struct reading *reading, struct gate_section *section, const char *value)
{
	char *copy = hd_xstrdup(value), *rest = copy;
	section->block_count = 0;
	for (char *word; (word = strsep(&rest, ", \t"));) {
		uint32_t threads;
		if (!word[0] || parse_block(reading, word, &threads) != 0)
			continue;
		if (section->block_count == GATE_MOST_BLOCKS) {
			hd_error(reading->diag, here(reading), "more than %d block sizes", GATE_MOST_BLOCKS);
			break;
		}
		section->blocks[section->block_count++] = threads;
	}
	free(copy);
}

static bool parse_flag(const char *text, bool *value)
{
	bool yes = strcmp(text, "yes") == 0 || strcmp(text, "true") == 0;
	*value = yes;
	return yes || strcmp(text, "no") == 0 || strcmp(text, "false") == 0;
}

/* True when the key is about figures that are no number. */
static bool set_word(struct reading *reading, struct gate_section *section, const char *key, const char *value)
{
	static const char *const keys[GATE_SETTLED] = {"unproven", "unbounded"}, *const words[] = {"fail", "allow"};
	for (unsigned i = 0; i < GATE_SETTLED; i++) {
		if (strcmp(key, keys[i]) != 0)
			continue;
		for (unsigned w = 0; w < 2; w++)
			if (strcmp(value, words[w]) == 0)
				section->word[i] = (enum gate_word)(GATE_FAIL + w);
		if (section->kind == GATE_SECTION_BASELINE || !section->word[i])
			hd_error(reading->diag, here(reading),
				 section->word[i] ? "%s belongs into sections with limits%.0s"
						  : "%s: expected fail or allow, not '%s'",
				 key, value);
		return true;
	}
	return false;
}

/* True when the key is a setting of sections and not a limit. */
static bool set_setting(struct reading *reading, struct gate_section *section, const char *key, const char *value)
{
	struct gate_budget *budget = reading->budget;
	if (strcmp(key, "gpu") == 0) {
		gate_gpus_add_list(budget->gpus, value, &section->gpus, here(reading), reading->diag);
	} else if (strcmp(key, "block") == 0) {
		set_blocks(reading, section, value);
	} else if (strcmp(key, "shared") == 0) {
		section->shared_given = parse_count(reading, value, "a number of bytes", &section->shared) == 0;
	} else if (strcmp(key, "policy") == 0) {
		section->policy = hd_arena_strdup(budget->arena, value);
	} else if (strcmp(key, "optional") == 0) {
		if (!parse_flag(value, &section->optional))
			hd_error(reading->diag, here(reading), "optional: expected yes or no, not '%s'", value);
	} else if (set_word(reading, section, key, value)) {
		return true;
	} else if (strcmp(key, "allow") == 0 && section->kind == GATE_SECTION_BASELINE) {
		char *wrong;
		section->allowed = gate_verdicts_parse(value, &wrong);
		if (wrong)
			hd_error(reading->diag, here(reading), "invalid value '%s' (expected new, removed or better)",
				 wrong);
		free(wrong);
	} else {
		return false;
	}
	return true;
}

static int parse_limit_value(struct reading *reading, const char *text, struct gate_limit *limit)
{
	char *end;
	bool flag;
	if (strcmp(text, "any") == 0) {
		limit->value = INFINITY;
		return 0;
	}
	if (parse_flag(text, &flag)) {
		limit->value = flag;
		return 0;
	}
	limit->value = strtod(text, &end);
	bool digits = text[0] == '.' || (text[0] >= '0' && text[0] <= '9');
	end += strspn(end, " \t");
	if (*end == '%') {
		limit->percent = true;
		end++;
	}
	if (!digits || *end || !isfinite(limit->value))
		return hd_error(reading->diag, here(reading), "'%s': expected a number, a percentage, yes, no or any",
				text);
	return 0;
}

/* "registers <" and "64", as inih splits `registers <= 64`. */
static void add_limit(struct reading *reading, const char *key, const char *value)
{
	struct gate_limit limit = {.op = GATE_EQUAL,
				   .line = reading->lines.loc.line,
				   .section = (uint32_t)reading->section};
	char *name = hd_arena_strdup(reading->budget->arena, key);
	size_t len = strlen(name);
	char last = len ? name[len - 1] : '\0';
	if (last == '<' || last == '>') {
		limit.op = last == '<' ? GATE_AT_MOST : GATE_AT_LEAST;
		name[len - 1] = '\0';
	} else if (value[0] == '=') {
		value++; /* == */
	}
	limit.name = trim(name);
	value += strspn(value, " \t");
	if (!limit.name[0] || strpbrk(limit.name, " \t<>!"))
		hd_error(reading->diag, here(reading), "expected 'metric <= number', '>=' or '='");
	else if (parse_limit_value(reading, value, &limit) == 0)
		hd_vec_push(&reading->budget->limits, limit);
}

static int on_key(void *context, const char *ini_section, const char *name, const char *value)
{
	struct reading *reading = context;
	(void)ini_section;
	if (reading->wrong)
		return 1;
	if (reading->section < 0) {
		hd_error(reading->diag, here(reading), "'%s' is outside of a section", name);
		reading->wrong = true;
		return 1;
	}
	if (strlen(name) >= INI_NAME_LIMIT) {
		hd_error(reading->diag, here(reading), "the name is longer than %d characters", INI_NAME_LIMIT - 1);
		return 1;
	}
	/* inih knows `;` as the beginning of a comment behind a value; people also write `#`. */
	char *copy = hd_xstrdup(value);
	char *hash = strstr(copy, " #");
	if (hash)
		*hash = '\0';
	struct gate_section *section = &reading->budget->sections.data[reading->section];
	if (!set_setting(reading, section, name, trim(copy)))
		add_limit(reading, name, trim(copy));
	free(copy);
	return 1;
}

int gate_budget_parse(struct gate_budget *budget, const char *path, const char *text, size_t size, struct hd_diag *diag)
{
	unsigned before = diag->errors;
	struct reading reading = {.budget = budget, .diag = diag, .section = -1};
	reading.lines = hd_ini_of(hd_arena_strdup(budget->arena, path), text, size, diag);
	int line = ini_parse_stream(next_line, &reading, on_key, &reading);
	if (line > 0)
		hd_error(diag, (struct hd_loc){reading.lines.loc.file, (uint32_t)line, 0},
			 "expected 'metric <= number'");
	return diag->errors == before ? 0 : -1;
}

int gate_budget_load(struct gate_budget *budget, const char *path, struct hd_diag *diag)
{
	uint8_t *text = NULL;
	size_t size = 0;
	if (hd_read_file(path, &text, &size, diag) != 0)
		return -1;
	int status = gate_budget_parse(budget, path, (const char *)text, size, diag);
	free(text);
	return status;
}

void gate_budget_init(struct gate_budget *budget, struct hd_arena *arena, struct gate_gpus *gpus)
{
	*budget = (struct gate_budget){.arena = arena, .gpus = gpus};
}

void gate_budget_release(struct gate_budget *budget)
{
	hd_vec_release(&budget->sections);
	hd_vec_release(&budget->limits);
}

/* ------------------------------------------------------------------ metrics */

static int check_percent(const struct gate_limit *limit, struct hd_loc loc, struct hd_diag *diag)
{
	bool share = strcmp(limit->metric->unit, "%") == 0;
	if (limit->percent && !share)
		return hd_error(diag, loc, "'%s' is not a percentage", limit->name);
	if (share && !limit->percent && limit->value > 0 && limit->value <= 1)
		return hd_error(diag, loc, "'%s' is a percentage: write %.6g%% or %.6g%%", limit->name, limit->value,
				limit->value * 100);
	return 0;
}

unsigned gate_verdicts_parse(const char *names, char **wrong)
{
	static const char *const known[] = {"new", "removed", "better"};
	char *copy = hd_xstrdup(names), *rest = copy;
	unsigned bits = 0;
	*wrong = NULL;
	for (char *name; (name = strsep(&rest, ", \t"));) {
		unsigned i = 0;
		while (i < 3 && strcmp(known[i], name) != 0)
			i++;
		if (i < 3)
			bits |= 1U << i;
		else if (name[0] && !*wrong)
			*wrong = hd_xstrdup(name);
	}
	free(copy);
	return bits;
}

static int resolve(struct gate_limit *limit, const struct gate_section *section, const struct gate_subjects *subjects,
		   struct hd_arena *arena, struct hd_diag *diag)
{
	struct hd_loc loc = {section->path, limit->line, 0};
	limit->metric = gate_metric_find(limit->name, subjects, arena);
	if (limit->metric)
		return section->kind == GATE_SECTION_BASELINE ? 0 : check_percent(limit, loc, diag);
	char *near = gate_metric_nearest(limit->name, subjects);
	if (near[0])
		hd_error(diag, loc, "unknown metric '%s'; did you mean: %s?", limit->name, near);
	else
		hd_error(diag, loc, "unknown metric '%s'; `heddle check --list-metrics` lists them", limit->name);
	free(near);
	return -1;
}

int gate_budget_resolve(struct gate_budget *budget, const struct gate_subjects *subjects, struct hd_diag *diag)
{
	int status = 0;
	for (uint32_t i = 0; i < budget->limits.len; i++) {
		struct gate_limit *limit = &budget->limits.data[i];
		if (resolve(limit, &budget->sections.data[limit->section], subjects, budget->arena, diag) != 0)
			status = -1;
	}
	return status;
}

char *gate_limit_text(const struct gate_limit *limit, struct hd_arena *arena)
{
	static const char *const operators[] = {"<=", ">=", "="};
	const char *value = gate_metric_text(limit->metric, limit->value, arena);
	return hd_arena_printf(arena, "%s %s %s", limit->name, operators[limit->op], value);
}
