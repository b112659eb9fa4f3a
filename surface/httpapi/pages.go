package httpapi

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"iter"
	"net/http"
	"net/url"
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
	signInPage  = "/view/sign-in"
)

func isPage(r *http.Request) bool {
	return r.URL.Path == homePage || strings.HasPrefix(r.URL.Path, pages)
}

// withPages serves pages for people beside the operations for programs.
func (s *Server) withPages(operations http.Handler) http.Handler {
	if s.Pages == nil {
		return operations
	}
	forPeople := s.Pages(s.stream)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == signInPage && r.Method == http.MethodPost:
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

// cookie is the name of the cookie of a browser that has signed in. A page cannot send the
// token in a header when a user follows a link.
const cookie = "handoff"

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
	c, err := r.Cookie(cookie)
	return s.Pages != nil && err == nil && hmac.Equal([]byte(c.Value), []byte(s.signature()))
}

// isPublic reports whether a page needs no token.
func (s *Server) isPublic(r *http.Request) bool {
	return s.Pages != nil && (r.URL.Path == signInPage || strings.HasPrefix(r.URL.Path, publicPages))
}

// asksToSignIn sends a person who opens a page without the token to the form for it. Other
// requests get false, and an error.
func (s *Server) asksToSignIn(w http.ResponseWriter, r *http.Request) bool {
	if s.Pages == nil || !isPage(r) || r.Method != http.MethodGet || r.Header.Get("HX-Request") != "" || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		return false
	}
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, signInPage+"?"+url.Values{"to": {r.URL.RequestURI()}}.Encode(), http.StatusSeeOther)
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
	to := local(r.PostForm.Get("to"))
	given := r.Clone(r.Context())
	given.Header = http.Header{"Authorization": {"Bearer " + r.PostForm.Get("token")}}
	w.Header().Set("Cache-Control", "no-store")
	if !caller.HasToken(given, s.Token) {
		http.Redirect(w, r, signInPage+"?"+url.Values{"to": {to}, "wrong": {""}}.Encode(), http.StatusSeeOther)
		return nil
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: s.signature(), Path: "/", MaxAge: 30 * 24 * 60 * 60, HttpOnly: true, SameSite: http.SameSiteStrictMode})
	http.Redirect(w, r, to, http.StatusSeeOther)
	return nil
}

// local is an address of this server, from a form: a page of it, or the first one.
func local(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\r\n\t") {
		return homePage
	}
	return to
}
