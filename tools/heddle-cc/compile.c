/*
 * One source to an object: see compile.h. Beside each other the two halves need the time of the longer one: the host
 * half parses while libclang reads the launches and the device half is compiled, and waits, at a named pipe, for the
 * kernel object that it embeds. Their messages are kept and shown in the order of a compilation one after the other.
 */
#include "tools/heddle-cc/compile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "heddle/object.h"
#include "tools/heddle-cc/prelude.h"
#include "tools/heddle-cc/relocatable.h"

/* ------------------------------------------------------------ a half */

/* A run of clang on one half. */
struct half {
	struct hd_job *job;
	hd_arguments arguments;	 /* without a precompiled header */
	const char *environment; /* one NAME=VALUE or NULL */
	const char *header;	 /* the precompiled one; NULL: none */
	const char *messages;	 /* the file of its messages; NULL: they go where ours go */
	const char *refused;	 /* the file that the plugin leaves when it refuses the module; NULL: none */
	pid_t child;		 /* 0: it does not run */
};

/* What clang finds out about its terminal, for messages that reach it later. */
static void add_terminal(struct hd_cc *cc, hd_arguments *arguments)
{
	const char *columns = getenv("COLUMNS"), *terminal = getenv("TERM");
	if (!isatty(STDERR_FILENO))
		return;
	if (terminal && strcmp(terminal, "dumb") != 0)
		hd_vec_push(arguments, "-fcolor-diagnostics");
	if (columns && atoi(columns) > 0)
		hd_vec_push(arguments, hd_arena_printf(&cc->arena, "-fmessage-length=%d", atoi(columns)));
}

/* 0 or -1. */
static int start(struct half *half)
{
	struct hd_cc *cc = half->job->cc;
	hd_arguments words = {0};
	int messages = open(half->messages, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (messages < 0)
		return hd_error(&cc->diag, HD_NOWHERE, "cannot write %s: %s", half->messages, strerror(errno));
	for (uint32_t i = 0; i < half->arguments.len; i++) {
		hd_vec_push(&words, half->arguments.data[i]);
		if (i == 0)
			add_terminal(cc, &words);
	}
	hd_prelude_use(&words, half->header);
	half->child = hd_cc_start(cc, &half->job->signals, &words, half->environment, messages);
	close(messages);
	hd_vec_release(&words);
	if (half->child > 0)
		return 0;
	half->child = 0;
	return -1;
}

/* The status as of waitpid(2). */
static int wait_for(struct half *half)
{
	int status = hd_child_wait(&half->job->signals, half->child);
	half->child = 0;
	return status;
}

static void stop(struct half *half)
{
	if (half->child)
		hd_child_stop(half->child);
	half->child = 0;
}

static void show_messages(const struct half *half)
{
	char part[4096];
	size_t size;
	FILE *file = fopen(half->messages, "r");
	while (file && (size = fread(part, 1, sizeof part, file)) > 0)
		fwrite(part, 1, size, stderr);
	if (file)
		fclose(file);
}

/*
 * Whether a half that runs beside ours has failed with its header, so that it has to parse the header itself. Not where
 * clang took the source, and a pass of ours did not: what that says does not ask how the header was read.
 */
static bool is_to_be_repeated(const struct half *half, int status)
{
	return status && half->header && !half->job->signals.caught && !(half->refused && !access(half->refused, F_OK));
}

/* ------------------------------------------------------------ arguments */

/* Whether the user's arguments set an option of LLVM, which takes each but once. */
static bool is_set(const hd_arguments *arguments, const char *option)
{
	size_t name = strcspn(option, "=");
	for (uint32_t i = 0; i < arguments->len; i++)
		if (!strncmp(arguments->data[i], option, name) &&
		    (arguments->data[i][name] == '=' || !arguments->data[i][name]))
			return true;
	return false;
}

/*
 * nvcc's device compiler is LLVM with limits of its own. These are what makes clang copy loops and functions as
 * nvcc 13.0 is seen to do (docs/model.md, Code); what ptxas adds is in passes/legalize/unroll.c. They are no part of
 * what the precompiled header depends on.
 */
static void add_limits(hd_arguments *arguments)
{
	static const char *const limits[] = {
		"-unroll-threshold=430",	 /* instructions of a loop that is unrolled as a whole */
		"-unroll-partial-threshold=200", /* and of the copies of one that is not */
		"-unroll-max-count=4",		 /* so many; ptxas copies the copies */
		"-inline-threshold=2000", /* of a function, in LLVM's units, a multiple of which counts for a GPU */
	};
	for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++) {
		if (is_set(arguments, limits[i]))
			continue;
		hd_vec_push(arguments, "-mllvm");
		hd_vec_push(arguments, limits[i]);
	}
}

