/*
 * What the lanes of a warp have of a value that is not linear: masks, shifts, swizzles by xor, quotients and remainders
 * of thread indices. The value's expression is evaluated lane by lane, as a part that all lanes share, or groups of
 * them (of which the alignment is known), and an offset from it; modulo the width of the type, so that what overflows
 * counts as it does on the machine. Leaves are linear values and what is uniform in a warp.
 *
 * Needs the legalised IR, its uniformity and its linear values. An expression of more than MOST_NODES values is left
 * alone, so that an access costs a bounded time for each warp.
 */
#include <string.h>

#include "passes/affine/coalescing_internal.h"

enum { LANES = HD_LANES, MOST_NODES = 96 };

/* A value of the expression that was evaluated. */
struct hd_lane_node {
	LLVMValueRef value;
	bool known;
	struct hd_pattern pattern;
};

struct evaluation {
	struct hd_coalescing *report;
	const struct hd_lanes *lanes;
};

/* ---- the expression */

/* All that is made of the value is indices. */
static bool is_index(LLVMValueRef value, unsigned depth)
{
	bool good = LLVMGetFirstUse(value) != NULL;
	for (LLVMUseRef use = LLVMGetFirstUse(value); use && good; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		LLVMOpcode op = LLVMGetInstructionOpcode(user);
		bool passes_on = op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl;
		good = op == LLVMGetElementPtr || (passes_on && depth && is_index(user, depth - 1));
	}
	return good;
}

static bool evaluate(struct evaluation *evaluation, LLVMValueRef value, LLVMBasicBlockRef block,
		     struct hd_pattern *out);

static bool operand(struct evaluation *evaluation, LLVMValueRef inst, unsigned index, struct hd_pattern *out)
{
	return evaluate(evaluation, LLVMGetOperand(inst, index), LLVMGetInstructionParent(inst), out);
}

static unsigned bits_of(const struct evaluation *evaluation, LLVMValueRef value)
{
	return hd_affine_bits(evaluation->report->affine, LLVMTypeOf(value));
}

static bool compare(LLVMIntPredicate predicate, uint64_t a, uint64_t b, unsigned bits)
{
	int64_t x = hd_signed_number(a, bits), y = hd_signed_number(b, bits);
	switch (predicate) {
	case LLVMIntEQ: return a == b;
	case LLVMIntNE: return a != b;
	case LLVMIntUGT: return a > b;
	case LLVMIntUGE: return a >= b;
	case LLVMIntULT: return a < b;
	case LLVMIntULE: return a <= b;
	case LLVMIntSGT: return x > y;
	case LLVMIntSGE: return x >= y;
	case LLVMIntSLT: return x < y;
	case LLVMIntSLE: break;
	}
	return x <= y;
}

static bool evaluate_compare(struct evaluation *evaluation, LLVMValueRef inst, struct hd_pattern *out)
{
	struct hd_pattern a, b;
	if (!operand(evaluation, inst, 0, &a) || !operand(evaluation, inst, 1, &b) || !a.exact || !b.exact)
		return false;
	*out = (struct hd_pattern){.bits = 1, .exact = true};
	for (unsigned lane = 0; lane < LANES; lane++)
		out->offset[lane] =
			compare(LLVMGetICmpPredicate(inst), (uint64_t)a.offset[lane], (uint64_t)b.offset[lane], a.bits);
	return true;
}

static bool evaluate_select(struct evaluation *evaluation, LLVMValueRef inst, struct hd_pattern *out)
{
	struct hd_pattern which, a, b;
	if (!operand(evaluation, inst, 0, &which) || !which.exact)
		return false;
	if (hd_pattern_is_number(&which))
		return operand(evaluation, inst, which.offset[0] ? 1 : 2, out);
	if (!operand(evaluation, inst, 1, &a) || !operand(evaluation, inst, 2, &b) || !a.exact || !b.exact)
		return false;
	*out = a;
	for (unsigned lane = 0; lane < LANES; lane++)
		out->offset[lane] = which.offset[lane] ? a.offset[lane] : b.offset[lane];
	return true;
}

static uint64_t reversed(uint64_t value, unsigned bits)
{
	uint64_t out = 0;
	for (unsigned i = 0; i < bits; i++)
		out |= (value >> i & 1) << (bits - 1 - i);
	return out;
}

