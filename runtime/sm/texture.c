/*
 * Texture units. A fetch goes through the load/store unit as a load does: what its lanes touch is coalesced into
 * sectors of lines, which L1, where Volta's and later textures are (NVIDIA's white papers), looks up by the banks. When
 * the last of them is there the SM's units filter it: each takes a lane a cycle, of four words of 32 bits, which are
 * the texels that a bilinear filter needs of one channel; of more and wider texels it takes a cycle more for each
 * further four words. Lanes go by quads, so that one lane of a quad costs as much as four.
 *
 * Fetches are filtered in the order in which their data come. texture_latency is that of a lane that hits; what it is
 * beyond l1_latency passes behind the units.
 *
 * Needs the texels of the executor (struct hd_texels). Cost: O(texels) a fetch.
 */
#include <assert.h>

#include "heddle/config.h"
#include "runtime/sm/access.h"
#include "runtime/sm/inflight.h"
#include "runtime/sm/sm.h"
#include "runtime/sm/texture.h"

enum { QUAD = 4, WORDS_A_CYCLE = 4 };

_Static_assert(HD_MAX_TEXELS <= HD_MEM_MOST_RUNS, "the load/store unit keeps all texels of a fetch");

void hd_texture_init(struct hd_textures *textures, const struct hd_config *config)
{
	textures->units = (uint32_t)config->units_texture;
	textures->behind = config->texture_latency > config->l1_latency
				   ? (uint32_t)(config->texture_latency - config->l1_latency)
				   : 0;
}

void hd_texture_prepare(struct hd_sm *sm)
{
	if (sm->exec->texels)
		return;
	sm->exec->texels = HD_ARENA_NEW(&sm->gpu->arena, struct hd_texels, 1);
	hd_lsu_prepare_lines(sm->lsu, hd_access_most_late(sm->gpu->config), &sm->gpu->arena);
}

static uint32_t quads_of(uint32_t mask)
{
	mask |= mask >> 1;
	mask |= mask >> 2;
	return (uint32_t)__builtin_popcount(mask & 0x11111111u);
}

/* For which the units filter it. */
static uint32_t cycles_of(const struct hd_textures *textures, const struct hd_texels *texels, uint32_t mask)
{
	uint32_t passes = (texels->most_words + WORDS_A_CYCLE - 1) / WORDS_A_CYCLE;
	uint32_t lanes = quads_of(mask) * QUAD * (passes ? passes : 1);
	return (lanes + textures->units - 1) / textures->units;
}

void hd_texture_start(struct hd_sm *sm, struct hd_warp *warp, uint32_t token)
{
	const struct hd_texels *texels = sm->exec->texels;
	struct hd_counters *counters = hd_sm_counters(sm, warp);
	uint32_t sectors, cycles = cycles_of(&sm->textures, texels, sm->effect.mask);
	sm->access.request.lines = hd_lsu_keep_lines(sm->lsu, texels->address, texels->count, texels->bytes, &sectors);
	if (token != UINT32_MAX)
		sm->inflight.entries[token].filter = (uint16_t)cycles;
	counters->texture_fetches++;
	counters->texture_texels += texels->count;
	counters->texture_sectors += sectors;
	counters->texture_cycles += cycles;
}

uint64_t hd_texture_filter(struct hd_textures *textures, const struct hd_inflight *entry, uint64_t now)
{
	uint64_t begin = now > textures->free ? now : textures->free;
	textures->free = begin + entry->filter;
	return begin + entry->filter - 1 + textures->behind;
}
