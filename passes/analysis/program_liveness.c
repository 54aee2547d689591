/*
 * The row LIVENESS: liveness of every function of a unit. Which branches are uniform comes from the
 * uniformity of the IR, through the IR instructions that they were selected for; of linear versions through the
 * ordinals of their origins, where what has none, or one that is not a uniform terminator's, may diverge. Callers
 * first, each function learns what lanes may need that wait in its callers while others are in it, or anywhere
 * (yields.c). Linear in the code.
 *
 * Paper: gpu-multiprogramming-lin, 2.3.2; dead-operand bits: ltrf-asplos18, 3.2 (LTRF+).
 */
#include <stdlib.h>
#include <string.h>

#include "heddle/opcodes.h"
#include "passes/analysis/liveness.h"
#include "passes/analysis/yields.h"
#include "passes/ir/uniformity.h"
#include "passes/pass.h"
#include "passes/remark.h"

/* ---- uniform branches */

/* Ordinals of terminators, a state each: 0 none seen, 1 all uniform, 2 not. */
struct ordinals {
	uint8_t *state;
	uint32_t count;
};

static void add_terminator(struct ordinals *ordinals, LLVMValueRef terminator, unsigned kind, bool uniform)
{
	LLVMValueRef node = LLVMGetMetadata(terminator, kind), number;
	if (!node || LLVMGetMDNodeNumOperands(node) != 1)
		return;
	LLVMGetMDNodeOperands(node, &number);
	if (!number || !LLVMIsAConstantInt(number) || LLVMConstIntGetZExtValue(number) >= ordinals->count)
		return;
	uint8_t *state = &ordinals->state[LLVMConstIntGetZExtValue(number)];
	*state = *state == 2 || !uniform ? 2 : 1;
}

/* A branch of an atomic operation asks whether the warp is full (passes/opt/warp_atomics.c). */
static bool is_atomic(LLVMValueRef inst)
{
	static const char name[] = "llvm.nvvm.atomic.";
	if (LLVMIsACallInst(inst) && LLVMIsAFunction(LLVMGetCalledValue(inst)))
		return !strncmp(LLVMGetValueName(LLVMGetCalledValue(inst)), name, sizeof name - 1);
	return LLVMIsAAtomicRMWInst(inst);
}

/* The IR terminator that the branch was selected for, of code that was inlined, too, or the atomic
 * operation; NULL: not known. */
static LLVMValueRef terminator_of(const struct hd_unit *unit, uint32_t index, uint32_t inst)
{
	const struct hd_mfunc *selected = index < unit->functions.len ? &unit->functions.data[index] : NULL;
	if (!selected || selected->emitted != unit->object.functions[index].insts) /* a linear version's main stream */
		return NULL;
	uint32_t visit = selected->sites[inst] / HD_SITE_PARTS;
	LLVMValueRef from = visit && visit <= selected->visited.len
				    ? (LLVMValueRef)(uintptr_t)selected->visited.data[visit - 1]
				    : NULL;
	return from && (LLVMIsATerminatorInst(from) || is_atomic(from)) ? from : NULL;
}

/* Instructions of hd_object.functions[index] that the uniformity analysis proves uniform branches. */
static struct hd_bitset uniform_branches(const struct hd_unit *unit, uint32_t index, struct hd_arena *arena)
{
	const struct hd_function *function = &unit->object.functions[index];
	struct hd_bitset set = hd_bitset_new(arena, function->inst_count);
	LLVMValueRef value = unit->module ? LLVMGetNamedFunction(unit->module, function->name) : NULL;
	if (!value || LLVMIsDeclaration(value))
		return set;
	struct ordinals ordinals = {0};
	for (uint32_t i = 0; i < function->inst_count; i++)
		if (function->origins[i].ir != UINT32_MAX && function->origins[i].ir >= ordinals.count)
			ordinals.count = function->origins[i].ir + 1;
	ordinals.state = HD_ARENA_NEW(arena, uint8_t, ordinals.count);
	const struct hd_uniformity *uniformity = hd_uniformity_of(unit, value);
	unsigned kind = LLVMGetMDKindIDInContext(LLVMGetModuleContext(unit->module), "heddle.ord", 10);
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(value); b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef terminator = LLVMGetBasicBlockTerminator(b);
		add_terminator(&ordinals, terminator, kind, hd_branch_is_uniform(uniformity, terminator));
	}
	for (uint32_t i = 0; i < function->inst_count; i++) {
		uint32_t ordinal = function->origins[i].ir;
		if (!(hd_opinfo[function->insts[i].op].effects & HD_FX_BRANCH))
			continue;
		LLVMValueRef from = terminator_of(unit, index, i);
		if (from ? is_atomic(from) || hd_branch_is_uniform(uniformity, from)
			 : ordinal < ordinals.count && ordinals.state[ordinal] == 1)
			hd_bitset_add(&set, i);
	}
	return set;
}

