/* Interpreter of machine IR for tests: see mir_interp.h. */
#include "mir_interp.h"
#include "heddle/opcodes.h"

#define STACK_TOP 0x10000u
#define LOCAL_BYTES 0x10000u
#define MAX_STEPS 2000000u

struct interp {
	struct hd_mfunc *func;
	struct hd_mrun run;
	bool framed;
	uint32_t *base;	  /* by virtual register: first word */
	uint32_t *values; /* virtual words */
	uint32_t fixed[HD_MREG_VIRTUAL];
	uint32_t uniform[HD_MAX_UREGS];
	uint32_t initial[HD_MREG_VIRTUAL];
	uint8_t *local;
	uint32_t *object; /* by frame object: address before layout */
};

static uint32_t mix(uint32_t hash, uint32_t value)
{
	hash ^= value;
	hash *= 0x9e3779b1u;
	hash ^= hash >> 15;
	hash *= 0x85ebca77u;
	return hash ^ hash >> 13;
}

static void trace(struct interp *interp, uint32_t value)
{
	interp->run.trace = (interp->run.trace ^ value) * UINT64_C(0x100000001b3);
}

static void fail(struct interp *interp, const char *what)
{
	if (!interp->run.error)
		interp->run.error = what;
}

static uint32_t *place(struct interp *interp, struct hd_mreg reg, unsigned word)
{
	if (hd_mreg_is_virtual(reg.id))
		return &interp->values[interp->base[reg.id - HD_MREG_VIRTUAL] + reg.sub + word];
	return &interp->fixed[reg.id + reg.sub + word];
}

static uint32_t get(struct interp *interp, struct hd_mreg reg, unsigned word)
{
	if (!reg.words || reg.id == HD_RZ)
		return 0;
	return *place(interp, reg, word);
}

static void set(struct interp *interp, struct hd_mreg reg, unsigned word, uint32_t value)
{
	if (reg.words && reg.id != HD_RZ)
		*place(interp, reg, word) = value;
}

static bool get_pred(struct interp *interp, uint32_t id, bool inverted)
{
	bool value = id == HD_MREG_PT || *place(interp, (struct hd_mreg){id, 0, 1}, 0) & 1;
	return value != inverted;
}

static void set_pred(struct interp *interp, uint32_t id, bool value)
{
	if (id != HD_MREG_PT)
		*place(interp, (struct hd_mreg){id, 0, 1}, 0) = value;
}

static uint32_t constant(uint32_t x)
{
	return x == HD_CONST_X(0, HD_CB_STACK_TOP) ? STACK_TOP : mix(77, x);
}

/* x with what it refers to before layout. */
static uint32_t resolve(struct interp *interp, const struct hd_minst *inst)
{
	if (interp->framed)
		return inst->x;
	if (inst->ref_kind == HD_MREF_FRAME)
		return inst->x + interp->object[inst->ref];
	return inst->x;
}

static uint32_t source_b(struct interp *interp, const struct hd_minst *inst)
{
	if (inst->xkind == HD_X_IMM_B)
		return resolve(interp, inst);
	if (inst->xkind == HD_X_CONST_B)
		return constant(inst->x);
	if (inst->xkind == HD_X_UNIFORM_B)
		return interp->uniform[inst->x];
	return get(interp, inst->b, 0);
}

static uint32_t source_c(struct interp *interp, const struct hd_minst *inst)
{
	if (inst->xkind == HD_X_IMM_C)
		return resolve(interp, inst);
	if (inst->xkind == HD_X_CONST_C)
		return constant(inst->x);
	if (inst->xkind == HD_X_UNIFORM_C)
		return interp->uniform[inst->x];
	return get(interp, inst->c, 0);
}

/* ---- memory ---- */

