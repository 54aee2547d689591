/* cooperative_groups::cluster_group: a sum over the blocks of a cluster, and what a thread can ask. */
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4, 2, 1) sums(int *out, int *asked)
{
    __shared__ int part[64];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned thread = threadIdx.x;
    part[thread] = (int)(cluster.block_rank() * 100 + thread);
    auto token = cluster.barrier_arrive();
    int *first = cluster.map_shared_rank(part, 0);
    cluster.barrier_wait(static_cast<decltype(token) &&>(token));
    int sum = 0;
    for (unsigned rank = 0; rank < cluster.num_blocks(); rank++)
        sum += cluster.map_shared_rank(part, (int)rank)[thread];
    cluster.sync();
    if (cluster.block_rank())
        atomicAdd(&first[thread], sum);
    cluster.sync();
    unsigned block = blockIdx.x + gridDim.x * blockIdx.y;
    if (cluster.block_rank() == 0)
        out[block * 64 + thread] = part[thread];
    dim3 index = cluster.thread_index(), blocks = cluster.dim_blocks(), threads = cluster.dim_threads();
    bool good = index.x == cluster.block_index().x * 64 + thread && index.y == cluster.block_index().y;
    good = good && blocks.x == 4 && blocks.y == 2 && blocks.z == 1 && threads.x == 256 && threads.y == 2;
    good = good && cluster.num_threads() == 512 && cluster.thread_rank() == cluster.block_rank() * 64 + thread;
    good = good && cluster.query_shared_rank(cluster.map_shared_rank(part, 5)) == 5;
    good = good && cluster.query_shared_rank(part) == cluster.block_rank() && __isClusterShared(first) &&
           __clusterDimIsSpecified() && __clusterGridDimInClusters().x == 2 && __clusterIdx().x == blockIdx.x / 4;
    atomicAdd(asked, good);
}

int main()
{
    int *out, *asked, wrong = 0;
    cudaMallocManaged(&out, 16 * 64 * sizeof *out);
    cudaMallocManaged(&asked, sizeof *asked);
    *asked = 0;
    sums<<<dim3(8, 2), 64>>>(out, asked);
    cudaDeviceSynchronize();
    for (int c = 0; c < 2; c++)
        for (int t = 0; t < 64; t++) /* 2800 + 8 t of each of seven blocks, and t of rank 0 */
            wrong += out[c * 4 * 64 + t] != 7 * (2800 + 8 * t) + t;
    wrong += *asked != 16 * 64;
    printf("cluster groups: %d wrong\n", wrong);
    return wrong != 0;
}
