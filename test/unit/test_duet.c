/* GPUDuet's on-chip space, classes, bound and costs: examples D1 to D5 and D8 by hand, and what always holds. */
#include <string.h>

#include "harness.h"
#include "heddle/config.h"
#include "runtime/policy/duet/monitor.h"
#include "runtime/policy/duet/space.h"

/* D1; comparisons are strict. */
START_TEST(classes)
{
	static const struct {
		struct duet_use use;
		enum duet_class class;
	} rows[] = {
		{{55, 59, 49, 10, 20}, DUET_UNDERUTILISED}, {{55, 61, 49, 10, 20}, DUET_MODERATE},
		{{55, 59, 50, 10, 20}, DUET_MODERATE},	    {{80, 0, 0, 0, 0}, DUET_MODERATE},
		{{0, 91, 0, 0, 0}, DUET_SATURATED},	    {{0, 0, 71, 0, 0}, DUET_SATURATED},
		{{81, 0, 0, 0, 0}, DUET_SATURATED},	    {{0, 0, 0, 81, 0}, DUET_SATURATED},
		{{0, 0, 0, 0, 81}, DUET_SATURATED},	    {{60, 0, 0, 0, 0}, DUET_MODERATE},
		{{0, 0, 0, 60, 0}, DUET_MODERATE},	    {{0, 0, 0, 0, 60}, DUET_MODERATE},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ck_assert_int_eq(duet_class_of(&rows[i].use), rows[i].class);
}
END_TEST

static struct duet_kernel kernel_of(uint32_t warps, uint32_t registers, uint32_t context, uint32_t shared,
				    uint32_t native)
{
	return (struct duet_kernel){.warps = warps,
				    .registers = registers,
				    .context = context,
				    .shared = shared,
				    .native = native,
				    .register_units = 2048,
				    .shared_units = 768,
				    .warp_slots = 64,
				    .block_slots = 32};
}

/* D2 and D3, what both limit, and what nothing limits. */
START_TEST(bounds)
{
	struct duet_kernel bt = kernel_of(8, 28, 14, 0, 8), wide = kernel_of(8, 28, 20, 0, 8);
	struct duet_kernel dwt = kernel_of(6, 32, 16, 64, 10), printed = kernel_of(6, 32, 16, 68, 10);
	ck_assert_uint_eq(duet_bound(&bt, 0), 8);
	ck_assert_uint_eq(duet_bound(&wide, 0), 6);
	ck_assert_uint_eq(duet_outside(&bt, 8, 0), 6); /* 768 / 112 */
	ck_assert_uint_eq(duet_bound(&dwt, 256), 2);
	ck_assert_uint_eq(duet_outside(&dwt, 2, 0), 0);	  /* 128 units are left of shared memory, a block needs 160 */
	ck_assert_uint_eq(duet_outside(&dwt, 2, 256), 2); /* L1 has room for 16 contexts, they have 12 */
	ck_assert_uint_eq(duet_outside(&dwt, 2, 12 * 16 - 1), 1);
	ck_assert_uint_eq(duet_bound(&printed, 256), 1);
	struct duet_kernel by_shared = kernel_of(4, 20, 8, 192, 4), both = kernel_of(8, 32, 16, 96, 8);
	ck_assert_int_eq(duet_level_of(&bt), DUET_WARPS);
	ck_assert_int_eq(duet_level_of(&by_shared), DUET_BLOCKS);
	ck_assert_uint_eq(duet_bound(&by_shared, 0), 6); /* (2816 - 4 x 272) / 272 */
	ck_assert_int_eq(duet_level_of(&both), DUET_OFF);
	ck_assert_uint_eq(duet_bound(&both, 256), 0);
	/* 14 blocks of 8 x 28 units would take more than all 2816; contexts of no units are not looked at. */
	struct duet_kernel full = kernel_of(8, 28, 14, 0, 14), small = kernel_of(8, 28, 0, 0, 8);
	ck_assert_uint_eq(duet_bound(&full, 0), 0);
	ck_assert_uint_eq(duet_bound(&small, 0), 0);
	struct duet_kernel by_blocks = kernel_of(1, 16, 8, 0, 32);
	ck_assert_uint_eq(duet_bound(&by_blocks, 0), 0);
}
END_TEST

/* Four parts of 512 units have room for two warps of 200 each, and 112 are lost: registers limit four blocks of two,
 * though 448 units are left of what all have. */
START_TEST(parts_of_the_register_file)
{
	struct duet_kernel kernel = kernel_of(2, 200, 22, 2, 4);
	ck_assert_int_eq(duet_level_of(&kernel), DUET_OFF); /* in one part there is room for ten warps */
	kernel.native = 5;
	ck_assert_int_eq(duet_level_of(&kernel), DUET_WARPS);
	kernel.parts = 4;
	kernel.native = 4;
	ck_assert_int_eq(duet_level_of(&kernel), DUET_WARPS);
	ck_assert_uint_eq(duet_bound(&kernel, 0), 26); /* (2816 - 4 x 402) / 46 */
	kernel.native = 3;
	ck_assert_int_eq(duet_level_of(&kernel), DUET_OFF);
	/* Where shared memory limits them, there is room for one block more in parts, and for two in one. */
	kernel.slot = 2, kernel.shared = 200;
	ck_assert_int_eq(duet_level_of(&kernel), DUET_BLOCKS);
	ck_assert_uint_eq(duet_bound(&kernel, 0), 1);
	kernel.parts = 0;
	ck_assert_uint_eq(duet_bound(&kernel, 0), 1); /* (2816 - 3 x 600) / 604 */
	kernel.shared_units = 799, kernel.register_units = 2560;
	ck_assert_uint_eq(duet_bound(&kernel, 0), 2);
	kernel.parts = 4;
	ck_assert_uint_eq(duet_bound(&kernel, 0), 2); /* 640 have room for three */
	kernel.register_units = 2396;
	ck_assert_uint_eq(duet_bound(&kernel, 0), 1);
	/* Virtual Thread: ten warps beyond those of two blocks have registers, and eight in parts. */
	kernel = kernel_of(2, 200, 22, 0, 2);
	kernel.slot = 2;
	ck_assert_uint_eq(duet_slots_bound(&kernel), 3);
	kernel.parts = 4;
	ck_assert_uint_eq(duet_slots_bound(&kernel), 2);
	kernel.registers = 0; /* an empty kernel: block slots alone */
	ck_assert_uint_eq(duet_slots_bound(&kernel), 30);
}
END_TEST

/* Equation 3.3, HG of Table 2.2 (3 warps of 10 registers, 97 units of shared memory), and D2's Virtual Thread. */
START_TEST(blocks)
{
	struct duet_kernel hg = kernel_of(3, 10, 7, 97, 7), bt = kernel_of(8, 28, 14, 0, 8);
	hg.slot = bt.slot = 2;
	ck_assert_uint_eq(duet_block_units(&hg, false, true), 3 * 2 + 97);
	ck_assert_uint_eq(duet_block_units(&hg, true, false), 3 * 7);
	ck_assert_uint_eq(duet_block_units(&hg, false, false), 3 * 2);
	ck_assert_int_eq(duet_level_of(&hg), DUET_BLOCKS);
	ck_assert_uint_eq(duet_bound(&hg, 0), 14);	 /* (2816 - 7 x 127) / (30 + 103) */
	ck_assert_uint_eq(duet_outside(&hg, 14, 0), 13); /* (2048 - 20 x 30) / 103 = 14, with one more 13 */
	ck_assert_uint_eq(duet_outside(&hg, 14, 103), 14);
	ck_assert_uint_eq(duet_outside(&hg, 14, 102), 13);
	ck_assert_uint_eq(duet_slots_bound(&bt), 1); /* 256 units are left of the registers, a block has 224 */
	bt.native = 7;
	ck_assert_uint_eq(duet_slots_bound(&bt), 2);
	ck_assert_uint_eq(duet_slots_bound(&hg), 0); /* shared memory limits it */
	struct duet_kernel full = kernel_of(8, 28, 14, 95, 8);
	full.slot = 2;
	ck_assert_int_eq(duet_level_of(&full), DUET_BLOCKS);
	full.shared = 84; /* 96 units are left: enough for shared memory, not for slots with it */
	ck_assert_uint_eq(duet_slots_bound(&full), 0);
	full.shared = 80;
	ck_assert_uint_eq(duet_slots_bound(&full), 1);
}
END_TEST

/* D4. */
START_TEST(costs)
{
	const uint64_t warp = 256 + 12 * DUET_UNIT_BYTES;
	ck_assert_uint_eq(duet_move_cycles(warp, 128), 14);
	ck_assert_uint_eq(duet_move_cycles(warp, 64), 28);
	ck_assert_uint_eq(duet_move_cycles(warp, 256), 7);
	ck_assert_uint_eq(duet_move_cycles(8 * 256 + 12288, 128), 112);
	ck_assert_uint_eq(duet_move_cycles(129, 128), 2);
}
END_TEST

/* D5: nothing lies across the parts; contexts come from the top; the map has the sum of what was taken. */
START_TEST(places)
{
	struct duet_space space;
	ck_assert(duet_space_init(&space, 2048, 768, 0));
	ck_assert(!duet_space_init(&space, 4096, 1, 0));
	ck_assert(duet_space_init(&space, 2048, 768, 0));
	ck_assert_uint_eq(duet_space_take(&space, DUET_REGISTERS, 0x7f4), 0);
	ck_assert_uint_eq(duet_space_take(&space, DUET_REGISTERS, 13), DUET_NOWHERE); /* 0x7f4 to 0x800 */
	ck_assert_uint_eq(duet_space_take(&space, DUET_REGISTERS, 12), 0x7f4);
	ck_assert_uint_eq(duet_space_take(&space, DUET_SHARED, 64), 0x800);
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_SHARED, 14), 0xb00 - 14);
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_SHARED, 14), 0xb00 - 28);
	ck_assert(duet_present(&space, 0x7ff) && !duet_present(&space, 0x800));
	ck_assert(duet_space_agrees(&space));
	ck_assert_uint_eq(space.taken, 2048 + 64 + 28);
	duet_space_give(&space, 0xb00 - 14, 14);
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_SHARED, 14), 0xb00 - 14);
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_SHARED, 768 - 64 - 27), DUET_NOWHERE);
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_SHARED, 768 - 64 - 28), 0x840);
	space.map[0] &= ~UINT64_C(1);
	ck_assert(!duet_space_agrees(&space));
}
END_TEST

