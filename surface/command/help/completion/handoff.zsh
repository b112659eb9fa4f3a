#compdef handoff
# Completion of handoff for zsh. For good: handoff completion zsh > a folder of $fpath/_handoff
_handoff() {
	local candidate
	local -a candidates
	for candidate in "${(@f)$(handoff __complete "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
		[[ -n $candidate ]] && candidates+=("${${candidate%%$'\t'*}//:/\\:}:${candidate#*$'\t'}")
	done
	if (( $#candidates )); then
		_describe -V handoff candidates
	else
		_files
	fi
}
# Read from $fpath it is the function itself, by eval it only defines it.
if [[ $funcstack[1] = _handoff ]]; then
	_handoff "$@"
else
	compdef _handoff handoff
fi
