#!/usr/bin/env bash
# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# Brings what `make test` needs from outside Go: a C compiler for the race detector and roots of
# trust (Debian packages, installed when root, named otherwise), Node.js with npm (named only), and
# what e2e/setup.sh installs, fetches and builds: PostgreSQL, published servers and clients, the
# conformance suite; and what clients/setup.sh installs: the frameworks that our clients wrap.
# Does nothing, fast, when all of it is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

echo "== setup: what the tests need from outside"

# The race detector links against the C library.
has_libc_headers() {
  printf '#include <stdlib.h>\n' | gcc -E -xc - >/dev/null 2>&1
}

missing=()
command -v git >/dev/null || missing+=(git)
command -v gcc >/dev/null || missing+=(gcc)
# Without roots of trust nothing can be fetched; elsewhere than on Debian they have other places.
if command -v apt-get >/dev/null && [[ ! -e /etc/ssl/certs/ca-certificates.crt ]]; then missing+=(ca-certificates); fi
has_libc_headers || missing+=(libc6-dev)
command -v python3 >/dev/null || missing+=(python3) # runs the tests of the Python client, which needs nothing else

if ((${#missing[@]} > 0)); then
  if [[ $EUID -eq 0 ]] && command -v apt-get >/dev/null; then
    echo "installing Debian packages: ${missing[*]}"
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -q
    apt-get install -y -q --no-install-recommends "${missing[@]}"
  else
    echo "these programs are missing; install them, then run make again:" >&2
    echo "  sudo apt-get install --no-install-recommends ${missing[*]}" >&2
    exit 1
  fi
fi

# Node.js runs the published MCP servers, clients and the conformance suite.
node_major=$(node --version 2>/dev/null | sed -n 's/^v\([0-9]*\)\..*/\1/p')
if [[ -z $node_major ]] || ((node_major < 20)) || ! command -v npm >/dev/null; then
  echo "Node.js 20 or newer with npm is needed (found: $(node --version 2>/dev/null || echo none));" >&2
  echo "install it from https://nodejs.org, then run make again" >&2
  exit 1
fi

bash e2e/setup.sh
bash clients/setup.sh
