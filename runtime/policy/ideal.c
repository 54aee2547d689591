/*
 * GPUs that CARS is compared with (cars-hpca24 V-D, VI-A), idealised but for the last, and LTRF (ltrf-asplos18 5). They
 * change the configuration and have no hooks:
 *
 *   vw       idealised virtual warps (after Zorua): registers, shared memory and thread-block slots without end; the
 *            slots of threads and warps stay. Shared memory then takes nothing from the L1.
 *   all-hit  every spill and fill hits in the L1 without a look at its tags; ports and latency as ever
 *   cars-stages  the two pipeline stages that CARS adds (IV-C), and nothing of what they are for
 *
 *   ideal-rf  eight times the registers of the configuration, at its latency
 *
 * CARS's 10 MB L1 is `--set l1_bytes=10485760`, and its L1 bandwidths are `--set l1_ports=2` (4, 8).
 */
#include "heddle/config.h"
#include "heddle/policy.h"
#include "runtime/policy/cars/cars.h"

/* More than the warp slots of any configuration can use. */
#define MANY_REGISTERS 1048576
#define MANY_BYTES 1048576

static int make_unlimited(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
			  struct hd_diag *diag)
{
	(void)policy;
	(void)parameter;
	(void)diag;
	config->registers = MANY_REGISTERS;
	config->shared_bytes = MANY_BYTES;
	config->max_ctas = config->max_warps < 64 ? config->max_warps : 64;
	config->l1_unified = 0;
	return 0;
}

static int make_hits(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		     struct hd_diag *diag)
{
	(void)policy;
	(void)parameter;
	(void)diag;
	config->l1_spills = 1;
	return 0;
}

#define TIMES 8 /* ltrf-asplos18 5 */

static int make_large(const struct hd_policy *policy, struct hd_config *config, const char *parameter,
		      struct hd_diag *diag)
{
	(void)policy;
	(void)parameter;
	(void)diag;
	uint64_t registers = TIMES * config->registers;
	config->registers = registers < MANY_REGISTERS ? registers : MANY_REGISTERS;
	return 0;
}

const struct hd_policy_hooks hd_hooks_ideal_rf = {
	.configure = make_large,
};

const struct hd_policy_hooks hd_hooks_vw = {
	.configure = make_unlimited,
};

const struct hd_policy_hooks hd_hooks_cars_stages = {
	.stages = CARS_STAGES,
};

const struct hd_policy_hooks hd_hooks_all_hit = {
	.configure = make_hits,
};