static uint32_t *cell(struct interp *interp, const struct hd_minst *inst, unsigned word)
{
	uint32_t *memory = inst->op == HD_OP_LDS || inst->op == HD_OP_STS ? interp->run.shared : interp->run.global;
	uint32_t address = (get(interp, inst->a, 0) & ~15u) + inst->x;
	return &memory[(address / 4 + word) % 64];
}

static void local_access(struct interp *interp, const struct hd_minst *inst)
{
	bool load = inst->op == HD_OP_LDL;
	struct hd_mreg reg = load ? inst->dst : inst->c;
	uint32_t address = get(interp, inst->a, 0) + resolve(interp, inst);
	if (address % (4u * reg.words) || address + 4u * reg.words > LOCAL_BYTES + STACK_TOP ||
	    address < STACK_TOP / 2) {
		fail(interp, "a bad local address");
		return;
	}
	for (unsigned i = 0; i < reg.words; i++) {
		uint32_t value = get(interp, reg, i);
		if (load)
			memcpy(&value, interp->local + address + 4 * i, 4);
		else
			memcpy(interp->local + address + 4 * i, &value, 4);
		if (load)
			set(interp, reg, i, value);
	}
}

static void memory_access(struct interp *interp, const struct hd_minst *inst)
{
	bool load = inst->dst.words != 0;
	bool readonly = inst->op == HD_OP_LDCX ||
			(inst->op == HD_OP_LDG && hd_mod_get(inst->mods, HD_MOD_CACHE) == HD_CACHE_CI);
	uint32_t loaded[4] = {0};
	unsigned words = load ? inst->dst.words : inst->c.words;
	for (unsigned i = 0; i < words; i++) {
		if (readonly)
			loaded[i] = mix(mix(5, get(interp, inst->a, 0)), inst->x + i);
		else if (load)
			loaded[i] = *cell(interp, inst, i);
		else
			*cell(interp, inst, i) = get(interp, inst->c, i);
	}
	for (unsigned i = 0; load && i < words; i++)
		set(interp, inst->dst, i, loaded[i]);
}

/* ---- others ---- */

static void trace_memory(struct interp *interp)
{
	for (unsigned i = 0; i < 64; i++) {
		trace(interp, interp->run.global[i]);
		trace(interp, interp->run.shared[i]);
	}
}

static void call(struct interp *interp, const struct hd_minst *inst)
{
	uint32_t hash = mix(inst->ref, inst->x), reads = inst->extra_count - inst->extra_defs;
	const struct hd_mreg *extras = &interp->func->extras.data[inst->extra];
	const struct hd_abi *abi = interp->func->abi;
	for (uint32_t i = 0; i < reads; i++)
		for (unsigned w = 0; w < extras[i].words; w++)
			hash = mix(hash, get(interp, extras[i], w));
	trace(interp, hash);
	trace_memory(interp);
	if (get(interp, (struct hd_mreg){1, 0, 1}, 0) % 16 && interp->framed)
		fail(interp, "a call with a misaligned stack");
	for (uint32_t reg = 0; reg < HD_MREG_PT; reg++)
		if (reg != abi->stack_pointer && !hd_abi_is_saved(abi, reg))
			interp->fixed[reg] = mix(hash, 0xdead0000u + reg);
	for (unsigned i = 0; i < 64; i++)
		interp->run.global[i] ^= mix(hash, i) & 3;
	for (uint32_t i = reads; i < inst->extra_count; i++)
		for (unsigned w = 0; w < extras[i].words; w++)
			set(interp, extras[i], w, mix(hash, i * 8 + w));
}

static bool compare(uint32_t a, uint32_t b, unsigned cmp)
{
	switch (cmp) {
	case HD_CMP_LT: return a < b;
	case HD_CMP_EQ: return a == b;
	case HD_CMP_LE: return a <= b;
	case HD_CMP_GT: return a > b;
	case HD_CMP_NE: return a != b;
	case HD_CMP_GE: return a >= b;
	default: return cmp == HD_CMP_T;
	}
}

