package claims_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/document/claims"
	"handoff/document/handoff"
	"handoff/internal/testing/needs"
	"handoff/parse"
)

// corpus are the real handoffs below HANDOFF_CORPUS.
func corpus(t testing.TB) (list []*handoff.Document) {
	for _, file := range corpusFiles(t) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, parse.Document(source))
	}
	return list
}

func corpusFiles(t testing.TB) (files []string) {
	err := filepath.WalkDir(needs.Folder(t, "HANDOFF_CORPUS"), func(file string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(file, ".md") && filepath.Base(filepath.Dir(file)) == handoff.Folder {
			files = append(files, file)
		}
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("no handoffs: %v", err)
	}
	return files
}

// BenchmarkIn reads all handoffs of the corpus; ns/document is the time of one.
func BenchmarkIn(b *testing.B) {
	docs := corpus(b)
	for name, asserted := range map[string]bool{"all": false, "asserted": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				for _, doc := range docs {
					for range claims.In(doc, asserted) {
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(docs)), "ns/document")
		})
	}
}
