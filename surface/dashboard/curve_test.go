package dashboard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"handoff/log/tape"
)

// call is the event of a model call.
func call(tokens int64) tape.Entry {
	return tape.Entry{Kind: "event", Payload: json.RawMessage(fmt.Sprintf(`{"name":"run","data":{"usage":{"total_tokens":%d}}}`, tokens))}
}

func anchor(name string) tape.Entry {
	return tape.Entry{Kind: "anchor", Payload: json.RawMessage(fmt.Sprintf(`{"name":%q}`, name))}
}

// TestCurve: all points are within the picture, the largest call is in it, however many
// calls there are, and time runs to the right.
func TestCurve(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, calls := range []int{1, 2, 3, mostPoints - 1, mostPoints, mostPoints + 1, 7*mostPoints + 3} {
		var c curve
		largest := int64(0)
		c.add(anchor("start"))
		for i := range calls {
			tokens := random.Int64N(200_000) + 1
			largest = max(largest, tokens)
			c.add(call(tokens))
			switch i % 100 {
			case 50:
				c.add(anchor("phase"))
			case 99:
				c.add(anchor(overflow))
			}
		}
		c.add(tape.Entry{Kind: "event", Payload: json.RawMessage(`{"name":"run","data":{}}`)})
		c.draw()
		edge := regexp.MustCompile(`class="edge" d="M([^"]*)"`).FindStringSubmatch(string(c.Picture))
		if edge == nil {
			t.Fatalf("%d calls: no curve in %s", calls, c.Picture)
		}
		before, top := -1, curveHeight
		points := strings.Split(edge[1], "L")
		for _, p := range points {
			x, y, _ := strings.Cut(p, " ")
			at, err := strconv.Atoi(x)
			height, heightErr := strconv.Atoi(y)
			if err != nil || heightErr != nil || at < before || at > curveWidth || height < 0 || height > curveHeight {
				t.Fatalf("%d calls: point %q after %d", calls, p, before)
			}
			before, top = at, min(top, height)
		}
		if c.Calls != calls || c.Largest != largest || len(points) > mostPoints || len(points) < min(calls, mostPoints/2) || top != 4 {
			t.Errorf("%d calls: %d calls in %d points, at most %d tokens, want %d; the highest is at %d", calls, c.Calls, len(points), c.Largest, largest, top)
		}
		if got := strings.Count(string(c.Picture), `class="drop"`); got != min(mostMarks, calls/100) {
			t.Errorf("%d calls: %d compactions", calls, got)
		}
	}
	var none curve
	none.add(anchor("start"))
	if none.draw(); none.Picture != "" {
		t.Error("a tape without calls has a curve")
	}
}
