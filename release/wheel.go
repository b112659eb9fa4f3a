package main

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"os"
	"regexp"
	"strings"
)

//go:embed launcher.py
var launcher []byte

//go:embed about.md
var about string

// tags are the platforms of a wheel. The binaries are static, so those for Linux run with
// any C library; the versions are the oldest that Go supports.
var tags = map[target]string{
	{"darwin", "amd64"}:  "macosx_12_0_x86_64",
	{"darwin", "arm64"}:  "macosx_12_0_arm64",
	{"linux", "amd64"}:   "manylinux_2_17_x86_64.manylinux2014_x86_64.musllinux_1_1_x86_64",
	{"linux", "arm"}:     "manylinux_2_17_armv7l.manylinux2014_armv7l.musllinux_1_1_armv7l",
	{"linux", "arm64"}:   "manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64",
	{"windows", "amd64"}: "win_amd64",
	{"windows", "arm64"}: "win_arm64",
}

// wheel writes the package for PyPI: the binary, which installers put beside Python, and a
// module that starts it under the package's name. It needs no other package.
func (r *release) wheel(t target, binary string) error {
	data, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	version := pythonVersion(r.built.version)
	info := pythonModule + "-" + version + ".dist-info/"
	list := []file{
		{name: pythonModule + "/__init__.py"},
		{name: pythonModule + "/__main__.py", data: launcher},
		{name: pythonModule + "-" + version + ".data/scripts/" + t.program(command), data: data, mode: 0o755},
		{name: info + "METADATA", data: metadataOf(version)},
		{name: info + "WHEEL", data: wheelOf(tags[t])},
		{name: info + "entry_points.txt", data: []byte("[console_scripts]\n" + packageName + " = " + pythonModule + ".__main__:main\n")},
		{name: info + "licenses/LICENSE", data: r.page("LICENSE")},
	}
	for i := range list {
		if list[i].mode == 0 {
			list[i].mode = 0o644
		}
	}
	list = append(list, file{name: info + "RECORD", data: record(list, info+"RECORD"), mode: 0o644})
	src, err := zipped("", list, r.built.time)
	if err != nil {
		return err
	}
	return r.write(pythonModule+"-"+version+"-py3-none-"+tags[t]+".whl", src)
}

// metadataOf is METADATA: what PyPI shows.
func metadataOf(version string) []byte {
	return fmt.Appendf(nil, `Metadata-Version: 2.4
Name: %s
Version: %s
Summary: %s
Author: %s
License-Expression: %s
License-File: LICENSE
Keywords: agent,handoff,claude,codex,gemini,mcp
Project-URL: Homepage, %s
Requires-Python: >=3.8
Description-Content-Type: text/markdown

%s`, packageName, version, summary, authors, licence, homepage, about)
}

// wheelOf is WHEEL, with a line for each tag that is packed into the name of the file.
func wheelOf(tags string) []byte {
	src := "Wheel-Version: 1.0\nGenerator: " + packageName + "\nRoot-Is-Purelib: false\n"
	for tag := range strings.SplitSeq(tags, ".") {
		src += "Tag: py3-none-" + tag + "\n"
	}
	return []byte(src)
}

// record is RECORD: the hash and size of each file but itself.
func record(list []file, self string) []byte {
	var src []byte
	for _, f := range list {
		sum := sha256.Sum256(f.data)
		src = fmt.Appendf(src, "%s,sha256=%s,%d\n", f.name, base64.RawURLEncoding.EncodeToString(sum[:]), len(f.data))
	}
	return fmt.Appendf(src, "%s,,\n", self)
}

var (
	preRelease = regexp.MustCompile(`^(\d+\.\d+\.\d+)-(alpha|beta|rc)\.?(\d+)$`)
	pseudo     = regexp.MustCompile(`^(\d+\.\d+\.\d+)-(?:.*\.)?(\d{14})-([0-9a-f]{12})$`)
)

// pythonVersion is a version as PEP 440 has it: 1.0.0-rc.1 is 1.0.0rc1, and a commit
// between tags is a development release of the version that follows.
func pythonVersion(version string) string {
	if m := preRelease.FindStringSubmatch(version); m != nil {
		return m[1] + map[string]string{"alpha": "a", "beta": "b", "rc": "rc"}[m[2]] + m[3]
	}
	if m := pseudo.FindStringSubmatch(version); m != nil {
		return m[1] + ".dev" + m[2] + "+g" + m[3]
	}
	return version
}
