/*
 * The sums of sums.h.
 */
#include "passes/analysis/sums.h"

#include "heddle/opcodes.h"
#include "lib/hash.h"

enum { DEPTH = 12 }; /* instructions behind each other in a sum */

/* Odd: by whatever power of two a term is scaled, it is none. */
static uint64_t term_of(uint64_t place, unsigned reg)
{
	return hd_hash_mix(hd_hash_mix(0, place), reg) | 1;
}

static struct hd_sum unknown(void)
{
	return (struct hd_sum){0};
}

static struct hd_sum number_of(uint32_t number)
{
	return (struct hd_sum){.known = true, .once = true, .number = number};
}

static struct hd_sum scaled(struct hd_sum sum, uint32_t by)
{
	sum.term *= by;
	sum.number *= by;
	sum.scale *= by;
	return sum;
}

static struct hd_sum total_of(struct hd_sum a, struct hd_sum b)
{
	if (!a.known || !b.known || (a.modulus && b.modulus))
		return unknown();
	struct hd_sum sum = a.modulus ? a : b;
	sum.once = a.once && b.once;
	sum.term = a.term + b.term;
	sum.number = a.number + b.number;
	return sum;
}

static struct hd_sum remainder_of(struct hd_sum sum, uint32_t modulus)
{
	if (!sum.known || sum.modulus || modulus < 2 || modulus > 1024)
		return unknown();
	return (struct hd_sum){.known = true,
			       .once = sum.once,
			       .turn_term = sum.term,
			       .turn_number = sum.number,
			       .modulus = modulus,
			       .scale = 1};
}

static struct hd_sum value_of(struct hd_writers_search *search, uint32_t inst, unsigned reg, unsigned depth);

/* The operand in b, or in c. */
static struct hd_sum operand_of(struct hd_writers_search *search, uint32_t inst, bool in_c, unsigned depth)
{
	const struct hd_inst *code = &search->flow->function->insts[inst];
	if (code->xkind == (in_c ? HD_X_IMM_C : HD_X_IMM_B))
		return number_of(code->x);
	if (in_c ? hd_x_in_c(code->xkind) : hd_x_in_b(code->xkind))
		return unknown();
	return value_of(search, inst, in_c ? code->c : code->b, depth);
}

/* The bits of `a & b`, and `a ^ 1` of a remainder by two. */
static struct hd_sum bits_of(struct hd_writers_search *search, uint32_t inst, unsigned depth)
{
	const struct hd_inst *code = &search->flow->function->insts[inst];
	uint32_t lut = hd_mod_get(code->mods, HD_MOD_LUT);
	if (code->xkind != HD_X_IMM_B || code->c != HD_RZ)
		return unknown();
	struct hd_sum a = value_of(search, inst, code->a, depth);
	if (lut == 0xc0 && !(code->x & (code->x + 1)))
		return remainder_of(a, code->x + 1);
	if (lut != 0x3c || code->x != 1 || !a.known || a.modulus != 2 || a.scale != 1 || a.term || a.number)
		return unknown();
	a.turn_number++;
	return a;
}

/* Of c - q * b, where q is c divided by b as a product's high word: c's remainder. */
static struct hd_sum difference_of(struct hd_writers_search *search, uint32_t inst, unsigned depth)
{
	const struct hd_inst *insts = search->flow->function->insts, *code = &insts[inst];
	uint32_t shift = 0, by = code->x;
	if (code->srcmods != HD_NEG_A || code->xkind != HD_X_IMM_B)
		return unknown();
	struct hd_writers writers = hd_writers_find(search, inst, code->a, HD_NO_NODE);
	if (hd_writers_is_sole(&writers) && insts[writers.one].op == HD_OP_SHR) {
		const struct hd_inst *shr = &insts[writers.one];
		if (shr->xkind != HD_X_IMM_B || shr->x > 15 || hd_mod_get(shr->mods, HD_MOD_SIGN) != HD_UNSIGNED)
			return unknown();
		shift = shr->x;
		writers = hd_writers_find(search, writers.one, shr->a, HD_NO_NODE);
	}
	if (!hd_writers_is_sole(&writers))
		return unknown();
	const struct hd_inst *high = &insts[writers.one];
	if (high->op != HD_OP_IMAD_HI || high->xkind != HD_X_IMM_B || high->c != HD_RZ || high->mods || by < 2 ||
	    by > 1024)
		return unknown();
	/* Exact for all numbers of 32 bits (Granlund and Montgomery 1994, theorem 4.2). */
	uint64_t excess = (uint64_t)high->x * by - (UINT64_C(1) << (32 + shift));
	if (!excess || excess > UINT64_C(1) << shift)
		return unknown();
	struct hd_sum c = value_of(search, inst, code->c, depth);
	struct hd_sum divided = value_of(search, writers.one, high->a, depth);
	if (!c.known || !divided.known || c.modulus || divided.modulus || c.term != divided.term ||
	    c.number != divided.number)
		return unknown();
	return remainder_of(c, by);
}

