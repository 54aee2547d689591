/*
 * The proof of roles.h, a condition a function.
 */
#include "passes/analysis/roles.h"

#include "heddle/opcodes.h"
#include "passes/analysis/rings.h"

/* A wait for pieces with the rings that it and the one who brings them use. */
struct pipeline {
	struct hd_roles *roles;
	const struct hd_flow *flow;
	const struct hd_copy_site *wait, *room; /* for pieces, and for room */
	uint32_t taking, bringing;		/* loops */
	struct hd_ring full, empty;
};

static bool is_outermost(const struct hd_flow *flow, uint32_t loop)
{
	return loop != HD_NO_NODE && flow->loops.loops[loop].parent == HD_NO_NODE;
}

/* The address is in no turn one of the ring's. `block` is where it is used. */
static bool is_apart(struct pipeline *pipeline, const struct hd_ring *ring, const struct hd_sum *address,
		     uint32_t block)
{
	if (hd_ring_is_without(ring, address))
		return true;
	uint32_t loop = pipeline->flow->loops.loop_of[block];
	while (loop != HD_NO_NODE && !is_outermost(pipeline->flow, loop))
		loop = pipeline->flow->loops.loops[loop].parent;
	struct hd_ring other = {0};
	if (loop != HD_NO_NODE)
		other = hd_ring_of(pipeline->roles->turns->search, address, loop);
	return hd_rings_are_apart(ring, &other);
}

/* ---------------------------------------------------------------- who brings */

/* Nothing in the loop waits for others, but for the one wait for room before the copy. */
static bool find_room(struct pipeline *pipeline, const struct hd_copy_site *start)
{
	const struct hd_roles *roles = pipeline->roles;
	const struct hd_flow *flow = pipeline->flow;
	for (uint32_t w = 0; w < roles->wait_count; w++) {
		if (!hd_flow_in_loop(flow, roles->waits[w].block, pipeline->bringing))
			continue;
		if (pipeline->room)
			return false;
		pipeline->room = &roles->waits[w];
	}
	const struct hd_copy_site *room = pipeline->room;
	if (!room || !room->clean || room->loop != pipeline->bringing ||
	    !hd_flow_precedes(flow, room->block, start->block))
		return false;
	const struct hd_loop *loop = &flow->loops.loops[pipeline->bringing];
	for (uint32_t n = 0; n < loop->node_count; n++) {
		uint32_t block = loop->nodes[n], inner = flow->loops.loop_of[block];
		if (inner != pipeline->bringing && inner != flow->loops.loop_of[room->block])
			return false;
		for (uint32_t i = flow->blocks[block].first; i <= hd_flow_last(flow, block); i++)
			if (hd_opinfo[flow->function->insts[i].op].effects & (HD_FX_BARRIER | HD_FX_CONVERGENT) ||
			    roles->steps[i] == HD_COPY_CALL)
				return false;
	}
	/* No part of it is the ring of pieces: whoever says how many bytes come there does not tell of room in turn. */
	pipeline->empty = hd_ring_of(roles->turns->search, &room->address, pipeline->bringing);
	return pipeline->empty.slots;
}

/* All copies to the ring are of the one loop, and one comes in each turn. */
static bool find_start(struct pipeline *pipeline)
{
	const struct hd_roles *roles = pipeline->roles;
	const struct hd_flow *flow = pipeline->flow;
	const struct hd_copy_site *found = NULL;
	for (uint32_t s = 0; s < roles->start_count && !found; s++) {
		const struct hd_copy_site *start = &roles->starts[s];
		if (!is_outermost(flow, start->loop) || start->loop == pipeline->taking)
			continue;
		struct hd_ring ring = hd_ring_of(roles->turns->search, &start->address, start->loop);
		if (hd_ring_is_same(&ring, &pipeline->full))
			found = start;
	}
	if (!found)
		return false;
	pipeline->bringing = found->loop;
	for (uint32_t s = 0; s < roles->start_count; s++) {
		const struct hd_copy_site *start = &roles->starts[s];
		if (start->loop != found->loop && !is_apart(pipeline, &pipeline->full, &start->address, start->block))
			return false;
	}
	unsigned guard = flow->function->insts[found->inst].guard;
	return find_room(pipeline, found) && hd_turns_come_to(roles->turns, found->block, found->loop) &&
	       hd_turns_hold(roles->turns, found->inst, guard & ~HD_PRED_NOT, !(guard & HD_PRED_NOT), found->loop);
}

/* ---------------------------------------------------------------- who takes */

/* Arrivals where room is waited for: behind the wait for pieces, at its slot, and in each turn. Whatever else changes
 * barriers leaves these alone. */
static bool tells_in_turn(struct pipeline *pipeline, uint32_t inst, const struct hd_sum *address)
{
	const struct hd_flow *flow = pipeline->flow;
	const struct hd_inst *code = &flow->function->insts[inst];
	uint32_t block = flow->block_of[inst];
	if (is_apart(pipeline, &pipeline->empty, address, block))
		return true;
	struct hd_ring ring = {0};
	if (flow->loops.loop_of[block] == pipeline->taking)
		ring = hd_ring_of(pipeline->roles->turns->search, address, pipeline->taking);
	return code->op == HD_OP_SYNCS && hd_mod_get(code->mods, HD_MOD_SYNCSOP) == HD_SYNCS_ARRIVE &&
	       hd_ring_is_same(&ring, &pipeline->empty) && hd_flow_precedes(flow, pipeline->wait->block, block) &&
	       hd_turns_come_to(pipeline->roles->turns, block, pipeline->taking) &&
	       hd_turns_hold(pipeline->roles->turns, inst, code->guard & ~HD_PRED_NOT, !(code->guard & HD_PRED_NOT),
			     pipeline->taking);
}

