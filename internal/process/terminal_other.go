//go:build !linux && !darwin

package process

// Terminal returns "": the terminal of this process is not known.
func Terminal() string { return "" }
