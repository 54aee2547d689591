/*
 * The driver API's memory operations of streams (CUDA Driver API, Stream Memory Operations): a stream writes a word, or
 * waits until a word has a value. A wait is a piece of work that cannot start before (work.c); what fulfils it is a
 * kernel, another stream's write, or the host, where it can write the memory.
 */
#include "runtime/cudart/driver.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/memory.h"
#include "runtime/cudart/work.h"

#define MOST_OPERATIONS 256 /* of a batch: fewer than that */

/* ---- what work.c asks */

/* False: the memory is gone, which ends the wait with an error when it runs. */
static bool read_word(struct hd_cudart *cudart, const struct hd_stream_value *value, uint64_t *word)
{
	uint32_t half;
	if (value->wide)
		return !hd_sim_read(cudart->sim, value->address, word, sizeof *word);
	if (hd_sim_read(cudart->sim, value->address, &half, sizeof half))
		return false;
	*word = half;
	return true;
}

static bool compares(const struct hd_stream_value *value, uint64_t word)
{
	uint64_t mask = value->wide ? UINT64_MAX : UINT32_MAX;
	uint64_t above = (word - value->value) & mask; /* cyclic: less than half of the numbers above */
	switch (value->flags) {
	case CU_STREAM_WAIT_VALUE_GEQ: return above <= mask >> 1;
	case CU_STREAM_WAIT_VALUE_EQ: return !above;
	case CU_STREAM_WAIT_VALUE_AND: return word & value->value;
	default: return ~(word | value->value) & mask;
	}
}

bool hd_cudart_value_holds(struct hd_cudart *cudart, const struct hd_stream_value *value)
{
	uint64_t word;
	return value->writes || !read_word(cudart, value, &word) || compares(value, word);
}

cudaError_t hd_cudart_run_value(struct hd_cudart *cudart, const struct hd_stream_value *value)
{
	uint64_t word;
	if (value->writes)
		return hd_cudart_copy(cudart, (void *)(uintptr_t)value->address, &value->value, value->wide ? 8 : 4,
				      cudaMemcpyHostToDevice);
	return read_word(cudart, value, &word) ? cudaSuccess : cudaErrorIllegalAddress;
}

void hd_cudart_explain_value(struct hd_cudart *cudart, const struct hd_stream_value *value, uint64_t stream)
{
	static const char *const names[] = {"at least", "equal to", "with a bit of", "with a bit that is 0, as in"};
	char text[200], whose[40] = "the legacy stream";
	uint64_t word = 0;
	read_word(cudart, value, &word);
	if (stream)
		snprintf(whose, sizeof whose, "stream %llu", (unsigned long long)stream);
	snprintf(text, sizeof text,
		 "%s waits for ever: the %d bits at 0x%llx are 0x%llx, it waits for a value %s 0x%llx, and nothing is "
		 "left that could write it",
		 whose, value->wide ? 64 : 32, (unsigned long long)value->address, (unsigned long long)word,
		 names[value->flags], (unsigned long long)value->value);
	hd_error(&cudart->diag, HD_NOWHERE, "%s", text);
	hd_cudart_report("fault", text);
}

/* ---- the API */

static cudaError_t check_value(struct hd_cudart *cudart, const struct hd_stream_value *value)
{
	unsigned bytes = value->wide ? 8 : 4;
	if (!value->writes && value->flags & CU_STREAM_WAIT_VALUE_FLUSH) /* the attribute says that there is none */
		return cudaErrorNotSupported;
	if (value->flags >
	    (unsigned)(value->writes ? CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER : CU_STREAM_WAIT_VALUE_NOR))
		return cudaErrorInvalidValue;
	if (!value->address || value->address % bytes)
		return cudaErrorInvalidValue;
	return hd_cudart_check_set(cudart, (void *)(uintptr_t)value->address, bytes);
}

static cudaError_t submit_value(struct hd_cudart *cudart, CUstream stream, const struct hd_stream_value *value)
{
	cudaGraphNode_t node;
	cudaError_t error = hd_cudart_capture(cudart, stream, HD_NODE_VALUE, &node);
	if (error != cudaSuccess)
		return error;
	if (node) {
		node->u.value = *value;
		return cudaSuccess;
	}
	return hd_cudart_do_value(cudart, value);
}

static cudaError_t submit(CUstream stream, const struct hd_stream_value *values, unsigned count)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	HD_TRY(hd_cudart_start_beside(cudart));
	for (unsigned i = 0; i < count; i++)
		HD_TRY(check_value(cudart, &values[i]));
	for (unsigned i = 0; i < count; i++)
		HD_TRY(submit_value(cudart, stream, &values[i]));
	return cudaSuccess;
}

CUresult cuStreamWaitValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
	const struct hd_stream_value wanted = {.address = addr, .value = value, .flags = flags};
	HD_DRIVER(submit(stream, &wanted, 1));
}

CUresult cuStreamWaitValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
	const struct hd_stream_value wanted = {.address = addr, .value = value, .flags = flags, .wide = true};
	HD_DRIVER(submit(stream, &wanted, 1));
}

CUresult cuStreamWriteValue32(CUstream stream, CUdeviceptr addr, cuuint32_t value, unsigned int flags)
{
	const struct hd_stream_value wanted = {.address = addr, .value = value, .flags = flags, .writes = true};
	HD_DRIVER(submit(stream, &wanted, 1));
}

CUresult cuStreamWriteValue64(CUstream stream, CUdeviceptr addr, cuuint64_t value, unsigned int flags)
{
	const struct hd_stream_value wanted = {
		.address = addr, .value = value, .flags = flags, .writes = true, .wide = true};
	HD_DRIVER(submit(stream, &wanted, 1));
}

/* Barriers have nothing to do: writes are seen in their order. */
static cudaError_t submit_batch(CUstream stream, unsigned int count, const CUstreamBatchMemOpParams *ops)
{
	struct hd_stream_value values[MOST_OPERATIONS];
	unsigned kept = 0;
	for (unsigned i = 0; i < count; i++) {
		const CUstreamBatchMemOpParams *op = &ops[i];
		bool wide = op->operation == CU_STREAM_MEM_OP_WAIT_VALUE_64 ||
			    op->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64;
		switch (op->operation) {
		case CU_STREAM_MEM_OP_WAIT_VALUE_32:
		case CU_STREAM_MEM_OP_WAIT_VALUE_64:
		case CU_STREAM_MEM_OP_WRITE_VALUE_32:
		case CU_STREAM_MEM_OP_WRITE_VALUE_64:
			values[kept++] = (struct hd_stream_value){
				.address = op->waitValue.address,
				.value = wide ? op->waitValue.value64 : op->waitValue.value,
				.flags = op->waitValue.flags,
				.writes = op->operation == CU_STREAM_MEM_OP_WRITE_VALUE_32 ||
					  op->operation == CU_STREAM_MEM_OP_WRITE_VALUE_64,
				.wide = wide,
			};
			break;
		case CU_STREAM_MEM_OP_BARRIER: break;
		case CU_STREAM_MEM_OP_FLUSH_REMOTE_WRITES: return cudaErrorNotSupported;
		default: return cudaErrorInvalidValue;
		}
	}
	return submit(stream, values, kept);
}

CUresult cuStreamBatchMemOp(CUstream stream, unsigned int count, CUstreamBatchMemOpParams *paramArray,
			    unsigned int flags)
{
	HD_DRIVER(flags || !paramArray || count >= MOST_OPERATIONS ? cudaErrorInvalidValue
								   : submit_batch(stream, count, paramArray));
}
