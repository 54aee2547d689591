/*
 * Inline PTX: from text to statements. Takes `[@p] opcode operand, operand ...;`, `.reg` declarations with a scope,
 * comments, and numbers of PTX (decimal, 0x, 0b, octal, 0f and 0d floats). Linear in the text.
 */
#include "passes/ptx/ptx.h"

#include <ctype.h>
#include <stdarg.h>

void hd_ptx_error(struct hd_ptx *ptx, const char *format, ...)
{
	if (ptx->failed)
		return;
	ptx->failed = true;
	va_list args;
	va_start(args, format);
	char reason[256];
	vsnprintf(reason, sizeof reason, format, args);
	va_end(args);
	hd_sel_unsupported(ptx->sel, "inline assembly%s%s%s: %s", ptx->now && *ptx->now->text ? " '" : "",
			   ptx->now ? ptx->now->text : "", ptx->now && *ptx->now->text ? "'" : "", reason);
}

/* ------------------------------------------------------------------ characters */

static void skip_space(struct hd_ptx *ptx)
{
	for (;;) {
		while (isspace((unsigned char)*ptx->at))
			ptx->at++;
		const char *end;
		if (ptx->at[0] == '/' && ptx->at[1] == '/') {
			ptx->at += strcspn(ptx->at, "\n");
		} else if (ptx->at[0] == '/' && ptx->at[1] == '*') {
			end = strstr(ptx->at + 2, "*/");
			ptx->at = end ? end + 2 : ptx->at + strlen(ptx->at);
		} else {
			return;
		}
	}
}

static bool take(struct hd_ptx *ptx, char c)
{
	skip_space(ptx);
	if (*ptx->at != c)
		return false;
	ptx->at++;
	return true;
}

static void expect(struct hd_ptx *ptx, char c)
{
	if (!take(ptx, c))
		hd_ptx_error(ptx, "'%c' expected before \"%.16s\"", c, ptx->at);
}

/* Letters, digits, and what else the names of opcodes and registers hold. */
static bool take_word(struct hd_ptx *ptx, char *to, size_t room)
{
	size_t length = 0;
	skip_space(ptx);
	while (isalnum((unsigned char)ptx->at[length]) || (ptx->at[length] && strchr("._%$:", ptx->at[length])))
		length++;
	if (!length || length >= room)
		return false;
	memcpy(to, ptx->at, length);
	to[length] = '\0';
	ptx->at += length;
	return true;
}

/* ------------------------------------------------------------------ registers */

uint32_t hd_ptx_declare(struct hd_ptx *ptx, const char *name, unsigned bits)
{
	struct hd_ptx_reg reg = {.bits = bits, .depth = ptx->depth};
	snprintf(reg.name, sizeof reg.name, "%s", name);
	hd_vec_push(&ptx->regs, reg);
	return ptx->regs.len - 1;
}

/* The innermost register of that name. */
static bool find_register(struct hd_ptx *ptx, const char *name, uint32_t *out)
{
	for (uint32_t i = ptx->regs.len; i-- > 0;)
		if (!strcmp(ptx->regs.data[i].name, name)) {
			*out = i;
			return true;
		}
	return false;
}

static unsigned register_bits(const char *type)
{
	static const struct {
		const char *name;
		unsigned bits;
	} types[] = {{".pred", 1}, {".b16", 16}, {".u16", 16}, {".s16", 16},   {".f16", 16}, {".b32", 32},
		     {".u32", 32}, {".s32", 32}, {".f32", 32}, {".f16x2", 32}, {".b64", 64}, {".u64", 64},
		     {".s64", 64}, {".f64", 64}, {".b8", 8},   {".u8", 8},     {".s8", 8}};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (!strcmp(type, types[i].name))
			return types[i].bits;
	return 0;
}

/* `.reg .b32 a, b, t<4>;`: t<4> declares t0 to t3. */
static void declaration(struct hd_ptx *ptx)
{
	char type[16];
	unsigned bits;
	if (!take_word(ptx, type, sizeof type) || !(bits = register_bits(type))) {
		hd_ptx_error(ptx, "register type expected before \"%.16s\"", ptx->at);
		return;
	}
	char name[48], each[64];
	do {
		if (!take_word(ptx, name, sizeof name)) {
			hd_ptx_error(ptx, "register name expected before \"%.16s\"", ptx->at);
			return;
		}
		if (!take(ptx, '<')) {
			hd_ptx_declare(ptx, name, bits);
			continue;
		}
		for (unsigned i = 0, n = (unsigned)strtoul(ptx->at, (char **)&ptx->at, 10); i < n && i < 256; i++) {
			snprintf(each, sizeof each, "%s%u", name, i);
			hd_ptx_declare(ptx, each, bits);
		}
		expect(ptx, '>');
	} while (take(ptx, ','));
	expect(ptx, ';');
}

