/* The set of kernels that share a GPU: when there is one, and who belongs to it. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/policy/sharing/sharing.h"
#include "runtime/sm/hooks.h"
#include "simbench.h"

enum { MANY = SHARING_KERNELS + 1, CHAIN = 200 };

static struct sharing_gpu *sharing_in(struct simbench *bench)
{
	return sharing_of(&bench->sim->gpu.policies[0], &bench->sim->gpu);
}

static void launch_together(struct simbench *bench, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct hd_launch launch = {.kernel = bench->kernel,
					   .grid = {40, 1, 1},
					   .block = {32, 1, 1},
					   .stream = 1 + i};
		uint64_t ticket;
		ck_assert_msg(!hd_sim_submit(bench->sim, &launch, &ticket), "%s", hd_sim_error_text(bench->sim));
	}
	ck_assert_msg(!hd_sim_wait_all(bench->sim), "%s", hd_sim_error_text(bench->sim));
}

/* One more than there is room for: nobody shares. When all have ended nobody is left over. */
START_TEST(too_many_kernels_share_nothing)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.config.sm_count = MANY;
	bench.options.policy = "spatial";
	simbench_chain(&bench, CHAIN);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	launch_together(&bench, MANY);
	ck_assert_int_eq(sharing_in(&bench)->phase, SHARING_OFF);
	ck_assert_uint_eq(sharing_in(&bench)->others, 0);
	simbench_release(&bench);
}
END_TEST

/* ---- limits of requests in flight */

static uint32_t loads;

/* Behind each load of the first kernel there are 20 line accesses more, and 400 cycles' stalls since the first. */
static void set_counters(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
			 const struct hd_effect *effect, uint64_t now)
{
	struct hd_sm *sm = warp->cta->sm;
	struct sharing_gpu *sharing = sharing_of(&sm->gpu->policies[0], sm->gpu);
	(void)self, (void)effect, (void)now;
	if (sharing->count == 2)
		sharing->phase = SHARING_RUN; /* nothing is measured before */
	if (inst->inst.op != HD_OP_LDG || warp->cta->grid->stream != 1)
		return;
	loads++;
	sm->counted[sm->grid_of[warp->id]].l1d_accesses = (uint64_t)20 * loads;
	sm->counted[sm->grid_of[warp->id]].l1d_stall_cycles = 400;
}

/* The limit falls when accesses have stalled since the last look, and not again because they had before. */
START_TEST(stalls_count_since_the_last_look)
{
	static const struct hd_policy_hooks hooks = {.several_grids = true, .issue.issued = set_counters};
	static const struct hd_policy probe = {.name = "probe", .hooks = &hooks};
	struct simbench bench;
	uint64_t address, tickets[2];
	simbench_init(&bench);
	bench.options.policy = "warped-slicer-memory";
	ck_assert(!hd_config_set(&bench.config, "warped-slicer-memory.interval=16", &bench.diag));
	ck_assert(!hd_config_set(&bench.config, "warped-slicer-memory.window=1000000", &bench.diag));
	bench.beside = &probe;
	simbench_param(&bench, 8);
	for (uint32_t i = 0; i < 6; i++) {
		struct hd_inst *inst = simbench_emit(&bench, HD_OP_LDG);
		inst->dst = 10, inst->a = 8, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
		simbench_ffma(&bench, 4, 10, 10, 10);
	}
	simbench_chain(&bench, 100);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 4096, &address), 0);
	loads = 0;
	for (uint32_t i = 0; i < 2; i++) {
		struct hd_launch launch = simbench_launch(&bench, 1, 32, &address);
		launch.stream = 1 + i;
		ck_assert_int_eq(hd_sim_submit(bench.sim, &launch, &tickets[i]), 0);
	}
	ck_assert_msg(!hd_sim_wait_all(bench.sim), "%s", hd_sim_error_text(bench.sim));
	ck_assert_uint_eq(loads, 6);
	const struct hd_launch_record *record = bench.sim->launches.data[0];
	double lowered = -1;
	for (uint32_t i = 0; i < record->figures.len; i++)
		if (!strcmp(record->figures.data[i].key, "lowered"))
			lowered = record->figures.data[i].value;
	ck_assert_double_eq(lowered, 1);
	simbench_release(&bench);
}
END_TEST

/* ---- curves that are kept */

enum { A, B, C, D, CODES };

static struct sharing_gpu *sharing;
static struct hd_kernel *codes; /* only their addresses count */

static void set_up(void)
{
	sharing = calloc(1, sizeof *sharing);
	codes = calloc(CODES + SHARING_KNOWN, sizeof *codes);
	ck_assert(sharing && codes);
}

