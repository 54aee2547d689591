/*
 * The coalescing report (see coalescing.h). Finds the IR access behind each memory instruction, enumerates the warps of
 * the block where its dimensions are known (32 of them at most) and the addresses that the known alignment leaves open,
 * evaluates addresses that are not linear lane by lane (lane_values.c), and counts as the memory system does: 32-byte
 * sectors; 32 banks of 4 bytes, 8-byte accesses in half-warps, 16-byte ones in quarter-warps. Costs at most 32 warps x
 * 32 residues x 32 lanes an access.
 */
#include "passes/affine/coalescing.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"

#include <string.h>

#include "heddle/machine.h"
#include "passes/affine/coalescing_internal.h"

enum { LANES = HD_LANES, SECTOR = 32, BANKS = 32 };
#define POINTER_ALIGNMENT 256u /* of what cudaMalloc returns: CUDA C++ Programming Guide, 5.3.2 */

/* ---- blocks */

static bool same_block(const uint32_t a[3], const uint32_t b[3])
{
	return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static bool launched_with(const struct hd_meta_function *facts, uint32_t block[3])
{
	for (uint32_t i = 0; i < facts->launch_count; i++) {
		if (!facts->launches[i].block_known || (i && !same_block(facts->launches[i].block, block)))
			return false;
		memcpy(block, facts->launches[i].block, 3 * sizeof(*block));
	}
	return facts->launch_count > 0;
}

static void place_lanes(struct hd_warps *warps)
{
	const uint32_t *block = warps->block;
	uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
	for (uint32_t first = 0; first + LANES <= threads && warps->count < HD_MOST_WARPS; first += LANES) {
		struct hd_lanes *lanes = &warps->lanes[warps->count++];
		for (uint32_t lane = 0; lane < LANES; lane++) {
			uint32_t thread = first + lane;
			lanes->index[0][lane] = thread % block[0];
			lanes->index[1][lane] = thread / block[0] % block[1];
			lanes->index[2][lane] = thread / block[0] / block[1];
		}
	}
}

static void set_up_blocks(struct hd_coalescing *report, const struct hd_meta_function *facts)
{
	struct hd_warps *warps = &report->warps;
	const struct hd_affine_bounds *bounds = &report->affine->bounds;
	if (bounds->exact)
		memcpy(warps->block, bounds->block, sizeof(warps->block));
	if (bounds->exact || launched_with(facts, warps->block)) {
		warps->assumes = HD_ASSUME_BLOCK;
		place_lanes(warps);
		return;
	}
	/* One warp stands for all: where it begins in its row is a multiple of 32. */
	warps->assumes = HD_ASSUME_WHOLE_ROWS;
	memset(warps->block, 0, sizeof(warps->block));
	warps->count = 1;
	for (uint32_t lane = 0; lane < LANES; lane++)
		warps->lanes[0].index[0][lane] = lane;
}

/* ---- what is known of a polynomial when the block is */

static int64_t block_dimension(void *context, const struct hd_unknown *symbol)
{
	const struct hd_warps *warps = context;
	return warps->block[(symbol->offset - HD_CB_NTID_X) / 4];
}

static bool is_dimension(const struct hd_warps *warps, const struct hd_unknown *symbol)
{
	return symbol->kind == HD_UNKNOWN_BANK && symbol->offset <= HD_CB_NTID_Z && warps->block[0];
}

/* Its value, when it has no unknowns but the block's dimensions. */
bool hd_coalescing_factor(const struct hd_coalescing *report, uint32_t poly, int64_t *value)
{
	const struct hd_poly_table *polys = report->affine->polys;
	const struct hd_poly *sum = hd_poly_get(polys, poly);
	for (uint32_t t = 0; t < sum->count; t++) {
		const struct hd_monomial *product = hd_monomial_get(polys, sum->terms[t].monomial);
		for (uint32_t s = 0; s < product->degree; s++)
			if (!is_dimension(&report->warps, hd_unknown_get(polys, product->symbols[s])))
				return false;
	}
	*value = hd_poly_evaluate(polys, poly, block_dimension, (void *)&report->warps);
	return true;
}

static uint64_t lowest_bit(uint64_t value)
{
	return value ? value & (0 - value) : UINT64_C(1) << 62;
}

static uint64_t variable_alignment(const struct hd_affine *affine, LLVMValueRef global)
{
	unsigned align = LLVMGetAlignment(global);
	return align ? align : LLVMABIAlignmentOfType(affine->layout, LLVMGlobalGetValueType(global));
}

/* Whether a pointer lies at the byte of a value of the type. */
static bool is_pointer_at(LLVMTargetDataRef layout, LLVMTypeRef type, uint64_t offset)
{
	for (;;) {
		uint64_t part;
		switch (LLVMGetTypeKind(type)) {
		case LLVMPointerTypeKind: return offset == 0;
		case LLVMStructTypeKind:
			if (offset >= LLVMABISizeOfType(layout, type))
				return false;
			part = LLVMElementAtOffset(layout, type, offset);
			offset -= LLVMOffsetOfElement(layout, type, (unsigned)part);
			type = LLVMStructGetTypeAtIndex(type, (unsigned)part);
			break;
		case LLVMArrayTypeKind:
			type = LLVMGetElementType(type);
			part = LLVMABISizeOfType(layout, type);
			if (!part)
				return false;
			offset %= part;
			break;
		default: return false;
		}
	}
}

static uint64_t symbol_alignment(const void *context, const struct hd_unknown *symbol)
{
	const struct hd_coalescing *report = context;
	const struct hd_affine *affine = report->affine;
	if (is_dimension(&report->warps, symbol))
		return lowest_bit(report->warps.block[(symbol->offset - HD_CB_NTID_X) / 4]);
	if (symbol->kind == HD_UNKNOWN_BANK && symbol->offset == HD_CB_NTID_X &&
	    report->warps.assumes == HD_ASSUME_WHOLE_ROWS)
		return LANES;
	if (symbol->kind == HD_UNKNOWN_ADDRESS)
		return variable_alignment(affine, affine->variables.data[symbol->offset]);
	if (symbol->kind != HD_UNKNOWN_BANK || symbol->bits != 64)
		return 1;
	for (unsigned p = 0; p < LLVMCountParams(affine->function); p++) {
		LLVMTypeRef by_value = hd_byval_type(affine->function, p),
			    type = by_value ? by_value : LLVMTypeOf(LLVMGetParam(affine->function, p));
		uint64_t at = (uint64_t)symbol->offset - affine->param_offsets[p] - HD_CB_PARAMS;
		if (at < LLVMABISizeOfType(affine->layout, type))
			return is_pointer_at(affine->layout, type, at) ? POINTER_ALIGNMENT : 1;
	}
	return 1;
}

static uint64_t alignment_of(const struct hd_coalescing *report, uint32_t poly)
{
	return hd_poly_alignment(report->affine->polys, poly, symbol_alignment, report);
}

/* ---- lanes */

static bool varies(const struct hd_lanes *lanes, unsigned axis)
{
	for (uint32_t lane = 1; lane < LANES; lane++)
		if (lanes->index[axis][lane] != lanes->index[axis][0])
			return true;
	return false;
}

/* The vector's share of an index: its factor where it is known, and the alignment of what the warp's lanes share. */
static void lay_out_axis(const struct hd_coalescing *report, const struct hd_affine_vector *parts, unsigned axis,
			 const struct hd_lanes *lanes, struct hd_pattern *pattern)
{
	uint32_t poly = parts->part[HD_INDEX_TID_X + axis];
	bool whole_rows = report->warps.assumes == HD_ASSUME_WHOLE_ROWS;
	uint64_t others = alignment_of(report, parts->part[HD_INDEX_CTAID_X + axis]), own = UINT64_C(1) << 62;
	int64_t factor;
	bool known = hd_coalescing_factor(report, poly, &factor);
	int64_t index[LANES];
	for (uint32_t lane = 0; lane < LANES; lane++) {
		index[lane] = lanes->index[axis][lane];
		pattern->offset[lane] += known ? factor * index[lane] : 0;
	}
	if (!known)
		hd_pattern_split(pattern, index);
	if (whole_rows || !known) /* the warp is somewhere in the block */
		own = alignment_of(report, poly);
	/* The warp begins at a multiple of 32 lanes; with an unknown factor, each lane's part is in what is shared. */
	if (whole_rows && axis == 0 && known && own < UINT64_C(1) << 58)
		own *= LANES;
	pattern->align = others < pattern->align ? others : pattern->align;
	pattern->align = own < pattern->align ? own : pattern->align;
	pattern->exact &= parts->part[HD_INDEX_CTAID_X + axis] == HD_POLY_ZERO &&
			  (poly == HD_POLY_ZERO || (known && !whole_rows));
}

void hd_coalescing_lay_out(const struct hd_coalescing *report, const struct hd_affine_value *value,
			   const struct hd_lanes *lanes, struct hd_pattern *pattern)
{
	const struct hd_affine_vector *parts = hd_affine_vector(report->affine, value->vector);
	struct hd_poly_table *polys = report->affine->polys;
	int64_t constant = hd_poly_constant_term(polys, parts->part[HD_INDEX_C]), rest;
	uint32_t shared = hd_poly_without_constant(polys, parts->part[HD_INDEX_C]);
	*pattern = (struct hd_pattern){.bits = value->bits,
				       .exact_unsigned = value->exact_unsigned,
				       .exact_signed = value->exact_signed,
				       .positive = hd_affine_range(report->affine, value->vector).low >= 0,
				       .exact = hd_coalescing_factor(report, shared, &rest),
				       .align = UINT64_C(1) << 62};
	if (pattern->exact)
		constant += rest;
	else
		pattern->align = alignment_of(report, shared);
	for (uint32_t lane = 0; lane < LANES; lane++)
		pattern->offset[lane] = constant;
	for (unsigned axis = 0; axis < 3; axis++)
		lay_out_axis(report, parts, axis, lanes, pattern);
}

/* Sectors of the lanes that share a part with lane `group`. */
static uint32_t sectors_of(const struct hd_pattern *pattern, unsigned group, uint64_t residue, uint32_t bytes)
{
	uint64_t seen[2 * LANES];
	uint32_t count = 0;
	for (uint32_t lane = 0; lane < LANES; lane++) {
		/* A base that keeps addresses positive does not change how many sectors there are. */
		uint64_t at = (UINT64_C(1) << 62) + residue + (uint64_t)pattern->offset[lane];
		for (uint64_t sector = at / SECTOR; sector <= (at + bytes - 1) / SECTOR; sector++) {
			uint32_t i = 0;
			while (i < count && seen[i] != sector)
				i++;
			if (i == count && pattern->group[lane] == group)
				seen[count++] = sector;
		}
	}
	return count;
}

/* Accesses of the busiest bank by the lanes of one group that is served at once. */
static uint32_t busiest_bank(const struct hd_pattern *pattern, unsigned group, uint64_t residue, uint32_t first,
			     uint32_t lanes, uint32_t words, bool shares)
{
	uint64_t seen[LANES];
	uint32_t count = 0, depth[BANKS] = {0}, most = 0;
	for (uint32_t i = 0; i < lanes * words; i++) {
		uint32_t lane = first + i / words;
		uint64_t at = (UINT64_C(1) << 62) + residue + (uint64_t)pattern->offset[lane];
		uint64_t word = at / 4 + i % words;
		uint32_t known = 0;
		while (known < count && seen[known] != word)
			known++;
		if (pattern->group[lane] != group || (known < count && shares))
			continue;
		if (count < LANES)
			seen[count++] = word;
		if (++depth[word % BANKS] > most)
			most = depth[word % BANKS];
	}
	return most;
}

static uint32_t conflicts_of(const struct hd_pattern *pattern, unsigned group, uint64_t residue,
			     const struct hd_meta_access *access)
{
	uint32_t at_once = access->bytes > 8 ? 8 : access->bytes > 4 ? 16 : 32, most = 0;
	uint32_t words = access->bytes > 4 ? access->bytes / 4 : 1;
	for (uint32_t first = 0; first < LANES; first += at_once) {
		uint32_t busiest =
			busiest_bank(pattern, group, residue, first, at_once, words, access->kind != HD_ACCESS_ATOMIC);
		most = busiest > most ? busiest : most;
	}
	return most;
}

static void widen(uint32_t *least, uint32_t *most, uint32_t value)
{
	if (!*most || value < *least)
		*least = value;
	if (value > *most)
		*most = value;
}

/* All places that the part which a group shares may have in a sector, as far as its alignment leaves them open. */
static void count_residues(const struct hd_pattern *pattern, unsigned group, const struct hd_meta_access *access,
			   uint32_t *least, uint32_t *most)
{
	for (uint64_t residue = 0; residue < SECTOR; residue += pattern->align) {
		/* The machine takes naturally aligned accesses only. */
		if (((uint64_t)pattern->offset[group] + residue) % access->bytes)
			continue;
		widen(least, most,
		      access->space == HD_ACCESS_SHARED ? conflicts_of(pattern, group, residue, access)
							: sectors_of(pattern, group, residue, access->bytes));
	}
}

/* Groups may lie on one another, or nowhere near. False: that leaves all open. */
bool hd_coalescing_count(const struct hd_pattern *pattern, struct hd_meta_access *access)
{
	bool shared = access->space == HD_ACCESS_SHARED;
	uint32_t *least = shared ? &access->conflicts_least : &access->sectors_least;
	uint32_t *most = shared ? &access->conflicts_most : &access->sectors_most, any = 0, all = 0;
	for (unsigned group = 0; group < LANES; group++) {
		uint32_t own_least = 0, own_most = 0;
		if (pattern->group[group] != group)
			continue;
		count_residues(pattern, group, access, &own_least, &own_most);
		any = own_least > any ? own_least : any;
		all += own_most;
	}
	if (!hd_pattern_is_shared(pattern) && all >= LANES)
		return false;
	if (all) {
		widen(least, most, any);
		widen(least, most, all);
	}
	return true;
}

static bool stride_of(const struct hd_pattern *pattern, int64_t *stride)
{
	*stride = pattern->offset[1] - pattern->offset[0];
	if (!hd_pattern_is_shared(pattern))
		return false;
	for (uint32_t lane = 2; lane < LANES; lane++)
		if (pattern->offset[lane] - pattern->offset[lane - 1] != *stride)
			return false;
	return true;
}

/* The lanes of each warp are neighbours in x. */
static bool in_one_row(const struct hd_warps *warps)
{
	for (uint32_t w = 0; w < warps->count; w++)
		if (varies(&warps->lanes[w], 1) || varies(&warps->lanes[w], 2))
			return false;
	return warps->count > 0;
}

/* False: the offsets of lanes are not known. */
static bool analyse_warps(struct hd_coalescing *report, LLVMValueRef inst, LLVMValueRef address,
			  struct hd_meta_access *found)
{
	for (uint32_t w = 0; w < report->warps.count; w++) {
		struct hd_pattern pattern;
		int64_t stride;
		if (!hd_lane_values(report, &report->warps.lanes[w], address, LLVMGetInstructionParent(inst), &pattern))
			return false;
		found->stride_known &= stride_of(&pattern, &stride) && (w == 0 || stride == found->stride);
		found->stride = stride;
		uint64_t first = lowest_bit((uint64_t)pattern.offset[0]);
		first = first < pattern.align ? first : pattern.align;
		found->alignment = first < found->alignment ? (uint32_t)first : found->alignment;
		if (!hd_coalescing_count(&pattern, found))
			return false;
	}
	return report->warps.count > 0;
}

/* `linear`: the address as a linear value; NULL when it is none. */
static void analyse(struct hd_coalescing *report, LLVMValueRef inst, LLVMValueRef address,
		    const struct hd_affine_value *linear, struct hd_meta_access *access)
{
	struct hd_meta_access found = *access;
	found.alignment = POINTER_ALIGNMENT;
	found.stride_known = true;
	if (analyse_warps(report, inst, address, &found))
		*access = found;
	if (linear && access->conflicts_least > 1)
		access->row_step = hd_coalescing_row_step(report, linear, access);
	if (!access->stride_known)
		access->stride = 0;
	if (access->stride_known)
		access->lane_stride = hd_arena_printf(report->affine->arena, "%lld", (long long)access->stride);
	else if (linear && in_one_row(&report->warps))
		access->lane_stride =
			hd_affine_poly_text(report->affine,
					    hd_affine_vector(report->affine, linear->vector)->part[HD_INDEX_TID_X]);
	if (!access->lane_stride && !access->sectors_most && !access->conflicts_most)
		return;
	access->assumes = report->warps.assumes;
	memcpy(access->block, report->warps.block, sizeof(access->block));
}

/* ---- accesses of the code */

static bool is_access(const struct hd_inst *inst, struct hd_meta_access *access)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	if (info->space != HD_AT_GLOBAL && info->space != HD_AT_SHARED && info->space != HD_AT_GENERIC)
		return false;
	if (!(info->effects & (HD_FX_LOAD | HD_FX_STORE | HD_FX_ATOMIC)) || inst->op == HD_OP_LDSM)
		return false;
	access->kind = info->effects & HD_FX_ATOMIC ? HD_ACCESS_ATOMIC
		       : info->effects & HD_FX_LOAD ? HD_ACCESS_LOAD
						    : HD_ACCESS_STORE;
	access->space = info->space == HD_AT_GLOBAL   ? HD_ACCESS_GLOBAL
			: info->space == HD_AT_SHARED ? HD_ACCESS_SHARED
						      : HD_ACCESS_GENERIC;
	access->bytes = hd_op_access_bytes(inst->op, inst->mods);
	return true;
}

