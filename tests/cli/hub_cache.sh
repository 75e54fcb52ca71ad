#!/bin/bash
# Which folder a model id is looked up in: the order of huggingface_hub (constants.py, 0.36.2 and 2.4.0 alike) and, before
# it, TRANSFORMERS_CACHE of transformers 4 (utils/hub.py, 4.30.2 to 4.57.6).  hub_cache.sh WHYFAIL
set -u
whyfail=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

# A cache that holds acme/tiny with so many tokens in its vocabulary: each tells its folder by the model's size.
cache() { # FOLDER TOKENS
  local model="$1/models--acme--tiny"
  mkdir -p "$model/refs" "$model/snapshots/0123abcd"
  printf 0123abcd >"$model/refs/main"
  printf '{"model_type":"llama","architectures":["LlamaForCausalLM"],"vocab_size":%s,"hidden_size":64,"intermediate_size":128,"num_hidden_layers":1,"num_attention_heads":4,"num_key_value_heads":4,"tie_word_embeddings":true}' "$2" \
    >"$model/snapshots/0123abcd/config.json"
}
cache "$work/home/.cache/huggingface/hub" 1001
cache "$work/xdg/huggingface/hub" 1002
cache "$work/hf/hub" 1003
cache "$work/legacy" 1004
cache "$work/hub" 1005
cache "$work/transformers" 1006

rest=$((4 * 64 * 64 + 3 * 64 * 128 + 3 * 64))
finds() { # WHAT TOKENS VARIABLE=VALUE…
  local what=$1 tokens=$2
  shift 2
  env -i PATH="$PATH" HOME="$work/home" "$@" "$whyfail" plan acme/tiny --json --transformers 4.44.2 >out 2>err
  grep -q "\"parameters\": *$((tokens * 64 + rest))[,}]" out || {
    echo "$what: not the model with $tokens tokens: $(grep -o '"parameters": *[0-9]*' out) $(head -c 200 err)"
    failed=1
  }
}
finds "home" 1001
finds "XDG_CACHE_HOME" 1002 XDG_CACHE_HOME="$work/xdg"
finds "HF_HOME" 1003 HF_HOME="$work/hf" XDG_CACHE_HOME="$work/xdg"
finds "HF_HOME with ~" 1001 HF_HOME="~/.cache/huggingface"
finds "HUGGINGFACE_HUB_CACHE" 1004 HUGGINGFACE_HUB_CACHE="$work/legacy" HF_HOME="$work/hf"
finds "HF_HUB_CACHE" 1005 HF_HUB_CACHE="$work/hub" HUGGINGFACE_HUB_CACHE="$work/legacy" HF_HOME="$work/hf"
finds "TRANSFORMERS_CACHE" 1006 TRANSFORMERS_CACHE="$work/transformers" HF_HUB_CACHE="$work/hub"
finds "an empty TRANSFORMERS_CACHE folder" 1005 TRANSFORMERS_CACHE="$work/nothing" HF_HUB_CACHE="$work/hub"
exit $failed
