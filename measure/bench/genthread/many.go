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

// writeChain writes threads of which each continues the one before after its last event, and has a message of its own,
// as "handoff thread branch" would. The last one has the id of the long thread.
func writeChain(dir string, n int) error {
	parent := ""
	for i := range n {
		t := thread{id: id('f', i+1), left: 3}
		if i == n-1 {
			t.id = threadID
		}
		f, err := os.Create(filepath.Join(dir, t.id+".jsonl"))
		if err != nil {
			return err
		}
		t.w = f
		t.event("created", fmt.Sprintf(`"workspace":"/home/u/proj","title":"link %d"`, i))
		last := 2
		if i > 0 {
			if i == 1 {
				last = 1 // the first has no parent
			}
			t.event("branched", fmt.Sprintf(`"parent_thread_id":"%s","parent_seq":%d,`, parent, last)+by+above(i))
		}
		t.frame(id('m', i), "message_appended", by+fmt.Sprintf(`,"content":"link %d"`, i))
		parent = t.id
		if err := f.Close(); err != nil {
			return err
		}
	}
	return nil
}

// above is the field with which handoff tells every 33rd thread of a chain that its ancestors have nothing but messages.
func above(i int) string {
	if i%33 != 0 {
		return ""
	}
	stop := fmt.Sprintf(`{"thread_id":"%s","seq":1,"child":"%s","threads":%d,"messages":%d}`, id('f', 1), id('f', 2), i-1, i-1)
	return fmt.Sprintf(`,"handoff_above":{"next":%s,"end":%s}`, stop, stop)
}
