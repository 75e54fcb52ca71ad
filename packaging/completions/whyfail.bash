# Completion of whyfail for bash. tests/rules/check_completions.py keeps it in step with `whyfail --help`.
_whyfail() {
  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  case $before in
    --format) COMPREPLY=($(compgen -W "text json markdown sarif" -- "$current")); return ;;
    --prefer) COMPREPLY=($(compgen -W "exact speed fit" -- "$current")); return ;;
    --color) COMPREPLY=($(compgen -W "auto always never" -- "$current")); return ;;
    kb) COMPREPLY=($(compgen -W "list show search check build try export" -- "$current")); return ;;
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=($(compgen -W "--json --format --machine --no-probe --transformers --accelerate --model --context --batch
      --reserve --prefer --color --quiet --kb --version --man --help --trace --apply --backup --trees --explain --output" -- "$current"))
  elif [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "run check fix plan place probe kb" -- "$current") $(compgen -f -- "$current"))
  else
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _whyfail whyfail