/* L1 comes first for contexts; none goes across two parts, or to units that are kept. */
START_TEST(context_places)
{
	struct duet_space space;
	ck_assert(!duet_space_init(&space, 2048, 1024, 1025));
	ck_assert(duet_space_init(&space, 2048, 768, 256));
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_SHARED, 200), 0xc00 - 200);
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_SHARED, 60), 0xb00 - 60); /* 56 are left of L1 */
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_REGISTERS, 100), 0x800 - 100);
	duet_space_keep(&space, DUET_REGISTERS, 1900);
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_REGISTERS, 100), DUET_NOWHERE);
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_REGISTERS, 56), 0xb00);
	duet_space_keep(&space, DUET_REGISTERS, 1848);
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_REGISTERS, 100), 1848);
	ck_assert_uint_eq(duet_space_take(&space, DUET_REGISTERS, 1848), 0);
	ck_assert(duet_shared_present(&space, 0x800) && duet_shared_present(&space, 0xaff));
	ck_assert(!duet_shared_present(&space, 0x7ff) && !duet_shared_present(&space, 0xb01));
	ck_assert(duet_space_agrees(&space));
	ck_assert(duet_space_init(&space, 2048, 768, 0));
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_SHARED, 768), 0x800);
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_SHARED, 1), DUET_NOWHERE);
	duet_space_add_l1(&space, 256);
	ck_assert_uint_eq(duet_space_take_context(&space, DUET_SHARED, 1), 0xbff);
}
END_TEST

