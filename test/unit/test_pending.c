/*
 * LINK: waits
 * Waits that name no register: which barrier an address is.
 */
#include "harness.h"
#include "heddle/opcodes.h"
#include "heddle/stats.h"
#include "tools/heddle/report/pending.h"

#include "machine_code.h"

static struct hd_arena arena;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static uint32_t arrive(struct code *code, uint8_t address)
{
	uint32_t index = code_op(code, HD_OP_SYNCS);
	struct hd_inst *inst = &code->insts.data[index];
	inst->a = address, inst->c = HD_RZ, inst->xkind = HD_X_OTHER, inst->dst = HD_RZ;
	inst->mods = HD_MOD(SYNCSOP, HD_SYNCS_ARRIVE);
	return index;
}

static uint32_t await(struct code *code, uint8_t address)
{
	uint32_t index = code_op(code, HD_OP_SYNCS_WAIT);
	struct hd_inst *inst = &code->insts.data[index];
	inst->a = address, inst->b = inst->c = HD_RZ, inst->xkind = HD_X_OTHER, inst->pdst = 1;
	inst->mods = HD_MOD(PATIENCE, HD_PATIENCE_TRY);
	return index;
}

/* MOV dst, a parameter. */
static void parameter(struct code *code, uint8_t dst, uint32_t place)
{
	uint32_t index = code_set(code, dst, place);
	code->insts.data[index].xkind = HD_X_CONST_B;
}

static uint32_t *awaited(struct code *code, uint32_t index, uint32_t *count)
{
	struct hd_function function = code_finish(code, "f", false, &arena);
	struct hd_listing listing = {.function = &function};
	listing.reloc = HD_ARENA_NEW(&arena, const struct hd_reloc *, function.inst_count);
	const struct flow *flow = flow_new(&listing, &arena);
	return pending_find(flow, &function, index, HD_STALL_async, &arena, count);
}

/* The caller's R10 is not its R4 + R5: 11 of something would be 5 + 6 of it. */
START_TEST(sums_of_registers_are_told_apart)
{
	struct code code = {0};
	uint32_t count, *found;
	code_add(&code, 20, 4, 5);
	arrive(&code, 20);
	uint32_t own = arrive(&code, 10), wait = await(&code, 10);
	code_exit(&code);
	found = awaited(&code, wait, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(found[0], own);
}
END_TEST

/* Nor are two parameters the two around them. A sum is the same one in another order. */
START_TEST(sums_of_parameters_are_told_apart)
{
	struct code code = {0};
	uint32_t count, *found;
	for (uint8_t i = 0; i < 4; i++)
		parameter(&code, 20 + i, 0x160 + 4u * i);
	code_add(&code, 24, 20, 23);
	code_add(&code, 25, 21, 22);
	code_add(&code, 26, 22, 21);
	arrive(&code, 24);
	uint32_t own = arrive(&code, 25), wait = await(&code, 26);
	code_exit(&code);
	found = awaited(&code, wait, &count);
	ck_assert_uint_eq(count, 1);
	ck_assert_uint_eq(found[0], own);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("pending",
			     (const TTest *const[]){
				     sums_of_registers_are_told_apart,
				     sums_of_parameters_are_told_apart,
				     NULL,
			     },
			     set_up, tear_down);
}
