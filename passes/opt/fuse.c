/*
 * Instructions that do part of another's work, in SSA form, between the general clean-up and the removal of dead code:
 *
 *   frames  an index added to the address of a stack object is added to R1, and the object's place goes into the
 *           displacements of the accesses: no register for the address of the object. Switch: without=frame-offsets
 *   masks   an AND that takes away no bit which can be set becomes a copy, and so do an OR or XOR with zero, a product
 *           with zero in a sum, and the choice between equals. Switch: without=redundant-masks
 *   words   the upper words of wide sums and compares whose lower or upper words are zeros take no carry, or are left
 *           out. Switch: without=zero-words
 *   halves  16 bits beside 16 others that were shifted there take one PRMT, and two conversions to 16 bits whose
 *           results become one register one F2FP. An upper half is widened where it is (HADD2.F32). Switch:
 *           without=paired-halves
 *
 * Needs SSA form. Linear.
 */
#include "heddle/opcodes.h"
#include "passes/mir/mir.h"

#define REACH 0x400000 /* bytes: offsets beyond it stay out of displacements, which have 24 bits */

struct fuser {
	struct hd_mfunc *func;
	struct hd_arena arena;
	struct hd_minst **def; /* by virtual register; NULL: PHIs and the like, and arguments */
	bool *elsewhere;       /* read by something other than the address of an access to local memory */
	bool *accessed;	       /* read by such an address */
	uint32_t *reads;       /* how often, addresses apart */
	struct hd_minst *inst; /* being visited */
};

typedef void (*fuse_step)(struct fuser *fuser, struct hd_minst *inst);

static void for_each(struct fuser *fuser, fuse_step step)
{
	for (uint32_t id = 0; id < fuser->func->blocks.len; id++)
		for (uint32_t i = 0; i < fuser->func->blocks.data[id].insts.len; i++)
			step(fuser, &fuser->func->blocks.data[id].insts.data[i]);
}

static struct hd_minst *def_of(const struct fuser *fuser, struct hd_mreg reg)
{
	return hd_mreg_is_virtual(reg.id) && reg.words ? fuser->def[reg.id - HD_MREG_VIRTUAL] : NULL;
}

/* An access to local memory whose address has nothing but a register and a displacement. */
static bool is_access(const struct hd_minst *inst)
{
	return inst->op < HD_OP_LIMIT && hd_opinfo[inst->op].space == HD_AT_LOCAL && inst->ref_kind == HD_MREF_NONE &&
	       !inst->linear && inst->a.words == 1;
}

static void note_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	struct fuser *fuser = context;
	if (!hd_mreg_is_virtual(reg->id))
		return;
	uint32_t vreg = reg->id - HD_MREG_VIRTUAL;
	if (is_def)
		fuser->def[vreg] = fuser->inst;
	else if (reg == &fuser->inst->a && is_access(fuser->inst))
		fuser->accessed[vreg] = true;
	else
		fuser->elsewhere[vreg] = ++fuser->reads[vreg];
}

static void note(struct fuser *fuser, struct hd_minst *inst)
{
	fuser->inst = inst;
	hd_minst_visit(fuser->func, inst, note_operand, fuser);
}

/* ---- frames ---- */

static bool is_frame_address(const struct fuser *fuser, const struct hd_minst *inst)
{
	return inst && inst->op == HD_OP_IADD3 && inst->ref_kind == HD_MREF_FRAME && inst->xkind == HD_X_IMM_B &&
	       inst->a.id == hd_mfunc_frame_base(fuser->func) && !inst->srcmods && inst->pdst == HD_MREG_PT &&
	       (!inst->c.words || inst->c.id == HD_RZ);
}

/* The operand of a sum that is the address of a stack object, where the sum only serves accesses; or NULL. */
static struct hd_mreg *frame_operand(const struct fuser *fuser, struct hd_minst *sum)
{
	bool plain = (sum->op == HD_OP_IADD3 && !hd_mod_get(sum->mods, HD_MOD_EX)) || sum->op == HD_OP_LEA;
	if (!plain || sum->pdst != HD_MREG_PT || sum->psrc != HD_MREG_PT || sum->srcmods || sum->linear ||
	    sum->ref_kind != HD_MREF_NONE || !hd_mreg_is_virtual(sum->dst.id) || sum->dst.words != 1)
		return NULL;
	uint32_t vreg = sum->dst.id - HD_MREG_VIRTUAL;
	if (!fuser->accessed[vreg] || fuser->elsewhere[vreg])
		return NULL;
	struct hd_mreg *operands[] = {&sum->b, &sum->c, &sum->a};
	for (unsigned i = 0; i < (sum->op == HD_OP_LEA ? 1u : 3u); i++)
		if (operands[i]->words == 1 && is_frame_address(fuser, def_of(fuser, *operands[i])))
			return operands[i];
	return NULL;
}

