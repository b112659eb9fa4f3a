package edit

import (
	"encoding/json"
	"strings"

	"handoff/agents/host"
	"handoff/internal/json/jsonsplice"
)

func (h Hooks) Cut(t Text) (Text, string, error) {
	if !t.Exists || !strings.Contains(t.Bytes, "handoff hook ") {
		return t, "", nil
	}
	f, err := jsonsplice.Parse(t.Bytes)
	if err != nil {
		return t, "", err
	}
	return cutAll(f, hooksKey, h.With, h.cutOwned)
}

func (h Hooks) cutOwned(f *jsonsplice.File) (emptied bool, err error) {
	for paths := h.owned(f.Root()); len(paths) > 0 && !emptied && err == nil; paths = h.owned(f.Root()) {
		emptied, err = f.Remove(paths[len(paths)-1]...)
	}
	return emptied, err
}

// cutAll removes our entries from a member of the root. If that empties the member,
// the members that were added after it are removed first: what remains then shows
// whether the file existed before.
func cutAll(f *jsonsplice.File, key string, with []Member, cut func(*jsonsplice.File) (emptied bool, err error)) (Text, string, error) {
	before := Text{Bytes: f.Text(), Exists: true}
	if goes(before, key, cut) {
		if err := cutWith(f, key, with); err != nil {
			return before, "", err
		}
	}
	switch emptied, err := cut(f); {
	case err != nil:
		return before, "", err
	case emptied:
		return Text{}, "", nil
	}
	return Text{Bytes: f.Text(), Exists: true}, "", nil
}

// goes reports whether cutting takes away the whole member.
func goes(t Text, key string, cut func(*jsonsplice.File) (emptied bool, err error)) bool {
	f, err := jsonsplice.Parse(t.Bytes)
	if err != nil || index(f.Root(), key) < 0 {
		return false
	}
	emptied, err := cut(f)
	return err == nil && (emptied || index(f.Root(), key) < 0)
}

// cutWith removes the members that were added after another one. The user's members
// are elsewhere.
func cutWith(f *jsonsplice.File, key string, with []Member) error {
	place, n := index(f.Root(), key)+1, 0
	for _, m := range with {
		if place+n >= f.Root().Len() {
			break
		}
		if name, v := f.Root().At(place + n); name == m.Name && sameJSON(v.JSON(), json.RawMessage(m.JSON)) {
			n++
		}
	}
	for ; n > 0; n-- {
		if _, err := f.Remove(place + n - 1); err != nil {
			return err
		}
	}
	return nil
}

func index(v jsonsplice.Value, name string) int {
	for i := v.Len() - 1; i >= 0; i-- {
		if n, _ := v.At(i); n == name {
			return i
		}
	}
	return -1
}

// owned returns the paths of our entries below "hooks", in the order of the file:
// whole list entries or, in a group that also has the user's hooks, single handlers.
func (h Hooks) owned(root jsonsplice.Value) (paths [][]int) {
	at := index(root, hooksKey)
	if at < 0 {
		return nil
	}
	_, hooks := root.At(at)
	for i := range hooks.Len() {
		_, list := hooks.At(i)
		for j := range list.Len() {
			_, entry := list.At(j)
			if h.ours(entry) {
				paths = append(paths, []int{at, i, j})
				continue
			}
			for _, p := range ourHandlers(entry) {
				paths = append(paths, append([]int{at, i, j}, p...))
			}
		}
	}
	return paths
}

// ours reports whether an entry of a list is ours: a handler, or a group with
// nothing but our handlers.
func (h Hooks) ours(entry jsonsplice.Value) bool {
	if handlers, ok := entry.Get(hooksKey); ok {
		return handlers.Len() > 0 && len(ourHandlers(entry)) == handlers.Len()
	}
	return ourHandler(entry)
}

// ourHandlers are the paths of our handlers in a group.
func ourHandlers(group jsonsplice.Value) (paths [][]int) {
	at := index(group, hooksKey)
	if at < 0 {
		return nil
	}
	_, handlers := group.At(at)
	for i := range handlers.Len() {
		if _, v := handlers.At(i); ourHandler(v) {
			paths = append(paths, []int{at, i})
		}
	}
	return paths
}

// ourHandler reports whether a handler runs exactly the command that is written here, or by an older version.
func ourHandler(v jsonsplice.Value) bool {
	return some(v, func(m jsonsplice.Value) bool { return host.IsCommand(m.Text()) })
}

// runsHook reports whether an entry runs `handoff hook`, also one that the user wrote.
func runsHook(v jsonsplice.Value) bool {
	return calls(v.Text(), "hook") || some(v, runsHook)
}

// item is the name of a member and its value, by a path of indexes.
func item(v jsonsplice.Value, path []int) (name string, _ jsonsplice.Value) {
	for _, i := range path {
		name, v = v.At(i)
	}
	return name, v
}
