# complete.sh COMPLETION WORD...: what bash offers for the last word, sorted.
source "$1"
shift
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
COMP_LINE="$*"
case ${1##*/} in
heddle) _heddle ;;
heddle-cc) _heddle_cc ;;
esac
printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort
