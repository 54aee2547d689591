/*
 * The line program of DWARF 2 to 4, as nvcc -lineinfo writes it into cubins: for each function a sequence of rows
 * (address, file, line), whose start a relocation names. NVIDIA's own operations (inlined calls) are skipped by their
 * length.
 *
 * Cost: linear in the program, and `section_of` for each sequence.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/cubin/cubin.h"
#include "lib/object/layout.h"
#include "lib/packed.h"

enum {
	OLDEST_VERSION = 2,
	NEWEST_VERSION = 4,
	LINE_COPY = 1,
	LINE_ADVANCE_PC,
	LINE_ADVANCE_LINE,
	LINE_SET_FILE,
	LINE_SET_COLUMN,
	LINE_NEGATE_STMT,
	LINE_BASIC_BLOCK,
	LINE_CONST_ADD_PC,
	LINE_FIXED_ADVANCE_PC,
	LINE_END_SEQUENCE = 1, /* extended */
	LINE_SET_ADDRESS = 2,
	ADDRESS_BYTES = 8,
	MOST_NAMES = 1 << 16,
	NAMES_FLOOR = 1 << 16, /* characters of names that any program may have */
	NAMES_RATIO = 16,      /* and for each of its bytes */
};

struct unit {
	struct hd_cubin_lines *lines;
	const uint8_t *start; /* of the section, for relocations */
	struct hd_span span;
	uint32_t (*section_of)(void *context, uint64_t offset, uint64_t *base);
	void *context;
	unsigned min_inst, line_range, opcode_base;
	int line_base;
	uint8_t lengths[256]; /* operands of standard opcodes */
	HD_VEC(const char *) folders;
	HD_VEC(uint32_t) files; /* of this unit, in lines->files */
	/* The state of the machine. */
	uint32_t section;
	uint64_t address;
	uint32_t file;
	int64_t line;
};

