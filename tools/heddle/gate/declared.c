/*
 * Where the source declares the shared variables and the arrays in local memory that a figure comes from. Neither
 * objects nor line tables say that, so the text of the source is read: a statement that begins with two words is a
 * declaration, and the nearest one above an access counts. Macros that declare are not seen; then the access stands in.
 *
 * Cost: one walk over the source for each name; a file is read once for lines that follow each other in it.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/machine/mix.h"
#include "tools/heddle/gate/carry.h"

enum { MOST_VARIABLES = 4, MOST_NAME = 128 };

/* The file that was read last. */
struct source {
	char *file, *text; /* NULL: none; it could not be read */
};

static void release_source(struct source *source)
{
	free(source->file);
	free(source->text);
	*source = (struct source){0};
}

/* NULL: it cannot be read. */
static const char *text_of(struct source *source, const struct gate_root *root, const char *file)
{
	if (!source->file || strcmp(source->file, file) != 0) {
		release_source(source);
		source->file = hd_xstrdup(file);
		source->text = gate_root_text(root, file);
	}
	return source->text;
}

/* ------------------------------------------------------------------ text */

struct text {
	const char *at;
	uint32_t line;
	bool fresh; /* nothing but blanks before it in its line */
};

static void step(struct text *text)
{
	bool newline = *text->at++ == '\n';
	text->line += newline;
	text->fresh = newline || (text->fresh && isspace((unsigned char)text->at[-1]));
}

/* Over a comment or a directive at `at`, to what ends it. */
static void skip_until(struct text *text, const char *end)
{
	while (*text->at && strncmp(text->at, end, strlen(end)) != 0) {
		bool joined = text->at[0] == '\\' && text->at[1];
		step(text);
		if (joined)
			step(text);
	}
	if (*text->at && *end != '\n')
		for (size_t i = strlen(end); i > 0; i--)
			step(text);
}

static void skip_blanks(struct text *text)
{
	for (;;) {
		if (isspace((unsigned char)*text->at))
			step(text);
		else if (!strncmp(text->at, "/*", 2))
			skip_until(text, "*/");
		else if (!strncmp(text->at, "//", 2) || (*text->at == '#' && text->fresh))
			skip_until(text, "\n");
		else
			return;
	}
}

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The next word, or a character. Strings are one character. 0: the end. */
static char next_token(struct text *text, char word[MOST_NAME])
{
	size_t length = 0;
	*word = '\0';
	skip_blanks(text);
	char first = *text->at;
	if (!first)
		return 0;
	if (!in_word(first)) {
		step(text);
		if (first == '"' || first == '\'') {
			while (*text->at && *text->at != first && *text->at != '\n') {
				if (*text->at == '\\' && text->at[1])
					step(text);
				step(text);
			}
			if (*text->at == first)
				step(text);
		}
		/* What follows is a member, no name of its own. */
		if ((first == '-' && *text->at == '>') || (first == ':' && *text->at == ':')) {
			step(text);
			return first == '-' ? '.' : '~';
		}
		return first;
	}
	for (; in_word(*text->at); step(text))
		if (length + 1 < MOST_NAME)
			word[length++] = *text->at;
	word[length] = '\0';
	return isdigit((unsigned char)*word) ? '0' : 'w';
}

/* ------------------------------------------------------------------ declarations */

struct statement {
	uint32_t words, depth;	/* words: before the first value; depth: of parentheses and brackets */
	uint32_t angles;	/* depth of template arguments */
	bool shared, elsewhere; /* __shared__; of another memory space */
	bool lasting;		/* not on the stack */
	bool expression, value; /* value: behind a = */
	bool list, declares;	/* behind a comma; two words came before the first one */
	bool control;		/* a condition in parentheses comes */
	char before;
};

static bool is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(*list, word) != 0)
		list++;
	return *list != NULL;
}

/* A word of the statement. Returns whether a declaration may call a variable so. */
static bool take_word(struct statement *statement, const char *word)
{
	static const char *const not_types[] = {"return", "else", "case",    "goto",   "delete",    "throw", "new",
						"using",  "do",	  "typedef", "sizeof", "co_return", NULL};
	static const char *const other_spaces[] = {"__device__", "__constant__", "__managed__", NULL};
	static const char *const controls[] = {"for", "if", "while", "switch", NULL};
	static const char *const lasting[] = {"static", "extern", "constexpr", NULL};
	bool member = strchr(".~", statement->before) && statement->before;
	bool may = statement->words && !statement->expression && !statement->value && statement->before &&
		   strchr("w*&>,", statement->before) && (!statement->list || statement->declares);
	statement->shared |= !strcmp(word, "__shared__");
	statement->elsewhere |= is_one_of(word, other_spaces);
	statement->lasting |= is_one_of(word, lasting);
	statement->control |= is_one_of(word, controls);
	statement->expression |= is_one_of(word, not_types);
	statement->words += !member && !statement->value && !statement->list;
	return may;
}