/* The operand that is the address; NULL for what is no access. */
static LLVMValueRef address_operand(LLVMValueRef inst)
{
	switch (LLVMGetInstructionOpcode(inst)) {
	case LLVMLoad:
	case LLVMAtomicRMW:
	case LLVMAtomicCmpXchg: return LLVMGetOperand(inst, 0);
	case LLVMStore: return LLVMGetOperand(inst, 1);
	case LLVMCall: {
		LLVMValueRef callee = LLVMGetCalledValue(inst);
		bool reads = LLVMIsAFunction(callee) && !strncmp(LLVMGetValueName(callee), "llvm.nvvm.ldg.", 14);
		return reads ? LLVMGetOperand(inst, 0) : NULL;
	}
	default: return NULL;
	}
}

static uint64_t access_bytes(const struct hd_affine *affine, LLVMValueRef inst)
{
	LLVMTypeRef type = LLVMGetInstructionOpcode(inst) == LLVMStore		 ? LLVMTypeOf(LLVMGetOperand(inst, 0))
			   : LLVMGetInstructionOpcode(inst) == LLVMAtomicCmpXchg ? LLVMTypeOf(LLVMGetOperand(inst, 1))
										 : LLVMTypeOf(inst);
	return LLVMStoreSizeOfType(affine->layout, type);
}

