package draw_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/draw"
	"github.com/spoorhq/spoor/mapfile"
)

// A subject is a map to draw, and the walk over it.
type subject struct {
	name string
	g    *spoor.Graph
	w    *draw.Walk
}

// subjects are all maps that this repository has, those of the vectors among
// them, and some of the zoo.
func subjects(t *testing.T) (all []subject) {
	t.Helper()
	for _, file := range archives(t) {
		_, g, w := open(t, file)
		all = append(all, subject{file, g, nil}, subject{file + " walked", g, w})
	}
	all = append(all, mapFiles(t)...)
	all = append(all, vectors(t)...)
	for seed := range uint64(400) {
		z := newZoo(seed + 10_000)
		g := z.graph(t)
		all = append(all, subject{fmt.Sprint("seed ", seed+10_000), g, z.walk(g)})
	}
	return all
}

// mapFiles are the maps in files, and in files of archives.
func mapFiles(t *testing.T) (all []subject) {
	t.Helper()
	add := func(name string, files fs.FS, file string) {
		f, err := mapfile.Read(files, file)
		if err != nil {
			return // it is there because of its faults
		}
		if g, err := spoor.Compile(f.Map, &cond.Set{AllowUnbound: true}); err == nil && len(f.Map.Skills) > 0 {
			all = append(all, subject{name, g, nil})
		}
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == ".git"):
			return fs.SkipDir
		case strings.HasSuffix(path, "map.yaml"):
			add(path, os.DirFS(filepath.Dir(path)), "map.yaml")
		case strings.HasSuffix(path, ".txtar"):
			a, err := txtar.ParseFile(path)
			if err != nil {
				return err
			}
			files := fstest.MapFS{}
			for _, f := range a.Files {
				if fs.ValidPath(f.Name) {
					files[f.Name] = &fstest.MapFile{Data: f.Data}
				}
			}
			for name := range files {
				if strings.HasSuffix(name, ".yaml") {
					add(path+" "+name, files, name)
				}
			}
		}
		return nil
	})
	if err != nil || len(all) < 30 {
		t.Fatalf("there are only %d maps: %v", len(all), err)
	}
	slices.SortFunc(all, func(a, b subject) int { return strings.Compare(a.name, b.name) })
	if !slices.ContainsFunc(all, func(s subject) bool { return strings.HasPrefix(s.name, "../examples/refund-desk") }) {
		t.Error("the refund desk is not among the maps")
	}
	return all
}

// vectors are the maps of the conformance vectors.
func vectors(t *testing.T) (all []subject) {
	t.Helper()
	f, err := os.Open("../conformance/testdata/graphs.jsonl.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var v struct{ Map *spoor.Map }
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		name := fmt.Sprint("vector ", len(all)+1)
		if g, err := spoor.Compile(v.Map, anything{}); err == nil {
			all = append(all, subject{name, g, nil})
		}
	}
	if lines.Err() != nil || len(all) < 300 {
		t.Fatalf("there are only %d maps in the vectors: %v", len(all), lines.Err())
	}
	return all
}

func TestSubjects(t *testing.T) {
	for _, s := range subjects(t) {
		laws(t, s.g, s.w)
		if t.Failed() {
			t.Fatal(s.name)
		}
	}
}

