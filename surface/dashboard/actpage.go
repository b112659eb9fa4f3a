package dashboard

import (
	"cmp"
	"context"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"handoff/surface/problem"
	"handoff/workspace"
)

// actPage says what an act will do, and has the form that does it.
type actPage struct {
	Title, Says string
	Quote       string // what is answered; "" for nothing
	Command     string // that does the same
	Steps       []string
	Never       string // why it cannot be done now; "" if it can

	AsksName, AsksWhy, AsksText bool
	Requires                    bool // the reason
	Relay, Plan                 string

	Do, Button string // what the form does; "" for what the address asks for
	Name       string // of the person; "" if it is not known
	Fields     url.Values
	To         string // where it leads
	Key, Token string
	Problem    *problem.Problem
}

// actFields are the members of an address that the form sends again.
var actFields = []string{"ref", "task", "thread", "message"}

// loadAct shows what an act would do.
func loadAct(ctx context.Context, d *Dashboard, ws *workspace.Workspace, q request) (page, error) {
	one, ok := actNamed(q.Get("do"))
	if !ok {
		return page{}, &failure{http.StatusNotFound, "There is no such act."}
	}
	data, err := one.see(asking{ctx, d, ws, q})
	if err != nil {
		p := d.refused(err)
		return page{}, &failure{p.Status, sentence(p)}
	}
	if other, ok := actNamed(data.Do); ok {
		one = other
	}
	data.Do, data.Button, data.Name, data.To = one.name, one.button, q.person.Name, d.back(q.Get("to"))
	data.Key, data.Token, data.Fields = d.blank, d.blankToken, url.Values{}
	for _, field := range actFields {
		if q.Has(field) {
			data.Fields.Set(field, q.Get(field))
		}
	}
	return page{Title: data.Title, Data: data}, nil
}

// sentence is a problem in its own words, with what it knows of the holder.
func sentence(p problem.Problem) string {
	text := cmp.Or(p.Detail, p.Title)
	if p.Holder != "" {
		text += " (" + p.Holder
		if p.Until != nil {
			text += " until " + p.Until.Format("15:04 UTC")
		}
		text += ")"
	}
	return text
}

// back is where an act leads: a page of this server, the first one if the address is of none.
func (d *Dashboard) back(to string) string {
	u, err := url.Parse(to)
	if err != nil || u.Host != "" || u.Scheme != "" {
		return Home
	}
	if v, ok := d.viewAt(u.Path); !ok || v.path == actPath {
		return Home
	}
	return (&url.URL{Path: u.Path, RawQuery: u.RawQuery}).String()
}

// serveAct does what a form asks for, and leads back. A page of another server cannot send it: the server
// compares the origin, and the form has the token of the person.
func (d *Dashboard) serveAct(w http.ResponseWriter, r *http.Request) {
	form, err := formOf(w, r, "the answer")
	if err != nil {
		d.serveFailure(w, r, err)
		return
	}
	p := personOf(r)
	one, ok := actNamed(form.Get("do"))
	switch name := strings.TrimSpace(form.Get("name")); {
	case !ok:
		d.serveProblem(w, r, http.StatusNotFound, "There is no such act.")
		return
	case !d.sent(p, form.Get("token")):
		d.serveProblem(w, r, http.StatusForbidden, "The form is out of date, or of another browser: nothing was done. Open it again.")
		return
	case name != "" && len(name) <= maxName:
		p.Name = name
		p.met(w, r)
	}
	ws, _, err := d.workspace()
	if err != nil {
		d.serveProblem(w, r, http.StatusInternalServerError, err.Error())
		return
	}
	defer ws.Close()
	at := request{form, p}
	// What is begun is finished, also if the browser leaves.
	if err := one.do(asking{context.WithoutCancel(r.Context()), d, ws, at}); err != nil {
		d.serveRefused(w, r, ws, at, err)
		return
	}
	d.board.Changed()
	http.Redirect(w, r, d.back(form.Get("to")), http.StatusSeeOther)
}

// serveRefused shows the form again, with the problem above it.
func (d *Dashboard) serveRefused(w http.ResponseWriter, r *http.Request, ws *workspace.Workspace, at request, err error) {
	problem := d.refused(err)
	if problem.Status >= http.StatusInternalServerError {
		d.Log.Error("an act failed", "act", at.Get("do"), "error", err)
	}
	p, bad := loadAct(r.Context(), d, ws, at)
	data, ok := p.Data.(actPage)
	if bad != nil || !ok {
		d.serveProblem(w, r, problem.Status, sentence(problem))
		return
	}
	data.Problem = &problem
	p.Data, p.Now = data, ws.Now()
	_, name, _ := d.workspace()
	f := d.frame(name, view{}, &url.URL{})
	f.Title, f.Content = p.Title, template.HTML(d.keyed(d.render("act", p), at.person)) // of our own templates
	d.write(w, problem.Status, "frame", f)
}

// formOf reads a form. large is what is too long if it is too large.
func formOf(w http.ResponseWriter, r *http.Request, large string) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	switch {
	case errors.As(err, new(*http.MaxBytesError)):
		return nil, &failure{http.StatusRequestEntityTooLarge, "The form is too large: " + large + " has at most 1 MiB."}
	case err != nil:
		return nil, &failure{http.StatusBadRequest, "The form cannot be read."}
	}
	return r.PostForm, nil
}

// serveFailure answers with a page that explains an error.
func (d *Dashboard) serveFailure(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusInternalServerError
	var known *failure
	if errors.As(err, &known) {
		status = known.status
	}
	d.serveProblem(w, r, status, err.Error())
}
