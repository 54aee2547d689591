/*
 * The parser of pass parameters, made from the table options.def. A text goes through once
 * per key; the canonical form (table order, defaults left out) is what the metadata records.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "passes/pass.h"

#ifdef HD_DEBUG
#define HD_CHECK_DEFAULT true
#else
#define HD_CHECK_DEFAULT false
#endif

enum type { STRING, NUMBER, FLAG, CHOICE, NAMES };

/* One value in the shape of its type; only the member that the type names is used. */
struct value {
	const char *text;
	uint32_t number;
	bool flag;
	uint64_t set;
};

/* What NAMES may have, by the bit of each. */
struct names {
	const char *what;
	const char *const *list;
	unsigned count;
};

static const char *const steps[] = {
#define HD_STEP(id, name, ...) name,
#include "passes/mir.def"
};
static const char *const switches[] = {
#define HD_SWITCH(id, name, ...) name,
#include "passes/mir.def"
};
static const struct names names_STEPS = {"step", steps, HD_STEP_COUNT};
static const struct names names_SWITCHES = {"switch", switches, HD_SWITCH_COUNT};

struct option {
	const char *key;
	enum type type;
	struct value initial;
	uint32_t min, max;
	const char *choices;
	const struct names *names;
	bool recorded;
	const char *help;
	struct value (*get)(const struct hd_options *options);
	void (*set)(struct hd_options *options, struct value value);
};

#define MEMBER_STRING text
#define MEMBER_CHOICE text
#define MEMBER_NAMES set
#define MEMBER_NUMBER number
#define MEMBER_FLAG flag
#define CHOICES_STRING(max) NULL
#define CHOICES_NUMBER(max) NULL
#define CHOICES_FLAG(max) NULL
#define CHOICES_CHOICE(max) max
#define CHOICES_NAMES(max) NULL
#define NAMES_STRING(max) NULL
#define NAMES_NUMBER(max) NULL
#define NAMES_FLAG(max) NULL
#define NAMES_CHOICE(max) NULL
#define NAMES_NAMES(max) &names_##max
#define LIMIT_STRING(max) max
#define LIMIT_NUMBER(max) max
#define LIMIT_FLAG(max) max
#define LIMIT_CHOICE(max) 0
#define LIMIT_NAMES(max) 0

