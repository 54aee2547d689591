/*
 * Inline PTX: from text to statements. Takes `[@p] opcode operand, operand ...;`, labels, declarations of registers and
 * of variables with a scope, comments, and numbers of PTX (decimal, 0x, 0b, octal, 0f and 0d floats). Linear in the
 * text.
 */
#include "passes/asm/parse.h"
#include "heddle/inst.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void hd_ptx_text_error(struct hd_ptx_text *text, const char *format, ...)
{
	if (text->failed)
		return;
	text->failed = true;
	va_list args;
	va_start(args, format);
	vsnprintf(text->reason, sizeof text->reason, format, args);
	va_end(args);
}

/* ------------------------------------------------------------------ characters */

void hd_ptx_skip_space(struct hd_ptx_text *text)
{
	for (;;) {
		while (isspace((unsigned char)*text->at))
			text->at++;
		const char *end;
		if (text->at[0] == '/' && text->at[1] == '/') {
			text->at += strcspn(text->at, "\n");
		} else if (text->at[0] == '/' && text->at[1] == '*') {
			end = strstr(text->at + 2, "*/");
			text->at = end ? end + 2 : text->at + strlen(text->at);
		} else {
			return;
		}
	}
}

bool hd_ptx_take(struct hd_ptx_text *text, char c)
{
	hd_ptx_skip_space(text);
	if (*text->at != c)
		return false;
	text->at++;
	return true;
}

void hd_ptx_expect(struct hd_ptx_text *text, char c)
{
	if (!hd_ptx_take(text, c))
		hd_ptx_text_error(text, "expected '%c' before \"%.16s\"", c, text->at);
}

/* Letters, digits, and what else the names of opcodes and registers hold. */
bool hd_ptx_take_word(struct hd_ptx_text *text, char *to, size_t room)
{
	size_t length = 0;
	hd_ptx_skip_space(text);
	while (isalnum((unsigned char)text->at[length]) || (text->at[length] && strchr("._%$:", text->at[length])))
		length++;
	if (!length || length >= room)
		return false;
	memcpy(to, text->at, length);
	to[length] = '\0';
	text->at += length;
	return true;
}

/* ------------------------------------------------------------------ registers and variables */

uint32_t hd_ptx_text_declare(struct hd_ptx_text *text, const char *name, unsigned bits)
{
	struct hd_ptx_name reg = {.bits = bits, .scope = text->scope};
	snprintf(reg.name, sizeof reg.name, "%s", name);
	hd_vec_push(&text->regs, reg);
	return text->regs.len - 1;
}

bool hd_ptx_find_register(struct hd_ptx_text *text, const char *name, size_t length, uint32_t *out)
{
	for (uint32_t i = text->regs.len; i-- > 0;)
		if (!text->regs.data[i].hidden && !strncmp(text->regs.data[i].name, name, length) &&
		    !text->regs.data[i].name[length]) {
			*out = i;
			return true;
		}
	return false;
}

unsigned hd_ptx_register_bits(const char *type)
{
	unsigned bits = hd_ptx_type_named(type + (*type == '.')).bits;
	return *type == '.' ? bits : 0;
}

/* `.reg .b32 a, b, t<4>;`: t<4> declares t0 to t3; of `.reg .v2 .b32 v` the registers are v.x and v.y. */
static void declaration(struct hd_ptx_text *text)
{
	static const char suffixes[] = "xyzw";
	char type[16], name[48], each[64];
	unsigned bits = 0, vector = 0;
	if (hd_ptx_take_word(text, type, sizeof type) && (!strcmp(type, ".v2") || !strcmp(type, ".v4"))) {
		vector = (unsigned)(type[2] - '0');
		if (!hd_ptx_take_word(text, type, sizeof type))
			*type = '\0';
	}
	bits = hd_ptx_register_bits(type);
	if (!bits) {
		hd_ptx_text_error(text, "expected a register type before \"%.16s\"", text->at);
		return;
	}
	do {
		if (!hd_ptx_take_word(text, name, sizeof name)) {
			hd_ptx_text_error(text, "expected a register name before \"%.16s\"", text->at);
			return;
		}
		for (unsigned i = 0; i < vector; i++) {
			snprintf(each, sizeof each, "%s.%c", name, suffixes[i]);
			hd_ptx_text_declare(text, each, bits);
		}
		if (vector || !hd_ptx_take(text, '<')) {
			if (!vector)
				hd_ptx_text_declare(text, name, bits);
			continue;
		}
		for (unsigned i = 0, n = (unsigned)strtoul(text->at, (char **)&text->at, 10); i < n && i < 256; i++) {
			snprintf(each, sizeof each, "%s%u", name, i);
			hd_ptx_text_declare(text, each, bits);
		}
		hd_ptx_expect(text, '>');
	} while (hd_ptx_take(text, ','));
	hd_ptx_expect(text, ';');
}

