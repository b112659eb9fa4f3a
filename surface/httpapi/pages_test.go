package httpapi

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
)

// withPage serves one page for people, which shows its path.
func withPage(token string) func(*Config) {
	return func(c *Config) {
		c.Token = token
		c.Pages = func(ForPages) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "page "+r.URL.Path) })
		}
	}
}

// ask sends a request with a header, follows no redirect, and returns the answer and its body.
func ask(t *testing.T, client *http.Client, method, address string, form url.Values, header ...string) (*http.Response, string) {
	t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
		header = append(header, "Content-Type", "application/x-www-form-urlencoded")
	}
	r, err := http.NewRequestWithContext(t.Context(), method, address, body)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Set(header[i], header[i+1])
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer, string(text)
}

// TestPageCallers: pages are for the same callers as operations: not for other host names,
// not for pages of other origins.
func TestPageCallers(t *testing.T) {
	s := serve(t, withPage(""))
	for _, path := range []string{"/", "/view/task", "/view/assets/style.css"} {
		if r, text := ask(t, &http.Client{}, "GET", s.url+path, nil); r.StatusCode != 200 || text != "page "+path || r.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %s %q", path, r.Status, text)
		}
		for want, header := range map[int][]string{421: {"Host", "evil.example"}, 403: {"Origin", "http://evil.example"}} {
			if r, _ := ask(t, &http.Client{}, "GET", s.url+path, nil, header...); r.StatusCode != want {
				t.Errorf("%s with %v: %s, not %d", path, header, r.Status, want)
			}
		}
		if r, _ := ask(t, &http.Client{}, "GET", s.url+path, nil, "Sec-Fetch-Site", "cross-site"); r.StatusCode != 403 {
			t.Errorf("%s from another site: %s", path, r.Status)
		}
	}
	if r, _ := ask(t, &http.Client{}, "GET", s.url+"/specs", nil); r.StatusCode != 200 || !strings.Contains(r.Header.Get("Content-Type"), "json") {
		t.Errorf("operations: %s", r.Status)
	}
	if r, _ := ask(t, &http.Client{}, "GET", s.url+"/viewer", nil); r.StatusCode != 404 {
		t.Errorf("/viewer: %s", r.Status)
	}
}

