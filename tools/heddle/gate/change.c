/*
 * Pairs kernels and functions of two builds and finds the figures that differ. A name is the demangled one with its
 * parameters; what is left over on both sides is paired by its bare name where that is unambiguous, so that a kernel
 * with a new parameter is one that changed.
 *
 * Cost: O(n log n) in the functions, and the chains of those that changed.
 */
#include "tools/heddle/gate/change.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "tools/heddle/gate/carry.h"
#include "tools/heddle/gate/runs.h"

/* ------------------------------------------------------------------ pairing */

struct named {
	const char *name;
	const struct gate_subject *subject;
	uint32_t order; /* in the input */
};

typedef HD_VEC(struct named) named_list;

static int by_name(const void *a, const void *b)
{
	const struct named *left = a, *right = b;
	int order = right->subject->meta->kernel - left->subject->meta->kernel;
	order = order ? order : strcmp(left->name, right->name);
	return order ? order : (left->order > right->order) - (left->order < right->order);
}

static int compare_names(const struct named *a, const struct named *b)
{
	int order = b->subject->meta->kernel - a->subject->meta->kernel;
	return order ? order : strcmp(a->name, b->name);
}

static void push_pair(struct gate_changes *changes, const struct gate_subject *old, const struct gate_subject *now)
{
	hd_vec_push(&changes->pairs, (struct gate_pair){.old = old, .now = now});
}

static void sort_names(named_list *list)
{
	if (list->len)
		qsort(list->data, list->len, sizeof(*list->data), by_name);
}

/* Whether no other of the list has the name of element `at`. */
static bool unique(const named_list *list, uint32_t at)
{
	return (at == 0 || compare_names(&list->data[at - 1], &list->data[at]) != 0) &&
	       (at + 1 == list->len || compare_names(&list->data[at], &list->data[at + 1]) != 0);
}

/* Pairs equal names in two sorted lists and puts the rest into `old_rest` and `now_rest`. */
static void merge(struct gate_changes *changes, const named_list *old, const named_list *now, bool must_be_unique,
		  named_list *old_rest, named_list *now_rest)
{
	uint32_t i = 0, j = 0;
	while (i < old->len || j < now->len) {
		int order = i == old->len ? 1 : j == now->len ? -1 : compare_names(&old->data[i], &now->data[j]);
		bool good = order == 0 && (!must_be_unique || (unique(old, i) && unique(now, j)));
		if (good)
			push_pair(changes, old->data[i++].subject, now->data[j++].subject);
		else if (order <= 0)
			hd_vec_push(old_rest, old->data[i++]);
		else
			hd_vec_push(now_rest, now->data[j++]);
	}
}

/* What a subject is paired by. A kernel in a run is no build of it; with another policy or GPU it is another run. */
static const char *pair_name(struct gate_changes *changes, const struct gate_subject *subject)
{
	if (!subject->run)
		return subject->name;
	return hd_arena_printf(changes->arena, "run\t%s%s", subject->name, gate_run_text(subject->run, changes->arena));
}

static void collect(struct gate_changes *changes, const struct gate_subjects *subjects, named_list *list)
{
	for (uint32_t i = 0; i < subjects->list.len; i++) {
		const struct gate_subject *subject = &subjects->list.data[i];
		hd_vec_push(list, (struct named){pair_name(changes, subject), subject, i});
	}
	sort_names(list);
}

static void use_bare_names(struct gate_changes *changes, named_list *list)
{
	/* Runs with different policies are the same kernel, where there is one of each. */
	for (uint32_t i = 0; i < list->len; i++)
		list->data[i].name =
			hd_arena_printf(changes->arena, "%s%s", list->data[i].subject->run ? "run\t" : "",
					hd_meta_function_bare_name(list->data[i].subject->meta, changes->arena));
	sort_names(list);
}

static void pair_up(struct gate_changes *changes, const struct gate_subjects *old, const struct gate_subjects *now)
{
	named_list lists[6] = {0};
	collect(changes, old, &lists[0]);
	collect(changes, now, &lists[1]);
	merge(changes, &lists[0], &lists[1], false, &lists[2], &lists[3]);
	use_bare_names(changes, &lists[2]);
	use_bare_names(changes, &lists[3]);
	merge(changes, &lists[2], &lists[3], true, &lists[4], &lists[5]);
	for (uint32_t i = 0; i < lists[4].len; i++)
		push_pair(changes, lists[4].data[i].subject, NULL);
	for (uint32_t i = 0; i < lists[5].len; i++)
		push_pair(changes, NULL, lists[5].data[i].subject);
	for (unsigned i = 0; i < 6; i++)
		hd_vec_release(&lists[i]);
}