static void leave_scope(struct hd_ptx *ptx)
{
	if (!ptx->depth) {
		hd_ptx_error(ptx, "'}' without '{'");
		return;
	}
	while (ptx->regs.len && hd_vec_last(&ptx->regs).depth == ptx->depth)
		ptx->regs.len--;
	ptx->depth--;
}

/* ------------------------------------------------------------------ operands */

static const struct {
	const char *name;
	uint32_t code;
} specials[] = {
	{"%tid.x", HD_SR_TID_X},
	{"%tid.y", HD_SR_TID_Y},
	{"%tid.z", HD_SR_TID_Z},
	{"%ctaid.x", HD_SR_CTAID_X},
	{"%ctaid.y", HD_SR_CTAID_Y},
	{"%ctaid.z", HD_SR_CTAID_Z},
	{"%ntid.x", HD_PTX_CBANK + HD_CB_NTID_X},
	{"%ntid.y", HD_PTX_CBANK + HD_CB_NTID_Y},
	{"%ntid.z", HD_PTX_CBANK + HD_CB_NTID_Z},
	{"%nctaid.x", HD_PTX_CBANK + HD_CB_NCTAID_X},
	{"%nctaid.y", HD_PTX_CBANK + HD_CB_NCTAID_Y},
	{"%nctaid.z", HD_PTX_CBANK + HD_CB_NCTAID_Z},
	{"%laneid", HD_SR_LANEID},
	{"%warpid", HD_SR_WARPID},
	{"%nwarpid", HD_SR_NWARPID},
	{"%smid", HD_SR_SMID},
	{"%nsmid", HD_SR_NSMID},
	{"%gridid", HD_SR_GRIDID},
	{"%lanemask_eq", HD_SR_LANEMASK_EQ},
	{"%lanemask_lt", HD_SR_LANEMASK_LT},
	{"%lanemask_le", HD_SR_LANEMASK_LE},
	{"%lanemask_gt", HD_SR_LANEMASK_GT},
	{"%lanemask_ge", HD_SR_LANEMASK_GE},
	{"%clock", HD_PTX_WIDE + HD_SR_CLOCK64},
	{"%clock_hi", HD_PTX_WIDE * 2 + HD_SR_CLOCK64},
	{"%clock64", HD_PTX_WIDE * 3 + HD_SR_CLOCK64},
	{"%globaltimer_lo", HD_PTX_WIDE + HD_SR_GLOBALTIMER64},
	{"%globaltimer_hi", HD_PTX_WIDE * 2 + HD_SR_GLOBALTIMER64},
	{"%globaltimer", HD_PTX_WIDE * 3 + HD_SR_GLOBALTIMER64},
};

static bool number(struct hd_ptx *ptx, struct hd_ptx_part *part)
{
	const char *text = ptx->at;
	bool negative = *text == '-';
	text += negative;
	if (!isdigit((unsigned char)*text))
		return false;
	part->kind = HD_PTX_NUMBER;
	char *end;
	if (*text == '0' && text[1] && strchr("fFdD", text[1])) {
		part->kind = tolower((unsigned char)text[1]) == 'f' ? HD_PTX_SINGLE : HD_PTX_DOUBLE;
		part->number = strtoull(text + 2, &end, 16);
		if (negative)
			part->number ^= part->kind == HD_PTX_SINGLE ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
	} else if (*text == '0' && (text[1] == 'b' || text[1] == 'B')) {
		part->number = strtoull(text + 2, &end, 2);
	} else {
		part->number = strtoull(text, &end, 0);
		if (*end == '.' || *end == 'e' || *end == 'E') {
			double value = strtod(text, &end);
			part->kind = HD_PTX_DOUBLE;
			memcpy(&part->number, &value, sizeof value);
			part->number ^= negative ? UINT64_C(1) << 63 : 0;
		}
	}
	if (negative && part->kind == HD_PTX_NUMBER)
		part->number = -part->number;
	ptx->at = end;
	if (part->kind == HD_PTX_NUMBER && (*end == 'U' || *end == 'u'))
		ptx->at++;
	return true;
}

