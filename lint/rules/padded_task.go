package rules

import (
	"fmt"
	"path"

	"handoff/lint"
)

// paddedTask flags a task folder whose number has not the configured digits.
func paddedTask(p *lint.Pass) {
	want := p.Settings.Padding
	if want < 0 || p.Name.Width == 0 {
		return
	}
	if width := max(want, digitsOf(p.Name.Task)); width != p.Name.Width {
		number := fmt.Sprintf("%0*d", width, p.Name.Task)
		p.File("task folder %s: this project writes the number %s", `"`+path.Base(p.Name.Dir)+`"`, number)
	}
}

func digitsOf(n int) int {
	digits := 1
	for ; n > 9; n /= 10 {
		digits++
	}
	return digits
}
