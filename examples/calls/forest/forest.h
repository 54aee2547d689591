/*
 * forest: what library.cu has for main.cu. How a random forest classifies, in classes on top of each other as layered
 * libraries have it; every member is a call. From the top: Classifier, Ensemble (two calls), Tree, Walk (two), Decision
 * (two), Split, Sample (three), Columns (two), View.
 */
#ifndef FOREST_H
#define FOREST_H

#include "../view.h"

/* A value on the edge of a split goes the same way on both sides, also when calls are inlined. */
#pragma STDC FP_CONTRACT OFF

#define CLASSES 4

/* A leaf has feature -1 and a class in `left`. */
struct Node {
	float threshold;
	int feature, left, right;
};

/* The features that the model knows, among the columns of the table. */
struct Columns {
	View<float> table; /* a row for each sample; NAN is missing */
	const int *chosen;
	FUNCTION float cell(int row, int column) const;
	FUNCTION float selected(int row, int feature) const;
};

/* Values as the model was trained on them. */
struct Sample {
	Columns columns;
	const float *mean, *scale; /* of features */
	FUNCTION float raw(int row, int feature) const;
	FUNCTION float imputed(int row, int feature) const;
	FUNCTION float standard(int row, int feature) const;
};

struct Split {
	Sample sample;
	FUNCTION float excess(const Node *node, int row) const;
};

struct Decision {
	Split split;
	FUNCTION bool goes_left(const Node *node, int row) const;
	FUNCTION int next(const Node *node, int row) const;
};

struct Walk {
	Decision decision;
	const Node *nodes;
	FUNCTION int step(int node, int row) const;
	FUNCTION int leaf(int root, int row) const;
};

struct Tree {
	Walk walk;
	FUNCTION int label(int root, int row) const;
};

struct Ensemble {
	Tree tree;
	const int *roots;
	int trees;
	FUNCTION void ballot(int tree, int row, int *votes) const;
	FUNCTION void vote(int row, int *votes) const;
};

/* The class that most trees name; the first of equals. */
struct Classifier {
	Ensemble ensemble;
	FUNCTION int classify(int row) const;
};

#endif
