/*
 * Clusters of blocks: their places, their barriers, and the accesses between them.
 *
 * The blocks of a cluster begin together, on SMs of one GPC, in the order of their ranks: on as many SMs as there are
 * blocks where a GPC has room on so many, else on those that have. GPCs take turns. A GPC's SMs are two of each TPC;
 * SMs are numbered TPC by TPC over the GPCs, as an H800 has them (Luo et al., arXiv 2501.12084: the log of cluster
 * sizes).
 *
 * SMs go through a window of cycles without each other (window.c), and note what their warps do to clusters. It takes
 * effect behind the window: arrivals at barriers, ends of blocks, accesses to other blocks' shared memory when they
 * have arrived. Nobody learns of any of these sooner than hd_clusters_lead cycles later, and no window is longer. The
 * places of a cluster are free cluster_launch_latency after its last block has ended.
 *
 * Cost: O(used SMs) a window while clusters run, and what happens to them; O(SMs) a cluster for its places.
 */
#include "runtime/gpu/clusters.h"

#include "heddle/config.h"
#include "runtime/exec/bulk.h"
#include "runtime/exec/remote.h"
#include "runtime/gpu/run.h"
#include "runtime/memory/dsm.h"
#include "runtime/sm/cluster.h"
#include "runtime/sm/places.h"

enum { MOST_GPCS = 64, GPC_SMS = 16 };

struct hd_clusters {
	struct hd_dsm *dsm;
	uint32_t gpcs, turn;	       /* turn: the GPC that is looked at first */
	uint32_t first[MOST_GPCS + 1]; /* in `sms`, of each GPC */
	uint16_t sms[HD_MAX_SMS];
	HD_VEC(struct hd_cluster *) all;
	uint32_t ended; /* of these, that keep their places */
};

/* ---- GPCs */

static uint32_t configured(const struct hd_config *config, uint32_t sizes[MOST_GPCS])
{
	uint32_t count = 0;
	for (uint64_t left = config->gpc_sms; left; left /= 100)
		sizes[count++] = (uint32_t)(left % 100);
	for (uint32_t i = 0; i < count / 2; i++) {
		uint32_t other = sizes[i];
		sizes[i] = sizes[count - 1 - i];
		sizes[count - 1 - i] = other;
	}
	uint32_t sum = 0;
	for (uint32_t i = 0; i < count; i++)
		sum += sizes[i];
	for (; sum < config->sm_count && count < MOST_GPCS; sum += GPC_SMS)
		sizes[count++] = GPC_SMS;
	return count;
}

/* Deals the SMs out, a TPC at a time. */
static void find_gpcs(struct hd_clusters *clusters, const struct hd_config *config)
{
	uint32_t sizes[MOST_GPCS], have[MOST_GPCS] = {0}, count = configured(config, sizes), gpc = 0;
	uint8_t of[HD_MAX_SMS];
	for (uint32_t sm = 0; sm < config->sm_count; sm++) {
		if (sm % 2 == 0)
			for (gpc = sm ? (gpc + 1) % count : 0; have[gpc] >= sizes[gpc]; gpc = (gpc + 1) % count)
				;
		of[sm] = (uint8_t)gpc;
		have[gpc]++;
	}
	uint32_t at = 0;
	for (gpc = 0; gpc < count; gpc++) {
		clusters->first[gpc] = at;
		for (uint32_t sm = 0; sm < config->sm_count; sm++)
			if (of[sm] == gpc)
				clusters->sms[at++] = (uint16_t)sm;
	}
	clusters->first[count] = at;
	clusters->gpcs = count;
}

struct hd_clusters *hd_clusters_new(struct hd_run *run)
{
	struct hd_clusters *clusters = HD_ARENA_NEW(&run->gpu->arena, struct hd_clusters, 1);
	clusters->dsm = hd_dsm_new(run->gpu->config, &run->gpu->arena);
	find_gpcs(clusters, run->gpu->config);
	return clusters;
}

