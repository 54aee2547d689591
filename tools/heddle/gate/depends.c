/*
 * What the address of an access depends on, where nothing is proven of it: found backwards through the machine code.
 * A value that memory, a call or another lane gives comes first; else the operations on the thread's indices that are
 * not linear, the nearest first.
 *
 * Cost: MOST_STEPS walks over a function; nothing for functions of more than MOST_INSTRUCTIONS.
 */
#include <string.h>

#include "heddle/opcodes.h"
#include "lib/machine/regset.h"
#include "tools/heddle/gate/carry.h"
#include "tools/heddle/report/flow.h"

enum { MOST_STEPS = 64, MOST_INSTRUCTIONS = 20000, MOST_NAMED = 2 };

struct origins {
	const struct hd_function *code;
	uint32_t list[MOST_STEPS], count; /* instructions, the nearest first */
	uint64_t readers[MOST_STEPS];	  /* a bit for each of the list that reads it */
	bool merges[MOST_STEPS];	  /* a register of it comes from several */
	bool indexed[MOST_STEPS];	  /* differs between lanes */
};

/* A value comes back that the function itself has put away. */
static bool brings_back(const struct hd_inst *inst)
{
	return inst->role == HD_ROLE_SPILL_LOAD || inst->role == HD_ROLE_CALLEE_RESTORE;
}

/* A vote or shuffle of one atomic operation for the lanes of a warp: code of the same place. */
static bool serves_atomic(const struct hd_function *code, uint32_t index)
{
	const struct hd_inst *inst = &code->insts[index];
	const struct hd_origin *own = &code->origins[index];
	if (!(hd_opinfo[inst->op].mods >> HD_MOD_MEMBERS & 1) ||
	    hd_mod_get(inst->mods, HD_MOD_MEMBERS) != HD_MEMBERS_HERE)
		return false;
	for (uint32_t i = 0; i < code->inst_count; i++) {
		const struct hd_origin *origin = &code->origins[i];
		if (hd_opinfo[code->insts[i].op].effects & HD_FX_ATOMIC && origin->file == own->file &&
		    origin->line == own->line && origin->column == own->column)
			return true;
	}
	return false;
}

/* How the instruction gives a value of which nothing is known; NULL: it computes. */
static const char *source_of(const struct hd_function *code, uint32_t index)
{
	const struct hd_inst *inst = &code->insts[index];
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	if (info->effects & HD_FX_ATOMIC || serves_atomic(code, index))
		return "the result of an atomic operation";
	if (info->effects & HD_FX_LOAD && info->space != HD_AT_CONST && !brings_back(inst))
		return "a value that is loaded";
	if (info->effects & HD_FX_CALL)
		return "the result of a call";
	switch (inst->op) {
	case HD_OP_SHFL:
	case HD_OP_VOTE:
	case HD_OP_MATCH: return "a value of other lanes";
	default: return NULL;
	}
}

static const char *logic_of(const struct hd_inst *inst)
{
	switch (hd_mod_get(inst->mods, HD_MOD_LUT)) {
	case 0xc0:
	case 0x30:
	case 0x0c: return "an AND";
	case 0xfc: return "an OR";
	case 0x3c: return "an XOR";
	default: return "a bitwise operation";
	}
}

/* What is not linear; NULL: it is. */
static const char *operation_of(const struct hd_function *code, uint32_t index)
{
	const struct hd_inst *inst = &code->insts[index];
	switch (inst->op) {
	case HD_OP_LOP3: return logic_of(inst);
	case HD_OP_SHR: return inst->x == 31 ? NULL : "a shift"; /* by 31: the sign of a wider number */
	case HD_OP_SHF_R:
	case HD_OP_SHF_L: return "a shift";
	case HD_OP_IMNMX: return "a minimum or maximum";
	case HD_OP_IABS: return "an absolute value";
	case HD_OP_IMAD_HI: return "a division";
	case HD_OP_SEL: return "a choice";
	case HD_OP_PRMT:
	case HD_OP_SGXT:
	case HD_OP_BREV: return "an operation on bits";
	case HD_OP_POPC:
	case HD_OP_FLO: return "a count of bits";
	case HD_OP_F2I: return "floating-point arithmetic";
	default: return NULL;
	}
}

static bool is_index(const struct hd_inst *inst)
{
	uint32_t number = inst->op == HD_OP_S2R ? hd_mod_get(inst->mods, HD_MOD_SR) : HD_SR_COUNT;
	return number == HD_SR_TID_X || number == HD_SR_TID_Y || number == HD_SR_TID_Z || number == HD_SR_LANEID;
}

/* Its place in the list, in which it is from now on; MOST_STEPS: there is no room. */
static uint32_t place_in(struct origins *origins, uint32_t inst)
{
	uint32_t at = 0;
	while (at < origins->count && origins->list[at] != inst)
		at++;
	if (at == origins->count && at < MOST_STEPS)
		origins->list[origins->count++] = inst;
	return at;
}

/* Whether two of them set one register, so that the path decides which. */
static bool meet(const struct hd_inst *insts, const uint32_t *producers, uint32_t count)
{
	struct hd_regset all = {{0}, 0}, own;
	for (uint32_t i = 0; i < count; i++) {
		if (producers[i] == FLOW_CALLER || insts[producers[i]].guard != HD_PT)
			continue;
		hd_inst_writes(&insts[producers[i]], &own);
		own.preds = 0;
		struct hd_regset both = own;
		hd_regset_intersect(&both, &all);
		if (hd_regset_count(&both))
			return true;
		hd_regset_union(&all, &own);
	}
	return false;
}

