/*
 * GPU configurations: the table of config.def, the .ini files of runtime/gpus and
 * key=value assignments. Reads files with inih; the only state is the caller's struct.
 */
#include "heddle/config.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <ini.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/arena.h"
#include "lib/bits.h"
#include "lib/ini.h"
#include "lib/path.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

enum kind { KIND_INT, KIND_REAL, KIND_ENUM };

struct key {
	const char *name;
	enum kind kind;
	size_t offset;
	double value, min, max;
	const char *names; /* KIND_ENUM: "a|b|c" */
};

static const struct key keys[] = {
#define HD_CONFIG_INT(key, value, min, max, unit, help) \
	{#key, KIND_INT, offsetof(struct hd_config, key), value, min, max, NULL},
#define HD_CONFIG_REAL(key, value, min, max, unit, help) \
	{#key, KIND_REAL, offsetof(struct hd_config, key), value, min, max, NULL},
#define HD_CONFIG_ENUM(key, value, names, help) \
	{#key, KIND_ENUM, offsetof(struct hd_config, key), value, 0, 0, names},
#include "heddle/config.def"
#undef HD_CONFIG_INT
#undef HD_CONFIG_REAL
#undef HD_CONFIG_ENUM
};
static const unsigned key_count = sizeof keys / sizeof *keys;

static void store(struct hd_config *config, const struct key *key, double value)
{
	char *field = (char *)config + key->offset;
	if (key->kind == KIND_REAL)
		*(double *)(void *)field = value;
	else
		*(uint64_t *)(void *)field = (uint64_t)value;
}

void hd_config_defaults(struct hd_config *config)
{
	memset(config, 0, sizeof *config);
	for (unsigned i = 0; i < key_count; i++)
		store(config, &keys[i], keys[i].value);
}

static const struct key *find_key(const char *name)
{
	for (unsigned i = 0; i < key_count; i++)
		if (!strcmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

static int unknown_key(const char *name, struct hd_loc loc, struct hd_diag *diag)
{
	const char *names[sizeof keys / sizeof *keys];
	for (unsigned i = 0; i < key_count; i++)
		names[i] = keys[i].name;
	char *near = hd_nearest_names(name, names, key_count);
	hd_error(diag, loc, "unknown configuration key '%s'%s%s%s", name, *near ? "; did you mean " : "", near,
		 *near ? "?" : "");
	free(near);
	return -1;
}

/* The position of `value` in "a|b|c", or -1. */
static int enum_index(const char *names, const char *value)
{
	size_t length = strlen(value);
	for (int index = 0;; index++) {
		size_t name = strcspn(names, "|");
		if (name == length && !strncmp(names, value, length))
			return index;
		if (!names[name])
			return -1;
		names += name + 1;
	}
}

/* "policy.key": whether the policy has it is seen when it is chosen. */
static int assign_policy_key(struct hd_config *config, const char *name, const char *text, struct hd_loc loc,
			     struct hd_diag *diag)
{
	struct hd_policy_key key = {.value = 0};
	int length = (int)strcspn(name, ".");
	char *end;
	key.value = strtod(text, &end);
	if (end == text || *end || !(key.value >= -1e9 && key.value <= 1e9))
		return hd_error(diag, loc, "%s needs a number, not '%s'", name, text);
	if (!length || !name[length + 1] || length >= (int)sizeof key.policy ||
	    strlen(name + length + 1) >= sizeof key.key)
		return hd_error(diag, loc, "unknown configuration key '%s'", name);
	snprintf(key.policy, sizeof key.policy, "%.*s", length, name);
	snprintf(key.key, sizeof key.key, "%s", name + length + 1);
	uint32_t at = 0;
	while (at < config->policy_key_count &&
	       (strcmp(config->policy_keys[at].policy, key.policy) || strcmp(config->policy_keys[at].key, key.key)))
		at++;
	if (at == HD_POLICY_KEYS)
		return hd_error(diag, loc, "%s: more than %d policy keys", name, HD_POLICY_KEYS);
	config->policy_keys[at] = key;
	config->policy_key_count += at == config->policy_key_count;
	return 0;
}

static int assign(struct hd_config *config, const char *name, const char *text, struct hd_loc loc, struct hd_diag *diag)
{
	const struct key *key = find_key(name);
	if (!key && strchr(name, '.'))
		return assign_policy_key(config, name, text, loc, diag);
	if (!key)
		return unknown_key(name, loc, diag);
	if (key->kind == KIND_ENUM) {
		int index = enum_index(key->names, text);
		if (index < 0)
			return hd_error(diag, loc, "%s: expected one of %s, not '%s'", name, key->names, text);
		store(config, key, index);
		return 0;
	}
	char *end;
	errno = 0;
	double value = strtod(text, &end);
	if (end == text || *end || errno)
		return hd_error(diag, loc, "%s needs a number, not '%s'", name, text);
	if (!(value >= key->min && value <= key->max))
		return hd_error(diag, loc, "%s: expected %.15g to %.15g, not %s", name, key->min, key->max, text);
	if (key->kind == KIND_INT && value != (double)(uint64_t)value)
		return hd_error(diag, loc, "%s needs a whole number, not '%s'", name, text);
	store(config, key, value);
	return 0;
}

int hd_config_set(struct hd_config *config, const char *assignment, struct hd_diag *diag)
{
	const char *equals = strchr(assignment, '=');
	if (!equals)
		return hd_error(diag, HD_NOWHERE, "'%s': expected KEY=VALUE", assignment);
	char *name = hd_xstrdup(assignment);
	name[equals - assignment] = '\0';
	int status = assign(config, name, equals + 1, HD_NOWHERE, diag);
	free(name);
	return status;
}

/* ------------------------------------------------------------------ files */

struct ini_context {
	struct hd_ini lines;
	struct hd_config *config;
	const char *variant;	   /* that is asked for; NULL: none */
	bool found;		   /* it is there */
	struct hd_strbuf variants; /* all that are */
	struct hd_config other;	   /* takes the keys of those that are not asked for */
};

#define VARIANT "variant "

/* Which configuration the keys of a section go to. */
static struct hd_config *target_of(struct ini_context *ini, const char *section)
{
	size_t length = strlen(VARIANT);
	if (strncmp(section, VARIANT, length))
		return ini->config;
	const char *name = section + length, *known = ini->variants.data ? ini->variants.data : "";
	const char *last = strrchr(known, ' ');
	if (strcmp(last ? last + 1 : known, name))
		hd_strbuf_printf(&ini->variants, "%s%s", *known ? ", " : "", name);
	if (!ini->variant || strcmp(ini->variant, name))
		return &ini->other;
	ini->found = true;
	return ini->config;
}

static char *next_line(char *to, int room, void *context)
{
	struct ini_context *ini = context;
	return hd_ini_line(&ini->lines, to, room);
}

/* Reports the first assignment that fails. */
static int on_key(void *context, const char *section, const char *name, const char *value)
{
	struct ini_context *ini = context;
	struct hd_config *config = target_of(ini, section);
	char of_policy[128];
	if (ini->lines.wrong)
		return 1;
	if (!strcmp(name, "product")) {
		snprintf(config->product, sizeof config->product, "%s", value);
		return 1;
	}
	if (!strncmp(section, "policy ", 7)) { /* others only group the keys for readers */
		snprintf(of_policy, sizeof of_policy, "%s.%s", section + 7, name);
		name = of_policy;
	}
	ini->lines.wrong = assign(config, name, value, ini->lines.loc, ini->lines.diag) != 0;
	return 1;
}

static int unknown_variant(const struct ini_context *ini, const char *path, struct hd_diag *diag)
{
	struct hd_loc loc = {path, 0, 0};
	if (!ini->variants.data)
		return hd_error(diag, loc, "unknown variant '%s': this GPU has no variants", ini->variant);
	return hd_error(diag, loc, "unknown variant '%s'; known: %s", ini->variant, ini->variants.data);
}

static int parse_file(struct hd_config *config, const char *path, const char *variant, struct hd_diag *diag)
{
	uint8_t *text;
	size_t size;
	if (hd_read_file(path, &text, &size, diag))
		return -1;
	struct ini_context context = {.lines = hd_ini_of(path, (const char *)text, size, diag),
				      .config = config,
				      .variant = variant,
				      .other = *config};
	int line = ini_parse_stream(next_line, &context, on_key, &context), status = context.lines.wrong ? -1 : 0;
	if (line > 0)
		status = hd_error(diag, (struct hd_loc){path, (uint32_t)line, 0}, "expected 'key = value'");
	else if (line < 0)
		status = hd_error(diag, (struct hd_loc){path, 0, 0}, "%s", strerror(ENOMEM));
	else if (!status && variant && !context.found)
		status = unknown_variant(&context, path, diag);
	hd_strbuf_release(&context.variants);
	free(text);
	return status;
}

static char *printf_path(const char *directory, const char *name)
{
	struct hd_strbuf path = {0};
	hd_strbuf_printf(&path, "%s/%s", directory, name);
	return path.data;
}

/*
 * Programs lie in PREFIX/bin and libraries in PREFIX/lib, data in PREFIX/share/heddle. The code that asks may be in
 * either, so the place of this function's own image decides.
 */
char *hd_data_dir(void)
{
	const char *chosen = secure_getenv("HEDDLE_DATA");
	if (chosen && *chosen)
		return hd_xstrdup(chosen);
	Dl_info info;
	char *image = NULL;
	union {
		char *(*function)(void);
		void *address;
	} self = {hd_data_dir};
	if (dladdr(self.address, &info) && info.dli_fname && strchr(info.dli_fname, '/'))
		image = hd_path_real(info.dli_fname);
	if (!image)
		image = hd_path_real("/proc/self/exe");
	if (!image)
		return hd_xstrdup("share/heddle");
	for (int up = 0; up < 2; up++) {
		char *slash = strrchr(image, '/');
		if (slash)
			*slash = '\0';
	}
	char *path = printf_path(image, "share/heddle");
	free(image);
	return path;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **hd_config_gpus(struct hd_diag *diag)
{
	HD_VEC(char *) names = {0};
	char *data = hd_data_dir();
	char *directory = printf_path(data, "gpus");
	DIR *dir = opendir(directory);
	bool unread = !dir && diag;
	if (unread)
		hd_error(diag, HD_NOWHERE, "cannot read the folder of GPUs, %s: %s", directory, strerror(errno));
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		size_t length = strlen(entry->d_name);
		if (length > 4 && !strcmp(entry->d_name + length - 4, ".ini")) {
			char *name = hd_xstrdup(entry->d_name);
			name[length - 4] = '\0';
			hd_vec_push(&names, name);
		}
	}
	if (dir)
		closedir(dir);
	free(directory);
	free(data);
	if (unread)
		return NULL;
	if (names.len)
		qsort(names.data, names.len, sizeof *names.data, by_name);
	hd_vec_push(&names, NULL);
	return names.data;
}

static int unknown_gpu(const char *gpu, struct hd_diag *diag)
{
	char **names = hd_config_gpus(NULL);
	unsigned count = 0;
	while (names[count])
		count++;
	char *near = hd_nearest_names(gpu, (const char *const *)names, count);
	struct hd_strbuf all = {0};
	for (unsigned i = 0; i < count; i++)
		hd_strbuf_printf(&all, "%s%s", i ? ", " : "", names[i]);
	if (*near)
		hd_error(diag, HD_NOWHERE, "unknown GPU '%s'; did you mean %s?", gpu, near);
	else
		hd_error(diag, HD_NOWHERE, "unknown GPU '%s'; known: %s", gpu, all.data ? all.data : "none");
	hd_strbuf_release(&all);
	free(near);
	for (unsigned i = 0; i < count; i++)
		free(names[i]);
	free(names);
	return -1;
}

/* The .ini of a GPU name or of a path; NULL when there is none. */
static char *find_ini(const char *gpu)
{
	size_t length = strlen(gpu);
	if (length > 4 && !strcmp(gpu + length - 4, ".ini"))
		return hd_xstrdup(gpu);
	if (strchr(gpu, '/'))
		return NULL;
	char *data = hd_data_dir();
	struct hd_strbuf path = {0};
	hd_strbuf_printf(&path, "%s/gpus/%s.ini", data, gpu);
	free(data);
	if (access(path.data, R_OK)) {
		hd_strbuf_release(&path);
		return NULL;
	}
	return path.data;
}

static int load_variant(struct hd_config *config, const char *gpu, const char *variant, struct hd_diag *diag)
{
	char *path = find_ini(gpu);
	if (!path)
		return unknown_gpu(gpu, diag);
	hd_config_defaults(config);
	const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	snprintf(config->name, sizeof config->name, "%.*s%s%s", (int)(strlen(base) - 4), base, variant ? ":" : "",
		 variant ? variant : "");
	snprintf(config->product, sizeof config->product, "Heddle %s", config->name);
	int status = parse_file(config, path, variant, diag);
	if (!status)
		status = hd_config_check(config, diag);
	free(path);
	return status;
}

int hd_config_load(struct hd_config *config, const char *gpu, struct hd_diag *diag)
{
	char *name = hd_xstrdup(gpu), *colon = strrchr(name, ':');
	if (colon)
		*colon = '\0';
	int status = load_variant(config, name, colon ? colon + 1 : NULL, diag);
	free(name);
	return status;
}

/* ----------------------------------------------------------------- checks */

/* Between two refreshes a row can be opened, read or written, and closed. */
static bool refreshes_leave_time(const struct hd_config *c)
{
	uint64_t row = c->t_ras + c->t_rp + c->t_rc + c->t_rcd + c->t_faw + c->t_rrd + c->t_wr + c->t_rtpl;
	uint64_t column = c->t_cl + c->t_wl + c->t_cdlr + c->t_ccd + c->t_ccdl + c->dram_burst;
	return !c->t_refi || c->t_refi >= c->t_rfc + 2 * (row + column);
}

int hd_config_check(const struct hd_config *config, struct hd_diag *diag)
{
	const struct {
		bool holds;
		const char *text;
	} rules[] = {
		{config->l2_slices % config->dram_channels == 0, "l2_slices is not a multiple of dram_channels"},
		{config->dram_banks % config->dram_groups == 0, "dram_banks is not a multiple of dram_groups"},
		{!config->subcores || config->register_banks % config->schedulers == 0,
		 "register_banks is not a multiple of schedulers"},
		{config->subcores || config->operands != HD_OPERANDS_MODERN, "operands = modern needs subcores = yes"},
		{config->core == HD_CORE_SCOREBOARD || 10 * config->compute_major + config->compute_minor >= 75,
		 "core = modern is for compute capability 7.5 and later"},
		{config->core == HD_CORE_SCOREBOARD || config->operands == HD_OPERANDS_MODERN,
		 "core = modern needs operands = modern"},
		{config->operands != HD_OPERANDS_ACCELSIM || !config->memory_queue,
		 "operands = accelsim needs memory_queue = 0"},
		{config->core == HD_CORE_SCOREBOARD || !config->dual_issue,
		 "core = modern issues one instruction a cycle, "
		 "without dual_issue"},
		{!config->subcores || config->collectors >= config->schedulers,
		 "collectors is less than one a scheduler"},
		{config->max_warps % config->schedulers == 0, "max_warps is not a multiple of schedulers"},
		{config->max_warps * 32 >= config->max_threads_per_cta,
		 "max_warps is too small for max_threads_per_cta"},
		{config->max_threads >= config->max_threads_per_cta, "max_threads is less than max_threads_per_cta"},
		{config->shared_bytes >= config->shared_per_cta + config->shared_reserved,
		 "shared_bytes is less than shared_per_cta and shared_reserved"},
		{hd_is_power_of_two(config->l1_line) && hd_is_power_of_two(config->l2_line),
		 "cache lines are powers of two"},
		{hd_is_power_of_two(config->l1i_line), "l1i_line is a power of two"},
		{hd_is_power_of_two(config->constant_line), "constant_line is a power of two"},
		{config->constant_bytes % (config->constant_line * config->constant_ways) == 0,
		 "constant_bytes is not a multiple of constant_line * constant_ways"},
		{hd_is_power_of_two(config->inst_bytes), "inst_bytes is a power of two"},
		{config->l0i_bytes % (config->l1i_line * config->l0i_ways) == 0,
		 "l0i_bytes is not a multiple of l1i_line * l0i_ways"},
		{config->l0i_bytes || !config->fetch_ahead,
		 "fetch_ahead needs an instruction cache of each scheduler, l0i_bytes"},
		{hd_is_power_of_two(config->sector) && config->l1_line % config->sector == 0 &&
			 config->l2_line % config->sector == 0,
		 "sector is a power of two that divides both cache lines"},
		{hd_is_power_of_two(config->dram_row), "dram_row is a power of two"},
		{hd_is_power_of_two(config->tlb_page) && hd_is_power_of_two(config->tlb2_page),
		 "tlb_page and tlb2_page are powers of two"},
		{refreshes_leave_time(config), "t_refi is shorter than t_rfc and twice the other times of a row: "
					       "nothing would get between refreshes"},
		{config->icnt_mhz <= 16 * config->core_mhz,
		 "icnt_mhz is more than 16 times core_mhz"}, /* crossbar.c's wheel */
		{config->l1_line == config->l2_line, "l1_line and l2_line differ"},
		{config->l1_miss_queue != 1, "l1_miss_queue has no place for a victim beside a miss"},
		{config->l1_line / config->sector <= 8, "a cache line has more than 8 sectors"},
		{config->l1_bytes % (config->l1_line * config->l1_ways) == 0,
		 "l1_bytes is not a multiple of l1_line * l1_ways"},
		{config->l2_slice_bytes % (config->l2_line * config->l2_ways) == 0,
		 "l2_slice_bytes is not a multiple of l2_line * l2_ways"},
		{!config->l2_fetch || (hd_is_power_of_two(config->l2_fetch) && config->l2_fetch <= config->l2_line &&
				       config->l2_fetch % config->sector == 0),
		 "l2_fetch is not 0 or a power of two that fits a line and has whole sectors"},
		{config->l1i_bytes % (config->l1i_line * config->l1i_ways) == 0,
		 "l1i_bytes is not a multiple of l1i_line * l1i_ways"},
	};
	int status = 0;
	for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
		if (!rules[i].holds)
			status = hd_error(diag, HD_NOWHERE, "GPU %s: %s", config->name, rules[i].text);
	return status;
}
