/*
 * Whatever the fields of an instruction hold, it is refused or it runs: valid instructions with a field or some bits
 * replaced go through the decoder and the verifier, and what passes is loaded and executed. The sanitizers
 * (make check SANITIZE=1) find an index that nobody checked; here, only a run that does not end is a failure.
 */
#include "harness.h"
#include "heddle/opcodes.h"
#include "lab.h"

#include <string.h>

#include "heddle/object.h"
#include "sample.h"

enum { STEPS = 8, SAMPLES = 60, LONG_SAMPLES = 1000 };

/* Registers that the lab has, in the slots that the instruction has. */
static void lower_registers(struct hd_inst *inst)
{
	uint8_t *const regs[] = {&inst->dst, &inst->a, &inst->b, &inst->c};
	for (unsigned slot = 0; slot < 4; slot++) {
		unsigned width = hd_op_width(inst->op, inst->mods, (enum hd_slot)slot);
		if (width > LAB_REGISTERS)
			*regs[slot] = 0; /* refused */
		else if (width && *regs[slot] != HD_RZ)
			*regs[slot] = (uint8_t)(*regs[slot] % (LAB_REGISTERS / width) * width);
	}
}

/* Branches and tables that are there, so that not all are refused. */
static void lower_targets(struct hd_inst *inst, uint64_t *state)
{
	if (!(hd_opinfo[inst->op].effects & HD_FX_BRANCH))
		return;
	inst->x = (uint32_t)(sample_random(state) >> 20) % 3;
	inst->reconv = inst->reconv == HD_NO_PC ? HD_NO_PC : 2;
}

/* One byte or one to three bits of the encoding behind the opcode, at random; false: the decoder refuses it. */
static bool disturb(struct hd_inst *inst, uint64_t *state)
{
	uint8_t bytes[HD_INST_BYTES];
	uint64_t random = sample_random(state) >> 16;
	hd_inst_encode(inst, bytes);
	if (random & 1)
		bytes[1 + (random >> 8) % (HD_INST_BYTES - 1)] = (uint8_t)(random >> 16);
	for (uint64_t i = 0; !(random & 1) && i <= (random >> 8) % 3; i++) {
		uint64_t bit = 7 + (sample_random(state) >> 20) % (8 * HD_INST_BYTES - 7);
		bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	return hd_inst_decode(bytes, inst) == 0;
}

static uint32_t register_value(uint64_t *state)
{
	static const uint32_t edge[] = {0, 1, 31, 32, 0x7fffffff, 0x80000000, 0xffffffff, 0x7f800000, 0xff800000, 512};
	uint64_t random = sample_random(state);
	return random & 1 << 20 ? edge[(random >> 32) % (sizeof edge / sizeof edge[0])] : (uint32_t)(random >> 13);
}

/* The instruction, before what branches lead to. Returns whether the verifier and the loader take it; then it runs. */
static bool try(const struct hd_inst *inst, uint64_t *state)
{
	struct lab *lab = lab_new();
	const struct hd_inst code[] = {*inst, lab_op(HD_OP_NOP), lab_op(HD_OP_EXIT)};
	struct hd_function *function = lab_function(lab, "kernel", code, 3);
	uint32_t targets[] = {1, 2};
	struct hd_jump_table tables[] = {{targets, 2}, {targets, 1}};
	function->tables = tables;
	function->table_count = 2;
	bool taken = !hd_object_verify(&lab->module.object, "lab", &lab->diag) && !lab_start(lab, HD_WARP_LANES);
	if (taken) {
		for (uint32_t reg = 0; reg < LAB_REGISTERS; reg++)
			for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
				lab->warp.regs[reg][lane] = register_value(state);
		for (uint32_t i = 0; i < HD_MAX_PREDS; i++)
			lab->warp.preds[i] = (uint32_t)(sample_random(state) >> 20);
		lab_run(lab, STEPS);
	}
	lab_free(lab);
	return taken;
}

static void try_opcode(enum hd_op op)
{
	uint64_t state = UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)op;
	uint32_t taken = 0, samples = hd_samples(SAMPLES, LONG_SAMPLES);
	for (uint32_t i = 0; i < samples; i++) {
		struct hd_inst inst = sample_inst(op, &state);
		lower_registers(&inst);
		lower_targets(&inst, &state);
		if (i % 4 == 0 || disturb(&inst, &state))
			taken += try(&inst, &state);
	}
	/* A call is of a symbol, and what writes linear registers is of a linear version. */
	bool elsewhere = op == HD_OP_CALL || op == HD_OP_R2CR || op == HD_OP_R2TR || op == HD_OP_R2BR;
	ck_assert_msg(elsewhere == !taken, "%s: %u taken", hd_opinfo[op].name, taken);
	ck_assert_msg(taken < samples, "%s: none refused", hd_opinfo[op].name);
}

START_TEST(an_instruction_is_refused_or_runs)
{
	for (unsigned op = 0; op < HD_OP_COUNT; op++)
		try_opcode((enum hd_op)op);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("fields", (const TTest *const[]){an_instruction_is_refused_or_runs, NULL});
}
