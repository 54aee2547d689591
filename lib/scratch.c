/*
 * A tool's temporary directory: see scratch.h.
 */
#include "lib/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char *hd_scratch_make(const char *tool, struct hd_arena *arena, struct hd_diag *diag)
{
	const char *base = getenv("TMPDIR");
	base = base && *base ? base : "/tmp";
	char *directory = hd_arena_printf(arena, "%s/%s-XXXXXX", base, tool);
	if (mkdtemp(directory))
		return directory;
	hd_error(diag, HD_NOWHERE, "cannot make a directory in %s: %s", base, strerror(errno));
	return NULL;
}

void hd_scratch_remove(const char *directory)
{
	DIR *dir = directory ? opendir(directory) : NULL;
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
	if (directory)
		rmdir(directory);
}
