/*
 * Windows: several cycles in which the SMs do not look at each other, so that each is simulated through all of them at
 * once, in whatever order or by whatever host thread, and the results are the same.
 *
 * What an SM does reaches another one through the memory system, through the contents of global memory, or through the
 * dispatcher of blocks.
 * - A packet that an SM sends in cycle t is seen by the crossbar from t + 1 on, and its place in the queue is free
 * again a traversal after it was taken; a reply is seen a traversal after it left its slice. So what the memory system
 * does after a window's first cycle concerns no SM before the window's end, if a window is no longer than a traversal,
 * and it can be simulated afterwards. The cycles that come out are those of a simulation cycle by cycle.
 * - Likewise for half a traversal: while the SMs go through the second half of a window, the memory goes through the
 * cycles of the first, and through those of the second while they go through the first half of the next. It is a piece
 * of work beside theirs, the longest one, that some thread takes. Where the memory's state itself is looked at, it is
 * brought up to the SMs' cycle before.
 * - Stores and atomics take effect at the window's end in the order of cycles and SMs (runtime/exec/later.c). Loads see
 *   memory as at the window's beginning. Results of loads and atomics are used after the window, if it is no longer
 *   than a load that hits L1 or the constant cache takes; one that merges into a miss takes as long.
 * - Likewise printf, malloc and free. For kernels that may call them a window is no longer than their warp takes to go
 *   on.
 * - What happens to clusters of blocks takes effect behind the window, in which nobody can learn of it (clusters.c).
 * - An SM in which a block ends while others wait for a place stops there. The stopped ones go on one after the other
 *   as the dispatcher would have come by. Blocks of another grid may also get the places of single warps, when the
 *   dispatcher next comes by: an SM that has such places goes on by single cycles.
 * A window ends where something looks at the whole GPU: a policy's tick, the watchdog. A sample is taken in between.
 * Of several grids none ends but in the last cycle of a window (ends.c).
 * Under policies that move warps or blocks an SM may have a place for a block, or none, in any cycle. It goes on by
 * single cycles while it has one and blocks wait; where blocks are killed, also while one could.
 * Where that leaves no room (policies that look at other SMs while these work, or move blocks among them) a window is
 * one cycle, and SMs work in their order with all effects at once.
 *
 * Who watches may have to see each step in the order of all, with its effects (--check=init). Then SMs work cycle
 * by cycle, and a window says only what their loads see (runtime/exec/past.c): a program whose blocks race takes the
 * same cycles whether it is watched or not.
 *
 * A fault ends the window in its cycle for memory; other SMs have gone on to its end.
 *
 * Cost: O(SMs) a window beside their work.
 */
#include "heddle/config.h"
#include "runtime/exec/later.h"
#include "runtime/exec/past.h"
#include "runtime/gpu/crew.h"
#include "runtime/gpu/run.h"
#include "runtime/sm/hooks.h"
#include "runtime/sm/places.h"

struct hd_window {
	struct hd_run *run;
	struct hd_crew *crew; /* from the first grid on */
	uint64_t cycles;      /* of a window, at most */
	uint64_t most;	      /* of a window, for the grids that run; 1: none is allowed */
	bool works;	      /* SMs go through one */
	bool moves;	      /* policies move or kill blocks, and may look at other SMs for that */
	bool shifts;	      /* or each SM does by itself */
	bool inside;	      /* stopped SMs go on */
	bool waiting;	      /* blocks wait for a place */
	bool warps_leave;     /* and may get that of a warp, ahead of the others of its block: several grids run, or
				 warps move */
	struct hd_grid *head; /* whose they are, but where policies give quotas */
	bool remembers;	      /* the memory has cycles to do beside the SMs' */
	bool memory_worked;   /* watched: since the window began */
	struct hd_past *past; /* watched: memory as it was then; else NULL */
	struct hd_past *made; /* that, from the first grid on that is watched */
	uint64_t end;
	uint64_t from, until;	      /* the part of it that is worked on */
	uint64_t in[HD_MAX_SMS / 64]; /* SMs that have something to do in the window; as a list: */
	uint32_t count;
	uint16_t sms[HD_MAX_SMS];
	uint64_t stopped[HD_MAX_SMS]; /* the next cycle of an SM that stopped before the window's end; else 0 */
	uint64_t worked[HD_MAX_SMS];  /* last cycle in which it had work */
	uint8_t noted[HD_MAX_SMS];    /* FED, IDLE; STEPS: it stops after each cycle; FRESH: it has done none yet */
	struct hd_later *later[HD_MAX_SMS];
};
enum { FED = 1, IDLE = 2, STEPS = 4, FRESH = 8 };
#define WORTH_SHARING 8	   /* SMs */
#define WORTH_FETCHING 100 /* SMs: together more than the host's caches hold */

