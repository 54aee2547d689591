/*
 * NCCL with one rank. What a rank alone reduces, gathers or scatters is its own data, so that a collective is a copy in the
 * stream's order, or nothing in place. A send and a receive of the rank with itself meet in a group, in their order.
 */
#pragma GCC visibility push(default)
#include <nccl.h>
#pragma GCC visibility pop

#include <cstdio>
#include <deque>
#include <new>
#include <string>

struct ncclComm {
	int device;
};

namespace {

/* What a thread has begun: NCCL's groups are a thread's own. */
struct transfer {
	ncclComm *comm;
	const void *from;
	void *to;
	size_t bytes;
	cudaStream_t stream;
};

struct group {
	int depth = 0;
	std::deque<transfer> sends, receives;
	std::string last_error;
};

group &here()
{
	static thread_local group group;
	return group;
}

ncclResult_t refuse(ncclResult_t result, const char *why)
{
	here().last_error = why;
	return result;
}

size_t size_of(ncclDataType_t type)
{
	static const size_t sizes[] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2};
	return type >= 0 && type < ncclNumTypes ? sizes[type] : 0;
}

ncclResult_t result_of(cudaError_t error)
{
	return error == cudaSuccess ? ncclSuccess : refuse(ncclUnhandledCudaError, cudaGetErrorString(error));
}

ncclResult_t copy(const void *from, void *to, size_t count, ncclDataType_t type, int root, ncclComm_t comm,
		  cudaStream_t stream)
{
	size_t size = size_of(type);
	if (!comm || !size || root != 0)
		return refuse(ncclInvalidArgument, !comm ? "no communicator" : !size ? "no data type" : "the only rank is 0");
	if (!count || from == to)
		return ncclSuccess;
	if (!from || !to)
		return refuse(ncclInvalidArgument, "no buffer");
	return result_of(cudaMemcpyAsync(to, from, count * size, cudaMemcpyDeviceToDevice, stream));
}

ncclResult_t reduce(const void *from, void *to, size_t count, ncclDataType_t type, ncclRedOp_t op, int root,
		    ncclComm_t comm, cudaStream_t stream)
{
	if (op < 0 || op >= ncclNumOps)
		return refuse(ncclInvalidArgument, "no reduction operation");
	return copy(from, to, count, type, root, comm, stream);
}

/* The first send goes to the first receive of its communicator. */
/* What is submitted to `later` from now on runs behind what `earlier` has. */
ncclResult_t follow(cudaStream_t later, cudaStream_t earlier)
{
	cudaEvent_t event;
	cudaError_t error = cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
	if (error != cudaSuccess)
		return result_of(error);
	error = cudaEventRecord(event, earlier);
	if (error == cudaSuccess)
		error = cudaStreamWaitEvent(later, event, 0);
	cudaEventDestroy(event);
	return result_of(error);
}

ncclResult_t meet(group &group)
{
	ncclResult_t result = ncclSuccess;
	while (!group.sends.empty() && result == ncclSuccess) {
		transfer send = group.sends.front();
		auto receive = group.receives.begin();
		while (receive != group.receives.end() && receive->comm != send.comm)
			++receive;
		if (receive == group.receives.end() || receive->bytes < send.bytes)
			break;
		if (receive->stream != send.stream)
			result = follow(receive->stream, send.stream);
		if (result == ncclSuccess && send.bytes)
			result = result_of(cudaMemcpyAsync(receive->to, send.from, send.bytes, cudaMemcpyDeviceToDevice,
							   receive->stream));
		if (result == ncclSuccess && receive->stream != send.stream)
			result = follow(send.stream, receive->stream); /* what comes behind the send may write there */
		group.receives.erase(receive);
		group.sends.pop_front();
	}
	bool alone = !group.sends.empty() || !group.receives.empty();
	group.sends.clear();
	group.receives.clear();
	if (result == ncclSuccess && alone)
		return refuse(ncclInvalidUsage, "a send or receive of the only rank has no partner in its group");
	return result;
}

ncclResult_t begin(bool sends, const void *buffer, size_t count, ncclDataType_t type, int peer, ncclComm_t comm,
		   cudaStream_t stream)
{
	if (!comm || !size_of(type) || peer != 0 || (count && !buffer))
		return refuse(ncclInvalidArgument, peer ? "the only rank is 0" : "no communicator, data type or buffer");
	group &group = here();
	(sends ? group.sends : group.receives)
		.push_back({comm, buffer, const_cast<void *>(buffer), count * size_of(type), stream});
	return group.depth ? ncclSuccess : meet(group);
}

} // namespace

