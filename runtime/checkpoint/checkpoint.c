/*
 * Checkpoints: see checkpoint.h. While one is to be written, what the program asks of the simulator and what steps do
 * is noted in a file without a name, which at the checkpoint is the first part of the checkpoint's own; the image of
 * the simulator's memory is the second (image.c). On the way back the same questions are compared with these
 * entries, one by one.
 *
 * Device memory is not in the image, since the host's half has a hand in it all the time: what each step changed is
 * among the entries (memory.c), and so is a digest of what the host's half changed before it.
 *
 * Cost: two looks at the device's memory a step, until the checkpoint is written or the program has come to it.
 */
#include "runtime/checkpoint/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdarg.h>
#include <unistd.h>

#include "heddle/version.h"
#include "lib/store.h"
#include "runtime/checkpoint/image.h"
#include "runtime/checkpoint/memory.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"
#include "runtime/gpu/run.h"

struct hd_checkpoint {
	struct hd_diag *diag;
	const char *path; /* of what is to be written; NULL: nothing, or it has been */
	uint64_t cycle;	  /* from which on */
	FILE *log;
	struct hd_entry_writer noted; /* in the log */
	const char *from;	      /* what the program goes on from */
	struct hd_entry_reader reader;
	bool replays; /* it has not come there yet */
	bool failed;  /* and will not, which has been said */
	struct {      /* that the program is to come to next */
		enum hd_entry_kind kind;
		uint64_t bytes;
		uint8_t *data;
	} next;
	struct hd_mirror *mirror; /* from the first step on */
	uint64_t digest;	  /* of what the host's half changed before the step that is going on */
	struct hd_strbuf records, output;
	uint32_t launches; /* so far */
	int status;	   /* of writing */
	json_t *run;	   /* what it is of: producer, gpu, policy, config */
	char build[HD_SHA256_TEXT];
};

/* HD_ENTRY_LOAD; addresses of placed variables and the name follow. */
struct load_entry {
	uint64_t module;
	uint32_t placed, name_bytes;
	char object[HD_SHA256_TEXT];
};
/* HD_ENTRY_SUBMIT; the kernel's name follows. */
struct submit_entry {
	uint64_t digest;
};
/* HD_ENTRY_STEP and HD_ENTRY_PART; tickets of grids that are left, the error's text, records, output and changes of
 * memory follow. */
struct step_entry {
	uint64_t now, grids_launched, digest, epoch;
	struct hd_image_code code;
	int64_t error;
	uint32_t tickets, text_bytes;
	uint64_t record_bytes, output_bytes, change_bytes;
};

/* ---- start */

static const char *path_of(const char *path)
{
	return path && *path ? path : NULL;
}

/* A file without a name where the checkpoint is to be. */
static FILE *open_log(const char *path)
{
	char *copy = hd_xstrdup(path);
	int fd = open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	free(copy);
	return fd >= 0 ? fdopen(fd, "w+b") : tmpfile();
}

static int check_options(const struct hd_sim_options *options, const char *what)
{
	const char *other = options->functional			? "--functional"
			    : options->sampling > 0		? "--sampling"
			    : options->check			? "--check"
			    : options->recording		? "--record"
			    : options->rehearsal		? "a policy that needs two runs"
			    : options->trace && *options->trace ? "--trace"
								: NULL;
	return other ? hd_error(options->diag, HD_NOWHERE, "%s cannot be combined with %s", what, other) : 0;
}

static int read_next(struct hd_checkpoint *checkpoint)
{
	free(checkpoint->next.data);
	checkpoint->next.data = NULL;
	if (hd_entry_next(&checkpoint->reader, &checkpoint->next.kind, &checkpoint->next.bytes))
		return -1;
	checkpoint->next.data = hd_xcalloc(1, checkpoint->next.bytes + 1);
	return hd_entry_get(&checkpoint->reader, checkpoint->next.data, checkpoint->next.bytes);
}

