package recording_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/recording"
)

// folder has three recordings: a whole one, one that a crash cut after its
// first batch, and a file that is none.
func folder(t *testing.T) recording.Folder {
	t.Helper()
	f := recording.Folder{Dir: filepath.Join(t.TempDir(), "runs")}
	for run, batches := range map[string]int{"20260101-a": 4, "20260102-b": 1} {
		w, err := f.Create(run)
		if err != nil {
			t.Fatal(err)
		}
		for _, batch := range turn(t)[:batches] {
			if err := w.Append(batch); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, data := range map[string]string{"20260102-c.jsonl": "hello\n", "notes.txt": "no run"} {
		if err := os.WriteFile(filepath.Join(f.Dir, name), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestFindNamesARun(t *testing.T) {
	f := folder(t)
	path := func(run string) string { return filepath.Join(f.Dir, run+".jsonl") }
	for _, c := range []struct{ name, want, err string }{
		{name: "20260101-a", want: path("20260101-a")},
		{name: "20260101", want: path("20260101-a")},
		{name: "last", want: path("20260102-b")}, // 20260102-c is none
		{name: path("20260102-b"), want: path("20260102-b")},
		{name: filepath.Join(f.Dir, "notes.txt"), want: filepath.Join(f.Dir, "notes.txt")},
		{name: "20260102", err: "\"20260102\" is the beginning of 2 recordings; write more of one:\n  20260102-c\n  20260102-b"},
		{name: "", err: "name a run: an id, its beginning, last, or a file"},
		{name: "2027", err: `there is no recording "2027"`},
		{name: "notes", err: `there is no recording "notes"`},
	} {
		got, err := f.Find(c.name)
		if got != c.want || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: got %s, %v", c.name, got, err)
		}
	}
}

func TestAnIDBeatsTheRunsThatItBegins(t *testing.T) {
	f := recording.Folder{Dir: t.TempDir()}
	for _, run := range []string{"a", "ab"} {
		w, err := f.Create(run)
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	if got, err := f.Find("a"); err != nil || got != filepath.Join(f.Dir, "a.jsonl") {
		t.Error(got, err)
	}
}

func TestFewOfManyRunsAreListed(t *testing.T) {
	f := recording.Folder{Dir: t.TempDir()}
	for run := range 8 {
		if err := os.WriteFile(filepath.Join(f.Dir, fmt.Sprintf("a%d.jsonl", run)), []byte("hello\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, err := f.Find("a")
	if want := "\"a\" is the beginning of 8 recordings; write more of one:\n  a7\n  a6\n  a5\n  a4\n  a3\n  and 3 more"; fmt.Sprint(err) != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if _, err := f.Find("last"); err == nil || !strings.Contains(err.Error(), "is a recording") {
		t.Error(err)
	}
}

func TestNothingIsFoundInNothing(t *testing.T) {
	f := recording.Folder{Dir: filepath.Join(t.TempDir(), "nowhere")}
	for _, name := range []string{"last", "a"} {
		if got, err := f.Find(name); err == nil || !strings.Contains(err.Error(), "there are no recordings") {
			t.Error(got, err)
		}
	}
	if list, err := f.List(); len(list) > 0 || err != nil {
		t.Error(list, err)
	}
}

func TestListSumsEveryRecordingUp(t *testing.T) {
	f := folder(t)
	list, err := f.List()
	if err != nil {
		t.Fatal(err)
	}
	for i := range list {
		list[i].Path = filepath.Base(list[i].Path)
		list[i].Error, _, _ = strings.Cut(list[i].Error, ": its first")
		list[i].Error = strings.ReplaceAll(list[i].Error, f.Dir, "DIR")
	}
	want := []recording.Entry{
		{Run: "20260101-a", Path: "20260101-a.jsonl", Map: "desk", Time: time.Unix(0, 0).UTC(), Message: "I want a <refund>",
			Skills: []string{"triage", "person"}, Turns: 1, Calls: 2},
		{Run: "20260102-b", Path: "20260102-b.jsonl", Map: "desk", Time: time.Unix(0, 0).UTC(), Message: "I want a <refund>",
			Skills: []string{"triage"}, Turns: 1, Calls: 1, Incomplete: true},
		{Run: "20260102-c", Path: "20260102-c.jsonl", Skills: []string{}, Error: "DIR/20260102-c.jsonl: this is no recording"},
	}
	if d := cmp.Diff(want, list); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestARunIsRecordedOnceByItsOwnerAlone(t *testing.T) {
	f := folder(t)
	if _, err := f.Create("20260101-a"); !errors.Is(err, os.ErrExist) {
		t.Errorf("got %v", err)
	}
	for path, want := range map[string]os.FileMode{f.Dir: 0o700, filepath.Join(f.Dir, "20260101-a.jsonl"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestARecordingKnowsItsFile(t *testing.T) {
	f := folder(t)
	path, err := f.Find("20260102-b")
	if err != nil {
		t.Fatal(err)
	}
	w, err := recording.Continue(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(slices.Concat(turn(t)[1:]...)), w.Close()); err != nil {
		t.Fatal(err)
	}
	rec, err := recording.Open(path)
	if err != nil || rec.Path != path || w.Recording().Path != path || rec.Incomplete() {
		t.Errorf("%s, %s, %v", rec.Path, w.Recording().Path, err)
	}
	if _, err := recording.Open(filepath.Join(f.Dir, "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestTwoWritersDoNotMeet(t *testing.T) {
	folder := recording.Folder{Dir: t.TempDir()}
	w, err := folder.Create("run")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(nil); err != nil {
		t.Fatal(err)
	}
	path := w.Recording().Path
	if _, err := recording.Continue(path); err == nil || !strings.Contains(err.Error(), "run.jsonl is being written by another turn; wait for its end") {
		t.Errorf("while it is written: %v", err)
	}
	w.Close()
	again, err := recording.Continue(path)
	if err != nil {
		t.Fatal(err)
	}
	again.Close()
}

// The entry of a new file is brought to the disk with its first sync, and never
// again.
func TestTheFolderIsSyncedOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	create := func(run string) *recording.Writer {
		w, err := recording.Folder{Dir: dir}.Create(run)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { w.Close() })
		if err := w.Append(turn(t)[0]); err != nil {
			t.Fatal(err)
		}
		return w
	}
	w := create("first")
	again := create("second")
	if err := w.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := w.Sync(); err != nil {
		t.Errorf("it is synced twice: %v", err)
	}
	if err := again.Sync(); runtime.GOOS == "linux" && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is not synced: %v", err)
	}
}

func TestARunThatGoesOnIsSynced(t *testing.T) {
	f := folder(t)
	w, err := recording.Continue(filepath.Join(f.Dir, "20260102-b.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Append(turn(t)[1]), w.Sync(), w.Close()); err != nil {
		t.Error(err)
	}
	if err := w.Sync(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("a writer that is closed syncs: %v", err)
	}
}

// What is named and is no recording is told for what it is.
func TestFindTellsWhatAFileIs(t *testing.T) {
	dir := t.TempDir()
	f := recording.Folder{Dir: dir}
	for name, want := range map[string]string{
		dir:                           "is a folder; name a recording in it",
		filepath.Join(dir, "nothing"): "there is no file",
		"nothing.jsonl":               "there is no file nothing.jsonl",
	} {
		if _, err := f.Find(name); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}
