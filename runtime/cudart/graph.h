/*
 * CUDA graphs: nodes with what they do and what they wait for. An executable graph is a copy of the graph that it was
 * made from; its nodes know theirs.
 */
#ifndef HD_RUNTIME_CUDART_GRAPH_H
#define HD_RUNTIME_CUDART_GRAPH_H

#include "runtime/cudart/stream.h"

/* A stream's write of a word, or its wait for one (stream_values.c); its node has the driver API's number of them. */
struct hd_stream_value {
	uint64_t address, value;
	unsigned flags;
	bool writes, wide; /* wide: 64 bits */
};
#define HD_NODE_VALUE ((enum cudaGraphNodeType)12)

struct CUgraphNode_st {
	enum cudaGraphNodeType type;
	cudaGraph_t graph;
	cudaGraphNode_t original; /* the node that this one was copied from; NULL */
	hd_nodes needs;
	bool disabled;			/* of an executable graph */
	struct hd_graph_memory *memory; /* that it allocates; NULL */
	union {
		struct {
			const void *func;
			struct hd_kernel *kernel;
			dim3 grid, block;
			size_t shared;
			struct hd_launch_how how;
			int priority; /* this and the window: attributes, which are remembered */
			struct cudaAccessPolicyWindow window;
			uint8_t *params; /* laid out as the kernel has them; owned */
			void **args;	 /* into params; owned */
		} kernel;
		struct cudaMemcpy3DParms copy;
		struct cudaMemsetParams set;
		struct {
			cudaHostFn_t fn;
			cudaStreamCallback_t callback; /* in fn's place */
			void *data;
			cudaStream_t stream; /* of the callback */
		} host;
		cudaGraph_t child; /* owned */
		cudaEvent_t event;
		struct cudaMemAllocNodeParams alloc;
		void *freed;
		struct hd_stream_value value;
	} u;
};

/* References to a user object that a graph holds. */
struct hd_user_reference {
	cudaUserObject_t object;
	uint64_t count;
};

struct CUgraph_st {
	hd_nodes nodes; /* in the order of their making */
	HD_VEC(struct hd_user_reference) objects;
	bool owned; /* by a node, an executable graph or a capture, with which it goes */
};

struct CUgraphExec_st {
	struct CUgraph_st *graph;
	unsigned long long flags;
};

cudaGraph_t hd_graph_new(void);
void hd_graph_free(cudaGraph_t graph);
cudaGraph_t hd_graph_copy(cudaGraph_t graph);
/* A copy that goes with what has it. */
cudaGraph_t hd_graph_own(cudaGraph_t graph);
cudaGraphNode_t hd_graph_add(cudaGraph_t graph, enum cudaGraphNodeType type, const cudaGraphNode_t *needs,
			     size_t count);
/* Frees what a node owns and copies what `from`, of the same type, has. */
void hd_graph_take(cudaGraphNode_t node, cudaGraphNode_t from);
void hd_graph_drop_contents(cudaGraphNode_t node);
/* The nodes, each behind what it needs, otherwise in the order of their making. False: they wait for each other. */
bool hd_graph_order(cudaGraph_t graph, hd_nodes *order);
/* Whether `node` waits for `other`, also by way of others. */
bool hd_graph_waits_for(cudaGraphNode_t node, cudaGraphNode_t other);

/* user_object.c: a copy of a graph holds as many references as the graph; one that ends gives its own back. */
void hd_graph_copy_references(cudaGraph_t copy, const struct CUgraph_st *graph);
void hd_graph_release_references(cudaGraph_t graph);

/*
 * graph_memory.c: memory that nodes allocate. `hold` and `drop` count nodes, of graphs, executable ones and launches.
 */
cudaError_t hd_graph_memory_new(struct hd_cudart *cudart, cudaGraphNode_t node, void **pointer, size_t bytes);
void hd_graph_memory_hold(struct hd_graph_memory *memory);
void hd_graph_memory_drop(struct hd_graph_memory *memory);
/* After nodes have gone: frees what no graph can use again. What the program has not freed is then like any other. */
void hd_graph_memory_sweep(struct hd_cudart *cudart);
/* Whether a graph allocates or frees: CUDA neither clones it nor makes it another's child. */
bool hd_graph_has_memory(cudaGraph_t graph);
/* Whether the graph's memory is in an executable graph already. */
bool hd_graph_memory_taken(cudaGraph_t graph);
void hd_graph_memory_take(cudaGraph_t graph, bool taken);
/* Before a launch: whether it may allocate and free what it does. From now on the program may use the memory. */
cudaError_t hd_graph_memory_launch(struct hd_cudart *cudart, cudaGraph_t graph, bool frees_first);
/* The turn of a node that allocates, and of one that frees. */
void hd_graph_memory_begin(struct hd_cudart *cudart, struct hd_graph_memory *memory);
void hd_graph_memory_end(struct hd_cudart *cudart, const void *pointer);

/* Fill in a node; the arguments of kernels are copied. */
cudaError_t hd_graph_set_kernel(struct hd_cudart *cudart, cudaGraphNode_t node,
				const struct cudaKernelNodeParams *params, const struct hd_launch_how *how);
void hd_graph_set_copy(cudaGraphNode_t node, void *to, size_t to_pitch, const void *from, size_t from_pitch,
		       size_t width, size_t height, enum cudaMemcpyKind kind);

/* stream_values.c: whether a wait has what it waits for, or is a write; doing it; and the message of one without end.
 */
bool hd_cudart_value_holds(struct hd_cudart *cudart, const struct hd_stream_value *value);
cudaError_t hd_cudart_run_value(struct hd_cudart *cudart, const struct hd_stream_value *value);
void hd_cudart_explain_value(struct hd_cudart *cudart, const struct hd_stream_value *value, uint64_t stream);

/* Runs a node, kernels to their end; and all nodes of a graph. Called with the context held, which is given back while
 * the program's own functions run. */
cudaError_t hd_graph_run_node(struct hd_cudart **cudart, cudaGraphNode_t node);
cudaError_t hd_graph_run(struct hd_cudart **cudart, cudaGraph_t graph);

#endif
