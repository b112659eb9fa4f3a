// Package dashboard serves pages for people about one workspace: what each task is doing,
// what waits, the handoffs of a task, threads, tapes, and a search. It writes nothing by itself: what a
// person does by a form, such as a claim, is done by the operations that the server does.
//
// A page is a frame and a fragment. The fragment is in the first answer, and is sent again
// as a whole over server-sent events whenever it has changed. Pages request nothing from
// other servers, and their policy allows no inline script and no inline style.
//
// The package does not know who may call it: see package httpapi.
package dashboard

import (
	"context"
	"crypto/rand"
	"embed"
	"html/template"
	"iter"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"handoff/internal/web/sse"
	"handoff/log/thread"
	"handoff/workspace"
	"handoff/workspace/unreported"
)

// Config configures a dashboard. Zero durations are the defaults.
type Config struct {
	// Open opens the workspace. It is called for each page, so that changes to the
	// configuration take effect.
	Open func() (*workspace.Workspace, error)
	// Left is the number of tokens that a session has left until it is compacted, if
	// that is known. It may be nil.
	Left func(host, session string) (tokens int, ok bool)
	// Died returns the session that ended last in the middle of its work without a handoff, nil for none.
	// It may be nil.
	Died    func(context.Context) *unreported.Session
	Reason  func(rule string) string // one-line reason for a lint rule; may be nil
	Acts                             // the zero value for pages that only show
	Version string
	Log     *slog.Logger
	NewKey  func() string // idempotency key of a form; nil for random ones

	Poll     time.Duration // between two looks at receipts, threads and tapes; 250 ms
	Patience time.Duration // after which a page is sent without its content, which follows; 150 ms
	Fresh    time.Duration // time after which a page is rendered again, because times change; 15 s
	PageSize int           // tasks on a page; 100
}

// Stream sends events to a client until they end or the client disconnects.
type Stream = func(http.ResponseWriter, *http.Request, func(context.Context) iter.Seq2[sse.Event, error]) error

// Dashboard serves the pages. Call Close when no request is being served.
type Dashboard struct {
	Config
	stream  Stream
	mux     *http.ServeMux
	html    *template.Template
	views   []view
	changes *changes
	board   board

	blank, blankToken string // replaced by the key of a form and the token of the person when the page is sent
	secret            []byte // of the tokens

	ctx  context.Context // of work that continues after its request
	end  context.CancelFunc
	runs sync.WaitGroup
}

//go:embed templates/*.html
var templates embed.FS

//go:embed assets
var assets embed.FS

// New returns a dashboard that streams with stream. Nothing is read or watched before
// the first page is requested.
func New(c Config, stream Stream) *Dashboard {
	fallback(&c.Poll, 250*time.Millisecond)
	fallback(&c.Patience, 150*time.Millisecond)
	fallback(&c.Fresh, 15*time.Second)
	fallback(&c.PageSize, 100)
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	d := &Dashboard{Config: c, stream: stream, mux: http.NewServeMux(), views: views()}
	if d.NewKey == nil {
		d.NewKey = thread.NewUUID
	}
	d.blank, d.blankToken, d.secret = "key-of-"+thread.NewUUID(), "token-of-"+thread.NewUUID(), make([]byte, 32)
	rand.Read(d.secret)
	d.ctx, d.end = context.WithCancel(context.Background())
	d.changes = newChanges(c.Open, c.Poll, func(text string) { c.Log.Warn("the dashboard", "problem", text) }, d.board.Changed)
	d.html = template.Must(template.New("").Funcs(functions()).ParseFS(templates, "templates/*.html"))
	for _, v := range d.views {
		pattern := v.path
		if pattern == Home {
			pattern += "{$}"
		}
		d.mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) { d.servePage(w, r, v) })
	}
	d.mux.HandleFunc("POST "+cutPath, d.serveCut)
	d.mux.HandleFunc("POST "+actPath, d.serveAct)
	d.mux.HandleFunc("GET "+Prefix+"live", d.serveLive)
	d.mux.HandleFunc("GET "+SignIn, d.serveSignIn)
	d.mux.HandleFunc("GET "+Assets+"{file}", serveAsset)
	d.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		d.serveProblem(w, r, http.StatusNotFound, "There is no page with this address.")
	})
	return d
}

// The addresses of the dashboard. The server answers those of [SignIn] and below [Assets]
// without a token.
const (
	Home   = "/"
	Prefix = "/view/"
	SignIn = Prefix + "sign-in"
	Assets = Prefix + "assets/"
)

func fallback[T comparable](v *T, def T) {
	var zero T
	if *v == zero {
		*v = def
	}
}

// policy allows a page nothing but what this server serves.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// ServeHTTP serves a page, a part of one, or a file that pages need.
func (d *Dashboard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	d.mux.ServeHTTP(w, r)
}

// Close ends the watch and waits for work in progress.
func (d *Dashboard) Close() {
	d.end()
	d.changes.close()
	d.runs.Wait()
}

// workspace opens the workspace, and its name for people.
func (d *Dashboard) workspace() (ws *workspace.Workspace, name string, err error) {
	if ws, err = d.Open(); err != nil {
		return nil, "", err
	}
	if name = ws.Config.Label; name == "" {
		name = filepath.Base(ws.Root)
	}
	return ws, name, nil
}

// serveAsset serves a style sheet or a script.
func serveAsset(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-cache")
	http.ServeFileFS(w, r, assets, "assets/"+r.PathValue("file"))
}

// serveSignIn asks for the token. The server checks it: see package httpapi.
func (d *Dashboard) serveSignIn(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	d.write(w, http.StatusOK, "sign-in", struct {
		Wrong bool
		To    string
	}{q.Has("wrong"), q.Get("to")})
}
