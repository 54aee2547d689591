/*
 * --check=init: fetches from textures. Which bits of the result depend on memory that nothing has written is tried out:
 * other bits are put in its place, the fetch is executed for one lane, and the memory is put back. Numbers are finite,
 * so that an element that a filter weighs with nothing decides nothing.
 *
 * A channel of one element that is handed on as it is, is a copy, and else something made.
 *
 * Cost: each fetch twice; where something was not written, 10 more for each lane.
 */
#include "cuda/driver_types.h"
#include "cuda/heddle_texture.h"
#include "heddle/opcodes.h"
#include "lib/hash.h"
#include "runtime/check/init.h"
#include "runtime/exec/devmem.h"

enum { TRIALS = 9, MOST_WORDS = 4, MOST_TEXELS = HD_MAX_TEXELS / HD_WARP_LANES };

struct fetch {
	const struct hd_init *init;
	struct hd_exec exec;
	struct hd_effect effect;
	struct hd_texels texels;
	uint32_t lane, words;
	uint32_t unwritten[MOST_TEXELS][MOST_WORDS], before[MOST_TEXELS][MOST_WORDS];
	uint32_t first[MOST_WORDS], differs[MOST_WORDS];
	uint64_t address; /* of what nobody has written, the first */
};

static uint8_t dst_of(const struct fetch *fetch, uint32_t word)
{
	return (uint8_t)hd_next_reg(fetch->init->inst->inst.dst, word);
}

/* Executes it for the lane, and notes what it reads. False: it faults. */
static bool execute(struct fetch *fetch, uint32_t *result)
{
	const struct hd_dinst *inst = fetch->init->inst;
	struct hd_warp *warp = fetch->exec.warp;
	uint32_t before[MOST_WORDS];
	for (uint32_t word = 0; word < fetch->words; word++)
		before[word] = hd_dst_row(warp, dst_of(fetch, word))[fetch->lane];
	inst->exec(&fetch->exec, inst);
	for (uint32_t word = 0; word < fetch->words; word++) {
		uint32_t *to = &hd_dst_row(warp, dst_of(fetch, word))[fetch->lane];
		result[word] = *to;
		*to = before[word];
	}
	return !fetch->exec.fault;
}

/* Bytes of a texel's word. */
static uint32_t bytes_of(const struct fetch *fetch, uint32_t word)
{
	uint32_t left = fetch->texels.bytes - 4 * word;
	return left < 4 ? left : 4;
}

static uint8_t *texel(const struct fetch *fetch, uint32_t index)
{
	return hd_devmem_at(fetch->exec.gpu->devmem, fetch->texels.address[index], fetch->texels.bytes);
}

/* False: everything that it reads was written. */
static bool find_unwritten(struct fetch *fetch)
{
	bool any = false;
	for (uint32_t i = 0; i < fetch->texels.count; i++)
		for (uint32_t word = 0; 4 * word < fetch->texels.bytes; word++) {
			uint64_t at, address = fetch->texels.address[i] + 4 * word;
			uint32_t bytes = bytes_of(fetch, word);
			const struct hd_fresh *fresh = hd_init_fresh(fetch->init, fetch->init->exec->warp->cta,
								     HD_MEM_GLOBAL, address, bytes, &at);
			uint32_t bits = fresh ? hd_fresh_mask(fresh, at, bytes) : 0;
			fetch->unwritten[i][word] = bits;
			if (bits && !any)
				fetch->address = address;
			any |= bits != 0;
		}
	return any;
}

static void put_texels(struct fetch *fetch, uint32_t number)
{
	static const uint32_t patterns[] = {0, 0xbfffbfff, 0x3fff3fff, 0x80008000, 0x00010001};
	for (uint32_t i = 0; i < fetch->texels.count; i++)
		for (uint32_t word = 0; 4 * word < fetch->texels.bytes; word++) {
			uint32_t bits = fetch->unwritten[i][word], value = fetch->before[i][word];
			uint32_t other = (uint32_t)(hd_hash_mix(number * 1000 + 4 * i + word, fetch->lane) >> 16);
			if (number < sizeof patterns / sizeof *patterns)
				other = patterns[number];
			value = (value & ~bits) | (other & 0xbfffbfff & bits);
			memcpy(texel(fetch, i) + 4 * word, &value, bytes_of(fetch, word));
		}
}

