/*
 * `check = REGEX, ...` of a [workload NAME]: what a right run prints. The kept output decides each time that a run's
 * state is asked for, so that a plan may be given other checks without new runs.
 *
 * Cost: for each run with a check, its result is parsed.
 */
#include <jansson.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "tools/heddle/sweep/sweep.h"

enum { FLAGS = REG_EXTENDED | REG_NOSUB | REG_NEWLINE };

void runs_check_expressions(const struct plan *plan, const struct plan_section *workload, struct hd_diag *diag)
{
	const struct plan_list *list = plan_find(workload, "check");
	for (uint32_t i = 0; list && i < list->values.len; i++) {
		const struct plan_value *value = &list->values.data[i];
		char why[256];
		regex_t expression;
		int status = regcomp(&expression, value->text, FLAGS);
		regerror(status, &expression, why, sizeof why);
		if (status || !*value->text)
			hd_error(diag, plan_loc(plan, value->line), "check: '%s' is not an expression: %s", value->text,
				 status ? why : "it is empty");
		if (!status)
			regfree(&expression);
	}
}

static bool has_line(const char *output, const char *text)
{
	regex_t expression;
	if (regcomp(&expression, text, FLAGS))
		return false;
	bool found = !regexec(&expression, output, 0, NULL, 0);
	regfree(&expression);
	return found;
}

/* Why the output is not what the plan expects; NULL: it is. The caller frees it. */
static char *cause_of(const struct plan_list *check, const char *output)
{
	struct hd_strbuf cause = {0};
	for (uint32_t i = 0; i < check->values.len; i++)
		if (!has_line(output, check->values.data[i].text)) {
			hd_strbuf_printf(&cause, "check: no line of the output matches %s", check->values.data[i].text);
			return cause.data;
		}
	return NULL;
}

char *sweep_cause(struct sweep *sweep, const struct sweep_run *run)
{
	size_t size = 0;
	char *text = *run->key ? store_text(&sweep->store, run->key, &size) : NULL, *cause = NULL;
	if (!text)
		return *run->key ? store_cause(&sweep->store, run->key) : NULL;
	json_t *document = run->check ? json_loadb(text, size, 0, NULL) : NULL;
	const char *output = json_string_value(json_object_get(document, "output"));
	if (run->check)
		cause = cause_of(run->check, output ? output : "");
	json_decref(document);
	free(text);
	return cause;
}

enum store_state sweep_state(struct sweep *sweep, const struct sweep_run *run)
{
	enum store_state state = *run->key ? store_look(&sweep->store, run->key) : STORE_MISSING;
	char *cause = state == STORE_DONE && run->check ? sweep_cause(sweep, run) : NULL;
	free(cause);
	return cause ? STORE_FAILED : state;
}
