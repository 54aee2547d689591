/*
 * Selection: products of matrices on tensor cores, for inline PTX (passes/ptx/matrix.c) and NVVM's intrinsics. A
 * product is one instruction of its shape; Volta's m8n8k4 is a step for each pair of the accumulator's registers, and
 * of sm_90's larger ones of doubles each step is DMMA.884: eight rows and four of k, the halves of the rows in turns,
 * so that the sum of one is there when the unit comes to it again.
 *
 * Operands are words of 32 bits in the order of the PTX ISA, whose fragments the instructions take as they are.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"
#include "passes/words.h"

static const struct row {
	const char *shape, *factor;
	unsigned op, capability;
} rows[] = {
	{"m8n8k4", "f16", HD_OP_HMMA_884, 70},	       {"m16n8k8", "f16", HD_OP_HMMA_1688, 75},
	{"m16n8k16", "f16", HD_OP_HMMA_16816, 80},     {"m16n8k8", "bf16", HD_OP_HMMA_1688, 80},
	{"m16n8k16", "bf16", HD_OP_HMMA_16816, 80},    {"m16n8k4", "tf32", HD_OP_HMMA_1684_TF32, 80},
	{"m16n8k8", "tf32", HD_OP_HMMA_1688_TF32, 80}, {"m8n8k16", "s8", HD_OP_IMMA_8816, 75},
	{"m16n8k16", "s8", HD_OP_IMMA_16816, 80},      {"m16n8k32", "s8", HD_OP_IMMA_16832, 80},
	{"m8n8k32", "s4", HD_OP_IMMA_8816, 75},	       {"m16n8k32", "s4", HD_OP_IMMA_16816, 80},
	{"m16n8k64", "s4", HD_OP_IMMA_16832, 80},      {"m8n8k128", "b1", HD_OP_IMMA_8816, 75},
	{"m16n8k128", "b1", HD_OP_IMMA_16816, 80},     {"m16n8k256", "b1", HD_OP_IMMA_16832, 80},
	{"m8n8k4", "f64", HD_OP_DMMA_884, 80},	       {"m16n8k4", "f64", HD_OP_DMMA_884, 90},
	{"m16n8k8", "f64", HD_OP_DMMA_884, 90},	       {"m16n8k16", "f64", HD_OP_DMMA_884, 90},
};

/* Of an integer factor; 0: another one. */
static unsigned bits_of(const char *type)
{
	return hd_word_is(type, "s8") || hd_word_is(type, "u8")	  ? 8
	       : hd_word_is(type, "s4") || hd_word_is(type, "u4") ? 4
								  : hd_word_is(type, "b1");
}

static const struct row *find_row(const struct hd_mma_form *form)
{
	unsigned bits = bits_of(form->a);
	const char *factor = bits == 8 ? "s8" : bits == 4 ? "s4" : form->a;
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (hd_word_is(rows[i].shape, form->shape) && hd_word_is(rows[i].factor, factor))
			return &rows[i];
	return NULL;
}

static const char *check_form(const struct hd_mma_form *form, const struct row *row)
{
	unsigned bits = bits_of(form->a);
	const char *sum = bits ? "s32" : hd_word_is(form->a, "f64") ? "f64" : "f32";
	if (bits ? bits != bits_of(form->b) : !hd_word_is(form->a, form->b))
		return "the factors have different types";
	if (!hd_word_is(form->c, form->d))
		return "the accumulator and the result have different types";
	if (!hd_word_is(form->c, sum) && !(hd_word_is(form->a, "f16") && hd_word_is(form->c, "f16")))
		return "the accumulator has another type than products of these factors";
	if (row->op != HD_OP_HMMA_884 && (form->a_col || !form->b_col))
		return "a is to be .row and b .col";
	if (bits == 1 && !form->bits)
		return "bits are multiplied by '.xor.popc' or '.and.popc'";
	if (bits != 1 && form->bits)
		return "'.popc' is for bits";
	return form->saturates && bits < 4 ? "'.satfinite' is for integers" : NULL;
}

