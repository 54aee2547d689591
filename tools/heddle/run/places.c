/*
 * Figures by place: see places.h. Cost: some hundred instructions a pair to read and add; an object for each figure
 * only where a launch's JSON is wanted.
 */
#include "tools/heddle/run/places.h"

#include <stdlib.h>
#include <string.h>

#include "tools/heddle/run/figures.h"
#include "tools/heddle/run/grids.h"

static void add_place(struct run_places *places, json_int_t count, const char *group, const char *key, json_t *sum)
{
	bool shown = !group && (figure_kernels_have(key) || run_grids_have(key));
	if (json_is_number(sum) && places->list.len < count)
		hd_vec_push(&places->list, (struct run_place){sum, group, key, shown});
}

void run_places_find(struct run_places *places, json_t *total, json_int_t count)
{
	const char *group, *key;
	json_t *object, *value;
	json_object_foreach(total, group, object)
	{
		add_place(places, count, NULL, group, object);
		json_object_foreach(object, key, value) add_place(places, count, group, key, value);
	}
	places->values = hd_xcalloc(places->list.len + 1, sizeof *places->values);
}

void run_places_release(struct run_places *places)
{
	hd_vec_release(&places->list);
	hd_vec_release(&places->pairs);
	free(places->values);
	places->values = NULL;
}

/* Moves on behind a number. */
static json_int_t number_at(const char **at)
{
	bool negative = **at == '-';
	uint64_t value = 0;
	for (*at += negative; **at >= '0' && **at <= '9'; ++*at)
		value = value * 10 + (uint64_t)(**at - '0');
	return (json_int_t)(negative ? -value : value);
}

/* Places that the head does not have, such as in a damaged file, are passed over. */
void run_places_read(struct run_places *places, const char *text)
{
	places->pairs.len = 0;
	for (const char *at = text; *at >= '0' && *at <= '9'; at += *at == ' ') {
		json_int_t place = number_at(&at);
		at += *at == ':';
		json_int_t value = number_at(&at);
		if (place >= 0 && place < places->list.len)
			hd_vec_push(&places->pairs, (struct run_pair){(uint32_t)place, value});
	}
}

/* The number with these bits. */
static double real_of(json_int_t bits)
{
	double value;
	memcpy(&value, &bits, sizeof value);
	return value;
}

void run_places_add(struct run_places *places)
{
	for (uint32_t i = 0; i < places->pairs.len; i++) {
		const struct run_pair *pair = &places->pairs.data[i];
		json_t *sum = places->list.data[pair->place].sum;
		if (json_is_integer(sum))
			json_integer_set(sum, json_integer_value(sum) + pair->value);
		else
			json_real_set(sum, json_real_value(sum) + real_of(pair->value));
	}
}

/* ------------------------------------------------------------ launches */

static void set_figure(json_t *object, const struct run_place *place, json_int_t value)
{
	json_t *owner = place->group ? json_object_get(object, place->group) : object;
	if (!owner) {
		owner = json_object();
		json_object_set_new(object, place->group, owner);
	}
	json_object_set_new(owner, place->key,
			    json_is_integer(place->sum) ? json_integer(value) : json_real(real_of(value)));
}

static void set_all(struct run_places *places, json_t *object)
{
	for (uint32_t i = 0; i < places->pairs.len; i++)
		places->values[places->pairs.data[i].place] = places->pairs.data[i].value;
	for (uint32_t i = 0; i < places->list.len; i++)
		set_figure(object, &places->list.data[i], places->values[i]);
	for (uint32_t i = 0; i < places->pairs.len; i++)
		places->values[places->pairs.data[i].place] = 0;
}

json_t *run_places_whole(struct run_places *places, json_t *launch)
{
	json_t *whole = json_object(), *value;
	const char *key;
	json_object_foreach(launch, key, value)
	{
		if (!strcmp(key, "figures"))
			set_all(places, whole);
		else
			json_object_set(whole, key, value);
	}
	return whole;
}

json_t *run_places_short(struct run_places *places, json_t *launch)
{
	for (uint32_t i = 0; i < places->pairs.len; i++) {
		const struct run_place *place = &places->list.data[places->pairs.data[i].place];
		if (place->shown)
			set_figure(launch, place, places->pairs.data[i].value);
	}
	return json_incref(launch);
}
