package reconcile

// Severity is how bad a finding is. The zero value is not a severity.
type Severity uint8

// The severities: a note is worth knowing; a warning is a defect; an error
// misleads the next reader or loses content.
const (
	Note Severity = iota + 1
	Warning
	Error
)

// Rule is a kind of problem that [Check] finds. Lint rules check the words of
// one file; these check that the files of a task agree.
type Rule struct {
	Name     string // what is flagged; reads well after "allow"
	Severity Severity
	Summary  string // one line
	Doc      string // what is flagged, why it matters, how to fix it
}

// Rules lists every rule of Check, by name.
var Rules = []Rule{
	{CaseClash, Error, "names that differ only in case are one file on some systems",
		"Two files of a task, or two task folders, have names that differ only in case, or the metadata spells a file name " +
			"in another case. On macOS and Windows one file replaces the other; on Linux the path does not exist. Rename " +
			"one of them."},
	{DamagedBlob, Error, "a bundle's bytes do not match its name",
		"A blob is named by the SHA-256 of its bytes; these bytes have another. A reader of the bundle gets content that " +
			"nobody wrote. `--fix` rebuilds the bundle from the document."},
	{DamagedThread, Error, "a thread or a run cannot be read to its end",
		"A line of a file below `.handoff/threads` or `.handoff/sessions` is not a valid event, its beginning is missing, or " +
			"a branch continues from something that does not exist. What comes before the damage is served, nothing after it. " +
			"There is no fix, because the lost content is unknown. Restore the file from a backup, or cut it before that line."},
	{DanglingPath, Error, "the metadata names a file that does not exist",
		"handoff_path, or the path of an output, names a missing file: the lead starts a successor with nothing to read. " +
			"`--fix` follows a document that was moved or renamed; otherwise correct the path or remove the entry. For a path " +
			"to another kind of file this is a warning; archived tasks are not checked for those."},
	{ForeignPath, Error, "a path or an id of the metadata leads out of the workspace",
		"Paths in metadata are relative to the workspace, with forward slashes; ids are 64 digits of lower-case hex. An " +
			"absolute path breaks on the next machine, and one with `..` reads files outside the task."},
	{HandoffFirst, Warning, "a handoff is the first of several outputs",
		"Programs that read metadata treat the first output as the task's result. Sync adds a handoff after all " +
			"others; it is first only in a list that was empty. Move its entry to the end of artifacts."},
	{KeptAside, Error, "a file that another program wrote was kept aside",
		"Two programs wrote a file of the task at the same moment, without knowing of each other. The file contains what was " +
			"written last; the earlier content is next to it, in NAME.handoff-saved-DIGEST. Copy over what is missing, then " +
			"delete that file."},
	{LinkedOutside, Error, "a symbolic link leads out of the workspace",
		"A handoff, the metadata, a progress file, a blob or a whole task folder is a symlink to something outside: it is not " +
			"in the repository, and reading or writing it touches another place. Replace the link with the file or folder."},
	{MalformedOutput, Warning, "outputs are not of the form {type, path, summary}",
		"artifacts is a list of objects, each with type, path and summary. Programs that look for a path find none in a " +
			"string or in an object of another form."},
	{MalformedProgress, Warning, "partial_progress is not an object, details not a string, or a count not a whole number",
		"partial_progress is an object; its details are a string, its phases_completed and phases_total whole numbers. A " +
			"program that adds one to a list of phases starts the wrong phase."},
	{MisplacedHandoffPath, Warning, "handoff_path is outside partial_progress",
		"Programs look for handoff_path only in partial_progress. Remove it from the other place."},
	{MismatchedThread, Error, "a document's thread does not begin as the document requires",
		"With `threads: true` the id of a document's thread follows from its path, its bundle and the thread before it. The " +
			"thread with that id begins with another bundle, after another thread or at another event, so an agent that " +
			"continues it continues from something else. Sync leaves an existing thread alone. Move its file away; " +
			"`handoff sync` creates it again."},
	{MissedHandoff, Error, "handoff_path does not name the newest handoff",
		"The lead agent reads partial_progress.handoff_path to find what a successor must know. It is missing, or names " +
			"an older document, while a handoff waits. `--fix` sets it."},
	{MissingBlob, Error, "an artifact is not in the store",
		"The metadata, a document or a thread names an artifact that is not in `.rip/artifacts/blobs` and is not the current " +
			"bundle of a document. Copy it from where it was created."},
	{NullHandoffPath, Note, "handoff_path is null",
		"Leave the key out if there is no handoff: some readers treat \"null\" as a path."},
	{PhasesMismatch, Warning, "the phase counts of the metadata differ from the plan",
		"The newest plan's headings show how many phases there are and which are [COMPLETED]; partial_progress has other " +
			"counts. `--fix` counts the headings. A plan without marks only shows how many there are. A plan with an " +
			"ambiguous heading is not compared, and a higher count of completed phases is accepted: plans are marked late."},
	{StaleBundle, Error, "a document was edited after it was linked",
		"The linked bundle was made from an older text of the document, so a successor that gets the bundle reads old " +
			"content. `--fix` rebuilds the bundle and links it."},
	{UnclearHandoff, Warning, "it is unclear which handoff is the newest, or whether it was taken up",
		"The names and text of the handoffs, git and file times do not show which handoff is the newest, or the metadata may " +
			"be older or newer than it: for example a name with only a date, and started_at on that day. Nothing changes " +
			"then. Set partial_progress.handoff_path and status yourself, or give the handoff a name with its time."},
	{UnlinkedHandoff, Warning, "no output names a handoff with its bundle",
		"Each document of the handoffs folder belongs in the metadata's artifacts, with the id of its bundle. `--fix` adds it. " +
			"Without metadata this is a note: leads delete it when they are done, and `--fix` creates none."},
	{UnparsableFile, Error, "metadata or a progress file is not a JSON object",
		"The file is not JSON, not an object, or has a duplicate key. It is never changed until a person has fixed it, and " +
			"until then nothing in it is reliable."},
	{UnreadableFile, Error, "a file of the task cannot be read",
		"A file is too large, not a regular file, not permitted, or not UTF-8, so it was not checked."},
	{UnstoredBundle, Note, "a linked bundle is not in the store, but can be rebuilt from its document",
		"`.rip/` need not be committed: in a fresh checkout the store is empty. The document yields exactly the bundle that the " +
			"metadata names, so the link is valid. `--fix`, or `handoff sync`, stores the bundle."},
	{UnthreadedHandoff, Warning, "a document, or a task, has no thread",
		"With `threads: true` each task has a thread, and each of its documents one that begins with the document's bundle, " +
			"after the thread of the previous document or the one it names. `--fix` creates the missing ones, as " +
			"`handoff sync` does. If the thread or event to continue from does not exist, correct thread and seq at the top " +
			"of the document."},
	{WrongCount, Note, "handoff_count is not the number of the phase's handoffs",
		"progress/phase-P-progress.json counts the documents of its phase in handoff_count. `--fix` counts again."},
	{WrongStage, Warning, "stage does not match the newest document",
		"While a handoff waits, stage is context_exhaustion_handoff; a report of a closed phase never is one, and without " +
			"a document there is nothing to continue from. `--fix` sets it if a handoff waits."},
}

