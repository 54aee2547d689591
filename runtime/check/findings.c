/*
 * What --check has found: one entry for each kind and pair of instructions, with a count, and how it is told: once for
 * each pair of places in the source. The first occurrence is the one that is described.
 */
#include <ctype.h>
#include <inttypes.h>

#include "heddle/figures.h"
#include "runtime/check/check.h"
#include "runtime/check/state.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/fault.h"
#include "runtime/exec/later.h"
#include "runtime/exec/load.h"
#include "runtime/sm/sm.h"

enum { MOST_PLACES = 200 };

void hd_finding_place(struct hd_finding *finding, const struct hd_warp *warp, uint32_t lane)
{
	finding->thread = warp->index * HD_WARP_LANES + lane;
	finding->kernel = warp->cta->grid->kernel;
	memcpy(finding->grid, warp->cta->grid->grid, sizeof(finding->grid));
	memcpy(finding->block, warp->cta->index, sizeof(finding->block));
	memcpy(finding->shape, warp->cta->grid->block, sizeof(finding->shape));
}

void hd_check_found(struct hd_check *check, const struct hd_warp *warp, uint32_t lane, struct hd_finding finding)
{
	hd_finding_place(&finding, warp, lane);
	hd_check_found_by(check, warp->cta->sm, &finding);
}

static bool same_places(const struct hd_finding *a, const struct hd_finding *b)
{
	return a->kind == b->kind && a->pc == b->pc && a->other_pc == b->other_pc;
}

/* Counts it so many times. */
static void count(struct hd_check *check, const struct hd_finding *finding, uint64_t times)
{
	for (uint32_t i = 0; i < check->findings.len; i++)
		if (same_places(&check->findings.data[i], finding)) {
			check->findings.data[i].count += times;
			return;
		}
	if (check->findings.len == MOST_PLACES) {
		check->not_kept += times;
		return;
	}
	hd_vec_push(&check->findings, *finding);
	check->findings.data[check->findings.len - 1].count = times;
}

void hd_check_found_at(struct hd_check *check, const struct hd_finding *finding)
{
	count(check, finding, 1);
}

/* ---- in windows */

uint64_t hd_check_cycle(const struct hd_sm *sm)
{
	return hd_puts_off(sm->exec) ? sm->now : sm->gpu->now;
}

void hd_check_found_by(struct hd_check *check, const struct hd_sm *sm, const struct hd_finding *finding)
{
	struct hd_sm_check *own = &check->sms[sm->id];
	if (!hd_puts_off(sm->exec)) {
		hd_check_found_at(check, finding);
		return;
	}
	/* Again in the same cycle: what a fault makes void is void as a whole. */
	for (uint32_t i = own->noted.len; i-- && own->noted.data[i].cycle == sm->now;)
		if (same_places(&own->noted.data[i].finding, finding)) {
			own->noted.data[i].finding.count++;
			return;
		}
	hd_vec_push(&own->noted, ((struct hd_noted){sm->now, *finding}));
	own->noted.data[own->noted.len - 1].finding.count = 1;
}

/* Counts what SMs found in a cycle; returns the next cycle in which one did. */
static uint64_t collect(struct hd_check *check, uint64_t cycle)
{
	uint64_t following = HD_NEVER;
	for (uint32_t id = 0; id < check->gpu->sm_count; id++) {
		struct hd_sm_check *sm = &check->sms[id];
		const struct hd_noted *noted = sm->noted.data;
		for (; sm->collected < sm->noted.len && noted[sm->collected].cycle <= cycle; sm->collected++)
			count(check, &noted[sm->collected].finding, noted[sm->collected].finding.count);
		if (sm->collected < sm->noted.len)
			following = hd_earlier(following, noted[sm->collected].cycle);
	}
	return following;
}

