/*
 * Selection: IR values as leaves, and leaves as operands of machine instructions.
 */
#include "heddle/opcodes.h"
#include "passes/select/select.h"

#include <inttypes.h>
#include <stdarg.h>

/* ------------------------------------------------------------------ types */

void hd_sel_unsupported(struct hd_select *sel, const char *format, ...)
{
	sel->failed = true;
	va_list args;
	va_start(args, format);
	char text[512];
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	hd_unsupported(sel->unit, sel->inst ? sel->inst : sel->function, text);
}

int hd_sel_words(struct hd_select *sel, LLVMTypeRef type)
{
	unsigned bits = hd_scalar_bits(type);
	if (bits == 1)
		return 0;
	if (bits == 0 || bits > 128) {
		char *name = LLVMPrintTypeToString(type);
		hd_sel_unsupported(sel, "type %s", name);
		LLVMDisposeMessage(name);
		return -1;
	}
	return bits <= 32 ? 1 : bits <= 64 ? 2 : 4;
}

static void add_types(struct hd_select *sel, LLVMTypeRef type, uint64_t offset)
{
	switch (LLVMGetTypeKind(type)) {
	case LLVMVoidTypeKind: break;
	case LLVMStructTypeKind:
		for (unsigned i = 0, n = LLVMCountStructElementTypes(type); i < n; i++)
			add_types(sel, LLVMStructGetTypeAtIndex(type, i),
				  offset + LLVMOffsetOfElement(sel->layout, type, i));
		break;
	case LLVMArrayTypeKind: {
		LLVMTypeRef element = LLVMGetElementType(type);
		uint64_t stride = LLVMABISizeOfType(sel->layout, element);
		for (uint64_t i = 0, n = LLVMGetArrayLength2(type); i < n; i++)
			add_types(sel, element, offset + i * stride);
		break;
	}
	case LLVMVectorTypeKind: {
		LLVMTypeRef element = LLVMGetElementType(type);
		uint64_t bits = LLVMSizeOfTypeInBits(sel->layout, element);
		/* Vectors of i1 are packed bits in memory: loads and stores refuse them, values are fine. */
		for (unsigned i = 0, n = LLVMGetVectorSize(type); i < n; i++)
			add_types(sel, element, offset + i * bits / 8);
		break;
	}
	default: hd_vec_push(&sel->types, (struct hd_leaf_type){type, offset});
	}
}

const hd_leaf_types *hd_sel_types(struct hd_select *sel, LLVMTypeRef type)
{
	hd_vec_clear(&sel->types);
	add_types(sel, type, 0);
	return &sel->types;
}

uint32_t hd_sel_leaf_count(struct hd_select *sel, LLVMTypeRef type)
{
	return hd_is_scalar(type) ? 1 : hd_sel_types(sel, type)->len;
}

/* ------------------------------------------------------------------ constants */

/* Decimal text with an optional sign, as LLVM prints integers, to 128-bit two's complement. */
struct hd_leaf hd_leaf_imm(uint64_t value, unsigned words)
{
	return (struct hd_leaf){.kind = HD_LEAF_IMM, .words = (uint8_t)words, .imm = {value, 0}};
}

struct hd_leaf hd_leaf_pred(uint32_t id, bool inverted)
{
	return (struct hd_leaf){.kind = HD_LEAF_REG, .words = 0, .id = id, .inverted = inverted};
}

struct hd_leaf hd_leaf_reg(struct hd_mreg reg)
{
	return (struct hd_leaf){.kind = HD_LEAF_REG, .words = reg.words, .id = reg.id, .sub = reg.sub};
}