static void device_arguments(struct hd_job *job, const char *input, const char *prefix, hd_arguments *arguments)
{
	struct hd_cc *cc = job->cc;
	hd_vec_push(arguments, cc->clangxx);
	hd_cc_half_arguments(cc, true, arguments);
	add_limits(arguments);
	if (cc->relocatable)
		hd_vec_push(arguments, hd_arena_printf(&cc->arena, "-cuid=%s", hd_cc_identity(cc, input)));
	hd_job_add_record(job, arguments, prefix);
	hd_job_add(arguments, hd_arena_printf(&cc->arena, "-fpass-plugin=%s", cc->plugin), "-emit-llvm", "-S", input,
		   "-o", hd_arena_printf(&cc->arena, "%s.ll", prefix), NULL);
}

/* clang would name the target and file by the temporary output. */
static void add_dependencies(struct hd_job *job, hd_arguments *arguments, const char *input, const char *file)
{
	struct hd_cc *cc = job->cc;
	if (cc->dependencies_too)
		hd_job_add(arguments, cc->dependencies_too, "-MF", file, "-MT", hd_job_rule_target(job, input),
			   cc->dependency_targets ? "-MP" : NULL, NULL);
}

static int deliver_dependencies(struct hd_job *job, const char *input, const char *file)
{
	return job->cc->dependencies_too ? hd_job_deliver(job, file, hd_job_rule_file(job, input)) : 0;
}

/* What the host half makes: an object or assembly (`kind`) at `output` with `image` in it, and headers for make. */
struct host {
	const char *input, *image, *kind, *output, *headers;
};

static void host_arguments(struct hd_job *job, const struct host *host, hd_arguments *arguments)
{
	struct hd_cc *cc = job->cc;
	hd_vec_push(arguments, cc->clangxx);
	hd_cc_half_arguments(cc, false, arguments);
	/* The driver passes -cuid on to the device half only. */
	if (cc->relocatable)
		hd_job_add(arguments, "-Xclang",
			   hd_arena_printf(&cc->arena, "-cuid=%s", hd_cc_identity(cc, host->input)), NULL);
	hd_job_add(arguments, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", host->image, host->kind, host->input,
		   "-o", host->output, NULL);
	/* For whatever assembler comes with g++. */
	if (cc->stage == HD_CC_HOST_SOURCE)
		hd_job_add(arguments, "-fno-addrsig", "-fno-integrated-as", NULL);
	add_dependencies(job, arguments, host->input, host->headers);
}

/* ------------------------------------------------------------ the device half */

/* Why a source that CUDA 11 takes may not compile. */
static void hint_at_references(struct hd_cc *cc, const char *input)
{
	uint8_t *bytes;
	size_t size;
	if (cc->texture_references || hd_read_file(input, &bytes, &size, &cc->diag))
		return;
	static const char *const words[] = {"texture<", "texture <", "textureReference", "cudaBindTexture"};
	bool named = false;
	for (unsigned i = 0; i < sizeof words / sizeof *words; i++)
		named = named || memmem(bytes, size, words[i], strlen(words[i]));
	if (named)
		hd_note(&cc->diag, (struct hd_loc){.file = input},
			"CUDA 12 removed texture references (texture<...>); -heddle-texture-references accepts them");
	free(bytes);
}

/* A device half. */
struct device {
	struct hd_job *job;
	const char *input, *prefix;
	const char *facts;  /* its launches */
	const char *header; /* the precompiled one; NULL: none */
	bool usual;	    /* its messages are kept until it has ended */
	bool scanned;	    /* the launches could be read */
};

enum { MENDED = 1 }; /* beside 0 and -1: the source, or what is known of its launches, is to be compiled again */

