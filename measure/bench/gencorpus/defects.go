package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// defect is one kind of mistake in a handoff.
type defect struct {
	name  string
	spoil func(*document, *rand.Rand)
}

// defects are the planted defects, used in turn, so that each occurs equally
// often.
var defects = []defect{
	{"long-document", tooLong},
	{"missing-section", missingSection},
	{"duplicate-section", duplicateSection},
	{"list-as-next-action", listAsNextAction},
	{"vague-next-action", vagueNextAction},
	{"too-many-items", tooManyItems},
	{"leftover-placeholder", leftoverPlaceholder},
	{"malformed-name", malformedName},
	{"wrong-title-phase", wrongTitlePhase},
	{"missing-file-label", missingFileLabel},
	{"dead-reference", deadReference},
	{"dead-line", deadLine},
	{"secret", secret},
	{"unclosed-fence", unclosedFence},
}

// tooLong makes the goal state longer than a screen.
func tooLong(d *document, r *rand.Rand) {
	s := d.section(state)
	for range screen {
		s.lines = append(s.lines, "  and "+fill(r, "{prose}"))
	}
}

func missingSection(d *document, r *rand.Rand) {
	i := r.IntN(len(d.sections))
	d.sections = append(d.sections[:i:i], d.sections[i+1:]...)
}

func duplicateSection(d *document, r *rand.Rand) {
	d.add(context, bullets(several(r, "fact", 2), 0)...)
}

func listAsNextAction(d *document, r *rand.Rand) {
	d.section(nextAction).lines = numbered(several(r, "action", 3), false, 0)
}

func vagueNextAction(d *document, r *rand.Rand) {
	d.section(nextAction).lines = []string{pick(r, []string{"Continue working on the proof.", "Continue the implementation."})}
}

func tooManyItems(d *document, r *rand.Rand) {
	d.section(context).lines = bullets(append(several(r, "fact", 5), several(r, "fact", 3)...), 0)
}

func leftoverPlaceholder(d *document, _ *rand.Rand) {
	d.section(decisions).lines = []string{"1. {Decision}: {Brief rationale (one sentence)}", "2. {Decision}: {Brief rationale}"}
}

// malformedName formats the time as agents do that do not know the schema.
func malformedName(d *document, r *rand.Rand) {
	if chance(r, 50) {
		d.base = strings.Replace(d.base, "Z.md", ".md", 1)
		return
	}
	stamp := d.base[strings.LastIndexByte(d.base, '-')+1 : len(d.base)-len(".md")]
	digits := strings.Trim(strings.Replace(stamp, "T", "", 1), "Z")
	d.base = strings.Replace(d.base, stamp, digits, 1)
}

func wrongTitlePhase(d *document, _ *rand.Rand) {
	d.title = strings.Replace(d.title, "# Phase ", "# Phase 1", 1)
}

func missingFileLabel(d *document, _ *rand.Rand) {
	s := d.section(state)
	s.lines = s.lines[1:]
}

func deadReference(d *document, _ *rand.Rand) {
	s := d.section(references)
	s.lines[0] = strings.Replace(s.lines[0], "001.md", "002.md", 1)
}

// deadLine names a line after the end of the file: no source file is that long.
func deadLine(d *document, r *rand.Rand) {
	s := d.section(state)
	s.lines[1] = fmt.Sprintf("- **Location**: Line %d, inside `%s`", 5000+r.IntN(1000), fill(r, "{name}"))
}

// secret writes a string in the format of an access key. It is concatenated
// here so that secret scanners do not report the source.
func secret(d *document, r *rand.Rand) {
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
	key := []byte("AK" + "IA")
	for range 16 {
		key = append(key, alphabet[r.IntN(len(alphabet))])
	}
	s := d.section(context)
	s.lines = append(s.lines[:2:2], fmt.Sprintf("- The staging bucket is read with the key %s", key))
}

// unclosedFence opens a fence and does not close it. It alternates between a
// fence in the list item, which ends with the item in CommonMark, and one at
// the margin, which includes the rest of the document.
func unclosedFence(d *document, r *rand.Rand) {
	indent := "  "
	if chance(r, 50) {
		indent = ""
	}
	s := d.section(state)
	s.lines = append(s.lines[:2:2], "- **Goal state**:", indent+"```", indent+"⊢ "+fill(r, "{math}"))
}
