/*
 * The opcode table as data, and what follows from it alone: operand widths, bytes of a
 * memory access, names of modifiers, special registers and roles.
 *
 * Everything is made from opcodes.def and the lists in machine.h, so a new opcode or
 * modifier is one line there. Every function is constant time.
 */
#include "heddle/machine.h"
#include "heddle/mbarrier.h"
#include "heddle/opcodes.h"

#include <string.h>

/*
 * A row's modifiers are 0 or HD_MODS(kind, ...). Pasting a prefix on the unexpanded
 * argument chooses between the two, and both give the mask and the print order.
 */
#define MOD_BIT(kind) (HD_MOD_##kind == HD_MOD_COUNT ? 0 : UINT64_C(1) << (HD_MOD_##kind % 64))
#define MODS_PAD(...) MODS_SIX(__VA_ARGS__, COUNT, COUNT, COUNT, COUNT, COUNT, COUNT)
#define MODS_SIX(a, b, c, d, e, f, ...)                                                      \
	.mods = MOD_BIT(a) | MOD_BIT(b) | MOD_BIT(c) | MOD_BIT(d) | MOD_BIT(e) | MOD_BIT(f), \
	.mod_order = {HD_MOD_##a, HD_MOD_##b, HD_MOD_##c, HD_MOD_##d, HD_MOD_##e, HD_MOD_##f}
#define MODS_OF_0 MODS_PAD(COUNT)
#define MODS_OF_HD_MODS(...) MODS_PAD(__VA_ARGS__)

const struct hd_opinfo hd_opinfo[HD_OP_COUNT] = {
#define HD_OP(op_name, d_, a_, b_, c_, pdst_, psrc_, srcx_, srcmods_, num_, swap_, pipe_, lat_, space_, fx_, mods_) \
	[HD_OP_##op_name] = {.name = #op_name,                                                                      \
			     .dst = HD_W_##d_,                                                                      \
			     .a = HD_W_##a_,                                                                        \
			     .b = HD_W_##b_,                                                                        \
			     .c = HD_W_##c_,                                                                        \
			     .pdst = pdst_,                                                                         \
			     .psrc = psrc_,                                                                         \
			     .srcx = HD_##srcx_,                                                                    \
			     .srcmods = srcmods_,                                                                   \
			     .number = HD_N_##num_,                                                                 \
			     .swap = HD_SWAP_##swap_,                                                               \
			     .pipe = HD_PIPE_##pipe_,                                                               \
			     .lat = HD_LAT_##lat_,                                                                  \
			     .space = HD_AT_##space_,                                                               \
			     .effects = fx_,                                                                        \
			     MODS_OF_##mods_},
#include "heddle/opcodes.def"
#undef HD_OP
};

_Static_assert(HD_MOD_COUNT <= 64, "hd_opinfo.mods has a bit for each modifier kind");

static unsigned type_bytes(uint32_t type)
{
	static const uint8_t bytes[16] = {
		[HD_U8] = 1,  [HD_S8] = 1,  [HD_U16] = 2, [HD_S16] = 2, [HD_U32] = 4,  [HD_S32] = 4,   [HD_U64] = 8,
		[HD_S64] = 8, [HD_F16] = 2, [HD_F32] = 4, [HD_F64] = 8, [HD_BF16] = 2, [HD_B128] = 16,
	};
	return bytes[type & 15];
}

static unsigned size_bytes(uint32_t size)
{
	static const uint8_t bytes[8] = {
		[HD_SIZE_U8] = 1, [HD_SIZE_S8] = 1, [HD_SIZE_U16] = 2,	[HD_SIZE_S16] = 2,
		[HD_SIZE_32] = 4, [HD_SIZE_64] = 8, [HD_SIZE_128] = 16,
	};
	return bytes[size & 7];
}

unsigned hd_op_coordinates(enum hd_op op, uint16_t mods)
{
	static const uint8_t count[8] = {
		[HD_TEX_1D] = 1, [HD_TEX_2D] = 2, [HD_TEX_3D] = 3, [HD_TEX_ARRAY_1D] = 2, [HD_TEX_ARRAY_2D] = 3,
	};
	if (op == HD_OP_TLD4)
		return 2;
	return count[hd_mod_get(mods, HD_MOD_TDIM)] + (op == HD_OP_TEX ? hd_mod_get(mods, HD_MOD_LEVEL) : 0);
}

/* Beyond the two in a. Gradients are two for each coordinate. */
static unsigned coordinates_in_c(enum hd_op op, uint16_t mods)
{
	unsigned count = hd_op_coordinates(op, mods);
	if (op == HD_OP_TXD)
		return count == 1 ? 2 : 4;
	return count > 2 ? count - 2 : 0;
}

/* A lane of 128 has its part of 64 rows. */
static unsigned accumulator_words(uint16_t mods)
{
	unsigned columns = 8 * (hd_mod_get(mods, HD_MOD_WGN) + 1);
	return hd_mod_get(mods, HD_MOD_WGACC) == HD_WG_ACC_F16 ? columns / 4 : columns / 2;
}

unsigned hd_op_width(enum hd_op op, uint16_t mods, enum hd_slot slot)
{
	const struct hd_opinfo *info = &hd_opinfo[op];
	const uint8_t widths[] = {info->dst, info->a, info->b, info->c};
	switch (widths[slot]) {
	case HD_W_M: return (size_bytes(hd_mod_get(mods, HD_MOD_SIZE)) + 3) / 4;
	case HD_W_T: return hd_type_registers(hd_mod_get(mods, HD_MOD_DTYPE));
	case HD_W_S: return hd_type_registers(hd_mod_get(mods, HD_MOD_STYPE));
	case HD_W_H: return hd_mod_get(mods, HD_MOD_ACC) == HD_ACC_F32 ? 4 : 2;
	case HD_W_X: return hd_op_coordinates(op, mods) == 1 ? 1 : 2;
	case HD_W_V: return coordinates_in_c(op, mods);
	case HD_W_G: return accumulator_words(mods);
	case HD_W_E: return hd_mod_get(mods, HD_MOD_WGA) == HD_WG_REGISTERS ? 4 : 2;
	case HD_W_U: return 0;
	case HD_W_K: return hd_mod_get(mods, HD_MOD_MEMBERS) == HD_MEMBERS_MASK;
	default: return widths[slot];
	}
}

bool hd_op_meets(unsigned op, uint16_t mods)
{
	bool among_lanes = hd_opinfo[op].mods >> HD_MOD_MEMBERS & 1;
	return op == HD_OP_WARPSYNC || (among_lanes && hd_mod_get(mods, HD_MOD_MEMBERS) < HD_MEMBERS_ACTIVE);
}

bool hd_op_is_here(unsigned op, uint16_t mods)
{
	bool among_lanes = hd_opinfo[op].mods >> HD_MOD_MEMBERS & 1;
	return op == HD_OP_REDUX || (among_lanes && hd_mod_get(mods, HD_MOD_MEMBERS) == HD_MEMBERS_HERE);
}

enum hd_number hd_op_number(enum hd_op op, uint16_t mods)
{
	static const uint8_t of_type[16] = {
		[HD_F16] = HD_N_HALF, [HD_BF16] = HD_N_HALF, [HD_F32] = HD_N_F, [HD_F64] = HD_N_D};
	uint8_t number = hd_opinfo[op].number;
	return (enum hd_number)(number == HD_N_S ? of_type[hd_mod_get(mods, HD_MOD_STYPE)] : number);
}

/* The truth table for a and b, or a and c, exchanged. */
static uint16_t swap_lut(uint16_t mods, enum hd_slot with)
{
	uint32_t lut = hd_mod_get(mods, HD_MOD_LUT), out = 0;
	for (unsigned i = 0; i < 8; i++) {
		unsigned a = i >> 2 & 1, b = i >> 1 & 1, c = i & 1;
		unsigned j = with == HD_SLOT_C ? c << 2 | b << 1 | a : b << 2 | a << 1 | c;
		out |= (lut >> j & 1) << i;
	}
	return HD_MOD(LUT, out);
}

/* Less and greater exchanged, in the set of outcomes that a comparison is. */
static uint16_t swap_comparison(uint16_t mods)
{
	uint32_t cmp = hd_mod_get(mods, HD_MOD_CMP);
	uint32_t mirrored = (cmp & 10) | (cmp & 1) << 2 | (cmp >> 2 & 1);
	return (uint16_t)((mods & ~HD_MOD(CMP, 15)) | HD_MOD(CMP, mirrored));
}

static uint16_t swap_signs(uint16_t mods)
{
	uint32_t a = hd_mod_get(mods, HD_MOD_SIGN), b = hd_mod_get(mods, HD_MOD_SIGNB);
	return (uint16_t)((mods & ~(HD_MOD(SIGN, 1) | HD_MOD(SIGNB, 1))) | HD_MOD(SIGN, b) | HD_MOD(SIGNB, a));
}

bool hd_op_swap(enum hd_op op, enum hd_slot with, uint16_t *mods)
{
	enum hd_swap swap = (enum hd_swap)hd_opinfo[op].swap;
	if (swap == HD_SWAP__ || (with == HD_SLOT_C && swap != HD_SWAP_ABC && swap != HD_SWAP_LUT))
		return false;
	if (swap == HD_SWAP_LUT)
		*mods = swap_lut(*mods, with);
	else if (swap == HD_SWAP_CMP)
		*mods = swap_comparison(*mods);
	else if (swap == HD_SWAP_SIGNS)
		*mods = swap_signs(*mods);
	return true;
}

enum { LDSM_ROW_BYTES = 16, LDSM_ROWS = 8 };

uint32_t hd_op_address_lanes(enum hd_op op, uint16_t mods)
{
	unsigned lanes = op == HD_OP_LDSM ? LDSM_ROWS * hd_op_width(op, mods, HD_SLOT_DST) : HD_WARP_LANES;
	return UINT32_MAX >> (HD_WARP_LANES - lanes);
}

unsigned hd_op_products(enum hd_op op, uint16_t mods)
{
	switch (op) {
	case HD_OP_HMMA_884: return hd_mod_get(mods, HD_MOD_ACC) == HD_ACC_F32 ? 256 : 512; /* a step: 1024 in all */
	case HD_OP_DMMA_884: return 8 * 8 * 4;
	case HD_OP_HMMA_1684_TF32:
	case HD_OP_HMMA_SP_1688_TF32: return 16 * 8 * 4;
	case HD_OP_HMMA_SP_16816:
	case HD_OP_HMMA_1688:
	case HD_OP_HMMA_1688_TF32: return 16 * 8 * 8;
	case HD_OP_IMMA_8816: return 8 * 8 * 16;
	case HD_OP_HMMA_16816:
	case HD_OP_IMMA_SP_16832:
	case HD_OP_IMMA_16816: return 16 * 8 * 16;
	case HD_OP_IMMA_16832: return 16 * 8 * 32;
	case HD_OP_WGMMA:
		return HD_WG_ROWS * 8 * (hd_mod_get(mods, HD_MOD_WGN) + 1) *
		       (8 * HD_WG_ROW_BYTES / hd_wg_bits((enum hd_wgtype)hd_mod_get(mods, HD_MOD_WGTYPE)));
	default: return 0;
	}
}

bool hd_op_loads_device(enum hd_op op)
{
	const struct hd_opinfo *info = &hd_opinfo[op];
	bool device = info->space == HD_AT_GLOBAL || info->space == HD_AT_GENERIC || info->space == HD_AT_TEXTURE;
	return device && info->effects & HD_FX_LOAD;
}

bool hd_op_is_exchange(enum hd_op op)
{
	return op == HD_OP_LDSM || op == HD_OP_MOVM || (op < HD_OP_COUNT && hd_opinfo[op].pipe == HD_PIPE_TENSOR);
}

bool hd_op_takes_linear(unsigned op)
{
	return hd_opinfo[op].pipe != HD_PIPE_BRU && !(hd_opinfo[op].effects & HD_FX_CONVERGENT);
}

unsigned hd_op_access_bytes(enum hd_op op, uint16_t mods)
{
	const struct hd_opinfo *info = &hd_opinfo[op];
	if (info->srcx == HD_XM && info->pipe == HD_PIPE_BRU)
		return HD_MBARRIER_BYTES;
	if (!(info->effects & (HD_FX_LOAD | HD_FX_STORE)))
		return 0;
	if (op == HD_OP_LDSM)
		return LDSM_ROW_BYTES;
	if (info->effects & HD_FX_ATOMIC)
		return type_bytes(hd_mod_get(mods, HD_MOD_DTYPE));
	return size_bytes(hd_mod_get(mods, HD_MOD_SIZE));
}

struct hd_inst hd_inst_new(enum hd_op op)
{
	return (struct hd_inst){
		.op = (uint16_t)op,
		.guard = HD_PT,
		.dst = HD_RZ,
		.a = HD_RZ,
		.b = HD_RZ,
		.c = HD_RZ,
		.pdst = HD_PT,
		.psrc = HD_PT,
		.psrc2 = HD_PT,
		.reconv = HD_NO_PC,
	};
}

bool hd_inst_ends_block(const struct hd_inst *inst)
{
	return hd_opinfo[inst->op].effects & (HD_FX_BRANCH | HD_FX_RET | HD_FX_EXIT) || inst->op == HD_OP_TRAP;
}

bool hd_inst_falls_through(const struct hd_inst *inst)
{
	return !hd_inst_ends_block(inst) || inst->guard != HD_PT;
}

static void add_registers(struct hd_regset *set, unsigned first, unsigned count)
{
	for (unsigned reg = first; reg < first + count && reg < HD_RZ; reg++)
		set->regs[reg / 64] |= UINT64_C(1) << (reg % 64);
}

static void add_predicate(struct hd_regset *set, unsigned predicate)
{
	unsigned number = predicate & ~(unsigned)HD_PRED_NOT;
	if (number < HD_PT)
		set->preds |= (uint8_t)(1u << number);
}

enum { ALL_PREDICATES = (1 << HD_MAX_PREDS) - 1 };

void hd_inst_accumulator(const struct hd_inst *inst, struct hd_regset *set)
{
	*set = (struct hd_regset){0};
	if (inst->op == HD_OP_WGMMA)
		add_registers(set, inst->dst, hd_op_width(inst->op, inst->mods, HD_SLOT_DST));
}

void hd_inst_reads(const struct hd_inst *inst, struct hd_regset *set)
{
	enum hd_op op = inst->op;
	*set = (struct hd_regset){0};
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	for (unsigned slot = HD_SLOT_A; slot <= HD_SLOT_C; slot++)
		if (regs[slot] < HD_RZ && !hd_lr_takes(inst->linear, slot))
			add_registers(set, regs[slot], hd_op_width(op, inst->mods, (enum hd_slot)slot));
	add_predicate(set, inst->guard);
	add_predicate(set, inst->psrc);
	add_predicate(set, inst->psrc2);
	if (hd_opinfo[op].effects & HD_FX_READ_PREDS)
		set->preds |= ALL_PREDICATES;
}

void hd_inst_writes(const struct hd_inst *inst, struct hd_regset *set)
{
	enum hd_op op = inst->op;
	*set = (struct hd_regset){0};
	if (inst->dst < HD_RZ && hd_opinfo[op].dst != HD_W_U)
		add_registers(set, inst->dst, hd_op_width(op, inst->mods, HD_SLOT_DST));
	add_predicate(set, inst->pdst);
	if (hd_opinfo[op].effects & HD_FX_WRITE_PREDS)
		set->preds |= inst->xkind == HD_X_IMM_B ? inst->x & ALL_PREDICATES : ALL_PREDICATES;
}

uint64_t hd_inst_uniform_reads(const struct hd_inst *inst)
{
	return hd_x_is_uniform(inst->xkind) && inst->x < HD_MAX_UREGS ? UINT64_C(1) << inst->x : 0;
}

uint64_t hd_inst_uniform_writes(const struct hd_inst *inst)
{
	return hd_opinfo[inst->op].dst == HD_W_U && inst->dst < HD_MAX_UREGS ? UINT64_C(1) << inst->dst : 0;
}

static const char *const mod_names[HD_MOD_COUNT] = {
#define X(kind, shift, bits, names) [HD_MOD_##kind] = names,
	HD_MOD_LIST(X)
#undef X
};

const char *hd_mod_kind_name(enum hd_mod_kind kind)
{
	static const char *const names[HD_MOD_COUNT] = {
#define X(kind, shift, bits, names) #kind,
		HD_MOD_LIST(X)
#undef X
	};
	return names[kind];
}

bool hd_mod_is_number(enum hd_mod_kind kind)
{
	return mod_names[kind][0] == '#';
}

int hd_mod_name(enum hd_mod_kind kind, uint32_t value, char name[HD_MOD_NAME_BYTES])
{
	name[0] = '\0';
	if (hd_mod_is_number(kind)) {
		snprintf(name, HD_MOD_NAME_BYTES, "0x%x", value);
		return 0;
	}
	if (kind == HD_MOD_SR) {
		snprintf(name, HD_MOD_NAME_BYTES, "%s", hd_sr_name((enum hd_sr)value));
		return value < HD_SR_COUNT ? 0 : -1;
	}
	const char *at = mod_names[kind];
	for (; value; value--) {
		at = strchr(at, '|');
		if (!at)
			return -1;
		at++;
	}
	snprintf(name, HD_MOD_NAME_BYTES, "%.*s", (int)strcspn(at, "|"), at);
	return 0;
}

const char *hd_role_name(enum hd_role role)
{
	static const char *const names[HD_ROLE_COUNT] = {"plain",	"callee-save", "callee-restore",
							 "spill-store", "spill-load",  "warp-atomic"};
	return (unsigned)role < HD_ROLE_COUNT ? names[role] : "unknown";
}

const char *hd_sr_name(enum hd_sr sr)
{
	static const char *const names[HD_SR_COUNT] = {
#define X(name) "SR_" #name,
		HD_SR_LIST(X)
#undef X
	};
	switch (sr) {
	case HD_SR_TID_X: return "SR_TID.X";
	case HD_SR_TID_Y: return "SR_TID.Y";
	case HD_SR_TID_Z: return "SR_TID.Z";
	case HD_SR_CTAID_X: return "SR_CTAID.X";
	case HD_SR_CTAID_Y: return "SR_CTAID.Y";
	case HD_SR_CTAID_Z: return "SR_CTAID.Z";
	case HD_SR_CLUSTERID_X: return "SR_CLUSTERID.X";
	case HD_SR_CLUSTERID_Y: return "SR_CLUSTERID.Y";
	case HD_SR_CLUSTERID_Z: return "SR_CLUSTERID.Z";
	case HD_SR_CLUSTER_CTAID_X: return "SR_CLUSTER_CTAID.X";
	case HD_SR_CLUSTER_CTAID_Y: return "SR_CLUSTER_CTAID.Y";
	case HD_SR_CLUSTER_CTAID_Z: return "SR_CLUSTER_CTAID.Z";
	default: return (unsigned)sr < HD_SR_COUNT ? names[sr] : "SR_?";
	}
}

const char *hd_syscall_name(enum hd_syscall service)
{
	static const char *const names[HD_SYS_COUNT] = {
#define X(name, symbol, ...) symbol,
		HD_SYS_LIST(X)
#undef X
	};
	return (unsigned)service < HD_SYS_COUNT ? names[service] : "unknown";
}

bool hd_op_is_fixed(enum hd_op op)
{
	unsigned pipe = op < HD_OP_COUNT ? hd_opinfo[op].pipe : HD_PIPE_BRU;
	return pipe == HD_PIPE_INT || pipe == HD_PIPE_FP32 || pipe == HD_PIPE_FP64;
}

enum hd_pipeline hd_op_pipeline(enum hd_op op)
{
	const struct hd_opinfo *info = &hd_opinfo[op];
	if (info->lat == HD_LAT_HALF)
		return HD_PIPELINE_HALF;
	if (info->pipe == HD_PIPE_FP32 || info->lat == HD_LAT_IMAD || info->lat == HD_LAT_IMADHI ||
	    info->lat == HD_LAT_IMUL)
		return HD_PIPELINE_FMA;
	return info->pipe == HD_PIPE_INT ? HD_PIPELINE_ALU : HD_NO_PIPELINE;
}

enum hd_lat hd_inst_lat(const struct hd_inst *inst)
{
	if (inst->op != HD_OP_MUFU)
		return (enum hd_lat)hd_opinfo[inst->op].lat;
	switch (hd_mod_get(inst->mods, HD_MOD_MUFUFN)) {
	case HD_MUFU_EX2: return HD_LAT_EX2;
	case HD_MUFU_RCP:
	case HD_MUFU_RCP64H: return HD_LAT_RCP;
	case HD_MUFU_RSQ:
	case HD_MUFU_SQRT:
	case HD_MUFU_RSQ64H: return HD_LAT_RSQ;
	default: return HD_LAT_SFU;
	}
}
