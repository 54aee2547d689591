/*
 * Verdicts: what is checked against the baseline, entry by entry in order of the key, and figure by figure.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heddle/gate/baseline.h"

static const char *const verdicts[GATE_VERDICTS] = {"new", "removed", "better", "worse"};

/* ------------------------------------------------------------------ configuration */

static struct gate_slack *slack_of(struct gate_baseline *baseline, const char *name)
{
	for (uint32_t i = 0; i < baseline->compared.len; i++)
		if (strcmp(baseline->compared.data[i].name, name) == 0)
			return &baseline->compared.data[i];
	hd_vec_push(&baseline->compared, (struct gate_slack){.name = name});
	return &hd_vec_last(&baseline->compared);
}

static void add_cost(struct gate_baseline *baseline, const struct gate_metric *metric)
{
	struct gate_slack *slack = slack_of(baseline, metric->name);
	slack->metric = metric;
	slack->value = metric->slack ? strtod(metric->slack, NULL) : 0;
	slack->percent = metric->slack && strchr(metric->slack, '%');
}

static void add_costs(struct gate_baseline *baseline)
{
	/* One form of occupancy stands for all; baseline.c takes another where no block size is known. */
	slack_of(baseline, "resident_warps")->metric = gate_metric_named("resident_warps");
	for (unsigned i = 0; i < gate_metric_count; i++)
		if (gate_metrics[i].cost && gate_metrics[i].getter != GATE_OCCUPANCY)
			add_cost(baseline, &gate_metrics[i]);
}

static int configure_section(struct gate_baseline *baseline, const struct gate_budget *budget, uint32_t section,
			     struct hd_diag *diag)
{
	int status = 0;
	for (uint32_t i = 0; i < budget->limits.len; i++) {
		const struct gate_limit *limit = &budget->limits.data[i];
		struct hd_loc loc = {budget->sections.data[section].path, limit->line, 0};
		if (limit->section != section)
			continue;
		if (limit->op != GATE_EQUAL) {
			status = hd_error(diag, loc, "[baseline] takes 'metric = slack', such as 4 or 5%%");
			continue;
		}
		struct gate_slack *slack = slack_of(baseline, limit->name);
		slack->metric = limit->metric;
		slack->value = limit->value;
		slack->percent = limit->percent;
		slack->named = true;
	}
	return status;
}

int gate_baseline_configure(struct gate_baseline *baseline, const struct gate_budget *budget, struct hd_diag *diag)
{
	int status = 0;
	add_costs(baseline);
	for (uint32_t i = 0; i < budget->sections.len; i++) {
		if (budget->sections.data[i].kind != GATE_SECTION_BASELINE)
			continue;
		baseline->allowed |= budget->sections.data[i].allowed;
		if (configure_section(baseline, budget, i, diag) != 0)
			status = -1;
	}
	return status;
}

/* ------------------------------------------------------------------ comparing */

struct comparison {
	struct gate_baseline *baseline;
	struct gate_report *report; /* NULL: --update */
	const struct gate_base_entry *old;
	struct gate_base_entry *now;
	bool changed, worse;
};

static struct gate_slack *slack_of_label(const struct gate_baseline *baseline, const char *label)
{
	size_t len = strcspn(label, "@");
	for (uint32_t i = 0; i < baseline->compared.len; i++)
		if (strlen(baseline->compared.data[i].name) == len &&
		    memcmp(baseline->compared.data[i].name, label, len) == 0)
			return &baseline->compared.data[i];
	return NULL;
}

/* False: the same, within the slack; else what is the case. */
static bool judge(const struct gate_baseline *baseline, const struct gate_base_figure *old,
		  const struct gate_base_figure *now, enum gate_verdict *verdict)
{
	const struct gate_slack *slack = slack_of_label(baseline, now->label);
	double room = slack ? slack->percent ? fabs(old->value.number) * slack->value / 100 : slack->value : 0;
	int worse = gate_value_change(now->metric->direction, &old->value, &now->value, room);
	*verdict = worse < 0 ? GATE_BETTER : GATE_WORSE;
	return worse != 0;
}

