/*
 * The verifier of one instruction: everything that the opcode table promises about its
 * operands, plus the few rules that an opcode's comment states and its row cannot.
 * Constant time; nothing is allocated. Rules over a whole function are in object/verify.c.
 */
#include "heddle/machine.h"
#include "heddle/opcodes.h"

static const char *check_register(uint8_t reg, unsigned width)
{
	if (!width)
		return reg == HD_RZ ? NULL : "register in a slot that the opcode does not have";
	if (reg == HD_RZ)
		return NULL;
	if (reg % hd_register_alignment(width))
		return "register pair or quad is not aligned";
	return reg + width > HD_MAX_REGS ? "register pair or quad ends in RZ" : NULL;
}

static const char *check_registers(const struct hd_inst *inst)
{
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	for (unsigned slot = 0; slot < 4; slot++) {
		unsigned width = hd_op_width(inst->op, inst->mods, (enum hd_slot)slot);
		bool coefficient = slot > HD_SLOT_DST && hd_lr_takes(inst->linear, slot);
		bool other = coefficient || (slot == HD_SLOT_DST && hd_opinfo[inst->op].dst == HD_W_U);
		const char *wrong = other ? NULL : check_register(regs[slot], width);
		if (wrong)
			return wrong;
		bool dead = slot > HD_SLOT_DST && inst->dead >> (slot - 1) & 1;
		if (dead && (coefficient || regs[slot] == HD_RZ))
			return "dead bit on a slot without a register";
		bool reused = slot > HD_SLOT_DST && inst->reuse >> (slot - 1) & 1;
		if (reused && (coefficient || regs[slot] == HD_RZ))
			return "reuse bit on a slot without a register";
	}
	if (inst->reuse >> 3 || (inst->reuse && !hd_op_is_fixed(inst->op)))
		return "reuse bit on an instruction that does not use the reuse cache";
	return inst->dead >> 3 ? "dead bits out of range" : NULL;
}

static const char *check_predicates(const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	if (inst->guard > (HD_PT | HD_PRED_NOT) || inst->psrc > (HD_PT | HD_PRED_NOT) ||
	    inst->psrc2 > (HD_PT | HD_PRED_NOT) || inst->pdst > HD_PT)
		return "predicate out of range";
	if (!info->pdst && inst->pdst != HD_PT)
		return "predicate result of an opcode that has none";
	if ((info->psrc < 1 && inst->psrc != HD_PT) || (info->psrc < 2 && inst->psrc2 != HD_PT))
		return "predicate source of an opcode that has none";
	return NULL;
}

static const char *check_modifiers(const struct hd_inst *inst)
{
	static const uint16_t field[HD_MOD_COUNT] = {
#define X(kind, shift, bits, names) [HD_MOD_##kind] = ((1u << (bits)) - 1) << (shift),
		HD_MOD_LIST(X)
#undef X
	};
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	uint16_t known = 0;
	for (unsigned kind = 0; kind < HD_MOD_COUNT; kind++) {
		char name[HD_MOD_NAME_BYTES];
		if (!(info->mods >> kind & 1))
			continue;
		known |= field[kind];
		if (hd_mod_name((enum hd_mod_kind)kind, hd_mod_get(inst->mods, (enum hd_mod_kind)kind), name) != 0)
			return "modifier value out of range";
	}
	return inst->mods & ~known ? "modifier that the opcode does not have" : NULL;
}

static bool xkind_allowed(const struct hd_opinfo *info, const struct hd_inst *inst)
{
	bool b = hd_x_in_b(inst->xkind), c = hd_x_in_c(inst->xkind);
	bool none = inst->xkind == HD_X_NONE && inst->x == 0;
	switch ((enum hd_srcx)info->srcx) {
	case HD_XN: return none;
	case HD_XB: return none || b;
	case HD_XC: return none || c;
	case HD_XBC: return none || b || c;
	case HD_XM:
	case HD_XS: return none || inst->xkind == HD_X_OTHER;
	case HD_XT: return inst->xkind == HD_X_OTHER;
	}
	return false;
}

