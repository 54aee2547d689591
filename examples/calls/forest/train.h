/*
 * Training of a forest, on the host: each tree on a sample of the rows (with repetition), splits by Gini's impurity
 * among a few features and thresholds drawn at random.
 */
#ifndef FOREST_TRAIN_H
#define FOREST_TRAIN_H

#include <algorithm>
#include <vector>

#include "forest.h"

#define DEEPEST 8
#define FEWEST 4      /* rows of a node that is split */
#define TRIED 12      /* splits, of which the best is taken */

struct Forest {
	std::vector<Node> nodes;
	std::vector<int> roots;
};

struct Training {
	const Sample *sample;
	const int *labels;
	int features;
	unsigned seed;
	Forest forest;
};

struct Counts {
	int of[CLASSES];
	int total;
};

static Counts count(const Training &training, const std::vector<int> &rows)
{
	Counts counts = {};
	for (int row : rows)
		counts.of[training.labels[row]]++;
	counts.total = (int)rows.size();
	return counts;
}

/* Impurity times rows. */
static double impurity(const Counts &counts)
{
	double squares = 0;
	for (int n : counts.of)
		squares += (double)n * n;
	return counts.total ? counts.total - squares / counts.total : 0;
}

static int draw(Training *training, int n)
{
	return (int)((next_random(&training->seed) >> 8) % n);
}

/* Rows on the left and on the right of a split. */
static void divide(const Training &training, const std::vector<int> &rows, const Node &node, std::vector<int> side[2])
{
	Split split = {*training.sample};
	side[0].clear();
	side[1].clear();
	for (int row : rows)
		side[split.excess(&node, row) > 0].push_back(row);
}

/* The best of a few splits; false where none makes the node purer. */
static bool find_split(Training *training, const std::vector<int> &rows, Node *best)
{
	double lowest = impurity(count(*training, rows));
	bool found = false;
	std::vector<int> side[2];
	for (int i = 0; i < TRIED; i++) {
		int feature = draw(training, training->features), row = rows[draw(training, (int)rows.size())];
		Node node = {training->sample->standard(row, feature), feature, 0, 0};
		divide(*training, rows, node, side);
		double sum = impurity(count(*training, side[0])) + impurity(count(*training, side[1]));
		if (sum < lowest) {
			lowest = sum;
			*best = node;
			found = true;
		}
	}
	return found;
}

static int grow(Training *training, const std::vector<int> &rows, int depth)
{
	Counts counts = count(*training, rows);
	int most = (int)(std::max_element(counts.of, counts.of + CLASSES) - counts.of);
	int index = (int)training->forest.nodes.size();
	training->forest.nodes.push_back({0, -1, most, 0});
	Node node;
	if (depth == DEEPEST || counts.total < FEWEST || !find_split(training, rows, &node))
		return index;
	std::vector<int> side[2];
	divide(*training, rows, node, side);
	node.left = grow(training, side[0], depth + 1);
	node.right = grow(training, side[1], depth + 1);
	training->forest.nodes[index] = node;
	return index;
}

static Forest train(const Sample &sample, const int *labels, int rows, int features, int trees)
{
	Training training = {&sample, labels, features, 17, {}};
	std::vector<int> drawn(rows);
	for (int tree = 0; tree < trees; tree++) {
		for (int &row : drawn)
			row = draw(&training, rows);
		training.forest.roots.push_back(grow(&training, drawn, 0));
	}
	return training.forest;
}

#endif