static uint64_t minimum(uint64_t a, uint64_t b, unsigned bits, LLVMIntPredicate predicate)
{
	return compare(predicate, a, b, bits) ? a : b;
}

/* The word at the top of a product: 32 bits times 32, 64 times 64. */
static uint64_t high_word(uint64_t a, uint64_t b, unsigned bits, bool is_signed)
{
	__extension__ typedef unsigned __int128 wide;
	__extension__ typedef __int128 signed_wide;
	if (is_signed)
		return (uint64_t)((signed_wide)hd_signed_number(a, bits) * hd_signed_number(b, bits) >> bits);
	return (uint64_t)((wide)a * b >> bits);
}

/* Intrinsics of numbers that are known in every lane. */
#define EXACT_INTRINSICS(X)                                           \
	X("llvm.umin.", minimum(a, b, bits, LLVMIntULT))              \
	X("llvm.umax.", minimum(a, b, bits, LLVMIntUGT))              \
	X("llvm.smin.", minimum(a, b, bits, LLVMIntSLT))              \
	X("llvm.smax.", minimum(a, b, bits, LLVMIntSGT))              \
	X("llvm.bitreverse.", reversed(a, bits))                      \
	X("llvm.nvvm.brev32", reversed(a, bits))                      \
	X("llvm.nvvm.brev64", reversed(a, bits))                        \
	X("llvm.ctpop.", (uint64_t)__builtin_popcountll(a))           \
	X("llvm.abs.", hd_signed_number(a, bits) < 0 ? 0 - a : a)            \
	X("llvm.nvvm.mulhi.ui", high_word(a, b, bits, false))         \
	X("llvm.nvvm.mulhi.ull", high_word(a, b, bits, false))        \
	X("llvm.nvvm.mulhi.i", high_word(a, b, bits, true))           \
	X("llvm.nvvm.mulhi.ll", high_word(a, b, bits, true))

/* The name itself, or one of its forms for several types where the prefix ends with a dot. */
static bool is_intrinsic(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);
	return strncmp(name, prefix, len) == 0 && (prefix[len - 1] == '.' || name[len] == '\0');
}

static bool exact_result(const char *name, uint64_t a, uint64_t b, unsigned bits, int64_t *result)
{
#define X(prefix, value)                            \
	if (is_intrinsic(name, prefix)) {           \
		*result = (int64_t)(value);         \
		return true;                        \
	}
	EXACT_INTRINSICS(X)
#undef X
	return false;
}

/* Lane numbers and what is made of them; false for other registers. */
static bool lane_register(const char *name, struct hd_pattern *out)
{
	static const char prefix[] = "llvm.nvvm.read.ptx.sreg.";
	static const char *const names[] = {"laneid",	   "lanemask.eq", "lanemask.lt",
					    "lanemask.le", "lanemask.gt", "lanemask.ge"};
	unsigned which = 0;
	if (strncmp(name, prefix, strlen(prefix)) != 0)
		return false;
	while (which < sizeof(names) / sizeof(names[0]) && strcmp(name + strlen(prefix), names[which]) != 0)
		which++;
	for (unsigned lane = 0; lane < LANES; lane++) {
		uint64_t own = UINT64_C(1) << lane;
		const uint64_t values[] = {lane, own, own - 1, 2 * own - 1, ~(2 * own - 1), ~(own - 1)};
		if (which < sizeof(names) / sizeof(names[0]))
			out->offset[lane] = (int64_t)values[which];
	}
	return which < sizeof(names) / sizeof(names[0]);
}

static bool evaluate_call(struct evaluation *evaluation, LLVMValueRef inst, struct hd_pattern *out)
{
	LLVMValueRef callee = LLVMGetCalledValue(inst);
	const char *name = LLVMIsAFunction(callee) ? LLVMGetValueName(callee) : "";
	unsigned count = LLVMGetNumArgOperands(inst);
	struct hd_pattern a = {.exact = true}, b = {.exact = true};
	int64_t ignored;
	*out = (struct hd_pattern){.bits = bits_of(evaluation, inst), .exact = true};
	if (!count)
		return lane_register(name, out);
	if (!exact_result(name, 0, 0, out->bits, &ignored) || !operand(evaluation, inst, 0, &a) || !a.exact)
		return false;
	if (count > 1 && (!operand(evaluation, inst, 1, &b) || !b.exact))
		return false;
	for (unsigned lane = 0; lane < LANES; lane++)
		exact_result(name, (uint64_t)a.offset[lane], (uint64_t)b.offset[lane], out->bits, &out->offset[lane]);
	return true;
}