#define HD_OPTION(key, field, type, initial, min, max, recorded, help)          \
	static struct value get_##field(const struct hd_options *options)       \
	{                                                                       \
		return (struct value){.MEMBER_##type = options->field};         \
	}                                                                       \
	static void set_##field(struct hd_options *options, struct value value) \
	{                                                                       \
		options->field = value.MEMBER_##type;                           \
	}
#include "passes/options.def"
#undef HD_OPTION

static const struct option table[] = {
#define HD_OPTION(key, field, type, initial, min, max, recorded, help) \
	{key,                                                          \
	 type,                                                         \
	 {.MEMBER_##type = initial},                                   \
	 min,                                                          \
	 LIMIT_##type(max),                                            \
	 CHOICES_##type(max),                                          \
	 NAMES_##type(max),                                            \
	 recorded,                                                     \
	 help,                                                         \
	 get_##field,                                                  \
	 set_##field},
#include "passes/options.def"
#undef HD_OPTION
};
enum { OPTIONS = sizeof(table) / sizeof(table[0]) };

static int unknown_key(struct hd_unit *unit, const char *key)
{
	const char *names[OPTIONS];
	for (unsigned i = 0; i < OPTIONS; i++)
		names[i] = table[i].key;
	char *nearest = hd_nearest_names(key, names, OPTIONS);
	int status = hd_error(unit->diag, HD_NOWHERE, "unknown pass parameter '%s'%s%s%s", key,
			      *nearest ? "; did you mean " : "", nearest, *nearest ? "?" : "");
	free(nearest);
	return status;
}

static int parse_number(struct hd_unit *unit, const struct option *option, const char *text, struct value *value)
{
	char *end;
	errno = 0;
	unsigned long long number = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end)
		return hd_error(unit->diag, HD_NOWHERE, "pass parameter '%s': expected a number, not '%s'", option->key,
				text);
	bool standard = number == option->initial.number && !errno;
	if (!standard && (errno || number < option->min || number > option->max))
		return hd_error(unit->diag, HD_NOWHERE, "pass parameter '%s=%s': out of range %u to %u", option->key,
				text, option->min, option->max);
	value->number = (uint32_t)number;
	return 0;
}

static int parse_choice(struct hd_unit *unit, const struct option *option, const char *text, struct value *value)
{
	size_t len = strlen(text);
	value->text = text;
	for (const char *name = option->choices; name; name = strchr(name, '|')) {
		name += *name == '|';
		if (!strncmp(name, text, len) && (name[len] == '|' || !name[len]))
			return 0;
	}
	return hd_error(unit->diag, HD_NOWHERE, "pass parameter '%s=%s': expected one of %s", option->key, text,
			option->choices);
}

/* Several names; opt splits pipelines at commas even inside <>, so lists may be written with '+'. */
static int parse_names(struct hd_unit *unit, const struct option *option, const char *text, struct value *value)
{
	const struct names *names = option->names;
	const char *before = hd_arena_printf(&unit->arena, "pass parameter '%s': unknown %s", option->key, names->what);
	char *rest = hd_arena_strdup(&unit->arena, text), *name;
	while ((name = strsep(&rest, "+,"))) {
		unsigned i = 0;
		while (i < names->count && strcmp(names->list[i], name) != 0)
			i++;
		if (i < names->count)
			value->set |= UINT64_C(1) << i;
		else if (!strcmp(name, "all"))
			value->set |= UINT64_MAX >> (64 - names->count);
		else
			return hd_unknown_name(unit->diag, before, name, names->list, names->count);
	}
	return 0;
}

static int parse_flag(struct hd_unit *unit, const struct option *option, const char *text, struct value *value)
{
	value->flag = !text || !strcmp(text, "1");
	if (text && strcmp(text, "1") != 0 && strcmp(text, "0") != 0)
		return hd_error(unit->diag, HD_NOWHERE, "pass parameter '%s': expected 0 or 1, not '%s'", option->key,
				text);
	return 0;
}

/* `text` is NULL for a key without '='. */
static int parse_value(struct hd_unit *unit, const struct option *option, const char *text)
{
	struct value value = {0};
	if (option->type == FLAG) {
		if (parse_flag(unit, option, text, &value))
			return -1;
	} else if (!text || !*text) {
		return hd_error(unit->diag, HD_NOWHERE, "pass parameter '%s': missing value (%s)", option->key,
				option->help);
	} else if (option->type == NUMBER) {
		if (parse_number(unit, option, text, &value))
			return -1;
	} else if (option->type == CHOICE) {
		if (parse_choice(unit, option, text, &value))
			return -1;
	} else if (option->type == NAMES) {
		if (parse_names(unit, option, text, &value))
			return -1;
	} else {
		value.text = text;
	}
	option->set(&unit->options, value);
	if (!strcmp(option->key, "rdc")) /* set to nothing is unlike not set, which leaves it to the code */
		unit->options.whole_program = unit->options.whole_program || !value.flag;
	return 0;
}

static int parse_one(struct hd_unit *unit, char *text)
{
	char *value = strchr(text, '=');
	if (value)
		*value++ = 0;
	for (unsigned i = 0; i < OPTIONS; i++)
		if (!strcmp(table[i].key, text))
			return parse_value(unit, &table[i], value);
	return unknown_key(unit, text);
}

/* In the order of the table, so that one set is one text. */
static void append_names(struct hd_strbuf *text, const struct names *names, uint64_t set)
{
	const char *joint = "";
	for (unsigned i = 0; i < names->count; i++)
		if (set >> i & 1) {
			hd_strbuf_printf(text, "%s%s", joint, names->list[i]);
			joint = "+";
		}
}

static const char *canonical(struct hd_unit *unit)
{
	struct hd_strbuf text = {0};
	for (unsigned i = 0; i < OPTIONS; i++) {
		const struct option *option = &table[i];
		struct value value = option->get(&unit->options);
		const char *separator = text.len ? ";" : "";
		if (!option->recorded)
			continue;
		if (option->type == NUMBER && value.number != option->initial.number)
			hd_strbuf_printf(&text, "%s%s=%u", separator, option->key, value.number);
		else if (option->type == FLAG && value.flag != option->initial.flag)
			hd_strbuf_printf(&text, "%s%s=%d", separator, option->key, value.flag);
		else if (option->type == STRING && value.text)
			hd_strbuf_printf(&text, "%s%s=%s", separator, option->key, value.text);
		else if (option->type == CHOICE && strcmp(value.text, option->initial.text) != 0)
			hd_strbuf_printf(&text, "%s%s=%s", separator, option->key, value.text);
		else if (option->type == NAMES && value.set) {
			hd_strbuf_printf(&text, "%s%s=", separator, option->key);
			append_names(&text, option->names, value.set);
		}
	}
	const char *result = hd_arena_strdup(&unit->arena, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
	return result;
}

/* What stands before the next ';', in place; "\\;" is a semicolon and "\\\\" a backslash of the value. */
static char *next_parameter(char **rest)
{
	char *start = *rest, *to = start;
	if (!start)
		return NULL;
	const char *at = start;
	for (; *at && *at != ';'; at++) {
		if (*at == '\\' && (at[1] == ';' || at[1] == '\\'))
			at++;
		*to++ = *at;
	}
	*rest = *at ? start + (at + 1 - start) : NULL;
	*to = '\0';
	return start;
}

int hd_options_parse(struct hd_unit *unit, const char *parameters)
{
	char *rest = hd_arena_strdup(&unit->arena, parameters ? parameters : ""), *one;
	for (unsigned i = 0; i < OPTIONS; i++)
		table[i].set(&unit->options, table[i].initial);
	while ((one = next_parameter(&rest)))
		if (*one && parse_one(unit, one))
			return -1;
	if (unit->options.relocatable && unit->options.whole_program)
		return hd_error(unit->diag, HD_NOWHERE,
				"pass parameters 'rdc' and 'whole-program' (or 'rdc=0') contradict each other");
	unit->options.canonical = canonical(unit);
	unit->abi = hd_abi_find(unit->options.abi, strlen(unit->options.abi));
	if (!unit->abi)
		return hd_error(unit->diag, HD_NOWHERE, "the calling convention '%s' is not available",
				unit->options.abi);
	return 0;
}