/* As many blocks and contexts as duet_outside promises have room, in whatever order they come and go. */
START_TEST(no_gaps)
{
	struct duet_kernel kernel = kernel_of(4, 16, 5, 30, 16);
	uint32_t extra = duet_outside(&kernel, 16, 0), blocks = kernel.native + extra, contexts = extra * kernel.warps;
	uint32_t at[768], seed = 1;
	struct duet_space space;
	ck_assert_uint_eq(extra, 5);
	ck_assert(duet_space_init(&space, 2048, 768, 0));
	memset(at, 0xff, sizeof(at));
	for (uint32_t step = 0; step < 4000; step++) {
		seed = seed * 1103515245 + 12345;
		uint32_t which = (seed >> 16) % (blocks + contexts), units = which < blocks ? 30 : 5;
		if (at[which] == DUET_NOWHERE) {
			at[which] = which < blocks ? duet_space_take(&space, DUET_SHARED, units)
						   : duet_space_take_context(&space, DUET_SHARED, units);
			ck_assert_uint_ne(at[which], DUET_NOWHERE);
		} else {
			duet_space_give(&space, at[which], units);
			at[which] = DUET_NOWHERE;
		}
		ck_assert(duet_space_agrees(&space));
	}
}
END_TEST

/* Table 3.4: 8,272 bits for 3,072 units, L1's 256 among them; 672 of Virtual Thread. */
START_TEST(storage)
{
	ck_assert_uint_eq(duet_storage_bits(3072), 8272);
	ck_assert_uint_eq(duet_slots_storage_bits(64), 672);
}
END_TEST

