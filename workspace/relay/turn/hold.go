package turn

import "context"

// Hold renews the claim of an opened agent between two turns, until it is stopped. The returned context
// ends when another claim has replaced it.
func (a *Agent) Hold(ctx context.Context) (holding context.Context, stop func()) {
	return a.work.Hold(ctx)
}
