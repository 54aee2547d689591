/*
 * The row STRANDS: strands of every function of a unit, for comparison with register-intervals. What both rows do alike
 * is in program_intervals.c. Linear in the code.
 */
#include "heddle/figures.h"
#include "passes/analysis/intervals.h"
#include "passes/pass.h"

int hd_strands_run(struct hd_unit *unit)
{
	struct hd_subgraphs *results = hd_subgraphs_of_unit(unit, HD_STRANDS);
	unit->results[HD_PASS_STRANDS] = results;
	return results ? 0 : -1;
}

void hd_strands_describe(struct hd_unit *unit, uint32_t function, struct hd_meta_function *facts)
{
	const struct hd_subgraphs *strands = hd_pass_result(unit, HD_PASS_STRANDS), *mine = &strands[function];
	facts->strands = hd_subgraphs_records(mine, &unit->arena);
	facts->strand_count = mine->count;
	facts->strand_prefetches = hd_subgraphs_prefetches(mine);
}

void hd_strands_print_unit(FILE *out, const struct hd_unit *unit)
{
	const struct hd_subgraphs *results = hd_pass_result(unit, HD_PASS_STRANDS);
	for (uint32_t f = 0; f < unit->object.function_count; f++)
		hd_subgraphs_print(out, &results[f], "strand");
}

int hd_strands_verify_unit(struct hd_unit *unit)
{
	return hd_subgraphs_verify(unit, hd_pass_result(unit, HD_PASS_STRANDS), "strands");
}
