/* Random machine IR for tests: see mir_random.h. */
#include "mir_random.h"
#include "heddle/opcodes.h"

struct maker {
	struct hd_mfunc *func;
	const struct hd_random_options *options;
	uint32_t state;
	uint32_t block;			  /* where instructions go */
	HD_VEC(struct hd_mreg) variables; /* current values; predicates have words 1 and a predicate id */
	HD_VEC(uint32_t) objects;
	uint32_t left; /* statements */
	unsigned depth;
	double frequency;
};

static uint32_t draw(struct maker *maker, uint32_t below)
{
	maker->state ^= maker->state << 13;
	maker->state ^= maker->state >> 17;
	maker->state ^= maker->state << 5;
	return (maker->state >> 3) % below;
}

static void emit(struct maker *maker, struct hd_minst inst)
{
	hd_vec_push(&maker->func->blocks.data[maker->block].insts, inst);
}

/* ---- variables ---- */

static uint32_t first_of(const struct maker *maker, unsigned words, uint32_t *count)
{
	const struct hd_random_options *o = maker->options;
	switch (words) {
	case 1: *count = o->singles; return 0;
	case 2: *count = o->pairs; return o->singles;
	case 4: *count = o->quads; return o->singles + o->pairs;
	default: *count = o->preds; return o->singles + o->pairs + o->quads;
	}
}

static struct hd_mreg *pick(struct maker *maker, unsigned words)
{
	uint32_t count, first = first_of(maker, words, &count);
	return &maker->variables.data[first + draw(maker, count)];
}

/* An operand of `words` words, now and then a part of a wider value. */
static struct hd_mreg operand(struct maker *maker, unsigned words)
{
	unsigned wider = words * 2;
	if (draw(maker, 24) == 0)
		return (struct hd_mreg){HD_RZ, 0, (uint8_t)words};
	if (wider <= 4 && draw(maker, 3) == 0) {
		struct hd_mreg whole = operand(maker, wider);
		if (whole.id != HD_RZ)
			whole.sub = (uint8_t)(whole.sub + words * draw(maker, 2));
		whole.words = (uint8_t)words;
		return whole;
	}
	return *pick(maker, words);
}

static struct hd_mreg result(struct maker *maker, unsigned words)
{
	struct hd_mreg reg =
		words ? hd_mfunc_vreg(maker->func, words) : (struct hd_mreg){hd_mfunc_pred(maker->func), 0, 1};
	*pick(maker, words) = reg;
	return reg;
}

static uint32_t pred(struct maker *maker)
{
	return draw(maker, 8) == 0 ? HD_MREG_PT : pick(maker, 0)->id;
}

static unsigned width(struct maker *maker)
{
	uint32_t kind = draw(maker, 6);
	return kind < 3 ? 1 : kind < 5 ? 2 : 4;
}

/* ---- statements ---- */

static void make_alu(struct maker *maker)
{
	static const uint16_t ops[] = {HD_OP_LOP3, HD_OP_IMAD, HD_OP_FFMA, HD_OP_IADD3, HD_OP_SHF_L};
	struct hd_minst inst = hd_minst_make(ops[draw(maker, 5)], 0);
	inst.a = operand(maker, 1);
	inst.b = operand(maker, 1);
	inst.c = operand(maker, 1);
	if (draw(maker, 4) == 0) {
		inst.b = HD_MREG_NONE;
		inst.xkind = draw(maker, 2) ? HD_X_IMM_B : HD_X_CONST_B;
		inst.x =
			inst.xkind == HD_X_IMM_B ? draw(maker, 1000) : HD_CONST_X(0, HD_CB_PARAMS + 4 * draw(maker, 8));
	}
	inst.dst = result(maker, 1);
	emit(maker, inst);
}

static void make_wide(struct maker *maker)
{
	bool mad = draw(maker, 2);
	struct hd_minst inst = hd_minst_make(mad ? HD_OP_IMAD_WIDE : HD_OP_DFMA, 0);
	inst.a = operand(maker, mad ? 1 : 2);
	inst.b = operand(maker, mad ? 1 : 2);
	inst.c = operand(maker, 2);
	inst.dst = result(maker, 2);
	emit(maker, inst);
}

