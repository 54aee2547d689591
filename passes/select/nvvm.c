/*
 * Selection: NVVM intrinsics: special registers, barriers, warp operations, atomics, memory,
 * integer operations. Arithmetic with a rounding mode is in nvvm_fp.c.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

const char *hd_sel_nvvm_name(const struct hd_select *sel)
{
	return LLVMGetValueName(LLVMGetCalledValue(sel->inst)) + strlen("llvm.nvvm.");
}

static struct hd_opnd arg_word(struct hd_select *sel, unsigned operand)
{
	struct hd_leaf leaf = hd_sel_arg(sel, operand);
	return hd_sel_word(sel, &leaf, 0);
}

static struct hd_opnd arg_reg(struct hd_select *sel, unsigned operand)
{
	return hd_reg(hd_sel_opnd_reg(sel, arg_word(sel, operand), 1));
}

/* ------------------------------------------------------------------ special registers */

static void special(struct hd_select *sel, unsigned sr)
{
	bool wide = sr == HD_SR_CLOCK64 || sr == HD_SR_GLOBALTIMER64;
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, wide ? 2 : 1);
	struct hd_minst *inst = hd_sel_push(sel, wide ? HD_OP_CS2R : HD_OP_S2R, HD_MOD(SR, sr));
	inst->dst = dst;
	hd_sel_define_reg(sel, dst);
}

/* 32-bit clock: the low word of the 64-bit one, which is not moved or merged. */
static void clock_low(struct hd_select *sel, unsigned arg)
{
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 2);
	(void)arg;
	hd_sel_push(sel, HD_OP_CS2R, HD_MOD(SR, HD_SR_CLOCK64))->dst = dst;
	hd_sel_define_reg(sel, hd_sub(dst, 0, 1));
}

static void bank_word(struct hd_select *sel, unsigned offset)
{
	hd_sel_define1(sel, (struct hd_leaf){.kind = HD_LEAF_BANK, .words = 1, .id = offset});
}

static void number(struct hd_select *sel, unsigned value)
{
	hd_sel_define1(sel, hd_leaf_imm(value, 1));
}

/* ------------------------------------------------------------------ barriers and fences */

static struct hd_minst *barrier(struct hd_select *sel, unsigned mode, struct hd_opnd id, struct hd_opnd count)
{
	return hd_sel_op(sel, HD_OP_BAR, HD_MOD(BARMODE, mode), HD_MREG_NONE, hd_none(), id, count);
}

/* arg: how many operands name the barrier (0: barrier 0) and its thread count. */
static void barrier_sync(struct hd_select *sel, unsigned arg)
{
	barrier(sel, HD_BAR_SYNC, arg > 0 ? arg_word(sel, 0) : hd_rz(), arg > 1 ? arg_word(sel, 1) : hd_none());
}

static void barrier_arrive(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	barrier(sel, HD_BAR_ARV, arg_word(sel, 0), arg_word(sel, 1));
}

/* Of barrier 0 with words for truth values, as LLVM has it up to version 20; | NAMED: with the barrier's number before
 * a truth value, | COUNTED: and with its thread count. */
enum { NAMED = 0x10, COUNTED = 0x20 };

static void barrier_reduce(struct hd_select *sel, unsigned arg)
{
	unsigned mode = arg & 0xf, operands = (arg & NAMED ? 1 : 0) + (arg & COUNTED ? 1 : 0);
	struct hd_popnd in = {0};
	if (arg & NAMED)
		in = hd_sel_pred(sel, hd_sel_arg(sel, operands));
	else
		in.id = hd_sel_isetp(sel, HD_CMP_NE, false, arg_reg(sel, 0), hd_rz());
	uint32_t result = hd_mfunc_pred(sel->func);
	struct hd_mreg count = hd_mfunc_vreg(sel->func, 1);
	struct hd_minst *inst = barrier(sel, mode, operands > 0 ? arg_word(sel, 0) : hd_rz(),
					operands > 1 ? arg_word(sel, 1) : hd_none());
	inst->psrc = in.id;
	inst->psrc_not = in.inverted;
	if (mode == HD_BAR_RED_POPC) {
		inst->dst = count;
		hd_sel_define_reg(sel, count);
		return;
	}
	inst->pdst = result;
	if (arg & NAMED)
		hd_sel_define1(sel, hd_leaf_pred(result, false));
	else
		hd_sel_define_reg(sel, hd_sel_opnd_reg(sel, hd_sel_bool_word(sel, hd_leaf_pred(result, false), 1), 1));
}

