// Package house has the tests of the whole tree: who imports whom, who writes and reads files,
// what is in the tables and pages that are made by hand. They run at the root of the module.
package house
