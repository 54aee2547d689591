/*
 * Bits of bytes that nothing has written (--check=init).
 */
#include "runtime/check/state.h"

bool hd_fresh_all(const uint8_t *bits, uint64_t from, uint64_t bytes)
{
	for (uint64_t at = from; at < from + bytes; at++)
		if (!(bits[at / 8] >> at % 8 & 1))
			return false;
	return bytes > 0;
}

static void set_bits(uint8_t *bits, uint64_t from, uint64_t to, bool fresh)
{
	for (uint64_t at = from; at < to; at++)
		bits[at / 8] = (uint8_t)(fresh ? bits[at / 8] | 1u << at % 8 : bits[at / 8] & ~(1u << at % 8));
}

void hd_fresh_set(uint8_t *bits, uint64_t from, uint64_t bytes, bool fresh)
{
	uint64_t to = from + bytes, first = (from + 7) / 8, last = to / 8;
	if (first >= last) {
		set_bits(bits, from, to, fresh);
		return;
	}
	set_bits(bits, from, first * 8, fresh);
	memset(bits + first, fresh ? 0xff : 0, last - first);
	set_bits(bits, last * 8, to, fresh);
}
