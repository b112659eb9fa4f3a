package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"runtime/debug"
	"strings"
	"time"
)

// bom is a CycloneDX 1.6 document, as far as we use it.
type bom struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Timestamp string    `json:"timestamp"`
	Component component `json:"component"`
}

type component struct {
	Type    string `json:"type"`
	Ref     string `json:"bom-ref"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

// sbom lists the modules in a binary, which the toolchain recorded in it: what was
// linked for this target, not what go.mod asks for.
func (r *release) sbom(t target, binary string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	doc := bom{Format: "CycloneDX", Spec: "1.6", Version: 1, Metadata: metadata{
		Timestamp: r.built.time.UTC().Format(time.RFC3339),
		Component: module("application", info.Main.Path, info.Main.Version),
	}}
	doc.Components = append(doc.Components, module("library", "std", strings.TrimPrefix(info.GoVersion, "go")))
	for _, d := range info.Deps {
		doc.Components = append(doc.Components, module("library", used(d).Path, used(d).Version))
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(doc); err != nil {
		return err
	}
	return r.write(r.stem(t)+".cdx.json", b.Bytes())
}

// used is the module that replaces another one, or the module itself.
func used(m *debug.Module) *debug.Module {
	if m.Replace != nil {
		return m.Replace
	}
	return m
}

func module(kind, path, version string) component {
	purl := "pkg:golang/" + path + "@" + version
	return component{Type: kind, Ref: purl, Name: path, Version: version, PURL: purl}
}
