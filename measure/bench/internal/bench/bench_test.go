package bench

import (
	"flag"
	"fmt"
	"strings"
	"testing"
)

func TestArgs(t *testing.T) {
	n := 0
	set := func(f *flag.FlagSet) { f.SetOutput(new(strings.Builder)); f.IntVar(&n, "n", 7, "") }
	what, path, err := Args([]string{"durable", "-n", "3", "folder"}, "", set)
	if what != "durable" || path != "folder" || n != 3 || err != nil {
		t.Error(what, path, n, err)
	}
	for _, bad := range [][]string{nil, {"durable"}, {"durable", "a", "b"}, {"durable", "-x", "a"}} {
		if _, _, err := Args(bad, "say what", set); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

func TestTurn(t *testing.T) {
	order := ""
	all := []int{1, 2, 3}
	for n := range 3 {
		if err := Turn(n, all, func(i int) error { order += fmt.Sprint(i); return nil }); err != nil {
			t.Error(err)
		}
	}
	if order != "123321123" {
		t.Error(order)
	}
	if err := Turn(0, all, func(int) error { return fmt.Errorf("stop") }); err == nil {
		t.Error("an error is lost")
	}
}

func TestAt(t *testing.T) {
	list := []int{5, 1, 4, 2, 3}
	if At(list, 0.5) != 3 || At(list, 0) != 1 || At(list, 1) != 5 || At([]int{9}, 0.99) != 9 {
		t.Error("wrong values")
	}
}
