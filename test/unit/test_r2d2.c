/* R2D2's linear registers in an SM's register file: the layout of 4.2 by hand, and that its kinds never overlap. */
#include "harness.h"
#include "runtime/policy/r2d2.h"

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

Suite *hd_suite(void)
{
	return hd_suite_of("r2d2", (const TTest *const[]){layout_by_hand, kinds_do_not_overlap, NULL});
}
