/*
 * heddle run --record: see record.h. A recording is read before it is put at its place, so that what is there is
 * whole. Its slot follows from the file's name without folder and ending, by the same hash on each machine.
 */
#include "tools/heddle/run/record.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/hash.h"
#include "lib/recording.h"
#include "lib/strbuf.h"

uint32_t run_record_slot(const char *path, const char *slot)
{
	if (slot)
		return (uint32_t)strtoul(slot, NULL, 10);
	const char *name = strrchr(path, '/');
	name = name ? name + 1 : path;
	uint64_t hash = HD_HASH_TEXT;
	for (size_t i = 0; name[i] && name[i] != '.'; i++)
		hash = hd_hash_byte(hash, (uint8_t)name[i]);
	return (uint32_t)(hd_hash_mix(hash, 0) % HD_RECORDING_SLOTS);
}

int run_record_check(const char *path, const char *slot, struct hd_diag *diag)
{
	char *end = NULL;
	unsigned long number = slot ? strtoul(slot, &end, 10) : 0;
	if (slot && (end == slot || *end || *slot == '-' || number >= HD_RECORDING_SLOTS))
		return hd_error(diag, HD_NOWHERE, "--slot: expected a number from 0 to %d, not '%s'",
				HD_RECORDING_SLOTS - 1, slot);
	const char *slash = strrchr(path, '/');
	char *folder = slash ? hd_xstrdup(path) : hd_xstrdup(".");
	if (slash)
		folder[slash == path ? 1 : slash - path] = '\0';
	int status = access(folder, W_OK | X_OK)
			     ? hd_error(diag, HD_NOWHERE, "--record: cannot write %s: %s", path, strerror(errno))
			     : 0;
	free(folder);
	return status;
}

static bool is_recording(const char *name)
{
	const char *end = strrchr(name, '.');
	return end && !strcmp(end, ".run");
}

int run_record_take(const char *folder, const char *path, struct hd_diag *diag)
{
	struct hd_strbuf found = {0};
	unsigned count = 0;
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));)
		if (is_recording(entry->d_name) && !count++)
			hd_strbuf_printf(&found, "%s/%s", folder, entry->d_name);
	if (dir)
		closedir(dir);
	struct hd_recording recording;
	int status = -1;
	if (count != 1) {
		hd_error(diag, HD_NOWHERE,
			 "--record: %u processes of the program use the device, but a recording can hold only one",
			 count);
	} else {
		status = hd_recording_read(&recording, hd_strbuf_text(&found), diag);
		if (!status)
			status = hd_write_file(path, recording.bytes, recording.size, diag);
		hd_recording_release(&recording);
	}
	hd_strbuf_release(&found);
	return status;
}
