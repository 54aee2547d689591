/*
 * Runs the compiler's and linker's processes, or prints them.
 */
#include <stdio.h>
#include <string.h>

#include "tools/heddle-cc/options.h"

extern char **environ;

static void print_command(const hd_arguments *arguments, const char *environment)
{
	if (environment)
		fprintf(stderr, "%s ", environment);
	for (uint32_t i = 0; i < arguments->len; i++) {
		const char *word = arguments->data[i];
		const char *quote = strpbrk(word, " \t'\"\\$;&|<>()*?") ? "\"" : "";
		fprintf(stderr, "%s%s%s%s", quote, word, quote, i + 1 < arguments->len ? " " : "\n");
	}
}

int hd_cc_execute(struct hd_cc *cc, struct hd_signals *signals, const hd_arguments *arguments, const char *environment)
{
	if (cc->verbose || cc->dry_run)
		print_command(arguments, environment);
	if (cc->dry_run)
		return 0;
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
	int status = hd_child_run(signals, words.data, variables.data, &cc->diag);
	hd_vec_release(&words);
	hd_vec_release(&variables);
	return status;
}
