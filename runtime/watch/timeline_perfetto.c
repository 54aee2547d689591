/*
 * Timelines in Perfetto's format: a protobuf of packets, perfetto/trace/trace_packet.proto. A cycle stands for a
 * nanosecond. The process "GPU" has a track for each stream with its launches; each SM is a process with a track for
 * each place of a block, each scheduler and each warp slot, and a counter of resident warps. A slice of a warp is the
 * instruction that it came to: it begins when the one before has issued, and ends when it issues itself.
 *
 * Only what these packets need of protobuf is written: varints and byte strings with known lengths.
 *
 * Cost: some 60 bytes and 100 ns an instruction.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/stats.h"
#include "lib/hash.h"
#include "runtime/gpu/gpu.h"
#include "runtime/gpu/run.h"
#include "runtime/watch/timeline_events.h"

/* Numbers of fields, from the .proto files named beside them. */
/* trace.proto, trace_packet.proto */
enum {
	TRACE_PACKET = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_DESCRIPTOR = 60
};
/* track_event/track_descriptor.proto, process_descriptor.proto, counter_descriptor.proto */
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
	TRACK_SIBLING_RANK = 12,
	TRACK_CHILD_ORDER = 11,
	PROCESS_PID = 1,
	PROCESS_NAME = 6
};
/* track_event/track_event.proto, interned_data/interned_data.proto, debug_annotation.proto */
enum {
	EVENT_ANNOTATION = 4,
	EVENT_TYPE = 9,
	EVENT_NAME_ID = 10,
	EVENT_TRACK = 11,
	EVENT_COUNTER = 30,
	INTERNED_NAMES = 2,
	INTERNED_NOTES = 3,
	NAME_ID = 1,
	NAME_TEXT = 2,
	ANNOTATION_NAME_ID = 1,
	ANNOTATION_UINT = 3
};
enum { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2, EXPLICIT_ORDER = 3 };

/* Bytes of a message. Names of kernels are cut to fit (MOST_NAME): a packet has a few of them. */
enum { MOST_NAME = 1024, ROOM = 4 * MOST_NAME };
struct message {
	uint32_t length;
	uint8_t bytes[ROOM];
};

/* One sequence: names are numbered in it. */
struct writer {
	struct hd_timeline_output *out;
	struct message packet, part, inner;
	struct message interned; /* names that the next packet brings: one field, which readers do not join */
	uint32_t sequence;
	uint64_t names;	 /* given so far */
	uint64_t *by_pc; /* name of each instruction; 0: none yet */
	uint64_t by_reason[HD_STALL_COUNT];
	uint64_t by_note[HD_TIMELINE_BULK_LANDS + 1];
	uint64_t tracks, processes; /* added to all numbers of these: of this run among others in one file */
	const char *run;	    /* its name, before those of processes; NULL: none */
	const char *notes[16];	    /* NULL behind the last: names of annotations, numbered from 1 on */
	bool begun;
};

/* ------------------------------------------------------------ protobuf */

static inline void put_varint(struct message *to, uint64_t value)
{
	while (value > 127) {
		to->bytes[to->length++] = (uint8_t)(value | 128);
		value >>= 7;
	}
	to->bytes[to->length++] = (uint8_t)value;
}

static inline void put_number(struct message *to, uint32_t field, uint64_t value)
{
	put_varint(to, (uint64_t)field << 3);
	put_varint(to, value);
}

static inline void put_bytes(struct message *to, uint32_t field, const void *bytes, uint32_t size)
{
	put_varint(to, (uint64_t)field << 3 | 2);
	put_varint(to, size);
	memcpy(to->bytes + to->length, bytes, size);
	to->length += size;
}

static void put_text(struct message *to, uint32_t field, const char *text)
{
	size_t length = strlen(text);
	put_bytes(to, field, text, length < MOST_NAME ? (uint32_t)length : MOST_NAME);
}

static inline void put_part(struct message *to, uint32_t field, struct message *part)
{
	put_bytes(to, field, part->bytes, part->length);
	part->length = 0;
}

