/*
 * Listings of machine code: the facts of a function's instructions, gathered once, and the text that `heddle dis` and
 * the plugin's printers have in common. Linear in the function.
 */
#include "lib/object/listing.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"

#include <stdarg.h>
#include <string.h>

#include "heddle/control.h"
#include "lib/strbuf.h"

/* ---- facts */

static void number_blocks(struct hd_listing *listing, struct hd_arena *arena)
{
	struct hd_bitset leaders = hd_function_leaders(listing->function, arena);
	listing->block = HD_ARENA_NEW(arena, uint32_t, listing->function->inst_count);
	uint32_t block = 0;
	for (uint32_t i = 0; i < listing->function->inst_count; i++) {
		if (i && hd_bitset_has(&leaders, i))
			block++;
		listing->block[i] = block;
	}
}

static void place_calls(struct hd_listing *listing, const struct hd_meta_call *calls, uint32_t count)
{
	const struct hd_function *function = listing->function;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t index = calls[i].pc / HD_INST_BYTES;
		if (index < function->inst_count && hd_opinfo[function->insts[index].op].effects & HD_FX_CALL)
			listing->call[index] = &calls[i];
	}
}

static void place_intervals(struct hd_listing *listing, const struct hd_meta_interval *intervals, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (intervals[i].entry_pc / HD_INST_BYTES < listing->function->inst_count)
			listing->interval[intervals[i].entry_pc / HD_INST_BYTES] = &intervals[i];
}

/* What the metadata knows of places in the code: of a kernel's own, or of its linear version. */
static void place_facts(struct hd_listing *listing)
{
	const struct hd_meta_function *meta = listing->meta;
	const struct hd_meta_linear_version *version = meta->linear_version;
	if (!listing->linear) {
		place_calls(listing, meta->calls, meta->call_count);
		place_intervals(listing, meta->intervals, meta->interval_count);
	} else if (version) {
		place_calls(listing, version->calls, version->call_count);
		place_intervals(listing, version->intervals, version->interval_count);
	}
}

static void init(struct hd_listing *listing, struct hd_arena *arena)
{
	const struct hd_function *function = listing->function;
	listing->meta = hd_metadata_find(&listing->object->metadata, function->name);
	number_blocks(listing, arena);
	listing->reloc = HD_ARENA_NEW(arena, const struct hd_reloc *, function->inst_count);
	listing->call = HD_ARENA_NEW(arena, const struct hd_meta_call *, function->inst_count);
	listing->interval = HD_ARENA_NEW(arena, const struct hd_meta_interval *, function->inst_count);
	for (uint32_t i = 0; i < function->reloc_count; i++)
		listing->reloc[function->relocs[i].offset] = &function->relocs[i];
	if (listing->meta)
		place_facts(listing);
}

void hd_listing_init(struct hd_listing *listing, const struct hd_object *object, const struct hd_function *function,
		     struct hd_arena *arena)
{
	*listing = (struct hd_listing){.object = object, .function = function};
	init(listing, arena);
}

void hd_listing_init_linear(struct hd_listing *listing, const struct hd_object *object, const struct hd_linear *linear,
			    struct hd_arena *arena)
{
	*listing = (struct hd_listing){.object = object, .function = &linear->body, .linear = linear};
	init(listing, arena);
}

const char *hd_listing_stream(const struct hd_listing *listing, uint32_t index)
{
	static const char *const names[HD_STREAM_COUNT] = {
		[HD_STREAM_COEFFICIENT] = "coefficients",
		[HD_STREAM_THREAD] = "thread-index parts",
		[HD_STREAM_BLOCK] = "block-index parts",
		[HD_STREAM_MAIN] = "main",
	};
	for (unsigned stream = 0; listing->linear && stream < HD_STREAM_COUNT; stream++)
		if (listing->linear->start[stream] == index)
			return names[stream];
	return NULL;
}

const char *hd_listing_symbol(const struct hd_listing *listing, uint32_t index)
{
	const struct hd_reloc *reloc = listing->reloc[index];
	return reloc ? listing->object->symbols[reloc->symbol].name : NULL;
}

void hd_listing_format(const struct hd_listing *listing, uint32_t index, char text[HD_LISTING_TEXT])
{
	const struct hd_inst *inst = &listing->function->insts[index];
	int len = hd_inst_format(inst, text, HD_LISTING_TEXT);
	const char *symbol = hd_listing_symbol(listing, index);
	/* Until the object is loaded the number in a call means nothing. */
	char *number = inst->op == HD_OP_CALL && symbol && len < HD_LISTING_TEXT ? strrchr(text, ' ') : NULL;
	if (number)
		snprintf(number + 1, HD_LISTING_TEXT - (size_t)(number + 1 - text), "%s", symbol);
}