static void keep_texels(struct fetch *fetch, bool back)
{
	for (uint32_t i = 0; i < fetch->texels.count; i++)
		for (uint32_t word = 0; 4 * word < fetch->texels.bytes; word++) {
			uint8_t *at = texel(fetch, i) + 4 * word;
			uint32_t *kept = &fetch->before[i][word];
			memcpy(back ? (void *)at : (void *)kept, back ? (void *)kept : (void *)at,
			       bytes_of(fetch, word));
		}
}

static void run_trials(struct fetch *fetch)
{
	keep_texels(fetch, false);
	for (uint32_t number = 0; number < TRIALS; number++) {
		uint32_t result[MOST_WORDS] = {0};
		put_texels(fetch, number);
		fetch->texels.count = 0;
		execute(fetch, result);
		for (uint32_t word = 0; word < fetch->words; word++) {
			if (!number)
				fetch->first[word] = result[word];
			fetch->differs[word] |= result[word] ^ fetch->first[word];
		}
		keep_texels(fetch, true);
	}
}

/* The descriptor that the lane fetches by, which is there. */
static const struct hd_texture *texture_of(const struct fetch *fetch)
{
	const struct hd_inst *inst = &fetch->init->inst->inst;
	const struct hd_warp *warp = fetch->exec.warp;
	uint64_t object = hd_x_in_b(inst->xkind) ? hd_x_value64(warp, inst) : hd_lane_pair(warp, inst->b, fetch->lane);
	return hd_devmem_at(fetch->exec.gpu->devmem, object, sizeof(struct hd_texture));
}

/* Are the words of the result channels of one element as they are in memory? */
static bool hands_on(const struct fetch *fetch)
{
	const struct hd_texture *t = texture_of(fetch);
	bool converts = t->normalized_read || (t->kind == cudaChannelFormatKindFloat && t->bits < 32);
	return fetch->texels.count == 1 && !converts && !t->linear;
}

static void put_lane(struct fetch *fetch)
{
	bool copies = hands_on(fetch);
	uint32_t bytes = (uint32_t)texture_of(fetch)->bits / 8;
	struct hd_origin_of of = {.pc = fetch->exec.warp->pc,
				  .kind = HD_FOUND_UNWRITTEN,
				  .space = HD_MEM_GLOBAL,
				  .address = fetch->address};
	for (uint32_t word = 0; word < fetch->words && dst_of(fetch, word) != HD_RZ; word++) {
		struct hd_value_row *to = &fetch->init->values->regs[dst_of(fetch, word)];
		uint32_t bits = fetch->differs[word], from = (uint32_t)fetch->texels.address[0] + bytes * word;
		hd_value_read(to, fetch->lane, bits, copies ? bytes : 4, from, &of);
		if (bits && !copies)
			to->how.altered |= 1u << fetch->lane;
		fetch->init->values->any |= bits != 0;
	}
}

void hd_init_texture(const struct hd_init *init)
{
	hd_values_known(init->values, init->inst, init->exec->mask);
	HD_FOR_LANES (lane, init->exec->mask) {
		struct fetch fetch = {.init = init, .exec = *init->exec, .lane = lane};
		uint32_t result[MOST_WORDS];
		fetch.exec.mask = 1u << lane;
		fetch.exec.effect = &fetch.effect;
		fetch.exec.texels = &fetch.texels;
		fetch.words = hd_op_width(init->inst->inst.op, init->inst->inst.mods, HD_SLOT_DST);
		if (!execute(&fetch, result))
			return;
		if (!find_unwritten(&fetch))
			continue;
		run_trials(&fetch);
		put_lane(&fetch);
	}
}
