/*
 * Which launches of the profile and of the run are the same: the first of a kernel's in the profile is the first of
 * that kernel's here, and so on. Kernels are the same by name without arguments of templates and parameters, which
 * profilers write in other ways than compilers, and launches only with the same grid and block, where the profile has
 * them. A name without namespaces and parameters (`ncu --kernel-name-base function`) is that of a kernel in any
 * namespace. A mean over the launches of a kernel belongs to all of them here.
 *
 * Cost: launches here times kinds of launches (kernel, grid and block) in the profile.
 */
#include <string.h>

#include "tools/heddle/validate/validate.h"

/* Copies `from` with each `old` replaced by `new`. */
static char *replace(struct hd_arena *arena, const char *from, const char *old, const char *new)
{
	char *text = hd_arena_strdup(arena, from);
	for (const char *at; (at = strstr(text, old));)
		text = hd_arena_printf(arena, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
	return text;
}

/* Removes what is in angle brackets. A -> or >= in them would end none: it is not at the end of an opened one alone. */
static void cut_templates(char *text)
{
	char *to = text;
	unsigned depth = 0, inner = 0;
	for (const char *at = text; *at; at++) {
		if (depth && *at == '(')
			inner++;
		else if (depth && *at == ')' && inner)
			inner--;
		else if (*at == '<' && !inner)
			depth++;
		else if (*at == '>' && depth && !inner)
			depth--;
		else if (!depth)
			*to++ = *at;
	}
	*to = '\0';
}

void launch_set_name(struct launch *launch, struct hd_arena *arena)
{
	char *text = replace(arena, launch->kernel, "(anonymous namespace)", "{anonymous}");
	text = replace(arena, text, "<unnamed>", "{anonymous}");
	text = replace(arena, text, "_NV_ANON_NAMESPACE", "{anonymous}");
	cut_templates(text);
	text[strcspn(text, "([")] = '\0';
	for (size_t end = strlen(text); end && text[end - 1] == ' ';)
		text[--end] = '\0';
	char *space = strrchr(text, ' ');
	launch->name = space ? space + 1 : text;
	launch->bare = launch->name;
	for (const char *at; (at = strstr(launch->bare, "::"));)
		launch->bare = at + 2;
}

static bool sizes_equal(const struct launch *a, const struct launch *b)
{
	return !memcmp(a->grid, b->grid, sizeof a->grid) && !memcmp(a->block, b->block, sizeof a->block);
}

static bool belongs(const struct launch *card, const struct launch *here)
{
	bool anywhere = !strpbrk(card->kernel, "(<:");
	bool named = !strcmp(card->name, here->name) || (anywhere && !strcmp(card->name, here->bare));
	return named && (!card->sized || sizes_equal(card, here));
}

/* Launches of the profile of one kind, and how far those here were looked through for them. */
struct kind {
	const struct launch *first;
	uint32_t next;
};

static bool same_kind(const struct launch *a, const struct launch *b)
{
	return a->sized == b->sized && !strcmp(a->kernel, b->kernel) && (!a->sized || sizes_equal(a, b));
}

static void find_partner(struct validation *validation, struct launch *card, struct kind *kind)
{
	for (; kind->next < validation->here.len && !card->partner; kind->next++) {
		struct launch *here = &validation->here.data[kind->next];
		if (here->partner || !belongs(card, here))
			continue;
		card->partner = here;
		here->partner = card;
	}
}

/* Of a kernel's mean on the card: that of all its launches here that have no partner yet. */
static void find_mean(struct validation *validation, struct launch *card)
{
	struct launch *mean = NULL;
	for (uint32_t i = 0; i < validation->here.len; i++) {
		struct launch *here = &validation->here.data[i];
		if (here->partner || !belongs(card, here))
			continue;
		if (!mean) {
			mean = HD_ARENA_NEW(&validation->arena, struct launch, 1);
			*mean = *here;
			memset(mean->values, 0, sizeof mean->values);
		}
		mean->sized = mean->sized && sizes_equal(mean, here);
		mean->launches++;
		for (unsigned q = 0; q < QUANTITY_COUNT; q++)
			mean->values[q] += here->values[q];
		here->partner = card;
	}
	for (unsigned q = 0; mean && q < QUANTITY_COUNT; q++)
		mean->values[q] /= mean->launches;
	card->partner = mean;
	if (mean)
		mean->partner = card;
}

static void tell(const struct validation *validation, const struct launch *card)
{
	struct hd_loc loc = {.file = validation->profile, .line = card->line};
	if (!card->sized)
		hd_error(validation->diag, loc, "no launch of the run matches this launch of %s", card->kernel);
	else
		hd_error(validation->diag, loc,
			 "no launch of the run matches this launch of %s, grid %u x %u x %u, block %u x %u x %u",
			 card->kernel, card->grid[0], card->grid[1], card->grid[2], card->block[0], card->block[1],
			 card->block[2]);
}

void match_launches(struct validation *validation)
{
	HD_VEC(struct kind) kinds = {0};
	validation->only_here = validation->here.len;
	for (uint32_t i = 0; i < validation->card.len; i++) {
		struct launch *card = &validation->card.data[i];
		uint32_t k = 0;
		while (k < kinds.len && !same_kind(kinds.data[k].first, card))
			k++;
		if (k == kinds.len)
			hd_vec_push(&kinds, (struct kind){card, 0});
		if (card->mean)
			find_mean(validation, card);
		else
			find_partner(validation, card, &kinds.data[k]);
		if (!card->partner)
			tell(validation, card);
		validation->only_card += !card->partner;
		validation->only_here -= !card->partner ? 0 : card->mean ? card->partner->launches : 1;
	}
	hd_vec_release(&kinds);
}
