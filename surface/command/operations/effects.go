package operations

import (
	"slices"
	"strings"

	"handoff/surface/command/cli"
	"handoff/workspace/handoffops"
	"handoff/workspace/ops"
	"handoff/workspace/tapeops"
	"handoff/workspace/threadops"
)

// Effect is what a command, an argument or a flag does besides reading the workspace and
// printing.
type Effect string

// The effects. A level allows some of them: see [Use].
const (
	NoEffect        Effect = ""
	KeepsRecords    Effect = "records"  // writes what a successor needs: receipts, a handoff with its links, notes
	NamesPath       Effect = "path"     // names a file or folder; a command that writes may write there
	NamesFile       Effect = "file"     // names a file that is written
	WritesFiles     Effect = "writes"   // changes files of the workspace
	StartsPrograms  Effect = "starts"   // starts programs
	ChangesSettings Effect = "settings" // changes what agents, git or handoff run
	IsConnected     Effect = "connects" // connects to a server, or is one
	IsOutside       Effect = "outside"  // works outside of the workspace
)

// Reasons say why an agent below the level all must not use it.
var Reasons = map[Effect]string{
	WritesFiles:     "changes files",
	StartsPrograms:  "runs programs",
	ChangesSettings: "changes what other programs run",
	IsConnected:     "connects to a server",
	IsOutside:       "works outside of the workspace",
}

// Declared is what a command may do. flags are all its flags, each as NAME or NAME:EFFECT;
// "*" for a command that is refused as a whole.
type Declared struct {
	Does, Args Effect
	Tail       Effect // of the arguments after the first one, if they do something else
	Flags      string
}

// Flags that several commands have.
const (
	everywhere = "C:path json color format quiet "
	ofDocument = "task phase slug next-action file location goal decision deviation dead-end context reference understand-first waiting-for left-running profile "
	remote     = "server:connects token-file:path "
	onTape     = remote + "bub:path tape "
	allTapes   = remote + "bub:path "
	actor      = "actor-id origin "
	toLint     = "allow-empty only disable profile max-lines config:path no-config stdin-filename:path "
)

// declaredEffects are those of all commands, by their name after handoff, except for the
// operations of effectsOf. A new command or flag needs its place here: what is not declared is refused below the level all.
func declaredEffects() map[string]Declared {
	return map[string]Declared{
		"init":        {Does: "settings", Flags: "*"},
		"setup":       {Does: "settings", Flags: "*"},
		"trust":       {Does: "settings", Flags: "*"}, // which is refused in all sessions of agents, too
		"spawn":       {Does: "starts", Flags: "*"},
		"relay":       {Does: "starts", Flags: "*"},
		"run":         {Does: "starts", Flags: "*"},
		"acp":         {Does: "starts", Flags: "*"},
		"top":         {Does: "starts", Flags: "*"}, // a key starts an agent
		"draft":       {Does: "starts", Flags: "*"}, // git, and programs that export a session
		"doctor":      {Does: "starts", Flags: "*"}, // the handoff that PATH has
		"tape exec":   {Does: "starts", Flags: "*"},
		"serve":       {Does: "connects", Flags: "*"},
		"store check": {Does: "connects", Flags: "*"}, "store copy": {Does: "connects", Flags: "*"}, "store drain": {Does: "connects", Flags: "*"},
		"demo":        {Does: "outside", Flags: "*"},
		"tape import": {Does: "outside", Flags: "*"}, "tape export": {Does: "outside", Flags: "*"}, // sessions in the home folder
		"statusline":  {Args: "starts", Flags: "agent"},
		"conformance": {Args: "starts", Flags: "operation vectors"},
		"agents":      {Args: "path", Flags: "probe:starts"},

		"new":   {Does: "records", Flags: ofDocument + "thread seq from:path edit:starts carry replace:path facts:starts draft unfenced idempotency-key force why lang"},
		"next":  {Does: "records", Flags: remote + "task n claim as ttl"},
		"claim": {Does: "records", Args: "path", Tail: "starts", Flags: remote + "as ttl force why wait done"},
		"hook":  {Does: "records", Flags: "host"},
		"mcp":   {Does: "records", Flags: "http:connects host token-file:path no-token resources artifacts tapes"},

		"lint":    {Args: "path", Flags: toLint + "fix:writes rename:writes zone diff staged baseline:path update-baseline:writes prune:writes statistics output:file strict skip-others"},
		"fix":     {Does: "writes", Args: "path", Flags: toLint + "rename zone diff"},
		"verify":  {Args: "path", Flags: "fix:writes staged claims:starts output:file strict allow-empty"},
		"sync":    {Does: "writes", Args: "path", Flags: "dry-run check allow-empty"},
		"watch":   {Does: "writes", Flags: "notify log-format debounce interval poll status install-service:settings remove-service:settings"},
		"show":    {Args: "path", Flags: remote + "path"},
		"restore": {Does: "writes", Args: "path", Flags: "to:path yes list"},
		"ls":      {Args: "path", Flags: remote + "task phase since n state all no-pager"}, "graph": {Flags: "task thread tape"},
		"task list": {Flags: "all"}, "task show": {Args: "path"}, "task close": {Does: "records", Args: "path", Flags: "why force"},
		"task archive": {Does: "writes", Args: "path", Flags: "force"}, "task reopen": {Does: "writes", Args: "path"}, "task rename": {Does: "writes", Args: "path", Flags: "force"},
		"chain": {Args: "path"}, "diff": {Args: "path", Flags: "summary:path"},
		"sessions": {Flags: "all n agent ask:starts"},
		"gauge":    {Flags: "session transcript:path agent at note:records watch interval"},
		"audit":    {Flags: "session transcript:path agent handoff:path all"},
		"lsp":      {Flags: "stdio rules-page"},
		"rules":    {}, "schema": {}, "completion": {}, "man": {Flags: "list"},

		"bundle create": {Does: "writes", Args: "path", Flags: "stdout"},
		"bundle show":   {Args: "path"}, "bundle check": {Args: "path"}, "bundle diff": {Args: "path"},
		"convert":      {Args: "path", Flags: ofDocument + "to write:writes tape name thread title from-agent to-agent reason draft"},
		"artifact put": {Does: "writes", Args: "path"}, "artifact get": {Flags: "offset max damaged o:file"}, "artifact ls": {}, "artifact verify": {},
		"artifact gc": {Flags: "delete:writes older-than also:path skip-links"}, "artifact fetch": {}, "artifact schema": {Flags: "for"},
		"compile": {Does: "writes", Flags: remote + actor + "message-id from-seq budget refs refs-text no-base incomplete explain stdout"},
		"render":  {Args: "path", Flags: "for tools:path"},

		"thread export": {Does: "writes", Flags: "rip:path rip-workspace:path"},
		"thread import": {Does: "writes", Flags: "rip:path rip-workspace:path"},
		"thread handoff": {Does: "writes", Flags: remote + actor + "title summary-markdown summary-file:path summary-artifact-id file artifact thread " +
			"from-message-id from-seq idempotency-key document task phase slug draft"},
		"thread repair": {Does: "writes"}, "thread show": {Flags: remote + "last no-base"},

		"tape append":  {Does: "writes", Flags: onTape + "role content content-file:path kind payload meta from:path idempotency-key bare after"},
		"tape handoff": {Does: "writes", Flags: onTape + "summary next-steps state meta overflow from:path idempotency-key bare after document task phase slug draft"},
		"tape reset":   {Does: "writes", Flags: onTape + "no-archive yes idempotency-key"}, "tape delete": {Does: "writes", Flags: allTapes + "no-archive yes"},
		"tape send":    {Does: "writes", Flags: onTape + "from to reason summary next-steps context-summary from-document:path from-thread"},
		"tape receive": {Does: "writes", Args: "path", Flags: onTape + "name as"},
		"tape check":   {Flags: "bub:path tape fix:writes"},
		"tape schema":  {Flags: "for"},
		"tape book":    {Does: "settings", Flags: "*"}, // whose entries say where a URI may lead
	}
}

