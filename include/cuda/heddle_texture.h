/*
 * What a texture or surface object is here: the address of this structure in device memory, which the runtime writes
 * and which the texture unit (runtime/exec/exec_texture.c) and the device functions of surface_indirect_functions.h
 * read. Behind the structure of a mipmapped array's first level those of its other levels follow.
 */
#ifndef HEDDLE_TEXTURE_H
#define HEDDLE_TEXTURE_H

struct hd_texture {
	unsigned long long self;  /* its own device address, of the first level: what has none here is no texture */
	unsigned long long base;  /* device address of the first element */
	unsigned long long pitch; /* bytes from row to row */
	unsigned long long slice; /* bytes from plane to plane or layer to layer */
	int size[3];              /* elements; planes or layers last; at least 1 */
	int channels;             /* of an element: 1 to 4 */
	int bits;                 /* of a channel: 8, 16 or 32 */
	int kind;                 /* enum cudaChannelFormatKind */
	int address_mode[3];      /* enum cudaTextureAddressMode */
	int linear;               /* filter */
	int normalized_read;
	int normalized_coords;
	float border[4];
	int levels; /* of a mipmapped array; else 1 */
	int linear_levels;
	float level_bias, first_level, last_level; /* bounds of the level that is fetched from */
	int surface; /* it is the descriptor of a surface object */
};

#endif
