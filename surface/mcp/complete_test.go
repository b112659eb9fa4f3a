package mcp

import (
	"fmt"
	"reflect"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"handoff/internal/testing/treetest"
)

// TestComplete completes what a person types for a prompt or a resource.
func TestComplete(t *testing.T) {
	inBothEras(t, func(t *testing.T, p *place, s *sdk.ClientSession) {
		prompt := func(name string) *sdk.CompleteReference {
			return &sdk.CompleteReference{Type: "ref/prompt", Name: name}
		}
		template := func(uri string) *sdk.CompleteReference {
			return &sdk.CompleteReference{Type: "ref/resource", URI: scheme + uri}
		}
		for task := 7; task <= 117; task++ {
			treetest.Write(t, p.root, fmt.Sprintf("specs/%d_small/handoffs/phase-1-handoff-20260212T143022Z.md", task), "# Phase 1 Handoff - 20260212T143022Z\n")
		}
		ask := func(ref *sdk.CompleteReference, name, value string) sdk.CompletionResultDetails {
			t.Helper()
			got, err := s.Complete(t.Context(), &sdk.CompleteParams{Ref: ref, Argument: sdk.CompleteParamsArgument{Name: name, Value: value}})
			if err != nil {
				t.Fatal(err)
			}
			return got.Completion
		}
		for _, c := range []struct {
			ref         *sdk.CompleteReference
			name, value string
			want        []string
		}{
			{prompt("handoff_write"), "task", "11", []string{"11", "110", "111", "112", "113", "114", "115", "116", "117"}},
			{prompt("handoff_resume"), "ref", "7", []string{"7/1", "70/1", "71/1", "72/1", "73/1", "74/1", "75/1", "76/1", "77/1", "78/1", "79/1"}},
			{prompt("handoff_resume"), "ref", "la", []string{"latest"}},
			{template("{+ref}"), "ref", "42", []string{"42/1"}},
			{template("chain/{task}"), "task", "99", []string{"99"}},
			{template("tape{?since}"), "since", "2", []string{}},
		} {
			if got := ask(c.ref, c.name, c.value); !reflect.DeepEqual(got.Values, c.want) || got.Total != len(c.want) || got.HasMore {
				t.Errorf("%s %q: %+v, want %q", c.name, c.value, got, c.want)
			}
		}
		if all := ask(prompt("handoff_resume"), "ref", ""); len(all.Values) != mostCompleted || all.Total != 112 || !all.HasMore {
			t.Errorf("%d of %d values, more: %t", len(all.Values), all.Total, all.HasMore)
		}
	})
}
