/*
 * Reads a recording: see recording.h. Nothing in the file is believed: each entry has its check, sizes and numbers are
 * held against what there is, and an end is part of it. What stays to find out when it is done again is whether
 * addresses lie in allocations, and kernels in their objects.
 *
 * Cost: the file stays in memory, once.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"
#include "lib/recording_format.h"

/* The place in the file. */
struct reading {
	struct hd_recording *recording;
	struct hd_diag *diag;
	size_t at;
	uint64_t entries;
	bool ended;
};

static int damaged(const struct reading *reading, const char *what)
{
	return hd_error(reading->diag, HD_NOWHERE, "%s: damaged recording: %s at byte %zu", reading->recording->path,
			what, reading->at);
}

static json_t *parse_json(const uint8_t *bytes, size_t size)
{
	return json_loadb((const char *)bytes, size, 0, NULL);
}

static bool whole(const json_t *object, const char *key, json_int_t low, json_int_t high, json_int_t *value)
{
	const json_t *number = json_object_get(object, key);
	*value = json_integer_value(number);
	return json_is_integer(number) && *value >= low && *value <= high;
}

static const char *text_of(struct hd_recording *recording, const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? hd_arena_strdup(&recording->arena, text) : NULL;
}

static int read_head(struct reading *reading, const uint8_t *bytes, size_t size)
{
	struct hd_recording *recording = reading->recording;
	json_t *head = parse_json(bytes, size);
	json_int_t slot = 0;
	bool good = whole(head, "slot", 0, HD_RECORDING_SLOTS - 1, &slot);
	recording->slot = (uint32_t)slot;
	recording->program = text_of(recording, head, "program");
	recording->gpu = text_of(recording, head, "gpu");
	json_decref(head);
	return good && recording->program && recording->gpu ? 0 : damaged(reading, "bad header");
}

static bool read_sizes(const json_t *object, const char *key, uint32_t sizes[3])
{
	const json_t *array = json_object_get(object, key);
	for (size_t i = 0; i < 3; i++) {
		json_int_t value = json_integer_value(json_array_get(array, i));
		if (value < 1 || value > UINT32_MAX)
			return false;
		sizes[i] = (uint32_t)value;
	}
	return true;
}

static int digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_params(struct hd_recording *recording, const json_t *object, struct hd_recorded_launch *launch)
{
	const char *text = json_string_value(json_object_get(object, "params"));
	size_t length = text ? strlen(text) : 1;
	uint8_t *params = HD_ARENA_NEW(&recording->arena, uint8_t, length / 2 + 1);
	for (size_t i = 0; i < length / 2; i++) {
		int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
		if (high < 0 || low < 0)
			return false;
		params[i] = (uint8_t)(high << 4 | low);
	}
	launch->params = params;
	launch->param_bytes = (uint32_t)(length / 2);
	return length % 2 == 0;
}

static int read_launch(struct reading *reading, const uint8_t *bytes, size_t size)
{
	struct hd_recording *recording = reading->recording;
	struct hd_recorded_launch launch = {0};
	json_t *object = parse_json(bytes, size);
	json_int_t module, shared, stack, stream, priority;
	bool good =
		whole(object, "module", 0, (json_int_t)recording->modules.len - 1, &module) &&
		whole(object, "shared", 0, UINT32_MAX, &shared) &&
		whole(object, "stack_bytes", 0, UINT32_MAX, &stack) && whole(object, "stream", 0, INT64_MAX, &stream) &&
		whole(object, "priority", INT32_MIN, INT32_MAX, &priority) && read_sizes(object, "grid", launch.grid) &&
		read_sizes(object, "block", launch.block) && read_params(recording, object, &launch);
	if (good && json_object_get(object, "cluster"))
		good = read_sizes(object, "cluster", launch.cluster);
	launch.kernel = text_of(recording, object, "kernel");
	launch.cooperative = json_is_true(json_object_get(object, "cooperative"));
	launch.in_a_row = json_is_true(json_object_get(object, "in_a_row"));
	json_decref(object);
	if (!good || !launch.kernel)
		return damaged(reading, "bad launch");
	launch.module = (uint32_t)module;
	launch.shared = (uint32_t)shared;
	launch.stack_bytes = (uint32_t)stack;
	launch.stream = (uint64_t)stream;
	launch.priority = (int)priority;
	hd_vec_push(&recording->events,
		    (struct hd_recorded_event){.kind = HD_RECORDING_LAUNCH, .launch = recording->launches.len});
	hd_vec_push(&recording->launches, launch);
	return 0;
}

static int read_module(struct reading *reading, const uint8_t *bytes, size_t size)
{
	struct hd_recorded_module module;
	if (size != sizeof module)
		return damaged(reading, "bad module");
	memcpy(&module, bytes, sizeof module);
	if (module.object >= reading->recording->objects.len)
		return damaged(reading, "bad module");
	hd_vec_push(&reading->recording->modules, module);
	return 0;
}

