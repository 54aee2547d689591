/* Warped-Slicer: which combination of blocks it takes, from what kernels have shown. */
#include <string.h>

#include "harness.h"
#include "runtime/policy/sharing/sharing.h"
#include "simbench.h"

enum { BLOCKS = 5 };

/* Two kernels: how many blocks an SM has room for, what part of its threads and shared memory a block takes, and
 * instructions in a cycle by blocks. */
struct shape {
	uint32_t most;
	double threads, shared, ipc[BLOCKS];
};

static void check_choice(const struct shape shapes[2], uint32_t first, uint32_t second)
{
	struct simbench bench;
	simbench_init(&bench);
	bench.options.policy = "warped-slicer";
	simbench_mov(&bench, 4, 1);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	struct hd_gpu *gpu = &bench.sim->gpu;
	struct sharing_gpu *sharing = sharing_of(&gpu->policies[0], gpu);
	sharing->count = 2;
	for (uint32_t i = 0; i < 2; i++) {
		struct sharing_kernel *kernel = &sharing->kernels[i];
		kernel->most = shapes[i].most;
		kernel->block = (struct drf_block){.threads = shapes[i].threads, .shared = shapes[i].shared};
		memcpy(kernel->curves.ipc, shapes[i].ipc, sizeof shapes[i].ipc);
	}
	sharing->design->decide(&gpu->policies[0], gpu, sharing);
	ck_assert_uint_eq(sharing->blocks[0], first);
	ck_assert_uint_eq(sharing->blocks[1], second);
	sharing->count = 0;
	simbench_release(&bench);
}

/*
 * Blocks of a quarter. The first kernel makes 2, 4, 5 and 8 of its most with 1 to 4 of them, the second 1 to 4 of 4.
 * With 1 and 3 the slowest makes 1/4 of what it does alone, with 2 and 2 it makes 1/2, with 3 and 1 1/4.
 */
START_TEST(the_slowest_is_slowed_down_least)
{
	static const struct shape shapes[] = {{4, 0.25, 0, {0, 2, 4, 5, 8}}, {4, 0.25, 0, {0, 1, 2, 3, 4}}};
	check_choice(shapes, 2, 2);
}
END_TEST

/*
 * The first kernel has half of its speed with one block, and for a second one there are no threads beside one of the
 * other's. So the slowest makes 1/2 with two to four blocks of the second kernel: the most that both make together is
 * with four, or with three where the fourth is in the way of the others.
 */
START_TEST(of_equals_that_with_the_larger_sum)
{
	struct shape shapes[] = {{2, 0.5, 0, {0, 1, 2}}, {4, 0.125, 0.25, {0, 1, 2, 3, 4}}};
	check_choice(shapes, 1, 4);
	shapes[1].ipc[4] = 2.5;
	check_choice(shapes, 1, 3);
}
END_TEST

/* One of three blocks beside two of three, or two beside one: the first that is found. */
START_TEST(of_the_same_the_first)
{
	static const struct shape shapes[] = {{3, 1.0 / 3, 0, {0, 1, 2, 3}}, {3, 1.0 / 3, 0, {0, 1, 2, 3}}};
	check_choice(shapes, 1, 2);
}
END_TEST

/* Nothing was seen of the second kernel: two of its blocks are half of what four do. */
START_TEST(more_blocks_of_an_unseen_kernel_do_not_harm)
{
	static const struct shape shapes[] = {{4, 0.25, 0, {0, 3, 3.5, 4, 4}}, {4, 0.25, 0, {0}}};
	check_choice(shapes, 1, 3);
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_of("slicer", (const TTest *const[]){
					     the_slowest_is_slowed_down_least,
					     of_equals_that_with_the_larger_sum,
					     of_the_same_the_first,
					     more_blocks_of_an_unseen_kernel_do_not_harm,
					     NULL,
				     });
}
