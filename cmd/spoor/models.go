package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/mapfile"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/model/anthropic"
	"github.com/spoorhq/spoor/model/openai"
	"github.com/spoorhq/spoor/model/script"
)

// A namedModel is one that a map file names, and where.
type namedModel struct {
	ref  spoor.Ref
	name string // empty: it names none there
}

// modelsOf are the models of a map file: the one that answers is the first.
func modelsOf(f *mapfile.File) []namedModel {
	a := &f.Agent
	return []namedModel{
		{"agent.model", a.Model}, {"agent.classifierModel", a.ClassifierModel}, {"agent.deciderModel", a.DeciderModel},
	}
}

// openModel opens the model that one string names: script:FILE, which is named
// from dir on, openai/NAME or anthropic/NAME.
func openModel(name, dir string) (model.Model, error) {
	if file := scriptOf(name); file != "" {
		m, err := openScript(file, dir)
		if err != nil {
			return nil, err
		}
		return m, nil
	}
	m := vendorModel(name)
	if m == nil {
		return nil, errors.New(noModel(name))
	}
	return m, m.Check()
}

// A vendorModel of a name, or nil if the name is of another form. Its address
// and its key come from the variables of the vendor, and never from a map
// file: a map is data, which must not send a key anywhere.
func vendorModel(name string) interface {
	model.Model
	model.Checker
} {
	vendor, name, _ := strings.Cut(name, "/")
	switch {
	case name == "":
	case vendor == "openai":
		return openai.Model{Name: name}
	case vendor == "anthropic":
		return anthropic.Model{Name: name}
	}
	return nil
}

// noModel says that a string names no model, and what to write.
func noModel(name string) string {
	hint := "write openai/NAME, anthropic/NAME or script:FILE"
	if path, ok := strings.CutSuffix(name, ".yaml"); ok {
		hint = "did you mean script:" + path + ".yaml?"
	}
	for prefix, vendor := range map[string]string{"gpt": "openai", "claude": "anthropic"} {
		if strings.HasPrefix(name, prefix) {
			hint = "did you mean " + vendor + "/" + name + "?"
		}
	}
	return fmt.Sprintf("%q names no model; %s", name, hint)
}

// scriptOf is the file of a model that is a script, or empty.
func scriptOf(model string) string {
	file, ok := strings.CutPrefix(model, "script:")
	if !ok {
		return ""
	}
	return file
}

// A noScript says why a script cannot be opened, and what to do.
type noScript struct{ message, hint string }

func (e *noScript) Error() string { return e.message + "; " + e.hint }

// openScript opens a script, which is named from dir on. The error is a
// *noScript or script.Faults.
func openScript(file, dir string) (*script.Model, error) {
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	m, err := script.Open(file)
	var path *fs.PathError
	switch info, statErr := os.Stat(file); {
	case errors.Is(err, os.ErrNotExist):
		err = &noScript{"there is no script " + file, "write one, or name another with --script"}
	case statErr == nil && info.IsDir():
		err = &noScript{"the script " + file + " is a folder", "name a file of rules in it"}
	case errors.As(err, &path):
		err = &noScript{fmt.Sprintf("the script %s cannot be read: %v", file, path.Err), "name another with --script"}
	}
	return m, err
}

// cutShort says what cut an answer short, or nothing.
func cutShort(stop model.Stop) string {
	switch stop {
	case model.StopLength:
		return "A limit of tokens cut the answer short."
	case model.StopRefusal:
		return "The model or its provider withheld the answer, or a part of it."
	}
	return ""
}
