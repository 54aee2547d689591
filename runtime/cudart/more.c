/*
 * Rarer functions of the runtime API: copies between arrays and memory in streams, questions about kernels, parameters
 * of any node.
 */
#include "heddle/figures.h"
#include "runtime/cudart/array.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/handles.h"

cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags)
{
	if (device)
		return hd_cudart_return(cudaErrorInvalidDevice);
	if (flags & cudaInitDeviceFlagsAreValid)
		HD_TRY(cudaSetDeviceFlags(deviceFlags));
	HD_CUDART(cudart);
	return hd_cudart_return(hd_cudart_start(cudart));
}

cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *maxWidthInElements,
						 const struct cudaChannelFormatDesc *fmtDesc, int device)
{
	int channels, bits, most;
	if (!maxWidthInElements || !fmtDesc || !hd_cudart_format(fmtDesc, &channels, &bits))
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(cudaDeviceGetAttribute(&most, cudaDevAttrMaxTexture1DLinearWidth, device));
	*maxWidthInElements = (size_t)most;
	return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *func)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	struct hd_kernel *kernel = hd_cudart_kernel(cudart, func);
	if (!name || !kernel)
		return hd_cudart_return(name ? hd_cudart_no_kernel(func) : cudaErrorInvalidValue);
	*name = hd_kernel_name(kernel);
	return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
	HD_CUDART(cudart);
	HD_TRY(hd_cudart_start(cudart));
	struct hd_kernel *kernel = hd_cudart_kernel(cudart, func);
	if (!kernel)
		return hd_cudart_return(hd_cudart_no_kernel(func));
	const struct hd_meta_function *meta = hd_kernel_metadata(kernel);
	if (!paramOffset || paramIndex >= meta->param_count)
		return hd_cudart_return(cudaErrorInvalidValue);
	*paramOffset = meta->params[paramIndex].offset;
	if (paramSize)
		*paramSize = meta->params[paramIndex].bytes;
	return cudaSuccess;
}

cudaError_t cudaGetKernel(cudaKernel_t *kernelPtr, const void *entryFuncAddr)
{
	return cudaGetFuncBySymbol((cudaFunction_t *)kernelPtr, entryFuncAddr);
}

cudaError_t cudaStreamGetDevice(cudaStream_t hStream, int *device)
{
	HD_VALID_APART(STREAM, hStream);
	(void)hStream;
	return device ? cudaGetDevice(device) : hd_cudart_return(cudaErrorInvalidValue);
}

/* ------------------------------------------------------------ arrays */

/* Rows of an array and of memory, each way; offset and width are in bytes, and of whole elements. */
static cudaError_t copy_rows(const struct cudaArray *array, size_t x, size_t y, const void *memory, size_t pitch,
			     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream, bool to_array)
{
	size_t bytes = array ? hd_cudart_element_bytes(array) : 1;
	if (width > pitch)
		return hd_cudart_return(cudaErrorInvalidPitchValue);
	struct cudaMemcpy3DParms p = {.extent = {width / bytes, height, 1}, .kind = kind};
	struct cudaPitchedPtr rows = {(void *)(uintptr_t)memory, pitch, width, height};
	if (!array || !memory || x % bytes || width % bytes)
		return hd_cudart_return(cudaErrorInvalidValue);
	*(to_array ? &p.dstArray : &p.srcArray) = (cudaArray_t)(uintptr_t)array;
	*(to_array ? &p.dstPos : &p.srcPos) = (struct cudaPos){x / bytes, y, 0};
	*(to_array ? &p.srcPtr : &p.dstPtr) = rows;
	return cudaMemcpy3DAsync(&p, stream);
}

cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
				     size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	HD_VALID_APART(ARRAY, dst);
	HD_VALID_APART(STREAM, stream);
	return copy_rows(dst, wOffset, hOffset, src, spitch, width, height, kind, stream, true);
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
				       size_t width, size_t height, enum cudaMemcpyKind kind, cudaStream_t stream)
{
	HD_VALID_APART(ARRAY, src);
	HD_VALID_APART(STREAM, stream);
	return copy_rows(src, wOffset, hOffset, dst, dpitch, width, height, kind, stream, false);
}

/* `count` bytes from a place on, row after row. */
static cudaError_t copy_run(const struct cudaArray *array, size_t x, size_t y, const char *memory, size_t count,
			    enum cudaMemcpyKind kind, cudaStream_t stream, bool to_array)
{
	size_t row = array ? array->extent.width * hd_cudart_element_bytes(array) : 0;
	if (!memory || x >= row)
		return hd_cudart_return(cudaErrorInvalidValue);
	for (; count; x = 0, y++) {
		size_t width = count < row - x ? count : row - x;
		HD_TRY(copy_rows(array, x, y, memory, width, width, 1, kind, stream, to_array));
		memory += width;
		count -= width;
	}
	return cudaSuccess;
}

cudaError_t cudaMemcpyToArrayAsync(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
				   enum cudaMemcpyKind kind, cudaStream_t stream)
{
	HD_VALID_APART(ARRAY, dst);
	HD_VALID_APART(STREAM, stream);
	return copy_run(dst, wOffset, hOffset, src, count, kind, stream, true);
}

