/*
 * R2D2 without its hardware's timing (r2d2-isca23, 3 and 4): launches run the linear version of their kernel where
 * there is one, its checks hold and the registers suffice. Coefficients, thread-index and block-index parts are there
 * when a block starts and cost no cycle; linear operands cost none beside a register's. For counting instructions and
 * for --verify.
 */
#include "heddle/policy.h"
#include "runtime/core/gpu.h"
#include "runtime/policy/r2d2.h"

static void report(const struct hd_policy_handle *self, const struct hd_gpu *gpu,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	(void)self;
	if (gpu->grid)
		add(context, "linear", gpu->grid->linear != NULL, "");
}

const struct hd_policy_hooks hd_hooks_r2d2_functional = {
	.linear = true,
	.configure = r2d2_configure,
	.observation.report = report,
};