/* `.loc 1 20 3, function_name f, inlined_at 1 7 2`, which ends with its line or a semicolon: places are those of the
 * program's source. */
static void location(struct hd_ptx_text *text)
{
	text->at += strcspn(text->at, ";\n");
}

/* ------------------------------------------------------------------ scopes and labels */

static void enter_scope(struct hd_ptx_text *text)
{
	hd_vec_push(&text->outer, text->scope);
	text->scope = text->outer.len - 1;
}

static void leave_scope(struct hd_ptx_text *text)
{
	if (!text->scope) {
		hd_ptx_text_error(text, "'}' without '{'");
		return;
	}
	for (uint32_t i = 0; i < text->regs.len; i++)
		text->regs.data[i].hidden |= text->regs.data[i].scope == text->scope;
	text->scope = text->outer.data[text->scope];
}

static uint32_t label_in(struct hd_ptx_text *text, const char *name)
{
	struct hd_ptx_label label = {.scope = text->scope};
	for (uint32_t i = 0; i < text->labels.len; i++)
		if (text->labels.data[i].scope == text->scope && !strcmp(text->labels.data[i].name, name))
			return i;
	snprintf(label.name, sizeof label.name, "%s", name);
	hd_vec_push(&text->labels, label);
	return text->labels.len - 1;
}

uint32_t hd_ptx_text_label(const struct hd_ptx_text *text, uint32_t named)
{
	const char *name = text->labels.data[named].name;
	uint32_t scope = text->labels.data[named].scope;
	for (;; scope = text->outer.data[scope]) {
		for (uint32_t i = 0; i < text->labels.len; i++)
			if (text->labels.data[i].known && text->labels.data[i].scope == scope &&
			    !strcmp(text->labels.data[i].name, name))
				return i;
		if (!scope)
			return UINT32_MAX;
	}
}

/* `t: .branchtargets a, b, c;` */
static void branch_targets(struct hd_ptx_text *text, uint32_t table)
{
	char name[64];
	text->labels.data[table].table = true;
	do {
		if (!hd_ptx_take_word(text, name, sizeof name)) {
			hd_ptx_text_error(text, "expected a label before \"%.16s\"", text->at);
			return;
		}
		uint32_t target = label_in(text, name);
		hd_vec_push(&text->labels.data[table].targets, target);
	} while (hd_ptx_take(text, ','));
	hd_ptx_expect(text, ';');
}

/* The length of a label's name at the beginning of a word, which ends with a colon; 0: it is none. "shared::cta" is no
 * label. */
static size_t label_length(const char *word)
{
	const char *colon = strchr(word, ':');
	return colon && colon[1] != ':' ? (size_t)(colon - word) : 0;
}

void hd_ptx_text_init(struct hd_ptx_text *text, const char *at)
{
	*text = (struct hd_ptx_text){.at = at};
	hd_arena_init(&text->arena);
	text->none = HD_ARENA_NEW(&text->arena, struct hd_ptx_part, HD_PTX_ELEMENTS);
	hd_vec_push(&text->outer, 0);
}

void hd_ptx_text_release(struct hd_ptx_text *text)
{
	for (uint32_t i = 0; i < text->labels.len; i++)
		hd_vec_release(&text->labels.data[i].targets);
	hd_vec_release(&text->labels);
	hd_vec_release(&text->prototypes);
	hd_vec_release(&text->outer);
	for (uint32_t i = 0; i < text->variables.len; i++) {
		hd_vec_release(&text->variables.data[i].initial);
		hd_vec_release(&text->variables.data[i].addresses);
	}
	hd_vec_release(&text->variables);
	hd_vec_release(&text->regs);
	hd_vec_release(&text->refs);
	hd_arena_release(&text->arena);
}

/* ------------------------------------------------------------------ operands */

static void add_ref(struct hd_ptx_text *text, struct hd_ptx_ref ref)
{
	hd_vec_push(&text->refs, ref);
	text->now->ref_count++;
}

