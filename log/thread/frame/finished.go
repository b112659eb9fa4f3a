package frame

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// A line of the file of finished runs is {"session_id":ID,"frames":[FRAME,…]}, in exactly this form: the frames
// are the lines that a file of the run would have.
const (
	finishedStart = `{"session_id":"`
	finishedMid   = `","frames":`
	finishedEnd   = `]}`
)

// FinishedLine is the line of a run that has ended, with all its frames.
func FinishedLine(id string, frames [][]byte) []byte {
	return slices.Concat([]byte(finishedStart), []byte(id), []byte(finishedMid+"["), bytes.Join(frames, []byte{','}), []byte(finishedEnd))
}

// CutFinished is the id of the run of such a line, and the list of its frames.
func CutFinished(line []byte) (id string, frames []byte, err error) {
	rest, begins := bytes.CutPrefix(line, []byte(finishedStart))
	name, frames, has := bytes.Cut(rest, []byte(finishedMid))
	if !begins || !has || !bytes.HasSuffix(frames, []byte(finishedEnd)) {
		return "", nil, fmt.Errorf("want %s…%s…%s", finishedStart, finishedMid, finishedEnd)
	}
	return string(name), frames[:len(frames)-1], nil
}

// FinishedFrames are the frames of such a line.
func FinishedFrames(line []byte) (frames []json.RawMessage, err error) {
	_, list, err := CutFinished(line)
	if err == nil {
		err = json.Unmarshal(list, &frames)
	}
	if err == nil && len(frames) == 0 {
		err = errors.New("has no frames")
	}
	return frames, err
}
