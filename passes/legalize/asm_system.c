/*
 * Inline PTX as IR: operations of a warp, accesses of 128 bits in one register, and matrices that are stored from
 * registers.
 */
#include <string.h>

#include "passes/legalize/asm.h"

static const char *last(const struct hd_ptx_statement *now)
{
	return now->parts[now->part_count - 1];
}

/* redux.sync.op.type d, a, mask */
static void reduce(struct hd_asm *a, unsigned arg)
{
	static const char *const ops[] = {"add", "min", "max", "and", "or", "xor"};
	value args[2] = {hd_asm_in(a, 1, 32), hd_asm_in(a, 2, 32)};
	char name[48];
	(void)arg;
	for (unsigned i = 0; i < 6; i++) {
		if (!hd_asm_has(a, ops[i]))
			continue;
		snprintf(name, sizeof name, "llvm.nvvm.redux.sync.%s%s",
			 (i == 1 || i == 2) && !strcmp(last(a->now), "u32") ? "u" : "", ops[i]);
		hd_asm_out(a, 0, hd_asm_call(a, name, NULL, args, 2), false);
		return;
	}
	hd_asm_error(a, "expected an operation");
}

static value lane_number(struct hd_asm *a)
{
	return hd_asm_piece(a, "mov.u32 $0, %laneid;", 32, NULL, 0);
}

/* elect.sync d|p, mask: the lowest lane of those that are there. */
static void elect(struct hd_asm *a, unsigned arg)
{
	struct hd_site *site = &a->site;
	value mask = hd_asm_in(a, 1, 32);
	(void)arg;
	value there =
		hd_asm_piece(a, "{ .reg .pred p; setp.eq.u32 p, 0, 0; vote.sync.ballot.b32 $0, p, $1; }", 32, &mask, 1);
	value args[2] = {there, truth(site, true)};
	value leader = intrinsic(site, "cttz", args, 2);
	hd_asm_write(a, &a->now->operands[0].parts[0], leader, false);
	hd_asm_write(a, &a->now->operands[0].second, compare(site, LLVMIntEQ, leader, lane_number(a)), false);
}

/* ------------------------------------------------------------------ 128 bits */

static bool is_128(const struct hd_ptx_statement *now)
{
	return !strcmp(last(now), "b128");
}

/* The opcode with .v2.b64 in the place of .b128. */
static void opcode_of_two(struct hd_asm *a, char *out, size_t room)
{
	snprintf(out, room, "%.*s.v2.b64", (int)(strlen(a->now->text) - strlen(".b128")), a->now->text);
}

static value address_of(struct hd_asm *a, unsigned index)
{
	return hd_asm_bits(a, hd_asm_pointer(a, index, hd_asm_space(a)));
}

static void load_128(struct hd_asm *a, unsigned arg)
{
	struct hd_site *site = &a->site;
	char opcode[160], text[256];
	value at = address_of(a, 1), out = NULL;
	(void)arg;
	opcode_of_two(a, opcode, sizeof opcode);
	snprintf(text, sizeof text, "%s {$0, $1}, [$2];", opcode);
	LLVMTypeRef word = int_type(site, 64), words[2] = {word, word}, params[1] = {LLVMTypeOf(at)};
	LLVMTypeRef type =
		LLVMFunctionType(LLVMStructTypeInContext(site->legal->context, words, 2, false), params, 1, false);
	value callee =
		LLVMGetInlineAsm(type, text, strlen(text), "=l,=l,l", 7, true, false, LLVMInlineAsmDialectATT, false);
	value both = LLVMBuildCall2(site->builder, type, callee, &at, 1, "");
	for (unsigned i = 0; i < 2; i++) {
		value half = cast(site, LLVMBuildExtractValue(site->builder, both, i, ""), 128, false);
		out = i ? binary(site, LLVMOr, out, binary(site, LLVMShl, half, number(half, 64))) : half;
	}
	hd_asm_out(a, 0, out, false);
}

