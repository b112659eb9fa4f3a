#!/usr/bin/env bash
# The step of action.yml that checks. Its variables are described there. It also runs
# on macOS, whose bash is 3.2: no mapfile, and no empty arrays under set -u.
set -eo pipefail

reports=$RUNNER_TEMP/handoff-reports
mkdir -p "$reports"
paths=()
while IFS= read -r path; do
	[ -z "${path// /}" ] || paths+=("$path")
done <<<"$PATHS"
flags=()
[ "$STRICT" != true ] || flags+=(--strict)

# Documents decide what is printed, so no line may be read as a command of the
# workflow. Problem matchers still see them.
echo "::add-matcher::$GITHUB_ACTION_PATH/.github/handoff-matcher.json"
token=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
echo "::stop-commands::$token"

# check prints findings, writes them to files and to the summary of the job, and
# raises $status to the exit status of the command.
status=0
check() {
	local name=$1 code=0
	shift
	"$BINARY" "$name" "${flags[@]}" --output "sarif=$reports/$name.sarif" "$@" >"$reports/$name.txt" 2>"$reports/$name.err" || code=$?
	cat "$reports/$name.txt" "$reports/$name.err"
	[ "$code" -le "$status" ] || status=$code
	{
		printf '### handoff %s\n\n' "$name"
		if [ -s "$reports/$name.txt" ] || [ -s "$reports/$name.err" ]; then
			# An indented block: no text of a document can end it.
			head -n 100 "$reports/$name.txt" | sed 's/^/    /'
			tail -n 5 "$reports/$name.err" | sed 's/^/    /'
		else
			echo 'No findings.'
		fi
		echo
	} >>"$GITHUB_STEP_SUMMARY"
}
check lint "${paths[@]}"
[ "$VERIFY" != true ] || check verify

echo "::$token::"
for owner in handoff handoff-file handoff-note handoff-file-note; do
	echo "::remove-matcher owner=$owner::"
done
echo "status=$status" >>"$GITHUB_OUTPUT"
echo "reports=$reports" >>"$GITHUB_OUTPUT"
exit "$status"
