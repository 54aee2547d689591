/*
 * The simulator behind handles and texts (heddle/session.h). It checks what callers in C are trusted with, because a
 * wrong number from another language must be an error and not a crash: modules by number, parameters by their size,
 * the order of calls. Cost: that of the simulator, and a copy of each text.
 */
#include "heddle/session.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/policy.h"
#include "heddle/sim.h"
#include "lib/locale_c.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "runtime/sim/report.h"
#include "runtime/sim/sim_private.h"
#include "runtime/watch/timeline.h"

enum option {
#define HD_SESSION_OPTION(name, kind, help) OPTION_##name,
#include "heddle/session.def"
#undef HD_SESSION_OPTION
	OPTION_COUNT
};

enum kind { KIND_text, KIND_flag, KIND_number };

static const char *const option_names[] = {
#define HD_SESSION_OPTION(name, kind, help) #name,
#include "heddle/session.def"
#undef HD_SESSION_OPTION
};

static const enum kind option_kinds[] = {
#define HD_SESSION_OPTION(name, kind, help) KIND_##kind,
#include "heddle/session.def"
#undef HD_SESSION_OPTION
};

struct module {
	struct hd_module *module;
	struct hd_arena arena;
	struct hd_object object;
	char *metadata; /* as JSON, once it was asked for */
};

struct hd_session {
	struct hd_arena arena;
	struct hd_sim *sim; /* NULL before the start */
	struct hd_config config;
	const char *options[OPTION_COUNT]; /* NULL: not given */
	HD_VEC(const char *) sets;
	HD_VEC(struct module *) modules;
	HD_VEC(uint64_t) released; /* while grids were submitted that may use them */
	struct hd_diag diag;
	struct hd_strbuf error, messages;
	char *told;    /* the messages that were handed out */
	FILE *printer; /* of kernels, into `printed` */
	char *printed, *printed_before;
	size_t printed_size;
	char *launch, *statistics;
	bool checked, interrupted, ended;
};

/* ------------------------------------------------------------ messages */

static void take_message(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	struct hd_session *session = context;
	/* A note after an error belongs to it. */
	struct hd_strbuf *text = severity == HD_ERROR || session->error.len ? &session->error : &session->messages;
	if (text->len)
		hd_strbuf_append(text, "\n");
	if (loc.file) {
		hd_loc_append(text, loc);
		hd_strbuf_append(text, ": ");
	}
	if (severity != HD_ERROR)
		hd_strbuf_append(text, severity == HD_NOTE ? "note: " : "warning: ");
	hd_strbuf_append(text, message);
}

static void forget_errors(struct hd_session *session)
{
	hd_strbuf_release(&session->error);
}

/* A call of the simulator failed: its own words, if nothing was reported. */
static int failed(struct hd_session *session, int status)
{
	if (status && !session->error.len)
		hd_error(&session->diag, HD_NOWHERE, "%s", hd_sim_error_text(session->sim));
	return status;
}

/* Findings of `check` are reported as errors, and the call succeeds. */
static void keep_findings(struct hd_session *session)
{
	if (session->error.len && session->messages.len)
		hd_strbuf_append(&session->messages, "\n");
	hd_strbuf_append(&session->messages, hd_strbuf_text(&session->error));
	forget_errors(session);
}

static int not_started(struct hd_session *session)
{
	forget_errors(session);
	return session->sim ? 0 : hd_error(&session->diag, HD_NOWHERE, "the session was not started");
}

const char *hd_session_error(const struct hd_session *session)
{
	return hd_strbuf_text(&session->error);
}

const char *hd_session_messages(struct hd_session *session)
{
	free(session->told);
	session->told = hd_strbuf_detach(&session->messages);
	return session->told;
}

const char *hd_session_output(struct hd_session *session, size_t *size)
{
	*size = 0;
	if (!session->printer)
		return "";
	fclose(session->printer);
	free(session->printed_before);
	session->printed_before = session->printed;
	*size = session->printed_size;
	session->printer = open_memstream(&session->printed, &session->printed_size);
	if (session->sim)
		session->sim->gpu.options.output = session->printer;
	return session->printed_before;
}

/* ------------------------------------------------------------ names */

uint32_t hd_session_version(void)
{
	return HD_SESSION_VERSION;
}