/* What a quick scan did not look for, in a source that clang refuses. Whether it is all that there is to say. */
static bool scan_again(struct device *device, int *status)
{
	struct hd_job *job = device->job;
	uint32_t mended = job->mended;
	device->scanned = hd_job_scan(job, device->input, device->header, true, device->facts);
	*status = mended != job->mended ? MENDED : -1;
	return *status == MENDED || job->cc->reported;
}

/* Waits for the device half and shows its messages; 0, -1 or MENDED. */
static int finish_device(struct device *device, struct half *half)
{
	struct hd_job *job = half->job;
	int status = wait_for(half), result;
	bool refused = status && !job->signals.caught && access(half->refused, F_OK);
	if (refused && job->cc->scanned_quickly && scan_again(device, &result))
		return result;
	if (is_to_be_repeated(half, status)) {
		half->header = NULL;
		if (start(half))
			return -1;
		status = wait_for(half);
		/* The header was at fault, with which the launches were read, too. */
		if (!status) {
			device->header = NULL;
			device->scanned = hd_job_scan(job, device->input, NULL, true, device->facts);
			return MENDED;
		}
	}
	show_messages(half);
	return hd_cc_result(job->cc, &job->signals, half->arguments.data[0], status) ? -1 : 0;
}

/* Compiles it with its launches; 0, -1 or MENDED. */
static int run_device(struct device *device)
{
	struct hd_job *job = device->job;
	struct hd_cc *cc = job->cc;
	struct half half = {.job = job, .header = device->header};
	device_arguments(job, device->input, device->prefix, &half.arguments);
	half.refused = device->usual ? hd_arena_printf(&cc->arena, "%s.refused", device->prefix) : NULL;
	half.environment = hd_job_pass_environment(job, device->prefix, device->facts, half.refused, cc->relocatable);
	if (!device->usual)
		return hd_job_run(job, &half.arguments, half.environment);
	half.messages = hd_arena_printf(&cc->arena, "%s.device.messages", device->prefix);
	int status = start(&half) ? -1 : finish_device(device, &half);
	hd_vec_release(&half.arguments);
	return status;
}

/* Compiles it, or says that the launches cannot be read; then what ptxas would say. */
static int compile_device(struct device *device)
{
	struct hd_cc *cc = device->job->cc;
	int status = cc->reported ? -1 : run_device(device);
	while (status == MENDED)
		status = run_device(device);
	if (status) {
		if (!cc->reported)
			hint_at_references(cc, device->input);
		return -1;
	}
	/* After the compiler: where the source has errors they are the reason. */
	if (!device->scanned)
		hd_warning(&cc->diag, (struct hd_loc){.file = device->input},
			   "cannot read the kernel launches; block sizes and shared memory are unknown");
	return hd_job_report(device->job, device->prefix, false);
}

static const char *facts_of(struct hd_job *job, const char *prefix)
{
	return hd_arena_printf(&job->cc->arena, "%s.facts.json", prefix);
}

/* With -v and -dryrun the commands are those that people may repeat. */
static bool is_usual(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	return !cc->verbose && !cc->dry_run && hd_prelude_is_usual(cc, true) && hd_prelude_is_usual(cc, false);
}

int hd_compile_device(struct hd_job *job, const char *input, const char *prefix)
{
	struct hd_cc *cc = job->cc;
	struct device device = {job, input, prefix, .facts = facts_of(job, prefix), .usual = is_usual(job)};
	device.header = device.usual ? hd_prelude_find(cc, &job->signals, true) : NULL;
	device.scanned = cc->dry_run || hd_job_scan(job, input, device.header, !device.usual, device.facts);
	return compile_device(&device);
}

/* ------------------------------------------------------------ one half after the other */

static int compile_in_turn(struct hd_job *job, const char *prefix, const struct host *host)
{
	hd_arguments arguments = {0};
	struct host embedding = *host;
	embedding.image = hd_arena_printf(&job->cc->arena, "%s.hdo", prefix);
	if (hd_compile_device(job, host->input, prefix))
		return -1;
	host_arguments(job, &embedding, &arguments);
	return hd_job_run(job, &arguments, NULL);
}

/* ------------------------------------------------------------ both at once */

