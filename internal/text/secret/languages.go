package secret

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// foreignNames are names for nothing but a password in the nine languages besides English that handoffs are read in.
// They are here, not among the words of documents: what masks secrets knows nothing of handoffs. Words that
// also mean a cipher or a key, such as 암호, 口令 and clave, are left out.
var foreignNames = [...]struct {
	name     string
	compound bool // it ends longer words of the same meaning: Datenbankpasswort, 数据库密码
}{
	{"passwort", true}, {"kennwort", true}, // German
	{"mot de passe", false}, {"mdp", false}, // French
	{"contraseña", false}, {"contrasena", false}, // Spanish
	{"parola d'accesso", false}, {"parola d’accesso", false}, // Italian, which also says password
	{"senha", false}, {"palavra-passe", false}, {"palavra passe", false}, // Portuguese
	{"пароль", false},          // Russian
	{"パスワード", true},            // Japanese
	{"密码", true}, {"密碼", true}, // Chinese
	{"비밀번호", true}, {"패스워드", true}, // Korean
}

// foreignName is the name of [foreignNames] with which a text ends, "" for none.
func foreignName(text string) string {
	if text == "" {
		return ""
	}
	last := text[len(text)-1] | 0x20
	for i := range foreignNames {
		n := &foreignNames[i]
		from, end := len(text)-len(n.name), n.name[len(n.name)-1]
		if from < 0 || end != last && (end < 0x80 || last < 0x80) || !strings.EqualFold(text[from:], n.name) {
			continue
		}
		if before, _ := utf8.DecodeLastRuneInString(text[:from]); n.compound || from == 0 || !unicode.IsLetter(before) {
			return n.name
		}
	}
	return ""
}
