package task

import "testing"

// TestHeadTags: tags around a part are headings, whatever the case of their names, and a label if the part is on one line.
func TestHeadTags(t *testing.T) {
	kindOf := (&Layout{}).kindOf
	for src, want := range map[string]string{
		"<next_action>\nWrite it.\n</next_action>\n": "## next action\nWrite it.\n\n",
		"<nextAction>\r\nWrite it.\r\n</nextAction>": "## next Action\r\nWrite it.\r\n",
		"<NEXT_ACTION>\nWrite it.\n</NEXT_ACTION>\n": "## NEXT ACTION\nWrite it.\n\n",
		"<next_action>Write it.</next_action>\n":     "**next action:** Write it.\n",
		"<b>bold</b>\n":                              "<b>bold</b>\n",
		"<next_action>Write it.\n":                   "<next_action>Write it.\n",
	} {
		if got, _ := headTags([]byte(src), kindOf); string(got) != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
	}
}