static struct hd_leaf symbol_leaf(struct hd_select *sel, const struct hd_const_addr *address, LLVMTypeRef type)
{
	const struct hd_map_entry *entry = hd_map_get(&sel->unit->symbols, address->global);
	struct hd_leaf leaf = {.kind = HD_LEAF_SYMBOL,
			       .words = (uint8_t)hd_sel_words(sel, type),
			       .imm = {address->addend, 0}};
	if (!entry) {
		hd_sel_unsupported(sel, "reference to '%s'", LLVMGetValueName(address->global));
		return hd_leaf_imm(0, leaf.words);
	}
	leaf.id = entry->start;
	const struct hd_symbol *symbol = &sel->unit->object.symbols[leaf.id];
	if (symbol->kind != HD_SYM_VARIABLE || symbol->space != HD_SPACE_SHARED)
		return leaf;
	if (!symbol->defined) { /* extern __shared__: behind the static part */
		struct hd_leaf bank = {.kind = HD_LEAF_BANK, .words = 1, .id = HD_CB_DYN_SHARED};

		bank.imm[0] = address->addend;
		return leaf.words == 1 ? bank : hd_sel_cast_space(sel, bank, HD_AS_SHARED, HD_AS_GENERIC);
	}
	if (sel->unit->options.relocatable)
		return leaf;
	if (leaf.words == 1)
		return hd_leaf_imm(symbol->section_offset + address->addend, 1);
	return hd_leaf_imm(HD_SHARED_WINDOW + symbol->section_offset + address->addend, 2);
}

/* A scalar constant of any kind; false: reported. */
static bool constant_leaf(struct hd_select *sel, LLVMValueRef value, struct hd_leaf *leaf)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	int words = hd_sel_words(sel, type);
	if (words < 0)
		return false;
	*leaf = hd_leaf_imm(0, (unsigned)words);
	if (hd_sel_constant_bits(sel, value, leaf->imm))
		return true;
	struct hd_const_addr address;
	if (hd_const_address(sel->layout, value, &address)) {
		if (address.global)
			*leaf = symbol_leaf(sel, &address, type);
		else
			leaf->imm[0] = address.addend;
		return true;
	}
	hd_sel_unsupported(sel, "constant expression");
	return false;
}

static void constant_leaves(struct hd_select *sel, LLVMValueRef value, struct hd_leaf *leaves, uint32_t *count)
{
	LLVMTypeRef type = LLVMTypeOf(value);
	LLVMTypeKind kind = LLVMGetTypeKind(type);
	if (hd_is_scalar(type)) {
		struct hd_leaf leaf;
		if (!constant_leaf(sel, value, &leaf))
			leaf = hd_leaf_imm(0, 1);
		leaves[(*count)++] = leaf;
		return;
	}
	unsigned n = kind == LLVMStructTypeKind	  ? LLVMCountStructElementTypes(type)
		     : kind == LLVMVectorTypeKind ? LLVMGetVectorSize(type)
						  : (unsigned)LLVMGetArrayLength2(type);
	for (unsigned i = 0; i < n; i++) {
		LLVMValueRef element = LLVMGetAggregateElement(value, i);
		struct hd_leaf leaf = hd_leaf_imm(0, 1);
		if (element) {
			constant_leaves(sel, element, leaves, count);
			continue;
		}
		if (kind != LLVMVectorTypeKind || !hd_sel_constant_element(sel, value, i, &leaf))
			hd_sel_unsupported(sel, "constant expression");
		leaves[(*count)++] = leaf;
	}
}

/* ------------------------------------------------------------------ the value map */

static void define_constant(struct hd_select *sel, LLVMValueRef value)
{
	uint32_t count = hd_sel_leaf_count(sel, LLVMTypeOf(value)), filled = 0;
	struct hd_leaf *leaves = hd_arena_alloc(sel->func->arena, (count + 1) * sizeof(*leaves));
	constant_leaves(sel, value, leaves, &filled);
	/* The offset of dynamic shared memory is computed where it is used: its registers must not outlive the block.
	 */
	hd_sel_define(sel, value, leaves, count);
}

static const struct hd_map_entry *find_value(struct hd_select *sel, LLVMValueRef value)
{
	const struct hd_map_entry *entry = hd_map_get(&sel->values, value);
	for (uint32_t i = 0; i < sel->overrides.len; i++)
		if (sel->overrides.data[i].key == value)
			return &sel->overrides.data[i];
	if (entry)
		return entry;
	if (!LLVMIsConstant(value)) {
		hd_sel_unsupported(sel, "use of a value before its definition");
		hd_sel_define(sel, value, &(struct hd_leaf){.kind = HD_LEAF_IMM, .words = 1}, 1);
		return hd_map_get(&sel->values, value);
	}
	define_constant(sel, value);
	return hd_map_get(&sel->values, value);
}

