/*
 * One lane of a warp adds to a counter for all that want a ticket, and what it got goes to the others by a shuffle: the
 * other lanes hand an undefined value over. Queues that warps take work from so, in a loop until nothing is left.
 *
 * A counter of the warp's own gives the same tickets in every order of the warps. From one that all warps have, it is
 * only known which tickets there are in all: what is made of them meets in places where the order does not matter.
 */
#include "test/fuzz/generate/partial.h"

struct counter {
	char place[16];
	const char *space; /* "3": shared */
	bool own;	   /* the warp's */
};

/* ------------------------------------------------------------ counters */

/* The warp's number in its block. */
static const char *warp_number(struct gen *g)
{
	return gen_temp(g, "lshr i32 %s, 5", gen_linear_thread(g));
}

static void global_counter(struct gen *g, struct counter *c)
{
	uint32_t count = c->own ? g->blocks * g->threads / 32 : 1, id = g->next_global++;
	char index[16] = "0";
	if (c->own) {
		const char *before = gen_temp(g, "mul i32 %s, %u", gen_special(g, "ctaid.x"), g->threads / 32);
		KEEP(index, before);
		KEEP(index, gen_temp(g, "add i32 %s, %s", index, warp_number(g)));
	}
	c->space = "1";
	hd_strbuf_printf(&g->globals, "@q%u = internal addrspace(1) global [%u x i32] zeroinitializer, align 4\n", id,
			 count);
	KEEP(c->place, gen_temp(g, "getelementptr [%u x i32], ptr addrspace(1) @q%u, i32 0, i32 %s", count, id, index));
}

/* Of the warp, in shared memory; the lanes write the same, when all are done with what they wrote the last time. */
static void shared_counter(struct gen *g, struct counter *c)
{
	char array[16];
	c->space = "3";
	KEEP(array, gen_shared_array(g, "i32", g->threads / 32));
	KEEP(c->place, gen_temp(g, "getelementptr [%u x i32], ptr addrspace(3) %s, i32 0, i32 %s", g->threads / 32,
				array, warp_number(g)));
	gen_barrier(g);
	gen_line(g, "store i32 %u, ptr addrspace(3) %s, align 4", gen_below(g, 3), c->place);
	gen_barrier(g);
}

/* Only the kernel knows where all threads' results meet. */
static void make_counter(struct gen *g, struct counter *c)
{
	c->own = g->function || gen_chance(g, 50);
	if (c->own && gen_has(g, FEATURE_shared) && gen_chance(g, 50))
		shared_counter(g, c);
	else
		global_counter(g, c);
}

/* What any ticket gives goes to where the order of the threads does not matter (see common_atomic). */
static void count_in(struct gen *g, const char *ticket)
{
	static const char *const ops[] = {"add", "xor", "max"};
	unsigned which = gen_below(g, 3);
	const char *mixed = gen_temp(g, "mul i32 %s, %u", ticket, 2654435761u);
	char kept[16];
	KEEP(kept, mixed);
	const char *place = gen_temp(g, "getelementptr i8, ptr addrspace(1) %%common, i64 %u", 8 * which);
	gen_temp(g, "atomicrmw %s ptr addrspace(1) %s, i32 %s monotonic", ops[which], place, kept);
}

/* ------------------------------------------------------------ tickets */

/* The leader of the lanes in `who` adds `amount` to the counter. Returns what it got, undefined in the others. */
static const char *add_once(struct gen *g, const struct counter *c, const char *leads, const char *amount)
{
	uint32_t before = g->label, arm = g->next_label++, end = g->next_label++;
	bool slot = gen_chance(g, 40); /* a variable in memory, as clang -O0 has it */
	uint32_t id = g->next_id;
	if (slot)
		hd_strbuf_printf(&g->entry, "  %%v%u = alloca i32, align 4\n", g->next_id++);
	gen_jump_if(g, leads, arm, end);
	gen_label(g, arm);
	const char *got = gen_temp(g, "atomicrmw add ptr addrspace(%s) %s, i32 %s %s", c->space, c->place, amount,
				   PICK(g, "monotonic", "seq_cst"));
	if (slot)
		gen_line(g, "store i32 %s, ptr %%v%u, align 4", got, id);
	gen_line(g, "br label %%L%u", end);
	gen_label(g, end);
	if (slot)
		return gen_temp(g, "load i32, ptr %%v%u, align 4%s", id, gen_chance(g, 50) ? ", !noundef !0" : "");
	return gen_temp(g, "phi i32 [ %s, %%L%u ], [ %s, %%L%u ]", got, arm, PICK(g, "undef", "undef", "poison"),
			before);
}

/* All lanes of `mask` come here, and those of `who` want a ticket. Returns it. */
static const char *take_ticket(struct gen *g, const struct counter *c, const char *mask, const char *who)
{
	char leader[16], leads[16], got[16];
	gen_declare(g, "declare i32 @llvm.cttz.i32(i32, i1)");
	gen_declare(g, "declare i32 @llvm.ctpop.i32(i32)");
	KEEP(leader, gen_temp(g, "call i32 @llvm.cttz.i32(i32 %s, i1 false)", who));
	KEEP(leads, gen_temp(g, "icmp eq i32 %s, %s", leader, gen_special(g, "laneid")));
	KEEP(got, add_once(g, c, leads, gen_temp(g, "call i32 @llvm.ctpop.i32(i32 %s)", who)));
	KEEP(got, gen_broadcast(g, mask, got, leader));
	const char *lower = gen_temp(g, "and i32 %s, %s", who, gen_special(g, "lanemask.lt"));
	return gen_temp(g, "add i32 %s, %s", got, gen_temp(g, "call i32 @llvm.ctpop.i32(i32 %s)", lower));
}

