/*
 * Loads policies in shared objects (policy_object.h). They stay loaded until the process ends.
 */
#include <dlfcn.h>
#include <string.h>

#include "runtime/sm/policy_object.h"

#include "heddle/config.h"
#include "heddle/figures.h"

bool hd_policy_is_path(const char *name, size_t length)
{
	return memchr(name, '/', length) || (length > 3 && !strncmp(name + length - 3, ".so", 3));
}

/* What the object calls is looked for where everybody sees it: a library that was itself loaded by dlopen may not be
 * there. */
static void show_functions(void)
{
	Dl_info here;
	if (dladdr((const void *)hd_policy_load, &here) && here.dli_fname)
		dlopen(here.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

/* Why the object does not fit; "" where it does. */
static void compare(const struct hd_policy_object *object, char *why, size_t size)
{
	static const char *const names[] = {
#define X(name) #name,
		HD_POLICY_STRUCTS(X)
#undef X
	};
	static const uint32_t sizes[] = {HD_POLICY_STRUCTS(HD_POLICY_SIZE)};
	*why = '\0';
	if (object->interface != HD_POLICY_INTERFACE || object->struct_count != HD_POLICY_STRUCT_COUNT) {
		snprintf(why, size, "its interface is %u.%u, this one's %u.%u", object->interface, object->struct_count,
			 HD_POLICY_INTERFACE, HD_POLICY_STRUCT_COUNT);
		return;
	}
	for (uint32_t i = 0; i < HD_POLICY_STRUCT_COUNT && !*why; i++)
		if (object->sizes[i] != sizes[i])
			snprintf(why, size, "struct %s has %u bytes there and %u here", names[i], object->sizes[i],
				 sizes[i]);
}

static int check_object(const struct hd_policy_object *object, const char *path, struct hd_diag *diag)
{
	char why[128];
	if (!object)
		return hd_error(diag, HD_NOWHERE, "policy '%s': the object has no HD_POLICY_OBJECT", path);
	compare(object, why, sizeof why);
	if (*why)
		return hd_error(diag, HD_NOWHERE,
				"policy '%s' was built with the headers of another Heddle (%s; this is %s): %s (build "
				"it again)",
				path, object->version, HD_VERSION, why);
	if (!object->policy.name || !object->policy.help || !object->policy.hooks)
		return hd_error(diag, HD_NOWHERE, "policy '%s': HD_POLICY_OBJECT needs a name, help and hooks", path);
	return 0;
}

/* Bound late, so that an object of other headers is told as that before a function that it misses is. */
static bool fits(const char *path, struct hd_diag *diag)
{
	void *object = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
	if (!object) {
		hd_error(diag, HD_NOWHERE, "policy '%s': %s", path, dlerror());
		return false;
	}
	bool good = !check_object(dlsym(object, "hd_policy_object"), path, diag);
	dlclose(object);
	return good;
}

static const struct hd_policy *load(const char *path, struct hd_diag *diag)
{
	show_functions();
	if (!fits(path, diag))
		return NULL;
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		hd_error(diag, HD_NOWHERE, "policy '%s': %s", path, dlerror());
		return NULL;
	}
	const struct hd_policy_object *found = dlsym(object, "hd_policy_object");
	return &found->policy;
}

const struct hd_policy *hd_policy_load(const char *path, size_t length, struct hd_diag *diag)
{
	/* A name without a folder would be looked for in the system's. */
	size_t size = length + sizeof "./";
	char *name = hd_xmalloc(size);
	snprintf(name, size, "%s%.*s", memchr(path, '/', length) ? "" : "./", (int)length, path);
	const struct hd_policy *policy = load(name, diag);
	free(name);
	return policy;
}
