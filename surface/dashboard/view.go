package dashboard

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"html/template"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"handoff/internal/web/sse"
	"handoff/workspace"
)

// view is a kind of page.
type view struct {
	path string // its address, without the query that selects what it shows
	name string // in the navigation; "" for pages that others lead to
	key  string // the key after g that leads to it
	body string // name of the template of its content
	// load finds what the page shows. It is called again whenever something changed.
	load func(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q request) (page, error)
}

// request is the query of a page, and who looks at it.
type request struct {
	url.Values
	person person
}

// views are all pages, in the order of the navigation.
func views() []view {
	return []view{
		{path: Home, name: "Now", key: "n", body: "now", load: loadNow},
		{path: waitingPath, name: "Waiting", key: "w", body: "waiting", load: loadWaiting},
		{path: taskPath, body: "task", load: loadTask},
		{path: threadsPath, name: "Threads", key: "t", body: "threads", load: loadThreads},
		{path: cutPath, body: "cut", load: loadCut},
		{path: tapesPath, name: "Tapes", key: "p", body: "tapes", load: loadTapes},
		{path: actPath, body: "act", load: loadAct},
		{path: searchPath, name: "Search", key: "s", body: "search", load: loadSearch},
	}
}

// page is what a view shows.
type page struct {
	Title   string
	Command string // the command that prints the same; "" for none
	JSON    string // the address of the same for programs; "" for none
	Problem string // error for the parts that could not be read; the page has all others
	Only    string // why the pages only show the workspace; "" if they may act
	Now     time.Time
	Data    any // for the template of the view
}

// failure is an error that the page explains.
type failure struct {
	status int
	text   string
}

func (f *failure) Error() string { return f.text }

// frame is the page around the content.
type frame struct {
	Title, Workspace, Version string
	Nav                       []navLine
	Query                     string // in the search field
	Live                      string // where the content comes from
	Content                   template.HTML
}

type navLine struct {
	Path, Name, Key string
	Here            bool
}