static const char *check_uniform(const struct hd_inst *inst)
{
	enum hd_slot slot = inst->xkind == HD_X_UNIFORM_B ? HD_SLOT_B : HD_SLOT_C;
	if (hd_opinfo[inst->op].dst == HD_W_U && inst->dst >= HD_MAX_UREGS)
		return "uniform register out of range";
	if (!hd_x_is_uniform(inst->xkind))
		return NULL;
	if (hd_op_width(inst->op, inst->mods, slot) != 1)
		return "uniform register in a slot that is not one register";
	return inst->x < HD_MAX_UREGS ? NULL : "uniform register out of range";
}

/* A constant-bank operand: what it names in bank 0 is there; how large other banks are, the launch says. */
static const char *check_constant(const struct hd_inst *inst)
{
	enum hd_slot slot = inst->xkind == HD_X_CONST_B ? HD_SLOT_B : HD_SLOT_C;
	unsigned width = hd_op_width(inst->op, inst->mods, slot);
	if (inst->x & 3)
		return "constant-bank offset is not a multiple of 4";
	if (inst->x >> 16 > 31)
		return "constant bank out of range";
	return inst->x >> 16 || hd_cb_holds(inst->x & 0xffff, 4 * width) ? NULL : "constant-bank offset out of range";
}

/* An operand that is a constant-bank word, or an immediate in place of a register. */
static const char *check_x(const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	if (!xkind_allowed(info, inst))
		return "immediate, constant or target where the opcode takes none";
	const char *wrong = hd_x_is_constant(inst->xkind) ? check_constant(inst) : NULL;
	if (wrong)
		return wrong;
	if ((hd_x_in_b(inst->xkind) && inst->b != HD_RZ) || (hd_x_in_c(inst->xkind) && inst->c != HD_RZ))
		return "slot holds both a register and an immediate or constant";
	if (info->srcx == HD_XT && inst->op == HD_OP_BRA && inst->x >= HD_NO_PC)
		return "branch target out of range";
	if ((info->effects & HD_FX_BRANCH) && inst->reconv > HD_NO_PC)
		return "reconvergence point out of range";
	return check_uniform(inst);
}

static const char *check_source_modifiers(const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	uint8_t allowed = 0;
	if (info->srcmods & HD_SM_NEG)
		allowed |= (info->a ? HD_NEG_A : 0) | (info->b ? HD_NEG_B : 0) | (info->c ? HD_NEG_C : 0);
	if (info->srcmods & HD_SM_ABS)
		allowed |= (info->a ? HD_ABS_A : 0) | (info->b ? HD_ABS_B : 0);
	return inst->srcmods & ~allowed ? "source modifier that the opcode does not have" : NULL;
}

static bool is_float(uint32_t type)
{
	return type >= HD_F16 && type != HD_B128;
}

static const char *check_conversion(const struct hd_inst *inst)
{
	uint32_t to = hd_mod_get(inst->mods, HD_MOD_DTYPE), from = hd_mod_get(inst->mods, HD_MOD_STYPE);
	bool integer64 = from == HD_U64 || from == HD_S64;
	if (to == HD_B128 || from == HD_B128)
		return "conversion of 128 bits";
	if (inst->xkind == HD_X_IMM_B && integer64)
		return "64-bit integer immediate";
	switch (inst->op) {
	case HD_OP_F2F: return is_float(to) && is_float(from) ? NULL : "F2F converts between floating-point types";
	case HD_OP_F2I: return !is_float(to) && is_float(from) ? NULL : "F2I converts floating point to integer";
	case HD_OP_I2F: return is_float(to) && !is_float(from) ? NULL : "I2F converts integer to floating point";
	default: return is_float(to) && to == from ? NULL : "FRND rounds inside one floating-point type";
	}
}

static const char *check_packed(const struct hd_inst *inst)
{
	uint32_t to = hd_mod_get(inst->mods, HD_MOD_DTYPE), rounding = hd_mod_get(inst->mods, HD_MOD_RND);
	if (to != HD_F16 && to != HD_BF16)
		return "F2FP makes numbers of 16 bits";
	return rounding == HD_RN || rounding == HD_RND_RZ ? NULL : "F2FP rounds to the nearest or to zero";
}

