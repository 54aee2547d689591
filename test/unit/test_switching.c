/* Preemption: what a context takes, which blocks leave, and that what comes back is the same (examples of Lin 2.3). */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/policy/preempt/preempt.h"
#include "simbench.h"

/* ---- tables */

static struct preempt_table table_of(uint32_t total, uint32_t blocks, uint32_t size)
{
	struct preempt_table table = {.total = total};
	for (uint32_t i = 0; i < blocks; i++)
		ck_assert(preempt_table_take(&table, i, size));
	return table;
}

/* Figure 2.4: three blocks of 300 vector registers and 8 KB; two of 200 and 10 KB are to come. */
START_TEST(blocks_leave_in_the_tables_order_or_as_few_as_possible)
{
	struct preempt_table registers = table_of(1024, 3, 300), shared = table_of(49152, 3, 8192);
	ck_assert_uint_eq(preempt_table_victims(&registers, 2, 200, false), 3);
	ck_assert_uint_eq(preempt_table_victims(&registers, 2, 200, true), 4);
	ck_assert_uint_eq(preempt_table_victims(&shared, 2, 10240, false), 0);
	ck_assert_uint_eq(preempt_table_victims(&registers, 1, 124, false), 0);
	ck_assert_uint_eq(preempt_table_victims(&registers, 1, 125, false), 1);
	ck_assert_uint_eq(preempt_table_victims(&registers, 3, 0, false), 0);
	ck_assert_uint_eq(preempt_table_victims(&registers, 9, 1000, true), 7); /* it never fits */
}
END_TEST

/* BT_1 with 6 blocks of 80 registers and 288 bytes makes way for 3 of HG_1 with 30 and 12,324: nothing leaves. BP_1 for
 * the 992 registers of HS_1: all registers. */
START_TEST(what_fits_beside_leaves_all_in_place)
{
	struct preempt_table registers = table_of(1024, 6, 80), shared = table_of(49152, 6, 288);
	ck_assert_uint_eq(preempt_table_victims(&registers, 3, 30, false), 0);
	ck_assert_uint_eq(preempt_table_victims(&shared, 3, 12324, false), 0);
	struct preempt_table full = table_of(1024, 6, 104), bytes = table_of(49152, 6, 1128);
	ck_assert_uint_eq(preempt_table_victims(&full, 4, 248, false), 63);
	ck_assert_uint_eq(preempt_table_victims(&bytes, 4, 3144, false), 0);
}
END_TEST

START_TEST(ranges_are_given_first_fit)
{
	struct preempt_table table = table_of(1000, 3, 300);
	ck_assert(!preempt_table_take(&table, 3, 101));
	preempt_table_free(&table, 1);
	ck_assert(preempt_table_take(&table, 4, 200));
	ck_assert(preempt_table_take(&table, 5, 100));
	ck_assert_uint_eq(table.count, 4);
	for (uint32_t i = 0, start = 0; i < table.count; i++) {
		static const uint32_t blocks[] = {0, 4, 5, 2}, sizes[] = {300, 200, 100, 300};
		ck_assert_uint_eq(table.entries[i].block, blocks[i]);
		ck_assert_uint_eq(table.entries[i].start, start);
		start += sizes[i];
	}
	preempt_table_free(&table, 9);
	ck_assert_uint_eq(table.count, 4);
}
END_TEST

/* Of blocks of 300, 300 and 300 the first and the third have left 300 and 400 of 1,000 free. One of 500 has its place,
 * in both: the table closes the gap before block 1. For one of 201 a block has to leave; without block 6 in the table
 * none would. */
