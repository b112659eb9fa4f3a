package open

import (
	"context"
	"fmt"

	"handoff/engine"
)

// openNATS connects to a JetStream cluster.
func openNATS(_ context.Context, a engine.Address, _ Options) (engine.Engine, error) {
	return nil, fmt.Errorf("%s: this build has no JetStream engine: %w", a, engine.ErrUnsupported)
}
