/* Energy: what each event costs, worked out by hand, and what passes with time. */
#include "harness.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "heddle/config.h"
#include "heddle/machine.h"
#include "runtime/gpu/figures.h"
#include "runtime/gpu/power.h"
#include "runtime/sm/energy.h"
#include "runtime/sm/keys.h"
#include "runtime/sm/sm.h"

static struct hd_config config;
static struct hd_counters counters;
static struct hd_power power;

/* Picojoules that are told apart by their digits, so that one key in place of another shows. */
static void set_up(void)
{
	hd_config_defaults(&config);
	memset(&counters, 0, sizeof counters);
	config.pj_reg_read = 14;
	config.pj_reg_write = 21;
	config.pj_collector = 3;
	config.pj_operand_crossbar = 5;
	config.pj_int = 255;
	config.pj_fp32 = 150;
	config.pj_fp64 = 1000;
	config.pj_sfu = 600;
	config.pj_tensor = 7;
	config.pj_tensor_int = 2;
	config.pj_issue = 320;
	config.pj_shared = 1250;
	config.pj_l1 = 1400;
	config.pj_constant = 175;
	config.pj_texel = 10;
	config.pj_l2 = 800;
	config.pj_icnt = 200;
	config.pj_dram = 1100;
	config.pj_dram_act = 909;
	config.sector = 32;
}

#define COUNTER(name) offsetof(struct hd_counters, name)

static void set(size_t counter, uint64_t value)
{
	*(uint64_t *)((char *)&counters + counter) = value;
}

/* A thousand of each event alone: picojoules of one, in nanojoules, of which unit; a lane of a register is a 32nd. */
START_TEST(each_event_has_its_price)
{
	static const struct {
		size_t counter;
		enum hd_power_part part;
		double pj;
	} rows[] = {
		{COUNTER(warp_instructions), HD_POWER_issue, 320},
		{COUNTER(int_instructions), HD_POWER_integer, 255},
		{COUNTER(lsu_instructions), HD_POWER_integer, 255},
		{COUNTER(control_instructions), HD_POWER_integer, 255},
		{COUNTER(fp32_instructions), HD_POWER_fp32, 150},
		{COUNTER(fp64_instructions), HD_POWER_fp64, 1000},
		{COUNTER(sfu_instructions), HD_POWER_sfu, 600},
		{COUNTER(tensor_products), HD_POWER_tensor, 7},
		{COUNTER(tensor_int_products), HD_POWER_tensor, 2},
		{COUNTER(bank_writes), HD_POWER_registers, 21},
		{COUNTER(bank_lane_reads), HD_POWER_registers, 14.0 / 32},
		{COUNTER(bank_lane_writes), HD_POWER_registers, 21.0 / 32},
		{COUNTER(register_reads), HD_POWER_operands, 3}, /* out of its collector */
		{COUNTER(shared_cycles), HD_POWER_shared, 1250},
		{COUNTER(l1d_accesses), HD_POWER_l1, 1400},
		{COUNTER(constant_passes), HD_POWER_l1, 175},
		{COUNTER(texture_texels), HD_POWER_l1, 10},
		{COUNTER(l2_accesses), HD_POWER_l2, 800},
		{COUNTER(icnt_flits_up), HD_POWER_crossbar, 200},
		{COUNTER(icnt_flits_down), HD_POWER_crossbar, 200},
		{COUNTER(dram_reads), HD_POWER_dram, 1100},
		{COUNTER(dram_writes), HD_POWER_dram, 1100},
		{COUNTER(dram_activations), HD_POWER_dram, 909},
	};
	for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
		memset(&counters, 0, sizeof counters);
		set(rows[row].counter, 1000);
		hd_power_compute(&power, &counters, &config);
		for (uint32_t part = 0; part < HD_POWER_COUNT; part++) {
			double expected = part == rows[row].part ? 1e-9 * rows[row].pj : 0;
			ck_assert_msg(fabs(power.joules[part] - expected) < 1e-15, "row %zu: %g J of %s", row,
				      power.joules[part], hd_power_name((enum hd_power_part)part));
		}
		ck_assert_double_eq_tol(hd_power_dynamic(&power), 1e-9 * rows[row].pj, 1e-15);
		ck_assert_double_eq_tol(hd_power_total(&power), 1e-9 * rows[row].pj, 1e-15);
	}
}
END_TEST

