/* Functions of CUDA 12's runtime as they were, for the run of the test on a card with CUDA 13. */
#ifndef API_CUDA13_H
#define API_CUDA13_H

static cudaError_t was_cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *from, size_t count,
                                        cudaGraphNodeParams *params)
{
    return cudaGraphAddNode(node, graph, from, NULL, count, params);
}
static cudaError_t was_cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                                size_t count)
{
    return cudaGraphAddDependencies(graph, from, to, NULL, count);
}
static cudaError_t was_cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from,
                                                   const cudaGraphNode_t *to, size_t count)
{
    return cudaGraphRemoveDependencies(graph, from, to, NULL, count);
}
static cudaError_t was_cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, size_t *count)
{
    return cudaGraphGetEdges(graph, from, to, NULL, count);
}
static cudaError_t was_cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    return cudaGraphNodeGetDependencies(node, nodes, NULL, count);
}
static cudaError_t was_cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, size_t *count)
{
    return cudaGraphNodeGetDependentNodes(node, nodes, NULL, count);
}
static cudaError_t was_cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus *status,
                                                unsigned long long *id, cudaGraph_t *graph, const cudaGraphNode_t **nodes,
                                                size_t *count)
{
    return cudaStreamGetCaptureInfo(stream, status, id, graph, nodes, NULL, count);
}
static cudaError_t was_cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *nodes, size_t count,
                                                           unsigned flags)
{
    return cudaStreamUpdateCaptureDependencies(stream, nodes, NULL, count, flags);
}
static cudaMemLocation location_of(int device)
{
    cudaMemLocation location = {device < 0 ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice, device < 0 ? 0 : device};
    return location;
}
static cudaError_t was_cudaMemPrefetchAsync(const void *memory, size_t count, int device, cudaStream_t stream)
{
    return cudaMemPrefetchAsync(memory, count, location_of(device), 0, stream);
}
static cudaError_t was_cudaMemAdvise(const void *memory, size_t count, cudaMemoryAdvise advice, int device)
{
    return cudaMemAdvise(memory, count, advice, location_of(device));
}

#endif
