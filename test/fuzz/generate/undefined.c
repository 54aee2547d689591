/*
 * Values that only some threads have. The others' are undefined: an arm that not all threads take, a select, a local
 * variable or a function's result that nobody sets for them, elements of a vector that are never written. All threads
 * hand such a value on: through arithmetic, memory, words, vectors, structures, loops, and functions whose parameters
 * clang marks as never undefined. In the end it is read where it is known: see readers.c.
 */
#include "test/fuzz/generate/partial.h"

#include <string.h>

/* What stands for no value. Poison is contagious: nothing here computes with a known part and an unknown one at once.
 */
static const char *nothing(struct gen *g)
{
	return gen_chance(g, 60) ? "undef" : "poison";
}

/* ------------------------------------------------------------ who has a value */

static void pick_owners(struct gen *g, struct gen_partial *p)
{
	const char *lane;
	p->who[0] = '\0';
	switch (gen_below(g, 5)) {
	case 0:
		lane = gen_special(g, "laneid");
		KEEP(p->have, gen_temp(g, "icmp eq i32 %s, %u", lane, gen_chance(g, 50) ? 0 : gen_below(g, 32)));
		break;
	case 1:
		lane = gen_special(g, "laneid");
		lane = gen_temp(g, "and i32 %s, %u", lane, 1u << gen_below(g, 5));
		KEEP(p->have, gen_temp(g, "icmp %s i32 %s, 0", PICK(g, "eq", "ne"), lane));
		break;
	case 2:
		lane = gen_special(g, "tid.x");
		KEEP(p->have, gen_temp(g, "icmp ult i32 %s, %u", lane, gen_below(g, g->width + 1)));
		break;
	default: KEEP(p->have, gen_variable(g, T_I1)); break;
	}
	if (gen_together(g))
		KEEP(p->who, gen_lanes_of(g, p->have));
}

/* ------------------------------------------------------------ where it comes from */

static enum gen_type pick_type(struct gen *g)
{
	static const enum gen_type all[] = {T_I1,  T_I8,  T_I16, T_I32,	  T_I32,   T_I32,   T_I64,   T_I64,
					    T_F32, T_F64, T_F64, T_V2I32, T_V4I32, T_V2I64, T_V2F32, T_V2F64};
	for (;;) {
		enum gen_type type = all[gen_below(g, sizeof all / sizeof *all)];
		if (gen_types[type].lanes > 1 && !gen_has(g, FEATURE_vector))
			continue;
		if (gen_is_float(type) && !gen_has(g, gen_types[type].bits == 64 ? FEATURE_doubles : FEATURE_floats))
			continue;
		return type;
	}
}

/* A defined value; a float's bits are known. */
static const char *known_value(struct gen *g, enum gen_type type)
{
	const char *value = gen_variable(g, type);
	if (gen_is_float(type))
		return gen_from_bits(g, type, gen_observe(g, type, value));
	return value;
}

static const char *load_back(struct gen *g, const char *type, uint32_t slot)
{
	const char *how = gen_chance(g, 25) ? "volatile " : "";
	return gen_temp(g, "load %s%s, ptr %%v%u, align 16%s", how, type, slot,
			gen_chance(g, 50) ? ", !noundef !0" : "");
}

/* The arm of those that have it. */
static void in_arm(struct gen *g, struct gen_partial *p, bool stored)
{
	bool uniform = g->uniform;
	uint32_t arm = g->next_label++, end = g->next_label++, before = g->label, scope = g->pool.len, slot = 0;
	char value[16];
	if (stored)
		slot = gen_new_alloca(g, gen_name(p->type));
	gen_jump_if(g, p->have, arm, end);
	gen_label(g, arm);
	g->uniform = false;
	for (unsigned i = gen_below(g, 3); i-- > 0;)
		gen_op_integer(g);
	if (gen_has(g, FEATURE_atomic) && gen_chance(g, 30))
		gen_op_atomic(g);
	KEEP(value, known_value(g, p->type));
	if (stored)
		gen_line(g, "store %s %s, ptr %%v%u, align 16", gen_name(p->type), value, slot);
	gen_line(g, "br label %%L%u", end);
	g->pool.len = scope;
	g->uniform = uniform;
	gen_label(g, end);
	KEEP(p->value, stored ? load_back(g, gen_name(p->type), slot)
			      : gen_temp(g, "phi %s [ %s, %%L%u ], [ %s, %%L%u ]", gen_name(p->type), value, arm,
					 nothing(g), before));
}