/* A read of a bank takes the bank's 14 pJ, the crossbar's 5 and the collector's 3, into which it is written. */
START_TEST(a_bank_read_goes_to_a_collector)
{
	counters.bank_reads = 1000;
	hd_power_compute(&power, &counters, &config);
	ck_assert_double_eq_tol(power.joules[HD_POWER_registers], 14e-9, 1e-15);
	ck_assert_double_eq_tol(power.joules[HD_POWER_operands], 5e-9 + 3e-9, 1e-15);
	ck_assert_double_eq_tol(hd_power_dynamic(&power), 22e-9, 1e-15);
}
END_TEST

/*
 * 4 SMs for 2,000,000 cycles at 1000 MHz, 2 ms: 8,000,000 cycles of SMs, 3,000,000 of them with a warp. 30 W of the
 * board for 2 ms, 0.5 W for 3 ms of SMs, 0.25 W for the other 5 ms.
 */
START_TEST(time_costs_by_what_sms_have)
{
	config.core_mhz = 1000;
	config.sm_count = 4;
	config.constant_watts = 30;
	config.static_sm_watts = 0.5;
	config.idle_sm_watts = 0.25;
	counters.cycles = 2000000;
	counters.active_sm_cycles = 3000000;
	hd_power_compute(&power, &counters, &config);
	ck_assert_double_eq_tol(power.joules[HD_POWER_constant], 0.06, 1e-12);
	ck_assert_double_eq_tol(power.joules[HD_POWER_static], 0.0015, 1e-12);
	ck_assert_double_eq_tol(power.joules[HD_POWER_idle], 0.00125, 1e-12);
	ck_assert_double_eq_tol(hd_power_dynamic(&power), 0, 1e-15);
	ck_assert_double_eq_tol(hd_power_total(&power), 0.06275, 1e-12);
}
END_TEST

START_TEST(parts_are_added_and_taken_away)
{
	struct hd_power sum = {{0}};
	for (uint32_t i = 0; i < HD_POWER_COUNT; i++)
		power.joules[i] = 1 + i;
	hd_power_add(&sum, &power);
	hd_power_add(&sum, &power);
	for (uint32_t i = 0; i < HD_POWER_COUNT; i++)
		ck_assert_double_eq(sum.joules[i], 2 * (1 + i));
	hd_power_subtract(&sum, &power);
	for (uint32_t i = 0; i < HD_POWER_COUNT; i++)
		ck_assert_double_eq(sum.joules[i], 1 + i);
	/* 1 to 16; static, idle and constant are the last three */
	ck_assert_double_eq(hd_power_total(&sum), 0.5 * 16 * 17);
	ck_assert_double_eq(hd_power_dynamic(&sum), 0.5 * 13 * 14);
}
END_TEST

/* What a policy moves: 10 of each; 320 and 640 bytes are 10 and 20 sectors of L2. */
START_TEST(transfers_have_their_price)
{
	counters.transfer_register_reads = 10;
	ck_assert_double_eq_tol(hd_power_transfers(&counters, &config), 140e-12, 1e-18);
	counters.transfer_register_writes = 10;
	ck_assert_double_eq_tol(hd_power_transfers(&counters, &config), (140 + 210) * 1e-12, 1e-18);
	counters.transfer_shared_cycles = 10;
	ck_assert_double_eq_tol(hd_power_transfers(&counters, &config), (350 + 12500) * 1e-12, 1e-18);
	counters.transfer_flits = 10;
	ck_assert_double_eq_tol(hd_power_transfers(&counters, &config), (12850 + 2000) * 1e-12, 1e-18);
	counters.transfer_bytes_out = 320;
	counters.transfer_bytes_in = 640;
	ck_assert_double_eq_tol(hd_power_transfers(&counters, &config), (14850 + 24000) * 1e-12, 1e-18);
	counters.transfer_misses = 10;
	ck_assert_double_eq_tol(hd_power_transfers(&counters, &config), (38850 + 11000) * 1e-12, 1e-18);
	counters.transfer_register_reads = (uint64_t)-10;
	counters.transfer_bytes_in = (uint64_t)-640; /* -10 sectors with those out */
	ck_assert_double_eq_tol(hd_power_transfers(&counters, &config), (49850 - 2 * 140 - 24000 - 8000) * 1e-12,
				1e-18);
}
END_TEST

