package claims_test

import (
	"strings"
	"testing"

	"handoff/document/claims"
	"handoff/parse"
)

// fresh are statements that nothing in the workspace shows, in wordings that were written before the words were completed
// the last time, by kind. Nothing was changed for a single one of them.
var fresh = map[string][]string{
	"tests": {"Everything passes locally.", "Suite's green, 212 specs.", "Zero failures in the last run of the suite.", "Vitest is happy: 41 files, 424 tests.", "`cargo test --workspace` ✅ (39 tests)", "Tests: ✅",
		"Unit tests OK, integration tests OK.", "Ran the whole suite twice, no failures.", "pytest exits with 0.", "All 58 specs succeed.", "E2E run finished without a single failure.", "Regression tests came back clean.", "`go test ./...` is clean."},
	"build": {"All packages typecheck clean.", "tsc is clean.", "No type errors left.", "`make` finishes without warnings.", "The production build works.", "Lint has 0 errors.", "ESLint reports nothing.", "It builds on Linux and macOS.",
		"The Docker image builds fine.", "GitHub Actions is green on main.", "clippy is quiet.", "CI run 4412 succeeded."},
	"pull request": {"PR #88 is in.", "Squash-merged PR #37 as 45ac0f9.", "#88 made it into main.", "The PR (#88) got merged last night.", "MR !14 has been merged.", "PR #88: merged.", "Reviewer merged #88.", "Both PRs (#87, #88) are merged.", "PR 88 landed.", "https://github.com/acme/app/pull/88 is merged."},
	"released": {"The new checkout is live.", "Version 2.3 is on TestFlight.", "It has been in production since Monday.", "Rolled out to all customers.", "The migration ran on prod.", "Hotfix is deployed.", "Shipped as 3.0.41.", "Staging has the new build.", "The package is on npm as 0.9.2.",
		"Release 1.8 went out on Friday.", "We cut v2.0.0-rc.1.", "The feature flag is on for everyone.", "Tagged and released 0.5.0."},
	"issue": {"Issue 42 is done.", "#42 is resolved by this.", "Closes #42.", "Ticket ABC-123 was closed as won't fix.", "JIRA-77 is done.", "Bug #42 no longer exists.", "Marked #42 as fixed.", "GH-42 is closed.", "The ticket is closed.", "Fixed in #42, which is closed now.", "#42: fixed."},
	"owner": {"Ann owns this.", "Ask Ben, he has the deploy keys and is on the rollout.", "Clara is on the billing bug.", "Dan will keep owning the parser.", "Assignee: Eva", "This is with the platform team.", "Frank took the ticket.", "The database work is Gina's.", "Handed to Hugo.", "@ines has it.", "Review: Jan is on it.", "Kim is doing the docs."},
}

// later were written after that, and measured once: nothing was changed after their first run.
var later = map[string][]string{
	"tests":        {"The tests all run through.", "303 passed, 2 skipped.", "Nothing fails any more.", "The flaky test is stable now.", "Green across the board.", "Coverage run: 0 failed, 88 passed.", "Both suites are passing on 3.12 and 3.13.", "I re-ran the parser tests: all good.", "mix test gives 120 tests, 0 failures.", "The smoke test works.", "bats reports success.", "No regressions in the suite."},
	"build":        {"Building works again.", "mypy finds nothing to complain about.", "Compiles without warnings on stable.", "cargo clippy has no warnings.", "`npm run build` works.", "The iOS target builds.", "Type check: 0 errors.", "CI went green at noon.", "All checks on the PR are green.", "go vet is silent.", "The wheel builds without errors."},
	"pull request": {"PR #9 was accepted and merged.", "#9 is merged into develop.", "Upstream took PR #9.", "PR #9 is already in main.", "Merged: #9, #10.", "Pull request 9 has landed.", "The PR is merged.", "PR #9 (retry) went in on Monday.", "MR 9 is merged.", "#9 merged."},
	"released":     {"v3 is in production.", "3.1.0 is published.", "It's live since noon.", "Users have 3.1.0 now.", "Deployed 3.1.0 to eu-west.", "The fix is out on PyPI.", "Released 3.1.0.", "We rolled it out to everybody yesterday.", "Prod runs the new schema.", "The docs site is deployed.", "App Store review passed, 3.1 is available.", "The hotfix went live."},
	"issue":        {"Issue #7 got fixed.", "#7 can be considered done, it is closed.", "Resolves #7.", "We closed #7 and #8.", "#7 is fixed on main.", "The reporter confirmed that #7 is fixed.", "Issue #7: resolved.", "ABC-9 is closed.", "Bug 7 is fixed."},
	"owner":        {"Lea is working on the importer.", "Owner: Max", "Nina took over the release.", "The queue is owned by Otto.", "Paul is assigned to the outage.", "Assigned: Quinn", "Rosa picked up #7.", "The design is with Sam.", "@tom is on the fix.", "Responsible: Uma."},
}

