/*
 * heddle run, `--policy best-NAME`: runs a program under each parameter of a policy and keeps the fastest. Cost: a run
 * for each parameter.
 */
#include "tools/heddle/run/best.h"

#include <string.h>

#include "heddle/policy.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

static const char prefix[] = "best-";

/* "a+best-NAME+b" in parts. */
struct search {
	const char *before, *name, *after;
	size_t before_length, name_length;
	const char *parameters; /* "1,2,3" */
};

static const char *find_item(const char *policy)
{
	for (const char *item = policy; item; item = strchr(item, '+')) {
		item += *item == '+';
		if (!strncmp(item, prefix, sizeof prefix - 1))
			return item;
	}
	return NULL;
}

/* Whether the policy asks for a search. */
static bool split(const char *policy, struct search *search)
{
	const char *item = find_item(policy);
	if (!item)
		return false;
	const char *name = item + sizeof prefix - 1;
	size_t length = strcspn(name, "+");
	*search = (struct search){.before = policy,
				  .name = name,
				  .after = name + length,
				  .before_length = (size_t)(item - policy),
				  .name_length = length,
				  .parameters = hd_policy_best_of(name, length)};
	return true;
}

/* The policy with the parameter that starts at `parameter`; the caller frees it. */
static char *with_parameter(const struct search *search, const char *parameter)
{
	struct hd_strbuf text = {0};
	hd_strbuf_printf(&text, "%.*s%.*s:%.*s%s", (int)search->before_length, search->before, (int)search->name_length,
			 search->name, (int)strcspn(parameter, ","), parameter, search->after);
	return hd_strbuf_detach(&text);
}

static const char *next_parameter(const char *parameter)
{
	const char *comma = strchr(parameter, ',');
	return comma ? comma + 1 : NULL;
}

int best_check(const char *policy, struct hd_diag *diag)
{
	struct search search;
	if (!split(policy, &search))
		return hd_policy_check(policy, diag);
	if (!search.parameters)
		return hd_error(diag, HD_NOWHERE, "policy '%s%.*s': policy '%.*s' has no parameters to search", prefix,
				(int)search.name_length, search.name, (int)search.name_length, search.name);
	char *first = with_parameter(&search, search.parameters);
	int status = find_item(search.after) ? hd_error(diag, HD_NOWHERE, "policy '%s': more than one search", policy)
					     : hd_policy_check(first, diag);
	free(first);
	return status;
}

static json_int_t cycles_of(const struct run_statistics *stats)
{
	return json_integer_value(json_object_get(json_object_get(stats->document, "total"), "cycles"));
}

static struct run_statistics *faster(struct run_statistics *a, struct run_statistics *b)
{
	if (!a || !b)
		return a ? a : b;
	bool first = cycles_of(a) <= cycles_of(b);
	run_statistics_free(first ? b : a);
	return first ? a : b;
}

struct run_statistics *best_run(const char *policy, best_runner run, void *context, int *status)
{
	struct search search;
	if (!split(policy, &search))
		return run(context, policy, status);
	struct run_statistics *best = NULL;
	json_t *all = json_array();
	*status = 0;
	for (const char *parameter = search.parameters; parameter && !*status; parameter = next_parameter(parameter)) {
		char *one = with_parameter(&search, parameter);
		struct run_statistics *stats = run(context, one, status);
		if (stats)
			json_array_append_new(all, json_pack("{s:s,s:I}", "policy", one, "cycles", cycles_of(stats)));
		best = faster(best, stats);
		free(one);
	}
	if (best)
		json_object_set(best->document, "best_of", all);
	json_decref(all);
	return best;
}