void hd_clusters_free(struct hd_clusters *clusters)
{
	if (!clusters)
		return;
	for (uint32_t i = 0; i < clusters->all.len; i++)
		free(clusters->all.data[i]);
	hd_vec_release(&clusters->all);
	hd_dsm_release(clusters->dsm);
}

uint64_t hd_clusters_lead(const struct hd_run *run)
{
	const struct hd_config *config = run->gpu->config;
	uint64_t woken = hd_later(1, config->mbarrier_arrive + config->mbarrier_wake);
	return hd_earlier(hd_earlier(hd_dsm_lead(config), woken),
			  hd_earlier(config->cluster_barrier_latency, config->cluster_launch_latency));
}

static struct hd_clusters *clusters_of(struct hd_run *run)
{
	if (!run->clusters)
		run->clusters = hd_clusters_new(run);
	return run->clusters;
}

uint32_t hd_clusters_fit(const struct hd_run *run, uint32_t blocks, uint32_t ctas)
{
	struct hd_clusters gpcs = {.gpcs = 0};
	uint32_t fit = 0;
	find_gpcs(&gpcs, run->gpu->config);
	for (uint32_t i = 0; i < gpcs.gpcs; i++)
		fit += (gpcs.first[i + 1] - gpcs.first[i]) * ctas / blocks;
	return fit;
}

/* ---- places */

static struct hd_cluster *take_cluster(struct hd_clusters *clusters, struct hd_grid *grid)
{
	struct hd_cluster *cluster = NULL;
	for (uint32_t i = 0; i < clusters->all.len && !cluster; i++)
		if (!clusters->all.data[i]->used)
			cluster = clusters->all.data[i];
	if (!cluster) {
		cluster = hd_xcalloc(1, sizeof *cluster);
		hd_vec_push(&clusters->all, cluster);
	}
	uint32_t phase = cluster->phase;
	*cluster = (struct hd_cluster){.grid = grid, .used = true, .phase = phase};
	cluster->size = cluster->left = grid->cluster_blocks;
	cluster->threads = grid->cluster_blocks * grid->block_threads;
	return cluster;
}

/* Block `rank` of cluster number `number`, by its number in the grid. */
static uint64_t block_of(const struct hd_grid *grid, uint64_t number, uint32_t rank)
{
	uint64_t index[3];
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t clusters = grid->grid[i] / grid->cluster[i];
		index[i] = number % clusters * grid->cluster[i] + rank % grid->cluster[i];
		number /= clusters;
		rank /= grid->cluster[i];
	}
	return index[0] + grid->grid[0] * (index[1] + grid->grid[1] * index[2]);
}

static void launch(struct hd_run *run, struct hd_cluster *cluster, struct hd_sm *sm, uint32_t rank, uint64_t block,
		   uint64_t now)
{
	hd_clusters_prepare(sm);
	sm->dispatch.cluster = cluster;
	sm->dispatch.rank = rank;
	hd_sm_launch_cta(sm, cluster->grid, block, now);
	sm->dispatch.cluster = NULL;
	sm->dispatch.rank = 0;
	run->due[hd_sm_id(sm)] = now;
}

/* How many blocks of the grid an SM has room for, at most `most`. */
static uint32_t room_of(const struct hd_run *run, const struct hd_sm *sm, const struct hd_grid *grid, uint32_t most)
{
	const struct hd_sm_grid *mine = &sm->grids[grid->slot];
	const struct hd_config *config = run->gpu->config;
	/* Beside other grids the limit says nothing, and that there is room for one block is all that is known. */
	if (mine->placed != sm->resident_ctas && most > 1)
		most = 1;
	uint32_t room = mine->limit > mine->placed ? mine->limit - mine->placed : 0;
	uint32_t warps = ((uint32_t)config->max_warps - sm->places.placed_warps) / grid->block_warps;
	room = room < warps ? room : warps;
	return room < most ? room : most;
}

