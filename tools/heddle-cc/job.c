/*
 * The temporary directory of a run and what is carried out of it. Everything is made there
 * and moved at the end, so that a failure leaves nothing half-written.
 */
#include "tools/heddle-cc/job.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/scratch.h"
#include "lib/strbuf.h"

int hd_job_init(struct hd_job *job, struct hd_cc *cc)
{
	*job = (struct hd_job){.cc = cc};
	hd_signals_hold(&job->signals);
	return hd_scratch_make(&job->directory, "heddle-cc", &cc->arena, &cc->diag);
}

void hd_job_release(struct hd_job *job)
{
	hd_scratch_release(&job->directory);
	hd_vec_release(&job->objects);
	json_decref(job->overlay);
	hd_signals_release(&job->signals);
}

char *hd_job_path(struct hd_job *job, const char *name)
{
	return hd_arena_printf(&job->cc->arena, "%s/%s", job->directory.path, name);
}

const char *hd_job_stem(struct hd_job *job, const char *file)
{
	const char *base = strrchr(file, '/') ? strrchr(file, '/') + 1 : file;
	char *name = hd_arena_strdup(&job->cc->arena, base);
	char *dot = strrchr(name, '.');
	if (dot && dot != name)
		*dot = '\0';
	return name;
}

const char *hd_job_named(struct hd_job *job, const char *input, const char *suffix)
{
	struct hd_cc *cc = job->cc;
	const char *folder = cc->output_directory ? cc->output_directory : "";
	return hd_arena_printf(&cc->arena, "%s%s%s%s", folder, *folder ? "/" : "", hd_job_stem(job, input), suffix);
}

const char *hd_job_object_name(struct hd_job *job, const char *input)
{
	return job->cc->output ? job->cc->output : hd_job_named(job, input, ".o");
}

const char *hd_job_program_name(struct hd_job *job)
{
	return job->cc->output ? job->cc->output : hd_job_named(job, "a", ".out");
}

/* nvcc writes -odir's folder before each target, also before the name of -MT or -o with a folder of its own. */
const char *hd_job_rule_target(struct hd_job *job, const char *input)
{
	struct hd_cc *cc = job->cc;
	const char *named = cc->dependency_target;
	if (!named && cc->stage != HD_CC_DEPENDENCIES)
		named = cc->output;
	if (!named || !cc->output_directory || !*cc->output_directory)
		return named ? named : hd_job_named(job, input, ".o");
	return hd_arena_printf(&cc->arena, "%s/%s", cc->output_directory, named);
}

/* nvcc writes the rules of several sources of one output to one file, where the last one stays. */
const char *hd_job_rule_file(struct hd_job *job, const char *input)
{
	struct hd_cc *cc = job->cc;
	if (cc->dependency_file)
		return cc->dependency_file;
	if (!cc->output || cc->inputs.len > 1)
		return hd_job_named(job, input, ".d");
	const char *slash = strrchr(cc->output, '/'), *dot = strrchr(cc->output, '.');
	int length = dot && dot > (slash ? slash + 1 : cc->output) ? (int)(dot - cc->output) : (int)strlen(cc->output);
	return hd_arena_printf(&cc->arena, "%.*s.d", length, cc->output);
}

/* Places in its text are <stdin>'s, and what it includes is looked for here, as compilers do. */
static int keep_stdin(struct hd_job *job, const char **name)
{
	struct hd_cc *cc = job->cc;
	struct hd_strbuf text = {0};
	char part[4096];
	size_t bytes;
	hd_strbuf_append(&text, "#line 1 \"<stdin>\"\n");
	while ((bytes = fread(part, 1, sizeof part, stdin)) > 0)
		hd_strbuf_append_bytes(&text, part, bytes);
	const char *path = hd_job_path(job, !strcmp(cc->language, "cuda") ? "stdin.cu"
					    : !strcmp(cc->language, "c")  ? "stdin.c"
									  : "stdin.cpp");
	int status = hd_write_file(path, hd_strbuf_text(&text), text.len, &cc->diag);
	hd_strbuf_release(&text);
	hd_job_add(&cc->common, "-iquote", ".", NULL);
	*name = path;
	return status;
}

