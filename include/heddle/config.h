/*
 * Configuration of a simulated GPU, made from config.def.
 */
#ifndef HEDDLE_CONFIG_H
#define HEDDLE_CONFIG_H

#include <stdint.h>
#include <stdio.h>

#include "lib/api.h"
#include "lib/diag.h"

/* A key of a policy: in section `[policy NAME]` of an .ini, or "NAME.key=value" (struct hd_policy_energy, struct
 * hd_policy_setting). */
#define HD_POLICY_KEYS 64
struct hd_policy_key {
	char policy[32], key[48];
	double value;
};

struct hd_config {
	char name[64];	   /* "v100" */
	char product[128]; /* cudaDeviceProp.name */
#define HD_CONFIG_INT(key, value, min, max, unit, help) uint64_t key;
#define HD_CONFIG_REAL(key, value, min, max, unit, help) double key;
#define HD_CONFIG_ENUM(key, value, names, help) uint64_t key;
#include "heddle/config.def"
#undef HD_CONFIG_INT
#undef HD_CONFIG_REAL
#undef HD_CONFIG_ENUM
	struct hd_policy_key policy_keys[HD_POLICY_KEYS];
	uint32_t policy_key_count;
};

enum { HD_SCHED_GTO, HD_SCHED_LRR, HD_SCHED_TWO_LEVEL, HD_SCHED_CGGTY };
enum { HD_MISS_NO, HD_MISS_YES, HD_MISS_LOADS };
enum { HD_WGMMA_PORTS_FREE, HD_WGMMA_PORTS_SHARED };
enum { HD_OPERANDS_COLLECTORS, HD_OPERANDS_MODERN, HD_OPERANDS_ACCELSIM };
enum { HD_CORE_SCOREBOARD, HD_CORE_MODERN };
enum { HD_MEMORY_EXACT, HD_MEMORY_RESERVED };
enum { HD_ICNT_INPUTS_FIFO, HD_ICNT_INPUTS_BY_OUTPUT };
enum { HD_DRAM_WRITES_APART, HD_DRAM_WRITES_MIXED };
enum { HD_DRAM_REFRESH_ALL, HD_DRAM_REFRESH_BANK };
enum { HD_DRAM_MAP_GROUPS, HD_DRAM_MAP_ROWS };
enum { HD_IMAD_INT, HD_IMAD_FP32 };
enum { HD_PARTIAL_FETCHED, HD_PARTIAL_KEPT };
enum { HD_L1_WRITE_THROUGH, HD_L1_WRITE_BACK, HD_L1_WRITE_ALLOCATE };

void hd_config_defaults(struct hd_config *config);
/* Loads runtime/gpus/<gpu>.ini (next to the running program, in HEDDLE_DATA, or a path ending in .ini). "gpu:name"
 * also applies its section [variant name]. An unknown GPU, variant or key is an error with the nearest names.
 * Returns 0 or -1. */
int hd_config_load(struct hd_config *config, const char *gpu, struct hd_diag *diag);
/* Applies "key=value". Returns 0 or -1. */
HD_API int hd_config_set(struct hd_config *config, const char *assignment, struct hd_diag *diag);
/* Checks keys against each other (slices a multiple of channels, powers of two where indexing needs them, ...).
 * Returns 0 or -1. */
int hd_config_check(const struct hd_config *config, struct hd_diag *diag);
/* Returns the data folder ("share/heddle"). The caller frees it. */
char *hd_data_dir(void);
/* Returns the names of all GPUs with an .ini, sorted: a NULL-terminated array. The caller frees array and names. Where
 * their folder cannot be read: NULL behind an error, without diag an empty array. */
char **hd_config_gpus(struct hd_diag *diag);

#endif
