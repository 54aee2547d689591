/*
 * Random numbers, values in scope, constants and text.
 */
#include "test/fuzz/generate/gen.h"

#include <stdio.h>
#include <string.h>

const struct gen_type_info gen_types[T_COUNT] = {
#define X(id, name, bits, lanes, class) {name, bits, lanes, CLASS_##class},
	GEN_TYPES(X)
#undef X
};

static uint64_t random_word(struct gen *g)
{
	uint64_t z = g->random += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint32_t gen_below(struct gen *g, uint32_t limit)
{
	return (uint32_t)((random_word(g) >> 32) * limit >> 32);
}

bool gen_chance(struct gen *g, unsigned percent)
{
	return gen_below(g, 100) < percent;
}

bool gen_has(const struct gen *g, enum gen_feature feature)
{
	return g->weights[feature] != 0;
}

/* ------------------------------------------------------------ text */

static char *ring(struct gen *g)
{
	return g->text[g->next_text++ % (sizeof g->text / sizeof *g->text)];
}

char *gen_format(struct gen *g, const char *format, ...)
{
	char *text = ring(g);
	va_list args;
	va_start(args, format);
	vsnprintf(text, sizeof g->text[0], format, args);
	va_end(args);
	return text;
}

void gen_line(struct gen *g, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	hd_strbuf_append(&g->body, "  ");
	hd_strbuf_vprintf(&g->body, format, args);
	hd_strbuf_append(&g->body, "\n");
	va_end(args);
}

static const char *define(struct gen *g, const char *format, va_list args)
{
	char *name = gen_format(g, "%%v%u", g->next_id++);
	hd_strbuf_printf(&g->body, "  %s = ", name);
	hd_strbuf_vprintf(&g->body, format, args);
	hd_strbuf_append(&g->body, "\n");
	g->cost += g->scale;
	return name;
}

const char *gen_define(struct gen *g, enum gen_type type, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *name = define(g, format, args);
	va_end(args);
	gen_push(g, type, g->next_id - 1);
	return name;
}

const char *gen_temp(struct gen *g, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	const char *name = define(g, format, args);
	va_end(args);
	return name;
}

void gen_push(struct gen *g, enum gen_type type, uint32_t id)
{
	hd_vec_push(&g->pool, (struct gen_value){type, id});
}

void gen_declare(struct gen *g, const char *format, ...)
{
	char line[512];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	if (strstr(hd_strbuf_text(&g->declarations), line))
		return;
	hd_strbuf_printf(&g->declarations, "%s\n", line);
}

const char *gen_special(struct gen *g, const char *name)
{
	gen_declare(g, "declare i32 @llvm.nvvm.read.ptx.sreg.%s()", name);
	return gen_temp(g, "call i32 @llvm.nvvm.read.ptx.sreg.%s()", name);
}

/* ------------------------------------------------------------ types */

enum gen_type gen_int_of(unsigned bits)
{
	for (unsigned t = T_I1; t <= T_I100; t++)
		if (gen_types[t].bits == bits)
			return t;
	return T_NONE;
}

enum gen_type gen_element(enum gen_type vector)
{
	const struct gen_type_info *info = &gen_types[vector];
	if (info->class == CLASS_INT)
		return gen_int_of(info->bits);
	return info->bits == 16 ? T_F16 : info->bits == 32 ? T_F32 : T_F64;
}

enum gen_type gen_pick_int(struct gen *g)
{
	static const enum gen_type usual[] = {T_I8, T_I16, T_I32, T_I32, T_I32, T_I32, T_I64, T_I64};
	static const enum gen_type odd[] = {T_I5, T_I24, T_I33, T_I48, T_I100};
	unsigned wide = g->weights[FEATURE_wide], strange = g->weights[FEATURE_odd];
	unsigned draw = gen_below(g, 40 + wide + strange);
	if (draw < wide)
		return T_I128;
	if (draw < wide + strange)
		return odd[gen_below(g, 5)];
	return usual[gen_below(g, 8)];
}

enum gen_type gen_pick_float(struct gen *g)
{
	unsigned half = g->weights[FEATURE_halfs], single = g->weights[FEATURE_floats],
		 both = g->weights[FEATURE_doubles];
	if (!(half + single + both))
		return T_NONE;
	unsigned draw = gen_below(g, half + single + both);
	return draw < half ? T_F16 : draw < half + single ? T_F32 : T_F64;
}

static enum gen_type pick_vector(struct gen *g)
{
	for (;;) {
		enum gen_type type = T_V4I8 + gen_below(g, T_COUNT - T_V4I8);
		if (!gen_is_float(type) || gen_has(g, gen_types[type].bits == 64 ? FEATURE_doubles : FEATURE_floats))
			return type;
	}
}

enum gen_type gen_pick_any(struct gen *g)
{
	enum gen_type type = T_NONE;
	if (gen_has(g, FEATURE_vector) && gen_chance(g, 12))
		return pick_vector(g);
	if (gen_chance(g, 25))
		type = gen_pick_float(g);
	if (type == T_NONE)
		type = gen_chance(g, 5) ? T_I1 : gen_pick_int(g);
	return type;
}

enum gen_type gen_pick_stored(struct gen *g)
{
	for (;;) {
		enum gen_type type = gen_pick_any(g);
		unsigned bits = gen_types[type].bits;
		if (bits >= 8 && !(bits & (bits - 1)))
			return type;
	}
}

/* ------------------------------------------------------------ constants */

static uint64_t interesting_bits(struct gen *g, unsigned bits)
{
	uint64_t mask = bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
	unsigned shift = gen_below(g, bits < 64 ? bits : 64);
	switch (gen_below(g, 8)) {
	case 0: return 0;
	case 1: return 1;
	case 2: return mask;
	case 3: return ((uint64_t)1 << shift) & mask;
	case 4: return (((uint64_t)1 << shift) - 1) & mask;
	case 5: return (0 - (uint64_t)gen_below(g, 100)) & mask;
	case 6: return gen_below(g, 1000) & mask;
	default: return random_word(g) & mask;
	}
}

static void put_int(struct gen *g, unsigned bits, char *text, size_t size)
{
	if (bits == 1)
		snprintf(text, size, "%s", gen_chance(g, 50) ? "true" : "false");
	else if (bits > 64 && gen_chance(g, 60))
		snprintf(text, size, "u0x%llx%016llx", (unsigned long long)interesting_bits(g, bits - 64),
			 (unsigned long long)interesting_bits(g, 64));
	else
		snprintf(text, size, "%llu", (unsigned long long)interesting_bits(g, bits));
}

static void put_float(struct gen *g, unsigned bits, char *text, size_t size)
{
	static const double simple[] = {0.0,   -0.0, 1.0,  -1.0,     0.5,      2.0,	 3.0,
					-7.25, 1e-3, 1e10, 0x1p-126, 0x1p-140, 0x1.8p100};
	double value = simple[gen_below(g, sizeof simple / sizeof *simple)];
	uint64_t pattern;
	if (gen_chance(g, 40))
		value = ((double)(int64_t)random_word(g)) * 0x1p-50;
	if (bits == 16) {
		/* exponents from denormal to large, never an infinity or NaN */
		snprintf(text, size, "0xH%04X", gen_below(g, 0x7c00) | gen_below(g, 2) << 15);
		return;
	}
	if (bits == 32)
		value = (float)value;
	memcpy(&pattern, &value, sizeof pattern);
	snprintf(text, size, "0x%016llX", (unsigned long long)pattern);
}

static void put_scalar(struct gen *g, enum gen_type type, char *text, size_t size)
{
	if (gen_is_float(type))
		put_float(g, gen_types[type].bits, text, size);
	else
		put_int(g, gen_types[type].bits, text, size);
}

const char *gen_constant(struct gen *g, enum gen_type type)
{
	char *text = ring(g), part[64];
	unsigned lanes = gen_types[type].lanes;
	if (lanes == 1) {
		put_scalar(g, type, text, sizeof g->text[0]);
		return text;
	}
	enum gen_type element = gen_element(type);
	strcpy(text, "<");
	for (unsigned i = 0; i < lanes; i++) {
		put_scalar(g, element, part, sizeof part);
		size_t length = strlen(text);
		snprintf(text + length, sizeof g->text[0] - length, "%s%s %s", i ? ", " : "", gen_name(element), part);
	}
	strcat(text, ">");
	return text;
}

/* ------------------------------------------------------------ values in scope */

/* A value of the type, the newest ones more often. NULL: there is none. */
static const char *pick_value(struct gen *g, enum gen_type type)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < g->pool.len; i++)
		count += g->pool.data[i].type == type;
	if (!count)
		return NULL;
	uint32_t back = gen_below(g, count);
	if (gen_chance(g, 60))
		back = gen_below(g, back + 1);
	for (uint32_t i = g->pool.len; i-- > 0;)
		if (g->pool.data[i].type == type && back-- == 0)
			return gen_format(g, "%%v%u", g->pool.data[i].id);
	return NULL;
}

