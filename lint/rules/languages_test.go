package rules

import (
	"strings"
	"testing"

	"handoff/lint"
)

// flags reports whether a rule finds something in a text.
func flags(t *testing.T, rule, src string) bool {
	set := lint.Defaults()
	return len(found(&lint.Input{Doc: read([]byte(src))}, ruleNamed(t, rule), &set)) > 0
}

// TestReasonsOfLanguages: each language has signs and words that begin a reason.
func TestReasonsOfLanguages(t *testing.T) {
	for _, heading := range []string{"Key Decisions Made", "決定事項", "关键决策", "주요 결정", "Entscheidungen", "Décisions", "Decisiones", "Decisioni", "Decisões", "Решения", "What NOT to Try", "失敗したアプローチ"} {
		for _, item := range []string{"一回の走査にした：入力が大きいため", "正規表現（遅い）", "正規表現は遅いので使わない", "正規表現、大きな入力では遅い", "正規表現を使わない。遅い", "使用流式解析：输入很大", "使用流式解析，因为输入很大", "使用流式解析因为输入很大", "不用正则以免变慢",
			"스트리밍 파서 사용: 입력이 큼", "입력이 크기 때문에 스트리밍 사용", "성능을 위해 캐시 제거", "Streaming-Parser weil die Eingaben groß sind", "Streaming-Parser wegen der Größe", "Analyse en flux parce que les entrées sont grandes", "Analyse en flux afin d’être rapide",
			"Análisis en flujo porque la entrada es grande", "Análisis en flujo debido al tamaño", "Analisi in streaming perché l'input è grande", "Análise em fluxo porque a entrada é grande", "Потоковый разбор потому что вход большой", "Потоковый разбор из-за размера"} {
			if src := "## " + heading + "\n1. " + item + "\n"; flags(t, "missing-reason", src) {
				t.Errorf("flagged: %q", src)
			}
		}
		for _, item := range []string{"正規表現", "正則表達式", "정규식", "Reguläre Ausdrücke", "Expressions régulières", "Expresión regular", "Espressione regolare", "Expressão regular", "Регулярное выражение", "一回の走査："} {
			if src := "## " + heading + "\n1. " + item + "\n"; !flags(t, "missing-reason", src) {
				t.Errorf("not flagged: %q", src)
			}
		}
		for _, item := range []string{"なし", "特になし", "无", "没有", "없음", "Keine", "Aucune", "Ninguna", "Nessuna", "Nenhum", "Нет", "None"} {
			if src := "## " + heading + "\n- " + item + "\n"; flags(t, "missing-reason", src) {
				t.Errorf("flagged: %q", src)
			}
		}
	}
}

// TestVagueOfLanguages: only words that stand for any work are vague; any other noun may be a name.
func TestVagueOfLanguages(t *testing.T) {
	for heading, texts := range map[string][2][]string{
		"Immediate Next Action": {{"続きを進める。", "作業を続行する", "继续完成剩余工作。", "继续", "계속 진행한다.", "남은 작업 마무리", "Продолжить работу.", "Доделать остальное"}, {"ログイン画面の再設定ボタンをつなぐ", "실행 화면의 비밀번호 재설정 버튼을 연결한다", "修复登录页面的重置按钮", "Починить сброс пароля на экране входа"}},
		"Nächster Schritt":      {{"Weiter mit der Arbeit.", "Restliche Aufgaben fertigstellen"}, {"Den Knopf zum Zurücksetzen anschließen"}},
		"Prochaine étape":       {{"Continuer le travail.", "Terminer l’implémentation"}, {"Relier le bouton de réinitialisation"}},
		"Próximo paso":          {{"Continuar con el trabajo.", "Terminar lo pendiente"}, {"Conectar el botón de la pantalla"}},
		"Prossimo passo":        {{"Continuare il lavoro.", "Completare le attività rimanenti"}, {"Collegare il pulsante della schermata"}},
		"Próxima ação":          {{"Continuar o trabalho.", "Concluir as tarefas restantes"}, {"Ligar o botão da tela"}},
		"次のアクション":               {{"残りのタスクを完了する", "実装を続けます"}, {"`x` を直す", "トークンの更新を直す"}},
	} {
		for _, text := range texts[0] {
			if src := "## " + heading + "\n" + text + "\n"; !flags(t, "vague-next-action", src) {
				t.Errorf("not flagged: %q", src)
			}
		}
		for _, text := range texts[1] {
			if src := "## " + heading + "\n" + text + "\n"; flags(t, "vague-next-action", src) {
				t.Errorf("flagged: %q", src)
			}
		}
	}
}

