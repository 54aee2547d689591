/* Texture fetches in time: hits, quads, wide and many texels, what is coalesced, and faults. */
#include "harness.h"
#include "heddle/opcodes.h"

#include <string.h>

#include "cuda/driver_types.h"
#include "cuda/heddle_texture.h"
#include "cuda/texture_types.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"
#include "runtime/memory/coalescer.h"
#include "simbench.h"

enum { LATENCY = 50, LINEAR = 1, WIDTH = 64, ROWS = 64, PLANES = 64, INDEX = 4, OBJECT = 6, RESULT = 8 };
#define DESCRIPTOR (HD_DEVICE_BASE + (UINT64_C(1) << 20))
#define TEXELS (DESCRIPTOR + 4096)

static struct simbench bench;
static struct hd_stats stats;

/* R6 is the object, R4 and R5 the coordinates. */
static void begin(uint64_t object)
{
	simbench_init(&bench);
	bench.config.texture_latency = LATENCY;
	bench.config.dram_bytes = 1 << 26;
	bench.meta.registers = 32;
	simbench_mov(&bench, OBJECT, (uint32_t)object);
	simbench_mov(&bench, OBJECT + 1, (uint32_t)(object >> 32));
}

static void fetch(enum hd_op op, uint16_t mods, uint8_t dst, uint8_t c)
{
	struct hd_inst *inst = simbench_emit(&bench, op);
	inst->mods = mods;
	inst->dst = dst;
	inst->a = INDEX;
	inst->b = OBJECT;
	inst->c = c;
}

/* A texture of 64 elements a side, of floats whose value is 0. */
static struct hd_texture *place_texture(int channels)
{
	struct hd_devmem *memory = bench.sim->gpu.devmem;
	uint64_t row = (uint64_t)channels * 4 * WIDTH;
	ck_assert_int_eq(hd_devmem_place(memory, DESCRIPTOR, sizeof(struct hd_texture)), 0);
	ck_assert_int_eq(hd_devmem_place(memory, TEXELS, row * ROWS * PLANES), 0);
	struct hd_texture *texture = hd_devmem_at(memory, DESCRIPTOR, sizeof *texture);
	*texture = (struct hd_texture){.self = DESCRIPTOR, .base = TEXELS, .pitch = row, .slice = row * ROWS};
	texture->size[0] = WIDTH, texture->size[1] = ROWS, texture->size[2] = PLANES;
	texture->channels = channels;
	texture->bits = 32;
	texture->kind = cudaChannelFormatKindFloat;
	texture->levels = 1;
	for (int i = 0; i < 3; i++)
		texture->address_mode[i] = cudaAddressModeClamp;
	return texture;
}

static void run(uint32_t threads)
{
	ck_assert_int_eq(simbench_run(&bench, 1, threads), 0);
	stats = *simbench_stats(&bench);
}

/* A chain of fetches, each of which gives the next one's index. */
static uint64_t chain(uint32_t length, uint64_t latency, uint64_t units, uint32_t threads)
{
	begin(DESCRIPTOR);
	bench.config.texture_latency = (int64_t)latency;
	bench.config.units_texture = (int64_t)units;
	simbench_mov(&bench, INDEX, 0);
	for (uint32_t i = 0; i < length; i++)
		fetch(HD_OP_TLD, HD_MOD(SIZE, HD_SIZE_32), INDEX, HD_RZ);
	ck_assert_int_eq(simbench_start(&bench), 0);
	place_texture(1);
	run(threads);
	uint64_t cycles = stats.counters.cycles;
	simbench_release(&bench);
	return cycles;
}

/* Beside the latency a hop takes the cycle in which the load/store unit takes it. */
static uint64_t hop(uint64_t latency, uint64_t units, uint32_t threads)
{
	return (chain(12, latency, units, threads) - chain(2, latency, units, threads)) / 10 - 1;
}