static int open_files(struct hd_checkpoint *checkpoint, struct hd_diag *diag)
{
	if (checkpoint->from) {
		if (hd_entry_open(&checkpoint->reader, checkpoint->from, diag))
			return -1;
		if (read_next(checkpoint))
			return hd_error(diag, HD_NOWHERE, "%s: damaged checkpoint: no entries", checkpoint->from);
		checkpoint->replays = true;
	}
	if (checkpoint->path && !(checkpoint->log = open_log(checkpoint->path)))
		return hd_error(diag, HD_NOWHERE, "cannot write the checkpoint %s: %s", checkpoint->path,
				strerror(errno));
	checkpoint->noted.to = checkpoint->log;
	return 0;
}

int hd_checkpoint_new(const struct hd_sim_options *options, struct hd_checkpoint **out)
{
	const char *path = path_of(options->checkpoint), *from = path_of(options->resume);
	*out = NULL;
	if (!path && !from)
		return 0;
	if (check_options(options, path ? "--checkpoint" : "--resume"))
		return -1;
	if (hd_store_open())
		return hd_error(options->diag, HD_NOWHERE,
				"--checkpoint: cannot reserve the addresses of the simulator's memory: %s",
				strerror(errno));
	struct hd_checkpoint *checkpoint = hd_xcalloc(1, sizeof *checkpoint);
	checkpoint->diag = options->diag;
	checkpoint->path = path;
	checkpoint->from = from;
	checkpoint->cycle = options->checkpoint_at;
	if (open_files(checkpoint, options->diag)) {
		hd_checkpoint_free(checkpoint);
		return -1;
	}
	*out = checkpoint;
	return 0;
}

static void stop_noting(struct hd_checkpoint *checkpoint)
{
	if (checkpoint->log)
		fclose(checkpoint->log);
	checkpoint->log = NULL;
	checkpoint->path = NULL;
	if (checkpoint->replays)
		return;
	hd_mirror_free(checkpoint->mirror);
	checkpoint->mirror = NULL;
}

static void stop_replay(struct hd_checkpoint *checkpoint)
{
	hd_entry_close(&checkpoint->reader);
	free(checkpoint->next.data);
	checkpoint->next.data = NULL;
	checkpoint->replays = false;
	if (!checkpoint->path)
		stop_noting(checkpoint);
}

void hd_checkpoint_free(struct hd_checkpoint *checkpoint)
{
	if (!checkpoint)
		return;
	stop_replay(checkpoint);
	stop_noting(checkpoint);
	hd_strbuf_release(&checkpoint->records);
	hd_strbuf_release(&checkpoint->output);
	json_decref(checkpoint->run);
	free(checkpoint);
}

/* ---- the head: what the file is of */

static json_t *options_object(const struct hd_sim_options *options)
{
	return json_pack("{s:b, s:b, s:b, s:b, s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "verify", options->verify,
			 "profile", options->profile, "slots", options->blame, "ideal", options->ideal, "warn_outside",
			 options->warn_outside, "max_cycles", (json_int_t)options->max_cycles, "watchdog",
			 (json_int_t)options->watchdog, "sample", (json_int_t)options->sample, "corun_cycles",
			 (json_int_t)options->corun_cycles, "corun_apart", (json_int_t)options->corun_apart,
			 "stack_bytes", (json_int_t)options->stack_bytes, "heap_bytes",
			 (json_int_t)options->heap_bytes);
}

static json_t *head_of(const struct hd_gpu *gpu)
{
	json_t *head = json_copy(gpu->checkpoint->run);
	json_object_set_new(head, "build", json_string(gpu->checkpoint->build));
	json_object_set_new(head, "cycle", json_integer((json_int_t)gpu->now));
	json_object_set_new(head, "options", options_object(&gpu->options));
	return head;
}

static char *text_of(const json_t *value)
{
	char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(12));
	return text ? text : strdup("nothing");
}

/* Both have the same kind of value; `prefix`: of the key, in words. */
static int compare_key(const struct hd_checkpoint *checkpoint, const char *prefix, const char *key, const json_t *then,
		       const json_t *now)
{
	char *old = text_of(then), *new = text_of(now);
	int status = strcmp(old, new) != 0 ? hd_error(checkpoint->diag, HD_NOWHERE,
						      "%s was written with %s%s %s, but this run has %s",
						      checkpoint->from, prefix, key, old, new)
					   : 0;
	free(old);
	free(new);
	return status;
}

