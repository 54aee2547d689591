/*
 * Inline PTX: constants. Integers (decimal, 0x, 0b, octal), floats (0f, 0d, decimal), and expressions of integers with
 * C's operators, of 64 bits and signed unless an operand is not (the PTX ISA, Constants). Linear in the text.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "passes/asm/parse.h"

struct number {
	uint64_t bits;
	bool is_unsigned;
};

static bool literal(struct hd_ptx_text *text, struct hd_ptx_part *part, bool *is_unsigned)
{
	const char *digits = text->at;
	bool negative = *digits == '-';
	digits += negative;
	if (!isdigit((unsigned char)*digits))
		return false;
	part->kind = HD_PTX_NUMBER;
	char *end;
	errno = 0;
	if (*digits == '0' && digits[1] && strchr("fFdD", digits[1])) {
		part->kind = tolower((unsigned char)digits[1]) == 'f' ? HD_PTX_SINGLE : HD_PTX_DOUBLE;
		part->number = strtoull(digits + 2, &end, 16);
		if (negative)
			part->number ^= part->kind == HD_PTX_SINGLE ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
	} else if (*digits == '0' && (digits[1] == 'b' || digits[1] == 'B')) {
		part->number = strtoull(digits + 2, &end, 2);
	} else {
		part->number = strtoull(digits, &end, 0);
		if (*end == '.' || *end == 'e' || *end == 'E') {
			double value = strtod(digits, &end);
			part->kind = HD_PTX_DOUBLE;
			memcpy(&part->number, &value, sizeof value);
			part->number ^= negative ? UINT64_C(1) << 63 : 0;
		}
	}
	if (errno && part->kind == HD_PTX_NUMBER)
		hd_ptx_text_error(text, "the number has more than 64 bits");
	text->at = end;
	*is_unsigned = part->kind == HD_PTX_NUMBER && (*end == 'U' || *end == 'u');
	text->at += *is_unsigned;
	*is_unsigned |= part->number >> 63;
	if (negative && part->kind == HD_PTX_NUMBER)
		part->number = -part->number;
	return true;
}

/* ------------------------------------------------------------------ operators */

static const struct operator
{
	const char *text;
	unsigned rank; /* the higher one binds first */
}
operators[] = {
	{"||", 1}, {"&&", 2}, {"==", 6}, {"!=", 6}, {"<=", 7}, {">=", 7}, {"<<", 8}, {">>", 8}, {"|", 3},
	{"^", 4},  {"&", 5},  {"<", 7},	 {">", 7},  {"+", 9},  {"-", 9},  {"*", 10}, {"/", 10}, {"%", 10},
};

static struct number apply(struct hd_ptx_text *text, const char *name, struct number a, struct number b)
{
	bool is_unsigned = a.is_unsigned || b.is_unsigned;
	uint64_t x = a.bits, y = b.bits;
	int64_t i = (int64_t)x, j = (int64_t)y;
	bool less = is_unsigned ? x < y : i < j;
	switch (name[0]) {
	case '+': return (struct number){x + y, is_unsigned};
	case '-': return (struct number){x - y, is_unsigned};
	case '*': return (struct number){x * y, is_unsigned};
	case '/':
	case '%':
		if (!y) {
			hd_ptx_text_error(text, "division by zero");
			return a;
		}
		if (!is_unsigned && j == -1) /* of the least number, too */
			return (struct number){name[0] == '/' ? -x : 0, false};
		if (name[0] == '/')
			return (struct number){is_unsigned ? x / y : (uint64_t)(i / j), is_unsigned};
		return (struct number){is_unsigned ? x % y : (uint64_t)(i % j), is_unsigned};
	case '^': return (struct number){x ^ y, is_unsigned};
	case '=': return (struct number){x == y, false};
	case '!': return (struct number){x != y, false};
	case '&': return name[1] ? (struct number){x && y, false} : (struct number){x & y, is_unsigned};
	case '|': return name[1] ? (struct number){x || y, false} : (struct number){x | y, is_unsigned};
	case '<':
		if (name[1] == '<')
			return (struct number){y < 64 ? x << y : 0, a.is_unsigned};
		return (struct number){less || (name[1] == '=' && x == y), false};
	default:
		if (name[1] == '>' && a.is_unsigned)
			return (struct number){y < 64 ? x >> y : 0, true};
		if (name[1] == '>')
			return (struct number){(uint64_t)(i >> (y < 63 ? y : 63)), false};
		return (struct number){!less && (name[1] == '=' || x != y), false};
	}
}

static bool expression(struct hd_ptx_text *text, unsigned rank, struct number *out);

/* `-x`, `(x)`, `(.u64)x`; false: it is none, and nothing was taken. */
static bool primary(struct hd_ptx_text *text, struct number *out)
{
	const char *begin = text->at;
	struct hd_ptx_part part = {0};
	char cast[8];
	hd_ptx_skip_space(text);
	char sign = *text->at;
	if (sign && strchr("-+~!", sign)) {
		text->at++;
		if (primary(text, out)) {
			out->bits = sign == '-'	  ? -out->bits
				    : sign == '~' ? ~out->bits
				    : sign == '!' ? !out->bits
						  : out->bits;
			return true;
		}
	} else if (hd_ptx_take(text, '(')) {
		hd_ptx_skip_space(text);
		bool typed = *text->at == '.' && hd_ptx_take_word(text, cast, sizeof cast) && hd_ptx_take(text, ')');
		if (typed ? primary(text, out) : expression(text, 0, out) && hd_ptx_take(text, ')')) {
			out->is_unsigned = typed ? cast[1] == 'u' : out->is_unsigned;
			return true;
		}
	} else if (literal(text, &part, &out->is_unsigned) && part.kind == HD_PTX_NUMBER) {
		out->bits = part.number;
		return true;
	}
	text->at = begin;
	return false;
}

/* The operator that stands next, of at least this rank. */
static const struct operator* next_operator(struct hd_ptx_text *text, unsigned rank)
{
	hd_ptx_skip_space(text);
	for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++)
		if (!strncmp(text->at, operators[i].text, strlen(operators[i].text)))
			return operators[i].rank >= rank ? &operators[i] : NULL;
	return NULL;
}

static bool expression(struct hd_ptx_text *text, unsigned rank, struct number *out)
{
	const struct operator* next;
	if (!primary(text, out))
		return false;
	while ((next = next_operator(text, rank))) {
		struct number right;
		text->at += strlen(next->text);
		if (!expression(text, next->rank + 1, &right)) {
			hd_ptx_text_error(text, "expected a number before \"%.16s\"", text->at);
			return false;
		}
		*out = apply(text, next->text, *out, right);
	}
	if (rank || !hd_ptx_take(text, '?'))
		return true;
	struct number yes, no;
	if (!expression(text, 0, &yes) || !hd_ptx_take(text, ':') || !expression(text, 0, &no)) {
		hd_ptx_text_error(text, "expected \"a ? b : c\" before \"%.16s\"", text->at);
		return false;
	}
	*out = out->bits ? yes : no;
	return true;
}

bool hd_ptx_number(struct hd_ptx_text *text, struct hd_ptx_part *part)
{
	struct number number;
	bool is_unsigned;
	const char *begin = (hd_ptx_skip_space(text), text->at);
	if (literal(text, part, &is_unsigned) && part->kind != HD_PTX_NUMBER)
		return true;
	text->at = begin;
	*part = (struct hd_ptx_part){0};
	if (!expression(text, 0, &number))
		return false;
	part->kind = HD_PTX_NUMBER;
	part->number = number.bits;
	return true;
}