// EffectsOf are those of a command. Those of an operation that is a value follow from it,
// unless its command has flags of its own.
func EffectsOf(name string) (d Declared, ok bool) {
	if d, ok = declaredEffects()[name]; ok {
		return d, true
	}
	group, operation, _ := strings.Cut(name, " ")
	switch group {
	case name:
		return effectsIn(handoffops.Operations, name, func(a *ops.About, _ bool) string { return remote })
	case "thread":
		return effectsIn(threadops.Operations, operation, func(a *ops.About, _ bool) string {
			if a.Name == "post-message" {
				return remote + "thread "
			}
			return remote
		})
	case "tape":
		return effectsIn(tapeops.Operations, operation, func(a *ops.About, named bool) string {
			flags := "bub:path "
			if a.Path != "" {
				flags += remote
			}
			if !named && !a.Whole {
				flags += "tape "
			}
			if slices.Contains(OfArchives, a.Name) {
				flags += "archive:path "
			}
			return flags
		})
	}
	return d, false
}

// effectsIn are those of an operation of a group, which has flags besides those of the request.
func effectsIn[S any](list []ops.Any[S], name string, flags func(a *ops.About, named bool) string) (d Declared, ok bool) {
	i := slices.IndexFunc(list, func(o ops.Any[S]) bool { return o.Described().Name == name })
	if i < 0 {
		return d, false
	}
	a := list[i].Described()
	request, _ := list[i].Types()
	d.Flags = flags(a, a.Named(request))
	switch {
	case a.Writes:
		d.Does = WritesFiles
	case a.Records:
		d.Does = KeepsRecords
	}
	if strings.Contains(a.Args, "REF") { // which may be the path of a document
		d.Args = NamesPath
	}
	for _, b := range BoundTo(request) {
		if d.Flags += b.Name + " "; b.File != "" {
			d.Flags += b.File + ":" + string(NamesPath) + " "
		}
	}
	return d, true
}

// Flag is the effect of a flag; ok is false for one that is not declared.
func (d Declared) Flag(name string) (e Effect, ok bool) {
	for word := range strings.FieldsSeq(everywhere + d.Flags) {
		if n, what, _ := strings.Cut(word, ":"); n == name {
			return Effect(what), true
		}
	}
	return NoEffect, false
}

// MayBeAnywhere reports whether a command works without a folder, or never fails.
func MayBeAnywhere(c *cli.Context) bool {
	switch c.Command.Name {
	case "agents", "completion", "hook", "man", "rules", "schema", "statusline":
		return true
	}
	return false
}
