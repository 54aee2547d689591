/* Records of launches: what a line says of its launch is that launch's, although most of it is kept from the last. */
#include <jansson.h>

#include "harness.h"
#include "heddle/opcodes.h"
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
	ck_assert_ptr_null(strstr(lines.data[lines.len - 1], ":-0")); /* no number has a sign of its own */
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

static void restart(void)
{
	tear_down();
	lines.len = 0;
	simbench_init(&bench);
	bench.meta.demangled = title;
	bench.options.record = take;
}

/* Whether the last launch but `back` is said to be something. */
static bool launch_is(uint32_t back, const char *key)
{
	for (uint32_t i = lines.len; i--;)
		if (!strncmp(lines.data[i], "{\"launch\"", 9) && !back--) {
			json_t *line = field(lines.len - 1 - i, 0);
			bool is = json_is_true(json_object_get(json_object_get(line, "launch"), key));
			json_decref(line);
			return is;
		}
	ck_abort();
}

/* Samples are of their launch alone: two of the same shape have some of their own. The load of the first one misses,
 * that of the second hits, so that the first takes longer and has more of them. */
START_TEST(samples_are_of_their_launch)
{
	uint64_t address;
	size_t count[2];
	restart();
	simbench_param(&bench, 2);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_LDG);
	inst->dst = 4, inst->a = 2, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	simbench_ffma(&bench, 5, 4, 4, 4);
	bench.options.sample = 50;
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 256, &address), 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct hd_launch launch = simbench_launch(&bench, 1, 32, &address);
		ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), 0);
		json_t *line = field(0, 0), *samples = json_object_get(json_object_get(line, "launch"), "samples");
		count[i] = json_array_size(json_object_get(json_object_get(samples, "watts"), "total"));
		json_decref(line);
	}
	ck_assert_uint_gt(count[0], count[1]);
	ck_assert_uint_gt(count[1], 0);
}
END_TEST

static uint32_t leaves(const json_t *value)
{
	const char *key;
	json_t *part;
	uint32_t count = !json_is_object(value);
	json_object_foreach((json_t *)value, key, part) count += leaves(part);
	return count;
}

/* A figure of the last line but `back`, by its key in the head's total: a double's are its bits. What a line leaves out
 * is 0. */
static int64_t figure(uint32_t back, const char *wanted)
{
	json_t *head = json_loads(lines.data[0], 0, NULL), *value;
	const char *key, *text = strchr(lines.data[lines.len - 1 - back], '\t') + 1;
	char name[16];
	uint32_t place = 0;
	json_object_foreach(json_object_get(json_object_get(head, "head"), "total"), key, value)
	{
		if (!strcmp(key, wanted))
			break;
		place += leaves(value);
	}
	json_decref(head);
	snprintf(name, sizeof name, "%u:", place);
	for (; *text && *text != '\t'; text += strcspn(text, " \t"), text += *text == ' ')
		if (!strncmp(text, name, strlen(name)))
			return strtoll(text + strlen(name), NULL, 10);
	return 0;
}

/* The lines of two launches, and of the rest, add up to what there is in all. */
static void expect_sum(void)
{
	struct hd_stats total;
	struct hd_power power;
	int64_t cycles = 0;
	double joules = 0;
	hd_sim_total(bench.sim, &total);
	hd_power_compute(&power, &total.counters, &bench.config);
	ck_assert_int_eq(strncmp(lines.data[lines.len - 1], "{\"rest\":true}\t", 14), 0);
	for (uint32_t back = 0; back < 3; back++) {
		int64_t bits = figure(back, "energy_joules");
		double part;
		memcpy(&part, &bits, sizeof part);
		joules += part;
		cycles += figure(back, "cycles");
	}
	ck_assert_int_lt(figure(0, "cycles"), 0); /* those of both */
	ck_assert_int_eq(cycles, (int64_t)total.counters.cycles);
	ck_assert_double_eq_tol(joules, hd_power_total(&power), 1e-9 * joules);
}

/* A launch beside another one says so, and one of the same shape that comes alone afterwards does not. */
START_TEST(launches_beside_others_say_so)
{
	uint64_t param = 0, ticket;
	for (uint32_t i = 0; i < 3; i++) {
		struct hd_launch launch = launch_of(1, 32);
		launch.params = &param;
		launch.stream = i ? 2 : 1;
		ck_assert_int_eq(hd_sim_submit(bench.sim, &launch, &ticket), 0);
		if (i)
			ck_assert_int_eq(hd_sim_wait_all(bench.sim), 0);
		if (i == 1)
			expect_sum();
	}
	ck_assert(launch_is(2, "shared"));
	ck_assert(launch_is(1, "shared"));
	ck_assert(!launch_is(0, "shared"));
}
END_TEST

/* A launch that a fault ends is marked, the same launch before it is not. */
START_TEST(launches_that_fail_are_partial)
{
	uint64_t address;
	restart();
	simbench_param(&bench, 2);
	struct hd_inst *inst = simbench_emit(&bench, HD_OP_LDG);
	inst->dst = 4, inst->a = 2, inst->xkind = HD_X_OTHER, inst->mods = HD_MOD(SIZE, HD_SIZE_32);
	ck_assert_msg(!simbench_start(&bench), "%s", bench.message);
	ck_assert_int_eq(hd_sim_malloc(bench.sim, 256, &address), 0);
	for (uint32_t fails = 0; fails < 2; fails++) {
		struct hd_launch launch = simbench_launch(&bench, 1, 32, &address);
		ck_assert_int_eq(hd_sim_launch(bench.sim, &launch), fails ? HD_SIM_BAD_ADDRESS : 0);
		ck_assert_int_eq(launch_is(0, "partial"), fails);
		address = 0;
	}
}
END_TEST

Suite *hd_suite(void)
{
	return hd_suite_with("lines",
			     (const TTest *const[]){shapes, figures, samples_are_of_their_launch,
						    launches_beside_others_say_so, launches_that_fail_are_partial,
						    NULL},
			     set_up, tear_down);
}
