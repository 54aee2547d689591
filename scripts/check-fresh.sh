#!/bin/bash
# check-fresh.sh [COMMAND...]: README's commands (default: `make demo` and `make check`) on a bare system.
#
# Makes a minimal system of a distribution in a folder with debootstrap, clones the last commit of this repository into it,
# and runs each command there with nothing of this machine in its environment: no compiler, no toolkit, no library but what
# the commands install. Needs root. Prints a line a command; exit status 1 when one failed (its output stays in ROOT's
# /root/*.log), 2 when the system could not be made. Environment: DIST, the distribution's code name (default: bookworm; those of
# Debian and Ubuntu that the mirror serves: trixie, noble, ...); ROOT, a folder that keeps the bare system for the next
# call (default: a new one that goes afterwards, but for the logs of what failed); MIRROR, where packages come from
# (default: the one that this machine uses for its own distribution, else the distributions' own); PACKAGES, a folder that is
# copied to /root/packages there.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
dist=${DIST:-bookworm}
(($# > 0)) || set -- 'make demo' 'make check'
[[ $dist =~ ^[a-z]+$ && ! $dist =~ ^(stable|testing|unstable|oldstable|oldoldstable|experimental|devel)$ ]] ||
	{ echo "check-fresh: error: '$dist' is no code name of a distribution: bookworm, trixie, sid, noble, ..." >&2; exit 2; }
(($(id -u) == 0)) || { echo 'check-fresh: error: needs root, for debootstrap and chroot' >&2; exit 2; }
"$source/scripts/setup.sh" debootstrap

keep=${ROOT-}
root=${keep:-$(mktemp -d)}
logs=$(mktemp -d)
finish() {
	umount "$root/proc" "$root/dev/pts" "$root/dev" 2>/dev/null || true
	[[ -n $keep ]] || rm -rf --one-file-system "$root"
	rmdir "$logs" 2>/dev/null || true
}
trap finish EXIT

# Whether URL is a mirror that serves this suite of the distribution; its file Release is then in $logs/release.
serves() {
	/usr/lib/apt/apt-helper download-file "$1/dists/$2/Release" "$logs/release" >/dev/null 2>&1
}

# This machine's own distribution comes by the ways that are set up here, another by its own mirror.
own=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
if [[ -n ${MIRROR-} ]]; then
	mirrors=("$MIRROR")
elif [[ $dist == "$own" ]]; then
	# No package lists, no sites: then the distributions' own.
	mapfile -t mirrors < <(apt-get indextargets --format '$(SITE)' 2>/dev/null | sort -u | sed '/security/d' | head -n 1)
fi
[[ -n ${MIRROR-} ]] || mirrors+=(http://deb.debian.org/debian http://archive.ubuntu.com/ubuntu)
mirror=
for site in "${mirrors[@]}"; do
	serves "$site" "$dist" && mirror=$site && break
done
[[ -n $mirror ]] || { echo "check-fresh: error: no distribution '$dist' on ${mirrors[*]}" >&2; exit 2; }
case $(sed -n 's/^Origin: //p' "$logs/release") in
Ubuntu) components=(main universe) script=gutsy security=$mirror ;;
*) components=(main) script=sid security=${mirror%/debian}/debian-security ;;
esac
rm -f "$logs/release"

if [[ ! -x $root/usr/bin/git ]]; then
	debootstrap --variant=minbase --no-check-gpg --include=git,make,ca-certificates \
		--components="$(IFS=,; echo "${components[*]}")" "$dist" "$root" "$mirror" "/usr/share/debootstrap/scripts/$script" \
		>"$logs/debootstrap.log" 2>&1 ||
		{ tail -n 3 "$logs/debootstrap.log" >&2; exit 2; }
	rm -f "$logs/debootstrap.log"
	echo "$dist" >"$root/root/suite"
fi
# os-release of sid is that of the next release, or has no name.
there=$(cat "$root/root/suite" 2>/dev/null || (. "$root/etc/os-release" && echo "${VERSION_CODENAME-no name}"))
[[ $there == "$dist" ]] || { echo "check-fresh: error: $root is a system of $there, not $dist" >&2; exit 2; }
# Packages come by the ways that are set up here: proxies and methods; for the own distribution also sources and keys.
parts=(apt.conf.d auth.conf.d)
if [[ $dist == "$own" && -z ${MIRROR-} ]]; then
	parts+=(sources.list sources.list.d keyrings trusted.gpg.d)
else
	rm -rf "${root:?}"/etc/apt/sources.list.d/*
	for suite in "$mirror $dist" "$mirror $dist-updates" "$security $dist-security"; do
		# shellcheck disable=SC2086
		! serves $suite || echo "deb $suite ${components[*]}"
	done >"$root/etc/apt/sources.list"
	rm -f "$logs/release"
fi
for part in "${parts[@]}"; do
	rm -rf "${root:?}/etc/apt/$part"
	[[ ! -e /etc/apt/$part ]] || cp -r "/etc/apt/$part" "$root/etc/apt/"
done
cp -n /usr/lib/apt/methods/* "$root/usr/lib/apt/methods/" 2>/dev/null || true
cp /etc/resolv.conf /etc/hosts "$root/etc/"
cp -r /etc/ssl "$root/etc/"
mkdir -p "$root/proc" "$root/dev"
mountpoint -q "$root/proc" || mount -t proc proc "$root/proc"
mountpoint -q "$root/dev" || mount --bind /dev "$root/dev"
mountpoint -q "$root/dev/pts" || mount -t devpts devpts "$root/dev/pts"
rm -rf "$root/root/heddle"
git clone -q "$source" "$root/root/heddle"
rm -rf "$root/root/packages"
[[ -z ${PACKAGES-} ]] || cp -r "$PACKAGES" "$root/root/packages"

status=0
for command; do
	name=$(tr -cs 'a-zA-Z0-9\n' - <<<"$command").log
	begin=$SECONDS
	if env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=dumb LANG=C.UTF-8 chroot "$root" /bin/bash -c \
		"cd /root/heddle && $command" >"$root/root/$name" 2>&1 </dev/null; then
		echo "$command: passed in $((SECONDS - begin)) s: $(tail -n 1 "$root/root/$name")"
	else
		cp "$root/root/$name" "$logs/"
		echo "$command: FAILED after $((SECONDS - begin)) s: $(tail -n 1 "$root/root/$name") ($logs/$name)"
		status=1
	fi
done
exit $status
