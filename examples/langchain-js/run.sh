#!/usr/bin/env bash
# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the gate and the client where they are missing, installs the example, and runs it.
set -euo pipefail
cd "$(dirname "$0")"
root=../.. client=../../clients/typescript

[[ -x $root/bin/toolverdict ]] || make -C "$root" build
bash "$root/clients/setup.sh"
[[ -d $client/dist ]] || npm --prefix "$client" run build --silent
# The client is a copy here, as it is from a registry: the newest one.
rm -rf node_modules/@toolverdict/client/dist
cp -R "$client/dist" node_modules/@toolverdict/client/dist

exec node main.js
