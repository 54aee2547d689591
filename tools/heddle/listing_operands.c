/*
 * The operands of an instruction as `heddle dis --json` prints them: of each slot what stands there, so that another
 * program can execute the code without reading its text.
 *
 *   {"register": 4, "words": 2}      R4 and R5; register 255 is RZ
 *   {"immediate": 16}, {"bank": 0, "offset": 352}, {"uniform": 3}
 *   {"linear": 0, "coefficient": 2, "words": 2}      of a linear version: %lr0+%cr2; "register" beside it is added,
 * too; "high": the sum's high word; "per_lane": lane n reads %cr(2 + n) "negated", "absolute"            source
 * modifiers that are on
 */
#include <stdio.h>

#include "heddle/opcodes.h"
#include "lib/metadata/json.h"
#include "tools/heddle/listing.h"

static void set(json_t *object, const char *key, uint64_t value)
{
	json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void set_register(json_t *object, unsigned reg, unsigned width)
{
	set(object, "register", reg);
	set(object, "words", width);
}

static void set_linear(json_t *object, const struct hd_inst *inst, unsigned reg, unsigned width)
{
	enum hd_lr_kind kind = hd_lr_kind(inst->linear);
	if (kind != HD_LR_COEFFICIENT)
		set(object, "linear", hd_lr_reg(inst->linear));
	if (kind == HD_LR_OFFSET)
		set(object, "register", reg);
	else if (kind == HD_LR_COEFFICIENT || reg != HD_RZ)
		set(object, "coefficient", reg);
	set(object, "words", width);
	if (hd_lr_high(inst->linear))
		json_object_set_new(object, "high", json_true());
	if (kind == HD_LR_COEFFICIENT && hd_lr_reg(inst->linear))
		json_object_set_new(object, "per_lane", json_true());
}

/* What stands in x in place of the slot's register. */
static void set_x(json_t *object, const struct hd_inst *inst)
{
	if (hd_x_is_immediate(inst->xkind)) {
		set(object, "immediate", inst->x);
	} else if (hd_x_is_constant(inst->xkind)) {
		set(object, "bank", inst->x >> 16);
		set(object, "offset", inst->x & 0xffff);
	} else {
		set(object, "uniform", inst->x);
	}
}

static void set_modifiers(json_t *object, const struct hd_inst *inst, unsigned slot)
{
	static const uint8_t negated[] = {0, HD_NEG_A, HD_NEG_B, HD_NEG_C}, absolute[] = {0, HD_ABS_A, HD_ABS_B, 0};
	if (inst->srcmods & negated[slot])
		json_object_set_new(object, "negated", json_true());
	if (inst->srcmods & absolute[slot])
		json_object_set_new(object, "absolute", json_true());
}

static json_t *operand_json(const struct hd_inst *inst, unsigned slot)
{
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	const uint8_t widths[] = {hd_opinfo[inst->op].dst, hd_opinfo[inst->op].a, hd_opinfo[inst->op].b,
				  hd_opinfo[inst->op].c};
	unsigned width = hd_op_width(inst->op, inst->mods, (enum hd_slot)slot);
	if (widths[slot] == HD_W__ || (widths[slot] == HD_W_K && !width))
		return NULL;
	json_t *object = json_object();
	if (slot == HD_SLOT_DST && widths[slot] == HD_W_U)
		set(object, "uniform", inst->dst);
	else if (hd_lr_kind(inst->linear) && hd_lr_slot(inst->linear) == slot)
		set_linear(object, inst, regs[slot], width);
	else if ((slot == HD_SLOT_B && hd_x_in_b(inst->xkind)) || (slot == HD_SLOT_C && hd_x_in_c(inst->xkind)))
		set_x(object, inst);
	else
		set_register(object, regs[slot], width);
	set_modifiers(object, inst, slot);
	return object;
}

json_t *listing_operands(const struct hd_inst *inst)
{
	static const char *const names[] = {"dst", "a", "b", "c"};
	json_t *object = json_object();
	for (unsigned slot = HD_SLOT_DST; slot <= HD_SLOT_C; slot++) {
		json_t *operand = operand_json(inst, slot);
		if (operand)
			json_object_set_new(object, names[slot], operand);
	}
	return object;
}

/* P0 to P6, and PT where nothing else stands; of sources with ! where they are inverted. */
static json_t *predicate_json(unsigned predicate)
{
	char text[8];
	snprintf(text, sizeof(text), (predicate & HD_PT) == HD_PT ? "%sPT" : "%sP%u",
		 predicate & HD_PRED_NOT ? "!" : "", predicate & HD_PT);
	return json_string(text);
}

json_t *listing_predicates(const struct hd_inst *inst)
{
	const struct hd_opinfo *info = &hd_opinfo[inst->op];
	const uint8_t sources[] = {inst->psrc, inst->psrc2};
	json_t *object = json_object(), *array = json_array();
	for (unsigned i = 0; i < info->psrc; i++)
		json_array_append_new(array, predicate_json(sources[i]));
	json_object_set_new(object, "result", info->pdst ? predicate_json(inst->pdst) : json_null());
	json_object_set_new(object, "sources", array);
	return object;
}

/* Displacements are signed; jump tables and branches have their own keys. */
json_t *listing_number(const struct hd_inst *inst)
{
	enum hd_srcx srcx = (enum hd_srcx)hd_opinfo[inst->op].srcx;
	if (srcx == HD_XM)
		return json_integer((int32_t)inst->x);
	return srcx == HD_XS && inst->op != HD_OP_BRX ? json_integer(inst->x) : json_null();
}
