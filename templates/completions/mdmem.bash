# Completions of mdmem for bash: source <(mdmem completions bash)

_mdmem() {
    local candidate
    COMPREPLY=()
    while IFS= read -r candidate; do
        COMPREPLY+=("$candidate")
    done < <(command mdmem complete bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=@/] ]]; then
        compopt -o nospace 2>/dev/null
    fi
}

complete -F _mdmem mdmem