/* A wide product of zeros, which the compiler makes zeros of; others are hashed. */
static bool is_zero_product(struct interp *interp, const struct hd_minst *inst)
{
	return inst->op == HD_OP_IMAD_WIDE && !get(interp, inst->a, 0) && !source_b(interp, inst) &&
	       !source_c(interp, inst) && !(inst->c.words > 1 && get(interp, inst->c, 1));
}

/* The same for a register, an immediate and a constant of one value. */
static uint32_t hash_source(struct interp *interp, struct hd_mreg reg, uint32_t low)
{
	uint32_t hash = mix(7, low);
	for (unsigned w = 1; w < reg.words; w++)
		hash = mix(hash, get(interp, reg, w));
	return hash;
}

/* The same whichever of two sources that may change places comes first. */
static uint32_t hash_sources(struct interp *interp, const struct hd_minst *inst)
{
	uint32_t a = hash_source(interp, inst->a, get(interp, inst->a, 0));
	uint32_t b = hash_source(interp, inst->b, source_b(interp, inst));
	uint16_t mods = inst->mods, swapped = inst->mods;
	uint8_t srcmods = inst->srcmods, exchanged = hd_srcmods_swap(srcmods);
	bool swaps = hd_op_swap(inst->op, HD_SLOT_B, &swapped);
	if (swaps && (a > b || (a == b && (srcmods > exchanged || (srcmods == exchanged && mods > swapped))))) {
		uint32_t first = b;
		b = a;
		a = first;
		mods = swapped;
		srcmods = exchanged;
	}
	return mix(mix(mix(mix(inst->op, mods), srcmods), a), b);
}

static void hashed(struct interp *interp, const struct hd_minst *inst)
{
	uint32_t hash = mix(hash_sources(interp, inst), inst->xkind == HD_X_OTHER ? inst->x : 1);
	hash = mix(hash, hash_source(interp, inst->c, source_c(interp, inst)));
	hash = mix(hash,
		   get_pred(interp, inst->psrc, inst->psrc_not) + 2u * get_pred(interp, inst->psrc2, inst->psrc2_not));
	unsigned effects = hd_opinfo[inst->op].effects;
	if (effects & (HD_FX_SIDE | HD_FX_CONVERGENT | HD_FX_BARRIER))
		trace(interp, hash);
	if (effects & (HD_FX_BARRIER | HD_FX_FENCE))
		trace_memory(interp);
	bool zero = is_zero_product(interp, inst);
	for (unsigned w = 0; w < inst->dst.words; w++)
		set(interp, inst->dst, w, zero ? 0 : mix(hash, w + 1));
	set_pred(interp, inst->pdst, hash >> 7 & 1);
}

static void copy(struct interp *interp, const struct hd_minst *inst)
{
	uint32_t values[4];
	if (inst->pdst != HD_MREG_PT) {
		set_pred(interp, inst->pdst, get_pred(interp, inst->psrc, inst->psrc_not));
		return;
	}
	for (unsigned w = 0; w < inst->dst.words; w++)
		values[w] = get(interp, inst->b, w);
	for (unsigned w = 0; w < inst->dst.words; w++)
		set(interp, inst->dst, w, values[w]);
}

/* PAIR, PARCOPY: all reads before all writes. */
static void move_list(struct interp *interp, const struct hd_minst *inst)
{
	const struct hd_mreg *extras = &interp->func->extras.data[inst->extra];
	uint32_t *values = hd_xmalloc(sizeof(uint32_t) * 4 * (inst->extra_count + 1u)), count = 0;
	bool pair = inst->op == HD_OP_PAIR;
	for (uint32_t i = !pair; i < inst->extra_count; i += pair ? 1 : 2)
		for (unsigned w = 0; w < extras[i].words; w++)
			values[count++] = extras[i].id == HD_MREG_PT ? 1 : get(interp, extras[i], w);
	count = 0;
	if (pair)
		for (unsigned w = 0; w < inst->dst.words; w++)
			set(interp, inst->dst, w, values[count++]);
	for (uint32_t i = 0; !pair && i < inst->extra_count; i += 2)
		for (unsigned w = 0; w < extras[i].words; w++)
			set(interp, extras[i], w, values[count++]);
	free(values);
}