static void make_constant(struct maker *maker)
{
	bool s2r = draw(maker, 3) == 0;
	struct hd_minst inst =
		hd_minst_make(s2r ? HD_OP_S2R : HD_OP_MOV, s2r ? HD_MOD(SR, HD_SR_TID_X + draw(maker, 3)) : 0);
	if (!s2r) {
		inst.xkind = draw(maker, 2) ? HD_X_IMM_B : HD_X_CONST_B;
		inst.x =
			inst.xkind == HD_X_IMM_B ? draw(maker, 9999) : HD_CONST_X(0, HD_CB_PARAMS + 4 * draw(maker, 8));
	}
	inst.dst = result(maker, 1);
	emit(maker, inst);
}

static void make_pair(struct maker *maker)
{
	struct hd_mreg parts[4];
	unsigned words = draw(maker, 3) ? 2 : 4, part = words == 4 && draw(maker, 2) ? 2 : 1, count = 0;
	for (unsigned done = 0; done < words; done += part) {
		parts[count] = operand(maker, part);
		if (parts[count].id == HD_RZ)
			parts[count] = *pick(maker, part);
		count++;
	}
	struct hd_minst inst = hd_minst_make(HD_OP_PAIR, 0);
	inst.extra = hd_mfunc_extras(maker->func, parts, count);
	inst.extra_count = (uint16_t)count;
	inst.dst = result(maker, words);
	emit(maker, inst);
}

static void make_copy(struct maker *maker)
{
	struct hd_minst inst = hd_minst_make(HD_OP_COPY, 0);
	if (draw(maker, 4) == 0) {
		inst.psrc = pred(maker);
		inst.pdst = result(maker, 0).id;
	} else {
		unsigned words = width(maker);
		inst.b = operand(maker, words);
		inst.dst = result(maker, words);
	}
	emit(maker, inst);
}

static void make_compare(struct maker *maker)
{
	struct hd_minst inst = hd_minst_make(HD_OP_ISETP, HD_MOD(CMP, HD_CMP_LT + draw(maker, 6)));
	inst.a = operand(maker, 1);
	inst.b = operand(maker, 1);
	inst.psrc = pred(maker);
	inst.psrc_not = inst.psrc != HD_MREG_PT && draw(maker, 2);
	inst.pdst = result(maker, 0).id;
	emit(maker, inst);
}

static void make_select(struct maker *maker)
{
	struct hd_minst inst = hd_minst_make(HD_OP_SEL, 0);
	inst.a = operand(maker, 1);
	inst.b = operand(maker, 1);
	inst.psrc = pred(maker);
	inst.dst = result(maker, 1);
	emit(maker, inst);
}

static uint16_t size_mod(unsigned words)
{
	return HD_MOD(SIZE, words == 4 ? HD_SIZE_128 : words == 2 ? HD_SIZE_64 : HD_SIZE_32);
}

static void make_memory(struct maker *maker)
{
	bool shared = draw(maker, 2), load = draw(maker, 3) != 0;
	unsigned words = width(maker);
	unsigned op = shared ? (load ? HD_OP_LDS : HD_OP_STS) : load ? HD_OP_LDG : HD_OP_STG;
	uint16_t mods = size_mod(words);
	if (!shared && load && draw(maker, 3) == 0)
		mods |= HD_MOD(CACHE, HD_CACHE_CI);
	struct hd_minst inst = hd_minst_make(op, mods);
	inst.a = shared ? *pick(maker, 1) : *pick(maker, 2);
	inst.xkind = HD_X_OTHER;
	inst.x = 4 * words * draw(maker, 32 / words);
	if (load)
		inst.dst = result(maker, words);
	else
		inst.c = operand(maker, words);
	emit(maker, inst);
}

