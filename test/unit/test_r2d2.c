/* R2D2's linear registers in an SM's register file: the layout of 4.2 by hand, that its kinds never overlap, and which
 * of its rows streams write. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/exec/linear.h"
#include "runtime/policy/r2d2.h"
#include "simbench.h"

/* Blocks of 128 threads, four 32-bit thread-index parts, 16 blocks, 67 coefficients. */
START_TEST(layout_by_hand)
{
	struct r2d2_layout layout = r2d2_layout_of(4, 4, 1, 16, 67);
	uint32_t thread;
	ck_assert_uint_eq(layout.block, 16);
	ck_assert_uint_eq(layout.coefficient, 48);
	ck_assert_uint_eq(layout.general, 53);
	/* Warp 9 is of block 2. */
	ck_assert_uint_eq(r2d2_thread_row(&layout, 3, 9), 13);
	ck_assert_uint_eq(r2d2_block_row(&layout, 2), 20);
	ck_assert_uint_eq(r2d2_coefficient_row(&layout, 19, &thread), 49);
	ck_assert_uint_eq(thread, 6);
	/* 5.6's registers by this layout, in words: parts of 32 bits, and of 64. */
	ck_assert_uint_eq(32 * layout.general, 512 + 1024 + 160);
	ck_assert_uint_eq(32 * r2d2_layout_of(4, 4, 2, 16, 67).general, 1024 + 1024 + 160);
}
END_TEST

/* Every warp register of every kind is in its own range, for every number of warps and blocks. */
START_TEST(kinds_do_not_overlap)
{
	for (uint32_t warps = 1; warps <= 32; warps++)
		for (uint32_t ctas = 1; ctas <= 32 && ctas * warps <= 64; ctas++)
			for (uint32_t threads = 0; threads <= 16; threads += 4) {
				struct r2d2_layout layout = r2d2_layout_of(threads, warps, 2, ctas, threads * 5);
				uint8_t used[2048] = {0};
				uint32_t thread;
				ck_assert_uint_le(layout.general, sizeof used);
				for (uint32_t part = 0; part < threads; part++)
					for (uint32_t warp = 0; warp < warps; warp++)
						for (uint32_t word = 0; word < 2; word++)
							used[r2d2_thread_row(&layout, part, warp) + word]++;
				for (uint32_t slot = 0; slot < ctas; slot++)
					for (uint32_t word = 0; word < 2; word++)
						used[r2d2_block_row(&layout, slot) + word]++;
				for (uint32_t c = 0; c < threads * 5; c += 16)
					used[r2d2_coefficient_row(&layout, c, &thread)]++;
				for (uint32_t row = 0; row < layout.general; row++)
					ck_assert_uint_eq(used[row], 1);
			}
}
END_TEST

/* ---- what streams write */

/* A warp of an SM that has a grid's linear registers: four thread-index parts, blocks of four warps, at most 16 blocks,
 * 67 coefficients. */
struct scene {
	struct simbench bench;
	const struct hd_policy_handle *self;
	struct hd_linear linear;
	struct hd_linear_state state;
	struct hd_linear_parts parts;
	struct hd_grid grid;
	struct hd_warp *warp;
	uint64_t threads[4][4 * HD_WARP_LANES];
};

static struct scene scene;

static void set_up(void)
{
	memset(&scene, 0, sizeof scene);
	simbench_init(&scene.bench);
	scene.bench.options.policy = "r2d2";
	simbench_mov(&scene.bench, 8, 1);
	ck_assert_msg(!simbench_start(&scene.bench), "%s", scene.bench.message);
	struct hd_gpu *gpu = &scene.bench.sim->gpu;
	scene.self = &gpu->policies[0];
	scene.linear = (struct hd_linear){.threads = 4, .coefficients = 67};
	scene.state = (struct hd_linear_state){.linear = &scene.linear, .stride = 4 * HD_WARP_LANES, .ctas = 16};
	scene.parts.threads = scene.threads[0];
	scene.grid = (struct hd_grid){.linear = &scene.state, .block_warps = 4};
	struct hd_cta *cta = &gpu->sms[0]->ctas[0];
	cta->sm = gpu->sms[0];
	cta->grid = &scene.grid;
	cta->parts = &scene.parts;
	scene.warp = &gpu->sms[0]->warps[0];
	scene.warp->cta = cta;
	scene.warp->index = 1;
	scene.warp->stream = true;
}

static void tear_down(void)
{
	scene.warp->cta->grid = NULL;
	scene.warp->cta = NULL;
	scene.warp->stream = false;
	simbench_release(&scene.bench);
}

/* The stream's instruction of that number writes `count` rows from `first` on, `lanes` words of each. */
static void expect_rows(unsigned op, uint32_t x, uint32_t first, uint32_t count, uint32_t lanes)
{
	struct hd_range_access list[HD_MAX_RANGE];
	struct hd_dinst inst = {.inst = {.op = (uint16_t)op, .x = x}};
	scene.self->hooks->issue.issued(scene.self, scene.warp, &inst, NULL, 0);
	ck_assert_uint_eq(scene.self->hooks->operands.range_writes(scene.self, scene.warp, &inst, list), count);
	for (uint32_t i = 0; i < count; i++) {
		ck_assert_uint_eq(list[i].row, first + i);
		ck_assert_uint_eq(list[i].lanes, lanes);
	}
}

/* Thread-index parts have two rows for each of four warps: part n of the second warp begins at row 2 (4 n + 1). High
 * words are written once a value of the part, of any warp, is none of 32 bits with its sign. Behind these 32 rows lie
 * the blocks' parts. They have two rows for each of 16 blocks, though a write takes one row, for 16 values of 64 bits.
 * Behind them, at row 64, lie the coefficients, 16 in a row. */
START_TEST(streams_write_their_rows)
{
	scene.threads[1][HD_WARP_LANES + 3] = UINT64_C(0xffffffff80000000);
	scene.threads[2][HD_WARP_LANES + 31] = UINT64_C(0x80000000);
	scene.threads[3][0] = UINT64_C(1) << 32; /* another warp's */
	expect_rows(HD_OP_R2TR, 0, 2, 1, 32);
	expect_rows(HD_OP_R2TR, 1, 10, 1, 32);
	expect_rows(HD_OP_R2TR, 2, 18, 2, 32);
	expect_rows(HD_OP_R2TR, 3, 26, 1, 32);
	scene.threads[2][HD_WARP_LANES + 31] = 0;
	expect_rows(HD_OP_R2TR, 2, 18, 2, 32);
	expect_rows(HD_OP_R2TR, 1, 10, 1, 32);
	expect_rows(HD_OP_R2BR, 0, 32, 1, 2 * 16);
	expect_rows(HD_OP_R2CR, 15, 64, 1, 2);
	expect_rows(HD_OP_R2CR, 16, 65, 1, 2);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("r2d2",
			     (const TTest *const[]){layout_by_hand, kinds_do_not_overlap, streams_write_their_rows,
						    NULL},
			     set_up, tear_down);
}
