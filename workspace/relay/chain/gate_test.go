package chain

import (
	"strings"
	"testing"
)

// TestQuestionOf: the last words of an agent are a question for a person only if they end with
// one, or with the choices that it is about.
func TestQuestionOf(t *testing.T) {
	long := strings.Repeat("More of the report.\n", 13)
	for said, want := range map[string]string{
		"Which one do you mean? Please tell me before I go on.": "Which one do you mean? Please tell me before I go on.",
		"I have read it.\n\nWhich database?\n\n- a\n- b":        "Which database? - a - b",
		"Which one? I took a.\n\n" + long:                       "",
		"All is done.":                                          "",
		"":                                                      "",
		"See https://example.org/?a=1 and run `ls ?.go`.": "",
		"Is it **this one?**":                             "Is it **this one?**",
		"どちらですか？":                                         "どちらですか？",
		"First?\n\nSecond?":                               "Second?",
		"May I drop the table? (y/n)":                     "May I drop the table? (y/n)",
		"The pattern is a?b and ??.":                      "",
		"Which?\nToken: password=hunter2hunter2":          "Which? Token: [secret]",
	} {
		if got := QuestionOf(said); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
	if got := QuestionOf("Which? " + strings.Repeat("x", 9000)); len(got) > maxQuestion+10 {
		t.Errorf("a question has %d bytes", len(got))
	}
}

// TestAnswersStay: what a person has answered is known to all later links.
func TestAnswersStay(t *testing.T) {
	s := State{}
	for _, f := range facts([]Fact{{Kind: Started, Plan: plan()}}, link(1, "", question), none, asking, answered, another(Answer, low), good, link(2, "new.md", low)) {
		s.Apply(f)
	}
	if len(s.Answers) != 1 || s.Answers[0] != (Exchange{"Which one?", "That one."}) || s.Asks != "" {
		t.Errorf("%+v, asks %q", s.Answers, s.Asks)
	}
}

// TestShorten: the end of an output is kept, in whole lines.
func TestShorten(t *testing.T) {
	if got := Shorten(strings.Repeat("first line\n", 999) + "last line"); len(got) > maxOutput || !strings.HasPrefix(got, "first line\n") || !strings.HasSuffix(got, "\nlast line") {
		t.Errorf("%d bytes: %.40q", len(got), got)
	}
	if Shorten("a\nb") != "a\nb" {
		t.Error("a short one is cut")
	}
}
