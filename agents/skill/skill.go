// Package skill holds the texts that `handoff setup` and the plugin folder write
// for agents: a skill, the block in AGENTS.md, and the plugin of OpenCode. It
// knows only their text, not where a host keeps them. The commands in these texts, and what
// they do, are those of [Steps].
package skill

import _ "embed"

// Name is the skill's name, and of the folder that its SKILL.md is in.
const Name = "handoff"

// Text returns SKILL.md. Its frontmatter has only fields that every host reads.
func Text() string { return expand(text) }

//go:embed SKILL.md
var text string

// The first characters of the block's first line, which continues with its
// version, and its whole last line.
const (
	BlockBegin = "<!-- handoff:begin"
	BlockEnd   = "<!-- handoff:end -->"
)

// Block returns the part of AGENTS.md that setup manages, from [BlockBegin] to
// [BlockEnd] and a line break.
func Block() string { return expand(block) }

//go:embed block.md
var block string

// OpenCodePlugin is the file handoff.ts, for the plugin folder of OpenCode 1 and 2.
//
//go:embed handoff.ts
var OpenCodePlugin string
