/*
 * The keys of a policy's section, `[policy NAME]` of an .ini or "NAME.key=value": its settings by their names,
 * pj_<event> for what takes energy, and register_power, which multiplies what the register file's banks take. A
 * design's keys are those of its variants, too, unless these have their own.
 *
 * Cost: keys times rows and times keys, once.
 */
#include "runtime/sm/keys.h"

#include <stdio.h>
#include <string.h>

#include "heddle/config.h"

#define MOST_PICOJOULES 1e9
#define MOST_POWER 1e6

struct keys {
	struct hd_gpu *gpu;
	const struct hd_policy_handle *self;
	struct hd_diag *diag;
};

static int add_energy(struct hd_gpu *gpu, struct hd_policy_handle *self, struct hd_diag *diag)
{
	self->energy_at = gpu->energy_count;
	for (const struct hd_policy_energy *row = self->hooks->energy; row && row->name; row++) {
		if (gpu->energy_count == HD_MAX_ENERGY)
			return hd_error(diag, HD_NOWHERE, "policy '%s': more than %d kinds of events that take energy",
					self->policy->name, HD_MAX_ENERGY);
		gpu->energy[gpu->energy_count++] = *row;
	}
	return 0;
}

static int add_settings(struct hd_gpu *gpu, struct hd_policy_handle *self, struct hd_diag *diag)
{
	self->settings_at = gpu->setting_count;
	for (const struct hd_policy_setting *row = self->hooks->settings; row && row->name; row++) {
		if (gpu->setting_count == HD_MAX_SETTINGS)
			return hd_error(diag, HD_NOWHERE, "policy '%s': more than %d settings", self->policy->name,
					HD_MAX_SETTINGS);
		gpu->settings[gpu->setting_count++] = row->value;
	}
	return 0;
}

static int unknown_key(const struct keys *keys, const char *key)
{
	const char *names[HD_MAX_ENERGY + HD_MAX_SETTINGS + 1] = {"register_power"};
	char texts[HD_MAX_ENERGY][64], before[96];
	unsigned count = 1;
	const struct hd_policy *policy = keys->self->policy;
	for (const struct hd_policy_setting *row = keys->self->hooks->settings; row && row->name; row++)
		names[count++] = row->name;
	for (uint32_t i = keys->self->energy_at; i < keys->gpu->energy_count; i++) {
		char *text = texts[i - keys->self->energy_at];
		snprintf(text, sizeof texts[0], "pj_%s", keys->gpu->energy[i].name);
		names[count++] = text;
	}
	snprintf(before, sizeof before, "policy '%.32s': unknown key", policy->name);
	return hd_unknown_name(keys->diag, before, key, names, count);
}

static int check_range(const struct keys *keys, const struct hd_policy_key *key, double least, double most)
{
	if (key->value >= least && key->value <= most)
		return 0;
	return hd_error(keys->diag, HD_NOWHERE, "%s.%s: expected %g to %g, not %g", keys->self->policy->name, key->key,
			least, most, key->value);
}

static int set_power(const struct keys *keys, const struct hd_policy_key *key)
{
	if (check_range(keys, key, 0, MOST_POWER))
		return -1;
	keys->gpu->config->pj_reg_read *= key->value;
	keys->gpu->config->pj_reg_write *= key->value;
	return 0;
}

static int set_energy(const struct keys *keys, const struct hd_policy_key *key)
{
	for (uint32_t i = keys->self->energy_at; i < keys->gpu->energy_count; i++)
		if (!strcmp(key->key + strlen("pj_"), keys->gpu->energy[i].name)) {
			keys->gpu->energy[i].pj = key->value;
			return check_range(keys, key, 0, MOST_PICOJOULES);
		}
	return unknown_key(keys, key->key);
}

static int set_one(const struct keys *keys, const struct hd_policy_key *key)
{
	const struct hd_policy_setting *rows = keys->self->hooks->settings;
	if (!strcmp(key->key, "register_power"))
		return set_power(keys, key);
	for (uint32_t i = 0; rows && rows[i].name; i++)
		if (!strcmp(key->key, rows[i].name)) {
			keys->gpu->settings[keys->self->settings_at + i] = key->value;
			return check_range(keys, key, rows[i].least, rows[i].most);
		}
	return strncmp(key->key, "pj_", strlen("pj_")) ? unknown_key(keys, key->key) : set_energy(keys, key);
}

/* Whether the section of the policy's own name has the key. */
static bool has_own(const struct hd_config *config, const char *policy, const char *key)
{
	for (uint32_t i = 0; i < config->policy_key_count; i++)
		if (!strcmp(config->policy_keys[i].policy, policy) && !strcmp(config->policy_keys[i].key, key))
			return true;
	return false;
}

static bool is_meant_for(const struct hd_config *config, const struct hd_policy_key *key, const char *policy,
			 const char *design)
{
	if (!strcmp(key->policy, policy))
		return true;
	return design && !strcmp(key->policy, design) && !has_own(config, policy, key->key);
}

int hd_keys_take(struct hd_gpu *gpu, struct hd_policy_handle *self, const char *design, struct hd_diag *diag)
{
	const struct keys keys = {gpu, self, diag};
	const struct hd_config *config = gpu->config;
	int status = add_energy(gpu, self, diag);
	if (!status)
		status = add_settings(gpu, self, diag);
	for (uint32_t i = 0; i < config->policy_key_count && !status; i++)
		if (is_meant_for(config, &config->policy_keys[i], self->policy->name, design))
			status = set_one(&keys, &config->policy_keys[i]);
	return status;
}
