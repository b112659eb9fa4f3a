// Package histories tests `handoff watch` in the life of a repository. Its tests run
// the real program beside real git: agents write handoffs and metadata, a lead reads
// them, git changes branches, and the watch is killed and started again. What must be
// the result comes from a model of what agents and leads may rely on, which uses none
// of our packages. It tests claims in the same way, by whatever program they are made and
// whatever becomes of that program. There is nothing here to import.
package histories
