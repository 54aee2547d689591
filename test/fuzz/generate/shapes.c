/*
 * Shapes around calls and the stack: aggregates by value, variable arguments, memory of dynamic size, functions of the
 * math library; and operations of a warp by groups of its lanes, side by side and on the two sides of a branch.
 */
#include "test/fuzz/generate/gen.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------ aggregates by value */

/* The callee changes its copy and reads it at a place known at run time only. */
static void byval_function(struct gen *g, unsigned id, const char *type, unsigned align)
{
	hd_strbuf_printf(&g->functions,
			 "define internal i64 @b%u(ptr byval(%s) align %u %%p, i64 %%x, i32 %%y) noinline nounwind {\n"
			 "  %%a = load i64, ptr %%p, align %u\n"
			 "  %%q = getelementptr %s, ptr %%p, i32 0, i32 2, i32 %u\n"
			 "  %%h = load i16, ptr %%q, align 2\n"
			 "  %%s = trunc i64 %%x to i16\n"
			 "  store i16 %%s, ptr %%q, align 2\n"
			 "  %%k = and i32 %%y, 15\n"
			 "  %%r = getelementptr i8, ptr %%p, i32 %%k\n"
			 "  %%b = load i8, ptr %%r, align 1\n"
			 "  %%c = load i32, ptr %%p, align 4\n"
			 "  %%h1 = sext i16 %%h to i64\n  %%b1 = zext i8 %%b to i64\n  %%c1 = zext i32 %%c to i64\n"
			 "  %%m1 = mul i64 %%a, 31\n  %%m2 = add i64 %%m1, %%h1\n  %%m3 = mul i64 %%m2, 33\n"
			 "  %%m4 = xor i64 %%m3, %%b1\n  %%m5 = add i64 %%m4, %%c1\n  ret i64 %%m5\n}\n\n",
			 id, type, align, align, type, gen_below(g, 3));
}

static void byval_region(struct gen *g)
{
	static const char type[] = "{i64, i32, [3 x i16], i8}"; /* 24 bytes: a region of 16 and what follows it */
	const struct gen_region *found = NULL;
	for (uint32_t i = 0; i < g->regions.len; i++)
		if (g->regions.data[i].bytes >= 16 && !strcmp(g->regions.data[i].type, "ptr"))
			found = &g->regions.data[i];
	if (!found)
		return;
	unsigned id = g->next_global++, align = gen_chance(g, 70) ? 8 : 16;
	byval_function(g, id, type, align);
	const char *x = gen_variable(g, T_I64), *y = gen_variable(g, T_I32);
	gen_define(g, T_I64, "call i64 @b%u(ptr byval(%s) align %u %s, i64 %s, i32 %s)", id, type, align,
		   found->pointer, x, y);
	g->cost += 60 * g->scale;
}

struct aggregate {
	const char *type;
	unsigned bytes, align;
};

enum { MOST_AGGREGATES = 4 };

/* Of sizes that end within a word, in the argument registers, behind them, and of more words than there are. */
static struct aggregate pick_aggregate(struct gen *g)
{
	static const struct aggregate all[] = {
		{"[3 x i32]", 12, 4},
		{"{i8, i16, i8}", 6, 2},
		{"[5 x i8]", 5, 1},
		{"[1 x i8]", 1, 1},
		{"{double, float, i32, i64}", 24, 8},
		{"<4 x float>", 16, 16},
		{"{i64, i32, [3 x i16], i8}", 24, 8},
		{"{[7 x i16], i8}", 16, 2},
		{"[12 x i32]", 48, 4},
		{"[13 x i32]", 52, 4},
		{"[20 x i32]", 80, 4},
		{"{i8, i64, [9 x i16]}", 40, 8},
		{"[40 x i32]", 160, 4},
		{"{[3 x i8], [3 x i64]}", 32, 8},
	};
	struct aggregate found = all[gen_below(g, sizeof(all) / sizeof(all[0]))];
	if (found.align < 16 && gen_chance(g, 20))
		found.align = 16;
	return found;
}

/* %sN = a hash of %s(N-1) and some bytes of %pK; returns N. */
static unsigned hash_bytes(struct gen *g, const struct aggregate *of, unsigned k, unsigned sum)
{
	struct hd_strbuf *to = &g->functions;
	for (unsigned i = 0; i < 3; i++, sum++) {
		unsigned width = gen_below(g, 3); /* 1, 2 or 4 bytes */
		while ((1u << width) > of->bytes)
			width--;
		unsigned at = gen_below(g, of->bytes - (1u << width) + 1);
		hd_strbuf_printf(to,
				 "  %%q%u = getelementptr i8, ptr %%p%u, i32 %u\n"
				 "  %%l%u = load i%u, ptr %%q%u, align 1\n"
				 "  %%e%u = zext i%u %%l%u to i64\n  %%m%u = mul i64 %%s%u, 31\n"
				 "  %%s%u = add i64 %%m%u, %%e%u\n",
				 sum, k, at, sum, 8u << width, sum, sum, 8u << width, sum, sum, sum, sum + 1, sum, sum);
	}
	return sum;
}