static void warp_sync(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_op(sel, HD_OP_WARPSYNC, 0, HD_MREG_NONE, hd_none(), arg_word(sel, 0), hd_none());
}

static void memory_barrier(struct hd_select *sel, unsigned scope)
{
	hd_sel_push(sel, HD_OP_MEMBAR, HD_MOD(SCOPE, scope));
}

static void sleep_for(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_op(sel, HD_OP_NANOSLEEP, 0, HD_MREG_NONE, hd_none(), arg_word(sel, 0), hd_none());
}

static void exit_thread(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_end_thread(sel, HD_OP_EXIT);
}

/* ------------------------------------------------------------------ warp operations */

/* arg: mode, | SYNC when a member mask comes first. */
enum { SYNC = 0x10 };

/* The member mask of a .sync form. */
static struct hd_opnd members(struct hd_select *sel, unsigned arg)
{
	return arg & SYNC ? arg_word(sel, 0) : hd_none();
}

static void shuffle(struct hd_select *sel, unsigned arg)
{
	unsigned first = arg & SYNC ? 1 : 0;
	bool with_pred = LLVMGetTypeKind(LLVMTypeOf(sel->inst)) == LLVMStructTypeKind;
	uint32_t inside = with_pred ? hd_mfunc_pred(sel->func) : HD_MREG_PT;
	struct hd_shuffle lanes = {.value = arg_word(sel, first),
				   .lane = arg_word(sel, first + 1),
				   .clamp = arg_word(sel, first + 2),
				   .mask = members(sel, arg)};
	struct hd_leaf out[2] = {hd_leaf_reg(hd_sel_shfl(sel, arg & 3, &lanes, inside)), hd_leaf_pred(inside, false)};
	hd_sel_define(sel, sel->inst, out, with_pred ? 2 : 1);
}

static void vote(struct hd_select *sel, unsigned arg)
{
	struct hd_popnd in = hd_sel_pred(sel, hd_sel_arg(sel, arg & SYNC ? 1 : 0));
	hd_sel_define1(sel, hd_sel_vote(sel, arg & 3, in, members(sel, arg)));
}

static void ballot(struct hd_select *sel, unsigned arg)
{
	struct hd_popnd in = hd_sel_pred(sel, hd_sel_arg(sel, arg & SYNC ? 1 : 0));
	hd_sel_define_reg(sel, hd_sel_ballot(sel, in, members(sel, arg)));
}

static void active_mask(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_define_reg(sel, hd_sel_active_mask(sel));
}

static void match(struct hd_select *sel, unsigned mode)
{
	struct hd_leaf out[2];
	hd_sel_match(sel, mode, hd_sel_arg(sel, 1), arg_word(sel, 0), out);
	hd_sel_define(sel, sel->inst, out, mode == HD_VOTE_ALL ? 2 : 1);
}

/* ------------------------------------------------------------------ memory */

/* ldg and ldu: the alignment is the second operand. */
static void read_only_load(struct hd_select *sel, unsigned arg)
{
	LLVMValueRef pointer = LLVMGetOperand(sel->inst, 0);
	uint64_t align = 1;
	(void)arg;
	hd_is_int_constant(LLVMGetOperand(sel->inst, 1), &align);
	hd_sel_load_value(sel, sel->inst, LLVMTypeOf(sel->inst), hd_sel_leaf(sel, pointer, 0), HD_AS_GLOBAL,
			  (unsigned)align, HD_MOD(CACHE, HD_CACHE_CI));
}

static uint16_t scope_mods(const char *name)
{
	unsigned scope = strstr(name, ".cta") ? HD_SCOPE_CTA : strstr(name, ".sys") ? HD_SCOPE_SYS : HD_SCOPE_GPU;
	return HD_MOD(SEM, HD_SEM_RELAXED) | HD_MOD(SCOPE8, scope);
}

