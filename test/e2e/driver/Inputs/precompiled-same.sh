# precompiled-same.sh HEDDLE_CC < ROWS: each row of options with the precompiled header and without; prints what differs.
ways=0
compile() { # OPTIONS... to the folder made
	rm -rf made && mkdir made
	# shellcheck disable=SC2068
	"$cc" $@ -keep -c -o made/a.o precompiled.cu > made/out 2> made/err
	echo "$?" > made/status
}
cc=$1
while read -r options; do
	compile $options
	rm -rf with && mv made with
	compile $options -heddle-no-pch
	diff -r made with > /dev/null || echo "differs with: $options"
	ways=$((ways + 1))
done
echo "$ways ways compared"
