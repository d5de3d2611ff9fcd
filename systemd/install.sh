#!/bin/sh
# install.sh table|hub [--remove]: makes this Debian or Raspberry Pi OS machine a table or a hub, or undoes it.
#
# May be run again at any time: that upgrades in place. The programs before it stay, and come back with
# ln -sfn "$(readlink /opt/flagfall/before)" /opt/flagfall/current, and a restart. Records and configuration are never
# removed.
#
# FLAGFALL_ROOT: install below this folder instead (to make an image): its users and groups too; nothing is started then.
# FLAGFALL_PROGRAMS: a virtual environment with the programs, instead of making one from this checkout; with FLAGFALL_ROOT there
# has to be one, made for that root's Python.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=${FLAGFALL_ROOT:-}
units=$root/etc/systemd/system
rules=$root/etc/udev/rules.d
opt=$root/opt/flagfall
links=$root/usr/local/bin

fail() {
    echo "install.sh: $1" >&2
    exit 2
}

role=${1:-}
remove=no
case "${2:-}" in
    "") ;;
    --remove) remove=yes ;;
    *) fail "$2: expected --remove or nothing" ;;
esac
[ $# -le 2 ] || fail "expected table or hub, and --remove or nothing"
case "$role" in
    table)
        services="flagfall-table.service"
        files='flagfall-table.service flagfall-eye.service flagfall-enrol.service run-flagfall\x2dstick.mount'
        udev="71-flagfall-stick.rules 72-flagfall-gpio.rules ../hardware/70-flagfall-board.rules"
        groups="gpio dialout video render input audio"
        ;;
    hub)
        services="flagfall-broker.service flagfall-store.service flagfall-hub.service flagfall-revoked.path"
        files="flagfall-hub.service flagfall-broker.service flagfall-store.service"
        files="$files flagfall-revoked.path flagfall-revoked.service"
        udev=""
        groups=""
        ;;
    *) fail "${role:-nothing}: expected table or hub" ;;
esac
# An eye is started, and OpenCV installed, only where the table's configuration names a camera.
eye=no
if [ "$role" = table ] && grep -Eqs '^eye[[:space:]]*=' "$root/etc/flagfall/table.toml"; then eye=yes; fi
if [ "$eye" = yes ] || { [ "$role" = table ] && [ "$remove" = yes ]; }; then services="$services flagfall-eye.service"; fi
[ -n "$root" ] || [ "$(id -u)" = 0 ] || fail "expected root (sudo)"
[ -n "$root" ] || live=$([ -d /run/systemd/system ] && echo yes || echo no)
live=${live:-no}

other_role_installed() {
    [ "$role" = table ] && [ -e "$units/flagfall-hub.service" ] && return 0
    [ "$role" = hub ] && [ -e "$units/flagfall-table.service" ] && return 0
    return 1
}

if [ "$remove" = yes ]; then
    for service in $services; do
        [ "$live" = no ] || systemctl disable --now "$service" 2>/dev/null || true
        rm -f "$units/multi-user.target.wants/$service"
    done
    for file in $files; do rm -f "$units/$file"; done
    for file in $udev; do rm -f "$rules/$(basename "$file")"; done
    [ "$role" != table ] || rm -f "$root/etc/systemd/system.conf.d/flagfall.conf" "$root/etc/modules-load.d/flagfall.conf"
    [ "$role" != table ] || rm -rf "$root/var/lib/flagfall/versions"
    if ! other_role_installed; then
        rm -rf "$opt"
        for program in flagfall-table flagfall-hub flagfall-demo flagfall-eye; do rm -f "$links/$program"; done
    fi
    [ "$live" = no ] || systemctl daemon-reload
    echo "removed. The record stays in $root/var/lib/flagfall, the configuration in $root/etc/flagfall."
    exit 0
fi

# The user and his groups.
if [ -z "$root" ]; then
    getent group flagfall >/dev/null || groupadd --system flagfall
    getent passwd flagfall >/dev/null ||
        useradd --system --gid flagfall --home-dir /var/lib/flagfall --no-create-home --shell /usr/sbin/nologin flagfall
    for group in $groups; do getent group "$group" >/dev/null || groupadd --system "$group"; done
fi
# Below another root, which is a system and not only its files, they are made there, with that root's numbers.
if [ -n "$root" ] && [ -e "$root/etc/passwd" ]; then
    command -v systemd-sysusers >/dev/null 2>&1 || fail "expected systemd-sysusers (apt install systemd)"
    { echo 'g flagfall -' && echo 'u flagfall -:flagfall "Flagfall" /var/lib/flagfall /usr/sbin/nologin' &&
        for group in $groups; do echo "g $group -"; done; } | systemd-sysusers --root="$root" -
fi
mkdir -p "$units" "$rules" "$links" "$opt" "$root/etc/flagfall" "$root/var/lib/flagfall"
chmod 755 "$root/etc/flagfall"
chmod 700 "$root/var/lib/flagfall"
# The numbers of the user and the group below that root.
number() { awk -F: -v name=flagfall -v at="$2" '$1 == name { print $at }' "$root/etc/$1" 2>/dev/null || true; }
owner=$(number passwd 3) group=$(number group 3)
[ "$(id -u)" != 0 ] || [ -z "$owner" ] || chown "$owner:$group" "$root/var/lib/flagfall"

