// Package mapfile reads and writes map files: a [spoor.Map] in YAML or JSON,
// its skills, and what an agent that is run from a file adds.
//
//	map.yaml, SKILL.md, *.md ──Read──▶ File{Map, Agent, …} ──Marshal──▶ map.yaml
//	                                     │
//	spoor.Compile, check ── Problems ──Locate──▶ Faults, each with file:line:column
//
// # Reading
//
// A map file is read strictly: unknown keys, duplicate keys and wrong types are
// faults, and all of them are reported at once, each with its place and what to
// do. Only faults in the syntax of a file end the reading of that file. Read
// does not compile the map; it checks what only a file can have.
//
// The YAML is that of version 1.2 with its core schema, so yes, no, on, off and
// dates are words. A number that is not in JSON notation (010, 0x1F, 1_000, .5,
// .inf) is refused where a number or any datum is meant, and the digits of one
// that is survive as they are. Anchors, aliases, tags, directives and second
// documents are refused, and all such refusals of a file are reported at once.
//
// Some values have a short form: `start: triage` is {use: triage}, an entry may
// be its id alone, and one phrase may stand where a list of phrases is wanted.
//
// # Codes
//
// The faults that Read reports:
//
//	syntax          the file cannot be read as YAML
//	unknown-key     a key that nothing reads
//	duplicate-key   a key that stands twice in one mapping
//	missing-key     a key that must be there
//	exclusive-keys  keys of which only one may be there
//	wrong-type      a value of another type, or a word outside a closed set
//	duplicate-name  two tools, servers, facts or instructions of one name, or a
//	                tool that a skill lists twice
//	bad-match       a matcher without regex, keywords, all or intent
//	bad-routing     a menuSize that is no whole number
//	bad-status      a status outside the closed set
//	bad-file        a file or folder that the map names and that cannot be used
//	bad-skill       a SKILL.md that breaks the rules of the Agent Skills format
//	literal-value   a value of env or headers that is not ${NAME}
//	more            the faults after the first hundred
//
// # Limits
//
// A map file has at most 16 MiB, a SKILL.md or a bodyFile 1 MiB, all files of a
// map together 64 MiB; a map has at most 20,000 skills. Values nest at most 64
// levels, and a file holds at most 1,048,576 of them. A key has at most 256 bytes,
// but for those inside a result or an inputSchema.
package mapfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/internal/yaml"
)

const (
	maxMapBytes   = 16 << 20
	maxBodyBytes  = 1 << 20
	maxTotalBytes = 64 << 20
	maxSkills     = 20000
	maxKeyBytes   = 256
	maxFaults     = 100
)

// A File is a map file: the map, and what an agent that is run from a file
// adds. It is plain data, which whoever read it may change; the zero File with
// a Map can be written.
type File struct {
	Map        *spoor.Map
	Agent      Agent
	MCPServers []Server // in declared order
	Tools      []Tool   // tools with fixed results
	Cases      []Case   // for spoor test

	dir    string
	places map[spoor.Ref]Position
}

// Dir is the folder that the map file is in, and that the names in it are
// relative to: as it was given to Open, or inside the file system that was
// given to Read. It is empty for a File that was not read.
func (f *File) Dir() string { return f.dir }

// An Agent is how a file sets up the agent that walks its map. A field that is
// zero was not given.
type Agent struct {
	Model           string // such as script:script.yaml
	ClassifierModel string
	DeciderModel    string
	Embedding       Embedding
	System          string
	MaxInlineBytes  int
	Posture         string // assist, guard or rails
	Continuity      string // turn or conversation
	Check           string // throw, warn or off
	Sync            string // effects

	// Bounds of a turn.
	MaxIterations int
	Limits        spoor.Limits

	spoor.Injections
}

// An Embedding is where texts are embedded. Its key comes from the environment.
type Embedding struct{ URL, Model string }

// A Server is an MCP server: a Command to run or a URL to call.
type Server struct {
	Name    string
	Command string
	Args    []string
	Env     []Variable
	URL     string
	Headers []Variable
}

// A Variable is a variable of a server's environment, or a header, whose value
// is that of the variable From of our own environment; a file writes it as
// NAME: ${FROM}.
type Variable struct{ Name, From string }

// A Tool is a tool with fixed results, for demonstrations and tests.
type Tool struct {
	Name        string
	Description string
	InputSchema string // compact JSON; empty if there is none
	Results     []Result
}

