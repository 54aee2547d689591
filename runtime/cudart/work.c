/*
 * Work of streams that has not been done yet. What is submitted to a stream that the program made waits here, each
 * piece for the ones that it comes after: those of its stream, the events that the stream waits for, of a graph's
 * nodes their own needs. A piece whose needs are done is done at once, a kernel is given to the simulator, where it
 * runs beside those of other streams. Time passes only while the program waits, for a stream, an event or all.
 *
 * A kernel whose launch allows it (cudaLaunchAttributeProgrammaticStreamSerialization) is given to the simulator as
 * soon as the one that it needs is there, in the same stream of the simulator's, which knows when it may begin.
 *
 * The legacy stream and those of threads do what is submitted at once; the former waits for blocking streams first, as
 * CUDA has it. Copies to or from memory that is not pinned wait for their stream, as CUDA says they may.
 *
 * Cost: O(log pieces) a piece and need; O(pieces that can start or run) a look.
 */
#include "runtime/cudart/work.h"

#include <dirent.h>
#include <stdlib.h>
#include <time.h>

#include "runtime/cudart/array.h"
#include "runtime/cudart/graph.h"
#include "runtime/cudart/memory.h"

struct hd_work {
	uint64_t id, stream;
	int priority;
	bool blocking;	 /* of a stream that the legacy stream waits for */
	bool ordered;	 /* by its stream; nodes of graphs have their needs alone */
	bool started;	 /* submitted, or its function is running, or its graph's nodes are in the list */
	bool has_ticket; /* of the simulator */
	bool refused;	 /* programmatic, and could not go to the simulator ahead of its turn */
	uint64_t ticket;
	uint64_t last;		/* of a graph that has started: the piece after which it is done; 0 */
	cudaGraph_t graph;	/* owned: of `node` alone, or that which was launched; NULL: another piece's */
	cudaGraphNode_t node;	/* NULL: nothing is to be done */
	uint32_t open;		/* needs that are not done */
	HD_VEC(uint64_t) heirs; /* pieces that need this one */
};

/* ---- the list: in the order of ids, with places whose piece is done; and of pieces without open needs, in this order
 */

/* The place of a piece; NULL: it is done, and its place is gone. */
static struct hd_piece_place *place_of(const struct hd_cudart *cudart, uint64_t id)
{
	const struct hd_pieces *all = &cudart->work;
	uint32_t at;
	HD_BISECT(at, 0, all->places.len, all->places.data[at].id < id);
	return at < all->places.len && all->places.data[at].id == id ? &all->places.data[at] : NULL;
}

/* NULL: it is done, or `id` is 0. */
static struct hd_work *find(const struct hd_cudart *cudart, uint64_t id)
{
	const struct hd_piece_place *place = place_of(cudart, id);
	return place ? place->work : NULL;
}

static uint32_t place_among_free(const struct hd_cudart *cudart, uint64_t id)
{
	uint32_t at;
	HD_BISECT(at, 0, cudart->work.free.len, cudart->work.free.data[at]->id < id);
	return at;
}

static void set_free(struct hd_cudart *cudart, struct hd_work *work)
{
	hd_vec_insert(&cudart->work.free, place_among_free(cudart, work->id), work);
}

static void set_waiting(struct hd_cudart *cudart, const struct hd_work *work)
{
	hd_vec_remove(&cudart->work.free, place_among_free(cudart, work->id));
}

static bool is_done(const struct hd_cudart *cudart, uint64_t id)
{
	return !find(cudart, id);
}

static struct hd_work *add(struct hd_cudart *cudart, uint64_t stream, int priority, bool blocking)
{
	struct hd_work *work = hd_xcalloc(1, sizeof *work);
	work->id = ++cudart->next_id;
	work->stream = stream;
	work->priority = priority;
	work->blocking = blocking;
	hd_vec_push(&cudart->work.places, ((struct hd_piece_place){work->id, work}));
	cudart->work.count++;
	cudart->work.blocking += blocking;
	set_free(cudart, work);
	return work;
}

