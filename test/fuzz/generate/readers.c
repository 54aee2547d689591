/*
 * How a value that only some threads have is read: by those that have it, from a lane that has it, from the bits of a
 * vote that such lanes set, by a function that is told whether it is there; in two ways that agree, once it is frozen.
 * Before that, what the parts of such kernels are written with (partial.h).
 */
#include "test/fuzz/generate/partial.h"

/* ------------------------------------------------------------ parts of the text */

bool gen_together(const struct gen *g)
{
	return g->uniform && g->whole_warps;
}

/* "noundef " or nothing: where clang marks a parameter, an argument or a result as never undefined. */
static const char *mark(struct gen *g)
{
	return gen_chance(g, 60) ? "noundef " : "";
}

struct gen_marks gen_pick_marks(struct gen *g)
{
	struct gen_marks marks;
	for (unsigned i = 0; i < 4; i++)
		marks.at[i] = mark(g);
	return marks;
}

const char *gen_inlining(struct gen *g)
{
	return PICK(g, "noinline", "noinline", "alwaysinline", "");
}

uint32_t gen_new_alloca(struct gen *g, const char *type)
{
	uint32_t id = g->next_id++;
	hd_strbuf_printf(&g->entry, "  %%v%u = alloca %s, align 16\n", id, type);
	return id;
}

const char *gen_lanes_of(struct gen *g, const char *condition)
{
	gen_declare(g, "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) convergent");
	return gen_temp(g, "call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %s)", condition);
}

/* ------------------------------------------------------------ words */

/* The value as an integer; for types of 1 bit or a power of two of bytes. */
static const char *to_bits(struct gen *g, enum gen_type type, const char *value)
{
	if (!gen_is_float(type) && gen_types[type].lanes == 1)
		return value;
	return gen_temp(g, "bitcast %s %s to i%u", gen_name(type), value, gen_width(type));
}

const char *gen_from_bits(struct gen *g, enum gen_type type, const char *bits)
{
	if (!gen_is_float(type) && gen_types[type].lanes == 1)
		return bits;
	return gen_temp(g, "bitcast i%u %s to %s", gen_width(type), bits, gen_name(type));
}

const char *gen_by_words(struct gen *g, enum gen_type type, const char *value, gen_word_step *step, const char *operand)
{
	unsigned width = gen_width(type);
	char bits[16], sum[16] = "0";
	KEEP(bits, to_bits(g, type, value));
	if (width <= 32) {
		const char *word = width < 32 ? gen_temp(g, "zext i%u %s to i32", width, bits) : bits;
		word = step(g, word, operand);
		return gen_from_bits(g, type,
				     width < 32 ? gen_temp(g, "trunc i32 %s to i%u", word, width)
						: gen_format(g, "%s", word));
	}
	for (unsigned at = 0; at < width; at += 32) {
		const char *word = at ? gen_temp(g, "lshr i%u %s, %u", width, bits, at) : bits;
		word = step(g, gen_temp(g, "trunc i%u %s to i32", width, word), operand);
		word = gen_temp(g, "zext i32 %s to i%u", word, width);
		if (at)
			word = gen_temp(g, "shl i%u %s, %u", width, word, at);
		KEEP(sum, at ? gen_temp(g, "or i%u %s, %s", width, sum, word) : word);
	}
	return gen_from_bits(g, type, gen_format(g, "%s", sum));
}

/* ------------------------------------------------------------ shuffles */

const char *gen_broadcast(struct gen *g, const char *mask, const char *value, const char *from)
{
	static const char shuffle[] = "@llvm.nvvm.shfl.sync.idx.i32";
	gen_declare(g, "declare i32 %s(i32, i32, i32, i32) convergent", shuffle);
	if (gen_chance(g, 40))
		return gen_temp(g, "call i32 %s(i32 %s, i32 %s%s, i32 %s, i32 31)", shuffle, mask, mark(g), value,
				from);
	unsigned id = g->next_global++;
	struct gen_marks own = gen_pick_marks(g), call = gen_pick_marks(g);
	hd_strbuf_printf(
		&g->functions,
		"define internal %si32 @h%u(i32 %s%%mask, i32 %s%%value, i32 %%from) %s convergent nounwind {\n"
		"  %%all = call i32 %s(i32 %%mask, i32 %%value, i32 %%from, i32 31)\n  ret i32 %%all\n}\n\n",
		own.at[0], id, own.at[1], own.at[2], gen_inlining(g), shuffle);
	return gen_temp(g, "call %si32 @h%u(i32 %s%s, i32 %s%s, i32 %s)", call.at[0], id, call.at[1], mask, call.at[2],
			value, from);
}

