/*
 * Values of figures: a number, or what is worse than any number. As text, as JSON, and compared.
 */
#include <math.h>
#include <string.h>

#include "lib/metadata/json.h"
#include "tools/heddle/gate/gate.h"

struct gate_value gate_number(double number)
{
	return (struct gate_value){.number = number};
}

bool gate_value_is_number(const struct gate_value *value)
{
	return value->state == HD_META_IS_NUMBER;
}

char *gate_metric_text(const struct gate_metric *metric, double value, struct hd_arena *arena)
{
	if (!isfinite(value))
		return hd_arena_strdup(arena, "any");
	if (strcmp(metric->unit, "yes/no") == 0)
		return hd_arena_strdup(arena, value != 0 ? "yes" : "no");
	/* Shares such as 33.33 %: two places are enough to tell steps apart. */
	double shown = round(value * 100) / 100;
	return hd_arena_printf(arena, "%.15g%s", shown, strcmp(metric->unit, "%") == 0 ? " %" : "");
}

char *gate_value_text(const struct gate_metric *metric, const struct gate_value *value, struct hd_arena *arena)
{
	char *number = gate_metric_text(metric, value->number, arena), state[64];
	hd_meta_state_text(value->state, value->places, state, sizeof(state));
	switch (value->state) {
	case HD_META_IS_NUMBER: break;
	case HD_META_UNPROVEN:
		return value->none ? hd_arena_strdup(arena, state)
				   : hd_arena_printf(arena, "%s, %s elsewhere", state, number);
	case HD_META_UNBOUNDED: return hd_arena_printf(arena, "%s, at least %s", state, number);
	}
	return number;
}

/* ------------------------------------------------------------------ JSON */

json_t *gate_number_json(double value)
{
	value = round(value * 1e4) / 1e4;
	return value == floor(value) && fabs(value) < 1e15 ? json_integer((json_int_t)value) : json_real(value);
}

static const char *const state_names[] = {"number", "unproven", "unbounded"};

json_t *gate_value_json(const struct gate_value *value)
{
	if (gate_value_is_number(value))
		return gate_number_json(value->number);
	return json_pack("{s:s,s:I,s:o}", "state", state_names[value->state], "places", (json_int_t)value->places,
			 "proven", value->none ? json_null() : gate_number_json(value->number));
}

bool gate_value_from_json(const json_t *json, struct gate_value *value)
{
	*value = gate_number(json_number_value(json));
	if (json_is_number(json))
		return true;
	const char *state = json_string_value(json_object_get(json, "state"));
	const json_t *places = json_object_get(json, "places"), *proven = json_object_get(json, "proven");
	json_int_t count = json_integer_value(places);
	if (!state || !json_is_integer(places) || count < 0 || count > UINT32_MAX ||
	    !(json_is_number(proven) || json_is_null(proven)))
		return false;
	for (unsigned i = HD_META_UNPROVEN; i <= HD_META_UNBOUNDED; i++)
		if (strcmp(state, state_names[i]) == 0)
			value->state = (enum hd_meta_state)i;
	value->places = (uint32_t)count;
	value->none = json_is_null(proven);
	value->number = json_number_value(proven);
	return value->state != HD_META_IS_NUMBER;
}

/* ------------------------------------------------------------------ comparing */

/* 1: worse, -1: better, 0: the same within `room`. A figure without a direction is worse when it changes. */
static int number_change(enum gate_direction direction, double old, double now, double room)
{
	double change = now - old;
	if (fabs(change) <= room + 1e-9)
		return 0;
	bool better = (direction == GATE_LESS && change < 0) || (direction == GATE_MORE && change > 0);
	return better ? -1 : 1;
}

int gate_value_change(enum gate_direction direction, const struct gate_value *old, const struct gate_value *now,
		      double room)
{
	if (old->state != now->state)
		return old->state < now->state ? 1 : -1;
	bool both = !old->none && !now->none;
	int number = both ? number_change(direction, old->number, now->number, room) : 0;
	if (gate_value_is_number(now))
		return number;
	/* The worst place is as bad as before: what is proven of the others counts where it is about as much. */
	int places = (now->places > old->places) - (now->places < old->places);
	return places > 0 || number > 0 ? 1 : places + number < 0 ? -1 : 0;
}

bool gate_value_differs(const struct gate_value *old, const struct gate_value *now)
{
	return old->state != now->state || old->places != now->places || old->none != now->none ||
	       fabs(old->number - now->number) >= 1e-9;
}

enum hd_meta_state gate_value_blamed(const struct gate_value *old, const struct gate_value *now)
{
	return old->state == now->state && old->places == now->places ? HD_META_IS_NUMBER : now->state;
}