static void take_angle(struct statement *statement, char token)
{
	if (token == '<' && (statement->angles || (statement->before == 'w' && !statement->value)))
		statement->angles++;
	else if (token == '>' && statement->angles)
		statement->angles--;
	else if (token == '>' && !statement->value)
		statement->expression = true; /* a comparison */
}

static void take_comma(struct statement *statement)
{
	if (!statement->list)
		statement->declares = statement->words > 1;
	statement->list = true;
	statement->value = false;
}

/* Those of a `for` and of a lambda's body are within parentheses. */
static void take_end(struct statement *statement, char token)
{
	if (!statement->depth || token == '{' || token == '}')
		*statement = (struct statement){0};
}

/* Behind the parentheses of a `for` or `if` a statement begins. */
static void take_close(struct statement *statement)
{
	statement->depth -= statement->depth > 0;
	if (statement->control && !statement->depth)
		*statement = (struct statement){0};
}

static void take_character(struct statement *statement, char token)
{
	bool plain = !statement->depth && !statement->angles;
	switch (token) {
	case ';':
	case '{':
	case '}':
	case ':': take_end(statement, token); return;
	case '(':
	case '[': statement->depth++; return;
	case ')':
	case ']': take_close(statement); return;
	case '<':
	case '>':
		if (!statement->depth)
			take_angle(statement, token);
		return;
	case '=': statement->value |= plain; return;
	case ',':
		if (plain)
			take_comma(statement);
		return;
	case '&': statement->expression |= plain && statement->before == '&'; return;
	default: return;
	}
}

/* The line of the nearest declaration of the name at or above `last`; 0: none. */
static uint32_t declared_line(const char *source, const char *name, uint32_t last, bool shared)
{
	struct text text = {source, 1, true};
	struct statement statement = {0};
	char word[MOST_NAME];
	uint32_t found = 0;
	for (char token; (token = next_token(&text, word)) && text.line <= last;) {
		bool inside = statement.depth || statement.angles > 0;
		if (token != 'w') {
			take_character(&statement, token);
		} else if (!inside && take_word(&statement, word) && !strcmp(word, name) &&
			   statement.shared == shared && !statement.elsewhere && (shared || !statement.lasting)) {
			skip_blanks(&text);
			if (shared || *text.at == '[' || statement.before == '>')
				found = text.line;
		}
		if (!inside || token != 'w')
			statement.before = token == ']' ? 'w' : token;
	}
	return found;
}

/* ------------------------------------------------------------------ shared variables */

struct variable {
	const struct hd_symbol *symbol;
	const struct gate_subject *subject; /* whose code has the first access */
	const struct hd_origin *origin;
	uint64_t growth; /* bytes more than before, or all */
};

/* Whether the length at `at` and the name behind it reach to `end`. */
static bool reaches(const char *at, const char *end)
{
	char *name;
	if (!isdigit((unsigned char)*at) || isdigit((unsigned char)at[-1]))
		return false;
	size_t length = strtoul(at, &name, 10);
	if (!length || name >= end || length != (size_t)(end - name) || isdigit((unsigned char)*name))
		return false;
	while (name < end && in_word(*name))
		name++;
	return name == end;
}

/* Before the number that a symbol ends with, and what joins it: "_0", "__10_", ".1"; the end when there is none. */
static const char *without_number(const char *symbol, const char *end)
{
	const char *at = end - (end[-1] == '_');
	while (at > symbol && isdigit((unsigned char)at[-1]))
		at--;
	if (at == end || at == symbol || !strchr("_.", at[-1]))
		return end;
	at--;
	return end[-1] == '_' && at > symbol && at[-1] == '_' ? at - 1 : at;
}

/*
 * The last name of a symbol: "t" of _ZZ4tilePKfPfE1t. A function's own variables stand behind the E of its name. What
 * is before may have numbers that are no lengths: template arguments.
 */
static void plain_name(const char *symbol, char name[MOST_NAME])
{
	size_t length = strlen(symbol);
	const char *whole = symbol + length, *ends[2];
	bool local = !strncmp(symbol, "_ZZ", 3);
	snprintf(name, MOST_NAME, "%s", symbol);
	if (strncmp(symbol, "_Z", 2) != 0 || length < 3)
		return;
	ends[0] = !local && whole[-1] == 'E' ? whole - 1 : whole;
	ends[1] = without_number(symbol, whole);
	for (uint32_t i = 0; i < 2; i++)
		for (const char *at = symbol + 2; at < ends[i]; at++) {
			bool follows = !local || at[-1] == 'E' || (at[-1] == 'L' && at[-2] == 'E');
			if (!follows || !reaches(at, ends[i]))
				continue;
			at += strspn(at, "0123456789");
			snprintf(name, MOST_NAME, "%.*s", (int)(ends[i] - at), at);
			return;
		}
}

static uint64_t old_size(const struct gate_carry *carry, const struct gate_subject *subject, const char *name)
{
	const struct gate_subject *old = carry->old ? gate_carry_old(carry, subject) : NULL;
	for (uint32_t i = 0; old && i < old->unit->object.symbol_count; i++)
		if (!strcmp(old->unit->object.symbols[i].name, name))
			return old->unit->object.symbols[i].size;
	return 0;
}

