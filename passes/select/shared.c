/*
 * Static layout of shared memory. A variable belongs to every kernel that reaches a function which
 * names it; calls through pointers reach every function whose address is taken. Each variable goes
 * behind the ends of all its kernels' areas, in module order. Cost: uses of the module's functions
 * and shared variables, times kernels for the marks.
 */
#include "lib/bits.h"
#include "passes/select/globals.h"

struct hd_reach {
	struct hd_globals *globals;
	struct hd_arena arena;
	uint32_t functions;
	HD_VEC(uint64_t) calls;	      /* caller << 32 | callee, by object function index */
	HD_VEC(uint32_t) taken;	      /* functions whose address is taken */
	struct hd_bitset is_indirect; /* functions with a call through a pointer */
	uint32_t *start;	      /* calls by caller, sorted */
};

static uint32_t function_index(struct hd_reach *reach, LLVMValueRef function)
{
	const struct hd_map_entry *entry = hd_map_get(&reach->globals->map, function);
	if (!entry || !reach->globals->symbols.data[entry->start].defined)
		return UINT32_MAX;
	return reach->globals->symbols.data[entry->start].function;
}

/* Calls `found` with each function that uses the value, through constants too; `everywhere` for uses in data. */
static void users(struct hd_reach *reach, LLVMValueRef value, void (*found)(void *context, LLVMValueRef user),
		  void *context, bool *everywhere)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use);
		if (LLVMIsAInstruction(user))
			found(context, user);
		else if (LLVMIsAGlobalVariable(user) && !strncmp(LLVMGetValueName(user), "llvm.", 5))
			continue;
		else if (LLVMIsAGlobalVariable(user))
			*everywhere = true;
		else
			users(reach, user, found, context, everywhere);
	}
}

struct hd_use_context {
	struct hd_reach *reach;
	LLVMValueRef value;
	uint32_t index;
	bool taken;
	struct hd_bitset *set;
};

static uint32_t containing(struct hd_reach *reach, LLVMValueRef inst)
{
	return function_index(reach, LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)));
}

static void note_call(void *data, LLVMValueRef user)
{
	struct hd_use_context *context = data;
	uint32_t caller = containing(context->reach, user);
	if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == context->value) {
		bool passed = false;
		for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
			passed = passed || LLVMGetArgOperand(user, i) == context->value;
		hd_vec_push(&context->reach->calls, (uint64_t)caller << 32 | context->index);
		context->taken = context->taken || passed;
	} else {
		context->taken = true;
	}
}

static void note_user(void *data, LLVMValueRef user)
{
	struct hd_use_context *context = data;
	uint32_t function = containing(context->reach, user);
	if (function != UINT32_MAX)
		hd_bitset_add(context->set, function);
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static bool calls_through_pointer(LLVMValueRef function)
{
	for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(function); bb; bb = LLVMGetNextBasicBlock(bb))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(bb); inst; inst = LLVMGetNextInstruction(inst))
			if (LLVMIsACallInst(inst)) {
				LLVMValueRef callee = LLVMGetCalledValue(inst);
				if (!LLVMIsAFunction(callee) && !LLVMIsAInlineAsm(callee))
					return true;
			}
	return false;
}

static void find_calls(struct hd_reach *reach)
{
	LLVMModuleRef module = reach->globals->unit->module;
	for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
		struct hd_use_context context = {.reach = reach, .value = f, .index = function_index(reach, f)};
		bool in_data = false;
		if (context.index == UINT32_MAX)
			continue;
		users(reach, f, note_call, &context, &in_data);
		if (context.taken || in_data)
			hd_vec_push(&reach->taken, context.index);
	}
	reach->is_indirect = hd_bitset_new(&reach->arena, reach->functions + 1);
	for (LLVMValueRef f = LLVMGetFirstFunction(module); reach->taken.len && f; f = LLVMGetNextFunction(f)) {
		uint32_t index = function_index(reach, f);
		if (index != UINT32_MAX && calls_through_pointer(f))
			hd_bitset_add(&reach->is_indirect, index);
	}
	if (reach->calls.len)
		qsort(reach->calls.data, reach->calls.len, sizeof(uint64_t), by_number);
	reach->start = HD_ARENA_NEW(&reach->arena, uint32_t, reach->functions + 2);
	for (uint32_t i = 0, f = 0; f <= reach->functions; f++) {
		while (i < reach->calls.len && reach->calls.data[i] >> 32 < f)
			i++;
		reach->start[f] = i;
	}
}

