package serving

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"text/template"

	"handoff/internal/file/atomicfile"
	"handoff/internal/file/nofollow"
	"handoff/surface/command"
	"handoff/surface/command/cli"
)

// service is a unit file that keeps a command running in a tree.
type service struct {
	Program string
	Args    []string // the command and its flags
	Root    string
	Does    string // a few words that precede the root
	Reloads bool   // on SIGHUP

	Name string // unique for each command and tree
	Log  string // where its output is kept; "" where the system does that
	path string
	text string
	next []string // what to type after it is installed
	last []string // what to type before it is removed
}

// The templates of unit files, with the fields of a [service].
var (
	//go:embed systemd.service.tmpl
	systemdUnit string
	//go:embed launchd.plist.tmpl
	launchdAgent string
)

// watchService keeps the files of a tree in sync.
func watchService(program, root string) service {
	return service{Program: program, Root: root, Args: []string{"watch", "--log-format", "json"}, Does: "keep metadata up to date in", Reloads: true}
}

// serveService serves a tree with the given flags.
func serveService(program, root string, flags []string) service {
	return service{Program: program, Root: root, Args: append([]string{"serve", "--log-format", "json"}, flags...), Does: "serve"}
}

// on sets the fields that depend on the operating system.
func (s service) on(system string, getenv func(string) string) (service, error) {
	sum := sha256.Sum256([]byte(s.Root))
	s.Name = "handoff-" + s.Args[0] + "-" + serviceName(filepath.Base(s.Root)) + "-" + hex.EncodeToString(sum[:3])
	home := getenv("HOME")
	var text string
	switch system {
	case "linux":
		config := cmp.Or(getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
		unit := s.Name + ".service"
		s.path, text = filepath.Join(config, "systemd", "user", unit), systemdUnit
		s.next = []string{"systemctl --user daemon-reload", "systemctl --user enable --now " + unit}
		s.last = []string{"systemctl --user disable --now " + unit}
	case "darwin":
		s.path, text = filepath.Join(home, "Library", "LaunchAgents", s.Name+".plist"), launchdAgent
		s.Log = filepath.Join(home, "Library", "Logs", s.Name+".log") // launchd discards output without a log file
		s.next = []string{"launchctl bootstrap gui/$(id -u) " + s.path}
		s.last = []string{"launchctl bootout gui/$(id -u)/" + s.Name}
	default:
		return s, fmt.Errorf("services are not supported on %s: start `%s %s -C %s` at login", system, s.Program, strings.Join(s.Args, " "), s.Root)
	}
	if home == "" && !filepath.IsAbs(s.path) {
		return s, errors.New("HOME is not set: services are installed below it")
	}
	if strings.ContainsAny(s.Program+s.Root+strings.Join(s.Args, ""), "\n\r") {
		return s, errors.New("a service cannot contain a line break")
	}
	var b strings.Builder
	err := template.Must(template.New("").Funcs(template.FuncMap{
		"percent":  func(p string) string { return strings.ReplaceAll(p, "%", "%%") },
		"quoted":   systemdQuoted,
		"argument": systemdArgument,
		"xml":      template.HTMLEscapeString,
	}).Parse(text)).Execute(&b, s)
	s.text = b.String()
	return s, err
}

// systemdQuoted quotes an argument of ExecStart. See systemd.service(5).
func systemdQuoted(arg string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `%`, `%%`, `$`, `$$`).Replace(arg) + `"`
}

// systemdArgument quotes an argument only if it must: flags and addresses are
// easier to read without quotes.
func systemdArgument(arg string) string {
	if arg == "" || strings.ContainsFunc(arg, func(r rune) bool { return !plainLetter(r) && !strings.ContainsRune(".:/", r) }) {
		return systemdQuoted(arg)
	}
	return arg
}

func serviceName(base string) string {
	return strings.Map(func(r rune) rune {
		if plainLetter(r) {
			return r
		}
		return '_'
	}, base)
}

func plainLetter(r rune) bool {
	return r < 0x80 && (r == '-' || r == '_' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
}

// serviceOptions are whether the service of a command is to be installed or removed.
type serviceOptions struct{ Install, Remove bool }

// serviceFlags are the flags that install or remove the service of a command.
func serviceFlags(o *serviceOptions, does string) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "install-service", Destination: &o.Install, Usage: "write a service (systemd or launchd) that " + does + " this tree"},
		&cli.BoolFlag{Name: "remove-service", Destination: &o.Remove, Usage: "remove that service"},
	}
}

// manageService installs or removes the service as those flags request.
func manageService(w *command.Process, o *serviceOptions, of func(program string) service) error {
	program, err := os.Executable()
	if err != nil {
		return err
	}
	s, err := of(program).on(runtime.GOOS, w.Getenv)
	if err != nil {
		return err
	}
	if o.Remove {
		return removeService(w, s)
	}
	return installService(w, s)
}

func installService(w *command.Process, s service) error {
	if old, err := os.ReadFile(s.path); err == nil && string(old) == s.text {
		w.Say("%s already exists", s.path)
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(s.path), 0o755); err != nil {
		return err
	}
	if err := atomicfile.Write(nofollow.Named, s.path, []byte(s.text), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(w.Stdout, "wrote %s\n", s.path)
	for _, command := range s.next {
		fmt.Fprintf(w.Stderr, "next: %s\n", command)
	}
	return nil
}

func removeService(w *command.Process, s service) error {
	switch err := os.Remove(s.path); {
	case errors.Is(err, fs.ErrNotExist):
		w.Say("there is no service for %s", s.Root)
		return nil
	case err != nil:
		return err
	}
	fmt.Fprintf(w.Stdout, "removed %s\n", s.path)
	for _, command := range s.last {
		fmt.Fprintf(w.Stderr, "if it runs: %s\n", command)
	}
	return nil
}

// serviceManager returns a function that reports a service's state to systemd:
// a datagram to the socket in NOTIFY_SOCKET (sd_notify(3)). Without that
// variable the function does nothing. The variable needs no removal from the
// environment, because the process starts no others that would inherit it.
func serviceManager(getenv func(string) string) (tell func(state string), err error) {
	name := getenv("NOTIFY_SOCKET")
	if name == "" {
		return func(string) {}, nil
	}
	// A name that begins with @ is an abstract socket without a file; net
	// supports that form.
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return nil, err
	}
	return func(state string) {
		conn.Write([]byte(state)) // nobody is left to report an error to
	}, nil
}
