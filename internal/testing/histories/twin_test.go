//go:build unix

package histories

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// inGit runs a script of git commands in the real tree, and before in a copy of it without
// a watch. Both must end alike, and the tree must be as in the copy: what git brings is not
// news.
func (h *history) inGit(script string) {
	h.t.Helper()
	h.rest()
	script += ended
	twin := shell{filepath.Join(filepath.Dir(h.real.dir), "twin"), h.real.env}
	shell{filepath.Dir(h.real.dir), h.real.env}.must(h.t, "rm -rf twin && mkdir twin && tar -C real --exclude=./.handoff -cf - . | tar -C twin -xf -")
	date := "GIT_COMMITTER_DATE=" + time.Now().UTC().Format(time.RFC3339)
	author := strings.Replace(date, "COMMITTER", "AUTHOR", 1)
	wantOut, want := twin.run(script, date, author)
	before, had := h.model.files, h.real.gitState()
	disturbed, finish := h.disturb(), func() {}
	if h.during != nil {
		finish, h.during = h.during(), nil
	}
	out, ok := h.real.run(script, date, author)
	h.note("%s\n           (success: %v) %s", strings.TrimSuffix(script, ended), ok, lastLine(out))
	disturbed.Wait()
	if ok != want {
		h.fail("git fails beside the watch, or does not, unlike without it:\nbeside it: success %v\n%s\nwithout it: success %v\n%s", ok, out, want, wantOut)
	}
	if strings.Contains(wantOut, "fix conflicts") || strings.Contains(wantOut, "After resolving the conflicts") { // the watch may have written while the script had not resolved them
		had = gitState{}
	}
	h.broughtByGit(before, had, readTree(twin.dir), twin.gitState())
	finish()
	h.rest()
}

// ended ends what a script left unfinished: all steps begin in a repository at rest.
const ended = `
	r=$?; g=$(git rev-parse --git-dir)
	test ! -e "$g/MERGE_HEAD" || git merge --abort || git reset -q --merge
	test ! -e "$g/CHERRY_PICK_HEAD" || git cherry-pick --abort
	test ! -e "$g/REVERT_HEAD" || git revert --abort
	test ! -e "$g/rebase-merge" -a ! -e "$g/rebase-apply" || git rebase --abort
	test ! -e "$g/BISECT_LOG" || git bisect reset
	exit $r`

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndex(text, "\n")+1:]
}

// disturb kills the watch while git runs, or stops it before, in some of the steps.
func (h *history) disturb() *sync.WaitGroup {
	var wg sync.WaitGroup
	switch after := time.Duration(h.r.IntN(60)) * time.Millisecond; h.r.IntN(6) {
	case 0:
		h.note("the watch is killed, git runs, and it starts again")
		h.watch.kill()
		h.interrupted = true
	case 1:
		h.note("the watch is killed and starts again while git runs")
		h.interrupted = true
		wg.Go(func() {
			time.Sleep(after)
			h.watch.kill()
			h.watch.start()
		})
	}
	return &wg
}

// broughtByGit makes what git wrote in the copy what the model expects. had is what git said
// of the files before.
func (h *history) broughtByGit(before tree, had gitState, now tree, as gitState) {
	m := h.model
	m.files = now
	for _, dir := range append(now.tasks(), before.tasks()...) {
		t := m.task(dir)
		t.linked, t.gone = map[string]bool{}, ""
		for p := range now {
			t.counts = t.counts || strings.HasPrefix(p, dir+"/progress/") && (as.dirty[p] || !as.tracked[p])
		}
		if _, exists := now[path.Join(dir, metadataName)]; exists && as.clean(dir, now) && had.clean(dir, before) {
			t.touched = false // nothing is written where all is and was as git has it
			continue
		}
		text, exists := now[path.Join(dir, metadataName)]
		f, err := fieldsOf(text, exists)
		if err != nil {
			t.touched = false // conflict markers: left alone
			continue
		}
		was, existed := before[path.Join(dir, metadataName)]
		t.touched, t.allowed = true, []fields{f}
		if f.path != "" && now[f.path] == "" {
			h.pointerLost(dir, f.path)
		}
		// Git took back the metadata of a handoff that it does not have: it still waits.
		newest := now.newest(dir)
		if newest != "" && as.dirty[newest] && existed && (was != text || !exists) {
			t.allowed = append(t.allowed, presents(newest))
		}
		// Git brought a handoff that is newer by its name than the one that waits: a lead that
		// started the older one would repeat what its successor did.
		if newest != "" && newest != f.path && f.stage == presented {
			t.allowed = append(t.allowed, presents(newest))
		}
	}
}