/* As it stands in the file: without a unit, which the other side does not know. */
static const char *value_text(const struct gate_base_figure *figure, struct hd_arena *arena)
{
	static const struct gate_metric plain = {.unit = ""};
	return gate_value_text(&plain, &figure->value, arena);
}

/* Whether the figure depends on the GPU. */
static bool by_gpu(const struct gate_base_figure *figure)
{
	return figure &&
	       (!figure->metric || figure->metric->getter == GATE_OCCUPANCY || figure->metric->getter == GATE_RUN);
}

/* The same finding for another GPU: one is told for both. */
static struct gate_finding *known_finding(const struct gate_report *report, const struct gate_finding *wanted)
{
	for (uint32_t i = 0; i < report->findings.len; i++) {
		struct gate_finding *finding = &report->findings.data[i];
		if (strcmp(finding->fingerprint, wanted->fingerprint) == 0 && finding->rule == wanted->rule &&
		    strcmp(finding->message, wanted->message) == 0)
			return finding;
	}
	return NULL;
}

static struct gate_finding *add_finding(struct comparison *comparison, enum gate_verdict verdict,
					const struct gate_base_figure *figure)
{
	struct gate_report *report = comparison->report;
	const struct gate_base_entry *now = comparison->now, *key = now ? now : comparison->old;
	struct hd_arena *arena = report->arena;
	struct gate_place file =
		gate_place_in(report, comparison->baseline->path, comparison->old ? comparison->old->line : 1);
	const char *rule = hd_arena_printf(arena, "baseline-%s", verdicts[verdict]);
	const char *fingerprint = hd_arena_printf(arena, "%s %s %s %s", figure ? figure->label : "",
						  key->of_run ? key->gpu : "", key->toolchain, key->flags);
	struct gate_finding *finding = gate_report_add(report, gate_rule_named(report, rule), now ? now->subject : NULL,
						       file, hd_arena_printf(arena, "%s %s", key->kernel, fingerprint));
	finding->gpus = now ? now->gpu_bit : gate_gpu_bit(report, key->gpu);
	finding->metric = figure ? figure->label : NULL;
	finding->by_gpu = !figure || (by_gpu(figure) && !key->of_run);
	if (!now)
		finding->subject = comparison->old->kernel;
	return finding;
}

/* "resident_warps with 64 threads a CTA"; for which GPUs is known at the end only */
static const char *figure_name(const struct gate_base_figure *figure, const struct gate_base_entry *entry,
			       struct hd_arena *arena)
{
	const char *label = figure->label, *block = strchr(label, '@');
	if (!by_gpu(figure))
		return label;
	if (entry->subject && entry->subject->run)
		return hd_arena_printf(arena, "%s%s", label, gate_run_text(entry->subject->run, arena));
	return block ? hd_arena_printf(arena, "%.*s with %s threads a CTA", (int)(block - label), label, block + 1)
		     : label;
}

static const char *registers_text(const struct comparison *comparison, const char *label)
{
	uint32_t old = comparison->old->registers, now = comparison->now->registers;
	bool occupancy = strncmp(label, "resident_", 9) == 0 || strncmp(label, "register_", 9) == 0 ||
			 strncmp(label, "occupancy", 9) == 0;
	return occupancy && old != now ? hd_arena_printf(comparison->report->arena, " (registers %u -> %u)", old, now)
				       : "";
}

/* The comparison as a case, with the finding just made, if any: where another GPU has the same, that is the one. */
static void case_for(struct comparison *comparison, const char *label, bool failed)
{
	const struct gate_base_entry *key = comparison->now ? comparison->now : comparison->old;
	struct gate_report *report = comparison->report;
	gate_report_case(report, gate_gpu_bit(report, key->gpu), false, key->kernel,
			 hd_arena_printf(report->arena, "baseline: %s", label), failed);
	if (!failed)
		return;
	struct gate_finding *last = &hd_vec_last(&report->findings), *known = known_finding(report, last);
	if (known == last)
		return;
	known->gpus |= last->gpus;
	hd_vec_release(&last->notes);
	report->findings.len--;
	hd_vec_last(&report->cases).finding = (int32_t)(known - report->findings.data);
}

