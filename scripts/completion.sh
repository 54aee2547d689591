#!/bin/bash
# completion.sh HEDDLE HEDDLE-CC: prints the bash completion of both, with the options that the programs themselves list.
set -euo pipefail
heddle=$1 heddle_cc=$2

words() { tr '\n' ' ' | sed 's/ $//'; }

cat <<'HEAD'
# bash completion for heddle and heddle-cc; made from their tables of options.

# Options of a command; those that take a value end with =.
_heddle_options()
{
	case $1 in
HEAD
commands=$("$heddle" --options)
for command in $commands; do
	printf '\t%s) echo "%s" ;;\n' "$command" "$("$heddle" "$command" --options | sed 's/=.*/=/' | words)"
done
cat <<MIDDLE
	esac
}

_heddle_commands="$(words <<<"$commands")"
_heddle_cc_options="$("$heddle_cc" --options | sed 's/=.*//' | words)"

# Values of an option of heddle-cc, of those that have names.
_heddle_cc_values()
{
	case \$1 in
$("$heddle_cc" --options | sed -n "s/^\([^=]*\)= \(.*\)/\t\1) echo '\2' ;;/p")
	esac
}
MIDDLE
cat <<'TAIL'

# What an option of the command may be given: names that the program knows, else files.
_heddle_values()
{
	local program=$1 command=$2 option=$3 value=$4 list=
	case $option in
	# The message about one that is not known names those that are.
	--format | -f) list=$("$program" "$command" --format '?' . 2>&1 | sed -n 's/,//g; s/.*; known: //p') ;;
	--set | -s) list=$("$program" gpus v100 2>/dev/null | awk 'NR > 1 && /^[a-z]/ { print $1 "=" }') ;;
	--gpu | -g) list=$("$program" gpus 2>/dev/null | awk 'NR > 1 { print $1 }') ;;
	--policy | -p) list=$("$program" policies 2>/dev/null | awk '/^[^ ]/ { print $1 }') ;;
	--metrics | -m) list=$("$program" check --list-metrics 2>/dev/null | awk 'NR > 1 { print $1 }') ;;
	*)
		mapfile -t COMPREPLY < <(compgen -f -- "$value")
		return
		;;
	esac
	mapfile -t COMPREPLY < <(compgen -W "$list" -- "$value")
	[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
	return 0
}

_heddle()
{
	local current=${COMP_WORDS[COMP_CWORD]} before= command=${COMP_WORDS[1]-} options
	COMPREPLY=()
	((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD - 1]}
	if ((COMP_CWORD == 1)); then
		mapfile -t COMPREPLY < <(compgen -W "$_heddle_commands --help --version" -- "$current")
		return
	fi
	options=" $(_heddle_options "$command") "
	# Bash makes words of the = in --option=value.
	if [[ $current == = ]]; then
		_heddle_values "${COMP_WORDS[0]}" "$command" "$before" ""
	elif [[ $before == = ]]; then
		_heddle_values "${COMP_WORDS[0]}" "$command" "${COMP_WORDS[COMP_CWORD - 2]}" "$current"
	elif [[ $options == *" $before= "* ]]; then
		_heddle_values "${COMP_WORDS[0]}" "$command" "$before" "$current"
	elif [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$options" -- "$current")
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
	elif [[ $command == gpus ]]; then
		_heddle_values "${COMP_WORDS[0]}" "$command" --gpu "$current"
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
	fi
	return 0
}

_heddle_cc()
{
	local current=${COMP_WORDS[COMP_CWORD]} before= values
	COMPREPLY=()
	((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD - 1]}
	# Bash makes words of the = in --option=value.
	[[ $current == = ]] && current=
	[[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
	values=$(_heddle_cc_values "$before")
	if [[ $values ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$values" -- "$current")
		[[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
	elif [[ $current == -* ]]; then
		mapfile -t COMPREPLY < <(compgen -W "$_heddle_cc_options" -- "$current")
	else
		mapfile -t COMPREPLY < <(compgen -f -- "$current")
	fi
}

complete -o filenames -F _heddle heddle
complete -o filenames -F _heddle_cc heddle-cc
TAIL
