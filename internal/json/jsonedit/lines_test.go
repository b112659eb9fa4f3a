package jsonedit

import (
	"reflect"
	"strings"
	"testing"
)

// changedLines are the lines, 1-based, that only before has and that only after has,
// by a longest common subsequence. Line ends count.
func changedLines(before, after string) (gone, come []int) {
	a, b := strings.SplitAfter(before, "\n"), strings.SplitAfter(after, "\n")
	common := make([][]int, len(a)+1) // of the tails from i and j
	for i := range common {
		common[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if a[i] == b[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || common[i+1][j] >= common[i][j+1]):
			i++
			gone = append(gone, i)
		default:
			j++
			come = append(come, j)
		}
	}
	return gone, come
}

func TestChangedLines(t *testing.T) {
	gone, come := changedLines("{\n  1,\n  2\n}", "{\n  1,\n  2,\n  3\n}\n")
	if !reflect.DeepEqual(gone, []int{3, 4}) || !reflect.DeepEqual(come, []int{3, 4, 5, 6}) {
		t.Errorf("gone %v, come %v", gone, come)
	}
}

func replaced(s, old, with string) string {
	if strings.Count(s, old) != 1 {
		panic("not there once: " + old)
	}
	return strings.Replace(s, old, with, 1)
}
