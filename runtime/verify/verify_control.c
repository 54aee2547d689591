/*
 * --verify under core = modern: whether registers are what the program means when the warp's control bits let it go on.
 * A result that is under way, or a source that has not been read yet, is kept with its lanes and the cycle in which it
 * will be there; an instruction that reads or writes one of its registers in one of its lanes before that stops the run
 * with both. Paths of a divergent warp have lanes of their own, and may use the same registers in the same cycles.
 *
 * Cost: the results under way, for each instruction; under --verify alone.
 */
#include "runtime/verify/control.h"

#include "heddle/config.h"
#include "heddle/control.h"
#include "runtime/exec/exec.h"
#include "runtime/sm/sm.h"

struct flight {
	const struct hd_dinst *inst;
	struct hd_hazard reads; /* registers that it has not read yet */
	uint64_t written, read; /* cycles; HD_NEVER: not known yet */
	uint32_t lanes, pc;
	bool waits; /* for it to be written */
};

/* Of a warp. */
struct flights {
	HD_VEC(struct flight) list;
};

static struct flights *flights_of(const struct hd_watcher_handle *self, const struct hd_warp *warp)
{
	return HD_WATCHER_OF(self, warp, warp);
}

static void warp_begin(const struct hd_watcher_handle *self, struct hd_exec *exec, struct hd_warp *warp)
{
	(void)exec;
	hd_vec_clear(&flights_of(self, warp)->list);
}

static void warp_free(const struct hd_watcher_handle *self, struct hd_warp *warp)
{
	hd_vec_release(&flights_of(self, warp)->list);
}

static struct hd_places places_of(const struct hd_hazard *set)
{
	struct hd_places places;
	memcpy(places.bits, set->bits, sizeof(places.bits));
	return places;
}

/* The first place that two sets have in common, in lanes that both have: uniform registers are of all lanes. */
static uint32_t common(const struct hd_hazard *a, const struct hd_places *b, bool lanes)
{
	for (uint32_t place = 0; place < HD_PLACES; place++) {
		bool both = a->bits[place / 64] & b->bits[place / 64] & UINT64_C(1) << place % 64;
		if (both && (lanes || place >= HD_PLACE_PREDICATES + 8))
			return place;
	}
	return HD_PLACES;
}

static uint64_t crossing(const struct hd_config *config, const struct hd_dinst *from, const struct hd_dinst *to)
{
	if (from->pipeline == to->pipeline || !from->pipeline || !to->pipeline || from->counter)
		return 0;
	bool half = from->pipeline == HD_PIPELINE_HALF || to->pipeline == HD_PIPELINE_HALF;
	return half ? config->lat_cross_half : config->lat_cross;
}

static void report(const struct hd_gpu *gpu, struct hd_warp *warp, const struct flight *flight, uint32_t place,
		   const char *what)
{
	char first[160], second[160], name[8];
	const struct hd_pfunction *of = &gpu->program.functions.data[flight->inst->function];
	hd_inst_format(&flight->inst->inst, first, sizeof(first));
	hd_inst_format(&gpu->program.code.data[warp->pc].inst, second, sizeof(second));
	hd_place_name(place, name);
	hd_gpu_fault(warp->cta->sm->gpu, warp, warp->pc, (uint32_t)__builtin_ctz(warp->active), HD_SIM_VERIFY,
		     "control bits: %s of '%s' %s that '%s' at 0x%x of %s", name, second, what, first,
		     (flight->pc - of->first) * HD_INST_BYTES, of->name);
}

