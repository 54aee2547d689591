/*
 * Evaluation of budgets. Each limit holds where its section covers the subject, for the section's GPUs, and for its
 * block sizes where the figure depends on them; a later limit on the same metric in the same direction takes its place
 * there.
 *
 * Cost: subjects x limits^2, with limits in the tens.
 */
#include "tools/heddle/gate/evaluate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "tools/heddle/gate/runs.h"
#include "tools/heddle/gate/steps.h"

struct evaluation {
	struct gate_budget *budget;
	const struct gate_choice *choice;
	struct gate_report *report;
	const struct gate_subject *subject;
	bool *covers;  /* of each section: the subject */
	bool optional; /* some section matches nothing and may */
};

static const struct gate_section *defaults_of(const struct gate_budget *budget)
{
	for (uint32_t i = budget->sections.len; i--;)
		if (budget->sections.data[i].kind == GATE_SECTION_DEFAULTS)
			return &budget->sections.data[i];
	return NULL;
}

uint32_t gate_default_gpus(const struct gate_budget *budget, const struct gate_choice *choice)
{
	const struct gate_section *defaults = defaults_of(budget);
	if (choice->gpus)
		return choice->gpus;
	return defaults && defaults->gpus ? defaults->gpus : choice->default_gpus;
}

/* A section for other GPUs than the command line asks for is left out; check.c says so. */
static uint32_t gpus_of(const struct evaluation *evaluation, const struct gate_section *section)
{
	if (!section->gpus || section->kind == GATE_SECTION_DEFAULTS)
		return gate_default_gpus(evaluation->budget, evaluation->choice);
	return evaluation->choice->gpus ? section->gpus & evaluation->choice->gpus : section->gpus;
}

static bool shared_known(const struct hd_meta_function *kernel)
{
	for (uint32_t i = 0; i < kernel->launch_count; i++)
		if (kernel->launches[i].shared_known)
			return true;
	return !kernel->dynamic_shared;
}

unsigned gate_settings(const struct gate_budget *budget, const struct gate_choice *choice,
		       const struct gate_section *section, const struct gate_subject *subject,
		       struct gate_setting settings[GATE_MOST_BLOCKS], const char **why)
{
	const struct gate_section *defaults = defaults_of(budget);
	uint32_t own[GATE_MOST_BLOCKS], shared;
	unsigned own_count = gate_blocks(subject->meta, own, &shared), count = own_count;
	const uint32_t *blocks = own;
	if (section && section->block_count) {
		blocks = section->blocks;
		count = section->block_count;
	} else if (choice->block) {
		blocks = &choice->block;
		count = 1;
	} else if (!own_count && defaults) {
		blocks = defaults->blocks;
		count = defaults->block_count;
	}
	uint32_t bound = blocks == own && gate_block_is_bound(subject->meta) ? subject->meta->max_threads : 0;
	bool known = true;
	if (section && section->shared_given)
		shared = section->shared;
	else if (choice->shared_given)
		shared = choice->shared;
	else if (!shared_known(subject->meta) && defaults && defaults->shared_given)
		shared = defaults->shared;
	else
		known = shared_known(subject->meta);
	*why = !count ? "the block size is not known: give `block`"
		      : "its dynamic shared memory is not known: give `shared`";
	for (unsigned i = 0; i < count; i++)
		settings[i] = (struct gate_setting){.block = blocks[i], .bound = bound, .shared = shared};
	return known ? count : 0;
}

/* ------------------------------------------------------------------ overriding */

static bool has_block(const struct gate_section *section, uint32_t block)
{
	for (unsigned i = 0; i < section->block_count; i++)
		if (section->blocks[i] == block)
			return true;
	return section->block_count == 0;
}

