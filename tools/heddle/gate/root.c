/*
 * Places in the repository. Metadata names source files as the compiler was given them: absolute, or relative to where
 * it ran. Reports want names relative to the repository, since that is where annotations and alerts are shown.
 *
 * A relative name is looked for where `sources` says, in the repository's root, and in the object's own folder and
 * those around it; the first file there that lies in the repository wins, then the first outside. Where none is there,
 * the first candidate inside the repository does. What counts is where a file really lies, whatever symbolic links lead
 * to it. A file outside keeps a name: with `../` where it lies near, else its absolute path.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/path.h"
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
	char *real = hd_path_real(path);
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

/*
 * The absolute path without symbolic links; of what is not there, that of the folders that are. Malloc'ed; *exists says
 * whether the file is there.
 */
static char *resolve(const char *directory, const char *file, bool *exists)
{
	struct hd_strbuf raw = {0};
	hd_strbuf_printf(&raw, "%s/%s", file[0] == '/' ? "" : directory, file);
	char *real = hd_path_real(hd_strbuf_text(&raw));
	hd_strbuf_release(&raw);
	*exists = real != NULL;
	if (real)
		return real;
	char *path = join(directory, file), *folder = hd_xstrdup(path);
	for (char *slash; !real && (slash = strrchr(folder, '/')) && slash > folder;) {
		*slash = '\0';
		real = hd_path_real(folder);
	}
	char *result = real ? join(real, path + strlen(folder) + 1) : hd_xstrdup(path);
	free(real);
	free(folder);
	free(path);
	return result;
}

enum { MOST_STEPS_UP = 2 };

/* A path outside: `../` as often as is still readable, where that leads to a folder of both. */
static const char *name_outside(const struct gate_root *root, const char *path, struct hd_arena *arena)
{
	char *folder = hd_xstrdup(root->path);
	const char *name = NULL, *up = "";
	for (unsigned steps = 1; !name && steps <= MOST_STEPS_UP; steps++) {
		char *slash = strrchr(folder, '/');
		if (!slash || slash == folder)
			break;
		*slash = '\0';
		up = hd_arena_printf(arena, "%s../", up);
		size_t len = strlen(folder);
		if (strncmp(path, folder, len) == 0 && path[len] == '/')
			name = hd_arena_printf(arena, "%s%s", up, path + len + 1);
	}
	free(folder);
	return name ? name : hd_arena_strdup(arena, path);
}

struct search {
	const struct gate_root *root;
	struct hd_arena *arena;
	const char *inside;  /* the first candidate in the repository, there or not */
	const char *found;   /* the first that is there and in the repository */
	const char *outside; /* the first that is there and lies outside */
};

static void try_candidate(struct search *search, const char *directory, const char *file)
{
	bool exists;
	if (search->found)
		return;
	char *path = resolve(directory, file, &exists);
	const char *rest = below(search->root, path);
	const char **slot = !rest ? &search->outside : exists ? &search->found : &search->inside;
	if (!*slot && (rest || exists))
		*slot = rest ? hd_arena_strdup(search->arena, rest) : name_outside(search->root, path, search->arena);
	free(path);
}

const char *gate_root_source(const struct gate_root *root, const char *file, const char *object, struct hd_arena *arena)
{
	struct search search = {.root = root, .arena = arena};
	if (!file || !file[0])
		return NULL;
	try_candidate(&search, root->sources, file);
	try_candidate(&search, root->path, file);
	char *folder = hd_path_real(object);
	char *slash = folder ? strrchr(folder, '/') : NULL;
	for (; slash && !search.found; slash = strrchr(folder, '/')) {
		*slash = '\0';
		try_candidate(&search, folder, file);
	}
	free(folder);
	const char *result = search.found ? search.found : search.outside ? search.outside : search.inside;
	return result ? result : hd_arena_strdup(arena, file);
}

const char *gate_root_file(const struct gate_root *root, const char *file, struct hd_arena *arena)
{
	bool exists;
	char *here = hd_path_real(".");
	char *path = resolve(here ? here : "", file, &exists);
	const char *rest = below(root, path);
	const char *result = rest ? hd_arena_strdup(arena, rest) : name_outside(root, path, arena);
	free(path);
	free(here);
	return result;
}

const char *gate_root_absolute(const struct gate_root *root, const char *name, struct hd_arena *arena)
{
	if (name[0] != '/' && strncmp(name, "../", 3) != 0)
		return NULL;
	char *path = join(root->path, name);
	const char *result = hd_arena_strdup(arena, path);
	free(path);
	return result;
}

char *gate_root_text(const struct gate_root *root, const char *file)
{
	struct hd_diag silent = hd_diag_silent();
	struct hd_strbuf path = {0};
	struct stat status;
	uint8_t *bytes = NULL;
	size_t size = 0, len = strlen(root->path);
	hd_strbuf_printf(&path, "%s/%s", root->path, file);
	char *real = hd_path_real(hd_strbuf_text(&path));
	hd_strbuf_release(&path);
	bool inside = real && strncmp(real, root->path, len) == 0 && real[len] == '/';
	if (!inside || stat(real, &status) != 0 || !S_ISREG(status.st_mode) ||
	    hd_read_file(real, &bytes, &size, &silent) != 0)
		bytes = NULL;
	free(real);
	return (char *)bytes;
}