/* An index as wide as addresses are. */
static bool evaluate_index(struct evaluation *evaluation, LLVMValueRef inst, unsigned at, unsigned bits,
			   struct hd_pattern *out)
{
	struct hd_pattern index;
	if (!operand(evaluation, inst, at, &index))
		return false;
	if (index.bits < bits)
		return hd_pattern_extend_index(&index, bits, true, out);
	*out = index;
	hd_pattern_truncate(out, bits);
	return true;
}

static bool evaluate_address(struct evaluation *evaluation, LLVMValueRef inst, struct hd_pattern *out)
{
	static const struct hd_flags none = {false, false};
	LLVMTargetDataRef layout = evaluation->report->affine->layout;
	LLVMTypeRef type = LLVMGetGEPSourceElementType(inst);
	if (!operand(evaluation, inst, 0, out))
		return false;
	unsigned bits = out->bits;
	for (int i = 1; i < LLVMGetNumOperands(inst); i++) {
		LLVMValueRef at = LLVMGetOperand(inst, (unsigned)i);
		struct hd_pattern index, term, sum = *out;
		if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(at);
			term = hd_pattern_number((int64_t)LLVMOffsetOfElement(layout, type, field), bits);
			type = LLVMStructGetTypeAtIndex(type, field);
		} else {
			type = i > 1 ? LLVMGetElementType(type) : type;
			struct hd_pattern size = hd_pattern_number((int64_t)LLVMABISizeOfType(layout, type), bits);
			if (!evaluate_index(evaluation, inst, (unsigned)i, bits, &index))
				return false;
			hd_pattern_normalise(&index);
			if (!hd_pattern_multiply(&index, &size, none, &term))
				return false;
		}
		hd_pattern_normalise(&term);
		hd_pattern_add(&sum, &term, false, none, out);
		hd_pattern_normalise(out);
	}
	return true;
}

/* A shared part that is no other's as it is: the value stands for its own. */
static void stand_for_itself(struct hd_pattern *pattern, LLVMValueRef value)
{
	if (pattern->origin && !pattern->shifted)
		return;
	pattern->origin = hd_pattern_is_shared(pattern) ? value : NULL;
	pattern->shifted = 0;
	pattern->carried = 0;
}

static bool evaluate_binary(struct evaluation *evaluation, LLVMValueRef inst, struct hd_pattern *out)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	struct hd_pattern a, b;
	struct hd_flags flags = {false, false};
	if (!operand(evaluation, inst, 0, &a) || !operand(evaluation, inst, 1, &b))
		return false;
	if (op == LLVMSub || op == LLVMAnd || op == LLVMLShr || op == LLVMAShr)
		stand_for_itself(&a, LLVMGetOperand(inst, 0));
	if (op == LLVMAdd || op == LLVMSub || op == LLVMMul || op == LLVMShl)
		flags = (struct hd_flags){LLVMGetNSW(inst), LLVMGetNUW(inst)};
	switch (op) {
	case LLVMAdd:
	case LLVMSub: hd_pattern_add(&a, &b, op == LLVMSub, flags, out); return true;
	case LLVMMul: return hd_pattern_multiply(&a, &b, flags, out);
	case LLVMShl: return hd_pattern_shift_left(&a, &b, flags, out);
	case LLVMLShr:
	case LLVMAShr: return hd_pattern_shift_right(&a, &b, op == LLVMAShr, out);
	default: return hd_pattern_bits(op, a, b, out);
	}
}

