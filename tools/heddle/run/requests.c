/*
 * Requests: see requests.h. Times between arrivals of a Poisson process are exponential, from a hash of seed, program
 * and number, so that one program's arrivals do not depend on another's, nor on the policy. Percentiles are nearest
 * ranks: values that a request had.
 *
 * Cost: a sort of the latencies.
 */
#include "tools/heddle/run/requests.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/hash.h"
#include "lib/text.h"
#include "tools/heddle/run/figures.h"

#define MOST_REQUESTS 1000000 /* of a program */

/* ---- arrivals */

/* In (0, 1]. */
static double draw(uint64_t seed, uint32_t program, uint64_t number)
{
	uint64_t random = hd_hash_mix(hd_hash_mix(hd_hash_mix(HD_HASH_TEXT, seed), program + 1), number);
	return (double)((random >> 11) + 1) / 9007199254740992.0; /* 2^53 */
}

static int generate(struct requests *requests, uint32_t program, double us, bool random, struct hd_diag *diag)
{
	double mean = us * requests->cycles_per_us, at = 0;
	for (uint64_t number = 0;; number++) {
		at += random ? -mean * log(draw(requests->seed, program, number)) : mean * (number > 0);
		if (!(at < (double)requests->window))
			return 0;
		if (number == MOST_REQUESTS)
			return hd_error(diag, HD_NOWHERE, "--arrivals %s: more than %d requests of a program",
					requests->spec, MOST_REQUESTS);
		hd_vec_push(&requests->of[program], (struct request){.arrived = (uint64_t)at});
	}
}

/* A number of microseconds, and where the next one begins; NULL: it is none. */
static const char *read_us(const char *text, double *us)
{
	char *end;
	*us = strtod(text, &end);
	if (end == text || !(*us > 0) || !isfinite(*us) || (*end && (*end != ',' || !end[1])))
		return NULL;
	return *end ? end + 1 : end;
}

static int read_means(struct requests *requests, uint32_t programs, const char *text, bool random, struct hd_diag *diag)
{
	double us = 0;
	for (uint32_t i = 0; i < programs; i++) {
		text = *text || !i ? read_us(text, &us) : text;
		if (!text || (*text && i + 1 == programs))
			return hd_error(diag, HD_NOWHERE,
					"--arrivals %s: expected microseconds between requests, one number for all %u "
					"programs or one for each",
					requests->spec, programs);
		if (generate(requests, i, us, random, diag))
			return -1;
	}
	return 0;
}

static int read_line(struct requests *requests, uint32_t programs, char *line, double *last, struct hd_loc loc,
		     struct hd_diag *diag)
{
	char *end;
	line[strcspn(line, "#\r")] = '\0';
	if (!line[strspn(line, " \t")])
		return 0;
	double us = strtod(line, &end);
	bool good = end != line && us >= 0 && isfinite(us);
	unsigned long program = good ? strtoul(end, &line, 10) : 0;
	if (!good || line == end || line[strspn(line, " \t")])
		return hd_error(diag, loc, "expected a time in microseconds and the number of a program");
	if (program < 1 || program > programs)
		return hd_error(diag, loc, "there is no program %lu: they are numbered from 1 to %u", program,
				programs);
	if (us < *last)
		return hd_error(diag, loc, "requests are not in order of their times");
	*last = us;
	double cycle = us * requests->cycles_per_us; /* which may be beyond 64 bits */
	if (cycle < (double)requests->window)
		hd_vec_push(&requests->of[program - 1], (struct request){.arrived = (uint64_t)cycle});
	return 0;
}

static int read_trace(struct requests *requests, uint32_t programs, struct hd_diag *diag)
{
	char *text;
	size_t size;
	double last = 0;
	uint32_t number = 0;
	int status = 0;
	if (hd_text_read(requests->spec, &text, &size, diag))
		return -1;
	char *rest = text;
	for (char *line; !status && (line = strsep(&rest, "\n"));)
		status = read_line(requests, programs, line, &last, (struct hd_loc){requests->spec, ++number, 0}, diag);
	free(text);
	return status;
}

int requests_read(struct requests *requests, uint32_t programs, struct hd_diag *diag)
{
	size_t total = 0;
	int status;
	if (!strncmp(requests->spec, "poisson:", 8))
		status = read_means(requests, programs, requests->spec + 8, true, diag);
	else if (!strncmp(requests->spec, "every:", 6))
		status = read_means(requests, programs, requests->spec + 6, false, diag);
	else
		status = read_trace(requests, programs, diag);
	for (uint32_t i = 0; i < programs; i++)
		total += requests->of[i].len;
	if (!status && !total)
		return hd_error(diag, HD_NOWHERE, "--arrivals %s: no request arrives in the first %llu cycles",
				requests->spec, (unsigned long long)requests->window);
	return status;
}

void requests_release(struct requests *requests)
{
	for (uint32_t i = 0; i < REQUESTS_PROGRAMS; i++)
		hd_vec_release(&requests->of[i]);
}

/* ---- figures */

double requests_percentile(const double *values, size_t count, double percent)
{
	size_t rank = (size_t)ceil(percent * (double)count / 100 - 1e-9);
	return values[rank ? rank - 1 : 0];
}

static int ascending(const void *a, const void *b)
{
	double first = *(const double *)a, second = *(const double *)b;
	return (first > second) - (first < second);
}

