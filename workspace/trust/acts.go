// Package trust decides whether a repository may act: connect to the store that its
// configuration names, run the commands of its checks, and execute its template. Whoever
// clones a repository has not read these lines. So they do nothing until the user has
// trusted them, once for each root, as with `direnv allow` or git's safe.directory.
//
// The decision is recorded outside of the repository, with a hash of exactly what can act.
// If that changes, the user is asked again. Everything else in a repository is data, and
// needs no trust.
package trust

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"handoff/internal/file/nofollow"
	"handoff/internal/state"
	"handoff/internal/text/shellword"
	"handoff/workspace/config"
)

// The kinds of an [Act].
const (
	Store    = "store"    // an address that is connected to, and gets the receipts, threads and artifacts
	Check    = "check"    // a command that `verify --claims`, `new --facts` and agents at the level edit may run
	Agent    = "agent"    // an entry of the table of agents, which names a program
	Template = "template" // a template that `handoff new` executes
)

// Act is one thing with which a repository can act.
type Act struct {
	Kind string `json:"kind"`
	What string `json:"what"` // the address, the command, or the path of the file below the root
	Sum  string `json:"sum"`  // SHA-256 of the content of a file, in hexadecimal; "" for others
}

// Typed is what acts as a user types it: a command as in a shell.
func (a Act) Typed() string {
	var words []string
	if a.Kind == Check && json.Unmarshal([]byte(a.What), &words) == nil {
		return shellword.Join(words...)
	}
	return a.What
}

// agentsDir is the folder of the entries of agents: see
// [handoff/agents/sessions.Overrides].
const agentsDir = state.Dir + "/" + state.Agents

// maxFile is the most bytes of a file that are read.
const maxFile = 1 << 20

// Acts returns what can act in the workspace with a root and a configuration, in a fixed
// order.
func Acts(root string, c config.Config) []Act {
	acts := []Act{}
	if !c.Store.IsFiles() {
		acts = append(acts, Act{Kind: Store, What: c.Store.String()})
	}
	for _, command := range c.Checks.Allow { // the commands of the tests are among them
		words, _ := json.Marshal(command) // no two commands have the same text
		acts = append(acts, Act{Kind: Check, What: string(words)})
	}
	entries, _ := os.ReadDir(filepath.Join(root, filepath.FromSlash(agentsDir))) // sorted; a missing folder has none
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".yaml") {
			acts = appendFile(acts, root, Agent, agentsDir+"/"+e.Name())
		}
	}
	return appendFile(acts, root, Template, c.Template())
}

// appendFile appends a file, if it exists. One that cannot be read acts as little as it can
// be hashed, but is listed, so that it is noticed when it can.
func appendFile(acts []Act, root, kind, path string) []Act {
	src, err := nofollow.Root(root).ReadFile(filepath.Join(root, filepath.FromSlash(path)), maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return acts
	}
	sum := "unreadable"
	if err == nil {
		digest := sha256.Sum256(src)
		sum = hex.EncodeToString(digest[:])
	}
	return append(acts, Act{kind, path, sum})
}

// Hash is the SHA-256 of the JSON of acts, in hexadecimal.
func Hash(acts []Act) string {
	text, err := json.Marshal(acts)
	if err != nil {
		panic(err) // strings only
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}