uint32_t hd_sel_leaves(struct hd_select *sel, LLVMValueRef value, struct hd_leaf **leaves)
{
	struct hd_map_entry entry = *find_value(sel, value);
	struct hd_leaf *copy = hd_arena_alloc(sel->func->arena, (entry.count + 1) * sizeof(*copy));
	if (entry.count)
		memcpy(copy, sel->leaves.data + entry.start, entry.count * sizeof(*copy));
	*leaves = copy;
	return entry.count;
}

struct hd_leaf hd_sel_leaf(struct hd_select *sel, LLVMValueRef value, uint32_t index)
{
	const struct hd_map_entry *entry = find_value(sel, value);
	if (index >= entry->count) {
		if (!sel->failed)
			hd_sel_unsupported(sel, "operand");
		return hd_leaf_imm(0, 1);
	}
	return sel->leaves.data[entry->start + index];
}

struct hd_leaf hd_sel_arg(struct hd_select *sel, unsigned operand)
{
	return hd_sel_leaf(sel, LLVMGetOperand(sel->inst, operand), 0);
}

void hd_sel_define(struct hd_select *sel, LLVMValueRef value, const struct hd_leaf *leaves, uint32_t count)
{
	uint32_t start = sel->leaves.len;
	hd_vec_reserve(&sel->leaves, start + count);
	if (count)
		memcpy(sel->leaves.data + start, leaves, count * sizeof(*leaves));
	sel->leaves.len = start + count;
	hd_map_put(&sel->values, value, start, count);
}

void hd_sel_define1(struct hd_select *sel, struct hd_leaf leaf)
{
	hd_sel_define(sel, sel->inst, &leaf, 1);
}

void hd_sel_define_reg(struct hd_select *sel, struct hd_mreg reg)
{
	hd_sel_define1(sel, hd_leaf_reg(reg));
}

/* ------------------------------------------------------------------ operands */

struct hd_opnd hd_reg(struct hd_mreg reg)
{
	return (struct hd_opnd){.kind = HD_OPND_REG, .reg = reg};
}

struct hd_opnd hd_imm(uint32_t value)
{
	return (struct hd_opnd){.kind = HD_OPND_IMM, .x = value};
}

struct hd_opnd hd_bank(uint32_t offset)
{
	return (struct hd_opnd){.kind = HD_OPND_BANK, .x = HD_CONST_X(0, offset)};
}

struct hd_opnd hd_rz(void)
{
	return hd_reg(HD_MREG_RZ);
}

struct hd_opnd hd_none(void)
{
	return (struct hd_opnd){.kind = HD_OPND_NONE};
}

struct hd_opnd hd_neg(struct hd_opnd opnd)
{
	opnd.neg = !opnd.neg;
	return opnd;
}

struct hd_mreg hd_sub(struct hd_mreg reg, unsigned word, unsigned words)
{
	if (reg.id == HD_RZ)
		return (struct hd_mreg){HD_RZ, 0, (uint8_t)words};
	return (struct hd_mreg){reg.id, (uint8_t)(reg.sub + word), (uint8_t)words};
}

static bool fits_int32(uint64_t value)
{
	return (int64_t)value == (int32_t)value;
}

/* R1 + the place of a frame object or of the incoming stack arguments. */
static struct hd_mreg stack_address(struct hd_select *sel, const struct hd_leaf *leaf)
{
	struct hd_mreg sp = {hd_mfunc_frame_base(sel->func), 0, 1};
	struct hd_opnd offset = hd_imm((uint32_t)leaf->imm[0]);
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
	offset.ref_kind = leaf->kind == HD_LEAF_FRAME ? HD_MREF_FRAME : HD_MREF_INCOMING;
	offset.ref = leaf->id;
	struct hd_minst *inst = hd_sel_op(sel, HD_OP_IADD3, 0, dst, hd_reg(sp), offset, hd_none());
	return inst->dst;
}

