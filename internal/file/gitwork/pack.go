package gitwork

import (
	"bytes"
	"compress/zlib"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"hash/adler32"
	"strings"
)

// A pack collects contents for the repository. One run of git stores all of them: a run for
// each would take longer than all else.
type pack struct {
	ids   []string
	data  map[string][]byte // of the object in a pack, by id
	plain *zlib.Writer
}

// small is the size up to which a content is not compressed: that would cost more than
// reading and hashing it, and git compresses it when it packs its objects.
const small = 16 << 10

func (p *pack) add(id string, src []byte) {
	if p.data[id] != nil {
		return
	}
	if p.data == nil {
		p.data = map[string][]byte{}
	}
	const blob = 3
	out := header(blob, len(src))
	if len(src) <= small {
		out = stored(out, src)
	} else {
		out = p.compressed(out, src)
	}
	p.ids, p.data[id] = append(p.ids, id), out
}

// header is the type and size of an object in a pack.
func header(kind byte, size int) (out []byte) {
	c := kind<<4 | byte(size&15)
	for size >>= 4; size > 0; size >>= 7 {
		out = append(out, c|0x80)
		c = byte(size & 0x7f)
	}
	return append(out, c)
}

// stored appends a zlib stream of one block that is not compressed.
func stored(out, src []byte) []byte {
	n := uint16(len(src))
	out = append(out, 0x78, 0x01, 1)
	out = binary.LittleEndian.AppendUint16(out, n)
	out = binary.LittleEndian.AppendUint16(out, ^n)
	out = append(out, src...)
	return binary.BigEndian.AppendUint32(out, adler32.Checksum(src))
}

func (p *pack) compressed(out, src []byte) []byte {
	b := bytes.NewBuffer(out)
	if p.plain == nil {
		p.plain, _ = zlib.NewWriterLevel(b, zlib.BestSpeed) // the level is valid
	} else {
		p.plain.Reset(b)
	}
	_, _ = p.plain.Write(src) // a buffer returns no errors
	_ = p.plain.Close()
	return b.Bytes()
}

// bytes is the pack with some of the objects.
func (p *pack) bytes(ids []string, algorithm string) []byte {
	out := binary.BigEndian.AppendUint32([]byte("PACK\x00\x00\x00\x02"), uint32(len(ids)))
	for _, id := range ids {
		out = append(out, p.data[id]...)
	}
	var h hash.Hash = sha1.New()
	if algorithm == "sha256" {
		h = sha256.New()
	}
	h.Write(out)
	return h.Sum(out)
}

// loose is the number of objects from which they are stored as a pack, as git does with
// those that it fetches.
const loose = 100

// store stores the contents. A killed run leaves a temporary file that `git gc` removes, and
// no object that is not whole.
//
// Few objects are written again if they exist, which makes their files as young as new ones,
// so that no `git gc` that runs meanwhile removes them before a ref names them.
func (r *Repo) store(ctx context.Context, p *pack) error {
	if len(p.ids) == 0 {
		return nil
	}
	if len(p.ids) <= loose {
		_, err := r.run(ctx, job{args: []string{"unpack-objects", "-q"}, in: p.bytes(p.ids, r.hash)})
		return err
	}
	missing, err := r.missing(ctx, p.ids)
	if err != nil || len(missing) == 0 {
		return err
	}
	verb := []string{"index-pack", "--stdin"}
	if len(missing) <= loose {
		verb = []string{"unpack-objects", "-q"}
	}
	_, err = r.run(ctx, job{args: verb, in: p.bytes(missing, r.hash)})
	return err
}

// missing are those objects that the repository lacks.
func (r *Repo) missing(ctx context.Context, ids []string) (missing []string, err error) {
	out, err := r.run(ctx, job{args: []string{"cat-file", "--batch-check=%(objectname)", "--buffer"}, in: []byte(strings.Join(ids, "\n") + "\n")})
	for l := range strings.Lines(string(out)) {
		if id, ok := strings.CutSuffix(strings.TrimSpace(l), " missing"); ok {
			missing = append(missing, id)
		}
	}
	return missing, err
}