// The names of the rules.
const (
	CaseClash            = "case-clash"
	DamagedBlob          = "damaged-blob"
	DamagedThread        = "damaged-thread"
	DanglingPath         = "dangling-path"
	ForeignPath          = "foreign-path"
	HandoffFirst         = "handoff-first"
	KeptAside            = "kept-aside"
	LinkedOutside        = "linked-outside"
	MalformedOutput      = "malformed-output"
	MalformedProgress    = "malformed-progress"
	MisplacedHandoffPath = "misplaced-handoff-path"
	MismatchedThread     = "mismatched-thread"
	MissedHandoff        = "missed-handoff"
	MissingBlob          = "missing-blob"
	NullHandoffPath      = "null-handoff-path"
	PhasesMismatch       = "phases-mismatch"
	StaleBundle          = "stale-bundle"
	UnclearHandoff       = "unclear-handoff"
	UnlinkedHandoff      = "unlinked-handoff"
	UnparsableFile       = "unparsable-file"
	UnreadableFile       = "unreadable-file"
	UnstoredBundle       = "unstored-bundle"
	UnthreadedHandoff    = "unthreaded-handoff"
	WrongCount           = "wrong-count"
	WrongStage           = "wrong-stage"
)

// RuleNamed is the rule with that name, or nil.
func RuleNamed(name string) *Rule {
	for i := range Rules {
		if Rules[i].Name == name {
			return &Rules[i]
		}
	}
	return nil
}
