package dashboard

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net"
	"net/http"
	"strconv"
	"strings"

	"handoff/workspace/current"
)

// person is who looks at a page: a browser, by its cookie, and the name that was typed in it. What it
// claims, it may give back and finish, as from one terminal. The zero value is a browser without a cookie.
type person struct {
	id   string // random; only the browser and this request know it
	Name string // shown to others; "" until it is asked for
}

// personCookie is the name of the cookie. A browser has the cookies of all ports of a host together.
func personCookie(r *http.Request) string {
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return "handoff-person-" + strconv.Itoa(at.Port)
	}
	return "handoff-person"
}

// maxName is the most bytes of a name, as for claims by other callers.
const maxName = 500

// personOf reads the cookie of a browser.
func personOf(r *http.Request) (p person) {
	c, err := r.Cookie(personCookie(r))
	if err != nil {
		return p
	}
	id, name, _ := strings.Cut(c.Value, ".")
	text, err := base64.RawURLEncoding.DecodeString(name)
	if sum, bad := hex.DecodeString(id); bad != nil || len(sum) != sha256.Size || err != nil || len(text) > maxName {
		return p
	}
	return person{id, string(text)}
}

// met is a person with a cookie, a new one if there is none, which lasts as long as that of the sign-in.
func (p person) met(w http.ResponseWriter, r *http.Request) person {
	if p.id == "" {
		id := make([]byte, sha256.Size)
		rand.Read(id)
		p.id = hex.EncodeToString(id)
	}
	http.SetCookie(w, &http.Cookie{Name: personCookie(r), Value: p.id + "." + base64.RawURLEncoding.EncodeToString([]byte(p.Name)),
		Path: "/", MaxAge: 30 * 24 * 60 * 60, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	return p
}

// caller is the person as receipts know callers. Files get no more than a hash of the cookie.
func (d *Dashboard) caller(p person) (who current.Caller) {
	if p.id == "" {
		return who
	}
	sum := sha256.Sum256([]byte(p.id))
	return current.Caller{User: d.User, Terminal: "browser " + hex.EncodeToString(sum[:8])}
}

// token is what the forms of a person have: a page that cannot read them cannot act for the person,
// whatever cookies its browser sends. It is valid until the server ends.
func (d *Dashboard) token(p person) string {
	mac := hmac.New(sha256.New, d.secret)
	mac.Write([]byte(p.id))
	return hex.EncodeToString(mac.Sum(nil))
}

// sent reports whether a form is one that this server sent to the person.
func (d *Dashboard) sent(p person, token string) bool {
	return p.id != "" && hmac.Equal([]byte(token), []byte(d.token(p)))
}