static void write_somewhere(struct gen *g, const struct aggregate *of, unsigned k)
{
	unsigned span = of->bytes;
	while (span & (span - 1))
		span &= span - 1;
	hd_strbuf_printf(&g->functions,
			 "  %%w%u = and i32 %%y, %u\n  %%a%u = getelementptr i8, ptr %%p%u, i32 %%w%u\n"
			 "  %%t%u = trunc i32 %%y to i8\n  store i8 %%t%u, ptr %%a%u, align 1\n",
			 k, span - 1, k, k, k, k, k, k);
}

/* Behind the first arguments: the aggregates, with a number before each where there are `scalars`: %x0, %x1, ... or %x.
 */
static void print_aggregates(struct gen *g, const struct aggregate *all, unsigned count, bool scalars, bool numbered)
{
	struct hd_strbuf *to = &g->functions;
	for (unsigned k = 0; k < count; k++) {
		if (scalars && numbered)
			hd_strbuf_printf(to, ", i64 %%x%u", k);
		else if (scalars)
			hd_strbuf_printf(to, ", i64 %%x");
		hd_strbuf_printf(to, ", ptr byval(%s) align %u %%p%u", all[k].type, all[k].align, k);
	}
}

/* A callee that hashes, changes and perhaps passes on what it is given; a caller that makes it and looks at it again.
 */
static void byval_pair(struct gen *g, unsigned id)
{
	struct hd_strbuf *to = &g->functions;
	struct aggregate all[MOST_AGGREGATES];
	unsigned count = 1 + gen_below(g, MOST_AGGREGATES), sum = 0;
	bool scalars = gen_chance(g, 40), on = gen_chance(g, 40);
	for (unsigned k = 0; k < count; k++)
		all[k] = pick_aggregate(g);
	hd_strbuf_printf(to, "define internal i64 @b%u(i32 %%y, i64 %%x", id);
	print_aggregates(g, all, count, scalars, true);
	hd_strbuf_printf(to, ") noinline nounwind {\n  %%s0 = add i64 %%x, %u\n", id);
	for (unsigned k = 0; k < count; k++) {
		sum = hash_bytes(g, &all[k], k, sum);
		if (gen_chance(g, 40))
			write_somewhere(g, &all[k], k);
		sum = hash_bytes(g, &all[k], k, sum);
	}
	hd_strbuf_printf(to, "  %%s = add i64 %%s%u, %%x\n", sum);
	if (on) { /* to itself, until the number is used up */
		hd_strbuf_printf(to,
				 "  %%z = lshr i32 %%y, 9\n  %%c = icmp eq i32 %%z, 0\n"
				 "  br i1 %%c, label %%done, label %%again\nagain:\n"
				 "  %%r = call i64 @b%u(i32 %%z, i64 %%s",
				 id);
		print_aggregates(g, all, count, scalars, true);
		hd_strbuf_printf(to, ")\n");
		sum = hash_bytes(g, &all[0], 0, sum);
		hd_strbuf_printf(to, "  %%f = add i64 %%r, %%s%u\n  ret i64 %%f\ndone:\n", sum);
	}
	hd_strbuf_printf(to, "  ret i64 %%s\n}\n\n");

	hd_strbuf_printf(to, "define internal i64 @w%u(i64 %%x, i32 %%y) noinline nounwind {\n", id);
	for (unsigned k = 0; k < count; k++)
		hd_strbuf_printf(to, "  %%p%u = alloca [%u x i8], align %u\n", k, all[k].bytes, all[k].align);
	for (unsigned k = 0; k < count; k++)
		for (unsigned at = 0, step; at < all[k].bytes; at += step) {
			step = all[k].bytes - at >= 4 && all[k].align >= 4 ? 4 : 1;
			hd_strbuf_printf(to,
					 "  %%v%u.%u = mul i64 %%x, %u\n  %%n%u.%u = trunc i64 %%v%u.%u to i%u\n"
					 "  %%i%u.%u = getelementptr i8, ptr %%p%u, i32 %u\n"
					 "  store i%u %%n%u.%u, ptr %%i%u.%u, align %u\n",
					 k, at, 2 * at + 3 + k, k, at, k, at, 8 * step, k, at, k, at, 8 * step, k, at,
					 k, at, step);
		}
	if (gen_chance(g, 30))
		write_somewhere(g, &all[0], 0);
	hd_strbuf_printf(to, "  %%s0 = call i64 @b%u(i32 %%y, i64 %%x", id);
	print_aggregates(g, all, count, scalars, false);
	hd_strbuf_printf(to, ")\n");
	sum = 0;
	for (unsigned k = 0; k < count; k++)
		sum = hash_bytes(g, &all[k], k, sum);
	hd_strbuf_printf(to, "  ret i64 %%s%u\n}\n\n", sum);
}