static int compare_objects(const struct hd_checkpoint *checkpoint, const char *prefix, const json_t *then,
			   const json_t *now)
{
	const char *key;
	json_t *value;
	json_object_foreach((json_t *)now, key, value)
	{
		if (compare_key(checkpoint, prefix, key, json_object_get(then, key), value))
			return -1;
	}
	return 0;
}

static int compare_heads(const struct hd_checkpoint *checkpoint, const json_t *then, const json_t *now)
{
	const char *version = json_string_value(json_object_get(then, "producer"));
	const char *build = json_string_value(json_object_get(then, "build"));
	static const char *const keys[] = {"gpu", "policy"};
	if (!version || !build)
		return hd_error(checkpoint->diag, HD_NOWHERE, "%s: damaged checkpoint: incomplete header",
				checkpoint->from);
	if (strcmp(version, "heddle " HD_VERSION) != 0)
		return hd_error(checkpoint->diag, HD_NOWHERE,
				"%s was written by another version: %s, not heddle " HD_VERSION, checkpoint->from,
				version);
	if (strcmp(build, checkpoint->build) != 0)
		return hd_error(
			checkpoint->diag, HD_NOWHERE,
			"%s was written by another build of %s; a checkpoint works only with the build that wrote it",
			checkpoint->from, version);
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (compare_key(checkpoint, "", keys[i], json_object_get(then, keys[i]), json_object_get(now, keys[i])))
			return -1;
	return compare_objects(checkpoint, "", json_object_get(then, "config"), json_object_get(now, "config")) ||
			       compare_objects(checkpoint, "", json_object_get(then, "options"),
					       json_object_get(now, "options"))
		       ? -1
		       : 0;
}

/* What policies in objects of their own allocate and free is not seen here. */
static int check_policies(const struct hd_gpu *gpu)
{
	struct hd_image_code code = hd_image_code();
	for (uint32_t i = 0; i < gpu->policy_count; i++)
		if ((uint64_t)(uintptr_t)gpu->policies[i].hooks - code.base >= code.bytes)
			return hd_error(
				gpu->checkpoint->diag, HD_NOWHERE,
				"checkpoints cannot be combined with policy '%s', which is loaded from an object",
				gpu->policies[i].policy->name);
	return 0;
}

static void write_checkpoint(struct hd_gpu *gpu);

/* What kernels print is the step's. */
static void printed(const struct hd_watcher_handle *self, struct hd_gpu *gpu, const char *text, size_t bytes)
{
	(void)self;
	if (!gpu->checkpoint->log)
		return;
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	hd_strbuf_append_bytes(&gpu->checkpoint->output, text, bytes);
}

static void pause_due(const struct hd_watcher_handle *self, struct hd_gpu *gpu, uint64_t now)
{
	(void)self;
	(void)now;
	write_checkpoint(gpu);
}

static const struct hd_watcher checkpoint_watcher = {.name = "checkpoint",
						     .all_code = true,
						     .printed = printed,
						     .pause = pause_due};

static void write_at(struct hd_gpu *gpu, uint64_t cycle)
{
	hd_watcher_wants(gpu, hd_watcher_find(gpu, &checkpoint_watcher), cycle);
}

int hd_checkpoint_start(struct hd_gpu *gpu, const json_t *run)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	hd_watcher_add(gpu, &checkpoint_watcher, NULL);
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	checkpoint->run = json_deep_copy(run);
	if (check_policies(gpu))
		return -1;
	if (hd_image_build(checkpoint->build))
		return hd_error(checkpoint->diag, HD_NOWHERE, "checkpoints: cannot read the simulator's own file");
	checkpoint->mirror = hd_mirror_new(gpu->devmem);
	if (!checkpoint->replays)
		return 0;
	json_t *now = head_of(gpu), *then = json_loads(checkpoint->reader.head, 0, NULL);
	int status = compare_heads(checkpoint, then, now);
	json_decref(then);
	json_decref(now);
	return status;
}

/* ---- what the program does */

static void note(struct hd_checkpoint *checkpoint, enum hd_entry_kind kind, const void *bytes, size_t size)
{
	if (!checkpoint->log)
		return;
	hd_entry_begin(&checkpoint->noted, kind, size);
	hd_entry_put(&checkpoint->noted, bytes, size);
}

