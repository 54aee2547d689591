/*
 * Findings as SARIF 2.1.0: one run a GPU, and another for what runs found, each with a category of its own
 * (automationDetails.id), so that an upload for one GPU, or of a build, does not close the alerts of another. A finding
 * that holds for every GPU is in each of its GPUs' runs, with one fingerprint.
 *
 * Locations are relative to the repository (uriBaseId SRCROOT); what lies outside is a file URI without a base. The
 * fingerprint also stands under the key by which GitHub tells alerts apart, so that they survive edits of the source
 * around them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/version.h"
#include "lib/metadata/json.h"
#include "tools/heddle/gate/report.h"

static const char schema[] =
	"https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/* Message strings are templates (SARIF 3.11.5, 3.11.6): braces are doubled, and nothing may read as a link. */
static json_t *message_json(const char *text)
{
	struct hd_strbuf plain = {0};
	for (const char *at = text; *at; at++) {
		if (*at == '{' || *at == '}')
			hd_strbuf_append_bytes(&plain, at, 1);
		hd_strbuf_append_bytes(&plain, at, 1);
		if (at[0] == ']' && at[1] == '(')
			hd_strbuf_append(&plain, " ");
	}
	json_t *message = json_object();
	json_object_set_new(message, "text", hd_json_text(hd_strbuf_text(&plain)));
	hd_strbuf_release(&plain);
	return message;
}

/* A path as a reference behind a scheme: everything but unreserved characters and slashes is encoded. */
static json_t *uri_json(const char *scheme, const char *path)
{
	struct hd_strbuf uri = {0};
	hd_strbuf_append(&uri, scheme);
	for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
		bool plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') ||
			     strchr("-._~/", *at);
		hd_strbuf_printf(&uri, plain ? "%c" : "%%%02X", *at);
	}
	json_t *text = json_string(hd_strbuf_text(&uri));
	hd_strbuf_release(&uri);
	return text;
}

static json_t *artifact_json(const struct gate_report *report, const char *file)
{
	const char *absolute = gate_root_absolute(report->root, file, report->arena);
	return absolute ? json_pack("{s:o}", "uri", uri_json("file://", absolute))
			: json_pack("{s:o,s:s}", "uri", uri_json("", file), "uriBaseId", "SRCROOT");
}

