/*
 * Assembly text of an instruction, in the manner of SASS:
 *
 *   @!P0 IADD3.EX R4, P1, R2, -R3, c[0x0][0x160], P2
 *   LDG.64.CA R6, [R4.64+0x10]        STL [R1+0x8], R16        LOP3 R0, R1, R2, RZ, 0xc0
 *
 *   FFMA R4, R5.reuse, R6, R4                                  R5 stays in the reuse cache
 *   LDG.32 R6, [%lr3+%cr7+0x10]       IADD3 R4, %lr1, R2, RZ   in the linear version of a kernel
 *
 * Results come first, then sources, then numbers. A pair or quad prints as its first
 * register: the opcode and its modifiers say how wide it is; only a 64-bit address is
 * marked, `[R4.64]`. Floating-point immediates print as the number with its bits behind,
 * `1.5(0x3fc00000)`. Nothing is allocated.
 */
#include "heddle/machine.h"
#include "heddle/opcodes.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Bounded output that counts what did not fit, as snprintf does. */
struct text {
	char *data;
	size_t size, len;
	unsigned operands;
};

__attribute__((format(printf, 2, 3))) static void put(struct text *text, const char *format, ...)
{
	size_t left = text->len < text->size ? text->size - text->len : 0;
	va_list args;
	va_start(args, format);
	int len = vsnprintf(left ? text->data + text->len : NULL, left, format, args);
	va_end(args);
	if (len > 0)
		text->len += (size_t)len;
}

static void begin_operand(struct text *text)
{
	put(text, text->operands++ ? ", " : " ");
}

static void put_register(struct text *text, unsigned reg)
{
	if (reg == HD_RZ)
		put(text, "RZ");
	else
		put(text, "R%u", reg);
}

/* R24..R151: more than a quad. */
static void put_range(struct text *text, unsigned reg, unsigned count)
{
	put_register(text, reg);
	if (reg != HD_RZ && count > 4)
		put(text, "..R%u", reg + count - 1);
}

static void put_predicate(struct text *text, unsigned predicate)
{
	put(text, "%s", predicate & HD_PRED_NOT ? "!" : "");
	if ((predicate & HD_PT) == HD_PT)
		put(text, "PT");
	else
		put(text, "P%u", predicate & HD_PT);
}

/* The fewest digits that read back as the same value. */
static void put_double(struct text *text, double value, int digits, int most)
{
	char number[40];
	do
		snprintf(number, sizeof(number), "%.*g", digits, value);
	while (digits++ < most && (most > 9 ? strtod(number, NULL) != value : strtof(number, NULL) != (float)value));
	put(text, "%s", number);
}

static void put_float(struct text *text, uint32_t bits)
{
	float value;
	memcpy(&value, &bits, sizeof(value));
	put_double(text, value, 1, 9);
	put(text, "(0x%08" PRIx32 ")", bits);
}

/* A double-precision immediate is the high word. */
static void put_high_word(struct text *text, uint32_t bits)
{
	uint64_t wide = (uint64_t)bits << 32;
	double value;
	memcpy(&value, &wide, sizeof(value));
	put_double(text, value, 1, 17);
	put(text, "(0x%08" PRIx32 ")", bits);
}

static void put_signed(struct text *text, uint32_t value)
{
	if (value & 0x80000000u)
		put(text, "-0x%" PRIx32, ~value + 1);
	else
		put(text, "0x%" PRIx32, value);
}

/* As it reads best. */
static void put_immediate(struct text *text, const struct hd_inst *inst)
{
	switch (hd_op_number(inst->op, inst->mods)) {
	case HD_N_I:
		/* Behind a minus sign the plain bits are less confusing. */
		if (inst->srcmods)
			break;
		put_signed(text, inst->x);
		return;
	case HD_N_F: put_float(text, inst->x); return;
	case HD_N_D: put_high_word(text, inst->x); return;
	default: break;
	}
	put(text, "0x%" PRIx32, inst->x);
}

/* %lr3+%cr7, %cr7, or %cr7.br where each lane has its own; .H: the high word. */
static void put_linear(struct text *text, const struct hd_inst *inst, unsigned reg)
{
	enum hd_lr_kind kind = hd_lr_kind(inst->linear);
	if (kind != HD_LR_COEFFICIENT)
		put(text, "%%lr%u", hd_lr_reg(inst->linear));
	if (kind == HD_LR_SUM && reg != HD_RZ)
		put(text, "+");
	if (kind == HD_LR_COEFFICIENT || (kind == HD_LR_SUM && reg != HD_RZ))
		put(text, "%%cr%u", reg);
	if (kind == HD_LR_COEFFICIENT && hd_lr_reg(inst->linear))
		put(text, ".br");
	if (hd_lr_high(inst->linear))
		put(text, ".H");
}

