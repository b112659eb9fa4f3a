package words

import (
	"slices"
	"strings"
	"testing"
)

// keys are the keys of a file, and whether English has them, and the others.
var keys = map[string]struct{ en, others bool }{
	"next": {true, true}, "adjective": {true, true}, "resume": {true, true}, "prompt": {true, true}, "orient": {true, true}, "left": {true, true}, "over": {true, true},
	"tests": {true, true}, "verdict": {true, false}, "passes": {false, true}, "wish": {true, true}, "between": {true, false}, "condition": {true, false}, "passed_on": {true, false}, "generic": {true, false}, "ending": {true, false},
	"tail": {true, true}, "entry": {true, true}, "priority": {true, true}, "advice": {true, true}, "created": {true, true}, "updated": {true, true}, "months": {true, true},
	"file": {false, true}, "place": {false, true}, "line": {false, true}, "create": {false, true}, "elsewhere": {false, true},
	"option": {false, true}, "choice": {false, true}, "either": {false, true}, "beside": {false, true}, "form": {false, true}, "labels": {false, true}, "prompts": {false, true}, "whereabouts": {false, true},
	"criteria": {true, true}, "reason": {true, true}, "vague": {true, true}, "excuse": {true, true}, "loud": {true, false}, "counted": {true, false}, "abbreviation": {true, false}, "slashed": {true, false},
	"merged": {true, true}, "merge_object": {true, false}, "pushed": {true, true}, "unmerged": {false, true}, "renamed": {false, true}, "deleted": {false, true}, "defined": {false, true}, "owner": {false, true}, "fails": {false, true}, "compounds": {false, true}, "push_object": {true, false}, "deployed": {true, true}, "released": {true, false}, "release_object": {true, false},
	"closed": {true, true}, "issue": {true, false}, "done_before": {true, false}, "modal": {true, false}, "unless": {true, false},
	"running": {true, false}, "ended": {true, false}, "pronoun": {true, false}, "excused": {true, false}, "holds": {true, true}, "worked_on": {false, true}, "at": {true, false}, "branch_start": {true, false}, "contains": {true, false}, "remote": {true, false},
	"there": {true, false}, "denied": {true, false}, "other_lines": {true, false}, "absent": {true, true}, "commit_before": {true, false},
	"building": {true, true}, "linting": {true, false}, "testing": {true, false}, "remote_checks": {true, true},
	"checkers": {true, false}, "none_of": {true, false}, "faults": {true, false}, "exiting": {true, false}, "well": {true, false}, "whenever": {true, false}, "denies": {true, false}, "happened": {true, false}, "places": {true, false},
	"serves": {true, false}, "issued": {true, false}, "numbered": {true, false}, "closes": {true, false}, "lies": {true, false}, "errands": {true, false},
	"ran": {true, false}, "cleared": {true, false}, "finds": {true, false}, "having": {true, false}, "relative": {true, false}, "accepts": {true, false}, "mainline": {true, false}, "change": {true, false},
	"runners": {true, false}, "made": {true, false}, "landing": {true, false}, "works": {true, true}, "checked": {true, false}, "by_hand": {true, true}, "migrations": {true, false}, "applied": {true, false},
	"measured": {true, false}, "gained": {true, false}, "targets": {true, false}, "manner": {true, true}, "orders": {true, false}, "defects": {true, false}, "own_remote": {true, false}, "in_sync": {true, false}, "described": {true, false},
	"apart": {true, false}, "available": {true, false}, "audience": {true, false}, "rollout": {true, false}, "settled": {true, false}, "moves": {true, false}, "no_more": {true, false}, "repeats": {true, false}, "formerly": {true, false}, "newest": {true, false}, "name_of": {true, false}, "components": {true, false},
	"closing": {true, false}, "stated": {true, false}, "stepped": {true, false}, "phased": {true, false}, "opening": {true, false}, "none": {true, true}, "nothing": {true, false},
}

// TestFiles checks the form of each file: every key, no unused key, no word twice.
func TestFiles(t *testing.T) {
	for l := range all {
		for n, line := range strings.Split(strings.TrimRight(l.file, "\n"), "\n") {
			key, list, ok := strings.Cut(line, ": ")
			if line == "" || line[0] == '#' {
				continue
			}
			section, _ := headingOf(key)
			if _, known := keys[key]; !ok || list == "" || !known && section == 0 {
				t.Errorf("%s:%d: want KEY: WORD; WORD with a known key, not %q", l.Code, n+1, line)
			}
			for word := range strings.SplitSeq(list, "; ") {
				if strings.TrimSpace(word) == "" || strings.HasPrefix(word, " ") || strings.Contains(word, ";") {
					t.Errorf("%s:%d: empty word in %q", l.Code, n+1, line)
				}
			}
		}
		for key, has := range keys {
			if want := (has.others && l != English || has.en && l == English) && (l.Spaced || key != "months" && (key != "either" || l.Code == "zh")) && (key != "compounds" || l.Code == "de"); want != (len(l.List(key)) > 0) {
				t.Errorf("%s: has key %s: %t, want %t", l.Code, key, !want, want)
			}
		}
		for _, key := range Sections {
			if len(l.List(key)) == 0 {
				t.Errorf("%s: no word for the section %s", l.Code, key)
			}
		}
	}
}

