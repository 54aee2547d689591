/* What coalescing.c and lane_values.c share: warps, and what their lanes have of a value. */
#ifndef HD_PASSES_AFFINE_COALESCING_INTERNAL_H
#define HD_PASSES_AFFINE_COALESCING_INTERNAL_H

#include "passes/affine/affine_internal.h"
#include "passes/ir/uniformity.h"

enum { HD_LANES = 32, HD_MOST_WARPS = 32 };

/* Where the lanes of a warp are in the block. */
struct hd_lanes {
	uint32_t index[3][HD_LANES];
};

/* The warps that are looked at. */
struct hd_warps {
	enum hd_access_assumption assumes;
	uint32_t block[3]; /* 0: not known */
	struct hd_lanes lanes[HD_MOST_WARPS];
	uint32_t count; /* whole warps only */
};

struct hd_coalescing {
	struct hd_affine *affine;
	const struct hd_uniformity *uniformity;
	struct hd_warps warps;
	struct hd_lane_node *nodes; /* of one evaluation */
	uint32_t node_count;
};

/*
 * A value in each lane of a warp: a part that the lanes of a group share and of which only the alignment is known, plus
 * a known offset; modulo 2^bits. `exact`: there is no shared part. As an unsigned (signed) number of that width it is
 * the sum itself, over the integers, where `exact_unsigned` (`exact_signed`) says so. `positive`: as a signed number it
 * is not negative in any lane.
 */
struct hd_pattern {
	int64_t offset[HD_LANES];
	uint8_t group[HD_LANES]; /* the first lane with the same shared part */
	uint64_t align;
	/* The shared part is that of a value `origin` (NULL: no matter), shifted right by so many bits, plus a number.
	 */
	LLVMValueRef origin;
	unsigned shifted;
	int64_t carried;
	unsigned bits;
	bool exact, exact_unsigned, exact_signed, positive;
};

/* The value of a polynomial that has no unknowns but the block's dimensions, where these are known. */
bool hd_coalescing_factor(const struct hd_coalescing *report, uint32_t poly, int64_t *value);
/* Widens the access's bounds by what the pattern makes of them. False: nothing is known. */
bool hd_coalescing_count(const struct hd_pattern *pattern, struct hd_meta_access *access);
/* The least change of the rows with which conflicts are gone, in bytes; 0: there is none. */
int32_t hd_coalescing_row_step(const struct hd_coalescing *report, const struct hd_affine_value *linear,
			       const struct hd_meta_access *access);

/* lane_patterns.c. Results of operations are to be normalised; operands are. */
void hd_pattern_normalise(struct hd_pattern *pattern);
/* The number in all lanes. */
struct hd_pattern hd_pattern_number(int64_t value, unsigned bits);
bool hd_pattern_is_number(const struct hd_pattern *pattern);
/* Something that all lanes share. */
struct hd_pattern hd_pattern_shared(unsigned bits, uint64_t align);
/* False: what the lanes have is not known. */
void hd_pattern_add(const struct hd_pattern *a, const struct hd_pattern *b, bool minus, struct hd_flags flags,
		    struct hd_pattern *out);
bool hd_pattern_multiply(const struct hd_pattern *a, const struct hd_pattern *b, struct hd_flags flags,
			 struct hd_pattern *out);
bool hd_pattern_bits(LLVMOpcode op, struct hd_pattern a, struct hd_pattern b, struct hd_pattern *out);
bool hd_pattern_shift_left(const struct hd_pattern *a, const struct hd_pattern *by, struct hd_flags flags,
			   struct hd_pattern *out);
bool hd_pattern_shift_right(const struct hd_pattern *a, const struct hd_pattern *by, bool is_signed,
			    struct hd_pattern *out);
bool hd_pattern_extend(const struct hd_pattern *a, unsigned bits, bool is_signed, struct hd_pattern *out);
/* The same for an index of memory, which does not wrap around between lanes. */
bool hd_pattern_extend_index(const struct hd_pattern *a, unsigned bits, bool is_signed, struct hd_pattern *out);
void hd_pattern_truncate(struct hd_pattern *pattern, unsigned bits);
void hd_pattern_resize_pointer(struct hd_pattern *pattern, unsigned bits);
/* The low bits as a signed number. */
int64_t hd_signed_number(uint64_t value, unsigned bits);
/* Splits the groups where lanes have different numbers. */
void hd_pattern_split(struct hd_pattern *pattern, const int64_t number[HD_LANES]);
/* All lanes share one part. */
static inline bool hd_pattern_is_shared(const struct hd_pattern *pattern)
{
	for (unsigned lane = 1; lane < HD_LANES; lane++)
		if (pattern->group[lane])
			return false;
	return true;
}

/* The pattern of a linear value. */
void hd_coalescing_lay_out(const struct hd_coalescing *report, const struct hd_affine_value *value,
			   const struct hd_lanes *lanes, struct hd_pattern *pattern);
/* lane_values.c: the pattern of any value as it is read in the block. */
bool hd_lane_values(struct hd_coalescing *report, const struct hd_lanes *lanes, LLVMValueRef value,
		    LLVMBasicBlockRef block, struct hd_pattern *pattern);

#endif
