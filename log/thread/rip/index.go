package rip

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"

	"handoff/document/handoff"
	"handoff/internal/file/regular"
	"handoff/internal/json/jsontext"
	"handoff/log/thread"
)

// index is RIP's list of threads, continuities/index.json. Order and unknown
// fields are preserved.
type index struct {
	fields     []jsontext.Member // of the file
	workspaces []jsontext.Member // workspace -> the id of its default thread
	threads    []jsontext.Member // id -> listed
}

// listed is the entry of a thread.
type listed struct {
	CreatedAtMS uint64  `json:"created_at_ms"`
	Title       *string `json:"title"`
	Archived    bool    `json:"archived"`
}

func (p Place) indexPath() string { return p.path("continuities", "index.json") }

// readIndex reads the list. A missing file is an empty list; a list that RIP would
// silently treat as empty is handoff.ErrInvalid.
func (p Place) readIndex() (index, error) {
	src, err := regular.Read(p.indexPath(), nil, math.MaxInt64)
	if errors.Is(err, fs.ErrNotExist) {
		return index{fields: []jsontext.Member{{Name: "version", Value: "1"}}}, nil
	}
	if err != nil {
		return index{}, err
	}
	x, err := parseIndex(string(src))
	if err != nil {
		err = fmt.Errorf("%w: %w", err, handoff.ErrInvalid)
	}
	return x, err
}

func parseIndex(src string) (x index, err error) {
	if x.fields, err = jsontext.Strict.Object(src); err != nil {
		return index{}, err
	}
	if version, ok := get(x.fields, "version"); !ok || version != "1" {
		return index{}, fmt.Errorf("has the version %s, want 1", jsontext.What(version))
	}
	if src, ok := get(x.fields, "workspaces"); ok {
		if x.workspaces, err = jsontext.Strict.Object(src); err != nil {
			return index{}, fmt.Errorf("workspaces: %w", err)
		}
	}
	if src, ok := get(x.fields, "continuities"); ok {
		if x.threads, err = jsontext.Strict.Object(src); err != nil {
			return index{}, fmt.Errorf("continuities: %w", err)
		}
	}
	return x, nil
}

func get(members []jsontext.Member, name string) (string, bool) {
	i := slices.IndexFunc(members, func(m jsontext.Member) bool { return m.Name == name })
	if i < 0 {
		return "", false
	}
	return members[i].Value, true
}

// set replaces a member, or appends it.
func set(members []jsontext.Member, name, value string) []jsontext.Member {
	if i := slices.IndexFunc(members, func(m jsontext.Member) bool { return m.Name == name }); i >= 0 {
		members[i].Value = value
		return members
	}
	return append(members, jsontext.Member{Name: name, Value: value})
}

// list adds a thread to the list, or updates its entry. It reports whether that
// changes anything.
func (x *index) list(info thread.Info) (changed bool) {
	title := "null"
	if info.Title != nil {
		title = string(jsontext.AppendText(nil, *info.Title))
	}
	fresh := []jsontext.Member{{Name: "created_at_ms", Value: strconv.FormatUint(info.CreatedAtMS, 10)},
		{Name: "title", Value: title}, {Name: "archived", Value: strconv.FormatBool(info.Archived)}}
	if src, ok := get(x.threads, info.ThreadID); ok {
		var was listed
		if json.Unmarshal([]byte(src), &was) == nil && was.Archived == info.Archived && text(was.Title) == text(info.Title) {
			return false
		}
		if members, err := jsontext.Strict.Object(src); err == nil {
			for _, m := range fresh[1:] { // created_at_ms stays
				members = set(members, m.Name, m.Value)
			}
			fresh = members
		}
	}
	x.threads = set(x.threads, info.ThreadID, string(object(fresh)))
	return true
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// bytes returns the file as RIP writes it.
func (x *index) bytes() ([]byte, error) {
	fields := set(slices.Clone(x.fields), "workspaces", string(object(x.workspaces)))
	fields = set(fields, "continuities", string(object(x.threads)))
	var b bytes.Buffer
	err := json.Indent(&b, object(fields), "", "  ")
	return b.Bytes(), err
}

func object(members []jsontext.Member) []byte {
	buf := []byte{'{'}
	for i, m := range members {
		if i > 0 {
			buf = append(buf, ',')
		}
		buf = append(jsontext.AppendText(buf, m.Name), ':')
		buf = append(buf, m.Value...)
	}
	return append(buf, '}')
}

// index applies RIP's list to the imported threads.
func (im *importer) index(ctx context.Context) error {
	x, err := im.from.readIndex()
	if errors.Is(err, handoff.ErrInvalid) {
		im.report.problem(im.from.indexPath(), 0, err)
		return nil
	}
	if err != nil {
		return err
	}
	for _, m := range x.threads {
		if err := im.listed(ctx, m.Name, m.Value); err != nil {
			return err
		}
	}
	for _, m := range x.workspaces {
		id := jsontext.Text(m.Value)
		if im.streams[key{thread.Continuity, id}] == nil {
			im.report.problem(im.from.indexPath(), 0, fmt.Errorf("the default thread of %q is not in the log", m.Name))
			continue
		}
		err := im.store.SetDefault(ctx, m.Name, id)
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // which is already reported
			return err
		}
	}
	return nil
}

func (im *importer) listed(ctx context.Context, id, value string) error {
	in := im.streams[key{thread.Continuity, id}]
	var l listed
	if err := json.Unmarshal([]byte(value), &l); err != nil {
		im.report.problem(im.from.indexPath(), 0, fmt.Errorf("%s: %w", id, err))
		return nil
	}
	if in == nil {
		im.report.problem(im.from.indexPath(), 0, fmt.Errorf("thread %s is not in the log", id))
		return nil
	}
	if in.added == 0 {
		return nil // changes made here since then win
	}
	info, err := im.store.Get(ctx, id)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, handoff.ErrInvalid) {
		return nil // left out, which is already reported
	}
	by := thread.By{ActorID: "import", Origin: "rip"}
	if err == nil && text(info.Title) != text(l.Title) {
		_, err = im.store.Rename(ctx, id, thread.RenameRequest{Title: l.Title, By: by})
	}
	if err == nil && l.Archived && !info.Archived {
		_, err = im.store.Archive(ctx, id, by)
	}
	return err
}
