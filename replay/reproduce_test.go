package replay_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/replay"
)

// Every recording in the repository, and every one in the folder that
// SPOOR_RECORDINGS names, reproduces itself, twice, byte for byte.
func TestRecordingsReproduceThemselves(t *testing.T) {
	roots := []string{".."}
	if dir := os.Getenv("SPOOR_RECORDINGS"); dir != "" {
		roots = append(roots, dir)
	}
	n := 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
				return err
			}
			data, err := os.ReadFile(path)
			if err != nil || !bytes.HasPrefix(data, []byte(`{"spoor":`)) {
				return err // other lines of JSON
			}
			n++
			rec, err := recording.Read(bytes.NewReader(data))
			if err != nil {
				t.Errorf("%s: %v", path, err)
				return nil
			}
			for range 2 {
				p := replay.Reproduce(rec, bytes.NewReader(data))
				if !p.Same || p.Lines == 0 || p.Events != len(rec.Events) {
					t.Errorf("%s:\n%s", path, p)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n == 0 {
		t.Error("there is no recording in the repository")
	}
}
