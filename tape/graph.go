package tape

func (s *Store) mayBegin(name string) error { return nil }

func (s *Store) addLinked(v *view, j interface{ Path() string }) error { return nil }

const intentionAnchor = "intention"
