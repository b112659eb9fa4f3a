package rules

import "handoff/parse"

// read parses the documents of the archives.
var read = parse.Document
