/*
 * Selection: arguments, calls and returns, by the ABI table. Values travel as their leaves, in
 * order, by-value aggregates as the words of their memory (byval.h); what does not fit registers
 * lies in the argument area at the caller's R1 + 0, results that do not fit behind it.
 */
#include "heddle/opcodes.h"
#include "lib/bits.h"
#include "passes/ir/byval.h"
#include "passes/select/select.h"

/* ------------------------------------------------------------------ signatures */

static void add_passed(struct hd_select *sel, struct hd_abi_cursor *cursor, LLVMTypeRef type, uint32_t param,
		       struct hd_passed *list, uint32_t *count)
{
	const hd_leaf_types *types = hd_sel_types(sel, type);
	for (uint32_t i = 0; i < types->len; i++) {
		struct hd_passed *passed = &list[(*count)++];
		uint8_t words = hd_passed_words(types->data[i].type);
		if (hd_sel_words(sel, types->data[i].type) < 0)
			words = 1;
		*passed = (struct hd_passed){.type = types->data[i].type, .param = param, .leaf = i, .words = words};
		hd_abi_take(cursor, words, &passed->place);
	}
}

/* The parts of an aggregate in registers, from `reg` on. */
static void add_parts(struct hd_select *sel, const struct hd_byval *byval, uint32_t param, uint8_t reg,
		      struct hd_signature *sig)
{
	struct hd_byval_part parts[HD_BYVAL_MOST_PARTS];
	uint32_t count = hd_byval_parts(sel->layout, byval, parts);
	for (uint32_t i = 0; i < count; i++) {
		uint8_t words = parts[i].words;
		struct hd_abi_place place = {(uint8_t)(reg + parts[i].offset / 4), words, 0, 4u * words};
		sig->args[sig->arg_count++] =
			(struct hd_passed){.param = param, .leaf = i, .words = words, .place = place};
	}
}

/* `holder` has the by-value attributes: the call, or the function itself. */
static struct hd_signature *signature_of(struct hd_select *sel, LLVMTypeRef type, LLVMValueRef holder)
{
	struct hd_arena *arena = sel->func->arena;
	struct hd_signature *sig = hd_arena_alloc(arena, sizeof(*sig));
	unsigned params = LLVMCountParamTypes(type);
	LLVMTypeRef *types = hd_arena_alloc(arena, (params + 1) * sizeof(LLVMTypeRef)),
		    result = LLVMGetReturnType(type);
	struct hd_byval *byval = HD_ARENA_NEW(arena, struct hd_byval, params + 1);
	struct hd_abi_cursor cursor = hd_abi_begin(sel->func->abi, false);
	uint32_t capacity = sel->func->abi->arg_count;
	LLVMGetParamTypes(type, types);
	sig->byval_offset = HD_ARENA_NEW(arena, uint32_t, params + 1);
	for (unsigned i = 0; i < params; i++)
		capacity += hd_sel_leaf_count(sel, types[i]);
	sig->args = HD_ARENA_NEW(arena, struct hd_passed, capacity + 1);
	for (unsigned i = 0; i < params; i++) {
		byval[i] = hd_byval_of(sel->layout, holder, i);
		if (!byval[i].type) {
			add_passed(sel, &cursor, types[i], i, sig->args, &sig->arg_count);
			continue;
		}
		uint8_t reg = hd_abi_take_aggregate(&cursor, byval[i].bytes, byval[i].align);
		if (!reg)
			continue;
		add_parts(sel, &byval[i], i, reg, sig);
		byval[i].type = NULL; /* nothing of it on the stack */
	}
	sig->bytes = cursor.stack;
	for (unsigned i = 0; i < params; i++) {
		sig->byval_offset[i] = UINT32_MAX;
		if (!byval[i].type)
			continue;
		/* Whole words, so that a caller may store them. */
		sig->byval_offset[i] = (uint32_t)hd_align_up(sig->bytes, byval[i].align > 4 ? byval[i].align : 4);
		sig->bytes = sig->byval_offset[i] + (uint32_t)hd_align_up((uint32_t)byval[i].bytes, 4);
	}
	sig->results = HD_ARENA_NEW(arena, struct hd_passed, hd_sel_leaf_count(sel, result) + 1);
	cursor = hd_abi_begin(sel->func->abi, true);
	add_passed(sel, &cursor, result, 0, sig->results, &sig->result_count);
	if (cursor.stack) {
		sig->bytes = (uint32_t)hd_align_up(sig->bytes, 16);
		for (uint32_t i = 0; i < sig->result_count; i++)
			sig->results[i].place.offset += sig->bytes;
		sig->bytes += cursor.stack;
	}
	return sig;
}

