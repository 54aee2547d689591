/* Algorithm 1 of CCBP (Lin, 4.5.2): combinations worked out by hand, its order of steps, and what always holds. */
#include <stdio.h>
#include <string.h>

#include "harness.h"
#include "runtime/policy/sharing/drf.h"

/* 256 threads and 32 registers each: eight fit on an SM of 2,048 threads and 65,536 registers. */
static const struct drf_block eighth = {.threads = 1.0 / 8, .registers = 1.0 / 8, .slots = 1.0 / 32};

static const double latency_noc[] = {0, 4, 8, 12, 16, 20, 24, 28, 32}, latency_dram[] = {0, 2, 4, 6, 8, 10, 12, 14, 16};
static const double noc_noc[] = {0, 25, 50, 75, 90, 95, 98, 99, 100}, noc_dram[] = {0, 5, 10, 15, 18, 19, 20, 20, 20};
static const double dram_noc[] = {0, 8, 16, 24, 32, 36, 38, 40, 40}, dram_dram[] = {0, 20, 40, 60, 80, 90, 95, 98, 100};

static struct drf_kernel kernel_of(char letter)
{
	switch (letter) {
	case 'L':
		return (struct drf_kernel){
			.class = DRF_LATENCY, .most = 8, .block = eighth, .noc = latency_noc, .dram = latency_dram};
	case 'N':
		return (struct drf_kernel){
			.class = DRF_NOC, .most = 8, .block = eighth, .noc = noc_noc, .dram = noc_dram};
	default:
		return (struct drf_kernel){
			.class = DRF_DRAM, .most = 8, .block = eighth, .noc = dram_noc, .dram = dram_dram};
	}
}

START_TEST(combinations_of_classes)
{
	static const struct {
		const char *kernels;
		double priority;
		uint32_t blocks[3];
		double noc[3], dram[3];
	} rows[] = {
		{"LN", 1, {5, 3}, {20, 75}, {10, 15}}, {"LN", 2, {6, 2}, {24, 50}, {12, 10}},
		{"LD", 1, {5, 3}, {20, 24}, {10, 60}}, {"ND", 1, {3, 4}, {71, 28.8}, {14.2, 72}},
		{"LL", 1, {4, 4}, {16, 16}, {8, 8}},   {"NN", 1, {2, 2}, {50, 50}, {10, 10}},
		{"DD", 1, {3, 3}, {20, 20}, {50, 50}}, {"LND", 1, {4, 2, 2}, {16, 50, 16}, {8, 10, 40}},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct drf_kernel kernels[DRF_KERNELS];
		uint32_t count = (uint32_t)strlen(rows[row].kernels);
		for (uint32_t i = 0; i < count; i++)
			kernels[i] = kernel_of(rows[row].kernels[i]);
		drf_allocate(kernels, count, 1, rows[row].priority, NULL, NULL);
		for (uint32_t i = 0; i < count; i++) {
			ck_assert_msg(kernels[i].blocks == rows[row].blocks[i], "%s: %u blocks of kernel %u",
				      rows[row].kernels, kernels[i].blocks, i);
			ck_assert_double_eq_tol(kernels[i].noc_share, rows[row].noc[i], 1e-6);
			ck_assert_double_eq_tol(kernels[i].dram_share, rows[row].dram[i], 1e-6);
		}
	}
}
END_TEST

/* Blocks stay; those intensive in bandwidth share what is left of it. */
START_TEST(the_rest_is_given_out)
{
	static const struct {
		const char *kernels;
		uint32_t blocks[3];
		double noc[3], dram[3];
	} rows[] = {
		{"LN", {5, 3}, {20, 80}, {10, 16}},
		{"LD", {5, 3}, {20, 36}, {10, 90}},
		{"ND", {3, 4}, {71, 28.8}, {14.2, 72}},
		{"LL", {4, 4}, {16, 16}, {8, 8}},
		{"LND", {4, 2, 2}, {16, 60, 24}, {8, 12, 60}},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		struct drf_kernel kernels[DRF_KERNELS];
		uint32_t count = (uint32_t)strlen(rows[row].kernels);
		for (uint32_t i = 0; i < count; i++)
			kernels[i] = kernel_of(rows[row].kernels[i]);
		drf_allocate(kernels, count, 1, 1, NULL, NULL);
		drf_give_rest(kernels, count, 1);
		for (uint32_t i = 0; i < count; i++) {
			ck_assert_uint_eq(kernels[i].blocks, rows[row].blocks[i]);
			ck_assert_double_eq_tol(kernels[i].noc_share, rows[row].noc[i], 1e-6);
			ck_assert_double_eq_tol(kernels[i].dram_share, rows[row].dram[i], 1e-6);
		}
	}
}
END_TEST

