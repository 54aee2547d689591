#!/bin/bash
# check-fresh.sh [COMMAND...]: README's commands (default: `make demo` and `make check`) on a bare Debian 12.
#
# Makes a minimal system in a folder with debootstrap, clones the last commit of this repository into it, and runs each
# command there with nothing of this machine in its environment: no compiler, no toolkit, no library but what the
# commands install. Needs root. Prints a line a command; exit status 1 when one failed (its output stays in ROOT's
# /root/*.log), 2 when the system could not be made. Environment: ROOT, a folder that keeps the bare system for the next
# call (default: a new one that goes afterwards, but for the logs of what failed); MIRROR, where packages come from
# (default: the one that this machine uses); PACKAGES, a folder that is copied to /root/packages there.
set -euo pipefail
source=$(cd "$(dirname "$0")/.." && pwd)
(($# > 0)) || set -- 'make demo' 'make check'
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

if [[ ! -x $root/usr/bin/git ]]; then
	# No package lists, no sites: then Debian's own.
	mirror=${MIRROR:-$(apt-get indextargets --format '$(SITE)' 2>/dev/null | sort -u | sed '/security/d' | head -n 1)}
	debootstrap --variant=minbase --no-check-gpg --include=git,make,ca-certificates bookworm "$root" \
		"${mirror:-http://deb.debian.org/debian}" >"$logs/debootstrap.log" 2>&1 ||
		{ tail -n 3 "$logs/debootstrap.log" >&2; exit 2; }
	rm -f "$logs/debootstrap.log"
fi
# Packages come by the ways that are set up here: sources, keys, proxies, methods.
for part in sources.list sources.list.d apt.conf.d auth.conf.d keyrings trusted.gpg.d; do
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