/* ------------------------------------------------------------------ figures */

struct pairing {
	struct gate_changes *changes;
	struct gate_pair *pair;
	const struct gate_budget *no_budget;
};

static double room_of(const struct gate_changes *changes, const struct gate_metric *metric, double old)
{
	for (uint32_t i = changes->tolerances.len; i--;) {
		const struct gate_tolerance *tolerance = &changes->tolerances.data[i];
		if (strcmp(tolerance->metric->name, metric->name) == 0)
			return tolerance->percent ? fabs(old) * tolerance->value / 100 : tolerance->value;
	}
	return gate_metric_room(metric, old);
}

/* Of a run, what cannot be seen does not count as a change. */
static bool reads_the_same(const struct gate_changes *changes, const struct gate_change *change)
{
	return change->metric->getter == GATE_RUN &&
	       strcmp(gate_value_text(change->metric, &change->old, changes->arena),
		      gate_value_text(change->metric, &change->now, changes->arena)) == 0;
}

static void add_change(struct pairing *pairing, const struct gate_metric *metric, const struct gate_setting *was,
		       const struct gate_setting *setting)
{
	struct gate_pair *pair = pairing->pair;
	struct gate_change change = {.metric = metric, .setting = *setting, .old_block = was->block};
	if (!gate_metric_get(metric, pair->old, was, &change.old) ||
	    !gate_metric_get(metric, pair->now, setting, &change.now))
		return;
	if (!gate_value_differs(&change.old, &change.now) || reads_the_same(pairing->changes, &change))
		return;
	int worse = gate_value_change(metric->direction, &change.old, &change.now,
				      room_of(pairing->changes, metric, change.old.number));
	change.directed = metric->direction != GATE_NEITHER && worse != 0;
	change.verdict = worse < 0 ? GATE_BETTER : GATE_WORSE;
	change.counts = change.directed && (pairing->changes->chosen.len || metric->cost);
	hd_vec_push(&pair->changes, change);
}

static bool has_block(const struct gate_setting *settings, unsigned count, uint32_t block)
{
	for (unsigned i = 0; i < count; i++)
		if (settings[i].block == block)
			return true;
	return false;
}

/* The block sizes of one side, ascending, in the settings of one GPU. */
static unsigned settings_of(struct pairing *pairing, const struct gate_subject *subject, const struct hd_config *gpu,
			    struct gate_setting settings[GATE_MOST_BLOCKS])
{
	const char *why;
	unsigned count = gate_settings(pairing->no_budget, pairing->changes->choice, NULL, subject, settings, &why);
	for (unsigned i = 0; i < count; i++)
		settings[i].gpu = gpu;
	return count;
}

/* Leaves of `settings` those that `other` does not have. */
static unsigned without(const struct gate_setting *settings, unsigned count, const struct gate_setting *other,
			unsigned others, struct gate_setting rest[GATE_MOST_BLOCKS])
{
	unsigned kept = 0;
	for (unsigned i = 0; i < count; i++)
		if (!has_block(other, others, settings[i].block))
			rest[kept++] = settings[i];
	return kept;
}

/*
 * For each block size that both sides have. As many others on one side as on the other are launches that have another
 * block now, in the order of their sizes; else each of them is compared as if both sides had it.
 */
static void add_blocks(struct pairing *pairing, const struct gate_metric *metric, const struct gate_setting *old,
		       unsigned olds, const struct gate_setting *now, unsigned nows)
{
	struct gate_setting old_rest[GATE_MOST_BLOCKS], now_rest[GATE_MOST_BLOCKS];
	unsigned went = without(old, olds, now, nows, old_rest), came = without(now, nows, old, olds, now_rest);
	for (unsigned i = 0; i < nows; i++)
		if (has_block(old, olds, now[i].block))
			add_change(pairing, metric, &now[i], &now[i]);
	for (unsigned i = 0; i < came; i++)
		add_change(pairing, metric, went == came ? &old_rest[i] : &now_rest[i], &now_rest[i]);
	for (unsigned i = 0; i < went && went != came; i++)
		add_change(pairing, metric, &old_rest[i], &old_rest[i]);
}

