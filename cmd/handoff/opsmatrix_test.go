package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"handoff/internal/testing/needs"
	"handoff/surface/command/operations"
	"handoff/surface/httpapi/client"
	"handoff/workspace"
	"handoff/workspace/handoffops"
	"handoff/workspace/ops"
	"handoff/workspace/receipts"
)

// opCase is an operation in a state of the handoff, and what must come of it on every surface.
type opCase struct {
	op      handoffops.Operation
	request any
	ref     string // 7/1 without it
	before  string // what happened to the handoff: steps by a holder whose claim the request passes
	want    string // type of the problem; "" for none
	steps   string // that are recorded then, of all, with what a surface must not lose of them
	// but are the surfaces that answer something else: a command says by its exit status that nothing waits.
	but map[string]string
}

const (
	ok       = ""
	invalid  = "about:blank"
	held     = "urn:handoff:held"
	stale    = "urn:handoff:stale-claim"
	finished = "urn:handoff:finished"
	unknown  = "urn:handoff:unknown-claim"
	absent   = "urn:handoff:no-such-handoff"
	notRead  = "urn:handoff:not-read"
	nothing  = "urn:handoff:nothing-waits"

	matrixSecret = "ghp_" + "R2D2c3poBB8k2soJabbaTheHuttChewbacca"
)

var opCases = map[string]opCase{
	"claim":                     {op: handoffops.Claim, request: receipts.ClaimRequest{As: "bob"}, steps: "claimed"},
	"claim what is held":        {op: handoffops.Claim, request: receipts.ClaimRequest{As: "bob"}, before: "claim", want: held, steps: "claimed"},
	"claim what is done":        {op: handoffops.Claim, request: receipts.ClaimRequest{As: "bob"}, before: "claim done", want: finished, steps: "claimed done+evidence"},
	"claim nothing":             {op: handoffops.Claim, request: receipts.ClaimRequest{As: "bob"}, ref: "8/1", want: absent},
	"ack":                       {op: handoffops.Ack, request: receipts.AckRequest{FirstAction: matrixAction}, before: "claim", steps: "claimed acknowledged"},
	"ack what was not read":     {op: handoffops.Ack, request: receipts.AckRequest{FirstAction: "Read it."}, before: "claim", want: notRead, steps: "claimed"},
	"ack by another's claim":    {op: handoffops.Ack, request: receipts.AckRequest{FirstAction: matrixAction}, before: "claim force", want: stale, steps: "claimed claimed"},
	"renew":                     {op: handoffops.Renew, request: receipts.RenewRequest{}, before: "claim", steps: "claimed renewed"},
	"renew a replaced claim":    {op: handoffops.Renew, request: receipts.RenewRequest{}, before: "claim force", want: stale, steps: "claimed claimed"},
	"renew an unknown claim":    {op: handoffops.Renew, request: receipts.RenewRequest{Claim: "0123456789abcdef.1.x"}, want: unknown},
	"renew what is no claim":    {op: handoffops.Renew, request: receipts.RenewRequest{Claim: "x"}, want: invalid},
	"release":                   {op: handoffops.Release, request: receipts.ReleaseRequest{Why: "needs a Mac"}, before: "claim", steps: "claimed released:needs a Mac"},
	"release in lines":          {op: handoffops.Release, request: receipts.ReleaseRequest{Why: "needs\na Mac"}, before: "claim", steps: "claimed released:needs a Mac"},
	"release with a secret":     {op: handoffops.Release, request: receipts.ReleaseRequest{Why: "the key is " + matrixSecret}, before: "claim", steps: "claimed released:the key is [secret]"},
	"release a finished one":    {op: handoffops.Release, request: receipts.ReleaseRequest{}, before: "claim done", want: finished, steps: "claimed done+evidence"},
	"done":                      {op: handoffops.Done, request: receipts.DoneRequest{}, before: "claim", steps: "claimed done+evidence"},
	"done by a replaced claim":  {op: handoffops.Done, request: receipts.DoneRequest{}, before: "claim force", want: stale, steps: "claimed claimed"},
	"receipts":                  {op: handoffops.Receipts, request: ops.None{}, before: "claim", steps: "claimed"},
	"receipts of nothing":       {op: handoffops.Receipts, request: ops.None{}, ref: "8/1", want: absent},
	"next":                      {op: handoffops.Next, request: handoffops.NextRequest{Limit: 10}},
	"next claim":                {op: handoffops.NextClaim, request: receipts.NextRequest{As: "bob"}, steps: "claimed"},
	"next claim, nothing waits": {op: handoffops.NextClaim, request: receipts.NextRequest{As: "bob"}, before: "claim", want: nothing, steps: "claimed", but: map[string]string{"command": ok, "command with --server": ok}},
	"brief":                     {op: handoffops.Brief, request: handoffops.BriefRequest{BriefForm: handoffops.BriefForm{Level: "2", MaxBytes: 9000}}},
	"brief of nothing":          {op: handoffops.Brief, request: handoffops.BriefRequest{BriefForm: handoffops.BriefForm{Level: "1", MaxBytes: 9000}}, ref: "8/1", want: absent},
	"brief that is too small":   {op: handoffops.Brief, request: handoffops.BriefRequest{BriefForm: handoffops.BriefForm{Level: "1", MaxBytes: 5}}, want: invalid},
	"show":                      {op: handoffops.Show, request: ops.None{}},
	"show nothing":              {op: handoffops.Show, request: ops.None{}, ref: "8/1", want: absent},
	"ls":                        {op: handoffops.List, request: handoffops.ListRequest{Limit: 10}},
	"ls by state":               {op: handoffops.List, request: handoffops.ListRequest{State: "held", Limit: 10}, before: "claim", steps: "claimed"},
	"ls by a wrong age":         {op: handoffops.List, request: handoffops.ListRequest{Since: "soon", Limit: 10}, want: invalid},
	"search":                    {op: handoffops.Search, request: handoffops.SearchRequest{Query: "parser", Limit: 20}},
	"search by age":             {op: handoffops.Search, request: handoffops.SearchRequest{Query: "parser", Since: "90000d", Limit: 20}},
	"search by date":            {op: handoffops.Search, request: handoffops.SearchRequest{Query: "parser", Since: "2020-01-02", Limit: 20}},
	"search by a wrong age":     {op: handoffops.Search, request: handoffops.SearchRequest{Query: "parser", Since: "soon", Limit: 20}, want: invalid},
}