/* SMs of a GPC for a cluster's blocks, in the order of ranks, `alone`: each on one of its own. False: there is no room;
 * `*later`: but in this cycle. */
static bool find_places(struct hd_run *run, const struct hd_grid *grid, uint32_t gpc, bool alone, uint64_t now,
			struct hd_sm *places[HD_CLUSTER_MOST], uint64_t *later)
{
	const struct hd_clusters *clusters = run->clusters;
	uint32_t count = 0, size = grid->cluster_blocks, room;
	uint32_t first = clusters->first[gpc], end = clusters->first[gpc + 1];
	for (uint32_t i = first; i < end && count < size; i++) {
		struct hd_sm *sm = run->gpu->sms[clusters->sms[i]];
		if (!hd_run_use(run, clusters->sms[i], grid))
			return false;
		room = hd_sm_has_room(sm, grid) ? room_of(run, sm, grid, alone ? 1 : size) : 0;
		if (room && sm->dispatch.next > now && !run->gpu->functional) {
			*later = hd_earlier(*later, sm->dispatch.next);
			room = 0;
		}
		for (; room && count < size; room--)
			places[count++] = sm;
	}
	return count == size;
}

static struct hd_cluster *begin(struct hd_run *run, struct hd_grid *grid, uint32_t gpc,
				struct hd_sm *places[HD_CLUSTER_MOST], uint64_t now)
{
	struct hd_clusters *clusters = run->clusters;
	struct hd_cluster *cluster = take_cluster(clusters, grid);
	uint64_t number = grid->cta_next / grid->cluster_blocks;
	for (uint32_t rank = 0; rank < cluster->size; rank++)
		launch(run, cluster, places[rank], rank, block_of(grid, number, rank), now);
	grid->cta_next += cluster->size;
	clusters->turn = (gpc + 1) % clusters->gpcs;
	return cluster;
}

/* In the first GPC from that behind the last one on that has an SM for each block; else in one with room. */
static struct hd_cluster *place(struct hd_run *run, struct hd_grid *grid, uint64_t now, uint64_t *later)
{
	const struct hd_clusters *clusters = clusters_of(run);
	struct hd_sm *places[HD_CLUSTER_MOST];
	for (uint32_t shared = grid->balanced; shared < 2; shared++)
		for (uint32_t i = 0; i < clusters->gpcs; i++) {
			uint32_t gpc = (clusters->turn + i) % clusters->gpcs;
			if (find_places(run, grid, gpc, !shared, now, places, later))
				return begin(run, grid, gpc, places, now);
			if (run->gpu->error)
				return NULL;
		}
	return NULL;
}

uint64_t hd_clusters_dispatch(struct hd_run *run, struct hd_grid *grid, uint64_t now)
{
	uint64_t later = HD_NEVER;
	if (grid->dispatch_from > now)
		return grid->dispatch_from;
	while (hd_grid_waits_for_room(grid) && place(run, grid, now, &later))
		;
	return hd_grid_waits_for_room(grid) ? later : HD_NEVER;
}

struct hd_cta *hd_clusters_begin(struct hd_run *run, struct hd_grid *grid, uint64_t now)
{
	uint64_t later = HD_NEVER;
	struct hd_cluster *cluster = place(run, grid, now, &later);
	return cluster ? cluster->ctas[0] : NULL;
}

/* ---- ends */

static void free_places(struct hd_run *run, struct hd_cluster *cluster, uint64_t now)
{
	for (uint32_t rank = 0; rank < cluster->size; rank++) {
		struct hd_cta *cta = cluster->ctas[rank];
		hd_sm_release_cta(cta->sm, cta);
		hd_run_collect(run, cta->sm, now);
	}
	cluster->used = false;
	run->clusters->ended--;
}

