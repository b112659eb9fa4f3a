package reconcile

// Severity says how bad a finding is. The zero value is none.
type Severity uint8

// The severities: a note is worth knowing; a warning is something that is not
// as it should be; an error leads the next reader astray, or content is lost.
const (
	Note Severity = iota + 1
	Warning
	Error
)

// Rule is something that [Check] finds. It is not a lint rule: it is about
// what stands between the files of a task, not about the words of one.
type Rule struct {
	Name     string // what is flagged; reads well after "allow"
	Severity Severity
	Summary  string // one line
	Doc      string // what is meant, why it matters, what mends it
}

// Rules are all that Check knows, by name.
var Rules = []Rule{
	{CaseClash, Error, "names that differ in case only are one file on some systems",
		"Two files of a task, or two task folders, have names that differ in case only, or the metadata spells a file's " +
			"name in another case. On macOS and Windows the one file takes the other's place; on Linux the path leads " +
			"nowhere. Rename one of them."},
	{DamagedBlob, Error, "a bundle's bytes are not those it was named for",
		"A blob is named by the SHA-256 of its bytes; these have another. Whoever reads the bundle reads something that " +
			"nobody wrote. `--fix` makes the bundle again from the document."},
	{DamagedThread, Error, "a thread or a run cannot be read to its end",
		"A line of a file below `.handoff/threads` or `.handoff/sessions` is no event of it, its beginning is gone, or a branch " +
			"goes on from what is not there. What stands before the damage is served, nothing behind it; and nobody mends it, " +
			"because nobody can know what stood there. Take the file from a backup, or cut it before that line yourself."},
	{DanglingPath, Error, "the metadata names a file that is not there",
		"handoff_path, or the path of an output, leads to no file: the lead starts a successor with nothing to read. " +
			"`--fix` follows a document that was moved or renamed; else correct the path or take the entry out. A path " +
			"that is no handoff's is a warning, and none in a task that was put away."},
	{ForeignPath, Error, "a path or an id of the metadata leads out of the workspace",
		"Paths in metadata are relative to the workspace, with forward slashes; ids are 64 digits of lower-case hex. An " +
			"absolute path dies on the next machine, and one with `..` reads what is none of the task's business."},
	{HandoffFirst, Warning, "a handoff is the first of several outputs",
		"Programs that read metadata take the first output for the task's result. Sync adds a handoff after all " +
			"others; it is first only in a list that was empty. Move its entry to the end of artifacts."},
	{KeptAside, Error, "a file that another program wrote was kept aside",
		"Two programs wrote a file of the task in the same moment, and neither can have known what the other wrote. The file " +
			"has what was written last; what was written before lies beside it, in NAME.handoff-saved-DIGEST. Take over what is " +
			"missing, then delete that file."},
	{LinkedOutside, Error, "a symbolic link leads out of the workspace",
		"A handoff, the metadata, a progress file, a blob or a whole task folder is a link to something outside: it is not in " +
			"the repository, and who reads or writes it touches another place. Put the file or folder itself there."},
	{MalformedOutput, Warning, "outputs are not written as {type, path, summary}",
		"artifacts is a list of objects, each with type, path and summary. Programs that look for a path in it find " +
			"none in a plain text or in an object of another form."},
	{MalformedProgress, Warning, "partial_progress is not an object, details no text, or a count no whole number",
		"partial_progress is an object; its details are a text, its phases_completed and phases_total whole numbers. A " +
			"program that adds one to a list of phases starts the wrong phase."},
	{MisplacedHandoffPath, Warning, "handoff_path stands outside partial_progress",
		"Programs look for handoff_path in partial_progress, and nowhere else. Take it away at the other place."},
	{MismatchedThread, Error, "a document's thread does not begin as the document says",
		"With `threads: true` the id of a document's thread follows from its path, its bundle and the thread before it. The " +
			"thread of that id begins otherwise: with another bundle, behind another thread or at another event, so that who " +
			"goes on there goes on from something else. Sync leaves a thread that is there alone. Take its file away, or put " +
			"it elsewhere; `handoff sync` makes it again."},
	{MissedHandoff, Error, "handoff_path does not name the newest handoff",
		"The lead agent reads partial_progress.handoff_path to find what a successor must know. It is missing, or names " +
			"an older document, while the task waits for somebody to go on. `--fix` sets it."},
	{MissingBlob, Error, "an artifact is not in the store",
		"The metadata, a document or a thread names an artifact that `.rip/artifacts/blobs` does not hold, and that is not the " +
			"bundle of a document as it is now. Get it from where it was made."},
	{NullHandoffPath, Note, "handoff_path is null",
		"Where there is no handoff the key is left out: some readers take \"null\" for a path."},
	{PhasesMismatch, Warning, "the phase counts of the metadata are not those of the plan",
		"The newest plan's headings show how many phases there are and which are [COMPLETED]; partial_progress has other " +
			"counts. `--fix` counts the headings. A plan in which none is marked only shows how many there are. A plan with a " +
			"heading that can be read in two ways is not compared, and a higher count of completed phases is accepted: plans " +
			"are marked late."},
	{StaleBundle, Error, "a document was edited after it was linked",
		"The bundle that an output names was made of another text than the document now has, so that a successor who is " +
			"given the bundle reads old news. `--fix` makes the bundle again and links it."},
	{UnclearHandoff, Warning, "it cannot be told which handoff is the newest, or whether it was taken up",
		"The names and the text of the handoffs, git and the times of the files do not show which handoff is the newest, or the " +
			"metadata may be older or newer than it: a name with a date only, say, and started_at on that day. Nothing changes " +
			"then. Set partial_progress.handoff_path and status yourself, or give the handoff a name with its time."},
	{UnlinkedHandoff, Warning, "no output names a handoff with its bundle",
		"Each document of the handoffs folder is in the metadata's artifacts, with the id of its bundle. `--fix` adds it. Where " +
			"there is no metadata that is a note: leads delete it when they have dealt with it, and `--fix` makes none."},
	{UnparsableFile, Error, "metadata or a progress file is no JSON object",
		"The file is not JSON, no object, or has a key twice. It is never changed before a person has mended it, and " +
			"until then nothing in it can be relied on."},
	{UnreadableFile, Error, "a file of the task cannot be read",
		"A file is too large, no regular file, not permitted, or no UTF-8 text, so nothing can be said of it."},
	{UnstoredBundle, Note, "a linked bundle is not in the store, but follows from its document",
		"`.rip/` need not be committed: in a fresh checkout the store is empty. The document yields exactly the bundle that the " +
			"metadata names, so the link holds. `--fix`, or `handoff sync`, stores the bundle."},
	{UnthreadedHandoff, Warning, "a document, or a task, has no thread",
		"With `threads: true` each task has a thread, and each document of it one that begins with the document's bundle, " +
			"behind the thread of the document before or of the one that it names. `--fix` makes those that are missing, as " +
			"`handoff sync` does. One that would go on from a thread or an event that is not here nobody can make: mend " +
			"thread and seq at the top of the document."},
	{WrongCount, Note, "handoff_count is not the number of the phase's handoffs",
		"progress/phase-P-progress.json counts the documents of its phase in handoff_count. `--fix` counts again."},
	{WrongStage, Warning, "stage does not say what the newest document is",
		"While a handoff waits, stage is context_exhaustion_handoff; a report of a closed phase never is one, and without " +
			"a document there is nothing to go on with. `--fix` sets it where a handoff waits."},
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

// RuleNamed is the rule of that name, nil for none.
func RuleNamed(name string) *Rule {
	for i := range Rules {
		if Rules[i].Name == name {
			return &Rules[i]
		}
	}
	return nil
}
