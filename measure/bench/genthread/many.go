package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// writeMany writes a thread of two frames and its branches.
func writeMany(dir string, n int) error {
	for i := range n {
		t := thread{id: threadID, left: 2}
		if i > 0 {
			t.id = id('f', i)
		}
		f, err := os.Create(filepath.Join(dir, t.id+".jsonl"))
		if err != nil {
			return err
		}
		t.w = f
		t.event("created", fmt.Sprintf(`"workspace":"/home/u/proj","title":"thread %d"`, i))
		if i > 0 {
			t.event("branched", fmt.Sprintf(`"parent_thread_id":"%s","parent_seq":0,`, threadID)+by)
		} else {
			t.frame(id('m', 0), "message_appended", by+`,"content":"begin"`)
		}
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}
