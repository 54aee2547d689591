/* Occupancy against figures of the CUDA occupancy calculator for compute capability 7.0, worked out on paper. */
#include "harness.h"

#include <stdlib.h>

#include "heddle/config.h"
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

static struct hd_config config_of(const char *gpu)
{
	struct hd_config config;
	struct hd_diag diag = hd_diag_silent();
	setenv("HEDDLE_DATA", "runtime", 1);
	ck_assert_int_eq(hd_config_load(&config, gpu, &diag), 0);
	return config;
}

/* gpu-multiprogramming-lin, Table 2.2: as printed. */
/* From 8.0 on each CTA has a kilobyte more: 33,330 bytes are 34,432 with it, four times in an A100's 167,936, not five;
 * the largest CTA fits with it; and without any of its own, 16 CTAs of an RTX 3070 fit. */
START_TEST(reserved_shared_memory_counts)
{
	struct hd_config a100 = config_of("a100"), rtx3070 = config_of("rtx3070");
	struct hd_sm_limits limits = hd_sm_limits_of(&a100), small = hd_sm_limits_of(&rtx3070);
	struct hd_occupancy occupancy = hd_occupancy_compute(&limits, 32, 256, 33330);
	ck_assert_uint_eq(occupancy.shared_per_cta, 34432);
	ck_assert_uint_eq(occupancy.ctas, 4);
	ck_assert_uint_eq(hd_occupancy_compute(&limits, 32, 256, 166912).ctas, 1);
	ck_assert_uint_eq(hd_occupancy_compute(&limits, 32, 256, 166913).ctas, 0);
	ck_assert_uint_eq(hd_occupancy_compute(&small, 16, 32, 0).ctas, 16);
	ck_assert_uint_eq(hd_occupancy_compute(&small, 16, 32, 5377).ctas, 15);
}
END_TEST

START_TEST(fermi_holds_the_blocks_of_lins_kernels)
{
	static const struct {
		const char *kernel;
		uint32_t warps, ctas, regs, shared;
	} rows[] = {
		{"BP_1", 8, 6, 13, 1128}, {"BP_2", 8, 6, 18, 40},    {"BFS_1", 16, 3, 7, 44},
		{"BFS_2", 16, 3, 4, 36},  {"BT_1", 8, 6, 10, 48},    {"BT_2", 8, 6, 9, 60},
		{"CFD_1", 6, 8, 6, 32},	  {"CFD_2", 6, 8, 8, 48},    {"CFD_3", 6, 4, 39, 36},
		{"DWT_1", 8, 6, 4, 804},  {"DWT_2", 6, 5, 32, 8668}, {"HW_1", 8, 4, 23, 11888},
		{"HS_1", 8, 4, 31, 3144}, {"HG_1", 3, 3, 10, 12324}, {"KM_1", 8, 6, 9, 32},
		{"LK_1", 6, 8, 18, 24},	  {"LUD_1", 1, 8, 8, 2076},  {"LUD_2", 1, 8, 16, 3104},
		{"LUD_3", 8, 6, 9, 1056}, {"SR_1", 16, 3, 14, 4132}, {"SR_2", 16, 3, 16, 128},
		{"PF_1", 8, 6, 12, 2096}, {"SC_1", 16, 3, 8, 56},
	};
	struct hd_config config = config_of("gtx480");
	struct hd_sm_limits limits = hd_sm_limits_of(&config);
	ck_assert_uint_eq(sizeof rows / sizeof *rows, 23);
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct hd_occupancy occupancy =
			hd_occupancy_compute(&limits, rows[i].regs, 32 * rows[i].warps, rows[i].shared);
		ck_assert_msg(occupancy.ctas == rows[i].ctas, "%s: %u blocks, printed %u", rows[i].kernel,
			      occupancy.ctas, rows[i].ctas);
	}
	ck_assert_uint_eq(hd_occupancy_compute(&limits, 63, 32, 0).ctas, 8);
	ck_assert_uint_eq(hd_occupancy_compute(&limits, 64, 32, 0).ctas, 0);
}
END_TEST

/* The same granularity on Lin's other GPUs: 33 registers a thread are 1056 a warp, and 62 of those fit. */
START_TEST(lins_gpus_give_registers_away_alike)
{
	static const char *const gpus[] = {"maxwell-duet", "maxwell-cke"};
	for (unsigned i = 0; i < 2; i++) {
		struct hd_config config = config_of(gpus[i]);
		struct hd_sm_limits limits = hd_sm_limits_of(&config);
		ck_assert_uint_eq(hd_occupancy_compute(&limits, 33, 64, 0).ctas, 31);
	}
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {each_resource_limits,
				      allocation_is_reported,
				      reserved_shared_memory_counts,
				      fermi_holds_the_blocks_of_lins_kernels,
				      lins_gpus_give_registers_away_alike,
				      NULL};
	return hd_suite_of("occupancy", tests);
}
