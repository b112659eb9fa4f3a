package jetstream

import (
	"strings"
	"testing"

	"handoff/internal/testing/natstest"
)

func TestDescribe(t *testing.T) {
	e := open(t, natstest.Start(t, natstest.Options{Nodes: 1}), "S")
	facts, err := e.Describe(t.Context())
	if err != nil || len(facts) != 4 || facts[0].Name != "server" || facts[1].Warning != "" || !strings.HasPrefix(facts[1].Value, "1: ") {
		t.Errorf("%+v, %v", facts, err)
	}
	behind := Status{Server: "a:4222", Version: "2.15.2", Cluster: "C", Leader: "n1", Replicas: 3, Current: 2}.facts()
	if behind[0].Value != "a:4222, version 2.15.2, cluster C, leader n1" || behind[1].Value != "3" || !strings.HasPrefix(behind[1].Warning, "2 of 3 are up to date") {
		t.Errorf("%+v", behind)
	}
	if whole := (Status{Replicas: 3, Current: 3}).facts(); whole[1].Warning != "" {
		t.Errorf("%+v", whole)
	}
}
