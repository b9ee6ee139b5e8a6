package wiretest

import (
	"errors"
	"slices"
	"strings"

	"github.com/spoorhq/spoor/internal/wire"
	"github.com/spoorhq/spoor/model"
)

// requests are about what is sent.
var requests = list{
	{"the system comes first, and the sides alternate", func(b *bench) {
		s := b.said(Config{MaxTokens: 77}, &model.Request{Parts: []model.Part{
			system("You mind ports."), system("Be brief."), user("Hello"), says("Hi."), user("How is"), user("port 2?"),
		}})
		b.equal("the model", name, s.Model)
		b.equal("the limit", 77, s.MaxTokens)
		b.equal("the system", "You mind ports.\n\nBe brief.", strings.Join(s.System, "\n\n"))
		b.equal("the messages", []Message{
			{false, []Part{{Kind: model.Text, Text: "Hello"}}},
			{true, []Part{{Kind: model.Text, Text: "Hi."}}},
			{false, []Part{{Kind: model.Text, Text: "How is\n\nport 2?"}}},
		}, s.Messages)
		b.equal("the tools", 0, len(s.Tools))
		b.equal("the choice", "", s.Choice)
	}},
	{"empty texts are left out", func(b *bench) {
		s := b.said(Config{}, &model.Request{Parts: []model.Part{
			system(""), user("Hello"), says(""), call("i1.1", "look", "", ""), result("i1.1", "look", ""), user(" \n"),
		}, Tools: tools("look")})
		b.equal("the system", 0, len(s.System))
		b.equal("the messages", []Message{
			{false, []Part{{Kind: model.Text, Text: "Hello"}}},
			{true, []Part{{Kind: model.Call, ID: s.Messages[1].Parts[0].ID, Name: "look", Text: "{}"}}},
			{false, []Part{{Kind: model.Result, ID: s.Messages[1].Parts[0].ID}}},
		}, s.Messages)
	}},
	{"the same request is the same bytes, which the reply names", func(b *bench) {
		b.serve(b.hello())
		req := long()
		before := slices.Clone(req.Parts)
		r := b.answer(b.config(), req)
		b.answer(b.config(), req)
		b.equal("the second body", b.bodies[0], b.bodies[1])
		b.equal("the wire", sent(b.bodies[0]), r.Wire)
		b.equal("the request afterwards", before, req.Parts)
	}},
	{"a longer request begins as the shorter one", func(b *bench) {
		b.serve(b.hello())
		req := long()
		b.answer(b.config(), req)
		short := b.seen(0)
		req.Parts = append(req.Parts, says("Port 2 is unwell."), user("And port 3?"))
		b.answer(b.config(), req)
		s := b.seen(1)
		b.equal("the beginning", short.Messages, s.Messages[:len(short.Messages)])
		b.equal("the system", short.System, s.System)
	}},
	{"tools are offered as they are", func(b *bench) {
		schema := `{"type":"object","properties":{"z":{"type":"integer","maximum":9007199254740993},"a":{"enum":["x",1.0]}},"required":["z"],"additionalProperties":false}`
		s := b.said(Config{}, &model.Request{Parts: []model.Part{user("Hello")}, Tools: []model.ToolSpec{
			{Name: "zeta", Description: "Does <it> & \"more\".", Schema: schema}, {Name: "alpha"},
		}})
		if len(s.Tools) != 2 || !strings.Contains(s.Tools[1].Schema, `"object"`) {
			b.Fatalf("the tools are %+v", s.Tools)
		}
		b.equal("the first tool", model.ToolSpec{Name: "zeta", Description: "Does <it> & \"more\".", Schema: schema}, s.Tools[0])
		b.equal("the second tool", model.ToolSpec{Name: "alpha", Schema: s.Tools[1].Schema}, s.Tools[1])
	}},
	{"a call can be demanded", func(b *bench) {
		s := b.said(Config{}, &model.Request{Parts: []model.Part{user("Hello")}, Tools: tools("read.port", "list_ports"), Choice: "read.port"})
		b.equal("the choice", s.Tools[0].Name, s.Choice)
	}},
	{"calls stay in the history when no tools are offered", func(b *bench) {
		req := long()
		req.Tools = nil
		s := b.said(Config{}, req)
		b.equal("the calls", 2, len(s.Messages[1].of(model.Call)))
		b.equal("the results", 2, len(s.Messages[2].of(model.Result)))
		b.equal("the choice", "", s.Choice)
	}},
	{"a call goes back to its provider with the id and the bytes that it came with", func(b *bench) {
		b.serve(b.says(Answer{Model: name, Text: []string{"I look."}, Calls: []Call{{"call_x9-A", "look", big}, {"call_y", "look", ""}}}), b.hello())
		req := &model.Request{Parts: []model.Part{user("Hello")}, Tools: tools("look")}
		r := b.answer(b.config(), req)
		req.Parts = append(appended(req.Parts, r, "i1.1", "i1.2"), result("i1.1", "look", "one"), result("i1.2", "look", "two"))
		b.answer(b.config(), req)
		b.equal("the messages", []Message{
			{true, []Part{
				{Kind: model.Text, Text: "I look."},
				{Kind: model.Call, ID: "call_x9-A", Name: "look", Text: big},
				{Kind: model.Call, ID: "call_y", Name: "look", Text: "{}"},
			}},
			{false, []Part{
				{Kind: model.Result, ID: "call_x9-A", Text: "one"},
				{Kind: model.Result, ID: "call_y", Text: "two"},
			}},
		}, b.seen(1).Messages[1:])
	}},
	{"no two calls have one id, though the provider gave them one", func(b *bench) {
		again := wire.Tag(b.Provider, map[string]string{"id": "call_0"})
		s := b.said(Config{}, &model.Request{Parts: []model.Part{
			user("Hello"),
			call("i1.1", "look", "{}", again), result("i1.1", "look", "one"),
			call("i2.1", "look", "{}", again), call("i2.2", "look", "{}", again), result("i2.1", "look", "two"), result("i2.2", "look", "three"),
			call("i3.1", "look", "{}", wire.Tag(b.Provider, map[string]string{"id": "not an id"})), result("i3.1", "look", "four"),
		}, Tools: tools("look")})
		b.paired(s, "one", "two", "three", "four")
		b.equal("the first id", "call_0", s.Messages[1].Parts[0].ID)
	}},
	{"an id that another provider gave is not used", func(b *bench) {
		s := b.said(Config{}, &model.Request{Parts: []model.Part{
			user("Hello"), call("i1.1", "look", "{}", wire.Tag("elsewhere", map[string]string{"id": "call_0"})), result("i1.1", "look", "one"),
		}, Tools: tools("look")})
		b.paired(s, "one")
		if id := s.Messages[1].Parts[0].ID; strings.Contains(id, "call_0") || strings.Contains(id, ".") {
			b.Errorf("the id is %q", id)
		}
	}},
	{"arguments that are no object become one", func(b *bench) {
		s := b.said(Config{}, &model.Request{Parts: []model.Part{
			user("Hello"),
			call("i1.1", "look", `{"a":`, ""), call("i1.2", "look", `[1,2]`, ""), call("i1.3", "look", "null", ""),
			result("i1.1", "look", "one"), result("i1.2", "look", "two"), result("i1.3", "look", "three"),
		}, Tools: tools("look")})
		for _, p := range s.Messages[1].Parts {
			if p.Text != wire.Arguments(p.Text) {
				b.Errorf("the arguments are %s", p.Text)
			}
		}
	}},
	{"thinking goes back to its provider as it came", func(b *bench) {
		b.serve(b.says(Answer{Model: name, Thinking: "Which port?\n\nPort 2 <&> \u2028.", Text: []string{"I look."}, Calls: []Call{{"call_1", "look", "{}"}}}), b.hello())
		req := &model.Request{Parts: []model.Part{user("Hello")}, Tools: tools("look")}
		r := b.answer(b.config(), req)
		req.Parts = append(appended(req.Parts, r, "i1.1"), result("i1.1", "look", "one"))
		b.answer(b.config(), req)
		b.equal("the message", Message{true, []Part{
			{Kind: model.Thinking, Text: "Which port?\n\nPort 2 <&> \u2028."},
			{Kind: model.Text, Text: "I look."},
			{Kind: model.Call, ID: "call_1", Name: "look", Text: "{}"},
		}}, b.seen(1).Messages[1])
	}},
	{"thinking of another provider is not sent", func(b *bench) {
		for _, tag := range []string{"", wire.Tag("elsewhere", map[string]string{"signature": "c2ln", "field": "reasoning"}), "{", `"` + b.Provider + `"`} {
			thinking := model.NewPart(model.Assistant, model.Thinking, "secret thought")
			thinking.Provider = tag
			s := b.said(Config{}, &model.Request{Parts: []model.Part{user("Hello"), thinking, says("Hi."), user("Bye")}})
			b.equal("the message", Message{true, []Part{{Kind: model.Text, Text: "Hi."}}}, s.Messages[1])
		}
	}},
	{"thinking is never the end of what the model said", func(b *bench) {
		b.serve(b.says(Answer{Model: name, Thinking: "Which port?"}), b.hello())
		req := &model.Request{Parts: []model.Part{user("Hello")}}
		r := b.answer(b.config(), req)
		req.Parts = append(appended(req.Parts, r), user("Well?"))
		b.answer(b.config(), req)
		b.equal("the messages", []Message{{false, []Part{{Kind: model.Text, Text: "Hello\n\nWell?"}}}}, b.seen(1).Messages)

		b.answer(b.config(), &model.Request{Parts: append(appended([]model.Part{user("Hello"), says("Hi.")}, r), user("Well?"))})
		b.equal("the message", Message{true, []Part{{Kind: model.Text, Text: "Hi."}}}, b.seen(2).Messages[1])
		b.answer(b.config(), &model.Request{Parts: appended([]model.Part{user("Hello")}, r)})
		b.equal("the messages", 1, len(b.seen(3).Messages))
	}},
	{"a result whose call is not in the request is told, and its tool named", func(b *bench) {
		shot := "\x89PNG\r\n\x1a\n\x00\xff"
		s := b.said(Config{}, &model.Request{Parts: []model.Part{
			result("i1.1", "count", "three"), content("i1.1", model.Image, "image/png", shot), user("And now?"),
			call("i2.1", "look", "{}", ""), result("i2.1", "look", "dark"), result("i1.2", "count", "four"),
		}, Tools: tools("look")})
		var told string
		for _, p := range append(s.Messages[0].of(model.Text), s.Messages[2].of(model.Text)...) {
			told += p.Text + "\n"
		}
		for _, want := range []string{"(from the tool count) three", "And now?", "(from the tool count) four"} {
			if !strings.Contains(told, want) {
				b.Errorf("%q is not in %q", want, told)
			}
		}
		b.equal("the results of the first message", 0, len(s.Messages[0].of(model.Result)))
		b.equal("the images", []Part{{Kind: model.Image, Media: "image/png", Text: shot}}, s.Messages[0].of(model.Image))
		b.equal("the results of the last message", 1, len(s.Messages[2].of(model.Result)))
	}},
	{"a tool whose schema is no object is told before anything is sent", func(b *bench) {
		b.serve(b.hello())
		for _, schema := range []string{"{", "[]", "7", `"x"`, "null", "true", "{} {}", "caf\xe9"} {
			_, err := b.ask(b.Context(), b.Open(b.config()), &model.Request{Parts: []model.Part{user("Hello")}, Tools: []model.ToolSpec{{Name: "look", Schema: schema}}})
			if e, ok := errors.AsType[*model.Error](err); !ok || e.Fault != model.FaultRequest || !strings.Contains(e.Message, "look") {
				b.Errorf("the schema %s: %v", schema, err)
			}
		}
		b.equal("the requests", 0, b.asked())
	}},
	{"results follow their calls, in order, and the rest comes after them", func(b *bench) {
		s := b.said(Config{}, &model.Request{Parts: []model.Part{
			user("Hello"),
			call("i1.1", "look", "{}", ""), call("i1.2", "count", "{}", ""),
			result("i1.1", "look", `{"ok":true}`), result("i1.2", "count", ""), tells(model.Note, "You stay."), user("Quick!"), tells(model.Menu, "Go to: a, b."),
		}, Tools: tools("look", "count")})
		calls, rest := s.Messages[1].Parts, s.Messages[2].Parts
		b.equal("what comes after the calls", []Part{
			{Kind: model.Result, ID: calls[0].ID, Text: `{"ok":true}`},
			{Kind: model.Result, ID: calls[1].ID},
			{Kind: model.Text, Text: wire.Note("You stay.") + "\n\nQuick!\n\n" + wire.Note("Go to: a, b.")},
		}, rest)
	}},
	{"what spoor tells the model is framed, and no word of a person or of the system", func(b *bench) {
		s := b.said(Config{}, &model.Request{Parts: []model.Part{
			system("You mind ports."), user("Hello"), tells(model.Note, "A note."), says("Hi."), user("Bye"), tells(model.Menu, "The menu."),
		}})
		b.equal("the system", []string{"You mind ports."}, s.System)
		b.equal("the messages", []Message{
			{false, []Part{{Kind: model.Text, Text: "Hello\n\n" + wire.Note("A note.")}}},
			{true, []Part{{Kind: model.Text, Text: "Hi."}}},
			{false, []Part{{Kind: model.Text, Text: "Bye\n\n" + wire.Note("The menu.")}}},
		}, s.Messages)
	}},
	{"a result that failed is marked, if the provider has a mark", func(b *bench) {
		parts := []model.Part{user("Hello")}
		status := []string{"", "success", "partial", "pending", "absent", "failure", "denied", "invalid"}
		for i := range status {
			parts = append(parts, call("i1."+string(rune('1'+i)), "look", "{}", ""))
		}
		for i, st := range status {
			r := result("i1."+string(rune('1'+i)), "look", "told")
			r.Status = st
			parts = append(parts, r)
		}
		s := b.said(Config{}, &model.Request{Parts: parts, Tools: tools("look")})
		for i, p := range s.Messages[2].of(model.Result) {
			if want := b.Failures && i >= 5; p.Failed != want {
				b.Errorf("status %q: marked %v, want %v", status[i], p.Failed, want)
			}
		}
	}},
	{"an image reaches the model, be it of a result or of a person", func(b *bench) {
		shot, photo := "\x89PNG\r\n\x1a\n\x00\xff", "\xff\xd8\xff\xe0photo"
		s := b.said(Config{}, &model.Request{Parts: []model.Part{
			user("Look"), content("", model.Image, "image/jpeg", photo),
			call("i1.1", "shoot", "{}", ""), call("i1.2", "shoot", "{}", ""),
			result("i1.1", "shoot", "taken"), content("i1.1", model.Image, "image/png", shot), result("i1.2", "shoot", "failed"),
		}, Tools: tools("shoot")})
		b.equal("the person's image", []Part{{Kind: model.Image, Media: "image/jpeg", Text: photo}}, s.Messages[0].of(model.Image))
		after := s.Messages[2]
		b.equal("the result's image", []Part{{Kind: model.Image, Media: "image/png", Text: shot}}, after.of(model.Image))
		b.equal("the first part after the calls", model.Result, after.Parts[0].Kind)
		b.equal("the results", 2, len(after.of(model.Result)))
	}},
	{"a document reaches the model, or is named", func(b *bench) {
		sound := "RIFF\x00\xfe\xffWAVE"
		s := b.said(Config{}, &model.Request{Parts: []model.Part{
			user("Look"), content("", model.Document, "audio/wav", sound), content("", model.Document, "text/csv", "port,errors\n2,1204"),
			call("i1.1", "fetch", "{}", ""),
			result("i1.1", "fetch", "fetched"), content("i1.1", model.Document, "audio/wav", sound), content("i1.1", model.Document, "text/csv", "port,errors\n3,7"),
		}, Tools: tools("fetch")})
		p := content("", model.Document, "audio/wav", sound)
		for i, csv := range map[int]string{0: "port,errors\n2,1204", 2: "port,errors\n3,7"} {
			var all strings.Builder
			for _, p := range s.Messages[i].Parts {
				all.WriteString(p.Text + "\n")
			}
			if text := all.String(); !strings.Contains(text, wire.Unseen(&p)) || !strings.Contains(text, csv) || strings.Contains(text, "WAVE") {
				b.Errorf("message %d says %q", i, text)
			}
		}
	}},
	{"a document is shown if it is a text, whatever its type", func(b *bench) {
		json, yaml, packed := `{"port": 2, "<errors>": 1.0}`, "port: 2\nerrors: 1204\n", "\x1f\x8b\x00\xff"
		s := b.said(Config{}, &model.Request{Parts: []model.Part{
			user("Look"), content("", model.Document, "application/json", json), call("i1.1", "fetch", "{}", ""), result("i1.1", "fetch", "fetched"),
			content("i1.1", model.Document, "application/json", json), content("i1.1", model.Document, "application/yaml", yaml),
			content("i1.1", model.Document, "application/gzip", packed), content("i1.1", model.Document, "text/plain", packed), content("i1.1", model.Document, "", yaml+"z"),
		}, Tools: tools("fetch")})
		for i, wants := range map[int][]string{0: {json}, 2: {json, yaml, "(4 bytes of application/gzip", "(4 bytes of text/plain", yaml + "z"}} {
			var all string
			for _, p := range s.Messages[i].Parts {
				all += p.Text + "\n"
			}
			for _, want := range wants {
				if !strings.Contains(all, want) {
					b.Errorf("message %d says %q, and not %q", i, all, want)
				}
			}
		}
	}},
	{"what is not UTF-8 is sent as U+FFFD", func(b *bench) {
		s := b.said(Config{}, &model.Request{Parts: []model.Part{user("caf\xe9 <&> \u2028")}})
		b.equal("the text", "caf\uFFFD <&> \u2028", s.Messages[0].Parts[0].Text)
	}},
}