void gen_op_byval(struct gen *g)
{
	if (g->function)
		return;
	if (gen_chance(g, 40)) {
		byval_region(g);
		return;
	}
	unsigned id = g->next_global++;
	byval_pair(g, id);
	const char *x = gen_variable(g, T_I64), *y = gen_variable(g, T_I32);
	gen_define(g, T_I64, "call i64 @w%u(i64 %s, i32 %s)", id, x, y);
	g->cost += 300 * g->scale;
}

/* ------------------------------------------------------------ variable arguments */

enum { MOST_ARGUMENTS = 12 };

/* Reads the arguments once, or twice by way of a copy of the list. */
static void variadic_function(struct gen *g, unsigned id, const enum gen_type *types, unsigned count)
{
	struct hd_strbuf *to = &g->functions;
	unsigned copy_at = gen_below(g, 2 * count);
	gen_declare(g, "declare void @llvm.va_start.p0(ptr)");
	gen_declare(g, "declare void @llvm.va_copy.p0(ptr, ptr)");
	gen_declare(g, "declare void @llvm.va_end.p0(ptr)");
	/* 24 bytes: the host's list; ours takes 8 of them. */
	hd_strbuf_printf(
		to,
		"define internal i64 @a%u(i64 %%first, ...) noinline nounwind {\n  %%list = alloca [24 x i8], align 8\n"
		"  %%twin = alloca [24 x i8], align 8\n  call void @llvm.va_start.p0(ptr %%list)\n"
		"  %%s0 = add i64 %%first, %u\n",
		id, id);
	for (unsigned i = 0; i < count; i++) {
		const char *name = gen_name(types[i]);
		if (i == copy_at)
			hd_strbuf_append(to, "  call void @llvm.va_copy.p0(ptr %twin, ptr %list)\n");
		hd_strbuf_printf(to, "  %%v%u = va_arg ptr %%list, %s\n", i, name);
		if (types[i] == T_F64)
			hd_strbuf_printf(to, "  %%w%u = bitcast double %%v%u to i64\n", i, i);
		else
			hd_strbuf_printf(to, "  %%w%u = %s %s %%v%u to i64\n", i,
					 types[i] == T_I64 ? "bitcast" : "sext", name, i);
		hd_strbuf_printf(to, "  %%m%u = mul i64 %%s%u, 37\n  %%s%u = add i64 %%m%u, %%w%u\n", i, i, i + 1, i,
				 i);
	}
	if (copy_at < count && types[copy_at] == T_I64)
		hd_strbuf_printf(to, "  %%again = va_arg ptr %%twin, i64\n  %%last = xor i64 %%s%u, %%again\n", count);
	else
		hd_strbuf_printf(to, "  %%last = xor i64 %%s%u, 7\n", count);
	hd_strbuf_append(to, "  call void @llvm.va_end.p0(ptr %list)\n  ret i64 %last\n}\n\n");
}

void gen_op_varargs(struct gen *g)
{
	static const enum gen_type some[] = {T_I32, T_I64, T_F64, T_I64};
	enum gen_type types[MOST_ARGUMENTS];
	unsigned count = 1 + gen_below(g, MOST_ARGUMENTS - 1), id = g->next_global++;
	struct hd_strbuf args = {0};
	if (g->function)
		return;
	for (unsigned i = 0; i < count; i++) {
		types[i] = some[gen_below(g, 4)];
		if (types[i] == T_F64) {
			const char *bits = gen_variable(g, T_I64);
			const char *number = gen_temp(g, "sitofp i64 %s to double", bits);
			hd_strbuf_printf(&args, ", double %s", number);
		} else {
			hd_strbuf_printf(&args, ", %s %s", gen_name(types[i]), gen_operand(g, types[i]));
		}
	}
	variadic_function(g, id, types, count);
	gen_define(g, T_I64, "call i64 (i64, ...) @a%u(i64 %s%s)", id, gen_operand(g, T_I64), hd_strbuf_text(&args));
	hd_strbuf_release(&args);
	g->cost += 20 * count * g->scale;
}

