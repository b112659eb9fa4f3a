package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"handoff/surface/command/operations"
	"handoff/workspace/ops"
	"handoff/workspace/tapeops"
	"handoff/workspace/threadops"
)

// effect is what a command, an argument or a flag does besides reading the workspace and
// printing.
type effect string

const (
	noEffect        effect = ""
	keepsRecords    effect = "records"  // writes what a successor needs: receipts, a handoff with its links, notes
	namesPath       effect = "path"     // names a file or folder; a command that writes may write there
	namesFile       effect = "file"     // names a file that is written
	writesFiles     effect = "writes"   // changes files of the workspace
	startsPrograms  effect = "starts"   // starts programs
	changesSettings effect = "settings" // changes what agents, git or handoff run
	isConnected     effect = "connects" // connects to a server, or is one
	isOutside       effect = "outside"  // works outside of the workspace
)

// reasons say why an agent below the level all must not use it.
var reasons = map[effect]string{
	writesFiles:     "changes files",
	startsPrograms:  "runs programs",
	changesSettings: "changes what other programs run",
	isConnected:     "connects to a server",
	isOutside:       "works outside of the workspace",
}

// Declared is what a command may do. flags are all its flags, each as NAME or NAME:EFFECT;
// "*" for a command that is refused as a whole.
type Declared struct {
	does, args effect
	flags      string
}

// Flags that several commands have.
const (
	everywhere = "C:path json color format quiet "
	ofDocument = "task phase slug next-action file location goal decision deviation dead-end context reference profile "
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
		"init":        {does: "settings", flags: "*"},
		"setup":       {does: "settings", flags: "*"},
		"trust":       {does: "settings", flags: "*"}, // which is refused in all sessions of agents, too
		"spawn":       {does: "starts", flags: "*"},
		"relay":       {does: "starts", flags: "*"},
		"run":         {does: "starts", flags: "*"},
		"acp":         {does: "starts", flags: "*"},
		"top":         {does: "starts", flags: "*"}, // a key starts an agent
		"draft":       {does: "starts", flags: "*"}, // git, and programs that export a session
		"doctor":      {does: "starts", flags: "*"}, // the handoff that PATH has
		"tape exec":   {does: "starts", flags: "*"},
		"serve":       {does: "connects", flags: "*"},
		"store check": {does: "connects", flags: "*"}, "store copy": {does: "connects", flags: "*"}, "store drain": {does: "connects", flags: "*"},
		"demo":        {does: "outside", flags: "*"},
		"tape import": {does: "outside", flags: "*"}, "tape export": {does: "outside", flags: "*"}, // sessions in the home folder
		"statusline":  {args: "starts", flags: "agent"},
		"conformance": {args: "starts", flags: "operation vectors"},
		"agents":      {args: "path", flags: "probe:starts"},

		"new":   {does: "records", flags: ofDocument + "thread seq from:path edit:starts carry replace:path facts:starts draft unfenced idempotency-key force why"},
		"brief": {does: "records", args: "path", flags: "level max-bytes as"},
		"claim": {does: "records", args: "path", flags: "as ttl force why"},
		"ack":   {does: "records", args: "path", flags: "first-action as"},
		"renew": {does: "records", args: "path", flags: "ttl"}, "release": {does: "records", args: "path", flags: "why"},
		"done": {does: "records", args: "path", flags: "as no-check"},
		"next": {does: "records", flags: "task n claim as ttl"},
		"hook": {does: "records", flags: "host"},
		"mcp":  {does: "records", flags: "http:connects host token-file:path no-token"},

		"lint":    {args: "path", flags: toLint + "fix:writes rename:writes zone diff staged baseline:path update-baseline:writes prune:writes statistics output:file strict skip-others"},
		"fix":     {does: "writes", args: "path", flags: toLint + "rename zone diff"},
		"verify":  {args: "path", flags: "fix:writes staged claims:starts output:file strict allow-empty"},
		"sync":    {does: "writes", args: "path", flags: "dry-run check allow-empty"},
		"watch":   {does: "writes", flags: "notify log-format debounce interval poll status install-service:settings remove-service:settings"},
		"show":    {args: "path", flags: "path"},
		"restore": {does: "writes", args: "path", flags: "to:path yes list"},
		"ls":      {flags: "task phase since n state all"}, "search": {flags: "task since n"}, "graph": {flags: "task thread tape"},
		"task list": {flags: "all"}, "task show": {args: "path"}, "task close": {does: "records", args: "path", flags: "why force"},
		"task archive": {does: "writes", args: "path", flags: "force"}, "task reopen": {does: "writes", args: "path"}, "task rename": {does: "writes", args: "path", flags: "force"},
		"receipts": {args: "path"}, "chain": {args: "path"}, "diff": {args: "path", flags: "summary:path"},
		"sessions": {flags: "all n agent"},
		"gauge":    {flags: "session transcript:path agent at note:records watch interval"},
		"lsp":      {flags: "stdio rules-page"},
		"rules":    {}, "schema": {}, "completion": {}, "man": {flags: "list"},

		"bundle create": {does: "writes", args: "path", flags: "stdout"},
		"bundle show":   {args: "path"}, "bundle check": {args: "path"}, "bundle diff": {args: "path"},
		"convert":      {args: "path", flags: ofDocument + "to write:writes tape name thread title from-agent to-agent reason draft"},
		"artifact put": {does: "writes", args: "path"}, "artifact get": {flags: "offset max damaged o:file"}, "artifact ls": {}, "artifact verify": {},
		"artifact gc": {flags: "delete:writes older-than also:path skip-links"}, "artifact fetch": {}, "artifact schema": {flags: "for"},
		"compile": {does: "writes", flags: remote + actor + "message-id from-seq budget refs no-base incomplete explain stdout"},
		"render":  {args: "path", flags: "for tools:path"},

		"thread export": {does: "writes", flags: "rip:path rip-workspace:path"},
		"thread import": {does: "writes", flags: "rip:path rip-workspace:path"},
		"thread handoff": {does: "writes", flags: remote + actor + "title summary-markdown summary-file:path summary-artifact-id file artifact " +
			"from-message-id from-seq idempotency-key document task phase slug draft"},
		"thread repair": {does: "writes"},

		"tape append":  {does: "writes", flags: onTape + "role content content-file:path kind payload meta from:path idempotency-key bare after"},
		"tape handoff": {does: "writes", flags: onTape + "summary next-steps state meta overflow from:path idempotency-key bare after document task phase slug draft"},
		"tape reset":   {does: "writes", flags: onTape + "no-archive yes idempotency-key"}, "tape delete": {does: "writes", flags: allTapes + "no-archive yes"},
		"tape send":    {does: "writes", flags: onTape + "from to reason summary next-steps context-summary from-document:path from-thread"},
		"tape receive": {does: "writes", args: "path", flags: onTape + "name as"},
		"tape check":   {flags: "bub:path tape fix:writes"},
		"tape schema":  {flags: "for"},
	}
}

