// Command app is the app of TestGeneratedClients, with the client that oapi-codegen generates.
package main

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"

	"app/api"
)

func main() {
	ctx := context.Background()
	c, err := api.NewClientWithResponses(os.Getenv("HANDOFF_URL"), api.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv("HANDOFF_TOKEN"))
		return nil
	}))
	check(err)
	list, err := c.HandoffListWithResponse(ctx, &api.HandoffListParams{})
	check(err)
	ref := (*list.JSON200)[0].Path
	fmt.Println("waits:", ref)
	claimed, err := c.HandoffClaimWithResponse(ctx, ref, &api.HandoffClaimParams{}, api.HandoffClaimRequest{As: "app"})
	check(err)
	fmt.Println("claimed by:", *claimed.JSON201.By, claimed.JSON201.State)
	brief, err := c.HandoffBriefWithResponse(ctx, ref, &api.HandoffBriefParams{})
	check(err)
	fmt.Println("next action:", strings.Contains(string(brief.Body), "Immediate Next Action"))
	entry := api.EntryBody{Kind: "message", Payload: map[string]any{"role": "user", "content": "begun"}}
	appended, err := c.TapeAppendWithResponse(ctx, "app", &api.TapeAppendParams{}, api.AppendBody{Entries: &[]api.EntryBody{entry}})
	check(err)
	fmt.Println("appended:", appended.JSON201.Entries[0].Kind)
	done, err := c.HandoffDoneWithResponse(ctx, ref, api.HandoffDoneRequest{Claim: claimed.JSON201.Claim})
	check(err)
	fmt.Println("done:", done.JSON200.State)
	again, err := c.HandoffClaimWithResponse(ctx, ref, &api.HandoffClaimParams{}, api.HandoffClaimRequest{As: "app"})
	check(err)
	kind, err := again.ApplicationproblemJSON409.Type.AsKnownProblemType()
	check(err)
	fmt.Println("again:", again.StatusCode(), kind)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