/* Ends the packet that `packet` has so far. */
static void put_packet(struct writer *writer)
{
	struct message *packet = &writer->packet;
	struct message *size = &writer->inner; /* nobody uses it between packets */
	if (writer->interned.length)
		put_part(packet, PACKET_INTERNED, &writer->interned);
	put_number(packet, PACKET_SEQUENCE, writer->sequence);
	put_number(packet, PACKET_FLAGS, writer->begun ? NEEDS_STATE : STATE_CLEARED | NEEDS_STATE);
	writer->begun = true;
	put_varint(size, (uint64_t)TRACE_PACKET << 3 | 2);
	put_varint(size, packet->length);
	hd_timeline_put(writer->out, size->bytes, size->length);
	hd_timeline_put(writer->out, packet->bytes, packet->length);
	size->length = packet->length = 0;
}

/* ------------------------------------------------------------ tracks */

/* Numbers of tracks: an SM's are in a range of its own. */
enum {
	TRACK_GPU = 1,
	TRACK_COPIES = 2,
	FIRST_STREAM = 3,
	TRACKS_OF_SM = 1 << 16,
	FIRST_NOTE = 1 << 13,
	FIRST_BULK = FIRST_NOTE + 256,
	FIRST_SCHEDULER = 1 << 14,
	FIRST_WARP = 1 << 15
};

/* Numbers of processes, and of sequences: the GPU's and its SMs'. Readers have 31 bits for them. */
enum { PROCESSES_OF_RUN = HD_MAX_SMS + 2, MOST_RUNS = INT32_MAX / PROCESSES_OF_RUN };

static uint64_t track_of_sm(uint32_t sm)
{
	return ((uint64_t)sm + 1) * TRACKS_OF_SM;
}

static void put_process(struct writer *writer, uint64_t uuid, uint64_t pid, const char *name)
{
	char text[MOST_NAME];
	snprintf(text, sizeof text, "%s%s%s", writer->run ? writer->run : "", writer->run ? ": " : "", name);
	put_number(&writer->part, PROCESS_PID, pid + writer->processes);
	put_text(&writer->part, PROCESS_NAME, text);
	struct message track;
	track.length = 0;
	put_number(&track, TRACK_UUID, uuid + writer->tracks);
	put_part(&track, TRACK_PROCESS, &writer->part);
	put_number(&track, TRACK_CHILD_ORDER, EXPLICIT_ORDER);
	put_part(&writer->packet, PACKET_DESCRIPTOR, &track);
	put_packet(writer);
}

static void put_track(struct writer *writer, uint64_t uuid, uint64_t parent, const char *name, bool counter)
{
	struct message track;
	track.length = 0;
	put_number(&track, TRACK_UUID, uuid + writer->tracks);
	put_text(&track, TRACK_NAME, name);
	put_number(&track, TRACK_PARENT, parent + writer->tracks);
	if (counter)
		put_part(&track, TRACK_COUNTER, &writer->part); /* an empty descriptor: no unit */
	put_number(&track, TRACK_SIBLING_RANK, uuid % TRACKS_OF_SM);
	put_part(&writer->packet, PACKET_DESCRIPTOR, &track);
	put_packet(writer);
}

/* ------------------------------------------------------------ events */

/* The next packet brings the name. */
static uint64_t new_name(struct writer *writer, const char *text)
{
	put_number(&writer->inner, NAME_ID, ++writer->names);
	put_text(&writer->inner, NAME_TEXT, text);
	put_part(&writer->interned, INTERNED_NAMES, &writer->inner);
	return writer->names;
}

/* `name` is a literal: names of annotations are numbered, too, and known by their addresses. */
static void annotate(struct writer *writer, const char *name, uint64_t value)
{
	uint32_t id = 0;
	while (writer->notes[id] && writer->notes[id] != name)
		id++;
	assert(id < sizeof writer->notes / sizeof *writer->notes - 1);
	if (!writer->notes[id]) {
		writer->notes[id] = name;
		put_number(&writer->inner, NAME_ID, id + 1);
		put_text(&writer->inner, NAME_TEXT, name);
		put_part(&writer->interned, INTERNED_NOTES, &writer->inner);
	}
	put_number(&writer->inner, ANNOTATION_NAME_ID, id + 1);
	put_number(&writer->inner, ANNOTATION_UINT, value);
	put_part(&writer->part, EVENT_ANNOTATION, &writer->inner);
}

