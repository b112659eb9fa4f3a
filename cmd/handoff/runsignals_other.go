//go:build !unix

package main

import "os"

var hangupSignals = []os.Signal{os.Interrupt}

func ignoreBrokenPipe() (stop func()) { return func() {} }