cudaError_t cudaMemcpyFromArrayAsync(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
				     enum cudaMemcpyKind kind, cudaStream_t stream)
{
	HD_VALID_APART(ARRAY, src);
	HD_VALID_APART(STREAM, stream);
	return copy_run(src, wOffset, hOffset, dst, count, kind, stream, false);
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p)
{
	return cudaMemcpy3DPeerAsync(p, NULL);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream)
{
	HD_VALID_APART(STREAM, stream);
	if (!p || p->srcDevice || p->dstDevice)
		return hd_cudart_return(p ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
	const struct cudaMemcpy3DParms copy = {
		.srcArray = p->srcArray,
		.srcPos = p->srcPos,
		.srcPtr = p->srcPtr,
		.dstArray = p->dstArray,
		.dstPos = p->dstPos,
		.dstPtr = p->dstPtr,
		.extent = p->extent,
		.kind = cudaMemcpyDefault,
	};
	return cudaMemcpy3DAsync(&copy, stream);
}

/* ------------------------------------------------------------ nodes of graphs */

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *nodeParams)
{
	HD_VALID_APART(NODE, node);
	if (!nodeParams)
		return hd_cudart_return(cudaErrorInvalidValue);
	switch (nodeParams->type) {
	case cudaGraphNodeTypeKernel: return cudaGraphKernelNodeSetParams(node, &nodeParams->kernel);
	case cudaGraphNodeTypeMemcpy: return cudaGraphMemcpyNodeSetParams(node, &nodeParams->memcpy.copyParams);
	case cudaGraphNodeTypeMemset: return cudaGraphMemsetNodeSetParams(node, &nodeParams->memset);
	case cudaGraphNodeTypeHost: return cudaGraphHostNodeSetParams(node, &nodeParams->host);
	case cudaGraphNodeTypeEventRecord: return cudaGraphEventRecordNodeSetEvent(node, nodeParams->eventRecord.event);
	case cudaGraphNodeTypeWaitEvent: return cudaGraphEventWaitNodeSetEvent(node, nodeParams->eventWait.event);
	default: return hd_cudart_return(cudaErrorNotSupported);
	}
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t graphExec, cudaGraphNode_t node,
				       struct cudaGraphNodeParams *nodeParams)
{
	HD_VALID_APART(EXEC, graphExec);
	HD_VALID_APART(NODE, node);
	if (!nodeParams)
		return hd_cudart_return(cudaErrorInvalidValue);
	switch (nodeParams->type) {
	case cudaGraphNodeTypeKernel: return cudaGraphExecKernelNodeSetParams(graphExec, node, &nodeParams->kernel);
	case cudaGraphNodeTypeMemcpy:
		return cudaGraphExecMemcpyNodeSetParams(graphExec, node, &nodeParams->memcpy.copyParams);
	case cudaGraphNodeTypeMemset: return cudaGraphExecMemsetNodeSetParams(graphExec, node, &nodeParams->memset);
	case cudaGraphNodeTypeHost: return cudaGraphExecHostNodeSetParams(graphExec, node, &nodeParams->host);
	case cudaGraphNodeTypeGraph:
		return cudaGraphExecChildGraphNodeSetParams(graphExec, node, nodeParams->graph.graph);
	case cudaGraphNodeTypeEventRecord:
		return cudaGraphExecEventRecordNodeSetEvent(graphExec, node, nodeParams->eventRecord.event);
	case cudaGraphNodeTypeWaitEvent:
		return cudaGraphExecEventWaitNodeSetEvent(graphExec, node, nodeParams->eventWait.event);
	default: return hd_cudart_return(cudaErrorNotSupported);
	}
}

/* A place in a device variable. */
static cudaError_t place_in(const void *symbol, size_t offset, size_t count, char **place)
{
	size_t size;
	HD_TRY(cudaGetSymbolSize(&size, symbol));
	if (offset > size || count > size - offset)
		return hd_cudart_return(cudaErrorInvalidValue);
	HD_TRY(cudaGetSymbolAddress((void **)place, symbol));
	*place += offset;
	return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *src,
						 size_t count, size_t offset, enum cudaMemcpyKind kind)
{
	HD_VALID_APART(NODE, node);
	char *place;
	HD_TRY(place_in(symbol, offset, count, &place));
	return cudaGraphMemcpyNodeSetParams1D(node, place, src, count, kind);
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *dst, const void *symbol, size_t count,
						   size_t offset, enum cudaMemcpyKind kind)
{
	HD_VALID_APART(NODE, node);
	char *place;
	HD_TRY(place_in(symbol, offset, count, &place));
	return cudaGraphMemcpyNodeSetParams1D(node, dst, place, count, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
						     const void *symbol, const void *src, size_t count, size_t offset,
						     enum cudaMemcpyKind kind)
{
	HD_VALID_APART(EXEC, hGraphExec);
	HD_VALID_APART(NODE, node);
	char *place;
	HD_TRY(place_in(symbol, offset, count, &place));
	return cudaGraphExecMemcpyNodeSetParams1D(hGraphExec, node, place, src, count, kind);
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void *dst,
						       const void *symbol, size_t count, size_t offset,
						       enum cudaMemcpyKind kind)
{
	HD_VALID_APART(EXEC, hGraphExec);
	HD_VALID_APART(NODE, node);
	char *place;
	HD_TRY(place_in(symbol, offset, count, &place));
	return cudaGraphExecMemcpyNodeSetParams1D(hGraphExec, node, dst, place, count, kind);
}

/* Memory of graphs goes with their last node: there is nothing more to give back. */
cudaError_t cudaDeviceGraphMemTrim(int device)
{
	return hd_cudart_return(device ? cudaErrorInvalidDevice : cudaSuccess);
}
