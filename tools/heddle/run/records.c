/*
 * The statistics of a program out of the records of its processes (runtime/sim/lines.c says what they are), one file
 * each: the document has their launches in the order in which the processes were started, and in each as they came.
 *
 * A process that did not come to its last record was killed, aborted, still runs, could not write it, which it says by
 * other means, or is another program by now (exec); of the last of these the next file of the same process is the
 * proof, and it counts as ended in good order. A line without an end, or that is no JSON, was being written when the
 * process died.
 *
 * With several processes the document has `processes`, each with its own figures, and a launch has `process`, an index
 * into them. `total` are their sums; figures of policies have none, being ratios and maxima too, and stand in
 * `processes` alone. One that did nothing and ended is left out.
 *
 * Cost: each record is parsed once; memory does not depend on how many there are.
 */
#include "tools/heddle/run/records.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/arena.h"
#include "lib/strbuf.h"
#include "lib/vec.h"
#include "tools/heddle/run/figures.h"
#include "tools/heddle/run/places.h"
#include "tools/heddle/run/slots.h"

struct process {
	char *path;
	json_int_t pid, started;
	unsigned sequence; /* of programs in one process */
	char *program;
	json_int_t launches;
	json_t *head, *total, *policies, *sampling, *host, *verified, *profile, *slots, *coruns; /* NULL: not known */
	char *running;	      /* the kernel of the launch that began last, while any has not ended */
	unsigned under_way;   /* launches that have begun and not ended */
	bool ended, replaced; /* in good order; by exec */
	bool begun, cut;      /* a launch; one was stopped */
	struct run_places places;
	struct hd_strbuf so_far; /* of the last launch's record */
};

struct records {
	HD_VEC(struct process) processes;
	const char *said; /* by the processes */
	struct hd_diag *diag;
	bool unread; /* something of what processes left could not be read, and was reported */
};

static void report_unread(struct records *records, const char *path)
{
	hd_error(records->diag, HD_NOWHERE, "cannot read the program's figures, %s: %s", path, strerror(errno));
	records->unread = true;
}

static FILE *open_records(struct records *records, const char *path)
{
	FILE *file = fopen(path, "r");
	if (!file)
		report_unread(records, path);
	return file;
}

/* ------------------------------------------------------------ one file */

struct line {
	char *text;
	size_t size;
	bool failed;		      /* to read a line, which is not the end */
	const char *figures, *so_far; /* the fields behind the object; "": there is none */
};

/* Where the next field is, and the end of this one. */
static char *next_field(char *field)
{
	char *end = strchr(field, '\t');
	if (!end)
		return strchr(field, '\0');
	*end = '\0';
	return end + 1;
}

static ssize_t next_line(FILE *file, struct line *line)
{
	ssize_t length = getline(&line->text, &line->size, file);
	line->failed = line->failed || (length < 0 && !feof(file));
	return length;
}

static void close_records(struct records *records, FILE *file, const char *path, struct line *line)
{
	if (line->failed)
		report_unread(records, path);
	free(line->text);
	if (file)
		fclose(file);
}

/* The next whole record's object, a new reference; NULL: there is none. */
static json_t *next_record(FILE *file, struct line *line)
{
	ssize_t length = next_line(file, line);
	if (length <= 0 || line->text[length - 1] != '\n')
		return NULL;
	line->text[length - 1] = '\0';
	char *figures = next_field(line->text), *so_far = next_field(figures);
	line->figures = figures;
	line->so_far = so_far;
	return json_loads(line->text, 0, NULL);
}

static void replace(json_t **to, json_t *from)
{
	if (!from)
		return;
	json_decref(*to);
	*to = json_incref(from);
}

static void set_running(struct process *process, const char *kernel)
{
	free(process->running);
	process->running = kernel ? hd_xstrdup(kernel) : NULL;
}

static void take_start(struct process *process, const char *kernel)
{
	process->under_way++;
	set_running(process, kernel);
}

static void add_integers(json_t *to, const json_t *from)
{
	const char *key;
	json_t *value;
	json_object_foreach(to, key, value)
		json_integer_set(value, json_integer_value(value) + json_integer_value(json_object_get(from, key)));
}

static void add_reals(json_t *to, const json_t *from)
{
	const char *key;
	json_t *value;
	json_object_foreach(to, key, value) json_real_set(value, json_real_value(value) + figure_number(from, key));
}

