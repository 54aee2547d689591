#!/bin/sh
# A newer opt's place: it reads `fsum` as `fadd`, and has the plugin $PLUGIN in place of the file that it is given.
for word; do
	shift
	case $word in
	-load-pass-plugin=*llvm-40/lib/HeddlePasses.so) word=-load-pass-plugin=$PLUGIN ;;
	*.ll) sed 's/fsum/fadd/; s/captures(none)//; s/\(getelementptr inbounds\) nuw/\1/' "$word" >newer.ll && word=newer.ll ;;
	esac
	set -- "$@" "$word"
done
exec opt "$@"