static struct hd_bitset reachable(struct hd_reach *reach, uint32_t kernel)
{
	struct hd_bitset seen = hd_bitset_new(&reach->arena, reach->functions + 1);
	HD_VEC(uint32_t) stack = {0};
	hd_bitset_add(&seen, kernel);
	hd_vec_push(&stack, kernel);
	while (stack.len) {
		uint32_t f = hd_vec_pop(&stack);
		bool indirect = hd_bitset_has(&reach->is_indirect, f);
		uint32_t direct = reach->start[f + 1] - reach->start[f],
			 all = direct + (indirect ? reach->taken.len : 0);
		for (uint32_t i = 0; i < all; i++) {
			uint32_t to = i < direct ? (uint32_t)reach->calls.data[reach->start[f] + i]
						 : reach->taken.data[i - direct];
			if (!hd_bitset_has(&seen, to)) {
				hd_bitset_add(&seen, to);
				hd_vec_push(&stack, to);
			}
		}
	}
	hd_vec_release(&stack);
	return seen;
}

static bool intersects(const struct hd_bitset *a, const struct hd_bitset *b)
{
	for (uint32_t i = 0; i < hd_bitset_words(a->bits); i++)
		if (a->words[i] & b->words[i])
			return true;
	return false;
}

/* Dynamic shared memory is as aligned as anything may ask for. */
#define DYNAMIC_ALIGN 16

static void place(struct hd_reach *reach, LLVMValueRef variable, struct hd_symbol *symbol,
		  const struct hd_bitset *reached)
{
	struct hd_function *functions = reach->globals->unit->object.functions;
	struct hd_bitset named = hd_bitset_new(&reach->arena, reach->functions + 1);
	struct hd_use_context context = {.reach = reach, .value = variable, .set = &named};
	bool everywhere = false;
	uint64_t align = symbol->align ? symbol->align : 1, at = 0;
	if (!symbol->defined && align < DYNAMIC_ALIGN)
		align = DYNAMIC_ALIGN;
	users(reach, variable, note_user, &context, &everywhere);
	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t k = 0; k < reach->functions; k++) {
			if (!functions[k].kernel || !(everywhere || intersects(&named, &reached[k])))
				continue;
			if (pass == 0 && functions[k].shared_bytes > at)
				at = functions[k].shared_bytes;
			else if (pass == 1)
				functions[k].shared_bytes =
					(uint32_t)(symbol->defined ? at + symbol->size
								   : hd_align_up(functions[k].shared_bytes, align));
		}
		if (pass == 0)
			at = hd_align_up(at, align);
	}
	symbol->section_offset = symbol->defined ? (uint32_t)at : 0;
}

void hd_layout_shared(struct hd_globals *globals)
{
	struct hd_reach reach = {.globals = globals, .functions = globals->unit->object.function_count};
	struct hd_function *functions = globals->unit->object.functions;
	bool any = false;
	for (uint32_t i = 0; i < globals->symbols.len; i++)
		any = any || (globals->symbols.data[i].kind == HD_SYM_VARIABLE &&
			      globals->symbols.data[i].space == HD_SPACE_SHARED);
	if (!any)
		return;
	hd_arena_init(&reach.arena);
	find_calls(&reach);
	struct hd_bitset *reached = HD_ARENA_NEW(&reach.arena, struct hd_bitset, reach.functions + 1);
	for (uint32_t k = 0; k < reach.functions; k++)
		if (functions[k].kernel)
			reached[k] = reachable(&reach, k);
	/* Static variables first: dynamic shared memory begins behind them. */
	for (unsigned defined = 2; defined-- > 0;)
		for (LLVMValueRef g = LLVMGetFirstGlobal(globals->unit->module); g; g = LLVMGetNextGlobal(g)) {
			const struct hd_map_entry *entry = hd_map_get(&globals->map, g);
			struct hd_symbol *symbol = entry ? &globals->symbols.data[entry->start] : NULL;
			if (symbol && symbol->space == HD_SPACE_SHARED && symbol->defined == defined)
				place(&reach, g, symbol, reached);
		}
	hd_vec_release(&reach.calls);
	hd_vec_release(&reach.taken);
	hd_arena_release(&reach.arena);
}