/* Atomics with a scope in their name, and the wrapping increments. The operand gives the width. */
static void atomic(struct hd_select *sel, unsigned op)
{
	LLVMValueRef pointer = LLVMGetOperand(sel->inst, 0), operand = LLVMGetOperand(sel->inst, 1);
	LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(operand));
	unsigned bits = hd_scalar_bits(LLVMTypeOf(operand)), type = bits == 64 ? HD_U64 : HD_U32;
	if (bits != 32 && bits != 64) {
		hd_sel_unsupported(sel, "atomic operation on %u bits", bits);
		return;
	}
	if (kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind)
		type = op != HD_ATOM_ADD ? type : bits == 64 ? HD_F64 : HD_F32;
	else if (op == HD_ATOM_MIN || op == HD_ATOM_MAX) /* the unsigned ones are plain atomicrmw */
		type = bits == 64 ? HD_S64 : HD_S32;
	struct hd_leaf swap;
	if (op == HD_ATOM_CAS)
		swap = hd_sel_arg(sel, 2);
	hd_sel_define1(sel, hd_sel_atomic(sel, op, type, hd_sel_leaf(sel, pointer, 0),
					  LLVMGetPointerAddressSpace(LLVMTypeOf(pointer)), hd_sel_leaf(sel, operand, 0),
					  op == HD_ATOM_CAS ? &swap : NULL, scope_mods(hd_sel_nvvm_name(sel))));
}

static void space_cast(struct hd_select *sel, unsigned arg)
{
	LLVMTypeRef from = LLVMTypeOf(LLVMGetOperand(sel->inst, 0));
	(void)arg;
	hd_sel_define1(sel, hd_sel_cast_space(sel, hd_sel_arg(sel, 0), LLVMGetPointerAddressSpace(from),
					      LLVMGetPointerAddressSpace(LLVMTypeOf(sel->inst))));
}

/* The windows are known by the high word of an address. */
static struct hd_leaf in_window(struct hd_select *sel, struct hd_leaf pointer, unsigned bank)
{
	struct hd_opnd high = hd_reg(hd_sel_opnd_reg(sel, hd_sel_word(sel, &pointer, 1), 1));
	return hd_leaf_pred(hd_sel_isetp(sel, HD_CMP_EQ, false, high, hd_bank(bank + 4)), false);
}

struct hd_leaf hd_sel_in_space(struct hd_select *sel, struct hd_leaf pointer, unsigned space)
{
	if (space == HD_AS_SHARED || space == HD_AS_LOCAL)
		return in_window(sel, pointer, space == HD_AS_SHARED ? HD_CB_SHARED_WINDOW : HD_CB_LOCAL_WINDOW);
	if (space == HD_AS_PARAM) {
		struct hd_leaf bank = {.kind = HD_LEAF_BANK, .words = 2, .id = HD_CB_PARAM_COPY};
		struct hd_mreg offset = hd_sel_add64(sel, pointer, bank, true);
		struct hd_popnd near = {hd_sel_isetp(sel, HD_CMP_EQ, false, hd_reg(hd_sub(offset, 1, 1)), hd_rz()),
					false};
		struct hd_popnd in = {hd_sel_isetp(sel, HD_CMP_LT, false, hd_reg(hd_sub(offset, 0, 1)),
						   hd_imm(HD_CB_BYTES)),
				      false};
		return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, near, in), false);
	}
	if (space == HD_AS_CONST) /* constants lie in global memory */
		return hd_leaf_imm(0, 0);
	struct hd_leaf shared = in_window(sel, pointer, HD_CB_SHARED_WINDOW);
	struct hd_leaf local = in_window(sel, pointer, HD_CB_LOCAL_WINDOW);
	struct hd_popnd a = (struct hd_popnd){shared.id, true};
	struct hd_popnd b = (struct hd_popnd){local.id, true};
	return hd_leaf_pred(hd_sel_plop(sel, HD_BOOL_AND, a, b), false);
}

