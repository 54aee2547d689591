/*
 * nvrtc's functions (libnvrtc.so): programs from their creation to their end. The work is done in compile.c.
 */
#include <stdio.h>

#include "cuda/cuda.h"
#include "lib/compiler.h"
#include "tools/nvrtc/program.h"

/* ------------------------------------------------------------ what is there */

const char *nvrtcGetErrorString(nvrtcResult result)
{
	switch (result) {
#define NAME(name) \
	case name: return #name;
		NAME(NVRTC_SUCCESS)
		NAME(NVRTC_ERROR_OUT_OF_MEMORY)
		NAME(NVRTC_ERROR_PROGRAM_CREATION_FAILURE)
		NAME(NVRTC_ERROR_INVALID_INPUT)
		NAME(NVRTC_ERROR_INVALID_PROGRAM)
		NAME(NVRTC_ERROR_INVALID_OPTION)
		NAME(NVRTC_ERROR_COMPILATION)
		NAME(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
		NAME(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION)
		NAME(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION)
		NAME(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID)
		NAME(NVRTC_ERROR_INTERNAL_ERROR)
		NAME(NVRTC_ERROR_TIME_FILE_WRITE_FAILED)
#undef NAME
	}
	return "NVRTC_ERROR unknown";
}

/* That of the headers. */
nvrtcResult nvrtcVersion(int *major, int *minor)
{
	if (!major || !minor)
		return NVRTC_ERROR_INVALID_INPUT;
	*major = CUDA_VERSION / 1000;
	*minor = CUDA_VERSION % 1000 / 10;
	return NVRTC_SUCCESS;
}

/* The architectures, one a line as sm_NN: the compiler knows them. `to` NULL: they are only counted. -1: none. */
static int list_architectures(int *to)
{
	char *compiler = hd_compiler_path();
	struct hd_strbuf output = {0};
	int count = 0, last = 0;
	if (hd_compiler_run((char *[]){compiler, "-code-ls", NULL}, "nvrtc", &output) > 0)
		count = -1;
	const char *at = hd_strbuf_text(&output);
	for (int number; count >= 0 && (at = strstr(at, "sm_")) && sscanf(at, "sm_%d", &number) == 1; at += 3) {
		if (number == last) /* sm_90a behind sm_90 */
			continue;
		last = number;
		if (to)
			to[count] = number;
		count++;
	}
	hd_strbuf_release(&output);
	free(compiler);
	return count ? count : -1;
}

nvrtcResult nvrtcGetNumSupportedArchs(int *numArchs)
{
	if (!numArchs)
		return NVRTC_ERROR_INVALID_INPUT;
	*numArchs = list_architectures(NULL);
	return *numArchs > 0 ? NVRTC_SUCCESS : NVRTC_ERROR_INTERNAL_ERROR;
}

nvrtcResult nvrtcGetSupportedArchs(int *supportedArchs)
{
	if (!supportedArchs)
		return NVRTC_ERROR_INVALID_INPUT;
	return list_architectures(supportedArchs) > 0 ? NVRTC_SUCCESS : NVRTC_ERROR_INTERNAL_ERROR;
}

/* ------------------------------------------------------------ programs */

/* A name of a file for whoever includes it: not from the root, and no further up than the folders above the source. */
static bool is_header_name(const char *name)
{
	int up = 0;
	if (!name || !*name || *name == '/' || name[strlen(name) - 1] == '/')
		return false;
	for (const char *at = name; (at = strstr(at, "../")); at += 3)
		up++;
	return up <= HD_NVRTC_FOLDERS_ABOVE;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *prog, const char *src, const char *name, int numHeaders,
			       const char *const *headers, const char *const *includeNames)
{
	if (!prog || !src || numHeaders < 0 || (numHeaders && (!headers || !includeNames)))
		return NVRTC_ERROR_INVALID_INPUT;
	for (int i = 0; i < numHeaders; i++)
		if (!headers[i] || !is_header_name(includeNames[i]))
			return NVRTC_ERROR_INVALID_INPUT;
	nvrtcProgram made = hd_xcalloc(1, sizeof *made);
	made->name = hd_xstrdup(name && *name ? name : "default_program");
	made->source = hd_xstrdup(src);
	for (int i = 0; i < numHeaders; i++)
		hd_vec_push(&made->headers,
			    (struct hd_nvrtc_header){hd_xstrdup(includeNames[i]), hd_xstrdup(headers[i])});
	*prog = made;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *prog)
{
	if (!prog || !*prog)
		return NVRTC_ERROR_INVALID_PROGRAM;
	nvrtcProgram program = *prog;
	for (uint32_t i = 0; i < program->headers.len; i++) {
		free(program->headers.data[i].name);
		free(program->headers.data[i].text);
	}
	for (uint32_t i = 0; i < program->names.len; i++) {
		free(program->names.data[i].expression);
		free(program->names.data[i].lowered);
	}
	hd_vec_release(&program->headers);
	hd_vec_release(&program->names);
	hd_strbuf_release(&program->log);
	free(program->object);
	free(program->name);
	free(program->source);
	free(program);
	*prog = NULL;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram prog, int numOptions, const char *const *options)
{
	struct hd_nvrtc_options read = {0};
	if (!prog)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (numOptions < 0 || (numOptions && !options))
		return NVRTC_ERROR_INVALID_INPUT;
	free(prog->object);
	prog->object = NULL;
	prog->object_size = 0;
	for (uint32_t i = 0; i < prog->names.len; i++) {
		free(prog->names.data[i].lowered);
		prog->names.data[i].lowered = NULL;
	}
	hd_strbuf_release(&prog->log);
	prog->compiled = true;
	nvrtcResult result = NVRTC_ERROR_INVALID_OPTION;
	if (hd_nvrtc_options_read(&read, numOptions, options, &prog->log))
		result = hd_nvrtc_compile(prog, &read);
	hd_nvrtc_options_release(&read);
	return result;
}

/* ------------------------------------------------------------ results */

static nvrtcResult put_size(nvrtcProgram program, size_t *to, size_t size)
{
	if (!to)
		return NVRTC_ERROR_INVALID_INPUT;
	if (!program || !program->compiled)
		return NVRTC_ERROR_INVALID_PROGRAM;
	*to = size;
	return NVRTC_SUCCESS;
}

static nvrtcResult put_object(nvrtcProgram program, char *to)
{
	if (!to)
		return NVRTC_ERROR_INVALID_INPUT;
	if (!program || !program->object_size)
		return NVRTC_ERROR_INVALID_PROGRAM;
	memcpy(to, program->object, program->object_size);
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram prog, size_t *ptxSizeRet)
{
	return put_size(prog, ptxSizeRet, prog ? prog->object_size : 0);
}

nvrtcResult nvrtcGetPTX(nvrtcProgram prog, char *ptx)
{
	return put_object(prog, ptx);
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram prog, size_t *cubinSizeRet)
{
	return put_size(prog, cubinSizeRet, prog ? prog->object_size : 0);
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram prog, char *cubin)
{
	return put_object(prog, cubin);
}

static nvrtcResult put_nothing(nvrtcProgram program, const char *to)
{
	(void)program;
	return to ? NVRTC_ERROR_INVALID_PROGRAM : NVRTC_ERROR_INVALID_INPUT;
}

nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram prog, size_t *LTOIRSizeRet)
{
	return put_size(prog, LTOIRSizeRet, 0);
}