static const char *check_atomic(const struct hd_inst *inst)
{
	uint32_t type = hd_mod_get(inst->mods, HD_MOD_DTYPE), op = hd_mod_get(inst->mods, HD_MOD_ATOMOP);
	if (type == HD_U8 || type == HD_S8)
		return "8-bit atomic operation";
	if (type == HD_B128 && op != HD_ATOM_EXCH && op != HD_ATOM_CAS)
		return "atomic operation on 128 bits other than EXCH and CAS";
	if (is_float(type) && (op == HD_ATOM_AND || op == HD_ATOM_OR || op == HD_ATOM_XOR))
		return "bitwise atomic operation on floating point";
	if ((op == HD_ATOM_INC || op == HD_ATOM_DEC) && type != HD_U32)
		return "INC and DEC are atomic operations on U32";
	return op != HD_ATOM_CAS && inst->c != HD_RZ ? "third operand of an atomic operation other than CAS" : NULL;
}

static const char *check_shuffle(const struct hd_inst *inst)
{
	bool b = hd_mod_get(inst->mods, HD_MOD_BIMM), c = hd_mod_get(inst->mods, HD_MOD_CIMM);
	bool mask = hd_mod_get(inst->mods, HD_MOD_MEMBERS) == HD_MEMBERS_MASK;
	if ((b && inst->b != HD_RZ) || (c && !mask && inst->c != HD_RZ))
		return "slot holds both a register and an immediate";
	if (mask && b && !c)
		return "lane is an immediate and clamp is not, where b is both";
	return (!b && (inst->x & 0xff)) || (!c && inst->x >> 8) ? "immediate without BIMM or CIMM" : NULL;
}

static const char *check_extended(const struct hd_inst *inst)
{
	bool extended = hd_mod_get(inst->mods, HD_MOD_EX);
	bool third = inst->c != HD_RZ || hd_x_in_c(inst->xkind);
	if (inst->op == HD_OP_ISETP)
		return !extended && inst->psrc2 != HD_PT ? "second predicate source without .EX" : NULL;
	if (!extended && inst->psrc != HD_PT)
		return "carry-in without .EX";
	/* Two carries could come out of three operands. */
	return inst->op == HD_OP_IADD3 && inst->pdst != HD_PT && third ? "carry-out of three operands" : NULL;
}

static bool is_wide_sr(uint32_t sr)
{
	return sr == HD_SR_CLOCK64 || sr == HD_SR_GLOBALTIMER64;
}

static const char *check_matrices(const struct hd_inst *inst)
{
	uint32_t size = hd_mod_get(inst->mods, HD_MOD_SIZE);
	if (inst->op == HD_OP_LDSM)
		return size == HD_SIZE_32 || size == HD_SIZE_64 || size == HD_SIZE_128 ? NULL
										       : "LDSM of less than a matrix";
	if (inst->op == HD_OP_MOVM)
		return hd_mod_get(inst->mods, HD_MOD_TRANS) ? NULL : "MOVM that does not transpose";
	if (inst->op == HD_OP_HMMA_884)
		return hd_mod_get(inst->mods, HD_MOD_ACC) == HD_ACC_F32 || hd_mod_get(inst->mods, HD_MOD_STEP) < 2
			       ? NULL
			       : "third step of a product into half precision";
	if (inst->op == HD_OP_IMMA_SP_16832)
		return hd_mod_get(inst->mods, HD_MOD_META) & 1 ? "metadata of bytes in half a pair of lanes" : NULL;
	return hd_mod_get(inst->mods, HD_MOD_ACC) == HD_ACC_F16 &&
			       hd_mod_get(inst->mods, HD_MOD_FACTOR) == HD_FACTOR_BF16
		       ? "product of bfloat numbers into half precision"
		       : NULL;
}

static const char *check_texture(const struct hd_inst *inst)
{
	if (hd_mod_get(inst->mods, HD_MOD_SIZE) < HD_SIZE_32)
		return "texture fetch of less than a channel";
	if (inst->op == HD_OP_TXD && hd_mod_get(inst->mods, HD_MOD_TDIM) > HD_TEX_2D)
		return "gradients of other than one or two dimensions";
	return NULL;
}

/* As PTX's cp.async; L1 is passed by copies of 16 bytes alone. */
static const char *check_copy(const struct hd_inst *inst)
{
	uint32_t size = hd_mod_get(inst->mods, HD_MOD_SIZE), cache = hd_mod_get(inst->mods, HD_MOD_CACHE);
	if (size < HD_SIZE_32)
		return "copy of less than a word";
	if (!hd_mod_get(inst->mods, HD_MOD_ZFILL) && inst->psrc != HD_PT)
		return "predicate of a copy without .ZFILL";
	if (cache != HD_CACHE_DEFAULT && cache != HD_CACHE_CG)
		return "cache operator that copies do not have";
	return cache == HD_CACHE_CG && size != HD_SIZE_128 ? "copy past L1 of less than 16 bytes" : NULL;
}