/* ---- lanes that wait in callers */

/* What lanes need that do not come along into the call at `site`, beside what the callee hands back to those that do.
 */
static void add_waiting(const struct hd_liveness *caller, const struct hd_call_site *site, struct hd_regset *waiting)
{
	const struct hd_inst *call = &caller->flow->function->insts[site->inst];
	uint32_t block = caller->flow->block_of[site->inst];
	struct hd_regset none = {0}, outside = hd_liveness_diverged(caller, block, &none);
	hd_regset_union(waiting, &outside);
	if (call->op != HD_OP_CALLI && call->guard == HD_PT)
		return;
	struct hd_regset after = caller->flow->live_out[block];
	for (uint32_t i = hd_flow_last(caller->flow, block); i > site->inst; i--)
		hd_flow_live_before(caller->flow, i, &after);
	hd_regset_union(waiting, &after);
	if (call->op == HD_OP_CALLI) { /* lanes with another target wait before it, too */
		hd_flow_live_before(caller->flow, site->inst, &after);
		hd_regset_union(waiting, &after);
	}
}

static struct hd_regset everything(const struct hd_flow *flow, uint32_t registers)
{
	struct hd_regset set = {.preds = HD_ALL_PREDS};
	if (!flow->function->kernel)
		hd_regset_add_run(&set, 0, registers);
	else
		set.preds = 0;
	return set;
}

static uint32_t program_registers(const struct hd_unit *unit)
{
	uint32_t most = unit->options.relocatable ? HD_MAX_REGS : 0;
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		if (unit->object.functions[f].registers > most)
			most = unit->object.functions[f].registers;
	return most;
}

/* Whether code may call the function from where nothing is known of it yet, or ever. */
static bool is_open(const struct hd_unit *unit, const struct hd_callgraph *calls, uint32_t index)
{
	const struct hd_object *object = &unit->object;
	if (calls->address_taken[index] || calls->recursive[index])
		return true;
	for (uint32_t s = 0; s < object->symbol_count && unit->options.relocatable; s++)
		if (object->symbols[s].kind == HD_SYM_FUNCTION && object->symbols[s].defined &&
		    object->symbols[s].global && object->symbols[s].function == index)
			return true;
	return false;
}

int hd_liveness_run(struct hd_unit *unit)
{
	const struct hd_flow *flows = hd_pass_result(unit, HD_PASS_FLOW);
	const struct hd_callgraph *calls = hd_pass_result(unit, HD_PASS_CALLGRAPH);
	uint32_t count = unit->object.function_count, registers = program_registers(unit);
	struct hd_liveness *results = HD_ARENA_NEW(&unit->arena, struct hd_liveness, count);
	struct hd_regset *waiting = HD_ARENA_NEW(&unit->arena, struct hd_regset, count);
	uint32_t *order = hd_callgraph_order(calls, count, true, &unit->arena);
	struct hd_bitset *uniform = HD_ARENA_NEW(&unit->arena, struct hd_bitset, count + 1);
	for (uint32_t f = 0; f < count; f++)
		uniform[f] = uniform_branches(unit, f, &unit->arena);
	const struct hd_yields *yields = hd_yields_find(&unit->object, flows, calls, uniform, &unit->arena);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t f = order[i];
		if (is_open(unit, calls, f)) {
			struct hd_regset all = everything(&flows[f], registers);
			hd_regset_union(&waiting[f], &all);
		}
		hd_liveness_compute(&results[f], &flows[f], &uniform[f], &waiting[f], &yields[f], &unit->arena);
		for (uint32_t s = calls->site_start[f]; s < calls->site_start[f + 1]; s++)
			for (uint32_t c = 0; c < calls->sites[s].callee_count; c++)
				add_waiting(&results[f], &calls->sites[s], &waiting[calls->sites[s].callees[c]]);
	}
	unit->results[HD_PASS_LIVENESS] = results;
	return 0;
}

/* ---- printing */

static void print_dead(FILE *out, const struct hd_liveness *liveness, uint32_t inst)
{
	static const char *const names[] = {"a", "b", "c", "guard", "psrc", "psrc2"};
	if (!liveness->dead[inst])
		return;
	fputs("; dead", out);
	for (unsigned i = 0; i < 6; i++)
		if (liveness->dead[inst] >> i & 1)
			fprintf(out, " %s%s", names[i], liveness->dead_in_warp[inst] >> i & 1 ? "" : "(waiting)");
}