/* ------------------------------------------------------------------ moving values */

static struct hd_address stack_slot(struct hd_select *sel, bool incoming, uint32_t offset)
{
	return (struct hd_address){.space = HD_AS_LOCAL,
				   .base = {incoming ? hd_mfunc_frame_base(sel->func) : sel->func->abi->stack_pointer,
					    0, 1},
				   .ref_kind = incoming ? HD_MREF_INCOMING : HD_MREF_NONE,
				   .offset = (int32_t)offset};
}

static struct hd_mreg physical(const struct hd_abi_place *place)
{
	return (struct hd_mreg){place->reg, 0, place->words};
}

static void push_copy(struct hd_select *sel, struct hd_mreg dst, struct hd_mreg src)
{
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_COPY, 0);
	inst->dst = dst;
	inst->b = src;
	if (src.id == HD_RZ)
		inst->b.words = dst.words;
}

/* The value in the form in which it is passed. */
static struct hd_mreg passed_reg(struct hd_select *sel, const struct hd_passed *passed, struct hd_leaf leaf)
{
	if (leaf.words == 1 && passed->words == 2)
		return hd_sel_pair(sel, hd_sel_word(sel, &leaf, 0), hd_rz());
	return hd_sel_reg(sel, leaf);
}

static struct hd_leaf received_leaf(struct hd_select *sel, const struct hd_passed *passed, struct hd_mreg reg)
{
	int words = passed->type ? hd_sel_words(sel, passed->type) : passed->words;
	if (words == 0)
		return hd_sel_word_bool(sel, hd_reg(reg));
	return hd_leaf_reg(hd_sub(reg, 0, (unsigned)(words < 0 ? 1 : words)));
}

/* Registers of the values, in fresh virtual registers copied from their places. */
static struct hd_mreg *receive(struct hd_select *sel, const struct hd_passed *list, uint32_t count, bool incoming)
{
	struct hd_mreg *regs = HD_ARENA_NEW(sel->func->arena, struct hd_mreg, count + 1);
	for (uint32_t i = 0; i < count; i++) {
		if (!list[i].place.words)
			continue;
		regs[i] = hd_mfunc_vreg(sel->func, list[i].words);
		push_copy(sel, regs[i], physical(&list[i].place));
	}
	for (uint32_t i = 0; i < count; i++)
		if (!list[i].place.words)
			regs[i] = hd_sel_load_at(sel, stack_slot(sel, incoming, 0), list[i].place.offset,
						 list[i].place.bytes, false, 0);
	return regs;
}

/* Stores what goes on the stack, then copies the rest into place: nothing comes between these copies and their reader.
 */
static uint32_t send(struct hd_select *sel, const struct hd_passed *list, const struct hd_mreg *regs, uint32_t count,
		     bool incoming, struct hd_mreg *used)
{
	uint32_t in_registers = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!list[i].place.words)
			hd_sel_store_at(sel, stack_slot(sel, incoming, 0), list[i].place.offset, list[i].place.bytes,
					regs[i], 0);
	for (uint32_t i = 0; i < count; i++)
		if (list[i].place.words) {
			used[in_registers] = physical(&list[i].place);
			push_copy(sel, used[in_registers++], regs[i]);
		}
	return in_registers;
}

/* ------------------------------------------------------------------ arguments */

static void kernel_argument(struct hd_select *sel, LLVMValueRef param, LLVMTypeRef byval, uint32_t offset)
{
	LLVMTypeRef type = LLVMTypeOf(param);
	struct hd_leaf leaf = hd_leaf_imm(HD_CB_PARAMS + offset, 1);
	if (!byval) {
		hd_sel_load_value(sel, param, type, leaf, HD_AS_PARAM, LLVMABIAlignmentOfType(sel->layout, type), 0);
		return;
	}
	/* hd_legalize left only casts to the parameter space. */
	for (LLVMUseRef use = LLVMGetFirstUse(param); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (!LLVMIsAAddrSpaceCastInst(user) || LLVMGetPointerAddressSpace(LLVMTypeOf(user)) != HD_AS_PARAM) {
			sel->inst = LLVMIsAInstruction(user) ? user : NULL;
			hd_sel_unsupported(sel, "use of a by-value parameter's address");
			return;
		}
	}
	hd_sel_define(sel, param, &leaf, 1);
}

