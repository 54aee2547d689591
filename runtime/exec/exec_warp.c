/*
 * Functional execution: what lanes of a warp tell each other (SHFL, VOTE, MATCH, REDUX), special
 * registers, and instructions that only the timing core gives a meaning (barriers, fences, sleeps).
 */
#include "heddle/config.h"
#include "heddle/opcodes.h"
#include "runtime/exec/exec.h"

/* ---- shuffle */

#define LANES                                                            \
	{0,  1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10, 11, 12, 13, 14, 15, \
	 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31}

static bool has_mask(const struct hd_inst *inst)
{
	return hd_mod_get(inst->mods, HD_MOD_MEMBERS) == HD_MEMBERS_MASK;
}

/*
 * Source lanes by PTX shfl: c holds the clamp in bits 4..0 and the segment mask in bits 12..8. A
 * source lane that does not take part is undefined in PTX; here the lane keeps its own value.
 */
HD_INLINE void shuffle(struct hd_exec *exec, const struct hd_dinst *inst)
{
	const struct hd_inst *in = &inst->inst;
	const hd_s32s lane = LANES;
	hd_s32s b = (hd_s32s)HD_LOAD(hd_row(exec->warp, in->b)), c = (hd_s32s)HD_LOAD(hd_row(exec->warp, in->c));
	if (has_mask(in))
		c = b >> 8;
	if (HD_MODIFIER(BIMM))
		b = (hd_s32s)(int32_t)(in->x & 0xff);
	if (HD_MODIFIER(CIMM))
		c = (hd_s32s)(int32_t)(in->x >> 8);
	hd_s32s segment = c >> 8 & 31, least = lane & segment, most = least | (c & 31 & ~segment), from;
	b &= 31;
	unsigned mode = HD_MODIFIER(SHFLMODE);
	if (mode == HD_SHFL_UP)
		from = lane - b;
	else if (mode == HD_SHFL_DOWN)
		from = lane + b;
	else
		from = mode == HD_SHFL_BFLY ? (lane ^ b) : (least | (b & ~segment));
	hd_s32s inside = mode == HD_SHFL_UP ? from >= most : from <= most;
	from = inside ? from : lane;
	from = ((hd_s32s)(int32_t)exec->mask >> from & 1) != 0 ? from : lane;
	HD_MASK_OF(in_range, inside);
	uint32_t source[HD_WARP_LANES], result[HD_WARP_LANES];
	*(hd_u32row *)source = (hd_u32s)from;
	const uint32_t *a = hd_row(exec->warp, in->a);
	for (uint32_t i = 0; i < HD_WARP_LANES; i++)
		result[i] = a[source[i] & 31];
	hd_set_pred(exec, in->pdst, in_range);
	HD_STORE(HD_LOAD(result));
}

uint32_t hd_exec_shuffle_source(const struct hd_warp *warp, const struct hd_inst *inst, uint32_t lane, bool *inside)
{
	uint32_t mode = hd_mod_get(inst->mods, HD_MOD_SHFLMODE), word = hd_row(warp, inst->b)[lane];
	int32_t b = (int32_t)(hd_mod_get(inst->mods, HD_MOD_BIMM) ? inst->x : word) & 31;
	int32_t c = (int32_t)(hd_mod_get(inst->mods, HD_MOD_CIMM) ? inst->x >> 8
			      : has_mask(inst)			  ? word >> 8
								  : hd_row(warp, inst->c)[lane]);
	int32_t self = (int32_t)lane, segment = c >> 8 & 31, least = self & segment, most = least | (c & 31 & ~segment);
	int32_t from = mode == HD_SHFL_UP     ? self - b
		       : mode == HD_SHFL_DOWN ? self + b
		       : mode == HD_SHFL_BFLY ? self ^ b
					      : (least | (b & ~segment));
	*inside = mode == HD_SHFL_UP ? from >= most : from <= most;
	return *inside ? (uint32_t)from & 31 : lane;
}

/* Some lane of the warp is elsewhere, or was and has results here or is known to wait. */
HD_INLINE bool is_apart(const struct hd_exec *exec)
{
	return (exec->mask ^ exec->warp->live) | exec->warp->met | exec->warp->waits;
}