/* `part` may have annotations. */
static void put_named(struct writer *writer, uint64_t type, uint64_t track, uint64_t cycle, uint64_t name)
{
	put_number(&writer->part, EVENT_TYPE, type);
	put_number(&writer->part, EVENT_TRACK, track + writer->tracks);
	put_number(&writer->part, EVENT_NAME_ID, name);
	put_part(&writer->packet, PACKET_EVENT, &writer->part);
	put_number(&writer->packet, PACKET_TIMESTAMP, cycle);
	put_packet(writer);
}

static void put_begin(struct writer *writer, uint64_t track, uint64_t cycle, uint64_t name)
{
	put_named(writer, SLICE_BEGIN, track, cycle, name);
}

static void put_end(struct writer *writer, uint64_t track, uint64_t cycle)
{
	put_number(&writer->part, EVENT_TYPE, SLICE_END);
	put_number(&writer->part, EVENT_TRACK, track + writer->tracks);
	put_part(&writer->packet, PACKET_EVENT, &writer->part);
	put_number(&writer->packet, PACKET_TIMESTAMP, cycle);
	put_packet(writer);
}

static void put_counter(struct writer *writer, uint64_t track, uint64_t cycle, uint64_t value)
{
	put_number(&writer->part, EVENT_TYPE, COUNTER);
	put_number(&writer->part, EVENT_TRACK, track + writer->tracks);
	put_number(&writer->part, EVENT_COUNTER, value);
	put_part(&writer->packet, PACKET_EVENT, &writer->part);
	put_number(&writer->packet, PACKET_TIMESTAMP, cycle);
	put_packet(writer);
}

/* ------------------------------------------------------------ the GPU */

static uint64_t end_of(const struct hd_gpu *gpu, uint64_t end)
{
	return end == HD_NEVER ? gpu->now : end;
}

static void write_launches(struct writer *writer, const struct hd_gpu *gpu, const struct hd_timeline *timeline)
{
	HD_VEC(uint64_t) streams = {0};
	put_process(writer, TRACK_GPU, 1, "GPU");
	for (uint32_t i = 0; i < timeline->grids.len; i++) {
		const struct hd_timeline_grid *grid = &timeline->grids.data[i];
		uint32_t at = 0;
		char name[48];
		while (at < streams.len && streams.data[at] != grid->stream)
			at++;
		if (at == streams.len) {
			snprintf(name, sizeof name, "stream %" PRIu64, grid->stream);
			hd_vec_push(&streams, grid->stream);
			put_track(writer, FIRST_STREAM + at, TRACK_GPU, name, false);
		}
		uint64_t id = new_name(writer, grid->name);
		annotate(writer, "blocks", (uint64_t)grid->grid[0] * grid->grid[1] * grid->grid[2]);
		annotate(writer, "threads per block", (uint64_t)grid->block[0] * grid->block[1] * grid->block[2]);
		put_begin(writer, FIRST_STREAM + at, grid->begin, id);
		put_end(writer, FIRST_STREAM + at, end_of(gpu, grid->end));
	}
	hd_vec_release(&streams);
}

/* The host's copies take no time. */
static void write_copies(struct writer *writer, const struct hd_timeline *timeline)
{
	static const char *const names[HD_COPY_KINDS] = {"host to device", "device to host", "device to device",
							 "memset"};
	uint64_t by_kind[HD_COPY_KINDS] = {0};
	if (timeline->copies.len)
		put_track(writer, TRACK_COPIES, TRACK_GPU, "copies", false);
	for (uint32_t i = 0; i < timeline->copies.len; i++) {
		const struct hd_timeline_copied *copy = &timeline->copies.data[i];
		if (!by_kind[copy->kind])
			by_kind[copy->kind] = new_name(writer, names[copy->kind]);
		annotate(writer, "bytes", copy->bytes);
		put_named(writer, INSTANT, TRACK_COPIES, copy->cycle, by_kind[copy->kind]);
	}
}

/* ------------------------------------------------------------ an SM */

static const char *grid_name(const struct hd_timeline *timeline, uint64_t id)
{
	for (uint32_t i = timeline->grids.len; i-- > 0;)
		if (timeline->grids.data[i].id == id)
			return timeline->grids.data[i].name;
	return "block";
}

