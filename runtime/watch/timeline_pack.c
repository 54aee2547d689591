/*
 * Frames of zstd (RFC 8878) for text whose writer knows what it has written before: the writer names the matches, so
 * that none is searched for, which is what takes the time of a compressor.
 *
 * A block has its literals in one Huffman code, which is made for numbers and is sent once, and its matches in the
 * predefined codes of the format. Offsets are all given in full. There is no checksum and no size of the whole.
 *
 * Cost: some seven host instructions for a literal and sixty for a match.
 */
#include "runtime/watch/timeline_pack.h"

#include <assert.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "lib/arena.h"

enum {
	SYMBOLS = 128, /* of literals: a block with others stays as it is */
	LONGEST = 11,  /* bits of a literal */
	PAIR_BITS = 2 * LONGEST,
	STREAMS_FROM = 1024, /* literals that are worth four streams */
	MOST_LOG = 6,
	MOST_CODES = 53,
	NEAR = 128,
	BLOCK = 1 << 17, /* bytes that a block may have, packed or not */
};

/* ------------------------------------------------------------ bits */

/* Bits from the low end up; a reader begins at the high end, with the highest one that is set. `at` has eight bytes of
 * room. */
struct bits {
	uint64_t word;
	unsigned count;
	uint8_t *at;
};

static inline void add(struct bits *bits, uint64_t value, unsigned count)
{
	bits->word |= (value & ((UINT64_C(1) << count) - 1)) << bits->count;
	bits->count += count;
}