static void put_source(struct text *text, const struct hd_inst *inst, enum hd_slot slot)
{
	static const uint8_t negated[] = {[HD_SLOT_A] = HD_NEG_A, [HD_SLOT_B] = HD_NEG_B, [HD_SLOT_C] = HD_NEG_C};
	static const uint8_t absolute[] = {[HD_SLOT_A] = HD_ABS_A, [HD_SLOT_B] = HD_ABS_B, [HD_SLOT_C] = 0};
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	bool imm = inst->xkind == (slot == HD_SLOT_B ? HD_X_IMM_B : HD_X_IMM_C) && slot != HD_SLOT_A;
	bool constant = inst->xkind == (slot == HD_SLOT_B ? HD_X_CONST_B : HD_X_CONST_C) && slot != HD_SLOT_A;
	bool parked = inst->xkind == (slot == HD_SLOT_B ? HD_X_UNIFORM_B : HD_X_UNIFORM_C) && slot != HD_SLOT_A;
	const char *bar = inst->srcmods & absolute[slot] ? "|" : "";
	begin_operand(text);
	put(text, "%s%s", inst->srcmods & negated[slot] ? "-" : "", bar);
	if (hd_lr_takes(inst->linear, slot))
		put_linear(text, inst, regs[slot]);
	else if (imm)
		put_immediate(text, inst);
	else if (constant)
		put(text, "c[0x%x][0x%x]", inst->x >> 16, inst->x & 0xffff);
	else if (parked)
		put(text, "UR%" PRIu32, inst->x);
	else
		put_range(text, regs[slot], hd_op_width(inst->op, inst->mods, slot));
	put(text, "%s%s", inst->reuse >> (slot - HD_SLOT_A) & 1 ? ".reuse" : "", bar);
}

static void put_address(struct text *text, const struct hd_inst *inst)
{
	begin_operand(text);
	if (inst->op == HD_OP_LDC)
		put(text, "c[0x%x]", hd_mod_get(inst->mods, HD_MOD_BANK));
	bool linear = hd_lr_kind(inst->linear) && hd_lr_slot(inst->linear) == HD_SLOT_A;
	bool coefficient = hd_lr_takes(inst->linear, HD_SLOT_A);
	put(text, "[");
	if (linear)
		put_linear(text, inst, inst->a);
	if (linear && !coefficient && inst->a != HD_RZ)
		put(text, "+");
	if (!coefficient && (inst->a != HD_RZ || (inst->x == 0 && !linear)))
		put_register(text, inst->a);
	if (!coefficient && inst->a != HD_RZ && hd_op_width(inst->op, inst->mods, HD_SLOT_A) == 2)
		put(text, ".64");
	if (inst->x) {
		put(text, "%s", (linear || inst->a != HD_RZ) && !(inst->x & 0x80000000u) ? "+" : "");
		put_signed(text, inst->x);
	}
	put(text, "]");
}

/* Modifiers that read as an operand: numbers, and the special register. */
static bool printed_as_operand(enum hd_mod_kind kind)
{
	return hd_mod_is_number(kind) || kind == HD_MOD_SR;
}

static void put_mnemonic(struct text *text, const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	for (const char *at = info->name; *at; at++)
		put(text, "%c", *at == '_' ? '.' : *at);
	for (unsigned i = 0; i < 6 && info->mod_order[i] != HD_MOD_COUNT; i++) {
		enum hd_mod_kind kind = (enum hd_mod_kind)info->mod_order[i];
		char name[HD_MOD_NAME_BYTES];
		if (printed_as_operand(kind))
			continue;
		if (hd_mod_name(kind, hd_mod_get(inst->mods, kind), name) != 0)
			put(text, ".?%u", hd_mod_get(inst->mods, kind));
		else if (name[0])
			put(text, ".%s", name);
	}
}

static void put_results(struct text *text, const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	bool silent = inst->op == HD_OP_BAR && inst->dst == HD_RZ;
	if (info->dst && !silent) {
		begin_operand(text);
		if (info->dst == HD_W_U)
			put(text, "UR%u", inst->dst);
		else
			put_range(text, inst->dst, hd_op_width(inst->op, inst->mods, HD_SLOT_DST));
	}
	if (info->pdst && (inst->pdst != HD_PT || (!info->dst && !silent))) {
		begin_operand(text);
		put_predicate(text, inst->pdst);
	}
}

static void put_predicate_sources(struct text *text, const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	/* A carry-in or a reduction's operand is there only in some forms of the opcode. */
	bool optional = inst->op == HD_OP_IADD3 || inst->op == HD_OP_LEA_HI || inst->op == HD_OP_BAR;
	if (info->psrc >= 1 && (!optional || inst->psrc != HD_PT)) {
		begin_operand(text);
		put_predicate(text, inst->psrc);
	}
	if (info->psrc >= 2 && (inst->op == HD_OP_PLOP || inst->psrc2 != HD_PT)) {
		begin_operand(text);
		put_predicate(text, inst->psrc2);
	}
}

