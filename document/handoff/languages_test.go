package handoff_test

import (
	"strings"
	"testing"

	"handoff/document/handoff"
	"handoff/parse"
)

// TestSectionsOfLanguages: a document of the template in another language has all its sections, and no heading of it is called misspelled.
func TestSectionsOfLanguages(t *testing.T) {
	for code, list := range map[string]string{
		"de": "Nächster Schritt; Zuerst verstehen; Aktueller Stand; Wartet auf; Läuft im Hintergrund; Getroffene Entscheidungen; Abweichungen vom Plan; Was nicht funktioniert hat; Wichtiger Kontext; Referenzen",
		"fr": "Prochaine étape; À lire d’abord; État actuel; Bloqué par; Tâches de fond; Décisions clés; Écarts par rapport au plan; Ce qui n’a pas marché; Contexte important; Références",
		"es": "Próximo paso; Leer primero; Estado actual; Esperando a; En segundo plano; Decisiones clave; Desviaciones del plan; Lo que no funcionó; Contexto crítico; Referencias",
		"it": "Prossimo passo; Da leggere prima; Stato attuale; In attesa di; In background; Decisioni chiave; Deviazioni dal piano; Cosa non ha funzionato; Contesto critico; Riferimenti",
		"pt": "Próximo passo; Ler primeiro; Estado atual; Aguardando; Em segundo plano; Decisões tomadas; Desvios do plano; O que não funcionou; Contexto crítico; Referências",
		"ru": "Следующий шаг; Сначала прочитать; Текущее состояние; Ждём; Работает в фоне; Ключевые решения; Отклонения от плана; Что не сработало; Важный контекст; Ссылки",
		"zh": "下一步; 必读; 当前状态; 等待确认; 后台运行; 关键决策; 计划偏差; 失败的尝试; 关键上下文; 参考资料",
		"tw": "下一步; 必讀; 目前狀態; 等待確認; 背景執行; 關鍵決策; 與計劃的偏差; 失敗的嘗試; 重要資訊; 參考資料",
		"ja": "次のステップ; 必読; 現在の状態; 承認待ち; バックグラウンド; 決定事項; 計画からの逸脱; 失敗したアプローチ; 重要なコンテキスト; 参考資料",
		"ko": "다음 할 일; 필독; 현재 상태; 승인 대기; 백그라운드 작업; 주요 결정; 계획 변경; 실패한 접근; 핵심 컨텍스트; 참고 자료",
	} {
		for _, form := range []string{"## %\n", "## %:\n", "## ■ %\n", "## 1. %\n", "## %（2026-04-16）\n", "## % (x)\n", "## X / %\n", "**%**:\n", "**%：**\n"} {
			var src strings.Builder
			for _, heading := range strings.Split(list, "; ") {
				src.WriteString(strings.Replace(form, "%", heading, 1) + "\n- a\n\n")
			}
			doc := parse.Document([]byte(src.String()))
			for i, spec := range handoff.Sections {
				if i >= len(doc.Sections) || doc.Sections[i].Kind != spec.Kind || doc.Sections[i].Spelling != handoff.Translated {
					t.Errorf("%s: %q: %s is not found:\n%s", code, form, spec.Key, src.String())
					break
				}
			}
		}
	}
}

