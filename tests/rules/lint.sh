#!/bin/sh
# Formatting, the include rule, and clang-tidy on the sources that changed since a commit:  lint.sh [BASE]
set -eu
cd "$(dirname "$0")/../.."
base=${1:-}
git ls-files '*.cc' '*.h' | xargs clang-format --dry-run -Werror
python3 tests/rules/check_includes.py .
[ -n "$base" ] || base=$(git rev-parse -q --verify HEAD~1 || true)
if [ -n "$base" ]; then changed=$(git diff --name-only --diff-filter=d "$base" -- 'matchers/*.cc' 'kb/*.cc' 'probes/*.cc' 'fixer/*.cc' 'cli/*.cc')
else changed=$(git ls-files 'matchers/*.cc' 'kb/*.cc' 'probes/*.cc' 'fixer/*.cc' 'cli/*.cc'); fi
[ -n "$changed" ] || exit 0
cmake --preset dev >/dev/null
# Two files at a time, quiet unless something is found.
printf '%s\n' "$changed" | xargs -P 2 -n 4 clang-tidy -p build/dev --quiet 2>/dev/null