// TestMermaid gives the drawings to Mermaid's own parser, and compares what it
// read with what the map declares.
func TestMermaid(t *testing.T) {
	const folder = "testdata/mermaid"
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("there is no Node.js to run Mermaid's parser with")
	}
	if _, err := os.Stat(filepath.Join(folder, "node_modules", "mermaid")); err != nil {
		t.Skip("Mermaid is not installed; npm ci in draw/" + folder + " does it")
	}
	all := subjects(t)
	var drawings bytes.Buffer
	for _, s := range all {
		line, err := json.Marshal(draw.Mermaid(s.g, s.w))
		if err != nil {
			t.Fatal(err)
		}
		drawings.Write(append(line, '\n'))
	}
	type read struct {
		OK               bool
		Error, Direction string
		Nodes            []struct {
			ID, Text, Shape, Group, Classes string
			Plain                           bool
		}
		Edges []struct {
			From, To, Text, Stroke, Head, Style string
			Plain                               bool
		}
		Groups []struct{ ID, Title string }
	}
	answers := json.NewDecoder(bytes.NewReader(run(t, &drawings, folder, node, "parse.mjs")))
	for _, s := range all {
		var r read
		if err := answers.Decode(&r); err != nil {
			t.Fatalf("%s: no answer: %v", s.name, err)
		}
		var got picture
		plain := r.OK && r.Direction == "TB"
		for _, n := range r.Nodes {
			b := box{Name: n.ID, Text: n.Text, Shape: "box", Open: n.Group == "open", Mark: n.Classes}
			switch n.Shape {
			case "stadium":
				b.Shape = "start"
				plain = plain && n.Text == "start"
				b.Text = ""
			case "diamond":
				b.Shape = n.Shape
			case "subroutine":
				plain = plain && n.Classes == "here"
			case "square":
				plain = plain && n.Classes != "here"
			default:
				plain = false
			}
			plain = plain && n.Plain
			got.Nodes = append(got.Nodes, b)
		}
		for _, e := range r.Edges {
			l := line{From: e.From, To: e.To, Text: e.Text}
			l.Style, l.Mark = mermaidLine(map[string]string{
				"normal arrow_point": "-->", "dotted arrow_point": "-.->", "thick arrow_point": "==>", "normal arrow_cross": "--x", "dotted arrow_circle": "-.-o",
			}[e.Stroke+" "+e.Head])
			if strings.Contains(e.Style, "#1c7ed6") {
				l.Mark = "taken"
			}
			plain = plain && e.Plain
			got.Edges = append(got.Edges, l)
		}
		for _, g := range r.Groups {
			plain = plain && g.ID == "open" && g.Title == "read from anywhere"
		}
		got.sort()
		if d := difference(declared(s.g, s.w), got); d != "" || !plain {
			t.Fatalf("%s: Mermaid reads something else (-declared +read): %s\n%s\n%s\n%+v", s.name, r.Error, d, draw.Mermaid(s.g, s.w), r)
		}
	}
	if answers.More() {
		t.Error("there are more answers than drawings")
	}
	t.Logf("Mermaid read %d drawings", len(all))
}

// TestGraphviz gives the drawings to Graphviz, and compares what it read and
// what stands in the picture with what the map declares.
func TestGraphviz(t *testing.T) {
	dot, err := exec.LookPath("dot")
	if err != nil {
		t.Skip("there is no dot; the package graphviz of Debian brings it")
	}
	all := subjects(t)
	var drawings bytes.Buffer
	written := make([]string, len(all))
	for i, s := range all {
		written[i] = draw.DOT(s.g, s.w)
		drawings.WriteString(written[i])
	}
	text := drawings.String()
	answers := json.NewDecoder(bytes.NewReader(run(t, strings.NewReader(text), ".", dot, "-Tjson")))
	pages := strings.SplitAfter(string(run(t, strings.NewReader(text), ".", dot, "-Tsvg")), "</svg>\n")
	for i, s := range all {
		var read layout
		if err := answers.Decode(&read); err != nil {
			t.Fatalf("%s: no answer: %v", s.name, err)
		}
		want, got := declared(s.g, s.w), read.picture()
		want.sortEdges()
		if d := difference(want, got); d != "" {
			t.Fatalf("%s: Graphviz reads something else (-declared +read):\n%s\n%s", s.name, d, written[i])
		}
		wantTips, gotTips := writtenTips(written[i]), shownTips(t, pages[i])
		if d := difference(wantTips, gotTips); d != "" {
			t.Fatalf("%s: Graphviz shows other tooltips (-written +shown):\n%s\n%s", s.name, d, written[i])
		}
	}
	if answers.More() || len(pages) != len(all)+1 {
		t.Error("there are more answers than drawings")
	}
	t.Logf("Graphviz read %d drawings", len(all))
}

