/*
 * Paths of files without symbolic links. What realpath(3) takes; no state.
 */
#include "lib/path.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/arena.h"

char *hd_path_real(const char *path)
{
	char *real = realpath(path, NULL);
	if (!real && errno == ENOMEM)
		hd_out_of_memory(0);
	return real;
}
