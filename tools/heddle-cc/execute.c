/*
 * Runs the compiler's and linker's processes, or prints them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/heddle-cc/options.h"

extern char **environ;

/* As a shell takes it, and as nvcc prints it: -L always quoted, since CMake looks for the text of LIBRARIES in it. */
static void print_word(const char *word)
{
	bool quoted = !*word || strpbrk(word, " \t\n'\"\\$;&|<>()*?#[]`~!{}") || !strncmp(word, "-L", 2);
	if (quoted)
		fputc('"', stderr);
	for (const char *at = word; *at; at++) {
		if (strchr("\"\\$`", *at))
			fputc('\\', stderr);
		fputc(*at, stderr);
	}
	if (quoted)
		fputc('"', stderr);
}

/* nvcc begins each line so, and build systems look for it. */
static void print_command(const hd_arguments *arguments, const char *environment)
{
	fputs("#$ ", stderr);
	if (environment) {
		size_t name = strcspn(environment, "=") + 1;
		fprintf(stderr, "%.*s", (int)name, environment);
		print_word(environment + name);
		fputc(' ', stderr);
	}
	for (uint32_t i = 0; i < arguments->len; i++) {
		if (i)
			fputc(' ', stderr);
		print_word(arguments->data[i]);
	}
	fputc('\n', stderr);
}

/*
 * The names are nvcc's: TOP and NVVMIR_LIBRARY_DIR are where CMake finds the toolkit, PATH, INCLUDES and LIBRARIES what
 * it finds with them; the text of LIBRARIES stands in the link's command as it does here.
 */
void hd_cc_print_variables(const struct hd_cc *cc)
{
	const char *path = getenv("PATH"), *top = cc->toolkit;
	if (!cc->verbose && !cc->dry_run)
		return;
	fprintf(stderr, "#$ _SPACE_= \n#$ _CUDART_=cudart\n#$ _HERE_=%s/bin\n#$ TOP=%s\n", top, top);
	fprintf(stderr, "#$ NVVMIR_LIBRARY_DIR=%s/nvvm/libdevice\n", top);
	fprintf(stderr, "#$ LD_LIBRARY_PATH=%s\n#$ PATH=%s/bin:%s\n", cc->library_dir, top, path ? path : "");
	fprintf(stderr, "#$ INCLUDES=\"-I%s/include\"\n", top);
	fprintf(stderr, "#$ LIBRARIES=\"-L%s/lib64/stubs\" \"-L%s/lib64\"\n", top, top);
	fprintf(stderr, "#$ CICC_FLAGS=-arch compute_%s\n", cc->arch ? cc->arch + strlen("sm_") : "70");
}

pid_t hd_cc_start(struct hd_cc *cc, struct hd_signals *signals, const hd_arguments *arguments, const char *environment,
		  int messages)
{
	HD_VEC(char *) words = {0}, variables = {0};
	for (uint32_t i = 0; i < arguments->len; i++)
		hd_vec_push(&words, (char *)arguments->data[i]);
	hd_vec_push(&words, NULL);
	/* HEDDLE_PASS of the caller would make the host half write objects; only our own counts. */
	for (char **variable = environ; *variable; variable++)
		if (strncmp(*variable, "HEDDLE_PASS=", 12))
			hd_vec_push(&variables, *variable);
	if (environment)
		hd_vec_push(&variables, (char *)environment);
	hd_vec_push(&variables, NULL);
	pid_t child = hd_child_start(signals, words.data, variables.data, messages, &cc->diag);
	hd_vec_release(&words);
	hd_vec_release(&variables);
	return child;
}

int hd_cc_execute(struct hd_cc *cc, struct hd_signals *signals, const hd_arguments *arguments, const char *environment)
{
	if (cc->verbose || cc->dry_run)
		print_command(arguments, environment);
	if (cc->dry_run)
		return 0;
	pid_t child = hd_cc_start(cc, signals, arguments, environment, -1);
	return child < 0 ? -1 : hd_child_result(signals, arguments->data[0], hd_child_wait(signals, child), &cc->diag);
}