static const char *broadcast_word(struct gen *g, const char *word, const char *from)
{
	return gen_broadcast(g, "-1", word, from);
}

static const char *exchange_word(struct gen *g, const char *word, const char *across)
{
	gen_declare(g, "declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32) convergent");
	return gen_temp(g, "call i32 @llvm.nvvm.shfl.sync.bfly.i32(i32 -1, i32 %s%s, i32 %s, i32 31)", mark(g), word,
			across);
}

/* ------------------------------------------------------------ reading it */

/* The value where `condition` holds, and something known elsewhere. */
static void settle(struct gen *g, enum gen_type type, const char *condition, const char *value)
{
	char kept[2][16];
	KEEP(kept[0], condition);
	KEEP(kept[1], value);
	const char *other = gen_operand(g, type);
	gen_define(g, type, "select i1 %s, %s %s, %s %s", kept[0], gen_name(type), kept[1], gen_name(type), other);
}

/* In an arm of those that have it. */
static void read_in_arm(struct gen *g, const struct gen_partial *p)
{
	uint32_t arm = g->next_label++, end = g->next_label++, before = g->label;
	char other[160];
	KEEP(other, gen_operand(g, T_I64));
	gen_jump_if(g, p->have, arm, end);
	gen_label(g, arm);
	const char *folded = gen_fold(g, p->type, p->value);
	gen_line(g, "br label %%L%u", end);
	gen_label(g, end);
	gen_define(g, T_I64, "phi i64 [ %s, %%L%u ], [ %s, %%L%u ]", folded, arm, other, before);
}

/* By a lane's number: of the first one that has it, or of any. */
static void read_lane(struct gen *g, const struct gen_partial *p)
{
	char lane[16], has[16];
	if (gen_chance(g, 60)) {
		gen_declare(g, "declare i32 @llvm.cttz.i32(i32, i1)");
		KEEP(lane, gen_temp(g, "call i32 @llvm.cttz.i32(i32 %s, i1 false)", p->who));
		KEEP(has, gen_temp(g, "icmp ne i32 %s, 0", p->who));
	} else {
		KEEP(lane, gen_temp(g, "and i32 %s, 31", gen_variable(g, T_I32)));
		const char *bit = gen_temp(g, "lshr i32 %s, %s", p->who, lane);
		KEEP(has, gen_temp(g, "trunc i32 %s to i1", bit));
	}
	settle(g, p->type, has, gen_by_words(g, p->type, p->value, broadcast_word, lane));
}

static void read_neighbour(struct gen *g, const struct gen_partial *p)
{
	char across[4], has[16];
	snprintf(across, sizeof across, "%u", 1 + gen_below(g, 31));
	const char *lane = gen_temp(g, "xor i32 %s, %s", gen_special(g, "laneid"), across);
	const char *bit = gen_temp(g, "lshr i32 %s, %s", p->who, lane);
	KEEP(has, gen_temp(g, "trunc i32 %s to i1", bit));
	settle(g, p->type, has, gen_by_words(g, p->type, p->value, exchange_word, across));
}

/* An i32 that depends on all of it. */
static const char *to_word(struct gen *g, const struct gen_partial *p)
{
	return gen_temp(g, "trunc i64 %s to i32", gen_fold(g, p->type, p->value));
}

static void read_vote(struct gen *g, const struct gen_partial *p)
{
	char flag[16];
	const char *word = to_word(g, p), *bits;
	if (gen_chance(g, 50)) {
		const char *limit = gen_constant(g, T_I32);
		KEEP(flag, gen_temp(g, "icmp %s i32 %s, %s", PICK(g, "slt", "ugt", "sge"), word, limit));
		gen_declare(g, "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) convergent");
		bits = gen_temp(g, "call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %s%s)", mark(g), flag);
		gen_define(g, T_I32, "and i32 %s, %s", bits, p->who);
		return;
	}
	word = gen_temp(g, "and i32 %s, 3", word);
	gen_declare(g, "declare i32 @llvm.nvvm.match.any.sync.i32(i32, i32) convergent");
	bits = gen_temp(g, "call i32 @llvm.nvvm.match.any.sync.i32(i32 -1, i32 %s%s)", mark(g), word);
	settle(g, T_I32, p->have, gen_temp(g, "and i32 %s, %s", bits, p->who));
}

