package secret

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// The secrets are concatenated here, so that no scanner reports them.
var (
	token    = "gh" + "p_q7Rk2Vx9TzLw4Nd8Ys3Pf6Hc1Mb5Jg0Ae7Uo"
	password = "Tr0ub4" + "dor&3xÖ"
	key      = "-----BEGIN OPENSSH PRI" + "VATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAMwAAAAtz\nYQ==\n-----END OPENSSH PRI" + "VATE KEY-----\n"
	text     = "push with " + token + " to\npostgres://app:" + password + "@host/db\n" + key + "the end\n"
)

func TestAll(t *testing.T) {
	list := All(text)
	if len(list) != 3 {
		t.Fatalf("%d secrets: %+v", len(list), list)
	}
	for i, want := range []string{token, password} {
		if got := text[list[i].From:list[i].To]; got != want || list[i].End != list[i].To {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := text[list[2].From:list[2].End]; !strings.Contains(got, "YQ==") {
		t.Errorf("the private key ends too early: %q", got)
	}
}

func TestStars(t *testing.T) {
	got := Stars(text, All(text))
	if len(got) != len(text) || utf8.RuneCountInString(got) != utf8.RuneCountInString(text) || strings.Count(got, "\n") != strings.Count(text, "\n") {
		t.Errorf("offsets moved: %q", got)
	}
	for _, part := range []string{token[4:], password[3:], "b3Blb", "YQ=="} {
		if strings.Contains(got, part) {
			t.Errorf("%q is still in %q", part, got)
		}
	}
	if !strings.Contains(got, "@host/db") || !strings.HasSuffix(got, "the end\n") {
		t.Errorf("too much is gone: %q", got)
	}
}

func TestRedact(t *testing.T) {
	secrets := All(text)
	for message, want := range map[string]string{
		"nothing":                              "nothing",
		"next action is \"use " + token + "\"": "next action is \"use [secret]\"",
		"cut short: " + token[:20] + "…":       "cut short: [secret]…",
		"from the left: …" + token[9:]:         "from the left: …[secret]",
		"in " + password + ", and YQ==":        "in [secret], and [secret]",
	} {
		if got := NewRedactor(text, secrets).Redact(message); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestHide(t *testing.T) {
	if got, want := Hide(text), "push with [secret] to\npostgres://app:[secret]@host/db\n[secret]-----END OPENSSH PRI"+"VATE KEY-----\nthe end\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := Hide("nothing"); got != "nothing" {
		t.Errorf("%q", got)
	}
}

// TestHideOutput: lines of JSON stay valid, with what they mean searched; other lines are
// searched together.
func TestHideOutput(t *testing.T) {
	key := "-----BEGIN RSA PRI" + "VATE KEY-----"
	end := "-----END RSA PRI" + "VATE KEY-----"
	for text, want := range map[string]string{
		"nothing\n{\"a\":\"b\"}\n":                                                   "nothing\n{\"a\":\"b\"}\n",
		"{\"a\":\"x\\ntoken " + token + "\\\"\",\"b\":[1, 2]}\r\n":                   "{\"a\":\"x\\ntoken [secret]\\\"\",\"b\":[1, 2]}\r\n",
		"{\"k\":\"" + key + "\\nMIIEpAIBAAKCAQEA7bqc2VjcmV0a2V5\\n" + end + "\\n\"}": "{\"k\":\"[secret]" + end + "\\n\"}",
		key + "\nMIIEpAIBAAKCAQEA7bqc2VjcmV0a2V5\n" + end + "\n":                     "[secret]" + end + "\n",
		"{\"api_key\":\"" + "9a8b7c6d5e4f3a2b" + "1c0d9e8f7a6b5c4d\",\"n\":\"<&\"}":  "{\"api_key\":\"[secret]\",\"n\":\"<&\"}",
		"{not json " + token: "{not json [secret]",
	} {
		if got := HideOutput(text); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
