/*
 * Clusters of blocks (sm_90), for the host half: what clang's headers define for device code of these architectures.
 */
#ifndef HEDDLE_CUDA_CLUSTER_H
#define HEDDLE_CUDA_CLUSTER_H

#ifndef __CUDA_ARCH__
__device__ unsigned __isCtaShared(const void *ptr);
__device__ unsigned __isClusterShared(const void *ptr);
__device__ void *__cluster_map_shared_rank(const void *ptr, unsigned rank);
__device__ unsigned __cluster_query_shared_rank(const void *ptr);
__device__ uint2 __cluster_map_shared_multicast(const void *ptr, unsigned cluster_cta_mask);
__device__ unsigned __clusterDimIsSpecified();
__device__ dim3 __clusterDim();
__device__ dim3 __clusterRelativeBlockIdx();
__device__ dim3 __clusterGridDimInClusters();
__device__ dim3 __clusterIdx();
__device__ unsigned __clusterRelativeBlockRank();
__device__ unsigned __clusterSizeInBlocks();
__device__ void __cluster_barrier_arrive();
__device__ void __cluster_barrier_arrive_relaxed();
__device__ void __cluster_barrier_wait();
__device__ void __threadfence_cluster();
#endif

#endif
