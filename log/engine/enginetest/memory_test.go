package enginetest_test

import (
	"testing"

	"handoff/log/engine"
	"handoff/log/engine/enginetest"
)

func TestMemory(t *testing.T) {
	enginetest.Run(t, func(t *testing.T) engine.Engine { return &enginetest.Memory{} }, enginetest.Supports{Batches: true, Blobs: true,
		Another: func(t *testing.T, first engine.Engine) engine.Engine { return first }})
}
