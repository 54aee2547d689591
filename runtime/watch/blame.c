/*
 * Where issue slots went: each slot of each scheduler, with the one reason that it has (stalls.def), counted at the
 * instruction at which it was used or lost. In the statistics that is
 *
 *   "slots": {"instructions": [{"function": "_Z1kPf", "pc": 48, "text": "FADD R2, R2, R3", "file": "k.cu", "line": 7,
 *                               "stalls": {"issued": 640, "data_memory": 12000}, "access": {"threads": 20480}}, ...],
 *             "kernels": {"_Z1kPf": "k(float*)"}, "nowhere": {"idle": 90}}
 *
 * with the instructions that have any, in the order of the code; `kernels` has the names, as launches have them, of
 * those functions that are kernels. An instruction of another function has `kernels`, too: its stalls by the kernel of
 * the warps. Which instruction it is, of those that the schedulers' warps are at, is for scheduler.c to say. `nowhere`
 * has the slots without a warp to blame, and those of modules that have been unloaded. The sums over both are the
 * counters `stalls` of the total. Instructions without a line have no `file`; those of linear versions have `"linear":
 * true`; `access` is that of traffic.c. Where slots were lost for a unit, `holders` says which instructions had it:
 * {"_Z1kPf+0x30": 11000}, of linear versions "_Z1kPf+0x30, linear". These are the last one that was issued to an
 * execution unit, and in the load/store unit the one that it serves while its queue is full. Copies in bulk, transfers
 * and instructions that policies add hold units, too, and are in none.
 *
 * Needs schedulers to look again whenever a warp's state changes, which scheduler.c sees to. Sums over all launches,
 * the same for any number of host threads. Cost: nothing when off; when on 8 bytes an instruction and reason of what
 * each kernel runs, a search among the scheduler's warps for each visit that issues nothing, and one addition.
 */
#include "runtime/watch/blame.h"

#include "heddle/figures.h"
#include "lib/map.h"
#include "lib/strbuf.h"
#include "runtime/exec/exec.h"
#include "runtime/sm/sm.h"
#include "runtime/watch/traffic.h"

/* What slots count at: an instruction, and the kernel of the warp. */
struct place {
	uint32_t pc, kernel; /* pc HD_PC_NONE: none */
	/* What has the unit that is waited for, before cycle `until` and from then on; HD_PC_NONE: none that is known.
	 * Slots before `since` have been counted. */
	uint32_t holder[2];
	uint64_t until, since;
	const struct hd_warp *waits; /* for the load/store unit; NULL: for none, or another one */
};

/* Slots lost at one instruction for a unit that another one has. */
struct held {
	uint32_t pc, holder;
	uint64_t slots;
};
typedef HD_VEC(struct held) held_list;

/* Of one SM. */
struct holders {
	held_list list;
	struct hd_map index; /* of what key_of makes: where it is in the list */
};

struct blame {
	struct hd_gpu *gpu;
	void **of;	/* [function]: NULL: it has none; void *[kernel], NULL: the same: uint64_t [instruction][enum
			   hd_stall] */
	uint32_t count; /* of functions; kernels are some of these */
	uint64_t nowhere[HD_STALL_COUNT];
	struct place *at;	 /* [SM][scheduler] */
	struct holders *holders; /* [SM] */
};

/* Of a warp: the last instruction that it has issued from its place; HD_PC_NONE before the first. */
static uint32_t *issued_pc(const struct hd_watcher_handle *self, const struct hd_warp *warp)
{
	return HD_WATCHER_OF(self, warp, warp);
}

static struct place *place_of(const struct blame *blame, const struct hd_sm *sm, uint32_t scheduler)
{
	return &blame->at[sm->id * HD_MAX_SCHEDULERS + scheduler];
}

static struct place place_at(const struct hd_warp *warp, uint32_t pc)
{
	return (struct place){.pc = pc,
			      .kernel = warp->cta->grid->function,
			      .holder = {HD_PC_NONE, HD_PC_NONE},
			      .until = HD_NEVER};
}

