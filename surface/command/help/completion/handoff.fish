# Completion of handoff for fish. For good: handoff completion fish > ~/.config/fish/completions/handoff.fish
function __handoff_candidates
    set -l words (commandline -opc)
    handoff __complete $words[2..-1] "$(commandline -ct)" 2>/dev/null
end
# Where handoff has nothing to offer, files are.
complete -c handoff -n 'count (__handoff_candidates) >/dev/null' -f -a '(__handoff_candidates)'
