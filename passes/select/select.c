/*
 * Selection: the driver. Visits each function's blocks in reverse post-order, hands every
 * instruction to its handler through a table by LLVM opcode, and fills in the PHIs once all
 * edges are known. Linear in the size of the function.
 */
#include "passes/select/select.h"
#include "heddle/opcodes.h"
#include "passes/legalize/legalize.h"

typedef void (*hd_handler)(struct hd_select *sel);

static const hd_handler handlers[] = {
	[LLVMRet] = hd_sel_ret,
	[LLVMBr] = hd_sel_br,
	[LLVMSwitch] = hd_sel_switch,
	[LLVMUnreachable] = hd_sel_unreachable,
	[LLVMFNeg] = hd_sel_fneg,
	[LLVMAdd] = hd_sel_add_sub,
	[LLVMSub] = hd_sel_add_sub,
	[LLVMMul] = hd_sel_mul,
	[LLVMFAdd] = hd_sel_fp_binary,
	[LLVMFSub] = hd_sel_fp_binary,
	[LLVMFMul] = hd_sel_fp_binary,
	[LLVMFDiv] = hd_sel_fp_binary,
	[LLVMShl] = hd_sel_shift,
	[LLVMLShr] = hd_sel_shift,
	[LLVMAShr] = hd_sel_shift,
	[LLVMAnd] = hd_sel_logic_op,
	[LLVMOr] = hd_sel_logic_op,
	[LLVMXor] = hd_sel_logic_op,
	[LLVMAlloca] = hd_sel_alloca,
	[LLVMLoad] = hd_sel_load,
	[LLVMStore] = hd_sel_store,
	[LLVMGetElementPtr] = hd_sel_gep,
	[LLVMTrunc] = hd_sel_trunc,
	[LLVMZExt] = hd_sel_zext,
	[LLVMSExt] = hd_sel_sext,
	[LLVMFPToUI] = hd_sel_fp_convert,
	[LLVMFPToSI] = hd_sel_fp_convert,
	[LLVMUIToFP] = hd_sel_fp_convert,
	[LLVMSIToFP] = hd_sel_fp_convert,
	[LLVMFPTrunc] = hd_sel_fp_convert,
	[LLVMFPExt] = hd_sel_fp_convert,
	[LLVMPtrToInt] = hd_sel_ptr_int,
	[LLVMIntToPtr] = hd_sel_ptr_int,
	[LLVMBitCast] = hd_sel_bitcast,
	[LLVMAddrSpaceCast] = hd_sel_addrspacecast,
	[LLVMICmp] = hd_sel_icmp,
	[LLVMFCmp] = hd_sel_fcmp,
	[LLVMCall] = hd_sel_call,
	[LLVMSelect] = hd_sel_choose,
	[LLVMExtractElement] = hd_sel_extract_element,
	[LLVMInsertElement] = hd_sel_insert_element,
	[LLVMShuffleVector] = hd_sel_shuffle,
	[LLVMExtractValue] = hd_sel_extract_value,
	[LLVMInsertValue] = hd_sel_insert_value,
	[LLVMFreeze] = hd_sel_freeze,
	[LLVMFence] = hd_sel_fence,
	[LLVMAtomicCmpXchg] = hd_sel_cmpxchg,
	[LLVMAtomicRMW] = hd_sel_atomicrmw,
};

static const char *opcode_name(LLVMOpcode op)
{
	switch (op) {
	case LLVMIndirectBr: return "indirectbr";
	case LLVMInvoke: return "invoke";
	case LLVMCallBr: return "callbr";
	case LLVMVAArg: return "va_arg";
	case LLVMLandingPad:
	case LLVMResume:
	case LLVMCleanupPad:
	case LLVMCatchPad:
	case LLVMCatchSwitch:
	case LLVMCleanupRet:
	case LLVMCatchRet: return "exception handling";
	case LLVMUDiv:
	case LLVMSDiv:
	case LLVMURem:
	case LLVMSRem: return "integer division of this type";
	case LLVMFRem: return "frem of this type";
	default: return "instruction";
	}
}