/* What the program is to do next, in words. */
static void describe_next(const struct hd_checkpoint *checkpoint, char *text, size_t size)
{
	size_t head = checkpoint->next.kind == HD_ENTRY_SUBMIT ? sizeof(struct submit_entry) : 0;
	if (checkpoint->next.kind == HD_ENTRY_SUBMIT && checkpoint->next.bytes >= head)
		snprintf(text, size, "launched kernel %s", (const char *)checkpoint->next.data + head);
	else
		snprintf(text, size, "%s",
			 checkpoint->next.kind == HD_ENTRY_LOAD ? "loaded another object" : "waited for a kernel");
}

static int refuse(struct hd_gpu *gpu, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(struct hd_gpu *gpu, const char *format, ...)
{
	struct hd_strbuf text = {0};
	va_list args;
	va_start(args, format);
	hd_strbuf_vprintf(&text, format, args);
	va_end(args);
	gpu->checkpoint->failed = true;
	hd_gpu_refuse(gpu, HD_SIM_CHECKPOINT, "%s%s", gpu->checkpoint->from, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
	return HD_SIM_CHECKPOINT;
}

static int differ(struct hd_gpu *gpu, const char *what)
{
	char then[512];
	describe_next(gpu->checkpoint, then, sizeof then);
	return refuse(gpu, ": the program differs: now it %s, in the checkpoint it %s (launch %u)", what, then,
		      gpu->checkpoint->launches + 1);
}

static int broken(struct hd_gpu *gpu)
{
	return refuse(gpu, ": damaged checkpoint: malformed entry");
}

static int advance(struct hd_gpu *gpu)
{
	return read_next(gpu->checkpoint) ? broken(gpu) : 0;
}

static int compare_load(struct hd_gpu *gpu, const struct hd_strbuf *entry, const char *name)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	struct load_entry now, then;
	if (checkpoint->next.kind != HD_ENTRY_LOAD)
		return differ(gpu, "loads an object");
	if (checkpoint->next.bytes < sizeof then)
		return broken(gpu);
	memcpy(&now, entry->data, sizeof now);
	memcpy(&then, checkpoint->next.data, sizeof then);
	if (strncmp(now.object, then.object, sizeof now.object) != 0)
		return refuse(gpu, ": another program: %s is %.16s..., but was %.16s... in the checkpoint", name,
			      now.object, then.object);
	if (now.module != then.module)
		return refuse(gpu, ": the program differs before it loads %s", name);
	if (checkpoint->next.bytes != entry->len || memcmp(checkpoint->next.data, entry->data, entry->len) != 0)
		return refuse(gpu,
			      ": managed variables of %s had other host addresses (run the program by 'heddle run', "
			      "which turns off address randomisation)",
			      name);
	return 0;
}

int hd_checkpoint_load(struct hd_gpu *gpu, const struct hd_module *module, const uint8_t *bytes, size_t size,
		       const struct hd_placement *placed, uint32_t count)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	struct load_entry load = {.module = (uint64_t)(uintptr_t)module, .placed = count};
	struct hd_strbuf entry = {0};
	struct hd_sha256 hash;
	if (!checkpoint || (!checkpoint->replays && !checkpoint->log))
		return 0;
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	hd_sha256_init(&hash);
	hd_sha256_add(&hash, bytes, size);
	hd_sha256_finish(&hash, load.object);
	load.name_bytes = (uint32_t)strlen(module->name);
	hd_strbuf_append_bytes(&entry, &load, sizeof load);
	for (uint32_t i = 0; i < count; i++)
		hd_strbuf_append_bytes(&entry, &placed[i].host, sizeof placed[i].host);
	hd_strbuf_append(&entry, module->name);
	int error = 0;
	if (checkpoint->replays && !(error = compare_load(gpu, &entry, module->name)))
		error = advance(gpu);
	note(checkpoint, HD_ENTRY_LOAD, entry.data, entry.len);
	hd_strbuf_release(&entry);
	return error;
}

