package artifact_test

import (
	"fmt"
	"os"

	"handoff/log/artifact"
)

// A blob is found by the hash of its bytes, which are compared with it each time.
func ExampleStore_Put() {
	root, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(root)
	blobs, err := artifact.Open(root)
	if err != nil {
		panic(err)
	}
	defer blobs.Close()
	id, outcome, err := blobs.Put([]byte("the output of a check\n"))
	fmt.Println(id == artifact.Sum([]byte("the output of a check\n")), outcome, err)
	text, err := blobs.Get(id)
	fmt.Print(string(text), err)
	// Output:
	// true created <nil>
	// the output of a check
	// <nil>
}