START_TEST(a_hit_takes_its_latency)
{
	struct hd_config config;
	hd_config_defaults(&config);
	ck_assert_uint_eq(hop(LATENCY, 4, 1), LATENCY);
	ck_assert_uint_eq(hop(LATENCY + 1, 4, 1), LATENCY + 1);
	ck_assert_uint_eq(hop(0, 4, 1), (uint64_t)config.l1_latency); /* as a load */
}
END_TEST

START_TEST(units_take_lanes_in_quads)
{
	ck_assert_uint_eq(hop(LATENCY, 4, 4), LATENCY);
	ck_assert_uint_eq(hop(LATENCY, 4, 5), LATENCY + 1);
	ck_assert_uint_eq(hop(LATENCY, 4, 32), LATENCY + 7);
	ck_assert_uint_eq(hop(LATENCY, 8, 32), LATENCY + 3);
	ck_assert_uint_eq(hop(LATENCY, 16, 5), LATENCY);
}
END_TEST

/* Fetches that follow each other: one after the other through the units. */
static uint64_t in_a_row(uint32_t count)
{
	begin(DESCRIPTOR);
	simbench_mov(&bench, INDEX, 0);
	for (uint32_t i = 0; i < count; i++)
		fetch(HD_OP_TLD, HD_MOD(SIZE, HD_SIZE_32), (uint8_t)(RESULT + i), HD_RZ);
	ck_assert_int_eq(simbench_start(&bench), 0);
	place_texture(1);
	run(32);
	ck_assert_uint_eq(stats.counters.texture_cycles, 8 * count);
	uint64_t cycles = stats.counters.cycles;
	simbench_release(&bench);
	return cycles;
}

START_TEST(a_warp_takes_the_units_for_eight_cycles)
{
	ck_assert_uint_eq(in_a_row(12) - in_a_row(4), 8 * 8);
}
END_TEST

/* What one fetch counts; lane n is at n * step in each of the coordinates (in R4, R5 and, where there are three, R10).
 */
static void count(enum hd_op op, uint16_t mods, int channels, bool linear, float step, uint32_t coordinates)
{
	begin(DESCRIPTOR);
	simbench_s2r(&bench, 2, HD_SR_LANEID);
	struct hd_inst *convert = simbench_emit(&bench, HD_OP_I2F);
	convert->mods = HD_MOD(DTYPE, HD_F32) | HD_MOD(STYPE, HD_U32);
	convert->dst = convert->b = 2;
	uint32_t bits;
	memcpy(&bits, &step, sizeof bits);
	static const uint8_t places[] = {INDEX, INDEX + 1, 10};
	for (uint32_t i = 0; i < 3; i++) {
		struct hd_inst *scale = simbench_emit(&bench, HD_OP_FMUL);
		scale->dst = places[i];
		scale->a = 2;
		scale->xkind = HD_X_IMM_B;
		scale->x = i < coordinates ? bits : 0;
	}
	fetch(op, mods, 12, coordinates > 2 ? 10 : HD_RZ);
	ck_assert_int_eq(simbench_start(&bench), 0);
	place_texture(channels)->linear = linear;
	run(32);
	simbench_release(&bench);
}

static const struct {
	enum hd_tdim dim;
	bool linear;
	int channels;
	float step;
	uint32_t coordinates, texels, lines, sectors, cycles;
} counts[] = {
	{HD_TEX_1D, false, 1, 1, 1, 32, 1, 4, 8},      /* words side by side: four sectors of eight */
	{HD_TEX_1D, false, 1, 0, 1, 32, 1, 1, 8},      /* all the same */
	{HD_TEX_1D, true, 1, 1, 1, 64, 1, 4, 8},       /* pairs of neighbours, half of which are a neighbour's */
	{HD_TEX_2D, true, 1, 1, 1, 128, 1, 4, 8},      /* y at the border: both rows are the first */
	{HD_TEX_2D, false, 1, 1, 2, 32, 32, 32, 8},    /* a diagonal: a row each */
	{HD_TEX_2D, true, 4, 0.25f, 1, 128, 2, 5, 32}, /* texels 0 to 8 of 16 bytes; four words of four texels */
	{HD_TEX_3D, true, 1, 0, 3, 256, 1, 1, 16},     /* eight texels a lane: two cycles a quad */
	/* Lane n between 2n - 1 and 2n: four rows each but of lane 0, in two lines of lane 16: more than go to the
	 * banks at a time. Two sectors of a row in lanes 4, 8, ... */
	{HD_TEX_3D, true, 1, 2, 3, 256, 129, 153, 16},
};