/* ---- how long */

/* What hits L1 is there a cycle and its latency after issue. A constant's latency contains the collection of operands,
 * of which nothing may be left. */
static uint64_t least_latency(const struct hd_config *config)
{
	uint64_t constant = config->constant_latency, inside = config->operand_cycles;
	if (!config->constant_bytes)
		return config->l1_latency + 1;
	return hd_earlier(config->l1_latency + 1, constant > inside ? constant - inside : 1);
}

static uint64_t most_cycles(const struct hd_gpu *gpu)
{
	return hd_earlier(hd_memory_lead(gpu->memory), least_latency(gpu->config));
}

struct hd_window *hd_window_new(struct hd_run *run)
{
	struct hd_gpu *gpu = run->gpu;
	struct hd_window *window = HD_ARENA_NEW(&gpu->arena, struct hd_window, 1);
	window->run = run;
	window->cycles = most_cycles(gpu);
	return window;
}

void hd_window_use(struct hd_window *window, uint32_t id)
{
	struct hd_gpu *gpu = window->run->gpu;
	if (!window->later[id] && window->cycles > 1) {
		uint64_t issues = window->cycles * gpu->config->schedulers * (gpu->config->dual_issue ? 2 : 1);
		window->later[id] = hd_later_new(issues, hd_watcher_has(gpu, HD_WATCH_STEPS), &gpu->arena);
		window->later[id]->past = window->past;
	}
	if (hd_window_is_open(window, gpu->now)) {
		hd_later_clear(window->later[id]);
		gpu->sms[id]->exec->later = window->later[id];
	}
}

/* A policy that has loads executed whose result is used at once. */
static bool elides(const struct hd_gpu *gpu)
{
	HD_HOOKED (gpu, self, issue.elide)
		return true;
	return false;
}

static bool moves_blocks(const struct hd_gpu *gpu)
{
	HD_POLICIES (gpu, self)
		if (self->hooks->moves && !self->hooks->own_quota)
			return true;
	return false;
}

/* Asked once a kernel, as long as no code comes to be there. */
static bool serves(const struct hd_gpu *gpu, const struct hd_grid *grid)
{
	struct hd_module *module = grid->kernel->module;
	struct hd_kernel *kernel = &module->kernels[grid->kernel - module->kernels];
	if (kernel->looked_at != gpu->program.there)
		kernel->serves = hd_program_serves(&gpu->program, grid->entry);
	kernel->looked_at = gpu->program.there;
	return kernel->serves;
}

/* A policy that has copies of registers, which --verify holds against them. A copy of an argument may be made while the
 * service is put off that returns something in the same register. */
static bool compares_copies(const struct hd_gpu *gpu)
{
	HD_HOOKED (gpu, self, operands.result_target)
		return gpu->options.verify;
	return false;
}

/* A warp that has asked for a service goes on in this cycle after it at the earliest, with the result. */
static uint64_t service_cycles(const struct hd_gpu *gpu)
{
	return compares_copies(gpu) ? 1 : gpu->config->branch_latency + gpu->stages;
}

/* Somebody watches each step; `serving`: of grids that may call the runtime. */
static bool is_watched(const struct hd_window *window, bool serving)
{
	const struct hd_gpu *gpu = window->run->gpu;
	return gpu->stepwise || gpu->options.warn_outside || (gpu->in_order && (serving || window->run->cluster_grids));
}

void hd_window_release(struct hd_window *window)
{
	hd_crew_free(window->crew);
	hd_past_free(window->made);
}

/* A process that has forked makes threads of its own. */
static void find_crew(struct hd_window *window)
{
	const struct hd_gpu *gpu = window->run->gpu;
	uint32_t threads = gpu->options.threads < gpu->sm_count ? gpu->options.threads : (uint32_t)gpu->sm_count;
	if (window->crew && !hd_crew_is_here(window->crew))
		window->crew = NULL;
	if (!window->crew && threads > 1 && window->most > 1 && !window->past && !window->run->shares)
		window->crew = hd_crew_new(threads);
}

