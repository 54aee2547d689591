/*
 * What a program's processes tell `heddle run` (reports.h). The other side is hd_cudart_report.
 *
 * Neither side waits for the other: what finds the pipe full goes to the file, and what is left running keeps the pipe
 * open.
 */
#include "tools/heddle/run/reports.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "heddle/object.h"
#include "lib/strbuf.h"

int run_reports_open(struct run_reports *reports, struct hd_diag *diag)
{
	int both[2];
	if (pipe(both))
		return hd_error(diag, HD_NOWHERE, "cannot start: %s", strerror(errno));
	*reports = (struct run_reports){both[0], both[1]};
	fcntl(both[0], F_SETFD, FD_CLOEXEC);
	fcntl(both[0], F_SETFL, O_NONBLOCK);
	fcntl(both[1], F_SETFL, O_WRONLY | O_NONBLOCK);
	return 0;
}

void run_reports_set(const struct run_reports *reports)
{
	char text[64];
	struct stat status = {0};
	fstat(reports->to, &status);
	snprintf(text, sizeof text, "%d:%ju:%ju", reports->to, (uintmax_t)status.st_dev, (uintmax_t)status.st_ino);
	setenv("HEDDLE_STATUS_FD", text, 1);
}

void run_reports_listen(struct run_reports *reports)
{
	close(reports->to);
	reports->to = -1;
}

static void add_file(const char *path, struct hd_strbuf *lines)
{
	struct hd_diag quiet = hd_diag_silent();
	uint8_t *bytes;
	size_t size;
	if (hd_read_file(path, &bytes, &size, &quiet))
		return;
	hd_strbuf_append_bytes(lines, bytes, size);
	free(bytes);
}

char *run_reports_take(struct run_reports *reports, const char *folder)
{
	struct hd_strbuf lines = {0};
	char piece[4096];
	for (ssize_t length; (length = read(reports->from, piece, sizeof piece));) {
		if (length < 0 && errno != EINTR)
			break;
		hd_strbuf_append_bytes(&lines, piece, length < 0 ? 0 : (size_t)length);
	}
	close(reports->from);
	DIR *dir = opendir(folder);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		const char *end = strrchr(entry->d_name, '.');
		if (!end || strcmp(end, ".report") != 0)
			continue;
		struct hd_strbuf path = {0};
		hd_strbuf_printf(&path, "%s/%s", folder, entry->d_name);
		add_file(hd_strbuf_text(&path), &lines);
		hd_strbuf_release(&path);
	}
	if (dir)
		closedir(dir);
	hd_strbuf_append(&lines, "");
	return hd_strbuf_detach(&lines);
}
