#!/usr/bin/env bash
# Copyright 2026 The Toolverdict Authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: examples/coding-agent/try.sh
#
# Plays a session of a coding agent against the hook, as the agent's settings start it, in a home
# folder made for the play. No tool is run: only the hook is asked. KEEP=1 leaves the folder.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)

toolverdict=${TOOLVERDICT:-}
if [[ -z $toolverdict ]]; then
  make -s -C "$root" build
  toolverdict=$root/bin/toolverdict
fi

HOME=$(cd "$(mktemp -d)" && pwd -P)
export HOME
unset "${!TOOLVERDICT_@}" XDG_CONFIG_HOME CLAUDE_PROJECT_DIR CLAUDE_CONFIG_DIR
served=
finish() {
  if [[ -n $served ]]; then kill "$served" 2>/dev/null && wait "$served" || true; fi
  if [[ -z ${KEEP:-} ]]; then rm -rf "$HOME"; else echo "kept: $HOME"; fi
}
trap finish EXIT

# The gate's files lie outside of the folder that the agent works in.
own=$HOME/.config/toolverdict
mkdir -p "$own" "$HOME/app/.git" "$HOME/.ssh"
sed "s#HOME#$HOME#g" "$here/toolverdict.yaml.in" >"$own/toolverdict.yaml"
for file in policy catalog; do
  sed "s#/workspace#$HOME/app#g" "$root/examples/starters/coding-agent/$file.yaml" >"$own/$file.yaml"
done
cp "$here/talk.yaml" "$own/talk.yaml"
cd "$HOME/app"

step() { printf '\n== %s\n' "$1"; }

# ask TOOL INPUT ID tells the hook of a call, as Claude Code does, and says what it answers.
ask() {
  local answer
  answer=$(printf '{"session_id":"play","cwd":"%s","hook_event_name":"PreToolUse","tool_name":"%s","tool_input":%s,"tool_use_id":"%s"}' \
    "$PWD" "$1" "$2" "$3" | "$toolverdict" hook claude-code)
  if [[ $answer == '{}' ]]; then echo 'no objection'; else
    answer=${answer#*'"permissionDecisionReason":"Toolverdict: '}
    answer=${answer%' Do not retry.'*}
    answer=${answer%' Tell the user'*}
    echo "denied: ${answer//'\"'/}"
  fi
}

# told TOOL INPUT ID tells the hook that the tool has run.
told() {
  printf '{"session_id":"play","cwd":"%s","hook_event_name":"PostToolUse","tool_name":"%s","tool_input":%s,"tool_use_id":"%s","tool_response":{}}' \
    "$PWD" "$1" "$2" "$3" | "$toolverdict" hook claude-code >/dev/null
}

step 'the agent works'
number=0
while read -r tool input; do
  if [[ -z $tool || $tool == '#'* ]]; then continue; fi
  number=$((number + 1))
  input=${input//HOME/$HOME}
  printf '%s %s\n' "$tool" "${input//$HOME/'~'}"
  answer=$(ask "$tool" "$input" "call-$number")
  printf '    %s\n' "${answer//$HOME/'~'}"
done <"$here/session.txt"

step 'a person answers what waits: the push'
"$toolverdict" serve --config "$own/toolverdict.yaml" >"$own/serve.log" 2>&1 &
served=$!
gate() { "$toolverdict" "$@" --data "$own/data"; }
for ((i = 0; i < 100; i++)); do
  if waiting=$(gate approvals list --as me 2>/dev/null); then break; fi
  sleep 0.1
done
push='{"command":"git push origin main"}'
id=$(awk '/git push/ { print $1 }' <<<"$waiting")
gate approvals approve "$id" --as me --reason 'reviewed the commits'
echo "the same call again:  $(ask Bash "$push" push-2)"
told Bash "$push" push-2
echo "and once more:        $(ask Bash "$push" push-3)"

step 'the record'
gate audit tail -n 6
gate audit verify
