/*
 * Arithmetic without control flow or memory.
 */
#include "test/fuzz/generate/gen.h"

#include <stdio.h>
#include <string.h>

/* A scalar integer type, or now and then a vector of integers. */
static enum gen_type pick_int_or_vector(struct gen *g)
{
	if (gen_has(g, FEATURE_vector) && gen_chance(g, 8))
		return T_V4I8 + gen_below(g, T_V2I64 - T_V4I8 + 1);
	return gen_pick_int(g);
}

/* The constant `value` in every lane. */
static const char *splat(struct gen *g, enum gen_type type, uint64_t value)
{
	char text[160] = "<";
	if (gen_types[type].lanes == 1)
		return gen_format(g, "%llu", (unsigned long long)value);
	for (unsigned i = 0; i < gen_types[type].lanes; i++)
		snprintf(text + strlen(text), sizeof text - strlen(text), "%si%u %llu", i ? ", " : "",
			 gen_types[type].bits, (unsigned long long)value);
	return gen_format(g, "%s>", text);
}

/* What an intrinsic's name says about a type: i32, v4i32, f64. */
static const char *mangled(struct gen *g, enum gen_type type)
{
	const struct gen_type_info *info = &gen_types[type];
	char kind = info->class == CLASS_INT ? 'i' : 'f';
	if (info->lanes == 1)
		return gen_format(g, "%c%u", kind, info->bits);
	return gen_format(g, "v%u%c%u", info->lanes, kind, info->bits);
}

void gen_op_integer(struct gen *g)
{
	enum gen_type type = gen_chance(g, 4) ? T_I1 : pick_int_or_vector(g);
	const char *op = PICK(g, "add", "add", "sub", "mul", "mul", "and", "or", "xor");
	if (type == T_I1)
		op = PICK(g, "and", "or", "xor", "add", "sub", "mul");
	const char *a = gen_operand(g, type), *b = gen_operand(g, type);
	gen_define(g, type, "%s %s %s, %s", op, gen_name(type), a, b);
	/* Multiply-add in two steps is what a back end fuses. */
	if (!strcmp(op, "mul") && gen_chance(g, 50)) {
		const char *product = gen_format(g, "%%v%u", g->next_id - 1);
		gen_define(g, type, "%s %s %s, %s", PICK(g, "add", "sub"), gen_name(type), product,
			   gen_operand(g, type));
	}
}

static const char *shift_amount(struct gen *g, enum gen_type type)
{
	unsigned bits = gen_types[type].bits;
	if (gen_chance(g, 40))
		return splat(g, type, gen_below(g, bits));
	const char *amount = gen_variable(g, type);
	if (bits & (bits - 1))
		return gen_temp(g, "urem %s %s, %s", gen_name(type), amount, splat(g, type, bits));
	return gen_temp(g, "and %s %s, %s", gen_name(type), amount, splat(g, type, bits - 1));
}

void gen_op_shift(struct gen *g)
{
	enum gen_type type = pick_int_or_vector(g);
	const char *name = gen_name(type);
	if (gen_chance(g, 65)) {
		const char *amount = shift_amount(g, type);
		gen_define(g, type, "%s %s %s, %s", PICK(g, "shl", "lshr", "ashr"), name, gen_operand(g, type), amount);
		return;
	}
	const char *op = PICK(g, "fshl", "fshr"), *mark = mangled(g, type), *a = gen_operand(g, type);
	const char *b = gen_chance(g, 50) ? a : gen_operand(g, type); /* the same twice: a rotate */
	const char *amount =
		gen_chance(g, 50) ? splat(g, type, gen_below(g, gen_types[type].bits)) : gen_operand(g, type);
	gen_declare(g, "declare %s @llvm.%s.%s(%s, %s, %s)", name, op, mark, name, name, name);
	gen_define(g, type, "call %s @llvm.%s.%s(%s %s, %s %s, %s %s)", name, op, mark, name, a, name, b, name, amount);
}