/* A function that hands the value back to those that have it; to the others it says nothing, or zero. */
static void through_function(struct gen *g, struct gen_partial *p, const char *value)
{
	const char *type = gen_name(p->type), *other = gen_chance(g, 70) ? nothing(g) : "zeroinitializer";
	unsigned id = g->next_global++;
	struct gen_marks marks = gen_pick_marks(g);
	hd_strbuf_printf(&g->functions, "define internal %s%s @u%u(i1 %%have, %s %s%%value) %s nounwind {\n",
			 marks.at[0], type, id, type, marks.at[1], gen_inlining(g));
	if (gen_chance(g, 50)) /* as the optimizer leaves it */
		hd_strbuf_printf(&g->functions,
				 "  br i1 %%have, label %%some, label %%none\nsome:\n  ret %s %%value\n"
				 "none:\n  ret %s %s\n}\n\n",
				 type, type, other);
	else /* and as clang -O0 writes it */
		hd_strbuf_printf(&g->functions,
				 "  %%result = alloca %s\n  br i1 %%have, label %%some, label %%end\nsome:\n"
				 "  store %s %%value, ptr %%result\n  br label %%end\nend:\n"
				 "  %%read = load %s, ptr %%result\n  ret %s %%read\n}\n\n",
				 type, type, type, type);
	KEEP(p->value,
	     gen_temp(g, "call %s%s @u%u(i1 %s, %s %s%s)", marks.at[2], type, id, p->have, type, marks.at[3], value));
}

static void make(struct gen *g, struct gen_partial *p)
{
	char value[16];
	p->type = pick_type(g);
	pick_owners(g, p);
	switch (gen_below(g, 6)) {
	case 0:
		KEEP(value, known_value(g, p->type));
		KEEP(p->value, gen_temp(g, "select i1 %s, %s %s, %s %s", p->have, gen_name(p->type), value,
					gen_name(p->type), nothing(g)));
		break;
	case 1:
		KEEP(value, known_value(g, p->type));
		through_function(g, p, value);
		break;
	case 2:
	case 3: in_arm(g, p, true); break;
	default: in_arm(g, p, false); break;
	}
}

/* ------------------------------------------------------------ handing it on */

static const char *same_word(struct gen *g, const char *word, const char *unused)
{
	(void)g;
	(void)unused;
	return word;
}

static void compute(struct gen *g, struct gen_partial *p)
{
	if (gen_is_float(p->type) || p->type == T_I1)
		return;
	const char *operand = gen_operand(g, p->type);
	KEEP(p->value,
	     gen_temp(g, "%s %s %s, %s", PICK(g, "add", "sub", "xor", "mul"), gen_name(p->type), p->value, operand));
}

static void through_memory(struct gen *g, struct gen_partial *p)
{
	uint32_t slot = gen_new_alloca(g, gen_name(p->type));
	gen_line(g, "store %s%s %s, ptr %%v%u, align 16", gen_chance(g, 25) ? "volatile " : "", gen_name(p->type),
		 p->value, slot);
	KEEP(p->value, load_back(g, gen_name(p->type), slot));
}

/* As the only element that is ever written, perhaps moved before it is read. */
static void through_vector(struct gen *g, struct gen_partial *p)
{
	unsigned lanes = 2 + gen_below(g, 3), from = gen_below(g, lanes), to = gen_below(g, lanes);
	const char *type = gen_name(p->type);
	char mask[64] = "";
	if (gen_types[p->type].lanes > 1 || p->type == T_I1 || !gen_has(g, FEATURE_vector))
		return;
	const char *vector =
		gen_temp(g, "insertelement <%u x %s> %s, %s %s, i32 %u", lanes, type, nothing(g), type, p->value, from);
	if (gen_chance(g, 25))
		vector = gen_temp(g, "freeze <%u x %s> %s", lanes, type, vector);
	for (unsigned i = 0; i < lanes; i++) {
		size_t length = strlen(mask);
		char index[8];
		snprintf(index, sizeof index, "%u", i == to ? from : gen_below(g, 2 * lanes));
		snprintf(mask + length, sizeof mask - length, "%si32 %s", i ? ", " : "",
			 i == to || gen_chance(g, 50) ? index : nothing(g));
	}
	vector = gen_temp(g, "shufflevector <%u x %s> %s, <%u x %s> %s, <%u x i32> <%s>", lanes, type, vector, lanes,
			  type, nothing(g), lanes, mask);
	KEEP(p->value, gen_temp(g, "extractelement <%u x %s> %s, i32 %u", lanes, type, vector, to));
}