uint64_t hd_clusters_retire(struct hd_run *run, uint64_t now)
{
	struct hd_clusters *clusters = run->clusters;
	uint64_t next = HD_NEVER;
	for (uint32_t i = 0; clusters && clusters->ended && i < clusters->all.len; i++) {
		struct hd_cluster *cluster = clusters->all.data[i];
		if (!cluster->used || cluster->left)
			continue;
		if (cluster->under_way)
			next = hd_earlier(next, hd_later(now + 1, cluster->places_free));
		else if (cluster->places_free > now && !run->gpu->functional)
			next = hd_earlier(next, cluster->places_free);
		else
			free_places(run, cluster, now);
	}
	return next;
}

/* ---- what SMs have done */

/* All threads that are left have arrived. */
static void complete(struct hd_run *run, struct hd_cluster *cluster, uint64_t end)
{
	cluster->phase++;
	cluster->arrived = 0;
	cluster->released = hd_later(cluster->taken + run->gpu->config->cluster_barrier_latency, end);
	hd_cluster_release(cluster, end - 1);
	for (uint32_t rank = 0; rank < cluster->size && !run->gpu->functional; rank++) {
		uint32_t sm = hd_sm_id(cluster->ctas[rank]->sm);
		run->due[sm] = hd_earlier(run->due[sm], hd_later(end, run->gpu->sms[sm]->wheel.next));
	}
}

static void note(struct hd_run *run, const struct hd_cluster_event *event)
{
	struct hd_cluster *cluster = event->cluster;
	switch (event->kind) {
	case HD_CLUSTER_ARRIVE: cluster->arrived += event->threads; break;
	case HD_CLUSTER_EXIT:
		cluster->threads -= event->threads;
		cluster->arrived -= event->arrived;
		break;
	default:
		cluster->ended |= UINT32_C(1) << event->rank;
		cluster->places_free =
			hd_later(cluster->places_free, event->cycle + run->gpu->config->cluster_launch_latency);
		if (!--cluster->left) {
			run->clusters->ended++;
			run->dispatch_next = hd_earlier(run->dispatch_next, cluster->places_free);
		}
		return;
	}
	cluster->taken = hd_later(cluster->taken, event->cycle);
}

/* Completions come when all events are known: those of one cluster may be of several SMs. */
static void note_events(struct hd_run *run, uint64_t end)
{
	for (uint32_t round = 0; round < 2; round++)
		HD_FOR_USED (run, i) {
			struct hd_exec *exec = run->gpu->sms[i]->exec;
			for (uint32_t k = 0; exec->remotes && k < exec->remotes->events.len; k++) {
				const struct hd_cluster_event *event = &exec->remotes->events.data[k];
				struct hd_cluster *cluster = event->cluster;
				if (!round)
					note(run, event);
				else if (cluster->threads && cluster->arrived == cluster->threads)
					complete(run, cluster, end);
			}
			if (round && exec->remotes)
				hd_vec_clear(&exec->remotes->events);
		}
}

void hd_clusters_note(struct hd_run *run)
{
	note_events(run, run->gpu->now + 1);
}

/* Those that wait in blocks of these ranks, whose barriers have changed. */
static uint64_t wake(struct hd_run *run, const struct hd_cluster *cluster, uint32_t ranks, uint64_t cycle, uint64_t end)
{
	uint64_t next = HD_NEVER;
	for (; ranks; ranks &= ranks - 1) {
		const struct hd_cta *cta = cluster->ctas[__builtin_ctz(ranks)];
		struct hd_sm *sm = cta->sm;
		uint64_t woken = cycle + sm->mbarriers.arrive + sm->mbarriers.wake;
		hd_mbarrier_release(sm, cta, end - 1, hd_later(woken, end));
		run->due[sm->id] = hd_earlier(run->due[sm->id], hd_later(end, sm->wheel.next));
		next = hd_earlier(next, run->due[sm->id]);
	}
	return next;
}