static bool register_part(struct hd_ptx_text *text, const char *name, const char *begin, struct hd_ptx_part *out)
{
	size_t length = strlen(name);
	const char *dot = strrchr(name, '.');
	if (!hd_ptx_find_register(text, name, length, &out->reg)) {
		/* "r.b0": a part of r */
		if (!dot || dot == name || strlen(dot + 1) >= sizeof out->selector || !strchr("bh", dot[1]) ||
		    !hd_ptx_find_register(text, name, (size_t)(dot - name), &out->reg))
			return false;
		snprintf(out->selector, sizeof out->selector, "%s", dot + 1);
		length = (size_t)(dot - name);
	}
	out->kind = HD_PTX_REG;
	const struct hd_ptx_ref ref = {.at = begin, .length = (unsigned)length, .reg = out->reg};
	add_ref(text, ref);
	return true;
}

/* Which of the program's it is, the legaliser looks for. */
uint32_t hd_ptx_program_variable(struct hd_ptx_text *text, const char *name)
{
	uint32_t scope = text->scope;
	if (*name == '%' || *name == '$' || *name == '.' || strchr(name, ':'))
		hd_ptx_text_error(text, "unknown name '%s'", name);
	text->scope = 0; /* it is everywhere */
	struct hd_ptx_variable made = {.reg = hd_ptx_text_declare(text, name, 64), .place = HD_PTX_PROGRAM};
	text->scope = scope;
	hd_vec_push(&text->variables, made);
	return made.reg;
}

void hd_ptx_part(struct hd_ptx_text *text, struct hd_ptx_part *out)
{
	hd_ptx_skip_space(text);
	if (hd_ptx_number(text, out))
		return;
	out->negated = hd_ptx_take(text, '-');
	hd_ptx_skip_space(text);
	char name[HD_PTX_NAME];
	const char *begin = text->at;
	if (!hd_ptx_take_word(text, name, sizeof name)) {
		hd_ptx_text_error(text, "expected an operand before \"%.16s\"", text->at);
		return;
	}
	if (register_part(text, name, begin, out))
		return;
	if (out->negated) {
		hd_ptx_text_error(text, "unknown name '%s'", name);
	} else if (!strcmp(name, "_")) {
		out->kind = HD_PTX_SINK;
	} else if (!strcmp(name, "WARP_SZ")) {
		*out = (struct hd_ptx_part){.kind = HD_PTX_NUMBER, .number = HD_WARP_LANES};
	} else if (hd_ptx_special_named(name, &out->number)) {
		out->kind = HD_PTX_SPECIAL;
		out->at = begin;
		out->length = (unsigned)strlen(name);
	} else if (!strcmp(text->now->parts[0], "bra") || !strcmp(text->now->parts[0], "brx")) {
		*out = (struct hd_ptx_part){.kind = HD_PTX_LABEL, .reg = label_in(text, name)};
	} else if (!strcmp(text->now->parts[0], "call")) {
		*out = (struct hd_ptx_part){.kind = HD_PTX_SYMBOL, .at = begin, .length = (unsigned)strlen(name)};
	} else {
		hd_ptx_program_variable(text, name);
		if (!text->failed)
			register_part(text, name, begin, out);
	}
}

struct hd_ptx_operand hd_ptx_new_operand(struct hd_ptx_text *text)
{
	return (struct hd_ptx_operand){.parts = HD_ARENA_NEW(&text->arena, struct hd_ptx_part, HD_PTX_ELEMENTS)};
}

void hd_ptx_parts_until(struct hd_ptx_text *text, struct hd_ptx_operand *out, char end)
{
	unsigned most = HD_PTX_ELEMENTS;
	if (!strcmp(text->now->parts[0], "wgmma")) {
		most = HD_PTX_WGMMA;
		out->parts = HD_ARENA_NEW(&text->arena, struct hd_ptx_part, most);
	}
	do {
		if (out->count == most) {
			hd_ptx_text_error(text, "more than %u elements", most);
			return;
		}
		hd_ptx_part(text, &out->parts[out->count++]);
	} while (!text->failed && hd_ptx_take(text, ','));
	hd_ptx_expect(text, end);
}

/* Behind a texture object: {x, y}, or x alone. */
static void texture_coordinates(struct hd_ptx_text *text, struct hd_ptx_operand *out)
{
	if (hd_ptx_take(text, '{'))
		hd_ptx_parts_until(text, out, '}');
	else
		hd_ptx_part(text, &out->parts[out->count++]);
}