static uint16_t mods_of(const struct hd_mma_form *form, unsigned op)
{
	uint16_t acc = HD_MOD(ACC, hd_word_is(form->c, "f16") ? HD_ACC_F16 : HD_ACC_F32);
	if (op == HD_OP_HMMA_884)
		return acc | HD_MOD(COLA, form->a_col) | HD_MOD(COLB, form->b_col);
	unsigned bits = bits_of(form->a);
	if (bits == 1)
		return HD_MOD(PARTS, hd_word_is(form->bits, "xor") ? HD_PARTS_XOR : HD_PARTS_AND);
	if (bits)
		return HD_MOD(SIGNA, *form->a == 's') | HD_MOD(SIGNB, *form->b == 's') | HD_MOD(SAT, form->saturates) |
		       HD_MOD(PARTS, bits == 4 ? HD_PARTS_NIBBLES : HD_PARTS_BYTES);
	if (op == HD_OP_HMMA_1688 || op == HD_OP_HMMA_16816)
		return acc | HD_MOD(FACTOR, hd_word_is(form->a, "bf16") ? HD_FACTOR_BF16 : HD_FACTOR_F16);
	return 0;
}

static const char *newer(unsigned capability)
{
	return capability == 75	  ? "this shape and type is sm_75's"
	       : capability == 80 ? "this shape and type is sm_80's"
				  : "this shape and type is sm_90's";
}

/* The shape's last number. */
static unsigned depth_of(const char *shape)
{
	return (unsigned)strtoul(strchr(shape, 'k') + 1, NULL, 10);
}

const char *hd_sel_mma_choose(struct hd_select *sel, const struct hd_mma_form *form, struct hd_mma *mma)
{
	const struct row *row = find_row(form);
	if (!row)
		return "no tensor core of sm_70 to sm_90 multiplies matrices of this shape and type";
	const char *wrong = check_form(form, row);
	if (wrong)
		return wrong;
	unsigned capability = form->bits && hd_word_is(form->bits, "and") ? 80 : row->capability;
	if (hd_sel_capability(sel) < capability)
		return newer(capability);
	mma->op = row->op;
	mma->mods = mods_of(form, row->op);
	mma->steps = row->op != HD_OP_HMMA_884 ? 1 : hd_word_is(form->c, "f32") ? 4 : 2;
	mma->a = (uint8_t)hd_op_width(row->op, mma->mods, HD_SLOT_A);
	mma->b = (uint8_t)hd_op_width(row->op, mma->mods, HD_SLOT_B);
	mma->c = (uint8_t)(hd_op_width(row->op, mma->mods, HD_SLOT_C) * mma->steps);
	mma->blocks = 0;
	if (row->op == HD_OP_DMMA_884 && row->capability == 90) {
		mma->blocks = (uint8_t)(depth_of(row->shape) / 4);
		mma->a *= 2 * mma->blocks;
		mma->b *= mma->blocks;
		mma->c *= 2;
	}
	return NULL;
}

/* Of a an element of each half of the rows follows the other, then those four columns on; of the sums each half has
 * two. */
static void multiply_doubles(struct hd_select *sel, const struct hd_mma *mma, const struct hd_opnd *a,
			     const struct hd_opnd *b, const struct hd_opnd *c, struct hd_opnd *d)
{
	struct hd_mreg sums[2];
	for (unsigned half = 0; half < 2; half++)
		sums[half] = hd_sel_join(sel, c + 4 * half, 4);
	for (unsigned block = 0; block < mma->blocks; block++) {
		struct hd_opnd right = hd_reg(hd_sel_join(sel, b + 2 * block, 2));
		for (unsigned half = 0; half < 2; half++) {
			struct hd_opnd left = hd_reg(hd_sel_join(sel, a + 2 * (2 * block + half), 2));
			struct hd_mreg dst = hd_mfunc_vreg(sel->func, 4);
			hd_sel_op(sel, mma->op, mma->mods, dst, left, right, hd_reg(sums[half]));
			sums[half] = dst;
		}
	}
	for (unsigned i = 0; i < 8; i++)
		d[i] = hd_reg(hd_sub(sums[i / 4], i % 4, 1));
}

