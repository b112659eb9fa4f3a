package outcome

// Cause is why a session ended.
type Cause string

// The causes.
const (
	Limit   Cause = "limit"    // an allowance of the account was used up
	TooLong Cause = "too-long" // its context was full, and the host could not go on
	Failed  Cause = "error"    // a call of the model failed, or the host did
	Stopped Cause = "stopped"  // a person stopped it
	Killed  Cause = "killed"   // nothing was recorded after it was asked, or after it called a tool
	Ended   Cause = "ended"    // the agent came to its end by itself
)

// Causes are all of them.
var Causes = []Cause{Limit, TooLong, Failed, Stopped, Killed, Ended}

// Cause decides why the session ended, from what was recorded last. failure says what a failure is of
// which the host recorded a message and, as, its own word or status for it. A session that still runs
// looks like one that was killed: only the time of its last record can tell.
func (e *End) Cause(failure func(message, as string) Cause) Cause {
	switch {
	case e.stopped:
		return Stopped
	case e.Failed != "":
		return failure(e.Failed, e.FailedAs)
	case e.limited && (e.middle() || e.silent):
		return Limit
	case e.state == over && e.silent:
		return Failed // the host ended the turn without a reply, and did not record why
	case e.middle():
		return Killed
	}
	return Ended
}

// Middle reports whether the work was not at its end.
func (c Cause) Middle() bool { return c != Ended }
