/*
 * Checkpoints on the command line (checkpoint.h); the simulator's own half is runtime/checkpoint/checkpoint.c.
 */
#include "tools/heddle/run/checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/object.h"
#include "heddle/policy.h"
#include "tools/heddle/run/options.h"

static const char *in_the_way(const struct run_options *options, const char *own)
{
	char *first = NULL;
	const char *other = options->functional				      ? "--functional"
			    : options->sampling				      ? "--sampling"
			    : options->check				      ? "--check"
			    : options->trace				      ? "--trace"
			    : own					      ? own
			    : options->policies.len > 1			      ? "several policies"
			    : !strncmp(options->policies.data[0], "best-", 5) ? "a search for the best parameter"
									      : NULL;
	if (!other && hd_policy_rehearses(options->policies.data[0], &first))
		other = "a policy that needs two runs";
	free(first);
	return other;
}

static bool is_cycle(const char *text)
{
	uint64_t cycle;
	return run_number(text, &cycle);
}

/* A checkpoint is read from its end, so it is a file. */
static int check_place(const char *path, struct hd_diag *diag)
{
	struct stat status;
	if (!stat(path, &status) && !S_ISREG(status.st_mode))
		return hd_error(diag, HD_NOWHERE, "--checkpoint: %s exists and is not a file", path);
	int error = hd_output_check(path);
	return error ? hd_error(diag, HD_NOWHERE, "--checkpoint: cannot write %s: %s", path, strerror(error)) : 0;
}

int run_checkpoint_check(const struct run_checkpoint *checkpoint, const struct run_options *options, const char *own,
			 struct hd_diag *diag)
{
	const char *option = checkpoint->file ? "--checkpoint" : checkpoint->resume ? "--resume" : NULL;
	const char *other = option ? in_the_way(options, own) : NULL;
	if (other)
		return hd_error(diag, HD_NOWHERE, "%s cannot be combined with %s", option, other);
	if (checkpoint->cycle && !is_cycle(checkpoint->cycle))
		return hd_error(diag, HD_NOWHERE, "--checkpoint-at needs a number of cycles, not '%s'",
				checkpoint->cycle);
	if (checkpoint->file && check_place(checkpoint->file, diag))
		return -1;
	return checkpoint->resume ? hd_sim_checkpoint_check(checkpoint->resume, diag) : 0;
}

static void put(const char *name, const char *value)
{
	if (value)
		setenv(name, value, 1);
	else
		unsetenv(name);
}

/* What the program has of the host's addresses, of managed variables and of memory that it registers, is to be the same
 * each time. Where the host refuses that, programs without such memory go on all the same. */
void run_checkpoint_set(const struct run_checkpoint *checkpoint)
{
	put("HEDDLE_CHECKPOINT", checkpoint->file);
	put("HEDDLE_CHECKPOINT_AT", checkpoint->cycle);
	put("HEDDLE_RESUME", checkpoint->resume);
	if (checkpoint->file || checkpoint->resume)
		personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
}

int run_checkpoint_judge(const char *program, const char *report, struct hd_diag *diag)
{
	static const char word[] = "checkpoint: ";
	unsigned count = 0;
	for (; *report; report += strcspn(report, "\n"), report += *report == '\n')
		count += !strncmp(report, word, sizeof word - 1);
	if (count < 2)
		return 0;
	return hd_error(diag, HD_NOWHERE, "%s: %u processes use the simulated GPU, but a checkpoint can hold only one",
			program, count);
}