/* ------------------------------------------------------------ memory of dynamic size */

void gen_op_dynamic(struct gen *g)
{
	char size[16], kept[16], base[16], number[160];
	gen_declare(g, "declare ptr @llvm.stacksave.p0()");
	gen_declare(g, "declare void @llvm.stackrestore.p0(ptr)");
	snprintf(kept, sizeof kept, "%s", gen_temp(g, "call ptr @llvm.stacksave.p0()"));
	snprintf(size, sizeof size, "%s",
		 gen_temp(g, "and i32 %s, %u", gen_variable(g, T_I32), 8u * (1 + gen_below(g, 16))));
	const char *bytes = gen_temp(g, "add i32 %s, 24", size);
	snprintf(base, sizeof base, "%s", gen_temp(g, "alloca i8, i32 %s, align %u", bytes, 8u << gen_below(g, 2)));
	snprintf(number, sizeof number, "%s", gen_operand(g, T_I64));
	gen_line(g, "store i64 %s, ptr %s, align 8", number, base);
	const char *far = gen_temp(g, "getelementptr i8, ptr %s, i32 %s", base, size);
	gen_line(g, "store i32 %s, ptr %s, align 4", gen_operand(g, T_I32),
		 gen_temp(g, "getelementptr i8, ptr %s, i32 16", far));
	if (gen_chance(g, 40)) { /* another one behind it */
		char more[16];
		snprintf(more, sizeof more, "%s", gen_temp(g, "alloca i32, i32 %u, align 4", 1 + gen_below(g, 9)));
		gen_line(g, "store i32 -1, ptr %s, align 4", more);
	}
	gen_define(g, T_I64, "load i64, ptr %s, align 8", base);
	const char *again = gen_temp(g, "getelementptr i8, ptr %s, i32 %s", base, size);
	gen_define(g, T_I32, "load i32, ptr %s, align 4", gen_temp(g, "getelementptr i8, ptr %s, i32 16", again));
	gen_line(g, "call void @llvm.stackrestore.p0(ptr %s)", kept);
	g->cost += 20 * g->scale;
}

/* ------------------------------------------------------------ the math library */

/* Exact functions as they are. Of the others, which differ in the last place, a bound that all results keep. */
void gen_op_libm(struct gen *g)
{
	bool wide = gen_chance(g, 40);
	enum gen_type type = wide ? T_F64 : T_F32;
	const char *name = gen_name(type), *mark = wide ? "f64" : "f32";
	char x[16];
	snprintf(x, sizeof x, "%s", gen_temp(g, "sitofp i16 %s to %s", gen_variable(g, T_I16), name));
	g->cost += 150 * g->scale;
	if (gen_chance(g, 35)) {
		const char *y = gen_temp(g, "sitofp i8 %s to %s", gen_variable(g, T_I8), name);
		gen_define(g, type, "frem %s %s, %s", name, x, y);
		return;
	}
	if (gen_chance(g, 40)) {
		const char *n = gen_temp(g, "sext i8 %s to i32", gen_variable(g, T_I8));
		gen_declare(g, "declare %s @llvm.ldexp.%s.i32(%s, i32)", name, mark, name);
		gen_define(g, type, "call %s @llvm.ldexp.%s.i32(%s %s, i32 %s)", name, mark, name, x, n);
		return;
	}
	const char *op = PICK(g, "sin", "cos", "sin", "exp2", "log2", "pow");
	gen_declare(g, "declare %s @llvm.fabs.%s(%s)", name, mark, name);
	const char *size = gen_temp(g, "call %s @llvm.fabs.%s(%s %s)", name, mark, name, x), *y;
	bool two = !strcmp(op, "pow");
	gen_declare(g, "declare %s @llvm.%s.%s(%s%s)", name, op, mark, name, two ? gen_format(g, ", %s", name) : "");
	const char *from = !strcmp(op, "exp2")	 ? gen_temp(g, "fneg %s %s", name, size)
			   : !strcmp(op, "log2") ? gen_temp(g, "fadd %s %s, 1.0", name, size)
			   : two		 ? gen_temp(g, "fadd %s %s, 2.0", name, size)
						 : x;
	y = gen_temp(g, "call %s @llvm.%s.%s(%s %s%s)", name, op, mark, name, from,
		     two ? gen_format(g, ", %s -1.5", name) : "");
	y = gen_temp(g, "call %s @llvm.fabs.%s(%s %s)", name, mark, name, y);
	gen_define(g, T_I1, "fcmp ole %s %s, %s", name, y, !strcmp(op, "log2") ? "16.0" : "1.0");
}

