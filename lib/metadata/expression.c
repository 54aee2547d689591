/*
 * Polynomials over launch constants as metadata has them (R2D2): evaluation of their text, and the conditions
 * under which a launch may run decoupled code. A recursive-descent parser over untrusted text: nesting is bounded,
 *numbers are checked, and whatever cannot be evaluated makes a condition fail. Linear in the text.
 *
 *	sum     = ["-"] product {("+" | "-") product}
 *	product = factor {"*" factor}
 *	factor  = number | name | "(" sum ")" | operation bits "(" sum {"," sum} ")"
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/metadata.h"

#define DEPTH 200 /* most brackets inside each other */

struct parser {
	const char *at;
	bool (*value_of)(void *context, const char *name, size_t len, int64_t *value);
	void *context;
	unsigned depth;
	bool failed;
};

static int64_t parse_sum(struct parser *parser);

static int64_t fail(struct parser *parser)
{
	parser->failed = true;
	return 0;
}

static bool take(struct parser *parser, char wanted)
{
	if (*parser->at != wanted)
		return false;
	parser->at++;
	return true;
}

static int64_t sign_extend(uint64_t value, unsigned bits)
{
	return bits ? (int64_t)(value << (64 - bits)) >> (64 - bits) : 0;
}

static int64_t divide(struct parser *parser, int64_t a, int64_t b, bool remainder)
{
	if (b == 0)
		return fail(parser);
	if (b == -1)
		return remainder ? 0 : (int64_t)(0 - (uint64_t)a);
	return remainder ? a % b : a / b;
}

/* ---- operations: on numbers of so many bits; struct hd_unknown in passes/analysis/symbolic.h says what they mean */

enum operation {
	ZEXT,
	SEXT,
	POWER,
	AND,
	OR,
	XOR,
	LSHR,
	ASHR,
	UDIV,
	SDIV,
	UREM,
	SREM,
	SMIN,
	SMAX,
	UMIN,
	UMAX,
	EQ,
	NE,
	ULT,
	ULE,
	SLT,
	SLE,
	SELECT,
	OPERATIONS
};
static const struct {
	const char *name;
	unsigned operands;
} operations[OPERATIONS] = {
	[ZEXT] = {"zext", 1}, [SEXT] = {"sext", 1}, [POWER] = {"power", 1},   [AND] = {"and", 2},
	[OR] = {"or", 2},     [XOR] = {"xor", 2},   [LSHR] = {"lshr", 2},     [ASHR] = {"ashr", 2},
	[UDIV] = {"udiv", 2}, [SDIV] = {"sdiv", 2}, [UREM] = {"urem", 2},     [SREM] = {"srem", 2},
	[SMIN] = {"smin", 2}, [SMAX] = {"smax", 2}, [UMIN] = {"umin", 2},     [UMAX] = {"umax", 2},
	[EQ] = {"eq", 2},     [NE] = {"ne", 2},	    [ULT] = {"ult", 2},	      [ULE] = {"ule", 2},
	[SLT] = {"slt", 2},   [SLE] = {"sle", 2},   [SELECT] = {"select", 3},
};

static int64_t unsigned_operation(struct parser *parser, enum operation op, unsigned bits, uint64_t a, uint64_t b)
{
	switch (op) {
	case AND:
		return sign_extend(a & b, bits);
	case OR:
		return sign_extend(a | b, bits);
	case XOR:
		return sign_extend(a ^ b, bits);
	case LSHR:
		return sign_extend(b < bits ? a >> b : 0, bits);
	case UDIV:
		return b ? sign_extend(a / b, bits) : fail(parser);
	case UREM:
		return b ? sign_extend(a % b, bits) : fail(parser);
	case UMIN:
		return sign_extend(a < b ? a : b, bits);
	case UMAX:
		return sign_extend(a > b ? a : b, bits);
	case EQ:
		return a == b;
	case NE:
		return a != b;
	case ULT:
		return a < b;
	case ULE:
		return a <= b;
	case POWER:
		return a < bits ? (int64_t)(UINT64_C(1) << a) : 0;
	default:
		return (int64_t)a; /* ZEXT */
	}
}

