/*
 * idempotence (gpu-multiprogramming-lin, 2.2.2, after Park et al.'s SM-flushing): a block may be dropped
 * and restarted when nothing that it did can change what it does the second time. Works on the machine
 * code, so that no access is missed; the IR behind an access, found through the instruction's origin, says
 * which object its pointer is made from. What breaks it:
 *
 *   store      a global store that may overwrite what some block of the kernel reads
 *   atomic     on global memory: it reads and overwrites; so does a reduction in bulk
 *   volatile   a global load that asks for what others write meanwhile
 *   call       code that is not here
 *   service    printf, malloc, free: seen from outside, or done twice
 *   clock      clocks and places (SM, warp slot): another run may take another path
 *
 * Shared and local memory start afresh with the block. Whether the load comes before the store is not
 * asked: other warps and other blocks run in between. Loads that the source promises to be of read-only
 * data (__ldg, invariant) cannot be overwritten. Copies of tensors get their addresses from a map, that is, from
 * memory; other copies in bulk from the only pointer or number of 64 bits that their assembly is given, else from
 * anywhere.
 *
 * Two pointers may be the same unless they are made from different global variables, or one from a
 * __restrict__ (noalias) parameter of the kernel and the other from another parameter or a variable; a
 * pointer of unknown making differs from nothing, but one that was loaded from memory differs from a noalias
 * parameter that is not captured. CUDA's promise of __restrict__ is taken for the whole grid, as nvcc takes it
 * for its read-only loads. Parameters of device functions are unknown.
 */
#include "passes/analysis/idempotence.h"
#include "heddle/opcodes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "lib/vec.h"
#include "passes/ir/ir.h"
#include "passes/pass.h"

enum {
	MOST_ROOTS = 64, /* distinct objects of a function; from here on unknown */
	MOST_STEPS = 64	 /* values looked at for one pointer; from here on unknown */
};

/* What a pointer is made from. */
struct root {
	LLVMValueRef value; /* NULL: unknown */
	bool loaded;	    /* unknown, from memory */
};

/* The first access of a function to what is made from `root`. */
struct access {
	struct root root;
	uint32_t function, inst;
	bool write;
};

struct accesses {
	HD_VEC(struct access) list;
};

/* A function by itself. */
struct own {
	struct accesses accesses;
	enum hd_idempotence_break why; /* the first instruction that breaks it alone */
	uint32_t inst;
};

struct context {
	const struct hd_object *object;
	const struct hd_callgraph *calls;
	const struct hd_idempotence_source *source;
	struct hd_arena *arena;
	struct own *own;
	/* of the function at hand */
	uint32_t function;
	bool kernel;
	HD_VEC(LLVMValueRef) insts;		      /* by ordinal */
	unsigned noalias, nocapture, captures, byval; /* 0: this LLVM has none of the name */
};

/* ---- IR by ordinal */

static uint32_t ordinal_of(LLVMValueRef inst, unsigned kind)
{
	LLVMValueRef node = LLVMHasMetadata(inst) ? LLVMGetMetadata(inst, kind) : NULL, number = NULL;
	if (!node || LLVMGetMDNodeNumOperands(node) != 1)
		return UINT32_MAX;
	LLVMGetMDNodeOperands(node, &number);
	return number && LLVMIsAConstantInt(number) ? (uint32_t)LLVMConstIntGetZExtValue(number) : UINT32_MAX;
}

/* Only these are looked for: an ordinal costs LLVM a search. */
static bool may_access(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
	case LLVMStore:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg:
	case LLVMCall: return true;
	default: return false;
	}
}

/* What a pass took apart shares an ordinal: then the function stands for it, which is no access. */
static void list_inst(struct context *context, LLVMValueRef function, LLVMValueRef inst, uint32_t ordinal)
{
	while (context->insts.len <= ordinal)
		hd_vec_push(&context->insts, NULL);
	context->insts.data[ordinal] = context->insts.data[ordinal] ? function : inst;
}

static void list_function(struct context *context, LLVMValueRef function)
{
	unsigned kind = LLVMGetMDKindIDInContext(LLVMGetModuleContext(LLVMGetGlobalParent(function)), "heddle.ord", 10);
	hd_vec_clear(&context->insts);
	for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
		for (LLVMValueRef inst = LLVMGetFirstInstruction(block); inst; inst = LLVMGetNextInstruction(inst)) {
			uint32_t ordinal = may_access(inst) ? ordinal_of(inst, kind) : UINT32_MAX;
			if (ordinal != UINT32_MAX)
				list_inst(context, function, inst, ordinal);
		}
}

