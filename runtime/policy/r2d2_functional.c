/*
 * R2D2 without its hardware's timing (r2d2-isca23, 3 and 4): launches run the linear version of their kernel where
 * there is one, its checks hold and the registers suffice. Coefficients, thread-index and block-index parts are there
 * when a block starts and cost no cycle; linear operands cost none beside a register's. For counting instructions and
 * for
 * --verify.
 */
#include "runtime/sm/sm.h"

static void report(const struct hd_gpu *gpu, const void *state,
		   void (*add)(void *context, const char *key, double value, const char *unit), void *context)
{
	(void)state;
	if (gpu->grid)
		add(context, "linear", gpu->grid->linear != NULL, "");
}

static int configure(struct hd_config *config, const char *parameter, struct hd_diag *diag)
{
	(void)config;
	if (!*parameter || !strcmp(parameter, "always"))
		return 0;
	return hd_error(diag, HD_NOWHERE, "policy 'r2d2-functional:%s': not 'always'", parameter);
}

const struct hd_policy hd_policy_r2d2_functional = {
	.name = "r2d2-functional",
	.help = "linear versions of kernels, their linear instructions in no time: to count and to verify",
	.paper = "R2D2, ISCA 2023, sections 3 and 4.4",
	.touches = HD_TOUCH_CODE,
	.linear = true,
	.parameters = "'always': also where the registers do not suffice",
	.configure = configure,
	.report = report,
};
