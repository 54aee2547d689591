// NCCL with its one rank, as programs use it: collectives between kernels of a stream, groups, sends to itself.
#include <nccl.h>

#include <cstdio>
#include <cstdlib>

#define DEMAND(x) ((x) ? (void)0 : (printf("line %d: wrong: %s\n", __LINE__, #x), exit(1)))
#define OK(x) DEMAND((x) == ncclSuccess)

__global__ void add(float *x, float value) { x[threadIdx.x] += value; }

static float first_of(const float *x)
{
	float value;
	cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost);
	return value;
}

int main()
{
	ncclUniqueId id;
	ncclComm_t comm, many[2];
	int count, rank, device, version;
	float *x, *y;
	cudaStream_t stream, other;
	cudaStreamCreate(&stream);
	cudaStreamCreate(&other);
	cudaMalloc(&x, 32 * sizeof *x);
	cudaMalloc(&y, 32 * sizeof *y);
	cudaMemset(x, 0, 32 * sizeof *x);
	cudaMemset(y, 0, 32 * sizeof *y);
	OK(ncclGetVersion(&version));
	OK(ncclGetUniqueId(&id));
	DEMAND(ncclCommInitAll(many, 2, nullptr) == ncclInvalidArgument && ncclCommInitRank(&comm, 1, id, 1) == ncclInvalidArgument);
	OK(ncclCommInitRank(&comm, 1, id, 0));
	OK(ncclCommCount(comm, &count));
	OK(ncclCommUserRank(comm, &rank));
	OK(ncclCommCuDevice(comm, &device));
	DEMAND(version == 21903 && count == 1 && rank == 0 && device == 0);
	add<<<1, 32, 0, stream>>>(x, 1);
	OK(ncclAllReduce(x, y, 32, ncclFloat, ncclSum, comm, stream)); // y = 1
	add<<<1, 32, 0, stream>>>(y, 2);
	OK(ncclAllReduce(y, y, 32, ncclFloat, ncclAvg, comm, stream));
	OK(ncclGroupStart());
	OK(ncclBroadcast(y, x, 32, ncclFloat, 0, comm, stream)); // x = 3
	OK(ncclReduceScatter(x, x, 32, ncclFloat, ncclMax, comm, stream));
	OK(ncclGroupEnd());
	add<<<1, 32, 0, stream>>>(x, 4);
	OK(ncclAllGather(x, y, 31, ncclFloat, comm, stream)); // y = 7, but for the last
	cudaStreamSynchronize(stream);
	DEMAND(first_of(y) == 7 && first_of(y + 30) == 7 && first_of(y + 31) == 3);
	add<<<1, 32, 0, stream>>>(x, 1);
	OK(ncclGroupStart());
	OK(ncclSend(x, 32, ncclFloat, 0, comm, stream));
	OK(ncclRecv(y, 32, ncclFloat, 0, comm, other)); // y = 8, after the kernel of the sender's stream
	OK(ncclGroupEnd());
	cudaStreamSynchronize(other);
	DEMAND(first_of(y + 31) == 8);
	DEMAND(ncclSend(x, 32, ncclFloat, 0, comm, stream) == ncclInvalidUsage && ncclGetLastError(comm)[0]);
	DEMAND(ncclReduce(x, y, 1, ncclFloat, ncclSum, 1, comm, stream) == ncclInvalidArgument);
	DEMAND(ncclAllReduce(x, y, 1, ncclNumTypes, ncclSum, comm, stream) == ncclInvalidArgument);
	OK(ncclBcast(y, 32, ncclFloat, 0, comm, other)); // nothing moves
	DEMAND(ncclBcast(y, 32, ncclFloat, 1, comm, other) == ncclInvalidArgument);
	cudaStreamSynchronize(other);
	DEMAND(first_of(y) == 8 && first_of(y + 31) == 8);
	OK(ncclAllReduce(nullptr, nullptr, 0, ncclFloat, ncclSum, comm, stream));
	OK(ncclCommDestroy(comm));
	printf("nccl: PASSED\n");
}
