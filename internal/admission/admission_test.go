package admission

import "testing"

func admitted(p *Place) bool {
	select {
	case <-p.Turn:
		return true
	default:
		return false
	}
}

func TestQueue(t *testing.T) {
	q := New(3)
	first, large, small := q.Enter(2), q.Enter(9), q.Enter(1)
	if !admitted(first) || admitted(large) || admitted(small) {
		t.Error("work begins before there is room, or before work that came earlier")
	}
	q.Leave(first)
	if !admitted(large) || admitted(small) {
		t.Error("work that is larger than the queue is not alone")
	}
	last := q.Enter(1)
	q.Leave(small) // before its turn
	q.Leave(large)
	if !admitted(last) || admitted(small) {
		t.Error("a place that was given up is still there")
	}
	if taken, waiting := q.Load(); taken != 1 || waiting != 0 {
		t.Errorf("%d taken, %d wait", taken, waiting)
	}
	var none *Queue
	if p := none.Enter(1); !admitted(p) {
		t.Error("a nil queue makes work wait")
	} else {
		none.Leave(p)
	}
}