/* ---- what a pointer is made from */

enum root_kind { ROOT_NONE /* not global memory */, ROOT_OBJECT, ROOT_LOADED, ROOT_UNKNOWN };

struct walk {
	const struct context *context;
	LLVMValueRef queue[MOST_STEPS];
	uint32_t len, done;
	HD_VEC(struct root) roots;
};

static LLVMAttributeRef attribute_of(LLVMValueRef argument, unsigned kind)
{
	LLVMValueRef function = LLVMGetParamParent(argument);
	for (uint32_t i = 0; i < LLVMCountParams(function); i++)
		if (LLVMGetParam(function, i) == argument)
			return LLVMGetEnumAttributeAtIndex(function, i + 1, kind);
	return NULL;
}

static bool has_attribute(LLVMValueRef argument, unsigned kind)
{
	return attribute_of(argument, kind) != NULL;
}

/* nocapture, which is captures(none) from LLVM 21 on. */
static bool is_never_kept(const struct context *context, LLVMValueRef argument)
{
	LLVMAttributeRef captures = context->captures ? attribute_of(argument, context->captures) : NULL;
	return captures ? !LLVMGetEnumAttributeValue(captures)
			: context->nocapture && has_attribute(argument, context->nocapture);
}

static bool is_private_space(LLVMValueRef pointer)
{
	LLVMTypeRef type = LLVMTypeOf(pointer);
	if (LLVMGetTypeKind(type) != LLVMPointerTypeKind)
		return false;
	unsigned space = LLVMGetPointerAddressSpace(type);
	return space == HD_AS_SHARED || space == HD_AS_LOCAL || space == HD_AS_PARAM || space == HD_AS_CONST;
}

static enum root_kind root_of(const struct context *context, LLVMValueRef value)
{
	if (is_private_space(value) || LLVMIsAAllocaInst(value))
		return ROOT_NONE;
	if (LLVMIsAGlobalVariable(value))
		return ROOT_OBJECT;
	if (LLVMIsALoadInst(value))
		return ROOT_LOADED;
	if (!LLVMIsAArgument(value) || !context->kernel)
		return ROOT_UNKNOWN;
	return has_attribute(value, context->byval) ? ROOT_NONE : ROOT_OBJECT;
}

static void follow(struct walk *walk, LLVMValueRef value)
{
	for (uint32_t i = 0; i < walk->len; i++)
		if (walk->queue[i] == value)
			return;
	if (walk->len < MOST_STEPS)
		walk->queue[walk->len++] = value;
	else
		hd_vec_push(&walk->roots, (struct root){0});
}

/* Goes one step back; false: `value` is where it ends. */
static bool step_back(struct walk *walk, LLVMValueRef value)
{
	LLVMOpcode op = LLVMIsAInstruction(value)    ? LLVMGetInstructionOpcode(value)
			: LLVMIsAConstantExpr(value) ? LLVMGetConstOpcode(value)
						     : LLVMUnreachable;
	switch (op) {
	case LLVMGetElementPtr:
	case LLVMBitCast:
	case LLVMAddrSpaceCast:
	case LLVMPtrToInt:
	case LLVMFreeze: follow(walk, LLVMGetOperand(value, 0)); return true;
	case LLVMSelect:
		follow(walk, LLVMGetOperand(value, 1));
		follow(walk, LLVMGetOperand(value, 2));
		return true;
	case LLVMPHI:
		for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
			follow(walk, LLVMGetIncomingValue(value, i));
		return true;
	default: return false;
	}
}

static void walk_back(struct walk *walk, LLVMValueRef pointer)
{
	follow(walk, pointer);
	while (walk->done < walk->len) {
		LLVMValueRef value = walk->queue[walk->done++];
		if (is_private_space(value) || step_back(walk, value))
			continue;
		enum root_kind kind = root_of(walk->context, value);
		if (kind != ROOT_NONE)
			hd_vec_push(&walk->roots,
				    (struct root){kind == ROOT_OBJECT ? value : NULL, kind == ROOT_LOADED});
	}
}

/* ---- accesses of one function */

static bool same_root(const struct root *a, const struct root *b)
{
	return a->value == b->value && a->loaded == b->loaded;
}