/* Whether a later limit holds in place of limit `index` on this GPU, and for this block where it matters (else 0). */
static bool overridden(const struct evaluation *evaluation, uint32_t index, unsigned gpu, uint32_t block)
{
	const struct gate_budget *budget = evaluation->budget;
	const struct gate_limit *limit = &budget->limits.data[index];
	for (uint32_t i = index + 1; i < budget->limits.len; i++) {
		const struct gate_limit *later = &budget->limits.data[i];
		const struct gate_section *section = &budget->sections.data[later->section];
		if (later->op == limit->op && strcmp(later->metric->name, limit->metric->name) == 0 &&
		    evaluation->covers[later->section] && (gpus_of(evaluation, section) >> gpu & 1) &&
		    (!block || has_block(section, block)))
			return true;
	}
	return false;
}

/* Whether a section's limits hold for the run: its own GPUs and its policy have to be the run's. */
static bool covers_run(const struct evaluation *evaluation, const struct gate_section *section)
{
	const struct gate_run *run = evaluation->subject->run;
	bool other = section->kind != GATE_SECTION_DEFAULTS && section->gpus &&
		     !(section->gpus & gate_gpu_bit(evaluation->report, run->gpu));
	return !other && (!section->policy || strcmp(section->policy, run->policy) == 0);
}

/* The same as overridden() for runs. */
static bool overridden_for_run(const struct evaluation *evaluation, uint32_t index)
{
	const struct gate_budget *budget = evaluation->budget;
	const struct gate_limit *limit = &budget->limits.data[index];
	for (uint32_t i = index + 1; i < budget->limits.len; i++) {
		const struct gate_limit *later = &budget->limits.data[i];
		if (later->op == limit->op && strcmp(later->metric->name, limit->metric->name) == 0 &&
		    evaluation->covers[later->section] &&
		    covers_run(evaluation, &budget->sections.data[later->section]))
			return true;
	}
	return false;
}

/* ------------------------------------------------------------------ comparing */

static bool holds(const struct gate_limit *limit, double value)
{
	switch (limit->op) {
	case GATE_AT_MOST: return value <= limit->value;
	case GATE_AT_LEAST: return value >= limit->value;
	case GATE_EQUAL: break;
	}
	return value == limit->value;
}

/* What the last section that says something about it says about figures that are no number. */
static bool allows(const struct evaluation *evaluation, enum hd_meta_state state)
{
	enum gate_word word = GATE_FAIL;
	for (uint32_t i = 0; i < evaluation->budget->sections.len; i++) {
		enum gate_word own = evaluation->budget->sections.data[i].word[state - HD_META_UNPROVEN];
		if (evaluation->covers[i] && own != GATE_NO_WORD)
			word = own;
	}
	return word == GATE_ALLOW;
}

static struct gate_place limit_place(const struct evaluation *evaluation, const struct gate_limit *limit)
{
	return gate_place_in(evaluation->report, evaluation->budget->sections.data[limit->section].path, limit->line);
}

static const char *setting_text(const struct gate_setting *setting, const struct gate_subject *subject,
				struct hd_arena *arena)
{
	if (subject->run)
		return gate_run_text(subject->run, arena);
	if (!setting->gpu)
		return "";
	if (!setting->block)
		return hd_arena_printf(arena, " on %s", setting->gpu->name);
	const char *shared = setting->shared
				     ? hd_arena_printf(arena, " and %u bytes of dynamic shared memory", setting->shared)
				     : "";
	return hd_arena_printf(arena, " on %s with %u threads a CTA%s", setting->gpu->name, setting->block, shared);
}

/* ", limited by registers" */
static const char *limiter_text(const struct evaluation *evaluation, const struct gate_setting *setting)
{
	if (!setting->gpu)
		return "";
	if (!setting->block)
		return ", limited by registers";
	const struct hd_meta_function *meta = evaluation->subject->meta;
	struct hd_arena *arena = evaluation->report->arena;
	struct hd_occupancy fit = gate_occupancy(meta, setting);
	const char *text = hd_arena_printf(arena, ", limited by %s", hd_occupancy_limit_name(fit.limit));
	if (!setting->bound)
		return text;
	struct gate_need need = {.registers = meta->registers,
				 .block = setting->bound,
				 .shared = (uint64_t)meta->shared_bytes + setting->shared};
	struct gate_range range = gate_fit_range(setting->gpu, &need);
	return hd_arena_printf(arena, "%s (%u to %u warps with up to %u; give `block` where it is known)", text,
			       range.least.warps, range.most.warps, setting->bound);
}