/* D8, and the other classes: what each window leaves. */
START_TEST(growth)
{
	static const struct duet_use moderate = {70, 0, 0, 0, 0}, under = {10, 0, 0, 0, 0}, full = {90, 0, 0, 0, 0};
	struct duet_growth growth;
	duet_growth_begin(&growth, 3);
	for (uint32_t window = 0; window < 8; window++) {
		static const uint32_t expected[] = {0, 1, 2, 3, 3, 3, 3, 3};
		duet_growth_window(&growth, &moderate);
		ck_assert_uint_eq(growth.extra, expected[window]);
	}
	duet_growth_begin(&growth, 3);
	duet_growth_window(&growth, &full); /* skipped */
	ck_assert_uint_eq(growth.extra, 0);
	duet_growth_window(&growth, &under);
	ck_assert_uint_eq(growth.extra, 3);
	duet_growth_window(&growth, &full); /* decided for good */
	ck_assert_uint_eq(growth.extra, 3);
	duet_growth_begin(&growth, 3);
	duet_growth_window(&growth, &under);
	duet_growth_window(&growth, &full);
	duet_growth_window(&growth, &moderate);
	ck_assert_uint_eq(growth.extra, 0);
	duet_growth_begin(&growth, 3);
	duet_growth_window(&growth, &moderate);
	duet_growth_window(&growth, &moderate);
	duet_growth_window(&growth, &full); /* frozen at 1 */
	duet_growth_window(&growth, &moderate);
	ck_assert_uint_eq(growth.extra, 1);
	duet_growth_begin(&growth, 3);
	duet_growth_window(&growth, &moderate);
	duet_growth_stop(&growth);
	duet_growth_window(&growth, &under);
	ck_assert_uint_eq(growth.extra, 0);
}
END_TEST

/* Table 3.1's GPU, 10,000 cycles: half of the issue slots, and flits, DRAM and ports by hand. */
START_TEST(use)
{
	struct hd_config config;
	struct hd_counters counters = {.warp_instructions = 320000,
				       .icnt_flits_up = 57600,
				       .icnt_flits_down = 115200,
				       .dram_reads = 12000,
				       .l1d_hits = 16000,
				       .l2_hits = 12000};
	hd_config_defaults(&config);
	config.sm_count = config.l2_slices = config.dram_channels = 16;
	config.schedulers = 4;
	config.core_mhz = 1000;
	config.icnt_mhz = config.l2_mhz = config.dram_mhz = 1200;
	config.dram_bus = config.dram_ratio = 4;
	config.sector = config.l1_line = config.l1_width = 128;
	config.l1_ports = 1;
	config.icnt_flit = 32;
	struct duet_use seen = duet_use_of(&config, &counters, 10000);
	ck_assert_double_eq_tol(seen.scheduler, 50, 1e-9);
	ck_assert_double_eq_tol(seen.network, 100, 1e-9); /* 16 x 12,000 x 0.6 flits */
	ck_assert_double_eq_tol(seen.dram, 50, 1e-9);	  /* of 256 B x 12,000 */
	ck_assert_double_eq_tol(seen.l1, 10, 1e-9);
	ck_assert_double_eq_tol(seen.l2, 25, 1e-9); /* four cycles a hit */
	/* No time has passed: nothing is in use. */
	seen = duet_use_of(&config, &counters, 0);
	ck_assert_double_eq(seen.scheduler + seen.network + seen.dram + seen.l1 + seen.l2, 0);
	/* One SM, slice and cycle: a flit either way, of 0.72 that fit; the busier direction counts. */
	config.sm_count = config.l2_slices = 1;
	counters = (struct hd_counters){.icnt_flits_up = 1};
	ck_assert_double_eq_tol(duet_use_of(&config, &counters, 1).network, 100 / 0.72, 1e-9);
	counters = (struct hd_counters){.icnt_flits_down = 1};
	ck_assert_double_eq_tol(duet_use_of(&config, &counters, 1).network, 100 / 0.72, 1e-9);
}
END_TEST

/* What one resource alone makes of a kernel: below, at and above each of its two limits. */
START_TEST(classes_have_limits)
{
	static const double limits[5][2] = {{60, 80}, {60, 90}, {50, 70}, {60, 80}, {60, 80}};
	for (uint32_t i = 0; i < 5; i++)
		for (uint32_t k = 0; k < 2; k++)
			for (int beside = -1; beside <= 1; beside++) {
				double value = limits[i][k] + 0.5 * beside;
				struct duet_use use = {0};
				double *const of[] = {&use.scheduler, &use.network, &use.dram, &use.l1, &use.l2};
				*of[i] = value;
				enum duet_class expected = value < limits[i][0]	   ? DUET_UNDERUTILISED
							   : value <= limits[i][1] ? DUET_MODERATE
										   : DUET_SATURATED;
				ck_assert_msg(duet_class_of(&use) == expected, "%u: %g", i, value);
			}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("duet", (const TTest *const[]){
					   classes,
					   classes_have_limits,
					   bounds,
					   parts_of_the_register_file,
					   blocks,
					   costs,
					   places,
					   context_places,
					   no_gaps,
					   storage,
					   growth,
					   use,
					   NULL,
				   });
}
