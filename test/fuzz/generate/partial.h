/*
 * What undefined.c, readers.c and tickets.c share: values that only some threads have.
 */
#ifndef HD_TEST_FUZZ_PARTIAL_H
#define HD_TEST_FUZZ_PARTIAL_H

#include <stdio.h>

#include "test/fuzz/generate/gen.h"

/* The text that an expression gives lives as long as the ring of texts only. */
#define KEEP(array, text) snprintf((array), sizeof(array), "%s", (text))

struct gen_partial {
	enum gen_type type;
	char value[16];
	char have[16]; /* an i1: whether this thread has the value */
	char who[16];  /* the lanes that have it; only where whole warps are together */
};

/* Drawn in order: that of a call's arguments is the compiler's. */
struct gen_marks {
	const char *at[4];
};

struct gen_marks gen_pick_marks(struct gen *g);
/* What keeps a function from being inlined, makes it so, or nothing. */
const char *gen_inlining(struct gen *g);
/* Whether whole warps are together here: operations of all their lanes may stand. */
bool gen_together(const struct gen *g);
/* The ballot of all lanes. */
const char *gen_lanes_of(struct gen *g, const char *condition);
/* A local variable without contents, of the type of that name: %v<result>. */
uint32_t gen_new_alloca(struct gen *g, const char *type);

/* The value that the integer is; for types of 1 bit or a power of two of bytes. */
const char *gen_from_bits(struct gen *g, enum gen_type type, const char *bits);
/* What is done with a word of a value, an i32; returns an i32. */
typedef const char *gen_word_step(struct gen *g, const char *word, const char *operand);
/* Each word of the value goes through the step. Returns a value of the type. */
const char *gen_by_words(struct gen *g, enum gen_type type, const char *value, gen_word_step *step,
			 const char *operand);
/* All lanes of `mask` get the i32 that lane `from` has, by the instruction or by a function around it. */
const char *gen_broadcast(struct gen *g, const char *mask, const char *value, const char *from);

/* readers.c: reads it where it is known, in one of many ways. */
void gen_read_value(struct gen *g, const struct gen_partial *p);
/* Two readers of the frozen value, who must have read the same. What they make of it is known. */
void gen_read_frozen(struct gen *g, const struct gen_partial *p);

/* tickets.c: a statement where gen_together. */
void gen_op_tickets(struct gen *g);

#endif