const matrixAction = "Run `go test ./parser` and fix README.md."

// TestOperationsMatrix: an operation on handoffs does and refuses the same on each surface that has it, and
// records the same. Each operation that is a value has a row, but those that no other surface than HTTP has.
func TestOperationsMatrix(t *testing.T) {
	needs.Unix(t, "a server is started by a shell")
	for _, o := range handoffops.Operations {
		if name := o.Described().Name; !slices.Contains([]string{"get", "overview"}, name) && !slices.ContainsFunc(slices.Collect(maps.Values(opCases)), func(c opCase) bool { return c.op == o }) {
			t.Errorf("%s has no row", name)
		}
	}
	t.Setenv(clockVar, "2026-02-12T16:05:00Z")
	for name, c := range opCases {
		for surface, do := range map[string]func(opTest) string{"command": opTest.command, "HTTP": opTest.http, "command with --server": opTest.remote, "MCP": opTest.mcp} {
			if testing.Short() && surface == "command with --server" && c.want != ok {
				continue
			}
			if surface == "MCP" && !c.hasTool() {
				continue
			}
			t.Run(name+" "+surface, func(t *testing.T) {
				t.Parallel()
				m := opTest{layoutTest{t, t.TempDir(), "specs/7_parser/handoffs/phase-1-handoff-20260212T101112Z.md"}, c, reflect.New(reflect.TypeOf(c.request))}
				m.request.Elem().Set(reflect.ValueOf(c.request))
				if m.ref == "" {
					m.ref = "7/1"
				}
				put(t, m.dir, m.path, documentWith("Phase 1 Handoff - 20260212T101112Z", matrixAction))
				m.prepare()
				want := c.want
				if other, ok := c.but[surface]; ok {
					want = other
				}
				if got := do(m); got != want {
					t.Errorf("answers %q, want %q", got, want)
				}
				if got := m.recorded(); got != c.steps {
					t.Errorf("records %q, want %q", got, c.steps)
				}
			})
		}
	}
}

// hasTool tells if a tool of MCP does the same. handoff_current chooses the handoff itself, reports what
// became of it, and takes no size.
func (c opCase) hasTool() bool {
	switch r := c.request.(type) {
	case handoffops.BriefRequest:
		return r.MaxBytes >= 100
	case ops.None, handoffops.ListRequest, handoffops.NextRequest, receipts.NextRequest:
		return false
	}
	return true
}

// opTest is a case in a tree of its own.
type opTest struct {
	layoutTest
	opCase
	request reflect.Value // a pointer
}

// prepare does what happened before, and passes the first claim.
func (m opTest) prepare() {
	claim := ""
	for step := range strings.FieldsSeq(m.before) {
		switch step {
		case "claim":
			claim = m.run("claim", "7/1", "--as", "ann")
			claim = claim[strings.LastIndex(strings.TrimSpace(claim), "\n")+1:]
		case "force":
			m.run("claim", "7/1", "--as", "eve", "--force", "--why", "it hangs")
		case "done":
			m.run("done", "7/1", "--as", "ann", "--no-check")
		}
	}
	// With the claim of its holder a handoff is claimed again, not by somebody else.
	if f := m.request.Elem().FieldByName("Claim"); f.IsValid() && f.String() == "" && m.op != handoffops.Operation(handoffops.Claim) {
		f.SetString(strings.TrimSpace(claim))
	}
}

