/*
 * kmeans: what library.cu has for main.cu. Which centroid is nearest to a point is found by small classes on top of
 * each other, as in the layered libraries that do such things; every member is a call. From the top: Clustering,
 * Assignment, Search, Selection, Metric, Distance, Sum, Block, Term, View.
 */
#ifndef KMEANS_H
#define KMEANS_H

#include "../view.h"

#define BLOCK_FEATURES 4

/* A centroid and how far it is. */
struct Candidate {
	float distance;
	int centroid;
};

struct Points {
	View<float> values; /* a row each */
	FUNCTION float feature(int point, int feature) const;
};

/* One feature's part of a distance. */
struct Term {
	Points points, centroids;
	FUNCTION float difference(int point, int centroid, int feature) const;
	FUNCTION float square(int point, int centroid, int feature) const;
};

/* A few features; those beyond the last count nothing. */
struct Block {
	Term term;
	int features;
	FUNCTION float sum(int point, int centroid, int first) const;
};

struct Sum {
	Block block;
	FUNCTION float over_blocks(int point, int centroid) const;
};

/* Squared Euclidean. */
struct Distance {
	Sum sum;
	FUNCTION float between(int point, int centroid) const;
};

struct Metric {
	Distance distance;
	FUNCTION Candidate candidate(int point, int centroid) const;
};

/* The nearer of two; the first of equals. */
struct Selection {
	Metric metric;
	FUNCTION Candidate better(Candidate best, int point, int centroid) const;
};

struct Search {
	Selection selection;
	FUNCTION Candidate over_range(int point, int first, int last) const;
};

struct Assignment {
	Search search;
	int centroids;
	FUNCTION Candidate nearest(int point) const;
};

struct Clustering {
	Assignment assignment;
	FUNCTION int assign(int point) const;
};

/* A centroid's coordinate, from what its points add up to: rounded to quarters, so that no distance is. */
FUNCTION float mean(int sum, int count);

#endif