/* The table of a LOP3, one bit of the result after the other. */
static uint32_t logical(uint32_t table, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t result = 0;
	for (unsigned bit = 0; bit < 32; bit++) {
		uint32_t row = (a >> bit & 1) << 2 | (b >> bit & 1) << 1 | (c >> bit & 1);
		result |= (table >> row & 1) << bit;
	}
	return result;
}

static uint32_t multiply_add(const struct hd_minst *inst, uint32_t a, uint32_t b, uint32_t c)
{
	uint32_t product = a * b;
	if (!(inst->srcmods & HD_NEG_A) != !(inst->srcmods & HD_NEG_B))
		product = 0 - product;
	return inst->srcmods & HD_NEG_C ? product - c : product + c;
}

static void execute(struct interp *interp, const struct hd_minst *inst)
{
	uint32_t a = get(interp, inst->a, 0), b = source_b(interp, inst);
	switch (inst->op) {
	case HD_OP_UNDEF: break;
	case HD_OP_COPY: copy(interp, inst); break;
	case HD_OP_PAIR:
	case HD_OP_PARCOPY: move_list(interp, inst); break;
	case HD_OP_MOV: set(interp, inst->dst, 0, b); break;
	case HD_OP_R2UR:
	case HD_OP_UMOV: interp->uniform[inst->uniform_dst] = b; break;
	case HD_OP_SEL: set(interp, inst->dst, 0, get_pred(interp, inst->psrc, inst->psrc_not) ? a : b); break;
	case HD_OP_ISETP:
		set_pred(interp, inst->pdst,
			 compare(a, b, hd_mod_get(inst->mods, HD_MOD_CMP)) &&
				 get_pred(interp, inst->psrc, inst->psrc_not));
		break;
	case HD_OP_IADD3: set(interp, inst->dst, 0, a + b + source_c(interp, inst)); break;
	case HD_OP_IMAD: set(interp, inst->dst, 0, multiply_add(inst, a, b, source_c(interp, inst))); break;
	case HD_OP_LOP3:
		set(interp, inst->dst, 0, logical(hd_mod_get(inst->mods, HD_MOD_LUT), a, b, source_c(interp, inst)));
		break;
	case HD_OP_LDL:
	case HD_OP_STL: local_access(interp, inst); break;
	case HD_OP_LDG:
	case HD_OP_LDCX:
	case HD_OP_STG:
	case HD_OP_LDS:
	case HD_OP_STS: memory_access(interp, inst); break;
	case HD_OP_CALL: call(interp, inst); break;
	default: hashed(interp, inst);
	}
}

static void enter_block(struct interp *interp, uint32_t from, uint32_t to)
{
	const struct hd_mblock *block = &interp->func->blocks.data[to];
	uint32_t pred = 0, count = 0, values[4096];
	while (pred < block->preds.len && block->preds.data[pred] != from)
		pred++;
	for (uint32_t i = 0; i < block->insts.len && block->insts.data[i].op == HD_OP_PHI; i++) {
		struct hd_mreg src = interp->func->extras.data[block->insts.data[i].extra + pred];
		for (unsigned w = 0; w < src.words && count < 4096; w++)
			values[count++] = src.id == HD_MREG_PT ? 1 : get(interp, src, w);
	}
	count = 0;
	for (uint32_t i = 0; i < block->insts.len && block->insts.data[i].op == HD_OP_PHI; i++) {
		const struct hd_minst *phi = &block->insts.data[i];
		struct hd_mreg dst = phi->dst.words ? phi->dst : (struct hd_mreg){phi->pdst, 0, 1};
		for (unsigned w = 0; w < dst.words; w++)
			set(interp, dst, w, values[count++]);
	}
}

