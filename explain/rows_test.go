package explain_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/spoorhq/spoor"
	"github.com/spoorhq/spoor/agent"
	"github.com/spoorhq/spoor/explain"
	"github.com/spoorhq/spoor/model"
	"github.com/spoorhq/spoor/recording"
	"github.com/spoorhq/spoor/tool"
)

// TestProvenance runs testdata/provenance/*.txtar. A file has a conversation:
//
//	-- message --            what the person says; the first may be left out
//	-- read_port {"n":3} --  a call: the tool, its arguments, and below what it returned
//	-- answer --             what the model says at last
//
// as often as there are turns, and in want what is told of the last answer: each
// sentence with what backs it, what conflicts and what is stale. -update writes
// it anew.
func TestProvenance(t *testing.T) {
	files, _ := filepath.Glob("testdata/provenance/*.txtar")
	if len(files) < 25 {
		t.Errorf("there are only %d cases", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			r := talked(t, archive)
			a := explain.Answer(r)
			got := backed(a)
			want := &archive.Files[len(archive.Files)-1]
			if want.Name != "want" {
				t.Fatal("the last file is not want")
			}
			if *update {
				want.Data = []byte(got)
				if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(want.Data), got); diff != "" {
				t.Errorf("-want +got; -update writes it anew:\n%s", diff)
			}
		})
	}
}

// talked makes the recording of a conversation.
func talked(t testing.TB, archive *txtar.Archive) *recording.Recording {
	t.Helper()
	m := &spoor.Map{Name: "talk", Skills: []spoor.Skill{{ID: "talk", Body: "Answer from what the tools say."}}}
	s := &script{}
	results := map[string][]string{}
	var messages []string
	for _, f := range archive.Files {
		text := strings.TrimSuffix(string(f.Data), "\n")
		name, args, _ := strings.Cut(f.Name, " ")
		switch {
		case name == "want":
		case name == "body":
			m.Skills[0].Body = text
		case name == "message":
			messages = append(messages, text)
		case name == "answer":
			s.replies = append(s.replies, say(text))
			if len(messages) == 0 {
				messages = append(messages, "How is it?")
			}
		default:
			results[name] = append(results[name], text)
			s.replies = append(s.replies, call(name, args))
		}
	}
	return conversed(t, m, s, results, messages)
}

// conversed runs turns with tools that return one result after the other.
func conversed(t testing.TB, m *spoor.Map, s model.Model, results map[string][]string, messages []string) *recording.Recording {
	t.Helper()
	c := agent.Config{Map: m, Model: s, MaxIterations: 1000}
	m.Start = spoor.Start{Rules: []spoor.Rule{{Use: m.Skills[0].ID}}}
	for name := range results {
		m.Skills[0].Tools = append(m.Skills[0].Tools, name)
		c.Tools = append(c.Tools, tool.Tool{Name: name, Call: func(context.Context, string) (tool.Result, error) {
			text := results[name][0]
			results[name] = results[name][1:]
			return tool.Result{Text: text}, nil
		}})
	}
	a, err := agent.New(c)
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.Run(context.Background(), messages[0])
	if out == nil {
		t.Fatal(err)
	}
	for _, message := range messages[1:] {
		if out, err = a.Reply(context.Background(), out.Recording, message); err != nil {
			t.Fatal(err)
		}
	}
	return out.Recording
}