nvrtcResult nvrtcGetLTOIR(nvrtcProgram prog, char *LTOIR)
{
	return put_nothing(prog, LTOIR);
}

nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram prog, size_t *optixirSizeRet)
{
	return put_size(prog, optixirSizeRet, 0);
}

nvrtcResult nvrtcGetOptiXIR(nvrtcProgram prog, char *optixir)
{
	return put_nothing(prog, optixir);
}

nvrtcResult nvrtcGetNVVMSize(nvrtcProgram prog, size_t *nvvmSizeRet)
{
	return put_size(prog, nvvmSizeRet, 0);
}

nvrtcResult nvrtcGetNVVM(nvrtcProgram prog, char *nvvm)
{
	return put_nothing(prog, nvvm);
}

/* With the NUL at its end; 1 when there is nothing to say. */
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram prog, size_t *logSizeRet)
{
	if (!logSizeRet)
		return NVRTC_ERROR_INVALID_INPUT;
	if (!prog)
		return NVRTC_ERROR_INVALID_PROGRAM;
	*logSizeRet = prog->log.len + 1;
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram prog, char *log)
{
	if (!log)
		return NVRTC_ERROR_INVALID_INPUT;
	if (!prog)
		return NVRTC_ERROR_INVALID_PROGRAM;
	memcpy(log, hd_strbuf_text(&prog->log), prog->log.len + 1);
	return NVRTC_SUCCESS;
}

/* ------------------------------------------------------------ names */

static struct hd_nvrtc_name *find_name(nvrtcProgram program, const char *expression)
{
	for (uint32_t i = 0; i < program->names.len; i++)
		if (!strcmp(program->names.data[i].expression, expression))
			return &program->names.data[i];
	return NULL;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram prog, const char *const name_expression)
{
	if (!prog)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (!name_expression || !*name_expression)
		return NVRTC_ERROR_INVALID_INPUT;
	if (prog->compiled)
		return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
	if (!find_name(prog, name_expression))
		hd_vec_push(&prog->names, (struct hd_nvrtc_name){hd_xstrdup(name_expression), NULL});
	return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram prog, const char *const name_expression, const char **lowered_name)
{
	if (!name_expression || !lowered_name)
		return NVRTC_ERROR_INVALID_INPUT;
	if (!prog || !prog->object_size)
		return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
	struct hd_nvrtc_name *name = find_name(prog, name_expression);
	if (!name || !name->lowered)
		return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
	*lowered_name = name->lowered;
	return NVRTC_SUCCESS;
}