/* The text of a line of the source, in the arena; NULL: the source is not at hand or outside of the repository. */
static const char *source_line(const struct gate_report *report, struct gate_place place)
{
	struct gate_source *source = report->source;
	if (gate_root_absolute(report->root, place.file, report->arena))
		return NULL;
	if (!source->file || strcmp(source->file, place.file) != 0) {
		free(source->text);
		*source = (struct gate_source){place.file, gate_root_text(report->root, place.file)};
	}
	const char *at = source->text;
	for (uint32_t number = 1; at && number < place.line; number++) {
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	if (!at || !place.line || !*at)
		return NULL;
	return hd_arena_printf(report->arena, "%.*s", (int)strcspn(at, "\r\n"), at);
}

/* The column, from 1 on, of a byte of a line: in units of UTF-16. */
static json_int_t column_of(const char *line, size_t byte)
{
	json_int_t column = 1;
	for (size_t i = 0; i < byte; i++)
		column += ((unsigned char)line[i] & 0xc0) == 0x80 ? 0 : 1 + ((unsigned char)line[i] >= 0xf0);
	return column;
}

static json_t *columns_json(uint32_t number, const char *line, size_t from, size_t to)
{
	return json_pack("{s:I,s:I,s:I,s:I}", "startLine", (json_int_t)number, "startColumn", column_of(line, from),
			 "endLine", (json_int_t)number, "endColumn", column_of(line, to));
}

/* The statement's line without its indentation, with its text; the line alone where the source is not at hand. */
static json_t *region_json(const struct gate_report *report, struct gate_place place)
{
	const char *line = source_line(report, place);
	size_t from = line ? strspn(line, " \t") : 0;
	if (!line || !line[from])
		return json_pack("{s:I}", "startLine", (json_int_t)(place.line ? place.line : 1));
	json_t *region = columns_json(place.line, line, from, strlen(line));
	json_object_set_new(region, "snippet", json_pack("{s:o}", "text", hd_json_text(line + from)));
	return region;
}

static json_t *physical_json(const struct gate_report *report, struct gate_place place)
{
	return json_pack("{s:o,s:o}", "artifactLocation", artifact_json(report, place.file), "region",
			 region_json(report, place));
}

/* ------------------------------------------------------------------ fixes */

static bool is_word(char letter)
{
	return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
	       (letter >= '0' && letter <= '9') || letter == '_' || letter == '.';
}

/* The end of the literal of type double at `at`; NULL: there is none. */
static const char *double_literal(const char *at)
{
	const char *end = at + strspn(at, "0123456789");
	bool point = *end == '.', exponent;
	end += point ? 1 + strspn(end + 1, "0123456789") : 0;
	exponent = (*end == 'e' || *end == 'E') && end > at;
	if (exponent) {
		const char *digits = end + 1 + (end[1] == '+' || end[1] == '-');
		exponent = strspn(digits, "0123456789") > 0;
		end = exponent ? digits + strspn(digits, "0123456789") : end;
	}
	return (point || exponent) && end - at > 1 && !is_word(*end) ? end : NULL;
}

/* Appends the `f` that each literal of a line lacks; NULL: none lacks it. */
static json_t *literal_fix(const struct gate_report *report, struct gate_place place)
{
	const char *line = source_line(report, place), *end;
	json_t *replacements = json_array();
	for (const char *at = line; at && *at && strncmp(at, "//", 2) != 0; at++) {
		bool begins = (at == line || !is_word(at[-1])) && (end = double_literal(at));
		if (!begins)
			continue;
		json_t *region = columns_json(place.line, line, (size_t)(end - line), (size_t)(end - line));
		json_array_append_new(replacements, json_pack("{s:o,s:{s:s}}", "deletedRegion", region,
							      "insertedContent", "text", "f"));
		at = end - 1;
	}
	if (!json_array_size(replacements)) {
		json_decref(replacements);
		return NULL;
	}
	return json_pack("[{s:{s:s},s:[{s:o,s:o}]}]", "description", "text", "Write the literals as float, with an f.",
			 "artifactChanges", "artifactLocation", artifact_json(report, place.file), "replacements",
			 replacements);
}

/* What can be put right by changing the text of the line; NULL: nothing is known. */
static json_t *fixes_json(const struct gate_report *report, const struct gate_finding *finding)
{
	const char *metric = finding->metric ? finding->metric : "";
	bool doubles = strcmp(metric, "fp64_instructions") == 0 || strcmp(metric, "conversion_instructions") == 0;
	return doubles && finding->place.file ? literal_fix(report, finding->place) : NULL;
}

/* ------------------------------------------------------------------ results */

static json_t *locations_json(const struct gate_report *report, const struct gate_finding *finding)
{
	json_t *location = json_object(), *locations = json_array();
	json_object_set_new(location, "physicalLocation", physical_json(report, finding->place));
	if (finding->subject)
		json_object_set_new(location, "logicalLocations",
				    json_pack("[{s:o,s:o,s:s}]", "fullyQualifiedName", hd_json_text(finding->subject),
					      "decoratedName", hd_json_text(finding->symbol), "kind", "function"));
	json_array_append_new(locations, location);
	return locations;
}

static json_t *related_json(const struct gate_report *report, const struct gate_finding *finding)
{
	json_t *related = json_array();
	for (uint32_t n = 0; n < finding->notes.len; n++) {
		const struct gate_note *note = &finding->notes.data[n];
		if (note->place.file)
			json_array_append_new(related, json_pack("{s:I,s:o,s:o}", "id", (json_int_t)n,
								 "physicalLocation", physical_json(report, note->place),
								 "message", message_json(note->text)));
	}
	return related;
}

static void set_property(json_t *properties, const char *key, const char *text)
{
	if (text)
		json_object_set_new(properties, key, hd_json_text(text));
}

static json_t *result_json(const struct gate_report *report, const struct gate_finding *finding)
{
	uint32_t rule = 0;
	while (report->rules.data[rule] != finding->rule)
		rule++;
	struct hd_strbuf text = {0};
	hd_strbuf_printf(&text, "%s%s%s", finding->subject ? finding->subject : "", finding->subject ? ": " : "",
			 finding->message);
	json_t *result = json_object(), *properties = json_object(), *related = related_json(report, finding);
	json_object_set_new(result, "ruleId", json_string(finding->rule->id));
	json_object_set_new(result, "ruleIndex", json_integer(rule));
	json_object_set_new(result, "level", json_string(gate_finding_level(finding)));
	json_object_set_new(result, "message", message_json(hd_strbuf_text(&text)));
	json_object_set_new(result, "locations", locations_json(report, finding));
	if (json_array_size(related))
		json_object_set(result, "relatedLocations", related);
	json_decref(related);
	json_t *fixes = fixes_json(report, finding);
	if (fixes)
		json_object_set_new(result, "fixes", fixes);
	json_object_set_new(result, "fingerprints", json_pack("{s:s}", "heddle/v1", finding->fingerprint));
	json_object_set_new(result, "partialFingerprints",
			    json_pack("{s:s}", "primaryLocationLineHash", finding->fingerprint));
	set_property(properties, "metric", finding->metric);
	if (finding->compared) {
		json_object_set_new(properties, "value", gate_value_json(&finding->value));
		json_object_set_new(properties, "limit", gate_value_json(&finding->limit));
	}
	set_property(properties, "object", finding->object);
	json_object_set_new(result, "properties", properties);
	hd_strbuf_release(&text);
	return result;
}

static json_t *rules_json(const struct gate_report *report)
{
	json_t *rules = json_array();
	for (uint32_t i = 0; i < report->rules.len; i++) {
		const struct gate_rule *rule = report->rules.data[i];
		json_t *object = json_object();
		json_object_set_new(object, "id", json_string(rule->id));
		json_object_set_new(object, "name", json_string(rule->name));
		json_object_set_new(object, "shortDescription", message_json(rule->brief));
		json_object_set_new(object, "fullDescription", message_json(rule->help));
		json_object_set_new(object, "help", message_json(rule->help));
		json_object_set_new(object, "defaultConfiguration", json_pack("{s:s}", "level", "error"));
		json_object_set_new(object, "properties",
				    json_pack("{s:[s],s:s}", "tags", "performance", "precision", "very-high"));
		json_array_append_new(rules, object);
	}
	return rules;
}

static json_t *invocation_json(const struct gate_report *report)
{
	json_t *notifications = json_array();
	for (uint32_t i = 0; i < report->troubles.len; i++) {
		const struct gate_trouble *trouble = &report->troubles.data[i];
		struct hd_strbuf text = {0};
		if (trouble->loc.file)
			hd_strbuf_printf(&text, "%s:%u: ", trouble->loc.file, trouble->loc.line);
		hd_strbuf_append(&text, trouble->message);
		json_array_append_new(notifications, json_pack("{s:s,s:o}", "level", "error", "message",
							       message_json(hd_strbuf_text(&text))));
		hd_strbuf_release(&text);
	}
	return json_pack("{s:b,s:o}", "executionSuccessful", report->troubles.len == 0, "toolExecutionNotifications",
			 notifications);
}

static bool has_builds(const struct gate_report *report)
{
	return report->kernels + report->functions || !report->runs;
}

static bool is_of_runs(const struct gate_report *report, const struct gate_finding *finding)
{
	return finding->of_run || !has_builds(report);
}

/* `of_runs`: what runs found; else what the compiler says, and what has no kernel to be about. */
static json_t *run_json(const struct gate_report *report, unsigned gpu, bool of_runs)
{
	char category[96];
	json_t *run = json_object(), *results = json_array();
	snprintf(category, sizeof(category), "heddle/%s/%s", report->gpus->config[gpu].name, of_runs ? "run/" : "");
	json_object_set_new(run, "tool",
			    json_pack("{s:{s:s,s:s,s:s,s:o}}", "driver", "name", "Heddle", "version", HD_VERSION,
				      "semanticVersion", HD_VERSION, "rules", rules_json(report)));
	json_object_set_new(run, "automationDetails", json_pack("{s:s}", "id", category));
	json_object_set_new(run, "originalUriBaseIds",
			    json_pack("{s:{s:o}}", "SRCROOT", "description",
				      message_json("The root of the repository.")));
	json_object_set_new(run, "invocations", json_pack("[o]", invocation_json(report)));
	json_object_set_new(run, "columnKind", json_string("utf16CodeUnits"));
	json_object_set_new(run, "results", results);
	for (uint32_t i = 0; i < report->findings.len; i++) {
		const struct gate_finding *finding = &report->findings.data[i];
		if (is_of_runs(report, finding) == of_runs && (finding->every_gpu || finding->gpus >> gpu & 1))
			json_array_append_new(results, result_json(report, finding));
	}
	return run;
}

void gate_write_sarif(const struct gate_report *report, struct hd_strbuf *out)
{
	json_t *log = json_object(), *runs = json_array();
	json_object_set_new(log, "$schema", json_string(schema));
	json_object_set_new(log, "version", json_string("2.1.0"));
	json_object_set_new(log, "runs", runs);
	for (unsigned gpu = 0; gpu < report->gpus->count; gpu++)
		for (int of_runs = 0; of_runs < 2; of_runs++)
			if (report->used_gpus >> gpu & 1 && (of_runs ? report->runs > 0 : has_builds(report)))
				json_array_append_new(runs, run_json(report, gpu, of_runs));
	char *text = hd_json_dump(log);
	json_decref(log);
	hd_strbuf_append(out, text ? text : "");
	free(text);
}