/* What *slot points to: zeros, made by the host thread that is first. */
static void *made(void **slot, size_t count, size_t size)
{
	void *known = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
	if (known)
		return known;
	void *fresh = hd_xcalloc(count, size);
	if (__atomic_compare_exchange_n(slot, &known, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return fresh;
	free(fresh);
	return known;
}

static uint64_t *row_at(struct blame *blame, struct place place)
{
	const struct hd_program *program = &blame->gpu->program;
	if (place.pc == HD_PC_NONE)
		return blame->nowhere;
	uint32_t id = program->code.data[place.pc].function;
	const struct hd_pfunction *function = &program->functions.data[id];
	void **kernels = made(&blame->of[id], blame->count, sizeof(*kernels));
	uint64_t *rows = made(&kernels[place.kernel], (size_t)function->count * HD_STALL_COUNT, sizeof(*rows));
	return rows + (size_t)(place.pc - function->first) * HD_STALL_COUNT;
}

static void **enlarged(void **list, uint32_t before, uint32_t after)
{
	list = hd_xrealloc(list, sizeof(*list) * after);
	memset(list + before, 0, sizeof(*list) * (after - before));
	return list;
}

/* Makes room for all functions that are loaded. */
static void grid_begin(const struct hd_watcher_handle *self, struct hd_gpu *gpu, struct hd_grid *grid)
{
	struct blame *blame = self->state;
	uint32_t before = blame->count, after = gpu->program.functions.len;
	(void)grid;
	if (after <= before)
		return;
	for (uint32_t i = 0; i < before; i++)
		if (blame->of[i])
			blame->of[i] = enlarged(blame->of[i], before, after);
	blame->of = enlarged(blame->of, before, after);
	blame->count = after;
}

static void scheduled(const struct hd_watcher_handle *self, const struct hd_sm *sm, const struct hd_warp *warp)
{
	(void)sm;
	*issued_pc(self, warp) = HD_PC_NONE;
}

/* What a policy puts before the instruction counts as its own. */
static void picked(const struct hd_watcher_handle *self, const struct hd_sm *sm, uint32_t scheduler,
		   const struct hd_warp *warp, bool second)
{
	*issued_pc(self, warp) = warp->pc;
	if (!second)
		*place_of(self->state, sm, scheduler) = place_at(warp, warp->pc);
}

/* HD_PC_NONE: it is a policy's, and in no code. */
static uint32_t pc_of(const struct hd_program *program, const void *inst)
{
	const char *first = (const char *)program->code.data;
	size_t at = (size_t)((const char *)inst - first) / sizeof(struct hd_dinst);
	return inst && (const char *)inst >= first && at < program->code.len ? (uint32_t)at : HD_PC_NONE;
}

static void find_load_store(const struct hd_sm *sm, struct place *place, uint64_t now)
{
	const struct hd_program *program = &sm->gpu->program;
	uint32_t grid = sm->grid_of[place->waits->id];
	uint64_t after;
	place->holder[0] = pc_of(program, hd_lsu_holder(sm->lsu, grid, now, &place->until));
	place->holder[1] = pc_of(program, hd_lsu_holder(sm->lsu, grid, place->until, &after));
}

/* What has the unit that the warp waits for. */
static void find_holder(const struct hd_sm *sm, uint32_t index, const struct hd_warp *warp, struct place *place)
{
	const struct hd_scheduler *scheduler = &sm->scheduling.schedulers[index];
	uint32_t port = sm->scheduling.ready_port[warp->id];
	const struct hd_unit *unit = hd_unit_first_free(&sm->units, scheduler, port);
	bool busy = unit->issue > scheduler->charged, memory = port == HD_PORT_MEMORY || port == HD_PIPE_LSU;
	place->since = scheduler->charged;
	if (busy && !(memory && sm->memory_queues.places)) {
		place->holder[0] = pc_of(&sm->gpu->program, unit->last);
	} else if (memory) {
		place->waits = warp;
		find_load_store(sm, place, scheduler->charged);
	}
}

/* At what the warp would issue next; where that waits for something that it has issued itself (a branch, a barrier, a
 * fence), at this. */
static void lost(const struct hd_watcher_handle *self, const struct hd_sm *sm, uint32_t scheduler,
		 const struct hd_warp *warp, uint32_t reason)
{
	bool own = reason == HD_STALL_control || reason == HD_STALL_barrier || reason == HD_STALL_fence ||
		   reason == HD_STALL_async || reason == HD_STALL_tensor || reason == HD_STALL_bulk ||
		   reason == HD_STALL_registers;
	bool issued = warp && own && *issued_pc(self, warp) != HD_PC_NONE;
	struct place *place = place_of(self->state, sm, scheduler);
	*place = issued ? place_at(warp, *issued_pc(self, warp))
		 : warp ? place_at(warp, warp->pc)
			: (struct place){.pc = HD_PC_NONE};
	if (warp && reason == HD_STALL_unit)
		find_holder(sm, scheduler, warp, place);
}

static const void *key_of(uint32_t pc, uint32_t holder)
{
	return (const void *)(uintptr_t)(((uint64_t)pc << 32 | holder) + 1);
}

static void add_held(struct holders *holders, uint32_t pc, uint32_t holder, uint64_t count)
{
	const struct hd_map_entry *known = hd_map_get(&holders->index, key_of(pc, holder));
	if (!count || holder == HD_PC_NONE)
		return;
	if (!known) {
		hd_map_put(&holders->index, key_of(pc, holder), holders->list.len, 0);
		hd_vec_push(&holders->list, (struct held){pc, holder, 0});
	}
	holders->list.data[known ? known->start : holders->list.len - 1].slots += count;
}

/* Those up to cycle `to`. */
static void count_held(struct holders *holders, struct place *place, uint64_t to)
{
	uint64_t from = place->since, until = place->until > from ? hd_earlier(place->until, to) : from;
	if (from >= to || place->pc == HD_PC_NONE)
		return;
	add_held(holders, place->pc, place->holder[0], until - from);
	add_held(holders, place->pc, place->holder[1], to - until);
	place->since = to;
}

/* The load/store unit may have gone on to its next instruction, while schedulers go on waiting for it. */
static void served(const struct hd_watcher_handle *self, const struct hd_sm *sm, uint64_t now)
{
	struct blame *blame = self->state;
	for (uint32_t i = 0; i < sm->scheduling.count; i++) {
		struct place *place = place_of(blame, sm, i);
		if (!place->waits)
			continue;
		count_held(&blame->holders[sm->id], place, now);
		find_load_store(sm, place, now);
	}
}

static void slots(const struct hd_watcher_handle *self, const struct hd_sm *sm, uint32_t scheduler, uint32_t reason,
		  uint64_t from, uint64_t count)
{
	struct blame *blame = self->state;
	struct place *place = place_of(blame, sm, scheduler);
	if (!count)
		return;
	__atomic_fetch_add(&row_at(blame, *place)[reason], count, __ATOMIC_RELAXED);
	if (reason == HD_STALL_unit)
		count_held(&blame->holders[sm->id], place, from + count);
}

static const struct hd_watcher blame_watcher = {.name = "blame",
						.warp_bytes = sizeof(uint32_t),
						.all_code = true,
						.grid_begin = grid_begin,
						.scheduled = scheduled,
						.picked = picked,
						.lost = lost,
						.served = served,
						.slots = slots};

void hd_blame_start(struct hd_gpu *gpu)
{
	struct blame *blame = HD_ARENA_NEW(&gpu->arena, struct blame, 1);
	size_t schedulers = gpu->sm_count * HD_MAX_SCHEDULERS;
	blame->gpu = gpu;
	blame->at = HD_ARENA_NEW(&gpu->arena, struct place, schedulers);
	blame->holders = HD_ARENA_NEW(&gpu->arena, struct holders, gpu->sm_count);
	for (size_t i = 0; i < schedulers; i++)
		blame->at[i].pc = HD_PC_NONE;
	hd_watcher_add(gpu, &blame_watcher, blame);
	hd_traffic_start(gpu);
}

void hd_blame_end(struct hd_gpu *gpu)
{
	struct blame *blame = hd_watcher_state(gpu, &blame_watcher);
	for (uint32_t i = 0; blame && i < blame->count; i++) {
		for (uint32_t kernel = 0; blame->of[i] && kernel < blame->count; kernel++)
			free(((void **)blame->of[i])[kernel]);
		free(blame->of[i]);
	}
	for (uint32_t i = 0; blame && i < gpu->sm_count; i++) {
		hd_vec_release(&blame->holders[i].list);
		hd_map_release(&blame->holders[i].index);
	}
	if (blame)
		free(blame->of);
	hd_traffic_end(gpu);
}

static bool is_empty(const uint64_t *row)
{
	uint64_t any = 0;
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		any |= row[i];
	return !any;
}

static json_t *stalls_json(const uint64_t *row)
{
	json_t *object = json_object();
	for (uint32_t i = 0; i < HD_STALL_COUNT; i++)
		if (row[i])
			json_object_set_new(object, hd_stall_name[i], json_integer((json_int_t)row[i]));
	return object;
}

/* The kernels that have run a function, in order, with what their warps have of it. */
struct sharer {
	const char *name;
	const uint64_t *rows;
};
typedef HD_VEC(struct sharer) sharers;

static bool is_kernel(const struct hd_pfunction *function)
{
	return function->said && function->said->kernel && function->said->demangled;
}

static const uint64_t *find_row(const struct sharer *sharer, const struct hd_pfunction *function, uint32_t pc)
{
	return sharer->rows + (size_t)(pc - function->first) * HD_STALL_COUNT;
}

static void find_sharers(const struct blame *blame, uint32_t function, sharers *list)
{
	list->len = 0;
	for (uint32_t i = 0; blame->of[function] && i < blame->count; i++) {
		const uint64_t *rows = ((void **)blame->of[function])[i];
		const struct hd_pfunction *kernel = &blame->gpu->program.functions.data[i];
		const char *name = is_kernel(kernel) ? kernel->said->demangled : kernel->name;
		if (rows)
			hd_vec_push(list, (struct sharer){name, rows});
	}
}

/* Two kernels may have one name: then launches do not tell them apart, either. */
static json_t *kernels_json(const sharers *list, const struct hd_pfunction *function, uint32_t pc)
{
	json_t *object = json_object();
	for (uint32_t i = 0; i < list->len; i++) {
		const uint64_t *row = find_row(&list->data[i], function, pc);
		json_t *stalls = json_object_get(object, list->data[i].name);
		if (!is_empty(row) && !stalls)
			json_object_set_new(object, list->data[i].name, stalls = json_object());
		for (uint32_t reason = 0; reason < HD_STALL_COUNT; reason++) {
			json_int_t before = json_integer_value(json_object_get(stalls, hd_stall_name[reason]));
			if (row[reason])
				json_object_set_new(stalls, hd_stall_name[reason],
						    json_integer(before + (json_int_t)row[reason]));
		}
	}
	return object;
}

static int by_place(const void *left, const void *right)
{
	const struct held *a = left, *b = right;
	if (a->pc != b->pc)
		return a->pc < b->pc ? -1 : 1;
	return (a->holder > b->holder) - (a->holder < b->holder);
}

/* Of all SMs, by instruction. */
static void find_held(const struct blame *blame, held_list *all)
{
	for (uint32_t i = 0; i < blame->gpu->sm_count; i++)
		for (uint32_t n = 0; n < blame->holders[i].list.len; n++)
			hd_vec_push(all, blame->holders[i].list.data[n]);
	if (all->len)
		qsort(all->data, all->len, sizeof *all->data, by_place);
}

static void add_holder(json_t *object, const struct hd_program *program, const struct held *held)
{
	const struct hd_pfunction *of = &program->functions.data[program->code.data[held->holder].function];
	char name[32];
	struct hd_strbuf key = {0};
	if (!of->module)
		return;
	snprintf(name, sizeof name, "+0x%x", (held->holder - of->first) * HD_INST_BYTES);
	hd_strbuf_printf(&key, "%s%s%s", of->name, name, of->linear ? ", linear" : "");
	json_int_t before = json_integer_value(json_object_get(object, hd_strbuf_text(&key)));
	json_object_set_new(object, hd_strbuf_text(&key), json_integer(before + (json_int_t)held->slots));
	hd_strbuf_release(&key);
}

/* Of the instruction; NULL: it has none. *at goes behind its part of the list. */
static json_t *holders_json(const struct hd_gpu *gpu, const held_list *all, uint32_t pc, uint32_t *at)
{
	json_t *object = json_object();
	while (*at < all->len && all->data[*at].pc < pc)
		++*at;
	for (; *at < all->len && all->data[*at].pc == pc; ++*at)
		add_holder(object, &gpu->program, &all->data[*at]);
	if (json_object_size(object))
		return object;
	json_decref(object);
	return NULL;
}

static json_t *instruction_json(const struct hd_gpu *gpu, const struct hd_pfunction *function, uint32_t pc,
				const uint64_t *row)
{
	char text[256];
	struct hd_loc place = hd_place_of(gpu, pc);
	json_t *object = json_object();
	hd_inst_format(&gpu->program.code.data[pc].inst, text, sizeof text);
	json_object_set_new(object, "function", json_string(function->name));
	json_object_set_new(object, "pc", json_integer((json_int_t)(pc - function->first) * HD_INST_BYTES));
	json_object_set_new(object, "text", json_string(text));
	if (place.file) {
		json_object_set_new(object, "file", json_string(place.file));
		json_object_set_new(object, "line", json_integer(place.line));
	}
	if (function->linear)
		json_object_set_new(object, "linear", json_true());
	json_object_set_new(object, "stalls", stalls_json(row));
	json_t *access = hd_traffic_json(gpu, pc);
	if (access)
		json_object_set_new(object, "access", access);
	return object;
}

json_t *hd_blame_json(const struct hd_gpu *gpu)
{
	const struct blame *blame = hd_watcher_state(gpu, &blame_watcher);
	uint64_t nowhere[HD_STALL_COUNT];
	uint32_t current = UINT32_MAX;
	uint32_t at = 0;
	sharers list = {0};
	held_list held = {0};
	json_t *object = json_object(), *instructions = json_array(), *kernels = json_object();
	memcpy(nowhere, blame->nowhere, sizeof nowhere);
	find_held(blame, &held);
	for (uint32_t pc = 0; pc < gpu->program.code.len; pc++) {
		uint32_t id = gpu->program.code.data[pc].function;
		const struct hd_pfunction *function = &gpu->program.functions.data[id];
		uint64_t row[HD_STALL_COUNT] = {0};
		if (id >= blame->count || !blame->of[id])
			continue;
		if (id != current)
			find_sharers(blame, current = id, &list);
		for (uint32_t i = 0; i < list.len * HD_STALL_COUNT; i++)
			row[i % HD_STALL_COUNT] +=
				find_row(&list.data[i / HD_STALL_COUNT], function, pc)[i % HD_STALL_COUNT];
		if (is_empty(row))
			continue;
		for (uint32_t i = 0; i < HD_STALL_COUNT && !function->module; i++)
			nowhere[i] += row[i];
		if (!function->module)
			continue;
		json_t *json = instruction_json(gpu, function, pc, row);
		if (is_kernel(function))
			json_object_set_new(kernels, function->name, json_string(function->said->demangled));
		else
			json_object_set_new(json, "kernels", kernels_json(&list, function, pc));
		json_t *holders = holders_json(gpu, &held, pc, &at);
		if (holders)
			json_object_set_new(json, "holders", holders);
		json_array_append_new(instructions, json);
	}
	hd_vec_release(&list);
	hd_vec_release(&held);
	json_object_set_new(object, "instructions", instructions);
	json_object_set_new(object, "kernels", kernels);
	json_object_set_new(object, "nowhere", stalls_json(nowhere));
	return object;
}