// branch returns a branch other than the current one; "" if there is none.
func (h *history) branch() string {
	all := strings.Fields(h.real.look("git for-each-ref --format='%(refname:short)' refs/heads"))
	current := strings.TrimSpace(h.real.look("git branch --show-current"))
	all = slices.DeleteFunc(all, func(b string) bool { return b == current })
	if len(all) == 0 {
		return ""
	}
	return all[h.r.IntN(len(all))]
}

// commit commits all or only the documents.
func commit(h *history) {
	if h.r.IntN(5) == 0 {
		h.inGit("git add -- 'specs/*/handoffs/*' && git commit -qm documents")
		return
	}
	h.inGit("git add -A && git commit -q --allow-empty -m all")
}

// preCommit commits some files alone with a hook that does what pre-commit does: it puts all
// other changes away, lets hooks run that take a moment, fails if a file has changed since, and
// applies the changes again.
func (h *history) preCommit(staged string) {
	h.inGit("git add -- '" + staged + "'\n" + `mkdir -p "$PWD.hooks" && cat >"$PWD.hooks/pre-commit" <<-'HOOK' && chmod +x "$PWD.hooks/pre-commit"
	#!/bin/sh
	git diff --binary >"$PWD.patch" && git checkout -q -- . || exit 1
	sleep 0.6
	git diff --exit-code >/dev/null
	changed=$?
	test ! -s "$PWD.patch" || git apply --whitespace=nowarn "$PWD.patch" || exit 1
	exit $changed
	HOOK
	git -c core.hooksPath="$PWD.hooks" commit -q --allow-empty -m hooks
	status=$?
	rm -rf "$PWD.hooks" "$PWD.patch"
	(exit $status)`)
}

func preCommitDocuments(h *history) { h.preCommit("specs/*/handoffs/*") }

// preCommitCode leaves documents that git does not have where they are, beside metadata that
// is as git has it for a moment.
func preCommitCode(h *history) { h.preCommit("src") }

// saved returns a script that first commits, in most cases, so that git does not refuse.
func (h *history) saved(script string) string {
	if h.r.IntN(5) == 0 {
		return script
	}
	return "git add -A && git commit -q --allow-empty -m before\n" + script
}

func checkout(h *history) {
	if b := h.branch(); b != "" && h.r.IntN(3) > 0 {
		h.inGit(h.saved("git " + []string{"checkout -q ", "switch -q "}[h.r.IntN(2)] + b))
		return
	}
	h.branches++
	h.inGit(h.saved(fmt.Sprintf("git switch -q -c topic%d %s", h.branches, []string{"", "HEAD~1", "HEAD~2"}[h.r.IntN(3)])))
}

// resolve ends a merge or rebase with conflicts by taking one side.
func (h *history) resolve(abort string) string {
	side := []string{"ours", "theirs"}[h.r.IntN(2)]
	return fmt.Sprintf(" || { git checkout -q --%s -- . && git add -A && git commit -q -m merged; } || git %s", side, abort)
}

func merge(h *history) {
	if b := h.branch(); b != "" {
		h.inGit(h.saved("git merge -q --no-edit " + b + h.resolve("merge --abort")))
	}
}

// pick takes single commits or a whole branch over without its history, or takes a commit back.
func pick(h *history) {
	b, back := h.branch(), h.r.IntN(3)
	switch {
	case b == "" || h.r.IntN(3) == 0:
		// Not the first commit: without its files no folder specs is left, and a watch does not start.
		h.inGit(h.saved(fmt.Sprintf("git rev-parse -q --verify HEAD~%[1]d^ && { git revert --no-edit HEAD~%[1]d", back) + h.resolve("revert --abort") + "; }"))
	case h.r.IntN(2) == 0:
		h.inGit(h.saved("{ git merge -q --squash " + b + " && git commit -q --allow-empty -m squash; }" + h.resolve("reset -q --hard")))
	default:
		h.inGit(h.saved(fmt.Sprintf("git cherry-pick --allow-empty %s~%d", b, back) + h.resolve("cherry-pick --abort")))
	}
}