/* By a function that looks at it only where it is said to be there. */
static void read_in_function(struct gen *g, const struct gen_partial *p)
{
	unsigned id = g->next_global++;
	const char *type = gen_name(p->type);
	char other[160];
	struct gen_marks own = gen_pick_marks(g), call = gen_pick_marks(g);
	KEEP(other, gen_operand(g, T_I64));
	/* gen_fold writes into the body: the bits are made outside, and are as undefined as the value. */
	const char *folded = gen_fold(g, p->type, p->value);
	hd_strbuf_printf(&g->functions,
			 "define internal i64 @u%u(%s %s%%whole, i64 %s%%bits, i64 %%other, i1 %%have) %s nounwind {\n"
			 "  br i1 %%have, label %%some, label %%none\nsome:\n  %%x = xor i64 %%bits, %%other\n"
			 "  %%y = mul i64 %%x, 37\n  ret i64 %%y\nnone:\n  ret i64 %%other\n}\n\n",
			 id, type, own.at[0], own.at[1], gen_inlining(g));
	gen_define(g, T_I64, "call i64 @u%u(%s %s%s, i64 %s%s, i64 %s, i1 %s)", id, type, call.at[0], p->value,
		   call.at[1], folded, other, p->have);
}

void gen_read_frozen(struct gen *g, const struct gen_partial *p)
{
	unsigned width = gen_width(p->type), id;
	char frozen[16], again[16], other[16];
	const char *whole = gen_temp(g, "freeze %s %s", gen_name(p->type), p->value);
	KEEP(frozen, to_bits(g, p->type, whole));
	enum gen_type type = gen_int_of(width);
	switch (gen_below(g, gen_together(g) && width == 32 ? 5 : 4)) {
	case 0: { /* by memory */
		uint32_t slot = gen_new_alloca(g, gen_name(type));
		gen_line(g, "store volatile i%u %s, ptr %%v%u, align 16", width, frozen, slot);
		KEEP(again, gen_temp(g, "load volatile i%u, ptr %%v%u, align 16", width, slot));
		gen_define(g, type, "sub i%u %s, %s", width, again, frozen);
		break;
	}
	case 1: /* by two comparisons */
		KEEP(again, width < 8 ? "0" : gen_constant(g, T_I8));
		KEEP(other, gen_temp(g, "icmp slt i%u %s, %s", width, frozen, again));
		gen_define(g, T_I1, "xor i1 %s, %s", other, gen_temp(g, "icmp sge i%u %s, %s", width, frozen, again));
		break;
	case 2: /* by a function, called twice */
		id = g->next_global++;
		hd_strbuf_printf(&g->functions,
				 "define internal i%u @u%u(i%u %s%%x) noinline nounwind {\n"
				 "  %%y = mul i%u %%x, %u\n  %%z = xor i%u %%y, %%x\n  ret i%u %%z\n}\n\n",
				 width, id, width, mark(g), width, width < 8 ? 1 : 29, width, width);
		KEEP(again, gen_temp(g, "call i%u @u%u(i%u %s%s)", width, id, width, mark(g), frozen));
		KEEP(other, gen_temp(g, "call i%u @u%u(i%u %s%s)", width, id, width, mark(g), frozen));
		gen_define(g, type, "xor i%u %s, %s", width, again, other);
		break;
	case 3: /* by arithmetic in another order */
		KEEP(again, gen_temp(g, "mul i%u %s, %s", width, frozen, width < 8 ? "1" : "3"));
		KEEP(other, gen_temp(g, "add i%u %s, %s", width, frozen, frozen));
		gen_define(g, type, "sub i%u %s, %s", width, again,
			   gen_temp(g, "add i%u %s, %s", width, frozen, other)); /* of one bit: x + 2 x is x */
		break;
	default: /* by way of the lane itself */
		KEEP(again, gen_broadcast(g, "-1", frozen, gen_special(g, "laneid")));
		gen_define(g, T_I32, "sub i32 %s, %s", again, frozen);
		break;
	}
}

void gen_read_value(struct gen *g, const struct gen_partial *p)
{
	switch (gen_below(g, p->who[0] ? 10 : 4)) {
	case 0: settle(g, p->type, p->have, p->value); break;
	case 1: read_in_arm(g, p); break;
	case 2: read_in_function(g, p); break;
	case 3: gen_read_frozen(g, p); break;
	case 4:
	case 5: read_neighbour(g, p); break;
	case 6: read_vote(g, p); break;
	default: read_lane(g, p); break;
	}
}