/* As a member of a structure that a function takes and gives back; the others are never set. */
static void through_structure(struct gen *g, struct gen_partial *p)
{
	unsigned id = g->next_global++, member = gen_below(g, 3);
	char type[64];
	const char *name = gen_name(p->type), *rest = gen_chance(g, 50) ? "%all" : nothing(g);
	struct gen_marks marks = gen_pick_marks(g);
	snprintf(type, sizeof type, "{%s, %s, %s}", member == 0 ? name : "i32", member == 1 ? name : "i64",
		 member == 2 ? name : "i32");
	hd_strbuf_printf(&g->functions,
			 "define internal %s @u%u(%s %s%%all) %s nounwind {\n"
			 "  %%one = extractvalue %s %%all, %u\n  %%new = insertvalue %s %s, %s %%one, %u\n"
			 "  ret %s %%new\n}\n\n",
			 type, id, type, marks.at[0], gen_inlining(g), type, member, type, rest, name, member, type);
	const char *whole = gen_temp(g, "insertvalue %s %s, %s %s, %u", type, nothing(g), name, p->value, member);
	whole = gen_temp(g, "call %s @u%u(%s %s%s)", type, id, type, marks.at[1], whole);
	KEEP(p->value, gen_temp(g, "extractvalue %s %s, %u", type, whole, member));
}

/* A variable that the first iteration of a loop sets, or that all of them change. */
static void through_loop(struct gen *g, struct gen_partial *p)
{
	uint32_t before = g->label, label = g->next_label++, end = g->next_label++, n = 2 + gen_below(g, 3);
	const char *type = gen_name(p->type), *start = nothing(g);
	gen_line(g, "br label %%L%u", label);
	gen_label(g, label);
	gen_line(g, "%%i%u = phi i32 [ 0, %%L%u ], [ %%j%u, %%L%u ]", label, before, label, label);
	gen_line(g, "%%s%u = phi %s [ %s, %%L%u ], [ %%t%u, %%L%u ]", label, type, start, before, label, label);
	gen_line(g, "%%c%u = icmp eq i32 %%i%u, 0", label, label);
	gen_line(g, "%%t%u = select i1 %%c%u, %s %s, %s %%s%u", label, label, type, p->value, type, label);
	gen_line(g, "%%j%u = add nuw nsw i32 %%i%u, 1", label, label);
	gen_line(g, "%%d%u = icmp ult i32 %%j%u, %u", label, label, n);
	gen_line(g, "br i1 %%d%u, label %%L%u, label %%L%u", label, label, end);
	gen_label(g, end);
	snprintf(p->value, sizeof p->value, "%%t%u", label);
	g->cost += 6 * n * g->scale;
}

/* Fewer threads have it from here on. */
static void lose(struct gen *g, struct gen_partial *p)
{
	uint32_t arm = g->next_label++, end = g->next_label++, before = g->label;
	KEEP(p->have, gen_temp(g, "and i1 %s, %s", p->have, gen_variable(g, T_I1)));
	if (p->who[0])
		KEEP(p->who, gen_lanes_of(g, p->have));
	gen_jump_if(g, p->have, arm, end);
	gen_label(g, arm);
	gen_line(g, "br label %%L%u", end);
	gen_label(g, end);
	KEEP(p->value,
	     gen_temp(g, "phi %s [ %s, %%L%u ], [ %s, %%L%u ]", gen_name(p->type), p->value, arm, nothing(g), before));
}

static void hand_on(struct gen *g, struct gen_partial *p)
{
	char value[16];
	KEEP(value, p->value);
	switch (gen_below(g, 10)) {
	case 0:
	case 1: compute(g, p); break;
	case 2: through_memory(g, p); break;
	case 3: through_vector(g, p); break;
	case 4: through_structure(g, p); break;
	case 5: through_loop(g, p); break;
	case 6: through_function(g, p, value); break;
	case 7: KEEP(p->value, gen_by_words(g, p->type, value, same_word, NULL)); break;
	case 8: lose(g, p); break;
	default: KEEP(p->value, gen_temp(g, "freeze %s %s", gen_name(p->type), value)); break;
	}
}