void hd_sel_arguments(struct hd_select *sel)
{
	unsigned params = LLVMCountParams(sel->function);
	uint32_t at = 0;
	sel->signature = NULL;
	if (sel->func->kernel) {
		uint32_t *offsets = HD_ARENA_NEW(sel->func->arena, uint32_t, params + 1);
		sel->func->param_bytes = hd_kernel_params(sel->function, offsets);
		if (sel->func->param_bytes > HD_CB_BYTES - HD_CB_PARAMS)
			hd_sel_unsupported(sel, "kernel parameters of %u bytes", sel->func->param_bytes);
		for (unsigned i = 0; i < params && !sel->failed; i++)
			kernel_argument(sel, LLVMGetParam(sel->function, i), hd_byval_type(sel->function, i),
					offsets[i]);
		return;
	}
	sel->signature = signature_of(sel, LLVMGlobalGetValueType(sel->function), sel->function);
	struct hd_mreg *regs = receive(sel, sel->signature->args, sel->signature->arg_count, true);
	struct hd_leaf *leaves = HD_ARENA_NEW(sel->func->arena, struct hd_leaf, sel->signature->arg_count + 1);
	for (uint32_t i = 0; i < sel->signature->arg_count; i++)
		leaves[i] = received_leaf(sel, &sel->signature->args[i], regs[i]);
	sel->received = leaves;
	for (unsigned i = 0; i < params; i++) {
		struct hd_leaf address = {.kind = HD_LEAF_INCOMING, .words = 2};
		uint32_t count = 0;
		while (at + count < sel->signature->arg_count && sel->signature->args[at + count].param == i)
			count++;
		if (sel->signature->byval_offset[i] != UINT32_MAX) {
			address.imm[0] = sel->signature->byval_offset[i];
			hd_sel_define(sel, LLVMGetParam(sel->function, i), &address, 1);
		} else if (hd_byval_type(sel->function, i)) {
			address.kind = HD_LEAF_PARTS;
			address.id = at;
			hd_sel_define(sel, LLVMGetParam(sel->function, i), &address, 1);
		} else {
			hd_sel_define(sel, LLVMGetParam(sel->function, i), leaves + at, count);
		}
		at += count;
	}
}

/* Word `word` of the aggregate whose first part is argument `first`. Beyond its end: zero, as all that is undefined. */
static struct hd_opnd received_word(struct hd_select *sel, uint32_t first, uint64_t word)
{
	const struct hd_passed *args = sel->signature->args;
	for (uint32_t i = first; i < sel->signature->arg_count && args[i].param == args[first].param; i++) {
		uint64_t at = (uint64_t)(args[i].place.reg - args[first].place.reg);
		struct hd_leaf leaf = sel->received[i];
		if (word >= at && word < at + args[i].words)
			return hd_sel_word(sel, &leaf, (unsigned)(word - at));
	}
	return hd_rz();
}

/* `bits` from byte `at` on, which lie as they do in memory: LLVM's passes divide loads of parts where stores of them
 * are read in pieces. */
static struct hd_leaf received_bits(struct hd_select *sel, uint32_t first, uint64_t at, unsigned bits)
{
	unsigned shift = (unsigned)(at % 4) * 8, count = (bits + 31) / 32;
	struct hd_opnd words[4] = {hd_rz(), hd_rz(), hd_rz(), hd_rz()};
	for (unsigned k = 0; k < count; k++) {
		words[k] = received_word(sel, first, at / 4 + k);
		if (shift && shift + bits - 32 * k > 32) /* the next word has the rest */
			words[k] = hd_reg(hd_sel_alu(sel, HD_OP_SHF_R, HD_MOD(WRAP, 1), words[k], hd_imm(shift),
						     received_word(sel, first, at / 4 + k + 1)));
		else if (shift)
			words[k] = hd_reg(hd_sel_alu(sel, HD_OP_SHR, 0, words[k], hd_imm(shift), hd_none()));
	}
	if (bits == 1)
		return hd_sel_word_bool(sel, words[0]);
	return hd_leaf_reg(hd_sel_join(sel, words, count == 3 ? 4 : count));
}

