/*
 * Pairs of registers that are set to zero by one instruction: IMAD.WIDE of zeros in place of two moves of a block, the
 * second of which is brought forward. Nothing in between may read or write what that one sets. As ptxas has it, which
 * reads a pair from SRZ. Switch: without=paired-zeros
 *
 * Needs physical registers and a finished frame. Linear: a zero waits for its partner in a table by register.
 */
#include "heddle/opcodes.h"
#include "passes/mir/mir.h"

#define REGISTERS 256u

struct zeros {
	struct hd_mfunc *func;
	uint32_t waiting[REGISTERS]; /* 1 + index of the move that set the partner; 0: none, or used since */
	struct hd_mblock *block;
};

static bool is_zero_move(const struct hd_minst *inst)
{
	return (inst->op == HD_OP_MOV || inst->op == HD_OP_COPY) && inst->dst.words == 1 && inst->dst.id < HD_RZ &&
	       !inst->linear && inst->guard == HD_MREG_PT && inst->role == HD_ROLE_PLAIN &&
	       ((inst->xkind == HD_X_NONE && inst->b.words && inst->b.id == HD_RZ) ||
		(inst->xkind == HD_X_IMM_B && !inst->x && inst->ref_kind == HD_MREF_NONE));
}

static void forget(void *context, struct hd_mreg *reg, bool is_def)
{
	struct zeros *zeros = context;
	(void)is_def;
	for (uint32_t i = 0; i < reg->words && reg->id + reg->sub + i < HD_RZ; i++)
		zeros->waiting[reg->id + reg->sub + i] = 0;
}

static struct hd_minst zero_pair(const struct hd_minst *move)
{
	struct hd_minst pair = hd_minst_make(HD_OP_IMAD_WIDE, 0);
	pair.dst = (struct hd_mreg){(move->dst.id + move->dst.sub) & ~1u, 0, 2};
	pair.a = pair.b = HD_MREG_RZ;
	pair.c = (struct hd_mreg){HD_RZ, 0, 2};
	pair.loc = move->loc;
	pair.ir = move->ir;
	return pair;
}

/* Whether the instruction, which would be number `index` of those kept, goes: an earlier one sets its register, too. */
static bool is_second(struct zeros *zeros, struct hd_minst *inst, uint32_t index)
{
	unsigned effects = hd_minst_effects(inst);
	bool zero = is_zero_move(inst);
	uint32_t reg = inst->dst.id + inst->dst.sub, first = zero ? zeros->waiting[reg] : 0;
	hd_minst_visit(zeros->func, inst, forget, zeros);
	if (effects & HD_FX_CALL)
		memset(zeros->waiting, 0, sizeof(zeros->waiting));
	if (first)
		zeros->block->insts.data[first - 1] = zero_pair(inst);
	else if (zero && (reg ^ 1) < HD_RZ)
		zeros->waiting[reg ^ 1] = index + 1;
	return first;
}

int hd_paired_zeros_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct zeros zeros = {.func = func};
	(void)diag;
	if (!hd_switch_is_on(func->without, HD_SWITCH_PAIRED_ZEROS))
		return 0;
	for (uint32_t id = 0; id < func->blocks.len; id++) {
		uint32_t kept = 0;
		zeros.block = &func->blocks.data[id];
		memset(zeros.waiting, 0, sizeof(zeros.waiting));
		for (uint32_t i = 0; i < zeros.block->insts.len; i++) {
			struct hd_minst inst = zeros.block->insts.data[i];
			if (!is_second(&zeros, &inst, kept))
				zeros.block->insts.data[kept++] = inst;
		}
		zeros.block->insts.len = kept;
	}
	return 0;
}