/* A figure that does not depend on the GPU, and a limit that does not, either. */
static bool for_every_gpu(const struct evaluation *evaluation, const struct gate_limit *limit,
			  const struct gate_setting *setting, uint32_t gpus)
{
	const struct gate_section *section = &evaluation->budget->sections.data[limit->section];
	return !evaluation->subject->run && !setting->gpu &&
	       (!section->gpus || section->kind == GATE_SECTION_DEFAULTS) && gpus == gpus_of(evaluation, section);
}

static struct gate_finding *add_finding(struct evaluation *evaluation, const struct gate_rule *rule,
					const struct gate_limit *limit, const struct gate_setting *setting,
					uint32_t gpus)
{
	static const char *const operators[] = {"<=", ">=", "="};
	struct gate_report *report = evaluation->report;
	char *key = hd_arena_printf(report->arena, "%s %s %s %u", limit->name, operators[limit->op],
				    setting->gpu ? setting->gpu->name : "", setting->block);
	if (evaluation->subject->run)
		key = hd_arena_printf(report->arena, "%s%s", key,
				      gate_run_text(evaluation->subject->run, report->arena));
	struct gate_finding *finding =
		gate_report_add(report, rule, evaluation->subject, limit_place(evaluation, limit), key);
	finding->gpus = gpus;
	finding->every_gpu = for_every_gpu(evaluation, limit, setting, gpus);
	finding->metric = limit->name;
	return finding;
}

static void report_limit(struct evaluation *evaluation, const struct gate_limit *limit,
			 const struct gate_setting *setting, uint32_t gpus, const struct gate_value *value, bool open)
{
	static const char *const wants[] = {"allows at most", "wants at least", "wants"};
	struct gate_report *report = evaluation->report;
	struct hd_arena *arena = report->arena;
	struct gate_finding *finding =
		add_finding(evaluation, gate_rule_of_metric(report, limit->metric), limit, setting, gpus);
	finding->compared = true;
	finding->value = *value;
	finding->limit = gate_number(limit->value);
	const char *on = finding->every_gpu || setting->gpu || evaluation->subject->run
				 ? ""
				 : hd_arena_printf(arena, " (for %s)", gate_gpu_names(report, gpus, false));
	finding->message =
		hd_arena_printf(arena, "%s: %s%s%s; the budget %s %s%s", limit->name,
				gate_value_text(limit->metric, value, arena),
				setting_text(setting, evaluation->subject, arena), limiter_text(evaluation, setting),
				wants[limit->op], gate_metric_text(limit->metric, limit->value, arena), on);
	gate_report_note(finding, limit_place(evaluation, limit), gate_limit_text(limit, arena));
	gate_report_carriers(report, finding, evaluation->subject, limit->metric,
			     open ? value->state : HD_META_IS_NUMBER, setting);
}

static void report_unknown(struct evaluation *evaluation, const struct gate_limit *limit,
			   const struct gate_setting *setting, uint32_t gpus, const char *why)
{
	struct gate_report *report = evaluation->report;
	struct gate_finding *finding =
		add_finding(evaluation, gate_rule_named(report, "budget-unknown-figure"), limit, setting, gpus);
	finding->message = hd_arena_printf(report->arena, "%s cannot be checked: %s", limit->name, why);
	gate_report_note(finding, limit_place(evaluation, limit), gate_limit_text(limit, report->arena));
}

static const char *why_unknown(const struct evaluation *evaluation, const struct gate_limit *limit)
{
	if (evaluation->subject->unit->cubin)
		return "NVIDIA's code does not say it (heddle-cc knows it of its own)";
	if (gate_metric_is_of_ptxas(limit->metric))
		return "ptxas says nothing of it: it is known of kernels, with --with-ptxas only";
	return evaluation->subject->run ? "the statistics have no such number, or nothing to divide by"
					: "the metadata does not have it";
}