void hd_sel_load_part(struct hd_select *sel, const struct hd_leaf *pointer)
{
	const hd_leaf_types *types = hd_sel_types(sel, LLVMTypeOf(sel->inst));
	struct hd_leaf *leaves = HD_ARENA_NEW(sel->func->arena, struct hd_leaf, types->len + 1);
	for (uint32_t i = 0; i < types->len; i++) {
		if (hd_sel_words(sel, types->data[i].type) < 0)
			return;
		leaves[i] = received_bits(sel, pointer->id, pointer->imm[0] + types->data[i].offset,
					  hd_scalar_bits(types->data[i].type));
	}
	hd_sel_define(sel, sel->inst, leaves, types->len);
}

/* ------------------------------------------------------------------ calls */

static bool syscall_of(LLVMValueRef callee, uint32_t *number)
{
	if (!callee || !LLVMIsDeclaration(callee))
		return false;
	for (uint32_t i = 0; i < HD_SYS_COUNT; i++)
		if (!strcmp(hd_syscall_name((enum hd_syscall)i), LLVMGetValueName(callee))) {
			*number = i;
			return true;
		}
	return false;
}

/* A part of a by-value argument, as the caller made it. */
static struct hd_leaf part_leaf(struct hd_select *sel, uint32_t param, uint32_t part)
{
	LLVMOperandBundleRef bundle = hd_byval_bundle(sel->inst, param);
	LLVMValueRef value;
	if (!bundle) {
		hd_sel_unsupported(sel, "by-value argument that legalize did not split");
		return hd_leaf_imm(0, 2);
	}
	value = LLVMGetOperandBundleArgAtIndex(bundle, part + 1);
	LLVMDisposeOperandBundle(bundle);
	return hd_sel_leaf(sel, value, 0);
}

static struct hd_mreg *argument_registers(struct hd_select *sel, const struct hd_signature *sig)
{
	struct hd_mreg *regs = HD_ARENA_NEW(sel->func->arena, struct hd_mreg, sig->arg_count + 1);
	for (uint32_t i = 0; i < sig->arg_count; i++) {
		const struct hd_passed *passed = &sig->args[i];
		struct hd_leaf leaf =
			passed->type ? hd_sel_leaf(sel, LLVMGetArgOperand(sel->inst, passed->param), passed->leaf)
				     : part_leaf(sel, passed->param, passed->leaf);
		regs[i] = passed_reg(sel, passed, leaf);
	}
	return regs;
}

/* The parts of an argument to its place on the stack, whose alignment is known: by the widest stores. */
static void store_parts(struct hd_select *sel, uint32_t param, const struct hd_byval *byval, uint32_t offset)
{
	struct hd_byval_part parts[HD_BYVAL_MOST_PARTS];
	uint32_t count = hd_byval_parts(sel->layout, byval, parts), total = 0;
	struct hd_opnd words[HD_BYVAL_MOST_PARTS + 1];
	for (uint32_t i = 0; i < count; i++) {
		struct hd_leaf leaf = part_leaf(sel, param, i);
		for (unsigned k = 0; k < parts[i].words; k++)
			words[total++] = hd_sel_word(sel, &leaf, k);
	}
	for (uint32_t at = 0; at < total;) {
		uint32_t byte = offset + 4 * at, width = byte % 16 == 0 ? 4 : byte % 8 == 0 ? 2 : 1;
		while (at + width > total)
			width /= 2;
		hd_sel_store_at(sel, stack_slot(sel, false, 0), byte, 4 * width, hd_sel_join(sel, words + at, width),
				0);
		at += width;
	}
}

