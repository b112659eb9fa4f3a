package replay

// need is the session's knowledge that the calls after a cut use.
type need struct {
	files, names, commands, reread map[string]bool
}

// needs collects what the next calls use.
func needs(s *session, at, size int, known terms, ran, reads map[string]bool) need {
	n := need{map[string]bool{}, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	calls := 0
	for _, st := range s.steps[at:] {
		if len(st.calls) == 0 {
			continue
		}
		if calls += len(st.calls); calls > size {
			break
		}
		used := termsOf(st.asked, s.dir)
		for p := range used.files {
			if known.files[p] {
				n.files[p] = true
			}
		}
		for name := range used.names {
			if known.names[name] {
				n.names[name] = true
			}
		}
		for _, c := range st.calls {
			if command := blanks(c.Command); ran[command] {
				n.commands[command] = true
			}
			if p := fileOf(c, s.dir); p != "" && !c.Writes && reads[p] {
				n.reread[p] = true
			}
		}
	}
	return n
}

func (n need) total() int { return len(n.files) + len(n.names) + len(n.commands) + len(n.reread) }

// add counts what a text has of it.
func (n need) add(has terms, to *[numClasses]count) {
	for c, list := range [numClasses]struct {
		needed map[string]bool
		holds  func(string) bool
	}{
		files:    {n.files, has.hasFile},
		commands: {n.commands, has.hasCommand},
		names:    {n.names, func(name string) bool { return has.names[name] }},
		rereads:  {n.reread, has.hasFile},
	} {
		for one := range list.needed {
			to[c].needed++
			if list.holds(one) {
				to[c].held++
			}
		}
	}
}
