package own_test

// defects are places where an implementation goes wrong easily.
var defects = []defect{
	{"name.go", `t.UTC().Format(Stamp)`, `t.Format(Stamp)`},
	{"name.go", "{\"20060102_150405\", Dashed},", ""},
	{"name.go", `n.Time = time.Unix(seconds, 0).UTC()`, `n.Time = time.UnixMilli(seconds).UTC()`},
	{"bundle/members.go", `p[i] < ' ' || p[i] == '\\'`, `p[i] < ' '`},
	{"bundle/members.go", `return p != "." && fs.ValidPath(p)`, `return p != "." || fs.ValidPath(p)`},
	{"reconcile/bundle.go", `!strings.HasPrefix(p, "~") && bundle.ValidPath(p)`, `bundle.ValidPath(p)`},
	{"reconcile/bundle.go", `if clean, ok := inside(p); ok && !c.seen[clean] {`, `if clean, ok := inside(p); ok {`},
	{"receipt/receipt.go", `!now.Before(l.Claim.Until)`, `now.After(l.Claim.Until)`},
	{"receipt/receipt.go", `l.state, l.Claim.Until = Claimed, s.Until`, `l.state = Claimed`},
	{"receipt/decide.go", `steps = append(steps, m.step(StepExpired, l))`, ``},
	{"receipt/decide.go", `r.By, l.Claim.Token+1, r.Session.Host`, `r.By, max(l.Claim.Token, 1), r.Session.Host`},
	{"receipt/decide.go", `m.Now.UTC().Truncate(time.Millisecond)`, `m.Now.UTC()`},
	{"receipt/store.go", `case step.Seq != n:`, `case step.Seq > n:`},
	{"receipt/store.go", `case path != "" && step.Handoff != path:`, `case path == "" && step.Handoff != path:`},
	{"tape/uri/uri.go", `!strings.EqualFold(uri[:len(scheme)], scheme)`, `uri[:len(scheme)] != scheme`},
	{"tape/uri/uri.go", `err != nil || strconv.FormatInt(id, 10) != rest[1]`, `err != nil`},
	{"tape/uri/uri.go", `s += "/anchor/" + names.Escape(*r.Anchor, plainChars)`, `s += "/anchor/" + names.Escape(*r.Anchor, plainChars+"/")`},
	{"tape/envelope/envelope.go", `c.OmitEmptyText("reason", &p.Reason)`, `c.Text("reason", &p.Reason)`},
	{"tape/envelope/envelope.go", `case e.Content.Ownership != Transfer:`, `case e.Content.Ownership == "":`},
	{"reconcile/outputs.go", `{Key: "bundle_artifact_id", Value: l.id.String()},`, `{Key: "bundle_id", Value: l.id.String()},`},
	{"tape/append.go", `	n.next++`, `	n.next += 2`},
	{"thread/frame/frame.go", `c.Number("timestamp_ms", &e.TimestampMS)
	c.Number("seq", &e.Seq)
	c.Text("type", &kind)
	e.Payload = newPayload(kind)`, `c.Take("timestamp_ms")
	c.Number("seq", &e.Seq)
	c.Text("type", &kind)
	e.Payload = newPayload(kind)`},
	{"thread/frame/frame.go", `c.Number("seq", &e.Seq)
	c.Text("type", &kind)
	e.Payload.fields(c)`, `c.Text("type", &kind)
	c.Number("seq", &e.Seq)
	e.Payload.fields(c)`},
	{"pinned/pinned.go", `.Replace(strings.ToLower(text))`, `.Replace(text)`},
	{"pinned/pinned.go", `name != "^" && endsWord(rest)`, `name != "^"`},
	{"pinned/pinned.go", `words("^" + it.ID), words(subject)}`, `words("^" + it.ID), words(subject + "?")}`},
	{"pinned/moved.go", `return append(text, '\n')`, `return text`},
	{"pinned/moved.go", `if c.Fate == Lost && c.Item.Section == m.Section {`, `if c.Item.Section == m.Section {`},
	{"parse/assemble.go", `f.Lines.First, 0, "nothing closes`, `f.Lines.Last, 0, "nothing closes`},
}
