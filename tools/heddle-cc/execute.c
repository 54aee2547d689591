/*
 * Runs the compiler's and linker's processes, or prints them. clang runs without an exec, in a child that has its
 * libraries from us (llvm.h), where nobody could tell the difference.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/heddle-cc/llvm.h"

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

/* ------------------------------------------------------------ clang in a child of ours */

static bool begins_with_one_of(const char *word, const char *const *prefixes)
{
	for (; *prefixes; prefixes++)
		if (!strncmp(word, *prefixes, strlen(*prefixes)))
			return true;
	return false;
}

/* Settings of clang's own main, and options for what it does at its end. */
static bool is_special(const hd_arguments *arguments)
{
	static const char *const settings[] = {"CC_", "CCC_", "CLANG_", NULL};
	static const char *const options[] = {"-cc1",	"-ftime", "-mllvm", "-print", "--print", "-fno-integrated-cc1",
					      "-stats", "-v",	  "-###",   NULL};
	static const char *const limits[] = {"-unroll-", "-inline-threshold=", NULL}; /* ours, of each device half */
	for (char **variable = environ; *variable; variable++)
		if (begins_with_one_of(*variable, settings))
			return true;
	for (uint32_t i = 1; i < arguments->len; i++) {
		bool limit = i + 1 < arguments->len && !strcmp(arguments->data[i], "-mllvm") &&
			     begins_with_one_of(arguments->data[i + 1], limits);
		if (!limit && begins_with_one_of(arguments->data[i], options))
			return true;
	}
	return false;
}

/* The program whose work can be done in a child; NULL: it has to be started. */
static const char *clang_here(struct hd_cc *cc, const hd_arguments *arguments)
{
	const char *program = NULL;
	if (arguments->data[0] == cc->clangxx && !cc->verbose && !is_special(arguments))
		program = hd_cc_compiler(cc);
	return program && hd_cc_llvm(cc) && cc->llvm->is_clang(program) ? program : NULL;
}

static pid_t start_here(struct hd_cc *cc, const struct hd_signals *signals, int count, char **words, char **environment,
			int messages, const char *program)
{
	fflush(NULL);
	pid_t child = signals->caught ? -1 : hd_child_fork(signals, SIGTERM);
	if (child == 0) {
		if (messages >= 0)
			dup2(messages, STDERR_FILENO);
		environ = environment;
		_exit(cc->llvm->clang(count, words, program));
	}
	if (child < 0 && !signals->caught)
		hd_error(&cc->diag, HD_NOWHERE, "cannot run %s: %s", program, strerror(errno));
	return child;
}

pid_t hd_cc_start(struct hd_cc *cc, struct hd_signals *signals, const hd_arguments *arguments, const char *environment,
		  int messages)
{
	HD_VEC(char *) words = {0}, variables = {0};
	const char *clang = clang_here(cc, arguments);
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
	pid_t child = clang ? start_here(cc, signals, (int)arguments->len, words.data, variables.data, messages, clang)
			    : hd_child_start(signals, words.data, variables.data, messages, &cc->diag);
	hd_vec_release(&words);
	hd_vec_release(&variables);
	return child;
}

int hd_cc_result(struct hd_cc *cc, const struct hd_signals *signals, const char *name, int status)
{
	int result = hd_child_result(signals, name, status, &cc->diag);
	if (!signals->caught && WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV)
		hd_note(&cc->diag, HD_NOWHERE,
			"%s may have run out of stack, for example in a chain of thousands of else-ifs "
			"(ulimit -s unlimited gives it more); if that does not help, report the crash",
			name);
	return result;
}

int hd_cc_execute(struct hd_cc *cc, struct hd_signals *signals, const hd_arguments *arguments, const char *environment)
{
	if (cc->verbose || cc->dry_run)
		print_command(arguments, environment);
	if (cc->dry_run)
		return 0;
	pid_t child = hd_cc_start(cc, signals, arguments, environment, -1);
	return child < 0 ? -1 : hd_cc_result(cc, signals, arguments->data[0], hd_child_wait(signals, child));
}
