# Completions of mdmem for fish: mdmem completions fish > ~/.config/fish/completions/mdmem.fish

function __mdmem_complete
    set -l line (commandline --cut-at-cursor --current-process)
    set -l found (command mdmem complete fish -- "$line" 2>/dev/null)
    if test "$found[1]" = /
        __fish_complete_path (commandline --cut-at-cursor --current-token)
    else if set -q found[1]
        printf '%s\n' $found
    end
end

complete --command mdmem --no-files --keep-order --arguments '(__mdmem_complete)'
