package handoff_test

import (
	"testing"
	"time"

	"handoff/document/handoff"
	"handoff/document/task"
	"handoff/parse"
)

// A document whose name has no time states it in one of many ways.
func TestStated(t *testing.T) {
	for _, tt := range []struct {
		text, want string
		by         handoff.Source
	}{
		{"# Handoff\n\n_Last updated: 2026-08-14. Supersedes all earlier content._\n", "2026-08-14", handoff.ByLabel},
		{"# Session\n\n- Last Updated (UTC): 2026-07-19T14:35:00Z\n", "2026-07-19T14:35:00Z", handoff.ByLabel},
		{"# H\n\n| Branch | main |\n|---|---|\n| Last updated | 2026-07-19 |\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n**Branch**: main | **Updated**: 2026-07-19\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\nUpdated by Claude on 2026-07-19\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n> Stand: 2026-07-19\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n最終更新：2026-07-19\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n마지막 업데이트: 2026-07-19\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n<!-- last updated: 2026-07-19 -->\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n**Created**: 2026-07-01\n**Last Updated**: 2026-07-19\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n## Session Info\n\n- Date: 2026-07-19\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\ntext\n\n---\n*Last updated: 2026-07-19*\n", "2026-07-19", handoff.ByLabel},
		{"---\nupdated_at: 2026-07-19\ndate: 2026-07-01\n---\n# H\n", "2026-07-19", handoff.ByFront},
		{"---\nLast Updated: 2026-07-19\n---\n# H\n", "2026-07-19", handoff.ByFront},
		{"# Session handoff 2026-07-19 (evening)\n", "2026-07-19", handoff.ByTitle},
		{"# Log\n\n## 2026-07-19 - second\n\nx\n\n## 2026-07-01 - first\n", "2026-07-19", handoff.ByHeading},
		{"# Log\n\n## Session 1 - 2026-07-01\n\nx\n\n### Session 2 - 2026-07-19\n", "2026-07-19", handoff.ByHeading},
		{"# H\n\n## Where we stand (2026-07-19)\n", "2026-07-19", handoff.ByHeading},
		{"# H\n\nLetzte Aktualisierung: 19.07.2026\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n最終更新：2026年7月19日\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n**Last updated**: July 19, 2026\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\nFecha: 19/07/2026\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\nStand: 19. Juli 2026\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n**Dernière mise à jour :** 19 juillet 2026\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\nMis à jour le 19 juil. 2026\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n- **Última actualización**: 19 de julio de 2026\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\nUltimo aggiornamento: 19 luglio 2026\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\nÚltima atualização em 19 de julho de 2026\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\nОбновлено: 19 июля 2026 г.\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n> 最后更新时间：2026年7月19日\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n**최종 수정일**: 2026년 7월 19일\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\n作成日：２０２６年７月１９日\n", "2026-07-19", handoff.ByLabel},
		{"# H\n\nLast updated: 7/19/2026 14:30 UTC\n", "2026-07-19T14:30Z", handoff.ByLabel},
		{"# H\n\nLast updated: 04/05/2026\n", "", ""}, // in April or in May
		{"# Übergabe vom 19.07.2026\n", "2026-07-19", handoff.ByTitle},
		{"# Log\n\n## Session 1 - 2026/07/01\n\nx\n\n## Session 2 - 2026/07/19\n", "2026-07-19", handoff.ByHeading},
		{"# H\n\n## Deadline 31.12.2026\n", "", ""},
		{"# H\n\n## Deadline 2026-12-31\n", "", ""},
		{"# H\n\n## Release of 2026-12-31 is late\n", "", ""},
		{"# H\n\nUpdated the docs for release 2026-07-19.\n", "", ""},
		{"# H\n\nThe due date is 2026-12-31.\n", "", ""},
		{"# H\n", "", ""},
	} {
		w := handoff.WrittenBy(handoff.Name{Base: "HANDOFF.md", Layout: "single"}, parse.Document([]byte(tt.text)))
		got := ""
		if w.At.Known() {
			got = w.At.String()
		}
		if got != tt.want || w.By != tt.by {
			t.Errorf("%q: %q by %q, want %q by %q", tt.text, got, w.By, tt.want, tt.by)
		}
	}
}

// The name counts more than the text, and the folder less.
func TestWrittenSource(t *testing.T) {
	const text = "---\nupdated: 2026-03-01T12:00:00Z\n---\n# H\n"
	own := task.Layout{Name: "own", Names: []string{"docs/{time}-{slug}.md", "docs/{slug}.md"}}
	for _, tt := range []struct {
		path, text, want string
		by               handoff.Source
	}{
		{"docs/2026-02-12-x.md", text, "2026-02-12", handoff.ByName},
		{"docs/2026-03-01-x.md", text, "2026-03-01T12:00:00Z", handoff.ByFront},
		{"docs/SESSION_2026-02-12.md", text, "2026-02-12", handoff.ByName},
		{"docs/2026-02-12/x.md", text, "2026-03-01T12:00:00Z", handoff.ByFront},
		{"docs/2026-02-12/x.md", "# H\n", "2026-02-12", handoff.ByFolder},
		{"docs/x.md", "# H\n", "", ""},
	} {
		w := handoff.WrittenBy(own.Read(tt.path), parse.Document([]byte(tt.text)))
		got := ""
		if w.At.Known() {
			got = w.At.String()
		}
		if got != tt.want || w.By != tt.by {
			t.Errorf("%s: %q by %q, want %q by %q", tt.path, got, w.By, tt.want, tt.by)
		}
		if tt.by == handoff.ByFolder && w.At.Unit != handoff.Day {
			t.Errorf("%s: to %s", tt.path, time.Duration(w.At.Unit))
		}
	}
}