// effectsOf are those of a command. Those of an operation that is a value follow from it,
// unless its command has flags of its own.
func effectsOf(name string) (d Declared, ok bool) {
	if d, ok = declaredEffects()[name]; ok {
		return d, true
	}
	group, operation, _ := strings.Cut(name, " ")
	switch group {
	case "thread":
		return effectsIn(threadops.Operations, operation, func(*ops.About, bool) string { return remote })
	case "tape":
		return effectsIn(tapeops.Operations, operation, func(a *ops.About, named bool) string {
			flags := "bub:path "
			if a.Path != "" {
				flags += remote
			}
			if !named && !a.Whole {
				flags += "tape "
			}
			if slices.Contains(operations.OfArchives, a.Name) {
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
	if d.flags = flags(a, a.Named(request)); a.Writes {
		d.does = writesFiles
	}
	for _, b := range operations.BoundTo(request) {
		if d.flags += b.Name + " "; b.File != "" {
			d.flags += b.File + ":" + string(namesPath) + " "
		}
	}
	return d, true
}

// flag is the effect of a flag; ok is false for one that is not declared.
func (d Declared) flag(name string) (e effect, ok bool) {
	for word := range strings.FieldsSeq(everywhere + d.flags) {
		if n, what, _ := strings.Cut(word, ":"); n == name {
			return effect(what), true
		}
	}
	return noEffect, false
}

// mayBeAnywhere reports whether a command works without a folder, or never fails.
func mayBeAnywhere(c *cli.Context) bool {
	switch c.Command.Name {
	case "agents", "completion", "hook", "man", "rules", "schema", "statusline":
		return true
	}
	return false
}
