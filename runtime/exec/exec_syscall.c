/*
 * Functional execution: runtime services, lane by lane in lane order. Arguments stand in registers
 * from R4 up as the ABI passes them, 64-bit values in aligned pairs.
 *
 *   vprintf(R4:5 format, R6:7 arguments) -> R4    arguments packed as CUDA packs them
 *   __assertfail(R4:5 message, R6:7 file, R8 line, R10:11 function, R12:13 char size)
 *   malloc(R4:5 bytes) -> R4:5                    free(R4:5 address)
 */
#include <ctype.h>
#include <stdio.h>

#include "lib/machine/abi.h"
#include "lib/strbuf.h"
#include "runtime/exec/exec.h"
#include "runtime/exec/heap.h"

/* ---- arguments: a function that leaves one undefined may have no such register */

static uint32_t argument32(const struct hd_warp *warp, uint32_t reg, uint32_t lane)
{
	return reg < warp->cta->grid->register_rows ? warp->regs[reg][lane] : 0;
}
static uint64_t argument64(const struct hd_warp *warp, uint32_t reg, uint32_t lane)
{
	return argument32(warp, reg, lane) | (uint64_t)argument32(warp, reg + 1, lane) << 32;
}
static void set_result(const struct hd_warp *warp, uint32_t reg, uint32_t lane, uint32_t value)
{
	if (reg < warp->cta->grid->register_rows)
		warp->regs[reg][lane] = value;
}

/* ---- reading the thread's memory */

/* Appends the string at a generic address; false when it runs out of readable memory. */
static bool append_string(struct hd_exec *exec, uint32_t lane, uint64_t address, struct hd_strbuf *to)
{
	uint64_t room;
	const uint8_t *text = hd_exec_readable(exec, lane, address, &room);
	const uint8_t *end = text ? memchr(text, 0, room) : NULL;
	if (!end)
		return false;
	hd_strbuf_append_bytes(to, text, (size_t)(end - text));
	return true;
}

struct arguments {
	struct hd_exec *exec;
	uint32_t lane;
	uint64_t next;
	uint32_t count;
	bool bad;
};

static uint64_t next_argument(struct arguments *from, unsigned bytes)
{
	uint64_t value = 0, room;
	from->next = (from->next + bytes - 1) & ~(uint64_t)(bytes - 1);
	const uint8_t *host = hd_exec_readable(from->exec, from->lane, from->next, &room);
	if (host && room >= bytes)
		memcpy(&value, host, bytes);
	else
		from->bad = true;
	from->next += bytes;
	from->count++;
	return value;
}

/* ---- vprintf */

struct conversion {
	char text[64]; /* as the host's printf wants it */
	size_t len;
	bool wide; /* 8-byte integer */
	char letter;
};

static void put(struct conversion *to, char c)
{
	if (to->len + 1 < sizeof(to->text))
		to->text[to->len++] = c;
}

/* Digits, or '*' for an argument; widths beyond 4095 are cut. */
static const char *parse_number(const char *at, struct conversion *to, struct arguments *arguments)
{
	char digits[16];
	unsigned number = 0;
	if (*at == '*') {
		int32_t value = (int32_t)next_argument(arguments, 4);
		if (value < 0)
			put(to, '-');
		number = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
		at++;
	} else if (!isdigit((unsigned char)*at)) {
		return at;
	}
	for (; isdigit((unsigned char)*at); at++)
		number = number < 100000 ? number * 10 + (unsigned)(*at - '0') : number;
	snprintf(digits, sizeof(digits), "%u", number < 4095 ? number : 4095);
	for (const char *digit = digits; *digit; digit++)
		put(to, *digit);
	return at;
}

