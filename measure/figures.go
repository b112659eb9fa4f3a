package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"handoff/internal/testing/figures"
)

// perFigure is the most time that a command may take that prints figures.
const perFigure = 30 * time.Minute

// printed is a source, and the sections whose figures it prints.
type printed struct {
	figures.Shell
	name string
	of   []string
}

// listFigures lists where each figure of README and docs is from; it runs the named sources, or with all those that take no
// minutes, and says at the end what could not be run here.
func listFigures(ctx context.Context, s streams, o options, named []string) error {
	root, err := checkout(ctx)
	if err != nil {
		return err
	}
	sections, err := figures.Read(root)
	if err != nil {
		return err
	}
	var sources []*printed
	for _, section := range sections {
		if len(named) == 0 && !o.all {
			writeFigures(s.out, section)
		}
		shown := map[string]bool{}
		for _, from := range section.Sources {
			shell, err := from.Shell(root)
			if err != nil {
				return fmt.Errorf("%s:%d: %w", section.Page, from.Line, err)
			}
			if len(named) > 0 || o.all {
				sources = noted(sources, shell, from.Name, fmt.Sprintf("%s:%d", section.Page, section.Line))
				continue
			}
			// A table may name one test in each of its rows.
			if line := fmt.Sprintf("%s: %s", from.Kind, cmp.Or(shell.Where(), from.Name)); !shown[line] {
				fmt.Fprintf(s.out, "  from %s:%d: %s\n", section.Page, from.Line, line)
				shown[line] = true
			}
		}
	}
	if len(named) == 0 && !o.all {
		return nil
	}
	return runFigures(ctx, s, root, named, sources)
}

// writeFigures writes the figures of a section, those of a line together.
func writeFigures(out io.Writer, section figures.Section) {
	for i, f := range section.Figures {
		switch {
		case i == 0:
			fmt.Fprintf(out, "%s:%d: %s", section.Page, f.Line, f.Text)
		case f.Line == section.Figures[i-1].Line:
			fmt.Fprintf(out, ", %s", f.Text)
		default:
			fmt.Fprintf(out, "\n%s:%d: %s", section.Page, f.Line, f.Text)
		}
	}
	fmt.Fprintln(out)
}

// noted adds a source to those that may be run, or the section at to a source that is one of them.
func noted(sources []*printed, shell figures.Shell, name, at string) []*printed {
	for _, old := range sources {
		if old.Shell == shell {
			old.of = append(old.of, at)
			return sources
		}
	}
	return append(sources, &printed{shell, name, []string{at}})
}

// runFigures runs sources in the order of the pages.
func runFigures(ctx context.Context, s streams, root string, named []string, sources []*printed) error {
	var not []string
	ran := map[string]bool{}
	for _, p := range sources {
		i := slices.IndexFunc(named, func(name string) bool {
			return p.name == name || filepath.Base(p.name) == name || strings.Contains(p.Line, name)
		})
		switch {
		case len(named) > 0 && i < 0:
			continue
		case i >= 0:
			ran[named[i]] = true
		}
		if p.Long && len(named) == 0 {
			p.Not = cmp.Or(p.Not, "it takes minutes: name it")
		}
		if p.Not == "" {
			fmt.Fprintf(s.out, "\n%s\n$ %s\n", strings.Join(p.of, ", "), p.Where())
			p.Not = p.run(ctx, s, root)
		}
		if p.Not != "" {
			not = append(not, fmt.Sprintf("  %s (%s): %s", cmp.Or(p.Where(), p.name), p.of[0], p.Not))
		}
	}
	for _, name := range named {
		if !ran[name] {
			return fmt.Errorf("no figure is from %q: measure figures lists what they are from", name)
		}
	}
	if len(not) > 0 {
		fmt.Fprintf(s.out, "\nNot printed here:\n%s\n", strings.Join(not, "\n"))
	}
	return ctx.Err()
}

// run runs a source, and says why it did not print its figures.
func (p *printed) run(ctx context.Context, s streams, root string) string {
	ctx, stop := context.WithTimeout(ctx, perFigure)
	defer stop()
	cmd := exec.CommandContext(ctx, "sh", "-c", p.Line)
	cmd.Dir, cmd.Stdout, cmd.Stderr = filepath.Join(root, p.Dir), s.out, s.out
	if err := cmd.Run(); err != nil {
		return cmp.Or(errors.Join(ctx.Err(), err), err).Error()
	}
	return ""
}

// checkout is the folder of the project's sources.
func checkout(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "handoff").Output()
	if err != nil {
		return "", fmt.Errorf("no checkout here, start it in the folder measure: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