int hd_job_read_stdin(struct hd_job *job)
{
	struct hd_cc *cc = job->cc;
	for (uint32_t i = 0; i < cc->inputs.len; i++) {
		if (!hd_cc_is_stdin(cc->inputs.data[i]))
			continue;
		if (cc->from_stdin)
			return hd_error(&cc->diag, HD_NOWHERE, "standard input is given twice");
		if (keep_stdin(job, &cc->inputs.data[i]))
			return -1;
		cc->from_stdin = cc->inputs.data[i];
	}
	return 0;
}

void hd_job_add(hd_arguments *arguments, const char *first, ...)
{
	va_list rest;
	va_start(rest, first);
	for (const char *argument = first; argument; argument = va_arg(rest, const char *))
		hd_vec_push(arguments, argument);
	va_end(rest);
}

int hd_job_run(struct hd_job *job, hd_arguments *arguments, const char *environment)
{
	int status = hd_cc_execute(job->cc, &job->signals, arguments, environment);
	hd_vec_release(arguments);
	return status ? -1 : 0;
}

/* ------------------------------------------------------------ results */

static int write_into(struct hd_cc *cc, const char *from, const char *to)
{
	uint8_t *bytes;
	size_t size;
	if (hd_read_file(from, &bytes, &size, &cc->diag))
		return -1;
	int fd = open(to, O_WRONLY);
	int status = fd < 0 || write(fd, bytes, size) < 0 ? hd_error(&cc->diag, HD_NOWHERE, "cannot write %s", to) : 0;
	if (fd >= 0)
		close(fd);
	free(bytes);
	return status;
}

static int copy_whole(struct hd_cc *cc, const char *from, const char *to)
{
	struct stat info;
	uint8_t *bytes;
	size_t size;
	if (stat(from, &info) || hd_read_file(from, &bytes, &size, &cc->diag))
		return -1;
	int status = hd_write_file(to, bytes, size, &cc->diag);
	free(bytes);
	if (!status)
		chmod(to, info.st_mode & 0777);
	return status;
}

/* What a link leads to, which may not be there yet; NULL: it is no link. */
static const char *link_target(struct hd_cc *cc, const char *path)
{
	char target[PATH_MAX];
	ssize_t length = readlink(path, target, sizeof target - 1);
	if (length <= 0)
		return NULL;
	const char *slash = *target != '/' ? strrchr(path, '/') : NULL;
	return hd_arena_printf(&cc->arena, "%.*s%.*s", slash ? (int)(slash + 1 - path) : 0, path, (int)length, target);
}

int hd_job_deliver(struct hd_job *job, const char *from, const char *to)
{
	enum { MOST_LINKS = 40 }; /* as the kernel follows */
	struct stat info;
	const char *target;
	if (job->cc->dry_run)
		return 0;
	if (stat(to, &info) == 0 && !S_ISREG(info.st_mode))
		return write_into(job->cc, from, to);
	for (unsigned i = 0; i < MOST_LINKS && (target = link_target(job->cc, to)); i++)
		to = target;
	return rename(from, to) == 0 ? 0 : copy_whole(job->cc, from, to);
}

/* Where -fsave-optimization-record has the device half's record for `prefix`; NULL: it was not asked for. */
static char *record_of(struct hd_job *job, const char *prefix)
{
	return job->cc->record ? hd_arena_printf(&job->cc->arena, "%s.opt.yaml", prefix) : NULL;
}

void hd_job_add_record(struct hd_job *job, hd_arguments *arguments, const char *prefix)
{
	struct hd_cc *cc = job->cc;
	if (!cc->record)
		return;
	hd_vec_push(arguments, "-fsave-optimization-record");
	hd_vec_push(arguments, hd_arena_printf(&cc->arena, "-foptimization-record-file=%s", record_of(job, prefix)));
	if (cc->record_passes)
		hd_vec_push(arguments,
			    hd_arena_printf(&cc->arena, "-foptimization-record-passes=%s", cc->record_passes));
}