static void make_local(struct maker *maker)
{
	bool load = draw(maker, 2);
	unsigned words = width(maker);
	struct hd_minst inst = hd_minst_make(load ? HD_OP_LDL : HD_OP_STL, size_mod(words));
	inst.a = (struct hd_mreg){1, 0, 1};
	inst.xkind = HD_X_OTHER;
	inst.x = 4 * words * draw(maker, 8 / words);
	inst.ref_kind = HD_MREF_FRAME;
	inst.ref = maker->objects.data[draw(maker, maker->objects.len)];
	if (load)
		inst.dst = result(maker, words);
	else
		inst.c = operand(maker, words);
	emit(maker, inst);
}

static void make_convergent(struct maker *maker)
{
	bool bar = draw(maker, 2);
	struct hd_minst inst = hd_minst_make(bar ? HD_OP_BAR : HD_OP_SHFL, 0);
	if (!bar) {
		inst.a = *pick(maker, 1);
		inst.b = *pick(maker, 1);
		inst.c = *pick(maker, 1);
		inst.dst = result(maker, 1);
		inst.pdst = result(maker, 0).id;
	}
	emit(maker, inst);
}

static void copy_fixed(struct maker *maker, struct hd_mreg to, struct hd_mreg from)
{
	struct hd_minst inst = hd_minst_make(HD_OP_COPY, 0);
	inst.dst = to;
	inst.b = from;
	emit(maker, inst);
}

static void make_call(struct maker *maker)
{
	struct hd_mreg values[12], fixed[16], results[2];
	uint32_t next = 4, count = 0, wanted = draw(maker, 7), result_count = draw(maker, 3);
	while (count < wanted) {
		unsigned words = width(maker);
		uint32_t reg = (next + words - 1) & ~(words - 1);
		if (reg + words > 16)
			break;
		values[count] = operand(maker, words);
		fixed[count++] = (struct hd_mreg){reg, 0, (uint8_t)words};
		next = reg + words;
	}
	for (uint32_t i = 0; i < count; i++)
		copy_fixed(maker, fixed[i], values[i]);
	for (uint32_t i = 0; i < result_count; i++) {
		unsigned words = i ? 2 : draw(maker, 2) + 1;
		results[i] = fixed[count + i] = (struct hd_mreg){4 + 2 * i, 0, (uint8_t)words};
	}
	struct hd_minst inst = hd_minst_make(HD_OP_CALL, 0);
	inst.ref_kind = HD_MREF_CALL;
	inst.ref = draw(maker, 5);
	inst.extra = hd_mfunc_extras(maker->func, fixed, count + result_count);
	inst.extra_count = (uint16_t)(count + result_count);
	inst.extra_defs = (uint16_t)result_count;
	emit(maker, inst);
	for (uint32_t i = 0; i < result_count; i++)
		copy_fixed(maker, result(maker, results[i].words), results[i]);
	maker->func->has_calls = maker->func->calls_program = true;
}

static void make_statement(struct maker *maker)
{
	uint32_t kind = draw(maker, 20);
	if (kind < 6)
		make_alu(maker);
	else if (kind < 8)
		make_wide(maker);
	else if (kind < 9)
		make_constant(maker);
	else if (kind < 11)
		make_pair(maker);
	else if (kind < 12)
		make_copy(maker);
	else if (kind < 14)
		make_compare(maker);
	else if (kind < 15)
		make_select(maker);
	else if (kind < 18)
		make_memory(maker);
	else if (kind < 19 && maker->options->locals)
		make_local(maker);
	else if (maker->options->calls && draw(maker, 2))
		make_call(maker);
	else
		make_convergent(maker);
}

/* ---- control flow ---- */

static uint32_t new_block(struct maker *maker)
{
	uint32_t block = hd_mfunc_block(maker->func);
	maker->func->blocks.data[block].frequency = maker->frequency;
	maker->func->blocks.data[block].loop_depth = maker->depth;
	return block;
}

