package receipt

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"handoff/document/handoff"
)

// keyBytes of the SHA-256 of a path name its journal. Two paths that shared a
// name would be found out: each step contains the path.
const keyBytes = 8

// keyOf is the name of the journal of a handoff or of work, without the extension.
func keyOf(path string) string { return string(appendKey(nil, path)) }

func appendKey(to []byte, path string) []byte {
	log, _ := logOf(path)
	var text [256]byte
	sum := sha256.Sum256(append(text[:0], log...))
	if IsWork(log) {
		to = append(to, workKey...)
		return hex.AppendEncode(to, sum[:keyBytes-len(workKey)/2])
	}
	return hex.AppendEncode(to, sum[:keyBytes])
}

// workKey begins the names of the logs of work, so that a listing finds them without reading all
// others. One of 65,536 handoffs has it, too.
const workKey = "0000"

// claimID is KEY.TOKEN.RANDOM, so that a claim by itself leads to its handoff.
func claimID(path string, token uint64, random string) string {
	return keyOf(path) + "." + strconv.FormatUint(token, 10) + "." + random
}

// ParseClaim is the fencing token and the key of a claim's id. It does not
// check whether the claim was ever made.
func ParseClaim(id string) (key string, token uint64, err error) {
	key, rest, _ := strings.Cut(id, ".")
	number, random, ok := strings.Cut(rest, ".")
	token, bad := strconv.ParseUint(number, 10, 64)
	if sum, notHex := hex.DecodeString(key); notHex != nil || len(sum) != keyBytes || key != strings.ToLower(key) || bad != nil || !ok || random == "" {
		return "", 0, fmt.Errorf("%w: HANDOFF_CLAIM %q: want what `handoff claim` printed", handoff.ErrInvalid, id)
	}
	return key, token, nil
}
