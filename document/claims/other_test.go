package claims_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestOtherLanguages: what was merged, pushed and deployed, and which file holds something, in each language; a wish is none.
func TestOtherLanguages(t *testing.T) {
	for language, c := range map[string]struct{ merged, pushed, deployed, holds, none, heading string }{
		"de": {"PR #12 wurde gemergt", "Alle Commits sind nach origin gepusht", "Die Version ist ausgerollt", "Die Lösung liegt in `solution.py`", "PR #12 muss gemergt werden", "Aktueller Stand"},
		"fr": {"La PR #12 est fusionnée", "Les commits sont poussés sur origin", "La version est déployée", "La solution se trouve dans `solution.py`", "La PR #12 doit être fusionnée", "État actuel"},
		"es": {"La PR #12 está fusionada", "Los commits están subidos a origin", "La versión está desplegada", "La solución está en `solution.py`", "Cuando la PR #12 sea fusionada, publicar", "Estado actual"},
		"it": {"La PR #12 è mergiata", "Le modifiche sono pushati su origin", "La versione è rilasciata", "La soluzione si trova in `solution.py`", "Se la PR #12 è mergiata, pubblicare", "Stato attuale"},
		"pt": {"A PR #12 foi mesclada", "Os commits foram enviados ao origin", "A versão foi publicada", "A solução está em `solution.py`", "Se a PR #12 for mesclada, publicar", "Estado atual"},
		"ru": {"PR #12 влит в main", "Все коммиты запушены", "Версия развёрнута", "Решение лежит в `solution.py`", "PR #12 должен быть влит", "Текущее состояние"},
		"zh": {"PR #12 已合并", "所有提交已推送到 origin", "新版本已部署", "方案保存在 `solution.py`", "PR #12 需要合并", "当前状态"},
		"ja": {"PR #12 はマージ済み", "コミットはプッシュ済み", "新しい版はデプロイ済み", "解は `solution.py` に保存", "PR #12 をマージする必要がある", "現在の状態"},
		"ko": {"PR #12 병합 완료", "커밋을 모두 푸시했습니다", "새 버전이 배포되었습니다", "해법은 `solution.py` 에 있습니다", "PR #12 병합해야 한다", "현재 상태"},
	} {
		for text, want := range map[string]string{c.merged: "something was merged  0", c.pushed: "something was pushed  0", c.deployed: "something was released  0", c.holds: "a file holds something solution.py 0", c.none: ""} {
			for _, form := range []string{"## %s\n- %s\n", "## %s\n%s.\n"} {
				if got := strings.Join(claimsOf(t, fmt.Sprintf(form, c.heading, text)), ", "); got != want {
					t.Errorf("%s: %q: %q, want %q", language, text, got, want)
				}
			}
		}
	}
}