START_TEST(texels_are_coalesced)
{
	uint16_t mods = HD_MOD(TDIM, counts[_i].dim) | HD_MOD(SIZE, HD_SIZE_32);
	count(HD_OP_TEX, mods, counts[_i].channels, counts[_i].linear, counts[_i].step, counts[_i].coordinates);
	ck_assert_uint_eq(stats.counters.texture_fetches, 1);
	ck_assert_uint_eq(stats.counters.texture_texels, counts[_i].texels);
	ck_assert_uint_eq(stats.counters.texture_cycles, counts[_i].cycles);
	ck_assert_uint_eq(stats.counters.l1d_sectors, stats.counters.texture_sectors);
	ck_assert_uint_eq(stats.counters.texture_sectors, counts[_i].sectors);
	ck_assert_uint_eq(stats.counters.l1d_accesses, counts[_i].lines);
}
END_TEST

START_TEST(runs_become_sectors)
{
	struct hd_coalescer coalescer = {7, 5};
	const uint64_t address[] = {0x1000, 0x1010, 0x2070, 0x1fe, 0x1008};
	uint64_t out[2 * HD_MEM_MOST_RUNS];
	ck_assert_uint_eq(hd_coalesce_runs(&coalescer, address, 5, 16, out), 4);
	ck_assert_uint_eq(out[0], UINT64_C(0x20) << 8 | 1);
	ck_assert_uint_eq(out[1], UINT64_C(0x40) << 8 | 8);
	ck_assert_uint_eq(out[2], UINT64_C(3) << 8 | 8); /* across the end of a line */
	ck_assert_uint_eq(out[3], UINT64_C(4) << 8 | 1);
	ck_assert_uint_eq(hd_coalesce_runs(&coalescer, address, 0, 16, out), 0);
}
END_TEST

/* 512 runs of as many lines, each twice. */
START_TEST(many_runs_become_as_many_lines)
{
	struct hd_coalescer coalescer = {7, 5};
	uint64_t address[HD_MEM_MOST_RUNS], out[2 * HD_MEM_MOST_RUNS];
	for (uint64_t i = 0; i < HD_MEM_MOST_RUNS; i++)
		address[i] = (i * 7919 % 256) * 4096 + 124;
	ck_assert_uint_eq(hd_coalesce_runs(&coalescer, address, HD_MEM_MOST_RUNS, 8, out), 512);
	for (uint32_t i = 0; i < 512; i++)
		ck_assert_uint_eq((uint8_t)out[i], i % 2 ? 1 : 8);
}
END_TEST

/* ---- faults */

static int faulty(uint64_t object, uint64_t base, uint64_t self, enum hd_op op)
{
	begin(object);
	simbench_mov(&bench, INDEX, 3);
	simbench_mov(&bench, INDEX + 1, 0);
	fetch(op, HD_MOD(SIZE, HD_SIZE_32), RESULT, HD_RZ);
	ck_assert_int_eq(simbench_start(&bench), 0);
	struct hd_texture *texture = place_texture(1);
	texture->base = base;
	texture->self = self;
	return simbench_run(&bench, 1, 32);
}