// TestLengthOfLanguages: limits count characters where no blanks separate words, and a wide full stop ends a sentence.
func TestLengthOfLanguages(t *testing.T) {
	most := lint.Defaults().MaxWords
	for _, c := range []string{"漢", "か", "字"} {
		short, long := strings.Repeat(c, 2*most), strings.Repeat(c, 2*most+2)
		if flags(t, "long-next-action", "## 次のステップ\n"+short+"。\n") || !flags(t, "long-next-action", "## 次のステップ\n"+long+"。\n") {
			t.Errorf("%s: %d characters are not the limit", c, 2*most)
		}
	}
	for text, want := range map[string]bool{"一回の走査にした。入力が大きい。": true, "一回の走査にした。": false, "一回の走査（速い。確認済み）にした": false, "选流式解析！输入很大": true, "見出し「はい。そうです」を残す": false} {
		if got := flags(t, "long-item", "## 決定事項\n1. "+text+"\n"); got != want {
			t.Errorf("%q: flagged %t", text, got)
		}
	}
}

// TestNothingOfLanguages: a required section with only a placeholder is empty in each language.
func TestNothingOfLanguages(t *testing.T) {
	rest := "\n\n## Immediate Next Action\nx\n\n## Key Decisions Made\n1. a: b\n\n## What NOT to Try\nNone\n\n## Critical Context\nNone\n"
	for _, text := range []string{"未定", "待定", "미정", "Kommt noch", "À compléter", "Por definir", "Da definire", "A definir", "Уточнить", "TBD", "なし。", "无", "없음", "Keiner", "Aucun", "Ninguno", "Nessuno", "Nenhum", "Нет"} {
		if !flags(t, "empty-section", "## Current State\n"+text+rest) {
			t.Errorf("not flagged: %q", text)
		}
	}
	for _, text := range []string{"字句解析は完了", "词法分析器已完成", "Lexer fertig", "Лексер готов"} {
		if flags(t, "empty-section", "## Current State\n"+text+rest) {
			t.Errorf("flagged: %q", text)
		}
	}
	for _, text := range []string{"残作業なし。", "没有剩余工作：任务已完成", "남은 작업 없음", "Alles erledigt.", "Plus rien à faire.", "Nada pendiente.", "Nulla da fare: è finito.", "Sem pendências.", "Ничего не осталось."} {
		if src := "---\nprofile: completion\n---\n# T\n\n## Ergebnis über alles\n" + text + "\n"; flags(t, "missing-next-step", src) {
			t.Errorf("flagged: %q", text)
		}
	}
}

// TestPlaceOfLanguages: the file, the place and the state of the work are found in each language, and a state without them is flagged.
func TestPlaceOfLanguages(t *testing.T) {
	for heading, labels := range map[string][4]string{
		"Aktueller Stand": {"Datei", "Ort", "Zeile 42", "Ziel"}, "État actuel": {"Fichier", "Emplacement", "ligne 42", "Objectif"}, "Estado actual": {"Archivo", "Ubicación", "línea 42", "Objetivo"},
		"Stato attuale": {"File", "Posizione", "riga 42", "Obiettivo"}, "Estado atual": {"Arquivo", "Localização", "linha 42", "Objetivo"}, "Текущее состояние": {"Файл", "Место", "строка 42", "Цель"},
		"現在の状態": {"ファイル", "場所", "42行目", "目標"}, "当前状态": {"文件", "位置", "第 42 行", "目标"}, "현재 상태": {"파일", "위치", "42행", "목표"},
	} {
		file, place, line, goal := labels[0], labels[1], labels[2], labels[3]
		full := "## " + heading + "\n- **" + file + "**: `src/parse.go`\n- **" + place + "**: x\n- **" + goal + "**: x\n"
		said := "## " + heading + "\n`src/parse.go`, " + line + "\n"
		none := "## " + heading + "\nx `src/parse.go`\n"
		for rule, want := range map[string][3]bool{"missing-file": {false, false, true}, "missing-location": {false, false, true}, "missing-goal": {false, false, false}} {
			for i, src := range []string{full, said, none} {
				if flags(t, rule, src) != want[i] {
					t.Errorf("%s: flagged %t: %q", rule, !want[i], src)
				}
			}
		}
		if where := "## " + heading + "\n- **" + file + "**: `src/parse.go`\n- **" + place + "**: x\n"; !flags(t, "missing-goal", where) {
			t.Errorf("missing-goal: not flagged: %q", where)
		}
	}
}

