/*
 * Expressions of launch files (see expr.h), by recursive descent.
 */
#include "tools/heddle/run/expr.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 100 };

__attribute__((format(printf, 2, 3))) static bool fail(struct expr *expr, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(expr->why, sizeof expr->why, format, arguments);
	va_end(arguments);
	return false;
}

static char next(struct expr *expr)
{
	expr->at += strspn(expr->at, " \t");
	return *expr->at;
}

static bool expect(struct expr *expr, char wanted)
{
	if (next(expr) != wanted)
		return fail(expr, "'%c' is missing before '%.20s'", wanted, expr->at);
	expr->at++;
	return true;
}

unsigned expr_name_length(const char *text)
{
	unsigned length = 0;
	for (char c; (c = text[length]); length++)
		if (!(c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (length && c >= '0' && c <= '9')))
			break;
	return length;
}

static bool call(struct expr *expr, const char *name, unsigned length, double *value)
{
	static const char *const names[] = {"ceil", "floor", "min", "max"};
	unsigned which = 0;
	double second;
	while (which < 4 && (strlen(names[which]) != length || strncmp(names[which], name, length)))
		which++;
	if (which == 4)
		return fail(expr, "there is no function '%.*s', but ceil, floor, min and max", (int)length, name);
	expr->at++;
	if (!expr_read(expr, value))
		return false;
	if (which >= 2 && (!expect(expr, ',') || !expr_read(expr, &second)))
		return false;
	switch (which) {
	case 0: *value = ceil(*value); break;
	case 1: *value = floor(*value); break;
	case 2: *value = second < *value ? second : *value; break;
	default: *value = second > *value ? second : *value; break;
	}
	return expect(expr, ')');
}

static bool name_value(struct expr *expr, unsigned length, double *value)
{
	const char *name = expr->at;
	expr->at += length;
	if (next(expr) == '(')
		return call(expr, name, length, value);
	for (uint32_t i = 0; i < expr->name_count; i++) {
		struct expr_name *each = &expr->names[i];
		if (strlen(each->name) != length || strncmp(each->name, name, length))
			continue;
		each->used = true;
		*value = each->value;
		return true;
	}
	return fail(expr, "'%.*s' has no value; [define] or --define gives it one before it is used", (int)length,
		    name);
}

static bool factor(struct expr *expr, double *value)
{
	char c = next(expr);
	unsigned length = expr_name_length(expr->at);
	if (length)
		return name_value(expr, length, value);
	if (c == '(') {
		expr->at++;
		return expr_read(expr, value) && expect(expr, ')');
	}
	if (c == '-') {
		expr->at++;
		if (++expr->depth > MOST_DEPTH)
			return fail(expr, "it is nested too deeply");
		bool good = factor(expr, value);
		expr->depth--;
		*value = good ? -*value : 0;
		return good;
	}
	if (c < '0' || c > '9')
		return fail(expr, c ? "'%.20s' is no number and no name" : "it ends where a number is due", expr->at);
	char *end;
	*value = strtod(expr->at, &end);
	expr->at = end;
	return true;
}

static bool product(struct expr *expr, double *value)
{
	double right;
	if (!factor(expr, value))
		return false;
	for (char c; (c = next(expr)) == '*' || c == '/';) {
		expr->at++;
		if (!factor(expr, &right))
			return false;
		if (c == '/' && right == 0)
			return fail(expr, "it divides by zero");
		*value = c == '*' ? *value * right : *value / right;
	}
	return true;
}

bool expr_read(struct expr *expr, double *value)
{
	double right;
	*value = 0;
	if (++expr->depth > MOST_DEPTH)
		return fail(expr, "it is nested too deeply");
	if (!product(expr, value))
		return false;
	for (char c; (c = next(expr)) == '+' || c == '-';) {
		expr->at++;
		if (!product(expr, &right))
			return false;
		*value = c == '+' ? *value + right : *value - right;
	}
	expr->depth--;
	return true;
}