/* As PTX's wgmma.mma_async. */
static const char *check_warpgroup(const struct hd_inst *inst)
{
	uint32_t type = hd_mod_get(inst->mods, HD_MOD_WGTYPE), acc = hd_mod_get(inst->mods, HD_MOD_WGACC);
	uint32_t trans = hd_mod_get(inst->mods, HD_MOD_WGTRANS), count = hd_mod_get(inst->mods, HD_MOD_WGN) + 1;
	bool integers = type >= HD_WG_S8, sixteen = type == HD_WG_F16 || type == HD_WG_BF16;
	bool registers = hd_mod_get(inst->mods, HD_MOD_WGA) == HD_WG_REGISTERS;
	if (integers != (acc == HD_WG_ACC_S32))
		return "accumulator of another kind than the factors";
	if (acc == HD_WG_ACC_F16 && (type == HD_WG_BF16 || type == HD_WG_TF32))
		return "product of bfloat or tf32 numbers into half precision";
	if (hd_mod_get(inst->mods, HD_MOD_SAT) && !integers)
		return "saturation of floating-point numbers";
	if (integers && (inst->srcmods || (count > 4 && count % 2)))
		return "no product of a warpgroup has this form on integers";
	if (inst->srcmods & HD_NEG_C)
		return "source modifier that the opcode does not have";
	if ((trans && !sixteen) || (trans & HD_WG_TRANS_A && registers))
		return "only factors of 16 bits in shared memory can lie the other way";
	if (inst->dst == HD_RZ || (inst->c != HD_RZ && inst->c != inst->dst))
		return "the accumulator is not the result";
	return NULL;
}

static const char *check_reduction(const struct hd_inst *inst)
{
	uint32_t type = hd_mod_get(inst->mods, HD_MOD_DTYPE), op = hd_mod_get(inst->mods, HD_MOD_ATOMOP);
	if (type != HD_U32 && type != HD_S32)
		return "REDUX combines integers of 32 bits";
	return op == HD_ATOM_INC || op == HD_ATOM_DEC || op > HD_ATOM_XOR ? "REDUX has no INC, DEC, EXCH or CAS" : NULL;
}

/* What an opcode's comment in the table says and its columns do not. */
static const char *check_special(const struct hd_inst *inst)
{
	switch (inst->op) {
	case HD_OP_F2F:
	case HD_OP_F2I:
	case HD_OP_I2F:
	case HD_OP_FRND: return check_conversion(inst);
	case HD_OP_F2FP: return check_packed(inst);
	case HD_OP_ATOMG:
	case HD_OP_ATOMS:
	case HD_OP_ATOM: return check_atomic(inst);
	case HD_OP_SHFL: return check_shuffle(inst);
	case HD_OP_REDUX: return check_reduction(inst);
	case HD_OP_IADD3:
	case HD_OP_LEA_HI:
	case HD_OP_ISETP: return check_extended(inst);
	case HD_OP_S2R: return is_wide_sr(hd_mod_get(inst->mods, HD_MOD_SR)) ? "64-bit special register in S2R" : NULL;
	case HD_OP_CS2R:
		return is_wide_sr(hd_mod_get(inst->mods, HD_MOD_SR)) ? NULL : "32-bit special register in CS2R";
	case HD_OP_LDSM:
	case HD_OP_MOVM:
	case HD_OP_HMMA_884:
	case HD_OP_HMMA_1688:
	case HD_OP_HMMA_16816:
	case HD_OP_HMMA_SP_16816:
	case HD_OP_IMMA_SP_16832: return check_matrices(inst);
	case HD_OP_TEX:
	case HD_OP_TLD:
	case HD_OP_TLD4:
	case HD_OP_TXD: return check_texture(inst);
	case HD_OP_LDGSTS: return check_copy(inst);
	case HD_OP_DEPBAR: return inst->x < HD_COPY_GROUPS ? NULL : "more groups of copies than a warp has";
	case HD_OP_WGMMA: return check_warpgroup(inst);
	case HD_OP_WARPGROUP:
		return inst->x && (hd_mod_get(inst->mods, HD_MOD_WGMODE) != HD_WG_WAIT || inst->x > HD_WG_MOST_LEFT)
			       ? "more groups of products than a warp waits for"
			       : NULL;
	case HD_OP_USETMAXREG:
		return inst->x % HD_RESIZE_STEP || inst->x < HD_RESIZE_LEAST || inst->x > HD_RESIZE_MOST
			       ? "registers that are no multiple of eight from 24 to 256"
			       : NULL;
	case HD_OP_UMOV: return inst->b == HD_RZ ? NULL : "UMOV of a register";
	case HD_OP_SYSCALL: return inst->x < HD_SYS_COUNT ? NULL : "unknown runtime service";
	default: return NULL;
	}
}