static uint64_t number(struct unit *unit, unsigned bytes)
{
	const uint8_t *at = hd_span_take(&unit->span, bytes);
	uint64_t value = 0;
	for (unsigned i = 0; at && i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static int64_t signed_number(struct unit *unit)
{
	const uint8_t *from = unit->span.at;
	uint64_t value = hd_span_varint(&unit->span);
	unsigned bits = 7 * (unsigned)(unit->span.at - from);
	if (!unit->span.failed && bits < 64 && unit->span.at[-1] & 0x40)
		value |= UINT64_MAX << bits;
	return (int64_t)value;
}

/* Whether a text is FOLDER/NAME, or NAME with an empty folder. */
static bool is_path(const char *text, const char *folder, size_t length, const char *name)
{
	if (!length)
		return strcmp(text, name) == 0;
	return strncmp(text, folder, length) == 0 && text[length] == '/' && strcmp(text + length + 1, name) == 0;
}

/* The index of a name among the files of all units. A long folder of many files can make more text than there is room
 * for: that is damage. */
static uint32_t add_file(struct unit *unit, const char *folder, const char *name)
{
	struct hd_cubin_lines *lines = unit->lines;
	size_t length = strlen(folder), whole = length + strlen(name) + 2;
	struct hd_hash_slot *slot;
	if (whole > lines->names_left) {
		hd_span_fail(&unit->span);
		return 0;
	}
	lines->names_left -= whole;
	uint64_t hash = hd_hash_text(hd_hash_text(hd_hash_text(HD_HASH_TEXT, folder), length ? "/" : ""), name);
	HD_HASH_FIND(slot, &lines->names, hash, is_path(lines->files.data[slot->id], folder, length, name));
	if (hd_hash_found(slot))
		return slot->id;
	hd_hash_set_put(&lines->names, slot, hash, lines->files.len);
	hd_vec_push_in(&lines->files, lines->arena,
		       hd_arena_printf(lines->arena, "%s%s%s", folder, length ? "/" : "", name));
	return lines->files.len - 1;
}

static void read_names(struct unit *unit)
{
	for (const char *name; (name = hd_span_text(&unit->span))[0];)
		hd_vec_push(&unit->folders, name);
	for (const char *name; (name = hd_span_text(&unit->span))[0];) {
		uint64_t folder = hd_span_varint(&unit->span);
		hd_span_varint(&unit->span); /* time */
		hd_span_varint(&unit->span); /* size */
		if (unit->span.failed || unit->files.len == MOST_NAMES)
			return;
		bool inside = name[0] != '/' && folder && folder <= unit->folders.len;
		hd_vec_push(&unit->files, add_file(unit, inside ? unit->folders.data[folder - 1] : "", name));
	}
}

static void add_row(struct unit *unit)
{
	struct hd_cubin_lines *lines = unit->lines;
	if (!unit->section || !unit->file || unit->file > unit->files.len || unit->line <= 0)
		return;
	hd_vec_push_in(&lines->rows, lines->arena,
		       (struct hd_cubin_row){unit->section, unit->address, unit->files.data[unit->file - 1],
					     (uint32_t)unit->line, lines->rows.len});
}

static void move_line(struct unit *unit, int64_t step)
{
	if (step > INT32_MAX || step < INT32_MIN || unit->line + step > INT32_MAX || unit->line + step < INT32_MIN)
		hd_span_fail(&unit->span);
	else
		unit->line += step;
}

static void begin_sequence(struct unit *unit)
{
	unit->section = 0;
	unit->address = 0;
	unit->file = 1;
	unit->line = 1;
}

static void run_extended(struct unit *unit)
{
	uint64_t length = hd_span_varint(&unit->span);
	if (unit->span.failed || !length || length > hd_span_left(&unit->span)) {
		hd_span_fail(&unit->span);
		return;
	}
	const uint8_t *next = unit->span.at + length;
	unsigned opcode = *unit->span.at++;
	if (opcode == LINE_END_SEQUENCE)
		begin_sequence(unit);
	if (opcode == LINE_SET_ADDRESS && length == 1 + ADDRESS_BYTES) {
		uint64_t base;
		unit->section = unit->section_of(unit->context, (uint64_t)(unit->span.at - unit->start), &base);
		unit->address = number(unit, ADDRESS_BYTES) + base;
	}
	unit->span.at = next;
}

static void run_special(struct unit *unit, unsigned opcode)
{
	unsigned step = opcode - unit->opcode_base;
	unit->address += (uint64_t)(step / unit->line_range) * unit->min_inst;
	move_line(unit, unit->line_base + (int)(step % unit->line_range));
	add_row(unit);
}

static void run_standard(struct unit *unit, unsigned opcode)
{
	switch (opcode) {
	case LINE_COPY: add_row(unit); break;
	case LINE_ADVANCE_PC: unit->address += hd_span_varint(&unit->span) * unit->min_inst; break;
	case LINE_ADVANCE_LINE: move_line(unit, signed_number(unit)); break;
	case LINE_SET_FILE: {
		uint64_t file = hd_span_varint(&unit->span);
		unit->file = file < UINT32_MAX ? (uint32_t)file : 0;
		break;
	}
	case LINE_CONST_ADD_PC:
		unit->address += (uint64_t)((255 - unit->opcode_base) / unit->line_range) * unit->min_inst;
		break;
	case LINE_FIXED_ADVANCE_PC: unit->address += number(unit, 2); break;
	default:
		for (unsigned i = 0; i < unit->lengths[opcode]; i++)
			hd_span_varint(&unit->span);
	}
}

static void run(struct unit *unit)
{
	begin_sequence(unit);
	while (!unit->span.failed && unit->span.at < unit->span.end) {
		unsigned opcode = *unit->span.at++;
		if (opcode >= unit->opcode_base)
			run_special(unit, opcode);
		else if (opcode)
			run_standard(unit, opcode);
		else
			run_extended(unit);
	}
}

static void read_unit(struct unit *unit)
{
	unsigned version = (unsigned)number(unit, 2);
	uint64_t header = number(unit, 4);
	if (unit->span.failed || version < OLDEST_VERSION || version > NEWEST_VERSION ||
	    header > hd_span_left(&unit->span))
		return;
	const uint8_t *program = unit->span.at + header;
	unit->min_inst = (unsigned)number(unit, 1);
	number(unit, version >= NEWEST_VERSION ? 2 : 1); /* is_stmt, and operations of a bundle */
	unsigned base = (unsigned)number(unit, 1);
	unit->line_base = base < 128 ? (int)base : (int)base - 256;
	unit->line_range = (unsigned)number(unit, 1);
	unit->opcode_base = (unsigned)number(unit, 1);
	for (unsigned i = 1; i < unit->opcode_base; i++)
		unit->lengths[i] = (uint8_t)number(unit, 1);
	read_names(unit);
	if (unit->span.failed || !unit->line_range || !unit->opcode_base)
		return;
	unit->span.at = program;
	run(unit);
}

void hd_cubin_lines_read(struct hd_cubin_lines *lines, const uint8_t *bytes, size_t size,
			 uint32_t (*section_of)(void *context, uint64_t offset, uint64_t *base), void *context)
{
	lines->names.arena = lines->arena;
	lines->names_left = NAMES_FLOOR + (uint64_t)size * NAMES_RATIO;
	for (const uint8_t *at = bytes, *end = bytes + size; end - at >= 4;) {
		uint64_t length = get_u32(at);
		if (length > (size_t)(end - at - 4)) /* the form of 64 bits, too */
			return;
		struct unit unit = {.lines = lines,
				    .start = bytes,
				    .span = {.at = at + 4, .end = at + 4 + length},
				    .section_of = section_of,
				    .context = context};
		read_unit(&unit);
		hd_vec_release(&unit.folders);
		hd_vec_release(&unit.files);
		at += 4 + length;
	}
}