/* `v`, of `.reg .v4 .b32 v`: its registers. */
static bool whole_vector(struct hd_ptx_text *text, struct hd_ptx_operand *out)
{
	const char *begin = text->at;
	char name[HD_PTX_NAME], each[HD_PTX_NAME + 4];
	uint32_t reg;
	bool named = hd_ptx_take_word(text, name, sizeof name);
	snprintf(each, sizeof each, "%s.x", named ? name : "");
	if (!named || hd_ptx_find_register(text, name, strlen(name), &reg) ||
	    !hd_ptx_find_register(text, each, strlen(each), &reg)) {
		text->at = begin;
		return false;
	}
	out->form = HD_PTX_VECTOR;
	out->count = 0;
	for (const char *suffix = "xyzw"; *suffix; suffix++) {
		snprintf(each, sizeof each, "%s.%c", name, *suffix);
		if (!hd_ptx_find_register(text, each, strlen(each), &reg))
			break;
		bool first = *suffix == 'x';
		const struct hd_ptx_ref ref = {.at = text->at - (first ? strlen(name) : 0),
					       .length = first ? (unsigned)strlen(name) : 0,
					       .reg = reg,
					       .before = first ? '{' : ','};
		add_ref(text, ref);
		out->parts[out->count++] = (struct hd_ptx_part){.kind = HD_PTX_REG, .reg = reg};
	}
	text->refs.data[text->refs.len - 1].after = '}';
	return true;
}

static void operand(struct hd_ptx_text *text, struct hd_ptx_operand *out)
{
	struct hd_ptx_part offset = {0};
	*out = hd_ptx_new_operand(text);
	out->count = 1;
	if (hd_ptx_take(text, '[')) {
		out->form = HD_PTX_ADDRESS;
		hd_ptx_part(text, &out->parts[0]);
		if (hd_ptx_take(text, '+') || (hd_ptx_skip_space(text), *text->at == '-')) {
			if (!hd_ptx_number(text, &offset) || offset.kind != HD_PTX_NUMBER)
				hd_ptx_text_error(text, "expected an offset before \"%.16s\"", text->at);
			out->offset = (int64_t)offset.number;
		} else if (hd_ptx_take(text, ',')) {
			texture_coordinates(text, out);
		}
		hd_ptx_expect(text, ']');
		return;
	}
	if (hd_ptx_take(text, '{')) {
		out->form = HD_PTX_VECTOR;
		out->count = 0;
		hd_ptx_parts_until(text, out, '}');
		return;
	}
	if (whole_vector(text, out))
		return;
	out->inverted = hd_ptx_take(text, '!');
	hd_ptx_part(text, &out->parts[0]);
	if (hd_ptx_take(text, '|'))
		hd_ptx_part(text, &out->second);
}

/* ------------------------------------------------------------------ statements */

static void split_opcode(struct hd_ptx_statement *statement)
{
	char *at = statement->split;
	memcpy(statement->split, statement->text, sizeof statement->split);
	statement->part_count = 0;
	while (statement->part_count < HD_PTX_PARTS) {
		statement->parts[statement->part_count++] = at;
		at = strchr(at, '.');
		if (!at)
			return;
		*at++ = '\0';
	}
}

bool hd_ptx_statement_has(const struct hd_ptx_statement *statement, const char *part)
{
	for (unsigned i = 1; i < statement->part_count; i++)
		if (!strcmp(statement->parts[i], part))
			return true;
	return false;
}

struct hd_ptx_type hd_ptx_statement_element(const struct hd_ptx_statement *statement)
{
	struct hd_ptx_type type = {0, 0};
	for (unsigned i = 1; i < statement->part_count && !type.bits; i++)
		type = hd_ptx_type_named(statement->parts[i]);
	return type;
}

struct hd_ptx_type hd_ptx_statement_type(const struct hd_ptx_statement *statement, unsigned back)
{
	if (back >= statement->part_count)
		return (struct hd_ptx_type){0, 0};
	return hd_ptx_type_named(statement->parts[statement->part_count - 1 - back]);
}

static void guard(struct hd_ptx_text *text, struct hd_ptx_statement *statement)
{
	struct hd_ptx_part reg = {0};
	statement->guarded = true;
	statement->guard_not = hd_ptx_take(text, '!');
	statement->parts[0] = "";
	hd_ptx_part(text, &reg);
	if (reg.kind != HD_PTX_REG || text->regs.data[reg.reg].bits != 1)
		hd_ptx_text_error(text, "the guard is not a predicate");
	statement->guard = reg.reg;
}

/* Hints to ptxas; those that nothing here knows are passed over. */
static void pragma(struct hd_ptx_text *text)
{
	static const char in_shared[] = "\"enable_smem_spilling\"";
	size_t length = strcspn(text->at, ";");
	for (size_t i = 0; i + sizeof(in_shared) - 1 <= length; i++)
		text->spills_in_shared |= !strncmp(text->at + i, in_shared, sizeof(in_shared) - 1);
	text->at += length;
}