static void jump(struct maker *maker, uint32_t to)
{
	struct hd_minst inst = hd_minst_make(HD_OP_BRA, 0);
	inst.ref_kind = HD_MREF_BLOCK;
	inst.ref = to;
	emit(maker, inst);
	hd_mfunc_edge(maker->func, maker->block, to);
}

static void branch(struct maker *maker, uint32_t guard, uint32_t taken, uint32_t other)
{
	struct hd_minst inst = hd_minst_make(HD_OP_BRA, 0);
	inst.ref_kind = HD_MREF_BLOCK;
	inst.ref = taken;
	inst.guard = guard;
	inst.guard_not = draw(maker, 2);
	emit(maker, inst);
	hd_mfunc_edge(maker->func, maker->block, taken);
	jump(maker, other);
}

static void make_body(struct maker *maker, uint32_t count);

static struct hd_mreg *save_variables(struct maker *maker)
{
	struct hd_mreg *saved = hd_xmalloc(maker->variables.len * sizeof(*saved));
	memcpy(saved, maker->variables.data, maker->variables.len * sizeof(*saved));
	return saved;
}

static struct hd_mreg phi(struct maker *maker, struct hd_mreg like, struct hd_mreg first, struct hd_mreg second)
{
	struct hd_mreg values[] = {first, second};
	struct hd_minst inst = hd_minst_make(HD_OP_PHI, 0);
	bool is_pred = hd_mreg_is_pred(maker->func, like.id);
	struct hd_mreg dst =
		is_pred ? (struct hd_mreg){hd_mfunc_pred(maker->func), 0, 1} : hd_mfunc_vreg(maker->func, like.words);
	inst.extra = hd_mfunc_extras(maker->func, values, 2);
	inst.extra_count = 2;
	if (is_pred)
		inst.pdst = dst.id;
	else
		inst.dst = dst;
	emit(maker, inst);
	return dst;
}

static void make_diamond(struct maker *maker, uint32_t count)
{
	bool has_else = draw(maker, 2);
	uint32_t guard = pick(maker, 0)->id, left = new_block(maker), join;
	uint32_t right = has_else ? new_block(maker) : HD_NO_BLOCK;
	struct hd_mreg *old = save_variables(maker);
	join = new_block(maker);
	branch(maker, guard, left, has_else ? right : join);
	maker->block = left;
	make_body(maker, count / 2);
	struct hd_mreg *first = save_variables(maker);
	memcpy(maker->variables.data, old, maker->variables.len * sizeof(*old));
	jump(maker, join);
	if (has_else) {
		maker->block = right;
		make_body(maker, count / 2);
		jump(maker, join);
	}
	maker->block = join;
	/* Without an else part the edge from above was made first. */
	for (uint32_t i = 0; i < maker->variables.len; i++) {
		struct hd_mreg now = maker->variables.data[i];
		if (first[i].id == now.id && first[i].sub == now.sub)
			continue;
		maker->variables.data[i] = has_else ? phi(maker, now, first[i], now) : phi(maker, now, now, first[i]);
	}
	free(old);
	free(first);
}

static struct hd_mreg count_up(struct maker *maker, struct hd_mreg counter)
{
	struct hd_minst inst = hd_minst_make(HD_OP_IADD3, 0);
	inst.dst = hd_mfunc_vreg(maker->func, 1);
	inst.a = counter;
	inst.xkind = HD_X_IMM_B;
	inst.x = 1;
	inst.c = HD_MREG_RZ;
	emit(maker, inst);
	return inst.dst;
}

static uint32_t compare_counter(struct maker *maker, struct hd_mreg counter, uint32_t limit)
{
	struct hd_minst inst = hd_minst_make(HD_OP_ISETP, HD_MOD(CMP, HD_CMP_LT));
	inst.pdst = hd_mfunc_pred(maker->func);
	inst.a = counter;
	inst.xkind = HD_X_IMM_B;
	inst.x = limit;
	emit(maker, inst);
	return inst.pdst;
}

