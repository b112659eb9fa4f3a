package secret

import (
	"strings"
	"testing"
	"time"
)

// seed is a valid seed of a NATS user, made of the key 0, 1, 2, …
const seed = "SUAAA" + "AICAMCAKBQHBAEQUCYMBUHA6EARCIJRIFIWC4MBSGQ3DQOR4H776Y"

// passwords are lines with a password that a person chose, or that a program drew; the
// password is between | and |. weak ones are only masked in drafts: lint could not tell them
// from prose.
var passwords = []struct {
	line string
	weak bool
}{
	{"password: |Tr0ub4dor&3|", false}, {"Password: |S3cure!Pass|", false}, {"the password: |hunter2!|", false}, {"passwd: |k0nijn99!|", false},
	{"password = |p4ssw0rd!9|", false}, {"DB_PASSWORD=|swordfish|", false}, {"PGPASSWORD=|correcthorse| psql -h db", false}, {"export PGPASSWORD=|blauwal77|", false},
	{"MYSQL_PWD=|zebra-crossing| mysqldump app", false}, {"REDIS_PASSWORD=|fnord2026|", false}, {"app --password |swordfish| run", false}, {"app --password=|swordfish|", false},
	{"app --db-password '|sommer2026|'", false}, {"mysql -u root -p|swordfish| app", false}, {"mysqldump -uroot -p|Gelb7Wal| app > x.sql", false}, {"mysql -p'|blau wal77|' app", false},
	{"Cookie: session=|9f8e7d6c5b4a39281706f5e4d3c2b1a0|", false}, {"Set-Cookie: sid=|s%3Aj4R9xkQ2mP7vL0sT.aB3dE5fG7hI9|; Path=/", false}, {"curl -H 'Cookie: auth=|Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZg|'", false},
	{"nats seed |" + seed + "|", false}, {"NKEY=|" + seed + "|", false},
	{"password: `|Winter2026!|`", false}, {"**Password**: |Herbst2025#|", false}, {"\"password\": \"|x9K-pl2q!|\"", false}, {"db_passwd: '|9Lives!cat|'", false},
	{"passphrase: |correct horse battery staple|", true}, {"passphrase: `|correct horse|`", false}, {"the password is |swordfish|", true}, {"password: |swordfish|", false}, {"pwd: |abc|", true},
	{"secret: |tinker|", true}, {"token: |abc123|", true}, {"api_key: |test-key|", true}, {"--token |abc| x", true}, {"--secret |xyz9|", true}, {"API_KEY=|dev|", true},
	{"Cookie: |theme=dark; user=ann|", true}, {"Authorization: |Basic abc|", true}, {"credential: |ann|", true}, {"client_secret=|s3cr3t|", false},
	// in a sentence, and alone on a line
	{"the password is `|swordfish|`", false}, {"The admin password was |Winter2026!|.", false}, {"log in as admin with password |Winter2026!| first", false},
	{"**Password** is |k0nijn99!|", false}, {"- DB password: |swordfish|", false}, {"  password: \"|porkchop|\",", false}, {"password=|porkchop|", false}, {"password set to `|zebra-crossing|`", false},
	// the short names, and the options of programs
	{"pass: \"|Winter2026!|\"", false}, {"DB_PASS=|swordfish| make", false}, {"SMTP_PW='|zebra-crossing|'", false}, {"pw: |k0nijn99!|", false},
	{"sshpass -p |swordfish| ssh db", false}, {"sshpass -p'|swordfish|' ssh db", false}, {"docker login -u ann -p |swordfish| hub", false}, {"redis-cli -a |swordfish| ping", false},
	{"mongosh -u ann -p |swordfish| app", false}, {"sqlcmd -S db -P |Zebra77| -i x", false}, {"ldapsearch -D cn=a -w |swordfish| uid=b", false}, {"keytool -storepass |swordfish| -list", false},
}

// TestPasswords counts what lint finds, and what is masked in a draft.
func TestPasswords(t *testing.T) {
	found, masked := 0, 0
	for _, p := range passwords {
		parts := strings.Split(p.line, "|")
		line, secret := strings.Join(parts, ""), parts[1]
		if got := Mask("a\n" + line + "\nb"); strings.Contains(got, secret) || !strings.HasPrefix(got, "a\n"+line[:3]) || !strings.HasSuffix(got, "\nb") {
			t.Errorf("masked as %q", got)
		} else {
			masked++
		}
		switch list := All(line); {
		case len(list) == 1 && strings.Contains(line[list[0].From:list[0].End], secret):
			found++
		case !p.weak || len(list) > 0:
			t.Errorf("%q: lint finds %v", line, list)
		}
	}
	if t.Logf("%d passwords: lint finds %d, drafts mask %d", len(passwords), found, masked); found < 46 {
		t.Errorf("lint finds only %d", found)
	}
}

