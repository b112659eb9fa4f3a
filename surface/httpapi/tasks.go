package httpapi

import (
	"handoff/surface/problem"
	"handoff/workspace/handoffops"
)

var noTask = refuse(problem.NoTask, "no such task")

type taskInput struct {
	Number int `path:"n" min:"0" max:"999999999" doc:"task number"`
}

// taskGroup serves the operations on tasks.
func (s *Server) taskGroup() group[*handoffops.At] {
	g := s.handoffGroup()
	g.name, g.named = "task", named[taskInput]()
	return g
}
