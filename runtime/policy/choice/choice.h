/*
 * The policies of a run, as `--policy a+b:parameter` names them (choice.c).
 */
#ifndef HD_RUNTIME_POLICY_CHOICE_CHOICE_H
#define HD_RUNTIME_POLICY_CHOICE_CHOICE_H

#include <stdint.h>

#include "heddle/policy.h"

struct hd_config;
struct hd_diag;
struct hd_gpu;

#define HD_PARAMETER_BYTES 32

/* Fills gpu->policies from "cars+malekeh" and lets them change gpu->config-> Unknown names, wrong parameters and pairs
 * that cannot combine are errors. 0 or -1. */
int hd_policy_parse(struct hd_gpu *gpu, const char *text, struct hd_diag *diag);
/* The policies that a text names, in its order. The baseline stands for none. */
struct hd_policy_set {
	const struct hd_policy *policies[HD_MAX_POLICIES];
	char parameters[HD_MAX_POLICIES][HD_PARAMETER_BYTES];
	uint32_t count;
};
/* Adds one; refused when it takes over what another one has. 0 or -1. */
int hd_policy_combine(struct hd_policy_set *chosen, const struct hd_policy *policy, struct hd_diag *diag);
/* Whether its hooks mean something in this configuration: those of collectors where there are none do not. 0 or -1. */
int hd_policy_fits(const struct hd_config *config, const struct hd_policy *policy, struct hd_diag *diag);

#endif
