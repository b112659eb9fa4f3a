package tape

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"handoff/internal/file/nofollow"
	"handoff/internal/state/names"
	"handoff/internal/testing/killtest"
	"handoff/internal/testing/natstest"
	"handoff/log/engine"
	"handoff/log/engine/files"
	"handoff/log/engine/jetstream"
	"handoff/log/engine/replica"
)

// storeVar is the store that busy processes use: an address or a folder.
const storeVar = "TAPE_STORE"

func sharedStore(at string) (engine.Engine, error) {
	if a, err := engine.ParseAddress(at); err == nil {
		return jetstream.Open(context.Background(), jetstream.Options{Servers: a.Servers, Stream: a.Stream, Create: true})
	}
	return files.Open(files.Options{Root: nofollow.Root(at), State: filepath.Join(at, "logs")})
}

// busyOptions are those of a busy process.
func busyOptions(folder string) (o Options, err error) {
	o.Batch = 50 * time.Millisecond
	at := os.Getenv(storeVar)
	if at == "" {
		return o, nil
	}
	e, err := sharedStore(at)
	if err != nil {
		return o, err
	}
	r := replica.New(e, replica.Folder{Root: nofollow.Root(folder), Dir: folder, Owns: names.OfTapes}, func(line string) { fmt.Fprintln(os.Stderr, line) })
	o.Upstream = r.Upstream
	return o, r.Sync(ctx)
}

// TestKilledInStore is TestKilledAnywhere for a store and eight processes on two machines.
func TestKilledInStore(t *testing.T) {
	t.Run("files", func(t *testing.T) { killedInStore(t, t.TempDir()) })
	t.Run("jetstream", func(t *testing.T) {
		killedInStore(t, natstest.Start(t, natstest.Options{Nodes: 1}).Addresses()[0]+"/TAPES")
	})
}

func killedInStore(t *testing.T, at string) {
	kills := 12
	if n, err := strconv.Atoi(os.Getenv("HANDOFF_KILLS")); err == nil {
		kills = n
	}
	e, err := sharedStore(at)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	folders := []string{filepath.Join(t.TempDir(), ".handoff"), filepath.Join(t.TempDir(), ".handoff")}
	openCopy(t, e, folders[1]).Close()
	add(t, openCopy(t, e, folders[0]).tape(Main), message("first"))
	all := said{done: map[string][]string{}}
	killtest.Plan{
		Processes: 8, Kills: kills, Pause: 120 * time.Millisecond,
		Start: func(i int) *exec.Cmd {
			cmd := busyProcess(t, folders[i%2], fmt.Sprint("w", i))
			cmd.Env = append(cmd.Env, storeVar+"="+at)
			return cmd
		},
		Collect: all.collect, Seen: func() bool { return all.seen("merge") && all.seen("reset") },
	}.Run(t)
	a := openCopy(t, e, folders[0])
	broken := checkKilled(t, a, all.done)
	b := openCopy(t, e, folders[1])
	if again := checkKilled(t, b, all.done); again > 0 {
		t.Errorf("%d ends of forks were finished on one machine and not on the other", again)
	}
	sameCopies(t, e, a, b)
	t.Logf("%d kills: %d entries, %d forks, %d merges, %d discards and %d resets acknowledged, %d ends of forks interrupted",
		kills, len(all.done["main"]), len(all.done["fork"]), len(all.done["merge"]), len(all.done["discard"]), len(all.done["reset"]), broken)
}
