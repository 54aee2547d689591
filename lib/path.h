#ifndef HEDDLE_LIB_PATH_H
#define HEDDLE_LIB_PATH_H

/*
 * realpath(3) into memory of its own, which the caller frees. Returns NULL, with errno, for a path that leads to no
 * file. Ends the program where there is no memory (hd_out_of_memory): else a file would be taken for one that is not
 * there.
 */
char *hd_path_real(const char *path);

#endif
