/* Records of launches: what a line says of its launch is that launch's, although most of it is kept from the last. */
#include <jansson.h>

#include "harness.h"
#include "simbench.h"

static const char title[] = "k<\"\\\t\xc3\xb6>";

static struct simbench bench;
static HD_VEC(char *) lines;

static void take(void *context, const char *line)
{
	(void)context;
	hd_vec_push(&lines, hd_xstrdup(line));
}

static void set_up(void)
{
	simbench_init(&bench);
	simbench_chain(&bench, 2);
	bench.meta.demangled = title;
	bench.options.record = take;
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
}

static void tear_down(void)
{
	for (uint32_t i = 0; i < lines.len; i++)
		free(lines.data[i]);
	hd_vec_release(&lines);
	simbench_release(&bench);
}

/* Field `index` of the last line but `back`, as JSON. */
static json_t *field(uint32_t back, uint32_t index)
{
	const char *text = lines.data[lines.len - 1 - back];
	for (; index; index--)
		text = strchr(text, '\t') + 1;
	json_t *value = json_loadb(text, strcspn(text, "\t"), 0, NULL);
	ck_assert_ptr_nonnull(value);
	return value;
}

static struct hd_launch launch_of(uint32_t ctas, uint32_t threads)
{
	return simbench_launch(&bench, ctas, threads, NULL); /* `expect` has the parameter */
}

static void expect_three(const json_t *array, const uint32_t wanted[3])
{
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_int_eq(json_integer_value(json_array_get(array, i)), wanted[i]);
}

static uint64_t number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static void expect(struct hd_launch launch)
{
	uint64_t param = 0;
	launch.params = &param;
	ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
	json_t *start = field(1, 0), *line = field(0, 0), *rest = field(0, 2);
	const json_t *object = json_object_get(line, "launch");
	ck_assert_str_eq(json_string_value(json_object_get(start, "start")), title);
	ck_assert_str_eq(json_string_value(json_object_get(object, "kernel")), title);
	expect_three(json_object_get(object, "grid"), launch.grid);
	expect_three(json_object_get(object, "block"), launch.block);
	ck_assert_uint_eq(number(object, "dynamic_shared"), launch.dynamic_shared);
	ck_assert_uint_eq(number(object, "stream"), launch.stream);
	uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
	ck_assert_uint_eq(number(object, "resident_ctas"),
			  hd_kernel_occupancy(&bench.sim->gpu, bench.kernel, threads, launch.dynamic_shared));
	ck_assert_uint_eq(json_object_size(json_object_get(rest, "policies")), 1);
	json_decref(start);
	json_decref(line);
	json_decref(rest);
}

/* Each differs from the last in one thing; then it comes again. */
START_TEST(shapes)
{
	struct hd_launch launch = launch_of(1, 32);
	expect(launch);
	expect(launch);
	for (uint32_t i = 0; i < 3; i++) {
		launch.grid[i]++;
		expect(launch);
		launch.block[i]++;
		expect(launch);
	}
	launch.dynamic_shared = 1024;
	expect(launch);
	launch.stream = 3;
	expect(launch);
	launch.stream = UINT64_MAX / 2; /* longer than what was kept */
	launch.grid[0] = 300;
	expect(launch);
	expect(launch);
	expect(launch_of(1, 32));
}
END_TEST

/* Warp instructions are counted by each launch alone: an FFMA chain of two and EXIT. */
START_TEST(figures)
{
	json_t *head = field(0, 0), *total = json_object_get(json_object_get(head, "head"), "total"), *value;
	const char *key;
	uint32_t place = 0;
	json_object_foreach(total, key, value)
	{
		if (!strcmp(key, "warp_instructions"))
			break;
		place++;
	}
	json_decref(head);
	for (uint32_t ctas = 1; ctas < 4; ctas++) {
		char wanted[32];
		expect(launch_of(ctas, 32));
		snprintf(wanted, sizeof wanted, "%s%u:%u ", place ? " " : "\t", place, 3 * ctas);
		ck_assert_ptr_nonnull(strstr(lines.data[lines.len - 1], wanted));
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("lines", (const TTest *const[]){shapes, figures, NULL}, set_up, tear_down);
}