START_TEST(blocks_between_ranges_are_known)
{
	struct preempt_table table = table_of(1000, 3, 300);
	preempt_table_free(&table, 0);
	preempt_table_free(&table, 2);
	ck_assert(!preempt_table_take(&table, 5, 701));
	ck_assert(preempt_table_take(&table, 6, 500));
	ck_assert_uint_eq(table.count, 2);
	ck_assert_uint_eq(table.entries[0].start, 0);
	ck_assert_uint_eq(table.entries[1].block, 6);
	ck_assert_uint_eq(table.entries[1].start, 300);
	ck_assert_uint_eq(preempt_table_victims(&table, 1, 200, false), 0);
	ck_assert_uint_eq(preempt_table_victims(&table, 1, 201, false), UINT64_C(1) << 1);
	preempt_table_free(&table, 6);
	ck_assert_uint_eq(preempt_table_victims(&table, 1, 700, false), 0);
}
END_TEST

/* ---- contexts */

START_TEST(high_registers_share_a_bit_of_the_mask)
{
	struct hd_registers low = {{0x3d}}, high = {{UINT64_C(1) | UINT64_C(3) << 52 | UINT64_C(1) << 60}};
	ck_assert_uint_eq(preempt_mask_registers(&low, 63).bits[0], 0x3d);
	struct hd_registers saved = preempt_mask_registers(&high, 63);
	ck_assert_uint_eq(saved.bits[0], UINT64_C(1) | UINT64_C(0x7ff) << 52); /* R0, R52, and R53 to R62 */
	ck_assert_int_eq(__builtin_popcountll(saved.bits[0]), 12);
	struct hd_registers beyond = {{1, 1}};
	saved = preempt_mask_registers(&beyond, 66);
	ck_assert_uint_eq(saved.bits[0], UINT64_C(1) | ~UINT64_C(0) << 53);
	ck_assert_uint_eq(saved.bits[1], 3);
}
END_TEST

START_TEST(groups_follow_the_width_of_blocks)
{
	static const uint32_t widths[][2] = {{16, 16}, {32, 32}, {256, 32}, {8, 8},
					     {4, 32},  {24, 32}, {48, 32},  {1, 32}};
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++)
		ck_assert_uint_eq(preempt_group(widths[i][0]), widths[i][1]);
}
END_TEST

/* Of a warp of a 16 x 16 block. */
static void fill(uint32_t values[32], uint32_t warp, uint32_t x, uint32_t y, uint32_t constant)
{
	for (uint32_t lane = 0; lane < 32; lane++) {
		uint32_t thread = warp * 32 + lane;
		values[lane] = thread % 16 * x + thread / 16 * y + constant;
	}
}

START_TEST(patterns_are_those_of_all_groups)
{
	static const struct {
		uint32_t x, y;
		enum preempt_pattern narrow, wide;
	} rows[] = {{0, 0, PREEMPT_UNIFORM, PREEMPT_UNIFORM},
		    {0, 1, PREEMPT_UNIFORM, PREEMPT_RANDOM},
		    {1, 0, PREEMPT_STRIDED, PREEMPT_RANDOM},
		    {1, 16, PREEMPT_STRIDED, PREEMPT_STRIDED},
		    {UINT32_MAX - 3, 5, PREEMPT_STRIDED, PREEMPT_RANDOM}};
	uint32_t values[32];
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		fill(values, 3, rows[i].x, rows[i].y, 77);
		ck_assert_int_eq(preempt_pattern_of(values, 16), rows[i].narrow);
		ck_assert_int_eq(preempt_pattern_of(values, 32), rows[i].wide);
	}
	values[31]++;
	ck_assert_int_eq(preempt_pattern_of(values, 16), PREEMPT_RANDOM);
	for (uint32_t lane = 0; lane < 32; lane++)
		values[lane] = lane < 16 ? 5 : lane; /* one group uniform, one strided */
	ck_assert_int_eq(preempt_pattern_of(values, 16), PREEMPT_STRIDED);
}
END_TEST