static int compare_submit(struct hd_gpu *gpu, const struct submit_entry *submit, const char *name)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	struct submit_entry then;
	char what[512];
	snprintf(what, sizeof what, "launches kernel %s", name);
	if (checkpoint->next.kind != HD_ENTRY_SUBMIT)
		return differ(gpu, what);
	if (checkpoint->next.bytes < sizeof then)
		return broken(gpu);
	memcpy(&then, checkpoint->next.data, sizeof then);
	if (strcmp((const char *)checkpoint->next.data + sizeof then, name) != 0)
		return differ(gpu, what);
	if (then.digest != submit->digest)
		return refuse(gpu,
			      ": launch %u, of kernel %s, differs from the checkpoint in sizes, parameters, stream or "
			      "priority",
			      checkpoint->launches + 1, name);
	return 0;
}

int hd_checkpoint_submit(struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	if (!checkpoint || (!checkpoint->replays && !checkpoint->log))
		return 0;
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	struct submit_entry submit = {.digest = hd_checkpoint_digest(gpu, grid)};
	const char *name = hd_kernel_title(grid->kernel);
	struct hd_strbuf entry = {0};
	hd_strbuf_append_bytes(&entry, &submit, sizeof submit);
	hd_strbuf_append(&entry, name);
	int error = 0;
	if (checkpoint->replays && !(error = compare_submit(gpu, &submit, name)))
		error = advance(gpu);
	note(checkpoint, HD_ENTRY_SUBMIT, entry.data, entry.len);
	hd_strbuf_release(&entry);
	checkpoint->launches++;
	return error;
}

/* ---- steps: writing */

void hd_checkpoint_record(const struct hd_gpu *gpu, const char *line)
{
	if (!gpu->checkpoint || !gpu->checkpoint->log)
		return;
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	hd_strbuf_append_bytes(&gpu->checkpoint->records, line, strlen(line) + 1);
}

/* What the step has done so far. */
static void make_step(const struct hd_gpu *gpu, int error, const struct hd_strbuf *changes, struct hd_strbuf *entry)
{
	const struct hd_checkpoint *checkpoint = gpu->checkpoint;
	struct step_entry step = {.now = gpu->now,
				  .grids_launched = gpu->grids_launched,
				  .digest = checkpoint->digest,
				  .epoch = hd_devmem_epoch(gpu->devmem),
				  .code = hd_image_code(),
				  .error = error,
				  .tickets = gpu->grids.len,
				  .record_bytes = checkpoint->records.len,
				  .output_bytes = checkpoint->output.len,
				  .change_bytes = changes->len};
	step.text_bytes = error ? (uint32_t)strlen(gpu->error_text) : 0;
	hd_strbuf_append_bytes(entry, &step, sizeof step);
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		hd_strbuf_append_bytes(entry, &gpu->grids.data[i]->ticket, sizeof(uint64_t));
	hd_strbuf_append_bytes(entry, gpu->error_text, step.text_bytes);
	hd_strbuf_append_bytes(entry, checkpoint->records.data, checkpoint->records.len);
	hd_strbuf_append_bytes(entry, checkpoint->output.data, checkpoint->output.len);
	hd_strbuf_append_bytes(entry, changes->data, changes->len);
}

void hd_checkpoint_end_step(const struct hd_gpu *gpu, int error)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	struct hd_strbuf changes = {0}, entry = {0};
	if (!checkpoint || !checkpoint->log)
		return;
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	hd_mirror_compare(checkpoint->mirror, &changes, true);
	make_step(gpu, error, &changes, &entry);
	note(checkpoint, HD_ENTRY_STEP, entry.data, entry.len);
	hd_strbuf_release(&changes);
	hd_strbuf_release(&entry);
}

static void write_all(struct hd_gpu *gpu, FILE *to, struct hd_entry_writer *writer)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	struct hd_strbuf changes = {0}, entry = {0};
	json_t *head = head_of(gpu);
	char *text = json_dumps(head, JSON_COMPACT | JSON_REAL_PRECISION(12));
	*writer = (struct hd_entry_writer){.to = to, .failed = checkpoint->noted.failed};
	hd_entry_head(writer, text);
	hd_entry_copy(writer, checkpoint->log);
	hd_mirror_compare(checkpoint->mirror, &changes, false);
	make_step(gpu, 0, &changes, &entry);
	hd_entry_begin(writer, HD_ENTRY_PART, entry.len);
	hd_entry_put(writer, entry.data, entry.len);
	hd_image_write(writer);
	hd_entry_end(writer);
	free(text);
	json_decref(head);
	hd_strbuf_release(&changes);
	hd_strbuf_release(&entry);
}