static void copy_aggregates(struct hd_select *sel, const struct hd_signature *sig)
{
	for (unsigned i = 0, n = LLVMCountParamTypes(LLVMGetCalledFunctionType(sel->inst)); i < n; i++) {
		if (sig->byval_offset[i] == UINT32_MAX)
			continue;
		struct hd_byval byval = hd_byval_of(sel->layout, sel->inst, i);
		LLVMOperandBundleRef bundle = hd_byval_bundle(sel->inst, i);
		if (bundle) {
			LLVMDisposeOperandBundle(bundle);
			store_parts(sel, i, &byval, sig->byval_offset[i]);
			continue;
		}
		LLVMValueRef operand = LLVMGetArgOperand(sel->inst, i);
		hd_sel_copy_bytes(sel, stack_slot(sel, false, sig->byval_offset[i]),
				  hd_sel_address(sel, hd_sel_leaf(sel, operand, 0),
						 LLVMGetPointerAddressSpace(LLVMTypeOf(operand))),
				  byval.bytes, byval.align);
	}
}

/*
 * Variable arguments lie behind the fixed ones on the stack, each aligned as its type: what clang's va_arg reads.
 * Returns the bytes of the whole area.
 */
static uint32_t send_variable(struct hd_select *sel, const struct hd_signature *sig, unsigned fixed)
{
	uint32_t at = (uint32_t)hd_align_up(sig->bytes, 16);
	for (unsigned i = fixed, n = LLVMGetNumArgOperands(sel->inst); i < n; i++) {
		LLVMValueRef operand = LLVMGetArgOperand(sel->inst, i);
		LLVMTypeRef type = LLVMTypeOf(operand);
		struct hd_byval byval = hd_byval_of(sel->layout, sel->inst, i);
		uint32_t align = byval.type ? byval.align : LLVMABIAlignmentOfType(sel->layout, type);
		at = (uint32_t)hd_align_up(at, align);
		if (byval.type)
			hd_sel_copy_bytes(sel, stack_slot(sel, false, at),
					  hd_sel_address(sel, hd_sel_leaf(sel, operand, 0),
							 LLVMGetPointerAddressSpace(type)),
					  byval.bytes, align);
		else
			hd_sel_store_value(sel, operand, stack_slot(sel, false, at), align, 0);
		at += (uint32_t)(byval.type ? byval.bytes : LLVMABISizeOfType(sel->layout, type));
	}
	return at;
}

void hd_sel_va_start(struct hd_select *sel)
{
	LLVMTypeRef list = LLVMTypeOf(LLVMGetOperand(sel->inst, 0));
	struct hd_leaf first = {.kind = HD_LEAF_INCOMING, .words = 2};
	if (!sel->signature) {
		hd_sel_unsupported(sel, "va_start in a kernel");
		return;
	}
	first.imm[0] = (uint32_t)hd_align_up(sel->signature->bytes, 16);
	hd_sel_store_at(sel, hd_sel_address(sel, hd_sel_arg(sel, 0), LLVMGetPointerAddressSpace(list)), 0, 8,
			hd_sel_reg(sel, first), 0);
}

static struct hd_minst *push_call(struct hd_select *sel, LLVMValueRef callee, struct hd_mreg target, uint32_t symbol)
{
	struct hd_minst *inst;
	uint32_t service;
	if (syscall_of(callee, &service)) {
		inst = hd_sel_push(sel, HD_OP_SYSCALL, 0);
		inst->xkind = HD_X_OTHER;
		inst->x = service;
	} else if (callee) {
		inst = hd_sel_push(sel, HD_OP_CALL, 0);
		inst->xkind = HD_X_OTHER;
		inst->ref_kind = HD_MREF_CALL;
		inst->ref = symbol;
		inst->helper = hd_is_helper(callee);
	} else {
		inst = hd_sel_push(sel, HD_OP_CALLI, 0);
		inst->a = target;
	}
	return inst;
}

