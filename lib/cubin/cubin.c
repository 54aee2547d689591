/*
 * Reads a cubin: an ELF file with a section .text.NAME for each function, .nv.info.NAME with attributes of a kernel,
 * .nv.info with those of all functions by symbol, and sections of shared and constant memory by name. NVIDIA documents
 * none of it; what is read here is what its ptxas -v says of the same code.
 *
 * Cost: of n bytes, O(n log n) time and O(n) memory. Sections that overlap are an error, and so are names that do so
 * many times over: what is said once would count again and again.
 */
#include "lib/cubin/cubin.h"

#include <stdlib.h>
#include <string.h>

#include "heddle/object.h"
#include "lib/machine/mix.h"
#include "lib/object/elf.h"
#include "lib/object/layout.h"
#include "lib/strbuf.h"
#include "lib/vec.h"

enum {
	NEW_ABI = 8, /* of CUDA 13: the architecture is elsewhere in the ELF flags */
	SYMBOL_BYTES = 24,
	FUNCTION_SYMBOL = 2, /* STT_FUNC */
	ENTRY_SYMBOL = 0x10, /* in st_other: a kernel */
	RESERVED_SHARED = 1024,
	FIRST_WITH_INSTS = 70,
	INST_BYTES = 16,
	OPCODE_NOP = 0x918,
	REL_BYTES = 16,
	RELA_BYTES = 24,
	NAMES_RATIO = 4, /* characters of names for a byte of the file, at most */
	/* Forms of attributes: without a value, of one byte, of two, of as many as they say. */
	FORM_BYTE = 2,
	FORM_HALF = 3,
	FORM_SIZED = 4,
	ATTR_MAX_THREADS = 0x05,
	ATTR_REQNTID = 0x10,
	ATTR_FRAME_SIZE = 0x11,
	ATTR_MIN_STACK_SIZE = 0x12,
	ATTR_PARAM_SIZE = 0x19,
	ATTR_REGCOUNT = 0x2f,
	ATTR_API_VERSION = 0x37,
	ATTR_MAX_CLUSTER_RANK = 0x3f,
	ATTR_BARRIERS = 0x4c,
};

static const uint32_t none = UINT32_MAX;

struct symbol {
	const char *name;
	unsigned type, other;
	uint32_t section;
	uint64_t value, size;
	uint32_t frame, min_stack, registers; /* UINT32_MAX: not said */
};

/* What a section of code is for. */
struct text {
	uint32_t own;	   /* symbol of the function; UINT32_MAX: none */
	uint32_t inner;	   /* the largest frame of other functions in it */
	uint32_t function; /* index */
	uint32_t first_helper, helper_count;
};

/* A function of ptxas's own. */
struct helper {
	uint32_t section;
	struct hd_cubin_range range;
};

struct reading {
	struct elf_image image;
	const char *path;
	struct hd_arena *arena;
	struct hd_cubin *cubin;
	struct hd_diag *diag;
	struct elf_section *sections;
	struct text *texts;	  /* of each section */
	struct hd_hash_set names; /* sections, the first of each name */
	uint64_t names_left;	  /* characters of names that may still come */
	HD_VEC(struct symbol) symbols;
	HD_VEC(struct hd_cubin_function) functions;
	HD_VEC(uint32_t) owners;       /* of each function: its section */
	HD_VEC(struct helper) helpers; /* by section and place */
	struct hd_cubin_lines lines;
	unsigned api_version; /* 124: of CUDA 12.4; 0: not said */
};

static int damaged(const struct reading *reading, const char *what)
{
	return hd_error(reading->diag, HD_NOWHERE, "%s: damaged cubin: %s", reading->path, what);
}

/* The slot of the section with the name, or a free one. */
static struct hd_hash_slot *slot_of(struct reading *reading, const char *prefix, const char *name, uint64_t *hash)
{
	struct hd_hash_slot *slot;
	size_t length = strlen(prefix);
	*hash = hd_hash_text(hd_hash_text(HD_HASH_TEXT, prefix), name);
	HD_HASH_FIND(slot, &reading->names, *hash,
		     strncmp(reading->sections[slot->id].name, prefix, length) == 0 &&
			     strcmp(reading->sections[slot->id].name + length, name) == 0);
	return slot;
}