void hd_sel_mma(struct hd_select *sel, const struct hd_mma *mma, const struct hd_opnd *a, const struct hd_opnd *b,
		const struct hd_opnd *c, struct hd_opnd *d)
{
	if (mma->blocks) {
		multiply_doubles(sel, mma, a, b, c, d);
		return;
	}
	unsigned each = mma->c / mma->steps;
	struct hd_opnd left = hd_reg(hd_sel_join(sel, a, mma->a)), right = hd_reg(hd_sel_join(sel, b, mma->b));
	for (unsigned step = 0; step < mma->steps; step++) {
		uint16_t mods = mma->mods | (mma->steps > 1 ? HD_MOD(STEP, step) : 0);
		struct hd_opnd sum = hd_reg(hd_sel_join(sel, c + step * each, each));
		struct hd_mreg dst = hd_mfunc_vreg(sel->func, each);
		hd_sel_op(sel, mma->op, mods, dst, left, right, sum);
		for (unsigned i = 0; i < each; i++)
			d[step * each + i] = hd_reg(hd_sub(dst, i, 1));
	}
}

void hd_sel_load_matrices(struct hd_select *sel, struct hd_leaf pointer, unsigned space, unsigned count,
			  bool transposed, struct hd_opnd *words)
{
	unsigned size = count == 1 ? HD_SIZE_32 : count == 2 ? HD_SIZE_64 : HD_SIZE_128;
	if (space != HD_AS_SHARED) /* an address of shared memory, says PTX */
		pointer = hd_sel_cast_space(sel, pointer, space, HD_AS_SHARED);
	struct hd_address address = hd_sel_plain_address(sel, pointer, HD_AS_SHARED);
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, count);
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_LDSM, HD_MOD(SIZE, size) | HD_MOD(TRANS, transposed));
	inst->dst = dst;
	hd_sel_set_address(inst, &address, 0);
	for (unsigned i = 0; i < count; i++)
		words[i] = hd_reg(hd_sub(dst, i, 1));
}

/* ------------------------------------------------------------------ intrinsics */

enum { WORDS = HD_MMA_WORDS };

/*
 * mma.SHAPE.row.col.D.C of halves (mma.m16n8k8.row.col.f32.f32); with the factors' type where it is another one, and
 * b's where that differs: mma.m16n8k8.row.col.tf32, mma.m8n8k16.row.col.satfinite.u8.s8,
 * mma.xor.popc.m8n8k128.row.col.b1.
 */
static bool form_of_name(const char *const *parts, unsigned count, struct hd_mma_form *form)
{
	unsigned last = count - 1;
	if (count < 5)
		return false;
	if (hd_word_is(parts[2], "popc")) {
		*form = (struct hd_mma_form){.shape = parts[3],
					     .b_col = true,
					     .bits = parts[1],
					     .a = "b1",
					     .b = "b1",
					     .c = "s32",
					     .d = "s32"};
		return count == 7;
	}
	*form = (struct hd_mma_form){.shape = parts[1],
				     .a_col = hd_word_is(parts[2], "col"),
				     .b_col = hd_word_is(parts[3], "col"),
				     .saturates = hd_word_is(parts[4], "satfinite")};
	if (hd_word_is(parts[last], "f16") || hd_word_is(parts[last], "f32")) {
		form->a = form->b = "f16";
		form->d = parts[last - 1];
		form->c = parts[last];
		return count == 6;
	}
	form->b = parts[last];
	form->a = bits_of(parts[last - 1]) ? parts[last - 1] : parts[last];
	form->c = form->d = bits_of(form->a) ? "s32" : hd_word_is(form->a, "f64") ? "f64" : "f32";
	return true;
}

