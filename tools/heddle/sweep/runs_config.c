/*
 * GPUs, policies and configurations of runs. What a run is simulated with is the effective configuration: the GPU's
 * file, the part of it that `share` leaves, and the keys of the plan, each in that order. Each different one is loaded
 * and checked once.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "lib/strbuf.h"
#include "tools/heddle/run/best.h"
#include "tools/heddle/sweep/runs.h"

/* Messages of the library with a place in the plan. */
struct placed {
	struct hd_diag *diag;
	struct hd_loc loc;
};

static void emit_placed(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	struct placed *placed = context;
	(void)loc;
	if (severity == HD_ERROR)
		hd_error(placed->diag, placed->loc, "%s", message);
}

static const struct coordinate *find(const struct sweep_run *run, const char *name)
{
	for (uint32_t i = 0; i < run->count; i++)
		if (!strcmp(run->coordinates[i].name, name))
			return &run->coordinates[i];
	return NULL;
}

/* ------------------------------------------------------------ policies and options */

/* Whether the text has passed before; it is kept as one that has. */
static bool passed_before(struct sweep_runs *runs, const char *text)
{
	uint64_t hash = hd_hash_text(HD_HASH_TEXT, text);
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &runs->checked_set, hash, !strcmp(runs->checked.data[slot->id], text));
	if (hd_hash_found(slot))
		return true;
	hd_hash_set_put(&runs->checked_set, slot, hash, runs->checked.len);
	hd_vec_push(&runs->checked, text);
	return false;
}

/* Options of `heddle run` that a plan may give; those that say where figures go are the sweep's own. */
static int check_option(const struct sweep_runs *runs, const struct coordinate *options, const char *word,
			struct hd_diag *diag)
{
	static const char *const plain[] = {"--verify", "--functional", "--profile", "--ideal", "--dump-state"};
	static const char *const valued[] = {"--sample",       "--sampling",	"--max-cycles", "--watchdog",
					     "--corun-cycles", "--corun-apart", "--check",	"--out-of-bounds"};
	const char *names[sizeof plain / sizeof *plain + sizeof valued / sizeof *valued];
	unsigned count = 0;
	size_t length = strcspn(word, "=");
	for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
		names[count++] = plain[i];
	for (size_t i = 0; i < sizeof valued / sizeof *valued; i++)
		names[count++] = valued[i];
	for (unsigned i = 0; i < count; i++)
		if (strlen(names[i]) == length && !strncmp(names[i], word, length) &&
		    (word[length] == '=') == (i >= sizeof plain / sizeof *plain))
			return 0;
	char *near = hd_nearest_names(word, names, count);
	hd_error(diag, plan_loc(runs->plan, options->line),
		 "options: unknown option '%s'; known: --verify, --functional, --profile, --ideal, --dump-state, "
		 "--sample=N, "
		 "--sampling=PERCENT, --max-cycles=N, --watchdog=N, --corun-cycles=N, --corun-apart=N, --check=KINDS, "
		 "--out-of-bounds=KIND%s%s%s",
		 word, *near ? "; did you mean " : "", near, *near ? "?" : "");
	free(near);
	return -1;
}