// TestMenusOfLanguages: each language has words that offer several steps; a plain "or", an option of the program and a
// condition are none.
func TestMenusOfLanguages(t *testing.T) {
	for heading, texts := range map[string][2][]string{
		"Nächster Schritt": {{"Variante A: den Parser umbauen.", "Es gibt zwei Möglichkeiten, den Parser zu ändern.", "Entweder `parse.go` umbauen oder den Puffer vergrößern.", "Alternativ den Puffer vergrößern."},
			{"Fehler melden, wenn entweder Datei oder Zeile fehlt.", "Die Option `--all` ergänzen oder umbenennen.", "Zwei Optionen in `flags.go` ergänzen."}},
		"Prochaine étape": {{"Option A : refaire l’analyseur.", "Il y a deux approches pour l’analyseur.", "Soit refaire `parse.go`, soit agrandir le tampon."},
			{"Vérifier que le test soit vert et que le journal soit vide.", "Dire pourquoi l’option a été retirée de `flags.go`.", "Ajouter deux options à `flags.go` ou à son test."}},
		"Próximo paso": {{"Opción B: rehacer `parse.go`.", "Hay dos enfoques para el analizador.", "O bien rehacer `parse.go`, o bien ampliar el búfer."},
			{"Añadir la opción a la lista de `flags.go`.", "Mover `parse.go` o su prueba.", "Documentar dos opciones de `flags.go`."}},
		"Prossimo passo": {{"Opzione 1: rifare `parse.go`.", "Ci sono due approcci per il parser.", "In alternativa, ampliare il buffer."},
			{"Aggiungere l’opzione a `flags.go`.", "Aggiungere più opzioni al menù.", "Spostare `parse.go` o il suo test."}},
		"Próxima ação": {{"Opção A: refazer `parse.go`.", "Há duas abordagens para o analisador.", "Alternativamente, aumentar o buffer."},
			{"Adicionar a opção a `flags.go`.", "Mover `parse.go` ou o seu teste.", "Documentar duas opções de `flags.go`."}},
		"Следующий шаг": {{"Вариант А: переписать `parse.go`.", "Есть два подхода к разбору.", "Либо переписать `parse.go`, либо увеличить буфер."},
			{"Добавить вариант в меню `flags.go`.", "Проверить два способа входа.", "Сообщить об ошибке, если нет файла или строки."}},
		"次のアクション": {{"プランA: `parse.go` を書き直す。", "2つの方法がある。", "次のどちらかを選ぶ。"},
			{"どちらかが空ならエラーにする。", "2つの方法で `parse.go` を確認する。", "オプションを `flags.go` に追加する。"}},
		"下一步": {{"方案A：重写 `parse.go`。", "有两种方案。", "要么重写 `parse.go`，要么加大缓冲区。", "二选一。"},
			{"在 `flags.go` 增加两个选项。", "实现 `Reader` 的两个方法。", "把方案写进 `docs/plan.md`。"}},
		"다음 작업": {{"방안 A: `parse.go`를 다시 쓴다.", "두 가지 방법이 있다.", "다음 중 하나를 선택한다."},
			{"두 가지 방법으로 `parse.go`를 확인한다.", "옵션을 `flags.go`에 추가한다.", "파일이나 줄이 없으면 오류로 처리한다."}},
	} {
		for _, text := range texts[0] {
			if src := "## " + heading + "\n" + text + "\n"; !flags(t, "menu-as-next-action", src) {
				t.Errorf("not flagged: %q", src)
			}
		}
		for _, text := range texts[1] {
			if src := "## " + heading + "\n" + text + "\n"; flags(t, "menu-as-next-action", src) {
				t.Errorf("flagged: %q", src)
			}
		}
	}
}

// TestPlacesOfLanguages: a state that names a place, one that names only the file, and one that says where but not what.
func TestPlacesOfLanguages(t *testing.T) {
	for heading, c := range map[string]struct{ file, place, near, none, goal string }{
		"Aktueller Stand":   {"Datei", "Stelle", "Der Parser bricht nach `readHead` ab.", "Der Parser bricht mit `EOF` ab.", "Ordner"},
		"État actuel":       {"Fichier", "Ligne", "L’analyse s’arrête après `readHead`.", "L’analyse s’arrête : `EOF`.", "Branche"},
		"Estado actual":     {"Archivo", "Línea", "El análisis se detiene después de `readHead`.", "El análisis falla: `EOF`.", "Rama"},
		"Stato attuale":     {"File", "Riga", "L’analisi si ferma dopo `readHead`.", "L’analisi fallisce: `EOF`.", "Cartella"},
		"Estado atual":      {"Arquivo", "Linha", "A análise para depois de `readHead`.", "A análise falha: `EOF`.", "Pasta"},
		"Текущее состояние": {"Файл", "Строка", "Разбор обрывается после `readHead`.", "Разбор обрывается: `EOF`.", "Ветка"},
		"現在の状態":             {"ファイル", "位置", "`readHead` の後で解析が止まる。", "解析が止まる：`EOF`", "ブランチ"},
		"当前状态":              {"文件", "位置", "解析停在 `readHead` 之后。", "解析停止：`EOF`", "分支"},
		"현재 상태":             {"파일", "위치", "`readHead` 다음에서 해석이 멈춘다.", "해석이 멈춘다: `EOF`", "브랜치"},
	} {
		begin := "## " + heading + "\n- **" + c.file + "**: `parse.go`\n"
		for text, want := range map[string]bool{c.near: false, c.none: true, "- **" + c.place + "**: `readHead`": false} {
			if got := flags(t, "missing-location", begin+text+"\n"); got != want {
				t.Errorf("missing-location: %t for %q", got, begin+text)
			}
		}
		for text, want := range map[string]bool{"- **" + c.place + "**: 12\n- **" + c.goal + "**: x": true, "- **" + c.place + "**: 12\n\n" + c.none: false} {
			if got := flags(t, "missing-goal", begin+text+"\n"); got != want {
				t.Errorf("missing-goal: %t for %q", got, begin+text)
			}
		}
	}
}
