/*
 * Names for the values in registers: the definitions that reach a place in the machine code are followed through copies
 * and spills to the IR instructions that they were made from, whose variables the debug information names. Where it
 * names none, the operation and its source line stand for the value. Cost: a walk back over the code for each register.
 */
#include <string.h>

#include "heddle/figures.h"
#include "heddle/opcodes.h"
#include "passes/analysis/flow.h"
#include "passes/ir/byval.h"
#include "passes/remark.h"

enum { MOST_NAMES = 3, MOST_COPIES = 12 };

/* What a value may be called, best first. */
enum quality { NAME_NONE, NAME_CONSTANT, NAME_OPERATION, NAME_VARIABLE };

struct names {
	enum quality quality;
	const char *texts[MOST_NAMES];
	uint32_t count;
};

struct walk {
	struct hd_remarks *remarks;
	uint32_t index;
	const struct hd_flow *flow;
	const struct hd_function *code;
	LLVMValueRef source;
	HD_VEC(LLVMValueRef) insts; /* of the IR, by ordinal */
	uint32_t copies;	    /* followed for this value */
};

static void add_name(struct names *names, enum quality quality, const char *text)
{
	if (quality < names->quality)
		return;
	if (quality > names->quality)
		*names = (struct names){.quality = quality};
	for (uint32_t i = 0; i < names->count; i++)
		if (!strcmp(names->texts[i], text))
			return;
	if (names->count < MOST_NAMES)
		names->texts[names->count++] = text;
}

/* ---- the IR */

static void collect_ir(struct walk *walk)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(walk->source); b; b = LLVMGetNextBasicBlock(b))
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			hd_vec_push(&walk->insts, i);
}

static const char *plain_name(struct walk *walk, LLVMValueRef value)
{
	size_t len;
	const char *variable = walk->remarks->host->variable(value), *name = LLVMGetValueName2(value, &len);
	if (variable && strncmp(variable, "__", 2) != 0) /* those of headers say nothing to the program's author */
		return variable;
	return len ? hd_arena_printf(&walk->remarks->arena, "%%%s", name) : NULL;
}

/* A vector is loaded as one value, of which the program names the elements. */
static const char *element_name(struct walk *walk, LLVMValueRef value, uint32_t word)
{
	for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
		LLVMValueRef user = LLVMGetUser(use), element = LLVMIsAExtractElementInst(user);
		LLVMValueRef number = element ? LLVMGetOperand(element, 1) : NULL;
		bool matches = number && LLVMIsAConstantInt(number) && LLVMConstIntGetZExtValue(number) == word;
		const char *name = matches ? plain_name(walk, user) : NULL;
		if (name)
			return name;
	}
	return NULL;
}

static const char *ir_name(struct walk *walk, uint32_t ordinal, uint32_t word)
{
	LLVMValueRef value = ordinal < walk->insts.len ? walk->insts.data[ordinal] : NULL;
	if (!value || LLVMIsATerminatorInst(value) || LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMVoidTypeKind)
		return NULL;
	const char *name = plain_name(walk, value);
	return name ? name : element_name(walk, value, word);
}

/* Scalar parameters and by-value aggregates take argument registers in order; behind any other nothing is known. */
static const char *argument_name(struct walk *walk, uint32_t reg)
{
	LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(walk->source));
	struct hd_abi_cursor cursor = hd_abi_begin(walk->flow->abi, false);
	for (unsigned p = 0; p < LLVMCountParams(walk->source); p++) {
		LLVMValueRef param = LLVMGetParam(walk->source, p);
		LLVMTypeRef type = LLVMTypeOf(param);
		LLVMTypeKind kind = LLVMGetTypeKind(type);
		struct hd_byval byval = hd_byval_of(layout, walk->source, p);
		struct hd_abi_place place = {0};
		if (byval.type) {
			place.reg = hd_abi_take_aggregate(&cursor, byval.bytes, byval.align);
			place.words = place.reg ? (uint8_t)((byval.bytes + 3) / 4) : 0;
		} else if (kind == LLVMPointerTypeKind || kind == LLVMDoubleTypeKind || kind == LLVMFloatTypeKind ||
			   kind == LLVMIntegerTypeKind) {
			hd_abi_take(&cursor, hd_passed_words(type), &place);
		} else {
			break;
		}
		if (place.words && reg >= place.reg && reg < (uint32_t)place.reg + place.words)
			return plain_name(walk, param);
	}
	return NULL;
}

static const char *parameter_name(const struct walk *walk, uint32_t constant)
{
	const struct hd_meta_function *facts = walk->remarks->facts[walk->index];
	for (uint32_t p = 0; p < facts->param_count; p++) {
		uint32_t first = HD_CONST_X(0, HD_CB_PARAMS + facts->params[p].offset);
		if (constant >= first && constant < first + facts->params[p].bytes)
			return facts->params[p].name;
	}
	return NULL;
}

/* ---- the machine code */

static void follow(struct walk *walk, uint32_t inst, uint32_t reg, struct names *names);

static void follow_spill(struct walk *walk, const struct hd_inst *load, uint32_t reg, struct names *names)
{
	uint32_t slot = load->x + 4 * (reg - load->dst);
	for (uint32_t i = 0; i < walk->code->inst_count; i++) {
		const struct hd_inst *store = &walk->code->insts[i];
		uint32_t bytes = hd_op_access_bytes(store->op, store->mods);
		bool same_memory = hd_opinfo[store->op].space == hd_opinfo[load->op].space;
		if (store->role == HD_ROLE_SPILL_STORE && same_memory && slot - store->x < bytes)
			follow(walk, i, store->c + (slot - store->x) / 4, names);
	}
}