/* Position of the instruction in its source function, as hd_legalize noted it. */
static uint32_t ordinal_of(struct hd_select *sel, LLVMValueRef inst)
{
	LLVMValueRef node = LLVMGetMetadata(inst, sel->md_ordinal);
	if (!node || LLVMGetMDNodeNumOperands(node) != 1)
		return UINT32_MAX;
	LLVMValueRef number;
	LLVMGetMDNodeOperands(node, &number);
	return number && LLVMIsAConstantInt(number) ? (uint32_t)LLVMConstIntGetZExtValue(number) : UINT32_MAX;
}

/* ------------------------------------------------------------------ blocks */

static uint32_t machine_block(struct hd_select *sel, uint32_t origin)
{
	uint32_t id = hd_mfunc_block(sel->func);
	hd_vec_push(&sel->origin, origin);
	return id;
}

uint32_t hd_sel_new_block(struct hd_select *sel)
{
	return machine_block(sel, sel->origin.data[sel->block]);
}

uint32_t hd_sel_block_of(struct hd_select *sel, LLVMBasicBlockRef bb)
{
	const struct hd_map_entry *entry = hd_map_get(&sel->values, bb);
	return sel->blocks.data[entry->start].machine;
}

static void push_branch(struct hd_select *sel, struct hd_popnd guard, uint32_t target)
{
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_BRA, 0);
	inst->guard = guard.id;
	inst->guard_not = guard.inverted;
	inst->xkind = HD_X_OTHER;
	inst->ref_kind = HD_MREF_BLOCK;
	inst->ref = target;
	hd_mfunc_edge(sel->func, sel->block, target);
}

void hd_sel_branch(struct hd_select *sel, uint32_t target)
{
	push_branch(sel, (struct hd_popnd){HD_MREG_PT, false}, target);
}

void hd_sel_branch_if(struct hd_select *sel, struct hd_popnd guard, uint32_t target, uint32_t otherwise)
{
	if (guard.id == HD_MREG_PT || target == otherwise) {
		hd_sel_branch(sel, guard.inverted ? otherwise : target);
		return;
	}
	push_branch(sel, guard, target);
	hd_sel_branch(sel, otherwise);
}

uint32_t hd_sel_phi(struct hd_select *sel, uint32_t block, struct hd_mreg dst, uint32_t pdst)
{
	uint32_t current = sel->block, index = sel->func->blocks.data[block].insts.len;
	sel->block = block;
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_PHI, 0);
	sel->block = current;
	inst->dst = dst;
	inst->pdst = pdst;
	return index;
}

void hd_sel_set_phi(struct hd_select *sel, uint32_t block, uint32_t phi, const struct hd_mreg *regs, uint32_t count)
{
	struct hd_minst *inst = &sel->func->blocks.data[block].insts.data[phi];
	inst->extra = hd_mfunc_extras(sel->func, regs, count);
	inst->extra_count = (uint16_t)count;
}

uint32_t hd_sel_begin_end(struct hd_select *sel)
{
	struct hd_popnd always = {hd_sel_isetp(sel, HD_CMP_EQ, false, hd_rz(), hd_rz()), false};
	uint32_t end = hd_sel_new_block(sel), next = hd_sel_new_block(sel);
	hd_sel_branch_if(sel, always, end, next);
	sel->block = end;
	return next;
}

void hd_sel_end_thread(struct hd_select *sel, unsigned op)
{
	uint32_t next = hd_sel_begin_end(sel);
	hd_sel_push(sel, op, 0);
	sel->block = next;
}

/* ------------------------------------------------------------------ PHIs */