// servePage answers with a whole page. If the content takes too long for a person to
// wait, it answers with the frame alone, and the stream sends the content.
func (d *Dashboard) servePage(w http.ResponseWriter, r *http.Request, v view) {
	at := request{r.URL.Query(), personOf(r)}
	if v.path == actPath {
		at.person = at.person.met(w, r)
	}
	ws, name, err := d.workspace()
	if err != nil {
		d.serveProblem(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	type result struct {
		html   []byte
		title  string
		status int
	}
	done := make(chan result, 1)
	d.runs.Go(func() {
		defer ws.Close()
		html, title, status := d.content(d.ctx, ws, v, at)
		d.changes.watch() // not beside it: both read all folders
		done <- result{html, title, status}
	})
	patience := time.NewTimer(d.Patience)
	if v.path == actPath { // the dialog on another page needs the whole
		patience.Stop()
	}
	defer patience.Stop()
	got := result{title: v.name, status: http.StatusOK}
	select {
	case got = <-done:
	case <-patience.C:
		got.html = d.render("loading", nil)
	case <-r.Context().Done():
		return
	}
	f := d.frame(name, v, r.URL)
	f.Title, f.Content = got.title, template.HTML(d.keyed(got.html, at.person)) // of our own templates
	f.Live = Prefix + "live?" + url.Values{"at": {r.URL.RequestURI()}, "have": {sum(got.html)}}.Encode()
	d.write(w, got.status, "frame", f)
}

func (d *Dashboard) frame(name string, v view, at *url.URL) frame {
	f := frame{Workspace: name, Version: d.Version, Query: at.Query().Get("q")}
	for _, other := range d.views {
		if other.name != "" {
			f.Nav = append(f.Nav, navLine{other.path, other.name, other.key, other.path == v.path})
		}
	}
	return f
}

// content is the content of a page. What cannot be shown is explained in its place.
func (d *Dashboard) content(ctx context.Context, ws *workspace.Workspace, v view, q request) (html []byte, title string, status int) {
	p, err := v.load(ctx, d, ws, q)
	var known *failure
	switch {
	case errors.As(err, &known):
		return d.render("problem", known.text), "Not shown", known.status
	case err != nil:
		return d.render("problem", err.Error()), "Not shown", http.StatusInternalServerError
	}
	p.Now, p.Only = ws.Now(), d.only(ws)
	return d.render(v.body, p), p.Title, http.StatusOK
}

// serveLive streams the content of a page: now if the page has other content, and again
// whenever it has changed.
func (d *Dashboard) serveLive(w http.ResponseWriter, r *http.Request) {
	at, err := url.Parse(r.URL.Query().Get("at"))
	v, ok := view{}, false
	if err == nil {
		v, ok = d.viewAt(at.Path)
	}
	if !ok {
		http.Error(w, "no such page", http.StatusNotFound)
		return
	}
	have := r.URL.Query().Get("have")
	if last := r.Header.Get("Last-Event-ID"); last != "" {
		have = last
	}
	if err := d.stream(w, r, func(ctx context.Context) iter.Seq2[sse.Event, error] {
		return d.contents(ctx, v, request{at.Query(), personOf(r)}, have)
	}); err != nil {
		if !errors.Is(err, sse.ErrSlow) {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
		}
	}
}

func (d *Dashboard) viewAt(path string) (view, bool) {
	for _, v := range d.views {
		if v.path == path {
			return v, true
		}
	}
	return view{}, false
}

// restOfPages is how many times as long as it took to make it a page rests: so a large
// workspace that keeps changing takes at most a third of a processor.
const restOfPages = 2

// contents yields the content of a page as often as it changes.
func (d *Dashboard) contents(ctx context.Context, v view, q request, have string) iter.Seq2[sse.Event, error] {
	return func(yield func(sse.Event, error) bool) {
		for {
			next := d.changes.next()
			began := time.Now()
			var html []byte
			if ws, _, err := d.workspace(); err != nil {
				html = d.render("problem", err.Error())
			} else {
				html, _, _ = d.content(ctx, ws, v, q)
				ws.Close()
			}
			if ctx.Err() != nil {
				return
			}
			d.changes.watch()
			if now := sum(html); now != have {
				have = now
				if !yield(sse.Event{ID: now, Data: d.keyed(html, q.person)}, nil) {
					return
				}
			}
			if !pause(ctx, nil, restOfPages*time.Since(began)) || !pause(ctx, next, d.Fresh) {
				return
			}
		}
	}
}

// pause waits for a change, but no longer than d. It returns false if ctx ends.
func pause(ctx context.Context, change <-chan struct{}, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-change:
	case <-t.C:
	}
	return true
}

// keyed gives the forms of a page a new key, and the token of the person. Both are ignored when pages
// are compared, because they do not change the page.
func (d *Dashboard) keyed(html []byte, p person) []byte {
	if !bytes.Contains(html, []byte(d.blank)) {
		return html
	}
	html = bytes.ReplaceAll(html, []byte(d.blankToken), []byte(d.token(p)))
	return bytes.ReplaceAll(html, []byte(d.blank), []byte(d.NewKey()))
}

// sum identifies the content of a page.
func sum(html []byte) string {
	s := sha256.Sum256(html)
	return hex.EncodeToString(s[:8])
}

// serveProblem answers with a page that explains why the requested page is not available.
func (d *Dashboard) serveProblem(w http.ResponseWriter, r *http.Request, status int, text string) {
	_, name, err := d.workspace()
	if err != nil {
		name = "handoff"
	}
	f := d.frame(name, view{}, r.URL)
	f.Title, f.Content = "Not shown", template.HTML(d.render("problem", text))
	d.write(w, status, "frame", f)
}

// render executes one of our own templates. It fails only if that does not fit its data.
func (d *Dashboard) render(name string, data any) []byte {
	var b bytes.Buffer
	if err := d.html.ExecuteTemplate(&b, name, data); err != nil {
		d.Log.Error("a page cannot be made", "template", name, "error", err)
		return []byte(`<p class="problem" role="alert">This page cannot be made: the log of the server has the reason.</p>`)
	}
	return b.Bytes()
}

func (d *Dashboard) write(w http.ResponseWriter, status int, name string, data any) {
	html := d.render(name, data)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(html)
}

// sentences joins the lines of an error of several.
func sentences(err error) string {
	if err == nil {
		return ""
	}
	return strings.ReplaceAll(err.Error(), "\n", "; ")
}
