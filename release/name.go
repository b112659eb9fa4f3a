package main

import "strings"

// The names under which the product is published. The command `handoff` is also that of
// other packages, whose names on PyPI, npm and crates.io are taken; so each package has this
// name, and installs the command under it as well.
const (
	packageName = "handoff-md"
	command     = "handoff"
	owner       = "handoff-md"       // account of the repository, the tap, the bucket and the images
	repository  = owner + "/handoff" // on GitHub
	homepage    = "https://github.com/" + repository
	siteAddress = "https://" + owner + ".github.io/handoff"
	image       = "ghcr.io/" + repository
	summary     = "Pass an agent's work to the next one: write, check and read one-screen handoffs"
	authors     = "the handoff authors"
	licence     = "Apache-2.0"
)

// pythonModule is the package's name where it must be a word of Python, as in its wheel.
var pythonModule = strings.ReplaceAll(packageName, "-", "_")

// stem begins the name of each file of a target: handoff-md_0.1.0_linux_amd64.
func (r *release) stem(t target) string {
	return packageName + "_" + r.built.version + "_" + t.system + "_" + t.arch
}

// address is where a file of the release is downloaded from.
func (r *release) address(name string) string { return strings.TrimSuffix(r.url, "/") + "/" + name }

// program is the name of the binary on a system.
func (t target) program(name string) string {
	if t.system == "windows" {
		return name + ".exe"
	}
	return name
}
