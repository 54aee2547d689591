/*
 * Error codes of the runtime API: names, texts, the calling thread's last error.
 */
#include "runtime/cudart/context.h"

static const struct {
	cudaError_t error;
	const char *name, *text;
} errors[] = {
#define HD_CUDA_ERROR(name, value, text) {name, #name, text},
#include "cuda/heddle_cuda_errors.def"
#undef HD_CUDA_ERROR
};

const char *cudaGetErrorName(cudaError_t error)
{
	for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].error == error)
			return errors[i].name;
	return "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error)
{
	for (unsigned i = 0; i < sizeof errors / sizeof *errors; i++)
		if (errors[i].error == error)
			return errors[i].text;
	return "unrecognized error code";
}

/* After a fault each call that needs the device says so again; this is told once, as every other error. */
static cudaError_t current(bool reset)
{
	cudaError_t *last = hd_cudart_last_error();
	cudaError_t error = *last;
	if (reset)
		*last = cudaSuccess;
	return error;
}

cudaError_t cudaGetLastError(void)
{
	return current(true);
}

cudaError_t cudaPeekAtLastError(void)
{
	return current(false);
}