void hd_check_collect(struct hd_check *check, uint64_t end)
{
	uint32_t noted = 0;
	for (uint32_t id = 0; id < check->gpu->sm_count; id++)
		noted |= check->sms[id].noted.len;
	for (uint64_t cycle = 0; noted && cycle < end;)
		cycle = collect(check, cycle);
	for (uint32_t id = 0; noted && id < check->gpu->sm_count; id++)
		check->sms[id].noted.len = check->sms[id].collected = 0;
}

uint32_t hd_check_places(const struct hd_check *check)
{
	return check->findings.len;
}

/* ---- where in memory */

/* Does a shared variable of this name belong to the kernel? Those of functions do ("_ZZ4kernPiE4tile"), by its name. */
static bool is_of_kernel(const char *variable, const char *kernel)
{
	if (strncmp(variable, "_ZZ", 3))
		return true;
	size_t length = strlen(kernel);
	return length > 2 && !strncmp(kernel, "_Z", 2) && !strncmp(variable + 3, kernel + 2, length - 2) &&
	       variable[3 + length - 2] == 'E';
}

/* Behind the names of the function that a mangled variable is of: of "_ZZ5kern2PiE1s" at "PiE1s". */
static const char *behind_function(const char *name, const char *end)
{
	const char *at = name + 2;
	if (strncmp(name, "_ZZ", 3) != 0)
		return at;
	for (at += 1 + (name[3] == 'N'); at < end && isdigit((unsigned char)*at);) {
		char *rest;
		unsigned long count = strtoul(at, &rest, 10);
		if (count > (unsigned long)(end - rest))
			break;
		at = rest + count;
	}
	return at;
}

/* The last name of "_ZZ4kernPiE4tile" or "_ZZ4kernPiE4tile_0"; other names as they are. */
static void short_name(const char *name, char *text, size_t size)
{
	const char *found = name, *end = name + strlen(name);
	size_t length = strlen(name);
	if (!strncmp(name, "_Z", 2)) {
		const char *tail = end;
		while (tail > name && isdigit((unsigned char)tail[-1]))
			tail--;
		if (tail > name && tail[-1] == '_' && tail < end)
			end = tail - 1;
		for (const char *at = behind_function(name, end); at < end; at++) {
			char *rest;
			unsigned long count = isdigit((unsigned char)*at) ? strtoul(at, &rest, 10) : 0;
			if (count && rest + count == end) {
				found = rest;
				length = count;
				break;
			}
		}
	}
	snprintf(text, size, "%.*s", (int)length, found);
}

static const struct hd_symbol *shared_symbol(const struct hd_kernel *kernel, uint64_t offset, uint64_t *inside)
{
	const struct hd_object *object = &kernel->module->object;
	const struct hd_symbol *found = NULL;
	for (uint32_t i = 0; i < object->symbol_count; i++) {
		const struct hd_symbol *symbol = &object->symbols[i];
		if (symbol->kind != HD_SYM_VARIABLE || symbol->space != HD_SPACE_SHARED || !symbol->defined ||
		    offset < symbol->section_offset || offset - symbol->section_offset >= symbol->size ||
		    !is_of_kernel(symbol->name, hd_kernel_name(kernel)))
			continue;
		if (found)
			return NULL; /* of different kernels: which is meant is not known */
		found = symbol;
		*inside = offset - symbol->section_offset;
	}
	return found;
}

static const struct hd_symbol *global_symbol(const struct hd_gpu *gpu, uint64_t address, uint64_t *inside)
{
	for (const struct hd_module *module = gpu->modules; module; module = module->next)
		for (uint32_t i = 0; i < module->object.symbol_count; i++) {
			const struct hd_symbol *symbol = &module->object.symbols[i];
			uint64_t start, size;
			if (symbol->kind != HD_SYM_VARIABLE || symbol->space == HD_SPACE_SHARED || !symbol->defined ||
			    hd_program_symbol(module, symbol->name, &start, &size) || address - start >= size)
				continue;
			*inside = address - start;
			return symbol;
		}
	return NULL;
}