static uint32_t find_section(struct reading *reading, const char *prefix, const char *name)
{
	uint64_t hash;
	const struct hd_hash_slot *slot = slot_of(reading, prefix, name, &hash);
	return hd_hash_found(slot) ? slot->id : 0;
}

/* Whether a name may come in addition to those that did. */
static bool count_name(struct reading *reading, const char *name)
{
	size_t length = strnlen(name, reading->names_left + 1);
	if (length > reading->names_left)
		return false;
	reading->names_left -= length;
	return true;
}

/* The bytes that a section declares, whether they are in the file or not. */
static uint32_t bytes_of(struct reading *reading, const char *prefix, const char *name)
{
	uint32_t section = find_section(reading, prefix, name);
	uint64_t bytes = section ? reading->sections[section].bytes : 0;
	return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

static int read_sections(struct reading *reading)
{
	size_t count = reading->image.section_count;
	uint64_t left = reading->image.size;
	reading->sections = HD_ARENA_NEW(reading->arena, struct elf_section, count ? count : 1);
	reading->sections[0].name = "";
	for (size_t i = 1; i < count; i++) {
		struct elf_section *section = &reading->sections[i];
		uint64_t hash;
		if (elf_image_section(&reading->image, i, section) != 0)
			return damaged(reading, "a section is not inside the file");
		if (section->data && section->bytes > left)
			return damaged(reading, "its sections overlap");
		left -= section->data ? section->bytes : 0;
		if (!count_name(reading, section->name))
			return damaged(reading, "its names overlap");
		struct hd_hash_slot *slot = slot_of(reading, "", section->name, &hash);
		if (!hd_hash_found(slot))
			hd_hash_set_put(&reading->names, slot, hash, (uint32_t)i);
	}
	return 0;
}

/* ------------------------------------------------------------------ symbols */

/* A copy of a table of strings up to its last NUL; `length` comes without that. */
static const char *copy_strings(const struct reading *reading, const struct elf_section *strings, uint64_t *length)
{
	const uint8_t *last = strings->data && strings->bytes ? memrchr(strings->data, '\0', strings->bytes) : NULL;
	*length = last ? (uint64_t)(last - strings->data) : 0;
	char *copy = hd_arena_alloc(reading->arena, *length + 1);
	if (last)
		memcpy(copy, strings->data, *length);
	return copy;
}

static int read_symbols(struct reading *reading)
{
	uint32_t table = find_section(reading, ".symtab", "");
	const struct elf_section *section = &reading->sections[table];
	if (!table || !section->data || section->link >= reading->image.section_count)
		return damaged(reading, "it has no symbols");
	uint64_t length;
	const char *strings = copy_strings(reading, &reading->sections[section->link], &length);
	const struct elf_section *large = &reading->sections[find_section(reading, ".symtab_shndx", "")];
	for (uint64_t at = 0; at + SYMBOL_BYTES <= section->bytes; at += SYMBOL_BYTES) {
		const uint8_t *bytes = section->data + at;
		uint64_t index = at / SYMBOL_BYTES;
		uint32_t of = get_u16(bytes + 6), name = get_u32(bytes);
		if (of == SHN_XINDEX && large->data && (index + 1) * 4 <= large->bytes)
			of = get_u32(large->data + index * 4);
		else if (of >= SHN_LORESERVE)
			of = 0;
		hd_vec_push(&reading->symbols, (struct symbol){.name = name < length ? strings + name : "",
							       .type = bytes[4] & 15,
							       .other = bytes[5],
							       .section = of,
							       .value = get_u64(bytes + 8),
							       .size = get_u64(bytes + 16),
							       .frame = none,
							       .min_stack = none,
							       .registers = none});
	}
	return 0;
}

/* ------------------------------------------------------------------ attributes */

struct attribute {
	unsigned form, kind;
	uint32_t small;	       /* of one or two bytes */
	const uint8_t *values; /* words, of a sized one */
	uint32_t bytes;
};

/* The next one at *at; false at the end, or where the rest is damaged. */
static bool next_attribute(const struct elf_section *section, uint64_t *at, struct attribute *attribute)
{
	if (!section->data || section->bytes - *at < 4)
		return false;
	const uint8_t *bytes = section->data + *at;
	*attribute = (struct attribute){.form = bytes[0], .kind = bytes[1], .values = bytes + 4};
	attribute->small = bytes[0] == FORM_BYTE ? bytes[2] : get_u16(bytes + 2);
	attribute->bytes = bytes[0] == FORM_SIZED ? get_u16(bytes + 2) : 0;
	if (attribute->bytes > section->bytes - *at - 4)
		return false;
	*at += 4 + attribute->bytes;
	return true;
}

static uint32_t word(const struct attribute *attribute, unsigned index)
{
	return attribute->bytes >= 4 * (index + 1) ? get_u32(attribute->values + 4 * index) : 0;
}

/* .nv.info: of functions, each by its symbol. */
static void read_common(struct reading *reading)
{
	struct attribute attribute;
	uint32_t section = find_section(reading, ".nv.info", "");
	for (uint64_t at = 0; section && next_attribute(&reading->sections[section], &at, &attribute);) {
		if (attribute.bytes < 8 || word(&attribute, 0) >= reading->symbols.len)
			continue;
		struct symbol *symbol = &reading->symbols.data[word(&attribute, 0)];
		switch (attribute.kind) {
		case ATTR_FRAME_SIZE: symbol->frame = word(&attribute, 1); break;
		case ATTR_MIN_STACK_SIZE: symbol->min_stack = word(&attribute, 1); break;
		case ATTR_REGCOUNT: symbol->registers = word(&attribute, 1); break;
		default: break;
		}
	}
}

/* .nv.info.NAME */
static void read_own(struct reading *reading, struct hd_cubin_function *function)
{
	struct attribute attribute;
	uint32_t section = find_section(reading, ".nv.info.", function->name);
	for (uint64_t at = 0; section && next_attribute(&reading->sections[section], &at, &attribute);) {
		uint64_t threads = 1;
		for (unsigned i = 0; i < 3; i++)
			threads *= word(&attribute, i) ? word(&attribute, i) & 0xffff : 1;
		switch (attribute.kind) {
		case ATTR_MAX_THREADS: function->max_threads = threads < UINT32_MAX ? (uint32_t)threads : 0; break;
		case ATTR_REQNTID:
			for (unsigned i = 0; i < 3; i++)
				function->reqntid[i] = word(&attribute, i) & 0xffff;
			break;
		case ATTR_PARAM_SIZE: function->param_bytes = attribute.small; break;
		case ATTR_BARRIERS: function->barriers = attribute.small; break;
		case ATTR_MAX_CLUSTER_RANK: function->max_cluster = word(&attribute, 0); break;
		case ATTR_API_VERSION: reading->api_version = word(&attribute, 0); break;
		default: break;
		}
	}
}

/* ------------------------------------------------------------------ code */

/* By the low nine bits of the opcode: what names the operation; the others say where its second source is. */
static unsigned kinds_of(unsigned opcode)
{
	switch (opcode & 0x1ff) {
	case 0x028: /* DMUL */
	case 0x029: /* DADD */
	case 0x02a: /* DSETP */
	case 0x02b: /* DFMA */
	case 0x03f: /* DMMA */
	case 0x113: /* FRND of a double */ return 1u << HD_MIX_FP64;
	case 0x110: /* F2F from or to a double */ return 1u << HD_MIX_FP64 | 1u << HD_MIX_CONVERSION;
	case 0x03e: /* F2FP */
	case 0x045: /* I2FP */
	case 0x104: /* F2F */
	case 0x105: /* F2I */
	case 0x106: /* I2F */
	case 0x111: /* F2I and I2F with 64 bits on one side, of integers or doubles */
	case 0x112: return 1u << HD_MIX_CONVERSION;
	case 0x183: /* LDL */
	case 0x187: /* STL */ return 1u << HD_MIX_LOCAL;
	case 0x11d: /* BAR */ return 1u << HD_MIX_BARRIER;
	default: return 0;
	}
}

/* CALL.ABS and CALL.REL of a register; with the callee's address in the instruction they are 0x943 and 0x944. */
static bool is_indirect_call(unsigned opcode)
{
	return opcode == 0x343 || opcode == 0x344;
}

static void read_code(struct reading *reading, const struct elf_section *text, const struct text *of,
		      struct hd_cubin_function *function)
{
	uint64_t count = text->data && reading->cubin->arch >= FIRST_WITH_INSTS ? text->bytes / INST_BYTES : 0;
	while (count && (get_u16(text->data + (count - 1) * INST_BYTES) & 0xfff) == OPCODE_NOP)
		count--;
	if (!count || count > UINT32_MAX)
		return;
	struct hd_cubin_inst *insts = HD_ARENA_NEW(reading->arena, struct hd_cubin_inst, count);
	for (uint64_t i = 0; i < count; i++) {
		insts[i].opcode = get_u16(text->data + i * INST_BYTES) & 0xfff;
		insts[i].kinds = (uint16_t)kinds_of(insts[i].opcode);
		function->indirect_calls += is_indirect_call(insts[i].opcode);
	}
	function->insts = insts;
	function->inst_count = (uint32_t)count;
	struct hd_cubin_ranges helpers = {.data = HD_ARENA_NEW(reading->arena, struct hd_cubin_range,
							       of->helper_count + 1),
					  .count = of->helper_count};
	for (uint32_t i = 0; i < of->helper_count; i++)
		helpers.data[i] = reading->helpers.data[of->first_helper + i].range;
	hd_cubin_spills(text->data, (uint32_t)count, &helpers, function);
}

/*
 * The least stack of a kernel has the frames of all that it calls, but of cycles of calls none: a function in the
 * kernel's own section whose frame does not fit into it is in one.
 */
static void read_stack(const struct symbol *own, uint32_t inner, struct hd_cubin_function *function)
{
	function->stack_bytes = own->frame != none ? own->frame : 0;
	function->max_stack_bytes = own->min_stack != none ? own->min_stack : function->stack_bytes;
	function->stack_open = inner > function->max_stack_bytes;
	uint64_t with = (uint64_t)function->stack_bytes + inner;
	if (function->stack_open && with > function->max_stack_bytes)
		function->max_stack_bytes = with < UINT32_MAX ? (uint32_t)with : UINT32_MAX;
}

static uint32_t shared_of(struct reading *reading, const char *name)
{
	uint32_t bytes = bytes_of(reading, ".nv.shared.", name);
	/* From compute capability 9.0 on, with the kilobyte that CUDA takes of each block. */
	bool reserves = find_section(reading, ".nv.shared.reserved.0", "") != 0;
	return reserves && bytes >= RESERVED_SHARED ? bytes - RESERVED_SHARED : bytes;
}

static void read_function(struct reading *reading, const struct symbol *symbol)
{
	const struct elf_section *text = &reading->sections[symbol->section];
	struct hd_cubin_function function = {.name = symbol->name, .kernel = (symbol->other & ENTRY_SYMBOL) != 0};
	function.barriers = (uint32_t)(text->flags >> 20) & 0x7f;
	function.registers = symbol->registers != none ? symbol->registers : text->info >> 24;
	function.shared_bytes = shared_of(reading, symbol->name);
	function.constant_bytes = bytes_of(reading, ".nv.constant0.", symbol->name);
	function.local_bytes = bytes_of(reading, ".nv.local.", symbol->name);
	read_own(reading, &function);
	read_stack(symbol, reading->texts[symbol->section].inner, &function);
	read_code(reading, text, &reading->texts[symbol->section], &function);
	reading->texts[symbol->section].function = reading->functions.len;
	hd_vec_push(&reading->functions, function);
	hd_vec_push(&reading->owners, symbol->section);
}

/* Before linking, a caller's registers and stack are its own. */
static void read_calls(struct reading *reading)
{
	const struct elf_section *calls = &reading->sections[find_section(reading, ".nv.callgraph", "")];
	for (uint64_t at = 0; reading->cubin->relocatable && calls->data && at + 8 <= calls->bytes; at += 8) {
		uint32_t caller = get_u32(calls->data + at), callee = get_u32(calls->data + at + 4);
		uint32_t section = caller < reading->symbols.len ? reading->symbols.data[caller].section : 0;
		if (section && section < reading->image.section_count && reading->texts[section].own == caller &&
		    callee < reading->symbols.len)
			reading->functions.data[reading->texts[section].function].open_calls++;
	}
}

static bool is_function(const struct symbol *symbol)
{
	return symbol->type == FUNCTION_SYMBOL && symbol->section && symbol->name[0];
}

/* The first symbol with the name of a section of code is its function's; others are parts of the code. */
static int find_owners(struct reading *reading)
{
	for (uint32_t i = 0; i < reading->symbols.len; i++) {
		const struct symbol *symbol = &reading->symbols.data[i];
		if (!is_function(symbol))
			continue;
		if (symbol->section >= reading->image.section_count)
			return damaged(reading, "a function has no section");
		const char *name = reading->sections[symbol->section].name;
		if (reading->texts[symbol->section].own != none || strncmp(name, ".text.", 6) != 0)
			continue;
		if (!count_name(reading, symbol->name))
			return damaged(reading, "its names overlap");
		if (strcmp(name + 6, symbol->name) == 0 && find_section(reading, "", name) == symbol->section)
			reading->texts[symbol->section].own = i;
	}
	return 0;
}

static int by_section(const void *a, const void *b)
{
	const struct helper *left = a, *right = b;
	if (left->section != right->section)
		return left->section < right->section ? -1 : 1;
	return (left->range.from > right->range.from) - (left->range.from < right->range.from);
}

/* ptxas's own functions, which it puts into the section of who calls them: no symbol of a program has such a name. */
static void find_helpers(struct reading *reading)
{
	for (uint32_t i = 0; i < reading->symbols.len; i++) {
		const struct symbol *symbol = &reading->symbols.data[i];
		if (is_function(symbol) && symbol->name[0] == '$' && symbol->section < reading->image.section_count &&
		    count_name(reading, symbol->name) && strstr(symbol->name, "$__cuda_sm"))
			hd_vec_push(&reading->helpers,
				    (struct helper){symbol->section, {symbol->value, symbol->value + symbol->size}});
	}
	if (reading->helpers.len)
		qsort(reading->helpers.data, reading->helpers.len, sizeof(*reading->helpers.data), by_section);
	for (uint32_t i = 0; i < reading->helpers.len; i++) {
		struct text *text = &reading->texts[reading->helpers.data[i].section];
		if (!text->helper_count++)
			text->first_helper = i;
	}
}

static int read_functions(struct reading *reading)
{
	reading->texts = HD_ARENA_NEW(reading->arena, struct text, reading->image.section_count + 1);
	for (size_t i = 0; i < reading->image.section_count; i++)
		reading->texts[i].own = none;
	if (find_owners(reading) != 0)
		return -1;
	find_helpers(reading);
	for (uint32_t i = 0; i < reading->symbols.len; i++) {
		const struct symbol *symbol = &reading->symbols.data[i];
		if (symbol->type != FUNCTION_SYMBOL || symbol->section >= reading->image.section_count)
			continue;
		struct text *text = &reading->texts[symbol->section];
		if (text->own != i && symbol->frame != none && symbol->frame > text->inner)
			text->inner = symbol->frame;
	}
	for (uint32_t i = 0; i < reading->symbols.len; i++)
		if (is_function(&reading->symbols.data[i]) && reading->texts[reading->symbols.data[i].section].own == i)
			read_function(reading, &reading->symbols.data[i]);
	return 0;
}

/* ------------------------------------------------------------------ lines */

struct relocation {
	uint64_t offset, base;
	uint32_t section, index;
};
struct relocations {
	HD_VEC(struct relocation) list; /* by offset */
};

static int by_offset(const void *a, const void *b)
{
	const struct relocation *left = a, *right = b;
	if (left->offset != right->offset)
		return left->offset < right->offset ? -1 : 1;
	return (left->index > right->index) - (left->index < right->index);
}

static void read_relocations(const struct reading *reading, const struct elf_section *section, unsigned entry,
			     struct relocations *relocations)
{
	for (uint64_t at = 0; section->data && at + entry <= section->bytes; at += entry) {
		const uint8_t *bytes = section->data + at;
		uint32_t symbol = get_u32(bytes + 12), index = relocations->list.len;
		if (symbol >= reading->symbols.len)
			continue;
		uint64_t base = reading->symbols.data[symbol].value + (entry == RELA_BYTES ? get_u64(bytes + 16) : 0);
		hd_vec_push(&relocations->list,
			    (struct relocation){get_u64(bytes), base, reading->symbols.data[symbol].section, index});
	}
	if (relocations->list.len)
		qsort(relocations->list.data, relocations->list.len, sizeof(*relocations->list.data), by_offset);
}

static uint32_t section_of_relocation(void *context, uint64_t offset, uint64_t *base)
{
	const struct relocations *relocations = context;
	uint32_t i;
	HD_BISECT(i, 0, relocations->list.len, relocations->list.data[i].offset < offset);
	bool found = i < relocations->list.len && relocations->list.data[i].offset == offset;
	*base = found ? relocations->list.data[i].base : 0;
	return found ? relocations->list.data[i].section : 0;
}

static int by_address(const void *a, const void *b)
{
	const struct hd_cubin_row *left = a, *right = b;
	if (left->function != right->function)
		return left->function < right->function ? -1 : 1;
	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	return (left->index > right->index) - (left->index < right->index);
}

/* Each row holds up to the next one's address. */
static void place_function(const struct reading *reading, struct hd_cubin_function *function, uint32_t text)
{
	uint32_t first, count = reading->lines.rows.len;
	HD_BISECT(first, 0, count, reading->lines.rows.data[first].function < text);
	if (first == count || reading->lines.rows.data[first].function != text)
		return;
	const struct hd_cubin_row *rows = reading->lines.rows.data + first, *end = rows + (count - first);
	function->file = reading->lines.files.data[rows->file];
	function->line = rows->line;
	if (!function->inst_count)
		return;
	function->origins = HD_ARENA_NEW(reading->arena, struct hd_origin, function->inst_count);
	for (uint32_t i = 0; i < function->inst_count; i++) {
		while (rows + 1 < end && rows[1].function == text && rows[1].address <= (uint64_t)i * INST_BYTES)
			rows++;
		bool known = rows->address <= (uint64_t)i * INST_BYTES;
		function->origins[i] = (struct hd_origin){.file = known ? rows->file : UINT32_MAX,
							  .line = known ? rows->line : 0,
							  .ir = UINT32_MAX};
	}
}

static void read_lines(struct reading *reading)
{
	uint32_t lines = find_section(reading, ".debug_line", ""), rel = find_section(reading, ".rel", ".debug_line"),
		 rela = find_section(reading, ".rela", ".debug_line");
	struct relocations relocations = {{0}};
	reading->lines.arena = reading->arena;
	if (!lines || !reading->sections[lines].data || !(rel || rela))
		return;
	read_relocations(reading, &reading->sections[rela ? rela : rel], rela ? RELA_BYTES : REL_BYTES, &relocations);
	hd_cubin_lines_read(&reading->lines, reading->sections[lines].data, reading->sections[lines].bytes,
			    section_of_relocation, &relocations);
	hd_vec_release(&relocations.list);
	if (reading->lines.rows.len)
		qsort(reading->lines.rows.data, reading->lines.rows.len, sizeof(*reading->lines.rows.data), by_address);
	for (uint32_t i = 0; i < reading->functions.len; i++)
		place_function(reading, &reading->functions.data[i], reading->owners.data[i]);
	reading->cubin->files = reading->lines.files.data;
	reading->cubin->file_count = reading->lines.files.len;
}

/* ------------------------------------------------------------------ what it was made with */

/* The next string of the note, up to `end`. */
static const char *next_string(const uint8_t **at, const uint8_t *end)
{
	const uint8_t *start = *at, *stop = start < end ? memchr(start, '\0', (size_t)(end - start)) : NULL;
	if (!stop)
		return "";
	*at = stop + 1;
	return (const char *)start;
}

/* ptxas's command line without what names files, makes it talk, or says the architecture, which is the target. */
static const char *kept_options(struct reading *reading, const char *text)
{
	static const char *const dropped[] = {"-v", "--verbose", "-m", "-arch", "--gpu-name", "-o"};
	char *copy = hd_arena_strdup(reading->arena, text);
	struct hd_strbuf kept = {0};
	bool skip = false;
	for (char *word; (word = strsep(&copy, " "));) {
		bool drop = skip || !word[0];
		skip = false;
		for (unsigned i = 0; !drop && i < sizeof(dropped) / sizeof(dropped[0]); i++)
			if (strcmp(word, dropped[i]) == 0) {
				drop = true;
				skip = i >= 2;
			}
		if (drop)
			continue;
		hd_strbuf_append(&kept, kept.len ? " " : "");
		hd_strbuf_append(&kept, word);
	}
	const char *options = hd_arena_strdup(reading->arena, hd_strbuf_text(&kept));
	hd_strbuf_release(&kept);
	return options;
}

/* "-arch sm_90a": the ELF flags have the number alone. */
static void read_target(struct reading *reading, const char *options)
{
	struct hd_cubin *cubin = reading->cubin;
	const char *at = strstr(options, "-arch sm_");
	char *end;
	cubin->target = hd_arena_printf(reading->arena, "sm_%u", cubin->arch);
	if (!at || strtoul(at + 9, &end, 10) != cubin->arch)
		return;
	size_t length = strcspn(at + 6, " ");
	if (length < 16)
		cubin->target = hd_arena_printf(reading->arena, "%.*s", (int)length, at + 6);
}

static void read_producer(struct reading *reading)
{
	struct hd_cubin *cubin = reading->cubin;
	const struct elf_section *note = &reading->sections[find_section(reading, ".note.nv.tkinfo", "")];
	const char *release = "", *options = "";
	/* A note: lengths and type, the name padded to words; then six words and four strings. */
	uint64_t before = 12, strings = 24;
	uint32_t name = note->data && note->bytes >= before ? get_u32(note->data) : 0;
	uint64_t from = before + (((uint64_t)name + 3) & ~UINT64_C(3)) + strings;
	if (name && from < note->bytes) {
		const uint8_t *at = note->data + from, *end = note->data + note->bytes;
		while (at < end && !*at)
			at++;
		next_string(&at, end);
		release = next_string(&at, end);
		next_string(&at, end);
		options = next_string(&at, end);
	}
	const char *version = strstr(release, ", V");
	if (version)
		cubin->producer = hd_arena_printf(reading->arena, "ptxas %s", version + 3);
	else if (reading->api_version)
		cubin->producer = hd_arena_printf(reading->arena, "ptxas of CUDA %u.%u", reading->api_version / 10,
						  reading->api_version % 10);
	else
		cubin->producer = "ptxas";
	cubin->options = kept_options(reading, options);
	read_target(reading, options);
}

/* ------------------------------------------------------------------ the whole */

/* No two have the same: find_owners. */
static int by_name(const void *a, const void *b)
{
	const struct hd_cubin_function *left = a, *right = b;
	return strcmp(left->name, right->name);
}

static int read_header(struct reading *reading, const uint8_t *bytes, size_t size)
{
	if (size < OBJECT_HEADER_BYTES || memcmp(bytes, ELFMAG, SELFMAG) != 0 || get_u16(bytes + 18) != EM_CUDA)
		return damaged(reading, "it is no ELF file for NVIDIA's GPUs");
	if (bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB)
		return damaged(reading, "it is not of 64 bits");
	if (elf_image_init(&reading->image, bytes, size) != 0)
		return damaged(reading, "it is truncated");
	uint32_t flags = get_u32(bytes + 48);
	reading->cubin->arch = bytes[EI_ABIVERSION] >= NEW_ABI ? flags >> 8 & 0xff : flags & 0xff;
	reading->cubin->relocatable = get_u16(bytes + 16) == ET_REL;
	return 0;
}

int hd_cubin_read(const uint8_t *bytes, size_t size, const char *path, struct hd_arena *arena, struct hd_cubin *cubin,
		  struct hd_diag *diag)
{
	struct reading reading = {.path = path, .arena = arena, .cubin = cubin, .diag = diag};
	*cubin = (struct hd_cubin){0};
	reading.names_left = (uint64_t)size * NAMES_RATIO;
	int status = read_header(&reading, bytes, size);
	if (status == 0 && (status = read_sections(&reading)) == 0 && (status = read_symbols(&reading)) == 0) {
		read_common(&reading);
		status = read_functions(&reading);
	}
	if (status == 0) {
		read_calls(&reading);
		read_lines(&reading);
		read_producer(&reading);
		cubin->user_constant_bytes = bytes_of(&reading, ".nv.constant3", "");
		cubin->function_count = reading.functions.len;
		cubin->functions = HD_ARENA_NEW(arena, struct hd_cubin_function, cubin->function_count + 1);
		if (cubin->function_count) {
			memcpy(cubin->functions, reading.functions.data,
			       cubin->function_count * sizeof(*cubin->functions));
			qsort(cubin->functions, cubin->function_count, sizeof(*cubin->functions), by_name);
		}
	}
	elf_image_release(&reading.image);
	hd_vec_release(&reading.symbols);
	hd_vec_release(&reading.functions);
	hd_vec_release(&reading.owners);
	hd_vec_release(&reading.helpers);
	hd_hash_set_release(&reading.names);
	return status;
}