static uint64_t move_accesses(struct hd_run *run, uint64_t end)
{
	struct hd_dsm *dsm = run->clusters->dsm;
	HD_FOR_USED (run, i) {
		struct hd_dsm_port *port = hd_lsu_port(run->gpu->sms[i]->lsu);
		if (port && port->out.len)
			hd_dsm_take(dsm, port);
	}
	uint64_t next = HD_NEVER;
	for (struct hd_dsm_access *access; (access = hd_dsm_next(dsm, end));) {
		struct hd_sm *sm = run->gpu->sms[access->sm];
		const struct hd_cluster *cluster = access->what->cluster;
		uint64_t done = access->done;
		uint32_t ranks = hd_remote_do(run->gpu->exec, access->what);
		if (__builtin_expect(ranks, 0))
			next = hd_earlier(next, wake(run, cluster, ranks, access->arrived, end));
		if (access->form == HD_DSM_SYNC) {
			hd_dsm_forget(hd_lsu_port(sm->lsu), access);
			continue;
		}
		hd_lsu_remote_done(sm->lsu, access);
		sm->due.completion = hd_lsu_next_completion(sm->lsu);
		run->due[sm->id] = hd_earlier(run->due[sm->id], done);
		next = hd_earlier(next, done);
	}
	return hd_earlier(next, hd_dsm_due(dsm));
}

/* Bytes of copies in bulk for blocks on other SMs: on their way for longer than the window. */
static void move_copies(struct hd_run *run, uint64_t end)
{
	HD_FOR_USED (run, i) {
		struct hd_sm *sm = run->gpu->sms[i];
		struct hd_bulk_sent sent;
		while (hd_bulk_take_sent(sm, &sent)) {
			struct hd_sm *to = hd_bulk_target(sent.bulk, sent.rank)->sm;
			uint32_t bytes = hd_bulk_sent_bytes(sent.bulk);
			if (bytes) {
				sent.cycle = hd_later(end, hd_dsm_send(run->clusters->dsm, sm->id, sent.cycle, bytes));
				hd_bulk_acknowledge(sm, sent.bulk, sent.cycle, end - 1);
				run->due[i] = hd_earlier(run->due[i], hd_later(end, sm->wheel.next));
			}
			hd_bulk_deliver(to, &sent, end - 1);
			run->due[to->id] = hd_earlier(run->due[to->id], hd_later(end, to->wheel.next));
		}
	}
}

uint64_t hd_clusters_step(struct hd_run *run, uint64_t end)
{
	if (!run->clusters)
		return HD_NEVER;
	uint64_t next = move_accesses(run, end);
	move_copies(run, end);
	note_events(run, end);
	HD_FOR_USED (run, i)
		next = hd_earlier(next, run->due[i]);
	return next;
}

/* ---- faults */

static void drop(struct hd_dsm_access *access)
{
	hd_remote_drop(access->what);
}

void hd_clusters_abandon(struct hd_run *run)
{
	struct hd_clusters *clusters = run->clusters;
	if (!clusters)
		return;
	HD_FOR_USED (run, i) {
		struct hd_sm *sm = run->gpu->sms[i];
		struct hd_dsm_port *port = hd_lsu_port(sm->lsu);
		if (port)
			hd_dsm_take(clusters->dsm, port);
		if (sm->exec->remotes)
			hd_vec_clear(&sm->exec->remotes->events);
	}
	for (struct hd_dsm_access *access; (access = hd_dsm_next(clusters->dsm, HD_NEVER - 1));) {
		struct hd_lsu *lsu = run->gpu->sms[access->sm]->lsu;
		drop(access);
		if (access->form == HD_DSM_SYNC)
			hd_dsm_forget(hd_lsu_port(lsu), access);
		else
			hd_lsu_remote_done(lsu, access);
	}
	for (uint32_t i = 0; i < clusters->all.len; i++)
		clusters->all.data[i]->used = false;
	clusters->ended = 0;
}