static void need(struct hd_cudart *cudart, struct hd_work *work, uint64_t id)
{
	struct hd_work *needed = find(cudart, id);
	if (!needed)
		return;
	hd_vec_push(&needed->heirs, work->id);
	if (!work->open++)
		set_waiting(cudart, work);
}

static void release(struct hd_work *work)
{
	hd_graph_free(work->graph);
	hd_vec_release(&work->heirs);
	free(work);
}

/* Places of pieces that are done stay until they are the most. */
static void drop_places(struct hd_pieces *all)
{
	uint32_t kept = 0;
	if (all->places.len < 2 * all->count + 16)
		return;
	for (uint32_t i = 0; i < all->places.len; i++)
		if (all->places.data[i].work)
			all->places.data[kept++] = all->places.data[i];
	all->places.len = kept;
}

static void remove_work(struct hd_cudart *cudart, uint64_t id)
{
	struct hd_pieces *all = &cudart->work;
	struct hd_piece_place *place = place_of(cudart, id);
	if (!place || !place->work) /* dropped, by a fault in a function of the program */
		return;
	struct hd_work *work = place->work;
	place->work = NULL;
	all->count--;
	all->blocking -= work->blocking;
	set_waiting(cudart, work);
	for (uint32_t i = 0; i < work->heirs.len; i++) {
		struct hd_work *heir = find(cudart, work->heirs.data[i]);
		if (heir && !--heir->open)
			set_free(cudart, heir);
	}
	release(work);
	drop_places(all);
}

void hd_cudart_drop_work(struct hd_cudart *cudart)
{
	struct hd_pieces *all = &cudart->work;
	for (uint32_t i = 0; i < all->places.len; i++)
		if (all->places.data[i].work)
			release(all->places.data[i].work);
	all->places.len = all->free.len = all->count = all->blocking = 0;
}

void hd_cudart_release_work(struct hd_cudart *cudart)
{
	hd_cudart_drop_work(cudart);
	hd_vec_release(&cudart->work.places);
	hd_vec_release(&cudart->work.free);
}

/* ---- submission */

bool hd_cudart_defers(cudaStream_t stream)
{
	return stream && stream != cudaStreamLegacy && stream != cudaStreamPerThread && !stream->capture;
}

static struct hd_work *append(struct hd_cudart *cudart, struct CUstream_st *stream)
{
	struct hd_work *work = add(cudart, stream->id, stream->priority, !(stream->flags & cudaStreamNonBlocking));
	need(cudart, work, stream->work);
	stream->work = work->id;
	return work;
}

static bool is_kernel(const struct hd_work *work)
{
	return work->node && !work->node->disabled && work->node->type == cudaGraphNodeTypeKernel;
}

static bool is_programmatic(const struct hd_work *work)
{
	return is_kernel(work) && work->node->u.kernel.how.programmatic && !work->refused;
}

/* What the piece is to do is known now. */
static void note_programmatic(struct hd_cudart *cudart, const struct hd_work *work)
{
	cudart->work.programmatic |= is_programmatic(work);
}

/* What the work is to do. */
static cudaGraphNode_t add_node(struct hd_work *work, enum cudaGraphNodeType type)
{
	work->graph = hd_graph_new();
	work->graph->owned = true;
	work->node = hd_graph_add(work->graph, type, NULL, 0);
	return work->node;
}

cudaGraphNode_t hd_cudart_defer(struct hd_cudart *cudart, cudaStream_t stream, enum cudaGraphNodeType type)
{
	return add_node(append(cudart, stream), type);
}

void hd_cudart_defer_event(struct hd_cudart *cudart, cudaStream_t stream, cudaEvent_t event)
{
	hd_cudart_defer(cudart, stream, cudaGraphNodeTypeEventRecord)->u.event = event;
	event->work = stream->work;
}

void hd_cudart_defer_wait(struct hd_cudart *cudart, cudaStream_t stream, cudaEvent_t event)
{
	if (!is_done(cudart, event->work))
		need(cudart, append(cudart, stream), event->work);
}