static void add_access(struct accesses *accesses, struct access access)
{
	uint32_t known = 0;
	for (uint32_t i = 0; i < accesses->list.len; i++) {
		const struct access *other = &accesses->list.data[i];
		if (same_root(&other->root, &access.root) && other->write == access.write)
			return;
		known += other->root.value != NULL;
	}
	if (access.root.value && known >= MOST_ROOTS) {
		access.root.value = NULL;
		add_access(accesses, access);
		return;
	}
	hd_vec_push(&accesses->list, access);
}

static LLVMValueRef pointer_of(LLVMValueRef inst)
{
	switch (inst && LLVMIsAInstruction(inst) ? LLVMGetInstructionOpcode(inst) : LLVMUnreachable) {
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg: return LLVMGetOperand(inst, 0);
	case LLVMStore: return LLVMGetOperand(inst, 1);
	default: return NULL;
	}
}

static bool is_wide(LLVMValueRef value)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	return LLVMGetTypeKind(type) == LLVMPointerTypeKind ||
	       (LLVMGetTypeKind(type) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64);
}

/* The global address of a copy in bulk: the only operand of its assembly that can be one; NULL: not known. */
static LLVMValueRef copied_of(LLVMValueRef inst)
{
	LLVMValueRef found = NULL;
	if (!inst || !LLVMIsACallInst(inst) || !LLVMIsAInlineAsm(LLVMGetCalledValue(inst)))
		return NULL;
	for (unsigned i = 0; i < LLVMGetNumArgOperands(inst); i++) {
		LLVMValueRef operand = LLVMGetArgOperand(inst, i);
		if (!is_wide(operand) || is_private_space(operand))
			continue;
		if (found)
			return NULL;
		found = operand;
	}
	return found;
}

static LLVMValueRef ir_of(const struct context *context, uint32_t inst)
{
	uint32_t ordinal = context->object->functions[context->function].origins[inst].ir;
	return ordinal < context->insts.len ? context->insts.data[ordinal] : NULL;
}

/* Roots in global memory of what is accessed through a pointer; none: other memory. */
static void find_roots(const struct context *context, LLVMValueRef pointer, struct walk *walk)
{
	walk->context = context;
	if (pointer)
		walk_back(walk, pointer);
	else
		hd_vec_push(&walk->roots, (struct root){0});
}

static bool is_global(const struct hd_inst *inst)
{
	unsigned space = hd_opinfo[inst->op].space;
	return space == HD_AT_GLOBAL || space == HD_AT_GENERIC;
}

static enum hd_idempotence_break break_of_access(const struct hd_inst *inst)
{
	unsigned fx = hd_opinfo[inst->op].effects;
	if (fx & HD_FX_ATOMIC)
		return HD_BREAK_ATOMIC;
	bool changing = hd_mod_get(inst->mods, HD_MOD_SEM) != HD_SEM_WEAK ||
			hd_mod_get(inst->mods, HD_MOD_CACHE) == HD_CACHE_CV;
	return fx & HD_FX_LOAD && changing ? HD_BREAK_VOLATILE : HD_BREAK_NONE;
}

static enum hd_idempotence_break add_memory(struct context *context, struct own *own, uint32_t index)
{
	const struct hd_inst *inst = &context->object->functions[context->function].insts[index];
	bool load = hd_opinfo[inst->op].effects & HD_FX_LOAD;
	if (inst->op == HD_OP_LDCX ||
	    (load && break_of_access(inst) == HD_BREAK_NONE && hd_mod_get(inst->mods, HD_MOD_CACHE) == HD_CACHE_CI))
		return HD_BREAK_NONE;
	struct walk walk = {0};
	find_roots(context, pointer_of(ir_of(context, index)), &walk);
	enum hd_idempotence_break why = walk.roots.len ? break_of_access(inst) : HD_BREAK_NONE;
	for (uint32_t i = 0; i < walk.roots.len && why == HD_BREAK_NONE; i++)
		add_access(&own->accesses, (struct access){walk.roots.data[i], context->function, index, !load});
	hd_vec_release(&walk.roots);
	return why;
}

static bool differs_from_run_to_run(const struct hd_inst *inst)
{
	if (inst->op != HD_OP_S2R && inst->op != HD_OP_CS2R)
		return false;
	switch (hd_mod_get(inst->mods, HD_MOD_SR)) {
	case HD_SR_CLOCK_LO:
	case HD_SR_CLOCK_HI:
	case HD_SR_CLOCK64:
	case HD_SR_GLOBALTIMER_LO:
	case HD_SR_GLOBALTIMER_HI:
	case HD_SR_GLOBALTIMER64:
	case HD_SR_SMID:
	case HD_SR_WARPID: return true;
	default: return false;
	}
}

