package eight_test

import (
	"testing"

	"handoff/internal/text/eight"
	"handoff/internal/text/prose"
)

func TestNotWord(t *testing.T) {
	for c := range 256 {
		for at := range 8 {
			text := []byte("a_9Z z\xffé"[:8])
			text[at] = byte(c)
			bits := eight.NotWord(eight.Bytes(string(text), 0))
			for i, c := range text {
				word := c < 0x80 && prose.WordByte(c)
				if set := bits>>(8*i)&0x80 != 0; set == word || bits>>(8*i)&0x7f != 0 {
					t.Fatalf("%q: byte %d: bits %x", text, i, bits)
				}
			}
		}
	}
}
