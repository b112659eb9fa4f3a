//go:build !handofftest

package main

import (
	"context"
	"os"
)

func main() { os.Exit(run(context.Background(), system(), os.Args[1:])) }