# A link is changed in one step, whenever the power goes.
lead() {
    ln -sfn "$2" "$1.new"
    mv -T "$1.new" "$1"
}

# What draws: SDL brings none of it, and without it the screen stays black.
if [ "$role" = table ] && [ -z "$root" ] && command -v apt-get >/dev/null 2>&1; then
    missing=""
    for package in $(grep -v '^#' "$here/packages"); do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing="$missing $package"
    done
    # shellcheck disable=SC2086 # a list of words
    [ -z "$missing" ] || DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 install -y \
        --no-install-recommends $missing >/dev/null ||
        echo "the screen needs$missing, which apt-get could not install (apt update?)"
fi

# The programs: made beside those that run, then put in their place.
if [ -n "${FLAGFALL_PROGRAMS:-}" ]; then
    lead "$opt/current" "$FLAGFALL_PROGRAMS"
else
    running=$(readlink "$opt/current" || true)
    new=one
    [ "$running" != one ] || new=other
    rm -rf "${opt:?}/$new"
    [ -z "$root" ] || fail "expected FLAGFALL_PROGRAMS: programs made here would be of this machine's Python"
    python3 -m venv "$opt/$new" || fail "python3 -m venv failed (apt install python3-venv)"
    # Every part by its hash, the tools that build this one included; then this one, which asks for nothing more. Its
    # wheel is kept: a hub offers it to tables.
    pip() { "$opt/$new/bin/python" -m pip --quiet --disable-pip-version-check "$@"; }
    lock=requirements-$role.lock
    { ! other_role_installed && [ "$eye" = no ]; } || lock=requirements.lock
    { pip install --require-hashes -r "$here/../$lock" &&
        pip wheel --no-deps --no-build-isolation --wheel-dir "$opt/$new" "$here/.." &&
        pip install --no-deps --no-index "$opt/$new"/flagfall-*.whl; } ||
        fail "the programs could not be installed; what was there before still is"
    # A virtual environment knows its own place: its programs are told the one it will have.
    sed -i "1s|$opt/$new/|/opt/flagfall/current/|" "$opt/$new"/bin/flagfall-*
    lead "$opt/current" "$new"
    [ -z "$running" ] || lead "$opt/before" "$running"
fi
for program in flagfall-table flagfall-hub flagfall-demo flagfall-eye; do
    ln -sf "/opt/flagfall/current/bin/$program" "$links/$program"
done

# The hub's broker, unless an image has it from elsewhere. Debian's own service would take its port.
if [ "$role" = hub ] && [ -z "$root" ]; then
    sh "$here/mosquitto.sh" || true
    systemctl disable --quiet --now mosquitto.service 2>/dev/null || true
fi

for file in $files; do install -m 644 "$here/$file" "$units/$file"; done
for file in $udev; do install -m 644 "$here/$file" "$rules/$(basename "$file")"; done
if [ "$role" = table ]; then
    # What is installed now is what runs, whatever came from a hub before. (.cache: Mesa's, of earlier installations.)
    rm -rf "$root/var/lib/flagfall/versions" "$root/var/lib/flagfall/.cache"
    install -D -m 644 "$here/watchdog.conf" "$root/etc/systemd/system.conf.d/flagfall.conf"
    install -D -m 644 "$here/modules-load.conf" "$root/etc/modules-load.d/flagfall.conf"
fi
if [ ! -e "$root/etc/flagfall/$role.toml" ]; then
    install -m 640 "$here/$role.toml" "$root/etc/flagfall/$role.toml"
    [ "$(id -u)" != 0 ] || [ -z "$group" ] || chgrp "$group" "$root/etc/flagfall/$role.toml"
fi

if [ "$live" = yes ]; then
    systemctl daemon-reload
    if [ "$role" = table ]; then
        # What is plugged in already gets its group now; a container loads no modules.
        { udevadm control --reload && udevadm trigger --settle --subsystem-match=gpio --subsystem-match=tty; } 2>/dev/null ||
            echo "udev does not run: its rules hold from the next start of this machine on"
        modprobe -a cdc_acm drm videodev 2>/dev/null || true
    fi
    for service in $services; do systemctl enable --quiet "$service"; done
    # Whatever else runs here runs from the same programs.
    systemctl try-restart flagfall-table.service flagfall-hub.service flagfall-eye.service 2>/dev/null || true
    for service in $services; do
        systemctl restart "$service" 2>/dev/null || echo "$service does not run yet: journalctl -u $service tells why"
    done
else
    mkdir -p "$units/multi-user.target.wants"
    for service in $services; do
        ln -sf "/etc/systemd/system/$service" "$units/multi-user.target.wants/$service"
    done
fi
if [ "$role" = hub ] && [ "$live" = yes ] && [ "$(uname -n)" != flagfall-hub ]; then
    echo "tables look for flagfall-hub.local: hostnamectl hostname flagfall-hub (and apt install avahi-daemon)"
fi
echo "installed as a $role. Its configuration is $root/etc/flagfall/$role.toml."