/* Counts the verdict; true when it is to be reported. */
static bool count(struct comparison *comparison, enum gate_verdict verdict)
{
	comparison->changed = true;
	comparison->baseline->counts[verdict]++;
	if (verdict == GATE_WORSE)
		comparison->worse = true;
	return comparison->report && !(comparison->baseline->allowed >> verdict & 1);
}

/* ------------------------------------------------------------------ other builds */

static void note_build(gate_builds *builds, const char *what, const char *old, const char *now)
{
	if (strcmp(old, now) == 0)
		return;
	for (uint32_t i = 0; i < builds->len; i++) {
		struct gate_build *build = &builds->data[i];
		if (strcmp(build->what, what) == 0 && strcmp(build->old, old) == 0 && strcmp(build->now, now) == 0) {
			build->entries++;
			return;
		}
	}
	hd_vec_push(builds, (struct gate_build){what, old, now, 1});
}

/* "the baseline's entry, of another build: toolchain heddle 9 -> heddle 10"; "the baseline's entry, of k(int)" */
static const char *entry_text(const struct comparison *comparison)
{
	const struct gate_base_entry *old = comparison->old, *now = comparison->now;
	struct hd_arena *arena = comparison->report->arena;
	bool toolchain = strcmp(old->toolchain, now->toolchain) != 0, flags = strcmp(old->flags, now->flags) != 0;
	if (strcmp(old->kernel, now->kernel) != 0)
		return hd_arena_printf(arena, "the baseline's entry, of %s", old->kernel);
	if (!toolchain && !flags)
		return "the baseline's entry";
	const char *first = toolchain ? hd_arena_printf(arena, "toolchain %s -> %s", old->toolchain, now->toolchain)
				      : "",
		   *second = flags ? hd_arena_printf(arena, "flags %s -> %s", old->flags, now->flags) : "";
	return hd_arena_printf(arena, "the baseline's entry, of another build: %s%s%s", first,
			       toolchain && flags ? "; " : "", second);
}

/* ------------------------------------------------------------------ figures */

/* Why a run got slower, at the kernel. */
static void note_reason(const struct comparison *comparison, struct gate_finding *finding)
{
	const char *reason = gate_run_reason(comparison->old->slots, comparison->now->slots, comparison->report->arena);
	if (reason)
		gate_report_note(finding, finding->place, reason);
}

/* The block size of a label, "64" of "resident_warps@64"; 0: it has none. */
static unsigned long block_of(const struct gate_base_figure *figure)
{
	const char *block = strchr(figure->label, '@');
	return block ? strtoul(block + 1, NULL, 10) : 0;
}

/* "resident_warps with 64 threads a CTA: 24 -> 16", or "resident_warps: 64 with 256 threads a CTA -> 32 with 32" */
static const char *change_text(const struct gate_base_figure *old, const struct gate_base_figure *now,
			       const struct gate_base_entry *entry, struct hd_arena *arena)
{
	if (strcmp(old->label, now->label) == 0)
		return hd_arena_printf(arena, "%s: %s -> %s", figure_name(now, entry, arena), value_text(old, arena),
				       value_text(now, arena));
	return hd_arena_printf(arena, "%.*s: %s with %lu threads a CTA -> %s with %lu", (int)strcspn(now->label, "@"),
			       now->label, value_text(old, arena), block_of(old), value_text(now, arena),
			       block_of(now));
}

static void note_carriers(const struct comparison *comparison, struct gate_finding *finding,
			  const struct gate_base_figure *old, const struct gate_base_figure *now)
{
	const struct gate_gpus *gpus = comparison->report->gpus;
	const struct gate_subject *subject = comparison->now->subject;
	struct gate_setting setting = {.block = (uint32_t)block_of(now)};
	uint32_t blocks[GATE_MOST_BLOCKS];
	gate_blocks(subject->meta, blocks, &setting.shared);
	for (unsigned i = 0; i < gpus->count; i++)
		if (comparison->now->gpu_bit >> i & 1)
			setting.gpu = &gpus->config[i];
	gate_report_carriers(comparison->report, finding, subject, now->metric,
			     gate_value_blamed(&old->value, &now->value), &setting);
}

