/*
 * Writes and reads the heap's areas (image.h). They have the same addresses in each process, so that
 * pointers within them hold. Pointers to the simulator's own functions and constants, of which instructions and
 * policies have many, are moved with its code: a word of the simulator's state that is an address within that code is
 * one. What programs compute with lies in an area of its own (HD_STORE_CONTENT) and is left as it is.
 *
 * Cost: O(pages that were touched).
 */
#include "runtime/checkpoint/image.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "lib/store.h"
#include "lib/vec.h"

#define AT_ONCE 512u		       /* pages */
#define TOUCHED (UINT64_C(3) << 62)    /* of a page, in /proc/self/pagemap: in memory or swapped out */

struct run {
	uint64_t address, pages;
};
typedef HD_VEC(struct run) hd_runs;

struct area_head {
	uint32_t area, unused;
	uint64_t runs;
};

/* ---- the code */

struct search {
	uint64_t here;
	struct hd_image_code found;
};

static int look_at_object(struct dl_phdr_info *info, size_t size, void *context)
{
	struct search *search = context;
	uint64_t low = UINT64_MAX, high = 0;
	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
		if (segment->p_type != PT_LOAD)
			continue;
		uint64_t begin = info->dlpi_addr + segment->p_vaddr, end = begin + segment->p_memsz;
		low = begin < low ? begin : low;
		high = end > high ? end : high;
	}
	if (search->here < low || search->here >= high)
		return 0;
	search->found = (struct hd_image_code){low, high - low};
	return 1;
}

struct hd_image_code hd_image_code(void)
{
	struct search search = {.here = (uint64_t)(uintptr_t)hd_image_code};
	dl_iterate_phdr(look_at_object, &search);
	return search.found;
}

int hd_image_build(char text[HD_SHA256_TEXT])
{
	Dl_info here;
	uint8_t piece[65536];
	struct hd_sha256 hash;
	FILE *file = dladdr((const void *)hd_image_build, &here) ? fopen(here.dli_fname, "rbe") : NULL;
	if (!file)
		return -1;
	hd_sha256_init(&hash);
	for (size_t got; (got = fread(piece, 1, sizeof piece, file));)
		hd_sha256_add(&hash, piece, got);
	hd_sha256_finish(&hash, text);
	int status = ferror(file) ? -1 : 0;
	fclose(file);
	return status;
}

/* ---- writing */

static bool is_zero(const uint8_t *page)
{
	return !page[0] && memcmp(page, page + 1, HD_STORE_PAGE - 1) == 0;
}

static void add_page(hd_runs *runs, uint64_t address)
{
	struct run *last = runs->len ? &hd_vec_last(runs) : NULL;
	if (last && last->address + last->pages * HD_STORE_PAGE == address)
		last->pages++;
	else
		hd_vec_push(runs, (struct run){address, 1});
}

/* Pages that are not zero. Where the host does not say which were touched, each is looked at. */
static void find_runs(enum hd_store_area area, hd_runs *runs)
{
	uint64_t touched[AT_ONCE];
	int map = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	uint8_t *high = hd_store_high(area);
	for (uint8_t *low = hd_store_low(area); low < high; low += AT_ONCE * HD_STORE_PAGE) {
		uint64_t left = (uint64_t)(high - low) / HD_STORE_PAGE, count = left < AT_ONCE ? left : AT_ONCE;
		off_t at = (off_t)((uintptr_t)low / HD_STORE_PAGE * sizeof *touched);
		size_t bytes = count * sizeof *touched;
		bool known = map >= 0 && pread(map, touched, bytes, at) == (ssize_t)bytes;
		for (uint64_t i = 0; i < count; i++)
			if ((!known || touched[i] & TOUCHED) && !is_zero(low + i * HD_STORE_PAGE))
				add_page(runs, (uint64_t)(uintptr_t)(low + i * HD_STORE_PAGE));
	}
	if (map >= 0)
		close(map);
}

void hd_image_write(struct hd_entry_writer *writer)
{
	for (uint32_t area = HD_STORE_LASTING; area < HD_STORE_AREAS; area++) {
		hd_runs runs = {0};
		uint64_t bytes = sizeof(struct area_head);
		hd_store_unpoison(area);
		find_runs(area, &runs);
		for (uint32_t i = 0; i < runs.len; i++)
			bytes += sizeof(struct run) + runs.data[i].pages * HD_STORE_PAGE;
		hd_entry_begin(writer, HD_ENTRY_IMAGE, bytes);
		hd_entry_put(writer, &(struct area_head){.area = area, .runs = runs.len}, sizeof(struct area_head));
		for (uint32_t i = 0; i < runs.len; i++) {
			hd_entry_put(writer, &runs.data[i], sizeof(struct run));
			hd_entry_put(writer, (const void *)(uintptr_t)runs.data[i].address,
				     runs.data[i].pages * HD_STORE_PAGE);
		}
		hd_vec_release(&runs);
	}
}

/* ---- reading */

static void move_code(const struct run *run, const struct hd_image_code *then, const struct hd_image_code *now)
{
	uint64_t *word = (uint64_t *)(uintptr_t)run->address, *end = word + run->pages * HD_STORE_PAGE / sizeof *word;
	for (; word < end; word++)
		if (*word - then->base < then->bytes)
			*word += now->base - then->base;
}

static int read_area(struct hd_entry_reader *reader, const struct hd_image_code *then, const struct hd_image_code *now)
{
	struct area_head head;
	struct run run;
	if (hd_entry_get(reader, &head, sizeof head) || head.area < HD_STORE_LASTING || head.area >= HD_STORE_AREAS ||
	    hd_store_clear(head.area))
		return -1;
	for (uint64_t i = 0; i < head.runs; i++) {
		if (hd_entry_get(reader, &run, sizeof run) || !hd_store_has((void *)(uintptr_t)run.address) ||
		    hd_entry_get(reader, (void *)(uintptr_t)run.address, run.pages * HD_STORE_PAGE))
			return -1;
		if (head.area != HD_STORE_CONTENT && then->base != now->base)
			move_code(&run, then, now);
	}
	return 0;
}

int hd_image_read(struct hd_entry_reader *reader, const struct hd_image_code *then)
{
	struct hd_image_code now = hd_image_code();
	for (uint32_t area = HD_STORE_LASTING; area < HD_STORE_AREAS; area++) {
		enum hd_entry_kind kind;
		uint64_t bytes;
		if (hd_entry_next(reader, &kind, &bytes) || kind != HD_ENTRY_IMAGE || read_area(reader, then, &now))
			return -1;
	}
	return 0;
}
