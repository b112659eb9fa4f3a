package atomicfile

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"handoff/internal/file/nofollow"
)

// BenchmarkWriters measures what a write costs in a workspace. Most of it is the disk:
// TMPDIR=/dev/shm shows what is left.
func BenchmarkWriters(b *testing.B) {
	texts := [][]byte{[]byte("one"), []byte("two")}
	for name, write := range map[string]func(root nofollow.Root, path string, i int) error{
		"Write": func(root nofollow.Root, path string, i int) error { return Write(root, path, texts[i%2], 0o644) },
		"Create": func(root nofollow.Root, path string, i int) error {
			return Create(root, fmt.Sprint(path, i), texts[0], 0o644)
		},
		"Swap": func(root nofollow.Root, path string, i int) error {
			return Swap(root, path, texts[i%2], texts[1-i%2], 0o644)
		},
	} {
		b.Run(name, func(b *testing.B) {
			dir := b.TempDir()
			path := filepath.Join(dir, "specs/1_a/f")
			for _, made := range []string{filepath.Join(dir, ".handoff"), filepath.Dir(path)} {
				if err := os.MkdirAll(made, 0o755); err != nil {
					b.Fatal(err)
				}
			}
			if err := os.WriteFile(path, texts[0], 0o644); err != nil {
				b.Fatal(err)
			}
			for i := 0; b.Loop(); i++ {
				if err := write(nofollow.Root(dir), path, i); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