void gen_op_divide(struct gen *g)
{
	enum gen_type type = gen_pick_int(g);
	const char *name = gen_name(type), *op = PICK(g, "udiv", "urem", "sdiv", "srem"), *by;
	bool is_signed = op[0] == 's';
	unsigned bits = gen_types[type].bits;
	if (gen_chance(g, 45)) {
		/* no 0 and no -1 */
		uint64_t constant = gen_chance(g, 40) ? (uint64_t)1 << gen_below(g, bits > 32 ? 31 : bits - 1)
						      : 1 + gen_below(g, bits > 16 ? 100000 : (1u << (bits - 1)) - 1);
		by = gen_format(g, "%s%llu", is_signed && constant > 1 && gen_chance(g, 30) ? "-" : "",
				(unsigned long long)constant);
	} else {
		const char *value = gen_variable(g, type);
		const char *bad = gen_temp(g, "icmp eq %s %s, 0", name, value);
		if (is_signed) {
			const char *minus = gen_temp(g, "icmp eq %s %s, -1", name, value);
			bad = gen_temp(g, "or i1 %s, %s", bad, minus);
		}
		by = gen_temp(g, "select i1 %s, %s %u, %s %s", bad, name, 1 + gen_below(g, 15), name, value);
	}
	gen_define(g, type, "%s %s %s, %s", op, name, gen_operand(g, type), by);
}

static void binary_intrinsic(struct gen *g, enum gen_type type, const char *op)
{
	const char *name = gen_name(type), *mark = mangled(g, type), *a = gen_operand(g, type),
		   *b = gen_operand(g, type);
	gen_declare(g, "declare %s @llvm.%s.%s(%s, %s)", name, op, mark, name, name);
	gen_define(g, type, "call %s @llvm.%s.%s(%s %s, %s %s)", name, op, mark, name, a, name, b);
}

static void overflow_intrinsic(struct gen *g, enum gen_type type)
{
	const char *name = gen_name(type), *op = PICK(g, "uadd", "sadd", "usub", "ssub", "umul", "smul");
	const char *a = gen_operand(g, type), *b = gen_operand(g, type);
	gen_declare(g, "declare {%s, i1} @llvm.%s.with.overflow.%s(%s, %s)", name, op, name, name, name);
	const char *pair =
		gen_temp(g, "call {%s, i1} @llvm.%s.with.overflow.%s(%s %s, %s %s)", name, op, name, name, a, name, b);
	gen_define(g, type, "extractvalue {%s, i1} %s, 0", name, pair);
	gen_define(g, T_I1, "extractvalue {%s, i1} %s, 1", name, pair);
}

static void unary_intrinsic(struct gen *g, enum gen_type type)
{
	const char *name = gen_name(type), *a = gen_operand(g, type), *mark = mangled(g, type);
	const char *op = PICK(g, "ctpop", "ctlz", "cttz", "bswap", "bitreverse", "abs");
	bool flag = !strcmp(op, "ctlz") || !strcmp(op, "cttz") || !strcmp(op, "abs");
	if (!strcmp(op, "bswap") && gen_types[type].bits % 16)
		op = "bitreverse";
	if (flag) {
		bool promise = op[0] == 'c' && gen_chance(g, 40);
		if (promise)
			a = gen_temp(g, "or %s %s, %s", name, a, splat(g, type, 1));
		gen_declare(g, "declare %s @llvm.%s.%s(%s, i1)", name, op, mark, name);
		gen_define(g, type, "call %s @llvm.%s.%s(%s %s, i1 %s)", name, op, mark, name, a,
			   promise ? "true" : "false");
		return;
	}
	gen_declare(g, "declare %s @llvm.%s.%s(%s)", name, op, mark, name);
	gen_define(g, type, "call %s @llvm.%s.%s(%s %s)", name, op, mark, name, a);
}

void gen_op_bits(struct gen *g)
{
	enum gen_type type = pick_int_or_vector(g);
	switch (gen_below(g, 5)) {
	case 0: unary_intrinsic(g, type); break;
	case 1: binary_intrinsic(g, type, PICK(g, "smin", "smax", "umin", "umax")); break;
	case 2: binary_intrinsic(g, type, PICK(g, "uadd.sat", "sadd.sat", "usub.sat", "ssub.sat")); break;
	case 3: overflow_intrinsic(g, gen_types[type].lanes > 1 ? T_I32 : type); break;
	default: {
		/* a bit-field, by two shifts or by shift and mask */
		enum gen_type scalar = gen_chance(g, 60) ? T_I32 : T_I64;
		unsigned bits = gen_types[scalar].bits, from = gen_below(g, bits - 1),
			 length = 1 + gen_below(g, bits - from - 1);
		const char *shifted = gen_temp(g, "lshr %s %s, %u", gen_name(scalar), gen_variable(g, scalar), from);
		gen_define(g, scalar, "and %s %s, %llu", gen_name(scalar), shifted,
			   (unsigned long long)(((uint64_t)1 << length) - 1));
	}
	}
}

