package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"handoff/surface/command"
	"handoff/surface/httpapi/client"
	"handoff/workspace/handoffops"
	"handoff/workspace/ops"
	"handoff/workspace/tapeops"
	"handoff/workspace/threadops"
)

// operation is one operation on threads, tapes and handoffs, by its names in the OpenAPI
// document, the commands, the HTTP client and the TypeScript SDK. An empty name
// is a gap; why gives the reason.
type operation struct{ route, command, client, sdk, why string }

const (
	untyped  = "of the whole workspace; the SDK's untyped api has the route"
	derived  = "made of other operations"
	ripOnly  = "RIP's way to run without a thread; here a message starts a run"
	diskOnly = "needs the files of the workspace"
	reads    = "the Go client writes handoffs and follows them; programs in Go read the files"
	sameOp   = "the client's archives have the operations of its tapes"
	byFilter = "entries by ID are entries with from_id and limit"
)

var otherOperations = []operation{
	{"thread_compile", "compile", "Client.Compile", "threads.compile", ""},
	{"stream_events", "run", "Client.Session", "sessions.events", ""},
	{"cancel_session", "run", "Client.CancelRun", "sessions.cancel", ""},
	{"create_session", "", "", "sessions.create", ripOnly},
	{"send_input", "", "", "sessions.send", ripOnly},
	{"", "", "Client.RunText", "", derived},
	{"", "", "Client.ProviderEvents", "", derived},
	{"", "", "Client.Find", "", derived},
	{"", "", "Client.Call", "", "any operation, for programs of other modules"},
	{"", "", "Client.Resolve", "", "what people type: programs have ids"},
	{"", "thread export", "", "", diskOnly},
	{"", "thread import", "", "", diskOnly},
	{"", "thread repair", "", "", diskOnly},

	{"tape_entry", "tape read", "", "tapes.entry", byFilter},
	{"tape_stream_events", "tape read", "Tape.Follow", "tapes.events", ""},
	{"handoff_new", "new", "Handoffs.New", "handoffs.create", ""},
	{"handoff_stream_events", "", "Handoffs.Events", "handoffs.events", "receipts prints the steps of one handoff"},
	{"handoff_metadata", "", "", "handoffs.metadata", "a file of the task"},
	{"finding_list", "lint", "", "", "findings in the SDK, outside the object handoffs"},
	{"tape_schema", "tape schema", "", "tapes.schema", "prints a constant"},
	{"", "tape book", "", "", "of the user, not of the workspace"},
	{"tape_archive_info", "tape info", "", "tapes.archive", sameOp},
	{"tape_archive_read", "tape read", "Client.Archive", "tapes.archiveEntries", ""},
	{"tape_archive_search", "tape search", "", "tapes.archiveSearch", sameOp},
	{"tape_archive_context", "tape context", "", "tapes.archiveContext", sameOp},
	{"tape_uri", "tape read", "Client.URI", "tapes.at", ""},
}

// TestOperations: routes, commands, client and SDK have the same operations,
// except for the gaps in the table.
func TestOperations(t *testing.T) {
	for _, surface := range []struct {
		name string
		is   []string
		in   func(operation) string
	}{
		{"route", routes(t), func(o operation) string { return o.route }},
		{"command", commands(), func(o operation) string { return o.command }},
		{"client", clientMethods(), func(o operation) string { return o.client }},
		{"sdk", sdkMethods(t), func(o operation) string { return o.sdk }},
	} {
		var want []string
		for _, o := range slices.Concat(declaredOperations(), otherOperations) {
			if name := surface.in(o); name != "" && !slices.Contains(want, name) {
				want = append(want, name)
			} else if name == "" && o.why == "" {
				t.Errorf("%+v has no %s and no reason", o, surface.name)
			}
		}
		slices.Sort(want)
		slices.Sort(surface.is)
		if got := fmt.Sprint(surface.is); got != fmt.Sprint(want) {
			t.Errorf("%s:\n%s, in the table\n%s", surface.name, got, want)
		}
	}
}

// declaredOperations are the operations that are values. Whatever is in the lists has a command,
// and one method of the client calls all of a group that have a route.
func declaredOperations() []operation {
	threads := declaredIn("thread", "Client.Perform", threadops.Operations, map[string]operation{
		"post-message": {sdk: "threads.post"},
		"events":       {client: "Client.EventsFrom"},
		"show":         {why: derived},

		"provider-cursor-status":   {sdk: "threads.cursors"},
		"provider-cursor-rotate":   {sdk: "threads.rotateCursor"},
		"context-selection-status": {sdk: "threads.selections"},
		"compaction-checkpoint":    {sdk: "threads.checkpoint"},
		"compaction-cut-points":    {sdk: "threads.cutPoints"},
		"compaction-status":        {sdk: "threads.compactionStatus"},
		"compaction-auto":          {sdk: "threads.compact"},
		"compaction-auto-schedule": {sdk: "threads.scheduleCompact"},
	})
	tapes := declaredIn("tape", "Tape.Perform", tapeops.Operations, map[string]operation{
		"read":   {client: "Tape.Query", sdk: "tapes.entries"},
		"info":   {sdk: "tapes.get"},
		"import": {why: diskOnly}, "export": {why: diskOnly}, "check": {why: diskOnly},
	})
	handoffs := declaredIn("handoff", "Handoffs.Perform", handoffops.Operations, map[string]operation{
		"next claim": {command: "next", sdk: "handoffs.claimNext"},
		"next":       {command: "next"},
		"overview":   {sdk: "-", why: "`handoff top --json`; " + untyped},
		"ls":         {sdk: "handoffs.list"},
		"get":        {command: "ls"},
		"show":       {sdk: "handoffs.document"},
	})
	tasks := declaredIn("task", "Handoffs.Perform", handoffops.Tasks, map[string]operation{
		"list": {command: "ls", sdk: "-", why: "tasks.list in the SDK, outside the object handoffs"},
		"get":  {command: "ls", sdk: "-", why: "tasks.get in the SDK, outside the object handoffs"},
	})
	return slices.Concat(threads, tapes, handoffs, tasks)
}