/* Rows of policies: 3 times 2 pJ, 5 times 10 and 7 times 100, and what each SM has counted of a grid is taken once. */
START_TEST(policies_have_rows_of_their_own)
{
	static struct hd_gpu gpu;
	static uint64_t lsu; /* with one an SM is built */
	static struct hd_sm sms[2] = {{.lsu = (struct hd_lsu *)&lsu}, {.lsu = (struct hd_lsu *)&lsu}};
	struct hd_sm *both[] = {&sms[0], &sms[1]};
	static const struct hd_policy_energy rows[3] = {{.pj = 2}, {.pj = 10}, {.pj = 100}};
	const struct hd_grid grid = {.slot = 1};
	uint64_t events[HD_MAX_ENERGY];
	gpu.energy_count = 3;
	gpu.sms = both;
	gpu.sm_count = 2;
	for (uint32_t row = 0; row < 3; row++) {
		gpu.energy[row] = rows[row];
		sms[0].policy_spent[1][row] = 1 + row;
		sms[1].policy_spent[1][row] = 2 + row;
		sms[1].policy_spent[0][row] = 100; /* another grid's */
	}
	hd_energy_take(&gpu, &grid, events);
	ck_assert_uint_eq(events[0], 3);
	ck_assert_uint_eq(events[1], 5);
	ck_assert_uint_eq(events[2], 7);
	ck_assert_double_eq_tol(hd_energy_joules(&gpu, events), 756e-12, 1e-18);
	hd_energy_take(&gpu, &grid, events);
	ck_assert_uint_eq(events[0] + events[1] + events[2], 0);
	for (uint32_t row = 0; row < 3; row++)
		ck_assert_uint_eq(gpu.spent[row], 3 + 2 * row); /* the run's */
}
END_TEST

/* 16 rows of energy and 64 settings of all policies together have room, and no more. */
START_TEST(rows_of_policies_have_an_end)
{
	static struct hd_policy_energy rows[HD_MAX_ENERGY + 1];
	static struct hd_policy_setting settings[HD_MAX_SETTINGS + 1];
	static struct hd_gpu gpu;
	struct hd_policy_hooks costs = {.energy = rows}, tuned = {.settings = settings};
	struct hd_policy policy = {.name = "probe"};
	struct hd_diag silent = hd_diag_silent();
	gpu.config = &config;
	for (uint32_t i = 0; i < HD_MAX_ENERGY; i++)
		rows[i].name = "event";
	for (uint32_t i = 0; i < HD_MAX_SETTINGS; i++)
		settings[i].name = "setting";
	struct hd_policy_handle first = {.policy = &policy, .hooks = &costs},
				other = {.policy = &policy, .hooks = &tuned};
	ck_assert_int_eq(hd_keys_take(&gpu, &first, NULL, &silent), 0);
	ck_assert_int_eq(hd_keys_take(&gpu, &other, NULL, &silent), 0);
	rows[1].name = settings[1].name = NULL; /* one more of each */
	ck_assert_int_eq(hd_keys_take(&gpu, &first, NULL, &silent), -1);
	ck_assert_int_eq(hd_keys_take(&gpu, &other, NULL, &silent), -1);
	ck_assert_uint_eq(gpu.energy_count, HD_MAX_ENERGY);
	ck_assert_uint_eq(gpu.setting_count, HD_MAX_SETTINGS);
}
END_TEST

