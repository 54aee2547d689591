/*
 * Findings: their rules, places, fingerprints and the dispatch to the writers.
 *
 * A fingerprint is made from the rule, the kernel's name and the metric, never from lines or values, so that an alert
 * stays the same one while the source around it moves and the figure changes. Of runs and budgets it has the GPU, too;
 * where formats have a category for each GPU, the others need none.
 */
#include "heddle/figures.h"
#include "tools/heddle/gate/carry.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/metadata/json.h"

static const struct gate_rule fixed_rules[] = {
#define GATE_RULE(id, name, brief, help) {id, name, brief, help},
#include "tools/heddle/gate/rules.def"
#undef GATE_RULE
};

void gate_report_init(struct gate_report *report, struct hd_arena *arena, const struct gate_root *root,
		      const struct gate_gpus *gpus)
{
	*report = (struct gate_report){.arena = arena, .root = root, .gpus = gpus};
	report->source = hd_xcalloc(1, sizeof(*report->source));
}

void gate_report_release(struct gate_report *report)
{
	for (uint32_t i = 0; i < report->findings.len; i++)
		hd_vec_release(&report->findings.data[i].notes);
	hd_vec_release(&report->findings);
	hd_vec_release(&report->cases);
	hd_vec_release(&report->troubles);
	hd_vec_release(&report->builds);
	hd_vec_release(&report->rules);
	free(report->source->text);
	free(report->source);
}

/* ------------------------------------------------------------------ rules */

static const struct gate_rule *known_rule(const struct gate_report *report, const char *id)
{
	for (uint32_t i = 0; i < report->rules.len; i++)
		if (strcmp(report->rules.data[i]->id, id) == 0)
			return report->rules.data[i];
	return NULL;
}

static const struct gate_rule *keep_rule(struct gate_report *report, const struct gate_rule *rule)
{
	uint32_t at = report->rules.len;
	hd_vec_push(&report->rules, rule);
	for (; at && strcmp(report->rules.data[at - 1]->id, rule->id) > 0; at--)
		report->rules.data[at] = report->rules.data[at - 1];
	report->rules.data[at] = rule;
	return rule;
}

/* "BudgetMaxStackDepth" for max_stack_depth */
static char *pascal_case(struct hd_arena *arena, const char *prefix, const char *name)
{
	char *text = hd_arena_printf(arena, "%s%s", prefix, name), *to = text + strlen(prefix);
	bool upper = true;
	for (const char *from = name; *from; from++) {
		if (isalnum((unsigned char)*from))
			*to++ = (char)(upper ? toupper((unsigned char)*from) : *from);
		upper = !isalnum((unsigned char)*from);
	}
	*to = '\0';
	return text;
}

const struct gate_rule *gate_rule_of_metric(struct gate_report *report, const struct gate_metric *metric)
{
	struct hd_arena *arena = report->arena;
	char *id = hd_arena_printf(arena, "budget-%s", metric->name);
	const struct gate_rule *known = known_rule(report, id);
	if (known)
		return known;
	struct gate_rule *rule = HD_ARENA_NEW(arena, struct gate_rule, 1);
	rule->id = id;
	rule->name = pascal_case(arena, "Budget", metric->name);
	rule->brief = hd_arena_printf(arena, "The figure '%s' is outside its budget.", metric->name);
	rule->help =
		hd_arena_printf(arena,
				"%s: %s%s%s. Bring the figure back into its limit, or change the limit in the budget "
				"file where the cost is worth it.",
				metric->name, metric->doc, metric->unit[0] ? ", in " : "", metric->unit);
	return keep_rule(report, rule);
}

const struct gate_rule *gate_rule_named(struct gate_report *report, const char *id)
{
	const struct gate_rule *known = known_rule(report, id);
	for (unsigned i = 0; !known && i < sizeof(fixed_rules) / sizeof(fixed_rules[0]); i++)
		if (strcmp(fixed_rules[i].id, id) == 0)
			known = keep_rule(report, &fixed_rules[i]);
	return known;
}

/* ------------------------------------------------------------------ findings */

struct gate_place gate_place_in(const struct gate_report *report, const char *file, uint32_t line)
{
	return (struct gate_place){gate_root_file(report->root, file, report->arena), line};
}

json_t *gate_place_json(struct gate_place place)
{
	const struct hd_meta_source source = {place.file, place.line};
	return hd_json_source(&source);
}

static struct gate_place place_of(const struct gate_report *report, const struct gate_subject *subject)
{
	const struct hd_meta_source *source = &subject->meta->source;
	const char *file = gate_root_source(report->root, source->file, subject->unit->path, report->arena);
	return (struct gate_place){file, source->line ? source->line : 1};
}

const char *gate_fingerprint(struct hd_arena *arena, const char *rule, const char *subject, const char *key)
{
	const char *const parts[] = {rule, subject ? subject : "", key};
	uint64_t hash = HD_HASH_TEXT;
	for (unsigned i = 0; i < 3; i++)
		hash = hd_hash_byte(hd_hash_text(hash, parts[i]), 0xff);
	return hd_arena_printf(arena, "%016llx", (unsigned long long)hash);
}