/* Whether a result that is there at `cycle` may be used now. */
static void look_at_result(struct hd_sm *sm, struct hd_warp *warp, const struct flight *flight,
			   const struct hd_dinst *inst, uint64_t now)
{
	const struct hd_config *config = sm->gpu->config;
	struct hd_places reads, writes, results = places_of(&flight->inst->writes);
	bool lanes = flight->lanes & warp->active;
	uint64_t guards = flight->inst->counter ? 0 : config->lat_guard;
	uint32_t guard = HD_PLACE_PREDICATES + (inst->inst.guard & 7u), place;
	hd_inst_places(&inst->inst, &reads, &writes);
	struct hd_hazard of_reads, of_writes;
	memcpy(of_reads.bits, reads.bits, sizeof(reads.bits));
	memcpy(of_writes.bits, writes.bits, sizeof(writes.bits));
	if (flight->written == HD_NEVER || flight->written + crossing(config, flight->inst, inst) > now) {
		place = common(&of_reads, &results, lanes);
		if (place < HD_PLACES)
			report(sm->gpu, warp, flight, place, "is read before");
	}
	bool guarded = (inst->inst.guard & 7) != HD_PT && results.bits[guard / 64] >> guard % 64 & 1 && lanes;
	if (guarded && (flight->written == HD_NEVER || flight->written + guards > now))
		report(sm->gpu, warp, flight, guard, "guards before");
	if (flight->written == HD_NEVER || flight->written >= now + (inst->counter ? 1 : inst->latency)) {
		place = common(&of_writes, &results, lanes);
		if (place < HD_PLACES)
			report(sm->gpu, warp, flight, place, "is written before");
	}
	place = flight->read > now ? common(&flight->reads, &writes, lanes) : HD_PLACES;
	if (place < HD_PLACES)
		report(sm->gpu, warp, flight, place, "is written before it is read:");
}

static void execute_before(const struct hd_watcher_handle *self, struct hd_sm *sm, struct hd_warp *warp,
			   const struct hd_dinst *inst)
{
	struct flights *flights = flights_of(self, warp);
	uint64_t now = sm->exec->now, longest = 2 * sm->gpu->config->lat_guard + sm->forwarding.cross_cycles;
	uint32_t kept = 0;
	for (uint32_t i = 0; i < flights->list.len; i++) {
		const struct flight *flight = &flights->list.data[i];
		look_at_result(sm, warp, flight, inst, now);
		bool over = !flight->waits && flight->written + longest <= now && flight->read <= now;
		if (!over)
			flights->list.data[kept++] = *flight;
	}
	flights->list.len = kept;
}

static void started(const struct hd_watcher_handle *self, struct hd_sm *sm, struct hd_warp *warp,
		    const struct hd_dinst *inst, uint64_t now, uint64_t start)
{
	bool writes = hd_hazard_any(&inst->writes);
	struct flight flight = {.inst = inst,
				.lanes = hd_effect_lanes(&sm->effect),
				.waits = writes,
				.pc = (uint32_t)(inst - sm->gpu->program.code.data)};
	if (sm->effect.event == HD_EVENT_FAULT || (!writes && !inst->read_counter))
		return;
	flight.written = !writes ? now : inst->counter ? HD_NEVER : (start > now ? start : now) + inst->latency;
	if (inst->pipe != HD_PIPE_BRU && (inst->read_counter || inst->counter)) {
		struct hd_places reads, of_writes;
		hd_inst_places(&inst->inst, &reads, &of_writes);
		memcpy(flight.reads.bits, reads.bits, sizeof(reads.bits));
		flight.reads.bits[HD_PLACE_WORDS - 1] = 0;
		flight.read = (start > now ? start : now) + inst->read_cycles;
	}
	hd_vec_push(&flights_of(self, warp)->list, flight);
}

static void written(const struct hd_watcher_handle *self, const struct hd_sm *sm, struct hd_warp *warp,
		    const struct hd_dinst *inst)
{
	struct flights *flights = flights_of(self, warp);
	(void)sm;
	if (!inst->stall)
		return; /* no instruction of the program */
	for (uint32_t i = 0; i < flights->list.len; i++) {
		struct flight *flight = &flights->list.data[i];
		if (flight->inst != inst || !flight->waits)
			continue;
		flight->waits = false;
		if (flight->written == HD_NEVER)
			flight->written = 0;
		return;
	}
}

static const struct hd_watcher control_watcher = {
	.name = "control",
	.warp_bytes = sizeof(struct flights),
	.warp_begin = warp_begin,
	.warp_free = warp_free,
	.execute_before = execute_before,
	.started = started,
	.written = written,
};

void hd_verify_control_start(struct hd_gpu *gpu)
{
	hd_watcher_add(gpu, &control_watcher, NULL);
}
