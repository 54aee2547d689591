/* Memory queues: the cycles in which schedulers issue loads from shared memory, as measured on Ampere (Huerta et al.,
 * MICRO 2025, Table 1). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "heddle/opcodes.h"

#include "simbench.h"

enum { LOADS = 14, SUMS = 40, SCHEDULERS = 4, TEXT = 1 << 16 };

/* Independent loads of one word, behind an instruction so that all are fetched and ready. */
static void build(struct simbench *bench, enum hd_op op)
{
	simbench_mov(bench, 2, 0);
	simbench_mov(bench, 3, 0);
	simbench_emit(bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	for (uint32_t i = 0; i < LOADS; i++) {
		struct hd_inst *inst = simbench_emit(bench, op);
		inst->dst = (uint8_t)(4 + i);
		inst->a = 2;
		inst->xkind = HD_X_OTHER;
		inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	}
	bench->meta.shared_bytes = 1024;
	bench->meta.registers = 4 + LOADS;
}

static void set_up(struct simbench *bench, uint32_t places)
{
	simbench_init(bench);
	bench->config.schedulers = SCHEDULERS;
	bench->config.units_int = bench->config.units_fp32 = SCHEDULERS;
	bench->config.operands = HD_OPERANDS_MODERN;
	bench->config.ii_lsu = 4;
	bench->config.lsu_interval = 2;
	bench->config.memory_queue = places;
	bench->options.trace = "issue";
}

/* The cycle in which each warp issues its load `number`, counted from 1, after that of its first one. */
static void read_cycles(const char *text, const char *op, uint64_t cycles[SCHEDULERS][LOADS])
{
	uint32_t seen[SCHEDULERS] = {0};
	for (const char *line = text; line && *line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
		uint64_t cycle;
		uint32_t warp;
		const char *end = strchr(line, '\n'), *name = strstr(line, op);
		if (!name || !end || name > end)
			continue;
		ck_assert_int_eq(sscanf(line, "%" SCNu64 " issue sm 0 warp %" SCNu32, &cycle, &warp), 2);
		ck_assert_uint_lt(warp, SCHEDULERS);
		ck_assert_uint_lt(seen[warp], LOADS);
		cycles[warp][seen[warp]++] = cycle;
	}
}

static int by_cycle(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Issue of load `number` in each of the schedulers, earliest first, where the first one's is cycle 2. */
static void column(uint64_t cycles[SCHEDULERS][LOADS], uint32_t active, uint32_t number, uint64_t out[SCHEDULERS])
{
	for (uint32_t i = 0; i < active; i++)
		out[i] = cycles[i][number - 1] - cycles[0][0] + 2;
	qsort(out, active, sizeof *out, by_cycle);
}

static void measure(uint32_t places, uint32_t active, enum hd_op op, const char *name,
		    uint64_t cycles[SCHEDULERS][LOADS])
{
	static char text[TEXT];
	struct simbench bench;
	set_up(&bench, places);
	build(&bench, op);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_capture(&bench, 1, 32 * active, text, sizeof text), 0);
	read_cycles(text, name, cycles);
	simbench_release(&bench);
}

/* From the 6th load on each scheduler waits for a place: for its own address unit (4 cycles), or for its turn at what
 * they share (2 cycles each). */
START_TEST(issue_cycles_are_those_of_ampere)
{
	for (uint32_t active = 1; active <= SCHEDULERS; active++) {
		uint64_t cycles[SCHEDULERS][LOADS], found[SCHEDULERS], step = active < 2 ? 4 : 2 * active;
		measure(5, active, HD_OP_LDS, "LDS", cycles);
		for (uint32_t number = 1; number <= LOADS; number++) {
			column(cycles, active, number, found);
			for (uint32_t i = 0; i < active; i++) {
				uint64_t expected = number <= 5 ? number + 1 : 13 + 2 * i + (number - 6) * step;
				ck_assert_msg(found[i] == expected, "%u schedulers, load %u: %" PRIu64 ", not %" PRIu64,
					      active, number, found[i], expected);
			}
		}
	}
}
END_TEST

/* Without places a scheduler issues when its unit takes the next one. */
START_TEST(without_places_issue_waits_for_the_unit)
{
	uint64_t cycles[SCHEDULERS][LOADS], found[SCHEDULERS];
	measure(0, 1, HD_OP_LDS, "LDS", cycles);
	for (uint32_t number = 1; number <= LOADS; number++) {
		column(cycles, 1, number, found);
		ck_assert_uint_eq(found[0], 2 + 4 * (number - 1));
	}
}
END_TEST

/* With one place, what does not come to the load/store unit gives it back memory_hold cycles behind the next cycle, in
 * which that unit would have taken it at the earliest. */
START_TEST(constants_leave_as_if_taken_at_once)
{
	struct hd_config config;
	uint64_t cycles[SCHEDULERS][LOADS];
	hd_config_defaults(&config);
	measure(1, 1, HD_OP_LDC, "LDC", cycles);
	for (uint32_t number = 1; number < LOADS; number++)
		ck_assert_uint_eq(cycles[0][number] - cycles[0][number - 1], 1 + (uint64_t)config.memory_hold);
}
END_TEST

/* Warps below the scheduler count load, the others compute: sums that wait for nothing but their unit. */
static void build_beside(struct simbench *bench)
{
	simbench_s2r(bench, 20, HD_SR_TID_X);
	struct hd_inst *compare = simbench_emit(bench, HD_OP_ISETP);
	compare->a = 20, compare->xkind = HD_X_IMM_B, compare->x = 32 * SCHEDULERS, compare->pdst = 0;
	compare->mods = HD_MOD(CMP, HD_CMP_GE) | HD_MOD(BOOL, HD_BOOL_AND);
	uint32_t leave = bench->code.len;
	struct hd_inst *branch = simbench_emit(bench, HD_OP_BRA);
	branch->guard = 0, branch->xkind = HD_X_OTHER;
	build(bench, HD_OP_LDS);
	simbench_emit(bench, HD_OP_EXIT);
	bench->code.data[leave].x = bench->code.data[leave].reconv = bench->code.len;
	simbench_emit(bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	for (uint32_t i = 0; i < SUMS; i++)
		simbench_ffma(bench, (uint8_t)(8 + i % 8), 4, 5, 6);
	bench->meta.registers = 32;
}

/* A warp computes beside one that loads, in the same scheduler. Its unit takes a sum every three cycles, the second one
 * when the first loads have been issued, and a place that becomes free for the next load changes nothing of that. */
START_TEST(other_work_does_not_wait_for_places)
{
	static char text[TEXT];
	struct simbench bench;
	set_up(&bench, 5);
	bench.config.ii_fp32 = 3;
	build_beside(&bench);
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_capture(&bench, 1, 32 * (SCHEDULERS + 1), text, sizeof text), 0);
	simbench_release(&bench);
	uint64_t last = 0, cycle;
	uint32_t count = 0;
	for (const char *line = text; (line = strstr(line, "FFMA")); line++, count++) {
		const char *start = line;
		while (start > text && start[-1] != '\n')
			start--;
		ck_assert_int_eq(sscanf(start, "%" SCNu64, &cycle), 1);
		if (count > 1)
			ck_assert_uint_eq(cycle, last + 3);
		last = cycle;
	}
	ck_assert_uint_eq(count, SUMS);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("memory_queue", (const TTest *const[]){
						   issue_cycles_are_those_of_ampere,
						   without_places_issue_waits_for_the_unit,
						   constants_leave_as_if_taken_at_once,
						   other_work_does_not_wait_for_places,
						   NULL,
					   });
}