/* Where neither side has a block size, what the registers alone allow. */
static void add_occupancy(struct pairing *pairing, const struct gate_metric *metric, const struct hd_config *gpu)
{
	struct gate_setting old[GATE_MOST_BLOCKS], now[GATE_MOST_BLOCKS], unknown = {.gpu = gpu};
	unsigned olds = settings_of(pairing, pairing->pair->old, gpu, old),
		 nows = settings_of(pairing, pairing->pair->now, gpu, now);
	if (gate_metric_any_block(metric) || (!olds && !nows))
		add_change(pairing, gate_metric_named("register_warps"), &unknown, &unknown);
	else
		add_blocks(pairing, metric, old, olds, now, nows);
}

static void add_metric(struct pairing *pairing, const struct gate_metric *metric)
{
	const struct gate_gpus *gpus = pairing->changes->gpus;
	struct gate_setting everywhere = {0};
	if (metric->getter != GATE_OCCUPANCY)
		add_change(pairing, metric, &everywhere, &everywhere);
	else if (pairing->pair->now->meta->kernel && !pairing->pair->now->run)
		for (unsigned gpu = 0; gpu < gpus->count; gpu++)
			add_occupancy(pairing, metric, &gpus->config[gpu]);
}

static void find_changes(struct pairing *pairing)
{
	const struct gate_changes *changes = pairing->changes;
	for (uint32_t i = 0; i < changes->chosen.len; i++)
		add_metric(pairing, changes->chosen.data[i]);
	for (unsigned i = 0; !changes->chosen.len && i < gate_metric_count; i++)
		if (!gate_metrics[i].form)
			add_metric(pairing, &gate_metrics[i]);
}

/* ------------------------------------------------------------------ what carries them, and what they cost */

static bool told(const struct gate_pair *pair, const struct gate_note *note)
{
	for (uint32_t i = 0; i < pair->changes.len; i++)
		for (uint32_t n = 0; n < pair->changes.data[i].notes.len; n++)
			if (strcmp(pair->changes.data[i].notes.data[n].text, note->text) == 0)
				return true;
	return false;
}

/* Why the kernel got slower, at its line. */
static void carry_run(const struct gate_changes *changes, struct gate_pair *pair, struct gate_change *change)
{
	const struct hd_meta_source *source = &pair->now->meta->source;
	const char *reason = gate_run_reason(pair->old->run->slots, pair->now->run->slots, changes->arena);
	if (strcmp(change->metric->name, "run.cycles") != 0 || change->verdict != GATE_WORSE || !change->directed ||
	    !reason)
		return;
	struct gate_note note = {{gate_root_source(changes->root, source->file, pair->now->unit->path, changes->arena),
				  source->line},
				 reason};
	if (note.place.file)
		hd_vec_push(&change->notes, note);
}

/* Several figures may have one carrier: it is told at the first. */
static void carry(const struct gate_changes *changes, struct gate_pair *pair, struct gate_change *change)
{
	gate_notes notes = {0};
	struct gate_carry carrying = {.root = changes->root,
				      .arena = changes->arena,
				      .subjects = changes->now,
				      .old = changes->old_of,
				      .about = gate_value_blamed(&change->old, &change->now),
				      .setting = &change->setting,
				      .notes = &notes};
	if (pair->now->run) {
		carry_run(changes, pair, change);
		return;
	}
	/* What limits the residency that was gained is no news; registers are, since they may have become fewer. */
	if (change->setting.block && change->verdict == GATE_BETTER &&
	    gate_occupancy(pair->now->meta, &change->setting).limit != HD_LIMIT_REGISTERS)
		return;
	gate_carry_notes(&carrying, pair->now, change->metric);
	for (uint32_t i = 0; i < notes.len; i++)
		if (!told(pair, &notes.data[i]))
			hd_vec_push(&change->notes, notes.data[i]);
	hd_vec_release(&notes);
}

/* ------------------------------------------------------------------ order */

/* How many ranks there are. */
static uint32_t rank_count(const struct gate_changes *changes)
{
	uint32_t most = changes->chosen.len;
	for (unsigned i = 0; !changes->chosen.len && i < gate_metric_count; i++)
		most = gate_metrics[i].rank > most ? gate_metrics[i].rank : most;
	return most;
}

/* Of the chosen metrics its place, else that of its row; rank_count() for none. */
static uint32_t rank_of(const struct gate_changes *changes, const struct gate_metric *metric)
{
	uint32_t i = 0;
	if (!changes->chosen.len)
		return (metric->rank ? metric->rank : rank_count(changes) + 1) - 1;
	while (i < changes->chosen.len && changes->chosen.data[i] != metric)
		i++;
	return i;
}