// noClaims are sentences with the same words that state none of that.
var noClaims = []string{"Merge PR #88 once CI is green.", "PR #88 is open.", "PR #88 still needs a review.", "Not merged yet: #88.", "Do not deploy before Monday.", "Deploy the hotfix to staging.", "The release script reads package.json.", "Release 1.8 is planned for Friday.",
	"Close #42 when the fix is in.", "#42 is still open.", "See #42 for the discussion.", "Issue #42 describes the crash.", "Ask Ann who owns the parser.", "Nobody owns the parser.", "The struct owns its buffer.", "The owner of the lock is the writer.", "Tests are run by `make test`.", "Two tests fail.",
	"The suite has 212 specs.", "Run the whole suite twice.", "Fix the type errors.", "There are 12 type errors left.", "tsc reports 3 errors.", "The Docker image is built by CI.", "`make` prints warnings.", "Lint has 4 errors.", "The build takes 4 minutes.", "The build fails on Windows.", "GitHub Actions runs on each push.",
	"The feature flag is off.", "The new checkout is not live.", "Version 2.3 supports dark mode.", "It will be in production on Monday.", "Staging is down.", "The package needs npm 9.", "Assign this to Eva.", "Hand it to Hugo after the review.", "Frank should take the ticket.", "This belongs to package parse.", "The platform is Linux.",
	"A closed channel returns zero values.", "The live preview is slow.", "Tagged unions are used for events.", "The parser resolves imports.", "Pushed values are popped in order.", "A merged cell has a span.", "The pass that owns the node frees it.", "Clean up the branch.", "The shipped defaults are in config.yaml.", "Is the build green?"}

// listed reports whether a statement, which may be an item or a row of a table, is listed as one that nothing shows.
func listed(text string) bool {
	switch {
	case strings.HasPrefix(text, "|"):
		text = "| What | Result |\n|---|---|\n" + text
	case !strings.HasPrefix(text, "- "):
		text = "- " + text
	}
	for c := range claims.In(parse.Document([]byte("## Current State\n"+text+"\n")), false) {
		if c.Kind.Asserted() && !c.Doubtful {
			return true
		}
	}
	return false
}

// TestFreshWordings counts how many of the statements are listed, and how many sentences are that state nothing.
func TestFreshWordings(t *testing.T) {
	for name, c := range map[string]struct {
		set   map[string][]string
		least int
	}{"fresh": {fresh, 80}, "later": {later, 50}} {
		if found, all := count(t, name, c.set); found*100 < all*c.least {
			t.Errorf("%s: %d of %d listed", name, found, all)
		}
	}
	var blamed []string
	for _, text := range noClaims {
		if listed(text) {
			blamed = append(blamed, text)
		}
	}
	t.Logf("of %d that state nothing %d: %q", len(noClaims), len(blamed), blamed)
	if len(blamed)*100 > len(noClaims)*2 {
		t.Errorf("listed: %q", blamed)
	}
}

// count counts the statements of a set that are listed.
func count(t *testing.T, name string, set map[string][]string) (found, all int) {
	for kind, texts := range set {
		var missed []string
		for _, text := range texts {
			if !listed(text) {
				missed = append(missed, text)
			}
		}
		all, found = all+len(texts), found+len(texts)-len(missed)
		t.Logf("%s, %s: %d of %d; missed: %s", name, kind, len(texts)-len(missed), len(texts), strings.Join(missed, " | "))
	}
	t.Logf("%s: %d of %d listed", name, found, all)
	return found, all
}
