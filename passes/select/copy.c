/*
 * Selection: asynchronous copies from global to shared memory, for inline PTX (passes/ptx/copy.c) and NVVM's
 * intrinsics. One instruction copies 4, 8 or 16 bytes a lane. What is not copied is zero: all of it under a predicate,
 * or bytes at the end, whose number stands in the low bits of the global address, as ptxas has it for sm_80.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

static const char *const too_old = "asynchronous copies are sm_80's";

/* The instruction that defines the word, of the present block; NULL. */
static const struct hd_minst *definition_of(const struct hd_select *sel, struct hd_opnd word)
{
	const struct hd_mblock *block = &sel->func->blocks.data[sel->block];
	if (word.kind != HD_OPND_REG || word.reg.sub || word.reg.words != 1)
		return NULL;
	for (uint32_t i = block->insts.len; i-- > 0;)
		if (block->insts.data[i].dst.words && block->insts.data[i].dst.id == word.reg.id)
			return &block->insts.data[i];
	return NULL;
}

/* Whether the bytes are all under a predicate and none without: programs leave out what is beyond an edge so. */
static bool all_or_none(const struct hd_select *sel, struct hd_opnd bytes, unsigned size, struct hd_popnd *all)
{
	const struct hd_minst *def = definition_of(sel, bytes);
	if (!def || def->op != HD_OP_SEL || def->a.id != HD_RZ || def->xkind != HD_X_IMM_B || def->x != size ||
	    def->ref_kind != HD_MREF_NONE)
		return false;
	*all = (struct hd_popnd){def->psrc, !def->psrc_not};
	return true;
}

/* Where the last `zeros` of a copy's bytes are not copied. */
static struct hd_leaf moved_by(struct hd_select *sel, struct hd_leaf from, struct hd_opnd zeros)
{
	struct hd_leaf distance = hd_leaf_reg(hd_sel_pair(sel, zeros, hd_rz()));
	return hd_leaf_reg(hd_sel_add64(sel, from, distance, false));
}

static struct hd_opnd bytes_left_out(struct hd_select *sel, struct hd_opnd bytes, unsigned size)
{
	struct hd_opnd rest = hd_reg(hd_sel_add(sel, hd_neg(bytes), hd_imm(size)));
	return hd_reg(hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, rest, hd_imm(size - 1), hd_rz()));
}

const char *hd_sel_copy(struct hd_select *sel, struct hd_leaf to, struct hd_leaf from, const struct hd_sel_copied *what)
{
	struct hd_popnd all = what->all;
	bool some = what->bytes.kind != HD_OPND_NONE;
	uint32_t left_out = 0, size = what->size;
	if (hd_sel_capability(sel) < 80)
		return too_old;
	if (some && what->bytes.kind == HD_OPND_IMM && !what->bytes.ref_kind) {
		uint32_t bytes = what->bytes.x;
		all.inverted ^= bytes == 0;
		left_out = bytes && bytes < size ? size - bytes : 0;
		some = false;
	} else if (some && all_or_none(sel, what->bytes, size, &all)) {
		some = false;
	} else if (some) {
		struct hd_opnd bytes = hd_reg(hd_sel_opnd_reg(sel, what->bytes, 1));
		all = (struct hd_popnd){hd_sel_isetp(sel, HD_CMP_NE, false, bytes, hd_rz()), false};
		from = moved_by(sel, from, bytes_left_out(sel, bytes, size));
	}
	bool zeros = some || left_out || all.id != HD_MREG_PT || all.inverted;
	struct hd_address source = hd_sel_address(sel, from, HD_AS_GLOBAL);
	struct hd_mreg place = hd_sel_opnd_reg(sel, hd_sel_word(sel, &to, 0), 1);
	uint16_t mods = HD_MOD(SIZE, size == 4 ? HD_SIZE_32 : size == 8 ? HD_SIZE_64 : HD_SIZE_128);
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_LDGSTS,
					    mods | HD_MOD(CACHE, what->past_l1 ? HD_CACHE_CG : HD_CACHE_DEFAULT) |
						    HD_MOD(ZFILL, zeros));
	inst->b = place;
	inst->psrc = all.id;
	inst->psrc_not = all.inverted;
	hd_sel_set_address(inst, &source, left_out);
	return NULL;
}

