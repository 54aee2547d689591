/*
 * Energy of policies' own structures: rows of events with picojoules, counted for each grid in each SM. The keys are in
 * the policy's section of the GPU's .ini, or given as "policy.key=value".
 *
 * Cost: an addition an event; O(SMs * rows) a grid.
 */
#include "runtime/sm/energy.h"

#include <stdio.h>
#include <string.h>

#include "runtime/sm/sm.h"

static int unknown_key(const struct hd_policy *policy, const char *key, struct hd_diag *diag)
{
	const char *names[HD_MAX_ENERGY + 1] = {"register_power"};
	char texts[HD_MAX_ENERGY][64], before[96];
	unsigned count = 1;
	for (const struct hd_policy_energy *row = policy->hooks->energy; row && row->name && count <= HD_MAX_ENERGY;
	     row++) {
		snprintf(texts[count - 1], sizeof texts[count - 1], "pj_%s", row->name);
		names[count] = texts[count - 1];
		count++;
	}
	snprintf(before, sizeof before, "policy '%.32s': unknown key", policy->name);
	return hd_unknown_name(diag, before, key, names, count);
}

static int configure(struct hd_gpu *gpu, const struct hd_policy_handle *self, const struct hd_policy_key *key,
		     struct hd_diag *diag)
{
	if (!strcmp(key->key, "register_power")) {
		gpu->config.pj_reg_read *= key->value;
		gpu->config.pj_reg_write *= key->value;
		return 0;
	}
	for (uint32_t i = self->energy_at; i < gpu->energy_count; i++)
		if (!strncmp(key->key, "pj_", 3) && !strcmp(key->key + 3, gpu->energy[i].name)) {
			gpu->energy[i].pj = key->value;
			return 0;
		}
	return unknown_key(self->policy, key->key, diag);
}

int hd_energy_add(struct hd_gpu *gpu, struct hd_policy_handle *self, struct hd_diag *diag)
{
	int status = 0;
	self->energy_at = gpu->energy_count;
	for (const struct hd_policy_energy *row = self->hooks->energy; row && row->name; row++) {
		if (gpu->energy_count == HD_MAX_ENERGY)
			return hd_error(diag, HD_NOWHERE, "policy '%s': more than %d kinds of events that take energy",
					self->policy->name, HD_MAX_ENERGY);
		gpu->energy[gpu->energy_count++] = *row;
	}
	for (uint32_t i = 0; i < gpu->config.policy_key_count && !status; i++)
		if (!strcmp(gpu->config.policy_keys[i].policy, self->policy->name))
			status = configure(gpu, self, &gpu->config.policy_keys[i], diag);
	return status;
}

void hd_energy_take(struct hd_gpu *gpu, const struct hd_grid *grid, uint64_t events[HD_MAX_ENERGY])
{
	memset(events, 0, HD_MAX_ENERGY * sizeof *events);
	for (uint32_t i = 0; i < gpu->config.sm_count && gpu->energy_count; i++) {
		uint64_t *spent = gpu->sms[i]->spent[grid->slot];
		for (uint32_t row = 0; row < gpu->energy_count; row++) {
			events[row] += spent[row];
			gpu->spent[row] += spent[row];
			spent[row] = 0;
		}
	}
}

double hd_energy_joules(const struct hd_gpu *gpu, const uint64_t events[HD_MAX_ENERGY])
{
	double pj = 0;
	for (uint32_t row = 0; row < gpu->energy_count; row++)
		pj += (double)events[row] * gpu->energy[row].pj;
	return pj * 1e-12;
}
