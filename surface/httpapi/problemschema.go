package httpapi

import "handoff/surface/problem"

// The names of the schemas of the type of a problem, and of the types that this version
// has.
const (
	problemTypeName      = "ProblemType"
	knownProblemTypeName = "KnownProblemType"
)

// problemTypeSchema describes the type of a problem. It is open: a client of this
// version must not refuse the answers of a newer server.
func problemTypeSchema() map[string]any {
	return map[string]any{
		"description": "about:blank if the status says everything. New versions may add types: treat an unknown one by its status.",
		"anyOf":       []map[string]any{{"$ref": "#/components/schemas/" + knownProblemTypeName}, {"type": "string"}},
	}
}

// knownProblemTypeSchema lists the registry.
func knownProblemTypeSchema() map[string]any {
	list, text := []string{string(problem.Blank)}, ""
	for _, k := range problem.Kinds {
		if k.Status == 0 {
			continue // only commands have it
		}
		list = append(list, string(k.Type))
		text += "\n* `" + string(k.Type) + "`: " + k.Title
		if k.Members != "" {
			text += ". Members: " + k.Members
		}
	}
	return map[string]any{"type": "string", "description": "The types of problems of this version:\n" + text, "enum": list}
}