// TestOtherStates: what else a sentence states in another language, with what it names; and what is none.
func TestOtherStates(t *testing.T) {
	for heading, texts := range map[string][]string{
		"Aktueller Stand":   {"Branch `fix/scan` ist noch nicht gemergt", "`src/a.go` wurde in `src/b.go` umbenannt", "`parseNumber` ist in `src/a.go` definiert", "`src/x.go` existiert noch nicht", "`src/y.go` wurde gelöscht", "Issue #12 ist behoben", "Der Scanner funktioniert", "Im Browser getestet", "Verantwortlich: Anna", "Laborsuite **149/149**"},
		"État actuel":       {"La branche `fix/scan` n'est pas encore fusionnée", "`src/a.go` a été renommé en `src/b.go`", "`parseNumber` est défini dans `src/a.go`", "`src/x.go` n'existe pas encore", "`src/y.go` a été supprimé", "L'issue #12 est fermée", "Le lecteur fonctionne", "Testé à la main dans Firefox", "Responsable : Anna", "`npm test` est vert : **49 checks, 0 échec**"},
		"Estado actual":     {"La rama `fix/scan` aún no está en main", "`src/a.go` fue renombrado a `src/b.go`", "`parseNumber` está definido en `src/a.go`", "`src/x.go` todavía no existe", "`src/y.go` fue eliminado", "El issue #12 está cerrado", "El lector funciona", "Verificado en el navegador", "Responsable: Ana", "`npm test`: 12/12"},
		"Estado atual":      {"O branch `fix/scan` ainda não está na main", "`src/a.go` foi renomeado para `src/b.go`", "`parseNumber` está definido em `src/a.go`", "`src/x.go` ainda não existe", "`src/y.go` foi removido", "A issue #12 foi fechada", "O login funciona", "Testado manualmente", "Responsável: Ana", "Testes: 0 falhas"},
		"Stato attuale":     {"Il branch `fix/scan` non è ancora in main", "`src/a.go` è stato rinominato in `src/b.go`", "`parseNumber` è definito in `src/a.go`", "`src/x.go` non esiste ancora", "`src/y.go` è stato rimosso", "L'issue #12 è chiusa", "Il lettore funziona", "Testato a mano", "Responsabile: Anna", "I controlli: 0 errori"},
		"Текущее состояние": {"Ветка `fix/scan` ещё не влита", "`src/a.go` переименован в `src/b.go`", "`parseNumber` находится в `src/a.go`", "`src/x.go` ещё не существует", "`src/y.go` удалён", "Задача #12 закрыта", "Сервис работает", "Проверено вручную", "Ответственный: Анна", "`go test ./...` без ошибок"},
		"当前状态":              {"分支 `fix/scan` 尚未合并", "`src/a.go` 已重命名为 `src/b.go`", "`parseNumber` 定义在 `src/a.go`", "`src/x.go` 尚不存在", "`src/y.go` 已删除", "Issue #12 已关闭", "功能正常", "真机验证通过", "负责人：张三", "`pnpm typecheck` 通过"},
		"現在の状態":             {"ブランチ `fix/scan` は未マージ", "`src/a.go` を `src/b.go` にリネームした", "`parseNumber` は `src/a.go` で定義", "`src/x.go` はまだ存在しない", "`src/y.go` は削除済み", "Issue #12 はクローズ済み", "正常に動作", "実機で確認済み", "担当: 田中", "型チェックはエラー0"},
		"현재 상태":             {"브랜치 `fix/scan` 는 아직 머지되지 않았습니다", "`src/a.go` 를 `src/b.go` 로 이름을 변경했습니다", "`parseNumber` 는 `src/a.go` 에 정의되어 있습니다", "`src/x.go` 는 아직 없습니다", "`src/y.go` 는 삭제했습니다", "이슈 #12 는 닫혔습니다", "정상 동작", "실기기 확인 완료", "담당자: 김철수", "`npm test` 통과"},
	} {
		for i, want := range []string{"a branch is not merged fix/scan 0", "a file was renamed src/b.go 0", "something is in a file src/a.go 0", "a file does not exist yet src/x.go 0", "a file was deleted src/y.go 0",
			"an issue is closed  0", "something works  0", "somebody tried it by hand  0", "work belongs to somebody  0", "tests pass  0"} {
			got := claimsOf(t, fmt.Sprintf("## %s\n- %s\n", heading, texts[i]))
			if strings.Join(got, ", ") != want && strings.Join(got, ", ") != "there is a branch fix/scan 0, "+want {
				t.Errorf("%s: %q: %q, want %q", heading, texts[i], got, want)
			}
		}
	}
	for _, text := range []string{"## Stand\n- 3 Tests grün, 2 rot", "## Stand\n- Bestätigen, dass alle Tests grün sind", "## Estado actual\n- El audio no funciona", "## 当前状态\n- 完成后手动测试", "## 현재 상태\n- 부품 라이브러리", "## Stand\n- Wie der Scanner funktioniert", "## Stand\n- PR #12 ist nicht gemergt", "## Stand\n- Die Tests sind zu „100 % grün“ zu machen", "## État actuel\n- auth non fonctionnelle", "## État actuel\n- La suite passe de 16 à 20 tests",
		"## État actuel\n- Responsable de la validation : le module X", "## 当前状态\n- 测试 11/12 通过", "## 当前状态\n- 测试失败 2 个，通过 10 个", "## 当前状态\n- 所有操作都通过按钮触发", "## 現在の状態\n- 手動で確認する必要がある", "## 現在の状態\n- マージ済み SRT: `main`", "## Stand\n- **Nichts ist gepusht.** `main` ist alt.", "## 현재 상태\n- 테스트 3개 실패, 10개 통과"} {
		if got := claimsOf(t, text+"\n"); len(got) > 0 {
			t.Errorf("%q: %q, want none", text, got)
		}
	}
}