// A Result of a Tool is given if its condition holds and none before it does.
type Result struct {
	If     string // a condition over the arguments and the answer; empty: always
	Result string // compact JSON; empty if there is none
	Status spoor.Status
	Ask    string // in place of a result: what a person is asked
}

// A Case is a test of a map. It has Say and says where that message starts, or
// it has At and says where tool results lead from there.
type Case struct {
	Say    string
	Starts string // a skill, or empty for nowhere
	By     string // the cause, or the address of the rule; empty: any

	At      string
	Results []CaseResult
	Leads   string   // a skill, or empty if they lead nowhere
	Closed  []string // all steps whose guard stays shut, by address or target; nil: not said

	Pos Position // where the case stands
}

// A CaseResult is what a tool returned.
type CaseResult struct {
	Tool   string
	Result string // compact JSON; empty if there is none
	Status spoor.Status

	// Executed says whether the call reached its tool. If nil, it did.
	Executed *bool
}

// Read reads the map file of that name, and the files that it names, which must
// be in its folder or below. If the map file itself cannot be opened, the error
// is that of fsys; if there is anything wrong in a file, it is Faults. Beside
// Faults the File, if it is not nil, holds what could be read: it is for telling
// what else is wrong, and not for anything more.
//
// Positions and the Sources of skills name files relative to the folder of the
// map file. A skill has a Source only if line i of its body is line Line + i - 1
// of the file: the body of a SKILL.md, of a bodyFile, of a literal block (|), or
// a body that stands on one line. One that is folded (>), or in quotes or plain
// over several lines, has none.
func Read(fsys fs.FS, name string) (*File, error) {
	text, err := readFile(fsys, name, maxMapBytes)
	if err != nil {
		return nil, fmt.Errorf("mapfile: %w", err)
	}
	d := newDecoder(fsys, name, len(text))
	root, ok := d.parse(text, path.Base(name), "")
	if !ok {
		return nil, d.err()
	}
	f := &File{Map: new(spoor.Map), dir: path.Dir(name), places: d.places}
	d.places[""] = root.pos
	root.mapFile(f)
	return f, d.err()
}

// Open reads a map file on disk, as Read does. No symbolic link leads it out of
// the folder of the map file.
func Open(name string) (*File, error) {
	dir, base := filepath.Split(name)
	root, err := os.OpenRoot(filepath.Clean(dir))
	if err != nil {
		return nil, fmt.Errorf("mapfile: %w", err)
	}
	defer root.Close()
	f, err := Read(root.FS(), base)
	if f != nil {
		f.dir = filepath.Clean(dir)
	}
	return f, err
}

// ReadCases reads a file that holds the cases of a map: a list, as under the
// key cases of a map file. Its errors are those of Read.
func ReadCases(fsys fs.FS, name string) ([]Case, error) {
	text, err := readFile(fsys, name, maxMapBytes)
	if err != nil {
		return nil, fmt.Errorf("mapfile: %w", err)
	}
	d := newDecoder(fsys, name, len(text))
	var cases []Case
	if root, ok := d.parse(text, path.Base(name), ""); ok {
		if root.has("cases") {
			root.fault("wrong-type", "drop the key cases and keep its list", "a list is wanted here, not a mapping")
		} else {
			listOf(&cases, caseFields)(root)
		}
	}
	return cases, d.err()
}

var (
	errNotFile = errors.New("not a file")
	errTooLong = errors.New("too long")
)

// readFile reads a regular file of at most limit bytes.
func readFile(fsys fs.FS, name string, limit int) ([]byte, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "read", Path: name, Err: errNotFile}
	}
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return readAtMost(file, name, limit)
}

// readAtMost reads what a file of that name has, unless it is more than limit
// bytes.
func readAtMost(r io.Reader, name string, limit int) ([]byte, error) {
	var b bytes.Buffer
	if _, err := b.ReadFrom(io.LimitReader(r, int64(limit)+1)); err != nil {
		return nil, err
	}
	if b.Len() > limit {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fmt.Errorf("%w: it has more than %d bytes", errTooLong, limit)}
	}
	return b.Bytes(), nil
}

// parse reads the syntax of a file, which holds the value at ref.
func (d *decoder) parse(text []byte, file string, ref spoor.Ref) (v value, ok bool) {
	n, faults := yaml.Read(text)
	for _, f := range faults {
		d.add(position(file, f.Pos), "syntax", ref, f.Hint, "%s", f.Message)
	}
	if len(faults) > 0 {
		return value{}, false
	}
	return value{d: d, Node: n, ref: ref, file: file, pos: position(file, n.Pos)}, true
}