/* Each block in the first place that is free when it begins. */
static void write_blocks(struct writer *writer, const struct hd_gpu *gpu, const struct hd_timeline *timeline,
			 uint32_t sm)
{
	const struct hd_timeline_sm *of = &timeline->sms[sm];
	HD_VEC(uint64_t) ends = {0};
	uint64_t base = track_of_sm(sm), last_grid = UINT64_MAX, name = 0;
	for (uint32_t i = 0; i < of->blocks.len; i++) {
		const struct hd_timeline_block *block = &of->blocks.data[i];
		uint32_t at = 0;
		char text[48];
		while (at < ends.len && ends.data[at] > block->begin)
			at++;
		if (at == ends.len) {
			snprintf(text, sizeof text, "block %u", at);
			put_track(writer, base + 2 + at, base, text, false);
			hd_vec_push(&ends, 0);
		}
		ends.data[at] = end_of(gpu, block->end);
		if (block->grid != last_grid)
			name = new_name(writer, grid_name(timeline, block->grid));
		last_grid = block->grid;
		annotate(writer, "block", block->linear);
		annotate(writer, "warps", block->warps);
		put_begin(writer, base + 2 + at, block->begin, name);
		put_end(writer, base + 2 + at, ends.data[at]);
	}
	hd_vec_release(&ends);
}

struct change {
	uint64_t cycle;
	int64_t warps;
};

static int by_cycle(const void *left, const void *right)
{
	const struct change *a = left, *b = right;
	return a->cycle != b->cycle ? (a->cycle > b->cycle ? 1 : -1) : (a->warps > b->warps) - (a->warps < b->warps);
}

static void write_warps(struct writer *writer, const struct hd_gpu *gpu, const struct hd_timeline_sm *of, uint64_t base)
{
	uint32_t count = 2 * of->blocks.len;
	struct change *changes = hd_xcalloc(count + 1, sizeof(*changes));
	int64_t warps = 0;
	put_track(writer, base + 1, base, "resident warps", true);
	for (uint32_t i = 0; i < of->blocks.len; i++) {
		const struct hd_timeline_block *block = &of->blocks.data[i];
		changes[2 * i] = (struct change){block->begin, block->warps};
		changes[2 * i + 1] = (struct change){end_of(gpu, block->end), -(int64_t)block->warps};
	}
	qsort(changes, count, sizeof(*changes), by_cycle);
	for (uint32_t i = 0; i < count; i++) {
		warps += changes[i].warps;
		if (i + 1 == count || changes[i + 1].cycle != changes[i].cycle)
			put_counter(writer, base + 1, changes[i].cycle, (uint64_t)warps);
	}
	free(changes);
}

static const char *const note_names[] = {
#define X(name, text, unit) text,
	HD_NOTE_LIST(X)
#undef X
		"copy in bulk",
	"copy lands"};
static const char *const note_units[] = {
#define X(name, text, unit) unit,
	HD_NOTE_LIST(X)
#undef X
		"bytes",
	"bytes"};

/* SMs are ahead of each other in windows, and dispatchers tell of quotas: notes are put in order. */
static int compare_notes(const void *left, const void *right)
{
	const struct hd_timeline_note *a = left, *b = right;
	const uint64_t x[] = {a->cycle, a->kind, a->grid, a->block, a->warp, a->value};
	const uint64_t y[] = {b->cycle, b->kind, b->grid, b->block, b->warp, b->value};
	for (unsigned i = 0; i < sizeof x / sizeof *x; i++)
		if (x[i] != y[i])
			return x[i] < y[i] ? -1 : 1;
	return 0;
}

static void annotate_note(struct writer *writer, const struct hd_timeline_note *note)
{
	if (note->block != UINT32_MAX)
		annotate(writer, "block", note->block);
	if (note->warp != UINT32_MAX)
		annotate(writer, "warp", note->warp);
	if (note_units[note->kind][0])
		annotate(writer, note_units[note->kind], note->value);
}

static uint64_t note_name(struct writer *writer, uint32_t kind)
{
	uint64_t *name = &writer->by_note[kind];
	return *name ? *name : (*name = new_name(writer, note_names[kind]));
}

