/*
 * Separate compilation of device code (-dc, -rdc=true, -dlink, -dlto).
 *
 * A relocatable host object has its kernel object, with the bitcode of the optimised module, in section
 * __nv_relfatbin. Its constructor calls __cudaRegisterLinkedBinary<id>, which nobody defines yet; <id> stands in
 * section
 * __nv_module_id. The device link joins the kernel objects of all such objects into one and makes a host object that
 * carries it and defines these functions: they register the one object, once, and let each module register its kernels
 * and variables with it. The run-time library sees a program with one kernel object.
 */
#ifndef HD_TOOLS_HEDDLE_CC_RELOCATABLE_H
#define HD_TOOLS_HEDDLE_CC_RELOCATABLE_H

#include "heddle/object.h"
#include "tools/heddle-cc/job.h"

/* ------------------------------------------------------------ identity of a source */

/* Tells this source, compiled with these options, from the others of a program: it becomes part of the names of static
 * kernels and variables and of the module's id. 16 hexadecimal digits. */
const char *hd_cc_identity(struct hd_cc *cc, const char *input);
/* Puts it into the host object, in place of the id that clang makes of the path as given. 0 or -1. */
int hd_cc_give_identity(struct hd_cc *cc, const char *object, const char *identity);

/* ------------------------------------------------------------ collecting */

/* A relocatable kernel object among the inputs of a device link. */
struct hd_cc_device {
	const char *name; /* "a.o", "lib.a(member.o)" */
	struct hd_object object;
};

struct hd_cc_collected {
	HD_VEC(struct hd_cc_device) devices;
	hd_arguments modules; /* their ids */
};

/*
 * Reads the relocatable objects in `files` (host objects and archives) and in the archives that -l names in the -L
 * directories. Of an archive, the members that the rest needs, on the host or on the device; all with `whole_archives`.
 * What is no ELF object is the host linker's business. 0 or -1 with the error reported.
 */
int hd_cc_collect(struct hd_cc *cc, const hd_arguments *files, bool whole_archives, struct hd_cc_collected *collected);
void hd_cc_collected_release(struct hd_cc_collected *collected);

/* ------------------------------------------------------------ linking */

/*
 * Joins the modules into one, written as bitcode to `path`. Errors, each with the objects concerned: symbols that are
 * defined twice, symbols that nobody defines, objects for different architectures. With -dlto, everything but kernels
 * and variables becomes internal.
 */
int hd_cc_merge(struct hd_cc *cc, const struct hd_cc_collected *collected, const char *name, const char *path);

struct hd_cc_linked {
	const char *object; /* for the host linker; NULL: no relocatable device code among the inputs */
	const char *prefix; /* of its side files; NULL: none */
};

/* The whole device link of the files, into the temporary directory. `name`: what the metadata calls the program. */
int hd_cc_device_link(struct hd_job *job, const hd_arguments *files, const char *name, struct hd_cc_linked *linked);

#endif
