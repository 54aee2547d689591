/*
 * Where the source declares the shared variables and the arrays in local memory that a figure comes from. Neither
 * objects nor line tables say that, so the text of the source is read: a statement that begins with two words is a
 * declaration, and the nearest one above an access counts. Macros that declare are not seen; then the access stands in.
 *
 * Cost: one reading of the source for each name.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/machine/mix.h"
#include "tools/heddle/gate/carry.h"

enum { MOST_VARIABLES = 4, MOST_NAME = 128 };

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
	uint32_t words, depth;	/* depth: of parentheses and brackets */
	bool shared, elsewhere; /* __shared__; of another memory space */
	bool expression, value; /* value: behind a = */
	bool angles;		/* in template arguments */
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
	bool may =
		statement->words && !statement->expression && !statement->value && strchr("w*&>,", statement->before);
	statement->shared |= !strcmp(word, "__shared__");
	statement->elsewhere |= is_one_of(word, other_spaces);
	statement->expression |= is_one_of(word, not_types);
	statement->words++;
	return may;
}

static void take_character(struct statement *statement, char token)
{
	switch (token) {
	case ';':
	case '{':
	case '}':
	case ':': *statement = (struct statement){0}; return;
	case '(':
	case '[': statement->depth++; break;
	case ')':
	case ']': statement->depth -= statement->depth > 0; break;
	case '=': statement->value = true; break;
	case ',': statement->value = false; break;
	case '<': statement->angles = statement->before == 'w' && !statement->value; break;
	case '>': statement->angles = false; break;
	default: break;
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
		bool inside = statement.depth || statement.angles;
		if (token != 'w') {
			take_character(&statement, token);
		} else if (!inside && take_word(&statement, word) && !strcmp(word, name) &&
			   statement.shared == shared && !statement.elsewhere) {
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

/* The last name of a symbol: "t" of _ZZ4tilePKfPfE1t. */
static void plain_name(const char *symbol, char name[MOST_NAME])
{
	snprintf(name, MOST_NAME, "%s", symbol);
	if (strncmp(symbol, "_Z", 2) != 0)
		return;
	for (const char *at = symbol + 2; *at;) {
		char *end;
		size_t length = isdigit((unsigned char)*at) ? strtoul(at, &end, 10) : 0;
		if (!length) {
			at++;
		} else if (length > strlen(end)) {
			at = end;
		} else {
			snprintf(name, MOST_NAME, "%.*s", (int)length, end);
			at = end + length;
		}
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

static void tell_shared(const struct gate_carry *carry, const struct variable *variable)
{
	struct gate_place place = gate_carry_place(carry, variable->subject, variable->origin);
	char name[MOST_NAME];
	plain_name(variable->symbol->name, name);
	char *text = place.file ? gate_root_text(carry->root, place.file) : NULL;
	uint32_t line = text ? declared_line(text, name, place.line, true) : 0;
	free(text);
	if (line)
		place.line = line;
	gate_carry_add(carry, place,
		       hd_arena_printf(carry->arena, "%s, %llu bytes of shared memory, is %s here", name,
				       (unsigned long long)variable->symbol->size, line ? "declared" : "accessed"));
}

void gate_carry_shared(const struct gate_carry *carry, const struct gate_subject *subject)
{
	variables list = {0};
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
		tell_shared(carry, &list.data[i]);
	hd_vec_release(&list);
}

/* ------------------------------------------------------------------ arrays in local memory */

/* Of what the line indexes, the arrays that are declared above it. */
static void tell_arrays_of(const struct gate_carry *carry, const char *source, struct gate_place place, uint32_t *told,
			   uint32_t *count)
{
	struct text text = {source, 1, true};
	char word[MOST_NAME], before = 0;
	for (char token; (token = next_token(&text, word)) && text.line <= place.line; before = token) {
		if (token != 'w' || text.line != place.line || before == '.' || *text.at != '[')
			continue;
		uint32_t line = declared_line(source, word, place.line, false), known = 0;
		while (known < *count && told[known] != line)
			known++;
		if (!line || known < *count || *count == MOST_VARIABLES)
			continue;
		told[(*count)++] = line;
		gate_carry_add(carry, (struct gate_place){place.file, line},
			       hd_arena_printf(carry->arena, "%s, an array in local memory, is declared here", word));
	}
}

void gate_carry_arrays(const struct gate_carry *carry, const struct gate_subject *subject)
{
	const struct hd_function *code = gate_code_of(subject);
	uint32_t told[MOST_VARIABLES], count = 0, last = 0;
	for (uint32_t i = 0; code && i < code->inst_count && count < MOST_VARIABLES; i++) {
		struct gate_place place = {0};
		if (code->insts[i].role == HD_ROLE_PLAIN && hd_inst_is_of(&code->insts[i], HD_MIX_LOCAL))
			place = gate_carry_place(carry, subject, &code->origins[i]);
		if (!place.file || place.line == last)
			continue;
		last = place.line;
		char *text = gate_root_text(carry->root, place.file);
		if (text)
			tell_arrays_of(carry, text, place, told, &count);
		free(text);
	}
}