func rebase(h *history) {
	if b := h.branch(); b != "" {
		how := []string{"", "-x 'sleep 0.2' ", "-X theirs "}[h.r.IntN(3)]
		h.inGit(h.saved("git rebase -q " + how + b + " || git rebase --abort"))
	}
}

func stash(h *history) {
	switch {
	case h.stashes > 0:
		h.stashes--
		h.inGit("git stash pop -q || { git checkout -q -f HEAD -- . ; git stash drop -q ; }")
	case h.r.IntN(3) == 0:
		h.inGit("git stash -q -u && git stash pop -q")
	default:
		h.stashes++
		h.inGit("git stash -q" + []string{"", " -u"}[h.r.IntN(2)])
	}
}

func reset(h *history) {
	h.inGit(fmt.Sprintf("git reset -q --%s HEAD~%d", []string{"hard", "soft", "mixed"}[h.r.IntN(3)], h.r.IntN(3)))
}

func clean(h *history) {
	if h.r.IntN(2) == 0 {
		h.inGit("git clean -fdq")
		return
	}
	h.inGit("git clean -fdxq")
	if h.r.IntN(2) == 0 {
		h.note("kill -9 of the watch: it stores all bundles again when it starts")
		h.watch.kill()
		h.awake()
		h.expectBundles()
		h.rest()
	}
}

// expectBundles expects the bundle of each handoff that metadata links, in tasks that are not
// as git has them.
func (h *history) expectBundles() {
	as := h.real.gitState()
	for dir, t := range h.model.tasks {
		text, exists := h.model.files[path.Join(dir, metadataName)]
		if !exists || as.clean(dir, h.model.files) {
			continue
		}
		ids := bundles(text)
		for _, document := range h.model.files.documents(dir) {
			if ids[document] != "" {
				t.touched, t.linked[document] = true, true
			}
		}
	}
}

func bisect(h *history) {
	h.inGit("git bisect start HEAD \"$(git rev-list --max-parents=0 HEAD | tail -1)\" && git bisect run sh -c 'sleep 0.1; test ! -e src/file1.go' ; git bisect reset")
}

func housekeeping(h *history) {
	h.inGit([]string{"git gc -q --prune=now", "git worktree add -q -f --detach \"$PWD.worktree\" && git worktree remove --force \"$PWD.worktree\"", "git status", "git fetch -q"}[h.r.IntN(4)])
}

// pull has a team mate without a watch push work, and pulls it.
func pull(h *history) {
	if out, ok := h.real.run("git push -q origin HEAD:main"); !ok {
		h.note("git push: %s", lastLine(out))
	}
	h.mate.must(h.t, "git fetch -q && git reset -q --hard origin/main && git clean -fdq")
	for range 1 + h.r.IntN(3) {
		h.mateWorks()
	}
	h.mate.must(h.t, "git add -A && git commit -q --allow-empty -m mate && git push -q origin HEAD:main")
	how := []string{"--no-rebase --no-edit", "--rebase", "--rebase --autostash"}[h.r.IntN(3)]
	h.inGit(h.saved("git pull -q " + how + " origin main || { git merge --abort 2>/dev/null || git rebase --abort; }"))
}

// mateWorks has the team mate's agent leave what agents leave in a task, in the clone.
func (h *history) mateWorks() {
	dir, t := h.pick()
	if h.r.IntN(2) == 0 {
		h.n++
		dir = fmt.Sprintf("specs/%d_mate", 500+h.n)
		t = h.model.task(dir)
	}
	at := h.moment(t)
	document := path.Join(dir, documentName(t.phase, at))
	in := func(p, text string) { write(h.t, filepath.Join(h.mate.dir, p), text) }
	what := h.r.IntN(4)
	if what != 2 || h.r.IntN(2) == 0 {
		in(document, strings.Join(sections(t.phase, at, h.n), ""))
	}
	var o object
	switch what {
	case 0: // the writer died
		os.Remove(filepath.Join(h.mate.dir, dir, metadataName))
	case 1:
		o = handingOff(h.r, h.n, t.phase, document)
	case 2:
		o = working(h.r, h.n, t.phase+1, time.Time{})
	case 3:
		o = finished(h.r, h.n, "completed")
	}
	if o != nil {
		in(path.Join(dir, metadataName), o.text(h.r))
	}
	h.note("a team mate's agent leaves %s: %s", dir, []string{"a document only", "a handoff", "in_progress", "completed"}[what])
}