static void compare_figure(struct comparison *comparison, const struct gate_base_figure *old,
			   const struct gate_base_figure *now)
{
	enum gate_verdict verdict;
	comparison->changed |= strcmp(old->label, now->label) != 0;
	bool told = judge(comparison->baseline, old, now, &verdict) && count(comparison, verdict);
	if (told) {
		struct hd_arena *arena = comparison->report->arena;
		struct gate_finding *finding = add_finding(comparison, verdict, now);
		finding->compared = true;
		finding->value = now->value;
		finding->limit = old->value;
		finding->message = hd_arena_printf(arena, "%s%s; %s than the baseline",
						   change_text(old, now, comparison->now, arena),
						   registers_text(comparison, now->label), verdicts[verdict]);
		gate_report_note(finding,
				 gate_place_in(comparison->report, comparison->baseline->path, comparison->old->line),
				 entry_text(comparison));
		if (verdict == GATE_WORSE && comparison->now->of_run)
			note_reason(comparison, finding);
		else if (verdict == GATE_WORSE)
			note_carriers(comparison, finding, old, now);
	}
	if (comparison->report)
		case_for(comparison, now->label, told);
}

/* Whether the file was made before Heddle compared the metric by itself: no entry has it, and nobody asked for it. */
static bool is_newer(const struct gate_baseline *baseline, const struct gate_base_figure *figure)
{
	const struct gate_slack *slack = slack_of_label(baseline, figure->label);
	return !strchr(figure->label, '@') && slack && !slack->named && !slack->recorded;
}

/* A block size or metric that only one side has. */
static void report_figure(struct comparison *comparison, enum gate_verdict verdict,
			  const struct gate_base_figure *figure)
{
	if (verdict == GATE_NEW && is_newer(comparison->baseline, figure)) {
		comparison->changed = true;
		comparison->baseline->newer++;
		return;
	}
	bool told = count(comparison, verdict);
	if (told) {
		struct hd_arena *arena = comparison->report->arena;
		struct gate_finding *finding = add_finding(comparison, verdict, figure);
		const char *name = figure_name(figure, comparison->now, arena), *value = value_text(figure, arena);
		finding->message =
			verdict == GATE_NEW
				? hd_arena_printf(arena, "%s: %s; the baseline's entry does not have it", name, value)
				: hd_arena_printf(arena, "%s: the baseline's entry has it (%s), the kernel does not",
						  name, value);
	}
	if (comparison->report)
		case_for(comparison, figure->label, told);
}

static bool same_metric(const struct gate_base_figure *a, const struct gate_base_figure *b)
{
	size_t length = strcspn(a->label, "@");
	return strcspn(b->label, "@") == length && memcmp(a->label, b->label, length) == 0;
}

typedef HD_VEC(const struct gate_base_figure *) figure_list;

static int by_metric_and_block(const void *a, const void *b)
{
	const struct gate_base_figure *left = *(const struct gate_base_figure *const *)a,
				      *right = *(const struct gate_base_figure *const *)b;
	if (!same_metric(left, right))
		return strcmp(left->label, right->label);
	return (block_of(left) > block_of(right)) - (block_of(left) < block_of(right));
}

static void sort_figures(figure_list *list)
{
	if (list->len)
		qsort(list->data, list->len, sizeof(*list->data), by_metric_and_block);
}

/* How many figures from `at` on are of one metric. */
static uint32_t of_one_metric(const figure_list *list, uint32_t at, const struct gate_base_figure *like)
{
	uint32_t count = 0;
	while (at + count < list->len && same_metric(list->data[at + count], like))
		count++;
	return count;
}

/*
 * What only one side has. As many block sizes that went as came are one launch each that has another block now, in the
 * order of their sizes; else nobody can say which became which.
 */
