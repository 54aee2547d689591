/*
 * Functional execution of texture fetches (TEX, TLD, TLD4, TXD): addressing, filtering with 8 bits of fraction and
 * conversion as CUDA's programming guide defines them ("Texture Fetching"). A texture object is the address of its
 * descriptors in device memory (cuda/heddle_texture.h), one a level.
 *
 * Each lane goes its own way, so objects, levels and coordinates may differ. What it touches is noted for the timing
 * (struct hd_texels). Outside of linear memory a TLD reads zero. Of gradients the longer one gives the level;
 * anisotropy is not followed. What a texture reads is what memory had when this window began (later.c): that a kernel
 * fetches what it has written itself is undefined in CUDA.
 *
 * Cost: tens of nanoseconds a texel.
 */
#include <math.h>

#include "cuda/driver_types.h"
#include "cuda/heddle_texture.h"
#include "cuda/texture_types.h"
#include "heddle/opcodes.h"
#include "runtime/exec/devmem.h"
#include "runtime/exec/exec.h"

/* One lane's fetch. */
struct fetch {
	struct hd_exec *exec;
	const struct hd_dinst *inst;
	uint32_t lane;
	unsigned channels;		 /* that are asked for */
	const struct hd_texture *levels; /* the descriptors */
	struct hd_devrange range;	 /* the allocation of the last texel */
};

/* ---- where */

/* As a conversion with saturation: NaN gives 0. */
static int32_t to_int(float value)
{
	if (!(value == value))
		return 0;
	return value >= 2147483648.0f ? INT32_MAX : value < -2147483648.0f ? INT32_MIN : (int32_t)value;
}

/* Index i of n elements, brought into range; false outside of a border. */
static bool place(int32_t *i, int32_t n, int mode)
{
	int64_t at = *i, period;
	if ((uint32_t)*i < (uint32_t)n)
		return true;
	switch (mode) {
	case cudaAddressModeClamp: *i = *i < 0 ? 0 : n - 1; return true;
	case cudaAddressModeWrap:
		at %= n;
		*i = (int32_t)(at < 0 ? at + n : at);
		return true;
	case cudaAddressModeMirror:
		period = at % (2 * (int64_t)n);
		period += period < 0 ? 2 * (int64_t)n : 0;
		*i = (int32_t)(period < n ? period : 2 * (int64_t)n - 1 - period);
		return true;
	default: return false;
	}
}

static void fault_at(struct fetch *fetch, uint64_t address, uint32_t bytes)
{
	char text[320];
	hd_exec_describe_stray(fetch->exec, address, text, sizeof text);
	HD_FAULT(fetch->exec, fetch->lane, HD_SIM_BAD_ADDRESS, "%u-byte texture fetch at address 0x%llx%s", bytes,
		 (unsigned long long)address, text);
}

/* The element's bytes on the host; NULL: a fault. */
static const uint8_t *texel_at(struct fetch *fetch, const struct hd_texture *t, uint64_t address)
{
	uint32_t bytes = (uint32_t)(t->channels * t->bits / 8);
	struct hd_devrange *range = &fetch->range;
	struct hd_texels *texels = fetch->exec->texels;
	const struct hd_devmem *memory = fetch->exec->gpu->devmem;
	if (address % ((uint32_t)t->bits / 8)) {
		HD_FAULT(fetch->exec, fetch->lane, HD_SIM_MISALIGNED,
			 "%u-byte texture fetch at misaligned address 0x%llx", bytes, (unsigned long long)address);
		return NULL;
	}
	if (!(address >= range->low && address < range->high && bytes <= range->high - address)) {
		*range = (struct hd_devrange){0};
		if (!hd_devmem_find(memory, address, &range->low, &range->high) || bytes > range->high - address) {
			*range = (struct hd_devrange){0};
			fault_at(fetch, address, bytes);
			return NULL;
		}
		range->host = hd_devmem_host(memory, address);
	}
	if (texels)
		texels->address[texels->count++] = address;
	return (const uint8_t *)(uintptr_t)(address + range->host);
}

/* ---- what */

static bool is_float(const struct hd_texture *t)
{
	return t->kind == cudaChannelFormatKindFloat || t->normalized_read;
}

static uint32_t word_of(float value)
{
	uint32_t word;
	memcpy(&word, &value, sizeof word);
	return word;
}

static float float_of(uint32_t word)
{
	float value;
	memcpy(&value, &word, sizeof value);
	return value;
}

static uint32_t half_as_float(uint16_t half)
{
	struct hd_unpacked value = hd_fp_unpack(HD_F16, half);
	return (uint32_t)hd_fp_pack(HD_F32, &value, HD_RN);
}