/*
 * Whether the constant part is made of what the host gave the launch: a pointer that a kernel gets points to global
 * memory, since shared and local memory have no address before the launch.
 */
static bool is_from_host(const struct hd_affine *affine, uint32_t vector)
{
	const struct hd_poly *sum = hd_poly_get(affine->polys, hd_affine_vector(affine, vector)->part[HD_INDEX_C]);
	bool pointer = false;
	for (uint32_t t = 0; t < sum->count; t++) {
		const struct hd_monomial *product = hd_monomial_get(affine->polys, sum->terms[t].monomial);
		for (uint32_t s = 0; s < product->degree; s++) {
			const struct hd_unknown *symbol = hd_unknown_get(affine->polys, product->symbols[s]);
			if (symbol->kind != HD_UNKNOWN_BANK && symbol->kind != HD_UNKNOWN_ITERATION)
				return false;
			pointer |= product->degree == 1 && sum->terms[t].coefficient == 1 &&
				   symbol->kind == HD_UNKNOWN_BANK && symbol->bits == 64;
		}
	}
	return pointer;
}

static void describe(struct hd_coalescing *report, LLVMValueRef inst, struct hd_meta_access *access)
{
	struct hd_affine *affine = report->affine;
	LLVMValueRef address = address_operand(inst);
	struct hd_affine_value linear;
	access->alignment = access->bytes;
	/* A part of an access that was split is somewhere in it. */
	if (access_bytes(affine, inst) != access->bytes)
		return;
	bool is_linear = hd_affine_operand(affine, address, LLVMGetInstructionParent(inst), &linear);
	if (is_linear) {
		struct hd_strbuf text = {0};
		hd_affine_print_vector(&text, affine, linear.vector);
		access->address = hd_arena_strdup(affine->arena, hd_strbuf_text(&text));
		hd_strbuf_release(&text);
		if (access->space == HD_ACCESS_GENERIC && is_from_host(affine, linear.vector))
			access->space = HD_ACCESS_GLOBAL;
	}
	if (access->space != HD_ACCESS_GENERIC)
		analyse(report, inst, address, is_linear ? &linear : NULL, access);
}