extern "C" {

ncclResult_t ncclGetVersion(int *version)
{
	if (!version)
		return ncclInvalidArgument;
	*version = NCCL_VERSION_CODE;
	return ncclSuccess;
}

const char *ncclGetErrorString(ncclResult_t result)
{
	static const char *const texts[] = {"no error",	       "unhandled cuda error", "unhandled system error",
					    "internal error",  "invalid argument",     "invalid usage",
					    "remote process exited or there was a network error", "in progress"};
	return result >= 0 && result < ncclNumResults ? texts[result] : "unknown result code";
}

const char *ncclGetLastError(ncclComm_t)
{
	return here().last_error.c_str();
}

ncclResult_t ncclGetUniqueId(ncclUniqueId *uniqueId)
{
	if (!uniqueId)
		return ncclInvalidArgument;
	*uniqueId = ncclUniqueId{};
	snprintf(uniqueId->internal, sizeof uniqueId->internal, "heddle");
	return ncclSuccess;
}

ncclResult_t ncclCommInitRank(ncclComm_t *comm, int nranks, ncclUniqueId, int rank)
{
	int device;
	if (!comm || nranks < 1 || rank < 0 || rank >= nranks)
		return refuse(ncclInvalidArgument, "no communicator, or no such rank");
	if (nranks > 1) {
		fprintf(stderr, "heddle: error: NCCL has one rank, and %d are asked for\n", nranks);
		return refuse(ncclInvalidArgument, "there is one rank");
	}
	ncclResult_t result = result_of(cudaGetDevice(&device));
	if (result == ncclSuccess)
		*comm = new ncclComm{device};
	return result;
}

ncclResult_t ncclCommInitRankConfig(ncclComm_t *comm, int nranks, ncclUniqueId commId, int rank, ncclConfig_t *)
{
	return ncclCommInitRank(comm, nranks, commId, rank);
}

ncclResult_t ncclCommInitAll(ncclComm_t *comm, int ndev, const int *devlist)
{
	if (devlist && ndev == 1 && devlist[0] != 0)
		return refuse(ncclInvalidArgument, "the only device is 0");
	return ncclCommInitRank(comm, ndev, ncclUniqueId{}, 0);
}

ncclResult_t ncclCommDestroy(ncclComm_t comm)
{
	delete comm;
	return ncclSuccess;
}

ncclResult_t ncclCommAbort(ncclComm_t comm)
{
	return ncclCommDestroy(comm);
}

ncclResult_t ncclCommFinalize(ncclComm_t comm)
{
	return comm ? ncclSuccess : ncclInvalidArgument;
}

ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *asyncError)
{
	if (!comm || !asyncError)
		return ncclInvalidArgument;
	*asyncError = ncclSuccess;
	return ncclSuccess;
}

#define HD_NCCL_GET(name, value)                                                                                       \
	ncclResult_t name(const ncclComm_t comm, int *to)                                                              \
	{                                                                                                              \
		if (!comm || !to)                                                                                      \
			return ncclInvalidArgument;                                                                    \
		*to = value;                                                                                           \
		return ncclSuccess;                                                                                    \
	}
HD_NCCL_GET(ncclCommCount, 1)
HD_NCCL_GET(ncclCommCuDevice, comm->device)
HD_NCCL_GET(ncclCommUserRank, 0)

ncclResult_t ncclReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
			int root, ncclComm_t comm, cudaStream_t stream)
{
	return reduce(sendbuff, recvbuff, count, datatype, op, root, comm, stream);
}

ncclResult_t ncclBcast(void *buff, size_t count, ncclDataType_t datatype, int root, ncclComm_t comm,
		       cudaStream_t stream)
{
	return copy(buff, buff, count, datatype, root, comm, stream);
}

ncclResult_t ncclBroadcast(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, int root,
			   ncclComm_t comm, cudaStream_t stream)
{
	return copy(sendbuff, recvbuff, count, datatype, root, comm, stream);
}

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
			   ncclComm_t comm, cudaStream_t stream)
{
	return reduce(sendbuff, recvbuff, count, datatype, op, 0, comm, stream);
}

ncclResult_t ncclReduceScatter(const void *sendbuff, void *recvbuff, size_t recvcount, ncclDataType_t datatype,
			       ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream)
{
	return reduce(sendbuff, recvbuff, recvcount, datatype, op, 0, comm, stream);
}

ncclResult_t ncclAllGather(const void *sendbuff, void *recvbuff, size_t sendcount, ncclDataType_t datatype,
			   ncclComm_t comm, cudaStream_t stream)
{
	return copy(sendbuff, recvbuff, sendcount, datatype, 0, comm, stream);
}

ncclResult_t ncclSend(const void *sendbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm,
		      cudaStream_t stream)
{
	return begin(true, sendbuff, count, datatype, peer, comm, stream);
}

ncclResult_t ncclRecv(void *recvbuff, size_t count, ncclDataType_t datatype, int peer, ncclComm_t comm,
		      cudaStream_t stream)
{
	return begin(false, recvbuff, count, datatype, peer, comm, stream);
}

ncclResult_t ncclGroupStart(void)
{
	here().depth++;
	return ncclSuccess;
}

ncclResult_t ncclGroupEnd(void)
{
	group &group = here();
	if (!group.depth)
		return refuse(ncclInvalidUsage, "ncclGroupEnd without ncclGroupStart");
	return --group.depth ? ncclSuccess : meet(group);
}

} // extern "C"