static void set_watched(struct hd_window *window, bool watched)
{
	if (watched == (window->past != NULL))
		return;
	if (!window->made)
		window->made = hd_past_new();
	window->past = watched ? window->made : NULL;
	for (uint32_t i = 0; i < window->run->sm_count; i++)
		if (window->later[i])
			window->later[i]->past = window->past;
}

void hd_window_begin(struct hd_window *window)
{
	const struct hd_gpu *gpu = window->run->gpu;
	bool serving = false;
	window->most = elides(gpu) ? 1 : window->cycles;
	window->moves = moves_blocks(gpu);
	window->shifts = gpu->moves && !window->moves;
	if (window->run->cluster_grids)
		window->most = hd_earlier(window->most, hd_clusters_lead(window->run));
	for (uint32_t i = 0; i < gpu->grids.len; i++)
		if (gpu->grids.data[i]->running && (window->most > service_cycles(gpu) || gpu->in_order) &&
		    serves(gpu, gpu->grids.data[i])) {
			window->most = hd_earlier(window->most, service_cycles(gpu));
			serving = true;
		}
	set_watched(window, window->most > 1 && is_watched(window, serving));
	find_crew(window);
}

/* The host threads were another process's. */
void hd_window_resume(struct hd_window *window)
{
	window->crew = NULL;
	find_crew(window);
}

bool hd_window_allowed(const struct hd_window *window)
{
	const struct hd_run *run = window->run;
	return window->most > 1 && !window->past && !run->across && !run->gpu->watched_alone;
}

uint64_t hd_window_most(const struct hd_window *window)
{
	return window->most;
}

/* Several grids know of each other through their places on SMs alone, which ends.c foresees. A policy may take what
 * time it likes of their warps. */
static bool keep_apart(const struct hd_window *window)
{
	const struct hd_gpu *gpu = window->run->gpu;
	bool spares = (gpu->spare_warps || gpu->spare_ctas) && !window->shifts;
	return hd_policy_by_sm(gpu) && !spares && !gpu->sampling;
}

/* The end of a window that begins now. */
static uint64_t end_of(const struct hd_window *window, uint64_t now)
{
	const struct hd_run *run = window->run;
	const struct hd_gpu *gpu = run->gpu;
	bool alone = gpu->running == 1;
	if (window->most == 1 || window->moves || run->across || gpu->watched_alone ||
	    (!alone && (run->cluster_grids || !keep_apart(window))))
		return now + 1;
	if (window->shifts && gpu->counts_blocks && !hd_run_keeps_blocks(run, window->most))
		return now + 1;
	uint64_t end = hd_earlier(now + window->most, run->gpu->due.check);
	end = hd_earlier(hd_earlier(end, run->policy_next), hd_earlier(run->dispatch_next, run->gpu->corun_end));
	end = hd_earlier(end, run->gpu->begin_next);
	if (end <= now + 1)
		return now + 1;
	bool unbound = alone && !window->shifts && !gpu->awaits_fire;
	return unbound ? end : now + hd_run_lasts(window->run, end - now);
}

uint64_t hd_window_end(const struct hd_window *window, uint64_t now)
{
	return window->past ? now + 1 : end_of(window, now);
}

/* ---- watched ones */

/* Another window begins where the last one has ended. In a window of one cycle loads see what is there. */
void hd_window_watch(struct hd_window *window, uint64_t now)
{
	const struct hd_run *run = window->run;
	if (!window->past || now < window->end)
		return;
	window->end = end_of(window, now);
	window->memory_worked = false;
	hd_past_clear(window->past);
	HD_FOR_USED (run, i) {
		hd_later_clear(window->later[i]);
		run->gpu->sms[i]->exec->later = window->end > now + 1 ? window->later[i] : NULL;
	}
}

uint64_t hd_window_watched(struct hd_window *window, uint64_t now, uint64_t next)
{
	if (!window->past)
		return next;
	window->memory_worked |= window->run->memory_next < window->end;
	return window->memory_worked && next > window->end && now < window->end ? window->end : next;
}

bool hd_window_is_open(const struct hd_window *window, uint64_t now)
{
	return window->past && now < window->end;
}

void hd_window_leave(struct hd_window *window)
{
	const struct hd_run *run = window->run;
	window->end = 0;
	if (window->past)
		HD_FOR_USED (run, i)
			run->gpu->sms[i]->exec->later = NULL;
}

