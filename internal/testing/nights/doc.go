// Package nights tests that `handoff relay` works through a night without a person: the real program runs agents of two vendors
// through a night in which everything goes wrong that happens to people, in a real repository, and is
// killed meanwhile. The agents are programs with the names and the output of real ones, on command lines or over the
// Agent Client Protocol, and do what a
// plan says that comes from a seed; what they do to the repository is journaled. There is nothing here
// to import.
package nights