/* Joules, and the dynamic part by unit: a key for each part, in one place; policies' own are in the sums. */
START_TEST(figures_have_each_part_once)
{
	static const struct hd_stats nothing;
	struct hd_gpu gpu = {.config = &config};
	for (uint32_t i = 0; i < HD_POWER_COUNT; i++)
		power.joules[i] = 1 + i;
	json_t *object = json_object();
	hd_figures_json(object, &gpu, &nothing, &power, 1000);
	const json_t *units = json_object_get(object, "energy");
	ck_assert_uint_eq(json_object_size(units), HD_POWER_static);
	ck_assert_double_eq(json_real_value(json_object_get(object, "energy_joules")), 1136);
	ck_assert_double_eq(json_real_value(json_object_get(object, "dynamic_joules")), 1091);
	ck_assert_double_eq(json_real_value(json_object_get(object, "static_joules")), 14);
	ck_assert_double_eq(json_real_value(json_object_get(object, "idle_joules")), 15);
	ck_assert_double_eq(json_real_value(json_object_get(object, "constant_joules")), 16);
	ck_assert_double_eq(json_real_value(json_object_get(units, "issue")), 1);
	ck_assert_double_eq(json_real_value(json_object_get(units, "dram")), 13);
	json_decref(object);
}
END_TEST

struct walk {
	json_t *object;	       /* the same figures */
	json_t *group, *value; /* where it is: in the object, and in a group of it */
	void *at, *in;
	uint32_t count, reals;
};

/* The next number of the object, those of objects in it included. */
static const char *next_key(struct walk *walk, const char **group)
{
	if (walk->in)
		walk->in = json_object_iter_next(walk->group, walk->in);
	if (!walk->in) {
		walk->at = walk->at ? json_object_iter_next(walk->object, walk->at) : json_object_iter(walk->object);
		walk->group = json_object_iter_value(walk->at);
		walk->in = json_object_iter(walk->group);
	}
	*group = walk->in ? json_object_iter_key(walk->at) : NULL;
	walk->value = walk->in ? json_object_iter_value(walk->in) : walk->group;
	return json_object_iter_key(walk->in ? walk->in : walk->at);
}

static void check_key(struct walk *walk, const char *group, const char *key)
{
	const char *owner;
	ck_assert_str_eq(next_key(walk, &owner), key);
	ck_assert_str_eq(owner ? owner : "", group ? group : "");
	walk->count++;
}

static void check_count(void *context, const char *group, const char *key, uint64_t value)
{
	struct walk *walk = context;
	check_key(walk, group, key);
	ck_assert(json_is_integer(walk->value));
	ck_assert_uint_eq(json_integer_value(walk->value), value);
}

static void check_real(void *context, const char *group, const char *key, double value)
{
	struct walk *walk = context;
	check_key(walk, group, key);
	ck_assert_double_eq(json_real_value(walk->value), value);
	walk->reals++;
}

/* Records have no keys but their places, which are those of the object's numbers (runtime/sim/lines.c). */
START_TEST(figures_have_the_order_of_their_keys)
{
	for (int functional = 0; functional < 2; functional++) {
		struct hd_stats stats;
		struct hd_gpu gpu = {.config = &config, .functional = functional ? (void *)&gpu : NULL};
		uint64_t *all = (void *)&stats;
		for (uint32_t i = 0; i < sizeof stats / sizeof *all; i++)
			all[i] = 1000 + i;
		for (uint32_t i = 0; i < HD_POWER_COUNT; i++)
			power.joules[i] = 1 + i;
		struct walk walk = {.object = json_object()};
		const struct hd_figure_sink sink = {check_count, check_real, &walk, NULL};
		hd_figures_json(walk.object, &gpu, &stats, &power, 1000);
		hd_figures_each(&gpu, &stats, &power, 1000, &sink);
		ck_assert_uint_gt(walk.count, 40);
		ck_assert_uint_eq(walk.reals, functional ? 0 : 2 + HD_POWER_COUNT + 2);
		ck_assert_ptr_null(json_object_iter_next(walk.object, walk.at));
		json_decref(walk.object);
	}
}
END_TEST

Suite *hd_suite(void)
{
	const TTest *const tests[] = {
		each_event_has_its_price,
		a_bank_read_goes_to_a_collector,
		time_costs_by_what_sms_have,
		parts_are_added_and_taken_away,
		transfers_have_their_price,
		policies_have_rows_of_their_own,
		rows_of_policies_have_an_end,
		figures_have_each_part_once,
		figures_have_the_order_of_their_keys,
		NULL,
	};
	return hd_suite_with("power", tests, set_up, NULL);
}
