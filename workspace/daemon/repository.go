package daemon

import "handoff/log/receipt"

// gitRepository is the git repository in which the watch began.
type gitRepository struct {
	place receipt.Place
	mark  string // "" where there is none: then nothing is looked for
	gone  bool   // the user was told
}

func repositoryOf(root string) gitRepository {
	place, _ := receipt.Locate(root) // its zero value has no mark
	return gitRepository{place: place, mark: place.Mark()}
}

// changed reports, once each time, whether the repository was deleted, or made anew in its folder.
func (r *gitRepository) changed() bool {
	told := r.gone
	switch now := r.place.Marked(); {
	case r.mark == "":
		return false
	case now == r.mark: // a copy of it may have been restored
		r.gone = false
		return false
	case now == "":
		r.gone = true
		if made := r.place.Mark(); made != "" { // of a new one: from now on, that may go
			r.mark, r.gone = made, false
		}
	default:
		r.mark, r.gone = now, false
	}
	return !told
}

// lookAtRepository tells the user when the repository is another one: otherwise that is noticed when
// two agents work on one handoff.
func (d *daemon) lookAtRepository() {
	if d.exists("") && d.repository.changed() { // else the whole tree is gone
		d.talk(func() {
			d.req.Say("the git repository was deleted or made anew: claims, what is done and kept work went with it, and handoffs that an agent has or has finished " +
				"may wait again. Only a copy of the old .git brings that back; without one, see `handoff next` before you start an agent")
		})
	}
}
