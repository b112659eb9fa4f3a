package open

import (
	"context"

	"handoff/log/engine"
	"handoff/log/engine/jetstream"
)

// openNATS connects to a JetStream cluster.
func openNATS(ctx context.Context, a engine.Address, o Options) (engine.Engine, error) {
	env := o.Env
	if env == nil {
		env = func(string) string { return "" }
	}
	e, err := jetstream.Open(ctx, jetstream.Options{Servers: a.Servers, Stream: a.Stream, Create: o.Create,
		Creds: env("HANDOFF_STORE_CREDS"), Token: env("HANDOFF_STORE_TOKEN"), CA: env("HANDOFF_STORE_CA")})
	if err != nil {
		return nil, err
	}
	return e, nil
}