/* `at` is behind the '%'. Returns where the conversion ends. */
static const char *parse_conversion(const char *at, struct conversion *to, struct arguments *arguments)
{
	*to = (struct conversion){0};
	put(to, '%');
	while (*at && strchr("-+ #0", *at) && to->len < 16)
		put(to, *at++);
	at = parse_number(at, to, arguments);
	if (*at == '.') {
		put(to, *at++);
		at = parse_number(at, to, arguments);
	}
	/* Lengths matter for integers alone: h and hh narrow what was passed as int; l, ll, z, j and t are 8 bytes. */
	const char *length = at;
	at += strspn(at, "hlzjtLq");
	to->letter = *at;
	if (*at && strchr("diouxX", *at)) {
		to->wide = length < at && *length != 'h';
		for (unsigned i = 0; i < 2 && (to->wide || (length + i < at && length[i] == 'h')); i++)
			put(to, to->wide ? 'l' : 'h');
	}
	put(to, *at);
	return *at ? at + 1 : at;
}

static void print_string(struct arguments *arguments, const struct conversion *conversion, struct hd_strbuf *out)
{
	uint64_t address = next_argument(arguments, 8);
	struct hd_strbuf text = {0};
	if (!address) { /* "(null)", or nothing where that is cut off, says the C library */
		hd_strbuf_printf(out, conversion->text, (const char *)NULL);
		return;
	}
	if (!append_string(arguments->exec, arguments->lane, address, &text))
		arguments->bad = true;
	hd_strbuf_printf(out, conversion->text, hd_strbuf_text(&text));
	hd_strbuf_release(&text);
}

/* The format has been rebuilt from what was recognised, so it fits its argument. */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wformat-nonliteral"
static void print_conversion(struct arguments *arguments, struct conversion *conversion, struct hd_strbuf *out)
{
	uint64_t bits;
	double real;
	switch (conversion->letter) {
	case '%': hd_strbuf_append(out, conversion->len > 2 ? conversion->text : "%"); break; /* %5% is itself */
	case 'd':
	case 'i':
		bits = next_argument(arguments, conversion->wide ? 8 : 4);
		if (conversion->wide)
			hd_strbuf_printf(out, conversion->text, (long long)bits);
		else
			hd_strbuf_printf(out, conversion->text, (int)(uint32_t)bits);
		break;
	case 'u':
	case 'o':
	case 'x':
	case 'X':
		bits = next_argument(arguments, conversion->wide ? 8 : 4);
		if (conversion->wide)
			hd_strbuf_printf(out, conversion->text, (unsigned long long)bits);
		else
			hd_strbuf_printf(out, conversion->text, (unsigned)bits);
		break;
	case 'c':
		bits = next_argument(arguments, 4);
		hd_strbuf_printf(out, conversion->text, (int)(uint32_t)bits);
		break;
	case 'e':
	case 'E':
	case 'f':
	case 'F':
	case 'g':
	case 'G':
	case 'a':
	case 'A':
		bits = next_argument(arguments, 8);
		memcpy(&real, &bits, sizeof(real));
		hd_strbuf_printf(out, conversion->text, real);
		break;
	case 'p':
		bits = next_argument(arguments, 8);
		hd_strbuf_printf(out, conversion->text, (void *)(uintptr_t)bits);
		break;
	case 's': print_string(arguments, conversion, out); break;
	default: hd_strbuf_append(out, conversion->text); break;
	}
}
#pragma clang diagnostic pop

static FILE *output_of(const struct hd_gpu *gpu)
{
	return gpu->options.output ? gpu->options.output : stdout;
}

/* Returns the number of arguments, -1 without a format, or -2 when the thread's memory ended. */
static int print_lane(struct hd_exec *exec, uint32_t lane)
{
	const struct hd_warp *warp = exec->warp;
	uint64_t format_address = argument64(warp, hd_service_argument(HD_SYS_VPRINTF, 0), lane);
	struct arguments arguments = {.exec = exec,
				      .lane = lane,
				      .next = argument64(warp, hd_service_argument(HD_SYS_VPRINTF, 1), lane)};
	struct hd_strbuf format = {0}, out = {0};
	if (!format_address)
		return -1;
	int result = -2;
	if (append_string(exec, lane, format_address, &format)) {
		const char *at = hd_strbuf_text(&format);
		while (*at) {
			size_t plain = strcspn(at, "%");
			hd_strbuf_append_bytes(&out, at, plain);
			at += plain;
			if (!*at)
				break;
			struct conversion conversion;
			at = parse_conversion(at + 1, &conversion, &arguments);
			print_conversion(&arguments, &conversion, &out);
		}
		if (!arguments.bad) {
			if (!warp->cta->grid->mute)
				fwrite(hd_strbuf_text(&out), 1, out.len, output_of(exec->gpu));
			HD_TELL(exec->gpu, printed, exec->gpu, hd_strbuf_text(&out), out.len);
			result = (int)arguments.count;
		}
	}
	hd_strbuf_release(&format);
	hd_strbuf_release(&out);
	return result;
}

