package jetstream

import (
	"bytes"
	"context"
	"maps"
	"slices"

	"github.com/nats-io/nats.go"

	"handoff/log/engine"
)

// tailsMost is how many bytes of records are kept in all. If there are more, every log is
// read as if none were kept.
const tailsMost = 4 << 20

// beforeMost is how many logs one request for the records before them names.
const beforeMost = 64

// growth lists the logs that have grown, with the records that were read to find out:
// reading them again would take two requests for each log.
type growth struct {
	logs map[string]*grown
	size int // of the records, in bytes
}

type grown struct {
	engine.Info
	holes bool // the records are not all that the log got
}

// add adds the next message of a log.
func (g *growth) add(log string, m message) {
	l := g.logs[log]
	if l == nil {
		l = &grown{Info: engine.Info{Log: log, Len: m.first}}
		g.logs[log] = l
	}
	records := bytes.Split(m.data, []byte{'\n'})
	if l.Len != m.first || m.of > 1 || uint64(len(records)) != m.end-m.first {
		l.holes = true
	}
	l.Len = m.end
	if g.size += len(m.data); l.holes || g.size > tailsMost {
		l.Tail = nil
		return
	}
	for i, data := range records {
		l.Tail = append(l.Tail, engine.Record{Number: m.first + uint64(i), Data: data})
	}
}

// before adds to each log the record before its new ones, to compare a copy with: the
// last one up to a known message. If this fails, the log is read.
func (g *growth) before(ctx context.Context, e *Engine, known uint64) {
	var subjects []string
	for _, l := range g.infos() {
		if len(l.Tail) > 0 && l.Tail[0].Number > 0 {
			subjects = append(subjects, e.logSubject(l.Log))
		}
	}
	if len(subjects) == 0 || len(subjects) > beforeMost {
		return
	}
	request := get{Lasts: subjects, UpTo: known, Batch: len(subjects), MaxBytes: 2 * tailsMost}
	_ = e.many(ctx, "$JS.API.DIRECT.GET."+e.o.Stream, request, len(subjects)+1, func(m *nats.Msg) (bool, error) {
		log, _ := e.logOf(m.Header.Get("Nats-Subject"))
		l, last := g.logs[log], m.Data[bytes.LastIndexByte(m.Data, '\n')+1:]
		parsed, err := parse(sent(m), m.Header, m.Data)
		if err == nil && l != nil && len(l.Tail) > 0 && parsed.of == 1 && parsed.end == l.Tail[0].Number {
			l.Tail = slices.Insert(l.Tail, 0, engine.Record{Number: parsed.end - 1, Data: last})
		}
		return false, nil
	})
}

// infos are those of the logs, in order.
func (g *growth) infos() (infos []engine.Info) {
	for _, log := range slices.Sorted(maps.Keys(g.logs)) {
		l := g.logs[log]
		if g.size > tailsMost {
			l.Tail = nil
		}
		infos = append(infos, l.Info)
	}
	return infos
}
