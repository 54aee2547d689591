/*
 * Findings as a Code Quality report of GitLab CI: a list of issues with a fingerprint and one place each, which merge
 * requests show beside the lines. What is only told has the severity "info".
 */
#include <stdlib.h>

#include "lib/metadata/json.h"
#include "tools/heddle/gate/report.h"

static json_t *issue(const char *description, const char *rule, const char *fingerprint, const char *severity,
		     struct gate_place place)
{
	/* Every issue has a path. */
	const char *path = place.file ? place.file : "heddle";
	return json_pack("{s:o,s:s,s:s,s:s,s:{s:o,s:{s:i}}}", "description", hd_json_text(description), "check_name",
			 rule, "fingerprint", fingerprint, "severity", severity, "location", "path", hd_json_text(path),
			 "lines", "begin", (int)(place.line ? place.line : 1));
}

void gate_write_gitlab(const struct gate_report *report, struct hd_strbuf *out)
{
	json_t *issues = json_array();
	for (uint32_t i = 0; i < report->findings.len; i++) {
		const struct gate_finding *finding = &report->findings.data[i];
		const char *text =
			finding->subject ? hd_arena_printf(report->arena, "%s: %s", finding->subject, finding->message)
					 : finding->message;
		/* In one list, GPUs with other figures need names of their own. */
		const char *name =
			finding->by_gpu ? hd_arena_printf(report->arena, "%s-%x", finding->fingerprint, finding->gpus)
					: finding->fingerprint;
		json_array_append_new(issues,
				      issue(text, finding->rule->id, name, finding->told_only ? "info" : "major",
					    gate_finding_anchor(report, finding)));
	}
	for (uint32_t i = 0; i < report->troubles.len; i++) {
		const struct gate_trouble *trouble = &report->troubles.data[i];
		struct gate_place place = {0};
		if (trouble->loc.file)
			place = gate_place_in(report, trouble->loc.file, trouble->loc.line);
		json_array_append_new(issues,
				      issue(trouble->message, "heddle-input",
					    gate_fingerprint(report->arena, "heddle-input", NULL, trouble->message),
					    "blocker",
					    gate_report_in_repository(report, place) ? place : (struct gate_place){0}));
	}
	char *text = hd_json_dump(issues);
	json_decref(issues);
	hd_strbuf_append(out, text ? text : "");
	free(text);
}