static int service_printf(struct hd_exec *exec)
{
	HD_FOR_LANES (lane, exec->mask) {
		int count = print_lane(exec, lane);
		if (count == -2) {
			HD_FAULT(exec, lane, HD_SIM_BAD_ADDRESS,
				 "printf: format or argument outside the thread's memory");
			return -1;
		}
		set_result(exec->warp, HD_ABI_FIRST_RESULT, lane, (uint32_t)count);
	}
	return 0;
}

/* ---- the others */

static int service_assert(struct hd_exec *exec)
{
	const struct hd_warp *warp = exec->warp;
	uint32_t lane = (uint32_t)__builtin_ctz(exec->mask);
	struct hd_strbuf text[3] = {{0}};
	static const uint8_t texts[] = {0, 1, 3};
	for (int i = 0; i < 3; i++)
		if (!append_string(exec, lane, argument64(warp, hd_service_argument(HD_SYS_ASSERTFAIL, texts[i]), lane),
				   &text[i]))
			hd_strbuf_append(&text[i], "?");
	const uint32_t *block = warp->cta->index;
	HD_FAULT(exec, lane, HD_SIM_ASSERT, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.",
		 hd_strbuf_text(&text[1]), argument32(warp, hd_service_argument(HD_SYS_ASSERTFAIL, 2), lane),
		 hd_strbuf_text(&text[2]), block[0], block[1], block[2], warp->tid[0][lane], warp->tid[1][lane],
		 warp->tid[2][lane], hd_strbuf_text(&text[0]));
	for (int i = 0; i < 3; i++)
		hd_strbuf_release(&text[i]);
	return -1;
}

static int service_malloc(struct hd_exec *exec)
{
	HD_FOR_LANES (lane, exec->mask) {
		uint64_t bytes = argument64(exec->warp, HD_ABI_FIRST_ARG, lane);
		uint64_t address = hd_heap_malloc(exec->gpu, bytes);
		HD_TELL(exec->gpu, heap_malloc, exec, lane, address, bytes);
		set_result(exec->warp, HD_ABI_FIRST_RESULT, lane, (uint32_t)address);
		set_result(exec->warp, HD_ABI_FIRST_RESULT + 1, lane, (uint32_t)(address >> 32));
	}
	return 0;
}

static int service_free(struct hd_exec *exec)
{
	HD_FOR_LANES (lane, exec->mask) {
		uint64_t address = argument64(exec->warp, HD_ABI_FIRST_ARG, lane);
		if (hd_heap_free(exec->gpu, address)) {
			HD_TELL(exec->gpu, heap_free, exec, address);
			continue;
		}
		HD_FAULT(exec, lane, HD_SIM_BAD_ADDRESS, "free of 0x%llx, which %s", (unsigned long long)address,
			 hd_heap_was_freed(exec->gpu, address) ? "was freed before" : "malloc did not return");
		return -1;
	}
	return 0;
}

int hd_exec_syscall(struct hd_exec *exec, const struct hd_dinst *inst)
{
	switch (inst->inst.x) {
	case HD_SYS_VPRINTF: return service_printf(exec);
	case HD_SYS_ASSERTFAIL: return service_assert(exec);
	case HD_SYS_MALLOC: return service_malloc(exec);
	case HD_SYS_FREE: return service_free(exec);
	default:
		HD_FAULT(exec, (uint32_t)__builtin_ctz(exec->mask), HD_SIM_BAD_CALL, "service %u does not exist",
			 inst->inst.x);
		return -1;
	}
}
