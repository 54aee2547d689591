/*
 * Advice about managed memory, which has one place here: it changes nothing in a run, and is remembered page by page
 * for those who ask. A question costs the pages of its range times the ranges that were advised.
 */
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"
#include "runtime/cudart/memory.h"

#define HD_ADVICE_PAGE 4096u /* bytes, as of the host */

enum kind { READ_MOSTLY, PREFERRED, ACCESSED_BY_DEVICE, ACCESSED_BY_HOST, PREFETCHED };

void hd_cudart_forget_advice(struct hd_cudart *cudart, uint64_t owner)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < cudart->advice.len; i++)
		if (cudart->advice.data[i].owner != owner)
			cudart->advice.data[kept++] = cudart->advice.data[i];
	cudart->advice.len = kept;
}

/* The whole pages, from the start of the allocation on, of a range that lies in one allocation. */
static bool find_range(struct hd_cudart *cudart, const void *pointer, size_t count, struct hd_advice *range)
{
	uint64_t at = (uintptr_t)pointer, high;
	if (!count || !hd_sim_owns(cudart->sim, at))
		return false;
	hd_sim_allocation(cudart->sim, at, &range->owner, &high);
	range->low = at - (at - range->owner) % HD_ADVICE_PAGE;
	range->high = range->low + (at + count - range->low + HD_ADVICE_PAGE - 1) / HD_ADVICE_PAGE * HD_ADVICE_PAGE;
	return at < high && count <= high - at;
}

static void advise(struct hd_cudart *cudart, struct hd_advice range, int kind, int value)
{
	uint32_t kept = 0;
	range.kind = kind;
	range.value = value;
	for (uint32_t i = 0; i < cudart->advice.len; i++) {
		struct hd_advice *old = &cudart->advice.data[i];
		if (old->owner != range.owner || old->kind != kind || old->low < range.low || old->high > range.high)
			cudart->advice.data[kept++] = *old;
	}
	cudart->advice.len = kept;
	hd_vec_push(&cudart->advice, range);
}

/* What all pages of a range have in common; `otherwise` of a page of which nothing was said, and where they differ. */
static int common(struct hd_cudart *cudart, const struct hd_advice *range, int kind, int otherwise)
{
	int result = otherwise;
	for (uint64_t page = range->low; page < range->high; page += HD_ADVICE_PAGE) {
		int value = otherwise;
		for (uint32_t i = 0; i < cudart->advice.len; i++) {
			struct hd_advice *old = &cudart->advice.data[i];
			if (old->owner == range->owner && old->kind == kind && old->low <= page && page < old->high)
				value = old->value;
		}
		if (value == otherwise || (page > range->low && value != result))
			return otherwise;
		result = value;
	}
	return result;
}

cudaError_t cudaMemPrefetchAsync(const void *devPtr, size_t count, int device, cudaStream_t stream)
{
	HD_CUDART(cudart);
	HD_VALID(STREAM, stream);
	(void)stream;
	struct hd_advice range;
	HD_TRY(hd_cudart_start(cudart));
	if (!find_range(cudart, devPtr, count, &range))
		return hd_cudart_return(cudaErrorInvalidValue);
	if (device != 0 && device != cudaCpuDeviceId)
		return hd_cudart_return(cudaErrorInvalidDevice);
	advise(cudart, range, PREFETCHED, device);
	return cudaSuccess;
}

cudaError_t cudaMemAdvise(const void *devPtr, size_t count, enum cudaMemoryAdvise advice, int device)
{
	HD_CUDART(cudart);
	struct hd_advice range;
	bool set = advice % 2; /* each Set is followed by its Unset */
	HD_TRY(hd_cudart_start(cudart));
	if (advice < cudaMemAdviseSetReadMostly || advice > cudaMemAdviseUnsetAccessedBy ||
	    !find_range(cudart, devPtr, count, &range))
		return hd_cudart_return(cudaErrorInvalidValue);
	if (advice <= cudaMemAdviseUnsetReadMostly) {
		advise(cudart, range, READ_MOSTLY, set);
		return cudaSuccess;
	}
	if (advice != cudaMemAdviseUnsetPreferredLocation && device != 0 && device != cudaCpuDeviceId)
		return hd_cudart_return(cudaErrorInvalidDevice);
	if (advice <= cudaMemAdviseUnsetPreferredLocation)
		advise(cudart, range, PREFERRED, set ? device : cudaInvalidDeviceId);
	else
		advise(cudart, range, device == 0 ? ACCESSED_BY_DEVICE : ACCESSED_BY_HOST, set);
	return cudaSuccess;
}

static void accessed_by(struct hd_cudart *cudart, const struct hd_advice *range, int *devices, size_t count)
{
	size_t found = 0;
	if (common(cudart, range, ACCESSED_BY_DEVICE, 0))
		devices[found++] = 0;
	if (found < count && common(cudart, range, ACCESSED_BY_HOST, 0))
		devices[found++] = cudaCpuDeviceId;
	while (found < count)
		devices[found++] = cudaInvalidDeviceId;
}

static cudaError_t range_attribute(struct hd_cudart *cudart, void *data, size_t size,
				   enum cudaMemRangeAttribute attribute, const void *pointer, size_t count)
{
	struct hd_advice range;
	int *value = data;
	if (!data || !size || size % sizeof *value || !find_range(cudart, pointer, count, &range))
		return cudaErrorInvalidValue;
	const struct hd_shared_memory *memory = hd_cudart_shared(cudart, pointer);
	if (!memory || memory->type != cudaMemoryTypeManaged)
		return cudaErrorInvalidValue;
	if (attribute == cudaMemRangeAttributeAccessedBy) {
		accessed_by(cudart, &range, value, size / sizeof *value);
		return cudaSuccess;
	}
	if (size != sizeof *value)
		return cudaErrorInvalidValue;
	if (attribute == cudaMemRangeAttributeReadMostly)
		*value = common(cudart, &range, READ_MOSTLY, 0);
	else if (attribute == cudaMemRangeAttributePreferredLocation)
		*value = common(cudart, &range, PREFERRED, cudaInvalidDeviceId);
	else if (attribute == cudaMemRangeAttributeLastPrefetchLocation)
		*value = common(cudart, &range, PREFETCHED, cudaInvalidDeviceId);
	else
		return cudaErrorInvalidValue;
	return cudaSuccess;
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t dataSize, enum cudaMemRangeAttribute attribute,
				     const void *devPtr, size_t count)
{
	return cudaMemRangeGetAttributes(&data, &dataSize, &attribute, 1, devPtr, count);
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *dataSizes, enum cudaMemRangeAttribute *attributes,
				      size_t numAttributes, const void *devPtr, size_t count)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	if (!data || !dataSizes || !attributes || !numAttributes)
		return hd_cudart_return(cudaErrorInvalidValue);
	for (size_t i = 0; i < numAttributes; i++)
		HD_TRY(range_attribute(cudart, data[i], dataSizes[i], attributes[i], devPtr, count));
	return cudaSuccess;
}