/* `.reg`, `.local`, `.shared`, `.param`, `.global`, `.const`, `.func`, `.pragma`, `.loc`. */
static bool directive(struct hd_ptx_text *text, const char *word)
{
	if (!strcmp(word, ".reg"))
		declaration(text);
	else if (!strcmp(word, ".local") || !strcmp(word, ".shared") || !strcmp(word, ".param"))
		hd_ptx_variable(text, word[1] == 's' ? HD_PTX_SHARED : word[1] == 'p' ? HD_PTX_PARAM : HD_PTX_LOCAL);
	else if (!strcmp(word, ".global") || !strcmp(word, ".const"))
		hd_ptx_variable(text, word[1] == 'g' ? HD_PTX_GLOBAL : HD_PTX_CONST);
	else if (!strcmp(word, ".loc"))
		location(text);
	else if (!strcmp(word, ".func") || !strcmp(word, ".extern") || !strcmp(word, ".visible") ||
		 !strcmp(word, ".weak"))
		hd_ptx_function(text, word);
	else if (!strcmp(word, ".pragma"))
		pragma(text);
	else
		return false;
	return true;
}

static bool label(struct hd_ptx_text *text, struct hd_ptx_statement *statement)
{
	size_t length = label_length(statement->text);
	if (!length)
		return false;
	text->at -= strlen(statement->text) - length - 1;
	statement->text[length] = '\0';
	if (statement->guarded || length >= sizeof((struct hd_ptx_label *)0)->name) {
		hd_ptx_text_error(text, "'%.32s' is not a label", statement->text);
		return true;
	}
	statement->label = label_in(text, statement->text);
	if (text->labels.data[statement->label].known)
		hd_ptx_text_error(text, "duplicate label '%s'", statement->text);
	text->labels.data[statement->label].known = true;
	return true;
}

static void operands(struct hd_ptx_text *text, struct hd_ptx_statement *statement)
{
	hd_ptx_skip_space(text);
	while (!text->failed && *text->at && *text->at != ';' && *text->at != '}') {
		if (statement->count == HD_PTX_OPERANDS) {
			hd_ptx_text_error(text, "too many operands");
			break;
		}
		operand(text, &statement->operands[statement->count++]);
		if (!hd_ptx_take(text, ','))
			break;
	}
	statement->end = text->at;
	hd_ptx_skip_space(text);
	if (!text->failed && *text->at != '}' && *text->at) /* the last statement may leave out its semicolon */
		hd_ptx_expect(text, ';');
}

enum hd_ptx_next hd_ptx_parse(struct hd_ptx_text *text, struct hd_ptx_statement *statement)
{
	text->now = statement;
	for (;;) {
		hd_ptx_skip_space(text);
		if (text->failed || !*text->at)
			return HD_PTX_END;
		memset(statement, 0, sizeof *statement);
		for (unsigned i = 0; i < HD_PTX_OPERANDS; i++)
			statement->operands[i].parts = text->none;
		statement->first_ref = text->refs.len;
		statement->begin = text->at;
		statement->scope = text->scope;
		if (hd_ptx_take(text, '{')) {
			enter_scope(text);
			continue;
		}
		if (hd_ptx_take(text, '}')) {
			leave_scope(text);
			continue;
		}
		if (hd_ptx_take(text, ';'))
			continue;
		if (hd_ptx_take(text, '@'))
			guard(text, statement);
		if (!hd_ptx_take_word(text, statement->text, sizeof statement->text)) {
			hd_ptx_text_error(text, "expected an instruction before \"%.16s\"", text->at);
			return HD_PTX_END;
		}
		if (directive(text, statement->text))
			continue;
		if (!label(text, statement))
			break;
		char word[32];
		const char *behind = text->at;
		bool named = hd_ptx_take_word(text, word, sizeof word);
		if (named && !strcmp(word, ".callprototype")) {
			text->labels.data[statement->label].table = true;
			hd_ptx_prototype(text, statement->text);
		} else if (named && !strcmp(word, ".branchtargets")) {
			branch_targets(text, statement->label);
		} else {
			text->at = behind;
			return text->failed ? HD_PTX_END : HD_PTX_AT_LABEL;
		}
	}
	split_opcode(statement);
	if (!strcmp(statement->parts[0], "call"))
		hd_ptx_call(text, statement);
	operands(text, statement);
	return text->failed ? HD_PTX_END : HD_PTX_STATEMENT;
}
