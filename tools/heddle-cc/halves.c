/*
 * What each input is, and the arguments that clang gets for the device half, the host half and plain C and C++.
 */
#include <string.h>

#include "tools/heddle-cc/options.h"

static bool has_extension(const char *name, const char *const *extensions)
{
	const char *dot = strrchr(name, '.');
	for (; dot && *extensions; extensions++)
		if (!strcmp(dot, *extensions))
			return true;
	return false;
}

bool hd_cc_is_stdin(const char *input)
{
	return !strcmp(input, "-");
}

bool hd_cc_is_cuda(const struct hd_cc *cc, const char *input)
{
	static const char *const cuda[] = {".cu", NULL};
	return cc->language ? !strcmp(cc->language, "cuda") && hd_cc_is_source(cc, input) : has_extension(input, cuda);
}

bool hd_cc_is_source(const struct hd_cc *cc, const char *input)
{
	static const char *const linked[] = {".o", ".a", ".so", ".obj", NULL};
	static const char *const sources[] = {".cu", ".c", ".cc", ".cpp", ".cxx", ".C", ".i", ".ii", NULL};
	return cc->language ? !has_extension(input, linked) : has_extension(input, sources);
}

/* ------------------------------------------------------------ the halves */

/* What g++ warns about at most, and clang takes for an error: the host compiler of CUDA programs is g++. */
static void add_leniency(const char *language, hd_arguments *arguments)
{
	static const char *const both[] = {"-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument",
					   "-Wno-pass-failed", NULL}; /* nvcc keeps to itself what it cannot unroll */
	static const char *const cxx[] = {"-Wno-error=register",
					  "-Wno-error=reserved-user-defined-literal",
					  "-Wno-error=c++11-narrowing",
					  "-Wno-error=c++11-narrowing-const-reference",
					  "-Wno-error=enum-constexpr-conversion",
					  NULL};
	static const char *const c[] = {"-Wno-error=implicit-function-declaration",
					"-Wno-error=implicit-int",
					"-Wno-error=int-conversion",
					"-Wno-error=incompatible-function-pointer-types",
					"-Wno-error=return-mismatch",
					NULL};
	const char *const *lists[] = {both, !strcmp(language, "c") ? c : cxx};
	for (unsigned list = 0; list < 2; list++)
		for (const char *const *option = lists[list]; *option; option++)
			hd_vec_push(arguments, *option);
}

/* nvcc's "-": the output's name, or trace.json. */
static const char *time_trace_argument(struct hd_cc *cc)
{
	const char *name = cc->time_trace;
	if (!strcmp(name, "-") && cc->output) {
		const char *dot = strrchr(cc->output, '.'), *slash = strrchr(cc->output, '/');
		int stem =
			dot && dot > (slash ? slash : cc->output) ? (int)(dot - cc->output) : (int)strlen(cc->output);
		name = hd_arena_printf(&cc->arena, "%.*s.json", stem, cc->output);
	} else if (!strcmp(name, "-")) {
		name = "trace.json";
	}
	return hd_arena_printf(&cc->arena, "-ftime-trace=%s", name);
}

