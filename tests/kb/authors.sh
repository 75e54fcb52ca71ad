#!/bin/sh
# CONTRIBUTING.md's example from an empty folder, with the program: authors.sh WHYFAIL CONTRIBUTING.md
set -u
whyfail=$1
guide=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failed=0

# expect STATUS TEXT COMMAND...: the command ends with STATUS and its output holds TEXT.
expect() {
  status=$1
  text=$2
  shift 2
  output=$("$@" 2>&1 </dev/null)
  got=$?
  case $output in
    *"$text"*) ;;
    *) got="$got, without '$text'" ;;
  esac
  if [ "$got" != "$status" ]; then
    printf 'FAILED: %s\n  expected %s, got %s\n%s\n' "$*" "$status" "$got" "$output"
    failed=1
  fi
}

printf '%s\n' 'RuntimeError: The offload shelf is full: 12 modules are waiting' >paste.txt
mkdir -p data/failures/1c
entry=data/failures/1c/offload-shelf-full.toml
awk '/```toml/ { inside = 1; next } /```/ { inside = 0 } inside { sub(/^   /, ""); print }' "$guide" >$entry

expect 1 "error read, line 1: RuntimeError: The offload shelf is full" "$whyfail" kb try paste.txt
expect 1 "entries that have words of its message" "$whyfail" kb try paste.txt
expect 0 "1 entry, 1 wording, 0 findings" "$whyfail" kb check data
expect 0 "team.db is written" "$whyfail" kb build data -o team.db
expect 0 '"count":"12"' "$whyfail" --kb team.db --no-probe --json paste.txt
expect 0 "answer: offload-shelf-full" "$whyfail" --kb team.db kb try paste.txt
expect 0 "captures count (number)" "$whyfail" --kb team.db kb show offload-shelf-full
expect 0 "offload-folder-required" "$whyfail" --kb team.db kb show offload-folder-required
expect 0 "offload-shelf-full" "$whyfail" --kb team.db kb list
expect 0 "offload-shelf-full" "$whyfail" --kb team.db kb search shelf
printf 'the offload shelf is full of modules\n' >words.txt
expect 1 "offload-shelf-full" "$whyfail" --kb team.db --no-probe words.txt
expect 2 "perhaps" "$whyfail" kb show offload-foldr

sed -i 's/recompute-max-memory/recompute-all/' $entry
expect 1 "there is no strategy 'recompute-all'; there are" "$whyfail" kb check data
expect 1 "other.db is not written" "$whyfail" kb build data -o other.db
expect 1 "is no folder; give the folder that holds failures/" "$whyfail" kb check nowhere
expect 1 "holds no folder failures/" "$whyfail" kb check data/failures
exit $failed
