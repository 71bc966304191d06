#!/usr/bin/env bash
# Installs the servers that the storage drivers are tested against, with the packages of Debian or Ubuntu: redis-server and
# postgresql. Does nothing when they are there. `npm install` never runs this; `npm test` does, when a server is missing.
set -euo pipefail

missing=()
command -v redis-server >/dev/null || missing+=(redis-server)
command -v initdb >/dev/null || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null || missing+=(postgresql)
if ((${#missing[@]} == 0)); then exit 0; fi

echo "missing: ${missing[*]}"
if ! command -v apt-get >/dev/null; then
  echo 'this script knows only apt-get: install Redis and PostgreSQL yourself, so that redis-server and initdb are in the PATH' >&2
  exit 1
fi
as_root=()
if ((EUID != 0)); then
  if ! command -v sudo >/dev/null; then
    echo "not root and no sudo: ask an administrator for apt-get install ${missing[*]}" >&2
    exit 1
  fi
  # Without a terminal a question for a password would wait for ever.
  as_root=(sudo -n)
fi

echo "installing with apt-get: ${missing[*]}; the tests start servers of their own and leave the installed services alone"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
