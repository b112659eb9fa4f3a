package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"handoff/internal/web/caller"
	"handoff/internal/web/openapi"
	"handoff/internal/web/sse"
)

// Stream sends events to a client, within the limits of the server. An error comes before
// anything was sent, or is [sse.ErrSlow].
type Stream = func(http.ResponseWriter, *http.Request, func(context.Context) iter.Seq2[sse.Event, error]) error

// The paths of pages. Everything below publicPages is answered without a token.
const (
	homePage    = "/"
	pages       = "/view/"
	publicPages = "/view/assets/"

	// SignIn is the path of the page that asks a browser for the token. With the token in its
	// query, it signs the browser in at once.
	SignIn = "/view/sign-in"
)

func isPage(r *http.Request) bool {
	return r.URL.Path == homePage || strings.HasPrefix(r.URL.Path, pages)
}

// withPages serves pages for people beside the operations for programs.
func (s *Server) withPages(operations http.Handler) http.Handler {
	if s.Pages == nil {
		return operations
	}
	forPeople := s.Pages(s.forPages())
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == SignIn && r.Method == http.MethodGet && r.URL.Query().Has("token"):
			s.admit(w, r, r.URL.Query().Get("token"), local(r.URL.Query().Get("to")))
		case r.URL.Path == SignIn && r.Method == http.MethodPost:
			if err := s.signIn(w, r); err != nil {
				s.fail(w, r, err)
			}
		case isPage(r):
			forPeople.ServeHTTP(w, r)
		default:
			operations.ServeHTTP(w, r)
		}
	})
}

// cookieOf is the name of the cookie of a browser that has signed in. A page cannot send the
// token in a header when a user follows a link. A browser has the cookies of all ports of a
// host together, so the name has the port.
func cookieOf(r *http.Request) string {
	if at, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr); ok {
		return "handoff-" + strconv.Itoa(at.Port)
	}
	return "handoff"
}

// signature is the value of the cookie. It is made of the token, so it is valid until the
// token changes, and does not contain it.
func (s *Server) signature() string {
	mac := hmac.New(sha256.New, []byte(s.Token))
	mac.Write([]byte("cookie of the dashboard"))
	return hex.EncodeToString(mac.Sum(nil))
}

// isUser reports whether a request has the token, or the cookie of a browser that had it.
func (s *Server) isUser(r *http.Request) bool {
	if caller.HasToken(r, s.Token) {
		return true
	}
	c, err := r.Cookie(cookieOf(r))
	return s.Pages != nil && err == nil && hmac.Equal([]byte(c.Value), []byte(s.signature()))
}

// isPublic reports whether a page needs no token.
func (s *Server) isPublic(r *http.Request) bool {
	return s.Pages != nil && (r.URL.Path == SignIn || strings.HasPrefix(r.URL.Path, publicPages))
}

// asksToSignIn sends a person who opens a page without the token to the form for it. Other
// requests get false, and an error.
func (s *Server) asksToSignIn(w http.ResponseWriter, r *http.Request) bool {
	if s.Pages == nil || !isPage(r) || r.Method != http.MethodGet || r.Header.Get("HX-Request") != "" || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return false
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, SignIn+"?"+url.Values{"to": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
	return true
}

// maxForm is the maximum size of the form with the token, in bytes.
const maxForm = 16 << 10

// signIn checks the token of a form, and sets a cookie in the browser.
func (s *Server) signIn(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if err := r.ParseForm(); err != nil {
		if errors.As(err, new(*http.MaxBytesError)) {
			return &openapi.Refusal{Status: http.StatusRequestEntityTooLarge, Text: "the body is too large"}
		}
		return &openapi.Refusal{Status: http.StatusBadRequest, Text: "want a form with the token"}
	}
	s.admit(w, r, r.PostForm.Get("token"), local(r.PostForm.Get("to")))
	return nil
}

// admit sets a cookie in a browser that has the token, and sends it to a page.
func (s *Server) admit(w http.ResponseWriter, r *http.Request, token, to string) {
	given := r.Clone(r.Context())
	given.Header = http.Header{"Authorization": {"Bearer " + token}}
	w.Header().Set("Cache-Control", "no-store")
	if !caller.HasToken(given, s.Token) {
		http.Redirect(w, r, SignIn+"?"+url.Values{"to": {to}, "wrong": {""}}.Encode(), http.StatusSeeOther)
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookieOf(r), Value: s.signature(), Path: "/", MaxAge: 30 * 24 * 60 * 60, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, to, http.StatusSeeOther)
}

// local is an address of this server, from a form: a page of it, or the first one.
func local(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return homePage
	}
	return to
}
