package hidden

import "strings"

// cells finds the cells of a table that are beyond its columns: a page leaves them out.
func (s *scanner) cells() {
	columns := 0 // of the table that the line is in
	for n := 1; n < len(s.line); n++ {
		line := s.doc.Line(n)
		if s.line[n] == code || s.line[n] == front || strings.IndexByte(line, '|') < 0 {
			columns = 0
			continue
		}
		if columns > 0 {
			s.beyond(n, line, columns)
			continue
		}
		if n+1 < len(s.line) {
			if c := delimiters(s.doc.Line(n + 1)); c > 0 && c == len(bars(line)) {
				columns = c
				n++
			}
		}
	}
}

// beyond reports what a row has after the last column.
func (s *scanner) beyond(n int, line string, columns int) {
	ends := bars(line)
	if len(ends) <= columns {
		return
	}
	at := s.doc.Offset(n)
	if from, to := ends[columns-1], ends[len(ends)-1]; hasWord(line[from:to]) {
		s.add(at+from, at+to, "cells beyond the columns of a table")
	}
}

// bars are the ends of the cells of a row.
func bars(line string) (ends []int) {
	start := len(line) - len(strings.TrimLeft(line, " \t>"))
	if start < len(line) && line[start] == '|' {
		start++
	}
	end := len(strings.TrimRight(line, " \t\r"))
	for i := start; i < end; i++ {
		switch line[i] {
		case '\\':
			i++
		case '|':
			ends = append(ends, i)
		}
	}
	if n := len(ends); n == 0 || ends[n-1] != end-1 {
		ends = append(ends, end)
	}
	return ends
}

// delimiters is how many columns a line under the head of a table has, 0 if it is none.
func delimiters(line string) int {
	row := strings.Trim(line, " \t\r>")
	if strings.IndexByte(row, '-') < 0 || strings.Trim(row, "|-: \t") != "" {
		return 0
	}
	for cell := range strings.SplitSeq(strings.Trim(row, "|"), "|") {
		if cell = strings.TrimSpace(cell); strings.Trim(cell, ":") == "" || strings.Trim(strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":"), "-") != "" {
			return 0
		}
	}
	return len(bars(line))
}
