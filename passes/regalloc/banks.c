/*
 * Wished register banks. Since Volta a partition's register file has two banks, of the even and of the odd registers,
 * and an instruction reads each once a cycle: two sources of one instruction should differ in parity. Addresses are
 * pairs, so their low word is even and what is stored should be odd; the result of a multiply-add likes to take the
 * place of its addend, unless a multiply-add multiplies it in turn. A wish costs nothing: assign.c honours it where a
 * register is free anyway.
 *
 * Instructions wish in the order of the code, stores first, and a register keeps its first wish. Comparisons of
 * integers wish nothing: what they read mostly lives long (bounds, counters), and all of it would crowd into one bank.
 * Needs machine IR out of SSA. Linear.
 */
#include "heddle/opcodes.h"
#include "passes/regalloc/regalloc.h"

struct banks {
	struct hd_mfunc *func;
	uint8_t *bank;	  /* by virtual register */
	bool *multiplied; /* so, too: a source a or b of an instruction with three */
};

/* The bank wish of a single register; NULL for any other operand. */
static uint8_t *bank_of(const struct banks *banks, struct hd_mreg reg)
{
	if (reg.words != 1 || !hd_mreg_is_virtual(reg.id) || hd_mreg_words(banks->func, reg.id) != 1)
		return NULL;
	return &banks->bank[reg.id - HD_MREG_VIRTUAL];
}

static uint8_t opposite(uint8_t bank)
{
	return bank == HD_BANK_EVEN ? HD_BANK_ODD : HD_BANK_EVEN;
}

static void differ(uint8_t *a, uint8_t *b)
{
	if (!a || !b || a == b || (*a && *b))
		return;
	if (!*a && !*b)
		*a = HD_BANK_ODD;
	if (*a)
		*b = opposite(*a);
	else
		*a = opposite(*b);
}

static void wish_for_store(const struct banks *banks, const struct hd_minst *inst)
{
	bool stores = inst->op < HD_OP_LIMIT && hd_opinfo[inst->op].effects & HD_FX_STORE;
	uint8_t *data = stores ? bank_of(banks, inst->c) : NULL;
	if (data && inst->a.words == 2 && !*data)
		*data = HD_BANK_ODD;
}

static void wish_for_sources(const struct banks *banks, const struct hd_minst *inst)
{
	if (inst->op >= HD_OP_LIMIT || inst->op == HD_OP_ISETP || hd_opinfo[inst->op].effects)
		return;
	uint8_t *a = bank_of(banks, inst->a), *b = bank_of(banks, inst->b), *c = bank_of(banks, inst->c);
	uint8_t *dst = bank_of(banks, inst->dst);
	differ(a, b);
	differ(c ? a : NULL, c);
	if (dst && c && !*dst && !banks->multiplied[inst->dst.id - HD_MREG_VIRTUAL])
		*dst = *c;
}

static void note_multiplied(const struct banks *banks, const struct hd_minst *inst)
{
	if (!bank_of(banks, inst->c))
		return;
	if (bank_of(banks, inst->a))
		banks->multiplied[inst->a.id - HD_MREG_VIRTUAL] = true;
	if (bank_of(banks, inst->b))
		banks->multiplied[inst->b.id - HD_MREG_VIRTUAL] = true;
}

static void for_each(const struct banks *banks, void (*wish)(const struct banks *, const struct hd_minst *))
{
	for (uint32_t id = 0; id < banks->func->blocks.len; id++)
		for (uint32_t i = 0; i < banks->func->blocks.data[id].insts.len; i++)
			wish(banks, &banks->func->blocks.data[id].insts.data[i]);
}

uint8_t *hd_banks_choose(struct hd_mfunc *func, struct hd_arena *arena)
{
	struct banks banks = {func, HD_ARENA_NEW(arena, uint8_t, func->vregs.len + 1),
			      HD_ARENA_NEW(arena, bool, func->vregs.len + 1)};
	if (!hd_switch_is_on(func->without, HD_SWITCH_REGISTER_BANKS))
		return banks.bank;
	for_each(&banks, note_multiplied);
	for_each(&banks, wish_for_store);
	for_each(&banks, wish_for_sources);
	return banks.bank;
}