// TestNoPasswords: what lint must leave alone, and what a draft must keep.
func TestNoPasswords(t *testing.T) {
	for _, line := range []string{
		"machine a.example login ann password サーバーパスワード", `printf 'machine a.example login ann password サーバーパスワード\n' > ~/.netrc`, "machine a.example login ann password Serverkennwörter",
		"password: required", "password: string", "Password: see the vault", "password: $DB_PASSWORD", "PGPASSWORD=$PW psql", "PGPASSWORD=${PGPASSWORD:-x}", "password=changeme",
		"PWD=/home/ann/work", "pwd: /home/ann", "--password-file x.txt", "--password -v", "docker run -p8080:80 mysql", "ssh -p22 mysql", "mkdir -p a/b", "mysql -p app", "mysql -uroot -p",
		"the password: it is in 1Password", "password: <your password>", "password: ********", "Cookie: theme=dark; lang=en", "SUBSCRIBERS and SAMPLES are words, SUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA is none",
		"password: bcrypt", "## Password: rules of 2026", "reset password: step-2", "passwd: files sss", "password=options.password", "password: process.env.PW", "PASSWORD=SECRET",
		"--- PASS: TestIssue11 (0.03s)", "PASS: Test2fa!", "12 tests pass: parse2 too", "bypass: a1b2c3d4!", "the password is required", "the password is stored in `vault.yaml`", "the password was `userPassword`",
		"password: rotated weekly", "with password step-2", "with password authentication v2.1", "password hash is `argon2id`", "cmd.Env = append(env, \"PWD=\"+dir)", "type PASSWORD = uintptr",
		"docker run -p 8080:80 app", "docker login -p $PW", "mkdir -p swordfish", "ssh -p swordfish", "redis-cli -h swordfish -a \"$PW\"", "cp -a swordfish", "token=utf8enc", "secret=sha256sum",
	} {
		if list := All(line); len(list) > 0 {
			t.Errorf("%q: %q is %s", line, line[list[0].From:list[0].To], list[0].Kind)
		}
	}
	for _, line := range []string{"the tokens are counted", "a secret is kept", "password=$PW", "--token $TOKEN", "std::token::next", "mkdir -p x", "PATH=/bin", "a: b", "the token: [secret]", "password reset works"} {
		if got := Mask(line); got != line {
			t.Errorf("%q became %q", line, got)
		}
	}
}

// TestPasswordsOfLanguages: each language has its names for a password, and words that only look like one.
func TestPasswordsOfLanguages(t *testing.T) {
	for language, lines := range map[string][2][]string{
		"German":     {{"Passwort: |Winter2026!|", "- **DB-Passwort**: `|swordfish|`", "Datenbankpasswort: |k0nijn99!|", "Kennwort = |Gelb7Wal!|"}, {"Passwort: siehe Tresor", "Passwort: $DB_PASSWORD", "Antwort: Winter2026!", "das Passwort steht im Tresor"}},
		"French":     {{"Mot de passe : |Hiver2026!|", "mdp: |k0nijn99!|"}, {"Mot de passe : voir le coffre", "Passe : Hiver2026!", "mot de passe : `$PW`"}},
		"Spanish":    {{"Contraseña: |Invierno26!|", "CONTRASEÑA=|k0nijn99!|"}, {"Contraseña: en la bóveda", "Clave: id2026!", "Reseña: Libro2026!"}},
		"Italian":    {{"Parola d’accesso: |Inverno26!|", "Password: |Inverno26!|"}, {"Parola: Inverno26!", "Password: nel caveau"}},
		"Portuguese": {{"Senha: |Inverno26!|", "Palavra-passe: |k0nijn99!|"}, {"Resenha: Livro2026!", "Senha: no cofre"}},
		"Russian":    {{"Пароль: |Zima2026!|", "- ПАРОЛЬ: `|swordfish|`"}, {"Пароль: в хранилище", "Контроль: Zima2026!"}},
		"Japanese":   {{"パスワード：|Fuyu2026!|", "管理者のパスワード: |k0nijn99!|"}, {"パスワード：金庫にある", "キーワード：Fuyu2026!"}},
		"Chinese":    {{"密码：|Dong2026!|", "数据库密码：`|swordfish|`", "密碼: |k0nijn99!|"}, {"密码：在保险库", "编码：Dong2026!"}},
		"Korean":     {{"비밀번호: |Gyeoul26!|", "DB 비밀번호：|k0nijn99!|"}, {"비밀번호: 금고에 있음", "일련번호: Gyeoul26!"}},
	} {
		for _, line := range lines[0] {
			parts := strings.Split(line, "|")
			text := strings.Join(parts, "")
			if list := All(text); len(list) != 1 || text[list[0].From:list[0].End] != parts[1] {
				t.Errorf("%s: %q: %v", language, text, list)
			}
			if got := Mask(text); strings.Contains(got, parts[1]) {
				t.Errorf("%s: masked as %q", language, got)
			}
		}
		for _, line := range lines[1] {
			if list := All(line); len(list) > 0 {
				t.Errorf("%s: %q: %q is %s", language, line, line[list[0].From:list[0].To], list[0].Kind)
			}
		}
	}
}

// TestPasswordsAreLinear: a long line of names takes time in proportion to its length.
func TestPasswordsAreLinear(t *testing.T) {
	for _, unit := range []string{"password=", "cookie:", "token:$", "--password ", " -p", "pwd:'", "password is ", "mysql -p", "cookie: a=b;", "password x", "password", "pass:", "pw=", "docker login -p ", "password: x\n", "密码：", "mot de passe : "} {
		text := strings.Repeat(unit, (1<<19)/len(unit))
		begin := time.Now()
		All(text)
		Mask(text)
		if took := time.Since(begin); took > 8*time.Second {
			t.Errorf("%q: %s", unit, took)
		}
	}
}

// TestMayName: the fast check misses no name.
func TestMayName(t *testing.T) {
	names := append(append([]string{"pass", "pw"}, secretNames[:]...), passwordNames[:]...)
	for _, n := range foreignNames {
		names = append(names, n.name)
	}
	for _, name := range names {
		last := len(name) - 1
		for _, text := range []string{name, "the " + name, strings.ToUpper(name), "X_" + name, name[:last] + "_- " + name[last:]} {
			if found := secretName(text) || passwordName(text) != "" || shortName(text) != ""; found && !mayName(text) {
				t.Errorf("%q is not found", text)
			} else if !found && text == name {
				t.Errorf("%q is no name", text)
			}
		}
	}
	for _, text := range []string{"", "d", "File", "Progress line", "-", "__"} {
		if mayName(text) {
			t.Errorf("%q is found", text)
		}
	}
}