static int64_t apply(struct parser *parser, enum operation op, unsigned bits, const int64_t args[3])
{
	uint64_t mask = bits == 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t a = (uint64_t)args[0] & mask, b = (uint64_t)args[1] & mask;
	int64_t sa = sign_extend(a, bits), sb = sign_extend(b, bits);
	switch (op) {
	case SEXT:
		return sa;
	case ASHR:
		return sa >> (b < bits ? b : bits - 1);
	case SDIV:
	case SREM:
		return divide(parser, sa, sb, op == SREM);
	case SMIN:
		return sa < sb ? sa : sb;
	case SMAX:
		return sa > sb ? sa : sb;
	case SLT:
		return sa < sb;
	case SLE:
		return sa <= sb;
	case SELECT:
		return args[0] ? args[1] : args[2];
	default:
		return unsigned_operation(parser, op, bits, a, b);
	}
}

/* `name` is followed by its arguments. */
static int64_t parse_operation(struct parser *parser, const char *name, size_t len)
{
	int64_t args[3] = {0, 0, 0};
	size_t letters = 0;
	unsigned op = 0;
	while (letters < len && isalpha((unsigned char)name[letters]))
		letters++;
	unsigned long bits = strtoul(name + letters, NULL, 10);
	while (op < OPERATIONS &&
	       (strlen(operations[op].name) != letters || strncmp(operations[op].name, name, letters) != 0))
		op++;
	if (op == OPERATIONS || bits < 1 || bits > 64)
		return fail(parser);
	for (unsigned i = 0; i < operations[op].operands; i++) {
		args[i] = parse_sum(parser);
		if (!take(parser, i + 1 < operations[op].operands ? ',' : ')'))
			return fail(parser);
	}
	return parser->failed ? 0 : apply(parser, (enum operation)op, (unsigned)bits, args);
}

/* ---- sums and products */

static bool in_name(char c)
{
	return isalnum((unsigned char)c) || c == '.' || c == '_' || c == '$' || c == '@';
}

static int64_t parse_name(struct parser *parser)
{
	const char *name = parser->at;
	int64_t value;
	while (in_name(*parser->at))
		parser->at++;
	size_t len = (size_t)(parser->at - name);
	if (len && take(parser, '('))
		return parse_operation(parser, name, len);
	return len && parser->value_of(parser->context, name, len, &value) ? value : fail(parser);
}

static int64_t parse_number(struct parser *parser)
{
	int64_t value = 0;
	while (isdigit((unsigned char)*parser->at))
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, *parser->at++ - '0', &value))
			return fail(parser);
	return value;
}

static int64_t parse_factor(struct parser *parser)
{
	if (isdigit((unsigned char)*parser->at))
		return parse_number(parser);
	if (!take(parser, '('))
		return parse_name(parser);
	int64_t value = parse_sum(parser);
	return take(parser, ')') ? value : fail(parser);
}

static int64_t parse_product(struct parser *parser)
{
	int64_t product = parse_factor(parser);
	while (!parser->failed && take(parser, '*'))
		if (__builtin_mul_overflow(product, parse_factor(parser), &product))
			return fail(parser);
	return product;
}

static int64_t parse_sum(struct parser *parser)
{
	if (++parser->depth > DEPTH)
		return fail(parser);
	bool minus = take(parser, '-');
	int64_t sum = 0;
	do {
		int64_t product = parse_product(parser);
		if (parser->failed)
			return 0;
		if (minus ? __builtin_sub_overflow(sum, product, &sum) : __builtin_add_overflow(sum, product, &sum))
			return fail(parser);
		minus = *parser->at == '-';
	} while (take(parser, '+') || take(parser, '-'));
	parser->depth--;
	return sum;
}

bool hd_meta_expression_evaluate(const char *text,
				 bool (*value_of)(void *context, const char *name, size_t len, int64_t *value),
				 void *context, int64_t *result)
{
	struct parser parser = {text, value_of, context, 0, false};
	*result = parse_sum(&parser);
	return !parser.failed && *parser.at == '\0';
}

/* ---- conditions */

struct launch {
	const struct hd_meta_function *kernel;
	const uint32_t *grid, *block;
	const uint8_t *params;
	uint32_t param_bytes;
	const struct hd_meta_condition *condition;
	const int64_t *iterations; /* of the condition's loops */
};

static bool is_name(const char *name, size_t len, const char *wanted)
{
	return strlen(wanted) == len && strncmp(name, wanted, len) == 0;
}

