package main

import (
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
)

// installed is where Debian keeps a page of the archive; "" if the package leaves it out.
func installed(name string) string {
	switch folder, base := path.Split(name); {
	case base == command || base == packageName:
		return "/usr/bin/" + base
	case base == "handoff.bash":
		return "/usr/share/bash-completion/completions/handoff"
	case base == "handoff.fish":
		return "/usr/share/fish/vendor_completions.d/handoff.fish"
	case base == "_handoff":
		return "/usr/share/zsh/vendor-completions/_handoff"
	case folder == "man/man1/":
		return "/usr/share/man/man1/" + base + ".gz"
	case base == "LICENSE":
		return "/usr/share/doc/" + packageName + "/copyright"
	case base == "README.md":
		return "/usr/share/doc/" + packageName + "/README.md"
	}
	return ""
}

// deb writes a Debian package.
func (r *release) deb(t target, binary string) error {
	list, err := r.files(t, binary)
	if err != nil {
		return err
	}
	staging, err := os.MkdirTemp("", "handoff-deb-") // nfpm reads its contents from files
	if err != nil {
		return err
	}
	defer os.RemoveAll(staging)
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: packageName, Arch: debian(t.arch), Platform: "linux", Version: r.built.version, Section: "devel", Priority: "optional",
		Maintainer: authors, License: licence, Homepage: homepage, MTime: r.built.time, DisableGlobbing: true,
		Description: summary,
	})
	for _, f := range list {
		to := installed(f.name)
		if to == "" {
			continue
		}
		if f.link != "" {
			info.Contents = append(info.Contents, &files.Content{Source: f.link, Destination: to, Type: files.TypeSymlink,
				FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode, MTime: r.built.time}})
			continue
		}
		from := filepath.Join(staging, strings.ReplaceAll(f.name, "/", "_"))
		if strings.HasSuffix(to, ".gz") {
			f.data = zippedPage(f.data)
		}
		if err := os.WriteFile(from, f.data, 0o600); err != nil {
			return err
		}
		info.Contents = append(info.Contents, &files.Content{Source: from, Destination: to,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: f.mode & fs.ModePerm, MTime: r.built.time}})
	}
	if err := info.Validate(); err != nil {
		return err
	}
	var b bytes.Buffer
	if err := deb.Default.Package(info, &b); err != nil {
		return err
	}
	return r.write(deb.Default.ConventionalFileName(info), b.Bytes())
}

// debian is Debian's name of an architecture.
func debian(arch string) string {
	if arch == "arm" {
		return "arm7" // nfpm makes armhf of it
	}
	return arch
}

// zippedPage is a compressed manual page without the time of compression, for Debian.
func zippedPage(data []byte) []byte {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a constant of the package
	_, _ = z.Write(data)                                  // into memory
	_ = z.Close()
	return b.Bytes()
}
