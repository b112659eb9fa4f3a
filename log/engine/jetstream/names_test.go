package jetstream

import (
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
)

func TestSubjects(t *testing.T) {
	e := &Engine{prefix: "handoff.S."}
	for log, want := range map[string]string{
		"threads.jsonl":       "threads%2Ejsonl",
		"receipts/a-1_.jsonl": "receipts.a-1_%2Ejsonl",
		"a/*/>/é .jsonl":      "a.%2A.%3E.%C3%A9%20%2Ejsonl",
	} {
		subject := e.logSubject(log)
		if subject != "handoff.S.log."+want {
			t.Errorf("%s: %s, want %s", log, subject, want)
		}
		if got, ok := e.logOf(subject); got != log || !ok {
			t.Errorf("%s: read back as %q, %v", log, got, ok)
		}
	}
	for _, subject := range []string{"handoff.S.log.a%2", "handoff.S.log.%41", "handoff.S.log.a%2ejsonl", "handoff.S.blob.a", "handoff.T.log.a"} {
		if log, ok := e.logOf(subject); ok {
			t.Errorf("%s is not one of ours, but was read as %q", subject, log)
		}
	}
	for prefix, want := range map[string]string{"": ">", "threads": ">", "threads/": "threads.>", "threads/a": "threads.>", "a.b/c/d": "a%2Eb.c.>"} {
		if got := e.filter(prefix); got != "handoff.S.log."+want {
			t.Errorf("filter of %q: %s", prefix, got)
		}
	}
}

func TestParse(t *testing.T) {
	if m, err := parse(7, nats.Header{headerRecords: {"4-6"}, headerPart: {"2/3"}}, []byte("x")); err != nil || m.first != 4 || m.end != 6 || m.part != 2 || m.of != 3 || m.seq != 7 {
		t.Error(m, err)
	}
	for _, h := range []nats.Header{nil, {headerRecords: {"4"}}, {headerRecords: {"4-4"}}, {headerRecords: {"5-4"}}, {headerRecords: {"-1-4"}}, {headerRecords: {"a-b"}},
		{headerRecords: {"1-2"}, headerPart: {"0/2"}}, {headerRecords: {"1-2"}, headerPart: {"3/2"}}, {headerRecords: {"1-2"}, headerPart: {"x/y"}}} {
		if _, err := parse(7, h, nil); err == nil || !strings.Contains(err.Error(), "message 7 ") {
			t.Errorf("%v: %v", h, err)
		}
	}
}

func TestAssembler(t *testing.T) {
	whole := func(first, end uint64, text string) message {
		return message{first: first, end: end, part: 1, of: 1, data: []byte(text)}
	}
	part := func(n int, text string) message { return message{first: 2, end: 4, part: n, of: 3, data: []byte(text)} }
	var a assembler
	var got []string
	for i, m := range []message{whole(0, 1, "0"), whole(1, 2, "1"), part(1, "2"), part(2, "2\n"), part(3, "3"), whole(4, 5, "4")} {
		records, fits := a.add(m)
		if !fits {
			t.Fatalf("message %d does not fit", i)
		}
		for _, r := range records {
			got = append(got, string(r))
		}
	}
	if strings.Join(got, " ") != "0 1 22 3 4" {
		t.Errorf("%q", got)
	}
	for name, all := range map[string][]message{"hole": {whole(0, 1, "0"), whole(2, 3, "2")}, "twice": {whole(0, 1, "0"), whole(0, 1, "0")}, "missing part": {part(1, "a"), part(3, "b")},
		"begins with a part": {part(2, "a")}, "unfinished": {part(1, "a"), whole(4, 5, "x")}, "too few records": {whole(0, 3, "a\nb")}} {
		var a assembler
		fits := true
		for _, m := range all {
			_, fits = a.add(m)
		}
		if fits {
			t.Errorf("%s: it fits", name)
		}
	}
}

func TestOldServers(t *testing.T) {
	for version, want := range map[string]bool{"2.11.9": true, "2.12.0": false, "2.15.2": false, "2.9.1": true, "3.0.0": false, "1.4.1": true, "2": true, "": true, "2.12.0-RC.1": false} {
		if old(version) != want {
			t.Errorf("%s: %v", version, !want)
		}
	}
}

func TestUnfitStreams(t *testing.T) {
	fit := config{Name: "S", Subjects: []string{"handoff.S.>"}, Retention: "limits", Storage: "file", Discard: "new", MaxMsgs: -1, MaxBytes: 1 << 30, AllowAtomic: true}
	if err := fit.unfit("handoff.S.>"); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*config){
		"subjects":             func(c *config) { c.Subjects = []string{"orders.>"} },
		"retention":            func(c *config) { c.Retention = "workqueue" },
		"max_age":              func(c *config) { c.MaxAge = 1e9 },
		"max_msgs_per_subject": func(c *config) { c.MaxPerLog = 5 },
		"discard: old":         func(c *config) { c.Discard = "old" },
		"storage is memory":    func(c *config) { c.Storage = "memory" },
		"no_ack":               func(c *config) { c.NoAck = true },
		"allow_atomic":         func(c *config) { c.AllowAtomic = false },
		"persist_mode":         func(c *config) { c.PersistMode = "async" },
	} {
		c := fit
		change(&c)
		if err := c.unfit("handoff.S.>"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error with %q: %v", want, err)
		}
	}
}