static bool describe_block_of_heap(const struct hd_gpu *gpu, uint64_t address, char *text, size_t size)
{
	uint64_t low, high;
	if (!gpu->heap_address || !hd_devmem_find(gpu->devmem, gpu->heap_address, &low, &high) ||
	    address - low >= high - low)
		return false;
	const struct hd_heap_block *block = hd_check_heap_block(hd_check_of(gpu), address);
	if (!block || address < block->low || address - block->low >= block->bytes)
		return false;
	snprintf(text, size, "byte %" PRIu64 " of a block of %" PRIu64 " bytes that malloc returned",
		 address - block->low, block->bytes);
	return true;
}

static void describe_memory(const struct hd_gpu *gpu, const struct hd_finding *finding, char *text, size_t size)
{
	uint64_t inside = 0, low, high;
	char name[128];
	bool shared = finding->space == HD_MEM_SHARED;
	if (finding->space == HD_MEM_LOCAL) {
		snprintf(text, size, "offset %" PRIu64, finding->address);
		return;
	}
	const struct hd_symbol *symbol = shared ? shared_symbol(finding->kernel, finding->address, &inside)
						: global_symbol(gpu, finding->address, &inside);
	if (symbol) {
		short_name(symbol->name, name, sizeof name);
		snprintf(text, size, "byte %" PRIu64 " of %s", inside, name);
	} else if (shared) {
		snprintf(text, size, "byte %" PRIu64 " of shared memory", finding->address);
	} else if (describe_block_of_heap(gpu, finding->address, text, size)) {
		return;
	} else if (hd_devmem_find(gpu->devmem, finding->address, &low, &high)) {
		snprintf(text, size, "byte %" PRIu64 " of the %" PRIu64 " bytes allocated at 0x%" PRIx64,
			 finding->address - low, high - low, low);
	} else {
		snprintf(text, size, "address 0x%" PRIx64, finding->address);
	}
}

/* ---- in words */

static void describe_thread(const struct hd_finding *finding, uint32_t thread, char *text, size_t size)
{
	const uint32_t *shape = finding->shape;
	snprintf(text, size, "(%u,%u,%u)", thread % shape[0], thread / shape[0] % shape[1],
		 thread / shape[0] / shape[1]);
}

/* Behind the thread. */
static void describe_block(const struct hd_finding *finding, char *text, size_t size)
{
	uint32_t number = finding->other_block - 1, x = finding->grid[0], y = finding->grid[1];
	size_t at = strlen(text);
	snprintf(text + at, size - at, " of block (%u,%u,%u)", number % x, number / x % y, number / x / y);
}

static void describe_race(const struct hd_gpu *gpu, const struct hd_finding *finding, char *text, size_t size)
{
	static const char *const words[][3] = {
		[HD_FOUND_READ_AFTER_WRITE] = {"read after write", "reads", "wrote"},
		[HD_FOUND_WRITE_AFTER_READ] = {"write after read", "writes", "read"},
		[HD_FOUND_WRITE_AFTER_WRITE] = {"write after write", "writes", "wrote something else"},
	};
	char memory[200], other[96];
	describe_memory(gpu, finding, memory, sizeof memory);
	describe_thread(finding, finding->other, other, sizeof other);
	if (finding->other_block)
		describe_block(finding, other, sizeof other);
	if (finding->what) {
		snprintf(text, size, "race (%s) in shared memory: %s %u byte%s at %s; thread %s %s",
			 words[finding->kind][0], words[finding->kind][1], finding->bytes,
			 finding->bytes == 1 ? "" : "s", memory, other, finding->what);
		return;
	}
	snprintf(text, size,
		 "race (%s) in %s memory: %s %u byte%s at %s; thread %s %s there, and nothing orders the two",
		 words[finding->kind][0], finding->space == HD_MEM_SHARED ? "shared" : "global",
		 words[finding->kind][1], finding->bytes, finding->bytes == 1 ? "" : "s", memory, other,
		 words[finding->kind][2]);
}