static void leave(struct interp *interp, const struct hd_minst *inst)
{
	const struct hd_abi *abi = interp->func->abi;
	for (uint32_t i = 0; i < inst->extra_count; i++)
		for (unsigned w = 0; w < interp->func->extras.data[inst->extra + i].words; w++)
			trace(interp, get(interp, interp->func->extras.data[inst->extra + i], w));
	for (uint32_t reg = 0; interp->framed && inst->op == HD_OP_RET && reg < HD_RZ; reg++)
		if ((hd_abi_is_saved(abi, reg) || reg == abi->stack_pointer) &&
		    interp->fixed[reg] != interp->initial[reg])
			fail(interp, "a callee-saved register has changed");
}

/* The next block, or HD_NO_BLOCK at the end of the function. */
static uint32_t run_block(struct interp *interp, uint32_t id)
{
	const struct hd_mblock *block = &interp->func->blocks.data[id];
	for (uint32_t i = 0; i < block->insts.len && !interp->run.error; i++) {
		const struct hd_minst *inst = &block->insts.data[i];
		if (++interp->run.steps > MAX_STEPS)
			fail(interp, "too many steps");
		switch (inst->op) {
		case HD_OP_PHI: break;
		case HD_OP_BRA:
			if (get_pred(interp, inst->guard, inst->guard_not))
				return inst->ref;
			break;
		case HD_OP_BRX: {
			const struct hd_mtable *table = &interp->func->tables.data[inst->ref];
			return table->blocks[get(interp, inst->a, 0) % table->count];
		}
		case HD_OP_RET:
		case HD_OP_EXIT: leave(interp, inst); return HD_NO_BLOCK;
		default:
			if (get_pred(interp, inst->guard, inst->guard_not))
				execute(interp, inst);
		}
	}
	fail(interp, "the end of a block");
	return HD_NO_BLOCK;
}

static void set_up(struct interp *interp)
{
	struct hd_mfunc *func = interp->func;
	uint32_t words = 0, address = STACK_TOP + 64;
	interp->base = hd_xcalloc(func->vregs.len + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < func->vregs.len; i++) {
		interp->base[i] = words;
		words += func->vregs.data[i].words ? func->vregs.data[i].words : 1;
	}
	interp->values = hd_xcalloc(words + 1, sizeof(uint32_t));
	interp->local = hd_xcalloc(STACK_TOP + LOCAL_BYTES, 1);
	interp->object = hd_xcalloc(func->frame.len + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < func->frame.len; i++) {
		interp->object[i] = address - STACK_TOP;
		address += (func->frame.data[i].bytes + 31) & ~15u;
	}
	for (uint32_t reg = 0; reg < HD_MREG_VIRTUAL; reg++)
		interp->fixed[reg] = mix(3, reg);
	if (!func->kernel || !interp->framed)
		interp->fixed[1] = STACK_TOP;
	for (unsigned i = 0; i < 64; i++) {
		interp->run.global[i] = mix(1, i);
		interp->run.shared[i] = mix(2, i);
	}
	memcpy(interp->initial, interp->fixed, sizeof(interp->initial));
}

struct hd_mrun hd_mfunc_interpret(struct hd_mfunc *func, bool framed)
{
	struct interp interp = {.func = func, .framed = framed};
	set_up(&interp);
	for (uint32_t block = 0; block != HD_NO_BLOCK && !interp.run.error;) {
		uint32_t next = run_block(&interp, block);
		if (next != HD_NO_BLOCK)
			enter_block(&interp, block, next);
		block = next;
	}
	free(interp.base);
	free(interp.values);
	free(interp.local);
	free(interp.object);
	return interp.run;
}

