/*
 * Kinds of instructions that figures count.
 */
#include "lib/machine/mix.h"

#include "heddle/opcodes.h"

static bool has_double(const struct hd_inst *inst)
{
	uint64_t mods = hd_opinfo[inst->op].mods;
	return ((mods >> HD_MOD_DTYPE & 1) && hd_mod_get(inst->mods, HD_MOD_DTYPE) == HD_F64) ||
	       ((mods >> HD_MOD_STYPE & 1) && hd_mod_get(inst->mods, HD_MOD_STYPE) == HD_F64);
}

static bool is_conversion(const struct hd_inst *inst)
{
	return inst->op == HD_OP_F2F || inst->op == HD_OP_F2FP || inst->op == HD_OP_F2I || inst->op == HD_OP_I2F;
}

/* The special function unit's halves of a double's reciprocal and root are steps of double-precision code. */
static bool is_double(const struct hd_inst *inst)
{
	if (inst->op == HD_OP_MUFU) {
		uint32_t function = hd_mod_get(inst->mods, HD_MOD_MUFUFN);
		return function == HD_MUFU_RCP64H || function == HD_MUFU_RSQ64H;
	}
	return hd_opinfo[inst->op].pipe == HD_PIPE_FP64 || inst->op == HD_OP_DMMA_884 || has_double(inst);
}

static bool is_bulk_copy(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_UBLKCP:
	case HD_OP_UBLKRED:
	case HD_OP_UTMALDG:
	case HD_OP_UTMASTG:
	case HD_OP_UTMAREDG: return true;
	default: return false;
	}
}

bool hd_inst_is_of(const struct hd_inst *inst, enum hd_mix_kind kind)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	switch (kind) {
	case HD_MIX_FP64: return is_double(inst);
	case HD_MIX_CONVERSION: return is_conversion(inst);
	case HD_MIX_LOCAL: return info->space == HD_AT_LOCAL && inst->role == HD_ROLE_PLAIN;
	case HD_MIX_BARRIER: return (info->effects & HD_FX_BARRIER) != 0;
	case HD_MIX_PRODUCT: return inst->op == HD_OP_WGMMA;
	case HD_MIX_SERIALIZED:
		return inst->op == HD_OP_WARPGROUP && hd_mod_get(inst->mods, HD_MOD_WGMODE) == HD_WG_SERIALIZE;
	case HD_MIX_RESIZE: return inst->op == HD_OP_USETMAXREG;
	case HD_MIX_BULK: return is_bulk_copy(inst);
	case HD_MIX_INIT: return inst->op == HD_OP_SYNCS && hd_mod_get(inst->mods, HD_MOD_SYNCSOP) == HD_SYNCS_INIT;
	case HD_MIX_AWAIT: return inst->op == HD_OP_SYNCS_WAIT;
	case HD_MIX_KINDS: break;
	}
	return false;
}
