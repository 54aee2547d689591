/*
 * Splitting live ranges: which pieces are one. A value that stays in registers from one block
 * to the next is the same register in both; pieces with loads between them need not be. Webs
 * are joined along edges, and each becomes a register (union-find; near linear).
 */
#include "passes/regalloc/split.h"

uint32_t hd_split_new_piece(struct hd_splitter *s, uint32_t vreg)
{
	uint32_t id = hd_mfunc_vreg(s->func, s->func->vregs.data[vreg].words).id;
	hd_vec_push(&s->splits.origin, vreg);
	return id;
}

uint32_t hd_split_web_new(struct hd_splitter *s, uint32_t vreg)
{
	uint32_t web = s->webs.len;
	hd_vec_push(&s->webs, (struct hd_split_web){web, vreg});
	return web;
}

static uint32_t find(struct hd_splitter *s, uint32_t web)
{
	struct hd_split_web *webs = s->webs.data;
	while (webs[web].parent != web)
		web = webs[web].parent = webs[webs[web].parent].parent;
	return web;
}

void hd_split_web_join(struct hd_splitter *s, uint32_t a, uint32_t b)
{
	a = find(s, a);
	b = find(s, b);
	s->webs.data[a < b ? b : a].parent = a < b ? a : b;
}

struct naming {
	struct hd_splitter *s;
	uint32_t *id; /* by web that is its own parent */
};

static void name_operand(void *context, struct hd_mreg *reg, bool is_def)
{
	const struct naming *naming = context;
	(void)is_def;
	if (reg->id >= HD_SPLIT_WEB)
		reg->id = naming->id[find(naming->s, reg->id - HD_SPLIT_WEB)];
}

/* The first web of a register keeps its name. */
static void choose_names(struct naming *naming)
{
	struct hd_splitter *s = naming->s;
	bool *taken = HD_ARENA_NEW(&s->allocator->arena, bool, s->splits.original + 1);
	for (uint32_t web = 0; web < s->webs.len; web++) {
		uint32_t vreg = s->webs.data[web].vreg;
		if (s->webs.data[web].parent != web)
			continue;
		naming->id[web] = taken[vreg] ? hd_split_new_piece(s, vreg) : HD_MREG_VIRTUAL + vreg;
		taken[vreg] = true;
	}
}

void hd_split_webs_name(struct hd_splitter *s)
{
	struct naming naming = {s, HD_ARENA_NEW(&s->allocator->arena, uint32_t, s->webs.len + 1)};
	choose_names(&naming);
	for (uint32_t id = 0; id < s->func->blocks.len; id++)
		for (uint32_t i = 0; i < s->func->blocks.data[id].insts.len; i++)
			hd_minst_visit(s->func, &s->func->blocks.data[id].insts.data[i], name_operand, &naming);
}