/* ---- text */

static const char *text_of(const char *sequence)
{
	return sequence ? sequence : "";
}

static void add_note(struct hd_strbuf *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void add_note(struct hd_strbuf *notes, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	if (notes->len)
		hd_strbuf_append(notes, ", ");
	hd_strbuf_vprintf(notes, format, args);
	va_end(args);
}

static void add_call_notes(struct hd_strbuf *notes, const struct hd_meta_call *call)
{
	if (call->kind == HD_CALL_INDIRECT) {
		add_note(notes, "may call");
		for (uint32_t i = 0; i < call->callee_count; i++)
			hd_strbuf_printf(notes, "%s%s", i ? "|" : " ", call->callees[i]);
		if (call->unknown_callees)
			hd_strbuf_append(notes, call->callee_count ? "|?" : " ?");
	}
	add_note(notes, "FRU %u", call->fru);
	if (call->recursive)
		add_note(notes, "recursive");
}

/* The targets of an indirect branch, by block. */
static void add_table_notes(struct hd_strbuf *notes, const struct hd_listing *listing,
			    const struct hd_jump_table *table)
{
	enum { SHOWN = 8 };
	add_note(notes, "to");
	for (uint32_t i = 0; i < table->count && i < SHOWN; i++)
		hd_strbuf_printf(notes, " .B%u", listing->block[table->targets[i]]);
	if (table->count > SHOWN)
		hd_strbuf_printf(notes, " and %u more", table->count - SHOWN);
}

static bool calls_helper(const struct hd_object *object, const struct hd_reloc *reloc)
{
	const struct hd_symbol *symbol = reloc ? &object->symbols[reloc->symbol] : NULL;
	return symbol && symbol->defined && object->functions[symbol->function].helper;
}

/* What the instruction's text does not say: blocks of targets, reconvergence, callees, addresses. */
static void collect_notes(struct hd_strbuf *notes, const struct hd_listing *listing, uint32_t index)
{
	const struct hd_inst *inst = &listing->function->insts[index];
	const struct hd_reloc *reloc = listing->reloc[index];
	if (inst->op == HD_OP_BRA)
		add_note(notes, "to .B%u", listing->block[inst->x]);
	if (inst->op == HD_OP_CALL && calls_helper(listing->object, reloc))
		add_note(notes, "helper");
	if (inst->op == HD_OP_BRX)
		add_table_notes(notes, listing, &listing->function->tables[inst->x]);
	if (hd_opinfo[inst->op].effects & HD_FX_BRANCH && inst->reconv != HD_NO_PC)
		add_note(notes, "reconv 0x%x .B%u", inst->reconv * HD_INST_BYTES, listing->block[inst->reconv]);
	if (listing->call[index])
		add_call_notes(notes, listing->call[index]);
	if (reloc && reloc->kind != HD_REL_CALL) {
		add_note(notes, "%s(%s", reloc->kind == HD_REL_ABS_LO ? "lo" : "hi", hd_listing_symbol(listing, index));
		hd_strbuf_printf(notes, reloc->addend ? "%+lld)" : ")", (long long)reloc->addend);
	}
}

/* The calls that inlined code stands for, innermost first. */
static void collect_calls(struct hd_strbuf *text, const struct hd_object *object, uint32_t number)
{
	for (; number && number <= object->inlined_count; number = object->inlined[number - 1].outer) {
		const struct hd_inlined *call = &object->inlined[number - 1];
		hd_strbuf_printf(text, " in %s", call->callee);
		if (call->file < object->file_count)
			hd_strbuf_printf(text, ", called at %s:%u", object->files[call->file], call->line);
	}
}

/* Where the instruction comes from; nothing when it is the line of the instruction before it. */
static void collect_source(struct hd_strbuf *text, const struct hd_listing *listing,
			   const struct hd_listing_style *style, uint32_t index)
{
	const struct hd_origin *origin = &listing->function->origins[index];
	const struct hd_origin *before = index ? origin - 1 : NULL;
	bool new_block = index && listing->block[index] != listing->block[index - 1];
	if (origin->file >= listing->object->file_count || !origin->line)
		return;
	if (before && !new_block && before->file == origin->file && before->line == origin->line &&
	    before->inlined == origin->inlined)
		return;
	const char *line = style->source ? style->source(style->context, origin->file, origin->line) : NULL;
	hd_strbuf_printf(text, "%s:%u", listing->object->files[origin->file], origin->line);
	collect_calls(text, listing->object, origin->inlined);
	if (line)
		hd_strbuf_printf(text, "  %s", line);
}

/* Registers as R0-R3 R8. */
static void append_registers(struct hd_strbuf *text, const uint64_t vector[4])
{
	unsigned end;
	for (unsigned reg = 0; reg < HD_MAX_REGS; reg = end + 1) {
		for (end = reg; end < HD_MAX_REGS && vector[end / 64] >> (end % 64) & 1;)
			end++;
		if (end > reg)
			hd_strbuf_printf(text, " R%u", reg);
		if (end > reg + 1)
			hd_strbuf_printf(text, "-R%u", end - 1);
	}
}

/* Where a register-interval begins: what its PREFETCH allocates, and what of that it has to fetch. */
static void print_interval(FILE *out, const struct hd_meta_interval *interval, const struct hd_listing_style *style)
{
	struct hd_strbuf set = {0}, live = {0};
	append_registers(&set, interval->working_set);
	append_registers(&live, interval->live_in);
	fprintf(out, "  %s; interval %u:%s, live in:%s%s\n", text_of(style->dim), interval->id,
		set.len ? hd_strbuf_text(&set) : " no registers", live.len ? hd_strbuf_text(&live) : " none",
		text_of(style->plain));
	hd_strbuf_release(&set);
	hd_strbuf_release(&live);
}

/* What a line is put together in: from one instruction to the next it keeps its memory. */
struct line {
	struct hd_strbuf notes, source, all;
};

static void print_inst(FILE *out, const struct hd_listing *listing, const struct hd_listing_style *style,
		       uint32_t index, struct line *line)
{
	const struct hd_inst *inst = &listing->function->insts[index];
	char text[HD_LISTING_TEXT];
	hd_listing_format(listing, index, text);
	/* The guard has a column of its own, so that mnemonics line up. */
	char *mnemonic = text[0] == '@' ? strchr(text, ' ') : NULL;
	if (mnemonic)
		*mnemonic++ = '\0';

	char control[HD_CONTROL_TEXT] = "";
	if (style->control && listing->function->control)
		hd_control_format(&listing->function->control[index], control);

	struct hd_strbuf *notes = &line->notes, *source = &line->source, *all = &line->all;
	hd_strbuf_clear(notes);
	hd_strbuf_clear(source);
	hd_strbuf_clear(all);
	collect_notes(notes, listing, index);
	collect_source(source, listing, style, index);
	hd_strbuf_printf(all, "  %04x  %s%s%-5s %-40s", index * HD_INST_BYTES, control, *control ? "  " : "",
			 mnemonic ? text : "", mnemonic ? mnemonic : text);
	hd_strbuf_printf(all, " %-14s", inst->role ? hd_role_name((enum hd_role)inst->role) : "");
	hd_strbuf_printf(all, " %-26s", hd_strbuf_text(notes));
	if (source->len)
		hd_strbuf_printf(all, " %s; %s%s", text_of(style->dim), hd_strbuf_text(source), text_of(style->plain));
	while (all->len && all->data[all->len - 1] == ' ')
		all->data[--all->len] = '\0';
	fprintf(out, "%s\n", hd_strbuf_text(all));
}

void hd_listing_print(FILE *out, const struct hd_listing *listing, const struct hd_listing_style *style)
{
	const char *bold = text_of(style->bold), *plain = text_of(style->plain);
	struct line line = {0};
	for (uint32_t i = 0; i < listing->function->inst_count; i++) {
		const char *stream = hd_listing_stream(listing, i);
		if (stream)
			fprintf(out, "%s%s%s\n", bold, stream, plain);
		if (!i || listing->block[i] != listing->block[i - 1])
			fprintf(out, "%s.B%u:%s\n", bold, listing->block[i], plain);
		if (listing->interval[i])
			print_interval(out, listing->interval[i], style);
		print_inst(out, listing, style, i, &line);
	}
	hd_strbuf_release(&line.notes);
	hd_strbuf_release(&line.source);
	hd_strbuf_release(&line.all);
}

void hd_listing_print_linear_registers(FILE *out, const struct hd_linear *linear)
{
	for (uint32_t i = 0; i < linear->linears; i++)
		if (linear->thread_of[i] == HD_LR_NO_THREAD)
			fprintf(out, "  %%lr%u = %%br%u\n", i, i);
		else
			fprintf(out, "  %%lr%u = %%tr%u + %%br%u\n", i, linear->thread_of[i], i);
}
