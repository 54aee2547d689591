/*
 * LINK: passes
 * switch: places of switch points, what is loading there, through calls too, and bytes of contexts.
 */
#include "harness.h"
#include "heddle/opcodes.h"

#include "flow_compute.h"
#include "machine_code.h"
#include "passes/analysis/switch.h"

static struct hd_arena arena;
static struct hd_flow flow;
static struct hd_liveness liveness;
static struct hd_switch_points switching;
static struct hd_function function;

static void set_up(void)
{
	hd_arena_init(&arena);
}

static void tear_down(void)
{
	hd_arena_release(&arena);
}

static void build(struct code *code, bool kernel)
{
	function = code_finish(code, "code", kernel, &arena);
	flow_compute(&flow, &function, &hd_abi_cars, NULL, &arena);
	struct hd_bitset uniform = hd_bitset_new(&arena, function.inst_count);
	for (uint32_t i = 0; i < function.inst_count; i++)
		hd_bitset_add(&uniform, i);
	hd_liveness_compute(&liveness, &flow, &uniform, NULL, NULL, &arena);
}

static void compute(struct code *code)
{
	build(code, true);
	hd_switch_compute(&switching, &liveness, &(struct hd_switch_facts){.registers = 16}, &arena);
}

/* LDG dst, [address pair] */
static uint32_t load_global(struct code *code, uint8_t dst, uint8_t address)
{
	uint32_t at = code_load(code, dst, address);
	code->insts.data[at].op = HD_OP_LDG;
	return at;
}

#define CHECK_POINT(index, at, what, low)                                        \
	do {                                                                     \
		ck_assert_uint_lt(index, switching.point_count);                 \
		ck_assert_uint_eq(switching.points[index].inst, at);             \
		ck_assert_uint_eq(switching.points[index].kind, what);           \
		ck_assert_uint_eq(switching.points[index].loading.regs[0], low); \
	} while (0)

/* The first instruction that reads, not the second; one that overwrites waits as well; shared memory is nothing. */
START_TEST(first_uses)
{
	struct code code = {0};
	load_global(&code, 4, 2); /* 0 */
	load_global(&code, 5, 2); /* 1 */
	code_load(&code, 6, 0);	  /* 2 shared */
	code_add(&code, 7, 6, 6); /* 3 */
	code_add(&code, 8, 4, 7); /* 4: R4 */
	code_add(&code, 8, 4, 8); /* 5: not the first */
	code_move(&code, 5, 8);	  /* 6: R5 is overwritten */
	code_store(&code, 0, 5);  /* 7 */
	code_exit(&code);
	compute(&code);
	ck_assert_uint_eq(switching.point_count, 2);
	CHECK_POINT(0, 4, HD_SWITCH_LOAD, 0x30);
	CHECK_POINT(1, 6, HD_SWITCH_LOAD, 0x20);
	/* Live are R0, R4 and R7; R5 is kept for the reply. At the second R0, R8, and R5. */
	ck_assert_uint_eq(switching.points[0].live.regs[0], 0x91);
	ck_assert_uint_eq(switching.points[0].bytes, 4 * 128);
	ck_assert_uint_eq(switching.points[1].bytes, 3 * 128);
	ck_assert_uint_eq(switching.bytes, 4 * 128);
}
END_TEST

/* Around a loop what was loaded at its end is used at its beginning; in front of it nothing is. */
START_TEST(around_loops)
{
	struct code code = {0};
	code_set(&code, 4, 0);	     /* 0 */
	code_add(&code, 6, 6, 4);    /* 1 header: what 2 loaded */
	load_global(&code, 4, 2);    /* 2 */
	code_barrier(&code);	     /* 3: R4 is on its way */
	code_branch(&code, 0, 1, 5); /* 4 */
	code_store(&code, 0, 6);     /* 5 */
	code_exit(&code);
	compute(&code);
	ck_assert_uint_eq(switching.point_count, 2);
	CHECK_POINT(0, 1, HD_SWITCH_LOAD, 0x10);
	CHECK_POINT(1, 3, HD_SWITCH_BARRIER, 0x10);
}
END_TEST

/* BAR.ARV does not wait. */
START_TEST(arrivals_are_no_points)
{
	struct code code = {0};
	uint32_t arrive = code_barrier(&code);
	code.insts.data[arrive].mods = HD_MOD(BARMODE, HD_BAR_ARV);
	code.insts.data[arrive].c = 1;
	code_exit(&code);
	compute(&code);
	ck_assert_uint_eq(switching.point_count, 0);
	ck_assert_uint_eq(switching.bytes, 0);
}
END_TEST

/* A call waits for nothing, tells the callee what is in flight, and is followed by what that leaves. */
START_TEST(through_calls)
{
	struct code code = {0};
	load_global(&code, 4, 2);	  /* 0 */
	load_global(&code, 5, 2);	  /* 1 */
	uint32_t call = code_call(&code); /* 2 */
	code_add(&code, 6, 5, 5);	  /* 3: the callee has used R5, but left R7 */
	code_add(&code, 6, 6, 7);	  /* 4 */
	code_store(&code, 0, 6);	  /* 5 */
	code_exit(&code);
	build(&code, true);
	uint32_t callee = 1;
	struct hd_call_site site = {.inst = call, .callees = &callee, .callee_count = 1};
	struct hd_loading loading[2] = {{{{0}, 0}, {{0}, 0}}, {.exit = {.regs = {0x80}}}};
	struct hd_switch_facts facts = {.sites = &site, .site_count = 1, .loading = loading, .registers = 16};
	struct hd_regset *before = HD_ARENA_NEW(&arena, struct hd_regset, flow.block_count);
	struct hd_regset entries[2] = {{{0}, 0}, {{0}, 0}};
	hd_switch_flow(&flow, &facts, before, entries);
	ck_assert_uint_eq(entries[1].regs[0], 0x30);
	hd_switch_compute(&switching, &liveness, &facts, &arena);
	ck_assert_uint_eq(switching.point_count, 1);
	CHECK_POINT(0, 4, HD_SWITCH_LOAD, 0x80);
	/* A callee that is not known may have loaded any register. */
	site.unknown = true;
	hd_switch_compute(&switching, &liveness, &facts, &arena);
	ck_assert_uint_eq(switching.points[0].inst, 3);
}
END_TEST

/* 4 bytes a group of a uniform register, 8 of a strided one, 128 of others and of what is loading. */
START_TEST(bytes_by_group)
{
	struct hd_meta_pattern patterns[] = {{.reg = 1}, {.reg = 2, .strided = true}};
	struct hd_switch_point point = {.live_divergent = {.regs = {0x0f}},
					.loading = {.regs = {0x18}},
					.patterns = patterns,
					.pattern_count = 2};
	ck_assert_uint_eq(hd_switch_bytes(&point, 32), 3 * 128 + 4 + 8);
	ck_assert_uint_eq(hd_switch_bytes(&point, 16), 3 * 128 + 2 * (4 + 8));
	ck_assert_uint_eq(hd_switch_bytes(&point, 4), 3 * 128 + 8 * (4 + 8));
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {first_uses,    around_loops,   arrivals_are_no_points,
				      through_calls, bytes_by_group, NULL};
	return hd_suite_with("switch_points", tests, set_up, tear_down);
}