static bool is_pinned(struct hd_cudart *cudart, const void *address)
{
	return !address || hd_sim_owns(cudart->sim, (uintptr_t)address);
}

static cudaError_t check_kernel(struct hd_cudart *cudart, cudaGraphNode_t node)
{
	struct hd_launch launch;
	return hd_cudart_launch_of(cudart, node, &launch)
		       ? hd_cudart_refused(cudart, &launch, hd_sim_check(cudart->sim, &launch))
		       : cudaErrorInvalidValue;
}

cudaError_t hd_cudart_deferred(struct hd_cudart *cudart, cudaStream_t stream, cudaGraphNode_t node, cudaError_t filled)
{
	if (!hd_cudart_defers(stream))
		return filled;
	if (filled == cudaSuccess && node->type == cudaGraphNodeTypeKernel)
		filled = check_kernel(cudart, node);
	else if (filled == cudaSuccess && node->type == cudaGraphNodeTypeMemcpy)
		filled = hd_cudart_check_3d(cudart, &node->u.copy);
	struct hd_work *work = find(cudart, stream->work);
	if (filled != cudaSuccess) {
		work->node = NULL;
		return filled;
	}
	note_programmatic(cudart, work);
	if (node->type == cudaGraphNodeTypeMemcpy &&
	    !(is_pinned(cudart, node->u.copy.srcPtr.ptr) && is_pinned(cudart, node->u.copy.dstPtr.ptr)))
		return hd_cudart_wait(cudart, stream->work);
	return cudaSuccess;
}

/* ---- doing it */

/* Pieces for the nodes of a graph, each behind its needs; the one after all of them. */
static uint64_t expand(struct hd_cudart *cudart, const struct hd_work *whole, cudaGraph_t graph)
{
	hd_nodes order;
	HD_VEC(uint64_t) ids = {0};
	struct hd_work base = *whole;
	hd_graph_order(graph, &order);
	for (uint32_t i = 0; i < order.len; i++) {
		struct hd_work *piece = add(cudart, 0, base.priority, base.blocking), *needed = NULL;
		piece->stream = piece->id; /* nodes that need nothing of each other run together */
		piece->node = order.data[i];
		for (uint32_t n = 0; n < piece->node->needs.len; n++)
			for (uint32_t k = 0; k < i; k++)
				if (order.data[k] == piece->node->needs.data[n]) {
					need(cudart, piece, ids.data[k]);
					needed = find(cudart, ids.data[k]);
				}
		note_programmatic(cudart, piece);
		if (needed && piece->open == 1 && is_programmatic(piece))
			piece->stream = needed->stream;
		hd_vec_push(&ids, piece->id);
	}
	struct hd_work *last = add(cudart, base.stream, base.priority, base.blocking);
	for (uint32_t i = 0; i < ids.len; i++)
		need(cudart, last, ids.data[i]);
	hd_vec_release(&ids);
	hd_vec_release(&order);
	return last->id;
}

static cudaError_t submit_kernel(struct hd_cudart *cudart, struct hd_work *work)
{
	struct hd_launch launch;
	if (!hd_cudart_launch_of(cudart, work->node, &launch))
		return cudaErrorInvalidValue;
	cudaError_t error = hd_cudart_refresh_textures(cudart);
	if (error != cudaSuccess)
		return error;
	launch.stream = work->stream;
	launch.priority = work->priority;
	launch.in_a_row = cudart->in_a_row;
	int status = hd_sim_submit(cudart->sim, &launch, &work->ticket);
	work->has_ticket = !status;
	cudart->in_a_row |= !status;
	return hd_cudart_launch_error(cudart, status);
}

/* A piece that may go to the simulator behind this one, which is there, or behind those that already did; NULL: none.
 */
