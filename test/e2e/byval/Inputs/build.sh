#!/bin/sh
# build.sh HEDDLE-CC HEDDLE SOURCES FOLDER: the program at each level, run under --verify on the baseline and on CARS. The host
# half is not optimised.
# What is left in FOLDER is of the last level.
set -e
compile=$1 heddle=$2 sources=$3 folder=$4
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
for options in -O0 '-Xptxas -O1' '-O3 -maxrregcount=24' '-O3 -heddle-ipra' -O3; do
	for part in parts rays; do
		$compile $options -Xcompiler -O0 -dc -o $part.o "$sources/$part.cu"
	done
	$compile $options -o app parts.o rays.o
	$heddle run --verify --quiet --policy baseline --policy cars --stats stats.json -- ./app
done