/* One register, or predicate, for each leaf of a PHI. */
static void define_phi(struct hd_select *sel, LLVMValueRef phi)
{
	LLVMTypeRef type = LLVMTypeOf(phi);
	uint32_t count = hd_sel_leaf_count(sel, type);
	struct hd_leaf *leaves = hd_arena_alloc(sel->func->arena, (count + 1) * sizeof(*leaves));
	bool scalar = hd_is_scalar(type);
	for (uint32_t i = 0; i < count; i++) {
		int words = hd_sel_words(sel, scalar ? type : sel->types.data[i].type);
		if (words < 0)
			words = 1;
		if (words == 0) {
			leaves[i] = hd_leaf_pred(hd_mfunc_pred(sel->func), false);
			hd_sel_phi(sel, sel->block, HD_MREG_NONE, leaves[i].id);
		} else {
			leaves[i] = hd_leaf_reg(hd_mfunc_vreg(sel->func, (unsigned)words));
			hd_sel_phi(sel, sel->block, (struct hd_mreg){leaves[i].id, 0, (uint8_t)words}, HD_MREG_PT);
		}
	}
	hd_sel_define(sel, phi, leaves, count);
	hd_vec_push(&sel->phis, phi);
}

static bool is_branch(const struct hd_minst *inst)
{
	return inst->op == HD_OP_BRA || inst->op == HD_OP_BRX;
}

static struct hd_mreg undefined(struct hd_select *sel, unsigned words)
{
	struct hd_mreg reg = hd_mfunc_vreg(sel->func, words);
	hd_sel_push(sel, HD_OP_UNDEF, 0)->dst = reg;
	return reg;
}

/* The value of a leaf at the end of a block, before its branches; of `undef`, whatever suits its neighbours. */
static struct hd_mreg phi_operand(struct hd_select *sel, uint32_t pred, struct hd_leaf leaf, bool as_pred, bool undef)
{
	struct hd_mblock *block = &sel->func->blocks.data[pred];
	uint32_t body = block->insts.len;
	if (!as_pred && leaf.kind == HD_LEAF_REG && !leaf.imm[0])
		return (struct hd_mreg){leaf.id, leaf.sub, leaf.words};
	if (as_pred && leaf.kind == HD_LEAF_REG && !leaf.inverted)
		return (struct hd_mreg){leaf.id, 0, 1};
	while (body > 0 && is_branch(&block->insts.data[body - 1]))
		body--;
	uint32_t count = block->insts.len - body; /* at most a guarded branch and another */
	struct hd_minst branches[2];
	memcpy(branches, block->insts.data + body, count * sizeof(*branches));
	block->insts.len = body;
	sel->block = pred;
	sel->loc = 0;
	sel->ir = UINT32_MAX;
	struct hd_mreg reg;
	if (as_pred) {
		struct hd_popnd always = {HD_MREG_PT, false};
		reg = (struct hd_mreg){hd_sel_plop(sel, HD_BOOL_AND, hd_sel_pred(sel, leaf), always), 0, 1};
	} else {
		reg = undef ? undefined(sel, leaf.words) : hd_sel_reg(sel, leaf);
	}
	block = &sel->func->blocks.data[pred];
	for (uint32_t i = 0; i < count; i++)
		hd_vec_push(&block->insts, branches[i]);
	return reg;
}

static void fill_phi(struct hd_select *sel, LLVMValueRef phi, uint32_t block, uint32_t *index)
{
	struct hd_map_entry entry = *hd_map_get(&sel->values, phi);
	unsigned incoming = LLVMCountIncoming(phi);
	uint32_t preds = sel->func->blocks.data[block].preds.len;
	struct hd_mreg *regs = hd_arena_alloc(sel->func->arena, (preds + 1) * sizeof(*regs));
	LLVMValueRef *values = hd_arena_alloc(sel->func->arena, (preds + 1) * sizeof(LLVMValueRef));
	uint32_t *index_of = hd_arena_alloc(sel->func->arena, (preds + 1) * sizeof(*index_of));
	struct hd_map by_block = {0};
	for (unsigned i = 0; incoming > 8 && i < incoming; i++)
		hd_map_put(&by_block, LLVMGetIncomingBlock(phi, i), i, 1);
	for (uint32_t p = 0; p < preds; p++) {
		uint32_t from = sel->func->blocks.data[block].preds.data[p];
		LLVMBasicBlockRef bb = sel->blocks.data[sel->origin.data[from]].bb;
		for (unsigned i = 0; incoming <= 8 && i < incoming && !values[p]; i++)
			if (LLVMGetIncomingBlock(phi, i) == bb)
				values[p] = LLVMGetIncomingValue(phi, index_of[p] = i);
		if (incoming > 8)
			values[p] = LLVMGetIncomingValue(phi, index_of[p] = hd_map_get(&by_block, bb)->start);
	}
	hd_map_release(&by_block);
	for (uint32_t leaf = 0; leaf < entry.count; leaf++) {
		bool as_pred = sel->leaves.data[entry.start + leaf].words == 0;
		for (uint32_t p = 0; p < preds; p++) {
			hd_sel_linear_incoming(sel, phi, index_of[p]);
			regs[p] = phi_operand(sel, sel->func->blocks.data[block].preds.data[p],
					      hd_sel_leaf(sel, values[p], leaf), as_pred, LLVMIsUndef(values[p]));
		}
		hd_sel_set_phi(sel, block, (*index)++, regs, preds);
	}
}

