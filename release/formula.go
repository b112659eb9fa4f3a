package main

import (
	"fmt"
	"strings"
)

// formula writes the Homebrew formula, for the systems that Homebrew is for.
func (r *release) formula(chosen []target) error {
	var b strings.Builder
	fmt.Fprintf(&b, "class Handoff < Formula\n  desc \"Pass an agent's work to the next one\"\n  homepage %q\n  version %q\n  license \"Apache-2.0\"\n", r.url, r.built.version)
	for _, system := range []struct{ goos, block string }{{"darwin", "on_macos"}, {"linux", "on_linux"}} {
		fmt.Fprintf(&b, "\n  %s do\n", system.block)
		for _, arch := range []struct{ goarch, block string }{{"amd64", "on_intel"}, {"arm64", "on_arm"}} {
			name := fmt.Sprintf("handoff_%s_%s_%s.tar.gz", r.built.version, system.goos, arch.goarch)
			if sum, ok := r.sums[name]; ok {
				fmt.Fprintf(&b, "    %s do\n      url %q\n      sha256 %q\n    end\n", arch.block, strings.TrimSuffix(r.url, "/")+"/"+name, sum)
			}
		}
		b.WriteString("  end\n")
	}
	b.WriteString(`
  def install
    bin.install "handoff"
    bash_completion.install "completions/handoff.bash" => "handoff"
    zsh_completion.install "completions/_handoff"
    fish_completion.install "completions/handoff.fish"
    man1.install Dir["man/man1/*.1"]
  end

  test do
    system bin/"handoff", "--version"
    system bin/"handoff", "demo"
  end
end
`)
	return r.write("handoff.rb", []byte(b.String()))
}
