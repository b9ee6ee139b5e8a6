package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/mapfile"
)

// openMap opens a map file. Faults are what is wrong in it, and then the File
// is what could be read, or nil; the error says that it could not be read at
// all.
func openMap(name string) (*mapfile.File, mapfile.Faults, error) {
	f, err := mapfile.Open(name)
	var faults mapfile.Faults
	var path *fs.PathError
	switch {
	case err == nil:
		return f, nil, nil
	case errors.As(err, &faults):
		return f, below(filepath.Dir(name), faults), nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, fmt.Errorf("there is no map file %s; give the path of one", name)
	case errors.As(err, &path):
		err = path.Err
	}
	return nil, nil, fmt.Errorf("%s cannot be read: %w; give the path of a map file", name, err)
}

// locate gives problems of a map their places in its files.
func locate(f *mapfile.File, ps spoor.Problems) mapfile.Faults {
	return below(f.Dir(), f.Locate(ps))
}

// below names the files of faults from the working directory on.
func below(dir string, faults mapfile.Faults) mapfile.Faults {
	for i := range faults {
		if file := &faults[i].Pos.File; *file != "" {
			*file = filepath.Join(dir, *file)
		}
	}
	return faults
}

// sortFaults puts faults into the order of their places.
func sortFaults(faults mapfile.Faults) {
	slices.SortStableFunc(faults, func(a, b mapfile.Fault) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), a.Pos.Line-b.Pos.Line, a.Pos.Column-b.Pos.Column)
	})
}

// wrong is the error of faults in the cases, or the facts, that are asked about.
func wrong(what string, faults mapfile.Faults) error {
	if len(faults) == 1 {
		return faults
	}
	return fmt.Errorf("the %s are wrong, for %d reasons:\n%w", what, len(faults), faults)
}

// unreadable is the error of a file that could be found and not read.
func unreadable(name string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return fmt.Errorf("%s cannot be read: %w; give the path of a file", name, err)
}

// faultCode is the exit code of faults. Where all of them are things that are
// not there or not known here, the question could not be asked; anything else
// is a map that is wrong.
func faultCode(faults mapfile.Faults) int {
	for _, f := range faults {
		switch f.Code {
		case "bad-file", "unknown-tool", "unsupported", "unset-variable":
		default:
			return no
		}
	}
	return unasked
}
