package lint

import (
	"embed"
	"strings"
)

// ArchiveExt is the extension of the archive that documents and tests a rule.
const ArchiveExt = ".txtar"

// Docs are the archives of the rules of one package, NAME.txtar in its folder.
type Docs struct{ Files embed.FS }

// Archive is the whole archive of a rule: its documentation in Markdown, then
// its examples as txtar files. ok is false if there is no such rule.
func (d Docs) Archive(name string) (text string, ok bool) {
	b, err := d.Files.ReadFile(name + ArchiveExt)
	return string(b), err == nil
}

// Text is the documentation of a rule without its examples.
func (d Docs) Text(name string) string {
	archive, _ := d.Archive(name)
	text, _, _ := strings.Cut(archive, "\n-- ")
	return strings.TrimSpace(text)
}

// Summary is the reason for a rule on one line: the first paragraph of its
// documentation; "" if there is no such rule.
func (d Docs) Summary(name string) string {
	first, _, _ := strings.Cut(d.Text(name), "\n\n")
	return strings.Join(strings.Fields(first), " ")
}

// Names lists the rules by name.
func (d Docs) Names() []string {
	entries, err := d.Files.ReadDir(".")
	if err != nil {
		return nil // cannot happen: the folder is part of the program
	}
	list := make([]string, len(entries))
	for i, e := range entries {
		list[i] = strings.TrimSuffix(e.Name(), ArchiveExt)
	}
	return list
}
