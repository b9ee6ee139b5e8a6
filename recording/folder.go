package recording

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spoorhq/spoor/event"
)

// A Folder holds recordings, one file a run. The folder is made when the
// first run is recorded.
type Folder struct{ Dir string }

const suffix = ".jsonl"

// Create begins the recording of a run.
func (f Folder) Create(run string) (*Writer, error) {
	made := f.made()
	if err := os.MkdirAll(f.Dir, 0o700); err != nil {
		return nil, err
	}
	path := filepath.Join(f.Dir, run+suffix)
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, err
	}
	if err := lock(file); err != nil {
		file.Close()
		return nil, err
	}
	w := NewWriter(file, run)
	w.r.Path, w.folders = path, append(made, f.Dir)
	return w, nil
}

// made are the folders that get a new entry when this one is made.
func (f Folder) made() (folders []string) {
	for dir := filepath.Clean(f.Dir); ; {
		_, err := os.Stat(dir)
		up := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || up == dir {
			return folders
		}
		folders, dir = append(folders, up), up
	}
}

// Continue opens the file of a recording to append to it. What a crash left of
// a line is cut off with the first write. A recording that is not as it was
// written, or that somebody else writes, is refused.
func Continue(path string) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND, 0)
	if err != nil {
		return nil, err
	}
	w, err := resume(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return w, nil
}

// resume reads what the file has, once nobody else can write it.
func resume(file *os.File) (*Writer, error) {
	if err := lock(file); err != nil {
		return nil, err
	}
	rec, s, err := read(file)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	case len(s.faults) > 0:
		return nil, fmt.Errorf("%s is not as it was written and cannot go on: %s", file.Name(), s.faults[0])
	}
	rec.Path, rec.written = file.Name(), 1
	w := &Writer{r: rec, w: file, lines: s.lines, hash: s.hash, unsealed: s.unsealed > 0 || s.torn, folders: []string{filepath.Dir(file.Name())}}
	if s.torn {
		w.w = &tornFile{file, s.whole}
	}
	return w, nil
}

// A tornFile cuts off what a crash left of a line before the first write, so
// that a file which is opened and not written to stays as it is.
type tornFile struct {
	*os.File
	whole int64 // bytes up to the last whole line; -1 once the rest is cut off
}

func (f *tornFile) Write(b []byte) (int, error) {
	if f.whole >= 0 {
		if err := f.Truncate(f.whole); err != nil {
			return 0, err
		}
		f.whole = -1
	}
	return f.File.Write(b)
}

// Close closes the file of the recording, if it has one. The recording can go
// on with another Writer then, and no more with this one.
func (w *Writer) Close() error {
	if w.closed {
		return nil
	}
	w.closed = true
	atomic.StoreUint32(&w.r.written, 0)
	if file, ok := w.w.(io.Closer); ok {
		return file.Close()
	}
	return nil
}

// Find returns the path of a run, named by its id, by a unique beginning of
// it, by the word last, or by a file. Files that are no recordings are passed
// over in the search for the last one.
func (f Folder) Find(name string) (string, error) {
	if name == "" {
		return "", errors.New("name a run: an id, its beginning, last, or a file")
	}
	runs, err := f.runs()
	if err != nil {
		return "", err
	}
	info, err := os.Stat(name)
	switch {
	case slices.Contains(runs, name):
		return f.path(name), nil
	case name == "last" && len(runs) > 0:
		return f.last(runs)
	case err == nil && !info.IsDir():
		return name, nil
	case err == nil && !slices.ContainsFunc(runs, func(run string) bool { return strings.HasPrefix(run, name) }):
		return "", fmt.Errorf("%s is a folder; name a recording in it", name)
	case err != nil && strings.ContainsRune(name, filepath.Separator), err != nil && strings.HasSuffix(name, suffix):
		return "", fmt.Errorf("there is no file %s", name)
	case len(runs) == 0:
		return "", fmt.Errorf("there are no recordings in %s; make one with spoor demo or spoor run", f.Dir)
	}
	var found []string
	for _, run := range runs {
		if strings.HasPrefix(run, name) {
			found = append(found, run)
		}
	}
	switch len(found) {
	case 0:
		return "", fmt.Errorf("there is no recording %q in %s; spoor runs lists them", name, f.Dir)
	case 1:
		return f.path(found[0]), nil
	}
	return "", fmt.Errorf("%q is the beginning of %d recordings; write more of one:%s", name, len(found), some(found))
}