struct gate_finding *gate_report_add(struct gate_report *report, const struct gate_rule *rule,
				     const struct gate_subject *subject, struct gate_place other, const char *key)
{
	struct gate_finding finding = {.rule = rule, .place = other};
	if (subject) {
		struct gate_place own = place_of(report, subject);
		/* NVIDIA's code has versions of a kernel. */
		finding.subject = subject->unit->cubin ? hd_arena_printf(report->arena, "%s [%s]", subject->name,
									 subject->unit->metadata.target)
						       : subject->name;
		finding.of_run = subject->run != NULL;
		finding.symbol = subject->meta->name;
		finding.object = subject->unit->path;
		if (own.file)
			finding.place = own;
	}
	/* Alerts need a place; where nothing else has one, the input's name has to do. */
	if (!finding.place.file && report->fallback)
		finding.place = gate_place_in(report, report->fallback, 1);
	finding.fingerprint = gate_fingerprint(report->arena, rule->id, finding.subject, key);
	hd_vec_push(&report->findings, finding);
	return &hd_vec_last(&report->findings);
}

bool gate_report_in_repository(const struct gate_report *report, struct gate_place place)
{
	return place.file && !gate_root_absolute(report->root, place.file, report->arena);
}

struct gate_place gate_finding_anchor(const struct gate_report *report, const struct gate_finding *finding)
{
	struct gate_place place = finding->place;
	for (uint32_t n = 0; n < finding->notes.len && !gate_report_in_repository(report, place); n++)
		place = finding->notes.data[n].place;
	return gate_report_in_repository(report, place) ? place : (struct gate_place){0};
}

uint32_t gate_report_failures(const struct gate_report *report)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < report->findings.len; i++)
		count += !report->findings.data[i].told_only;
	return count;
}

const char *gate_finding_level(const struct gate_finding *finding)
{
	return finding->told_only ? "note" : "error";
}

void gate_report_note(struct gate_finding *finding, struct gate_place place, const char *text)
{
	hd_vec_push(&finding->notes, (struct gate_note){place, text});
}

static bool same_place(struct gate_place a, struct gate_place b)
{
	return a.line == b.line && strcmp(a.file, b.file) == 0;
}

static bool is_outside(const struct gate_report *report, struct gate_place place)
{
	return gate_root_absolute(report->root, place.file, report->arena) != NULL;
}

/*
 * Moves the finding to the first of its notes from `first` on that is another line than the kernel's own, in the
 * repository if the kernel is. The kernel's line becomes a note.
 */
static void stand_on_carrier(struct gate_report *report, struct gate_finding *finding, uint32_t first)
{
	const struct gate_place own = finding->place;
	uint32_t chosen = finding->notes.len;
	bool told = false;
	for (uint32_t n = finding->notes.len; n-- > first;) {
		struct gate_place place = finding->notes.data[n].place;
		if (same_place(place, own))
			told = true;
		else if (is_outside(report, own) || !is_outside(report, place))
			chosen = n;
	}
	if (chosen == finding->notes.len)
		return;
	finding->place = finding->notes.data[chosen].place;
	if (!told)
		gate_report_note(finding, own, hd_arena_printf(report->arena, "%s begins here", finding->subject));
}

void gate_report_carriers(struct gate_report *report, struct gate_finding *finding, const struct gate_subject *subject,
			  const struct gate_metric *metric, enum hd_meta_state about,
			  const struct gate_setting *setting)
{
	struct gate_carry carry = {.root = report->root,
				   .arena = report->arena,
				   .about = about,
				   .setting = setting,
				   .notes = &finding->notes};
	uint32_t first = finding->notes.len;
	gate_carry_notes(&carry, subject, metric);
	if (subject->meta->source.file)
		stand_on_carrier(report, finding, first);
}

void gate_report_case(struct gate_report *report, uint32_t gpus, bool every_gpu, const char *subject, const char *name,
		      bool failed)
{
	hd_vec_push(&report->cases, (struct gate_case){.gpus = gpus,
						       .every_gpu = every_gpu,
						       .subject = subject,
						       .name = name,
						       .finding = failed ? (int32_t)report->findings.len - 1 : -1});
}

uint32_t gate_gpu_bit(const struct gate_report *report, const char *name)
{
	for (unsigned i = 0; i < report->gpus->count; i++)
		if (strcmp(report->gpus->config[i].name, name) == 0)
			return UINT32_C(1) << i;
	return 0;
}

const char *gate_gpu_names(const struct gate_report *report, uint32_t gpus, bool every)
{
	struct hd_strbuf text = {0};
	for (unsigned i = 0; i < report->gpus->count && !every; i++)
		if (gpus >> i & 1)
			hd_strbuf_printf(&text, "%s%s", text.len ? ", " : "", report->gpus->config[i].name);
	const char *names = hd_arena_strdup(report->arena, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
	return names;
}

/* ------------------------------------------------------------------ formats */

void gate_write_patch(const struct gate_report *report, struct hd_strbuf *out)
{
	hd_strbuf_append(out, report->patch ? report->patch : "");
}

static const struct {
	const char *name;
	void (*write)(const struct gate_report *report, struct hd_strbuf *out);
} formats[GATE_FORMAT_COUNT] = {
#define X(name, help) {#name, gate_write_##name},
	GATE_FORMATS(X)
#undef X
};

enum gate_format gate_format_find(const char *name)
{
	unsigned i = 0;
	while (i < GATE_FORMAT_COUNT && strcmp(formats[i].name, name) != 0)
		i++;
	return (enum gate_format)i;
}

const char *gate_format_name(enum gate_format format)
{
	return formats[format].name;
}

void gate_write(const struct gate_report *report, enum gate_format format, struct hd_strbuf *out)
{
	formats[format].write(report, out);
}
