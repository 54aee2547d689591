/*
 * forest: classification by a random forest, a thread for each row of a table with missing values. The forest is
 * trained on the host, on the table's first rows.
 *
 * Checks: every class is the host's (exact: nothing is added up), and nine of ten are the true one.
 */
#include "forest.h"
#include "train.h"

#define BLOCK 128
#define FEATURES 8
#define UNUSED 3	     /* columns between those that the model knows */
#define COLUMNS (FEATURES + UNUSED)
#define MOST_TRAINED 1000

__global__ void classify_all(const Classifier *classifier, int *labels, int first, int end)
{
	int row = first + blockIdx.x * BLOCK + threadIdx.x;
	if (row < end)
		labels[row] = classifier->classify(row);
}

/* Rows around a place for each class; one value of thirty is missing. */
struct Table {
	std::vector<float> values;
	std::vector<int> labels, chosen;
	std::vector<float> mean, scale;
};

static Table make_table(int rows)
{
	unsigned seed = 23;
	float places[CLASSES][COLUMNS];
	for (auto &place : places)
		for (float &value : place)
			value = 3 * next_unit(&seed);
	Table table;
	for (int row = 0; row < rows; row++) {
		int label = (int)((next_random(&seed) >> 8) % CLASSES);
		table.labels.push_back(label);
		for (int column = 0; column < COLUMNS; column++) {
			float value = places[label][column] + next_unit(&seed) + next_unit(&seed);
			table.values.push_back((next_random(&seed) >> 8) % 30 ? value : NAN);
		}
	}
	for (int feature = 0; feature < FEATURES; feature++)
		table.chosen.push_back(feature * COLUMNS / FEATURES);
	return table;
}

/* Mean and scale of the features, over what is there in the first rows. */
static void measure(Table *table, int rows)
{
	for (int column : table->chosen) {
		double sum = 0, squares = 0;
		int there = 0;
		for (int row = 0; row < rows; row++) {
			float value = table->values[(size_t)row * COLUMNS + column];
			if (isnan(value))
				continue;
			sum += value;
			squares += (double)value * value;
			there++;
		}
		double mean = there ? sum / there : 0, variance = there ? squares / there - mean * mean : 0;
		table->mean.push_back((float)mean);
		table->scale.push_back(variance > 0 ? (float)(1 / sqrt(variance)) : 1);
	}
}

/* The classifier on the device, with all that it points to. */
static Classifier *device_classifier(const Table &table, const Forest &forest, int rows)
{
	Sample sample = {{view_of<float>(device_copy(table.values.data(), table.values.size()), rows, COLUMNS),
			  device_copy(table.chosen.data(), FEATURES)},
			 device_copy(table.mean.data(), FEATURES),
			 device_copy(table.scale.data(), FEATURES)};
	Walk walk = {{{sample}}, device_copy(forest.nodes.data(), forest.nodes.size())};
	Classifier classifier = {
		{{walk}, device_copy(forest.roots.data(), forest.roots.size()), (int)forest.roots.size()}};
	return device_copy(&classifier, 1);
}

/* Rows come in batches of nearly one size, a launch each. */
static void run_on_device(const Classifier *classifier, int *labels, int rows, int batches)
{
	for (int i = 0; i < batches; i++) {
		int first = (int)((long)rows * i / batches), end = (int)((long)rows * (i + 1) / batches);
		if (first < end)
			classify_all<<<blocks_for(end - first, BLOCK), BLOCK>>>(classifier, labels, first, end);
		CHECK_LAUNCH();
	}
}

int main(int argc, char **argv)
{
	Arguments arguments = {argc, argv, "forest [rows [trees [batches]]]   (default 12288, 6, 1)"};
	int rows = size_argument(arguments, 1, 12288, 1 << 22), trees = size_argument(arguments, 2, 6, 500);
	int batches = size_argument(arguments, 3, 1, 1000);
	int trained = rows < MOST_TRAINED ? rows : MOST_TRAINED;
	Table table = make_table(rows);
	measure(&table, trained);
	Sample sample = {{view_of<float>(table.values.data(), rows, COLUMNS), table.chosen.data()}, table.mean.data(),
			 table.scale.data()};
	Forest forest = train(sample, table.labels.data(), trained, FEATURES, trees);

	Classifier *classifier = device_classifier(table, forest, rows);
	int *labels = device_array<int>(rows);
	run_on_device(classifier, labels, rows, batches);
	std::vector<int> got(rows);
	copy_back(got.data(), labels, rows);

	Verdict verdict = {"forest"};
	Walk walk = {{{sample}}, forest.nodes.data()};
	Classifier reference = {{{walk}, forest.roots.data(), trees}};
	int right = 0;
	for (int row = 0; row < rows; row++) {
		int want = reference.classify(row);
		if (got[row] != want)
			differs(&verdict, "row %d is of class %d, not %d", row, got[row], want);
		right += got[row] == table.labels[row];
	}
	if (rows >= MOST_TRAINED && right < rows / 10 * 9)
		differs(&verdict, "only %d of %d classes are the true ones", right, rows);
	CHECK(cudaFree(labels));
	CHECK(cudaFree(classifier));
	return conclude(verdict, "%d rows, %d trees of %zu nodes, %d right", rows, trees, forest.nodes.size(), right);
}