/* Where an access is beside what it is meant for. */
static void describe_outside(const struct hd_gpu *gpu, const struct hd_finding *finding, char *text, size_t size)
{
	char memory[200], name[128];
	const char *access = gpu->program.code.data[finding->pc].effects & HD_FX_STORE ? "store" : "load";
	bool before = finding->address < finding->low;
	uint64_t away = before ? finding->low - finding->address : finding->address - finding->low - finding->size;
	if (!before && finding->address - finding->low < finding->size)
		away = 0; /* over its end */
	if (finding->kind == HD_FOUND_OUTSIDE) {
		describe_memory(gpu, finding, memory, sizeof memory);
		short_name(finding->what, name, sizeof name);
		snprintf(text, size,
			 "%u-byte %s out of bounds: %" PRIu64 " bytes %s the %" PRIu64 " bytes of %s, at %s",
			 finding->bytes, access, away, before ? "before" : "behind", finding->size, name, memory);
	} else if (!finding->size) {
		snprintf(text, size, "%u-byte %s out of bounds: at 0x%" PRIx64 " on the heap, in no block of malloc",
			 finding->bytes, access, finding->address);
	} else if (finding->kind == HD_FOUND_FREED) {
		snprintf(text, size,
			 "%u-byte %s at 0x%" PRIx64 ": byte %" PRIu64 " of a block of %" PRIu64
			 " bytes that malloc returned and that was freed",
			 finding->bytes, access, finding->address, finding->address - finding->low, finding->size);
	} else {
		snprintf(text, size,
			 "%u-byte %s out of bounds: at 0x%" PRIx64 ", %" PRIu64 " bytes %s a block of %" PRIu64
			 " bytes that malloc returned",
			 finding->bytes, access, finding->address, away, before ? "before" : "behind", finding->size);
	}
}

static void describe(const struct hd_gpu *gpu, const struct hd_finding *finding, char *text, size_t size)
{
	char memory[200], other[48] = "";
	uint32_t absent = (uint32_t)__builtin_popcount(finding->lanes);
	const char *operation = hd_meeting_name(gpu->program.code.data[finding->pc].inst.op);
	if (finding->other != UINT32_MAX)
		describe_thread(finding, finding->other, other, sizeof other);
	switch (finding->kind) {
	case HD_FOUND_UNWRITTEN:
		describe_memory(gpu, finding, memory, sizeof memory);
		snprintf(text, size, "uninitialised value: nothing has written %s memory at %s; the value %s",
			 finding->space == HD_MEM_SHARED  ? "shared"
			 : finding->space == HD_MEM_LOCAL ? "local"
							  : "global",
			 memory, finding->what);
		break;
	case HD_FOUND_SHUFFLE:
		snprintf(text, size, "undefined value: a shuffle took it from a lane that does not take part; it %s",
			 finding->what);
		break;
	case HD_FOUND_BARRIER:
		snprintf(text, size,
			 "barrier under divergence: %u threads of the warp are not at it, the first of them %s", absent,
			 other);
		break;
	case HD_FOUND_WARPSYNC:
		if (finding->what)
			snprintf(text, size, "%s: %s", operation, finding->what);
		else
			snprintf(text, size, "%s: its mask names %u threads that do not come to it, the first %s",
				 operation, absent, other);
		break;
	case HD_FOUND_OUTSIDE:
	case HD_FOUND_HEAP:
	case HD_FOUND_FREED: describe_outside(gpu, finding, text, size); break;
	case HD_FOUND_LEAK:
		snprintf(text, size, "leak: a block of %" PRIu64 " bytes that malloc returned here was never freed",
			 finding->size);
		break;
	default: describe_race(gpu, finding, text, size); break;
	}
}

static const char *other_place(const struct hd_finding *finding)
{
	if (finding->kind <= HD_FOUND_WRITE_AFTER_WRITE && finding->what)
		return strncmp(finding->what, "wrote", 5) ? "the copy" : "the other thread's write";
	switch (finding->kind) {
	case HD_FOUND_READ_AFTER_WRITE:
	case HD_FOUND_WRITE_AFTER_WRITE: return "the other thread's write";
	case HD_FOUND_WRITE_AFTER_READ: return "the other thread's read";
	case HD_FOUND_UNWRITTEN: return "it is read here";
	case HD_FOUND_SHUFFLE: return "the shuffle";
	case HD_FOUND_HEAP: return "the block is from here";
	case HD_FOUND_FREED: return "it was freed here";
	default: return "there that thread is";
	}
}

