/* Occupancy against figures of the CUDA occupancy calculator for compute capability 7.0, worked out on paper. */
#include "harness.h"

#include "heddle/occupancy.h"

static const struct hd_sm_limits volta = {
	.max_threads = 2048,
	.max_warps = 64,
	.max_ctas = 32,
	.registers = 65536,
	.max_regs_per_thread = 255,
	.shared_bytes = 98304,
	.shared_per_cta = 81920,
	.register_unit = 256,
	.warp_unit = 4,
	.shared_unit = 256,
	.warp_lanes = 32,
	.max_threads_per_cta = 1024,
};

START_TEST(each_resource_limits)
{
	static const struct {
		uint32_t regs, threads, shared, ctas, warps;
		enum hd_occupancy_limit limit;
	} cases[] = {
		{32, 256, 0, 8, 64, HD_LIMIT_THREADS},
		{16, 32, 0, 32, 32, HD_LIMIT_CTAS},
		/* 33 registers: 1056 a warp, rounded up to 1280; 8 warps take 10240; six CTAs fit. */
		{33, 256, 0, 6, 48, HD_LIMIT_REGISTERS},
		{255, 256, 0, 1, 8, HD_LIMIT_REGISTERS},
		{255, 1024, 0, 0, 0, HD_LIMIT_REGISTERS},
		{256, 32, 0, 0, 0, HD_LIMIT_REGISTERS},
		/* 64 registers are 2048 a warp: 8 warps in each quarter of the file, 32 in all, 6 CTAs of 5. */
		{64, 160, 0, 6, 30, HD_LIMIT_REGISTERS},
		/* 26 registers are 1024 a warp: every warp slot can be filled. */
		{26, 64, 0, 32, 64, HD_LIMIT_CTAS},
		/* 96 registers are 3072 a warp: 5 of them in a quarter, 20 in all. */
		{96, 32, 0, 20, 20, HD_LIMIT_REGISTERS},
		{32, 128, 48 * 1024, 2, 8, HD_LIMIT_SHARED},
		/* One CTA may have less than the SM has. */
		{32, 128, 81920, 1, 4, HD_LIMIT_SHARED},
		{32, 128, 81921, 0, 0, HD_LIMIT_SHARED},
		/* One byte more is rounded up to 256. */
		{32, 128, 48 * 1024 + 1, 1, 4, HD_LIMIT_SHARED},
		{32, 128, 98305, 0, 0, HD_LIMIT_SHARED},
		{0, 1024, 0, 2, 64, HD_LIMIT_THREADS},
		{32, 1025, 0, 0, 0, HD_LIMIT_CTA_TOO_BIG},
		{32, 0, 0, 0, 0, HD_LIMIT_CTA_TOO_BIG},
		{255, UINT32_MAX, UINT32_MAX, 0, 0, HD_LIMIT_CTA_TOO_BIG},
	};
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct hd_occupancy occupancy =
			hd_occupancy_compute(&volta, cases[i].regs, cases[i].threads, cases[i].shared);
		ck_assert_msg(occupancy.ctas == cases[i].ctas && occupancy.warps == cases[i].warps &&
				      occupancy.limit == cases[i].limit,
			      "case %u: %u CTAs, %u warps, %s", i, occupancy.ctas, occupancy.warps,
			      hd_occupancy_limit_name(occupancy.limit));
	}
}
END_TEST

START_TEST(allocation_is_reported)
{
	struct hd_occupancy occupancy = hd_occupancy_compute(&volta, 33, 160, 100);
	ck_assert_uint_eq(occupancy.warps_per_cta, 5);
	ck_assert_uint_eq(occupancy.registers_per_warp, 1280);
	ck_assert_uint_eq(occupancy.registers_per_cta, 8 * 1280);
	ck_assert_uint_eq(occupancy.shared_per_cta, 256);
	ck_assert_uint_eq(occupancy.max_warps, 64);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {each_resource_limits, allocation_is_reported, NULL};
	return hd_suite_of("occupancy", tests);
}
