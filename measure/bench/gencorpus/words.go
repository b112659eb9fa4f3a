package main

import (
	"math/rand/v2"
	"strings"
)

// pools are the words for the slots of a pattern: "{tactic}" is replaced by one
// of the tactics. A word may contain slots.
var pools = map[string][]string{
	"stem": {"insert", "forward", "lift", "map", "fold", "merge", "resolve", "extend", "split", "bound", "cover", "trace"},
	"tail": {"coherent", "mono", "step", "comm", "nil", "cons", "subset", "union", "witness", "closed", "stable", "apply"},
	"name": {"{stem}_{tail}", "{stem}_{tail}_aux", "{tail}_of_{stem}", "{stem}_{tail}_iff"},
	"type": {"GHCoherent", "FrameClass", "MaximalSet", "TokenStream", "Ledger", "PartialFamily", "RouteTable", "CutPoint", "Session", "Valuation"},
	"tactic": {"simp [{name}]", "rcases h with ⟨w, hw⟩", "exact {name} h", "induction φ generalizing Γ", "omega",
		"refine ⟨_, {name} h, ?_⟩", "unfold {type}", "constructor"},
	"math":  {"Γ ⊢ φ → ψ", "∀ n ∈ S, f n ≤ g n", "φ ∈ Γ ∨ ¬φ ∈ Γ", "A ∩ B ⊆ C", "x ∉ dom σ", "□φ → φ", "Δ ∪ Γ ≠ ∅", "α × β ≃ β × α"},
	"test":  {"test_{name}", "Test{type}", "{type}RoundTrip"},
	"topic": {"coherence", "token refresh", "frame conditions", "cursor paging", "the induction step", "retry order", "saturation", "cache eviction"},

	"action": {
		"Apply `{tactic}` to `h_ih`, then close the remaining case with `exact {name}`.",
		"Prove `{name}` by cases on `φ`, using `{name}` for the modal case `{math}`.",
		"Replace the linear search in `{name}` with a lookup in `{type}` and run `{test}` again.",
		"Fix the off-by-one in `{name}`: the upper bound excludes the last `{type}`, so `{test}` reads past the end.",
		"Add the missing case for an empty `{type}` to `{name}` and make `{test}` pass.",
		"Move the check of `{type}` out of `{name}` into its caller, because `{test}` calls it with a partly built value.",
		"Rewrite the goal with `{name}` from right to left so that `{math}` is a hypothesis and not a goal.",
	},
	"goal": {
		"`{math}`, with `{name}` in scope and two cases left",
		"`{test}` fails with \"expected 3 items, found 2\"; all other tests of the package pass",
		"`{name}` compiles and returns a `{type}`, the caller does not use it yet",
		"one `sorry` left in the backward direction, `{math}`",
	},
	"choice": {
		"Use {type} instead of {type}: Keeps {topic} in one place",
		"Prove `{name}` before `{name}`: The second needs the first at `{math}`",
		"Keep `{name}` private to the module: Only {topic} calls it and its contract may still change",
		"Process insertions first: Simplifies the checks of {topic} that follow",
		"State the bound as `{math}`: The weaker form does not survive the induction step",
		"Write to a temporary file and rename: A reader of {type} never sees half of it",
	},
	"deadend": {
		"`{tactic}` alone: Does not unfold {type}, so `{math}` stays open",
		"Direct induction on the formula: The goal is about {topic}, not about the formula",
		"Caching {type} by name: Two sessions share a name and {topic} breaks",
		"Raising the timeout of `{test}`: It hides the race in `{name}` and fails again under load",
		"`{name}` from the library: Needs `{math}`, which is not available before saturation",
	},
	"fact": {
		"`{name}` needs both `{name}` and `{name}` as hypotheses",
		"`{type}` is defined in terms of `{math}`",
		"The induction hypothesis gives {topic} for the prefix only, extend it with `{name}`",
		"`{test}` runs against the recorded fixtures, not against a live service",
		"{type} is not thread-safe: every caller of `{name}` holds the lock",
		"The order of `{math}` matters for {topic}",
	},
	"prose": {
		"the value of {type} is computed once and kept until {topic} changes",
		"callers of {name} must hold the invariant {math}",
		"see {name} for the other direction",
		"this follows the plan of {topic} and nothing else depends on it",
	},
	"task": {"prove", "repair", "extend", "port", "index", "verify", "refactor", "measure"},
	"part": {"completeness", "soundness", "token_cache", "route_table", "parser", "frame_semantics", "event_log", "test_harness", "cut_rule"},
}

// fill replaces every slot of a pattern by a word of its pool. It panics for a
// slot without a pool, which is a mistake in the tables above.
func fill(r *rand.Rand, pattern string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		slot, after, _ := strings.Cut(rest, "}")
		b.WriteString(fill(r, pick(r, pools[slot])))
		pattern = after
	}
}

// several fills a slot n times, never with the same pattern twice.
func several(r *rand.Rand, slot string, n int) []string {
	patterns := pools[slot]
	list := make([]string, 0, n)
	for _, i := range r.Perm(len(patterns))[:n] {
		list = append(list, fill(r, patterns[i]))
	}
	return list
}

func pick[T any](r *rand.Rand, from []T) T { return from[r.IntN(len(from))] }

// chance is true with a probability of percent.
func chance(r *rand.Rand, percent int) bool { return r.IntN(100) < percent }