/* Some lanes want a ticket. */
static void tickets(struct gen *g)
{
	struct counter c;
	char wanted[16], ticket[16], who[16];
	make_counter(g, &c);
	KEEP(wanted, gen_variable(g, T_I1));
	gen_declare(g, "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) convergent");
	KEEP(who, gen_temp(g, "call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %s)", wanted));
	KEEP(ticket, take_ticket(g, &c, "-1", who));
	if (c.own) {
		gen_define(g, T_I32, "select i1 %s, i32 %s, i32 %s", wanted, ticket, gen_operand(g, T_I32));
		return;
	}
	uint32_t arm = g->next_label++, end = g->next_label++;
	gen_jump_if(g, wanted, arm, end);
	gen_label(g, arm);
	count_in(g, ticket);
	gen_line(g, "br label %%L%u", end);
	gen_label(g, end);
}

/* The lanes of the two sides of a branch want tickets, each side from a counter of its own. */
static void tickets_on_sides(struct gen *g)
{
	uint32_t labels[2] = {g->next_label++, g->next_label++}, end = g->next_label++, ends[2];
	struct counter c[2];
	char wanted[16], who[16], others[16], got[2][16];
	for (unsigned side = 0; side < 2; side++)
		do
			make_counter(g, &c[side]);
		while (side && c[0].own != c[1].own);
	KEEP(wanted, gen_variable(g, T_I1));
	gen_declare(g, "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1) convergent");
	KEEP(who, gen_temp(g, "call i32 @llvm.nvvm.vote.ballot.sync(i32 -1, i1 %s)", wanted));
	KEEP(others, gen_temp(g, "xor i32 %s, -1", who));
	gen_jump_if(g, wanted, labels[0], labels[1]);
	for (unsigned side = 0; side < 2; side++) {
		const char *mask = side ? others : who;
		gen_label(g, labels[side]);
		KEEP(got[side], take_ticket(g, &c[side], mask, mask));
		if (!c[side].own)
			count_in(g, got[side]);
		ends[side] = g->label;
		gen_line(g, "br label %%L%u", end);
	}
	gen_label(g, end);
	const char *ticket = gen_temp(g, "phi i32 [ %s, %%L%u ], [ %s, %%L%u ]", got[0], ends[0], got[1], ends[1]);
	if (c[0].own)
		gen_push(g, T_I32, g->next_id - 1);
	else
		count_in(g, ticket);
}

/* ------------------------------------------------------------ queues */

/* Whole warps take `step` pieces at once until there are no more; a lane works on one of them, or all lanes on each. */
static void queue(struct gen *g)
{
	struct counter c;
	uint32_t before, head = g->next_label++, some = g->next_label++, work = g->next_label++;
	uint32_t next = g->next_label++, end = g->next_label++;
	uint32_t count = 1 + gen_below(g, 100), step = gen_chance(g, 60) ? 32 : 8 + gen_below(g, 10);
	char leads[16], taken[16], piece[16], lane[16];
	make_counter(g, &c);
	KEEP(lane, gen_special(g, "laneid"));
	uint32_t leader = gen_chance(g, 50) ? 0 : gen_below(g, 32);
	KEEP(leads, gen_temp(g, "icmp eq i32 %s, %u", lane, leader));
	before = g->label;
	gen_line(g, "br label %%L%u", head);
	gen_label(g, head);
	gen_line(g, "%%s%u = phi i32 [ 0, %%L%u ], [ %%t%u, %%L%u ]", head, before, head, next);
	KEEP(taken, add_once(g, &c, leads, gen_format(g, "%u", step)));
	KEEP(taken, gen_broadcast(g, "-1", taken, gen_format(g, "%u", leader)));
	gen_jump_if(g, gen_temp(g, "icmp ult i32 %s, %u", taken, count), some, end);
	gen_label(g, some);
	KEEP(piece, gen_temp(g, "add i32 %s, %s", taken, lane));
	const char *mine = gen_temp(g, "icmp ult i32 %s, %u", piece, count);
	if (step < 32) {
		char exists[16];
		KEEP(exists, mine);
		mine = gen_temp(g, "and i1 %s, %s", exists, gen_temp(g, "icmp ult i32 %s, %u", lane, step));
	}
	gen_jump_if(g, mine, work, next);
	gen_label(g, work);
	if (!c.own)
		count_in(g, piece);
	const char *mixed = gen_temp(g, "mul i32 %s, %u", piece, 2654435761u);
	const char *sum = gen_temp(g, "xor i32 %%s%u, %s", head, mixed);
	gen_line(g, "br label %%L%u", next);
	gen_label(g, next);
	gen_line(g, "%%t%u = phi i32 [ %s, %%L%u ], [ %%s%u, %%L%u ]", head, sum, work, head, some);
	gen_line(g, "br label %%L%u", head);
	gen_label(g, end);
	if (c.own) /* who worked on what is known */
		gen_define(g, T_I32, "add i32 %%s%u, %s", head, taken);
	g->cost += 20 * (count / step + 2) * g->scale;
}

void gen_op_tickets(struct gen *g)
{
	g->cost += 40 * g->scale;
	switch (gen_below(g, 3)) {
	case 0: tickets(g); break;
	case 1: tickets_on_sides(g); break;
	default: queue(g); break;
	}
}