static void name_move(struct walk *walk, uint32_t inst, struct names *names)
{
	const struct hd_inst *move = &walk->code->insts[inst];
	const char *parameter = move->xkind == HD_X_CONST_B ? parameter_name(walk, move->x) : NULL;
	if (parameter)
		add_name(names, NAME_VARIABLE, parameter);
	else if (move->xkind != HD_X_NONE || move->b == HD_RZ)
		add_name(names, NAME_CONSTANT, "constant");
	else
		follow(walk, inst, move->b, names);
}

static void name_definition(struct walk *walk, uint32_t inst, uint32_t reg, struct names *names)
{
	const struct hd_inst *code = &walk->code->insts[inst];
	bool call = hd_opinfo[code->op].effects & HD_FX_CALL;
	uint32_t word = code->dst < HD_RZ && reg >= code->dst ? reg - code->dst : 0;
	if (code->op == HD_OP_MOV) {
		name_move(walk, inst, names);
	} else if (code->role == HD_ROLE_SPILL_LOAD) {
		follow_spill(walk, code, reg, names);
	} else if (code->role == HD_ROLE_PLAIN || code->role == HD_ROLE_WARP_ATOMIC) {
		const char *name = ir_name(walk, walk->code->origins[inst].ir, word);
		const char *made = call ? "result of a call" : hd_opinfo[code->op].name;
		if (name)
			add_name(names, NAME_VARIABLE, name);
		else
			add_name(names, NAME_OPERATION,
				 hd_arena_printf(&walk->remarks->arena, "%s %s", made,
						 hd_remark_place_text(walk->remarks, walk->index, inst)));
	}
}

static void name_at_entry(struct walk *walk, uint32_t reg, struct names *names)
{
	const char *name = walk->code->kernel ? NULL : argument_name(walk, reg);
	if (name)
		add_name(names, NAME_VARIABLE, name);
	else if (!walk->code->kernel)
		add_name(names, NAME_OPERATION, "value of the caller");
}

/* Looks for a definition in [first, end), last first. */
static bool find_in_block(struct walk *walk, uint32_t first, uint32_t end, uint32_t reg, struct names *names)
{
	for (uint32_t i = end; i-- > first;) {
		struct hd_flow_effects effects;
		hd_flow_effects(walk->flow, i, &effects);
		if (!hd_regset_has(&effects.writes, reg))
			continue;
		name_definition(walk, i, reg, names);
		if (hd_regset_has(&effects.kills, reg))
			return true;
	}
	return false;
}

/* Names for what `reg` holds before the instruction. */
static void follow(struct walk *walk, uint32_t inst, uint32_t reg, struct names *names)
{
	const struct hd_flow *flow = walk->flow;
	if (reg >= HD_RZ || ++walk->copies > MOST_COPIES)
		return;
	bool *queued = hd_xcalloc(flow->block_count, sizeof(*queued));
	HD_VEC(uint32_t) queue = {0};
	uint32_t block = flow->block_of[inst], end = inst;
	for (uint32_t next = 0;; next++) {
		bool found = find_in_block(walk, flow->blocks[block].first, end, reg, names);
		if (!found && !block)
			name_at_entry(walk, reg, names);
		for (uint32_t e = flow->graph.pred_start[block]; !found && e < flow->graph.pred_start[block + 1]; e++) {
			uint32_t before = flow->graph.pred[e];
			if (!queued[before])
				hd_vec_push(&queue, before);
			queued[before] = true;
		}
		if (next == queue.len)
			break;
		block = queue.data[next];
		end = hd_flow_last(flow, block) + 1;
	}
	hd_vec_release(&queue);
	free(queued);
}

static const char *name_register(struct walk *walk, uint32_t inst, uint32_t reg)
{
	struct names names = {0};
	struct hd_strbuf text = {0};
	walk->copies = 0;
	if (reg == walk->flow->abi->stack_pointer)
		return "stack pointer";
	follow(walk, inst, reg, &names);
	for (uint32_t i = 0; i < names.count; i++)
		hd_strbuf_printf(&text, "%s%s", i ? " or " : "", names.texts[i]);
	const char *result = hd_arena_strdup(&walk->remarks->arena, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
	return result;
}

void hd_remark_registers(struct hd_remark *remark, const char *key, uint32_t function, uint32_t inst,
			 const struct hd_regset *set)
{
	struct walk walk = {.remarks = remark->to,
			    .index = function,
			    .flow = &((const struct hd_flow *)hd_pass_result(remark->to->unit, HD_PASS_FLOW))[function],
			    .code = &remark->to->unit->object.functions[function],
			    .source = remark->function};
	bool any = false;
	collect_ir(&walk);
	for (uint32_t reg = hd_regset_next(set, 0), last; reg < HD_RZ; reg = hd_regset_next(set, last + 1)) {
		const char *name = name_register(&walk, inst, reg);
		for (last = reg; hd_regset_next(set, last + 1) == last + 1; last++)
			if (strcmp(name_register(&walk, inst, last + 1), name) != 0)
				break;
		hd_remark_text(remark, "%s", any ? ", " : "");
		const char *range = last > reg ? hd_arena_printf(&remark->to->arena, "R%u-R%u", reg, last)
					       : hd_arena_printf(&remark->to->arena, "R%u", reg);
		hd_remark_value(remark, key, "%s%s%s", range, *name ? " " : "", name);
		any = true;
	}
	hd_vec_release(&walk.insts);
}
