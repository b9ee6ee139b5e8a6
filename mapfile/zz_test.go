package mapfile_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"os"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/cond"
	"github.com/spoorhq/spoor/mapfile"
)

func TestZZ(t *testing.T) {
	only := os.Getenv("ONLY")
	rep := func(s string, n int) string { return strings.Repeat(s, n) }
	fm := func(n int, f string) string {
		var b strings.Builder
		for i := range n { b.WriteString(strings.ReplaceAll(f, "%d", fmt.Sprint(i))) }
		return b.String()
	}
	_ = fm
	for _, c := range []struct {
		name string
		n    int
		text func(n int) string
	}{

		{"keywords-rules", 100_000, func(n int) string { return "skills: [{id: a}]\nstart: {rules: [" + fm(n/1000, "{use: a, match: {keywords: [" + fm(999, "word%d, ")+"w]}},\n") + "]}" }},
		{"long-keywords", 50_000, func(n int) string { var b strings.Builder; b.WriteString("skills: [{id: a}]\nstart:\n  rules:\n"); for i := range n/1000 { b.WriteString("  - {use: a, match: {keywords: ["); for j := range 1000 { fmt.Fprintf(&b, "%d-%d%s, ", i, j, rep("abcdefghij", 24)) }; b.WriteString("]}}\n") }; return b.String() }},
		{"regexes", 1_600, func(n int) string { return "skills: [{id: a}]\nstart:\n  rules:\n" + fm(n, "  - {use: a, match: {regex: '"+rep("x{1000}",9)+"%d'}}\n") }},
		{"regexes-unicode", 1_600, func(n int) string { return "skills: [{id: a}]\nstart:\n  rules:\n" + fm(n, "  - {use: a, match: {regex: '"+rep("\\pL{999}",9)+"%d', flags: i}}\n") }},
		{"regex-1mb", 1<<20, func(n int) string { return "skills: [{id: a}]\nstart:\n  rules:\n  - {use: a, match: {regex: '"+rep("(",n)+"'}}\n" }},
		{"regex-4k-paren", 2000, func(n int) string { return "skills: [{id: a}]\nstart:\n  rules:\n" + rep("  - {use: a, match: {regex: '"+rep("(a|",998)+rep(")",998)+"'}}\n",n) }},
		{"regex-4k-class", 2000, func(n int) string { return "skills: [{id: a}]\nstart:\n  rules:\n" + rep("  - {use: a, match: {regex: '"+rep("\\pL",1300)+"', flags: i}}\n",n) }},
		{"whens-4k", 2000, func(n int) string { return "skills: [{id: a}]\nsteps:\n" + rep("- {from: a, to: a, when: \""+rep("1==1&&",650)+"true\"}\n", n) }},
		{"whens-4k-bad", 2000, func(n int) string { return "skills: [{id: a}]\nsteps:\n" + rep("- {from: a, to: a, when: \""+rep("x==1&&",650)+"true\"}\n", n) }},
		{"whens-4k-paren", 2000, func(n int) string { return "skills: [{id: a}]\nsteps:\n" + rep("- {from: a, to: a, when: \""+rep("(",2000)+"\"}\n", n) }},
		{"whens-macro", 200, func(n int) string { return "skills: [{id: a}]\nsteps:\n" + rep("- {from: a, to: a, when: \""+rep("[1].all(x,",50)+"true"+rep(")",50)+"\"}\n", n) }},
		{"syntax-error", 131000, func(n int) string { return "knownTools: [" + rep("a, ", n/3) }},
		{"syntax-error-end", 130000, func(n int) string { return rep("- a: b\n", n/7)+"- 'a" }},
		{"syntax-error-q", 130000, func(n int) string { return "knownTools: [" + rep("a?, ", n/4)  }},
		{"syntax-error-quot", 130000, func(n int) string { return  rep("- 'a' b\n", n/8)  }},
		{"syntax-error-quot2", 130000, func(n int) string { return  rep("- a\n", n/4)+"- 'a' b\n"  }},
		{"syntax-error-maps", 130000, func(n int) string { return "steps: [" + rep("{a: b}, ", n/8)+"}"  }},
	} {
		if only != "" && !strings.Contains(","+only+",", ","+c.name+",") { continue }
		for _, n := range []int{c.n/4, c.n} {
			text := c.text(n)
			fsys := fstest.MapFS{"map.yaml": {Data: []byte(text)}}
			var a, b runtime.MemStats
			runtime.GC(); runtime.ReadMemStats(&a)
			start := time.Now()
			f, err := mapfile.Read(fsys, "map.yaml")
			took := time.Since(start)
			runtime.ReadMemStats(&b)
			runtime.GC()
			var l runtime.MemStats
			runtime.ReadMemStats(&l)
			msg := fmt.Sprint(err)
			comp := time.Duration(0)
			var cm uint64
			var cerr error
			if err == nil && os.Getenv("NOCOMPILE")=="" {
				runtime.ReadMemStats(&a)
				start := time.Now()
				var g *spoor.Graph
				g, cerr = spoor.Compile(f.Map, cond.CEL)
				comp = time.Since(start)
				var c2 runtime.MemStats
				runtime.ReadMemStats(&c2)
				cm = c2.TotalAlloc-a.TotalAlloc
				runtime.KeepAlive(g)
			}
			fmt.Printf("%-22s %9d B read %7.0f ms alloc %5d MB live %5d MB | compile %7.0f ms alloc %5d MB | %.70q %.70q\n", c.name, len(text), float64(took.Microseconds())/1000, (b.TotalAlloc-a.TotalAlloc)>>20, l.HeapAlloc>>20, float64(comp.Microseconds())/1000, cm>>20, msg, fmt.Sprint(cerr))
			runtime.KeepAlive(f)
		}
	}
}