// backed tells what is said of an answer.
func backed(a *explain.AnswerReason) string {
	var b strings.Builder
	for _, s := range a.Sentences {
		fmt.Fprintf(&b, "%s: %q\n", s.Verdict, s.Text)
		for _, c := range s.Claims {
			fmt.Fprintf(&b, "    %q %s", c.Text, c.Verdict)
			if c.Subject != nil {
				fmt.Fprintf(&b, " as the subject of another: %s", place(*c.Subject))
			}
			if c.Source != nil {
				fmt.Fprintf(&b, ", %s", c.How)
				if c.Source.Rule != "" {
					fmt.Fprintf(&b, " (%s)", c.Source.Rule)
				}
				fmt.Fprintf(&b, ": %s", strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s", c.Kind, c.Call, c.Tool, c.Path)), " "))
			}
			b.WriteString("\n")
			if c.Row != nil {
				fmt.Fprintf(&b, "        row %s, %s", c.Row.Path, c.Row.Field)
				list(&b, ", beside ", c.Row.Subject)
				if c.Row.Wrong {
					b.WriteString(", WRONG")
					list(&b, ": the sentence speaks of ", c.Row.Spoken)
				}
				b.WriteString("\n")
			}
			if c.Instead != nil {
				list(&b, "        instead: ", c.Instead)
				b.WriteString("\n")
			}
			if c.Stale != nil {
				fmt.Fprintf(&b, "        stale since %s %s, event %d, same: %t\n", c.Stale.Call, c.Stale.Tool, c.Stale.Event, c.Stale.Same)
			}
		}
		for _, r := range s.Unsupported {
			fmt.Fprintf(&b, "    unsupported: %q\n", a.Text[r.Start:r.End])
		}
	}
	for _, c := range a.Conflicts {
		fmt.Fprintf(&b, "conflict: %s of %s\n", c.Field, c.Subject)
		for _, s := range c.Says {
			fmt.Fprintf(&b, "    %q by %s %s, event %d, %s", s.Text, s.Call, s.Tool, s.Event, s.Path)
			if s.At != nil {
				b.WriteString(", as the answer says")
			}
			if s.Stale {
				b.WriteString(", stale")
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func list(b *strings.Builder, before string, places []explain.Place) {
	for i, p := range places {
		if i > 0 {
			before = " and "
		}
		b.WriteString(before + place(p))
	}
}

func place(p explain.Place) string {
	text := fmt.Sprintf("%s %q", p.Path, p.Text)
	if p.Key {
		text = "the key " + text
	}
	if p.Argument {
		text = "the argument " + text
	}
	if p.Call != "" {
		text = p.Call + " " + p.Tool + " " + text
	}
	return text
}

// Whatever the shape of a document is, what is told of a row is what a reader
// of the JSON finds who looks for the values one by one.
func TestRowsOfRandomDocuments(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range 300 {
		type port struct{ n, errors int }
		var ports []port
		for _, n := range rng.Perm(40)[:2+rng.IntN(8)] {
			ports = append(ports, port{n + 1, 10000 + rng.IntN(1<<30)})
		}
		text := func(p port, id bool) map[string]any {
			o := map[string]any{"errors": p.errors, "up": rng.IntN(2) == 0, "rate": rng.Float64()}
			if id {
				o[[]string{"n", "id", "portId", "port"}[i%4]] = p.n
			}
			if rng.IntN(3) == 0 {
				o["note"] = "seen by the \"night\" shift\n" + strings.Repeat("x", rng.IntN(5))
			}
			if i%5 == 0 {
				o = map[string]any{"stats": map[string]any{"errors": p.errors}, "n": p.n}
			}
			return o
		}
		var doc any
		list := []any{}
		keyed := map[string]any{}
		for _, p := range ports {
			list = append(list, text(p, true))
			keyed[fmt.Sprint(p.n)] = text(p, false)
		}
		switch i % 3 {
		case 0:
			doc = map[string]any{"ports": list, "total": 7}
		case 1:
			doc = map[string]any{"device": map[string]any{"name": "sw-1", "ports": list}}
		default:
			doc = map[string]any{"ports": keyed}
		}
		data, _ := json.MarshalIndent(doc, "", strings.Repeat(" ", i%2))
		said, has := ports[rng.IntN(len(ports))], ports[rng.IntN(len(ports))]
		answer := fmt.Sprintf("Port %d has %d errors.", said.n, has.errors)
		r := conversed(t, &spoor.Map{Name: "m", Skills: []spoor.Skill{{ID: "m"}}}, &script{[][]model.Part{call("list_ports", "{}"), say(answer)}},
			map[string][]string{"list_ports": {string(data)}}, []string{"?"})
		a := explain.Answer(r)
		var claim *explain.Claim
		for k, c := range a.Sentences[0].Claims {
			if c.Text == fmt.Sprint(has.errors) {
				claim = &a.Sentences[0].Claims[k]
			}
		}
		if claim == nil || claim.Row == nil {
			t.Fatalf("%s\nno row is told: %s\n%s", data, answer, backed(a))
		}
		got := string(data)[claim.Row.Start:claim.Row.End]
		if !strings.Contains(got, fmt.Sprint(has.errors)) || !json.Valid([]byte(got)) {
			t.Fatalf("the row is %s", got)
		}
		if want := said != has; claim.Row.Wrong != want || (claim.Verdict == explain.Misplaced) != want {
			t.Fatalf("%s\n%s\nwrong is %t:\n%s", data, answer, claim.Row.Wrong, backed(a))
		}
		if said != has && (len(claim.Instead) != 1 || claim.Instead[0].Text != fmt.Sprint(said.errors)) {
			t.Fatalf("%s\n%s\nwant %d instead:\n%s", data, answer, said.errors, backed(a))
		}
		for _, p := range slices.Concat(claim.Instead, claim.Row.Subject, claim.Row.Spoken) {
			if at := string(data)[p.Start:p.End]; at != p.Text {
				t.Fatalf("%q stands at %v, and not %q", at, p.Range, p.Text)
			}
		}
	}
}

// A document with many rows that all say the same is searched in bounds.
func TestManyRows(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"ports":[`)
	for i := range 20000 {
		fmt.Fprintf(&b, `{"n":%d,"state":"up","errors":%d,"name":"up"},`, i%12, i%5)
	}
	b.WriteString(`{"n":70001,"state":"down","errors":41200}]}`)
	r := conversed(t, &spoor.Map{Name: "m", Skills: []spoor.Skill{{ID: "m"}}}, &script{[][]model.Part{
		call("list_ports", "{}"), say(strings.Repeat("Port 3 is up, port 4 has 2 errors. ", 5) + "Port 70001 has 41,200 errors."),
	}}, map[string][]string{"list_ports": {b.String()}}, []string{"?"})
	a := explain.Answer(r)
	last := a.Sentences[len(a.Sentences)-1]
	if last.Verdict != explain.Grounded || a.Unsearched == "" {
		t.Errorf("the last sentence is %s, and of what was too much it is said %q", last.Verdict, a.Unsearched)
	}
}

// Whatever a model says of whatever a tool returned, what is told keeps to the
// texts, and is told the same again.
func FuzzRows(f *testing.F) {
	f.Add("Port 1 has 41,200 errors. It is down.", `{"n":3}`, `{"ports":[{"n":1,"errors":12},{"n":3,"errors":41200}]}`, `{"n":3,"errors":"12"}`)
	f.Add("| Port | Errors |\n|---|---|\n| 3 | 12 |", ``, "port,errors\n1,12\n3,\"41,200\"", "| port | errors |\n|--|--|\n| 3 | 9 |")
	f.Add("Ada owes 88.25 on 1 March 2026; Grace 7.", `{"name":"Ada Lovelace"}`, `{"2026-03-01":{"Ada Lovelace":88.25,"x":{"y":[[{"Grace Hopper":7}]]}}}`, "name: Ada Lovelace\nowes: 7\n\nname: Grace\nowes: 7")
	f.Add("\xff 3", "[1,2]", "{\"a\":1}\n{\"a\":\"{\\\"b\\\":3}\"}", `"3"`)
	f.Fuzz(func(t *testing.T, answer, args, one, two string) {
		r := conversed(t, &spoor.Map{Name: "m", Skills: []spoor.Skill{{ID: "m"}}},
			&script{[][]model.Part{call("list_ports", "{}"), call("read_port", args), call("list_ports", "{}"), say(answer)}},
			map[string][]string{"list_ports": {one, two}, "read_port": {two}}, []string{"Is Port 3 down?"})
		a := explain.Answer(r)
		text := backed(a)
		if again := backed(explain.Answer(r)); again != text {
			t.Fatalf("it is told otherwise the second time:\n%s\n%s", text, again)
		}
		if _, err := json.Marshal(a); err != nil {
			t.Fatal(err)
		}
		at := 0
		for _, s := range a.Sentences {
			if s.Start < at || s.End <= s.Start || a.Text[s.Start:s.End] != s.Text {
				t.Fatalf("the sentence %v is not in order", s.Range)
			}
			at = s.End
			for _, c := range s.Claims {
				if c.Start < s.Start || c.End > s.End || a.Text[c.Start:c.End] != c.Text {
					t.Fatalf("the claim %v is not in its sentence", c.Range)
				}
				if (c.Verdict == explain.Misplaced) != (c.Row != nil && c.Row.Wrong) {
					t.Fatalf("the claim %q is %s, and its row is %+v", c.Text, c.Verdict, c.Row)
				}
			}
			if (s.Verdict == explain.Unsupported || s.Verdict == explain.Partly) != (s.Unsupported != nil) && s.Verdict != explain.Misplaced {
				t.Fatalf("%q is %s, and not backed is %v", s.Text, s.Verdict, s.Unsupported)
			}
		}
		for _, c := range a.Conflicts {
			if len(c.Says) < 2 {
				t.Fatalf("%+v is no conflict", c)
			}
		}
	})
}

// A document that is very deep is searched in bounds as well.
func TestDeepRows(t *testing.T) {
	const deep = 4000
	for _, text := range []string{
		strings.Repeat("[", deep) + strings.Repeat(`"Port 3",`, 40000) + "41200" + strings.Repeat("]", deep),
		strings.Repeat(`{"n":3,"ports":`, deep) + `[{"n":3,"errors":41200}]` + strings.Repeat("}", deep),
	} {
		r := conversed(t, &spoor.Map{Name: "m", Skills: []spoor.Skill{{ID: "m"}}},
			&script{[][]model.Part{call("list_ports", `{"n":3}`), say("Port 3 has 41,200 errors.")}}, map[string][]string{"list_ports": {text}}, []string{"?"})
		a := explain.Answer(r)
		if v := a.Sentences[0].Verdict; v != explain.Grounded && a.Unsearched == "" {
			t.Errorf("the sentence is %s:\n%s", v, backed(a))
		}
	}
}