/* One access that is out of reach keeps the sum as it is. */
static void refuse_far(struct fuser *fuser, struct hd_minst *inst)
{
	struct hd_minst *sum = is_access(inst) ? def_of(fuser, inst->a) : NULL;
	struct hd_mreg *operand = sum ? frame_operand(fuser, sum) : NULL;
	if (!operand)
		return;
	const struct hd_minst *address = def_of(fuser, *operand);
	if ((int32_t)address->x < -REACH || (int32_t)address->x > REACH || (int32_t)inst->x < -REACH ||
	    (int32_t)inst->x > REACH)
		fuser->elsewhere[inst->a.id - HD_MREG_VIRTUAL] = true;
}

static void move_access(struct fuser *fuser, struct hd_minst *inst)
{
	struct hd_minst *sum = is_access(inst) ? def_of(fuser, inst->a) : NULL;
	struct hd_mreg *operand = sum ? frame_operand(fuser, sum) : NULL;
	if (!operand)
		return;
	const struct hd_minst *address = def_of(fuser, *operand);
	inst->x += address->x;
	inst->ref_kind = HD_MREF_FRAME;
	inst->ref = address->ref;
}

static void move_sum(struct fuser *fuser, struct hd_minst *inst)
{
	struct hd_mreg *operand = frame_operand(fuser, inst);
	if (operand)
		*operand = (struct hd_mreg){hd_mfunc_frame_base(fuser->func), 0, 1};
}

/* ---- masks ---- */

static bool is_mask(const struct hd_minst *inst)
{
	return inst->op == HD_OP_LOP3 && hd_mod_get(inst->mods, HD_MOD_LUT) == 0xc0 && inst->xkind == HD_X_IMM_B &&
	       inst->ref_kind == HD_MREF_NONE && inst->pdst == HD_MREG_PT && !inst->linear && inst->dst.words == 1;
}

static bool is_zero(struct hd_mreg reg)
{
	return reg.id == HD_RZ && reg.words;
}

/* Bits of a value that can be set. */
static uint32_t bits_of(const struct fuser *fuser, struct hd_mreg reg)
{
	const struct hd_minst *def = reg.words == 1 && !reg.sub ? def_of(fuser, reg) : NULL;
	if (!def || def->op >= HD_OP_LIMIT || def->dst.words != 1)
		return UINT32_MAX;
	if (is_mask(def))
		return def->x;
	if (def->op == HD_OP_F2FP && is_zero(def->a))
		return 0xffff;
	if (hd_opinfo[def->op].effects & HD_FX_LOAD && hd_opinfo[def->op].mods >> HD_MOD_SIZE & 1) {
		uint32_t size = hd_mod_get(def->mods, HD_MOD_SIZE);
		return size == HD_SIZE_U8 ? 0xff : size == HD_SIZE_U16 ? 0xffff : UINT32_MAX;
	}
	bool logical = def->op == HD_OP_SHR && hd_mod_get(def->mods, HD_MOD_SIGN) == HD_UNSIGNED;
	if (logical && def->xkind == HD_X_IMM_B && def->ref_kind == HD_MREF_NONE && def->x < 32)
		return UINT32_MAX >> def->x;
	return UINT32_MAX;
}

/* The operand that is the result anyway; none where the result is something else. */
static struct hd_mreg kept_operand(const struct hd_minst *inst)
{
	uint32_t lut = inst->op == HD_OP_LOP3 ? hd_mod_get(inst->mods, HD_MOD_LUT) : 0;
	if (inst->xkind != HD_X_NONE || inst->linear || inst->srcmods || inst->pdst != HD_MREG_PT ||
	    inst->dst.words != 1)
		return HD_MREG_NONE;
	if (lut == 0xfc || lut == 0x3c)
		return is_zero(inst->a) ? inst->b : is_zero(inst->b) ? inst->a : HD_MREG_NONE;
	if (inst->op == HD_OP_IADD3 && !hd_mod_get(inst->mods, HD_MOD_EX) && (!inst->c.words || is_zero(inst->c)))
		return is_zero(inst->a) ? inst->b : is_zero(inst->b) ? inst->a : HD_MREG_NONE;
	if (inst->op == HD_OP_IMAD && (is_zero(inst->a) || is_zero(inst->b)))
		return inst->c.words ? inst->c : HD_MREG_RZ;
	if (inst->op == HD_OP_SEL && inst->a.id == inst->b.id && inst->a.sub == inst->b.sub)
		return inst->a;
	return HD_MREG_NONE;
}

