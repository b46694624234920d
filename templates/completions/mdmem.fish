# Completions of mdmem for fish: mdmem completions fish > ~/.config/fish/completions/mdmem.fish

function __mdmem_complete
    set -l line (commandline --cut-at-cursor --current-process)
    command mdmem complete fish -- "$line" 2>/dev/null
end

complete --command mdmem --no-files --keep-order --arguments '(__mdmem_complete)'
