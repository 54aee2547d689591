/*
 * Functional device memory (devmem.c): one reserved range of the host, and the host's memory that it has adopted.
 */
#ifndef HD_RUNTIME_EXEC_DEVMEM_H
#define HD_RUNTIME_EXEC_DEVMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One reserved host range; sorted allocations. */
struct hd_devmem;
struct hd_devmem *hd_devmem_new(uint64_t bytes);
/* The same with another lowest address, a multiple of the page. */
struct hd_devmem *hd_devmem_new_at(uint64_t base, uint64_t bytes);
void hd_devmem_free(struct hd_devmem *memory);
int hd_devmem_alloc(struct hd_devmem *memory, uint64_t bytes, uint64_t align, uint64_t *address);
/* An allocation at this address: HD_SIM_NO_MEMORY where something is there already, or it cannot be one. */
int hd_devmem_place(struct hd_devmem *memory, uint64_t address, uint64_t bytes);
int hd_devmem_release(struct hd_devmem *memory, uint64_t address);
/* An allocation that is gone, but for its addresses: nothing else gets them, and it can be there again, zero. */
int hd_devmem_hide(struct hd_devmem *memory, uint64_t address);
void hd_devmem_show(struct hd_devmem *memory, uint64_t address, uint64_t bytes);
/* Host pointer for [address, +bytes) if it lies in one allocation, else NULL. */
void *hd_devmem_at(const struct hd_devmem *memory, uint64_t address, uint64_t bytes);
/* So many bytes of it without an address: a file that holds them, its size sealed. -1: errno says why, ENOMEM where
 * there are not so many. */
int hd_devmem_take(struct hd_devmem *memory, uint64_t bytes);
/* Closes the file. */
void hd_devmem_give(struct hd_devmem *memory, uint64_t bytes, int file);
uint64_t hd_devmem_free_bytes(const struct hd_devmem *memory);

/* The lowest device address. */
#ifndef HD_DEVICE_BASE /* builds for ThreadSanitizer define it (Makefile) */
#define HD_DEVICE_BASE UINT64_C(0x200000000000)
#endif
/* What hardware maps at once: accesses that leave an allocation, but not its pages, pass there. */
#define HD_DEVICE_PAGE (UINT64_C(2) << 20)
uint64_t hd_devmem_epoch(const struct hd_devmem *memory);
/* All ranges that were noted so far, in an epoch up to this one, are void. */
void hd_devmem_forget(struct hd_devmem *memory, uint64_t epoch);
/* Calls `visit` for each page, or piece of one, that may not be zero: of what the device has, wherever its allocations
 * are, and then of the host's memory that it has adopted. At most 4096 bytes each. */
typedef void hd_devmem_visitor(void *context, uint64_t address, const void *host, uint32_t bytes);
void hd_devmem_visit(const struct hd_devmem *memory, hd_devmem_visitor *visit, void *context);
/* Where such bytes are; NULL: nowhere. */
void *hd_devmem_page(const struct hd_devmem *memory, uint64_t address, uint64_t bytes);
/* Allocations by address, the host's own memory among them: false behind the last. */
bool hd_devmem_range(const struct hd_devmem *memory, uint32_t index, uint64_t *low, uint64_t *high, bool *adopted);
/* What is to be added to an address for the host's own; the same all over an allocation. */
uintptr_t hd_devmem_host(const struct hd_devmem *memory, uint64_t address);
/*
 * Memory of the host's that the device reaches under the same address, until it is dropped: HD_SIM_NO_MEMORY where
 * something else has these addresses. hd_devmem_release leaves it
 * alone.
 */
int hd_devmem_adopt(struct hd_devmem *memory, void *host, uint64_t bytes);
int hd_devmem_drop(struct hd_devmem *memory, void *host);
/* The allocation that contains the address: false when none does. */
bool hd_devmem_find(const struct hd_devmem *memory, uint64_t address, uint64_t *low, uint64_t *high);
/* The allocation nearest to the address: false when there is none. */
bool hd_devmem_nearest(const struct hd_devmem *memory, uint64_t address, uint64_t *low, uint64_t *high);

/* A pointer for the program to [address, +bytes), under the same address where that can be had. NULL: not in one
 * allocation. Valid until it is released. */
void *hd_devmem_share(struct hd_devmem *memory, uint64_t address, uint64_t bytes);
bool hd_devmem_is_shared(const struct hd_devmem *memory, uint64_t address);
/* Whether the address is one of those that the device's own allocations may get. */
bool hd_devmem_spans(const struct hd_devmem *memory, uint64_t address);
/* The last allocation that contained the address and was released: false when there was none, of the last thousands. */
bool hd_devmem_was_freed(const struct hd_devmem *memory, uint64_t address, uint64_t *low, uint64_t *high);
/* Host pointer to what lies at an address outside all allocations, but on the pages of one; NULL. */
void *hd_devmem_beside(const struct hd_devmem *memory, uint64_t address, uint64_t bytes);

#endif