static int check_options(struct sweep_runs *runs, const struct coordinate *options, struct hd_diag *diag)
{
	int status = 0;
	char *copy = hd_arena_strdup(&runs->arena, options->value), *rest = NULL;
	for (char *word = strtok_r(copy, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		status |= check_option(runs, options, word, diag);
	return status;
}

static int check_names(struct sweep_runs *runs, const struct sweep_run *run, struct hd_diag *diag)
{
	const struct coordinate *policy = find(run, "policy"), *options = find(run, "options");
	struct placed placed = {diag, plan_loc(runs->plan, policy->line)};
	struct hd_diag with_place = {.emit = emit_placed, .context = &placed};
	int status = 0;
	if (!passed_before(runs, hd_arena_printf(&runs->arena, "policy %s", policy->value)))
		status = best_check(policy->value, &with_place);
	if (options && !passed_before(runs, hd_arena_printf(&runs->arena, "options %s", options->value)))
		status |= check_options(runs, options, diag);
	return status;
}

/* ------------------------------------------------------------ the effective configuration */

static void print_config(const struct hd_config *config, struct hd_strbuf *text)
{
#define HD_CONFIG_INT(key, value, min, max, unit, help) \
	hd_strbuf_printf(text, #key "=%llu\n", (unsigned long long)config->key);
#define HD_CONFIG_REAL(key, value, min, max, unit, help) hd_strbuf_printf(text, #key "=%.17g\n", config->key);
#define HD_CONFIG_ENUM(key, value, names, help) \
	hd_strbuf_printf(text, #key "=%llu\n", (unsigned long long)config->key);
#include "heddle/config.def"
#undef HD_CONFIG_INT
#undef HD_CONFIG_REAL
#undef HD_CONFIG_ENUM
	for (uint32_t i = 0; i < config->policy_key_count; i++)
		hd_strbuf_printf(text, "%s.%s=%.17g\n", config->policy_keys[i].policy, config->policy_keys[i].key,
				 config->policy_keys[i].value);
}

/* 1/share of the GPU, rounded up: SMs, L2 slices, DRAM channels, and static power with them. */
static int add_share(const struct sweep_runs *runs, const struct coordinate *share, const struct hd_config *config,
		     struct hd_strbuf *set, struct hd_diag *diag)
{
	char *end;
	double part = strtod(share->value, &end);
	if (end == share->value || *end || !(part >= 1 && part <= 1e6))
		return hd_error(diag, plan_loc(runs->plan, share->line),
				"share: expected a number of at least 1, not '%s'", share->value);
	hd_strbuf_printf(set, "sm_count=%.0f;l2_slices=%.0f;dram_channels=%.0f;constant_watts=%.17g",
			 ceil((double)config->sm_count / part), ceil((double)config->l2_slices / part),
			 ceil((double)config->dram_channels / part), config->constant_watts / part);
	return 0;
}

static int apply(struct hd_config *config, const char *assignments, struct hd_arena *arena, struct hd_diag *diag)
{
	char *rest = hd_arena_strdup(arena, assignments);
	int status = 0;
	for (char *item; !status && (item = strsep(&rest, ";"));)
		status = *item ? hd_config_set(config, item, diag) : 0;
	return status;
}

/* All of it: assignments in *set, the configuration in *config. */
static int effective(struct sweep_runs *runs, const struct sweep_run *run, struct hd_config *config,
		     struct hd_strbuf *set, struct hd_diag *diag)
{
	const struct coordinate *gpu = find(run, "gpu"), *share = find(run, "share");
	struct placed placed = {diag, plan_loc(runs->plan, gpu->line)};
	struct hd_diag with_place = {.emit = emit_placed, .context = &placed};
	struct hd_diag silent = hd_diag_silent();
	bool told = passed_before(runs, hd_arena_printf(&runs->arena, "gpu %s", gpu->value));
	if (hd_config_load(config, gpu->value, told ? &silent : &with_place))
		return -1;
	if (share && *share->value && add_share(runs, share, config, set, diag))
		return -1;
	if (apply(config, hd_strbuf_text(set), &runs->arena, &with_place))
		return -1;
	for (uint32_t i = 0; i < run->count; i++) {
		const struct coordinate *c = &run->coordinates[i];
		if (!plan_is_configuration(c->name))
			continue;
		const char *item = hd_arena_printf(&runs->arena, "%s=%s", c->name, c->value);
		placed.loc.line = c->line;
		if (hd_config_set(config, item, &with_place))
			return -1;
		hd_strbuf_printf(set, "%s%s", set->len ? ";" : "", item);
		placed.loc.line = gpu->line;
	}
	return hd_config_check(config, &with_place);
}

static void digest(const struct hd_config *config, char text[HD_SHA256_TEXT])
{
	struct hd_strbuf all = {0};
	struct hd_sha256 hash;
	print_config(config, &all);
	hd_sha256_init(&hash);
	hd_sha256_add(&hash, all.data, all.len);
	hd_sha256_finish(&hash, text);
	hd_strbuf_release(&all);
}

/* What decides the configuration, as a text: the same for the same one. In the arena. */
static const char *wish_of(struct sweep_runs *runs, const struct sweep_run *run)
{
	struct hd_strbuf wish = {0};
	hd_strbuf_printf(&wish, "%s;%s", run_value(run, "gpu"), run_value(run, "share"));
	for (uint32_t i = 0; i < run->count; i++)
		if (plan_is_configuration(run->coordinates[i].name))
			hd_strbuf_printf(&wish, ";%s=%s", run->coordinates[i].name, run->coordinates[i].value);
	const char *text = hd_arena_strdup(&runs->arena, hd_strbuf_text(&wish));
	hd_strbuf_release(&wish);
	return text;
}

int runs_configure(struct sweep_runs *runs, struct sweep_run *run, struct hd_diag *diag)
{
	if (check_names(runs, run, diag))
		return -1;
	const char *wish = wish_of(runs, run);
	uint64_t hash = hd_hash_text(HD_HASH_TEXT, wish);
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, &runs->config_set, hash, !strcmp(runs->configs.data[slot->id].wish, wish));
	if (!hd_hash_found(slot)) {
		struct hd_config config;
		struct hd_strbuf set = {0};
		struct sweep_config one = {.wish = wish, .gpu = run_value(run, "gpu")};
		one.good = !effective(runs, run, &config, &set, diag);
		if (one.good)
			digest(&config, one.digest);
		one.set = hd_arena_strdup(&runs->arena, hd_strbuf_text(&set));
		hd_strbuf_release(&set);
		hd_hash_set_put(&runs->config_set, slot, hash, runs->configs.len);
		hd_vec_push(&runs->configs, one);
	}
	run->config = slot->id;
	return runs->configs.data[slot->id].good ? 0 : -1;
}