static struct hd_work *find_follower(const struct hd_cudart *cudart, const struct hd_work *work)
{
	for (bool more = true; more;) {
		more = false;
		for (uint32_t i = 0; i < work->heirs.len && !more; i++) {
			struct hd_work *heir = find(cudart, work->heirs.data[i]);
			if (!heir || heir->stream != work->stream || heir->open != 1 || !is_programmatic(heir))
				continue;
			if (!heir->started)
				return heir;
			work = heir;
			more = true;
		}
	}
	return NULL;
}

/* Whether it could be is asked again when its turn comes. */
static void submit_follower(struct hd_cudart *cudart, struct hd_work *work)
{
	work->started = submit_kernel(cudart, work) == cudaSuccess && work->has_ticket;
	work->refused = !work->started;
}

/* The pointer may be void afterwards: other threads come in while a function of the program runs. */
static cudaError_t start(struct hd_cudart *cudart, struct hd_work *work)
{
	uint64_t id = work->id;
	cudaError_t error = cudaSuccess;
	work->started = true;
	if (is_kernel(work)) {
		error = submit_kernel(cudart, work);
		if (error == cudaSuccess)
			return error;
	} else if (work->node && !work->node->disabled && work->node->type == cudaGraphNodeTypeGraph) {
		uint64_t last = expand(cudart, work, work->node->u.child);
		work->last = last;
		return error;
	} else if (work->node && !work->node->disabled && work->node->type == HD_NODE_VALUE) {
		error = hd_cudart_run_value(cudart, &work->node->u.value);
	} else if (work->node) {
		error = hd_graph_run_node(&cudart, work->node);
	}
	remove_work(cudart, id);
	return error;
}

static bool has_ended(const struct hd_cudart *cudart, const struct hd_work *work)
{
	return work->started && (work->has_ticket ? hd_sim_finished(cudart->sim, work->ticket)
						  : work->last && is_done(cudart, work->last));
}

/* Whether its turn has come, and the value that it waits for is there. */
static bool may_start(struct hd_cudart *cudart, const struct hd_work *work)
{
	return !work->started && (!work->node || work->node->type != HD_NODE_VALUE || work->node->disabled ||
				  hd_cudart_value_holds(cudart, &work->node->u.value));
}

/* Does what can be done without time passing; true: something was. */
static bool advance(struct hd_cudart *cudart, cudaError_t *error)
{
	for (uint32_t i = 0; i < cudart->work.free.len; i++) {
		struct hd_work *work = cudart->work.free.data[i];
		if (has_ended(cudart, work)) {
			remove_work(cudart, work->id);
			return true;
		}
		bool may_have = work->has_ticket && cudart->work.programmatic;
		struct hd_work *follower = may_have ? find_follower(cudart, work) : NULL;
		if (follower) {
			submit_follower(cudart, follower);
			return true;
		}
		if (may_start(cudart, work)) {
			cudaError_t failed = start(cudart, work);
			*error = *error == cudaSuccess ? failed : *error;
			return true;
		}
	}
	return false;
}

int hd_cudart_step(struct hd_cudart *cudart)
{
	uint32_t places = hd_sim_check_places(cudart->sim);
	int status = hd_sim_step(cudart->sim);
	hd_cudart_end_if_interrupted(cudart);
	hd_cudart_note_findings(cudart, places);
	return status;
}

/* A wait for a value whose turn has come; NULL: none, or a function of the program is running, which may write it. */
static const struct hd_work *find_waiting(const struct hd_cudart *cudart)
{
	const struct hd_work *found = NULL;
	for (uint32_t i = 0; i < cudart->work.free.len; i++) {
		const struct hd_work *work = cudart->work.free.data[i];
		if (work->started && !work->has_ticket && !work->last)
			return NULL;
		found = !work->started && !found ? work : found;
	}
	return found;
}

#define HOST_PATIENCE 10000 /* milliseconds in which another thread of the program may write the value */

static bool has_other_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	unsigned count = 0;
	while (tasks && readdir(tasks))
		count++;
	if (tasks)
		closedir(tasks);
	return count != 3; /* . and .. beside the thread itself; 0: not known */
}