static void compare(struct evaluation *evaluation, const struct gate_limit *limit, const struct gate_setting *setting,
		    uint32_t gpus)
{
	struct gate_report *report = evaluation->report;
	struct gate_value value;
	bool known = gate_metric_get(limit->metric, evaluation->subject, setting, &value);
	bool open = known && !gate_value_is_number(&value) && !allows(evaluation, value.state);
	bool passed = known && !open && (value.none || holds(limit, value.number));
	if (!known)
		report_unknown(evaluation, limit, setting, gpus, why_unknown(evaluation, limit));
	else if (!passed)
		report_limit(evaluation, limit, setting, gpus, &value, open);
	char *name = hd_arena_printf(report->arena, "%s%s", gate_limit_text(limit, report->arena),
				     setting_text(setting, evaluation->subject, report->arena));
	gate_report_case(report, gpus, for_every_gpu(evaluation, limit, setting, gpus), evaluation->subject->name, name,
			 !passed);
}

/*
 * Of the blocks that a launch bound allows, the one that is worst for the limit: with the fewest warps where it wants
 * at least so many, with the most where at most. Of equal ones the largest.
 */
static struct gate_setting worst_within_bound(const struct evaluation *evaluation, const struct gate_limit *limit,
					      const struct gate_setting *setting)
{
	struct gate_setting worst = *setting, other = *setting;
	struct gate_value value, found;
	if (limit->op == GATE_EQUAL || !gate_metric_get(limit->metric, evaluation->subject, setting, &value))
		return worst;
	for (other.block = (setting->bound - 1) / GATE_BLOCK_STEP * GATE_BLOCK_STEP; other.block;
	     other.block -= GATE_BLOCK_STEP) {
		gate_metric_get(limit->metric, evaluation->subject, &other, &found);
		if (limit->op == GATE_AT_LEAST ? found.number >= value.number : found.number <= value.number)
			continue;
		value = found;
		worst = other;
	}
	return worst;
}

static void compare_occupancy(struct evaluation *evaluation, uint32_t index, unsigned gpu)
{
	const struct gate_limit *limit = &evaluation->budget->limits.data[index];
	const struct gate_section *section = &evaluation->budget->sections.data[limit->section];
	struct gate_setting settings[GATE_MOST_BLOCKS];
	const char *why;
	if (gate_metric_any_block(limit->metric)) {
		struct gate_setting setting = {.gpu = &evaluation->report->gpus->config[gpu]};
		if (!overridden(evaluation, index, gpu, 0))
			compare(evaluation, limit, &setting, UINT32_C(1) << gpu);
		return;
	}
	unsigned count =
		gate_settings(evaluation->budget, evaluation->choice, section, evaluation->subject, settings, &why);
	if (!count && !overridden(evaluation, index, gpu, 0)) {
		struct gate_setting nothing = {0};
		report_unknown(evaluation, limit, &nothing, UINT32_C(1) << gpu, why);
		gate_report_case(evaluation->report, UINT32_C(1) << gpu, false, evaluation->subject->name,
				 gate_limit_text(limit, evaluation->report->arena), true);
	}
	for (unsigned i = 0; i < count; i++) {
		settings[i].gpu = &evaluation->report->gpus->config[gpu];
		if (overridden(evaluation, index, gpu, settings[i].block))
			continue;
		if (settings[i].bound)
			settings[i] = worst_within_bound(evaluation, limit, &settings[i]);
		compare(evaluation, limit, &settings[i], UINT32_C(1) << gpu);
	}
}