/* Five live registers, two uniform, two strided, one random. */
START_TEST(bytes_of_patterns)
{
	static const uint32_t groups[] = {32, 16}, sum[] = {168, 192};
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t bytes = PREEMPT_VECTOR_BYTES + 2 * preempt_pattern_bytes(PREEMPT_UNIFORM, groups[i]);
		bytes += 2 * preempt_pattern_bytes(PREEMPT_STRIDED, groups[i]);
		bytes += preempt_pattern_bytes(PREEMPT_RANDOM, groups[i]);
		ck_assert_uint_eq(bytes, sum[i]);
	}
}
END_TEST

/* A 16 x 16 block in groups of 16: the loop's counter and ty * 16 + tx are global, ty and tx are local. */
START_TEST(patterns_of_a_block)
{
	uint32_t bases[16], strides[16];
	static const struct {
		uint32_t x, y, bytes;
	} rows[] = {{0, 0, 4}, {0, 1, UINT32_MAX}, {1, 0, UINT32_MAX}, {1, 16, 8}, {2, 32, 8}, {1, 17, UINT32_MAX}};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		for (uint32_t group = 0; group < 16; group++) {
			bases[group] = group * rows[i].y + 9;
			strides[group] = rows[i].x;
		}
		ck_assert_uint_eq(preempt_block_bytes(bases, strides, 16, 16), rows[i].bytes);
	}
	strides[7]++;
	ck_assert_uint_eq(preempt_block_bytes(bases, strides, 16, 16), UINT32_MAX);
}
END_TEST

/* Two warps of 32 threads wait at one barrier. */
struct waiting {
	struct hd_gpu gpu;
	struct hd_sm sm;
	struct hd_grid grid;
	struct hd_cta cta;
	struct hd_warp warps[2], *in_block[2];
	struct hd_dinst code[2];
	uint32_t regs[2][65][HD_WARP_LANES];
	struct preempt_context contexts[2], *of_warps[PREEMPT_BLOCK_WARPS];
};

/* R0 is uniform; R1 is the thread's number and strided in all of the block; R2 is random in the second warp; R3 is
 * dead. `count` of them are saved, with a pattern vector of 16 bytes. A uniform register is 4 bytes and a strided
 * one 8. */
static struct waiting *wait_together(uint32_t count)
{
	static const uint32_t bytes[2][3] = {{4, 8, 8}, {4, 8, 128}};
	struct waiting *w = calloc(1, sizeof *w);
	ck_assert_ptr_nonnull(w);
	w->gpu.program.code.data = w->code;
	w->sm.gpu = &w->gpu;
	w->grid.block[0] = 64;
	w->cta.grid = &w->grid;
	w->cta.warp_count = 2;
	w->cta.warps = w->in_block;
	w->code[0].stops = PREEMPT_POINT;
	for (uint32_t i = 0; i < 2; i++) {
		w->in_block[i] = &w->warps[i];
		w->warps[i] =
			(struct hd_warp){.cta = &w->cta, .index = i, .state = HD_WARP_RUNNING, .regs = w->regs[i]};
		w->contexts[i] = (struct preempt_context){.count = count, .bytes = PREEMPT_VECTOR_BYTES};
		w->contexts[i].patterns[PREEMPT_DEAD] = 4 - count;
		w->of_warps[i] = &w->contexts[i];
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++) {
			w->regs[i][0][lane] = 7;
			w->regs[i][1][lane] = i * HD_WARP_LANES + lane;
			w->regs[i][2][lane] = i ? lane * lane : lane;
		}
		for (uint32_t reg = 0; reg < count; reg++) {
			w->contexts[i].registers.bits[0] |= UINT64_C(1) << reg;
			w->contexts[i].bytes += bytes[i][reg];
		}
	}
	return w;
}

/* Compresses by block. Frees `w`. */
static void expect_block(struct waiting *w, uint32_t by_block, uint32_t first, uint32_t second)
{
	preempt_compress_block(&w->sm, &w->cta, w->of_warps);
	ck_assert_uint_eq(w->contexts[0].by_block, by_block);
	ck_assert_uint_eq(w->contexts[1].by_block, by_block);
	ck_assert_uint_eq(w->contexts[0].bytes, first);
	ck_assert_uint_eq(w->contexts[1].bytes, second);
	free(w);
}