/* Lanes whose own mask does not name them. */
#define STRANGERS(lanes, reg)                                                                  \
	uint32_t lanes;                                                                        \
	do {                                                                                   \
		const hd_s32s lane_ = LANES;                                                   \
		HD_MASK_OF(named_, (HD_LOAD(hd_row(exec->warp, (reg))) >> (hd_u32s)lane_ & 1) != 0); \
		lanes = exec->mask & ~named_;                                                  \
	} while (0)

/* Those that are there. */
HD_EXEC(op_shfl)
{
	shuffle(exec, inst);
}

/* All lanes of the warp. */
HD_EXEC(op_shfl_warp)
{
	if (__builtin_expect(is_apart(exec), 0) && hd_warp_meet_apart(exec, inst))
		return;
	shuffle(exec, inst);
}

/* Those of a mask. */
HD_EXEC(op_shfl_mask)
{
	STRANGERS(strangers, inst->inst.c);
	if (__builtin_expect(is_apart(exec) || strangers, 0) && hd_warp_meet_apart(exec, inst))
		return;
	shuffle(exec, inst);
}

/* ---- uniform registers */

HD_EXEC_PLAIN(op_r2ur)
{
	const uint32_t *row = hd_row(exec->warp, inst->inst.b);
	uint32_t first = (uint32_t)__builtin_ctz(exec->mask);
	exec->warp->uregs[inst->inst.dst] = row[first];
	HD_TELL(exec->gpu, made_uniform, exec, inst, row);
}

HD_EXEC_PLAIN(op_umov)
{
	exec->warp->uregs[inst->inst.dst] = hd_x_in_b(inst->inst.xkind) ? hd_x_value(exec->warp, &inst->inst) : 0;
}

/* ---- vote and match */

HD_INLINE void vote(struct hd_exec *exec, const struct hd_dinst *inst)
{
	uint32_t mask = exec->mask, ballot = hd_pred(exec->warp, inst->inst.psrc) & mask;
	unsigned mode = HD_MODIFIER(VOTEMODE);
	bool all = ballot == mask, any = ballot != 0;
	bool result = mode == HD_VOTE_ALL ? all : mode == HD_VOTE_ANY ? any : all || !any;
	hd_set_pred(exec, inst->inst.pdst, result ? HD_FULL : 0);
	HD_STORE(HD_SPLAT(ballot));
}

HD_EXEC(op_vote)
{
	vote(exec, inst);
}

HD_EXEC(op_vote_warp)
{
	if (__builtin_expect(is_apart(exec), 0) && hd_warp_meet_apart(exec, inst))
		return;
	vote(exec, inst);
}

/* Lanes of several masks may be here. */
HD_EXEC(op_vote_mask)
{
	STRANGERS(strangers, inst->inst.b);
	if (__builtin_expect(is_apart(exec) || strangers, 0) && hd_warp_meet_apart(exec, inst))
		return;
	hd_u32s members = HD_LOAD(hd_row(exec->warp, inst->inst.b)) & HD_SPLAT(exec->mask);
	hd_u32s ballot = members & HD_SPLAT(hd_pred(exec->warp, inst->inst.psrc));
	HD_MASK_OF(all, ballot == members);
	HD_MASK_OF(any, ballot != 0);
	unsigned mode = HD_MODIFIER(VOTEMODE);
	hd_set_pred(exec, inst->inst.pdst, mode == HD_VOTE_ALL ? all : mode == HD_VOTE_ANY ? any : all | ~any);
	HD_STORE(ballot);
}

uint64_t hd_exec_match_value(const struct hd_warp *warp, const struct hd_inst *inst, uint32_t lane)
{
	if (hd_op_width(HD_OP_MATCH, inst->mods, HD_SLOT_A) == 2)
		return hd_lane_pair(warp, inst->a, lane);
	return hd_row(warp, inst->a)[lane];
}

HD_EXEC_PLAIN(op_match)
{
	const struct hd_inst *in = &inst->inst;
	const struct hd_warp *warp = exec->warp;
	uint64_t values[HD_WARP_LANES];
	uint32_t peers[HD_WARP_LANES], all = 0, *to = hd_dst_row(warp, in->dst);
	bool any_mode = HD_MODIFIER(VOTEMODE) == HD_VOTE_ANY;
	if (inst->meets && hd_warp_meet_apart(exec, inst))
		return;
	HD_FOR_LANES (lane, exec->mask)
		values[lane] = hd_exec_match_value(warp, in, lane);
	HD_FOR_LANES (lane, exec->mask) {
		uint32_t members = exec->mask & (has_mask(in) ? hd_row(warp, in->b)[lane] : HD_FULL);
		peers[lane] = 0;
		HD_FOR_LANES (other, members)
			peers[lane] |= (uint32_t)(values[other] == values[lane]) << other;
		all |= (uint32_t)(peers[lane] == members) << lane;
	}
	HD_FOR_LANES (lane, exec->mask)
		to[lane] = any_mode || all >> lane & 1 ? peers[lane] : 0;
	hd_set_pred(exec, in->pdst, any_mode ? HD_FULL : all);
}

