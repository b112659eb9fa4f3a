package stores

import (
	"context"
	"crypto/rand"

	"handoff/internal/file/gitindex"
	"handoff/log/engine"
)

// Identity returns a new identity of a store for the project of the workspace. A large
// repository takes some seconds to find its first commits, so a store that is in a hurry does
// not interrupt that: it is done once.
func (s *Stores) Identity(ctx context.Context) engine.Identity {
	return identityOf(ctx, s.o.Root)
}

// identity is Identity for a copy, which syncs in the background and must not keep s alive.
func (s *Stores) identity() func(context.Context) engine.Identity {
	root := s.o.Root
	return func(ctx context.Context) engine.Identity { return identityOf(ctx, root) }
}

func identityOf(ctx context.Context, root string) engine.Identity {
	return engine.Identity{Store: rand.Text(), Project: gitindex.Roots(context.WithoutCancel(ctx), root)}
}