/* LDGSTS [R5], [R2.64+0x10], P0 */
static void put_copy_operands(struct text *text, const struct hd_inst *inst)
{
	begin_operand(text);
	put(text, "[");
	if (hd_lr_takes(inst->linear, HD_SLOT_B))
		put_linear(text, inst, inst->b);
	else
		put_register(text, inst->b);
	put(text, "]");
	put_address(text, inst);
	if (inst->psrc != HD_PT) {
		begin_operand(text);
		put_predicate(text, inst->psrc);
	}
}

static void put_memory_operands(struct text *text, const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	put_results(text, inst);
	put_address(text, inst);
	if (info->b)
		put_source(text, inst, HD_SLOT_B);
	if (info->c && (!(info->effects & HD_FX_ATOMIC) || inst->c != HD_RZ ||
			hd_mod_get(inst->mods, HD_MOD_ATOMOP) == HD_ATOM_CAS))
		put_source(text, inst, HD_SLOT_C);
}

static void put_shuffle_operands(struct text *text, const struct hd_inst *inst)
{
	put_results(text, inst);
	put_source(text, inst, HD_SLOT_A);
	begin_operand(text);
	if (hd_mod_get(inst->mods, HD_MOD_BIMM))
		put(text, "0x%x", inst->x & 0xff);
	else
		put_register(text, inst->b);
	if (hd_mod_get(inst->mods, HD_MOD_CIMM)) {
		begin_operand(text);
		put(text, "0x%x", inst->x >> 8);
	}
	if (!hd_mod_get(inst->mods, HD_MOD_CIMM) || hd_mod_get(inst->mods, HD_MOD_MEMBERS) == HD_MEMBERS_MASK) {
		begin_operand(text);
		put_register(text, inst->c);
	}
}

static void put_plain_operands(struct text *text, const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	put_results(text, inst);
	if (info->a)
		put_source(text, inst, HD_SLOT_A);
	if (info->b && hd_op_width(inst->op, inst->mods, HD_SLOT_B))
		put_source(text, inst, HD_SLOT_B);
	/* The count of a barrier: none means the whole CTA. A fetch of one or two coordinates has none in c. */
	bool has_c = info->c && hd_op_width(inst->op, inst->mods, HD_SLOT_C);
	if (has_c && !(inst->op == HD_OP_BAR && inst->c == HD_RZ && !hd_x_in_c(inst->xkind)))
		put_source(text, inst, HD_SLOT_C);
	for (unsigned i = 0; i < 6 && info->mod_order[i] != HD_MOD_COUNT; i++) {
		enum hd_mod_kind kind = (enum hd_mod_kind)info->mod_order[i];
		char name[HD_MOD_NAME_BYTES];
		if (!printed_as_operand(kind))
			continue;
		hd_mod_name(kind, hd_mod_get(inst->mods, kind), name);
		begin_operand(text);
		put(text, "%s", name);
	}
	put_predicate_sources(text, inst);
}

/* Targets, tables and services. */
static void put_number_operand(struct text *text, const struct hd_inst *inst)
{
	begin_operand(text);
	if (inst->op == HD_OP_SYSCALL)
		put(text, "%s", hd_syscall_name((enum hd_syscall)inst->x));
	else if (inst->op == HD_OP_BRA)
		put(text, "0x%" PRIx64, (uint64_t)inst->x * HD_INST_BYTES);
	else
		put(text, "0x%" PRIx32, inst->x);
}

int hd_inst_format(const struct hd_inst *inst, char *data, size_t size)
{
	struct text text = {.data = data, .size = size};
	if (size)
		data[0] = '\0';
	if (inst->op >= HD_OP_COUNT) {
		put(&text, "<unknown opcode %u>", inst->op);
		return (int)text.len;
	}
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	if (inst->guard != HD_PT) {
		put(&text, "@");
		put_predicate(&text, inst->guard);
		put(&text, " ");
	}
	put_mnemonic(&text, inst);
	if (inst->op == HD_OP_LDGSTS) {
		put_copy_operands(&text, inst);
	} else if (info->srcx == HD_XM) {
		put_memory_operands(&text, inst);
	} else if (inst->op == HD_OP_SHFL) {
		put_shuffle_operands(&text, inst);
	} else {
		put_plain_operands(&text, inst);
		bool numbered = inst->op != HD_OP_WARPGROUP || hd_mod_get(inst->mods, HD_MOD_WGMODE) == HD_WG_WAIT;
		if ((info->srcx == HD_XT || info->srcx == HD_XS) && numbered)
			put_number_operand(&text, inst);
	}
	return (int)text.len;
}
