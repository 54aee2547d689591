/*
 * Selection: finding the handler of an intrinsic, and those that are about memory, hints and control.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

static void ignore(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	if (LLVMGetTypeKind(LLVMTypeOf(sel->inst)) != LLVMVoidTypeKind) { /* a token nobody looks into */
		int words = hd_sel_words(sel, LLVMTypeOf(sel->inst));

		hd_sel_define1(sel, hd_leaf_imm(0, words < 0 ? 1 : (unsigned)words));
	}
}

static void identity(struct hd_select *sel, unsigned arg)
{
	struct hd_leaf *leaves;
	uint32_t count = hd_sel_leaves(sel, LLVMGetOperand(sel->inst, 0), &leaves);
	(void)arg;
	hd_sel_define(sel, sel->inst, leaves, count);
}

static void constant(struct hd_select *sel, unsigned arg)
{
	hd_sel_define1(sel, hd_leaf_imm(arg, (unsigned)hd_sel_words(sel, LLVMTypeOf(sel->inst))));
}

/* The size of an object that is not known: the extreme that the caller asks for. */
static void object_size(struct hd_select *sel, unsigned arg)
{
	uint64_t minimum = 0;
	(void)arg;
	hd_is_int_constant(LLVMGetOperand(sel->inst, 1), &minimum);
	hd_sel_define1(sel,
		       hd_leaf_imm(minimum ? 0 : ~UINT64_C(0), (unsigned)hd_sel_words(sel, LLVMTypeOf(sel->inst))));
}

static void trap(struct hd_select *sel, unsigned arg)
{
	LLVMValueRef next = LLVMGetNextInstruction(sel->inst);
	(void)arg;
	if (!next || !LLVMIsAUnreachableInst(next)) /* `unreachable` traps itself */
		hd_sel_end_thread(sel, HD_OP_TRAP);
}

static void copy_memory(struct hd_select *sel, unsigned overlapping)
{
	hd_sel_memcpy(sel, overlapping);
}

static void set_memory(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_memset(sel);
}

static void stack(struct hd_select *sel, unsigned restore)
{
	if (restore)
		hd_sel_stack_restore(sel);
	else
		hd_sel_stack_save(sel);
}

static void variable_arguments(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	hd_sel_va_start(sel);
}

/* A list of arguments is one pointer. */
static void copy_list(struct hd_select *sel, unsigned arg)
{
	LLVMTypeRef to = LLVMTypeOf(LLVMGetOperand(sel->inst, 0)), from = LLVMTypeOf(LLVMGetOperand(sel->inst, 1));
	(void)arg;
	hd_sel_copy_bytes(sel, hd_sel_address(sel, hd_sel_arg(sel, 0), LLVMGetPointerAddressSpace(to)),
			  hd_sel_address(sel, hd_sel_arg(sel, 1), LLVMGetPointerAddressSpace(from)), 8, 8);
}

static const struct hd_intrinsic general[] = {
	{"assume", ignore, 0},
	{"lifetime.start", ignore, 0},
	{"lifetime.end", ignore, 0},
	{"dbg", ignore, 0},
	{"invariant.start", ignore, 0},
	{"invariant.end", ignore, 0},
	{"experimental.noalias.scope.decl", ignore, 0},
	{"sideeffect", ignore, 0},
	{"donothing", ignore, 0},
	{"var.annotation", ignore, 0},
	{"prefetch", ignore, 0},
	{"pseudoprobe", ignore, 0},
	{"debugtrap", ignore, 0}, /* a breakpoint without a debugger */
	{"expect", identity, 0},
	{"expect.with.probability", identity, 0},
	{"launder.invariant.group", identity, 0},
	{"strip.invariant.group", identity, 0},
	{"ssa.copy", identity, 0},
	{"annotation", identity, 0},
	{"ptr.annotation", identity, 0},
	{"arithmetic.fence", identity, 0},
	{"is.constant", constant, 0},
	{"objectsize", object_size, 0},
	{"allow.runtime.check", constant, 1},
	{"allow.ubsan.check", constant, 1},
	{"trap", trap, 0},
	{"ubsantrap", trap, 0},
	{"clear_cache", ignore, 0},
	{"memcpy", copy_memory, 0},
	{"memcpy.inline", copy_memory, 0},
	{"memmove", copy_memory, 1},
	{"memset", set_memory, 0},
	{"memset.inline", set_memory, 0},
	{"stacksave", stack, 0},
	{"stackrestore", stack, 1},
	{"va_start", variable_arguments, 0},
	{"va_copy", copy_list, 0},
	{"va_end", ignore, 0},
	{NULL, NULL, 0},
};

static const struct hd_intrinsic *const tables[] = {general,
						    hd_bit_intrinsics,
						    hd_math_intrinsics,
						    hd_nvvm_intrinsics,
						    hd_cluster_intrinsics,
						    hd_nvvm_fp_intrinsics,
						    hd_tensor_intrinsics,
						    hd_texture_intrinsics,
						    hd_copy_intrinsics,
						    hd_warpgroup_intrinsics,
						    hd_mbarrier_intrinsics};

unsigned hd_sel_intrinsic_parts(struct hd_select *sel, char text[HD_INTRINSIC_NAME],
				const char *parts[HD_INTRINSIC_PARTS])
{
	unsigned count = 0;
	snprintf(text, HD_INTRINSIC_NAME, "%s", LLVMGetValueName(LLVMGetCalledValue(sel->inst)) + strlen("llvm.nvvm."));
	for (char *at = text; count < HD_INTRINSIC_PARTS; *at++ = '\0') {
		parts[count++] = at;
		at = strchr(at, '.');
		if (!at)
			break;
	}
	return count;
}

/* The row whose name is the longest dotted prefix of `name`. */
static const struct hd_intrinsic *find(const char *name)
{
	const struct hd_intrinsic *best = NULL;
	size_t best_length = 0;
	for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
		for (const struct hd_intrinsic *row = tables[t]; row->name; row++) {
			size_t length = strlen(row->name);
			if (length > best_length && !strncmp(row->name, name, length) &&
			    (name[length] == '\0' || name[length] == '.')) {
				best = row;
				best_length = length;
			}
		}
	return best;
}

bool hd_sel_intrinsic(struct hd_select *sel, LLVMValueRef callee)
{
	const struct hd_map_entry *entry = hd_map_get(&sel->intrinsics, callee);
	const struct hd_intrinsic *row;
	if (!entry) {
		const char *name = LLVMGetValueName(callee);
		row = strncmp(name, "llvm.", 5) ? NULL : find(name + 5);
		hd_vec_push(&sel->intrinsic_rows, row);
		hd_map_put(&sel->intrinsics, callee, sel->intrinsic_rows.len - 1, 1);
		entry = hd_map_get(&sel->intrinsics, callee);
	}
	row = sel->intrinsic_rows.data[entry->start];
	if (!row)
		return false;
	/* Vector operations were taken apart by hd_legalize; what is left of them is not known here. */
	if (LLVMGetTypeKind(LLVMTypeOf(sel->inst)) == LLVMVectorTypeKind && row->select != identity &&
	    strncmp(row->name, "nvvm.ld", 7))
		return false;
	row->select(sel, row->arg);
	return true;
}
