/*
 * -ccbin mpicxx: a wrapper of MPI in the place of the host compiler. The host half is clang's all the same; what the
 * wrapper would add, folders of headers and libraries, is asked of it (-show, which MPICH and Open MPI have) and added.
 */
#include <stdio.h>
#include <string.h>

#include "lib/strbuf.h"
#include "tools/heddle-cc/options.h"

static bool is_wrapper(const char *program)
{
	const char *slash = strrchr(program, '/');
	return !strncmp(slash ? slash + 1 : program, "mpi", 3) && !strchr(program, '\'');
}

/* What else it says is about optimisation, threads and its compiler's name; -Wl, has the path for the program's run. */
static void take(struct hd_cc *cc, const char *word)
{
	const char *kept = hd_arena_strdup(&cc->arena, word);
	if (!strncmp(word, "-I", 2) || !strncmp(word, "-D", 2))
		hd_vec_push(&cc->common, kept);
	else if (!strncmp(word, "-L", 2) || !strncmp(word, "-l", 2) || !strncmp(word, "-Wl,", 4))
		hd_vec_push(&cc->link, kept);
}

int hd_cc_ask_wrapper(struct hd_cc *cc, const char *program)
{
	char text[4096];
	if (!is_wrapper(program))
		return 0;
	FILE *from = popen(hd_arena_printf(&cc->arena, "'%s' -show 2>/dev/null", program), "r");
	size_t size = from ? fread(text, 1, sizeof text - 1, from) : 0;
	text[size] = '\0';
	if (!from || pclose(from) != 0 || !size)
		return hd_error(&cc->diag, HD_NOWHERE, "-ccbin %s: cannot be asked for its options (%s -show)", program,
				program);
	for (char *rest, *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		take(cc, word);
	return 0;
}
