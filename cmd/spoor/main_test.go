package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	self = func() (string, error) { return exec.LookPath("spoor") } // which testscript puts on the path
	testscript.Main(m, map[string]func(){"spoor": main})
}

// The scripts have four commands of their own:
//
//	exits CODE PROGRAM ARG…  exec PROGRAM, which must leave with CODE
//	cut FILE TEXT            cut FILE in the middle of the line behind the first that has TEXT
//	edit FILE OLD NEW        replace OLD in FILE; \n in NEW is a line end
//	nowhere TEXT FOLDER      no file in FOLDER may have TEXT
//
// A FILE of cut and edit may have a * in it, if that makes it one file.
//
// $MODELS is the address of a modelServer, $DESK the folder of the refund desk.
func TestScripts(t *testing.T) {
	models := modelServer()
	t.Cleanup(models.Close)
	desk, err := filepath.Abs("../../examples/refund-desk")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "cut": cut, "edit": edit, "nowhere": nowhere,
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("MODELS", models.URL)
			env.Setenv("DESK", desk)
			return nil
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG…")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		code = exit.ExitCode()
	}
	if code != want {
		ts.Fatalf("it left with %d, want %d", code, want)
	}
}

func cut(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cut FILE TEXT")
	}
	file := theFile(ts, args[0])
	data, err := os.ReadFile(file)
	ts.Check(err)
	i := bytes.Index(data, []byte(args[1]))
	if i < 0 {
		ts.Fatalf("%s has no line with %s", file, args[1])
	}
	i += bytes.IndexByte(data[i:], '\n') + 1
	n := bytes.IndexByte(data[i:], '\n')
	if n < 0 {
		ts.Fatalf("nothing follows the line with %s", args[1])
	}
	ts.Check(os.WriteFile(file, data[:i+n/2], 0o600))
}

func edit(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: edit FILE OLD NEW")
	}
	file := theFile(ts, args[0])
	data, err := os.ReadFile(file)
	ts.Check(err)
	if !strings.Contains(string(data), args[1]) {
		ts.Fatalf("%s does not have %q", file, args[1])
	}
	ts.Check(os.WriteFile(file, bytes.ReplaceAll(data, []byte(args[1]), []byte(strings.ReplaceAll(args[2], `\n`, "\n"))), 0o600))
}

// theFile is the one file that a pattern names.
func theFile(ts *testscript.TestScript, pattern string) string {
	found, err := filepath.Glob(ts.MkAbs(pattern))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%s names %d files, want one", pattern, len(found))
	}
	return found[0]
}
