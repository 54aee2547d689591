/* GPU configurations: every .ini, the table's limits, errors with their place. */
#include "harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/config.h"
#include "heddle/stats.h"

static char last_message[512], messages[2048];
static struct hd_loc last_loc;

static void keep(void *context, enum hd_severity severity, struct hd_loc loc, const char *message)
{
	(void)context, (void)severity;
	snprintf(last_message, sizeof last_message, "%s", message);
	size_t length = strlen(messages);
	snprintf(messages + length, sizeof messages - length, "%s\n", message);
	last_loc = loc;
}

static struct hd_diag quiet(void)
{
	last_message[0] = messages[0] = '\0';
	return (struct hd_diag){.emit = keep};
}

/* Writes an .ini of this text and loads it. */
static int load_text(const char *text, struct hd_config *config)
{
	char path[] = "/tmp/heddle-config-XXXXXX.ini";
	int fd = mkstemps(path, 4);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	struct hd_diag diag = quiet();
	int status = hd_config_load(config, path, &diag);
	unlink(path);
	return status;
}

START_TEST(defaults_are_consistent)
{
	struct hd_config config;
	struct hd_diag diag = quiet();
	hd_config_defaults(&config);
	ck_assert_int_eq(hd_config_check(&config, &diag), 0);
	ck_assert_uint_eq(config.schedulers, 4);
}
END_TEST

/* What inih would take for the next line is not one. */
START_TEST(a_line_is_whole_or_an_error)
{
	struct hd_config config;
	char text[1024];
	snprintf(text, sizeof text, "sm_count = 7\n; %0*d\n", 300, 0);
	memcpy(text + 13 + 199, "sm_count = 9 ;", 14); /* in the comment */
	ck_assert_int_eq(load_text(text, &config), 0);
	ck_assert_uint_eq(config.sm_count, 7);
	snprintf(text, sizeof text, "sm_count = %*d\n", 198 - 11, 5);
	ck_assert_int_eq(load_text(text, &config), 0);
	ck_assert_uint_eq(config.sm_count, 5);
	snprintf(text, sizeof text, "\nsm_count = %*d\n", 199 - 11, 5);
	ck_assert_int_ne(load_text(text, &config), 0);
	ck_assert_msg(strstr(last_message, "the line is longer than 198 characters") != NULL, "%s", last_message);
}
END_TEST

/* A folder can be opened. */
START_TEST(a_folder_is_no_gpu)
{
	char path[] = "/tmp/heddle-config-XXXXXX", name[64];
	struct hd_config config;
	struct hd_diag diag = quiet();
	ck_assert_ptr_nonnull(mkdtemp(path));
	snprintf(name, sizeof name, "%s/gpu.ini", path);
	ck_assert_int_eq(mkdir(name, 0700), 0);
	int status = hd_config_load(&config, name, &diag);
	rmdir(name);
	rmdir(path);
	ck_assert_int_eq(status, -1);
	ck_assert_msg(strstr(last_message, "gpu.ini: Is a directory"), "%s", last_message);
}
END_TEST

START_TEST(every_gpu_loads)
{
	setenv("HEDDLE_DATA", "runtime", 1); /* runtime/gpus: tests run in the project's root */
	char **names = hd_config_gpus(NULL);
	unsigned count = 0;
	for (; names[count]; count++) {
		struct hd_config config;
		struct hd_diag diag = quiet();
		ck_assert_msg(hd_config_load(&config, names[count], &diag) == 0, "%s: %s", names[count], last_message);
		ck_assert_str_eq(config.name, names[count]);
		free(names[count]);
	}
	free(names);
	ck_assert_uint_eq(count, 18);
}
END_TEST

START_TEST(v100_has_the_papers_values)
{
	struct hd_config config;
	struct hd_diag diag = quiet();
	setenv("HEDDLE_DATA", "runtime", 1);
	ck_assert_int_eq(hd_config_load(&config, "v100", &diag), 0);
	ck_assert_uint_eq(config.sm_count, 80);
	ck_assert_uint_eq(config.l1_bytes, 128 * 1024);
	ck_assert_uint_eq(config.registers * 4, 256 * 1024);
	ck_assert_uint_eq(config.l2_slices * config.l2_slice_bytes, 6 * 1024 * 1024);
	ck_assert_uint_eq(config.scheduler, HD_SCHED_CGGTY);
}
END_TEST

