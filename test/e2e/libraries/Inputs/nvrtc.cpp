// A program that compiles its kernels at run time, as published ones do: headers in memory, names of templates and of
// constants, messages, options; and several threads at once.
#define NVRTC_GET_TYPE_NAME 1
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

static void demand(bool right, const char *what, int line)
{
	if (!right) {
		printf("line %d: wrong: %s\n", line, what);
		exit(1);
	}
}
#define DEMAND(x) demand(x, #x, __LINE__)

static const char source[] = R"(
#include "shapes/scale.h"
#include <offset>
namespace terms { __constant__ float addend; __device__ int calls[2]; }
template <class T, int N> __global__ void apply(const T *x, T *y, int n)
{
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = scaled(x[i]) * N + terms::addend + OFFSET;
	if (i == 0)
		atomicAdd(&terms::calls[1], 1);
}
extern "C" __global__ void plain(int *at) { *at = __CUDA_ARCH__ + MORE; }
#ifndef __CUDACC_RTC__
#error
#endif
)";

static nvrtcResult compile(nvrtcProgram program, const std::vector<const char *> &options)
{
	return nvrtcCompileProgram(program, (int)options.size(), options.data());
}

static std::string log_of(nvrtcProgram program)
{
	size_t size;
	DEMAND(nvrtcGetProgramLogSize(program, &size) == NVRTC_SUCCESS && size >= 1);
	std::string text(size, 'x');
	DEMAND(nvrtcGetProgramLog(program, &text[0]) == NVRTC_SUCCESS && text[size - 1] == '\0');
	text.pop_back();
	return text;
}