static struct hd_minst decode(const struct hd_inst *inst)
{
	struct hd_minst minst = hd_minst_make(inst->op, inst->mods);
	const uint8_t regs[] = {inst->dst, inst->a, inst->b, inst->c};
	struct hd_mreg *slots[] = {&minst.dst, &minst.a, &minst.b, &minst.c};
	for (unsigned i = 0; i < 4; i++) {
		unsigned words = hd_op_width(inst->op, inst->mods, (enum hd_slot)i);
		*slots[i] = (struct hd_mreg){regs[i], 0, (uint8_t)words};
	}
	if (hd_x_in_b(inst->xkind))
		minst.b = HD_MREG_NONE;
	if (hd_x_in_c(inst->xkind))
		minst.c = HD_MREG_NONE;
	if (hd_opinfo[inst->op].dst == HD_W_U)
		minst.uniform_dst = inst->dst;
	minst.guard = HD_MREG_PRED + (inst->guard & 7u);
	minst.guard_not = inst->guard & HD_PRED_NOT;
	minst.pdst = HD_MREG_PRED + (inst->pdst & 7u);
	minst.psrc = HD_MREG_PRED + (inst->psrc & 7u);
	minst.psrc_not = inst->psrc & HD_PRED_NOT;
	minst.psrc2 = HD_MREG_PRED + (inst->psrc2 & 7u);
	minst.psrc2_not = inst->psrc2 & HD_PRED_NOT;
	minst.xkind = inst->xkind;
	minst.srcmods = inst->srcmods;
	minst.x = inst->x;
	return minst;
}

/* What the dead bits say is never read again. */
static void spoil(struct interp *interp, const struct hd_inst *inst, const struct hd_minst *minst)
{
	const struct hd_mreg sources[] = {minst->a, minst->b, minst->c};
	for (unsigned i = 0; i < 3; i++)
		for (unsigned w = 0; inst->dead >> i & 1 && w < sources[i].words; w++) {
			uint32_t reg = sources[i].id + w;
			bool written = reg >= minst->dst.id && reg < minst->dst.id + minst->dst.words;
			if (reg < HD_RZ && !written)
				interp->fixed[reg] = 0xbad0bad0u + reg;
		}
}

struct hd_mrun hd_function_interpret(const struct hd_function *function, struct hd_mfunc *func)
{
	struct interp interp = {.func = func, .framed = true};
	set_up(&interp);
	for (uint32_t pc = 0; !interp.run.error;) {
		if (pc >= function->inst_count || ++interp.run.steps > MAX_STEPS) {
			fail(&interp, "the end of the function");
			break;
		}
		const struct hd_inst *inst = &function->insts[pc++];
		struct hd_minst minst = decode(inst);
		if (inst->op == HD_OP_EXIT || inst->op == HD_OP_RET) {
			struct hd_mreg result = {4, 0, 2};
			minst.extra = hd_mfunc_extras(func, &result, 1);
			minst.extra_count = inst->op == HD_OP_RET;
			leave(&interp, &minst);
			break;
		}
		if (inst->op == HD_OP_BRA) {
			pc = get_pred(&interp, minst.guard, minst.guard_not) ? inst->x : pc;
			continue;
		}
		/* A copy of a predicate. */
		if (!get_pred(&interp, minst.guard, minst.guard_not))
			continue;
		if (inst->op == HD_OP_PLOP)
			set_pred(&interp, minst.pdst, get_pred(&interp, minst.psrc, minst.psrc_not));
		else
			execute(&interp, &minst);
		spoil(&interp, inst, &minst);
	}
	free(interp.base);
	free(interp.values);
	free(interp.local);
	free(interp.object);
	return interp.run;
}

bool hd_mrun_equal(const struct hd_mrun *a, const struct hd_mrun *b)
{
	return a->trace == b->trace && memcmp(a->global, b->global, sizeof(a->global)) == 0 &&
	       memcmp(a->shared, b->shared, sizeof(a->shared)) == 0;
}
