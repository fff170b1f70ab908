#!/usr/bin/env bash
# label: serial
# Goal    Every claim of cost is measured by ./bench, in lines that a program can read.
# Method  A quick run of each benchmark; its figures mean nothing and are not judged, but they must be there, and be numbers.
set -euo pipefail
build=${REPRISE_BUILD:?} source=${REPRISE_SOURCE:?}
output=$("$build/bench/gate" --quick)
failed=0
expect() {
  grep -Eq "^$1 $2 [0-9]+(\.[0-9]+)?\$" <<<"$output" || { echo "no line: $1 $2 NUMBER"; failed=1; }
}
for name in gate.off.{mutex,notify,fetch_add} gate.record.{mutex.uncontended,mutex.contended,fetch_add,fetch_add.contended,load} \
  gate.record.{thread,application,shared_read} shared.record.{read,write} gate.replay.{application,mutex.contended}; do
  expect ratio "$name"
  expect noise "$name"
done
for name in gate.mutex.uncontended gate.producer_consumer gate.mutex.change; do
  expect bytes_per_event "$name"
done
"$build/bench/gate" --quick --json | python3 -c 'import json, sys; assert len(json.load(sys.stdin)["figures"]) == 18'
output=$("$build/bench/scale" --quick 2>/dev/null)
for name in scale.{threads,objects}.{memory,time}; do
  expect ratio "$name"
done
output=$("$build/bench/message" --quick)
for name in message.off.{unix,tcp} message.{record,data}.{oneway,call} shared.data.read message.replay.only; do
  expect ratio "$name"
  expect noise "$name"
done
expect bytes_per_event message.order
grep -q '^5.3 shared memory accesses' <<<"$output" || { echo "no tables of the paper"; failed=1; }
output=$("$build/bench/checkpoint" --quick)
for name in checkpoint.{10,100}MB.{checkpoint,fork,write_after,write_before,replay}; do
  expect ms "$name"
done
output=$("$build/bench/mailbox" --quick)
for name in mailbox.record.{async,sync} mailbox.forced.{threads,processes}; do
  expect ratio "$name"
done
output=$("$build/bench/mcapi" --quick)
expect ratio mcapi.send
expect noise mcapi.send
output=$(python3 "$source/benchmarks/mcapi.py" --quick --no-send --only CG 2>/dev/null)
for name in mcapi.{record,replay,memory.record,memory.replay}.{R,S,D}; do
  expect ratio "$name"
done
for name in mcapi.{R,S,D}; do
  expect bytes_per_event "$name"
done
python3 "$source/benchmarks/mcapi.py" --quick --no-send --only CG --json 2>/dev/null |
  python3 -c 'import json, sys; assert len(json.load(sys.stdin)["figures"]) == 15'
output=$(python3 "$source/benchmarks/probe.py" --quick)
for name in probe.failures probe.failures.recorded probe.factor; do
  expect ratio "$name"
done
((failed == 0)) || { echo "$output"; exit 1; }
echo "all figures are told"