static uint32_t joined(unsigned op, bool is_signed, uint32_t x, uint32_t y)
{
	bool less = is_signed ? (int32_t)x < (int32_t)y : x < y;
	switch (op) {
	case HD_ATOM_ADD: return x + y;
	case HD_ATOM_AND: return x & y;
	case HD_ATOM_OR: return x | y;
	case HD_ATOM_XOR: return x ^ y;
	default: return less == (op == HD_ATOM_MIN) ? x : y;
	}
}

HD_EXEC_PLAIN(op_redux)
{
	const uint32_t *a = hd_row(exec->warp, inst->inst.a);
	uint32_t *to = hd_dst_row(exec->warp, inst->inst.dst), left = exec->mask, all;
	if (!left)
		return;
	all = a[__builtin_ctz(left)];
	for (left &= left - 1; left; left &= left - 1)
		all = joined(HD_MODIFIER(ATOMOP), HD_MODIFIER(DTYPE) == HD_S32, all, a[__builtin_ctz(left)]);
	HD_FOR_LANES (lane, exec->mask)
		to[lane] = all;
}

HD_EXEC_PLAIN(op_warpsync)
{
	hd_warp_meet_apart(exec, inst);
}

/* ---- special registers */

static uint64_t clock_of(const struct hd_exec *exec)
{
	HD_TELL(exec->gpu, unrepeatable, exec->gpu);
	return exec->now;
}

/* Nanoseconds of simulated time. */
static uint64_t global_timer(const struct hd_exec *exec)
{
	return (uint64_t)((double)clock_of(exec) * 1000.0 / exec->gpu->config->core_mhz);
}

/* Those that are one number for the warp. */
static uint32_t warp_special(const struct hd_exec *exec, uint32_t number)
{
	const struct hd_warp *warp = exec->warp;
	switch (number) {
	case HD_SR_WARPID: return warp->index;
	case HD_SR_NWARPID: return (uint32_t)exec->gpu->config->max_warps;
	case HD_SR_SMID: return warp->cta->exec ? warp->cta->exec->sm : 0;
	case HD_SR_NSMID: return (uint32_t)exec->gpu->sm_count;
	case HD_SR_GRIDID: return (uint32_t)warp->cta->grid->id;
	case HD_SR_CTAID_X: return warp->cta->index[0];
	case HD_SR_CTAID_Y: return warp->cta->index[1];
	case HD_SR_CTAID_Z: return warp->cta->index[2];
	case HD_SR_CLUSTERID_X: return warp->cta->index[0] / warp->cta->grid->cluster[0];
	case HD_SR_CLUSTERID_Y: return warp->cta->index[1] / warp->cta->grid->cluster[1];
	case HD_SR_CLUSTERID_Z: return warp->cta->index[2] / warp->cta->grid->cluster[2];
	case HD_SR_CLUSTER_CTAID_X: return warp->cta->index[0] % warp->cta->grid->cluster[0];
	case HD_SR_CLUSTER_CTAID_Y: return warp->cta->index[1] % warp->cta->grid->cluster[1];
	case HD_SR_CLUSTER_CTAID_Z: return warp->cta->index[2] % warp->cta->grid->cluster[2];
	case HD_SR_CLUSTER_CTARANK: return warp->cta->rank;
	case HD_SR_CLOCK_LO: return (uint32_t)clock_of(exec);
	case HD_SR_CLOCK_HI: return (uint32_t)(clock_of(exec) >> 32);
	case HD_SR_GLOBALTIMER_LO: return (uint32_t)global_timer(exec);
	case HD_SR_GLOBALTIMER_HI: return (uint32_t)(global_timer(exec) >> 32);
	default: return 0;
	}
}

