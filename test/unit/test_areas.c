/* Where the simulator's interface allocates when checkpoints can be taken: what lasts, and what changes (lib/store.h).
 */
#include "harness.h"
#include "lib/store.h"

#include "runtime/sm/hooks.h"
#include "simbench.h"

static enum hd_store_area at_issue;

static void note_area(const struct hd_policy_handle *self, struct hd_warp *warp, const struct hd_dinst *inst,
		      const struct hd_effect *effect, uint64_t now)
{
	(void)self, (void)warp, (void)inst, (void)effect, (void)now;
	at_issue = hd_store_here();
}

/* All that is allocated while a launch runs is state. The caller's own area is as before. */
START_TEST(launches_allocate_state)
{
	static const struct hd_policy_hooks hooks = {.issue.issued = note_area};
	static const struct hd_policy watching = {.name = "watching", .hooks = &hooks};
	struct simbench bench;
	uint64_t ticket;
	ck_assert_int_eq(hd_store_open(), 0);
	simbench_init(&bench);
	bench.beside = &watching;
	simbench_chain(&bench, 2);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(hd_store_here(), HD_STORE_OUTSIDE);
	struct hd_launch launch = simbench_launch(&bench, 1, 32, NULL);
	launch.param_bytes = 0;
	ck_assert_int_eq(hd_sim_submit(bench.sim, &launch, &ticket), 0);
	at_issue = HD_STORE_OUTSIDE;
	ck_assert_int_eq(hd_sim_wait(bench.sim, ticket), 0);
	ck_assert_int_eq(at_issue, HD_STORE_STATE);
	ck_assert_int_eq(hd_store_here(), HD_STORE_OUTSIDE);
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("areas", (const TTest *const[]){
					    launches_allocate_state,
					    NULL,
				    });
}