/* ---- one SM */

/* Warps have left places which the dispatcher would give a block when it next comes by: one of the first grid in the
 * line, which stays so (ends.c), or of any that has a quota left. */
static bool has_places(const struct hd_window *window, uint32_t id)
{
	struct hd_sm *sm = window->run->gpu->sms[id];
	if (window->shifts)
		return hd_run_may_take(sm);
	if (window->run->quotas)
		return hd_run_candidate(sm) != NULL;
	return window->head && hd_grid_waits_for_room(window->head) && hd_sm_has_room(sm, window->head);
}

/* Through the cycles before `end`, or until it has to stop. */
static void advance(struct hd_window *window, uint32_t id, uint64_t end)
{
	const struct hd_gpu *gpu = window->run->gpu;
	struct hd_sm *sm = gpu->sms[id];
	struct hd_later *later = window->later[id];
	uint64_t now = window->run->due[id], worked = 0, stopped = 0;
	uint8_t noted = window->noted[id] & (uint8_t)~FRESH;
	sm->exec->later = later;
	while (now < end && !stopped) {
		uint32_t warps = sm->resident_warps;
		if (hd_sm_busy(sm))
			worked = now;
		uint64_t next = hd_sm_tick(sm, now);
		noted |= (sm->lsu_ticked ? FED : 0) | (sm->resident_warps ? 0 : IDLE);
		bool left = window->warps_leave && (window->shifts || sm->resident_warps < warps);
		if (left && !(noted & STEPS) && has_places(window, id))
			noted |= STEPS;
		if (later->error || (window->waiting && (sm->dispatch.retired || sm->dispatch.wanted || noted & STEPS)))
			stopped = now + 1;
		now = gpu->every_cycle ? now + 1 : next;
	}
	sm->exec->later = NULL;
	window->run->due[id] = now;
	window->noted[id] = noted;
	window->stopped[id] = stopped;
	window->worked[id] = worked > window->worked[id] ? worked : window->worked[id];
}

/* The memory's piece is the first, if it has one. */
static void do_piece(void *context, uint32_t index)
{
	struct hd_window *window = context;
	if (window->remembers && !index--) {
		hd_memory_advance(window->run->gpu->memory, window->from);
		return;
	}
	uint32_t id = window->sms[index];
	if (!window->stopped[id])
		advance(window, id, window->until);
}

/* One after the other, for how long each takes. */
static void time_pieces(struct hd_window *window, uint32_t pieces)
{
	struct hd_shares *shares = window->run->shares;
	hd_shares_phase(shares);
	for (uint32_t i = 0; i < pieces; i++) {
		do_piece(window, i);
		hd_shares_piece(shares, i);
	}
	hd_shares_phase_done(shares, pieces, pieces >= WORTH_SHARING, window->remembers);
}

/* With many SMs none is in the host's caches when its turn comes: what the next ones look at first is fetched while one
 * works. */
static void fetch_ahead(const struct hd_window *window, uint32_t next)
{
	struct hd_sm *const *sms = window->run->gpu->sms;
	if (next + 1 < window->count)
		hd_sm_fetch(sms[window->sms[next + 1]], window->run->due[window->sms[next + 1]]);
	if (next < window->count)
		hd_sm_fetch_further(sms[window->sms[next]], window->run->due[window->sms[next]]);
}

static void do_pieces(struct hd_window *window)
{
	uint32_t pieces = window->count + window->remembers;
	if (window->run->shares) {
		time_pieces(window, pieces);
		return;
	}
	if (window->crew && pieces >= WORTH_SHARING) {
		hd_crew_run(window->crew, pieces, do_piece, window);
		return;
	}
	for (uint32_t i = 0; i < pieces; i++) {
		if (pieces >= WORTH_FETCHING)
			fetch_ahead(window, i - window->remembers + 1);
		do_piece(window, i);
	}
}

/* ---- stopped ones */

uint64_t hd_window_stands(const struct hd_window *window, uint32_t sm, uint64_t now)
{
	if (!window->inside)
		return now;
	return window->stopped[sm] ? window->stopped[sm] : HD_NEVER;
}

static uint64_t first_stopped(const struct hd_window *window)
{
	uint64_t first = HD_NEVER;
	for (uint32_t i = 0; i < window->count; i++)
		if (window->stopped[window->sms[i]])
			first = hd_earlier(first, window->stopped[window->sms[i]]);
	return first;
}