static void write_checkpoint(struct hd_gpu *gpu)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	struct hd_output output = {0};
	struct hd_entry_writer writer;
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	const char *path = checkpoint->path;
	checkpoint->status = hd_output_open(&output, path, checkpoint->diag);
	if (!checkpoint->status) {
		write_all(gpu, output.to, &writer);
		if (writer.failed && !ferror(output.to)) {
			checkpoint->status = hd_error(checkpoint->diag, HD_NOWHERE,
						      "%s: cannot write the events before the checkpoint", path);
			hd_output_abandon(&output);
		} else if (hd_output_close(&output, checkpoint->diag)) {
			checkpoint->status = -1;
		}
	}
	if (!checkpoint->status)
		hd_note(checkpoint->diag, HD_NOWHERE, "checkpoint of cycle %" PRIu64 " written to %s", gpu->now, path);
	stop_noting(checkpoint);
}

/* ---- steps: reading */

/* The parts of a step's entry. */
struct parts {
	struct step_entry step;
	const uint8_t *tickets, *text, *records, *output, *changes;
};

static int split(const struct hd_checkpoint *checkpoint, struct parts *parts)
{
	struct step_entry *step = &parts->step;
	const uint8_t *at = checkpoint->next.data;
	if (checkpoint->next.bytes < sizeof *step)
		return -1;
	memcpy(step, at, sizeof *step);
	uint64_t left = checkpoint->next.bytes - sizeof *step,
		 sizes[] = {step->tickets * sizeof(uint64_t), step->text_bytes, step->record_bytes, step->output_bytes,
			    step->change_bytes};
	const uint8_t **starts[] = {&parts->tickets, &parts->text, &parts->records, &parts->output, &parts->changes};
	at += sizeof *step;
	for (uint32_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		if (sizes[i] > left)
			return -1;
		*starts[i] = at;
		at += sizes[i];
		left -= sizes[i];
	}
	return left ? -1 : 0;
}

/* What the first process recorded and printed meanwhile. */
static void tell_again(const struct hd_gpu *gpu, const struct parts *parts)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	const char *line = (const char *)parts->records, *end = line + parts->step.record_bytes;
	for (; line < end && gpu->options.record; line += strlen(line) + 1)
		gpu->options.record(gpu->options.record_context, line);
	fwrite(parts->output, 1, parts->step.output_bytes, gpu->options.output ? gpu->options.output : stdout);
	if (!checkpoint->log)
		return;
	hd_strbuf_append_bytes(&checkpoint->records, parts->records, parts->step.record_bytes);
	hd_strbuf_append_bytes(&checkpoint->output, parts->output, parts->step.output_bytes);
}

static bool is_left(const struct parts *parts, uint64_t ticket)
{
	for (uint32_t i = 0; i < parts->step.tickets; i++)
		if (memcmp(parts->tickets + i * sizeof ticket, &ticket, sizeof ticket) == 0)
			return true;
	return false;
}

/* A step that is not done again. */
static void skip_step(struct hd_gpu *gpu, const struct parts *parts)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < gpu->grids.len; i++) {
		struct hd_grid *grid = gpu->grids.data[i];
		if (is_left(parts, grid->ticket))
			gpu->grids.data[kept++] = grid;
		else
			hd_grid_free(grid);
	}
	gpu->grids.len = kept;
	gpu->now = parts->step.now;
	gpu->grids_launched = parts->step.grids_launched;
	gpu->error = (int)parts->step.error;
	if (gpu->error)
		hd_gpu_refuse(gpu, gpu->error, "%.*s", (int)parts->step.text_bytes, (const char *)parts->text);
}

