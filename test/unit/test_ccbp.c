/* CCBP: which class a kernel is of, how many requests a unit of time has room for, and which of them go first. */
#include <string.h>

#include "harness.h"
#include "runtime/memory/packet.h"
#include "runtime/policy/ccbp/ccbp.h"

/* Lin's Table 4.2, per cent of peak, with 60 % of the crossbar and 65 % of DRAM sustainable. */
START_TEST(classes_of_the_paper)
{
	static const struct {
		const char *name;
		double noc, dram; /* of peak */
		enum drf_class class;
	} rows[] = {
		{"CFD", 54, 14, DRF_NOC},	 {"LAV", 53, 1, DRF_NOC},
		{"SMV", 52, 25, DRF_NOC},	 {"KM", 52, 22, DRF_NOC},
		{"LBM", 15, 61, DRF_DRAM},	 {"FTD", 32, 65, DRF_DRAM},
		{"SAD", 17, 64, DRF_DRAM},	 {"SRT", 37, 59, DRF_DRAM},
		{"BFS", 14, 24, DRF_LATENCY},	 {"BP", 19, 36, DRF_LATENCY},
		{"BT", 27, 19, DRF_LATENCY},	 {"HG", 19, 25, DRF_LATENCY},
		{"PF", 28, 39, DRF_LATENCY},	 {"at both limits", 36, 50, DRF_LATENCY},
		{"above one", 36.6, 1, DRF_NOC}, {"above the other", 1, 50.1, DRF_DRAM},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		ck_assert_msg(ccbp_class(rows[i].noc / 0.6, rows[i].dram / 0.65, rows[i].dram, 60, 50) == rows[i].class,
			      "%s", rows[i].name);
}
END_TEST

/* A kernel in a window of 1000 cycles, in which 10,000 flits and 20,000 bytes of DRAM were possible. */
static struct sharing_curves corrected(enum drf_class class, double share, uint64_t flits, uint64_t bytes,
				       double wanted)
{
	static struct ccbp_gpu ccbp;
	ccbp = (struct ccbp_gpu){.sharing = {.count = 2, .flits = 10, .dram_bytes = 20}};
	struct sharing_kernel *kernel = &ccbp.sharing.kernels[1];
	kernel->counts.flits_down = flits;
	kernel->counts.dram_bytes = bytes;
	kernel->curves.noc_wanted = 40;
	kernel->curves.dram_wanted = wanted;
	for (uint32_t i = 0; i < DRF_BLOCKS; i++)
		kernel->curves.noc[i] = kernel->curves.up[i] = kernel->curves.dram[i] = kernel->curves.ipc[i] = 10;
	kernel->curves.noc[1] = kernel->curves.up[1] = 66;
	kernel->curves.noc[2] = kernel->curves.dram[2] = 80;
	ccbp.kernels[1].class = class;
	ccbp.kernels[1].noc_share = share;
	return ccbp_corrected(&ccbp, 1, 1000);
}

static void check_curves(const struct sharing_curves *curves, double noc, double dram)
{
	for (uint32_t i = 0; i < DRF_BLOCKS; i++) {
		double most_noc = i == 1 ? 66 * noc : i == 2 ? 80 * noc : 10 * noc;
		double most_dram = i == 2 ? 80 * dram : 10 * dram, up = i == 1 ? 66 * noc : 10 * noc;
		ck_assert_double_eq_tol(curves->noc[i], most_noc > 100 ? 100 : most_noc, 1e-9);
		ck_assert_double_eq_tol(curves->dram[i], most_dram > 100 ? 100 : most_dram, 1e-9);
		ck_assert_double_eq_tol(curves->up[i], up > 100 ? 100 : up, 1e-9);
		ck_assert_double_eq(curves->ipc[i], 10);
	}
	ck_assert_double_eq_tol(curves->noc_wanted, 40 * noc, 1e-9);
}

/*
 * 3000 of 10,000 flits are 30 %, half as much again as the 20 that were expected: a kernel sensitive to latency asks
 * for so much more, at most 100 %. 6000 of 20,000 bytes are 30 % of DRAM, too, but 80 beside 40 of the crossbar were
 * expected: half as much. Kernels of other classes are throttled, and what they take says nothing of what they want.
 */
START_TEST(curves_follow_the_last_window)
{
	struct sharing_curves curves = corrected(DRF_LATENCY, 20, 3000, 6000, 80);
	check_curves(&curves, 1.5, 1.5 / 2);
	ck_assert_double_eq_tol(curves.dram_wanted, 80 * 1.5 / 2, 1e-9);
	curves = corrected(DRF_NOC, 20, 3000, 6000, 80);
	check_curves(&curves, 1, 0.5);
	ck_assert_double_eq_tol(curves.dram_wanted, 80 * 0.5, 1e-9);
	curves = corrected(DRF_DRAM, 20, 3000, 18000, 80);
	check_curves(&curves, 1, 1.5);
	curves = corrected(DRF_LATENCY, 60, 3000, 12000, 40);
	check_curves(&curves, 0.5, 0.5 * 2);
	/* No request, no share, or none of DRAM when it was measured: nothing is known. */
	curves = corrected(DRF_LATENCY, 20, 0, 6000, 80);
	check_curves(&curves, 1, 1);
	curves = corrected(DRF_LATENCY, 0, 3000, 6000, 80);
	check_curves(&curves, 1, 1);
	curves = corrected(DRF_LATENCY, 20, 3000, 6000, 0);
	check_curves(&curves, 1, 1);
}
END_TEST

/* 60 % of a crossbar that carries 80 flits for an SM in 200 cycles, five flits a request: 9.6 of them. */
START_TEST(fractions_of_requests_are_kept)
{
	static const uint64_t expected[] = {9, 10, 9, 10, 10};
	struct ccbp_gpu ccbp = {.sharing = {.count = 1}, .rates = {9.6}};
	struct ccbp_sm sm = {.unit = UINT64_MAX};
	for (uint32_t unit = 0; unit < 5; unit++) {
		ccbp_refill(&sm, &ccbp, unit * SHARING_TICK + 3);
		ck_assert_uint_eq(sm.tokens[0], expected[unit]);
		sm.tokens[0] -= 2; /* the others lapse */
		ccbp_refill(&sm, &ccbp, unit * SHARING_TICK + SHARING_TICK - 1);
		ck_assert_uint_eq(sm.tokens[0], expected[unit] - 2);
	}
}
END_TEST

/* What is left lapses, or is kept for so many units of time. */
START_TEST(tokens_lapse)
{
	for (uint32_t units = 0; units < 3; units += 2) {
		struct ccbp_gpu ccbp = {.sharing = {.count = 1}, .rates = {10}, .carry = units};
		struct ccbp_sm sm = {.unit = UINT64_MAX};
		for (uint32_t unit = 0; unit < 5; unit++)
			ccbp_refill(&sm, &ccbp, unit * SHARING_TICK);
		ck_assert_uint_eq(sm.tokens[0], units ? 30 : 10);
		ck_assert_uint_eq(sm.counts[0].tokens, 50);
		ck_assert_uint_eq(sm.counts[0].lapsed, units ? 20 : 40);
	}
}
END_TEST

/* 16 SMs, 16 ports at two thirds of the core's clock of which 60 % can be sustained, 100 bytes of DRAM a cycle. */
static struct ccbp_gpu two_kernels(enum drf_class first, enum drf_class second)
{
	struct ccbp_gpu ccbp = {.sharing = {.count = 2, .flits = 6.4, .dram_bytes = 100}};
	ccbp.kernels[0] = (struct drf_kernel){.class = first, .noc_share = 60, .dram_share = 8};
	ccbp.kernels[1] = (struct drf_kernel){.class = second, .noc_share = 30, .dram_share = 72};
	ccbp.sharing.kernels[0].cost = (struct sharing_cost){5, 8};
	ccbp.sharing.kernels[1].cost = (struct sharing_cost){3.75, 128};
	ccbp_learn_costs(&ccbp, 1);
	return ccbp;
}

START_TEST(shares_are_rates)
{
	struct ccbp_gpu ccbp = two_kernels(DRF_NOC, DRF_DRAM);
	ccbp_set_rates(&ccbp, 16, true);
	ck_assert_double_eq_tol(ccbp.rates[0], 9.6, 1e-9); /* of the crossbar, where 8 % of DRAM would be 12.5 */
	ck_assert_double_eq_tol(ccbp.rates[1], 0.72 * 100 * 200 / 16 / 128, 1e-9);
	/* Requests of the first cost four times as much of DRAM: there is enough of that for it. */
	ccbp.sharing.kernels[0].cost.bytes = 40;
	ccbp_learn_costs(&ccbp, 0.75);
	ck_assert_double_eq_tol(ccbp.costs[0].bytes, 32, 1e-9);
	ccbp_set_rates(&ccbp, 16, false);
	ck_assert_double_eq_tol(ccbp.rates[0], 0.08 * 100 * 200 / 16 / 32, 1e-9);
	ccbp_set_rates(&ccbp, 16, true);
	ck_assert_double_eq_tol(ccbp.rates[0], 9.6, 1e-9);
	/* And then there is not: who is intensive in it has what the first, 76.8 %, leaves. */
	ccbp.sharing.kernels[0].cost.bytes = 100;
	ccbp_learn_costs(&ccbp, 1);
	ccbp_set_rates(&ccbp, 16, true);
	ck_assert_double_eq_tol(ccbp.rates[0], 9.6, 1e-9);
	ck_assert_double_eq_tol(ccbp.rates[1], 0.232 * 100 * 200 / 16 / 128, 1e-9);
}
END_TEST

/* Two requests of a kernel sensitive to latency and six of one that is not: of five that go two and three. */
START_TEST(those_sensitive_to_latency_go_first)
{
	struct ccbp_gpu ccbp = {.sharing = {.count = 2}};
	struct ccbp_sm sm = {.tokens = {0, 3}};
	struct hd_packet first = {.grid = 4, .kind = HD_PACKET_READ}, second = {.grid = 7, .kind = HD_PACKET_READ};
	uint32_t left[] = {2, 6}, gone[] = {0, 0};
	memset(ccbp.sharing.of_slot, SHARING_NOBODY, sizeof(ccbp.sharing.of_slot));
	ccbp.sharing.of_slot[4] = 0;
	ccbp.sharing.of_slot[7] = 1;
	ccbp.kernels[0].class = DRF_LATENCY;
	ccbp.kernels[1].class = DRF_NOC;
	for (uint32_t i = 0; i < 8; i++) {
		const struct hd_packet *heads[2];
		uint32_t count = 0;
		if (left[1])
			heads[count++] = &second; /* it is its turn */
		if (left[0])
			heads[count++] = &first;
		uint32_t chosen = ccbp_choose(&sm, &ccbp, heads, count, i);
		if (chosen == HD_NO_PACKET)
			continue;
		left[heads[chosen] == &second]--;
		gone[heads[chosen] == &second]++;
	}
	ck_assert_uint_eq(gone[0], 2);
	ck_assert_uint_eq(gone[1], 3);
	ck_assert_uint_eq(sm.counts[1].throttled, 3); /* of the eight */
	/* Write-backs need no token, and packets of grids that have ended wait for nothing. */
	const struct hd_packet *heads[] = {&second};
	second.kind = HD_PACKET_WRITEBACK;
	ck_assert_uint_eq(ccbp_choose(&sm, &ccbp, heads, 1, 9), 0);
	second.kind = HD_PACKET_READ;
	ck_assert_uint_eq(ccbp_choose(&sm, &ccbp, heads, 1, 9), HD_NO_PACKET);
	second.grid = 9;
	ck_assert_uint_eq(ccbp_choose(&sm, &ccbp, heads, 1, 9), 0);
}
END_TEST

/* Alone 2 and 1 instructions an SM and cycle; in 100 cycles of 16 SMs each has issued so many. */
START_TEST(priority_follows_slowdowns)
{
	static const struct {
		uint64_t sensitive, other;
		double before, after;
	} rows[] = {
		{800, 800, 1, 1.25},					   /* 4 and 2 times slower */
		{1600, 400, 1, 0.8},					   /* 2 and 4 */
		{1600, 800, 1, 1},					   /* 2 and 2 */
		{1600, 840, 1, 1},					   /* 2 and 1.9: less than a tenth more */
		{800, 800, 3.9, 4},					   /* no more than 4 */
		{1600, 400, 0.26, 0.25}, {800, 800, 4, 4}, {0, 800, 1, 1}, /* nothing known of it */
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct ccbp_gpu ccbp = {.sharing = {.count = 2}, .priority = rows[i].before};
		ccbp.kernels[0].class = DRF_LATENCY;
		ccbp.kernels[1].class = DRF_NOC;
		ccbp.sharing.kernels[0].most = ccbp.sharing.kernels[1].most = 8;
		ccbp.sharing.kernels[0].curves.ipc[8] = 2;
		ccbp.sharing.kernels[1].curves.ipc[8] = 1;
		ccbp.sharing.kernels[0].counts.instructions = rows[i].sensitive;
		ccbp.sharing.kernels[1].counts.instructions = rows[i].other;
		ck_assert_int_eq(ccbp_follow_slowdowns(&ccbp, 16, 100), rows[i].before != rows[i].after);
		ck_assert_double_eq_tol(ccbp.priority, rows[i].after, 1e-9);
	}
}
END_TEST

/* Kernels are only compared. */
static const struct hd_kernel *kernel_number(uint32_t number)
{
	static char kernels[64];
	return (const void *)&kernels[number];
}

static void set_kernels(struct sharing_gpu *sharing, const uint32_t *numbers, uint32_t count)
{
	sharing->count = count;
	for (uint32_t i = 0; i < count; i++) {
		sharing->kernels[i].kernel = kernel_number(numbers[i]);
		sharing->kernels[i].most = 8;
		sharing->kernels[i].block.slots = 0.125;
	}
	sharing_recall(sharing);
}

static void measured(struct sharing_gpu *sharing, uint32_t which, double noc)
{
	sharing->kernels[which].curves.noc[8] = noc;
	sharing_remember(sharing, which);
}

/* Beside others, a kernel's curves are those that it had beside the same others, with blocks of the same size. */
START_TEST(curves_are_kept_by_kernel_blocks_and_partners)
{
	static struct sharing_gpu sharing;
	set_kernels(&sharing, (const uint32_t[]){1, 2}, 2);
	ck_assert(!sharing.kernels[0].known);
	measured(&sharing, 0, 40);
	measured(&sharing, 1, 60);
	set_kernels(&sharing, (const uint32_t[]){2, 1}, 2);
	ck_assert(sharing.kernels[0].known && sharing.kernels[1].known);
	ck_assert_double_eq(sharing.kernels[0].curves.noc[8], 60);
	ck_assert_double_eq(sharing.kernels[1].curves.noc[8], 40);
	set_kernels(&sharing, (const uint32_t[]){1, 3}, 2);
	ck_assert(!sharing.kernels[0].known && !sharing.kernels[1].known);
	ck_assert_double_eq(sharing.kernels[0].curves.noc[8], 0);
	measured(&sharing, 0, 30);
	set_kernels(&sharing, (const uint32_t[]){1, 2, 3}, 3);
	ck_assert(!sharing.kernels[0].known);
	set_kernels(&sharing, (const uint32_t[]){1, 1}, 2);
	ck_assert(!sharing.kernels[0].known);
	set_kernels(&sharing, (const uint32_t[]){1, 2}, 2);
	ck_assert_double_eq(sharing.kernels[0].curves.noc[8], 40);
	sharing.kernels[0].most = 7;
	sharing_recall(&sharing);
	ck_assert(!sharing.kernels[0].known && sharing.kernels[1].known);
	ck_assert_uint_eq(sharing.recalled, 2 + 2 + 1);
}
END_TEST

/* Measured apart they are those of the kernel alone, whatever comes beside it. Of SHARING_KNOWN and one more kernels
 * the one that was not wanted for longest is forgotten. */
START_TEST(curves_of_kernels_alone)
{
	static struct sharing_gpu sharing = {.apart = true};
	for (uint32_t i = 0; i < SHARING_KNOWN; i++) {
		set_kernels(&sharing, (const uint32_t[]){i, 60}, 2);
		measured(&sharing, 0, i + 1);
	}
	set_kernels(&sharing, (const uint32_t[]){0, 61, 5}, 3);
	ck_assert_double_eq(sharing.kernels[0].curves.noc[8], 1);
	ck_assert_double_eq(sharing.kernels[2].curves.noc[8], 6);
	measured(&sharing, 1, 99);
	set_kernels(&sharing, (const uint32_t[]){0, 1, 2, 61}, 4);
	ck_assert(sharing.kernels[0].known && !sharing.kernels[1].known && sharing.kernels[2].known);
	ck_assert_double_eq(sharing.kernels[3].curves.noc[8], 99);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("ccbp", (const TTest *const[]){
					   classes_of_the_paper,
					   curves_follow_the_last_window,
					   fractions_of_requests_are_kept,
					   tokens_lapse,
					   shares_are_rates,
					   those_sensitive_to_latency_go_first,
					   priority_follows_slowdowns,
					   curves_are_kept_by_kernel_blocks_and_partners,
					   curves_of_kernels_alone,
					   NULL,
				   });
}