/* Writes the kernel object into the pipe, for a host half that may have ended without having read it. */
static pid_t feed(struct hd_job *job, const char *object, const char *pipe)
{
	pid_t child = hd_child_fork(&job->signals, SIGKILL);
	if (child == 0) {
		struct hd_diag silent = hd_diag_silent();
		uint8_t *bytes;
		size_t size, done = 0;
		int to = hd_read_file(object, &bytes, &size, &silent) ? -1 : open(pipe, O_WRONLY | O_CLOEXEC);
		ssize_t part = to < 0 ? 0 : 1;
		for (; done < size && part > 0; done += part > 0 ? (size_t)part : 0)
			part = write(to, bytes + done, size - done);
		_exit(part > 0 ? 0 : 1);
	}
	return child;
}

/* Gives the host half its kernel object and waits for it. A second run finds the object itself in the pipe's place. */
static int finish_host(struct half *half, const char *object, const char *pipe)
{
	struct hd_job *job = half->job;
	pid_t feeder = feed(job, object, pipe);
	int status = wait_for(half);
	if (feeder > 0) {
		kill(feeder, SIGKILL);
		while (waitpid(feeder, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (is_to_be_repeated(half, status)) {
		half->header = NULL;
		if (unlink(pipe) || symlink(object, pipe) || start(half))
			return hd_error(&job->cc->diag, HD_NOWHERE, "cannot compile the host half again");
		status = wait_for(half);
	}
	show_messages(half);
	return hd_cc_result(job->cc, &job->signals, half->arguments.data[0], status) ? -1 : 0;
}

/* Starts the host half; once more where the scan had to mend a source that it has read. */
static int start_host(struct half *half, const struct host *host)
{
	stop(half);
	hd_vec_clear(&half->arguments);
	host_arguments(half->job, host, &half->arguments);
	return start(half);
}

static int compile_at_once(struct hd_job *job, const char *prefix, const struct host *host)
{
	struct hd_cc *cc = job->cc;
	const char *object = hd_arena_printf(&cc->arena, "%s.hdo", prefix);
	struct device device = {job, host->input, prefix, .facts = facts_of(job, prefix), .usual = true};
	device.header = hd_prelude_find(cc, &job->signals, true);
	struct half half = {.job = job, .header = hd_prelude_find(cc, &job->signals, false)};
	half.messages = hd_arena_printf(&cc->arena, "%s.host.messages", prefix);
	uint32_t mended = job->mended;
	int status = start_host(&half, host);
	device.scanned = !status && hd_job_scan(job, host->input, device.header, false, device.facts);
	if (!status && mended != job->mended)
		status = start_host(&half, host);
	mended = job->mended;
	if (!status)
		status = compile_device(&device);
	if (!status && mended != job->mended)
		status = start_host(&half, host);
	if (!status)
		status = finish_host(&half, object, host->image);
	stop(&half);
	if (!status && half.header && cc->dependencies_too)
		status = hd_prelude_mend_dependencies(cc, host->headers, host->input);
	hd_vec_release(&half.arguments);
	return status;
}

/* ------------------------------------------------------------ sources */

int hd_compile_cuda(struct hd_job *job, const char *input, const char *prefix, const char *kind, const char *output)
{
	struct hd_cc *cc = job->cc;
	struct host host = {.input = input, .kind = kind, .output = output};
	host.headers = hd_arena_printf(&cc->arena, "%s.d", prefix);
	host.image = hd_arena_printf(&cc->arena, "%s.pipe", prefix);
	/* Not every file system has named pipes. */
	bool at_once = is_usual(job) && !mkfifo(host.image, 0600);
	int status = at_once ? compile_at_once(job, prefix, &host) : compile_in_turn(job, prefix, &host);
	if (status || deliver_dependencies(job, input, host.headers))
		return -1;
	return cc->relocatable && !cc->dry_run && cc->stage != HD_CC_HOST_SOURCE
		       ? hd_cc_give_identity(cc, output, hd_cc_identity(cc, input))
		       : 0;
}

int hd_compile_plain(struct hd_job *job, const char *input, const char *object)
{
	hd_arguments arguments = {0};
	const char *headers = hd_arena_printf(&job->cc->arena, "%s.d", object);
	if (hd_cc_source_arguments(job->cc, input, &arguments))
		return -1;
	add_dependencies(job, &arguments, input, headers);
	hd_job_add(&arguments, "-c", input, "-o", object, NULL);
	return hd_job_run(job, &arguments, NULL) || deliver_dependencies(job, input, headers) ? -1 : 0;
}