/* R0 and R1 are saved once, in 4 and 8 bytes beside the block's vector of 16, which are counted with the first warp.
 * The warps keep vectors of their own only while R2 is theirs. */
START_TEST(a_block_has_a_vector_of_its_own)
{
	expect_block(wait_together(3), 2, 16 + 8 + (4 + 8 + 16), 16 + 128);
	expect_block(wait_together(2), 2, 4 + 8 + 16, 0);
	struct waiting *w = wait_together(3);
	w->contexts[0].registers.bits[0] = w->contexts[1].registers.bits[0] = 4; /* R2 alone */
	expect_block(w, 0, 16 + 4 + 8 + 8, 16 + 4 + 8 + 128);
	w = wait_together(1); /* R64 in place of R0 */
	for (uint32_t i = 0; i < 2; i++) {
		w->contexts[i].registers = (struct hd_registers){{0, 1}};
		w->contexts[i].patterns[PREEMPT_DEAD] = 64;
	}
	expect_block(w, 1, 4 + 16, 0);
}
END_TEST

/* At two instructions, behind one that was put in for the point, at no point, with lanes missing, without a context, or
 * alone, warps save by themselves. */
START_TEST(a_block_is_saved_at_one_barrier)
{
	for (uint32_t i = 0; i < 6; i++) {
		struct waiting *w = wait_together(2);
		w->code[1].stops = PREEMPT_POINT;
		w->warps[1].pc = i == 0;
		w->code[0].stops = i == 1 ? PREEMPT_POINT | PREEMPT_PP : i == 2 ? 0 : PREEMPT_POINT;
		w->contexts[1].divergent = i == 3;
		w->of_warps[1] = i == 4 ? NULL : w->of_warps[1];
		w->cta.warp_count = i == 5 ? 1 : 2;
		expect_block(w, 0, 16 + 4 + 8, 16 + 4 + 8);
	}
}
END_TEST

/* ---- an SM */

enum { CHAIN = 60, LIVE = 5, WARPS = 8 };

/* R4 and R7 are strided, R5 and R6 uniform, R8 is neither; a point; a chain on R4, and the sum of all in R9. */
static void build(struct simbench *bench)
{
	static struct hd_meta_point point = {.loop_pc = UINT32_MAX};
	simbench_s2r(bench, 4, HD_SR_TID_X);
	simbench_mov(bench, 5, 3);
	simbench_mov(bench, 6, 5);
	simbench_s2r(bench, 7, HD_SR_TID_X);
	struct hd_inst *inst = simbench_emit(bench, HD_OP_IMAD);
	inst->dst = 8, inst->a = 4, inst->b = 7, inst->c = 5;
	for (uint32_t i = 0; i < CHAIN; i++) {
		if (i == CHAIN / 2)
			point.pc = (uint32_t)bench->code.len * HD_INST_BYTES;
		inst = simbench_emit(bench, HD_OP_IADD3);
		inst->dst = 4, inst->a = 4, inst->b = 5, inst->c = 6;
	}
	inst = simbench_emit(bench, HD_OP_IADD3);
	inst->dst = 9, inst->a = 4, inst->b = 7, inst->c = 8;
	point.live.regs[0] = point.live_divergent.regs[0] = 0x1f0;
	bench->meta.points = &point;
	bench->meta.point_count = 1;
	bench->meta.shared_bytes = 512;
}

struct figures {
	struct preempt_counts counts;
	struct hd_counters counters;
};

