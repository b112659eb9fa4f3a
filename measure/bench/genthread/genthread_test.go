package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Each line is a frame with the next number, and a shorter thread is a prefix
// of a longer one.
func TestGenerate(t *testing.T) {
	var long, short bytes.Buffer
	(&thread{w: &long, id: threadID, left: 5000}).generate()
	(&thread{w: &short, id: threadID, left: 123}).generate()
	if !bytes.HasPrefix(long.Bytes(), short.Bytes()) {
		t.Error("another length, another beginning")
	}
	ids := map[string]bool{}
	kinds := map[string]int{}
	n := 0
	for sc := bufio.NewScanner(&long); sc.Scan(); n++ {
		var f struct {
			ID, Type string
			Seq      int
		}
		if err := json.Unmarshal(sc.Bytes(), &f); err != nil || f.Seq != n || ids[f.ID] {
			t.Fatalf("line %d: %s, %v", n, sc.Bytes(), err)
		}
		ids[f.ID] = true
		kinds[f.Type]++
	}
	if n != 5000 || kinds["continuity_message_appended"] < 500 || kinds["continuity_compaction_checkpoint_created"] < 5 {
		t.Errorf("%d lines: %v", n, kinds)
	}
	path := filepath.Join(t.TempDir(), "thread")
	if err := write(path, 123); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, short.Bytes()) {
		t.Error("the file holds something else")
	}
}

// Each thread has its own file, named after it, with two frames.
func TestWriteMany(t *testing.T) {
	dir := t.TempDir()
	if err := writeMany(dir, 20); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) != 20 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, path := range files {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range bytes.Split(bytes.TrimSpace(src), []byte("\n")) {
			var f struct {
				StreamID string `json:"stream_id"`
				Seq      int
			}
			if err := json.Unmarshal(line, &f); err != nil || f.Seq != n || n > 1 || f.StreamID+".jsonl" != filepath.Base(path) {
				t.Errorf("%s: %s, %v", path, line, err)
			}
		}
	}
}

// Each thread of a chain is a branch of the one before after its last event, and the last has the id of the long thread.
func TestWriteChain(t *testing.T) {
	dir := t.TempDir()
	if err := writeChain(dir, 5); err != nil {
		t.Fatal(err)
	}
	next, depth := threadID, 0
	for next != "" {
		src, err := os.ReadFile(filepath.Join(dir, next+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.Split(bytes.TrimSpace(src), []byte("\n"))
		var second struct {
			Parent string `json:"parent_thread_id"`
			Seq    int    `json:"parent_seq"`
		}
		if err := json.Unmarshal(lines[1], &second); err != nil {
			t.Fatal(err)
		}
		if next, depth = second.Parent, depth+1; next == "" {
			continue
		}
		above, err := os.ReadFile(filepath.Join(dir, next+".jsonl"))
		if n := bytes.Count(above, []byte("\n")); err != nil || second.Seq != n-1 {
			t.Errorf("cut after event %d of %d, %v", second.Seq, n, err)
		}
	}
	if depth != 5 {
		t.Errorf("%d threads, want 5", depth)
	}
}