char *hd_session_names(const char *what)
{
	struct hd_strbuf text = {0};
	if (!strcmp(what, "gpus")) {
		char **names = hd_config_gpus(NULL);
		for (uint32_t i = 0; names[i]; i++) {
			hd_strbuf_printf(&text, "%s\n", names[i]);
			free(names[i]);
		}
		free(names);
	} else if (!strcmp(what, "policies")) {
		for (const struct hd_policy *policy = hd_policies; policy->name; policy++)
			hd_strbuf_printf(&text, "%s\n", policy->name);
	} else if (!strcmp(what, "options")) {
		for (uint32_t i = 0; i < OPTION_COUNT; i++)
			hd_strbuf_printf(&text, "%s\n", option_names[i]);
	} else {
		return NULL;
	}
	return hd_strbuf_detach(&text);
}

void hd_session_free_text(char *text)
{
	free(text);
}

/* ------------------------------------------------------------ start and end */

struct hd_session *hd_session_new(void)
{
	struct hd_session *session = hd_xcalloc(1, sizeof *session);
	hd_arena_init(&session->arena);
	session->diag = (struct hd_diag){.emit = take_message, .context = session, .tool = "heddle"};
	session->printer = open_memstream(&session->printed, &session->printed_size);
	return session;
}

int hd_session_end(struct hd_session *session)
{
	HD_IN_C_LOCALE;
	forget_errors(session);
	if (session->sim)
		hd_timeline_end(&session->sim->gpu);
	session->ended = session->sim != NULL;
	return session->error.len ? -1 : 0;
}

void hd_session_free(struct hd_session *session)
{
	HD_IN_C_LOCALE;
	if (!session)
		return;
	hd_sim_free(session->sim);
	for (uint32_t i = 0; i < session->modules.len; i++) {
		hd_arena_release(&session->modules.data[i]->arena);
		free(session->modules.data[i]->metadata);
		free(session->modules.data[i]);
	}
	hd_vec_release(&session->modules);
	hd_vec_release(&session->sets);
	hd_vec_release(&session->released);
	hd_strbuf_release(&session->error);
	hd_strbuf_release(&session->messages);
	if (session->printer)
		fclose(session->printer);
	free(session->printed);
	free(session->printed_before);
	free(session->told);
	free(session->launch);
	free(session->statistics);
	hd_arena_release(&session->arena);
	free(session);
}