/* Roles split local traffic into spills and the rest, so only accesses of local memory have these; of spills those of
 * shared memory, too. Another role is for atomic operations, and for what combines their operands. */
static const char *check_role(const struct hd_inst *inst)
{
	switch ((enum hd_role)inst->role) {
	case HD_ROLE_CALLEE_SAVE: return inst->op == HD_OP_STL ? NULL : "save that is not a local store";
	case HD_ROLE_CALLEE_RESTORE: return inst->op == HD_OP_LDL ? NULL : "restore that is not a local load";
	case HD_ROLE_SPILL_STORE:
		return inst->op == HD_OP_STL || inst->op == HD_OP_STS ? NULL : "spill that is not a store";
	case HD_ROLE_SPILL_LOAD:
		return inst->op == HD_OP_LDL || inst->op == HD_OP_LDS ? NULL : "reload that is not a load";
	case HD_ROLE_WARP_ATOMIC:
		return hd_opinfo[inst->op].effects & HD_FX_ATOMIC || inst->op == HD_OP_REDUX || inst->op == HD_OP_SHFL
			       ? NULL
			       : "atomic operation of a warp that is none";
	case HD_ROLE_PLAIN: return NULL;
	default: return "role out of range";
	}
}

static bool is_addressed(const struct hd_inst *inst)
{
	return hd_opinfo[inst->op].srcx == HD_XM && inst->op != HD_OP_LDC;
}

/* The slot of a linear operand: a source of one or two registers that holds nothing else. */
static const char *check_linear_slot(const struct hd_inst *inst)
{
	unsigned slot = hd_lr_slot(inst->linear), width;
	if (!hd_op_takes_linear(inst->op))
		return "linear operand of an opcode that takes none";
	if (slot > HD_SLOT_C)
		return "linear operand in no slot";
	width = hd_op_width(inst->op, inst->mods, (enum hd_slot)slot);
	if (width != 1 && width != 2)
		return "linear operand in a slot that is not one or two registers";
	if ((slot == HD_SLOT_B && hd_x_in_b(inst->xkind)) || (slot == HD_SLOT_C && hd_x_in_c(inst->xkind)))
		return "slot holds both a linear operand and an immediate or constant";
	return hd_lr_high(inst->linear) && width == 2 ? "high word of a linear operand in a pair" : NULL;
}

static const char *check_linear(const struct hd_inst *inst)
{
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	const char *wrong;
	if (hd_lr_kind(inst->linear) == HD_LR_NONE)
		return inst->linear ? "fields of a linear operand without one" : NULL;
	wrong = check_linear_slot(inst);
	if (wrong)
		return wrong;
	switch (hd_lr_kind(inst->linear)) {
	case HD_LR_OFFSET:
		return is_addressed(inst) && hd_lr_slot(inst->linear) == HD_SLOT_A && !hd_lr_high(inst->linear)
			       ? NULL
			       : "linear register plus register in a slot that is no address";
	case HD_LR_COEFFICIENT:
		if (regs[hd_lr_slot(inst->linear)] == HD_RZ)
			return "no coefficient register";
		return hd_lr_reg(inst->linear) > 1 ? "unknown form of a coefficient register" : NULL;
	default: return NULL;
	}
}

const char *hd_inst_check(const struct hd_inst *inst)
{
	static const char *(*const checks[])(const struct hd_inst *) = {
		check_modifiers,	check_registers, check_predicates, check_x,
		check_source_modifiers, check_special,	 check_role,	   check_linear,
	};
	if (inst->op >= HD_OP_COUNT)
		return "unknown opcode";
	for (unsigned i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
		const char *wrong = checks[i](inst);
		if (wrong)
			return wrong;
	}
	return NULL;
}