// TestOneSection wants no heading to name two sections of a language.
func TestOneSection(t *testing.T) {
	for l := range all {
		in := map[string]string{}
		for _, key := range Sections {
			for _, word := range slices.Concat(l.List(key), l.List(layouts+key)) {
				if other := in[word]; other != "" && other != key {
					t.Errorf("%s: %q names %s and %s", l.Code, word, other, key)
				}
				in[word] = key
			}
		}
	}
}

// TestHeadingsAreFound: each word of each language names its section, as it is written in the
// file, and in the forms that authors give it.
func TestHeadingsAreFound(t *testing.T) {
	for _, l := range others {
		for line := range strings.Lines(l.file) {
			key, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
			section, own := headingOf(key)
			if section == 0 {
				continue
			}
			for word := range strings.SplitSeq(list, "; ") {
				for _, heading := range []string{word, strings.ToUpper(word), "3. " + word, "🎯 " + word + ":", "【" + word + "】", word + "(2026-04-16)", word + " (P1)", "Other / " + word} {
					if got := OtherSection(heading, !own); got != int(section) && Section(Fold(word)) == 0 && !shared(word, int(section)) {
						t.Errorf("%s: %q names section %d, want %d", l.Code, heading, got, section)
					}
				}
			}
		}
	}
}

// shared reports whether another language uses the word for another section.
func shared(word string, section int) bool {
	for _, l := range others {
		if l.script&scripts(word) == 0 {
			continue
		}
		for i, key := range Sections {
			if i+1 != section && slices.Contains(slices.Concat(l.List(key), l.List(layouts+key)), l.Fold(word)) {
				return true
			}
		}
	}
	return false
}