static inline void put_little(uint8_t *to, uint64_t value, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

/* After at most 56 bits. */
static inline void spill(struct bits *bits)
{
	uint64_t word = htole64(bits->word);
	memcpy(bits->at, &word, sizeof word);
	bits->at += bits->count >> 3;
	bits->word >>= bits->count & 56;
	bits->count &= 7;
}

static uint8_t *close_bits(struct bits *bits)
{
	add(bits, 1, 1);
	spill(bits);
	return bits->at + (bits->count > 0);
}

/* ------------------------------------------------------------ codes of numbers */

/* A finite-state code (FSE): of each symbol, what to add to the state to get its bits, and where its states begin. */
struct coder {
	unsigned log;
	uint16_t states[1 << MOST_LOG];
	uint32_t bits[MOST_CODES];
	int32_t first[MOST_CODES];
};

struct hd_pack_tables {
	struct coder literals, lengths, offsets;
	uint32_t literal_first[MOST_CODES], length_first[MOST_CODES];
	uint8_t literal_codes[NEAR], length_codes[NEAR];
	uint16_t code[SYMBOLS];
	uint8_t bits[SYMBOLS];
	uint32_t pair[SYMBOLS][SYMBOLS]; /* of two literals, the second one first: code, and bits above PAIR_BITS */
	uint8_t block[BLOCK + HD_PACK_MATCHED]; /* literals may be longer before they stay as they are */
};

/* Probabilities of RFC 8878, 3.1.1.3.2.2; -1 is less than one. */
static const int8_t literal_norm[] = {4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1,  1,	2,  2,
				      2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1};
static const int8_t length_norm[] = {1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1,  1,  1,  1,  1,  1,  1, 1,
				     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,  1,  1,  1,  1,  1,  1, 1,
				     1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1};
static const int8_t offset_norm[] = {1, 1, 1, 1, 1, 1, 2, 2, 2, 1,  1,	1,  1,	1, 1,
				     1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1};
/* Extra bits by code; a code's first number is one more than the last one of the code before. */
static const uint8_t literal_extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,  0,	 0,  0,	 0,  1,	 1,
					1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const uint8_t length_extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	 0,  0,	 0,  0,	 0,  0, 0,
				       0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,	 0,  0,	 0,  1,	 1,  1, 1,
				       2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static unsigned log_of(uint32_t value)
{
	return 31u - (unsigned)__builtin_clz(value);
}

/* The states of the decoder's table, symbol by symbol: RFC 8878, 4.1.1. */
static void make_coder(struct coder *coder, const int8_t *norm, unsigned count, unsigned log)
{
	unsigned size = 1u << log, high = size, at = 0, total = 0, next[MOST_CODES];
	uint8_t symbols[1 << MOST_LOG] = {0};
	coder->log = log;
	for (unsigned s = 0; s < count; s++)
		if (norm[s] < 0)
			symbols[--high] = (uint8_t)s;
	for (unsigned s = 0; s < count; s++)
		for (int i = 0; i < norm[s]; i++) {
			symbols[at] = (uint8_t)s;
			do
				at = (at + (size >> 1) + (size >> 3) + 3) & (size - 1);
			while (at >= high);
		}
	for (unsigned s = 0; s < count; s++) {
		unsigned states = norm[s] < 0 ? 1 : (unsigned)norm[s],
			 most = states > 1 ? log - log_of(states - 1) : log;
		coder->bits[s] = (most << 16) - (states << most);
		coder->first[s] = (int32_t)total - (int32_t)states;
		next[s] = total;
		total += states;
	}
	assert(total == size);
	for (unsigned i = 0; i < size; i++)
		coder->states[next[symbols[i]]++] = (uint16_t)(size + i);
}

/* A state whose decoding gives the symbol. */
static unsigned first_state(const struct coder *coder, unsigned symbol)
{
	unsigned count = (coder->bits[symbol] + (1u << 15)) >> 16, value = (count << 16) - coder->bits[symbol];
	return coder->states[(int32_t)(value >> count) + coder->first[symbol]];
}

static inline void encode(const struct coder *coder, unsigned *state, unsigned symbol, struct bits *bits)
{
	unsigned count = (*state + coder->bits[symbol]) >> 16;
	add(bits, *state, count);
	*state = coder->states[(int32_t)(*state >> count) + coder->first[symbol]];
}

/* ------------------------------------------------------------ matches */

/* The first number of each code, and the codes of numbers below NEAR; from there on, a code is for a power of two. */
static void make_codes(uint32_t *first, uint8_t *codes, const uint8_t *extra, unsigned count)
{
	for (unsigned code = 0; code + 1 < count; code++)
		first[code + 1] = first[code] + (1u << extra[code]);
	for (unsigned number = 0, code = 0; number < NEAR; number++)
		codes[number] = (uint8_t)(number == first[code + 1] ? ++code : code);
}

struct codes {
	unsigned literals, length, offset;
};

static inline struct codes codes_of(const struct hd_pack_tables *tables, const struct hd_pack_match *match)
{
	uint32_t literals = match->literals, over = match->length - 3;
	return (struct codes){literals < NEAR ? tables->literal_codes[literals] : log_of(literals) + 19,
			      over < NEAR ? tables->length_codes[over] : log_of(over) + 36, log_of(match->back + 3)};
}

static inline void add_extras(const struct hd_pack_tables *tables, const struct hd_pack_match *match,
			      struct codes codes, struct bits *bits)
{
	add(bits, match->literals - tables->literal_first[codes.literals], literal_extra[codes.literals]);
	add(bits, match->length - 3 - tables->length_first[codes.length], length_extra[codes.length]);
	add(bits, match->back + 3, codes.offset);
	spill(bits);
}

static uint8_t *put_matches(const struct hd_pack *pack, uint8_t *at)
{
	const struct hd_pack_tables *tables = pack->tables;
	uint32_t n = pack->count;
	if (!n) {
		*at++ = 0;
		return at;
	}
	*at++ = (uint8_t)((n >> 8) + 128);
	*at++ = (uint8_t)n;
	*at++ = 0; /* predefined codes */
	struct bits bits = {.at = at};
	struct codes codes = codes_of(tables, &pack->matches[--n]);
	unsigned literals = first_state(&tables->literals, codes.literals);
	unsigned length = first_state(&tables->lengths, codes.length);
	unsigned offset = first_state(&tables->offsets, codes.offset);
	add_extras(tables, &pack->matches[n], codes, &bits);
	while (n-- > 0) {
		codes = codes_of(tables, &pack->matches[n]);
		encode(&tables->offsets, &offset, codes.offset, &bits);
		encode(&tables->lengths, &length, codes.length, &bits);
		encode(&tables->literals, &literals, codes.literals, &bits);
		spill(&bits);
		add_extras(tables, &pack->matches[n], codes, &bits);
	}
	add(&bits, length, tables->lengths.log);
	add(&bits, offset, tables->offsets.log);
	add(&bits, literals, tables->literals.log);
	spill(&bits);
	return close_bits(&bits);
}

/* ------------------------------------------------------------ literals */

/* Bits of each: tabs and digits are most of the text, and the lines' letters. The sum of 2^-bits is 1. */
static unsigned bits_of(unsigned symbol)
{
	switch (symbol) {
	case '\t': return 3;
	case '\n': return 4;
	case 'S':
	case 'W':
	case 'R': return 5;
	case '^':
	case '`':
	case '~':
	case 127: return LONGEST;
	default: return symbol >= '0' && symbol <= '9' ? 4 : symbol < ' ' ? LONGEST : 10;
	}
}

static void make_literals(struct hd_pack_tables *tables)
{
	unsigned count[LONGEST + 1] = {0}, value[LONGEST + 1], next = 0;
	for (unsigned s = 0; s < SYMBOLS; s++)
		count[tables->bits[s] = (uint8_t)bits_of(s)]++;
	for (unsigned bits = LONGEST; bits > 0; bits--) {
		value[bits] = next;
		next = (next + count[bits]) >> 1;
	}
	assert(next == 1);
	for (unsigned s = 0; s < SYMBOLS; s++)
		tables->code[s] = (uint16_t)value[tables->bits[s]]++;
	for (unsigned s = 0; s < SYMBOLS; s++)
		for (unsigned next = 0; next < SYMBOLS; next++)
			tables->pair[s][next] = (uint32_t)(tables->bits[s] + tables->bits[next]) << PAIR_BITS |
						(uint32_t)tables->code[s] << tables->bits[next] | tables->code[next];
}

static uint8_t *put_stream(const struct hd_pack_tables *tables, const uint8_t *from, size_t count, uint8_t *at)
{
	struct bits bits = {.at = at};
	size_t i = count;
	for (; i >= 4; i -= 4) {
		for (unsigned j = 1; j <= 3; j += 2) {
			uint32_t pair = tables->pair[from[i - j - 1]][from[i - j]];
			bits.word |= (uint64_t)(pair & ((1u << PAIR_BITS) - 1)) << bits.count;
			bits.count += pair >> PAIR_BITS;
		}
		spill(&bits);
	}
	while (i-- > 0)
		add(&bits, tables->code[from[i]], tables->bits[from[i]]);
	spill(&bits);
	return close_bits(&bits);
}

static bool has_codes(const uint8_t *literals, size_t count)
{
	uint8_t any = 0;
	for (size_t i = 0; i < count; i++)
		any |= literals[i];
	return any < SYMBOLS;
}

static uint8_t *put_literals(struct hd_pack *pack, const uint8_t *literals, size_t count, uint8_t *start)
{
	enum { HEAD = 5, JUMPS = 6 };
	const struct hd_pack_tables *tables = pack->tables;
	uint8_t *at = start + HEAD, *jumps, *begin;
	size_t part = (count + 3) / 4;
	if (count >= STREAMS_FROM && has_codes(literals, count)) {
		if (!pack->has_codes) { /* weights, two in a byte; that of the last symbol goes without saying */
			*at++ = 127 + SYMBOLS - 1;
			for (unsigned s = 0; s < SYMBOLS; s += 2)
				*at++ = (uint8_t)((LONGEST + 1 - tables->bits[s]) << 4 |
						  (s + 1 < SYMBOLS - 1 ? LONGEST + 1 - tables->bits[s + 1] : 0));
		}
		jumps = at;
		at += JUMPS;
		for (unsigned i = 0; i < 4; i++) {
			begin = at;
			at = put_stream(tables, literals + i * part, i < 3 ? part : count - 3 * part, at);
			if (i < 3)
				put_little(jumps + 2 * i, (uint64_t)(at - begin), 2);
		}
		if ((size_t)(at - start) < count) {
			unsigned type = pack->has_codes ? 3 : 2;
			put_little(start, type | 3 << 2 | (uint64_t)count << 4 | (uint64_t)(at - start - HEAD) << 22,
				   HEAD);
			pack->has_codes = true;
			return at;
		}
	}
	put_little(start, 3 << 2 | (uint64_t)count << 4, 3);
	memcpy(start + 3, literals, count);
	return start + 3 + count;
}

/* ------------------------------------------------------------ frames */

struct hd_pack *hd_pack_new(void)
{
	struct hd_pack *pack = hd_xcalloc(1, sizeof(*pack));
	pack->tables = hd_xcalloc(1, sizeof(*pack->tables));
	make_coder(&pack->tables->literals, literal_norm, sizeof literal_norm, 6);
	make_coder(&pack->tables->lengths, length_norm, sizeof length_norm, 6);
	make_coder(&pack->tables->offsets, offset_norm, sizeof offset_norm, 5);
	make_codes(pack->tables->literal_first, pack->tables->literal_codes, literal_extra, sizeof literal_extra);
	make_codes(pack->tables->length_first, pack->tables->length_codes, length_extra, sizeof length_extra);
	make_literals(pack->tables);
	return pack;
}

void hd_pack_free(struct hd_pack *pack)
{
	if (pack)
		free(pack->tables);
	free(pack);
}

bool hd_pack_block(struct hd_pack *pack, const char *literals, size_t count, bool last, FILE *to)
{
	static const uint8_t header[] = {0x28, 0xb5, 0x2f, 0xfd, 0, (20 - 10) << 3}; /* the window: 2^20 */
	uint8_t *block = pack->tables->block, head[3];
	uint8_t *end = put_matches(pack, put_literals(pack, (const uint8_t *)literals, count, block));
	bool right = pack->has_header || fwrite(header, 1, sizeof header, to) == sizeof header;
	size_t size = (size_t)(end - block);
	assert(size <= BLOCK);
	pack->has_header = true;
	put_little(head, (uint64_t)last | 2 << 1 | (uint64_t)size << 3, sizeof head);
	right = right && fwrite(head, 1, sizeof head, to) == sizeof head && fwrite(block, 1, size, to) == size;
	pack->before += count + pack->matched;
	pack->count = pack->matched = pack->taken = 0;
	return right;
}