// A layout is what dot -Tjson prints.
type layout struct {
	Objects []struct {
		Number                   int `json:"_gvid"`
		Name, Shape, Peripheries string
		Penwidth                 string
		Nodes                    []int
		Label                    string
		Texts                    texts `json:"_ldraw_"`
	}
	Edges []struct {
		Tail, Head                 int
		Style, Penwidth, Arrowhead string
		Texts                      texts `json:"_ldraw_"`
	}
}

// Texts are what is written into the picture, line by line.
type texts []struct{ Op, Text string }

func (ts texts) String() string {
	var lines []string
	for _, t := range ts {
		if t.Op == "T" {
			lines = append(lines, strings.TrimSpace(t.Text))
		}
	}
	return strings.Join(lines, " ")
}

func (l *layout) picture() (p picture) {
	open := map[int]bool{}
	names := map[int]string{}
	for _, o := range l.Objects {
		names[o.Number] = o.Name
		if o.Name == "cluster_open" && o.Texts.String() == "read from anywhere" {
			for _, number := range o.Nodes {
				open[number] = true
			}
			continue
		}
		b := box{Name: o.Name, Text: o.Texts.String(), Shape: o.Shape, Open: open[o.Number]}
		switch {
		case o.Name == "start" && o.Shape == "circle":
			b.Shape = "start"
		case o.Peripheries == "2":
			b.Mark = "here"
		case o.Penwidth == "2":
			b.Mark = "visited"
		}
		p.Nodes = append(p.Nodes, b)
	}
	for _, e := range l.Edges {
		got := line{From: names[e.Tail], To: names[e.Head], Text: e.Texts.String(), Style: "solid"}
		switch {
		case e.Style == "dotted" && e.Arrowhead == "odot":
			got.Style = "jump"
		case e.Style != "":
			got.Style = e.Style
		}
		switch {
		case e.Penwidth == "2.5":
			got.Mark = "taken"
		case e.Arrowhead == "tee":
			got.Mark = "shut"
		}
		p.Edges = append(p.Edges, got)
	}
	p.sort()
	p.sortEdges()
	return p
}

// sortEdges takes the order from edges, which Graphviz lists by their nodes.
func (p *picture) sortEdges() {
	slices.SortFunc(p.Edges, func(a, b line) int {
		return strings.Compare(fmt.Sprintf("%+v", a), fmt.Sprintf("%+v", b))
	})
}

var tip = regexp.MustCompile(`tooltip="((?:[^"\\]|\\.)*)"`)

// writtenTips are the tooltips in a drawing, as they are meant.
func writtenTips(dot string) []string {
	tips := map[string]bool{}
	for _, m := range tip.FindAllStringSubmatch(dot, -1) {
		tips[strings.NewReplacer(`\\\\`, `\`, `\"`, `"`, `&amp;`, `&`).Replace(m[1])] = true
	}
	return slices.Sorted(maps.Keys(tips))
}

// shownTips are the tooltips of a picture in SVG.
func shownTips(t *testing.T, svg string) []string {
	t.Helper()
	tips := map[string]bool{}
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if err == io.EOF {
			return slices.Sorted(maps.Keys(tips))
		}
		if err != nil {
			t.Fatalf("the picture is no XML: %v\n%s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if a.Name.Local == "title" {
					tips[a.Value] = true
				}
			}
		}
	}
}

// run runs a program, which must say nothing on stderr.
func run(t *testing.T, in io.Reader, dir, program string, args ...string) []byte {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Stdin = dir, in
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil || stderr.Len() > 0 {
		t.Fatalf("%s: %v: %.2000s", program, err, stderr.String())
	}
	return out
}
