package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Each line is an entry with the next id, each phase begins with an anchor, and
// a shorter tape is a prefix of a longer one.
func TestWrite(t *testing.T) {
	var long, short bytes.Buffer
	write(&long, 2000)
	write(&short, 123)
	if !bytes.HasPrefix(long.Bytes(), short.Bytes()) {
		t.Error("another length, another beginning")
	}
	kinds := map[string]int{}
	n := 0
	for sc := bufio.NewScanner(&long); sc.Scan(); n++ {
		var e struct {
			ID            int
			Kind, Date    string
			Payload, Meta map[string]any
		}
		if err := json.Unmarshal(sc.Bytes(), &e); err != nil || e.ID != n+1 || e.Payload == nil || e.Meta == nil || e.Date == "" || (e.Kind == "anchor") != (n%phase == 0) {
			t.Fatalf("line %d: %s, %v", n, sc.Bytes(), err)
		}
		kinds[e.Kind]++
	}
	if n != 2000 || kinds["anchor"] != 50 || kinds["tool_call"] != kinds["tool_result"] || kinds["message"] < 600 {
		t.Errorf("%d lines: %v", n, kinds)
	}
	path := filepath.Join(t.TempDir(), "tape")
	if err := create(path, 123); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, short.Bytes()) {
		t.Error("the file holds something else")
	}
}
