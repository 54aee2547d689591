/* The set of kernels that share a GPU: when there is one, and who belongs to it. */
#include "harness.h"
#include "runtime/policy/sharing/sharing.h"
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
		ck_assert_msg(!hd_sim_submit(bench->sim, &launch, &ticket), "%s", bench->message);
	}
	ck_assert_msg(!hd_sim_wait_all(bench->sim), "%s", bench->message);
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

Suite *hd_suite(void)
{
	return hd_suite_of("sharing", (const TTest *const[]){too_many_kernels_share_nothing, NULL});
}