START_TEST(unknown_gpu_names_the_nearest)
{
	struct hd_config config;
	struct hd_diag diag = quiet();
	setenv("HEDDLE_DATA", "runtime", 1);
	ck_assert_int_eq(hd_config_load(&config, "v10", &diag), -1);
	ck_assert_ptr_nonnull(strstr(last_message, "v100"));
}
END_TEST

START_TEST(bad_files_tell_the_line)
{
	static const struct {
		const char *text, *message;
		uint32_t line;
	} cases[] = {
		{"product = x\nsm_cuont = 3\n", "sm_count", 2},
		{"[a]\n\nsm_count = many\n", "needs a number", 3},
		{"sm_count = 0\n", "expected 1 to 1024", 1},
		{"sm_count = 1.5\n", "whole number", 1},
		{"scheduler = oldest\n", "gto|lrr|two-level|cggty", 1},
		{"sm_count = 4\nnonsense\n", "key = value", 2},
	};
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct hd_config config;
		ck_assert_int_eq(load_text(cases[i].text, &config), -1);
		ck_assert_msg(strstr(last_message, cases[i].message) != NULL, "'%s' in '%s'", cases[i].message,
			      last_message);
		ck_assert_uint_eq(last_loc.line, cases[i].line);
	}
}
END_TEST

/* What breaks a rule of hd_config_check(). */
START_TEST(inconsistent_values_are_refused)
{
	static const struct {
		const char *text, *message;
	} wrong[] = {
		{"l2_slices = 5\ndram_channels = 2\n", "l2_slices is not a multiple of dram_channels"},
		{"dram_banks = 6\n", "dram_banks is not a multiple of dram_groups"},
		{"register_banks = 6\n", "register_banks is not a multiple of schedulers"},
		{"operands = modern\nsubcores = no\n", "operands = modern needs subcores = yes"},
		{"core = modern\noperands = modern\ncompute_major = 7\ncompute_minor = 0\n",
		 "core = modern is for compute capability 7.5 and later"},
		{"core = modern\noperands = collectors\ncompute_major = 8\n", "core = modern needs operands = modern"},
		{"operands = accelsim\nmemory_queue = 4\n", "operands = accelsim needs memory_queue = 0"},
		{"core = modern\noperands = modern\ncompute_major = 8\ndual_issue = yes\n", "without dual_issue"},
		{"collectors = 3\n", "collectors is less than one a scheduler"},
		{"max_warps = 62\n", "max_warps is not a multiple of schedulers"},
		{"max_warps = 16\n", "max_warps is too small for max_threads_per_cta"},
		{"max_threads = 512\n", "max_threads is less than max_threads_per_cta"},
		{"shared_reserved = 1024\n", "shared_bytes is less than shared_per_cta and shared_reserved"},
		{"l1_line = 96\n", "cache lines are powers of two"},
		{"l1i_line = 96\n", "l1i_line is a power of two"},
		{"constant_line = 96\n", "constant_line is a power of two"},
		{"constant_bytes = 2000\n", "constant_bytes is not a multiple of constant_line * constant_ways"},
		{"inst_bytes = 12\n", "inst_bytes is a power of two"},
		{"l0i_bytes = 500\n", "l0i_bytes is not a multiple of l1i_line * l0i_ways"},
		{"fetch_ahead = 4\n", "fetch_ahead needs an instruction cache of each scheduler"},
		{"sector = 48\n", "sector is a power of two that divides both cache lines"},
		{"dram_row = 3000\n", "dram_row is a power of two"},
		{"tlb_page = 5000\n", "tlb_page and tlb2_page are powers of two"},
		{"t_refi = 300\nt_rfc = 100\n", "nothing would get between refreshes"},
		{"core_mhz = 10\n", "icnt_mhz is more than 16 times core_mhz"},
		{"l1_line = 64\n", "l1_line and l2_line differ"},
		{"l1_miss_queue = 1\n", "l1_miss_queue has no place for a victim beside a miss"},
		{"l1_bytes = 10000\n", "l1_bytes is not a multiple of l1_line * l1_ways"},
		{"l2_slice_bytes = 10000\n", "l2_slice_bytes is not a multiple of l2_line * l2_ways"},
		{"l2_fetch = 16\n", "whole sectors"}, /* half of one */
		{"l1i_bytes = 10000\n", "l1i_bytes is not a multiple of l1i_line * l1i_ways"},
	};
	struct hd_config config;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		ck_assert_msg(load_text(wrong[i].text, &config) == -1, "%s", wrong[i].text);
		ck_assert_msg(strstr(messages, wrong[i].message), "%s: %s", wrong[i].text, messages);
	}
	ck_assert_int_eq(load_text("l2_fetch = 32\n", &config), 0);
}
END_TEST

