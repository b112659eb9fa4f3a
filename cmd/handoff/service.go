package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/template"

	"handoff/internal/atomicfile"
	"handoff/workspace"
)

// service is a unit file that keeps a watch running.
type service struct {
	Name    string // of the service, one for each tree
	Program string
	Root    string

	path string
	text string
	next []string // what to type after it was written
	last []string // what to type before it is removed
}

const systemdUnit = `[Unit]
Description=handoff: keep metadata true in {{.Root | percent}}

[Service]
Type=notify
ExecStart={{.Program | quoted}} watch --log-format json -C {{.Root | quoted}}
ExecReload=/bin/kill -HUP $MAINPID
Restart=on-failure
RestartSec=2

[Install]
WantedBy=default.target
`

const launchdAgent = `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>{{.Name | xml}}</string>
	<key>ProgramArguments</key>
	<array>
		<string>{{.Program | xml}}</string>
		<string>watch</string>
		<string>--log-format</string>
		<string>json</string>
		<string>-C</string>
		<string>{{.Root | xml}}</string>
	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
</dict>
</plist>
`

// newService makes the service of a tree for a system.
func newService(system, program, root string, getenv func(string) string) (service, error) {
	sum := sha256.Sum256([]byte(root))
	s := service{Name: "handoff-watch-" + serviceName(filepath.Base(root)) + "-" + hex.EncodeToString(sum[:3]), Program: program, Root: root}
	home := getenv("HOME")
	var text string
	switch system {
	case "linux":
		config := getenv("XDG_CONFIG_HOME")
		if config == "" {
			config = filepath.Join(home, ".config")
		}
		unit := s.Name + ".service"
		s.path, text = filepath.Join(config, "systemd", "user", unit), systemdUnit
		s.next = []string{"systemctl --user daemon-reload", "systemctl --user enable --now " + unit}
		s.last = []string{"systemctl --user disable --now " + unit}
	case "darwin":
		s.path, text = filepath.Join(home, "Library", "LaunchAgents", s.Name+".plist"), launchdAgent
		s.next = []string{"launchctl bootstrap gui/$(id -u) " + s.path}
		s.last = []string{"launchctl bootout gui/$(id -u)/" + s.Name}
	default:
		return s, fmt.Errorf("no services are known for %s: have `%s watch -C %s` started at login", system, program, root)
	}
	if home == "" && !filepath.IsAbs(s.path) {
		return s, errors.New("HOME is not set: it says where services are kept")
	}
	if strings.ContainsAny(program+root, "\n\r") {
		return s, errors.New("a service cannot name a path with a line break")
	}
	var b strings.Builder
	err := template.Must(template.New("").Funcs(template.FuncMap{
		"percent": func(p string) string { return strings.ReplaceAll(p, "%", "%%") },
		"quoted":  systemdQuoted,
		"xml":     template.HTMLEscapeString,
	}).Parse(text)).Execute(&b, s)
	s.text = b.String()
	return s, err
}

// systemdQuoted is an argument of ExecStart. See systemd.service(5).
func systemdQuoted(arg string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(arg) + `"`
}

func serviceName(base string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z') {
			return r
		}
		return '_'
	}, base)
}

func (w *world) service(ws *workspace.Workspace) (service, error) {
	program, err := os.Executable()
	if err != nil {
		return service{}, err
	}
	return newService(runtime.GOOS, program, ws.Root, w.getenv)
}

func (w *world) installService(ws *workspace.Workspace) error {
	s, err := w.service(ws)
	if err != nil {
		return err
	}
	if old, err := os.ReadFile(s.path); err == nil && string(old) == s.text {
		w.say("%s is there already", s.path)
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	if err := atomicfile.Write(s.path, []byte(s.text), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(w.stdout, "wrote %s\n", s.path)
	for _, command := range s.next {
		fmt.Fprintf(w.stderr, "next: %s\n", command)
	}
	return nil
}

func (w *world) removeService(ws *workspace.Workspace) error {
	s, err := w.service(ws)
	if err != nil {
		return err
	}
	switch err := os.Remove(s.path); {
	case errors.Is(err, fs.ErrNotExist):
		w.say("there is no service for %s", ws.Root)
		return nil
	case err != nil:
		return err
	}
	fmt.Fprintf(w.stdout, "removed %s\n", s.path)
	for _, command := range s.last {
		fmt.Fprintf(w.stderr, "if it runs: %s\n", command)
	}
	return nil
}