const char *hd_sel_copy_end(struct hd_select *sel, bool commits, uint64_t wait)
{
	if (hd_sel_capability(sel) < 80)
		return too_old;
	if (commits)
		hd_sel_push(sel, HD_OP_LDGDEPBAR, 0);
	if (wait == HD_SEL_NO_WAIT)
		return NULL;
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_DEPBAR, 0);
	inst->xkind = HD_X_OTHER;
	inst->x = wait < HD_COPY_GROUPS ? (uint32_t)wait : HD_COPY_GROUPS - 1; /* a warp has no more */
	return NULL;
}

void hd_sel_bulk_end(struct hd_select *sel)
{
	hd_sel_push(sel, HD_OP_UTMACMDFLUSH, 0);
}

void hd_sel_bulk_wait(struct hd_select *sel, uint64_t wait, bool reads)
{
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_UTMAWAIT, HD_MOD(READS, reads));
	inst->xkind = HD_X_OTHER;
	inst->x = wait < HD_COPY_GROUPS ? (uint32_t)wait : HD_COPY_GROUPS - 1;
}

/* ------------------------------------------------------------------ intrinsics */

static void refuse(struct hd_select *sel, const char *why)
{
	if (why)
		hd_sel_unsupported(sel, "intrinsic %s: %s", LLVMGetValueName(LLVMGetCalledValue(sel->inst)), why);
}

/* nvvm.cp.async.ca.shared.global.16 (to, from), and behind a .s how many bytes there are to copy */
static void copy(struct hd_select *sel, unsigned past_l1)
{
	const char *name = LLVMGetValueName(LLVMGetCalledValue(sel->inst));
	size_t length = strlen(name);
	bool some = length > 2 && !strcmp(name + length - 2, ".s");
	const char *number = strstr(name, ".global.");
	struct hd_sel_copied what = {.size = number ? (unsigned)strtoul(number + 8, NULL, 10) : 0,
				     .past_l1 = past_l1,
				     .bytes = hd_none(),
				     .all = {HD_MREG_PT, false}};
	if (what.size != 4 && what.size != 8 && what.size != 16) {
		refuse(sel, "the size is not 4, 8 or 16");
		return;
	}
	if (some) {
		struct hd_leaf bytes = hd_sel_arg(sel, 2);
		what.bytes = hd_sel_word(sel, &bytes, 0);
	}
	refuse(sel, hd_sel_copy(sel, hd_sel_arg(sel, 0), hd_sel_arg(sel, 1), &what));
}

static void commit(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	refuse(sel, hd_sel_copy_end(sel, true, HD_SEL_NO_WAIT));
}

static void wait_groups(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	refuse(sel, hd_sel_copy_end(sel, false, LLVMConstIntGetZExtValue(LLVMGetOperand(sel->inst, 0))));
}

static void wait_all(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	refuse(sel, hd_sel_copy_end(sel, true, 0));
}

static bool is_too_old(struct hd_select *sel)
{
	if (!hd_sel_has_clusters(sel))
		refuse(sel, "copies in bulk need sm_90 or later");
	return !hd_sel_has_clusters(sel);
}

static void bulk_commit(struct hd_select *sel, unsigned arg)
{
	(void)arg;
	if (!is_too_old(sel))
		hd_sel_bulk_end(sel);
}

static void bulk_wait(struct hd_select *sel, unsigned reads)
{
	if (!is_too_old(sel))
		hd_sel_bulk_wait(sel, LLVMConstIntGetZExtValue(LLVMGetOperand(sel->inst, 0)), reads);
}

const struct hd_intrinsic hd_copy_intrinsics[] = {
	{"nvvm.cp.async.bulk.commit.group", bulk_commit, 0},
	{"nvvm.cp.async.bulk.wait.group", bulk_wait, false},
	{"nvvm.cp.async.bulk.wait.group.read", bulk_wait, true},
	{"nvvm.cp.async.ca", copy, false},
	{"nvvm.cp.async.cg", copy, true},
	{"nvvm.cp.async.commit.group", commit, 0},
	{"nvvm.cp.async.wait.group", wait_groups, 0},
	{"nvvm.cp.async.wait.all", wait_all, 0},
	{NULL, NULL, 0},
};