/* A request every 100 cycles up to cycle `most`. */
static struct figures preempt_launches(const char *policy, bool one, const char *most, uint32_t launches)
{
	struct simbench bench;
	struct figures figures;
	simbench_init(&bench);
	bench.options.policy = policy;
	bench.options.verify = true;
	bench.config.cta_launch_latency = 0;
	ck_assert_int_eq(hd_config_set(&bench.config, one ? "preempt.interval=100" : "preempt.interval=0", &bench.diag),
			 0);
	ck_assert_int_eq(hd_config_set(&bench.config, most, &bench.diag), 0);
	build(&bench);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	for (uint32_t i = 0; i < launches; i++) {
		int error = simbench_run(&bench, 1, 32 * WARPS);
		ck_assert_msg(!error, "%s", hd_sim_error_text(bench.sim));
	}
	/* Rows of warps that have come back more than once have been given to others since. */
	for (uint32_t id = 0; id < WARPS && launches == 1; id++)
		for (uint32_t lane = 0; lane < 32; lane++) {
			uint32_t thread = bench.sim->gpu.sms[0]->warps[id].index * 32 + lane;
			ck_assert_uint_eq(simbench_register(&bench, id, 9, lane),
					  thread + CHAIN * 8 + thread + thread * thread + 3);
		}
	figures.counters = simbench_stats(&bench)->counters;
	figures.counts = preempt_gpu_of(&bench.sim->gpu.policies[0], &bench.sim->gpu)->total;
	const struct preempt_sm *mine = preempt_sm_of(&bench.sim->gpu.policies[0], bench.sim->gpu.sms[0]);
	ck_assert_uint_eq(mine->state, PREEMPT_IDLE);
	ck_assert_uint_eq(mine->away + mine->leaving + mine->moving + mine->registers.count + mine->shared.count, 0);
	simbench_release(&bench);
	return figures;
}

/* One request, at cycle 100, in the first half of the chain. */
static struct figures preempt(const char *policy, bool one)
{
	return preempt_launches(policy, one, "preempt.most=150", 1);
}

static uint64_t whole_sectors(uint64_t bytes)
{
	return (bytes + 31) / 32 * 32;
}

START_TEST(a_block_leaves_compressed_and_comes_back)
{
	struct figures f = preempt("preempt", true);
	const struct preempt_counts *c = &f.counts;
	ck_assert_uint_eq(c->requests, 1);
	ck_assert_uint_eq(c->switched_blocks, 1);
	ck_assert_uint_eq(c->warps, WARPS);
	ck_assert_uint_eq(c->live_bytes, WARPS * LIVE * 128);
	ck_assert_uint_eq(c->register_bytes, WARPS * 168); /* 2 uniform, 2 strided, 1 random */
	ck_assert_uint_eq(c->uniform, 2 * WARPS);
	ck_assert_uint_eq(c->strided, 2 * WARPS);
	ck_assert_uint_eq(c->random, WARPS);
	ck_assert_uint_eq(c->shared_bytes, 512);
	ck_assert_uint_eq(c->stack_bytes, WARPS * 132);
	ck_assert_uint_eq(c->drain_cycles + c->spill_cycles, c->preempt_cycles);
	/* A register a cycle goes through the compressor, two cycles behind the last stop at the earliest. */
	ck_assert_uint_ge(c->register_phase, LIVE * WARPS + 2);
	ck_assert_uint_eq(f.counters.transfer_register_reads, LIVE * WARPS);
	ck_assert_uint_eq(f.counters.transfer_register_writes, LIVE * WARPS);
	uint64_t out = WARPS * 168 + 512 + whole_sectors(c->stack_bytes + c->own_bytes);
	ck_assert_uint_eq(f.counters.transfer_bytes_out, out);
	ck_assert_uint_eq(f.counters.transfer_bytes_in, out);
	ck_assert_uint_gt(c->restore_cycles, 0);
}
END_TEST

