package handoff

// Version is the version of the next release. `handoff --version`, the manifests in
// plugin/ and the packages in sdk/ have it; a test compares them. It is increased
// after a release, together with them.
const Version = "0.1.0"
