/*
 * svr: what library.cu has for main.cu. Support vector regression in classes on top of each other, as layered libraries
 * have it; every member is a call. From the top: Trainer, Proximal, Dual, Residual, Model, Expansion (three calls),
 * Kernel, Distance, Sum, Block, Term, Samples, View.
 */
#ifndef SVR_H
#define SVR_H

#include "../view.h"

#define BLOCK_FEATURES 4
#define BLOCK_VECTORS 8

struct Samples {
	View<float> values; /* a row each */
	FUNCTION float feature(int sample, int feature) const;
};

/* One feature's part of a distance. */
struct Term {
	Samples samples;
	FUNCTION float square(int a, int b, int feature) const;
};

/* A few features; those beyond the last count nothing. */
struct Block {
	Term term;
	int features;
	FUNCTION float sum(int a, int b, int first) const;
};

struct Sum {
	Block block;
	FUNCTION float over_blocks(int a, int b) const;
};

struct Distance {
	Sum sum;
	FUNCTION float squared(int a, int b) const;
};

/* exp(-width |a - b|^2) */
struct Kernel {
	Distance distance;
	float width;
	FUNCTION float value(int a, int b) const;
};

/* Sum of the support vectors' kernels, each with its weight. */
struct Expansion {
	Kernel kernel;
	const float *weight;
	const int *support; /* the samples whose weight is not zero */
	int vectors;
	FUNCTION float term(int a, int vector) const;
	FUNCTION float part(int a, int first) const;
	FUNCTION float sum(int a) const;
};

struct Model {
	Expansion expansion;
	FUNCTION float predict(int sample) const;
};

struct Residual {
	Model model;
	const float *target;
	FUNCTION float of(int sample) const;
};

/* 1/2 b'Kb - y'b + tube |b|: its smooth part. */
struct Dual {
	Residual residual;
	FUNCTION float gradient(int sample) const;
};

/* A step against the gradient, then what the tube and the bound make of it. */
struct Proximal {
	Dual dual;
	float rate, tube, bound;
	FUNCTION float next(int sample) const;
};

struct Trainer {
	Proximal proximal;
	float *next; /* weights after the step */
	FUNCTION void step(int sample) const;
};

#endif