/* The next `count` words of the arguments from *operand on. */
static void take_words(struct hd_select *sel, unsigned *operand, unsigned count, struct hd_opnd *words)
{
	for (unsigned have = 0; have < count;) {
		LLVMValueRef value = LLVMGetOperand(sel->inst, (*operand)++);
		struct hd_leaf *leaves;
		uint32_t n = hd_sel_leaves(sel, value, &leaves);
		LLVMTypeRef type = LLVMTypeOf(value);
		bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
		unsigned bits = hd_scalar_bits(vector ? LLVMGetElementType(type) : type);
		have += hd_sel_pack(sel, leaves, n, bits, words + have);
	}
}

static void define_words(struct hd_select *sel, const struct hd_opnd *words)
{
	LLVMTypeRef type = LLVMTypeOf(sel->inst), element = type;
	if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
		element = LLVMStructGetTypeAtIndex(type, 0);
	if (LLVMGetTypeKind(element) == LLVMVectorTypeKind)
		element = LLVMGetElementType(element);
	unsigned bits = hd_scalar_bits(element);
	uint32_t count = hd_sel_leaf_count(sel, type);
	struct hd_leaf *leaves = HD_ARENA_NEW(sel->func->arena, struct hd_leaf, count);
	for (uint32_t i = 0; i < count; i++)
		leaves[i] = hd_sel_unpack(sel, words, i, bits);
	hd_sel_define(sel, sel->inst, leaves, count);
}

static void multiply(struct hd_select *sel, unsigned arg)
{
	char text[HD_INTRINSIC_NAME];
	const char *parts[HD_INTRINSIC_PARTS];
	struct hd_mma_form form;
	struct hd_mma mma;
	struct hd_opnd a[WORDS], b[WORDS], c[WORDS], d[WORDS];
	unsigned count = hd_sel_intrinsic_parts(sel, text, parts), operand = 0;
	const char *name = LLVMGetValueName(LLVMGetCalledValue(sel->inst));
	(void)arg;
	const char *wrong = form_of_name(parts, count, &form) ? hd_sel_mma_choose(sel, &form, &mma)
							      : "no tensor core of sm_70 to sm_90 has it";
	if (wrong) {
		hd_sel_unsupported(sel, "intrinsic %s: %s", name, wrong);
		return;
	}
	take_words(sel, &operand, mma.a, a);
	take_words(sel, &operand, mma.b, b);
	take_words(sel, &operand, mma.c, c);
	hd_sel_mma(sel, &mma, a, b, c, d);
	define_words(sel, d);
}

/* ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3 */
static void load(struct hd_select *sel, unsigned arg)
{
	char text[HD_INTRINSIC_NAME];
	const char *parts[HD_INTRINSIC_PARTS];
	struct hd_opnd words[4];
	unsigned count = hd_sel_intrinsic_parts(sel, text, parts);
	unsigned matrices = hd_words_have(parts, count, "x4") ? 4 : hd_words_have(parts, count, "x2") ? 2 : 1;
	LLVMTypeRef pointer = LLVMTypeOf(LLVMGetOperand(sel->inst, 0));
	(void)arg;
	if (hd_sel_capability(sel) < 75) {
		hd_sel_unsupported(sel, "intrinsic %s: loading matrices needs sm_75 or later",
				   LLVMGetValueName(LLVMGetCalledValue(sel->inst)));
		return;
	}
	hd_sel_load_matrices(sel, hd_sel_arg(sel, 0), LLVMGetPointerAddressSpace(pointer), matrices,
			     hd_words_have(parts, count, "trans"), words);
	define_words(sel, words);
}

const struct hd_intrinsic hd_tensor_intrinsics[] = {
	{"nvvm.mma", multiply, 0},
	{"nvvm.ldmatrix", load, 0},
	{NULL, NULL, 0},
};
