# The machine on which the examples of the helps are run: a workspace with some history, a remote, files to import, and
# programs of other people that do nothing.
set -e
mkdir -p ~/bin ~/work ~/notes ~/src/app ~/projects/site ~/.zfunc ~/.config/fish/completions ~/.local/share/man/man1
for name in jq code vim claude man systemctl; do
  printf '#!/bin/sh\ncase $*,$0 in *-l*,*|*,*jq) cat >/dev/null ;; esac\nexit 0\n' >~/bin/$name
done
printf '#!/bin/sh\necho "One line more." >>"$1"\n' >~/bin/editor
printf '#!/bin/sh\ncat >/dev/null\necho "[]"\n' >~/bin/model
chmod +x ~/bin/*
cd ~/work
git init -q
git commit -q --allow-empty -m 'Run the tests with nextest'
git init -q --bare ~/remote.git
printf '# Rules\n\n- Use the staging cluster for load tests, never production\n' >CLAUDE.md
printf 'Which cache do plugins use?\n' >questions.txt
printf '# A note\n\nThe office closes at six.\n' >~/notes/office.md

on() { MDMEM_NOW=$1T10:00:00Z mdmem "${@:2}"; }
on 2026-10-01 init -q
store=$(mdmem path)
mkdir -p $store/system
printf 'Use npm cache for plugin loading, not npm link\n' >$store/decision/use-npm-cache.md
printf -- '---\nid: mem_01K9ZQ5T0W8C2X3V5B7N9M1P3R\n---\nThe old port is 8080, in the timezone of postgres\n' >$store/project/old-port.md
printf -- '---\nid: mem_01K9ZQ4T0W8C2X3V5B7N9M1P3R\n---\nThe cat is called Tom\n' >$store/user/cat.md
printf 'I work at night.\n' >$store/system/human.md
on 2026-10-01 sweep -q
on 2026-10-02 forget -q cat
printf 'Use npm cache for plugin loading, not npm link; why: postgres\n' >$store/decision/use-npm-cache.md
on 2026-10-20 sweep -q
on 2026-10-21 sync -q ~/remote.git
on 2026-10-23 export -q --to json memories.json
on 2026-10-24 add -q -t decision 'Deploy on Mondays'
on 2026-10-24 undo -q

mkdir -p ~/.claude/projects/work
for id in 4f1c0001 77ab0002; do
  for minute in 1 2 3; do
    printf '{"type":"user","uuid":"%s","timestamp":"2026-10-25T10:0%s:00Z","cwd":"%s","message":{"role":"user","content":"Which plugin cache?"}}\n' \
      $minute $minute "$PWD"
  done >~/.claude/projects/work/$id.jsonl
done