/* The alarm of the launch before is not taken for its own: requests go on. */
START_TEST(each_launch_has_requests)
{
	struct figures two = preempt_launches("preempt", true, "preempt.most=100000", 2);
	struct figures three = preempt_launches("preempt", true, "preempt.most=100000", 3);
	ck_assert_uint_gt(three.counts.requests, two.counts.requests);
	ck_assert_uint_gt(three.counts.switched_blocks, two.counts.switched_blocks);
}
END_TEST

START_TEST(the_last_request_is_in_the_last_cycle_for_them)
{
	ck_assert_uint_eq(preempt_launches("preempt", true, "preempt.most=99", 1).counts.requests, 0);
	ck_assert_uint_eq(preempt_launches("preempt", true, "preempt.most=100", 1).counts.requests, 1);
}
END_TEST

START_TEST(what_is_saved_is_what_the_variant_saves)
{
	struct figures all = preempt("preempt:naive", true), live = preempt("preempt:live", true);
	ck_assert_uint_eq(all.counts.register_bytes, all.counts.occupied_bytes);
	ck_assert_uint_eq(all.counts.dead, 0);
	ck_assert_uint_lt(all.counts.drain_cycles, live.counts.drain_cycles); /* it stops at once */
	ck_assert_uint_eq(live.counts.register_bytes, WARPS * LIVE * 128);
	ck_assert_uint_eq(live.counts.dead * 128 + live.counts.live_bytes, live.counts.occupied_bytes);
	ck_assert_uint_gt(all.counts.spill_cycles, live.counts.spill_cycles);
}
END_TEST

/* Cycles between blocks that move for the sake of another policy's shares. */
static uint64_t share_cycles(const char *slice)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.policy = "preempt+ccbp";
	ck_assert_int_eq(hd_config_set(&bench.config, "preempt.share_cycles=60", &bench.diag), 0);
	ck_assert_int_eq(hd_config_set(&bench.config, slice, &bench.diag), 0);
	build(&bench);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(simbench_run(&bench, 1, 32 * WARPS), 0);
	const struct hd_gpu *gpu = &bench.sim->gpu;
	uint64_t cycles = preempt_gpu_of(&gpu->policies[0], gpu)->share_cycles;
	simbench_release(&bench);
	return cycles;
}

/* With slices of time kernels move by their turns alone. */
START_TEST(shares_move_blocks_without_slices)
{
	ck_assert_uint_eq(share_cycles("preempt.slice=0"), 60);
	ck_assert_uint_eq(share_cycles("preempt.slice=200"), 0);
}
END_TEST

START_TEST(without_requests_it_is_the_baseline)
{
	struct figures none = preempt("preempt", false), drain = preempt("drain+baseline", false);
	ck_assert_uint_eq(none.counts.requests + none.counts.idle + drain.counts.requests, 0);
	struct figures one = preempt("preempt", true);
	ck_assert_uint_gt(one.counters.cycles, none.counters.cycles + one.counts.spill_cycles);
	ck_assert_uint_eq(one.counters.warp_instructions, none.counters.warp_instructions);
	ck_assert_uint_eq(one.counts.points, WARPS);
	ck_assert_uint_eq(none.counters.warp_instructions,
			  drain.counters.warp_instructions + 2 * WARPS); /* pp, dummy */
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of(
		"switching",
		(const TTest *const[]){blocks_leave_in_the_tables_order_or_as_few_as_possible,
				       what_fits_beside_leaves_all_in_place, ranges_are_given_first_fit,
				       blocks_between_ranges_are_known, high_registers_share_a_bit_of_the_mask,
				       groups_follow_the_width_of_blocks, patterns_are_those_of_all_groups,
				       bytes_of_patterns, patterns_of_a_block, a_block_has_a_vector_of_its_own,
				       a_block_is_saved_at_one_barrier, a_block_leaves_compressed_and_comes_back,
				       each_launch_has_requests, the_last_request_is_in_the_last_cycle_for_them,
				       what_is_saved_is_what_the_variant_saves, shares_move_blocks_without_slices,
				       without_requests_it_is_the_baseline, NULL});
}
