package copy_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/internal/testing/waittest"
	"handoff/log/artifact"
	"handoff/log/engine"
	"handoff/log/engine/copy"
	"handoff/log/engine/enginetest"
	"handoff/log/engine/files"
)

// figures are the size of a workspace: few in the usual run, many for
// HANDOFF_COPY=full.
func figures() (events, blobs int) {
	if os.Getenv("HANDOFF_COPY") == "full" {
		return 100_000, 1_000
	}
	return 4_000, 60
}

func open(t testing.TB, root string) *files.Engine {
	t.Helper()
	e, err := files.Open(files.Options{Root: nofollow.Root(root), State: filepath.Join(root, ".handoff")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

// fill writes a workspace without the engine: two long logs and many short ones, and
// blobs from empty ones to some of more than a chunk.
func fill(t *testing.T, root string, events, blobs int) {
	t.Helper()
	state := filepath.Join(root, ".handoff")
	text := map[string]*bytes.Buffer{}
	for i := range events {
		name := fmt.Sprintf("threads/%04d.jsonl", i%max(events/100, 1))
		switch i % 4 {
		case 0:
			name = "tape/main.jsonl"
		case 1:
			name = "threads.jsonl"
		}
		if text[name] == nil {
			text[name] = &bytes.Buffer{}
		}
		fmt.Fprintf(text[name], `{"seq": %d, "text": "é %s"}`+"\n", i, strings.Repeat("x", i*7919%600))
	}
	for name, content := range text {
		write(t, filepath.Join(state, filepath.FromSlash(name)), content.Bytes())
	}
	for i := range blobs {
		data := bytes.Repeat([]byte{byte(i), byte(i >> 8), 'x'}, i+i*i%5_000)
		if i%50 == 49 {
			data = bytes.Repeat([]byte(strconv.Itoa(i)), 400_000)
		}
		write(t, filepath.Join(root, filepath.FromSlash(artifact.Blobs), artifact.Sum(data).String()), data)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// tree is the content of all files below a folder, without locks.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		data, err := os.ReadFile(path)
		rel, _ := filepath.Rel(root, path)
		if rel == filepath.FromSlash(atomicfile.Scratch+"/.gitignore") || rel == filepath.FromSlash(".rip/.gitignore") {
			return err
		}
		all[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func sameTrees(t *testing.T, got, want string) {
	t.Helper()
	have, wanted := tree(t, got), tree(t, want)
	for name, data := range wanted {
		if other, ok := have[name]; !ok || other != data {
			t.Errorf("%s: %d bytes, present %v, want %d bytes", name, len(other), ok, len(data))
		}
	}
	for name := range have {
		if _, ok := wanted[name]; !ok {
			t.Errorf("%s was not in the source", name)
		}
	}
}

func mustCopy(t *testing.T, from, to engine.Engine, o copy.Options) copy.Result {
	t.Helper()
	r, err := copy.Copy(waittest.Context(t), from, to, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestThereAndBack copies a workspace to another store and back to an empty workspace.
func TestThereAndBack(t *testing.T) {
	events, blobs := figures()
	first, second := t.TempDir(), t.TempDir()
	fill(t, first, events, blobs)
	there := &enginetest.Memory{}
	var stages []copy.Stage
	last := copy.Progress{}
	r := mustCopy(t, open(t, first), there, copy.Options{Progress: func(p copy.Progress) {
		if p.Stage != last.Stage {
			stages = append(stages, p.Stage)
		} else if p.Done <= last.Done || p.All != last.All {
			t.Errorf("progress goes from %v to %v", last, p)
		}
		last = p
	}})
	if r.Records != uint64(events) || r.Copied != uint64(events) || r.Blobs != r.BlobsCopied || r.Blobs < blobs/2 || len(r.Problems) > 0 || r.Newer > 0 {
		t.Errorf("%+v", r)
	}
	if want := []copy.Stage{copy.Artifacts, copy.Records, copy.Verifying}; !slices.Equal(stages, want) || last.Done != last.All {
		t.Errorf("stages %v, the last at %d of %d, want %v", stages, last.Done, last.All, want)
	}
	again := mustCopy(t, open(t, first), there, copy.Options{})
	if again.Copied != 0 || again.BlobsCopied != 0 || again.Records != r.Records || again.Blobs != r.Blobs {
		t.Errorf("a second copy: %+v", again)
	}
	mustCopy(t, there, open(t, second), copy.Options{})
	sameTrees(t, second, first)
	t.Logf("%d records and %d artifacts", r.Records, r.Blobs)
}

// TestContinues copies records added to the source since the last copy.
func TestContinues(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, ".handoff/threads/a.jsonl"), []byte("1\n2\n"))
	there := &enginetest.Memory{}
	mustCopy(t, open(t, root), there, copy.Options{})
	write(t, filepath.Join(root, ".handoff/threads/a.jsonl"), []byte("1\n2\n3\n"))
	write(t, filepath.Join(root, ".handoff/threads/b.jsonl"), []byte("1\n"))
	r := mustCopy(t, open(t, root), there, copy.Options{})
	if r.Copied != 2 || r.Logs != 2 {
		t.Errorf("%+v", r)
	}
}

// TestRefused: a target that is not an earlier copy stays as it was.
func TestRefused(t *testing.T) {
	for name, c := range map[string]struct{ log, record, says string }{
		"another log":    {"threads/other.jsonl", "x", "threads/other.jsonl has 1 records there and 0 in files:"},
		"another record": {"threads/a.jsonl", "x", "record 0 of threads/a.jsonl is another one in files:"},
		"a longer log":   {"threads/b.jsonl", "1 2", "threads/b.jsonl has 2 records there and 1 in files:"},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			write(t, filepath.Join(root, ".handoff/threads/a.jsonl"), []byte("1\n2\n"))
			write(t, filepath.Join(root, ".handoff/threads/b.jsonl"), []byte("1\n"))
			write(t, filepath.Join(root, artifact.Blobs, artifact.Sum([]byte("x")).String()), []byte("x"))
			there := &enginetest.Memory{}
			for i, record := range strings.Fields(c.record) {
				if err := there.Append(t.Context(), engine.Batch{Log: c.log, Expected: uint64(i), Records: [][]byte{[]byte(record)}}); err != nil {
					t.Fatal(err)
				}
			}
			_, err := copy.Copy(t.Context(), open(t, root), there, copy.Options{})
			if !errors.Is(err, copy.ErrDiffers) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("%v, want %q", err, c.says)
			}
			logs := 0
			for range there.List(t.Context(), "") {
				logs++
			}
			for range there.IDs(t.Context()) {
				logs++
			}
			if logs != 1 {
				t.Errorf("the target has %d logs and artifacts, want the one that it had", logs)
			}
		})
	}
}

// TestProblems: what cannot be read is reported, and all else is copied.
func TestProblems(t *testing.T) {
	root := t.TempDir()
	fill(t, root, 40, 10)
	write(t, filepath.Join(root, ".handoff/tape/bad.jsonl"), []byte("1\n\n3\n"))
	damaged, madeUp := artifact.Sum([]byte("damaged")), "11111111111141118111111111111111"+"22222222222242228222222222222222"
	write(t, filepath.Join(root, artifact.Blobs, damaged.String()), []byte("other"))
	write(t, filepath.Join(root, artifact.Blobs, madeUp), []byte("by RIP"))
	there := &enginetest.Memory{}
	r := mustCopy(t, open(t, root), there, copy.Options{})
	slices.Sort(r.Problems)
	if len(r.Problems) != 3 {
		t.Fatalf("%d problems: %q", len(r.Problems), r.Problems)
	}
	for _, want := range []string{"bad.jsonl:2: the line is empty", damaged.String() + ": ", madeUp + ": " + artifact.ErrNotHashed.Error()} {
		if !strings.Contains(strings.Join(r.Problems, "\n"), want) {
			t.Errorf("%q does not contain %q", r.Problems, want)
		}
	}
	if n, _ := there.Len(t.Context(), "tape/main.jsonl"); n != 10 || r.BlobsCopied != r.Blobs-2 {
		t.Errorf("main has %d records; %+v", n, r)
	}
}

// narrow accepts a few records at once, as JetStream does.
type narrow struct {
	*enginetest.Memory
	most int
}

func (n *narrow) Append(ctx context.Context, batches ...engine.Batch) error {
	if len(batches[0].Records) > n.most {
		return engine.ErrTooLarge
	}
	return n.Memory.Append(ctx, batches...)
}

func TestNarrowTarget(t *testing.T) {
	root, back := t.TempDir(), t.TempDir()
	fill(t, root, 2_000, 5)
	there := &narrow{Memory: &enginetest.Memory{}, most: 7}
	mustCopy(t, open(t, root), there, copy.Options{})
	mustCopy(t, there, open(t, back), copy.Options{})
	sameTrees(t, back, root)
}

// TestUncertainTarget: the target loses requests and answers.
func TestUncertainTarget(t *testing.T) {
	root, back := t.TempDir(), t.TempDir()
	fill(t, root, 400, 0)
	there := &enginetest.Memory{Answers: []enginetest.Answer{enginetest.Lost, enginetest.Unheard, enginetest.Late, enginetest.Right, enginetest.Away, enginetest.Unheard}}
	mustCopy(t, open(t, root), there, copy.Options{})
	mustCopy(t, there, open(t, back), copy.Options{})
	sameTrees(t, back, root)
}

// changing is a target that stores other bytes than it is given.
type changing struct{ *enginetest.Memory }

func (c changing) Append(ctx context.Context, batches ...engine.Batch) error {
	batches[0].Records[0] = append(bytes.Clone(batches[0].Records[0]), ' ')
	return c.Memory.Append(ctx, batches...)
}

func TestVerifies(t *testing.T) {
	root := t.TempDir()
	fill(t, root, 40, 0)
	_, err := copy.Copy(t.Context(), open(t, root), changing{&enginetest.Memory{}}, copy.Options{})
	if err == nil || !strings.Contains(err.Error(), "after the copy, which are not") {
		t.Errorf("%v", err)
	}
}

// growing is a source that gets a record while it is read.
type growing struct{ *enginetest.Memory }

func (g growing) IDs(ctx context.Context) iter.Seq2[string, error] {
	n, _ := g.Len(ctx, "a.jsonl")
	g.Append(ctx, engine.Batch{Log: "a.jsonl", Expected: n, Records: [][]byte{[]byte("new")}})
	return g.Memory.IDs(ctx)
}

func TestSourceGrows(t *testing.T) {
	from, to := growing{&enginetest.Memory{}}, &enginetest.Memory{}
	if err := from.Append(t.Context(), engine.Batch{Log: "a.jsonl", Records: [][]byte{[]byte("old")}}); err != nil {
		t.Fatal(err)
	}
	r := mustCopy(t, from, to, copy.Options{})
	if n, _ := to.Len(t.Context(), "a.jsonl"); r.Newer != 1 || r.Copied != 1 || n != 1 {
		t.Errorf("the target has %d records; %+v", n, r)
	}
}

// blobless is an engine without blobs, such as git.
type blobless struct {
	engine.NoBlobs
	engine.Logs
}

func (blobless) Name() string { return "blobless" }
func (blobless) Close() error { return nil }

func TestWithoutBlobs(t *testing.T) {
	root := t.TempDir()
	fill(t, root, 8, 10)
	write(t, filepath.Join(root, ".handoff/receipts/k.jsonl"), []byte("1\n"))
	r := mustCopy(t, open(t, root), blobless{Logs: &enginetest.Memory{}}, copy.Options{})
	if r.BlobsLeft != r.Blobs || r.Blobs == 0 || r.BlobsCopied != 0 {
		t.Errorf("%+v", r)
	}
	r = mustCopy(t, open(t, root), &enginetest.Memory{}, copy.Options{Prefix: "receipts/"})
	if r.Logs != 1 || r.Copied != 1 || r.Blobs != 0 {
		t.Errorf("receipts alone: %+v", r)
	}
}

// TestCancelled: an interrupted copy reports that.
func TestCancelled(t *testing.T) {
	root := t.TempDir()
	fill(t, root, 400, 10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	_, err := copy.Copy(ctx, open(t, root), &enginetest.Memory{}, copy.Options{Progress: func(p copy.Progress) {
		if p.Stage == copy.Records {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want context.Canceled", err)
	}
}

// withForeign lists a log that another program has written.
type withForeign struct{ *enginetest.Memory }

func (w withForeign) List(ctx context.Context, prefix string) iter.Seq2[engine.Info, error] {
	return func(yield func(engine.Info, error) bool) {
		if yield(engine.Info{Log: "bad.jsonl"}, &engine.ForeignError{Log: "bad.jsonl", Why: "not ours"}) {
			w.Memory.List(ctx, prefix)(yield)
		}
	}
}

// TestForeignLog: a log that cannot be read is a problem, and the others are copied.
func TestForeignLog(t *testing.T) {
	from, to := withForeign{&enginetest.Memory{}}, &enginetest.Memory{}
	if err := from.Append(t.Context(), engine.Batch{Log: "good.jsonl", Records: [][]byte{[]byte("x")}}); err != nil {
		t.Fatal(err)
	}
	r, err := copy.Copy(t.Context(), from, to, copy.Options{})
	if err != nil || r.Copied != 1 || len(r.Problems) != 1 || !strings.Contains(r.Problems[0], "bad.jsonl: not ours") {
		t.Errorf("%+v, %v", r, err)
	}
}