/* The IR instruction that the machine instruction was selected from; NULL: it makes no access, or several. */
static LLVMValueRef access_of(const struct hd_mfunc *selected, uint32_t inst)
{
	uint32_t visit = selected->sites[inst] / HD_SITE_PARTS;
	if (!visit || visit > selected->visited.len)
		return NULL;
	LLVMValueRef value = (LLVMValueRef)selected->visited.data[visit - 1];
	return address_operand(value) ? value : NULL;
}

void hd_coalescing_describe(struct hd_affine *affine, const struct hd_object *object, const struct hd_function *code,
			    const struct hd_mfunc *selected, const struct hd_uniformity *uniformity,
			    const struct hd_meta_function *facts, struct hd_meta_affine *result)
{
	struct hd_coalescing *report = HD_ARENA_NEW(affine->arena, struct hd_coalescing, 1);
	report->affine = affine;
	report->uniformity = uniformity;
	set_up_blocks(report, facts);
	result->accesses = HD_ARENA_NEW(affine->arena, struct hd_meta_access, code->inst_count);
	for (uint32_t i = 0; i < code->inst_count; i++) {
		const struct hd_origin *origin = &code->origins[i];
		struct hd_meta_access access = {.pc = i * HD_INST_BYTES};
		LLVMValueRef inst = access_of(selected, i);
		if (!is_access(&code->insts[i], &access))
			continue;
		if (origin->file < object->file_count)
			access.source = (struct hd_meta_source){object->files[origin->file], origin->line};
		/* Of what has no IR access of its own (inline PTX, copies), nothing is known: but it is there. */
		if (inst)
			describe(report, inst, &access);
		else
			access.alignment = access.bytes;
		result->accesses[result->access_count++] = access;
	}
}