/* What may begin phases of barriers anew. */
static bool is_new(const struct hd_inst *code)
{
	uint32_t what = hd_mod_get(code->mods, HD_MOD_SYNCSOP);
	return code->op == HD_OP_SYNCS && (what == HD_SYNCS_INIT || what == HD_SYNCS_INVAL);
}

static bool all_tell_in_turn(struct pipeline *pipeline)
{
	const struct hd_flow *flow = pipeline->flow;
	struct hd_writers_search *search = pipeline->roles->turns->search;
	for (uint32_t i = 0; i < flow->function->inst_count && !hd_writers_search_is_done(search); i++) {
		const struct hd_inst *code = &flow->function->insts[i];
		if (flow->position[flow->block_of[i]] == HD_NO_NODE || is_new(code))
			continue;
		if (code->op == HD_OP_STAS || code->op == HD_OP_REDAS)
			return false;
		if (code->op != HD_OP_SYNCS && code->op != HD_OP_ARRIVES)
			continue;
		struct hd_sum address = hd_sum_plus(hd_sum_of(search, i, code->a), code->x);
		if (!tells_in_turn(pipeline, i, &address))
			return false;
	}
	return true;
}

/* No other wait of the function is for the ring: nobody could tell those who work that a later piece has come. */
static bool waits_alone(struct pipeline *pipeline)
{
	const struct hd_roles *roles = pipeline->roles;
	for (uint32_t w = 0; w < roles->wait_count; w++) {
		const struct hd_copy_site *wait = &roles->waits[w];
		if (wait != pipeline->wait && !is_apart(pipeline, &pipeline->full, &wait->address, wait->block))
			return false;
	}
	return true;
}

/* What follows the wait in its turn: whether all paths come to work before another wait, or the next turn. */
struct course {
	struct pipeline *pipeline;
	bool works, fails;
};

static bool visit_course(void *context, uint32_t inst)
{
	struct course *course = context;
	const struct hd_flow *flow = course->pipeline->flow;
	uint32_t header = flow->loops.loops[course->pipeline->taking].header;
	const struct hd_inst *code = &flow->function->insts[inst];
	/* The wait's own loop comes back to it. */
	if (flow->block_of[inst] == course->pipeline->wait->block)
		return inst > course->pipeline->wait->inst;
	course->fails |= inst == flow->blocks[header].first || hd_flow_leaves(code) ||
			 course->pipeline->roles->steps[inst] == HD_COPY_WAIT ||
			 !hd_flow_in_loop(flow, flow->block_of[inst], course->pipeline->taking);
	bool works = course->pipeline->roles->steps[inst] == HD_COPY_WORK && code->guard == HD_PT;
	course->works |= works;
	return !works && !course->fails;
}

static bool is_worked_on(struct pipeline *pipeline)
{
	struct course course = {.pipeline = pipeline};
	hd_writers_follow(pipeline->roles->turns->search, pipeline->wait->inst, visit_course, &course);
	return course.works && !course.fails;
}

/* ---------------------------------------------------------------- both */

/* From one loop, threads come neither to the other one nor to where barriers are made. */
struct way {
	const struct pipeline *pipeline;
	uint32_t to;
	bool meets;
};

static bool visit_way(void *context, uint32_t inst)
{
	struct way *way = context;
	const struct hd_flow *flow = way->pipeline->flow;
	way->meets |= hd_flow_in_loop(flow, flow->block_of[inst], way->to) || is_new(&flow->function->insts[inst]);
	return !way->meets;
}

static bool are_separate(const struct pipeline *pipeline)
{
	const struct hd_flow *flow = pipeline->flow;
	struct hd_writers_search *search = pipeline->roles->turns->search;
	struct way there = {.pipeline = pipeline, .to = pipeline->bringing};
	struct way back = {.pipeline = pipeline, .to = pipeline->taking};
	hd_writers_follow(search, flow->blocks[flow->loops.loops[pipeline->taking].header].first, visit_way, &there);
	hd_writers_follow(search, flow->blocks[flow->loops.loops[pipeline->bringing].header].first, visit_way, &back);
	return !there.meets && !back.meets;
}

bool hd_roles_feed(struct hd_roles *roles, const struct hd_copy_site *wait)
{
	struct pipeline pipeline = {.roles = roles, .wait = wait, .taking = wait->loop};
	pipeline.flow = roles->turns->search->flow;
	if (!wait->clean || !is_outermost(pipeline.flow, wait->loop))
		return false;
	pipeline.full = hd_ring_of(roles->turns->search, &wait->address, wait->loop);
	return pipeline.full.slots && find_start(&pipeline) && are_separate(&pipeline) && waits_alone(&pipeline) &&
	       all_tell_in_turn(&pipeline) && is_worked_on(&pipeline);
}