static void print_block(FILE *out, const struct hd_liveness *liveness, uint32_t block)
{
	const struct hd_flow *flow = liveness->flow;
	uint32_t first = flow->blocks[block].first, count = flow->blocks[block].count;
	struct hd_regset *live = hd_xcalloc(count + 1, sizeof(*live));
	hd_liveness_block(liveness, block, live);
	for (uint32_t i = 0; i < count; i++) {
		struct hd_regset more = hd_liveness_diverged_before(liveness, first + i, &live[i], &live[i + 1]);
		hd_regset_subtract(&more, &live[i]);
		fprintf(out, "  %04x live ", (first + i) * HD_INST_BYTES);
		hd_regset_print(out, &live[i]);
		if (!hd_regset_equal(&more, &(struct hd_regset){0})) {
			fputs("; waiting ", out);
			hd_regset_print(out, &more);
		}
		print_dead(out, liveness, first + i);
		fputs(i + 1 == count && liveness->divergent[block] ? "; diverges\n" : "\n", out);
	}
	free(live);
}

static void print_function(FILE *out, const struct hd_liveness *liveness)
{
	const struct hd_function *function = liveness->flow->function;
	fprintf(out, "%s %s: most live %u at %04x, under divergence %u at %04x, branches %u divergent %u uniform\n",
		function->kernel ? "kernel" : "function", function->name, liveness->most.live,
		liveness->most.inst * HD_INST_BYTES, liveness->most_divergent.live,
		liveness->most_divergent.inst * HD_INST_BYTES, liveness->divergent_branches,
		liveness->uniform_branches);
	for (uint32_t b = 0; b < liveness->flow->block_count; b++)
		print_block(out, liveness, b);
}

void hd_liveness_print_unit(FILE *out, const struct hd_unit *unit)
{
	const struct hd_liveness *results = hd_pass_result(unit, HD_PASS_LIVENESS);
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		print_function(out, &results[f]);
}

/* ---- verifying */

/*
 * Code generation tagged last reads on its own: each must be one here. Registers that pass values between functions are
 * left out: of these code generation knows the very ones, and this analysis what callers may read.
 */
static bool tags_agree(const struct hd_liveness *liveness, uint32_t inst)
{
	const struct hd_flow *flow = liveness->flow;
	const struct hd_inst *code = &flow->function->insts[inst];
	const uint8_t regs[] = {code->a, code->b, code->c};
	bool alone = flow->function->kernel && !flow->call_count;
	for (unsigned i = 0; i < 3; i++)
		if (code->dead >> i & 1 && !(liveness->dead[inst] >> i & 1) &&
		    (alone || hd_abi_is_saved(flow->abi, regs[i])))
			return false;
	return true;
}

int hd_liveness_verify_unit(struct hd_unit *unit)
{
	const struct hd_liveness *results = hd_pass_result(unit, HD_PASS_LIVENESS);
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		for (uint32_t i = 0; i < unit->object.functions[f].inst_count; i++) {
			const struct hd_liveness *liveness = &results[f];
			if (!tags_agree(liveness, i))
				return hd_error(unit->diag, HD_NOWHERE,
						"liveness of '%s': the instruction at %04x is tagged as the last read "
						"of a register that is live",
						unit->object.functions[f].name, i * HD_INST_BYTES);
			if (liveness->dead_in_warp[i] & ~liveness->dead[i])
				return hd_error(unit->diag, HD_NOWHERE,
						"liveness of '%s': at %04x a register is dead for the warp, but not "
						"for its thread",
						unit->object.functions[f].name, i * HD_INST_BYTES);
		}
	return 0;
}

/* ---- remarks */

void hd_liveness_remark(struct hd_remarks *remarks, uint32_t function)
{
	const struct hd_liveness *liveness =
		&((const struct hd_liveness *)hd_pass_result(remarks->unit, HD_PASS_LIVENESS))[function];
	struct hd_remark remark;
	if (!hd_remark_begin(&remark, remarks, HD_PASS_LIVENESS, "Liveness", function, HD_REMARK_FUNCTION))
		return;
	hd_remark_subject(&remark, function, ": most live registers ");
	hd_remark_value(&remark, "MaxLive", "%u", liveness->most.live);
	hd_remark_text(&remark, " at pc ");
	hd_remark_value(&remark, "Pc", "%04x", liveness->most.inst * HD_INST_BYTES);
	hd_remark_text(&remark, ", under divergence ");
	hd_remark_value(&remark, "MaxLiveDivergent", "%u", liveness->most_divergent.live);
	hd_remark_text(&remark, ", of ");
	hd_remark_value(&remark, "Registers", "%u", liveness->flow->function->registers);
	hd_remark_end(&remark);
}