func (f Folder) path(run string) string { return filepath.Join(f.Dir, run+suffix) }

// last is the path of the last of the runs that is a recording.
func (f Folder) last(runs []string) (string, error) {
	for _, run := range slices.Backward(runs) {
		file, err := os.Open(f.path(run))
		if err != nil {
			return "", err
		}
		s := newScanner(file)
		s.next()
		file.Close()
		if !errors.Is(s.err, errNoRecording) {
			return f.path(run), nil
		}
	}
	return "", fmt.Errorf("no file in %s is a recording; make one with spoor demo or spoor run", f.Dir)
}

// some lists the last few runs, the newest first, one a line.
func some(runs []string) string {
	const most = 5
	var b strings.Builder
	for i, run := range slices.Backward(runs) {
		if len(runs)-i > most {
			fmt.Fprintf(&b, "\n  and %d more", i+1)
			break
		}
		b.WriteString("\n  " + run)
	}
	return b.String()
}

// runs lists the ids of the recordings, oldest first.
func (f Folder) runs() ([]string, error) {
	entries, err := os.ReadDir(f.Dir)
	var path *fs.PathError
	switch {
	case err == nil, errors.Is(err, fs.ErrNotExist):
	case errors.As(err, &path):
		return nil, fmt.Errorf("%s cannot be read as a folder of recordings: %w", f.Dir, path.Err)
	default:
		return nil, err
	}
	var runs []string
	for _, e := range entries {
		if run, ok := strings.CutSuffix(e.Name(), suffix); ok && !e.IsDir() && e.Type()&(fs.ModeNamedPipe|fs.ModeSocket|fs.ModeDevice) == 0 {
			runs = append(runs, run)
		}
	}
	slices.Sort(runs)
	return runs, nil
}

// An Entry is a recording in a list.
type Entry struct {
	Run        string    `json:"run"`
	Path       string    `json:"path"`
	Map        string    `json:"map,omitempty"` // the name of the map
	Time       time.Time `json:"time"`          // of the first event
	Message    string    `json:"message"`       // the first of the run
	Skills     []string  `json:"skills"`        // where the walk stood, in order
	Turns      int       `json:"turns"`
	Calls      int       `json:"calls"` // model calls
	Incomplete bool      `json:"incomplete,omitempty"`
	Waiting    *Question `json:"waiting,omitempty"` // for a person; nil if the run waits for nobody
	Error      string    `json:"error,omitempty"`   // why it cannot be read
}

// List reads all recordings of the folder, oldest first. One that cannot be
// read is listed with its error.
func (f Folder) List() ([]Entry, error) {
	runs, err := f.runs()
	if err != nil {
		return nil, err
	}
	list := make([]Entry, 0, len(runs))
	for _, run := range runs {
		path := f.path(run)
		rec, err := Open(path)
		if err != nil {
			list = append(list, Entry{Run: run, Path: path, Skills: []string{}, Error: err.Error()})
			continue
		}
		e := rec.Entry()
		e.Run = run // by which it is found, whatever its first line says
		list = append(list, e)
	}
	return list, nil
}

// Entry sums the recording up.
func (r *Recording) Entry() Entry {
	e := Entry{Run: r.Run, Path: r.Path, Skills: []string{}, Incomplete: r.Incomplete(), Waiting: r.Waiting(), Error: r.Damage}
	if m, err := r.Map(); err == nil {
		e.Map = m.Name
	}
	for i := range r.Events {
		switch b := r.Events[i].Body.(type) {
		case *event.Started:
			if e.Turns++; e.Turns == 1 {
				e.Time, e.Message = r.Events[i].Time, b.Message.Data
			}
		case *event.Evaluated:
			if to := b.Move.To; to != "" && (len(e.Skills) == 0 || e.Skills[len(e.Skills)-1] != to) {
				e.Skills = append(e.Skills, to)
			}
		case *event.Called:
			e.Calls++
		}
	}
	return e
}