// TestSignIn: with a token, a browser gets a form, and with the token a cookie.
func TestSignIn(t *testing.T) {
	const token = "0123456789abcdef"
	s := serve(t, withPage(token))
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	html := []string{"Accept", "text/html,*/*"}
	r, text := ask(t, browser, "GET", s.url+"/view/task?n=1", nil, html...)
	if to := r.Header.Get("Location"); r.StatusCode != 303 || to != "/view/sign-in?to=%2Fview%2Ftask%3Fn%3D1" || strings.Contains(text, "page") {
		t.Errorf("a page without the token: %s to %q: %q", r.Status, to, text)
	}
	for _, path := range []string{"/view/sign-in", "/view/assets/style.css"} {
		if r, _ := ask(t, browser, "GET", s.url+path, nil, html...); r.StatusCode != 200 {
			t.Errorf("%s: %s", path, r.Status)
		}
	}
	for what, header := range map[string][]string{"a program": {"Accept", "*/*"}, "a fragment": {"Accept", "text/html", "HX-Request", "true"}} {
		if r, _ := ask(t, browser, "GET", s.url+"/", nil, header...); r.StatusCode != 401 {
			t.Errorf("%s without the token: %s", what, r.Status)
		}
	}
	if r, _ := ask(t, browser, "GET", s.url+"/specs", nil, html...); r.StatusCode != 401 {
		t.Errorf("an operation without the token: %s", r.Status)
	}
	r, _ = ask(t, browser, "POST", s.url+"/view/sign-in", url.Values{"token": {"0123456789abcdeX"}, "to": {"/view/task?n=1"}})
	if to := r.Header.Get("Location"); r.StatusCode != 303 || !strings.Contains(to, "wrong") || len(r.Cookies()) != 0 {
		t.Errorf("a wrong token: %s to %q with %v", r.Status, to, r.Cookies())
	}
	if r, _ := ask(t, browser, "POST", s.url+"/view/sign-in", url.Values{"token": {token}}, "Origin", "http://evil.example"); r.StatusCode != 403 || len(r.Cookies()) != 0 {
		t.Errorf("a form of another origin: %s with %v", r.Status, r.Cookies())
	}
	if r, _ := ask(t, browser, "POST", s.url+"/view/sign-in", url.Values{"token": {strings.Repeat("x", maxForm)}}); r.StatusCode != 413 {
		t.Errorf("a large form: %s", r.Status)
	}
	r, _ = ask(t, browser, "POST", s.url+"/view/sign-in", url.Values{"token": {token}, "to": {"/view/task?n=1"}})
	if to := r.Header.Get("Location"); r.StatusCode != 303 || to != "/view/task?n=1" || len(r.Cookies()) != 1 {
		t.Fatalf("the token: %s to %q with %v", r.Status, to, r.Cookies())
	}
	if c := r.Cookies()[0]; !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || strings.Contains(c.Value, token) {
		t.Errorf("cookie %v", c)
	}
	for link, to := range map[string]string{"?token=" + token: "/", "?token=" + token + "&to=/view/task": "/view/task", "?token=" + token + "&to=//evil.example": "/"} {
		r, _ := ask(t, &http.Client{}, "GET", s.url+SignIn+link, nil, html...)
		if got := r.Header.Get("Location"); r.StatusCode != 303 || got != to || len(r.Cookies()) != 1 || r.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("the link %s: %s to %q with %v", link, r.Status, got, r.Cookies())
		}
	}
	if r, _ := ask(t, &http.Client{}, "GET", s.url+SignIn+"?token=0123456789abcdeX", nil, html...); len(r.Cookies()) != 0 || !strings.Contains(r.Header.Get("Location"), "wrong") {
		t.Errorf("a link with a wrong token: %s with %v", r.Status, r.Cookies())
	}
	for _, path := range []string{"/", "/view/task?n=1", "/specs"} {
		if r, _ := ask(t, browser, "GET", s.url+path, nil, html...); r.StatusCode != 200 {
			t.Errorf("%s with the cookie: %s", path, r.Status)
		}
		if r, _ := ask(t, browser, "GET", s.url+path, nil, "Origin", "http://evil.example"); r.StatusCode != 403 {
			t.Errorf("%s with the cookie, from another origin: %s", path, r.Status)
		}
	}
	other := serve(t, withPage("another token of 16"))
	form := url.Values{"do": {"branch"}}
	at, err := url.Parse(s.url)
	if err != nil {
		t.Fatal(err)
	}
	cookie := "handoff-" + at.Port()
	for what, header := range map[string][]string{"no token": nil, "a wrong token": {"Authorization", "Bearer 0123456789abcdeX"}, "a wrong cookie": {"Cookie", cookie + "=" + s.signature()[1:]},
		"the cookie of another token": {"Cookie", cookie + "=" + other.signature()}} {
		if r, text := ask(t, &http.Client{}, "POST", s.url+"/view/threads/from", form, header...); r.StatusCode != 401 || strings.Contains(text, "page") {
			t.Errorf("a form with %s: %s %q", what, r.Status, text)
		}
	}
	if r, text := ask(t, browser, "POST", s.url+"/view/threads/from", form, "Origin", "http://evil.example"); r.StatusCode != 403 {
		t.Errorf("a form with the cookie, from another origin: %s %q", r.Status, text)
	}
	if r, text := ask(t, browser, "POST", s.url+"/view/threads/from", form); r.StatusCode != 200 || text != "page /view/threads/from" {
		t.Errorf("a form with the cookie: %s %q", r.Status, text)
	}
	if r, _ := ask(t, &http.Client{}, "GET", other.url+"/", nil, "Accept", "text/html", "Cookie", cookie+"="+s.signature()); r.StatusCode != 303 {
		t.Errorf("the cookie of another token: %s", r.Status)
	}
}

// TestLocal: a form leads to a page of this server only.
func TestLocal(t *testing.T) {
	for to, want := range map[string]string{
		"": "/", "/": "/", "/view/task?n=1": "/view/task?n=1", "//evil.example": "/", "/\\evil.example": "/", "http://evil.example/": "/",
		"javascript:alert(1)": "/", "view": "/", "/a\r\nSet-Cookie: b": "/",
	} {
		if got := local(to); got != want {
			t.Errorf("%q: %q, not %q", to, got, want)
		}
	}
}

// TestOverview lists the tasks, and searches.
func TestOverview(t *testing.T) {
	s := serve(t, nil)
	for path, want := range map[string]string{
		"/overview":               `"state":"waiting"`,
		"/overview?state=held":    `"tasks":[]`,
		"/search?q=rcases":        `"total":1`,
		"/search?q=zzz":           `"hits":[]`,
		"/overview?state=unknown": `"status":400`,
		"/overview?limit=0":       `"status":400`,
	} {
		if _, text := ask(t, &http.Client{}, "GET", s.url+path, nil); !strings.Contains(strings.ReplaceAll(text, ": ", ":"), want) {
			t.Errorf("%s has no %s: %s", path, want, text)
		}
	}
}
