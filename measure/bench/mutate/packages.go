//go:build linux

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os/exec"
	"slices"
)

// pkg is what go list reports of a package.
type pkg struct {
	ImportPath, Name, Dir              string
	GoFiles                            []string // of this system, without tests
	Imports, TestImports, XTestImports []string
	TestGoFiles, XTestGoFiles          []string
	conditions                         []condition // of the files, in their order
}

func list(root string, patterns ...string) ([]*pkg, error) {
	cmd := exec.Command("go", append([]string{"list", "-json"}, patterns...)...)
	cmd.Dir = root
	var failed bytes.Buffer
	cmd.Stderr = &failed
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, failed.Bytes())
	}
	var found []*pkg
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		p := new(pkg)
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			return found, nil
		} else if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		found = append(found, p)
	}
}

// changeable leaves out packages that only tests import, because changing them
// would only test the tests, and packages whose tests are not run.
func changeable(all, chosen []*pkg, without map[string]bool) []*pkg {
	used := map[string]bool{}
	for _, p := range all {
		for _, path := range p.Imports {
			used[path] = true
		}
	}
	return slices.DeleteFunc(chosen, func(p *pkg) bool {
		return without[p.ImportPath] || p.Name != "main" && !used[p.ImportPath]
	})
}

// judges are the packages whose tests can notice a change in p: p itself, then
// those that import it, commands last because their tests take longest.
func judges(p *pkg, all []*pkg) []*pkg {
	list := []*pkg{p}
	for _, command := range []bool{false, true} {
		for _, q := range all {
			imports := slices.Concat(q.Imports, q.TestImports, q.XTestImports)
			if q.ImportPath != p.ImportPath && (q.Name == "main") == command && slices.Contains(imports, p.ImportPath) {
				list = append(list, q)
			}
		}
	}
	return slices.DeleteFunc(list, func(q *pkg) bool { return len(q.TestGoFiles)+len(q.XTestGoFiles) == 0 })
}

// share is how many changes a package gets.
type share struct {
	*pkg
	count int
}

// deal gives each package one change at a time, in turn, while it has
// conditions left. If count is not a multiple of the number of packages, the
// seed selects those that get one more.
func deal(list []*pkg, count int, seed uint64) []share {
	out := make([]share, len(list))
	for i, p := range list {
		out[i].pkg = p
	}
	luck := source(seed, "").Perm(len(list))
	for before := -1; count > 0 && count != before; {
		before = count
		for _, i := range luck {
			if count > 0 && out[i].count < len(list[i].conditions) {
				out[i].count++
				count--
			}
		}
	}
	return out
}

// source gives each package its own random numbers, so that its changes stay
// the same when other packages are added or removed.
func source(seed uint64, path string) *rand.Rand {
	h := fnv.New64a()
	h.Write([]byte(path))
	return rand.New(rand.NewPCG(seed, h.Sum64()))
}
