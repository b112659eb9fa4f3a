package edit

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"handoff/agents/host"
	"handoff/internal/json/jsonsplice"
	"handoff/internal/json/jsontext"
)

// Hooks are the hooks of a host in JSON: lists in the member "hooks", named by the
// host's names of the events.
type Hooks struct {
	Host host.Host
	// Handler is the JSON of one hook, with $COMMAND and $TIMEOUT for its values; $POSIX, $POWERSHELL
	// and $CMD are the command for one shell.
	Handler string
	// Grouped is whether handlers are in lists of their own, with a matcher:
	// {"matcher":M,"hooks":[HANDLER]}.
	Grouped bool
	// With are members that the file needs beside "hooks". They are added only
	// together with that.
	With []Member
}

// Member is a member of an object.
type Member struct {
	Name string
	JSON string
}

const hooksKey = "hooks"

// entry is the JSON of one hook.
func (h Hooks) entry(k host.Hook) json.RawMessage {
	in := func(shells ...host.Shell) string { return quote(h.Host.CommandIn(k.Event, shells...)) }
	text := strings.NewReplacer(
		"$COMMAND", in(h.Host.Shells...), "$POSIX", in(host.POSIX), "$POWERSHELL", in(host.PowerShell), "$CMD", in(host.Cmd),
		"$TIMEOUT", strconv.FormatInt(int64(k.Timeout/h.Host.Unit), 10),
	).Replace(h.Handler)
	if h.Grouped {
		text = `{"hooks":[` + text + `]}`
	}
	if k.Matcher != "" {
		text = `{"matcher":` + quote(k.Matcher) + "," + text[1:]
	}
	return json.RawMessage(text)
}

func quote(text string) string { return string(jsontext.AppendText(nil, text)) }

func (h Hooks) Add(t Text) (Text, string, error) {
	if !t.Exists {
		return h.create()
	}
	f, err := jsonsplice.Parse(t.Bytes)
	if err != nil {
		return t, "", err
	}
	if h.complete(f.Root()) {
		return t, "", nil
	}
	if cut, _, err := h.Cut(t); err != nil || cut != t { // hooks of an older version
		if err != nil {
			return t, "", err
		}
		return h.Add(cut)
	}
	_, had := f.Root().Get(hooksKey)
	for _, k := range h.Host.Hooks {
		if list, _ := f.Root().Get(hooksKey, k.Native); some(list, runsHook) {
			continue // of the user, with another path or other values
		}
		if err := f.AddElement(h.entry(k), hooksKey, k.Native); err != nil {
			return t, "", err
		}
	}
	if !had {
		err = addWith(f, h.With)
	}
	if err != nil {
		return t, "", err
	}
	return Text{Bytes: f.Text(), Exists: true}, "", nil
}

// addWith adds members that a file does not have.
func addWith(f *jsonsplice.File, with []Member) error {
	for _, m := range with {
		if _, ok := f.Root().Get(m.Name); !ok {
			if err := f.AddMember(json.RawMessage(m.JSON), m.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// create is a file with the hooks alone.
func (h Hooks) create() (Text, string, error) {
	t, _, err := h.Add(Text{Bytes: "{}", Exists: true})
	if err != nil {
		return t, "", err
	}
	return spread(t), "", nil
}

// spread lays out a new file: with whitespace after each bracket, which is how Cut
// knows that the file was created here.
func spread(t Text) Text {
	out, err := jsontext.MarshalIndent(json.RawMessage(t.Bytes))
	if err != nil {
		return t // never: it was parsed before
	}
	return Text{Bytes: string(out), Exists: true}
}

// complete reports whether each event has a hook that runs handoff, and those that
// are ours are the current ones.
func (h Hooks) complete(root jsonsplice.Value) bool {
	current := map[string]bool{}
	for _, k := range h.Host.Hooks {
		list, _ := root.Get(hooksKey, k.Native)
		if !some(list, func(v jsonsplice.Value) bool { return runsHook(v) && (!h.ours(v) || sameJSON(v.JSON(), h.entry(k))) }) {
			return false
		}
		current[k.Native] = true
	}
	for _, path := range h.owned(root) {
		name, _ := item(root, path[:2])
		if !current[name] {
			return false
		}
	}
	return true
}

// some reports whether an element of an array is so.
func some(list jsonsplice.Value, is func(jsonsplice.Value) bool) bool {
	for i := range list.Len() {
		if _, v := list.At(i); is(v) {
			return true
		}
	}
	return false
}

// sameJSON compares two texts of JSON without their whitespace.
func sameJSON(a, b []byte) bool {
	x, err := compact(a)
	y, other := compact(b)
	return err == nil && other == nil && x == y
}

func compact(text []byte) (string, error) {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return "", fmt.Errorf("%w", err)
	}
	out, err := json.Marshal(v)
	return string(out), err
}