static void store_128(struct hd_asm *a, unsigned arg)
{
	struct hd_site *site = &a->site;
	char opcode[160], text[256];
	value args[3] = {address_of(a, 0), NULL, NULL}, v = hd_asm_in(a, 1, 128);
	(void)arg;
	opcode_of_two(a, opcode, sizeof opcode);
	snprintf(text, sizeof text, "%s [$0], {$1, $2};", opcode);
	args[1] = cast(site, v, 64, false);
	args[2] = cast(site, binary(site, LLVMLShr, v, number(v, 64)), 64, false);
	hd_asm_piece(a, text, 0, args, 3);
}

/* ------------------------------------------------------------------ stmatrix */

/* The address that lane `lane` gives. */
static value row_address(struct hd_asm *a, value mine, value lane)
{
	value args[2] = {mine, lane};
	return hd_asm_piece(a, "shfl.sync.idx.b32 $0, $1, $2, 31, -1;", 32, args, 2);
}

/*
 * stmatrix.sync.aligned.m8n8.x2{.trans}.shared.b16 [p], {r, s}: the rows' addresses are those of lanes 0 to 7, 8 to 15
 * and so on, and lane 4 i + j has two elements of row i from column 2 j on. Transposed they are of column i.
 */
static void store_matrices(struct hd_asm *a, unsigned arg)
{
	struct hd_site *site = &a->site;
	const struct hd_ptx_operand *from = &a->now->operands[1];
	unsigned count = hd_asm_has(a, "x4") ? 4 : hd_asm_has(a, "x2") ? 2 : hd_asm_has(a, "x1") ? 1 : 0;
	bool transposed = hd_asm_has(a, "trans");
	(void)arg;
	if (!count || !hd_asm_has(a, "m8n8") || from->form == HD_PTX_ADDRESS || from->count != count ||
	    strcmp(last(a->now), "b16") != 0) {
		hd_asm_error(a, "expected one, two or four .b16 matrices (m8n8) in as many registers");
		return;
	}
	if (hd_capability(LLVMGetBasicBlockParent(LLVMGetInstructionParent(site->inst))) < 90) {
		hd_asm_error(a, "storing matrices needs sm_90 or later");
		return;
	}
	value mine = cast(site, hd_asm_bits(a, hd_asm_pointer(a, 0, HD_AS_SHARED)), 32, false), lane = lane_number(a);
	value outer = binary(site, LLVMLShr, lane, number(lane, 2));
	value inner = binary(site, LLVMShl, binary(site, LLVMAnd, lane, number(lane, 3)), number(lane, 1));
	for (unsigned m = 0; m < count; m++) {
		value word = hd_asm_read(a, &from->parts[m], 32), row, args[2];
		for (unsigned half = 0; half < (transposed ? 2 : 1); half++) {
			value r = transposed ? binary(site, LLVMAdd, inner, number(inner, half)) : outer;
			value c = transposed ? outer : inner;
			row = row_address(a, mine, binary(site, LLVMAdd, r, number(r, 8 * m)));
			args[0] = binary(site, LLVMAdd, row, binary(site, LLVMShl, c, number(c, 1)));
			args[1] = transposed
					  ? cast(site, binary(site, LLVMLShr, word, number(word, 16 * half)), 16, false)
					  : word;
			hd_asm_piece(a, transposed ? "st.shared.b16 [$0], $1;" : "st.shared.b32 [$0], $1;", 0, args, 2);
		}
	}
}

const struct hd_asm_row hd_asm_system[] = {
	{"redux.sync", 3, NULL, reduce, 0},
	{"elect.sync", 2, NULL, elect, 0},
	{"ld", 2, is_128, load_128, 0},
	{"st", 2, is_128, store_128, 0},
	{"stmatrix.sync.aligned", 2, NULL, store_matrices, 0},
	{NULL, 0, NULL, NULL, 0},
};
