// Command hello prints one line. It shows the start-up cost of the smallest
// useful Go program, with which a check of one file is compared.
package main

import "fmt"

func main() { fmt.Println("hello, world") }