/* Adds the pending offset of a pointer, so that the leaf's words can be named. */
static void settle(struct hd_select *sel, struct hd_leaf *leaf)
{
	uint64_t offset = leaf->imm[0];
	struct hd_leaf base = *leaf;
	switch (leaf->kind) {
	case HD_LEAF_LINEAR: *leaf = hd_sel_linear_settle(sel, leaf); return;
	case HD_LEAF_FRAME:
	case HD_LEAF_INCOMING:
		base = hd_leaf_reg(stack_address(sel, leaf));
		*leaf = leaf->words == 1 ? base : hd_sel_cast_space(sel, base, HD_AS_LOCAL, HD_AS_GENERIC);
		return;
	case HD_LEAF_PARTS: /* hd_legalize left only loads */
		hd_sel_unsupported(sel, "use of a by-value parameter's address");
		*leaf = hd_leaf_imm(0, leaf->words);
		return;
	case HD_LEAF_SYMBOL:
		if (fits_int32(offset))
			return;
		break;
	case HD_LEAF_REG:
	case HD_LEAF_BANK:
		if (!offset)
			return;
		break;
	default: return;
	}
	base.imm[0] = 0;
	if (leaf->words == 1)
		*leaf = hd_leaf_reg(hd_sel_add(sel, hd_sel_word(sel, &base, 0), hd_imm((uint32_t)offset)));
	else
		*leaf = hd_leaf_reg(hd_sel_add64(sel, base, hd_leaf_imm(offset, 2), false));
}

struct hd_opnd hd_sel_word(struct hd_select *sel, struct hd_leaf *leaf, unsigned index)
{
	if (leaf->words == 0)
		return hd_sel_bool_word(sel, *leaf, 1);
	settle(sel, leaf);
	struct hd_opnd opnd;
	switch (leaf->kind) {
	case HD_LEAF_IMM: return hd_imm((uint32_t)(leaf->imm[index / 2] >> 32 * (index % 2)));
	case HD_LEAF_BANK: return hd_bank(leaf->id + 4 * index);
	case HD_LEAF_LINEAR: return hd_sel_linear_opnd(leaf, index, 1);
	case HD_LEAF_SYMBOL:
		opnd = hd_imm((uint32_t)leaf->imm[0]);
		opnd.ref_kind = index ? HD_MREF_HI : HD_MREF_LO;
		opnd.ref = leaf->id;
		return opnd;
	default: return hd_reg((struct hd_mreg){leaf->id, (uint8_t)(leaf->sub + index), 1});
	}
}

struct hd_opnd hd_sel_wide(struct hd_select *sel, struct hd_leaf *leaf)
{
	settle(sel, leaf);
	if (leaf->kind == HD_LEAF_IMM && !leaf->imm[0])
		return hd_reg((struct hd_mreg){HD_RZ, 0, 2});
	if (leaf->kind == HD_LEAF_BANK && leaf->id % 8 == 0)
		return hd_bank(leaf->id);
	if (leaf->kind == HD_LEAF_LINEAR && leaf->words == 2)
		return hd_sel_linear_opnd(leaf, 0, 2);
	return hd_reg(hd_sel_reg(sel, *leaf));
}

struct hd_mreg hd_sel_opnd_reg(struct hd_select *sel, struct hd_opnd opnd, unsigned words)
{
	if (opnd.kind == HD_OPND_REG)
		return opnd.reg;
	if (opnd.kind == HD_OPND_NONE || (opnd.kind == HD_OPND_IMM && !opnd.x && !opnd.ref_kind))
		return (struct hd_mreg){HD_RZ, 0, (uint8_t)words};
	if (words == 2 && opnd.kind == HD_OPND_LINEAR) {
		struct hd_opnd low = opnd, high = opnd;
		low.reg.words = high.reg.words = 1;
		high.linear |= HD_LR(0, HD_SLOT_A, 0, 1);
		return hd_sel_pair(sel, low, high);
	}
	if (words == 2 && opnd.kind == HD_OPND_BANK)
		return hd_sel_pair(sel, opnd, hd_bank((opnd.x & 0xffff) + 4));
	if (words == 2) /* the high word of a double */
		return hd_sel_pair(sel, hd_rz(), opnd);
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, 1);
	opnd.neg = opnd.abs = false;
	hd_sel_op(sel, HD_OP_MOV, 0, dst, hd_none(), opnd, hd_none());
	return dst;
}

struct hd_mreg hd_sel_reg(struct hd_select *sel, struct hd_leaf leaf)
{
	if (leaf.words == 0)
		return hd_sel_opnd_reg(sel, hd_sel_bool_word(sel, leaf, 1), 1);
	settle(sel, &leaf);
	if (leaf.kind == HD_LEAF_REG)
		return (struct hd_mreg){leaf.id, leaf.sub, leaf.words};
	if (leaf.kind == HD_LEAF_IMM && !leaf.imm[0] && !leaf.imm[1])
		return (struct hd_mreg){HD_RZ, 0, leaf.words};
	struct hd_opnd words[4];
	for (unsigned i = 0; i < leaf.words; i++)
		words[i] = hd_sel_word(sel, &leaf, i);
	return hd_sel_join(sel, words, leaf.words);
}