static void compare_rest(struct comparison *comparison, figure_list *old, figure_list *now)
{
	uint32_t i = 0, j = 0;
	sort_figures(old);
	sort_figures(now);
	while (i < old->len || j < now->len) {
		int order = i == old->len   ? 1
			    : j == now->len ? -1
			    : same_metric(old->data[i], now->data[j])
				    ? 0
				    : strcmp(old->data[i]->label, now->data[j]->label);
		uint32_t olds = order <= 0 ? of_one_metric(old, i, old->data[i]) : 0,
			 nows = order >= 0 ? of_one_metric(now, j, now->data[j]) : 0;
		for (uint32_t k = 0; k < olds && olds == nows; k++)
			compare_figure(comparison, old->data[i + k], now->data[j + k]);
		for (uint32_t k = 0; k < olds && olds != nows; k++)
			report_figure(comparison, GATE_REMOVED, old->data[i + k]);
		for (uint32_t k = 0; k < nows && olds != nows; k++)
			report_figure(comparison, GATE_NEW, now->data[j + k]);
		i += olds;
		j += nows;
	}
}

static void compare_entry(struct comparison *comparison)
{
	const struct gate_base_entry *old = comparison->old, *now = comparison->now;
	figure_list old_rest = {0}, now_rest = {0};
	uint32_t i = 0, j = 0;
	while (i < old->figures.len || j < now->figures.len) {
		int order = i == old->figures.len   ? 1
			    : j == now->figures.len ? -1
						    : strcmp(old->figures.data[i].label, now->figures.data[j].label);
		if (order == 0)
			compare_figure(comparison, &old->figures.data[i++], &now->figures.data[j++]);
		else if (order < 0)
			hd_vec_push(&old_rest, &old->figures.data[i++]);
		else
			hd_vec_push(&now_rest, &now->figures.data[j++]);
	}
	compare_rest(comparison, &old_rest, &now_rest);
	hd_vec_release(&old_rest);
	hd_vec_release(&now_rest);
}

/* Compares with the predecessor. False: there is none. */
static bool compare_with_predecessor(struct comparison *comparison)
{
	struct gate_base_entry *old = gate_baseline_predecessor(comparison->baseline, comparison->now);
	if (!old)
		return false;
	old->succeeded = true;
	comparison->old = old;
	note_build(comparison->baseline->builds, "toolchain", old->toolchain, comparison->now->toolchain);
	note_build(comparison->baseline->builds, "flags", old->flags, comparison->now->flags);
	compare_entry(comparison);
	return true;
}

/* ------------------------------------------------------------------ entries */

/* An entry of the same kernel and GPU under another toolchain or other flags, for the message. */
static const char *under_other_key(const struct comparison *comparison, struct hd_arena *arena)
{
	const struct gate_base_entry *now = comparison->now;
	for (uint32_t i = 0; i < comparison->baseline->old.len; i++) {
		const struct gate_base_entry *old = &comparison->baseline->old.data[i];
		if (gate_base_same_kind(old, now))
			return hd_arena_printf(arena, "; it has one for %s, %s", old->toolchain, old->flags);
	}
	return "";
}

static void report_entry(struct comparison *comparison, enum gate_verdict verdict)
{
	bool told = count(comparison, verdict);
	const struct gate_base_entry *key = comparison->now ? comparison->now : comparison->old;
	if (told) {
		struct hd_arena *arena = comparison->report->arena;
		struct gate_finding *finding = add_finding(comparison, verdict, NULL);
		finding->message =
			verdict == GATE_NEW
				? hd_arena_printf(arena, "new: the baseline has no entry for %s, %s%s", key->toolchain,
						  key->flags, under_other_key(comparison, arena))
				: hd_arena_printf(arena,
						  "removed: no input has the kernel that the baseline has for %s, %s",
						  key->toolchain, key->flags);
	}
	if (comparison->report)
		case_for(comparison, "entry", told);
}

/* Entries were told once for all their GPUs: which these are is known only now. */
static void name_gpus(struct gate_report *report)
{
	for (uint32_t i = 0; i < report->findings.len; i++) {
		struct gate_finding *finding = &report->findings.data[i];
		if (strncmp(finding->rule->id, "baseline-", 9) == 0 && finding->by_gpu)
			finding->message = hd_arena_printf(report->arena, "%s (on %s)", finding->message,
							   gate_gpu_names(report, finding->gpus, false));
	}
}

