#!/bin/bash
# The program as a whole: exit statuses, streams, bad input, files that are rewritten.  program.sh WHYFAIL
set -u
whyfail=$1
golden=$(cd "$(dirname "$0")/golden" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# expect STATUS WHAT COMMAND…: the status, no more than one line on standard error, no signal
expect() {
  local status=$1 what=$2
  shift 2
  "$@" >out 2>err
  local got=$?
  if [ $got -ne "$status" ]; then
    echo "$what: status $got, expected $status: $(head -c 300 err)"
    failed=1
  fi
  if [ "$(wc -l <err)" -gt 1 ]; then
    echo "$what: more than one line on standard error: $(head -c 300 err)"
    failed=1
  fi
}
contains() { # WHAT FILE TEXT
  grep -qF -- "$3" "$2" || { echo "$1: '$3' is not in it: $(head -c 300 "$2")"; failed=1; }
}


expect 0 "explained" "$whyfail" --no-probe "$golden/bad_device_map.txt"
expect 1 "unknown" "$whyfail" --no-probe "$golden/unrelated.txt"
expect 1 "one of two unknown" "$whyfail" --no-probe --json "$golden/bad_device_map.txt" "$golden/unrelated.txt"
[ "$(wc -l <out)" -eq 2 ] || { echo "one report a line is expected for two files"; failed=1; }
expect 1 "empty" "$whyfail" --no-probe /dev/null
head -c 100000 /dev/urandom >binary
expect 1 "binary" "$whyfail" --no-probe binary
printf 'x\0y\xff\xfe\n' >nul
expect 1 "NUL bytes" "$whyfail" --no-probe nul
head -c 20000000 /dev/zero | tr '\0' 'a' >long
expect 1 "one long line" "$whyfail" --no-probe long
expect 2 "no such file" "$whyfail" --no-probe no-such-file
contains "no such file" err no-such-file
expect 2 "a folder" "$whyfail" --no-probe .
expect 2 "wrong option" "$whyfail" --no-such-option
expect 2 "no knowledge base" "$whyfail" --no-probe --kb nul "$golden/bad_device_map.txt"
contains "no knowledge base" err nul
expect 2 "no machine" "$whyfail" --machine no-such-machine "$golden/bad_device_map.txt"
expect 2 "reserve" "$whyfail" --no-probe --reserve much "$golden/bad_device_map.txt"
expect 0 "version" "$whyfail" --version
expect 0 "help" "$whyfail" --help
expect 0 "probe" "$whyfail" probe --json --machine "gpu=8GiB,ram=16GiB"
contains "probe" out whyfail.machine/1

# A reader that goes away is no error worth a word.
"$whyfail" --no-probe "$golden/bad_device_map.txt" 2>err | head -1 >/dev/null
[ -s err ] && { echo "broken pipe: $(cat err)"; failed=1; }
# A full disk is.
"$whyfail" --no-probe "$golden/bad_device_map.txt" >/dev/full 2>err
[ $? -eq 2 ] || { echo "full disk: not status 2"; failed=1; }

# fix: line ends and mode are kept, a second run changes nothing, a backup holds the old file.
printf 'from transformers import AutoModelForCausalLM\r\n\r\nmodel = AutoModelForCausalLM.from_pretrained("gpt2", device_map="gpu")\r\nprint("größe")\r\n' >chat.py
chmod 750 chat.py
cp chat.py before.py
machine="gpu=8GiB:7GiB free,ram=32GiB,disk=200GiB,os=linux"
expect 0 "fix, printed" "$whyfail" fix --machine "$machine" --trace "$golden/bad_device_map.txt" chat.py
contains "fix, printed" out '+model = AutoModelForCausalLM.from_pretrained("gpt2", device_map='
cmp -s chat.py before.py || { echo "fix without --apply changed the file"; failed=1; }
expect 0 "fix, applied" "$whyfail" fix --machine "$machine" --trace "$golden/bad_device_map.txt" --apply --backup chat.py
cmp -s chat.py before.py && { echo "fix --apply changed nothing"; failed=1; }
cmp -s chat.py.bak before.py || { echo "the backup is not the old file"; failed=1; }
[ "$(stat -c %a chat.py)" = 750 ] || { echo "the mode was not kept"; failed=1; }
[ "$(grep -c $'\r$' chat.py)" -eq "$(wc -l <chat.py)" ] || { echo "line ends were not kept"; failed=1; }
[ "$(ls | grep -c 'chat.py\.[A-Za-z0-9]\{6\}$')" -eq 0 ] || { echo "a temporary file was left"; failed=1; }
cp chat.py once.py
expect 1 "fix, again" "$whyfail" fix --machine "$machine" --trace "$golden/bad_device_map.txt" --apply chat.py
cmp -s chat.py once.py || { echo "a second fix changed the file"; failed=1; }
expect 1 "fix, unknown" "$whyfail" fix --machine "$machine" --trace "$golden/unrelated.txt" --apply chat.py
# A folder: the script that the traceback names, wherever it lies in it; never one of a package.
mkdir -p project/src project/lib/site-packages
cp before.py project/src/chat.py
cp before.py project/lib/site-packages/chat.py
expect 0 "fix, folder" "$whyfail" fix --machine "$machine" --trace "$golden/bad_device_map.txt" --apply project/src
cmp -s project/src/chat.py once.py || { echo "fix of a folder did not change its script"; failed=1; }
expect 2 "fix, package" "$whyfail" fix --machine "$machine" --trace "$golden/bad_device_map.txt" --apply project/lib/site-packages/chat.py
cmp -s project/lib/site-packages/chat.py before.py || { echo "a package's file was changed"; failed=1; }
expect 1 "fix, other folder" "$whyfail" fix --machine "$machine" --trace "$golden/bad_device_map.txt" --apply project/lib
cmp -s project/lib/site-packages/chat.py before.py || { echo "a package's file was changed through its folder"; failed=1; }

# Read-only is somebody's wish; a name that links to a script stays a link.
if [ "$(id -u)" != 0 ]; then  # root may write any file
  cp before.py locked.py && mv locked.py chat.py && chmod 444 chat.py
  expect 2 "fix, read-only" "$whyfail" fix --machine "$machine" --trace "$golden/bad_device_map.txt" --apply chat.py
  contains "fix, read-only" err "read-only"
  cmp -s chat.py before.py || { echo "a read-only file was changed"; failed=1; }
fi
rm -f chat.py && cp before.py real.py && ln -s real.py chat.py
expect 0 "fix, link" "$whyfail" fix --machine "$machine" --trace "$golden/bad_device_map.txt" --apply chat.py
[ -L chat.py ] && cmp -s real.py once.py || { echo "fix did not write through the link"; failed=1; }
rm -f chat.py

# Killed at any moment, the script is the old one or the new one.
for delay in 0.001 0.002 0.003 0.005 0.008 0.012 0.02 0.03 0.05 0.1 0.2; do
  cp before.py chat.py
  (timeout -s KILL $delay "$whyfail" fix --machine "$machine" --trace "$golden/bad_device_map.txt" --apply chat.py >/dev/null 2>&1) 2>/dev/null
  cmp -s chat.py before.py || cmp -s chat.py once.py || { echo "a fix that was killed left a damaged script"; failed=1; }
done
rm -f chat.py.??????

# A disk without room: nothing is changed, nothing is left behind.
mkdir -p full
if mount -t tmpfs -o size=8k tmpfs full 2>/dev/null; then
  cp before.py full/chat.py
  head -c 100000 /dev/zero >full/filler 2>/dev/null
  expect 2 "fix, full disk" "$whyfail" fix --machine "$machine" --trace "$golden/bad_device_map.txt" --apply full/chat.py
  cmp -s full/chat.py before.py || { echo "a full disk damaged the script"; failed=1; }
  [ "$(ls full | wc -l)" -eq 2 ] || { echo "a full disk: a temporary file was left"; failed=1; }
  umount full
else
  echo "no tmpfs can be mounted here: the full disk is tested by a limit on file sizes only"
fi

# A notebook: its own output is the traceback, one line of one cell changes and no other byte of the file.
cp "$golden/../notebook/bad_device_map.ipynb" chat.ipynb
expect 0 "fix, notebook" "$whyfail" fix --machine "$machine" --apply chat.ipynb
contains "fix, notebook" out 'chat.ipynb, cell 2'
[ "$(diff "$golden/../notebook/bad_device_map.ipynb" chat.ipynb | grep -c '^>')" -eq 1 ] || { echo "a notebook: more or less than one line changed"; failed=1; }
python3 -c 'import json; json.load(open("chat.ipynb"))' 2>/dev/null || { echo "a notebook was damaged"; failed=1; }

expect 2 "fix, no such file" "$whyfail" fix --machine "$machine" --trace "$golden/bad_device_map.txt" missing.py

expect 0 "plan" "$whyfail" plan gpt2 --machine "$machine" --transformers 4.44.2
contains "plan" out 'from_pretrained("gpt2"'
expect 1 "plan, nothing known" "$whyfail" plan no/such-model-zzz --machine "$machine"
exit $failed