// said is what the server reads in a request.
func (b *bench) said(c Config, req *model.Request) Seen {
	b.Helper()
	b.serve(b.hello())
	full := b.config()
	full.MaxTokens = c.MaxTokens
	b.answer(full, req)
	return b.seen(b.asked() - 1)
}

// paired holds that each call has an id of its own, and its result has it too.
func (b *bench) paired(s Seen, results ...string) {
	b.Helper()
	var calls, ids, texts []string
	for _, m := range s.Messages {
		for _, p := range m.of(model.Call) {
			if p.ID == "" || slices.Contains(calls, p.ID) {
				b.Errorf("the id %q is of two calls", p.ID)
			}
			calls = append(calls, p.ID)
		}
		for _, p := range m.of(model.Result) {
			ids, texts = append(ids, p.ID), append(texts, p.Text)
		}
	}
	b.equal("the ids of the results", calls, ids)
	b.equal("the results", results, texts)
}

// of is the parts of one kind.
func (m Message) of(kind model.Kind) (list []Part) {
	for _, p := range m.Parts {
		if p.Kind == kind {
			list = append(list, p)
		}
	}
	return list
}

// join joins the texts that stand side by side, since providers differ in
// whether they are one.
func (m *Message) join() {
	var parts []Part
	for _, p := range m.Parts {
		if n := len(parts); n > 0 && p.Kind == model.Text && parts[n-1].Kind == model.Text {
			parts[n-1].Text += "\n\n" + p.Text
			continue
		}
		parts = append(parts, p)
	}
	m.Parts = parts
}

func tells(kind model.Kind, text string) model.Part { return model.NewPart(model.System, kind, text) }

// long is a request with something of everything.
func long() *model.Request {
	return &model.Request{
		Parts: []model.Part{
			system("You mind ports."), user("How is port 2?"),
			says("I look."), call("i1.1", "look", big, ""), call("i1.2", "count", "{}", ""),
			result("i1.1", "look", `{"n":9007199254740993}`), result("i1.2", "count", "3"), tells(model.Note, "You stay."),
		},
		Tools: tools("look", "count"),
	}
}