static const char *make_value(struct gen *g, enum gen_type type)
{
	const struct gen_type_info *info = &gen_types[type];
	if (info->lanes > 1) {
		enum gen_type element = gen_element(type);
		const char *start = gen_constant(g, type), *value = gen_variable(g, element);
		return gen_define(g, type, "insertelement %s %s, %s %s, i32 %u", info->name, start, gen_name(element),
				  value, gen_below(g, info->lanes));
	}
	if (type == T_I1)
		return gen_define(g, T_I1, "icmp slt i32 %s, %s", gen_variable(g, T_I32), gen_constant(g, T_I32));
	if (type == T_F32)
		return gen_define(g, type, "sitofp i32 %s to float", gen_variable(g, T_I32));
	if (type == T_F64)
		return gen_define(g, type, "sitofp i32 %s to double", gen_variable(g, T_I32));
	if (type == T_F16)
		return gen_define(g, type, "sitofp i8 %s to half", gen_variable(g, T_I8));
	if (type == T_I32) /* the root of all: every function has an i32 */
		return gen_constant(g, type);
	return gen_resize(g, T_I32, gen_variable(g, T_I32), type, gen_chance(g, 50));
}

const char *gen_variable(struct gen *g, enum gen_type type)
{
	const char *value = pick_value(g, type);
	return value ? value : make_value(g, type);
}

const char *gen_operand(struct gen *g, enum gen_type type)
{
	if (gen_chance(g, 22))
		return gen_constant(g, type);
	return gen_variable(g, type);
}