// TestNextStepOfLanguages: the next step is found below its heading, its label and its line.
func TestNextStepOfLanguages(t *testing.T) {
	for _, word := range []string{"Nächste Schritte", "Als Nächstes", "Prochaines étapes", "À faire", "Próximos pasos", "Pendiente", "Prossimi passi", "Da fare", "Próximos passos", "Pendências",
		"Следующие шаги", "Что дальше", "下一步", "待办事项", "接下来", "後續步驟", "次のステップ", "次工程", "残作業", "다음 할 일", "다음 작업", "남은 작업", "Offen", "上线负责人仍需完成", "次アクション", "Pending alta priorità",
		"Priorité immédiate", "Prioridad inmediata", "Prioridade imediata", "Priorità immediata", "Oberste Priorität", "Ближайший приоритет", "当前活跃任务", "How to resume", "Where to pick up", "Pending", "Kickoff prompt", "Priority order"} {
		for _, form := range []string{"# T\n\n## %\n- `a`\n", "# T\n\n## S\nx\n\n### %\n- `a`\n", "# T\n\n- **%**: `a`\n", "# T\n\n**%**：`a`\n", "# T\n\n**%:** `a`\n"} {
			step, ok := parse.Document([]byte(strings.Replace(form, "%", word, 1))).NextStep()
			if !ok || !strings.Contains(step.Text, "`a`") {
				t.Errorf("%q: %q, %t", strings.Replace(form, "%", word, 1), step.Text, ok)
			}
		}
	}
	for _, line := range []string{"Next: `a`", "Nächster Schritt: `a`", "Prochaine étape : `a`", "Siguiente paso: `a`", "Prossimo passo: `a`", "Próximo passo: `a`", "Следующий шаг: `a`", "Дальше: `a`",
		"下一步：`a`", "次のステップ：`a`", "次は: `a`", "다음 작업: `a`", "Start here: `a`"} {
		for _, form := range []string{"# T\n\n## S\n- %\n", "# T\n\n## S\nx\n%\n"} {
			if step, ok := parse.Document([]byte(strings.Replace(form, "%", line, 1))).NextStep(); !ok || !strings.Contains(step.Text, "`a`") {
				t.Errorf("%q: %q, %t", line, step.Text, ok)
			}
		}
	}
}

// TestNoNextStep: the name of a library is no next step, and a file is none.
func TestNoNextStep(t *testing.T) {
	for _, name := range []string{"Next.js", "Next.js 15", "NextAuth", "next-auth", "next/font", "@next/mdx", "next.config.js", "`next`", ".next", "Next 15", "TODO.md", "`TODO`", "Nextcloud", "Nuxt", "todo.txt"} {
		for _, form := range []string{"# T\n\n## Stack\n- **%**: 15.2 (app router)\n", "# T\n\n## Stack\n- %: 15.2 (app router)\n", "# T\n\n## Stack\n**%**: app router\n", "# T\n\n## %\n15.2\n", "# T\n\n## S\n### %\nx\n"} {
			if step, ok := parse.Document([]byte(strings.Replace(form, "%", name, 1))).NextStep(); ok {
				t.Errorf("%q: %q from %q", strings.Replace(form, "%", name, 1), step.Text, step.From)
			}
		}
	}
	if step, ok := parse.Document([]byte("## Stack\n- **Next**: 15.2 (app router)\n")).NextStep(); ok {
		t.Errorf("a version is the step %q", step.Text)
	}
}