/* The largest change over GPUs and block sizes; of occupancy, as a share, since its forms have several units. */
static void add_rank(const struct gate_changes *changes, struct gate_pair *pair, const struct gate_change *change)
{
	uint32_t count = rank_count(changes), rank = rank_of(changes, change->metric);
	bool gain = change->directed && change->verdict == GATE_BETTER;
	if (rank == count)
		return;
	double size = fabs(change->now.number - change->old.number);
	if (change->metric->getter == GATE_OCCUPANCY)
		size /= fmax(change->old.number, change->now.number);
	/* Before all changes of numbers. */
	if (change->now.state != change->old.state || change->now.places != change->old.places)
		size = UINT32_MAX;
	double *place = &pair->rank[(change->counts ? 0 : 2 * count) + (gain ? count : 0) + rank];
	*place = fmax(*place, size);
}

static void compare_pair(struct gate_changes *changes, struct gate_pair *pair)
{
	struct gate_budget no_budget = {0};
	struct pairing pairing = {changes, pair, &no_budget};
	pair->ranks = 4 * rank_count(changes);
	pair->rank = HD_ARENA_NEW(changes->arena, double, pair->ranks);
	if (!pair->old || !pair->now)
		return;
	changes->compared++;
	find_changes(&pairing);
	for (uint32_t i = 0; i < pair->changes.len; i++) {
		carry(changes, pair, &pair->changes.data[i]);
		add_rank(changes, pair, &pair->changes.data[i]);
	}
}

/* Both sides, new, removed; then the dearest first; then kernels before functions, by name. */
static int by_cost(const void *a, const void *b)
{
	const struct gate_pair *left = a, *right = b;
	int order = (!left->old - !right->old) + 2 * (!left->now - !right->now);
	for (uint32_t i = 0; i < left->ranks && !order; i++)
		order = (left->rank[i] < right->rank[i]) - (left->rank[i] > right->rank[i]);
	const struct gate_subject *one = left->now ? left->now : left->old,
				  *other = right->now ? right->now : right->old;
	order = order ? order : other->meta->kernel - one->meta->kernel;
	order = order ? order : strcmp(one->name, other->name);
	order = order ? order : strcmp(one->meta->name, other->meta->name);
	order = order || !one->run || !other->run ? order : strcmp(one->run->conditions, other->run->conditions);
	order = order || !one->run || !other->run ? order : strcmp(one->run->gpu, other->run->gpu);
	return order ? order : strcmp(one->unit->path, other->unit->path);
}

static bool is_chosen(const struct gate_pair *pair)
{
	return (pair->old && pair->old->chosen) || (pair->now && pair->now->chosen);
}

/* What each subject was, also of those that are not chosen: chains lead through them. */
static void keep_old(struct gate_changes *changes)
{
	changes->old_of = HD_ARENA_NEW(changes->arena, const struct gate_subject *, changes->now->list.len + 1);
	for (uint32_t i = 0; i < changes->pairs.len; i++)
		if (changes->pairs.data[i].now)
			changes->old_of[changes->pairs.data[i].now - changes->now->list.data] =
				changes->pairs.data[i].old;
}

void gate_changes_compute(struct gate_changes *changes, const struct gate_subjects *old,
			  const struct gate_subjects *now)
{
	uint32_t kept = 0;
	changes->now = now;
	pair_up(changes, old, now);
	keep_old(changes);
	for (uint32_t i = 0; i < changes->pairs.len; i++) {
		struct gate_pair pair = changes->pairs.data[i];
		if (!is_chosen(&pair))
			continue;
		compare_pair(changes, &pair);
		if (pair.changes.len || !pair.old || !pair.now)
			changes->pairs.data[kept++] = pair;
	}
	changes->pairs.len = kept;
	if (kept)
		qsort(changes->pairs.data, kept, sizeof(*changes->pairs.data), by_cost);
}

void gate_changes_release(struct gate_changes *changes)
{
	for (uint32_t i = 0; i < changes->pairs.len; i++) {
		struct gate_pair *pair = &changes->pairs.data[i];
		for (uint32_t c = 0; c < pair->changes.len; c++)
			hd_vec_release(&pair->changes.data[c].notes);
		hd_vec_release(&pair->changes);
	}
	hd_vec_release(&changes->pairs);
	hd_vec_release(&changes->chosen);
	hd_vec_release(&changes->tolerances);
}
