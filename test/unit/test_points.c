/* Preemption points as instructions of the code (runtime/policy/preempt/points.c): where what is behind them lies. */
#include "harness.h"
#include "heddle/opcodes.h"
#include "runtime/policy/preempt/preempt.h"
#include "simbench.h"

static struct hd_meta_point point_at(uint32_t inst, enum hd_preempt_kind kind)
{
	return (struct hd_meta_point){.pc = inst * HD_INST_BYTES, .kind = kind, .loop_pc = UINT32_MAX};
}

/*
 * The kernel has a point at its second instruction, and a barrier in place of one at its third; the function has one at
 * its third. It is the longer one, for which the table grows.
 */
START_TEST(points_of_functions_before_count)
{
	static const uint32_t expected[] = {0, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2};
	struct hd_meta_point of_kernel[] = {point_at(1, HD_PREEMPT_PP), point_at(2, HD_PREEMPT_BAR)};
	struct hd_meta_point of_function[] = {point_at(2, HD_PREEMPT_PP)};
	struct simbench bench;
	simbench_init(&bench);
	bench.options.policy = "preempt";
	simbench_chain(&bench, 3);
	bench.meta.points = of_kernel;
	bench.meta.point_count = 2;
	struct hd_meta_function *meta = simbench_function(&bench, "f");
	simbench_chain(&bench, 10);
	simbench_emit(&bench, HD_OP_RET);
	meta->points = of_function;
	meta->point_count = 1;
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	struct hd_gpu *gpu = &bench.sim->gpu;
	const struct preempt_gpu *preempt = preempt_gpu_of(&gpu->policies[0], gpu);
	ck_assert_uint_eq(gpu->program.code.len, sizeof expected / sizeof *expected);
	for (uint32_t i = 0; i < gpu->program.code.len; i++)
		ck_assert_msg(preempt->points[i] == expected[i], "%u: %u", i, preempt->points[i]);
	/* Each is two instructions: of the function's first three one point of the kernel lies before, then its own. */
	struct hd_cta cta = {.sm = gpu->sms[0]};
	struct hd_warp *warp = &gpu->sms[0]->warps[0];
	uint32_t bytes = HD_INST_BYTES;
	warp->cta = &cta;
	ck_assert_uint_eq(preempt_code_place(&gpu->policies[0], warp, 5, 4096, &bytes), 4096 + 2 * HD_INST_BYTES);
	ck_assert_uint_eq(preempt_code_place(&gpu->policies[0], warp, 6, 4096, &bytes), 4096 + 4 * HD_INST_BYTES);
	ck_assert_uint_eq(bytes, HD_INST_BYTES);
	/* With the point itself, which comes first. */
	preempt_warp_of(&gpu->policies[0], warp)->announced = true;
	ck_assert_uint_eq(preempt_code_place(&gpu->policies[0], warp, 6, 4096, &bytes), 4096 + 2 * HD_INST_BYTES);
	ck_assert_uint_eq(bytes, 3 * HD_INST_BYTES);
	warp->cta = NULL;
	simbench_release(&bench);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("points", (const TTest *const[]){points_of_functions_before_count, NULL});
}
