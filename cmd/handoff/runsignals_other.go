//go:build !unix

package main

import "os"

var hangUps = []os.Signal{os.Interrupt}

func keepOn() (stop func()) { return func() {} }
