package rip

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestAnnounce lets RIP's clients find a server: the files have RIP's form, no other
// process can lock the store meanwhile, and all files are removed.
func TestAnnounce(t *testing.T) {
	o, _, _ := full(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	defer server.Close()
	place := newPlace(t)
	place.Workspace = "/home/u/proj" // as the clients have it, be it there or not
	now := time.UnixMilli(1769092800000)
	release, err := place.Announce(ctx, server.URL, now)
	if err != nil {
		t.Fatal(err)
	}
	pid := fmt.Sprint(os.Getpid())
	same(t, "announced", files(t, place.Data), map[string]string{
		"authority/lock.json": `{"pid":` + pid + `,"started_at_ms":1769092800000,"workspace_root":"/home/u/proj"}` + "\n",
		"authority/meta.json": `{"endpoint":"` + server.URL + `","pid":` + pid + `,"started_at_ms":1769092800000,"workspace_root":"/home/u/proj"}`,
	})
	var live *LiveError
	if _, err := place.Announce(ctx, "http://127.0.0.1:1", now); !errors.As(err, &live) || live.Endpoint != server.URL {
		t.Errorf("announced beside another: %v", err)
	}
	if _, err := Export(ctx, o.Store, o.blobs, place, ExportOptions{}); !errors.As(err, &live) {
		t.Errorf("exported beside a server: %v", err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
	same(t, "released", files(t, place.Data), nil)
	for _, endpoint := range []string{"unix:s", "https://x", "http://", ""} {
		if _, err := place.Announce(ctx, endpoint, now); err == nil {
			t.Errorf("%q is announced", endpoint)
		}
	}
}

// TestAnnounceAfterKill replaces the files of a killed server; and a server that was
// wrongly treated as dead does not remove its successor's files.
func TestAnnounceAfterKill(t *testing.T) {
	gone := exec.Command(os.Args[0], "-test.run=^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	place := newPlace(t)
	left := fmt.Sprintf(`{"endpoint":"http://127.0.0.1:1","pid":%d,"started_at_ms":1,"workspace_root":"/w"}`, gone.Process.Pid)
	write(t, place.metaPath(), left)
	write(t, place.lockPath(), left)
	release, err := place.Announce(ctx, "http://127.0.0.1:2", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if src, _ := os.ReadFile(place.metaPath()); !strings.Contains(string(src), "127.0.0.1:2") {
		t.Errorf("%s", src)
	}
	write(t, place.metaPath(), left)
	write(t, place.lockPath(), left)
	if err := release(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(place.lockPath()); err != nil {
		t.Errorf("the lock of another was taken away: %v", err)
	}
	if place.HasEvents() {
		t.Error("a store without events has some")
	}
	write(t, place.events(), created("t", 0, ""))
	if !place.HasEvents() {
		t.Error("a store with events has none")
	}
}
