package dashboard

import (
	"errors"
	"fmt"
	"net/http"
	"syscall"

	"handoff/internal/file/regular"
	"handoff/workspace"
)

// only is why pages of the workspace only show it, "" if they may act: this user may not write receipts, or
// no files of the workspace.
func (d *Dashboard) only(ws *workspace.Workspace) string {
	if d.Handoffs == nil {
		return "" // it was never meant to act
	}
	store, err := ws.Receipts()
	if err != nil {
		return "These pages only show the workspace: " + err.Error() + "."
	}
	for _, dir := range []string{store.Place().Dir, ws.Root} {
		dir = regular.Existing(dir)
		switch err := regular.Writable(dir); {
		case errors.Is(err, syscall.ENOSPC): // an act says so, and can be repeated
		case errors.Is(err, syscall.EROFS):
			return fmt.Sprintf("These pages only show the workspace: the file system of %s is read-only.", dir)
		case err != nil:
			return fmt.Sprintf("These pages only show the workspace: the user of the server may not write to %s.", dir)
		}
	}
	return ""
}

// mayAct returns the failure of an act that is not offered.
func (a asking) mayAct(offered bool) error {
	if why := a.only(a.ws); why != "" {
		return &failure{http.StatusForbidden, why}
	}
	if !offered {
		return notOffered
	}
	return nil
}
