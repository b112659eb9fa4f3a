package thread

import "sort"

// MessagesUpTo is how many messages the thread itself has up to an event.
func (s *Store) MessagesUpTo(id string, upTo uint64) (uint64, error) {
	j, release, err := s.thread(id)
	if err != nil {
		return 0, err
	}
	defer release()
	n, err := j.Count(listMessages)
	if err != nil {
		return 0, err
	}
	first := sort.Search(int(n), func(i int) bool {
		pos, _, nthErr := j.Nth(listMessages, uint64(i))
		if nthErr != nil {
			err = nthErr
		}
		return pos > upTo
	})
	return uint64(first), err
}

// CheckpointUpTo is the compaction checkpoint of that kind of summary ("" for
// any) with the greatest ToSeq that is not above upTo, and of several the one
// that was written last; nil for none. A checkpoint stands behind what it
// covers, so looking back ends at what the best one so far covers.
func (s *Store) CheckpointUpTo(id string, upTo uint64, kind string) (*SelectedCheckpoint, error) {
	j, release, err := s.thread(id)
	if err != nil {
		return nil, err
	}
	defer release()
	last, err := head(j)
	if err != nil {
		return nil, err
	}
	var best *SelectedCheckpoint
	for pos, err := range backwards(j, listCheckpoint, last) {
		if err != nil {
			return nil, err
		}
		if best != nil && pos <= best.ToSeq {
			break
		}
		_, p, err := payloadAt[*CheckpointCreated](j, pos)
		if err != nil {
			return nil, err
		}
		if p.ToSeq <= upTo && (kind == "" || p.SummaryKind == kind) && (best == nil || p.ToSeq > best.ToSeq) {
			best = &SelectedCheckpoint{p.CheckpointID, p.SummaryKind, p.SummaryArtifactID, p.ToSeq}
		}
	}
	return best, nil
}
