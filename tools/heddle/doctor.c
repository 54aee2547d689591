/*
 * heddle doctor: whether Heddle works here, which optional programs are missing, and what brings them. Compiling and
 * simulating are tried out with a small program, so that the answer does not depend on where things lie.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/config.h"
#include "heddle/version.h"
#include "lib/child.h"
#include "lib/scratch.h"
#include "lib/strbuf.h"
#include "tools/heddle/cmd.h"

static const struct part {
	const char *name, *serves, *package;
} parts[] = {
#define DOCTOR(name, serves, package) {name, serves, package},
#include "tools/heddle/doctor.def"
#undef DOCTOR
};

enum { PARTS = sizeof parts / sizeof *parts };

/* Adds eleven to each of 64 numbers, with a division that code of the device library does. */
static const char program[] = "#include <cstdio>\n"
			      "__global__ void add(int *v, int by) { v[threadIdx.x] += by / 3; }\n"
			      "int main()\n"
			      "{\n"
			      "	int *v, host[64], wrong = 0;\n"
			      "	cudaMalloc(&v, sizeof host);\n"
			      "	cudaMemset(v, 0, sizeof host);\n"
			      "	add<<<1, 64>>>(v, 33);\n"
			      "	cudaMemcpy(host, v, sizeof host, cudaMemcpyDeviceToHost);\n"
			      "	for (int i = 0; i < 64; i++)\n"
			      "		wrong += host[i] != 11;\n"
			      "	return wrong != 0;\n"
			      "}\n";

struct check {
	const char *name;
	bool good;
	const char *detail;
};

struct doctor {
	struct hd_arena arena;
	struct hd_diag diag;
	struct hd_signals signals;
	struct hd_scratch scratch;
	HD_VEC(struct check) checks;
	char *found[PARTS];
};

static bool add_check(struct doctor *doctor, const char *name, bool good, const char *detail)
{
	hd_vec_push(&doctor->checks, ((struct check){name, good, detail}));
	return good;
}

/* ------------------------------------------------------------ trying out */

static bool check_data(struct doctor *doctor)
{
	char *data = hd_data_dir(), **names = hd_config_gpus(NULL);
	unsigned count = 0;
	while (names[count])
		free(names[count++]);
	free(names);
	const char *detail = hd_arena_printf(&doctor->arena, "%u GPUs in %s", count, data);
	free(data);
	return add_check(doctor, "data files", count > 0, detail);
}

/* What the user has set for programs is not to be tried out, and would write their files again. */
static void forget_settings(void)
{
	static const char *const kept[] = {"HEDDLE_DATA=", "HEDDLE_CLANG="};
	for (char **at = environ; *at;) {
		bool keep = strncmp(*at, "HEDDLE_", 7) != 0;
		for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
			keep = keep || strncmp(*at, kept[i], strlen(kept[i])) == 0;
		if (keep) {
			at++;
			continue;
		}
		char name[64];
		snprintf(name, sizeof name, "%.*s", (int)strcspn(*at, "="), *at);
		if (unsetenv(name) != 0)
			at++;
	}
}

/* Runs words with what they say in a file; its first line that names an error, or its last one, where that fails. */
static const char *run_quietly(struct doctor *doctor, char *const *words)
{
	const char *log = hd_arena_printf(&doctor->arena, "%s/log", doctor->scratch.path);
	int to = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	struct hd_diag quiet = hd_diag_silent();
	pid_t child = to < 0 ? -1 : hd_child_start(&doctor->signals, words, NULL, to, &quiet);
	if (to >= 0)
		close(to);
	int status = child < 0 ? -1 : hd_child_wait(&doctor->signals, child);
	uint8_t *text;
	size_t size;
	if (status == 0)
		return NULL;
	if (child < 0 || hd_read_file(log, &text, &size, &quiet))
		return hd_arena_printf(&doctor->arena, "%s cannot be run: %s", words[0], strerror(errno));
	const char *error = strstr((char *)text, "error:");
	const char *line = error ? error : (char *)text;
	line = hd_arena_printf(&doctor->arena, "%.*s", (int)strcspn(line, "\n"), line);
	free(text);
	return *line ? line : hd_arena_printf(&doctor->arena, "%s fails", words[0]);
}

