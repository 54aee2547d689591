/* What a row more in metadata.def makes: the figure `novel`, written, read back, in the schema and among the metrics. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heddle/figures.h"
#include "lib/metadata/fields.h"
#include "lib/metadata/json.h"
#include "tools/heddle/gate/gate.h"

int main(void)
{
	struct hd_meta_function kernel = {.name = "k", .kernel = true, .novel = 4242};
	struct hd_metadata metadata = {.functions = &kernel, .function_count = 1}, back;
	struct hd_diag diag = {.tool = "figure"};
	struct hd_arena arena;
	char *text = hd_metadata_to_json(&metadata), *schema = hd_metadata_schema();
	hd_arena_init(&arena);
	if (hd_metadata_from_json(text, strlen(text), "text", &arena, &back, &diag) != 0)
		return 1;
	printf("%s", text);
	printf("read: %u\n", back.functions[0].novel);
	printf("%s", schema);
	for (unsigned i = 0; i < gate_metric_count; i++)
		printf("metric: %s, %s, %s, %s\n", gate_metrics[i].name, gate_metrics[i].argument, gate_metrics[i].unit,
		       gate_metrics[i].doc);
	printf("node: %s\n", hd_meta_figure_at("liveness.novel")->node);
	hd_arena_release(&arena);
	free(schema);
	free(text);
	return 0;
}
