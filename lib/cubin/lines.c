/*
 * The line program of DWARF 2 to 4, as nvcc -lineinfo writes it into cubins: for each function a sequence of rows
 * (address, file, line), whose start a relocation names. NVIDIA's own operations (inlined calls) are skipped by their
 * length.
 *
 * Cost: linear in the program and the relocations for each sequence.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/cubin/cubin.h"
#include "lib/object/layout.h"

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
};

struct unit {
	struct hd_cubin_lines *lines;
	const uint8_t *start, *at, *end; /* start: of the section, for relocations */
	uint32_t (*section_of)(void *context, uint64_t offset, uint64_t *base);
	void *context;
	unsigned min_inst, line_range, opcode_base;
	int line_base;
	uint8_t lengths[256]; /* operands of standard opcodes */
	HD_VEC(const char *) folders;
	HD_VEC(uint32_t) files; /* of this unit, in lines->files */
	bool failed;
	/* The state of the machine. */
	uint32_t section;
	uint64_t address;
	uint32_t file;
	int64_t line;
};

static uint64_t number(struct unit *unit, unsigned bytes)
{
	uint64_t value = 0;
	if ((size_t)(unit->end - unit->at) < bytes) {
		unit->failed = true;
		return 0;
	}
	for (unsigned i = 0; i < bytes; i++)
		value |= (uint64_t)unit->at[i] << (8 * i);
	unit->at += bytes;
	return value;
}

static uint64_t leb(struct unit *unit, bool is_signed)
{
	uint64_t value = 0;
	for (unsigned shift = 0; !unit->failed; shift += 7) {
		uint64_t byte = number(unit, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		if (byte & 0x80)
			continue;
		if (is_signed && byte & 0x40 && shift + 7 < 64)
			value |= UINT64_MAX << (shift + 7);
		break;
	}
	return value;
}

static const char *text(struct unit *unit)
{
	const uint8_t *start = unit->at, *stop = memchr(start, '\0', (size_t)(unit->end - start));
	if (!stop) {
		unit->failed = true;
		return "";
	}
	unit->at = stop + 1;
	return (const char *)start;
}

/* The index of a name among the files of all units. */
static uint32_t add_file(struct hd_cubin_lines *lines, const char *name)
{
	for (uint32_t i = 0; i < lines->files.len; i++)
		if (strcmp(lines->files.data[i], name) == 0)
			return i;
	hd_vec_push_in(&lines->files, lines->arena, name);
	return lines->files.len - 1;
}

static void read_names(struct unit *unit)
{
	for (const char *name; !unit->failed && (name = text(unit))[0];)
		hd_vec_push(&unit->folders, name);
	for (const char *name; !unit->failed && (name = text(unit))[0];) {
		uint64_t folder = leb(unit, false);
		leb(unit, false); /* time */
		leb(unit, false); /* size */
		if (unit->failed || unit->files.len == MOST_NAMES)
			return;
		bool inside = name[0] != '/' && folder && folder <= unit->folders.len;
		struct hd_arena *arena = unit->lines->arena;
		hd_vec_push(&unit->files,
			    add_file(unit->lines,
				     inside ? hd_arena_printf(arena, "%s/%s", unit->folders.data[folder - 1], name)
					    : hd_arena_strdup(arena, name)));
	}
}

static void add_row(struct unit *unit)
{
	struct hd_cubin_lines *lines = unit->lines;
	if (!unit->section || !unit->file || unit->file > unit->files.len || unit->line <= 0)
		return;
	hd_vec_push_in(&lines->rows, lines->arena,
		       (struct hd_cubin_row){unit->section, unit->address, unit->files.data[unit->file - 1],
					     (uint32_t)unit->line});
}

static void move_line(struct unit *unit, int64_t step)
{
	if (step > INT32_MAX || step < INT32_MIN || unit->line + step > INT32_MAX || unit->line + step < INT32_MIN)
		unit->failed = true;
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
	uint64_t length = leb(unit, false);
	if (unit->failed || !length || length > (size_t)(unit->end - unit->at)) {
		unit->failed = true;
		return;
	}
	const uint8_t *next = unit->at + length;
	unsigned opcode = *unit->at++;
	if (opcode == LINE_END_SEQUENCE)
		begin_sequence(unit);
	if (opcode == LINE_SET_ADDRESS && length == 1 + ADDRESS_BYTES) {
		uint64_t base;
		unit->section = unit->section_of(unit->context, (uint64_t)(unit->at - unit->start), &base);
		unit->address = number(unit, ADDRESS_BYTES) + base;
	}
	unit->at = next;
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
	case LINE_ADVANCE_PC: unit->address += leb(unit, false) * unit->min_inst; break;
	case LINE_ADVANCE_LINE: move_line(unit, (int64_t)leb(unit, true)); break;
	case LINE_SET_FILE: {
		uint64_t file = leb(unit, false);
		unit->file = file < UINT32_MAX ? (uint32_t)file : 0;
		break;
	}
	case LINE_CONST_ADD_PC:
		unit->address += (uint64_t)((255 - unit->opcode_base) / unit->line_range) * unit->min_inst;
		break;
	case LINE_FIXED_ADVANCE_PC: unit->address += number(unit, 2); break;
	default:
		for (unsigned i = 0; i < unit->lengths[opcode]; i++)
			leb(unit, false);
	}
}

static void run(struct unit *unit)
{
	begin_sequence(unit);
	while (!unit->failed && unit->at < unit->end) {
		unsigned opcode = *unit->at++;
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
	if (unit->failed || version < OLDEST_VERSION || version > NEWEST_VERSION ||
	    header > (size_t)(unit->end - unit->at))
		return;
	const uint8_t *program = unit->at + header;
	unit->min_inst = (unsigned)number(unit, 1);
	number(unit, version >= NEWEST_VERSION ? 2 : 1); /* is_stmt, and operations of a bundle */
	unsigned base = (unsigned)number(unit, 1);
	unit->line_base = base < 128 ? (int)base : (int)base - 256;
	unit->line_range = (unsigned)number(unit, 1);
	unit->opcode_base = (unsigned)number(unit, 1);
	for (unsigned i = 1; i < unit->opcode_base; i++)
		unit->lengths[i] = (uint8_t)number(unit, 1);
	read_names(unit);
	if (unit->failed || !unit->line_range || !unit->opcode_base)
		return;
	unit->at = program;
	run(unit);
}

void hd_cubin_lines_read(struct hd_cubin_lines *lines, const uint8_t *bytes, size_t size,
			 uint32_t (*section_of)(void *context, uint64_t offset, uint64_t *base), void *context)
{
	for (const uint8_t *at = bytes, *end = bytes + size; end - at >= 4;) {
		uint64_t length = get_u32(at);
		if (length > (size_t)(end - at - 4)) /* the form of 64 bits, too */
			return;
		struct unit unit = {.lines = lines,
				    .start = bytes,
				    .at = at + 4,
				    .end = at + 4 + length,
				    .section_of = section_of,
				    .context = context};
		read_unit(&unit);
		hd_vec_release(&unit.folders);
		hd_vec_release(&unit.files);
		at += 4 + length;
	}
}