/* The cycle behind the first fault's, else the part's end. */
static uint64_t limit_of(const struct hd_window *window)
{
	uint64_t limit = window->until;
	for (uint32_t i = 0; i < window->count; i++) {
		const struct hd_later *later = window->later[window->sms[i]];
		if (later->error)
			limit = hd_earlier(limit, later->fault_cycle + 1);
	}
	return limit;
}

/* Those that stopped before cycle `now` go on there, with new blocks where there are some. */
static void go_on(struct hd_window *window, uint64_t now, uint64_t limit)
{
	struct hd_run *run = window->run;
	for (uint32_t i = 0; i < window->count; i++) {
		uint32_t id = window->sms[i];
		struct hd_sm *sm = run->gpu->sms[id];
		bool ticked = window->stopped[id] == now && !(window->noted[id] & FRESH);
		if (ticked && (sm->dispatch.retired || sm->dispatch.wanted))
			hd_run_collect(run, sm, now - 1);
	}
	if (run->dispatch_next <= now) {
		window->inside = true;
		run->dispatch_next = hd_run_dispatch(run, now);
		window->inside = false;
	}
	uint64_t end = hd_earlier(limit, run->dispatch_next);
	for (uint32_t i = 0; i < window->count; i++) {
		uint32_t id = window->sms[i];
		if (window->stopped[id] != now)
			continue;
		uint64_t until = window->noted[id] & STEPS ? hd_earlier(end, now + 1) : end;
		window->stopped[id] = 0;
		advance(window, id, until);
		if (!window->stopped[id] && until < window->end)
			window->stopped[id] = until;
	}
}

/* ---- all of them */

static void bring_in(struct hd_window *window, uint32_t id)
{
	uint64_t bit = UINT64_C(1) << id % 64;
	if (window->in[id / 64] & bit)
		return;
	bool steps = window->warps_leave && has_places(window, id);
	if (window->run->due[id] >= window->end && !steps)
		return;
	window->in[id / 64] |= bit;
	window->noted[id] = steps ? STEPS | FRESH : FRESH;
	window->stopped[id] = steps ? window->from : 0;
	hd_later_clear(window->later[id]);
}

/* Those that come in beside those that are. One without work may be given a block in the window, where its quota is not
 * what it was when the dispatcher came by. */
static void find_sms(struct hd_window *window)
{
	const struct hd_run *run = window->run;
	if (window->shifts && window->warps_leave)
		HD_FOR_USED (run, id)
			bring_in(window, id);
	else
		for (uint32_t i = 0; i < run->busy_count; i++)
			bring_in(window, run->busy[i]);
	window->count = 0;
	for (uint32_t word = 0; word < (run->sm_count + 63) / 64; word++)
		for (uint64_t left = window->in[word]; left; left &= left - 1)
			window->sms[window->count++] = (uint16_t)(word * 64 + (uint32_t)__builtin_ctzll(left));
}

/* SMs work from `from` on, and the memory up to there. Returns as hd_run_meet. */
static uint64_t do_part(struct hd_window *window, uint64_t from, uint64_t until)
{
	struct hd_run *run = window->run;
	window->from = from;
	window->until = until;
	uint64_t next = hd_run_meet(run, from);
	window->remembers = run->memory_next <= from;
	find_sms(window);
	do_pieces(window);
	while (window->waiting && first_stopped(window) < limit_of(window))
		go_on(window, first_stopped(window), limit_of(window));
	run->apart |= window->remembers;
	for (uint32_t i = 0; i < window->count; i++)
		run->apart |= (window->noted[window->sms[i]] & FED) != 0;
	return next;
}

/* In parts of half of what the memory leaves them; in one, behind the memory, where there is one thread or the last
 * blocks have ended. A part ends where a sample is taken.
 * Another window is to begin where this one ends if the memory had work in it: where windows begin, which shows in what
 * is read while others write it, is the same as if the memory came after the whole window. */