static bool is_worse(const struct gate_baseline *baseline, const char *kernel)
{
	for (uint32_t i = 0; i < baseline->now.len; i++)
		if (baseline->now.data[i].worse && strcmp(baseline->now.data[i].subject->name, kernel) == 0)
			return true;
	return false;
}

/* What a kernel gained where it lost something else is no reason to fail: the loss is, unless it is allowed. */
static void soften_gains(const struct gate_baseline *baseline, struct gate_report *report)
{
	for (uint32_t i = 0; i < report->findings.len; i++) {
		struct gate_finding *finding = &report->findings.data[i];
		if (strcmp(finding->rule->id, "baseline-better") == 0)
			finding->told_only = is_worse(baseline, finding->subject);
	}
}

/* Whether this run is one that has to show the entry's kernel: the same GPU, toolchain and flags. */
static bool is_checked(const struct gate_baseline *baseline, const struct gate_base_entry *old)
{
	for (uint32_t i = 0; i < baseline->now.len; i++)
		if (gate_base_same_build(&baseline->now.data[i], old))
			return true;
	return false;
}

/* Whether the build that the entry is of gave way to another one, which has to show its kernel, too. */
static bool is_followed(const struct gate_baseline *baseline, const struct gate_base_entry *old)
{
	for (uint32_t i = 0; i < baseline->old.len; i++)
		if (baseline->old.data[i].succeeded && gate_base_same_build(&baseline->old.data[i], old))
			return true;
	return false;
}

static void meet_old(struct comparison *comparison, bool whole)
{
	struct gate_baseline *baseline = comparison->baseline;
	bool checked = is_checked(baseline, comparison->old);
	if (whole && !comparison->old->succeeded && (checked || is_followed(baseline, comparison->old)))
		report_entry(comparison, GATE_REMOVED);
	if (checked ? !whole : !baseline->prune || !whole)
		hd_vec_push(&baseline->next, *comparison->old);
	baseline->others += !checked && !comparison->old->succeeded;
}

static void meet_new(struct comparison *comparison)
{
	if (!compare_with_predecessor(comparison))
		report_entry(comparison, GATE_NEW);
}

/* What is the same keeps its entry. What follows an entry of another build comes beside it. */
static void compare_now(struct gate_baseline *baseline, struct gate_base_entry *now, struct gate_report *report)
{
	struct gate_base_entry *old = baseline->old.len ? bsearch(now, baseline->old.data, baseline->old.len,
								  sizeof(*baseline->old.data), gate_base_entry_compare)
							: NULL;
	struct comparison comparison = {.baseline = baseline, .report = report, .old = old, .now = now};
	if (old)
		compare_entry(&comparison);
	else
		meet_new(&comparison);
	now->worse = comparison.worse;
	hd_vec_push(&baseline->next, old && !comparison.changed ? *old : *now);
}

static void mark_recorded(struct gate_baseline *baseline)
{
	for (uint32_t i = 0; i < baseline->old.len; i++)
		for (uint32_t k = 0; k < baseline->old.data[i].figures.len; k++) {
			struct gate_slack *slack =
				slack_of_label(baseline, baseline->old.data[i].figures.data[k].label);
			if (slack)
				slack->recorded = true;
		}
}

void gate_baseline_compare(struct gate_baseline *baseline, bool whole, struct gate_report *report)
{
	gate_baseline_mark_met(baseline);
	mark_recorded(baseline);
	for (uint32_t j = 0; j < baseline->now.len; j++)
		compare_now(baseline, &baseline->now.data[j], report);
	for (uint32_t i = 0; i < baseline->old.len; i++) {
		struct comparison comparison = {.baseline = baseline, .report = report, .old = &baseline->old.data[i]};
		if (!baseline->old.data[i].met)
			meet_old(&comparison, whole);
	}
	if (baseline->next.len)
		qsort(baseline->next.data, baseline->next.len, sizeof(*baseline->next.data), gate_base_entry_compare);
	if (!report)
		return;
	name_gpus(report);
	soften_gains(baseline, report);
}