func declaredIn[S any](group, client string, of []ops.Any[S], special map[string]operation) (list []operation) {
	for _, o := range of {
		a := o.Described()
		is := special[a.Name]
		if a.Help != "" {
			is.command = strings.TrimPrefix(group+" "+a.Name, "handoff ")
		}
		if a.Path != "" {
			is.route, is.client, is.sdk = a.RouteID(group), cmp.Or(is.client, client), cmp.Or(is.sdk, group+"s."+a.Name)
		}
		is.sdk = strings.TrimPrefix(is.sdk, "-")
		list = append(list, is)
	}
	return list
}

// TestSameMethods: the workspace has each method of the client, with the same
// signature.
func TestSameMethods(t *testing.T) {
	for _, one := range []struct{ remote, local reflect.Type }{
		{reflect.TypeFor[*client.Client](), reflect.TypeFor[threadops.Here]()},
		{reflect.TypeFor[*client.Tape](), reflect.TypeFor[tapeops.Here]()},
	} {
		for i := range one.remote.NumMethod() {
			m := one.remote.Method(i)
			if slices.Contains([]string{"Tape", "URI", "Archive", "Handoffs", "Session", "Resolve", "Call"}, m.Name) {
				continue // these return tapes, handoffs and runs, or ask the server: what it calls them, for any route
			}
			local, ok := one.local.MethodByName(m.Name)
			if !ok || signature(local) != signature(m) {
				t.Errorf("%s has no %s with the signature %s", one.local, m.Name, signature(m))
			}
		}
	}
}

// signature is a method's type without its receiver.
func signature(m reflect.Method) string {
	_, rest, _ := strings.Cut(strings.Replace(m.Type.String(), ")", ", )", 1), ", ")
	return rest
}

func routes(t *testing.T) (ids []string) {
	src, err := os.ReadFile("../../docs/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Paths map[string]map[string]struct {
			ID   string `json:"operationId"`
			Tags []string
		}
	}
	if err := json.Unmarshal(src, &doc); err != nil {
		t.Fatal(err)
	}
	for _, methods := range doc.Paths {
		for _, op := range methods {
			if slices.Contains([]string{"threads", "sessions", "tapes", "handoffs"}, op.Tags[0]) {
				ids = append(ids, op.ID)
			}
		}
	}
	return ids
}

func commands() []string {
	names := []string{"run", "compile", "new", "search", "next", "claim", "ack", "renew", "release", "done", "receipts", "ls", "show", "brief", "lint"}
	app := newApp(new(command.Process), "")
	for _, group := range []string{"thread", "tape"} {
		for _, sub := range app.Command(group).Subcommands {
			names = append(names, group+" "+sub.Name)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return strings.HasSuffix(name, " help") })
}

func clientMethods() (names []string) {
	for _, t := range []reflect.Type{reflect.TypeFor[*client.Client](), reflect.TypeFor[*client.Tape](), reflect.TypeFor[*client.Handoffs]()} {
		for i := range t.NumMethod() {
			name := t.Method(i).Name
			if slices.Contains([]string{"Close", "Tape", "Handoffs", "Name"}, name) {
				continue // these send no requests
			}
			names = append(names, t.Elem().Name()+"."+name)
		}
	}
	return names
}

// sdkMethods are the members of the objects that the SDK's functions threads,
// sessions, tapes and handoffs return.
func sdkMethods(t *testing.T) (names []string) {
	member := regexp.MustCompile(`^    (?:async \*)?(\w+)(?:: \(|\()`)
	function := regexp.MustCompile(`^export function (threads|sessions|tapes|handoffs)\(`)
	for _, file := range []string{"threads", "tapes", "handoffs"} {
		src, err := os.ReadFile("../../sdk/typescript/src/" + file + ".ts")
		if err != nil {
			t.Fatal(err)
		}
		in, inObject := "", false
		for line := range strings.Lines(string(src)) {
			switch {
			case function.MatchString(line):
				in, inObject = function.FindStringSubmatch(line)[1], false
			case in != "" && strings.HasPrefix(line, "  return {"):
				inObject = true
			case strings.HasPrefix(line, "  };"):
				inObject = false
			case inObject && member.MatchString(line):
				names = append(names, in+"."+member.FindStringSubmatch(line)[1])
			}
		}
	}
	return names
}