static bool evaluate_cast(struct evaluation *evaluation, LLVMValueRef inst, struct hd_pattern *out)
{
	LLVMOpcode op = LLVMGetInstructionOpcode(inst);
	unsigned bits = bits_of(evaluation, inst);
	struct hd_pattern a;
	if (!bits || !operand(evaluation, inst, 0, &a))
		return false;
	if (op == LLVMZExt || op == LLVMSExt)
		return (is_index(inst, 2) ? hd_pattern_extend_index : hd_pattern_extend)(&a, bits, op == LLVMSExt, out);
	*out = a;
	if (op == LLVMAddrSpaceCast)
		hd_pattern_resize_pointer(out, bits);
	else if (bits > a.bits)
		return hd_pattern_extend(&a, bits, false, out);
	else if (bits < a.bits)
		hd_pattern_truncate(out, bits);
	return true;
}

static bool evaluate_instruction(struct evaluation *evaluation, LLVMValueRef inst, struct hd_pattern *out)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMAdd:
	case LLVMSub:
	case LLVMMul:
	case LLVMShl:
	case LLVMLShr:
	case LLVMAShr:
	case LLVMAnd:
	case LLVMOr:
	case LLVMXor: return evaluate_binary(evaluation, inst, out);
	case LLVMZExt:
	case LLVMSExt:
	case LLVMTrunc:
	case LLVMPtrToInt:
	case LLVMIntToPtr:
	case LLVMBitCast:
	case LLVMAddrSpaceCast: return evaluate_cast(evaluation, inst, out);
	case LLVMFreeze: return operand(evaluation, inst, 0, out);
	case LLVMGetElementPtr: return evaluate_address(evaluation, inst, out);
	case LLVMICmp: return evaluate_compare(evaluation, inst, out);
	case LLVMSelect: return evaluate_select(evaluation, inst, out);
	case LLVMCall: return evaluate_call(evaluation, inst, out);
	default: return false;
	}
}

/* Lanes leave a loop with what they have in their last iterations: what they shared inside they need not share behind.
 */
static bool is_left(const struct evaluation *evaluation, LLVMValueRef inst, LLVMBasicBlockRef block)
{
	const struct hd_affine *affine = evaluation->report->affine;
	uint32_t home = hd_affine_block_of(affine, LLVMGetInstructionParent(inst));
	uint32_t loop = affine->loops.loop_of[home];
	return loop != HD_NO_NODE && !hd_affine_in_loop(affine, hd_affine_block_of(affine, block), loop);
}

static struct hd_lane_node *node_of(struct evaluation *evaluation, LLVMValueRef value)
{
	struct hd_coalescing *report = evaluation->report;
	for (uint32_t i = 0; i < report->node_count; i++)
		if (report->nodes[i].value == value)
			return &report->nodes[i];
	return NULL;
}

static bool evaluate(struct evaluation *evaluation, LLVMValueRef value, LLVMBasicBlockRef block, struct hd_pattern *out)
{
	struct hd_coalescing *report = evaluation->report;
	struct hd_affine_value linear;
	if (hd_affine_operand(report->affine, value, block, &linear)) {
		hd_coalescing_lay_out(report, &linear, evaluation->lanes, out);
		out->origin = hd_pattern_is_shared(out) ? value : NULL;
		hd_pattern_normalise(out);
		return true;
	}
	if (!LLVMIsAInstruction(value) || !bits_of(evaluation, value))
		return false;
	struct hd_lane_node *node = node_of(evaluation, value);
	if (!node) {
		if (report->node_count == MOST_NODES)
			return false;
		node = &report->nodes[report->node_count++];
		node->value = value;
		node->known = false; /* a cycle comes back here */
		node->known = evaluate_instruction(evaluation, value, &node->pattern);
		if (!node->known && hd_value_is_uniform(report->uniformity, value)) {
			node->pattern = hd_pattern_shared(bits_of(evaluation, value), 1);
			node->known = true;
		}
		hd_pattern_normalise(&node->pattern);
	}
	*out = node->pattern;
	return node->known && (out->exact || !is_left(evaluation, value, block));
}

bool hd_lane_values(struct hd_coalescing *report, const struct hd_lanes *lanes, LLVMValueRef value,
		    LLVMBasicBlockRef block, struct hd_pattern *pattern)
{
	struct evaluation evaluation = {report, lanes};
	if (!report->nodes)
		report->nodes = HD_ARENA_NEW(report->affine->arena, struct hd_lane_node, MOST_NODES);
	report->node_count = 0;
	return evaluate(&evaluation, value, block, pattern);
}
