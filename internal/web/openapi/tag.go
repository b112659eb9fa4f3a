package openapi

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// maxTagged is the size in bytes of the largest answer that has an ETag. Larger ones are sent
// while they are made.
const maxTagged = 1 << 20

// tagging keeps an answer back until it is whole, so that a hash of it can go before it.
type tagging struct {
	http.ResponseWriter
	kept []byte
	code int  // 0: nothing was written yet
	sent bool // it is too large, or not an answer with 200
}

// Unwrap is for http.ResponseController.
func (t *tagging) Unwrap() http.ResponseWriter { return t.ResponseWriter }

func (t *tagging) WriteHeader(code int) {
	if t.code != 0 {
		return
	}
	if t.code = code; code != http.StatusOK || t.Header().Get("ETag") != "" {
		t.send()
	}
}

func (t *tagging) Write(p []byte) (int, error) {
	t.WriteHeader(http.StatusOK)
	if !t.sent && len(t.kept)+len(p) > maxTagged {
		if err := t.send(); err != nil {
			return 0, err
		}
	}
	if t.sent {
		return t.ResponseWriter.Write(p)
	}
	t.kept = append(t.kept, p...)
	return len(p), nil
}

// send sends what was kept back, and from now on nothing is.
func (t *tagging) send() error {
	t.sent = true
	t.ResponseWriter.WriteHeader(t.code)
	_, err := t.ResponseWriter.Write(t.kept)
	t.kept = nil
	return err
}

// end sends the answer with its ETag, or 304 if the client has it.
func (t *tagging) end(r *http.Request) {
	if t.sent || t.code == 0 {
		return
	}
	h, sum := t.Header(), sha256.Sum256(t.kept)
	h.Set("ETag", `"`+hex.EncodeToString(sum[:16])+`"`)
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", "no-cache") // ask each time: it may have changed
	}
	if matches(r.Header.Values("If-None-Match"), h.Get("ETag")) {
		h.Del("Content-Type")
		t.ResponseWriter.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Length", strconv.Itoa(len(t.kept)))
	_ = t.send() // the client disconnected
}

// matches reports whether an If-None-Match names a tag. Its comparison is the weak one of RFC 9110, 13.1.2.
func matches(given []string, tag string) bool {
	for part := range strings.SplitSeq(strings.Join(given, ","), ",") {
		if part = strings.TrimSpace(part); part == "*" || strings.TrimPrefix(part, "W/") == tag {
			return true
		}
	}
	return false
}

// tagged serves an operation whose answers have an ETag.
func (op *Operation) tagged(w http.ResponseWriter, r *http.Request) error {
	t := &tagging{ResponseWriter: w}
	if err := op.serve(op.Lenient, t, r); err != nil {
		return err // nothing of it was sent, unless it is large: then the caller breaks it off
	}
	t.end(r)
	return nil
}

// WithTags gives the answers of operations an ETag.
func WithTags(ops []Operation, ids ...string) {
	for i := range ops {
		if op := &ops[i]; slices.Contains(ids, op.ID) {
			op.Tagged = true
			op.Answers = append(op.Answers, Answer{Code: http.StatusNotModified, What: "Not modified: the ETag matches If-None-Match"})
		}
	}
}