static bool check_compiling(struct doctor *doctor, char *source, char *built)
{
	struct hd_diag quiet = hd_diag_silent();
	char *data = hd_data_dir();
	char *compiler = hd_arena_printf(&doctor->arena, "%s/../../bin/heddle-cc", data), output[] = "-o";
	char *const words[] = {compiler, output, built, source, NULL};
	free(data);
	if (hd_write_file(source, program, strlen(program), &quiet))
		return add_check(doctor, "compiling", false, "the temporary folder cannot be written");
	const char *wrong = run_quietly(doctor, words);
	return add_check(doctor, "compiling", !wrong, wrong ? wrong : "a CUDA program, for sm_70");
}

static bool check_simulating(struct doctor *doctor, char *built)
{
	char *const words[] = {built, NULL};
	const char *wrong = run_quietly(doctor, words);
	return add_check(doctor, "simulating", !wrong, wrong ? wrong : "the program has the right result");
}

static int try_out(struct doctor *doctor)
{
	if (!check_data(doctor) || hd_scratch_make(&doctor->scratch, "heddle-doctor", &doctor->arena, &doctor->diag))
		return -1;
	char *source = hd_arena_printf(&doctor->arena, "%s/try.cu", doctor->scratch.path);
	char *built = hd_arena_printf(&doctor->arena, "%s/try", doctor->scratch.path);
	return check_compiling(doctor, source, built) && check_simulating(doctor, built) ? 0 : -1;
}

/* ------------------------------------------------------------ printing */

static void print_text(const struct doctor *doctor)
{
	struct hd_strbuf packages = {0};
	printf("heddle %s\n", HD_VERSION);
	for (uint32_t i = 0; i < doctor->checks.len; i++) {
		const struct check *check = &doctor->checks.data[i];
		printf("  %-8s %-16s %s\n", check->good ? "ok" : "FAILS", check->name, check->detail);
	}
	printf("optional programs\n");
	for (unsigned i = 0; i < PARTS; i++) {
		printf("  %-8s %-16s %s\n", doctor->found[i] ? "ok" : "missing", parts[i].name, parts[i].serves);
		if (!doctor->found[i] && *parts[i].package)
			hd_strbuf_printf(&packages, " %s", parts[i].package);
	}
	if (packages.len)
		printf("\nThis brings what is missing (Debian, Ubuntu):\n  sudo apt-get install%s\n",
		       hd_strbuf_text(&packages));
	hd_strbuf_release(&packages);
}

static int print_json(const struct doctor *doctor)
{
	json_t *checks = json_array(), *programs = json_array();
	for (uint32_t i = 0; i < doctor->checks.len; i++) {
		const struct check *check = &doctor->checks.data[i];
		json_array_append_new(checks, json_pack("{s:s,s:b,s:s}", "name", check->name, "ok", check->good,
							"detail", check->detail));
	}
	for (unsigned i = 0; i < PARTS; i++)
		json_array_append_new(programs,
				      json_pack("{s:s,s:s?,s:s,s:s}", "name", parts[i].name, "path", doctor->found[i],
						"serves", parts[i].serves, "package", parts[i].package));
	return cmd_print_json(
		json_pack("{s:s,s:o,s:o}", "version", HD_VERSION, "checks", checks, "programs", programs));
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *as_json = state->input;
	(void)arg;
	if (key != 'j')
		return ARGP_ERR_UNKNOWN;
	*as_json = true;
	return 0;
}

int cmd_doctor(int argc, char **argv)
{
	static const struct argp_option options[] = {{"json", 'j', NULL, 0, "print JSON", 0}, {0}};
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Compiles and simulates a small program, and lists the optional programs that are missing.\v"
		       "The exit status is 1 when compiling or simulating fails."};
	bool as_json = false;
	struct doctor doctor = {.diag = {.tool = "heddle"}};
	cmd_parse(&argp, argc, argv, 0, &as_json);
	forget_settings();
	hd_arena_init(&doctor.arena);
	hd_signals_hold(&doctor.signals);
	int failed = try_out(&doctor);
	for (unsigned i = 0; i < PARTS; i++)
		doctor.found[i] = hd_child_find(parts[i].name);
	int status = CMD_OK;
	if (as_json)
		status = print_json(&doctor);
	else
		print_text(&doctor);
	for (unsigned i = 0; i < PARTS; i++)
		free(doctor.found[i]);
	hd_scratch_release(&doctor.scratch);
	hd_signals_release(&doctor.signals);
	hd_vec_release(&doctor.checks);
	hd_arena_release(&doctor.arena);
	return status ? status : failed ? CMD_FINDING : CMD_OK;
}