/* Lanes below `lane` as bits. */
static uint32_t lane_special(uint32_t number, uint32_t lane)
{
	uint32_t below = (1u << lane) - 1, self = 1u << lane;
	switch (number) {
	case HD_SR_LANEID: return lane;
	case HD_SR_LANEMASK_EQ: return self;
	case HD_SR_LANEMASK_LT: return below;
	case HD_SR_LANEMASK_LE: return below | self;
	case HD_SR_LANEMASK_GT: return ~(below | self);
	default: return ~below; /* LANEMASK_GE */
	}
}

HD_EXEC(op_s2r)
{
	uint32_t number = HD_MODIFIER(SR);
	if (number >= HD_SR_TID_X && number <= HD_SR_TID_Z) {
		HD_STORE(HD_LOAD(exec->warp->tid[number - HD_SR_TID_X]));
	} else if (number == HD_SR_LANEID || (number >= HD_SR_LANEMASK_EQ && number <= HD_SR_LANEMASK_GE)) {
		uint32_t row[HD_WARP_LANES];
		for (uint32_t lane = 0; lane < HD_WARP_LANES; lane++)
			row[lane] = lane_special(number, lane);
		HD_STORE(HD_LOAD(row));
	} else {
		HD_STORE(HD_SPLAT(warp_special(exec, number)));
	}
}

HD_EXEC(op_cs2r)
{
	uint32_t number = HD_MODIFIER(SR);
	uint64_t value = warp_special(exec, number);
	if (number == HD_SR_CLOCK64)
		value = clock_of(exec);
	else if (number == HD_SR_GLOBALTIMER64)
		value = global_timer(exec);
	HD_STORE64((hd_u64s)value);
}

/* ---- for the timing core */

HD_EXEC_PLAIN(op_bar)
{
	(void)inst;
	exec->effect->event = HD_EVENT_BARRIER;
}

HD_EXEC_PLAIN(op_membar)
{
	(void)inst;
	exec->effect->event = HD_EVENT_FENCE;
}

HD_EXEC_PLAIN(op_dependence)
{
	(void)inst;
	exec->effect->event = HD_EVENT_DEPENDENCE;
}

/* In a loop that may be a wait it is a control instruction (program.c). */
HD_EXEC_PLAIN(op_nanosleep)
{
	(void)inst;
	hd_simt_slept(exec->warp);
}

HD_EXEC_PLAIN(op_nothing)
{
	(void)exec;
	(void)inst;
}

void hd_warp_barrier_result(struct hd_warp *warp, const struct hd_dinst *inst, uint32_t mask, uint32_t count,
			    uint32_t total)
{
	struct hd_exec exec = {.warp = warp, .mask = mask};
	switch (HD_MODIFIER(BARMODE)) {
	case HD_BAR_RED_POPC:
		HD_FOR_LANES (lane, mask)
			hd_dst_row(warp, inst->inst.dst)[lane] = count;
		break;
	case HD_BAR_RED_AND: hd_set_pred(&exec, inst->inst.pdst, count == total ? HD_FULL : 0); break;
	case HD_BAR_RED_OR: hd_set_pred(&exec, inst->inst.pdst, count ? HD_FULL : 0); break;
	default: break;
	}
}

const struct hd_exec_clones *hd_exec_warp_find(const struct hd_inst *inst)
{
	static const struct hd_exec_clones *const shuffles[] = {&op_shfl_warp, &op_shfl_mask, &op_shfl, &op_shfl};
	static const struct hd_exec_clones *const votes[] = {&op_vote_warp, &op_vote_mask, &op_vote, &op_vote};
	switch (inst->op) {
	case HD_OP_SHFL: return shuffles[hd_mod_get(inst->mods, HD_MOD_MEMBERS)];
	case HD_OP_VOTE: return votes[hd_mod_get(inst->mods, HD_MOD_MEMBERS)];
	case HD_OP_MATCH: return &op_match;
	case HD_OP_REDUX: return &op_redux;
	case HD_OP_R2UR: return &op_r2ur;
	case HD_OP_UMOV: return &op_umov;
	case HD_OP_S2R: return &op_s2r;
	case HD_OP_CS2R: return &op_cs2r;
	case HD_OP_BAR: return &op_bar;
	case HD_OP_MEMBAR: return &op_membar;
	case HD_OP_PREEXIT:
	case HD_OP_ACQBULK: return &op_dependence;
	case HD_OP_WARPSYNC: return &op_warpsync;
	case HD_OP_NANOSLEEP: return &op_nanosleep;
	case HD_OP_NOP: return &op_nothing;
	default: return NULL;
	}
}
