/*
 * heddle gpus: the GPUs that have a configuration, or one configuration with the meaning of each key.
 */
#include <argp.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "lib/arena.h"
#include "tools/heddle/cmd.h"

struct gpus {
	bool json;
	const char *name;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct gpus *gpus = state->input;
	if (key == 'j')
		gpus->json = true;
	else if (key == ARGP_KEY_ARG && !gpus->name)
		gpus->name = arg;
	else
		return ARGP_ERR_UNKNOWN;
	return 0;
}

/* The `index`th of "a|b|c". */
static const char *choice(const char *names, uint64_t index, char *text, size_t size)
{
	while (index-- && strchr(names, '|'))
		names = strchr(names, '|') + 1;
	snprintf(text, size, "%.*s", (int)strcspn(names, "|"), names);
	return text;
}

static json_t *config_json(const struct hd_config *config)
{
	char text[64];
	json_t *json = json_pack("{s:s,s:s}", "name", config->name, "product", config->product);
#define HD_CONFIG_INT(key, value, min, max, unit, help) \
	json_object_set_new(json, #key, json_integer((json_int_t)config->key));
#define HD_CONFIG_REAL(key, value, min, max, unit, help) json_object_set_new(json, #key, json_real(config->key));
#define HD_CONFIG_ENUM(key, value, names, help) \
	json_object_set_new(json, #key, json_string(choice(names, config->key, text, sizeof text)));
#include "heddle/config.def"
#undef HD_CONFIG_INT
#undef HD_CONFIG_REAL
#undef HD_CONFIG_ENUM
	return json;
}

static void print_config(const struct hd_config *config)
{
	char text[64];
	printf("%s: %s\n", config->name, config->product);
#define HD_CONFIG_INT(key, value, min, max, unit, help) \
	printf("%-22s %14llu %-13s %s\n", #key, (unsigned long long)config->key, unit, help);
#define HD_CONFIG_REAL(key, value, min, max, unit, help) \
	printf("%-22s %14.6g %-13s %s\n", #key, config->key, unit, help);
#define HD_CONFIG_ENUM(key, value, names, help) \
	printf("%-22s %14s %-13s %s (%s)\n", #key, choice(names, config->key, text, sizeof text), "", help, names);
#include "heddle/config.def"
#undef HD_CONFIG_INT
#undef HD_CONFIG_REAL
#undef HD_CONFIG_ENUM
}

static void print_json(json_t *json)
{
	json_dumpf(json, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(15));
	putchar('\n');
	json_decref(json);
}

static int list(bool as_json, struct hd_diag *diag)
{
	char **names = hd_config_gpus(diag);
	if (!names)
		return CMD_ERROR;
	int status = 0;
	json_t *all = json_array();
	if (!as_json)
		printf("%-15s %4s %9s %6s %10s %9s  product\n", "name", "SMs", "core MHz", "warps", "registers",
		       "L1 KiB");
	for (char **name = names; *name; name++) {
		struct hd_config config;
		if (hd_config_load(&config, *name, diag))
			status = 2;
		else if (as_json)
			json_array_append_new(all, config_json(&config));
		else
			printf("%-15s %4llu %9.0f %6llu %10llu %9llu  %s\n", config.name,
			       (unsigned long long)config.sm_count, config.core_mhz,
			       (unsigned long long)config.max_warps, (unsigned long long)config.registers,
			       (unsigned long long)config.l1_bytes / 1024, config.product);
		free(*name);
	}
	free(names);
	if (as_json)
		print_json(all);
	else
		json_decref(all);
	return status;
}

int cmd_gpus(int argc, char **argv)
{
	static const struct argp_option options[] = {{"json", 'j', NULL, 0, "print JSON", 0}, {0}};
	static const struct argp argp = {
		options,  parse,
		"[NAME]", "Lists the GPUs that can be simulated. With NAME, lists all keys of its configuration.",
		NULL,	  NULL,
		NULL};
	struct gpus gpus = {0};
	struct hd_diag diag = {.tool = "heddle gpus"};
	cmd_parse(&argp, argc, argv, 0, &gpus);
	if (!gpus.name)
		return list(gpus.json, &diag);
	struct hd_config config;
	if (hd_config_load(&config, gpus.name, &diag))
		return 2;
	if (gpus.json)
		print_json(config_json(&config));
	else
		print_config(&config);
	return 0;
}
