/*
 * What ptxas would say of registers and local memory: under -Xptxas -v its lines, as scripts look for them; under
 * -Xptxas -warn-spills and -warn-lmem-usage its warnings, with the place of the function, or of its launch bounds, and
 * with the limit that causes spills. Linear in the functions, and for those that spill in the text of their source.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "heddle/object.h"
#include "tools/heddle-cc/job.h"

/* ptxas's own lines, which scripts look for. */
static void report_function(const struct hd_metadata *metadata, const struct hd_meta_function *function)
{
	if (function->kernel)
		fprintf(stderr, "ptxas info    : Compiling entry function '%s' for '%s'\n", function->name,
			metadata->target);
	fprintf(stderr,
		"ptxas info    : Function properties for %s\n"
		"    %u bytes stack frame, %u bytes spill stores, %u bytes spill loads\n",
		function->name, function->stack_bytes, function->spill_store_bytes, function->spill_load_bytes);
	if (!function->kernel)
		return;
	fprintf(stderr, "ptxas info    : Used %u registers", function->registers);
	if (function->shared_bytes)
		fprintf(stderr, ", %u bytes smem", function->shared_bytes);
	fprintf(stderr, ", %u bytes cmem[0]\n", HD_CB_PARAMS + function->param_bytes);
}

/*
 * The line of the function's __launch_bounds__, which may stand before that of its name; its own where there is none in
 * the declaration's text up to there.
 */
static uint32_t line_of_bounds(const struct hd_meta_function *function)
{
	static const char word[] = "__launch_bounds__";
	struct hd_diag silent = hd_diag_silent();
	uint32_t line = 1, result = function->source.line;
	uint8_t *bytes;
	size_t size;
	if (!function->max_threads || hd_read_file(function->source.file, &bytes, &size, &silent))
		return result;
	char *at = (char *)bytes;
	while (line < result && (at = strchr(at, '\n'))) {
		at++;
		line++;
	}
	/* From the end of the name's line backwards. */
	char *end = at ? at + strcspn(at, "\n") : NULL;
	for (; end && end > (char *)bytes && !(end < at && strchr(";}", *end)); end--) {
		line -= end < at && *end == '\n';
		if (!strncmp(end, word, strlen(word))) {
			result = line;
			break;
		}
	}
	free(bytes);
	return result;
}

static int warn(struct hd_cc *cc, const struct hd_meta_function *function, uint32_t line, const char *text)
{
	struct hd_loc loc = {function->source.file, line, 0};
	if (cc->ptxas_errors)
		return hd_error(&cc->diag, loc, "%s", text);
	hd_warning(&cc->diag, loc, "%s", text);
	return 0;
}

/* In ptxas's words, and what causes it. 0, or -1 when warnings are errors. */
static int warn_of_function(struct hd_cc *cc, const struct hd_metadata *metadata,
			    const struct hd_meta_function *function)
{
	const char *limit = hd_metadata_limit(metadata, function, &cc->arena);
	uint32_t line = function->source.line;
	int status = 0;
	if (cc->warn_local && function->stack_bytes)
		status = warn(cc, function, line,
			      hd_arena_printf(&cc->arena,
					      "Local memory used for function '%s', size of stack frame: %u bytes",
					      function->name, function->stack_bytes));
	if (cc->warn_spills && (function->spill_store_bytes || function->spill_load_bytes) &&
	    warn(cc, function, limit ? line_of_bounds(function) : line,
		 hd_arena_printf(&cc->arena,
				 "Registers are spilled to local memory in function '%s', %u bytes spill stores, %u "
				 "bytes spill loads%s%s",
				 function->name, function->spill_store_bytes, function->spill_load_bytes,
				 limit ? "; " : "", limit ? limit : "")))
		status = -1;
	return status;
}

int hd_job_report(struct hd_job *job, const char *prefix, bool linked)
{
	struct hd_cc *cc = job->cc;
	uint8_t *bytes;
	size_t size;
	struct hd_metadata metadata;
	const char *file = hd_arena_printf(&cc->arena, "%s.heddle.json", prefix);
	/* What a link leaves as it was has been warned of. */
	bool warns = (cc->warn_spills || cc->warn_local) && !cc->quiet && (!linked || cc->lto);
	if ((!cc->report && !warns) || cc->dry_run)
		return 0;
	if (hd_read_file(file, &bytes, &size, &cc->diag))
		return -1;
	int status = hd_metadata_from_json((const char *)bytes, size, file, &cc->arena, &metadata, &cc->diag);
	free(bytes);
	if (status)
		return status;
	for (uint32_t i = 0; i < metadata.function_count; i++) {
		if (cc->report)
			report_function(&metadata, &metadata.functions[i]);
		if (warns && warn_of_function(cc, &metadata, &metadata.functions[i]))
			status = -1;
	}
	return status;
}