/* A channel as a word of the result. */
static uint32_t channel(const struct hd_texture *t, const uint8_t *at)
{
	uint32_t bits = 0;
	memcpy(&bits, at, (size_t)t->bits / 8); /* little-endian host */
	int32_t number = t->bits == 8 ? (int8_t)bits : t->bits == 16 ? (int16_t)bits : (int32_t)bits;
	if (t->kind == cudaChannelFormatKindFloat)
		return t->bits == 16 ? half_as_float((uint16_t)bits) : bits;
	if (!t->normalized_read)
		return t->kind == cudaChannelFormatKindSigned ? (uint32_t)number : bits;
	if (t->kind == cudaChannelFormatKindUnsigned)
		return word_of((float)bits / (t->bits == 8 ? 255.0f : 65535.0f));
	float value = (float)number / (t->bits == 8 ? 127.0f : 32767.0f);
	return word_of(value < -1.0f ? -1.0f : value);
}

static uint32_t border(const struct hd_texture *t, unsigned c)
{
	float value = t->border[c];
	if (is_float(t))
		return word_of(value);
	if (t->kind == cudaChannelFormatKindSigned)
		return (uint32_t)to_int(value);
	return !(value > 0) ? 0 : value >= 4294967296.0f ? UINT32_MAX : (uint32_t)value;
}

/* The element at integer coordinates, which need not be in range: `count` words. False: a fault. */
static bool element(struct fetch *fetch, const struct hd_texture *t, int32_t x, int32_t y, int32_t z, unsigned count,
		    uint32_t *v)
{
	bool inside = place(&x, t->size[0], t->address_mode[0]);
	inside &= place(&y, t->size[1], t->address_mode[1]);
	inside &= place(&z, t->size[2], t->address_mode[2]);
	uint32_t bytes = (uint32_t)(t->channels * t->bits / 8);
	const uint8_t *at = NULL;
	if (inside) {
		uint64_t address = t->base + (uint64_t)z * t->slice + (uint64_t)y * t->pitch + (uint64_t)x * bytes;
		at = texel_at(fetch, t, address);
		if (!at)
			return false;
	}
	for (unsigned c = 0; c < count; c++) {
		if (c >= (unsigned)t->channels)
			v[c] = c != 3 ? 0 : is_float(t) ? word_of(1) : 1;
		else
			v[c] = inside ? channel(t, at + c * (unsigned)t->bits / 8) : border(t, c);
	}
	return true;
}

/* Where a coordinate is between two elements: the lower one, and how far to the upper in steps of 1/256. */
static float between(float x, int32_t *lower)
{
	float below = floorf(x - 0.5f);
	*lower = to_int(below);
	return rintf((x - 0.5f - below) * 256.0f) / 256.0f;
}

static int32_t next_to(int32_t i, unsigned by)
{
	return (int32_t)((uint32_t)i + by);
}

static bool filter(struct fetch *fetch, const struct hd_texture *t, unsigned dims, const float x[3], uint32_t *v)
{
	int32_t at[3] = {0, to_int(x[1]), to_int(x[2])};
	float part[3] = {0, 0, 0}, sum[4] = {0, 0, 0, 0};
	for (unsigned d = 0; d < dims; d++)
		part[d] = between(x[d], &at[d]);
	for (unsigned corner = 0; corner < 1u << dims; corner++) {
		uint32_t words[4];
		float weight = (corner & 1 ? part[0] : 1 - part[0]) * (corner & 2 ? part[1] : 1 - part[1]) *
			       (corner & 4 ? part[2] : 1 - part[2]);
		if (!element(fetch, t, next_to(at[0], corner & 1), next_to(at[1], corner >> 1 & 1),
			     next_to(at[2], corner >> 2), fetch->channels, words))
			return false;
		for (unsigned c = 0; c < fetch->channels; c++)
			sum[c] = fmaf(weight, float_of(words[c]), sum[c]);
	}
	for (unsigned c = 0; c < fetch->channels; c++)
		v[c] = word_of(sum[c]);
	return true;
}

/* At coordinates of `dims` dimensions; what is further is an index. */
static bool sample(struct fetch *fetch, const struct hd_texture *t, unsigned dims, const float coordinate[3],
		   uint32_t *v)
{
	float x[3] = {coordinate[0], coordinate[1], coordinate[2]};
	for (unsigned d = 0; d < dims && t->normalized_coords; d++)
		x[d] *= (float)t->size[d];
	if (t->linear)
		return filter(fetch, t, dims, x, v);
	return element(fetch, t, to_int(floorf(x[0])), to_int(floorf(x[1])), to_int(floorf(x[2])), fetch->channels, v);
}

