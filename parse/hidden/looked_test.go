package hidden

import (
	"strings"
	"testing"

	"handoff/parse"
)

// TestLooked gives it texts that are made to be read again and again: ten times
// the text costs about ten times as much.
func TestLooked(t *testing.T) {
	for _, part := range []string{"<details>", "<p hidden>\n", "<p hidden>x</p>", "](", "](a \"", "](a 'b\\'", "[a]: b \"\n", "[a]: b\n\n", "<a b='", "<a b=\"\n",
		"<script>", "</script", "<!--", "<?", "<![CDATA[", "<!a", "[", "[a][", "`<", "``` x\n", "<a b c d>", "<a\n", strings.Repeat(" ", 99) + "x"} {
		looked := func(n int) int {
			s := scanner{doc: parse.Document([]byte(strings.Repeat(part, n)))}
			s.src = s.doc.Source
			s.all()
			return s.looked + len(s.src)
		}
		if few, many := looked(3000), looked(30000); many > 15*few {
			t.Errorf("%q: %d bytes for 3,000, %d for 30,000", part, few, many)
		}
	}
}