/* ------------------------------------------------------------ groups of lanes */

/* One operation that all lanes of `mask` (text) take part in; `own`: the bits of a lane's number that its group shares,
 * which are `value`. An i32 comes back. */
static const char *group_operation(struct gen *g, const char *mask, unsigned own, const char *value)
{
	char kept[160];
	const char *lane;
	switch (gen_below(g, 4)) {
	case 0:
		gen_declare(g, "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) convergent");
		return gen_temp(g, "call i32 @llvm.nvvm.vote.ballot.sync(i32 %s, i1 %s)", mask, gen_variable(g, T_I1));
	case 1: {
		const char *op = PICK(g, "all", "any", "uni"), *got;
		gen_declare(g, "declare i1 @llvm.nvvm.vote.%s.sync(i32, i1) convergent", op);
		got = gen_temp(g, "call i1 @llvm.nvvm.vote.%s.sync(i32 %s, i1 %s)", op, mask, gen_variable(g, T_I1));
		return gen_temp(g, "zext i1 %s to i32", got);
	}
	case 2:
		gen_declare(g, "declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32) convergent");
		return gen_temp(g, "call i32 @llvm.nvvm.match.any.sync.i32(i32 %s, i32 %s)", mask,
				gen_temp(g, "and i32 %s, 1", gen_variable(g, T_I32)));
	default:
		snprintf(kept, sizeof kept, "%s", gen_variable(g, T_I32));
		lane = gen_temp(g, "and i32 %s, %u", gen_variable(g, T_I32), 31 & ~own);
		lane = gen_temp(g, "or i32 %s, %s", lane, value);
		gen_declare(g, "declare i32 @llvm.nvvm.shfl.sync.idx.i32(i32, i32, i32, i32) convergent");
		return gen_temp(g, "call i32 @llvm.nvvm.shfl.sync.idx.i32(i32 %s, i32 %s, i32 %s, i32 31)", mask, kept,
				lane);
	}
}

/* Tiles of 4, 8 or 16 lanes, each with its own mask. */
static void tiles(struct gen *g)
{
	unsigned width = 4u << gen_below(g, 3), own = 32 - width;
	char first[16], mask[16];
	snprintf(first, sizeof first, "%s", gen_temp(g, "and i32 %s, %u", gen_special(g, "laneid"), own));
	snprintf(mask, sizeof mask, "%s", gen_temp(g, "shl i32 %u, %s", (1u << width) - 1, first));
	gen_define(g, T_I32, "add i32 %s, 0", group_operation(g, mask, own, first));
}

/* Lanes with a bit of their number set, and those without: the two sides of a branch. Each side has one operation. */
static void sides(struct gen *g)
{
	static const uint32_t masks[] = {0x55555555, 0x33333333, 0x0f0f0f0f, 0x00ff00ff, 0x0000ffff};
	unsigned bit = gen_below(g, 5);
	uint32_t labels[2] = {g->next_label++, g->next_label++}, end = g->next_label++, ends[2];
	char results[2][16];
	const char *own = gen_temp(g, "and i32 %s, %u", gen_special(g, "laneid"), 1u << bit);
	gen_jump_if(g, gen_temp(g, "icmp eq i32 %s, 0", own), labels[0], labels[1]);
	g->uniform = false;
	for (unsigned side = 0; side < 2; side++) {
		uint32_t scope = g->pool.len;
		gen_label(g, labels[side]);
		for (unsigned i = gen_below(g, 4); i-- > 0;)
			gen_op_integer(g);
		const char *mask = gen_format(g, "%d", (int)(side ? ~masks[bit] : masks[bit]));
		const char *got = group_operation(g, mask, 1u << bit, gen_format(g, "%u", side ? 1u << bit : 0));
		snprintf(results[side], sizeof results[side], "%s", got);
		ends[side] = g->label;
		gen_line(g, "br label %%L%u", end);
		g->pool.len = scope;
	}
	g->uniform = true;
	gen_label(g, end);
	gen_define(g, T_I32, "phi i32 [ %s, %%L%u ], [ %s, %%L%u ]", results[0], ends[0], results[1], ends[1]);
	g->cost += 20 * g->scale;
}

void gen_op_groups(struct gen *g)
{
	if (!g->uniform || !g->whole_warps)
		return;
	if (gen_chance(g, 50))
		tiles(g);
	else
		sides(g);
}