/* ------------------------------------------------------------ vectors in parts */

/* Written element by element in a loop, up to a number that is not known; one that was written is read. */
static void grown_vector(struct gen *g, enum gen_type type)
{
	uint32_t before = g->label, label = g->next_label++, end = g->next_label++;
	unsigned lanes = gen_types[type].lanes;
	const char *name = gen_name(type), *element = gen_name(gen_element(type)), *start = nothing(g);
	char count[16], value[16];
	KEEP(count, gen_temp(g, "urem i32 %s, %u", gen_variable(g, T_I32), lanes));
	KEEP(value, known_value(g, gen_element(type)));
	gen_line(g, "br label %%L%u", label);
	gen_label(g, label);
	gen_line(g, "%%i%u = phi i32 [ 0, %%L%u ], [ %%j%u, %%L%u ]", label, before, label, label);
	gen_line(g, "%%s%u = phi %s [ %s, %%L%u ], [ %%t%u, %%L%u ]", label, name, start, before, label, label);
	gen_line(g, "%%t%u = insertelement %s %%s%u, %s %s, i32 %%i%u", label, name, label, element, value, label);
	gen_line(g, "%%j%u = add nuw nsw i32 %%i%u, 1", label, label);
	gen_line(g, "%%d%u = icmp ule i32 %%j%u, %s", label, label, count);
	gen_line(g, "br i1 %%d%u, label %%L%u, label %%L%u", label, label, end);
	gen_label(g, end);
	const char *index = gen_temp(g, "and i32 %s, %s", gen_variable(g, T_I32), count); /* at most the count */
	gen_define(g, gen_element(type), "extractelement %s %%t%u, i32 %s", name, label, index);
	g->cost += 10 * lanes * g->scale;
}

/* Some elements, written in any order, each read again after the whole went through a function or a freeze. */
static void some_elements(struct gen *g, enum gen_type type)
{
	unsigned lanes = gen_types[type].lanes, written = 0;
	const char *name = gen_name(type), *element = gen_name(gen_element(type));
	struct gen_partial whole = {.type = type};
	KEEP(whole.value, nothing(g));
	KEEP(whole.have, "true");
	for (unsigned i = 1 + gen_below(g, lanes); i-- > 0;) {
		unsigned at = gen_below(g, lanes);
		char value[16];
		KEEP(value, known_value(g, gen_element(type)));
		KEEP(whole.value,
		     gen_temp(g, "insertelement %s %s, %s %s, i32 %u", name, whole.value, element, value, at));
		written |= 1u << at;
	}
	if (gen_chance(g, 50)) {
		char value[16];
		KEEP(value, whole.value);
		through_function(g, &whole, value);
	}
	if (gen_chance(g, 30))
		KEEP(whole.value, gen_temp(g, "freeze %s %s", name, whole.value));
	else if (gen_chance(g, 30))
		through_memory(g, &whole);
	for (unsigned i = 0; i < lanes; i++)
		if (written & 1u << i)
			gen_define(g, gen_element(type), "extractelement %s %s, i32 %u", name, whole.value, i);
	gen_read_frozen(g, &whole);
}

static bool part_of_vector(struct gen *g)
{
	enum gen_type type = pick_type(g);
	for (unsigned i = 0; i < 20 && gen_types[type].lanes == 1; i++)
		type = pick_type(g);
	if (gen_types[type].lanes == 1)
		return false;
	if (gen_chance(g, 40))
		grown_vector(g, type);
	else
		some_elements(g, type);
	return true;
}

void gen_op_undefined(struct gen *g)
{
	struct gen_partial p;
	if (g->cost + 200 * g->scale > GEN_MAX_COST)
		return;
	if (gen_together(g) && gen_chance(g, 35)) {
		gen_op_tickets(g);
		return;
	}
	if (gen_chance(g, 20) && part_of_vector(g))
		return;
	make(g, &p);
	for (unsigned i = gen_below(g, 4); i-- > 0;)
		hand_on(g, &p);
	for (unsigned i = 1 + gen_below(g, 2); i-- > 0;)
		gen_read_value(g, &p);
}