// TestNextStepOfLogs: in a log of sessions the newest entry counts, wherever it is.
func TestNextStepOfLogs(t *testing.T) {
	tests := map[string]struct {
		src     string
		entries int
	}{
		"newest last":             {"# Log\n\n## 2026-04-14 session 3\n**Next**: old\n\n## 2026-04-15 session 4\n**Next**: older\n\n## 2026-04-16 session 5\n**Next**: NEW\n", 3},
		"newest first":            {"# Log\n\n## 2026-04-16 session 5\n**Next**: NEW\n\n## 2026-04-15 session 4\n**Next**: old\n", 2},
		"in the middle":           {"# Log\n\n## 2026-04-15\n- Next: old\n\n## 2026-04-16\n- Next: NEW\n\n## 2026-04-14\n- Next: old\n", 3},
		"the date last":           {"# Log\n\n## Session A (2026-04-14)\n- Next: old\n\n## Session B (2026-04-16)\n- Next: NEW\n", 2},
		"a heading and a label":   {"# Log\n\n## 2026-04-14\n### Next steps\nold\n\n## 2026-04-16\n### What remains\nNEW\n", 2},
		"an old label":            {"# Log\n- Next: old\n\n## 2026-04-14\n- Next: old\n\n## 2026-04-16\n### Where to pick up\nNEW\n", 2},
		"siblings":                {"# Log\n\n## Session 3 (2026-04-14)\nx\n\n## Next Steps\nold\n\n## Session 4 (2026-04-16)\nx\n\n## Next Steps\nNEW\n", 2},
		"only numbers":            {"# Log\n\n## Session 12\n- Next: NEW\n\n## Session 11\n- Next: old\n", 2},
		"only numbers, last":      {"# Log\n\n## Session 9\n- Next: old\n\n## Session 10\n- Next: NEW\n", 2},
		"the same day":            {"# Log\n\n## 2026-04-14 session 1\n- Next: old\n\n## 2026-04-14 session 2\n- Next: NEW\n", 2},
		"times":                   {"# Log\n\n## 2026-04-14 16:00\n- Next: NEW\n\n## 2026-04-14 09:30\n- Next: old\n", 2},
		"first-level headings":    {"# 2026-04-14\n## Next Steps\nold\n\n# 2026-04-16\n## Next Steps\nNEW\n", 2},
		"third-level headings":    {"# Log\n\n## Sessions\n\n### 2026-04-14\n**Next**: old\n\n### 2026-04-16\n**Next**: NEW\n", 2},
		"above a history":         {"# H\n\n## Next Steps\nNEW\n\n## History\n\n### 2026-04-14\n**Next**: old\n\n### 2026-04-16\n**Next**: old\n", 2},
		"updates below":           {"# H\n\n## Next Steps\nold\n\n## Update 2026-04-15\n- Next: old\n\n## Update 2026-04-16\n- Next: NEW\n", 2},
		"the newest says nothing": {"# Log\n\n## 2026-04-14\n- Next: old\n\n## 2026-04-15\n- Next: NEW\n\n## 2026-04-16\nx\n", 3},
		"dated sections":          {"# H\n\n## Status (2026-04-16)\n- Next: old\n\n## Decisions (2026-04-14)\n- x\n\n## Next Steps\nNEW\n", 0},
		"one date":                {"# H\n\n## Update 2026-04-16\n- Next: old\n\n## Next Steps\nNEW\n", 0},
		"Japanese":                {"# 作業ログ\n\n## 2026年4月14日 第3回セッション\n### 次のステップ\nold\n\n## 2026年4月16日 第4回セッション\n### 次のステップ\nNEW\n", 2},
		"Japanese numbers":        {"# 作業ログ\n\n## 第9回\n- 次のステップ：old\n\n## 第10回\n- 次のステップ：NEW\n", 2},
		"Chinese":                 {"# 工作日志\n\n## 2026-04-16（会话 5）\n**下一步**：NEW\n\n## 2026-04-14（会话 3）\n**下一步**：old\n", 2},
		"Korean":                  {"# 작업 로그\n\n## 2026년 4월 14일 세션 3\n- **다음 할 일**: old\n\n## 2026년 4월 16일 세션 4\n- **다음 할 일**: NEW\n", 2},
		"German":                  {"# Protokoll\n\n## Sitzung vom 14.04.2026\n- Nächster Schritt: old\n\n## Sitzung vom 16.04.2026\n- Nächster Schritt: NEW\n", 2},
		"French":                  {"# Journal\n\n## Séance du 2026-04-14\n- Prochaine étape : old\n\n## Séance du 2026-04-16\n- Prochaine étape : NEW\n", 2},
		"Spanish":                 {"# Registro\n\n## Sesión 2026-04-16\n- Siguiente paso: NEW\n\n## Sesión 2026-04-14\n- Siguiente paso: old\n", 2},
		"Italian":                 {"# Registro\n\n## Sessione 2026-04-14\n### Prossimi passi\nold\n\n## Sessione 2026-04-16\n### Prossimi passi\nNEW\n", 2},
		"Portuguese":              {"# Registro\n\n## Sessão 2026-04-14\n### Próximos passos\nold\n\n## Sessão 2026-04-16\n### Próximos passos\nNEW\n", 2},
		"Russian":                 {"# Журнал\n\n## Сессия от 14.04.2026\n### Следующие шаги\nold\n\n## Сессия от 16.04.2026\n### Следующие шаги\nNEW\n", 2},
		"months":                  {"# Log\n\n## April 16, 2026\n- Next: NEW\n\n## 14 Apr 2026\n- Next: old\n", 2},
		"German months":           {"# Protokoll\n\n## 3. März 2026\n- Nächster Schritt: old\n\n## 14. April 2026\n- Nächster Schritt: NEW\n", 2},
		"French months":           {"# Journal\n\n## Séance du 1er août 2026\n- Suite : NEW\n- Prochaine étape : NEW\n\n## Séance du 14 juil. 2026\n- Prochaine étape : old\n", 2},
		"Spanish months":          {"# Registro\n\n## 14 de abril de 2026\n- Siguiente paso: NEW\n\n## 3 de marzo de 2026\n- Siguiente paso: old\n", 2},
		"Russian months":          {"# Журнал\n\n## 3 марта 2026\n- Дальше: old\n\n## 14 апреля 2026 г.\n- Дальше: NEW\n", 2},
		"an agent's reports":      {"# Claude Progress Report - Session 9\n## Next Steps\nNEW\n\n# Claude Progress Report - Session 8\n## Next Steps\nold\n", 2},
		"dash":                    {"# Log\n\n## Lexer — 2026-04-14\n- Next: old\n\n## Types — 2026-04-16\n- Next: NEW\n", 2},
		"a remark after the date": {"# Log\n\n## Session Update — 2026-06-03 (the closer)\n### Next proof step\n- NEW\n\n## Recovery Update — 2026-04-19 (the updater)\n### Blocking issues (remaining)\n- old\n\n## 2026-05-07\nx\n", 3},
		"a remark with the date":  {"# H\n\n## Status\n\n### Completed (2026-04-26, v1.2 — the split)\n**Next:**\n- NEW\n\n### Completed (2026-04-12, v1.1)\n**Next:**\n- old\n", 2},
		"version in the way":      {"# Log\n\n## 2026-04-14\n- **Next.js**: 15.2\n\n## 2026-04-16\n- **Next.js**: 15.3\n\n## TODO\nNEW\n", 2},
	}
	for name, tt := range tests {
		step, ok := parse.Document([]byte(tt.src)).NextStep()
		if !ok || !strings.Contains(step.Text, "NEW") || strings.Contains(step.Text, "old") || step.Entries != tt.entries {
			t.Errorf("%s: %q of %d entries, from %q", name, step.Text, step.Entries, step.Entry)
		}
	}
}

// TestOldEntry: the next step of an entry of long ago says nothing of today, also if it is the only one of the document.
func TestOldEntry(t *testing.T) {
	for _, step := range []string{"## Next Steps\nold\n", "## Immediate Next Action\nold\n"} {
		src := ""
		for n := range 9 {
			src += "# Session " + string(rune('9'-n)) + "\n\n## Checked\nAll is well.\n\n"
		}
		if got, ok := parse.Document([]byte(src + step)).NextStep(); ok {
			t.Errorf("%q: %q of entry %q", step, got.Text, got.Entry)
		}
		src = "# Session 2\n\n## Checked\nAll is well.\n\n# Session 1\n\n## Checked\nx\n\n"
		if got, ok := parse.Document([]byte(src + step)).NextStep(); !ok || got.Entry != "Session 1" {
			t.Errorf("%q: %q of entry %q", step, got.Text, got.Entry)
		}
	}
}