static void tear_down(void)
{
	free(sharing);
	free(codes);
}

/* The set of kernels, by the numbers of their codes. */
static void share(uint32_t count, const uint32_t *numbers)
{
	sharing->count = count;
	for (uint32_t i = 0; i < count; i++)
		sharing->kernels[i] = (struct sharing_kernel){.kernel = &codes[numbers[i]], .stream = i, .most = 8};
}

#define SHARE(...) \
	share(sizeof((uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), (uint32_t[]){__VA_ARGS__})

static void remember(uint32_t which, double ipc)
{
	sharing->kernels[which].curves.ipc[1] = ipc;
	sharing_remember(sharing, which);
}

/* Of kernel `which` of the set; 0: nothing is known of it. */
static double recalled(uint32_t which)
{
	sharing_recall(sharing);
	ck_assert_int_eq(sharing->kernels[which].known, sharing->kernels[which].curves.ipc[1] > 0);
	return sharing->kernels[which].curves.ipc[1];
}

/* A beside B and C is known beside these two in any order, and beside no others, fewer or more. Two streams may run one
 * code: B twice is not B and C, nor is A itself a partner where it was measured beside another A. */
START_TEST(curves_are_those_beside_the_same_partners)
{
	SHARE(A, B, C);
	remember(0, 3);
	SHARE(C, A, B);
	ck_assert_double_eq(recalled(1), 3);
	ck_assert_double_eq(recalled(0), 0);
	SHARE(A, B, B);
	ck_assert_double_eq(recalled(0), 0);
	SHARE(A, B, D);
	ck_assert_double_eq(recalled(0), 0);
	SHARE(A, B);
	ck_assert_double_eq(recalled(0), 0);
	SHARE(A, B, C, D);
	ck_assert_double_eq(recalled(0), 0);
	SHARE(A, A, B);
	remember(0, 5); /* beside A and B */
	ck_assert_double_eq(recalled(0), 5);
	SHARE(A, B, B);
	ck_assert_double_eq(recalled(0), 0);
}
END_TEST

/* Blocks of another size, or as many more as fit, are not those that were measured. */
START_TEST(curves_are_those_of_the_same_blocks)
{
	SHARE(A, B);
	remember(0, 3);
	SHARE(A, B);
	sharing->kernels[0].most = 7;
	ck_assert_double_eq(recalled(0), 0);
	SHARE(A, B);
	sharing->kernels[0].block.threads = 32;
	ck_assert_double_eq(recalled(0), 0);
	SHARE(A, B);
	ck_assert_double_eq(recalled(0), 3);
	ck_assert_uint_eq(sharing->recalled, 1);
	remember(0, 6); /* measured again: in place of the first */
	ck_assert_double_eq(recalled(0), 6);
}
END_TEST

/* Measured apart a kernel had no partners, and is known beside all; what was measured beside others is not that. */
START_TEST(curves_of_one_alone_are_known_beside_all)
{
	SHARE(A, B);
	remember(0, 3);
	sharing->apart = true;
	SHARE(A, B);
	ck_assert_double_eq(recalled(0), 0);
	remember(0, 4);
	SHARE(C, A, D);
	ck_assert_double_eq(recalled(1), 4);
	ck_assert_double_eq(recalled(0), 0);
}
END_TEST

/* Kernels 0, 1, 2 and so on take a place each, until none is free. Kernel 0 is recalled then, so that the next kernel
 * gets the place of kernel 1. */
START_TEST(curves_that_were_not_wanted_for_longest_go)
{
	sharing->apart = true;
	for (uint32_t i = 0; i < SHARING_KNOWN; i++) {
		SHARE(i);
		remember(0, 1 + i);
	}
	SHARE(0);
	ck_assert_double_eq(recalled(0), 1);
	SHARE(SHARING_KNOWN);
	remember(0, 99);
	for (uint32_t i = 0; i <= SHARING_KNOWN; i++) {
		SHARE(i);
		ck_assert_double_eq(recalled(0), i == 1 ? 0 : i == SHARING_KNOWN ? 99 : 1 + i);
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("sharing",
			     (const TTest *const[]){
				     too_many_kernels_share_nothing,
				     stalls_count_since_the_last_look,
				     curves_are_those_beside_the_same_partners,
				     curves_are_those_of_the_same_blocks,
				     curves_of_one_alone_are_known_beside_all,
				     curves_that_were_not_wanted_for_longest_go,
				     NULL,
			     },
			     set_up, tear_down);
}
