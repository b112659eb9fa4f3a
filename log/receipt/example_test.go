package receipt_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"handoff/log/receipt"
)

// A handoff is claimed by one successor at a time, and finished with the claim.
func ExampleStore_Record() {
	root, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	const path = "specs/259_completeness/handoffs/phase-3-handoff-20260212T143022Z.md"
	file := filepath.Join(root, filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err == nil {
		err = os.WriteFile(file, []byte("# Phase 3 Handoff\n"), 0o644)
	}
	place, err := receipt.Locate(root)
	if err != nil {
		panic(err)
	}
	ctx, receipts, name := context.Background(), receipt.Open(place), place.Path(path)
	now := func() receipt.Moment { return receipt.Moment{Now: time.Now()} }

	request := receipt.ClaimRequest{By: "anna", TTL: time.Hour, ID: func() string { return "0123456789abcdef" }}
	life, err := receipts.Record(ctx, name, now().Claim(request))
	fmt.Println(life.State(time.Now()), "by", life.Claim.By, err)
	claim := life.Claim.ID

	request.By = "ben"
	_, err = receipts.Record(ctx, name, now().Claim(request))
	held := (*receipt.HeldError)(nil)
	fmt.Println(errors.As(err, &held) && held.Holder.By == "anna", errors.Is(err, receipt.ErrRefused))

	life, err = receipts.Record(ctx, name, now().Finish("anna", claim))
	fmt.Println(life.State(time.Now()), err)

	_, err = receipts.Record(ctx, place.Path("specs/259_completeness/handoffs/typo.md"), now().Claim(request))
	fmt.Println(err)
	// Output:
	// claimed by anna <nil>
	// true true
	// done <nil>
	// specs/259_completeness/handoffs/typo.md: no such handoff: file does not exist
}
