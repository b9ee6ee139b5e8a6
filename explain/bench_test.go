package explain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// planted is a turn whose answer, of 2.4 KB, has 20 things that stand in a
// megabyte of results: 200 pieces of prose and of JSON in turns. Those of JSON
// are in another spelling.
func planted(t testing.TB) (r *recording.Recording, answer string, spans []string) {
	rng := rand.New(rand.NewPCG(7, 7))
	words := make([]string, 3000)
	for i := range words {
		for range 1 + rng.IntN(4) {
			words[i] += "bcdfghklmnprstvw"[rng.IntN(16):][:1] + "aeiou"[rng.IntN(5):][:1]
		}
	}
	text := func(n int) string {
		var s strings.Builder
		for s.Len() < n {
			s.WriteString(words[int(3000*rng.Float64()*rng.Float64())] + " ")
			if n > 100 && rng.IntN(20) == 0 {
				fmt.Fprintf(&s, "%d.\n", rng.IntN(100000))
			}
		}
		return s.String()
	}
	const pieces, size = 200, 5 << 10
	results := make([]string, pieces)
	var rest strings.Builder
	for i := range results {
		plant := i%10 == i/10%2
		span := text(60)
		if i%2 == 0 {
			results[i] = text(size/2) + span + text(size/2)
		} else {
			var rows []any
			n := 10_000_000 + rng.IntN(80_000_000)
			for k := range 40 {
				rows = append(rows, map[string]any{"id": rng.IntN(1e6), "name": text(12), "note": text(30), "ratio": rng.Float64(), "at": fmt.Sprintf("2026-%02d-%02d", 1+rng.IntN(12), 1+k%28)})
			}
			rows = append(rows, map[string]any{"planted": n})
			data, _ := json.Marshal(map[string]any{"rows": rows})
			results[i], span = string(data), fmt.Sprintf("%d,%03d,%03d", n/1_000_000, n/1000%1000, n%1000)
		}
		if plant {
			span = strings.TrimSpace(span)
			spans = append(spans, span)
			rest.WriteString(span + ": I " + strings.ToUpper(text(60)) + ".\n")
		}
	}
	var replies [][]model.Part
	for i := range results {
		replies = append(replies, call("page", fmt.Sprintf(`{"n":%d}`, i)))
	}
	return pages(t, results, append(replies, say(rest.String()))...), rest.String(), spans
}

// pages walks a turn in which a tool returns one text after the other, and the
// walk goes to and fro.
func pages(t testing.TB, results []string, replies ...[]model.Part) *recording.Recording {
	t.Helper()
	n := 0
	a, err := agent.New(agent.Config{
		Map: &spoor.Map{
			Skills: []spoor.Skill{{ID: "forth", Body: "Read on.", Tools: []string{"page"}}, {ID: "back", Body: "Go back.", Tools: []string{"page"}}},
			Start:  spoor.Start{Use: "forth"},
			Steps:  []spoor.Step{{From: "forth", To: "back", OnToolReturn: "page"}, {From: "back", To: "forth", OnToolReturn: "page"}},
		},
		Model: &script{replies}, MaxIterations: len(replies) + 2,
		Tools: []tool.Tool{{Name: "page", Call: func(context.Context, string) (tool.Result, error) {
			n++
			return tool.Result{Text: results[(n-1)%len(results)]}, nil
		}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	run, err := a.Run(context.Background(), "What does it say?")
	if err != nil {
		t.Fatal(err)
	}
	return run.Recording
}

func TestPlantedInMuch(t *testing.T) {
	r, answer, spans := planted(t)
	p := explain.Index(r)
	for _, span := range spans {
		s := p.Span(span)
		if len(s.Runs) != 1 || s.Runs[0].Sources == nil || s.Runs[0].Sources[0].Kind != explain.FromResult {
			t.Errorf("%q of an answer of %d bytes comes from\n%.2000v", span, len(answer), s)
		}
	}
	if a := p.Answer(); len(spans) != 20 || len(a.Runs) < 20 {
		t.Errorf("%d spans, %d runs", len(spans), len(a.Runs))
	}
}

// A megabyte of context, in 200 pieces.
func BenchmarkProvenance(b *testing.B) {
	r, _, _ := planted(b)
	size := 0
	for _, e := range r.Events {
		for _, p := range e.Pieces(nil) {
			size += len(*p.Data)
		}
	}
	b.Run("index", func(b *testing.B) {
		b.SetBytes(1 << 20)
		for b.Loop() {
			explain.Index(r)
		}
	})
	p := explain.Index(r)
	b.Run("query", func(b *testing.B) {
		for b.Loop() {
			p.Search()
		}
	})
	b.Run("answer", func(b *testing.B) {
		for b.Loop() {
			p.Answer()
		}
	})
}

// A run of more than 10,000 events.
func BenchmarkWhy(b *testing.B) {
	var replies [][]model.Part
	results := make([]string, 2000)
	for i := range results {
		results[i] = fmt.Sprintf(`{"page":%d,"text":"what is on it does not matter","errors":%d}`, i, 100_000+i)
		replies = append(replies, call("page", fmt.Sprintf(`{"n":%d}`, i)))
	}
	r := pages(b, results, append(replies, say("Page 700 has 100,700 errors."))...)
	if len(r.Events) < 10_000 {
		b.Fatalf("%d events", len(r.Events))
	}
	body := model.Sum("Go back.").String()
	for _, why := range []struct {
		name string
		ask  func()
	}{
		{"answer", func() { explain.Answer(r) }},
		{"span", func() { explain.Span(r, "100,700") }},
		{"tool", func() { explain.Tool(r, "i1900.1") }},
		{"move", func() { explain.Move(r, 2000) }},
		{"call", func() { explain.Call(r, 2000) }},
		{"history", func() { explain.History(r) }},
		{"not skill", func() { explain.NotSkill(r, "back") }},
		{"not tool", func() { explain.NotTool(r, "page") }},
		{"not piece", func() { explain.NotPiece(r, body) }},
	} {
		b.Run(why.name, func(b *testing.B) {
			for b.Loop() {
				why.ask()
			}
		})
	}
}