static void make_loop(struct maker *maker, uint32_t count)
{
	struct hd_mreg zero = HD_MREG_RZ, *old = save_variables(maker);
	double outer = maker->frequency;
	maker->frequency *= 8;
	maker->depth++;
	bool skips = draw(maker, 2); /* an edge around the loop, which makes its exit edge critical */
	uint32_t header = new_block(maker), exit = HD_NO_BLOCK;
	if (skips) {
		maker->frequency = outer;
		maker->depth--;
		exit = new_block(maker);
		maker->frequency *= 8;
		maker->depth++;
		branch(maker, pick(maker, 0)->id, exit, header);
	} else {
		jump(maker, header);
	}
	maker->block = header;
	struct hd_mreg counter = phi(maker, (struct hd_mreg){hd_mfunc_vreg(maker->func, 1).id, 0, 1}, zero, zero);
	uint32_t first_phi = maker->func->blocks.data[header].insts.data[0].extra;
	for (uint32_t i = 0; i < maker->variables.len; i++)
		maker->variables.data[i] = phi(maker, old[i], old[i], old[i]);
	make_body(maker, count);
	struct hd_mreg next = count_up(maker, counter);
	uint32_t again = compare_counter(maker, next, 1 + draw(maker, 4));
	maker->frequency = outer;
	maker->depth--;
	if (!skips)
		exit = new_block(maker);
	struct hd_minst back = hd_minst_make(HD_OP_BRA, 0);
	back.ref_kind = HD_MREF_BLOCK;
	back.ref = header;
	back.guard = again;
	emit(maker, back);
	hd_mfunc_edge(maker->func, maker->block, header);
	jump(maker, exit);
	maker->func->extras.data[first_phi + 1] = next;
	for (uint32_t i = 0; i < maker->variables.len; i++)
		maker->func->extras.data[first_phi + 2 * (i + 1) + 1] = maker->variables.data[i];
	maker->block = exit;
	for (uint32_t i = 0; skips && i < maker->variables.len; i++)
		maker->variables.data[i] = phi(maker, old[i], old[i], maker->variables.data[i]);
	free(old);
}

static void make_body(struct maker *maker, uint32_t count)
{
	while (count) {
		uint32_t kind = draw(maker, 24), part = count / 2;
		if (kind == 0 && part > 3 && maker->func->blocks.len < 200) {
			make_diamond(maker, part);
			count -= part;
		} else if (kind == 1 && part > 3 && maker->depth < 3) {
			make_loop(maker, part);
			count -= part;
		} else {
			make_statement(maker);
			count--;
		}
	}
}

/* ---- functions ---- */

static void make_entry(struct maker *maker)
{
	const struct hd_random_options *o = maker->options;
	uint32_t reg = 4;
	for (uint32_t i = 0; i < o->singles + o->pairs + o->quads + o->preds; i++) {
		unsigned words = i < o->singles ? 1 : i < o->singles + o->pairs ? 2 : 4;
		bool is_pred = i >= o->singles + o->pairs + o->quads;
		struct hd_mreg value = is_pred ? (struct hd_mreg){hd_mfunc_pred(maker->func), 0, 1}
					       : hd_mfunc_vreg(maker->func, words);
		hd_vec_push(&maker->variables, value);
	}
	for (uint32_t i = 0; i < maker->variables.len; i++) {
		struct hd_mreg value = maker->variables.data[i];
		bool is_pred = hd_mreg_is_pred(maker->func, value.id);
		uint32_t at = (reg + value.words - 1u) & ~(value.words - 1u);
		if (!is_pred && !o->kernel && at + value.words <= 16) {
			copy_fixed(maker, value, (struct hd_mreg){at, 0, value.words});
			reg = at + value.words;
		}
	}
	reg = 4;
	for (uint32_t i = 0; i < maker->variables.len; i++) {
		struct hd_mreg value = maker->variables.data[i];
		bool is_pred = hd_mreg_is_pred(maker->func, value.id);
		uint32_t at = (reg + value.words - 1u) & ~(value.words - 1u);
		if (!is_pred && !o->kernel && at + value.words <= 16) {
			reg = at + value.words;
			continue;
		}
		struct hd_minst inst = hd_minst_make(is_pred		? HD_OP_ISETP
						     : value.words == 1 ? HD_OP_MOV
									: HD_OP_LDC,
						     0);
		inst.xkind = is_pred || value.words == 1 ? HD_X_CONST_B : HD_X_OTHER;
		inst.x = HD_CONST_X(0, HD_CB_PARAMS + 4 * i);
		if (is_pred) {
			inst.pdst = value.id;
			inst.mods = HD_MOD(CMP, HD_CMP_LT);
			inst.a = HD_MREG_RZ;
		} else {
			inst.dst = value;
			inst.mods = value.words > 1 ? size_mod(value.words) : 0;
		}
		if (inst.op == HD_OP_LDC)
			inst.a = HD_MREG_RZ;
		emit(maker, inst);
	}
}

