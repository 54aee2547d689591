/*
 * The call graph of a unit's machine code (CARS III-A needs it; nvlink prints the same).
 * Nodes are hd_object.functions; calls to other modules are sites without an edge.
 */
#ifndef HD_PASSES_ANALYSIS_CALLGRAPH_H
#define HD_PASSES_ANALYSIS_CALLGRAPH_H

#include <stdio.h>

#include "heddle/facts.h"
#include "heddle/object.h"
#include "passes/graph/graph.h"

struct hd_call_site {
	uint32_t function, inst; /* caller, and the call's index in it */
	enum hd_call_kind kind;
	uint32_t *callees; /* functions, ascending; indirect: every function that it may reach */
	uint32_t callee_count;
	const char *external; /* direct call of a function of another module: its name */
	bool unknown;	      /* functions that this module does not have may be called */
	bool recursive;	      /* some callee is in the caller's component */
	bool helper;	      /* no call of the program (heddle/object.h) */
};

struct hd_callgraph {
	struct hd_graph graph;	    /* entry: HD_NO_NODE */
	struct hd_call_site *sites; /* by function, then instruction */
	uint32_t site_count;
	uint32_t *site_start;		      /* sites of function f: site_start[f] .. site_start[f + 1] */
	uint32_t *component, component_count; /* callees first */
	bool *recursive;		      /* the function is in a cycle */
	bool *address_taken;
};

/*
 * What an indirect site may call, by type: `type_of_function` has an entry a function, and
 * `type_of_site` gives the same kind of id for a site's instruction, or 0 when it cannot tell
 * (then every function whose address is taken is possible).
 */
struct hd_call_types {
	const uint64_t *type_of_function;
	uint64_t (*type_of_site)(void *context, uint32_t function, uint32_t inst);
	void *context;
};

/* `open`: other modules may be linked in, so no indirect site's set is complete. */
void hd_callgraph_compute(struct hd_callgraph *calls, const struct hd_object *object, const struct hd_call_types *types,
			  bool open, struct hd_arena *arena);
/* Functions in the order of calls: callees before their callers, or callers first. Members of a cycle stand together,
 * by number. Linear. In the arena. */
uint32_t *hd_callgraph_order(const struct hd_callgraph *calls, uint32_t count, bool callers_first,
			     struct hd_arena *arena);
/*
 * Sums over each function and all that it may call, each counted once; library functions for arithmetic are left out.
 * `own` has `width` numbers a function, as the result, which is in the arena. Linear in what each function reaches.
 */
uint32_t *hd_callgraph_sums(const struct hd_callgraph *calls, uint32_t count, const uint32_t *own, uint32_t width,
			    struct hd_arena *arena);

#endif
