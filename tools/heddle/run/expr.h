/*
 * Expressions of launch files: numbers, names, + - * /, parentheses, ceil(x), floor(x), min(x,y) and max(x,y). Division
 * is that of real numbers, so that ceil(n/256) says what it seems to.
 */
#ifndef HD_TOOLS_HEDDLE_RUN_EXPR_H
#define HD_TOOLS_HEDDLE_RUN_EXPR_H

#include <stdbool.h>
#include <stdint.h>

struct expr_name {
	const char *name;
	double value;
	bool given; /* on the command line, which wins */
	bool used;
	bool seen; /* in the file */
};

struct expr {
	const char *at; /* behind what was read */
	struct expr_name *names;
	uint32_t name_count;
	uint32_t depth;
	char why[128];
};

/* Reads one expression and the blanks behind it. False: expr->why says what is wrong. */
bool expr_read(struct expr *expr, double *value);
/* The length of the name at `text`; 0: there is none. */
unsigned expr_name_length(const char *text);

#endif
