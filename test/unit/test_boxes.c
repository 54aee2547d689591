/* Copies in bulk of boxes of tensors, in time. */
#include "bulk_bench.h"
#include "harness.h"
#include "heddle/opcodes.h"
#include "lib/tensormap.h"

enum { TENSOR = 4096, COORDINATES = 16, ROWS = 16, ROW = 64 };

/* The memory's address, at which there is the map of a tensor in it: boxes of 16 rows of so many bytes. */
static uint64_t start_with_map(struct simbench *bench, uint32_t row, uint8_t promotion)
{
	uint64_t address;
	ck_assert_msg(!simbench_start(bench), "%s", bench->message);
	ck_assert_int_eq(hd_sim_malloc(bench->sim, 65536, &address), 0);
	const struct hd_tensor_map map = {.magic = HD_TENSOR_MAGIC,
					  .type = HD_TENSOR_U8,
					  .rank = 2,
					  .promotion = promotion,
					  .address = address + TENSOR,
					  .stride = {128},
					  .size = {128, 64},
					  .box = {row, ROWS},
					  .step = {1, 1}};
	ck_assert_int_eq(hd_sim_write(bench->sim, address, &map, sizeof map), 0);
	return address;
}

/* Cycles of two copies of a box of 16 rows of 64 bytes at column x of a tensor of 128, which is in L2. Its map is new
 * to the unit for the first one. */
static void load_box(uint32_t x, int64_t tensor, int64_t map_latency, uint32_t cycles[2], struct hd_counters *counted)
{
	struct simbench bench;
	uint64_t address;
	bulk_begin(&bench);
	bench.config.tma_tensor_latency = tensor;
	bench.config.tma_map_latency = map_latency;
	bulk_barrier(&bench);
	bulk_place(&bench, 0);
	for (uint8_t i = 0; i < 4; i++)
		simbench_mov(&bench, COORDINATES + i, i ? 0 : x);
	simbench_mov(&bench, 31, ROWS * ROW);
	for (uint8_t i = 0; i < 2; i++) {
		bulk_operation(&bench, HD_SYNCS_ARRIVE_TX, 31);
		simbench_chain(&bench, 20);
		bulk_look(&bench, 2 * i);
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_UTMALDG);
		inst->a = COPY, inst->b = COORDINATES, inst->c = BYTES, inst->mods = HD_MOD(DIMS, 2);
		bulk_wait(&bench, true, (uint8_t)(PARITY + i));
		bulk_look(&bench, 2 * i + 1);
	}
	address = start_with_map(&bench, ROW, 0);
	struct hd_launch launch = simbench_launch(&bench, 1, 1, &address);
	for (uint32_t i = 0; i < 2; i++) {
		int error = hd_sim_launch(bench.sim, &launch);
		ck_assert_msg(!error, "%s", hd_sim_error_text(bench.sim));
	}
	cycles[0] = bulk_cycles(&bench, 1);
	cycles[1] = bulk_cycles(&bench, 3) - bulk_cycles(&bench, 2);
	*counted = *bulk_counters(&bench);
	simbench_release(&bench);
}

/* A box takes tma_tensor_latency more than bytes side by side, and a request for each row, five cycles apart; a map
 * that the unit has not had takes tma_map_latency. What is outside the tensor is not requested. */
START_TEST(boxes_take_longer)
{
	struct bulk_copies row = {.bytes = ROW, .count = 1};
	uint32_t bytes = bulk_load(&row), first[2], second[2], outside[2];
	struct hd_counters counted;
	load_box(0, 90, 150, first, &counted);
	ck_assert_uint_eq(first[1], bytes + (ROWS - 1) * 5 + 90);
	ck_assert_uint_eq(first[0], first[1] + 150);
	ck_assert_uint_eq(counted.tma_requests, 2 * ROWS);
	ck_assert_uint_eq(counted.tma_bytes, 2 * ROWS * ROW);
	ck_assert_uint_eq(counted.tma_outside_bytes, 0);
	ck_assert_uint_eq(counted.icnt_flits_up, 2 * ROWS);
	ck_assert_uint_eq(counted.icnt_flits_down, 2 * ROWS * 3);
	load_box(0, 290, 1150, second, &counted);
	ck_assert_uint_eq(second[1], first[1] + 200);
	ck_assert_uint_eq(second[0], first[0] + 200 + 1000);
	load_box(96, 90, 150, outside, &counted);
	ck_assert_uint_eq(counted.tma_outside_bytes, 2 * ROWS * ROW / 2);
	ck_assert_uint_eq(counted.icnt_flits_down, 2 * ROWS * 2);
	ck_assert_uint_eq(outside[1], first[1] - 1); /* a sector less in the last answer */
}
END_TEST

/* Of rows of a sector L2 fetches that from DRAM, or 64 bytes, or the line, as the map has it. */
START_TEST(maps_promote_misses)
{
	static const uint32_t sectors[] = {1, 2, 4, 4};
	for (uint8_t promotion = 0; promotion < 4; promotion++) {
		struct simbench bench;
		bulk_begin(&bench);
		bulk_barrier(&bench);
		bulk_place(&bench, 0);
		for (uint8_t i = 0; i < 4; i++)
			simbench_mov(&bench, COORDINATES + i, 0);
		simbench_mov(&bench, 31, ROWS * 32);
		bulk_operation(&bench, HD_SYNCS_ARRIVE_TX, 31);
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_UTMALDG);
		inst->a = COPY, inst->b = COORDINATES, inst->c = BYTES, inst->mods = HD_MOD(DIMS, 2);
		bulk_wait(&bench, true, PARITY);
		uint64_t address = start_with_map(&bench, 32, promotion);
		struct hd_launch launch = simbench_launch(&bench, 1, 1, &address);
		ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
		ck_assert_uint_eq(bulk_counters(&bench)->tma_requests, ROWS);
		ck_assert_uint_eq(bulk_counters(&bench)->dram_reads, ROWS * sectors[promotion]);
		simbench_release(&bench);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("boxes", (const TTest *const[]){
					    boxes_take_longer,
					    maps_promote_misses,
					    NULL,
				    });
}