/* A copy of the register, or of a predicate where `reg` is none, in place of the instruction. */
static void become_copy(struct hd_minst *inst, struct hd_mreg reg, uint32_t pred)
{
	struct hd_minst copy = hd_minst_make(HD_OP_COPY, 0);
	copy.dst = reg.words ? inst->dst : HD_MREG_NONE;
	copy.b = reg;
	copy.pdst = reg.words ? HD_MREG_PT : inst->pdst;
	copy.psrc = pred;
	copy.loc = inst->loc;
	copy.ir = inst->ir;
	*inst = copy;
}

static void drop_mask(struct fuser *fuser, struct hd_minst *inst)
{
	struct hd_mreg kept = is_mask(inst) && !(bits_of(fuser, inst->a) & ~inst->x) ? inst->a : kept_operand(inst);
	if (!kept.words)
		return;
	become_copy(inst, kept, HD_MREG_PT);
}

/* ---- words ---- */

/* The lower word of a sum that cannot carry, since one side is zero. */
static bool never_carries(const struct hd_minst *inst)
{
	return inst && inst->op == HD_OP_IADD3 && !hd_mod_get(inst->mods, HD_MOD_EX) && !inst->srcmods &&
	       !inst->linear && (!inst->c.words || is_zero(inst->c)) && (is_zero(inst->a) || is_zero(inst->b));
}

static void drop_carry(struct fuser *fuser, struct hd_minst *inst)
{
	bool extended = (inst->op == HD_OP_IADD3 || inst->op == HD_OP_ISETP) && hd_mod_get(inst->mods, HD_MOD_EX);
	if (!extended || inst->psrc_not || inst->psrc2_not)
		return;
	if (inst->op == HD_OP_ISETP) {
		if (is_zero(inst->a) && is_zero(inst->b) && inst->psrc == HD_MREG_PT && inst->xkind == HD_X_NONE)
			become_copy(inst, HD_MREG_NONE, inst->psrc2);
		return;
	}
	struct hd_minst *lower = hd_mreg_is_virtual(inst->psrc) ? fuser->def[inst->psrc - HD_MREG_VIRTUAL] : NULL;
	if (!never_carries(lower) || lower->pdst != inst->psrc || fuser->reads[inst->psrc - HD_MREG_VIRTUAL] > 1)
		return;
	inst->mods = (uint16_t)(inst->mods & ~HD_MOD(EX, 1));
	inst->psrc = HD_MREG_PT;
	lower->pdst = HD_MREG_PT;
}

/* ---- halves ---- */

enum { LOW_HALVES = 0x5410 }; /* bytes of c:a: those of a's lower half, and above them of c's */

static bool is_plain(const struct hd_minst *inst)
{
	return inst->ref_kind == HD_MREF_NONE && !inst->linear && !inst->srcmods && inst->guard == HD_MREG_PT;
}

/* The register whose lower half becomes the upper one; or none. */
static struct hd_mreg shifted_half(const struct fuser *fuser, struct hd_mreg reg)
{
	const struct hd_minst *def = reg.words == 1 && !reg.sub ? def_of(fuser, reg) : NULL;
	bool shifts = def && def->op == HD_OP_SHL && def->xkind == HD_X_IMM_B && def->x == 16 && is_plain(def) &&
		      def->dst.words == 1;
	return shifts ? def->a : HD_MREG_NONE;
}

/* A register of the same lower half, without a mask that keeps it: what is above may differ. */
static struct hd_mreg unmasked_half(const struct fuser *fuser, struct hd_mreg reg)
{
	const struct hd_minst *def = reg.words == 1 && !reg.sub ? def_of(fuser, reg) : NULL;
	return def && is_mask(def) && is_plain(def) && (def->x & 0xffff) == 0xffff ? def->a : reg;
}

/*
 * The shifted operand of an OR or XOR and the other one, whose upper half is zero, or which the instruction itself
 * masks: a | b & c and b | a & c with the mask in c, c | a & b with the mask in b. Returns whether it is that.
 */
static bool find_halves(const struct fuser *fuser, const struct hd_minst *inst, struct hd_mreg *high,
			struct hd_mreg *low)
{
	static const struct {
		uint8_t ored, xored, xkind;
		uint8_t high, low;
		bool masks;
	} forms[] = {
		{0xfc, 0x3c, HD_X_NONE, 0, 1, false}, {0xfc, 0x3c, HD_X_NONE, 1, 0, false},
		{0xf8, 0x78, HD_X_IMM_C, 0, 1, true}, {0xec, 0x6c, HD_X_IMM_C, 1, 0, true},
		{0xea, 0x6a, HD_X_IMM_B, 2, 0, true},
	};
	const struct hd_mreg operands[] = {inst->a, inst->b, inst->c};
	uint32_t lut = hd_mod_get(inst->mods, HD_MOD_LUT);
	for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
		if (inst->xkind != forms[i].xkind || (lut != forms[i].ored && lut != forms[i].xored))
			continue;
		*high = shifted_half(fuser, operands[forms[i].high]);
		*low = operands[forms[i].low];
		if (high->words && (forms[i].masks ? inst->x == 0xffff : bits_of(fuser, *low) <= 0xffff))
			return true;
	}
	return false;
}

