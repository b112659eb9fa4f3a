package jsonedit

// Remove removes the member or element at the path, with the comma and the whitespace that
// belong to it. If there is none, nothing changes. Errors are those of [File.Set]; the root
// cannot be removed.
func (f *File) Remove(path Path) error { return inPath(path, f.remove(path)) }

func (f *File) remove(path Path) error {
	at, err := f.resolve(path)
	if err != nil || len(at.rest) > 0 {
		return err
	}
	if at.parent == nil {
		return ErrValue
	}
	all, i := at.parent.Children, at.index
	from, to := at.parent.Start+1, at.parent.End-1 // the only one
	switch {
	case i+1 < len(all):
		from, to = all[i].Start(), all[i+1].Start()
	case i > 0:
		from, to = all[i-1].End(), all[i].End()
	}
	return f.apply(from, to, "")
}