/* From the level of a mipmapped array, or between two of them in steps of 1/256. */
static bool sample_level(struct fetch *fetch, unsigned dims, const float x[3], float level, uint32_t *v)
{
	const struct hd_texture *t = fetch->levels;
	uint32_t next[4];
	level = fminf(fmaxf(level + t->level_bias, t->first_level), t->last_level);
	int32_t lower = to_int(t->linear_levels ? level : level + 0.5f), last = t->levels - 1;
	float part = t->linear_levels ? rintf((level - (float)lower) * 256.0f) / 256.0f : 0;
	lower = lower < 0 ? 0 : lower > last ? last : lower;
	if (!sample(fetch, t + lower, dims, x, v))
		return false;
	if (!(part > 0) || lower == last)
		return true;
	if (!sample(fetch, t + lower + 1, dims, x, next))
		return false;
	for (unsigned c = 0; c < fetch->channels; c++)
		v[c] = word_of(fmaf(1 - part, float_of(v[c]), part * float_of(next[c])));
	return true;
}

/* ---- the instructions */

static unsigned dimensions(const struct hd_dinst *inst)
{
	static const uint8_t dims[8] = {
		[HD_TEX_1D] = 1, [HD_TEX_2D] = 2, [HD_TEX_3D] = 3, [HD_TEX_ARRAY_1D] = 1, [HD_TEX_ARRAY_2D] = 2,
	};
	return inst->inst.op == HD_OP_TLD4 ? 2 : dims[HD_MODIFIER(TDIM)];
}

static bool has_layer(const struct hd_dinst *inst)
{
	return inst->inst.op != HD_OP_TLD4 && HD_MODIFIER(TDIM) >= HD_TEX_ARRAY_1D;
}

static uint32_t clamped_layer(const struct hd_texture *t, uint32_t layer)
{
	int32_t number = (int32_t)layer, last = t->size[2] - 1;
	return (uint32_t)(number < 0 ? 0 : number > last ? last : number);
}

/* TEX: word[] are the coordinates, the layer, the level. */
static bool fetch_filtered(struct fetch *fetch, const uint32_t *word, uint32_t *v)
{
	const struct hd_dinst *inst = fetch->inst;
	unsigned dims = dimensions(inst), next = dims;
	float x[3] = {0, 0, 0};
	for (unsigned d = 0; d < dims; d++)
		x[d] = float_of(word[d]);
	if (has_layer(inst))
		x[2] = (float)clamped_layer(fetch->levels, word[next++]);
	if (HD_MODIFIER(LEVEL) == HD_LEVEL_GIVEN)
		return sample_level(fetch, dims, x, float_of(word[next]), v);
	return sample(fetch, fetch->levels, dims, x, v);
}

/* TLD: no filter, and zero outside. */
static bool fetch_element(struct fetch *fetch, const uint32_t *word, uint32_t *v)
{
	const struct hd_texture *t = fetch->levels;
	unsigned dims = dimensions(fetch->inst);
	int32_t at[3] = {0, 0, 0};
	bool outside = false;
	for (unsigned d = 0; d < dims; d++) {
		at[d] = (int32_t)word[d];
		outside |= word[d] >= (uint32_t)t->size[d];
	}
	if (has_layer(fetch->inst))
		at[2] = (int32_t)clamped_layer(t, word[dims]);
	memset(v, 0, fetch->channels * sizeof *v);
	return outside || element(fetch, t, at[0], at[1], at[2], fetch->channels, v);
}

/* TLD4. */
static bool gather(struct fetch *fetch, const uint32_t *word, uint32_t *v)
{
	const struct hd_dinst *inst = fetch->inst;
	const struct hd_texture *t = fetch->levels;
	int32_t at[2];
	for (unsigned d = 0; d < 2; d++) {
		float x = float_of(word[d]);
		between(t->normalized_coords ? x * (float)t->size[d] : x, &at[d]);
	}
	for (unsigned corner = 0; corner < 4; corner++) {
		uint32_t words[4];
		if (!element(fetch, t, next_to(at[0], corner == 1 || corner == 2), next_to(at[1], corner < 2), 0, 4,
			     words))
			return false;
		if (corner < fetch->channels)
			v[corner] = words[HD_MODIFIER(CHANNEL)];
	}
	return true;
}

/* TXD: the level at which a step along the longer gradient is one element. */
static bool fetch_gradient(struct fetch *fetch, const uint32_t *word, const uint32_t *gradient, uint32_t *v)
{
	unsigned dims = dimensions(fetch->inst);
	float x[3] = {0, 0, 0}, length[2] = {0, 0};
	for (unsigned d = 0; d < dims; d++)
		x[d] = float_of(word[d]);
	for (unsigned axis = 0; axis < 2; axis++)
		for (unsigned d = 0; d < dims; d++) {
			float step = float_of(gradient[axis * dims + d]) * (float)fetch->levels->size[d];
			length[axis] += step * step;
		}
	return sample_level(fetch, dims, x, (float)(0.5 * log2((double)fmaxf(length[0], length[1]))), v);
}

