package own_test

// defects are places where an implementation goes wrong easily.
var defects = []defect{
	{"document/handoff/name.go", `t.UTC().Format(Stamp)`, `t.Format(Stamp)`},
	{"document/handoff/name.go", "{\"20060102_150405\", Dashed},", ""},
	{"document/handoff/name.go", `n.Time = time.Unix(seconds, 0).UTC()`, `n.Time = time.UnixMilli(seconds).UTC()`},
	{"log/bundle/members.go", `p[i] < ' ' || p[i] == '\\'`, `p[i] < ' '`},
	{"log/bundle/members.go", `return p != "." && fs.ValidPath(p)`, `return p != "." || fs.ValidPath(p)`},
	{"workspace/reconcile/bundle.go", `!strings.HasPrefix(p, "~") && bundle.ValidPath(p)`, `bundle.ValidPath(p)`},
	{"workspace/reconcile/bundle.go", `if clean, ok := inside(p); ok && !c.seen[clean] {`, `if clean, ok := inside(p); ok {`},
	{"log/receipt/receipt.go", `!now.Before(l.Claim.Until)`, `now.After(l.Claim.Until)`},
	{"log/receipt/receipt.go", `l.state, l.Claim.Until = Claimed, s.Until`, `l.state = Claimed`},
	{"log/receipt/decide.go", `steps = append(steps, m.step(StepExpired, l))`, ``},
	{"log/receipt/decide.go", `r.By, l.Claim.Token+1, r.Session.Host`, `r.By, max(l.Claim.Token, 1), r.Session.Host`},
	{"log/receipt/decide.go", `m.Now.UTC().Truncate(time.Millisecond)`, `m.Now.UTC()`},
	{"log/receipt/store.go", `case step.Seq != n:`, `case step.Seq > n:`},
	{"log/receipt/store.go", `case path != "" && step.Handoff != path:`, `case path == "" && step.Handoff != path:`},
	{"log/tape/envelope/uri.go", `!strings.EqualFold(uri[:len(scheme)], scheme)`, `uri[:len(scheme)] != scheme`},
	{"log/tape/envelope/uri.go", `err != nil || strconv.FormatInt(id, 10) != rest[1]`, `err != nil`},
	{"log/tape/envelope/uri.go", `s += "/anchor/" + names.Escape(*r.Anchor, plainChars)`, `s += "/anchor/" + names.Escape(*r.Anchor, plainChars+"/")`},
	{"log/tape/envelope/envelope.go", `c.OmitEmptyText("reason", &p.Reason)`, `c.Text("reason", &p.Reason)`},
	{"log/tape/envelope/envelope.go", `case e.Content.Ownership != Transfer:`, `case e.Content.Ownership == "":`},
	{"workspace/reconcile/outputs.go", `{Key: "bundle_artifact_id", Value: l.id.String()},`, `{Key: "bundle_id", Value: l.id.String()},`},
	{"log/tape/append.go", `	n.next++`, `	n.next += 2`},
	{"log/thread/frame/frame.go", `c.Number("timestamp_ms", &e.TimestampMS)
	c.Number("seq", &e.Seq)
	c.Text("type", &kind)
	e.Payload = newPayload(kind)`, `c.Take("timestamp_ms")
	c.Number("seq", &e.Seq)
	c.Text("type", &kind)
	e.Payload = newPayload(kind)`},
	{"log/thread/frame/frame.go", `c.Number("seq", &e.Seq)
	c.Text("type", &kind)
	e.Payload.fields(c)`, `c.Text("type", &kind)
	c.Number("seq", &e.Seq)
	e.Payload.fields(c)`},
	{"document/pinned/pinned.go", `.Replace(strings.ToLower(text))`, `.Replace(text)`},
	{"document/pinned/pinned.go", `name != "^" && endsWord(rest)`, `name != "^"`},
	{"document/pinned/pinned.go", `words("^" + it.ID), words(subject)}`, `words("^" + it.ID), words(subject + "?")}`},
	{"document/pinned/moved.go", `return append(text, '\n')`, `return text`},
	{"document/pinned/moved.go", `if c.Fate == Lost && c.Item.Section == m.Section {`, `if c.Item.Section == m.Section {`},
	{"parse/assemble.go", `f.Lines.First, 0, "nothing closes`, `f.Lines.Last, 0, "nothing closes`},
}