void hd_cc_half_arguments(const struct hd_cc *cc, bool device, hd_arguments *arguments)
{
	/* No NVIDIA software: none of its headers and libraries, and an SDK version that clang could not detect. */
	const char *fixed[] = {"-x", "cuda", device ? "--cuda-device-only" : "--cuda-host-only", "-nocudainc",
			       "-nocudalib",
			       /* the default since clang 20, which leaves the device's object to another linker */
			       "--no-offload-new-driver", "--cuda-path=/nonexistent", "-Xclang",
			       "-target-sdk-version=12.3", "-Xclang", "-fcuda-allow-variadic-functions",
			       "-fgnu-keywords", /* typeof, whatever the standard */
			       "-isystem", cc->include_dir, "-include", "heddle_cuda.h"};
	for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
		hd_vec_push(arguments, fixed[i]);
	add_leniency("c++", arguments);
	if (cc->texture_references)
		hd_vec_push(arguments, "-DHEDDLE_TEXTURE_REFERENCES");
	for (uint32_t i = 0; i < cc->common.len; i++)
		hd_vec_push(arguments, cc->common.data[i]);
	hd_vec_push(arguments, hd_arena_printf((struct hd_arena *)&cc->arena, "--cuda-gpu-arch=%s", cc->arch));
	if (cc->relocatable)
		hd_vec_push(arguments, "-fgpu-rdc");
	hd_vec_push(arguments, device ? hd_cc_device_level(cc) : cc->optimize ? cc->optimize : "-O3");
	if (cc->debug || (cc->device_debug && !(device && cc->device_optimized)))
		hd_vec_push(arguments, "-g");
	if (!device) {
		for (uint32_t i = 0; i < cc->host.len; i++)
			hd_vec_push(arguments, cc->host.data[i]);
		return;
	}
	/*
	 * CUDA programs hand undefined values on, and nvcc lets them: only one lane has what all shuffle, a function
	 * ends without a result that nobody reads. No mark says that there are none, no end of a function is
	 * impossible, and small variables start as zero, since LLVM takes a branch on nothing at all for unreachable.
	 * 16 bytes: the widest vector that memory instructions take; arrays would pay for it.
	 */
	const char *device_only[] = {hd_cc_ptx_level(cc),
				     "-Xclang",
				     "-no-enable-noundef-analysis",
				     "-fno-strict-return",
				     "-ftrivial-auto-var-init=zero",
				     "-ftrivial-auto-var-init-max-size=16"};
	for (unsigned i = 0; i < sizeof device_only / sizeof *device_only; i++)
		hd_vec_push(arguments, device_only[i]);
	/* nvcc's device compiler takes no two pointers for pointers to different objects because of their types. */
	hd_vec_push(arguments, "-fno-strict-aliasing");
	/* nvcc calls the device's heap wherever the program does, whether or not it has room, and whatever is leaked.
	 */
	hd_vec_push(arguments, "-fno-builtin-malloc");
	hd_vec_push(arguments, "-fno-builtin-free");
	if (hd_cc_is_true(cc->ftz, cc->fast_math))
		hd_vec_push(arguments, "-fgpu-flush-denormals-to-zero");
	if (!hd_cc_is_true(cc->fmad, true))
		hd_vec_push(arguments, "-ffp-contract=off");
	for (uint32_t i = 0; i < cc->device.len; i++)
		hd_vec_push(arguments, cc->device.data[i]);
	if (cc->time_trace) { /* the driver knows of it only with -c */
		hd_vec_push(arguments, "-Xclang");
		hd_vec_push(arguments, time_trace_argument((struct hd_cc *)cc));
	}
	/*
	 * Remarks, messages and metadata name source lines even when nobody asked for a debugger; remarks also name
	 * values, of which clang keeps nothing in optimised device code unless it is told to.
	 */
	if (cc->remarks || cc->record) {
		hd_vec_push(arguments, "-g");
		hd_vec_push(arguments, "--cuda-noopt-device-debug");
	} else if (!cc->debug && (!cc->device_debug || cc->device_optimized)) {
		hd_vec_push(arguments, "-gline-tables-only");
	}
}

static void plain_arguments(struct hd_cc *cc, const char *input, hd_arguments *arguments)
{
	const char *dot = strrchr(input, '.');
	const char *language = cc->language ? cc->language : dot && !strcmp(dot, ".c") ? "c" : "c++";
	const char *fixed[] = {"-x", language, "-isystem", cc->include_dir, cc->optimize ? cc->optimize : "-O3"};
	for (unsigned i = 0; i < sizeof fixed / sizeof *fixed; i++)
		hd_vec_push(arguments, fixed[i]);
	add_leniency(language, arguments);
	for (uint32_t i = 0; i < cc->common.len; i++)
		if (strcmp(language, "c") || strncmp(cc->common.data[i], "-std=c++", 8))
			hd_vec_push(arguments, cc->common.data[i]);
	for (uint32_t i = 0; i < cc->host.len; i++)
		hd_vec_push(arguments, cc->host.data[i]);
	if (cc->debug)
		hd_vec_push(arguments, "-g");
}

int hd_cc_source_arguments(struct hd_cc *cc, const char *input, hd_arguments *arguments)
{
	if (!hd_cc_is_source(cc, input))
		return hd_error(&cc->diag, HD_NOWHERE, "%s is not a source file", input);
	hd_vec_push(arguments, cc->clangxx);
	if (hd_cc_is_cuda(cc, input))
		hd_cc_half_arguments(cc, false, arguments);
	else
		plain_arguments(cc, input, arguments);
	return 0;
}
