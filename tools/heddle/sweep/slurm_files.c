/*
 * Jobs and ends as JSON: see slurm_files.h.
 */
#include "tools/heddle/sweep/slurm_files.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/strbuf.h"

/* ------------------------------------------------------------ files */

/* Two nodes may write the same file, when one was only thought to be dead. */
static void name_temporary(struct hd_strbuf *name, const char *path)
{
	char host[65] = "";
	gethostname(host, sizeof host - 1);
	hd_strbuf_printf(name, "%s.%s-%d.part", path, host, (int)getpid());
}

int slurm_file_write(const char *path, const char *text, size_t size, struct hd_diag *diag)
{
	struct hd_strbuf temporary = {0};
	name_temporary(&temporary, path);
	FILE *file = fopen(temporary.data, "we");
	bool written = file && fwrite(text, 1, size, file) == size && !fflush(file) && !fsync(fileno(file));
	int error = errno;
	if (file && fclose(file) && written) {
		written = false;
		error = errno;
	}
	if (written && rename(temporary.data, path)) {
		written = false;
		error = errno;
	}
	if (!written)
		unlink(temporary.data);
	hd_strbuf_release(&temporary);
	return written ? 0 : hd_error(diag, HD_NOWHERE, "cannot write %s: %s", path, strerror(error));
}

/* ------------------------------------------------------------ jobs */

char *slurm_job_text(const struct engine_job *job, const char *end)
{
	json_t *words = json_array();
	bool right = true;
	for (char *const *word = job->words; *word; word++)
		right = right && !json_array_append_new(words, json_string(*word));
	json_t *document = json_pack("{s:o,s:s,s:s?,s:s,s:f,s:I,s:i}", "words", words, "log", job->log, "output",
				     job->output, "end", end, "seconds", job->seconds, "bytes", (json_int_t)job->bytes,
				     "slots", (int)job->slots);
	char *text = right && document ? json_dumps(document, JSON_COMPACT) : NULL;
	json_decref(document);
	return text;
}

static bool read_words(struct slurm_job *job, const json_t *words)
{
	size_t count = json_array_size(words);
	char **list = hd_xcalloc(count + 1, sizeof(*list));
	job->job.words = list;
	for (size_t i = 0; i < count; i++)
		if (!(list[i] = (char *)json_string_value(json_array_get(words, i))))
			return false;
	return count > 0;
}

bool slurm_job_read(struct slurm_job *job, const char *text)
{
	json_t *words;
	json_int_t bytes;
	int slots;
	*job = (struct slurm_job){.document = json_loads(text, 0, NULL)};
	if (json_unpack(job->document, "{s:o,s:s,s:s,s:F,s:I,s:i}", "words", &words, "log", &job->job.log, "end",
			&job->end, "seconds", &job->job.seconds, "bytes", &bytes, "slots", &slots))
		return false;
	job->job.output = json_string_value(json_object_get(job->document, "output"));
	job->job.bytes = (uint64_t)bytes;
	job->job.slots = (uint32_t)slots;
	return read_words(job, words);
}

void slurm_job_release(struct slurm_job *job)
{
	free((void *)job->job.words);
	json_decref(job->document);
}

/* ------------------------------------------------------------ ends */

int slurm_end_write(const char *path, const struct engine_end *end, struct hd_diag *diag)
{
	json_t *document = json_pack("{s:i,s:i,s:f,s:f,s:I}", "kind", (int)end->kind, "code", end->code, "seconds",
				     end->cost.seconds, "cpu_seconds", end->cost.cpu_seconds, "peak_bytes",
				     (json_int_t)end->cost.peak_bytes);
	char *text = json_dumps(document, JSON_COMPACT);
	int status = slurm_file_write(path, text, strlen(text), diag);
	free(text);
	json_decref(document);
	return status;
}

bool slurm_end_read(const char *path, struct engine_end *end)
{
	int kind;
	json_int_t bytes;
	json_t *document = json_load_file(path, 0, NULL);
	*end = (struct engine_end){0};
	bool right = !json_unpack(document, "{s:i,s:i,s:F,s:F,s:I}", "kind", &kind, "code", &end->code, "seconds",
				  &end->cost.seconds, "cpu_seconds", &end->cost.cpu_seconds, "peak_bytes", &bytes) &&
		     kind >= ENGINE_EXITED && kind <= ENGINE_MEMORY;
	json_decref(document);
	if (!right)
		return false;
	end->kind = (enum engine_end_kind)kind;
	end->cost.peak_bytes = (uint64_t)bytes;
	return true;
}