int hd_job_deliver_side_files(struct hd_job *job, const char *prefix, const char *output)
{
	struct hd_cc *cc = job->cc;
	const struct {
		const char *suffix;
		bool always;
	} files[] = {{".heddle.json", true}, {".ll", false}, {".hdo", false}};
	const char *record = record_of(job, prefix);
	if (record && hd_job_deliver(job, record, cc->record_file ? cc->record_file : record_of(job, output)))
		return -1;
	for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
		if (!files[i].always && !cc->keep)
			continue;
		const char *from = hd_arena_printf(&cc->arena, "%s%s", prefix, files[i].suffix), *to = output;
		if (!files[i].always && cc->keep_directory)
			to = hd_arena_printf(&cc->arena, "%s/%s", cc->keep_directory,
					     strrchr(output, '/') ? strrchr(output, '/') + 1 : output);
		if (hd_job_deliver(job, from, hd_arena_printf(&cc->arena, "%s%s", to, files[i].suffix)))
			return -1;
	}
	return 0;
}

const char *hd_job_output_prefix(struct hd_job *job, const char *output)
{
	size_t length = strlen(output);
	static const char *const suffixes[] = {".o", ".cubin", ".fatbin", ".cu.cpp.ii"};
	for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
		size_t end = strlen(suffixes[i]);
		if (length > end && !strcmp(output + length - end, suffixes[i]))
			return hd_arena_printf(&job->cc->arena, "%.*s", (int)(length - end), output);
	}
	return output;
}

/* As a parameter of the pass may be written: passes/options.c undoes it. */
static void append_value(struct hd_strbuf *text, const char *key, const char *value)
{
	hd_strbuf_printf(text, "%s=", key);
	for (; *value; value++)
		hd_strbuf_printf(text, "%s%c", strchr(";\\", *value) ? "\\" : "", *value);
}

/* What the user says comes first, so that it cannot move the output. */
const char *hd_job_pass_environment(struct hd_job *job, const char *prefix, const char *facts, const char *refused,
				    bool relocatable)
{
	struct hd_cc *cc = job->cc;
	struct hd_strbuf text = {0};
	hd_strbuf_append(&text, "HEDDLE_PASS=");
	for (uint32_t i = 0; i < cc->parameters.len; i++)
		hd_strbuf_printf(&text, "%s;", cc->parameters.data[i]);
	append_value(&text, "o", prefix);
	if (cc->libdevice)
		append_value(&text, ";libdevice", cc->libdevice);
	if (cc->max_registers)
		hd_strbuf_printf(&text, ";maxrregcount=%u", cc->max_registers);
	if (cc->target_registers)
		hd_strbuf_printf(&text, ";registers=%u", cc->target_registers);
	if (cc->without)
		hd_strbuf_printf(&text, ";without=%s", cc->without);
	if (cc->linear)
		hd_strbuf_printf(&text, ";linear=%s", cc->linear);
	if (cc->ipra)
		hd_strbuf_append(&text, ";ipra");
	if (cc->debug || cc->line_info || cc->device_debug)
		hd_strbuf_append(&text, ";inlined");
	/* nvcc's guide has x / y as __fdividef(x, y) with fast math, and otherwise as PTX's div.full. */
	if (!hd_cc_is_true(cc->prec_div, !cc->fast_math))
		hd_strbuf_printf(&text, ";division=%s", cc->fast_math ? "approximate" : "full");
	if (!hd_cc_is_true(cc->prec_sqrt, !cc->fast_math))
		hd_strbuf_append(&text, ";square-root=approximate");
	if (cc->fast_math)
		hd_strbuf_append(&text, ";fast-functions");
	if (facts && access(facts, F_OK) == 0)
		append_value(&text, ";launches", facts);
	if (refused)
		append_value(&text, ";refused", refused);
	if (cc->remark_scope)
		hd_strbuf_printf(&text, ";remarks=%s", cc->remark_scope);
	if (relocatable)
		hd_strbuf_append(&text, ";rdc=1");
	else
		hd_strbuf_append(&text, ";whole-program");
	const char *result = hd_arena_strdup(&cc->arena, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
	return result;
}