func TestFold(t *testing.T) {
	for text, want := range map[string]string{
		"Next Steps": "next steps", "Nächste Maßnahmen": "nachste massnahmen", "Étapes": "etapes", "E\u0301tapes": "etapes", "What’s next": "what's next",
		"TODO:": "todo:", "次の ステップ": "次の ステップ", "Ещё": "еще", "и\u0306": "и", "й": "и", "": "",
	} {
		if got := Fold(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestStep(t *testing.T) {
	for text, want := range map[string]Rank{
		"Next Steps": Announces, "8. Next Steps (in order)": Announces, "Recommended Next Steps": Announces, "next-steps": Announces, "🚀 Next steps": Announces,
		"Next Phase Inputs": Mentions, "Następne kroki": Announces, "Volgende stappen": Announces, "Sonraki adımlar": Announces, "3. Bước tiếp theo": Announces, "Pròxims passos": Announces, "Наступні кроки": Announces,
		"הצעדים הבאים": Announces, "Priorytet — testy": Announces, "Belum selesai": Hints, "Järgmised sammud (2026-04-16)": Announces, "Pozostało": Hints, "Pendents": Hints,
		"Notes for the next agent": Hints, "Remaining Work": Hints, "Pending": Hints, "Summary": Silent,
		"How to resume": Announces, "Where to pick up next": Announces, "Kickoff prompt": Announces, "Priority order": Announces, "Kickoff prompt (paste this)": Announces, "Where to pick up next session": Announces, "Where to pick up the parser": Mentions,
		"Next.js": Silent, "Next.js 15.2": Silent, "next/font": Silent, "next-auth": Silent, "@next/mdx": Silent, ".next": Silent, "`next`": Silent, "Next 15": Silent, "Next v15.2": Silent,
		"next.config.js": Silent, "TODO.md": Silent, "Nextcloud": Silent, "NextAuth": Silent, "next": Announces, "Next: Phase 4": Announces,
		"次のステップ": Announces, "次 の ステップ": Announces, "次のステップ(優先順)": Announces, "推奨次のステップ": Announces, "残作業": Hints, "目次": Silent, "次元の呪い": Silent,
		"下一步": Announces, "下一步:实现解析器": Announces, "五、下一步计划": Announces, "待办事项": Hints, "注意事项": Silent, "後續步驟": Announces,
		"다음 할 일": Announces, "다음할일": Announces, "남은 작업": Hints, "다음과 같은 파일": Silent, "요약": Silent, "Next Steps / 次のステップ": Announces,
		"Nächste Schritte": Announces, "Naechste Schritte": Announces, "Empfohlene nächste Schritte": Announces, "Offene Punkte": Hints, "Offenlegung": Silent, "Zusammenfassung": Silent,
		"Prochaines étapes": Announces, "Prochaines etapes": Announces, "Reste à faire": Hints, "Résumé": Silent, "Comment reprendre": Announces,
		"Próximos pasos": Announces, "Pendiente": Hints, "Resumen": Silent, "Prossimi passi": Announces, "Pending alta priorità": Hints, "Da fare": Hints, "Riepilogo": Silent,
		"Próximos passos": Announces, "Pendências": Hints, "Resumo": Silent, "Следующие шаги": Announces, "Что осталось": Hints, "Итоги": Silent, "": Silent,
	} {
		if got := Step(text); got != want {
			t.Errorf("%q: rank %d, want %d", text, got, want)
		}
	}
}

// TestAnnouncementsAreFound: each word that announces a next step does so alone.
func TestAnnouncementsAreFound(t *testing.T) {
	for l := range all {
		for _, key := range []string{"next", "resume"} {
			for _, word := range l.List(key) {
				if got := Step(word); got != Announces {
					t.Errorf("%s: %q has rank %d", l.Code, word, got)
				}
			}
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		for l := range all {
			fresh := Language{Spaced: l.Spaced, file: l.file}
			fresh.read()
		}
	}
}

// BenchmarkHeads is what the first heading costs that is not of the template.
func BenchmarkHeads(b *testing.B) {
	for b.Loop() {
		h := heads{of: others[:5]}
		h.read()
	}
}

func BenchmarkOtherSection(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		OtherSection("Implementation Summary", false)
	}
}

// all yields all languages, English first.
func all(yield func(*Language) bool) {
	if !yield(English) {
		return
	}
	for _, l := range others {
		if !yield(l) {
			return
		}
	}
}

// TestPrompt: a prompt is found in each language, also with more after it; code in braces is none.
func TestPrompt(t *testing.T) {
	n := 0
	for l, list := range Written("prompts") {
		for _, p := range list {
			if got := Prompt(p + " x"); got != p {
				t.Errorf("%s: %q begins with %q, want %q", l.Code, p+" x", got, p)
			}
			n++
		}
	}
	for _, text := range []string{"", "{", "{}", "{x | x < 2}", "{ruta}"} {
		if got := Prompt(text); got != "" {
			t.Errorf("%q begins with %q", text, got)
		}
	}
	if n < 50 {
		t.Errorf("%d prompts", n)
	}
}

func TestOnlyStarts(t *testing.T) {
	for text, want := range map[string]bool{
		"```text\nRead HANDOFF.md, then continue.\n```":                                                    true,
		"You are working on the parser. Read HANDOFF.md and CLAUDE.md first, then please resume the work.": true,
		"Please read `docs/HANDOFF.md`. Do not push. Continue with the next task.":                         true,
		"Read HANDOFF.md and then write the failing test for parseNumber.":                                 false,
		"Continue with phase 3: the lexer.":                                                                false,
		"Fix the parser.":                                                                                  false,
		"":                                                                                                 false,
		"请先读取 HANDOFF.md，确认当前分支，再开始工作。除非我要求，否则不要部署。":         true,
		"读取 HANDOFF.md，然后实现数字解析器。":                           false,
		"HANDOFF.md を読んで、作業を続けてください。":                        true,
		"HANDOFF.md を読んで、数値パーサーを書いてください。":                    false,
		"HANDOFF.md를 읽고 작업을 계속해 주세요.":                        true,
		"Lies zuerst HANDOFF.md. Dann weiterarbeiten.":       true,
		"Lies HANDOFF.md. Schreibe den Test für den Parser.": false,
		"Lis HANDOFF.md. Écris le test du parseur.":          false,
		"Lee HANDOFF.md. No despliegues.":                    true,
		"Leia HANDOFF.md. Implemente o parser.":              false,
		"Leggi HANDOFF.md. Scrivi il test del parser.":       false,
		"Прочитай HANDOFF.md. Напиши тест парсера.":          false,
	} {
		if got := OnlyStarts(text); got != want {
			t.Errorf("%q: %t, want %t", text, got, want)
		}
	}
	for heading, want := range map[string]bool{
		"Kickoff prompt": true, "10. 下一次会话启动提示": true, "Prompt for the next session": true, "Paste this into the next session": true, "次回開始プロンプト": true,
		"Next Steps": false, "Prompt engineering": false, "Start here": false,
	} {
		if got := StartPrompt(heading); got != want {
			t.Errorf("%q: %t, want %t", heading, got, want)
		}
	}
}

// TestMayHave: the fast checks miss no word.
func TestMayHave(t *testing.T) {
	for _, l := range others {
		for _, key := range append([]string{"choice", "either", "option"}, states[:]...) {
			set := stating()
			if key == "choice" || key == "either" || key == "option" {
				set = choosing()
			}
			for _, w := range l.List(key) {
				for _, text := range []string{w, "x (" + w + ")", strings.ToUpper(w)} {
					if !mayHave(set, text) {
						t.Errorf("%s: %q is not found", l.Code, text)
					}
				}
			}
		}
	}
	for _, text := range []string{"", "All tests pass on main.", "Apply `rcases` on h_ih — then close ⊢ Γ with exact."} {
		if mayHave(stating(), text) || mayHave(choosing(), text) {
			t.Errorf("%q is found", text)
		}
	}
}
