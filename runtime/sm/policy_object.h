/*
 * Policies in shared objects of their own: `--policy ./mine.so`, `--policy ./mine.so:parameter+cars`. The object is
 * built against the installed headers, of which this is the one that it includes (docs/add-a-policy.md), and calls what
 * is marked HD_API in them. It has one HD_POLICY_OBJECT.
 *
 * What a policy sees of the engine is the engine's own structures, so an object fits the Heddle with whose headers it
 * was built: the number below and the sizes of these structures are held against this Heddle's when it is loaded.
 */
#ifndef HD_RUNTIME_SM_POLICY_OBJECT_H
#define HD_RUNTIME_SM_POLICY_OBJECT_H

#include "heddle/config.h"
#include "heddle/figures.h"
#include "heddle/opcodes.h"
#include "heddle/version.h"
#include "runtime/sm/calendar.h"
#include "runtime/sm/counts.h"
#include "runtime/sm/policy_space.h"
#include "runtime/sm/sm.h"

/* Counts changes that the sizes do not show. */
#define HD_POLICY_INTERFACE 2

#define HD_POLICY_STRUCTS(X)                                                                                    \
	X(hd_policy) X(hd_policy_hooks) X(hd_policy_handle) X(hd_gpu) X(hd_sm) X(hd_cta) X(hd_warp) X(hd_grid)  \
	X(hd_dinst) X(hd_effect) X(hd_collector) X(hd_regfile) X(hd_scheduler) X(hd_config) X(hd_counters) \
	X(hd_meta_function)
enum {
#define X(name) HD_POLICY_STRUCT_##name,
	HD_POLICY_STRUCTS(X)
#undef X
		HD_POLICY_STRUCT_COUNT
};

/* What the object shows as hd_policy_object. The first three are the same in every version. */
struct hd_policy_object {
	uint32_t interface, struct_count;
	const char *version; /* HD_VERSION of its headers */
	uint32_t sizes[HD_POLICY_STRUCT_COUNT];
	struct hd_policy policy;
};

#define HD_POLICY_SIZE(name) sizeof(struct name),
/* Once in an object, with the fields of its struct hd_policy. */
#define HD_POLICY_OBJECT(...)                                                      \
	extern HD_API const struct hd_policy_object hd_policy_object;              \
	const struct hd_policy_object hd_policy_object = {HD_POLICY_INTERFACE,     \
							  HD_POLICY_STRUCT_COUNT,  \
							  HD_VERSION,              \
							  {HD_POLICY_STRUCTS(HD_POLICY_SIZE)}, \
							  {__VA_ARGS__}}

/* Whether an item of --policy, without its parameter, is the path of an object. */
bool hd_policy_is_path(const char *name, size_t length);

#endif