static void do_parts(struct hd_window *window, uint64_t now)
{
	struct hd_run *run = window->run;
	bool beside = (window->crew || run->shares) && !run->ending;
	uint64_t part = beside ? window->cycles / 2 : window->cycles;
	if (!beside && run->memory_next <= now)
		hd_run_memory(run, now);
	memset(window->in, 0, sizeof(window->in));
	uint64_t begins = HD_NEVER;
	for (uint64_t from = now, until; from < window->end; from = until) {
		until = hd_earlier(hd_earlier(from + part, window->end), run->gpu->due.look);
		uint64_t worked = do_part(window, from, until);
		if (from != now)
			begins = hd_earlier(begins, worked);
		if (until == run->gpu->due.look && until < window->end) {
			begins = hd_earlier(begins, run->memory_next);
			hd_run_look(run, until);
		}
	}
	begins = hd_earlier(begins, hd_run_meet(run, window->end));
	run->memory_next = hd_earlier(run->memory_next, begins);
}

bool hd_gpu_in_window(const struct hd_gpu *gpu)
{
	return gpu->run->window->works;
}

/* What was put off takes effect, up to `limit`, or to the cycle in which a service finds a fault. Returns the cycle
 * behind. */
static uint64_t do_later(struct hd_window *window, uint64_t now, uint64_t limit)
{
	struct hd_exec *exec = window->run->gpu->exec;
	struct hd_later *some[HD_MAX_SMS];
	uint32_t count = 0;
	for (uint32_t i = 0; i < window->count; i++)
		if (window->later[window->sms[i]]->used)
			some[count++] = window->later[window->sms[i]];
	for (; count && now < limit && !exec->gpu->error; now++)
		for (uint32_t i = 0; i < count; i++)
			hd_later_do(some[i], exec, now);
	return exec->gpu->error ? now : limit;
}

/* Unless a service has found one before. */
static void take_fault(struct hd_window *window, uint64_t limit)
{
	for (uint32_t i = 0; i < window->count && !window->run->gpu->error; i++) {
		const struct hd_later *later = window->later[window->sms[i]];
		if (!later->error || later->fault_cycle + 1 != limit)
			continue;
		hd_later_fault(later, window->run->gpu);
		return;
	}
}

/* What the SMs leave for the loop. */
static void gather(struct hd_window *window)
{
	struct hd_run *run = window->run;
	uint8_t noted = 0;
	for (uint32_t i = 0; i < window->count; i++) {
		struct hd_sm *sm = run->gpu->sms[window->sms[i]];
		noted |= window->noted[window->sms[i]];
		if (sm->dispatch.retired || sm->dispatch.wanted)
			hd_run_collect(run, sm, window->end - 1);
		window->stopped[window->sms[i]] = 0;
	}
	if (noted & FED)
		run->memory_next = hd_earlier(run->memory_next, window->end);
	if (noted & IDLE)
		hd_run_find_busy(run);
}

/* The last cycle in which an SM did something. */
static uint64_t last_worked(const struct hd_window *window, uint64_t now)
{
	uint64_t last = now;
	for (uint32_t i = 0; i < window->count; i++)
		if (window->worked[window->sms[i]] > last)
			last = window->worked[window->sms[i]];
	return last;
}

/* The cycle in which the last work of the only grid was done; `otherwise`: there is more. */
static uint64_t ended_at(const struct hd_window *window, uint64_t otherwise)
{
	struct hd_run *run = window->run;
	if (run->memory_next <= window->end)
		hd_run_memory(run, window->end);
	hd_run_find_busy(run);
	if (run->working_count || !hd_memory_idle(run->gpu->memory))
		return otherwise;
	uint64_t last = hd_memory_last(run->gpu->memory);
	return last > otherwise ? last : otherwise;
}

uint64_t hd_window_run(struct hd_window *window, uint64_t now, uint64_t end, uint64_t *last)
{
	struct hd_run *run = window->run;
	window->end = end;
	window->waiting = window->shifts ? hd_run_may_wait(run) : hd_run_waits_for_room(run);
	window->warps_leave = window->waiting && (run->gpu->running > 1 || window->shifts);
	window->head = window->waiting ? hd_run_head(run->gpu) : NULL;
	window->works = true;
	do_parts(window, now);
	uint64_t limit = limit_of(window);
	uint64_t valid = do_later(window, now, limit);
	take_fault(window, limit);
	gather(window);
	window->works = false;
	HD_TELL(run->gpu, window_end, run->gpu, valid);
	*last = run->gpu->error ? end - 1 : last_worked(window, now);
	if (run->ending && !run->gpu->error)
		*last = run->gpu->running > 1 ? end - 1 : ended_at(window, *last);
	uint64_t next = HD_NEVER;
	for (uint32_t i = 0; i < run->busy_count; i++)
		next = hd_earlier(next, run->due[run->busy[i]]);
	return next;
}