/* The store that put it away: the nearest above of the same place, since places are used again. FLOW_CALLER: none. */
static uint32_t put_away(const struct hd_function *code, uint32_t load)
{
	const struct hd_inst *back = &code->insts[load];
	uint8_t role = back->role == HD_ROLE_SPILL_LOAD ? HD_ROLE_SPILL_STORE : HD_ROLE_CALLEE_SAVE;
	for (uint32_t i = load; i-- > 0;) {
		const struct hd_inst *inst = &code->insts[i];
		if (inst->role == role && hd_opinfo[inst->op].space == hd_opinfo[back->op].space &&
		    inst->a == back->a && inst->x == back->x)
			return i;
	}
	return FLOW_CALLER;
}

static uint32_t *producers_of(const struct origins *origins, const struct flow *flow, uint32_t inst,
			      struct hd_arena *arena, uint32_t *count)
{
	if (!brings_back(&origins->code->insts[inst]))
		return flow_producers(flow, inst, FLOW_VALUE, arena, count);
	uint32_t *store = HD_ARENA_NEW(arena, uint32_t, 1);
	*store = put_away(origins->code, inst);
	*count = 1;
	return store;
}

/* The data that an access stores are nothing of its address. */
static void collect(struct origins *origins, const struct flow *flow, struct hd_arena *arena)
{
	const struct hd_inst *insts = origins->code->insts;
	const struct hd_inst *access = &insts[origins->list[0]];
	for (uint32_t at = 0; at < origins->count; at++) {
		uint32_t count, *producers;
		if (at && source_of(origins->code, origins->list[at]))
			continue;
		producers = at ? producers_of(origins, flow, origins->list[at], arena, &count)
			       : flow_setters(flow, origins->list[0], access->a,
					      hd_opinfo[access->op].a == HD_W_D ? 2 : 1, arena, &count);
		origins->merges[at] = meet(insts, producers, count);
		for (uint32_t i = 0; i < count; i++) {
			uint32_t place = producers[i] == FLOW_CALLER ? MOST_STEPS : place_in(origins, producers[i]);
			if (place < MOST_STEPS)
				origins->readers[place] |= UINT64_C(1) << at;
		}
	}
}

/* From an instruction that differs between lanes to all that read it. */
static void find_indexed(struct origins *origins)
{
	for (uint32_t i = 0; i < origins->count; i++) {
		uint32_t index = origins->list[i];
		origins->indexed[i] = is_index(&origins->code->insts[index]) || (i && source_of(origins->code, index));
	}
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < origins->count; i++)
			for (uint32_t reader = 0; origins->indexed[i] && reader < origins->count; reader++)
				if (origins->readers[i] >> reader & 1 && !origins->indexed[reader])
					changed = origins->indexed[reader] = true;
	}
}

/* "a shift of an index (line 12)": a line that is not the access's own is named. */
static const char *text_of(const struct gate_carry *carry, struct gate_place own, struct gate_place place,
			   const char *what, const char *of)
{
	if (!place.file)
		return hd_arena_printf(carry->arena, "%s%s", what, of);
	if (strcmp(place.file, own.file) != 0)
		return hd_arena_printf(carry->arena, "%s%s (%s:%u)", what, of, place.file, place.line);
	if (place.line != own.line)
		return hd_arena_printf(carry->arena, "%s%s (line %u)", what, of, place.line);
	return hd_arena_printf(carry->arena, "%s%s", what, of);
}

/* The texts joined by "and", each once; NULL: none. */
static const char *join(const struct gate_carry *carry, const struct gate_subject *subject, struct gate_place own,
			const struct origins *origins,
			const char *(*name)(const struct hd_function *code, uint32_t index), const char *of)
{
	const char *named[MOST_NAMED];
	uint32_t count = 0;
	for (uint32_t i = 1; i < origins->count && count < MOST_NAMED; i++) {
		const char *what = name(origins->code, origins->list[i]);
		if (!what || !origins->indexed[i])
			continue;
		const struct hd_origin *origin = &origins->code->origins[origins->list[i]];
		named[count] = text_of(carry, own, gate_carry_place(carry, subject, origin), what, of);
		count += !count || strcmp(named[0], named[count]) != 0;
	}
	return !count ? NULL : count > 1 ? hd_arena_printf(carry->arena, "%s and %s", named[0], named[1]) : named[0];
}

const char *gate_depends_text(const struct gate_carry *carry, const struct gate_subject *subject, uint32_t pc)
{
	static const char otherwise[] = "what the lanes of a warp access here depends on more than their indices";
	struct origins origins = {.code = gate_code_of(subject), .count = 1};
	uint32_t index = pc / HD_INST_BYTES;
	if (!origins.code || index >= origins.code->inst_count || origins.code->inst_count > MOST_INSTRUCTIONS)
		return otherwise;
	struct hd_listing listing;
	struct hd_arena arena;
	hd_arena_init(&arena);
	hd_listing_init(&listing, &subject->unit->object, origins.code, &arena);
	origins.list[0] = index;
	collect(&origins, flow_new(&listing, &arena), &arena);
	find_indexed(&origins);
	hd_arena_release(&arena);
	struct gate_place own = gate_carry_place(carry, subject, &origins.code->origins[index]);
	const char *what = own.file ? join(carry, subject, own, &origins, source_of, "") : NULL;
	if (!what && own.file)
		what = join(carry, subject, own, &origins, operation_of, " of an index");
	for (uint32_t i = 0; i < origins.count && !what && own.file; i++)
		if (origins.merges[i] && origins.indexed[i])
			what = "the path or the iteration that leads here";
	return what ? hd_arena_printf(carry->arena, "the address of this access depends on %s", what) : otherwise;
}