/* The block is killed while the copy to its shared memory is under way. */
static bool is_lost(const struct hd_timeline_note *copy, uint64_t landed, const struct hd_timeline_note *kill)
{
	return copy->lands && landed == copy->cycle && copy->grid == kill->grid && copy->block == kill->block;
}

/* By note: when the copy in bulk that begins there has landed or lost its block, or when it began. Copies use the
 * places of earlier ones. */
static uint64_t *landings(const struct hd_timeline_sm *of)
{
	HD_VEC(uint32_t) open = {0};
	uint64_t *landed = hd_xcalloc(of->notes.len + 1, sizeof(*landed));
	for (uint32_t i = 0; i < of->notes.len; i++) {
		const struct hd_timeline_note *note = &of->notes.data[i];
		uint32_t at = 0;
		landed[i] = note->cycle;
		for (; note->kind == HD_NOTE_BLOCK_KILLED && at < open.len; at++)
			if (is_lost(&of->notes.data[open.data[at]], landed[open.data[at]], note))
				landed[open.data[at]] = note->cycle;
		if (!note->bulk)
			continue;
		at = 0;
		while (at < open.len && of->notes.data[open.data[at]].bulk != note->bulk)
			at++;
		if (at < open.len && note->kind == HD_TIMELINE_BULK_LANDS)
			landed[open.data[at]] = note->cycle;
		if (at < open.len && note->kind == HD_TIMELINE_BULK_BEGINS)
			open.data[at] = i;
		else if (note->kind == HD_TIMELINE_BULK_BEGINS)
			hd_vec_push(&open, i);
	}
	hd_vec_release(&open);
	return landed;
}

/* Each copy in bulk in the first place that is free, from its instruction until it lands; a store is a moment. */
static void write_bulk(struct writer *writer, const struct hd_timeline_sm *of, uint64_t base)
{
	uint64_t *landed = landings(of);
	HD_VEC(uint64_t) ends = {0};
	for (uint32_t i = 0; i < of->notes.len; i++) {
		const struct hd_timeline_note *note = &of->notes.data[i];
		uint32_t at = 0;
		char text[48];
		if (note->kind != HD_TIMELINE_BULK_BEGINS)
			continue;
		while (at < ends.len && ends.data[at] > note->cycle)
			at++;
		if (at == ends.len) {
			snprintf(text, sizeof text, "bulk copy %u", at);
			put_track(writer, base + FIRST_BULK + at, base, text, false);
			hd_vec_push(&ends, 0);
		}
		ends.data[at] = landed[i];
		annotate_note(writer, note);
		put_begin(writer, base + FIRST_BULK + at, note->cycle, note_name(writer, note->kind));
		put_end(writer, base + FIRST_BULK + at, landed[i]);
	}
	hd_vec_release(&ends);
	free(landed);
}

static void write_notes(struct writer *writer, struct hd_timeline_sm *of, uint64_t base)
{
	bool policy = false;
	write_bulk(writer, of, base);
	if (of->notes.len)
		qsort(of->notes.data, of->notes.len, sizeof *of->notes.data, compare_notes);
	for (uint32_t i = 0; i < of->notes.len; i++) {
		const struct hd_timeline_note *note = &of->notes.data[i];
		if (note->kind >= HD_NOTE_COUNT)
			continue;
		if (!policy)
			put_track(writer, base + FIRST_NOTE, base, "policy", false);
		policy = true;
		annotate_note(writer, note);
		put_named(writer, INSTANT, base + FIRST_NOTE, note->cycle, note_name(writer, note->kind));
	}
}

static void write_slots(struct writer *writer, const struct hd_timeline *timeline, uint32_t sm)
{
	const struct hd_timeline_sm *of = &timeline->sms[sm];
	uint64_t base = track_of_sm(sm) + FIRST_SCHEDULER;
	for (uint32_t s = 0; s < timeline->schedulers && of->slots.len; s++) {
		char text[48];
		snprintf(text, sizeof text, "scheduler %u", s);
		put_track(writer, base + s, track_of_sm(sm), text, false);
	}
	/* Runs of one reason are one slice. */
	for (uint32_t s = 0; s < timeline->schedulers; s++)
		for (uint32_t i = 0; i < of->slots.len;) {
			const struct hd_timeline_slots *first = &of->slots.data[i++];
			if (first->scheduler != s)
				continue;
			uint64_t end = first->cycle + first->count;
			for (; i < of->slots.len; i++) {
				const struct hd_timeline_slots *next = &of->slots.data[i];
				if (next->scheduler == s && (next->reason != first->reason || next->cycle != end))
					break;
				end += next->scheduler == s ? next->count : 0;
			}
			uint64_t *name = &writer->by_reason[first->reason];
			if (!*name)
				*name = new_name(writer, hd_stall_name[first->reason]);
			put_begin(writer, base + s, first->cycle, *name);
			put_end(writer, base + s, end);
		}
}

