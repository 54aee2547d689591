/*
 * What a sweep would do: counts with an estimate of the time, and the list of runs.
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/metadata/json.h"
#include "tools/heddle/cmd.h"
#include "tools/heddle/sweep/sweep.h"
#include "tools/heddle/sweep/times.h"

static const char *state_name(enum store_state state)
{
	switch (state) {
	case STORE_DONE: return "done";
	case STORE_DAMAGED: return "damaged";
	case STORE_FAILED: return "failed";
	case STORE_MISSING: break;
	}
	return "missing";
}

/* Programs without the metadata of the simulator cannot be told from those that are not there yet. */
static void count_programs(const struct sweep *sweep, struct sweep_counts *counts)
{
	for (uint32_t i = 0; i < sweep->runs.programs.len; i++)
		counts->programs += sweep->runs.programs.data[i].source && !*sweep->runs.programs.data[i].digest;
}

void sweep_count(struct sweep *sweep, struct sweep_counts *counts)
{
	*counts = (struct sweep_counts){.runs = sweep->runs.runs.len};
	count_programs(sweep, counts);
	for (uint32_t i = 0; i < sweep->runs.runs.len; i++) {
		const struct sweep_run *run = &sweep->runs.runs.data[i];
		struct estimate estimate;
		if (run->same != i) {
			counts->same++;
			continue;
		}
		enum store_state state = sweep_state(sweep, run);
		counts->done += state == STORE_DONE;
		counts->failed += state == STORE_FAILED;
		counts->damaged += state == STORE_DAMAGED;
		counts->missing += state == STORE_MISSING;
		counts->unbuilt += !*run->key;
		if (state == STORE_DONE || (state == STORE_FAILED && !sweep->again))
			continue;
		if (estimates_of(&sweep->estimates, run, &estimate))
			counts->seconds += estimate.seconds;
		else
			counts->unknown++;
	}
}

int sweep_dry_run(struct sweep *sweep)
{
	struct sweep_counts counts;
	char time[32];
	sweep_count(sweep, &counts);
	printf("%u runs", counts.runs);
	if (sweep->runs.excluded)
		printf(", %u more excluded", sweep->runs.excluded);
	printf("\n");
	if (counts.same)
		printf("%u are the same as others\n", counts.same);
	printf("%u done, %u failed, %u missing, %u damaged\n", counts.done, counts.failed, counts.missing,
	       counts.damaged);
	if (counts.programs)
		printf("%u programs to compile, for %u runs\n", counts.programs, counts.unbuilt);
	printf("about %s with %u at a time", times_print(counts.seconds / sweep->jobs, time), sweep->jobs);
	if (counts.unknown)
		printf(", and %u runs like none before", counts.unknown);
	printf("\n");
	return CMD_OK;
}

/* A line of JSON for each run: what it is, its state, and where its result or its log is. */
int sweep_list(struct sweep *sweep)
{
	for (uint32_t i = 0; i < sweep->runs.runs.len; i++) {
		const struct sweep_run *run = &sweep->runs.runs.data[i];
		enum store_state state = sweep_state(sweep, run);
		json_t *record = identity_record(&sweep->identity, &sweep->runs, run);
		const char *built = sweep->runs.programs.data[run->program].path;
		json_object_set_new(record, "state", json_string(state_name(state)));
		json_object_set_new(record, "built", built ? hd_json_text(built) : json_null());
		if (*run->key)
			json_object_set_new(record, "result", hd_json_text(store_result(&sweep->store, run->key)));
		char *cause = state == STORE_FAILED ? sweep_cause(sweep, run) : NULL;
		if (cause) {
			json_object_set_new(record, "cause", hd_json_text(cause));
			const char *log = store_log(&sweep->store, run->key);
			if (!access(log, F_OK))
				json_object_set_new(record, "log", hd_json_text(log));
		}
		free(cause);
		json_dumpf(record, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER);
		putchar('\n');
		json_decref(record);
	}
	return CMD_OK;
}
