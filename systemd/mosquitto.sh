#!/bin/sh
# mosquitto.sh [VENV]: brings mosquitto, the hub's broker. With apt where it may, and Debian's own service stays off; else
# Debian's package, with the libraries that are not here, is unpacked into the virtual environment VENV.
set -eu

PATH="$PATH:/usr/sbin:/sbin"
venv=${1:-}
# apt takes a relative folder for one below its own.
[ -z "$venv" ] || venv=$(cd "$venv" && pwd)
there() { command -v mosquitto >/dev/null 2>&1 || { [ -n "$venv" ] && [ -x "$venv/bin/mosquitto" ]; }; }
missing() {
    echo "mosquitto.sh: no mosquitto here, $1: install it, tables cannot connect without (Debian: apt install mosquitto)" >&2
    exit 1
}

there && exit 0
command -v apt-get >/dev/null 2>&1 || missing "and no apt-get"
# One at a time: whoever waited finds it there. The lock lies where only this user writes: root's in /run, another user's
# in their environment. In a folder that all may write to, anybody could hold it.
longest_s=900
if [ "$(id -u)" = 0 ]; then
    lock=/run/flagfall-mosquitto.lock
else
    [ -n "$venv" ] || missing "and only root may install it"
    lock=$venv/mosquitto.lock
fi
if [ "${FLAGFALL_LOCKED:-}" != mosquitto ] && command -v flock >/dev/null 2>&1; then
    ( : >>"$lock" ) 2>/dev/null || missing "and $lock cannot be written"
    # 200: the lock is held by another one; any other status is that of the work itself.
    status=0
    FLAGFALL_LOCKED=mosquitto flock -o -n -E 200 "$lock" sh "$0" "$@" || status=$?
    if [ "$status" = 200 ]; then
        echo "mosquitto.sh: waits for another one at work ($lock), ${longest_s} s at most" >&2
        status=0
        FLAGFALL_LOCKED=mosquitto flock -o -w "$longest_s" -E 200 "$lock" sh "$0" "$@" || status=$?
        [ "$status" != 200 ] || missing "and another mosquitto.sh has held $lock for $longest_s s (who: fuser -v $lock)"
    fi
    exit "$status"
fi

if [ "$(id -u)" = 0 ]; then
    # Debian starts what it installs, unless this says no; afterwards the service would start with the machine.
    policy=/usr/sbin/policy-rc.d
    if [ ! -e "$policy" ]; then
        printf '#!/bin/sh\nexit 101\n' >"$policy"
        chmod 755 "$policy"
        trap 'rm -f "$policy"' EXIT INT TERM
    fi
    apt="apt-get -qq -o DPkg::Lock::Timeout=600"
    export DEBIAN_FRONTEND=noninteractive
    $apt install -y --no-install-recommends mosquitto >/dev/null 2>&1 ||
        { $apt update && $apt install -y --no-install-recommends mosquitto >/dev/null; } || missing "and apt-get has none"
    if command -v systemctl >/dev/null 2>&1; then
        systemctl --quiet disable mosquitto.service 2>/dev/null || true
    fi
    there || missing "though apt-get installed it"
    exit 0
fi

command -v dpkg-deb >/dev/null 2>&1 || missing "and no dpkg-deb"
new=$(mktemp -d "$venv/mosquitto.XXXXXX")
trap 'rm -rf "$new"' EXIT INT TERM
apt="apt-get -qq -o Debug::NoLocking=1"
wanted() { $apt install --simulate --no-install-recommends mosquitto 2>/dev/null | awk '/^Inst/ { print $2 }'; }
packages=$(wanted)
if [ -z "$packages" ]; then # this machine has no lists of packages yet
    mkdir -p "$new/lists/partial" "$new/cache/archives/partial"
    apt="$apt -o Dir::State::Lists=$new/lists -o Dir::Cache=$new/cache"
    $apt update >/dev/null 2>&1 || missing "and apt-get cannot fetch its lists"
    packages=$(wanted)
fi
[ -n "$packages" ] || missing "and apt-get knows none"
mkdir "$new/files" "$new/tree"
# shellcheck disable=SC2086 # a list of words
(cd "$new/files" && $apt download $packages >/dev/null) || missing "and apt-get cannot download it"
for file in "$new"/files/*.deb; do dpkg-deb -x "$file" "$new/tree"; done
rm -rf "$venv/mosquitto" "$new/tree/usr/share" "$new/tree/etc"
mv "$new/tree" "$venv/mosquitto"
cat >"$new/program" <<'END'
#!/bin/sh
# Debian's mosquitto, unpacked by systemd/mosquitto.sh, with its libraries.
own=$(dirname "$(readlink -f "$0")")/../mosquitto
for folder in "$own"/usr/lib/*-linux-gnu* "$own"/lib/*-linux-gnu*; do
    LD_LIBRARY_PATH="$folder${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
done
export LD_LIBRARY_PATH
exec "$own/usr/sbin/mosquitto" "$@"
END
chmod 755 "$new/program"
mv "$new/program" "$venv/bin/mosquitto"
says=$("$venv/bin/mosquitto" -h 2>&1 | head -1 || true)
case "$says" in
    "mosquitto version"*) ;;
    *) rm -f "$venv/bin/mosquitto"; missing "and Debian's does not run here ($says)" ;;
esac