static void set_ipc(json_t *figures)
{
	double cycles = figure_number(figures, "cycles"), instructions = figure_number(figures, "warp_instructions");
	json_real_set(json_object_get(figures, "ipc"), cycles > 0 ? instructions / cycles : 0);
}

/* Counters, and what follows from them. */
static void add_figures(json_t *to, const json_t *from)
{
	add_integers(to, from);
	add_integers(json_object_get(to, "l1d"), json_object_get(from, "l1d"));
	add_integers(json_object_get(to, "stalls"), json_object_get(from, "stalls"));
	set_ipc(to);
	static const char *const sums[] = {"energy_joules", "dynamic_joules",  "static_joules",
					   "idle_joules",   "constant_joules", "transfer_joules"};
	add_reals(json_object_get(to, "energy"), json_object_get(from, "energy"));
	for (uint32_t i = 0; i < sizeof sums / sizeof *sums; i++)
		json_real_set(json_object_get(to, sums[i]), figure_number(to, sums[i]) + figure_number(from, sums[i]));
}

static void take_head(struct process *process, json_t *head)
{
	if (process->head)
		return;
	process->total = json_incref(json_object_get(head, "total"));
	run_places_find(&process->places, process->total, json_integer_value(json_object_get(head, "places")));
	json_object_del(head, "total");
	json_object_del(head, "places");
	process->head = json_incref(head);
}

static void take_launch(struct process *process, const json_t *launch)
{
	if (process->under_way && !--process->under_way)
		set_running(process, NULL);
	process->launches++;
	process->cut = process->cut || json_is_true(json_object_get(launch, "partial"));
	run_places_add(&process->places);
}

/* What the last launch's record says of all so far. */
static void take_so_far(struct process *process)
{
	json_t *object = process->so_far.len ? json_loads(hd_strbuf_text(&process->so_far), 0, NULL) : NULL;
	replace(&process->policies, json_object_get(object, "policies"));
	replace(&process->sampling, json_object_get(object, "sampling"));
	if (!process->host)
		replace(&process->host, json_object_get(object, "host"));
	json_decref(object);
}

static void take_end(struct process *process, const json_t *end)
{
	process->ended = true;
	replace(&process->host, json_object_get(end, "host"));
	replace(&process->verified, json_object_get(end, "verified"));
	replace(&process->profile, json_object_get(end, "profile"));
	replace(&process->slots, json_object_get(end, "slots"));
}

static void take_corun(struct process *process, json_t *corun)
{
	if (!process->coruns)
		process->coruns = json_array();
	json_array_append(process->coruns, corun);
}

static void take_process(struct process *process, const json_t *object)
{
	const char *program = json_string_value(json_object_get(object, "program"));
	process->pid = json_integer_value(json_object_get(object, "pid"));
	process->started = json_integer_value(json_object_get(object, "started"));
	free(process->program);
	process->program = hd_xstrdup(program ? program : "?");
}

static void take(struct process *process, json_t *record)
{
	json_t *value;
	if ((value = json_object_get(record, "launch")))
		take_launch(process, value);
	else if ((value = json_object_get(record, "start")))
		take_start(process, json_string_value(value));
	else if (json_object_get(record, "rest"))
		run_places_add(&process->places);
	else if ((value = json_object_get(record, "corun")))
		take_corun(process, value);
	else if ((value = json_object_get(record, "head")))
		take_head(process, value);
	else if ((value = json_object_get(record, "process")))
		take_process(process, value);
	else if ((value = json_object_get(record, "end")))
		take_end(process, value);
}

/* ------------------------------------------------------------ all files */

static bool is(const char *line, const char *start)
{
	return !strncmp(line, start, strlen(start));
}

/* Whose it is, and how far it came. False: it died before its head was there. */
static bool look(struct records *records, struct process *process)
{
	FILE *file = open_records(records, process->path);
	struct line line = {0};
	json_t *first = file ? next_record(file, &line) : NULL, *head = file ? next_record(file, &line) : NULL;
	take(process, first);
	while (head && !process->begun && next_line(file, &line) > 0) {
		process->begun = is(line.text, "{\"start\":");
		process->ended = is(line.text, "{\"end\":");
	}
	bool whole = json_object_get(head, "head");
	json_decref(first);
	json_decref(head);
	close_records(records, file, process->path, &line);
	return whole;
}

