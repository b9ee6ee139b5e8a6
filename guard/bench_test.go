package guard

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// document returns a result of exactly size bytes: riskLevel and score, and an
// array of small objects with escaped quotes.
func document(size int, fieldsLast bool) string {
	const fields = `"riskLevel":"high","score":0.93`
	var items []string
	build := func(pad int) string {
		list := `"events":[` + strings.Join(items, ",") + `],"pad":"` + strings.Repeat("x", pad) + `"`
		if fieldsLast {
			return "{" + list + "," + fields + "}"
		}
		return "{" + fields + "," + list + "}"
	}
	for i := 0; ; i++ {
		items = append(items, fmt.Sprintf(`{"id":%d,"note":"said \"no\" twice","ok":%v}`, i, i%2 == 0))
		if len(build(0)) > size {
			items = items[:len(items)-1]
			break
		}
	}
	return build(size - len(build(0)))
}

func TestDocument(t *testing.T) {
	for _, size := range []int{300, 10240} {
		for _, last := range []bool{false, true} {
			if d := document(size, last); len(d) != size || !json.Valid([]byte(d)) {
				t.Errorf("%d bytes: %s", len(d), d)
			}
		}
	}
}

func benchGuard(tb testing.TB) *Compiled {
	c, faults := Compile(Guard{
		In("riskLevel", "high", "critical"),
		Gte("score", 0.7),
		Lte("iteration", 5),
	}, nil)
	if faults != nil {
		tb.Fatal(faults)
	}
	return c
}

// BenchmarkGuard compares a guard with json.Valid on the same bytes. The aim is
// that evaluate takes at most 0.55 of its time.
func BenchmarkGuard(b *testing.B) {
	c := benchGuard(b)
	indent := func(s string) string {
		var buf bytes.Buffer
		json.Indent(&buf, []byte(s), "", "  ")
		return buf.String()
	}
	for _, doc := range []struct{ name, text string }{
		{"300", document(300, false)},
		{"300/last", document(300, true)},
		{"10240", document(10240, false)},
		{"10240/last", document(10240, true)},
		{"10240/indented", indent(document(10240, false))},
	} {
		v := View{ToolName: "assess_risk", Result: doc.text, Iteration: 2}
		if !c.Holds(&v) {
			b.Fatal("does not hold")
		}
		data := []byte(doc.text)
		b.Run(doc.name+"/holds", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				c.Holds(&v)
			}
		})
		b.Run(doc.name+"/evaluate", func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				c.Evaluate(&v)
			}
		})
		b.Run(doc.name+"/json.Valid", func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				json.Valid(data)
			}
		})
	}
}