static void run_templates()
{
	const char *headers[] = {"#include \"../up.h\"\ntemplate <class T> __device__ T scaled(T x) { return x * UP; }\n",
				 "#pragma once\n#define OFFSET 0.5f\n", "#define UP 2\n"};
	const char *names[] = {"shapes/scale.h", "offset", "../up.h"};
	const char *lowered, *other;
	nvrtcProgram program;
	DEMAND(nvrtcCreateProgram(&program, source, "apply.cu", 3, headers, names) == NVRTC_SUCCESS);
	DEMAND(nvrtcAddNameExpression(program, "apply<float, 3>") == NVRTC_SUCCESS);
	DEMAND(nvrtcAddNameExpression(program, "&terms::addend") == NVRTC_SUCCESS);
	DEMAND(nvrtcAddNameExpression(program, "terms::calls") == NVRTC_SUCCESS);
	DEMAND(nvrtcGetLoweredName(program, "terms::calls", &lowered) == NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
	DEMAND(compile(program, {"--gpu-architecture=compute_80", "-std=c++17", "-D", "MORE=7", "--fmad=false", "-I ."}) ==
	       NVRTC_SUCCESS);
	DEMAND(log_of(program).empty());
	DEMAND(nvrtcAddNameExpression(program, "plain") == NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
	DEMAND(nvrtcGetLoweredName(program, "apply<float,3>", &other) == NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
	DEMAND(nvrtcGetLoweredName(program, "apply<float, 3>", &lowered) == NVRTC_SUCCESS);
	DEMAND(!strcmp(lowered, "_Z5applyIfLi3EEvPKT_PS0_i"));
	size_t size, same;
	DEMAND(nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS && nvrtcGetCUBINSize(program, &same) == NVRTC_SUCCESS);
	std::vector<char> ptx(size), cubin(same);
	DEMAND(nvrtcGetPTX(program, ptx.data()) == NVRTC_SUCCESS && nvrtcGetCUBIN(program, cubin.data()) == NVRTC_SUCCESS);
	DEMAND(ptx == cubin);
	DEMAND(nvrtcGetLTOIRSize(program, &size) == NVRTC_SUCCESS && size == 0);

	CUmodule module;
	CUfunction function;
	CUdeviceptr addend, calls, x, y;
	DEMAND(cuModuleLoadDataEx(&module, ptx.data(), 0, nullptr, nullptr) == CUDA_SUCCESS);
	DEMAND(cuModuleGetFunction(&function, module, lowered) == CUDA_SUCCESS);
	DEMAND(nvrtcGetLoweredName(program, "&terms::addend", &other) == NVRTC_SUCCESS);
	DEMAND(cuModuleGetGlobal(&addend, &size, module, other) == CUDA_SUCCESS && size == 4);
	DEMAND(nvrtcGetLoweredName(program, "terms::calls", &other) == NVRTC_SUCCESS);
	DEMAND(cuModuleGetGlobal(&calls, &size, module, other) == CUDA_SUCCESS && size == 8);
	float four = 4, values[40], results[40];
	int n = 40, counts[2];
	for (int i = 0; i < n; i++)
		values[i] = (float)i;
	cuMemAlloc(&x, sizeof values);
	cuMemAlloc(&y, sizeof values);
	cuMemcpyHtoD(x, values, sizeof values);
	cuMemcpyHtoD(addend, &four, sizeof four);
	void *arguments[] = {&x, &y, &n};
	DEMAND(cuLaunchKernel(function, 2, 1, 1, 32, 1, 1, 0, nullptr, arguments, nullptr) == CUDA_SUCCESS);
	DEMAND(cuMemcpyDtoH(results, y, sizeof results) == CUDA_SUCCESS);
	for (int i = 0; i < n; i++)
		DEMAND(results[i] == (float)i * 6 + 4.5f);
	DEMAND(cuMemcpyDtoH(counts, calls, sizeof counts) == CUDA_SUCCESS && counts[0] == 0 && counts[1] == 1);
	DEMAND(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS && !program);

	CUlibrary library;
	CUkernel kernel;
	DEMAND(cuLibraryLoadData(&library, cubin.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) == CUDA_SUCCESS);
	DEMAND(cuLibraryGetKernel(&kernel, library, "plain") == CUDA_SUCCESS);
	void *at[] = {&x};
	int arch;
	DEMAND(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, at, nullptr) == CUDA_SUCCESS);
	DEMAND(cuMemcpyDtoH(&arch, x, sizeof arch) == CUDA_SUCCESS && arch == 807);
}

static void run_errors()
{
	const char *header = "absent broken;\n", *name = "deep/broken.h", *from_root = "/deep/broken.h";
	const char *lowered;
	nvrtcProgram program;
	size_t size;
	DEMAND(nvrtcCreateProgram(&program, nullptr, nullptr, 0, nullptr, nullptr) == NVRTC_ERROR_INVALID_INPUT);
	DEMAND(nvrtcCreateProgram(&program, "", nullptr, 1, &header, &from_root) == NVRTC_ERROR_INVALID_INPUT);
	DEMAND(nvrtcCreateProgram(&program, "#include \"deep/broken.h\"\n\n__global__ void k() { nowhere(); }", "my \"own\".cu",
				  1, &header, &name) == NVRTC_SUCCESS);
	DEMAND(nvrtcAddNameExpression(program, "missing<int>") == NVRTC_SUCCESS);
	DEMAND(nvrtcGetPTXSize(program, &size) == NVRTC_ERROR_INVALID_PROGRAM);
	DEMAND(compile(program, {"--unheard-of"}) == NVRTC_ERROR_INVALID_OPTION);
	printf("%s", log_of(program).c_str());
	DEMAND(compile(program, {"-o", "here"}) == NVRTC_ERROR_INVALID_OPTION);
	DEMAND(compile(program, {"-use_fast_math=1"}) == NVRTC_ERROR_INVALID_OPTION);
	DEMAND(compile(program, {"-arch"}) == NVRTC_ERROR_INVALID_OPTION);
	DEMAND(compile(program, {"-arch=sm_80", "-std=c++17"}) == NVRTC_ERROR_COMPILATION);
	printf("%s", log_of(program).c_str());
	DEMAND(nvrtcGetPTXSize(program, &size) == NVRTC_SUCCESS && size == 0);
	DEMAND(nvrtcGetPTX(program, (char *)&size) == NVRTC_ERROR_INVALID_PROGRAM);
	DEMAND(nvrtcGetLoweredName(program, "missing<int>", &lowered) == NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
	DEMAND(nvrtcDestroyProgram(&program) == NVRTC_SUCCESS);
	DEMAND(nvrtcDestroyProgram(&program) == NVRTC_ERROR_INVALID_PROGRAM);

	printf("%s %s\n", nvrtcGetErrorString(NVRTC_ERROR_COMPILATION), nvrtcGetErrorString((nvrtcResult)77));
}

static void run_thread(int index, int *result)
{
	std::string text = "int twice(int x) { return 2 * x; } extern \"C\" __global__ void k(int *p) { p[" +
			   std::to_string(index) + "] = twice(" + std::to_string(index + 10) + "); }";
	nvrtcProgram program;
	size_t size = 0;
	nvrtcCreateProgram(&program, text.c_str(), nullptr, 0, nullptr, nullptr);
	*result = compile(program, {"-default-device", "-arch=sm_80", "-std=c++17"}) != NVRTC_SUCCESS;
	nvrtcGetCUBINSize(program, &size);
	std::vector<char> cubin(size);
	*result = *result || nvrtcGetCUBIN(program, cubin.data()) != NVRTC_SUCCESS;
	nvrtcDestroyProgram(&program);
	CUcontext context;
	CUmodule module;
	CUfunction function;
	CUdeviceptr at;
	int value[2] = {0, 0};
	*result = *result || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context) ||
		  cuModuleLoadData(&module, cubin.data()) || cuModuleGetFunction(&function, module, "k") ||
		  cuMemAlloc(&at, sizeof value);
	void *arguments[] = {&at};
	*result = *result || cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) ||
		  cuMemcpyDtoH(value, at, sizeof value) || value[index] != 2 * (index + 10);
}

int main()
{
	int major, minor, count, architectures[64];
	CUcontext context;
	DEMAND(nvrtcVersion(&major, &minor) == NVRTC_SUCCESS && major * 1000 + minor * 10 == CUDA_VERSION);
	DEMAND(nvrtcGetNumSupportedArchs(&count) == NVRTC_SUCCESS && count < 64);
	DEMAND(nvrtcGetSupportedArchs(architectures) == NVRTC_SUCCESS);
	for (int i = 0; i < count; i++)
		printf("%d ", architectures[i]);
	printf("\n");
	std::string type;
	DEMAND(nvrtcGetTypeName<const int &>(&type) == NVRTC_SUCCESS && type == "int const&");
	DEMAND(cuInit(0) == CUDA_SUCCESS && cuDevicePrimaryCtxRetain(&context, 0) == CUDA_SUCCESS);
	DEMAND(cuCtxSetCurrent(context) == CUDA_SUCCESS);
	run_templates();
	run_errors();
	int results[2];
	std::thread other(run_thread, 0, &results[0]);
	run_thread(1, &results[1]);
	other.join();
	DEMAND(results[0] == 0 && results[1] == 0);
	printf("nvrtc: PASSED\n");
}