static int by_start(const void *a, const void *b)
{
	const struct process *left = a, *right = b;
	if (left->started != right->started)
		return left->started < right->started ? -1 : 1;
	if (left->pid != right->pid)
		return left->pid < right->pid ? -1 : 1;
	return left->sequence < right->sequence ? -1 : left->sequence > right->sequence;
}

static void release(struct process *process)
{
	free(process->path);
	free(process->program);
	free(process->running);
	json_decref(process->head);
	json_decref(process->total);
	json_decref(process->policies);
	json_decref(process->sampling);
	json_decref(process->host);
	json_decref(process->verified);
	json_decref(process->coruns);
	json_decref(process->profile);
	json_decref(process->slots);
	run_places_release(&process->places);
	hd_strbuf_release(&process->so_far);
}

static void find_processes(struct records *records, const char *folder)
{
	DIR *dir = opendir(folder);
	if (!dir)
		report_unread(records, folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		const char *end = strrchr(entry->d_name, '.'), *sequence = strchr(entry->d_name, '.');
		if (!end || strcmp(end, ".records"))
			continue;
		struct hd_strbuf path = {0};
		hd_strbuf_printf(&path, "%s/%s", folder, entry->d_name);
		struct process process = {.path = hd_strbuf_detach(&path),
					  .sequence = (unsigned)strtoul(sequence + 1, NULL, 10)};
		if (look(records, &process))
			hd_vec_push(&records->processes, process);
		else
			release(&process);
	}
	if (dir)
		closedir(dir);
	if (records->processes.len)
		qsort(records->processes.data, records->processes.len, sizeof *records->processes.data, by_start);
}

/* Launched something, or may have been about to. */
static bool used(const struct process *process)
{
	return process->begun || !(process->ended || process->replaced);
}

/* Of those that did nothing the first stays when there is no other. */
static void drop_unused(struct records *records)
{
	struct process *list = records->processes.data;
	uint32_t kept = 0, count = 0;
	for (uint32_t i = 0; i < records->processes.len; i++) {
		const struct process *next = i + 1 < records->processes.len ? &list[i + 1] : NULL;
		list[i].replaced = next && next->pid == list[i].pid && next->started == list[i].started;
		count += used(&list[i]);
	}
	for (uint32_t i = 0; i < records->processes.len; i++)
		if (used(&list[i]) || (!count && !i))
			list[kept++] = list[i];
		else
			release(&list[i]);
	records->processes.len = kept;
}

static void give_launch(struct process *process, json_t *launch, struct run_statistics *to)
{
	json_t *given =
		to->wanted ? run_places_whole(&process->places, launch) : run_places_short(&process->places, launch);
	run_statistics_add(to, given);
	json_decref(given);
}

static void read_process(struct records *records, uint32_t index, struct run_statistics *to)
{
	struct process *process = &records->processes.data[index];
	FILE *file = open_records(records, process->path);
	struct line line = {0};
	for (json_t *record; file && (record = next_record(file, &line)); json_decref(record)) {
		json_t *launch = json_object_get(record, "launch");
		run_places_read(&process->places, line.figures);
		take(process, record);
		if (!launch)
			continue;
		process->so_far.len = 0;
		hd_strbuf_append(&process->so_far, line.so_far);
		if (records->processes.len > 1)
			json_object_set_new(launch, "process", json_integer(index));
		give_launch(process, launch, to);
	}
	take_so_far(process);
	close_records(records, file, process->path, &line);
	if (process->total)
		set_ipc(process->total);
	if (process->total && process->policies)
		json_object_update(process->total, process->policies);
	if (process->total && process->sampling)
		json_object_set(process->total, "sampling", process->sampling);
}

/* ------------------------------------------------------------ the document */

static bool in_good_order(const struct process *process)
{
	return !process->running && (process->ended || process->replaced);
}

/* Whether it said that it could not write a record, after which it writes none. */
static bool lacked_room(const struct records *records, const struct process *process)
{
	struct hd_strbuf line = {0};
	hd_strbuf_printf(&line, "fault: statistics of %lld\n", process->pid);
	bool found = strstr(records->said, hd_strbuf_text(&line));
	hd_strbuf_release(&line);
	return found;
}

