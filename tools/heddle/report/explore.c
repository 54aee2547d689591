/*
 * The data of the interactive page, as one document.
 */
#include "tools/heddle/report/explore.h"

#include "heddle/stats.h"
#include "lib/metadata/json.h"
#include "tools/heddle/lines.h"

enum { MOST_MATCHED = 8 };

static json_t *reasons_json(void)
{
	json_t *array = json_array();
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		json_array_append_new(array, json_pack("{s:s,s:s,s:s}", "name", hd_stall_name[i], "nsight",
						       hd_stall_nsight[i], "help", hd_stall_help[i]));
	return array;
}

/* For each two runs whose sources differ, what they have in common (lines.h); of the first MOST_MATCHED runs. */
static json_t *matches_json(const struct report *report)
{
	json_t *array = json_array();
	uint32_t count = report->runs.len < MOST_MATCHED ? report->runs.len : MOST_MATCHED;
	for (uint32_t a = 0; a < count; a++)
		for (uint32_t b = a + 1; b < count; b++) {
			const json_t *const slots[2] = {json_object_get(report->runs.data[a].stats, "slots"),
							json_object_get(report->runs.data[b].stats, "slots")};
			json_t *files = lines_match(slots);
			if (json_array_size(files))
				json_array_append_new(array, json_pack("{s:i,s:i,s:O}", "a", (int)a, "b", (int)b,
								       "files", files));
			json_decref(files);
		}
	return array;
}

json_t *explore_json(struct report *report, const char *title)
{
	struct explore explore = {.report = report,
				  .arena = &report->arena,
				  .index = json_object(),
				  .chosen = json_object(),
				  .calls = json_array()};
	json_t *object = json_object(), *runs = json_array();
	explore_find_functions(&explore);
	for (uint32_t i = 0; i < report->runs.len; i++)
		json_array_append_new(runs, explore_run_json(&explore, &report->runs.data[i]));
	json_object_set_new(object, "title", hd_json_text(title));
	json_object_set_new(object, "reasons", reasons_json());
	json_object_set_new(object, "runs", runs);
	json_object_set_new(object, "matches", matches_json(report));
	json_object_set_new(object, "matched", json_integer(MOST_MATCHED));
	json_object_set_new(object, "functions", explore_functions_json(&explore));
	json_object_set_new(object, "files", explore_files_json(&explore));
	json_object_set_new(object, "calls", explore.calls);
	json_decref(explore.index);
	json_decref(explore.chosen);
	hd_vec_release(&explore.functions);
	hd_vec_release(&explore.files);
	hd_vec_release(&explore.inlined);
	return object;
}
