/*
 * Selection: products of warpgroups, and registers that warps hand on, for inline PTX (passes/ptx/wgmma.c). A product
 * is one instruction whose accumulator is one register of up to 128 words: what a program does with the words, it does
 * in their places (passes/regalloc/coalesce.c). Waits get their operands later (passes/mir/products_in_flight.c).
 */
#include <string.h>

#include "heddle/opcodes.h"
#include "passes/select/select.h"

static const char *const too_old = "products of warpgroups are sm_90a's (-arch=sm_90a)";

static bool has_warpgroups(const struct hd_select *sel)
{
	return hd_sel_capability(sel) == 90 && hd_is_for_one_architecture(sel->function);
}

static int type_of(const char *a, const char *b)
{
	static const char *const names[HD_WG_TYPES][2] = {
		[HD_WG_F16] = {"f16", "f16"},
		[HD_WG_BF16] = {"bf16", "bf16"},
		[HD_WG_TF32] = {"tf32", "tf32"},
		[HD_WG_E4M3] = {"e4m3", "e4m3"},
		[HD_WG_E4M3_E5M2] = {"e4m3", "e5m2"},
		[HD_WG_E5M2_E4M3] = {"e5m2", "e4m3"},
		[HD_WG_E5M2] = {"e5m2", "e5m2"},
		[HD_WG_S8] = {"s8", "s8"},
		[HD_WG_S8_U8] = {"s8", "u8"},
		[HD_WG_U8_S8] = {"u8", "s8"},
		[HD_WG_U8] = {"u8", "u8"},
	};
	for (int type = 0; type < HD_WG_TYPES; type++)
		if (!strcmp(a, names[type][0]) && !strcmp(b, names[type][1]))
			return type;
	return -1;
}

static int accumulator_of(const char *d)
{
	return !strcmp(d, "f32")   ? HD_WG_ACC_F32
	       : !strcmp(d, "f16") ? HD_WG_ACC_F16
	       : !strcmp(d, "s32") ? HD_WG_ACC_S32
				   : -1;
}

const char *hd_sel_wgmma_choose(struct hd_select *sel, const char *shape, const char *d, const char *a, const char *b,
				uint16_t *mods)
{
	static const char *const none = "no warpgroup multiplies matrices of this shape and type";
	int type = type_of(a, b), acc = accumulator_of(d);
	unsigned n = 0, k = 0;
	char more;
	if (!has_warpgroups(sel))
		return too_old;
	if (type < 0 || acc < 0 || sscanf(shape, "m64n%uk%u%c", &n, &k, &more) != 2)
		return none;
	if (n % 8 || n < 8 || n > 256 || k != 8 * HD_WG_ROW_BYTES / hd_wg_bits((enum hd_wgtype)type))
		return none;
	*mods = HD_MOD(WGN, n / 8 - 1) | HD_MOD(WGTYPE, type) | HD_MOD(WGACC, acc);
	struct hd_inst inst = hd_inst_new(HD_OP_WGMMA);
	inst.mods = *mods;
	inst.dst = inst.a = inst.b = inst.c = 0;
	return hd_inst_check(&inst) ? none : NULL;
}

struct hd_mreg hd_sel_wgmma(struct hd_select *sel, const struct hd_sel_wgmma *what)
{
	bool registers = hd_mod_get(what->mods, HD_MOD_WGA) == HD_WG_REGISTERS;
	bool never = !what->in || (what->adds.id == HD_MREG_PT && what->adds.inverted);
	struct hd_leaf descriptor = what->b;
	struct hd_mreg c =
		never ? (struct hd_mreg){HD_RZ, 0, (uint8_t)what->words} : hd_sel_join(sel, what->in, what->words);
	struct hd_mreg a = hd_sel_join(sel, what->a, registers ? 4 : 2), b = hd_sel_reg(sel, descriptor);
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, what->words);
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_WGMMA, what->mods);
	inst->srcmods = what->srcmods;
	inst->dst = dst;
	inst->a = a;
	inst->b = b;
	inst->c = c;
	if (c.id != HD_RZ) {
		inst->psrc = what->adds.id;
		inst->psrc_not = what->adds.inverted;
	}
	return dst;
}

const char *hd_sel_warpgroup(struct hd_select *sel, unsigned mode, uint64_t left)
{
	if (!has_warpgroups(sel))
		return too_old;
	if (left > HD_WG_MOST_LEFT)
		return "a wait leaves at most seven groups under way";
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_WARPGROUP, HD_MOD(WGMODE, mode));
	if (left) {
		inst->xkind = HD_X_OTHER;
		inst->x = (uint32_t)left;
	}
	return NULL;
}

const char *hd_sel_resize(struct hd_select *sel, unsigned way, uint64_t registers)
{
	if (!has_warpgroups(sel))
		return "registers that warps hand on are sm_90a's (-arch=sm_90a)";
	if (registers % HD_RESIZE_STEP || registers < HD_RESIZE_LEAST || registers > HD_RESIZE_MOST)
		return "expected a multiple of eight from 24 to 256 as the number of registers";
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_USETMAXREG, HD_MOD(RESIZE, way));
	inst->xkind = HD_X_OTHER;
	inst->x = (uint32_t)registers;
	return NULL;
}

static void resize(struct hd_select *sel, unsigned way)
{
	const char *wrong = hd_sel_resize(sel, way, LLVMConstIntGetZExtValue(LLVMGetOperand(sel->inst, 0)));
	if (wrong)
		hd_sel_unsupported(sel, "intrinsic %s: %s", LLVMGetValueName(LLVMGetCalledValue(sel->inst)), wrong);
}

const struct hd_intrinsic hd_warpgroup_intrinsics[] = {
	{"nvvm.setmaxnreg.dec.sync.aligned.u32", resize, HD_RESIZE_DEC},
	{"nvvm.setmaxnreg.inc.sync.aligned.u32", resize, HD_RESIZE_INC},
	{NULL, NULL, 0},
};