typedef HD_VEC(struct variable) variables;

static void find_shared(const struct gate_subject *subject, variables *list)
{
	const struct hd_function *code = gate_code_of(subject);
	const struct hd_object *object = &subject->unit->object;
	for (uint32_t i = 0; code && i < code->inst_count; i++) {
		const struct hd_origin *origin = &code->origins[i];
		bool known = origin->variable && origin->variable <= object->symbol_count;
		const struct hd_symbol *symbol = known ? &object->symbols[origin->variable - 1] : NULL;
		if (!symbol || symbol->space != HD_SPACE_SHARED || !symbol->size)
			continue;
		uint32_t at = 0;
		while (at < list->len && list->data[at].symbol != symbol)
			at++;
		if (at == list->len)
			hd_vec_push(list, (struct variable){symbol, subject, origin, 0});
		else if (list->data[at].subject == subject && origin->line < list->data[at].origin->line)
			list->data[at].origin = origin;
	}
}

static int by_growth(const void *a, const void *b)
{
	const struct variable *left = a, *right = b;
	if (left->growth != right->growth)
		return left->growth < right->growth ? 1 : -1;
	return left->symbol < right->symbol ? -1 : left->symbol > right->symbol; /* of one array */
}

static void tell_shared(const struct gate_carry *carry, const struct variable *variable, struct source *source)
{
	struct gate_place place = gate_carry_place(carry, variable->subject, variable->origin);
	char name[MOST_NAME];
	plain_name(variable->symbol->name, name);
	const char *text = place.file ? text_of(source, carry->root, place.file) : NULL;
	uint32_t line = text ? declared_line(text, name, place.line, true) : 0;
	if (line)
		place.line = line;
	gate_carry_add(carry, place,
		       hd_arena_printf(carry->arena, "%s, %llu bytes of shared memory, is %s here", name,
				       (unsigned long long)variable->symbol->size, line ? "declared" : "accessed"));
}

void gate_carry_shared(const struct gate_carry *carry, const struct gate_subject *subject)
{
	variables list = {0};
	struct source source = {0};
	uint32_t functions = 0;
	const struct gate_subject **reached;
	gate_carry_reached(subject, &reached, &functions);
	for (uint32_t i = 0; i < functions; i++)
		find_shared(reached[i], &list);
	free(reached);
	for (uint32_t i = 0; i < list.len; i++) {
		uint64_t size = list.data[i].symbol->size, before = old_size(carry, subject, list.data[i].symbol->name);
		list.data[i].growth = size > before ? size - before : 0;
	}
	/* The finding stands at the first. */
	if (list.len)
		qsort(list.data, list.len, sizeof(*list.data), by_growth);
	for (uint32_t i = 0; i < list.len && i < MOST_VARIABLES && (list.data[i].growth || !list.data[0].growth); i++)
		tell_shared(carry, &list.data[i], &source);
	release_source(&source);
	hd_vec_release(&list);
}

/* ------------------------------------------------------------------ arrays in local memory */

struct array {
	uint32_t line;
	char name[MOST_NAME];
};

/* Of what the line indexes, the arrays that are declared above it. */
static void tell_arrays_of(const struct gate_carry *carry, const char *source, struct gate_place place,
			   struct array *told, uint32_t *count)
{
	struct text text = {source, 1, true};
	struct array array;
	char *word = array.name, before = 0;
	for (char token; (token = next_token(&text, word)) && text.line <= place.line; before = token) {
		if (token != 'w' || text.line != place.line || before == '.' || *text.at != '[')
			continue;
		uint32_t line = declared_line(source, word, place.line, false), known = 0;
		while (known < *count && (told[known].line != line || strcmp(told[known].name, word) != 0))
			known++;
		if (!line || known < *count || *count == MOST_VARIABLES)
			continue;
		array.line = line;
		told[(*count)++] = array;
		gate_carry_add(carry, (struct gate_place){place.file, line},
			       hd_arena_printf(carry->arena, "%s, an array in local memory, is declared here", word));
	}
}

void gate_carry_arrays(const struct gate_carry *carry, const struct gate_subject *subject)
{
	const struct hd_function *code = gate_code_of(subject);
	struct source source = {0};
	struct array told[MOST_VARIABLES];
	uint32_t count = 0, last = 0;
	for (uint32_t i = 0; code && i < code->inst_count && count < MOST_VARIABLES; i++) {
		struct gate_place place = {0};
		if (code->insts[i].role == HD_ROLE_PLAIN && hd_inst_is_of(&code->insts[i], HD_MIX_LOCAL))
			place = gate_carry_place(carry, subject, &code->origins[i]);
		if (!place.file || place.line == last)
			continue;
		last = place.line;
		const char *text = text_of(&source, carry->root, place.file);
		if (text)
			tell_arrays_of(carry, text, place, told, &count);
	}
	release_source(&source);
}
