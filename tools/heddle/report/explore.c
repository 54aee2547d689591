/*
 * The data of the interactive page, as one document.
 */
#include "tools/heddle/report/explore.h"

#include "heddle/stats.h"
#include "lib/metadata/json.h"

static json_t *reasons_json(void)
{
	json_t *array = json_array();
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		json_array_append_new(array, json_pack("{s:s,s:s,s:s}", "name", hd_stall_name[i], "nsight",
						       hd_stall_nsight[i], "help", hd_stall_help[i]));
	return array;
}

json_t *explore_json(struct report *report, const char *title)
{
	struct explore explore = {.report = report,
				  .arena = &report->arena,
				  .index = json_object(),
				  .calls = json_array()};
	json_t *object = json_object(), *runs = json_array();
	explore_find_functions(&explore);
	for (uint32_t i = 0; i < report->runs.len; i++)
		json_array_append_new(runs, explore_run_json(&explore, &report->runs.data[i]));
	json_object_set_new(object, "title", hd_json_text(title));
	json_object_set_new(object, "reasons", reasons_json());
	json_object_set_new(object, "runs", runs);
	json_object_set_new(object, "functions", explore_functions_json(&explore));
	json_object_set_new(object, "files", explore_files_json(&explore));
	json_object_set_new(object, "calls", explore.calls);
	json_decref(explore.index);
	hd_vec_release(&explore.functions);
	hd_vec_release(&explore.files);
	hd_vec_release(&explore.inlined);
	return object;
}
