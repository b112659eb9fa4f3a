package brief

// endMark is the last line of the report. A successor obeys what it reads, so
// no line of a report may look like its end.
func endMark(mark string) string { return "[end of report " + mark + "]" }