/* A GPU that is named and for which nvcc made no code. */
static void report_no_code(struct evaluation *evaluation, const struct gate_limit *limit, unsigned gpu)
{
	struct gate_report *report = evaluation->report;
	const struct hd_config *config = &report->gpus->config[gpu];
	struct gate_setting setting = {.gpu = config};
	report_unknown(evaluation, limit, &setting, UINT32_C(1) << gpu,
		       hd_arena_printf(report->arena, "the file has no code for %s (sm_%d%d)", config->name,
				       (int)config->compute_major, (int)config->compute_minor));
	gate_report_case(report, UINT32_C(1) << gpu, false, evaluation->subject->name,
			 gate_limit_text(limit, report->arena), true);
}

static void evaluate_limit(struct evaluation *evaluation, uint32_t index)
{
	const struct gate_limit *limit = &evaluation->budget->limits.data[index];
	uint32_t gpus = gpus_of(evaluation, &evaluation->budget->sections.data[limit->section]), left = 0;
	struct gate_setting nowhere = {0};
	if (isinf(limit->value))
		return;
	if (evaluation->subject->run) {
		if (covers_run(evaluation, &evaluation->budget->sections.data[limit->section]) &&
		    !overridden_for_run(evaluation, index))
			compare(evaluation, limit, &nowhere,
				gate_gpu_bit(evaluation->report, evaluation->subject->run->gpu));
		return;
	}
	for (unsigned gpu = 0; gpu < evaluation->report->gpus->count; gpu++) {
		if (!(gpus >> gpu & 1))
			continue;
		const struct hd_config *config = &evaluation->report->gpus->config[gpu];
		/* The GPU runs another version of NVIDIA's code, or none: that is told once. */
		if (limit->metric->getter == GATE_OCCUPANCY && !gate_runs_on(evaluation->subject, config)) {
			if (!gate_file_runs_on(evaluation->subject, config) && !overridden(evaluation, index, gpu, 0) &&
			    gate_is_first_version(evaluation->subject))
				report_no_code(evaluation, limit, gpu);
			continue;
		}
		if (limit->metric->getter == GATE_OCCUPANCY)
			compare_occupancy(evaluation, index, gpu);
		else if (!overridden(evaluation, index, gpu, 0))
			left |= UINT32_C(1) << gpu;
	}
	if (left)
		compare(evaluation, limit, &nowhere, left);
}

/* ------------------------------------------------------------------ subjects */

static bool covers(const struct gate_section *section, const struct gate_subject *subject)
{
	switch (section->kind) {
	case GATE_SECTION_DEFAULTS: return subject->meta->kernel;
	case GATE_SECTION_KERNEL:
	case GATE_SECTION_FUNCTION:
		return subject->meta->kernel == (section->kind == GATE_SECTION_KERNEL) &&
		       hd_meta_function_matches(subject->meta, section->pattern);
	case GATE_SECTION_BASELINE: break;
	}
	return false;
}

static void evaluate_subject(struct evaluation *evaluation, const struct gate_subject *subject)
{
	struct gate_budget *budget = evaluation->budget;
	evaluation->subject = subject;
	for (uint32_t i = 0; i < budget->sections.len; i++) {
		evaluation->covers[i] = covers(&budget->sections.data[i], subject);
		budget->sections.data[i].matches += evaluation->covers[i];
	}
	for (uint32_t i = 0; i < budget->limits.len; i++) {
		struct gate_limit *limit = &budget->limits.data[i];
		bool of_runs = limit->metric->getter == GATE_RUN;
		if (!evaluation->covers[limit->section] || of_runs != (subject->run != NULL))
			continue;
		limit->met |= !of_runs || covers_run(evaluation, &budget->sections.data[limit->section]);
		if (subject->chosen)
			evaluate_limit(evaluation, i);
	}
}

/* What a section that matches nothing was meant for; "" when nothing is near. */
static const char *near_subjects(const struct gate_section *section, const struct gate_subject *subjects,
				 uint32_t count, struct hd_arena *arena)
{
	HD_VEC(const char *) names = {0};
	for (uint32_t i = 0; i < count; i++)
		if (subjects[i].meta->kernel == (section->kind == GATE_SECTION_KERNEL))
			hd_vec_push(&names, hd_meta_function_bare_name(subjects[i].meta, arena));
	char *near = hd_nearest_names(hd_arena_printf(arena, "%.*s", (int)strcspn(section->pattern, "*?[("),
						      section->pattern),
				      names.data, names.len);
	const char *text = near[0] ? hd_arena_printf(arena, "; did you mean: %s?", near) : "";
	free(near);
	hd_vec_release(&names);
	return text;
}

