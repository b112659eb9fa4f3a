package rules

import (
	"slices"
	"strings"
	"unicode"
)

// passages are licence notices as they are put at the top of files, with one blank between
// words and in lower case. A comment may hold these and nothing else: an order to an agent that
// follows a copyright line is still an order.
var passages = [...]string{
	`licensed under the apache license, version 2.0 (the "license"); you may not use this file except in compliance with the license. you may obtain a copy of the license at http://www.apache.org/licenses/license-2.0 unless required by applicable law or agreed to in writing, software distributed under the license is distributed on an "as is" basis, without warranties or conditions of any kind, either express or implied. see the license for the specific language governing permissions and limitations under the license.`,
	`licensed under the apache license, version 2.0 (the "license"); you may not use this file except in compliance with the license. you may obtain a copy of the license at https://www.apache.org/licenses/license-2.0 unless required by applicable law or agreed to in writing, software distributed under the license is distributed on an "as is" basis, without warranties or conditions of any kind, either express or implied. see the license for the specific language governing permissions and limitations under the license.`,
	`this source code form is subject to the terms of the mozilla public license, v. 2.0. if a copy of the mpl was not distributed with this file, you can obtain one at https://mozilla.org/mpl/2.0/.`,
	`this source code form is subject to the terms of the mozilla public license, v. 2.0. if a copy of the mpl was not distributed with this file, you can obtain one at http://mozilla.org/mpl/2.0/.`,
	`use of this source code is governed by a bsd-style license that can be found in the license file.`,
	`use of this source code is governed by an mit-style license that can be found in the license file.`,
	`licensed under the mit license.`,
	`licensed under the apache license, version 2.0.`,
	`licensed under the mit license`,
	`licensed under the apache license, version 2.0`,
	`all rights reserved.`,
	`all rights reserved`,
}

// maxNotice is the most words of a line that names the holder of a right, or the project that a
// file is part of.
const maxNotice = 14

// isLicence reports whether a comment is the licence notice of the file.
func isLicence(text string) bool {
	if len(text) > 4096 {
		return false
	}
	var rest []string
	found := false
	for line := range strings.Lines(text) {
		line = strings.TrimFunc(line, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune("*#~-=/", r) })
		words := strings.Fields(strings.ToLower(line))
		switch {
		case len(words) == 0:
		case isNotice(words):
			found = true
		default:
			rest = append(rest, words...)
		}
	}
	left := strings.Join(rest, " ")
	for _, p := range passages {
		if before := left; strings.Contains(left, p) {
			left = strings.TrimSpace(strings.ReplaceAll(before, p, ""))
			found = true
		}
	}
	return found && left == ""
}

// isNotice reports whether a line has one of the forms of a notice, and no room for more.
func isNotice(words []string) bool {
	switch {
	case len(words) > maxNotice:
		return false
	case strings.HasPrefix(words[0], "spdx-") && strings.HasSuffix(words[0], ":"):
		return slices.IndexFunc(words[1:], func(w string) bool { return strings.ContainsAny(w, "!?;`") }) < 0
	case words[0] == "copyright" || words[0] == "(c)" || words[0] == "©":
		return strings.ContainsAny(strings.Join(words, " "), "0123456789") && plainWords(words)
	case len(words) > 5 && strings.Join(words[:5], " ") == "this file is part of":
		return (len(words) <= 8 || strings.Contains(strings.Join(words, " "), ", licensed under ")) && plainWords(words)
	}
	return false
}

// orders are words of sentences, which names of holders and projects do not have.
var orders = [...]string{"you", "your", "must", "should", "run", "ignore", "do", "not", "please", "delete", "instead", "then", "always", "never", "agent", "assistant"}

func plainWords(words []string) bool {
	return !slices.ContainsFunc(words, func(w string) bool {
		return strings.ContainsAny(w, "`$;!?") || slices.Contains(orders[:], strings.Trim(w, ".,:"))
	})
}

// isMark reports whether a comment is a mark of a tool for a part of the file, not a text:
// "toc", "/toc", "BEGIN generated", "START doctoc". It is one name, perhaps after one of these
// words.
func isMark(text string) bool {
	words := strings.Fields(text)
	if len(words) == 2 && slices.Contains([]string{"begin", "end", "start", "stop"}, strings.Trim(strings.ToLower(words[0]), ":")) {
		words = words[1:]
	}
	return len(words) == 1 && len(words[0]) <= 40 && !strings.ContainsFunc(words[0], func(r rune) bool {
		return r >= 0x80 || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_:./", r)
	})
}
