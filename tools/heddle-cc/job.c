/*
 * The temporary directory of a run and what is carried out of it. Everything is made there
 * and moved at the end, so that a failure leaves nothing half-written.
 */
#include "tools/heddle-cc/job.h"

#include <errno.h>
#include <fcntl.h>
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
	job->directory = hd_scratch_make("heddle-cc", &cc->arena, &cc->diag);
	return job->directory ? 0 : -1;
}

void hd_job_release(struct hd_job *job)
{
	hd_scratch_remove(job->directory);
	hd_vec_release(&job->objects);
	hd_signals_release(&job->signals);
}

char *hd_job_path(struct hd_job *job, const char *name)
{
	return hd_arena_printf(&job->cc->arena, "%s/%s", job->directory, name);
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

const char *hd_job_final_name(struct hd_job *job, const char *input)
{
	struct hd_cc *cc = job->cc;
	if (cc->output)
		return cc->output;
	return cc->stage == HD_CC_LINK ? "a.out" : hd_arena_printf(&cc->arena, "%s.o", hd_job_stem(job, input));
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

int hd_job_deliver(struct hd_job *job, const char *from, const char *to)
{
	struct stat info;
	if (job->cc->dry_run)
		return 0;
	if (lstat(to, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISLNK(info.st_mode))
		return write_into(job->cc, from, to);
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
		const char *from = hd_arena_printf(&cc->arena, "%s%s", prefix, files[i].suffix);
		if (hd_job_deliver(job, from, hd_arena_printf(&cc->arena, "%s%s", output, files[i].suffix)))
			return -1;
	}
	return 0;
}

const char *hd_job_output_prefix(struct hd_job *job, const char *output)
{
	size_t length = strlen(output);
	bool object = length > 2 && !strcmp(output + length - 2, ".o");
	return object ? hd_arena_printf(&job->cc->arena, "%.*s", (int)length - 2, output) : output;
}

int hd_job_report(struct hd_job *job, const char *prefix)
{
	struct hd_cc *cc = job->cc;
	uint8_t *bytes;
	size_t size;
	struct hd_metadata metadata;
	const char *file = hd_arena_printf(&cc->arena, "%s.heddle.json", prefix);
	if (!cc->report || cc->dry_run)
		return 0;
	if (hd_read_file(file, &bytes, &size, &cc->diag))
		return -1;
	int status = hd_metadata_from_json((const char *)bytes, size, file, &cc->arena, &metadata, &cc->diag);
	for (uint32_t i = 0; !status && i < metadata.function_count; i++) {
		const struct hd_meta_function *function = &metadata.functions[i];
		fprintf(stderr,
			"heddle info    : Function properties for %s\n"
			"    %u bytes stack frame, %u bytes spill stores, %u bytes spill loads\n",
			function->name, function->stack_bytes, function->spill_store_bytes, function->spill_load_bytes);
		if (function->kernel)
			fprintf(stderr, "heddle info    : Used %u registers, %u bytes smem, %u bytes cmem[0]\n",
				function->registers, function->shared_bytes, HD_CB_PARAMS + function->param_bytes);
	}
	free(bytes);
	return status;
}

/* Separators in a path would break the list. What the user says comes first, so that it cannot move the output. */
const char *hd_job_pass_environment(struct hd_job *job, const char *prefix, const char *facts, bool relocatable)
{
	struct hd_cc *cc = job->cc;
	struct hd_strbuf text = {0};
	hd_strbuf_append(&text, "HEDDLE_PASS=");
	for (uint32_t i = 0; i < cc->parameters.len; i++)
		hd_strbuf_printf(&text, "%s;", cc->parameters.data[i]);
	hd_strbuf_printf(&text, "o=%s", prefix);
	if (cc->libdevice)
		hd_strbuf_printf(&text, ";libdevice=%s", cc->libdevice);
	if (cc->max_registers)
		hd_strbuf_printf(&text, ";maxrregcount=%u", cc->max_registers);
	if (cc->without)
		hd_strbuf_printf(&text, ";without=%s", cc->without);
	if (cc->linear)
		hd_strbuf_printf(&text, ";linear=%s", cc->linear);
	if (cc->ipra)
		hd_strbuf_append(&text, ";ipra");
	if (facts && access(facts, F_OK) == 0)
		hd_strbuf_printf(&text, ";launches=%s", facts);
	if (cc->remark_scope)
		hd_strbuf_printf(&text, ";remarks=%s", cc->remark_scope);
	if (relocatable)
		hd_strbuf_append(&text, ";rdc=1");
	const char *result = hd_arena_strdup(&cc->arena, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
	return result;
}