static bool fetch_lane(struct fetch *fetch, uint32_t *v)
{
	const struct hd_warp *warp = fetch->exec->warp;
	const struct hd_inst *inst = &fetch->inst->inst;
	unsigned count = hd_op_coordinates(inst->op, inst->mods);
	unsigned gradients = inst->op == HD_OP_TXD ? 2 * count : 0;
	uint32_t word[4] = {0}, gradient[4] = {0};
	for (unsigned i = 0; i < count; i++)
		word[i] = hd_row(warp, i < 2 ? hd_next_reg(inst->a, i) : hd_next_reg(inst->c, i - 2))[fetch->lane];
	for (unsigned i = 0; i < gradients; i++)
		gradient[i] = hd_row(warp, hd_next_reg(inst->c, i))[fetch->lane];
	switch (inst->op) {
	case HD_OP_TLD: return fetch_element(fetch, word, v);
	case HD_OP_TLD4: return gather(fetch, word, v);
	case HD_OP_TXD: return fetch_gradient(fetch, word, gradient, v);
	default: return fetch_filtered(fetch, word, v);
	}
}

/* The descriptors at an address; NULL: there are none, a fault. */
static const struct hd_texture *find_object(struct fetch *fetch, uint64_t object)
{
	const struct hd_devmem *memory = fetch->exec->gpu->devmem;
	const struct hd_texture *t = object % 8 ? NULL : hd_devmem_at(memory, object, sizeof *t);
	uint64_t bytes = t && t->self == object ? (uint64_t)(uint32_t)t->levels * sizeof *t : 0;
	if (bytes && hd_devmem_at(memory, object, bytes))
		return t;
	HD_FAULT(fetch->exec, fetch->lane, HD_SIM_BAD_ADDRESS, "texture fetch from 0x%llx, which is no texture object",
		 (unsigned long long)object);
	return NULL;
}

static uint64_t object_of(const struct hd_exec *exec, const struct hd_dinst *inst, uint32_t lane)
{
	if (hd_x_in_b(inst->inst.xkind))
		return hd_x_value64(exec->warp, &inst->inst);
	return hd_lane_pair(exec->warp, inst->inst.b, lane);
}

/* How much the timing has to do: texels of the lane with most of them, and their words. */
static void note_work(struct hd_texels *texels, const struct hd_texture *t, uint32_t before)
{
	uint32_t words = ((uint32_t)(t->channels * t->bits) + 31) / 32, count = texels->count - before;
	texels->bytes = (uint32_t)(t->channels * t->bits / 8) > texels->bytes ? (uint32_t)(t->channels * t->bits / 8)
									      : texels->bytes;
	texels->most_words = words * count > texels->most_words ? words * count : texels->most_words;
}

HD_EXEC_PLAIN(op_texture)
{
	uint32_t out[4][HD_WARP_LANES];
	struct hd_texels *texels = exec->texels;
	struct fetch fetch = {.exec = exec, .inst = inst};
	uint64_t object = 0;
	fetch.channels = hd_op_width(inst->inst.op, inst->inst.mods, HD_SLOT_DST);
	if (texels)
		texels->count = texels->bytes = texels->most_words = 0;
	HD_FOR_LANES (lane, exec->mask) {
		uint32_t v[4] = {0}, before = texels ? texels->count : 0;
		uint64_t wanted = object_of(exec, inst, lane);
		fetch.lane = lane;
		if (!fetch.levels || wanted != object)
			fetch.levels = find_object(&fetch, object = wanted);
		if (!fetch.levels || !fetch_lane(&fetch, v))
			return;
		for (unsigned c = 0; c < fetch.channels; c++)
			out[c][lane] = v[c];
		exec->effect->address[lane] = texels && texels->count > before ? texels->address[before] : 0;
		if (texels)
			note_work(texels, fetch.levels, before);
	}
	HD_FOR_LANES (lane, exec->mask)
		for (unsigned c = 0; c < fetch.channels; c++)
			hd_dst_row(exec->warp, hd_next_reg(inst->inst.dst, c))[lane] = out[c][lane];
	exec->effect->event = HD_EVENT_MEMORY;
	exec->effect->space = HD_MEM_GLOBAL;
}

const struct hd_exec_clones *hd_exec_texture_find(const struct hd_inst *inst)
{
	return hd_opinfo[inst->op].space == HD_AT_TEXTURE ? &op_texture : NULL;
}