static void describe_pc(const struct hd_gpu *gpu, uint32_t pc, char *text, size_t size)
{
	const struct hd_pfunction *function = &gpu->program.functions.data[gpu->program.code.data[pc].function];
	*text = '\0';
	if (!hd_place_of(gpu, pc).file)
		snprintf(text, size, ", at %s+0x%x", function->name, (pc - function->first) * HD_INST_BYTES);
}

static bool is_same_place(const struct hd_gpu *gpu, uint32_t pc, uint32_t other_pc)
{
	uint32_t count = gpu->program.code.len;
	if (pc == other_pc || pc >= count || other_pc >= count)
		return pc == other_pc;
	struct hd_loc a = hd_place_of(gpu, pc), b = hd_place_of(gpu, other_pc);
	return a.file && b.file && a.line == b.line && a.column == b.column && !strcmp(a.file, b.file);
}

/* One that several instructions of a place in the source have in common: a loop that was unrolled, a copied struct. */
static bool is_repeated(const struct hd_gpu *gpu, const struct hd_finding *known, const struct hd_finding *finding)
{
	bool same_words =
		known->what == finding->what || (known->what && finding->what && !strcmp(known->what, finding->what));
	return same_words && known->kind == finding->kind && known->kernel == finding->kernel &&
	       known->space == finding->space && is_same_place(gpu, known->pc, finding->pc) &&
	       is_same_place(gpu, known->other_pc, finding->other_pc);
}

static uint64_t hash_place(const struct hd_gpu *gpu, uint32_t pc, uint64_t hash)
{
	struct hd_loc loc = pc < gpu->program.code.len ? hd_place_of(gpu, pc) : HD_NOWHERE;
	if (!loc.file)
		return hd_hash_mix(hash, pc);
	return hd_hash_mix(hd_hash_mix(hd_hash_text(hash, loc.file), loc.line), loc.column);
}

/* Of what is_repeated compares. */
static uint64_t hash_finding(const struct hd_gpu *gpu, const struct hd_finding *finding)
{
	uint64_t hash = hd_hash_text(HD_HASH_TEXT, finding->what ? finding->what : "");
	hash = hd_hash_mix(hd_hash_mix(hash, finding->kind), finding->space);
	return hash_place(gpu, finding->other_pc, hash_place(gpu, finding->pc, hash));
}

/* Counts what repeats an earlier finding there. */
static void join_new(struct hd_check *check)
{
	for (uint32_t i = check->joined; i < check->findings.len; i++) {
		struct hd_finding *finding = &check->findings.data[i];
		uint64_t hash = hash_finding(check->gpu, finding);
		struct hd_hash_slot *slot;
		HD_HASH_FIND(slot, &check->places, hash,
			     is_repeated(check->gpu, &check->findings.data[slot->id], finding));
		if (!hd_hash_found(slot)) {
			hd_hash_set_put(&check->places, slot, hash, i);
			continue;
		}
		finding->repeated = true;
		check->findings.data[slot->id].count += finding->count;
		finding->count = 0;
	}
}