/* What a copy in bulk does to global memory. */
enum reach { REACHES_NOTHING, READS_GLOBAL, WRITES_GLOBAL, ADDS_TO_GLOBAL };

static enum reach reach_of(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_UTMALDG: return READS_GLOBAL;
	case HD_OP_UTMASTG: return WRITES_GLOBAL;
	case HD_OP_UTMAREDG: return ADDS_TO_GLOBAL;
	case HD_OP_UBLKCP:
	case HD_OP_UBLKRED: break;
	default: return REACHES_NOTHING;
	}
	switch (hd_mod_get(inst->mods, HD_MOD_BULK)) {
	case HD_BULK_G2S: return READS_GLOBAL;
	case HD_BULK_S2G: return inst->op == HD_OP_UBLKRED ? ADDS_TO_GLOBAL : WRITES_GLOBAL;
	default: return REACHES_NOTHING;
	}
}

static enum hd_idempotence_break add_bulk(struct context *context, struct own *own, uint32_t index, enum reach reach)
{
	const struct hd_inst *inst = &context->object->functions[context->function].insts[index];
	struct walk walk = {0};
	if (reach == ADDS_TO_GLOBAL)
		return HD_BREAK_ATOMIC;
	if (inst->op == HD_OP_UBLKCP)
		find_roots(context, copied_of(ir_of(context, index)), &walk);
	else
		hd_vec_push(&walk.roots, (struct root){.loaded = true});
	for (uint32_t i = 0; i < walk.roots.len; i++)
		add_access(&own->accesses,
			   (struct access){walk.roots.data[i], context->function, index, reach == WRITES_GLOBAL});
	hd_vec_release(&walk.roots);
	return HD_BREAK_NONE;
}

static enum hd_idempotence_break inspect(struct context *context, struct own *own, uint32_t index)
{
	const struct hd_inst *inst = &context->object->functions[context->function].insts[index];
	if (is_global(inst))
		return add_memory(context, own, index);
	if (inst->op == HD_OP_SYSCALL) /* a failed assertion stops the kernel for good */
		return inst->x == HD_SYS_ASSERTFAIL ? HD_BREAK_NONE : HD_BREAK_SERVICE;
	enum reach reach = reach_of(inst);
	if (reach != REACHES_NOTHING)
		return add_bulk(context, own, index, reach);
	return differs_from_run_to_run(inst) ? HD_BREAK_CLOCK : HD_BREAK_NONE;
}

static void note(struct own *own, enum hd_idempotence_break why, uint32_t inst)
{
	if (why == HD_BREAK_NONE || (own->why != HD_BREAK_NONE && own->inst <= inst))
		return;
	own->why = why;
	own->inst = inst;
}

static void find_own(struct context *context, uint32_t index)
{
	const struct hd_callgraph *calls = context->calls;
	LLVMValueRef function = context->source ? context->source->function_of(context->source->context, index) : NULL;
	struct own *own = &context->own[index];
	context->function = index;
	context->kernel = context->object->functions[index].kernel;
	hd_vec_clear(&context->insts);
	if (function)
		list_function(context, function);
	for (uint32_t i = 0; i < context->object->functions[index].inst_count; i++)
		note(own, inspect(context, own, i), i);
	for (uint32_t s = calls->site_start[index]; s < calls->site_start[index + 1]; s++)
		if (calls->sites[s].unknown)
			note(own, HD_BREAK_CALL, calls->sites[s].inst);
}

/* ---- with what it calls */

static bool keeps_apart(const struct context *context, const struct root *restricted, const struct root *other)
{
	LLVMValueRef argument = restricted->value;
	if (!argument || !LLVMIsAArgument(argument) || !has_attribute(argument, context->noalias))
		return false;
	return other->value || (other->loaded && is_never_kept(context, argument));
}

static bool may_alias(const struct context *context, const struct root *a, const struct root *b)
{
	if (a->value && a->value == b->value)
		return true;
	if (a->value && b->value && LLVMIsAGlobalVariable(a->value) && LLVMIsAGlobalVariable(b->value))
		return false;
	return !keeps_apart(context, a, b) && !keeps_apart(context, b, a);
}