static void is_space(struct hd_select *sel, unsigned space)
{
	struct hd_leaf address = hd_sel_arg(sel, 0);
	bool own = space == HD_AS_SHARED && hd_sel_has_clusters(sel);
	hd_sel_define1(sel, own ? hd_sel_in_own_block(sel, address) : hd_sel_in_space(sel, address, space));
}

/* ------------------------------------------------------------------ integers */

enum { SIGNED = 1 };

static void multiply_high(struct hd_select *sel, unsigned is_signed)
{
	unsigned bits = hd_scalar_bits(LLVMTypeOf(sel->inst));
	struct hd_leaf a = hd_sel_arg(sel, 0), b = hd_sel_arg(sel, 1);
	if (bits == 16) { /* the product of two extended halves has the result in its upper half */
		a = hd_sel_extend_leaf(sel, a, 16, 32, is_signed);
		b = hd_sel_extend_leaf(sel, b, 16, 32, is_signed);
		a = hd_sel_mul_leaf(sel, a, b);
		hd_sel_define1(sel, hd_sel_shift_leaf(sel, LLVMLShr, a, hd_leaf_imm(16, 1), 32));
		return;
	}
	hd_sel_define1(sel, hd_sel_mul_high(sel, a, b, is_signed));
}

static void multiply_24(struct hd_select *sel, unsigned is_signed)
{
	struct hd_opnd a = hd_sel_extended(sel, hd_sel_arg(sel, 0), 24, is_signed);
	struct hd_opnd b = hd_sel_extended(sel, hd_sel_arg(sel, 1), 24, is_signed);
	hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_IMAD, 0, a, b, hd_none()));
}

/* |a - b| + c */
static void absolute_difference(struct hd_select *sel, unsigned is_signed)
{
	unsigned bits = hd_scalar_bits(LLVMTypeOf(sel->inst));
	struct hd_leaf a = hd_sel_arg(sel, 0), b = hd_sel_arg(sel, 1), c = hd_sel_arg(sel, 2);
	struct hd_leaf high = hd_sel_minmax(sel, true, is_signed, a, b, bits);
	struct hd_leaf low = hd_sel_minmax(sel, false, is_signed, a, b, bits);
	struct hd_leaf sum;
	if (bits == 64) {
		sum = hd_leaf_reg(hd_sel_add64(sel, high, low, true));
		hd_sel_define_reg(sel, hd_sel_add64(sel, sum, c, false));
		return;
	}
	hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_IADD3, 0, hd_sel_word(sel, &high, 0),
					  hd_neg(hd_sel_word(sel, &low, 0)), hd_sel_word(sel, &c, 0)));
}

/* prmt a, b, selector: the machine has the selector in b. */
static void permute(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_PRMT, 0, arg_word(sel, 0), arg_word(sel, 2), arg_reg(sel, 1)));
}

static void dot_product(struct hd_select *sel, unsigned arg)
{
	hd_sel_define_reg(sel, hd_sel_alu(sel, HD_OP_IDP4A, HD_MOD(SIGN, arg & 1) | HD_MOD(SIGNB, arg >> 1 & 1),
					  arg_reg(sel, 0), arg_word(sel, 1), arg_word(sel, 2)));
}

static void bits_reversed(struct hd_select *sel, unsigned bits)
{
	hd_sel_define1(sel, hd_sel_bit_reverse(sel, hd_sel_arg(sel, 0), bits));
}

static void leading_zeros(struct hd_select *sel, unsigned bits)
{
	hd_sel_define1(sel, hd_sel_count_leading(sel, hd_sel_arg(sel, 0), bits));
}

static void population(struct hd_select *sel, unsigned bits)
{
	hd_sel_define1(sel, hd_sel_popcount(sel, hd_sel_arg(sel, 0), bits));
}

static void minmax(struct hd_select *sel, unsigned arg)
{
	hd_sel_define1(sel, hd_sel_minmax(sel, arg & 2, arg & SIGNED, hd_sel_arg(sel, 0), hd_sel_arg(sel, 1),
					  hd_scalar_bits(LLVMTypeOf(sel->inst))));
}

