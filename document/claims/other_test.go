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
