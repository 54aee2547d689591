/*
 * The baseline: the GPU of the configuration as it is. It has no hooks; the engine runs as if there were no policies.
 */
#include "heddle/policy.h"

const struct hd_policy hd_policy_baseline = {
	.name = "baseline",
	.help = "the configured GPU without any of the designs",
	.paper = "",
};
