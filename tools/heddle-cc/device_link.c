/*
 * The device link: collects relocatable kernel objects, joins them, has the plugin compile
 * the whole (so that register, stack and call-graph facts are those of the program), and
 * makes the host object that carries the result. The optimizer sees the joined module only
 * with -dlto.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/strbuf.h"
#include "tools/heddle-cc/relocatable.h"

/* clang as back end: the same plugin at the same place of the pipeline as in the device half. */
static int compile_joined(struct hd_job *job, const char *joined, const char *prefix)
{
	struct hd_cc *cc = job->cc;
	hd_arguments arguments = {0};
	hd_job_add(&arguments, cc->clangxx, "-x", "ir", "--target=nvptx64-nvidia-cuda", NULL);
	hd_job_add(&arguments, hd_arena_printf(&cc->arena, "-march=%s", cc->arch), hd_cc_ptx_level(cc),
		   cc->lto ? hd_cc_device_level(cc) : "-O0", NULL);
	hd_job_add_record(job, &arguments, prefix);
	hd_job_add(&arguments, hd_arena_printf(&cc->arena, "-fpass-plugin=%s", cc->plugin), "-emit-llvm", "-S", joined,
		   "-o", hd_arena_printf(&cc->arena, "%s.ll", prefix), NULL);
	/* clang finds no place for a remark about IR; the plugin knows them. */
	const char *environment = hd_job_pass_environment(job, prefix, NULL, NULL, false);
	if (cc->remarks)
		environment = hd_arena_printf(&cc->arena, "%s;print-remarks=%s", environment, cc->remarks);
	return hd_job_run(job, &arguments, environment) || hd_job_report(job, prefix, true) ? -1 : 0;
}

/*
 * The host object's source. The wrapper is what clang makes for an ordinary kernel object; the first module that
 * registers itself registers the object.
 */
static const char registration_head[] =
	"__asm__(\".section .nv_fatbin, \\\"a\\\"\\n.balign 8\\nheddle_linked_image:\\n.incbin "
	"\\\"%s\\\"\\n.previous\");\n"
	"extern const char heddle_linked_image[] __attribute__((visibility(\"hidden\")));\n"
	"void **__cudaRegisterFatBinary(void *);\n"
	"void __cudaRegisterFatBinaryEnd(void **);\n"
	"void __cudaUnregisterFatBinary(void **);\n"
	"int atexit(void (*)(void));\n"
	"static struct { unsigned magic, version; const void *data; void *unused; } wrapper\n"
	"\t__attribute__((section(\".nvFatBinSegment\"))) = {0x466243b1, 1, heddle_linked_image, 0};\n"
	"static void **handle;\n"
	"static void leave(void) { __cudaUnregisterFatBinary(handle); }\n"
	"static void module(void (*globals)(void **))\n"
	"{\n"
	"\tif (!handle) {\n"
	"\t\thandle = __cudaRegisterFatBinary(&wrapper);\n"
	"\t\t__cudaRegisterFatBinaryEnd(handle);\n"
	"\t\tatexit(leave);\n"
	"\t}\n"
	"\tglobals(handle);\n"
	"}\n"
	"#define MODULE(id) \\\n"
	"\t__attribute__((visibility(\"hidden\"))) void __cudaRegisterLinkedBinary##id( \\\n"
	"\t\tvoid (*globals)(void **), void *binary, void *name, void (*unused)(void **)) \\\n"
	"\t{ (void)binary, (void)name, (void)unused; module(globals); }\n";

static int write_registration(struct hd_cc *cc, const struct hd_cc_collected *collected, const char *image,
			      const char *path)
{
	struct hd_strbuf text = {0};
	if (collected->modules.len)
		hd_strbuf_printf(&text, registration_head, image);
	for (uint32_t i = 0; i < collected->modules.len; i++)
		hd_strbuf_printf(&text, "MODULE(%s)\n", collected->modules.data[i]);
	int status = hd_write_file(path, hd_strbuf_text(&text), text.len, &cc->diag);
	hd_strbuf_release(&text);
	return status;
}

static int make_host_object(struct hd_job *job, const struct hd_cc_collected *collected, const char *image,
			    const char *object)
{
	struct hd_cc *cc = job->cc;
	hd_arguments arguments = {0};
	const char *source = hd_job_path(job, "registration.c");
	if (write_registration(cc, collected, image, source))
		return -1;
	hd_job_add(&arguments, cc->clangxx, "-x", "c", "-fPIC", "-O1", "-c", source, "-o", object, NULL);
	return hd_job_run(job, &arguments, NULL);
}

/* A dry run has no objects to look into; sources that are to be compiled with -rdc=true will be linked. */
static bool will_link(const struct hd_cc *cc, const struct hd_cc_collected *collected)
{
	bool planned = false;
	for (uint32_t i = 0; i < cc->inputs.len && cc->dry_run && cc->relocatable; i++)
		planned = planned || hd_cc_is_cuda(cc, cc->inputs.data[i]);
	return collected->devices.len || planned;
}

static int link_collected(struct hd_job *job, const struct hd_cc_collected *collected, const char *name,
			  struct hd_cc_linked *linked)
{
	struct hd_cc *cc = job->cc;
	const char *joined = hd_job_path(job, "joined.bc");
	linked->prefix = hd_job_path(job, "linked");
	if (collected->devices.len && hd_cc_merge(cc, collected, name, joined))
		return -1;
	if (compile_joined(job, joined, linked->prefix))
		return -1;
	return make_host_object(job, collected, hd_arena_printf(&cc->arena, "%s.hdo", linked->prefix), linked->object);
}

int hd_cc_device_link(struct hd_job *job, const hd_arguments *files, const char *name, struct hd_cc_linked *linked)
{
	struct hd_cc *cc = job->cc;
	struct hd_cc_collected collected = {0};
	bool alone = cc->stage == HD_CC_DEVICE_LINK;
	*linked = (struct hd_cc_linked){0};
	/* Alone, nobody knows what the host's other objects will take from an archive. */
	int status = hd_cc_collect(cc, files, alone, &collected);
	if (!status && will_link(cc, &collected)) {
		linked->object = hd_job_path(job, "linked.o");
		status = link_collected(job, &collected, name, linked);
	} else if (!status && alone) {
		status = hd_error(&cc->diag, HD_NOWHERE,
				  "-dlink: no relocatable device code among the inputs (compile it with -dc)");
	}
	hd_cc_collected_release(&collected);
	return status;
}