static void tell(struct hd_check *check, const struct hd_finding *finding)
{
	const struct hd_gpu *gpu = check->gpu;
	const struct hd_kernel *kernel = finding->kernel;
	char text[640], thread[48], place[200];
	describe(gpu, finding, text, sizeof text);
	describe_thread(finding, finding->thread, thread, sizeof thread);
	describe_pc(gpu, finding->pc, place, sizeof place);
	hd_error(gpu->options.diag, hd_place_of(gpu, finding->pc),
		 "kernel %s, block (%u,%u,%u), thread %s%s: %s (%" PRIu64 " time%s)",
		 kernel->meta && kernel->meta->demangled ? kernel->meta->demangled : hd_kernel_name(kernel),
		 finding->block[0], finding->block[1], finding->block[2], thread, place, text, finding->count,
		 finding->count == 1 ? "" : "s");
	if (finding->other_pc == HD_PC_NONE || finding->other_pc >= gpu->program.code.len)
		return;
	describe_pc(gpu, finding->other_pc, place, sizeof place);
	hd_note(gpu->options.diag, hd_place_of(gpu, finding->other_pc), "%s%s", other_place(finding), place);
}

void hd_check_tell(struct hd_check *check)
{
	join_new(check);
	for (; check->joined < check->findings.len; check->joined++) {
		struct hd_finding *finding = &check->findings.data[check->joined];
		if (!finding->told && !finding->repeated && check->gpu->options.diag)
			tell(check, finding);
		finding->told = true;
	}
}

void hd_check_report(struct hd_check *check)
{
	check->launches++;
	hd_guess_end(check);
	hd_global_begin(check);
	hd_check_tell(check);
}

void hd_check_end(struct hd_check *check)
{
	if (!(check->kinds & HD_CHECK_LEAK))
		return;
	hd_check_leaks(check);
	hd_check_tell(check);
}

/* The check that finds it, of checks.def. */
static unsigned check_of(const struct hd_finding *finding)
{
	switch (finding->kind) {
	case HD_FOUND_UNWRITTEN:
	case HD_FOUND_SHUFFLE: return HD_CHECK_INDEX_init;
	case HD_FOUND_BARRIER:
	case HD_FOUND_WARPSYNC: return HD_CHECK_INDEX_sync;
	case HD_FOUND_OUTSIDE:
	case HD_FOUND_HEAP:
	case HD_FOUND_FREED: return HD_CHECK_INDEX_memory;
	case HD_FOUND_LEAK: return HD_CHECK_INDEX_leak;
	default: return finding->space == HD_MEM_SHARED ? HD_CHECK_INDEX_race : HD_CHECK_INDEX_race_global;
	}
}

static uint64_t dropped(const struct hd_check *check)
{
	uint64_t sum = check->room.dropped;
	for (uint64_t i = 0; i < (uint64_t)check->gpu->sm_count * HD_MAX_CONTEXTS; i++)
		sum += check->blocks[i] ? check->blocks[i]->room.dropped : 0;
	return sum;
}

void hd_check_summary(const struct hd_check *check, char *text, size_t size)
{
	struct {
		const char *name;
		uint32_t places;
		uint64_t count;
	} sums[] = {
#define HD_CHECK(name, option, help) {option, 0, 0},
#include "heddle/checks.def"
#undef HD_CHECK
	};
	for (uint32_t i = 0; i < check->findings.len; i++) {
		unsigned sum = check_of(&check->findings.data[i]);
		sums[sum].places += !check->findings.data[i].repeated;
		sums[sum].count += check->findings.data[i].count;
	}
	size_t at = 0;
	for (unsigned i = 0; i < sizeof sums / sizeof *sums && at < size; i++)
		if (check->kinds >> i & 1 || sums[i].places)
			at += (size_t)snprintf(text + at, size - at, "%s%s: %u place%s, %" PRIu64 " time%s",
					       at ? "; " : "", sums[i].name, sums[i].places,
					       sums[i].places == 1 ? "" : "s", sums[i].count,
					       sums[i].count == 1 ? "" : "s");
	if (at < size)
		at += (size_t)snprintf(text + at, size - at, " (%" PRIu64 " launch%s checked)", check->launches,
				       check->launches == 1 ? "" : "es");
	if (check->not_kept && at < size)
		at += (size_t)snprintf(text + at, size - at, "; %" PRIu64 " more at other places", check->not_kept);
	if (dropped(check) && at < size)
		snprintf(text + at, size - at, "; %" PRIu64 " accesses found no room, and races with these are missed",
			 dropped(check));
}
