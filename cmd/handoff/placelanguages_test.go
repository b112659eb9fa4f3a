package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"handoff/document/task"
	"handoff/surface/command"
)

// inLanguages is a handoff in each language: its title, its headings in the order of the template, the date as its
// authors write it, and a slug.
var inLanguages = map[string]string{
	"English":    "Handoff; Next Steps; Current State; Key Decisions; Deviations from Plan; What Didn't Work; Important Context; References; Last updated: February 12, 2026; fix-parser",
	"German":     "Übergabe; Nächste Schritte; Aktueller Stand; Getroffene Entscheidungen; Abweichungen vom Plan; Was nicht funktioniert hat; Wichtiger Kontext; Referenzen; Stand: 12. Februar 2026; prüfung",
	"French":     "Passation; Prochaines étapes; État actuel; Décisions clés; Écarts par rapport au plan; Ce qui n’a pas marché; Contexte important; Références; Dernière mise à jour : 12 février 2026; vérification",
	"Spanish":    "Traspaso; Próximos pasos; Estado actual; Decisiones clave; Desviaciones del plan; Lo que no funcionó; Contexto importante; Referencias; Última actualización: 12 de febrero de 2026; revisión",
	"Italian":    "Passaggio di consegne; Prossimi passi; Stato attuale; Decisioni chiave; Deviazioni dal piano; Cosa non ha funzionato; Contesto importante; Riferimenti; Ultimo aggiornamento: 12 febbraio 2026; verità",
	"Portuguese": "Passagem; Próximos passos; Estado atual; Decisões tomadas; Desvios do plano; O que não funcionou; Contexto importante; Referências; Última atualização: 12 de fevereiro de 2026; revisão",
	"Russian":    "Передача; Следующие шаги; Текущее состояние; Ключевые решения; Отклонения от плана; Что не сработало; Важный контекст; Ссылки; Обновлено: 12 февраля 2026; разбор",
	"Japanese":   "引き継ぎ書; 次のステップ; 現在の状態; 決定事項; 計画からの逸脱; 失敗したアプローチ; 重要なコンテキスト; 参考資料; 最終更新：２０２６年２月１２日; 構文解析",
	"Chinese":    "交接文档; 下一步; 当前状态; 关键决策; 计划偏差; 失败的尝试; 关键上下文; 参考资料; 最后更新：2026年2月12日; 解析器",
	"Korean":     "인수인계; 다음 할 일; 현재 상태; 주요 결정; 계획 변경; 실패한 접근; 핵심 컨텍스트; 참고 자료; 최종 수정일: 2026년 2월 12일; 파서",
}

// languageAction is a next action in a language, which names an object.
func languageAction(heading string) string {
	return heading + ": `ParseNumber` (src/parse.go) → `LexNumber`"
}

// languageText is a handoff in the form that the file at a path has.
func languageText(path string, words []string) string {
	action := languageAction(words[1])
	switch {
	case strings.HasSuffix(path, ".json"):
		return fmt.Sprintf(`{"timestamp": "2026-02-12T10:11:12Z", "next_action": %q}`, action)
	case strings.HasPrefix(filepath.Base(path), "."):
		return "---\nlast_updated: 2026-02-12T10:11:12Z\n---\n\n<current_state>\n" + words[2] + " 2\n</current_state>\n\n<next_action>\n" + action + "\n</next_action>\n"
	}
	text := "# " + words[0] + "\n\n" + words[8] + "\n"
	for i, heading := range words[1:8] {
		body := fmt.Sprintf("- %s %d：`x%d`", heading, i+1, i+1)
		if i == 0 {
			body = "1. " + action
		}
		text += "\n## " + heading + "\n" + body + "\n"
	}
	return text
}

// TestPlacesInLanguages takes a handoff up in each known place, in each language, with no configuration: it is found with its
// next action, its brief has the right sections, and it is claimed and finished. With -short, each place has one language.
func TestPlacesInLanguages(t *testing.T) {
	all := os.Getenv("HANDOFF_PLACES") == "all"
	var names []string
	for name := range inLanguages {
		names = append(names, name)
	}
	kinds, n := map[string]bool{}, 0
	for _, p := range task.Places() {
		for _, path := range placeFiles(p) {
			first := !kinds[p.Preset+filepath.Ext(path)]
			kinds[p.Preset+filepath.Ext(path)] = true
			for i, name := range names {
				if !all && i != n%len(names) && (!first || testing.Short()) {
					continue
				}
				words := strings.Split(inLanguages[name], "; ")
				file := strings.ReplaceAll(path, "fix-auth", words[9])
				t.Run(name+" "+file, func(t *testing.T) {
					t.Parallel()
					takeUpIn(t, file, words)
				})
			}
			n++
		}
	}
}

// takeUpIn takes the document of a path up, in the language that has these words.
func takeUpIn(t *testing.T, path string, words []string) {
	l := layoutTest{t, t.TempDir(), path}
	put(t, l.dir, path, languageText(path, words))
	put(t, l.dir, "src/parse.go", "package src\n")
	action := languageAction(words[1])
	runs := func(args ...string) string {
		out, code := here(t, l.dir, args...)
		if code != command.Clean {
			t.Fatalf("%v: exit status %d\n%s", args, code, out)
		}
		return out
	}
	for _, args := range [][]string{{"init"}, {"ls"}, {"next"}} {
		out := runs(args...)
		if args[0] == "init" {
			l.want("init", out, path)
		} else {
			l.want(args[0], out, action)
		}
	}
	if _, err := os.Stat(filepath.Join(l.dir, "specs")); err == nil {
		t.Error("init made specs")
	}
	brief := runs("brief", "latest", "--level", "3")
	l.want("brief", brief, "\n## Immediate Next Action\n", action, "2026-02-12")
	if filepath.Base(path)[0] != '.' && filepath.Ext(path) != ".json" {
		for i, section := range []string{"Current State", "Key Decisions Made", "Deviations from Plan", "What NOT to Try", "Critical Context", "References"} {
			l.want("brief", brief, fmt.Sprintf("\n## %s\n- %s %d：", section, words[i+2], i+2))
		}
	}
	if out := runs("lint", path); strings.Contains(out, "warning") {
		t.Errorf("lint: %s", out)
	}
	runs("claim", "latest", "--as", "ann")
	next, _ := here(t, l.dir, "next", "--json") // no handoff waits: 1
	l.want("next after claim", next, `"held"`, "ann")
	runs("done", "latest", "--no-check")
	next, _ = here(t, l.dir, "next")
	l.want("next after done", next, "no handoff waits")
}