static void real_call(struct hd_select *sel, LLVMValueRef callee)
{
	LLVMTypeRef type = LLVMGetCalledFunctionType(sel->inst);
	struct hd_signature *sig = signature_of(sel, type, sel->inst);
	struct hd_mreg target = HD_MREG_NONE;
	const struct hd_map_entry *symbol = callee ? hd_map_get(&sel->unit->symbols, callee) : NULL;
	uint32_t results = 0;
	uint32_t service;
	if (callee && !symbol && !syscall_of(callee, &service)) {
		hd_sel_unsupported(sel, "call of '%s'", LLVMGetValueName(callee));
		return;
	}
	sel->func->has_calls = true;
	sel->func->calls_program |= !callee || !hd_is_helper(callee);
	uint32_t bytes;
	bytes = LLVMIsFunctionVarArg(type) ? send_variable(sel, sig, LLVMCountParamTypes(type)) : sig->bytes;
	if (bytes > sel->func->outgoing_bytes)
		sel->func->outgoing_bytes = bytes;
	struct hd_mreg *regs = argument_registers(sel, sig);
	if (!callee)
		target = hd_sel_reg(sel, hd_sel_leaf(sel, LLVMGetCalledValue(sel->inst), 0));
	copy_aggregates(sel, sig);
	struct hd_mreg *used = HD_ARENA_NEW(sel->func->arena, struct hd_mreg, sig->arg_count + sig->result_count + 1);
	uint32_t args;
	args = send(sel, sig->args, regs, sig->arg_count, false, used);
	for (uint32_t i = 0; i < sig->result_count; i++)
		if (sig->results[i].place.words)
			used[args + results++] = physical(&sig->results[i].place);
	struct hd_minst *inst = push_call(sel, callee, target, symbol ? symbol->start : 0);
	inst->extra = hd_mfunc_extras(sel->func, used, args + results);
	inst->extra_count = (uint16_t)(args + results);
	inst->extra_defs = (uint16_t)results;
	regs = receive(sel, sig->results, sig->result_count, false);
	struct hd_leaf *leaves = HD_ARENA_NEW(sel->func->arena, struct hd_leaf, sig->result_count + 1);
	for (uint32_t i = 0; i < sig->result_count; i++)
		leaves[i] = received_leaf(sel, &sig->results[i], regs[i]);
	hd_sel_define(sel, sel->inst, leaves, sig->result_count);
}

void hd_sel_call(struct hd_select *sel)
{
	LLVMValueRef callee = LLVMGetCalledValue(sel->inst);
	while (LLVMIsAGlobalAlias(callee))
		callee = LLVMAliasGetAliasee(callee);
	if (LLVMIsAInlineAsm(callee)) {
		hd_sel_inline_asm(sel, callee);
		return;
	}
	if (!LLVMIsAFunction(callee)) {
		real_call(sel, NULL);
		return;
	}
	/* By name: this LLVM need not know what a later one has written. */
	if (!strncmp(LLVMGetValueName(callee), "llvm.", 5)) {
		if (!hd_sel_intrinsic(sel, callee))
			hd_sel_unsupported(sel, "intrinsic %s", LLVMGetValueName(callee));
		return;
	}
	real_call(sel, callee);
}

/* ------------------------------------------------------------------ return */

/* `value`: what is returned; NULL: zeros, where nobody has said what. */
static void build_return(struct hd_select *sel, LLVMValueRef value)
{
	const struct hd_signature *sig = sel->signature;
	if (sel->func->kernel) {
		hd_sel_push(sel, HD_OP_EXIT, 0);
		return;
	}
	struct hd_mreg *regs = HD_ARENA_NEW(sel->func->arena, struct hd_mreg, sig->result_count + 1);
	struct hd_mreg *used = HD_ARENA_NEW(sel->func->arena, struct hd_mreg, sig->result_count + 1);
	for (uint32_t i = 0; i < sig->result_count; i++) {
		const struct hd_abi_place *place = &sig->results[i].place;
		uint32_t words = place->words ? place->reg + place->words - sel->func->abi->first_result : 0;
		if (words > sel->func->result_words)
			sel->func->result_words = words;
		regs[i] = passed_reg(sel, &sig->results[i],
				     value ? hd_sel_leaf(sel, value, sig->results[i].leaf)
					   : hd_leaf_imm(0, sig->results[i].words));
	}
	uint32_t count = send(sel, sig->results, regs, sig->result_count, true, used);
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_RET, 0);
	inst->extra = hd_mfunc_extras(sel->func, used, count);
	inst->extra_count = (uint16_t)count;
}

void hd_sel_ret(struct hd_select *sel)
{
	build_return(sel, LLVMGetNumOperands(sel->inst) ? LLVMGetOperand(sel->inst, 0) : NULL);
}

void hd_sel_ret_early(struct hd_select *sel)
{
	uint32_t next = hd_sel_begin_end(sel);
	build_return(sel, NULL);
	sel->block = next;
}
