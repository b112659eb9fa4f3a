package journal

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"sort"

	"handoff/internal/file/nofollow"
)

// extend writes values after the first count of a file and flushes it.
func extend(root nofollow.Root, path string, mode fs.FileMode, count uint64, values []uint64) error {
	f, err := root.OpenFile(path, os.O_RDWR|os.O_CREATE, mode)
	if err != nil {
		return err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || uint64(st.Size()) < 8*count {
		return errors.Join(err, io.ErrUnexpectedEOF)
	}
	b := make([]byte, 0, 8*len(values))
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, v)
	}
	if _, err := f.WriteAt(b, int64(8*count)); err != nil {
		return err
	}
	return f.Sync()
}

// column is a file of numbers that is open for reading.
type column struct{ *os.File }

func openColumn(root nofollow.Root, path string) (column, error) {
	f, err := root.OpenFile(path, os.O_RDONLY, 0)
	return column{f}, err
}

func (c column) at(i uint64) (uint64, error) {
	var b [8]byte
	_, err := c.ReadAt(b[:], int64(8*i))
	return binary.LittleEndian.Uint64(b[:]), noEOF(err)
}

// some reads n numbers from number i on.
func (c column) some(i, n uint64) ([]uint64, error) {
	b := make([]byte, 8*n)
	if _, err := c.ReadAt(b, int64(8*i)); err != nil {
		return nil, noEOF(err)
	}
	values := make([]uint64, n)
	for k := range values {
		values[k] = binary.LittleEndian.Uint64(b[8*k:])
	}
	return values, nil
}

// noEOF: a file that lacks numbers which a head counts is damaged.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// search is sort.Search with errors.
func search(count uint64, after func(i uint64) (bool, error)) (n uint64, err error) {
	n = uint64(sort.Search(int(count), func(i int) bool {
		is, e := after(uint64(i))
		err = errors.Join(err, e)
		return is
	}))
	return n, err
}

// key reads pair i of a run.
func (c column) key(i uint64) (key, error) {
	pair, err := c.some(2*i, 2)
	if err != nil {
		return key{}, err
	}
	return key{pair[0], pair[1]}, nil
}

// before is how many of a run's count keys come before k.
func (c column) before(count uint64, k key) (uint64, error) {
	return search(count, func(i uint64) (bool, error) {
		at, err := c.key(i)
		return at.compare(k) >= 0, err
	})
}

// runBlock is how many pairs are read at once when the place is nearly found.
const runBlock = 256

// withHash returns the positions that a run of count pairs has for a hash.
func (c column) withHash(count, hash uint64) (found []uint64, err error) {
	blocks, err := search((count+runBlock-1)/runBlock, func(i uint64) (bool, error) { // the first block that starts at the hash or after it
		first, err := c.at(2 * runBlock * i)
		return first >= hash, err
	})
	for i := max(blocks, 1)*runBlock - runBlock; i < count && err == nil; i += runBlock {
		var pairs []uint64
		pairs, err = c.some(2*i, 2*min(runBlock, count-i))
		for k := 0; k < len(pairs) && pairs[k] <= hash; k += 2 {
			if pairs[k] == hash {
				found = append(found, pairs[k+1])
			}
		}
		if len(pairs) > 0 && pairs[len(pairs)-2] > hash {
			break
		}
	}
	return found, err
}

func (k key) compare(o key) int {
	return cmp.Or(cmp.Compare(k.hash, o.hash), cmp.Compare(k.pos, o.pos))
}

// source returns the pairs of a run, or of memory, one after the other.
type source struct {
	key  key
	file *bufio.Reader
	keys []key
}

func (s *source) advance() (ok bool, err error) {
	if s.file == nil {
		if len(s.keys) == 0 {
			return false, nil
		}
		s.key, s.keys = s.keys[0], s.keys[1:]
		return true, nil
	}
	var b [16]byte
	if _, err := io.ReadFull(s.file, b[:]); err != nil {
		if err == io.EOF {
			return false, nil
		}
		return false, err
	}
	s.key = key{binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])}
	return true, nil
}

const bufferBytes = 64 << 10

// mergeRuns writes sorted keys and the runs at some paths as one new run.
func mergeRuns(root nofollow.Root, path string, mode fs.FileMode, keys []key, runs []string, counts []uint64) (err error) {
	sources := []*source{{keys: keys}}
	for i, run := range runs {
		f, err := root.OpenFile(run, os.O_RDONLY, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		sources = append(sources, &source{file: bufio.NewReaderSize(io.NewSectionReader(f, 0, int64(16*counts[i])), bufferBytes)})
	}
	out, err := root.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	defer out.Close()
	w := bufio.NewWriterSize(out, bufferBytes)
	if err := merge(w, sources); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return out.Sync()
}

// merge writes the pairs of sorted sources in order.
func merge(w *bufio.Writer, sources []*source) error {
	live := sources[:0]
	for _, s := range sources {
		ok, err := s.advance()
		if err != nil {
			return err
		}
		if ok {
			live = append(live, s)
		}
	}
	for len(live) > 0 {
		least := 0
		for i, s := range live {
			if s.key.compare(live[least].key) < 0 {
				least = i
			}
		}
		k := live[least].key
		b := binary.LittleEndian.AppendUint64(w.AvailableBuffer(), k.hash)
		if _, err := w.Write(binary.LittleEndian.AppendUint64(b, k.pos)); err != nil {
			return err
		}
		ok, err := live[least].advance()
		if err != nil {
			return err
		}
		if !ok {
			live = append(live[:least], live[least+1:]...)
		}
	}
	return nil
}