/* Latencies in microseconds, of programs chosen by bits. */
static json_t *latencies(const struct requests *requests, uint32_t programs)
{
	static const struct {
		const char *name;
		double percent;
	} ranks[] = {{"p50", 50}, {"p90", 90}, {"p95", 95}, {"p99", 99}, {"max", 100}};
	HD_VEC(double) values = {0};
	double sum = 0, waits = 0;
	json_t *object = json_object(), *latency = json_object();
	for (uint32_t i = 0; i < REQUESTS_PROGRAMS; i++)
		for (uint32_t k = 0; programs >> i & 1 && k < requests->of[i].len; k++) {
			const struct request *request = &requests->of[i].data[k];
			double us = (double)(request->ended - request->arrived) / requests->cycles_per_us;
			hd_vec_push(&values, us);
			sum += us;
			waits += (double)(request->began - request->arrived) / requests->cycles_per_us;
		}
	double count = values.len ? values.len : 1;
	json_object_set_new(object, "requests", json_integer(values.len));
	json_object_set_new(object, "queued_us", json_real(waits / count));
	json_object_set_new(latency, "mean", json_real(sum / count));
	if (values.len)
		qsort(values.data, values.len, sizeof(double), ascending);
	for (size_t i = 0; values.len && i < sizeof ranks / sizeof *ranks; i++)
		json_object_set_new(latency, ranks[i].name,
				    json_real(requests_percentile(values.data, values.len, ranks[i].percent)));
	json_object_set_new(object, "latency_us", latency);
	hd_vec_release(&values);
	return object;
}

static json_t *list_of(const struct requests *requests, uint32_t program)
{
	json_t *list = json_array();
	for (uint32_t k = 0; k < requests->of[program].len; k++) {
		const struct request *request = &requests->of[program].data[k];
		json_array_append_new(list, json_pack("[I,I,I]", (json_int_t)request->arrived,
						      (json_int_t)request->began, (json_int_t)request->ended));
	}
	return list;
}

static json_t *by_priority(const struct requests *requests, const json_t *programs)
{
	json_t *list = json_array();
	uint32_t seen = 0;
	for (;;) {
		const json_t *next = NULL; /* the most urgent of those left */
		uint32_t chosen = 0;
		for (uint32_t i = 0; i < json_array_size(programs); i++) {
			const json_t *program = json_array_get(programs, i);
			double priority = figure_number(program, "priority");
			if (seen >> i & 1 || (next && priority > figure_number(next, "priority")))
				continue;
			chosen = next && priority == figure_number(next, "priority") ? chosen : 0;
			chosen |= UINT32_C(1) << i;
			next = program;
		}
		if (!next)
			return list;
		json_t *row = latencies(requests, chosen);
		json_object_set(row, "priority", json_object_get(next, "priority"));
		json_array_append_new(list, row);
		seen |= chosen;
	}
}

void requests_add(json_t *document, const struct requests *requests, json_t *programs)
{
	uint64_t end = 0;
	size_t index;
	json_t *program;
	json_array_foreach(programs, index, program)
	{
		json_t *own = latencies(requests, UINT32_C(1) << index);
		json_object_update(program, own);
		json_decref(own);
		json_object_set_new(program, "cycles", list_of(requests, (uint32_t)index));
		for (uint32_t k = 0; k < requests->of[index].len; k++)
			end = requests->of[index].data[k].ended > end ? requests->of[index].data[k].ended : end;
	}
	json_t *all = json_pack("{s:s, s:I, s:I, s:I, s:o, s:O}", "arrivals", requests->spec, "seed",
				(json_int_t)requests->seed, "window", (json_int_t)requests->window, "end",
				(json_int_t)end, "priorities", by_priority(requests, programs), "programs", programs);
	json_object_set_new(document, "requests", all);
}

/* ---- the table */

static void print_row(const json_t *row, const char *name)
{
	static const char *const columns[] = {"mean", "p50", "p90", "p95", "p99", "max"};
	const json_t *latency = json_object_get(row, "latency_us");
	printf("%8.0f %8.0f %10.1f", figure_number(row, "priority"), figure_number(row, "requests"),
	       figure_number(row, "queued_us"));
	for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
		printf(" %9.1f", figure_number(latency, columns[i]));
	printf("  %s\n", name);
}

void requests_print(const json_t *document)
{
	const json_t *requests = json_object_get(document, "requests");
	const json_t *programs = json_object_get(requests, "programs"),
		     *priorities = json_object_get(requests, "priorities");
	size_t index;
	json_t *row;
	if (!requests)
		return;
	printf("requests of %.0f cycles by %s, seed %.0f; the last one ended in cycle %.0f\n",
	       figure_number(requests, "window"), json_string_value(json_object_get(requests, "arrivals")),
	       figure_number(requests, "seed"), figure_number(requests, "end"));
	printf("%8s %8s %10s %9s %9s %9s %9s %9s %9s  %s\n", "priority", "requests", "queued, us", "mean, us", "p50",
	       "p90", "p95", "p99", "max", "program");
	json_array_foreach(programs, index, row) print_row(row, json_string_value(json_object_get(row, "recording")));
	json_array_foreach(priorities, index, row)
	{
		if (json_array_size(priorities) < json_array_size(programs))
			print_row(row, "(all of this priority)");
	}
}