/* ------------------------------------------------------------ floating point */

/* minnum and maxnum may take either zero: no operand is -0. */
static const char *without_minus_zero(struct gen *g, enum gen_type type)
{
	return gen_temp(g, "fadd %s %s, %s", gen_name(type), gen_operand(g, type), type == T_F16 ? "0xH0000" : "0.0");
}

static void float_minmax(struct gen *g, enum gen_type type)
{
	const char *name = gen_name(type), *mark = mangled(g, type),
		   *op = PICK(g, "minnum", "maxnum", "minimum", "maximum");
	if (type == T_F64) /* what PTX does not have */
		op = PICK(g, "minnum", "maxnum");
	const char *a = without_minus_zero(g, type), *b = without_minus_zero(g, type);
	gen_declare(g, "declare %s @llvm.%s.%s(%s, %s)", name, op, mark, name, name);
	gen_define(g, type, "call %s @llvm.%s.%s(%s %s, %s %s)", name, op, mark, name, a, name, b);
}

static void float_unary(struct gen *g, enum gen_type type)
{
	const char *name = gen_name(type), *mark = mangled(g, type);
	const char *op = PICK(g, "fabs", "fabs", "floor", "ceil", "trunc", "rint", "nearbyint", "roundeven", "sqrt");
	if (gen_chance(g, 25)) {
		gen_define(g, type, "fneg %s %s", name, gen_operand(g, type));
		return;
	}
	gen_declare(g, "declare %s @llvm.%s.%s(%s)", name, op, mark, name);
	gen_define(g, type, "call %s @llvm.%s.%s(%s %s)", name, op, mark, name, gen_operand(g, type));
}

/* The sign comes from an integer, because a NaN's may be either. */
static void float_copysign(struct gen *g, enum gen_type type)
{
	const char *name = gen_name(type), *mark = mangled(g, type);
	enum gen_type bits = gen_int_of(gen_types[type].bits);
	const char *observed = gen_observe(g, type, gen_variable(g, type));
	const char *sign = gen_temp(g, "bitcast %s %s to %s", gen_name(bits), observed, name);
	gen_declare(g, "declare %s @llvm.copysign.%s(%s, %s)", name, mark, name, name);
	gen_define(g, type, "call %s @llvm.copysign.%s(%s %s, %s %s)", name, mark, name, gen_operand(g, type), name,
		   sign);
}

void gen_op_float(struct gen *g, enum gen_type type)
{
	const char *name = gen_name(type), *mark = mangled(g, type);
	unsigned draw = gen_below(g, 100);
	if (draw < 55) {
		const char *a = gen_operand(g, type), *b = gen_operand(g, type);
		gen_define(g, type, "%s %s %s, %s", PICK(g, "fadd", "fadd", "fsub", "fmul", "fmul", "fdiv"), name, a,
			   b);
	} else if (draw < 70 && type != T_F16) {
		const char *a = gen_operand(g, type), *b = gen_operand(g, type), *c = gen_operand(g, type);
		gen_declare(g, "declare %s @llvm.fma.%s(%s, %s, %s)", name, mark, name, name, name);
		gen_define(g, type, "call %s @llvm.fma.%s(%s %s, %s %s, %s %s)", name, mark, name, a, name, b, name, c);
	} else if (draw < 85) {
		float_unary(g, type);
	} else if (draw < 95 || type == T_F16) {
		float_minmax(g, type);
	} else {
		float_copysign(g, type);
	}
}

/* ------------------------------------------------------------ compares */

void gen_op_compare(struct gen *g)
{
	enum gen_type type = gen_chance(g, 30) ? gen_pick_float(g) : T_NONE;
	if (type != T_NONE) {
		const char *how = PICK(g, "oeq", "one", "olt", "ole", "ogt", "oge", "ord", "ueq", "une", "ult", "ule",
				       "ugt", "uge", "uno");
		const char *a = gen_operand(g, type), *b = gen_operand(g, type);
		gen_define(g, T_I1, "fcmp %s %s %s, %s", how, gen_name(type), a, b);
	} else {
		const char *how = PICK(g, "eq", "ne", "ult", "ule", "ugt", "uge", "slt", "sle", "sgt", "sge");
		type = gen_pick_int(g);
		const char *a = gen_operand(g, type), *b = gen_operand(g, type);
		gen_define(g, T_I1, "icmp %s %s %s, %s", how, gen_name(type), a, b);
	}
	if (gen_chance(g, 60)) {
		const char *condition = gen_format(g, "%%v%u", g->next_id - 1);
		type = gen_pick_any(g);
		const char *a = gen_operand(g, type), *b = gen_operand(g, type);
		gen_define(g, type, "select i1 %s, %s %s, %s %s", condition, gen_name(type), a, gen_name(type), b);
	}
}

