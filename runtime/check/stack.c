/*
 * Local memory under --check=init: arrays of a thread, spilled registers. What a function's frame holds when it begins
 * nothing has written; a word has one origin for all lanes, as a register has.
 */
#include "lib/machine/abi.h"
#include "runtime/check/state.h"

void hd_values_follow_stack(struct hd_values *values, const struct hd_warp *warp, uint32_t mask)
{
	const uint32_t *now = hd_row(warp, HD_ABI_STACK_POINTER);
	if (!values->local_words || !memcmp(now, values->frame, sizeof(values->frame)))
		return;
	HD_FOR_LANES (lane, mask) {
		uint32_t low = now[lane] / 4, high = values->frame[lane] / 4;
		for (uint32_t word = low; word < high && word < values->local_words; word++)
			values->known[word] &= ~(1u << lane);
		values->frame[lane] = now[lane];
	}
}

static uint32_t bits_of_bytes(uint32_t bytes)
{
	return bytes < 4 ? (1u << 8 * bytes) - 1 : HD_FULL;
}

/* What the word of a lane holds that means nothing; NULL: nothing was written there. */
static const struct hd_value_row *row_at(const struct hd_values *values, uint32_t lane, uint32_t word)
{
	static const struct hd_value_row all_known;
	if (!(values->known[word] >> lane & 1))
		return NULL;
	return values->local[word] ? values->local[word] : &all_known;
}

static void load_word(struct hd_values *values, uint32_t lane, uint32_t offset, uint32_t bytes, uint32_t reg,
		      uint32_t pc, bool extends)
{
	struct hd_value_row *to = &values->regs[reg];
	const struct hd_value_row *row = row_at(values, lane, offset / 4);
	struct hd_origin_of of = {.pc = pc, .kind = HD_FOUND_UNWRITTEN, .space = HD_MEM_LOCAL, .address = offset & ~3u};
	uint32_t of_bytes = bits_of_bytes(bytes), shift = 8 * (offset % 4);
	if (row && bytes == 4) {
		hd_value_copy_lane(to, lane, row, lane);
		if (to->of.pc == HD_PC_NONE)
			to->of.pc = pc;
		values->any |= row->lanes;
		return;
	}
	uint32_t bits = of_bytes;
	if (row)
		bits = row->lanes >> lane & 1 ? row->bits[lane] >> shift & of_bytes : 0;
	if (row && row->lanes >> lane & 1)
		of = row->of;
	else
		of.address = offset;
	if (of.pc == HD_PC_NONE)
		of.pc = pc;
	if (extends && bits >> (8 * bytes - 1) & 1)
		bits |= ~of_bytes;
	hd_value_read(to, lane, bits, bytes, offset, &of);
	if (bits && row && row->how.altered >> lane & 1)
		to->how.altered |= 1u << lane;
	values->any |= bits != 0;
}

void hd_values_load_local(struct hd_values *values, uint32_t lane, uint32_t offset, uint32_t bytes, uint32_t reg,
			  uint32_t pc, bool extends)
{
	for (uint32_t done = 0; done < bytes && reg != HD_RZ && (offset + done) / 4 < values->local_words;
	     done += 4, reg++)
		load_word(values, lane, offset + done, bytes < 4 ? bytes : 4, reg, pc, extends);
}

/* The word, with all of it known or not yet. */
static struct hd_value_row *make_row(struct hd_values *values, uint32_t lane, uint32_t word)
{
	if (!values->local[word])
		values->local[word] = hd_xcalloc(1, sizeof(**values->local));
	struct hd_value_row *row = values->local[word];
	if (!(values->known[word] >> lane & 1)) {
		const struct hd_origin_of of = {.pc = HD_PC_NONE,
						.kind = HD_FOUND_UNWRITTEN,
						.space = HD_MEM_LOCAL,
						.address = 4 * word};
		hd_value_read(row, lane, HD_FULL, 4, 4 * word, &of);
	}
	return row;
}

static void store_word(struct hd_values *values, uint32_t lane, uint32_t offset, uint32_t bytes,
		       const struct hd_value_row *from)
{
	uint32_t word = offset / 4, shift = 8 * (offset % 4), of_bytes = bits_of_bytes(bytes);
	bool bad = from && from->lanes >> lane & 1 && from->bits[lane] & of_bytes;
	if (bytes == 4 && !bad) {
		if (values->local[word])
			values->local[word]->lanes &= ~(1u << lane);
	} else if (bytes == 4) {
		hd_value_copy_lane(make_row(values, lane, word), lane, from, lane);
	} else if (bad || !(values->known[word] >> lane & 1) || values->local[word]) {
		struct hd_value_row *row = make_row(values, lane, word);
		uint32_t old = row->lanes >> lane & 1 ? row->bits[lane] : 0;
		uint32_t new = (old & ~(of_bytes << shift)) | (bad ? (from->bits[lane] & of_bytes) << shift : 0);
		struct hd_origin_of of = bad ? from->of : row->of;
		hd_value_read(row, lane, new, 4, offset & ~3u, &of);
	}
	values->known[word] |= 1u << lane;
}

void hd_values_store_local(struct hd_values *values, uint32_t lane, uint32_t offset, uint32_t bytes, uint32_t reg)
{
	for (uint32_t done = 0; done < bytes && (offset + done) / 4 < values->local_words; done += 4) {
		uint32_t number = hd_next_reg(reg, done / 4);
		store_word(values, lane, offset + done, bytes < 4 ? bytes : 4,
			   number == HD_RZ ? NULL : &values->regs[number]);
	}
}
