/*
 * Places in the repository. Metadata names source files as the compiler was given them: absolute, or relative to where
 * it ran. Reports want names relative to the repository, since that is where annotations and alerts are shown.
 *
 * A relative name is looked for where `sources` says, in the repository's root, and in the folders from the object's
 * own up to the root; the first file that is there wins. Where none is there, the first candidate inside the repository
 * does.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/strbuf.h"
#include "tools/heddle/gate/gate.h"

/* Takes "." and ".." and repeated slashes out of an absolute path, in place. */
static void tidy(char *path)
{
	char *to = path;
	const char *from = path;
	while (*from) {
		size_t len = strcspn(from + 1, "/") + 1;
		bool up = len == 3 && memcmp(from, "/..", 3) == 0;
		if (up)
			while (to > path && *--to != '/')
				;
		else if (len > 1 && !(len == 2 && from[1] == '.')) {
			memmove(to, from, len);
			to += len;
		}
		from += len;
	}
	*to = '\0';
}

static char *join(const char *directory, const char *name)
{
	struct hd_strbuf path = {0};
	hd_strbuf_printf(&path, "%s/%s", name[0] == '/' ? "" : directory, name);
	char *text = hd_strbuf_detach(&path);
	tidy(text);
	return text;
}

/* The part of an absolute path below the root; NULL outside. */
static const char *below(const struct gate_root *root, const char *path)
{
	size_t len = strlen(root->path);
	return strncmp(path, root->path, len) == 0 && path[len] == '/' && path[len + 1] ? path + len + 1 : NULL;
}

/* The working tree around `path`, which is cut down to it; left alone when there is none. */
static void find_tree(char *path)
{
	char *at = hd_xstrdup(path);
	for (;;) {
		char *git = join(at, ".git");
		bool found = access(git, F_OK) == 0;
		free(git);
		if (found)
			strcpy(path, at);
		char *slash = strrchr(at, '/');
		if (found || !slash)
			break;
		*slash = '\0';
	}
	free(at);
}

static char *real_directory(const char *path, struct hd_diag *diag)
{
	char *real = realpath(path, NULL);
	if (!real)
		hd_error(diag, HD_NOWHERE, "%s: %s", path, strerror(errno));
	else if (strcmp(real, "/") == 0)
		real[0] = '\0';
	return real;
}

int gate_root_init(struct gate_root *root, const char *path, const char *sources, struct hd_diag *diag)
{
	*root = (struct gate_root){0};
	root->path = real_directory(path ? path : ".", diag);
	root->sources = root->path ? real_directory(sources ? sources : ".", diag) : NULL;
	if (!root->sources) {
		gate_root_release(root);
		return -1;
	}
	if (!path)
		find_tree(root->path);
	return 0;
}

void gate_root_release(struct gate_root *root)
{
	free(root->path);
	free(root->sources);
	*root = (struct gate_root){0};
}

struct search {
	const struct gate_root *root;
	struct hd_arena *arena;
	const char *inside; /* the first candidate in the repository */
	const char *found;  /* the first that exists, too */
};

static void try_candidate(struct search *search, const char *directory, const char *file)
{
	if (search->found)
		return;
	char *path = join(directory, file);
	const char *rest = below(search->root, path);
	if (rest && !search->inside)
		search->inside = hd_arena_strdup(search->arena, rest);
	if (rest && access(path, F_OK) == 0)
		search->found = hd_arena_strdup(search->arena, rest);
	free(path);
}

const char *gate_root_source(const struct gate_root *root, const char *file, const char *object, struct hd_arena *arena)
{
	struct search search = {.root = root, .arena = arena};
	if (!file || !file[0])
		return NULL;
	try_candidate(&search, root->sources, file);
	try_candidate(&search, root->path, file);
	char *folder = realpath(object, NULL);
	char *slash = folder ? strrchr(folder, '/') : NULL;
	for (; slash && !search.found; slash = strrchr(folder, '/')) {
		*slash = '\0';
		if (below(root, folder))
			try_candidate(&search, folder, file);
	}
	free(folder);
	return search.found ? search.found : search.inside;
}

const char *gate_root_file(const struct gate_root *root, const char *file, struct hd_arena *arena)
{
	char *real = realpath(file, NULL);
	char *here = real ? NULL : realpath(".", NULL);
	if (!real && here)
		real = join(here, file);
	const char *rest = real ? below(root, real) : NULL;
	const char *result = rest ? hd_arena_strdup(arena, rest) : NULL;
	free(real);
	free(here);
	return result;
}