/* ------------------------------------------------------------ casts */

const char *gen_resize(struct gen *g, enum gen_type from, const char *value, enum gen_type to, bool is_signed)
{
	unsigned have = gen_types[from].bits, want = gen_types[to].bits;
	if (have == want)
		return value;
	return gen_define(g, to, "%s %s %s to %s",
			  have > want ? "trunc"
			  : is_signed ? "sext"
				      : "zext",
			  gen_name(from), value, gen_name(to));
}

static void cast_to_int(struct gen *g)
{
	enum gen_type from = gen_pick_float(g), to = gen_pick_int(g);
	if (from == T_NONE)
		return;
	unsigned bits = gen_types[to].bits;
	const char *value = gen_variable(g, from), *op = PICK(g, "fptosi", "fptoui");
	if (bits > 64 || bits < 8)
		to = T_I32, bits = 32;
	if (gen_chance(g, 50)) {
		gen_declare(g, "declare %s @llvm.%s.sat.%s.%s(%s)", gen_name(to), op, mangled(g, to), mangled(g, from),
			    gen_name(from));
		gen_define(g, to, "call %s @llvm.%s.sat.%s.%s(%s %s)", gen_name(to), op, mangled(g, to),
			   mangled(g, from), gen_name(from), value);
		return;
	}
	/* Between 0 and 100 (or -100 and 0) it fits every type. */
	const char *limit = from == T_F16 ? "0xH5640" : "100.0", *zero = from == T_F16 ? "0xH0000" : "0.0";
	const char *low = gen_temp(g, "fcmp oge %s %s, %s", gen_name(from), value, zero);
	const char *high = gen_temp(g, "fcmp olt %s %s, %s", gen_name(from), value, limit);
	const char *fits = gen_temp(g, "and i1 %s, %s", low, high);
	const char *safe = gen_temp(g, "select i1 %s, %s %s, %s %s", fits, gen_name(from), value, gen_name(from), zero);
	gen_define(g, to, "%s %s %s to %s", op, gen_name(from), safe, gen_name(to));
}

static void cast_from_int(struct gen *g)
{
	enum gen_type to = gen_pick_float(g), from = gen_pick_int(g);
	if (to == T_NONE || gen_types[from].bits > 64)
		return;
	gen_define(g, to, "%s %s %s to %s", PICK(g, "sitofp", "uitofp"), gen_name(from), gen_variable(g, from),
		   gen_name(to));
}

static void cast_float(struct gen *g)
{
	enum gen_type from = gen_pick_float(g), to = gen_pick_float(g);
	if (from == T_NONE || from == to)
		return;
	gen_define(g, to, "%s %s %s to %s", from > to ? "fptrunc" : "fpext", gen_name(from), gen_variable(g, from),
		   gen_name(to));
}

static void bitcast(struct gen *g)
{
	enum gen_type from = gen_pick_any(g), to = gen_pick_any(g);
	for (unsigned tries = 0; tries < 20 && (from == to || gen_width(from) != gen_width(to)); tries++)
		to = gen_pick_any(g);
	if (from == to || gen_width(from) != gen_width(to))
		return;
	enum gen_type bits = gen_int_of(gen_width(from));
	const char *value = gen_variable(g, from);
	if (gen_is_float(from))
		value = gen_observe(g, from, value), from = bits;
	/* A signalling NaN made of bits must not reach minnum: an addition quiets it. */
	if (gen_is_float(to)) {
		const char *raw = gen_temp(g, "bitcast %s %s to %s", gen_name(from), value, gen_name(to));
		char zero[96] = "0.0";
		if (gen_types[to].lanes > 1)
			strcpy(zero, "zeroinitializer");
		else if (to == T_F16)
			strcpy(zero, "0xH0000");
		gen_define(g, to, "fadd %s %s, %s", gen_name(to), raw, zero);
		return;
	}
	gen_define(g, to, "bitcast %s %s to %s", gen_name(from), value, gen_name(to));
}

