/*
 * Registers of warpgroups' products (WGMMA) that a wait (WARPGROUP.WAIT) may be for: until then the products read and
 * write them, so that they live, whoever reads them behind it. That is what a wait reads, beyond its row of the opcode
 * table. The same as passes/mir/products_in_flight.c on finished code.
 *
 * Forward over the blocks until nothing changes: the registers of products whose group has not ended, and of those in
 * the last group, the last but one ... that has. Costs nothing for code without products.
 */
#include "heddle/opcodes.h"
#include "passes/analysis/flow.h"

/* The open group, then the last one that has ended ... */
enum { AGES = HD_WG_MOST_LEFT + 2 };
struct ages {
	struct hd_regset of[AGES];
};

static bool is_wait(const struct hd_inst *inst)
{
	unsigned mode = inst->op == HD_OP_WARPGROUP ? hd_mod_get(inst->mods, HD_MOD_WGMODE) : HD_WG_ARRIVE;
	return mode == HD_WG_WAIT || mode == HD_WG_SERIALIZE;
}

static bool has_products(const struct hd_function *function)
{
	for (uint32_t i = 0; i < function->inst_count; i++)
		if (function->insts[i].op == HD_OP_WGMMA)
			return true;
	return false;
}

/* Accumulator and factor in registers; descriptors are read at issue. */
static void begin(struct ages *ages, const struct hd_inst *product)
{
	struct hd_regset accumulator;
	hd_inst_accumulator(product, &accumulator);
	hd_regset_union(&ages->of[0], &accumulator);
	if (hd_mod_get(product->mods, HD_MOD_WGA) == HD_WG_REGISTERS)
		hd_regset_add_run(&ages->of[0], product->a, hd_op_width(product->op, product->mods, HD_SLOT_A));
}

static void end_group(struct ages *ages)
{
	hd_regset_union(&ages->of[AGES - 1], &ages->of[AGES - 2]);
	for (unsigned age = AGES - 2; age > 0; age--)
		ages->of[age] = ages->of[age - 1];
	ages->of[0] = (struct hd_regset){0};
}

static struct hd_regset wait_for(struct ages *ages, uint32_t left)
{
	struct hd_regset all = {0};
	for (unsigned age = left + 1; age < AGES; age++) {
		hd_regset_union(&all, &ages->of[age]);
		ages->of[age] = (struct hd_regset){0};
	}
	return all;
}

static void step(struct hd_flow *flow, uint32_t inst, struct ages *ages)
{
	const struct hd_inst *code = &flow->function->insts[inst];
	if (code->op == HD_OP_WGMMA) {
		begin(ages, code);
	} else if (is_wait(code)) {
		flow->awaited[inst] = wait_for(ages, code->x);
	} else if (code->op == HD_OP_WARPGROUP && hd_mod_get(code->mods, HD_MOD_WGMODE) == HD_WG_COMMIT) {
		end_group(ages);
	}
}

/* What is under way behind an instruction. */
static void measure(struct hd_flow *flow, uint32_t inst, const struct ages *ages)
{
	struct hd_regset all = {0};
	uint32_t groups = 0;
	for (unsigned age = 0; age < AGES; age++) {
		hd_regset_union(&all, &ages->of[age]);
		groups += age && hd_regset_count(&ages->of[age]) != 0;
	}
	uint32_t registers = hd_regset_count(&all);
	if (registers > flow->product_registers)
		flow->product_registers = registers;
	if (is_wait(&flow->function->insts[inst]) && groups > flow->product_groups)
		flow->product_groups = groups;
}

static bool join(struct ages *to, const struct ages *from)
{
	bool grown = false;
	for (unsigned age = 0; age < AGES; age++)
		grown |= hd_regset_union(&to->of[age], &from->of[age]);
	return grown;
}

void hd_flow_find_awaited(struct hd_flow *flow, struct hd_arena *arena)
{
	struct hd_arena scratch;
	bool changed = true;
	flow->awaited = NULL;
	flow->product_registers = flow->product_groups = 0;
	if (!has_products(flow->function))
		return;
	flow->awaited = HD_ARENA_NEW(arena, struct hd_regset, flow->function->inst_count);
	hd_arena_init(&scratch);
	struct ages *in = HD_ARENA_NEW(&scratch, struct ages, flow->block_count);
	while (changed) {
		changed = false;
		for (uint32_t i = 0; i < flow->rpo_count; i++) {
			uint32_t block = flow->rpo[i];
			struct ages now = in[block];
			for (uint32_t inst = flow->blocks[block].first; inst <= hd_flow_last(flow, block); inst++) {
				step(flow, inst, &now);
				measure(flow, inst, &now);
			}
			for (uint32_t k = flow->graph.succ_start[block]; k < flow->graph.succ_start[block + 1]; k++)
				changed |= join(&in[flow->graph.succ[k]], &now);
		}
	}
	hd_arena_release(&scratch);
}