/* What an instruction computes; not known: no such sum. */
static struct hd_sum result_of(struct hd_writers_search *search, uint32_t inst, unsigned depth)
{
	const struct hd_inst *code = &search->flow->function->insts[inst];
	struct hd_sum by;
	if (code->linear || code->guard != HD_PT)
		return unknown();
	if (code->op == HD_OP_IMAD && code->srcmods)
		return difference_of(search, inst, depth);
	if (code->srcmods)
		return unknown();
	switch (code->op) {
	case HD_OP_MOV: return operand_of(search, inst, false, depth);
	case HD_OP_LOP3: return bits_of(search, inst, depth);
	case HD_OP_IADD3:
		if (code->mods)
			return unknown();
		by = total_of(operand_of(search, inst, false, depth), operand_of(search, inst, true, depth));
		return total_of(value_of(search, inst, code->a, depth), by);
	case HD_OP_LEA:
		return total_of(scaled(value_of(search, inst, code->a, depth),
				       UINT32_C(1) << hd_mod_get(code->mods, HD_MOD_SHAMT)),
				operand_of(search, inst, false, depth));
	case HD_OP_IMAD_WIDE: /* both words */
		return code->a == HD_RZ && code->b == HD_RZ && code->c == HD_RZ && code->xkind == HD_X_NONE
			       ? number_of(0)
			       : unknown();
	case HD_OP_SHL:
	case HD_OP_IMAD:
		by = operand_of(search, inst, false, depth);
		if (!by.known || by.term || by.modulus || (code->op == HD_OP_SHL && by.number > 31))
			return unknown();
		if (code->op == HD_OP_SHL)
			return scaled(value_of(search, inst, code->a, depth), UINT32_C(1) << by.number);
		return total_of(scaled(value_of(search, inst, code->a, depth), by.number),
				operand_of(search, inst, true, depth));
	default: return unknown();
	}
}

uint64_t hd_sum_turn_term(uint32_t loop, unsigned reg)
{
	return term_of(UINT64_MAX - 1 - loop, reg);
}

/* Of a register before an instruction. */
static struct hd_sum value_of(struct hd_writers_search *search, uint32_t inst, unsigned reg, unsigned depth)
{
	const struct hd_flow *flow = search->flow;
	if (reg == HD_RZ)
		return number_of(0);
	struct hd_writers writers = hd_writers_find(search, inst, reg, HD_NO_NODE);
	if (!hd_writers_is_sole(&writers)) {
		uint64_t key = inst; /* by who reads it; better by where the turn begins; best by nobody */
		uint32_t loop = flow->loops.loop_of[flow->block_of[inst]];
		if (!writers.count)
			key = UINT64_MAX;
		else if (loop != HD_NO_NODE &&
			 !hd_writers_find(search, inst, reg, flow->loops.loops[loop].header).count)
			return (struct hd_sum){.known = true, .term = hd_sum_turn_term(loop, reg)};
		return (struct hd_sum){.known = true,
				       .once = !writers.count || loop == HD_NO_NODE,
				       .term = term_of(key, reg)};
	}
	bool turns = flow->loops.loop_of[flow->block_of[writers.one]] != HD_NO_NODE;
	struct hd_sum result = depth ? result_of(search, writers.one, depth - 1) : unknown();
	if (result.known)
		return result;
	return (struct hd_sum){.known = true, .once = !turns, .term = term_of(writers.one, reg)};
}

struct hd_sum hd_sum_of(struct hd_writers_search *search, uint32_t inst, unsigned reg)
{
	return value_of(search, inst, reg, DEPTH);
}

struct hd_sum hd_sum_of_result(struct hd_writers_search *search, uint32_t inst)
{
	return result_of(search, inst, DEPTH);
}

struct hd_sum hd_sum_plus(struct hd_sum sum, uint32_t number)
{
	return total_of(sum, number_of(number));
}

bool hd_sum_is_same(const struct hd_sum *a, const struct hd_sum *b)
{
	return a->known && b->known && a->term == b->term && a->number == b->number && !a->modulus && !b->modulus;
}

bool hd_sum_is_other(const struct hd_sum *a, const struct hd_sum *b)
{
	if (!a->known || !b->known || a->term != b->term || a->modulus != b->modulus)
		return false;
	if (!a->modulus)
		return a->number != b->number;
	uint32_t apart =
		a->turn_number > b->turn_number ? a->turn_number - b->turn_number : b->turn_number - a->turn_number;
	if ((int32_t)apart < 0)
		apart = -apart;
	return a->number == b->number && a->turn_term == b->turn_term && a->scale == b->scale && a->scale &&
	       a->scale <= UINT32_C(1) << 16 && apart % a->modulus;
}
