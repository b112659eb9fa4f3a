# Completion of handoff for bash. For good: handoff completion bash > ~/.local/share/bash-completion/completions/handoff
_handoff() {
	local candidate IFS=$'\n'
	COMPREPLY=()
	for candidate in $(handoff __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null); do
		COMPREPLY+=("${candidate%%$'\t'*}")
	done
}
complete -o default -F _handoff handoff
