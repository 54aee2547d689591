/*
 * Sampling in the statistics. Of a launch `how` it was run, partly: its later blocks without time, its `cluster`, and
 * where that means estimates their `errors`; of all launches so far how many were run in which way, the `instructions`
 * of the program that they executed, those of them that were simulated with time, and the `errors` of the sums. An
 * error is half the width of the interval in which the figure of a full run lies with 95 % probability, in the figure's
 * unit; null: there is one sample, which does not tell. What has no error is left out: it was counted.
 *
 * Cost: O(clusters * counters) a document or record.
 */
#include <math.h>

#include "runtime/sampling/private.h"

static const char *const how[HD_SAMPLED_KINDS] = {
	[HD_SAMPLED_DETAILED] = "detailed",
	[HD_SAMPLED_PARTLY] = "partly",
	[HD_SAMPLED_FUNCTIONAL] = "functional",
	[HD_SAMPLED_BESIDE] = "beside",
};

typedef double error_of(const struct hd_sampling *sampling, uint32_t which);

/* Counts' errors are told to a thousandth: less is what is lost in computing them. */
static double told(double error)
{
	return isfinite(error) ? floor(error * 1000) / 1000 : error;
}

static void set_error(json_t *object, const char *key, double error)
{
	if (error != 0)
		json_object_set_new(object, key, isfinite(error) ? json_real(error) : json_null());
}

static json_t *errors(const struct hd_sampling *sampling, error_of *error)
{
	json_t *object = json_object(), *stalls = json_object();
	for (uint32_t i = 0; i < hd_counter_count; i++)
		if (!hd_sampled_exactly(sampling, i))
			set_error(object, hd_counter_info[i].name, told(error(sampling, i)));
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		if (i != HD_STALL_issued)
			set_error(stalls, hd_stall_name[i], told(error(sampling, hd_sampled_stall(i))));
	set_error(object, "energy_joules", error(sampling, hd_sampled_joules(sampling)));
	if (json_object_size(stalls))
		json_object_set(object, "stalls", stalls);
	json_decref(stalls);
	return object;
}

static double launch_error(const struct hd_sampling *sampling, uint32_t which)
{
	if (sampling->kind == HD_SAMPLED_PARTLY)
		return sampling->blocks.errors[which];
	if (sampling->family)
		return hd_trend_error_of(&sampling->family->trend, which, sampling->figures[which]);
	return hd_estimator_error_of(&sampling->cluster->estimator, which, sampling->launch_work, sampling->distance);
}

static double total_error(const struct hd_sampling *sampling, uint32_t which)
{
	double squares = sampling->blocks.squares[which], bias = sampling->blocks.ends[which] + sampling->behind[which];
	for (uint32_t i = 0; i < sampling->clusters.len; i++) {
		struct hd_error error = hd_estimator_error(&sampling->clusters.data[i]->estimator, which);
		squares += error.chance * error.chance;
		bias += error.bias;
	}
	for (uint32_t i = 0; i < sampling->families.len; i++) {
		struct hd_error error = hd_trend_error(&sampling->families.data[i]->trend, which);
		squares += error.chance * error.chance;
		bias += error.bias;
	}
	return sqrt(squares) + bias;
}

static uint32_t index_of(const struct hd_sampling *sampling, const struct hd_sampled_cluster *cluster)
{
	uint32_t index = 0;
	while (sampling->clusters.data[index] != cluster)
		index++;
	return index;
}

json_t *hd_sampling_launch_json(const struct hd_sampling *sampling)
{
	json_t *object = json_object();
	json_object_set_new(object, "how", json_string(how[sampling->kind]));
	if (sampling->cluster)
		json_object_set_new(object, "cluster", json_integer(index_of(sampling, sampling->cluster)));
	if (sampling->family)
		json_object_set_new(object, "trend", json_true());
	if (sampling->kind == HD_SAMPLED_FUNCTIONAL || sampling->kind == HD_SAMPLED_PARTLY)
		json_object_set_new(object, "errors", errors(sampling, launch_error));
	return object;
}

json_t *hd_sampling_json(const struct hd_sampling *sampling)
{
	json_t *object = json_object();
	uint64_t launches = 0;
	for (uint32_t i = 0; i < HD_SAMPLED_KINDS; i++) {
		json_object_set_new(object, how[i], json_integer((json_int_t)sampling->launches[i]));
		launches += sampling->launches[i];
	}
	json_object_set_new(object, "launches", json_integer((json_int_t)launches));
	json_object_set_new(object, "clusters", json_integer(sampling->clusters.len));
	json_object_set_new(object, "instructions", json_integer(llround(sampling->work)));
	json_object_set_new(object, "detailed_instructions", json_integer(llround(sampling->detailed_work)));
	json_object_set_new(object, "errors", errors(sampling, total_error));
	return object;
}
