/*
 * The handles that the program holds: what was made and not destroyed. CUDA refuses every other value, so each function
 * of the API asks here before it looks behind one.
 */
#ifndef HD_RUNTIME_CUDART_HANDLES_H
#define HD_RUNTIME_CUDART_HANDLES_H

#include "runtime/cudart/context.h"

enum hd_handle_kind {
	HD_HANDLE_STREAM,
	HD_HANDLE_EVENT,
	HD_HANDLE_GRAPH,
	HD_HANDLE_NODE,
	HD_HANDLE_EXEC,
	HD_HANDLE_ARRAY,
	HD_HANDLE_MIPMAP,
	HD_HANDLE_POOL,
	HD_HANDLE_CONTEXT,
	HD_HANDLE_TEXREF,
	HD_HANDLE_GRAPH_MEMORY, /* the memory itself, from a node that allocates */
	HD_HANDLE_USER_OBJECT,
	HD_HANDLE_PHYSICAL /* memory without an address: virtual.c */
};

/* With the context held. */
void hd_handle_add(const void *handle, enum hd_handle_kind kind);
void hd_handle_drop(const void *handle);
/* The streams that are constants are always there; NULL is no other handle. */
bool hd_handle_lives(const void *handle, enum hd_handle_kind kind);
/* Those of a kind, in no order: for who destroys them all. The caller releases the list. */
struct hd_handles {
	HD_VEC(const void *) all;
};
void hd_handles_of(enum hd_handle_kind kind, struct hd_handles *list);
/* At exit: what the program has not destroyed. */
void hd_handles_release(void);

/* With the context held: cudaSuccess, or what CUDA calls a handle of the kind that is not there. */
cudaError_t hd_handle_check(const void *handle, enum hd_handle_kind kind);
/* Without it, for functions that do not hold it themselves. */
cudaError_t hd_handle_check_apart(const void *handle, enum hd_handle_kind kind);
/* With it, for a list of nodes, which may be absent where the function says so itself. */
cudaError_t hd_handle_check_nodes(const cudaGraphNode_t *nodes, size_t count);

/* At the head of an API function, behind HD_CUDART. */
#define HD_VALID(kind, handle) HD_TRY(hd_handle_check((handle), HD_HANDLE_##kind))
/* In one that calls others, which take the context. */
#define HD_VALID_APART(kind, handle) HD_TRY(hd_handle_check_apart((handle), HD_HANDLE_##kind))
#define HD_VALID_NODES(nodes, count) HD_TRY(hd_handle_check_nodes((nodes), (count)))
/* The same for an array that may be absent. */
#define HD_VALID_IF_ANY(kind, handle)            \
	do {                                     \
		if (handle)                      \
			HD_VALID(kind, handle);  \
	} while (0)

#endif