static bool is_number(const char *text)
{
	char *end;
	errno = 0;
	(void)strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

int hd_session_option(struct hd_session *session, const char *name, const char *value)
{
	enum option option = 0;
	forget_errors(session);
	if (session->sim)
		return hd_error(&session->diag, HD_NOWHERE, "%s: the session has started", name);
	while (option < OPTION_COUNT && strcmp(option_names[option], name))
		option++;
	if (option == OPTION_COUNT)
		return hd_unknown_name(&session->diag, "unknown option", name, option_names, OPTION_COUNT);
	if (option_kinds[option] == KIND_flag && strcmp(value, "yes") && strcmp(value, "no"))
		return hd_error(&session->diag, HD_NOWHERE, "%s: expected yes or no, not '%s'", name, value);
	if (option_kinds[option] == KIND_number && !is_number(value))
		return hd_error(&session->diag, HD_NOWHERE, "%s: expected a number, not '%s'", name, value);
	session->options[option] = hd_arena_strdup(&session->arena, value);
	if (option == OPTION_set)
		hd_vec_push(&session->sets, session->options[option]);
	return 0;
}

static bool flag(const struct hd_session *session, enum option option)
{
	return session->options[option] && !strcmp(session->options[option], "yes");
}

static uint64_t number(const struct hd_session *session, enum option option)
{
	return session->options[option] ? strtoull(session->options[option], NULL, 10) : 0;
}

static int configure(struct hd_session *session)
{
	const char *gpu = session->options[OPTION_gpu];
	if (hd_config_load(&session->config, gpu ? gpu : "v100", &session->diag))
		return -1;
	for (uint32_t i = 0; i < session->sets.len; i++)
		if (hd_config_set(&session->config, session->sets.data[i], &session->diag))
			return -1;
	return hd_config_check(&session->config, &session->diag);
}

/* Files that are written at the end: a run is not to be in vain. */
static int check_timeline(struct hd_session *session)
{
	const char *const *options = session->options;
	if (options[OPTION_timeline_only] && !options[OPTION_timeline] && !options[OPTION_kanata])
		return hd_error(&session->diag, HD_NOWHERE, "timeline_only needs timeline or kanata");
	if (options[OPTION_timeline_name] && !options[OPTION_timeline])
		return hd_error(&session->diag, HD_NOWHERE, "timeline_name needs timeline");
	static const enum option files[] = {OPTION_timeline, OPTION_kanata};
	for (uint32_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *path = options[files[i]];
		int error = path ? hd_output_check(path) : 0;
		if (error)
			return hd_error(&session->diag, HD_NOWHERE, "%s: cannot write %s: %s", option_names[files[i]],
					path, strerror(error));
	}
	return 0;
}

static int start(struct hd_session *session)
{
	const char *const *options = session->options;
	const char *outside = options[OPTION_out_of_bounds], *policy = options[OPTION_policy];
	struct hd_diag *diag = &session->diag;
	forget_errors(session);
	if (session->sim)
		return hd_error(diag, HD_NOWHERE, "the session has started");
	char *first = NULL;
	if (policy && hd_policy_rehearses(policy, &first)) {
		free(first);
		return hd_error(diag, HD_NOWHERE, "%s needs a run before the one that counts: use heddle run", policy);
	}
	if (configure(session) || check_timeline(session))
		return -1;
	struct hd_sim_options wanted = {
		.config = &session->config,
		.policy = policy ? policy : "baseline",
		.verify = flag(session, OPTION_verify),
		.functional = flag(session, OPTION_functional),
		.profile = flag(session, OPTION_profile),
		.blame = flag(session, OPTION_slots),
		.ideal = flag(session, OPTION_ideal),
		.max_cycles = number(session, OPTION_max_cycles),
		.watchdog = number(session, OPTION_watchdog),
		.sample = number(session, OPTION_sample),
		.heap_bytes = number(session, OPTION_heap_bytes),
		.corun_cycles = number(session, OPTION_corun_cycles),
		.timeline = options[OPTION_timeline],
		.kanata = options[OPTION_kanata],
		.timeline_name = options[OPTION_timeline_name],
		.timeline_only = options[OPTION_timeline_only],
		.output = session->printer,
		.threads = 1,
		.diag = diag,
	};
	if (options[OPTION_threads] && hd_sim_threads_parse(options[OPTION_threads], &wanted.threads, diag))
		return -1;
	if (hd_sim_sampling_parse(options[OPTION_sampling], &wanted.sampling, diag))
		return -1;
	if (options[OPTION_check] && hd_sim_check_parse(options[OPTION_check], &wanted.check, diag))
		return -1;
	if (outside && strcmp(outside, "error") && strcmp(outside, "warn"))
		return hd_error(diag, HD_NOWHERE, "out_of_bounds: expected error or warn, not '%s'", outside);
	wanted.warn_outside = outside && !strcmp(outside, "warn");
	if (wanted.functional && (wanted.blame || wanted.corun_cycles || wanted.timeline || wanted.kanata))
		return hd_error(
			diag, HD_NOWHERE,
			"functional has no timing: it cannot be combined with slots, corun_cycles, timeline and "
			"kanata");
	int status = hd_sim_new(&wanted, &session->sim);
	if (status && !session->error.len)
		hd_error(diag, HD_NOWHERE, "no GPU can be built from these options");
	return status;
}

int hd_session_start(struct hd_session *session)
{
	HD_IN_C_LOCALE;
	return start(session);
}

/* ------------------------------------------------------------ modules */

static struct module *find_module(struct hd_session *session, int module)
{
	if (not_started(session))
		return NULL;
	if (module >= 0 && (uint32_t)module < session->modules.len)
		return session->modules.data[module];
	hd_error(&session->diag, HD_NOWHERE, "there is no module %d", module);
	return NULL;
}

int hd_session_load(struct hd_session *session, const void *bytes, size_t size, const char *name)
{
	if (not_started(session))
		return -1;
	/* It moves code: what was submitted runs first. */
	int ran = hd_sim_working(session->sim) ? hd_session_wait(session) : 0;
	if (ran)
		return ran;
	struct module *module = hd_xcalloc(1, sizeof *module);
	hd_arena_init(&module->arena);
	name = hd_arena_strdup(&session->arena, name);
	int status = hd_object_open(bytes, size, name, &module->arena, &module->object, &session->diag);
	if (!status)
		status = hd_object_load_all_metadata(&module->object, &session->diag);
	if (!status)
		status = hd_sim_load(session->sim, bytes, size, name, &module->module);
	if (status) {
		hd_arena_release(&module->arena);
		free(module);
		return failed(session, status);
	}
	hd_vec_push(&session->modules, module);
	return (int)session->modules.len - 1;
}

const char *hd_session_metadata(struct hd_session *session, int number)
{
	struct module *module = find_module(session, number);
	if (module && !module->metadata)
		module->metadata = hd_metadata_to_json(&module->object.metadata);
	return module ? module->metadata : NULL;
}

int hd_session_symbol(struct hd_session *session, int number, const char *name, uint64_t *address, uint64_t *size)
{
	struct module *module = find_module(session, number);
	if (!module)
		return -1;
	int status = hd_sim_symbol(module->module, name, address, size);
	if (status && !session->error.len)
		hd_error(&session->diag, HD_NOWHERE, "no device variable '%s'", name);
	return status;
}

/* ------------------------------------------------------------ memory */

static int no_memory(struct hd_session *session, int status, const char *what, uint64_t address, uint64_t bytes)
{
	if (status && !session->error.len)
		hd_error(&session->diag, HD_NOWHERE, "%s: %llu bytes at 0x%llx are not inside one allocation", what,
			 (unsigned long long)bytes, (unsigned long long)address);
	return status;
}

int hd_session_malloc(struct hd_session *session, uint64_t bytes, uint64_t *address)
{
	if (not_started(session))
		return -1;
	int status = hd_sim_malloc(session->sim, bytes, address);
	if (status && !session->error.len)
		hd_error(&session->diag, HD_NOWHERE, "no device memory for %llu bytes; %llu are free",
			 (unsigned long long)bytes, (unsigned long long)hd_sim_free_bytes(session->sim));
	return status;
}

static int not_allocated(struct hd_session *session, uint64_t address)
{
	return hd_error(&session->diag, HD_NOWHERE, "no allocation begins at 0x%llx", (unsigned long long)address);
}

/* Grids that were submitted may use it: as cudaFree() waits for them, it goes after them. */
static int release_later(struct hd_session *session, uint64_t address)
{
	uint64_t low, high;
	if (!hd_sim_allocation(session->sim, address, &low, &high) || low != address)
		return not_allocated(session, address);
	for (uint32_t i = 0; i < session->released.len; i++)
		if (session->released.data[i] == address)
			return not_allocated(session, address);
	hd_vec_push(&session->released, address);
	return 0;
}

/* All grids have ended. An address that cannot be released is an error. */
static int release_now(struct hd_session *session)
{
	int status = 0;
	for (uint32_t i = 0; i < session->released.len; i++)
		if (hd_sim_free_memory(session->sim, session->released.data[i]))
			status = not_allocated(session, session->released.data[i]);
	session->released.len = 0;
	return status;
}

int hd_session_release(struct hd_session *session, uint64_t address)
{
	if (not_started(session))
		return -1;
	if (hd_sim_working(session->sim))
		return release_later(session, address);
	return hd_sim_free_memory(session->sim, address) ? not_allocated(session, address) : 0;
}

int hd_session_write(struct hd_session *session, uint64_t address, const void *from, uint64_t bytes)
{
	if (not_started(session))
		return -1;
	return no_memory(session, hd_sim_write(session->sim, address, from, bytes), "write", address, bytes);
}

int hd_session_read(struct hd_session *session, uint64_t address, void *to, uint64_t bytes)
{
	if (not_started(session))
		return -1;
	return no_memory(session, hd_sim_read(session->sim, address, to, bytes), "read", address, bytes);
}

int hd_session_set(struct hd_session *session, uint64_t address, uint8_t value, uint64_t bytes)
{
	if (not_started(session))
		return -1;
	return no_memory(session, hd_sim_set(session->sim, address, value, bytes), "set", address, bytes);
}

/* ------------------------------------------------------------ launches */

static void unknown_kernel(struct hd_session *session, const struct module *module, const char *kernel)
{
	const struct hd_metadata *metadata = &module->object.metadata;
	const char **names = hd_xcalloc(metadata->function_count + 1, sizeof *names);
	uint32_t count = 0;
	for (uint32_t i = 0; i < metadata->function_count; i++)
		if (metadata->functions[i].kernel)
			names[count++] = hd_meta_shown_name(&metadata->functions[i]);
	hd_unknown_name(&session->diag, "no kernel", kernel, names, count);
	free(names);
}

static const struct hd_meta_function *find_kernel(struct hd_session *session, const struct module *module,
						  const char *name)
{
	const struct hd_meta_function *function = hd_metadata_find(&module->object.metadata, name);
	if (function && function->kernel)
		return function;
	unknown_kernel(session, module, name);
	return NULL;
}

const char *hd_session_kernel(struct hd_session *session, int number, const char *name)
{
	const struct module *module = find_module(session, number);
	const struct hd_meta_function *function = module ? find_kernel(session, module, name) : NULL;
	return function ? function->name : NULL;
}

int hd_session_submit(struct hd_session *session, int number, const char *kernel, const uint32_t *grid,
		      const uint32_t *block, uint32_t shared, bool cooperative, uint64_t stream, int priority,
		      const void *params, uint32_t param_bytes)
{
	struct module *module = find_module(session, number);
	if (!module)
		return -1;
	const struct hd_meta_function *function = find_kernel(session, module, kernel);
	if (!function)
		return -1;
	if (session->interrupted) /* warps of the launch that ended stand where they stood */
		return hd_error(&session->diag, HD_NOWHERE,
				"a launch of this session was interrupted: use a new session");
	if (session->ended)
		return hd_error(&session->diag, HD_NOWHERE, "the session has ended");
	if (param_bytes != function->param_bytes)
		return hd_error(&session->diag, HD_NOWHERE, "%s has %u bytes of parameters, but %u are given",
				function->name, function->param_bytes, param_bytes);
	struct hd_launch launch = {
		.kernel = hd_sim_kernel(module->module, function->name),
		.dynamic_shared = shared,
		.cooperative = cooperative,
		.params = params,
		.param_bytes = param_bytes,
		.stream = stream,
		.priority = priority,
	};
	if (!launch.kernel)
		return hd_error(&session->diag, HD_NOWHERE, "%s has no code", function->name);
	memcpy(launch.grid, grid, sizeof launch.grid);
	memcpy(launch.block, block, sizeof launch.block);
	uint64_t ticket;
	return failed(session, hd_sim_submit(session->sim, &launch, &ticket));
}

int hd_session_wait(struct hd_session *session)
{
	HD_IN_C_LOCALE;
	if (not_started(session))
		return -1;
	int status = failed(session, hd_sim_wait_all(session->sim));
	session->interrupted = hd_sim_interrupted(session->sim) != 0;
	if (!status)
		keep_findings(session);
	int late = release_now(session);
	if (status || !session->interrupted)
		return status ? status : late;
	return hd_error(&session->diag, HD_NOWHERE, "interrupted");
}

void hd_session_interrupt(struct hd_session *session)
{
	hd_sim_interrupt(session->sim, SIGINT);
}

/* ------------------------------------------------------------ figures */

uint32_t hd_session_launches(const struct hd_session *session)
{
	return session->sim ? hd_sim_launch_count(session->sim) : 0;
}

const char *hd_session_launch(struct hd_session *session, uint32_t index)
{
	if (not_started(session))
		return NULL;
	if (index >= session->sim->launches.len) {
		hd_error(&session->diag, HD_NOWHERE, "there is no launch %u; %u have ended", index,
			 session->sim->launches.len);
		return NULL;
	}
	free(session->launch);
	session->launch = hd_report_launch_text(&session->sim->gpu, session->sim->launches.data[index]);
	return session->launch;
}

const char *hd_session_statistics(struct hd_session *session)
{
	HD_IN_C_LOCALE;
	if (not_started(session))
		return NULL;
	free(session->statistics);
	session->statistics = hd_sim_stats_json(session->sim);
	return session->statistics;
}

int hd_session_findings(struct hd_session *session)
{
	HD_IN_C_LOCALE;
	if (not_started(session))
		return -1;
	if (!session->checked)
		hd_sim_check_end(session->sim);
	session->checked = true;
	keep_findings(session);
	return (int)hd_sim_check_places(session->sim);
}
