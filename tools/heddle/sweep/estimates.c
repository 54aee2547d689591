/*
 * Means of earlier runs: see estimates.h. A look-up is five hashes.
 */
#include "tools/heddle/sweep/estimates.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4 };

struct estimate_sum {
	const char *name; /* the first fields of a run, each with a tab behind it */
	double seconds;
	uint64_t peak_bytes; /* the most */
	uint32_t count;
};

struct line {
	const char *fields[FIELDS];
};

static struct line line_of(const struct sweep_run *run)
{
	return (struct line){{run_value(run, "workload"), run_value(run, "arguments"), run_value(run, "gpu"),
			      run_value(run, "policy")}};
}

static const char *name_of(const struct line *line, unsigned fields, char *text, size_t size)
{
	size_t length = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < fields && length < size; i++)
		length += (size_t)snprintf(text + length, size - length, "%s\t", line->fields[i]);
	return text;
}

static struct hd_hash_slot *slot_of(const struct estimates *estimates, const char *name, uint64_t hash)
{
	struct hd_hash_slot *slot;
	HD_HASH_FIND(slot, (struct hd_hash_set *)&estimates->set, hash,
		     !strcmp(estimates->sums.data[slot->id].name, name));
	return slot;
}

static void add(struct estimates *estimates, const struct line *line, double seconds, uint64_t peak_bytes)
{
	char name[1024];
	for (unsigned fields = 0; fields <= FIELDS; fields++) {
		name_of(line, fields, name, sizeof name);
		uint64_t hash = hd_hash_text(HD_HASH_TEXT, name);
		struct hd_hash_slot *slot = slot_of(estimates, name, hash);
		if (!hd_hash_found(slot)) {
			hd_hash_set_put(&estimates->set, slot, hash, estimates->sums.len);
			hd_vec_push(&estimates->sums,
				    (struct estimate_sum){.name = hd_arena_strdup(&estimates->arena, name)});
		}
		struct estimate_sum *sum = &estimates->sums.data[slot->id];
		sum->seconds += seconds;
		sum->count++;
		if (peak_bytes > sum->peak_bytes)
			sum->peak_bytes = peak_bytes;
	}
}

/* seconds, bytes, and the fields. */
static void read_line(struct estimates *estimates, char *text)
{
	struct line line;
	char *end, *rest;
	double seconds = strtod(text, &end);
	uint64_t bytes = *end == '\t' ? strtoull(end + 1, &end, 10) : 0;
	if (*end != '\t' || !strchr(end, '\n'))
		return;
	end[strcspn(end, "\n")] = '\0';
	rest = end + 1;
	for (unsigned i = 0; i < FIELDS; i++)
		line.fields[i] = strsep(&rest, "\t");
	if (line.fields[FIELDS - 1] && !rest)
		add(estimates, &line, seconds, bytes);
}

void estimates_open(struct estimates *estimates, const struct store *store, bool write)
{
	char path[4096], *line = NULL;
	size_t room = 0;
	*estimates = (struct estimates){0};
	hd_arena_init(&estimates->arena);
	snprintf(path, sizeof path, "%s/history.tsv", store->path);
	FILE *file = fopen(path, "re");
	while (file && getline(&line, &room, file) > 0)
		read_line(estimates, line);
	if (file)
		fclose(file);
	free(line);
	estimates->file = write ? fopen(path, "ae") : NULL;
}

void estimates_close(struct estimates *estimates)
{
	if (estimates->file)
		fclose(estimates->file);
	hd_vec_release(&estimates->sums);
	hd_hash_set_release(&estimates->set);
	hd_arena_release(&estimates->arena);
}

void estimates_add(struct estimates *estimates, const struct sweep_run *run, const struct store_cost *cost)
{
	struct line line = line_of(run);
	add(estimates, &line, cost->seconds, cost->peak_bytes);
	if (!estimates->file)
		return;
	fprintf(estimates->file, "%.3f\t%" PRIu64, cost->seconds, cost->peak_bytes);
	for (unsigned i = 0; i < FIELDS; i++)
		fprintf(estimates->file, "\t%s", line.fields[i]);
	fputc('\n', estimates->file);
	fflush(estimates->file);
}

bool estimates_of(const struct estimates *estimates, const struct sweep_run *run, struct estimate *estimate)
{
	struct line line = line_of(run);
	char name[1024];
	for (unsigned fields = FIELDS + 1; fields-- > 0;) {
		name_of(&line, fields, name, sizeof name);
		const struct hd_hash_slot *slot = slot_of(estimates, name, hd_hash_text(HD_HASH_TEXT, name));
		if (!hd_hash_found(slot))
			continue;
		const struct estimate_sum *sum = &estimates->sums.data[slot->id];
		*estimate = (struct estimate){sum->seconds / sum->count, sum->peak_bytes};
		return true;
	}
	return false;
}
