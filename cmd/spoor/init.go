package main

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/spoorhq/spoor/mapfile"
)

// starter is the map that init writes, with the files that it names.
//
//go:embed starter
var starter embed.FS

func newInit() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a small map that runs, to change into your own",
		Long: `Write a parcel desk into a folder, which is made if it is not there: a map with comments on its
keys, two skills, a script that answers in place of a model, cases for spoor test, and the schema
of spoor schema for editors. It runs as it is, without a network and without a key.

Nothing is overwritten: if one of its files is there already, none is written and it leaves with 2.`,
		Example: "  spoor init\n  spoor init parcel-desk",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("spoor init wants one DIR or none, and %d arguments were given", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := filepath.Clean(strings.Join(args, "")) // "." without one
			files, err := starterFiles()
			if err != nil {
				return err
			}
			if err := writeNew(dir, files); err != nil {
				return err
			}
			tellNext(cmd.OutOrStdout(), dir, files)
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
}

// A newFile is a file to be written; its name has slashes.
type newFile struct {
	name string
	data []byte
}

func starterFiles() ([]newFile, error) {
	files := []newFile{{"spoor.schema.json", mapfile.Schema()}}
	err := fs.WalkDir(starter, "starter", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := starter.ReadFile(name)
		files = append(files, newFile{strings.TrimPrefix(name, "starter/"), data})
		return err
	})
	return files, err
}

// writeNew writes files below dir, all of them or none; none of them may be
// there.
func writeNew(dir string, files []newFile) (err error) {
	var there, made []string
	path := func(f newFile) string { return filepath.Join(dir, filepath.FromSlash(f.name)) }
	for _, f := range files {
		if _, err := os.Lstat(path(f)); err == nil {
			there = append(there, path(f))
		}
	}
	if there != nil {
		return fmt.Errorf("nothing was written, since these are there already: %s; name another folder, or move them away", strings.Join(there, ", "))
	}
	defer func() {
		if err == nil {
			return
		}
		err = fmt.Errorf("the files could not be written: %w", err)
		for _, name := range slices.Backward(made) {
			err = errors.Join(err, os.Remove(name))
		}
	}()
	for _, f := range files {
		if err := makeFolder(filepath.Dir(path(f)), &made); err != nil {
			return err
		}
		file, err := os.OpenFile(path(f), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return err
		}
		made = append(made, path(f))
		_, err = file.Write(f.data)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// makeFolder makes a folder and those around it, and adds to made which.
func makeFolder(dir string, made *[]string) error {
	err := os.Mkdir(dir, 0o777)
	if around := filepath.Dir(dir); errors.Is(err, fs.ErrNotExist) && around != dir {
		if err := makeFolder(around, made); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o777)
	}
	if info, statErr := os.Stat(dir); errors.Is(err, fs.ErrExist) && statErr == nil && info.IsDir() {
		return nil
	}
	if err == nil {
		*made = append(*made, dir)
	}
	return err
}

// tellNext says what was written, and what to do with it.
func tellNext(w io.Writer, dir string, files []newFile) {
	fmt.Fprintln(w, "Wrote a parcel desk, to change into your own:")
	for _, f := range files {
		fmt.Fprintf(w, "  %s\n", filepath.Join(dir, filepath.FromSlash(f.name)))
	}
	fmt.Fprintf(w, `
What to try next:
  spoor check %[1]s
  spoor run %[1]s -m "Where is my parcel 7?"
  spoor why last
  spoor why last --move 2
  spoor test %[1]s

Ask for parcel 8 or 9 to see where that leads. Change a line of a SKILL.md, and ask again.
`, word(filepath.Join(dir, "map.yaml")))
}