/* Lets other threads of the program come in for a while. */
static void yield_to_host(struct hd_cudart *cudart)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	hd_cudart_leave(&cudart);
	nanosleep(&pause, NULL);
	hd_cudart_enter();
}

/* Only the host can write what is waited for. False: there is no one to do so, which has been said. */
static bool host_may_write(struct hd_cudart *cudart, const struct hd_work *waiting, unsigned *turns)
{
	if (has_other_threads() && (*turns)++ < HOST_PATIENCE) {
		yield_to_host(cudart);
		return true;
	}
	hd_cudart_explain_value(cudart, &waiting->node->u.value, waiting->stream);
	cudart->sticky = cudaErrorLaunchTimeout;
	hd_cudart_drop_work(cudart);
	return false;
}

/* Until `left` says that nothing is. `asks`: returns cudaErrorNotReady where only the host can go on. */
static cudaError_t wait_or_ask(struct hd_cudart *cudart, bool (*left)(const struct hd_cudart *cudart, uint64_t id),
			       uint64_t id, bool asks)
{
	cudaError_t error = cudaSuccess;
	unsigned turns = 0;
	for (;;) {
		while (advance(cudart, &error))
			;
		if (!left(cudart, id))
			return error;
		if (!hd_sim_working(cudart->sim)) {
			const struct hd_work *waiting = find_waiting(cudart);
			if (!waiting) /* a function of the program is running, which waits for itself */
				return error;
			if (asks)
				return cudaErrorNotReady;
			if (!host_may_write(cudart, waiting, &turns))
				return cudart->sticky;
			continue;
		}
		turns = 0;
		cudaError_t failed = hd_cudart_sim_error(cudart, hd_cudart_step(cudart));
		error = error == cudaSuccess ? failed : error;
		if (cudart->sticky != cudaSuccess) {
			hd_cudart_drop_work(cudart);
			return cudart->sticky;
		}
	}
}

static cudaError_t wait_until(struct hd_cudart *cudart, bool (*left)(const struct hd_cudart *cudart, uint64_t id),
			      uint64_t id)
{
	return wait_or_ask(cudart, left, id, false);
}

static bool is_any_left(const struct hd_cudart *cudart, uint64_t id)
{
	(void)id;
	return cudart->work.count;
}

static bool is_this_left(const struct hd_cudart *cudart, uint64_t id)
{
	return !is_done(cudart, id);
}

static bool is_blocking_left(const struct hd_cudart *cudart, uint64_t id)
{
	(void)id;
	return cudart->work.blocking;
}

cudaError_t hd_cudart_wait(struct hd_cudart *cudart, uint64_t id)
{
	return is_done(cudart, id) ? cudaSuccess : wait_until(cudart, is_this_left, id);
}

cudaError_t hd_cudart_wait_or_ask(struct hd_cudart *cudart, uint64_t id)
{
	return is_done(cudart, id) ? cudaSuccess : wait_or_ask(cudart, is_this_left, id, true);
}

cudaError_t hd_cudart_do_value(struct hd_cudart *cudart, const struct hd_stream_value *value)
{
	if (value->writes)
		return hd_cudart_run_value(cudart, value);
	struct hd_work *work = add(cudart, 0, 0, false);
	add_node(work, HD_NODE_VALUE)->u.value = *value;
	return wait_until(cudart, is_this_left, work->id);
}

cudaError_t hd_cudart_wait_all(struct hd_cudart *cudart)
{
	return cudart->work.count ? wait_until(cudart, is_any_left, 0) : cudaSuccess;
}

cudaError_t hd_cudart_wait_blocking(struct hd_cudart *cudart)
{
	return cudart->work.count ? wait_until(cudart, is_blocking_left, 0) : cudaSuccess;
}

cudaError_t hd_cudart_wait_stream(struct hd_cudart *cudart, cudaStream_t stream)
{
	if (!stream || stream == cudaStreamLegacy)
		return hd_cudart_wait_blocking(cudart);
	return hd_cudart_defers(stream) ? hd_cudart_wait(cudart, stream->work) : cudaSuccess;
}
