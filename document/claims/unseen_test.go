package claims_test

import (
	_ "embed"
	"strings"
	"testing"
)

// Statements by kind, and below "[nothing]" sentences that state none, in wordings that no word was chosen for: the second
// set was written before the grammar of states, the third after it. Learned and kept are halves of one list: what
// the second missed when it was measured was learned, too, as with the second list. Of the last one nothing was; from that of the forms, they were written.
var (
	//go:embed testdata/unseen-2.txt
	unseen2 string
	//go:embed testdata/unseen-3.txt
	unseen3 string
	//go:embed testdata/wordings-learned.txt
	learned string
	//go:embed testdata/wordings-kept.txt
	kept string
	//go:embed testdata/wordings-second.txt
	secondList string
	//go:embed testdata/wordings-last.txt
	lastList string
	//go:embed testdata/wordings-forms.txt
	formsLearned string
)

// TestUnseenWordings counts how many of the statements are listed, and how many sentences are that state nothing.
func TestUnseenWordings(t *testing.T) {
	for name, c := range map[string]struct {
		set         string
		least, most int // percent
	}{"second": {unseen2, 85, 3}, "third": {unseen3, 60, 8}, "learned": {learned, 95, 4}, "kept": {kept, 88, 4}, "second list": {secondList, 90, 5}, "last list": {lastList, 80, 0}, "forms": {formsLearned, 95, 0}} {
		var all, found, harmless, blamed int
		kind := ""
		for line := range strings.Lines(c.set) {
			switch line = strings.TrimSpace(line); {
			case strings.HasPrefix(line, "["):
				kind = strings.Trim(line, "[]")
			case line == "" || strings.HasPrefix(line, "# "):
			case kind == "nothing":
				if harmless++; listed(line) {
					blamed++
					t.Logf("%s: blamed: %s", name, line)
				}
			default:
				if all++; listed(line) {
					found++
				} else {
					t.Logf("%s, %s: missed: %s", name, kind, line)
				}
			}
		}
		t.Logf("%s: %d of %d listed, %d of %d blamed", name, found, all, blamed, harmless)
		if found*100 < all*c.least || blamed*100 > harmless*c.most {
			t.Errorf("%s: %d of %d listed, %d of %d blamed", name, found, all, blamed, harmless)
		}
	}
}