void gen_op_cast(struct gen *g)
{
	unsigned draw = gen_below(g, 100);
	if (draw < 55) {
		enum gen_type from = gen_chance(g, 15) ? T_I1 : gen_pick_int(g), to = gen_pick_int(g);
		gen_resize(g, from, gen_variable(g, from), to, gen_chance(g, 50));
	} else if (draw < 65) {
		cast_to_int(g);
	} else if (draw < 77) {
		cast_from_int(g);
	} else if (draw < 85) {
		cast_float(g);
	} else {
		bitcast(g);
	}
}

/* ------------------------------------------------------------ vectors */

static void vector_reduce(struct gen *g, enum gen_type type)
{
	enum gen_type element = gen_element(type);
	if (gen_is_float(type))
		return;
	const char *op = PICK(g, "add", "mul", "and", "or", "xor", "smin", "smax", "umin", "umax"),
		   *mark = mangled(g, type);
	gen_declare(g, "declare %s @llvm.vector.reduce.%s.%s(%s)", gen_name(element), op, mark, gen_name(type));
	gen_define(g, element, "call %s @llvm.vector.reduce.%s.%s(%s %s)", gen_name(element), op, mark, gen_name(type),
		   gen_variable(g, type));
}

static void vector_shuffle(struct gen *g, enum gen_type type)
{
	unsigned lanes = gen_types[type].lanes;
	char mask[128] = "";
	const char *a = gen_variable(g, type), *b = gen_operand(g, type);
	for (unsigned i = 0; i < lanes; i++)
		snprintf(mask + strlen(mask), sizeof mask - strlen(mask), "%si32 %u", i ? ", " : "",
			 gen_below(g, 2 * lanes));
	gen_define(g, type, "shufflevector %s %s, %s %s, <%u x i32> <%s>", gen_name(type), a, gen_name(type), b, lanes,
		   mask);
}

/* An index that is a constant, or a value that is masked or divided into the vector. */
static const char *lane_index(struct gen *g, unsigned lanes)
{
	if (gen_chance(g, 60))
		return gen_format(g, "%u", gen_below(g, lanes));
	return gen_temp(g, "urem i32 %s, %u", gen_variable(g, T_I32), lanes);
}

void gen_op_vector(struct gen *g)
{
	enum gen_type type;
	do
		type = gen_pick_any(g);
	while (gen_types[type].lanes == 1);
	enum gen_type element = gen_element(type);
	const char *name = gen_name(type), *index = lane_index(g, gen_types[type].lanes);
	switch (gen_below(g, 6)) {
	case 0: {
		const char *vector = gen_operand(g, type), *value = gen_operand(g, element);
		gen_define(g, type, "insertelement %s %s, %s %s, i32 %s", name, vector, gen_name(element), value,
			   index);
		break;
	}
	case 1:
	case 2: gen_define(g, element, "extractelement %s %s, i32 %s", name, gen_variable(g, type), index); break;
	case 3: vector_shuffle(g, type); break;
	case 4: vector_reduce(g, type); break;
	default: {
		const char *a = gen_operand(g, type), *b = gen_operand(g, type);
		const char *op = gen_is_float(type) ? PICK(g, "fadd", "fsub", "fmul")
						    : PICK(g, "add", "sub", "mul", "xor", "and");
		gen_define(g, type, "%s %s %s, %s", op, name, a, b);
		if (!gen_is_float(type) && gen_chance(g, 40)) {
			const char *flags =
				gen_temp(g, "icmp %s %s %s, %s", PICK(g, "slt", "ult", "eq", "ne"), name, a, b);
			const char *other = gen_operand(g, type);
			gen_define(g, type, "select <%u x i1> %s, %s %s, %s %s", gen_types[type].lanes, flags, name, a,
				   name, other);
		}
	}
	}
}

/* ------------------------------------------------------------ NVVM */