/* ------------------------------------------------------------------ words of a double */

static void double_word(struct hd_select *sel, unsigned index)
{
	struct hd_leaf value = hd_sel_arg(sel, 0);
	hd_sel_define_reg(sel, hd_sel_opnd_reg(sel, hd_sel_word(sel, &value, index), 1));
}

static void double_of_words(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_define_reg(sel, hd_sel_pair(sel, arg_word(sel, 0), arg_word(sel, 1)));
}

static void same_bits(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_define1(sel, hd_sel_arg(sel, 0));
}

#define SREG(name) "nvvm.read.ptx.sreg." name

const struct hd_intrinsic hd_nvvm_intrinsics[] = {
	{SREG("tid.x"), special, HD_SR_TID_X},
	{SREG("tid.y"), special, HD_SR_TID_Y},
	{SREG("tid.z"), special, HD_SR_TID_Z},
	{SREG("ctaid.x"), special, HD_SR_CTAID_X},
	{SREG("ctaid.y"), special, HD_SR_CTAID_Y},
	{SREG("ctaid.z"), special, HD_SR_CTAID_Z},
	{SREG("ntid.x"), bank_word, HD_CB_NTID_X},
	{SREG("ntid.y"), bank_word, HD_CB_NTID_Y},
	{SREG("ntid.z"), bank_word, HD_CB_NTID_Z},
	{SREG("nctaid.x"), bank_word, HD_CB_NCTAID_X},
	{SREG("nctaid.y"), bank_word, HD_CB_NCTAID_Y},
	{SREG("nctaid.z"), bank_word, HD_CB_NCTAID_Z},
	{SREG("laneid"), special, HD_SR_LANEID},
	{SREG("warpid"), special, HD_SR_WARPID},
	{SREG("nwarpid"), special, HD_SR_NWARPID},
	{SREG("smid"), special, HD_SR_SMID},
	{SREG("nsmid"), special, HD_SR_NSMID},
	{SREG("gridid"), special, HD_SR_GRIDID},
	{SREG("lanemask.eq"), special, HD_SR_LANEMASK_EQ},
	{SREG("lanemask.lt"), special, HD_SR_LANEMASK_LT},
	{SREG("lanemask.le"), special, HD_SR_LANEMASK_LE},
	{SREG("lanemask.gt"), special, HD_SR_LANEMASK_GT},
	{SREG("lanemask.ge"), special, HD_SR_LANEMASK_GE},
	{SREG("clock"), clock_low, 0},
	{SREG("clock64"), special, HD_SR_CLOCK64},
	{SREG("globaltimer"), special, HD_SR_GLOBALTIMER64},
	{SREG("warpsize"), number, HD_WARP_LANES},
	{"readcyclecounter", special, HD_SR_CLOCK64},
	{"readsteadycounter", special, HD_SR_GLOBALTIMER64},

	{"nvvm.barrier0", barrier_sync, 0},
	{"nvvm.barrier.n", barrier_sync, 1},
	{"nvvm.barrier", barrier_sync, 2},
	{"nvvm.bar.sync", barrier_sync, 1},
	{"nvvm.barrier.sync", barrier_sync, 1},
	{"nvvm.barrier.sync.cnt", barrier_sync, 2},
	{"nvvm.barrier0.popc", barrier_reduce, HD_BAR_RED_POPC},
	{"nvvm.barrier0.and", barrier_reduce, HD_BAR_RED_AND},
	{"nvvm.barrier0.or", barrier_reduce, HD_BAR_RED_OR},
	{"nvvm.barrier.cta.sync.aligned.all", barrier_sync, 1},
	{"nvvm.barrier.cta.sync.aligned.count", barrier_sync, 2},
	{"nvvm.barrier.cta.sync.all", barrier_sync, 1},
	{"nvvm.barrier.cta.sync.count", barrier_sync, 2},
	{"nvvm.barrier.cta.arrive.aligned.count", barrier_arrive, 0},
	{"nvvm.barrier.cta.arrive.count", barrier_arrive, 0},
	{"nvvm.barrier.cta.red.popc.aligned.all", barrier_reduce, NAMED | HD_BAR_RED_POPC},
	{"nvvm.barrier.cta.red.popc.aligned.count", barrier_reduce, NAMED | COUNTED | HD_BAR_RED_POPC},
	{"nvvm.barrier.cta.red.popc.all", barrier_reduce, NAMED | HD_BAR_RED_POPC},
	{"nvvm.barrier.cta.red.popc.count", barrier_reduce, NAMED | COUNTED | HD_BAR_RED_POPC},
	{"nvvm.barrier.cta.red.and.aligned.all", barrier_reduce, NAMED | HD_BAR_RED_AND},
	{"nvvm.barrier.cta.red.and.aligned.count", barrier_reduce, NAMED | COUNTED | HD_BAR_RED_AND},
	{"nvvm.barrier.cta.red.and.all", barrier_reduce, NAMED | HD_BAR_RED_AND},
	{"nvvm.barrier.cta.red.and.count", barrier_reduce, NAMED | COUNTED | HD_BAR_RED_AND},
	{"nvvm.barrier.cta.red.or.aligned.all", barrier_reduce, NAMED | HD_BAR_RED_OR},
	{"nvvm.barrier.cta.red.or.aligned.count", barrier_reduce, NAMED | COUNTED | HD_BAR_RED_OR},
	{"nvvm.barrier.cta.red.or.all", barrier_reduce, NAMED | HD_BAR_RED_OR},
	{"nvvm.barrier.cta.red.or.count", barrier_reduce, NAMED | COUNTED | HD_BAR_RED_OR},
	{"nvvm.bar.warp.sync", warp_sync, 0},
	{"nvvm.membar.cta", memory_barrier, HD_SCOPE_CTA},
	{"nvvm.membar.gl", memory_barrier, HD_SCOPE_GPU},
	{"nvvm.membar.sys", memory_barrier, HD_SCOPE_SYS},
	{"nvvm.fence.sc.cluster", memory_barrier, HD_SCOPE_GPU},
	{"nvvm.nanosleep", sleep_for, 0},
	{"nvvm.exit", exit_thread, 0},

	{"nvvm.shfl.sync.idx", shuffle, SYNC | HD_SHFL_IDX},
	{"nvvm.shfl.sync.up", shuffle, SYNC | HD_SHFL_UP},
	{"nvvm.shfl.sync.down", shuffle, SYNC | HD_SHFL_DOWN},
	{"nvvm.shfl.sync.bfly", shuffle, SYNC | HD_SHFL_BFLY},
	{"nvvm.shfl.idx", shuffle, HD_SHFL_IDX},
	{"nvvm.shfl.up", shuffle, HD_SHFL_UP},
	{"nvvm.shfl.down", shuffle, HD_SHFL_DOWN},
	{"nvvm.shfl.bfly", shuffle, HD_SHFL_BFLY},
	{"nvvm.vote.all", vote, HD_VOTE_ALL},
	{"nvvm.vote.any", vote, HD_VOTE_ANY},
	{"nvvm.vote.uni", vote, HD_VOTE_EQ},
	{"nvvm.vote.ballot", ballot, 0},
	{"nvvm.vote.all.sync", vote, SYNC | HD_VOTE_ALL},
	{"nvvm.vote.any.sync", vote, SYNC | HD_VOTE_ANY},
	{"nvvm.vote.uni.sync", vote, SYNC | HD_VOTE_EQ},
	{"nvvm.vote.ballot.sync", ballot, SYNC},
	{"nvvm.activemask", active_mask, 0},
	{"nvvm.match.any.sync", match, HD_VOTE_ANY},
	{"nvvm.match.all.sync", match, HD_VOTE_ALL},

	{"nvvm.ldg.global.i", read_only_load, 0},
	{"nvvm.ldg.global.f", read_only_load, 0},
	{"nvvm.ldg.global.p", read_only_load, 0},
	{"nvvm.ldu.global.i", read_only_load, 0},
	{"nvvm.ldu.global.f", read_only_load, 0},
	{"nvvm.ldu.global.p", read_only_load, 0},
	{"nvvm.atomic.load.inc.32", atomic, HD_ATOM_INC},
	{"nvvm.atomic.load.dec.32", atomic, HD_ATOM_DEC},
	{"nvvm.atomic.add.gen", atomic, HD_ATOM_ADD},
	{"nvvm.atomic.max.gen", atomic, HD_ATOM_MAX},
	{"nvvm.atomic.min.gen", atomic, HD_ATOM_MIN},
	{"nvvm.atomic.inc.gen", atomic, HD_ATOM_INC},
	{"nvvm.atomic.dec.gen", atomic, HD_ATOM_DEC},
	{"nvvm.atomic.exch.gen", atomic, HD_ATOM_EXCH},
	{"nvvm.atomic.and.gen", atomic, HD_ATOM_AND},
	{"nvvm.atomic.or.gen", atomic, HD_ATOM_OR},
	{"nvvm.atomic.xor.gen", atomic, HD_ATOM_XOR},
	{"nvvm.atomic.cas.gen", atomic, HD_ATOM_CAS},
	{"nvvm.ptr.gen.to", space_cast, 0},
	{"nvvm.ptr.shared.to.gen", space_cast, 0},
	{"nvvm.ptr.global.to.gen", space_cast, 0},
	{"nvvm.ptr.local.to.gen", space_cast, 0},
	{"nvvm.ptr.constant.to.gen", space_cast, 0},
	{"nvvm.isspacep.shared", is_space, HD_AS_SHARED},
	{"nvvm.isspacep.local", is_space, HD_AS_LOCAL},
	{"nvvm.isspacep.global", is_space, HD_AS_GLOBAL},
	{"nvvm.isspacep.const", is_space, HD_AS_CONST},

	{"nvvm.mulhi.i", multiply_high, SIGNED},
	{"nvvm.mulhi.ui", multiply_high, 0},
	{"nvvm.mulhi.ll", multiply_high, SIGNED},
	{"nvvm.mulhi.ull", multiply_high, 0},
	{"nvvm.mulhi.s", multiply_high, SIGNED},
	{"nvvm.mulhi.us", multiply_high, 0},
	{"nvvm.mul24.i", multiply_24, SIGNED},
	{"nvvm.mul24.ui", multiply_24, 0},
	{"nvvm.sad.i", absolute_difference, SIGNED},
	{"nvvm.sad.ui", absolute_difference, 0},
	{"nvvm.sad.ll", absolute_difference, SIGNED},
	{"nvvm.sad.ull", absolute_difference, 0},
	{"nvvm.sad.s", absolute_difference, SIGNED},
	{"nvvm.sad.us", absolute_difference, 0},
	{"nvvm.prmt", permute, 0},
	{"nvvm.idp4a.u.u", dot_product, 0},
	{"nvvm.idp4a.s.u", dot_product, 1},
	{"nvvm.idp4a.u.s", dot_product, 2},
	{"nvvm.idp4a.s.s", dot_product, 3},
	{"nvvm.brev32", bits_reversed, 32},
	{"nvvm.brev64", bits_reversed, 64},
	{"nvvm.clz.i", leading_zeros, 32},
	{"nvvm.clz.ll", leading_zeros, 64},
	{"nvvm.popc.i", population, 32},
	{"nvvm.popc.ll", population, 64},
	{"nvvm.min.i", minmax, SIGNED},
	{"nvvm.min.ui", minmax, 0},
	{"nvvm.min.ll", minmax, SIGNED},
	{"nvvm.min.ull", minmax, 0},
	{"nvvm.max.i", minmax, 2 | SIGNED},
	{"nvvm.max.ui", minmax, 2},
	{"nvvm.max.ll", minmax, 2 | SIGNED},
	{"nvvm.max.ull", minmax, 2},
	{"nvvm.d2i.lo", double_word, 0},
	{"nvvm.d2i.hi", double_word, 1},
	{"nvvm.lohi.i2d", double_of_words, 0},
	{"nvvm.bitcast", same_bits, 0},
	{"nvvm.move", same_bits, 0},
	{NULL, NULL, 0},
};