static const struct {
	uint64_t object, base, self;
	enum hd_op op;
	int error;
	const char *text;
} faults[] = {
	{0, TEXELS, DESCRIPTOR, HD_OP_TEX, HD_SIM_BAD_ADDRESS, "texture fetch from 0x0, which is no texture object"},
	{DESCRIPTOR + 8, TEXELS, DESCRIPTOR, HD_OP_TLD, HD_SIM_BAD_ADDRESS, "which is no texture object"},
	{TEXELS, TEXELS, DESCRIPTOR, HD_OP_TLD4, HD_SIM_BAD_ADDRESS, "which is no texture object"},
	{DESCRIPTOR, TEXELS, 0, HD_OP_TEX, HD_SIM_BAD_ADDRESS, "which is no texture object"},
	{DESCRIPTOR, 0, DESCRIPTOR, HD_OP_TEX, HD_SIM_BAD_ADDRESS,
	 "4-byte texture fetch at address 0x0, a null pointer"},
	{DESCRIPTOR, TEXELS - 64, DESCRIPTOR, HD_OP_TLD, HD_SIM_BAD_ADDRESS, "outside every allocation"},
	{DESCRIPTOR, TEXELS + 2, DESCRIPTOR, HD_OP_TLD, HD_SIM_MISALIGNED, "misaligned address"},
};

START_TEST(what_cannot_be_fetched_is_a_fault)
{
	ck_assert_int_eq(faulty(faults[_i].object, faults[_i].base, faults[_i].self, faults[_i].op), faults[_i].error);
	ck_assert_msg(strstr(bench.message, faults[_i].text), "%s", bench.message);
	simbench_release(&bench);
}
END_TEST

/* Fetches among sums of so many cycles, whose results want the same write ports. */
static struct hd_stats among_sums(uint64_t latency, const char *trace, bool *known)
{
	begin(DESCRIPTOR);
	bench.config.schedulers = bench.config.units_fp32 = 2;
	bench.config.subcores = 1;
	bench.config.register_banks = 4;
	bench.config.operands = HD_OPERANDS_MODERN;
	bench.config.register_ports = bench.config.register_write_ports = 1;
	bench.config.register_busy = 2;
	bench.config.lat_fmad = (int64_t)latency;
	bench.options.trace = trace;
	bench.meta.registers = 64;
	simbench_mov(&bench, INDEX, 0);
	for (uint32_t i = 0; i < 12; i++) {
		fetch(HD_OP_TLD, HD_MOD(SIZE, HD_SIZE_32), (uint8_t)(8 + i % 4), HD_RZ);
		for (uint32_t k = 0; k < 6; k++)
			simbench_ffma(&bench, (uint8_t)(16 + 4 * k + i % 4), 12, 13, 14);
		simbench_ffma(&bench, 44, 44, (uint8_t)(8 + i % 4), (uint8_t)(16 + i % 4));
	}
	ck_assert_int_eq(simbench_start(&bench), 0);
	place_texture(1);
	run(128);
	*known = bench.sim->gpu.sms[0]->results.used;
	simbench_release(&bench);
	return stats;
}

/* Results whose cycles are known, and the same as events, which a watcher asks for: they are written in one order. */
START_TEST(results_of_fetches_have_their_place)
{
	uint64_t conflicts = 0;
	for (uint64_t latency = 20; latency < 60; latency += 3) {
		bool known[2];
		struct hd_stats without = among_sums(latency, NULL, &known[0]),
				with = among_sums(latency, "issue@1000000:1000001", &known[1]);
		ck_assert(known[0] && !known[1]);
		ck_assert_int_eq(memcmp(&without, &with, sizeof with), 0);
		conflicts += without.counters.write_conflicts;
	}
	ck_assert_uint_gt(conflicts, 0);
}
END_TEST

Suite *hd_suite(void)
{
	Suite *suite = suite_create("texture");
	TCase *cases = tcase_create("texture");
	tcase_add_test(cases, a_hit_takes_its_latency);
	tcase_add_test(cases, units_take_lanes_in_quads);
	tcase_add_test(cases, a_warp_takes_the_units_for_eight_cycles);
	tcase_add_loop_test(cases, texels_are_coalesced, 0, sizeof counts / sizeof counts[0]);
	tcase_add_test(cases, runs_become_sectors);
	tcase_add_test(cases, many_runs_become_as_many_lines);
	tcase_add_test(cases, results_of_fetches_have_their_place);
	tcase_add_loop_test(cases, what_cannot_be_fetched_is_a_fault, 0, sizeof faults / sizeof faults[0]);
	suite_add_tcase(suite, cases);
	return suite;
}