static int read_memory(struct reading *reading, enum hd_recording_kind kind, const uint8_t *bytes, size_t size)
{
	struct hd_recording *recording = reading->recording;
	uint64_t words[2] = {0};
	size_t fixed = kind == HD_RECORDING_ALLOCATE ? 16 : 8;
	if (kind == HD_RECORDING_MEMORY ? size <= fixed : size != fixed)
		return damaged(reading, "entry of the wrong size");
	memcpy(words, bytes, fixed);
	struct hd_recorded_event event = {.kind = kind, .low = words[0], .high = words[1], .bytes = bytes + fixed};
	if (kind == HD_RECORDING_MEMORY)
		event.high = event.low + (size - fixed);
	uint64_t base = HD_RECORDING_BASE + recording->slot * HD_RECORDING_SLOT_BYTES;
	uint64_t high = kind == HD_RECORDING_RELEASE ? event.low : event.high;
	if (event.low < base || high < event.low || high - base > HD_RECORDING_SLOT_BYTES)
		return damaged(reading, "address outside the slot");
	hd_vec_push(&recording->events, event);
	return 0;
}

static int read_end(struct reading *reading, const uint8_t *bytes, size_t size)
{
	reading->ended = true;
	for (struct hd_recorded_range range; size >= sizeof range; bytes += sizeof range, size -= sizeof range) {
		memcpy(&range, bytes, sizeof range);
		if (range.high < range.low)
			return damaged(reading, "bad end");
		hd_vec_push(&reading->recording->at_end, range);
	}
	return size ? damaged(reading, "bad end") : 0;
}

static int take(struct reading *reading, enum hd_recording_kind kind, const uint8_t *bytes, size_t size)
{
	struct hd_recording *recording = reading->recording;
	if ((kind == HD_RECORDING_HEAD) != (reading->entries == 0))
		return damaged(reading, "bad header");
	switch (kind) {
	case HD_RECORDING_HEAD: return read_head(reading, bytes, size);
	case HD_RECORDING_OBJECT: hd_vec_push(&recording->objects, (struct hd_recorded_object){bytes, size}); return 0;
	case HD_RECORDING_MODULE: return read_module(reading, bytes, size);
	case HD_RECORDING_ALLOCATE:
	case HD_RECORDING_RELEASE:
	case HD_RECORDING_MEMORY: return read_memory(reading, kind, bytes, size);
	case HD_RECORDING_LAUNCH: return read_launch(reading, bytes, size);
	case HD_RECORDING_REFUSED:
		return hd_error(reading->diag, HD_NOWHERE, "%s cannot be recorded: %.*s",
				recording->program ? recording->program : recording->path, (int)size,
				(const char *)bytes);
	case HD_RECORDING_END: return read_end(reading, bytes, size);
	}
	return damaged(reading, "unknown entry");
}

static int read_entry(struct reading *reading)
{
	const struct hd_recording *recording = reading->recording;
	const uint8_t *bytes = recording->bytes + reading->at;
	struct hd_recording_entry entry;
	size_t left = recording->size - reading->at;
	if (left < sizeof entry)
		return damaged(reading, "truncated");
	memcpy(&entry, bytes, sizeof entry);
	bytes += sizeof entry;
	if (entry.bytes > left - sizeof entry)
		return damaged(reading, "truncated");
	size_t first = entry.first < entry.bytes ? entry.first : (size_t)entry.bytes;
	if (entry.check !=
	    hd_recording_check(&entry, reading->entries, bytes, first, bytes + first, (size_t)entry.bytes - first))
		return damaged(reading, "wrong checksum");
	int status = take(reading, (enum hd_recording_kind)entry.kind, bytes, (size_t)entry.bytes);
	reading->at += sizeof entry + (size_t)entry.bytes;
	reading->entries++;
	return status;
}

int hd_recording_read(struct hd_recording *recording, const char *path, struct hd_diag *diag)
{
	struct reading reading = {.recording = recording, .diag = diag};
	uint32_t format[2] = {0};
	memset(recording, 0, sizeof *recording);
	hd_arena_init(&recording->arena);
	recording->path = path;
	if (hd_read_file(path, &recording->bytes, &recording->size, diag))
		return -1;
	reading.at = HD_RECORDING_MAGIC_BYTES + sizeof format;
	if (recording->size < reading.at || memcmp(recording->bytes, HD_RECORDING_MAGIC, HD_RECORDING_MAGIC_BYTES))
		return hd_error(diag, HD_NOWHERE, "%s: not a recording of 'heddle run --record'", path);
	memcpy(format, recording->bytes + HD_RECORDING_MAGIC_BYTES, sizeof format);
	if (format[0] != HD_RECORDING_FORMAT)
		return hd_error(
			diag, HD_NOWHERE,
			"%s: recording of format %u, but this Heddle reads format %d (record the program again)", path,
			format[0], HD_RECORDING_FORMAT);
	while (!reading.ended)
		if (read_entry(&reading))
			return -1;
	if (reading.at != recording->size)
		return damaged(&reading, "data after the end");
	if (!recording->launches.len)
		return hd_error(diag, HD_NOWHERE, "%s: the program launched nothing", path);
	return 0;
}

void hd_recording_release(struct hd_recording *recording)
{
	hd_vec_release(&recording->objects);
	hd_vec_release(&recording->modules);
	hd_vec_release(&recording->launches);
	hd_vec_release(&recording->events);
	hd_vec_release(&recording->at_end);
	free(recording->bytes);
	hd_arena_release(&recording->arena);
}
