package main

import (
	"bytes"
	"fmt"
	"strconv"

	"handoff/internal/journal"
)

// frames is the journal format of a thread, as far as the measurements need it.
var frames = journal.Format{Version: 1, Read: readFrame}

// readFrame finds the fields by their names. The quotes of a name within a
// string would be escaped, and all fields but the last come before any object
// that could contain the same names.
func readFrame(line []byte) (journal.Facts, error) {
	seq, err := strconv.ParseUint(number(line, `"seq":`), 10, 64)
	if err != nil || line[len(line)-1] != '}' {
		return journal.Facts{}, fmt.Errorf("no frame: %.60q", line)
	}
	facts := journal.Facts{Number: seq, Keys: []string{text(line, `"id":"`)}}
	switch text(line, `"type":"continuity_`) {
	case "message_appended":
		facts.Lists = []string{"message"}
	case "compaction_checkpoint_created":
		facts.Lists = []string{"checkpoint"}
	case "run_spawned":
		facts.Keys = append(facts.Keys, "run:"+text(line, `"message_id":"`))
	}
	return facts, nil
}

func number(line []byte, name string) string {
	_, after, _ := bytes.Cut(line, []byte(name))
	n := bytes.IndexAny(after, ",}")
	return string(after[:max(n, 0)])
}

func text(line []byte, name string) string {
	_, after, _ := bytes.Cut(line, []byte(name))
	value, _, _ := bytes.Cut(after, []byte{'"'})
	return string(value)
}

// message is a line of about 330 bytes.
func message(seq uint64) []byte {
	const thread = "11111111-1111-4111-8111-111111111111"
	return fmt.Appendf(nil, `{"id":"a0000000-0000-4000-8000-%012x","session_id":"%s","stream_kind":"continuity","stream_id":"%s","timestamp_ms":%d,"seq":%d,`+
		`"type":"continuity_message_appended","actor_id":"user","origin":"cli","content":"look at the next file and mend it, then run the tests"}`,
		seq, thread, thread, 1769092800000+10*seq, seq)
}
