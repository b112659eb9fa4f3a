// Command hello prints one line. It is what the smallest useful Go program
// costs to start, and so what a one-file check is measured against.
package main

import "fmt"

func main() { fmt.Println("hello, world") }