static void fill_phis(struct hd_select *sel)
{
	LLVMBasicBlockRef last = NULL;
	uint32_t index = 0;
	for (uint32_t i = 0; i < sel->phis.len && !sel->failed; i++) {
		LLVMBasicBlockRef bb = LLVMGetInstructionParent(sel->phis.data[i]);
		if (bb != last)
			index = 0;
		last = bb;
		sel->inst = sel->phis.data[i];
		if (!sel->func->blocks.data[hd_sel_block_of(sel, bb)].preds.len)
			continue;
		fill_phi(sel, sel->phis.data[i], hd_sel_block_of(sel, bb), &index);
	}
}

/* ------------------------------------------------------------------ functions */

/* Reverse post-order with an explicit stack; unreachable blocks are left out. */
static void order_blocks(struct hd_select *sel)
{
	struct frame {
		LLVMBasicBlockRef bb;
		LLVMValueRef terminator;
		unsigned next;
	};
	HD_VEC(struct frame) stack = {0};
	HD_VEC(LLVMBasicBlockRef) post = {0};
	LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(sel->function);

	hd_map_put(&sel->values, entry, 0, 0);
	hd_vec_push(&stack, (struct frame){entry, LLVMGetBasicBlockTerminator(entry), 0});
	while (stack.len) {
		struct frame *top = &hd_vec_last(&stack);
		if (top->next < LLVMGetNumSuccessors(top->terminator)) {
			/* Last successor first: the order then follows the source more often. */
			unsigned n = LLVMGetNumSuccessors(top->terminator);
			LLVMBasicBlockRef to = LLVMGetSuccessor(top->terminator, n - 1 - top->next++);

			if (!hd_map_get(&sel->values, to)) {
				hd_map_put(&sel->values, to, 0, 0);
				hd_vec_push(&stack, (struct frame){to, LLVMGetBasicBlockTerminator(to), 0});
			}
			continue;
		}
		hd_vec_push(&post, top->bb);
		stack.len--;
	}
	for (uint32_t i = post.len; i-- > 0;) {
		uint32_t index = sel->blocks.len;
		hd_vec_push(&sel->blocks, (struct hd_select_block){post.data[i], machine_block(sel, index)});
		hd_map_put(&sel->values, post.data[i], index, 1);
	}
	hd_vec_release(&stack);
	hd_vec_release(&post);
}

static void select_block(struct hd_select *sel, const struct hd_select_block *block)
{
	sel->block = block->machine;
	for (LLVMValueRef inst = LLVMGetFirstInstruction(block->bb); inst; inst = LLVMGetNextInstruction(inst)) {
		LLVMOpcode op = LLVMGetInstructionOpcode(inst);
		sel->inst = inst;
		sel->loc = (uint32_t)hd_sel_loc(sel, inst);
		sel->ir = ordinal_of(sel, inst);
		sel->visit++;
		hd_vec_push(&sel->func->visited, inst);
		sel->sites = 0;
		if (sel->linear && op != LLVMPHI) {
			hd_sel_linear_header(sel, block->bb);
			hd_sel_linear_operands(sel, inst);
		}
		if (op == LLVMPHI) {
			define_phi(sel, inst);
		} else if ((size_t)op < sizeof handlers / sizeof handlers[0] && handlers[op]) {
			handlers[op](sel);
		} else {
			hd_sel_unsupported(sel, "%s", opcode_name(op));
		}
		if (sel->failed)
			return;
	}
}