static void write_instructions(struct writer *writer, const struct hd_gpu *gpu, const struct hd_timeline *timeline,
			       uint32_t sm)
{
	const struct hd_timeline_sm *of = &timeline->sms[sm];
	uint64_t base = track_of_sm(sm) + FIRST_WARP, *before = hd_xcalloc(of->warps + 1, sizeof(*before));
	for (uint32_t i = 0; i < of->events.len; i++) {
		const struct hd_timeline_event *event = &of->events.data[i];
		char text[256];
		if (event->kind != HD_TIMELINE_ISSUE)
			continue;
		uint64_t from = before[event->warp];
		if (!from) {
			snprintf(text, sizeof text, "warp %u", event->warp);
			put_track(writer, base + event->warp, track_of_sm(sm), text, false);
			from = event->cycle;
		}
		if (!writer->by_pc[event->pc]) {
			hd_timeline_text(gpu, event->pc, text, sizeof text);
			writer->by_pc[event->pc] = new_name(writer, text);
		}
		annotate(writer, "lanes", (uint64_t)__builtin_popcount(event->value));
		annotate(writer, "pc",
			 (event->pc - gpu->program.functions.data[gpu->program.code.data[event->pc].function].first) *
				 (uint64_t)HD_INST_BYTES);
		put_begin(writer, base + event->warp, from, writer->by_pc[event->pc]);
		before[event->warp] = event->cycle + 1;
		put_end(writer, base + event->warp, before[event->warp]);
	}
	free(before);
}

static void begin_sequence(struct writer *writer, const struct hd_gpu *gpu)
{
	writer->sequence++;
	writer->names = 0;
	writer->begun = false;
	memset(writer->by_note, 0, sizeof writer->by_note);
	memset(writer->by_reason, 0, sizeof writer->by_reason);
	memset(writer->notes, 0, sizeof writer->notes);
	memset(writer->by_pc, 0, sizeof(*writer->by_pc) * gpu->program.code.len);
}

void hd_timeline_write_perfetto(const struct hd_gpu *gpu, const struct hd_timeline *timeline,
				struct hd_timeline_output *out)
{
	struct writer *writer = hd_xcalloc(1, sizeof(*writer));
	writer->out = out;
	writer->run = timeline->name;
	/* A run's numbers are its name's: files of several runs are joined by writing one behind the other. */
	uint64_t number = timeline->name ? hd_hash_text(HD_HASH_TEXT, timeline->name) % MOST_RUNS : 0;
	writer->tracks = number << 40;
	writer->processes = number * PROCESSES_OF_RUN;
	writer->sequence = (uint32_t)writer->processes;
	writer->by_pc = hd_xcalloc(gpu->program.code.len + 1, sizeof(*writer->by_pc));
	begin_sequence(writer, gpu);
	write_launches(writer, gpu, timeline);
	write_copies(writer, timeline);
	for (uint32_t sm = 0; sm < timeline->sm_count; sm++) {
		struct hd_timeline_sm *of = &timeline->sms[sm];
		char name[32];
		if (!of->blocks.len && !of->events.len && !of->notes.len)
			continue;
		begin_sequence(writer, gpu);
		snprintf(name, sizeof name, "SM %u", sm);
		put_process(writer, track_of_sm(sm), sm + 2, name);
		write_warps(writer, gpu, of, track_of_sm(sm));
		write_blocks(writer, gpu, timeline, sm);
		write_notes(writer, of, track_of_sm(sm));
		write_slots(writer, timeline, sm);
		write_instructions(writer, gpu, timeline, sm);
	}
	free(writer->by_pc);
	free(writer);
}