START_TEST(assignments)
{
	struct hd_config config;
	struct hd_diag diag = quiet();
	hd_config_defaults(&config);
	ck_assert_int_eq(hd_config_set(&config, "scheduler=two-level", &diag), 0);
	ck_assert_uint_eq(config.scheduler, HD_SCHED_TWO_LEVEL);
	ck_assert_int_eq(hd_config_set(&config, "core_mhz=1312.5", &diag), 0);
	ck_assert_double_eq(config.core_mhz, 1312.5);
	ck_assert_int_eq(hd_config_set(&config, "core_mhz", &diag), -1);
	ck_assert_int_eq(hd_config_set(&config, "max_warps=-1", &diag), -1);
	ck_assert_int_eq(hd_config_set(&config, ".window=3", &diag), -1);
	ck_assert_int_eq(hd_config_set(&config, "bow.=3", &diag), -1);
	ck_assert_uint_eq(config.policy_key_count, 0);
	ck_assert_int_eq(hd_config_set(&config, "bow.window=3", &diag), 0);
	ck_assert_uint_eq(config.policy_key_count, 1);
	ck_assert_uint_eq(config.max_warps, 64);
}
END_TEST

START_TEST(statistics_add_and_subtract_every_field)
{
	struct hd_stats a, b;
	memset(&a, 0, sizeof a);
	memset(&b, 0, sizeof b);
	for (uint32_t i = 0; i < sizeof b.counters / sizeof(uint64_t); i++)
		((uint64_t *)(void *)&b.counters)[i] = i + 1;
	for (unsigned i = 0; i < HD_STALL_COUNT; i++)
		b.stalls[i] = 100 + i;
	hd_stats_add(&a, &b);
	hd_stats_add(&a, &b);
	hd_stats_subtract(&a, &b);
	ck_assert_mem_eq(&a, &b, sizeof a);
	ck_assert_uint_eq(hd_counter_count * sizeof(uint64_t), offsetof(struct hd_counters, global_instructions));
	ck_assert_str_eq(hd_counter_info[0].name, "cycles");
	ck_assert_str_eq(hd_stall_name[HD_STALL_issued], "issued");
}
END_TEST

/* A stall reason has our name and those of Nsight Compute, each of which stands for one. */
START_TEST(stall_reasons_have_both_names)
{
	ck_assert_uint_eq(hd_stall_named("data_memory"), HD_STALL_data_memory);
	ck_assert_uint_eq(hd_stall_named("long_scoreboard"), HD_STALL_data_memory);
	ck_assert_uint_eq(hd_stall_named("mio_throttle"), HD_STALL_unit);
	ck_assert_uint_eq(hd_stall_named("math_pipe_throttle"), HD_STALL_unit);
	ck_assert_uint_eq(hd_stall_named("barrier"), HD_STALL_barrier);
	ck_assert_uint_eq(hd_stall_named("throttle"), HD_STALL_COUNT);
	ck_assert_uint_eq(hd_stall_named("not_selected"), HD_STALL_COUNT);
	ck_assert_uint_eq(hd_stall_named(""), HD_STALL_COUNT);
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {defaults_are_consistent,
				      a_line_is_whole_or_an_error,
				      a_folder_is_no_gpu,
				      every_gpu_loads,
				      v100_has_the_papers_values,
				      unknown_gpu_names_the_nearest,
				      bad_files_tell_the_line,
				      inconsistent_values_are_refused,
				      assignments,
				      statistics_add_and_subtract_every_field,
				      stall_reasons_have_both_names,
				      NULL};
	return hd_suite_of("config", tests);
}
