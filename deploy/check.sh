#!/bin/sh
# Lints the deployment files. Names missing tools; the make target installs those that pip provides.
set -eu
cd "$(dirname "$0")"
"$1/hadolint" Dockerfile && echo "Dockerfile: hadolint finds nothing"
"$1/check-jsonschema" --builtin-schema vendor.compose-spec compose.yaml && echo "compose.yaml: follows the Compose specification's schema"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if command -v systemd-analyze >/dev/null; then
    # systemd-analyze checks that programs exist, and they are not installed here.
    for unit in systemd/*; do sed 's#^ExecStart=/opt/orderly.*#ExecStart=/bin/true#' "$unit" > "$work/$(basename "$unit")"; done
    for name in orderly-node@2026.service orderly-worker@1.service orderly-backup.service orderly-backup.timer; do
        case "$name" in *@*) cp "$work/${name%@*}@.service" "$work/$name" ;; esac
        systemd-analyze verify --man=no "$work/$name"
    done
    echo "systemd units: systemd-analyze finds nothing"
else
    echo "systemd units: not checked, systemd-analyze is not here"
fi
PATH=$PATH:/usr/sbin
if command -v nginx >/dev/null && command -v openssl >/dev/null; then
    # With a temporary certificate instead of the firm's.
    openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=orderly.firm.example \
        -keyout "$work/key.pem" -out "$work/fullchain.pem" 2>/dev/null
    {
        echo "pid $work/nginx.pid; error_log stderr; events {} http { access_log off;"
        sed "s#/etc/ssl/orderly/#$work/#" proxy/nginx.conf
        echo "}"
    } > "$work/nginx.conf"
    nginx -t -q -e stderr -c "$work/nginx.conf"
    echo "proxy/nginx.conf: nginx -t finds nothing"
else
    echo "proxy/nginx.conf: not checked, nginx is not here"
fi
