package handoff

import "fmt"

// MetadataFile is the metadata's name in the task folder.
const MetadataFile = ".return-meta.json"

// StageHandoff is the stage of partial_progress while a handoff waits, written
// because the context ran out.
const StageHandoff = "context_exhaustion_handoff"

// StageDone is the stage of partial_progress when the newest handoff is done and no other one
// waits.
const StageDone = "handoff_done"

// ProgressFile is the progress file of a phase, below the task folder.
func ProgressFile(phase int) string { return fmt.Sprintf("progress/phase-%d-progress.json", phase) }
