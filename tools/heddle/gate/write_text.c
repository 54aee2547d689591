/*
 * Findings as text and as JSON.
 */
#include <stdlib.h>

#include "heddle/figures.h"
#include "lib/metadata/json.h"
#include "tools/heddle/gate/report.h"

/* As compilers colour: the place bold, what is wrong red, a gain green, notes blue. */
static void append_place(struct hd_strbuf *out, struct gate_place place, const char *severity, bool colour)
{
	const char *on = !colour	      ? ""
			 : severity[0] == 'e' ? "\033[1;31m"
			 : severity[0] == 'b' ? "\033[1;32m"
					      : "\033[34m";
	const char *bold = colour ? "\033[1m" : "", *off = colour ? "\033[0m" : "";
	if (place.file)
		hd_strbuf_printf(out, "%s%s:%u:%s %s%s:%s ", bold, place.file, place.line, off, on, severity, off);
	else
		hd_strbuf_printf(out, "%sheddle:%s %s%s:%s ", bold, off, on, severity, off);
}

void gate_write_text(const struct gate_report *report, struct hd_strbuf *out)
{
	for (uint32_t i = 0; i < report->findings.len; i++) {
		const struct gate_finding *finding = &report->findings.data[i];
		append_place(out, finding->place, finding->told_only ? "better" : "error", report->colour);
		if (finding->subject)
			hd_strbuf_printf(out, "%s: ", finding->subject);
		hd_strbuf_printf(out, "%s [%s]\n", finding->message, finding->rule->id);
		for (uint32_t n = 0; n < finding->notes.len; n++) {
			append_place(out, finding->notes.data[n].place, "note", report->colour);
			hd_strbuf_printf(out, "%s\n", finding->notes.data[n].text);
		}
	}
}

/* ------------------------------------------------------------------ JSON */

static json_t *gpus_json(const struct gate_report *report, uint32_t gpus, bool every)
{
	json_t *array = json_array();
	for (unsigned i = 0; i < report->gpus->count; i++)
		if (every ? report->used_gpus >> i & 1 : gpus >> i & 1)
			json_array_append_new(array, json_string(report->gpus->config[i].name));
	return array;
}

static json_t *finding_json(const struct gate_report *report, const struct gate_finding *finding)
{
	json_t *object = json_object(), *notes = json_array();
	json_object_set_new(object, "rule", json_string(finding->rule->id));
	json_object_set_new(object, "level", json_string(gate_finding_level(finding)));
	json_object_set_new(object, "message", hd_json_text(finding->message));
	json_object_set_new(object, "source", gate_place_json(finding->place));
	json_object_set_new(object, "subject", hd_json_text(finding->subject));
	json_object_set_new(object, "symbol", hd_json_text(finding->symbol));
	json_object_set_new(object, "object", hd_json_text(finding->object));
	json_object_set_new(object, "gpus", gpus_json(report, finding->gpus, finding->every_gpu));
	json_object_set_new(object, "metric", hd_json_text(finding->metric));
	json_object_set_new(object, "value", finding->compared ? gate_value_json(&finding->value) : json_null());
	json_object_set_new(object, "limit", finding->compared ? gate_value_json(&finding->limit) : json_null());
	json_object_set_new(object, "fingerprint", hd_json_text(finding->fingerprint));
	json_object_set_new(object, "notes", notes);
	for (uint32_t n = 0; n < finding->notes.len; n++)
		json_array_append_new(notes,
				      json_pack("{s:o,s:o}", "source", gate_place_json(finding->notes.data[n].place),
						"text", hd_json_text(finding->notes.data[n].text)));
	return object;
}

static json_t *builds_json(const struct gate_report *report)
{
	json_t *builds = json_array();
	for (uint32_t i = 0; i < report->builds.len; i++) {
		const struct gate_build *build = &report->builds.data[i];
		json_array_append_new(builds, json_pack("{s:s,s:o,s:o,s:I}", "what", build->what, "old",
							hd_json_text(build->old), "new", hd_json_text(build->now),
							"entries", (json_int_t)build->entries));
	}
	return builds;
}

void gate_write_json(const struct gate_report *report, struct hd_strbuf *out)
{
	json_t *document = json_object(), *findings = json_array(), *troubles = json_array();
	json_object_set_new(document, "gpus", gpus_json(report, report->used_gpus, false));
	json_object_set_new(document, "kernels", json_integer(report->kernels));
	json_object_set_new(document, "functions", json_integer(report->functions));
	json_object_set_new(document, "runs", json_integer(report->runs));
	json_object_set_new(document, "comparisons", json_integer(report->cases.len));
	json_object_set_new(document, "builds", builds_json(report));
	json_object_set_new(document, "findings", findings);
	json_object_set_new(document, "errors", troubles);
	for (uint32_t i = 0; i < report->findings.len; i++)
		json_array_append_new(findings, finding_json(report, &report->findings.data[i]));
	for (uint32_t i = 0; i < report->troubles.len; i++) {
		const struct hd_meta_source source = {report->troubles.data[i].loc.file,
						      report->troubles.data[i].loc.line};
		json_array_append_new(troubles, json_pack("{s:o,s:o}", "source", hd_json_source(&source), "message",
							  hd_json_text(report->troubles.data[i].message)));
	}
	char *text = hd_json_dump(document);
	json_decref(document);
	hd_strbuf_append(out, text ? text : "");
	free(text);
}