/* The simulator's memory, but for what is this process's. */
static void take_image(struct hd_gpu *gpu, const struct step_entry *step)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	struct hd_sim_options options = gpu->options;
	struct hd_devmem *devmem = gpu->devmem;
	int interrupted = gpu->interrupted;
	struct hd_image_code code = step->code;
	if (hd_image_read(&checkpoint->reader, &code)) {
		hd_error(checkpoint->diag, HD_NOWHERE, "%s changed while it was read", checkpoint->from);
		abort(); /* nothing is left to go on with */
	}
	gpu->options = options;
	gpu->devmem = devmem;
	gpu->checkpoint = checkpoint;
	gpu->interrupted = interrupted;
	hd_devmem_forget(devmem, step->epoch);
	hd_progress_init(&gpu->run->progress, options.progress);
	hd_progress_start(&gpu->run->progress, gpu);
	hd_window_resume(gpu->run->window);
	write_at(gpu, checkpoint->log ? checkpoint->cycle : HD_NEVER);
}

static void fail_step(struct hd_gpu *gpu, int error)
{
	gpu->error = error;
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		hd_grid_free(gpu->grids.data[i]);
	gpu->grids.len = 0;
}

static enum hd_checkpoint_turn replay_step(struct hd_gpu *gpu)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	struct parts parts;
	bool whole = checkpoint->next.kind == HD_ENTRY_STEP;
	int error = 0;
	if (!whole && checkpoint->next.kind != HD_ENTRY_PART)
		error = differ(gpu, "waits for a kernel");
	else if (split(checkpoint, &parts))
		error = broken(gpu);
	else if (parts.step.digest != checkpoint->digest)
		error = refuse(gpu, ": at launch %u, of kernel %s, device memory differs from the checkpoint",
			       checkpoint->launches, hd_kernel_title(gpu->grids.data[gpu->grids.len - 1]->kernel));
	else if (hd_mirror_put(checkpoint->mirror, parts.changes, parts.step.change_bytes))
		error = broken(gpu);
	if (error) {
		fail_step(gpu, error);
		return HD_TURN_DONE;
	}
	tell_again(gpu, &parts);
	if (whole) {
		note(checkpoint, HD_ENTRY_STEP, checkpoint->next.data, checkpoint->next.bytes);
		hd_mirror_follow(checkpoint->mirror);
		skip_step(gpu, &parts);
		if (!gpu->error && advance(gpu))
			fail_step(gpu, HD_SIM_CHECKPOINT);
		return HD_TURN_DONE;
	}
	take_image(gpu, &parts.step);
	stop_replay(checkpoint);
	return HD_TURN_GOES_ON;
}

enum hd_checkpoint_turn hd_checkpoint_begin_step(struct hd_gpu *gpu)
{
	struct hd_checkpoint *checkpoint = gpu->checkpoint;
	if (!checkpoint || (!checkpoint->replays && !checkpoint->log))
		return HD_TURN_RUN;
	HD_STORE_SCOPE(HD_STORE_OUTSIDE);
	checkpoint->records.len = checkpoint->output.len = 0;
	checkpoint->digest = hd_mirror_follow(checkpoint->mirror);
	if (checkpoint->replays)
		return replay_step(gpu);
	write_at(gpu, checkpoint->cycle);
	return HD_TURN_RUN;
}

/* ---- the end */

int hd_checkpoint_end(const struct hd_gpu *gpu)
{
	const struct hd_checkpoint *checkpoint = gpu->checkpoint;
	char what[512];
	if (!checkpoint)
		return 0;
	if (checkpoint->replays && !checkpoint->failed && !gpu->error) {
		describe_next(checkpoint, what, sizeof what);
		return hd_error(checkpoint->diag, HD_NOWHERE,
				"%s: the program differs: now it ended, in the checkpoint it %s (launch %u)",
				checkpoint->from, what, checkpoint->launches + 1);
	}
	if (checkpoint->path)
		hd_note(checkpoint->diag, HD_NOWHERE,
			"no checkpoint was written to %s: the program ended in cycle %" PRIu64 ", before %" PRIu64,
			checkpoint->path, gpu->now, checkpoint->cycle);
	return checkpoint->status;
}

int hd_checkpoint_check(const char *path, struct hd_diag *diag)
{
	struct hd_entry_reader reader;
	if (hd_entry_open(&reader, path, diag))
		return -1;
	hd_entry_close(&reader);
	return 0;
}