struct trace {
	char text[256];
};

static void follow(void *context, const struct drf_step *step)
{
	struct trace *trace = context;
	size_t at = strlen(trace->text);
	const struct drf_kernel *after = &step->after;
	double amount = after->class == DRF_LATENCY ? after->blocks : after->noc_share;
	snprintf(trace->text + at, sizeof(trace->text) - at, "%c%.0f%s ", 'A' + (int)step->kernel, amount,
		 step->taken ? "" : "!");
}

/* Steps of 20 per cent, blocks of a quarter of an SM. */
START_TEST(the_least_share_goes_first)
{
	static const double a[] = {0, 5, 10, 15, 20}, b_noc[] = {0, 40, 70, 90, 100},
			    b_dram[] = {0, 10, 17.5, 22.5, 25};
	const struct drf_block quarter = {.threads = 0.25, .registers = 0.25, .slots = 1.0 / 32};
	struct drf_kernel kernels[] = {
		{.class = DRF_LATENCY, .most = 4, .block = quarter, .noc = a, .dram = a},
		{.class = DRF_NOC, .most = 4, .block = quarter, .noc = b_noc, .dram = b_dram},
	};
	struct trace trace = {""};
	drf_allocate(kernels, 2, 20, 1, follow, &trace);
	ck_assert_str_eq(trace.text, "A1 B20 B40 A2 B60 A3! B80! ");
	ck_assert_uint_eq(kernels[0].blocks, 2);
	ck_assert_uint_eq(kernels[1].blocks, 2);
	ck_assert_double_eq_tol(kernels[0].noc_share, 10, 1e-9);
	ck_assert_double_eq_tol(kernels[1].noc_share, 60, 1e-9);
	ck_assert_double_eq_tol(kernels[0].dram_share, 10, 1e-9);
	ck_assert_double_eq_tol(kernels[1].dram_share, 15, 1e-9);
	ck_assert_double_eq_tol(kernels[0].dominant, 50, 1e-9);
	ck_assert_double_eq_tol(kernels[1].dominant, 60, 1e-9);
}
END_TEST

/*
 * Among equal shares those sensitive to latency come first, then the lower number. Steps of 25 per cent, blocks of B of
 * a quarter of an SM, so that shares meet again and again: all have 0, 25, then 50. B may have two blocks. A and C have
 * 75 then; with 100 of its bandwidth each would need more than is left of it, since the other takes 3 per cent.
 */
START_TEST(ties_go_to_latency_then_to_the_lower_number)
{
	static const double some[] = {0, 4, 8, 12, 16}, all[] = {0, 100, 100, 100, 100};
	const struct drf_block none = {.slots = 1.0 / 32}, quarter = {.threads = 0.25, .registers = 0.25};
	struct drf_kernel kernels[] = {
		{.class = DRF_DRAM, .most = 1, .block = none, .noc = some, .dram = all},
		{.class = DRF_LATENCY, .most = 2, .block = quarter},
		{.class = DRF_NOC, .most = 1, .block = none, .noc = all, .dram = some},
	};
	struct trace trace = {""};
	/* A's steps are of the bandwidth of DRAM, `follow` shows its part of the NoC: 4 per cent of them. */
	drf_allocate(kernels, 3, 25, 1, follow, &trace);
	ck_assert_str_eq(trace.text, "B1 A1 C25 B2 A2 C50 B3! A3 C75 A4! C100! ");
}
END_TEST

/* Of two kernels of a class with equal shares the lower number has each step first. */
START_TEST(equals_of_a_class_go_by_their_numbers)
{
	static const double some[] = {0, 4, 8, 12, 16}, all[] = {0, 100, 100, 100, 100};
	const struct drf_block quarter = {.threads = 0.25, .registers = 0.25};
	for (uint32_t i = 0; i < 2; i++) {
		struct drf_kernel kernel = {.class = DRF_LATENCY, .most = 2, .block = quarter};
		if (i)
			kernel = (struct drf_kernel){.class = DRF_NOC, .most = 1, .noc = all, .dram = some};
		struct drf_kernel kernels[] = {kernel, kernel};
		struct trace trace = {""};
		drf_allocate(kernels, 2, 25, 1, follow, &trace);
		ck_assert_str_eq(trace.text, i ? "A25 B25 A50 B50 A75! B75! " : "A1 B1 A2 B2 A3! B3! ");
	}
}
END_TEST

/* A kernel whose first block takes no bandwidth has no next step, whatever a second would take. One
 * whose only block takes half a per cent has 0.4 of it, and with that four fifths of what the block takes of DRAM. */
