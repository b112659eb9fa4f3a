//go:build linux

package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// change replaces the bytes from start to end of a file.
type change struct {
	file       string // absolute
	line       int
	start, end int
	text       string
	before     string // the lines it changes, on one line
	after      string
}

// condition is a place in the code with the changes that can be made there.
type condition []change

// withConditions finds the conditions of each package, in the order of its
// files, and leaves out the packages that have none.
func withConditions(list []*pkg) (with []*pkg, err error) {
	for _, p := range list {
		for _, name := range p.GoFiles {
			path := filepath.Join(p.Dir, name)
			src, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			found, err := conditionsOf(path, src)
			if err != nil {
				return nil, err
			}
			p.conditions = append(p.conditions, found...)
		}
		if len(p.conditions) > 0 {
			with = append(with, p)
		}
	}
	return with, nil
}

func conditionsOf(path string, src []byte) ([]condition, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, src, parser.ParseComments)
	if err != nil || ast.IsGenerated(file) {
		return nil, err
	}
	f := finder{path: path, src: src, file: files.File(file.Pos())}
	ast.Inspect(file, func(n ast.Node) bool {
		f.look(n)
		return true
	})
	return f.found, nil
}

type finder struct {
	path  string
	src   []byte
	file  *token.File
	found []condition
}

func (f *finder) look(n ast.Node) {
	switch n := n.(type) {
	case *ast.IfStmt:
		f.found = append(f.found, f.decided(n.Cond, "true || ", "false && "))
	case *ast.ForStmt:
		if n.Cond != nil { // always true would always hang
			f.found = append(f.found, f.decided(n.Cond, "false && "))
		}
	case *ast.SwitchStmt:
		if n.Tag == nil {
			f.cases(n)
		}
	case *ast.BinaryExpr:
		if others := instead[n.Op]; others != nil {
			f.operator(n, others)
		}
	case *ast.UnaryExpr:
		if n.Op == token.NOT {
			f.found = append(f.found, condition{f.change(n.OpPos, n.OpPos+1, "")})
		}
	}
}

// instead has the operators that replace another one.
var instead = map[token.Token][]token.Token{
	token.EQL:  {token.NEQ},
	token.NEQ:  {token.EQL},
	token.LSS:  {token.LEQ, token.GEQ},
	token.LEQ:  {token.LSS, token.GTR},
	token.GTR:  {token.GEQ, token.LEQ},
	token.GEQ:  {token.GTR, token.LSS},
	token.LAND: {token.LOR},
	token.LOR:  {token.LAND},
}

func (f *finder) operator(n *ast.BinaryExpr, others []token.Token) {
	var c condition
	for _, op := range others {
		c = append(c, f.change(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), op.String()))
	}
	f.found = append(f.found, c)
}

// cases are the conditions of a switch without a tag.
func (f *finder) cases(n *ast.SwitchStmt) {
	for _, s := range n.Body.List {
		for _, e := range s.(*ast.CaseClause).List {
			f.found = append(f.found, f.decided(e, "true || ", "false && "))
		}
	}
}

// decided puts a constant that decides the result before a condition. The
// condition remains, so that its variables are used and the change compiles.
func (f *finder) decided(e ast.Expr, constants ...string) (c condition) {
	inner := string(f.src[f.offset(e.Pos()):f.offset(e.End())])
	for _, constant := range constants {
		c = append(c, f.change(e.Pos(), e.End(), constant+"("+inner+")"))
	}
	return c
}

func (f *finder) change(from, to token.Pos, text string) change {
	c := change{file: f.path, line: f.file.Line(from), start: f.offset(from), end: f.offset(to), text: text}
	first := bytes.LastIndexByte(f.src[:c.start], '\n') + 1
	last := len(f.src)
	if n := bytes.IndexByte(f.src[c.end:], '\n'); n >= 0 {
		last = c.end + n
	}
	c.before = flat(string(f.src[first:last]))
	c.after = flat(string(f.src[first:c.start]) + text + string(f.src[c.end:last]))
	return c
}

func (f *finder) offset(p token.Pos) int { return f.file.Offset(p) }

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

// apply returns the content of the file with the change.
func (c change) apply() ([]byte, error) {
	src, err := os.ReadFile(c.file)
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{src[:c.start], []byte(c.text), src[c.end:]}, nil), nil
}

// shuffled puts the conditions in random order and selects one change of each.
func shuffled(list []condition, luck *rand.Rand) []change {
	var out []change
	for _, i := range luck.Perm(len(list)) {
		out = append(out, list[i][luck.IntN(len(list[i]))])
	}
	return out
}