/*
 * Branches on constants leave blocks without a predecessor: they are emptied, and no longer count as predecessors.
 */
static void prune_unreachable(struct hd_select *sel)
{
	struct hd_mfunc *func = sel->func;
	struct hd_bitset reached = hd_bitset_new(func->arena, func->blocks.len);
	HD_VEC(uint32_t) stack = {0};
	hd_bitset_add(&reached, 0);
	hd_vec_push(&stack, 0);
	while (stack.len) {
		struct hd_mblock *block = &func->blocks.data[hd_vec_pop(&stack)];
		for (uint32_t i = 0; i < block->succs.len; i++)
			if (!hd_bitset_has(&reached, block->succs.data[i])) {
				hd_bitset_add(&reached, block->succs.data[i]);
				hd_vec_push(&stack, block->succs.data[i]);
			}
	}
	hd_vec_release(&stack);
	for (uint32_t b = 0; b < func->blocks.len; b++) {
		struct hd_mblock *block = &func->blocks.data[b];
		uint32_t kept = 0;
		if (!hd_bitset_has(&reached, b)) {
			hd_vec_clear(&block->insts);
			hd_vec_clear(&block->succs);
			hd_vec_clear(&block->preds);
			hd_vec_push(&block->insts, hd_minst_make(HD_OP_TRAP, 0));
			continue;
		}
		for (uint32_t i = 0; i < block->preds.len; i++)
			if (hd_bitset_has(&reached, block->preds.data[i]))
				block->preds.data[kept++] = block->preds.data[i];
		block->preds.len = kept;
	}
}

static void reset(struct hd_select *sel)
{
	hd_map_clear(&sel->values);
	hd_map_clear(&sel->locs);
	hd_vec_clear(&sel->leaves);
	hd_vec_clear(&sel->blocks);
	hd_vec_clear(&sel->origin);
	hd_vec_clear(&sel->phis);
	hd_vec_clear(&sel->overrides);
	hd_vec_clear(&sel->handed_on);
	sel->visit = sel->sites = 0;
	sel->spills_in_shared = false;
	sel->last_loc_key = NULL;
	sel->inst = NULL;
	sel->loc = 0;
	sel->ir = UINT32_MAX;
}

static bool has_dynamic_stack(struct hd_select *sel)
{
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(sel->function); bb; bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst; inst = LLVMGetNextInstruction(inst))
			if (LLVMIsAAllocaInst(inst) && hd_sel_is_dynamic(sel, inst))
				return true;
	return false;
}

/* sel->func, empty so far. */
static void prepare(struct hd_select *sel, const char *name, bool kernel)
{
	struct hd_arena *arena = hd_arena_alloc(&sel->unit->arena, sizeof(*arena));
	hd_arena_init(arena);
	hd_mfunc_init(sel->func, arena, name);
	sel->func->abi = sel->unit->abi ? sel->unit->abi : &hd_abi_cars;
	sel->func->helper = sel->function && hd_is_helper(sel->function);
	sel->func->kernel = kernel;
	sel->func->without = sel->unit->options.without;
	if (!sel->func->locs.len)
		hd_vec_push(&sel->func->locs, HD_NOWHERE);
}