static void join_halves(struct fuser *fuser, struct hd_minst *inst)
{
	struct hd_mreg high, low;
	if (inst->op != HD_OP_LOP3 || inst->pdst != HD_MREG_PT || !is_plain(inst) || inst->dst.words != 1 ||
	    !find_halves(fuser, inst, &high, &low))
		return;
	inst->op = HD_OP_PRMT;
	inst->mods = 0;
	inst->a = unmasked_half(fuser, low);
	inst->b = HD_MREG_NONE;
	inst->c = unmasked_half(fuser, high);
	inst->xkind = HD_X_IMM_B;
	inst->x = LOW_HALVES;
}

/* The register that a conversion of one number reads, whose result is read so many times at most; or none. */
static struct hd_mreg converted(const struct fuser *fuser, struct hd_mreg result, uint32_t most, uint16_t *mods)
{
	const struct hd_minst *def = result.words == 1 && !result.sub ? def_of(fuser, result) : NULL;
	if (!def || def->op != HD_OP_F2FP || !is_zero(def->a) || def->xkind != HD_X_NONE || !is_plain(def) ||
	    fuser->reads[result.id - HD_MREG_VIRTUAL] > most)
		return HD_MREG_NONE;
	*mods = def->mods;
	return def->b;
}

static void pair_conversions(struct fuser *fuser, struct hd_minst *inst)
{
	uint16_t mods = 0, other = 0;
	if (inst->op != HD_OP_PRMT || inst->xkind != HD_X_IMM_B || inst->x != LOW_HALVES || !is_plain(inst))
		return;
	uint32_t most = inst->a.id == inst->c.id ? 2 : 1; /* one number for both halves */
	struct hd_mreg low = converted(fuser, inst->a, most, &mods);
	struct hd_mreg high = converted(fuser, inst->c, most, &other);
	if (!low.words || !high.words || mods != other)
		return;
	inst->op = HD_OP_F2FP;
	inst->mods = mods;
	inst->xkind = HD_X_NONE;
	inst->x = 0;
	inst->a = high;
	inst->b = low;
	inst->c = HD_MREG_NONE;
}

/* The upper half of a register as single precision, without the shift that brings it down. */
static void widen_upper(struct fuser *fuser, struct hd_minst *inst)
{
	if (inst->op != HD_OP_HADD2_F32 || hd_mod_get(inst->mods, HD_MOD_UPPER) || inst->b.words != 1)
		return;
	const struct hd_minst *def = inst->b.sub ? NULL : def_of(fuser, inst->b);
	if (!def || def->op != HD_OP_SHR || def->xkind != HD_X_IMM_B || def->x != 16 || !is_plain(def) ||
	    def->dst.words != 1)
		return;
	inst->b = def->a;
	inst->mods |= HD_MOD(UPPER, 1);
}

int hd_fuse_run(struct hd_mfunc *func, struct hd_diag *diag)
{
	struct fuser fuser = {.func = func};
	(void)diag;
	hd_arena_init(&fuser.arena);
	fuser.def = HD_ARENA_NEW(&fuser.arena, struct hd_minst *, func->vregs.len + 1);
	fuser.elsewhere = HD_ARENA_NEW(&fuser.arena, bool, func->vregs.len + 1);
	fuser.reads = HD_ARENA_NEW(&fuser.arena, uint32_t, func->vregs.len + 1);
	fuser.accessed = HD_ARENA_NEW(&fuser.arena, bool, func->vregs.len + 1);
	for_each(&fuser, note);
	if (hd_switch_is_on(func->without, HD_SWITCH_ZERO_WORDS))
		for_each(&fuser, drop_carry);
	if (hd_switch_is_on(func->without, HD_SWITCH_PAIRED_HALVES)) {
		for_each(&fuser, join_halves);
		for_each(&fuser, pair_conversions);
		for_each(&fuser, widen_upper);
	}
	if (hd_switch_is_on(func->without, HD_SWITCH_REDUNDANT_MASKS))
		for_each(&fuser, drop_mask);
	if (hd_switch_is_on(func->without, HD_SWITCH_FRAME_OFFSETS)) {
		for_each(&fuser, refuse_far);
		for_each(&fuser, move_access);
		for_each(&fuser, move_sum);
	}
	hd_arena_release(&fuser.arena);
	return 0;
}
