package rules

import (
	"testing"

	"handoff/lint"
)

// TestClaimsOfLanguages: a claim is found in prose, items and labels of each language; a wish, a condition, a criterion and
// a box that is not ticked are none.
func TestClaimsOfLanguages(t *testing.T) {
	claims := []string{"All 40 unit tests passed (88 seconds).", "The build is green.", "Tests: 40/40 passing.", "CI is green now.", "All tests (40) pass.", "The test suite passes.",
		"All tests are passing again.", "**Tests**: all green", "Alle 40 Tests bestanden.", "Alle Tests laufen durch.", "Der Build ist grün.", "Tests: alle grün",
		"Tous les tests passent.", "Les 40 tests sont verts.", "Les tests unitaires ont réussi.", "Todos los tests pasan.", "Las 40 pruebas pasaron.", "La suite está en verde, tests superados",
		"Tutti i test passano.", "I 40 test sono verdi.", "Todos os testes passam.", "Os 40 testes passaram.", "Все тесты проходят.", "40 тестов прошли успешно.", "Сборка успешна.",
		"所有测试通过。", "40 个测试全部通过", "当前单元测试全部通过", "構建與測試全部通過", "テストは全件合格。", "全40件のテストが通りました", "CIは緑です", "ビルド成功", "모든 테스트 통과", "테스트 40개가 모두 통과했습니다.", "빌드 성공"}
	none := []string{"A negative test passes when the mechanism never ran: check that it ran.", "Do not merge until all tests pass.", "Do not merge until all\ntests pass.", "If all tests pass, release it.",
		"Make sure that the tests pass.", "Tests must pass.", "Do all tests pass?", "All tests pass if run alone.", "The parser passes tokens on.", "\"All tests pass\" is what agents say.", "Goal: all tests pass",
		"3/3 passes of the test, 1/1 pass of the other", "Definition of done: all tests pass", "Alle Tests müssen bestanden sein.", "Erst mergen, wenn alle Tests grün sind.", "Ziel: alle Tests grün", "Die Tests sind nicht grün.",
		"Vérifier que tous les tests passent.", "Si les tests passent, fusionner.", "Les tests ne sont pas verts.", "Asegurarse de que los tests pasan.", "Cuando las pruebas pasen, publicar.", "Objetivo: los tests pasan", "Hay que pasar los tests",
		"Verificare che i test passano.", "Se i test passano, unire.", "Garantir que todos os testes passam.", "Quando os testes passarem, publicar.", "Убедиться, что все тесты проходят.", "Тесты должны проходить.", "Тесты не проходят.",
		"确保所有测试通过。", "如果测试通过就合并", "测试通过后再合并", "目标：所有测试通过", "测试未通过", "テストが通ることを確認する", "テストが通るまでマージしない", "テストは通らない", "目標：テスト全件合格", "テストが合格したら公開する",
		"테스트가 통과하는지 확인", "모든 테스트가 통과하면 병합", "테스트가 통과해야 한다", "목표: 모든 테스트 통과", "테스트가 통과하지 않음"}
	set := lint.Defaults()
	rule := ruleNamed(t, "unchecked-claim")
	flags := func(src string) bool { return len(found(&lint.Input{Doc: read([]byte(src))}, rule, &set)) > 0 }
	for _, text := range claims {
		for _, form := range []string{"# T\n\n## S\n", "# T\n\n## S\nBefore.\n\n", "# T\n\n", "# T\n\n## S\n- ", "# T\n\n## S\n- [x] "} {
			if !flags(form + text + "\n\n## Kontext\nx\n") {
				t.Errorf("not flagged: %q", form+text)
			}
		}
		for _, form := range []string{"## S\n- [ ] ", "## Definition of done\n", "## Acceptance criteria\n- ", "## S\n### Test plan\n- ", "## 完了条件\n- ", "## 验收标准\n- ", "## 완료 조건\n- ", "## Abnahmekriterien\n- ",
			"## Immediate Next Action\n", "## 次のステップ\n", "## Next Steps\n- "} {
			if flags(form + text + "\n") {
				t.Errorf("flagged: %q", form+text)
			}
		}
		if flags("## S\n- " + text + " [verified: go test]\n") {
			t.Errorf("flagged with a mark: %q", text)
		}
	}
	for _, text := range none {
		for _, form := range []string{"## S\n", "## S\n- ", "# T\n\n"} {
			if flags(form + text + "\n") {
				t.Errorf("flagged: %q", form+text)
			}
		}
	}
}

func ruleNamed(t *testing.T, name string) *lint.Rule {
	for _, r := range All {
		if r.Name == name {
			return r
		}
	}
	t.Fatalf("no rule %s", name)
	return nil
}