static void explain(const struct records *records, uint32_t index)
{
	const struct process *process = &records->processes.data[index];
	struct hd_strbuf text = {0};
	if (in_good_order(process))
		return;
	if (records->processes.len > 1)
		hd_strbuf_printf(&text, "process %u (%s)", index, process->program);
	else
		hd_strbuf_append(&text, process->program);
	if (lacked_room(records, process))
		hd_strbuf_append(&text, " could not write the rest of its statistics");
	else if (process->running)
		hd_strbuf_printf(&text, " was killed, or still runs, in kernel %s", process->running);
	else
		hd_strbuf_append(&text, " was killed, aborted, or still runs");
	hd_note(records->diag, HD_NOWHERE, "%s: its figures are those of %lld finished launch%s", hd_strbuf_text(&text),
		process->launches, process->launches == 1 ? "" : "es");
	hd_strbuf_release(&text);
}

/* Kinds of claims: checked and stated ones of all processes. */
static void add_verified(json_t *to, json_t *from)
{
	const char *kind;
	json_t *value;
	json_object_foreach(from, kind, value)
	{
		if (json_object_get(to, kind))
			add_integers(json_object_get(to, kind), value);
		else
			json_object_set_new(to, kind, json_deep_copy(value));
	}
}

static void add_numbers(json_t *to, const json_t *from)
{
	for (size_t i = 0; i < json_array_size(to); i++) {
		json_t *value = json_array_get(to, i);
		json_integer_set(value, json_integer_value(value) + json_integer_value(json_array_get(from, i)));
	}
}

static json_t *find_branch(const json_t *branches, const json_t *pc)
{
	for (size_t i = 0; i < json_array_size(branches); i++)
		if (json_equal(json_object_get(json_array_get(branches, i), "pc"), pc))
			return json_array_get(branches, i);
	return NULL;
}

static void add_function(json_t *to, const json_t *from)
{
	json_t *branches = json_object_get(to, "branches"), *more = json_object_get(from, "branches");
	add_numbers(json_object_get(to, "executed"), json_object_get(from, "executed"));
	for (size_t i = 0; i < json_array_size(more); i++) {
		json_t *branch = json_array_get(more, i), *same = find_branch(branches, json_object_get(branch, "pc"));
		if (!same) {
			json_array_append_new(branches, json_deep_copy(branch));
			continue;
		}
		json_t *pc = json_deep_copy(json_object_get(same, "pc"));
		add_integers(same, branch);
		json_object_set_new(same, "pc", pc);
	}
}

/* Functions of one name and length are one: processes mostly run the same program. */
static void add_profile(json_t *to, const json_t *from)
{
	json_t *functions = json_object_get(to, "functions"), *more = json_object_get(from, "functions");
	for (size_t i = 0; i < json_array_size(more); i++) {
		json_t *function = json_array_get(more, i), *same = NULL;
		size_t length = json_array_size(json_object_get(function, "executed"));
		for (size_t k = 0; k < json_array_size(functions) && !same; k++) {
			json_t *each = json_array_get(functions, k);
			if (json_equal(json_object_get(each, "name"), json_object_get(function, "name")) &&
			    json_array_size(json_object_get(each, "executed")) == length)
				same = each;
		}
		if (same)
			add_function(same, function);
		else
			json_array_append_new(functions, json_deep_copy(function));
	}
}

/* Records have [microseconds, bytes]. */
static double seconds_of(const json_t *host)
{
	json_int_t microseconds = json_integer_value(json_array_get(host, 0)), whole = microseconds / 1000000;
	return (double)whole + (double)(microseconds % 1000000) * 1e-6;
}

static void add_host(json_t *sum, const json_t *host)
{
	json_int_t before = json_integer_value(json_object_get(sum, "peak_bytes"));
	json_int_t peak = json_integer_value(json_array_get(host, 1));
	json_object_set_new(sum, "user_seconds", json_real(figure_number(sum, "user_seconds") + seconds_of(host)));
	json_object_set_new(sum, "peak_bytes", json_integer(peak > before ? peak : before));
}

static bool partial(const struct process *process)
{
	return process->cut || !in_good_order(process);
}

