package wiretest

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/google/go-cmp/cmp"

	"github.com/spoorhq/spoor/model"
)

const big = `{"z":9007199254740993,"a":"caf\u00e9","n":1.0,"list":[1e400,{}]}`

// answers are about what comes back.
var answers = list{
	{"a text arrives bit by bit and is one part", func(b *bench) {
		text := []string{"Port 2", " is", " unwell:", " 1,204 errors."}
		b.serve(b.says(Answer{Model: "m-1-exact", Text: text, Usage: model.Usage{Input: 120, Cached: 100, Output: 7}}))
		r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("How is port 2?")}})
		var bits []string
		for _, d := range b.deltas {
			if d.Reset {
				b.Error("a delta resets what nothing came before")
			}
			bits = append(bits, d.Text)
		}
		b.equal("the bits", text, bits)
		b.equal("the parts", []string{"text " + strings.Join(text, "")}, brief(r))
		b.equal("the model", "m-1-exact", r.Model)
		b.equal("the usage", model.Usage{Input: 120, Cached: 100, Output: 7}, r.Usage)
		b.equal("the stop", model.Stop(""), r.Stop)
		b.equal("the attempts", 0, len(r.Attempts))
		for _, p := range r.Parts {
			if p.Role != model.Assistant || p.Piece != model.Sum(p.Data) {
				b.Errorf("the part is %+v", p)
			}
		}
	}},
	{"a bit is told before the next one arrives", func(b *bench) {
		a := Answer{Model: name, Text: []string{"first", "second", "third"}}
		heard := make(chan bool)
		b.serve(func(w http.ResponseWriter, r *http.Request) {
			for _, e := range b.Stream(a) {
				send(w, e)
				if slices.ContainsFunc(a.Text, func(bit string) bool { return strings.Contains(e, bit) }) {
					select {
					case <-heard:
					case <-r.Context().Done():
					}
				}
			}
		})
		_, err := b.Open(b.config()).Call(b.Context(), &model.Request{Parts: []model.Part{user("Hello")}}, func(d model.Delta) { heard <- true })
		if err != nil {
			b.Error(err)
		}
	}},
	{"an answer that a limit cut off says so", func(b *bench) {
		b.serve(b.says(Answer{Model: name, Text: []string{"It was", " a dark"}, Stop: model.StopLength}))
		r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("Tell me")}})
		b.equal("the stop", model.StopLength, r.Stop)
		b.equal("the parts", []string{"text It was a dark"}, brief(r))
	}},
	{"a refusal says so", func(b *bench) {
		b.serve(b.says(Answer{Model: name, Text: []string{"I will not", " say it."}, Stop: model.StopRefusal}))
		r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("Tell me")}})
		b.equal("the stop", model.StopRefusal, r.Stop)
		b.equal("the parts", []string{"text I will not say it."}, brief(r))
	}},
	{"calls come in order, and their arguments byte for byte", func(b *bench) {
		b.serve(b.says(Answer{Model: name, Text: []string{"I look", " it up."}, Calls: []Call{
			{"call_1", "read_port", big}, {"call_2", "list_ports", ""}, {"call_3", "read_port", `{"n": 2}`},
		}}))
		r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("How are the ports?")}, Tools: tools("read_port", "list_ports")})
		b.equal("the parts", []string{"text I look it up.", "call read_port " + big, "call list_ports {}", `call read_port {"n": 2}`}, brief(r))
		for _, p := range r.Parts {
			if p.Piece != model.Sum(p.Data) {
				b.Errorf("the piece of %q is not its own", p.Data)
			}
		}
	}},
	{"calls may come without a text", func(b *bench) {
		b.serve(b.says(Answer{Model: name, Calls: []Call{{"call_1", "list_ports", "{}"}}}))
		r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("How are the ports?")}, Tools: tools("list_ports")})
		b.equal("the parts", []string{"call list_ports {}"}, brief(r))
		b.equal("the deltas", 0, len(b.deltas))
	}},
	{"thinking is a part before the text, and no delta", func(b *bench) {
		b.serve(b.says(Answer{Model: name, Thinking: "Which port? Port 2.", Text: []string{"Port", " 2."}}))
		r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("Which port?")}})
		b.equal("the parts", []string{"thinking Which port? Port 2.", "text Port 2."}, brief(r))
		b.equal("the deltas", []model.Delta{{Text: "Port"}, {Text: " 2."}}, b.deltas)
	}},
	{"a tool whose name the provider does not take comes back as ours", func(b *bench) {
		long := strings.Repeat("long", 25)
		ours := []string{"port_read", "port.read", "port read", "порт", long + "1", long + "2", "x"}
		var theirs []string
		b.serve(func(w http.ResponseWriter, r *http.Request) {
			a := Answer{Model: name}
			for _, t := range b.seen(0).Tools {
				theirs = append(theirs, t.Name)
				a.Calls = append(a.Calls, Call{"call_" + strconv.Itoa(len(theirs)), t.Name, "{}"})
			}
			b.says(a)(w, r)
		}, b.hello())
		req := &model.Request{Parts: []model.Part{user("Use them all")}, Tools: tools(ours...)}
		r := b.answer(b.config(), req)
		var got, ids []string
		for i, p := range r.Parts {
			got, ids = append(got, p.Tool), append(ids, "i1."+strconv.Itoa(i+1))
		}
		b.equal("the tools called", ours, got)
		for i, there := range theirs {
			if there == "" || len(there) > b.Longest || strings.Trim(there, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" || slices.Contains(theirs[:i], there) {
				b.Errorf("%q is called %q there", ours[i], there)
			}
		}
		b.equal("a name that fits", ours[0], theirs[0])

		// And so it stands in the history.
		parts := appended(req.Parts, r, ids...)
		for i, id := range ids {
			parts = append(parts, result(id, ours[i], "done"))
		}
		b.answer(b.config(), &model.Request{Parts: parts, Tools: tools(ours...)})
		got = nil
		for _, p := range b.seen(1).Messages[1].Parts {
			got = append(got, p.Name)
		}
		b.equal("the names in the history", theirs, got)
	}},
	{"a tool that was not offered keeps the name that the model gives it", func(b *bench) {
		b.serve(b.says(Answer{Model: name, Calls: []Call{{"call_1", "made_up", "{}"}}}))
		r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("Hello")}, Tools: tools("read_port")})
		b.equal("the parts", []string{"call made_up {}"}, brief(r))
	}},
	{"a server that says the key is not repeated", func(b *bench) {
		var args strings.Builder
		for _, c := range key {
			fmt.Fprintf(&args, `\u%04x`, c)
		}
		b.serve(b.says(Answer{
			Model: "m of " + key, Thinking: "The key is " + key, Text: []string{"It is " + key[:9], key[9:] + ".", " Or " + key + "?"}, Calls: []Call{
				{"call_1", "tell", `{"key":"` + key + `","n":1.0}`}, {"call_2", "tell", `{"key":"` + args.String() + `","n":1.0}`},
				{"call_3", "tell", `{"key":"` + strings.ReplaceAll(key, "/", `\/`) + `","n":1.0}`}, {"call_4", "tell", `{"key":"` + url.QueryEscape(key) + `","n":1.0}`},
				{"call_5 " + key, "tell " + key, `{"` + key},
			},
		}))
		r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("What is the key?")}, Tools: tools("tell")})
		b.silent(r.Model)
		for _, p := range r.Parts {
			b.silent(p.Data)
			b.silent(p.Tool)
			b.silent(p.Provider)
			if p.Piece != model.Sum(p.Data) {
				b.Errorf("the piece of %q is not its own", p.Data)
			}
		}
		call := `call tell {"key":"[key]","n":1.0}`
		b.equal("the parts", []string{"thinking The key is [key]", "text It is [key]. Or [key]?", call, call, call, call, `call tell [key] {"[key]`}, brief(r))
		b.whisper(r)
	}},
	{"a bit of a text never shows the key, nor do all of them", func(b *bench) {
		text := "No: " + key + ", " + key[:12] + " " + base64.StdEncoding.EncodeToString([]byte(key)) + " Z"
		for _, size := range []int{1, 2, 7, len(text)} {
			for _, stop := range []model.Stop{"", model.StopRefusal, model.StopLength} {
				a := Answer{Model: name, Stop: stop}
				for bit := range slices.Chunk([]byte(text), size) {
					a.Text = append(a.Text, string(bit))
				}
				b.serve(b.says(a))
				b.deltas = nil
				r := b.answer(b.config(), &model.Request{Parts: []model.Part{user("What is the key?")}})
				b.equal("the parts", []string{"text No: [key], " + key[:12] + " [key] Z"}, brief(r))
				b.whisper(r)
			}
		}
	}},
	{"one model makes many calls at once", func(b *bench) {
		b.serve(func(w http.ResponseWriter, r *http.Request) {
			b.says(Answer{Model: name, Text: []string{"I am", " here."}, Calls: []Call{{"call_1", "look", big}}})(w, r)
		})
		m := b.Open(b.config())
		req := &model.Request{Parts: []model.Part{user("Hello")}, Tools: tools("look")}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				var said strings.Builder
				r, err := m.Call(b.Context(), req, func(d model.Delta) { said.WriteString(d.Text) })
				if err != nil || said.String() != "I am here." || len(r.Parts) != 2 || r.Parts[1].Data != big {
					b.Errorf("%q, %+v, %v", said.String(), r, err)
				}
			})
		}
		all.Wait()
	}},
}

// whisper holds that the bits are the text of a reply, and do not tell the key.
func (b *bench) whisper(r model.Reply) {
	b.Helper()
	var text string
	for _, p := range r.Parts {
		if p.Kind == model.Text {
			text += p.Data
		}
	}
	b.equal("the deltas", text, b.heard())
	b.silent(b.heard())
}

// brief is the parts of a reply, one line each.
func brief(r model.Reply) (lines []string) {
	for _, p := range r.Parts {
		line := string(p.Kind) + " "
		if p.Kind == model.Call {
			line += p.Tool + " "
		}
		lines = append(lines, line+p.Data)
	}
	return lines
}

func tools(names ...string) (list []model.ToolSpec) {
	for _, n := range names {
		list = append(list, model.ToolSpec{Name: n, Description: "It is " + n + ".", Schema: `{"type":"object","properties":{"n":{"type":"integer"}}}`})
	}
	return list
}

// equal holds that what is had is what is wanted.
func (b *bench) equal(what string, want, got any) {
	b.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("%s (-want +got):\n%s", what, diff)
	}
}
