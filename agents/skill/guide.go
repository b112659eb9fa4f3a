package skill

import "strings"

// Step is a command for an agent that continues work or leaves it: the one source of what the block,
// the skill, documentation, hooks, prompts and the MCP server tell an agent about it.
type Step struct {
	Name    string
	Command string // REF, NAME, TEXT, N, P and FILE are the agent's
	Does    string // what it does, after the command or "it"
}

// Steps are all steps, in the order in which an agent needs them. The commands work in this order, each in
// a shell of its own.
func Steps() []Step {
	return []Step{
		{"next", "handoff next", "lists the handoffs that wait, the best first"},
		{"brief", "handoff brief REF", "prints one"},
		{"verify", "handoff verify", "compares the handoffs with the files"},
		{"claim", "handoff claim REF --as NAME", "claims it, so that only you work on it"},
		{"ack", "handoff ack REF --first-action 'TEXT'", "records that you have read it: TEXT is the first sentence of its next action"},
		{"renew", "handoff renew REF", "extends your claim, which lasts two hours"},
		{"fields", "handoff schema new", "prints the fields of a handoff"},
		{"new", "handoff new --task N --phase P --from FILE", "writes the next one from FILE (YAML, with the fields that `handoff schema new` prints), or prints what to fix there"},
		{"done", "handoff done REF", "records that its work is finished"},
		{"release", "handoff release REF", "gives it back"},
	}
}

// Named returns a step of [Steps].
func Named(name string) Step {
	for _, s := range Steps() {
		if s.Name == name {
			return s
		}
	}
	panic("no step " + name) // a mistake in this program, which each test of a text finds
}

// Line is the command for a handoff and the name of an agent; without a handoff, that of the claim
// that the agent holds.
func (s Step) Line(ref, as string) string {
	if ref != "" {
		ref = " " + ref
	}
	return strings.Replace(strings.Replace(s.Command, " REF", ref, 1), "NAME", as, 1)
}

// expand replaces {{STEP}} by its command, in backquotes, and {{STEP.does}} by what it does.
func expand(text string) string {
	var words []string
	for _, s := range Steps() {
		words = append(words, "{{"+s.Name+"}}", "`"+s.Command+"`", "{{"+s.Name+".does}}", s.Does)
	}
	return strings.NewReplacer(words...).Replace(text)
}