// recorded are the steps of the handoff: a release with its reason, an end with its evidence.
func (m opTest) recorded() string {
	ws, err := workspace.Open(m.dir, workspace.Options{Now: time.Now})
	if err != nil {
		m.Fatal(err)
	}
	defer ws.Close()
	b, err := receipts.Open(ws)
	if err != nil {
		m.Fatal(err)
	}
	_, life, err := b.Life(m.Context(), receipts.Target{Dir: m.dir, Ref: m.path})
	if err != nil {
		m.Fatal(err)
	}
	var steps []string
	for _, s := range life.Recorded() {
		text := string(s.Kind)
		if s.Kind == "released" && s.Why != "" {
			text += ":" + s.Why
		}
		if s.Evidence != nil && s.Evidence.None != "" {
			text += "+evidence"
		}
		steps = append(steps, text)
	}
	return strings.Join(steps, " ")
}

func (m opTest) command() string { return m.asCommand() }

func (m opTest) remote() string {
	if a := m.op.Described(); a.Name == "brief" {
		return m.asCommand("--server", m.serve(), "-text")
	}
	return m.asCommand("--server", m.serve())
}

// asCommand runs the command of the operation: its flags are those of the request.
func (m opTest) asCommand(more ...string) string {
	a := m.op.Described()
	args := strings.Fields(a.Name)
	if args[0] == "next" && len(args) > 1 {
		args[1] = "--claim"
	}
	if strings.Contains(a.Args, "REF") && !a.Whole {
		args = append(args, m.ref)
	}
	claim := ""
	r := m.request.Elem()
	for _, f := range ops.Fields(r.Type()) {
		switch value := r.FieldByIndex(f.Index); {
		case f.Name == "Claim":
			claim = value.String()
		case f.Name == "Query":
			args = append(args, value.String())
		}
	}
	for _, b := range operations.BoundTo(r.Type()) {
		if value := r.FieldByIndex(b.Index); !value.IsZero() && value.Kind() != reflect.Bool {
			args = append(args, "-"+strings.Repeat("-", min(len(b.Name)-1, 1))+b.Name, fmt.Sprint(value.Interface()))
		}
	}
	if text := slices.Index(more, "-text"); text >= 0 {
		more = slices.Delete(more, text, text+1)
	} else {
		more = append(more, "--json")
	}
	cmd := exec.Command(filepath.Join(commandDir(m.T), "handoff"), append(args, more...)...)
	cmd.Dir, cmd.Env = m.dir, append(os.Environ(), "HANDOFF_CLAIM="+claim, "XDG_STATE_HOME="+m.dir+"/.git/state")
	out, err := cmd.Output()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.Fatal(err)
	}
	var p struct{ Type string }
	if json.Unmarshal(out, &p); err != nil && p.Type == "" && len(out) == 0 {
		switch { // without --json the problem is only told
		case strings.Contains(string(exit.Stderr), "no such handoff"):
			return absent
		case exit.ExitCode() == 2:
			return invalid
		}
	}
	return p.Type
}

// http does the operation with the client.
func (m opTest) http() string {
	c, err := client.New(m.serve(), "")
	if err != nil {
		m.Fatal(err)
	}
	defer c.Close()
	_, result := m.op.Types()
	err = c.Handoffs().Perform(m.Context(), m.op, m.ref, m.request.Interface(), reflect.New(result).Interface())
	var refused *client.StatusError
	if err != nil && !errors.As(err, &refused) {
		m.Fatal(err)
	}
	if refused == nil {
		return ok
	}
	return string(refused.Problem.Type)
}

// mcp calls the tool that does the operation.
func (m opTest) mcp() string {
	arguments := map[string]any{}
	tool := map[string]string{"brief": "handoff_current", "search": "handoff_search"}[m.op.Described().Name]
	switch r := m.request.Interface().(type) {
	case *receipts.AckRequest:
		arguments["first_action"] = r.FirstAction
	case *receipts.ReleaseRequest:
		arguments["why"] = r.Why
	case *handoffops.SearchRequest:
		arguments["query"], arguments["since"] = r.Query, r.Since
	}
	if tool == "" {
		arguments["action"] = m.op.Described().Name
	}
	if tool != "handoff_search" {
		arguments["ref"] = m.ref
	}
	if f := m.request.Elem().FieldByName("Claim"); f.IsValid() && f.String() != "" {
		arguments["claim"] = f.String()
	}
	text, _ := json.Marshal(arguments)
	s := startMCP(m.T, m.dir)
	s.send(m.T, fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", cmp.Or(tool, "handoff_claim"), text))
	var answer struct {
		Result struct {
			IsError           bool
			StructuredContent struct{ Type string }
		}
	}
	line := s.answer(m.T)
	if err := json.Unmarshal([]byte(line), &answer); err != nil || answer.Result.IsError != (answer.Result.StructuredContent.Type != "") {
		m.Fatalf("%v: %s", err, line)
	}
	return answer.Result.StructuredContent.Type
}
