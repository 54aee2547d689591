/*
 * The scan for launches, in a process of its own: what it reads and writes is in llvm/scan.c.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tools/heddle-cc/llvm.h"
#include "tools/heddle-cc/prelude.h"

/* libclang takes clang's own headers from beside the compiler. */
static void add_command(struct hd_cc *cc, bool device, const char *header, hd_arguments *arguments)
{
	const char *compiler = hd_cc_compiler(cc);
	hd_vec_push(arguments, compiler ? compiler : cc->clangxx);
	hd_vec_push(arguments, "--driver-mode=g++");
	hd_cc_half_arguments(cc, device, arguments);
	hd_prelude_use(arguments, header);
}

/* -noeh, or -Xcompiler -fno-exceptions. */
static bool is_without_exceptions(const struct hd_cc *cc)
{
	bool without = false;
	for (uint32_t i = 0; i < cc->host.len; i++)
		without = (without || !strcmp(cc->host.data[i], "-fno-exceptions")) &&
			  strcmp(cc->host.data[i], "-fexceptions") != 0;
	return without;
}

/* libclang reports its own crashes on stderr; the compiler says what there is to say about the source. */
static _Noreturn void run(struct hd_cc *cc, struct hd_cc_scan *scan, const char *header)
{
	int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
	scan->errors = dup(STDERR_FILENO);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	if (nowhere >= 0 && !cc->verbose)
		dup2(nowhere, STDERR_FILENO);
	if (header)
		add_command(cc, true, header, &scan->device);
	add_command(cc, true, NULL, &scan->plain);
	if (is_without_exceptions(cc))
		add_command(cc, false, NULL, &scan->host);
	enum hd_cc_scan_result result = cc->llvm->scan(scan);
	_exit(result == HD_CC_SCAN_FAILED ? 1 : (int)result);
}

/*
 * In a process of its own, which may crash: libclang does where the source has errors, and deep sources exhaust the
 * stack. It costs a fork.
 */
bool hd_cc_scan(struct hd_cc *cc, struct hd_signals *signals, const char *input, const char *header, bool whole,
		const char *path, const char *refused)
{
	struct hd_cc_scan scan = {.input = input, .path = path, .refused = refused, .whole = whole, .diag = &cc->diag};
	if (!hd_cc_llvm(cc)) {
		cc->reported = true;
		return false;
	}
	fflush(NULL);
	pid_t child = signals->caught ? -1 : hd_child_fork(signals, SIGKILL);
	if (child == 0)
		run(cc, &scan, header);
	int status = child > 0 ? hd_child_wait(signals, child) : -1;
	bool quick = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == HD_CC_SCAN_QUICK;
	bool done = (status == 0 || quick) && !signals->caught;
	cc->reported = child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == HD_CC_SCAN_REPORTED;
	cc->scanned_quickly = quick;
	if (!done)
		unlink(path);
	return done;
}