/* `P2`; `P2.8` for the word at byte 8 of a by-value parameter, `P2.8l` for both words there. */
static bool parameter(const struct launch *launch, const char *name, size_t len, int64_t *value)
{
	char *end;
	if (len < 2 || !isdigit((unsigned char)name[1]))
		return false;
	unsigned long index = strtoul(name + 1, &end, 10), byte = 0;
	if (index >= launch->kernel->param_count)
		return false;
	const struct hd_meta_param *param = &launch->kernel->params[index];
	uint32_t bytes = param->bytes;
	if (*end == '.' && isdigit((unsigned char)end[1])) {
		byte = strtoul(end + 1, &end, 10);
		bytes = *end == 'l' ? 8 : 4;
		end += *end == 'l';
	}
	if (end != name + len || (bytes != 4 && bytes != 8) || byte > param->bytes || bytes > param->bytes - byte ||
	    param->offset > launch->param_bytes || byte + bytes > launch->param_bytes - param->offset)
		return false;
	uint64_t word = 0;
	memcpy(&word, launch->params + param->offset + byte, bytes);
	*value = sign_extend(word, 8 * bytes);
	return true;
}

static bool value_of(void *context, const char *name, size_t len, int64_t *value)
{
	const struct launch *launch = context;
	static const char *const sizes[2][3] = {{"ntid.x", "ntid.y", "ntid.z"}, {"nctaid.x", "nctaid.y", "nctaid.z"}};
	for (unsigned d = 0; d < 6; d++)
		if (is_name(name, len, sizes[d / 3][d % 3])) {
			*value = (d < 3 ? launch->block : launch->grid)[d % 3];
			return true;
		}
	for (uint32_t l = 0; launch->iterations && l < launch->condition->iteration_count; l++)
		if (is_name(name, len, launch->condition->iterations[l].symbol)) {
			*value = launch->iterations[l];
			return true;
		}
	return name[0] == 'P' && parameter(launch, name, len, value);
}

struct interval {
	int64_t low, high;
};

/* Adds 0..most times a factor. */
static bool extend(struct interval *sum, int64_t factor, int64_t most)
{
	int64_t far;
	if (__builtin_mul_overflow(factor, most, &far))
		return false;
	return far < 0 ? !__builtin_add_overflow(sum->low, far, &sum->low)
		       : !__builtin_add_overflow(sum->high, far, &sum->high);
}

static bool evaluate(struct launch *launch, const char *text, int64_t *value)
{
	return hd_meta_expression_evaluate(text, value_of, launch, value);
}

/* c is a sum of a launch constant and of launch constants times one iteration each. */
static bool constant_part(struct launch *launch, int64_t *iterations, struct interval *sum)
{
	const struct hd_meta_condition *condition = launch->condition;
	int64_t most, with, without;
	launch->iterations = iterations;
	if (!evaluate(launch, condition->vector[0], &without))
		return false;
	*sum = (struct interval){without, without};
	for (uint32_t l = 0; l < condition->iteration_count; l++) {
		launch->iterations = NULL;
		if (!evaluate(launch, condition->iterations[l].most, &most) || most < 0)
			return false;
		launch->iterations = iterations;
		iterations[l] = 1;
		if (!evaluate(launch, condition->vector[0], &with) || __builtin_sub_overflow(with, without, &with) ||
		    !extend(sum, with, most))
			return false;
		iterations[l] = 0;
	}
	return true;
}

static bool holds(struct launch *launch)
{
	const struct hd_meta_condition *condition = launch->condition;
	int64_t *iterations = hd_xcalloc(condition->iteration_count + 1, sizeof(*iterations)), factor;
	struct interval sum = {0, 0};
	bool good = constant_part(launch, iterations, &sum);
	launch->iterations = NULL;
	for (unsigned i = 0; good && i < 6; i++) {
		int64_t most = (int64_t)(i < 3 ? launch->block : launch->grid)[i % 3] - 1;
		good = evaluate(launch, condition->vector[1 + i], &factor) && extend(&sum, factor, most);
	}
	free(iterations);
	return good && sum.low >= condition->low && sum.high <= condition->high;
}

bool hd_meta_conditions_hold(const struct hd_meta_function *kernel, const uint32_t grid[3], const uint32_t block[3],
			     const uint8_t *params, uint32_t param_bytes)
{
	struct launch launch = {kernel, grid, block, params, param_bytes, NULL, NULL};
	for (uint32_t c = 0; kernel->affine && c < kernel->affine->condition_count; c++) {
		launch.condition = &kernel->affine->conditions[c];
		if (!holds(&launch))
			return false;
	}
	return true;
}
