/* The layers of forest, from the innermost to the outermost. */
#include "forest.h"

FUNCTION float Columns::cell(int row, int column) const
{
	return table.at(row, column);
}

FUNCTION float Columns::selected(int row, int feature) const
{
	return cell(row, chosen[feature]);
}

FUNCTION float Sample::raw(int row, int feature) const
{
	return columns.selected(row, feature);
}

FUNCTION float Sample::imputed(int row, int feature) const
{
	float value = raw(row, feature);
	return isnan(value) ? mean[feature] : value;
}

FUNCTION float Sample::standard(int row, int feature) const
{
	return (imputed(row, feature) - mean[feature]) * scale[feature];
}

FUNCTION float Split::excess(const Node *node, int row) const
{
	return sample.standard(row, node->feature) - node->threshold;
}

FUNCTION bool Decision::goes_left(const Node *node, int row) const
{
	return split.excess(node, row) <= 0;
}

FUNCTION int Decision::next(const Node *node, int row) const
{
	return goes_left(node, row) ? node->left : node->right;
}

FUNCTION int Walk::step(int node, int row) const
{
	return decision.next(&nodes[node], row);
}

FUNCTION int Walk::leaf(int root, int row) const
{
	int node = root;
	while (nodes[node].feature >= 0)
		node = step(node, row);
	return node;
}

FUNCTION int Tree::label(int root, int row) const
{
	return walk.nodes[walk.leaf(root, row)].left;
}

FUNCTION void Ensemble::ballot(int tree, int row, int *votes) const
{
	votes[this->tree.label(roots[tree], row)]++;
}

FUNCTION void Ensemble::vote(int row, int *votes) const
{
	for (int i = 0; i < trees; i++)
		ballot(i, row, votes);
}

FUNCTION int Classifier::classify(int row) const
{
	int votes[CLASSES] = {0}, best = 0;
	ensemble.vote(row, votes);
	for (int i = 1; i < CLASSES; i++)
		if (votes[i] > votes[best])
			best = i;
	return best;
}