START_TEST(blocks_without_bandwidth_are_no_step)
{
	static const double none[] = {0, 0, 50}, half[] = {0, 0.5}, dram[] = {0, 10, 20};
	struct drf_kernel kernels[] = {
		{.class = DRF_NOC, .most = 2, .block = eighth, .noc = none, .dram = dram},
		{.class = DRF_NOC, .most = 1, .block = eighth, .noc = half, .dram = dram},
	};
	struct trace trace = {""};
	drf_allocate(kernels, 1, 20, 1, follow, &trace);
	ck_assert_str_eq(trace.text, "A0! ");
	drf_allocate(kernels, 2, 0.4, 1, NULL, NULL);
	ck_assert_uint_eq(kernels[0].blocks, 0);
	ck_assert_double_eq(kernels[0].noc_share, 0);
	ck_assert_double_eq(kernels[0].dram_share, 0);
	ck_assert_uint_eq(kernels[1].blocks, 1);
	ck_assert_double_eq_tol(kernels[1].noc_share, 0.4, 1e-9);
	ck_assert_double_eq_tol(kernels[1].dram_share, 8, 1e-9);
}
END_TEST

struct steps {
	uint32_t count;
	double least[DRF_KERNELS];
};

static void count_steps(void *context, const struct drf_step *step)
{
	struct steps *steps = context;
	const struct drf_kernel *after = &step->after;
	double share = after->class == DRF_NOC ? after->noc_share : after->dram_share;
	steps->count++;
	if (!step->taken)
		return;
	if (after->class == DRF_LATENCY)
		share = after->blocks;
	ck_assert_double_ge(share, steps->least[step->kernel]);
	steps->least[step->kernel] = share;
}

static uint32_t draw(uint32_t *state, uint32_t below)
{
	*state = *state * 1664525 + 1013904223;
	return (*state >> 8) % below;
}

static void random_curve(uint32_t *state, double curve[DRF_BLOCKS], uint32_t most)
{
	curve[0] = 0;
	for (uint32_t i = 1; i <= most; i++) {
		curve[i] = curve[i - 1] + draw(state, 400) / 10.0;
		curve[i] = curve[i] > 100 ? 100 : curve[i];
	}
}

/* Nothing is given out twice, no share falls, and it ends. */
START_TEST(what_is_given_is_there)
{
	uint32_t state = 1;
	for (uint32_t round = 0; round < 2000; round++) {
		static double curves[DRF_KERNELS][3][DRF_BLOCKS];
		struct drf_kernel kernels[DRF_KERNELS] = {0};
		struct steps steps = {0};
		uint32_t count = 1 + draw(&state, DRF_KERNELS), most = 0;
		for (uint32_t i = 0; i < count; i++) {
			kernels[i].class = (enum drf_class)draw(&state, 3);
			kernels[i].most = 1 + draw(&state, 32);
			kernels[i].block = (struct drf_block){1.0 / kernels[i].most, draw(&state, 100) / 400.0,
							      draw(&state, 100) / 400.0, 1.0 / 32};
			for (uint32_t j = 0; j < 3; j++)
				random_curve(&state, curves[i][j], kernels[i].most);
			kernels[i].noc = curves[i][0];
			kernels[i].dram = curves[i][1];
			kernels[i].up = draw(&state, 2) ? curves[i][2] : NULL;
			most += kernels[i].most;
		}
		drf_allocate(kernels, count, 1, 1, count_steps, &steps);
		ck_assert_uint_le(steps.count, 200 * count + most);
		drf_give_rest(kernels, count, 1);
		double threads = 0, registers = 0, noc = 0, dram = 0, up = 0;
		for (uint32_t i = 0; i < count; i++) {
			ck_assert_uint_le(kernels[i].blocks, kernels[i].most);
			threads += kernels[i].blocks * kernels[i].block.threads;
			registers += kernels[i].blocks * kernels[i].block.registers;
			noc += kernels[i].noc_share;
			dram += kernels[i].dram_share;
			up += kernels[i].up_share;
		}
		ck_assert(threads <= 1.000001 && registers <= 1.000001);
		ck_assert(noc <= 100.000001 && dram <= 100.000001 && up <= 100.000001);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("drf", (const TTest *const[]){
					  combinations_of_classes,
					  the_rest_is_given_out,
					  the_least_share_goes_first,
					  ties_go_to_latency_then_to_the_lower_number,
					  equals_of_a_class_go_by_their_numbers,
					  blocks_without_bandwidth_are_no_step,
					  what_is_given_is_there,
					  NULL,
				  });
}