static struct hd_meta_place place_of(const struct context *context, uint32_t function, uint32_t inst)
{
	const struct hd_function *code = &context->object->functions[function];
	const struct hd_origin *origin = &code->origins[inst];
	struct hd_meta_place place = {.function = code->name, .pc = inst * HD_INST_BYTES};
	if (origin->file < context->object->file_count && origin->line)
		place.source = (struct hd_meta_source){context->object->files[origin->file], origin->line};
	return place;
}

/* What is in the function itself is told before what is in its callees, then the first in the code. */
static bool comes_before(uint32_t root, uint32_t function, uint32_t inst, const struct access *best)
{
	if (!best || (function == root) != (best->function == root))
		return !best || function == root;
	return function != best->function ? function < best->function : inst < best->inst;
}

static const struct access *overwritten_by(const struct context *context, const struct accesses *all,
					   const struct access *store)
{
	for (uint32_t i = 0; i < all->list.len; i++)
		if (!all->list.data[i].write && may_alias(context, &all->list.data[i].root, &store->root))
			return &all->list.data[i];
	return NULL;
}

/* The functions that `root` may reach, itself first. */
static void collect(const struct context *context, uint32_t root, bool *seen, struct accesses *all,
		    struct access *first, enum hd_idempotence_break *why)
{
	const struct hd_graph *graph = &context->calls->graph;
	HD_VEC(uint32_t) queue = {0};
	hd_vec_push(&queue, root);
	seen[root] = true;
	for (uint32_t i = 0; i < queue.len; i++) {
		uint32_t f = queue.data[i];
		const struct own *own = &context->own[f];
		for (uint32_t a = 0; a < own->accesses.list.len; a++)
			hd_vec_push(&all->list, own->accesses.list.data[a]);
		if (own->why != HD_BREAK_NONE &&
		    comes_before(root, f, own->inst, *why == HD_BREAK_NONE ? NULL : first)) {
			*first = (struct access){{0}, f, own->inst, true};
			*why = own->why;
		}
		for (uint32_t e = graph->succ_start[f]; e < graph->succ_start[f + 1]; e++) {
			if (!seen[graph->succ[e]])
				hd_vec_push(&queue, graph->succ[e]);
			seen[graph->succ[e]] = true;
		}
	}
	hd_vec_release(&queue);
}

static struct hd_meta_idempotence judge(const struct context *context, uint32_t root)
{
	struct hd_meta_idempotence facts = {0};
	struct accesses all = {0};
	struct access first = {0};
	bool *seen = hd_xcalloc(context->object->function_count + 1, sizeof(*seen));
	collect(context, root, seen, &all, &first, &facts.why);
	for (uint32_t i = 0; i < all.list.len; i++) {
		const struct access *store = &all.list.data[i], *read;
		if (!store->write || !comes_before(root, store->function, store->inst, facts.why ? &first : NULL))
			continue;
		if ((read = overwritten_by(context, &all, store))) {
			first = *store;
			facts.why = HD_BREAK_STORE;
			facts.read = place_of(context, read->function, read->inst);
		}
	}
	if (facts.why != HD_BREAK_NONE)
		facts.at = place_of(context, first.function, first.inst);
	free(seen);
	hd_vec_release(&all.list);
	return facts;
}

struct hd_meta_idempotence *hd_idempotence_compute(const struct hd_object *object, const struct hd_callgraph *calls,
						   const struct hd_idempotence_source *source, struct hd_arena *arena)
{
	struct context context = {.object = object, .calls = calls, .source = source, .arena = arena};
	struct hd_meta_idempotence *results = HD_ARENA_NEW(arena, struct hd_meta_idempotence, object->function_count);
	context.noalias = LLVMGetEnumAttributeKindForName("noalias", 7);
	context.nocapture = LLVMGetEnumAttributeKindForName("nocapture", 9);
	context.captures = LLVMGetEnumAttributeKindForName("captures", 8);
	context.byval = LLVMGetEnumAttributeKindForName("byval", 5);
	context.own = hd_xcalloc(object->function_count + 1, sizeof(*context.own));
	for (uint32_t f = 0; f < object->function_count; f++)
		find_own(&context, f);
	for (uint32_t f = 0; f < object->function_count; f++)
		results[f] = judge(&context, f);
	for (uint32_t f = 0; f < object->function_count; f++)
		hd_vec_release(&context.own[f].accesses.list);
	free(context.own);
	hd_vec_release(&context.insts);
	return results;
}