struct hd_mreg hd_sel_join(struct hd_select *sel, const struct hd_opnd *words, unsigned count)
{
	bool same = true, zero = true;
	struct hd_mreg regs[HD_MREG_WORDS];
	for (unsigned i = 0; i < count; i++) {
		regs[i] = hd_sel_opnd_reg(sel, words[i], 1);
		same = same && regs[i].id == regs[0].id && regs[i].sub == regs[0].sub + i;
		zero = zero && regs[i].id == HD_RZ;
	}
	if (count == 1)
		return regs[0];
	if (zero)
		return (struct hd_mreg){HD_RZ, 0, (uint8_t)count};
	if (same && hd_mreg_is_virtual(regs[0].id) && regs[0].sub % hd_register_alignment(count) == 0)
		return (struct hd_mreg){regs[0].id, regs[0].sub, (uint8_t)count};
	struct hd_mreg dst = hd_mfunc_vreg(sel->func, count);
	uint32_t extra = hd_mfunc_extras(sel->func, regs, count);
	struct hd_minst *inst = hd_sel_push(sel, HD_OP_PAIR, 0);
	inst->dst = dst;
	inst->extra = extra;
	inst->extra_count = (uint16_t)count;
	return dst;
}

struct hd_mreg hd_sel_pair(struct hd_select *sel, struct hd_opnd low, struct hd_opnd high)
{
	return hd_sel_join(sel, (struct hd_opnd[]){low, high}, 2);
}

/* ------------------------------------------------------------------ predicates and narrow integers */

struct hd_popnd hd_sel_pred(struct hd_select *sel, struct hd_leaf leaf)
{
	if (leaf.words) /* not an i1: only after an error */
		sel->failed = true;
	if (leaf.kind == HD_LEAF_IMM)
		return (struct hd_popnd){HD_MREG_PT, !(leaf.imm[0] & 1)};
	return (struct hd_popnd){leaf.id, leaf.inverted};
}

struct hd_opnd hd_sel_bool_word(struct hd_select *sel, struct hd_leaf leaf, uint32_t when_true)
{
	struct hd_popnd cond = hd_sel_pred(sel, leaf);
	if (cond.id == HD_MREG_PT)
		return hd_imm(cond.inverted ? 0 : when_true);
	return hd_reg(hd_sel_select(sel, cond, hd_imm(when_true), hd_rz()));
}

struct hd_leaf hd_sel_word_bool(struct hd_select *sel, struct hd_opnd word)
{
	if (word.kind == HD_OPND_IMM && !word.ref_kind)
		return hd_leaf_imm(word.x & 1, 0);
	struct hd_mreg bit = hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, word, hd_imm(1), hd_none());
	return hd_leaf_pred(hd_sel_isetp(sel, HD_CMP_NE, false, hd_reg(bit), hd_rz()), false);
}

struct hd_opnd hd_sel_extended(struct hd_select *sel, struct hd_leaf leaf, unsigned bits, bool is_signed)
{
	uint32_t mask = bits >= 32 ? 0xffffffff : (1u << bits) - 1;
	if (leaf.words == 0)
		return hd_sel_bool_word(sel, leaf, is_signed ? 0xffffffff : 1);
	if (bits >= 32)
		return hd_sel_word(sel, &leaf, 0);
	if (leaf.kind == HD_LEAF_IMM) {
		uint32_t value = (uint32_t)leaf.imm[0] & mask;
		return hd_imm(is_signed && value >> (bits - 1) ? value | ~mask : value);
	}
	if (leaf.ext == (is_signed ? HD_EXT_SIGN : HD_EXT_ZERO))
		return hd_sel_word(sel, &leaf, 0);
	if (!is_signed)
		return hd_reg(
			hd_sel_logic(sel, HD_LUT_A & HD_LUT_B, hd_sel_word(sel, &leaf, 0), hd_imm(mask), hd_none()));
	return hd_reg(hd_sel_alu(sel, HD_OP_SGXT, HD_MOD(SIGN, HD_SIGNED), hd_sel_word(sel, &leaf, 0), hd_imm(bits),
				 hd_none()));
}