void gen_op_nvvm(struct gen *g)
{
	static const char *const registers[] = {"tid.x",       "tid.y",	      "tid.z",	     "ntid.x",
						"ntid.y",      "ctaid.x",     "nctaid.x",    "laneid",
						"lanemask.lt", "lanemask.ge", "lanemask.eq", "warpsize"};
	static const struct {
		const char *name;
		unsigned bits, operands;
	} functions[] = {
		{"mulhi.i", 32, 2},  {"mulhi.ui", 32, 2}, {"mulhi.ll", 64, 2}, {"mulhi.ull", 64, 2}, {"mul24.i", 32, 2},
		{"mul24.ui", 32, 2}, {"sad.i", 32, 3},	  {"sad.ui", 32, 3},   {"prmt", 32, 3},
	};
	if (gen_chance(g, 35)) {
		const char *name = registers[gen_below(g, sizeof registers / sizeof *registers)];
		gen_declare(g, "declare i32 @llvm.nvvm.read.ptx.sreg.%s()", name);
		gen_define(g, T_I32, "call i32 @llvm.nvvm.read.ptx.sreg.%s()", name);
		return;
	}
	unsigned i = gen_below(g, sizeof functions / sizeof *functions);
	enum gen_type type = gen_int_of(functions[i].bits);
	const char *name = gen_name(type), *a = gen_operand(g, type), *b = gen_operand(g, type),
		   *c = gen_operand(g, type);
	if (functions[i].operands == 2) {
		gen_declare(g, "declare %s @llvm.nvvm.%s(%s, %s)", name, functions[i].name, name, name);
		gen_define(g, type, "call %s @llvm.nvvm.%s(%s %s, %s %s)", name, functions[i].name, name, a, name, b);
	} else {
		gen_declare(g, "declare %s @llvm.nvvm.%s(%s, %s, %s)", name, functions[i].name, name, name, name);
		gen_define(g, type, "call %s @llvm.nvvm.%s(%s %s, %s %s, %s %s)", name, functions[i].name, name, a,
			   name, b, name, c);
	}
}

/* ------------------------------------------------------------ observation */

static const char *observe_scalar(struct gen *g, enum gen_type type, const char *value)
{
	static const char *const quiet[] = {"32256", "2143289344", "9221120237041090560"};
	enum gen_type bits = gen_int_of(gen_types[type].bits);
	const char *pattern = gen_temp(g, "bitcast %s %s to %s", gen_name(type), value, gen_name(bits));
	const char *nan = gen_temp(g, "fcmp uno %s %s, %s", gen_name(type), value, value);
	return gen_temp(g, "select i1 %s, %s %s, %s %s", nan, gen_name(bits), quiet[type - T_F16], gen_name(bits),
			pattern);
}

const char *gen_observe(struct gen *g, enum gen_type type, const char *value)
{
	unsigned lanes = gen_types[type].lanes, width = gen_width(type);
	enum gen_type whole = gen_int_of(width), element = lanes > 1 ? gen_element(type) : type;
	if (!gen_is_float(type) && lanes == 1)
		return value;
	if (type == T_V3I32) {
		value = gen_temp(
			g,
			"shufflevector <3 x i32> %s, <3 x i32> zeroinitializer, <4 x i32> <i32 0, i32 1, i32 2, i32 3>",
			value);
		return gen_temp(g, "bitcast <4 x i32> %s to i128", value);
	}
	if (!gen_is_float(type))
		return gen_temp(g, "bitcast %s %s to i%u", gen_name(type), value, width);
	if (lanes == 1)
		return observe_scalar(g, type, value);
	/* Floats of a vector one by one, put together as shifted integers. */
	const char *sum = "0";
	char kept[160];
	enum gen_type bits = gen_int_of(gen_types[type].bits);
	for (unsigned i = 0; i < lanes; i++) {
		const char *lane = gen_temp(g, "extractelement %s %s, i32 %u", gen_name(type), value, i);
		const char *seen = observe_scalar(g, element, lane);
		const char *wide = gen_temp(g, "zext %s %s to %s", gen_name(bits), seen, gen_name(whole));
		const char *moved = gen_temp(g, "shl %s %s, %u", gen_name(whole), wide, i * gen_types[type].bits);
		snprintf(kept, sizeof kept, "%s", sum);
		sum = gen_temp(g, "or %s %s, %s", gen_name(whole), kept, moved);
	}
	return sum;
}

const char *gen_fold(struct gen *g, enum gen_type type, const char *value)
{
	unsigned width = type == T_V3I32 ? 128 : gen_width(type);
	const char *bits = gen_observe(g, type, value);
	if (width == 64)
		return bits;
	if (width < 64)
		return gen_temp(g, "zext i%u %s to i64", width, bits);
	const char *low = gen_temp(g, "trunc i%u %s to i64", width, bits);
	const char *shifted = gen_temp(g, "lshr i%u %s, %u", width, bits, width - 64);
	const char *high = gen_temp(g, "trunc i%u %s to i64", width, shifted);
	const char *turned = gen_temp(g, "mul i64 %s, 31", high);
	return gen_temp(g, "xor i64 %s, %s", low, turned);
}