static void make_exit(struct maker *maker)
{
	struct hd_minst end = hd_minst_make(maker->options->kernel ? HD_OP_EXIT : HD_OP_RET, 0);
	for (uint32_t i = 0; i < maker->variables.len; i++) {
		struct hd_mreg value = maker->variables.data[i];
		if (hd_mreg_is_pred(maker->func, value.id)) {
			struct hd_minst select = hd_minst_make(HD_OP_SEL, 0);
			select.dst = hd_mfunc_vreg(maker->func, 1);
			select.a = HD_MREG_RZ;
			select.xkind = HD_X_IMM_B;
			select.x = 1;
			select.psrc = value.id;
			emit(maker, select);
			value = select.dst;
		}
		struct hd_minst store = hd_minst_make(HD_OP_STG, size_mod(value.words));
		store.a = (struct hd_mreg){HD_RZ, 0, 2};
		store.xkind = HD_X_OTHER;
		store.x = (16 * i) % 256;
		store.c = value;
		emit(maker, store);
	}
	if (!maker->options->kernel) {
		struct hd_mreg fixed = {4, 0, 2};
		copy_fixed(maker, fixed, *pick(maker, 2));
		end.extra = hd_mfunc_extras(maker->func, &fixed, 1);
		end.extra_count = 1;
	}
	emit(maker, end);
}

void hd_random_mfunc(struct hd_mfunc *func, struct hd_arena *arena, const struct hd_random_options *options)
{
	struct maker maker = {.func = func,
			      .options = options,
			      .state = options->seed * 2654435761u | 1,
			      .frequency = 1};
	hd_mfunc_init(func, arena, "random");
	func->kernel = options->kernel;
	func->max_registers = options->max_registers;
	for (unsigned i = 0; i < 8; i++)
		draw(&maker, 2);
	for (unsigned i = 0; options->locals && i < 3; i++)
		hd_vec_push(&maker.objects, hd_mfunc_frame(func, 32, 16, HD_FRAME_LOCAL));
	maker.block = new_block(&maker);
	make_entry(&maker);
	make_body(&maker, options->statements);
	make_exit(&maker);
	hd_vec_release(&maker.variables);
	hd_vec_release(&maker.objects);
}

struct hd_random_options hd_random_options(uint32_t seed)
{
	struct maker maker = {.state = seed * 747796405u + 2891336453u};
	maker.state |= 1;
	for (unsigned i = 0; i < 8; i++)
		draw(&maker, 2);
	static const uint32_t caps[] = {16, 18, 20, 24, 32, 40, 64, 255};
	struct hd_random_options options = {.seed = seed};
	uint32_t size = 1 + draw(&maker, 4);
	options.singles = 2 + draw(&maker, 4 * size);
	options.pairs = 2 + draw(&maker, 3 * size);
	options.quads = 1 + draw(&maker, size);
	options.preds = 1 + draw(&maker, 3 * size);
	options.statements = 4 + draw(&maker, 30 * size);
	options.calls = draw(&maker, 2);
	options.kernel = draw(&maker, 2);
	options.locals = draw(&maker, 3) == 0;
	options.max_registers = caps[draw(&maker, 8)];
	return options;
}