static void report_unmatched(struct evaluation *evaluation, const struct gate_section *section,
			     const struct gate_subject *subjects, uint32_t count)
{
	struct gate_report *report = evaluation->report;
	const char *kind = section->kind == GATE_SECTION_KERNEL ? "kernel" : "function";
	struct gate_finding *finding =
		gate_report_add(report, gate_rule_named(report, "budget-no-match"), NULL,
				gate_place_in(report, section->path, section->line), section->pattern);
	finding->gpus = report->used_gpus;
	finding->every_gpu = true;
	finding->message = hd_arena_printf(report->arena, "no %s matches '%s'%s", kind, section->pattern,
					   near_subjects(section, subjects, count, report->arena));
}

/* A limit on runs where none was given, or on builds where only runs are: it is named and missing. */
static void report_unmet(struct evaluation *evaluation, const struct gate_limit *limit)
{
	struct gate_report *report = evaluation->report;
	const struct gate_section *section = &evaluation->budget->sections.data[limit->section];
	const char *policy = limit->metric->getter == GATE_RUN ? section->policy : NULL;
	struct gate_finding *finding = gate_report_add(report, gate_rule_named(report, "budget-unknown-figure"), NULL,
						       gate_place_in(report, section->path, limit->line), limit->name);
	finding->gpus = report->used_gpus;
	finding->every_gpu = true;
	finding->metric = limit->name;
	finding->message = hd_arena_printf(report->arena, "%s cannot be checked: no input is %s%s%s%s%s", limit->name,
					   limit->metric->getter == GATE_RUN ? "a run (`heddle run --stats`)"
									     : "an object or metadata",
					   section->pattern ? " of " : "", section->pattern ? section->pattern : "",
					   policy ? " under " : "", policy ? policy : "");
	gate_report_case(report, report->used_gpus, true, section->pattern ? section->pattern : "every kernel",
			 gate_limit_text(limit, report->arena), true);
}

static bool is_unmet(const struct gate_budget *budget, const struct gate_limit *limit)
{
	const struct gate_section *section = &budget->sections.data[limit->section];
	return section->kind != GATE_SECTION_BASELINE && !limit->met && section->matches && !section->optional &&
	       !isinf(limit->value);
}

bool gate_evaluate(struct gate_budget *budget, const struct gate_choice *choice, const struct gate_subject *subjects,
		   uint32_t count, struct gate_report *report)
{
	struct evaluation evaluation = {.budget = budget, .choice = choice, .report = report};
	evaluation.covers = hd_xcalloc(budget->sections.len + 1, sizeof(*evaluation.covers));
	for (uint32_t i = 0; i < count; i++)
		evaluate_subject(&evaluation, &subjects[i]);
	for (uint32_t i = 0; i < budget->sections.len; i++) {
		const struct gate_section *section = &budget->sections.data[i];
		bool named = section->kind == GATE_SECTION_KERNEL || section->kind == GATE_SECTION_FUNCTION;
		bool matched = section->matches > 0;
		evaluation.optional |= section->optional && !matched;
		if (named && !section->optional)
			gate_report_case(report, report->used_gpus, true, section->pattern, "matches something", false);
		if (named && !section->optional && !matched) {
			report_unmatched(&evaluation, section, subjects, count);
			hd_vec_last(&report->cases).finding = (int32_t)report->findings.len - 1;
		}
	}
	for (uint32_t i = 0; i < budget->limits.len; i++)
		if (is_unmet(budget, &budget->limits.data[i]))
			report_unmet(&evaluation, &budget->limits.data[i]);
	free(evaluation.covers);
	return evaluation.optional;
}
