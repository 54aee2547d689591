/*
 * Reuse bits: which source registers of an instruction are kept in the reuse cache of the operand stage, for the next
 * instruction that reads the same register in the same slot. As measured on NVIDIA's cards from Volta on (Huerta et
 * al., MICRO 2025), the cache has an entry for each bank and slot, which the next read of that bank in that slot finds,
 * or displaces. So a bit is set where that read is of the same register, and nobody writes it before. Inside a block
 * and up to the next call or barrier; what other warps read meanwhile nobody knows here.
 *
 * Needs final code. Cost: O(instructions * distance to the next read of a bank), a few each.
 */
#include "passes/emit/reuse_bits.h"

enum { BANKS = 2 /* of a sub-core, by the register's parity: Jia 2018; Huerta 2025 */, FAR = 32 /* instructions */ };

/* The register that a slot has of a bank, or HD_RZ: of a pair one is in each. */
static unsigned read_in(const struct hd_inst *inst, unsigned slot, unsigned bank)
{
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	unsigned width = hd_op_width(inst->op, inst->mods, (enum hd_slot)slot);
	if (!width || regs[slot] == HD_RZ || hd_lr_takes(inst->linear, slot) ||
	    (slot == HD_SLOT_B && hd_x_in_b(inst->xkind)) || (slot == HD_SLOT_C && hd_x_in_c(inst->xkind)))
		return HD_RZ;
	for (unsigned word = 0; word < width && word < BANKS; word++)
		if ((regs[slot] + word) % BANKS == bank)
			return regs[slot] + word;
	return HD_RZ;
}

static bool writes(const struct hd_inst *inst, unsigned reg)
{
	struct hd_regset set;
	hd_inst_writes(inst, &set);
	return set.regs[reg / 64] >> reg % 64 & 1;
}

static bool ends(const struct hd_inst *inst)
{
	const unsigned away = HD_FX_BRANCH | HD_FX_CALL | HD_FX_RET | HD_FX_EXIT | HD_FX_BARRIER;
	return hd_opinfo[inst->op].effects & away;
}

/* Whether the register, read in this slot by the first of the instructions, is what the slot's next read is of. */
static bool is_reused(const struct hd_inst *insts, uint32_t count, unsigned slot, unsigned bank)
{
	unsigned reg = read_in(&insts[0], slot, bank);
	if (reg == HD_RZ || writes(&insts[0], reg))
		return false;
	for (uint32_t i = 1; i < count && i < FAR && !ends(&insts[i]); i++) {
		unsigned next = hd_op_is_fixed(insts[i].op) ? read_in(&insts[i], slot, bank) : HD_RZ;
		if (next != HD_RZ)
			return next == reg;
		if (writes(&insts[i], reg))
			return false;
	}
	return false;
}

void hd_set_reuse(struct hd_inst *insts, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		insts[i].reuse = 0;
		if (!hd_op_is_fixed(insts[i].op))
			continue;
		for (unsigned slot = HD_SLOT_A; slot <= HD_SLOT_C; slot++)
			for (unsigned bank = 0; bank < BANKS; bank++)
				if (is_reused(&insts[i], count - i, slot, bank))
					insts[i].reuse |= (uint8_t)(1u << (slot - HD_SLOT_A));
	}
}
