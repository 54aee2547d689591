# rules.sh HEDDLE-CC: for each line of options the rule for make that they write: its target, and the file it is in.
mkdir -p rules.dir && cd rules.dir || exit
while read -r options; do
	rm -rf ./* && mkdir out
	printf '#include "r.h"\nint main() { return 0; }\n' > r.cu
	touch r.h
	printed=$("$1" $options r.cu 2>&1)
	printf '%s:' "$options"
	case $printed in
	*error:*) printf ' %s' "$printed" ;;
	*": r.cu"*) printf ' %s (stdout)' "${printed%%:*}" ;;
	esac
	grep -rl ': r\.cu' . | while read -r file; do
		printf ' %s (%s)' "$(sed -n '1s/:.*//p' "$file")" "${file#./}"
	done
	echo
done << 'EOF'
-MT t -MM -c
-M -MD -cubin
-MM -ptx -MF f.d -o o.x
-MP -MT t -cubin
-MD
-MD -o o.x.y
-MMD -odir out
-MM -odir out -MT t
-MMD -odir out -o o.x.y
-MMD -odir out -c -o out/o.o
-MMD -odir out -cubin -MT /t
-MM -odir out -o f.d
-MD -ptx -o o.ptx
-MMD -cubin -MF f.d
-MD -E
-MF f.d -c
EOF
