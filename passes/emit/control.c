/*
 * The row `control`: control bits of the final code, linear versions included, for the architecture that it is compiled
 * for (lib/object/control.c sets them). Code for processors before sm_75 has none: nobody has published what ptxas
 * assumes of their latencies. A GPU with other latencies has its own set when the object is loaded
 * (runtime/exec/control.c).
 */
#include "heddle/control.h"
#include "passes/pass.h"

static struct hd_function *function_at(struct hd_unit *unit, uint32_t index)
{
	struct hd_object *object = &unit->object;
	return index < object->function_count ? &object->functions[index]
					      : &object->linears[index - object->function_count].body;
}

int hd_control_run(struct hd_unit *unit)
{
	const struct hd_timing *timing = hd_timing_of_target(hd_unit_target(unit));
	for (uint32_t i = 0; timing && i < unit->object.function_count + unit->object.linear_count; i++) {
		struct hd_function *function = function_at(unit, i);
		function->control = hd_control_compute(function, timing, &unit->arena);
	}
	return 0;
}

void hd_control_print_unit(FILE *out, const struct hd_unit *unit)
{
	hd_print_listing(out, unit, true);
}

int hd_control_verify_unit(struct hd_unit *unit)
{
	const struct hd_timing *timing = hd_timing_of_target(hd_unit_target(unit));
	for (uint32_t i = 0; timing && i < unit->object.function_count + unit->object.linear_count; i++) {
		const struct hd_function *function = function_at(unit, i);
		struct hd_control_violation violation;
		char text[320];
		if (hd_control_check(function, function->control, timing, &violation))
			continue;
		hd_control_explain(function, &violation, text, sizeof(text));
		return hd_error(unit->diag, HD_NOWHERE, "control bits of '%s': %s", function->name, text);
	}
	return 0;
}
