/* Text traces: what each stream says of a small kernel, and the window. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "simbench.h"

#include <stdio.h>

static char text[8192];

/* MOV, BAR, LDS and EXIT in one warp under a trace; what it writes goes to `text`. */
static void run_traced(const char *trace)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.trace = trace;
	bench.meta.shared_bytes = 64;
	simbench_mov(&bench, 8, 7);
	simbench_emit(&bench, HD_OP_BAR)->xkind = HD_X_IMM_B;
	struct hd_inst *load = simbench_emit(&bench, HD_OP_LDS);
	load->mods = HD_MOD(SIZE, HD_SIZE_32);
	load->dst = 9;
	load->a = HD_RZ;
	load->xkind = HD_X_OTHER;
	load->x = 16;
	ck_assert_int_eq(simbench_start(&bench), 0);
	ck_assert_int_eq(simbench_capture(&bench, 2, 32, text, sizeof text), 0);
	simbench_release(&bench);
}

/* How many lines have all after their cycle as `rest`. */
static uint32_t lines_with(const char *rest)
{
	uint32_t count = 0;
	for (const char *line = text; *line; line = strchr(line, '\n') + 1) {
		const char *after = strchr(line, ' ') + 1;
		size_t length = strcspn(after, "\n");
		count += length == strlen(rest) && !memcmp(after, rest, length);
	}
	return count;
}

static uint32_t lines(void)
{
	uint32_t count = 0;
	for (const char *at = text; (at = strchr(at, '\n')); at++)
		count++;
	return count;
}

START_TEST(ctas_start_and_retire)
{
	run_traced("cta");
	ck_assert_uint_eq(lines(), 4);
	ck_assert_uint_eq(lines_with("cta sm 0 cta 0 launched"), 1);
	ck_assert_uint_eq(lines_with("cta sm 0 cta 1 launched"), 1);
	ck_assert_uint_eq(lines_with("cta sm 0 cta 0 retired"), 1);
	ck_assert_uint_eq(lines_with("cta sm 0 cta 1 retired"), 1);
}
END_TEST

START_TEST(instructions_are_named_with_their_place)
{
	run_traced("issue");
	ck_assert_uint_eq(lines(), 2 * 4);
	ck_assert_uint_eq(lines_with("issue sm 0 warp 0 cta 0.0 in kernel pc 0x0000 ffffffff  MOV R8, 0x7"), 1);
	ck_assert_uint_eq(lines_with("issue sm 0 warp 1 cta 1.0 in kernel pc 0x0030 ffffffff  EXIT"), 1);
	run_traced("writeback,lsu,barrier");
	ck_assert_uint_eq(lines(), 2 * 4);
	ck_assert_uint_eq(lines_with("writeback sm 0 warp 0 cta 0.0 in kernel pc 0x0000 0  MOV R8, 0x7"), 1);
	ck_assert_uint_eq(lines_with("writeback sm 0 warp 1 cta 1.0 in kernel pc 0x0020 0  LDS R9, [0x10]"), 1);
	ck_assert_uint_eq(lines_with("lsu sm 0 warp 0 cta 0.0 in kernel pc 0x0020 10  LDS R9, [0x10]"), 1);
	ck_assert_uint_eq(lines_with("barrier sm 0 warp 0 cta 0.0 in kernel pc 0x0010 0  BAR.SYNC 0x0"), 1);
}
END_TEST

START_TEST(window_bounds_the_cycles)
{
	run_traced("issue,cta");
	uint32_t all = lines(), inside = 0;
	unsigned long first = strtoul(text, NULL, 10);
	for (const char *line = text; *line; line = strchr(line, '\n') + 1)
		inside += strtoul(line, NULL, 10) < first + 2;
	ck_assert_uint_gt(inside, 0);
	ck_assert_uint_lt(inside, all);
	char window[64];
	snprintf(window, sizeof window, "issue,cta@%lu:%lu", first, first + 2);
	run_traced(window);
	ck_assert_uint_eq(lines(), inside);
	snprintf(window, sizeof window, "issue,cta@0:%lu", first);
	run_traced(window);
	ck_assert_uint_eq(lines(), 0);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("trace", (const TTest *const[]){
					    ctas_start_and_retire,
					    instructions_are_named_with_their_place,
					    window_bounds_the_cycles,
					    NULL,
				    });
}