static json_t *process_object(const struct process *process)
{
	json_t *object = json_object();
	json_object_set_new(object, "program", json_string(process->program));
	json_object_set_new(object, "launches", json_integer(process->launches));
	if (partial(process))
		json_object_set_new(object, "partial", json_true());
	if (process->host) {
		json_t *host = json_object();
		add_host(host, process->host);
		json_object_set_new(object, "host", host);
	}
	json_object_set(object, "total", process->total);
	return object;
}

/* Objects of a total whose figures are sums. */
static bool is_of_sums(const char *key)
{
	return !strcmp(key, "l1d") || !strcmp(key, "stalls") || !strcmp(key, "energy");
}

/* Of all processes. Without their launches' figures a policy's would be of one. */
static json_t *total_object(const struct records *records)
{
	const struct process *first = &records->processes.data[0];
	json_t *total = json_deep_copy(first->total);
	const char *key;
	json_t *value;
	if (records->processes.len == 1)
		return total;
	for (uint32_t i = 1; i < records->processes.len; i++)
		if (total && records->processes.data[i].total)
			add_figures(total, records->processes.data[i].total);
	json_object_foreach(total, key, value) if (json_is_object(value) && !is_of_sums(key)) json_object_clear(value);
	return total;
}

static void add_coruns(json_t *document, json_t *coruns)
{
	json_t *all = json_object_get(document, "coruns");
	if (!coruns)
		return;
	if (all)
		json_array_extend(all, coruns);
	else
		json_object_set(document, "coruns", coruns);
}

static void fill_document(const struct records *records, json_t *document)
{
	json_t *host = json_object(), *verified = json_object(), *processes = json_array();
	json_t *profile = json_pack("{s:[]}", "functions"), *slots = NULL;
	bool any_partial = false, any_verified = false, any_profile = false;
	for (uint32_t i = 0; i < records->processes.len; i++) {
		const struct process *process = &records->processes.data[i];
		any_partial = any_partial || partial(process);
		any_verified = any_verified || process->verified;
		any_profile = any_profile || process->profile;
		add_host(host, process->host);
		add_verified(verified, process->verified);
		add_profile(profile, process->profile);
		slots = run_slots_add(slots, process->slots);
		json_array_append_new(processes, process_object(process));
	}
	json_object_update(document, records->processes.data[0].head);
	json_object_set(document, "host", host);
	if (any_partial)
		json_object_set_new(document, "partial", json_true());
	if (records->processes.len > 1)
		json_object_set(document, "processes", processes);
	json_object_set_new(document, "total", total_object(records));
	json_object_set_new(document, "launches", json_array());
	for (uint32_t i = 0; i < records->processes.len; i++)
		add_coruns(document, records->processes.data[i].coruns);
	if (any_verified)
		json_object_set(document, "verified", verified);
	if (any_profile)
		json_object_set(document, "profile", profile);
	if (slots)
		json_object_set_new(document, "slots", slots);
	json_decref(host);
	json_decref(verified);
	json_decref(processes);
	json_decref(profile);
}

/* A file in the folder that is gone when it is closed. */
static FILE *open_unnamed(const char *folder)
{
	struct hd_strbuf path = {0};
	hd_strbuf_printf(&path, "%s/launches", folder);
	FILE *file = fopen(hd_strbuf_text(&path), "w+");
	unlink(hd_strbuf_text(&path));
	hd_strbuf_release(&path);
	return file;
}

int run_records_read(const char *folder, const char *said, bool launches, struct run_statistics **to,
		     struct hd_diag *diag)
{
	struct records records = {.said = said, .diag = diag};
	struct run_statistics *statistics = NULL;
	find_processes(&records, folder);
	drop_unused(&records);
	if (records.processes.len)
		statistics = run_statistics_new(json_object(), launches, launches ? open_unnamed(folder) : NULL, diag);
	for (uint32_t i = 0; i < records.processes.len; i++)
		read_process(&records, i, statistics);
	for (uint32_t i = 0; i < records.processes.len && !records.unread; i++)
		explain(&records, i);
	if (statistics && !records.unread)
		fill_document(&records, statistics->document);
	for (uint32_t i = 0; i < records.processes.len; i++)
		release(&records.processes.data[i]);
	hd_vec_release(&records.processes);
	if (statistics && records.unread) { /* a document that lacks something looks like one of a shorter run */
		run_statistics_free(statistics);
		statistics = NULL;
	}
	*to = statistics;
	return records.unread ? -1 : 0;
}
