/*
 * The table of policies, made from policies.def.
 */
#include "heddle/policy.h"

#define HD_POLICY(name_, hooks_, touches_, parameters_, best_of_, paper_, help_) \
	extern const struct hd_policy_hooks hd_hooks_##hooks_;
#include "runtime/policy/policies.def"
#undef HD_POLICY

const struct hd_policy_hooks hd_hooks_baseline = {.stages = 0}; /* none */

const struct hd_policy hd_policies[] = {
#define HD_POLICY(name_, hooks_, touches_, parameters_, best_of_, paper_, help_) \
	{.name = (name_),                                                        \
	 .help = (help_),                                                        \
	 .paper = (paper_),                                                      \
	 .touches = (touches_),                                                  \
	 .parameters = (parameters_),                                            \
	 .best_of = (best_of_),                                                  \
	 .hooks = &hd_hooks_##hooks_},
#include "runtime/policy/policies.def"
#undef HD_POLICY
	{.name = NULL},
};