/* Into an empty `func`. */
static int select_function(struct hd_select *sel, LLVMValueRef function, uint32_t index, struct hd_mfunc *func)
{
	struct hd_function *out = &sel->unit->object.functions[index];
	reset(sel);
	sel->func = func;
	sel->function = function;
	prepare(sel, out->name, out->kernel);
	sel->func->function_index = index;
	sel->func->sm_threads = hd_sel_sm_threads(sel->function);
	sel->func->capability = hd_capability(function);
	sel->func->uniform = hd_sel_uniform_use(sel);
	sel->func->max_registers = hd_sel_register_limit(sel);
	sel->func->entry_registers = hd_sel_entry_registers(sel);
	sel->ftz = hd_legal_flushes(function);
	sel->func->dynamic_stack = has_dynamic_stack(sel);
	order_blocks(sel);
	sel->block = 0;
	hd_sel_arguments(sel);
	for (uint32_t i = 0; i < sel->blocks.len && !sel->failed; i++)
		select_block(sel, &sel->blocks.data[i]);
	if (!sel->failed) {
		prune_unreachable(sel);
		fill_phis(sel);
		hd_sel_linear_offsets(sel);
	}
	if (!sel->failed)
		hd_sel_frequencies(sel);
	hd_sel_spill_room(sel, out);
	return sel->failed ? -1 : 0;
}

static unsigned kind_id(struct hd_select *sel, const char *name)
{
	return LLVMGetMDKindIDInContext(sel->context, name, (unsigned)strlen(name));
}

static unsigned attribute_id(const char *name)
{
	return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static void release(struct hd_select *sel)
{
	hd_map_release(&sel->intrinsics);
	hd_vec_release(&sel->intrinsic_rows);
	hd_map_release(&sel->files);
	hd_map_release(&sel->values);
	hd_map_release(&sel->offsets_at);
	hd_map_release(&sel->locs);
	hd_vec_release(&sel->file_names);
	hd_vec_release(&sel->leaves);
	hd_vec_release(&sel->blocks);
	hd_vec_release(&sel->origin);
	hd_vec_release(&sel->phis);
	hd_vec_release(&sel->types);
	hd_vec_release(&sel->overrides);
	hd_vec_release(&sel->handed_on);
}

static struct hd_select begin(struct hd_unit *unit)
{
	struct hd_select sel = {.unit = unit, .diag = unit->diag};
	sel.layout = LLVMGetModuleDataLayout(unit->module);
	sel.context = LLVMGetModuleContext(unit->module);
	sel.md_ordinal = kind_id(&sel, "heddle.ord");
	sel.md_prof = kind_id(&sel, "prof");
	sel.md_invariant = kind_id(&sel, "invariant.load");
	sel.md_scaled = kind_id(&sel, HD_SCALED_DIVISION);
	sel.at_align = attribute_id("align");
	sel.at_noalias = attribute_id("noalias");
	sel.at_readonly = attribute_id("readonly");
	return sel;
}

int hd_select(struct hd_unit *unit)
{
	struct hd_select sel = begin(unit);
	uint32_t index = 0;
	int status = 0;
	hd_vec_reserve(&unit->functions, unit->object.function_count);
	for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f)) {
		if (LLVMIsDeclaration(f))
			continue;
		sel.failed = false;
		hd_vec_push(&unit->functions, (struct hd_mfunc){0});
		/* Go on after an error: the user sees all of them in one run. */
		if (select_function(&sel, f, index++, &hd_vec_last(&unit->functions)))
			status = -1;
	}
	release(&sel);
	return status;
}

int hd_select_linear(struct hd_unit *unit, LLVMValueRef function, uint32_t index, struct hd_select_linear *linear,
		     struct hd_mfunc *func)
{
	struct hd_select sel = begin(unit);
	hd_select_linear_begin(linear);
	sel.linear = linear;
	int status = select_function(&sel, function, index, func);
	release(&sel);
	return status;
}

int hd_select_straight(struct hd_unit *unit, LLVMValueRef kernel, void (*build)(struct hd_select *sel, void *context),
		       void *context, struct hd_mfunc *func)
{
	struct hd_select sel = begin(unit);
	reset(&sel);
	sel.func = func;
	sel.function = kernel;
	prepare(&sel, LLVMGetValueName(kernel), true);
	func->stream = true;
	func->max_registers = HD_LR_MAX_REGS;
	hd_mfunc_block(func);
	hd_vec_push(&sel.origin, 0);
	build(&sel, context);
	hd_sel_push(&sel, HD_OP_EXIT, 0);
	func->blocks.data[0].frequency = 1;
	int status = sel.failed ? -1 : 0;
	release(&sel);
	return status;
}