static void part(struct hd_ptx *ptx, struct hd_ptx_part *out)
{
	skip_space(ptx);
	if (number(ptx, out))
		return;
	char name[64];
	if (!take_word(ptx, name, sizeof name)) {
		hd_ptx_error(ptx, "operand expected before \"%.16s\"", ptx->at);
		return;
	}
	if (find_register(ptx, name, &out->reg)) {
		out->kind = HD_PTX_REG;
		return;
	}
	if (!strcmp(name, "_")) {
		out->kind = HD_PTX_SINK;
		return;
	}
	if (!strcmp(name, "WARP_SZ")) {
		*out = (struct hd_ptx_part){.kind = HD_PTX_NUMBER, .number = HD_WARP_LANES};
		return;
	}
	for (size_t i = 0; i < sizeof specials / sizeof specials[0]; i++)
		if (!strcmp(name, specials[i].name)) {
			*out = (struct hd_ptx_part){.kind = HD_PTX_SPECIAL, .number = specials[i].code};
			return;
		}
	hd_ptx_error(ptx, "'%s' is not known", name);
}

static void parts_until(struct hd_ptx *ptx, struct hd_ptx_operand *out, char end)
{
	do {
		if (out->count == HD_PTX_ELEMENTS) {
			hd_ptx_error(ptx, "more than eight elements");
			return;
		}
		part(ptx, &out->parts[out->count++]);
	} while (!ptx->failed && take(ptx, ','));
	expect(ptx, end);
}

/* Behind a texture object: {x, y}, or x alone. */
static void texture_coordinates(struct hd_ptx *ptx, struct hd_ptx_operand *out)
{
	if (take(ptx, '{'))
		parts_until(ptx, out, '}');
	else
		part(ptx, &out->parts[out->count++]);
}

static void operand(struct hd_ptx *ptx, struct hd_ptx_operand *out)
{
	struct hd_ptx_part offset = {0};
	*out = (struct hd_ptx_operand){.count = 1};
	if (take(ptx, '[')) {
		out->form = HD_PTX_ADDRESS;
		part(ptx, &out->parts[0]);
		if (take(ptx, '+') || (skip_space(ptx), *ptx->at == '-')) {
			part(ptx, &offset);
			if (offset.kind != HD_PTX_NUMBER)
				hd_ptx_error(ptx, "offset expected before \"%.16s\"", ptx->at);
			out->offset = (int64_t)offset.number;
		} else if (take(ptx, ',')) {
			texture_coordinates(ptx, out);
		}
		expect(ptx, ']');
		return;
	}
	if (take(ptx, '{')) {
		out->form = HD_PTX_VECTOR;
		out->count = 0;
		parts_until(ptx, out, '}');
		return;
	}
	out->inverted = take(ptx, '!');
	part(ptx, &out->parts[0]);
	if (take(ptx, '|'))
		part(ptx, &out->second);
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

static void guard(struct hd_ptx *ptx, struct hd_ptx_statement *statement)
{
	struct hd_ptx_part reg = {0};
	statement->guarded = true;
	statement->guard_not = take(ptx, '!');
	part(ptx, &reg);
	if (reg.kind != HD_PTX_REG || ptx->regs.data[reg.reg].bits != 1)
		hd_ptx_error(ptx, "the guard is no predicate");
	statement->guard = reg.reg;
}

enum hd_ptx_next hd_ptx_parse(struct hd_ptx *ptx, struct hd_ptx_statement *statement)
{
	for (;;) {
		skip_space(ptx);
		if (ptx->failed || !*ptx->at)
			return HD_PTX_END;
		memset(statement, 0, sizeof *statement);
		if (take(ptx, '{')) {
			ptx->depth++;
			continue;
		}
		if (take(ptx, '}')) {
			leave_scope(ptx);
			continue;
		}
		if (take(ptx, ';'))
			continue;
		if (take(ptx, '@'))
			guard(ptx, statement);
		if (!take_word(ptx, statement->text, sizeof statement->text)) {
			hd_ptx_error(ptx, "instruction expected before \"%.16s\"", ptx->at);
			return HD_PTX_END;
		}
		if (!strcmp(statement->text, ".reg")) {
			declaration(ptx);
			continue;
		}
		break;
	}
	if (statement->text[strlen(statement->text) - 1] == ':') {
		hd_ptx_error(ptx, "labels are not supported");
		return HD_PTX_END;
	}
	split_opcode(statement);
	skip_space(ptx);
	while (!ptx->failed && *ptx->at && *ptx->at != ';' && *ptx->at != '}') {
		if (statement->count == HD_PTX_OPERANDS) {
			hd_ptx_error(ptx, "too many operands");
			break;
		}
		operand(ptx, &statement->operands[statement->count++]);
		if (!take(ptx, ','))
			break;
	}
	skip_space(ptx);
	if (!ptx->failed && *ptx->at != '}' && *ptx->at) /* the last statement may leave out its semicolon */
		expect(ptx, ';');
	return ptx->failed ? HD_PTX_END : HD_PTX_STATEMENT;
}
