#!/bin/sh
# figures.sh HEDDLE-CC SCRIPTS EXAMPLES BUILD FOLDER: the figures of CARS at a tiny size, twice. The second time nothing is
# simulated, and the report and the pictures are the same.
set -e
cc=$1 scripts=$2 calls=$3/calls build=$4 folder=$5
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
for module in library main; do
	"$cc" -O2 -Xcompiler -O0 -dc -o $module.o "$calls/pointsto/$module.cu"
	"$cc" -O2 -Xcompiler -O0 -DCALLS_INLINE -dc -o $module.lto.o "$calls/pointsto/$module.cu"
done
"$cc" -O2 -o pointsto library.o main.o
"$cc" -O2 -dlto -o pointsto.lto library.lto.o main.lto.o
figures() {
	python3 "$scripts/draw_figures.py" cars --size tiny --workloads pointsto --build "$build" --programs . --out out "$@"
}
figures -j2 > headlines
mv out first
mkdir out
cp -r first/runs out/runs
[ "$(find first -name '*.svg' | wc -l)" = "$(find first -name '*.png' -size +1k | wc -l)" ] || { echo 'pictures are missing'; exit 1; }
touch before
figures -j1 > again
[ -z "$(find out/runs/results -newer before -type f)" ] || { echo 'runs were made again'; exit 1; }
diff -r first out
cmp headlines again
cat out/report.md
